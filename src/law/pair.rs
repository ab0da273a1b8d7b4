//! The coefficients that hold between two materials, and how they are mixed from those of each against itself.

/// The coefficients of a contact between two materials. [`Pair::RIGID`] has none of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Coefficient of friction μ, of contacts that did not slide in the step before.
    pub friction: f64,
    /// Coefficient of friction of contacts that slid in the step before.
    pub sliding_friction: f64,
    /// Rolling friction μ_t [001 eq. 1.40].
    pub rolling: Arm,
    /// Torsion friction μ_n [001 eq. 1.40].
    pub torsion: Arm,
    /// Cohesion force F_C [N].
    pub cohesion: f64,
    /// Range of the cohesion d_C [m].
    pub cohesion_range: f64,
    /// Coefficient of normal restitution.
    pub restitution: f64,
    /// Coefficient of tangential restitution.
    pub tangential_restitution: f64,
    /// Compliance of the contact [m/N] that does not depend on radii; 0: rigid.
    pub compliance: f64,
    /// Inverse of Young's modulus of the first and the second material [1/Pa]; 0: rigid. Each adds `1/(2 E r)` to the
    /// compliance, r being its body's radius, and for a wall that of the other body.
    pub inverse_young: [f64; 2],
    /// Tangential stiffness as a fraction of the normal one, `k_t/k_n`.
    pub tangential_ratio: f64,
}

/// The length by which a force limits a couple.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arm {
    /// So many metres.
    Length(f64),
    /// So many reduced radii `r* = r_1 r_2/(r_1 + r_2)` [001 eq. 1.41]; of a body and a wall: radii of the body.
    Reduced(f64),
}

impl Arm {
    /// No couple.
    pub const NONE: Arm = Arm::Length(0.0);

    /// The length [m] for bodies with this reduced radius [m].
    #[must_use]
    pub fn length(self, reduced_radius: f64) -> f64 {
        match self {
            Self::Length(length) => length,
            Self::Reduced(ratio) => ratio * reduced_radius,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self, Self::Length(x) | Self::Reduced(x) if x == 0.0)
    }
}

impl Pair {
    /// A rigid, frictionless contact without cohesion or restitution.
    pub const RIGID: Pair = Pair {
        friction: 0.0,
        sliding_friction: 0.0,
        rolling: Arm::NONE,
        torsion: Arm::NONE,
        cohesion: 0.0,
        cohesion_range: 0.0,
        restitution: 0.0,
        tangential_restitution: 0.0,
        compliance: 0.0,
        inverse_young: [0.0; 2],
        tangential_ratio: 1.0,
    };

    /// A rigid contact with Coulomb's friction and nothing else.
    #[must_use]
    pub const fn coulomb(friction: f64) -> Pair {
        Pair {
            friction,
            sliding_friction: friction,
            ..Pair::RIGID
        }
    }

    /// Compliance of the contact of bodies with these radii [m], as `C = 1/k_n` [m/N]; 0: rigid.
    #[must_use]
    pub fn compliance(&self, radii: [f64; 2]) -> f64 {
        let [a, b] = [0, 1].map(|side| self.inverse_young[side] / (2.0 * radii[side]));
        self.compliance + (a + b)
    }

    /// Whether Coulomb's law is all there is to it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Pair::coulomb(self.friction)
            || (*self
                == Pair {
                    tangential_ratio: self.tangential_ratio,
                    ..Pair::coulomb(self.friction)
                })
    }

    /// Whether there is nothing but Coulomb's law and springs.
    #[must_use]
    #[inline]
    pub fn has_springs_at_most(&self) -> bool {
        let none = |arm: &Arm| *arm == Arm::NONE;
        self.cohesion == 0.0
            && self.restitution == 0.0
            && self.tangential_restitution == 0.0
            && none(&self.rolling)
            && none(&self.torsion)
    }

    /// The same contact seen from the other side.
    #[must_use]
    pub fn swapped(self) -> Pair {
        let [a, b] = self.inverse_young;
        Pair {
            inverse_young: [b, a],
            ..self
        }
    }
}

/// The coefficients between any two of the materials, by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable {
    materials: usize,
    pairs: Vec<Pair>,
    /// Of each [`Pair::has_springs_at_most`], which every contact asks in every step.
    simple: Vec<bool>,
}

impl PairTable {
    /// The table of `materials` materials, filled by `pair`, which is asked once for each two numbers, the smaller first.
    #[must_use]
    pub fn new(materials: usize, mut pair: impl FnMut(u32, u32) -> Pair) -> Self {
        let mut pairs = vec![Pair::RIGID; materials * materials];
        for a in 0..materials {
            for b in a..materials {
                let between = pair(a as u32, b as u32);
                pairs[b * materials + a] = between.swapped();
                pairs[a * materials + b] = between;
            }
        }
        Self {
            materials,
            simple: pairs.iter().map(Pair::has_springs_at_most).collect(),
            pairs,
        }
    }

    /// The table of materials that have nothing but Coulomb's friction, from each one's coefficient against itself: mixed by
    /// the geometric mean `√(μ_a μ_b)`, so that a smooth wall (μ = 0) is smooth for all.
    #[must_use]
    pub fn of_friction(own: &[f64]) -> Self {
        Self::new(own.len(), |a, b| {
            Pair::coulomb((own[a as usize] * own[b as usize]).sqrt())
        })
    }

    /// The coefficients between two materials, seen from the first.
    #[must_use]
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> &Pair {
        &self.pairs[a as usize * self.materials + b as usize]
    }

    /// [`Pair::has_springs_at_most`] of two materials.
    #[must_use]
    #[inline]
    pub fn springs_at_most(&self, a: u32, b: u32) -> bool {
        self.simple[a as usize * self.materials + b as usize]
    }

    /// All pairs.
    pub fn all(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter()
    }

    /// The longest range of cohesion [m].
    #[must_use]
    pub fn longest_range(&self) -> f64 {
        let ranges = self.all().filter(|p| p.cohesion > 0.0);
        ranges.map(|p| p.cohesion_range).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_of_a_pair_is_the_geometric_mean() {
        let table = PairTable::of_friction(&[0.5, 0.0, 0.32]);
        let friction = |a, b| table.between(a, b).friction;
        assert_eq!(friction(0, 0), 0.5);
        assert_eq!(friction(0, 1), 0.0);
        assert!((friction(0, 2) - 0.4).abs() < 1e-15);
        assert_eq!(friction(0, 2), friction(2, 0));
    }

    /// Validation 0.5: r* = r/2 for equal spheres; the length of a ratio is that of r*.
    #[test]
    fn arms_are_lengths_or_reduced_radii() {
        assert_eq!(Arm::Reduced(0.1).length(0.5), 0.05);
        assert_eq!(Arm::Length(0.1).length(0.5), 0.1);
        assert!(Arm::NONE.is_none() && Arm::Reduced(0.0).is_none() && !Arm::Length(1e-9).is_none());
    }

    #[test]
    fn compliances_add_up_from_both_sides_and_turn_with_them() {
        let table = PairTable::new(2, |a, b| Pair {
            compliance: 1e-6,
            inverse_young: [f64::from(a), f64::from(b)],
            ..Pair::RIGID
        });
        let ab = table.between(0, 1).compliance([0.5, 0.25]);
        assert_eq!(ab, 1e-6 + 2.0);
        assert_eq!(table.between(1, 0).compliance([0.25, 0.5]), ab);
        assert_eq!(table.longest_range(), 0.0);
        assert!(Pair::coulomb(0.3).is_plain() && !table.between(0, 0).is_plain());
    }
}
