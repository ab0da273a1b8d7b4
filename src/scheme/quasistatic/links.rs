//! The contacts of a network in little memory.
//!
//! A contact has few numbers for itself. Its coefficients are those of many others; most contacts
//! have neither a couple nor a bond. A [`Link`] is put together where it is needed.

use super::link::Link;
use crate::contact::Neighbours;
use crate::law::Status;
use crate::law::bond::Joint;
use crate::law::elastic::{Carried, Elastic};
use crate::math::Vector3;
use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// Kinds that contacts share. All further ones belong to one contact each.
const SHARED: usize = 1024;

/// The numbers that each contact has for itself.
#[derive(Clone, Copy, Debug)]
struct Row {
    pair: Neighbours,
    normal: Vector3,
    gap: f64,
    force: Vector3,
    share: f64,
    /// The number of its kind.
    kind: u32,
    status: Status,
    carried_before: bool,
}

/// The numbers that contacts may have in common.
#[derive(Clone, Copy, Debug)]
struct Kind {
    elastic: Elastic,
    joint: Joint,
}

impl Kind {
    /// All its bits.
    fn bits(&self) -> [u64; 11] {
        let Self { elastic, joint } = self;
        let four = &elastic.stiffness;
        let of = f64::to_bits;
        [
            of(four.normal),
            of(four.tangential),
            of(four.bending),
            of(four.twisting),
            of(elastic.rest),
            of(elastic.friction),
            of(elastic.arms[0]),
            of(elastic.arms[1]),
            u64::from(elastic.glued),
            joint.glue,
            of(joint.rest),
        ]
    }
}

/// Contacts, by number.
#[derive(Debug, Default)]
pub(super) struct Links {
    rows: Vec<Row>,
    /// Couples without their limits [N m], up to the last that is not zero.
    couples: Vec<Vector3>,
    /// Features, likewise.
    features: Vec<u64>,
    kinds: Vec<Kind>,
    /// Whether one of the kinds resists rotations.
    turns: bool,
    /// The numbers of the shared kinds, by their bits.
    shared: HashMap<[u64; 11], u32>,
}

impl Links {
    /// Memory of a contact whose coefficients are those of others.
    pub(super) const BYTES: usize = size_of::<Row>();

    /// No contacts, with room for some.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            rows: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether a contact may resist rotations.
    pub(super) fn resist_turns(&self) -> bool {
        self.turns
    }

    /// The sides of a contact.
    pub(super) fn pair(&self, number: usize) -> &Neighbours {
        &self.rows[number].pair
    }

    /// A contact between bodies with these radii [m], by index; all further indices are walls.
    #[inline]
    pub(super) fn get(&self, number: usize, radii: &[f64]) -> Link {
        let row = &self.rows[number];
        let kind = &self.kinds[row.kind as usize];
        let (tried, feature) = (self.couples.get(number), self.features.get(number));
        let tried = tried.copied().unwrap_or_default();
        let couple = || (kind.elastic).couple(&tried, kind.elastic.normal(row.gap), &row.normal);
        let radius = |i: u32| radii.get(i as usize).copied();
        Link {
            pair: row.pair,
            partner: row.pair.partner(radii.len()),
            radii: [row.pair.first, row.pair.second].map(|i| radius(i).unwrap_or(f64::INFINITY)),
            elastic: kind.elastic,
            joint: kind.joint,
            normal: row.normal,
            gap: row.gap,
            feature: feature.copied().unwrap_or_default(),
            carried: Carried {
                force: row.force,
                couple: couple(),
                tried,
                status: row.status,
                share: row.share,
            },
            carried_before: row.carried_before,
        }
    }

    /// Adds a contact.
    pub(super) fn push(&mut self, link: &Link) {
        let kind = self.kind(link, None);
        self.rows.push(row(link, kind));
        self.set_rare(self.rows.len() - 1, link);
    }

    /// Changes a contact.
    pub(super) fn set(&mut self, number: usize, link: &Link) {
        let kind = self.kind(link, Some(self.rows[number].kind));
        self.rows[number] = row(link, kind);
        self.set_rare(number, link);
    }

    /// Sets the numbers that most contacts have not.
    fn set_rare(&mut self, number: usize, link: &Link) {
        // A zero has no sign: whether it is kept depends on the other contacts of the rank.
        put(
            &mut self.couples,
            number,
            link.carried.tried.map(|x| x + 0.0),
        );
        put(&mut self.features, number, link.feature);
    }

    /// The number of the kind of a contact, which had another one before.
    fn kind(&mut self, link: &Link, before: Option<u32>) -> u32 {
        let kind = Kind {
            elastic: link.elastic,
            joint: link.joint,
        };
        let bits = kind.bits();
        let stiffness = &kind.elastic.stiffness;
        self.turns |= stiffness.bending != 0.0 || stiffness.twisting != 0.0;
        let same = |k: &u32| self.kinds[*k as usize].bits() == bits;
        if let Some(number) = before
            .filter(same)
            .or_else(|| self.shared.get(&bits).copied())
        {
            return number;
        }
        if let Some(own) = before.filter(|k| *k as usize >= SHARED) {
            self.kinds[own as usize] = kind;
            return own;
        }
        let number = self.kinds.len() as u32;
        if self.kinds.len() < SHARED {
            self.shared.insert(bits, number);
        }
        self.kinds.push(kind);
        number
    }
}

/// Sets a number of a list that may lack zeros at its end.
fn put<T: Copy + Default + PartialEq>(list: &mut Vec<T>, number: usize, value: T) {
    if number >= list.len() {
        if value == T::default() {
            return;
        }
        list.resize(number + 1, T::default());
    }
    list[number] = value;
}

fn row(link: &Link, kind: u32) -> Row {
    Row {
        pair: link.pair,
        normal: link.normal,
        gap: link.gap,
        force: link.carried.force,
        share: link.carried.share,
        kind,
        status: link.carried.status,
        carried_before: link.carried_before,
    }
}
