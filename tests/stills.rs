//! Pictures of frames: the same as those of checkpoints of the same steps, and clear errors where fields are missing or files are damaged.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{FEW_DISCS, Output, mpi_available, on};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const FRAMES: [&str; 4] = [
    "checkpoint.every=20",
    "checkpoint.keep=9",
    "output.every=20",
    "output.precision='f64'",
];

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn render(words: &[&str]) -> Output {
    on(1, &[&["render"], words].concat())
}

/// Runs a configuration, on two ranks where that is possible.
fn run(out: &Path, config: &str, steps: &str, set: &[&str]) {
    let config = format!("{}/configs/{config}.toml", env!("CARGO_MANIFEST_DIR"));
    let out = text(out);
    let mut args = vec!["run", &config, "--out", &out, "--steps", steps];
    set.iter().for_each(|word| args.extend(["--set", word]));
    let ranks = if mpi_available() { 2 } else { 1 };
    let done = on(ranks, &args);
    assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
}

/// Balls in a box, from a run that stopped in between and went on with another title.
fn balls() -> &'static Path {
    static RUN: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = RUN.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run");
        let few = ["bodies.0.count=300", "domain.upper=[0.08, 0.08, 0.3]"];
        run(&out, "settle", "30", &[&FRAMES[..], &few].concat());
        let go_on = on(
            1,
            &[
                "resume",
                &text(&out),
                "--steps",
                "60",
                "--set",
                "title='later'",
            ],
        );
        assert_eq!(go_on.status, Some(0), "{}", go_on.stderr);
        dir
    });
    Box::leak(made.path().join("run").into_boxed_path())
}

