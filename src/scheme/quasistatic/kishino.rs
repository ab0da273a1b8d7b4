//! The method of Kishino [004 §6.2.2]: body by body, the largest error first.
//!
//! The body with the largest unbalanced force moves as its own contacts demand,
//! `Δu = (k^pp)⁻¹ Δf`, while all others stay; then its contacts have new forces, and its neighbours
//! new errors. The seed calls the choice of the worst body Gauss–Seidel; it is Southwell's
//! relaxation.
//!
//! With [`Select::Block`] the largest errors are those within a block. Blocks of one colour share
//! no contact. So of a contact one body moves at a time, and its copies on two ranks go through the
//! same moves. With [`Select::Largest`] all ranks agree on each body before it moves.

mod held;
mod worst;

use super::assembly::Assembly;
use super::balance::{Balance, Loads};
use super::found::Found;
use super::frame::Frame;
use super::link::Link;
use super::settings::{Breaking, Select};
use super::unknowns::{Push, Shift, numbers, shift};
use crate::contact::{Neighbours, Partner};
use crate::law::elastic::Carried;
use crate::math::Vector3;
use crate::solver::grid::Parity;
use held::{Held, balanced};
use nalgebra::{DVector, Vector3 as Three, Vector6};
use std::collections::BTreeMap;
use worst::Worst;

/// Stiffness of a body whose contacts leave a motion free, over its largest stiffness.
const FICTITIOUS: f64 = 0.1;

/// Part of its largest stiffness below which a motion counts as free.
const FREE: f64 = 1e-6;

/// Largest displacement of a relaxation, in radii.
const LARGEST: f64 = 0.02;

/// Relaxes until the loads are balanced. Collective.
pub(super) fn balance(assembly: &mut Assembly, frame: &Frame, select: Select) -> Found {
    let mut found = Found::default();
    if !frame.is_still() {
        let still = vec![Shift::default(); assembly.network.own.len()];
        assembly.advance(&still, Some(frame));
        assembly.keep_up();
    }
    let statics = *assembly.statics;
    let mut loads = Loads::of(assembly);
    let mut order = Order::of(assembly);
    let allowed = statics.iterations();
    loop {
        let balance = Balance::of(assembly, &loads);
        found.judge(&balance, (statics.tolerance, allowed));
        let over = found.iterations >= allowed;
        if found.converged || found.stopped || over || !found.residual.is_finite() {
            return found;
        }
        found.iterations += 1;
        let mut relaxing = Relaxing::new(assembly, &loads, &order);
        let relaxations = match select {
            Select::Block => {
                let colours = (0..Parity::COLOURS as u8).map(Parity);
                colours.map(|colour| relaxing.phase(colour)).sum()
            }
            Select::Largest => relaxing.largest_first(),
        };
        found.products += assembly
            .domain
            .sums(&[[relaxations as f64].into_iter().collect()])[0]
            as u64;
        assembly.refresh();
        relax_walls(assembly);
        if assembly.keep_up() {
            loads = Loads::of(assembly);
            order = Order::of(assembly);
        }
        if statics.breaking == Breaking::All {
            assembly.break_bonds(statics.breaking);
        }
    }
}

