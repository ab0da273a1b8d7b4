//! Bonds [004 §6.1.6]: two bodies glued together by four stiffnesses, until the bond breaks.
//!
//! The bond resists motion along the normal, across it, in bending and in twist. Let `g₀` be the
//! gap without normal force, `γ = 1/(k Δt²)` for each stiffness k, r and τ the impulse and
//! couple impulse on the second body, primed those of the last step, and `Ω = ω_2 − ω_1`:
//!
//! - along: `u_n + (g − g₀)/Δt + γ_n r_n = 0`, in tension as in compression;
//! - across: `u_t + γ_t (r_t − r_t′) = 0`;
//! - bending: `Ω_t + γ_b (τ_t − τ_t′) = 0`; twist: `Ω_n + γ_w (τ_n − τ_n′) = 0`.
//!
//! These springs are implicit, so any time step is stable. The tangential and the bending part are
//! solved together, because bodies of different size couple them ([`Couples`]). The impulses of the
//! last step turn with the pair: with its normal, and about it.
//!
//! A bond that is made at a given time carries on with the forces of its contact,
//! `g₀ = g + r_n′/(k_n Δt)`: the increments of [004 §6.1.6] come on top of the forces that act.
//!
//! No force exceeds its strength, by stresses that which the normal force leaves it. A bond breaks
//! at the end of a step in which one reaches it, in which the sum of the four over their strengths
//! reaches 1, or in which a stress at the edge of its section reaches its strength ([`Strength`]).
//! The contact then follows the other laws, and the bond never heals while the two bodies stay near
//! each other.

mod stiffness;
mod strength;

pub use stiffness::{Beam, Four, Parallel, Radius, Stiffness};
pub use strength::{Limits, Strength, Stress, USED_UP};

use super::coulomb::Parameters;
use super::couples::{Couples, Plane};
use super::impulse::Impulse;
use super::numbers::{Numbers, Part};
use super::pivot::Pivot;
use super::springs::{Springs, softened};
use super::touching::{Sides, Step};
use crate::math::Vector3;
use crate::math::real::{Real, Three, add, clamped, cross, dot, scaled, sub};
use crate::shape::Region;
use bytemuck::{Pod, Zeroable};

/// The time at which bonds are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begin {
    /// In the step that contains this time [s].
    At(f64),
    /// When two bodies touch that did not touch in the step before.
    Contact,
}

/// The bodies between which bonds are made.
#[derive(Clone, Debug, PartialEq)]
pub enum Between {
    /// Bodies and walls of two materials, the smaller number first.
    Materials([u32; 2]),
    /// These pairs of bodies, sorted, the smaller id first.
    Pairs(Vec<[u64; 2]>),
    /// Bodies whose centres lie in a region, and walls that these touch: of all materials, or of
    /// two, the smaller number first.
    In(Region, Option<[u32; 2]>),
}

/// Bonds of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Glue {
    /// Between which bodies.
    pub between: Between,
    /// The time at which they are made.
    pub begin: Begin,
    /// Gap below which two bodies are bonded [m].
    pub gap: f64,
    /// Stiffnesses, all above 0.
    pub stiffness: Stiffness,
    /// Strengths, and the rule by which it breaks.
    pub strength: Strength,
}

impl Glue {
    /// The rounding [m] by which the gap of bodies of these radii [m] may exceed that of a bond.
    #[must_use]
    pub fn rounding(radii: [f64; 2]) -> f64 {
        1e-9 * radii[0].min(radii[1])
    }

    /// The share of its strength that a force [N] and a couple [N m] use. At 1 the bond breaks.
    ///
    /// They act on the second of two bodies of these radii [m].
    #[must_use]
    pub fn used(&self, radii: [f64; 2], normal: &Vector3, [force, couple]: [&Vector3; 2]) -> f64 {
        let now = Impulse {
            linear: (*force).into(),
            couple: (*couple).into(),
        };
        self.strength.limits(radii).used(&(*normal).into(), &now)
    }

    /// Whether bonds are made in this step.
    fn begins(&self, step: &Step) -> bool {
        match self.begin {
            Begin::At(time) => (step.start..step.end).contains(&time),
            Begin::Contact => true,
        }
    }

    /// Whether a bond may join these two bodies.
    fn joins(&self, near: &Near) -> bool {
        let [a, b] = near.materials;
        let two = [a.min(b), a.max(b)];
        match &self.between {
            Between::Materials(of) => *of == two,
            Between::Pairs(pairs) => pairs.binary_search(&near.bodies).is_ok(),
            Between::In(region, of) => {
                let mut centres = near.centres.iter().flatten();
                of.is_none_or(|of| of == two) && centres.all(|x| region.contains(x))
            }
        }
    }
}

