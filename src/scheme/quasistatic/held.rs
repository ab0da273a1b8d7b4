//! The stiffness of the supports of an assembly.

use super::assembly::Assembly;
use super::unknowns::UNKNOWNS;

impl Assembly<'_, '_> {
    /// The stiffnesses of the supports of own body `k` [N/m], by unknown.
    pub(super) fn supported(&self, k: usize) -> [f64; UNKNOWNS] {
        let period = self.domain.partition().grid().period();
        self.supports.stiffness(self.network.body(k), period)
    }

    /// The largest stiffness of a support on this rank against displacement [N/m], and against
    /// rotation over the radius [N/rad].
    pub(super) fn stiffest_support(&self) -> [f64; 2] {
        let own = 0..self.network.own.len();
        let own = own.filter(|_| self.supports.any());
        own.fold([0.0, 0.0], |[most, about], k| {
            let of = self.supported(k);
            let [way, turn] = [&of[..3], &of[3..]].map(|k| k.iter().copied().fold(0.0, f64::max));
            let radius = self.network.body(k).radius;
            [f64::max(most, way), f64::max(about, turn * radius)]
        })
    }
}
