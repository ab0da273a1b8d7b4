//! Periodic cells that deform under the time step of contact dynamics.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "cell/discs.rs"]
mod discs;
#[path = "cell/laws.rs"]
mod laws;
#[path = "cell/plan.rs"]
mod plan;
mod scene;
#[path = "cell/shear.rs"]
mod shear;

use moreau::body::{BodyRow, CellState, Edge, Signal, Stress};
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use scene::Scene;
use scene::clump::dumbbell;

fn rate(rate: f64) -> Edge {
    Edge::Strain(Signal::Rate(rate))
}

fn springs(friction: f64) -> Pair {
    Pair {
        compliance: 1e-3,
        tangential_ratio: 0.5,
        ..Pair::coulomb(friction)
    }
}

/// Balls on a cubic lattice of this distance, disturbed by up to a length.
fn lattice(side: usize, distance: f64, by: f64) -> Scene {
    let size = distance * side as f64;
    let mut s = Scene::new([0.0; 3], [size; 3], 1e-3);
    s.periodic = [true; 3];
    let mut draw = Stream::new(Purpose::Trial, 9, [0, 0, 0]);
    for n in 0..side * side * side {
        let at = [n / side / side, n / side % side, n % side];
        let at = at.map(|k| (distance * (k as f64 + 0.5) + draw.between(-by, by)).rem_euclid(size));
        s.sphere(at, 1.0, 1.0);
    }
    s
}

/// A ball alone keeps its place in the cell, and its momentum relative to the strain goes as one
/// over the edge, by the rate of the step before; across the end of the cell it goes on.
#[test]
fn a_ball_follows_the_cell() {
    let mut s = Scene::new([1.0, 0.0, 0.0], [21.0, 20.0, 20.0], 0.01);
    s.periodic = [true; 3];
    s.sphere([11.0, 10.0, 5.0], 1.0, 1.0);
    s.edges = Some([rate(-0.1), Edge::Grows(0.2), Edge::Fixed]);
    let end = s.run(100);
    let cell = end.cell.unwrap();
    let expected = Vector3::new(1.0 + 20.0 * 0.9, 20.0 * 0.2_f64.exp(), 20.0);
    assert!((cell.upper - expected).norm() < 1e-11, "{cell:?}");
    let place = Vector3::new(1.0 + 10.0 * 0.9, 10.0 * 0.2_f64.exp(), 5.0);
    assert!((end.position(0) - place).norm() < 1e-11);

    s.bodies[0].velocity = [0.0, 0.0, 3.0];
    s.bodies[0].position[2] = 19.0;
    s.edges = Some([Edge::Fixed, Edge::Fixed, Edge::Grows(-0.2)]);
    let end = s.run(100);
    // The rate of a step is that of its lengths, and acts on the velocity of the next.
    let factor = 1.0 - (-0.002_f64).exp_m1();
    let expected = 3.0 * factor.powi(99);
    let found = end.velocity(0).z;
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    assert_eq!(end.bodies[0].image[2], 1);
    let lost: f64 = end.done.iter().map(|d| d.forced).sum();
    let kinetic = 0.5 * end.bodies[0].mass * (end.velocity(0).z.powi(2) - 9.0);
    assert!((lost / kinetic - 1.0).abs() < 1e-12, "{lost} {kinetic}");
}

/// A cubic lattice of springs carries its overlap at any strain, exactly: stress, elastic energy,
/// and the work of the cell.
#[test]
fn a_lattice_of_springs_carries_its_overlap() {
    let mut s = lattice(6, 2.0, 0.0);
    s.pair = Some(springs(0.3));
    s.edges = Some([rate(-0.5), Edge::Fixed, Edge::Grows(-0.3)]);
    let steps = 20;
    let end = s.run(steps);
    let before = s.run(steps - 1).cell.unwrap().upper;
    let now = end.cell.unwrap().upper;
    let found = end.done.last().unwrap().cell.unwrap().stress;
    for axis in [0, 2] {
        // The force of the step's end acts over the cell of its start.
        let force = 1e3 * (2.0 - now[axis] / 6.0);
        let section = before.x * before.y * before.z / before[axis] / 36.0;
        let error = (found[axis] / (force / section) - 1.0).abs();
        assert!(error < 1e-9, "{axis}: {error:e}");
    }
    assert!(found[1].abs() < 1e-9 && found[3..].iter().all(|x| x.abs() < 1e-9));
    for row in &end.bodies {
        assert!(Vector3::from(row.velocity).norm() < 1e-12);
    }
}

