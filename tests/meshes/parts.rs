//! Meshes that move by Newton's law: free with six degrees of freedom, and on a hinge.

use crate::scene::mesh::{block, shifted, surface};
use crate::scene::momentum::{momentum, own_momentum};
use crate::scene::{Scene, record, record_fact};
use moreau::body::{BodyId, Freedom, Motion, Turning, Wall, WallState};
use moreau::math::{IDENTITY, Matrix3, Vector3, rotate, turned};
use moreau::measure::kinetic_energy;
use moreau::shape::Surface;
use moreau::shape::clump::principal::principal;

/// A free wall of the form of a box with these edges and density.
fn free_block(edges: [f64; 3], at: [f64; 3], density: f64) -> Wall {
    let surface = surface(&shifted(block(edges), at));
    let Surface::Mesh(posed) = &surface else {
        unreachable!()
    };
    let solid = posed.mesh().solid().unwrap();
    let m: Matrix3 = solid.inertia * density;
    let (moments, axes) = principal([m.m11, m.m22, m.m33, m.m12, m.m13, m.m23]);
    Wall {
        centre: solid.centre,
        motion: Motion::Free(Freedom {
            mass: density * solid.volume,
            inertia: None,
            turning: Some(Turning::Free { moments, axes }),
            direction: None,
            load: Vector3::zeros(),
            pressure: 0.0,
            gravity: true,
            factor: None,
        }),
        ..Wall::fixed("part".to_owned(), surface, 0)
    }
}

fn freedom(wall: &mut Wall) -> &mut Freedom {
    match &mut wall.motion {
        Motion::Free(free) => free,
        _ => unreachable!(),
    }
}

/// A scene with one ball far away, and a part that begins with this angular velocity.
fn lone(part: Wall, spin: Vector3, dt: f64) -> Scene {
    let mut s = Scene::new([-2.0; 3], [2.0; 3], dt);
    s.sphere([1.8, 1.8, 1.8], 0.05, 1.0);
    let state = WallState {
        angular_velocity: spin,
        ..WallState::default()
    };
    s.walls.push(part);
    s.start = Some((0, vec![state], 0.0));
    s
}

/// D5: a free part keeps its angular momentum; about its middle axis it turns over (Dzhanibekov); its energy oscillates, and does
/// not drift. The momentum is exact but for rounding, of 4e-16 a step.
#[test]
fn d5_a_part_turns_freely() {
    let part = free_block([0.2, 0.5, 0.9], [0.1, -0.2, 0.3], 800.0);
    let mut s = lone(part, Vector3::new(0.01, 8.0, 0.02), 1e-3);
    s.bodies[0].position = [-1.8; 3];
    let measures = |state: &WallState| {
        let Motion::Free(free) = &s.walls[0].motion else {
            unreachable!()
        };
        let momentum = own_momentum(free, state);
        (momentum, 0.5 * momentum.dot(&state.angular_velocity))
    };
    let (first, energy) = measures(&s.start.as_ref().unwrap().1[0]);
    let mut turned_over = false;
    let (mut off, mut drift): ([f64; 2], f64) = ([0.0; 2], 0.0);
    for steps in [500, 1000, 1500, 2000, 4000, 10_000] {
        let state = s.run(steps);
        let now = &state.walls[0];
        let (last, e) = measures(now);
        let late = usize::from(steps > 2000);
        off[late] = off[late].max((last - first).norm() / first.norm());
        drift = drift.max((e / energy - 1.0).abs());
        turned_over |= turned(now.orientation, &Vector3::y()).y < -0.5;
        assert!(now.displacement.norm() < 1e-12);
    }
    for (what, off, bound) in [
        ("change of |L| in 2000 steps", off[0], 1e-12),
        ("change of |L| in 10⁴ steps", off[1], 1e-11),
        ("change of its energy in 10⁴ steps", drift, 1e-6),
    ] {
        record("D5", &format!("a free part: {what}"), off, 0.0, bound);
    }
    record_fact("D5", "a part turns over about its middle axis", turned_over);
}

