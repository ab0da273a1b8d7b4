//! Frames of mesh walls, through the program's run: contents, restarts, other formats.

use crate::harness::on;
use crate::movie::Movie;
use crate::movie::balls::{alone, options};
use crate::scene::mesh::{block, shifted, stl};
use moreau::comm::threads;
use moreau::math::Vector3;
use moreau::sim::{self, Options, RunError};
use std::path::{Path, PathBuf};

/// Balls settle in a box of triangles, while a paddle turns in it.
const CONFIG: &str = r#"
gravity = [0.0, 0.0, -10.0]
time = { dt = 1e-3, steps = 300 }
domain = { lower = [0, 0, 0], upper = [0.06, 0.06, 0.12] }
solver = { tolerance = 1e-5 }
material = [{ name = "glass", density = 2500, friction = 0.4 }]
bodies = [{ sample = "lattice", material = "glass", count = 120, radius = { uniform = [0.003, 0.004] }, lower = [0.0, 0.0, 0.03] }]
output = { every = 50, precision = "f64", xdmf = true }
checkpoint = { every = 75, keep = 100 }
[[wall]]
name = "vessel"
shape = "mesh"
material = "glass"
file = "box.stl"
[[wall]]
name = "floor"
shape = "plane"
material = "glass"
point = [0.0, 0.0, -1.0]
normal = [0.0, 0.0, 1.0]
[[wall]]
shape = "mesh"
material = "glass"
file = "paddle.stl"
rotation = { axis = [0.0, 0.0, 1.0], rate = 3.0 }
"#;

fn write(dir: &Path) -> PathBuf {
    let vessel = shifted(block([0.06, 0.06, 0.12]), [0.03, 0.03, 0.06]);
    let paddle = shifted(block([0.03, 0.002, 0.01]), [0.03, 0.03, 0.008]);
    std::fs::write(dir.join("box.stl"), stl(&vessel)).unwrap();
    std::fs::write(dir.join("paddle.stl"), stl(&paddle)).unwrap();
    let config = dir.join("box.toml");
    std::fs::write(&config, CONFIG).unwrap();
    config
}

fn on_ranks(
    ranks: usize,
    work: impl Fn(&dyn moreau::comm::Comm) -> Result<(), RunError> + Sync,
) -> Result<(), RunError> {
    let results = threads::run(ranks, |comm| work(comm));
    assert!(results.windows(2).all(|w| w[0] == w[1]));
    results.into_iter().next().unwrap()
}

fn surfaces(out: &Path) -> Movie {
    Movie::open(&out.join("surfaces.vtkhdf"), "CellData")
}

