//! The stiffness of an assembly by its entries, and its factors on the first rank.
//!
//! A rank has the rows of its own bodies: all contacts of a body are known there, in the order of
//! keys. The first rank collects the rows in the order of ids. So the matrix has the same bits on
//! any number of ranks, and so has the solution, which the first rank hands back.

use super::stiffness::Stiffness;
use super::unknowns::{Shift, UNKNOWNS, numbers, shift};
use crate::body::BodyRow;
use crate::contact::Partner;
use crate::domain::Domain;
use crate::math::Vector3;
use crate::solver::linear::{Entry, Factors, Limits, Solved, refined};
use nalgebra::Matrix6;

/// Solves `A x = b` with the factors of the stiffness. Collective.
///
/// A `symmetric` matrix is factorised as `L Lᵀ`, any other as `L U`.
pub(super) fn direct(
    stiffness: &mut Stiffness,
    symmetric: bool,
    (b, x): (&[f64], &mut [f64]),
    limits: &Limits,
) -> Solved {
    let numbered = Numbered::new(stiffness);
    let domain = &stiffness.tangents.assembly.domain;
    let gathered = domain.gather_to_first(words(&numbered.entries(stiffness)));
    let factors = match domain.rank() {
        0 => Factors::of(numbered.size, &entries(&gathered), symmetric),
        _ => None,
    };
    drop(gathered);
    let norm = factors.as_ref().map_or(-1.0, Factors::norm);
    let norm = domain.max(norm);
    if norm < 0.0 {
        x.fill(0.0);
        return Solved {
            broken: true,
            ..Solved::default()
        };
    }
    let inverse = |r: &[f64]| numbered.solve(domain, factors.as_ref(), r);
    refined(stiffness, (norm, inverse), b, x, limits)
}

/// Entries as they travel between ranks.
fn words(entries: &[Entry]) -> Vec<u64> {
    let each = entries.iter();
    each.flat_map(|(i, j, x)| [*i as u64, *j as u64, x.to_bits()])
        .collect()
}

/// Entries that have come, in the order of columns and rows; those of one place in their order.
fn entries(words: &[u64]) -> Vec<Entry> {
    let each = words.chunks_exact(3);
    let mut entries: Vec<Entry> = each
        .map(|word| (word[0] as usize, word[1] as usize, f64::from_bits(word[2])))
        .collect();
    entries.sort_by_key(|(i, j, _)| (*j, *i));
    entries
}

/// The numbers that unknowns have in the whole matrix.
pub(super) struct Numbered {
    /// The unknowns of a free body, as places among its six.
    pub kept: &'static [usize],
    /// The number of the first unknown of each known body; `None`: it is not free.
    firsts: Vec<Option<usize>>,
    /// The same of each own body.
    pub own: Vec<Option<usize>>,
    /// The number of the first free wall.
    walls: usize,
    /// The number of all.
    pub size: usize,
}

impl Numbered {
    /// The unknowns of free bodies in the order of ids, then those of free walls. Collective.
    pub(super) fn new(stiffness: &Stiffness) -> Self {
        let assembly = stiffness.tangents.assembly;
        let network = &assembly.network;
        let kept: &[usize] = match network.planar {
            true => &[0, 1, 5],
            false => &[0, 1, 2, 3, 4, 5],
        };
        let own = (0..network.own.len()).map(|k| network.body(k));
        let mine: Vec<u64> = own
            .filter(|row| row.is_free())
            .map(|row| row.id.0)
            .collect();
        let mut ids = assembly.domain.gather(&mine);
        ids.sort_unstable();
        let first = |row: &BodyRow| {
            let place = ids.binary_search(&row.id.0).ok()?;
            Some(kept.len() * place)
        };
        let firsts: Vec<_> = network.rows.iter().map(first).collect();
        let walls = kept.len() * ids.len();
        Self {
            kept,
            own: network.own.iter().map(|&i| firsts[i as usize]).collect(),
            firsts,
            walls,
            size: walls + assembly.frees.len(),
        }
    }

