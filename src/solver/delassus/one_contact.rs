//! The law of one contact with a full block: the r with `u = A r + f`, `K* ∋ û ⟂ r ∈ K`, all else given by f.
//!
//! If f_N ≥ 0, r = 0: the contact opens. Else u_N = 0, by which r_N is put in terms of r_T, and with the Schur complement S of A_NN,
//! `u_T = S r_T + b`. A contact that slides has `u_T = −α r_T`, α ≥ 0, so `r_T(α) = −(S + α I)⁻¹ b`, and what is left is one equation
//! in α, `μ r_N(α) = |r_T(α)|`; α = 0 is the contact that sticks. For a positive definite A, symmetric or not, the left side
//! is the larger one as α grows, so where the contact cannot stick there is an α, and it can be bracketed. `μ r_N/|r_T|` is nearly a line
//! in α, which Newton's method, kept inside the bracket, follows in a few steps.
//!
//! With rolling friction there are two such numbers, α and β, one found inside the other.

mod flat;
mod refine;

pub use flat::{Line, Normal};
use refine::{Contact, eliminate};

/// The law of one contact of dimension D.
pub trait Law<const D: usize> {
    /// From the block A (row by row) with `shift` added to its diagonal, and `[μ, μ_r]`.
    fn new(block: &[f64], shift: f64, coefficients: [f64; 2]) -> Self;

    /// r for the given f; `old` is what is kept, brought into the cone, where A allows no answer (A_NN = 0 and f_N < 0).
    fn solve(&mut self, free: [f64; D], old: [f64; D]) -> [f64; D];
}

/// Newton steps and halvings of a bracket that are enough for all digits of a number.
const STEPS: usize = 200;

/// In three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    mu: f64,
    /// 1/A_NN; infinite where nothing can be done.
    inverse: f64,
    /// A_NT/A_NN and A_TN/A_NN.
    row: [f64; 2],
    column: [f64; 2],
    /// S: its transposed comatrix, its trace, its determinant.
    comatrix: [f64; 4],
    trace: f64,
    determinant: f64,
    /// Below this S + α I counts as singular.
    least: f64,
    /// α of the last solution.
    alpha: f64,
    /// Whether the elimination of the normal part loses digits, and the block for where it does.
    rough: bool,
    full: [[f64; 3]; 3],
}

/// A block by rows, with `shift` added to its diagonal.
fn shifted<const D: usize>(block: &[f64], shift: f64) -> [[f64; D]; D] {
    let own = |k: usize, l: usize| if k == l { shift } else { 0.0 };
    std::array::from_fn(|k| std::array::from_fn(|l| block[D * k + l] + own(k, l)))
}

fn longest(x: [f64; 2]) -> f64 {
    x[0].abs().max(x[1].abs())
}

/// r_T and r_N at an α, and how they change with it.
struct Trial {
    t: [f64; 2],
    n: f64,
    size: f64,
}

impl Plane {
    /// `(S + α I)⁻¹ x`.
    #[inline(always)]
    fn divided(&self, alpha: f64, x: [f64; 2]) -> [f64; 2] {
        let c = &self.comatrix;
        let d = 1.0 / (self.determinant + alpha * (self.trace + alpha));
        [
            d * ((c[0] + alpha) * x[0] + c[1] * x[1]),
            d * (c[2] * x[0] + (c[3] + alpha) * x[1]),
        ]
    }

    #[inline(always)]
    fn trial(&self, alpha: f64, b: [f64; 2], n0: f64) -> Trial {
        let x = self.divided(alpha, b);
        let t = [-x[0], -x[1]];
        let n = n0 - (self.row[0] * t[0] + self.row[1] * t[1]);
        let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
        Trial { t, n, size }
    }

    #[cold]
    fn refined(&self, free: [f64; 3], r: [f64; 3]) -> [f64; 3] {
        let contact = Contact {
            block: self.full,
            coefficients: [self.mu, 0.0],
            free,
        };
        contact.refined(r)
    }

