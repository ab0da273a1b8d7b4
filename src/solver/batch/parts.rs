//! The numbers of a batch beyond Coulomb's law: the parts of its contacts' laws, eight at a time.

use super::eight::{Eight, Eight3, LANES};
use crate::law::{Numbers, Part, Springs};

/// Eight numbers in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Line(pub Eight);

/// The lines of a batch whose contacts have Coulomb's law and springs only.
pub type SpringLines = [Line; <Springs<f64> as Part<f64>>::NUMBERS];

/// The couple impulses of a batch, global frame [N m s].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Couple(pub Eight3);

impl Couple {
    /// Couple impulses of zero.
    pub const ZERO: Couple = Couple([[0.0; LANES]; 3]);
}

/// The numbers of one contact.
pub(super) struct OfLane<'a> {
    pub(super) lines: &'a [Line],
    pub(super) lane: usize,
}

impl Numbers<f64> for OfLane<'_> {
    #[inline(always)]
    fn number(&self, k: usize) -> f64 {
        self.lines[k].0[self.lane]
    }

    #[inline(always)]
    fn reach(&self, end: usize) {
        assert!(end <= self.lines.len() && self.lane < LANES);
    }
}
