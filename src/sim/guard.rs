//! Checks each step against the limits of a run.
//!
//! A step should not end at the sweep cap, bodies should not sink into each other, and contacts
//! should not create energy.

use crate::config::{Limit, Limits};
use crate::math::nan_max;
use crate::scheme::Report;

/// The records since this program started.
#[derive(Debug)]
pub(super) struct Guard {
    limits: Limits,
    /// Consecutive steps at the sweep cap, up to the last step.
    capped: u64,
    /// The largest number of consecutive steps at the sweep cap.
    most_capped: u64,
    /// The largest overlap over the smaller radius.
    overlap: f64,
    /// Energy that contacts gave, and took [J]; and the sum of the judge's scales of each step.
    given: f64,
    taken: f64,
    scale: f64,
    /// The number of steps beyond each limit.
    beyond: [u64; 3],
}

/// A limit that a step exceeded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Passed {
    /// A description with the value found.
    pub text: String,
    /// Whether the run must end.
    pub stop: bool,
    /// Whether it is the first time.
    pub first: bool,
}

impl Guard {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            capped: 0,
            most_capped: 0,
            overlap: 0.0,
            given: 0.0,
            taken: 0.0,
            scale: 0.0,
            beyond: [0; 3],
        }
    }

    /// Checks a step with the largest overlap at its start, and returns the limits that it
    /// exceeded.
    ///
    /// While bodies grow, contacts rightly give energy, so it does not count. The same on all
    /// ranks.
    pub(super) fn after_step(&mut self, report: &Report, overlap: f64, grows: bool) -> Vec<Passed> {
        let verdict = &report.outcome.verdict;
        self.capped = if verdict.converged {
            0
        } else {
            self.capped + 1
        };
        self.most_capped = self.most_capped.max(self.capped);
        self.overlap = nan_max(self.overlap, overlap);
        // Under gravity a spring passes energy between `dissipated` and `integrator` while it
        // swings; only their sum shows whether energy was lost.
        let dissipated = report.dissipated + nan_max(report.integrator, 0.0);
        // Cohesion pulls bodies together, and may give the energy that it takes when they part. The
        // springs of bonds are in `dissipated`, which then must not be negative.
        let taken = report.dissipated - report.outcome.work.cohesion;
        let taken = if dissipated >= 0.0 {
            taken.max(0.0)
        } else {
            taken + nan_max(report.integrator, 0.0)
        };
        if !(grows && taken < 0.0) {
            self.given += (-taken).max(0.0);
            self.taken += if taken < 0.0 { 0.0 } else { taken };
        }
        if verdict.residual > 0.0 {
            self.scale += verdict.violation / verdict.residual.powi(2);
        }
        let growth = self.growth(report.translational_energy);
        let Limits {
            capped,
            overlap: sunk,
            energy,
        } = self.limits;
        let each: [(Limit, f64, &dyn Fn() -> String); 3] = [
            (capped, self.capped as f64, &|| {
                format!("{} steps in a row ended at the sweep cap", self.capped)
            }),
            (sunk, overlap, &|| {
                format!("bodies overlap by {overlap:.2e} of the smaller radius")
            }),
            (energy, growth, &|| {
                format!(
                    "contacts gave {:.2e} J, {growth:.2e} of the energy in motion and taken by contacts",
                    self.given
                )
            }),
        ];
        let mut passed = Vec::new();
        for (k, (limit, value, text)) in each.into_iter().enumerate() {
            if value.is_nan() || value > limit.above {
                self.beyond[k] += 1;
                passed.push(Passed {
                    text: format!("{} (limits.{} = {})", text(), NAMES[k], limit.above),
                    stop: limit.stop,
                    first: self.beyond[k] == 1,
                });
            }
        }
        passed
    }

    /// The energy given by contacts, relative to all other energies.
    ///
    /// These are the energy taken by contacts, the energy of motion `moving` [J], and the judge's
    /// scale of each step.
    fn growth(&self, moving: f64) -> f64 {
        if self.given == 0.0 && self.taken.is_finite() {
            return 0.0;
        }
        self.given / (self.taken + moving + self.scale)
    }

    /// Writes the lines of the summary: the extreme of each quantity, and steps beyond the limits.
    ///
    /// `sweeps`: the run has steps that may end at the sweep cap.
    pub(super) fn tell(&self, sweeps: bool) {
        let capped = match sweeps {
            true => format!("{} capped steps in a row at most, ", self.most_capped),
            false => String::new(),
        };
        say!(
            "watched    overlap at most {:.2e} of the smaller radius, {capped}{:.2e} J given by contacts, {:.2e} J taken",
            self.overlap,
            self.given,
            self.taken
        );
        for (name, steps) in NAMES
            .iter()
            .zip(self.beyond)
            .filter(|(_, steps)| *steps > 0)
        {
            say!("limit      {steps} steps beyond limits.{name}");
        }
    }
}

