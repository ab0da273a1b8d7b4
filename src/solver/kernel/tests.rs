use super::*;
use crate::contact::Contact;
use crate::law::bond::{Bond, Limits};
use crate::law::{Cohesion, Couples, Damper, Drive, Hertz, Parameters, Pivot, Springs};
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use crate::solver::batch::{Dealt, Former};
use crate::solver::shared::Shared;
use crate::solver::soon::{Next, Soon};
use std::io::Write;

/// A block of contacts between random bodies, some immovable, with all kinds of laws.
pub(in crate::solver) fn random_block(
    draw: &mut Stream,
    contacts: usize,
) -> (Batches, Vec<Member>, Vec<u32>) {
    let bodies = 2 + draw.below(60) as usize;
    let vector =
        |draw: &mut Stream, size: f64| Vector3::from([0; 3].map(|_| draw.between(-size, size)));
    let mut members: Vec<Member> = (0..bodies)
        .map(|_| {
            let moves = f64::from(draw.below(8).min(1));
            let twist = crate::body::Twist {
                linear: vector(draw, 1.0),
                angular: vector(draw, 1.0),
            };
            let response = (
                moves * draw.between(0.5, 2.0),
                moves * draw.between(0.5, 2.0),
            );
            Member::new(&twist, draw.between(0.5, 1.5), response)
        })
        .collect();
    members.push(Member::STILL);
    let whole: Vec<(Contact, Parts<f64>)> = (0..contacts)
        .map(|_| {
            let a = draw.below(bodies as u32);
            let b = (a + 1 + draw.below(bodies as u32)) % (bodies as u32 + 1);
            let mut contact = Contact {
                place: [a, b],
                law: Parameters {
                    normal: vector(draw, 1.0).normalize(),
                    closing_speed: draw.between(-0.2, 0.5),
                    normal_mass: draw.between(0.2, 1.0),
                    tangential_mass: draw.between(0.1, 0.3),
                    friction: draw.unit(),
                },
                impulse: vector(draw, 1.0) * f64::from(draw.below(2)),
                couple: Vector3::zeros(),
            };
            let parts = match draw.below(4) {
                0 | 1 => Parts::NONE,
                2 => Parts {
                    springs: Some(Springs {
                        softness: [draw.unit(), draw.unit()],
                        previous: vector(draw, 0.1).into(),
                    }),
                    ..Parts::NONE
                },
                _ => {
                    let mut has = || draw.below(2) == 0;
                    let (soft, sticky, driven, turns, equal) = (has(), has(), has(), has(), has());
                    let springs = Springs {
                        softness: [0.4 * draw.unit(), 0.8 * draw.unit()],
                        previous: vector(draw, 0.1).into(),
                    };
                    let couples = Couples {
                        rolling: draw.unit() * f64::from(draw.below(4).min(1)),
                        torsion: draw.unit() * f64::from(draw.below(4).min(1)),
                        turning_mass: draw.between(0.1, 0.3),
                        coupling: draw.between(-0.9, 0.9) * f64::from(u8::from(!equal)),
                        inverse_lever: [draw.between(0.7, 2.0), draw.between(0.7, 2.0)],
                    };
                    if turns {
                        contact.couple = vector(draw, 0.1);
                    }
                    let cohesion = Cohesion {
                        force: 0.5 * draw.unit(),
                        weakened: f64::from(draw.below(2)),
                    };
                    let glued = draw.below(4) == 0;
                    let bond = Bond {
                        pivot: Pivot {
                            softness: [draw.unit(), draw.unit()],
                            previous: vector(draw, 0.1).into(),
                        },
                        limits: Limits {
                            alone: [draw.between(0.02, 1.0); 4],
                            rule: f64::from(draw.below(3)),
                            added: [draw.unit(), draw.unit()],
                        },
                        prestress: 0.0,
                    };
                    if glued {
                        contact.couple = vector(draw, 0.1);
                    }
                    let drive = Drive {
                        velocity: vector(draw, 0.1).into(),
                        spin: vector(draw, 0.1).into(),
                    };
                    let damper = Damper {
                        share: draw.unit(),
                        held: draw.unit(),
                        softness: draw.unit(),
                    };
                    let pivot = Pivot {
                        softness: [draw.unit(), draw.unit()],
                        previous: vector(draw, 0.1).into(),
                    };
                    let hertz = Hertz {
                        normal: draw.between(0.1, 9.0),
                        tangential: draw.between(0.1, 9.0),
                        previous: vector(draw, 0.1).into(),
                        before: draw.unit(),
                    };
                    let curved = draw.below(2) == 0;
                    let (damped, pivots) = (draw.below(2) == 0, draw.below(2) == 0);
                    Parts {
                        hertz: (curved && !soft && !glued).then_some(hertz),
                        damper: ((soft || curved) && damped && !glued).then_some(damper),
                        pivot: (turns && pivots && !glued).then_some(pivot),
                        springs: (soft || glued).then_some(springs),
                        couples: (turns || glued).then_some(couples),
                        cohesion: sticky.then_some(cohesion),
                        drive: driven.then_some(drive),
                        bond: glued.then_some(bond),
                    }
                }
            };
            (contact, parts)
        })
        .collect();
    let mut order: Vec<u32> = (0..contacts as u32).collect();
    draw.shuffle(&mut order);
    let mut dealt = Dealt::default();
    whole
        .into_iter()
        .for_each(|(contact, parts)| dealt.add(contact, &parts));
    let mut batches = Batches::default();
    Former::default().form(&mut batches, &dealt, &order, &members);
    (batches, members, order)
}

