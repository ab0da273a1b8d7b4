//! Bodies much larger than the rest: the same physics as with blocks as wide as they are, and the same bits on any number of ranks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;
mod harness;
mod scene;

#[path = "large/intruder.rs"]
mod intruder;

#[path = "large/clumps.rs"]
mod clumps;

#[path = "large/flap.rs"]
mod flap;

use harness::{Place, mpi_available, on, state};
use moreau::body::{BodyId, BodyKind};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::measure::kinetic_energy;
use moreau::solver::Exchange;
use scene::momentum::of_bodies;
use scene::{Scene, State, record, record_fact};

const RANKS: [usize; 5] = [1, 2, 3, 4, 8];

/// Balls that fall and pack, and one of ten times their radius that falls among them.
fn poured(side: usize, layers: usize) -> Scene {
    let mut s = Scene::poured(side, layers, 5);
    let (radius, r) = (0.05, 0.0055);
    let middle = [0.52 * s.upper.x, 0.47 * s.upper.y, 0.55 * s.upper.z];
    let far = |x: &[f64; 3]| (Vector3::from(*x) - Vector3::from(middle)).norm() > radius + r;
    s.bodies.retain(|body| far(&body.position));
    for (k, body) in s.bodies.iter_mut().enumerate() {
        body.id = BodyId(k as u64);
    }
    let i = s.glass_sphere(middle, radius);
    s.bodies[i].velocity = [0.3, -0.5, -1.0];
    s.bodies[i].angular_velocity = [5.0, -3.0, 8.0];
    s.large = Some(0.01);
    s
}

fn big(state: &State) -> usize {
    state.bodies.len() - 1
}

fn same_on_all(s: &Scene, steps: u64, name: &str) -> State {
    let serial = s.run(steps);
    for ranks in RANKS {
        for threads in [1, 2] {
            if (ranks, threads) != (1, 1) && (threads == 1 || ranks <= 2) {
                let same = s.run_on(ranks, threads, steps).same_bits(&serial);
                record_fact(
                    "H4",
                    &format!(
                        "{name}: {ranks} ranks of {threads} threads have the bits of one rank"
                    ),
                    same,
                );
            }
        }
    }
    serial
}

/// A large ball falls among small ones, with friction, then also with springs and rolling friction: the bits of one rank.
#[test]
fn same_bits_on_any_number_of_ranks_and_threads() {
    let mut s = poured(14, 10);
    let state = same_on_all(&s, 60, "a large ball among small ones");
    let id = s.bodies[big(&state)].id;
    let touches = state
        .contacts
        .iter()
        .filter(|c| c.key.b == id && c.impulse != [0.0; 3])
        .count();
    assert!(touches > 20, "{touches} balls carry the large one");
    s.pair = Some(Pair {
        compliance: 1e-7,
        rolling: Arm::Reduced(0.1),
        ..Pair::coulomb(0.5)
    });
    same_on_all(&s, 30, "a large ball with springs");
}

/// The large ball has the lowest id, so that it is the first side of its contacts; two of them, one held, and a piston: the bits of one rank.
#[test]
fn same_bits_where_large_balls_come_first() {
    let mut s = poured(14, 10);
    let last = s.bodies.len() - 1;
    s.bodies.swap(0, last);
    let (first, at) = (s.bodies[0].radius, s.bodies[0].position);
    // Rows in another order of ids.
    s.bodies[0].id = BodyId(0);
    s.bodies[last].id = BodyId(last as u64);
    // A second one falls on the first.
    s.upper.z += 0.12;
    let i = s.glass_sphere([at[0], at[1], at[2] + 1.92 * first], 0.9 * first);
    s.bodies[i].velocity = [0.0, 0.0, -2.0];
    let far = Vector3::from(s.bodies[i].position);
    let keeps = |body: &moreau::body::BodyRow| {
        body.radius > 0.01 || (Vector3::from(body.position) - far).norm() > 0.9 * first + 0.0055
    };
    s.bodies.retain(keeps);
    for (k, body) in s.bodies.iter_mut().enumerate() {
        body.id = BodyId(k as u64);
    }
    let i = s.bodies.len() - 1;
    s.walls.clear();
    s.close();
    // Two balls of a thousand grains press some against the floor.
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-4, 1000);
    same_on_all(&s, 40, "two large balls");
    let hits = |steps| s.run(steps).impulse(BodyId(0), BodyId(i as u64)).norm() > 0.0;
    assert!((1..6).any(hits), "one hits the other");
    s.bodies[i].kind = BodyKind::Fixed as u32;
    s.bodies[i].velocity = [0.0; 3];
    same_on_all(&s, 20, "a large ball that is held");
    let piston = scene::piston(5.0, 1.0);
    s.walls.push(scene::plane(s.upper.z - 1e-3, -1.0, piston));
    same_on_all(&s, 20, "large balls under a piston");
}

