//! Initial impulses of a solve other than those of the last step.

use super::{Block, Blocks};
use crate::contact::{Candidate, Contact};
use crate::math::{Vector3, frame};
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

    /// Replaces the impulse of each contact by one drawn for the contact and the step.
    ///
    /// The normal part is multiplied by a number between `1 − spread` and `1 + spread`. The
    /// tangential part is mixed in the ratio `1 − spread` to `spread` with a random one of the
    /// friction cone. Where forces are not unique, solves with other initial impulses find other
    /// forces.
    pub(in crate::solver) fn start_elsewhere(&mut self, spread: f64, seed: u64, step: u64) {
        let ids = std::mem::take(&mut self.ids);
        self.map(|block: &mut Block| {
            for k in 0..block.origins.len() {
                let candidate = &block.candidate(k, &ids);
                let key = candidate.key;
                let slot = block.slots()[k];
                let pair = Stream::new(Purpose::Start, seed, [step, key.a.0, key.b.0]);
                let start = elsewhere(
                    &block.contact(slot),
                    candidate,
                    spread,
                    pair.of(key.feature),
                );
                block.set_impulse(slot, &start);
            }
            []
        });
        self.ids = ids;
    }
}

/// An impulse of the friction cone, drawn at random around the present one.
fn elsewhere(contact: &Contact, candidate: &Candidate, spread: f64, mut draw: Stream) -> Vector3 {
    let n = contact.law.normal;
    let factor = draw.between(1.0 - spread, 1.0 + spread);
    let impulse = contact.impulse * factor;
    let normal = impulse.dot(&n);
    let [_, t1, t2] = frame(&n);
    let random = if candidate.point.z == 0.0 && n.z == 0.0 {
        // A contact in the plane z = 0 keeps its force there, as two dimensions demand.
        Vector3::new(-n.y, n.x, 0.0) * draw.between(-1.0, 1.0)
    } else {
        loop {
            let [x, y] = [0; 2].map(|_| draw.between(-1.0, 1.0));
            if x * x + y * y <= 1.0 {
                break t1 * x + t2 * y;
            }
        }
    };
    let bound = contact.law.friction * normal.max(0.0);
    n * normal + (impulse - n * normal) * (1.0 - spread) + random * (spread * bound)
}
