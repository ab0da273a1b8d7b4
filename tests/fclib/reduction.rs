//! From global problems, and local ones with ties, to contacts alone: against dense matrices, and back.

use crate::files::{Entries, Local, Store, alone, place, real, whole};
use crate::harness::on;
use hdf5::File;
use moreau::fclib::reduce::reduce;
use moreau::io::fclib::{self, Equations};
use moreau::rng::{Purpose, Stream};
use nalgebra::{DMatrix, DVector};
use std::path::Path;

/// A global problem with random numbers: `n` velocities, so many contacts, so many ties; M not symmetric if `skew`.
struct Global {
    m: DMatrix<f64>,
    h: DMatrix<f64>,
    g: Option<DMatrix<f64>>,
    f: DVector<f64>,
    w: DVector<f64>,
    b: DVector<f64>,
    contacts: usize,
}

impl Global {
    fn new(n: usize, contacts: usize, ties: usize, skew: f64) -> Self {
        let mut draw = Stream::new(Purpose::Trial, 90, [n as u64, contacts as u64, ties as u64]);
        let mut random =
            |rows, columns| DMatrix::from_fn(rows, columns, |_, _| draw.between(-1.0, 1.0));
        let root = random(n, n);
        let m = &root * root.transpose() + DMatrix::identity(n, n) + random(n, n) * skew;
        let (mut h, f, w) = (
            random(n, 3 * contacts),
            random(n, 1),
            random(3 * contacts, 1),
        );
        // A contact that touches nothing that moves.
        h.column_mut(3).fill(0.0);
        let g = (ties > 0).then(|| random(n, ties));
        let b = random(ties, 1);
        let vector = |of: DMatrix<f64>| DVector::from_column_slice(of.as_slice());
        Self {
            m,
            h,
            g,
            f: vector(f),
            w: vector(w),
            b: vector(b),
            contacts,
        }
    }

    fn write(&self, path: &Path, stores: [Store; 3], half: bool) {
        let file = File::create(path).unwrap();
        let root = file.create_group("fclib_global").unwrap();
        whole(&root, "spacedim", &[3]);
        let entries = |of: &DMatrix<f64>| Entries::dense(of.nrows(), of.ncols(), |i, j| of[(i, j)]);
        let mut m = entries(&self.m);
        m.all.retain(|(i, j, _)| !half || i <= j);
        m.put(&file, "fclib_global/M", stores[0]);
        entries(&self.h).put(&file, "fclib_global/H", stores[1]);
        let vectors = root.create_group("vectors").unwrap();
        real(&vectors, "f", self.f.as_slice());
        real(&vectors, "w", self.w.as_slice());
        real(&vectors, "mu", &vec![0.4; self.contacts]);
        if let Some(g) = &self.g {
            entries(g).put(&file, "fclib_global/G", stores[2]);
            real(&vectors, "b", self.b.as_slice());
        }
    }

    /// W and q by dense inverses.
    fn dense(&self) -> (DMatrix<f64>, DVector<f64>) {
        let (n, p) = (self.f.len(), self.b.len());
        let mut k = DMatrix::zeros(n + p, n + p);
        k.view_mut((0, 0), (n, n)).copy_from(&self.m);
        if let Some(g) = &self.g {
            k.view_mut((0, n), (n, p)).copy_from(&-g);
            k.view_mut((n, 0), (p, n)).copy_from(&g.transpose());
        }
        let inverse = k.try_inverse().unwrap();
        let mut h = DMatrix::zeros(n + p, self.h.ncols());
        h.view_mut((0, 0), (n, self.h.ncols())).copy_from(&self.h);
        let mut load = DVector::zeros(n + p);
        load.rows_mut(0, n).copy_from(&self.f);
        load.rows_mut(n, p).copy_from(&-&self.b);
        (
            h.transpose() * &inverse * &h,
            h.transpose() * &inverse * load + &self.w,
        )
    }
}

