//! Projection of positions: overlaps that the residual of the velocities left are taken back by moving bodies, without
//! touching their velocities, so that no kinetic energy is pumped in.
//!
//! After the solve the gap that each contact is about to have is `g + Δt u_n`. In a few sweeps (same blocks, tours and
//! hand-overs as those of the velocities) every contact whose gap is still negative pushes its two bodies apart along the
//! normal by a fraction of it, shared by their inverse masses. Nothing pulls, nothing turns; walls stay. Compliant contacts
//! are left alone: their overlap is their spring's.

use super::batch::{LANES, split};
use super::blocks::{Block, Blocks, Share, Tally};
use super::grid::{Parity, Tour};
use super::nsgs::{draw_order, go_to, run};
use super::{Halo, Settings};
use crate::body::Member;

/// Ways by which the bodies are to be moved beside their velocities [m], in the place of velocities: right on the rank that
/// holds the body at colour 0. `members` are those that a solve has just ended with.
pub fn project<H: Halo>(
    blocks: &mut Blocks,
    members: &mut [Member],
    halo: &mut H,
    settings: &Settings,
    step: u64,
    dt: f64,
) -> Vec<Member> {
    let mut at = Parity(0);
    let predict = |block: &mut Block, members: &mut [Member]| predict(block, members, dt);
    let _: Tally<0> = run(blocks, members, halo, &mut at, &Tour::plain(), &predict);

    let mut ways = members.to_vec();
    ways.iter_mut().for_each(|way| way.set_motion(&[0.0; 6]));
    halo.begin(&mut ways);
    for sweep in 0..settings.projection.sweeps {
        // Streams of their own, beyond those of the sweeps over velocities.
        let drawn = settings.max_sweeps + sweep;
        let tour = Tour::draw(settings.seed, step, drawn);
        let _: Tally<0> = run(
            blocks,
            &mut ways,
            halo,
            &mut at,
            &tour,
            &|block: &mut Block, members: &mut [Member]| {
                draw_order(block, settings.seed, step, drawn);
                push_apart(block, members, settings.projection.fraction)
            },
        );
    }
    go_to(&mut ways, halo, &mut at, Parity(0));
    ways
}

/// Notes the gap that each contact is about to have; nothing is to be done about springs.
fn predict(block: &mut Block, members: &mut [Member], dt: f64) -> Share<0> {
    let mut predicted = std::mem::take(&mut block.predicted);
    predicted.clear();
    predicted.resize(block.batches.len(), [f64::INFINITY; LANES]);
    for (slot, c, extra, origin) in block.each() {
        if extra.is_none_or(|extra| extra.softness[0] == 0.0) {
            let velocity = c.relative_velocity(members) + origin.drive.linear;
            let (batch, lane) = split(slot);
            predicted[batch][lane] = origin.gap + dt * velocity.dot(&c.law.normal);
        }
    }
    block.predicted = predicted;
    Share::default()
}

/// One sweep: of each overlap that is left, a fraction.
fn push_apart(block: &mut Block, members: &mut [Member], fraction: f64) -> Share<0> {
    for &batch in &block.order {
        let predicted = &block.predicted[batch as usize];
        for (lane, predicted) in predicted.iter().enumerate() {
            let c = block.batches.all[batch as usize].contact(lane);
            let [a, b] = c.place.map(|p| members[p as usize]);
            let n = c.law.normal;
            let gap = predicted + (b.velocity() - a.velocity()).dot(&n);
            let responses = a.inverse_mass() + b.inverse_mass();
            if gap < 0.0 && responses > 0.0 {
                let push = -fraction * gap / responses;
                let (of_a, of_b) = (push * a.inverse_mass(), push * b.inverse_mass());
                members[c.place[0] as usize].set(&(a.velocity() - n * of_a), &a.spin());
                members[c.place[1] as usize].set(&(b.velocity() + n * of_b), &b.spin());
            }
        }
    }
    Share::default()
}
