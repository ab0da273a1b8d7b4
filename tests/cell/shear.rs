//! Simple shear by moving images.

use super::scene::Scene;
use super::{energy, lattice, pressed, springs};
use moreau::body::{Edge, Shearing, Signal, Stress};
use moreau::math::Vector3;

pub(crate) fn shear(along: usize, across: usize, rate: f64) -> Option<Shearing> {
    Some(Shearing {
        along,
        across,
        strain: Signal::Rate(rate),
    })
}

/// Simple shear: a ball alone keeps its place in the cell, also after images have moved by more than
/// a period; one that moves across comes to where its image is.
#[test]
fn a_ball_follows_the_shear() {
    let mut s = Scene::new([0.0, 1.0, 0.0], [20.0, 11.0, 20.0], 0.01);
    s.periodic = [true; 3];
    s.edges = Some([(); 3].map(|()| Edge::Fixed));
    s.shear = shear(0, 1, 2.0);
    s.sphere([3.0, 6.0, 5.0], 1.0, 1.0);
    let end = s.run(200);
    let cell = end.cell.unwrap();
    // Strain 4: images are 40 m on, two periods.
    assert!((cell.sheared - 4.0).abs() < 1e-12);
    assert!(cell.shear.unwrap().shift.abs() < 1e-9);
    // 3 + 4 · 5 = 23: image at 3.
    let place = end.position(0) - Vector3::new(3.0, 6.0, 5.0);
    assert!(place.norm() < 1e-9, "{place}");
    // Across: y grows by 0.3 m a step up to 11 and goes on at 1. With the velocity against the
    // shear constant but for `−γ̇ v_y`, the path in space is straight: x moves by nothing.
    s.bodies[0].velocity = [-2.0 * (6.0 - 1.0), 3.0, 0.0];
    let end = s.run(200);
    let row = &end.bodies[0];
    let path = row.position[1] + 10.0 * row.image[1] as f64;
    assert!((path - 12.0).abs() < 1e-9 && row.image[1] == 1, "{path}");
    let v = end.velocity(0);
    // At height 11 m it stands against a shear of 2 per second: v_x = −22 m/s, but for the step.
    assert!((v.x + 22.0).abs() < 0.07 && v.y == 3.0, "{v}");
    let gained: f64 = end.done.iter().map(|d| d.forced).sum();
    let kinetic = 0.5 * (v.norm_squared() - 109.0);
    assert!((gained / kinetic - 1.0).abs() < 1e-12, "{gained} {kinetic}");
    // The shift of images is taken back by a period at 2.5 s, when the ball has crossed the cell.
    // Its continuous path along the shear stays at 3 m, but for half a step of the acceleration.
    let end = s.run(300);
    let (row, shift) = (&end.bodies[0], end.cell.unwrap().shear.unwrap().shift);
    let [along, across] = [row.image[0] as f64, row.image[1] as f64];
    let path = row.position[0] + 20.0 * along + shift * across;
    assert!((path - 3.0).abs() < 0.1 && across == 1.0, "{path} {row:?}");
}

/// A cubic lattice of springs under simple shear carries the stress of its overlaps in closed form,
/// along each pair of axes, and the work of the cell is `−V Δt σ : ∇v`.
#[test]
fn a_sheared_lattice_carries_its_overlaps() {
    for (along, across) in [(0, 1), (2, 0), (1, 2)] {
        let mut s = lattice(6, 1.99, 0.0);
        s.pair = Some(springs(0.0));
        s.edges = Some([(); 3].map(|()| Edge::Fixed));
        s.shear = shear(along, across, 1.0);
        s.dt = 2e-4;
        let end = s.run(400);
        let gamma = end.cell.unwrap().sheared;
        assert!((gamma - 0.08).abs() < 1e-12);
        // The geometry of contacts is that of the start of the step.
        let gamma = gamma - s.dt;
        // Branches of a site: three axes, one of them sheared. Without friction the others stay.
        let mut expected = [[0.0; 3]; 3];
        let volume = 1.99_f64.powi(3);
        for axis in 0..3 {
            let mut branch = Vector3::ith(axis, 1.99);
            if axis == across {
                branch[along] = 1.99 * gamma;
            }
            let (n, gap) = (branch.normalize(), branch.norm() - 2.0);
            // A spring is as long as at the end of the step along the normal of its start.
            let closing = match axis == across {
                true => n[along] * s.dt * 1.99,
                false => 0.0,
            };
            let force = 1e3 * (-gap - closing).max(0.0);
            for i in 0..3 {
                for j in 0..3 {
                    expected[i][j] += force * n[i] * branch[j] / volume;
                }
            }
        }
        let found = end.done.last().unwrap().cell.unwrap().stress;
        let pairs = [[0, 0], [1, 1], [2, 2], [1, 2], [2, 0], [0, 1]];
        let sheared = pairs.iter().position(|pair| {
            let mut axes = *pair;
            axes.sort_unstable();
            axes == [along.min(across), along.max(across)]
        });
        let mut worked = 0.0;
        for report in &end.done {
            let of = report.cell.unwrap();
            let expected = -of.stress[sheared.unwrap()] * s.dt * 216.0 * volume;
            let scale = s.dt * 216.0 * volume * of.stress[0];
            assert!(
                (of.work - expected).abs() < 1e-10 * scale,
                "{:e} {expected:e}",
                of.work
            );
            worked += of.work;
        }
        // Sheared springs are longer, so that the cell takes work from them.
        assert!(worked < 0.0, "{worked}");
        for (found, [i, j]) in found.iter().zip(pairs) {
            let expected = 0.5 * (expected[i][j] + expected[j][i]);
            assert!(
                (found - expected).abs() < 1e-9,
                "{along} {across}: {i}{j} {found} {expected}"
            );
        }
    }
}

