//! A large clump, with rolling friction, on a flap that turns about a hinge: momentum and energy.

use super::same_on_all;
use super::scene::clump::tetrahedron;
use super::scene::mesh::{block, shifted, surface};
use super::scene::momentum::of_bodies;
use super::scene::{Scene, State, record};
use moreau::body::{BodyId, Freedom, Motion, Turning, Wall};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::measure::kinetic_energy;

/// Edges of the flap [m].
const EDGES: [f64; 3] = [0.2, 0.2, 0.01];

/// Mass of the flap [kg].
const MASS: f64 = 1.0;

/// Moment of inertia of the flap about its hinge, the y axis [kg m²].
fn moment() -> f64 {
    let [x, _, z] = EDGES;
    MASS * ((x * x + z * z) / 12.0 + 0.25 * x * x)
}

/// A clump falls on the outer half of the flap and turns it into balls; its index. No gravity, no
/// other walls.
fn struck() -> (Scene, usize) {
    let mut s = Scene::new([-0.2, -0.2, -0.3], [0.4, 0.2, 0.3], 1e-3);
    s.pair = Some(Pair {
        rolling: Arm::Reduced(0.1),
        ..Pair::coulomb(0.5)
    });
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-8, 5000);
    // Energy of bodies that positions bring apart is of another ledger.
    s.solver.projection.sweeps = 0;
    s.templates = vec![tetrahedron()];
    let arm = Vector3::new(0.5 * EDGES[0], 0.0, 0.0);
    s.walls.push(Wall {
        centre: Vector3::zeros(),
        motion: Motion::Free(Freedom {
            mass: MASS,
            inertia: None,
            turning: Some(Turning::Hinged {
                axis: Vector3::y(),
                moment: moment(),
                arm,
                radius: libm::hypot(arm.x, arm.z),
            }),
            direction: None,
            load: Vector3::zeros(),
            pressure: 0.0,
            gravity: false,
            factor: None,
        }),
        ..Wall::fixed(
            "flap".to_owned(),
            surface(&shifted(block(EDGES), arm.into())),
            0,
        )
    });
    for k in 0..125 {
        let [x, y, z] = [k % 5, k / 5 % 5, k / 25].map(|i| 0.0102 * f64::from(i));
        s.glass_sphere([0.1 + x, y - 0.02, z - 0.06], 0.005);
    }
    let i = s.clump([0.14, 0.01, 0.06], 0.05, 0);
    s.bodies[i].velocity = [0.0, 0.3, -2.0];
    let templates = s.templates.clone();
    s.bodies[i].turn_with([5.0, -3.0, 8.0], &templates);
    s.large = Some(0.01);
    (s, i)
}

/// Angular velocity of the flap about its hinge [rad/s].
fn rate(state: &State) -> f64 {
    state.walls[0].angular_velocity.y
}

/// Angular momentum of bodies and flap about the hinge stays; what bodies and flap lose is what
/// contacts take, in rolling too; the bits are those of one rank.
#[test]
fn a_large_clump_strikes_a_flap() {
    const STEPS: u64 = 80;
    let (s, i) = struck();
    let state = same_on_all(&s, STEPS, "a large clump on a flap");
    assert!(state.all_converged());
    assert!(rate(&state) > 1.0, "{}", rate(&state));
    let key = |row: &&moreau::contact::ContactRow| row.key.b == BodyId::wall(0);
    let met = (1..8).map(|n| s.run(n * STEPS / 8));
    let met = met.map(|state| state.contacts.iter().filter(key).count());
    assert!(met.max() > Some(3), "balls or clump touch the flap");

    let [before, after] = [&s.bodies, &state.bodies].map(|rows| of_bodies(rows)[1].y);
    let scale = s.bodies[i].mass * 2.0 * 0.14;
    let lost = (after + moment() * rate(&state) - before).abs() / scale;
    record(
        "H7",
        "angular momentum lost by a large clump on a flap",
        lost,
        0.0,
        3.0 * s.dt / 0.1,
    );

    let [e0, e1] = [&s.bodies, &state.bodies].map(|rows| kinetic_energy(rows).value());
    let of_flap = 0.5 * moment() * rate(&state).powi(2);
    let (mut taken, mut driven, mut integrator, mut rolling) = (0.0, 0.0, 0.0, 0.0);
    for step in &state.done {
        let work = step.outcome.work;
        taken += work.taken();
        driven += work.driven;
        rolling += work.rolling;
        integrator += step.integrator;
    }
    let share = rolling / taken;
    assert!(share > 1e-4, "rolling takes {share} of {taken} J");
    for (what, off) in [
        ("bodies", e1 - e0 + integrator + taken - driven),
        ("flap", of_flap + driven),
    ] {
        let name = format!("ledger of a large clump on a flap: {what}");
        record("C15", &name, off / e0, 0.0, 1e-12);
    }
}
