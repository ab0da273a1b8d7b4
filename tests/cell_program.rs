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
                (here - there).abs() <= 0.03 * scale,
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
