//! Walls that forces move: each is one more unknown, so that its load is held exactly, without a
//! gain.

use crate::body::Motion;
use crate::math::Vector3;
use crate::scheme::physics::Physics;

/// A wall that can move along a direction, under a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FreeWall {
    /// Its number among the walls.
    pub wall: usize,
    /// Unit direction.
    pub direction: Vector3,
    /// Its load and weight along the direction [N].
    pub load: f64,
}

impl FreeWall {
    /// The free walls of a run, in the order of their numbers.
    pub(super) fn all(physics: &Physics) -> Vec<Self> {
        let free = physics.walls.iter().enumerate();
        let free = free.filter_map(|(wall, of)| match &of.motion {
            Motion::Free(freedom) => {
                let direction = freedom.direction?;
                let force = freedom.acceleration(&physics.gravity) * freedom.mass;
                Some(Self {
                    wall,
                    direction,
                    load: force.dot(&direction),
                })
            }
            _ => None,
        });
        free.collect()
    }
}
