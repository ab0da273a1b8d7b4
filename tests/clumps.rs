//! Clumps: rigid bodies of several balls, with three moments of inertia.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::{BodyId, BodyRow, Drive, Motion, Signal};
use moreau::law::{Arm, Pair};
use moreau::math::{IDENTITY, Vector3};
use moreau::rng::{Purpose, Stream};
use moreau::scheme::Report;
use moreau::shape::Template;
use scene::clump::{dumbbell, product, template, tetrahedron};
use scene::momentum::of_bodies;
use scene::{Scene, State};

fn single() -> Template {
    template("one", &[[0.3, -0.2, 0.1, 1.0]])
}

/// A small box with bodies that fall onto each other, moving and turning.
fn falling(put: impl Fn(&mut Scene, [f64; 3], f64)) -> Scene {
    let mut s = Scene::new([0.0; 3], [1.0, 1.0, 1.6], 2e-3);
    s.templates = vec![single(), dumbbell(), tetrahedron()];
    s.close();
    s.gravity = Vector3::new(1.0, 0.5, -9.81);
    s.friction = 0.4;
    let mut draw = Stream::new(Purpose::Trial, 5, [0, 0, 0]);
    for k in 0..24u32 {
        let at = [k % 3, k / 3 % 3, k / 9].map(f64::from);
        let position = at.map(|x| 0.2 + 0.3 * x + draw.between(-0.01, 0.01));
        put(&mut s, position, draw.between(0.1, 0.135));
        let row = s.bodies.last_mut().unwrap();
        row.velocity = [0; 3].map(|_| draw.between(-0.5, 0.5));
        let spin = [0; 3].map(|_| draw.between(-5.0, 5.0));
        row.turn_with(spin, &s.templates);
    }
    s
}

/// How many contacts have an impulse.
fn touching(state: &State) -> usize {
    let closed = state.contacts.iter().filter(|c| c.impulse != [0.0; 3]);
    closed.count()
}

#[test]
fn a_clump_of_one_ball_moves_as_the_ball() {
    let balls = falling(|s, x, r| {
        s.glass_sphere(x, r);
    });
    let clumps = falling(|s, x, r| {
        s.clump(x, r, 0);
    });
    let [mut balls, mut clumps] = [balls, clumps];
    for s in [&mut balls, &mut clumps] {
        s.solver.tolerance = 1e-15;
        s.solver.max_sweeps = 100_000;
    }
    let (of_balls, of_clumps) = (balls.run(200), clumps.run(200));
    let (mut away, mut faster) = (0.0_f64, 0.0_f64);
    for (ball, clump) in of_balls.bodies.iter().zip(&of_clumps.bodies) {
        let apart = |a: [f64; 3], b: [f64; 3]| (Vector3::from(a) - Vector3::from(b)).norm();
        away = away.max(apart(ball.position, clump.position));
        let turned = apart(ball.angular_velocity, clump.angular_velocity) * ball.radius;
        faster = faster.max(apart(ball.velocity, clump.velocity)).max(turned);
    }
    assert!(touching(&of_balls) > 20, "{}", touching(&of_balls));
    scene::record(
        "clumps",
        "one ball against a ball, positions [m]",
        away,
        0.0,
        1e-12,
    );
    // Two runs of the balls whose sweeps have another order differ by 1.0e-12 m/s here, by 6e-15 in a
    // step from the same state (median), and a clump from a ball by 7e-15.
    scene::record(
        "clumps",
        "one ball against a ball, speeds [m/s]",
        faster,
        0.0,
        1e-12,
    );
}

