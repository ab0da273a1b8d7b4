//! F9: a disc on a floor that is pushed, lifted and pressed, beyond its friction and its weight.

use super::scene::{Scene, State};
use super::{scene, springs, statics};
use moreau::body::{BodyId, Ramp};
use moreau::law::Pair;
use moreau::math::Vector3;
use moreau::scheme::StepError;
use moreau::scheme::acts::{Field, Pull, Support};
use moreau::scheme::quasistatic::{Method, Select, Statics};
use moreau::shape::Spell;

/// Weight of the disc [N]; formulas hold to first order in it.
const W: f64 = 1e-7;

const METHODS: [Method; 3] = [
    Method::BagiBojtar,
    Method::Kishino(Select::Block),
    Method::Kishino(Select::Largest),
];

/// A disc on a floor of friction 0.5, k_n = k_t = 1, in springs: of `along` [N/m], and of 1 N m/rad
/// against rotation.
fn disc(method: Method, along: Vector3, height: f64) -> Scene {
    let mut s = scene([-2.0, -0.5, -0.5], [2.0, 3.0, 0.5], 0.5);
    s.gravity = Vector3::new(0.0, -W, 0.0);
    s.dt = 1.0;
    s.pair = Some(Pair {
        tangential_ratio: 1.0,
        ..springs(0.5)
    });
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.sphere([0.0, 1.0 + height, 0.0], 1.0, 1.0);
    s.acts.supports = vec![Support {
        region: None,
        stiffness: along,
        rotational: Vector3::z(),
    }];
    s.statics = Some(Statics {
        method,
        planar: true,
        tolerance: 5e-7,
        max_iterations: 200,
        ..statics()
    });
    s
}

/// A force at the ends of increments of 1 s, in W.
fn force(direction: Vector3, values: &[f64]) -> Field {
    let times: Vec<f64> = (1..=values.len()).map(|k| k as f64).collect();
    Field {
        region: None,
        spell: Spell::ALWAYS,
        pull: Pull::Force(direction * W),
        factor: Some(Ramp {
            times: times.into(),
            values: values.into(),
        }),
    }
}

/// The force of the disc on the floor, in W.
fn on_floor(end: &State) -> Vector3 {
    end.impulse(BodyId(0), BodyId::wall(0)) / (W * end.clock.1)
}

/// Below its friction a push P moves the disc by P (1/k_t + r²/κ), as it also turns. Beyond, friction
/// takes μ W, and the rest of the push has no equilibrium.
#[test]
fn f9_a_push_beyond_friction_has_no_equilibrium() {
    for method in METHODS {
        let mut s = disc(method, Vector3::zeros(), 0.0);
        s.acts.fields = vec![force(Vector3::x(), &[0.49])];
        let end = s.run(1);
        let way = end.position(0).x / W;
        assert!((way - 2.0 * 0.49).abs() < 3e-6, "{method:?}: {way}");
        let on = on_floor(&end) - Vector3::new(0.49, -1.0, 0.0);
        assert!(on.norm() < 1e-6, "{method:?}: {on}");
        s.acts.fields = vec![force(Vector3::x(), &[0.51])];
        let Err(StepError::Collapse {
            bodies, residual, ..
        }) = s.try_run(1, 1, 1)
        else {
            panic!("{method:?}: it must slide away");
        };
        assert_eq!(bodies, [0], "{method:?}");
        assert!((residual - 0.01).abs() < 2e-6, "{method:?}: {residual}");
    }
}

/// A lift beyond the weight opens the contact, with both parts of its force.
#[test]
fn f9_a_lift_opens_a_contact() {
    for method in METHODS {
        let mut s = disc(method, Vector3::new(1.0, 1.0, 0.0), 0.0);
        let lift = force(Vector3::y(), &[0.0, 1.5]);
        s.acts.fields = vec![lift, force(Vector3::x(), &[0.2, 0.2])];
        let on = on_floor(&s.run(1));
        assert!((on.y + 0.5).abs() < 1e-6 && on.x > 0.05, "{method:?}: {on}");
        let end = s.run(2);
        assert_eq!(on_floor(&end), Vector3::zeros(), "{method:?}");
        let at = (end.position(0) - Vector3::y()) / W;
        let off = at - Vector3::new(0.2, 0.5, 0.0);
        assert!(off.norm() < 3e-6, "{method:?}: {at}");
    }
}

/// A contact that closes carries k_n times its overlap, and no friction yet.
#[test]
fn f9_a_contact_that_closes_carries_its_overlap() {
    for method in METHODS {
        let mut s = disc(method, Vector3::new(1.0, 1.0, 0.0), 0.4 * W);
        s.acts.fields = Vec::new();
        let end = s.run(1);
        let overlap = (1.0 - end.position(0).y) / W;
        // W = k_s (0.4 W + δ) + k_n δ
        assert!((overlap - 0.3).abs() < 3e-6, "{method:?}: {overlap}");
        let on = on_floor(&end) + Vector3::y() * overlap;
        assert!(on.norm() < 3e-6, "{method:?}: {on}");
    }
}
