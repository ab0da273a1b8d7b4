//! Quasi-static schemes against formulas [004]: stiffness k_n = 1, k_t = 0.5, radius 1.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "quasistatic/bonds.rs"]
mod bonds;
#[path = "quasistatic/by_both.rs"]
mod by_both;
#[path = "quasistatic/cells.rs"]
mod cells;
#[path = "quasistatic/collapse.rs"]
mod collapse;
#[path = "quasistatic/couples.rs"]
mod couples;
#[path = "quasistatic/direct.rs"]
mod direct;
#[path = "quasistatic/edges.rs"]
mod edges;
#[path = "quasistatic/ends.rs"]
mod ends;
#[path = "quasistatic/geometric.rs"]
mod geometric;
#[path = "quasistatic/iterations.rs"]
mod iterations;
#[path = "quasistatic/jumps.rs"]
mod jumps;
#[path = "quasistatic/linear.rs"]
mod linear;
#[path = "quasistatic/matrices.rs"]
mod matrices;
#[path = "quasistatic/modes.rs"]
mod modes;
#[path = "quasistatic/moduli.rs"]
mod moduli;
mod scene;
#[path = "quasistatic/sliding.rs"]
mod sliding;
#[path = "quasistatic/starts.rs"]
mod starts;
#[path = "quasistatic/stress.rs"]
mod stress;
#[path = "quasistatic/supports.rs"]
mod supports;

use moreau::body::{BodyId, Freedom, Motion, Signal};
use moreau::law::{Arm, Pair, PairTable};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::StepError;
use moreau::scheme::quasistatic::{Method, Select, Statics};
use scene::{Scene, lift, plane};

/// Weight of a body; formulas hold to first order in it.
const W: f64 = 1e-5;

fn springs(friction: f64) -> Pair {
    Pair {
        compliance: 1.0,
        tangential_ratio: 0.5,
        ..Pair::coulomb(friction)
    }
}

fn statics() -> Statics {
    Statics {
        tolerance: 1e-9,
        linear_tolerance: 1e-10,
        ..Statics::default()
    }
}

/// Balls of radius 1 and weight W under gravity.
fn scene(lower: [f64; 3], upper: [f64; 3], friction: f64) -> Scene {
    let mut s = Scene::new(lower, upper, 1.0);
    s.gravity = Vector3::new(0.0, 0.0, -W);
    s.pair = Some(springs(friction));
    s.statics = Some(statics());
    s
}

/// F3: the top of a column sinks by W N (N + 1)/(2k).
#[test]
fn f3_a_column_settles_by_its_weight() {
    let mut s = scene([-3.0, -3.0, -1.0], [3.0, 3.0, 22.0], 0.5);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    for k in 0..10 {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
    }
    let end = s.run(1);
    let sunk = 19.0 - end.position(9).z;
    assert!((sunk / (55.0 * W) - 1.0).abs() < 1e-7, "{sunk:e}");
    assert!(end.all_converged());
    let floor = end.impulse(BodyId(0), BodyId::wall(0));
    assert!((floor.z / (-10.0 * W) - 1.0).abs() < 1e-9, "{floor}");
}

/// A disc in a groove of 90° between two planes.
fn groove(friction: f64, method: Method) -> Scene {
    let mut s = scene([-4.0, -4.0, -0.5], [4.0, 4.0, 0.5], friction);
    s.gravity = Vector3::new(0.0, -W, 0.0);
    for side in [-1.0, 1.0] {
        let n = Vector3::new(side, 1.0, 0.0) / 2.0_f64.sqrt();
        s.plane((-n).into(), n.into());
    }
    s.sphere([0.0; 3], 1.0, 1.0);
    s.statics = Some(Statics {
        planar: true,
        method,
        ..statics()
    });
    s
}

/// F14: a disc in a groove of 90°: `N = W √½ k_n/(k_n + k_t)`-like forces where it sticks on both
/// sides, and those of the cone where it slides.
#[test]
fn f14_a_disc_in_a_groove() {
    let cases = [
        (0.6, 0.471404520791, 2.0 / 3.0),
        (0.3, 0.543928293220, 1.0 / 1.3),
    ];
    for (friction, normal, sunk) in cases {
        for method in [
            Method::BagiBojtar,
            Method::Kishino(Select::Block),
            Method::Kishino(Select::Largest),
        ] {
            let end = groove(friction, method).run(1);
            let y = -end.position(0).y;
            assert!(
                (y / (W * sunk) - 1.0).abs() < 3.0 * W,
                "{friction} {method:?}: {}",
                y / W
            );
            for (wall, side) in [(0, -1.0), (1, 1.0)] {
                let n = Vector3::new(-side, -1.0, 0.0) / 2.0_f64.sqrt();
                let found = end.impulse(BodyId(0), BodyId::wall(wall)).dot(&n);
                assert!(
                    (found / (W * normal) - 1.0).abs() < 3.0 * W,
                    "{friction} {method:?}: {}",
                    found / W
                );
            }
        }
    }
}

