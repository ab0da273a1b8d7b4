//! The force of a contact that closes.

use super::*;
use crate::body::BodyId;
use crate::detect::touch_of_balls;
use crate::law::bond::Four;
use crate::shape::Period;

/// Radius of both balls.
const R: f64 = 1.0;

const STIFFNESS: Four = Four {
    normal: 1.0,
    tangential: 0.5,
    bending: 0.3,
    twisting: 0.2,
};

fn touch(centres: &[Vector3; 2]) -> Touch {
    touch_of_balls((&centres[0], R), (&centres[1], R), &Period::default())
}

/// An open contact of two balls along x with this gap.
fn open(gap: f64, friction: f64) -> (Link, [Vector3; 2]) {
    let centres = [Vector3::zeros(), Vector3::x() * (2.0 * R + gap)];
    let link = Link {
        pair: Neighbours {
            first: 0,
            second: 1,
        },
        partner: Partner::Body(1),
        radii: [R; 2],
        elastic: Elastic {
            stiffness: STIFFNESS,
            rest: 0.0,
            friction,
            arms: [1e3; 2],
            glued: false,
        },
        joint: Joint::default(),
        normal: touch(&centres).normal,
        gap: touch(&centres).gap,
        feature: 0,
        carried: Carried::default(),
        carried_before: false,
    };
    (link, centres)
}

/// A contact key of two bodies.
const KEY: ContactKey = ContactKey {
    a: BodyId(0),
    b: BodyId(1),
    feature: 0,
};

/// The contact after a motion of the second ball.
fn after(friction: f64, slips: bool, shares: &[f64]) -> Link {
    let (gap, shift) = (1e-6, motion());
    let (mut link, mut centres) = open(gap, friction);
    for share in shares {
        let part = Shift {
            way: shift.way * *share,
            turn: shift.turn * *share,
        };
        centres[1] += part.way;
        link.follow(
            |link| link.motion_of_side(1, &part),
            &touch(&centres),
            slips,
        );
    }
    link
}

/// It closes a gap of 1e-6 at a quarter of its way, slips by 2e-6 along y, rolls and twists.
fn motion() -> Shift {
    Shift {
        way: Vector3::new(-4e-6, 2e-6, 0.0),
        turn: Vector3::new(3e-6, 0.0, 1e-6),
    }
}

/// Three quarters of the motion come after the closing: slip, rolling and twist count so much.
#[test]
fn a_contact_that_closes_slips_from_there_on() {
    let link = after(1e6, true, &[1.0]);
    // The second ball slips by its way, and by its rotation times its radius.
    let slip = 0.75 * (2e-6 - R * 1e-6);
    let off = |found: f64, expected: f64| (found / expected - 1.0).abs();
    let force = link.carried.force;
    assert!(off(force.x, 3e-6) < 1e-4, "{force}");
    assert!(off(force.y, -0.5 * slip) < 1e-4, "{force}");
    let couple = link.carried.couple;
    assert!(off(couple.x, -0.2 * 0.75 * 3e-6) < 1e-4, "{couple}");
    assert!(off(couple.z, -0.3 * 0.75 * 1e-6) < 1e-4, "{couple}");
    assert_eq!(link.carried.status, Status::Sticking);
    // The same in two motions, the first of which brings the balls to touch.
    let parts = after(1e6, true, &[0.25, 0.75]);
    assert!((parts.carried.force - force).norm() < 1e-4 * force.norm());
    assert!((parts.carried.couple - couple).norm() < 1e-4 * couple.norm());
}

/// Little friction lets it slide at once. With the rule of the seed it first sticks without force.
#[test]
fn a_contact_that_closes_may_slide_at_once() {
    let across = |link: &Link| {
        let n = link.normal;
        link.carried.force - n * link.carried.force.dot(&n)
    };
    let link = after(0.01, true, &[1.0]);
    let friction = -0.01 * 3e-6;
    assert!((across(&link).y / friction - 1.0).abs() < 1e-5);
    assert_eq!(link.carried.status, Status::Sliding);
    let link = after(0.01, false, &[1.0]);
    assert!(across(&link).norm() < 1e-15 && link.carried.couple == Vector3::zeros());
    assert_eq!(link.carried.status, Status::Sticking);
}

/// Within an increment couples follow from its whole rotation, also through a record. The next
/// increment goes on from the couples within their limits.
#[test]
fn couples_follow_from_the_rotation_of_an_increment() {
    let (mut link, centres) = open(-1e-6, 0.01);
    link.elastic.arms = [0.01, 0.1];
    link.begin();
    let turn = |link: &mut Link, turn: Vector3| {
        let part = Shift {
            way: Vector3::zeros(),
            turn,
        };
        link.follow(|link| link.motion_of_side(1, &part), &touch(&centres), true);
        link.carried.couple
    };
    let is = |found: Vector3, x: f64, z: f64| {
        let off = (found - Vector3::new(x, 0.0, z)).norm();
        assert!(off < 1e-5 * 1e-7, "{found}, not {x} {z}");
    };
    // x is the normal: it twists by x, and rolls by z. Springs would give 2e-7 and 3e-7.
    is(turn(&mut link, Vector3::x() * 1e-6), -1e-7, 0.0);
    is(turn(&mut link, Vector3::z() * 1e-6), -1e-7, -1e-8);
    let tangent = link.tangent(true).stiffness;
    assert_eq!([tangent.twisting, tangent.bending], [0.0; 2]);

    let of_record = |link: &Link, anew: bool| {
        let row = link.row((KEY, Vector3::zeros()), 0.5);
        let mut again = *link;
        again.carried = Carried::default();
        again.take(&row, 0.5, anew);
        again
    };
    // Within the increment it must twist back by half of its way to come below the limit.
    let mut same = of_record(&link, false);
    is(same.carried.couple, -1e-7, -1e-8);
    is(turn(&mut same, Vector3::x() * -0.4e-6), -1e-7, -1e-8);
    is(turn(&mut same, Vector3::x() * -0.35e-6), -0.5e-7, -1e-8);
    // In the next increment all of it counts.
    let mut next = of_record(&link, true);
    let tangent = next.tangent(true).stiffness;
    assert_eq!([tangent.twisting, tangent.bending], [0.2, 0.3]);
    is(turn(&mut next, Vector3::x() * -1e-7), -0.8e-7, -1e-8);
    is(turn(&mut next, Vector3::z() * -1e-7), -0.8e-7, 1e-8);
}
