//! The response of one side of a contact to an impulse.

/// The response of one side of a contact to an impulse there.
///
/// Inverse masses for the normal and the tangential part [1/kg], and the inverse moment of inertia
/// [1/(kg m²)].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Normal part.
    pub normal: f64,
    /// Tangential part.
    pub tangential: f64,
    /// Rotation.
    pub turning: f64,
}

impl Reaction {
    /// The response of a body.
    #[must_use]
    pub fn of((mass, turning): (f64, f64)) -> Self {
        Self {
            normal: mass,
            tangential: mass,
            turning,
        }
    }

    /// The response of one of so many equal parts.
    #[must_use]
    pub fn times(&self, parts: f64) -> Self {
        Self {
            normal: self.normal * parts,
            tangential: self.tangential * parts,
            turning: self.turning * parts,
        }
    }

    /// Both responses together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            normal: self.normal + other.normal,
            tangential: self.tangential + other.tangential,
            turning: self.turning + other.turning,
        }
    }
}
