//! The promise of the parallel scheme: the same input gives the same bits on any number of ranks and threads.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::BodyId;
use moreau::comm::threads::Serial;
use moreau::domain::Domain;
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::Scheme;
use scene::Scene;

const RANKS: [usize; 5] = [1, 2, 3, 4, 8];

/// Acceptance c, H4: falling, colliding, packing, crossing faces, edges and corners: bodies, contact impulses and what each
/// step reports are equal to the last bit on 1, 2, 3, 4, 8 ranks and with two threads. With the default sweeps and with plain ones.
#[test]
fn same_bits_on_any_number_of_ranks_and_threads() {
    let mut s = Scene::poured(8, 10, 1);
    same_bits_on_all(&s);
    s.plain_sweeps();
    same_bits_on_all(&s);
}

fn same_bits_on_all(s: &Scene) {
    let steps = 150;
    let serial = s.run_on(1, 1, steps);
    assert!(
        serial.contacts.iter().filter(|c| c.status != 0).count() > 600,
        "the packing carries no force yet"
    );
    assert!(serial.done.iter().any(|d| d.outcome.sweeps > 5));
    for ranks in RANKS {
        for threads in [1, 2] {
            if (ranks, threads) != (1, 1) && (threads == 1 || ranks <= 2) {
                let state = s.run_on(ranks, threads, steps);
                assert!(
                    state.same_bits(&serial),
                    "{ranks} ranks of {threads} threads differ from the serial run"
                );
            }
        }
    }
}

/// All that outlives a step is in the state: a scheme that has done no step goes on with it, to the last bit, as the one that
/// brought it there; with springs, couples and a wall that moves by its load.
#[test]
fn a_new_scheme_goes_on_with_a_state() {
    let mut s = Scene::poured(5, 6, 3);
    s.pair = Some(Pair {
        compliance: 1e-6,
        rolling: Arm::Reduced(0.1),
        ..Pair::coulomb(0.5)
    });
    let piston = scene::piston(0.05, 1.0);
    s.walls.push(scene::plane(0.0745, -1.0, piston));
    let domain = Domain::new(&Serial, s.partition(1));
    let (mut scheme, mut state) = s.begin(&Serial, 1);
    for _ in 0..80 {
        scheme.step(&mut state, &domain).unwrap();
    }
    assert!(state.contacts().iter().any(|c| c.status != 0));
    let mut copy = state.clone();
    let mut new = Scheme::new(s.physics(), 1).unwrap();
    for step in 80..100 {
        let [a, b] = [
            scheme.step(&mut state, &domain).unwrap(),
            new.step(&mut copy, &domain).unwrap(),
        ];
        assert_eq!(format!("{:?}", a.outcome), format!("{:?}", b.outcome));
        assert_eq!(state.clock, copy.clock);
        assert_eq!(state.bodies(), copy.bodies(), "step {step}");
        assert_eq!(state.contacts(), copy.contacts(), "step {step}");
        let walls = [&state, &copy].map(|s| format!("{:?} {:?}", s.walls, s.elastic));
        assert_eq!(walls[0], walls[1], "step {step}");
    }
}

/// The same with cuts along one axis only, and with the coarsest and finest blocks that the bodies allow.
#[test]
fn same_bits_for_any_cut() {
    for edge in [0.0125, 0.018, 0.03] {
        let mut s = Scene::poured(6, 6, 2);
        s.solver.block_edge = Some(edge);
        s.dt = 2e-4;
        let serial = s.run(60);
        for grid in [[4, 1, 1], [1, 3, 1], [1, 1, 5], [2, 2, 2], [3, 2, 1]] {
            s.ranks = Some(grid);
            let state = s.run_on(grid.iter().product(), 1, 60);
            assert!(
                state.same_bits(&serial),
                "block edge {edge}, ranks {grid:?}"
            );
        }
    }
}

