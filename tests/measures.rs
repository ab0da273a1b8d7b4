//! Measures of packings: what is known of them beforehand, and the same files on any number of ranks and after a restart.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod scene;

use moreau::body::{BodyId, Motion};
use moreau::comm::threads;
use moreau::contact::ContactRow;
use moreau::domain::Domain;
use moreau::math::Vector3;
use moreau::measure::{self, Coordination, Side, Window};
use moreau::rng::{Purpose, Stream};
use moreau::shape::Region;
use scene::{Scene, State, piston, plane, record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn window_of(s: &Scene, lower: [f64; 3], upper: [f64; 3]) -> Window {
    let region = Region::Box {
        lower: Vector3::from(lower),
        upper: Vector3::from(upper),
    };
    Window::new(Some(&region), (&s.lower, &s.upper), s.periodic, false)
}

/// Stress times volume times length of the step [N m s] in a window.
fn moments(state: &State, window: &Window) -> [f64; 9] {
    let radius: BTreeMap<BodyId, f64> = state.bodies.iter().map(|b| (b.id, b.radius)).collect();
    let sums = measure::branch_moments(&state.contacts, window, |id, _| Side::ball(radius[&id]));
    sums.map(|sum| sum.value())
}

/// What the definition says, step by step, on all bodies at once.
fn coordination_by_hand(state: &State, window: &Window, least: usize) -> Coordination {
    let carrying: Vec<&ContactRow> = state.contacts.iter().filter(|c| c.status != 0).collect();
    let mut gone: BTreeSet<BodyId> = BTreeSet::new();
    let left = |id: BodyId, gone: &BTreeSet<BodyId>| {
        let of = |c: &&&ContactRow| {
            let ends = [c.key.a, c.key.b];
            ends.contains(&id) && !ends.iter().any(|end| gone.contains(end))
        };
        carrying.iter().filter(of).count()
    };
    loop {
        let weak = |b: &&moreau::body::BodyRow| !gone.contains(&b.id) && left(b.id, &gone) < least;
        let Some(next) = state.bodies.iter().find(weak) else {
            break;
        };
        gone.insert(next.id);
    }
    let mut sum = Coordination::default();
    for b in &state.bodies {
        if window.inside(&Vector3::from(b.position)).is_some() {
            sum.bodies += 1;
            sum.contacts += left(b.id, &BTreeSet::new()) as i64;
            match gone.contains(&b.id) {
                true => sum.rattlers += 1,
                false => sum.holding += left(b.id, &gone) as i64,
            }
        }
    }
    sum
}

/// Coordination and stress on 1, 2, 3, 4, 8 ranks, bodies lying on whichever: as by hand, and to the last bit. With six
/// contacts at least most bodies go, in many rounds.
#[test]
fn coordination_and_radii_over_ranks() {
    let mut s = Scene::poured(6, 6, 21);
    s.periodic = [true, false, false];
    s.walls.remove(1);
    s.walls.remove(0);
    let state = s.run(250);
    let whole = Window::new(None, (&s.lower, &s.upper), s.periodic, false);
    let part = window_of(&s, [0.01, 0.0, 0.0], [0.06, 0.05, 0.04]);
    let mut rattlers = 0;
    for window in [&whole, &part] {
        for least in [2, 3, 6] {
            let expected = coordination_by_hand(&state, window, least);
            rattlers += i64::from(expected.rattlers > 0 && expected.rattlers < expected.bodies);
            let stress = moments(&state, window).map(f64::to_bits);
            for ranks in [1, 2, 3, 4, 8] {
                let told = threads::run(ranks, |comm| {
                    let home = |id: BodyId| {
                        let mut draw = Stream::new(Purpose::Trial, 5, [id.0, ranks as u64, 0]);
                        draw.below(ranks as u32) as usize == comm.rank()
                    };
                    let bodies: Vec<_> =
                        (state.bodies.iter().filter(|b| home(b.id)).copied()).collect();
                    let contacts: Vec<_> =
                        (state.contacts.iter().filter(|c| home(c.key.a)).copied()).collect();
                    let domain = Domain::new(comm, s.partition(comm.size()));
                    let found = domain.coordination(&bodies, &contacts, window, least as u64);
                    let others = contacts.iter().map(|c| c.key.b);
                    let wanted: Vec<BodyId> = others.filter(|b| b.wall_index().is_none()).collect();
                    let radii = domain.radii(&bodies, &wanted);
                    let sums =
                        measure::branch_moments(&contacts, window, |id, _| Side::ball(radii[&id]));
                    (found, domain.sums(&sums).map(f64::to_bits))
                });
                for (found, bits) in told {
                    assert_eq!(found, expected, "{ranks} ranks, least {least}");
                    assert_eq!(bits, stress, "{ranks} ranks");
                }
            }
        }
    }
    assert!(
        rattlers >= 2,
        "too few cases in which only some are rattlers"
    );
}

/// A column of balls under a piston: between two balls the stress is what lies above over the area of the window, and at the floor all of
/// it. The solver stops at 1e-12 of the load scale, which is of the order of the weights, so 1e-9 is far above what is left over.
#[test]
fn c5_stress_in_a_column() {
    let mut s = Scene::new([-3.0, -3.0, -1.0], [3.0, 3.0, 9.0], 1e-2);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls.push(plane(8.0, -1.0, piston(3.0, 7.0)));
    for k in 0..4 {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 2.0);
    }
    let state = s.run(200);
    for k in 0..4 {
        // From just above the floor, or the centre of the ball below, to below the next one.
        let low = if k == 0 {
            0.1
        } else {
            2.0 * f64::from(k) - 0.9
        };
        let window = window_of(&s, [-2.0, -1.5, low], [2.0, 1.5, 2.0 * f64::from(k) + 0.9]);
        let moments = moments(&state, &window);
        let stress = moments.map(|sum| sum / (window.volume() * 1e-2));
        let above = 7.0 + 30.0 + 20.0 * f64::from(4 - k);
        record(
            "C5",
            "stress in a column [Pa]",
            stress[8],
            above / 12.0,
            1e-9 * above,
        );
        assert!(
            stress[..8].iter().all(|x| x.abs() < 1e-9 * above),
            "{stress:?}"
        );
    }
}

