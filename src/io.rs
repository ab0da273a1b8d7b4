//! Files that a run writes and reads. Writers get a [`Snapshot`] instead of the run.

pub mod checkpoint;
pub mod fclib;
mod hdf;
pub mod mesh;
mod order;
pub mod series;
pub mod vtkhdf;
mod whole;
mod worn;
pub mod xdmf;

pub use whole::{make_folder, own_temporary};
pub use worn::merged;

use crate::body::{Anchor, BodyRow, CellState, Since};
use crate::contact::ContactRow;
use crate::measure::{Flow, Ledger, WearRow};

/// The version of the HDF5 library.
#[must_use]
pub fn hdf5_version() -> String {
    let (major, minor, patch) = hdf5::library_version();
    format!("{major}.{minor}.{patch}")
}

/// The part of one rank in the state of a run at the end of a step: its bodies and contacts.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Data that are equal on all ranks.
    pub header: Header,
    /// This rank's bodies, in any order.
    pub bodies: Vec<BodyRow>,
    /// Contacts, each on exactly one rank (not necessarily that of its bodies), in any order.
    pub contacts: Vec<ContactRow>,
    /// All walls, on all ranks, by number.
    pub walls: Vec<WallRow>,
    /// The bodies that entered by each inlet and left by each outlet, on all ranks, inlets first.
    pub flows: Vec<Flow>,
    /// The places at which supports hold bodies, on all ranks, in the order of their keys.
    pub anchors: Vec<Anchor>,
    /// The sums of triangles, each triangle on one rank, in any order.
    pub wear: Vec<WearRow>,
}

/// The data of a checkpoint about the run as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Number of steps so far.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// Length of the last step [s]; before the first step the longest possible one.
    pub dt: f64,
    /// Seed of the run's random streams.
    pub seed: u64,
    /// The configuration as run (TOML text, overrides applied).
    pub config: String,
    /// Number of ranks that wrote the state.
    pub ranks: u64,
    /// Number of steps so far that ended at the sweep cap.
    pub capped_steps: u64,
    /// Number of steps so far that were longer than the rule of `time.dt` permits.
    pub rushed_steps: u64,
    /// Number of bodies deleted so far because they left the domain.
    pub deleted: u64,
    /// Number of collisions so far, of contacts with restitution, that ended without rebound.
    pub plastic: u64,
    /// Whether loads have shown that the tolerance of a quasi-static scheme is above rounding;
    /// `None` under another scheme.
    pub judged: Option<bool>,
    /// The id of the next body that enters.
    pub next_id: u64,
    /// Energies so far.
    pub ledger: Ledger,
    /// The periodic cell, if it deforms.
    pub cell: Option<CellState>,
    /// The time from which the impulses on triangles are summed [s]; `None`: they are not.
    pub wear_since: Option<f64>,
    /// Origin of the state as TOML text, which is not part of the hash.
    pub provenance: String,
}

/// The state of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct WallRow {
    /// Displacement of the wall's centre since time zero, global frame [m].
    pub displacement: [f64; 3],
    /// The quaternion of its rotation since time zero.
    pub orientation: [f64; 4],
    /// Velocity of its centre, global frame [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity, global frame [rad/s].
    pub angular_velocity: [f64; 3],
    /// Number of the material.
    pub material: u32,
    /// Impulse of the bodies on the wall in the last step [N s].
    pub impulse: [f64; 3],
    /// Their couple impulse about its centre [N m s].
    pub couple_impulse: [f64; 3],
    /// Displacement when the plan of contacts was made [m].
    pub reference_displacement: [f64; 3],
    /// Orientation when the plan of contacts was made.
    pub reference_orientation: [f64; 4],
    /// The distance by which its surface may move until the next plan [m].
    pub allowance: f64,
    /// The time from which its prescribed motion counts [s].
    pub motion_time: f64,
    /// Its displacement at that time [m].
    pub motion_displacement: [f64; 3],
    /// Its orientation at that time; zeros where the motion counts from time zero.
    pub motion_orientation: [f64; 4],
    /// Its displacement when its hinge or its turning servo began [m].
    pub axis_displacement: [f64; 3],
    /// Its orientation at that time; zeros where it began at time zero.
    pub axis_orientation: [f64; 4],
}

impl WallRow {
    /// The place of the wall when its hinge or its turning servo began.
    ///
    /// `None`: it began at time zero.
    #[must_use]
    pub fn turns_since(&self) -> Option<Since> {
        (self.axis_orientation != [0.0; 4]).then(|| Since {
            displacement: self.axis_displacement.into(),
            orientation: self.axis_orientation,
        })
    }

    /// Displacement since time zero of the centre that the configuration gives [m].
    ///
    /// A hinge or a servo that began later has made another point the wall's centre.
    #[must_use]
    pub fn displacement_as_given(&self) -> [f64; 3] {
        let since = self.turns_since();
        since.map_or(self.displacement, |since| {
            let way = since.material(&self.displacement.into(), self.orientation);
            way.into()
        })
    }
}
