//! Sorts the data of a frame, and asks other ranks for data that this rank's rows need.

use super::kind::Kind;
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::contact::ContactRow;
use crate::io::Snapshot;
use crate::io::hdf::{CHUNK_ROWS, whole_chunks};
use crate::io::order::{self, Keyed, decode, runs};
use crate::math::Vector3;
use crate::measure::Side;
use crate::shape::Template;
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// On average a chunk has at least this many rows.
const FEWEST_ROWS: u64 = 128;

/// Rows of a chunk: few enough for each rank to have some, as far as possible.
pub(super) fn chunk(rows: u64, size: usize) -> u64 {
    rows.div_ceil(size as u64).clamp(FEWEST_ROWS, CHUNK_ROWS)
}

/// The rows of a part of a frame.
pub(super) fn part(rows: u64, rank: usize, size: usize) -> Range<u64> {
    whole_chunks(rows, chunk(rows, size), rank, size)
}

/// A ball of a body, and the rank that owns the body.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Owned {
    pub(super) row: BodyRow,
    pub(super) rank: u64,
    /// Number of the ball in its body, from 0.
    pub(super) part: u64,
}

/// The key of a ball: the body's id, then the number of the ball in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Name {
    pub(super) body: BodyId,
    pub(super) part: u64,
}

impl Keyed for Owned {
    type Key = Name;
    fn key(&self) -> Name {
        Name {
            body: self.row.id,
            part: self.part,
        }
    }
}

impl Owned {
    /// Centre [m], radius [m] and velocity [m/s] of the ball: those of the body, or of its part
    /// with `v + ω × r`.
    pub(super) fn ball(&self, templates: &[Template]) -> ([f64; 3], f64, [f64; 3]) {
        let row = &self.row;
        let Some(template) = row.template(templates) else {
            return (row.position, row.radius, row.velocity);
        };
        let part = self.part as usize;
        let arm = template.arm(part, row.orientation, row.radius);
        let centre = Vector3::from(row.position) + arm;
        let velocity =
            Vector3::from(row.velocity) + Vector3::from(row.angular_velocity).cross(&arm);
        let radius = template.parts()[part].radius * row.radius;
        (centre.into(), radius, velocity.into())
    }
}

/// This rank's part of a frame.
pub(super) struct Ordered {
    pub(super) bodies: Vec<Owned>,
    pub(super) contacts: Vec<ContactRow>,
    /// Rows of all ranks, and of a chunk: of bodies, of contacts.
    counts: [(u64, u64); 2],
    /// The ranks that have balls in this order, with the name of the first.
    starts: Vec<(usize, Name)>,
}

impl Ordered {
    /// Rows of all ranks, and rows of a chunk.
    pub(super) fn rows(&self, kind: Kind) -> (u64, u64) {
        self.counts[kind as usize]
    }

    /// The rank that has the first ball of a body in this order.
    fn holder(&self, id: BodyId) -> usize {
        self.holder_of(Name { body: id, part: 0 })
    }

    /// The rank that has a ball in this order.
    fn holder_of(&self, name: Name) -> usize {
        let after = self.starts.partition_point(|(_, start)| *start <= name);
        let holder = self.starts.get(after.saturating_sub(1));
        holder.map_or(0, |(rank, _)| *rank)
    }

    /// The indices of the balls of a body on this rank.
    fn balls_of(&self, id: BodyId) -> Range<usize> {
        let first = self.bodies.partition_point(|ball| ball.row.id < id);
        let more = self.bodies[first..].partition_point(|ball| ball.row.id == id);
        first..first + more
    }
}

/// Sorts the balls of bodies by id and part, the contacts by key. Collective.
pub(super) fn in_order(
    comm: &dyn Comm,
    snapshot: &Snapshot,
    templates: &[Template],
) -> Result<Ordered, String> {
    let (rank, size) = (comm.rank() as u64, comm.size());
    let share = |rows, rank| part(rows, rank, size);
    let owned = |&row: &BodyRow| {
        let balls = row.template(templates).map_or(1, |t| t.parts().len());
        (0..balls as u64).map(move |part| Owned { row, rank, part })
    };
    let bodies: Vec<Owned> = snapshot.bodies.iter().flat_map(owned).collect();
    let name = |body: &Owned| format!("body {}", body.row.id);
    let (bodies, body_count) = order::in_order(comm, &bodies, share, name)?;
    let name = |c: &ContactRow| format!("the contact of {} and {}", c.key.a, c.key.b);
    let (contacts, contact_count) = order::in_order(comm, &snapshot.contacts, share, name)?;
    let first: Vec<Name> = bodies.first().map(Owned::key).into_iter().collect();
    let firsts = comm.all_gather(bytemuck::cast_slice(&first));
    let firsts = firsts.iter().enumerate().filter(|(_, b)| !b.is_empty());
    Ok(Ordered {
        starts: firsts
            .map(|(rank, bytes)| (rank, bytemuck::pod_read_unaligned(bytes)))
            .collect(),
        bodies: bodies.into_owned(),
        contacts: contacts.into_owned(),
        counts: [body_count, contact_count].map(|rows| (rows, chunk(rows, size))),
    })
}

