//! How much memory a body takes, all in, and whether `moreau check`, which adds up the sizes of what is kept of each body and contact
//! (`src/sim/memory.rs`), says so to a tenth. The system tells a process its peak on Linux.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

/// Touching spheres, about three candidates each.
const BODIES: [usize; 3] = [50, 40, 25];

const TITLE: &str = "title = \"dense\"\ngravity = [0.0, 0.0, -9.81]\n";

/// Runs the program in a folder and returns what it says.
fn printed(dir: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moreau"));
    let output = command.current_dir(dir).args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
    assert!(output.status.success(), "{text:?}");
    text.concat()
}

/// The first number of the line about memory, and the second [MB].
fn memory(text: &str) -> [f64; 2] {
    let line = text.lines().find(|line| line.starts_with("memory"));
    let line = line.unwrap_or_else(|| panic!("nothing about memory in {text}"));
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    [0; 2].map(|_| numbers.next().unwrap())
}

/// The peak of a run of three steps, and what `moreau check` foretells [MB].
fn peak(solver: &str, material: &str) -> [f64; 2] {
    peak_of(BODIES.iter().product(), solver, material)
}

fn peak_of(count: usize, solver: &str, material: &str) -> [f64; 2] {
    let dir = tempfile::tempdir().unwrap();
    let [x, y, z] = BODIES.map(|n| n as f64 * 0.010_101);
    let config = format!(
        "{TITLE}
[time]
dt = 1.0e-3
steps = 3
[domain]
lower = [0.0, 0.0, 0.0]
upper = [{x}, {y}, {z}]
[solver]
max_sweeps = 5
{solver}
[[material]]
name = \"glass\"
density = 2500.0
friction = 0.5
{material}
[[wall]]
shape = \"box\"
material = \"glass\"
[[bodies]]
sample = \"lattice\"
material = \"glass\"
count = {count}
radius = {{ uniform = [0.0049, 0.005] }}
jitter = 0.005
"
    );
    std::fs::write(dir.path().join("dense.toml"), config).unwrap();
    let [bodies, program] = memory(&printed(dir.path(), &["check", "dense.toml"]));
    let [most, together] = memory(&printed(dir.path(), &["run", "dense.toml"]));
    assert_eq!(most, together, "one rank");
    [most, bodies + program]
}

#[test]
fn a_body_of_a_dense_packing_takes_what_is_kept_of_it() {
    let [peak, predicted] = peak("", "");
    // What a run without bodies takes, and what `check` says that it takes.
    let [program, base] = peak_of(1, "", "");
    let count = BODIES.iter().product::<usize>() as f64;
    let [per_body, kept] = [peak - program, predicted - base].map(|of| 1e6 * of / count);
    println!("{peak} MB, predicted {predicted} MB; {per_body:.0} bytes a body, kept {kept:.0}");
    assert!((per_body / kept - 1.0).abs() < 0.15, "{per_body} of {kept}");
    assert!((peak / predicted - 1.0).abs() < 0.1, "{peak} {predicted}");
}

#[test]
fn memory_for_laws_and_solver_is_predicted() {
    let [peak, predicted] = peak(
        "projection = 2",
        "stiffness = 2.0e4\nrolling_ratio = 0.1\ntorsion_ratio = 0.1",
    );
    println!("{peak} MB, predicted {predicted} MB");
    assert!((peak / predicted - 1.0).abs() < 0.1, "{peak} {predicted}");
}

/// A triangle of a fine mesh takes at most 400 bytes: a wavy sheet of a million against one of two.
#[test]
fn a_triangle_takes_400_bytes() {
    let peak = |side: usize| {
        let dir = tempfile::tempdir().unwrap();
        let mut sheet = String::new();
        let at = |i: usize| i as f64 / side as f64;
        for (i, j) in (0..=side).flat_map(|i| (0..=side).map(move |j| (i, j))) {
            let z = 0.1 + 0.01 * libm::sin(20.0 * at(i)) * libm::cos(15.0 * at(j));
            sheet += &format!("v {} {} {z}\n", at(i), at(j));
        }
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            let a = i * (side + 1) + j + 1;
            let [b, c, d] = [a + 1, a + side + 1, a + side + 2];
            sheet += &format!("f {a} {c} {b}\nf {b} {c} {d}\n");
        }
        std::fs::write(dir.path().join("sheet.obj"), sheet).unwrap();
        let config = format!(
            "{TITLE}
[time]
dt = 1.0e-3
steps = 3
[domain]
lower = [0.0, 0.0, 0.0]
upper = [1.0, 1.0, 0.3]
[[material]]
name = \"glass\"
density = 2500.0
friction = 0.5
[[wall]]
shape = \"mesh\"
material = \"glass\"
file = \"sheet.obj\"
[[bodies]]
sample = \"lattice\"
material = \"glass\"
count = 100
radius = 0.02
lower = [0.0, 0.0, 0.15]
upper = [1.0, 1.0, 0.3]
"
        );
        std::fs::write(dir.path().join("sheet.toml"), config).unwrap();
        memory(&printed(dir.path(), &["run", "sheet.toml"]))[0]
    };
    let [coarse, fine] = [1, 707].map(peak);
    let bytes = 1e6 * (fine - coarse) / (2.0 * 707.0 * 707.0);
    println!("{bytes:.0} bytes a triangle");
    // The corners alone take half of 24, their numbers 12.
    assert!((24.0..400.0).contains(&bytes), "{bytes}");
}

