//! `output.xdmf`: descriptions of frames in XDMF name datasets that exist, during a run, after stops and returns to earlier steps.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{mpi_available, on};
use hdf5::File;
use std::fs;
use std::path::Path;

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The steps that a description names; each of its datasets exists and has the form that it says.
fn described(out: &Path, kind: &str) -> Vec<u64> {
    let text = fs::read_to_string(out.join(format!("{kind}.xmf"))).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let items = document
        .descendants()
        .filter(|n| n.has_tag_name("DataItem"));
    let mut checked = 0;
    for item in items {
        let (file, path) = item.text().unwrap().split_once(':').unwrap();
        assert!(!Path::new(file).is_absolute(), "{file}");
        let dataset = File::open(out.join(file)).unwrap().dataset(path).unwrap();
        let shape: Vec<String> = dataset.shape().iter().map(usize::to_string).collect();
        assert_eq!(
            item.attribute("Dimensions"),
            Some(shape.join(" ").as_str()),
            "{path}"
        );
        let bytes = dataset.dtype().unwrap().size().to_string();
        assert_eq!(item.attribute("Precision"), Some(bytes.as_str()), "{path}");
        checked += 1;
    }
    let grids = document
        .descendants()
        .filter_map(|n| n.attribute("Name")?.strip_prefix("step "));
    let steps: Vec<u64> = grids.map(|step| step.parse().unwrap()).collect();
    assert!(checked >= 5 * steps.len(), "{checked} datasets");
    steps
}

#[test]
fn descriptions_name_frames_that_exist() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let config = format!("{}/configs/settle.toml", env!("CARGO_MANIFEST_DIR"));
    let ranks = if mpi_available() { 2 } else { 1 };
    let set = [
        "bodies.0.count=300",
        "domain.upper=[0.08, 0.08, 0.3]",
        "checkpoint.every=20",
        "checkpoint.keep=9",
        "output.every=10",
        "output.xdmf=true",
        "output.fields=['velocity', 'radius', 'id', 'material', 'kind', 'rank', 'orientation']",
    ];
    let mut words = vec![
        "run",
        &config,
        "--out",
        out.to_str().unwrap(),
        "--steps",
        "60",
    ];
    set.iter().for_each(|word| words.extend(["--set", word]));
    let done = on(ranks, &words);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    let whole: Vec<u64> = (0..=6).map(|k| 10 * k).collect();
    assert_eq!(described(&out, "bodies"), whole);
    // The first frame of contacts has none.
    assert_eq!(described(&out, "contacts"), whole[1..]);
    let files = ["bodies.xmf", "contacts.xmf"].map(|name| out.join(name));
    let before = files.clone().map(|file| fs::read(file).unwrap());

    // Left by a crash: a description cut off, and one without the last frame.
    fs::write(out.join("bodies.xmf.tmp"), "<Xdmf").unwrap();
    fs::write(&files[0], "").unwrap();
    let go_on = |from: &Path, more: &[&str]| {
        let (from, to) = (text(from), text(&out));
        let done = on(1, &[&["resume", &from, "--out", &to], more].concat());
        assert_eq!(done.status, Some(0), "{}", done.stderr);
    };
    go_on(&out, &["--steps", "80"]);
    assert_eq!(
        described(&out, "bodies"),
        (0..=8).map(|k| 10 * k).collect::<Vec<u64>>()
    );
    assert!(!out.join("bodies.xmf.tmp").exists());

    // From an earlier step on, later frames leave the description and then the disk; also of a run that describes no more.
    let early = out.join("checkpoint-00000020.h5");
    go_on(&early, &["--steps", "35", "--set", "output.xdmf=false"]);
    assert_eq!(described(&out, "bodies"), [0, 10, 20]);
    assert_eq!(described(&out, "contacts"), [10, 20]);
    assert!(out.join("frames/bodies-00000030.h5").exists());
    go_on(&early, &["--steps", "60", "--set", "output.xdmf=true"]);
    assert_eq!(described(&out, "bodies"), whole);
    // Points have the same rows and files again; the rest of a line may name another frame for what never changes.
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("<Grid").count();
    for (file, before) in files.iter().zip(&before) {
        assert_eq!(lines(&fs::read(file).unwrap()), lines(before));
    }

    // A new run in its place begins without them.
    let again = [
        "run",
        &config,
        "--out",
        &text(&out),
        "--steps",
        "5",
        "--overwrite",
    ];
    let set = [
        "--set",
        "bodies.0.count=300",
        "--set",
        "domain.upper=[0.08, 0.08, 0.3]",
    ];
    let done = on(1, &[&again[..], &set].concat());
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(files.iter().all(|file| !file.exists()));
}