/// Without friction the velocities after each step are unique: those of large balls are those of blocks as wide as they need.
#[test]
fn a_large_ball_moves_as_one_of_the_others() {
    let mut s = poured(10, 10);
    s.friction = 0.0;
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-11, 100_000);
    // A few sweeps over positions depend on their order.
    s.solver.projection.sweeps = 0;
    let steps = 25;
    let large = s.run_on(3, 1, steps);
    // Several passes over a block, and a part of the ball in each block: the same.
    s.solver.inner_passes = 3;
    let passes = s.run(steps);
    s.solver.inner_passes = 1;
    s.large = None;
    let plain = s.run(steps);
    let between = |i: usize| (large.position(i) - passes.position(i)).norm();
    let between = (0..plain.bodies.len()).map(between).fold(0.0, f64::max);
    record(
        "A25",
        "the same with three passes over each block, of radii",
        between / 0.005,
        0.0,
        1e-6,
    );
    assert!(large.all_converged() && plain.all_converged());
    let i = big(&plain);
    let pushed = (plain.velocity(i) - Vector3::from(s.bodies[i].velocity)).norm();
    assert!(pushed > 0.02, "{pushed}");
    let apart = (0..plain.bodies.len())
        .map(|i| (large.position(i) - plain.position(i)).norm())
        .fold(0.0, f64::max);
    record(
        "A25",
        "positions with a large ball, against those with wide blocks, of radii",
        apart / 0.005,
        0.0,
        1e-6,
    );
}

/// A large ball that is driven keeps its velocity, and ploughs through the others as in wide blocks: the same bits on any ranks.
#[test]
fn a_driven_large_ball_ploughs_through_the_others() {
    let mut s = poured(14, 10);
    let i = s.bodies.len() - 1;
    s.bodies[i].kind = BodyKind::Driven as u32;
    s.bodies[i].velocity = [0.2, -0.1, 0.5];
    let state = same_on_all(&s, 40, "a driven large ball");
    let (moved, spin) = (state.velocity(i), state.bodies[i].angular_velocity);
    assert_eq!(
        (moved, spin),
        (Vector3::new(0.2, -0.1, 0.5), [5.0, -3.0, 8.0])
    );
    let struck = |row: &&moreau::contact::ContactRow| {
        [row.key.a, row.key.b].contains(&s.bodies[i].id) && row.impulse != [0.0; 3]
    };
    let struck = state.contacts.iter().filter(struck).count();
    assert!(struck > 5, "{struck}");

    let mut s = poured(10, 10);
    let i = s.bodies.len() - 1;
    s.bodies[i].kind = BodyKind::Driven as u32;
    s.bodies[i].velocity = [0.2, -0.1, 0.5];
    s.friction = 0.0;
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-11, 100_000);
    s.solver.projection.sweeps = 0;
    let large = s.run_on(3, 1, 25);
    s.large = None;
    let plain = s.run(25);
    assert!(large.all_converged() && plain.all_converged());
    let apart = (0..plain.bodies.len()).map(|i| (large.position(i) - plain.position(i)).norm());
    let name = "positions with a driven large ball, against those with wide blocks, of radii";
    record("A25", name, apart.fold(0.0, f64::max) / 0.005, 0.0, 1e-6);
}

/// Momentum and angular momentum of a large ball that hits a cluster, and of two that hit each other, with friction.
#[test]
fn momentum_is_kept() {
    let mut s = Scene::new([-0.5; 3], [0.5; 3], 1e-4);
    s.friction = 0.4;
    s.solver.max_sweeps = 2000;
    for k in 0..343 {
        let site = [k % 7, k / 7 % 7, k / 49].map(|i| 0.0101 * (f64::from(i) - 3.0));
        s.glass_sphere(site, 0.005);
    }
    let i = s.glass_sphere([0.005, 0.012, 0.12], 0.08);
    s.bodies[i].velocity = [0.3, 0.0, -2.0];
    s.bodies[i].angular_velocity = [0.0, 4.0, 1.0];
    let j = s.glass_sphere([0.03, 0.0, -0.14], 0.1);
    s.bodies[j].velocity = [0.0, 0.1, 1.0];
    s.large = Some(0.01);
    let state = same_on_all(&s, 200, "two large balls and a cluster");
    let [before, after] = [&s.bodies, &state.bodies].map(|rows| of_bodies(rows));
    let scale = s.bodies[i].mass * 2.0;
    let slowed = (state.velocity(i) - Vector3::from(s.bodies[i].velocity)).norm();
    assert!(slowed > 0.01, "{slowed}");
    let lost = (after[0] - before[0]).norm() / scale;
    record("H7", "momentum lost with large balls", lost, 0.0, 1e-13);
    // Contacts that close within a step act half a gap from each surface: the way of a step over the arm.
    let turned = (after[1] - before[1]).norm() / (scale * 0.1);
    record(
        "H7",
        "angular momentum lost with large balls",
        turned,
        0.0,
        3.0 * s.dt / 0.1,
    );
}

