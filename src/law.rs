//! The contact law: the impulse at a contact within a step, and the law's state between steps.
//!
//! A law consists of pure functions of geometry, masses, coefficients, impulse and relative
//! velocity. It knows neither bodies nor lists of contacts nor ranks. A step calls three functions,
//! in this order:
//!
//! - [`open`] and, where a contact has more than springs, [`open_rest`] derive the local problem
//!   from gap, coefficients and state: Coulomb's law ([`Coulomb`], [001 eq. 1.30]) and the further
//!   [`Parts`] of the contact;
//! - [`answer`] computes the impulse that the law demands at given velocities: the inner loop of
//!   the sweep;
//! - [`close`] computes the [`State`] that outlives the step; [`status`] says whether the contact
//!   slid.
//!
//! Each part has a file of its own. A law is written once, generic over the number ([`Real`]): the
//! plain sweep uses it with `f64`, the fast sweep with a vector register that holds one contact in
//! each lane. [`work`] gives the terms of the energy dissipated at a contact. [`one_contact`]
//! solves Coulomb's law for a full 3×3 matrix W. [`cone`] projects an impulse on the friction cone;
//! [`cut`] writes the law as an equation, whose corners can be rounded.

pub mod bond;
mod cohesion;
pub mod cone;
mod coulomb;
mod couples;
pub mod cut;
mod damper;
mod dataset;
mod drive;
pub mod elastic;
mod gap;
mod hertz;
mod impulse;
mod memory;
mod numbers;
pub mod one_contact;
mod open;
mod pair;
mod parts;
mod pivot;
mod restitution;
mod simple;
mod springs;
mod status;
mod touching;
pub mod work;

pub use cohesion::Cohesion;
pub use coulomb::{Coulomb, Parameters, reduced_masses, relative_velocity};
pub use couples::Couples;
pub use damper::{Damper, Damping};
pub use dataset::{Dataset, Values};
pub use drive::Drive;
pub use gap::GapRule;
pub use hertz::{Elasticity, Hertz};
pub use impulse::Impulse;
pub use memory::Memory;
pub use numbers::{Numbers, Part};
pub use open::{open, open_rest};
pub use pair::{Arm, Pair, PairTable};
pub use parts::{Kind, Kinds, Parts};
pub use pivot::Pivot;
pub use simple::{OpenedSimple, Simple};
pub use springs::{Springs, softened};
pub use status::Status;
pub use touching::{Sides, Step};

use crate::math::Vector3;
use crate::math::real::{Mask, Real, Three, across, add, clamped, dot, scaled, select, sub};
use bond::{Bond, Glue, Glued, Joint};
use bytemuck::{Pod, Zeroable};
use couples::Tangent;

