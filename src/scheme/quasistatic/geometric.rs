//! The geometric stiffness: normal forces turn with the lines of centres.
//!
//! The normal n of a contact of two balls, at a distance D of their centres, turns by
//! `dn = (I − nnᵀ)(du_b − du_a)/D`, and its normal force N on b changes by `N dn`. A force that
//! presses pushes a displaced body on: it lowers the stiffness. The force of the displaced contact
//! still points from centre to centre, so it has no moment there: the part `l dn × N n` of a
//! turning lever cancels `l n × N dn`. Walls are taken as planes, whose normals stand.

use super::link::Link;
use super::stiffness::Stiffness;
use crate::math::Matrix3;

/// `(N/D)(I − nnᵀ)` of a contact [N/m]: the force on its second body by the displacement of that
/// body against the first. `None`: it does not act, has no normal force, or is one with a wall.
fn turning(link: &Link) -> Option<Matrix3> {
    let n = link.normal;
    let pressed = link.carried.force.dot(&n);
    if !link.acts() || pressed == 0.0 || link.radii[1].is_infinite() {
        return None;
    }
    let across = Matrix3::identity() - n * n.transpose();
    Some(across * (pressed / link.branch().norm()))
}

impl Stiffness<'_, '_, '_> {
    /// The same with its geometric part.
    ///
    /// The preconditioner stays that without it, which is positive definite.
    pub(super) fn with_geometric(mut self) -> Self {
        let network = &self.tangents.assembly.network;
        let pool = self.tangents.assembly.pool;
        self.turnings = pool.list(network.count(), |k| turning(&network.link(k)));
        self
    }

    /// `(N/D)(I − nnᵀ)` of a contact [N/m], if there is a geometric part.
    pub(super) fn turning(&self, number: usize) -> Option<&Matrix3> {
        self.turnings.get(number)?.as_ref()
    }
}

#[cfg(test)]
mod tests;
