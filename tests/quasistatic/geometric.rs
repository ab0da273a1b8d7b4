//! The geometric stiffness: fewer iterations, the same answer, the same bits on any ranks.

use super::direct::{apart, beside_a_load, packing};
use super::scene::{Scene, State};
use super::{pressed, springs};
use moreau::math::Vector3;
use moreau::scheme::quasistatic::{Linear, Method, Statics};

/// The same scene with a geometric part of the stiffness, or without.
fn with(scene: &Scene, geometric: bool, linear: Linear) -> Scene {
    Scene {
        statics: scene.statics.map(|statics| Statics {
            geometric,
            linear,
            ..statics
        }),
        ..scene.clone()
    }
}

/// Pressed discs take their weight: both stiffnesses lead to the same equilibrium, as the judge knows
/// neither. Smooth discs are held by their normal forces alone, and gain most.
#[test]
fn the_answer_is_the_same_in_fewer_iterations() {
    for (friction, counts) in [(0.0, [27, 2]), (0.4, [4, 3])] {
        let mut s = packing();
        s.pair = Some(springs(friction));
        let still = s.run(1);
        (s.bodies, s.contacts) = (still.bodies, still.contacts);
        s.gravity = Vector3::new(0.0, -1e-6, 0.0);
        s.statics = s.statics.map(|statics| Statics {
            tolerance: 1e-9,
            linear_tolerance: 1e-8,
            ..statics
        });
        for linear in [Linear::Direct, Linear::Iterative] {
            let [without, with] = [false, true].map(|on| with(&s, on, linear).run(1));
            let count = |end: &State| end.done[0].tally.unwrap().iterations;
            assert_eq!([&without, &with].map(count), counts, "{linear:?}");
            let [off, most] = apart(&without, &with, &s);
            assert!(most > 1e-5 && off < 1e-6 * most, "{off:e} of {most:e}");
        }
    }
}

/// The same bits on any number of ranks and threads.
#[test]
fn the_bits_are_the_same_on_any_ranks() {
    for linear in [Linear::Direct, Linear::Iterative] {
        let s = with(&beside_a_load(pressed(Method::BagiBojtar)), true, linear);
        let alone = s.run(3);
        assert!(alone.all_converged());
        for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = s.run_on(ranks, threads, 3);
            assert!(other.same_bits(&alone), "{ranks} ranks, {threads} threads");
        }
    }
}
