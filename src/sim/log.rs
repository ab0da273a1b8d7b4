//! The messages to the user: a progress bar on a terminal, a line every few seconds in a batch log,
//! a summary at the end.

use super::ledger::Ledger;
use super::now::Now;
use super::output::{Output, walls};
use crate::comm::Comm;
use crate::config::Scenario;
use crate::domain::ghosts::Traffic;
use crate::math::as_written;
use crate::scheme::pace::Pace;
use crate::scheme::quasistatic::Method;
use crate::scheme::{Clock, Report, Verb};
use crate::solver::merit::Verdict;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Seconds between two lines of a batch log.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// The log of a run; only rank 0 writes.
pub(super) struct Log {
    speaks: bool,
    bar: Option<ProgressBar>,
    /// Whether the length of steps varies.
    by_rule: bool,
    /// The field's word for the passes of a step's solve.
    passes: &'static str,
    line_step: u64,
    last_step: Option<u64>,
    last_line: Instant,
}

impl Log {
    pub(super) fn new(comm: &dyn Comm, scenario: &Scenario, clock: &Clock, threads: usize) -> Self {
        let speaks = comm.rank() == 0;
        let last_step = scenario.last_step();
        if speaks {
            tell!(
                "moreau {}: {}, {} ranks × {} threads, from step {}",
                env!("CARGO_PKG_VERSION"),
                scenario.title,
                comm.size(),
                threads.max(1),
                clock.step
            );
        }
        let cores = std::thread::available_parallelism().map_or(threads, std::num::NonZero::get);
        if speaks && threads > cores {
            tell!(
                "moreau: {threads} threads share {cores} cores; as many threads as cores are fastest"
            );
        }
        let bar = (speaks && std::io::stderr().is_terminal()).then(|| {
            let bar = match last_step {
                Some(n) => ProgressBar::new(n),
                None => ProgressBar::new_spinner(),
            };
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
            let template = "{bar:20} {pos}/{len} {msg} ETA {eta}";
            bar.set_style(
                ProgressStyle::with_template(template)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.set_position(clock.step);
            bar.reset_eta();
            bar
        });
        let now = Instant::now();
        Self {
            speaks,
            bar,
            by_rule: matches!(scenario.pace, Pace::Rule(_)),
            passes: passes(scenario),
            line_step: clock.step,
            last_step,
            last_line: now,
        }
    }

    pub(super) fn after_step(&mut self, clock: &Clock, report: &Report) {
        if !self.speaks {
            return;
        }
        let verdict = &report.outcome.verdict;
        let cap = if verdict.converged {
            ""
        } else {
            " NOT CONVERGED"
        };
        let dt = match self.by_rule {
            false => String::new(),
            true => format!("dt {:.2e} s, ", report.dt),
        };
        let state = format!(
            "time {:.4} s, {dt}{} {}, residual {:.1e}{cap}, kinetic energy {:.2e} J",
            clock.time,
            report.outcome.sweeps,
            self.passes,
            verdict.residual,
            report.translational_energy
        );
        if let Some(bar) = &self.bar {
            bar.set_position(clock.step);
            bar.set_message(state);
        } else if self.last_line.elapsed() >= LINE_EVERY {
            let rate =
                (clock.step - self.line_step) as f64 / self.last_line.elapsed().as_secs_f64();
            self.last_line = Instant::now();
            self.line_step = clock.step;
            let of = self.last_step.map_or_else(String::new, |n| format!("/{n}"));
            let left = self.last_step.map_or_else(String::new, |n| {
                format!(
                    ", about {:.0} s to the last step",
                    (n - clock.step) as f64 / rate
                )
            });
            tell!("step {}{of}, {state}, {rate:.1} steps/s{left}", clock.step);
        }
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Writes the summary: the ending, the loads on walls, the numbers of sweeps, the times.
    /// Collective.
    pub(super) fn summary(&self, now: &Now, ending: &str, output: &Output) {
        let Now {
            comm,
            domain,
            scenario,
            scheme,
            state,
            timers,
            ledger,
            ..
        } = now;
        let (comm, clock) = (*comm, &state.clock);
        let walls = walls(domain, scheme, state);
        let overlap = domain.max(ledger.overlap);
        let [weight] = domain.sums(&[state
            .bodies()
            .iter()
            .map(|b| b.mass * scenario.gravity.norm())
            .collect()]);
        let table: Vec<[f64; 3]> = Verb::ALL
            .iter()
            .map(|&verb| spread(comm, timers.seconds(verb)))
            .collect();
        let peak: Vec<u64> = domain.gather(&[peak_memory()]);
        let mut traffic = [ledger.traffic.messages as i64, ledger.traffic.bytes as i64];
        comm.sum_i64(&mut traffic);
        let Traffic {
            overlapped, waited, ..
        } = ledger.traffic;
        let mut times = [overlapped, waited].map(|time| time.as_nanos() as i64);
        comm.sum_i64(&mut times);
        if !self.speaks {
            return;
        }
        say!(
            "{ending} at step {}, time {} s, after {:.1} s of wall time",
            clock.step,
            as_written(clock.time),
            output.wall_seconds()
        );
        let dynamic = scenario.statics.is_none();
        let steps: u64 = ledger.sweeps.values().sum();
        if steps > 0 {
            let total: u64 = ledger.sweeps.iter().map(|(sweeps, n)| sweeps * n).sum();
            let [median, most] = [0.5, 0.9].map(|share| quantile(ledger, steps, share));
            let largest = ledger.sweeps.keys().max().unwrap_or(&0);
            say!(
                "{:<10} {total} in {steps} steps: median {median}, 90 % {most}, largest {largest}",
                self.passes
            );
            let Verdict {
                residual,
                relative_change,
                largest_violation,
                ..
            } = ledger.last;
            if dynamic {
                say!(
                    "plans      contacts were searched anew in {} of {steps} steps",
                    ledger.plans
                );
                say!(
                    "last step  residual {residual:.2e}, relative change {relative_change:.2e}, largest violation {largest_violation:.2e} m/s"
                );
                say!(
                    "overlap    {overlap:.2e} of the smaller radius at most, at the start of the last step"
                );
            } else {
                say!("last step  residual {residual:.2e}");
                say!("overlap    {overlap:.2e} of the smaller radius at most, in balance");
            }
        }
        if dynamic {
            say!(
                "capped     {} of {} steps ended at the cap of {} sweeps",
                ledger.capped_steps,
                clock.step,
                scenario.solver.max_sweeps
            );
        }
        if ledger.rushed_steps > 0 {
            say!(
                "rushed     {} of {} steps were longer than time.dt.travel allows: time.dt.at_least is too long for this motion",
                ledger.rushed_steps,
                clock.step
            );
        }
        if ledger.outran_steps > 0 {
            say!(
                "fast       in {} steps a body ended faster than detection assumed; a smaller time.dt or a larger solver.skin is safer",
                ledger.outran_steps
            );
        }
        if ledger.plastic > 0 {
            say!(
                "plastic    {} collisions of bodies with restitution ended without rebound: they reached contacts at rest",
                ledger.plastic
            );
        }
        if ledger.passed > 0 {
            say!(
                "PASSED     {} times a body and another, or a wall, passed through each other within a step; a smaller time.dt, slower walls or \
                 room for the bodies prevent it",
                ledger.passed
            );
        }
        if ledger.deleted > 0 {
            say!(
                "deleted    {} bodies that left the domain; they are listed in deleted.csv",
                ledger.deleted
            );
        }
        for (region, comes, flow) in ledger.flows.told(scenario) {
            let way = if comes { "came in by" } else { "went out by" };
            let waiting = match flow.waiting {
                0 => String::new(),
                n => format!("; {n} that were due found no place"),
            };
            say!(
                "flow       {} bodies, {:.6e} kg, {way} {region}{waiting}",
                flow.bodies,
                flow.mass
            );
        }
        for line in output.absent(&scenario.measures) {
            say!("{line}");
        }
        say!("weight     {weight:.6e} N; forces of the bodies on the walls:");
        for (row, wall) in walls.iter().zip(&scenario.walls) {
            let f = row.impulse.map(|r| r / clock.dt);
            say!(
                "           {:<12} {:>13.5e} {:>13.5e} {:>13.5e} N",
                wall.name,
                f[0],
                f[1],
                f[2]
            );
        }
        if dynamic {
            say!(
                "messages   {} sent, together {} bytes within solves",
                traffic[0],
                traffic[1]
            );
        }
        if times != [0, 0] {
            let [overlapped, waited] = times.map(|t| t as f64);
            say!(
                "hidden     {:.3} of the time from sending velocities to receiving those of others was spent on blocks",
                overlapped / (overlapped + waited)
            );
        }
        say!(
            "{:<10} {:>10} {:>10} {:>10}  seconds over ranks",
            "timer",
            "min",
            "mean",
            "max"
        );
        // An increment is one whole: only files have a time of their own.
        let timed = |(verb, _): &(&Verb, _)| dynamic || **verb == Verb::Io;
        for (verb, [min, mean, max]) in Verb::ALL.iter().zip(table).filter(timed) {
            say!("{:<10} {min:>10.3} {mean:>10.3} {max:>10.3}", verb.name());
        }
        let together: u64 = peak.iter().sum();
        if let Some(most) = peak.iter().max().filter(|most| **most > 0) {
            say!(
                "memory     {:.1} MB at most on a rank, {:.1} MB over all ranks",
                *most as f64 / 1e6,
                together as f64 / 1e6
            );
        }
        let (written, time, failed) = output.checkpoints();
        if written + failed > 0 {
            say!(
                "saved      {written} checkpoints in {:.2} s of wall time",
                time.as_secs_f64()
            );
        }
        let frames = output.frames();
        if frames.written + frames.failed > 0 {
            say!(
                "frames     {} in {:.2} s of wall time",
                frames.written,
                frames.time.as_secs_f64()
            );
        }
        if frames.failed > 0 {
            say!(
                "NO FRAME   {} frames could not be written; the run continued",
                frames.failed
            );
        }
        if failed > 0 {
            say!("NOT SAVED  {failed} checkpoints could not be written; the run continued");
        }
        say!("results    {}", output.folder().display());
        if let Some(path) = output.last_checkpoint() {
            say!("checkpoint {}", path.display());
        }
    }
}

/// The field's word for the passes of a step's solve.
fn passes(scenario: &Scenario) -> &'static str {
    match scenario.statics {
        None => "sweeps",
        Some(statics) => match statics.method {
            Method::Kishino(_) => "sweeps",
            Method::BagiBojtar | Method::SerranoRodriguez => "iterations",
        },
    }
}

/// The peak memory of this process so far [bytes]; 0 where the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// The number of sweeps that this share of the steps did not exceed.
fn quantile(ledger: &Ledger, steps: u64, share: f64) -> u64 {
    let mut left = (steps as f64 * share).ceil() as u64;
    for (sweeps, n) in &ledger.sweeps {
        if *n >= left {
            return *sweeps;
        }
        left -= n;
    }
    0
}

/// Smallest, mean and largest over ranks. Collective.
fn spread(comm: &dyn Comm, seconds: f64) -> [f64; 3] {
    let all: Vec<f64> = comm
        .all_gather(&seconds.to_le_bytes())
        .iter()
        .map(|b| bytemuck::pod_read_unaligned(b))
        .collect();
    let min = all.iter().copied().fold(f64::INFINITY, f64::min);
    let max = all.iter().copied().fold(0.0, f64::max);
    [min, all.iter().sum::<f64>() / all.len() as f64, max]
}