/// Two bodies that a bond may join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Their ids; the second may be a wall.
    pub bodies: [u64; 2],
    /// Numbers of their materials.
    pub materials: [u32; 2],
    /// Radii [m]; infinite for walls.
    pub radii: [f64; 2],
    /// Centres of bodies [m]; walls have none.
    pub centres: [Option<Vector3>; 2],
    /// Distance between the surfaces [m].
    pub gap: f64,
}

/// The bond of a contact, as checkpoints store it. All zero: no bond, and none before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Joint {
    /// 0: no bond; [`Joint::BROKEN`]: a broken one; else the number of its [`Glue`], from 1.
    pub glue: u64,
    /// Gap at which the bond exerts no normal force [m].
    pub rest: f64,
}

impl Joint {
    /// The number that stands for a broken bond.
    pub const BROKEN: u64 = 255;
    /// Largest compression that a new bond takes over, over the smaller radius.
    const SMALL: f64 = 0.01;
    /// Largest number of kinds of bonds.
    pub const MOST: usize = 254;

    /// Its glue, if the bond is unbroken.
    #[must_use]
    pub fn whole(self, glues: &[Glue]) -> Option<&Glue> {
        glues.get((self.glue as usize).checked_sub(1)?)
    }

    /// Whether the bond is unbroken.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.glue != 0 && self.glue != Self::BROKEN
    }

    /// The bond in a step: the existing one, or a new one. Also the share of the impulses of the
    /// last step that it keeps.
    ///
    /// `pressed` is the normal impulse of the last step [N s]. A new bond carries on with the
    /// forces of its contact, so that a loaded packing stays at rest when it is bonded. The impulse
    /// of a collision is not such a force: a bond made at contact begins without forces, and others
    /// keep them up to a compression of 0.01 radii.
    #[must_use]
    pub fn made(self, glues: &[Glue], step: &Step, near: &Near, pressed: f64) -> (Self, f64) {
        if self.glue != 0 {
            return (self, 1.0);
        }
        let Near { radii, gap, .. } = *near;
        // A contact that has pressed touches, though rounding may leave a gap.
        let touches = |glue: &Glue| gap <= glue.gap + Glue::rounding(radii) || pressed > 0.0;
        let makes = |glue: &Glue| touches(glue) && glue.begins(step) && glue.joins(near);
        let Some(k) = glues.iter().position(makes) else {
            return (self, 1.0);
        };
        let stiffness = glues[k].stiffness.over(radii).normal;
        let compression = pressed / (stiffness * step.dt);
        let most = Self::SMALL * radii[0].min(radii[1]);
        let share = match glues[k].begin {
            Begin::Contact => 0.0,
            Begin::At(_) if compression.abs() <= most => 1.0,
            Begin::At(_) => most / compression.abs(),
        };
        let made = Self {
            glue: k as u64 + 1,
            rest: gap + share * compression,
        };
        (made, share)
    }
}

/// The largest gap at which a bond is made in this step [m].
pub(super) fn reach(glues: &[Glue], step: &Step) -> f64 {
    let now = glues.iter().filter(|glue| glue.begins(step));
    now.map(|glue| glue.gap).fold(0.0, f64::max)
}

/// An unbroken bond. Its springs along and across are [`Springs`], its masses are in [`Couples`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond<R> {
    /// Its springs of bending and twist.
    pub pivot: Pivot<R>,
    /// Limits of its impulses [N s, N m s].
    pub limits: Limits<R>,
    /// Energy that the springs of a new bond hold, less that of the springs it replaces [J].
    pub prestress: R,
}

impl<R: Copy> Part<R> for Bond<R> {
    const NUMBERS: usize = 13;

    #[inline(always)]
    fn read(from: &impl Numbers<R>, at: usize) -> Self {
        let n = |k: usize| from.number(at + k);
        Self {
            pivot: Pivot::read(from, at),
            limits: Limits {
                alone: [n(5), n(6), n(7), n(8)],
                rule: n(9),
                added: [n(10), n(11)],
            },
            prestress: n(12),
        }
    }

    #[inline(always)]
    fn write(&self, put: &mut impl FnMut(R)) {
        self.pivot.write(put);
        self.limits.alone.into_iter().for_each(&mut *put);
        put(self.limits.rule);
        self.limits.added.into_iter().for_each(&mut *put);
        put(self.prestress);
    }
}

