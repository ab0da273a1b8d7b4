//! From bodies to candidate contacts: which surfaces are nearer to each other than a margin, and where.
//!
//! The broad phase (`cells`) finds pairs whose boxes are near; the narrow phase (`sphere`) says what the contact is.
//! A pair is always seen from the lower id to the higher, so every rank that sees it computes the same bits.

mod cells;
mod sphere;

use crate::body::{Bodies, BodyId, Wall};
use crate::contact::{Candidate, ContactKey, Partner};
use crate::math::Vector3;
use crate::shape::Period;

/// All contacts with a gap below `margin` [m] whose point satisfies `mine`, in no particular order. Two bodies touch by their
/// nearest images; walls have none. A contact's point starts at its first body, so it may lie outside the period.
///
/// `mine` keeps, of a contact that several ranks see, the one copy that this rank has to solve.
#[must_use]
pub fn candidates(
    bodies: &Bodies,
    walls: &[Wall],
    margin: f64,
    period: &Period,
    mine: impl Fn(&Vector3) -> bool,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    cells::near_pairs(
        bodies.positions(),
        bodies.radii(),
        margin,
        period,
        |i, j| {
            // Places are in ascending order of id.
            let (a, b) = if i < j { (i, j) } else { (j, i) };
            let contact = sphere::sphere_sphere(
                &bodies.positions()[a],
                bodies.radii()[a],
                &period.difference(&bodies.positions()[a], &bodies.positions()[b]),
                bodies.radii()[b],
            );
            if contact.gap < margin && mine(&contact.point) {
                let key = ContactKey {
                    a: bodies.ids()[a],
                    b: bodies.ids()[b],
                    feature: 0,
                };
                found.push(contact.candidate(key, a, Partner::Body(b)));
            }
        },
    );
    for (w, wall) in walls.iter().enumerate() {
        for (a, (x, &radius)) in bodies.positions().iter().zip(bodies.radii()).enumerate() {
            let contact = sphere::sphere_wall(x, radius, &wall.surface);
            if contact.gap < margin && mine(&contact.point) {
                let key = ContactKey {
                    a: bodies.ids()[a],
                    b: BodyId::wall(w),
                    feature: 0,
                };
                found.push(contact.candidate(key, a, Partner::Wall(w)));
            }
        }
    }
    found
}
