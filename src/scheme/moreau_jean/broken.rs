//! Bonds that break at the end of a step.

use super::MoreauJean;
use crate::contact::ContactRow;
use crate::law::bond::Glue;
use crate::math::Vector3;
use crate::scheme::report::BrokenBond;

impl MoreauJean {
    /// This rank's bonds that break by the impulses of a step of `dt` [s] that ends at `time` [s].
    pub(super) fn broken(&self, dt: f64, time: f64) -> Vec<BrokenBond> {
        let breaks = |glue: &Glue| glue.strength.breaks();
        if !self.physics.laws.bonds.iter().any(breaks) {
            return Vec::new();
        }
        let one = |(row, energy): (ContactRow, f64)| BrokenBond {
            time,
            wave: 0,
            a: row.key.a,
            b: row.key.b,
            bond: row.state.joint.glue - 1,
            point: row.point.into(),
            normal: row.normal.into(),
            force: Vector3::from(row.impulse) / dt,
            couple: Vector3::from(row.couple_impulse) / dt,
            energy,
        };
        self.blocks.breaking().into_iter().map(one).collect()
    }
}
