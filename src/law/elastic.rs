//! The law of a contact under quasi-static loads: springs by increments [004 §6.1.6, §6.2.2].
//!
//! Four stiffnesses resist the motion of the second body against the first: along the normal,
//! across it, in bending and in twist. With the displacement δ [m] at the contact and the rotation
//! θ, of the second body less the first, force F and couple C on the second body are
//!
//! - along: `F_n = −k_n min(g − g₀, 0)`, from the present gap, never summed up; a bond pulls too;
//! - across: `F_t ← F_t − k_t δ_t`, at most `μ F_n`: Coulomb's law;
//! - bending and twist: `C₀ − k Σ θ`, C₀ being the couple at the start of the increment, at most
//!   the arm of rolling or torsion friction times `F_n`.
//!
//! The signs of [004] are those of the force on the first body, with pressure negative; there the
//! limit stands as `T ≤ νN` and means `|T| ≤ −νN`.
//!
//! A contact that slides has no tangential stiffness. It sticks again when its slip turns against
//! its friction; [004] lacks this, and its method then stops in mechanisms that do not exist.
//! Couples depend on the rotation within the increment alone, so iterations may turn too far and
//! back.

use super::Laws;
use super::bond::{Four, Joint};
use super::status::Status;
use crate::math::{IDENTITY, Vector3, rotate, turned, turned_with};

/// The part of the smaller radius below which a gap is closed.
pub const CLOSED: f64 = 1e-9;

/// The coefficients of a contact under quasi-static loads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Stiffnesses [N/m, N m/rad].
    pub stiffness: Four,
    /// Gap at which it exerts no normal force [m].
    pub rest: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Arms of rolling and torsion friction [m].
    pub arms: [f64; 2],
    /// Whether an unbroken bond joins the two sides: no force has a limit.
    pub glued: bool,
}

/// Force and couple of a contact, on its second body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Carried {
    /// Force [N], global frame.
    pub force: Vector3,
    /// Couple [N m], global frame.
    pub couple: Vector3,
    /// The couple of the springs since the increment began, without its limits [N m].
    pub tried: Vector3,
    /// Whether the contact is open, sticks or slides.
    pub status: Status,
    /// Where it slides: the friction over that of the springs without its limit.
    pub share: f64,
}

/// The motion of a contact within an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Displacement of the second body against the first at the contact [m].
    pub slip: Vector3,
    /// Rotation of the second body less that of the first [rad].
    pub turn: Vector3,
    /// Mean rotation of the two [rad].
    pub mean: Vector3,
}

/// The geometry of a contact before and after a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// Unit normals from the first body to the second, before and after.
    pub normals: [Vector3; 2],
    /// The gap after the motion [m].
    pub gap: f64,
    /// The share of the motion for which the contact was closed.
    pub share: f64,
}

impl Elastic {
    /// The coefficients of a contact between two materials, of bodies with these radii [m]; that of
    /// a wall is infinite. `None`: the pair is rigid.
    ///
    /// Of an unbonded contact, [`Joint::rest`] is the gap without force as well.
    #[must_use]
    pub fn of(
        laws: &Laws,
        [a, b]: [u32; 2],
        radii: [f64; 2],
        joint: &Joint,
        slid: bool,
    ) -> Option<Self> {
        let pair = laws.pairs.between(a, b);
        // A wall is as compliant as a body of the same size.
        let other = if radii[1].is_finite() {
            radii[1]
        } else {
            radii[0]
        };
        let reduced = if radii[1].is_finite() {
            radii[0] * radii[1] / (radii[0] + radii[1])
        } else {
            radii[0]
        };
        let glue = joint.whole(&laws.bonds);
        let stiffness = match glue {
            Some(glue) => glue.stiffness.over(radii),
            None => {
                let compliance = pair.compliance([radii[0], other]);
                let normal = (compliance > 0.0).then(|| 1.0 / compliance)?;
                Four {
                    normal,
                    tangential: pair.tangential_ratio * normal,
                    // Without an arm there is not a couple.
                    bending: if pair.rolling.is_none() {
                        0.0
                    } else {
                        pair.bending_stiffness
                    },
                    twisting: if pair.torsion.is_none() {
                        0.0
                    } else {
                        pair.twisting_stiffness
                    },
                }
            }
        };
        Some(Self {
            stiffness,
            rest: joint.rest,
            friction: pair.friction_of(slid),
            arms: [pair.rolling, pair.torsion].map(|arm| arm.length(reduced)),
            glued: glue.is_some(),
        })
    }

    /// The normal force at a gap [m]: positive where it presses [N].
    #[must_use]
    pub fn normal(&self, gap: f64) -> f64 {
        let stretch = gap - self.rest;
        // A NaN stays.
        if stretch >= 0.0 && !self.glued {
            0.0
        } else {
            -self.stiffness.normal * stretch
        }
    }

    /// The couple that limits leave of `tried`, where the contact presses [N m].
    #[must_use]
    pub fn couple(&self, tried: &Vector3, pressed: f64, normal: &Vector3) -> Vector3 {
        if self.glued || *tried == Vector3::zeros() {
            return *tried;
        }
        let [rolling, torsion] = self.arms.map(|arm| arm * pressed);
        let twist = normal * tried.dot(normal);
        cut(&twist, torsion) + cut(&(tried - twist), rolling)
    }

    /// Whether it exerts no force at all at a gap [m].
    #[must_use]
    pub fn opens(&self, gap: f64) -> bool {
        gap > self.rest && !self.glued
    }

