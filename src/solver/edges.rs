//! Strains of a periodic cell that follow a stress: they move by Newton's law, as free walls do.
//!
//! A strain at the rate ξ [1/s] moves the two sides of a contact apart by `ξ d∘b`. Its direction d
//! gives the rates of the three edges; b is the branch between the two centres. The impulses r of
//! contacts drive it; the stress σ, which is held, resists on the volume V:
//!
//! `W (ξ − ξ_before) = Σ r·(d∘b) − Δt σ V`, `W = M Σ d_i² L_i²`, with the mass M and edges L.
//!
//! After each sweep the rate takes the impulses of all contacts together, as an exact sum. Within a
//! sweep each of the n contacts acts on a cell of its own with the n-th part of W (mass splitting,
//! as in [`pushed`](super::pushed)). So the stress is held without a gain, but for the inertia of
//! the edges.

use super::blocks::Blocks;
use super::halo::Halo;
use super::reaction::Reaction;
use crate::math::{Vector3, nan_max};

/// The strains that follow a stress, in one step. Rates are those of the edges along x, y and z.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edges {
    /// Direction of each strain, and its `1/W` [1/(kg m²)].
    each: Vec<(Vector3, f64)>,
    /// Rates before the step [1/s].
    before: Vector3,
    /// Rates without contacts [1/s].
    free: Vector3,
    /// `|Δt F|²/(M + m)` of all strains, m being the mass of the bodies [J].
    load_energy: f64,
    /// `Σ |Δt F|` of all strains [N s].
    load: f64,
    /// Contacts on all ranks.
    contacts: f64,
}

/// A strain at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Strained {
    /// Its direction: the rates of the edges for a rate of 1.
    pub direction: Vector3,
    /// Its length, by which `W = M L²` [m].
    pub length: f64,
    /// Its mass, and that of the bodies in the cell [kg].
    pub masses: [f64; 2],
    /// Its rate before the step [1/s].
    pub rate: f64,
    /// The force of the stress on it: `−σ V/L` [N].
    pub force: f64,
}

impl Edges {
    /// The strains at the start of a step of this length [s].
    #[must_use]
    pub fn new(strains: impl IntoIterator<Item = Strained>, dt: f64) -> Self {
        let mut all = Self {
            contacts: 1.0,
            ..Self::default()
        };
        for of in strains {
            let [mass, bodies] = of.masses;
            let push = of.force * dt;
            let inverse = 1.0 / (mass * of.length * of.length);
            all.each.push((of.direction, inverse));
            all.before += of.direction * of.rate;
            all.free += of.direction * (of.rate + push / (mass * of.length));
            all.load_energy += push * push / (mass + bodies);
            all.load += push.abs();
        }
        all
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Sets the number of contacts, on all ranks.
    pub fn share_among(&mut self, contacts: i64) {
        self.contacts = contacts.max(1) as f64;
    }

    /// Rates before the step [1/s].
    #[must_use]
    pub fn before(&self) -> &Vector3 {
        &self.before
    }

    /// The largest rate of an edge before the step, or without contacts at its end [1/s].
    #[must_use]
    pub fn fastest(&self) -> f64 {
        let rates = self.before.iter().chain(&self.free);
        rates.fold(0.0, |most, rate| nan_max(most, rate.abs()))
    }

    /// Momentum that the stresses bring in the step [N s].
    #[must_use]
    pub fn load(&self) -> f64 {
        self.load
    }

    /// Part of the judge's scale [J].
    ///
    /// It is `Σ |Δt F|²/(M + m)`, m being the mass of the bodies.
    #[must_use]
    pub fn load_energy(&self) -> f64 {
        self.load_energy
    }

    /// The response of the cell to one contact: that of its n-th part.
    ///
    /// An impulse r changes the relative velocity by `Σ n/W e (e·r)` with `e = d∘b`, which is
    /// oblique. The normal and the tangential part together bound it from above.
    #[must_use]
    pub fn reaction(&self, normal: &Vector3, branch: &Vector3) -> Reaction {
        let mut all = Reaction::default();
        for (direction, inverse) in &self.each {
            let e = direction.component_mul(branch);
            let share = inverse * self.contacts;
            let along = e.dot(normal).abs();
            let across = (e.norm_squared() - along * along).max(0.0).sqrt();
            all = all.plus(&Reaction {
                normal: share * along * (along + across),
                tangential: share * across * (along + across),
                turning: 0.0,
            });
        }
        all
    }

    /// The rates under the present impulses of all contacts [1/s]. Collective.
    pub fn rates<H: Halo>(&self, blocks: &mut Blocks, halo: &H) -> Vector3 {
        let mut sums = blocks.map(|block| block.stretch());
        halo.sum(&mut sums);
        let pushed = Vector3::from(sums.map(|sum| sum.value()));
        let each = self.each.iter();
        each.fold(self.free, |rates, (direction, inverse)| {
            rates + direction * (direction.dot(&pushed) * inverse)
        })
    }

    /// The strains, and with them the contacts, take the present impulses. Collective, if there is
    /// such a strain.
    pub fn take_impulses<H: Halo>(&self, blocks: &mut Blocks, halo: &H) {
        if !self.is_empty() {
            let rates = self.rates(blocks, halo);
            blocks.map(|block| {
                block.set_stretch(&rates);
                []
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of an oblique response: `Σ n/W (e·r)² ≤ a r_n² + b r_t²`, sharp along an axis.
    #[test]
    fn the_response_is_bounded() {
        let strained = |direction: Vector3, length| Strained {
            direction,
            length,
            masses: [2.0, 10.0],
            rate: 0.5,
            force: -3.0,
        };
        let (x, other) = (Vector3::x(), Vector3::new(0.0, 1.0, -0.5));
        let mut edges = Edges::new([strained(x, 4.0), strained(other, 3.0)], 0.1);
        edges.share_among(7);
        let free = x * (0.5 - 0.3 / 8.0) + other * (0.5 - 0.1 / 2.0);
        assert!((edges.free - free).norm() < 1e-15 && edges.fastest() == 0.5);
        for k in 1..200 {
            let at = |s: f64| (f64::from(k) * s).sin();
            let normal = Vector3::new(at(1.3), at(2.9), at(0.7)).normalize();
            let branch = normal * 1.9 + Vector3::new(at(3.1), at(1.7), at(2.3)) * 0.2;
            let r = Vector3::new(at(5.3), at(4.1), at(3.7));
            let reaction = edges.reaction(&normal, &branch);
            let of = |d: &Vector3, w: f64| d.component_mul(&branch).dot(&r).powi(2) * 7.0 / w;
            let energy = of(&x, 32.0) + of(&other, 18.0);
            let along = r.dot(&normal);
            let across = r - normal * along;
            let bound =
                reaction.normal * along * along + reaction.tangential * across.norm_squared();
            assert!(energy <= bound * (1.0 + 1e-12), "{energy} {bound}");
        }
        let along = edges.reaction(&x, &(x * 2.0));
        assert!((along.normal - 7.0 * 4.0 / 32.0).abs() < 1e-15 && along.tangential < 1e-15);
    }
}
