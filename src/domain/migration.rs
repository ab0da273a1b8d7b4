//! Migration: bodies move to their owners, and ghosts to the ranks that need them.
//!
//! Contacts travel with their first body. A rank needs a ghost of every body whose box touches its
//! blocks.

use super::Domain;
use super::ghosts::half;
use super::reach::Reach;
use crate::body::{BodyId, BodyRow, Large};
use crate::contact::ContactRow;
use crate::math::{Vector3, make_room};
use std::collections::{BTreeMap, HashMap};

/// Bodies and contacts in one message, or on one rank between two steps.
///
/// Each contact is with its first body.
#[derive(Clone, Debug, Default)]
pub struct Parcel {
    /// Bodies.
    pub bodies: Vec<BodyRow>,
    /// Contacts.
    pub contacts: Vec<ContactRow>,
}

impl Parcel {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.bodies.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&self.bodies));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.contacts));
        bytes
    }

    /// The bytes of the bodies and of the contacts of a message.
    fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
        let (count, rest) = bytes.split_at(8);
        let count = bytemuck::pod_read_unaligned::<u64>(count) as usize;
        rest.split_at(count * size_of::<BodyRow>())
    }

    /// Appends the bodies and contacts of messages.
    fn take(&mut self, messages: &[(usize, Vec<u8>)]) {
        let each = || messages.iter().map(|(_, bytes)| Self::parts(bytes));
        let bodies: usize = each().map(|(bodies, _)| bodies.len()).sum();
        let contacts: usize = each().map(|(_, contacts)| contacts.len()).sum();
        let count = self.bodies.len() + bodies / size_of::<BodyRow>();
        make_room(&mut self.bodies, count);
        let count = self.contacts.len() + contacts / size_of::<ContactRow>();
        make_room(&mut self.contacts, count);
        for (bodies, contacts) in each() {
            self.append(bodies, contacts);
        }
    }

    fn append(&mut self, bodies: &[u8], contacts: &[u8]) {
        self.bodies
            .extend(bytemuck::allocation::pod_collect_to_vec::<u8, BodyRow>(
                bodies,
            ));
        self.contacts
            .extend(bytemuck::allocation::pod_collect_to_vec::<u8, ContactRow>(
                contacts,
            ));
    }
}

/// Sends every body to the rank that owns its reference position, with the contacts that start at
/// it.
///
/// Collective. `mine` holds bodies in any order, each on one rank, and each contact on the rank of
/// its first body.
#[must_use]
pub fn to_owners(domain: &Domain, mut mine: Parcel) -> Parcel {
    let owner = |row: &BodyRow| {
        domain
            .partition
            .owner_of_point(&Vector3::from(row.reference.position))
    };
    let leaving: HashMap<BodyId, usize> = (mine.bodies.iter())
        .map(|row| (row.id, owner(row)))
        .filter(|&(_, to)| to != domain.rank())
        .collect();
    let mut parcels: BTreeMap<usize, Parcel> = BTreeMap::new();
    if !leaving.is_empty() {
        mine.bodies.retain(|row| match leaving.get(&row.id) {
            Some(&to) => {
                parcels.entry(to).or_default().bodies.push(*row);
                false
            }
            None => true,
        });
        mine.contacts.retain(|row| match leaving.get(&row.key.a) {
            Some(&to) => {
                parcels.entry(to).or_default().contacts.push(*row);
                false
            }
            None => true,
        });
    }
    deliver(domain, parcels, &mut mine);
    mine
}

