//! The data from which the contacts of a step are made.

use super::Strain;
use super::sides::{Place, Side};
use crate::body::{Bodies, Twist, Wall, WallState};
use crate::contact::{Candidate, Partner};
use crate::law::{Laws, Step};
use crate::math::Vector3;
use crate::shape::Template;
use crate::solver::pushed::Pushed;

/// The data from which contacts are made.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// The bodies of the candidates.
    pub bodies: &'a Bodies,
    /// Their velocities before the step.
    pub twists: &'a [Twist],
    /// The walls of the candidates.
    pub walls: &'a [Wall],
    /// Positions of the walls, and their velocities in this step; for walls that move by Newton's
    /// law, those before it.
    pub states: &'a [WallState],
    /// Positions of the walls at the start of the last step, with the velocities of that step.
    pub states_before: &'a [WallState],
    /// Walls that move by Newton's law, and large bodies.
    pub pushed: &'a Pushed,
    /// The strain of a periodic cell that deforms.
    pub strain: Option<&'a Strain>,
    /// The number of ranks among which each body is split; empty if none is.
    pub split: &'a [f64],
    /// The laws of contacts.
    pub laws: &'a Laws,
    /// The shapes of clumps, by number.
    pub templates: &'a [Template],
    /// Velocity that gravity adds to a body in the step [m/s].
    pub fall: f64,
    /// Where fields act, the velocity that they and gravity add to each body [m/s].
    pub falls: &'a [f64],
    /// The step, in the form that laws use.
    pub step: Step,
    /// Seed of the run, and the step: they deal the contacts of a block to its batches.
    pub draw: (u64, u64),
}

impl Filling<'_> {
    /// The side's velocities before the step; those of a driven wall are its [`Filling::drive`].
    pub(super) fn before(&self, side: &Side) -> Twist {
        match side.at {
            Place::Body(i) => self.twists[i],
            Place::Pushed(k) => self.pushed.before(k),
            Place::Still(_) => Twist::default(),
        }
    }

    /// Velocity of the belt of a wall against the wall at a contact [m/s].
    #[inline]
    pub(super) fn runs(&self, c: &Candidate) -> Option<Vector3> {
        match c.b {
            Partner::Wall(w) => self.walls[w].runs(&self.states[w], &c.normal),
            Partner::Body(_) => None,
        }
    }

    /// Velocities of a moving driven wall, of a belt, or of a strain, at a contact.
    #[inline]
    pub(super) fn drive(&self, side: &Side, c: &Candidate) -> Option<Twist> {
        let runs = self.runs(c);
        let mut moved = match side.at {
            Place::Still(w) => Twist {
                linear: self.walls[w].velocity_at(&self.states[w], &c.point),
                angular: self.states[w].angular_velocity,
            },
            _ if self.strain.is_none() && runs.is_none() => return None,
            _ => Twist::default(),
        };
        if let Some(runs) = runs {
            moved.linear += runs;
        }
        if let Some(strain) = self.strain {
            moved.linear += strain.drives(self.bodies, c).linear;
        }
        (moved != Twist::default() || !self.pushed.edges.is_empty()).then_some(moved)
    }
}
