//! Packings: stress against load, compliant contacts at any number of bodies, projection of positions.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::{BodyRow, Freedom, Motion, Wall};
use moreau::contact::ContactRow;
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::measure;
use moreau::rng::{Purpose, Stream};
use moreau::shape::{HalfSpace, Period, Surface};
use moreau::solver::Projection;
use scene::{Scene, State, record, record_fact};
use std::collections::BTreeSet;

const LOAD: f64 = 20.0;

/// Some 290 spheres of ±10 %, periodic sideways, pressed by a piston in zero gravity.
fn pressed(pair: Pair) -> Scene {
    let (r, cell, side, layers) = (0.005, 0.0112, 6, 8);
    let width = f64::from(side) * cell;
    let top = f64::from(layers) * cell;
    let mut s = Scene::new([0.0, 0.0, -0.005], [width, width, top + 0.01], 2e-4);
    s.periodic = [true, true, false];
    s.pair = Some(pair);
    s.solver.tolerance = 1e-4;
    s.solver.max_sweeps = 1000;
    for k in 0..side * side * layers {
        let mut draw = Stream::new(Purpose::Trial, 81, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side];
        let position = site.map(|i| (f64::from(i) + 0.5 + draw.between(-0.02, 0.02)) * cell);
        s.glass_sphere(position, r * draw.between(0.9, 1.1));
    }
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    let surface = Surface::Plane(HalfSpace {
        point: Vector3::new(0.0, 0.0, top),
        normal: -Vector3::z(),
    });
    s.walls.push(Wall {
        motion: Motion::Free(Freedom {
            mass: 0.5,
            inertia: None,
            turning: None,
            direction: Some(Vector3::z()),
            load: Vector3::new(0.0, 0.0, -LOAD),
            pressure: 0.0,
            gravity: false,
            factor: None,
        }),
        ..Wall::fixed("piston".to_owned(), surface, 0)
    });
    s
}

/// Love–Weber: `σ = Σ_c F ⊗ l / V`, compression positive, over all contacts; l from centre to centre, or to the wall.
fn stress(s: &Scene, state: &State, height: f64) -> [[f64; 3]; 3] {
    let period = Period::of_box(&s.lower, &s.upper, s.periodic);
    let volume = (s.upper.x - s.lower.x) * (s.upper.y - s.lower.y) * height;
    let mut sum = [[0.0; 3]; 3];
    for c in &state.contacts {
        let a = state.position(c.key.a.0 as usize);
        let branch = match c.key.b.wall_index() {
            Some(_) => period.difference(&a, &Vector3::from(c.point)),
            None => period.difference(&a, &state.position(c.key.b.0 as usize)),
        };
        for (row, r) in sum.iter_mut().zip(c.impulse) {
            for (entry, l) in row.iter_mut().zip(branch.iter()) {
                *entry += r / s.dt * l / volume;
            }
        }
    }
    sum
}

/// C5: at rest the Love–Weber stress is that of the piston, F/L², and symmetric; with cohesion too.
#[test]
fn c5_stress_is_that_of_the_load() {
    let soft = Pair {
        compliance: 1.0 / 1e5,
        ..Pair::coulomb(0.5)
    };
    let sticky = Pair {
        cohesion: 0.05,
        cohesion_range: 1e-4,
        ..soft
    };
    for (name, pair) in [("dry", soft), ("cohesive", sticky)] {
        let s = pressed(pair);
        let state = s.run(6000);
        let height = 8.0 * 0.0112 + state.walls[1].displacement.z;
        let area = s.upper.x * s.upper.y;
        let pressure = LOAD / area;
        // Rattlers fly on for ever.
        let active = state.contacts.iter().filter(|c| c.status != 0);
        let held: BTreeSet<u64> = active.flat_map(|c| [c.key.a.0, c.key.b.0]).collect();
        let bodies = state.bodies.iter().filter(|b| held.contains(&b.id.0));
        let bodies: Vec<BodyRow> = bodies.copied().collect();
        let energy = measure::kinetic_energy(&bodies).value();
        let scale = pressure * 1e-6 * state.bodies.len() as f64;
        assert!(
            energy / scale < 1e-6,
            "{name}: not at rest, {:e}",
            energy / scale
        );
        let sigma = stress(&s, &state, height);
        record(
            "C5",
            &format!("σ_zz of a {name} packing [Pa]"),
            sigma[2][2],
            pressure,
            0.01 * pressure,
        );
        let skew = (0..3).flat_map(|i| (0..i).map(move |j| (i, j)));
        let skew = skew
            .map(|(i, j)| (sigma[i][j] - sigma[j][i]).abs())
            .fold(0.0, f64::max);
        record(
            "C5",
            &format!("largest skew part of σ, {name} [Pa]"),
            skew,
            0.0,
            1e-3 * pressure,
        );
    }
}

