//! The method of Kishino [004 §6.2.2]: body by body, the largest error first.
//!
//! The body with the largest unbalanced force moves as its own contacts demand,
//! `Δu = (k^pp)⁻¹ Δf`, while all others stay; then its contacts have new forces, and its neighbours
//! new errors. The seed calls the choice of the worst body Gauss–Seidel; it is Southwell's
//! relaxation.
//!
//! With [`Select::Block`] the largest errors are those within a block. Blocks of one colour share
//! no contact. So of a contact one body moves at a time, and its copies on two ranks go through the
//! same moves.

use super::assembly::Assembly;
use super::balance::{self, Balance};
use super::found::Found;
use super::frame::Frame;
use super::network::Side;
use super::settings::{Breaking, Select};
use super::unknowns::{Push, Shift, UNKNOWNS, numbers, shift};
use crate::math::Vector3;
use crate::solver::grid::Parity;
use nalgebra::{Matrix6, Vector6};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// Stiffness of a body whose contacts leave a motion free, over its largest stiffness.
const FICTITIOUS: f64 = 0.1;

/// Part of its largest stiffness below which a motion counts as free.
const FREE: f64 = 1e-6;

/// Largest displacement of a relaxation, in radii.
const LARGEST: f64 = 0.02;

/// Sweeps of relaxations for each iteration that settings allow.
const SWEEPS: u64 = 100;

/// A body with its error; the largest error first, then the lowest id.
struct Waiting {
    error: f64,
    id: u64,
    /// Number among own bodies.
    body: usize,
    /// How often its error has changed.
    version: u32,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_error = self.error.total_cmp(&other.error);
        by_error
            .then(other.id.cmp(&self.id))
            .then(self.version.cmp(&other.version))
    }
}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Waiting {}

/// Relaxes until the loads are balanced. Collective.
pub(super) fn balance(assembly: &mut Assembly, frame: &Frame, select: Select) -> Found {
    let mut found = Found::default();
    if !frame.is_still() {
        let still = vec![Shift::default(); assembly.network.own.len()];
        assembly.advance(&still, Some(frame));
        assembly.keep_up();
    }
    let statics = *assembly.statics;
    let mut loads = balance::loads(assembly);
    loop {
        let balance = Balance::of(assembly, &loads);
        found.judge(&balance, statics.tolerance);
        let over = found.iterations >= SWEEPS * statics.max_iterations;
        if found.converged || found.stopped || over || !found.residual.is_finite() {
            return found;
        }
        found.iterations += 1;
        let mut relaxing = Relaxing::new(assembly, &loads, select);
        let mut relaxations = 0;
        for colour in (0..Parity::COLOURS as u8).map(Parity) {
            relaxations += relaxing.phase(colour);
        }
        found.products += assembly
            .domain
            .sums(&[[relaxations as f64].into_iter().collect()])[0]
            as u64;
        assembly.refresh();
        relax_walls(assembly);
        if assembly.keep_up() {
            loads = balance::loads(assembly);
        }
        if statics.breaking == Breaking::All {
            assembly.break_bonds(statics.breaking);
        }
    }
}

/// Each free wall and edge moves as its contacts demand. Collective.
fn relax_walls(assembly: &mut Assembly) {
    if assembly.free_count() == 0 {
        return;
    }
    let tangents = assembly.network.links.iter();
    let tangents = tangents.map(|link| link.acts().then(|| link.tangent(false)));
    let held = assembly.stiffness_of_free(&tangents.collect::<Vec<_>>());
    let most = LARGEST * assembly.physics.largest_radius;
    let scale = assembly.scale();
    let each = assembly.on_free().into_iter().zip(held);
    let ways: Vec<f64> = each
        .map(|(force, held)| {
            let held = if held > 0.0 {
                held
            } else {
                FICTITIOUS * scale.stiffness
            };
            (force / held).clamp(-most, most)
        })
        .collect();
    let frame = assembly.moved_by(&ways, &assembly.at_rest());
    let still = vec![Shift::default(); assembly.network.own.len()];
    assembly.advance(&still, Some(&frame));
}

