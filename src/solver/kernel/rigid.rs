//! Contacts of bodies that are not balls, with a full 3×3 matrix W.
//!
//! Normal and tangential parts are solved together. Let e be the arm of a side, from the body's
//! centre to the contact, in units of the member's lever. The side moves at the contact with
//! `v + s × e`, and an impulse r there gives `Δv = r/m`, `Δs = T (e × r)`, with `T = l² I⁻¹` in the
//! global frame. A ball has `e = ±n` and `T = l²/I`, a clump `l = 1`. So `W = Σ 1/m − [e]ₓ T [e]ₓ`.
//! The law of one contact ([`one_contact`]) gives the impulse for
//!
//! `f = u − W r + b`. The parts of the law enter as follows: gap and restitution in `b_n`; drives
//! in b; springs by γ on W's diagonal and `−γ_t r_t,previous` in b; with cohesion the impulse is
//! measured from the strongest pull, `r′ = r + F n`.
//!
//! **Couples** are solved after the force, at the velocities after it and bounded by its normal
//! part. W couples force and couple, and the axes of a couple among each other, so this is block
//! descent. The step of the couple is `τ − I* Ω`, with `1/I*` the largest eigenvalue of
//! `I_1⁻¹ + I_2⁻¹`; then τ is projected on its bounds: a projected gradient step that is never too
//! long. Its fixed points satisfy the law exactly.
//!
//! [`one_contact`]: crate::law::one_contact

use crate::body::Member;
use crate::contact::Contact;
use crate::law::one_contact::{Law, Plane};
use crate::law::{self, Cohesion, Impulse, Parts, relative_velocity};
use crate::math::{Matrix3, Vector3};

/// A contact with a body that is not a ball.
#[derive(Clone, Debug)]
pub struct RigidContact {
    /// Indices of bodies, normal, masses, friction and impulses. The normal mass is `1/W_nn`, that
    /// of the judge.
    pub contact: Contact,
    /// The parts of its law beyond Coulomb's.
    pub parts: Parts<f64>,
    /// The arms of the two sides, in units of the members' levers; the second's has its sign
    /// reversed. Between two balls both are the normal.
    pub arms: [Vector3; 2],
    /// T of the two sides without the scalar factor `l²/I` of the member: the identity for balls
    /// and walls.
    pub turning: [Matrix3; 2],
    /// W, and the law prepared for it.
    pub local: Local,
    /// For a body split among ranks: the local problem that is not in use, with the masses.
    pub apart: Option<Box<(Local, [f64; 2], f64)>>,
    /// Impulse and couple at the last point of an accelerated solve.
    pub past: [Vector3; 2],
    /// For the projection of positions: the gap at the end of the step [m], the push per overlap
    /// [kg], and the pushes so far [kg m].
    pub plan: [f64; 3],
}

/// The local problem in the frame (normal, two tangents).
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// The axes of the frame, as rows.
    frame: Matrix3,
    /// W without springs [1/kg].
    own: Matrix3,
    /// W with springs [1/kg].
    soft: Matrix3,
    /// The law, prepared for W with springs.
    law: Plane,
}

impl Local {
    /// The problem from W without springs, the springs' γ [1/kg], and μ.
    ///
    /// The rows of `frame` are the axes of the frame.
    #[must_use]
    pub fn new(frame: Matrix3, own: Matrix3, softness: [f64; 2], friction: f64) -> Self {
        let [normal, tangential] = softness;
        let soft = own + Matrix3::from_diagonal(&Vector3::new(normal, tangential, tangential));
        // By rows; W is symmetric.
        let law = Plane::new(soft.as_slice(), 0.0, [friction, 0.0]);
        Self {
            frame,
            own,
            soft,
            law,
        }
    }
}

impl RigidContact {
    /// Relative velocity of the second body against the first at the contact [m/s].
    ///
    /// It excludes the velocity of a driven wall.
    #[must_use]
    pub fn relative_velocity(&self, members: &[Member]) -> Vector3 {
        let [a, b] = self.contact.place.map(|p| &members[p as usize]);
        let velocity = b.velocity() - a.velocity();
        at_arms(&self.arms, &velocity, [&a.spin(), &b.spin()])
    }

    /// Applies an impulse and a couple to the second body, and their negatives to the first.
    pub fn apply(&self, impulse: &Vector3, couple: &Vector3, members: &mut [Member]) {
        let levers = self.parts.couples.map_or([0.0; 2], |c| c.inverse_lever);
        for side in 0..2 {
            let (sign, with) = if side == 0 { (-1.0, 1.0) } else { (1.0, -1.0) };
            let member = &mut members[self.contact.place[side] as usize];
            let moment = self.arms[side].cross(impulse) + couple * (with * levers[side]);
            let turned = self.turning[side] * moment * member.inverse_turning();
            let velocity = member.velocity() + impulse * (sign * member.inverse_mass());
            let spin = member.spin() - turned;
            member.set(&velocity, &spin);
        }
    }

    /// The impulse and the couple that the law demands at the present velocities.
    #[must_use]
    pub fn wanted(&self, members: &[Member]) -> Impulse<f64> {
        let mut law = self.local.law;
        let linear = self.force(&mut law, members);
        Impulse {
            linear: linear.into(),
            couple: self.couple(&linear, members).into(),
        }
    }

