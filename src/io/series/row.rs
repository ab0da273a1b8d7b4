//! The columns of the series.

use serde::{Deserialize, Serialize};

/// One line: the state after a step, and the cost of the steps since the line before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// Bodies.
    pub bodies: u64,
    /// Contacts of the solve, those that may close within the step.
    pub contacts: u64,
    /// Contacts that carry an impulse.
    pub active: u64,
    /// Sweeps of the step.
    pub sweeps: u64,
    /// Residual at the end of the step [1].
    pub residual: f64,
    /// Whether the residual met the tolerance.
    pub converged: bool,
    /// Largest overlap at the start of the step [1], in radii of the smaller body.
    pub max_overlap: f64,
    /// Kinetic energy of free bodies, translation and rotation [J].
    pub kinetic_energy: f64,
    /// Potential energy in gravity [J].
    pub potential_energy: f64,
    /// Energy dissipated at contacts so far [J].
    pub dissipated: f64,
    /// Wall-clock time [s].
    pub wall_s: f64,
    /// Its part in detection [s].
    pub detect_s: f64,
    /// Its part in sweeps [s].
    pub sweep_s: f64,
    /// Its part in exchange between ranks [s].
    pub exchange_s: f64,
    /// Largest over mean time in detection and sweeps over all ranks, waiting excluded [1].
    pub imbalance: f64,
    /// Energy in the springs of compliant contacts [J].
    pub elastic_energy: f64,
    /// Energy that normal impulses in compression took from the motion of bodies so far [J].
    pub normal: f64,
    /// Energy that normal impulses in tension took so far [J].
    pub cohesion: f64,
    /// Energy that friction took so far [J].
    pub friction: f64,
    /// Energy that rolling friction took so far [J].
    pub rolling: f64,
    /// Energy that torsion friction took so far [J].
    pub torsion: f64,
    /// Energy that walls and bodies that are not free added so far [J].
    pub driven: f64,
    /// Energy lost to the integrator so far [J].
    pub integrator: f64,
    /// Potential energy that the projection of positions added so far [J].
    pub projected: f64,
    /// Bodies deleted so far because they left the domain.
    pub deleted: u64,
    /// Length of the step [s].
    pub dt: f64,
    /// Steps so far that were longer than the rule of their length permits.
    pub rushed: u64,
    /// Energy of bodies that came in or were released, less that of bodies that left or are held
    /// [J].
    pub entered: f64,
    /// Bodies that came in by inlets so far.
    pub came: u64,
    /// Bodies that went out by outlets so far.
    pub drained: u64,
    /// Energy in the springs of joints when they broke, so far [J].
    pub fracture: f64,
    /// Energy of the springs of new joints, so far [J].
    pub prestress: f64,
    /// Collisions so far, of contacts with restitution, that ended without rebound.
    pub plastic: u64,
}
