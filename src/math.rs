//! Vectors, rotations and repeatable sums: the arithmetic of all rooms.
//!
//! The types are nalgebra's. Two rules keep results equal to the last bit on every machine and
//! number of ranks: transcendental functions come from the pure-Rust `libm` crate, and sums that
//! decide are [`ExactSum`]s.

mod exact_sum;
mod fixed;
pub mod real;
pub use exact_sum::ExactSum;
pub use fixed::Fixed;

/// A vector in the global frame.
pub type Vector3 = nalgebra::Vector3<f64>;

/// A 3×3 matrix in the global frame.
pub type Matrix3 = nalgebra::Matrix3<f64>;

/// A unit quaternion (w, x, y, z) that turns body-frame vectors into global-frame vectors.
pub type Quaternion = [f64; 4];

/// The orientation of a body that was not rotated.
pub const IDENTITY: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// Sets the capacity for `n` items, with little excess. A list keeps the items that it has.
///
/// A list that grows by pushing takes up to twice its size, and so does a list that is a little
/// longer than in the step before.
pub fn make_room<T>(list: &mut Vec<T>, n: usize) {
    if list.capacity() < n {
        list.reserve_exact(n + n / 16 - list.len());
    } else if list.capacity() > n + n / 4 + FEW {
        list.shrink_to(n + n / 16);
    }
}

/// An excess of items that does not count.
const FEW: usize = 16;

/// A right-handed frame whose first axis is a unit normal; equal for equal normals.
#[must_use]
pub fn frame(normal: &Vector3) -> [Vector3; 3] {
    let least = normal.iamin();
    let mut axis = Vector3::zeros();
    axis[least] = 1.0;
    let t1 = normal.cross(&axis).normalize();
    [*normal, t1, normal.cross(&t1)]
}

/// The larger of two numbers, or NaN if either is NaN.
///
/// `f64::max` returns the other number if one is NaN, so a maximum norm taken with it looks small
/// for a diverged field.
#[must_use]
pub fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

/// `√Σ x²`, summed from the first number to the last.
#[must_use]
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A number rounded to 13 digits, as a person would write it: 1.404 for 1.4040000000000001.
///
/// The latter is the sum of 1404 steps of 0.001.
#[must_use]
pub fn as_written(x: f64) -> f64 {
    format!("{x:.12e}").parse().unwrap_or(x)
}

/// The largest whole number not above x, as [`f64::floor`], but without a function call.
///
/// The call occurs where the compiler does not know that the processor has the instruction. Numbers
/// beyond 2^52 are whole, or not finite, and are returned unchanged.
#[must_use]
#[inline]
pub fn floor(x: f64) -> f64 {
    if x.abs() < (1u64 << 52) as f64 {
        let whole = x as i64 as f64;
        whole - f64::from(u8::from(whole > x))
    } else {
        x
    }
}

/// Rotates a vector by the shortest rotation from the unit vector `from` to the unit vector `to`.
///
/// A half turn has an undefined axis; it only takes the parallel component along.
#[must_use]
pub fn turned_with(from: &Vector3, to: &Vector3, v: &Vector3) -> Vector3 {
    let [from, to, v] = [from, to, v].map(|v| (*v).into());
    real::turned_with::<f64>(&from, &to, &v).into()
}

/// A vector rotated by a unit quaternion.
#[must_use]
pub fn turned(q: Quaternion, v: &Vector3) -> Vector3 {
    let [w, x, y, z] = q;
    let u = Vector3::new(x, y, z);
    let twice = u.cross(v) * 2.0;
    v + twice * w + u.cross(&twice)
}

/// The quaternion of the inverse turn.
#[must_use]
pub fn conjugate([w, x, y, z]: Quaternion) -> Quaternion {
    [w, -x, -y, -z]
}

/// The quaternion of the turn `b` followed by the turn `a`.
#[must_use]
pub fn product([aw, ax, ay, az]: Quaternion, [bw, bx, by, bz]: Quaternion) -> Quaternion {
    let (a, b) = (Vector3::new(ax, ay, az), Vector3::new(bx, by, bz));
    let v = b * aw + a * bw + a.cross(&b);
    [aw * bw - a.dot(&b), v.x, v.y, v.z]
}

/// Rotates an orientation by a rotation vector `angle` [rad] (global frame):
/// `q ← exp(angle / 2) q`.
///
/// The result is renormalised. The exponential map of `dt ω` is exact for a constant angular
/// velocity ω over the step.
#[must_use]
pub fn rotate(q: Quaternion, angle: &Vector3) -> Quaternion {
    let size = angle.norm();
    if size == 0.0 {
        return q; // A body that does not rotate keeps all bits.
    }
    let half = 0.5 * size;
    let s = libm::sin(half) / size;
    let (pw, px, py, pz) = (libm::cos(half), s * angle.x, s * angle.y, s * angle.z);
    let [qw, qx, qy, qz] = q;
    let turned = [
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    ];
    let norm = turned.iter().map(|c| c * c).sum::<f64>().sqrt();
    turned.map(|c| c / norm)
}

