//! Bonds of a round section: stiffnesses per area, and stresses at the edge as strengths.

use super::bonds::{LOAD, METHODS, deflects, glued, load, row, whole, within};
use super::scene::{Scene, State};
use super::{pressed, springs};
use moreau::body::{BodyId, BodyKind, Drive, Motion, Signal};
use moreau::law::PairTable;
use moreau::law::bond::{Parallel, Radius, Stiffness, Strength, Stress};
use moreau::math::Vector3;
use moreau::scheme::quasistatic::{Breaking, Method, Select, Statics};
use std::f64::consts::PI;

/// Radius of the section.
const R: f64 = 0.9;
const AREA: f64 = PI * R * R;
const I: f64 = PI * R * R * R * R / 4.0;
/// Stiffnesses per area.
const PER_AREA: [f64; 2] = [3.0, 1.25];

fn parallel(radius: Radius) -> Stiffness {
    let [normal, tangential] = PER_AREA;
    Stiffness::Parallel(Parallel {
        normal,
        tangential,
        radius,
    })
}

/// F4 and F16 with `k_t = k̄_s A`, `k_b = k̄_n I` and `k_twist = k̄_s J`, `J = 2 I`: a cantilever of
/// three balls, and an L of three and two.
#[test]
fn parallel_bonds_bend_and_twist_as_their_section_does() {
    let [k_n, k_s] = PER_AREA;
    let (k_t, k_b, k_twist) = (k_s * AREA, k_n * I, k_s * 2.0 * I);
    let squares = |of: &[f64]| of.iter().map(|arm| arm * arm).sum::<f64>();
    let straight = 3.0 / k_t + squares(&[5.0, 3.0, 1.0]) / k_b;
    let bent = 5.0 / k_t + squares(&[5.0, 3.0, 1.0, 3.0, 1.0]) / k_b + 3.0 * 16.0 / k_twist;
    for method in METHODS {
        for radius in [Radius::Length(R), Radius::OfSmaller(R)] {
            let mut s = glued(&row(3), method);
            s.bonds[0].stiffness = parallel(radius);
            load(&mut s, [5.0, 0.0, 0.0], LOAD);
            deflects(&s, 2, straight);
        }
        let mut places = row(3);
        places.extend([[5.0, 2.0, 0.0], [5.0, 4.0, 0.0]]);
        let mut s = glued(&places, method);
        s.bonds[0].stiffness = parallel(Radius::Length(R));
        load(&mut s, [5.0, 4.0, 0.0], LOAD);
        deflects(&s, 4, bent);
    }
}

/// Along its axis a row of parallel bonds is as stiff as its sections: `n F/(k̄_n A)`.
#[test]
fn parallel_bonds_stretch_as_their_section_does() {
    let mut s = glued(&row(3), Method::SerranoRodriguez);
    s.bonds[0].stiffness = parallel(Radius::Length(R));
    s.gravity = Vector3::x() * 1e-5;
    // Loads of a mass of 1 kg each: 3 + 2 + 1 over the stiffness.
    let expected = 1e-5 * 6.0 / (PER_AREA[0] * AREA);
    let found = s.run(1).position(2).x - 5.0;
    assert!((found / expected - 1.0).abs() < within(&s), "{found:e}");
}

/// A ball that does not move, glued to a wall that does: by the first increment the bond carries
/// `k_n x`, `k_t z`, `k_b θ` and `k_twist φ`, whatever breaks.
fn strained(stress: Stress, [x, z]: [f64; 2], (axis, angle): (Vector3, f64)) -> Scene {
    let mut s = glued(&[[1.0, 0.0, 0.0]], Method::BagiBojtar);
    s.bodies[0].kind = BodyKind::Fixed as u32;
    s.bonds[0].stiffness = parallel(Radius::Length(R));
    s.bonds[0].strength = Strength::Stress(stress);
    let way = Vector3::new(-x, 0.0, z);
    let mut drive = Drive::default();
    if way != Vector3::zeros() {
        drive = drive.within(Drive::along(way.normalize(), Signal::Rate(way.norm())));
    }
    if angle != 0.0 {
        drive = drive.within(Drive::about(axis, Signal::Rate(angle)));
    }
    s.walls[0].motion = Motion::Driven(drive);
    s
}

