//! The network of contacts that a rank knows: bodies, contacts, walls.

use super::link::Link;
use super::unknowns::{Push, UNKNOWNS};
use crate::body::{BodyRow, Wall, WallState};
use crate::pool::Pool;

/// A contact and a side of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// Index of the contact.
    pub link: u32,
    /// 0 or 1.
    pub side: u8,
}

/// The bodies and contacts that a rank knows.
#[derive(Default)]
pub(super) struct Network {
    /// Whether bodies move in the plane z = 0 only.
    pub planar: bool,
    /// All bodies, in the order of ids.
    pub rows: Vec<BodyRow>,
    /// Indices of this rank's bodies.
    pub own: Vec<u32>,
    /// Their contacts, in the order of keys.
    pub links: Vec<Link>,
    /// The contacts of each own body: where they start in `sides`.
    starts: Vec<u32>,
    sides: Vec<Side>,
    /// Walls in their present positions.
    pub walls: Vec<Wall>,
    pub states: Vec<WallState>,
}

impl Network {
    /// The bodies, of which some are this rank's; without contacts and walls.
    pub(super) fn new(rows: Vec<BodyRow>, own: Vec<u32>, planar: bool) -> Self {
        Self {
            planar,
            rows,
            own,
            ..Self::default()
        }
    }

    /// Whether each body is this rank's.
    pub(super) fn mine(&self) -> Vec<bool> {
        let mut mine = vec![false; self.rows.len()];
        self.own.iter().for_each(|&i| mine[i as usize] = true);
        mine
    }

    /// Lists the contacts of each own body.
    pub(super) fn list(&mut self) {
        let mut of = vec![u32::MAX; self.rows.len()];
        (self.own.iter().enumerate()).for_each(|(k, &i)| of[i as usize] = k as u32);
        let ends = |link: &Link| {
            let body = |i: u32| of.get(i as usize).copied().filter(|&k| k != u32::MAX);
            [body(link.pair.first), body(link.pair.second)]
        };
        let mut starts = vec![0_u32; self.own.len() + 1];
        for link in &self.links {
            for k in ends(link).into_iter().flatten() {
                starts[k as usize + 1] += 1;
            }
        }
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let mut next = starts.clone();
        let total = starts.last().copied().unwrap_or(0) as usize;
        let mut sides = vec![Side { link: 0, side: 0 }; total];
        for (number, link) in self.links.iter().enumerate() {
            for (side, k) in ends(link).into_iter().enumerate() {
                if let Some(k) = k {
                    sides[next[k as usize] as usize] = Side {
                        link: number as u32,
                        side: side as u8,
                    };
                    next[k as usize] += 1;
                }
            }
        }
        (self.starts, self.sides) = (starts, sides);
    }

    /// The contacts of own body number `k`, in the order of keys.
    pub(super) fn sides(&self, k: usize) -> &[Side] {
        &self.sides[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// The unknowns that are left of own body number `k`.
    pub(super) fn mask(&self, k: usize) -> [bool; UNKNOWNS] {
        let free = self.body(k).is_free();
        match self.planar {
            true => [free, free, false, false, false, free],
            false => [free; UNKNOWNS],
        }
    }

    /// Own body number `k`.
    pub(super) fn body(&self, k: usize) -> &BodyRow {
        &self.rows[self.own[k] as usize]
    }

    /// The contacts that start at own bodies: each contact on one rank.
    pub(super) fn links_of_first(&self) -> Vec<&Link> {
        let mine = self.mine();
        let links = self.links.iter();
        links
            .filter(|link| mine[link.pair.first as usize])
            .collect()
    }

    /// The sum of the pushes of the contacts on each own body.
    pub(super) fn pushed(&self, pool: &Pool) -> Vec<Push> {
        let parts = pool.parts(self.own.len(), |some| {
            some.map(|k| {
                let sides = self.sides(k).iter();
                sides.fold(Push::default(), |sum, side| {
                    let link = &self.links[side.link as usize];
                    sum.plus(&link.carries()[usize::from(side.side)])
                })
            })
            .collect::<Vec<_>>()
        });
        parts.concat()
    }
}