/// F14: where the disc sticks on both sides, one relaxation of Kishino's balances it: its contacts
/// are linear in its displacement. Where it slides, the limit of friction takes more of them.
#[test]
fn f14_one_relaxation_balances_a_disc_that_sticks() {
    for select in [Select::Block, Select::Largest] {
        let of = |friction| {
            let end = groove(friction, Method::Kishino(select)).run(1);
            let tally = end.done[0].tally.unwrap();
            // A sweep over one body is one relaxation.
            assert_eq!(tally.products, tally.iterations);
            (tally.parts, tally.products)
        };
        assert_eq!(of(0.6), (1, 1), "{select:?}");
        assert!(of(0.3).1 > 1, "{select:?}");
    }
}

/// Balls of friction `of_balls` on a floor of friction `of_floor`: three that touch, one on top.
fn pyramid(of_balls: f64, of_floor: f64, method: Method) -> Scene {
    let mut s = scene([-4.0, -4.0, -1.0], [4.0, 4.0, 6.0], 0.0);
    s.pairs = Some(PairTable::new(2, |a, b| match (a, b) {
        (0, 0) => springs(of_balls),
        _ => springs(of_floor),
    }));
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s.walls[0].material = 1;
    let around = 2.0 / 3.0_f64.sqrt();
    for k in 0..3 {
        let angle = f64::from(k) * std::f64::consts::TAU / 3.0;
        s.sphere([around * angle.cos(), around * angle.sin(), 1.0], 1.0, 1.0);
    }
    s.sphere([0.0, 0.0, 1.0 + (8.0_f64 / 3.0).sqrt()], 1.0, 1.0);
    s.statics = Some(Statics {
        method,
        ..statics()
    });
    s
}

/// F12: a pyramid of four balls stands where the friction between balls is at least tan(θ/2), that
/// of the floor a quarter of it, and its forces are those of statics.
#[test]
fn f12_a_pyramid_stands_by_its_friction() {
    let (balls, floor) = (0.317837245196, 0.079459311299);
    for (of_balls, of_floor) in [(1.0002 * balls, 1.0), (1.0, 1.0002 * floor)] {
        let end = pyramid(of_balls, of_floor, Method::BagiBojtar).run(1);
        let drop = 1.0 + (8.0_f64 / 3.0).sqrt() - end.position(3).z;
        assert!((drop / W - 1.801360685835).abs() < 1e-3, "{}", drop / W);
        for k in 0..3 {
            let top = end.impulse(BodyId(k), BodyId(3));
            let n = (end.position(3) - end.position(k as usize)).normalize();
            let pressed = top.dot(&n);
            let across = (top - n * pressed).norm();
            assert!((pressed / W - 1.0 / 3.0).abs() < 1e-4, "{}", pressed / W);
            assert!((across / W - 0.105945748399).abs() < 1e-4, "{}", across / W);
            let below = end.impulse(BodyId(k), BodyId::wall(0));
            assert!((below.z / W + 4.0 / 3.0).abs() < 1e-4, "{}", below / W);
        }
    }
    for (of_balls, of_floor) in [(0.9998 * balls, 1.0), (1.0, 0.9998 * floor)] {
        let fell = pyramid(of_balls, of_floor, Method::BagiBojtar).try_run(1, 1, 1);
        assert!(matches!(fell, Err(StepError::Collapse { .. })), "{fell:?}");
    }
}