/// W r + q of the reduced problem is that of dense matrices, in all forms, with ties and without, with half of M and with an M that is
/// not symmetric; and the way back fulfils the equations of the file.
#[test]
fn global_problems_become_local_ones() {
    let _alone = alone();
    let all = [Store::Triplets, Store::Columns, Store::Rows];
    for (case, &(n, contacts, ties, skew, half)) in [
        (8, 2, 0, 0.0, false),
        (8, 2, 0, 0.0, true),
        (40, 12, 0, 0.3, false),
        (30, 9, 4, 0.0, false),
        (30, 9, 4, 0.0, true),
        (30, 9, 7, 0.4, false),
    ]
    .iter()
    .enumerate()
    {
        let global = Global::new(n, contacts, ties, skew);
        let (_dir, path) = place("a.hdf5");
        let stores = [0, 1, 2].map(|k| all[(case + k) % 3]);
        global.write(&path, stores, half);
        let content = fclib::read(&path).unwrap();
        let reduced = reduce(&content).unwrap();
        let (w, q) = global.dense();
        let r = DVector::from_fn(3 * contacts, |i, _| 1.0 + (i % 5) as f64);
        let mut u = vec![0.0; 3 * contacts];
        reduced
            .problem
            .matrix
            .apply(r.as_slice(), &reduced.problem.q, &mut u);
        let expected = &w * &r + &q;
        let off = (DVector::from_column_slice(&u) - &expected).norm() / expected.norm();
        assert!(off < 1e-12, "case {case}: off by {off}");

        let answer = reduced.answer(r.as_slice(), &u).unwrap();
        assert_eq!((answer.v.len(), answer.l.len()), (n, ties));
        let (v, l) = (
            DVector::from_vec(answer.v.clone()),
            DVector::from_vec(answer.l.clone()),
        );
        let mut left = &global.m * &v - &global.h * &r - &global.f;
        if let Some(g) = &global.g {
            left -= g * &l;
            assert!((g.transpose() * &v + &global.b).norm() < 1e-11);
        }
        assert!(left.norm() < 1e-11, "case {case}: {}", left.norm());
        let velocity = global.h.transpose() * &v + &global.w;
        assert!((velocity - DVector::from_vec(answer.u.clone())).norm() < 1e-11);
        assert_eq!(reduced.guess(&answer).unwrap(), r.as_slice());
        // With no error at the contacts, what is left is that of the motion.
        assert!(reduced.global_error(&answer, 0.0).unwrap() < 1e-13);
        let mut wrong = answer;
        wrong.v[0] += 1.0;
        assert!(reduced.global_error(&wrong, 0.0).unwrap() > 1e-3);
    }
}

/// `W − V R⁻¹ Vᵀ` and `q − V R⁻¹ s`; the impulses of the ties hold them.
#[test]
fn ties_of_local_problems_go_out() {
    let _alone = alone();
    let mut draw = Stream::new(Purpose::Trial, 91, [0; 3]);
    let mut random =
        |rows, columns| DMatrix::from_fn(rows, columns, |_, _| draw.between(-1.0, 1.0));
    let (w, v, s, q) = (random(6, 6), random(6, 2), random(2, 1), random(6, 1));
    let r = random(2, 2) * 0.1 + DMatrix::identity(2, 2) * 3.0;
    let local = Local {
        dimension: 3,
        w: Entries::dense(6, 6, |i, j| w[(i, j)]),
        q: q.as_slice().to_vec(),
        mu: vec![0.5; 2],
        mu_r: None,
    };
    let (_dir, path) = place("a.hdf5");
    local.write(&path, Store::Triplets);
    let file = File::open_rw(&path).unwrap();
    Entries::dense(6, 2, |i, j| v[(i, j)]).put(&file, "fclib_local/V", Store::Rows);
    Entries::dense(2, 2, |i, j| r[(i, j)]).put(&file, "fclib_local/R", Store::Columns);
    real(&file, "fclib_local/vectors/s", s.as_slice());
    file.close().unwrap();
    let content = fclib::read(&path).unwrap();
    let reduced = reduce(&content).unwrap();
    let impulse = random(6, 1);
    let mut u = vec![0.0; 6];
    reduced
        .problem
        .matrix
        .apply(impulse.as_slice(), &reduced.problem.q, &mut u);
    let answer = reduced.answer(impulse.as_slice(), &u).unwrap();
    let l = DMatrix::from_column_slice(2, 1, &answer.l);
    let held = v.transpose() * &impulse + &r * &l + &s;
    assert!(held.norm() < 1e-14, "{held}");
    let expected = &w * &impulse + &v * &l + &q;
    assert!((DMatrix::from_column_slice(6, 1, &u) - expected).norm() < 1e-13);
}

