//! The iterations of Bagi and Bojtár [004 §6.2.3], number by number.

use super::scene::Scene;
use super::{W, scene, springs, statics};
use moreau::body::BodyId;
use moreau::law::PairTable;
use moreau::math::Vector3;
use moreau::scheme::StepError;
use moreau::scheme::acts::{Field, Pull, Support};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::{HalfSpace, Region, Spell};

/// The residual after so many iterations with a resistance ρ [N/m].
fn residual_after(mut s: Scene, iterations: u64, resistance: f64) -> f64 {
    s.statics = s.statics.map(|of| Statics {
        resistance: Some(resistance),
        max_iterations: iterations,
        tolerance: 1e-12,
        linear_tolerance: 1e-14,
        ..of
    });
    left_of(&s)
}

/// The residual that is left when iterations are over, before they show whether it stays.
fn left_of(s: &Scene) -> f64 {
    match s.try_run(1, 1, 1) {
        Err(StepError::OutOfIterations { residual, .. }) => residual,
        other => panic!("{other:?}"),
    }
}

/// A column of ten under a weight. Forces along the axis are linear; a large weight keeps rounding
/// small.
fn column(weight: f64) -> Scene {
    let mut s = scene([-3.0, -3.0, -1.0], [3.0, 3.0, 22.0], 0.5);
    s.gravity = Vector3::new(0.0, 0.0, -weight);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    for k in 0..10 {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
    }
    s
}

/// F3: the residuals of a column of ten fall by ρ/(λ + ρ), `λ = 4 sin²(π/42)` being the lowest
/// eigenvalue of its motion along the axis.
#[test]
fn f3_residuals_of_a_column_fall_by_one_factor() {
    let factor = residual_after(column(1e-2), 14, 0.01) / residual_after(column(1e-2), 13, 0.01);
    assert!((factor - 0.309230395419).abs() < 1e-6, "{factor}");
}

/// Two discs that touch, pressed together by `load` on each.
fn pair(load: f64) -> Scene {
    let mut s = scene([-4.0, -3.0, -0.5], [4.0, 3.0, 0.5], 0.5);
    s.gravity = Vector3::zeros();
    s.sphere([-1.0, 0.0, 0.0], 1.0, 1.0);
    s.sphere([1.0, 0.0, 0.0], 1.0, 1.0);
    let towards = |side: f64| Field {
        region: Some(Region::HalfSpace(HalfSpace {
            point: Vector3::zeros(),
            normal: Vector3::x() * side,
        })),
        spell: Spell::ALWAYS,
        pull: Pull::Force(Vector3::x() * -side * load),
        factor: None,
    };
    s.acts.fields = vec![towards(1.0), towards(-1.0)];
    s.statics = Some(Statics {
        planar: true,
        ..statics()
    });
    s
}

/// F7: each solve leaves the share `q = ρ/(2 k_n + ρ)` of the unbalanced force. The first shortens
/// the pair by `2F/(2 k_n + ρ)`.
#[test]
fn f7_each_solve_leaves_the_share_of_the_resistance() {
    let q = 0.01 / 2.01_f64;
    for n in [1, 2] {
        // The contact then carries the rest.
        let expected = q.powi(n) / (1.0 - q.powi(n));
        let found = residual_after(pair(1e-2), n as u64, 0.01);
        assert!((found / expected - 1.0).abs() < 1e-8, "{n}: {found:e}");
    }
}

/// F7: where nothing slides, the answer does not depend on ρ.
#[test]
fn f7_the_answer_does_not_depend_on_the_resistance() {
    let load = 1e-2;
    for resistance in [1e-4, 1e-2, 1.0] {
        let mut s = pair(load);
        s.statics = s.statics.map(|of| Statics {
            resistance: Some(resistance),
            tolerance: 1e-12,
            ..of
        });
        let end = s.run(1);
        let shorter = 2.0 - (end.position(1) - end.position(0)).norm();
        assert!(
            (shorter / load - 1.0).abs() < 1e-9,
            "{resistance}: {shorter}"
        );
    }
}

