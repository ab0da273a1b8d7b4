//! Discs in a periodic cell that deforms.

use super::scene::Scene;
use super::springs;
use moreau::body::{Edge, Stress};

/// Discs on a square lattice, each in touch with four others.
fn square(side: usize) -> Scene {
    let size = 2.0 * side as f64;
    let mut s = Scene::new([0.0, 0.0, -0.5], [size, size, 0.5], 0.05);
    (s.planar, s.periodic) = (true, [true, true, false]);
    s.pair = Some(springs(0.3));
    for n in 0..side * side {
        let [x, y] = [n / side, n % side].map(|k| 2.0 * k as f64 + 1.0);
        s.sphere([x, y, 0.0], 1.0, 1.0);
    }
    s
}

/// Edges hold their stress, over sections 1 m thick; mean stress and deviator are those in the
/// plane. The same bits on any ranks.
#[test]
fn discs_hold_the_stress_of_their_cell() {
    let mut each = square(6);
    let stresses = [1.0, 2.5];
    let [x, y] = stresses.map(|stress| Edge::Stress(Stress::constant(stress)));
    each.edges = Some([x, y, Edge::Fixed]);
    let mut both = square(6);
    both.edges = Some([Edge::Fixed, Edge::Fixed, Edge::Fixed]);
    both.mean = Some(Stress::constant(1.5));
    both.deviator = Some((1, Stress::constant(0.4)));
    for (s, stresses) in [(each, stresses), (both, [1.3, 1.7])] {
        let end = s.run(300);
        let upper = end.cell.unwrap().upper;
        let of = end.done.last().unwrap().cell.unwrap();
        for (axis, stress) in stresses.into_iter().enumerate() {
            let error = (of.stress[axis] / stress - 1.0).abs();
            assert!(error < 1e-9, "{axis}: {error:e}");
            // Each row of six discs carries its part of the section across it.
            let section = upper[1 - axis] / 6.0;
            let overlap = 2.0 - upper[axis] / 6.0;
            let error = (1e3 * overlap / (stress * section) - 1.0).abs();
            assert!(error < 1e-9, "{axis}: {error:e}");
        }
        assert_eq!(upper.z, 0.5);
        for (ranks, threads) in [(2, 1), (3, 2), (8, 1)] {
            let other = s.run_on(ranks, threads, 300);
            let same = other.same_bits(&end) && other.cell == end.cell;
            assert!(same, "{ranks} ranks");
        }
    }
}
