//! Walls under a pressure on their present face, in the time step of contact dynamics.

use super::scene::{Scene, State, lift, plane, record, record_fact};
use moreau::body::{BodyId, Drive, Freedom, Motion, Ramp, Servo, Signal};
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::scheme::pace::Rule;

/// Speed of the side wall that is driven inwards [m/s].
const SPEED: f64 = 0.2;

/// Length of a step [s].
const DT: f64 = 1e-2;

/// Four balls of radius 0.5 m in a box of 2.6 m by 2.4 m under a lid. One side is driven inwards, by
/// 0.1 m and no further.
fn boxed(lid: Motion) -> Scene {
    let mut s = Scene::new([-1.0; 3], [4.0; 3], DT);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.friction = 0.3;
    s.plane([0.0; 3], [1.0, 0.0, 0.0]);
    s.plane([2.6, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    let inwards = Signal::Table {
        times: [0.0, 0.5].into(),
        values: [0.0, 0.1].into(),
        rates: false,
    };
    s.walls[1].motion = Motion::Driven(Drive::along(-Vector3::x(), inwards));
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.plane([0.0, 2.4, 0.0], [0.0, -1.0, 0.0]);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(1.0, -1.0, lid));
    for (x, y) in [(0.55, 0.6), (2.05, 0.55), (0.5, 1.8), (2.1, 1.85)] {
        s.sphere([x, y, 0.5], 0.5, 1.0);
    }
    s.solver.block_edge = Some(1.3);
    s
}

/// The face of the lid at the start of a step, from 1 [m²].
fn face(step: u64) -> f64 {
    let way = SPEED * DT * (step - 1) as f64;
    (2.6 - way.min(0.1)) * 2.4
}

/// Force of the balls on the lid [N].
fn on_lid(state: &State) -> f64 {
    let lid = BodyId::wall(5);
    let on = state.contacts.iter().filter(|c| c.key.b == lid);
    on.map(|c| c.impulse[2]).sum::<f64>() / DT
}

/// A lid under a pressure, and its factor over time: the balls carry the pressure times the face that
/// the sides leave, less the lid's own inertia. The same bits on any ranks.
#[test]
fn a_free_wall_under_a_pressure() {
    let mass = 2.0;
    let factor = Ramp {
        times: [0.1, 0.3].into(),
        values: [0.5, 1.0].into(),
    };
    let at = factor.clone();
    let s = boxed(Motion::Free(Freedom {
        mass,
        inertia: None,
        turning: None,
        direction: Some(Vector3::z()),
        load: Vector3::zeros(),
        pressure: 100.0,
        gravity: false,
        factor: Some(factor),
    }));
    let mut worst = 0.0_f64;
    for steps in [1, 2, 11, 20, 29, 40, 50, 60] {
        let end = s.run(steps);
        let before = match steps {
            1 => 0.0,
            _ => s.run(steps - 1).walls[5].velocity.z,
        };
        let gained = mass * (end.walls[5].velocity.z - before) / DT;
        let start = DT * (steps - 1) as f64;
        let expected = 100.0 * at.at(start) * face(steps) + gained;
        worst = worst.max((on_lid(&end) / expected - 1.0).abs());
    }
    let what = "force on a lid under a pressure, over pressure times present face";
    record("A24", what, worst, 0.0, 1e-9);
    let alone = s.run(60);
    assert!(alone.walls[1].displacement.x < -0.099);
    for (ranks, threads) in [(1, 2), (2, 1), (3, 1)] {
        record_fact(
            "A24",
            &format!("a lid under a pressure on {ranks} ranks, {threads} threads: the same bits"),
            s.run_on(ranks, threads, 60).same_bits(&alone),
        );
    }
}

/// Between walls at rest a pressure is the load of its face, to the last bit; a rule of the time step
/// sees it, too.
#[test]
fn a_pressure_is_the_load_of_its_face() {
    let rule = Rule {
        at_most: DT,
        at_least: 1e-5,
        travel: 0.01,
        growth: 1.1,
        length: Some(0.5),
    };
    for rule in [None, Some(rule)] {
        let [by_pressure, by_load] = [(100.0, 0.0), (0.0, 100.0 * (2.6 * 2.4))].map(|(p, load)| {
            let mut s = boxed(Motion::Free(Freedom {
                mass: 0.5,
                inertia: None,
                turning: None,
                direction: Some(Vector3::z()),
                load: -Vector3::z() * load,
                pressure: p,
                gravity: true,
                factor: None,
            }));
            s.walls[1].motion = Motion::Fixed;
            // The lid falls.
            s.bodies.iter_mut().for_each(|row| row.radius = 0.4);
            s.rule = rule;
            s.run(30)
        });
        assert!(by_pressure.walls[5].displacement.z < -0.01);
        assert!(by_pressure.same_bits(&by_load), "{rule:?}");
        let shortest = by_load.done.iter().map(|report| report.dt);
        let shortest = shortest.fold(DT, f64::min);
        assert_eq!(shortest < DT, rule.is_some());
    }
}

/// A servo holds a stress on the face that a driven side has left.
#[test]
fn a_servo_holds_a_stress() {
    let mut s = boxed(Motion::Servo(Servo {
        turns: false,
        direction: -Vector3::z(),
        force: 0.0,
        pressure: 100.0,
        gain: 1e-3,
        top_speed: 0.05,
    }));
    s.pair = Some(Pair {
        compliance: 1e-4,
        ..Pair::coulomb(0.3)
    });
    let end = s.run(400);
    let held = on_lid(&end) / face(400);
    record("A24", "stress that a servo holds [Pa]", held, 100.0, 1e-6);
    assert!((face(400) - 2.5 * 2.4).abs() < 1e-12);
    assert!(s.run_on(3, 1, 400).same_bits(&end));
}

/// A wall under a pressure whose neighbours turn has no face any more; the step says so.
#[test]
fn a_wall_that_loses_its_face_is_named() {
    let mut s = boxed(Motion::Free(Freedom {
        mass: 2.0,
        inertia: None,
        turning: None,
        direction: Some(Vector3::z()),
        load: Vector3::zeros(),
        pressure: 100.0,
        gravity: false,
        factor: None,
    }));
    s.walls[1].motion = Motion::Driven(Drive::about(Vector3::y(), Signal::Rate(-1e-3)));
    let refusal = s.try_run(2, 1, 5).expect_err("no face").to_string();
    assert!(
        refusal.starts_with("step 2: wall plane at 1 under a pressure must end at"),
        "{refusal}"
    );
    s.walls[1].motion = lift(Signal::Rate(0.0));
    assert!(s.try_run(1, 1, 5).is_ok());
}
