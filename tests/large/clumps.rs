//! Large clumps: they answer by their tensor of inertia, at arms of their parts.

use super::harness::{Place, mpi_available, on, state};
use super::same_on_all;
use super::scene::Scene;
use super::scene::clump::{dumbbell, tetrahedron};
use super::scene::momentum::of_bodies;
use super::scene::{State, record};
use moreau::body::{BodyId, BodyKind, BodyRow};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::scheme::StepError;

/// Bounding radius of the large clump [m].
const RADIUS: f64 = 0.05;

/// Balls and small dumbbells that fall, and one clump of ten times their size among them, as the
/// first body or the last; its index.
fn poured(side: usize, layers: usize, first: bool) -> (Scene, usize) {
    let mut s = Scene::poured(side, layers, 5);
    s.templates = vec![tetrahedron(), dumbbell()];
    let middle = [0.52 * s.upper.x, 0.47 * s.upper.y, 0.55 * s.upper.z];
    let far = |x: &[f64; 3]| (Vector3::from(*x) - Vector3::from(middle)).norm() > RADIUS + 0.0055;
    let balls = std::mem::take(&mut s.bodies);
    let balls = balls.into_iter().filter(|row| far(&row.position));
    let large = |s: &mut Scene| {
        let i = s.clump(middle, RADIUS, 0);
        s.bodies[i].velocity = [0.3, -0.5, -1.0];
        s.bodies[i].angular_velocity = [5.0, -3.0, 8.0];
        set_spin(s, i);
        i
    };
    let before = first.then(|| large(&mut s));
    for (k, row) in balls.enumerate() {
        let i = match k % 4 {
            0 => s.clump(row.position, row.radius, 1),
            _ => s.glass_sphere(row.position, row.radius),
        };
        (s.bodies[i].velocity, s.bodies[i].angular_velocity) = (row.velocity, row.angular_velocity);
        set_spin(&mut s, i);
    }
    let i = before.unwrap_or_else(|| large(&mut s));
    s.large = Some(0.01);
    (s, i)
}

fn set_spin(s: &mut Scene, i: usize) {
    let spin = s.bodies[i].angular_velocity;
    s.bodies[i].turn_with(spin, &s.templates.clone());
}

/// The number of contacts of a body that carry a force.
fn touches(state: &State, id: BodyId) -> usize {
    let of = state.contacts.iter();
    let of = of.filter(|c| [c.key.a, c.key.b].contains(&id) && c.impulse != [0.0; 3]);
    of.count()
}

/// A large clump falls among small bodies, with friction, then also with springs.
#[test]
fn same_bits_on_any_number_of_ranks_and_threads() {
    let (mut s, i) = poured(14, 10, false);
    let state = same_on_all(&s, 60, "a large clump among small bodies");
    let count = touches(&state, s.bodies[i].id);
    assert!(count > 3, "{count} bodies touch the large one");
    s.pair = Some(Pair {
        compliance: 1e-7,
        rolling: Arm::Reduced(0.1),
        ..Pair::coulomb(0.5)
    });
    same_on_all(&s, 30, "a large clump with springs");
}