/// Projection: after loose solves overlaps are an order of magnitude smaller than without, kinetic energy is not larger, and the
/// ledger says what it did.
#[test]
fn projection_takes_overlaps_back() {
    let run = |sweeps: u64| {
        let mut s = pressed(Pair::coulomb(0.5));
        s.solver.tolerance = 3e-2;
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.solver.projection = Projection {
            sweeps,
            fraction: 0.1,
        };
        let state = s.run_on(2, 1, 600);
        let deepest = state.contacts.iter().map(|c| -c.gap).fold(0.0, f64::max) / 0.0045;
        let projected: f64 = state.done.iter().map(|d| d.projected).sum();
        (deepest, projected)
    };
    let ((deep, none), (shallow, some)) = (run(0), run(5));
    assert!(shallow < 0.3 * deep, "{shallow:e} against {deep:e}");
    assert!(none == 0.0 && some > 0.0, "{some:e} J lifted");
}

/// A regular pile of touching spheres on a floor, periodic sideways, under gravity: n³ of them, compliance c = C m_n/Δt².
fn pile(n: usize, c: f64, friction: f64) -> Scene {
    let a = 1.02;
    let h = (1.0_f64 - a * a / 2.0).sqrt();
    let width = n as f64 * a;
    let mut s = Scene::new([0.0, 0.0, -0.1], [width, width, n as f64 * h + 1.0], 1e-2);
    s.periodic = [true, true, false];
    s.gravity = Vector3::new(2.0, 0.0, -10.0);
    s.solver.tolerance = 1e-6;
    s.solver.max_sweeps = 3000;
    s.pair = Some(Pair {
        compliance: c * s.dt * s.dt / 0.5,
        ..Pair::coulomb(friction)
    });
    for layer in 0..n {
        for k in 0..n * n {
            let shift = if layer % 2 == 0 { 0.25 } else { 0.75 };
            let [x, y] = [k % n, k / n].map(|i| (i as f64 + shift) * a);
            s.sphere([x, y, 0.5 + layer as f64 * h], 0.5, 1.0);
        }
    }
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s
}

/// Sweeps to a residual of 1e-6 in the last of so many steps.
fn sweeps(n: usize, friction: f64, steps: u64, seed: u64) -> f64 {
    let mut s = pile(n, 0.1, friction);
    s.solver.seed = seed;
    let state = s.run(steps);
    let last = state.done.last().unwrap().outcome;
    assert!(last.verdict.converged);
    last.sweeps as f64
}

/// Sweeps at n³ bodies over those at 1000.
///
/// From cold where all contacts stick and where all slide without friction; where half of them slide
/// on the cone, in the third step (from cold such a pile is slower the larger it is:
/// docs/decisions.md).
fn compare(n: usize) {
    for (friction, steps) in [(0.0, 1), (10.0, 1), (0.5, 3)] {
        // A single solve takes a fifth more or less, by the order of its contacts.
        let seeds = match (n > 16, friction == 0.5) {
            (true, false) => 1..=1,
            (true, true) => 1..=3,
            _ => 1..=10,
        };
        let count = seeds.clone().count() as f64;
        let mean = |n| {
            let each = seeds.clone().map(|seed| sweeps(n, friction, steps, seed));
            each.sum::<f64>() / count
        };
        let ratio = mean(n) / mean(10);
        let bodies = n * n * n;
        let what = format!("sweeps to 1e-6 at N = {bodies} over those at 1000, μ = {friction}");
        if n > 16 && friction == 0.5 {
            // Rigid piles grow as N^(2/3) (B3). A quarter of the exponent:
            let bound = (bodies as f64 / 1000.0).powf(1.0 / 6.0);
            println!("{what}: {ratio}");
            record_fact(
                "compliance",
                &format!("{what}, below N^(1/6)"),
                ratio < bound,
            );
        } else {
            record("compliance", &what, ratio, 1.0, 0.2);
        }
    }
}

