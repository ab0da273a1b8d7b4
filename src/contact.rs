//! Contacts: their key, the record that outlives a step, and the state the solver works on.
//!
//! A contact joins body `a` to body `b` with `a` before `b` by id (walls come last, so `b` may be a wall). The unit normal
//! points from `a` to `b`; the impulse acts on `b`, its negative on `a`.

use crate::body::{BodyId, Twist};
use crate::law::Status;
use crate::law::coulomb::{self, Parameters};
use crate::math::Vector3;
use bytemuck::{Pod, Zeroable};

/// What a contact is called in every step and on every rank: two bodies, and which of their features touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct ContactKey {
    /// The body with the smaller id.
    pub a: BodyId,
    /// The body, or wall, with the larger id.
    pub b: BodyId,
    /// Which of several contacts of the same pair; 0 for spheres and planes.
    pub feature: u64,
}

/// One contact as it is kept between steps, sent to another rank, and written to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactRow {
    /// Name of the contact.
    pub key: ContactKey,
    /// Contact point: midway between the two surfaces, global frame [m].
    pub point: [f64; 3],
    /// Unit normal from `a` to `b`, global frame.
    pub normal: [f64; 3],
    /// Distance between the surfaces at the start of the step, negative if they overlap [m].
    pub gap: f64,
    /// Impulse on `b`, global frame [N s].
    pub impulse: [f64; 3],
    /// Couple impulse on `b`, global frame [N m s]; zero under laws without couples.
    pub couple_impulse: [f64; 3],
    /// [`Status`] as a number.
    pub status: u64,
    /// 1: the contact has closed and its cohesion is not broken; 0: it has not, or there is none.
    pub bonded: u64,
}

/// A contact that may close within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Name of the contact.
    pub key: ContactKey,
    /// Place of the first body in this rank's arrays.
    pub a: usize,
    /// The second body: another place, or a wall's number.
    pub b: Partner,
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Distance between the surfaces, negative if they overlap [m].
    pub gap: f64,
    /// Midway between the surfaces [m].
    pub point: Vector3,
}

/// The second body of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// Place in this rank's arrays.
    Body(usize),
    /// Number of the wall.
    Wall(usize),
}

/// A body as the contacts of its block see it: what the solver asked it, next to what the sweep changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Member {
    /// Velocity.
    pub twist: Twist,
    /// Distance from the centre to its contact points, the radius [m]; 0 for a wall.
    pub lever: f64,
    /// Inverse mass and inverse moment of inertia; 0 for a wall.
    pub response: (f64, f64),
}

/// A contact as the sweep works on it, between two members of one block. Kept small: a sweep moves all contacts through the
/// cache.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Places of the two bodies among the block's members; walls share the last, which nothing moves.
    pub place: [u32; 2],
    /// Geometry and parameters for the law.
    pub law: Parameters,
    /// Impulse on the second body, global frame [N s].
    pub impulse: Vector3,
    /// What the law did last.
    pub status: Status,
}

/// What is known of a contact beside what the sweep needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Name of the contact.
    pub key: ContactKey,
    /// Contact point [m].
    pub point: Vector3,
    /// Gap at the start of the step [m].
    pub gap: f64,
    /// Radius of the smaller body [m].
    pub smaller_radius: f64,
}

impl Contact {
    /// Relative velocity of the second body against the first at the contact [m/s] [001 eq. 1.14], with `l_1 = r_1 n` and
    /// `l_2 = −r_2 n`: `v_2 − v_1 − (r_1 ω_1 + r_2 ω_2) × n`.
    #[must_use]
    #[inline]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| &members[p as usize]);
        let spin = a.twist.angular * a.lever + b.twist.angular * b.lever;
        b.twist.linear - a.twist.linear - spin.cross(&self.law.normal)
    }

    /// The impulse that the law asks for at the present velocities.
    #[must_use]
    #[inline]
    pub fn wanted(&self, members: &[Member]) -> (Vector3, Status) {
        coulomb::solve(&self.law, &self.impulse, &self.relative_velocity(members))
    }

    /// Lets an impulse act on the second body, its negative on the first [001 eq. 1.12].
    #[inline]
    pub fn apply(&self, impulse: &Vector3, members: &mut [Member]) {
        let couple = self.law.normal.cross(impulse);
        members[self.place[0] as usize].take(&-impulse, &couple);
        members[self.place[1] as usize].take(impulse, &couple);
    }

    /// The record that outlives the step.
    #[must_use]
    pub fn row(&self, origin: &Origin) -> ContactRow {
        ContactRow {
            key: origin.key,
            point: origin.point.into(),
            normal: self.law.normal.into(),
            gap: origin.gap,
            impulse: self.impulse.into(),
            couple_impulse: [0.0; 3],
            status: self.status as u64,
            bonded: 0,
        }
    }
}

impl Member {
    /// Takes an impulse and, as `n × impulse`, its couple: on the first body `l_1 × (−r) = −r_1 n × r`, on the second
    /// `l_2 × r = −r_2 n × r`.
    #[inline]
    fn take(&mut self, impulse: &Vector3, couple: &Vector3) {
        self.twist
            .take(self.response, impulse, &(couple * -self.lever));
    }
}

impl Origin {
    /// Overlap at the start of the step relative to the smaller radius; 0 if there is none.
    #[must_use]
    pub fn relative_overlap(&self) -> f64 {
        if self.gap >= 0.0 {
            0.0
        } else {
            -self.gap / self.smaller_radius
        }
    }
}