    /// The force after a motion.
    ///
    /// Force and couple of before turn with the pair: with its normal, and about it. A contact that
    /// closes slips and turns with its share of the motion.
    #[must_use]
    pub fn moved(&self, before: &Carried, motion: &Motion, passage: &Passage) -> Carried {
        let [from, n] = &passage.normals;
        let pressed = self.normal(passage.gap);
        if self.opens(passage.gap) {
            return Carried::default();
        }
        let spin = motion.mean.dot(n);
        let about = (spin != 0.0).then(|| rotate(IDENTITY, &(n * spin)));
        let kept = |v: &Vector3| {
            let with = turned_with(from, n, v);
            about.map_or(with, |about| turned(about, &with))
        };
        let across = |v: &Vector3| v - n * v.dot(n);
        let k = &self.stiffness;
        let none = Vector3::zeros();
        // Most contacts have no couple.
        let couples = k.twisting != 0.0 || k.bending != 0.0 || before.tried != none;
        let turned = match couples {
            true => {
                let (couple, turn) = (kept(&before.tried), motion.turn * passage.share);
                let twist = couple.dot(n) - k.twisting * turn.dot(n);
                n * twist + (across(&couple) - across(&turn) * k.bending)
            }
            false => none,
        };
        let couple = self.couple(&turned, pressed, n);
        let held = across(&kept(&before.force));
        let slip = across(&motion.slip) * passage.share;
        let tried = held - slip * k.tangential;
        if self.glued {
            return Carried {
                force: n * pressed + tried,
                couple,
                tried: turned,
                status: Status::Sticking,
                share: 0.0,
            };
        }
        let bound = self.friction * pressed;
        let (tangential, status) = match before.status {
            Status::Sliding if slip.dot(&held) > 0.0 => (cut(&held, bound), Status::Sticking),
            Status::Sliding => (along(&tried, bound), Status::Sliding),
            _ if tried.norm() > bound => (along(&tried, bound), Status::Sliding),
            _ => (tried, Status::Sticking),
        };
        Carried {
            force: n * pressed + tangential,
            couple,
            tried: turned,
            status,
            share: bound / tried.norm(),
        }
    }

    /// The resistance of the contact to a further motion. `coulomb`: the friction of a sliding
    /// contact follows its normal force; else its tangential stiffness is zero, as in [004].
    #[must_use]
    pub fn tangent(&self, now: &Carried, normal: &Vector3, coulomb: bool) -> Tangent {
        let mut tangent = Tangent {
            normal: *normal,
            stiffness: self.stiffness,
            drag: Vector3::zeros(),
            side: 0.0,
        };
        if self.glued {
            return tangent;
        }
        let pressed = now.force.dot(normal);
        // Beyond rounding: each increment begins with couples that hold.
        let [rolling, torsion] = self.arms.map(|arm| arm * pressed * (1.0 + 1e-12));
        let twist = now.tried.dot(normal);
        if twist.abs() > torsion {
            tangent.stiffness.twisting = 0.0;
        }
        if (now.tried - normal * twist).norm() > rolling {
            tangent.stiffness.bending = 0.0;
        }
        if now.status == Status::Sliding {
            tangent.stiffness.tangential = 0.0;
            let friction = now.force - normal * pressed;
            if coulomb && friction != Vector3::zeros() {
                tangent.drag = friction / pressed;
                tangent.side = now.share * self.stiffness.tangential;
            }
        }
        tangent
    }

    /// Energy in the springs [J].
    #[must_use]
    pub fn energy(&self, now: &Carried, normal: &Vector3) -> f64 {
        let [pressed, twist] = [now.force.dot(normal), now.couple.dot(normal)];
        let k = &self.stiffness;
        let held = |square: f64, k: f64| if k > 0.0 { 0.5 * square / k } else { 0.0 };
        held(pressed * pressed, k.normal)
            + held((now.force - normal * pressed).norm_squared(), k.tangential)
            + held(twist * twist, k.twisting)
            + held((now.couple - normal * twist).norm_squared(), k.bending)
    }
}

/// The stiffness of a contact at its present force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Stiffnesses [N/m, N m/rad]; zero where a limit is reached.
    pub stiffness: Four,
    /// Where the contact slides: its friction over its normal force.
    pub drag: Vector3,
    /// Stiffness across normal and drag [N/m]: friction turns with the slip.
    pub side: f64,
}

impl Tangent {
    /// Force and couple on the second body that a further motion adds [N, N m]; linear in it.
    #[must_use]
    pub fn added(&self, slip: &Vector3, turn: &Vector3) -> [Vector3; 2] {
        let (n, k) = (&self.normal, &self.stiffness);
        let [opening, twist] = [slip.dot(n), turn.dot(n)];
        let (across, bend) = (slip - n * opening, turn - n * twist);
        let pressed = -k.normal * opening;
        let mut force = (n + self.drag) * pressed - across * k.tangential;
        if self.side > 0.0 {
            let along = self.drag * (across.dot(&self.drag) / self.drag.norm_squared());
            force -= (across - along) * self.side;
        }
        [force, -n * (twist * k.twisting) - bend * k.bending]
    }
}

/// The vector, no longer than a length.
fn cut(v: &Vector3, length: f64) -> Vector3 {
    if v.norm() > length {
        along(v, length)
    } else {
        *v
    }
}

/// A vector of a length along another; zero along none.
fn along(v: &Vector3, length: f64) -> Vector3 {
    let size = v.norm();
    if size > 0.0 {
        v * (length / size)
    } else {
        Vector3::zeros()
    }
}