/// The distinct register widths of this processor, the narrowest first; missing ones are printed.
///
/// The processor itself is asked, so that no width it reports is left out.
pub(in crate::solver) fn widths() -> Vec<Width> {
    let all = [(Width::One, 1), (Width::Four, 4), (Width::Widest, 8)];
    let mut found: Vec<Width> = Vec::new();
    for (width, lanes) in all {
        if found.iter().all(|w| w.told() != width.told()) {
            found.push(width);
        } else {
            // Write past the test harness, which hides the output of passing tests.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: {lanes} lanes ({width:?}): this processor has no such registers"
            );
        }
    }
    #[cfg(target_arch = "x86_64")]
    {
        let lanes: Vec<usize> = found.iter().map(|w| w.told().1).collect();
        let four = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let eight = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        assert!(!four || lanes.contains(&4), "AVX2 is here: {lanes:?}");
        assert!(!eight || lanes.contains(&8), "AVX-512 is here: {lanes:?}");
    }
    found
}

/// A movable body is at most once in a batch, and every contact has one slot.
///
/// Contacts are read back unchanged.
#[test]
fn batches_hold_every_contact_once_and_no_body_twice() {
    for trial in 0..200 {
        let mut draw = Stream::new(Purpose::Trial, 31, [trial, 0, 0]);
        let contacts = draw.below(400) as usize;
        let (batches, members, _) = random_block(&mut draw, contacts);
        let mut slots = batches.slots().to_vec();
        assert_eq!(slots.len(), contacts);
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), contacts);
        for batch in &batches.all {
            let mut seen = std::collections::BTreeSet::new();
            for place in batch.place.iter().flatten() {
                let moves = members[*place as usize].moves();
                assert!(!moves || seen.insert(*place), "trial {trial}");
            }
        }
        let filled = batches.len() * LANES;
        assert!(slots.iter().all(|s| (*s as usize) < filled));
    }
}

/// The fast kernel finds the bits of the plain one with any registers, sweep after sweep.
#[test]
fn all_kernels_find_the_same_bits() {
    let widths = widths();
    let (mut seen, mut plain_batches) = ([0usize; Kind::PARTS.len()], 0);
    for trial in 0..100 {
        let mut draw = Stream::new(Purpose::Trial, 32, [trial, 0, 0]);
        let contacts = draw.below(300) as usize;
        let (batches, members, _) = random_block(&mut draw, contacts);
        let mut order: Vec<u32> = (0..batches.len() as u32).collect();
        let mut plain = (batches.clone(), members.clone());
        let mut fast = vec![(batches.clone(), members.clone()); widths.len()];
        for _ in 0..5 {
            draw.shuffle(&mut order);
            let change = plain_sweep(&mut plain.0, &order, &mut plain.1);
            for (&width, (batches, members)) in widths.iter().zip(&mut fast) {
                let its = sweep(width, batches, &order, members);
                assert_eq!(its.to_bits(), change.to_bits(), "trial {trial}, {width:?}");
                let bits = |m: &[Member]| -> Vec<u64> {
                    m.iter().flat_map(|m| m.0.map(f64::to_bits)).collect()
                };
                assert_eq!(bits(members), bits(&plain.1), "trial {trial}, {width:?}");
                for &slot in batches.slots() {
                    let (one, other) = (batches.contact(slot), plain.0.contact(slot));
                    assert_eq!(one, other);
                }
            }
        }
        for k in 0..batches.len() {
            let kind = batches.places(k).kind;
            for (n, part) in seen.iter_mut().zip(Kind::PARTS) {
                *n += usize::from(kind.has(part));
            }
            plain_batches += usize::from(kind == Kind::PLAIN);
        }
    }
    assert!(seen.iter().all(|n| *n > 200), "{seen:?}");
    assert!(plain_batches > 200, "{plain_batches}");
}

