//! The law of one contact with a full block A: finds r with `u = A r + f`, `K* ∋ û ⟂ r ∈ K`.
//!
//! All other impulses enter through f. If f_N ≥ 0, r = 0: the contact opens. Otherwise u_N = 0,
//! which expresses r_N by r_T; with the Schur complement S of A_NN, `u_T = S r_T + b`. A contact
//! that slides has `u_T = −α r_T`, α ≥ 0, so `r_T(α) = −(S + α I)⁻¹ b`. One equation in α remains,
//! `μ r_N(α) = |r_T(α)|`; α = 0 means that the contact sticks. For a positive definite A, symmetric
//! or not, the left side exceeds the right one for large α. So if the contact cannot stick, a
//! solution α exists and can be bracketed. `μ r_N/|r_T|` is nearly linear in α, so Newton's method,
//! kept inside the bracket, converges in a few steps.
//!
//! With rolling friction there are two such multipliers, α and β; one is solved for inside the
//! other.

mod flat;
mod refine;
mod rolling;
mod spatial;

pub use flat::{Line, Normal};
pub use rolling::Rolling;
pub use spatial::{Plane, impulse};

/// The law of one contact with D numbers.
pub trait Law<const D: usize> {
    /// Prepares the block A (row by row) with `shift` added to its diagonal, and `[μ, μ_r]`.
    fn new(block: &[f64], shift: f64, coefficients: [f64; 2]) -> Self;

    /// The impulse r for the given f.
    ///
    /// Where A allows no solution (A_NN = 0 and f_N < 0), the result is `old`, projected on the
    /// cone.
    fn solve(&mut self, free: [f64; D], old: [f64; D]) -> [f64; D];
}

/// Newton steps and bisections that suffice for full precision.
const STEPS: usize = 200;

/// A block by rows, with `shift` added to its diagonal.
fn shifted<const D: usize>(block: &[f64], shift: f64) -> [[f64; D]; D] {
    let own = |k: usize, l: usize| if k == l { shift } else { 0.0 };
    std::array::from_fn(|k| std::array::from_fn(|l| block[D * k + l] + own(k, l)))
}

#[cfg(test)]
mod tests;
