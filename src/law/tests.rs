use super::*;
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

/// The status of a contact with the z axis as its normal and this friction.
fn status(friction: f64, impulse: &Vector3) -> Status {
    Status::of(&law(friction, 0.0), None, impulse)
}

fn springs(softness: [f64; 2]) -> Option<Springs<f64>> {
    let previous = [0.0; 3];
    Some(Springs { softness, previous })
}

fn cohesion(force: f64, weakened: bool) -> Option<Cohesion<f64>> {
    let weakened = f64::from(u8::from(weakened));
    Some(Cohesion { force, weakened })
}

/// Impulse and couple that the law demands, starting from zero.
fn from_rest(
    law: &Parameters,
    parts: &Parts<f64>,
    velocity: &Vector3,
    spin: &Vector3,
) -> (Vector3, Vector3) {
    let now = Impulse {
        linear: [0.0; 3],
        couple: [0.0; 3],
    };
    let velocity = (*velocity).into();
    let wanted = answer(&law.numbers(), parts, &now, &velocity, &(*spin).into());
    (wanted.linear.into(), wanted.couple.into())
}

fn random(draw: &mut Stream) -> Vector3 {
    Vector3::new(
        draw.between(-1.0, 1.0),
        draw.between(-1.0, 1.0),
        draw.between(-1.0, 1.0),
    )
}

#[test]
fn every_branch_of_the_law() {
    let zero = Vector3::zeros();
    let down = Vector3::new(0.1, 0.0, -1.0);
    assert_eq!(
        solve(&law(0.5, 1.1), &zero, &down),
        zero,
        "the gap does not close"
    );
    let r = solve(&law(0.5, 0.0), &zero, &down);
    assert_eq!(
        (r, status(0.5, &r)),
        (Vector3::new(-0.05, 0.0, 2.0), Status::Sticking)
    );
    let r = solve(&law(0.01, 0.0), &zero, &down);
    assert!(
        (r - Vector3::new(-0.02, 0.0, 2.0)).norm() < 1e-15 && status(0.01, &r) == Status::Sliding
    );
    let r = solve(&law(0.0, 0.0), &zero, &down);
    assert_eq!(r, Vector3::new(0.0, 0.0, 2.0), "no friction");
    let r = solve(
        &law(1e6, 0.5),
        &Vector3::new(0.3, 0.0, 1.0),
        &Vector3::new(0.0, 0.0, -0.5),
    );
    assert_eq!(
        (r, status(1e6, &r)),
        (Vector3::new(0.3, 0.0, 1.0), Status::Sticking),
        "a solved contact keeps its impulse"
    );
    let r = solve(
        &law(0.5, 0.0),
        &Vector3::new(0.3, 0.0, 1.0),
        &Vector3::new(0.0, 0.0, 0.5),
    );
    assert_eq!(
        (r, status(0.5, &r)),
        (zero, Status::Open),
        "a contact that opens loses its impulse"
    );
}

#[test]
fn coulombs_law_does_not_swallow_a_nan() {
    for bad in [
        Vector3::new(f64::NAN, 0.0, -1.0),
        Vector3::new(0.0, 0.0, f64::NAN),
    ] {
        let r = solve(&law(0.5, 0.0), &Vector3::zeros(), &bad);
        assert!(r.iter().any(|c| c.is_nan()));
    }
}

/// The law agrees to the bit with [001 eq. 1.30], written here with its branches.
#[test]
fn the_law_is_that_of_the_paper_to_the_bit() {
    let mut statuses = [0; 3];
    for trial in 0..3000 {
        let mut draw = Stream::new(Purpose::Trial, 51, [trial, 0, 0]);
        let law = Parameters {
            normal: random(&mut draw).normalize(),
            ..law(draw.unit(), draw.between(-0.2, 0.5))
        };
        let (r, v) = (random(&mut draw), random(&mut draw));
        let n = &law.normal;
        let (r_n, u_n) = (r.dot(n), v.dot(n));
        let new_n = r_n - law.normal_mass * (u_n + law.closing_speed);
        let new_t = (r - n * r_n) - (v - n * u_n) * law.tangential_mass;
        let (size, bound) = (new_t.norm(), law.friction * new_n);
        let (expected, status) = if new_n <= 0.0 {
            (Vector3::zeros(), Status::Open)
        } else if size > bound {
            (n * new_n + new_t * (bound / size), Status::Sliding)
        } else {
            (n * new_n + new_t, Status::Sticking)
        };
        assert_eq!(solve(&law, &r, &v), expected);
        assert_eq!(Status::of(&law, None, &expected), status);
        statuses[status as usize] += 1;
    }
    assert!(statuses.iter().all(|&n| n > 100), "{statuses:?}");
}

