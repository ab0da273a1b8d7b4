//! The parts that blocks have of large bodies.

use super::{Block, Blocks};
use crate::body::Member;
use crate::contact::{Neighbours, Touch};
use crate::solver::pushed::Pushed;

/// The part of a large body that a block has.
///
/// It takes the impulses of the block's contacts at once, while the block is visited; the whole
/// body takes those of all blocks together after the sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::solver) struct Part {
    /// Index among the walls and bodies that impulses move after the sweep.
    pub on: u32,
    /// Its place among the block's members.
    place: u32,
    /// The sum of the weights of the block's contacts with it [kg].
    weight: f64,
    /// Inverse mass [1/kg], and `l²/I` [1/kg].
    response: [f64; 2],
}

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

    /// Lets the parts move, in a visit, or not any more.
    pub(super) fn free_parts(&self, members: &mut [Member], free: bool) {
        for part in &self.parts {
            let response = if free { part.response } else { [0.0; 2] };
            members[part.place as usize].set_response(response);
        }
    }
}