#[test]
fn what_is_singular_is_refused_by_name() {
    let _alone = alone();
    let refused = |change: &dyn Fn(&mut Global)| {
        let mut global = Global::new(8, 2, 2, 0.0);
        change(&mut global);
        let (_dir, path) = place("a.hdf5");
        global.write(&path, [Store::Triplets; 3], false);
        let content = fclib::read(&path).unwrap();
        reduce(&content).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(refused(&|_| {}), Ok(()));
    let twice = refused(&|g| {
        g.g = None;
        let row = g.m.row(0).clone_owned();
        g.m.set_row(1, &row);
        let column = g.m.column(0).clone_owned();
        g.m.set_column(1, &column);
    });
    assert!(
        twice
            .unwrap_err()
            .starts_with("fclib_global/M must be a regular matrix")
    );
    let empty = refused(&|g| {
        g.g = None;
        g.m.row_mut(3).fill(0.0);
    });
    assert!(empty.unwrap_err().starts_with("fclib_global/M"));
    let tied_twice = refused(&|g| {
        let ties = g.g.as_mut().unwrap();
        let column = ties.column(0).clone_owned();
        ties.set_column(1, &column);
    });
    assert!(
        tied_twice
            .unwrap_err()
            .starts_with("fclib_global/M with fclib_global/G must be a regular matrix")
    );
    // What M leaves free may be held by ties.
    let held = refused(&|g| {
        let n = g.f.len();
        let mut free = DMatrix::zeros(n, n);
        free.view_mut((1, 1), (n - 1, n - 1))
            .copy_from(&g.m.view((1, 1), (n - 1, n - 1)));
        g.m = free;
    });
    assert_eq!(held, Ok(()));
}

/// A plane problem with couples has three numbers a contact: what they say is the same in the solver's five.
#[test]
fn plane_problems_with_couples_are_embedded() {
    let _alone = alone();
    let w = DMatrix::from_fn(6, 6, |i, j| {
        if i == j {
            2.0 + i as f64
        } else {
            0.1 * (i + j) as f64
        }
    });
    let local = Local {
        dimension: 3,
        w: Entries::dense(6, 6, |i, j| w[(i, j)]),
        q: vec![-1.0, 0.5, 0.2, -2.0, 0.1, 0.3],
        mu: vec![0.5; 2],
        mu_r: Some(vec![0.1, 0.2]),
    };
    let (_dir, path) = place("a.hdf5");
    local.write(&path, Store::Rows);
    let content = fclib::read(&path).unwrap();
    let Equations::Local { .. } = content.equations else {
        panic!("a local problem");
    };
    let reduced = reduce(&content).unwrap();
    let given = fclib::Answer {
        r: vec![1.0, 0.3, 0.1, 2.0, -0.4, 0.2],
        ..fclib::Answer::default()
    };
    let wide = reduced.guess(&given).unwrap();
    assert_eq!(wide, [1.0, 0.3, 0.0, 0.1, 0.0, 2.0, -0.4, 0.0, 0.2, 0.0]);
    let mut u = vec![0.0; 10];
    reduced
        .problem
        .matrix
        .apply(&wide, &reduced.problem.q, &mut u);
    let answer = reduced.answer(&wide, &u).unwrap();
    assert_eq!(answer.r, given.r);
    let expected = &w * DVector::from_vec(given.r) + DVector::from_vec(local.q);
    assert!((DVector::from_vec(answer.u) - expected).norm() < 1e-14);
}

/// 4000 contacts with as many numbers as three times that, and M and H as given.
fn many(path: &Path, m: Entries, h: Entries) {
    let file = File::create(path).unwrap();
    let root = file.create_group("fclib_global").unwrap();
    whole(&root, "spacedim", &[3]);
    let (n, rows) = (m.rows, h.columns);
    m.put(&file, "fclib_global/M", Store::Columns);
    h.put(&file, "fclib_global/H", Store::Columns);
    let vectors = root.create_group("vectors").unwrap();
    real(&vectors, "f", &vec![-1.0; n]);
    real(&vectors, "w", &vec![0.0; rows]);
    real(&vectors, "mu", &vec![0.5; rows / 3]);
}

/// Where all contacts push the same body W is full, and 144 million numbers are too many: told at once, before anything is factorised. As many
/// contacts with a body each are none.
#[test]
fn what_would_not_fit_is_refused_at_once() {
    let _alone = alone();
    let (_dir, path) = place("full.hdf5");
    let rows = 12_000;
    let diagonal = |n: usize| Entries {
        rows: n,
        columns: n,
        all: (0..n).map(|i| (i, i, 2.0)).collect(),
    };
    let h = |rows: usize, of: &dyn Fn(usize) -> usize| Entries {
        rows,
        columns: 12_000,
        all: (0..12_000).map(|k| (of(k), k, 1.0)).collect(),
    };
    let mut body = diagonal(6);
    body.all
        .extend((0..5).flat_map(|i| [(i, i + 1, 0.1), (i + 1, i, 0.1)]));
    many(&path, body, h(6, &|k| k % 6));
    for command in [["fclib", "solve"], ["fclib", "info"]] {
        let told = on(1, &[command[0], command[1], path.to_str().unwrap()]);
        let text = format!("{}{}", told.stdout, told.stderr);
        assert!(
            text.contains("12000 × 12000") && text.contains("must have at most"),
            "{text}"
        );
        let wanted = if command[1] == "solve" { 2 } else { 0 };
        assert_eq!(told.status, Some(wanted), "{text}");
    }
    let (_dir, path) = place("apart.hdf5");
    many(&path, diagonal(rows), h(rows, &|k| k));
    let content = fclib::read(&path).unwrap();
    assert_eq!(reduce(&content).unwrap().problem.matrix.columns.len(), 4000);
}

/// `moreau fclib reduce` writes what the solver takes, to the last bit, and not over a file.
#[test]
fn a_reduced_problem_is_written_as_it_is_solved() {
    let _alone = alone();
    let (dir, path) = place("global.hdf5");
    Global::new(12, 5, 2, 0.1).write(&path, [Store::Rows, Store::Columns, Store::Rows], false);
    let content = fclib::read(&path).unwrap();
    let problem = reduce(&content).unwrap().problem;
    let out = dir.path().join("local.hdf5");
    let arguments = [
        "fclib",
        "reduce",
        path.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ];
    let told = on(1, &arguments);
    assert_eq!(told.status, Some(0), "{}", told.stderr);
    let written = fclib::read(&out).unwrap();
    assert_eq!(written.kind, fclib::Kind::Local);
    let again = reduce(&written).unwrap().problem;
    assert_eq!((&again.matrix, &again.q), (&problem.matrix, &problem.q));
    assert_eq!(again.friction, problem.friction);
    let told = on(1, &arguments);
    assert_eq!(told.status, Some(2), "{}", told.stderr);
    assert!(
        told.stderr.contains("must not exist yet"),
        "{}",
        told.stderr
    );
}
