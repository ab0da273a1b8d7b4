//! The answer of a side of a contact to an impulse.

/// How a side of a contact answers to an impulse there: inverse masses for the normal and the tangential part [1/kg], and the
/// inverse moment of inertia [1/(kg m²)].
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
    /// That of a body.
    #[must_use]
    pub fn of((mass, turning): (f64, f64)) -> Self {
        Self {
            normal: mass,
            tangential: mass,
            turning,
        }
    }
}
