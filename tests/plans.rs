//! Plans of contacts: nothing that touches is missed, and a plan is a function of the state alone.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::{BodyId, BodyRow, Signal};
use moreau::contact::ContactKey;
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::acts::Outlet;
use moreau::shape::{Period, Region, Spell};
use moreau::solver::project;
use scene::{Scene, State, lift, plane, record_fact};

/// Balls that fall and pack, with one that shoots through the others at a sixth of a radius a step.
fn one_fast() -> Scene {
    let mut s = Scene::poured(5, 5, 3);
    s.bodies[62].velocity = [0.8, 0.1, 0.2];
    s
}

/// A packing on a floor that stands still, then starts to move and stops again, in a periodic box.
fn floor_that_starts() -> Scene {
    let mut s = Scene::poured(4, 4, 5);
    s.walls.drain(..4);
    s.periodic = [true, true, false];
    s.walls[0] = plane(
        0.0,
        1.0,
        lift(Signal::Table {
            times: [0.02, 0.03, 0.05].into(),
            values: [0.0, 0.002, 0.0].into(),
            rates: false,
        }),
    );
    s
}

/// Three hundred small balls around three of thirty times their radius.
fn large_and_small() -> Scene {
    let mut s = Scene::new([0.0; 3], [0.4, 0.4, 0.4], 5e-4);
    s.close();
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.friction = 0.3;
    s.solver.tolerance = 1e-2;
    s.solver.max_sweeps = 60;
    for (k, x) in [0.1, 0.3, 0.2].into_iter().enumerate() {
        s.glass_sphere([x, 0.2, 0.061 + 0.1 * k as f64], 0.06);
    }
    let mut draw = Stream::new(Purpose::Trial, 11, [0; 3]);
    while s.bodies.len() < 303 {
        let x = [0.39, 0.39, 0.1].map(|most| draw.between(0.003, most));
        let clear =
            |b: &BodyRow| (Vector3::from(b.position) - Vector3::from(x)).norm() > b.radius + 0.0021;
        if s.bodies.iter().all(clear) {
            let i = s.glass_sphere(x, 0.002);
            s.bodies[i].velocity = [(); 3].map(|()| draw.between(-0.1, 0.1));
        }
    }
    s
}

/// Balls that pack, and go out one by one by a hole in a corner.
fn out_by_a_hole() -> Scene {
    let mut s = Scene::poured(5, 5, 2);
    s.acts.outlets = vec![Outlet {
        name: "hole".to_owned(),
        region: Region::Box {
            lower: Vector3::zeros(),
            upper: Vector3::new(0.02, 0.02, 0.01),
        },
        spell: Spell::ALWAYS,
    }];
    s
}

/// The same of balls and three large ones, of which one goes out in the 16th step.
fn large_one_out() -> Scene {
    let mut s = large_and_small();
    s.acts.outlets = vec![Outlet {
        name: "hole".to_owned(),
        region: Region::Box {
            lower: Vector3::new(0.05, 0.15, 0.03),
            upper: Vector3::new(0.15, 0.25, 0.1),
        },
        spell: Spell {
            from: 15.5 * s.dt,
            until: f64::INFINITY,
        },
    }];
    s
}

