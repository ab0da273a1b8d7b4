//! Checkpoints: what goes in comes out on any number of ranks, the file does not tell how many wrote it, and (`damage`) a file
//! that is damaged in any way is refused.

// A failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

#[path = "checkpoint/damage.rs"]
mod damage;
#[path = "checkpoint/states.rs"]
mod states;
#[path = "checkpoint/wear.rs"]
mod wear;

use moreau::body::{Anchor, BodyId, BodyRow};
use moreau::comm::threads;
use moreau::io::checkpoint::{self, Counts, Loaded};
use moreau::io::{Header, Snapshot};
use states::{RANKS, body, contact, expected, header, part, read, write};
use std::path::Path;

/// Every dataset and attribute of a file, as text, but for the attribute `ranks`.
fn content(path: &Path) -> Vec<String> {
    let file = hdf5::File::open(path).unwrap();
    let mut lines = Vec::new();
    let names = file.attr_names().unwrap();
    for name in names.iter().filter(|name| *name != "ranks") {
        let kind = file.attr(name).unwrap().dtype().unwrap().to_descriptor();
        lines.push(format!("{name} {kind:?}"));
    }
    let hash: hdf5::types::FixedUnicode<16> =
        file.attr("content_hash").unwrap().read_scalar().unwrap();
    lines.push(hash.to_string());
    for group in file.groups().unwrap() {
        for dataset in group.datasets().unwrap() {
            let (kind, shape) = (
                dataset.dtype().unwrap().to_descriptor().unwrap(),
                dataset.shape(),
            );
            let bits: Vec<u64> = match kind.size() {
                8 if kind == hdf5::types::TypeDescriptor::Float(hdf5::types::FloatSize::U8) => {
                    dataset
                        .read_raw::<f64>()
                        .unwrap()
                        .into_iter()
                        .map(f64::to_bits)
                        .collect()
                }
                _ => dataset.read_raw().unwrap(),
            };
            let mut names = dataset.attr_names().unwrap();
            names.sort();
            let hash: hdf5::types::FixedUnicode<16> =
                dataset.attr("content_hash").unwrap().read_scalar().unwrap();
            lines.push(format!(
                "{} {kind} {shape:?} {names:?} {hash} {bits:?}",
                dataset.name()
            ));
        }
    }
    lines
}

#[test]
fn any_ranks_write_and_any_ranks_read_the_same_bits() {
    let dir = tempfile::tempdir().unwrap();
    let count = 20_000; // Three chunks of bodies: several ranks have rows to write.
    let mut first = None;
    for (step, writers) in (1..).zip(RANKS) {
        let path = write(dir.path(), writers, step, count);
        for readers in RANKS {
            assert_eq!(
                read(&path, readers).unwrap(),
                expected(step, count, writers),
                "{writers} to {readers} ranks"
            );
        }
        let path = write(dir.path(), writers, 99, count);
        let here = content(&path);
        assert!(
            *first.get_or_insert_with(|| here.clone()) == here,
            "file of {writers} ranks"
        );
    }
}

#[test]
fn small_states_and_more_ranks_than_rows() {
    let dir = tempfile::tempdir().unwrap();
    for (step, count) in (1..).zip([0, 1, 2, 5]) {
        for writers in RANKS {
            let path = write(dir.path(), writers, step, count);
            for readers in RANKS {
                assert_eq!(
                    read(&path, readers).unwrap(),
                    expected(step, count, writers)
                );
            }
        }
    }
    let nothing = Snapshot {
        header: header(9),
        ..Snapshot::default()
    };
    let path = threads::run(3, |comm| checkpoint::write(comm, dir.path(), &nothing))
        .remove(0)
        .unwrap();
    let loaded = read(&path, 2).unwrap();
    assert!(loaded.bodies.is_empty() && loaded.contacts.is_empty() && loaded.walls.is_empty());
}

/// Rows whose ids leave all but one rank without work if ranks got equal ranges of ids.
#[test]
fn a_huge_gap_in_the_ids() {
    let dir = tempfile::tempdir().unwrap();
    let far = |i: u64| BodyRow {
        id: BodyId(if i == 499 { (1 << 63) - 1 } else { i }),
        ..body(i)
    };
    let paths = threads::run(4, |comm| {
        let bodies = (comm.rank() as u64..500)
            .step_by(comm.size())
            .map(far)
            .collect();
        checkpoint::write(
            comm,
            dir.path(),
            &Snapshot {
                bodies,
                header: Header {
                    next_id: 1 << 63,
                    ..Header::default()
                },
                ..Snapshot::default()
            },
        )
    });
    let loaded = read(paths[0].as_ref().unwrap(), 3).unwrap();
    assert_eq!(loaded.bodies, (0..500).map(far).collect::<Vec<_>>());
}

