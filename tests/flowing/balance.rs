//! What flows down in a drum has come up with it.
#![allow(unreachable_pub, missing_docs)] // A module of tests.

use moreau::io::checkpoint::Loaded;
use moreau::math::Vector3;
use std::f64::consts::PI;

/// A drum about the y axis, and the part of it that is looked at.
pub struct Drum {
    /// Its radius and length [m].
    pub radius: f64,
    pub length: f64,
    /// Its rate [rad/s].
    pub rate: f64,
    /// Half the thickness [m] of the section: what lies as near to the plane through the axis that stands square on the surface.
    pub half: f64,
}

/// Flux of solid volume through the middle of a drum per unit of its length [m²/s], seen by one who turns with the drum, and what it should be:
/// `φ Ω (R² − h²)/2`, as much as the drum carries up, with φ the solid fraction below the layer that flows and h the surface's distance from
/// the axis. Means over states of the same bodies.
pub fn flux(states: &[Loaded], drum: &Drum) -> [f64; 2] {
    let (mut flows, mut solid, mut deep) = (0.0, 0.0, 0.0);
    let (above, below) = (0.4 * drum.radius, 0.85 * drum.radius);
    for state in states {
        let mut centre = Vector3::zeros();
        let mut mass = 0.0;
        for body in &state.bodies {
            centre += Vector3::from(body.position) * body.mass;
            mass += body.mass;
        }
        // From the axis to the centre of mass, in the plane of the section; and along the surface.
        let down = Vector3::new(centre.x / mass, 0.0, centre.z / mass).normalize();
        let along = Vector3::y().cross(&down);
        for body in &state.bodies {
            let place = Vector3::from(body.position);
            if place.dot(&along).abs() >= drum.half {
                continue;
            }
            let volume = 4.0 / 3.0 * PI * body.radius.powi(3);
            let turning = drum.rate * Vector3::y().cross(&place);
            flows += volume * (Vector3::from(body.velocity) - turning).dot(&along);
            solid += volume;
            if (above..below).contains(&place.dot(&down)) {
                deep += volume;
            }
        }
    }
    let over = 2.0 * drum.half * drum.length * states.len() as f64;
    let fraction = deep / over / (below - above);
    let surface = drum.radius - solid / over / fraction;
    let carried = 0.5 * fraction * drum.rate * (drum.radius.powi(2) - surface.powi(2));
    [flows.abs() / over, carried]
}
