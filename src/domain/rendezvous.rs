//! Questions about bodies on unknown ranks.
//!
//! Every rank sends its data of a body to the rank whose number is the body's id modulo the number
//! of ranks, and asks there. The answers do not depend on the number of ranks.

use super::Domain;
use crate::body::{BodyId, BodyRow};
use crate::contact::ContactRow;
use crate::math::Vector3;
use crate::measure::{Coordination, Network, Window, carries};
use bytemuck::Pod;
use std::collections::{BTreeMap, HashMap};

/// Numbers on their way to the ranks where the data of a body meet.
type Letters = BTreeMap<usize, Vec<u64>>;

impl Domain<'_> {
    /// The rank where the data of a body meet.
    fn home(&self, id: BodyId) -> usize {
        (id.0 % self.comm.size() as u64) as usize
    }

    /// Sends numbers to ranks; returns the received ones, by rank of the sender. Collective.
    fn post_letters(&self, letters: Letters) -> Vec<(usize, Vec<u64>)> {
        let bytes =
            |(to, numbers): (usize, Vec<u64>)| (to, bytemuck::cast_slice(&numbers).to_vec());
        let came = self.comm.exchange(letters.into_iter().map(bytes).collect());
        let read = |(from, bytes): (usize, Vec<u8>)| {
            (
                from,
                bytemuck::allocation::pod_collect_to_vec::<u8, u64>(&bytes),
            )
        };
        came.into_iter().map(read).collect()
    }

    /// The radii of these bodies on any rank [m]; unknown bodies are left out. Collective.
    #[must_use]
    pub fn radii(&self, bodies: &[BodyRow], wanted: &[BodyId]) -> HashMap<BodyId, f64> {
        self.meet(bodies.iter().map(|row| (row.id, row.radius)), wanted)
    }

    /// The rows of those of these bodies that are clumps, as [`Domain::radii`]. Collective.
    #[must_use]
    pub fn clumps(&self, bodies: &[BodyRow], wanted: &[BodyId]) -> HashMap<BodyId, BodyRow> {
        let clumps = bodies.iter().filter(|row| row.shape != 0);
        self.meet(clumps.map(|row| (row.id, *row)), wanted)
    }

    /// The data of this rank's bodies, and those of the wanted bodies on any rank. Collective.
    fn meet<T: Pod>(
        &self,
        own: impl Iterator<Item = (BodyId, T)>,
        wanted: &[BodyId],
    ) -> HashMap<BodyId, T> {
        let mut known: HashMap<BodyId, T> = own.collect();
        if self.comm.size() == 1 {
            return known;
        }
        // The id, then the data in whole words.
        let words = 1 + size_of::<T>() / size_of::<u64>();
        let read = |one: &[u64]| {
            let data = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&one[1..]));
            (BodyId(one[0]), data)
        };
        let write = |letter: &mut Vec<u64>, id: BodyId, data: &T| {
            letter.push(id.0);
            letter.resize(letter.len() + words - 1, 0);
            let place = letter.len() + 1 - words;
            let bytes = bytemuck::cast_slice_mut(&mut letter[place..]);
            bytes.copy_from_slice(bytemuck::bytes_of(data));
        };
        let mut letters = Letters::new();
        for (id, data) in &known {
            write(letters.entry(self.home(*id)).or_default(), *id, data);
        }
        let mut homes: HashMap<BodyId, T> = HashMap::new();
        for (_, letter) in self.post_letters(letters) {
            homes.extend(letter.chunks_exact(words).map(read));
        }
        let mut missing: Vec<BodyId> = wanted.to_vec();
        missing.retain(|id| !known.contains_key(id));
        missing.sort_unstable();
        missing.dedup();
        let mut letters = Letters::new();
        for id in missing {
            letters.entry(self.home(id)).or_default().push(id.0);
        }
        let mut answers = Letters::new();
        for (from, letter) in self.post_letters(letters) {
            let answer: &mut Vec<u64> = answers.entry(from).or_default();
            for id in letter.into_iter().map(BodyId) {
                if let Some(data) = homes.get(&id) {
                    write(answer, id, data);
                }
            }
        }
        for (_, letter) in self.post_letters(answers) {
            known.extend(letter.chunks_exact(words).map(read));
        }
        known
    }

    /// Numbers of force-carrying contacts of the free bodies with their centre in the window.
    ///
    /// Bodies with fewer than `least` are rattlers, and so are bodies held by rattlers only. The
    /// same on all ranks. Collective.
    #[must_use]
    pub fn coordination(
        &self,
        bodies: &[BodyRow],
        contacts: &[ContactRow],
        window: &Window,
        least: u64,
    ) -> Coordination {
        let mut letters = Letters::new();
        for row in bodies.iter().filter(|row| row.is_free()) {
            let inside = window.inside(&Vector3::from(row.position)).is_some();
            let letter = letters.entry(self.home(row.id)).or_default();
            letter.extend([row.id.0, u64::from(inside)]);
        }
        let mut network = Network::default();
        for (_, letter) in self.post_letters(letters) {
            let each = letter.chunks_exact(2);
            each.for_each(|pair| network.add_body(BodyId(pair[0]), pair[1] == 1));
        }
        let mut letters = Letters::new();
        for key in contacts.iter().filter(|c| carries(c)).map(|c| c.key) {
            for (id, other) in [(key.a, key.b), (key.b, key.a)] {
                if id.wall_index().is_none() {
                    let letter = letters.entry(self.home(id)).or_default();
                    letter.extend([id.0, other.0]);
                }
            }
        }
        for (_, letter) in self.post_letters(letters) {
            let each = letter.chunks_exact(2);
            each.for_each(|pair| network.add_contact(BodyId(pair[0]), BodyId(pair[1])));
        }
        let mut ends = network.take_away(None, least);
        while self.comm.any(!ends.is_empty()) {
            let mut letters = Letters::new();
            for id in ends.iter().filter(|id| id.wall_index().is_none()) {
                letters.entry(self.home(*id)).or_default().push(id.0);
            }
            let came = self.post_letters(letters);
            let lost: Vec<BodyId> = came.into_iter().flat_map(|(_, l)| l).map(BodyId).collect();
            network.lose(&lost);
            ends = network.take_away(Some(&lost), least);
        }
        let mut sums = network.counts().to_array();
        self.count(&mut sums);
        Coordination::from_array(sums)
    }
}
