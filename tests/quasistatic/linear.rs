//! The linear method [004 §6.2.1]: one solve, glued contacts, one increment.

use super::scene::lift;
use super::{W, groove, pressed, scene, springs, statics};
use moreau::body::{BodyId, Signal};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::scheme::StepError;
use moreau::scheme::quasistatic::{Method, Statics};
use nalgebra::{DMatrix, DVector};

/// F3: a glued column can be bent without strain, so the linear method refuses it.
#[test]
fn f3_a_column_is_refused_by_the_linear_method() {
    let mut s = scene([-3.0, -3.0, -0.5], [3.0, 22.0, 0.5], 0.5);
    s.gravity = Vector3::new(0.0, -W, 0.0);
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    for k in 0..10 {
        s.sphere([0.0, 1.0 + 2.0 * f64::from(k), 0.0], 1.0, 1.0);
    }
    let method = Method::SerranoRodriguez;
    s.statics = Some(Statics {
        planar: true,
        method,
        ..statics()
    });
    let named = match s.try_run(1, 1, 1) {
        Err(StepError::Mechanism { bodies, .. }) => bodies,
        other => panic!("{other:?}"),
    };
    assert_eq!(named, widest_of_a_column(10));
}

/// The bodies of a glued column of discs that its free motions move most.
///
/// A random load `b` is answered by `P b/ρ`, `P` being the projection on the free motions. In these
/// no disc slips: `x + θ = 0` on the floor, and `x − θ` of each is `x + θ` of the next above.
fn widest_of_a_column(n: usize) -> Vec<u64> {
    let mut load = DVector::zeros(2 * n);
    for k in 0..n {
        let mut draw = Stream::new(Purpose::Trial, 1, [k as u64, 0, 0]);
        let [x, _, turn] = [(); 3].map(|()| draw.between(-1.0, 1.0));
        (load[2 * k], load[2 * k + 1]) = (x, turn);
    }
    // One free motion for each disc that turns.
    let mut free = DMatrix::zeros(2 * n, n);
    for turning in 0..n {
        let turn = |k: usize| f64::from(u8::from(k == turning));
        let mut x = -turn(0);
        for k in 0..n {
            if k > 0 {
                x -= turn(k - 1) + turn(k);
            }
            (free[(2 * k, turning)], free[(2 * k + 1, turning)]) = (x, turn(k));
        }
    }
    let products = (free.transpose() * &free).cholesky().unwrap();
    let answer = &free * products.solve(&(free.transpose() * load));
    let sizes: Vec<f64> = (0..n)
        .map(|k| answer[2 * k].hypot(answer[2 * k + 1]))
        .collect();
    let most = sizes.iter().copied().fold(0.0, f64::max);
    let clear = sizes.iter().all(|size| (size / most - 0.5).abs() > 1e-3);
    assert!(clear, "too near to half of the largest: {sizes:?}");
    let wide = (0..n as u64).filter(|k| sizes[*k as usize] >= 0.5 * most);
    wide.take(5).collect()
}

/// Bodies that contacts hold: a disc in a groove. A second increment would lose its forces.
#[test]
fn the_linear_method_does_one_increment() {
    let s = groove(0.6, Method::SerranoRodriguez);
    let sunk = -s.run(1).position(0).y;
    assert!((sunk / (W / 1.5) - 1.0).abs() < 1e-9, "{}", sunk / W);
    let second = s.try_run(1, 1, 2);
    let expected = Err(StepError::OneIncrement { step: 2 });
    assert_eq!(second.map(|_| ()), expected);
}

/// The linear method is not cut into parts, of which each would begin without forces: a column of
/// two discs that sinks by a fifth of a radius carries its whole weight.
#[test]
fn the_linear_method_is_not_halved() {
    let mut s = scene([-3.0, -1.0, -0.5], [3.0, 6.0, 0.5], 0.5);
    s.gravity = Vector3::new(0.0, -0.1, 0.0);
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    s.sphere([0.0, 1.0, 0.0], 1.0, 1.0);
    s.sphere([0.0, 3.0, 0.0], 1.0, 1.0);
    s.pair = Some(Pair {
        bending_stiffness: 1.0,
        rolling: Arm::Length(1.0),
        ..springs(0.5)
    });
    s.statics = Some(Statics {
        planar: true,
        method: Method::SerranoRodriguez,
        ..statics()
    });
    let end = s.run(1);
    let below = end.impulse(BodyId(0), BodyId::wall(0)).y;
    assert!((below / -0.2 - 1.0).abs() < 1e-9, "{below}");
    let sunk = 3.0 - end.position(1).y;
    assert!((sunk / 0.3 - 1.0).abs() < 1e-9, "{sunk}");
}

/// F10: where nothing slides, one linear solve gives the increment of the others, to first order.
#[test]
fn f10_the_linear_method_agrees_to_first_order() {
    let lid = |method| {
        let mut s = pressed(method);
        s.gravity = Vector3::zeros();
        // Without a stiffness of twist, balls could turn like gears.
        s.pair = Some(Pair {
            twisting_stiffness: 1.0,
            bending_stiffness: 1.0,
            torsion: Arm::Length(1e3),
            rolling: Arm::Length(1e3),
            ..springs(1e3)
        });
        s.walls.drain(..4);
        s.bodies.iter_mut().for_each(|row| row.radius = 1.0);
        for row in &mut s.bodies {
            row.position = row.position.map(f64::round);
        }
        s.walls[1].motion = lift(Signal::Rate(-1e-4));
        let end = s.run(1);
        let top = end.contacts.iter().filter(|c| c.key.b == BodyId::wall(1));
        top.map(|c| c.impulse[2]).sum::<f64>() / s.dt
    };
    // A column of four balls between floor and lid: five springs in a row under 1e-5.
    let expected = 36.0 * 1e-5 / 5.0;
    for method in [Method::SerranoRodriguez, Method::BagiBojtar] {
        let found = lid(method);
        assert!(
            (found / expected - 1.0).abs() < 1e-4,
            "{method:?}: {found} {expected}"
        );
    }
}
