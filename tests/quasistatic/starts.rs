//! A state of one scheme starts another.

use super::scene::{Scene, State, piston, plane};
use super::{W, pyramid, springs};
use moreau::body::WallState;
use moreau::law::bond::{Begin, Between, Four, Glue, Stiffness, Strength};
use moreau::law::{Pair, PairTable};
use moreau::math::Vector3;
use moreau::scheme::quasistatic::{Method, Select, Start, Statics};

/// A state of one scheme starts another: a packing at rest under the time step of contact dynamics
/// is in balance here, and the other way round.
#[test]
fn schemes_go_on_from_each_other() {
    let mut s = pyramid(0.5, 0.5, Method::BagiBojtar);
    let quasistatic = s.statics.take();
    // Long steps damp the springs.
    s.dt = 5.0;
    let fallen = s.run(4000);
    assert!((0..4).all(|i| fallen.velocity(i).norm() < 1e-12));
    let mut held = s.clone();
    held.bodies.clone_from(&fallen.bodies);
    held.contacts.clone_from(&fallen.contacts);
    held.statics = quasistatic;
    let balanced = held.run(1);
    let sunk = |end: &State| end.position(3).z;
    let apart = (sunk(&balanced) - sunk(&fallen)).abs();
    assert!(apart < 1e-6 * W, "{apart:e}");
    let mut back = s.clone();
    back.bodies.clone_from(&balanced.bodies);
    back.contacts.clone_from(&balanced.contacts);
    let still = back.run(1);
    let fastest = (0..4).map(|i| still.velocity(i).norm()).fold(0.0, f64::max);
    assert!(fastest < 1e-6 * W, "{fastest:e}");
}

/// A pyramid with springs, in the state of a rigid one at rest; that state; its settings.
fn rigid_pyramid() -> (Scene, State, Option<Statics>) {
    let mut s = pyramid(0.5, 0.5, Method::BagiBojtar);
    let quasistatic = s.statics.take();
    let springs_of_then = s
        .pairs
        .replace(PairTable::new(2, |_, _| Pair::coulomb(0.5)));
    s.dt = 1e-3;
    let rigid = s.run(20);
    s.bodies.clone_from(&rigid.bodies);
    s.contacts.clone_from(&rigid.contacts);
    s.pairs = springs_of_then;
    (s, rigid, quasistatic)
}

/// A rigid pyramid at rest is taken over in its own forces, one of many that hold it: no body moves.
/// By its overlaps, which are rounding, it would have none.
#[test]
fn a_rigid_pyramid_keeps_its_forces() {
    let (mut held, rigid, quasistatic) = rigid_pyramid();
    for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
        held.statics = quasistatic.map(|of| Statics {
            method,
            start: Start::Forces,
            tolerance: 1e-6,
            ..of
        });
        let taken = held.run(1);
        for k in 0..4 {
            let moved = (taken.position(k) - rigid.position(k)).norm();
            assert!(moved < 1e-5 * W, "{method:?} {k}: {moved:e}");
        }
        for before in rigid.contacts.iter().filter(|c| c.impulse != [0.0; 3]) {
            let after = taken.impulse(before.key.a, before.key.b);
            let off = (after - Vector3::from(before.impulse)).norm() / held.dt;
            assert!(off < 1e-5 * W, "{method:?} {:?}: {off:e}", before.key);
        }
    }
    held.statics = quasistatic;
    let sunk = rigid.position(3).z - held.run(1).position(3).z;
    assert!(sunk > W, "{:e}", sunk / W);
}

/// A rigid packing that is glued when it is taken over keeps its forces too.
#[test]
fn a_rigid_pyramid_is_glued_as_it_stands() {
    let (mut s, rigid, quasistatic) = rigid_pyramid();
    let four = |number| Four {
        normal: number,
        tangential: number,
        bending: number,
        twisting: number,
    };
    s.bonds = vec![Glue {
        between: Between::Materials([0, 0]),
        begin: Begin::At(0.0),
        gap: 1e-6,
        stiffness: Stiffness::Given(four(1.0)),
        strength: Strength::Each(four(f64::INFINITY)),
    }];
    s.statics = quasistatic.map(|of| Statics {
        start: Start::Forces,
        tolerance: 1e-6,
        ..of
    });
    let taken = s.run(1);
    assert_eq!(
        taken
            .contacts
            .iter()
            .filter(|c| c.state.joint.is_whole())
            .count(),
        6
    );
    for k in 0..4 {
        let moved = (taken.position(k) - rigid.position(k)).norm();
        assert!(moved < 1e-5 * W, "{k}: {moved:e}");
    }
}

/// Loads on top of a rigid packing move its bodies as springs without its forces would: here the
/// upper ball of a column, from which a rigid load was taken.
#[test]
fn a_taken_column_springs_back() {
    let mut s = super::scene([-3.0, -3.0, -1.0], [3.0, 3.0, 8.0], 0.5);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    for k in 0..3 {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
    }
    let quasistatic = s.statics.take();
    s.pair = Some(Pair::coulomb(0.5));
    s.dt = 1e-3;
    let rigid = s.run(20);
    let mut held = s.clone();
    held.bodies.clone_from(&rigid.bodies);
    held.contacts.clone_from(&rigid.contacts);
    held.pair = Some(springs(0.5));
    held.statics = quasistatic.map(|of| Statics {
        start: Start::Forces,
        ..of
    });
    // Half the weight: each spring loses half of its force, and the top rises by half of 6 W.
    held.gravity *= 0.5;
    let end = held.run(1);
    let risen = end.position(2).z - rigid.position(2).z;
    assert!((risen / (3.0 * W) - 1.0).abs() < 1e-4, "{}", risen / W);
}

/// A free wall is at rest between increments, though it moved under the scheme before.
#[test]
fn a_free_wall_comes_to_rest() {
    for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
        let mut s = super::scene([-3.0, -3.0, -1.0], [3.0, 3.0, 4.0], 0.5);
        s.gravity = Vector3::zeros();
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
        s.walls.push(plane(2.0, -1.0, piston(1.0, W)));
        let moving = WallState {
            velocity: Vector3::z() * -0.1,
            angular_velocity: Vector3::z() * 0.1,
            ..WallState::default()
        };
        s.start = Some((0, vec![WallState::default(), moving], 1.0));
        s.statics.as_mut().unwrap().method = method;
        let end = s.run(1);
        // The piston and its ball sink by the two springs.
        let sunk = -end.walls[1].displacement.z;
        assert!(
            (sunk / (2.0 * W) - 1.0).abs() < 1e-6,
            "{method:?}: {sunk:e}"
        );
        let still = [end.walls[1].velocity, end.walls[1].angular_velocity];
        assert_eq!(still, [Vector3::zeros(); 2], "{method:?}");
    }
}
