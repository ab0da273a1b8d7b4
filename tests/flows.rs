//! Bodies that come in and go out, are pushed, held, or grow, through whole runs: as many as are due, nothing lost, the books closed, the
//! same on any ranks and after a restart.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::comm::threads;
use moreau::config;
use moreau::io::checkpoint::{self, Loaded};
use moreau::io::series::{DeletedLine, FlowLine, Row};
use moreau::sim::{self, Options};
use scene::record;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A hopper without walls: bodies come in above, by number and by mass, fall past a field, and go out below, or leave by the side.
const HOPPER: &str = r#"
gravity = [0.0, 0.0, -9.81]
time = { dt = 1.0e-3, steps = 400 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.3, 0.3, 0.4], outside = "delete" }
solver = { tolerance = 1e-3 }
balance = { every = 10 }
checkpoint = { every = 0 }
material = [{ name = "glass", density = 2500.0, friction = 0.5 }]
region = [
  { name = "top", shape = "box", lower = [0.05, 0.05, 0.3], upper = [0.25, 0.25, 0.39] },
  { name = "jet", shape = "cylinder", from = [0.15, 0.15, 0.2], to = [0.15, 0.15, 0.3], radius = 0.04 },
  { name = "side", shape = "box", lower = [0.0, 0.0, 0.1], upper = [0.3, 0.3, 0.2] },
  { name = "drain", shape = "box", lower = [0.1, 0.1, 0.0], upper = [0.2, 0.2, 0.05] },
]
inlet = [
  { region = "top", material = "glass", radius = { uniform = [0.008, 0.012] }, rate = 600.0, until = 0.25, velocity = [0.0, 0.0, -0.5] },
  { region = "jet", material = "glass", radius = 0.005, mass_rate = 0.2, count = 40, from = 0.05, every = 7 },
]
outlet = [{ region = "drain", from = 0.1 }]
force = [{ region = "side", acceleration = [5.0, 0.0, 0.0] }]
freeze = [{ region = "side", from = 0.2, until = 0.22 }]
wall = [{ shape = "plane", material = "glass", point = [0.0, 0.0, 0.02], normal = [0.0, 0.0, 1.0] }]
"#;

fn options(out: &Path, steps: Option<u64>) -> Options {
    Options {
        out: Some(out.to_owned()),
        threads: 1,
        steps,
        ..Options::default()
    }
}

/// Runs a text on so many ranks, in one go or with a stop on the way from which it goes on on other ranks.
fn run(text: &str, ranks: usize, stop: Option<(u64, usize)>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("run.toml");
    std::fs::write(&config, text).unwrap();
    let out = dir.path().join("out");
    let first = options(&out, stop.map(|(step, _)| step));
    threads::run(ranks, |comm| sim::try_run(comm, &config, &first).unwrap());
    if let Some((_, ranks)) = stop {
        let then = Options {
            out: None,
            ..options(&out, None)
        };
        threads::run(ranks, |comm| sim::try_resume(comm, &out, &then).unwrap());
    }
    dir
}

fn lines<L: DeserializeOwned>(dir: &tempfile::TempDir, name: &str) -> Vec<L> {
    let path = dir.path().join("out").join(name);
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|line| line.unwrap()).collect()
}

fn text_file(dir: &tempfile::TempDir, name: &str) -> String {
    std::fs::read_to_string(dir.path().join("out").join(name)).unwrap()
}

fn last(dir: &tempfile::TempDir) -> Loaded {
    let found = threads::run(1, |comm| {
        checkpoint::read_newest(comm, &dir.path().join("out")).unwrap()
    });
    let (_, mut loaded, _): (PathBuf, Loaded, _) = found.into_iter().next().unwrap();
    loaded.header.ranks = 0;
    loaded.header.provenance.clear();
    loaded
}

