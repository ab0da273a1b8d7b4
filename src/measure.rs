//! Measures of a state: overlaps, wall loads, energies, packing fraction. Pure functions of a rank's rows; sums come out as
//! [`ExactSum`]s, so that their total over ranks does not depend on the ranks.

mod packing;
pub use packing::sphere_box_volume;

use crate::body::{BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::law::Status;
use crate::math::{ExactSum, Vector3, nan_max};

/// Kinetic energy, translational and rotational together [J].
#[must_use]
pub fn kinetic_energy(bodies: &[BodyRow]) -> ExactSum {
    let energy = |row: &BodyRow| {
        let (v, w) = (
            Vector3::from(row.velocity),
            Vector3::from(row.angular_velocity),
        );
        0.5 * (row.mass * v.norm_squared() + row.inertia * w.norm_squared())
    };
    bodies.iter().map(energy).collect()
}

/// Kinetic energy of a body's translation [J].
#[must_use]
pub fn translational_energy(row: &BodyRow) -> f64 {
    0.5 * row.mass * Vector3::from(row.velocity).norm_squared()
}

/// Potential energy `−Σ m g·x` [J], zero at the origin.
#[must_use]
pub fn potential_energy(bodies: &[BodyRow], gravity: &Vector3) -> ExactSum {
    bodies
        .iter()
        .map(|row| -row.mass * gravity.dot(&Vector3::from(row.position)))
        .collect()
}

/// Contacts that carry an impulse.
#[must_use]
pub fn active(contacts: &[ContactRow]) -> usize {
    contacts
        .iter()
        .filter(|c| c.status != Status::Open as u64)
        .count()
}

/// The largest overlap, relative to the smaller radius; 0 if nothing overlaps. `radius` [m] tells a body's radius; a wall
/// has none.
#[must_use]
pub fn largest_overlap(contacts: &[ContactRow], radius: impl Fn(BodyId) -> f64) -> f64 {
    let relative = |c: &ContactRow| {
        let b = if c.key.b.wall_index().is_some() {
            f64::INFINITY
        } else {
            radius(c.key.b)
        };
        -c.gap / radius(c.key.a).min(b)
    };
    contacts
        .iter()
        // A NaN is kept, for the maximum to show.
        .filter(|c| c.gap < 0.0 || c.gap.is_nan())
        .map(relative)
        .fold(0.0, nan_max)
}

/// Impulse that the bodies gave each wall in the last step [N s], by wall and axis.
#[must_use]
pub fn wall_impulses(contacts: &[ContactRow], walls: usize) -> Vec<[ExactSum; 3]> {
    let mut sums = vec![<[ExactSum; 3]>::default(); walls];
    for c in contacts {
        if let Some(sum) = c.key.b.wall_index().and_then(|w| sums.get_mut(w)) {
            sum.iter_mut().zip(c.impulse).for_each(|(s, r)| s.add(r));
        }
    }
    sums
}

/// Volume of spheres inside a box [m³], exact to 1e-6 of a sphere.
#[must_use]
pub fn solid_volume(bodies: &[BodyRow], lower: &Vector3, upper: &Vector3) -> ExactSum {
    let volume =
        |row: &BodyRow| sphere_box_volume(&Vector3::from(row.position), row.radius, lower, upper);
    bodies.iter().map(volume).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactKey;

    #[test]
    fn overlap_is_relative_to_the_smaller_radius_and_walls_have_none() {
        let contact = |b: BodyId, gap: f64| ContactRow {
            key: ContactKey {
                a: BodyId(0),
                b,
                feature: 0,
            },
            gap,
            ..bytemuck::Zeroable::zeroed()
        };
        let radius = |id: BodyId| [2.0, 0.5][id.0 as usize];
        let pair = contact(BodyId(1), -0.1);
        assert_eq!(largest_overlap(&[pair], radius), 0.2);
        assert_eq!(
            largest_overlap(&[contact(BodyId::wall(0), -0.1)], radius),
            0.05
        );
        assert_eq!(largest_overlap(&[contact(BodyId(1), 0.3)], radius), 0.0);
        assert!(largest_overlap(&[contact(BodyId(1), f64::NAN), pair], radius).is_nan());
    }
}