/// In each step projection lifts a dumbbell by three slacks, also from a floor that rises.
#[test]
fn projection_lifts_a_dumbbell_by_three_slacks_in_a_step() {
    let (dt, g, overlap) = (1e-3, 10.0, 1.1e-4);
    let slack = 0.5 * g * dt * dt;
    for rises in [0.0, 0.02] {
        let mut s = Scene::new([-1.0; 3], [1.0; 3], dt);
        s.templates = vec![dumbbell()];
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        s.walls[0].motion = Motion::Driven(Drive::along(Vector3::z(), Signal::Rate(rises)));
        s.gravity = Vector3::new(0.0, 0.0, -g);
        let part = 0.1 * s.templates[0].parts()[0].radius;
        let i = s.clump([0.0, 0.0, part - overlap], 0.1, 0);
        s.bodies[i].orientation = IDENTITY;
        s.bodies[i].velocity[2] = rises;
        for steps in [1, 2, 5, 7, 8, 20] {
            let left = part + rises * dt * steps as f64 - s.run(steps).position(0).z;
            let expected = slack.max(overlap - steps as f64 * 3.0 * slack);
            let off = (left - expected).abs();
            assert!(off < 1e-12, "{steps} steps: {left:e}, not {expected:e}");
        }
    }
}

/// The parts of the law that a contact may have.
fn laws() -> [(&'static str, Pair); 6] {
    let plain = Pair::coulomb(0.4);
    let couples = Pair {
        rolling: Arm::Reduced(0.1),
        torsion: Arm::Reduced(0.05),
        ..plain
    };
    let (cohesion, cohesion_range) = (5.0, 0.01);
    [
        ("plain", plain),
        ("couples", couples),
        (
            "springs",
            Pair {
                compliance: 1e-7,
                ..plain
            },
        ),
        (
            "cohesion",
            Pair {
                cohesion,
                cohesion_range,
                ..plain
            },
        ),
        (
            "restitution",
            Pair {
                restitution: 0.5,
                tangential_restitution: 0.2,
                ..plain
            },
        ),
        (
            "all",
            Pair {
                compliance: 1e-7,
                cohesion,
                cohesion_range,
                ..couples
            },
        ),
    ]
}

/// Dumbbells, four-ball clumps and balls.
fn mixed(pair: Pair) -> Scene {
    let mut s = falling(|s, x, r| {
        let k = s.bodies.len() as u32;
        match k % 4 {
            0 => s.glass_sphere(x, r),
            k => s.clump(x, r, k % 3),
        };
    });
    s.pair = Some(pair);
    s
}

/// Checks that bodies have lost what contacts have taken less what was brought in; returns that and what all gained [J].
fn ledger(step: &Report) -> (f64, f64) {
    let work = &step.outcome.work;
    let taken = work.taken() - work.driven;
    let scale = 1.0 + work.taken().abs() + work.driven.abs();
    assert!(
        (step.lost - taken).abs() < 1e-12 * scale,
        "{} J, {taken} J",
        step.lost
    );
    (taken, step.projected - step.integrator - taken)
}

/// What the bodies lose is what the contacts take, law by law.
#[test]
fn the_ledger_closes() {
    for (name, pair) in laws() {
        let mut s = mixed(pair);
        s.solver.tolerance = 1e-6;
        let state = s.run(150);
        let energy = |bodies: &[BodyRow]| -> f64 {
            let of = |row: &BodyRow| {
                let fall = s.gravity.dot(&Vector3::from(row.position));
                row.kinetic_energy() - row.mass * fall
            };
            bodies.iter().map(of).sum()
        };
        let gained = energy(&state.bodies) - energy(&s.bodies);
        let mut told = 0.0;
        for step in &state.done {
            told += ledger(step).1;
        }
        assert!(
            (gained - told).abs() < 1e-10 * gained.abs(),
            "{name}: {gained} J, {told} J"
        );
        assert!(gained < -1.0, "{name}: {gained}");
        assert!(state.all_converged(), "{name}");
    }
}

#[test]
fn the_same_bits_on_any_ranks_and_threads_and_after_a_restart() {
    for (name, pair) in laws() {
        let mut s = mixed(pair);
        s.solver.tolerance = 1e-4;
        s.solver.max_sweeps = 300;
        s.solver.block_edge = Some(0.35);
        s.periodic = [true, false, false];
        s.walls.remove(0);
        s.walls.remove(0);
        let one = s.run(60);
        for (ranks, threads) in [(2, 1), (4, 1), (1, 3), (2, 5)] {
            assert!(
                one.same_bits(&s.run_on(ranks, threads, 60)),
                "{name}: {ranks} ranks"
            );
        }
        let half = s.run(30);
        let mut rest = s.clone();
        rest.bodies = half.bodies.clone();
        rest.contacts = half.contacts.clone();
        let elastic = half.done[29].elastic;
        rest.start = Some((30, half.walls.clone(), elastic));
        rest.references.clone_from(&half.references);
        let end = rest.run_on(2, 1, 30);
        assert!(
            end.bodies == one.bodies && end.contacts == one.contacts,
            "{name}: restart"
        );
    }
}

/// Where velocities are exchanged once a sweep, the same is found within the tolerance.
#[test]
fn split_bodies_are_clumps_as_well() {
    let mut s = mixed(laws()[1].1);
    s.solver.exchange = moreau::solver::Exchange::Sweep;
    s.solver.tolerance = 1e-6;
    s.solver.block_edge = Some(0.35);
    let mut fine = s.clone();
    fine.solver.tolerance = 1e-9;
    fine.solver.max_sweeps = 5000;
    let mut whole = fine.clone();
    whole.solver.exchange = moreau::solver::Settings::default().exchange;
    let (split, whole) = (fine.run_on(2, 1, 140), whole.run_on(2, 1, 140));
    assert!(touching(&whole) > 10, "{} contacts", touching(&whole));
    for (one, other) in split.bodies.iter().zip(&whole.bodies) {
        for (v, w) in one.velocity.iter().zip(&other.velocity) {
            assert!((v - w).abs() < 1e-4, "body {}: {v} for {w} m/s", one.id);
        }
    }
    let state = s.run_on(2, 1, 100);
    assert!(state.all_converged());
    for step in &state.done {
        ledger(step);
    }
}

/// Two clumps that hit each other keep momentum and angular momentum. A contact acts on both at their surfaces, so what is
/// lost of the second is friction times the gap.
#[test]
fn colliding_clumps_keep_momentum_and_angular_momentum() {
    for (friction, tolerance) in [(0.0, 1e-12), (0.4, 1e-3)] {
        let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-3);
        s.templates = vec![dumbbell(), tetrahedron()];
        s.friction = friction;
        let a = s.clump([-0.55, 0.1, 0.0], 0.5, 0);
        let b = s.clump([0.55, 0.0, 0.2], 0.4, 1);
        s.bodies[a].velocity = [2.0, 0.0, 0.1];
        s.bodies[b].velocity = [-2.0, 0.3, 0.0];
        let templates = s.templates.clone();
        s.bodies[a].turn_with([3.0, 2.0, -1.0], &templates);
        s.bodies[b].turn_with([0.0, -4.0, 2.0], &templates);
        let [p, l] = of_bodies(&s.bodies);
        let state = s.run(200);
        let hit = (Vector3::from(s.bodies[a].velocity) - state.velocity(a)).norm();
        assert!(hit > 0.5, "they met: {hit}");
        let [p1, l1] = of_bodies(&state.bodies);
        let size: f64 = s.bodies.iter().map(|row| row.mass).sum();
        let what = format!("momentum, friction {friction}");
        scene::record("clumps", &what, (p1 - p).norm() / size, 0.0, 1e-12);
        let what = format!("angular momentum, friction {friction}");
        scene::record("clumps", &what, (l1 - l).norm() / size, 0.0, tolerance);
    }
}

