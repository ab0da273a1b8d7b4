//! Scenes with springs beyond the plain ones.

use super::scene::Scene;
use super::{bed, piston, soft};
use moreau::law::{Elasticity, Pair};

/// Springs with restitution and springs of rolling and torsion: with 200 N/m by a dashpot, with 500
/// N/m in the same steps by Newton's law.
pub(crate) fn damped(stiffness: f64) -> Pair {
    Pair {
        compliance: 1.0 / stiffness,
        restitution: 0.4,
        bending_stiffness: 2e-4,
        twisting_stiffness: 5e-5,
        ..soft()
    }
}

/// Hertz's and Mindlin's law with all that goes with it.
pub(crate) fn hertzian() -> Pair {
    Pair {
        compliance: 0.0,
        hertz: Elasticity::of([[1e-6, 0.3], [2e-6, 0.2]]),
        bending_stiffness: 2e-4,
        ..soft()
    }
}

/// Hertz's law with restitution: by a dashpot in slow collisions, by Newton's law in fast ones.
pub(crate) fn bouncing() -> Pair {
    Pair {
        restitution: 0.4,
        cohesion: 0.0,
        hertz: Elasticity::of([[1e-5, 0.3], [2e-5, 0.2]]),
        ..hertzian()
    }
}

/// Springs with dashpots, under a piston, periodic.
pub(crate) fn damped_under_a_piston() -> Scene {
    let mut s = bed(damped(200.0), true);
    s.walls.push(piston(0.0685));
    s
}