/// A packing on periodic axes under a free wall. In any state, at rest or not, `Σ r_z l_z` over all branches is what the walls push times
/// where they push, and `Σ m Δv_z z` of the bodies, to rounding; at rest it is load over area within 1 % (validation C5).
#[test]
fn c5_stress_under_a_piston() {
    let (r, cell, side, layers) = (0.005, 0.0112, 5, 6);
    let (width, height) = (side as f64 * cell, layers as f64 * cell);
    let dt = 5e-4;
    let mut s = Scene::new([0.0; 3], [width, width, height], dt);
    s.periodic = [true, true, false];
    s.friction = 0.3;
    s.solver.tolerance = 1e-5;
    s.solver.max_sweeps = 500;
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    let load = 5.0;
    s.walls
        .push(plane(height - 0.1 * cell, -1.0, piston(0.02, load)));
    for k in 0..side * side * layers {
        let mut draw = Stream::new(Purpose::Trial, 33, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side];
        let position = site.map(|i| (i as f64 + 0.5 + draw.between(-0.02, 0.02)) * cell);
        s.glass_sphere(position, r * draw.between(0.9, 1.1));
    }
    let steps = 600;
    let whole = Window::new(None, (&s.lower, &s.upper), s.periodic, false);
    for now in [30, steps] {
        let (before, state) = (s.run(now - 1), s.run(now));
        let mut expected = 0.0;
        let mut scale = 0.0;
        for c in state
            .contacts
            .iter()
            .filter(|c| c.key.b.wall_index().is_some())
        {
            expected += c.impulse[2] * c.point[2];
            scale += (c.impulse[2] * c.point[2]).abs();
        }
        for (old, new) in before.bodies.iter().zip(&state.bodies) {
            let change = new.mass * (new.velocity[2] - old.velocity[2]);
            expected += change * old.position[2];
            scale += (change * old.position[2]).abs();
        }
        let sum = moments(&state, &whole)[8];
        assert!(
            scale > 0.0 && (sum - expected).abs() < 1e-10 * scale,
            "step {now}: {sum} against {expected}"
        );
        if now == steps {
            let top = height - 0.1 * cell + before.walls[1].displacement.z;
            let packed = window_of(&s, [0.0; 3], [width, width, top]);
            let stress = moments(&state, &packed)[8] / (packed.volume() * dt);
            let expected = load / (width * width);
            record(
                "C5",
                "stress under a piston over load by area [1]",
                stress / expected,
                1.0,
                0.01,
            );
        }
    }
}

