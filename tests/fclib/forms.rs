//! Every form in which files store a problem, and every fault for which one is refused.

use crate::files::{Entries, Local, Store, alone, place, real, whole};
use hdf5::File;
use moreau::io::fclib::{self, Content, Equations, Form, Kind};
use std::path::Path;

/// Two contacts, coupled and not symmetric.
fn pair() -> Local {
    let w = Entries::dense(6, 6, |i, j| match (i, j) {
        _ if i == j => 4.0 + i as f64,
        (0, 5) => 0.0,
        _ => 0.1 * i as f64 - 0.03 * j as f64 + 0.01,
    });
    Local {
        dimension: 3,
        w,
        q: vec![-1.0, 0.2, 0.3, -2.0, 0.5, 0.1],
        mu: vec![0.3, 0.0],
        mu_r: None,
    }
}

fn w(content: &Content) -> Vec<(usize, usize, f64)> {
    let Equations::Local { w, .. } = &content.equations else {
        panic!("a local problem");
    };
    w.sparse.entries().collect()
}

#[test]
fn all_forms_hold_the_same_matrix() {
    let _alone = alone();
    let local = pair();
    for (store, form) in [
        (Store::Triplets, Form::Triplets),
        (Store::LooseTriplets, Form::Triplets),
        (Store::Columns, Form::Columns),
        (Store::Rows, Form::Rows),
    ] {
        let (_dir, path) = place("a.hdf5");
        local.write(&path, store);
        let content = fclib::read(&path).unwrap();
        assert_eq!((content.kind, content.dimension), (Kind::Local, 3));
        assert_eq!(content.friction, local.mu);
        let (_, matrix) = content.matrices()[0];
        assert_eq!((matrix.form, matrix.half), (form, false));
        for (found, expected) in w(&content).iter().zip(&local.w.all) {
            assert_eq!((found.0, found.1), (expected.0, expected.1), "{store:?}");
            assert!((found.2 - expected.2).abs() < 1e-15, "{store:?}");
        }
        assert_eq!(w(&content).len(), local.w.all.len());
        assert!(content.solution.is_none() && content.guesses.is_empty());
    }
}

/// Of a symmetric matrix one triangle may be stored, either one, in any form; what is not symmetric is taken as it is.
#[test]
fn a_half_is_completed() {
    let _alone = alone();
    let mut local = pair();
    let whole = Entries::dense(6, 6, |i, j| 1.0 / (1.0 + (i + j) as f64));
    for store in [Store::Triplets, Store::Columns, Store::Rows] {
        for upper in [true, false] {
            local.w = whole.clone();
            local
                .w
                .all
                .retain(|(i, j, _)| if upper { i <= j } else { i >= j });
            let (_dir, path) = place("a.hdf5");
            local.write(&path, store);
            let content = fclib::read(&path).unwrap();
            assert!(content.matrices()[0].1.half);
            assert_eq!(w(&content), whole.all);
        }
    }
}

/// Rolling friction, integers and floats of other sizes, scalars without a dimension, an empty solution, guesses.
#[test]
fn what_other_writers_do_is_understood() {
    let _alone = alone();
    let mut local = pair();
    local.dimension = 5;
    local.w = Entries::dense(5, 5, |i, j| if i == j { 1.0 } else { 0.0 });
    (local.q, local.mu, local.mu_r) = (vec![-1.0; 5], vec![0.5], Some(vec![0.01]));
    let (_dir, path) = place("a.hdf5");
    local.write(&path, Store::Columns);
    let file = File::open_rw(&path).unwrap();
    let root = file.group("fclib_local_rolling").unwrap();
    for name in ["spacedim", "W/n"] {
        root.unlink(name).unwrap();
        root.new_dataset::<i64>()
            .create(name)
            .unwrap()
            .write_scalar(&5i64)
            .unwrap();
    }
    root.unlink("vectors/mu").unwrap();
    root.new_dataset_builder()
        .with_data(&[0.5f32])
        .create("vectors/mu")
        .unwrap();
    file.create_group("solution").unwrap();
    let guess = file.create_group("guesses/1").unwrap();
    real(&guess, "r", &[1.0; 5]);
    file.close().unwrap();
    let content = fclib::read(&path).unwrap();
    assert_eq!(content.kind, Kind::LocalRolling);
    assert_eq!(
        (&content.friction[..], &content.rolling[..]),
        (&[0.5][..], &[0.01][..])
    );
    assert_eq!(content.solution, Some(fclib::Answer::default()));
    assert_eq!(content.guesses[0].r, [1.0; 5]);
}

/// Changes a good file, and tells how it is refused.
fn refused(change: impl Fn(&File)) -> String {
    let (_dir, path) = place("bad.hdf5");
    pair().write(&path, Store::Columns);
    let file = File::open_rw(&path).unwrap();
    change(&file);
    file.close().unwrap();
    let fault = fclib::read(&path).expect_err("a file at fault").to_string();
    assert!(
        fault.starts_with(&format!("FCLib file {}: ", path.display())),
        "{fault}"
    );
    fault
}

