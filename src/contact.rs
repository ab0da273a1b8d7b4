//! Contacts: their key, the record that outlives a step, and the data that the solver uses.
//!
//! A contact joins body `a` to body `b` with `a` before `b` by id (walls come last, so `b` may be a
//! wall). The unit normal points from `a` to `b`; the impulse acts on `b`, its negative on `a`.

use crate::body::{BodyId, Member};
use crate::law::{self, Couples, Impulse, Memory, Parameters, Parts, State, relative_velocity};
use crate::math::Vector3;
use crate::math::real::{Three, add, sub};
use bytemuck::{Pod, Zeroable};

/// The name of a contact in every step and on every rank: two bodies, and the features that touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct ContactKey {
    /// The body with the smaller id.
    pub a: BodyId,
    /// The body, or wall, with the larger id.
    pub b: BodyId,
    /// The number of the contact among those of the same pair.
    ///
    /// 0 for two balls, or a ball and a wall that is not hollow.
    pub feature: u64,
}

impl ContactKey {
    /// The feature of two parts of bodies: the first body's in the upper half, the second's in the
    /// lower.
    #[must_use]
    pub const fn feature_of([first, second]: [usize; 2]) -> u64 {
        (first as u64) << 32 | second as u64
    }

    /// The two parts that touch: numbers in the templates of the bodies, 0 for balls.
    ///
    /// For a wall it is the place of [`Surface::place`](crate::shape::Surface::place), or a name of
    /// a mesh or a compound.
    #[must_use]
    pub const fn parts(&self) -> [usize; 2] {
        [
            (self.feature >> 32) as usize,
            (self.feature & 0xffff_ffff) as usize,
        ]
    }
}

/// The record of a contact between steps, which is sent to other ranks and written to checkpoints.
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
    /// [`Status`](law::Status) as a number.
    pub status: u64,
    /// The state of its law.
    pub state: State,
}

/// A contact that may close within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Name of the contact.
    pub key: ContactKey,
    /// Index of the first body in this rank's arrays.
    pub a: usize,
    /// The second body: another index, or a wall's number.
    pub b: Partner,
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Distance between the surfaces, negative if they overlap [m].
    pub gap: f64,
    /// Midway between the surfaces [m].
    pub point: Vector3,
}

/// A touch: the result of the narrow phase, where two surfaces are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Midway between the surfaces [m].
    pub point: Vector3,
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Distance between the surfaces, negative if they overlap [m].
    pub gap: f64,
    /// Identifies the features that touch, by the same number in every step: 0 for two balls; for a
    /// wall the place of [`Surface::place`](crate::shape::Surface::place), or a name of a mesh or a
    /// compound.
    pub feature: u64,
}

/// Two bodies, or a body and a wall, that may touch while a plan is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// Index of the first body in this rank's arrays.
    pub first: u32,
    /// Index of the second body, or the number of bodies plus that of the wall.
    pub second: u32,
}

impl Neighbours {
    /// The second, of which there are this many bodies.
    #[must_use]
    #[inline]
    pub fn partner(&self, bodies: usize) -> Partner {
        let second = self.second as usize;
        match second.checked_sub(bodies) {
            None => Partner::Body(second),
            Some(wall) => Partner::Wall(wall),
        }
    }

    /// The name of their contact with this feature.
    #[must_use]
    #[inline(always)]
    pub fn key(&self, feature: u64, ids: &[BodyId]) -> ContactKey {
        ContactKey {
            a: ids[self.first as usize],
            b: match self.partner(ids.len()) {
                Partner::Body(b) => ids[b],
                Partner::Wall(w) => BodyId::wall(w),
            },
            feature,
        }
    }

    /// Their touch as a candidate; `ids` are those of the bodies, by index.
    #[must_use]
    #[inline(always)]
    pub fn candidate(&self, touch: &Touch, ids: &[BodyId]) -> Candidate {
        Candidate {
            key: self.key(touch.feature, ids),
            a: self.first as usize,
            b: self.partner(ids.len()),
            normal: touch.normal,
            gap: touch.gap,
            point: touch.point,
        }
    }
}

/// The pairs of a block, and its bodies.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// The pairs, in the order of keys.
    pub pairs: &'a [Neighbours],
    /// Indices of its bodies in this rank's arrays; those past the bodies stand for walls and large
    /// bodies.
    pub bodies: &'a [u32],
    /// For each pair the indices of its two sides among these bodies.
    ///
    /// Those of walls and large bodies have no meaning here.
    pub places: &'a [[u32; 2]],
}

/// The second body of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// Index in this rank's arrays.
    Body(usize),
    /// Number of the wall.
    Wall(usize),
}

/// A contact between two members of one block, in the form that laws use. Blocks store it in
/// [`Batch`](crate::solver::batch::Batch)es.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Indices of the two bodies among the block's members; walls that do not move share the last,
    /// immovable member.
    pub place: [u32; 2],
    /// Geometry and parameters of the law.
    pub law: Parameters,
    /// Impulse on the second body, global frame [N s].
    pub impulse: Vector3,
    /// Couple impulse on the second body, global frame [N m s]; zero under laws without couples.
    pub couple: Vector3,
}

/// Facts about a contact that the sweep does not need, in addition to its touch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Origin {
    /// Gap at the start of the step [m].
    pub gap: f64,
    /// Radius of the smaller body [m].
    pub smaller_radius: f64,
    /// Index, from 1, of the velocities of the driven wall at this contact; 0: without a driven
    /// wall.
    pub drive: u32,
    /// The facts that the end of the step needs for its law.
    pub memory: Memory,
}

