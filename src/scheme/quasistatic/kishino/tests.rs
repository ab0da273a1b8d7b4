//! A relaxation lowers the energy of springs and loads.

use super::*;
use crate::body::{BodyId, BodyRow, Wall};
use crate::domain::Domain;
use crate::domain::partition::Partition;
use crate::law::bond::{Four, Joint};
use crate::law::elastic::Elastic;
use crate::law::{Laws, Pair, PairTable};
use crate::math::{ExactSum, Matrix3};
use crate::pool::Pool;
use crate::scheme::acts::Acts;
use crate::scheme::pace::Pace;
use crate::scheme::physics::Physics;
use crate::scheme::quasistatic::assembly::{Begins, Sample};
use crate::scheme::quasistatic::settings::Statics;
use crate::scheme::quasistatic::support::Supports;
use crate::shape::{HalfSpace, Surface};
use crate::solver::Settings;
use crate::solver::grid::BlockGrid;
use nalgebra::Matrix6;

/// Discs along an edge of the square.
const SIDE: usize = 4;

/// Overlap of all contacts.
const OVERLAP: f64 = 2e-3;

/// Discs of radius 1 on a square lattice between four walls, pressed together, under their weight.
fn physics() -> Physics {
    let end = 2.0 * SIDE as f64 - (SIDE + 1) as f64 * OVERLAP;
    let wall = |point: [f64; 2], normal: [f64; 2]| {
        let plane = HalfSpace {
            point: Vector3::new(point[0], point[1], 0.0),
            normal: Vector3::new(normal[0], normal[1], 0.0),
        };
        Wall::fixed(format!("{normal:?}"), Surface::Plane(plane), 0)
    };
    let springs = Pair {
        compliance: 1.0,
        tangential_ratio: 0.5,
        ..Pair::coulomb(1e3)
    };
    Physics {
        pace: Pace::Even(1.0),
        until: None,
        gravity: Vector3::new(-3e-7, -1e-6, 0.0),
        laws: Laws {
            pairs: PairTable::new(1, |_, _| springs),
            bonds: Vec::new(),
        },
        templates: Vec::new(),
        walls: vec![
            wall([0.0, 0.0], [1.0, 0.0]),
            wall([0.0, 0.0], [0.0, 1.0]),
            wall([end, end], [-1.0, 0.0]),
            wall([end, end], [0.0, -1.0]),
        ],
        cell: None,
        solver: Settings::default(),
        largest_radius: 1.0,
        large: crate::body::Large::default(),
        skin: 0.05,
        delete_outside: false,
        acts: Acts::default(),
        planar: true,
        statics: None,
    }
}

/// Energy of springs and loads [J].
fn energy(assembly: &Assembly, loads: &Loads) -> f64 {
    let springs = assembly.network.links().map(|link| link.energy());
    let own = 0..assembly.network.own.len();
    // Within an increment the velocity of a row is its displacement.
    let of_loads = own.map(|k| {
        let load = loads.at(assembly, k);
        let way = Vector3::from(assembly.network.body(k).velocity);
        -load.force.dot(&way)
    });
    springs.chain(of_loads).collect::<ExactSum>().value()
}