/// A blade on a hinge swings with the period of a pendulum, `2π √(I/(m g d))`: its angle after a quarter of it, with an error that falls
/// with the step.
#[test]
fn a_blade_on_a_hinge_is_a_pendulum() {
    let mut blade = free_block([0.02, 0.3, 0.6], [0.0, 0.0, -0.4], 500.0);
    let free = freedom(&mut blade);
    let (mass, arm) = (free.mass, 0.4);
    let moment = mass * ((0.6_f64.powi(2) + 0.02_f64.powi(2)) / 12.0 + arm * arm);
    free.turning = Some(Turning::Hinged {
        axis: Vector3::y(),
        moment,
        arm: Vector3::new(0.0, 0.0, -arm),
        radius: arm,
    });
    blade.centre = Vector3::zeros();
    let error = |dt: f64| {
        let mut s = lone(blade.clone(), Vector3::zeros(), dt);
        s.gravity = Vector3::new(0.0, 0.0, -9.81);
        s.bodies[0].kind = moreau::body::BodyKind::Fixed as u32;
        let small = 1e-3;
        s.start.as_mut().unwrap().1[0].orientation = rotate(IDENTITY, &(Vector3::y() * small));
        let period = std::f64::consts::TAU * (moment / (mass * 9.81 * arm)).sqrt();
        // After a quarter of a period it hangs straight down; the way beyond gives the time.
        let steps = (0.25 * period / dt).round() as u64;
        let state = s.run(steps);
        let now = &state.walls[0];
        assert!(now.velocity == Vector3::zeros() && now.displacement == Vector3::zeros());
        let angle = 2.0 * now.orientation[2];
        let expected = small * (steps as f64 * dt * std::f64::consts::TAU / period).cos();
        (angle - expected).abs() / small
    };
    let [long, short] = [4e-3, 1e-3].map(error);
    assert!(long < 0.02 && short < 0.3 * long, "{long} {short}");
}

/// Balls are shot at a free part, without gravity: linear and angular momentum of all together are kept.
#[test]
fn momentum_of_balls_and_a_part() {
    let mut s = Scene::new([-2.0; 3], [2.0; 3], 1e-3);
    s.friction = 0.4;
    s.walls.push(free_block([0.4, 0.6, 0.3], [0.0; 3], 300.0));
    for k in 0..27 {
        let [i, j, l] = [k % 3, k / 3 % 3, k / 9].map(|i| 0.21 * (f64::from(i) - 1.0));
        let b = s.sphere([0.6 + i, j, l], 0.1, 3.0);
        s.bodies[b].velocity = [-3.0, 0.2 * j, 0.5];
        s.bodies[b].angular_velocity = [1.0, -2.0, 7.0 * l];
    }
    let first = momentum(&s, &s.run(0), 0);
    let state = s.run(400);
    let last = momentum(&s, &state, 0);
    let touched = state.walls[0].velocity.norm() + state.walls[0].angular_velocity.norm();
    assert!(touched > 0.1, "the part was hit: {touched}");
    let off = [0, 1].map(|k| (last[k] - first[k]).norm() / first[k].norm());
    record(
        "meshes",
        "balls and a free part: change of linear momentum",
        off[0],
        0.0,
        1e-13,
    );
    record(
        "meshes",
        "balls and a free part: change of angular momentum",
        off[1],
        0.0,
        1e-3,
    );
}

/// C15: the energy ledger closes where balls hit a free part: what bodies lose, contacts take or the part gets.
///
/// The part is a cube, as the rotation of other forms has an error of its own (D5).
#[test]
fn energy_of_balls_and_a_part() {
    let mut s = Scene::new([-2.0; 3], [2.0; 3], 1e-3);
    s.friction = 0.4;
    s.walls.push(free_block([0.4; 3], [0.0; 3], 300.0));
    for k in 0..27 {
        let [i, j, l] = [k % 3, k / 3 % 3, k / 9].map(|i| 0.21 * (f64::from(i) - 1.0));
        let b = s.sphere([0.6 + i, j + 0.15, l], 0.1, 3.0);
        s.bodies[b].velocity = [-3.0, 0.2 * j, 0.5];
        s.bodies[b].angular_velocity = [1.0, -2.0, 7.0 * l];
    }
    let state = s.run(300);
    let now = &state.walls[0];
    let free = freedom(&mut s.walls[0]);
    let turning = own_momentum(free, now).dot(&now.angular_velocity);
    let of_part = 0.5 * (free.mass * now.velocity.norm_squared() + turning);
    let [e0, e1] = [&s.bodies, &state.bodies].map(|rows| kinetic_energy(rows).value());
    let (mut taken, mut driven, mut integrator) = (0.0, 0.0, 0.0);
    for step in &state.done {
        taken += step.outcome.work.taken();
        driven += step.outcome.work.driven;
        integrator += step.integrator;
    }
    assert!(
        turning > 1e-3 * e0 && of_part > 0.01 * e0 && taken > 0.1 * e0,
        "{turning} {of_part} {taken} of {e0} J"
    );
    for (what, off) in [
        ("bodies", e1 - e0 + integrator + taken - driven),
        ("part", of_part + driven),
    ] {
        let name = format!("ledger of balls and a free part: {what}");
        record("C15", &name, off / e0, 0.0, 1e-12);
    }
}