/// A dumbbell that lies on a plane: two contacts, each with half the weight.
#[test]
fn a_dumbbell_at_rest_carries_its_weight() {
    let mut s = Scene::new([-2.0, -2.0, 0.0], [2.0; 3], 1e-2);
    s.templates = vec![dumbbell()];
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.friction = 0.3;
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    let i = s.clump([0.0, 0.0, 0.0], 0.3, 0);
    let lying = s.templates[0].frame();
    let row = &mut s.bodies[i];
    row.orientation = lying;
    row.position[2] = s.templates[0].parts()[0].radius * 0.3;
    let weight = row.mass * 10.0 * s.dt;
    let state = s.run(100);
    let forces: Vec<f64> = state.contacts.iter().map(|c| -c.impulse[2]).collect();
    assert_eq!(forces.len(), 2, "{forces:?}");
    let features: Vec<u64> = state.contacts.iter().map(|c| c.key.feature).collect();
    assert_eq!(features, [0, 1 << 32]);
    for force in forces {
        scene::record("clumps", "half of the weight", force / weight, 0.5, 1e-9);
    }
    assert!(state.velocity(i).norm() < 1e-10 && state.spin(i).norm() < 1e-10);
}

/// A body that rolls to and fro without sliding, as a roly-poly, has the period of small swings about its contact.
#[test]
fn a_clump_rocks_with_its_period() {
    // Two equal balls, and a third below their line, which does not reach the plane. With the
    // centre of mass h below the line: moment about the contact I + m (r − h)², restoring couple m g h φ.
    let parts = [
        [-1.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, -0.4, 0.5],
    ];
    let mut s = Scene::new([-4.0, -4.0, 0.0], [4.0; 3], 5e-4);
    s.templates = vec![template("rocker", &parts)];
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.friction = 10.0;
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    let template = s.templates[0].clone();
    let i = s.clump([0.0; 3], template.size(), 0);
    let h = -template.centre().z;
    let (sin, cos) = (0.01_f64).sin_cos();
    let row = &mut s.bodies[i];
    let turn = [(0.005_f64).cos(), (0.005_f64).sin(), 0.0, 0.0];
    row.orientation = product(turn, template.frame());
    row.position = [0.0, h * sin, 1.0 - h * cos];
    let moments = row.moments(&s.templates);
    let frame = template.frame();
    let axis = moreau::math::turned([frame[0], -frame[1], -frame[2], -frame[3]], &Vector3::x());
    let about: f64 = (0..3).map(|k| moments[k] * axis[k] * axis[k]).sum();
    let of_contact = about + row.mass * (1.0 - h) * (1.0 - h);
    let period = std::f64::consts::TAU * (of_contact / (row.mass * 10.0 * h)).sqrt();
    let steps = (1.5 * period / s.dt) as u64;
    // Where it comes to a halt and turns back.
    let mut crossings = Vec::new();
    let mut last = 0.0;
    let mut run = s.clone();
    let chunk = 20;
    for done in (0..steps).step_by(chunk) {
        let state = run.run(chunk as u64);
        let w = state.spin(i).x;
        if last != 0.0 && w * last < 0.0 {
            let part = last / (last - w);
            crossings.push((done as f64 + part * chunk as f64) * s.dt);
        }
        last = w;
        run.bodies = state.bodies.clone();
        run.contacts = state.contacts.clone();
        run.start = Some((done + chunk as u64, state.walls.clone(), 0.0));
    }
    assert!(crossings.len() >= 2, "{crossings:?}");
    let found = 2.0 * (crossings[1] - crossings[0]);
    scene::record("clumps", "period of rocking", found / period, 1.0, 0.01);
}

