//! Periodic cells that deform: k_n = 1, k_t = 0.5, radius 1.

use super::moduli::{FACES, lattice, moduli};
use super::scene::{Scene, State};
use super::{springs, statics};
use moreau::body::{BodyRow, Edge, Signal, Stress};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::quasistatic::{Method, Select, Statics};

/// The last refuses lattices in which neighbours may roll on each other as gears do.
const METHODS: [Method; 3] = [
    Method::BagiBojtar,
    Method::Kishino(Select::Block),
    Method::SerranoRodriguez,
];

fn strain(to: f64) -> Edge {
    Edge::Strain(Signal::Rate(to))
}

fn lengths(s: &Scene, end: &State) -> Vector3 {
    end.cell.unwrap().upper - s.lower
}

fn stress(end: &State) -> [f64; 6] {
    end.done.last().unwrap().cell.unwrap().stress
}

/// F5, F6: a lattice that is strained uniformly carries the closed-form stress `C : ε` of first
/// order; the strain is so small that the second order is below the bound.
#[test]
fn a_strained_lattice_carries_the_stress_of_its_moduli() {
    const STRAIN: f64 = 1e-10;
    let face = 2.0 * 2.0_f64.sqrt();
    let hexagon = [2.0, 2.0 * 3.0_f64.sqrt(), 1.0];
    let lattices = [
        lattice([2.0; 3], &[[0.0; 3]], [8, 8, 1], true),
        lattice(hexagon, &[[0.0; 3], [0.5, 0.5, 0.0]], [8, 6, 1], true),
        lattice([face; 3], &FACES, [5; 3], false),
    ];
    for (number, mut s) in lattices.into_iter().enumerate() {
        s.gravity = Vector3::zeros();
        // Contacts that only touch would open as bodies move by rounding.
        for row in &mut s.bodies {
            row.position = row.position.map(|x| x + 0.25);
        }
        let planar = s.statics.unwrap().planar;
        let tensor = moduli(&s, 1).unwrap().tensor;
        let of = Vector3::new(-3.0, -2.0, if planar { 0.0 } else { -1.0 }) * STRAIN;
        s.edges = Some([0, 1, 2].map(|axis| match planar && axis == 2 {
            true => Edge::Fixed,
            false => strain(of[axis]),
        }));
        for method in &METHODS[..if number == 0 { 2 } else { 3 }] {
            let method = *method;
            s.statics = s.statics.map(|of| Statics { method, ..of });
            let end = s.run(1);
            let found = stress(&end);
            for row in 0..if planar { 2 } else { 3 } {
                let expected: f64 = -(0..3).map(|k| tensor[(row, k)] * of[k]).sum::<f64>();
                let error = (found[row] - expected).abs() / STRAIN;
                // A position below 16 m is rounded by 2e-15 m, 2e-5 of a displacement of 1e-10 m.
                assert!(error < 3e-5, "{method:?} {row}: {error:e}");
            }
        }
    }
}

/// A square lattice compressed along x only: each contact along x carries k times its overlap,
/// exactly; the stress is that over its section.
#[test]
fn a_square_lattice_carries_its_overlap_at_any_strain() {
    let mut s = lattice([2.0; 3], &[[0.0; 3]], [6, 6, 6], false);
    s.gravity = Vector3::zeros();
    for (method, steps) in [(METHODS[0], 8), (METHODS[1], 8)] {
        s.statics = s.statics.map(|of| Statics { method, ..of });
        s.edges = Some([strain(-0.08 / 8.0), Edge::Fixed, Edge::Grows(-0.05 / 8.0)]);
        let end = s.run(steps);
        let lengths = lengths(&s, &end);
        let n = steps as f64;
        assert!((lengths.x - 12.0 * (1.0 - 0.01 * n)).abs() < 1e-12);
        assert!((lengths.z - 12.0 * (-0.05 / 8.0 * n).exp()).abs() < 1e-12);
        let found = stress(&end);
        let sites = lengths / 6.0;
        for (axis, length) in [(0, sites.x), (2, sites.z)] {
            let expected = (2.0 - length) / (sites.x * sites.y * sites.z / length);
            let error = (found[axis] / expected - 1.0).abs();
            assert!(error < 1e-9, "{method:?} {axis}: {error:e}");
        }
        assert!(found[1].abs() < 1e-12 && found[3..].iter().all(|x| x.abs() < 1e-12));
        // The mean of two forces of a linear spring gives its energy: 216 springs along each axis.
        let work: f64 = end.done.iter().map(|done| done.cell.unwrap().work).sum();
        let energy = 108.0 * ((2.0 - sites.x).powi(2) + (2.0 - sites.z).powi(2));
        let error = (work / energy - 1.0).abs();
        assert!(error < 1e-9, "{method:?}: {error:e}");
    }
}

