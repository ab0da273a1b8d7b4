//! What a state says of its forces: networks of weak and strong contacts, what holds what, how two solutions differ.
#![allow(unreachable_pub, missing_docs)] // A module of tests.

use moreau::contact::ContactKey;
use moreau::io::checkpoint::Loaded;
use moreau::math::Vector3;
use std::collections::{BTreeMap, BTreeSet};

/// Kolmogorov and Smirnov: the chance that two samples of one distribution differ by as much.
pub fn kolmogorov(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (n, m) = (a.len() as f64, b.len() as f64);
    let below = |of: &[f64], x: f64| of.partition_point(|y| *y <= x) as f64;
    let apart = a.iter().chain(&b);
    let apart = apart.map(|&x| (below(&a, x) / n - below(&b, x) / m).abs());
    let apart = apart.fold(0.0, f64::max);
    let root = (n * m / (n + m)).sqrt();
    let l = (root + 0.12 + 0.11 / root) * apart;
    if l < 0.2 {
        return 1.0; // The series needs many terms, and its sum is 1 to 1e-12.
    }
    let term = |j: f64| (-2.0 * j * j * l * l).exp();
    let sum: f64 = (1..=100)
        .map(|j| {
            if j % 2 == 1 {
                term(f64::from(j))
            } else {
                -term(f64::from(j))
            }
        })
        .sum();
    2.0 * sum
}

/// Forces by contact [N].
pub fn by_key(state: &Loaded) -> BTreeMap<ContactKey, Vector3> {
    let active = state.contacts.iter().filter(|c| c.status != 0);
    let dt = state.header.dt;
    active
        .map(|c| (c.key, Vector3::from(c.impulse) / dt))
        .collect()
}

/// `√(Σ |f − g|² / Σ |g|²)` over the contacts of either.
pub fn apart(f: &BTreeMap<ContactKey, Vector3>, g: &BTreeMap<ContactKey, Vector3>) -> f64 {
    let keys: BTreeSet<_> = f.keys().chain(g.keys()).collect();
    let of = |map: &BTreeMap<ContactKey, Vector3>, key| map.get(key).copied().unwrap_or_default();
    let off = keys
        .iter()
        .map(|key| (of(f, key) - of(g, key)).norm_squared());
    let all = g.values().map(Vector3::norm_squared);
    (off.sum::<f64>() / all.sum::<f64>()).sqrt()
}

/// Bodies that are held, those with fewer than four contacts being taken out again and again, and the contacts between what is left.
pub fn held(state: &Loaded) -> (usize, usize) {
    let active = state.contacts.iter().filter(|c| c.status != 0);
    let mut left: Vec<ContactKey> = active.map(|c| c.key).collect();
    loop {
        let mut contacts = BTreeMap::<u64, usize>::new();
        let ends = left.iter().flat_map(|key| [key.a, key.b]);
        for end in ends.filter(|end| end.wall_index().is_none()) {
            *contacts.entry(end.0).or_default() += 1;
        }
        let loose = |id: u64| contacts.get(&id).is_some_and(|n| *n < 4);
        let before = left.len();
        left.retain(|key| !loose(key.a.0) && !loose(key.b.0));
        if left.len() == before {
            return (contacts.len(), before);
        }
    }
}

/// Contacts between discs away from the walls, each with its force in units of the mean, and what it gives to the stress: `f_a l_b`, xx,
/// xy, yx, yy.
pub struct Networks {
    contacts: Vec<(f64, [f64; 4], bool)>,
}

impl Networks {
    pub fn of(state: &Loaded) -> Self {
        let place: BTreeMap<u64, [f64; 3]> =
            state.bodies.iter().map(|b| (b.id.0, b.position)).collect();
        let core = |p: &[f64; 3]| (0.05..0.6).contains(&p[0]) && (0.05..0.55).contains(&p[1]);
        let inside = state
            .contacts
            .iter()
            .filter(|c| c.status != 0 && c.key.b.wall_index().is_none() && core(&c.point));
        let each = inside.map(|c| {
            let (a, b) = (place[&c.key.a.0], place[&c.key.b.0]);
            let l = [b[0] - a[0], b[1] - a[1]];
            let f = Vector3::from(c.impulse);
            let push = f.dot(&Vector3::from(c.normal));
            (
                push,
                [f.x * l[0], f.x * l[1], f.y * l[0], f.y * l[1]],
                c.status == 2,
            )
        });
        let mut contacts: Vec<_> = each.collect();
        let mean = contacts.iter().map(|c| c.0).sum::<f64>() / contacts.len() as f64;
        contacts.iter_mut().for_each(|c| c.0 /= mean);
        Self { contacts }
    }

    fn stress(&self, below: f64) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for (_, s, _) in self.contacts.iter().filter(|c| c.0 < below) {
            sum.iter_mut().zip(s).for_each(|(x, y)| *x += y);
        }
        sum
    }

    /// Of the contacts with less than so many mean forces: share of the pressure, deviator along the principal axes of the whole stress over
    /// the whole pressure, share of the number.
    pub fn below(&self, below: f64) -> [f64; 3] {
        let (all, some) = (self.stress(f64::INFINITY), self.stress(below));
        let parts = |s: [f64; 4]| [0.5 * (s[0] - s[3]), 0.5 * (s[1] + s[2])];
        let [whole, part] = [parts(all), parts(some)];
        let size = whole[0].hypot(whole[1]);
        let along = (part[0] * whole[0] + part[1] * whole[1]) / size;
        let p = 0.5 * (all[0] + all[3]);
        let number = self.contacts.iter().filter(|c| c.0 < below).count();
        [
            0.5 * (some[0] + some[3]) / p,
            along / p,
            number as f64 / self.contacts.len() as f64,
        ]
    }

    /// Ratio of the principal stresses.
    pub fn ratio(&self) -> f64 {
        let [_, q, _] = self.below(f64::INFINITY);
        (1.0 + q) / (1.0 - q)
    }

    /// Share of the sliding contacts that have more than the mean force.
    pub fn sliding_among_strong(&self) -> f64 {
        let sliding = self.contacts.iter().filter(|c| c.2);
        let (all, strong) = sliding.fold((0, 0), |(n, m), c| (n + 1, m + usize::from(c.0 > 1.0)));
        strong as f64 / all as f64
    }
}