impl Contact {
    /// Relative velocity of the second body against the first at the contact [m/s]
    /// ([`relative_velocity`]). It excludes the velocity of a driven wall.
    #[must_use]
    #[inline]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        let [a, b] = self.place.map(|p| &members[p as usize]);
        let velocity = sub(&b.velocity().into(), &a.velocity().into());
        let spin = add(&a.spin().into(), &b.spin().into());
        relative_velocity(&velocity, &spin, &self.law.normal.into()).into()
    }

    /// Relative angular velocity `ω_2 − ω_1` [rad/s]; zero if no part of the law needs it.
    #[inline]
    fn relative_spin(&self, couples: Option<&Couples<f64>>, members: &[Member]) -> Three<f64> {
        let [a, b] = self.place.map(|p| members[p as usize].spin().into());
        couples.map_or([0.0; 3], |couples| couples.relative_spin([&a, &b]))
    }

    /// The present impulse and couple.
    #[must_use]
    #[inline(always)]
    pub fn now(&self) -> Impulse<f64> {
        Impulse {
            linear: self.impulse.into(),
            couple: self.couple.into(),
        }
    }

    /// The impulse that the law demands at the present velocities.
    #[must_use]
    #[inline(always)]
    pub fn wanted(&self, parts: &Parts<f64>, members: &[Member]) -> Impulse<f64> {
        let velocity = self.relative_velocity(members).into();
        let spin = self.relative_spin(parts.couples.as_ref(), members);
        law::answer(&self.law.numbers(), parts, &self.now(), &velocity, &spin)
    }

    /// Applies an impulse to the second body, its negative to the first [001 eq. 1.12].
    ///
    /// Its couples are `l_1 × (−r) = −r_1 n × r` on the first body, `l_2 × r = −r_2 n × r` on the
    /// second.
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

    /// Applies a couple impulse to the second body, its negative to the first [001 eq. 1.39].
    #[inline]
    pub fn apply_couple(&self, couple: &Vector3, [of_a, of_b]: [f64; 2], members: &mut [Member]) {
        let [a, b] = self.place.map(|p| p as usize);
        let a = &mut members[a];
        let (v, s) = (a.velocity(), a.spin());
        a.set(&v, &(s - couple * of_a * a.inverse_turning()));
        let b = &mut members[b];
        let (v, s) = (b.velocity(), b.spin());
        b.set(&v, &(s + couple * of_b * b.inverse_turning()));
    }

    /// Applies an impulse and a couple impulse.
    #[inline]
    pub fn apply_all(
        &self,
        impulse: &Vector3,
        couple: &Vector3,
        [of_a, of_b]: [f64; 2],
        members: &mut [Member],
    ) {
        let moment = self.law.normal.cross(impulse);
        let [a, b] = self.place.map(|p| p as usize);
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

    /// The record that outlives the step.
    #[must_use]
    #[inline(always)]
    pub fn row(&self, from: &Candidate, origin: &Origin, parts: &Parts<f64>) -> ContactRow {
        ContactRow {
            key: from.key,
            point: from.point.into(),
            normal: self.law.normal.into(),
            gap: origin.gap,
            impulse: self.impulse.into(),
            couple_impulse: self.couple.into(),
            status: law::status(&self.law, parts, &self.impulse) as u64,
            state: law::close(&origin.memory, &self.law.normal, parts, &self.now()),
        }
    }
}

impl ContactRow {
    /// The record of a bond without an impulse, at the present place of its candidate.
    #[must_use]
    pub fn at_rest(now: &Candidate, state: State) -> Self {
        Self {
            key: now.key,
            point: now.point.into(),
            normal: now.normal.into(),
            gap: now.gap,
            impulse: [0.0; 3],
            couple_impulse: [0.0; 3],
            status: law::Status::Open as u64,
            state,
        }
    }
}

/// The impulse of a contact with a wall in a step, and its work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallImpulse {
    /// Number of the wall.
    pub wall: usize,
    /// The feature of the contact.
    pub feature: u64,
    /// Its point on the surface [m].
    pub point: Vector3,
    /// Normal impulse, positive if it presses, and the magnitude of the tangential one [N s].
    pub impulse: [f64; 2],
    /// Energy that the normal impulse and friction took out at the contact [J].
    ///
    /// Driven walls and belts may have brought it in. Couples are not counted.
    pub work: [f64; 2],
}

impl WallImpulse {
    /// The impulse of a contact, whose work is not known; `None`: not with a wall.
    #[must_use]
    pub fn of_row(row: &ContactRow) -> Option<Self> {
        let wall = row.key.b.wall_index()?;
        let [point, normal, impulse] = [row.point, row.normal, row.impulse].map(Vector3::from);
        let along = impulse.dot(&normal);
        Some(Self {
            wall,
            feature: row.key.feature,
            point: point + normal * (0.5 * row.gap),
            impulse: [along, (impulse - normal * along).norm()],
            work: [0.0; 2],
        })
    }
}

impl Origin {
    /// Overlap at the start of the step relative to the smaller radius; 0 without overlap.
    #[must_use]
    pub fn relative_overlap(&self) -> f64 {
        if self.gap >= 0.0 {
            0.0
        } else {
            -self.gap / self.smaller_radius
        }
    }
}