/// Compressed balls with friction: contacts take what the cell and the bodies give, to rounding;
/// the work of the cell is `−Σ σ ε̇ V Δt` and that on motion relative to it.
#[test]
fn the_ledger_closes() {
    for pair in [
        springs(0.4),
        Pair::coulomb(0.4),
        Pair {
            restitution: 0.5,
            ..Pair::coulomb(0.2)
        },
    ] {
        let mut s = lattice(5, 2.02, 0.02);
        s.pair = Some(pair);
        s.solver.tolerance = 1e-3;
        s.edges = Some([rate(-1.0), rate(-0.3), Edge::Grows(0.2)]);
        let end = s.run(60);
        let mut upper = s.upper;
        let (mut worked, mut taken) = (0.0, 0.0);
        for (k, report) in end.done.iter().enumerate() {
            let (work, of) = (report.outcome.work, report.cell.unwrap());
            let scale = work.taken().abs() + work.driven.abs() + report.lost.abs();
            let error = work.taken() - work.driven - report.lost;
            assert!(
                error.abs() <= 1e-11 * scale + 1e-16,
                "{k}: {error:e} of {scale:e}"
            );
            let cell = s.physics().cell.unwrap();
            let times = [k as f64 * s.dt, (k + 1) as f64 * s.dt];
            let next = cell.prescribed(&upper, times);
            let strains = cell.strains(&upper, &next);
            let stress = Vector3::new(of.stress[0], of.stress[1], of.stress[2]);
            let volume_work = -stress.dot(&strains) * cell.lengths_of(&upper).product();
            let error = of.work - report.forced - volume_work;
            assert!(
                error.abs() <= 1e-10 * volume_work.abs() + 1e-16,
                "{k}: {error:e}"
            );
            assert!((of.work - report.forced - work.driven).abs() <= 1e-10 * scale + 1e-16);
            upper = next;
            worked += of.work;
            taken += work.taken();
        }
        let kinetic: f64 = end.bodies.iter().map(energy).sum();
        assert!(worked > 0.0 && taken > 0.0);
        assert!(
            ((worked - taken) / kinetic - 1.0).abs() < 1e-8,
            "{worked} {taken} {kinetic}"
        );
    }
}

fn energy(row: &BodyRow) -> f64 {
    let [v, w] = [row.velocity, row.angular_velocity].map(Vector3::from);
    0.5 * (row.mass * v.norm_squared() + row.inertia * w.norm_squared())
}

/// The same bits on any ranks, while blocks become fewer as the cell shrinks, and after a stop.
#[test]
fn cells_have_the_same_bits_on_any_ranks() {
    let mut s = lattice(8, 2.4, 0.15);
    s.pair = Some(springs(0.3));
    s.dt = 0.02;
    s.solver.block_edge = Some(4.7);
    s.solver.tolerance = 1e-2;
    s.edges = Some([Edge::Grows(-0.5), rate(-0.4), Edge::Grows(-0.3)]);
    let whole = s.run(24);
    let blocks = |cell: Option<CellState>| {
        let upper = cell.map_or(s.upper, |cell| cell.upper);
        s.partition(1).resized(upper).grid().count()
    };
    assert_eq!(blocks(None), [4; 3]);
    assert_eq!(blocks(whole.cell)[0], 2);
    let forced = whole.done.last().unwrap().cell.unwrap().stress;
    assert!(forced[..3].iter().all(|x| *x > 1.0), "{forced:?}");
    for (ranks, threads) in [(2, 1), (3, 2), (4, 1), (8, 1)] {
        let other = s.run_on(ranks, threads, 24);
        assert!(other.same_bits(&whole), "{ranks} ranks");
    }
    let first = s.run(13);
    let rest = s.goes_on(&first).run_on(3, 1, 11);
    assert_eq!(rest.cell, whole.cell);
    assert_eq!(rest.bodies, whole.bodies);
    assert_eq!(rest.contacts, whole.contacts);
}

