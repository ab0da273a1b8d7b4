//! Meshes through the program: files, tables of walls, restarts, several processes.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod experiment;
mod harness;
mod scene;

use harness::{Place, mpi_available, on, state};
use moreau::comm::threads::Serial;
use moreau::io::checkpoint;
use scene::mesh::{block, stl};
use std::path::Path;

/// A binary STL file of a square plate, 2 m wide, in the plane z = 0, in millimetres.
fn plate() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(2_u32.to_le_bytes());
    let corners = [[-1e3, -1e3], [1e3, -1e3], [1e3, 1e3], [-1e3, 1e3]];
    for triangle in [[0, 1, 2], [0, 2, 3]] {
        bytes.extend([0.0_f32; 3].iter().flat_map(|x| x.to_le_bytes()));
        for k in triangle {
            let [x, y]: [f32; 2] = corners[k];
            bytes.extend([x, y, 0.0].iter().flat_map(|x: &f32| x.to_le_bytes()));
        }
        // The count of attributes; not UTF-8.
        bytes.extend([0xff, 0xfe]);
    }
    bytes
}

/// Balls of 2 kg on a wall.
fn config(wall: &str) -> String {
    let mut text = format!(
        "gravity = [0.0, 0.0, -10.0]\n[time]\ndt = 1e-3\nsteps = 300\n\
         [domain]\nlower = [-2.0, -2.0, -2.0]\nupper = [2.0, 2.0, 2.0]\n\
         [solver]\ntolerance = 1e-10\nmax_sweeps = 5000\n[output]\nseries = 100\n[checkpoint]\nevery = 100\nkeep = 9\n\
         [[material]]\nname = \"m\"\ndensity = {}\nfriction = 0.5\n[[wall]]\nname = \"part\"\nshape = \"mesh\"\nmaterial = \"m\"\n{wall}\n",
        2.0 / (4.0 / 3.0 * std::f64::consts::PI * 1e-3)
    );
    text += "[[bodies]]\nsample = \"file\"\nmaterial = \"m\"\nfile = \"balls.csv\"\n";
    text
}

fn balls(all: &[[f64; 3]]) -> String {
    let mut text = "x,y,z,radius\n".to_owned();
    all.iter()
        .for_each(|[x, y, z]| text += &format!("{x},{y},{z},0.1\n"));
    text
}