/// A random packing of balls in a periodic cell that has just come to contact.
pub(crate) fn packing(side: usize, friction: f64) -> Scene {
    let size = 2.1 * side as f64;
    let mut s = lattice([2.1; 3], &[[0.0; 3]], [side as u32; 3], false);
    let mut draw = Stream::new(Purpose::Trial, 7, [0, 0, 0]);
    let shifted = |row: &mut BodyRow| {
        row.radius = draw.between(0.9, 1.1);
        row.position = row.position.map(|x| (x + draw.between(0.5, 0.9)) % size);
    };
    s.bodies.iter_mut().for_each(shifted);
    s.pair = Some(springs(friction));
    s.gravity = Vector3::zeros();
    s.statics = Some(Statics {
        tolerance: 1e-7,
        linear_tolerance: 1e-3,
        max_iterations: 400,
        jump: 1e3,
        ..statics()
    });
    s
}

/// Edges that follow stresses hold them; the work of the cell is `Σ −F ΔL`, and goes into springs
/// and friction.
#[test]
fn stress_is_held_and_the_ledger_closes() {
    let mut s = packing(5, 0.3);
    s.edges = Some([(); 3].map(|()| Edge::Stress(Stress::constant(2e-3))));
    let pressed = s.run(2);
    for found in &stress(&pressed)[..3] {
        assert!((found / 2e-3 - 1.0).abs() < 1e-5, "{found:e}");
    }
    // Nothing moves between increments: time steps that follow begin at rest.
    assert_eq!(pressed.cell.unwrap().rate, Vector3::zeros());
    let mut sheared = s.goes_on(&pressed);
    sheared.edges = Some([
        Edge::Stress(Stress::constant(2e-3)),
        Edge::Stress(Stress::constant(2e-3)),
        Edge::Strain(Signal::Rate(-5e-4)),
    ]);
    let end = sheared.run(6);
    for report in &end.done {
        let found = report.cell.unwrap().stress;
        for found in &found[..2] {
            assert!((found / 2e-3 - 1.0).abs() < 1e-5, "{found:e}");
        }
        assert_eq!(report.cell.unwrap().work, report.outcome.work.driven);
    }
    assert!(stress(&end)[2] > 2.2e-3, "{:?}", stress(&end));
    let work: f64 = end.done.iter().map(|d| d.cell.unwrap().work).sum();
    let lost: f64 = end.done.iter().map(|d| d.dissipated).sum();
    let stored = end.done.last().unwrap().elastic - pressed.done.last().unwrap().elastic;
    assert!(((stored + lost) / work - 1.0).abs() < 1e-10);
    assert!(work > 0.0 && lost > 0.0, "{work:e} {lost:e}");
}

/// The forces against the edges of a cell, `σ V/L`, outwards [N].
fn on_edges(stress: [f64; 6], lengths: &Vector3) -> Vector3 {
    let volume = lengths.product();
    Vector3::from_fn(|axis, _| stress[axis] * volume / lengths[axis])
}

/// In an increment of one part the cell does the work of the mean forces on its edges, `Σ −F ΔL`.
#[test]
fn the_work_of_a_cell_is_that_of_its_stresses() {
    let mut s = packing(5, 0.3);
    // The work is that of the forces that are found, whatever is left out of balance.
    s.statics = s.statics.map(|of| Statics {
        tolerance: 1e-4,
        ..of
    });
    s.edges = Some([(); 3].map(|()| Edge::Stress(Stress::constant(2e-3))));
    let pressed = s.run(1);
    s = s.goes_on(&pressed);
    s.edges = Some([
        Edge::Stress(Stress::constant(2e-3)),
        Edge::Grows(2e-4),
        Edge::Strain(Signal::Rate(-5e-4)),
    ]);
    let mut before = pressed;
    for steps in 1..=2 {
        let after = s.run(steps);
        let states = [&before, &after];
        let [from, to] = states.map(|end| lengths(&s, end));
        let [first, last] =
            [(&before, &from), (&after, &to)].map(|(end, lengths)| on_edges(stress(end), lengths));
        let given = (first + last).component_mul(&(from - to)) * 0.5;
        let report = after.done.last().unwrap();
        assert_eq!(report.tally.unwrap().parts, 1);
        let work = report.cell.unwrap().work;
        let size = given.abs().sum();
        assert!(
            (work - given.sum()).abs() < 1e-12 * size,
            "{steps}: {work:e}, {given:?}"
        );
        assert!(
            given.iter().all(|part| part.abs() > 0.01 * size),
            "{given:?}"
        );
        before = after;
    }
}

