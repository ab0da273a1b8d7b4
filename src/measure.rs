//! Measures of a state: overlaps, wall loads, energies, packing, stress, forces, profiles, heaps.
//!
//! They are pure functions of a rank's rows. Sums are [`ExactSum`]s, so that their total over ranks
//! does not depend on the number of ranks.

mod coordination;
mod heap;
mod ledger;
mod motion;
mod overlap;
mod packing;
mod profile;
mod side;
mod stress;
mod wear;
mod window;
pub use coordination::{Coordination, Network};
pub use heap::{Heap, Spread};
pub use ledger::{Flow, Ledger};
pub use motion::{MOTION_SUMS, Motion, fluctuations, motion_sums, packing};
pub use packing::sphere_box_volume;
pub use profile::{Axis, PROFILE_SUMS, Profile};
pub use side::{Side, branch};
pub use stress::{
    FORCE_BINS, ForceCounts, branch_moments, carries, carrying, fabric, force_bin, force_counts,
    force_sums,
};
pub use wear::{Triangle, Wear, WearOf, WearRow, Worn};
pub use window::Window;

use crate::body::{Ball, BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::law::Status;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::pool::Pool;
use crate::shape::{Period, Template};
use std::ops::Range;

/// Kinetic and potential energy of one body [J]; see [`kinetic_energy`] and [`potential_energy`].
#[must_use]
pub fn body_energy(row: &BodyRow, gravity: &Vector3, period: &Period) -> f64 {
    row.kinetic_energy() - row.mass * gravity.dot(&way(row, period))
}

/// Kinetic energy of the free bodies, translational and rotational together [J].
#[must_use]
pub fn kinetic_energy(bodies: &[BodyRow]) -> ExactSum {
    bodies
        .iter()
        .filter(|row| row.is_free())
        .map(BodyRow::kinetic_energy)
        .collect()
}

/// [`kinetic_energy`] and [`potential_energy`], in one pass over the bodies [J].
#[must_use]
pub fn energies(
    bodies: &[BodyRow],
    gravity: &Vector3,
    period: &Period,
    pool: &Pool,
) -> [ExactSum; 2] {
    let of = |some: Range<usize>| {
        let mut sums = <[ExactSum; 2]>::default();
        for row in bodies[some].iter().filter(|row| row.is_free()) {
            sums[0].add(row.kinetic_energy());
            sums[1].add(-row.mass * gravity.dot(&way(row, period)));
        }
        sums
    };
    let mut sums = <[ExactSum; 2]>::default();
    for part in pool.parts(bodies.len(), of) {
        sums.iter_mut().zip(&part).for_each(|(sum, x)| sum.merge(x));
    }
    sums
}

/// Kinetic energy of a body's translation [J].
#[must_use]
pub fn translational_energy(row: &BodyRow) -> f64 {
    0.5 * row.mass * Vector3::from(row.velocity).norm_squared()
}

/// Potential energy `−Σ m g·x` of the free bodies [J], zero at the origin.
///
/// On a periodic axis the continuous position counts.
#[must_use]
pub fn potential_energy(bodies: &[BodyRow], gravity: &Vector3, period: &Period) -> ExactSum {
    let free = bodies.iter().filter(|row| row.is_free());
    free.map(|row| -row.mass * gravity.dot(&way(row, period)))
        .collect()
}

/// The continuous position of a body across periodic ends [m].
#[must_use]
pub fn way(row: &BodyRow, period: &Period) -> Vector3 {
    let turned = |axis: usize| row.image[axis] as f64 * period.length[axis].unwrap_or_default();
    Vector3::from(row.position) + Vector3::new(turned(0), turned(1), turned(2))
}

/// Contacts that carry an impulse.
#[must_use]
pub fn active(contacts: &[ContactRow]) -> usize {
    contacts
        .iter()
        .filter(|c| c.status != Status::Open as u64)
        .count()
}

/// The largest overlap, relative to the smaller radius; 0 without an overlap.
///
/// `side` gives the ball of a body that touches, by the body and its part; walls have none.
#[must_use]
pub fn largest_overlap(contacts: &[ContactRow], side: impl Fn(BodyId, usize) -> Side) -> f64 {
    let relative = |c: &ContactRow| {
        let [first, second] = c.key.parts();
        let b = match c.key.b.wall_index() {
            Some(_) => f64::INFINITY,
            None => side(c.key.b, second).radius,
        };
        -c.gap / side(c.key.a, first).radius.min(b)
    };
    contacts
        .iter()
        // A NaN is kept, for the maximum to show it.
        .filter(|c| c.gap < 0.0 || c.gap.is_nan())
        .map(relative)
        .fold(0.0, nan_max)
}

/// Impulse of the bodies on each wall in the last step [N s], by wall and axis.
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

/// Couple impulse of the bodies on each wall in the last step [N m s], by wall and axis.
///
/// It refers to the wall's centre; `centres` are those at the start of the step [m].
#[must_use]
pub fn wall_couples(contacts: &[ContactRow], centres: &[Vector3]) -> Vec<[ExactSum; 3]> {
    let mut sums = vec![<[ExactSum; 3]>::default(); centres.len()];
    for c in contacts {
        if let Some(w) = c.key.b.wall_index().filter(|&w| w < centres.len()) {
            let arm = Vector3::from(c.point) - centres[w];
            let couple = arm.cross(&Vector3::from(c.impulse)) + Vector3::from(c.couple_impulse);
            let each = sums[w].iter_mut().zip(couple.iter());
            each.for_each(|(s, x)| s.add(*x));
        }
    }
    sums
}

/// The sum `Σ r·u` over the contacts of each wall, of the impulses r of the bodies on it [J].
///
/// `runs` gives the velocity u of the wall's surface in itself at a contact with a unit normal
/// [m/s].
#[must_use]
pub fn belt_work(
    contacts: &[ContactRow],
    walls: usize,
    runs: impl Fn(usize, &Vector3) -> Option<Vector3>,
) -> Vec<ExactSum> {
    let mut sums = vec![ExactSum::default(); walls];
    for c in contacts {
        let wall = c.key.b.wall_index().filter(|&w| w < walls);
        let belt = wall.and_then(|w| Some((w, runs(w, &c.normal.into())?)));
        if let Some((w, u)) = belt {
            sums[w].add(u.dot(&Vector3::from(c.impulse)));
        }
    }
    sums
}

/// Volume of bodies inside a box [m³], exact to 1e-6 of a sphere; clumps count as in
/// [`packing`].
#[must_use]
pub fn solid_volume(
    bodies: &[BodyRow],
    (lower, upper): (&Vector3, &Vector3),
    templates: &[Template],
) -> ExactSum {
    let balls = bodies.iter().flat_map(|row| row.balls(templates));
    let volume =
        |ball: Ball| sphere_box_volume(&ball.centre, ball.radius, lower, upper) * ball.share;
    balls.map(volume).collect()
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
        let radius = |id: BodyId, _: usize| Side::ball([2.0, 0.5][id.0 as usize]);
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
