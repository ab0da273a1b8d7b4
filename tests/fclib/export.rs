//! The problem of a run's next step: what that step itself finds solves it, under every law that the format has a place for.

use crate::files::{alone, place};
use crate::harness::on;
use moreau::comm::threads::Serial;
use moreau::contact::ContactRow;
use moreau::io::checkpoint::{self, Loaded};
use moreau::io::fclib;
use moreau::math::Vector3;
use moreau::problem::merit;
use moreau::sim::{self, Exported, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A hundred spheres that fall on each other; `laws` are the material's, `walls` the box or what stands in its place.
fn config(laws: &str, walls: &str, more: &str) -> String {
    format!(
        "gravity = [0.4, 0.0, -9.81]\n\
         time = {{ dt = 1.0e-3, until = 10.0 }}\n\
         domain = {{ lower = [0.0, 0.0, -0.01], upper = [0.05, 0.05, 0.2] }}\n\
         solver = {{ tolerance = 1.0e-3, max_sweeps = 2000, skin = 1.0e-3 }}\n\
         material = [{{ name = \"m\", density = 2500.0, {laws} }}]\n\
         {walls}\n\
         [[bodies]]\n\
         sample = \"lattice\"\nmaterial = \"m\"\ncount = 100\nradius = {{ uniform = [0.004, 0.005] }}\n\
         lower = [0.0, 0.0, 0.0]\nupper = [0.05, 0.05, 0.1]\n\
         velocity = [0.1, 0.0, -1.0]\nangular_velocity = [3.0, 20.0, 5.0]\n{more}"
    )
}

const BOX: &str = "[[wall]]\nshape = \"box\"\nmaterial = \"m\"\n";
const SIDES: &str =
    "[[wall]]\nshape = \"box\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\"]\nmaterial = \"m\"\n";

/// A floor that shakes and turns.
fn shaken() -> String {
    format!(
        "{SIDES}[[wall]]\nshape = \"plane\"\nname = \"floor\"\nmaterial = \"m\"\npoint = [0.025, 0.025, 0.0]\nnormal = [0.0, 0.0, 1.0]\n\
         sine = {{ direction = [0.0, 0.0, 1.0], amplitude = 1.0e-3, frequency = 20.0, phase = 0.0 }}\n\
         rotation = {{ axis = [0.0, 0.0, 1.0], rate = 4.0 }}\n"
    )
}

/// A lid that a load presses down, by Newton's law.
fn pressed() -> String {
    format!(
        "{BOX}[[wall]]\nshape = \"plane\"\nname = \"lid\"\nmaterial = \"m\"\npoint = [0.025, 0.025, 0.11]\nnormal = [0.0, 0.0, -1.0]\n\
         free = {{ mass = 0.5, direction = [0.0, 0.0, 1.0], load = [0.0, 0.0, -5.0] }}\n"
    )
}

/// A ball that lies on them, free to turn.
fn ball() -> String {
    format!(
        "{BOX}[[wall]]\nshape = \"sphere\"\nname = \"ball\"\nmaterial = \"m\"\ncentre = [0.025, 0.025, 0.125]\nradius = 0.02\n\
         side = \"outside\"\nfree = {{ mass = 0.05, inertia = 8.0e-6 }}\n"
    )
}

/// A run to step `last`, with its folder; and its last checkpoint.
fn state(text: &str, last: u64) -> (tempfile::TempDir, PathBuf) {
    let (dir, path) = place("run.toml");
    std::fs::write(&path, text).unwrap();
    let out = dir.path().join("out");
    let options = Options {
        out: Some(out.clone()),
        steps: Some(last),
        threads: 1,
        ..Options::default()
    };
    sim::try_run(&Serial, &path, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (dir, out.join(format!("checkpoint-{last:08}.h5")))
}

/// What the next step makes of it, solved to a residual of 1e-13 or as far as so many sweeps go.
fn next(checkpoint: &Path, last: u64) -> Loaded {
    let out = checkpoint.parent().unwrap().with_file_name("next");
    let options = Options {
        out: Some(out.clone()),
        steps: Some(last + 1),
        threads: 1,
        set: vec![
            "solver.tolerance=1e-13".to_owned(),
            "solver.max_sweeps=60000".to_owned(),
        ],
        ..Options::default()
    };
    sim::try_resume(&Serial, checkpoint, &options).unwrap();
    let path = out.join(format!("checkpoint-{:08}.h5", last + 1));
    checkpoint::read(&Serial, &path).unwrap()
}

/// The impulses of a state in the terms of a problem; zero for contacts that are in the problem and not in the state.
fn impulses(exported: &Exported, state: &Loaded) -> Vec<f64> {
    let rows: BTreeMap<_, _> = state.contacts.iter().map(|row| (row.key, row)).collect();
    let d = exported.problem.matrix.dimension;
    let mut all = Vec::new();
    for contact in &exported.contacts {
        // A pair that sleeps is in the problem, and not in the state.
        let [impulse, couple] = rows.get(&contact.key).map_or([Vector3::zeros(); 2], |row| {
            [row.impulse, row.couple_impulse].map(Vector3::from)
        });
        let mut own = contact.frame.map(|axis| impulse.dot(&axis)).to_vec();
        own[0] += contact.cohesion;
        if d == 5 {
            own.extend(contact.frame[1..].iter().map(|axis| couple.dot(axis)));
        }
        all.extend(own);
    }
    // Contacts that are left alone are not in the problem.
    let named: BTreeSet<_> = exported
        .contacts
        .iter()
        .map(|contact| contact.key)
        .collect();
    let mut left_out = rows.values().filter(|row| !named.contains(&row.key));
    assert!(left_out.all(|row| row.impulse == [0.0; 3]));
    all
}

/// The largest difference of tangential velocities, `W r + q` and those of the bodies after the step, over the largest.
fn slip_off(exported: &Exported, state: &Loaded, u: &[f64]) -> f64 {
    let bodies: BTreeMap<_, _> = state.bodies.iter().map(|row| (row.id, row)).collect();
    let (mut off, mut size) = (0.0f64, 0.0f64);
    let d = exported.problem.matrix.dimension;
    for (contact, u) in exported.contacts.iter().zip(u.chunks(d)) {
        let (Some(a), Some(b)) = (bodies.get(&contact.key.a), bodies.get(&contact.key.b)) else {
            continue;
        };
        let n = contact.frame[0];
        let spin = |row: &moreau::body::BodyRow| Vector3::from(row.angular_velocity) * row.radius;
        let relative =
            Vector3::from(b.velocity) - Vector3::from(a.velocity) - (spin(a) + spin(b)).cross(&n);
        for (axis, u) in contact.frame[1..].iter().zip(&u[1..3]) {
            off = off.max((relative.dot(axis) - u).abs());
            size = size.max(u.abs());
        }
        if d == 5 {
            let turn = Vector3::from(b.angular_velocity) - Vector3::from(a.angular_velocity);
            for (axis, u) in contact.frame[1..].iter().zip(&u[3..]) {
                off = off.max((turn.dot(axis) - u).abs() * a.radius);
            }
        }
    }
    assert!(size > 1e-6, "something slips");
    off / size
}

/// The step's own impulses solve the exported problem, and `W r + q` are the velocities that its bodies have.
#[test]
fn the_next_step_solves_the_exported_problem() {
    let _alone = alone();
    let stiff = "stiffness = 2.0e3";
    for (name, laws, walls, last, slips) in [
        (
            "rigid",
            "friction = 0.5".to_owned(),
            BOX.to_owned(),
            40,
            true,
        ),
        (
            "two coefficients",
            "friction = 0.5, sliding_friction = 0.2".to_owned(),
            BOX.to_owned(),
            40,
            true,
        ),
        (
            "springs",
            format!("friction = 0.5, {stiff}, tangential_stiffness_ratio = 0.7"),
            BOX.to_owned(),
            60,
            false,
        ),
        (
            "rolling",
            "friction = 0.5, rolling_ratio = 0.1".to_owned(),
            BOX.to_owned(),
            40,
            true,
        ),
        (
            "restitution",
            "friction = 0.3, restitution = 0.5, tangential_restitution = 0.3".to_owned(),
            BOX.to_owned(),
            30,
            false,
        ),
        (
            "bonds",
            format!("friction = 0.5, cohesion = 0.02, cohesion_range = 1.0e-4, {stiff}"),
            BOX.to_owned(),
            60,
            false,
        ),
        (
            "bonds that roll",
            format!(
                "friction = 0.5, rolling = 2.0e-4, cohesion = 0.02, cohesion_range = 1.0e-4, {stiff}"
            ),
            BOX.to_owned(),
            60,
            false,
        ),
        (
            "shaken",
            format!("friction = 0.5, rolling_ratio = 0.05, {stiff}"),
            shaken(),
            60,
            false,
        ),
        (
            "pressed",
            format!("friction = 0.4, {stiff}"),
            pressed(),
            130,
            false,
        ),
        (
            "a free ball",
            format!("friction = 0.4, rolling_ratio = 0.1, {stiff}"),
            ball(),
            150,
            false,
        ),
    ] {
        let special = ["shaken", "pressed", "a free ball"].contains(&name);
        // A wall that rebounds may touch nothing in one step; it does in a later one.
        let mut last = last;
        let (_dir, checkpoint, state) = loop {
            let (dir, checkpoint) = state(&config(&laws, &walls, ""), last);
            let after = next(&checkpoint, last);
            let wall = Some(after.walls.len() - 1);
            let carries = |row: &ContactRow| row.impulse != [0.0; 3];
            let of_wall = |row: &&ContactRow| row.key.b.wall_index() == wall;
            let touches = after.contacts.iter().filter(of_wall).any(carries);
            if !special || touches || last > 250 {
                break (dir, checkpoint, after);
            }
            last += 10;
        };
        let exported = sim::export(&checkpoint, &[]).unwrap();
        assert_eq!((exported.step, exported.problem.fault()), (last + 1, None));
        let fast = exported.problem.q.iter().any(|q| q.abs() > 1e6);
        assert!(!fast, "{name}: contacts that are left alone are left out");
        let r = impulses(&exported, &state);
        let error = merit::siconos_error(&exported.problem, &r);
        let start = merit::siconos_error(&exported.problem, &exported.impulse);
        let active = r
            .chunks(exported.problem.matrix.dimension)
            .filter(|r| r[0] > 0.0)
            .count();
        // The last wall is the one that is special.
        let last_wall = state.walls.len() - 1;
        let held = exported
            .contacts
            .iter()
            .zip(r.chunks(exported.problem.matrix.dimension));
        let at_wall = held.filter(|(c, r)| c.key.b.wall_index() == Some(last_wall) && r[0] > 0.0);
        let at_wall = at_wall.count();
        if special {
            assert!(at_wall > 0, "{name}: the wall touches nothing");
        }
        println!(
            "{name}: {} contacts, {active} active, {at_wall} at the last wall, error {error:.1e}, of the guess {start:.1e}",
            exported.contacts.len()
        );
        assert!(active > 30, "{name}: {active}");
        assert!(error < 1e-9, "{name}: {error}");
        // Without units: where masses are small, Siconos' error is blunt.
        let residual = merit::residual(&exported.problem, &r);
        assert!(residual < 1e-9, "{name}: {residual}");
        assert!(
            start.is_finite() && start > 100.0 * error,
            "{name}: {start}"
        );
        if slips {
            let mut u = vec![0.0; r.len()];
            exported
                .problem
                .matrix
                .apply(&r, &exported.problem.q, &mut u);
            let off = slip_off(&exported, &state, &u);
            assert!(off < 1e-9, "{name}: {off}");
        }
    }
}

/// The program writes the same problem, reads it and solves it; springs make the impulses unique, so they are those of the step.
#[test]
fn the_program_exports_and_solves() {
    let _alone = alone();
    let (dir, checkpoint) = state(
        &config(
            "friction = 0.5, rolling_ratio = 0.1, stiffness = 2.0e3",
            BOX,
            "",
        ),
        60,
    );
    let file = dir.path().join("step.hdf5");
    let (checkpoint, out) = (checkpoint.to_str().unwrap(), file.to_str().unwrap());
    let exported = on(1, &["fclib", "export", checkpoint, "-o", out]);
    assert_eq!(exported.status, Some(0), "{}", exported.stderr);
    assert!(
        exported.stdout.contains("step 61 from 0.06 s"),
        "{}",
        exported.stdout
    );
    let direct = sim::export(Path::new(checkpoint), &[]).unwrap();
    let content = fclib::read(&file).unwrap();
    let reduced = moreau::fclib::reduce::reduce(&content).unwrap();
    assert_eq!(reduced.problem.q, direct.problem.q);
    assert_eq!(reduced.problem.friction, direct.problem.friction);
    assert_eq!(reduced.problem.rolling, direct.problem.rolling);
    let product = |of: &moreau::problem::Problem| {
        let mut u = vec![0.0; of.q.len()];
        of.matrix.apply(&direct.impulse, &of.q, &mut u);
        u
    };
    assert_eq!(product(&reduced.problem), product(&direct.problem));
    assert_eq!(content.guesses[0].r, direct.impulse);
    let solved = on(
        1,
        &[
            "fclib",
            "solve",
            "--guess",
            "--tolerance",
            "1e-10",
            "--write-solution",
            out,
        ],
    );
    assert_eq!(solved.status, Some(0), "{}{}", solved.stdout, solved.stderr);
    let found = fclib::read(&file).unwrap().solution.unwrap();
    let expected = impulses(&direct, &next(Path::new(checkpoint), 60));
    let norm = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>().sqrt();
    let off = norm(&mut found.r.iter().zip(&expected).map(|(a, b)| a - b))
        / norm(&mut expected.iter().copied());
    println!("impulses off by {off:.1e}");
    assert!(off < 1e-5, "{off}");

    let again = on(1, &["fclib", "export", checkpoint, "-o", out]);
    assert_eq!(again.status, Some(2));
    assert!(
        again.stderr.contains("must not exist yet"),
        "{}",
        again.stderr
    );
}

/// What the format has no place for is refused, and named.
#[test]
fn laws_without_a_place_are_refused() {
    let _alone = alone();
    let (dir, checkpoint) = state(&config("friction = 0.5, torsion_ratio = 0.1", BOX, ""), 40);
    let out = dir.path().join("step.hdf5");
    let refused = on(
        1,
        &[
            "fclib",
            "export",
            checkpoint.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
        ],
    );
    assert_eq!(refused.status, Some(2), "{}", refused.stdout);
    assert!(
        refused.stderr.contains("torsion friction"),
        "{}",
        refused.stderr
    );
    let missing = on(
        1,
        &["fclib", "export", "no/such.h5", "-o", out.to_str().unwrap()],
    );
    assert_eq!(missing.status, Some(2));
    assert!(!out.exists());
}
