//! Walls under pressure: the stress on their present faces is held.

use super::pressed;
use super::scene::{Scene, State, lift};
use moreau::body::{BodyId, Freedom, Motion, Signal};
use moreau::math::Vector3;
use moreau::scheme::quasistatic::{Method, Select, Statics};

/// Of the box of `pressed` the right and the back wall are under a pressure [Pa]; the lid goes down.
fn triaxial(method: Method, pressure: f64) -> Scene {
    let mut s = pressed(method);
    s.gravity = Vector3::zeros();
    for (wall, direction) in [(1, Vector3::x()), (3, Vector3::y())] {
        s.walls[wall].motion = Motion::Free(Freedom {
            mass: 1.0,
            inertia: None,
            turning: None,
            direction: Some(direction),
            load: Vector3::zeros(),
            pressure,
            gravity: false,
            factor: None,
        });
    }
    s.walls[5].motion = lift(Signal::Rate(-0.2));
    s.statics = s.statics.map(|of| Statics {
        tolerance: 1e-7,
        ..of
    });
    s
}

/// The pressure on the two free walls, from the distances of walls after their motion.
fn pressures(s: &Scene, end: &State) -> [f64; 2] {
    let [x, y, z] = [1, 3, 5].map(|wall| end.walls[wall].displacement);
    let lengths = [12.0 + x.x, 12.0 + y.y, 8.0 + z.z];
    [0, 1].map(|axis| {
        let wall = BodyId::wall(2 * axis + 1);
        let on = end.contacts.iter().filter(|c| c.key.b == wall);
        let force = on.map(|c| c.impulse[axis]).sum::<f64>() / s.dt;
        force / (lengths[1 - axis] * lengths[2])
    })
}

/// They carry the pressure times their present faces, which shrink by more than a hundredth.
#[test]
fn pressure_acts_on_the_present_face() {
    for (method, within) in [
        (Method::BagiBojtar, 1e-6),
        (Method::Kishino(Select::Block), 1e-6),
    ] {
        let s = triaxial(method, 1e-3);
        let end = s.run(6);
        assert!(end.walls[5].displacement.z < -0.11);
        for found in pressures(&s, &end) {
            assert!((found / 1e-3 - 1.0).abs() < within, "{method:?}: {found:e}");
        }
        let other = s.run_on(3, 1, 6);
        assert!(other.same_bits(&end), "{method:?}");
    }
}
