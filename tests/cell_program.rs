//! Periodic cells that deform, as a user meets them: checkpoints, measures, frames, dumps, changes.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{Output, Place, mpi_available, on, state};
use moreau::comm::threads::Serial;
use moreau::io::checkpoint;
use std::path::Path;

/// Balls that touch, in a cell under a stress that is strained and sheared too.
const CELL: &str = r#"
gravity = [0.0, 0.0, 0.0]
time = { dt = 5.0e-3, steps = 24 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.12], periodic = [true, true, true] }
cell = { x = { stress = 50.0 }, z = { true_rate = -2.0 } }
material = [{ name = "ball", density = 2500.0, friction = 0.4, stiffness = 5.0e4 }]
checkpoint = { every = 8, keep = 100 }
output = { series = 1, every = 8 }

[[bodies]]
sample = "random"
material = "ball"
count = 120
radius = { uniform = [0.0085, 0.0095] }
"#;

const SHEAR: &str = "cell.shear={along=\"x\",across=\"z\",rate=6.0}";

impl Place {
    /// `run` of the cell into a folder.
    fn run(&self, ranks: usize, out: &str, more: &[&str]) -> Output {
        self.run_text(CELL, ranks, out, more)
    }

    fn run_text(&self, text: &str, ranks: usize, out: &str, more: &[&str]) -> Output {
        let config = self.write("cell.toml", text);
        on(
            ranks,
            &[&["run", &config, "--out", &self.path(out)], more].concat(),
        )
    }

    /// The columns of a CSV file by name.
    fn csv(&self, name: &str) -> impl Fn(&str) -> Vec<f64> + use<> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        let lines: Vec<Vec<String>> = text
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect();
        move |column| {
            let at = lines[0].iter().position(|name| name == column);
            let at = at.unwrap_or_else(|| panic!("{column} in {:?}", lines[0]));
            lines[1..]
                .iter()
                .map(|line| line[at].parse().unwrap())
                .collect()
        }
    }
}

fn refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status, Some(2), "{}{}", output.stdout, output.stderr);
    for part in parts {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
}

/// A stopped run goes on from its checkpoint to the same state, on other ranks too, with a stress,
/// a rate and a shear of the cell in it.
#[test]
fn a_cell_goes_on_from_its_checkpoint() {
    let place = Place::new();
    let straight = state(&place.run(1, "straight", &["--set", SHEAR]));
    let cell = checkpoint::read(
        &Serial,
        Path::new(&place.path("straight/checkpoint-00000024.h5")),
    );
    let cell = cell.unwrap().header.cell.unwrap();
    assert!(cell.sheared > 0.1 && cell.rate.x != 0.0, "{cell:?}");
    let most = if mpi_available() { 3 } else { 1 };
    for (ranks, name) in [(1, "one"), (most, "three")] {
        let first = place.run(most, name, &["--set", SHEAR, "--steps", "11"]);
        assert_ne!(state(&first), straight);
        let rest = on(ranks, &["resume", &place.path(name), "--steps", "24"]);
        assert_eq!(state(&rest), straight, "{ranks} ranks");
    }
}