/// The scheme on copies of which only the holder's counts: random packings, block sizes and rank grids, one cold and one
/// warm step, against the serial run. All that a rank does not hold is filled with NaN, which would spread at once.
#[test]
fn serial_bits_on_nan_filled_copies() {
    if cfg!(not(debug_assertions)) {
        panic!(
            "without debug assertions nothing is filled with NaN; run the tests in the dev profile"
        );
    }
    // Every second case with plain sweeps.
    for case in 0..40 {
        let mut draw = Stream::new(Purpose::Trial, 8, [case, 0, 0]);
        let side = 3 + draw.below(4) as usize;
        let mut s = Scene::new([0.0; 3], [side as f64; 3], 0.01);
        if case % 2 == 0 {
            s.plain_sweeps();
        }
        s.friction = draw.between(0.0, 1.0);
        s.solver.tolerance = 1e-3;
        s.solver.max_sweeps = 12;
        s.gravity = Vector3::new(0.0, 0.0, -1.0);
        for k in 0..side * side * side {
            let site = [k % side, k / side % side, k / side / side];
            let position = site.map(|i| i as f64 + 0.5 + draw.between(-0.1, 0.1));
            let i = s.sphere(position, draw.between(0.4, 0.5), draw.between(0.5, 2.0));
            s.bodies[i].velocity = [0; 3].map(|_| draw.between(-1.0, 1.0));
        }
        s.close();
        s.solver.block_edge = Some(draw.between(1.2, 3.0));
        let grid = [0; 3].map(|_| 1 + draw.below(3) as usize);
        s.ranks = Some(grid);
        let serial = Scene {
            ranks: None,
            ..s.clone()
        }
        .run(2);
        let state = s.run_on(grid.iter().product(), 1, 2);
        assert!(
            state.same_bits(&serial),
            "case {case}: ranks {grid:?}, block edge {:?}",
            s.solver.block_edge
        );
    }
}

/// H8: ranks without bodies, more ranks than bodies, all bodies on one rank, no bodies.
#[test]
fn h8_empty_and_lopsided_ranks() {
    let mut s = Scene::poured(6, 6, 3);
    s.bodies.truncate(3);
    let serial = s.run(40);
    assert!(
        s.run_on(8, 1, 40).same_bits(&serial),
        "more ranks than bodies"
    );

    let mut s = Scene::poured(6, 6, 3);
    for body in &mut s.bodies {
        body.position = body.position.map(|c| c * 0.9);
    }
    s.upper *= 3.0;
    s.walls.clear();
    s.close();
    let serial = s.run(40);
    for ranks in [4, 8] {
        assert!(
            s.run_on(ranks, 1, 40).same_bits(&serial),
            "all bodies in a corner, {ranks} ranks"
        );
    }

    s.bodies.clear();
    s.solver.block_edge = Some(0.05);
    for ranks in [1, 4] {
        let state = s.run_on(ranks, 1, 5);
        assert!(state.bodies.is_empty() && state.all_converged());
    }
}

/// H5: the bodies of all ranks are the bodies there were, each once, after every step; contacts likewise.
#[test]
fn h5_no_body_and_no_contact_is_lost_or_doubled() {
    let s = Scene::poured(6, 7, 4);
    for ranks in [3, 8] {
        for steps in [1, 30, 80] {
            let state = s.run_on(ranks, 1, steps);
            assert!(
                state
                    .bodies
                    .iter()
                    .map(|b| b.id.0)
                    .eq(0..s.bodies.len() as u64)
            );
            assert!(
                state.contacts.windows(2).all(|w| w[0].key < w[1].key),
                "a contact is on two ranks"
            );
        }
    }
}

