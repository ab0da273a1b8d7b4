//! The treatment of overlaps by rigid contacts.

use crate::math::real::Real;

/// How a rigid contact treats an overlap g < 0. An open gap enters unchanged under all rules.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum GapRule {
    /// The overlap counts as a closed gap, `g⁺ = max(g, 0)`: it does not grow, and the law does not
    /// push the bodies apart [001 §1.4].
    #[default]
    Positive,
    /// The overlap is removed within the step at the speed `−g/Δt`, which adds kinetic energy.
    Full,
    /// A fraction of the overlap is removed in each step, at a bounded speed.
    Recover {
        /// Fraction removed per step [1].
        fraction: f64,
        /// Largest speed [m/s].
        top_speed: f64,
    },
}

impl GapRule {
    /// `b_n` of a rigid contact with this gap [m], a speed [m/s].
    ///
    /// For an open gap it is the speed at which the gap closes within the step, for an overlap the
    /// speed given by the rule.
    #[must_use]
    #[inline(always)]
    pub fn closing_speed<R: Real>(self, gap: R, dt: R) -> R {
        let zero = gap.splat(0.0);
        match self {
            Self::Positive => R::select(gap.greater(zero), gap, zero) / dt,
            Self::Full => gap / dt,
            Self::Recover {
                fraction,
                top_speed,
            } => {
                let (fraction, top) = (gap.splat(fraction), gap.splat(top_speed));
                let speed = fraction * -gap / dt;
                let speed = -R::select(speed.less(top), speed, top);
                R::select(gap.less(zero), speed, gap / dt)
            }
        }
    }
}