/// A large clump is the first side of its contacts; a large ball and another clump hit it, and that
/// one is held then.
#[test]
fn same_bits_where_large_clumps_come_first() {
    let mut s = Scene::new([-0.2; 3], [0.2; 3], 1e-3);
    s.close();
    s.friction = 0.4;
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-4, 500);
    s.templates = vec![tetrahedron(), dumbbell()];
    s.large = Some(0.01);
    let first = s.clump([0.0, 0.0, 0.0], RADIUS, 0);
    let second = s.clump([0.01, 0.0, 0.11], RADIUS, 1);
    s.glass_sphere([0.02, 0.01, -0.11], 0.05);
    s.bodies[second].velocity = [0.0, 0.0, -2.0];
    s.bodies[first].angular_velocity = [5.0, -3.0, 8.0];
    set_spin(&mut s, first);
    for k in 0..1000 {
        let site = [k % 10, k / 10 % 10, k / 100].map(|i| 0.039 * (f64::from(i) - 4.5));
        let at = Vector3::from(site);
        let far = |row: &BodyRow| {
            row.radius < 0.01 || (Vector3::from(row.position) - at).norm() > row.radius + 0.008
        };
        if s.bodies.iter().all(far) {
            let i = match k % 3 {
                0 => s.clump(site, 0.007, 1),
                _ => s.glass_sphere(site, 0.007),
            };
            s.bodies[i].velocity = (-3.0 * at).into();
        }
    }
    let state = same_on_all(&s, 50, "two large clumps and a large ball");
    let pushed = (state.velocity(first) - Vector3::from(s.bodies[first].velocity)).norm();
    assert!(pushed > 0.2, "{pushed}");
    let hits = |steps| s.run(steps).impulse(BodyId(0), BodyId(1)).norm() > 0.0;
    assert!((3..30).any(hits), "one hits the other");
    s.bodies[second].kind = BodyKind::Fixed as u32;
    s.bodies[second].velocity = [0.0; 3];
    same_on_all(&s, 20, "a large clump that is held");
}

/// Without friction the velocities after each step are unique: those of a large clump are those of
/// blocks as wide as it needs.
#[test]
fn a_large_clump_moves_as_one_of_the_others() {
    for first in [false, true] {
        let (mut s, i) = poured(10, 10, first);
        s.friction = 0.0;
        (s.solver.tolerance, s.solver.max_sweeps) = (1e-11, 100_000);
        // A few sweeps over positions depend on their order.
        s.solver.projection.sweeps = 0;
        let steps = 20;
        let large = s.run_on(3, 1, steps);
        s.large = None;
        let plain = s.run(steps);
        assert!(large.all_converged() && plain.all_converged());
        let spin = |row: &BodyRow| Vector3::from(row.angular_velocity);
        let pushed = (spin(&plain.bodies[i]) - spin(&s.bodies[i])).norm();
        assert!(pushed > 0.1, "{pushed}");
        let apart = |i: usize| {
            let turned = (spin(&large.bodies[i]) - spin(&plain.bodies[i])).norm();
            (large.position(i) - plain.position(i)).norm() / 0.005 + turned * s.dt
        };
        let apart = (0..plain.bodies.len()).map(apart).fold(0.0, f64::max);
        record(
            "A25",
            "positions with a large clump, against those with wide blocks, of radii",
            apart,
            0.0,
            1e-6,
        );
    }
}

/// A large clump goes through the end of a period into a cluster: the same bits on any ranks, and
/// the velocities of blocks as wide as it needs.
#[test]
fn a_large_clump_across_a_period() {
    let mut s = Scene::new([-0.25; 3], [0.25; 3], 1e-3);
    s.periodic = [true, false, false];
    s.templates = vec![tetrahedron()];
    s.friction = 0.0;
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-11, 100_000);
    s.solver.projection.sweeps = 0;
    for k in 0..125 {
        let [x, y, z] = [k % 5, k / 5 % 5, k / 25].map(|i| 0.0102 * f64::from(i));
        s.glass_sphere([x - 0.19, y - 0.02, z - 0.02], 0.005);
    }
    let i = s.clump([0.245, 0.0, 0.0], RADIUS, 0);
    s.bodies[i].velocity = [2.0, 0.1, 0.0];
    s.bodies[i].angular_velocity = [5.0, -3.0, 8.0];
    set_spin(&mut s, i);
    s.large = Some(0.01);
    let large = same_on_all(&s, 25, "a large clump across a period");
    s.large = None;
    let plain = s.run(25);
    assert!(large.all_converged() && plain.all_converged());
    let spin = |state: &State| Vector3::from(state.bodies[i].angular_velocity);
    let pushed = (spin(&plain) - Vector3::from(s.bodies[i].angular_velocity)).norm();
    assert!(pushed > 0.01, "{pushed}");
    let apart = (large.velocity(i) - plain.velocity(i)).norm() / 2.0
        + (spin(&large) - spin(&plain)).norm() / 8.0;
    record(
        "A25",
        "velocities of a large clump across a period",
        apart,
        0.0,
        1e-6,
    );
}

