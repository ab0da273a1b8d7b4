//! F5, F6, F15: the elastic moduli of lattices, k_n = 1, k_t = 0.5, radius 1.

use super::scene::Scene;
use super::{scene, springs, statics};
use moreau::body::BodyId;
use moreau::comm::threads;
use moreau::domain::Domain;
use moreau::law::{Pair, PairTable};
use moreau::scheme::Scheme;
use moreau::scheme::quasistatic::{Moduli, NoModuli, Statics};

/// The distance of neighbours.
const D: f64 = 2.0;

/// Balls at the sites of a cell, repeated along each axis; periodic.
pub(crate) fn lattice(
    cell: [f64; 3],
    sites: &[[f64; 3]],
    repeats: [u32; 3],
    planar: bool,
) -> Scene {
    let size = [0, 1, 2].map(|a| cell[a] * f64::from(repeats[a]));
    let (lower, upper) = if planar {
        ([0.0, 0.0, -0.5], [size[0], size[1], 0.5])
    } else {
        ([0.0; 3], size)
    };
    let mut s = scene(lower, upper, 0.5);
    s.periodic = [true, true, !planar];
    for x in 0..repeats[0] {
        for y in 0..repeats[1] {
            for z in 0..repeats[2] {
                let at = [x, y, z].map(f64::from);
                for site in sites {
                    let place = [0, 1, 2].map(|a| (at[a] + site[a]) * cell[a]);
                    s.sphere(place, 1.0, 1.0);
                }
            }
        }
    }
    s.statics = Some(Statics {
        planar,
        ..statics()
    });
    s
}

pub(crate) fn moduli(s: &Scene, ranks: usize) -> Result<Moduli, NoModuli> {
    let all = threads::run(ranks, |comm| {
        let domain = Domain::new(comm, s.partition(ranks));
        let (scheme, state) = s.begin(comm, 1);
        match scheme {
            Scheme::Quasistatic(scheme) => scheme.moduli(&state, &domain),
            Scheme::MoreauJean(_) => panic!("a quasi-static scheme"),
        }
    });
    assert!(
        all.iter().all(|found| *found == all[0]),
        "the same on all ranks"
    );
    all.into_iter().next().unwrap()
}

/// The numbers of Voigt's matrix at these places, and nothing elsewhere in rows and columns x, y, z
/// against shear.
#[track_caller]
fn has(s: &Scene, expected: &[(usize, usize, f64)]) {
    let found = moduli(s, 1).unwrap();
    for &(i, j, number) in expected {
        for at in [(i, j), (j, i)] {
            let entry = found.tensor[at];
            assert!((entry - number).abs() < 1e-9, "{at:?}: {entry} {number}");
        }
    }
    for (i, j) in [(0, 3), (0, 4), (0, 5), (1, 5), (2, 5), (3, 4), (4, 5)] {
        assert!(found.tensor[(i, j)].abs() < 1e-9, "{}", found.tensor);
    }
    assert_eq!(found.rattlers, 0);
}

fn cubic(c11: f64, c12: f64, c44: f64) -> Vec<(usize, usize, f64)> {
    let mut all = vec![(0, 1, c12), (1, 2, c12), (2, 0, c12)];
    all.extend((0..3).map(|k| (k, k, c11)));
    all.extend((3..6).map(|k| (k, k, c44)));
    all
}

pub(crate) const FACES: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];

fn fcc(repeats: u32) -> Scene {
    lattice([D * 2.0_f64.sqrt(); 3], &FACES, [repeats; 3], false)
}

#[test]
fn f5_discs_on_a_square_lattice() {
    let s = lattice([D; 3], &[[0.0; 3]], [8, 8, 1], true);
    has(&s, &[(0, 0, 1.0), (1, 1, 1.0), (0, 1, 0.0), (5, 5, 0.25)]);
}

fn hexagonal() -> Scene {
    let cell = [D, D * 3.0_f64.sqrt(), 1.0];
    lattice(cell, &[[0.0; 3], [0.5, 0.5, 0.0]], [8, 5, 1], true)
}

#[test]
fn f5_discs_on_a_hexagonal_lattice() {
    let s = hexagonal();
    let root = 3.0_f64.sqrt() / 4.0;
    let (c11, c12) = (root * 3.5, root * 0.5);
    has(
        &s,
        &[(0, 0, c11), (1, 1, c11), (0, 1, c12), (5, 5, root * 1.5)],
    );
    let [bulk, shear] = moduli(&s, 1).unwrap().bulk_and_shear();
    assert!((bulk - (c11 + c12) / 2.0).abs() < 1e-9, "{bulk}");
    assert!((shear - root * 1.5).abs() < 1e-9, "{shear}");
}

/// A lattice that is not simple: bodies move further than the strain says.
#[test]
fn f15_discs_on_a_honeycomb() {
    let cell = [3.0 * D, D * 3.0_f64.sqrt(), 1.0];
    let sites = [
        [0.0; 3],
        [1.0 / 3.0, 0.0, 0.0],
        [0.5, 0.5, 0.0],
        [5.0 / 6.0, 0.5, 0.0],
    ];
    let s = lattice(cell, &sites, [4, 5, 1], true);
    let (bulk, shear) = (0.288675134595, 0.192450089730);
    let (c11, c12) = (bulk + shear, bulk - shear);
    has(&s, &[(0, 0, c11), (1, 1, c11), (0, 1, c12), (5, 5, shear)]);
}

