//! The coefficients of contacts between two materials, and their mixing from those of each
//! material.

use super::damper::Damping;
use super::hertz::Elasticity;

/// The coefficients of a contact between two materials. In [`Pair::RIGID`] all of them are zero.
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
    /// Coefficient of normal restitution; with springs the measure of a dashpot, 0: none.
    pub restitution: f64,
    /// Coefficient of tangential restitution.
    pub tangential_restitution: f64,
    /// Compliance of the contact [m/N] independent of the radii; 0: rigid.
    pub compliance: f64,
    /// Inverse of Young's modulus of the first and the second material [1/Pa]; 0: rigid.
    ///
    /// Each adds `1/(2 E r)` to the compliance, r being the radius of its body; a wall takes the
    /// radius of the other body.
    pub inverse_young: [f64; 2],
    /// Moduli of the law of Hertz and Mindlin, in place of compliances.
    pub hertz: Option<Elasticity>,
    /// Tangential stiffness as a fraction of the normal one, `k_t/k_n`.
    pub tangential_ratio: f64,
    /// Stiffness of rolling or bending [N m/rad]; 0: rigid in a time step.
    pub bending_stiffness: f64,
    /// Stiffness of torsion or twist, likewise [N m/rad].
    pub twisting_stiffness: f64,
}

/// The length of the arm by which a force bounds a couple.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arm {
    /// A length [m].
    Length(f64),
    /// A multiple of the reduced radius `r* = r_1 r_2/(r_1 + r_2)` [001 eq. 1.41]; for a body and a
    /// wall, of the body's radius.
    Reduced(f64),
}

impl Arm {
    /// The arm of a contact without couples.
    pub const NONE: Arm = Arm::Length(0.0);

    /// The arm [m] for bodies with this reduced radius [m].
    #[must_use]
    pub fn length(self, reduced_radius: f64) -> f64 {
        match self {
            Self::Length(length) => length,
            Self::Reduced(ratio) => ratio * reduced_radius,
        }
    }

    /// Whether the arm is zero.
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
        hertz: None,
        tangential_ratio: 1.0,
        bending_stiffness: 0.0,
        twisting_stiffness: 0.0,
    };

    /// A rigid contact with Coulomb friction only.
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

    /// The coefficient of friction of a contact that slid in the step before, or did not.
    #[must_use]
    #[inline(always)]
    pub fn friction_of(&self, slid: bool) -> f64 {
        if slid {
            self.sliding_friction
        } else {
            self.friction
        }
    }

    /// Whether the contact has springs.
    #[must_use]
    #[inline(always)]
    pub fn is_soft(&self) -> bool {
        self.compliance != 0.0 || self.inverse_young != [0.0; 2]
    }

    /// Whether the contact has Coulomb's law only.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Pair::coulomb(self.friction)
            || (*self
                == Pair {
                    tangential_ratio: self.tangential_ratio,
                    ..Pair::coulomb(self.friction)
                })
    }

    /// Whether the contact has Coulomb's law and springs only.
    #[must_use]
    #[inline]
    pub fn has_springs_at_most(&self) -> bool {
        let none = |arm: &Arm| *arm == Arm::NONE;
        let other = self.cohesion != 0.0 || self.bounces() || self.hertz.is_some();
        !other && none(&self.rolling) && none(&self.torsion)
    }

    /// Whether the contact has restitution.
    #[must_use]
    pub fn bounces(&self) -> bool {
        self.restitution != 0.0 || self.tangential_restitution != 0.0
    }

    /// Damping of its dashpot; `None` where it is rigid or without restitution.
    #[must_use]
    pub fn damping(&self) -> Option<Damping> {
        let soft = self.is_soft() || self.hertz.is_some();
        let damps = soft && self.restitution > 0.0;
        damps.then(|| Damping::of(self.restitution))
    }

    /// The same coefficients with the two materials exchanged.
    #[must_use]
    pub fn swapped(self) -> Pair {
        let [a, b] = self.inverse_young;
        Pair {
            inverse_young: [b, a],
            ..self
        }
    }
}

/// The coefficients of each pair of materials, by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable {
    materials: usize,
    pairs: Vec<Pair>,
    /// [`Pair::has_springs_at_most`] of each pair, which every contact needs in every step.
    simple: Vec<bool>,
    /// [`Pair::damping`] of each pair.
    damping: Vec<Option<Damping>>,
}

impl PairTable {
    /// The table of `materials` materials. `pair` gives the coefficients; it is called once per
    /// pair, the smaller number first.
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
            damping: pairs.iter().map(Pair::damping).collect(),
            pairs,
        }
    }

    /// The table of materials that have Coulomb friction only.
    ///
    /// `own` are the coefficients of each material against itself; they are mixed by the geometric
    /// mean `√(μ_a μ_b)`, so that a smooth wall (μ = 0) is smooth for all materials.
    #[must_use]
    pub fn of_friction(own: &[f64]) -> Self {
        Self::new(own.len(), |a, b| {
            Pair::coulomb((own[a as usize] * own[b as usize]).sqrt())
        })
    }

    /// The coefficients between two materials, in this order.
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

    /// [`Pair::damping`] of two materials.
    #[must_use]
    #[inline]
    pub fn damping(&self, a: u32, b: u32) -> Option<&Damping> {
        self.damping[a as usize * self.materials + b as usize].as_ref()
    }

    /// The number of two materials in the table.
    #[must_use]
    #[inline]
    pub fn number(&self, a: u32, b: u32) -> u32 {
        a * self.materials as u32 + b
    }

    /// The coefficients of two materials with this number.
    #[must_use]
    #[inline(always)]
    pub fn numbered(&self, number: u32) -> &Pair {
        &self.pairs[number as usize]
    }

    /// Whether some pair has no springs.
    #[must_use]
    pub fn any_rigid(&self) -> bool {
        self.all()
            .any(|pair| !pair.is_soft() && pair.hertz.is_none())
    }

    /// Whether some pair has restitution.
    #[must_use]
    pub fn bounce(&self) -> bool {
        self.all().any(Pair::bounces)
    }

    /// Whether the friction of some pair depends on whether it slid.
    #[must_use]
    pub fn slide(&self) -> bool {
        self.all()
            .any(|pair| pair.sliding_friction != pair.friction)
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
