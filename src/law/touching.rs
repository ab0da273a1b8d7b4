//! The data of a contact at the start of a step, as laws use them.

use super::gap::GapRule;
use crate::math::{IDENTITY, Quaternion, Vector3, rotate, turned_with};

/// A contact at the end of the last step.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a, S> {
    /// Unit normal.
    pub normal: &'a [f64; 3],
    /// Impulse [N s].
    pub impulse: &'a [f64; 3],
    /// Couple impulse [N m s].
    pub couple: &'a [f64; 3],
    /// Whether the contact slid.
    pub slid: bool,
    /// The state of its law.
    pub state: &'a S,
}

impl<S> Previous<'_, S> {
    /// An impulse of the last step, turned with the normal and scaled to the length of this step.
    #[inline(always)]
    pub(super) fn kept(&self, impulse: &[f64; 3], normal: &Vector3, step: &Step) -> Vector3 {
        let (from, impulse) = (Vector3::from(*self.normal), Vector3::from(*impulse));
        turned_with(&from, normal, &impulse) * step.rescale
    }
}

/// The data of a step that laws use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// Time at its start [s].
    pub start: f64,
    /// Time at its end, which is the start of the next [s].
    pub end: f64,
    /// Its length Δt [s].
    pub dt: f64,
    /// Its length over that of the last step: a constant force gives an impulse in proportion to
    /// the length.
    pub rescale: f64,
    /// Treatment of overlaps by rigid contacts.
    pub gap: GapRule,
}

impl Step {
    /// A span of load time [s] without inertia: forces take the place of impulses.
    #[must_use]
    pub fn of_forces([start, end]: [f64; 2]) -> Self {
        Self {
            start,
            end,
            dt: 1.0,
            rescale: 1.0,
            gap: GapRule::default(),
        }
    }

    /// The rotation at an angular velocity [rad/s] over the last step.
    pub(super) fn rotation(&self, spin: &Vector3) -> Quaternion {
        rotate(IDENTITY, &(spin * (self.dt / self.rescale)))
    }
}

/// A contact at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Touching<'a, S> {
    /// Ids of the two bodies; the second may be a wall.
    pub bodies: [u64; 2],
    /// Numbers of their materials.
    pub materials: [u32; 2],
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Distance between the surfaces [m].
    pub gap: f64,
    /// Radii [m]; infinite for walls.
    pub radii: [f64; 2],
    /// Reduced masses, normal and tangential [kg].
    pub masses: [f64; 2],
    /// Velocity and angular velocity of a driven wall, or of a strain, at the contact [m/s, rad/s].
    pub drive: Option<[Vector3; 2]>,
    /// Whether that changes within the solve, as in a cell that follows a stress.
    pub stretches: bool,
    /// The contact at the end of the last step, if it existed then.
    pub previous: Option<Previous<'a, S>>,
}

/// Quantities that [`open`](super::open) computes only where a part of the law needs them.
pub trait Sides {
    /// Turning mass `I*` [kg m²], coupling β [1/(kg m)], and the bodies' inverse levers [1/m].
    /// `None` where neither body rotates.
    fn turning(&self) -> Option<([f64; 2], [f64; 2])>;
    /// Relative velocity before the step [m/s].
    fn velocity_before(&self) -> Vector3;
    /// The larger velocity that loads add to one of the two sides in the step [m/s].
    fn fall(&self) -> f64;
    /// Mean angular velocity of the two bodies in the last step [rad/s].
    fn spin_before(&self) -> Vector3;
    /// Centres of the bodies [m]; walls have none.
    fn centres(&self) -> [Option<Vector3>; 2];
}
