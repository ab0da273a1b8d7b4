//! Machines of meshes that move grains.

use super::fixed;
use super::scene::mesh::{helicoid, surface};
use super::scene::{Scene, record};
use moreau::body::{Drive, Motion, Rotation, Signal, Wall};
use moreau::math::Vector3;
use moreau::shape::Surface;
use std::f64::consts::TAU;

/// A screw in a tube conveys grains by its pitch in a turn: no faster, by kinematics, and no slower,
/// as none passes its flight.
#[test]
fn a_screw_conveys_by_its_pitch() {
    const PITCH: f64 = 0.1;
    const BORE: f64 = 0.1;
    const RADIUS: f64 = 0.012;
    const TURNS: u64 = 5;
    let mut s = Scene::new([-0.1, -0.11, -0.11], [1.3, 0.11, 0.11], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.friction = 0.2;
    s.solver.tolerance = 1e-4;
    let tube = Surface::Bore {
        centre: Vector3::zeros(),
        axis: Vector3::x(),
        radius: BORE,
    };
    s.walls.push(Wall::fixed("tube".to_owned(), tube, 0));
    // The gap to the tube is less than a grain.
    let flight = helicoid([0.01, BORE - 0.5 * RADIUS], PITCH, (12, 32));
    let mut screw = fixed(surface(&flight));
    screw.motion = Motion::Driven(Drive {
        rotations: vec![Rotation {
            axis: Vector3::x(),
            point: None,
            signal: Signal::Rate(-TAU),
        }],
        ..Drive::default()
    });
    s.walls.push(screw);
    // The flight crosses the bottom of the tube at three quarters of a pitch.
    for pitch in 1..4 {
        for k in 0..6 {
            let x = PITCH * (f64::from(pitch) + 0.75 + 0.5);
            let y = 0.03 * f64::from(k % 3 - 1);
            let z = -0.075 + 0.03 * f64::from(k / 3);
            s.sphere([x, y, z], RADIUS, 0.01);
        }
    }
    let [before, after] = [2000, 2000 + 1000 * TURNS].map(|steps| s.run(steps));
    let turns = TURNS as f64;
    let ways = (0..s.bodies.len()).map(|k| after.position(k).x - before.position(k).x);
    let ways: Vec<f64> = ways.map(|way| way / PITCH).collect();
    // Within its turn of the flight a grain is free to move on by less than a pitch.
    assert!(ways.iter().all(|way| (way - turns).abs() < 1.0), "{ways:?}");
    let mean = ways.iter().sum::<f64>() / (turns * ways.len() as f64);
    let title = "way of grains in a screw in a turn, over its pitch [1]";
    record("meshes", title, mean, 1.0, 0.5 / turns);
}
