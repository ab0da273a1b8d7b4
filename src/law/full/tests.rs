use super::*;
use crate::law::coulomb;
use crate::rng::{Purpose, Stream};

fn law(friction: f64, closing_speed: f64) -> Parameters {
    Parameters {
        normal: Vector3::z(),
        closing_speed,
        normal_mass: 2.0,
        tangential_mass: 0.5,
        friction,
    }
}

/// Nothing beside Coulomb's law.
fn nothing() -> Extra {
    Extra {
        offset: Vector3::zeros(),
        spin_offset: Vector3::zeros(),
        softness: [0.0; 2],
        previous_tangential: Vector3::zeros(),
        cohesion: 0.0,
        weakened: false,
        rolling: 0.0,
        torsion: 0.0,
        turning_mass: 0.3,
        coupling: 0.4,
        inverse_lever: [1.0; 2],
        couple: Vector3::zeros(),
    }
}

fn random(draw: &mut Stream) -> Vector3 {
    Vector3::new(
        draw.between(-1.0, 1.0),
        draw.between(-1.0, 1.0),
        draw.between(-1.0, 1.0),
    )
}

#[test]
fn without_extras_it_is_coulombs_law_to_the_bit() {
    for trial in 0..2000 {
        let mut draw = Stream::new(Purpose::Trial, 51, [trial, 0, 0]);
        let law = Parameters {
            normal: random(&mut draw).normalize(),
            ..law(draw.unit(), draw.between(-0.2, 0.5))
        };
        let (impulse, velocity) = (random(&mut draw), random(&mut draw));
        let (r, couple, status) = solve(&law, &nothing(), &impulse, &velocity, &random(&mut draw));
        let (expected, expected_status) = coulomb::solve(&law, &impulse, &velocity);
        assert_eq!(
            (r, couple, status),
            (expected, Vector3::zeros(), expected_status)
        );
    }
}

/// The algebra of the module's head against two rigid bodies with the impulse and the couple put on them: the law's answer,
/// applied, leaves velocities that satisfy the law.
#[test]
fn the_answer_put_on_two_bodies_satisfies_the_law() {
    let mut statuses = [0; 3];
    for trial in 0..5000 {
        let mut draw = Stream::new(Purpose::Trial, 52, [trial, 0, 0]);
        let n = random(&mut draw).normalize();
        let mass = [draw.between(0.5, 3.0), draw.between(0.5, 3.0)];
        let inertia = [draw.between(0.1, 1.0), draw.between(0.1, 1.0)];
        let lever = [
            draw.between(0.2, 1.0),
            [draw.between(0.2, 1.0), 0.0][draw.below(2) as usize],
        ];
        let inverse = mass.map(|m| 1.0 / m);
        let turning = inertia.map(|i| 1.0 / i);
        let (normal_mass, tangential_mass) =
            coulomb::reduced_masses(inverse, inverse, turning, lever);
        let soft = [0.0, draw.unit()][draw.below(2) as usize];
        let law = Parameters {
            normal: n,
            closing_speed: draw.between(-0.1, 0.1),
            normal_mass: 1.0 / (1.0 / normal_mass + soft),
            tangential_mass: 1.0 / (1.0 / tangential_mass + 2.0 * soft),
            friction: draw.unit(),
        };
        let extra = Extra {
            softness: [soft, 2.0 * soft],
            rolling: draw.between(0.0, 0.5),
            torsion: draw.between(0.0, 0.2),
            turning_mass: 1.0 / (turning[0] + turning[1]),
            coupling: lever[1] * turning[1] - lever[0] * turning[0],
            offset: random(&mut draw) * 0.1,
            spin_offset: random(&mut draw) * 0.1,
            ..nothing()
        };
        let (mut v, mut w) = (
            [random(&mut draw), random(&mut draw)],
            [random(&mut draw), random(&mut draw)],
        );
        let relative = |v: &[Vector3; 2], w: &[Vector3; 2]| {
            let spin = w[0] * lever[0] + w[1] * lever[1];
            (v[1] - v[0] - spin.cross(&n), w[1] - w[0])
        };
        let (u, spin) = relative(&v, &w);
        let (r, couple, status) = solve(&law, &extra, &Vector3::zeros(), &u, &spin);
        let arms = [n * lever[0], -n * lever[1]];
        v[0] -= r * inverse[0];
        v[1] += r * inverse[1];
        w[0] += (arms[0].cross(&-r) - couple) * turning[0];
        w[1] += (arms[1].cross(&r) + couple) * turning[1];
        let (u, spin) = relative(&v, &w);
        let (u, spin) = (u + extra.offset, spin + extra.spin_offset);
        statuses[status as usize] += 1;
        let r_n = r.dot(&n);
        let u_n = u.dot(&n) + law.closing_speed + soft * r_n;
        assert!(
            r_n >= 0.0 && u_n > -1e-12 && (r_n * u_n).abs() < 1e-12,
            "trial {trial}"
        );
        let (r_t, u_t) = (
            r - n * r_n,
            u - n * u.dot(&n) + (r - n * r_n) * (2.0 * soft),
        );
        let (c_n, s_n) = (couple.dot(&n), spin.dot(&n));
        let (c_t, s_t) = (couple - n * c_n, spin - n * s_n);
        for (x, velocity, bound) in [
            (r_t, u_t, law.friction * r_n),
            (c_t, s_t, extra.rolling * r_n),
            (n * c_n, n * s_n, extra.torsion * r_n),
        ] {
            assert!(x.norm() <= bound + 1e-12, "trial {trial}");
            if x.norm() < bound - 1e-9 {
                assert!(velocity.norm() < 1e-10, "trial {trial}: {velocity}");
            } else {
                // Opposite to the velocity.
                let power = velocity.dot(&x) + velocity.norm() * x.norm();
                assert!(power.abs() < 1e-10, "trial {trial}: {power}");
            }
        }
    }
    assert!(statuses.iter().all(|&n| n > 200), "{statuses:?}");
}