/// Measures cover the present cell: its stress is that of `cell.csv`, and the fraction of solid is
/// the volume of the balls over that of the cell.
#[test]
fn measures_follow_the_cell() {
    let place = Place::new();
    let text = format!(
        "{CELL}\n[[measure]]\nname = \"all\"\nevery = 1\nwhat = [\"packing\", \"stress\", \"profile\"]\n\
         axis = \"z\"\nbins = 4\n"
    );
    state(&place.run_text(&text, 1, "out", &[]));
    let last = checkpoint::read(
        &Serial,
        Path::new(&place.path("out/checkpoint-00000024.h5")),
    );
    let last = last.unwrap();
    let solid: f64 = last.bodies.iter().map(|row| row.mass / 2500.0).sum();
    let (cell, all) = (place.csv("out/cell.csv"), place.csv("out/measure-all.csv"));
    let [heights, volumes] = [cell("z"), cell("volume")];
    assert!(heights[23] < 0.96 * heights[0], "{heights:?}");
    for (found, volume) in all("solid_fraction").iter().zip(&volumes) {
        let error = (found / (solid / volume) - 1.0).abs();
        assert!(error < 1e-9, "{found} {volume}");
    }
    // The stress of a step is that over the cell of its start, in `cell.csv`; measures divide the
    // same sum by the cell of its end.
    let mut volume = 0.1 * 0.1 * 0.12;
    for axis in ["xx", "yy", "zz"] {
        let [name, column] = [format!("stress_{axis}"), format!("s{axis}")];
        for k in 1..24 {
            let (here, there) = (
                all(&column)[k] * volumes[k],
                cell(&name)[k] * volumes[k - 1],
            );
            let scale = cell("stress_xx")[k] * volumes[k];
            assert!(
                (here - there).abs() <= 1e-12 * scale,
                "{axis} {k}: {here} {there}"
            );
            volume = volumes[k];
        }
    }
    assert!(volume < 0.96 * volumes[0]);
    let profile = place.csv("out/profile-all.csv");
    let (steps, highs) = (profile("step"), profile("high"));
    let tops = steps.iter().zip(&highs).skip(3).step_by(4);
    for ((step, top), height) in tops.zip(&heights) {
        assert!((top - height).abs() < 1e-12, "step {step}: {top} {height}");
    }
}

/// Changes that the state of a deformed cell does not bear are refused, each with its key.
#[test]
fn changes_that_do_not_fit_the_cell_are_refused() {
    let place = Place::new();
    state(&place.run(1, "out", &["--set", SHEAR]));
    let again = |text: &str| {
        let text = text.replace("steps = 24", "steps = 30");
        place.run_text(&text, 1, "out", &["--or-resume"])
    };
    let cell = "cell = { x = { stress = 50.0 }, z = { true_rate = -2.0 } }\n";
    refused(&again(&CELL.replace(cell, "")), &["[cell]", "rate = 0.0"]);
    let longer = CELL.replace("upper = [0.1, 0.1,", "upper = [0.1, 0.11,");
    refused(&again(&longer), &["domain.upper", "0.11"]);
    let still = CELL.replace("{ x = {", "{ affine = false, x = {");
    refused(&again(&still), &["cell.affine", "must stay true"]);
    let measured =
        format!("{CELL}\n[[measure]]\nname = \"all\"\nevery = 1\nwhat = [\"packing\"]\n");
    refused(&again(&measured), &["[[measure]]", "sheared"]);
    let axes = [
        "resume",
        &place.path("out"),
        "--set",
        "cell.shear={along=\"y\",across=\"z\",rate=1.0}",
    ];
    refused(&on(1, &axes), &["cell.shear", "along x"]);
}

