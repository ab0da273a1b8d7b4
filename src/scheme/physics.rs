//! What does not change during a run.

use super::acts::Acts;
use super::pace::Pace;
use crate::body::Wall;
use crate::law::Laws;
use crate::math::Vector3;
use crate::shape::Template;
use crate::solver::Settings;

/// What does not change during a run.
#[derive(Clone, Debug)]
pub struct Physics {
    /// How long steps are.
    pub pace: Pace,
    /// Time at which a run ends whose steps follow a rule, so that its last step ends there [s].
    pub until: Option<f64>,
    /// Gravity [m/s²].
    pub gravity: Vector3,
    /// The laws of contacts.
    pub laws: Laws,
    /// The forms of clumps, by number.
    pub templates: Vec<Template>,
    /// Walls by number, as they were at time zero.
    pub walls: Vec<Wall>,
    /// The solver's settings.
    pub solver: Settings,
    /// Largest radius of all bodies on all ranks [m].
    pub largest_radius: f64,
    /// Distance below which bodies are candidates for a contact even at rest [m]; at least the longest range of cohesion.
    pub skin: f64,
    /// Whether a body that leaves the domain is deleted; else it ends the run.
    pub delete_outside: bool,
    /// What regions do.
    pub acts: Acts,
}

impl Physics {
    /// Acceleration of a free body by gravity and fields [m/s²], at `x` [m] with mass `m` [kg], at a time [s].
    #[must_use]
    #[inline]
    pub fn acceleration(&self, x: &Vector3, mass: f64, time: f64) -> Vector3 {
        if self.acts.fields.is_empty() {
            return self.gravity;
        }
        self.gravity + self.acts.acceleration(x, mass, time)
    }
}