/// The last line of a wall in walls.csv, by the names of its columns.
fn last(out: &str, column: &str) -> f64 {
    let text = std::fs::read_to_string(format!("{out}/walls.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let at = names.iter().position(|name| *name == column).unwrap();
    let line = text
        .lines()
        .rev()
        .find(|line| line.split(',').nth(2) == Some("part"));
    line.unwrap().split(',').nth(at).unwrap().parse().unwrap()
}

/// Two balls rest on a plate of triangles: force and torque about its centre by hand. The checkpoint holds the binary file: the run
/// continues without it, on other ranks, to the same state.
#[test]
fn a_plate_from_a_binary_file() {
    let place = Place::new();
    let at = [[0.5, 0.2, 0.1], [0.7, -0.3, 0.1]];
    place.write("balls.csv", &balls(&at));
    std::fs::write(place.path("plate.stl"), plate()).unwrap();
    let path = place.write(
        "a.toml",
        &config("file = \"plate.stl\"\nscale = 0.001\ncentre = [0.0, 0.0, 0.0]"),
    );
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let near = |column: &str, expected: f64| {
        let found = last(&out, column);
        assert!(
            (found - expected).abs() < 1e-7,
            "{column}: {found}, {expected}"
        );
    };
    near("fz", -40.0);
    // Σ x × F = Σ (y F, −x F, 0).
    near("tx", -20.0 * (0.2 - 0.3));
    near("ty", 20.0 * (0.5 + 0.7));
    near("tz", 0.0);
    let checked = on(1, &["check", &path]);
    let line = checked
        .stdout
        .lines()
        .find(|line| line.starts_with("mesh"))
        .unwrap();
    assert!(
        line.contains("part: 2 triangles, 4 points") && line.contains("open; 1 smooth patches"),
        "{line}"
    );
    std::fs::remove_file(place.path("plate.stl")).unwrap();
    let ranks = if mpi_available() { 3 } else { 1 };
    let other = place.path("other");
    let half = format!("{out}/checkpoint-00000100.h5");
    let resumed = on(ranks, &["resume", &half, "--out", &other]);
    assert_eq!(state(&resumed), whole);
    assert!(
        resumed.stderr.contains("cannot be read"),
        "{}",
        resumed.stderr
    );
    let shown = on(1, &["info", &half]);
    assert_eq!(shown.status, Some(0), "{}", shown.stderr);
}

/// `scale`, then `turn`, then `shift`: a block of three lengths lies where they bring it.
#[test]
fn a_mesh_is_scaled_turned_and_shifted() {
    let place = Place::new();
    place.write("balls.csv", &balls(&[[1.5, 1.5, 1.5]]));
    let mut faces = block([0.8, 0.4, 0.2]);
    faces.points.iter_mut().for_each(|point| point[0] += 0.6);
    place.write("block.stl", &stl(&faces));
    // From 0.2 to 1 m along x; half as long, and along y after a quarter of a turn about z.
    let path = place.write(
        "a.toml",
        &config(
            "file = \"block.stl\"\nscale = 0.5\nturn = { axis = [0.0, 0.0, 2.0], angle = 1.5707963267948966 }\n\
             shift = [0.3, -0.2, 0.1]",
        ),
    );
    let checked = on(1, &["check", &path]);
    let expected = "12 triangles, 8 points, from (0.2000, -0.1000, 0.0500) to (0.4000, 0.3000, 0.1500) m, closed";
    assert!(
        checked.stdout.contains(expected),
        "{} {}",
        checked.stdout,
        checked.stderr
    );
}

/// A mesh that moves or turns by more than a block in a step ends the run in its first step, by name, on any ranks.
#[test]
fn a_mesh_that_is_too_fast_is_named() {
    let place = Place::new();
    let at: Vec<[f64; 3]> = (0..8)
        .map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|i| f64::from(i) * 2.0 - 1.0))
        .collect();
    place.write("balls.csv", &balls(&at));
    place.write("block.stl", &stl(&block([1.0, 0.8, 0.1])));
    for motion in [
        "velocity = [900.0, 0.0, 0.0]",
        "rotation = { axis = [0.0, 0.0, 1.0], rate = 2000.0 }",
    ] {
        let path = place.write(
            "a.toml",
            &config(&format!("file = \"block.stl\"\n{motion}")),
        );
        for ranks in if mpi_available() { vec![1, 3] } else { vec![1] } {
            let out = place.path(&format!("out-{ranks}"));
            let ran = on(ranks, &["run", &path, "--out", &out, "--overwrite"]);
            assert_eq!(ran.status, Some(3), "{motion}: {}", ran.stderr);
            let named = ran.stderr.contains("part") && ran.stderr.contains("step 1");
            assert!(named, "{motion}: {}", ran.stderr);
        }
    }
}