/// The impulse that the law demands while all other impulses keep their values.
///
/// `now` is the present impulse of the contact. `velocity` and `spin` are the relative velocity and
/// the relative angular velocity of the second body against the first [m/s, rad/s]; `now` is
/// already included in them: `V_free = velocity − M⁻¹ now`. The law is [001 eq. 1.30], with the
/// terms of the other parts in brackets:
///
/// - `R_n = max(0, r_n − m_n (u_n + b_n [+ γ_n r_n]))`; zero: open. \[Cohesion: `R_n ≥ −F_C Δt`\];
/// - `R_t = r_t − m_t (u_t [+ γ_t (r_t − r_t,previous)])`: sticking.
///   \[Couples are solved together with it\];
/// - if `|R_t| > μ (R_n [+ F_C Δt])`: `R_t` is scaled down to that length: sliding.
///
/// Restitution enters through `b_n`. A NaN in the input gives NaN, never zero.
#[inline(always)]
pub fn answer<R: Real>(
    law: &Coulomb<R>,
    parts: &Parts<R>,
    now: &Impulse<R>,
    velocity: &Three<R>,
    spin: &Three<R>,
) -> Impulse<R> {
    let n = &law.normal;
    let r = &now.linear;
    let zero = law.friction.splat(0.0);
    let (mut u, mut spin) = (*velocity, *spin);
    if let Some(drive) = &parts.drive {
        u = add(&u, &drive.velocity);
        spin = add(&spin, &drive.spin);
    }
    let (u_n, r_n) = (dot(&u, n), dot(r, n));
    let mut speed = u_n + law.closing_speed;
    if let Some(springs) = &parts.springs {
        speed = springs.closing(speed, r_n);
    }
    let mut closing = r_n - law.normal_mass * speed;
    let (mut depth, mut mass) = (zero, law.tangential_mass);
    if let Some(hertz) = &parts.hertz {
        [closing, depth] = match &parts.damper {
            None => hertz.pressed(speed - r_n / law.normal_mass, law.normal_mass),
            Some(damper) => hertz.damped(damper, law, [u_n, r_n]),
        };
    }
    let (mut new_n, mut pressed) = (closing, closing);
    let mut opens = closing.at_most(zero);
    if R::ALONE && opens.any() && parts.kind().is_dry() {
        return Impulse {
            linear: [zero; 3],
            couple: [zero; 3],
        };
    }
    if let Some(cohesion) = &parts.cohesion {
        new_n = cohesion.normal(closing, r_n - law.normal_mass * u_n);
        pressed = new_n + cohesion.force;
        opens = cohesion.open();
    }
    let tangential = across(r, n, r_n);
    let mut slip = across(&u, n, u_n);
    if let Some(springs) = &parts.springs {
        slip = springs.slip(&slip, &tangential);
    }
    if let Some(hertz) = &parts.hertz {
        let spring = hertz.across(depth, &slip, &tangential, mass);
        (slip, mass) = (spring.slip, spring.mass);
    }
    if let (Some(bond), Some(couples)) = (&parts.bond, &parts.couples) {
        let glued = Glued {
            n: *n,
            tangential,
            slip,
            mass,
        };
        return bond.answer((&glued, closing), couples, &now.couple, &spin);
    }
    let bound = law.friction * pressed;
    let mut couple = [zero; 3];
    let new_t = match &parts.couples {
        None => sub(&tangential, &scaled(&slip, mass)),
        Some(couples) => {
            let tangent = Tangent {
                n: *n,
                tangential,
                slip,
                mass,
                bound,
                pressed,
                open: opens,
            };
            let (new_t, turned) =
                couples.answer(&tangent, parts.pivot.as_ref(), &now.couple, &spin);
            couple = select(opens, &couple, &turned);
            new_t
        }
    };
    let pushed = add(&scaled(n, new_n), &clamped(&new_t, bound));
    Impulse {
        linear: select(opens, &[zero; 3], &pushed),
        couple,
    }
}

/// [`answer`] of a contact that has Coulomb's law only.
#[must_use]
pub fn solve(law: &Parameters, impulse: &Vector3, velocity: &Vector3) -> Vector3 {
    let (zero, now) = ([0.0; 3], Impulse::of((*impulse).into()));
    let velocity = (*velocity).into();
    let wanted = answer(&law.numbers(), &Parts::NONE, &now, &velocity, &zero);
    wanted.linear.into()
}

/// The state of a contact's law that outlives a step. All zero for a new contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    /// 1: the contact has closed and its cohesion is unbroken; 0: otherwise, or without cohesion.
    pub bonded: u64,
    /// The bond.
    pub joint: Joint,
}

impl State {
    /// The datasets of a checkpoint that hold this state.
    pub const DATASETS: &'static [Dataset<State>] = &[
        Dataset {
            path: "/contacts/bonded",
            unit: "1",
            description: "1: the contact has closed and its cohesion is unbroken; 0: otherwise, or without cohesion",
            values: Values::Small(|state| &mut state.bonded),
        },
        Dataset {
            path: "/contacts/bond",
            unit: "1",
            description: "0: no bond; 255: a broken bond; else the number of the bond's [[bond]] entry, from 1",
            values: Values::Small(|state| &mut state.joint.glue),
        },
        Dataset {
            path: "/contacts/bond_gap",
            unit: "m",
            description: "gap at which the bond exerts no normal force",
            values: Values::Real(1, |state| std::slice::from_mut(&mut state.joint.rest)),
        },
    ];

    /// The state of a new contact.
    pub const NOTHING: State = State {
        bonded: 0,
        joint: Joint { glue: 0, rest: 0.0 },
    };

    /// Whether an open contact has state to keep.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.bonded != 0 || self.joint.glue != 0
    }

    /// Whether a bond joins the two bodies. They then are a contact at any distance.
    #[must_use]
    pub fn is_joint(&self) -> bool {
        self.joint.is_whole()
    }
}