/// Ids are 64 bits wide wherever they go: with ids around 2³³, that differ above the 32nd bit only or below it only, the same bits
/// as with ids from 0, on any number of ranks.
#[test]
fn ids_beyond_32_bits() {
    let s = Scene::poured(5, 6, 8);
    let far = |id: u64| ((id / 5) << 33) + id % 5;
    let plain = s.run_on(1, 1, 60);
    let mut expected = plain.clone();
    let shift = |id: &mut BodyId| {
        if *id < BodyId::FIRST_WALL {
            id.0 = far(id.0);
        }
    };
    expected.bodies.iter_mut().for_each(|b| shift(&mut b.id));
    for contact in &mut expected.contacts {
        shift(&mut contact.key.a);
        shift(&mut contact.key.b);
    }
    let mut s = s;
    s.bodies.iter_mut().for_each(|b| shift(&mut b.id));
    for ranks in [1, 2, 3, 8] {
        let state = s.run_on(ranks, 1, 60);
        assert!(state.same_bits(&expected), "{ranks} ranks");
    }
    assert!(!plain.same_bits(&expected));
}

/// H6: a sphere moving along (1, 1, 1) through the corner of eight ranks, alone and with a sphere at rest in each octant
/// that it hits on its way.
#[test]
fn h6_corner_crossing() {
    for company in [false, true] {
        let mut s = Scene::new([-8.0; 3], [8.0; 3], 0.05);
        s.solver.block_edge = Some(4.0);
        s.friction = 0.3;
        let mover = s.sphere([-3.0; 3], 1.0, 1.0);
        s.bodies[mover].velocity = [1.0; 3];
        s.bodies[mover].angular_velocity = [0.2, -0.1, 0.4];
        if company {
            for octant in 0..8 {
                let side = |bit: u32| if octant >> bit & 1 == 1 { 1.55 } else { -1.55 };
                if octant != 0 {
                    s.sphere([side(0), side(1), side(2)], 1.0, 0.5 + f64::from(octant));
                }
            }
        }
        let serial = s.run(100);
        assert_eq!(
            serial.position(0).x > 1.0,
            !company,
            "the mover crosses, or is stopped by its company"
        );
        for ranks in RANKS {
            let state = s.run_on(ranks, 1, 100);
            assert!(state.same_bits(&serial), "{ranks} ranks, company {company}");
        }
        if !company {
            assert!((serial.position(0) - Vector3::repeat(2.0)).norm() < 1e-12);
        }
    }
}

