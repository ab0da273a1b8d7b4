//! The bodies of a plan that have gone out since the last step.

use crate::body::BodyId;
use crate::contact::Neighbours;

/// The bodies of a plan that have gone out since the last step.
#[derive(Debug)]
pub(super) struct Lost {
    /// Those of all ranks, in ascending order of id.
    pub(super) ids: Vec<u64>,
    /// Whether each body has gone, by index.
    pub(super) gone: Vec<bool>,
    /// Whether this rank knew one of them.
    pub(super) any: bool,
}

impl Lost {
    /// Whether a side of a pair has gone.
    pub(super) fn has(&self, pair: &Neighbours) -> bool {
        let gone = |i: u32| self.gone.get(i as usize).is_some_and(|gone| *gone);
        self.any && (gone(pair.first) || gone(pair.second))
    }

    /// Whether a body has gone.
    pub(super) fn has_id(&self, id: BodyId) -> bool {
        self.ids.binary_search(&id.0).is_ok()
    }

    /// The index of each body, and of each wall, in the plan that goes on.
    pub(super) fn places(&self) -> Places {
        let mut next = 0;
        let place = |gone: &bool| {
            let place = next;
            next += u32::from(!gone);
            place
        };
        let bodies = self.gone.iter().map(place).collect();
        Places { bodies, left: next }
    }
}

/// Indices of bodies after some have gone; walls follow the bodies.
pub(super) struct Places {
    bodies: Vec<u32>,
    left: u32,
}

impl Places {
    pub(super) fn of(&self, i: u32) -> u32 {
        match self.bodies.get(i as usize) {
            Some(place) => *place,
            None => self.left + (i - self.bodies.len() as u32),
        }
    }

    pub(super) fn pair(&self, pair: &Neighbours) -> Neighbours {
        Neighbours {
            first: self.of(pair.first),
            second: self.of(pair.second),
        }
    }
}
