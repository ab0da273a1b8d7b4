//! Problems of real codes, where they are at hand: in `../shared/fclib`, which is no part of this repository.

use crate::files::alone;
use moreau::fclib::reduce::{Reduced, reduce};
use moreau::io::fclib::{self, Content, Kind};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of problems; says so, past the capture of the test harness, where there is none.
fn collection() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fclib");
    if folder.is_dir() {
        return Some(folder);
    }
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(
        std::io::stderr(),
        "\n*** SKIPPED: {name}: there is no {} ***\n",
        folder.display()
    );
    None
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = (std::fs::read_dir(folder).unwrap().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "hdf5"))
        .collect();
    files.sort();
    files
}

/// Every problem is read and reduced; contacts, blocks, asymmetry and the norm of q are those that others found.
#[test]
fn problems_of_real_codes_are_read_as_others_read_them() {
    let _alone = alone();
    let Some(folder) = collection() else {
        return;
    };
    let mut table = csv::Reader::from_path(folder.join("reference.csv")).unwrap();
    let head = table.headers().unwrap().clone();
    let mut known: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for row in table.records() {
        let row = row.unwrap();
        let cells = head
            .iter()
            .zip(row.iter())
            .map(|(k, v)| (k.to_owned(), v.to_owned()));
        known.insert(row[0].to_owned(), cells.collect());
    }
    let (mut read, mut compared) = (0, 0);
    for kind in ["local3d", "global3d", "2d", "rolling"] {
        for path in files(&folder.join("dev").join(kind)) {
            let content = fclib::read(&path).unwrap();
            let reduced = reduce(&content).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            read += 1;
            let name = path.file_stem().unwrap().to_str().unwrap();
            let Some(known) = known.get(name) else {
                continue;
            };
            let number = |key: &str| known.get(key).and_then(|x| x.parse::<f64>().ok());
            let q = reduced.problem.q.iter().map(|x| x * x).sum::<f64>().sqrt();
            if let Some(n) = number("nc") {
                assert_eq!(content.contacts() as f64, n, "{name}");
            }
            if let Some(norm) = number("norm_q").filter(|_| content.kind == Kind::Local) {
                assert!((q / norm - 1.0).abs() < 1e-2, "{name}: {q} {norm}");
                compared += 1;
            }
            // Theirs is by another norm.
            if let Some(asymmetry) = number("asym") {
                let (_, w) = content.matrices()[0];
                let found = w.sparse.asymmetry();
                assert_eq!(
                    found > 1e-12,
                    asymmetry > 1e-12,
                    "{name}: {found} {asymmetry}"
                );
            }
        }
    }
    println!("{read} problems read, {compared} norms of q compared");
    assert!(read >= 43 && compared >= 30, "{read} {compared}");
}

/// Global problems reduced here, and reduced by others and stored as local ones: the same W and q.
#[test]
fn reductions_agree_with_those_of_others() {
    let _alone = alone();
    let Some(folder) = collection() else {
        return;
    };
    let mut compared = 0;
    for path in files(&folder.join("dev/global3d")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let local = folder.join(format!("dev/local3d/{name}__wr.hdf5"));
        if !local.is_file() {
            continue;
        }
        let contents = [fclib::read(&path).unwrap(), fclib::read(&local).unwrap()];
        let [ours, theirs] = contents.each_ref().map(|c: &Content| reduce(c).unwrap());
        let n = ours.problem.q.len();
        let r: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * (i % 7) as f64).collect();
        let product = |of: &Reduced| {
            let mut u = vec![0.0; n];
            of.problem.matrix.apply(&r, &vec![0.0; n], &mut u);
            u
        };
        let off = |a: &[f64], b: &[f64]| {
            let norm = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>().sqrt();
            norm(&mut a.iter().zip(b).map(|(x, y)| x - y)) / norm(&mut b.iter().copied())
        };
        let (w, q) = (
            off(&product(&ours), &product(&theirs)),
            off(&ours.problem.q, &theirs.problem.q),
        );
        println!("{name}: W off by {w:.1e}, q by {q:.1e}");
        assert!(w < 1e-10 && q < 1e-10, "{name}: {w} {q}");
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
}