/// A pushed piston on clumps comes to carry its load through them.
#[test]
fn a_piston_rests_on_clumps() {
    let mut s = falling(|s, x, r| {
        let k = s.bodies.len() as u32;
        s.clump(x, r, k % 3);
    });
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.solver.tolerance = 1e-7;
    let load = 2000.0;
    s.walls.pop();
    s.walls
        .push(scene::plane(1.4, -1.0, scene::piston(20.0, load)));
    let state = s.run(800);
    let top = BodyId::wall(5);
    let onto: f64 = state
        .contacts
        .iter()
        .filter(|c| c.key.b == top)
        .map(|c| c.impulse[2])
        .sum();
    assert!(state.walls[5].velocity.norm() < 1e-3);
    scene::record(
        "clumps",
        "load of a piston",
        onto / s.dt / (load + 20.0 * 9.81),
        1.0,
        1e-3,
    );
    for step in &state.done {
        ledger(step);
    }
}

/// Without contacts the angular momentum stays to the bit; the energy oscillates a little.
#[test]
fn d5_a_free_clump_keeps_its_angular_momentum() {
    let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
    s.templates = vec![tetrahedron()];
    let i = s.clump([0.0; 3], 0.2, 0);
    let templates = s.templates.clone();
    s.bodies[i].turn_with([0.01, 10.0, 0.02], &templates);
    let before = s.bodies[i];
    let state = s.run(10_000);
    assert_eq!(state.bodies[i].angular_momentum, before.angular_momentum);
    let energy = state.bodies[i].rotational_energy() / before.rotational_energy();
    scene::record("clumps", "energy of a free clump", energy, 1.0, 2e-6);
    let integrator: f64 = state.done.iter().map(|step| step.integrator).sum();
    let lost = before.rotational_energy() - state.bodies[i].rotational_energy();
    assert!((integrator - lost).abs() < 1e-12 * before.rotational_energy());
}

