//! A contact as the last step left it, in a block.

use crate::contact::Touch;
use crate::law::State;

/// A contact at the end of the last step.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Kept {
    /// Index of its pair.
    pub(super) pair: u32,
    /// The number, from 1, of its [`More`]; 0: none.
    pub(super) more: u32,
    pub(super) feature: u64,
    /// Unit normal.
    pub(super) normal: [f64; 3],
    /// Impulse [N s].
    pub(super) impulse: [f64; 3],
    /// Gap at the start of that step [m].
    pub(super) gap: f64,
    /// Whether it slid.
    pub(super) slid: bool,
}

/// The data that only some laws have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::solver) struct More {
    /// Couple impulse [N m s].
    pub(super) couple: [f64; 3],
    /// State of the law.
    pub(super) state: State,
}

impl More {
    pub(super) const NOTHING: More = More {
        couple: [0.0; 3],
        state: State::NOTHING,
    };
}

impl Kept {
    /// Its place in the order of a block's contacts.
    pub(super) fn name(&self) -> (u32, u64) {
        (self.pair, self.feature)
    }

    pub(super) fn more_in<'a>(&self, more: &'a [More]) -> &'a More {
        match self.more {
            0 => &More::NOTHING,
            k => &more[k as usize - 1],
        }
    }
}

/// A bonded touch of two sides that no impulse moves.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Resting {
    pub(super) pair: u32,
    pub(super) touch: Touch,
    pub(super) state: State,
}