struct Relaxing<'s, 'a, 'd> {
    assembly: &'s mut Assembly<'a, 'd>,
    loads: &'s [Push],
    /// The contacts of each known body.
    sides: Vec<Vec<Side>>,
    /// Own bodies by block.
    blocks: BTreeMap<u64, Vec<usize>>,
    /// The number of each known body among own bodies.
    numbers: Vec<Option<usize>>,
}

impl<'s, 'a, 'd> Relaxing<'s, 'a, 'd> {
    fn new(assembly: &'s mut Assembly<'a, 'd>, loads: &'s [Push], select: Select) -> Self {
        let bodies = assembly.network.rows.len();
        let mut sides = vec![Vec::new(); bodies];
        for (number, link) in assembly.network.links.iter().enumerate() {
            let both = [link.pair.first, link.pair.second];
            for (side, body) in both
                .into_iter()
                .enumerate()
                .filter(|(_, b)| (*b as usize) < bodies)
            {
                sides[body as usize].push(Side {
                    link: number as u32,
                    side: side as u8,
                });
            }
        }
        let grid = assembly.domain.partition().grid();
        let mut blocks: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut numbers = vec![None; bodies];
        for (k, &i) in assembly.network.own.iter().enumerate() {
            let place = Vector3::from(assembly.network.rows[i as usize].reference.position);
            let block = match select {
                Select::Block => grid.linear(grid.block_of(&place)),
                Select::Largest => 0,
            };
            blocks.entry(block).or_default().push(k);
            numbers[i as usize] = Some(k);
        }
        Self {
            assembly,
            loads,
            sides,
            blocks,
            numbers,
        }
    }

    /// Relaxes the blocks of a colour; returns the number of relaxations. Collective.
    fn phase(&mut self, colour: Parity) -> u64 {
        let grid = self.assembly.domain.partition().grid();
        let mine = self.blocks.iter();
        let mine = mine.filter(|(block, _)| grid.colour(**block) == colour);
        let mine: Vec<Vec<usize>> = mine.map(|(_, bodies)| bodies.clone()).collect();
        let mut moves = Vec::new();
        for bodies in &mine {
            self.block(bodies, &mut moves);
        }
        let count = moves.len() as u64;
        for (body, shift) in self.assembly.share_moves(&moves) {
            self.take(body, &shift);
        }
        count
    }

    /// As many relaxations as a block has bodies, the largest error first.
    fn block(&mut self, bodies: &[usize], moves: &mut Vec<(usize, Shift)>) {
        let mut versions: BTreeMap<usize, u32> = bodies.iter().map(|&k| (k, 0)).collect();
        let mut waiting: BinaryHeap<Waiting> = bodies.iter().map(|&k| self.waiting(k, 0)).collect();
        let mut left = bodies.len();
        while left > 0 {
            let Some(worst) = waiting.pop() else {
                return;
            };
            if versions[&worst.body] != worst.version {
                continue;
            }
            // A NaN ends the iteration; the judge sees it.
            if worst.error.is_nan() || worst.error == 0.0 {
                return;
            }
            left -= 1;
            let shift = self.relaxation(worst.body);
            let at = self.assembly.network.own[worst.body] as usize;
            self.take(at, &shift);
            moves.push((at, shift));
            let mut changed = vec![worst.body];
            for side in &self.sides[at] {
                let pair = &self.assembly.network.links[side.link as usize].pair;
                let other = if side.side == 0 {
                    pair.second
                } else {
                    pair.first
                };
                changed.extend(self.numbers.get(other as usize).copied().flatten());
            }
            changed.sort_unstable();
            changed.dedup();
            for k in changed {
                if let Some(version) = versions.get_mut(&k) {
                    *version += 1;
                    let version = *version;
                    waiting.push(self.waiting(k, version));
                }
            }
        }
    }

