//! The start of a step: how long it is, what regions do to bodies, where walls are.

use super::machine::MoreauJean;
use crate::body::Twist;
use crate::domain::Domain;
use crate::math::ExactSum;
use crate::scheme::pace::Span;
use crate::scheme::state::{Clock, State};
use crate::scheme::walls::Walls;
use crate::solver::pushed::Pushed;

/// A step that has begun.
pub(super) struct Begun<'a, 'd> {
    /// Who owns what.
    pub domain: &'a Domain<'d>,
    /// The clock at its start.
    pub clock: Clock,
    /// Its length and its end.
    pub span: Span,
    /// Energy that came with bodies at its start [J].
    pub brought: ExactSum,
    /// Walls, where they are.
    pub walls: Walls,
    /// Those that move by Newton's law.
    pub pushed: Pushed,
    /// Their velocities at the end of the step, once they are found.
    pub pushed_to: Vec<Twist>,
}

impl MoreauJean {
    /// Begins a step. Collective.
    pub(super) fn begin<'a, 'd>(&self, state: &mut State, domain: &'a Domain<'d>) -> Begun<'a, 'd> {
        let physics = &self.physics;
        let span = state.span(physics, domain);
        let period = domain.partition().grid().period();
        let brought = state.act(physics, span.end, period);
        let times = [state.clock.time, span.end];
        let walls = Walls::new(&physics.walls, &state.walls, times);
        let pushed = Pushed::new(&walls.placed, &walls.during, &physics.gravity, span.dt);
        Begun {
            domain,
            clock: state.clock,
            span,
            brought,
            walls,
            pushed,
            pushed_to: Vec::new(),
        }
    }
}
