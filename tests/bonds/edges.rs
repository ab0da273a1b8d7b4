//! Bonds of a round section under the time step: stresses at the edge as strengths.

use super::*;
use moreau::law::bond::{Parallel, Stress};
use std::f64::consts::PI;

/// Radius of the section.
const R: f64 = 0.6;
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

fn stress(tension: f64, cohesion: f64, friction: f64) -> Strength {
    Strength::Stress(Stress {
        tension,
        cohesion,
        friction,
        radius: Radius::Length(R),
    })
}

/// The four stiffnesses are those of the section, `J = 2 I`; between balls of two sizes, and of a
/// ball and a wall, a multiple of the smaller radius.
#[test]
fn parallel_bonds_have_the_stiffness_of_their_section() {
    let [k_n, k_s] = PER_AREA;
    let expected = [k_n * AREA, k_s * AREA, k_n * I, k_s * 2.0 * I];
    for (radius, radii) in [
        (Radius::Length(R), [1.0, 7.0]),
        (Radius::OfSmaller(0.5), [1.2, 2.0]),
        (Radius::OfSmaller(0.5), [2.0, 1.2]),
        (Radius::OfSmaller(0.5), [1.2, f64::INFINITY]),
    ] {
        let four = parallel(radius).over(radii);
        let found = [four.normal, four.tangential, four.bending, four.twisting];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-15, "{found} {expected}");
        }
    }
}

/// F4 with parallel bonds: `F (n/k_t + Σ (2 i − 1)²/k_b)`, `k_t = k̄_s A`, `k_b = k̄_n I`.
#[test]
fn a_cantilever_of_parallel_bonds_bends() {
    let (n, load) = (3, 1e-6);
    let mut s = cantilever(n, 100.0, UNBREAKABLE);
    s.bonds[0].stiffness = parallel(Radius::Length(R));
    s.solver.max_sweeps = 200_000;
    push(&mut s, 2.0 * n as f64 - 0.5, Vector3::z() * load);
    let state = s.run(80);
    assert!(state.all_converged());
    let expected = 3.0 / (PER_AREA[1] * AREA) + 35.0 / (PER_AREA[0] * I);
    let found = state.bodies[n].position[2] / load;
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
}

/// Glued balls under a force at the last one, in steps so long that the first one ends at rest: the
/// root breaks where the formulas of Potyondy and Cundall say, and holds at 1e-3 more strength.
#[test]
fn edge_stresses_break_the_root_under_its_load() {
    let load = 1e-8;
    let tensile = |strength| stress(strength, f64::INFINITY, 0.0);
    let shearing = |strength| stress(f64::INFINITY, strength, 0.5);
    type Of<'a> = &'a dyn Fn(f64) -> Strength;
    type Case<'a> = (&'a str, Of<'a>, [f64; 3], [f64; 2], f64);
    // The root of a row carries T and 3 T [N m], that of an L is twisted by 2 T. Of two bonds under
    // tension alone either breaks: so there is one.
    let single = [2.0, 0.0, 0.0];
    let straight = [4.0, 0.0, 0.0];
    let bent = [2.0, 2.0, 0.0];
    let (edge, twisted) = (3.0 * R / I, 1.0 / AREA + 2.0 * R / (2.0 * I));
    let cases: [Case; 6] = [
        ("tension", &tensile, single, [1.0, 0.0], 1.0 / AREA),
        (
            "tension and bending",
            &tensile,
            straight,
            [8.0, 1.0],
            8.0 / AREA + edge,
        ),
        (
            "pressure and bending",
            &tensile,
            straight,
            [-8.0, 1.0],
            edge - 8.0 / AREA,
        ),
        ("shear and twist", &shearing, bent, [0.0, 1.0], twisted),
        (
            "tension, shear, twist",
            &shearing,
            bent,
            [3.0, 1.0],
            twisted + 1.5 / AREA,
        ),
        (
            "pressure, shear, twist",
            &shearing,
            bent,
            [-3.0, 1.0],
            twisted - 1.5 / AREA,
        ),
    ];
    for (name, of, tip, [along, across], expected) in cases {
        let run = |share: f64, steps| {
            let n = if tip == single { 1 } else { 2 };
            let mut s = cantilever(n, 1e3, UNBREAKABLE);
            s.bodies[n].position = tip;
            s.bonds[0].stiffness = parallel(Radius::Length(R));
            s.bonds[0].strength = of(share * expected * load);
            s.solver.max_sweeps = 200_000;
            s.acts.fields.push(Field {
                region: Some(Region::Sphere {
                    centre: tip.into(),
                    radius: 0.5,
                }),
                spell: Spell::ALWAYS,
                pull: Pull::Force(Vector3::new(along, 0.0, across) * load),
                factor: None,
            });
            s.run(steps)
        };
        let held = run(1.001, 3);
        assert!(held.all_converged(), "{name}");
        assert_eq!(counted(&held).1, 0, "{name}");
        let broken = run(0.999, 1);
        assert_eq!(counted(&broken).1, 1, "{name}");
        let [bond] = &broken.broken[..] else {
            panic!("{name}: {:?}", broken.broken)
        };
        assert_eq!((bond.a, bond.b), (BodyId(0), BodyId(1)), "{name}");
    }
}

