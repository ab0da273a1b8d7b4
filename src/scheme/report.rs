//! The report of a step.

use super::timers::Timers;
use crate::body::BodyRow;
use crate::domain::ghosts::Traffic;
use crate::solver::nsgs::Outcome;

/// What a step did: the same on all ranks but for [`here`](Self::here). Energies [J].
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Length of the step [s].
    pub dt: f64,
    /// Whether the motion asked for a shorter step than the rule's shortest.
    pub rushed: bool,
    /// How the solve ended.
    pub outcome: Outcome,
    /// Translational kinetic energy of free bodies at the end of the step.
    pub translational_energy: f64,
    /// Dissipated at contacts within the step: what they took out of the bodies' motion, less what went into springs.
    pub dissipated: f64,
    /// The same from the bodies' side: what they lost beyond the work of gravity and fields. Equal to what contacts took out less what walls
    /// brought in, but for rounding.
    pub lost: f64,
    /// Lost to the integrator: `Σ m Δt g·(v₁ − v₀)/2`, as positions move with the velocities of the end of the step.
    pub integrator: f64,
    /// Potential energy that the projection of positions brought in.
    pub projected: f64,
    /// Energy in springs at the end of the step.
    pub elastic: f64,
    /// Bodies that ended faster than detection had looked ahead: it may have missed a contact of theirs.
    pub outran: u64,
    /// Bodies that left the domain and were deleted.
    pub deleted: u64,
    /// Bodies that went out by outlets.
    pub drained: u64,
    /// Work of fields on free bodies.
    pub forced: f64,
    /// Energy of bodies that were let go, less that of those that were held, deleted or went out.
    pub entered: f64,
    /// What concerns this rank alone.
    pub here: Here,
}

/// What a step did on one rank.
#[derive(Clone, Debug, Default)]
pub struct Here {
    /// Bodies that left the domain, or went out, as they were when they did.
    pub gone: Vec<BodyRow>,
    /// The largest overlap at the start of the step, relative to the smaller radius.
    pub overlap: f64,
    /// Time spent on each verb.
    pub timers: Timers,
    /// What has been sent within the solve.
    pub traffic: Traffic,
}
