//! The errors that end a step.

use crate::body::{BodyId, BodyRow};
use crate::domain::Failure;
use serde::{Deserialize, Serialize};

/// The error that ended a step. The state before the step is lost; the last checkpoint is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum StepError {
    /// A position or velocity is not a finite number.
    #[error(
        "step {step}: body {id} has a position or velocity that is not finite: position {position:?} m, velocity {velocity:?} m/s"
    )]
    NotFinite {
        /// The step.
        step: u64,
        /// The body.
        id: u64,
        /// Its position [m].
        position: [f64; 3],
        /// Its velocity [m/s].
        velocity: [f64; 3],
    },
    /// The solver met a number that is not finite, although all bodies are finite.
    #[error("step {step}: the impulses are not finite after {sweeps} sweeps")]
    SolverNotFinite {
        /// The step.
        step: u64,
        /// Sweeps done.
        sweeps: u64,
    },
    /// A body has left the domain.
    #[error(
        "step {step}: body {id} has left the domain at {position:?} m; close the domain with walls or make it larger"
    )]
    Lost {
        /// The step.
        step: u64,
        /// The body.
        id: u64,
        /// Its position [m].
        position: [f64; 3],
    },
    /// Impulses have grown over many steps while the violation stayed constant: no impulses can
    /// satisfy the contacts.
    #[error(
        "step {step}: infeasible: over {steps} steps the impulses have grown {growth:.1} times while the contacts stayed violated \
         by {violation} m/s; squeezed: {bodies}; held by {held}; no impulses can satisfy these contacts: check for bodies between walls that \
         leave too little room"
    )]
    Infeasible {
        /// The step.
        step: u64,
        /// The number of steps over which this held.
        steps: u64,
        /// Growth of the impulses over the last half of that time.
        growth: f64,
        /// Largest violation [m/s].
        violation: f64,
        /// The contacts with the largest violations.
        bodies: String,
        /// The bodies and walls that hold them, and with which force.
        held: String,
    },
    /// Bodies can move without straining a contact, so that no glued assembly answers a load.
    #[error(
        "step {step}: the stiffness is singular: bodies {bodies:?} can move without straining a contact; hold them by \
         contacts, walls or a [[support]], or take another scheme (bagi_bojtar, kishino)"
    )]
    Mechanism {
        /// The step.
        step: u64,
        /// Bodies that move.
        bodies: Vec<u64>,
    },
    /// A wall under pressure has no face, as the walls around it have turned.
    #[error(
        "step {step}: wall {wall} under a pressure must end at periodic ends or at one plane at each end of each other axis; \
         found walls that have turned"
    )]
    NoFace {
        /// The step.
        step: u64,
        /// Its name.
        wall: String,
    },
    /// The cell has become too short for its bodies.
    #[error(
        "step {step}: the edge {axis} of the periodic cell must leave blocks of at least {least} m to the bodies; found \
         {edge} m; end its strain earlier, begin with a longer domain along {axis}, or bring the bodies of a loose \
         sample together by a true_rate before a stress acts"
    )]
    CellTooShort {
        /// The step.
        step: u64,
        /// The axis along which it is too short.
        axis: char,
        /// The shortest block that the bodies need [m].
        least: f64,
        /// The shortest block, or half of a period [m].
        edge: f64,
    },
    /// The cell deforms too fast.
    #[error(
        "step {step}: the strain of the periodic cell in a step must be at most {allowed}; found \
         {strain}; choose a smaller time.dt or rate, for an edge under a stress a larger cell.mass, or a larger \
         solver.block_edge"
    )]
    CellTooFast {
        /// The step.
        step: u64,
        /// The largest strain of an edge in the step, extension or compression.
        strain: f64,
        /// The largest allowed.
        allowed: f64,
    },
    /// A support holds nothing.
    #[error("step {step}: support.{number} must contain the centre of a free body; found none")]
    NothingHeld {
        /// The step.
        step: u64,
        /// Its number.
        number: usize,
    },
    /// A linear method was asked for a second increment.
    #[error(
        "step {step}: serrano_rodriguez glues all contacts and begins without forces, so it must do one increment; \
         end the run after step {}, or take another scheme",
        step - 1
    )]
    OneIncrement {
        /// The step.
        step: u64,
    },
    /// The linear system of the linear method was not solved.
    #[error(
        "step {step}: the displacements must leave at most {allowed:e} of the loads out of balance; found {residual:.1e} after \
         {products} products with the stiffness; hold weakly held bodies by more contacts or a [[support]]{advice}"
    )]
    NotSolved {
        /// The step.
        step: u64,
        /// The residual of the linear system, over its right-hand side.
        residual: f64,
        /// The largest allowed.
        allowed: f64,
        /// Products done.
        products: u64,
        /// Another linear solver, for the message; empty without one.
        advice: String,
    },
    /// No equilibrium carries the loads of a quasi-static increment.
    #[error(
        "step {step}: no equilibrium beyond the load at {time} s{factor}: the unbalanced force stays at {residual:.1e} of the mean \
         normal force, and bodies {bodies:?} move farthest; if they only fall onto others, a larger quasistatic.max_iterations \
         lets them"
    )]
    Collapse {
        /// The step.
        step: u64,
        /// The time of the last equilibrium [s].
        time: f64,
        /// The factor of the load then, for the message; empty without one.
        factor: String,
        /// The bodies that move farthest in the increment that has no equilibrium.
        bodies: Vec<u64>,
        /// The residual that was left.
        residual: f64,
    },
    /// The iterations of a quasi-static increment were over before its loads were in balance.
    #[error(
        "step {step}: quasistatic.max_iterations must be larger; found {allowed}: the loads beyond {time} s{factor} are not in \
         balance, the unbalanced force is {residual:.1e} of the mean normal force for a tolerance of {tolerance:e}, and bodies \
         {bodies:?} move farthest"
    )]
    OutOfIterations {
        /// The step.
        step: u64,
        /// The time of the last equilibrium [s].
        time: f64,
        /// The factor of the load then, for the message; empty without one.
        factor: String,
        /// Iterations that the settings allow, of relaxations with their sweeps, for the message.
        allowed: String,
        /// The bodies that move farthest in the increment.
        bodies: Vec<u64>,
        /// The residual that was left.
        residual: f64,
        /// The residual to be reached.
        tolerance: f64,
    },
    /// The unbalanced forces of an increment have no finite value.
    #[error("step {step}: the unbalanced forces are not finite after {iterations} iterations")]
    ForcesNotFinite {
        /// The step.
        step: u64,
        /// Iterations done in all parts of the increment.
        iterations: u64,
    },
    /// A body or wall overlaps another by at least the smaller one's radius.
    #[error(
        "step {step}: {bodies} overlap by {overlap:.2} of the smaller radius, held by {held}: squeezed without room to move, too soft for their \
         load (stiffness), or solved too coarsely (tolerance, max_sweeps, time.dt)"
    )]
    Crushed {
        /// The step.
        step: u64,
        /// Overlap over the smaller radius.
        overlap: f64,
        /// The two that overlap.
        bodies: String,
        /// The bodies and walls that hold them, and with which force.
        held: String,
    },
    /// A wall moves so far in one step that detection could miss contacts.
    #[error(
        "step {step}: wall {wall} moves {travel} m in one step of {dt} s, more than the {allowed} m that the blocks allow; \
         choose a smaller time.dt or a larger solver.block_edge (where a periodic axis has one block, a longer period)"
    )]
    WallTooFast {
        /// The step.
        step: u64,
        /// Its name.
        wall: String,
        /// Speed times time step [m].
        travel: f64,
        /// Distance that the wall may move [m].
        allowed: f64,
        /// Time step [s].
        dt: f64,
    },
    /// Two bonded bodies, or two that are to be bonded, are too far apart for the blocks.
    #[error(
        "step {step}: gaps of bonds must be below the {allowed} m that blocks of {edge} m allow; found {gap} m; \
         choose a larger solver.block_edge"
    )]
    BondTooLong {
        /// The step.
        step: u64,
        /// The gap up to which detection must look [m].
        gap: f64,
        /// The largest such gap [m].
        allowed: f64,
        /// Shortest edge of a block [m].
        edge: f64,
    },
    /// A body moves so far in one step that detection could miss contacts.
    #[error(
        "step {step}: body {id} moves {travel} m in one step of {dt} s, more than the {allowed} m that blocks of {edge} m \
         allow; \
         choose a smaller time.dt or a larger solver.block_edge (where a periodic axis has one block, a longer period)"
    )]
    TooFast {
        /// The step.
        step: u64,
        /// The body.
        id: u64,
        /// Speed times time step [m].
        travel: f64,
        /// Time step [s].
        dt: f64,
        /// Distance that a body may move [m].
        allowed: f64,
        /// Shortest edge of a block [m].
        edge: f64,
    },
}