/// Free walls and edges move together as their contacts demand, like one body. Collective.
fn relax_walls(assembly: &mut Assembly) {
    if assembly.free_count() == 0 {
        return;
    }
    // Only contacts of walls move a wall; all of them an edge.
    let of_edges = !assembly.edges.is_empty();
    let takes = |link: &Link| (of_edges || matches!(link.partner, Partner::Wall(_))) && link.acts();
    let resists = |link: &Link| takes(link).then(|| link.tangent(false));
    let mut held = assembly.coupling_of_free(resists);
    let loose: Vec<usize> = (0..held.nrows()).filter(|&k| held[(k, k)] <= 0.0).collect();
    if !loose.is_empty() {
        let fictitious = FICTITIOUS * assembly.scale().stiffness;
        loose.iter().for_each(|&k| held[(k, k)] = fictitious);
    }
    let forces = DVector::from(assembly.on_free());
    let own = held.diagonal();
    // Edges that contacts hold alike in all their motions have no solution together.
    let together = held.cholesky().map(|held| held.solve(&forces));
    let ways = together.unwrap_or_else(|| forces.component_div(&own));
    let most = LARGEST * assembly.physics.largest_radius;
    if !ways.iter().all(|way| way.is_finite()) {
        return; // The judge sees their forces.
    }
    let part = (most / ways.amax()).min(1.0);
    let ways: Vec<f64> = ways.iter().map(|way| way * part).collect();
    let frame = assembly.moved_by(&ways, &assembly.at_rest());
    if !of_edges {
        assembly.advance_walls(&frame);
        return;
    }
    let still = vec![Shift::default(); assembly.network.own.len()];
    assembly.advance(&still, Some(&frame));
}

/// The order of relaxations, while own bodies are the same.
struct Order {
    /// Own bodies by block, with the block's colour; the blocks in the order of their numbers.
    blocks: Vec<(Parity, Vec<u32>)>,
    /// The block of each known body in this list, and its place there; no block: it is not own.
    places: Vec<[u32; 2]>,
}

impl Order {
    fn of(assembly: &Assembly) -> Self {
        let grid = assembly.domain.partition().grid();
        let network = &assembly.network;
        let mut blocks: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (k, &i) in network.own.iter().enumerate() {
            let place = Vector3::from(network.rows[i as usize].reference.position);
            let block = grid.linear(grid.block_of(&place));
            blocks.entry(block).or_default().push(k as u32);
        }
        let blocks = blocks.into_iter();
        let blocks = blocks.map(|(block, bodies)| (grid.colour(block), bodies));
        let blocks: Vec<_> = blocks.collect();
        let mut places = vec![[u32::MAX; 2]; network.rows.len()];
        for (block, (_, bodies)) in blocks.iter().enumerate() {
            for (place, &k) in bodies.iter().enumerate() {
                places[network.own[k as usize] as usize] = [block as u32, place as u32];
            }
        }
        Self { blocks, places }
    }

    /// The place of a known body, or of a wall, in a block.
    fn place(&self, i: u32, block: usize) -> Option<usize> {
        let [of, place] = self.places.get(i as usize)?;
        (*of as usize == block).then_some(*place as usize)
    }

    /// The number of a known body, or of a wall, among own bodies.
    fn own(&self, i: u32) -> Option<usize> {
        let [block, place] = *self.places.get(i as usize)?;
        let (_, bodies) = self.blocks.get(block as usize)?;
        Some(bodies[place as usize] as usize)
    }
}

/// The relaxation that a rank would make.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Proposal {
    error: f64,
    id: u64,
    shift: [f64; 6],
}

struct Relaxing<'s, 'a, 'd> {
    assembly: &'s mut Assembly<'a, 'd>,
    order: &'s Order,
    loads: &'s Loads,
    /// The pushes of each contact on its two sides.
    pushes: Vec<[Push; 2]>,
    /// The unbalanced push on each own body, of the block in hand.
    ///
    /// It is summed anew after each change: rounding must not decide between equal errors.
    left: Vec<Push>,
    /// The other sides of the contacts whose force the last move has changed.
    changed: Vec<u32>,
}

impl<'s, 'a, 'd> Relaxing<'s, 'a, 'd> {
    fn new(assembly: &'s mut Assembly<'a, 'd>, loads: &'s Loads, order: &'s Order) -> Self {
        let pushes = assembly.network.links().map(|link| link.carries());
        Self {
            pushes: pushes.collect(),
            left: vec![Push::default(); assembly.network.own.len()],
            assembly,
            order,
            loads,
            changed: Vec::new(),
        }
    }