#[test]
fn compliant_piles_take_the_same_sweeps_at_any_size() {
    compare(16);
}

#[test]
#[ignore = "slow: 10 648 and 97 336 bodies"]
fn compliant_piles_take_nearly_the_same_sweeps_at_a_hundred_thousand() {
    compare(22);
    compare(46);
}

/// Two seeds, which order the sweeps differently, find the same forces in a pressed packing with friction whose contacts are
/// compliant, both from cold.
#[test]
fn compliant_forces_do_not_depend_on_the_seed() {
    let dt = 2e-4;
    let mass = 2500.0 * moreau::shape::sphere_volume(0.005);
    let soft = Pair {
        compliance: 0.1 * dt * dt / (0.5 * mass),
        ..Pair::coulomb(0.5)
    };
    let mut s = pressed(soft);
    s.bodies = s.run(3000).bodies;
    s.walls[1].surface = Surface::Plane(HalfSpace {
        point: Vector3::new(0.0, 0.0, top_of(&s)),
        normal: -Vector3::z(),
    });
    let spread = |pair: Pair, tolerance: f64| {
        let forces = |seed: u64| {
            let mut s = s.clone();
            s.pair = Some(pair);
            s.solver.seed = seed;
            s.solver.tolerance = tolerance;
            s.solver.max_sweeps = 20_000;
            let state = s.run(1);
            assert!(state.all_converged(), "{:?}", state.done[0].outcome);
            state.contacts
        };
        let (one, two) = (forces(1), forces(2));
        let (off, all) = difference(&one, &two);
        (off / all).sqrt()
    };
    let compliant = spread(soft, 1e-9);
    record(
        "compliance",
        "relative spread of contact forces over seeds, residual 1e-9",
        compliant,
        0.0,
        1e-6,
    );
}

/// Sweeps of the last of so many steps, plain with the order renewed in each, and with momentum.
fn plain_and_accelerated(s: &Scene, steps: u64) -> [f64; 2] {
    [true, false].map(|plain| {
        let mut s = s.clone();
        if plain {
            s.plain_sweeps();
        }
        let last = s.run(steps).done.pop().unwrap().outcome;
        assert!(last.verdict.converged, "plain {plain}: {last:?}");
        last.sweeps as f64
    })
}

/// Momentum takes at least 2.5 times fewer sweeps than plain ones to 1e-4 where contacts are compliant, from cold (1.8 times where c = 0.03
/// without friction, as plain sweeps are few there: docs/convergence.md), and its count does not depend on the number of bodies.
#[test]
fn momentum_and_compliance() {
    // Where c = 0.03 without friction, piles of 8, 10, 12, 16, 22 layers take 49, 51, 55, 59, 60: that of 12 is the first that is large enough.
    for (c, friction, least, n) in [
        (0.03, 0.0, 1.8, 12),
        (0.03, 10.0, 2.5, 8),
        (0.01, 0.0, 2.5, 8),
        (0.01, 10.0, 2.5, 8),
    ] {
        let of = |n: usize| {
            let mut s = pile(n, c, friction);
            s.solver.tolerance = 1e-4;
            plain_and_accelerated(&s, 1)
        };
        let ([plain, few], [_, many]) = (of(n), of(16));
        println!("c {c}, μ {friction}: {plain} plain, {few} and {many} accelerated");
        assert!(
            plain / few >= least,
            "c {c}, μ {friction}: {plain} and {few}"
        );
        let what = format!(
            "accelerated sweeps to 1e-4 at N = 4096 over those at {}, c = {c}, μ = {friction}",
            n * n * n
        );
        record("compliance", &what, many / few, 1.0, 0.2);
    }
}

