//! The distances over which an increment sees bodies and bonds.

use crate::contact::ContactRow;
use crate::domain::{Domain, ghosts};
use crate::law::Step;
use crate::law::bond::Glue;
use crate::math::nan_max;
use crate::scheme::physics::Physics;

/// The skin of the boxes by which copies are made [m]: all contacts of a body are then known.
pub(super) fn wide(largest_radius: f64, skin: f64) -> f64 {
    2.0 * (largest_radius + skin)
}

/// The shortest edge that blocks may have, for bodies up to a radius and a skin [m].
///
/// A rank has copies of all bodies that may touch its own.
#[must_use]
pub fn least_edge(radius: f64, skin: f64) -> f64 {
    2.0 * ghosts::reach(radius + 0.5 * skin, wide(radius, skin))
}

/// The largest gap of a bond, and of bodies that are bonded in an increment [m]. Collective.
pub(super) fn widest_bond(
    (physics, domain): (&Physics, &Domain),
    rows: &[ContactRow],
    times: Option<[f64; 2]>,
) -> f64 {
    let laws = &physics.laws;
    if !laws.join() {
        return 0.0;
    }
    let bonds = rows.iter().filter(|row| row.state.joint.is_whole());
    let widest = domain.max(bonds.map(|row| row.gap).fold(0.0, nan_max));
    let made = times.map_or(0.0, |times| laws.reach(&Step::of_forces(times)));
    // Rounding may leave a gap at the reach.
    nan_max(widest, made) + Glue::rounding([physics.largest_radius; 2])
}

/// The largest gap that bonds may have in blocks of an edge [m].
pub(super) fn longest_bond(physics: &Physics, edge: f64) -> f64 {
    0.5 * edge * (1.0 - 1e-9) - 2.0 * physics.largest_radius - 0.5 * physics.skin
}