/// A large clump whose surface turns by more than blocks allow is refused by its id; a large ball
/// may spin at any rate, as its surface moves along itself.
#[test]
fn a_large_clump_that_spins_too_fast_is_named() {
    let (mut s, i) = poured(14, 10, false);
    for (template, refused) in [(0, true), (1, true), (2, false)] {
        let (x, r) = (s.bodies[i].position, RADIUS);
        s.bodies.truncate(i);
        match template {
            2 => s.glass_sphere(x, r),
            _ => s.clump(x, r, template),
        };
        s.bodies[i].angular_velocity = [0.0, 300.0, 1000.0];
        set_spin(&mut s, i);
        for (ranks, threads) in [(1, 1), (3, 1), (1, 2)] {
            let error = s.try_run(ranks, threads, 1).err();
            let named = match &error {
                Some(StepError::TooFast { step: 1, id, .. }) => *id == s.bodies[i].id.0,
                _ => false,
            };
            assert_eq!((named, error.is_some()), (refused, refused), "{error:?}");
        }
    }
}

/// Momentum and angular momentum of a large clump that hits a cluster, and of another that hits
/// both, with friction.
#[test]
fn momentum_is_kept() {
    let mut s = Scene::new([-0.5; 3], [0.5; 3], 1e-4);
    s.friction = 0.4;
    s.solver.max_sweeps = 2000;
    s.templates = vec![tetrahedron(), dumbbell()];
    for k in 0..343 {
        let site = [k % 7, k / 7 % 7, k / 49].map(|i| 0.0101 * (f64::from(i) - 3.0));
        match k % 5 {
            0 => s.clump(site, 0.005, 1),
            _ => s.glass_sphere(site, 0.005),
        };
    }
    let i = s.clump([0.005, 0.012, 0.12], 0.08, 0);
    s.bodies[i].velocity = [0.3, 0.0, -2.0];
    s.bodies[i].angular_velocity = [0.0, 4.0, 1.0];
    set_spin(&mut s, i);
    let j = s.clump([0.03, 0.0, -0.14], 0.1, 1);
    s.bodies[j].velocity = [0.0, 0.1, 1.0];
    s.large = Some(0.01);
    let state = same_on_all(&s, 200, "two large clumps and a cluster");
    let [before, after] = [&s.bodies, &state.bodies].map(|rows| of_bodies(rows));
    let scale = s.bodies[i].mass * 2.0;
    for k in [i, j] {
        let pushed = (state.velocity(k) - Vector3::from(s.bodies[k].velocity)).norm();
        assert!(pushed > 0.01, "{pushed}");
    }
    let lost = (after[0] - before[0]).norm() / scale;
    record("H7", "momentum lost with large clumps", lost, 0.0, 1e-13);
    // Contacts that close within a step act half a gap from each surface, as those of balls do.
    let turned = (after[1] - before[1]).norm() / (scale * 0.1);
    record(
        "H7",
        "angular momentum lost with large clumps",
        turned,
        0.0,
        3.0 * s.dt / 0.1,
    );
}