/// Momentum finds the forces that plain sweeps find, where there is one answer.
#[test]
fn momentum_finds_the_same_forces() {
    let mut s = pile(6, 0.1, 10.0);
    s.solver.tolerance = 1e-10;
    let forces = |s: &Scene| {
        let state = s.run(3);
        assert!(state.all_converged());
        state.contacts
    };
    let accelerated = forces(&s);
    s.plain_sweeps();
    let plain = forces(&s);
    let (off, all) = difference(&plain, &accelerated);
    assert!((off / all).sqrt() < 1e-7, "{off} of {all}");
}

/// At μ = 5, which grains do not have, some warm steps take more with momentum (8 in place of 1 in the fifth step of this pile), but the steps
/// from cold to rest take fewer in all.
#[test]
fn momentum_takes_fewer_sweeps_in_all_at_high_friction() {
    let mut s = pile(10, 0.0, 0.0);
    s.pair = Some(Pair::coulomb(5.0));
    s.gravity.x = 0.0;
    s.solver.max_sweeps = 20_000;
    s.solver.tolerance = 1e-3;
    let each = (1..=8).map(|steps| plain_and_accelerated(&s, steps));
    let sums = each.fold([0.0; 2], |[a, b], [plain, fast]| [a + plain, b + fast]);
    println!("{} plain, {} accelerated", sums[0], sums[1]);
    assert!(sums[1] < 0.5 * sums[0], "{sums:?}");
}

/// Up to μ = 1 momentum takes at most a tenth more sweeps than plain ones, and one: rigid piles from cold and warm, at coarse and fine tolerances.
#[test]
fn momentum_takes_no_more_sweeps_at_the_frictions_of_grains() {
    for n in [4, 6, 8] {
        for friction in [0.0, 0.3, 1.0] {
            for (tolerance, steps) in [(1e-1, 1), (1e-2, 1), (1e-3, 1), (1e-3, 2), (1e-3, 8)] {
                let mut s = pile(n, 0.0, friction);
                s.pair = Some(Pair::coulomb(friction));
                s.gravity.x = 0.0;
                s.solver.max_sweeps = 20_000;
                s.solver.tolerance = tolerance;
                let [plain, accelerated] = plain_and_accelerated(&s, steps);
                let what = format!("n {n}, μ {friction}, {tolerance:e} in step {steps}");
                println!("{what}: {plain} and {accelerated}");
                assert!(
                    accelerated <= 1.1 * plain + 1.0,
                    "{what}: {plain} and {accelerated}"
                );
            }
        }
    }
}

/// A cold start finds the same forces as the warm one, in more sweeps; tangential springs remember what they did.
#[test]
fn a_cold_start_finds_the_same_forces() {
    let mut s = pile(6, 0.1, 10.0);
    s.solver.tolerance = 1e-10;
    let of = |warm_start: bool| {
        let mut s = s.clone();
        s.solver.warm_start = warm_start;
        let state = s.run(30);
        let sweeps = state.done.last().unwrap().outcome.sweeps;
        (state.contacts, sweeps)
    };
    let ((warm, few), (cold, many)) = (of(true), of(false));
    assert!(few < many, "{few} and {many} sweeps");
    let (off, all) = difference(&warm, &cold);
    assert!((off / all).sqrt() < 1e-7, "{off} of {all}");
}

/// Squares of the impulses' differences, and of the impulses, over all contacts of two states.
fn difference(one: &[ContactRow], other: &[ContactRow]) -> (f64, f64) {
    let (mut off, mut all) = (0.0, 0.0);
    assert_eq!(one.len(), other.len());
    for (a, b) in one.iter().zip(other) {
        assert_eq!(a.key, b.key);
        off += (Vector3::from(a.impulse) - Vector3::from(b.impulse)).norm_squared();
        all += Vector3::from(a.impulse).norm_squared();
    }
    assert!(all > 0.0);
    (off, all)
}

fn top_of(s: &Scene) -> f64 {
    let tops = s.bodies.iter().map(|b| b.position[2] + b.radius);
    tops.fold(0.0, f64::max) - 1e-6
}
