//! The main job to its end on a packing of 1000: at rest, held up by the floor, inside the box, nothing lost.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use moreau::body::BodyId;
use moreau::comm::threads::{self, Serial};
use moreau::config;
use moreau::io::checkpoint::{self, Loaded};
use moreau::measure;
use moreau::sim::{self, Options};
use std::path::Path;

const G: f64 = 9.81;
const DT: f64 = 1e-3;

/// Settles the shipped 1000 spheres (`configs/settle-file.toml`) and reads the last checkpoint.
fn settled(ranks: usize, set: &[&str], until: Option<f64>) -> Loaded {
    let dir = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/settle-file.toml");
    let options = Options {
        out: Some(dir.path().to_owned()),
        set: set.iter().map(|s| (*s).to_owned()).collect(),
        until,
        ..Options::default()
    };
    for result in threads::run(ranks, |comm| sim::try_run(comm, &config, &options)) {
        result.unwrap();
    }
    let (_, loaded, skipped) = checkpoint::read_newest(&Serial, dir.path()).unwrap();
    assert!(skipped.is_empty());
    loaded
}

fn largest_overlap(state: &Loaded) -> f64 {
    let radius = |id: BodyId, _: usize| measure::Side::ball(state.bodies[id.0 as usize].radius);
    measure::largest_overlap(&state.contacts, radius)
}

/// Acceptance b on 1000 bodies and two ranks: the run ends by itself, at rest; the floor carries the weight within 1e-3; no
/// overlap beyond a tenth of a radius; every body is there and inside the box.
#[test]
fn a_packing_comes_to_rest_on_the_floor() {
    let state = settled(2, &[], None);
    assert!(
        state.header.time < 4.9,
        "stopped by the time limit, not by rest"
    );
    assert_eq!(state.header.capped_steps, 0);
    assert!(state.bodies.iter().map(|b| b.id.0).eq(0..1000));

    let weight: f64 = state.bodies.iter().map(|b| b.mass * G).sum();
    let lift: f64 = state
        .bodies
        .iter()
        .map(|b| b.mass * G * 2.0 * b.radius)
        .sum();
    let energy: f64 = state.bodies.iter().map(measure::translational_energy).sum();
    assert!(energy < 1e-6 * lift, "{energy} J");

    let config = &state.header.config;
    let scenario = config::parse("settled", config, Path::new(""), &[]).unwrap();
    let floor = scenario.walls.iter();
    let floor = floor
        .map(|w| &w.name)
        .position(|name| name.ends_with(".z-"));
    let floor = floor.unwrap();
    let on_floor = state
        .contacts
        .iter()
        .filter(|c| c.key.b == BodyId::wall(floor));
    let force: f64 = on_floor.map(|c| -c.impulse[2] / DT).sum();
    assert!(
        (force / weight - 1.0).abs() < 1e-3,
        "floor {force} N, weight {weight} N"
    );
    assert!((state.walls[floor].impulse[2] / DT + force).abs() < 1e-12 * weight);

    let overlap = largest_overlap(&state);
    assert!(overlap < 0.1, "overlap {overlap}");
    let (upper, r) = ([0.115, 0.115, 0.12], 0.005);
    for body in &state.bodies {
        for (x, high) in body.position.iter().zip(upper) {
            let inside = 0.9 * r..high - 0.9 * r;
            assert!(
                inside.contains(x),
                "body {} at {:?}",
                body.id,
                body.position
            );
        }
    }
}

/// Acceptance b: g⁺ keeps the overlaps that the residual leaves, so they fall with the tolerance: ten times tighter, at
/// least three times smaller after the fall.
#[test]
fn overlaps_fall_with_the_tolerance() {
    let overlap = |tolerance: &str| {
        let set = format!("solver.tolerance={tolerance}");
        // The rule by itself: projection would remove them.
        let more = ["solver.max_sweeps=5000", "solver.projection=0"];
        largest_overlap(&settled(2, &[&set, more[0], more[1]], Some(0.3)))
    };
    let (loose, tight) = (overlap("1e-2"), overlap("1e-3"));
    assert!(
        tight > 0.0 && tight < loose / 3.0,
        "{loose:e} at 1e-2, {tight:e} at 1e-3"
    );
}

/// Steps at the sweep cap are counted, in the series and in the checkpoint, and a resumed run goes on counting.
#[test]
fn steps_at_the_cap_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/settle-file.toml");
    let set = ["solver.max_sweeps=1", "solver.tolerance=1e-9"];
    let run = |steps: u64| Options {
        out: Some(dir.path().to_owned()),
        set: set.map(str::to_owned).to_vec(),
        steps: Some(steps),
        ..Options::default()
    };
    let counted = || {
        let (_, loaded, _) = checkpoint::read_newest(&Serial, dir.path()).unwrap();
        let series = std::fs::read_to_string(dir.path().join("series.csv")).unwrap();
        let capped = series
            .lines()
            .filter(|line| line.contains(",false,"))
            .count() as u64;
        assert_eq!(loaded.header.capped_steps, capped);
        capped
    };
    sim::try_run(&Serial, &config, &run(60)).unwrap();
    let first = counted();
    assert!(first > 10, "{first} steps at the cap");
    sim::try_resume(&Serial, dir.path(), &run(70)).unwrap();
    assert_eq!(counted(), first + 10);
}

/// A run that goes on from an older checkpoint makes its own line: what lies beyond is set aside, whether it is whole or
/// damaged, and never counts as the newest again.
#[test]
fn checkpoints_beyond_the_resumed_step_are_set_aside() {
    for damaged in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/settle-file.toml");
        let options = |steps: u64, set: &[&str]| Options {
            out: Some(dir.path().to_owned()),
            set: set.iter().map(|s| (*s).to_owned()).collect(),
            steps: Some(steps),
            ..Options::default()
        };
        let every = ["checkpoint.every=5", "checkpoint.keep=2"];
        sim::try_run(&Serial, &config, &options(10, &every)).unwrap();
        let [old, newest] = [5, 10].map(|step| dir.path().join(format!("checkpoint-{step:08}.h5")));
        let mut from = old.clone();
        if damaged {
            std::fs::write(&newest, "damaged").unwrap();
            from = dir.path().to_owned();
        }
        let every = ["checkpoint.every=1", "checkpoint.keep=1"];
        sim::try_resume(&Serial, &from, &options(8, &every)).unwrap();
        let found = checkpoint::newest(dir.path()).unwrap();
        assert_eq!(
            found,
            [dir.path().join("checkpoint-00000008.h5")],
            "damaged {damaged}"
        );
        assert!(
            dir.path()
                .join("checkpoint-00000010.h5.superseded")
                .exists()
        );
        sim::try_resume(&Serial, dir.path(), &options(9, &every)).unwrap();
        let series = std::fs::read_to_string(dir.path().join("series.csv")).unwrap();
        let steps: Vec<&str> = series
            .lines()
            .skip(1)
            .map(|l| l.split(',').next().unwrap())
            .collect();
        assert_eq!(steps, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    }
}