/// One ball hits and rolls along a free part: both impulses act at one point, so that angular momentum is kept to rounding.
#[test]
fn angular_momentum_of_a_ball_and_a_part() {
    let mut s = Scene::new([-2.0; 3], [2.0; 3], 1e-3);
    s.friction = 0.4;
    s.solver.projection.sweeps = 0;
    s.walls.push(free_block([0.4, 0.6, 0.3], [0.0; 3], 300.0));
    let b = s.sphere([0.4, 0.15, 0.05], 0.1, 9.0);
    s.bodies[b].velocity = [-2.0, 0.4, 0.3];
    s.bodies[b].angular_velocity = [3.0, -5.0, 7.0];
    let first = momentum(&s, &s.run(0), 0);
    let state = s.run(200);
    let last = momentum(&s, &state, 0);
    assert!(
        state.walls[0].angular_velocity.norm() > 0.1,
        "the part was hit"
    );
    let off = [0, 1].map(|k| (last[k] - first[k]).norm() / first[k].norm());
    record(
        "meshes",
        "a ball and a free part: change of linear momentum",
        off[0],
        0.0,
        1e-13,
    );
    record(
        "meshes",
        "a ball and a free part: change of angular momentum",
        off[1],
        0.0,
        1e-12,
    );
}

/// A flap on a hinge falls on a fixed ball and rests there; its hinge holds the rest of its weight.
#[test]
fn a_flap_rests_on_a_fixed_ball() {
    let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    let mut flap = free_block([0.8, 0.4, 0.05], [0.4, 0.0, 0.2], 100.0);
    let mass = freedom(&mut flap).mass;
    flap.centre = Vector3::new(0.0, 0.0, 0.2);
    freedom(&mut flap).turning = Some(Turning::Hinged {
        axis: Vector3::y(),
        moment: mass * ((0.8_f64.powi(2) + 0.05_f64.powi(2)) / 12.0 + 0.16),
        arm: Vector3::new(0.4, 0.0, 0.0),
        radius: 0.4,
    });
    s.walls.push(flap);
    let b = s.sphere([0.6, 0.0, 0.05], 0.1, 1.0);
    s.bodies[b].kind = moreau::body::BodyKind::Fixed as u32;
    let state = s.run(1000);
    let now = &state.walls[0];
    assert!(now.angular_velocity.norm() < 1e-9, "{now:?}");
    let row = state.contacts.iter().find(|row| row.gap < 1e-3).unwrap();
    let (force, arm) = (
        Vector3::from(row.impulse) / 1e-3,
        Vector3::from(row.point) - s.walls[0].centre,
    );
    let angle = 2.0 * now.orientation[2].asin();
    let weight = mass * 10.0 * 0.4 * angle.cos();
    let torque = arm.cross(&force).y;
    record(
        "meshes",
        "torque of a ball under a flap over that of its weight",
        torque / -weight,
        1.0,
        1e-6,
    );
}

