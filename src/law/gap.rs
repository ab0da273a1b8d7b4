//! The rule by which a rigid contact sees its gap.

/// How the law of a rigid contact counts an overlap g < 0. An open gap counts as it is under all rules.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum GapRule {
    /// It counts as a closed gap, `g⁺ = max(g, 0)`: it does not grow, and nothing pushes the bodies
    /// apart [001 §1.4].
    #[default]
    Positive,
    /// It counts as it is, and is undone within the step at the speed `−g/Δt`, which pumps in kinetic
    /// energy.
    Full,
    /// A fraction of it is undone in each step, at a bounded speed.
    Recover {
        /// Fraction in a step.
        fraction: f64,
        /// Largest speed [m/s].
        top_speed: f64,
    },
}

impl GapRule {
    /// `b_n` of a rigid contact [m/s]: the speed at which the gap [m] closes within the step, or the
    /// one that the rule gives an overlap.
    #[must_use]
    #[inline(always)]
    pub fn closing_speed(self, gap: f64, dt: f64) -> f64 {
        match self {
            Self::Positive => gap.max(0.0) / dt,
            Self::Full => gap / dt,
            Self::Recover { .. } if gap >= 0.0 => gap / dt,
            Self::Recover {
                fraction,
                top_speed,
            } => -(fraction * -gap / dt).min(top_speed),
        }
    }
}
