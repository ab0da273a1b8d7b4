//! What measures write: figures of a part of space after so many steps.
//!
//! What is summed is summed exactly, over all ranks; all else are whole numbers and maxima. So the files are the same on any number of ranks.

pub(super) mod files;
mod record;

use super::Output;
use crate::body::{BodyId, BodyRow};
use crate::config::What;
use crate::measure::{self, Side};
use crate::sim::error::RunError;
use crate::sim::now::Now;
use record::Record;
use std::collections::HashMap;

impl Output {
    /// Measures what is due, and adds it to its files. Collective.
    pub(super) fn measure(&mut self, now: &Now) -> Result<(), RunError> {
        let measures = &now.scenario.measures;
        let (step, time) = (now.state.clock.step, now.state.clock.time);
        let due: Vec<usize> = (0..measures.len())
            .filter(|&k| measures[k].is_due(step, time))
            .collect();
        if due.is_empty() {
            return Ok(());
        }
        // Once for all measures.
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
                files.measures[*k].add((step, time), record)?;
            }
            files.flush_what_waits()
        });
        self.rows_written(
            now.comm,
            written.map_err(|e| RunError::Incomplete(e.to_string())),
        )
    }
}

/// The bodies that this rank's contacts touch.
#[derive(Default)]
struct Sides {
    /// [m].
    radii: HashMap<BodyId, f64>,
    clumps: HashMap<BodyId, BodyRow>,
}

impl Sides {
    /// Collective.
    fn of(now: &Now) -> Self {
        let carrying = now.state.contacts().iter().filter(|c| measure::carries(c));
        let others = carrying.map(|c| c.key.b);
        let wanted: Vec<BodyId> = others.filter(|b| b.wall_index().is_none()).collect();
        let bodies = now.state.bodies();
        Self {
            radii: now.domain.radii(bodies, &wanted),
            clumps: match now.physics.templates.is_empty() {
                true => HashMap::new(),
                false => now.domain.clumps(bodies, &wanted),
            },
        }
    }

    /// A body at a contact of one of its parts.
    fn side(&self, now: &Now, id: BodyId, part: usize) -> Side {
        if let Some(clump) = self.clumps.get(&id) {
            return Side::of(clump, part, &now.physics.templates, now.state.clock.dt);
        }
        // Of what has no radius nothing is known, and it is seen that it is not.
        self.radii
            .get(&id)
            .map_or(Side::UNKNOWN, |radius| Side::ball(*radius))
    }
}
