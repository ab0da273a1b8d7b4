//! The length of steps: constant, or as long as the motion allows.
//!
//! Within a step contacts keep their normals. That holds only if bodies move little compared with
//! their size and the radius of curvature of the surfaces they touch: the step must be a fraction
//! of r/v [001 §1.6].

/// The length of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Constant [s].
    Even(f64),
    /// By a rule.
    Rule(Rule),
}

/// The longest step in which no body or wall moves further than a fraction of a length, within
/// bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Longest step [s].
    pub at_most: f64,
    /// Shortest step [s]. It is taken, and counted, where the motion demands a shorter one.
    pub at_least: f64,
    /// Largest displacement in a step, in units of `length`.
    pub travel: f64,
    /// Largest ratio of a step's length to the length before; any decrease is allowed.
    pub growth: f64,
    /// Smallest radius of bodies, and of curvature of walls [m]; `None` until it follows from the
    /// initial bodies.
    pub length: Option<f64>,
}

/// The length and the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its length [s].
    pub dt: f64,
    /// Its end [s].
    pub end: f64,
    /// Whether the motion demanded a shorter step than the rule's shortest.
    pub rushed: bool,
}

impl Pace {
    /// The constant length of steps [s]; `None`: a rule finds it.
    #[must_use]
    pub fn even(&self) -> Option<f64> {
        match self {
            Self::Even(dt) => Some(*dt),
            Self::Rule(_) => None,
        }
    }

    /// The longest possible step [s]; before the first step it stands for the length of the last.
    #[must_use]
    pub fn at_most(&self) -> f64 {
        match self {
            Self::Even(dt) => *dt,
            Self::Rule(rule) => rule.at_most,
        }
    }

    /// The shortest step [s], except for the last ones before the end of a run.
    #[must_use]
    pub fn at_least(&self) -> f64 {
        match self {
            Self::Even(dt) => *dt,
            Self::Rule(rule) => rule.at_least,
        }
    }

    /// Whether a step has ended at a time [s]: an increment may have been done in part.
    #[must_use]
    pub fn has_ended(&self, step: u64, time: f64) -> bool {
        match self {
            Self::Even(dt) => time >= dt * step as f64,
            Self::Rule(_) => true,
        }
    }

    /// The number of the step after some time [s]: the same as before, if that has not ended.
    #[must_use]
    pub fn next(&self, step: u64, time: f64) -> u64 {
        step + u64::from(self.has_ended(step, time))
    }
}

impl Rule {
    /// Largest displacement in a step, ℓ [m].
    #[must_use]
    pub fn way(&self) -> f64 {
        self.length.map_or(f64::INFINITY, |l| self.travel * l)
    }

    /// The step in which a body of speed `v` [m/s] and acceleration `a` [m/s²] moves by ℓ [s].
    ///
    /// The scheme moves it by `(v + a Δt) Δt = ℓ`, so `Δt = 2ℓ/(v + √(v² + 4 a ℓ))`.
    #[must_use]
    pub fn longest(&self, v: f64, a: f64) -> f64 {
        let way = self.way();
        if way.is_infinite() {
            return way;
        }
        2.0 * way / (v + (v * v + 4.0 * a * way).sqrt())
    }

    /// The step after one of length `before` [s] that ended at `time` [s].
    ///
    /// The motion allows at most `asked` [s]. The step ends at `until` [s] at the latest; the last
    /// two steps before it have equal lengths, so that neither is very short.
    #[must_use]
    pub fn next(&self, before: f64, time: f64, asked: f64, until: Option<f64>) -> Span {
        // A NaN has no effect here: the step reports the body from which it comes.
        let dt = asked.min(before * self.growth);
        let dt = dt.clamp(self.at_least, self.at_most);
        // A run that continues beyond `until` is not bounded by it.
        let until = until.filter(|until| *until > time);
        let left = until.map_or(f64::INFINITY, |until| until - time);
        let (dt, end) = match until {
            // Slightly more than a step is the rounding error of a sum of steps.
            Some(until) if left <= dt * (1.0 + 1e-9) => (left, until),
            Some(_) if left < 2.0 * dt => (0.5 * left, time + 0.5 * left),
            _ => (dt, time + dt),
        };
        let rushed = asked < self.at_least && dt > asked;
        Span { dt, end, rushed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        at_most: 1e-2,
        at_least: 1e-4,
        travel: 0.1,
        growth: 1.5,
        length: Some(0.02),
    };

    /// A falling body, with gravity's part, moves exactly by ℓ; a weightless body at rest has no
    /// bound.
    #[test]
    fn the_longest_step_is_that_of_the_way() {
        for (v, a) in [(3.0, 0.0), (0.0, 9.81), (0.5, 9.81), (1e-9, 1e-9)] {
            let dt = RULE.longest(v, a);
            let way = (v + a * dt) * dt;
            assert!((way / 2e-3 - 1.0).abs() < 1e-14, "{v} {a}: {way}");
        }
        assert_eq!(RULE.longest(0.0, 0.0), f64::INFINITY);
        let unknown = Rule {
            length: None,
            ..RULE
        };
        assert_eq!(unknown.longest(3.0, 9.81), f64::INFINITY);
    }

    /// Steps shrink at once, grow by the factor, and stay within the bounds.
    ///
    /// A step longer than the motion allows is marked.
    #[test]
    fn steps_shrink_at_once_and_grow_by_a_factor_within_bounds() {
        let next = |before, asked| RULE.next(before, 1.0, asked, None);
        let dt = |before, asked| next(before, asked).dt;
        assert_eq!(dt(1e-2, 2e-3), 2e-3);
        assert_eq!(dt(1e-3, 2e-3), 1.5e-3);
        assert_eq!(dt(9e-3, 1.0), 1e-2);
        assert_eq!(dt(1e-3, f64::INFINITY), 1.5e-3);
        assert_eq!((dt(1e-3, 1e-5), next(1e-3, 1e-5).rushed), (1e-4, true));
        assert!(!next(1e-3, 1e-4).rushed);
        // A last step that the end makes short enough is not rushed, one that it leaves too long
        // is.
        let last = |left: f64| RULE.next(1e-3, 1.0, 5e-5, Some(1.0 + left)).rushed;
        assert!(!last(4e-5) && last(9e-5));
        // A very short step at the end of a run, which is then continued.
        assert_eq!(dt(1e-12, 1.0), 1e-4);
        assert_eq!(next(1e-3, 2e-3).end, 1.0 + 1.5e-3);
    }

    /// The end is reached to the bit, by steps between half and all of the rule's length.
    #[test]
    fn the_end_is_hit_to_the_bit() {
        for k in 0..100 {
            let until = 1.0 + 1e-3 * (3.0 + 0.01 * f64::from(k));
            let (mut time, mut steps) = (1.0, 0);
            while time < until {
                let span = RULE.next(1e-3, time, 1e-3, Some(until));
                assert!(span.dt <= 1e-3 * (1.0 + 1e-9) && span.dt > 0.499e-3);
                time = span.end;
                steps += 1;
            }
            assert_eq!(time, until);
            assert!((3..=4).contains(&steps), "{steps}");
        }
        assert_eq!(RULE.next(1e-3, 1.0, 1e-3, Some(0.5)).dt, 1e-3);
    }
}