/// Balls in a box that a wall presses together: a jittered cubic lattice.
fn pressed(method: Method) -> Scene {
    let mut s = Scene::new([0.0; 3], [12.5, 12.0, 9.0], 0.1);
    s.gravity = Vector3::new(0.0, 0.0, -1e-4);
    s.pair = Some(springs(0.4));
    let faces = [
        ([0.0; 3], [1.0, 0.0, 0.0]),
        ([12.0; 3], [-1.0, 0.0, 0.0]),
        ([0.0; 3], [0.0, 1.0, 0.0]),
        ([12.0; 3], [0.0, -1.0, 0.0]),
        ([0.0; 3], [0.0, 0.0, 1.0]),
    ];
    faces
        .into_iter()
        .for_each(|(point, normal)| s.plane(point, normal));
    s.walls.push(plane(8.0, -1.0, lift(Signal::Rate(-0.02))));
    let mut draw = Stream::new(Purpose::Trial, 5, [0; 3]);
    for k in 0..144 {
        let at = [k % 6, k / 6 % 6, k / 36].map(|n| 1.0 + 2.0 * f64::from(n));
        let at = at.map(|x| x + draw.between(-0.005, 0.005));
        s.sphere(at, draw.between(1.0, 1.01), 1.0);
    }
    s.solver.block_edge = Some(4.5);
    s.statics = Some(Statics {
        method,
        tolerance: 1e-6,
        max_iterations: 200,
        ..Statics::default()
    });
    s
}

/// The same bits on any number of ranks and threads, with each method that has increments.
#[test]
fn increments_have_the_same_bits_on_any_ranks() {
    for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
        let mut scene = pressed(method);
        // One side holds a load.
        scene.walls[1].motion = Motion::Free(Freedom {
            mass: 1.0,
            inertia: None,
            turning: None,
            direction: Some(Vector3::x()),
            load: Vector3::new(-0.1, 0.0, 0.0),
            pressure: 0.0,
            gravity: false,
            factor: None,
        });
        let alone = scene.run(3);
        assert!(alone.all_converged());
        let side = alone.contacts.iter().filter(|c| c.key.b == BodyId::wall(1));
        let held = side.map(|c| c.impulse[0]).sum::<f64>() / scene.dt;
        assert!((held - 0.1).abs() < 1e-6, "{method:?}: {held}");
        for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = scene.run_on(ranks, threads, 3);
            assert!(
                other.same_bits(&alone),
                "{method:?}, {ranks} ranks, {threads} threads"
            );
        }
    }
}

/// Overlaps at the start are springs: the ledger has their energy, and what walls give is found
/// again in springs where nothing slides.
#[test]
fn the_work_of_walls_is_found_again() {
    let mut s = pressed(Method::BagiBojtar);
    s.pair = Some(springs(1e3));
    s.gravity = Vector3::zeros();
    s.statics = s.statics.map(|statics| Statics {
        tolerance: 1e-8,
        ..statics
    });
    let end = s.run(3);
    let first = end.done[0].outcome.work.prestress;
    assert!(first > 0.0);
    // The first increment begins out of balance.
    for report in &end.done[1..] {
        let work = &report.outcome.work;
        assert!(work.driven > 0.0);
        let off = report.dissipated.abs() / work.driven;
        assert!(off < 1e-3, "{off:e}");
    }
}

/// F17: a free lid presses a chain of four balls, five springs in a row. Its load is held exactly.
#[test]
fn f17_a_free_lid_holds_its_load() {
    let load = 1e-4;
    for method in [
        Method::BagiBojtar,
        Method::Kishino(Select::Block),
        Method::SerranoRodriguez,
    ] {
        let mut s = scene([-3.0, -3.0, -0.5], [3.0, 9.0, 0.5], 0.5);
        s.gravity = Vector3::zeros();
        s.plane([0.0; 3], [0.0, 1.0, 0.0]);
        s.plane([0.0, 8.0, 0.0], [0.0, -1.0, 0.0]);
        s.walls[1].motion = Motion::Free(Freedom {
            mass: 1.0,
            inertia: None,
            turning: None,
            direction: Some(Vector3::y()),
            load: Vector3::new(0.0, -load, 0.0),
            pressure: 0.0,
            gravity: false,
            factor: None,
        });
        for k in 0..4 {
            s.sphere([0.0, 1.0 + 2.0 * f64::from(k), 0.0], 1.0, 1.0);
        }
        // A glued chain must not bend.
        s.pair = Some(Pair {
            bending_stiffness: 1.0,
            rolling: Arm::Length(1.0),
            ..springs(0.5)
        });
        s.statics = Some(Statics {
            planar: true,
            method,
            max_iterations: 1000,
            ..statics()
        });
        let end = s.run(1);
        let sunk = -end.walls[1].displacement.y;
        assert!(
            (sunk / (5.0 * load) - 1.0).abs() < 1e-6,
            "{method:?}: {}",
            sunk / load
        );
        let held = end.impulse(BodyId(3), BodyId::wall(1)).y;
        assert!(
            (held / load - 1.0).abs() < 1e-8,
            "{method:?}: {}",
            held / load
        );
    }
}