/// Sheared by several cells, under a stress across: the ledger closes, nothing is lost, and the
/// stress stays.
#[test]
fn a_sample_sheared_far_closes_its_ledger() {
    let mut s = lattice(6, 2.0, 0.05);
    s.pair = Some(springs(0.5));
    s.dt = 5e-3;
    s.solver.tolerance = 1e-4;
    s.edges = Some([
        Edge::Fixed,
        Edge::Stress(Stress::constant(20.0)),
        Edge::Fixed,
    ]);
    s.shear = shear(0, 1, 1.0);
    let end = s.run(500);
    let cell = end.cell.unwrap();
    assert!((cell.sheared - 2.5).abs() < 1e-9);
    let (mut worked, mut taken) = (0.0, 0.0);
    let (mut ratio, mut across) = (0.0, 0.0);
    for (k, report) in end.done.iter().enumerate() {
        let of = report.cell.unwrap();
        worked += of.work;
        taken += report.outcome.work.taken();
        if k >= 200 {
            ratio += -of.stress[5] / of.stress[1] / 300.0;
            across += of.stress[1] / 300.0;
        }
    }
    let kinetic: f64 = end.bodies.iter().map(energy).sum();
    assert!(
        ((worked - taken) / kinetic - 1.0).abs() < 1e-7,
        "{worked} {taken} {kinetic}"
    );
    // But for the momentum of the edge, which swings about zero.
    assert!((across / 20.0 - 1.0).abs() < 0.05, "{across}");
    // Grains with friction 0.5 flow at a ratio between 0.3 and 0.6.
    assert!((0.25..0.65).contains(&ratio), "{ratio}");
}

/// Simple shear has the same bits on any ranks, with several blocks along each axis, also when
/// images pass the end of a period, and after a stop.
#[test]
fn shear_has_the_same_bits_on_any_ranks() {
    for clumps in [false, true] {
        let mut s = pressed(springs(0.3), clumps);
        s.edges = Some([Edge::Fixed, Edge::Grows(-0.3), Edge::Fixed]);
        s.shear = shear(0, 2, 3.0);
        s.dt = 4e-3;
        let whole = s.run(60);
        let cell = whole.cell.unwrap();
        assert!((cell.sheared - 0.72).abs() < 1e-12);
        assert!(
            cell.shear.unwrap().shift < 0.0,
            "it has passed half a period"
        );
        assert!(s.partition(1).grid().count().iter().all(|n| *n >= 2));
        for (ranks, threads) in [(2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = s.run_on(ranks, threads, 60);
            assert!(
                other.same_bits(&whole) && other.cell == whole.cell,
                "{ranks} ranks"
            );
        }
        let first = s.run(37);
        let rest = s.goes_on(&first).run_on(3, 1, 23);
        assert_eq!(rest.cell, whole.cell);
        assert_eq!(rest.bodies, whole.bodies);
        // One block everywhere finds the same contacts across moved images.
        let s = s.goes_on(&first);
        assert!(first.cell.unwrap().shear.unwrap().shift.abs() > 1.0);
        let mut wide = s.clone();
        wide.solver.block_edge = Some(16.0);
        let (one, other) = (s.run(1), wide.run(1));
        assert!(one.contacts.len() > 20, "{}", one.contacts.len());
        assert_eq!(one.contacts.len(), other.contacts.len());
        for (a, b) in one.contacts.iter().zip(&other.contacts) {
            assert_eq!((a.key, a.gap), (b.key, b.gap));
        }
    }
}
