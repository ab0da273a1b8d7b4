//! A contact that acts on a wall, or a large body, after the sweep.

/// A contact with a wall that moves by Newton's law, or with a large body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Slot of the contact.
    pub slot: u32,
    /// Index among these walls and bodies.
    pub on: u32,
    /// Whether it is the contact's first side, which takes the opposite of its impulse.
    pub first: bool,
    /// Inverse mass of the part of a wall that the contact has, along the normal [1/kg].
    pub inverse_mass: f64,
}

impl Push {
    /// The factor of the contact's impulse: −1 for its first side, 1 for its second.
    #[must_use]
    pub fn sign(&self) -> f64 {
        if self.first { -1.0 } else { 1.0 }
    }
}