    /// The contact that cannot stick.
    fn slide(&mut self, b: [f64; 2], n0: f64) -> Option<[f64; 3]> {
        let mu = self.mu;
        let bound = mu * n0;
        let size = (b[0] * b[0] + b[1] * b[1]).sqrt();
        let reach = 1.0 + mu * (self.row[0] * self.row[0] + self.row[1] * self.row[1]).sqrt();
        let (mut low, mut high) = (self.least, 1.01 * size * reach / bound + 2.0 * self.least);
        if !high.is_finite() {
            // So little friction that it makes no difference.
            return n0.is_finite().then_some([n0, 0.0, 0.0]);
        }
        let mut alpha = self.alpha;
        if !(alpha > low && alpha < high) {
            alpha = size / bound - 0.5 * self.trace;
        }
        let mut found = None;
        for _ in 0..STEPS {
            if !(alpha > low && alpha < high) {
                // Between numbers of different size, the one between in size.
                alpha = if low > 0.0 && high > 4.0 * low {
                    low.sqrt() * high.sqrt()
                } else {
                    0.5 * (low + high)
                };
            }
            let trial = self.trial(alpha, b, n0);
            let ratio = mu * trial.n / trial.size;
            if ratio >= 1.0 {
                high = alpha;
            } else {
                low = alpha;
            }
            let off = ratio - 1.0;
            let done = off.abs() < 4e-16 || high - low <= 4e-16 * high;
            let x = self.divided(alpha, trial.t);
            found = Some(trial);
            self.alpha = alpha;
            if done {
                break;
            }
            let trial = found.as_ref()?;
            // d r_T/dα = −x, d r_N/dα = row · x.
            let slope_n = self.row[0] * x[0] + self.row[1] * x[1];
            let slope_t = -(trial.t[0] * x[0] + trial.t[1] * x[1]) / trial.size;
            let slope = mu * (slope_n * trial.size - trial.n * slope_t) / (trial.size * trial.size);
            let step = off / slope;
            alpha -= step;
            if step.abs() < 1e-15 * alpha.abs() && off.abs() < 1e-12 {
                break;
            }
        }
        let Trial { t, n, size } = found?;
        // Onto the rim, by changing what loses less.
        let (n, factor) = if mu > 1.0 {
            (size / mu, 1.0)
        } else {
            (n, mu * n / size)
        };
        let r = [n, factor * t[0], factor * t[1]];
        (n >= 0.0 && r.iter().all(|x| x.is_finite())).then_some(r)
    }
}

impl Law<3> for Plane {
    fn new(block: &[f64], shift: f64, [mu, _]: [f64; 2]) -> Self {
        let nn = block[0] + shift;
        let inverse = if nn > 0.0 { 1.0 / nn } else { f64::INFINITY };
        let row = [block[1] * inverse, block[2] * inverse];
        let column = [block[3] * inverse, block[6] * inverse];
        let s = [
            block[4] + shift - block[3] * row[0],
            block[5] - block[3] * row[1],
            block[7] - block[6] * row[0],
            block[8] + shift - block[6] * row[1],
        ];
        let (trace, determinant) = (s[0] + s[3], s[0] * s[3] - s[1] * s[2]);
        // The smallest eigenvalue of the symmetric part: what has to be added where it is no more than rounding.
        let half = 0.5 * (s[0] - s[3]);
        let lowest = 0.5 * trace - half.hypot(0.5 * (s[1] + s[2]));
        let scale = block.iter().fold(nn.abs(), |m, x| m.max(x.abs()));
        let rounding = 1e-14 * scale;
        let least = if lowest > rounding {
            0.0
        } else {
            rounding - lowest
        };
        Self {
            mu,
            inverse,
            row,
            column,
            comatrix: [s[3], -s[1], -s[2], s[0]],
            trace,
            determinant,
            least,
            alpha: 0.0,
            rough: nn * longest(column) * longest(row) > 1e3 * scale,
            full: shifted(block, shift),
        }
    }

