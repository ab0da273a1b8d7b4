//! Linear and angular momentum of a scene.

use super::{Scene, State};
use moreau::body::{BodyRow, Freedom, Motion, Turning, WallState, rotation};
use moreau::math::{Vector3, product};

/// Linear momentum, and angular momentum about the origin, of balls and clumps.
pub fn of_bodies(bodies: &[BodyRow]) -> [Vector3; 2] {
    let mut sums = [Vector3::zeros(); 2];
    for row in bodies {
        let p = Vector3::from(row.velocity) * row.mass;
        let own = match row.shape {
            0 => Vector3::from(row.angular_velocity) * row.inertia,
            _ => Vector3::from(row.angular_momentum),
        };
        sums[0] += p;
        sums[1] += Vector3::from(row.position).cross(&p) + own;
    }
    sums
}

/// The same of all bodies and a free part.
pub fn momentum(s: &Scene, state: &State, wall: usize) -> [Vector3; 2] {
    let mut sums = of_bodies(&state.bodies);
    let (part, now) = (&s.walls[wall], &state.walls[wall]);
    let Motion::Free(free) = &part.motion else {
        unreachable!()
    };
    let p = now.velocity * free.mass;
    sums[0] += p;
    sums[1] += part.place_now(now).cross(&p) + own_momentum(free, now);
    sums
}

/// Angular momentum of a part about its centre.
pub fn own_momentum(free: &Freedom, now: &WallState) -> Vector3 {
    let Some(Turning::Free { moments, axes }) = free.turning else {
        return Vector3::zeros();
    };
    rotation::angular_momentum(
        product(now.orientation, axes),
        moments,
        &now.angular_velocity,
    )
}
