//! The output of measures: figures of a part of space at intervals of steps.
//!
//! Sums are exact, over all ranks; all other figures are integers and maxima. So the files are the
//! same on any number of ranks.

mod absent;
pub(super) mod files;
mod record;
mod sides;

use super::Output;
use crate::config::{Measure, What};
use crate::sim::error::RunError;
use crate::sim::now::Now;
use record::Record;
use sides::Sides;

impl Output {
    /// The lines of the summary about figures that are NaN. Only on rank 0.
    pub(in crate::sim) fn absent(&self, measures: &[Measure]) -> Vec<String> {
        let files = self.files.iter().flat_map(|files| &files.measures);
        let each = files.zip(measures);
        each.flat_map(|(files, measure)| files.absent(measure))
            .collect()
    }

    /// Evaluates the measures that are due, and adds the results to their files. Collective.
    pub(super) fn measure(&mut self, now: &mut Now) -> Result<(), RunError> {
        let measures = &now.scenario.measures;
        let (step, time) = (now.state.clock.step, now.state.clock.time);
        let due: Vec<usize> = (0..measures.len())
            .filter(|&k| measures[k].is_due(step, time))
            .collect();
        if due.is_empty() {
            return Ok(());
        }
        let contacts = |what: &What| {
            use What::{Coordination, Fabric, Forces, Stress};
            matches!(what, Coordination { .. } | Fabric | Forces | Stress)
        };
        if due.iter().any(|&k| measures[k].what.iter().any(contacts)) {
            now.bring_contacts();
        }
        // Computed once for all measures.
        let stress = |k: &usize| measures[*k].what.contains(&What::Stress);
        let sides = match due.iter().any(stress) {
            true => Sides::of(now),
            false => Sides::default(),
        };
        let mut records = Vec::new();
        for k in due {
            records.push((k, Record::new(now, &measures[k], &sides)));
        }
        let written = self.files.as_mut().map_or(Ok(()), |files| {
            for (k, record) in &records {
                files.measures[*k].add(&measures[*k], (step, time), record)?;
            }
            files.flush_what_waits()
        });
        self.rows_written(
            now.comm,
            written.map_err(|e| RunError::Incomplete(e.to_string())),
        )
    }
}
