//! Detects states that no impulses can satisfy: bodies squeezed between immovable walls.
//!
//! In such a state the sweeps push harder and harder. Each step starts with the impulses of the
//! last, so the impulses grow in proportion to the number of sweeps done, while the violation stays
//! constant. A slow but feasible problem shows only one of the two: while its impulses grow, its
//! violation falls.
//!
//! Steps may differ in length. Then forces are compared, not impulses. The violation, constant in
//! m/s under driven walls and in m/s² under loads, must stand still in both units.

use crate::solver::nsgs::Outcome;

/// Consecutive stalled steps, compared each time their number has doubled.
///
/// Where loads grow, as bodies land on a bed, new violations are relaxed within the step: it may
/// end at the cap, but has not stalled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    steps: u64,
    /// The number of steps at the next comparison.
    next: u64,
    /// `Σ|r|²/m_n` over Δt².
    force: f64,
    violation: f64,
    dt: f64,
}

/// The evidence of an infeasible state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Infeasible {
    pub steps: u64,
    pub growth: f64,
}

/// Number of steps at the first comparison.
const FIRST: u64 = 16;

/// Growth that counts. Impulses that grow in proportion to the steps double when their number
/// doubles.
const GROWTH: f64 = 1.6;

/// The violation stands still if it has not fallen below this fraction.
const STILL: f64 = 0.8;

impl Watch {
    /// Records the end of a step of length `dt` [s].
    pub(super) fn after(&mut self, outcome: &Outcome, dt: f64) -> Option<Infeasible> {
        let verdict = &outcome.verdict;
        if !outcome.stalled {
            *self = Self::default();
            return None;
        }
        self.steps += 1;
        if self.steps == FIRST {
            self.note(outcome, dt);
        } else if self.steps == self.next {
            let growth = (verdict.impulse / (dt * dt) / self.force).sqrt();
            let left = (verdict.violation / self.violation).sqrt();
            let left = left.min(left * self.dt / dt);
            // Further steps are compared, as other reasons may speak against this evidence.
            self.note(outcome, dt);
            if growth >= GROWTH && left >= STILL {
                let steps = self.steps;
                return Some(Infeasible { steps, growth });
            }
        }
        None
    }

    fn note(&mut self, outcome: &Outcome, dt: f64) {
        self.force = outcome.verdict.impulse / (dt * dt);
        self.dt = dt;
        self.violation = outcome.verdict.violation;
        self.next = 2 * self.steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::merit::Verdict;

    fn run(step: impl Fn(f64) -> (f64, f64)) -> Option<Infeasible> {
        paced(|_| 1.0, step)
    }

    fn paced(dt: impl Fn(f64) -> f64, step: impl Fn(f64) -> (f64, f64)) -> Option<Infeasible> {
        let mut watch = Watch::default();
        (1..2000).find_map(|k| {
            let (impulse, violation) = step(f64::from(k));
            let outcome = Outcome {
                verdict: Verdict {
                    impulse,
                    violation,
                    ..Verdict::default()
                },
                stalled: true,
                ..Outcome::default()
            };
            watch.after(&outcome, dt(f64::from(k)))
        })
    }

    #[test]
    fn growth_without_progress_is_infeasible_and_slow_progress_is_not() {
        let grows = run(|k| (k * k, 1.0)).expect("infeasible");
        assert_eq!((grows.steps, grows.growth), (32, 2.0));
        assert!(run(|k| ((100.0 + k) * (100.0 + k), 1.0)).is_some_and(|i| i.steps > 100));
        assert_eq!(
            run(|k| (1.0 - (-k / 500.0).exp(), (-k / 500.0).exp())),
            None
        );
        assert_eq!(run(|_| (1.0, 1.0)), None, "noise that does not grow");
        assert_eq!(run(|k| (k * k, 1.0 / k)), None, "progress");
    }

    /// Evidence that did not count comes again when the steps have doubled.
    ///
    /// It does not count where loads could make impulses of that size.
    #[test]
    fn the_watch_goes_on_after_its_evidence() {
        let mut watch = Watch::default();
        let seen = (1..300).filter_map(|k| {
            let impulse = f64::from(k) * f64::from(k);
            let outcome = Outcome {
                verdict: Verdict {
                    impulse,
                    violation: 1.0,
                    ..Verdict::default()
                },
                stalled: true,
                ..Outcome::default()
            };
            watch.after(&outcome, 1.0)
        });
        let seen: Vec<u64> = seen.map(|evidence| evidence.steps).collect();
        assert_eq!(seen, [32, 64, 128, 256]);
    }

    /// Longer steps take larger impulses by the same forces: no force has grown.
    ///
    /// Forces that do grow are detected at any length of the steps, even where the violation grows
    /// with them.
    #[test]
    fn steps_of_other_lengths_do_not_look_like_growing_forces() {
        let dt = |k: f64| (1.0 + k / 16.0).min(10.0);
        let square = |x: f64| x * x;
        assert_eq!(paced(dt, |k| (square(dt(k)), 1.0)), None);
        assert_eq!(paced(dt, |k| (square(dt(k)), square(dt(k)))), None);
        let growing = |k: f64| (square(k * dt(k)), square(dt(k)));
        assert!(paced(dt, growing).is_some());
        assert!(paced(dt, |k| (square(k * dt(k)), 1.0)).is_some());
    }
}
