//! Contacts: their key, the record that outlives a step, and the state the solver works on.
//!
//! A contact joins body `a` to body `b` with `a` before `b` by id (walls come last, so `b` may be a wall). The unit normal
//! points from `a` to `b`; the impulse acts on `b`, its negative on `a`.

use crate::body::{BodyId, Member};
use crate::law::Status;
use crate::law::coulomb::{self, Parameters};
use crate::law::full::{self, Extra};
use crate::math::Vector3;
use bytemuck::{Pod, Zeroable};

/// What a contact is called in every step and on every rank: two bodies, and which of their features touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
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

/// A contact as the laws see it, between two members of one block. Blocks store it in [`Batch`](crate::solver::batch::Batch)es.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Places of the two bodies among the block's members; walls that do not move share the last, which nothing moves.
    pub place: [u32; 2],
    /// Geometry and parameters for the law.
    pub law: Parameters,
    /// Impulse on the second body, global frame [N s].
    pub impulse: Vector3,
}

/// What is known of a contact beside what the sweep needs. Its key and its point are those of the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Origin {
    /// Gap at the start of the step [m].
    pub gap: f64,
    /// Radius of the smaller body [m].
    pub smaller_radius: f64,
    /// Its place among the candidates.
    pub candidate: u32,
    /// Where the block keeps the velocities of the driven wall that it touches, counted from 1; 0: it touches none.
    pub drive: u32,
    /// Whether its law has cohesion.
    pub adhesive: bool,
    /// Whether the contact is bonded at the start of the step, so that its cohesion is at work.
    pub bonded: bool,
}

impl Contact {
    /// Relative velocity of the second body against the first at the contact [m/s] [001 eq. 1.14], with `l_1 = r_1 n` and
    /// `l_2 = −r_2 n`: `v_2 − v_1 − (r_1 ω_1 + r_2 ω_2) × n`. A driven wall's own velocity is not in it.
    #[must_use]
    #[inline]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| &members[p as usize]);
        b.velocity() - a.velocity() - (a.spin() + b.spin()).cross(&self.law.normal)
    }

    /// Relative angular velocity `ω_2 − ω_1` [rad/s] [001 eq. 1.38].
    #[must_use]
    #[inline]
    pub fn relative_spin(&self, extra: &Extra, members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| members[p as usize].spin());
        let [of_a, of_b] = extra.inverse_lever;
        b * of_b - a * of_a
    }

    /// The impulse, the couple impulse, and what the law does, at the present velocities.
    #[must_use]
    #[inline]
    pub fn wanted(&self, extra: Option<&Extra>, members: &[Member]) -> (Vector3, Vector3, Status) {
        let velocity = self.relative_velocity(members);
        match extra {
            None => {
                let (impulse, status) = coulomb::solve(&self.law, &self.impulse, &velocity);
                (impulse, Vector3::zeros(), status)
            }
            Some(extra) => {
                let spin = self.relative_spin(extra, members);
                full::solve(&self.law, extra, &self.impulse, &velocity, &spin)
            }
        }
    }

    /// Lets an impulse act on the second body, its negative on the first [001 eq. 1.12], with its couples: on the first body
    /// `l_1 × (−r) = −r_1 n × r`, on the second `l_2 × r = −r_2 n × r`.
    #[inline]
    pub fn apply(&self, impulse: &Vector3, members: &mut [Member]) {
        let couple = self.law.normal.cross(impulse);
        let [a, b] = self.place.map(|p| p as usize);
        let a = &mut members[a];
        let (v, s) = (a.velocity(), a.spin());
        a.set(
            &(v - impulse * a.inverse_mass()),
            &(s - couple * a.inverse_turning()),
        );
        let b = &mut members[b];
        let (v, s) = (b.velocity(), b.spin());
        b.set(
            &(v + impulse * b.inverse_mass()),
            &(s - couple * b.inverse_turning()),
        );
    }

    /// Lets a couple impulse act on the second body, its negative on the first [001 eq. 1.39].
    #[inline]
    pub fn apply_couple(&self, couple: &Vector3, extra: &Extra, members: &mut [Member]) {
        let [a, b] = self.place.map(|p| p as usize);
        let [of_a, of_b] = extra.inverse_lever;
        let a = &mut members[a];
        let (v, s) = (a.velocity(), a.spin());
        a.set(&v, &(s - couple * of_a * a.inverse_turning()));
        let b = &mut members[b];
        let (v, s) = (b.velocity(), b.spin());
        b.set(&v, &(s + couple * of_b * b.inverse_turning()));
    }

    /// Both at once.
    #[inline]
    pub fn apply_all(
        &self,
        impulse: &Vector3,
        couple: &Vector3,
        extra: &Extra,
        members: &mut [Member],
    ) {
        let moment = self.law.normal.cross(impulse);
        let [a, b] = self.place.map(|p| p as usize);
        let [of_a, of_b] = extra.inverse_lever;
        let a = &mut members[a];
        let (v, s) = (a.velocity(), a.spin());
        a.set(
            &(v - impulse * a.inverse_mass()),
            &(s - (moment + couple * of_a) * a.inverse_turning()),
        );
        let b = &mut members[b];
        let (v, s) = (b.velocity(), b.spin());
        b.set(
            &(v + impulse * b.inverse_mass()),
            &(s - (moment - couple * of_b) * b.inverse_turning()),
        );
    }

    /// The record that outlives the step, with [`Extra::couple`] and [`Extra::cohesion`].
    #[must_use]
    #[inline(always)]
    pub fn row(
        &self,
        from: &Candidate,
        origin: &Origin,
        (couple, cohesion): (Vector3, f64),
    ) -> ContactRow {
        let closed = self.impulse.dot(&self.law.normal) > 0.0;
        let status = Status::of(&self.law, cohesion, &self.impulse);
        ContactRow {
            key: from.key,
            point: from.point.into(),
            normal: self.law.normal.into(),
            gap: origin.gap,
            impulse: self.impulse.into(),
            couple_impulse: couple.into(),
            status: status as u64,
            // What has been pressed together is bonded until it is torn apart.
            bonded: u64::from(origin.adhesive && (closed || origin.bonded)),
        }
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
