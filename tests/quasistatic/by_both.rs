//! F12: assemblies that statics determines carry the same forces in the time step of contact dynamics,
//! on the same springs, once they are at rest.

use super::iterations::logs;
use super::scene::{Scene, State, record};
use super::{pyramid, statics};
use moreau::body::BodyId;
use moreau::math::Vector3;
use moreau::scheme::quasistatic::{Method, Statics};

/// Weight of a body [N]; formulas hold to first order in it.
const W: f64 = 1e-7;

/// The scene under weights W: by Bagi and Bojtár, and by contact dynamics in 400 steps of 1 s. The
/// springs have a frequency of 1/s, which such steps damp.
fn both(mut s: Scene) -> [State; 2] {
    s.gravity *= W / s.gravity.norm();
    s.statics = s.statics.map(|of| Statics {
        tolerance: 5e-7,
        ..of
    });
    let still = s.run(1);
    s.planar = s.statics.is_some_and(|of| of.planar);
    s.statics = None;
    let end = s.run(400);
    let fastest = (0..s.bodies.len()).map(|k| end.velocity(k).norm());
    let fastest = fastest.fold(0.0, f64::max);
    // Positions are rounded by 1e-16 m in each step.
    assert!(fastest < 1e-7 * W, "at rest: {:e}", fastest / W);
    assert_eq!(statics().method, Method::BagiBojtar);
    [still, end]
}

/// The force of body `a` on another, in W.
fn force(end: &State, a: u64, b: BodyId) -> Vector3 {
    end.impulse(BodyId(a), b) / (W * end.clock.1)
}

/// Records how far the forces are from expected ones, and those of the two schemes from each other.
fn compare(what: &str, forces: [[f64; 3]; 2], expected: [f64; 3]) {
    let far = |a: &[f64; 3], b: &[f64; 3]| {
        let each = a.iter().zip(b).map(|(x, y)| (x - y).abs());
        each.fold(0.0, f64::max)
    };
    let [still, moved] = forces;
    let say = |scheme: &str| format!("forces of {what} {scheme}, largest error [W]");
    record(
        "F12",
        &say("by Bagi and Bojtár"),
        far(&still, &expected),
        0.0,
        1e-6,
    );
    record(
        "F12",
        &say("by contact dynamics"),
        far(&moved, &expected),
        0.0,
        1e-6,
    );
    record(
        "F12",
        &say("by one against the other"),
        far(&still, &moved),
        0.0,
        1e-6,
    );
}

/// A pyramid of four balls: 1/3 W presses each contact of the top, tan(θ/2) of it acts across; the
/// floor carries 4/3 W at each foot.
#[test]
fn f12_a_pyramid_by_both_schemes() {
    for (balls, floor) in [
        (0.4, 0.2),
        (1.01 * 0.317837245196, 1.0),
        (1.0, 1.01 * 0.079459311299),
    ] {
        let forces = both(pyramid(balls, floor, Method::BagiBojtar)).map(|end| {
            let of = |k: u64| {
                let n = (end.position(3) - end.position(k as usize)).normalize();
                let top = force(&end, k, BodyId(3));
                let pressed = top.dot(&n);
                let below = force(&end, k, BodyId::wall(0));
                [pressed, (top - n * pressed).norm(), -below.z]
            };
            let all = [0, 1, 2].map(of);
            assert!((all[0][0] - all[2][0]).abs() < 2e-6, "{all:?}");
            all[0]
        });
        compare(
            &format!("a pyramid of friction {balls}, {floor}"),
            forces,
            [1.0 / 3.0, 0.105945748399, 4.0 / 3.0],
        );
    }
}

/// Three logs: the contacts of the upper one carry friction of tan 15° of their normal force; the
/// floor carries 3/2 W at each foot, and a third of tan 15° of it across.
#[test]
fn f12_three_logs_by_both_schemes() {
    for (balls, floor) in [
        (0.4, 0.2),
        (1.01 * 0.267949192431, 1.0),
        (1.0, 1.01 * 0.089316397477),
    ] {
        let forces = both(logs(balls, floor)).map(|end| {
            let n = (end.position(2) - end.position(0)).normalize();
            let top = force(&end, 0, BodyId(2));
            let pressed = top.dot(&n);
            let below = force(&end, 0, BodyId::wall(0));
            let across = (top - n * pressed).norm();
            [across / pressed, below.x.abs() / -below.y, -below.y]
        });
        compare(
            &format!("three logs of friction {balls}, {floor}"),
            forces,
            [0.267949192431, 0.089316397477, 1.5],
        );
    }
}
