//! The contacts of a block that are opened in their batches: balls and fixed walls, with springs at
//! most.

use super::Block;
use super::last::Kept;
use super::touches::NEW;
use crate::law::{Laws, Step};
use crate::solver::batch::{Simples, Unopened};

/// The contacts of a block that are opened in their batches.
pub(super) struct OfBlock<'a> {
    pub(super) laws: &'a Laws,
    pub(super) step: &'a Step,
    pub(super) block: &'a Block,
    pub(super) kept: &'a [Kept],
    /// Radii of the members [m]; infinite for walls.
    pub(super) radii: &'a [f64],
    /// The index of each dealt contact among the block's contacts.
    pub(super) batched: &'a [u32],
}

impl Simples for OfBlock<'_> {
    #[inline(always)]
    fn get(&self, contact: u32) -> Unopened<'_> {
        let (block, k) = (self.block, self.batched[contact as usize] as usize);
        let (touch, pair) = (&block.touches[k], block.of[k] as usize);
        let law = self.laws.pairs.numbered(block.laws[pair]);
        let places = block.places[pair].map(|place| place as usize);
        let [a, b] = places.map(|place| &block.before[place]);
        let mass = a.inverse_mass() + b.inverse_mass();
        let last = match block.matched[k] {
            NEW => None,
            last => Some(&self.kept[last as usize]),
        };
        let compliance = match law.is_soft() {
            false => 0.0,
            true => {
                let [a, b] = places.map(|place| self.radii[place]);
                // A wall is as compliant as a body of the same size.
                law.compliance([a, if b.is_finite() { b } else { a }])
            }
        };
        Unopened {
            normal: &touch.normal,
            gap: touch.gap,
            // [001 eq. 1.21], as a member has l²/I.
            inverse_masses: [mass, mass + (a.inverse_turning() + b.inverse_turning())],
            friction: law.friction_of(last.is_some_and(|last| last.slid)),
            compliance: [compliance, law.tangential_ratio],
            last: last.map(|last| [&last.normal, &last.impulse]),
        }
    }

    fn step(&self) -> &Step {
        self.step
    }
}