fn scenes() -> [(&'static str, Scene); 6] {
    [
        ("out by a hole", out_by_a_hole()),
        ("a large one goes out", large_one_out()),
        ("poured", Scene::poured(5, 4, 1)),
        ("one fast", one_fast()),
        ("a floor that starts", floor_that_starts()),
        ("1:30", large_and_small()),
    ]
}

/// The scene that continues from a state after some steps.
fn onwards(s: &Scene, state: &State, step: u64) -> Scene {
    let mut s = s.clone();
    let elastic = state.done.last().unwrap().elastic;
    s.start = Some((step, state.walls.clone(), elastic));
    s.references.clone_from(&state.references);
    s.bodies.clone_from(&state.bodies);
    s.contacts.clone_from(&state.contacts);
    s
}

/// Names of all pairs that touch, by comparing each with each.
fn touching(s: &Scene) -> Vec<(BodyId, BodyId)> {
    let period = Period::of_box(&s.lower, &s.upper, s.periodic);
    let walls: Vec<_> = match &s.start {
        Some((_, states, _)) => (s.walls.iter().zip(states))
            .map(|(w, at)| w.placed(at))
            .collect(),
        None => s.walls.iter().map(|wall| wall.surface.clone()).collect(),
    };
    let mut all = Vec::new();
    for (i, a) in s.bodies.iter().enumerate() {
        let x = Vector3::from(a.position);
        for b in &s.bodies[i + 1..] {
            let branch = period.difference(&x, &b.position.into());
            if branch.norm() < a.radius + b.radius {
                all.push((a.id, b.id));
            }
        }
        for (w, surface) in walls.iter().enumerate() {
            if surface.nearest(&x).0 < a.radius {
                all.push((a.id, BodyId::wall(w)));
            }
        }
    }
    all
}

/// Bodies that go out end no plan but that of large ones: the references stay, and the pairs of the
/// others. The states of the other tests have such steps.
#[test]
fn a_plan_goes_on_without_the_bodies_that_have_gone() {
    let done = out_by_a_hole().run(90).done;
    let out: u64 = done.iter().map(|done| done.drained).sum();
    let after = done.windows(2).filter(|two| two[0].drained > 0);
    let kept = after.filter(|two| !two[1].planned).count();
    assert!(
        out > 10 && kept > 3,
        "{out} bodies went out, {kept} plans went on"
    );
    let s = large_one_out();
    let state = s.run(24);
    let first = state.done.iter().position(|done| done.drained > 0);
    let out = |steps| {
        s.run(steps)
            .bodies
            .iter()
            .filter(|b| b.radius > 0.01)
            .count()
    };
    assert_eq!((first, out(15), out(16)), (Some(15), 3, 2));
}

/// Oracle: each pair that touches before a step or after it was a candidate of that step.
#[test]
fn each_pair_that_touches_is_a_candidate() {
    for (name, mut s) in scenes() {
        let (mut seen, mut plans, steps) = (0, 0, 90);
        for step in 0..steps {
            let before = touching(&s);
            let state = s.run(1);
            assert_eq!(state.done[0].outran, 0, "{name}, step {step}");
            plans += u64::from(state.done[0].planned);
            s = onwards(&s, &state, step + 1);
            let keys: Vec<ContactKey> = state.contacts.iter().map(|row| row.key).collect();
            // The contacts of a body that has gone out are dropped.
            let stays =
                |id: &BodyId| *id >= BodyId::wall(0) || s.bodies.iter().any(|b| b.id == *id);
            let before = before.into_iter().filter(|(a, b)| stays(a) && stays(b));
            for (a, b) in before.chain(touching(&s)) {
                let found = keys.iter().any(|key| (key.a, key.b) == (a, b));
                assert!(found, "{name}, step {step}: {a} and {b} touch");
                seen += 1;
            }
        }
        assert!(seen > 30, "{name}: {seen}");
        // Plans last, though each step was a run of its own.
        assert!(plans + 10 < steps, "{name}: {plans} plans in {steps} steps");
    }
}

/// A run that restarts after each step, on other ranks and with other owners, has the bits of one
/// run: a plan is a function of the state, whoever makes it and whenever.
#[test]
fn a_plan_is_a_function_of_the_state() {
    for (name, s) in scenes() {
        let whole = s.run(40);
        let mut state = s.run(10);
        for step in 10..40 {
            let mut one = onwards(&s, &state, step);
            one.recut = Some(7 + step);
            let ranks = [1, 3, 2, 8, 4][step as usize % 5];
            let mut next = one.run_on(ranks, 1 + step as usize % 2, 1);
            next.done = [&state.done[..], &next.done].concat();
            next.broken = [&state.broken[..], &next.broken].concat();
            state = next;
        }
        let kept = state.done.iter().filter(|done| !done.planned).count();
        assert!(kept > 10, "{name}: {kept} steps kept their plan");
        let what = format!("{name}: restarts in each step of a plan");
        record_fact("plans", &what, state.same_bits(&whole));
    }
}

/// Contacts may stay in the scheme or be brought to the state after any step, on any ranks and with
/// other owners in each step: the bits are those of one rank that keeps them.
#[test]
fn contacts_may_be_kept_or_brought() {
    for (name, s) in scenes() {
        let kept = s.run(24);
        for (ranks, brings, recut) in [(1, 1, None), (1, 5, None), (3, 3, Some(7)), (2, 0, Some(9))]
        {
            let mut s = s.clone();
            (s.brings, s.recut) = (brings, recut);
            let other = s.run_on(ranks, 1, 24);
            assert!(kept.same_bits(&other), "{name}: {ranks} ranks, {brings}");
        }
        record_fact("A9", &format!("{name}: contacts kept or brought"), true);
    }
}

/// A pair at rest sleeps, though a third ball throws the one against the other within the step. The
/// judge finds it, and the impulses are those of a solve with all pairs.
///
/// Three equal balls in a line, without restitution: the first hits the second at speed v, and both
/// go on at v/2 until they meet the third. In one step all end with momentum m v; the second touches
/// the third, so both move at one speed, and the gap between them closes within the step.
#[test]
fn a_pair_that_closes_against_expectation_wakes() {
    let (dt, v, gap) = (1e-3, 3.0, 6e-4);
    let mut s = Scene::new([-1.0; 3], [1.0; 3], dt);
    s.gravity = Vector3::zeros();
    s.friction = 0.0;
    s.solver.tolerance = 1e-10;
    s.solver.max_sweeps = 2000;
    for x in [0.0, 0.02, 0.04 + gap] {
        s.sphere([x, 0.0, 0.0], 0.01, 1.0);
    }
    s.bodies[0].velocity[0] = v;
    // A pair with this gap sleeps: its balls are at rest, and it is wider than the skin.
    assert!(s.physics().skin < gap, "{}", s.physics().skin);
    let one = s.run(1);
    // The first two share a speed u, the third takes w, and the second reaches it at the end of the
    // step: 2 u + w = v, (u − w) Δt = gap.
    let w = (v - 2.0 * gap / dt) / 3.0;
    let u = w + gap / dt;
    for (i, expected) in [u, u, w].into_iter().enumerate() {
        let found = one.velocity(i).x;
        assert!(
            (found - expected).abs() < 1e-8,
            "ball {i}: {found}, not {expected}"
        );
    }
    assert_eq!(one.contacts.len(), 2);
    assert!(one.all_converged());
    for ranks in [2, 3] {
        assert!(one.same_bits(&s.run_on(ranks, 1, 1)), "{ranks} ranks");
    }
}

/// A pair that sleeps at the end of a capped solve, as no sweep is left to wake it, is projected as
/// contacts are.
///
/// The three balls above after one sweep: the first two move on at v/2 and reach the third, which is
/// at rest. An overlap q stays at each contact, δ at the second is to be removed. The multipliers of
/// the displacements of least norm, λ₀ and λ₁, obey 2 λ₀ − λ₁ = −q and 2 λ₁ − λ₀ = δ for unit masses.
#[test]
fn the_projection_parts_pairs_that_sleep() {
    let (dt, v, gap, radius) = (1e-3, 3.0, 6e-4, 0.01);
    let mut s = Scene::new([-1.0; 3], [1.0; 3], dt);
    s.gravity = Vector3::zeros();
    s.friction = 0.0;
    s.solver.max_sweeps = 1;
    s.solver.projection.sweeps = 200;
    let start = [0.0, 2.0 * radius, 4.0 * radius + gap];
    for x in start {
        s.sphere([x, 0.0, 0.0], radius, 1.0);
    }
    s.bodies[0].velocity[0] = v;
    let one = s.run(1);
    assert!(!one.all_converged());
    let stays = project::SLACK * radius;
    let overlap = 0.5 * v * dt - gap - stays;
    let pushes = [overlap - 2.0 * stays, 2.0 * overlap - stays].map(|of| of / 3.0);
    let ways = [0.5 * v * dt, 0.5 * v * dt, 0.0];
    let apart = [-pushes[0], pushes[0] - pushes[1], pushes[1]];
    for i in 0..3 {
        let expected = start[i] + ways[i] + apart[i];
        let found = one.position(i).x;
        assert!(
            (found - expected).abs() < 1e-10,
            "ball {i}: {found}, not {expected}"
        );
    }
    for ranks in [2, 3] {
        assert!(one.same_bits(&s.run_on(ranks, 1, 1)), "{ranks} ranks");
    }
}