/// Applied to two rigid bodies, the law's answer leaves velocities that satisfy the law.
///
/// This checks the algebra of the formulas in [`answer`] and [`couples`].
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
        let (normal_mass, tangential_mass) = reduced_masses(inverse, inverse, turning, lever);
        let soft = [0.0, draw.unit()][draw.below(2) as usize];
        let law = Parameters {
            normal: n,
            closing_speed: draw.between(-0.1, 0.1),
            normal_mass: 1.0 / (1.0 / normal_mass + soft),
            tangential_mass: 1.0 / (1.0 / tangential_mass + 2.0 * soft),
            friction: draw.unit(),
        };
        let couples = Couples {
            rolling: draw.between(0.0, 0.5),
            torsion: draw.between(0.0, 0.2),
            turning_mass: 1.0 / (turning[0] + turning[1]),
            coupling: lever[1] * turning[1] - lever[0] * turning[0],
            inverse_lever: [0.0; 2],
        };
        let drive = [random(&mut draw) * 0.1, random(&mut draw) * 0.1];
        let parts = Parts {
            springs: springs([soft, 2.0 * soft]).filter(|_| soft > 0.0),
            couples: Some(couples),
            cohesion: None,
            drive: Some(Drive {
                velocity: drive[0].into(),
                spin: drive[1].into(),
            }),
            ..Parts::NONE
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
        let (r, couple) = from_rest(&law, &parts, &u, &spin);
        let status = Status::of(&law, None, &r);
        let arms = [n * lever[0], -n * lever[1]];
        v[0] -= r * inverse[0];
        v[1] += r * inverse[1];
        w[0] += (arms[0].cross(&-r) - couple) * turning[0];
        w[1] += (arms[1].cross(&r) + couple) * turning[1];
        let (u, spin) = relative(&v, &w);
        let (u, spin) = (u + drive[0], spin + drive[1]);
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
            (c_t, s_t, couples.rolling * r_n),
            (n * c_n, n * s_n, couples.torsion * r_n),
        ] {
            assert!(x.norm() <= bound + 1e-12, "trial {trial}");
            if x.norm() < bound - 1e-9 {
                assert!(velocity.norm() < 1e-10, "trial {trial}: {velocity}");
            } else {
                // The impulse is opposite to the velocity.
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
    let zero = Vector3::zeros();
    let answer = |weakened: bool, closing_speed: f64, u_n: f64| {
        let parts = Parts {
            cohesion: cohesion(1.0, weakened),
            ..Parts::NONE
        };
        let velocity = Vector3::z() * u_n;
        from_rest(&law(0.0, closing_speed), &parts, &velocity, &zero)
            .0
            .z
    };
    // Closed: pushed together, pulled less than F_C, pulled more.
    assert_eq!(
        [-1.0, 0.25, 2.0].map(|u| answer(false, 0.0, u)),
        [2.0, -0.5, -1.0]
    );
    // A gap of 0.5 per step: closes within the step, does not reach closure, is held, opens
    // further.
    assert_eq!(
        [-1.0, -0.25, 0.25, 2.0].map(|u| answer(true, 0.5, u)),
        [1.0, 0.0, -0.5, -1.0]
    );
    // DMT: a contact pulled by F_C/2 still has the friction bound μ (R_n + F_C).
    let parts = Parts {
        cohesion: cohesion(1.0, false),
        ..Parts::NONE
    };
    let velocity = Vector3::new(9.0, 0.0, 0.25);
    let (r, _) = from_rest(&law(0.5, 0.0), &parts, &velocity, &zero);
    let status = Status::of(&law(0.5, 0.0), parts.cohesion.as_ref(), &r);
    assert!((r - Vector3::new(-0.25, 0.0, -0.5)).norm() < 1e-15 && status == Status::Sliding);
}

/// A spring under a constant load settles where `k δ` balances it: the answer is the load, whatever
/// the history of the velocity.
#[test]
fn a_soft_contact_yields_as_its_spring_says() {
    let (mass, gamma) = (2.0, 0.25);
    let m_n = 1.0 / (1.0 / mass + gamma);
    let soft = Parts {
        springs: springs([gamma, gamma]),
        ..Parts::NONE
    };
    let parameters = Parameters {
        normal_mass: m_n,
        tangential_mass: m_n,
        ..law(1e9, -0.1)
    };
    // From rest, pushed by 0.3 m/s: r = m̂ (0.3 + 0.1).
    let down = Vector3::new(0.2, 0.0, -0.3);
    let zero = Vector3::zeros();
    let (r, _) = from_rest(&parameters, &soft, &down, &zero);
    assert!((r - Vector3::new(-m_n * 0.2, 0.0, m_n * 0.4)).norm() < 1e-15);
    // The tangential spring keeps the impulse of the last step if nothing moves.
    let held = Vector3::new(0.05, 0.0, 0.0);
    let kept = Parts {
        springs: Some(Springs {
            softness: [gamma, gamma],
            previous: held.into(),
        }),
        ..Parts::NONE
    };
    let impulse = held + Vector3::z() * (0.1 / gamma);
    let now = Impulse {
        linear: impulse.into(),
        couple: [0.0; 3],
    };
    let wanted = answer(&parameters.numbers(), &kept, &now, &[0.0; 3], &[0.0; 3]);
    let r = Vector3::from(wanted.linear);
    assert!((r - impulse).norm() < 1e-15, "{r}");
}

#[test]
fn nan_is_not_swallowed() {
    let zero = Vector3::zeros();
    for weakened in [false, true] {
        let full = Parts {
            springs: springs([0.1; 2]),
            couples: Some(Couples {
                rolling: 0.1,
                torsion: 0.1,
                turning_mass: 0.3,
                coupling: 0.4,
                inverse_lever: [1.0; 2],
            }),
            cohesion: cohesion(0.3, weakened),
            pivot: Some(Pivot {
                softness: [0.1, 0.2],
                previous: [0.0; 3],
            }),
            ..Parts::NONE
        };
        for k in 0..3 {
            let mut bad = Vector3::new(0.1, 0.2, -1.0);
            bad[k] = f64::NAN;
            let (r, _) = from_rest(&law(0.5, 0.1), &full, &bad, &zero);
            assert!(r.iter().any(|c| c.is_nan()));
            let good = Vector3::new(0.1, 0.2, -1.0);
            let (_, couple) = from_rest(&law(0.5, 0.1), &full, &good, &bad);
            assert!(couple.iter().any(|c| c.is_nan()));
        }
    }
}

/// A contact seen alone: velocities before the step are given, nothing turns and no load acts.
struct Alone(Vector3);

impl Sides for Alone {
    fn turning(&self) -> Option<([f64; 2], [f64; 2])> {
        None
    }
    fn velocity_before(&self) -> Vector3 {
        self.0
    }
    fn fall(&self) -> f64 {
        0.0
    }
    fn spin_before(&self) -> Vector3 {
        Vector3::zeros()
    }
    fn centres(&self) -> [Option<Vector3>; 2] {
        [None; 2]
    }
}

/// Springs with restitution: a dashpot in short steps; in long ones Newton's law where two bodies
/// meet, and springs alone elsewhere, which take impulses.
#[test]
fn restitution_with_springs_opens_by_the_length_of_the_step() {
    let pair = Pair {
        compliance: 1e-4,
        restitution: 0.5,
        ..Pair::coulomb(0.3)
    };
    let laws = Laws::from(PairTable::new(1, |_, _| pair));
    let opened = |dt: f64, gap: f64, speed: f64| {
        let step = Step {
            end: dt,
            dt,
            rescale: 1.0,
            ..Step::default()
        };
        let touching = Touching {
            bodies: [0, 1],
            materials: [0, 0],
            normal: Vector3::z(),
            gap,
            radii: [1.0, 1.0],
            masses: [1.0, 0.3],
            drive: None,
            stretches: false,
            previous: None,
        };
        let (simple, suffices) = open(&laws, &step, &touching);
        assert!(!suffices);
        let sides = Alone(Vector3::z() * speed);
        open_rest(&laws, &step, &touching, &sides, &simple)
    };
    // ω = 100/s: x = 0.1, and x = 1.
    let short = opened(1e-3, -1e-4, -1.0);
    assert!(short.parts.damper.is_some() && short.parts.springs.is_some());
    let meets = opened(1e-2, 1e-3, -1.0);
    assert!(meets.parts.springs.is_none());
    assert_eq!(meets.law.closing_speed, -0.5);
    assert_eq!(
        [meets.law.normal_mass, meets.law.tangential_mass],
        [1.0, 0.3]
    );
    for (gap, speed) in [(0.1, -1.0), (1e-3, 1.0), (-1e-4, 1.0)] {
        let apart = opened(1e-2, gap, speed);
        assert!(apart.parts.springs.is_some() && apart.parts.damper.is_none());
        assert!(!apart.memory.is_left_alone(), "gap {gap}, speed {speed}");
    }
}
