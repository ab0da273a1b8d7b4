//! The softest modes of chains, k_n = 1, mass 1.

use super::scene::Scene;
use super::{scene, springs, statics};
use moreau::comm::threads;
use moreau::domain::Domain;
use moreau::law::bond::{Four, Stiffness};
use moreau::scheme::Scheme;
use moreau::scheme::quasistatic::{Modes, NoModes, Statics};
use std::f64::consts::PI;

fn modes(s: &Scene, count: usize) -> Result<Modes, NoModes> {
    let all = threads::run(1, |comm| {
        let domain = Domain::new(comm, s.partition(1));
        let (scheme, state) = s.begin(comm, 1);
        match scheme {
            Scheme::Quasistatic(scheme) => scheme.modes(&state, &domain, count),
            Scheme::MoreauJean(_) => panic!("a quasi-static scheme"),
        }
    });
    all.into_iter().next().unwrap()
}

/// A column of discs on a floor, and a disc apart from it.
fn column(count: usize, friction: f64) -> Scene {
    let top = 2.0 * count as f64;
    let mut s = scene([-3.0, -1.0, -0.5], [9.0, top + 1.0, 0.5], friction);
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    for k in 0..count {
        s.sphere([0.0, 1.0 + 2.0 * k as f64, 0.0], 1.0, 1.0);
    }
    s.sphere([6.0, 1.5, 0.0], 1.0, 1.0);
    s.statics = Some(Statics {
        planar: true,
        ..statics()
    });
    s
}

/// A smooth chain of N between walls: `ω_j = 2 √(k/m) sin(jπ/(2(N + 1)))`, its displacements
/// `sin(jπi/(N + 1))`; motions across it, and rotations, strain nothing.
#[test]
fn a_chain_between_walls() {
    for count in [2, 4, 12] {
        let mut s = column(count, 0.0);
        s.plane([0.0, 2.0 * count as f64, 0.0], [0.0, -1.0, 0.0]);
        let found = modes(&s, 100).unwrap();
        assert_eq!((found.zero, found.rattlers), (2 * count, 1));
        assert_eq!((found.unknowns, found.softest.len()), (3 * count, count));
        for (mode, j) in found.softest.iter().zip(1..) {
            let angle = f64::from(j) * PI / (2.0 * (count + 1) as f64);
            let omega = 2.0 * angle.sin();
            assert!((mode.frequency() / omega - 1.0).abs() < 1e-9, "{j}");
            let ways: Vec<f64> = mode.shape.iter().map(|(_, [way, _])| way.y).collect();
            let square: f64 = ways.iter().map(|y| y * y).sum();
            assert!((square - 1.0).abs() < 1e-9, "{square}");
            let sine = |i: usize| (2.0 * angle * (i + 1) as f64).sin();
            let size = (0..count).map(|i| sine(i).powi(2)).sum::<f64>().sqrt();
            let along: f64 = (0..count).map(|i| ways[i] * sine(i) / size).sum();
            assert!((along.abs() - 1.0).abs() < 1e-9, "{j}: {along}");
        }
    }
}

/// F3: the lowest eigenvalue of the column along its axis, `4 sin²(π/42)`.
#[test]
fn f3_the_softest_mode_of_a_column() {
    let found = modes(&column(10, 0.0), 1).unwrap();
    let lowest = found.softest[0].eigenvalue;
    assert!((lowest - 0.022338347549743).abs() < 1e-12, "{lowest}");
    assert_eq!(
        (found.zero, found.rattlers, found.softest.len()),
        (20, 1, 1)
    );
    // With friction the same mode is among those with shear; a third of the unknowns stays free.
    let found = modes(&column(10, 0.5), 100).unwrap();
    assert_eq!((found.zero, found.softest.len()), (10, 20));
    let along = found.softest.iter().filter(|mode| {
        let across = |(_, [way, turn]): &(_, [moreau::math::Vector3; 2])| way.x.abs() + turn.norm();
        mode.shape.iter().map(across).fold(0.0, f64::max) < 1e-9
    });
    let lowest = along
        .map(|mode| mode.eigenvalue)
        .fold(f64::INFINITY, f64::min);
    assert!((lowest - 0.022338347549743).abs() < 1e-12, "{lowest}");
}

/// The mass of a rotation is the moment of inertia: a disc that rolls on a fixed spring against the
/// floor, `k_t` at its rim, has `ω² = k_t/m + k_t r²/I`, with `I = 2/5 m r²`.
#[test]
fn rotations_have_moments_of_inertia() {
    let found = modes(&column(1, 0.5), 10).unwrap();
    let values: Vec<f64> = found.softest.iter().map(|mode| mode.eigenvalue).collect();
    assert_eq!((found.zero, values.len()), (1, 2));
    assert!((values[0] - 1.0).abs() < 1e-12, "{values:?}");
    assert!((values[1] - 0.5 * (1.0 + 2.5)).abs() < 1e-12, "{values:?}");
    // Periodic cells move as a whole.
    let mut ring = scene([0.0, 0.0, -0.5], [24.0, 24.0, 0.5], 0.0);
    ring.periodic = [true, true, false];
    (0..12).for_each(|k| {
        ring.sphere([1.0 + 2.0 * f64::from(k), 3.0, 0.0], 1.0, 1.0);
    });
    ring.statics = Some(Statics {
        planar: true,
        ..statics()
    });
    ring.pair = Some(springs(0.0));
    let found = modes(&ring, 2).unwrap();
    assert_eq!(found.zero, 25);
    let expected = 4.0 * (PI / 12.0).sin().powi(2);
    for mode in &found.softest {
        assert!(
            (mode.eigenvalue - expected).abs() < 1e-12,
            "{}",
            mode.eigenvalue
        );
    }
}

/// Too many unknowns for a dense matrix.
#[test]
fn too_many_unknowns_are_refused() {
    let refused = modes(&column(1001, 0.0), 1);
    assert_eq!(refused, Err(NoModes::TooMany(3003)));
}

/// The softest mode of a long glued cantilever is `ω² = 12.362 k_b/(m d² N⁴)`, that of a slender beam:
/// 4e-12 of the largest, and not one that strains nothing.
#[test]
fn a_slender_beam_has_its_softest_mode() {
    let count = 120;
    let mut s = column(count, 0.5);
    let mut glue = super::bonds::glue(f64::INFINITY);
    let bending = 1e-3;
    glue.stiffness = Stiffness::Given(Four {
        normal: 1.0,
        tangential: 2.0,
        bending,
        twisting: 1.0,
    });
    s.bonds = vec![glue];
    let found = modes(&s, 1).unwrap();
    assert_eq!((found.zero, found.rattlers), (0, 1));
    let expected = 12.362 * bending / (4.0 * (count as f64).powi(4));
    let ratio = found.softest[0].eigenvalue / expected;
    // The half bond at the wall shortens it by the part 1/(2 N), to the fourth power.
    assert!((ratio - 1.0).abs() < 4.0 / count as f64, "{ratio}");
}

/// Where nothing touches, all bodies are left out.
#[test]
fn loose_discs_have_no_modes() {
    let found = modes(&column(0, 0.5), 3).unwrap();
    assert_eq!(
        (found.unknowns, found.rattlers, found.softest.len()),
        (0, 1, 0)
    );
}
