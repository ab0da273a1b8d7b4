//! The order in which a sweep visits the batches of a block and its rigid contacts.

use super::blocks::Block;
use crate::rng::{Purpose, Stream};

/// Draws the order of a block's batches for a sweep.
///
/// It permutes the order in which the batches were formed, so it does not depend on earlier sweeps.
/// An order drawn by the same numbers before is kept. Numbers past the batches stand for
/// [`Block::rigid`].
pub fn draw_order(block: &mut Block, (seed, step, sweep): (u64, u64, u64)) {
    let drawn = Some([seed, step, sweep, block.linear]);
    if block.drawn == drawn && block.order.len() == block.turns() {
        return;
    }
    block.drawn = drawn;
    block.order.clear();
    block.order.extend(0..block.turns() as u32);
    Stream::new(Purpose::Order, seed, [step, sweep, block.linear]).shuffle(&mut block.order);
}

/// A piece of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn<'a> {
    /// Batches, visited one after the other.
    Batches(&'a [u32]),
    /// The index of a contact in [`Block::rigid`].
    Rigid(usize),
}

/// The turns of an order of a block with this number of batches; consecutive batches form one turn.
pub fn turns(mut order: &[u32], batches: usize) -> impl Iterator<Item = Turn<'_>> {
    let rigid = move |k: &u32| (*k as usize) >= batches;
    std::iter::from_fn(move || {
        let first = order.first()?;
        if rigid(first) {
            order = &order[1..];
            return Some(Turn::Rigid(*first as usize - batches));
        }
        let end = order.iter().position(rigid).unwrap_or(order.len());
        let (these, rest) = order.split_at(end);
        order = rest;
        Some(Turn::Batches(these))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Member;
    use crate::contact::Contact;
    use crate::law::{Parameters, Parts};
    use crate::math::Vector3;
    use crate::solver::batch::{Dealt, Former};

    #[test]
    fn an_order_falls_into_batches_and_single_contacts() {
        let found: Vec<Turn> = turns(&[1, 0, 4, 3, 2, 5], 3).collect();
        let (first, last) = (&[1, 0][..], &[2][..]);
        let expected = [
            Turn::Batches(first),
            Turn::Rigid(1),
            Turn::Rigid(0),
            Turn::Batches(last),
            Turn::Rigid(2),
        ];
        assert_eq!(found, expected);
    }

    /// Validation B8: each sweep visits every batch of a block exactly once, in a new order.
    ///
    /// The order differs from sweep to sweep, from step to step and from block to block, and does
    /// not depend on the orders drawn before.
    #[test]
    fn b8_each_sweep_is_a_new_permutation() {
        let law = Parameters {
            normal: Vector3::z(),
            closing_speed: 0.0,
            normal_mass: 1.0,
            tangential_mass: 1.0,
            friction: 0.5,
        };
        // All contacts of one body: one batch each.
        let mut all = Dealt::default();
        for k in 0..40 {
            let contact = Contact {
                place: [0, k + 1],
                law,
                impulse: Vector3::zeros(),
                couple: Vector3::zeros(),
            };
            all.add(contact, &Parts::NONE);
        }
        let mut members = vec![Member([1.0; 8]); 41];
        members.push(Member::STILL);
        let mut block = Block::default();
        let dealt: Vec<u32> = (0..40).collect();
        Former::default().form(&mut block.batches, &all, &dealt, &members);
        let mut order = |linear: u64, step: u64, sweep: u64| {
            block.linear = linear;
            draw_order(&mut block, (1, step, sweep));
            block.order.clone()
        };
        let first = order(3, 7, 0);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..40));
        assert_ne!(first, order(3, 7, 1));
        assert_ne!(first, order(3, 8, 0));
        assert_ne!(first, order(4, 7, 0));
        assert_eq!(first, order(3, 7, 0));
    }
}
