//! Principal moments and axes of a symmetric tensor, the same bits on every machine.

use crate::math::{Quaternion, Vector3};

/// Off-diagonal entries below this fraction of the trace count as zero.
const NONE: f64 = 1e-12;

/// Eigenvalues and principal frame of a symmetric tensor (xx, yy, zz, xy, xz, yz), by Jacobi
/// rotations.
///
/// The quaternion turns the principal frame into the frame of the entries. Axes that are principal
/// already are kept, in their order.
#[must_use]
pub fn principal(tensor: [f64; 6]) -> ([f64; 3], Quaternion) {
    let [xx, yy, zz, xy, xz, yz] = tensor;
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let small = NONE * (xx + yy + zz).abs();
    for _ in 0..30 {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() <= small {
                continue;
            }
            turned = true;
            let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (of_p, of_q) = (a[p], a[q]);
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * of_p[k] - s * of_q[k], s * of_p[k] + c * of_q[k]);
            }
            for row in &mut axes {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
        if !turned {
            break;
        }
    }
    ([a[0][0], a[1][1], a[2][2]], quaternion(&axes))
}

/// The unit quaternion of a rotation matrix, whose columns are the rotated axes.
fn quaternion(m: &[[f64; 3]; 3]) -> Quaternion {
    let trace = m[0][0] + m[1][1] + m[2][2];
    // The largest of the four components, each squared and times 4, comes first.
    let squares = [
        1.0 + trace,
        1.0 + 2.0 * m[0][0] - trace,
        1.0 + 2.0 * m[1][1] - trace,
        1.0 + 2.0 * m[2][2] - trace,
    ];
    let largest = (0..4).fold(
        0,
        |best, k| if squares[k] > squares[best] { k } else { best },
    );
    let differences = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let sums = |a: usize, b: usize| m[a][b] + m[b][a];
    let q = match largest {
        0 => [squares[0], differences[0], differences[1], differences[2]],
        1 => [differences[0], squares[1], sums(0, 1), sums(0, 2)],
        2 => [differences[1], sums(0, 1), squares[2], sums(1, 2)],
        _ => [differences[2], sums(0, 2), sums(1, 2), squares[3]],
    };
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / norm)
}

/// A vector in the principal frame, from the frame into which `axes` turns the principal frame.
pub(super) fn into_frame(axes: Quaternion, v: &Vector3) -> Vector3 {
    let [w, x, y, z] = axes;
    crate::math::turned([w, -x, -y, -z], v)
}