/// F8: each relaxation takes `½ Δf · Δu` of the energy, as the minimum along the unknowns of its
/// body does.
///
/// The formula holds but for `N/(D k)`, a thousandth here: the stiffness has no geometric part.
#[test]
fn each_relaxation_lowers_the_energy() {
    let (physics, pool) = (physics(), Pool::new(1).expect("one thread"));
    let [lower, upper] = [-1.0, 9.0].map(|x| Vector3::new(x, x, x.signum()));
    let grid = BlockGrid::new(lower, upper, 8.0, [false; 3]);
    let partition = Partition::new(lower, upper, grid, 1, &physics.gravity);
    let domain = Domain::alone(partition);
    let statics = Statics {
        planar: true,
        ..Statics::default()
    };
    let place = |n: usize| 1.0 - OVERLAP + n as f64 * (2.0 - OVERLAP);
    let body = |n: usize| {
        let at = [place(n % SIDE), place(n / SIDE), 0.0];
        BodyRow::sphere(BodyId(n as u64), at, 1.0, 1.0)
    };
    let begins = Begins {
        times: [0.0, 1.0],
        foreign: false,
    };
    let walls = vec![crate::body::WallState::default(); physics.walls.len()];
    let sample = Sample {
        bodies: (0..SIDE * SIDE).map(body).collect(),
        contacts: &[],
        walls: &walls,
    };
    let mut assembly = Assembly::gather(
        (&physics, &statics, Supports::none()),
        (&domain, &pool),
        (sample, 1.0),
        (1.0, Some(begins)),
    );
    assert_eq!(assembly.network.count(), 2 * SIDE * (SIDE + 1));
    let loads = Loads::of(&assembly);
    let own = assembly.network.own.len();
    let order = Order::of(&assembly);
    let mut relaxing = Relaxing::new(&mut assembly, &loads, &order);
    let mut count = 0;
    loop {
        for k in 0..own {
            relaxing.left[k] = relaxing.sum(k);
        }
        let error = |k: &usize| relaxing.unbalanced(*k).norm();
        let worst = (0..own).max_by(|a, b| error(a).total_cmp(&error(b)));
        let worst = worst.expect("bodies");
        let out = relaxing.unbalanced(worst);
        if out.norm() < 1e-7 {
            break;
        }
        let shift = relaxing.relaxation(worst);
        let before = energy(relaxing.assembly, &loads);
        let at = relaxing.assembly.network.own[worst] as usize;
        relaxing.take(at, &shift);
        let taken = before - energy(relaxing.assembly, &loads);
        let unknowns = Vector6::from(shift.to_array());
        let expected = 0.5 * out.dot(&unknowns);
        assert!(taken > 0.0, "{count}: {taken:e}");
        assert!(
            (taken / expected - 1.0).abs() < 0.01,
            "{count}: {taken:e}, expected {expected:e}"
        );
        count += 1;
    }
    assert!(count > 5 * SIDE * SIDE, "{count}");
}

/// The closed form of a body's block is that of unit motions, and a weak motion is found.
#[test]
fn blocks_of_bodies_are_those_of_unit_motions() {
    let mut elastic = Elastic {
        stiffness: Four {
            normal: 1.0,
            tangential: 0.5,
            bending: 0.3,
            twisting: 0.2,
        },
        rest: 0.0,
        friction: 0.5,
        arms: [1.0; 2],
        glued: false,
    };
    let radii = [1.0, 0.7];
    let link = |elastic: &Elastic, normal: Vector3| Link {
        pair: Neighbours {
            first: 0,
            second: 1,
        },
        partner: Partner::Body(1),
        radii,
        elastic: *elastic,
        joint: Joint::default(),
        normal: normal.normalize(),
        gap: -0.01,
        feature: 0,
        carried: Carried::default(),
        carried_before: false,
    };
    let normals = [Vector3::new(1.0, 2.0, -0.5), Vector3::new(0.3, -1.0, 2.0)];
    for side in [0, 1] {
        let mut held = Held::of(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let supports = Vector6::new(0.1, 0.2, 0.3, 0.4, 0.5, 0.6);
        let mut expected = Matrix6::from_diagonal(&supports);
        for normal in normals {
            let link = link(&elastic, normal);
            held.add(&link, side, radii[side]);
            expected += link.block(&link.tangent(false), side, radii[side]);
        }
        assert!((held.spatial() - expected).amax() < 1e-14, "{expected}");
        let planar = held.planar();
        for (i, at) in [0, 1, 5].into_iter().enumerate() {
            for (j, by) in [0, 1, 5].into_iter().enumerate() {
                assert!((planar[(i, j)] - expected[(at, by)]).abs() < 1e-14);
            }
        }
        assert_eq!(held.stiffest, 1.0);
    }
    // One smooth contact leaves two motions free; the fictitious stiffness holds them.
    (elastic.stiffness.tangential, elastic.stiffness.bending) = (0.0, 0.0);
    let mut held = Held::default();
    held.add(&link(&elastic, Vector3::x()), 0, 1.0);
    let limits = [FREE, FICTITIOUS];
    let found = balanced(held.planar(), Three::new(1.1, 0.2, 0.3), 1.0, limits);
    assert!(
        (found - Three::new(1.0, 2.0, 3.0)).amax() < 1e-14,
        "{found}"
    );
    // A block just above the limit is taken as it is.
    for (weak, expected) in [
        (1.01 * FREE, 1.0 / (1.01 * FREE)),
        (0.99 * FREE, 1.0 / (0.99 * FREE + FICTITIOUS)),
    ] {
        let block = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, weak));
        let found = balanced(block, Three::z(), 1.0, limits);
        assert!((found.z / expected - 1.0).abs() < 1e-9, "{found}");
    }
}