    #[inline]
    fn solve(&mut self, free: [f64; 3], mut old: [f64; 3]) -> [f64; 3] {
        if free[0] >= 0.0 {
            return [0.0; 3];
        }
        if self.inverse.is_finite() {
            let n0 = -free[0] * self.inverse;
            let b = [
                free[1] - self.column[0] * free[0],
                free[2] - self.column[1] * free[0],
            ];
            let Trial { t, n, size } = self.trial(self.least, b, n0);
            let found = if size <= self.mu * n && size.is_finite() && n.is_finite() {
                Some([n, t[0], t[1]])
            } else {
                self.slide(b, n0)
            };
            if let Some(r) = found {
                return if self.rough { self.refined(free, r) } else { r };
            }
        }
        super::cone::project(&mut old, [self.mu, 0.0]);
        old
    }
}

/// In three dimensions with rolling friction.
#[derive(Clone, Copy, Debug)]
pub struct Rolling {
    coefficients: [f64; 2],
    inverse: f64,
    row: [f64; 4],
    column: [f64; 4],
    schur: [[f64; 4]; 4],
    least: f64,
    scale: f64,
    full: [[f64; 5]; 5],
}

impl Rolling {
    /// `[r_N, r_T, r_M]` and the lengths of the last two where the contact slides by α and rolls by β; infinite: that part is zero.
    fn trial(&self, [alpha, beta]: [f64; 2], b: [f64; 4], n0: f64) -> ([f64; 5], [f64; 2]) {
        let (mut m, mut right) = ([[0.0; 4]; 4], [0.0; 4]);
        for i in 0..4 {
            let added = if i < 2 { alpha } else { beta };
            if added.is_infinite() {
                m[i][i] = 1.0;
                continue;
            }
            for (j, x) in m[i].iter_mut().enumerate() {
                let gone = if j < 2 { alpha } else { beta }.is_infinite();
                *x = if gone { 0.0 } else { self.schur[i][j] };
            }
            m[i][i] += added;
            right[i] = -b[i];
        }
        let x = eliminate(m, right);
        let n = n0 - (0..4).map(|k| self.row[k] * x[k]).sum::<f64>();
        let sizes = [x[0].hypot(x[1]), x[2].hypot(x[3])];
        ([n, x[0], x[1], x[2], x[3]], sizes)
    }

    fn onto_the_rim(&self, mut r: [f64; 5]) -> [f64; 5] {
        for (part, mu) in [(1, self.coefficients[0]), (3, self.coefficients[1])] {
            let size = r[part].hypot(r[part + 1]);
            if size > mu * r[0] {
                r[part] *= mu * r[0] / size;
                r[part + 1] *= mu * r[0] / size;
            }
        }
        r
    }

    /// What is left of the law beside `u_N = 0`, in impulses: by Alart and Curnier's map.
    fn left(&self, r: &[f64; 5], b: [f64; 4], n0: f64) -> f64 {
        let row: f64 = (0..4).map(|k| self.row[k] * r[k + 1]).sum();
        let mut sum = (r[0] - n0 + row).powi(2);
        let mut wanted = [0.0; 4];
        for i in 0..4 {
            let slip: f64 = b[i] + (0..4).map(|j| self.schur[i][j] * r[j + 1]).sum::<f64>();
            wanted[i] = r[i + 1] - slip / self.scale;
        }
        for (part, mu) in [(0, self.coefficients[0]), (2, self.coefficients[1])] {
            let size = wanted[part].hypot(wanted[part + 1]);
            let bound = mu * r[0];
            let factor = if size > bound { bound / size } else { 1.0 };
            for k in part..part + 2 {
                sum += (r[k + 1] - factor * wanted[k]).powi(2);
            }
        }
        sum.sqrt()
    }

