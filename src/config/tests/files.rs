//! Files in the text of a configuration, and on their way to other ranks.

use super::super::files::MOST_KEPT;
use super::super::{Given, differences, of_checkpoint, parse};
use std::path::Path;

const TEXT: &str = "gravity = [0, 0, -9.81]\ntime = { dt = 1e-3, steps = 5 }\n\
    domain = { lower = [0, 0, 0], upper = [1, 1, 1] }\n\
    material = [{ name = \"m\", density = 1e3, friction = 0.5 }]\n\
    bodies = [{ sample = \"lattice\", material = \"m\", count = 8, radius = 0.1 }]\n\
    wall = [{ shape = \"plane\", point = [0, 0, 0], normal = [0, 0, 1], material = \"m\",\n\
    table = { direction = [0, 0, 1], file = \"t.csv\", of = \"position\" } }]\n";

/// The entries survive a text and a file of their own, whatever the contents are.
#[test]
fn contents_are_part_of_the_text() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("t.csv");
    let dots = "# …\"\"\"'''\\\r\n#\t\n".repeat(3);
    for table in [
        "time,value\n0,0\n",
        &format!("{dots}time,value\n0,0\n1,2.5\n"),
    ] {
        std::fs::write(&file, table).expect("written");
        for head in ["[solver]\nseed = 3\n", ""] {
            let text = [TEXT, head].concat();
            let read = |text: &str| parse("run.toml", text, folder.path(), &[]);
            let first = read(&text).unwrap_or_else(|f| panic!("{f}"));
            let kept = first.text();
            let again = read(&kept).unwrap_or_else(|f| panic!("{f}"));
            assert_eq!(again, first);
            std::fs::write(&file, "time,value\n0,9\n").expect("written");
            let edited = read(&kept).unwrap_or_else(|f| panic!("{f}"));
            assert_eq!((edited.text(), &edited.walls), (kept.clone(), &first.walls));
            assert_eq!(differences(&edited, &first), []);
            let other = kept.replace("0,0", "0,1");
            let fault = read(&other).expect_err("it is at fault").to_string();
            assert!(fault.contains("file.0.text: must be of"), "{fault}");
            std::fs::write(&file, table).expect("written");
        }
    }
}

/// Ranks that read nothing have the same scenario, with large files and files that are not texts.
#[test]
fn other_ranks_get_all_contents() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("run.toml");
    std::fs::write(&config, TEXT).expect("written");
    let mut large = b"time,value\n0,0\n".to_vec();
    large.extend(b"# a line\n".repeat(MOST_KEPT as usize / 8));
    let tables = [b"time,value\n# \xff\n0,1\n".to_vec(), large];
    for table in tables {
        std::fs::write(folder.path().join("t.csv"), table).expect("written");
        let given = Given::begin(&config, &["time.steps=7".to_owned()]);
        let given = given.unwrap_or_else(|f| panic!("{f}"));
        let bytes = given.to_bytes().expect("bytes");
        std::fs::remove_file(folder.path().join("t.csv")).expect("removed");
        let other = Given::from_bytes(&bytes).expect("a configuration");
        assert_eq!(other.scenario(), given.scenario());
        let scenario = given.scenario().unwrap_or_else(|f| panic!("{f}"));
        assert!(!scenario.text().contains("text ="), "only the hash");
        assert_eq!(scenario.last_step(), Some(7));
        for cut in [0, 5, 20, bytes.len() - 1] {
            Given::from_bytes(&bytes[..cut]).expect_err("cut off");
        }
    }
}

/// Faults are those of the reading rank, and entries for bodies have none in a run that has begun.
#[test]
fn missing_files_are_faults_on_all_ranks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("run.toml");
    std::fs::write(&config, TEXT).expect("written");
    let given = Given::begin(&config, &[]).unwrap_or_else(|f| panic!("{f}"));
    let bytes = given.to_bytes().expect("bytes");
    let fault = given.scenario().expect_err("it is at fault");
    assert!(
        fault.to_string().contains("t.csv cannot be read"),
        "{fault}"
    );
    let other = Given::from_bytes(&bytes).expect("a configuration");
    assert_eq!(other.scenario(), Err(fault));
    let fixed = TEXT.split_once("wall =").expect("a wall").0;
    let shrunk = fixed.replace("upper = [1, 1, 1]", "upper = [1, 1, 0.1]");
    let path = Path::new("out/checkpoint-00000001.h5");
    parse("a", &shrunk, Path::new(""), &[]).expect_err("the lattice does not fit");
    of_checkpoint(path, &shrunk, None).unwrap_or_else(|f| panic!("{f}"));
}
