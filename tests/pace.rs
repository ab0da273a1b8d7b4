//! Steps whose length follows from the motion: what they leave as it is, and that they are the same on any ranks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::{BodyId, Drive, Motion, Servo, Signal};
use moreau::comm::threads::Serial;
use moreau::domain::Domain;
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::measure;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::pace::Rule;
use moreau::shape::Period;
use scene::{Scene, State, lift, plane, record};

const RANKS: [usize; 5] = [1, 2, 3, 4, 8];

fn rule(at_least: f64, at_most: f64, length: f64) -> Rule {
    Rule {
        at_most,
        at_least,
        travel: 0.1,
        growth: 1.3,
        length: Some(length),
    }
}

fn lengths(state: &State) -> Vec<f64> {
    state.done.iter().map(|d| d.dt).collect()
}

/// A ball that falls: each step is the one in which it goes a tenth of its radius, gravity's part included, and it is where the
/// integrator's sum `Σ v_k Δt_k`, `v_k = v_{k−1} − g Δt_k`, says, to the last bit; the time is `Σ Δt_k`.
#[test]
fn free_fall_is_the_integrators_sum_to_the_bit() {
    let mut s = Scene::new([-1.0, -1.0, 0.0], [1.0, 1.0, 40.0], 0.0);
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.sphere([0.0, 0.0, 38.0], 0.5, 1.0);
    s.rule = Some(rule(1e-4, 0.08, 0.5));
    let state = s.run(500);
    let (mut z, mut v, mut time, mut shrunk) = (38.0, 0.0, 0.0, 0);
    for (k, dt) in lengths(&state).into_iter().enumerate() {
        assert!(!state.done[k].rushed);
        v += -9.81 * dt;
        z += v * dt;
        time += dt;
        let way = -v * dt / 0.05;
        assert!(way <= 1.0 + 1e-13, "step {k} goes {way} of its way");
        shrunk += u32::from((way - 1.0).abs() < 1e-13);
    }
    assert_eq!((z, v), (state.position(0).z, state.velocity(0).z));
    assert_eq!(time, state.clock.0);
    assert!(shrunk > 400, "{shrunk} steps at the limit");
    let end = (lengths(&state)[499], state.velocity(0).z);
    assert!(end.0 < 0.25 * 0.08 && end.1 < -20.0, "{end:?}");
}

/// A collision takes two steps [001 §1.3]: in the first the gap is closed, in the second the velocity is gone, though the second
/// step is longer than the first.
#[test]
fn a_collision_takes_two_steps_of_whatever_length() {
    for part in [0.1, 0.5, 0.9] {
        let mut s = Scene::new([-2.0; 3], [2.0; 3], 0.0);
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        // At 1 m/s a step goes a tenth of the radius, 0.1 m.
        s.sphere([0.0, 0.0, 1.0 + 0.1 * part], 1.0, 1.0);
        s.bodies[0].velocity = [0.0, 0.0, -1.0];
        s.rule = Some(rule(1e-3, 1.0, 1.0));
        let first = s.run(1);
        assert_eq!(lengths(&first), [0.1]);
        assert!((first.position(0).z - 1.0).abs() < 1e-15);
        assert!(
            (first.velocity(0).z + part).abs() < 1e-14,
            "{}",
            first.velocity(0).z
        );
        let second = s.run(2);
        let ratio = second.done[1].dt / 0.1;
        assert!((ratio - f64::min(1.3, 1.0 / part)).abs() < 1e-12, "{ratio}");
        assert!(second.velocity(0).norm() < 1e-15 && (second.position(0).z - 1.0).abs() < 1e-15);
    }
}

/// A lid far above all bodies that stands, is gone up with at 5 m/s for a while, and stands again: steps of a scene of radius 1
/// shrink at once from `long` to 0.02 s and grow again.
fn hurry(s: &mut Scene, start: f64, long: f64) {
    let signal = Signal::Table {
        times: [start, start + 0.1].into(),
        values: [0.0, 0.5].into(),
        rates: false,
    };
    let top = s.upper.z - 2.0;
    s.walls.push(plane(top, -1.0, lift(signal)));
    s.solver.block_edge = Some(5.0);
    s.rule = Some(rule(0.005, long, 1.0));
}

/// Whether steps have jumped down by a factor of two and more, and have grown after that.
fn has_jumped(state: &State) {
    let dt = lengths(state);
    let down = dt.windows(2).filter(|p| p[1] <= 0.5 * p[0]).count();
    let up = dt.windows(2).filter(|p| p[1] > 1.2 * p[0]).count();
    assert!(down >= 1 && up >= 3, "{dt:?}");
}

