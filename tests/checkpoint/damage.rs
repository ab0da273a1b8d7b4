//! Files that are cut, changed, or of something else, and writes that fail: told as what they are, on all ranks.

use crate::states::{body, contact, part, read, walls, write};
use moreau::body::BodyId;
use moreau::comm::{Comm, threads};
use moreau::io::Snapshot;
use moreau::io::checkpoint::{self, Error};
use std::path::Path;

/// The error on all of three ranks.
fn refusal(path: &Path) -> String {
    let error = read(path, 3).expect_err("it should be refused");
    assert!(matches!(error, Error::Read(_)));
    error.to_string()
}

#[test]
fn a_truncated_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 2, 1, 5);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let message = refusal(&path);
        assert!(
            message.contains("checkpoint-00000001.h5: "),
            "{length}: {message}"
        );
        assert!(message.contains("HDF5"), "{length}: {message}");
        assert!(checkpoint::header(&path).is_err());
    }
}

/// Bytes all over a file, each changed in one bit: refused, or (bytes that nobody reads) no other content.
#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 1, 1, 2);
    let whole = std::fs::read(&path).unwrap();
    let expected = read(&path, 1).unwrap();
    let (mut refused, mut harmless) = (0, 0);
    for at in (0..whole.len()).step_by(11) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&path, &changed).unwrap();
        match threads::run(1, |comm| checkpoint::read(comm, &path)).remove(0) {
            Err(_) => refused += 1,
            Ok(found) => {
                assert_eq!(found, expected, "byte {at}");
                harmless += 1;
            }
        }
    }
    assert!(
        refused > 3 * harmless,
        "{refused} refused, {harmless} harmless"
    );
}

/// A changed byte of each dataset is refused by a message with the name of the dataset, on all ranks.
#[test]
fn a_flipped_bit_in_the_rows_names_the_dataset() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 4, 1, 30_000);
    let whole = std::fs::read(&path).unwrap();
    let last = body(29_000);
    for (dataset, bytes) in [
        ("/bodies/position", bytemuck::bytes_of(&last.position)),
        (
            "/bodies/angular_velocity",
            bytemuck::bytes_of(&last.angular_velocity),
        ),
        ("/bodies/mass", bytemuck::bytes_of(&last.mass)),
        (
            "/contacts/impulse",
            bytemuck::bytes_of(&contact(1234, 30_000).impulse),
        ),
        ("/walls/impulse", bytemuck::bytes_of(&walls()[1].impulse)),
    ] {
        let at = whole
            .windows(bytes.len())
            .position(|window| window == bytes)
            .unwrap();
        let mut changed = whole.clone();
        changed[at + 3] ^= 0x10;
        std::fs::write(&path, &changed).unwrap();
        let message = refusal(&path);
        assert!(message.contains(dataset), "{dataset}: {message}");
    }
}