const CONFIG: &str = r#"
gravity = [0.0, 0.0, -9.81]
[time]
dt = 1e-3
steps = 60
[domain]
lower = [0.0, 0.0, 0.0]
upper = [0.06, 0.06, 0.12]
periodic = [true, false, false]
[checkpoint]
every = 30
keep = 5
[[material]]
name = "glass"
density = 2500.0
friction = 0.4
[[wall]]
shape = "box"
material = "glass"
[[region]]
name = "box"
shape = "box"
lower = [-0.01, 0.01, 0.0]
upper = [0.03, 0.05, 0.04]
[[region]]
name = "ball"
shape = "sphere"
centre = [0.0, 0.03, 0.02]
radius = 0.025
[[region]]
name = "pipe"
shape = "cylinder"
from = [0.03, 0.03, 0.0]
to = [0.03, 0.03, 0.04]
radius = 0.02
[[region]]
name = "top"
shape = "half-space"
point = [0.0, 0.0, 0.02]
normal = [0.0, 0.6, 0.8]
[[bodies]]
sample = "lattice"
material = "glass"
count = 150
radius = { uniform = [0.0035, 0.0045] }
upper = [0.06, 0.06, 0.07]
velocity = [0.2, 0.1, -0.5]
[[measure]]
name = "all"
every = 10
what = ["packing", "coordination", "stress", "fabric", "forces", "velocity", "heap", "profile", "tracks"]
centre = [0.03, 0.03, 0.0]
axis = "z"
bins = 5
ids = [7, 3, 149]
[[measure]]
name = "in-box"
every = 7
region = "box"
from = 0.02
until = 0.05
what = ["stress", "packing", "coordination", "forces", "profile"]
rattlers_below = 2
axis = "x"
bins = 4
[[measure]]
name = "in-ball"
every = 15
region = "ball"
what = ["packing", "stress", "fabric"]
[[measure]]
name = "in-pipe"
every = 15
region = "pipe"
what = ["packing", "stress", "profile"]
axis = "r"
centre = [0.03, 0.03, 0.0]
bins = 3
[[measure]]
name = "on-top"
every = 15
region = "top"
what = ["packing", "stress", "velocity"]
"#;