/// [001 fig. 1.9b] branch by branch, for a contact without friction: m_n = 2, F_C Δt = 1.
#[test]
fn every_branch_of_cohesion() {
    let answer = |weakened: bool, closing_speed: f64, u_n: f64| {
        let extra = Extra {
            cohesion: 1.0,
            weakened,
            ..nothing()
        };
        let velocity = Vector3::z() * u_n;
        let zero = Vector3::zeros();
        let (r, ..) = solve(&law(0.0, closing_speed), &extra, &zero, &velocity, &zero);
        r.z
    };
    // Closed: pushed together, pulled less than F_C, pulled more.
    assert_eq!(
        [-1.0, 0.25, 2.0].map(|u| answer(false, 0.0, u)),
        [2.0, -0.5, -1.0]
    );
    // Gaping by 0.5 a step: closes within the step, falls short of it, is held, opens on.
    assert_eq!(
        [-1.0, -0.25, 0.25, 2.0].map(|u| answer(true, 0.5, u)),
        [1.0, 0.0, -0.5, -1.0]
    );
    // DMT: a contact that is pulled by F_C/2 still has μ (R_n + F_C) of friction.
    let extra = Extra {
        cohesion: 1.0,
        ..nothing()
    };
    let velocity = Vector3::new(9.0, 0.0, 0.25);
    let zero = Vector3::zeros();
    let (r, _, status) = solve(&law(0.5, 0.0), &extra, &zero, &velocity, &zero);
    assert!((r - Vector3::new(-0.25, 0.0, -0.5)).norm() < 1e-15 && status == Status::Sliding);
}

/// A spring under a constant load settles where `k δ` balances it: the answer is the load, whatever the velocity's history.
#[test]
fn a_soft_contact_yields_as_its_spring_says() {
    let (mass, gamma) = (2.0, 0.25);
    let m_n = 1.0 / (1.0 / mass + gamma);
    let soft = Extra {
        softness: [gamma, gamma],
        ..nothing()
    };
    let parameters = Parameters {
        normal_mass: m_n,
        tangential_mass: m_n,
        ..law(1e9, -0.1)
    };
    // From rest, pushed by 0.3 m/s: r = m̂ (0.3 + 0.1).
    let down = Vector3::new(0.2, 0.0, -0.3);
    let zero = Vector3::zeros();
    let (r, ..) = solve(&parameters, &soft, &zero, &down, &zero);
    assert!((r - Vector3::new(-m_n * 0.2, 0.0, m_n * 0.4)).norm() < 1e-15);
    // What the tangential spring held in the last step it holds on to, if nothing moves.
    let held = Vector3::new(0.05, 0.0, 0.0);
    let kept = Extra {
        previous_tangential: held,
        ..soft
    };
    let impulse = held + Vector3::z() * (0.1 / gamma);
    let (r, ..) = solve(&parameters, &kept, &impulse, &zero, &zero);
    assert!((r - impulse).norm() < 1e-15, "{r}");
}

#[test]
fn nan_is_not_swallowed() {
    let zero = Vector3::zeros();
    let full = Extra {
        cohesion: 0.3,
        rolling: 0.1,
        torsion: 0.1,
        softness: [0.1, 0.1],
        ..nothing()
    };
    for weakened in [false, true] {
        let full = Extra { weakened, ..full };
        for k in 0..3 {
            let mut bad = Vector3::new(0.1, 0.2, -1.0);
            bad[k] = f64::NAN;
            let (r, ..) = solve(&law(0.5, 0.1), &full, &zero, &bad, &zero);
            assert!(r.iter().any(|c| c.is_nan()));
            let good = Vector3::new(0.1, 0.2, -1.0);
            let (_, couple, _) = solve(&law(0.5, 0.1), &full, &zero, &good, &bad);
            assert!(couple.iter().any(|c| c.is_nan()));
        }
    }
}