/// Changes made through HDF5, whose own checksums are then right.
#[test]
fn a_file_that_is_not_what_was_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 2, 1, 5);
    let whole = std::fs::read(&path).unwrap();
    let case = |expected: &[&str], change: &dyn Fn(&hdf5::File)| {
        std::fs::write(&path, &whole).unwrap();
        let file = hdf5::File::open_rw(&path).unwrap();
        change(&file);
        file.close().unwrap();
        let message = refusal(&path);
        assert!(
            expected.iter().all(|part| message.contains(part)),
            "expected {expected:?}: {message}"
        );
    };
    let text = |file: &hdf5::File, name: &str, text: &str| {
        file.delete_attr(name).unwrap();
        let text: hdf5::types::FixedUnicode<32> = text.parse().unwrap();
        file.new_attr::<hdf5::types::FixedUnicode<32>>()
            .create(name)
            .unwrap()
            .write_scalar(&text)
            .unwrap();
    };
    let number = |file: &hdf5::File, name: &str, value: f64| {
        file.attr(name)
            .unwrap()
            .as_writer()
            .write_scalar(&value)
            .unwrap();
    };
    let replace = |file: &hdf5::File, path: &str, shape: &[usize]| {
        file.unlink(path).unwrap();
        file.new_dataset::<f64>().shape(shape).create(path).unwrap();
    };
    case(
        &["format: must be `moreau-checkpoint`; found `moreau-frames`"],
        &|file| text(file, "format", "moreau-frames"),
    );
    case(&["must be a checkpoint", "`format` is missing"], &|file| {
        file.delete_attr("format").unwrap()
    });
    case(&["`content_hash` is missing"], &|file| {
        file.delete_attr("content_hash").unwrap()
    });
    case(
        &["format version: must be from 6 to 12 (moreau 0.1.0); found 13, written by moreau"],
        &|file| {
            file.attr("format_version")
                .unwrap()
                .write_scalar(&13u32)
                .unwrap();
        },
    );
    case(
        &["format version: must be from 6 to 12", "; found 2, written"],
        &|file| {
            let version = file.attr("format_version").unwrap();
            version.write_scalar(&2u32).unwrap();
        },
    );
    case(&["`seed`: must be one number of type uint64"], &|file| {
        file.delete_attr("seed").unwrap();
        file.new_attr::<i32>()
            .create("seed")
            .unwrap()
            .write_scalar(&1)
            .unwrap();
    });
    case(&["dataset /bodies/mass is missing"], &|file| {
        file.unlink("bodies/mass").unwrap()
    });
    case(&["dataset /flows/number is missing"], &|file| {
        file.unlink("flows").unwrap()
    });
    case(&["dataset /walls/id is missing"], &|file| {
        file.unlink("walls").unwrap()
    });
    case(
        &["/bodies/velocity: shape must be [5, 3]; found [5, 2]"],
        &|file| replace(file, "bodies/velocity", &[5, 2]),
    );
    case(
        &["/bodies/mass: shape must be [5]; found [5, 1]"],
        &|file| replace(file, "bodies/mass", &[5, 1]),
    );
    case(&["/contacts/gap: shape must be [10]; found [9]"], &|file| {
        replace(file, "contacts/gap", &[9])
    });
    case(
        &["/bodies/id: must be numbers of type uint64; found float64"],
        &|file| replace(file, "bodies/id", &[5]),
    );
    case(
        &["/bodies/id: claims 1000000000000000 rows, 8000000000000000 bytes; the whole file has"],
        &|file| {
            file.unlink("bodies/id").unwrap();
            file.new_dataset::<u64>()
                .chunk(1)
                .shape(1_000_000_000_000_000usize)
                .create("bodies/id")
                .unwrap();
        },
    );
    case(
        &["attributes: content changed since it was written"],
        &|file| number(file, "time", 0.5),
    );
    case(
        &["attribute `time`: must be a finite number; found NaN"],
        &|file| number(file, "time", f64::NAN),
    );
    case(
        &["attributes: content changed since it was written"],
        &|file| number(file, "dt", 0.5),
    );
    case(
        &["/bodies/mass: content changed since it was written"],
        &|file| {
            file.dataset("bodies/mass")
                .unwrap()
                .write(&[1.0, 2.0, 3.0, 4.0, 5.0])
                .unwrap();
        },
    );
    case(
        &["/bodies/mass: row 3: must be finite; found inf"],
        &|file| {
            file.dataset("bodies/mass")
                .unwrap()
                .write(&[1.0, 2.0, 3.0, f64::INFINITY, 5.0])
                .unwrap();
        },
    );
    case(
        &["/contacts/status: content changed since it was written"],
        &|file| {
            let status = file.dataset("contacts/status").unwrap();
            let mut rows = status.read_raw::<u8>().unwrap();
            rows.swap(0, 1); // The same rows in another order.
            status.write(&rows).unwrap();
        },
    );
}

