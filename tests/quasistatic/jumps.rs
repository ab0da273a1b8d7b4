//! Increments in which a held body moves far.

use super::scene::Scene;
use super::{W, groove, scene};
use moreau::body::Ramp;
use moreau::math::Vector3;
use moreau::scheme::acts::{Field, Pull};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::Spell;

/// The way of a disc in a groove of 90° under its weight [m].
const SUNK: f64 = W * 2.0 / 3.0;

/// The parts of one increment, and those with a jump, where a body may move so far [m].
fn parts(mut s: Scene, jump: f64) -> (u64, u64) {
    s.statics = s.statics.map(|of| Statics { jump, ..of });
    let tally = s.run(1).done[0].tally.unwrap();
    (tally.parts, tally.jumps)
}

/// The weight as a load that grows from 0 in the increment.
fn grows(mut s: Scene) -> Scene {
    s.gravity = Vector3::zeros();
    s.acts.fields = vec![Field {
        region: None,
        spell: Spell::ALWAYS,
        pull: Pull::Force(-Vector3::y() * W),
        factor: Some(Ramp {
            times: [0.0, s.dt].into(),
            values: [0.0, 1.0].into(),
        }),
    }];
    s
}

/// A disc in a groove sinks by its share of the load in each part. An increment has at most 64
/// parts; only in these a body may jump. Its way is right to first order in W.
#[test]
fn jumps_are_counted_in_the_smallest_parts() {
    for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
        let disc = || groove(0.6, method);
        for (allowed, expected) in [
            (1.01, (1, 0)),
            (0.99, (2, 0)),
            (1.01 / 32.0, (32, 0)),
            (0.99 / 32.0, (64, 0)),
            (1.01 / 64.0, (64, 0)),
            (0.99 / 64.0, (64, 64)),
        ] {
            let found = parts(grows(disc()), allowed * SUNK);
            assert_eq!(found, expected, "{method:?} {allowed}");
        }
        // All of the weight acts from the first part on: 1, 1, 2, 4, 8, 16 and 32 of 64.
        assert_eq!(parts(disc(), 1.01 * SUNK), (1, 0), "{method:?}");
        assert_eq!(parts(disc(), 0.99 * SUNK), (7, 1), "{method:?}");
        // One contact does not hold a body.
        let mut on_floor = scene([-4.0, -0.5, -0.5], [4.0, 4.0, 0.5], 0.5);
        on_floor.plane([0.0; 3], [0.0, 1.0, 0.0]);
        on_floor.sphere([0.0, 1.0, 0.0], 1.0, 1.0);
        on_floor.statics = disc().statics;
        let found = parts(grows(on_floor), 1e-3 * W);
        assert_eq!(found, (1, 0), "{method:?}");
    }
}