fn column(n: usize, pair: Pair) -> Scene {
    let mut s = Scene::new([-2.0, -2.0, -1.0], [2.0, 2.0, 2.0 * n as f64 + 6.0], 0.0);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    for k in 0..n {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * k as f64], 1.0, 1.0);
    }
    s.pair = Some(pair);
    s
}

/// What rests stays at rest while steps jump from 0.05 s to 0.02 s and grow back: the forces of the last step, not its impulses, are
/// what the sweeps start with. From nothing they take 633 sweeps, with impulses that are not rescaled 559 to 637 in each step that
/// differs from the one before, and so at most 27.
#[test]
fn a_pile_at_rest_does_not_notice_that_steps_change() {
    let mut s = column(8, Pair::coulomb(0.5));
    // Beside the column a ball between two others and the floor.
    for x in [-1.0, 1.0] {
        s.sphere([x, 1.9, 1.0], 1.0, 1.0);
    }
    s.lower.y = -3.0;
    s.upper.y = 4.0;
    s.solver.tolerance = 1e-9;
    hurry(&mut s, 3.0, 0.05);
    let settled = s.run(50);
    let state = s.run(90);
    has_jumped(&state);
    let cold = state.done[0].outcome.sweeps;
    for (k, done) in state.done.iter().enumerate().skip(50) {
        let sweeps = done.outcome.sweeps;
        assert!(
            10 * sweeps < cold,
            "step {k} of {} s: {sweeps} of {cold} sweeps",
            done.dt
        );
    }
    for i in 0..s.bodies.len() {
        assert!((state.position(i) - settled.position(i)).norm() < 1e-8);
        assert!(state.velocity(i).norm() < 1e-8);
    }
    let force = state.impulse(BodyId(0), BodyId::FIRST_WALL).z / state.clock.1;
    assert!((force.abs() / 80.0 - 1.0).abs() < 1e-8, "{force}");
}

/// A column of springs keeps the overlaps that its weight asks for, `W N (N + 1)/(2k)`, whatever the steps.
#[test]
fn springs_keep_their_overlap_when_steps_change() {
    let pair = Pair {
        compliance: 1e-4,
        ..Pair::coulomb(0.5)
    };
    let mut s = column(5, pair);
    s.solver.tolerance = 1e-13;
    hurry(&mut s, 60.0, 0.05);
    let before = s.run(1190);
    let state = s.run(1290);
    has_jumped(&state);
    let sunk = 9.0 - state.position(4).z;
    let expected = 10.0 * 5.0 * 6.0 / 2e4;
    record(
        "F3",
        "overlap of a column of springs, steps that change",
        sunk / expected,
        1.0,
        1e-10,
    );
    assert!((state.position(4) - before.position(4)).norm() < 1e-12);
    assert!((state.done[1289].elastic / before.done[1189].elastic - 1.0).abs() < 1e-9);
}

/// A block on an incline at 0.99 of the friction limit hangs in its tangential spring, whose force is what it remembers: it does
/// not creep when steps change.
#[test]
fn a_block_held_by_a_tangential_spring_does_not_creep_when_steps_change() {
    let pair = Pair {
        compliance: 1e-4,
        rolling: Arm::Length(1e9),
        ..Pair::coulomb(0.5)
    };
    let mut s = column(1, pair);
    s.upper.x = 50.0;
    s.gravity = Vector3::new(0.495, 0.0, -1.0) * 10.0;
    s.bodies[0].position[2] = 1.0 - 10.0 / 1e4;
    hurry(&mut s, 30.0, 0.05);
    let before = s.run(590);
    let state = s.run(690);
    has_jumped(&state);
    assert!((state.position(0) - before.position(0)).norm() < 1e-14);
    let held = state.impulse(BodyId(0), BodyId::FIRST_WALL).x / state.clock.1;
    assert!((held.abs() - 4.95).abs() < 1e-10, "{held}");
}

