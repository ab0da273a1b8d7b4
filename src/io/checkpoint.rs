//! Checkpoints: the whole state of a run in one HDF5 file.
//!
//! A run that is resumed from it, on any number of ranks, continues to the same bits.
//! `docs/formats.md` describes the file. [`write`] sorts the rows of all ranks by id, so that the
//! file does not depend on the owners of bodies; [`read`] distributes them again. Two checksums
//! guard the content: Fletcher32 for each dataset, and a hash of the content that also covers the
//! attributes. A file that fails a check is refused.

mod folder;
mod hash;
mod layout;
mod numbered;
mod read;
mod rows;
mod wear;
mod write;

pub use folder::{newest, prune, set_aside};
pub use hash::state_hash;
pub use read::{Found, header, read, read_newest};
pub use write::write;

use super::{Header, WallRow};
use crate::body::CellState;
use crate::body::{Anchor, BodyRow};
use crate::comm::Failure;
use crate::contact::ContactRow;
use crate::measure::{Flow, WearRow};

/// The root attribute `format`.
pub const FORMAT: &str = "moreau-checkpoint";

/// The version of the format that this program writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 12;

/// The oldest version that this program reads.
pub const OLDEST_VERSION: u32 = 6;

/// The root attribute of [`Header::judged`].
const JUDGED: &str = "loads_judged";

/// The root attribute of [`Header::wear_since`].
const WEAR_SINCE: &str = "wear_since";

/// The root attributes of a cell that deforms ([`CellState::to_array`]).
const CELL: [&str; CellState::NUMBERS] = [
    "cell_x",
    "cell_y",
    "cell_z",
    "cell_rate_x",
    "cell_rate_y",
    "cell_rate_z",
    "cell_shear_along",
    "cell_shear_across",
    "cell_shear_shift",
    "cell_shear",
    "cell_shear_rate",
];

/// The root attribute that holds an entry of the ledger of energies.
fn attribute(energy: &str) -> String {
    format!("energy_{energy}")
}

/// A state read from a checkpoint: this rank's part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The data of the file about the run as a whole.
    pub header: Header,
    /// An equal share of the bodies: consecutive ids, which ascend from rank to rank.
    pub bodies: Vec<BodyRow>,
    /// The contacts whose body `a` is among these bodies, in the order of keys.
    pub contacts: Vec<ContactRow>,
    /// All walls, on every rank, by number.
    pub walls: Vec<WallRow>,
    /// All inlets and outlets, on every rank.
    pub flows: Vec<Flow>,
    /// All places at which supports hold bodies, on every rank.
    pub anchors: Vec<Anchor>,
    /// An equal share of the sums of triangles, by wall and number.
    pub wear: Vec<WearRow>,
}

/// The numbers of rows of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Bodies.
    pub bodies: u64,
    /// Contacts.
    pub contacts: u64,
    /// Walls.
    pub walls: u64,
    /// Inlets and outlets.
    pub flows: u64,
    /// Bodies that supports hold, each as often as supports hold it.
    pub anchors: u64,
    /// Triangles of meshes that bodies have touched.
    pub wear: u64,
}

/// A failure to write or read a checkpoint.
///
/// The message names the file, the dataset, the fault, and the accepted values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The checkpoint could not be written. Older checkpoints are unchanged.
    #[error("{0}")]
    Write(String),
    /// The checkpoint could not be read, or is invalid.
    #[error("{0}")]
    Read(String),
}

impl Failure for Error {
    fn to_bytes(&self) -> Vec<u8> {
        let (tag, message) = match self {
            Self::Write(message) => (b'w', message),
            Self::Read(message) => (b'r', message),
        };
        [&[tag], message.as_bytes()].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let message = String::from_utf8_lossy(bytes.get(1..).unwrap_or_default()).into_owned();
        if bytes.first() == Some(&b'w') {
            Self::Write(message)
        } else {
            Self::Read(message)
        }
    }
}