/// Acceptance f, A5: without walls and gravity, Σ m v stays within 1e-13 Σ |m v|; angular momentum changes by no more than
/// the impulses of incipient contacts acting across their gaps; energy never grows.
#[test]
fn a5_momentum_and_energy() {
    let mut s = Scene::poured(10, 10, 5);
    s.walls.clear();
    s.gravity = Vector3::zeros();
    s.lower -= Vector3::repeat(0.5);
    s.upper += Vector3::repeat(0.5);
    s.solver.tolerance = 1e-6;
    s.solver.max_sweeps = 300;
    // Towards the centre, so that they meet.
    let centre = Vector3::repeat(0.0625);
    for body in &mut s.bodies {
        let inward = (centre - Vector3::from(body.position)) * 10.0;
        (0..3).for_each(|a| body.velocity[a] += inward[a]);
    }
    let momentum = |state: &[moreau::body::BodyRow]| -> Vector3 {
        state
            .iter()
            .map(|b| Vector3::from(b.velocity) * b.mass)
            .sum()
    };
    let size: f64 = s
        .bodies
        .iter()
        .map(|b| (Vector3::from(b.velocity) * b.mass).norm())
        .sum();
    let start = momentum(&s.bodies);
    for ranks in [1, 2, 4] {
        let state = s.run_on(ranks, 1, 100);
        let lost: f64 = state.done.iter().map(|d| d.dissipated).sum();
        assert!(
            lost > 0.3 * moreau::measure::kinetic_energy(&s.bodies).value(),
            "too few collisions to mean anything"
        );
        let drift = (momentum(&state.bodies) - start).norm();
        assert!(
            drift <= 1e-13 * size,
            "{ranks} ranks: momentum drifts by {:e} of Σ|m v|",
            drift / size
        );
    }

    let energy = |rows: &[moreau::body::BodyRow]| moreau::measure::kinetic_energy(rows).value();
    let spin = |rows: &[moreau::body::BodyRow]| -> Vector3 {
        let of = |b: &moreau::body::BodyRow| {
            let inertia = moreau::shape::solid_sphere_inertia(b.mass, b.radius);
            Vector3::from(b.position).cross(&Vector3::from(b.velocity)) * b.mass
                + Vector3::from(b.angular_velocity) * inertia
        };
        rows.iter().map(of).sum()
    };
    let mut last = (energy(&s.bodies), spin(&s.bodies));
    let scale = last.0;
    for steps in 1..=40 {
        let state = s.run(steps);
        let now = (energy(&state.bodies), spin(&state.bodies));
        assert!(
            now.0 <= last.0 + 1e-12 * scale,
            "step {steps}: energy grows"
        );
        assert!(
            (last.0 - now.0 - state.done[steps as usize - 1].dissipated).abs() <= 1e-12 * scale,
            "the ledger closes"
        );
        let slack: f64 = (state.contacts.iter())
            .map(|c| {
                let (n, r) = (Vector3::from(c.normal), Vector3::from(c.impulse));
                (r - n * n.dot(&r)).norm() * c.gap.abs()
            })
            .sum();
        let moment = s
            .bodies
            .iter()
            .map(|b| b.mass * 0.06 * Vector3::from(b.velocity).norm())
            .sum::<f64>();
        assert!(
            (now.1 - last.1).norm() <= slack + 1e-12 * moment,
            "step {steps}: angular momentum"
        );
        last = now;
    }
}

/// A closed box keeps all bodies inside; a body that leaves an open domain is named, with step and place, on all ranks.
#[test]
fn a_lost_body_is_named() {
    let mut s = Scene::new([0.0; 3], [10.0; 3], 0.1);
    for k in 0..6 {
        s.sphere([1.0 + 1.5 * f64::from(k), 5.0, 5.0], 0.5, 1.0);
    }
    s.bodies[3].velocity = [0.0, 0.0, 3.0];
    for ranks in [1, 2, 4] {
        let error = s.try_run(ranks, 1, 100).unwrap_err();
        assert_eq!(error.body(), Some(BodyId(3)));
        let text = error.to_string();
        assert!(
            text.contains("step 17: body 3 has left the domain at [5.5, 5.0, 10.1"),
            "{text}"
        );
    }
}

/// Acceptance h, in the library: a velocity that is not finite ends the step with the body's id, on all ranks.
#[test]
fn a_velocity_that_is_not_finite_is_named() {
    let mut s = Scene::poured(4, 4, 6);
    for bad in [f64::NAN, f64::INFINITY] {
        for spin in [false, true] {
            let clean = s.bodies[37];
            if spin {
                s.bodies[37].angular_velocity[1] = bad;
            } else {
                s.bodies[37].velocity[1] = bad;
            }
            for ranks in [1, 2, 4] {
                let error = s.try_run(ranks, 1, 5).unwrap_err();
                let text = error.to_string();
                assert!(
                    text.contains("step 1:") && text.contains("finite"),
                    "{text}"
                );
                assert_eq!(error.body(), Some(BodyId(37)), "{text}");
            }
            s.bodies[37] = clean;
        }
    }
}

/// A body too fast for the blocks is refused, not allowed to tunnel.
#[test]
fn a_body_too_fast_for_the_blocks_is_named() {
    let mut s = Scene::poured(12, 3, 7);
    s.bodies[5].velocity[0] = 60.0;
    let error = s.try_run(2, 1, 1).unwrap_err();
    assert!(error.to_string().contains("body 5 moves 0.06"), "{error}");
}
