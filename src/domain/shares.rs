//! Mass splitting: bodies split among the ranks that know them, with one exchange a sweep.
//!
//! During a sweep each rank that knows the body has a copy with a part w of its mass and inertia.
//! The part is the square root of the number of the body's contacts on that rank over the sum of
//! these roots. A change `Δv` of a copy in the sweep counts as `w Δv` for the body:
//! `v ← v + Σ w Δv`. No impulse is lost, and as every copy answers to an impulse by 1/w more than
//! the body, none goes too far. Each rank adds the parts up itself, in the order of ranks, so all
//! have the same bits.

use super::Domain;
use super::reach::Reach;
use super::traffic::Traffic;
use crate::body::Member;
use crate::comm::Comm;
use std::collections::BTreeMap;

/// The split bodies of a rank in one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    /// Places of the split bodies, in order of id.
    bodies: Vec<usize>,
    /// For each split body the ranks that know it, ascending: among `with`, or this one.
    sharers: Vec<Vec<Sharer>>,
    /// The other ranks, ascending, each with the split bodies that it knows too.
    with: Vec<(usize, Vec<usize>)>,
    /// This rank's part w of each body [1].
    weights: Vec<f64>,
    /// Velocities at the start of the sweep.
    before: Vec<[f64; 6]>,
}

/// The rank of a part of a body.
#[derive(Clone, Copy, Debug)]
enum Sharer {
    Me,
    /// Place among the other ranks, and the body's place in the message from there.
    Other(usize, usize),
}

impl Shares {
    /// From the boxes of all bodies that this rank knows, in order of id.
    pub(super) fn plan(domain: &Domain, reaches: &[Reach]) -> Self {
        let rank = domain.rank();
        let mut shares = Self::default();
        let mut with: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut all = Vec::new();
        for (i, reach) in reaches.iter().enumerate() {
            let mut ranks = reach.others(domain);
            if *reach == Reach::All || ranks.is_empty() {
                continue;
            }
            for &other in &ranks {
                with.entry(other).or_default().push(shares.bodies.len());
            }
            ranks.push(rank);
            ranks.sort_unstable();
            shares.bodies.push(i);
            all.push(ranks);
        }
        shares.with = with.into_iter().collect();
        let mut next = vec![0; shares.with.len()];
        for ranks in all {
            let sharer = |other: usize| {
                if other == rank {
                    return Sharer::Me;
                }
                let k = shares.with.binary_search_by_key(&other, |(r, _)| *r);
                let k = k.expect("every other rank that knows a split body is listed");
                next[k] += 1;
                Sharer::Other(k, next[k] - 1)
            };
            shares.sharers.push(ranks.into_iter().map(sharer).collect());
        }
        shares
    }

    /// Splits the bodies by the numbers of their contacts on each rank.
    ///
    /// Returns 1/w for each part here: the factor by which the part answers more to an impulse than
    /// the body. For a body without contacts here the value is irrelevant.
    pub(super) fn weigh(&mut self, comm: &dyn Comm, contacts: &[u32]) -> Vec<f64> {
        let root = |&i: &usize| f64::from(contacts[i]).sqrt();
        let here: Vec<f64> = self.bodies.iter().map(root).collect();
        for (to, places) in &self.with {
            let numbers: Vec<f64> = places.iter().map(|&place| here[place]).collect();
            comm.post(*to, &numbers);
        }
        let mut received = Vec::with_capacity(self.with.len());
        for (from, places) in &self.with {
            let mut numbers = vec![f64::NAN; places.len()];
            comm.receive(*from, &mut numbers);
            received.push(numbers);
        }
        // In the order of ranks, so that all have the same total.
        let part = |place: usize, sharer: &Sharer| match *sharer {
            Sharer::Me => here[place],
            Sharer::Other(k, at) => received[k][at],
        };
        let all = self.sharers.iter().enumerate();
        let total: Vec<f64> = all
            .map(|(place, sharers)| sharers.iter().map(|s| part(place, s)).sum())
            .collect();
        let mut inverse = vec![1.0; contacts.len()];
        self.weights.clear();
        for ((&i, &here), total) in self.bodies.iter().zip(&here).zip(total) {
            self.weights
                .push(if here > 0.0 { here / total } else { 0.0 });
            inverse[i] = if here > 0.0 { total / here } else { 1.0 };
        }
        inverse
    }

    /// Records the velocities at the start of a sweep.
    pub(super) fn part(&mut self, members: &[Member]) {
        self.before.clear();
        let six = |i: &usize| std::array::from_fn(|k| members[*i].motion()[k]);
        self.before.extend(self.bodies.iter().map(six));
    }

    /// Puts the parts together.
    pub(super) fn meet(&mut self, comm: &dyn Comm, traffic: &mut Traffic, members: &mut [Member]) {
        let Self {
            bodies,
            sharers,
            with,
            weights,
            before,
        } = self;
        // The changes of the part here, as its share of the changes of the body.
        let changes: Vec<[f64; 6]> = (bodies.iter().zip(&*weights).zip(&*before))
            .map(|((&i, weight), before)| {
                let now = members[i].motion();
                std::array::from_fn(|k| (now[k] - before[k]) * weight)
            })
            .collect();
        let mut received = Vec::with_capacity(with.len());
        let mut buffer = Vec::new();
        for (to, places) in &*with {
            buffer.clear();
            places
                .iter()
                .for_each(|&place| buffer.extend(changes[place]));
            comm.post(*to, &buffer);
            traffic.messages += 1;
            traffic.bytes += 8 * buffer.len() as u64;
        }
        for (from, places) in &*with {
            let mut numbers = vec![f64::NAN; 6 * places.len()];
            comm.receive(*from, &mut numbers);
            received.push(numbers);
        }
        for (place, &i) in bodies.iter().enumerate() {
            let mut motion = before[place];
            for sharer in &sharers[place] {
                let change = match *sharer {
                    Sharer::Me => &changes[place][..],
                    Sharer::Other(k, at) => &received[k][6 * at..6 * at + 6],
                };
                motion.iter_mut().zip(change).for_each(|(v, dv)| *v += dv);
            }
            members[i].set_motion(&motion);
        }
        if cfg!(debug_assertions) {
            self.copies_agree(comm, members);
        }
    }

    /// Checks that all ranks that know a body have the same bits of it.
    fn copies_agree(&self, comm: &dyn Comm, members: &[Member]) {
        let motions = |places: &[usize]| -> Vec<f64> {
            let each = places.iter().map(|&place| members[self.bodies[place]]);
            each.flat_map(|member| member.motion().to_vec()).collect()
        };
        for (to, places) in &self.with {
            comm.post(*to, &motions(places));
        }
        for (from, places) in &self.with {
            let mine = motions(places);
            let mut theirs = vec![f64::NAN; mine.len()];
            comm.receive(*from, &mut theirs);
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert!(
                bits(&mine) == bits(&theirs),
                "ranks {} and {from} have different copies of a body",
                comm.rank()
            );
        }
    }
}