/// The files of all measures of a run, by name.
fn files(out: &Path) -> BTreeMap<String, String> {
    let mine = |name: &str| {
        ["measure-", "forces-", "profile-", "tracks-"]
            .iter()
            .any(|kind| name.starts_with(kind))
    };
    let all = std::fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let named = all.map(|path| {
        (
            path.file_name().unwrap().to_string_lossy().into_owned(),
            path,
        )
    });
    named
        .filter(|(name, _)| mine(name))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// The last line of a file by columns.
fn last_line(text: &str) -> BTreeMap<&str, f64> {
    let (header, line) = (text.lines().next().unwrap(), text.lines().last().unwrap());
    let numbers = line.split(',').map(|x| x.parse().unwrap());
    header.split(',').zip(numbers).collect()
}

/// Through the program: run to the end on 1 and 3 ranks, stopped half way and gone on with on another number, and gone on with from a
/// checkpoint that the files had gone beyond: the same files to the byte.
#[test]
fn the_same_files_on_any_ranks_and_after_a_restart() {
    if !harness::mpi_available() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("measures.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let config = config.to_str().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = |ranks: usize, args: &[&str]| harness::state(&harness::on(ranks, args));

    let (one, three) = (at("one"), at("three"));
    let whole = run(1, &["run", config, "--out", &one]);
    let expected = files(Path::new(&one));
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "forces-all.csv",
            "forces-in-box.csv",
            "measure-all.csv",
            "measure-in-ball.csv",
            "measure-in-box.csv",
            "measure-in-pipe.csv",
            "measure-on-top.csv",
            "profile-all.csv",
            "profile-in-box.csv",
            "profile-in-pipe.csv",
            "tracks-all.csv",
        ]
    );
    assert_eq!(run(3, &["run", config, "--out", &three]), whole);
    assert!(files(Path::new(&three)) == expected, "three ranks");
    for (first, second) in [(1, 3), (3, 1)] {
        let out = at(&format!("from-{first}"));
        run(first, &["run", config, "--out", &out, "--steps", "30"]);
        assert!(files(Path::new(&out)) != expected);
        assert_eq!(run(second, &["resume", &out]), whole);
        assert!(
            files(Path::new(&out)) == expected,
            "{first} ranks, then {second}"
        );
    }
    let early = format!("{three}/checkpoint-00000030.h5");
    assert_eq!(run(1, &["resume", &early, "--out", &three]), whole);
    assert!(
        files(Path::new(&three)) == expected,
        "rows beyond the checkpoint are dropped"
    );

    // What is known of these files beforehand.
    let rows = |name: &str| expected[name].lines().count() - 1;
    assert_eq!(
        (rows("measure-all.csv"), rows("measure-in-box.csv")),
        (6, 5)
    );
    assert_eq!((rows("tracks-all.csv"), rows("profile-all.csv")), (18, 30));
    assert_eq!(rows("forces-all.csv"), 6 * 102);
    let all = last_line(&expected["measure-all.csv"]);
    assert_eq!(all["bodies"], 150.0);
    let series = std::fs::read_to_string(format!("{one}/series.csv"))
        .unwrap()
        .replace("true", "1")
        .replace("false", "0");
    let series = last_line(&series);
    assert_eq!(all["kinetic_energy"], series["kinetic_energy"]);
    assert_eq!(all["force_contacts"], series["active"]);
    assert_eq!(all["fabric_contacts"], series["active"]);
    let trace = all["fabric_xx"] + all["fabric_yy"] + all["fabric_zz"];
    assert!((trace - 1.0).abs() < 1e-12, "{trace}");
    // The slabs hold all bodies, and as much of each as lies in the domain: walls keep them in it but for overlaps.
    let lines = expected["profile-all.csv"].lines().rev().take(5);
    let slabs: Vec<Vec<f64>> = lines
        .map(|l| l.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    assert_eq!(slabs.iter().map(|s| s[4]).sum::<f64>(), 150.0);
    let mean = slabs.iter().map(|s| s[5]).sum::<f64>() / 5.0;
    assert!((mean / all["solid_fraction"] - 1.0).abs() < 1e-3, "{mean}");
    // The kinetic stress is the temperature times the density: its trace is 3 T M/V.
    let trace = all["kxx"] + all["kyy"] + all["kzz"];
    let volume = 0.06 * 0.06 * 0.12;
    assert!((trace * volume / (3.0 * all["temperature"] * all["mass"]) - 1.0).abs() < 1e-12);
    let ids: Vec<&str> = expected["tracks-all.csv"]
        .lines()
        .skip(1)
        .take(3)
        .map(|l| l.split(',').nth(2).unwrap())
        .collect();
    assert_eq!(ids, ["3", "7", "149"]);
    for name in [
        "measure-in-ball.csv",
        "measure-in-pipe.csv",
        "measure-on-top.csv",
    ] {
        let found = last_line(&expected[name]);
        assert!(
            found["bodies"] > 3.0 && found["szz"].abs() > 0.0,
            "{name}: {found:?}"
        );
        assert!(
            found["solid_fraction"] > 0.05 && found["solid_fraction"] < 0.75,
            "{name}: {found:?}"
        );
    }
}
