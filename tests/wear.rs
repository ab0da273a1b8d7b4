//! The loads and the wear of triangles: against closed forms, the ledger, and other ranks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod movie;
#[path = "wear/program.rs"]
mod program;
mod scene;

use moreau::body::{Drive, Motion, Signal, Wall};
use moreau::law::work::Work;
use moreau::law::{Pair, PairTable};
use moreau::math::{Fixed, Vector3};
use moreau::measure::{Wear, WearRow, Worn};
use moreau::shape::Surface;
use moreau::shape::mesh::Faces;
use scene::mesh::{block, plate, shifted, surface};
use scene::{Scene, record, record_fact};

fn scene(dt: f64) -> Scene {
    let mut s = Scene::new([-1.5, -1.5, -1.0], [1.5, 1.5, 1.0], dt);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.wears = true;
    s
}

fn fixed(surface: Surface) -> Wall {
    Wall::fixed("mesh".to_owned(), surface, 0)
}

fn sum(wear: &Wear, of: fn(&Worn) -> Fixed) -> f64 {
    let mut sum = Fixed::default();
    wear.rows().for_each(|row| sum.add(of(&row.worn)));
    sum.value()
}

/// The corners of a triangle of a wall that is a mesh.
fn corners(s: &Scene, row: &WearRow) -> [Vector3; 3] {
    let Surface::Mesh(mesh) = &s.walls[row.triangle.wall as usize].surface else {
        panic!("only meshes wear");
    };
    let triangle = mesh.mesh().triangles()[row.triangle.number as usize];
    triangle.map(|k| mesh.out(&mesh.mesh().points()[k as usize]))
}

/// A plate of so many squares a side, each cut into two triangles.
fn squares(n: u32) -> Faces {
    let at = |k: u32| 2.0 * f64::from(k) / f64::from(n) - 1.0;
    let points = (0..=n).flat_map(|j| (0..=n).map(move |i| [at(i), at(j), 0.0]));
    let square = |i: u32, j: u32| {
        let [a, b] = [j * (n + 1) + i, (j + 1) * (n + 1) + i];
        [[a, a + 1, b + 1], [a, b + 1, b]]
    };
    Faces {
        points: points.collect(),
        triangles: (0..n)
            .flat_map(|j| (0..n).flat_map(move |i| square(i, j)))
            .collect(),
    }
}

/// A ball at rest presses with its weight on the triangle below it, and on no other.
#[test]
fn a_ball_at_rest_loads_the_triangle_below_it() {
    let mut s = scene(1e-3);
    s.friction = 0.5;
    s.walls.push(fixed(surface(&plate(300, 5))));
    let (x, y) = (0.31, -0.27);
    let ball = s.sphere([x, y, 0.1], 0.1, 1.0);
    let mass = s.bodies[ball].mass;
    let found = s.run(200);
    let rows: Vec<WearRow> = found.wear.rows().collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let [a, b, c] = corners(&s, &rows[0]);
    let at = Vector3::new(x, y, 0.0);
    let turns = [(a, b), (b, c), (c, a)].map(|(a, b)| (b - a).cross(&(at - a)).z);
    record_fact(
        "wear",
        "the loaded triangle lies below the ball",
        turns.iter().all(|z| *z >= 0.0) || turns.iter().all(|z| *z <= 0.0),
    );
    let weight = mass * 10.0 * 0.2;
    let pressed = rows[0].worn.normal_impulse.value() / weight;
    record(
        "wear",
        "impulse of a ball at rest over that of its weight",
        pressed,
        1.0,
        1e-9,
    );
    assert!(rows[0].worn.sliding.value().abs() < 1e-12 * weight);
}

/// A ball that slides until it rolls loses a seventh of `m v²`, all of it to triangles on its way.
#[test]
fn a_sliding_ball_wears_the_triangles_on_its_way() {
    let mut s = scene(1e-4);
    s.friction = 0.3;
    s.walls.push(fixed(surface(&squares(20))));
    let ball = s.sphere([-0.7, 0.33, 0.1], 0.1, 1.0);
    s.bodies[ball].velocity = [2.0, 0.0, 0.0];
    let mass = s.bodies[ball].mass;
    // It rolls after 2 v/(7 μ g) = 0.19 s, 0.33 m from its start.
    let found = s.run(2500);
    let lost = sum(&found.wear, |worn| worn.sliding);
    record(
        "wear",
        "sliding work of a ball until it rolls, over m v²/7",
        lost / (mass * 4.0 / 7.0),
        1.0,
        1e-9,
    );
    let pressed = sum(&found.wear, |worn| worn.normal_impulse) / (mass * 10.0 * 0.25);
    record(
        "wear",
        "normal impulse of a sliding ball over that of its weight",
        pressed,
        1.0,
        1e-9,
    );
    // While it slides, the tangential impulse is μ of the normal one.
    let rubbed = sum(&found.wear, |worn| worn.tangential_impulse);
    record(
        "wear",
        "tangential impulse of a ball until it rolls, over 2 m v/7",
        rubbed / (mass * 2.0 * 2.0 / 7.0),
        1.0,
        1e-9,
    );
    let mut worn = 0;
    for row in found.wear.rows() {
        // The line y = 0.33 passes each of them, within the way of the ball.
        let corners = corners(&s, &row);
        let [least, most] = [f64::min, f64::max].map(|pick| {
            [0, 1].map(|axis| corners.map(|x| x[axis]).into_iter().reduce(pick).unwrap())
        });
        let met = least[1] <= 0.33 && 0.33 <= most[1] && least[0] <= 0.1 && most[0] >= -0.7;
        assert!(met, "{corners:?}");
        worn += usize::from(row.worn.sliding.value() > 0.0);
    }
    assert!(worn > 3, "{worn}");
}

