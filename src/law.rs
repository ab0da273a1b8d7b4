//! What happens at one contact: pure functions of its geometry, masses and parameters, the impulse it has and the relative
//! velocity it sees. A law knows no body, no list, no rank.

pub mod coulomb;

/// What the law did at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Status {
    /// No impulse.
    #[default]
    Open = 0,
    /// Impulse inside Coulomb's cone, no relative tangential velocity.
    Sticking = 1,
    /// Impulse on Coulomb's cone.
    Sliding = 2,
}

/// Coefficients of friction between materials.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionTable(Vec<f64>);

impl FrictionTable {
    /// The table of materials that have these coefficients against themselves, by number of the material.
    #[must_use]
    pub fn new(own: Vec<f64>) -> Self {
        Self(own)
    }

    /// The coefficient between two materials: the geometric mean `√(μ_a μ_b)` of their own, so that a smooth wall (μ = 0)
    /// is smooth for all.
    #[must_use]
    pub fn between(&self, a: u32, b: u32) -> f64 {
        (self.0[a as usize] * self.0[b as usize]).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_of_a_pair_is_the_geometric_mean() {
        let table = FrictionTable::new(vec![0.5, 0.0, 0.32]);
        assert_eq!(table.between(0, 0), 0.5);
        assert_eq!(table.between(0, 1), 0.0);
        assert!((table.between(0, 2) - 0.4).abs() < 1e-15);
        assert_eq!(table.between(0, 2), table.between(2, 0));
    }
}
