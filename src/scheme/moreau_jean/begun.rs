//! The start of a step: its length, the actions of regions on bodies, the positions of walls.

use super::machine::MoreauJean;
use crate::body::{CellState, Twist};
use crate::contact::ContactKey;
use crate::domain::Domain;
use crate::law::Step;
use crate::math::{ExactSum, Vector3};
use crate::scheme::pace::Span;
use crate::scheme::physics::Physics;
use crate::scheme::state::{Clock, State};
use crate::scheme::walls::Walls;
use crate::shape::Surface;
use crate::solver::blocks::{Gradient, Strain};
use crate::solver::pushed::Pushed;

/// The data of a step after its start.
pub(super) struct Begun<'a, 'd> {
    /// The division of the domain among ranks.
    pub domain: &'a Domain<'d>,
    /// The clock at its start.
    pub clock: Clock,
    /// Its length and its end.
    pub span: Span,
    /// Energy added by actions on bodies at the start of the step [J].
    pub brought: ExactSum,
    /// Energy in the springs of this rank's contacts that begin compressed [J]; see
    /// [`MoreauJean::compressed`].
    pub compressed: ExactSum,
    /// Contacts of this rank whose two sides have passed through each other in the last step.
    pub passed: Vec<ContactKey>,
    /// Walls in their positions.
    pub walls: Walls,
    /// The strain of the cell in this step, and the cell at its start and at its end.
    pub strain: Option<(Strain, [CellState; 2])>,
    /// The number of ranks among which each body is split; empty where none is.
    pub split: Vec<f64>,
    /// Where fields act, the velocity that they and gravity add to each body [m/s], for
    /// restitution.
    pub falls: Vec<f64>,
    /// Whether the plan of contacts was made anew.
    pub planned: bool,
    /// The surfaces of walls at the end of the step, as far as known before the solve.
    pub ends: Vec<Surface>,
    /// Walls that move by Newton's law.
    pub pushed: Pushed,
    /// Their velocities at the end of the step, once found.
    pub pushed_to: Vec<Twist>,
    /// Their displacements by the projection [m]; empty if there was none.
    pub pushed_by: Vec<Vector3>,
}

impl MoreauJean {
    /// Begins a step. Collective.
    pub(super) fn begin<'a, 'd>(&self, state: &mut State, domain: &'a Domain<'d>) -> Begun<'a, 'd> {
        let physics = &self.physics;
        let span = state.span(physics, domain);
        let period = domain.partition().grid().period();
        let brought = state.act(physics, span.end, period);
        let times = [state.clock.time, span.end];
        let walls = Walls::new(physics, &state.walls, times, period);
        let mut pushed = Pushed::new(&walls.placed, &walls.during, &physics.gravity, span.dt);
        let ends = walls.ends(&physics.walls, &pushed, span.dt);
        pushed.edges = self.edges(state, (domain, &walls.placed), &span);
        let both = physics.cell.as_ref().zip(state.cell);
        let strain = both.map(|(cell, now)| {
            let upper = cell.prescribed(&now.upper, times);
            let end = cell.after(&now, upper, cell.sheared(times), span.dt);
            let strain = Strain {
                before: Gradient::of(&now),
                rate: Gradient {
                    edges: end.rate + pushed.edges.before(),
                    ..Gradient::of(&end)
                },
                period: *period,
                affine: cell.affine,
            };
            (strain, [now, end])
        });
        Begun {
            ends,
            strain,
            split: Vec::new(),
            falls: Vec::new(),
            planned: false,
            domain,
            clock: state.clock,
            span,
            brought,
            compressed: ExactSum::default(),
            passed: Vec::new(),
            walls,
            pushed,
            pushed_to: Vec::new(),
            pushed_by: Vec::new(),
        }
    }
}

impl Begun<'_, '_> {
    /// The step, in the form that laws use.
    pub(super) fn law_step(&self, physics: &Physics) -> Step {
        let (clock, span) = (&self.clock, &self.span);
        Step {
            start: clock.time,
            end: span.end,
            dt: span.dt,
            rescale: span.dt / clock.dt,
            gap: physics.solver.gap,
        }
    }
}
