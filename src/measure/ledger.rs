//! The energy ledger of a run, and the bodies that come and go.

/// The energy ledger since step 0 [J].
///
/// With the bodies' kinetic and potential energy `T`, `U` (free bodies only) it closes in every
/// step:
///
/// ```text
/// Δ(T + U) = driven + entered + projected − integrator
///          − (normal + cohesion + friction + rolling + torsion)
/// ```
///
/// The energy that contacts took is `dissipated + elastic`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Dissipated at contacts: taken from the motion of bodies, and not in springs.
    pub dissipated: f64,
    /// Taken by normal impulses in compression.
    pub normal: f64,
    /// Taken by normal impulses in tension.
    pub cohesion: f64,
    /// Taken by friction.
    pub friction: f64,
    /// Taken by rolling friction.
    pub rolling: f64,
    /// Taken by torsion friction.
    pub torsion: f64,
    /// Added by walls, by bodies that are not free, and by the forces of regions.
    pub driven: f64,
    /// Lost to the integrator, as positions move with the velocities at the end of each step.
    pub integrator: f64,
    /// Potential energy added by the projection of positions.
    pub projected: f64,
    /// In the springs of compliant contacts now: a state, not a flow.
    pub elastic: f64,
    /// Energy of bodies that came in or were released, less that of bodies that left or are held.
    ///
    /// It is kinetic and potential. Deleted bodies count as bodies that left.
    pub entered: f64,
    /// In the springs of joints when they broke: lost, a share of the energy that contacts took.
    pub fracture: f64,
}

impl Ledger {
    /// The names of all entries, in order.
    pub const NAMES: [&'static str; 12] = [
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
        "fracture",
    ];

    /// All entries in the order of their names.
    #[must_use]
    pub fn to_array(&self) -> [f64; 12] {
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
            self.fracture,
        ]
    }

    /// The ledger of these entries, in the order of their names.
    #[must_use]
    pub fn from_array(of: [f64; 12]) -> Self {
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
            fracture,
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
            fracture,
        }
    }
}

/// The bodies that came in by an inlet, or went out by an outlet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Bodies.
    pub bodies: u64,
    /// Their mass [kg].
    pub mass: f64,
    /// For an inlet: bodies that were due at the last insertion and found no place.
    pub waiting: u64,
}

impl Flow {
    /// Adds one body.
    pub fn add(&mut self, mass: f64) {
        self.bodies += 1;
        self.mass += mass;
    }
}