    /// Relaxes the blocks of a colour; returns the number of relaxations. Collective.
    fn phase(&mut self, colour: Parity) -> u64 {
        let mut moves = Vec::new();
        for block in 0..self.order.blocks.len() {
            if self.order.blocks[block].0 == colour {
                self.block(block, &mut moves);
            }
        }
        let count = moves.len() as u64;
        for (body, shift) in self.assembly.share_moves(&moves) {
            self.take(body, &shift);
        }
        count
    }

    /// As many relaxations as a block has bodies, the largest error first.
    fn block(&mut self, block: usize, moves: &mut Vec<(usize, Shift)>) {
        let order = self.order;
        let bodies = &order.blocks[block].1;
        let errors = bodies.iter().map(|&k| self.error(k as usize));
        let mut errors = Worst::of(errors);
        for _ in 0..bodies.len() {
            let (place, error) = errors.largest();
            // A number that is not finite ends the iteration; the judge sees it.
            if error == 0.0 || !error.is_finite() {
                return;
            }
            let k = bodies[place] as usize;
            let shift = self.relaxation(k);
            let at = self.assembly.network.own[k] as usize;
            self.take(at, &shift);
            moves.push((at, shift));
            errors.set(place, self.error(k));
            for n in 0..self.changed.len() {
                if let Some(place) = order.place(self.changed[n], block) {
                    errors.set(place, self.error(bodies[place] as usize));
                }
            }
        }
    }

    /// As many relaxations as there are bodies, the largest error of all ranks first.
    ///
    /// Of equal errors that of the smallest id comes first. Returns the number of relaxations of
    /// own bodies. Collective.
    fn largest_first(&mut self) -> u64 {
        let order = self.order;
        let own = self.assembly.network.own.len();
        let mut all = [own as i64];
        self.assembly.domain.count(&mut all);
        let errors: Vec<f64> = (0..own).map(|k| self.error(k)).collect();
        let mut errors = Worst::of(errors.into_iter());
        let mut count = 0;
        for _ in 0..all[0] {
            let mine = self.proposal(errors.largest());
            let proposals = self.assembly.domain.gather(bytemuck::cast_slice(&mine));
            let proposals = bytemuck::cast_slice(&proposals).iter();
            let chosen = proposals
                .max_by(|a: &&Proposal, b| a.error.total_cmp(&b.error).then(b.id.cmp(&a.id)));
            let Some(chosen) = chosen.filter(|of| of.error > 0.0 && of.error.is_finite()) else {
                return count;
            };
            let rows = &self.assembly.network.rows;
            let Ok(at) = rows.binary_search_by_key(&chosen.id, |row| row.id.0) else {
                continue; // No contact of it is known here.
            };
            self.take(at, &Shift::from_array(chosen.shift));
            if let Some(k) = order.own(at as u32) {
                count += 1;
                errors.set(k, self.error(k));
            }
            for n in 0..self.changed.len() {
                if let Some(k) = order.own(self.changed[n]) {
                    errors.set(k, self.error(k));
                }
            }
        }
        count
    }

    /// The relaxation of own body `k`, which has this error; none without own bodies.
    fn proposal(&self, (k, error): (usize, f64)) -> Vec<Proposal> {
        let Some(&at) = self.assembly.network.own.get(k) else {
            return Vec::new();
        };
        let shift = match error > 0.0 && error.is_finite() {
            true => self.relaxation(k),
            false => Shift::default(),
        };
        vec![Proposal {
            error,
            id: self.assembly.network.rows[at as usize].id.0,
            shift: shift.to_array(),
        }]
    }

    /// The size of the unbalanced push on own body `k`, found anew [N].
    fn error(&mut self, k: usize) -> f64 {
        self.left[k] = self.sum(k);
        self.unbalanced(k).norm()
    }