    fn waiting(&self, k: usize, version: u32) -> Waiting {
        Waiting {
            error: self.unbalanced(k).norm(),
            id: self.assembly.network.body(k).id.0,
            body: k,
            version,
        }
    }

    /// Unbalanced force, and moment over the radius, of own body `k` [N].
    fn unbalanced(&self, k: usize) -> Vector6<f64> {
        let (row, mask) = (self.assembly.network.body(k), self.assembly.network.mask(k));
        let each = self.sides[self.assembly.network.own[k] as usize].iter();
        let period = self.assembly.domain.partition().grid().period();
        let held = self.assembly.supports.push(row, period);
        let push = each.fold(self.loads[k].plus(&held), |sum, side| {
            let link = &self.assembly.network.links[side.link as usize];
            sum.plus(&link.carries()[usize::from(side.side)])
        });
        let of = numbers(&push, row.radius);
        Vector6::from_fn(|n, _| if mask[n] { of[n] } else { 0.0 })
    }

    /// The shift by which the contacts of own body `k` balance it.
    fn relaxation(&self, k: usize) -> Shift {
        let (row, mask) = (self.assembly.network.body(k), self.assembly.network.mask(k));
        let at = self.assembly.network.own[k] as usize;
        let held = self.assembly.supported(k);
        let mut block = Matrix6::from_diagonal(&held.into());
        let mut stiffest = held.into_iter().fold(0.0, f64::max);
        for side in &self.sides[at] {
            let link = &self.assembly.network.links[side.link as usize];
            if link.acts() {
                let tangent = link.tangent(false);
                block += link.block(&tangent, usize::from(side.side), row.radius);
                stiffest = stiffest.max(link.elastic.stiffness.normal);
            }
        }
        let out = self.unbalanced(k);
        if stiffest == 0.0 {
            // Nothing holds it: it goes as far as it may, until it touches.
            let way = Vector3::new(out[0], out[1], out[2]);
            let size = way.norm();
            let far = self.clear(at, &(way / size)).min(LARGEST * row.radius);
            let way = if size > 0.0 { way * (far / size) } else { way };
            return Shift {
                way,
                turn: Vector3::zeros(),
            };
        }
        for n in (0..UNKNOWNS).filter(|&n| !mask[n]) {
            block.row_mut(n).fill(0.0);
            block.column_mut(n).fill(0.0);
            block[(n, n)] = stiffest;
        }
        let values = block.symmetric_eigenvalues();
        if values.min() < FREE * stiffest {
            for n in (0..UNKNOWNS).filter(|&n| mask[n]) {
                block[(n, n)] += FICTITIOUS * stiffest;
            }
        }
        let found = block
            .cholesky()
            .map_or_else(|| out / stiffest, |factor| factor.solve(&out));
        let far = found.fixed_rows::<3>(0).norm();
        let most = LARGEST * row.radius;
        let found = if far > most {
            found * (most / far)
        } else {
            found
        };
        shift(found.as_slice(), row.radius)
    }

    /// The distance that a body can go along a unit vector until it touches [m].
    fn clear(&self, at: usize, direction: &Vector3) -> f64 {
        let each = self.sides[at].iter().map(|side| {
            let link = &self.assembly.network.links[side.link as usize];
            let sign = if side.side == 0 { 1.0 } else { -1.0 };
            let closing = sign * direction.dot(&link.touch.normal);
            let gap = link.touch.gap.max(0.0);
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
        for side in &self.sides[at] {
            let number = side.link as usize;
            let link = self.assembly.network.links[number];
            let Some(touch) = self.assembly.touch_of(&link) else {
                continue;
            };
            let still = Shift::default();
            let both = if side.side == 0 {
                [shift, &still]
            } else {
                [&still, shift]
            };
            let still = Vector3::zeros();
            self.assembly.network.links[number] = link.moved((both, &still), &touch, false);
        }
    }
}

#[cfg(test)]
mod tests;
