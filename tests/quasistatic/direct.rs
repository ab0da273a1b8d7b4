//! Linear systems by their factors: the answers of the iterations, the same bits on any ranks; F8.

use super::scene::{Scene, State};
use super::{pressed, scene, springs, statics};
use moreau::body::{Freedom, Motion};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::scheme::StepError;
use moreau::scheme::quasistatic::{Linear, Method, Select, Statics};

/// The same scene, whose linear systems are solved by their factors, or to a residual of rounding.
fn with(scene: &Scene, linear: Linear) -> Scene {
    Scene {
        statics: scene.statics.map(|statics| Statics {
            linear,
            linear_tolerance: 1e-12,
            ..statics
        }),
        ..scene.clone()
    }
}

/// A side of the box holds a load.
pub(super) fn beside_a_load(mut s: Scene) -> Scene {
    s.walls[1].motion = Motion::Free(Freedom {
        mass: 1.0,
        inertia: None,
        turning: None,
        direction: Some(Vector3::x()),
        load: Vector3::new(-0.1, 0.0, 0.0),
        pressure: 0.0,
        gravity: false,
        factor: None,
    });
    s
}

/// Balls that resist all motions of their contacts, so that the linear method has an answer.
fn glued() -> Scene {
    let mut s = beside_a_load(pressed(Method::SerranoRodriguez));
    s.pair = Some(Pair {
        twisting_stiffness: 1.0,
        bending_stiffness: 1.0,
        torsion: Arm::Length(1e3),
        rolling: Arm::Length(1e3),
        ..springs(0.4)
    });
    s
}

/// The largest distance between two bodies' places in two states, and the largest displacement.
pub(super) fn apart(a: &State, b: &State, start: &Scene) -> [f64; 2] {
    let each = (0..start.bodies.len()).map(|i| {
        let from = Vector3::from(start.bodies[i].position);
        let (one, other) = (a.position(i), b.position(i));
        [(one - other).norm(), (one - from).norm()]
    });
    each.fold([0.0; 2], |most, of| {
        [0, 1].map(|k| f64::max(most[k], of[k]))
    })
}

/// Factors give the answer of the iterations: symmetric, and not symmetric where balls slide.
#[test]
fn factors_give_the_answer_of_the_iterations() {
    let mut sliding = beside_a_load(pressed(Method::BagiBojtar));
    sliding.statics = sliding.statics.map(|statics| Statics {
        tolerance: 1e-11,
        ..statics
    });
    let seed = Scene {
        statics: sliding.statics.map(|statics| Statics {
            coulomb: false,
            max_iterations: 1000,
            ..statics
        }),
        ..sliding.clone()
    };
    for (s, slides) in [(glued(), false), (sliding, true), (seed, true)] {
        let [iterated, solved] =
            [Linear::Iterative, Linear::Direct].map(|linear| with(&s, linear).run(1));
        assert!(solved.all_converged());
        let tally = solved.done[0].tally.unwrap();
        assert_eq!(tally.sliding > 0, slides, "{tally:?}");
        let [off, most] = apart(&iterated, &solved, &s);
        assert!(most > 1e-3 && off < 1e-8 * most, "{off:e} of {most:e}");
        for (a, b) in iterated.contacts.iter().zip(&solved.contacts) {
            let off = (Vector3::from(a.impulse) - Vector3::from(b.impulse)).norm();
            assert!(a.key == b.key && off < 1e-8 * s.dt, "{:?}: {off:e}", a.key);
        }
        let wall = [&iterated, &solved].map(|end| end.walls[1].displacement.x);
        assert!(wall[0] != 0.0);
        assert!((wall[0] - wall[1]).abs() < 1e-8 * most, "{wall:?}");
        // Each system takes a product or two, in place of dozens.
        let products = [&iterated, &solved].map(|end| end.done[0].tally.unwrap().products);
        assert!(4 * products[1] < products[0], "{products:?}");
    }
}

/// The same bits on any number of ranks and threads, also where the matrix is not symmetric.
#[test]
fn factors_give_the_same_bits_on_any_ranks() {
    let sliding = beside_a_load(pressed(Method::BagiBojtar));
    for (s, steps) in [(glued(), 1), (sliding, 3)] {
        let s = with(&s, Linear::Direct);
        let alone = s.run(steps);
        assert!(alone.all_converged());
        for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = s.run_on(ranks, threads, steps);
            assert!(other.same_bits(&alone), "{ranks} ranks, {threads} threads");
        }
    }
}