/// Loads that come after a stop are judged as without the stop.
#[test]
fn a_tolerance_is_judged_by_loads_that_come_later() {
    let place = Place::new();
    // Balls that the cell closes at 3 % a step touch in the third.
    let text = "gravity = [0.0, 0.0, 0.0]
scheme = \"bagi_bojtar\"
quasistatic = { tolerance = 1.0e-15 }
time = { dt = 1.0, steps = 6 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.13, 0.13, 0.13], periodic = [true, true, true] }
cell = { x = { true_rate = -0.03 }, y = { true_rate = -0.03 }, z = { true_rate = -0.03 } }
material = [{ name = \"ball\", density = 2500.0, friction = 0.4, stiffness = 5.0e4 }]
bodies = [{ sample = \"lattice\", material = \"ball\", count = 216, radius = 0.01 }]
";
    let whole = place.run_text(text, 1, "whole", &[]);
    let says = ["step 3", "quasistatic.tolerance must be at least"];
    let is_refused = |output: &Output| {
        assert_eq!(output.status, Some(3), "{}{}", output.stdout, output.stderr);
        let all = says.iter().all(|part| output.stderr.contains(part));
        assert!(all, "{}", output.stderr);
    };
    is_refused(&whole);
    state(&place.run_text(text, 1, "stopped", &["--steps", "1"]));
    let stopped = place.path("stopped");
    is_refused(&on(1, &["resume", &stopped, "--steps", "6"]));
}

/// Checkpoints as files of bodies: not from a sheared cell, and no held bodies where only images
/// move.
#[test]
fn bodies_of_checkpoints_must_fit_the_cell() {
    let place = Place::new();
    state(&place.run(1, "sheared", &["--set", SHEAR, "--steps", "8"]));
    let from = |checkpoint: &str| {
        let (head, _) = CELL.split_once("[[bodies]]").unwrap();
        let file = place.path(checkpoint);
        format!("{head}\n[[bodies]]\nsample = \"file\"\nmaterial = \"ball\"\nfile = \"{file}\"\n")
    };
    let sheared = from("sheared/checkpoint-00000008.h5");
    refused(
        &place.run_text(&sheared, 1, "again", &[]),
        &["unsheared images", "checkpoint-00000008.h5"],
    );
    let held = CELL.replace(
        "cell = { x = { stress = 50.0 }, z = { true_rate = -2.0 } }\n",
        "",
    );
    let held = held.replace("count = 120", "count = 20\nmotion = \"fixed\"");
    state(&place.run_text(&held, 1, "held", &["--steps", "8"]));
    let taken = from("held/checkpoint-00000008.h5");
    let images = taken.replace("{ x = {", "{ affine = false, x = {");
    refused(
        &place.run_text(&images, 1, "images", &[]),
        &["body 0 is held", "cell.affine = false"],
    );
    state(&place.run_text(&taken, 1, "carried", &["--steps", "1"]));
}

/// The motions of edges and images, and the factors of stresses, may stand in files, which are kept
/// in the checkpoint; a file that is wrong is named.
#[test]
fn files_move_the_cell() {
    let place = Place::new();
    let table = |name: &str, last: f64| {
        place.write(name, &format!("time,value\n0,0\n0.06,{last}\n1,{last}\n"))
    };
    table("z.csv", -0.05);
    table("shear.csv", 0.2);
    place.write("factor.csv", "time,value\n0,0.5\n0.1,1.0\n");
    let cell = "cell = { x = { stress = 50.0 }, z = { true_rate = -2.0 } }\n";
    let files = "cell = { x = { stress = 50.0, factor = { file = \"factor.csv\" } }, \
                 z = { file = \"z.csv\" }, \
                 shear = { along = \"x\", across = \"z\", file = \"shear.csv\" } }\n";
    let text = CELL.replace(cell, files);
    let whole = state(&place.run_text(&text, 1, "whole", &[]));
    let columns = place.csv("whole/cell.csv");
    // A step ends at 0.06 s, and there the tables end.
    let row = |name: &str, k: usize| columns(name)[k - 1];
    assert!((row("strain_z", 12) + 0.05).abs() < 1e-12 && (row("z", 24) - 0.114).abs() < 1e-12);
    assert!((row("shear", 6) - 0.1).abs() < 1e-12 && (row("shear", 24) - 0.2).abs() < 1e-12);
    let info = on(1, &["info", &place.path("whole")]).stdout;
    assert!(
        info.contains("0.1 × 0.114 m, strains") && info.contains("along x across z by 2.0000e-1"),
        "{info}"
    );
    // The checkpoint holds the files.
    state(&place.run_text(&text, 1, "part", &["--steps", "11"]));
    for name in ["z.csv", "shear.csv", "factor.csv"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    let rest = on(1, &["resume", &place.path("part"), "--steps", "24"]);
    assert_eq!(state(&rest), whole);
    let gone = place.run_text(&text, 1, "gone", &[]);
    refused(&gone, &["cell.z.file", "z.csv", "cell.shear.file"]);
    place.write("z.csv", "time,value\n1,0\n0,0\n");
    table("shear.csv", 0.2);
    table("factor.csv", 1.0);
    refused(
        &place.run_text(&text, 1, "gone", &[]),
        &["cell.z.file", "ascending"],
    );
    assert!(!Path::new(&place.path("gone")).exists());
}

/// Strains that no step bears are refused before anything is written, also in `check`.
#[test]
fn strains_that_no_step_bears_are_refused_at_the_start() {
    let place = Place::new();
    let config = place.write("cell.toml", CELL);
    let out = place.path("out");
    for (key, says) in [
        (
            "cell.z={true_rate=-50.0}",
            "must be at most 0.1; found 0.22",
        ),
        ("cell.z={rate=-9.0}", "cell.z: strains must stay above -1"),
        (
            "cell.shear={along=\"x\",across=\"z\",rate=100.0}",
            "must be at most 0.1; found 0.5",
        ),
    ] {
        refused(&on(1, &["check", &config, "--set", key]), &[says]);
        let run = ["run", &config, "--out", &out, "--set", key];
        refused(&on(1, &run), &[says]);
    }
    let linear = ["check", &config, "--set", "scheme=serrano_rodriguez"];
    refused(&on(1, &linear), &["must do one increment", "found 24"]);
    assert!(!Path::new(&out).exists());
    let good = on(1, &["check", &config]).stdout;
    let line =
        "cell       0.1 × 0.1 × 0.12 m; in the first time step: x stress 50 Pa, z strain -9.95e-3";
    assert!(good.contains(line), "{good}");
}

/// Between walls the stress is that over the space that they leave, not over the domain: it is
/// `Σ F b/V`, with the volume in `cell.csv`.
#[test]
fn a_cell_between_walls_has_the_volume_between_them() {
    let place = Place::new();
    let mut balls = "x,y,z,radius\n".to_owned();
    for k in 0..108 {
        let [x, y, z] = [k % 6, k / 6 % 6, k / 36].map(|n| 0.01 + 0.02 * f64::from(n));
        balls += &format!("{x},{y},{z},0.01\n");
    }
    place.write("balls.csv", &balls);
    for (scheme, last) in [("bagi_bojtar", 1), ("moreau_jean", 40)] {
        let text = format!(
            "gravity = [0.0, 0.0, 0.0]
scheme = \"{scheme}\"
time = {{ dt = 1.0e-3, steps = {last} }}
domain = {{ lower = [0.0, 0.0, -0.03], upper = [0.12, 0.12, 0.23], periodic = [true, true, false] }}
cell = {{ x = {{ stress = 100.0 }} }}
output = {{ series = 1 }}
material = [{{ name = \"ball\", density = 2500.0, friction = 0.4, stiffness = 5.0e4 }}]
bodies = [{{ sample = \"file\", material = \"ball\", file = \"balls.csv\" }}]
wall = [
  {{ shape = \"plane\", name = \"floor\", material = \"ball\", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }},
  {{ shape = \"plane\", name = \"lid\", material = \"ball\", point = [0.0, 0.0, 0.06], normal = [0.0, 0.0, -1.0] }},
]
"
        );
        state(&place.run_text(&text, 1, scheme, &[]));
        let columns = place.csv(&format!("{scheme}/cell.csv"));
        let row = |name: &str| *columns(name).last().unwrap();
        let volume = row("x") * 0.12 * 0.06;
        assert!((row("volume") / volume - 1.0).abs() < 1e-12, "{scheme}");
        let file = place.path(&format!("{scheme}/checkpoint-{last:08}.h5"));
        let end = checkpoint::read(&Serial, Path::new(&file)).unwrap();
        let along = end.contacts.iter().filter(|c| c.normal[0].abs() > 0.5);
        let each = along.map(|c| c.impulse[0] * c.normal[0] * (0.02 + c.gap));
        let stress = each.sum::<f64>() / end.header.dt / volume;
        // In a time step the volume is that of its start.
        let error = (stress / row("stress_xx") - 1.0).abs();
        assert!(error < 1e-3, "{scheme}: {stress} {}", row("stress_xx"));
        if scheme == "bagi_bojtar" {
            assert!((row("stress_xx") / 100.0 - 1.0).abs() < 1e-4);
        }
    }
}

/// A packing near the end of its resistance, taken over from time steps and sheared at constant
/// volume: increments do not end in balances to which the loads do not lead, which differ from those
/// of increments a tenth as large.
#[test]
fn large_increments_follow_the_loads() {
    let place = Place::new();
    let text = "gravity = [0.0, 0.0, 0.0]
time = { dt = 1.0e-3, until = 1.0 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.126, 0.126, 0.126], periodic = [true, true, true] }
cell = { x = { stress = 1.0e3 }, y = { stress = 1.0e3 }, z = { stress = 1.0e3 } }
solver = { tolerance = 1.0e-3 }
material = [{ name = \"ball\", density = 2500.0, friction = 0.0, stiffness = 5.0e4, tangential_stiffness_ratio = 0.8 }]
bodies = [{ sample = \"random\", material = \"ball\", count = 150, radius = { uniform = [0.009, 0.011] } }]
output = { series = 1 }
checkpoint = { every = 500 }
";
    state(&place.run_text(text, 1, "dense", &[]));
    let next = |from: &str, to: &str, until: &str, keys: &[&str]| {
        let (from, to) = (place.path(from), place.path(to));
        let mut words = vec!["resume", &from, "--out", &to, "--until", until];
        keys.iter().for_each(|key| words.extend(["--set", key]));
        state(&on(1, &words));
    };
    next(
        "dense",
        "taken",
        "1.003",
        &[
            "material.0.friction=0.5",
            "scheme=bagi_bojtar",
            "cell.z={true_rate=-0.1}",
        ],
    );
    let undrained = |rate: f64| {
        format!(
            "cell={{x={{true_rate={rate}}},y={{true_rate={rate}}},z={{true_rate={}}}}}",
            -2.0 * rate
        )
    };
    next("taken", "large", "1.006", &[&undrained(0.05)]);
    next("taken", "small", "1.033", &[&undrained(0.005)]);
    for axis in ["xx", "yy", "zz"] {
        let [large, small] = ["large", "small"].map(|out| {
            let stresses = place.csv(&format!("{out}/cell.csv"))(&format!("stress_{axis}"));
            *stresses.last().unwrap()
        });
        assert!(
            (large / small - 1.0).abs() < 0.02,
            "{axis}: {large} {small}"
        );
    }
}

/// Frames hold the domain of their time, and dumps its bounds and tilts; LAMMPS has no box for some
/// planes of shear.
#[test]
fn frames_and_dumps_have_the_cell_of_their_time() {
    let place = Place::new();
    state(&place.run(1, "out", &["--set", SHEAR]));
    let cell = place.csv("out/cell.csv");
    let convert = |from: &str, to: &str| {
        let (from, to) = (place.path(from), place.path(to));
        on(1, &["convert", &from, "--to", "lammps", "-o", &to])
    };
    let bounds = |name: &str| -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(place.path(name)).unwrap();
        let frames = text.split("ITEM: BOX BOUNDS ").skip(1);
        let numbers = |frame: &str| {
            let lines = frame.lines().skip(1).take(3);
            let words =
                lines.flat_map(|line| line.split(' ').map(str::to_owned).collect::<Vec<_>>());
            words.map(|word| word.parse().unwrap()).collect()
        };
        frames.map(numbers).collect()
    };
    for from in ["out", "out/checkpoint-00000024.h5"] {
        let output = convert(from, "dump");
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        let found = bounds("dump/bodies.dump");
        // Frames of steps 0, 8, 16, 24, or the checkpoint alone; rows of cell.csv begin at step 1.
        let first = if found.len() == 1 { 3 } else { 1 };
        assert!(found.len() == 1 || found[0] == [0.0, 0.1, 0.0, 0.1, 0.0, 0.12]);
        for (k, frame) in found.iter().skip(usize::from(first == 1)).enumerate() {
            let row = 8 * (first + k) - 1;
            let [x, z, shift] = ["x", "z", "shift"].map(|name| cell(name)[row]);
            let expected = [
                shift.min(0.0),
                x + shift.max(0.0),
                0.0,
                0.0,
                0.1,
                shift,
                0.0,
                z,
                0.0,
            ];
            for (found, expected) in frame.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-14, "{frame:?} {expected}");
            }
        }
        std::fs::remove_dir_all(place.path("dump")).unwrap();
    }
    // Tables of earlier versions have the domain of the last frame alone.
    for name in ["bodies", "contacts"] {
        let table = place.path(&format!("out/{name}.vtkhdf"));
        let table = hdf5::File::open_rw(table).unwrap();
        table.unlink("moreau/domain").unwrap();
    }
    let output = convert("out", "older");
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let found = bounds("older/bodies.dump");
    let [x, z] = ["x", "z"].map(|name| cell(name)[23]);
    assert_eq!(found, vec![vec![0.0, x, 0.0, 0.1, 0.0, z]; 4]);
    let other = "cell.shear={along=\"z\",across=\"y\",rate=6.0}";
    state(&place.run(1, "other", &["--set", other]));
    refused(
        &convert("other", "dump"),
        &["cell.shear", "along z across y"],
    );
}
