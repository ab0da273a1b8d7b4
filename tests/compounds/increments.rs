//! Compounds under quasi-static increments: contacts of one ball with several parts of one wall.

use super::scene::{Scene, record};
use super::trough;
use moreau::body::BodyId;
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::scheme::quasistatic::{Method, Select, Statics};

/// Weight of the ball; formulas hold to first order in it.
const W: f64 = 1e-5;

/// F14 with a compound: a ball in a groove of 90°, of two plates that are one wall. Each contact
/// keeps its own friction from increment to increment.
#[test]
fn f14_a_ball_in_a_groove_of_a_compound() {
    let cases = [
        (0.6, 0.471404520791, 2.0 / 3.0),
        (0.3, 0.543928293220, 1.0 / 1.3),
    ];
    for (friction, normal, sunk) in cases {
        for method in [Method::BagiBojtar, Method::Kishino(Select::Block)] {
            let mut s = Scene::new([-3.0; 3], [3.0; 3], 1.0);
            s.gravity = Vector3::new(0.0, 0.0, -W);
            s.pair = Some(Pair {
                compliance: 1.0,
                tangential_ratio: 0.5,
                ..Pair::coulomb(friction)
            });
            s.statics = Some(Statics {
                method,
                tolerance: 1e-9,
                linear_tolerance: 1e-10,
                ..Statics::default()
            });
            s.walls.push(trough());
            let radius = 0.3;
            let height = radius * std::f64::consts::SQRT_2;
            s.sphere([0.0, 0.1, height], radius, 1.0);
            for (ranks, increments) in [(1, 1), (1, 3), (2, 3)] {
                let end = s.run_on(ranks, 1, increments);
                let of =
                    format!("{method:?}, μ = {friction}, {ranks} ranks, {increments} increments");
                let down = (height - end.position(0).z) / W;
                let what = format!("settlement of a ball in a compound groove, {of}");
                record("F14", &what, down, sunk, 10.0 * W);
                let mut rows = end.contacts.clone();
                rows.sort_by_key(|row| row.key);
                assert_eq!(rows.len(), 2, "{of}");
                assert_ne!(rows[0].key, rows[1].key, "{of}");
                for row in &rows {
                    assert_eq!(row.key.b, BodyId::wall(0), "{of}");
                    let pressed = Vector3::from(row.impulse)
                        .dot(&Vector3::from(row.normal))
                        .abs();
                    let what = format!("normal force of each side, {of}");
                    record("F14", &what, pressed / end.clock.1 / W, normal, 10.0 * W);
                }
            }
        }
    }
}
