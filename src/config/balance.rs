//! The `[balance]` table: how blocks are shared among ranks.

use super::fault::Fault;
use super::reader::{Number, Range, Section};

/// When blocks are shared out anew among ranks. In phase mode nothing that is computed depends on
/// it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Looks every so many steps; 0: never, not even at the start.
    pub every: u64,
    /// Shares out anew where the busiest rank has more than so many times the mean to do.
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