/// Adds ghosts of all bodies of other ranks whose box touches this rank's blocks.
///
/// The ghosts bring the contacts that start at them. Bodies are in order of id, contacts in order
/// of key. Collective. `own` holds the bodies that this rank owns. Boxes are those around the
/// references, with this skin [m]; large bodies come to all ranks.
#[must_use]
pub fn with_copies(domain: &Domain, own: Parcel, skin: f64, large: &Large) -> Parcel {
    let mut parcels: BTreeMap<usize, Parcel> = BTreeMap::new();
    let reached = reached(domain, &own.bodies, skin, large);
    for row in &own.bodies {
        for &to in reached.get(&row.id).into_iter().flatten() {
            parcels.entry(to).or_default().bodies.push(*row);
        }
    }
    copy_contacts(&reached, &own.contacts, &mut parcels);
    let mut all = own;
    deliver(domain, parcels, &mut all);
    // Sorted runs, one for each sending rank: the stable sorts merge such.
    if !all.bodies.is_sorted_by_key(|row| row.id) {
        all.bodies.sort_by_key(|row| row.id);
    }
    if !all.contacts.is_sorted_by_key(|row| row.key) {
        all.contacts.sort_by_key(|row| row.key);
    }
    all
}

/// The contacts of other ranks that [`to_owners`] and [`with_copies`] would bring here, without
/// large bodies.
///
/// Each contact also stays where it is. Collective. `bodies` are those that are here, `contacts`
/// the contacts that start at them. The result is in the order of keys.
#[must_use]
pub fn contacts_to_copies(
    domain: &Domain,
    bodies: &[BodyRow],
    contacts: &[ContactRow],
    skin: f64,
) -> Vec<ContactRow> {
    let mut parcels: BTreeMap<usize, Parcel> = BTreeMap::new();
    let reached = reached(domain, bodies, skin, &Large::default());
    copy_contacts(&reached, contacts, &mut parcels);
    let mut came = Parcel::default();
    deliver(domain, parcels, &mut came);
    came.contacts.sort_by_key(|row| row.key);
    came.contacts
}

/// The other ranks in whose blocks the box of each body lies, in the order of ranks.
///
/// Bodies without such are left out.
fn reached(
    domain: &Domain,
    bodies: &[BodyRow],
    skin: f64,
    large: &Large,
) -> HashMap<BodyId, Vec<usize>> {
    let others = if domain.comm.size() > 1 { bodies } else { &[] };
    let ranks = |row: &BodyRow| {
        let place = Vector3::from(row.reference.position);
        let reach = Reach::of(domain, &place, half(row, skin), large.has(row.id));
        (row.id, reach.others(domain))
    };
    let each = others.iter().map(ranks);
    each.filter(|(_, ranks)| !ranks.is_empty()).collect()
}

/// Adds each contact to the parcels of the ranks that its first body reaches.
fn copy_contacts(
    reached: &HashMap<BodyId, Vec<usize>>,
    contacts: &[ContactRow],
    parcels: &mut BTreeMap<usize, Parcel>,
) {
    if reached.is_empty() {
        return;
    }
    for row in contacts {
        for &to in reached.get(&row.key.a).into_iter().flatten() {
            parcels.entry(to).or_default().contacts.push(*row);
        }
    }
}

/// Sends each contact to the rank that owns its first body, given by `owner`.
///
/// Collective.
pub fn to_first_bodies(
    domain: &Domain,
    contacts: &mut Vec<ContactRow>,
    owner: impl Fn(BodyId) -> usize,
) {
    let mut parcels: BTreeMap<usize, Parcel> = BTreeMap::new();
    if domain.comm.size() > 1 {
        contacts.retain(|row| {
            let to = owner(row.key.a);
            let stays = to == domain.rank();
            if !stays {
                parcels.entry(to).or_default().contacts.push(*row);
            }
            stays
        });
    }
    let mut staying = Parcel {
        bodies: Vec::new(),
        contacts: std::mem::take(contacts),
    };
    deliver(domain, parcels, &mut staying);
    *contacts = staying.contacts;
}

fn deliver(domain: &Domain, parcels: BTreeMap<usize, Parcel>, into: &mut Parcel) {
    let messages = parcels
        .into_iter()
        .map(|(to, parcel)| (to, parcel.to_bytes()))
        .collect();
    into.take(&domain.comm.exchange(messages));
}
