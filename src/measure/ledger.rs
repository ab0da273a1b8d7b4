//! The energy ledger of a run, and the bodies that come and go.

use bytemuck::{Pod, Zeroable};

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
/// The energy that contacts took is `dissipated + elastic − prestress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
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
    /// Brought in by springs of new joints and of contacts that begin compressed.
    ///
    /// The energy of springs that a joint replaces is subtracted. Contacts begin compressed where
    /// bodies overlap at the start, or when they are released.
    pub prestress: f64,
}

impl Ledger {
    /// The names of all entries, in the order of the fields.
    pub const NAMES: [&'static str; 13] = [
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
        "prestress",
    ];

    /// All entries in the order of their names.
    #[must_use]
    pub fn to_array(&self) -> [f64; Self::NAMES.len()] {
        bytemuck::cast(*self)
    }

    /// The ledger of these entries, in the order of their names.
    #[must_use]
    pub fn from_array(of: [f64; Self::NAMES.len()]) -> Self {
        bytemuck::cast(of)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A field in another place than its name would mix up energies in checkpoints.
    #[test]
    fn names_are_in_the_order_of_the_fields() {
        let mut of = [0.0; Ledger::NAMES.len()];
        (0..)
            .zip(&mut of)
            .for_each(|(k, value)| *value = f64::from(k));
        let shown = format!("{:?}", Ledger::from_array(of));
        let expected = Ledger::NAMES.iter().enumerate();
        let expected: Vec<String> = expected.map(|(k, name)| format!("{name}: {k}.0")).collect();
        assert_eq!(shown, format!("Ledger {{ {} }}", expected.join(", ")));
        assert_eq!(Ledger::from_array(of).to_array(), of);
    }
}