/// A closed box that is free falls on three balls that lie on a plane; one on a hinge is held there. The same on several processes.
#[test]
fn free_parts_from_a_file() {
    let place = Place::new();
    let at = [[0.3, 0.2, 0.1], [-0.3, 0.25, 0.1], [0.0, -0.3, 0.1]];
    place.write("balls.csv", &balls(&at));
    place.write("block.stl", &stl(&block([1.0, 0.8, 0.1])));
    let floor = "\n[[wall]]\nshape = \"plane\"\nmaterial = \"m\"\npoint = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]";
    let wall =
        format!("file = \"block.stl\"\nshift = [0.0, 0.0, 0.26]\nfree = {{ mass = 5.0 }}{floor}");
    let path = place.write("free.toml", &config(&wall));
    let out = place.path("free");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let (force, height) = (last(&out, "fz"), last(&out, "z"));
    assert!(
        (force - 50.0).abs() < 1e-4 && (height - 0.25).abs() < 1e-4,
        "{force} {height}"
    );
    if mpi_available() {
        let two = place.path("two");
        assert_eq!(state(&on(2, &["run", &path, "--out", &two])), whole);
    }
    // From the middle, while the block still falls and turns: a third of the way, and two thirds.
    for half in [100, 200] {
        let file = format!("{out}/checkpoint-{half:08}.h5");
        for ranks in [1, 3] {
            if ranks == 1 || mpi_available() {
                let other = place.path(&format!("free-{half}-{ranks}"));
                let resumed = on(ranks, &["resume", &file, "--out", &other]);
                assert_eq!(state(&resumed), whole, "step {half}, {ranks} ranks");
            }
        }
    }
    // Two blocks in one file: apart they cannot be free together, united they lie on the same balls.
    let blocks = [-0.35, 0.35].map(|x| {
        let mut faces = block([0.3, 0.8, 0.1]);
        faces.points.iter_mut().for_each(|point| point[0] += x);
        stl(&faces)
    });
    place.write("blocks.stl", &blocks.concat());
    let wall = |more: &str| {
        format!(
            "file = \"blocks.stl\"\nshift = [0.0, 0.0, 0.26]\nfree = {{ mass = 5.0 }}{more}{floor}"
        )
    };
    let path = place.write("apart.toml", &config(&wall("")));
    let ran = on(1, &["check", &path]);
    assert!(
        ran.stderr.contains("found free at 2 parts"),
        "{}",
        ran.stderr
    );
    let path = place.write("united.toml", &config(&wall("\nunited = true")));
    place.write(
        "balls.csv",
        &balls(&[[0.3, 0.2, 0.1], [-0.3, 0.25, 0.1], [0.25, -0.3, 0.1]]),
    );
    let out = place.path("united");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let (force, height) = (last(&out, "fz"), last(&out, "z"));
    assert!(
        (force - 50.0).abs() < 1e-4 && (height - 0.25).abs() < 1e-4,
        "{force} {height}"
    );
    if mpi_available() {
        let two = place.path("united-two");
        assert_eq!(state(&on(2, &["run", &path, "--out", &two])), whole);
    }
    // A ball lies on a lever near its hinge, where the lever alone would fall more slowly than the ball.
    let hinge = "file = \"block.stl\"\nfree = { mass = 5.0, hinge = { point = [-0.4, 0.0, 0.0], axis = [0.0, 1.0, 0.0] } }";
    let path = place.write("hinge.toml", &config(hinge));
    place.write("balls.csv", &balls(&[[-0.2, 0.0, 0.15]]));
    let out = place.path("hinge");
    state(&on(1, &["run", &path, "--out", &out, "--steps", "100"]));
    assert!((last(&out, "x") + 0.4).abs() < 1e-12, "the hinge stays");
    // They turn together; no angle is large yet. The lever alone would have 8/9 of the rate.
    let file = format!("{out}/checkpoint-00000100.h5");
    let read = checkpoint::read(&Serial, Path::new(&file)).unwrap();
    let spin = read.walls[0].angular_velocity;
    let (d, own, far) = (0.4, 5.0 * ((1.0 + 0.01) / 12.0 + 0.16), 0.2);
    let rate = (5.0 * 10.0 * d + 2.0 * 10.0 * far) / (own + 2.0 * far * far);
    assert_eq!([spin[0], spin[2]], [0.0, 0.0]);
    assert!(
        (spin[1] / (rate * 0.1) - 1.0).abs() < 0.05,
        "{spin:?} {rate}"
    );
}

