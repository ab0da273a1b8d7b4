//! A periodic cell that deforms: edges that follow a stress, stress and work of the strain.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::{Bodies, CellState, Wall};
use crate::domain::Domain;
use crate::math::ExactSum;
use crate::scheme::pace::Span;
use crate::scheme::report::OfCell;
use crate::scheme::state::State;
use crate::solver::Halo;
use crate::solver::edges::{Edges, Strained};

/// The components xx, yy, zz, yz, zx, xy.
const PARTS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [2, 0], [0, 1]];

impl MoreauJean {
    /// The edges that follow a stress, at the start of a step. Collective, if there are such.
    pub(super) fn edges(
        &self,
        state: &State,
        (domain, walls): (&Domain, &[Wall]),
        span: &Span,
    ) -> Edges {
        let period = domain.partition().grid().period();
        let both = self.physics.cell.as_ref().zip(state.cell);
        let Some((cell, now)) = both.filter(|(cell, _)| cell.holds_stress()) else {
            return Edges::default();
        };
        let mut sums = <[ExactSum; 3]>::default();
        for row in state.parcel.bodies.iter().filter(|row| row.is_free()) {
            let of_body = [row.mass, 2.0 * row.radius, 1.0];
            sums.iter_mut().zip(of_body).for_each(|(sum, x)| sum.add(x));
        }
        let [bodies, diameters, count] = domain.sums(&sums);
        if count == 0.0 {
            // Nothing could hold the edges.
            return Edges::default();
        }
        let (lengths, volume) = (
            cell.lengths_of(&now.upper),
            cell.volume(&now.upper, walls, period),
        );
        let times = [state.clock.time, span.end];
        let prescribed = cell.strains(&now.upper, &cell.prescribed(&now.upper, times)) / span.dt;
        // Rates before the step are those over the lengths at the start of the step before.
        let grown = (now.rate * state.clock.dt).add_scalar(1.0);
        let before = now.rate.component_div(&grown) - prescribed;
        let each = cell.held(span.end).into_iter().map(|held| {
            let length = held.length(&lengths);
            let layer = bodies * diameters / (count * length);
            Strained {
                direction: held.direction,
                length: length * held.direction.norm(),
                masses: [cell.mass.unwrap_or(layer), bodies],
                rate: held.direction.dot(&before) / held.direction.norm_squared(),
                force: -held.stress * volume / (length * held.direction.norm()),
            }
        });
        Edges::new(each, span.dt)
    }

    /// Sets the strain of the step to that of the edges after the solve. Collective.
    pub(super) fn stretch<H: Halo>(&mut self, begun: &mut Begun, halo: &H) {
        let edges = &begun.pushed.edges;
        let cell = self.physics.cell.as_ref();
        if let (false, Some(cell), Some((strain, [now, end]))) =
            (edges.is_empty(), cell, begun.strain.as_mut())
        {
            let rates = edges.rates(&mut self.blocks, halo);
            strain.rate.edges = strain.rate.edges - edges.before() + rates;
            let dt = begun.span.dt;
            let upper = end.upper + rates.component_mul(&cell.lengths_of(&now.upper)) * dt;
            *end = CellState {
                rate: strain.rate.edges,
                ..cell.after(now, upper, end.sheared - now.sheared, dt)
            };
        }
    }

    /// The stress of the contacts in the step, and the work of the strain at them. Collective.
    ///
    /// `bodies` are in their places at the start of the step.
    pub(super) fn of_cell(&self, begun: &Begun, bodies: &Bodies) -> Option<OfCell> {
        let (strain, [now, _]) = begun.strain.as_ref()?;
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
                let strained = strain.strained(bodies, pair.first as usize, to, &touch.point);
                sums[6].add(-r.dot(&strain.rate.times(&strained)));
            }
        }
        let [xx, yy, zz, yz, zx, xy, work] = begun.domain.sums(&sums);
        let walls = &begun.walls.placed;
        let size = cell.volume(&now.upper, walls, &strain.period) * begun.span.dt;
        Some(OfCell {
            stress: [xx, yy, zz, yz, zx, xy].map(|sum| sum / size),
            work,
        })
    }
}
