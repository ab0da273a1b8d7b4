//! The main job to its end on a packing of 1000: at rest, held up by the floor, inside the box, nothing lost.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use moreau::body::BodyId;
use moreau::comm::threads::{self, Serial};
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
    let radius = |id: BodyId| state.bodies[id.0 as usize].radius;
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
    let energy = measure::translational_energy(&state.bodies).value();
    assert!(energy < 1e-6 * lift, "{energy} J");

    let floor = state
        .walls
        .iter()
        .position(|w| w.normal == [0.0, 0.0, 1.0])
        .unwrap();
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
        largest_overlap(&settled(2, &[&set, "solver.max_sweeps=5000"], Some(0.3)))
    };
    let (loose, tight) = (overlap("1e-2"), overlap("1e-3"));
    assert!(
        tight > 0.0 && tight < loose / 3.0,
        "{loose:e} at 1e-2, {tight:e} at 1e-3"
    );
}
