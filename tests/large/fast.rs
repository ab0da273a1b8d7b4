//! Large bodies whose surfaces move farther in a step than blocks allow the others.

use super::scene::clump::tetrahedron;
use super::scene::{Scene, record};
use super::{poured, same_on_all};
use moreau::body::{BodyId, BodyRow};
use moreau::math::Vector3;
use moreau::scheme::StepError;

/// Balls of 5 mm, and above them a clump of ten times their size that spins; its index.
fn spinning(rate: f64) -> (Scene, usize) {
    let mut s = Scene::poured(12, 6, 5);
    s.templates = vec![tetrahedron()];
    let x = [0.5 * s.upper.x, 0.5 * s.upper.y, s.upper.z - 0.06];
    let far = |row: &[f64; 3]| (Vector3::from(*row) - Vector3::from(x)).norm() > 0.056;
    s.bodies.retain(|row| far(&row.position));
    for (k, row) in s.bodies.iter_mut().enumerate() {
        row.id = BodyId(k as u64);
    }
    let i = s.clump(x, 0.05, 0);
    s.bodies[i].velocity = [0.0, 0.0, -1.0];
    let templates = s.templates.clone();
    s.bodies[i].turn_with([0.3 * rate, 0.0, rate], &templates);
    s.large = Some(0.01);
    (s, i)
}

/// The surface of a clump moves by five radii of the balls in a step: the bits of one rank.
#[test]
fn a_clump_spins_by_more_than_blocks_allow_the_others() {
    let (s, i) = spinning(500.0);
    let travel = s.bodies[i].surface_speed() * s.dt;
    assert!(travel > 5.0 * 0.005 && travel < 0.05, "{travel}");
    let state = same_on_all(&s, 40, "a large clump that spins");
    let spin = |row: &BodyRow| Vector3::from(row.angular_velocity).norm();
    let lost = 1.0 - spin(&state.bodies[i]) / spin(&s.bodies[i]);
    assert!(lost > 0.01, "balls brake the clump: {lost}");
}

/// Without friction the velocities after each step are unique: those of a fast large clump are
/// those of blocks as wide as it needs.
#[test]
fn a_fast_large_clump_moves_as_one_of_the_others() {
    let (mut s, i) = spinning(500.0);
    s.bodies[i].velocity = [0.0, 2.0, -20.0];
    s.friction = 0.0;
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-11, 100_000);
    // A few sweeps over positions depend on their order.
    s.solver.projection.sweeps = 0;
    let large = s.run_on(3, 1, 6);
    s.large = None;
    let plain = s.run(6);
    assert!(large.all_converged() && plain.all_converged());
    let pushed = (plain.velocity(i) - Vector3::from(s.bodies[i].velocity)).norm();
    assert!(pushed > 0.1, "{pushed}");
    let apart = |k: usize| (large.position(k) - plain.position(k)).norm() / 0.005;
    let apart = (0..plain.bodies.len()).map(apart).fold(0.0, f64::max);
    record(
        "A25",
        "positions with a fast large clump, against those with wide blocks, of radii",
        apart,
        0.0,
        1e-6,
    );
}

/// A large body whose surface moves by more than its radius in a step is refused by its id; a large
/// ball may spin at any rate, as its surface moves along itself.
#[test]
fn large_bodies_that_are_too_fast_are_named() {
    let refused = |s: &Scene, i: usize| {
        for (ranks, threads) in [(1, 1), (3, 1), (1, 2)] {
            let error = s.try_run(ranks, threads, 5).err().unwrap();
            let StepError::LargeTooFast {
                step: 1,
                id,
                travel,
                radius,
                ..
            } = &error
            else {
                panic!("{error}");
            };
            let row = &s.bodies[i];
            assert!(
                *id == row.id.0 && *radius == row.radius && *travel > 0.05,
                "{error}"
            );
        }
    };
    let (s, i) = spinning(1200.0);
    refused(&s, i);
    let mut s = poured(10, 10);
    let i = s.bodies.len() - 1;
    s.bodies[i].velocity = [0.0; 3];
    s.bodies[i].angular_velocity = [0.0, 0.0, 1e5];
    assert!(s.try_run(1, 1, 1).is_ok());
    s.bodies[i].velocity = [0.0, 0.0, -60.0];
    refused(&s, i);
    // The others keep to the blocks.
    s.bodies[i].velocity = [0.0; 3];
    s.bodies[7].velocity = [0.0, 0.0, 40.0];
    let error = s.try_run(3, 1, 1).err().unwrap();
    assert!(matches!(error, StepError::TooFast { id: 7, .. }), "{error}");
}
