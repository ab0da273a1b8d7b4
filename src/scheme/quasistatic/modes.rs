//! The softest modes of an assembly about its present contacts, all of which stick.
//!
//! A motion `u cos ωt` about rest solves `K̂ u = ω² M u`. In the unknowns u and `s = r φ` the mass
//! matrix M is diagonal: m, and `I/r²`. Walls stand still, and a body that nothing holds takes no
//! part. All eigenvalues `λ = ω²` are those of the dense matrix `M^-½ K̂ M^-½`.

use super::assembly::Assembly;
use super::direct::Numbered;
use super::stiffness::Stiffness;
use super::unknowns::shift;
use crate::body::BodyId;
use crate::math::{Vector3, nan_max};
use faer::{Mat, Side};

/// Largest number of unknowns: the dense matrix has 72 MB then, and its work grows as their cube.
const UNKNOWNS: usize = 3000;

/// An eigenvalue over the largest one that rounding may leave of zero, over the root of the number
/// of unknowns.
const ZERO: f64 = 64.0 * f64::EPSILON;

/// The softest modes of an assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modes {
    /// The modes that strain contacts, the softest first.
    pub softest: Vec<Mode>,
    /// Independent motions that strain nothing, to `64 ε √n` of the largest ω² of n unknowns.
    pub zero: usize,
    /// Free bodies that no contact and no support holds.
    pub rattlers: usize,
    /// Unknowns of all other bodies.
    pub unknowns: usize,
}

/// A mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The eigenvalue `λ = ω²` [1/s²].
    pub eigenvalue: f64,
    /// Displacement [m] and rotation [rad] of each body that takes part, `uᵀ M u = 1 kg m²`.
    pub shape: Vec<(BodyId, [Vector3; 2])>,
}

impl Mode {
    /// The angular frequency ω [rad/s].
    #[must_use]
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.sqrt()
    }
}

/// The modes cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoModes {
    /// The matrix is too large.
    #[error("the bodies with contacts must have at most {UNKNOWNS} unknowns for modes; found {0}")]
    TooMany(usize),
    /// A number is not finite, or the eigenvalues are not found.
    #[error("the eigenvalues of the stiffness must be finite; found none")]
    NotFound,
}

/// The softest modes of an assembly in which all contacts stick. One rank only.
///
/// # Errors
/// If there are too many unknowns.
pub(super) fn modes(assembly: &mut Assembly, count: usize) -> Result<Modes, NoModes> {
    // Walls stand still, and no couple is at its limit.
    assembly.frees.clear();
    assembly.edges.clear();
    assembly
        .network
        .change(|link| link.carried.tried = Vector3::zeros());
    let network = &assembly.network;
    let held = |k: usize| {
        let mut sides = network.sides(k).iter();
        let supported = assembly.supports.hold(network.body(k));
        supported || sides.any(|side| network.link(side.link()).acts())
    };
    let free = (0..network.own.len()).filter(|&k| network.body(k).is_free());
    let (taking, rattlers): (Vec<usize>, Vec<usize>) = free.partition(|&k| held(k));
    let stiffness = Stiffness::new(assembly, false, 0.0);
    let numbered = Numbered::new(&stiffness);
    let kept = numbered.kept;
    let n = kept.len() * taking.len();
    if n > UNKNOWNS {
        return Err(NoModes::TooMany(n));
    }
    if n == 0 {
        return Ok(Modes {
            rattlers: rattlers.len(),
            ..Modes::default()
        });
    }
    // The place of each unknown of the whole matrix, and the roots of the masses.
    let mut places = vec![None; numbered.size];
    let mut roots = Vec::with_capacity(n);
    for &k in &taking {
        let row = network.body(k);
        let Some(first) = numbered.own[k] else {
            continue;
        };
        for (i, &unknown) in kept.iter().enumerate() {
            places[first + i] = Some(roots.len());
            let turning = row.inertia / (row.radius * row.radius);
            let mass = if unknown < 3 { row.mass } else { turning };
            roots.push(mass.sqrt());
        }
    }
    let mut matrix = Mat::<f64>::zeros(n, n);
    for (i, j, x) in numbered.entries(&stiffness) {
        if let (Some(i), Some(j)) = (places[i], places[j]) {
            let scaled = x / (roots[i] * roots[j]);
            // Both halves of the matrix, which rounding makes differ.
            matrix[(i, j)] += 0.5 * scaled;
            matrix[(j, i)] += 0.5 * scaled;
        }
    }
    let mut numbers = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    if !numbers.all(|at| matrix[at].is_finite()) {
        return Err(NoModes::NotFound);
    }
    let found = matrix.self_adjoint_eigen(Side::Lower);
    let found = found.map_err(|_| NoModes::NotFound)?;
    let values: Vec<f64> = found.S().column_vector().iter().copied().collect();
    let largest = values.iter().fold(0.0, |most, x| nan_max(most, x.abs()));
    if !largest.is_finite() {
        return Err(NoModes::NotFound);
    }
    let least = ZERO * (n as f64).sqrt() * largest;
    let zero = values.iter().filter(|x| **x <= least).count();
    let shape = |column: usize| {
        let vector = found.U().col(column);
        let each = taking.iter().enumerate().map(|(place, &k)| {
            let row = network.body(k);
            let mut unknowns = [0.0; 6];
            for (i, &unknown) in kept.iter().enumerate() {
                let at = kept.len() * place + i;
                unknowns[unknown] = vector[at] / roots[at];
            }
            let of = shift(&unknowns, row.radius);
            (row.id, [of.way, of.turn])
        });
        each.collect()
    };
    let softest = (zero..n).take(count).map(|column| Mode {
        eigenvalue: values[column],
        shape: shape(column),
    });
    Ok(Modes {
        softest: softest.collect(),
        zero,
        rattlers: rattlers.len(),
        unknowns: n,
    })
}
