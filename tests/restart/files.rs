//! Files that a configuration names are part of the run: their contents are in the checkpoint.

use super::{AGAIN, BALLS, Place, refused};
use crate::harness::{mpi_available, on, state};
use std::fs::remove_file;

const LID: &str = "time,value\n0,0\n0.02,-0.01\n0.1,0.0\n";
const SIEVE: &str = "radius,share\n0.004,0\n0.005,0.5\n0.006,1\n";
const PAIR: &str = "x,y,z,r\n0,0,0,1\n1.1,0.3,0,0.7\n";

/// A lid driven by a table, an inlet with a sieve curve, clumps, bodies of a file.
fn all_kinds(place: &Place) -> String {
    place.write("lid.csv", LID);
    place.write("sieve.csv", SIEVE);
    place.write("pair.csv", PAIR);
    place.write(
        "bodies.csv",
        "x,y,z,radius\n0.02,0.02,0.05,0.006\n0.05,0.05,0.05,0.006\n",
    );
    let text = BALLS
        .replace("material = \"smooth\" },\n]", "material = \"smooth\", table = { direction = [0, 0, 1], file = \"lid.csv\", of = \"position\" } },\n]")
        .replace("bodies = [{ sample = \"lattice\", material = \"m\", count = 60,", "bodies = [{ sample = \"file\", material = \"m\", file = \"bodies.csv\" }, { sample = \"lattice\", template = \"pair\", material = \"m\", count = 20, lower = [0, 0, 0.07],");
    text + "template = [{ name = \"pair\", file = \"pair.csv\" }]\n\
        region = [{ name = \"top\", shape = \"box\", lower = [0, 0, 0.15], upper = [0.1, 0.1, 0.2] }]\n\
        inlet = [{ region = \"top\", material = \"m\", radius = { table = \"sieve.csv\" }, rate = 1000 }]\n"
}

