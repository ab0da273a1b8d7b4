//! The books of a run: its energies, and the bodies that come and go.

/// What has become of the energy since step 0 [J]. With the bodies' kinetic and potential energy `T`, `U` (free bodies only) it
/// closes in every step:
///
/// `Δ(T + U) = driven + entered + projected − integrator − (normal + cohesion + friction + rolling + torsion)`,
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
    /// Brought in by walls, by bodies that are not free, and by the forces of regions.
    pub driven: f64,
    /// Lost to the integrator, as positions move with the velocities of the end of each step.
    pub integrator: f64,
    /// Potential energy brought in by the projection of positions.
    pub projected: f64,
    /// In the springs of compliant contacts now: a state, not a flow.
    pub elastic: f64,
    /// Kinetic and potential energy of bodies that came in or were let go, less that of those that were deleted, went out or are held.
    pub entered: f64,
}

impl Ledger {
    /// The names of all entries, in order.
    pub const NAMES: [&'static str; 11] = [
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
        "entered",
    ];

    /// All entries in the order of their names.
    #[must_use]
    pub fn to_array(&self) -> [f64; 11] {
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
            self.entered,
        ]
    }

    /// The same back.
    #[must_use]
    pub fn from_array(of: [f64; 11]) -> Self {
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
            entered,
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
            entered,
        }
    }
}

/// What has come in by an inlet, or gone out by an outlet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Bodies.
    pub bodies: u64,
    /// Their mass [kg].
    pub mass: f64,
    /// Of an inlet: bodies that were due when it was last looked for some and found no place.
    pub waiting: u64,
}

impl Flow {
    /// One body more.
    pub fn add(&mut self, mass: f64) {
        self.bodies += 1;
        self.mass += mass;
    }
}