/// A ball that hits within one long step gets from its bond no more than the strength that the
/// normal force leaves: `T ≤ (c + p tan φ) A`, p being the pressure.
#[test]
fn a_bond_slides_at_no_more_than_its_strength() {
    let (dt, cohesion, friction) = (10.0, 1e-6, 0.5);
    for along in [-1e-5, 1e-6] {
        let mut s = cantilever(1, dt, UNBREAKABLE);
        s.bonds[0].strength = stress(f64::INFINITY, cohesion, friction);
        s.bodies[1].velocity = [along, 0.0, 1e-3];
        let state = s.run(1);
        assert_eq!(counted(&state), (0, 1));
        let contact = &state.contacts[0];
        let n = Vector3::from(contact.normal);
        let force = Vector3::from(contact.impulse) / dt;
        let pressed = force.dot(&n);
        assert!(pressed * along < 0.0, "{pressed:e}");
        let expected = cohesion * AREA + friction * pressed;
        let found = (force - n * pressed).norm();
        assert!(
            (found / expected - 1.0).abs() < 1e-12,
            "{found:e} {expected:e}"
        );
    }
}

/// Balls that fall on each other are glued where they touch, by sections that follow their sizes,
/// and torn apart again by stress.
#[test]
fn the_same_bits_on_any_ranks_while_bonds_break_by_stress() {
    let mut s = sticky_heap();
    let radius = Radius::OfSmaller(0.5);
    let smallest = s
        .bodies
        .iter()
        .map(|b| b.radius)
        .fold(f64::INFINITY, f64::min);
    let area = PI * (0.5 * smallest).powi(2);
    s.bonds[0].stiffness = Stiffness::Parallel(Parallel {
        normal: 2e3 / area,
        tangential: 1e3 / area,
        radius,
    });
    s.bonds[0].strength = Strength::Stress(Stress {
        tension: 0.3 / area,
        cohesion: 0.3 / area,
        friction: 0.5,
        radius,
    });
    let steps = 80;
    let one = s.run(steps);
    let (whole, broken) = counted(&one);
    println!("{whole} whole, {broken} broken");
    assert!(whole > 5 && broken > 5, "{whole} whole, {broken} broken");
    for ranks in [2, 3, 4, 8] {
        assert!(s.run_on(ranks, 1, steps).same_bits(&one), "{ranks} ranks");
    }
    let half = s.run(40);
    let mut rest = s.clone();
    rest.start = Some((40, half.walls.clone(), half.done[39].elastic));
    rest.references.clone_from(&half.references);
    rest.bodies = half.bodies;
    rest.contacts = half.contacts;
    let resumed = rest.run_on(3, 1, steps - 40);
    assert!(resumed.bodies == one.bodies && resumed.contacts == one.contacts);
}