/// The rotation vector that leads from an orientation to another [rad], at most π long: the
/// inverse of [`rotate`].
#[must_use]
pub fn turn_between(from: Quaternion, to: Quaternion) -> Vector3 {
    let ([a, b], of) = ([from, to], |q: Quaternion| Vector3::new(q[1], q[2], q[3]));
    let (u, v) = (of(a), of(b));
    let mut w = a[0] * b[0] + u.dot(&v);
    // The vector part of `to from*`.
    let mut part = v * a[0] - u * b[0] - v.cross(&u);
    if w < 0.0 {
        (w, part) = (-w, -part);
    }
    let size = part.norm();
    if size == 0.0 {
        return Vector3::zeros();
    }
    part * (2.0 * libm::atan2(size, w) / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The turn between two orientations leads from the first to the second, and is exact where it
    /// is small.
    #[test]
    fn a_turn_is_found_again() {
        let first = rotate(IDENTITY, &Vector3::new(0.3, -1.2, 2.0));
        for size in [0.0, 1e-12, 1e-6, 0.1, 3.1] {
            let turn = Vector3::new(2.0, -1.0, 2.0) * (size / 3.0);
            let second = rotate(first, &turn);
            for second in [second, second.map(|x| -x)] {
                let off = (turn_between(first, second) - turn).norm();
                assert!(off < 1e-15 + 1e-14 * size, "{size:e}: {off:e}");
            }
        }
    }

    #[test]
    fn a_list_gets_a_sixteenth_more_room_than_it_wants() {
        let mut list = vec![1u64; 3];
        make_room(&mut list, 160);
        assert_eq!((list.len(), list.capacity()), (3, 170));
        list.clear();
        for n in [125, 150, 170] {
            make_room(&mut list, n);
            assert_eq!(list.capacity(), 170, "{n} fit");
        }
        make_room(&mut list, 171);
        assert_eq!(list.capacity(), 181);
        list.extend(0..120);
        make_room(&mut list, 100);
        assert_eq!((list.len(), list.capacity()), (120, 120));
        list.truncate(30);
        make_room(&mut list, 80);
        assert_eq!((list.len(), list.capacity()), (30, 85));
    }

    #[test]
    fn nan_max_keeps_nan_where_f64_max_loses_it() {
        assert!(nan_max(f64::NAN, 1.0).is_nan() && nan_max(1.0, f64::NAN).is_nan());
        assert_eq!(f64::NAN.max(0.0), 0.0);
        assert_eq!(nan_max(1.0, 2.0), 2.0);
    }

    #[test]
    fn numbers_are_shown_as_written() {
        assert_eq!(1404.0 * 0.001, 1.4040000000000001);
        assert_eq!(as_written(1404.0 * 0.001), 1.404);
        assert_eq!([0.0, -1e-300, 2.5].map(as_written), [0.0, -1e-300, 2.5]);
        assert!(as_written(f64::NAN).is_nan());
    }

    #[test]
    fn a_quaternion_turns_vectors_as_its_axis_says() {
        let quarter = rotate(IDENTITY, &(Vector3::z() * std::f64::consts::FRAC_PI_2));
        let v = turned(quarter, &Vector3::new(1.0, 2.0, 3.0));
        assert!((v - Vector3::new(-2.0, 1.0, 3.0)).norm() < 1e-15);
    }

    #[test]
    fn vectors_turn_with_a_direction() {
        let (x, y) = (Vector3::x(), Vector3::y());
        let v = Vector3::new(1.0, 2.0, 3.0);
        assert_eq!(turned_with(&x, &x, &v), v);
        assert_eq!(turned_with(&x, &y, &v), Vector3::new(-2.0, 1.0, 3.0));
        assert!((turned_with(&x, &-x, &v) - Vector3::new(-1.0, 2.0, 3.0)).norm() < 1e-15);
        let to = Vector3::new(0.36, 0.48, 0.8);
        let turned = turned_with(&x, &to, &v);
        assert!(
            (turned.norm() - v.norm()).abs() < 1e-15 * 4.0 && (turned.dot(&to) - 1.0).abs() < 1e-15
        );
    }

    #[test]
    fn quarter_turns_add_up_to_a_whole_turn() {
        let quarter = Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
        let once = rotate(IDENTITY, &quarter);
        let half_angle = std::f64::consts::FRAC_PI_4;
        let expected = [half_angle.cos(), 0.0, 0.0, half_angle.sin()];
        assert!(
            once.iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() < 1e-15)
        );
        let whole = (0..4).fold(IDENTITY, |q, _| rotate(q, &quarter));
        assert!(
            (whole[0] + 1.0).abs() < 1e-15,
            "the quaternion of a full turn is −1"
        );
    }

    #[test]
    fn no_rotation_changes_no_bit() {
        let q = [0.1, 0.2, 0.3, 0.4];
        assert_eq!(rotate(q, &Vector3::zeros()), q);
    }

    #[test]
    fn floor_is_that_of_the_standard() {
        let edge = (1u64 << 52) as f64;
        let some = [
            0.0,
            0.3,
            0.999_999,
            1.0,
            2.5,
            1e9 + 0.5,
            edge - 0.5,
            edge,
            1e300,
            5e-324,
        ];
        for x in some.into_iter().chain([f64::INFINITY]) {
            assert_eq!(floor(x), x.floor(), "{x}");
            assert_eq!(floor(-x), (-x).floor(), "-{x}");
        }
        assert!(floor(f64::NAN).is_nan());
    }
}