/// Edges under stress move by Newton's law, to rounding, whatever their contacts do; at rest the
/// contacts carry the stress.
#[test]
fn edges_hold_their_stress() {
    let mut s = lattice(6, 2.0, 0.0);
    s.pair = Some(springs(0.3));
    s.dt = 0.05;
    let stresses = [1.0, 2.5, 0.6];
    s.edges = Some(stresses.map(|stress| Edge::Stress(Stress::constant(stress))));
    let end = s.run(250);
    let upper = end.cell.unwrap().upper;
    let of = end.done.last().unwrap().cell.unwrap();
    for axis in 0..3 {
        let error = (of.stress[axis] / stresses[axis] - 1.0).abs();
        assert!(error < 1e-9, "{axis}: {error:e}");
        let section = upper.x * upper.y * upper.z / upper[axis] / 36.0;
        let overlap = 2.0 - upper[axis] / 6.0;
        let error = (1e3 * overlap / (stresses[axis] * section) - 1.0).abs();
        assert!(error < 1e-9, "{axis}: {error:e}");
    }
    assert!(
        end.bodies
            .iter()
            .all(|row| Vector3::from(row.velocity).norm() < 1e-12)
    );
}

/// A frictional sample between two stresses and a rate. Balls, then clumps.
fn triaxial(pair: Pair) -> Scene {
    let mut s = lattice(5, 2.0, 0.02);
    s.pair = Some(pair);
    s.dt = 2e-3;
    s.solver.tolerance = 1e-3;
    s.solver.max_sweeps = 500;
    s.edges = Some([
        Edge::Stress(Stress::constant(2.0)),
        Edge::Stress(Stress::constant(1.0)),
        rate(-0.05),
    ]);
    s
}

/// `W Δe = Δt V (σ_contacts − σ)` in each step, and the work of the cell is `−Σ σ ε̇ V Δt`.
#[test]
fn edges_obey_newtons_law() {
    let rigid = Pair::coulomb(0.3);
    for (pair, mass) in [(springs(0.4), None), (rigid, None), (rigid, Some(40.0))] {
        let mut s = triaxial(pair);
        s.edge_mass = mass;
        let end = s.run(20);
        let cell = s.physics().cell.unwrap();
        let (mut now, mut rates) = (s.upper, Vector3::zeros());
        let mut largest = 0.0_f64;
        for k in 0..20 {
            let state = s.run(k + 1);
            let next = state.cell.unwrap();
            let lengths = cell.lengths_of(&now);
            let of = end.done[k as usize].cell.unwrap();
            let volume = cell.lengths_of(&now).product();
            for (axis, stress) in [(0, 2.0), (1, 1.0)] {
                let mass = mass.unwrap_or(125.0 * 2.0 / lengths[axis]);
                let inertia = mass * lengths[axis].powi(2);
                let change = inertia * (next.rate[axis] - rates[axis]);
                let pushed = s.dt * volume * (of.stress[axis] - stress);
                let scale = s.dt * volume * stress;
                assert!(
                    (change - pushed).abs() < 1e-11 * scale,
                    "{k} {axis}: {change:e} {pushed:e}"
                );
                assert!(
                    (next.upper[axis] / now[axis] - 1.0 - next.rate[axis] * s.dt).abs() < 1e-14
                );
                largest = largest.max(of.stress[axis]);
            }
            let stress = Vector3::new(of.stress[0], of.stress[1], of.stress[2]);
            let report = &end.done[k as usize];
            let work = -stress.dot(&next.rate) * s.dt * volume;
            let error = of.work - report.forced - work;
            assert!(
                error.abs() <= 1e-10 * work.abs() + 1e-15,
                "{k}: {error:e} of {work:e}"
            );
            // The rate over the lengths at the start of the next step.
            rates = next.rate.component_div(&(next.rate * s.dt).add_scalar(1.0));
            now = next.upper;
        }
        assert!(largest > 1.0, "the contacts carry something: {largest}");
    }
}

