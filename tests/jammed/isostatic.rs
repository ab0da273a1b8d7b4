//! How many contacts hold a packing of thousands without friction.

use crate::experiment::{Run, go_on, mean, run_all};
use crate::networks::held_by;
use crate::scene::{record, record_fact};
use crate::{SEEDS, pressed, set};
use moreau::sim;
use moreau::solver::delassus::{self, Method, Settings};

/// What forces are to be solved to, in units of all of q, which is some 60 times as large as they are.
const TOLERANCE: f64 = 1e-10;

/// What carries more than this share of all forces' root of squares carries something.
const LEAST: f64 = 1e-8;

/// A packing of C1 without friction, brought nearer to rest: 100 steps to 1e-4, 100 to 1e-6 in which no overlap is left, then steps ten and fifty
/// times as long, in which inertia counts for a hundredth and less: what still moves comes to its next contact.
fn at_rest(packing: &Run) -> Run {
    let tight = [
        ("solver.tolerance", "1e-4".to_owned()),
        ("solver.max_sweeps", "20000".to_owned()),
        ("time.until", "10.0".to_owned()),
    ];
    let first = go_on(packing, &set(&tight), 1400);
    let tighter = [
        ("solver.gap", "\"full\"".to_owned()),
        ("solver.projection", "0".to_owned()),
        ("solver.tolerance", "1e-6".to_owned()),
    ];
    let second = go_on(&first, &set(&tighter), 1500);
    let long = |dt: f64| {
        let even = format!("{{ at_most = {dt}, at_least = {dt}, travel = 0.5, growth = 2.0 }}");
        set(&[("time.dt", even), ("solver.max_sweeps", "5000".to_owned())])
    };
    let third = go_on(&second, &long(0.01), 1520);
    // Longer ones end at the piston's free fall: it would go further in a step than blocks allow.
    go_on(&third, &long(0.05), 1535)
}

/// C2 with 5200 spheres: as many contacts as ways to move, `3 N + 1 − 2` (see [`crate::c2_without_friction_packings_are_isostatic`]). Where a
/// packing is that near to loose, sweeps stay at 1e-4 for ever, as the least eigenvalue of its W goes with 1/N²: the forces of the last step are
/// Newton's, of the problem that is exported.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c2_isostatic_with_thousands() {
    let found = run_all(SEEDS, |seed| {
        let run = at_rest(&pressed(0.0, 0.0, seed));
        let exported = sim::export(&run.out()).unwrap();
        let settings = Settings {
            tolerance: TOLERANCE,
            max_seconds: 1800.0,
            method: Method::Smoothing,
            ..Settings::default()
        };
        let solved = delassus::solve(&exported.problem, Some(&exported.impulse), &settings);
        let forces: Vec<f64> = solved.impulse.iter().copied().step_by(3).collect();
        let size = forces.iter().map(|f| f * f).sum::<f64>().sqrt();
        let above = |least: f64| {
            let named = exported.contacts.iter().zip(&forces);
            let carries = named.filter(|(_, f)| **f > least * size);
            held_by(carries.map(|(contact, _)| contact.key).collect())
        };
        let (bodies, contacts) = above(LEAST);
        println!(
            "C2: seed {seed}: {bodies} held by {contacts}, by {} with a third of the least force; error {:e}, {:?}",
            above(LEAST / 3.0).1,
            solved.error,
            solved.log
        );
        assert!(bodies > 4500, "what is held is no packing");
        (
            solved.error <= TOLERANCE,
            contacts as f64 - (3.0 * bodies as f64 - 1.0),
        )
    });
    let many: Vec<f64> = found.iter().map(|(_, many)| *many).collect();
    let (of, error) = mean(&many);
    println!("C2: 5200 spheres, contacts beyond 3 N − 1: {of:.2} ± {error:.2}");
    let converged = found.iter().all(|(converged, _)| *converged);
    record_fact("C2", "forces of 5200 spheres converged to 1e-10", converged);
    let most = many.iter().map(|x| x.abs()).fold(0.0, f64::max);
    record(
        "C2",
        "contacts beyond 3 N - 1 of 5200 spheres, the farthest of five seeds",
        most,
        0.0,
        2.0,
    );
}