/// A file that was edited since is refused by the name of its key. `--kept-files` takes the contents in the checkpoint, `--set` of the key
/// those of now. Without the file the run continues as if nothing had happened.
#[test]
fn edited_files_are_refused_and_deleted_ones_not_missed() {
    let place = Place::new();
    let text = all_kinds(&place);
    place.write("run.toml", &text);
    let straight = state(&place.run("run.toml", "straight", 40, &[]));
    state(&place.run("run.toml", "out", 20, &[]));
    let lid = place.path("lid.csv");
    // The way of the lid so far stays as it is.
    for (file, text, key, [from, to]) in [
        (
            "lid.csv",
            LID,
            "wall.1.table.file",
            ["0.1,0.0", "0.1,0.001"],
        ),
        ("sieve.csv", SIEVE, "inlet.0.radius.table", ["0.0", "0.00"]),
        ("pair.csv", PAIR, "template.0.file", ["1.1", "1.2"]),
    ] {
        let edited = text.replace(from, to);
        assert_ne!(edited, text);
        place.write(file, &edited);
        for again in [false, true] {
            place.copy("out", "edited");
            let go = |more: &[&str]| match again {
                true => place.run("run.toml", "edited", 40, &[AGAIN, more].concat()),
                false => place.resume("edited", 40, more),
            };
            refused(&go(&[]), &[key, file, "edited since", "--kept-files"]);
            assert_eq!(state(&go(&["--kept-files"])), straight, "{file}");
            if file == "lid.csv" {
                place.copy("out", "edited");
                let set = format!("{key}={lid}");
                state(&go(&["--set", &set]));
                // From here on the run has the new contents.
                place.write(file, text);
                refused(&place.resume("edited", 50, &[]), &[key, "edited since"]);
                place.write(file, &edited);
                state(&place.resume("edited", 50, &[]));
            }
        }
        remove_file(place.path(file)).unwrap();
        place.copy("out", "deleted");
        let ran = place.resume("deleted", 40, &[]);
        assert_eq!(state(&ran), straight, "{file}");
        assert!(ran.stderr.contains(key), "{}", ran.stderr);
        place.copy("out", "deleted");
        assert_eq!(
            state(&place.run("run.toml", "deleted", 40, AGAIN)),
            straight,
            "{file}"
        );
        place.write(file, text);
    }
    // Bodies are in the checkpoint, whatever becomes of their file.
    place.write("bodies.csv", "x,y,z,radius\n0.02,0.02,0.05,0.007\n");
    place.copy("out", "edited");
    let ran = place.run("run.toml", "edited", 40, AGAIN);
    refused(&ran, &["bodies.0.file", "edited since", "moreau resume"]);
    assert_eq!(state(&place.resume("edited", 40, &[])), straight);
    for file in ["bodies.csv", "lid.csv", "sieve.csv", "pair.csv"] {
        remove_file(place.path(file)).unwrap();
    }
    place.copy("out", "deleted");
    assert_eq!(
        state(&place.run("run.toml", "deleted", 40, AGAIN)),
        straight
    );
    for words in [["info"], ["report"]] {
        let ran = on(1, &[&words[..], &[place.path("deleted").as_str()]].concat());
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    // The page names the files, without their contents.
    let page = std::fs::read_to_string(place.path("deleted/report.html")).unwrap();
    assert!(page.contains("lid.csv") && !page.contains("0.02,-0.01"));
    if mpi_available() {
        place.copy("out", "two");
        let two = place.path("two");
        assert_eq!(state(&on(2, &["resume", &two, "--steps", "40"])), straight);
        place.copy("out", "two");
        place.write("lid.csv", "time,value\n0,1\n");
        let ran = on(3, &["resume", &two, "--steps", "40"]);
        refused(&ran, &["wall.1.table.file", "edited since"]);
        assert_eq!(
            ran.stderr.matches("edited since").count(),
            1,
            "{}",
            ran.stderr
        );
    }
}

/// A file at another place is the same file.
#[test]
fn a_file_may_move() {
    let place = Place::new();
    let text = all_kinds(&place);
    place.write("run.toml", &text);
    let straight = state(&place.run("run.toml", "straight", 40, &[]));
    state(&place.run("run.toml", "out", 20, &[]));
    std::fs::create_dir(place.path("tables")).unwrap();
    std::fs::rename(place.path("lid.csv"), place.path("tables/lid.csv")).unwrap();
    place.write("run.toml", &text.replace("lid.csv", "tables/lid.csv"));
    let ran = place.run("run.toml", "out", 40, AGAIN);
    assert_eq!(state(&ran), straight);
    assert!(!ran.stderr.contains("differs"), "{}", ran.stderr);
    // Another table under another name is a change like any other.
    place.write(
        "tables/other.csv",
        "time,value\n0,0\n0.02,-0.01\n0.04,-0.0075\n0.1,-0.02\n",
    );
    place.write("run.toml", &text.replace("lid.csv", "tables/other.csv"));
    let ran = place.run("run.toml", "out", 50, AGAIN);
    state(&ran);
    assert!(ran.stderr.contains("wall.1.table.file: "), "{}", ran.stderr);
}

/// Of a large file the checkpoint holds size and hash: the file must stay as it is, as long as the run needs it.
#[test]
fn large_files_must_stay() {
    let place = Place::new();
    let text = BALLS.replace("material = \"smooth\" },\n]", "material = \"smooth\", table = { direction = [0, 0, 1], file = \"lid.csv\", of = \"position\" } },\n]")
        + "[[bond]]\npairs = \"pairs.csv\"\ngap = 0.01\nstiffness = { young = 1e6, shear = 1e6, radius = 0.003 }\n";
    let mut lid = "time,value\n".to_owned();
    for k in 0..100_000 {
        lid += &format!("{},0.0\n", f64::from(k) * 1e-3);
    }
    let pairs =
        "a,b\n0,1\n".to_owned() + &"# no more bonds here, but for those above\n".repeat(30_000);
    assert!(lid.len() > 1 << 20 && pairs.len() > 1 << 20);
    place.write("lid.csv", &lid);
    place.write("pairs.csv", &pairs);
    place.write("run.toml", &text);
    let straight = state(&place.run("run.toml", "straight", 40, &[]));
    state(&place.run("run.toml", "out", 20, &[]));
    // The bonds are there.
    remove_file(place.path("pairs.csv")).unwrap();
    let resumed = |again: bool| {
        place.copy("out", "again");
        match again {
            true => place.run("run.toml", "again", 40, AGAIN),
            false => place.resume("again", 40, &[]),
        }
    };
    assert_eq!(state(&resumed(false)), straight);
    assert_eq!(state(&resumed(true)), straight);
    let ran = on(1, &["info", &place.path("again")]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    if mpi_available() {
        place.copy("out", "two");
        assert_eq!(
            state(&on(2, &["resume", &place.path("two"), "--steps", "40"])),
            straight
        );
    }
    place.write("lid.csv", &lid.replace(",0.0\n", ",0.001\n"));
    for again in [false, true] {
        refused(
            &resumed(again),
            &["wall.1.table.file", "edited since", "restore it"],
        );
    }
    remove_file(place.path("lid.csv")).unwrap();
    for again in [false, true] {
        refused(&resumed(again), &["wall.1.table.file", "size and hash"]);
    }
}
