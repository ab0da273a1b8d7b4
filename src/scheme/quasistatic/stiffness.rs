//! The stiffness of an assembly as a linear system [004 §6.1.7].
//!
//! Bodies that are not free have no unknowns; in two dimensions only those in the plane are left.

use super::assembly::Assembly;
use super::forces::{Tangents, pushed, resists};
use super::frame::Moves;
use super::inverses::Inverses;
use super::network::Network;
use super::unknowns::{Push, Shift, UNKNOWNS, numbers, shift};
use crate::math::{ExactSum, Matrix3, Vector3};
use crate::solver::linear::System;
use nalgebra::{DMatrix, Matrix6, Vector6};

/// A stiffness below this part of the largest of its body is rounding.
const NOTHING: f64 = 1e-12;

/// The stiffness K̂ + ρ of an assembly at its present forces.
pub(super) struct Stiffness<'s, 'a, 'd> {
    pub tangents: Tangents<'s, 'a, 'd>,
    /// ρ [N/m].
    pub resistance: f64,
    /// The inverse of each body's own block.
    inverses: Inverses,
    /// The stiffness of each free wall and edge [N/m].
    pub of_free: Vec<f64>,
    /// `(N/D)(I − nnᵀ)` of each contact [N/m]; empty without a geometric part.
    pub turnings: Vec<Option<Matrix3>>,
    /// Memory for the shifts of bodies.
    shifts: Vec<[f64; 6]>,
}

impl<'s, 'a, 'd> Stiffness<'s, 'a, 'd> {
    /// The stiffness with the resistance ρ [N/m] of each unknown.
    pub(super) fn new(assembly: &'s Assembly<'a, 'd>, coulomb: bool, resistance: f64) -> Self {
        let network = &assembly.network;
        let pool = assembly.pool;
        let period = assembly.domain.partition().grid().period();
        let supports = assembly.supports;
        let inverse = |k: usize| {
            let held = supports.stiffness(network.body(k), period);
            let held = held.map(|stiffness| stiffness + resistance);
            inverse(&block(network, coulomb, k, &held), &network.mask(k))
        };
        // Friction that follows the normal force is not symmetric.
        let inverses = Inverses::of((pool, network.own.len()), !coulomb, inverse);
        Self {
            tangents: Tangents { assembly, coulomb },
            resistance,
            inverses,
            shifts: vec![[0.0; 6]; network.rows.len()],
            turnings: Vec::new(),
            of_free: assembly.stiffness_of_free(|link| resists(link, coulomb)),
        }
    }

    /// The whole matrix. One rank only.
    pub(super) fn dense(mut self) -> DMatrix<f64> {
        let n = self.len();
        let mut dense = DMatrix::zeros(n, n);
        let [mut x, mut y] = [vec![0.0; n], vec![0.0; n]];
        for column in 0..n {
            x[column] = 1.0;
            self.apply(&x, &mut y);
            x[column] = 0.0;
            dense.column_mut(column).copy_from_slice(&y);
        }
        dense
    }

    /// The forces that hold own body number `k` back, by its own unknowns.
    pub(super) fn block(&self, k: usize) -> Matrix6<f64> {
        let Tangents { assembly, coulomb } = self.tangents;
        let network = &assembly.network;
        let held = held(assembly, k, self.resistance);
        let mut block = block(network, coulomb, k, &held);
        for side in network.sides(k) {
            if let Some(turning) = self.turning(side.link()) {
                let mut of_ways = block.fixed_view_mut::<3, 3>(0, 0);
                of_ways -= turning;
            }
        }
        block
    }
}

/// Adds the geometric part of its contacts to the push on own body number `k`.
///
/// `shifts` are those of all known bodies.
fn turn(
    push: &mut Push,
    (network, turnings): (&Network, &[Option<Matrix3>]),
    k: usize,
    shifts: &[[f64; 6]],
) {
    if turnings.is_empty() {
        return;
    }
    let way = |body: u32| Shift::from_array(shifts[body as usize]).way;
    for side in network.sides(k) {
        if let Some(turning) = &turnings[side.link()] {
            let pair = network.links.pair(side.link());
            let force: Vector3 = turning * (way(pair.second) - way(pair.first));
            push.force += if side.side() == 0 { -force } else { force };
        }
    }
}

/// ρ and the stiffness of the supports, by unknown of own body number `k` [N/m].
fn held(assembly: &Assembly, k: usize, resistance: f64) -> [f64; UNKNOWNS] {
    assembly
        .supported(k)
        .map(|stiffness| stiffness + resistance)
}

/// The block of own body number `k`: the forces that hold it back, by its own unknowns.
fn block(network: &Network, coulomb: bool, k: usize, held: &[f64; UNKNOWNS]) -> Matrix6<f64> {
    let radius = network.body(k).radius;
    let each = network.sides(k).iter().filter_map(|side| {
        let link = network.link(side.link());
        let tangent = resists(&link, coulomb)?;
        Some(link.block(&tangent, side.side(), radius))
    });
    let held = Matrix6::from_diagonal(&(*held).into());
    each.fold(held, |sum, block| sum + block)
}

