//! Couples of contacts without a bond: at most their arm times the normal force.

use super::scene::{Scene, State, plane};
use super::{W, scene, springs};
use moreau::body::{BodyId, Drive, Motion, Ramp, Rotation, Signal};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::scheme::acts::{Field, Pull, Support};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::{Region, Spell};

const METHODS: [Method; 2] = [Method::BagiBojtar, Method::Kishino(Select::Block)];

/// Arm of the couples [m]; the normal force is W.
const ARM: f64 = 0.1;

/// Of numbers in W, as overlaps and angles are below W; all numbers are at most 1.
const WITHIN: f64 = 5.0 * W;

/// A ball of weight W on a floor, held by springs; the first increment presses it.
fn ball(method: Method, floor: Motion, springs_of: Support) -> Scene {
    let mut s = scene([-3.0, -3.0, -1.0], [3.0, 3.0, 4.0], 0.0);
    s.dt = 1.0;
    s.pair = Some(Pair {
        twisting_stiffness: 1.0,
        bending_stiffness: 1.0,
        torsion: Arm::Length(ARM),
        rolling: Arm::Length(ARM),
        ..springs(1e3)
    });
    s.walls.push(plane(0.0, 1.0, floor));
    s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
    s.acts.supports = vec![springs_of];
    s.statics = s.statics.map(|of| Statics {
        method,
        max_iterations: 1000,
        ..of
    });
    s
}

/// Springs of 1 along the floor, and about some axes.
fn held(rotational: Vector3) -> Support {
    Support {
        region: None,
        stiffness: Vector3::new(1.0, 1.0, 0.0),
        rotational,
    }
}

/// Force and couple on the floor, in W.
fn on_floor(end: &State) -> [Vector3; 2] {
    let contact = end.contacts.iter().find(|c| c.key.b == BodyId::wall(0));
    let contact = contact.unwrap();
    [contact.impulse, contact.couple_impulse].map(|of| Vector3::from(of) / W)
}

/// A floor turns by φ about the normal under a ball that a spring of 1 holds: `C = φ/2` in the
/// contact, whose twisting stiffness is 1 too, up to `ARM W`. It falls by half of the way back.
#[test]
fn a_twist_is_limited_by_the_normal_force() {
    let angles = [0.0, 0.0, 0.08, 0.4, 0.3].map(|angle| angle * W);
    for method in METHODS {
        let turns = Motion::Driven(Drive {
            translations: Vec::new(),
            rotations: vec![Rotation {
                axis: Vector3::z(),
                point: Some(Vector3::zeros()),
                signal: Signal::Table {
                    times: [0.0, 1.0, 2.0, 3.0, 4.0].into(),
                    values: angles.into(),
                    rates: false,
                },
            }],
        });
        let s = ball(method, turns, held(Vector3::repeat(1.0)));
        for (steps, expected) in [(1, 0.0), (2, 0.04), (3, ARM), (4, ARM - 0.05)] {
            let [force, couple] = on_floor(&s.run(steps));
            assert!((force + Vector3::z()).norm() < WITHIN, "{force:?}");
            assert!(
                (couple + Vector3::z() * expected).norm() < WITHIN,
                "{method:?} {steps}: {couple:?}, not {expected}"
            );
        }
    }
}

/// A pull F along the floor on a ball that a spring of 1 holds: with `k_t` = 1/2 and a bending
/// stiffness of 1, `x = 3F/4` and `T = C = F/4`, until `C = ARM W`; then `x = F − C`.
#[test]
fn a_roll_is_limited_by_the_normal_force() {
    for method in METHODS {
        let mut s = ball(method, Motion::Fixed, held(Vector3::z()));
        s.acts.fields = vec![Field {
            region: None,
            spell: Spell::ALWAYS,
            pull: Pull::Force(Vector3::x() * W),
            factor: Some(Ramp {
                times: [1.0, 2.0, 3.0, 4.0].into(),
                values: [0.0, 0.2, 0.7, 0.6].into(),
            }),
        }];
        let cases = [
            (1, 0.0, 0.0),
            (2, 0.05, 0.15),
            (3, ARM, 0.6),
            (4, ARM - 0.025, 0.525),
        ];
        for (steps, expected, way) in cases {
            let end = s.run(steps);
            let [force, couple] = on_floor(&end);
            let x = end.position(0).x / W;
            let off = force - Vector3::new(expected, 0.0, -1.0);
            assert!(off.norm() < WITHIN, "{method:?} {steps}: {force:?}");
            let off = couple - Vector3::y() * expected;
            assert!(off.norm() < WITHIN, "{method:?} {steps}: {couple:?}");
            assert!((x - way).abs() < WITHIN, "{method:?} {steps}: {x}");
        }
    }
}

/// A pull on the lowest of four balls that stand on each other, with little rolling friction: the
/// contacts above it turn one way and back within an increment, and their couples must not keep the
/// way out. The answer does not depend on the increments or the method.
#[test]
fn couples_turn_back_within_an_increment() {
    for pull in [0.2, 0.5] {
        let mut ends: Vec<[f64; 3]> = Vec::new();
        for (method, parts) in METHODS.iter().flat_map(|m| [1, 4, 16].map(|n| (*m, n))) {
            let mut s = ball(method, Motion::Fixed, held(Vector3::z()));
            if let Some(pair) = &mut s.pair {
                pair.rolling = Arm::Length(1e-3);
            }
            for k in 1..4 {
                s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
            }
            s.upper = [3.0, 3.0, 12.0].into();
            s.acts.fields = vec![Field {
                region: Some(Region::Box {
                    lower: Vector3::repeat(-3.0),
                    upper: Vector3::new(3.0, 3.0, 2.0),
                }),
                spell: Spell::ALWAYS,
                pull: Pull::Force(Vector3::x() * W),
                factor: Some(Ramp {
                    times: [1.0, 1.0 + f64::from(parts)].into(),
                    values: [0.0, pull].into(),
                }),
            }];
            let steps = 1 + parts as u64;
            let end = s.run(steps);
            if parts == 4 {
                let on_three = s.run_on(3, 1, steps);
                assert!(on_three.same_bits(&end), "{method:?}");
            }
            let of_top = end
                .contacts
                .iter()
                .find(|c| (c.key.a, c.key.b) == (BodyId(2), BodyId(3)));
            let [force, couple] = on_floor(&end);
            ends.push([force.x, couple.y, of_top.unwrap().couple_impulse[1] / W]);
        }
        for end in &ends {
            let off = (0..3)
                .map(|k| (end[k] - ends[0][k]).abs())
                .fold(0.0, f64::max);
            assert!(off < 1e-4, "pull {pull}: {ends:?}");
        }
    }
}
