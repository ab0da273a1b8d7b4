//! The edges of a periodic cell that follow a stress: they move by Newton's law, as free walls do.
//!
//! An edge of length L [m] strains the cell at the rate e = V/L. Contacts with the branch b between
//! their centres press it outwards by `Σ r b/L`; the stress σ across it presses it inwards on the
//! volume's section:
//!
//! `W (e − e_before) = Σ r b − Δt σ V`, `W = M L²`.
//!
//! After each sweep the rate takes the impulses of all contacts together, as an exact sum. Within a
//! sweep each of the n contacts acts on a cell of its own with the n-th part of W (mass splitting,
//! as in [`pushed`](super::pushed)). So the stress is held without a gain, but for the inertia of
//! the edge.

use super::blocks::Blocks;
use super::halo::Halo;
use super::reaction::Reaction;
use crate::math::Vector3;

/// The edges that follow a stress, in one step. Each vector has the entries of x, y and z; those of
/// other edges are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Edges {
    /// `1/W` [1/(kg m²)].
    inverse_inertia: Vector3,
    /// Rates before the step [1/s].
    before: Vector3,
    /// Rates without contacts [1/s].
    free: Vector3,
    /// `|Δt F|²/(M + m)` of all edges, m being the mass of the bodies [J].
    load_energy: f64,
    /// Contacts on all ranks.
    contacts: f64,
}

/// An edge at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Its axis.
    pub axis: usize,
    /// Its length [m].
    pub length: f64,
    /// Its mass, and that of the bodies in the cell [kg].
    pub masses: [f64; 2],
    /// Its rate before the step over this length [1/s].
    pub rate: f64,
    /// The force of the stress on it, outwards [N].
    pub force: f64,
}

impl Edges {
    /// The edges at the start of a step of this length [s].
    #[must_use]
    pub fn new(edges: impl IntoIterator<Item = Edge>, dt: f64) -> Self {
        let mut all = Self {
            contacts: 1.0,
            ..Self::default()
        };
        for edge in edges {
            let [mass, bodies] = edge.masses;
            let push = edge.force * dt;
            all.inverse_inertia[edge.axis] = 1.0 / (mass * edge.length * edge.length);
            all.before[edge.axis] = edge.rate;
            all.free[edge.axis] = edge.rate + push / (mass * edge.length);
            all.load_energy += push * push / (mass + bodies);
        }
        all
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inverse_inertia == Vector3::zeros()
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
        self.before.amax().max(self.free.amax())
    }

    /// Part of the judge's scale [J].
    #[must_use]
    pub fn load_energy(&self) -> f64 {
        self.load_energy
    }

    /// The response of the cell to one contact: that of its n-th part.
    ///
    /// An impulse r changes the relative velocity by `C r` with `C_i = n b_i²/W_i`, which is
    /// oblique. The bounds for the normal and the tangential part together are no smaller than C.
    #[must_use]
    pub fn reaction(&self, normal: &Vector3, branch: &Vector3) -> Reaction {
        let c = self
            .inverse_inertia
            .component_mul(branch)
            .component_mul(branch)
            * self.contacts;
        let answer = c.component_mul(normal);
        let along = answer.dot(normal);
        let mixed = (answer - normal * along).norm();
        Reaction {
            normal: along + mixed,
            tangential: (c.sum() - along).max(0.0) + mixed,
            turning: 0.0,
        }
    }

    /// The rates under the present impulses of all contacts [1/s]. Collective.
    pub fn rates<H: Halo>(&self, blocks: &mut Blocks, halo: &H) -> Vector3 {
        let mut sums = blocks.map(|block| block.stretch());
        halo.sum(&mut sums);
        let pushed = Vector3::from(sums.map(|sum| sum.value()));
        self.free + pushed.component_mul(&self.inverse_inertia)
    }

    /// The edges, and with them the contacts, take the present impulses. Collective, if there is
    /// such an edge.
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

    /// The bounds of an oblique response: `r·C r ≤ a r_n² + b r_t²`, sharp along an axis.
    #[test]
    fn the_response_is_bounded() {
        let edge = |axis, length| Edge {
            axis,
            length,
            masses: [2.0, 10.0],
            rate: 0.5,
            force: -3.0,
        };
        let mut edges = Edges::new([edge(0, 4.0), edge(1, 3.0)], 0.1);
        edges.share_among(7);
        assert_eq!(
            edges.free,
            Vector3::new(0.5 - 0.3 / 8.0, 0.5 - 0.1 / 2.0, 0.0)
        );
        let c = |b: &Vector3| Vector3::new(b.x * b.x / 32.0, b.y * b.y / 18.0, 0.0) * 7.0;
        for k in 0..200 {
            let at = |s: f64| (f64::from(k) * s).sin();
            let normal = Vector3::new(at(1.3), at(2.9), at(0.7)).normalize();
            let branch = normal * 1.9 + Vector3::new(at(3.1), at(1.7), at(2.3)) * 0.2;
            let r = Vector3::new(at(5.3), at(4.1), at(3.7));
            let reaction = edges.reaction(&normal, &branch);
            let energy = r.dot(&c(&branch).component_mul(&r));
            let along = r.dot(&normal);
            let across = r - normal * along;
            let bound =
                reaction.normal * along * along + reaction.tangential * across.norm_squared();
            assert!(energy <= bound * (1.0 + 1e-12), "{energy} {bound}");
        }
        let along = edges.reaction(&Vector3::x(), &(Vector3::x() * 2.0));
        assert!((along.normal - 7.0 * 4.0 / 32.0).abs() < 1e-15 && along.tangential < 1e-15);
    }
}