/// The triangles of a frame hold the mean forces since the frame before: those of walls.csv. They are the same from any ranks, and
/// from a run that was stopped between two frames; other formats have them.
#[test]
fn frames_hold_the_loads_of_triangles() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let config = write(dir.path());
    let out = dir.path().join("out");
    on_ranks(2, |comm| sim::try_run(comm, &config, &options(&out, &[]))).unwrap();
    let movie = surfaces(&out);
    assert_eq!(movie.steps, [0, 50, 100, 150, 200, 250, 300]);
    assert!(
        movie.rows.iter().all(|rows| *rows == 24),
        "{:?}",
        movie.rows
    );
    for name in ["pressure", "shear", "impact_energy", "sliding_work"] {
        assert!(movie.array(name, 0).iter().all(|x| *x == 0.0), "{name}");
    }

    // The force on the lower side of the box, whose triangles have z = 0, against the mean of walls.csv's.
    let areas = |frame: usize| -> Vec<f64> {
        let places = movie.places(frame);
        let area = |corners: &[[f64; 3]]| {
            let [a, b, c] = [0, 1, 2].map(|k| Vector3::from(corners[k]));
            0.5 * (b - a).cross(&(c - a)).norm()
        };
        places.chunks(3).map(area).collect()
    };
    let text = std::fs::read_to_string(out.join("walls.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    for frame in 1..movie.steps.len() {
        let (from, to) = (movie.steps[frame - 1], movie.steps[frame]);
        let of_box = rows.iter().filter(|row| {
            let step: u64 = row[column("step")].parse().unwrap();
            row[column("wall")] == "vessel" && step > from && step <= to
        });
        let all: Vec<f64> = of_box
            .map(|row| row[column("fz")].parse().unwrap())
            .collect();
        assert_eq!(all.len(), 50);
        let mean = all.iter().sum::<f64>() / 50.0;
        let (places, pressure, shear) = (
            movie.places(frame),
            movie.array("pressure", frame),
            movie.array("shear", frame),
        );
        let (mut pressed, mut rubbed) = (0.0, 0.0);
        for ((corners, area), k) in places.chunks(3).zip(areas(frame)).zip(0..12) {
            if corners.iter().all(|corner| corner[2] == 0.0) {
                pressed += pressure[k] * area;
            } else {
                rubbed += shear[k] * area;
            }
        }
        // Friction at the sides carries the rest, and bears at most the sum of its magnitudes.
        assert!(
            (mean + pressed).abs() <= rubbed * (1.0 + 1e-9) + 1e-12,
            "{mean} {pressed} {rubbed}"
        );
        assert!(frame < 3 || pressed > 0.5 * -mean, "{mean} {pressed}");
    }
    let last = movie.steps.len() - 1;
    for name in ["impact_energy", "sliding_work"] {
        let [before, after] = [last - 1, last].map(|frame| movie.array(name, frame));
        assert!(after.iter().any(|x| *x > 0.0) && before != after, "{name}");
    }
    // The paddle has turned by 0.9 rad.
    let paddle = &movie.places(last)[3 * 12..];
    let turned = |x: f64, y: f64| {
        let (sin, cos) = 0.9_f64.sin_cos();
        [0.03 + cos * x - sin * y, 0.03 + sin * x + cos * y]
    };
    let [x, y] = turned(0.015, 0.001);
    // STL has 32 bits.
    let near = |corner: &[f64; 3]| (corner[0] - x).hypot(corner[1] - y) < 1e-8;
    assert!(paddle.iter().any(near), "{x} {y} {paddle:?}");

    // From other ranks, stopped between two frames.
    let stopped = dir.path().join("stopped");
    let first = Options {
        steps: Some(75),
        ..options(&stopped, &[])
    };
    on_ranks(1, |comm| sim::try_run(comm, &config, &first)).unwrap();
    let more = Options {
        steps: None,
        out: None,
        ..options(&stopped, &["time.steps=300"])
    };
    on_ranks(3, |comm| sim::try_resume(comm, &stopped, &more)).unwrap();
    surfaces(&stopped).assert_same(&movie, &[]);

    // XDMF and one file.
    let text = std::fs::read_to_string(out.join("surfaces.xmf")).unwrap();
    assert!(
        text.contains("TopologyType=\"Triangle\" NumberOfElements=\"24\"")
            && text.contains("sliding_work")
    );
    let packed = dir.path().join("packed");
    let words = [
        "convert",
        out.to_str().unwrap(),
        "--to",
        "vtk",
        "-o",
        packed.to_str().unwrap(),
    ];
    let output = on(1, &words);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    surfaces(&packed).assert_same(&movie, &[]);
    let dumped = on(
        1,
        &[
            "convert",
            packed.join("surfaces.vtkhdf").to_str().unwrap(),
            "--to",
            "lammps",
        ],
    );
    assert_eq!(dumped.status, Some(2), "{}", dumped.stdout);
    assert!(
        dumped
            .stderr
            .contains("must be of bodies or contacts; found surfaces"),
        "{}",
        dumped.stderr
    );
    let of_checkpoint = dir.path().join("checkpoint");
    let path = out.join("checkpoint-00000225.h5");
    let words = [
        "convert",
        path.to_str().unwrap(),
        "--to",
        "vtk",
        "-o",
        of_checkpoint.to_str().unwrap(),
    ];
    let output = on(1, &words);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let movie = surfaces(&of_checkpoint);
    assert!((movie.steps.as_slice(), movie.rows.as_slice()) == (&[225], &[24]));
    assert!(movie.array("pressure", 0).iter().any(|p| *p > 0.0));
}

