//! The bodies of contacts, wherever they are owned, for the measures that need their sizes.

use crate::body::{BodyId, BodyRow};
use crate::measure::{self, Side};
use crate::sim::now::Now;
use std::collections::HashMap;

/// The bodies that this rank's contacts touch.
#[derive(Default)]
pub(super) struct Sides {
    /// [m].
    radii: HashMap<BodyId, f64>,
    clumps: HashMap<BodyId, BodyRow>,
}

impl Sides {
    /// Collective.
    pub(super) fn of(now: &Now) -> Self {
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
    pub(super) fn side(&self, now: &Now, id: BodyId, part: usize) -> Side {
        if let Some(clump) = self.clumps.get(&id) {
            return Side::of(clump, part, &now.physics.templates, now.state.clock.dt);
        }
        // An unknown body makes the stress NaN.
        self.radii
            .get(&id)
            .map_or(Side::UNKNOWN, |radius| Side::ball(*radius))
    }
}