/// Three logs of these frictions: two that touch on a floor, one on top.
pub(super) fn logs(of_logs: f64, of_floor: f64) -> Scene {
    let mut s = scene([-5.0, -1.0, -0.5], [5.0, 6.0, 0.5], 0.0);
    s.gravity = Vector3::new(0.0, -W, 0.0);
    s.pairs = Some(PairTable::new(2, |a, b| match (a, b) {
        (0, 0) => springs(of_logs),
        _ => springs(of_floor),
    }));
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.walls[0].material = 1;
    for at in [[-1.0, 1.0], [1.0, 1.0], [0.0, 1.0 + 3.0_f64.sqrt()]] {
        s.sphere([at[0], at[1], 0.0], 1.0, 1.0);
    }
    s.statics = Some(Statics {
        planar: true,
        ..statics()
    });
    s
}

/// F12: three logs stand where their friction is at least tan 15° and that of the floor a third of
/// it; the upper log then sinks by 2.143593539449 W.
#[test]
fn f12_three_logs_stand_by_their_friction() {
    let (of_logs, of_floor) = (0.267949192431, 0.089316397477);
    for (a, b) in [(1.0002 * of_logs, 1.0), (1.0, 1.0002 * of_floor)] {
        let end = logs(a, b).run(1);
        let drop = 1.0 + 3.0_f64.sqrt() - end.position(2).y;
        assert!((drop / W - 2.143593539449).abs() < 1e-3, "{}", drop / W);
        for k in 0..2 {
            let floor = end.impulse(BodyId(k), BodyId::wall(0)) / end.clock.1;
            assert!((floor.y / W + 1.5).abs() < 1e-4, "{}", floor.y / W);
            // The forces of both contacts of a lower log meet at its foot.
            assert!((floor.x.abs() / W - 1.5 * of_floor).abs() < 1e-4, "{floor}");
        }
    }
    for (a, b) in [(0.9998 * of_logs, 1.0), (1.0, 0.9998 * of_floor)] {
        let fell = logs(a, b).try_run(1, 1, 1);
        assert!(matches!(fell, Err(StepError::Collapse { .. })), "{fell:?}");
    }
}

/// The relaxations of ten unit springs in a row under a unit weight on each node, always of the node
/// with the largest unbalanced force, until none is above 1e-6; looked at after `every` relaxations.
///
/// `pulls`: the springs also resist tension.
fn relaxations(pulls: bool, every: u64) -> u64 {
    let mut u = [0.0_f64; 10];
    for count in 0.. {
        let shorter: Vec<f64> = (0..10)
            .map(|k| u[k] - if k > 0 { u[k - 1] } else { 0.0 })
            .collect();
        let acts = |k: usize| k < 10 && (pulls || shorter[k] >= -1e-9);
        let force = |k: usize| if acts(k) { shorter[k] } else { 0.0 };
        let left: Vec<f64> = (0..10).map(|k| 1.0 - force(k) + force(k + 1)).collect();
        let worst = left.iter().map(|f| f.abs()).fold(0.0, f64::max);
        if count % every == 0 && worst <= 1e-6 {
            return count;
        }
        let k = left.iter().position(|f| f.abs() == worst).unwrap();
        let held = [k, k + 1].into_iter().filter(|k| acts(*k)).count();
        // A body that nothing holds has a fictitious stiffness.
        u[k] += left[k] / if held > 0 { held as f64 } else { 0.1 };
    }
    unreachable!()
}