/// Pictures of the wear of triangles from a frame and from the checkpoint of its step have the same bytes; loads without a time are
/// refused, and those that were not recorded.
#[test]
fn pictures_show_the_loads_of_triangles() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let config = write(dir.path());
    let out = dir.path().join("out");
    let of = Options {
        steps: Some(150),
        ..options(&out, &["output.every=60", "checkpoint.every=30"])
    };
    on_ranks(1, |comm| sim::try_run(comm, &config, &of)).unwrap();
    let render = |from: &str, more: &[&str]| {
        let (from, to) = (out.join(from), dir.path().join("picture.png"));
        let fixed = [
            "render",
            from.to_str().unwrap(),
            "-o",
            to.to_str().unwrap(),
            "--size",
            "320x240",
        ];
        let done = on(1, &[&fixed[..], more].concat());
        (
            done.status,
            done.stderr,
            std::fs::read(&to).unwrap_or_default(),
        )
    };
    let refused = |from: &str, more: &[&str], words: &str| {
        let (status, stderr, _) = render(from, more);
        assert!(status == Some(2) && stderr.contains(words), "{stderr}");
    };
    let (frame, state) = ("frames/bodies-00000120.h5", "checkpoint-00000120.h5");
    let mut pictures = Vec::new();
    for name in [
        "wall.pressure",
        "wall.shear",
        "wall.impact_energy",
        "wall.sliding_work",
        "speed",
    ] {
        // Without the legend, whose words differ.
        let words = ["--colour", name, "--no-legend", "--from", "-1,-1,-1"];
        let (status, stderr, picture) = render(frame, &words);
        assert_eq!(status, Some(0), "{stderr}");
        assert!(!pictures.contains(&picture), "{name}");
        if name.contains('_') || name == "speed" {
            let (status, stderr, same) = render(state, &words);
            assert_eq!(status, Some(0), "{stderr}");
            assert!(same == picture, "{name}");
        } else {
            refused(state, &words, "found the step of that frame");
        }
        pictures.push(picture);
    }
    let words = [
        "--colour",
        "wall.shear",
        "--no-legend",
        "--from",
        "-1,-1,-1",
    ];
    let (status, stderr, between) = render("checkpoint-00000150.h5", &words);
    assert_eq!(status, Some(0), "{stderr}");
    assert!(!between.is_empty() && !pictures.contains(&between));
    let shear = ["--colour", "wall.shear"];
    refused(
        frame,
        &[&shear[..], &["--no-walls"]].concat(),
        "found --no-walls",
    );
    refused(
        frame,
        &[&shear[..], &["--walls", "lines"]].concat(),
        "found --walls lines",
    );
    std::fs::remove_file(out.join("frames/surfaces-00000120.h5")).unwrap();
    let lacks = "needs the frame of surfaces of step 120 (output.surfaces); found none";
    refused(frame, &shear, lacks);
    let bare = dir.path().join("bare");
    let of = Options {
        steps: Some(10),
        ..options(&bare, &["output.every=0"])
    };
    on_ranks(1, |comm| sim::try_run(comm, &config, &of)).unwrap();
    refused(
        "../bare/checkpoint-00000010.h5",
        &shear,
        "needs the loads of mesh walls",
    );
}

/// Without friction the pressure on the floor of the vessel is the whole force on it in walls.csv, and shear is 0.
#[test]
fn without_friction_pressure_is_the_whole_force() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let config = write(dir.path());
    let out = dir.path().join("out");
    let set = [
        "material.0.friction=0.0",
        "time.steps=200",
        "output.every=100",
    ];
    on_ranks(3, |comm| sim::try_run(comm, &config, &options(&out, &set))).unwrap();
    let movie = surfaces(&out);
    let text = std::fs::read_to_string(out.join("walls.csv")).unwrap();
    assert!(text.starts_with("step,time,wall,fx,fy,fz"));
    let mut sum = 0.0;
    for line in text.lines().skip(1) {
        let line: Vec<&str> = line.split(',').collect();
        if line[2] == "vessel" && line[0].parse::<u64>().unwrap() > 100 {
            sum += line[5].parse::<f64>().unwrap();
        }
    }
    let (places, pressure) = (movie.places(2), movie.array("pressure", 2));
    let mut pressed = 0.0;
    for (corners, pressure) in places.chunks(3).zip(&pressure).take(12) {
        if corners.iter().all(|corner| corner[2] == 0.0) {
            let [a, b, c] = [0, 1, 2].map(|k| Vector3::from(corners[k]));
            pressed += pressure * 0.5 * (b - a).cross(&(c - a)).norm();
        }
    }
    let ratio = pressed / (-sum / 100.0);
    assert!(
        pressed > 0.0 && (ratio - 1.0).abs() < 1e-9,
        "{pressed} {sum}"
    );
    let most = pressure.iter().copied().fold(0.0, f64::max);
    let shear = movie.array("shear", 2);
    assert!(shear.iter().all(|x| x.abs() < 1e-12 * most), "{shear:?}");
}