/// A contact at the start of a step.
pub type Touching<'a> = touching::Touching<'a, State>;

/// A contact as the last step left it.
pub type Previous<'a> = touching::Previous<'a, State>;

/// A contact's local problem and the impulse that it starts with.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    /// Coulomb's law.
    pub law: Parameters,
    /// The parts of the law beyond Coulomb's.
    pub parts: Parts<f64>,
    /// The impulse of the last step, scaled to the length of this step [N s].
    pub impulse: Vector3,
    /// The couple impulse of the last step, scaled likewise [N m s].
    pub couple: Vector3,
    /// The facts that [`close`] needs.
    pub memory: Memory,
}

impl Opened {
    /// A contact with an unbroken bond.
    fn glued(
        law: Parameters,
        (springs, couples, bond): (Springs<f64>, Couples<f64>, Bond<f64>),
        start: &bond::Start,
        drive: Option<[Vector3; 2]>,
        joint: Joint,
    ) -> Self {
        let drive = drive.map(|[velocity, spin]| Drive {
            velocity: velocity.into(),
            spin: spin.into(),
        });
        Self {
            law,
            parts: Parts {
                springs: Some(springs),
                couples: Some(couples),
                cohesion: None,
                drive,
                bond: Some(bond),
                damper: None,
                pivot: None,
                hertz: None,
            },
            impulse: start.impulse,
            couple: start.couple,
            memory: Memory::new(false, false, joint),
        }
    }
}

/// The laws of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Laws {
    /// Coefficients between materials.
    pub pairs: PairTable,
    /// Kinds of bonds, by number; at most [`Joint::MOST`].
    pub bonds: Vec<Glue>,
}

impl From<PairTable> for Laws {
    fn from(pairs: PairTable) -> Self {
        Self {
            pairs,
            bonds: Vec::new(),
        }
    }
}

impl Laws {
    /// Whether any law joins bodies.
    #[must_use]
    pub fn join(&self) -> bool {
        !self.bonds.is_empty()
    }

    /// The largest gap at which a law joins two bodies in this step [m].
    #[must_use]
    pub fn reach(&self, step: &Step) -> f64 {
        bond::reach(&self.bonds, step)
    }
}

/// The status of a contact with this impulse.
#[must_use]
#[inline(always)]
pub fn status(law: &Parameters, parts: &Parts<f64>, impulse: &Vector3) -> Status {
    match parts.bond {
        Some(_) => Status::Sticking,
        None => Status::of(law, parts.cohesion.as_ref(), impulse),
    }
}

/// Whether a bond breaks under this impulse, at the end of a step.
#[must_use]
#[inline(always)]
pub fn breaks(parts: &Parts<f64>, n: &Three<f64>, now: &Impulse<f64>) -> bool {
    (parts.bond.as_ref()).is_some_and(|bond| bond.breaks(n, now))
}

/// The state of a contact's law after a step that ended with this impulse.
#[must_use]
#[inline(always)]
pub fn close(memory: &Memory, n: &Vector3, parts: &Parts<f64>, now: &Impulse<f64>) -> State {
    let n = (*n).into();
    let closed = dot(&now.linear, &n) > 0.0;
    let broken = breaks(parts, &n, now);
    State {
        // Once pressed together, a contact stays bonded until it is torn apart.
        bonded: u64::from(memory.adhesive && (closed || memory.bonded)),
        joint: Joint {
            glue: if broken {
                Joint::BROKEN
            } else {
                memory.glue.into()
            },
            // A broken bond has none.
            rest: if broken { 0.0 } else { memory.rest },
        },
    }
}

#[cfg(test)]
mod tests;
