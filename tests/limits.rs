//! What a run must not mistake: slow pressure for a squeeze, a light wall for a good solution, a wall's own motion for a blow, a wall
//! that is too fast for one that is not there.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::{BodyId, BodyKind, Motion, Signal};
use moreau::comm::threads;
use moreau::domain::Domain;
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::scheme::StepError;
use scene::{Scene, lift, piston, plane};

/// A column that its few sweeps cannot settle within a step: pressure builds up from step to step, every step ends at the cap,
/// violations hardly fall within a step. It comes to rest, and is nowhere called infeasible.
#[test]
fn slow_pressure_is_no_squeeze() {
    for (balls, sweeps, plain) in [
        (80, 10, true),
        (100, 10, true),
        (100, 10, false),
        (100, 30, false),
    ] {
        let height = 2.0 * f64::from(balls);
        let mut s = Scene::new([-1.5, -1.5, 0.0], [1.5, 1.5, height + 2.0], 1e-2);
        s.gravity = Vector3::new(0.0, 0.0, -10.0);
        s.walls.push(plane(0.0, 1.0, Motion::Fixed));
        for k in 0..balls {
            s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
        }
        if plain {
            s.plain_sweeps();
        }
        s.solver.max_sweeps = sweeps;
        s.solver.tolerance = 1e-6;
        let state = s.run(4000);
        let capped = state.done.iter().filter(|d| !d.outcome.verdict.converged);
        assert!(capped.count() > 100, "the test is about steps at the cap");
        let floor = state.impulse(BodyId(0), BodyId::wall(0)).z.abs() / 1e-2;
        let weight = 10.0 * f64::from(balls);
        assert!(
            (floor / weight - 1.0).abs() < 0.05,
            "{balls} balls: {floor} N of {weight} N"
        );
    }
}

/// A ball lies on a floor that sets out upwards with 5 m/s² under g = 10 m/s²: the floor carries 15 N per kg, whatever the coefficient
/// of restitution, as nothing strikes anything.
#[test]
fn a_lasting_contact_with_an_accelerating_wall_is_no_blow() {
    for restitution in [0.0, 0.5, 0.9] {
        let dt = 1e-3;
        let mut s = Scene::new([-3.0, -3.0, -1.0], [3.0, 3.0, 6.0], dt);
        s.gravity = Vector3::new(0.0, 0.0, -10.0);
        let times: Vec<f64> = (0..=1000).map(|k| f64::from(k) * dt).collect();
        let values: Vec<f64> = times.iter().map(|t| 5.0 * t).collect();
        s.walls.push(plane(
            0.0,
            1.0,
            lift(Signal::Table {
                times: times.into(),
                values: values.into(),
                rates: true,
            }),
        ));
        s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
        s.pair = Some(Pair {
            restitution,
            ..Pair::coulomb(0.3)
        });
        s.solver.tolerance = 1e-12;
        for steps in [50, 51, 60, 100] {
            let force = s.run(steps).impulse(BodyId(0), BodyId::wall(0)).z.abs() / dt;
            assert!(
                (force - 15.0).abs() < 1e-9,
                "e = {restitution}, step {steps}: {force} N"
            );
        }
    }
}

/// The residual of a very light wall under a load counts the bodies, not the wall's own free flight: what converged has no overlaps beyond the
/// tolerance's, 1e-2 × F Δt/(M + m) × Δt = 1.25e-4 radii in each of the few steps of the first blow. One ball, and a column of them, through
/// which the blow has to run. A light wall itself may sink deeper into the column, as the residual weighs a velocity with the reduced mass
/// `m_c = M m/(M + m)`: by 1e-2 × F Δt/√(m_c (M + m)) × Δt in a step.
#[test]
fn a_light_piston_presses_balls_no_deeper_than_a_heavy_one() {
    let masses = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
    for (mass, balls) in masses.into_iter().flat_map(|m| [(m, 1), (m, 8)]) {
        let (dt, top) = (5e-4, 0.02 * f64::from(balls));
        let mut s = Scene::new([-0.03, -0.03, -0.01], [0.03, 0.03, top + 0.03], dt);
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.walls.push(plane(0.0, 1.0, Motion::Fixed));
        s.walls.push(plane(top, -1.0, piston(mass, 5.0)));
        for k in 0..balls {
            s.sphere([0.0, 0.0, 0.01 + 0.02 * f64::from(k)], 0.01, 0.01);
        }
        s.solver.tolerance = 1e-2;
        s.solver.block_edge = Some(1.0); // One block: a wall of 0.01 g set free would cross several in a step.
        let state = s.run(400);
        let wrong = state.done.iter().filter(|d| !d.outcome.verdict.converged);
        let wrong = wrong.count();
        let deepest = |of_piston: bool| {
            let some = state.contacts.iter();
            let some = some.filter(|c| (c.key.b == BodyId::wall(1)) == of_piston);
            some.map(|c| -c.gap).fold(0.0, f64::max) / 0.01
        };
        let [among, wall] = [false, true].map(deepest);
        let what = format!("piston of {mass:e} kg on {balls} balls");
        println!("{what}: overlaps of {among:e} radii, its own {wall:e}");
        assert_eq!(wrong, 0, "{what}");
        assert!(among < 1e-3, "{what}: overlap of {among} radii");
        // Both as eight steps at the most.
        let sinks = match balls {
            1 => 1e-3,
            _ => 1e-3 * ((mass + 0.01) / mass).sqrt(),
        };
        assert!(wall < sinks, "{what}: sinks by {wall} radii");
        let floor = state.impulse(BodyId(0), BodyId::wall(0)).z.abs() / dt;
        let load = 9.81 * (0.01 * f64::from(balls) + mass) + 5.0;
        assert!(
            (floor / load - 1.0).abs() < 0.02,
            "{what}: {floor} of {load} N"
        );
    }
}