/// Walls that come to cross each other are named, once: by `check` where their motions are prescribed, and by the run. Those that
/// cross from the start are not, nor those that stay apart.
#[test]
fn walls_that_meet_are_named() {
    let place = Place::new();
    place.write("balls.csv", &balls(&[[1.5, 1.5, 0.1]]));
    place.write("block.stl", &stl(&block([0.4, 0.4, 0.4])));
    let block = |name: &str, x: [f64; 3], more: &str| {
        let [x, y, z] = x;
        format!("{name}file = \"block.stl\"\nshift = [{x:?}, {y:?}, {z:?}]\n{more}")
    };
    let another = "\n[[wall]]\nshape = \"mesh\"\nmaterial = \"m\"\n";
    let floor = "\n[[wall]]\nname = \"floor\"\nshape = \"plane\"\nmaterial = \"m\"\npoint = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]\n";
    let walls = [
        block("", [0.705, 0.05, 0.3], ""),
        block(
            "name = \"hammer\"\n",
            [0.0, 0.0, 0.25],
            "velocity = [1.0, 0.0, 0.0]",
        ),
        // It has a part of the hammer from the start, and stays with it.
        block(
            "name = \"handle\"\n",
            [-0.1, 0.1, 0.4],
            "velocity = [1.0, 0.0, 0.0]",
        ),
        block(
            "name = \"other\"\n",
            [0.0, -1.0, 0.305],
            "velocity = [0.0, 0.0, -1.0]",
        ),
    ];
    let path = place.write("a.toml", &config(&(walls.join(another) + floor)));
    let checked = on(1, &["check", &path]);
    assert_eq!(checked.status, Some(0), "{}", checked.stderr);
    let lines: Vec<&str> = (checked.stdout.lines())
        .filter(|line| line.starts_with("walls  "))
        .collect();
    // The other block reaches the floor after 0.105 s; the hammer the first block after 0.305 s, when the run is over.
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].contains("other and floor meet before 0.1"),
        "{lines:?}"
    );
    let ran = on(
        1,
        &["run", &path, "--out", &place.path("out"), "--steps", "350"],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let met = |text: &str| ran.stderr.matches(text).count();
    assert_eq!(met(" meet; walls pass"), 2, "{}", ran.stderr);
    assert_eq!(
        met("step 110: walls other and floor meet"),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(
        met("step 310: walls part and hammer meet"),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(met("part and handle meet"), 0, "{}", ran.stderr);
}

/// The shipped mill with grains without friction: only its bars lift them. The centre of 500 grains
/// comes to stand higher by a fifth of the radius of the drum than at rest.
#[test]
fn bars_of_a_mill_lift_grains() {
    let place = Place::new();
    let mill = format!("{}/configs/mill.stl", env!("CARGO_MANIFEST_DIR"));
    let text = format!(
        "gravity = [0.0, 0.0, -9.81]\ntime = {{ dt = 5e-4, until = 1.0 }}\n\
         domain = {{ lower = [-0.064, -0.034, -0.064], upper = [0.064, 0.034, 0.064] }}\n\
         [solver]\ntolerance = 1e-2\n[output]\nseries = 10\nevery = 0\n\
         [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.0\n\
         [[wall]]\nname = \"mill\"\nshape = \"mesh\"\nmaterial = \"m\"\nfile = \"{mill}\"\nscale = 0.001\n\
         centre = [0.0, 0.0, 0.0]\nrotation = {{ axis = [0.0, 1.0, 0.0], rate = 8.0 }}\n\
         [[bodies]]\nsample = \"random\"\nmaterial = \"m\"\ncount = 500\nradius = 0.003\n\
         lower = [-0.034, -0.029, -0.03]\nupper = [0.034, 0.029, 0.03]\n"
    );
    let path = place.write("mill.toml", &text);
    let mass = 500.0 * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.003_f64.powi(3);
    // The mean height of grains in the second half of the run [m].
    let height = |rate: &str| {
        let ran = experiment::run(
            Path::new(&path),
            &[format!("wall.0.rotation.rate={rate}")],
            1,
        );
        let column = |name: &str| ran.column("series.csv", name);
        assert!(column("bodies").iter().all(|bodies| *bodies == 500.0));
        let (time, energy) = (column("time"), column("potential_energy"));
        let late = time.iter().zip(energy).filter(|(time, _)| **time >= 0.5);
        let late: Vec<f64> = late.map(|(_, energy)| energy).collect();
        late.iter().sum::<f64>() / late.len() as f64 / (mass * 9.81)
    };
    let [at_rest, turning] = ["0.0", "8.0"].map(height);
    // The drum has a radius of 60 mm.
    assert!(turning > at_rest + 0.012, "{at_rest} m, then {turning} m");
}