/// Every body that came in is there, or has gone out, or was deleted, by id; masses add up; as many came as were due.
#[test]
fn no_body_is_lost_between_inlet_and_outlet() {
    let dir = run(HOPPER, 1, None);
    let end = last(&dir);
    let gone: Vec<DeletedLine> = lines(&dir, "deleted.csv");
    let mut ids: Vec<u64> = end.bodies.iter().map(|row| row.id.0).collect();
    ids.extend(gone.iter().map(|line| line.id));
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..end.header.next_id));
    let flows: Vec<FlowLine> = lines(&dir, "flows.csv");
    let [top, jet, drain] = &flows[flows.len() - 3..] else {
        panic!("three flows")
    };
    // There is room for all that is due whenever it is looked.
    let waiting = flows.iter().find(|line| line.waiting > 0);
    assert_eq!(waiting, None);
    // 600 a second for a quarter of one; all 40 of the other.
    assert_eq!((top.bodies, top.waiting, jet.bodies), (150, 0, 40));
    assert_eq!(end.header.next_id, 190);
    let out: Vec<&DeletedLine> = gone.iter().filter(|line| line.outlet == "drain").collect();
    assert!(out.len() > 10 && gone.len() > out.len(), "{}", out.len());
    assert_eq!(out.len() as u64, drain.bodies);
    let mass = |lines: &[&DeletedLine]| lines.iter().map(|line| line.mass).sum::<f64>();
    assert!((mass(&out) - drain.mass).abs() < 1e-12 * drain.mass);
    let there: f64 = end.bodies.iter().map(|row| row.mass).sum();
    let all = there + mass(&gone.iter().collect::<Vec<_>>());
    assert!((all - top.mass - jet.mass).abs() < 1e-12 * all);
    let rows: Vec<Row> = lines(&dir, "series.csv");
    let row = rows.last().unwrap();
    assert_eq!((row.came, row.drained), (190, drain.bodies));
    assert_eq!(row.deleted as usize, gone.len() - out.len());
}

/// C15 with bodies that come, go, are pushed and held: from step to step the energy changes by what the columns say.
#[test]
fn c15_the_books_close_while_bodies_come_and_go() {
    let dir = run(HOPPER, 2, None);
    let rows: Vec<Row> = lines(&dir, "series.csv");
    let (mut largest, mut held) = (0.0_f64, 0);
    for pair in rows.windows(2) {
        let [a, b] = pair else { panic!("two") };
        let energy = |row: &Row| row.kinetic_energy + row.potential_energy;
        let books = |row: &Row| {
            row.driven + row.entered + row.projected
                - row.integrator
                - (row.normal + row.cohesion + row.friction + row.rolling + row.torsion)
        };
        let off = energy(b) - energy(a) - (books(b) - books(a));
        largest = largest.max(off.abs() / (energy(b).abs() + energy(a).abs()));
        held += u32::from(b.time > 0.2 && b.time < 0.22 && b.entered != a.entered);
    }
    assert!(held > 0, "nothing was held");
    record(
        "C15",
        "largest gap in the books of a step while bodies come and go",
        largest,
        0.0,
        1e-10,
    );
    assert!(largest < 1e-10, "{largest:e}");
}

/// The same state, flows and lists on any ranks, and after a stop.
#[test]
fn the_same_on_any_ranks_and_after_a_restart() {
    let serial = run(HOPPER, 1, None);
    let (end, flows, gone) = (
        last(&serial),
        text_file(&serial, "flows.csv"),
        text_file(&serial, "deleted.csv"),
    );
    for (ranks, stop) in [
        (2, None),
        (3, None),
        (4, None),
        (1, Some((137, 3))),
        (3, Some((211, 1))),
    ] {
        let other = run(HOPPER, ranks, stop);
        assert_eq!(last(&other), end, "{ranks} ranks, stop {stop:?}");
        assert_eq!(
            text_file(&other, "flows.csv"),
            flows,
            "{ranks} ranks, stop {stop:?}"
        );
        assert_eq!(
            text_file(&other, "deleted.csv"),
            gone,
            "{ranks} ranks, stop {stop:?}"
        );
    }
}