#[test]
fn texts_of_any_length_come_back() {
    let dir = tempfile::tempdir().unwrap();
    for (step, config) in (0..).zip([String::new(), "ä".into(), "x = 1 # …\n".repeat(30_000)]) {
        let snapshot = Snapshot {
            header: Header {
                config: config.clone(),
                ..header(step)
            },
            ..Snapshot::default()
        };
        let path = threads::run(2, |comm| checkpoint::write(comm, dir.path(), &snapshot))
            .remove(0)
            .unwrap();
        assert_eq!(read(&path, 2).unwrap().header.config, config);
    }
}

/// Names, types, shapes and units as the format promises them, seen by HDF5 alone.
#[test]
fn the_file_is_as_documented() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 2, 42, 5);
    assert_eq!(path, dir.path().join("checkpoint-00000042.h5"));
    let file = hdf5::File::open(&path).unwrap();
    let number = |name: &str| file.attr(name).unwrap().read_scalar::<u64>().unwrap();
    assert_eq!(
        [
            "step",
            "seed",
            "ranks",
            "capped_steps",
            "rushed_steps",
            "plastic_collisions",
            "next_id"
        ]
        .map(number),
        [42, u64::MAX - 5, 2, 17, 11, 23, 1 << 40]
    );
    assert_eq!(
        file.attr("time").unwrap().read_scalar::<f64>().unwrap(),
        0.1 * 42.0
    );
    assert_eq!(
        file.attr("format_version")
            .unwrap()
            .read_scalar::<u32>()
            .unwrap(),
        12
    );
    let text: hdf5::types::FixedUnicode<17> = file.attr("format").unwrap().read_scalar().unwrap();
    assert_eq!(text.as_str(), "moreau-checkpoint");
    for (path, kind, shape, unit) in [
        ("bodies/id", "uint64", vec![5], "1"),
        ("bodies/position", "float64", vec![5, 3], "m"),
        ("bodies/velocity", "float64", vec![5, 3], "m/s"),
        ("bodies/orientation", "float64", vec![5, 4], "1"),
        ("bodies/angular_velocity", "float64", vec![5, 3], "rad/s"),
        ("bodies/radius", "float64", vec![5], "m"),
        ("bodies/mass", "float64", vec![5], "kg"),
        ("bodies/material", "uint16", vec![5], "1"),
        ("bodies/kind", "uint8", vec![5], "1"),
        ("contacts/body", "uint64", vec![10, 2], "1"),
        ("contacts/feature", "uint64", vec![10], "1"),
        ("contacts/point", "float64", vec![10, 3], "m"),
        ("contacts/normal", "float64", vec![10, 3], "1"),
        ("contacts/gap", "float64", vec![10], "m"),
        ("contacts/impulse", "float64", vec![10, 3], "N s"),
        ("contacts/couple_impulse", "float64", vec![10, 3], "N m s"),
        ("contacts/status", "uint8", vec![10], "1"),
        ("walls/id", "uint64", vec![3], "1"),
        ("bodies/inertia", "float64", vec![5], "kg m2"),
        ("bodies/image", "int64", vec![5, 3], "1"),
        ("contacts/bonded", "uint8", vec![10], "1"),
        ("walls/displacement", "float64", vec![3, 3], "m"),
        ("walls/orientation", "float64", vec![3, 4], "1"),
        ("walls/velocity", "float64", vec![3, 3], "m/s"),
        ("walls/angular_velocity", "float64", vec![3, 3], "rad/s"),
        ("walls/couple_impulse", "float64", vec![3, 3], "N m s"),
        ("walls/material", "uint16", vec![3], "1"),
        ("walls/impulse", "float64", vec![3, 3], "N s"),
        ("walls/motion_time", "float64", vec![3], "s"),
        ("walls/motion_displacement", "float64", vec![3, 3], "m"),
        ("walls/motion_orientation", "float64", vec![3, 4], "1"),
        ("walls/axis_displacement", "float64", vec![3, 3], "m"),
        ("walls/axis_orientation", "float64", vec![3, 4], "1"),
        ("flows/number", "uint64", vec![2], "1"),
        ("flows/bodies", "uint64", vec![2], "1"),
        ("flows/mass", "float64", vec![2], "kg"),
    ] {
        let dataset = file.dataset(path).unwrap();
        assert_eq!(
            dataset
                .dtype()
                .unwrap()
                .to_descriptor()
                .unwrap()
                .to_string(),
            kind,
            "{path}"
        );
        assert_eq!(dataset.shape(), shape, "{path}");
        let found: hdf5::types::FixedUnicode<8> =
            dataset.attr("unit").unwrap().read_scalar().unwrap();
        assert_eq!(found.as_str(), unit, "{path}");
        assert!(dataset.attr("description").is_ok());
    }
    let positions = file
        .dataset("bodies/position")
        .unwrap()
        .read_raw::<f64>()
        .unwrap();
    assert_eq!(
        positions,
        (0..5).flat_map(|i| body(i).position).collect::<Vec<_>>()
    );
    let (found, counts) = checkpoint::header(&path).unwrap();
    assert_eq!(
        found,
        Header {
            ranks: 2,
            ..header(42)
        }
    );
    assert_eq!(
        counts,
        Counts {
            bodies: 5,
            contacts: 10,
            walls: 3,
            flows: 2,
            anchors: 0,
            wear: 13,
        }
    );
}