/// A wall that turns about a point away from its centre strains a bond as one whose centre is that
/// point.
#[test]
fn a_wall_turns_about_any_point() {
    let unbreakable = Stress {
        tension: f64::INFINITY,
        cohesion: f64::INFINITY,
        friction: 0.0,
        radius: Radius::Length(R),
    };
    let pivot = Vector3::new(0.1, 0.4, -0.7);
    let force = |centre: Vector3, point: Option<Vector3>| {
        let mut s = strained(unbreakable, [0.0; 2], (Vector3::y(), 1e-3));
        s.walls[0].centre = centre;
        if let Motion::Driven(drive) = &mut s.walls[0].motion {
            drive.rotations[0].point = point;
        }
        let end = s.run(2);
        let row = end.contacts[0];
        [row.impulse, row.couple_impulse].map(Vector3::from)
    };
    let expected = force(pivot, None);
    let found = force(Vector3::new(0.2, -0.3, 0.6), Some(pivot));
    assert!(expected[0].norm() > 1e-4 && expected[1].norm() > 1e-4);
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).norm() < 1e-12, "{a} {b}");
    }
}

/// A bond holds at 1e-3 above a strength and breaks at 1e-3 below, under one force alone and under
/// several, by the formulas of Potyondy and Cundall.
#[test]
fn edge_stresses_break_a_bond() {
    let [k_n, k_s] = PER_AREA;
    let turn = (Vector3::y(), 2e-5);
    let twist = (Vector3::x(), 2e-5);
    let still = (Vector3::x(), 0.0);
    let stress = |tension, cohesion, friction| Stress {
        tension,
        cohesion,
        friction,
        radius: Radius::Length(R),
    };
    let tensile = |strength: f64| stress(strength, f64::INFINITY, 0.0);
    let shearing = |strength: f64| stress(f64::INFINITY, strength, 0.5);
    let smooth = |strength: f64| stress(f64::INFINITY, strength, 0.0);
    type Of<'a> = &'a dyn Fn(f64) -> Stress;
    type Case<'a> = (&'a str, Of<'a>, [f64; 2], (Vector3, f64), f64);
    let (pull, press, slide) = ([1e-5, 0.0], [-1e-5, 0.0], [0.0, 1e-5]);
    // σ = k̄_n x, the couples' k̄_n θ R and k̄_s φ R, τ = k̄_s z.
    let cases: [Case; 9] = [
        ("tension", &tensile, pull, still, k_n * 1e-5),
        ("bending", &tensile, [0.0; 2], turn, k_n * 2e-5 * R),
        (
            "tension and bending",
            &tensile,
            pull,
            turn,
            k_n * (1e-5 + 2e-5 * R),
        ),
        (
            "pressure and bending",
            &tensile,
            press,
            turn,
            k_n * (2e-5 * R - 1e-5),
        ),
        ("shear", &shearing, slide, still, k_s * 1e-5),
        (
            "shear and twist",
            &shearing,
            slide,
            twist,
            k_s * (1e-5 + 2e-5 * R),
        ),
        (
            "tension, no friction",
            &smooth,
            [1e-5, 1e-5],
            twist,
            k_s * (1e-5 + 2e-5 * R),
        ),
        (
            "tension, shear and twist",
            &shearing,
            [1e-5, 1e-5],
            twist,
            k_s * (1e-5 + 2e-5 * R) + 0.5 * k_n * 1e-5,
        ),
        (
            "pressure, shear and twist",
            &shearing,
            [-2e-6, 1e-5],
            twist,
            k_s * (1e-5 + 2e-5 * R) - 0.5 * k_n * 2e-6,
        ),
    ];
    for (name, of, way, turned, expected) in cases {
        assert!(expected > 0.0);
        let run = |share: f64| strained(of(share * expected), way, turned).run(1);
        assert_eq!(run(1.001).done[0].broken, 0, "{name}");
        let broken = run(0.999);
        assert_eq!(broken.done[0].broken, 1, "{name}");
        let [bond] = &broken.broken[..] else {
            panic!("{name}: {:?}", broken.broken)
        };
        // The line of the bond has the forces that broke it, on the wall, towards the ball.
        let tension = bond.force.x / AREA;
        assert!((tension - k_n * way[0]).abs() < 1e-9, "{name}: {tension:e}");
        let forces = [
            bond.force.yz().norm() - k_s * AREA * way[1],
            bond.couple.x.abs() - k_s * 2.0 * I * turned.1 * turned.0.x,
            bond.couple.yz().norm() - k_n * I * turned.1 * turned.0.y,
        ];
        assert!(
            forces.iter().all(|off| off.abs() < 1e-9),
            "{name}: {forces:?}"
        );
    }
}