/// A body without weight under a force F for a time T goes at F T/m, a held one not at all, and where it stood when it was let go.
#[test]
fn forces_and_holds_act_for_their_time() {
    let text = r#"
gravity = [0.0, 0.0, 0.0]
time = { dt = 1.0e-3, steps = 100 }
domain = { lower = [0.0, 0.0, 0.0], upper = [1.0, 1.0, 1.0] }
material = [{ name = "m", density = 1000.0, friction = 0.0 }]
region = [
  { name = "left", shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.5, 1.0, 1.0] },
  { name = "right", shape = "sphere", centre = [0.75, 0.5, 0.5], radius = 0.2 },
]
force = [{ region = "left", force = [0.0, 0.3, 0.0], from = 0.02, until = 0.07 }]
freeze = [{ region = "right", from = 0.0, until = 0.04 }]
bodies = [
  { sample = "lattice", material = "m", count = 1, radius = 0.05, jitter = 0.0, lower = [0.2, 0.4, 0.4], upper = [0.4, 0.6, 0.6] },
  { sample = "lattice", material = "m", count = 1, radius = 0.05, jitter = 0.0, lower = [0.65, 0.4, 0.4], upper = [0.85, 0.6, 0.6],
    velocity = [0.0, 0.0, 1.0] },
]
wall = [{ shape = "box", material = "m" }]
"#;
    let dir = run(text, 2, None);
    let end = last(&dir);
    let [pushed, held] = &end.bodies[..] else {
        panic!("two bodies")
    };
    let expected = 0.3 * 0.05 / pushed.mass;
    assert!(
        (pushed.velocity[1] / expected - 1.0).abs() < 1e-12,
        "{pushed:?}"
    );
    assert_eq!((held.velocity, held.kind), ([0.0; 3], 0));
    assert_eq!(held.position[0], 0.7);
    let loaded = config::parse("a.toml", text, Path::new("."), &[]).unwrap();
    assert_eq!(loaded.acts.holds.len(), 1);
}

/// Bodies grow from a loose random start to their full size in a periodic box without weight, and fill 0.60 of it without overlapping
/// by more than the solve leaves over: the same on 1 and 3 ranks, and after a stop in the middle of growing.
#[test]
fn growth_fills_a_box_densely() {
    let text = r#"
gravity = [0.0, 0.0, 0.0]
time = { dt = 1.0e-3, steps = 360 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.08, 0.08, 0.08], periodic = [true, true, true] }
solver = { tolerance = 1e-2, gap = "full", block_edge = 0.02 }
growth = { from = 0.7, until = 0.3 }
checkpoint = { every = 0 }
material = [{ name = "m", density = 2500.0, friction = 0.0 }]
bodies = [{ sample = "random", material = "m", fraction = 0.60, radius = { uniform = [0.0045, 0.0055] } }]
measure = [{ name = "box", every = 20, what = ["packing"] }]
"#;
    let serial = run(text, 1, None);
    let end = last(&serial);
    let volume = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
    let solid: f64 = end.bodies.iter().map(|row| volume(row.radius)).sum();
    // So many bodies as have 0.60 of the box on average: half a body is lost to rounding, and sums of draws scatter by
    // 0.17 of a body's volume each (of a uniform radius of ±10 %), five standard errors.
    let count = end.bodies.len() as f64;
    let body = solid / count;
    let fraction = solid / 0.08_f64.powi(3);
    let error = (0.5 + 5.0 * 0.175 * count.sqrt()) * body / 0.08_f64.powi(3);
    assert!((fraction - 0.60).abs() < error, "{fraction} ± {error}");
    let full = |row: &moreau::body::BodyRow| (row.mass / 2500.0 / volume(1.0)).cbrt();
    let off = end
        .bodies
        .iter()
        .map(|row| (row.radius / full(row) - 1.0).abs());
    let off = off.fold(0.0, f64::max);
    assert!(off < 1e-12, "radii are {off:e} off those of the masses");
    // The measure saw them grow, and in the end what there is.
    let text_of = text_file(&serial, "measure-box.csv");
    let fractions: Vec<f64> = text_of
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(3).unwrap().parse().unwrap())
        .collect();
    assert!(
        fractions.is_sorted() && fractions[0] < 0.25,
        "{fractions:?}"
    );
    assert!((fractions.last().unwrap() - fraction).abs() < 1e-9);
    let rows: Vec<Row> = lines(&serial, "series.csv");
    let overlap = rows.last().unwrap().max_overlap;
    // A residual of 1e-2 leaves velocities that undo themselves in the next steps.
    assert!(overlap < 1e-2, "{overlap}");
    for (ranks, stop) in [(3, None), (1, Some((150, 3)))] {
        assert_eq!(last(&run(text, ranks, stop)), end, "{ranks} {stop:?}");
    }
}