/// What cohesion holds keeps hanging, and a servo keeps its force: both are forces, not impulses.
#[test]
fn cohesion_and_servos_hold_by_force_when_steps_change() {
    let pair = Pair {
        cohesion: 10.5,
        cohesion_range: 0.1,
        ..Pair::coulomb(0.5)
    };
    let mut s = column(1, pair);
    s.walls.clear();
    s.plane([0.0, 0.0, 2.0], [0.0, 0.0, -1.0]);
    hurry(&mut s, 1.0, 0.05);
    let state = s.run(60);
    has_jumped(&state);
    assert!((state.position(0).z - 1.0).abs() < 1e-12 && state.velocity(0).norm() < 1e-13);

    let pair = Pair {
        compliance: 1e-3,
        ..Pair::coulomb(0.5)
    };
    let mut s = column(1, pair);
    hurry(&mut s, 60.0, 0.05);
    let servo = Servo {
        turns: false,
        direction: -Vector3::z(),
        force: 20.0,
        pressure: 0.0,
        gain: 5e-3,
        top_speed: 0.5,
    };
    s.walls.push(plane(2.0, -1.0, Motion::Servo(servo)));
    let state = s.run(1290);
    has_jumped(&state);
    let force = state.impulse(BodyId(0), BodyId::wall(2)).z / state.clock.1;
    assert!((force.abs() - 20.0).abs() < 1e-6, "{force}");
}

/// Spheres of ±10 % size with random velocities on a perturbed lattice in a closed box, under gravity, with friction.
fn poured(side: usize, layers: usize, seed: u64) -> Scene {
    let (r, cell) = (0.005, 0.0125);
    let upper = [side as f64 * cell, side as f64 * cell, layers as f64 * cell];
    let mut s = Scene::new([0.0; 3], upper, 0.0);
    s.close();
    s.gravity = Vector3::new(0.3, -0.2, -9.81);
    s.friction = 0.5;
    s.solver.tolerance = 1e-2;
    s.solver.max_sweeps = 60;
    for k in 0..side * side * layers {
        let mut draw = Stream::new(Purpose::Trial, seed, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side];
        let position = site.map(|i| (i as f64 + 0.5 + draw.between(-0.05, 0.05)) * cell);
        let i = s.glass_sphere(position, r * draw.between(0.9, 1.1));
        s.bodies[i].velocity = [0; 3].map(|_| draw.between(-0.2, 0.2));
        s.bodies[i].angular_velocity = [0; 3].map(|_| draw.between(-20.0, 20.0));
    }
    s.rule = Some(rule(1e-4, 2e-3, 0.0045));
    s
}

/// Falling, colliding, packing: the same bits, steps' lengths among them, on 1, 2, 3, 4, 8 ranks and with two threads; and when the
/// run goes on from what it was after a step, in the middle of shrinking and of growing.
#[test]
fn same_bits_on_any_ranks_and_after_a_restart() {
    let s = poured(8, 10, 1);
    let steps = 220;
    let serial = s.run(steps);
    let dt = lengths(&serial);
    let shrinks = dt.windows(2).position(|p| p[1] < 0.999 * p[0]).unwrap() as u64 + 1;
    let grows = dt.windows(2).rposition(|p| p[1] > 1.001 * p[0]).unwrap() as u64 + 1;
    assert!(shrinks > 0 && shrinks < grows && grows < steps, "{dt:?}");
    for (ranks, threads) in RANKS.map(|r| (r, 1)).into_iter().chain([(1, 2), (3, 2)]) {
        let state = s.run_on(ranks, threads, steps);
        assert!(
            state.same_bits(&serial),
            "{ranks} ranks of {threads} threads"
        );
    }
    for (at, ranks) in [(shrinks, 2), (grows, 3)] {
        let half = s.run_on(3, 1, at);
        let mut rest = Scene {
            bodies: half.bodies.clone(),
            contacts: half.contacts.clone(),
            start: Some((at, half.walls.clone(), half.done.last().unwrap().elastic)),
            clock: Some(half.clock),
            references: half.references.clone(),
            ..s.clone()
        };
        // As the program keeps it: by the bodies that the run began with.
        rest.solver.block_edge = Some(8.0 * s.largest_radius());
        let rest = rest.run_on(ranks, 1, steps - at);
        assert_eq!(rest.clock, serial.clock);
        assert_eq!(rest.bodies, serial.bodies, "restart after step {at}");
        assert_eq!(rest.contacts, serial.contacts);
        assert_eq!(lengths(&rest), dt[at as usize..]);
    }
}

