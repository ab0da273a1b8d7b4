//! The sums of triangles in checkpoints.

use crate::states::{part, read, wear, write};
use moreau::comm::threads;
use moreau::io::checkpoint;

/// The sums of triangles cannot be taken away unseen, nor begin after the checkpoint. Runs without them have no such group.
#[test]
fn sums_of_triangles_are_guarded() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 3, 42, 5);
    for ranks in [1, 2, 5, 20] {
        assert_eq!(read(&path, ranks).unwrap().wear, wear(), "{ranks}");
    }
    let refused = |change: &dyn Fn(&hdf5::File), words: &str| {
        let copy = dir.path().join("copy.h5");
        std::fs::copy(&path, &copy).unwrap();
        let file = hdf5::File::open_rw(&copy).unwrap();
        change(&file);
        drop(file);
        let fault = read(&copy, 2).unwrap_err().to_string();
        assert!(fault.contains(words), "{fault}");
    };
    refused(
        &|file| file.unlink("wear/sliding").unwrap(),
        "/wear/sliding",
    );
    refused(
        &|file| file.delete_attr("wear_since").unwrap(),
        "content changed since it was written",
    );
    let since = |file: &hdf5::File, time: f64| {
        file.attr("wear_since")
            .unwrap()
            .write_scalar(&time)
            .unwrap();
    };
    refused(
        &|file| since(file, 1.0),
        "content changed since it was written",
    );
    refused(
        &|file| since(file, 4.3),
        "must be at most the time, 4.2; found 4.3",
    );
    refused(&|file| since(file, f64::NAN), "must be a finite number");
    let written = threads::run(2, |comm| {
        let mut none = part(comm, 43, 5);
        (none.wear, none.header.wear_since) = (Vec::new(), None);
        checkpoint::write(comm, dir.path(), &none)
    });
    let plain = written[0].clone().unwrap();
    assert!(!hdf5::File::open(&plain).unwrap().link_exists("wear"));
    assert!(read(&plain, 2).unwrap().wear.is_empty());
}
