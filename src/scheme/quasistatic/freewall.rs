//! Walls that forces move: each is one more unknown, so that its load is held exactly, without a
//! gain.

use crate::body::{Motion, Wall, faces};
use crate::math::Vector3;
use crate::scheme::physics::Physics;
use crate::shape::Period;

/// A wall that can move along a direction, under a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FreeWall {
    /// Its number among the walls.
    pub wall: usize,
    /// Unit direction.
    pub direction: Vector3,
    /// Its load and weight along the direction, and its pressure times its present face [N].
    pub load: f64,
    /// Its load and weight alone [N].
    constant: f64,
    /// Its pressure [Pa].
    pressure: f64,
    /// Whether it is under pressure and has no face.
    pub is_faceless: bool,
}

impl FreeWall {
    /// The free walls of a run under the loads of a time [s], in the order of their numbers.
    pub(super) fn all(physics: &Physics, time: f64) -> Vec<Self> {
        let free = physics.walls.iter().enumerate();
        let free = free.filter_map(|(wall, of)| match &of.motion {
            Motion::Free(freedom) => {
                let direction = freedom.direction?;
                let factor = freedom
                    .factor
                    .as_ref()
                    .map_or(1.0, |factor| factor.at(time));
                let weight = match freedom.gravity {
                    true => physics.gravity * freedom.mass,
                    false => Vector3::zeros(),
                };
                let constant = (weight + freedom.load * factor).dot(&direction);
                Some(Self {
                    wall,
                    direction,
                    load: constant,
                    constant,
                    pressure: freedom.pressure * factor,
                    is_faceless: false,
                })
            }
            _ => None,
        });
        free.collect()
    }

    /// The wall under the loads at the present places of all walls.
    pub(super) fn loaded(self, walls: &[Wall], period: &Period, planar: bool) -> Self {
        if self.pressure == 0.0 {
            return self;
        }
        let push = faces::push(self.pressure, &walls[self.wall], (walls, period, planar));
        Self {
            load: self.constant + push.unwrap_or_default().dot(&self.direction),
            is_faceless: push.is_none(),
            ..self
        }
    }
}