/// A free ball of a hundred radii, a million times as heavy, flies into a few hundred small ones.
///
/// The same bits on any ranks; what it loses is what they gain.
#[test]
fn a_ball_of_a_hundred_radii_among_small_ones() {
    const SMALL: f64 = 0.002;
    const SPEED: f64 = 2.0;
    // Around the way of its centre, and the small ones.
    let mut s = Scene::new([-0.21, -0.05, -0.05], [0.08, 0.05, 0.05], 1e-4);
    s.friction = 0.4;
    // Momentum is kept however few the sweeps.
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-4, 100);
    for k in 0..343 {
        let [i, j, l] = [k % 7, k / 7 % 7, k / 49].map(|i| 2.02 * SMALL * f64::from(i));
        s.glass_sphere([i, j - 7.0 * SMALL, l - 7.0 * SMALL], SMALL);
    }
    // It reaches the first layer after five steps.
    let i = s.glass_sphere([-0.203, 0.0, 0.0], 100.0 * SMALL);
    s.bodies[i].velocity = [SPEED, 0.1, 0.0];
    s.bodies[i].angular_velocity = [0.0, 4.0, 1.0];
    s.large = Some(0.01);
    let state = same_on_all(&s, 40, "a ball of a hundred radii");
    let [before, after] = [&s.bodies, &state.bodies].map(|rows| of_bodies(rows)[0]);
    let gained = of_bodies(&state.bodies[..i])[0].norm();
    let share = gained / (s.bodies[i].mass * SPEED);
    // All small ones at its speed would have 3.4e-4 of its momentum.
    assert!((1e-4..1e-3).contains(&share), "{share:e}");
    let lost = (after - before).norm() / (s.bodies[i].mass * SPEED);
    record(
        "H7",
        "momentum lost with a ball of a hundred radii",
        lost,
        0.0,
        1e-13,
    );
}

/// C15: large balls are bodies of the energy ledger: what contacts take is what they lose, and walls bring in nothing.
#[test]
fn the_ledger_closes_with_large_balls() {
    let mut s = poured(14, 10);
    s.gravity = Vector3::zeros();
    s.walls.clear();
    s.lower.add_scalar_mut(-0.2);
    s.upper.add_scalar_mut(0.2);
    let mut before = s.clone();
    let mut taken = 0.0;
    for step in 0..25 {
        let state = before.run(1);
        let done = &state.done[0];
        let work = done.outcome.work;
        let [e0, e1] = [&before.bodies, &state.bodies].map(|rows| kinetic_energy(rows).value());
        assert_eq!(work.driven, 0.0, "step {step}");
        let off = (e1 - e0 + done.integrator + work.taken()).abs() / e0;
        assert!(off < 1e-12, "step {step}: {off:e}");
        taken += work.taken() / e0;
        before = s.goes_on(&state);
        before.start.as_mut().unwrap().0 = step + 1;
    }
    assert!(taken > 1e-3, "{taken}");
}