/// The ledger of energies closes in every step to rounding, whatever the lengths of steps.
#[test]
fn the_ledger_closes_when_steps_change() {
    let mut s = poured(5, 6, 2);
    s.pair = Some(Pair {
        compliance: 1e-4,
        rolling: Arm::Reduced(0.1),
        ..Pair::coulomb(0.5)
    });
    let (mut scheme, mut state) = s.begin(&Serial, 1);
    let domain = Domain::new(&Serial, s.partition(1));
    let energy = |bodies: &[_]| {
        let potential = measure::potential_energy(bodies, &s.gravity, &Period::NONE).value();
        measure::kinetic_energy(bodies).value() + potential
    };
    let (mut before, mut seen) = (energy(state.bodies()), Vec::new());
    for step in 0..200 {
        let done = scheme.step(&mut state, &domain).unwrap();
        let now = energy(state.bodies());
        let work = &done.outcome.work;
        let told = work.driven + done.projected - done.integrator - work.taken();
        assert!(
            (now - before - told).abs() < 1e-10 * before.abs(),
            "step {step}"
        );
        before = now;
        seen.push(done.dt);
    }
    let [least, most] = [f64::min, f64::max].map(|f| seen.iter().copied().reduce(f).unwrap());
    assert!(most > 1.5 * least, "{seen:?}");
}

/// The end is hit to the bit, and walls are then where their signal says for that time; none goes further in a step than it may.
#[test]
fn the_end_is_hit_and_driven_walls_keep_to_their_signal() {
    let mut s = Scene::new([-2.0, -2.0, -2.0], [2.0, 2.0, 6.0], 0.0);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    let signal = Signal::Sine {
        amplitude: 0.3,
        frequency: 1.7,
        phase: 0.4,
    };
    s.walls.push(plane(0.0, 1.0, lift(signal.clone())));
    s.sphere([0.0, 0.0, 1.5], 1.0, 1.0);
    s.rule = Some(Rule {
        travel: 0.05,
        ..rule(1e-4, 0.1, 1.0)
    });
    s.until = Some(2.345_678);
    let domain = Domain::new(&Serial, s.partition(1));
    let (mut scheme, mut state) = s.begin(&Serial, 1);
    let mut last = 0.0;
    while state.clock.time < 2.345_678 {
        let done = scheme.step(&mut state, &domain).unwrap();
        let z = state.walls[0].displacement.z;
        assert!(
            (z - last).abs() <= 0.05 * (1.0 + 1e-12),
            "{} in {} s",
            z - last,
            done.dt
        );
        last = z;
    }
    assert_eq!(state.clock.time, 2.345_678);
    assert_eq!(last, signal.way(2.345_678));
    // Neither was the wall's full speed the bound all the time, nor were steps longer than their longest.
    assert!(
        state.clock.step > 60 && state.clock.step < 400,
        "{}",
        state.clock.step
    );
}

/// Where the motion asks for steps shorter than the shortest, they are as long as that and counted.
#[test]
fn steps_that_are_too_long_are_counted() {
    let mut s = Scene::new([-20.0; 3], [20.0; 3], 0.0);
    s.sphere([0.0; 3], 1.0, 1.0);
    s.bodies[0].velocity = [3.0, 0.0, 0.0];
    for (at_least, rushed) in [(0.05, true), (0.03, false)] {
        s.rule = Some(rule(at_least, 0.5, 1.0));
        let state = s.run(10);
        assert!(state.done.iter().all(|d| d.rushed == rushed), "{at_least}");
        assert_eq!(state.done[0].dt, f64::max(at_least, 0.1 / 3.0));
    }
}

/// A wall that begins to turn within the next step: how far ahead it is looked at depends on the body farthest from its axis, on
/// whatever rank that is, and so does whether the step counts as too long.
#[test]
fn a_wall_that_begins_to_turn_is_the_same_on_any_ranks() {
    let mut s = Scene::new([-1.0; 3], [1.0; 3], 0.0);
    let mut floor = plane(-0.9, 1.0, Motion::Fixed);
    floor.centre = Vector3::zeros();
    let turns = Signal::Table {
        times: vec![0.0, 1.2e-3, 1.2001e-3, 1.0].into(),
        values: vec![0.0, 0.0, 1000.0, 1000.0].into(),
        rates: true,
    };
    floor.motion = Motion::Driven(Drive::about(Vector3::z(), turns));
    s.walls.push(floor);
    s.sphere([-0.125, 0.0, 0.0], 0.01, 1.0);
    s.sphere([0.15, 0.0, 0.0], 0.01, 1.0);
    s.solver.block_edge = Some(0.5);
    s.rule = Some(rule(1e-3, 1.5e-3, 1.0));
    let serial = s.run(1);
    for ranks in [2, 4] {
        assert!(s.run_on(ranks, 1, 1).same_bits(&serial), "{ranks} ranks");
    }
}
