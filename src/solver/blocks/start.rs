//! Initial impulses of a solve other than those of the last step.

use super::{Block, Blocks};
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use crate::solver::batch::{Batches, Couple, LANES};

impl Blocks {
    /// Sets all impulses to zero; springs keep their memory of the last step.
    pub(in crate::solver) fn start_cold(&mut self) {
        self.map(|block: &mut Block| {
            for rigid in &mut block.rigid {
                rigid.contact.impulse = Vector3::zeros();
                rigid.contact.couple = Vector3::zeros();
            }
            let Batches { all, couples, .. } = &mut block.batches;
            all.iter_mut()
                .for_each(|batch| batch.impulse = [[0.0; LANES]; 3]);
            couples.fill(Couple::ZERO);
            []
        });
    }

    /// Multiplies the impulse of each contact by a number between `1 − spread` and `1 + spread`.
    ///
    /// The number is drawn for the contact and the step. Where forces are not unique, solves with
    /// other initial impulses find other forces.
    pub(in crate::solver) fn start_elsewhere(&mut self, spread: f64, seed: u64, step: u64) {
        let candidates = std::mem::take(&mut self.candidates);
        self.map(|block: &mut Block| {
            for k in 0..block.origins.len() {
                let key = candidates[block.origins[k].candidate as usize].key;
                let slot = block.slots()[k];
                let pair = Stream::new(Purpose::Start, seed, [step, key.a.0, key.b.0]);
                let factor = pair.of(key.feature).between(1.0 - spread, 1.0 + spread);
                block.set_impulse(slot, &(block.contact(slot).impulse * factor));
            }
            []
        });
        self.candidates = candidates;
    }
}