    /// The rows of this rank's bodies; on the first rank also the diagonal of free walls.
    ///
    /// The other numbers of these walls stand with the bodies that touch them.
    pub(super) fn entries(&self, stiffness: &Stiffness) -> Vec<Entry> {
        let network = &stiffness.tangents.assembly.network;
        let mut found = Vec::new();
        for (k, row) in self.own.iter().enumerate() {
            let Some(row) = *row else {
                continue;
            };
            self.add(&mut found, (row, row), &stiffness.block(k));
            for side in network.sides(k) {
                let (number, on) = (side.link(), side.side());
                let link = &network.link(number);
                let Some(tangent) = &stiffness.tangents.of(link) else {
                    continue;
                };
                let other = match (on, link.partner) {
                    (0, Partner::Wall(wall)) => {
                        self.add_wall(&mut found, stiffness, (k, number, wall));
                        continue;
                    }
                    (0, Partner::Body(b)) => b,
                    _ => link.pair.first as usize,
                };
                let radii = [network.body(k).radius, network.rows[other].radius];
                if let Some(column) = self.firsts[other] {
                    let mut block = link.coupling(tangent, [on, 1 - on], radii);
                    if let Some(turning) = stiffness.turning(number) {
                        let mut of_ways = block.fixed_view_mut::<3, 3>(0, 0);
                        of_ways += turning;
                    }
                    self.add(&mut found, (row, column), &block);
                }
            }
        }
        if stiffness.tangents.assembly.domain.rank() == 0 {
            for (j, of) in stiffness.of_free.iter().enumerate() {
                let at = self.walls + j;
                found.push((at, at, of + stiffness.resistance));
            }
        }
        found
    }

    /// Adds a block of a body's forces by a body's unknowns.
    fn add(&self, found: &mut Vec<Entry>, (row, column): (usize, usize), block: &Matrix6<f64>) {
        for (i, &m) in self.kept.iter().enumerate() {
            for (j, &n) in self.kept.iter().enumerate() {
                if block[(m, n)] != 0.0 {
                    found.push((row + i, column + j, block[(m, n)]));
                }
            }
        }
    }

    /// Adds the row and the column of a free wall, of its contact `number` with own body `k`.
    fn add_wall(
        &self,
        found: &mut Vec<Entry>,
        stiffness: &Stiffness,
        (k, number, wall): (usize, usize, usize),
    ) {
        let assembly = stiffness.tangents.assembly;
        let frees = &assembly.frees;
        let Some(j) = frees.iter().position(|free| free.wall == wall) else {
            return;
        };
        let link = &assembly.network.link(number);
        let (Some(row), Some(tangent)) = (self.own[k], &stiffness.tangents.of(link)) else {
            return;
        };
        let radius = assembly.network.body(k).radius;
        let e = frees[j].direction;
        let wall = self.walls + j;
        let none = Vector3::zeros();
        let by_wall = link.pushes(&tangent.added(&e, &none));
        let on_body = numbers(&by_wall[0], radius);
        for (i, &n) in self.kept.iter().enumerate() {
            found.push((row + i, wall, -on_body[n]));
            let mut unit = [0.0; UNKNOWNS];
            unit[n] = 1.0;
            let motion = link.motion([&shift(&unit, radius), &Shift::default()]);
            let on_wall = tangent.added(&motion.slip, &motion.turn)[0].dot(&e);
            found.push((wall, row + i, -on_wall));
        }
    }

    /// `A⁻¹ r`; `None` if it is not finite, the same on all ranks. Collective.
    fn solve(&self, domain: &Domain, factors: Option<&Factors>, r: &[f64]) -> Option<Vec<f64>> {
        let (of_bodies, of_walls) = r.split_at(UNKNOWNS * self.own.len());
        let mut mine = Vec::new();
        for (row, r) in self.own.iter().zip(of_bodies.chunks(UNKNOWNS)) {
            let Some(row) = row else {
                continue;
            };
            let each = self.kept.iter().enumerate();
            mine.extend(each.flat_map(|(i, &n)| [(row + i) as u64, r[n].to_bits()]));
        }
        let all = domain.gather_to_first(mine);
        let answer = factors.map_or_else(Vec::new, |factors| {
            let mut x = vec![0.0; self.size];
            for pair in all.chunks_exact(2) {
                x[pair[0] as usize] = f64::from_bits(pair[1]);
            }
            x[self.walls..].copy_from_slice(of_walls);
            match factors.solve(&mut x) {
                true => x.iter().map(|x| x.to_bits()).collect(),
                false => Vec::new(),
            }
        });
        let answer = domain.from_first(answer);
        if answer.len() < self.size {
            return None;
        }
        let mut x = vec![0.0; r.len()];
        for (row, x) in self.own.iter().zip(x.chunks_mut(UNKNOWNS)) {
            for (i, &n) in self.kept.iter().enumerate() {
                if let Some(row) = row {
                    x[n] = f64::from_bits(answer[row + i]);
                }
            }
        }
        let walls = &mut x[of_bodies.len()..];
        for (x, bits) in walls.iter_mut().zip(&answer[self.walls..]) {
            *x = f64::from_bits(*bits);
        }
        Some(x)
    }
}
