//! The ledger of a run's energies.

/// What has become of the energy since step 0 [J]. With the bodies' kinetic and potential energy `T`, `U` (free bodies only) it
/// closes in every step:
///
/// `Δ(T + U) = driven + projected − integrator − (normal + cohesion + friction + rolling + torsion)`,
///
/// and what contacts took out is `dissipated + elastic`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Dissipated at contacts: taken out of the bodies' motion, and not in springs.
    pub dissipated: f64,
    /// Taken out by normal impulses that push.
    pub normal: f64,
    /// Taken out by normal impulses that pull.
    pub cohesion: f64,
    /// Taken out by friction.
    pub friction: f64,
    /// Taken out by rolling friction.
    pub rolling: f64,
    /// Taken out by torsion friction.
    pub torsion: f64,
    /// Brought in by walls, and by bodies that are not free.
    pub driven: f64,
    /// Lost to the integrator, as positions move with the velocities of the end of each step.
    pub integrator: f64,
    /// Potential energy brought in by the projection of positions.
    pub projected: f64,
    /// In the springs of compliant contacts now: a state, not a flow.
    pub elastic: f64,
}

impl Ledger {
    /// The names of all entries, in order.
    pub const NAMES: [&'static str; 10] = [
        "dissipated",
        "normal",
        "cohesion",
        "friction",
        "rolling",
        "torsion",
        "driven",
        "integrator",
        "projected",
        "elastic",
    ];

    /// All entries in the order of their names.
    #[must_use]
    pub fn to_array(&self) -> [f64; 10] {
        [
            self.dissipated,
            self.normal,
            self.cohesion,
            self.friction,
            self.rolling,
            self.torsion,
            self.driven,
            self.integrator,
            self.projected,
            self.elastic,
        ]
    }

    /// The same back.
    #[must_use]
    pub fn from_array(of: [f64; 10]) -> Self {
        let [
            dissipated,
            normal,
            cohesion,
            friction,
            rolling,
            torsion,
            driven,
            integrator,
            projected,
            elastic,
        ] = of;
        Self {
            dissipated,
            normal,
            cohesion,
            friction,
            rolling,
            torsion,
            driven,
            integrator,
            projected,
            elastic,
        }
    }
}