/// Discs that come into a circle, in which only their centres lie, until none finds a place any more: none overlaps those that lie just outside of it, also
/// where they reach beyond the box around it. How many wait is told of the last look, the same after a stop between two.
#[test]
fn discs_come_in_beside_what_lies_outside() {
    let fixed = (0..34).map(|k| {
        let angle = std::f64::consts::TAU * f64::from(k) / 34.0;
        format!(
            "{},{},0.0,0.005\n",
            0.0551 * angle.cos(),
            0.0551 * angle.sin()
        )
    });
    let dir = tempfile::tempdir().unwrap();
    let ring = dir.path().join("ring.csv");
    let table: String = fixed.collect();
    std::fs::write(&ring, format!("x,y,z,radius\n{table}")).unwrap();
    let text = format!(
        r#"
gravity = [0.0, 0.0, 0.0]
time = {{ dt = 1.0e-3, steps = 28 }}
domain = {{ lower = [-0.1, -0.1, -0.1], upper = [0.1, 0.1, 0.1], dimensions = 2 }}
material = [{{ name = "m", density = 1000.0, friction = 0.0 }}]
region = [{{ name = "round", shape = "sphere", centre = [0.0, 0.0, 0.0], radius = 0.05 }}]
inlet = [{{ region = "round", material = "m", radius = 0.005, rate = 1.0e6, count = 1000, every = 5 }}]
bodies = [{{ sample = "file", file = {:?}, material = "m", motion = "fixed" }}]
wall = [{{ shape = "box", faces = ["x-"], material = "m" }}]
"#,
        ring.display().to_string()
    );
    let serial = run(&text, 1, None);
    let end = last(&serial);
    let came = end.bodies.len() - 34;
    assert!(came > 40, "{came}");
    for (k, a) in end.bodies.iter().enumerate() {
        for b in &end.bodies[..k] {
            let way = [0, 1].map(|k| a.position[k] - b.position[k]);
            let gap = way[0].hypot(way[1]) - a.radius - b.radius;
            // Those of the ring were put where they are.
            assert!(
                gap >= 0.0 || a.id.0 < 34,
                "{gap:e} between {} and {}",
                a.id,
                b.id
            );
        }
    }
    let flows: Vec<FlowLine> = lines(&serial, "flows.csv");
    assert_eq!(flows.last().unwrap().waiting, 1000 - came as u64);
    let stopped = run(&text, 2, Some((26, 1)));
    assert_eq!(
        text_file(&stopped, "flows.csv"),
        text_file(&serial, "flows.csv")
    );
}

/// Bodies that are held while all grow grow as well.
#[test]
fn held_bodies_grow() {
    let text = r#"
gravity = [0.0, 0.0, 0.0]
time = { dt = 1.0e-2, steps = 40 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.1] }
solver = { gap = "full" }
growth = { from = 0.7, until = 0.3 }
material = [{ name = "m", density = 2500.0, friction = 0.0 }]
region = [{ name = "left", shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.05, 0.1, 0.1] }]
freeze = [{ region = "left", from = 0.1, until = 0.2 }]
bodies = [{ sample = "random", material = "m", count = 8, radius = 0.01 }]
wall = [{ shape = "box", material = "m" }]
"#;
    let end = last(&run(text, 1, None));
    for row in &end.bodies {
        let full = (row.mass / 2500.0 * 0.75 / std::f64::consts::PI).cbrt();
        assert!(
            (row.radius / full - 1.0).abs() < 1e-12,
            "{}: {}",
            row.id,
            row.radius / full
        );
        assert_eq!(row.kind, 0);
    }
}

/// A ball that a field presses onto the floor beside its weight comes to rest there, and one that a field lifts a little, as one without a
/// field does.
#[test]
fn rest_counts_what_fields_carry() {
    let text = |pull: f64| {
        format!(
            r#"
gravity = [0.0, 0.0, -9.81]
time = {{ dt = 1.0e-3, rest = 1e-6, steps = 400 }}
domain = {{ lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.1] }}
material = [{{ name = "m", density = 1000.0, friction = 0.0 }}]
region = [{{ name = "all", shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.1] }}]
force = [{{ region = "all", acceleration = [0.0, 0.0, {pull:?}] }}]
bodies = [{{ sample = "lattice", material = "m", count = 1, radius = 0.01, jitter = 0.0, lower = [0.04, 0.04, 0.03], upper = [0.06, 0.06, 0.05] }}]
wall = [{{ shape = "box", faces = ["z-"], material = "m" }}]
"#
        )
    };
    for pull in [0.0, -5.0, 4.0] {
        let end = last(&run(&text(pull), 1, None));
        // It falls 0.03 m in √(2 h/g).
        let fall = (0.06 / (9.81 - pull)).sqrt();
        let steps = end.header.step as f64 * 1e-3;
        assert!(
            steps > fall && steps < fall + 0.02,
            "{pull} m/s²: {steps} s"
        );
    }
}
