//! Periodic axes: the same physics and the same bits wherever the ends of the period lie, on any number of ranks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::BodyId;
use moreau::domain::partition::Partition;
use moreau::math::Vector3;
use moreau::measure;
use moreau::rng::{Purpose, Stream};
use moreau::shape::Period;
use scene::{Scene, State, record};

/// Spheres of ±10 % size on a perturbed lattice that fills the domain, moving at random, with friction.
fn packing(side: usize, periodic: [bool; 3], seed: u64) -> Scene {
    let (r, cell) = (0.005, 0.0112);
    let mut s = Scene::new([0.0; 3], [side as f64 * cell; 3], 5e-4);
    s.periodic = periodic;
    s.friction = 0.4;
    s.solver.tolerance = 1e-3;
    s.solver.max_sweeps = 40;
    for k in 0..side * side * side {
        let mut draw = Stream::new(Purpose::Trial, seed, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side];
        let position = site.map(|i| (i as f64 + 0.5 + draw.between(-0.02, 0.02)) * cell);
        let i = s.glass_sphere(position, r * draw.between(0.9, 1.1));
        s.bodies[i].velocity = [0; 3].map(|_| draw.between(-0.5, 0.5));
        s.bodies[i].angular_velocity = [0; 3].map(|_| draw.between(-20.0, 20.0));
    }
    for axis in (0..3).filter(|&a| !periodic[a]) {
        let mut n = [0.0; 3];
        n[axis] = 1.0;
        s.plane(s.lower.into(), n);
        n[axis] = -1.0;
        s.plane(s.upper.into(), n);
    }
    s
}

fn turns(state: &State) -> i64 {
    let each = state.bodies.iter().flat_map(|b| b.image);
    each.map(i64::abs).sum()
}

/// Periodic in x, in x and y, on all axes; drifting across the ends; 1, 2 (where the neighbour on the left is that on the
/// right), 3, 4, 8 ranks, and cuts along each axis: equal to the last bit, all that a rank does not hold being NaN.
#[test]
fn same_bits_on_any_ranks_and_cuts() {
    for (case, periodic) in [[true, false, false], [true, true, false], [true; 3]]
        .into_iter()
        .enumerate()
    {
        let mut s = packing(8, periodic, 3 + case as u64);
        s.gravity = Vector3::new(3.0, 1.0, -9.81);
        for body in &mut s.bodies {
            body.velocity[0] += 1.0;
        }
        let serial = s.run(60);
        let active = serial.contacts.iter().filter(|c| c.status != 0).count();
        assert!(
            turns(&serial) > 60 && active > 40,
            "{} turns, {active} active contacts",
            turns(&serial)
        );
        for ranks in [2, 3, 4, 8] {
            assert!(
                s.run_on(ranks, 1, 60).same_bits(&serial),
                "{periodic:?} on {ranks} ranks"
            );
        }
        assert!(
            s.run_on(2, 2, 60).same_bits(&serial),
            "{periodic:?} with threads"
        );
        for cut in [[2, 1, 1], [1, 2, 1], [1, 1, 2], [2, 2, 2], [3, 1, 2]] {
            let mut cut_scene = s.clone();
            cut_scene.ranks = Some(cut);
            let state = cut_scene.run_on(cut.iter().product(), 1, 60);
            assert!(state.same_bits(&serial), "{periodic:?} cut {cut:?}");
        }
    }
}

/// Small blocks, so that the cuts lie close, and one block on a narrow axis.
#[test]
fn same_bits_with_many_blocks_and_with_one() {
    for edge in [0.0125, 0.02, 0.06] {
        let mut s = packing(6, [true; 3], 9);
        s.dt = 1e-4;
        s.solver.block_edge = Some(edge);
        let serial = s.run(25);
        for cut in [[2, 2, 1], [4, 1, 1], [2, 3, 2]] {
            s.ranks = Some(cut);
            assert!(
                s.run_on(cut.iter().product(), 1, 25).same_bits(&serial),
                "edge {edge}, cut {cut:?}"
            );
        }
    }
}

