//! Ends of a run at the limits of bodies, bonds and faces, and contacts that open and close.

use super::bonds::{UNBREAKABLE, glue};
use super::scene::Scene;
use super::{W, scene, statics};
use moreau::body::{Drive, Freedom, Motion, Ramp, Signal};
use moreau::math::Vector3;
use moreau::scheme::StepError;
use moreau::scheme::acts::{Field, Pull, Support};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::Spell;

/// The smallest part of an increment.
const PART: f64 = 1.0 / 64.0;

const METHODS: [Method; 2] = [Method::BagiBojtar, Method::Kishino(Select::Block)];

/// A force on all bodies that grows by one step in each increment of 1 s.
fn growing(s: &mut Scene, step: Vector3) {
    s.dt = 1.0;
    s.gravity = Vector3::zeros();
    s.acts.fields = vec![Field {
        region: None,
        spell: Spell::ALWAYS,
        pull: Pull::Force(step),
        factor: Some(Ramp {
            times: [0.0, 1000.0].into(),
            values: [0.0, 1000.0].into(),
        }),
    }];
}

fn set(s: &mut Scene, method: Method) {
    s.statics = Some(Statics {
        method,
        tolerance: 1e-6,
        ..statics()
    });
}

/// The end of a scene, the same on 1, 2 and 3 ranks.
fn end(s: &Scene, steps: u64) -> StepError {
    let ends = [1, 2, 3].map(|ranks| s.try_run(ranks, 1, steps).err());
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    let [end, ..] = ends;
    end.unwrap()
}

/// A ball pressed with 0.1 N more in each increment is crushed at 1 N: its radius and stiffness
/// are 1.
#[test]
fn a_ball_without_room_is_crushed() {
    for method in METHODS {
        let mut s = scene([-4.0, -4.0, -1.0], [4.0, 4.0, 4.0], 0.5);
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
        growing(&mut s, -0.1 * Vector3::z());
        set(&mut s, method);
        s.statics.as_mut().unwrap().jump = f64::INFINITY;
        let end = end(&s, 20);
        let StepError::Crushed {
            step,
            overlap,
            bodies,
            ..
        } = end
        else {
            panic!("{method:?}: {end:?}");
        };
        assert!((10..=11).contains(&step), "{method:?}: {step}");
        let most = 1.0 + 0.1 * PART + 1e-5;
        assert!((1.0..=most).contains(&overlap), "{method:?}: {overlap}");
        assert_eq!(bodies, "bodies 0 and wall 0");
    }
}

/// A bond of stiffness 1, pulled with 0.05 N more in each increment, is 0.05 m longer in each. The
/// run ends before the increment in which blocks no longer see from one body to the other.
#[test]
fn a_bond_beyond_the_blocks_ends_the_run() {
    for method in METHODS {
        let mut s = scene([-3.0, -4.0, -4.0], [21.0, 4.0, 4.0], 0.5);
        s.plane([0.0; 3], [1.0, 0.0, 0.0]);
        s.sphere([1.0, 0.0, 0.0], 1.0, 1.0);
        s.bonds = vec![glue(UNBREAKABLE)];
        s.solver.block_edge = Some(8.0);
        growing(&mut s, 0.05 * Vector3::x());
        set(&mut s, method);
        s.statics.as_mut().unwrap().jump = f64::INFINITY;
        let end = end(&s, 100);
        let StepError::BondTooLong {
            step,
            gap,
            allowed,
            edge,
        } = end
        else {
            panic!("{method:?}: {end:?}");
        };
        assert_eq!(edge, 8.0);
        // A part may end at each 64th of an increment, and is judged when the next begins.
        let first = (allowed / 0.05).ceil() as u64;
        assert!((first..=first + 1).contains(&step), "{method:?}: {step}");
        let most = 0.05 * first as f64 + 1e-5;
        assert!(gap > allowed && gap < most, "{method:?}: {gap}");
    }
}

/// A lid under pressure between two walls: one of them turns in the third increment, so the lid
/// has no face.
#[test]
fn a_wall_that_turns_takes_the_face_of_another() {
    for method in METHODS {
        let mut s = scene([-1.0; 3], [3.0; 3], 0.5);
        s.dt = 1.0;
        s.periodic = [false, true, false];
        for (point, normal) in [
            ([0.0; 3], [1.0, 0.0, 0.0]),
            ([2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            ([0.0; 3], [0.0, 0.0, 1.0]),
            ([0.0, 0.0, 2.0], [0.0, 0.0, -1.0]),
        ] {
            s.plane(point, normal);
        }
        let turns = Signal::Table {
            times: [0.0, 2.0, 3.0].into(),
            values: [0.0, 0.0, 1e-3].into(),
            rates: false,
        };
        s.walls[0].motion = Motion::Driven(Drive::about(Vector3::y(), turns));
        s.walls[3].motion = Motion::Free(Freedom {
            mass: 1.0,
            inertia: None,
            turning: None,
            direction: Some(Vector3::z()),
            load: Vector3::zeros(),
            pressure: W,
            gravity: false,
            factor: None,
        });
        s.sphere([1.0, 0.0, 1.0], 1.0, 1.0);
        set(&mut s, method);
        assert!(s.run(2).all_converged());
        let end = end(&s, 4);
        let StepError::NoFace { step, wall } = &end else {
            panic!("{method:?}: {end:?}");
        };
        assert_eq!((*step, wall), (3, &s.walls[3].name), "{method:?}");
    }
}

/// A ball that is lifted off its floor, and set down again, opens its contact and closes it, also
/// while the gap is narrow enough for the contact to be kept.
#[test]
fn contacts_that_open_and_close_are_counted() {
    for (method, high) in METHODS.into_iter().flat_map(|m| [(m, 1e-3), (m, 0.8)]) {
        let mut s = scene([-4.0, -4.0, -1.0], [4.0, 4.0, 8.0], 0.5);
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
        growing(&mut s, Vector3::z());
        s.acts.fields[0].factor = Some(Ramp {
            times: [0.0, 1.0, 2.0, 3.0, 4.0].into(),
            values: [-W, -W, high, high, -W].into(),
        });
        s.acts.supports = vec![Support {
            region: None,
            stiffness: Vector3::repeat(1.0),
            rotational: Vector3::repeat(1.0),
        }];
        set(&mut s, method);
        s.statics.as_mut().unwrap().jump = f64::INFINITY;
        for ranks in [1, 2] {
            let done = s.run_on(ranks, 1, 4).done;
            let found = done.iter().map(|report| report.tally.unwrap());
            let found: Vec<[u64; 3]> = found.map(|t| [t.contacts, t.opened, t.closed]).collect();
            let expected = [[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 1]];
            assert_eq!(found, expected, "{method:?}, {high}, {ranks} ranks");
        }
    }
}