/// Bodies at 8 m/s in a dense lattice: detection looks 1.6 diameters ahead, and `check` says what that takes.
#[test]
fn memory_of_fast_bodies_is_predicted() {
    let dir = tempfile::tempdir().unwrap();
    let config = format!(
        "{TITLE}
[time]
dt = 1.0e-3
steps = 2
[domain]
lower = [0.0, 0.0, 0.0]
upper = [0.20202, 0.20202, 0.3]
[solver]
max_sweeps = 5
[[material]]
name = \"glass\"
density = 2500.0
friction = 0.5
[[bodies]]
sample = \"lattice\"
material = \"glass\"
count = 8000
radius = 0.005
jitter = 0.005
velocity = [0.0, 0.0, 8.0]
"
    );
    std::fs::write(dir.path().join("fast.toml"), config).unwrap();
    let check = printed(dir.path(), &["check", "fast.toml"]);
    let line = check.lines().find(|line| line.starts_with("fast"));
    let words: Vec<&str> = line
        .unwrap_or_else(|| panic!("{check}"))
        .split_whitespace()
        .collect();
    let about = words.iter().rposition(|word| *word == "MB").unwrap();
    let predicted = words[about - 1].parse::<f64>().unwrap() + 33.0;
    let [peak, _] = memory(&printed(dir.path(), &["run", "fast.toml"]));
    println!("{peak} MB, predicted {predicted} MB");
    assert!((peak / predicted - 1.0).abs() < 0.1, "{peak} {predicted}");
}

/// Detection looks far ahead of bodies that fall, and finds most pairs when the fastest land. `check` knows from the height of their fall:
/// shipped examples up to their peak, a box, a drum and a silo.
#[test]
fn memory_of_settling_bodies_is_predicted() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    for (name, until) in [
        ("settle", 0.2),
        ("rotating-drum", 0.2),
        ("silo-discharge", 0.36),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let config = configs.join(format!("{name}.toml"));
        let config = config.to_str().unwrap();
        let [bodies, program] = memory(&printed(dir.path(), &["check", config]));
        let set = format!("time.until={until}");
        let [peak, _] = memory(&printed(dir.path(), &["run", config, "--set", &set]));
        let predicted = bodies + program;
        println!("{name}: {peak} MB, predicted {predicted} MB");
        assert!(
            (peak / predicted - 1.0).abs() < 0.1,
            "{name}: {peak} {predicted}"
        );
    }
}

/// A pressed cubic lattice between planes, whose lid comes down: the peak of three increments, and
/// what `moreau check` foretells [MB].
fn peak_of_increments(keys: &str, friction: f64) -> [f64; 2] {
    const SIDE: usize = 30;
    const RADIUS: f64 = 0.01;
    const STEP: f64 = 2.0 * RADIUS - 2e-5;
    let dir = tempfile::tempdir().unwrap();
    let mut bodies = "x,y,z,radius\n".to_owned();
    for k in 0..SIDE.pow(3) {
        let [x, y, z] = [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE].map(|i| i as f64 * STEP);
        bodies += &format!("{x:e},{y:e},{z:e},{RADIUS}\n");
    }
    std::fs::write(dir.path().join("lattice.csv"), bodies).unwrap();
    let end = RADIUS - 2e-5;
    let high = (SIDE - 1) as f64 * STEP + end;
    let mut config = format!(
        "gravity = [0.0, 0.0, 0.0]
scheme = \"bagi_bojtar\"
[quasistatic]
{keys}
[time]
dt = 1.0
steps = 3
[domain]
lower = [-0.03, -0.03, -0.03]
upper = [{0}, {0}, {0}]
[[material]]
name = \"ball\"
density = 2500.0
friction = {friction}
stiffness = 1.0e6
tangential_stiffness_ratio = 0.5
[[bodies]]
sample = \"file\"
material = \"ball\"
file = \"lattice.csv\"
",
        high + RADIUS
    );
    for axis in 0..3 {
        for (place, sign) in [(-end, 1.0), (high, -1.0)] {
            let along = |x: f64| {
                let mut v = [0.0; 3];
                v[axis] = x;
                v
            };
            // The lid comes down, and shears the lattice.
            let moves = axis == 2 && sign < 0.0;
            let velocity = [
                if moves { 1e-5 } else { 0.0 },
                0.0,
                if moves { -1e-6 } else { 0.0 },
            ];
            config += &format!(
                "[[wall]]\nshape = \"plane\"\nmaterial = \"ball\"\npoint = {:?}\nnormal = {:?}\n\
                 velocity = {velocity:?}\n",
                along(place),
                along(sign)
            );
        }
    }
    std::fs::write(dir.path().join("lattice.toml"), config).unwrap();
    let [bodies, program] = memory(&printed(dir.path(), &["check", "lattice.toml"]));
    let [most, _] = memory(&printed(dir.path(), &["run", "lattice.toml"]));
    let table = std::fs::read_to_string(dir.path().join("out/increments.csv")).unwrap();
    let slides = csv::Reader::from_reader(table.as_bytes())
        .deserialize::<std::collections::HashMap<String, f64>>()
        .any(|record| record.unwrap()["sliding"] > 0.0);
    assert_eq!(slides, friction < 0.1, "{friction}");
    [most, bodies + program]
}

#[test]
fn memory_of_increments_is_predicted() {
    for (tangent, friction) in [("seed", 0.5), ("coulomb", 0.05)] {
        let keys = format!("tangent = \"{tangent}\"");
        let [peak, predicted] = peak_of_increments(&keys, friction);
        println!("{tangent}: {peak} MB, predicted {predicted} MB");
        assert!((peak / predicted - 1.0).abs() < 0.1, "{peak} {predicted}");
    }
}
