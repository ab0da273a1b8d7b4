//! The strength of a bond: the share of it that forces use, and the largest forces.

use super::stiffness::{Four, Radius, Section};
use crate::law::impulse::Impulse;
use crate::math::nan_max;
use crate::math::real::{Real, Three, across, dot, length};

/// The share of its strength at which a bond breaks: 1, but for rounding.
pub const USED_UP: f64 = 1.0 - 1e-12;

/// Strengths, and the rule by which the forces of a bond reach them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// One of the four forces reaches its own strength; infinite: it does not break the bond.
    Each(Four),
    /// The sum of the four, each over its strength, reaches 1.
    Sum(Four),
    /// A stress at the edge of the section reaches its strength.
    Stress(Stress),
}

/// Strengths as stresses at the edge of a round section [Potyondy and Cundall 2004].
///
/// With the force N, positive in tension, and T across, the couples M_b and M_n, and `σ = N/A`, a
/// bond breaks if `σ + M_b R/I ≥ σ_t` or `T/A + M_n R/J ≥ c − σ tan φ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stress {
    /// Tensile strength σ_t [Pa]; infinite: tension and bending do not break the bond.
    pub tension: f64,
    /// Cohesion c [Pa]: the shear strength without normal force; infinite: shear does not break it.
    pub cohesion: f64,
    /// Tangent of the friction angle φ.
    pub friction: f64,
    /// Radius R of the section.
    pub radius: Radius,
}

impl Strength {
    /// The strength of bonds that do not break.
    pub const UNBREAKABLE: Self = Self::Each(Four {
        normal: f64::INFINITY,
        tangential: f64::INFINITY,
        bending: f64::INFINITY,
        twisting: f64::INFINITY,
    });

    /// Whether some force breaks the bond.
    #[must_use]
    pub fn breaks(&self) -> bool {
        self.limits([1.0; 2]).alone.iter().any(|x| x.is_finite())
    }

    /// The forces [N] and couples [N m] that break a bond between bodies of these radii [m].
    #[must_use]
    pub fn limits(&self, radii: [f64; 2]) -> Limits<f64> {
        let one_by_one = |four: &Four, rule| Limits {
            alone: [four.normal, four.tangential, four.bending, four.twisting],
            rule,
            added: [0.0; 2],
        };
        match self {
            Self::Each(four) => one_by_one(four, EACH),
            Self::Sum(four) => one_by_one(four, SUM),
            Self::Stress(stress) => {
                let section = Section::of(stress.radius.of(radii));
                let modulus = section.second_moment / section.radius;
                Limits {
                    alone: [
                        stress.tension * section.area,
                        stress.cohesion * section.area,
                        stress.tension * modulus,
                        2.0 * stress.cohesion * modulus,
                    ],
                    rule: STRESS,
                    added: [stress.friction, 0.25 * section.radius],
                }
            }
        }
    }
}

/// [`Limits::rule`] of [`Strength::Each`].
const EACH: f64 = 0.0;
/// [`Limits::rule`] of [`Strength::Sum`].
const SUM: f64 = 1.0;
/// [`Limits::rule`] of [`Strength::Stress`].
const STRESS: f64 = 2.0;

/// The strength of one bond, in forces or, times the length of a step, in impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits<R> {
    /// The force or couple that breaks the bond alone, in the order of [`Four`].
    pub alone: [R; 4],
    /// 0: [`Strength::Each`]; 1: [`Strength::Sum`]; 2: [`Strength::Stress`].
    pub rule: R,
    /// Growth of the limits with the normal force that presses: `tan φ` of shear, and of bending
    /// `I/(R A) = R/4` [m]. That of twist is twice their product.
    pub added: [R; 2],
}

impl Limits<f64> {
    /// The limits of impulses in a step of this length [s].
    #[must_use]
    pub fn within(&self, dt: f64) -> Self {
        Self {
            alone: self.alone.map(|limit| limit * dt),
            ..*self
        }
    }

    /// The share of the strength that an impulse uses; NaN if one is NaN. At 1 the bond breaks.
    ///
    /// A normal force that presses uses nothing. By [`Strength::Stress`] it adds to the strength,
    /// and one that pulls adds to the load: so the share is the load over the strength, and
    /// rounding does not grow with pressure.
    #[must_use]
    pub fn used(&self, n: &Three<f64>, now: &Impulse<f64>) -> f64 {
        let (r_n, about) = (dot(&now.linear, n), dot(&now.couple, n));
        let shear = length(&across(&now.linear, n, r_n));
        let bent = length(&across(&now.couple, n, about));
        let (tension, pressed) = if r_n > 0.0 { (0.0, r_n) } else { (-r_n, 0.0) };
        let forces = [tension, shear, bent, about.abs()];
        let mut shares = forces;
        for (share, limit) in shares.iter_mut().zip(self.alone) {
            *share /= limit;
        }
        if self.rule == EACH {
            return shares.into_iter().fold(0.0, nan_max);
        }
        if self.rule == SUM {
            return shares.into_iter().sum();
        }
        let [pull, slide, bend, twist] = shares;
        let friction = self.added[0] / self.alone[1];
        let tensile = (pull + bend) / (1.0 + pressed / self.alone[0]);
        let shearing = (slide + twist + friction * tension) / (1.0 + friction * pressed);
        nan_max(tensile, shearing)
    }
}

impl<R: Real> Limits<R> {
    /// The normal impulse, no larger in tension than its limit [N s].
    #[inline(always)]
    pub(super) fn pulled(&self, normal: R) -> R {
        let tension = self.alone[0];
        R::select(normal.less(-tension), -tension, normal)
    }

    /// The limits of shear, bending and twist under a normal impulse, positive where it presses.
    #[inline(always)]
    pub(super) fn under(&self, normal: R) -> [R; 3] {
        let [_, shear, bending, twisting] = self.alone;
        let [friction, arm] = self.added;
        let none = normal.splat(0.0);
        let left = |alone: R, added: R| {
            let limit = alone + added * normal;
            R::select(limit.less(none), none, limit)
        };
        let about = friction * arm * normal.splat(2.0);
        [
            left(shear, friction),
            left(bending, arm),
            left(twisting, about),
        ]
    }
}
