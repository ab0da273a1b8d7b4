//! Initial bodies: lattices, random placing, files.
//!
//! A body's id, position and size never depend on the number of ranks: draws are keyed by purpose,
//! seed and id.

mod error;
mod file;
mod form;
pub mod inlet;
mod lattice;
mod near;
mod radius;
mod random;
mod source;
mod space;

pub use error::Error;
pub use file::{Described, clump};
pub use form::Form;
pub use radius::{Part, Radius, Share};
pub use source::{Amount, Arrangement, Count, Ids, Lattice, Named, Random, Sample, Source};
pub use space::Space;

use crate::body::BodyRow;
use std::ops::Range;

/// The bodies of a sample, counted. A file is read and checked from end to end.
///
/// # Errors
/// See [`Error`].
pub fn count(sample: &Sample) -> Result<Count, Error> {
    let new = |bodies| Count {
        bodies,
        kept_below: None,
    };
    match &sample.source {
        Source::Lattice(lattice) => lattice.check(sample.discs).map(|()| new(lattice.count)),
        Source::Random(random) => random.count(sample.discs).map(new),
        Source::File { path, ids } => {
            file::read(path, sample, (*ids, true), 0, &mut |_, _| {}).map(|read| read.count)
        }
        Source::Checkpoint { path, .. } => Err(Error::Elsewhere(path.clone())),
    }
}

/// Calls `keep` for the bodies `among` those of a sample, counted from 0.
///
/// Ids count up from `first_id`, but for those that a file keeps. Every call on any rank gives the
/// same bodies. A lattice makes no others, a random sample only others near by; a file is read and
/// checked from end to end.
///
/// # Errors
/// See [`Error`]. Bodies may have been given to `keep` before an error shows.
/// See [`Error`]. Bodies may have been given to `keep` before an error shows.
pub fn bodies(
    sample: &Sample,
    among: Range<u64>,
    first_id: u64,
    seed: u64,
    keep: &mut dyn FnMut(BodyRow),
) -> Result<(), Error> {
    match &sample.source {
        Source::Lattice(lattice) => lattice.fill(sample, among, (first_id, seed), keep),
        Source::Random(random) => random.fill(sample, among, (first_id, seed), keep),
        Source::File { path, ids } => {
            let mut some = |place: u64, row: BodyRow| {
                if among.contains(&place) {
                    keep(row);
                }
            };
            file::read(path, sample, (*ids, false), first_id, &mut some).map(|_| ())
        }
        Source::Checkpoint { path, .. } => Err(Error::Elsewhere(path.clone())),
    }
}

/// The unused contents of a sample's file: columns, sections, atom types. For the log.
///
/// # Errors
/// See [`Error`].
pub fn ignored(sample: &Sample) -> Result<Vec<String>, Error> {
    match &sample.source {
        Source::Lattice(_) | Source::Random(_) | Source::Checkpoint { .. } => Ok(Vec::new()),
        Source::File { path, ids } => {
            file::read(path, sample, (*ids, false), 0, &mut |_, _| {}).map(|read| read.ignored)
        }
    }
}
