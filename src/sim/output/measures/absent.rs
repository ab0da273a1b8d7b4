//! Figures of a measure that are NaN, with the reasons, for the summary of the run.

use super::record::Record;
use crate::config::{Measure, What};
use crate::io::series::Figure;
use std::collections::BTreeMap;

/// The figures of a measure that were NaN since the program started.
#[derive(Debug, Default)]
pub(in crate::sim::output) struct Absent {
    rows: u64,
    /// Columns, number of rows, and the last step, by the reason.
    found: BTreeMap<String, (Vec<&'static str>, u64, u64)>,
}

impl Absent {
    /// Counts the figures of a row after this number of steps.
    pub(super) fn count(
        &mut self,
        measure: &Measure,
        columns: impl Fn(&What) -> &'static [&'static str],
        (step, record): (u64, &Record),
    ) {
        self.rows += 1;
        let mut reasons: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        let mut figures = record.figures.iter();
        for what in &measure.what {
            let columns = columns(what);
            let values = figures.by_ref().take(columns.len());
            let missing: Vec<&str> = (columns.iter().zip(values))
                .filter(|(_, value)| matches!(value, Figure::Amount(x) if x.is_nan()))
                .map(|(column, _)| *column)
                .collect();
            if !missing.is_empty() {
                let columns = reasons.entry(reason(what, &missing)).or_default();
                columns.extend(missing);
            }
        }
        for (reason, columns) in reasons {
            let (known, rows, last) = self.found.entry(reason).or_default();
            known.extend(columns);
            known.sort_unstable();
            known.dedup();
            (*rows, *last) = (*rows + 1, step);
        }
    }

    /// A line of the summary for each reason.
    pub(super) fn lines<'a>(&'a self, measure: &'a str) -> impl Iterator<Item = String> + 'a {
        let rows_written = self.rows;
        self.found.iter().map(move |(reason, (columns, rows, last))| {
            format!(
                "NaN        measure {measure}: {} in {rows} of {rows_written} rows, last after step {last}: {reason}",
                columns.join(", ")
            )
        })
    }
}

/// The reason for which these columns have no value.
fn reason(what: &What, missing: &[&str]) -> String {
    match what {
        What::Coordination { least } if !missing.contains(&"coordination") => {
            format!("all free bodies in the region were rattlers (rattlers_below = {least})")
        }
        What::Fabric | What::Forces => "no contact in the region carried a force".to_owned(),
        What::Heap(_) if !missing.contains(&"top") => {
            "fewer than three rings held bodies".to_owned()
        }
        _ => "the region contained only bodies that are not free, or none".to_owned(),
    }
}
