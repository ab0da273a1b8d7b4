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

/// A contact as the sweep works on it, between two places of one block.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Name of the contact.
    pub key: ContactKey,
    /// Places of the two bodies among the block's bodies; a wall has the block's last, immovable place.
    pub place: [u32; 2],
    /// Distances from the centres to the contact point [m]; 0 for a wall.
    pub lever: [f64; 2],
    /// Inverse mass and inverse moment of inertia of the two bodies; 0 for a wall.
    pub response: [(f64, f64); 2],
    /// Geometry and parameters for the law.
    pub law: Parameters,
    /// Contact point [m].
    pub point: Vector3,
    /// Gap at the start of the step [m].
    pub gap: f64,
    /// Impulse on the second body, global frame [N s].
    pub impulse: Vector3,
    /// What the law did last.
    pub status: Status,
}

impl Contact {
    /// Relative velocity of the second body against the first at the contact [m/s] [001 eq. 1.14], with `l_1 = r_1 n` and
    /// `l_2 = −r_2 n`: `v_2 − v_1 − (r_1 ω_1 + r_2 ω_2) × n`.
    #[must_use]
    #[inline]
    pub fn relative_velocity(&self, twists: &[Twist]) -> Vector3 {
        let [a, b] = self.place.map(|p| &twists[p as usize]);
        let spin = a.angular * self.lever[0] + b.angular * self.lever[1];
        b.linear - a.linear - spin.cross(&self.law.normal)
    }

    /// The impulse that the law asks for at the present velocities.
    #[must_use]
    #[inline]
    pub fn wanted(&self, twists: &[Twist]) -> (Vector3, Status) {
        coulomb::solve(&self.law, &self.impulse, &self.relative_velocity(twists))
    }

    /// Lets an impulse act on the second body, its negative on the first [001 eq. 1.12].
    #[inline]
    pub fn apply(&self, impulse: &Vector3, twists: &mut [Twist]) {
        let couple = self.law.normal.cross(impulse);
        twists[self.place[0] as usize].take(
            self.response[0],
            &-impulse,
            &(couple * -self.lever[0]),
        );
        twists[self.place[1] as usize].take(self.response[1], impulse, &(couple * -self.lever[1]));
    }

    /// Overlap at the start of the step relative to the smaller radius; 0 if there is none.
    #[must_use]
    pub fn relative_overlap(&self) -> f64 {
        if self.gap >= 0.0 {
            return 0.0;
        }
        let [a, b] = self.lever; // The radii; a wall has none.
        -self.gap / if b > 0.0 { a.min(b) } else { a }
    }

    /// The record that outlives the step.
    #[must_use]
    pub fn row(&self) -> ContactRow {
        ContactRow {
            key: self.key,
            point: self.point.into(),
            normal: self.law.normal.into(),
            gap: self.gap,
            impulse: self.impulse.into(),
            couple_impulse: [0.0; 3],
            status: self.status as u64,
        }
    }
}
