//! What memory a run will take, before it begins.

use crate::body::Member;
use crate::config::Scenario;
use crate::law::{Arm, Pair};
use crate::solver::accelerate::Acceleration;
use crate::solver::batch::{Eight, LANES};

/// Memory per body of a dense packing of plain contacts [bytes], all included but the 33 MB of the program itself: on one rank
/// 50 000 take 1.8 kB each, 200 000 and 10⁶ 1.95 kB. `tests/memory.rs` holds it to 20 %.
const BYTES_PER_BODY: f64 = 1.95e3;

/// Contacts per body in a dense packing, with the lanes of batches that stay empty.
const CONTACTS_PER_BODY: f64 = 3.5;

/// Bytes of each candidate beyond those of a dense packing.
const BYTES_PER_CANDIDATE: f64 = 0.53e3;

/// Candidates that each body has where detection looks `margin` [m] ahead of spheres of mean radius r that fill a part φ of space: half of
/// those within `2r + margin`, `4 φ (1 + margin/2r)³`.
pub(super) fn candidates_per_body(filling: f64, radius: f64, margin: f64) -> f64 {
    4.0 * filling * (1.0 + 0.5 * margin / radius).powi(3)
}

/// Memory per body with so many candidates [bytes], where the laws ask for no more.
pub(super) fn bytes_with(scenario: &Scenario, candidates: f64) -> f64 {
    bytes_per_body(scenario) + BYTES_PER_CANDIDATE * (candidates - CONTACTS_PER_BODY).max(0.0)
}

/// The same with what the laws and the solver ask for beside: batches' parts, positions to be projected, points of the past.
pub(super) fn bytes_per_body(scenario: &Scenario) -> f64 {
    let materials = scenario.materials.len() as u32;
    let any = |has: &dyn Fn(&Pair) -> bool| {
        let mut each = (0..materials).flat_map(|a| (a..materials).map(move |b| (a, b)));
        each.any(|(a, b)| has(scenario.laws.pairs.between(a, b)))
    };
    let if_any = |bytes: f64, has: &dyn Fn(&Pair) -> bool| if any(has) { bytes } else { 0.0 };
    let eight = size_of::<Eight>() as f64 / LANES as f64;
    let solver = &scenario.solver;
    // Their couple impulses are part of what momentum remembers.
    let couples = if solver.acceleration == Acceleration::NONE {
        9.0
    } else {
        12.0
    };
    let mut contact = if_any(5.0 * eight, &|pair| pair.compliance([1.0; 2]) > 0.0)
        + if_any(couples * eight, &|pair| {
            pair.rolling != Arm::NONE || pair.torsion != Arm::NONE
        });
    let mut body = BYTES_PER_BODY;
    if solver.projection.sweeps > 0 {
        contact += 2.0 * eight;
        body += size_of::<Member>() as f64;
    }
    if solver.acceleration != Acceleration::NONE {
        contact += 3.0 * eight;
        body += size_of::<[f64; 6]>() as f64;
    }
    body + CONTACTS_PER_BODY * contact
}