fn replace(file: &File, path: &str, numbers: &[f64]) {
    file.unlink(path).unwrap();
    real(file, path, numbers);
}

fn renumber(file: &File, path: &str, numbers: &[i32]) {
    file.unlink(path).unwrap();
    whole(file, path, numbers);
}

#[test]
fn every_fault_is_named() {
    let _alone = alone();
    let q = "fclib_local/vectors/q";
    let faults: Vec<(&str, String)> = vec![
        (
            "must hold one group of fclib_local, fclib_global",
            refused(|f| f.unlink("fclib_local").unwrap()),
        ),
        (
            "found several",
            refused(|f| drop(f.create_group("fclib_global").unwrap())),
        ),
        (
            "fclib_local/spacedim: must be 2 or 3; found 4",
            refused(|f| renumber(f, "fclib_local/spacedim", &[4])),
        ),
        (
            "fclib_local/spacedim: must be one number; found 2",
            refused(|f| renumber(f, "fclib_local/spacedim", &[3, 3])),
        ),
        (
            "W: must have 4 rows and 4 columns",
            refused(|f| renumber(f, "fclib_local/spacedim", &[2])),
        ),
        (
            "q: must be finite; found NaN at index 2",
            refused(|f| replace(f, q, &[0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0])),
        ),
        (
            "q: must be finite; found inf at index 0",
            refused(|f| replace(f, q, &[f64::INFINITY; 6])),
        ),
        (
            "q: must have 6 numbers, as spacedim, mu and the matrices have; found 5",
            refused(|f| replace(f, q, &[0.0; 5])),
        ),
        (
            "dataset fclib_local/vectors/q is missing",
            refused(|f| f.unlink(q).unwrap()),
        ),
        (
            "mu: must be 0 or more; found -0.1 at contact 1",
            refused(|f| replace(f, "fclib_local/vectors/mu", &[0.3, -0.1])),
        ),
        (
            "W: must have 9 rows and 9 columns",
            refused(|f| replace(f, "fclib_local/vectors/mu", &[0.3; 3])),
        ),
        (
            "vectors/mu: must be floating-point numbers; found",
            refused(|f| renumber(f, "fclib_local/vectors/mu", &[1, 1])),
        ),
        (
            "compressed rows; found -3",
            refused(|f| renumber(f, "fclib_local/W/nz", &[-3])),
        ),
        (
            "numbers; found 999",
            refused(|f| renumber(f, "fclib_local/W/nz", &[999])),
        ),
        (
            "bytes can hold; found -6",
            refused(|f| renumber(f, "fclib_local/W/m", &[-6])),
        ),
        (
            "bytes can hold; found 2147483647",
            refused(|f| renumber(f, "fclib_local/W/m", &[i32::MAX])),
        ),
        (
            "W/p: must have 7 numbers; found 3",
            refused(|f| renumber(f, "fclib_local/W/p", &[0, 1, 2])),
        ),
        (
            "W/p: starts must ascend from 0",
            refused(|f| renumber(f, "fclib_local/W/p", &[0, 9, 2, 9, 9, 9, 9])),
        ),
        (
            "W/p: starts must ascend from 0",
            refused(|f| renumber(f, "fclib_local/W/p", &[0, 1, 2, 3, 4, 5, 99])),
        ),
        (
            "W/p: starts must ascend from 0",
            refused(|f| renumber(f, "fclib_local/W/p", &[-1, 1, 2, 3, 4, 5, 9])),
        ),
        (
            "W/i: index must be at least 0 and below 6; found 6",
            refused(|f| {
                let mut i: Vec<i32> = f.dataset("fclib_local/W/i").unwrap().read_raw().unwrap();
                i[4] = 6;
                renumber(f, "fclib_local/W/i", &i);
            }),
        ),
        (
            "W/x: must be finite; found NaN in row 0, column 0",
            refused(|f| {
                let mut x: Vec<f64> = f.dataset("fclib_local/W/x").unwrap().read_raw().unwrap();
                x[0] = f64::NAN;
                replace(f, "fclib_local/W/x", &x);
            }),
        ),
        (
            "fclib_local/V and fclib_local/R: must both exist or neither; found fclib_local/V",
            refused(|f| drop(f.create_group("fclib_local/V").unwrap())),
        ),
    ];
    for (expected, fault) in faults {
        assert!(
            fault.contains(expected),
            "expected `{expected}`, told: {fault}"
        );
    }
    let missing = fclib::read(Path::new("no/such.hdf5")).expect_err("there is none");
    assert!(
        missing
            .to_string()
            .starts_with("FCLib file no/such.hdf5: cannot read it")
    );
}
