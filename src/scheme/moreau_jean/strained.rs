//! The stress in a periodic cell that deforms, and the work of its strain.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::Bodies;
use crate::math::ExactSum;
use crate::scheme::report::OfCell;

/// The components xx, yy, zz, yz, zx, xy.
const PARTS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [2, 0], [0, 1]];

impl MoreauJean {
    /// The stress of the contacts in the step, and the work of the strain at them. Collective.
    ///
    /// `bodies` are in their places at the start of the step.
    pub(super) fn of_cell(&self, begun: &Begun, bodies: &Bodies) -> Option<OfCell> {
        let (strain, [upper, _]) = begun.strain.as_ref()?;
        let cell = self.physics.cell.as_ref()?;
        let mut sums = <[ExactSum; 7]>::default();
        for block in self.blocks.all() {
            for one in block.each() {
                let (pair, touch) = (block.pair(one.index), block.touch(one.index));
                let to = pair.partner(bodies.len());
                let branch = strain.branch(bodies, pair.first as usize, to, &touch.point);
                let r = &one.contact.impulse;
                for (sum, [i, j]) in sums.iter_mut().zip(PARTS) {
                    sum.add(0.5 * (r[i] * branch[j] + r[j] * branch[i]));
                }
                sums[6].add(-r.dot(&strain.rate.component_mul(&branch)));
            }
        }
        let [xx, yy, zz, yz, zx, xy, work] = begun.domain.sums(&sums);
        let size = cell.volume(upper) * begun.span.dt;
        Some(OfCell {
            stress: [xx, yy, zz, yz, zx, xy].map(|sum| sum / size),
            work,
        })
    }
}
