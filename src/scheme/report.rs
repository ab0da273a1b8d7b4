//! The report of a step.

use super::error::StepError;
use super::timers::Timers;
use crate::body::{BodyId, BodyRow};
use crate::domain::ghosts::Traffic;
use crate::math::Vector3;
use crate::solver::nsgs::Outcome;

/// The results of a step, the same on all ranks except for [`here`](Self::here). Energies [J].
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Length of the step [s].
    pub dt: f64,
    /// Whether the motion demanded a shorter step than the rule's shortest.
    pub rushed: bool,
    /// Whether the plan of contacts was made anew.
    pub planned: bool,
    /// The outcome of the solve.
    pub outcome: Outcome,
    /// Translational kinetic energy of free bodies at the end of the step.
    pub translational_energy: f64,
    /// Dissipated at contacts within the step: the energy that they took out of the bodies' motion,
    /// less the energy that went into springs.
    pub dissipated: f64,
    /// The same, computed from the bodies: their loss beyond the work of gravity and fields.
    ///
    /// Up to rounding it equals the energy that contacts took out, less the energy that walls
    /// brought in.
    pub lost: f64,
    /// Lost to the integrator: `Σ m Δt g·(v₁ − v₀)/2`, as positions move with the velocities of the
    /// end of the step.
    pub integrator: f64,
    /// Potential energy that the projection of positions added.
    pub projected: f64,
    /// Energy in springs at the end of the step.
    pub elastic: f64,
    /// Bodies and walls that ended the step beyond their allowance: it may have missed contacts of
    /// theirs.
    pub outran: u64,
    /// Contacts whose two sides passed through each other in the step before.
    pub passed: u64,
    /// The first of them by id.
    pub passed_first: Option<String>,
    /// Bodies that left the domain and were deleted.
    pub deleted: u64,
    /// Bodies that left through outlets.
    pub drained: u64,
    /// Bonds that broke.
    pub broken: u64,
    /// Collisions of contacts with restitution that ended without rebound.
    pub plastic: u64,
    /// Work of fields on free bodies, and of the strain of a cell on their motion.
    pub forced: f64,
    /// Energy of bodies that were released, less that of bodies that were held, deleted or left
    /// through outlets.
    pub entered: f64,
    /// The periodic cell; `None` where it does not deform.
    pub cell: Option<OfCell>,
    /// The work of an increment; `None` under the time step of contact dynamics.
    pub tally: Option<Tally>,
    /// The smallest tolerance that rounding allows under the loads of an increment; 0 where nothing
    /// is loaded.
    pub floor: f64,
    /// The end of a quasi-static run: no equilibrium carries more load, iterations were too few to
    /// find one, or one is outside the limits of domain, blocks, cell or overlap.
    ///
    /// The state is the last equilibrium. Where the increment has no part in balance, it is that of
    /// the increment before, and the clock stands.
    pub end: Option<StepError>,
    /// Whether the increment was given up, as a rank is asked to end the run: the state is that
    /// before it, and the clock stands.
    pub stopped: bool,
    /// The part that concerns this rank alone.
    pub here: Here,
}

impl Report {
    /// The report of an increment that was given up.
    pub(super) fn given_up() -> Self {
        Self {
            stopped: true,
            ..Self::default()
        }
    }
}

/// The stress in a periodic cell that deforms, and its work in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfCell {
    /// Stress of the contacts [Pa], compression positive: xx, yy, zz, yz, zx, xy.
    pub stress: [f64; 6],
    /// Work of the cell on the bodies [J].
    pub work: f64,
}

/// The work of a quasi-static increment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Parts in which it came to balance.
    pub parts: u64,
    /// Solves of a linear system, or sweeps of relaxations.
    pub iterations: u64,
    /// Products with the stiffness, or relaxations of a body.
    pub products: u64,
    /// Smallest parts in which a held body moved far.
    pub jumps: u64,
    /// Contacts that press or pull at its end.
    pub contacts: u64,
    /// Those that slide.
    pub sliding: u64,
    /// Contacts that pressed or pulled at its start, and do not at its end.
    pub opened: u64,
    /// Those that do at its end only.
    pub closed: u64,
}

/// The results of a step on one rank.
#[derive(Clone, Debug, Default)]
pub struct Here {
    /// Bodies that left the domain or went through an outlet, as they were then.
    pub gone: Vec<BodyRow>,
    /// The largest overlap at the start of the step, relative to the smaller radius.
    pub overlap: f64,
    /// Bonds that broke in the step, each on one rank.
    pub broken: Vec<BrokenBond>,
    /// Time spent on each verb.
    pub timers: Timers,
    /// Data sent within the solve.
    pub traffic: Traffic,
}

/// A bond that broke, with the forces at that moment, on the second body. Global frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrokenBond {
    /// Load time, or that of the end of the step [s].
    pub time: f64,
    /// How many times bonds had broken in this increment, with this one; 0: all break at once.
    pub wave: u64,
    /// The first body.
    pub a: BodyId,
    /// The second body, or a wall.
    pub b: BodyId,
    /// Number of the `[[bond]]`.
    pub bond: u64,
    /// Place of the contact [m].
    pub point: Vector3,
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Force [N].
    pub force: Vector3,
    /// Couple [N m].
    pub couple: Vector3,
    /// Energy in its springs [J].
    pub energy: f64,
}
