//! The side of a contact: which ball of a body touches, and where it was when the impulse acted.

use crate::body::{BodyId, BodyRow, rotation};
use crate::contact::ContactRow;
use crate::math::{Quaternion, Vector3, rotate};
use crate::shape::Template;

/// One body of a contact, as it was when the impulses of the last step acted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Radius of the ball that touches [m].
    pub radius: f64,
    /// Its centre from the body's centre of mass, global frame [m]; `None` if the body is this ball.
    pub arm: Option<Vector3>,
}

impl Side {
    /// A body of which nothing is known: all that is computed from it is NaN.
    pub const UNKNOWN: Self = Self::ball(f64::NAN);

    /// A body that is one ball of a radius [m].
    #[must_use]
    pub const fn ball(radius: f64) -> Self {
        Self { radius, arm: None }
    }

    /// A part of a body, from the body's row at the end of the step.
    ///
    /// `dt` is the step's length [s].
    ///
    /// # Panics
    /// If the template or the part does not exist.
    #[must_use]
    pub fn of(row: &BodyRow, part: usize, templates: &[Template], dt: f64) -> Self {
        let Some(template) = row.template(templates) else {
            return Self::ball(row.radius);
        };
        let before = orientation_before(row, template, dt);
        Self {
            radius: template.parts()[part].radius * row.radius,
            arm: Some(template.arm(part, before, row.radius)),
        }
    }

    /// The sides of contacts, by body and part, among rows in ascending order of id.
    pub fn among<'a>(
        bodies: &'a [BodyRow],
        templates: &'a [Template],
        dt: f64,
    ) -> impl Fn(BodyId, usize) -> Self + 'a {
        move |id, part| {
            let found = bodies.binary_search_by_key(&id, |b| b.id);
            found.map_or(Self::UNKNOWN, |k| Self::of(&bodies[k], part, templates, dt))
        }
    }

    /// The contact point from the body's centre of mass, global frame [m].
    ///
    /// `outward` is the contact's normal away from the body, `gap` its gap [m].
    #[must_use]
    pub fn to_point(&self, outward: &Vector3, gap: f64) -> Vector3 {
        let along = outward * (self.radius + 0.5 * gap);
        self.arm.map_or(along, |arm| arm + along)
    }
}

/// The orientation of a clump before the step: the step's rotation is undone, which is exact but
/// for rounding.
fn orientation_before(row: &BodyRow, template: &Template, dt: f64) -> Quaternion {
    if row.is_free() {
        let moments = row.moments_of(template);
        let momentum = Vector3::from(row.angular_momentum);
        return rotation::advance(row.orientation, moments, &momentum, -dt);
    }
    rotate(
        row.orientation,
        &(Vector3::from(row.angular_velocity) * -dt),
    )
}

/// The branch of a contact at the time of its impulse [m].
///
/// It goes from the first body's centre of mass to that of the second, or to the contact point of
/// a wall.
#[must_use]
pub fn branch(contact: &ContactRow, side: impl Fn(BodyId, usize) -> Side) -> (Vector3, Vector3) {
    let (point, normal) = (Vector3::from(contact.point), Vector3::from(contact.normal));
    let (key, gap) = (contact.key, contact.gap);
    let [first, second] = key.parts();
    let from = point - side(key.a, first).to_point(&normal, gap);
    match key.b.wall_index() {
        Some(_) => (from, point),
        // The second's way to the point is against the normal.
        None => (from, point - side(key.b, second).to_point(&-normal, gap)),
    }
}
