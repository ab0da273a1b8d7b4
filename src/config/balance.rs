//! The `[balance]` table: the distribution of blocks over the ranks.

use super::fault::Fault;
use super::reader::{Number, Range, Section};

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

/// Reads `[balance]`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Balance {
    let section = root.table("balance", &["every", "above"], faults);
    let every = section.whole_if("every", 0, faults);
    let above = section.number_if(
        "above",
        Number(Range::Between(1.0, 1000.0), "of the mean work"),
        faults,
    );
    Balance {
        every: every.unwrap_or(20),
        above: above.unwrap_or(1.1),
    }
}
