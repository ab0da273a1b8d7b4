//! Packings of clumps and balls.

use super::{bed, growing, piston, soft};
use crate::scene::Scene;
use crate::scene::clump::{dumbbell, tetrahedron};
use moreau::body::BodyId;
use moreau::law::bond::{Begin, Between, Four, Glue, Joint, Stiffness, Strength};
use moreau::law::{Pair, PairTable};

/// Dumbbells and four-ball clumps, turned at random, and every fourth body a ball.
pub(crate) fn clumps(pair: Pair, periodic: bool) -> Scene {
    let mut s = bed(pair, periodic);
    s.templates = vec![dumbbell(), tetrahedron()];
    for ball in std::mem::take(&mut s.bodies) {
        let k = ball.id.0 as u32;
        if k % 4 == 3 {
            s.bodies.push(ball);
            continue;
        }
        // Fewer of their balls touch than of balls of that radius.
        let i = s.clump(ball.position, 1.1 * ball.radius, k % 2);
        s.bodies[i].velocity = ball.velocity;
        s.bodies[i].turn_with(ball.angular_velocity, &s.templates.clone());
    }
    s
}

/// With springs under a piston; balls that touch balls are glued, and some of the bonds break.
pub(crate) fn glued_among_clumps() -> Scene {
    let mut s = clumps(soft(), true);
    s.walls.push(piston(0.0685));
    // They stand in columns, and their material is glued where it touches itself.
    for ball in s.bodies.iter_mut().filter(|row| row.shape == 0) {
        ball.material = 1;
    }
    s.pairs = Some(PairTable::new(2, |_, _| soft()));
    s.bonds = vec![Glue {
        between: Between::Materials([1, 1]),
        begin: Begin::Contact,
        gap: 0.0,
        stiffness: Stiffness::Given(Four {
            normal: 2e3,
            tangential: 1e3,
            bending: 0.02,
            twisting: 0.02,
        }),
        strength: Strength::Each(Four {
            normal: 0.15,
            tangential: 0.15,
            bending: 3e-4,
            twisting: 3e-4,
        }),
    }];
    s
}

/// Clumps grow until they touch, without weight.
pub(crate) fn growing_clumps() -> Scene {
    let mut s = clumps(Pair::coulomb(0.3), true);
    let balls = growing();
    (s.gravity, s.solver.gap) = (balls.gravity, balls.solver.gap);
    (s.solver.skin, s.acts) = (balls.solver.skin, balls.acts);
    s
}

/// The scenes with clumps and bonds have what they are there for.
#[test]
fn clumps_touch_and_bonds_break() {
    let counts = |s: &Scene| {
        let state = s.run(80);
        let clump = |id: BodyId| {
            state
                .bodies
                .get(id.0 as usize)
                .is_some_and(|b| b.shape != 0)
        };
        let active = state.contacts.iter().filter(|c| c.status != 0);
        let both = active.filter(|c| clump(c.key.a) && clump(c.key.b)).count();
        let whole = state.contacts.iter().filter(|c| c.state.joint.is_whole());
        let broken = (state.contacts.iter()).filter(|c| c.state.joint.glue == Joint::BROKEN);
        (both, whole.count(), broken.count())
    };
    let glued = counts(&glued_among_clumps());
    assert!(glued.0 > 20 && glued.1 > 2 && glued.2 > 2, "{glued:?}");
    assert!(counts(&growing_clumps()).0 > 20);
}