/// Balls, or dumbbells of the density of glass, under stresses in proportion to their mass.
fn pressed(pair: Pair, clumps: bool) -> Scene {
    let mut s = lattice(8, 2.1, 0.05);
    let mut factor = 1.0;
    if clumps {
        s.templates = vec![dumbbell()];
        for row in std::mem::take(&mut s.bodies) {
            s.clump(row.position, 1.0, 0);
        }
        factor = s.bodies[0].mass;
    }
    s.pair = Some(Pair {
        compliance: pair.compliance / factor,
        ..pair
    });
    s.dt = 5e-3;
    s.solver.block_edge = Some(5.2);
    s.solver.tolerance = 1e-3;
    s.solver.max_sweeps = 200;
    let held = |stress: f64| Edge::Stress(Stress::constant(factor * stress));
    s.edges = Some([held(40.0), Edge::Grows(-0.5), held(20.0)]);
    s
}

/// Edges under stress have the same bits on any ranks, of balls and of clumps, and after a stop.
#[test]
fn edges_under_stress_have_the_same_bits_on_any_ranks() {
    for (pair, clumps) in [
        (springs(0.3), false),
        (Pair::coulomb(0.3), false),
        (springs(0.3), true),
    ] {
        let s = pressed(pair, clumps);
        let whole = s.run(40);
        let held = whole.done.last().unwrap().cell.unwrap().stress;
        assert!(held[0] > 1.0 && held[2] > 1.0, "{held:?}");
        for (ranks, threads) in [(2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = s.run_on(ranks, threads, 40);
            assert!(other.same_bits(&whole), "{ranks} ranks");
            assert_eq!(other.cell, whole.cell);
        }
        let first = s.run(25);
        let rest = s.goes_on(&first).run_on(3, 1, 15);
        assert_eq!(rest.cell, whole.cell);
        assert_eq!(rest.bodies, whole.bodies);
    }
}

/// Mean stress and deviator are held, with a volume that follows a rate or not.
#[test]
fn mean_and_deviator_are_held() {
    let mut s = lattice(6, 2.0, 0.0);
    s.pair = Some(springs(0.3));
    s.dt = 0.05;
    s.edges = Some([Edge::Fixed, Edge::Fixed, Edge::Fixed]);
    s.mean = Some(Stress::constant(1.5));
    s.deviator = Some((2, Stress::constant(0.6)));
    let end = s.run(300);
    let [x, y, z, ..] = end.done.last().unwrap().cell.unwrap().stress;
    for (found, expected) in [(x, 1.3), (y, 1.3), (z, 1.9)] {
        assert!((found / expected - 1.0).abs() < 1e-9, "{x} {y} {z}");
    }
    // The deviator alone keeps the volume, to second order in the rates of the steps.
    let pressed = s.goes_on(&end);
    let mut sheared = pressed.clone();
    (sheared.mean, sheared.deviator) = (None, Some((2, Stress::constant(0.3))));
    let cell = sheared.physics().cell.unwrap();
    let end = sheared.run(300);
    let [x, y, z, ..] = end.done.last().unwrap().cell.unwrap().stress;
    assert!((z - 0.5 * (x + y) - 0.3).abs() < 1e-9, "{x} {y} {z}");
    let volumes = [pressed.cell, end.cell].map(|of| cell.lengths_of(&of.unwrap().upper).product());
    assert!((volumes[1] / volumes[0] - 1.0).abs() < 1e-5, "{volumes:?}");
    // The mean with a rate across it: each edge has the rate of the mean in addition.
    let mut driven = pressed;
    driven.deviator = None;
    driven.edges = Some([Edge::Grows(1e-4), Edge::Grows(1e-4), Edge::Grows(-2e-4)]);
    let end = driven.run(100);
    let [x, y, z, ..] = end.done.last().unwrap().cell.unwrap().stress;
    assert!(
        ((x + y + z) / 4.5 - 1.0).abs() < 1e-3 && z > 1.9,
        "{x} {y} {z}"
    );
    let rate = end.cell.unwrap().rate;
    let excess = [rate.x - rate.y, rate.y - rate.z - 3e-4];
    assert!(excess.iter().all(|x| x.abs() < 1e-8), "{rate:?}");
}

/// Bodies that do not move with the cell: alone a ball keeps its velocity; one that crosses the end
/// of the cell takes that of its image; a packing takes up the strain by its contacts.
#[test]
fn bodies_may_stand_while_the_cell_moves() {
    let mut s = Scene::new([0.0; 3], [20.0; 3], 0.01);
    s.periodic = [true; 3];
    s.still_bodies = true;
    s.sphere([9.0, 10.0, 5.0], 1.0, 2.0);
    s.edges = Some([rate(-0.1), Edge::Fixed, Edge::Fixed]);
    let end = s.run(100);
    assert_eq!(end.position(0), Vector3::new(9.0, 10.0, 5.0));
    // The cell ends at 18; the ball at 19 is its image at 1 from 0.5 s on, and comes by 2 m/s.
    s.bodies[0].position[0] = 19.0;
    let end = s.run(100);
    assert!((end.position(0) - Vector3::new(1.0, 10.0, 5.0)).norm() < 1e-12);
    assert!((end.velocity(0) - Vector3::new(2.0, 0.0, 0.0)).norm() < 1e-12);
    assert_eq!(end.bodies[0].image, [1, 0, 0]);
    let worked: f64 = end.done.iter().map(|d| d.cell.unwrap().work).sum();
    assert!((worked - 4.0).abs() < 1e-12, "{worked}");

    let mut s = lattice(6, 2.0, 0.0);
    s.still_bodies = true;
    s.pair = Some(springs(0.3));
    s.dt = 0.05;
    s.edges = Some([1.0, 2.5, 0.6].map(|stress| Edge::Stress(Stress::constant(stress))));
    let end = s.run(600);
    let of = end.done.last().unwrap().cell.unwrap();
    for (found, stress) in of.stress.iter().zip([1.0, 2.5, 0.6]) {
        assert!((found / stress - 1.0).abs() < 1e-6, "{found}");
    }
    let kinetic: f64 = end.bodies.iter().map(energy).sum();
    let worked: f64 = end.done.iter().map(|d| d.cell.unwrap().work).sum();
    let taken: f64 = end.done.iter().map(|d| d.outcome.work.taken()).sum();
    assert!(
        ((worked - taken - kinetic) / worked).abs() < 1e-9,
        "{worked} {taken} {kinetic}"
    );
}

/// Mean, deviator and bodies that stand have the same bits on any ranks.
#[test]
fn other_cells_have_the_same_bits_on_any_ranks() {
    for stands in [false, true] {
        let mut s = pressed(springs(0.3), false);
        s.edges = Some([Edge::Grows(0.1), Edge::Fixed, Edge::Grows(-0.1)]);
        s.mean = Some(Stress::constant(30.0));
        s.deviator = Some((1, Stress::constant(5.0)));
        s.still_bodies = stands;
        let whole = s.run(30);
        let held = whole.done.last().unwrap().cell.unwrap().stress;
        assert!(held[0] > 1.0, "{held:?}");
        for (ranks, threads) in [(2, 1), (3, 2), (8, 1)] {
            let other = s.run_on(ranks, threads, 30);
            assert!(
                other.same_bits(&whole) && other.cell == whole.cell,
                "{ranks} ranks"
            );
        }
    }
}