/// Two blocks at once give the same as one after the other, even with different numbers of batches.
#[test]
fn two_blocks_at_once_are_as_each_by_itself() {
    let widths = widths();
    for trial in 0..60 {
        let mut draw = Stream::new(Purpose::Trial, 34, [trial, 0, 0]);
        let mut blocks = [0; 2].map(|_| {
            let contacts = draw.below(300) as usize;
            let (batches, mut members, _) = random_block(&mut draw, contacts);
            members.resize(Batches::SMALL, Member::STILL);
            let mut order: Vec<u32> = (0..batches.len() as u32).collect();
            draw.shuffle(&mut order);
            (batches, members, order)
        });
        for &width in &widths {
            let mut alone = blocks.clone();
            let changes = alone
                .each_mut()
                .map(|(batches, members, order)| sweep(width, batches, order, members));
            // The next blocks are as many, or fewer, or none.
            let (batches, mut all) = (blocks[0].0.all.clone(), blocks[0].1.clone());
            let bodies: Vec<u32> = (0..all.len() as u32).collect();
            let members = &Shared::new(&mut all);
            let next = |n: u64| {
                (trial % (n + 1) > 0).then_some(Next {
                    batches: &batches,
                    bodies: &bodies,
                    members,
                })
            };
            let soon = Soon::of([next(2), next(1)]);
            let [(b0, m0, o0), (b1, m1, o1)] = &mut blocks;
            let together = sweep_two(width, [b0, b1], [&*o0, &*o1], [m0, m1], &soon);
            assert_eq!(together.map(f64::to_bits), changes.map(f64::to_bits));
            for (one, other) in blocks.iter().zip(&alone) {
                assert_eq!(one.1, other.1, "trial {trial}, {width:?}");
                let impulses = |b: &Batches| -> Vec<Vector3> {
                    b.slots().iter().map(|s| b.contact(*s).impulse).collect()
                };
                assert_eq!(impulses(&one.0), impulses(&other.0));
            }
        }
    }
}

/// A warm start equals the application of all impulses one by one.
#[test]
fn a_warm_start_is_the_sum_of_all_impulses() {
    for width in widths() {
        let mut draw = Stream::new(Purpose::Trial, 35, [0; 3]);
        let (batches, members, _) = random_block(&mut draw, 200);
        let (mut one, mut other) = (members.clone(), members.clone());
        warm_start(width, &batches, &mut one);
        for slot in 0..(batches.len() * LANES) as u32 {
            let contact = batches.contact(slot);
            contact.apply(&contact.impulse, &mut other);
            if let Some(couples) = batches.parts(slot).couples {
                contact.apply_couple(&contact.couple, couples.inverse_lever, &mut other);
            }
        }
        assert_eq!(one, other, "{width:?}");
        assert_ne!(one, members);
    }
}

/// A NaN at any place stays a NaN.
#[test]
fn a_nan_stays_a_nan() {
    for width in widths() {
        let mut draw = Stream::new(Purpose::Trial, 33, [0; 3]);
        let (mut batches, mut members, order) = random_block(&mut draw, 40);
        let order: Vec<u32> = order
            .into_iter()
            .filter(|k| (*k as usize) < batches.len())
            .collect();
        let place = batches.contact(batches.slots()[0]).place[0];
        members[place as usize].0[1] = f64::NAN;
        assert!(sweep(width, &mut batches, &order, &mut members).is_nan());
    }
}