/// Totals outlast a part of the run without frames; a frame at the start of a part begins the means; a changed mesh begins its sums
/// anew, and says so.
#[test]
fn totals_are_those_of_the_whole_run() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let config = write(dir.path());
    let whole = dir.path().join("whole");
    let of = options(&whole, &["time.steps=150"]);
    on_ranks(1, |comm| sim::try_run(comm, &config, &of)).unwrap();
    let parts = dir.path().join("parts");
    let first = Options {
        steps: Some(75),
        ..options(&parts, &[])
    };
    on_ranks(2, |comm| sim::try_run(comm, &config, &first)).unwrap();
    let resume = |set: &[&str]| {
        let more = Options {
            out: None,
            ..options(&parts, set)
        };
        on_ranks(1, |comm| sim::try_resume(comm, &parts, &more)).unwrap();
    };
    resume(&["output.every=0", "time.steps=110"]);
    // The frame of the step at which this part begins: the means begin there.
    resume(&["output.every=10", "time.steps=150"]);
    let (whole, found) = (surfaces(&whole), surfaces(&parts));
    assert_eq!(found.steps, [0, 50, 110, 120, 130, 140, 150]);
    for name in ["impact_energy", "sliding_work"] {
        assert_eq!(whole.array(name, 3), found.array(name, 6), "{name}");
    }
    // The means of 60 steps, and of four times ten, against those of two times fifty.
    let sum = |movie: &Movie, frame: usize| -> f64 { movie.array("pressure", frame).iter().sum() };
    let all = 50.0 * sum(&whole, 3) + 50.0 * sum(&whole, 2);
    let last: f64 = (3..7).map(|frame| 10.0 * sum(&found, frame)).sum();
    let first = 60.0 * sum(&found, 2);
    assert!(
        ((last + first) / all - 1.0).abs() < 1e-9,
        "{last} {first} {all}"
    );
    let out = dir.path().join("other");
    let [from, to] = [&parts, &out].map(|path| path.to_str().unwrap());
    let changed = ["--set", "wall.0.scale=1.001", "--set", "time.steps=151"];
    let done = on(1, &[&["resume", from, "--out", to][..], &changed].concat());
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    let says = done
        .stderr
        .contains("begin here, as its surface has changed");
    assert!(says, "{}", done.stderr);
}

/// Without the key there are neither frames nor sums, and the state is the same.
#[test]
fn surfaces_can_be_left_out() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let config = write(dir.path());
    let read = |out: &Path| {
        let path = out.join("checkpoint-00000075.h5");
        moreau::io::checkpoint::read(&threads::Serial, &path).unwrap()
    };
    let [with, without] = [("with", true), ("without", false)].map(|(name, kept)| {
        let out = dir.path().join(name);
        let set = if kept {
            &[][..]
        } else {
            &["output.surfaces=false"][..]
        };
        let of = Options {
            steps: Some(75),
            ..options(&out, set)
        };
        on_ranks(1, |comm| sim::try_run(comm, &config, &of)).unwrap();
        assert_eq!(out.join("surfaces.vtkhdf").exists(), kept);
        (read(&out), out)
    });
    assert!(with.0.bodies == without.0.bodies);
    assert_eq!(with.0.header.wear_since, Some(0.05));
    assert!(!with.0.wear.is_empty() && without.0.wear.is_empty());
    assert_eq!(without.0.header.wear_since, None);
    // A run that records them from here on.
    let go_on = Options {
        out: None,
        ..options(&without.1, &["output.surfaces=true", "time.steps=100"])
    };
    on_ranks(2, |comm| sim::try_resume(comm, &without.1, &go_on)).unwrap();
    let movie = surfaces(&without.1);
    assert_eq!(movie.steps, [100]);
    assert!(movie.array("pressure", 0).iter().any(|p| *p > 0.0));
}
