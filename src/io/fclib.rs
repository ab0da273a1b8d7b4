//! Files of FCLib, the public collection of frictional contact problems, and its HDF5 format.
//!
//! One file holds one problem: a local one, `u = W r + V l + q` with `Vᵀ r + R l + s = 0`, or a global one, `M v = H r + G l + f`,
//! `u = Hᵀ v + w`, `Gᵀ v + b = 0`; with rolling friction or without. What the fields are, and where real files go other ways than
//! the format's header says, is in `docs/fclib.md`. Source: V. Acary, M. Brémond, T. Koziara, F. Pérignon, *FCLIB: a collection of
//! discrete 3D frictional contact problems*, INRIA technical report RT-444 (2014).

mod matrix;
mod read;
mod write;

pub use matrix::{Form, Matrix, Sparse};
pub use read::read;
pub use write::{must_be_new, write_problem, write_solution};

/// What kind of problem a file holds; each has a root group of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `fclib_local`.
    Local,
    /// `fclib_global`.
    Global,
    /// `fclib_local_rolling`: not FCLib's own, laid out as the others are.
    LocalRolling,
    /// `fclib_global_rolling`.
    GlobalRolling,
}

impl Kind {
    /// All of them.
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

    /// The name without what all have in common.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.root().trim_start_matches("fclib_")
    }

    /// Whether there are couples.
    #[must_use]
    pub fn is_rolling(self) -> bool {
        matches!(self, Self::LocalRolling | Self::GlobalRolling)
    }

    /// Whether bodies are in it.
    #[must_use]
    pub fn is_global(self) -> bool {
        matches!(self, Self::Global | Self::GlobalRolling)
    }
}

/// What a file holds, checked: sizes fit each other, all numbers are finite, coefficients are not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// What kind of problem.
    pub kind: Kind,
    /// Numbers of a contact: 2 (N, T), 3 (N, T1, T2) or, with couples, 5 (N, T1, T2, M1, M2) or 3 (N, T, M).
    pub dimension: usize,
    /// The linear part.
    pub equations: Equations,
    /// μ, one of each contact.
    pub friction: Vec<f64>,
    /// μ_r [m] of each contact where there are couples, else none.
    pub rolling: Vec<f64>,
    /// Title, description and the like, with their names, as far as the file has them.
    pub words: Vec<(String, String)>,
    /// The group `solution`, if it is there.
    pub solution: Option<Answer>,
    /// The guesses, in their order.
    pub guesses: Vec<Answer>,
}

/// What binds impulses and velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum Equations {
    /// `u = W r + V l + q`, `Vᵀ r + R l + s = 0`.
    Local {
        /// W [1/kg].
        w: Matrix,
        /// q [m/s].
        q: Vec<f64>,
        /// V, R and s, where bodies are tied to each other.
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
        /// G and b, where bodies are tied to each other.
        ties: Option<(Matrix, Vec<f64>)>,
    },
}

/// A solution, or a guess of one. Nothing is known of its lengths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Velocities at the contacts [m/s].
    pub u: Vec<f64>,
    /// Impulses [N s].
    pub r: Vec<f64>,
    /// Velocities of bodies [m/s], of global problems.
    pub v: Vec<f64>,
    /// Impulses of ties [N s].
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

/// Why a file could not be read or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The file, the dataset, what is wrong and what is accepted.
    #[error("{0}")]
    Read(String),
    /// The file, and what is in the way.
    #[error("{0}")]
    Write(String),
}
