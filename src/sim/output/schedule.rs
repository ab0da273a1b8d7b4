//! The schedule of checkpoints by the clock.

use crate::config::Interval;
use std::time::Duration;

/// Estimated duration of a checkpoint per body, before one was written [s].
const SAVING_A_BODY: f64 = 1e-5;

/// The longest estimate [s].
const LONGEST_GUESS: f64 = 60.0;

/// Estimated duration of the first checkpoint [s].
pub(super) fn guessed(bodies: u64, ranks: usize) -> f64 {
    (0.05 + SAVING_A_BODY * bodies as f64 / ranks as f64).min(LONGEST_GUESS)
}

/// The time between two checkpoints with this duration.
pub(super) fn between(interval: Interval, saving: Duration) -> Duration {
    match interval {
        Interval::Seconds(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        Interval::Auto { failures } => {
            let saving = saving.as_secs_f64();
            let seconds = (2.0 * saving * failures).sqrt().max(20.0 * saving);
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Young's interval, and at most a twentieth of the time for checkpoints.
    #[test]
    fn time_between_checkpoints() {
        let auto = |saving: f64, failures: f64| {
            let interval = Interval::Auto { failures };
            between(interval, Duration::from_secs_f64(saving)).as_secs_f64()
        };
        assert!((auto(2.0, 86400.0) - 587.8775).abs() < 1e-3);
        assert!((auto(2.0, 100.0) - 40.0).abs() < 1e-9);
        assert_eq!(
            between(Interval::Seconds(90.0), Duration::MAX).as_secs(),
            90
        );
        assert_eq!(
            between(Interval::Seconds(f64::MAX), Duration::ZERO),
            Duration::MAX
        );
    }
}