impl StepError {
    /// The error of a body with a number that is not finite, found in a step.
    pub(super) fn not_finite(step: u64, row: &BodyRow) -> Self {
        Self::NotFinite {
            step,
            id: row.id.0,
            position: row.position,
            velocity: row.velocity,
        }
    }

    /// The body that caused the error.
    #[must_use]
    pub fn body(&self) -> Option<BodyId> {
        match self {
            Self::NotFinite { id, .. } | Self::Lost { id, .. } | Self::TooFast { id, .. } => {
                Some(BodyId(*id))
            }
            Self::SolverNotFinite { .. }
            | Self::Infeasible { .. }
            | Self::Collapse { .. }
            | Self::NotSolved { .. }
            | Self::OutOfIterations { .. }
            | Self::ForcesNotFinite { .. }
            | Self::Mechanism { .. }
            | Self::OneIncrement { .. }
            | Self::NoFace { .. }
            | Self::NothingHeld { .. }
            | Self::Crushed { .. }
            | Self::BondTooLong { .. }
            | Self::CellTooShort { .. }
            | Self::CellTooFast { .. }
            | Self::WallTooFast { .. } => None,
        }
    }
}

/// Whether all numbers of a body's pose and motion are finite.
#[inline]
pub(super) fn is_finite(row: &BodyRow) -> bool {
    // Without branches: this is asked of each body twice a step.
    let finite = |numbers: &[f64]| numbers.iter().fold(true, |all, c| all & c.is_finite());
    finite(&row.position)
        & finite(&row.velocity)
        & finite(&row.angular_velocity)
        & finite(&row.orientation)
}

impl Failure for StepError {
    fn to_bytes(&self) -> Vec<u8> {
        let text = toml::to_string(self).unwrap_or_else(|e| e.to_string());
        text.into_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        toml::from_str(&text).unwrap_or(Self::SolverNotFinite { step: 0, sweeps: 0 })
    }
}