/// F5, F6 at finite strain: with all edges strained alike, each contact of a lattice carries k times
/// its overlap, and the pressure is `Σ F b/(d V)`.
#[test]
fn a_lattice_under_pressure_carries_the_force_of_its_contacts() {
    let face = 2.0 * 2.0_f64.sqrt();
    let hexagon = [2.0, 2.0 * 3.0_f64.sqrt(), 1.0];
    // Contacts of a body, and the volume of a site over the cube of its radius.
    let lattices = [
        (
            lattice(hexagon, &[[0.0; 3], [0.5, 0.5, 0.0]], [8, 6, 1], true),
            6.0,
        ),
        (lattice([face; 3], &FACES, [5; 3], false), 12.0),
    ];
    for (mut s, contacts) in lattices {
        s.gravity = Vector3::zeros();
        let planar = s.statics.unwrap().planar;
        let edge = strain(-0.01);
        let third = if planar { Edge::Fixed } else { edge.clone() };
        s.edges = Some([edge.clone(), edge, third]);
        for method in METHODS {
            s.statics = s.statics.map(|of| Statics { method, ..of });
            let end = s.run(1);
            let lengths = lengths(&s, &end);
            let (space, depth) = if planar { (2.0, 1.0) } else { (3.0, lengths.z) };
            let volume = lengths.x * lengths.y * depth / s.bodies.len() as f64;
            let expected = 0.5 * contacts * 0.02 * 1.98 / (space * volume);
            for axis in 0..space as usize {
                let error = (stress(&end)[axis] / expected - 1.0).abs();
                assert!(error < 1e-9, "{method:?} {axis}: {error:e}");
            }
        }
    }
}

/// Smooth balls turn freely: that is not an obstacle to the moduli of an irregular packing, where
/// rounding leaves their turning some stiffness.
#[test]
fn a_smooth_packing_has_moduli() {
    let face = 2.0 * 2.0_f64.sqrt() * 0.97;
    let mut s = lattice([face; 3], &FACES, [4; 3], false);
    let mut draw = Stream::new(Purpose::Trial, 11, [0, 0, 0]);
    for row in &mut s.bodies {
        row.position = row.position.map(|x| x + draw.between(0.2, 0.22));
    }
    s.pair = Some(springs(0.0));
    s.gravity = Vector3::zeros();
    let found = moduli(&s, 1).unwrap();
    assert_eq!((found.contacts, found.rattlers), (6 * 256, 0));
    let bulk = found.tensor.fixed_view::<3, 3>(0, 0).sum() / 9.0;
    // A contact presses by k ε b, so that K = Σ k b²/(9 V), but for the ways that bodies give.
    let affine = 6.0 * 256.0 * 1.94_f64.powi(2) / (9.0 * (4.0 * face).powi(3));
    assert!((bulk / affine - 1.0).abs() < 0.02, "{bulk} {affine}");
}

/// Kishino's method moves edges together: in these lattices an edge's force depends on the others
/// more than on itself, so that each by itself would overshoot.
#[test]
fn kishino_holds_several_stresses_of_coupled_edges() {
    let (face, cube) = (2.0 * 2.0_f64.sqrt(), 4.0 / 3.0_f64.sqrt());
    let centred = [[0.0; 3], [0.5; 3]];
    let lattices = [
        lattice([face; 3], &FACES, [5; 3], false),
        lattice([cube; 3], &centred, [5; 3], false),
        // A square lattice turned by 45°.
        lattice(
            [face, face, 1.0],
            &[[0.0; 3], [0.5, 0.5, 0.0]],
            [5, 5, 1],
            true,
        ),
    ];
    for (number, mut s) in lattices.into_iter().enumerate() {
        s.gravity = Vector3::zeros();
        let stresses = [2e-3, 1.9e-3, 2.1e-3];
        let [x, y, z] = stresses.map(|stress| Edge::Stress(Stress::constant(stress)));
        let planar = s.statics.unwrap().planar;
        s.edges = Some([x, y, if planar { Edge::Fixed } else { z }]);
        // Contacts that only touch would open by rounding.
        s.bodies.iter_mut().for_each(|row| row.radius = 1.0005);
        s.pair = Some(springs(0.5));
        s.statics = s.statics.map(|of| Statics {
            method: Method::Kishino(Select::Block),
            tolerance: 1e-6,
            jump: 1e3,
            ..of
        });
        let end = s.run(1);
        let found = stress(&end);
        for axis in 0..if planar { 2 } else { 3 } {
            let error = (found[axis] / stresses[axis] - 1.0).abs();
            assert!(error < 1e-4, "{number} {axis}: {found:?}");
        }
        assert!(s.run_on(3, 1, 1).same_bits(&end), "{number}");
    }
}

