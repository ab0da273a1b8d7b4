//! What `moreau convert` makes of checkpoints and frames, and that several processes at once do no harm to files.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod movie;

use harness::{mpi_available, on};
use hdf5::File;
use moreau::comm::threads::Serial;
use moreau::io::checkpoint;
use moreau::sim;
use movie::balls::{BALLS, alone, bodies, contacts, options, run};
use std::path::{Path, PathBuf};

/// `moreau convert`: dumps that the program itself reads back bit for bit, one file of VTKHDF, a description in XDMF.
#[test]
fn converted_files_hold_the_same() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    run(2, &out, &[]).unwrap();
    let last = out.join("checkpoint-00000120.h5");
    let expected = checkpoint::read(&Serial, &last).unwrap();
    let convert = |from: &Path, to: &str, at: &str| -> PathBuf {
        let at = dir.path().join(at);
        let words = [
            "convert",
            from.to_str().unwrap(),
            "--to",
            to,
            "-o",
            at.to_str().unwrap(),
        ];
        let output = on(1, &words);
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        at
    };

    // A dump of a checkpoint, and one of all frames, whose last is the same.
    for (from, at) in [(&last, "dump"), (&out, "dumps")] {
        let at = convert(from, "lammps", at);
        let text = BALLS
            .replace(
                "sample = \"lattice\"",
                "sample = \"file\", file = \"bodies.dump\"",
            )
            .replace(
                "count = 400, radius = { uniform = [0.003, 0.004] }",
                "motion = \"free\"",
            )
            .replace(
                "output = { every = 20, precision = \"f64\" }",
                "output = { series = 1 }",
            );
        let config = at.join("again.toml");
        std::fs::write(&config, text).unwrap();
        let again = at.join("again");
        let mut options = options(&again, &["domain.max_overlap=0.5"]);
        options.steps = Some(0);
        sim::try_run(&Serial, &config, &options).unwrap();
        let read = checkpoint::read(&Serial, &again.join("checkpoint-00000000.h5")).unwrap();
        assert_eq!(read.bodies.len(), expected.bodies.len());
        for (a, b) in read.bodies.iter().zip(&expected.bodies) {
            assert_eq!(
                (a.id, a.position, a.velocity),
                (b.id, b.position, b.velocity)
            );
            assert_eq!(
                (a.angular_velocity, a.radius),
                (b.angular_velocity, b.radius)
            );
        }
        let dump = std::fs::read_to_string(at.join("contacts.dump")).unwrap();
        let between = expected.contacts.iter();
        let between = between.filter(|c| c.key.b.wall_index().is_none());
        let tail = dump.rsplit("status\n").next().unwrap();
        assert_eq!(tail.lines().count(), between.clone().count());
        for (line, contact) in tail.lines().zip(between) {
            let words: Vec<&str> = line.split(' ').collect();
            let id = |k: usize| words[k].parse::<u64>().unwrap() - 1;
            assert_eq!((id(0), id(1)), (contact.key.a.0, contact.key.b.0));
            assert_eq!(words[4].parse::<f64>().unwrap(), contact.gap);
        }
    }

    // What lay there is said to be replaced.
    let dump = dir.path().join("dump");
    let words = ["--to", "lammps", "-o", dump.to_str().unwrap()];
    let output = on(
        1,
        &[&["convert", out.to_str().unwrap()], &words[..]].concat(),
    );
    assert_eq!(
        output.stdout.matches("replaced").count(),
        2,
        "{}",
        output.stdout
    );

    // One file in place of many, of frames and of checkpoints.
    let packed = convert(&out, "vtk", "packed");
    assert!(!packed.join("frames").exists());
    bodies(&out).assert_same(&bodies(&packed), &[]);
    contacts(&out).assert_same(&contacts(&packed), &[]);
    let still = convert(&last, "vtk", "still");
    let frame = bodies(&still);
    assert_eq!(frame.steps, [120]);
    let places: Vec<[f64; 3]> = expected.bodies.iter().map(|row| row.position).collect();
    assert_eq!(frame.places(0), places);
    assert_eq!(
        std::fs::read_dir(&still).unwrap().count(),
        2,
        "nothing is left over"
    );

    let xdmf = convert(&out, "xdmf", "out");
    let text = std::fs::read_to_string(xdmf.join("checkpoints.xmf")).unwrap();
    assert_eq!(text.matches("<Time ").count(), 12);
    for item in text.split("Dimensions=\"").skip(1) {
        let (dimensions, rest) = item.split_once("\">").unwrap();
        let (file, path) = rest.split_once('<').unwrap().0.split_once(':').unwrap();
        let dataset = File::open(xdmf.join(file)).unwrap().dataset(path).unwrap();
        let shape = dataset
            .shape()
            .iter()
            .map(|n| n.to_string())
            .collect::<Vec<_>>();
        assert_eq!(shape.join(" "), dimensions, "{path}");
    }

    // In another folder the description names them by their paths from there: both can be moved.
    let elsewhere = convert(&out, "xdmf", "elsewhere/deep");
    let text = std::fs::read_to_string(elsewhere.join("checkpoints.xmf")).unwrap();
    for item in text.split("Dimensions=\"").skip(1) {
        let (file, _) = item.split_once("\">").unwrap().1.split_once(':').unwrap();
        assert!(file.starts_with("../../out/checkpoint-"), "{file}");
        assert!(elsewhere.join(file).exists(), "{file}");
    }

    // A frame that is missing is no frame of NaN.
    let frame = out.join("frames/bodies-00000060.h5");
    let aside = out.join("aside");
    std::fs::rename(&frame, &aside).unwrap();
    for to in ["vtk", "lammps"] {
        let at = dir.path().join("incomplete");
        let words = [
            "convert",
            out.to_str().unwrap(),
            "--to",
            to,
            "-o",
            at.to_str().unwrap(),
        ];
        let output = on(1, &words);
        assert_eq!(output.status, Some(2), "{}", output.stdout);
        assert!(
            output.stderr.contains("bodies-00000060.h5"),
            "{}",
            output.stderr
        );
    }
    std::fs::rename(&aside, &frame).unwrap();

    // A file in place of a folder is bad input.
    let words = ["--to", "lammps", "-o", last.to_str().unwrap()];
    let output = on(
        1,
        &[&["convert", out.to_str().unwrap()], &words[..]].concat(),
    );
    assert_eq!(output.status, Some(2), "{}", output.stderr);

    // What is no source is refused, and what would be overwritten stays.
    for (from, to) in [
        (&out.join("series.csv"), "lammps"),
        (&dir.path().join("no"), "vtk"),
        (&out, "vtk"),
    ] {
        let output = on(1, &["convert", from.to_str().unwrap(), "--to", to]);
        assert_eq!(
            output.status,
            Some(2),
            "{} {}",
            from.display(),
            output.stdout
        );
    }
    let damaged = dir.path().join("packed/bodies.vtkhdf");
    let mut bytes = std::fs::read(&damaged).unwrap();
    for at in 30..bytes.len().min(4000) / 7 {
        bytes[at * 7] ^= 0x55;
    }
    std::fs::write(&damaged, bytes).unwrap();
    let output = on(1, &["convert", damaged.to_str().unwrap(), "--to", "lammps"]);
    assert_eq!(output.status, Some(2), "{}", output.stderr);
}