/// The inverse of a block on the unknowns that are left; zero on the others.
///
/// A block without an inverse, of a body that nothing holds, is replaced by its diagonal.
fn inverse(block: &Matrix6<f64>, mask: &[bool; UNKNOWNS]) -> Matrix6<f64> {
    let mut kept = *block;
    // Without friction nothing resists a ball that turns; rounding of its arms gives none.
    let least = NOTHING * block.diagonal().amax();
    let left = |k: usize| mask[k] && block[(k, k)].abs() > least;
    for k in (0..UNKNOWNS).filter(|&k| !left(k)) {
        kept.row_mut(k).fill(0.0);
        kept.column_mut(k).fill(0.0);
        kept[(k, k)] = 1.0;
    }
    let size = kept.amax();
    let found = kept.try_inverse();
    let good = |m: &Matrix6<f64>| m.iter().all(|x| x.is_finite()) && m.amax() * size < 1e13;
    let mut inverse = found.filter(good).unwrap_or_else(|| {
        let one = |x: f64| if x > 0.0 { 1.0 / x } else { 1.0 };
        Matrix6::from_diagonal(&kept.diagonal().map(one))
    });
    for k in (0..UNKNOWNS).filter(|&k| !left(k)) {
        inverse[(k, k)] = 0.0;
    }
    inverse
}

impl System for Stiffness<'_, '_, '_> {
    fn len(&self) -> usize {
        let assembly = self.tangents.assembly;
        UNKNOWNS * assembly.network.own.len() + assembly.free_count()
    }

    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        let assembly = self.tangents.assembly;
        let mut shifts = std::mem::take(&mut self.shifts);
        for (k, &i) in assembly.network.own.iter().enumerate() {
            let unknowns = &x[UNKNOWNS * k..UNKNOWNS * (k + 1)];
            shifts[i as usize] = shift(unknowns, assembly.network.body(k).radius).to_array();
        }
        assembly.share(&mut shifts);
        let bodies = UNKNOWNS * assembly.network.own.len();
        let (walls, strain) = assembly.of_free(&x[bodies..]);
        let walls = &walls[..];
        let forces = self
            .tangents
            .forces(&shifts, Some(&Moves { walls, strain }));
        let on_free = assembly.sum_over_free(|number, e| forces.at(number)[0].dot(e));
        for (k, held) in on_free.iter().enumerate() {
            y[bodies + k] = self.resistance * x[bodies + k] - held;
        }
        let (network, supports, turnings) = (&assembly.network, assembly.supports, &self.turnings);
        let (period, resistance) = (assembly.domain.partition().grid().period(), self.resistance);
        let (blocks, _) = y[..bodies].as_chunks_mut::<UNKNOWNS>();
        assembly.pool.parts_of(blocks, |start, blocks| {
            for (k, y) in (start..).zip(blocks) {
                let mut push = pushed(network, k, &forces);
                turn(&mut push, (network, turnings), k, &shifts);
                let row = network.body(k);
                let pushed = numbers(&push, row.radius);
                let (mask, held) = (network.mask(k), supports.stiffness(row, period));
                for (n, pushed) in pushed.into_iter().enumerate() {
                    let held = held[n] + resistance;
                    y[n] = if mask[n] {
                        held * x[UNKNOWNS * k + n] - pushed
                    } else {
                        0.0
                    };
                }
            }
        });
        self.shifts = shifts;
    }

    fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
        let (r, of_free) = r.split_at(UNKNOWNS * self.tangents.assembly.network.own.len());
        let (z, free) = z.split_at_mut(r.len());
        let walls = free.iter_mut().zip(of_free).zip(&self.of_free);
        for ((z, r), stiffness) in walls {
            let held = stiffness + self.resistance;
            *z = if held > 0.0 { r / held } else { *r };
        }
        let bodies = r.chunks(UNKNOWNS).zip(z.chunks_mut(UNKNOWNS));
        for (k, (r, z)) in bodies.enumerate() {
            let found = self.inverses.times(k, &Vector6::from_row_slice(r));
            z.copy_from_slice(found.as_slice());
        }
    }

    fn products<const N: usize>(&self, pairs: [[&[f64]; 2]; N]) -> [f64; N] {
        let assembly = self.tangents.assembly;
        let sums = pairs.map(|[a, b]| {
            // All ranks know the free walls and edges; the first counts them.
            let count = match assembly.domain.rank() {
                0 => a.len(),
                _ => a.len() - assembly.free_count(),
            };
            let (a, b) = (&a[..count], &b[..count]);
            let bodies = a.chunks(UNKNOWNS).zip(b.chunks(UNKNOWNS));
            let each = bodies.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>());
            each.collect::<ExactSum>()
        });
        assembly.domain.sums(&sums)
    }
}
