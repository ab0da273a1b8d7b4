//! Loads that change over load time, and springs that hold bodies.

use super::scene::{Scene, State};
use super::{scene, springs, statics};
use moreau::body::{BodyId, Freedom, Motion, Ramp};
use moreau::law::{Pair, Status};
use moreau::math::Vector3;
use moreau::scheme::acts::{Field, Pull, Support};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::{Region, Spell};

/// Unit of force [N]; formulas hold to first order in it.
const P: f64 = 1e-5;

/// Stiffness that keeps a disc from turning [N m/rad]; formulas hold to first order in its inverse.
const HELD: f64 = 1e4;

/// A force on all bodies that takes these values at the ends of increments of 1 s.
fn force(direction: Vector3, values: &[f64]) -> Field {
    let times: Vec<f64> = (1..=values.len()).map(|k| k as f64).collect();
    Field {
        region: None,
        spell: Spell::ALWAYS,
        pull: Pull::Force(direction * P),
        factor: Some(Ramp {
            times: times.into(),
            values: values.into(),
        }),
    }
}

/// F13: a disc on a floor that cannot turn, with a spring of 1 along x. It is pressed and pulled.
fn held(method: Method, weights: &[f64], pulls: &[f64]) -> Scene {
    let mut s = scene([-4.0, -0.5, -0.5], [4.0, 4.0, 0.5], 0.5);
    s.gravity = Vector3::zeros();
    s.dt = 1.0;
    s.pair = Some(Pair {
        tangential_ratio: 1.0,
        ..springs(0.5)
    });
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.sphere([0.0, 1.0, 0.0], 1.0, 1.0);
    s.acts.fields = vec![force(-Vector3::y(), weights), force(Vector3::x(), pulls)];
    s.acts.supports = vec![Support {
        region: None,
        stiffness: Vector3::x(),
        rotational: Vector3::z() * HELD,
    }];
    s.statics = Some(Statics {
        method,
        planar: true,
        max_iterations: 1000,
        ..statics()
    });
    s
}

/// Displacement and friction of the disc, in P.
fn answer(end: &State) -> [f64; 3] {
    let x = end.position(0);
    let friction = end.impulse(BodyId(0), BodyId::wall(0)).x / end.clock.1;
    [x.x / P, (1.0 - x.y) / P, friction / P]
}

const METHODS: [Method; 2] = [Method::BagiBojtar, Method::Kishino(Select::Block)];

/// F13: the disc slides, stays where it is while its weight grows, slides on, and sticks again as
/// the pull falls. The letter of [004] would leave it at 3.5.
#[test]
fn f13_a_disc_sticks_again() {
    let weights = [1.0, 2.0, 2.0, 2.0];
    for method in METHODS {
        let found = [
            (1, [2.0, 2.0, 4.0, 1.0], [1.5, 1.0, 0.5]),
            (2, [2.0, 2.0, 4.0, 1.0], [1.5, 2.0, 0.5]),
            (3, [2.0, 2.0, 4.0, 1.0], [3.0, 2.0, 1.0]),
            (4, [2.0, 2.0, 4.0, 1.0], [1.5, 2.0, -0.5]),
        ];
        for (steps, pulls, expected) in found {
            let end = held(method, &weights, &pulls).run(steps);
            let at = answer(&end);
            let off = (0..3)
                .map(|k| (at[k] - expected[k]).abs())
                .fold(0.0, f64::max);
            assert!(
                off < 5.0 / HELD,
                "{method:?}, {steps}: {at:?}, not {expected:?}"
            );
            let contact = end.contacts.iter().find(|c| c.key.b == BodyId::wall(0));
            assert_ne!(contact.unwrap().status, Status::Open as u64);
        }
    }
}

/// Work of loads is energy of springs where nothing slides: a disc is pulled and let go.
#[test]
fn work_of_growing_loads_is_found_again() {
    for method in METHODS {
        // Half the weight in friction suffices for a pull that two springs share.
        let s = held(method, &[1.0, 1.0, 1.0], &[0.0, 0.5, 0.25]);
        let end = s.run(3);
        let works: Vec<_> = end.done.iter().map(|report| report.forced).collect();
        // The floor springs 1 by the weight; 0.5 shared by two springs of 1.
        let expected = [1.0, 0.0625, -0.5 * 0.375 * 0.25];
        for k in 0..3 {
            let off = (works[k] - expected[k] * P * P).abs();
            let lost = end.done[k].dissipated.abs();
            assert!(off < P * P / HELD, "{method:?} {k}: {:e}", works[k]);
            // The first weight falls from zero at once: half of its work is lost.
            let fell = if k == 0 { 0.5 } else { 0.0 };
            assert!(
                (lost - fell * P * P).abs() < P * P / HELD,
                "{method:?} {k}: {lost:e}"
            );
        }
    }
}

