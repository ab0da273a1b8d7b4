//! Files of FCLib, the public collection of frictional contact problems, and its HDF5 format.
//!
//! One file holds one problem, with rolling friction or without: a local one, `u = W r + V l + q`
//! with `Vᵀ r + R l + s = 0`, or a global one, `M v = H r + G l + f`, `u = Hᵀ v + w`,
//! `Gᵀ v + b = 0`. `docs/fclib.md` describes the fields, and where real files deviate from the
//! format's header. Source: V. Acary, M. Brémond, T. Koziara, F. Pérignon, *FCLIB: a collection of
//! discrete 3D frictional contact problems*, INRIA technical report RT-444 (2014).

mod matrix;
mod read;
mod write;

pub use matrix::{Form, Matrix, Sparse};
pub use read::read;
pub use write::{must_be_new, write_problem, write_solution};

/// The kind of the problem in a file; each has its own root group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `fclib_local`.
    Local,
    /// `fclib_global`.
    Global,
    /// `fclib_local_rolling`: not part of FCLib, laid out like the others.
    LocalRolling,
    /// `fclib_global_rolling`.
    GlobalRolling,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [
        Kind::Local,
        Kind::Global,
        Kind::LocalRolling,
        Kind::GlobalRolling,
    ];

    /// Name of the root group.
    #[must_use]
    pub fn root(self) -> &'static str {
        match self {
            Self::Local => "fclib_local",
            Self::Global => "fclib_global",
            Self::LocalRolling => "fclib_local_rolling",
            Self::GlobalRolling => "fclib_global_rolling",
        }
    }

    /// The name of the root group without the common prefix.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.root().trim_start_matches("fclib_")
    }

    /// Whether its contacts carry couples.
    #[must_use]
    pub fn is_rolling(self) -> bool {
        matches!(self, Self::LocalRolling | Self::GlobalRolling)
    }

    /// Whether its unknowns include the velocities of bodies.
    #[must_use]
    pub fn is_global(self) -> bool {
        matches!(self, Self::Global | Self::GlobalRolling)
    }
}

/// The checked content of a file.
///
/// Sizes are consistent, all numbers are finite, coefficients are not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// The kind of the problem.
    pub kind: Kind,
    /// Components per contact: 2 (N, T), 3 (N, T1, T2) or, with couples, 5 (N, T1, T2, M1, M2) or 3
    /// (N, T, M).
    pub dimension: usize,
    /// The linear equations.
    pub equations: Equations,
    /// μ of each contact.
    pub friction: Vec<f64>,
    /// μ_r [m] of each contact in problems with couples, else empty.
    pub rolling: Vec<f64>,
    /// The texts of the file, each with its name: title, description, information on the
    /// mathematics.
    pub words: Vec<(String, String)>,
    /// The group `solution`, if the file has it.
    pub solution: Option<Answer>,
    /// The guesses, in order.
    pub guesses: Vec<Answer>,
}

/// The linear equations between impulses and velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum Equations {
    /// `u = W r + V l + q`, `Vᵀ r + R l + s = 0`.
    Local {
        /// W [1/kg].
        w: Matrix,
        /// q [m/s].
        q: Vec<f64>,
        /// V, R and s, where bodies are joined by bilateral constraints.
        ties: Option<(Matrix, Matrix, Vec<f64>)>,
    },
    /// `M v = H r + G l + f`, `u = Hᵀ v + w`, `Gᵀ v + b = 0`.
    Global {
        /// M [kg].
        m: Matrix,
        /// H.
        h: Matrix,
        /// f [N s].
        f: Vec<f64>,
        /// w [m/s].
        w: Vec<f64>,
        /// G and b, where bodies are joined by bilateral constraints.
        ties: Option<(Matrix, Vec<f64>)>,
    },
}

/// A solution, or a guess of one. Its vectors may have any lengths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Velocities at the contacts [m/s].
    pub u: Vec<f64>,
    /// Impulses at the contacts [N s].
    pub r: Vec<f64>,
    /// Velocities of bodies [m/s], in global problems.
    pub v: Vec<f64>,
    /// Impulses of bilateral constraints [N s].
    pub l: Vec<f64>,
}

impl Content {
    /// Number of contacts.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// All matrices with their names.
    #[must_use]
    pub fn matrices(&self) -> Vec<(&'static str, &Matrix)> {
        match &self.equations {
            Equations::Local { w, ties, .. } => {
                let ties = ties.iter().flat_map(|(v, r, _)| [("V", v), ("R", r)]);
                [("W", w)].into_iter().chain(ties).collect()
            }
            Equations::Global { m, h, ties, .. } => {
                let ties = ties.iter().map(|(g, _)| ("G", g));
                [("M", m), ("H", h)].into_iter().chain(ties).collect()
            }
        }
    }
}

/// A failure to read or write a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The file, the dataset, the fault, and the accepted values.
    #[error("{0}")]
    Read(String),
    /// The file, and the obstacle.
    #[error("{0}")]
    Write(String),
}
