//! The `[balance]` table: the distribution of blocks over the ranks.

use super::fault::Fault;
use super::key::{Key, Preset, Whole};
use super::reader::{Number, Range, Section};
use super::table::Table;

/// The rule by which blocks are redistributed over the ranks.
///
/// With `exchange = "phase"` no result of the run depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Steps between two checks of the load; 0: blocks are never redistributed, not even at the
    /// start.
    pub every: u64,
    /// Redistributes the blocks if the busiest rank has more than this many times the mean work.
    pub above: f64,
}

const EVERY: Key<Whole, Preset<u64>> = Key::new(
    "every",
    Whole::from(0),
    Preset(20),
    "steps between two checks of the load balance; 0: never",
);
const ABOVE: Key<Number, Preset<f64>> = Key::new(
    "above",
    Number(Range::Between(1.0, 1000.0), "of the mean work"),
    Preset(1.1),
    "blocks are distributed anew if the work of the busiest rank exceeds this multiple of the \
     mean; with `solver.exchange = \"phase\"` no result depends on it",
);

/// `[balance]`.
pub(super) const TABLE: Table = Table::new("balance", &[&EVERY, &ABOVE]);

/// Reads `[balance]`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Balance {
    let section = root.declared(&TABLE, faults);
    Balance {
        every: section.read(&EVERY, faults),
        above: section.read(&ABOVE, faults),
    }
}