/// The root of a cantilever of three balls under F at its tip carries `M = 5 F`: its edge stress is
/// `5 F R/I`. A tensile strength above it holds; below it the root breaks, alone.
#[test]
fn the_edge_of_a_root_breaks() {
    let methods = [Method::BagiBojtar, Method::Kishino(Select::Block)];
    for method in methods {
        let with = |strength: f64| {
            let mut s = glued(&row(3), method);
            s.bonds[0].stiffness = parallel(Radius::Length(R));
            s.bonds[0].strength = Strength::Stress(Stress {
                tension: strength * 5.0 * LOAD * R / I,
                cohesion: f64::INFINITY,
                friction: 0.0,
                radius: Radius::Length(R),
            });
            s.plane([0.0, 0.0, -1.0 - 5e-3], [0.0, 0.0, 1.0]);
            s.walls[1].material = 1;
            s.pairs = Some(PairTable::new(2, |_, _| springs(0.5)));
            load(&mut s, [5.0, 0.0, 0.0], -LOAD);
            s.statics = s.statics.map(|of| Statics {
                tolerance: 1e-6,
                ..of
            });
            s.run(1)
        };
        let holds: State = with(1.001);
        assert_eq!(holds.done[0].broken, 0, "{method:?}");
        let broken = with(0.999);
        assert_eq!(broken.done[0].broken, 1, "{method:?}");
        let left: Vec<_> = [0, 1].map(|k| (BodyId(k), BodyId(k + 1))).into();
        assert_eq!(whole(&broken), left, "{method:?}");
    }
}

/// Bonds of balls of many sizes, whose sections follow the balls, break by stress one after the
/// other: the same bits on any ranks.
#[test]
fn bonds_break_by_stress_the_same_on_any_ranks() {
    for breaking in [Breaking::Worst, Breaking::All] {
        let mut s = pressed(Method::BagiBojtar);
        let mut glue = glued(&[], Method::BagiBojtar).bonds.remove(0);
        glue.gap = 0.02;
        glue.stiffness = Stiffness::Parallel(Parallel {
            normal: 0.4,
            tangential: 0.2,
            radius: Radius::OfSmaller(0.9),
        });
        glue.strength = Strength::Stress(Stress {
            tension: 1e-5,
            cohesion: 1e-5,
            friction: 0.5,
            radius: Radius::OfSmaller(0.9),
        });
        s.bonds = vec![glue];
        s.statics = s.statics.map(|of| Statics { breaking, ..of });
        let alone = s.run(2);
        let (broken, left) = (alone.broken.len(), whole(&alone).len());
        println!("{breaking:?}: {broken} of {left}");
        assert!(broken > 10 && left > 10, "{broken} of {left}");
        for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = s.run_on(ranks, threads, 2);
            assert!(other.same_bits(&alone), "{breaking:?}, {ranks}, {threads}");
        }
    }
}
