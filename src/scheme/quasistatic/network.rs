//! The network of contacts that a rank knows: bodies, contacts, walls.

use super::link::Link;
use super::links::Links;
use super::unknowns::{Push, UNKNOWNS};
use crate::body::{BodyId, BodyRow, Wall, WallState};
use crate::contact::{ContactKey, ContactRow, Neighbours, Partner};
use crate::domain::migration::Parcel;
use crate::math::Vector3;
use crate::pool::Pool;

/// A contact and a side of it: twice the number of the contact, plus 1 for the second side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side(u32);

impl Side {
    /// A side of a contact.
    ///
    /// # Panics
    /// If a rank has 2³¹ contacts, which take 190 GB.
    fn of(link: usize, side: usize) -> Self {
        let both = u32::try_from(2 * link + side);
        Self(both.expect("fewer than 2^31 contacts on a rank"))
    }

    /// Number of the contact.
    #[inline]
    pub(super) fn link(self) -> usize {
        self.0 as usize / 2
    }

    /// 0 or 1.
    #[inline]
    pub(super) fn side(self) -> usize {
        self.0 as usize % 2
    }
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
    /// Radii of all bodies [m].
    radii: Vec<f64>,
    /// The contacts of own bodies, in the order of keys.
    pub links: Links,
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
            radii: rows.iter().map(|row| row.radius).collect(),
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
        let links = &self.links;
        let ends = |number: usize| {
            let pair = links.pair(number);
            let both = [pair.first, pair.second].map(|i| i as usize);
            both.into_iter().take_while(move |i| *i < bodies)
        };
        let mut starts = vec![0_u32; bodies + 1];
        for i in (0..links.len()).flat_map(ends) {
            starts[i + 1] += 1;
        }
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = starts.clone();
        let total = starts.last().copied().unwrap_or(0) as usize;
        self.sides.clear();
        self.sides.resize(total, Side::default());
        for number in 0..links.len() {
            for (side, i) in ends(number).enumerate() {
                self.sides[next[i] as usize] = Side::of(number, side);
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

    /// The number of contacts.
    pub(super) fn count(&self) -> usize {
        self.links.len()
    }

    /// A contact.
    #[inline]
    pub(super) fn link(&self, number: usize) -> Link {
        self.links.get(number, &self.radii)
    }

    /// All contacts.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> + '_ {
        (0..self.count()).map(|number| self.link(number))
    }

    /// Changes all contacts.
    pub(super) fn change(&mut self, mut to: impl FnMut(&mut Link)) {
        for number in 0..self.count() {
            let mut link = self.link(number);
            to(&mut link);
            self.links.set(number, &link);
        }
    }

    /// The contacts that start at own bodies: each contact on one rank.
    pub(super) fn links_of_first(&self) -> impl Iterator<Item = Link> + '_ {
        let mine = self.mine();
        self.links()
            .filter(move |link| mine[link.pair.first as usize])
    }

    /// The name of a contact.
    pub(super) fn key(&self, link: &Link) -> ContactKey {
        self.key_of(&link.pair, link.feature)
    }

    /// The name of the contact of a pair with this feature.
    pub(super) fn key_of(&self, pair: &Neighbours, feature: u64) -> ContactKey {
        ContactKey {
            a: self.rows[pair.first as usize].id,
            b: match pair.partner(self.rows.len()) {
                Partner::Body(b) => self.rows[b].id,
                Partner::Wall(w) => BodyId::wall(w),
            },
            feature,
        }
    }

    /// The place of a contact, midway between the two surfaces [m].
    pub(super) fn point(&self, link: &Link) -> Vector3 {
        let x = Vector3::from(self.rows[link.pair.first as usize].position);
        x + link.arms()[0]
    }

    /// The record of a contact between two increments, as that of a step of `dt` [s].
    fn record(&self, link: &Link, dt: f64) -> ContactRow {
        link.row((self.key(link), self.point(link)), dt)
    }

    /// This rank's bodies, and the contacts that start at them, with forces over `dt` [s].
    pub(super) fn into_parcel(self, dt: f64) -> Parcel {
        let lasts = |link: &Link| link.lasts() || link.carried_before;
        let stay = || self.links_of_first().filter(lasts);
        let mut contacts = Vec::with_capacity(stay().count());
        contacts.extend(stay().map(|link| self.record(&link, dt)));
        let mine = self.mine();
        let Self { mut rows, .. } = self;
        let mut is_own = mine.iter();
        rows.retain(|_| is_own.next() == Some(&true));
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
                let link = self.link(side.link());
                sum.plus(&link.carries()[side.side()])
            })
        })
    }
}
