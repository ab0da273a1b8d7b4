use super::*;
use crate::law::cone;
use crate::math::norm;
use crate::rng::{Purpose, Stream};
use nalgebra::DMatrix;

/// The number of contacts to try; set all of them with `MOREAU_CONTACTS=1000000`.
fn trials() -> u64 {
    let asked = std::env::var("MOREAU_CONTACTS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

/// A random contact: block, velocity, μ. The block is `L Lᵀ` with eigenvalues over many orders of
/// magnitude, some (nearly) zero, some blocks not symmetric, of any scale.
fn draw(trial: u64, d: usize) -> (Vec<f64>, Vec<f64>, [f64; 2]) {
    let mut draw = Stream::new(Purpose::Trial, 74, [trial, d as u64, 0]);
    let spread = [0.0, 2.0, 6.0, 20.0][draw.below(4) as usize];
    let root = DMatrix::from_fn(d, d, |_, _| draw.between(-1.0, 1.0));
    let sizes: Vec<f64> = (0..d)
        .map(|_| libm::exp(-draw.between(0.0, spread)))
        .collect();
    let turned = root.qr().q();
    let mut a =
        &turned * DMatrix::from_diagonal(&nalgebra::DVector::from_vec(sizes)) * turned.transpose();
    a = (&a + a.transpose()) * 0.5;
    if draw.below(3) == 0 {
        // A skew part does not change x·Ax.
        let largest = a.norm();
        for i in 0..d {
            for j in 0..i {
                let skew = 0.3 * largest * draw.between(-1.0, 1.0);
                a[(i, j)] += skew;
                a[(j, i)] -= skew;
            }
        }
    }
    a *= libm::exp(draw.between(-20.0, 20.0));
    let scale = libm::exp(draw.between(-20.0, 20.0));
    let free: Vec<f64> = (0..d)
        .map(|k| {
            let x = scale * draw.between(-1.0, 1.0);
            // Most contacts should close: an open one tests little.
            if k == 0 && draw.below(8) > 0 {
                -x.abs()
            } else {
                x
            }
        })
        .collect();
    let pick = [0.0, 1e-6, 0.3, 1.0, 1e6];
    let mu = [pick[draw.below(5) as usize], pick[draw.below(5) as usize]];
    (a.transpose().as_slice().to_vec(), free, mu)
}

fn solved<const D: usize, L: Law<D>>(a: &[f64], free: &[f64], mu: [f64; 2]) -> [f64; D] {
    let free = std::array::from_fn(|k| free[k]);
    L::new(a, 0.0, mu).solve(free, [0.0; D])
}

fn answer(a: &[f64], free: &[f64], mu: [f64; 2]) -> Vec<f64> {
    match free.len() {
        1 => solved::<1, Normal>(a, free, mu).to_vec(),
        2 => solved::<2, Line>(a, free, mu).to_vec(),
        3 => solved::<3, Plane>(a, free, mu).to_vec(),
        _ => solved::<5, Rolling>(a, free, mu).to_vec(),
    }
}

/// The error of the law, an impulse, relative to |f|/|A| or |r|, whichever is larger.
///
/// It uses Alart and Curnier's map: unlike a map with û it does not multiply the rounding error of
/// u_T by μ, which is up to 10⁶ here.
fn left(a: &[f64], f: &[f64], mu: [f64; 2], r: &[f64]) -> f64 {
    let d = f.len();
    let size = DMatrix::from_row_slice(d, d, a).singular_values().max();
    let u: Vec<f64> = (0..d)
        .map(|i| f[i] + (0..d).map(|j| a[i * d + j] * r[j]).sum::<f64>())
        .collect();
    let closed = r[0] - u[0] / size;
    let mut sum = (r[0] - if closed < 0.0 { 0.0 } else { closed }).powi(2);
    for (part, mu) in [(1..d.min(3), mu[0]), (3..d.max(3), mu[1])] {
        let wanted: Vec<f64> = part.clone().map(|k| r[k] - u[k] / size).collect();
        let (length, bound) = (norm(&wanted), mu * r[0]);
        let factor = if length > bound { bound / length } else { 1.0 };
        let off = part.zip(&wanted).map(|(k, w)| (r[k] - factor * w).powi(2));
        sum += off.sum::<f64>();
    }
    sum.sqrt() / norm(r).max(norm(f) / size)
}

/// Validation of the one-contact solvers: for any block and any friction the law holds to 1e-10.
#[test]
fn a_million_contacts_satisfy_their_law() {
    let mut worst = [0.0f64; 3];
    let mut kinds = [[0u64; 3]; 3];
    for trial in 0..trials() {
        for (which, d) in [2, 3, 5].into_iter().enumerate() {
            if d == 5 && trial % 4 > 0 {
                continue;
            }
            let (a, free, mu) = draw(trial, d);
            let r = answer(&a, &free, mu);
            let mut inside = r.clone();
            cone::project(&mut inside, mu);
            let outside: f64 = r.iter().zip(&inside).map(|(a, b)| (a - b).abs()).sum();
            assert!(outside <= 1e-14 * norm(&r), "{trial} {d}: {r:?}");
            let left = left(&a, &free, mu, &r);
            assert!(
                left < 1e-10,
                "{trial} {d}: {left:e}, mu {mu:?}, A {a:?}, f {free:?}, r {r:?}"
            );
            worst[which] = worst[which].max(left);
            let slides = norm(&r[1..]) >= mu[0] * r[0] * (1.0 - 1e-12);
            kinds[which][if r[0] == 0.0 {
                0
            } else {
                1 + usize::from(slides)
            }] += 1;
        }
    }
    assert!(worst.iter().all(|&left| left > 0.0), "{worst:?}");
    let rare = trials() / 100;
    assert!(kinds.as_flattened().iter().all(|&n| n > rare), "{kinds:?}");
}

/// Newton's method on the unreduced law restores digits lost on difficult blocks.
///
/// On these blocks the elimination of the normal part loses digits, or the nested brackets miss: a
/// skew part ten thousand times A_NN, near-singular blocks, both coefficients 10⁶.
#[test]
fn lost_digits_are_found_again() {
    for (trial, d) in [(50_709, 3), (503_964, 5), (715_488, 5), (804_608, 5)] {
        let (a, free, mu) = draw(trial, d);
        let left = left(&a, &free, mu, &answer(&a, &free, mu));
        assert!(left < 1e-10, "{trial} {d}: {left:e}");
    }
}

/// All candidate solutions of a contact in three dimensions, by a quartic in α.
///
/// With r expressed by α: `|(Ŝ + α I) b|² = (μ/A_NN)² (−f_N det(α) + A_NT·(Ŝ + α I) b)²`; its roots
/// are the eigenvalues of the companion matrix.
fn enumerated(a: &[f64], f: &[f64], mu: f64) -> Vec<[f64; 3]> {
    if f[0] >= 0.0 {
        return vec![[0.0; 3]];
    }
    let mut all = Vec::new();
    let a3 = DMatrix::from_row_slice(3, 3, a);
    let stuck = a3.lu().solve(&-nalgebra::DVector::from_row_slice(f));
    let stuck = stuck.map(|r| [r[0], r[1], r[2]]);
    all.extend(stuck.filter(|r| r[1].hypot(r[2]) <= mu * r[0]));
    let s = |i: usize, j: usize| a[3 * i + j] - a[3 * i] * a[j] / a[0];
    let b = [1, 2].map(|i| f[i] - a[3 * i] * f[0] / a[0]);
    let (trace, det) = (s(1, 1) + s(2, 2), s(1, 1) * s(2, 2) - s(1, 2) * s(2, 1));
    let fixed = [
        s(2, 2) * b[0] - s(1, 2) * b[1],
        s(1, 1) * b[1] - s(2, 1) * b[0],
    ];
    // Polynomials in α, lowest power first.
    let left = [
        fixed[0] * fixed[0] + fixed[1] * fixed[1],
        2.0 * (fixed[0] * b[0] + fixed[1] * b[1]),
        b[0] * b[0] + b[1] * b[1],
    ];
    let along = |x: [f64; 2]| a[1] * x[0] + a[2] * x[1];
    let n = [-f[0] * det + along(fixed), -f[0] * trace + along(b), -f[0]];
    let mut p = [0.0; 5];
    for i in 0..3 {
        for j in 0..3 {
            p[i + j] -= (mu / a[0]).powi(2) * n[i] * n[j];
        }
        p[i] += left[i];
    }
    let unit = trace;
    let scaled: Vec<f64> = (0..5).map(|k| p[k] * unit.powi(k as i32)).collect();
    let mut companion = DMatrix::<f64>::zeros(4, 4);
    for k in 0..4 {
        companion[(k, 3)] = -scaled[k] / scaled[4];
        if k > 0 {
            companion[(k, k - 1)] = 1.0;
        }
    }
    for root in companion.complex_eigenvalues().iter() {
        let alpha = root.re * unit;
        if root.im.abs() > 1e-6 * root.re.abs() || alpha < 0.0 {
            continue;
        }
        let d = det + alpha * (trace + alpha);
        let t = [0, 1].map(|k| -(fixed[k] + alpha * b[k]) / d);
        all.push([-(f[0] + along(t)) / a[0], t[0], t[1]]);
    }
    all.retain(|r| r[0] >= 0.0);
    all
}

/// The answer is one of the enumerated solutions.
#[test]
fn the_answer_is_among_the_enumerated() {
    let (mut compared, mut slid) = (0, 0);
    for trial in 0..trials() {
        let (a, f, [mu, _]) = draw(trial, 3);
        // Beyond this the quartic has lost its digits, not the answer.
        let values = DMatrix::from_row_slice(3, 3, &a).singular_values();
        if values.min() < 1e-3 * values.max()
            || mu == 1e-6
            || mu == 1e6
            || (mu == 0.0 && f[0] < 0.0)
        {
            continue;
        }
        let r = answer(&a, &f, [mu, 0.0]);
        let all = enumerated(&a, &f, mu);
        let far = |c: &[f64; 3]| norm(&[c[0] - r[0], c[1] - r[1], c[2] - r[2]]);
        let nearest = all.iter().map(far).fold(f64::INFINITY, f64::min);
        assert!(nearest <= 1e-5 * norm(&r), "{trial}: {r:?} {all:?}");
        compared += 1;
        slid += u32::from(r[0] > 0.0 && r[1].hypot(r[2]) > mu * r[0] * (1.0 - 1e-12));
    }
    assert!(
        compared > trials() as u32 / 10 && slid > compared / 4,
        "{compared} {slid}"
    );
}

/// Where A allows no solution, the present impulse is kept, within the cone; finite numbers never
/// give NaN.
#[test]
fn blocks_that_allow_nothing_keep_what_there_is() {
    let zero = [0.0; 25];
    let r = Plane::new(&zero[..9], 0.0, [0.5, 0.0]).solve([-1.0, 1.0, 0.0], [2.0, 3.0, 0.0]);
    assert_eq!(r[1], 0.5 * r[0]);
    let r = Line::new(&zero[..4], 0.0, [0.5, 0.0]).solve([-1.0, 1.0], [2.0, 0.5]);
    assert_eq!(r, [2.0, 0.5]);
    let r = Normal::new(&zero[..1], 0.0, [0.0; 2]).solve([-1.0], [2.0]);
    assert_eq!(r, [2.0]);
    let r = Normal::new(&zero[..1], 0.5, [0.0; 2]).solve([-1.0], [7.0]);
    assert_eq!(r, [2.0]);
    let r = Rolling::new(&zero, 0.0, [0.5, 0.1]).solve([-1.0; 5], [1.0, 0.0, 0.2, 0.0, 0.1]);
    assert_eq!(r, [1.0, 0.0, 0.2, 0.0, 0.1]);
    for trial in 0..2000 {
        let mut draw = Stream::new(Purpose::Trial, 75, [trial, 0, 0]);
        let pick = [0.0, 1.0, -1.0, 1e-300, 1e300, -1e-20];
        let mut number = || pick[draw.below(6) as usize];
        let a: Vec<f64> = (0..25).map(|_| number()).collect();
        let f: Vec<f64> = (0..5).map(|_| number()).collect();
        for d in [1, 2, 3, 5] {
            let r = answer(&a[..d * d], &f[..d], [1.0, 0.5]);
            assert!(r.iter().all(|x| x.is_finite()), "{d} {a:?} {f:?} {r:?}");
            assert!(r[0] >= 0.0, "{d} {a:?} {f:?} {r:?}");
        }
    }
}

/// A single contact, solved by hand: it opens, sticks, slides.
///
/// In one case the tangential impulse raises the normal one through W.
#[test]
fn the_impulse_of_a_contact_by_hand() {
    let w = [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    let present = [7.0, 0.0, 0.0];
    let near = |bias, mu, expected: [f64; 3]| {
        let r = impulse(&w, bias, mu, present);
        let far = [0, 1, 2].map(|k| r[k] - expected[k]);
        assert!(norm(&far) <= 1e-15 * norm(&expected), "{r:?} {expected:?}");
    };
    near([0.5, 1.0, 0.0], 0.5, [0.0; 3]);
    near([-2.0, 0.6, 0.8], 0.5, [1.0, -0.15, -0.2]);
    near([-2.0, 3.0, 4.0], 0.5, [1.0, -0.3, -0.4]);
    // A block that couples normal and tangential: sliding along −t, `r_t = −μ r_n`, so
    // `u_n = (2 − μ) r_n + f_n = 0`.
    let w = [[2.0, 1.0, 0.0], [1.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    let r = impulse(&w, [-1.5, 40.0, 0.0], 0.5, present);
    assert!(norm(&[r[0] - 1.0, r[1] + 0.5, r[2]]) <= 1e-15, "{r:?}");
}

/// The impulse between two rigid bodies satisfies Signorini's condition and Coulomb's law.
///
/// The blocks are symmetric and positive definite, as those of two rigid bodies; u = W r + f.
#[test]
fn the_impulse_between_rigid_bodies_satisfies_the_law() {
    let mut kinds = [0; 3];
    for trial in 0..trials() / 4 {
        let mut draw = Stream::new(Purpose::Trial, 78, [trial, 0, 0]);
        let mut w = nalgebra::Matrix3::zeros();
        for _ in 0..2 {
            // 1/m and Rᵀ I⁻¹ R of a body, R the cross product with its lever.
            let lever = nalgebra::Vector3::from_fn(|_, _| draw.between(-1.0, 1.0));
            let inertia = nalgebra::Vector3::from_fn(|_, _| draw.between(0.5, 20.0));
            let arm = lever.cross_matrix();
            w += nalgebra::Matrix3::identity() * draw.between(0.1, 2.0)
                - arm * nalgebra::Matrix3::from_diagonal(&inertia) * arm;
        }
        let rows: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| w[(i, j)]));
        let mu = draw.between(0.05, 1.0);
        let mut bias = [0; 3].map(|_| draw.between(-1.0, 1.0));
        bias[0] -= 0.4;
        let r = impulse(&rows, bias, mu, [0.0; 3]);
        let u = w * nalgebra::Vector3::from(r) + nalgebra::Vector3::from(bias);
        let (slip, pull) = (u[1].hypot(u[2]), r[1].hypot(r[2]));
        let kind = if r == [0.0; 3] {
            assert!(u[0] >= 0.0, "{trial}: {u:?}");
            0
        } else if pull < mu * r[0] * (1.0 - 1e-12) {
            assert!(u.norm() < 1e-13, "{trial}: sticks with {u:?}");
            1
        } else {
            assert!(u[0].abs() < 1e-13 && pull <= mu * r[0] * (1.0 + 1e-12));
            // Friction opposes the slip: u_t = −α r_t.
            let against = u[1] * r[1] + u[2] * r[2] + slip * pull;
            assert!(against.abs() < 1e-12 * (1.0 + slip * pull), "{trial}");
            2
        };
        kinds[kind] += 1;
    }
    assert!(kinds.iter().all(|&n| n > 100), "{kinds:?}");
}