/// Balls or discs that nearly touch, on disturbed sites of a lattice.
fn disturbed(planar: bool, method: Method) -> Scene {
    let mut s = lattice(
        [2.0; 3],
        &[[0.0; 3]],
        [8, 8, if planar { 1 } else { 8 }],
        planar,
    );
    let mut draw = Stream::new(Purpose::Trial, 8, [0, 0, 0]);
    for row in &mut s.bodies {
        let [x, y, z] = row.position.map(|x| x + draw.between(0.9, 1.1));
        row.position = [x, y, if planar { 0.0 } else { z }];
        row.radius = draw.between(0.98, 1.02);
    }
    s.pair = Some(springs(0.3));
    s.gravity = Vector3::zeros();
    s.solver.block_edge = Some(7.9);
    s.statics = s.statics.map(|of| Statics {
        method,
        tolerance: 1e-4,
        linear_tolerance: 1e-3,
        max_iterations: 400,
        jump: 1e3,
        ..of
    });
    s
}

/// Free, driven and growing edges, with blocks that become fewer as the cell shrinks: the same bits
/// on any ranks and after a stop.
#[test]
fn cells_have_the_same_bits_on_any_ranks() {
    for (planar, method) in [
        (false, Method::BagiBojtar),
        (true, Method::Kishino(Select::Block)),
    ] {
        let mut s = disturbed(planar, method);
        let held = Edge::Stress(Stress::constant(5e-3));
        let shrinks = Edge::Strain(Signal::Rate(-0.01));
        let last = if planar {
            Edge::Fixed
        } else {
            Edge::Grows(-0.01)
        };
        s.edges = Some([shrinks, held, last]);
        let whole = s.run(2);
        let blocks = |upper: Vector3| s.partition(1).resized(upper).grid().count();
        assert_eq!(blocks(s.upper)[0], 2);
        assert_eq!(blocks(whole.cell.unwrap().upper)[0], 1);
        let held = stress(&whole)[1];
        assert!((held / 5e-3 - 1.0).abs() < 1e-2, "{method:?}: {held:e}");
        for (ranks, threads) in [(2, 1), (3, 1), (4, 2), (8, 1)] {
            let other = s.run_on(ranks, threads, 2);
            assert!(other.same_bits(&whole), "{method:?}: {ranks} ranks");
        }
        let first = s.run(1);
        let rest = s.goes_on(&first).run_on(2, 1, 1);
        assert_eq!(rest.cell, whole.cell);
        assert_eq!(rest.bodies, whole.bodies);
    }
}

/// Mean stress and deviator are held in each increment, also while the volume stays: an undrained
/// test.
#[test]
fn mean_and_deviator_are_held() {
    let mut s = packing(5, 0.3);
    s.edges = Some([(); 3].map(|()| Edge::Fixed));
    s.mean = Some(Stress::constant(2e-3));
    let pressed = s.run(2);
    let [x, y, z, ..] = stress(&pressed);
    assert!(((x + y + z) / 6e-3 - 1.0).abs() < 1e-5, "{x:e} {y:e} {z:e}");
    let mut sheared = s.goes_on(&pressed);
    sheared.deviator = Some((2, Stress::constant(4e-4)));
    let end = sheared.run(2);
    let [x, y, z, ..] = stress(&end);
    assert!(((x + y + z) / 6e-3 - 1.0).abs() < 1e-5, "{x:e} {y:e} {z:e}");
    assert!(
        ((z - 0.5 * (x + y)) / 4e-4 - 1.0).abs() < 1e-4,
        "{x:e} {y:e} {z:e}"
    );
    let other = sheared.run_on(3, 1, 2);
    assert!(other.same_bits(&end) && other.cell == end.cell);
    // Rates that add up to zero keep the volume; the mean stress follows.
    let mut undrained = s.goes_on(&pressed);
    undrained.mean = None;
    undrained.edges = Some([1e-4, 1e-4, -2e-4].map(Edge::Grows));
    let end = undrained.run(4);
    let cell = undrained.physics().cell.unwrap();
    let volumes = [&pressed, &end].map(|of| cell.lengths_of(&of.cell.unwrap().upper).product());
    assert!((volumes[1] / volumes[0] - 1.0).abs() < 1e-14);
    let [x, y, z, ..] = stress(&end);
    assert!(
        z > 1.1 * x.max(y) && (x + y + z - 6e-3).abs() > 1e-5,
        "{x:e} {y:e} {z:e}"
    );
}