/// A copy of a run, to be spoilt.
fn copy(from: &Path) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("run");
    for folder in ["", "frames"] {
        fs::create_dir_all(to.join(folder)).unwrap();
        for entry in fs::read_dir(from.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                fs::copy(entry.path(), to.join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    (dir, to)
}

/// The bytes of a picture.
fn picture(of: &Path, words: &[&str]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("a.png");
    let fixed = [&text(of), "-o", &text(&to), "--size", "320x240"];
    let done = render(&[&fixed[..], words].concat());
    assert_eq!(done.status, Some(0), "{words:?} {}", done.stderr);
    fs::read(to).unwrap()
}

fn both(run: &Path, step: u64) -> [PathBuf; 2] {
    let checkpoint = run.join(format!("checkpoint-{step:08}.h5"));
    [checkpoint, run.join(format!("frames/bodies-{step:08}.h5"))]
}

fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Every quantity, of balls, of discs between walls that move, of a mesh that turns, and of clumps.
#[test]
fn pictures_of_frames_are_those_of_checkpoints() {
    let all = [
        "speed",
        "velocity.x",
        "spin",
        "radius",
        "id",
        "material",
        "coordination",
        "pressure",
        "height",
    ];
    let dir = tempfile::tempdir().unwrap();
    let made = |name: &str, steps: &str, more: &[&str]| {
        let out = dir.path().join(name);
        run(&out, name, steps, &[&FRAMES[..], more].concat());
        out
    };
    let runs = [
        (balls().to_owned(), [20, 40, 60], true),
        (made("biaxial-2d", "60", &FEW_DISCS), [20, 40, 60], true),
        (made("mixer-stl", "60", &[]), [20, 40, 60], true),
        (made("clumps", "100", &[]), [60, 80, 100], false),
    ];
    for (run, steps, whole) in &runs {
        let mut different = Vec::new();
        for &step in steps {
            let [checkpoint, frame] = both(run, step);
            // The fields of frames of clumps by default lack their pressure.
            for colour in all.iter().filter(|c| *whole || **c != "pressure") {
                let words = ["--colour", colour, "--fit", "domain"];
                let [a, b] = [&checkpoint, &frame].map(|of| picture(of, &words));
                assert!(a == b, "{}: {colour} at {step}", run.display());
                different.push(a);
            }
        }
        different.sort();
        different.dedup();
        assert!(different.len() > 15, "{} pictures differ", different.len());
        if !whole {
            let frame = text(&both(run, 100)[1]);
            for words in [
                &["--colour", "pressure"][..],
                &["--contacts", "--clip", "x>0.1"],
            ] {
                let to = text(&dir.path().join("none.png"));
                let done = render(&[&[&frame, "-o", &to], words].concat());
                assert_eq!(done.status, Some(2), "{words:?}");
                assert!(
                    done.stderr.contains("needs their contact points"),
                    "{}",
                    done.stderr
                );
            }
            continue;
        }
        let words = ["--clip", "x>0.02", "--perspective", "50"];
        let [a, b] = both(run, steps[2]).map(|of| picture(&of, &words));
        assert!(a == b, "{}", run.display());
        // Lines of contacts end at the bodies' places of the end of the step, those of checkpoints at its start.
        let words = ["--contacts", "--fit", "domain"];
        let [a, b] = both(run, steps[2]).map(|of| pixels(&picture(&of, &words)));
        let same = a
            .iter()
            .zip(&b)
            .filter(|(a, b)| a.abs_diff(**b) < 40)
            .count();
        assert!(same as f64 > 0.97 * a.len() as f64, "{same} of {}", a.len());
    }
}

/// A folder of frames, its table, and a list of files give a picture of each.
#[test]
fn animations_of_frames() {
    let (dir, run) = copy(balls());
    let made = |from: &[&str]| -> Vec<Vec<u8>> {
        let to = dir.path().join("pictures");
        let words = ["-o", &text(&to), "--size", "320x240", "--fit", "domain"];
        let done = render(&[from, &words].concat());
        assert_eq!(done.status, Some(0), "{from:?} {}", done.stderr);
        let mut names: Vec<PathBuf> = fs::read_dir(&to)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        names.sort();
        let files = names.iter().map(|name| fs::read(name).unwrap()).collect();
        fs::remove_dir_all(&to).unwrap();
        files
    };
    let frames = made(&[&text(&run.join("frames"))]);
    assert_eq!(frames.len(), 4);
    assert!(made(&[&text(&run.join("bodies.vtkhdf"))]) == frames);
    let listed: Vec<String> = [0, 20, 40, 60].map(|k| text(&both(&run, k)[1])).to_vec();
    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
    assert!(made(&listed) == frames);
    // A run's folder gives its checkpoints (at 20, 30, 40, 60), and without them its frames.
    assert_eq!(made(&[&text(&run)]).len(), 4);
    for step in [20, 30, 40, 60] {
        fs::remove_file(&both(&run, step)[0]).unwrap();
    }
    assert!(made(&[&text(&run)]) == frames);
    // What is damaged is skipped and named; the others keep their colours.
    fs::write(&both(&run, 0)[1], "no frame").unwrap();
    let to = dir.path().join("pictures");
    let done = render(&[
        &text(&run.join("frames")),
        "-o",
        &text(&to),
        "--size",
        "200x150",
    ]);
    // Arrays that never change are in the first frame of each part of the run.
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("2 pictures"), "{}", done.stdout);
    for words in [
        "bodies-00000000.h5: not an HDF5 file",
        "frame of step 0, which is missing",
    ] {
        assert!(done.stdout.contains(words), "{}", done.stdout);
    }
    for step in [20, 40, 60] {
        fs::write(&both(&run, step)[1], "").unwrap();
    }
    let done = render(&[&text(&run.join("frames")), "-o", &text(&to)]);
    assert_eq!(done.status, Some(2), "{}", done.stdout);
    assert!(done.stderr.contains("can be drawn"), "{}", done.stderr);
}

/// One clear error, with status 2 and without a picture.
#[test]
fn bad_frames_are_refused() {
    let (dir, run) = copy(balls());
    let to = dir.path().join("a.png");
    let refused = |from: &Path, words: &[&str], named: &[&str]| {
        let done = render(&[&[&text(from), "-o", &text(&to)], words].concat());
        assert_eq!(done.status, Some(2), "{}{}", done.stdout, done.stderr);
        for word in named {
            assert!(done.stderr.contains(word), "{word}: {}", done.stderr);
        }
        assert_eq!(done.stderr.trim().lines().count(), 1, "{}", done.stderr);
        assert!(!to.exists());
    };
    let out = dir.path().join("packed");
    let packed = on(
        1,
        &["convert", &text(&run), "--to", "vtk", "--out", &text(&out)],
    );
    assert_eq!(packed.status, Some(0), "{}", packed.stderr);
    let pictures = dir.path().join("pictures");
    let done = render(&[&text(&out.join("bodies.vtkhdf")), "-o", &text(&pictures)]);
    assert_eq!(done.status, Some(2));
    assert!(done.stderr.contains("made by convert"), "{}", done.stderr);

    let frame = both(&run, 60)[1].clone();
    let whole = fs::read(&frame).unwrap();
    refused(
        &run.join("frames/contacts-00000060.h5"),
        &[],
        &["a frame of contacts", "bodies-*.h5"],
    );
    fs::remove_file(run.join("frames/contacts-00000060.h5")).unwrap();
    for words in [&["--contacts"][..], &["--colour", "pressure"]] {
        refused(
            &frame,
            words,
            &["frame of contacts of step 60", "found none"],
        );
    }
    // Cut off, empty, damaged in each tenth.
    for length in [0, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&frame, &whole[..length]).unwrap();
        refused(&frame, &[], &["bodies-00000060.h5"]);
    }
    let mut caught = 0;
    for part in 0..40 {
        let mut bytes = whole.clone();
        let at = part * bytes.len() / 40;
        let end = (at + 64).min(bytes.len());
        bytes[at..end].iter_mut().for_each(|b| *b ^= 0x5a);
        fs::write(&frame, bytes).unwrap();
        let done = render(&[&text(&frame), "-o", &text(&to)]);
        assert!(
            done.status == Some(2) || done.status == Some(0),
            "{}",
            done.stderr
        );
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
        caught += usize::from(done.status == Some(2));
        let _ = fs::remove_file(&to);
    }
    assert!(caught >= 10, "{caught}");
    fs::write(&frame, &whole).unwrap();
    // The configuration of the second part of the run is in its first frame.
    let first = both(&run, 40)[1].clone();
    let moved = dir.path().join("moved.h5");
    fs::rename(&first, &moved).unwrap();
    refused(&frame, &[], &["bodies-00000060.h5", "step 40"]);
    fs::rename(&moved, &first).unwrap();

    let bare = dir.path().join("bare");
    let few = [
        "bodies.0.count=50",
        "output.every=20",
        "output.fields=['radius', 'id']",
        "output.contacts=false",
    ];
    self::run(&bare, "settle", "20", &few);
    let frame = both(&bare, 20)[1].clone();
    refused(
        &frame,
        &[],
        &[
            "--colour speed needs the field `velocity`",
            "the frame has id, radius",
        ],
    );
    refused(
        &frame,
        &["--colour", "material"],
        &["the field `material`", "the frame has id, radius"],
    );
    picture(&frame, &["--colour", "height"]);
}