const NAMES: [&str; 3] = ["capped", "overlap", "energy"];

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: Limit = Limit {
        above: 1.0,
        stop: false,
    };

    fn done(converged: bool, dissipated: f64) -> Report {
        let mut report = Report {
            dissipated,
            translational_energy: 1.0,
            ..Report::default()
        };
        report.outcome.verdict.converged = converged;
        report
    }

    fn limits() -> Limits {
        Limits {
            capped: Limit {
                above: 2.0,
                stop: true,
            },
            overlap: FAR,
            energy: Limit {
                above: 0.5,
                stop: false,
            },
        }
    }

    #[test]
    fn capped_steps_in_a_row() {
        let mut guard = Guard::new(limits());
        let row = [false, false, true, false, false, false, false];
        let passed = row.map(|converged| guard.after_step(&done(converged, 0.0), 0.0, false));
        assert!(passed[..5].iter().all(Vec::is_empty));
        assert!(passed[5][0].stop && passed[5][0].first && !passed[6][0].first);
        assert_eq!((guard.most_capped, guard.beyond), (4, [2, 0, 0]));
    }

    /// Overlaps up to the bound pass; larger ones and NaN do not.
    #[test]
    fn overlaps() {
        let mut guard = Guard::new(limits());
        let passed =
            [0.5, 1.0, 1.5, f64::NAN].map(|x| guard.after_step(&done(true, 0.0), x, false).len());
        assert_eq!(passed, [0, 0, 1, 1]);
        assert!(guard.overlap.is_nan());
    }

    /// The energy that contacts give counts relative to the energy taken and in motion.
    ///
    /// Energy given by cohesion does not count.
    #[test]
    fn energy_from_nothing() {
        let mut guard = Guard::new(limits());
        assert!(guard.after_step(&done(true, 1.0), 0.0, false).is_empty());
        // Given 0.9 J with 1 J taken and 1 J in motion; then 1.2 J.
        assert!(guard.after_step(&done(true, -0.9), 0.0, false).is_empty());
        let passed = guard.after_step(&done(true, -0.3), 0.0, false);
        assert!(passed.len() == 1 && !passed[0].stop, "{passed:?}");
        // A spring gives energy to gravity, which is in `integrator`; a loss there pays for nothing
        // more than itself.
        let mut swings = done(true, -5.0);
        swings.integrator = 5.0;
        let mut guard = Guard::new(limits());
        assert!(guard.after_step(&swings, 0.0, false).is_empty());
        swings.integrator = 3.0;
        assert_eq!(guard.after_step(&swings, 0.0, false).len(), 1);
        swings.integrator = f64::NAN;
        assert_eq!(guard.after_step(&swings, 0.0, false).len(), 1);
        let mut pulled = done(true, -5.0);
        pulled.outcome.work.cohesion = -5.0;
        let mut guard = Guard::new(limits());
        assert!(guard.after_step(&pulled, 0.0, false).is_empty());
        assert!(
            !guard
                .after_step(&done(true, f64::NAN), 0.0, false)
                .is_empty()
        );
    }
}