/// Three large balls on each other and on a floor, between small ones: forces by hand. The floor holds them in few sweeps, however many
/// small balls touch them.
#[test]
fn a_column_of_large_balls_stands() {
    let mut s = Scene::new([-0.2, -0.2, 0.0], [0.2, 0.2, 0.65], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    let radius: f64 = 0.1;
    // Grains at rest on the floor, around the foot, touch nothing but the floor and the lowest ball.
    for k in 0..200 {
        let (ring, place) = (k / 100, k % 100);
        let r = 0.002;
        let far = (radius * r * 4.0).sqrt() + 0.0041 * f64::from(ring);
        let angle = f64::from(place) * std::f64::consts::TAU / 100.0;
        s.glass_sphere([far * angle.cos(), far * angle.sin(), r], r);
    }
    let first = s.bodies.len();
    for k in 0..3 {
        s.sphere([0.0, 0.0, radius * (2.0 * f64::from(k) + 1.0)], radius, 4.0);
    }
    s.large = Some(0.01);
    s.solver.tolerance = 1e-6;
    s.solver.max_sweeps = 5000;
    let state = s.run_on(2, 1, 20);
    assert!(state.all_converged());
    let id = |k: usize| BodyId((first + k) as u64);
    let force = |a, b| state.impulse(a, b).norm() / 1e-3;
    for (name, found, expected) in [
        ("the floor", force(id(0), BodyId::wall(0)), 120.0),
        ("the lowest", force(id(0), id(1)), 80.0),
        ("the middle one", force(id(1), id(2)), 40.0),
    ] {
        let name = format!("force on {name} in a column of large balls [N]");
        record("A3", &name, found, expected, 1e-3 * expected);
    }
    let sweeps = state.done[0].outcome.sweeps;
    assert!(sweeps < 200, "{sweeps} sweeps from cold");
}

/// One exchange a sweep: bodies at cuts are split among ranks, large ones are not.
#[test]
fn with_one_exchange_a_sweep() {
    let mut s = poured(14, 10);
    s.friction = 0.0;
    s.solver.exchange = Exchange::Sweep;
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-8, 100_000);
    let [one, four] = [1, 4].map(|ranks| s.run_on(ranks, 1, 12));
    assert!(one.all_converged() && four.all_converged());
    let apart = (0..one.bodies.len())
        .map(|i| (one.position(i) - four.position(i)).norm())
        .fold(0.0, f64::max);
    record(
        "H4",
        "positions with a large ball and one exchange a sweep, of radii",
        apart / 0.005,
        0.0,
        1e-4,
    );
}

/// A ball of 20 radii among small ones, in the program: blocks are those of the small ones, the checkpoint has the bound, and the run goes on
/// from it on other ranks to the same state.
#[test]
fn a_large_ball_in_the_program() {
    let place = Place::new();
    let text = "gravity = [0.0, 0.0, -9.81]\n[time]\ndt = 5e-4\nsteps = 80\n\
        [domain]\nlower = [0.0, 0.0, 0.0]\nupper = [0.3, 0.3, 0.5]\n\
        [output]\nseries = 20\n[checkpoint]\nevery = 40\nkeep = 9\n\
        [[material]]\nname = \"glass\"\ndensity = 2500.0\nfriction = 0.5\n\
        [[wall]]\nshape = \"box\"\nmaterial = \"glass\"\n\
        [[bodies]]\nsample = \"file\"\nmaterial = \"glass\"\nfile = \"big.csv\"\n\
        [[bodies]]\nsample = \"random\"\nmaterial = \"glass\"\ncount = 4000\nradius = 0.004\nlower = [0.0, 0.0, 0.0]\nupper = [0.3, 0.3, 0.24]\n";
    place.write("big.csv", "x,y,z,radius\n0.15,0.14,0.33,0.08\n");
    let path = place.write("a.toml", text);
    let checked = on(1, &["check", &path]);
    assert_eq!(checked.status, Some(0), "{}", checked.stderr);
    assert!(
        checked.stdout.contains("1 large bodies"),
        "{}",
        checked.stdout
    );
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let ranks = if mpi_available() { 3 } else { 1 };
    let again = place.path("again");
    assert_eq!(state(&on(ranks, &["run", &path, "--out", &again])), whole);
    let half = format!("{out}/checkpoint-00000040.h5");
    let other = place.path("other");
    let resumed = on(ranks, &["resume", &half, "--out", &other]);
    assert_eq!(state(&resumed), whole);
    // A bound that nearly all balls exceed is refused before anything is written.
    for command in ["run", "check"] {
        let refused = on(1, &[command, &path, "--set", "solver.large_radius=0.001"]);
        assert_eq!(refused.status, Some(2), "{}", refused.stdout);
        let text = "--set solver.large_radius=0.001: solver.large_radius: must be at least the radius of half of all bodies";
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
    // Without the rule: one block holds the ball, and the same bits are not asked for.
    let wide = place.path("wide");
    let plain = on(
        1,
        &[
            "run",
            &path,
            "--out",
            &wide,
            "--set",
            "solver.large_radius=1.0",
        ],
    );
    assert_eq!(plain.status, Some(0), "{}", plain.stderr);
}
