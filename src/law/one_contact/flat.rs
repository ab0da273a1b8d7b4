//! The law of a contact with one tangent, or with none.

use super::Law;
use crate::law::cone;

/// A frictionless contact: the normal part only.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    nn: f64,
}

impl Law<1> for Normal {
    fn new(block: &[f64], shift: f64, _: [f64; 2]) -> Self {
        Self {
            nn: block[0] + shift,
        }
    }

    #[inline]
    fn solve(&mut self, [f_n]: [f64; 1], [old]: [f64; 1]) -> [f64; 1] {
        if f_n >= 0.0 {
            return [0.0];
        }
        let n = -f_n / self.nn;
        if n >= 0.0 && n.is_finite() {
            return [n];
        }
        let mut old = [old];
        cone::project(&mut old, [0.0; 2]);
        old
    }
}

/// A contact in two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    block: [f64; 4],
    mu: f64,
}

impl Law<2> for Line {
    fn new(block: &[f64], shift: f64, [mu, _]: [f64; 2]) -> Self {
        let block = [block[0] + shift, block[1], block[2], block[3] + shift];
        Self { block, mu }
    }

    #[inline]
    fn solve(&mut self, [f_n, f_t]: [f64; 2], mut old: [f64; 2]) -> [f64; 2] {
        if f_n >= 0.0 {
            return [0.0; 2];
        }
        let ([nn, nt, tn, tt], mu) = (self.block, self.mu);
        // u_T under the normal impulse alone, and its derivative with respect to r_T.
        let (b, s) = (f_t - tn * (f_n / nn), tt - tn * (nt / nn));
        if nn > 0.0 {
            let t = -b / s;
            let n = -(f_n + nt * t) / nn;
            if s > 0.0 && t.abs() <= mu * n && n.is_finite() {
                return [n, t];
            }
            let side = if b > 0.0 { -mu } else { mu };
            let n = -f_n / (nn + side * nt);
            let t = side * n;
            if n >= 0.0 && n.is_finite() && t.is_finite() {
                return [n, t];
            }
        }
        cone::project(&mut old, [mu, 0.0]);
        old
    }
}