    /// The smallest number beyond `least` for `which` part (0: sliding, 1: rolling) by which it comes to lie in its cone.
    fn settle(
        &self,
        which: usize,
        b: [f64; 4],
        n0: f64,
        full: &mut dyn FnMut(f64) -> ([f64; 5], [f64; 2]),
    ) -> ([f64; 5], [f64; 2]) {
        let mu = self.coefficients[which];
        if mu == 0.0 {
            return full(f64::INFINITY);
        }
        let first = full(self.least);
        if first.1[which] <= mu * first.0[0] {
            return first;
        }
        let off = |x: &([f64; 5], [f64; 2])| mu * x.0[0] / x.1[which] - 1.0;
        let (mut low, mut g_low) = (self.least, off(&first));
        let part = b[2 * which].hypot(b[2 * which + 1]);
        let mut high = part / (mu * n0) + self.least;
        let mut best = full(high);
        let mut g_high = off(&best);
        for _ in 0..STEPS {
            if g_high >= 0.0 {
                break;
            }
            (low, g_low) = (high, g_high);
            high = 4.0 * high + 1e-3 * self.scale;
            best = full(high);
            g_high = off(&best);
        }
        if !(high.is_finite() && g_high.is_finite()) {
            return full(f64::INFINITY);
        }
        // The false position, with the weight of a side that stays put halved (Illinois), and halvings between.
        let mut side = 0;
        for step in 0..STEPS {
            if off(&best).abs() < 4e-16 || high - low <= 4e-16 * high {
                break;
            }
            let mut at = (low * g_high - high * g_low) / (g_high - g_low);
            if step % 8 == 7 || !(at > low && at < high) {
                at = 0.5 * (low + high);
            }
            let trial = full(at);
            let g = off(&trial);
            if g >= 0.0 {
                (high, g_high, best) = (at, g, trial);
                if side == 1 {
                    g_low *= 0.5;
                }
                side = 1;
            } else {
                (low, g_low) = (at, g);
                if side == -1 {
                    g_high *= 0.5;
                }
                side = -1;
                if g > -4e-16 {
                    return trial;
                }
            }
        }
        best
    }
}

impl Law<5> for Rolling {
    fn new(block: &[f64], shift: f64, coefficients: [f64; 2]) -> Self {
        let nn = block[0] + shift;
        let inverse = if nn > 0.0 { 1.0 / nn } else { f64::INFINITY };
        let row = [1, 2, 3, 4].map(|k| block[k] * inverse);
        let column = [1, 2, 3, 4].map(|k| block[5 * k] * inverse);
        let mut schur = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                let own = if i == j { shift } else { 0.0 };
                let at = block[5 * (i + 1) + j + 1];
                schur[i][j] = at + own - block[5 * (i + 1)] * row[j];
            }
        }
        let scale = block.iter().fold(nn.abs(), |m, x| m.max(x.abs()));
        let mut symmetric = nalgebra::Matrix4::zeros();
        for i in 0..4 {
            for j in 0..4 {
                symmetric[(i, j)] = 0.5 * (schur[i][j] + schur[j][i]);
            }
        }
        let lowest = if symmetric.iter().all(|x| x.is_finite()) {
            symmetric.symmetric_eigenvalues().min()
        } else {
            0.0
        };
        let rounding = 1e-14 * scale;
        let least = if lowest > rounding {
            0.0
        } else {
            rounding - lowest
        };
        Self {
            coefficients,
            inverse,
            row,
            column,
            schur,
            least,
            scale,
            full: shifted(block, shift),
        }
    }

    fn solve(&mut self, free: [f64; 5], mut old: [f64; 5]) -> [f64; 5] {
        if free[0] >= 0.0 {
            return [0.0; 5];
        }
        if self.inverse.is_finite() {
            let n0 = -free[0] * self.inverse;
            let b = [0, 1, 2, 3].map(|k| free[k + 1] - self.column[k] * free[0]);
            let this = *self;
            let mut best = (f64::INFINITY, old);
            for outer in [1, 0] {
                let (r, _) = this.settle(outer, b, n0, &mut |x| {
                    this.settle(1 - outer, b, n0, &mut |y| {
                        this.trial(if outer == 1 { [y, x] } else { [x, y] }, b, n0)
                    })
                });
                let r = this.onto_the_rim(r);
                let left = this.left(&r, b, n0);
                if r[0] >= 0.0 && left < best.0 {
                    best = (left, r);
                }
                // Where blocks are nearly singular an α may belong to several β, and the other way round.
                if best.0 <= 1e-12 * (n0 + super::merit::norm(&best.1)) {
                    break;
                }
            }
            if best.0.is_finite() {
                let contact = Contact {
                    block: self.full,
                    coefficients: self.coefficients,
                    free,
                };
                return contact.refined(best.1);
            }
        }
        super::cone::project(&mut old, self.coefficients);
        old
    }
}

#[cfg(test)]
mod tests;