    /// The push of loads, supports and contacts on own body `k`.
    fn sum(&self, k: usize) -> Push {
        let network = &self.assembly.network;
        let mut push = self.loads.at(self.assembly, k);
        if self.assembly.supports.any() {
            let period = self.assembly.domain.partition().grid().period();
            push = push.plus(&self.assembly.supports.push(network.body(k), period));
        }
        for side in network.sides(k) {
            push = push.plus(&self.pushes[side.link()][side.side()]);
        }
        push
    }

    /// Unbalanced force, and moment over the radius, of own body `k` [N].
    #[inline]
    fn unbalanced(&self, k: usize) -> Vector6<f64> {
        let network = &self.assembly.network;
        let row = network.body(k);
        if !row.is_free() {
            return Vector6::zeros();
        }
        let mut of = numbers(&self.left[k], row.radius);
        if network.planar {
            of[2..5].fill(0.0);
        }
        of.into()
    }

    /// The shift by which the contacts of own body `k`, which is free, balance it.
    fn relaxation(&self, k: usize) -> Shift {
        let network = &self.assembly.network;
        let row = network.body(k);
        let mut held = match self.assembly.supports.any() {
            true => Held::of(&self.assembly.supported(k)),
            false => Held::default(),
        };
        for side in network.sides(k) {
            let link = network.link(side.link());
            if link.acts() {
                held.add(&link, side.side(), row.radius);
            }
        }
        let out = self.unbalanced(k);
        let stiffest = held.stiffest;
        if stiffest == 0.0 {
            // Nothing holds it: it goes as far as it may, until it touches.
            let way = Vector3::new(out[0], out[1], out[2]);
            let size = way.norm();
            let far = self.clear(k, &(way / size)).min(LARGEST * row.radius);
            let way = if size > 0.0 { way * (far / size) } else { way };
            return Shift {
                way,
                turn: Vector3::zeros(),
            };
        }
        let limits = [FREE, FICTITIOUS];
        let found = if network.planar {
            let out = Three::new(out[0], out[1], out[5]);
            let [x, y, turn] = balanced(held.planar(), out, stiffest, limits).into();
            Vector6::new(x, y, 0.0, 0.0, 0.0, turn)
        } else {
            balanced(held.spatial(), out, stiffest, limits)
        };
        let far = found.fixed_rows::<3>(0).norm();
        let most = LARGEST * row.radius;
        let found = if far > most {
            found * (most / far)
        } else {
            found
        };
        shift(found.as_slice(), row.radius)
    }

    /// The distance that own body `k` can go along a unit vector until it touches [m].
    fn clear(&self, k: usize, direction: &Vector3) -> f64 {
        let network = &self.assembly.network;
        let each = network.sides(k).iter().map(|side| {
            let link = &network.link(side.link());
            let sign = if side.side() == 0 { 1.0 } else { -1.0 };
            let closing = sign * direction.dot(&link.normal);
            let gap = link.gap.max(0.0);
            if closing > 0.0 {
                gap / closing
            } else {
                f64::INFINITY
            }
        });
        each.fold(f64::INFINITY, f64::min)
    }

    /// Moves a known body and updates its contacts.
    fn take(&mut self, at: usize, shift: &Shift) {
        self.assembly.place(at, shift);
        self.changed.clear();
        for place in 0..self.assembly.network.sides_at(at).len() {
            let side = self.assembly.network.sides_at(at)[place];
            let number = side.link();
            let mut link = self.assembly.network.link(number);
            let Some(touch) = self.assembly.touch_of(&link) else {
                continue;
            };
            let of_side = side.side();
            let open = link.carried == Carried::default();
            link.follow(|link| link.motion_of_side(of_side, shift), &touch, false);
            self.assembly.network.links.set(number, &link);
            if open && link.carried == Carried::default() {
                continue;
            }
            let Neighbours { first, second } = link.pair;
            let other = [second, first][of_side];
            self.pushes[number] = link.carries();
            self.changed.push(other);
        }
    }
}

#[cfg(test)]
mod tests;
