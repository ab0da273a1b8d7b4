//! Contacts come back as they were put in.

use super::*;
use crate::contact::Partner;
use crate::detect::{touch_of_balls, touches_of_ball_and_wall};
use crate::law::bond::Four;
use crate::rng::{Purpose, Stream};
use crate::shape::{HalfSpace, Period, Surface};

/// Radii of the bodies; further indices are walls.
const RADII: [f64; 3] = [0.7, 1.0, 1.3];

/// A contact with numbers of its own. `kinds`: the number of different coefficients; `couples`:
/// whether it has a couple.
fn contact(drawn: &mut Stream, kinds: u64, couples: bool) -> Link {
    let mut vector = || Vector3::from_fn(|_, _| drawn.between(-1.0, 1.0));
    let (normal, force, couple) = (vector(), vector(), vector());
    let pair = Neighbours {
        first: 0,
        second: 1 + drawn.between(0.0, 3.0) as u32,
    };
    let kind = drawn.between(0.0, kinds as f64).floor();
    let second = RADII.get(pair.second as usize);
    let mut link = Link {
        pair,
        partner: pair.partner(RADII.len()),
        radii: [RADII[0], second.copied().unwrap_or(f64::INFINITY)],
        elastic: Elastic {
            stiffness: Four {
                normal: 1.0 + kind,
                tangential: 0.5,
                bending: 0.0,
                twisting: 0.0,
            },
            rest: -0.0,
            friction: 0.5,
            arms: [0.0; 2],
            glued: kind == 1.0,
        },
        joint: Joint {
            glue: kind as u64 % 2,
            rest: kind * 1e-3,
        },
        normal,
        gap: drawn.between(-1.0, 1.0),
        feature: (drawn.between(-1e15, 1e15)).max(0.0) as u64,
        carried: Carried {
            force,
            couple: Vector3::zeros(),
            tried: if couples { couple } else { Vector3::zeros() },
            status: Status::Sliding,
            share: drawn.between(0.0, 1.0),
        },
        carried_before: kind == 2.0,
    };
    let pressed = link.elastic.normal(link.gap);
    link.carried.couple = (link.elastic).couple(&link.carried.tried, pressed, &normal);
    link
}

/// Contacts that are put in, then some of them changed: `then` is the number of kinds of these.
fn kept(count: usize, [first, then]: [u64; 2], couples: bool) -> Links {
    let mut drawn = Stream::new(Purpose::Trial, 1, [first, then, u64::from(couples)]);
    let mut links = Links::default();
    let mut expected = Vec::new();
    for k in 0..count {
        expected.push(contact(&mut drawn, first, couples && k % 3 == 1));
        links.push(&expected[k]);
    }
    for _ in 0..2 {
        for k in (0..count).step_by(2) {
            expected[k] = contact(&mut drawn, then, couples && k % 3 == 0);
            links.set(k, &expected[k]);
        }
    }
    assert_eq!(links.len(), count);
    for (k, link) in expected.iter().enumerate() {
        assert_eq!(links.get(k, &RADII), *link, "contact {k}");
        assert_eq!(*links.pair(k), link.pair);
    }
    links
}

#[test]
fn contacts_are_kept_whole() {
    let plain = kept(500, [3, 5], false);
    // Few coefficients are kept once, and couples of zero not at all.
    assert!(plain.kinds.len() <= 5 && plain.couples.is_empty());
    assert!(!plain.features.is_empty());
    kept(500, [3, 5], true);
    assert_eq!(kept(0, [1, 1], false).len(), 0);
    assert_eq!(size_of::<Row>(), 80);
}

#[test]
fn contacts_with_coefficients_of_their_own_do_not_take_those_of_others() {
    let count = 3 * SHARED;
    let links = kept(count, [1 << 40, 1 << 40], true);
    // Changes of a contact beyond the shared kinds take the room of its own kind.
    assert!(links.kinds.len() <= count + SHARED, "{}", links.kinds.len());
}

#[test]
fn a_contact_turns_if_its_coefficients_resist() {
    let mut drawn = Stream::new(Purpose::Trial, 1, [0; 3]);
    let mut links = Links::default();
    let mut link = contact(&mut drawn, 1, false);
    links.push(&link);
    assert!(!links.resist_turns());
    link.elastic.stiffness.twisting = 0.1;
    links.set(0, &link);
    assert!(links.resist_turns());
}

#[test]
fn the_place_of_a_contact_follows_from_its_first_body() {
    let mut drawn = Stream::new(Purpose::Trial, 1, [1; 3]);
    let mut seen = 0;
    for _ in 0..100 {
        let mut vector = || Vector3::from_fn(|_, _| drawn.between(-1.0, 1.0));
        let (x, other, normal) = (vector(), vector() * 3.0, vector().normalize());
        let plane = Surface::Plane(HalfSpace {
            point: Vector3::zeros(),
            normal,
        });
        let mut touches = vec![touch_of_balls((&x, 0.7), (&other, 1.0), &Period::default())];
        touches_of_ball_and_wall((&x, 0.7), &plane, f64::INFINITY, |touch| {
            touches.push(touch)
        });
        for touch in touches.iter().filter(|touch| touch.gap > -0.5) {
            let mut link = contact(&mut drawn, 1, false);
            (link.radii, link.partner) = ([0.7, 1.0], Partner::Body(1));
            (link.normal, link.gap) = (touch.normal, touch.gap);
            assert!((x + link.arms()[0] - touch.point).norm() < 1e-14);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}
