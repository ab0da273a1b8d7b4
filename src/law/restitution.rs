//! Newton's restitution, as Moreau uses it: the velocity before the step returns with the opposite
//! sign.
//!
//! A contact with restitution acts in a step only if the velocities before the step close its gap
//! within it. It then ends the step with `u_n = −e u_n,before` and, where it sticks, with `u_t =
//! −e_t u_t,before`. A contact that these velocities do not close is left alone, even if another
//! collision pushes the two bodies together within the step: they overlap by about the way of one
//! step, and bounce in the next. Held at a closed gap, they would collide without restitution.
//!
//! Contacts that overlap by more than [`DEPTH`] of their ways in a step are not left alone: several
//! pushes would add up in a dense flow.
//!
//! A contact at rest is never left alone: it keeps the rule of rigid contacts, or a packing would
//! lose its forces from step to step. A contact is at rest if its normal velocity is small, for the
//! velocity that loads add within the step or for the impulse that it carried in the last step. A
//! collision that reaches such a contact through other contacts ends without rebound there;
//! `honoured` is the impulse beyond which this is counted.
//!
//! Loads are those on the two sides: gravity, fields, the load and the motion of a wall. A contact
//! inside a packing that a piston presses may collide in every second step. Its mean force is
//! right; the projection of positions takes back the overlaps that such steps leave.

use super::pair::Pair;
use crate::math::Vector3;

/// The largest normal velocity of a contact at rest.
///
/// In units of the velocity that loads add in a step.
const SLOW: f64 = 3.0;

/// The largest gap of a contact at rest that carried no impulse in the last step.
///
/// In units of the way at the velocity that loads add in a step.
const NEAR: f64 = 1.0;

/// The largest normal velocity of a contact at rest that carried an impulse in the last step.
///
/// In units of this impulse over the contact's mass. A contact that has just bounced has at least
/// `e/(1 + e)` times this unit.
const HELD: f64 = 0.1;

/// The largest overlap of a contact that may be left alone, in ways of its own in a step.
const DEPTH: f64 = 3.0;

/// The overlap of a closed contact that may be left alone at any velocity, in smaller radii.
const CLOSED: f64 = 0.02;

/// Growth of a normal impulse within a step, as a factor, that does not count as a collision.
const GROWTH: f64 = 2.0;

/// A normal velocity out of reach [m/s]: a contact that must close at it takes no impulse.
pub(super) const OUT_OF_REACH: f64 = 1e30;

/// A rigid contact with restitution at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    /// Relative velocity before the step [m/s], with its normal component.
    pub velocity: Vector3,
    /// Unit normal from the first body to the second.
    pub normal: Vector3,
    /// Distance between the surfaces [m].
    pub gap: f64,
    /// Length of the step [s].
    pub dt: f64,
    /// Normal impulse of the last step, scaled to the length of this step [N s].
    pub impulse: f64,
    /// Reduced normal mass [kg].
    pub mass: f64,
    /// Radius of the smaller body [m].
    pub radius: f64,
    /// The larger velocity that loads add to one of the two sides in the step [m/s].
    pub fall: f64,
}

/// The answer of a pair to an approach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rebound {
    /// The contact collides.
    Collides(Collision),
    /// It is left alone.
    LeftAlone,
    /// It is at rest.
    Rests {
        /// The largest normal impulse that is not a collision [N s].
        honoured: f64,
    },
}

/// A collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Collision {
    /// `b_n` [m/s].
    pub closing_speed: f64,
    /// Added to the relative velocity [m/s].
    pub shift: Vector3,
    /// The largest normal impulse that honours the pair's restitution [N s].
    pub honoured: f64,
}

impl Rebound {
    /// The answer of a pair with restitution.
    pub(super) fn of(pair: &Pair, at: &Approach) -> Self {
        let u_n = at.velocity.dot(&at.normal);
        let carried = at.impulse > 0.0;
        let slow = at.fall > 0.0 && u_n.abs() <= SLOW * at.fall;
        let held = carried && u_n.abs() <= HELD * at.impulse / at.mass;
        let touches = carried || at.gap <= NEAR * at.fall * at.dt;
        let rests = slow && touches || held;
        let usual = GROWTH * at.impulse.max(at.mass * SLOW * at.fall);
        let honoured = match rests && pair.restitution != 0.0 {
            true => usual,
            false => f64::INFINITY,
        };
        if u_n < 0.0 && at.gap + u_n * at.dt <= 0.0 {
            let tangential = at.velocity - at.normal * u_n;
            return Self::Collides(Collision {
                closing_speed: pair.restitution * u_n,
                shift: tangential * pair.tangential_restitution,
                honoured,
            });
        }
        let fresh = at.gap > -(DEPTH * u_n.abs() * at.dt + CLOSED * at.radius);
        match rests || !fresh || pair.restitution == 0.0 {
            true => Self::Rests { honoured: usual },
            false => Self::LeftAlone,
        }
    }
}
