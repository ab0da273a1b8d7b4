//! Contacts as pictures show them: bars of forces, and sums over the contacts of each body.

use crate::body::{BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::math::Vector3;
use crate::measure::{Side, branch, carries};
use crate::shape::Template;

/// A contact that carries a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The centres of the two bodies; of a wall the contact point [m].
    pub ends: [Vector3; 2],
    /// The contact point [m].
    pub point: Vector3,
    /// Magnitude of the normal force [N].
    pub force: f64,
}

/// Bodies in the order of their ids, with contacts whose impulses acted in a step of `dt` [s].
#[derive(Clone, Copy, Debug)]
pub struct Touching<'a> {
    /// The bodies.
    pub bodies: &'a [BodyRow],
    /// The forms of clumps, by number.
    pub templates: &'a [Template],
    /// The contacts.
    pub contacts: &'a [ContactRow],
    /// Length of the step [s].
    pub dt: f64,
}

impl Touching<'_> {
    fn carrying(&self) -> impl Iterator<Item = &ContactRow> {
        self.contacts.iter().filter(|contact| carries(contact))
    }

    /// The contacts that carry a force.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        let side = Side::among(self.bodies, self.templates, self.dt);
        let link = |contact: &ContactRow| {
            let normal = Vector3::from(contact.normal);
            let (from, to) = branch(contact, &side);
            Link {
                ends: [from, to],
                point: contact.point.into(),
                force: Vector3::from(contact.impulse).dot(&normal).abs() / self.dt,
            }
        };
        self.carrying().map(link).collect()
    }

    /// The number of force-carrying contacts of each body.
    #[must_use]
    pub fn coordination(&self) -> Vec<f64> {
        let both = self.carrying().flat_map(|c| [c.key.a, c.key.b]);
        summed(self.bodies, both.map(|id| (id, |_: &BodyRow| 1.0)))
    }

    /// Mean normal stress `Σ f_n l / (d V)` over the contacts of each body [Pa].
    ///
    /// `flat`: the bodies are discs, one metre thick.
    #[must_use]
    pub fn pressure(&self, flat: bool) -> Vec<f64> {
        let each = self.carrying().flat_map(|contact| {
            let (key, of) = (contact.key, contact.key.parts());
            let sides = [(key.a, of[0], 1.0), (key.b, of[1], -1.0)];
            sides.map(|(id, which, sign)| {
                let part = move |body: &BodyRow| {
                    let side = Side::of(body, which, self.templates, self.dt);
                    pressed(contact, &side, sign)
                };
                (id, part)
            })
        });
        let sums = summed(self.bodies, each);
        let volume = |body: &BodyRow| body.volume(flat, self.templates);
        stresses(sums, self.bodies, volume, (flat, self.dt))
    }
}

/// The trace of impulse times arm, compression positive [N s m].
///
/// Of a ball the arm lies along the normal, so only the normal impulse counts.
fn pressed(contact: &ContactRow, side: &Side, sign: f64) -> f64 {
    let (impulse, normal) = (
        Vector3::from(contact.impulse),
        Vector3::from(contact.normal),
    );
    match side.arm {
        None => impulse.dot(&normal) * (side.radius + 0.5 * contact.gap),
        Some(_) => (impulse * sign).dot(&side.to_point(&(normal * sign), contact.gap)),
    }
}

/// Sums over the sides of contacts, for each body; ids of walls do not count.
pub fn summed<F: Fn(&BodyRow) -> f64>(
    bodies: &[BodyRow],
    sides: impl Iterator<Item = (BodyId, F)>,
) -> Vec<f64> {
    let mut sums = vec![0.0; bodies.len()];
    for (id, part) in sides {
        if let Some(k) = place(bodies, id) {
            sums[k] += part(&bodies[k]);
        }
    }
    sums
}

/// Sums of impulses of a step of `dt` [s] times distances, over the dimensions, the volume and the
/// step.
pub fn stresses(
    mut sums: Vec<f64>,
    bodies: &[BodyRow],
    volume: impl Fn(&BodyRow) -> f64,
    (flat, dt): (bool, f64),
) -> Vec<f64> {
    let dimensions = if flat { 2.0 } else { 3.0 };
    for (sum, body) in sums.iter_mut().zip(bodies) {
        *sum /= dimensions * volume(body) * dt;
    }
    sums
}

/// The place of a body among bodies in the order of their ids.
pub(super) fn place(bodies: &[BodyRow], id: BodyId) -> Option<usize> {
    bodies.binary_search_by_key(&id, |b| b.id).ok()
}
