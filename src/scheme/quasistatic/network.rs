//! The network of contacts that a rank knows: bodies, contacts, walls.

use super::link::Link;
use super::unknowns::{Push, UNKNOWNS};
use crate::body::{BodyRow, Wall, WallState};
use crate::contact::ContactRow;
use crate::domain::migration::Parcel;
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
    /// The contacts of each body: where they start in `sides`.
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

    /// Lists the contacts of each body.
    pub(super) fn list(&mut self) {
        let bodies = self.rows.len();
        let ends = |link: &Link| {
            let both = [link.pair.first, link.pair.second].map(|i| i as usize);
            both.into_iter().take_while(move |i| *i < bodies)
        };
        let mut starts = vec![0_u32; bodies + 1];
        for i in self.links.iter().flat_map(ends) {
            starts[i + 1] += 1;
        }
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = starts.clone();
        let total = starts.last().copied().unwrap_or(0) as usize;
        self.sides.clear();
        self.sides.resize(total, Side { link: 0, side: 0 });
        for (number, link) in self.links.iter().enumerate() {
            for (side, i) in ends(link).enumerate() {
                self.sides[next[i] as usize] = Side {
                    link: number as u32,
                    side: side as u8,
                };
                next[i] += 1;
            }
        }
        self.starts = starts;
    }

    /// The contacts of own body number `k`, in the order of keys.
    pub(super) fn sides(&self, k: usize) -> &[Side] {
        self.sides_at(self.own[k] as usize)
    }

    /// The contacts of a known body, in the order of keys: of a copy those with own bodies.
    pub(super) fn sides_at(&self, i: usize) -> &[Side] {
        &self.sides[self.starts[i] as usize..self.starts[i + 1] as usize]
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

    /// This rank's bodies, and the contacts that start at them, with forces over `dt` [s].
    pub(super) fn into_parcel(self, dt: f64) -> Parcel {
        let mine = self.mine();
        let Self {
            mut rows, links, ..
        } = self;
        let mut is_own = mine.iter();
        rows.retain(|_| is_own.next() == Some(&true));
        let stays = |link: &Link| {
            let lasts = link.lasts() || link.carried_before;
            lasts && mine[link.pair.first as usize]
        };
        // Records take the room of the contacts, and give the rest back.
        let records = links.into_iter().filter(stays).map(|link| link.row(dt));
        let mut contacts: Vec<ContactRow> = records.collect();
        contacts.shrink_to_fit();
        Parcel {
            bodies: rows,
            contacts,
        }
    }

    /// The sum of the pushes of the contacts on each own body.
    pub(super) fn pushed(&self, pool: &Pool) -> Vec<Push> {
        pool.list(self.own.len(), |k| {
            let sides = self.sides(k).iter();
            sides.fold(Push::default(), |sum, side| {
                let link = &self.links[side.link as usize];
                sum.plus(&link.carries()[usize::from(side.side)])
            })
        })
    }
}