    /// Takes the impulse that the law demands, then the couple. Returns `|d|²/m_n` of the change.
    pub fn update(&mut self, members: &mut [Member]) -> f64 {
        let zero = Vector3::zeros();
        let mut law = self.local.law;
        let linear = self.force(&mut law, members);
        self.local.law = law;
        let d = linear - self.contact.impulse;
        self.contact.impulse = linear;
        self.apply(&d, &zero, members);
        let change = d.norm_squared() / self.contact.law.normal_mass;
        let Some(couples) = &self.parts.couples else {
            return change;
        };
        let turning_mass = couples.turning_mass;
        let couple = self.couple(&linear, members);
        let turned = couple - self.contact.couple;
        self.contact.couple = couple;
        self.apply(&zero, &turned, members);
        change + turned.norm_squared() / turning_mass
    }

    /// The impulse that the law demands.
    fn force(&self, law: &mut Plane, members: &[Member]) -> Vector3 {
        let Local {
            frame, own, soft, ..
        } = &self.local;
        let mut velocity = self.relative_velocity(members);
        if let Some(drive) = &self.parts.drive {
            velocity += Vector3::from(drive.velocity);
        }
        let now = frame * self.contact.impulse;
        let mut free = frame * velocity - own * now;
        if !free.iter().all(|x| x.is_finite()) {
            return Vector3::repeat(f64::NAN);
        }
        if let Some(springs) = &self.parts.springs {
            let previous = frame * Vector3::from(springs.previous);
            free.y -= springs.softness[1] * previous.y;
            free.z -= springs.softness[1] * previous.z;
        }
        let closing = self.contact.law.closing_speed;
        let mut solve = |closing: f64, pull: f64| {
            let mut f = free - soft.column(0) * pull;
            f.x += closing;
            let old = [now.x + pull, now.y, now.z];
            let r = Vector3::from(law.solve(f.into(), old));
            r - Vector3::new(pull, 0.0, 0.0)
        };
        let r = match &self.parts.cohesion {
            None => solve(closing, 0.0),
            Some(Cohesion { force, weakened }) if *weakened == 0.0 => solve(closing, *force),
            Some(Cohesion { force, .. }) => {
                let pushed = solve(closing, *force);
                let held = solve(0.0, *force);
                if pushed.x > 0.0 {
                    pushed
                } else if held.x <= 0.0 {
                    held
                } else {
                    self.neither(&free, &now, *force)
                }
            }
        };
        frame.transpose() * r
    }

    /// The impulse of a gaping cohesive contact that is neither pushed together nor pulled apart.
    ///
    /// `r_n = 0`, and friction is bounded by the cohesion force, in a projected gradient step.
    fn neither(&self, free: &Vector3, now: &Vector3, force: f64) -> Vector3 {
        let soft = &self.local.soft;
        let slip = free + soft * now - soft.column(0) * now.x;
        let mass = self.contact.law.tangential_mass;
        let wanted = [now.y - mass * slip.y, now.z - mass * slip.z];
        let (bound, length) = (
            self.contact.law.friction * force,
            wanted[0].hypot(wanted[1]),
        );
        let part = if length > bound { bound / length } else { 1.0 };
        Vector3::new(0.0, wanted[0] * part, wanted[1] * part)
    }

    /// The couple that the law demands after an impulse, at the present velocities.
    ///
    /// It is the answer of the contact's own law in a problem where only the spin remains.
    fn couple(&self, linear: &Vector3, members: &[Member]) -> Vector3 {
        let Some(couples) = self.parts.couples else {
            return Vector3::zeros();
        };
        let spins = self
            .contact
            .place
            .map(|p| members[p as usize].spin().into());
        let spin = couples.relative_spin([&spins[0], &spins[1]]);
        let parts = Parts {
            springs: None,
            ..self.parts
        };
        let mut law = self.contact.law.numbers();
        law.closing_speed = 0.0;
        let now = Impulse {
            linear: (*linear).into(),
            couple: self.contact.couple.into(),
        };
        // The impulse already includes the drive's velocity.
        let velocity = parts.drive.map_or([0.0; 3], |d| d.velocity.map(|x| -x));
        law::answer(&law, &parts, &now, &velocity, &spin)
            .couple
            .into()
    }

    /// Exchanges the masses of whole bodies with those of their parts.
    pub fn trade(&mut self) {
        if let Some(apart) = &mut self.apart {
            let (local, [normal, tangential], turning) = &mut **apart;
            std::mem::swap(local, &mut self.local);
            std::mem::swap(normal, &mut self.contact.law.normal_mass);
            std::mem::swap(tangential, &mut self.contact.law.tangential_mass);
            if let Some(couples) = &mut self.parts.couples {
                std::mem::swap(turning, &mut couples.turning_mass);
            }
        }
    }

    /// Records the result of a sweep.
    pub fn note(&mut self) {
        self.past = [self.contact.impulse, self.contact.couple];
    }

    /// Extrapolates from the result of a sweep, and records that result.
    pub fn go_beyond(&mut self, beta: f64) {
        let reached = [self.contact.impulse, self.contact.couple];
        self.contact.impulse += (reached[0] - self.past[0]) * beta;
        self.contact.couple += (reached[1] - self.past[1]) * beta;
        self.past = reached;
    }
}

/// Relative velocity [m/s] at a contact with these [`RigidContact::arms`]:
/// `v_2 − v_1 − s_1 × e_1 − s_2 × e_2`.
///
/// `velocity` is `v_2 − v_1`, `spins` are those of the two.
#[must_use]
pub fn at_arms(arms: &[Vector3; 2], velocity: &Vector3, spins: [&Vector3; 2]) -> Vector3 {
    let [a, b] = spins.map(|s| (*s).into());
    let [to_a, to_b] = arms.map(Into::into);
    let without_b = relative_velocity(&(*velocity).into(), &a, &to_a);
    relative_velocity(&without_b, &b, &to_b).into()
}