/// Files that are sound as files, but of a state that cannot be.
#[test]
fn a_state_that_cannot_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let case = |expected: &str, change: &dyn Fn(&mut Snapshot)| {
        let mut snapshot = part(&threads::Serial, 1, 5);
        change(&mut snapshot);
        let path = checkpoint::write(&threads::Serial, dir.path(), &snapshot).unwrap();
        let message = refusal(&path);
        assert!(message.contains(expected), "{message}");
    };
    case("must be bodies in /bodies/id; found body 4", &|state| {
        state.contacts[0].key.a = BodyId(4)
    });
    case("must be bodies in /bodies/id; found body 0", &|state| {
        state.contacts[0].key.a = BodyId(0)
    });
    case("a body or a wall; found the contact of 3 and 3", &|state| {
        state.contacts[0].key.b = BodyId(3)
    });
    case(
        "a body or a wall; found the contact of 3 and wall 3",
        &|state| state.contacts[0].key.b = BodyId::wall(3),
    );
    case(
        "/contacts/status: must be 0, 1 or 2; found 3 of the contact of 3 and 5",
        &|state| state.contacts[0].status = 3,
    );
    case(
        "the first id of a wall; found 9223372036854775808",
        &|state| state.bodies[0].id = BodyId::wall(0),
    );
}

#[test]
fn what_is_no_file_of_ours_is_named_as_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.h5");
    assert!(refusal(&path).contains("state.h5: cannot read it: No such file"));
    std::fs::write(&path, "id,x,y,z\n1,2,3,4\n").unwrap();
    assert!(refusal(&path).contains("state.h5: not an HDF5 file"));
    std::fs::write(&path, "").unwrap();
    assert!(refusal(&path).contains("not an HDF5 file"));
    assert!(refusal(dir.path()).contains("not a file"));
    hdf5::File::create(&path).unwrap().close().unwrap();
    assert!(refusal(&path).contains("attribute `format` is missing"));
}

#[test]
fn a_failed_write_reaches_all_ranks_and_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let older = write(dir.path(), 2, 1, 5);
    let before = std::fs::read(&older).unwrap();
    let case = |dir: &Path, expected: &str, change: &(dyn Fn(&dyn Comm, &mut Snapshot) + Sync)| {
        let errors = threads::run(4, |comm| {
            let mut state = part(comm, 2, 5000);
            change(comm, &mut state);
            checkpoint::write(comm, dir, &state).unwrap_err()
        });
        let message = errors[0].to_string();
        assert!(
            errors
                .iter()
                .all(|e| matches!(e, Error::Write(_)) && e.to_string() == message),
            "{errors:?}"
        );
        assert!(
            message.contains("checkpoint-00000002.h5: ") && message.contains(expected),
            "{message}"
        );
    };
    case(
        dir.path(),
        "/bodies/material: must fit 2 bytes; found 65536 of body ",
        &|comm, state| {
            if comm.rank() == 2 {
                state.bodies[7].material = 65536;
            }
        },
    );
    case(
        dir.path(),
        "/contacts/impulse: must be finite; found NaN of the contact of ",
        &|comm, state| {
            if comm.rank() == 3 {
                state.contacts[0].impulse[1] = f64::NAN;
            }
        },
    );
    case(dir.path(), "body 900 is there twice", &|comm, state| {
        if comm.rank() % 2 == 1 {
            state.bodies[comm.rank()].id = BodyId(900);
        }
        state
            .bodies
            .retain(|body| body.id != BodyId(900) || comm.rank() % 2 == 1);
    });
    case(
        &dir.path().join("nowhere"),
        "cannot create it: No such file",
        &|_, _| {},
    );
    let files: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(files == [older.as_path()], "no temporary file is left");
    // What bears the temporary name cannot be written over.
    std::fs::create_dir(dir.path().join("checkpoint-00000002.h5.tmp")).unwrap();
    case(dir.path(), "cannot create it: Is a directory", &|_, _| {});
    assert_eq!(std::fs::read(&older).unwrap(), before);
}

/// A checkpoint under the name of another step is none: what is newest, and what may go, is seen by names.
#[test]
fn a_name_of_another_step_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 1, 1, 2);
    let other = dir.path().join("checkpoint-00000007.h5");
    std::fs::rename(&path, &other).unwrap();
    assert!(refusal(&other).contains("step: must be 7, as in the name of the file; found 1"));
    let free = dir.path().join("start.h5");
    std::fs::rename(&other, &free).unwrap();
    assert!(read(&free, 1).is_ok());
}
