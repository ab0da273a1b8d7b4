//! Contacts: their key, the record that outlives a step, and the state the solver works on.
//!
//! A contact joins body `a` to body `b` with `a` before `b` by id (walls come last, so `b` may be a wall). The unit normal
//! points from `a` to `b`; the impulse acts on `b`, its negative on `a`.

use crate::body::{BodyId, Twist};
use crate::law::Status;
use crate::law::coulomb::{self, Parameters};
use crate::law::full::{self, Extra};
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
    /// Distance from the centre to its contact points, against the normal for the second body [m]; 0 for a wall that does not
    /// turn under impulses.
    pub lever: f64,
    /// Inverse mass and inverse moment of inertia by which a contact's impulse changes the velocity at once; 0 for what
    /// impulses do not move, and for walls that move by Newton's law, which take all impulses together after the sweep.
    pub response: (f64, f64),
}

/// A contact as the sweep works on it, between two members of one block. Kept small: a sweep moves all contacts through the
/// cache.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Places of the two bodies among the block's members; walls that do not move share the last, which nothing moves.
    pub place: [u32; 2],
    /// Geometry and parameters for the law.
    pub law: Parameters,
    /// Impulse on the second body, global frame [N s].
    pub impulse: Vector3,
    /// What the law did last.
    pub status: Status,
    /// Place among the block's extras of what the law has to know beyond [`Parameters`]; [`Contact::PLAIN`]: nothing.
    pub extra: u32,
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
    /// Whether its law has cohesion.
    pub adhesive: bool,
    /// Whether the contact is bonded at the start of the step, so that its cohesion is at work.
    pub bonded: bool,
    /// Velocity and angular velocity of a driven wall at the contact [m/s, rad/s]; 0 for all else.
    pub drive: Twist,
}

impl Contact {
    /// The place of an extra that is not there.
    pub const PLAIN: u32 = u32::MAX;

    /// Relative velocity of the second body against the first at the contact [m/s] [001 eq. 1.14], with `l_1 = r_1 n` and
    /// `l_2 = −r_2 n`: `v_2 − v_1 − (r_1 ω_1 + r_2 ω_2) × n`. A driven wall's own velocity is not in it.
    #[must_use]
    #[inline]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| &members[p as usize]);
        self.relative([&a.twist, &b.twist], [a.lever, b.lever])
    }

    /// The same for other velocities of the members.
    #[must_use]
    pub fn relative_velocity_of(&self, twists: &[Twist], members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| p as usize);
        let levers = [members[a].lever, members[b].lever];
        self.relative([&twists[a], &twists[b]], levers)
    }

    #[inline]
    fn relative(&self, [a, b]: [&Twist; 2], levers: [f64; 2]) -> Vector3 {
        let spin = a.angular * levers[0] + b.angular * levers[1];
        b.linear - a.linear - spin.cross(&self.law.normal)
    }

    /// Relative angular velocity `ω_2 − ω_1` [rad/s] [001 eq. 1.38].
    #[must_use]
    #[inline]
    pub fn relative_spin(&self, members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| &members[p as usize]);
        b.twist.angular - a.twist.angular
    }

    /// The impulse, the couple impulse, and what the law does, at the present velocities.
    #[must_use]
    #[inline]
    pub fn wanted(&self, extras: &[Extra], members: &[Member]) -> (Vector3, Vector3, Status) {
        let velocity = self.relative_velocity(members);
        match extras.get(self.extra as usize) {
            None => {
                let (impulse, status) = coulomb::solve(&self.law, &self.impulse, &velocity);
                (impulse, Vector3::zeros(), status)
            }
            Some(extra) => {
                let spin = self.relative_spin(members);
                full::solve(&self.law, extra, &self.impulse, &velocity, &spin)
            }
        }
    }

    /// The couple impulse that the contact has now [N m s].
    #[must_use]
    pub fn couple(&self, extras: &[Extra]) -> Vector3 {
        let extra = extras.get(self.extra as usize);
        extra.map_or_else(Vector3::zeros, |e| e.couple)
    }

    /// Lets an impulse act on the second body, its negative on the first [001 eq. 1.12].
    #[inline]
    pub fn apply(&self, impulse: &Vector3, members: &mut [Member]) {
        let couple = self.law.normal.cross(impulse);
        members[self.place[0] as usize].take(&-impulse, &couple);
        members[self.place[1] as usize].take(impulse, &couple);
    }

    /// Lets a couple impulse act on the second body, its negative on the first [001 eq. 1.39].
    #[inline]
    pub fn apply_couple(&self, couple: &Vector3, members: &mut [Member]) {
        let [a, b] = self.place.map(|p| p as usize);
        let (of_a, of_b) = (members[a].response.1, members[b].response.1);
        members[a].twist.angular -= couple * of_a;
        members[b].twist.angular += couple * of_b;
    }

    /// The record that outlives the step.
    #[must_use]
    pub fn row(&self, origin: &Origin, extras: &[Extra]) -> ContactRow {
        let closed = self.impulse.dot(&self.law.normal) > 0.0;
        ContactRow {
            key: origin.key,
            point: origin.point.into(),
            normal: self.law.normal.into(),
            gap: origin.gap,
            impulse: self.impulse.into(),
            couple_impulse: self.couple(extras).into(),
            status: self.status as u64,
            // What has been pressed together is bonded until it is torn apart.
            bonded: u64::from(origin.adhesive && (closed || origin.bonded)),
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