/// Sums over triangles are the terms of the ledger: with restitution and with springs, on parts that turn and on belts.
#[test]
fn sums_over_triangles_are_those_of_the_ledger() {
    let pairs = [
        Pair {
            restitution: 0.6,
            ..Pair::coulomb(0.4)
        },
        Pair {
            compliance: 1e-5,
            tangential_ratio: 0.5,
            ..Pair::coulomb(0.4)
        },
    ];
    for (name, pair) in ["restitution", "springs"].into_iter().zip(pairs) {
        let mut s = scene(1e-3);
        s.pairs = Some(PairTable::new(1, move |_, _| pair));
        let mut turning = fixed(surface(&plate(100, 3)));
        turning.motion = Motion::Driven(Drive::about(Vector3::x(), Signal::Rate(0.4)));
        s.walls.push(turning);
        let mut belt = fixed(surface(&shifted(block([0.4, 0.4, 0.2]), [0.9, 0.9, 0.5])));
        belt.surface_velocity = Vector3::new(0.5, 0.2, 0.0);
        s.walls.push(belt);
        for (k, x) in [[0.2, 0.4], [-0.6, -0.5], [0.9, 0.9], [-0.2, 0.7]]
            .into_iter()
            .enumerate()
        {
            let ball = s.sphere([x[0], x[1], 0.75], 0.1, 1.0);
            s.bodies[ball].velocity = [0.3 * k as f64, -0.2, -1.0];
        }
        let found = s.run(400);
        let ledger = |of: fn(&Work) -> f64| -> f64 {
            found.done.iter().map(|step| of(&step.outcome.work)).sum()
        };
        for (term, sum, total) in [
            (
                "impact",
                sum(&found.wear, |worn| worn.impact),
                ledger(|work| work.normal + work.cohesion),
            ),
            (
                "sliding",
                sum(&found.wear, |worn| worn.sliding),
                ledger(|work| work.friction),
            ),
        ] {
            assert!(total > 0.1, "{term} {total}");
            let title = format!("{term} of all triangles over the ledger's, with {name}");
            record("wear", &title, sum / total, 1.0, 1e-12);
        }
        let walls: Vec<u64> = found.wear.rows().map(|row| row.triangle.wall).collect();
        assert!(walls.contains(&0) && walls.contains(&1));
    }
}

/// The sums of many balls in a box of triangles, in which a blade moves, are the same on any ranks and threads, to the last bit.
#[test]
fn sums_do_not_depend_on_ranks() {
    let mut s = Scene::poured(3, 4, 7);
    s.wears = true;
    let edges = s.upper - s.lower;
    let faces = shifted(block(edges.into()), (edges * 0.5).into());
    s.walls = vec![fixed(surface(&faces))];
    let mut blade = fixed(surface(&shifted(
        block([0.02, 0.001, 0.01]),
        [0.5 * edges.x, 0.5 * edges.y, 0.006],
    )));
    blade.centre = edges * 0.5;
    blade.motion = Motion::Driven(Drive::about(Vector3::z(), Signal::Rate(5.0)));
    s.walls.push(blade);
    let whole = s.run(80);
    assert!(
        whole.wear.rows().count() > 12,
        "{}",
        whole.wear.rows().count()
    );
    let none = Scene {
        wears: false,
        ..s.clone()
    };
    let none = none.run(80);
    assert!(whole.bodies == none.bodies, "the record changes nothing");
    assert_eq!(none.wear.rows().count(), 0);
    for (ranks, threads) in [(1, 2), (2, 1), (3, 1), (4, 2), (8, 1)] {
        let found = s.run_on(ranks, threads, 80);
        assert!(found.same_bits(&whole), "{ranks} ranks, {threads} threads");
    }
    s.recut = Some(3);
    assert!(s.run_on(4, 1, 80).wear == whole.wear);
}

/// Impulses begin anew where they are asked to; energies go on.
#[test]
fn impulses_are_those_since_a_time() {
    let mut s = scene(1e-3);
    s.walls.push(fixed(surface(&plate(2, 5))));
    s.sphere([0.3, 0.2, 0.2], 0.1, 1.0);
    let mut wear = s.run(200).wear;
    let impact = sum(&wear, |worn| worn.impact);
    assert!(impact > 0.0 && sum(&wear, |worn| worn.normal_impulse) > 0.0);
    wear.renew(0.2);
    assert_eq!(wear.since, 0.2);
    assert_eq!(sum(&wear, |worn| worn.normal_impulse), 0.0);
    assert_eq!(sum(&wear, |worn| worn.impact), impact);
}
