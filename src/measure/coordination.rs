//! Coordination: the number of contacts of bodies, with rattlers and without.
//!
//! A rattler is a body with fewer force-carrying contacts than are needed to hold it. It holds no
//! other, so its contacts are removed with it, which may leave others with too few, and so on. The
//! remaining set does not depend on the order.

use crate::body::BodyId;
use std::collections::HashMap;

/// Bodies with their force-carrying contacts, each by its far end.
///
/// Bodies that are not free, and walls, hold but are not held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    bodies: HashMap<BodyId, Node>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    /// Far ends of its contacts.
    others: Vec<BodyId>,
    /// The number of remaining contacts.
    left: usize,
    /// Whether it is counted in the end.
    inside: bool,
    gone: bool,
}

/// The result of [`Network::counts`], in integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coordination {
    /// Bodies.
    pub bodies: i64,
    /// Their contacts; one between two of them counts for each.
    pub contacts: i64,
    /// Rattlers among the bodies.
    pub rattlers: i64,
    /// Contacts of the bodies that are not rattlers, with each other and with fixed bodies and
    /// walls.
    pub holding: i64,
}

impl Coordination {
    /// The four numbers, for summing.
    #[must_use]
    pub fn to_array(self) -> [i64; 4] {
        [self.bodies, self.contacts, self.rattlers, self.holding]
    }

    /// The counts from the four numbers.
    #[must_use]
    pub fn from_array([bodies, contacts, rattlers, holding]: [i64; 4]) -> Self {
        Self {
            bodies,
            contacts,
            rattlers,
            holding,
        }
    }

    /// Mean number of contacts of a body; NaN without bodies.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.contacts as f64 / self.bodies as f64
    }

    /// The mean without rattlers, and without contacts with them.
    #[must_use]
    pub fn mean_without_rattlers(&self) -> f64 {
        self.holding as f64 / (self.bodies - self.rattlers) as f64
    }

    /// Share of the rattlers among the bodies.
    #[must_use]
    pub fn share_of_rattlers(&self) -> f64 {
        self.rattlers as f64 / self.bodies as f64
    }
}

impl Network {
    /// Adds a free body; `inside`: whether it is counted.
    pub fn add_body(&mut self, id: BodyId, inside: bool) {
        self.bodies.entry(id).or_default().inside = inside;
    }

    /// Adds a contact of a body, unless the body was not added.
    pub fn add_contact(&mut self, id: BodyId, other: BodyId) {
        if let Some(node) = self.bodies.get_mut(&id) {
            node.others.push(other);
            node.left += 1;
        }
    }

    /// Removes the bodies among these that have fewer contacts left than `least`.
    ///
    /// Returns the far ends of their contacts: each loses one. `None`: all bodies.
    pub fn take_away(&mut self, among: Option<&[BodyId]>, least: u64) -> Vec<BodyId> {
        let mut ends = Vec::new();
        let mut look = |node: &mut Node| {
            if !node.gone && (node.left as u64) < least {
                node.gone = true;
                ends.extend_from_slice(&node.others);
            }
        };
        match among {
            None => self.bodies.values_mut().for_each(look),
            Some(ids) => {
                for id in ids {
                    if let Some(node) = self.bodies.get_mut(id) {
                        look(node);
                    }
                }
            }
        }
        ends
    }

    /// Removes one contact from each of these bodies, as often as they are named.
    pub fn lose(&mut self, ids: &[BodyId]) {
        for id in ids {
            if let Some(node) = self.bodies.get_mut(id) {
                node.left -= 1;
            }
        }
    }

    /// The counts, after the last removal.
    #[must_use]
    pub fn counts(&self) -> Coordination {
        let mut sum = Coordination::default();
        for node in self.bodies.values().filter(|node| node.inside) {
            sum.bodies += 1;
            sum.contacts += node.others.len() as i64;
            match node.gone {
                true => sum.rattlers += 1,
                false => sum.holding += node.left as i64,
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(network: &mut Network, least: u64) -> Coordination {
        let mut ends = network.take_away(None, least);
        while !ends.is_empty() {
            network.lose(&ends);
            ends = network.take_away(Some(&ends), least);
        }
        network.counts()
    }

    /// A face-centred lattice on periodic axes has twelve neighbours; two more bodies are rattlers.
    ///
    /// One touches two others and one more body. That one has four contacts, of which this was one.
    #[test]
    fn face_centred_lattice_and_rattlers() {
        let n = 6_u64;
        let id = |x: u64, y: u64, z: u64| BodyId((x % n * n + y % n) * n + z % n);
        let mut network = Network::default();
        let sites = (0..n * n * n).map(|k| [k / n / n, k / n % n, k % n]);
        let even: Vec<[u64; 3]> = sites.filter(|s| s.iter().sum::<u64>() % 2 == 0).collect();
        even.iter()
            .for_each(|&[x, y, z]| network.add_body(id(x, y, z), true));
        for &[x, y, z] in &even {
            for (i, j) in [(1, 1), (1, n - 1), (n - 1, 1), (n - 1, n - 1)] {
                for other in [
                    id(x + i, y + j, z),
                    id(x + i, y, z + j),
                    id(x, y + i, z + j),
                ] {
                    network.add_contact(id(x, y, z), other);
                }
            }
        }
        let lattice = settled(&mut network.clone(), 4);
        assert_eq!(lattice.bodies, 108);
        assert_eq!(
            (lattice.mean(), lattice.mean_without_rattlers()),
            (12.0, 12.0)
        );
        let (a, b) = (BodyId(1000), BodyId(1001));
        for (new, others) in [(a, &[0, 2][..]), (b, &[1000, 14, 16])] {
            network.add_body(new, true);
            for other in others.iter().map(|id| BodyId(*id)) {
                network.add_contact(new, other);
                network.add_contact(other, new);
            }
        }
        network.add_contact(b, BodyId::wall(0));
        let both = settled(&mut network, 4);
        assert_eq!(
            (both.bodies, both.rattlers, both.holding),
            (110, 2, 108 * 12)
        );
        assert_eq!(both.contacts, 108 * 12 + 2 * 5 + 1);
        assert!((both.share_of_rattlers() - 2.0 / 110.0).abs() < 1e-15);
    }

    #[test]
    fn nothing_has_no_mean() {
        let none = settled(&mut Network::default(), 4);
        assert!(none.mean().is_nan() && none.mean_without_rattlers().is_nan());
    }
}