/// Nothing outside pushes: momentum stays to rounding, on all periodic axes.
#[test]
fn momentum_is_conserved_without_walls() {
    let s = packing(7, [true; 3], 5);
    let sum = |rows: &[moreau::body::BodyRow]| -> Vector3 {
        rows.iter()
            .map(|b| Vector3::from(b.velocity) * b.mass)
            .sum()
    };
    let scale: f64 = s
        .bodies
        .iter()
        .map(|b| Vector3::from(b.velocity).norm() * b.mass)
        .sum();
    let state = s.run_on(4, 1, 100);
    assert!((sum(&state.bodies) - sum(&s.bodies)).norm() < 1e-13 * scale);
    assert!(
        measure::kinetic_energy(&state.bodies).value()
            < 0.5 * measure::kinetic_energy(&s.bodies).value()
    );
}

/// Validation H9: ten thousand times round, and the way it has gone is v t.
#[test]
fn h9_ten_thousand_turns() {
    let mut s = Scene::new([-1.0, 0.0, 0.0], [1.0, 5.0, 5.0], 0.01);
    s.periodic = [true, false, true];
    s.sphere([0.3, 2.0, 1.0], 0.2, 1.0);
    s.solver.block_edge = Some(2.0);
    s.bodies[0].velocity = [20.0, 0.0, -12.0];
    s.solver.skin = Some(0.01);
    let start = Vector3::from(s.bodies[0].position);
    for ranks in [1, 2] {
        let steps = 100_000 / ranks as u64;
        let state = s.run_on(ranks, 1, steps);
        let period = Period::of_box(&s.lower, &s.upper, s.periodic);
        let way = measure::way(&state.bodies[0], &period) - start;
        let expected = Vector3::new(20.0, 0.0, -12.0) * (0.01 * steps as f64);
        let off = (way - expected).norm() / expected.norm();
        record(
            "H9",
            &format!("relative error of the way after many turns, {ranks} ranks"),
            off,
            0.0,
            1e-9,
        );
        assert!(turns(&state) >= 10_000 / ranks as i64);
        let x = Vector3::from(state.bodies[0].position);
        assert!((-1.0..1.0).contains(&x.x) && (0.0..5.0).contains(&x.z));
    }
}

/// H9: a pair that touches across the end of the period, or across its corner, feels what a pair in the middle feels.
#[test]
fn h9_a_contact_across_the_end_equals_one_inside() {
    for way in [
        [2.0, 0.0, 0.0],
        [0.0, 2.0, 0.0],
        [0.0, 0.0, 2.0],
        [1.2, 1.6, 0.0],
    ] {
        let pair = |at: [f64; 3]| {
            let mut s = Scene::new([0.0; 3], [10.0; 3], 0.01);
            s.periodic = [true; 3];
            s.friction = 0.3;
            let period = Period::of_box(&s.lower, &s.upper, s.periodic);
            for (share, v) in [(-0.5, 1.0), (0.5, -1.0)] {
                let x = Vector3::from(at) + Vector3::from(way) * share;
                let i = s.sphere(period.wrapped(&x).0.into(), 1.0, 1.0);
                s.bodies[i].velocity = [0, 1, 2].map(|k| v * way[k] + 0.3 * (k as f64) * v);
            }
            s
        };
        let (inside, across) = (pair([5.0; 3]).run(1), pair([0.0; 3]));
        for ranks in [1, 2, 8] {
            let across = across.run_on(ranks, 1, 1);
            let impulse = |s: &State| s.impulse(BodyId(0), BodyId(1));
            assert!(impulse(&inside).norm() > 0.1);
            let off = (impulse(&inside) - impulse(&across)).norm();
            record(
                "H9",
                "impulse across the end against that inside [N s]",
                off,
                0.0,
                1e-13,
            );
            assert!((inside.velocity(0) - across.velocity(0)).norm() < 1e-13);
        }
    }
}

/// An axis with room for one way round only: a body whose box is wider than half the period is refused, not misjudged.
#[test]
fn a_period_too_narrow_for_one_image_is_told() {
    let mut s = Scene::new([0.0; 3], [3.0, 10.0, 10.0], 0.01);
    s.periodic = [true, false, false];
    s.sphere([1.0, 5.0, 5.0], 1.0, 1.0);
    let error = s.try_run(1, 1, 1).unwrap_err().to_string();
    assert!(error.contains("body 0"), "{error}");
    let _: &Partition = &s.partition(1);
}
