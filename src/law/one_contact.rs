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
mod rolling;
mod spatial;

pub use flat::{Line, Normal};
pub use rolling::Rolling;
pub use spatial::{Plane, impulse};

/// The law of one contact of dimension D.
pub trait Law<const D: usize> {
    /// From the block A (row by row) with `shift` added to its diagonal, and `[μ, μ_r]`.
    fn new(block: &[f64], shift: f64, coefficients: [f64; 2]) -> Self;

    /// r for the given f; `old` is what is kept, brought into the cone, where A allows no answer (A_NN = 0 and f_N < 0).
    fn solve(&mut self, free: [f64; D], old: [f64; D]) -> [f64; D];
}

/// Newton steps and halvings of a bracket that are enough for all digits of a number.
const STEPS: usize = 200;

/// A block by rows, with `shift` added to its diagonal.
fn shifted<const D: usize>(block: &[f64], shift: f64) -> [[f64; D]; D] {
    let own = |k: usize, l: usize| if k == l { shift } else { 0.0 };
    std::array::from_fn(|k| std::array::from_fn(|l| block[D * k + l] + own(k, l)))
}

#[cfg(test)]
mod tests;