/// The position of a body of a contact, and the ball that touches.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Place {
    pub(super) name: Name,
    /// Centre of mass [m].
    pub(super) position: [f64; 3],
    /// Radius of the ball [m].
    pub(super) radius: f64,
    /// Centre of the ball from the centre of mass at the start of the step [m].
    arm: [f64; 3],
    /// Whether the ball has an arm: 0 or 1.
    has_arm: u64,
}

impl Place {
    pub(super) fn new(name: Name, position: [f64; 3], side: &Side) -> Self {
        Self {
            name,
            position,
            radius: side.radius,
            arm: side.arm.unwrap_or_default().into(),
            has_arm: u64::from(side.arm.is_some()),
        }
    }

    /// The ball as a side of the contact.
    pub(super) fn side(&self) -> Side {
        Side {
            radius: self.radius,
            arm: (self.has_arm != 0).then(|| self.arm.into()),
        }
    }
}

/// The names of the two balls of a contact.
pub(super) fn names(contact: &ContactRow) -> [Name; 2] {
    let [first, second] = contact.key.parts().map(|part| part as u64);
    let name = |body, part| Name { body, part };
    [name(contact.key.a, first), name(contact.key.b, second)]
}

/// The positions of the balls of this rank's contacts, by key. Collective.
///
/// `dt` is the length of the step [s].
pub(super) fn places(
    comm: &dyn Comm,
    ordered: &Ordered,
    templates: &[Template],
    dt: f64,
) -> Result<Vec<Place>, String> {
    let both = ordered.contacts.iter().flat_map(names);
    let mut wanted: Vec<Name> = both.filter(|n| n.body.wall_index().is_none()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let asked = comm.exchange(runs(&wanted, |name| ordered.holder(name.body)));
    let place = |name: Name| {
        let row = ordered.bodies.get(ordered.balls_of(name.body).start)?.row;
        let parts = row.template(templates).map_or(1, |t| t.parts().len());
        let there = row.id == name.body && name.part < parts as u64;
        there.then(|| {
            let side = Side::of(&row, name.part as usize, templates, dt);
            Place::new(name, row.position, &side)
        })
    };
    let answer = |(to, bytes): (usize, Vec<u8>)| {
        let names: Vec<Name> = decode([(to, bytes)]);
        let places: Vec<Place> = names.into_iter().filter_map(place).collect();
        (to, bytemuck::cast_slice(&places).to_vec())
    };
    let mut places: Vec<Place> = decode(comm.exchange(asked.into_iter().map(answer).collect()));
    places.sort_unstable_by_key(|place| place.name);
    let known = |n: &Name| places.binary_search_by_key(n, |place| place.name).is_ok();
    let stray = wanted.iter().find(|name| !known(name));
    agree(
        comm,
        stray.map_or(Ok(()), |Name { body, part }| {
            Err(format!(
                "contacts: must be of existing bodies and parts; found one of part {part} of body {body}"
            ))
        }),
    )?;
    Ok(places)
}

/// The number of contacts that carry a force, for the body of each ball of this rank.
///
/// `clumps`: whether bodies may have several balls. Collective.
pub(super) fn coordination(comm: &dyn Comm, ordered: &Ordered, clumps: bool) -> Vec<u64> {
    let carrying = ordered.contacts.iter().filter(|c| c.status != 0);
    let both = carrying.flat_map(|c| [c.key.a, c.key.b]);
    let mut ids: Vec<BodyId> = both.filter(|id| id.wall_index().is_none()).collect();
    ids.sort_unstable();
    let mut counts = vec![0; ordered.bodies.len()];
    for id in decode::<BodyId>(comm.exchange(runs(&ids, |id| ordered.holder(*id)))) {
        if let Some(count) = counts.get_mut(ordered.balls_of(id).start) {
            *count += 1;
        }
    }
    if clumps {
        spread(comm, ordered, &mut counts);
    }
    counts
}

/// Copies the count of a body's first ball to its other balls, also on other ranks. Collective.
fn spread(comm: &dyn Comm, ordered: &Ordered, counts: &mut [u64]) {
    // Only the last body on this rank may continue on other ranks.
    let mut letters = Vec::new();
    for at in 0..counts.len() {
        let name = ordered.bodies[at].key();
        if name.part == 0 {
            let (end, count) = (ordered.balls_of(name.body).end, counts[at]);
            counts[at..end].fill(count);
        }
    }
    if let Some((last, count)) = ordered.bodies.last().zip(counts.last()) {
        let (body, part) = (last.row.id, u64::MAX);
        let to = ordered.holder_of(Name { body, part });
        if ordered.holder(body) == comm.rank() {
            let others = (comm.rank() + 1..=to).map(|rank| {
                let letter = [body.0, *count];
                (rank, bytemuck::cast_slice(&letter).to_vec())
            });
            letters.extend(others);
        }
    }
    for [body, count] in decode::<[u64; 2]>(comm.exchange(letters)) {
        counts[ordered.balls_of(BodyId(body))].fill(count);
    }
}