/// A checkpoint carries the form of its clumps: the file of a template may change, or go.
#[test]
fn the_configuration_of_a_run_holds_the_forms_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pair.csv");
    std::fs::write(&file, "x,y,z,r\n0,0,0,1\n1.1,0.3,0,0.7\n").unwrap();
    let base = "gravity = [0, 0, 0]\ntime = { dt = 1e-3, steps = 5 }\n\
                domain = { lower = [0, 0, 0], upper = [1, 1, 1] }\n\
                material = [{ name = \"m\", density = 1e3, friction = 0.5 }]\n\
                bodies = [{ sample = \"lattice\", material = \"m\", count = 8, radius = 0.1, \
                template = \"pair\" }]\n";
    for entry in [
        "[[template]]\nname = \"pair\"\nfile = \"pair.csv\"\nvolume = 2.5\n",
        "template = [{ name = \"pair\", file = \"pair.csv\" }]\n",
    ] {
        let text = [base, entry].concat();
        let parse = |text: &str| moreau::config::parse("run.toml", text, folder.path(), &[]);
        std::fs::write(&file, "x,y,z,r\n0,0,0,1\n1.1,0.3,0,0.7\n").unwrap();
        let first = parse(&text).unwrap();
        std::fs::remove_file(&file).unwrap();
        let kept = first.text();
        assert!(kept.contains("0,0,0,1\n1.1,0.3,0,0.7\n"), "{kept}");
        let again = parse(&kept).unwrap();
        assert_eq!(again.templates, first.templates);
        assert_eq!(again.text(), kept);
        // Another file of that name is not the form of the run.
        std::fs::write(&file, "x,y,z,r\n0,0,0,1\n").unwrap();
        assert_eq!(parse(&kept).unwrap().templates, first.templates);
        std::fs::remove_file(&file).unwrap();
    }
}

/// Bonds exclude clumps, not templates that no body has.
#[test]
fn an_unused_template_does_not_exclude_bonds() {
    let text = |template: &str| {
        format!(
            "gravity = [0, 0, 0]\ntime = {{ dt = 1e-3, steps = 5 }}\n\
             domain = {{ lower = [0, 0, 0], upper = [1, 1, 1] }}\n\
             material = [{{ name = \"m\", density = 1e3, friction = 0.5 }}]\n\
             bodies = [{{ sample = \"lattice\", material = \"m\", count = 8, radius = 0.1{template} }}]\n\
             template = [{{ name = \"one\", parts = [[0, 0, 0, 1]] }}]\n\
             [[bond]]\nmaterials = [\"m\", \"m\"]\n\
             stiffness = {{ young = 1e6, shear = 1e6, radius = 0.05 }}\n"
        )
    };
    let parse = |text: &str| {
        moreau::config::parse("run.toml", text, std::path::Path::new("."), &[]).map(|_| ())
    };
    assert_eq!(parse(&text("")), Ok(()));
    let refused = parse(&text(", template = \"one\""))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("must be left out where bodies have a template"),
        "{refused}"
    );
}