/// A free clump of a hundred radii flies into a few hundred small balls and dumbbells.
///
/// The same bits on any ranks; what it loses is what they gain.
#[test]
fn a_clump_of_a_hundred_radii_among_small_bodies() {
    const SMALL: f64 = 0.002;
    const SPEED: f64 = 2.0;
    let mut s = Scene::new([-0.21, -0.05, -0.05], [0.08, 0.05, 0.05], 1e-4);
    s.friction = 0.4;
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-4, 100);
    s.templates = vec![dumbbell()];
    for k in 0..343 {
        let [i, j, l] = [k % 7, k / 7 % 7, k / 49].map(|i| 2.02 * SMALL * f64::from(i));
        let site = [i, j - 7.0 * SMALL, l - 7.0 * SMALL];
        match k % 4 {
            0 => s.clump(site, SMALL, 0),
            _ => s.glass_sphere(site, SMALL),
        };
    }
    // One of its two balls comes first, and reaches the first layer after five steps.
    let i = s.clump([-0.203, 0.0, 0.0], 100.0 * SMALL, 0);
    s.bodies[i].orientation = [1.0, 0.0, 0.0, 0.0];
    s.bodies[i].velocity = [SPEED, 0.1, 0.0];
    s.bodies[i].angular_velocity = [0.0, 1.0, 0.5];
    set_spin(&mut s, i);
    s.large = Some(0.01);
    let state = same_on_all(&s, 40, "a clump of a hundred radii");
    let [before, after] = [&s.bodies, &state.bodies].map(|rows| of_bodies(rows)[0]);
    let gained = of_bodies(&state.bodies[..i])[0].norm();
    let share = gained / (s.bodies[i].mass * SPEED);
    assert!((1e-4..3e-3).contains(&share), "{share:e}");
    let lost = (after - before).norm() / (s.bodies[i].mass * SPEED);
    let name = "momentum lost with a clump of a hundred radii";
    record("H7", name, lost, 0.0, 1e-13);
}

/// A clump of twenty radii among small balls, in the program: a resume on other ranks has the bits
/// of the whole run. Inlets may bring no large clumps.
#[test]
fn a_large_clump_in_the_program() {
    let place = Place::new();
    let text = "gravity = [0.0, 0.0, -9.81]\n[time]\ndt = 5e-4\nsteps = 60\n\
        [domain]\nlower = [0.0, 0.0, 0.0]\nupper = [0.2, 0.2, 0.5]\n\
        [output]\nseries = 20\n[checkpoint]\nevery = 30\nkeep = 9\n\
        [[material]]\nname = \"glass\"\ndensity = 2500.0\nfriction = 0.5\n\
        [[template]]\nname = \"dumbbell\"\nparts = [[0, 0, 0, 1], [1, 0, 0, 1]]\n\
        [[wall]]\nshape = \"box\"\nmaterial = \"glass\"\n\
        [[bodies]]\nsample = \"file\"\nmaterial = \"glass\"\ntemplate = \"dumbbell\"\nfile = \"big.csv\"\n\
        [[bodies]]\nsample = \"random\"\nmaterial = \"glass\"\ncount = 1500\nradius = 0.004\n\
        lower = [0.0, 0.0, 0.0]\nupper = [0.2, 0.2, 0.2]\n";
    place.write("big.csv", "x,y,z,radius\n0.1,0.09,0.285,0.08\n");
    let path = place.write("a.toml", text);
    let checked = on(1, &["check", &path]);
    let has = checked.stdout.contains("1 large bodies");
    assert!(has, "{} {}", checked.stdout, checked.stderr);
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let ranks = if mpi_available() { 3 } else { 1 };
    let half = format!("{out}/checkpoint-00000030.h5");
    let resumed = on(ranks, &["resume", &half, "--out", &place.path("other")]);
    assert_eq!(state(&resumed), whole);

    let inlet = "[[region]]\nname = \"top\"\nshape = \"box\"\nlower = [0, 0, 0.4]\nupper = [0.2, 0.2, 0.5]\n\
        [[inlet]]\nregion = \"top\"\nmaterial = \"glass\"\ntemplate = \"dumbbell\"\nradius = 0.03\nrate = 10.0\n";
    let path = place.write("inlet.toml", &format!("{text}{inlet}"));
    let refused = on(1, &["check", &path, "--set", "solver.large_radius=0.02"]);
    assert_eq!(refused.status, Some(2), "{}", refused.stdout);
    let text = "inlet.toml:44: inlet.0.radius: must be at most solver.large_radius = 0.02 m";
    assert!(refused.stderr.contains(text), "{}", refused.stderr);
}
