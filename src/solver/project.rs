//! Projection of positions: overlaps that the residual of the velocities left are taken back by moving bodies, without
//! touching their velocities, so that no kinetic energy is pumped in.
//!
//! After the solve the gap that each contact is about to have is `g + Δt u_n`. In a few sweeps (same blocks, tours and
//! hand-overs as those of the velocities) every contact whose gap is still negative pushes its two bodies apart along the
//! normal by a fraction of it, shared by their inverse masses. Nothing pulls, nothing turns; walls stay. Compliant contacts
//! are left alone: their overlap is their spring's.

use super::blocks::{Block, Blocks, Share, Tally};
use super::grid::{Parity, Tour};
use super::nsgs::{draw_order, go_to, run};
use super::{Halo, Settings};
use crate::body::Twist;
use crate::contact::Member;

/// Ways by which the bodies are to be moved beside their velocities [m], as the linear part of twists: right on the rank that
/// holds the body at colour 0. `twists` are the velocities that a solve has just ended with.
pub fn project<H: Halo>(
    blocks: &mut Blocks,
    twists: &mut [Twist],
    halo: &mut H,
    settings: &Settings,
    step: u64,
    dt: f64,
) -> Vec<Twist> {
    let mut at = Parity(0);
    let predict = |block: &mut Block, members: &mut [Member]| predict(block, members, dt);
    let _: Tally<0> = run(blocks, twists, halo, &mut at, &Tour::plain(), &predict);

    let mut ways = vec![Twist::default(); twists.len()];
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

/// Notes the gap that each contact is about to have.
fn predict(block: &mut Block, members: &mut [Member], dt: f64) -> Share<0> {
    let each = block.contacts.iter().zip(&block.origins);
    block.predicted.clear();
    block.predicted.extend(each.map(|(c, origin)| {
        let velocity = c.relative_velocity(members) + origin.drive.linear;
        origin.gap + dt * velocity.dot(&c.law.normal)
    }));
    Share::default()
}

/// One sweep: of each overlap that is left, a fraction.
fn push_apart(block: &mut Block, members: &mut [Member], fraction: f64) -> Share<0> {
    for &k in &block.order {
        let c = &block.contacts[k as usize];
        let soft = block.extras.get(c.extra as usize);
        if soft.is_some_and(|extra| extra.softness[0] > 0.0) {
            continue;
        }
        let [a, b] = c.place.map(|p| p as usize);
        let n = c.law.normal;
        let way = members[b].twist.linear - members[a].twist.linear;
        let gap = block.predicted[k as usize] + way.dot(&n);
        let responses = members[a].response.0 + members[b].response.0;
        if gap < 0.0 && responses > 0.0 {
            let push = -fraction * gap / responses;
            let (of_a, of_b) = (push * members[a].response.0, push * members[b].response.0);
            members[a].twist.linear -= n * of_a;
            members[b].twist.linear += n * of_b;
        }
    }
    Share::default()
}
