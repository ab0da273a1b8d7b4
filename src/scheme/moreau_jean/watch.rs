//! Watches for states that no impulses can satisfy: bodies squeezed between walls that nothing moves.
//!
//! There the sweeps push harder and harder, so from step to step (each starts with the impulses of the last) the impulses grow
//! in proportion to the sweeps done, while the violation stays as it is. A slow but feasible problem shows the one or the
//! other, not both: when its impulses still grow, its violation falls.
//!
//! Steps may differ in length. Then forces are compared, not impulses; and the violation, which stays in m/s where walls drive and
//! in m/s² where loads do, has to stand still in both.

use crate::solver::nsgs::Outcome;

/// Steps in a row that have stalled, compared when their number has doubled. Where loads grow, as bodies land on a bed, new
/// violations are relaxed within the step: it may end at the cap, but has not stalled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    steps: u64,
    /// When to look next.
    next: u64,
    /// `Σ|r|²/m_n` over Δt².
    force: f64,
    violation: f64,
    dt: f64,
}

/// What has been seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Infeasible {
    pub steps: u64,
    pub growth: f64,
}

/// Steps after which a comparison is first made.
const FIRST: u64 = 16;

/// Impulses that have grown in proportion to the steps have doubled when the steps have.
const GROWTH: f64 = 1.6;

/// The violation stands still if it has not fallen below this part.
const STILL: f64 = 0.8;

impl Watch {
    /// Takes note of the end of a step of length `dt` [s].
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
            if growth >= GROWTH && left >= STILL {
                let steps = self.steps;
                return Some(Infeasible { steps, growth });
            }
            self.note(outcome, dt);
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

    /// Steps that grow take larger impulses by the same forces: no force has grown. Forces that do grow are seen at any length of
    /// the steps, also where the violation grows with them.
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