/// F3: Kishino's relaxations of the largest unbalanced force in a column of ten are those of springs
/// in a row: 5065 to 1e-6 of a weight where they also pull.
#[test]
fn f3_relaxations_of_a_column() {
    let springs = relaxations(true, 1);
    assert!(springs.abs_diff(5065) <= 50, "{springs}");
    let mut s = column(1e-4);
    // Nothing moves but along the axis.
    s.acts.supports = vec![Support {
        region: None,
        stiffness: Vector3::new(1.0, 1.0, 0.0),
        rotational: Vector3::repeat(1.0),
    }];
    // The mean force is 5.5 weights.
    s.statics = Some(Statics {
        method: Method::Kishino(Select::Largest),
        tolerance: 1e-6 / 5.5,
        ..statics()
    });
    for pulls in [false, true] {
        if pulls {
            s.bonds = vec![super::bonds::glue(f64::INFINITY)];
        }
        let end = s.run(1);
        let found = end.done[0].tally.unwrap().products;
        // A sweep is ten relaxations; equal forces may differ by rounding.
        let expected = relaxations(pulls, 10);
        println!("{found} relaxations, {expected} of springs");
        assert!(
            found.abs_diff(expected) <= expected / 100,
            "{found}, {expected}"
        );
    }
}

/// F3: with one body in each block, Kishino's relaxations are red-black Gauss–Seidel. In a column of
/// ten springs their error falls by cos²(π/20) in a sweep, as in any cyclic order.
#[test]
fn f3_a_cyclic_order_has_the_factor_of_gauss_and_seidel() {
    let mut s = column(1e-3);
    (s.lower.z, s.upper.z) = (0.0, 21.0);
    s.solver.block_edge = Some(2.1);
    let partition = s.partition(1);
    let grid = partition.grid();
    let blocks = (0..10).map(|k| grid.linear(grid.block_of(&s.bodies[k].position.into())));
    let blocks: std::collections::BTreeSet<u64> = blocks.collect();
    assert_eq!(blocks.len(), 10, "one body in each block");
    s.acts.supports = vec![Support {
        region: None,
        stiffness: Vector3::new(1.0, 1.0, 0.0),
        rotational: Vector3::repeat(1.0),
    }];
    // An iteration that settings allow is a hundred sweeps. Contacts that open do so in the first.
    let after = |hundreds: u64| {
        let mut s = s.clone();
        s.statics = Some(Statics {
            method: Method::Kishino(Select::Block),
            tolerance: 1e-11,
            max_iterations: hundreds,
            ..statics()
        });
        left_of(&s)
    };
    let factor = (after(7) / after(6)).powf(0.01);
    println!("{factor:.12} a sweep");
    assert!((factor - 0.975528258148).abs() < 1e-6, "{factor}");
}

/// A column that two planes press alike from both ends: each error has an equal one, on another rank
/// where there are several. Of equal ones the smaller id moves first, on any ranks.
#[test]
fn of_equal_errors_the_smaller_id_moves_first() {
    // Powers of two: no sum is rounded, and the two halves stay alike.
    let overlap = 0.5_f64.powi(12);
    let mut s = scene([-3.0, -3.0, -9.0], [3.0, 3.0, 9.0], 0.0);
    s.gravity = Vector3::zeros();
    for side in [-1.0, 1.0] {
        s.plane([0.0, 0.0, side * (8.0 - overlap)], [0.0, 0.0, -side]);
    }
    for k in 0..8 {
        s.sphere([0.0, 0.0, -7.0 + 2.0 * f64::from(k)], 1.0, 1.0);
    }
    s.statics = Some(Statics {
        method: Method::Kishino(Select::Largest),
        tolerance: 1e-6,
        max_iterations: 10_000,
        ..statics()
    });
    let alone = s.run(1);
    // The first to move is ahead of its mirror image.
    let ahead = |k: usize| alone.position(k).z + alone.position(7 - k).z;
    assert!((0..4).any(|k| ahead(k) != 0.0), "the order counts");
    for ranks in [2, 3, 4] {
        assert!(s.run_on(ranks, 1, 1).same_bits(&alone), "{ranks} ranks");
    }
}