/// A support resists by its stiffness along each axis and about it, whatever holds the body else.
#[test]
fn a_body_hangs_in_its_springs() {
    for method in METHODS.into_iter().chain([Method::SerranoRodriguez]) {
        let mut s = Scene::new([-3.0; 3], [9.0, 3.0, 3.0], 1.0);
        s.pair = Some(springs(0.5));
        s.sphere([0.0; 3], 1.0, 2.0);
        s.sphere([4.0, 0.0, 0.0], 1.0, 3.0);
        s.gravity = Vector3::new(1.0, -2.0, 3.0) * P;
        let k = Vector3::new(4.0, 2.0, 5.0);
        s.acts.supports = vec![Support {
            region: None,
            stiffness: k,
            rotational: Vector3::repeat(1.0),
        }];
        s.statics = Some(Statics {
            method,
            ..statics()
        });
        let end = s.run(1);
        for (i, mass) in [(0, 2.0), (1, 3.0)] {
            let place = Vector3::x() * 4.0 * i as f64;
            let moved = end.position(i) - place;
            let expected = (s.gravity * mass).component_div(&k);
            let off = (moved - expected).norm() / P;
            assert!(off < 1e-8, "{method:?} {i}: {moved:?}");
        }
    }
}

/// The load of a free wall follows its factor in every increment.
#[test]
fn a_lid_is_loaded_and_unloaded() {
    let mut s = scene([-3.0, -3.0, -0.5], [3.0, 9.0, 0.5], 0.5);
    s.gravity = Vector3::zeros();
    s.dt = 1.0;
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.plane([0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    s.walls[1].motion = Motion::Free(Freedom {
        mass: 1.0,
        inertia: None,
        turning: None,
        direction: Some(Vector3::y()),
        load: Vector3::new(0.0, -P, 0.0),
        pressure: 0.0,
        gravity: false,
        factor: Some(Ramp {
            times: [1.0, 3.0].into(),
            values: [1.0, 5.0].into(),
        }),
    });
    s.sphere([0.0, 1.0, 0.0], 1.0, 1.0);
    s.statics = Some(Statics {
        planar: true,
        ..statics()
    });
    for (steps, factor) in [(1, 1.0), (2, 3.0), (3, 5.0)] {
        let end = s.run(steps);
        // Two springs in a row.
        let sunk = -end.walls[1].displacement.y / P;
        assert!((sunk - 2.0 * factor).abs() < 1e-4, "{steps}: {sunk}");
    }
}

/// The places of supports are those of the first increment, on any ranks and after a stop.
#[test]
fn supports_hold_on_any_ranks_and_after_a_stop() {
    let mut s = super::pressed(Method::BagiBojtar);
    s.acts.supports = vec![Support {
        region: Some(moreau::shape::Region::Box {
            lower: Vector3::zeros(),
            upper: Vector3::new(7.0, 12.5, 4.0),
        }),
        stiffness: Vector3::new(0.2, 0.1, 0.0),
        rotational: Vector3::new(0.0, 0.1, 0.3),
    }];
    let alone = s.run(4);
    for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
        let other = s.run_on(ranks, threads, 4);
        assert!(other.same_bits(&alone), "{ranks} ranks, {threads} threads");
    }
    let free = super::pressed(Method::BagiBojtar).run(4);
    assert!(!free.same_bits(&alone));
}

/// Balls that a force presses out of its region keep it to the end of the increment, to the last
/// digit of their places: each sinks by F/k, and the work is that of all of them.
#[test]
fn a_load_stays_on_bodies_at_the_border_of_its_region() {
    const LOAD: f64 = 1e-3;
    let places: Vec<[f64; 3]> = (0..36)
        .map(|k| [3.0 * f64::from(k % 6), 3.0 * f64::from(k / 6), 1.0])
        .collect();
    for method in METHODS {
        let mut s = scene([-3.0, -3.0, -1.0], [18.0, 18.0, 4.0], 0.0);
        s.gravity = Vector3::zeros();
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        for place in &places {
            s.sphere(*place, 1.0, 1.0);
        }
        // The load differs from ball to ball, as rounding does.
        s.acts.fields = (0..6)
            .map(|k| Field {
                region: Some(Region::Box {
                    lower: Vector3::new(-3.0, 3.0 * f64::from(k), 1.0),
                    upper: Vector3::new(18.0, 18.0, 4.0),
                }),
                spell: Spell::ALWAYS,
                pull: Pull::Force(Vector3::z() * -LOAD / 7.0),
                factor: None,
            })
            .collect();
        s.statics = Some(Statics {
            method,
            tolerance: 1e-9,
            ..statics()
        });
        for ranks in [1, 2] {
            let end = s.run_on(ranks, 1, 1);
            let mut work = 0.0;
            for (id, place) in places.iter().enumerate() {
                let of = (1.0 + place[1] / 3.0) * LOAD / 7.0;
                let sunk = 1.0 - end.position(id).z;
                assert!(
                    (sunk - of).abs() < 1e-8 * LOAD,
                    "{method:?} {id}: {sunk} for {of}"
                );
                work += of * of;
            }
            let off = (end.done[0].forced - work).abs();
            assert!(
                off < 1e-8 * work,
                "{method:?}: {} for {work}",
                end.done[0].forced
            );
        }
    }
}
