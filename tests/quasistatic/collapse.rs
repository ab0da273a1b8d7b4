//! Loads beyond the last equilibrium.

use super::bonds::{UNBREAKABLE, glue, row};
use super::scene::Scene;
use super::{W, scene, statics};
use moreau::body::Ramp;
use moreau::math::Vector3;
use moreau::scheme::StepError;
use moreau::scheme::acts::{Field, Pull};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::{HalfSpace, Region, Spell};

/// Two balls on a floor. The second is pulled up, by 0.1 W more in each increment.
fn lifted(method: Method) -> Scene {
    let mut s = scene([-4.0, -4.0, -1.0], [4.0, 4.0, 8.0], 0.5);
    s.dt = 1.0;
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
    s.sphere([3.0, 0.0, 1.0], 1.0, 1.0);
    s.acts.fields = vec![Field {
        region: Some(Region::HalfSpace(HalfSpace {
            point: Vector3::x() * 2.0,
            normal: Vector3::x(),
        })),
        spell: Spell::ALWAYS,
        pull: Pull::Force(Vector3::z() * W),
        factor: Some(Ramp {
            times: [0.0, 20.0].into(),
            values: [0.0, 2.0].into(),
        }),
    }];
    s.statics = Some(Statics {
        method,
        tolerance: 1e-6,
        ..statics()
    });
    s
}

/// A ball that is pulled up leaves its floor beyond its weight: the last equilibrium is named with
/// its load factor, and the ball that goes.
#[test]
fn the_last_equilibrium_and_the_mechanism_are_named() {
    for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
        for ranks in [1, 2] {
            let fell = lifted(method).try_run(ranks, 1, 20);
            let Err(StepError::Collapse {
                time,
                factor,
                bodies,
                step,
                ..
            }) = fell
            else {
                panic!("{method:?}: {fell:?}");
            };
            // To a part of 1/64 of an increment of 0.1 W.
            assert!((time - 10.0).abs() <= 1.0 / 64.0, "{method:?}: {time}");
            assert_eq!(bodies, [1], "{method:?}, {ranks} ranks");
            assert_eq!(step, 11 - u64::from(time < 10.0), "{time}");
            let shown: f64 = factor[" (load factor ".len()..factor.len() - 1]
                .parse()
                .unwrap();
            assert!((shown - 0.1 * time).abs() < 1e-9, "{factor}");
        }
    }
}

/// A ball that is drawn off its floor does not come to balance by leaving the region of the force.
#[test]
fn a_body_does_not_escape_its_load() {
    for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
        let mut s = lifted(method);
        s.upper.z = 80.0;
        s.gravity = Vector3::zeros();
        s.acts.fields[0].region = Some(Region::Box {
            lower: Vector3::new(2.0, -4.0, -1.0),
            upper: Vector3::new(4.0, 4.0, 4.0),
        });
        s.acts.fields[0].factor = Some(Ramp {
            times: [0.0, 10.0].into(),
            values: [-0.55, 0.45].into(),
        });
        for ranks in [1, 2] {
            let fell = s.try_run(ranks, 1, 10);
            let Err(StepError::Collapse { time, bodies, .. }) = fell else {
                panic!("{method:?}, {ranks} ranks: {fell:?}");
            };
            assert!((time - 5.5).abs() <= 1.0 / 64.0, "{method:?}: {time}");
            assert_eq!(bodies, [1], "{method:?}, {ranks} ranks");
        }
    }
}

/// A beam that bends under its weight has an equilibrium, which 1000 sweeps of relaxations do not
/// reach: its end still falls at the same speed, with the same residual. All ranks report it alike.
#[test]
fn a_beam_that_still_bends_is_no_collapse() {
    let mut s = scene([-3.0, -4.0, -4.0], [63.0, 4.0, 4.0], 0.5);
    s.plane([0.0; 3], [1.0, 0.0, 0.0]);
    s.bonds = vec![glue(UNBREAKABLE)];
    for place in row(30) {
        s.sphere(place, 1.0, 1.0);
    }
    s.statics = Some(Statics {
        method: Method::Kishino(Select::Block),
        tolerance: 1e-6,
        max_iterations: 10,
        ..statics()
    });
    let ends = [1, 2, 4].map(|ranks| s.try_run(ranks, 1, 1).err());
    let Some(StepError::OutOfIterations { allowed, .. }) = &ends[0] else {
        panic!("{ends:?}");
    };
    assert_eq!(allowed, "10, 1000 sweeps");
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
}