/// A bond at the start of a step.
pub(super) struct Start<'a> {
    /// Its kind.
    pub glue: &'a Glue,
    /// Radii of the two bodies [m].
    pub radii: [f64; 2],
    /// The gap less that at rest [m].
    pub stretch: f64,
    /// Impulse of the last step, turned with the pair [N s].
    pub impulse: Vector3,
    /// Couple impulse of the last step, likewise [N m s].
    pub couple: Vector3,
    /// Of a new bond: the energy in the springs that it replaces [J].
    pub replaced: Option<f64>,
}

/// The tangential problem of a bond.
pub(super) struct Glued<R> {
    /// Unit normal.
    pub n: Three<R>,
    /// Present tangential impulse of the contact [N s].
    pub tangential: Three<R>,
    /// Tangential relative velocity, with the spring's term [m/s].
    pub slip: Three<R>,
    /// `m_t`, with the spring's term [kg].
    pub mass: R,
}

impl<R: Real> Bond<R> {
    /// Impulse and couple. `normal` is the normal impulse of the springs, `couple` the contact's
    /// present one, `spin` is Ω. No force exceeds its strength under the normal force.
    #[inline(always)]
    pub(super) fn answer(
        &self,
        (glued, normal): (&Glued<R>, R),
        couples: &Couples<R>,
        couple: &Three<R>,
        spin: &Three<R>,
    ) -> Impulse<R> {
        let n = &glued.n;
        let one = glued.mass.splat(1.0);
        let [bending, twisting] = self.pivot.softness;
        let yielding = one / couples.turning_mass;
        let (turning, twist) = self.pivot.strained(n, couple, spin);
        let plane = Plane {
            matrix: [one / glued.mass, couples.coupling, yielding + bending],
            masses: [glued.mass, one / (yielding + bending)],
            present: [glued.slip, turning],
            bounds: [one, one],
            normal: *n,
        };
        let [new_t, turned] = plane.both_stick(&glued.tangential, &cross(n, couple));
        let about = dot(couple, n) - twist / (yielding + twisting);
        let normal = self.limits.pulled(normal);
        let [shear, bend, torque] = self.limits.under(normal);
        let about = R::select(about.greater(torque), torque, about);
        let about = R::select(about.less(-torque), -torque, about);
        let bent = clamped(&cross(n, &turned), bend);
        Impulse {
            linear: add(&scaled(n, normal), &clamped(&new_t, shear)),
            couple: sub(&scaled(n, about), &bent),
        }
    }
}

impl Bond<f64> {
    /// The parts of a bonded contact; also sets the law's masses and closing speed.
    ///
    /// `None` where neither body can rotate.
    pub(super) fn open(
        start: &Start,
        law: &mut Parameters,
        dt: f64,
        sides: &impl Sides,
    ) -> Option<(Springs<f64>, Couples<f64>, Self)> {
        let Start {
            glue,
            radii,
            stretch,
            impulse,
            couple,
            replaced,
        } = start;
        let ([turning_mass, coupling], inverse_lever) = sides.turning()?;
        let soft = |stiffness: f64| 1.0 / (stiffness * dt * dt);
        let k = &glue.stiffness.over(*radii);
        let softness = [soft(k.normal), soft(k.tangential)];
        law.closing_speed = stretch / dt;
        law.normal_mass = softened(law.normal_mass, softness[0]);
        law.tangential_mass = softened(law.tangential_mass, softness[1]);
        let pressed = impulse.dot(&law.normal);
        let springs = Springs {
            softness,
            previous: (impulse - law.normal * pressed).into(),
        };
        let couples = Couples {
            rolling: 0.0,
            torsion: 0.0,
            turning_mass,
            coupling,
            inverse_lever,
        };
        let mut bond = Self {
            pivot: Pivot {
                softness: [soft(k.bending), soft(k.twisting)],
                previous: (*couple).into(),
            },
            limits: glue.strength.limits(*radii).within(dt),
            prestress: 0.0,
        };
        if let Some(replaced) = replaced {
            let holds = springs.energy(&(*impulse).into(), pressed)
                + bond.pivot.energy(&law.normal.into(), &bond.pivot.previous);
            bond.prestress = holds - replaced;
        }
        Some((springs, couples, bond))
    }

    /// Whether the bond breaks under this impulse, by its criterion, or by a NaN.
    pub(super) fn breaks(&self, n: &Three<f64>, now: &Impulse<f64>) -> bool {
        let used = self.limits.used(n, now);
        // [`Bond::answer`] holds forces at their strength, but for rounding. A NaN breaks.
        used.is_nan() || used >= USED_UP
    }
}
