//! The settings of quasi-static schemes.

/// Sweeps of Kishino's relaxations for each iteration that settings allow.
const SWEEPS: u64 = 100;

/// The method that finds the equilibrium of an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All contacts glued, one linear solve [004 §6.2.1].
    SerranoRodriguez,
    /// Body by body, the largest error first [004 §6.2.2].
    Kishino(Select),
    /// The stiffness of the whole assembly, again and again [004 §6.2.3].
    BagiBojtar,
}

/// The order of Kishino's relaxations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// Block by block in eight colours, in each the largest error first.
    Block,
    /// The largest error of all bodies.
    Largest,
}

/// The solver of linear systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// Conjugate gradients, or stabilised biconjugate gradients.
    Iterative,
    /// The factors of the whole matrix, on the first rank.
    Direct,
}

/// The bonds that break where several have reached their strengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaking {
    /// The one that is farthest beyond, in equilibrium; then equilibrium is sought again.
    Worst,
    /// All of them, in every iteration [004 §6.2.3].
    All,
}

/// The forces with which contacts of another scheme's state begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Those of their overlaps.
    Springs,
    /// Their own, so that a rigid packing stays as it is: each contact takes the gap at which its
    /// spring has no force from its present gap and force.
    Forces,
}

/// The end of a run that collapses: no equilibrium carries more load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The run ends in order.
    Stop,
    /// The run fails.
    Error,
}

/// The settings of quasi-static schemes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statics {
    /// The method.
    pub method: Method,
    /// Whether bodies move in the plane z = 0 only.
    pub planar: bool,
    /// Largest unbalanced force of a body, over the mean normal force.
    pub tolerance: f64,
    /// Iterations after which an increment has failed.
    pub max_iterations: u64,
    /// Largest residual of a linear system, over its right-hand side.
    pub linear_tolerance: f64,
    /// The solver of linear systems.
    pub linear: Linear,
    /// Whether the friction of a sliding contact follows its normal force in the stiffness.
    pub coulomb: bool,
    /// Whether the stiffness has a geometric part: normal forces turn with the lines of centres.
    pub geometric: bool,
    /// A constant ρ [N/m]; `None`: by the size of the displacements.
    pub resistance: Option<f64>,
    /// Largest displacement of a body that is held, in its radii, beyond that of the walls.
    pub jump: f64,
    /// The bonds that break.
    pub breaking: Breaking,
    /// The forces of contacts of another scheme's state.
    pub start: Start,
    /// The end of a run that collapses.
    pub then: Then,
}

impl Method {
    /// Whether an increment may be cut into parts: the linear method begins each without forces.
    #[must_use]
    pub fn may_halve(self) -> bool {
        self != Self::SerranoRodriguez
    }

    /// The method with a name of [`NAMES`](crate::scheme::NAMES); `None`: not a quasi-static one.
    #[must_use]
    pub const fn named(name: &str) -> Option<Self> {
        match name.as_bytes() {
            b"serrano_rodriguez" => Some(Self::SerranoRodriguez),
            b"kishino" => Some(Self::Kishino(Select::Block)),
            b"bagi_bojtar" => Some(Self::BagiBojtar),
            _ => None,
        }
    }
}

impl Default for Statics {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Statics {
    /// The iterations of an increment: solves, or sweeps of relaxations, which count in hundreds.
    #[must_use]
    pub const fn iterations(&self) -> u64 {
        match self.method {
            Method::Kishino(_) => SWEEPS.saturating_mul(self.max_iterations),
            Method::SerranoRodriguez | Method::BagiBojtar => self.max_iterations,
        }
    }

    /// The settings of a run whose configuration sets none.
    pub const DEFAULT: Self = Self {
        method: Method::BagiBojtar,
        planar: false,
        tolerance: 1e-4,
        max_iterations: 60,
        linear_tolerance: 1e-2,
        linear: Linear::Iterative,
        coulomb: true,
        geometric: false,
        resistance: None,
        jump: 0.05,
        breaking: Breaking::Worst,
        start: Start::Springs,
        then: Then::Stop,
    };
}
