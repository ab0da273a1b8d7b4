//! The parts of large bodies: their weights, and their responses.

use super::part::Part;
use super::{Block, Blocks};
use crate::contact::{Neighbours, Touch};
use crate::solver::pushed::Pushed;

impl Blocks {
    /// Notes the parts of large bodies. `weights` gives for each side of a touch the index of the
    /// large body, and the weight of the contact [kg].
    pub fn weigh_parts(
        &mut self,
        weights: impl Fn(&Neighbours, &Touch) -> [Option<(usize, f64)>; 2],
    ) {
        let bodies = self.ids.len();
        for block in &mut self.blocks {
            block.parts.clear();
            for k in 0..block.touches.len() {
                let pair = block.of[k] as usize;
                let sides = weights(&block.pairs[pair], &block.touches[k]);
                for (one, place) in sides.into_iter().zip(block.places[pair]) {
                    if let Some((on, weight)) = one {
                        debug_assert_eq!(block.bodies[place as usize] as usize, bodies + on);
                        block.add_weight(on as u32, place, weight);
                    }
                }
            }
        }
    }
}

impl Block {
    fn add_weight(&mut self, on: u32, place: u32, weight: f64) {
        match self.parts.iter_mut().find(|part| part.on == on) {
            Some(part) => part.weight += weight,
            None => self.parts.push(Part {
                on,
                place,
                weight,
                response: [0.0; 2],
            }),
        }
    }

    /// The mass of a large body over that of the part here; `None` for walls.
    pub(super) fn parts_of(&self, on: usize, pushed: &Pushed) -> Option<f64> {
        let part = self.parts.iter().find(|part| part.on as usize == on)?;
        Some(pushed.weight_of_all(on) / part.weight)
    }

    /// Sets the responses of the parts, once the weights of all contacts are known.
    pub(super) fn set_responses(&mut self, pushed: &Pushed) {
        for part in &mut self.parts {
            let parts = pushed.weight_of_all(part.on as usize) / part.weight;
            part.response = pushed.response(part.on as usize).map(|of| of * parts);
        }
    }
}