#[test]
fn the_newest_valid_checkpoint_is_found_and_the_skipped_ones_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let newest =
        |ranks| {
            let found = threads::run(ranks, |comm| checkpoint::read_newest(comm, dir.path()));
            assert!(found.iter().all(
                |f| f.as_ref().map(|f| (&f.0, &f.2)) == found[0].as_ref().map(|f| (&f.0, &f.2))
            ));
            found.into_iter().next().unwrap()
        };
    assert!(
        newest(2)
            .unwrap_err()
            .to_string()
            .contains("holds no checkpoint")
    );
    let paths = [1, 2, 3].map(|step| write(dir.path(), 2, step, 5));
    let (path, loaded, skipped) = newest(3).unwrap();
    assert_eq!(
        (path, loaded.header.step, skipped),
        (paths[2].clone(), 3, vec![])
    );
    std::fs::write(&paths[2], "").unwrap();
    let third = std::fs::read(&paths[1]).unwrap();
    std::fs::write(&paths[1], &third[..third.len() / 2]).unwrap();
    let (path, loaded, skipped) = newest(3).unwrap();
    assert_eq!((path, loaded.header.step), (paths[0].clone(), 1));
    assert_eq!(
        skipped.iter().map(|s| s.0.clone()).collect::<Vec<_>>(),
        [paths[2].clone(), paths[1].clone()]
    );
    assert!(skipped[0].1.contains("not an HDF5 file") && skipped[1].1.contains("incomplete"));
    std::fs::write(&paths[0], "").unwrap();
    let message = newest(2).unwrap_err().to_string();
    assert!(
        paths
            .iter()
            .all(|path| message.contains(path.to_str().unwrap())),
        "{message}"
    );
}

#[test]
fn the_hash_of_a_state_depends_on_every_bit_of_it_and_not_on_ranks() {
    let hash = |ranks: usize, step: u64, time: f64, change: &(dyn Fn(&mut BodyRow) + Sync)| {
        let hashes = threads::run(ranks, |comm| {
            let mut bodies = part(comm, 1, 50).bodies;
            bodies
                .iter_mut()
                .filter(|b| b.id == body(20).id)
                .for_each(change);
            checkpoint::state_hash(comm, step, time, &bodies)
        });
        assert!(hashes.iter().all(|h| *h == hashes[0]));
        hashes[0]
    };
    let up = |x: &mut f64| *x = f64::from_bits(x.to_bits() + 1);
    let mut all = vec![hash(1, 3, 0.5, &|_| {})];
    RANKS
        .iter()
        .for_each(|&ranks| assert_eq!(hash(ranks, 3, 0.5, &|_| {}), all[0]));
    all.push(hash(2, 4, 0.5, &|_| {}));
    all.push(hash(2, 3, 0.6, &|_| {}));
    all.push(hash(2, 3, 0.5, &|b| b.id.0 = 1));
    for c in 0..3 {
        all.push(hash(2, 3, 0.5, &|b| up(&mut b.position[c])));
        all.push(hash(2, 3, 0.5, &|b| up(&mut b.velocity[c])));
        all.push(hash(2, 3, 0.5, &|b| up(&mut b.angular_velocity[c])));
        all.push(hash(2, 3, 0.5, &|b| up(&mut b.orientation[c + 1])));
    }
    all.push(hash(2, 3, 0.5, &|b| up(&mut b.orientation[0])));
    let distinct: std::collections::BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len());
}

