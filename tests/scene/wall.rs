//! Walls for scenes.

use moreau::body::{Drive, Freedom, Motion, Signal, Wall};
use moreau::math::Vector3;
use moreau::shape::{HalfSpace, Surface};

/// A plane across z with its free side up (1) or down (−1).
pub fn plane(z: f64, up: f64, motion: Motion) -> Wall {
    let surface = Surface::Plane(HalfSpace {
        point: Vector3::new(0.0, 0.0, z),
        normal: Vector3::z() * up,
    });
    Wall {
        centre: Vector3::new(0.0, 0.0, z),
        motion,
        ..Wall::fixed(format!("plane at {z}"), surface, 0)
    }
}

/// Driven along z.
pub fn lift(signal: Signal) -> Motion {
    Motion::Driven(Drive::along(Vector3::z(), signal))
}

/// Free along z, pressed down by its weight and a load [N].
pub fn piston(mass: f64, load: f64) -> Motion {
    Motion::Free(Freedom {
        mass,
        inertia: None,
        turning: None,
        direction: Some(Vector3::z()),
        load: Vector3::new(0.0, 0.0, -load),
        pressure: 0.0,
        gravity: true,
        factor: None,
    })
}