/// What needs no ranks is done by each process that a launcher starts, as by any program; the files are as if one had done it alone. (Not so what
/// is written to new names only, `fclib` and `convert --to vtk`: the one that comes later refuses, and launchers then end them all.)
#[test]
fn many_at_once_spoil_nothing() {
    if !mpi_available() {
        return;
    }
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    run(2, &out, &[]).unwrap();
    let last = out.join("checkpoint-00000120.h5");
    let (last, out) = (last.to_str().unwrap(), out.to_str().unwrap());
    let tries: [&[&str]; 4] = [
        &["convert", out, "--to", "lammps", "-o", "made"],
        &["convert", out, "--to", "xdmf", "-o", "made"],
        &["render", last, "-o", "made"],
        &["man", "--out", "made"],
    ];
    for words in tries {
        let [one, three] = [1, 3].map(|ranks| {
            let made = dir.path().join(format!("made-{ranks}"));
            let made = made.to_str().unwrap();
            let words: Vec<&str> = words
                .iter()
                .map(|word| if *word == "made" { made } else { word })
                .collect();
            let done = on(ranks, &words);
            let files = contents(Path::new(made));
            let _ = std::fs::remove_dir_all(made);
            let _ = std::fs::remove_file(made);
            assert!(!files.is_empty(), "{words:?}: {}", done.stderr);
            (done, files)
        });
        assert_eq!(one.0.status, Some(0), "{words:?}: {}", one.0.stderr);
        assert_eq!(three.0.status, Some(0), "{words:?}: {}", three.0.stderr);
        assert!(one.1 == three.1, "{words:?}: {}", three.0.stderr);
    }
}

/// The files of a folder, or the one, with what they hold.
fn contents(of: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(of) else {
        return std::fs::read(of)
            .map(|bytes| (PathBuf::new(), bytes))
            .into_iter()
            .collect();
    };
    let mut all: Vec<_> = entries
        .flat_map(|entry| {
            let name = PathBuf::from(entry.as_ref().unwrap().file_name());
            let inside = contents(&entry.unwrap().path()).into_iter();
            inside.map(move |(path, bytes)| (name.join(path), bytes))
        })
        .collect();
    all.sort();
    all
}