/// A file of version 6, written by the program that had it as its newest, holds what it held: features were 32 bits wide.
#[test]
fn version_6_is_still_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint-00000007.h5");
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/checkpoint-version-6.h5");
    std::fs::copy(old, &path).unwrap();
    let file = hdf5::File::open(&path).unwrap();
    let feature = file.dataset("contacts/feature").unwrap();
    assert_eq!(feature.dtype().unwrap().size(), 4);
    drop((feature, file));
    for ranks in [1, 3] {
        let loaded = read(&path, ranks).unwrap();
        // It knew no plans, and no bonds.
        let unplanned = |k| moreau::body::BodyRow {
            reference: Default::default(),
            ..body(k)
        };
        assert_eq!(loaded.bodies, (0..5).map(unplanned).collect::<Vec<_>>());
        let unbonded = |k| {
            let mut row = contact(k, 5);
            row.state.joint = moreau::law::bond::Joint::default();
            row
        };
        assert_eq!(loaded.contacts, (0..10).map(unbonded).collect::<Vec<_>>());
    }
}

/// Clumps bring their shapes and angular momenta, and features that take more than 32 bits; files of balls have neither dataset.
#[test]
fn clumps_have_datasets_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let balls = write(dir.path(), 2, 3, 5);
    let written = threads::run(2, |comm| {
        let mut mine = part(comm, 7, 5);
        mine.bodies.iter_mut().for_each(|row| *row = as_clump(*row));
        mine.contacts
            .iter_mut()
            .for_each(|row| row.key.feature = (row.key.feature + 1) << 40);
        checkpoint::write(comm, dir.path(), &mine)
    });
    let path = written[0].clone().unwrap();
    for name in ["bodies/shape", "bodies/angular_momentum"] {
        assert!(hdf5::File::open(&path).unwrap().link_exists(name));
        assert!(!hdf5::File::open(&balls).unwrap().link_exists(name));
    }
    let Loaded {
        bodies, contacts, ..
    } = read(&path, 3).unwrap();
    assert_eq!(
        bodies,
        (0..5).map(|i| as_clump(body(i))).collect::<Vec<_>>()
    );
    let features: Vec<u64> = contacts.iter().map(|row| row.key.feature >> 40).collect();
    let expected: Vec<u64> = (0..10).map(|k| contact(k, 5).key.feature + 1).collect();
    assert_eq!(features, expected);
    // What makes bodies clumps cannot be taken away unseen.
    let file = hdf5::File::open_rw(&path).unwrap();
    file.unlink("bodies/shape").unwrap();
    drop(file);
    let refused = read(&path, 1).unwrap_err().to_string();
    assert!(
        refused.contains("content changed since it was written"),
        "{refused}"
    );
}

/// The places at which supports hold bodies come back on any ranks. Files without them have no such
/// group.
#[test]
fn supports_come_back_on_any_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let anchors: Vec<Anchor> = (0..7u64)
        .map(|k| Anchor {
            body: BodyId(k / 2),
            support: k % 2,
            position: [k as f64, -0.5, 1.0 / (k as f64 + 3.0)],
            orientation: [0.8, 0.0, -0.6, 0.0],
        })
        .collect();
    let written = threads::run(3, |comm| {
        let snapshot = Snapshot {
            anchors: anchors.clone(),
            ..part(comm, 42, 5)
        };
        checkpoint::write(comm, dir.path(), &snapshot)
    });
    let path = written[0].clone().unwrap();
    for ranks in [1, 2, 5] {
        assert_eq!(read(&path, ranks).unwrap().anchors, anchors, "{ranks}");
    }
    let other = tempfile::tempdir().unwrap();
    let plain = write(other.path(), 1, 42, 5);
    assert!(!hdf5::File::open(&plain).unwrap().link_exists("supports"));
    let file = hdf5::File::open_rw(&path).unwrap();
    file.unlink("supports").unwrap();
    drop(file);
    let refused = read(&path, 1).unwrap_err().to_string();
    assert!(
        refused.contains("content changed since it was written"),
        "{refused}"
    );
}

/// The body as a clump of one of three templates.
fn as_clump(row: BodyRow) -> BodyRow {
    let momentum = row.angular_velocity.map(|w| 0.3 * w);
    BodyRow {
        shape: 1 + row.material % 3,
        angular_momentum: momentum,
        ..row
    }
}