#[test]
fn f6_balls_on_a_simple_cubic_lattice() {
    let s = lattice([D; 3], &[[0.0; 3]], [8; 3], false);
    has(&s, &cubic(1.0 / D, 0.0, 0.25 / D));
}

#[test]
fn f6_balls_on_a_face_centred_lattice() {
    let root = 2.0_f64.sqrt();
    let c = cubic(root / D * 1.5, 0.5 / (root * D), 1.5 / (root * D));
    has(&fcc(6), &c);
}

#[test]
fn f15_balls_on_a_body_centred_lattice() {
    let cell = [2.0 * D / 3.0_f64.sqrt(); 3];
    let s = lattice(cell, &[[0.0; 3], [0.5; 3]], [8; 3], false);
    has(
        &s,
        &cubic(1.154700538379 / D, 0.288675134595 / D, 0.721687836487 / D),
    );
}

#[test]
fn f15_balls_in_hexagonal_close_packing() {
    let cell = [D, D * 3.0_f64.sqrt(), D * (8.0_f64 / 3.0).sqrt()];
    let sites = [
        [0.0; 3],
        [0.5, 0.5, 0.0],
        [0.5, 1.0 / 6.0, 0.5],
        [0.0, 2.0 / 3.0, 0.5],
    ];
    let s = lattice(cell, &sites, [9, 5, 6], false);
    let (c11, c12, c13) = (2.293888069921, 0.298836794430, 0.235702260396);
    let (c33, c44) = (2.357022603955, 0.942809041582);
    let all = [
        (0, 0, c11),
        (1, 1, c11),
        (2, 2, c33),
        (0, 1, c12),
        (1, 2, c13),
        (2, 0, c13),
        (3, 3, c44),
        (4, 4, c44),
        (5, 5, 0.5 * (c11 - c12)),
    ];
    has(&s, &all.map(|(i, j, c)| (i, j, c / D)));
}

/// A body without contacts changes nothing, and is counted.
#[test]
fn rattlers_are_left_out() {
    let whole = moduli(&fcc(6), 1).unwrap();
    let mut s = fcc(6);
    s.bodies[40].radius = 0.5;
    let with = moduli(&s, 1).unwrap();
    assert_eq!(with.rattlers, 1);
    assert_eq!(with.contacts + 12, whole.contacts);
    let mut without = fcc(6);
    without.bodies.remove(40);
    let found = moduli(&without, 1).unwrap();
    assert!((found.tensor - with.tensor).amax() < 1e-12);
    assert!(found.tensor[(0, 0)] < whole.tensor[(0, 0)]);
}

/// Walls follow the strain: a square lattice between four walls. Each end of an axis needs one.
#[test]
fn walls_close_a_cell() {
    let mut s = lattice([D; 3], &[[0.5; 3]], [8, 8, 1], true);
    for row in &mut s.bodies {
        row.position[2] = 0.0;
    }
    s.periodic = [false; 3];
    // Walls without springs across them: rows of bodies do not hold each other.
    s.pairs = Some(PairTable::new(2, |a, b| Pair {
        tangential_ratio: if a == b { 0.5 } else { 0.0 },
        ..springs(0.5)
    }));
    s.plane([0.0; 3], [1.0, 0.0, 0.0]);
    s.plane([16.0; 3], [-1.0, 0.0, 0.0]);
    assert_eq!(moduli(&s, 1), Err(NoModuli::Open('y')));
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.plane([16.0; 3], [0.0, -1.0, 0.0]);
    s.walls.iter_mut().for_each(|wall| wall.material = 1);
    // Nine springs in each of eight rows, over a length of sixteen.
    let found = moduli(&s, 1).unwrap().tensor;
    for (at, expected) in [((0, 0), 8.0 / 9.0), ((1, 1), 8.0 / 9.0), ((0, 1), 0.0)] {
        assert!((found[at] - expected).abs() < 1e-9, "{found}");
    }
}

/// The same bits on any number of ranks, of a lattice with a hole.
#[test]
fn moduli_have_the_same_bits_on_any_ranks() {
    let mut s = fcc(6);
    s.bodies.remove(40);
    for (k, row) in s.bodies.iter_mut().enumerate() {
        row.id = BodyId(k as u64);
    }
    let alone = moduli(&s, 1).unwrap();
    for ranks in [2, 3, 4, 8] {
        assert_eq!(moduli(&s, ranks).unwrap(), alone, "{ranks} ranks");
    }
}

/// Smooth contacts have no stiffness across them: the shear modulus of a face-centred lattice is
/// that of k_t = 0, for which Cauchy's relation `C12 = C44` holds.
#[test]
fn smooth_contacts_do_not_stick() {
    let mut s = fcc(6);
    s.pair = Some(springs(0.0));
    let root = 2.0_f64.sqrt();
    has(&s, &cubic(root / D, 1.0 / (root * D), 1.0 / (root * D)));
}