/// A mechanism has a singular matrix: factors refuse it by the names of its bodies, as iterations
/// do.
#[test]
fn a_mechanism_is_refused_by_name() {
    let mut s = scene([-3.0, -3.0, -0.5], [3.0, 22.0, 0.5], 0.5);
    s.gravity = Vector3::new(0.0, -1e-5, 0.0);
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    for k in 0..10 {
        s.sphere([0.0, 1.0 + 2.0 * f64::from(k), 0.0], 1.0, 1.0);
    }
    s.statics = Some(Statics {
        planar: true,
        method: Method::SerranoRodriguez,
        ..statics()
    });
    let [iterated, solved] =
        [Linear::Iterative, Linear::Direct].map(|linear| match with(&s, linear).try_run(1, 1, 1) {
            Err(StepError::Mechanism { step: 1, bodies }) => bodies,
            other => panic!("{other:?}"),
        });
    assert!(!solved.is_empty());
    assert_eq!(iterated, solved);
}

/// The discs of a pressed packing that at least three others or walls hold, lengths in units of
/// 1 cm, with so much friction that nothing slides.
pub(super) fn packing() -> Scene {
    let text = include_str!("../../configs/quasistatic-oedometer.csv");
    let mut discs: Vec<[f64; 3]> = (text.lines().skip(1))
        .map(|line| {
            let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
            [0, 1, 3].map(|k| numbers[k] / 0.01)
        })
        .collect();
    let (wide, high) = (29.5303270, 27.9057329);
    loop {
        let held = |[x, y, r]: &[f64; 3]| {
            let touches = |[a, b, s]: &&[f64; 3]| (a - x).hypot(b - y) < r + s;
            // Each finds itself as well.
            let others = discs.iter().filter(touches).count() - 1;
            let walls = [*x, *y, wide - x, high - y];
            others + walls.iter().filter(|d| **d < *r).count() >= 3
        };
        let kept: Vec<[f64; 3]> = discs.iter().filter(|disc| held(disc)).copied().collect();
        if kept.len() == discs.len() {
            break;
        }
        discs = kept;
    }
    let mut s = scene([-1.0, -1.0, -1.5], [31.0, 29.0, 1.5], 1e6);
    s.gravity = Vector3::zeros();
    for (point, normal) in [
        ([0.0; 3], [1.0, 0.0, 0.0]),
        ([wide, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.0; 3], [0.0, 1.0, 0.0]),
        ([0.0, high, 0.0], [0.0, -1.0, 0.0]),
    ] {
        s.plane(point, normal);
    }
    for [x, y, r] in discs {
        s.sphere([x, y, 0.0], r, r * r);
    }
    s.statics = Some(Statics {
        planar: true,
        tolerance: 1e-11,
        linear: Linear::Direct,
        ..statics()
    });
    s
}

/// F8: a box of some 180 discs takes its weight; nothing slides. Kishino's relaxations end where the
/// solution of the whole matrix does, in displacements and forces.
///
/// Forces across contacts depend on the way of the bodies in second order of their displacements:
/// with a hundredth of a thousandth of a radius that is below 1e-7 of these, as is rounding.
#[test]
fn f8_relaxations_give_the_answer_of_the_whole_matrix() {
    let mut s = packing();
    assert!(s.bodies.len() >= 180, "{}", s.bodies.len());
    let still = s.run(1);
    (s.bodies, s.contacts) = (still.bodies.clone(), still.contacts.clone());
    s.gravity = Vector3::new(0.0, -3e-7, 0.0);
    let whole = s.run(1);
    for select in [Select::Block, Select::Largest] {
        let relaxed = Scene {
            statics: s.statics.map(|statics| Statics {
                method: Method::Kishino(select),
                max_iterations: 1000,
                ..statics
            }),
            ..s.clone()
        }
        .run(1);
        for end in [&whole, &relaxed] {
            let tally = end.done[0].tally.unwrap();
            let changed = [tally.sliding, tally.opened, tally.closed, tally.jumps];
            assert_eq!(changed, [0; 4], "{tally:?}");
        }
        let [off, most] = apart(&whole, &relaxed, &s);
        assert!(most > 1e-5 && off < 1e-7 * most, "{off:e} of {most:e}");
        let all = relaxed.contacts.iter().zip(&whole.contacts);
        let all = all.zip(&still.contacts);
        let [mut off, mut most] = [0.0_f64; 2];
        for ((a, b), before) in all {
            assert!(a.key == b.key && a.key == before.key);
            let [a, b, before] = [a, b, before].map(|c| Vector3::from(c.impulse) / s.dt);
            off = off.max((a - b).norm());
            most = most.max((b - before).norm());
        }
        assert!(most > 1e-7 && off < 1e-7 * most, "{off:e} of {most:e}");
    }
}