/// A wall that moves further in a step than blocks allow is refused by name, on any ranks and threads.
#[test]
fn a_wall_that_is_too_fast_is_named() {
    let mut s = Scene::new([0.0; 3], [4.0, 4.0, 4.0], 1e-2);
    s.walls.push(plane(0.0, 1.0, lift(Signal::Rate(100.0))));
    for k in 0..8 {
        let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2].map(|i| 1.0 + 2.0 * f64::from(i));
        s.sphere([x, y, z], 0.2, 1.0);
    }
    for (ranks, threads) in [(1, 1), (3, 1), (1, 2)] {
        let error = s.try_run(ranks, threads, 5).unwrap_err();
        assert!(
            matches!(&error, StepError::WallTooFast { wall, step: 1, .. } if wall == "plane at 0"),
            "{error}"
        );
    }
}

/// A fixed ball against a piston that is free in one direction, along it and across: nothing that answers in no direction makes a
/// number that is none.
#[test]
fn a_piston_rests_on_a_fixed_ball() {
    let mut s = Scene::new([-3.0, -3.0, 0.0], [3.0, 3.0, 3.0], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.walls.push(plane(2.1, -1.0, piston(2.0, 5.0)));
    let i = s.sphere([0.0, 0.0, 1.0], 1.0, 1.0);
    s.bodies[i].kind = BodyKind::Fixed as u32;
    s.pair = Some(Pair {
        rolling: moreau::law::Arm::Length(0.01),
        torsion: moreau::law::Arm::Length(0.01),
        ..Pair::coulomb(0.5)
    });
    for ranks in [1, 2] {
        let state = s.run_on(ranks, 1, 500);
        let force = state.impulse(BodyId(0), BodyId::wall(0)).z.abs() / 1e-3;
        assert!((force - 25.0).abs() < 1e-6, "{force}");
        assert!(state.walls[0].velocity.norm() < 1e-9);
    }
}

/// A press drives down on 75 balls until one is in another by its radius: on any ranks the same words, which name the deepest overlap and
/// the press, wherever they are.
#[test]
fn a_squeeze_is_told_alike_on_any_ranks() {
    let mut s = Scene::new([0.0, 0.0, -1.0], [10.0, 10.0, 7.0], 1e-2);
    s.close();
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(6.0, -1.0, lift(Signal::Rate(-1.0))));
    s.friction = 0.5;
    s.solver.tolerance = 1e-2;
    s.solver.max_sweeps = 30;
    s.solver.block_edge = Some(2.5);
    for k in 0..75 {
        let site = [k % 5, k / 5 % 5, k / 25].map(f64::from);
        let [x, y, z] = site.map(|i| 1.0 + 2.0 * i);
        s.sphere([x, y, z], 0.999, 1.0);
    }
    let told = |ranks: usize| {
        let texts = threads::run(ranks, |comm| {
            let (mut scheme, mut state) = s.begin(comm, 1);
            let domain = Domain::new(comm, s.partition(comm.size()));
            let failure = (0..500).find_map(|_| {
                let report = scheme.step(&mut state, &domain);
                report
                    .and_then(|_| scheme.not_crushed(&state, &domain))
                    .err()
            });
            failure.expect("it ends badly").to_string()
        });
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        texts[0].clone()
    };
    let expected = told(1);
    assert!(expected.contains("wall plane at 6"), "{expected}");
    for ranks in [2, 3, 5, 8] {
        assert_eq!(told(ranks), expected);
    }
}