/// A free part rests askew on three balls of different heights: forces and torques on it balance.
#[test]
fn a_part_rests_on_balls() {
    let mut s = Scene::new([-1.0, -1.0, -0.2], [1.0, 1.0, 1.0], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.friction = 0.6;
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    for (x, r) in [
        ([-0.3, -0.2], 0.11),
        ([0.3, -0.25], 0.1),
        ([0.05, 0.3], 0.105),
    ] {
        let b = s.sphere([x[0], x[1], r], r, 1.0);
        s.bodies[b].kind = moreau::body::BodyKind::Fixed as u32;
    }
    s.walls
        .push(free_block([0.9, 0.8, 0.1], [0.0, 0.0, 0.28], 100.0));
    let state = s.run(1500);
    let now = &state.walls[1];
    assert!(
        now.velocity.norm() + now.angular_velocity.norm() < 1e-6,
        "{now:?}"
    );
    let Motion::Free(free) = &s.walls[1].motion else {
        unreachable!()
    };
    let rows = state
        .contacts
        .iter()
        .filter(|row| row.key.b == BodyId::wall(1));
    let centre = s.walls[1].place_now(now);
    let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
    for row in rows {
        let impulse = Vector3::from(row.impulse) / 1e-3;
        force += impulse;
        torque += (Vector3::from(row.point) - centre).cross(&impulse);
    }
    let weight = 10.0 * free.mass;
    record(
        "meshes",
        "a part on three balls: force over its weight",
        force.z / weight,
        1.0,
        1e-6,
    );
    record(
        "meshes",
        "a part on three balls: torque [N m]",
        torque.norm() / weight,
        0.0,
        1e-6,
    );
    let n = turned(now.orientation, &Vector3::z());
    assert!(n.z < 0.99999 && n.z > 0.99, "askew: {n}");
}

/// A free part and a flap on a hinge among balls: the same bits on any number of ranks, and after a
/// stop in the middle.
#[test]
fn the_same_bits_of_parts_on_any_ranks() {
    const STEPS: u64 = 150;
    let mut s = Scene::poured(4, 3, 5);
    s.solver.block_edge = Some(0.016);
    let middle = (s.upper * 0.5).x;
    let block = free_block([0.012, 0.014, 0.01], [middle, middle, 0.03], 2000.0);
    // It hangs from its left end, over the lowest balls in a corner.
    let (hinge, edges) = (Vector3::new(0.002, 0.012, 0.02), [0.016, 0.014, 0.002]);
    let arm = Vector3::new(0.009, 0.0, 0.0);
    let mut flap = free_block(edges, (hinge + arm).into(), 2000.0);
    let mass = freedom(&mut flap).mass;
    flap.centre = hinge;
    let square = arm.norm_squared() + (edges[0].powi(2) + edges[2].powi(2)) / 12.0;
    freedom(&mut flap).turning = Some(Turning::Hinged {
        axis: Vector3::y(),
        moment: mass * square,
        arm,
        radius: libm::hypot(arm.x, arm.z),
    });
    for body in &mut s.bodies {
        // Room for the parts.
        let x = Vector3::from(body.position);
        if (x - Vector3::new(middle, middle, 0.03)).amax() < 0.013 {
            body.position[2] = 0.006;
            body.radius *= 0.3;
        }
        let from_flap = (x - hinge - arm).abs() - Vector3::from(edges) * 0.5;
        if from_flap.max() < body.radius {
            body.position[2] = hinge.z + 0.5 * edges[2] + 1.01 * body.radius;
        }
    }
    s.walls.extend([block, flap]);
    let one = s.run(STEPS);
    for (wall, name) in [(6, "the free part"), (7, "the flap")] {
        let rows = one
            .contacts
            .iter()
            .filter(|row| row.key.b == BodyId::wall(wall));
        assert!(rows.count() > 1, "{name} is among the balls");
    }
    let [_, _, _, _, _, _, block, flap] = &one.walls[..] else {
        panic!("{:?}", one.walls)
    };
    let turned_by =
        [block, flap].map(|wall| 2.0 * Vector3::from_row_slice(&wall.orientation[1..]).norm());
    assert!(turned_by.iter().all(|angle| *angle > 0.01), "{turned_by:?}");
    assert!(block.displacement.norm() > 1e-3 && flap.displacement.norm() == 0.0);
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (2, 2)] {
        let same = s.run_on(ranks, threads, STEPS).same_bits(&one);
        let title =
            format!("two free parts on {ranks} ranks of {threads} threads: the bits of one");
        record_fact("meshes", &title, same);
    }
    let half = s.run_on(2, 1, STEPS / 2);
    let mut rest = s.goes_on(&half);
    rest.start.as_mut().unwrap().1.clone_from(&half.walls);
    rest.references.clone_from(&half.references);
    for ranks in [1, 3] {
        let mut state = rest.run_on(ranks, 1, STEPS - STEPS / 2);
        state.done = [&half.done[..], &state.done].concat();
        let title = format!("two free parts after a stop, on {ranks} ranks: the bits of one run");
        record_fact("meshes", &title, state.same_bits(&one));
    }
}
