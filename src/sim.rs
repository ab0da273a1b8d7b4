//! A run, from a configuration or a checkpoint to its end, with its output.
//!
//! `setup` makes the first state and checks it before anything is written; `output` writes series
//! and checkpoints; `log` writes messages for the user. This file contains the loop over steps, and
//! the exit status of a run.

/// Writes a line to stdout. A closed pipe, which nobody reads, does not end a run.
macro_rules! say {
    ($($line:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout().lock(), $($line)*);
    }};
}

/// Writes a line to stderr, likewise.
macro_rules! tell {
    ($($line:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr().lock(), $($line)*);
    }};
}

mod again;
mod balance;
mod bonds;
mod cell;
mod census;
mod changed;
mod check;
mod elastic;
mod error;
mod export;
mod first;
mod first_contacts;
mod flows;
mod guard;
mod large;
mod ledger;
mod log;
mod meetings;
mod memory;
mod modes;
mod now;
mod options;
mod output;
mod provenance;
mod rest;
mod room;
mod rounding;
mod setup;
mod sizes;
mod stages;
mod stop;
mod walls;
mod wear;

pub use check::check;
pub use elastic::elastic;
pub use error::RunError;
pub use export::{Exported, export};
pub use modes::modes;
pub use options::Options;
pub use stop::listen;

use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::domain::Domain;
use crate::io::checkpoint;
use crate::math::as_written;
use crate::measure;
use crate::scheme::quasistatic::Then;
use crate::scheme::{Clock, Scheme, State, StepError, Timers};
use balance::Balancer;
use guard::Guard;
use ledger::Ledger;
use log::Log;
use meetings::Meetings;
use now::Now;
use output::Output;
use rest::Rest;
use setup::Start;
use std::path::{Path, PathBuf};
use stop::Stopper;

/// `moreau run`: from a configuration to the end. Returns the exit status, the same on all ranks.
pub fn run(comm: &dyn Comm, config: &Path, options: &Options) -> i32 {
    finish(comm, try_run(comm, config, options))
}

/// As [`run`], but returns the failure.
///
/// # Errors
/// The same on all ranks.
pub fn try_run(comm: &dyn Comm, config: &Path, options: &Options) -> Result<(), RunError> {
    if options.or_resume {
        let out = options.out.clone().unwrap_or_else(|| PathBuf::from("out"));
        // Rank 0 looks into the folder. A folder that cannot be read does not count as empty.
        let found = match comm.rank() {
            0 if out.exists() => checkpoint::newest(&out).map(|all| !all.is_empty()),
            _ => Ok(false),
        };
        let found = agree(comm, found.map_err(|e| RunError::Input(e.to_string())))?;
        if comm.any(found) {
            let start = again::from_both(comm, config, &out, options)?;
            return all_stages(comm, start, options);
        }
    }
    let start = setup::from_config(comm, config, options)?;
    all_stages(comm, start, options)
}

/// `moreau resume`: from a checkpoint, or the newest valid one of a folder, to the end.
pub fn resume(comm: &dyn Comm, from: &Path, options: &Options) -> i32 {
    finish(comm, try_resume(comm, from, options))
}

/// As [`resume`], but returns the failure.
///
/// # Errors
/// The same on all ranks.
pub fn try_resume(comm: &dyn Comm, from: &Path, options: &Options) -> Result<(), RunError> {
    let start = setup::from_checkpoint(comm, from, options)?;
    all_stages(comm, start, options)
}

fn finish(comm: &dyn Comm, result: Result<(), RunError>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            if comm.rank() == 0 {
                tell!("moreau: {error}");
            }
            error.status()
        }
    }
}

/// The run from a start through all stages that follow.
fn all_stages(comm: &dyn Comm, start: Start, options: &Options) -> Result<(), RunError> {
    let mut ended = drive(comm, start)?;
    let mut frames = ended.frames;
    while let Some(checkpoint) = ended.more {
        ended = drive(comm, stages::next(comm, &checkpoint, options)?)?;
        frames = frames.and(ended.frames);
    }
    frames
}

/// Names the walls that have come to cross each other.
fn name_met(meetings: &mut Meetings, scheme: &Scheme, state: &State) {
    let step = state.clock.step;
    for [a, b] in meetings.look(&scheme.physics().walls, &state.walls) {
        tell!(
            "moreau: WARNING: step {step}: walls {a} and {b} meet; walls pass through each other"
        );
    }
}

/// The end of a run, or of one of its stages.
struct Ended {
    /// The checkpoint of its end, if another stage follows.
    more: Option<PathBuf>,
    /// An error if frames are missing.
    frames: Result<(), RunError>,
}

/// The loop over the steps of a stage.
fn drive(comm: &dyn Comm, start: Start) -> Result<Ended, RunError> {
    let Start {
        mut scenario,
        partition,
        cut,
        mut scheme,
        mut state,
        out,
        mut ledger,
        folder,
        threads,
        wall_limit,
        differences,
        given_end,
        changed,
        nan_before,
    } = start;
    let mut domain = Domain::new(comm, partition);
    let mut balancer = Balancer::new(scenario.balance, cut);
    balancer.start(comm, &mut domain, scheme.physics(), &state);
    let bodies = comm.sum_count(state.bodies().len());
    let provenance = provenance::of_this_start(comm, state.clock.step, threads);
    let mut output = Output::open(
        comm,
        &out,
        folder,
        &scenario,
        (state.clock.step, bodies),
        provenance,
    )?;
    if let (0, Some(differences)) = (comm.rank(), differences) {
        tell!("moreau: {differences}");
    }
    let mut meetings = match comm.rank() {
        0 => Meetings::new(&scheme.physics().walls),
        _ => Meetings::default(),
    };
    let mut stopper = Stopper::new(wall_limit);
    domain.ask(stopper.within_step(comm));
    let mut guard = Guard::new(scenario.limits);
    let mut why = None;
    let mut ended = None;
    let mut rest = Rest::new(&domain, &scenario, &state);
    let mut log = Log::new(comm, &scenario, &state.clock, threads);
    let mut timers = Timers::default();
    let [energy] = domain.sums(&[state
        .bodies()
        .iter()
        .map(measure::translational_energy)
        .collect()]);
    let mut at_rest = !ledger.flows.more_to_come(&scenario, state.clock.time)
        && rest.reached(&domain, &scheme, &mut state, energy);
    let begun = state.clock.step;
    output.frame(&mut Now {
        comm,
        domain: &domain,
        scenario: &scenario,
        physics: scheme.physics(),
        scheme: &scheme,
        state: &mut state,
        timers: &mut timers,
        ledger: &ledger,
    })?;

    while why.is_none()
        && ended.is_none()
        && !at_rest
        && !scenario.is_over(state.clock.step, state.clock.time)
    {
        if let Some((step, id)) = nan_before
            && state.clock.step + 1 == step
        {
            let guilty = state.parcel.bodies.iter_mut().filter(|row| row.id == id);
            guilty.for_each(|row| row.velocity[1] = f64::NAN);
        }
        let physics = scheme.physics();
        let (start, before) = (state.clock.time, state.clock.step);
        let next = scenario.pace.next(before, start);
        let came = ledger
            .flows
            .before_step(comm, &domain, &scenario, physics, &mut state)?;
        ledger.energies.entered += came.energy;
        let stepped = scheme.step_keeping(&mut state, &domain).and_then(|report| {
            scheme.not_crushed(&state, &domain)?;
            Ok(report)
        });
        let report = stepped
            .map_err(|error| RunError::Failed(format!("{error}; {}", last_good(&output))))?;
        if report.stopped {
            // The state is that before the increment, and a checkpoint of it goes on from there.
            why = stopper.after_step(comm, output.saving(), false, 0.0).end;
            continue;
        }
        if !ledger.judged {
            let shown = rounding::shows(&scenario, &report);
            let shown = shown.map_err(|text| {
                RunError::Failed(format!("step {next}: {text}; {}", last_good(&output)))
            })?;
            // A part without balance knows too little of the forces.
            ledger.judged = shown && report.end.is_none();
        }
        ended.clone_from(&report.end);
        if state.clock.time == start {
            break; // The state is that of the step before, which is written.
        }
        let goes_on = state.clock.step == before;
        if goes_on {
            // An increment that was done in part: its checkpoint and frames are replaced.
            output.renew_all(before);
        }
        if let Some(cell) = &state.cell {
            domain.follow(cell);
            scenario.follow(Some(cell));
        }
        let physics = scheme.physics();
        timers.add_all(&report.here.timers);
        if let (Some(pair), 0, 0) = (&report.passed_first, ledger.passed, comm.rank()) {
            tell!(
                "moreau: WARNING: step {}: {pair}: they have passed through each other; the run continues, and counts such contacts",
                state.clock.step - 1
            );
        }
        if meetings.is_due(state.clock.step) {
            name_met(&mut meetings, &scheme, &state);
        }
        ledger.add(&report);
        bonds::report_made(comm, &domain, &scenario, (&scheme, &mut state), start);
        (ledger.flows).after_step(&domain, physics, &state, &report);
        if report.deleted + report.drained > 0 || came.bodies > 0 || !scenario.acts.holds.is_empty()
        {
            rest = Rest::new(&domain, &scenario, &state);
        }
        at_rest = !ledger.flows.more_to_come(&scenario, state.clock.time)
            && rest.reached(&domain, &scheme, &mut state, report.translational_energy);
        let due = output.is_due(scenario.checkpoints.interval);
        let agreed = stopper.after_step(comm, output.saving(), due, ledger.overlap);
        let grows = scenario
            .acts
            .growth
            .is_some_and(|g| state.clock.time <= g.until);
        let mut now = Now {
            comm,
            domain: &domain,
            scenario: &scenario,
            physics: scheme.physics(),
            scheme: &scheme,
            state: &mut state,
            timers: &mut timers,
            ledger: &ledger,
        };
        output.after_step(&mut now, &report)?;
        for passed in guard.after_step(&report, agreed.overlap, grows) {
            let text = format!("step {}: {}", now.state.clock.step, passed.text);
            if passed.stop {
                // Write the state that led to the end, for inspection.
                let unsaved = match output.finish(&mut now) {
                    Err(RunError::Incomplete(fault)) => format!("; {fault}"),
                    result => result.map(|()| String::new())?,
                };
                let good = last_good(&output);
                return Err(RunError::Failed(format!("{text}{unsaved}; {good}")));
            }
            if passed.first && comm.rank() == 0 {
                tell!("moreau: WARNING: {text}; the run continues");
            }
        }
        if agreed.save || goes_on {
            output.save(&mut now)?;
        }
        log.after_step(&state.clock, &report);
        balancer.after_step(comm, &mut domain, &scheme, &mut state, &report);
        why = agreed.end;
    }
    log.clear();
    name_met(&mut meetings, &scheme, &state);

    // A checkpoint does not say that its contacts are of a scheme before that of its configuration.
    let takes_over = matches!(&scheme, Scheme::Quasistatic(of) if of.takes_over());
    if takes_over && let Some(error) = &ended {
        return Err(RunError::Failed(format!(
            "{error}; it is the first increment of another scheme, so no checkpoint is written"
        )));
    }
    if takes_over && let Some(reason) = why {
        return Err(RunError::Stopped(format!(
            "stopped by {reason} within the first increment of another scheme, before a checkpoint; the same command repeats it"
        )));
    }
    let over = at_rest || ended.is_some() || scenario.is_over(state.clock.step, state.clock.time);
    let Clock { step, time, .. } = state.clock;
    let more = ended.is_none()
        && over
        && scenario.next_stage().is_some()
        && given_end.is_none_or(|end| !scenario.is_over_by(&end, step, time));
    let why = why.filter(|_| more || !over);
    if more && changed && step == begun {
        if takes_over {
            return Err(RunError::Failed(format!(
                "step {step}: the first increment of another scheme must come before the next stage; found a part of the run \
                 that is over; {}",
                last_good(&output)
            )));
        }
        // The next stage begins from the checkpoint, which lacks the changes.
        output.renew();
    }
    let mut now = Now {
        comm,
        domain: &domain,
        scenario: &scenario,
        physics: scheme.physics(),
        scheme: &scheme,
        state: &mut state,
        timers: &mut timers,
        ledger: &ledger,
    };
    let unsaved = match output.finish(&mut now) {
        // The run has not ended; steps since its last checkpoint have to be repeated.
        Err(RunError::Incomplete(fault)) if why.is_some() => Some(fault),
        result => {
            result?;
            None
        }
    };
    let hash = checkpoint::state_hash(comm, step, time, now.state.bodies());
    let ending = match (why, &ended) {
        (Some(reason), _) => format!("stopped by {reason}"),
        (None, Some(StepError::Collapse { .. })) => "collapsed".to_owned(),
        (None, Some(_)) => "without balance".to_owned(),
        (None, None) => ending(at_rest, &ledger).to_owned(),
    };
    log.summary(&now, &ending, &output);
    now.bring_contacts();
    bonds::report_end(comm, &scenario, now.state);
    if comm.rank() == 0 {
        guard.tell(scenario.statics.is_none());
    }
    if comm.rank() == 0 && comm.size() > 1 && scenario.balance.every > 0 {
        balancer.tell();
    }
    if let Some(reason) = why {
        let folder = output.folder().display();
        return Err(RunError::Stopped(match unsaved {
            Some(fault) => format!(
                "stopped by {reason} after step {step}, WITHOUT a checkpoint of it: {fault}; {}; moreau resume {folder} continues from there",
                last_good(&output)
            ),
            None => format!(
                "stopped by {reason} after step {step}, whose checkpoint is written; moreau resume {folder} continues the run"
            ),
        }));
    }
    if let Some(error) = &ended {
        ended_by(comm, error, &scenario, &output)?;
    }
    if comm.rank() == 0 && !more {
        say!("state {hash:016x} step {step} time {}", as_written(time));
    }
    let checkpoint = output.last_checkpoint().map(Path::to_owned);
    Ok(Ended {
        more: checkpoint.filter(|_| more),
        frames: output.all_frames(),
    })
}

/// Reports the end of increments, whose last equilibrium is written.
///
/// # Errors
/// If the configuration takes a collapse for an error, or the run ended otherwise.
fn ended_by(
    comm: &dyn Comm,
    error: &StepError,
    scenario: &Scenario,
    output: &Output,
) -> Result<(), RunError> {
    let text = format!("{error}; {}", last_good(output));
    let collapsed = matches!(error, StepError::Collapse { .. });
    match scenario.statics.map(|statics| statics.then) {
        Some(Then::Stop) if collapsed => {
            if comm.rank() == 0 {
                tell!("moreau: {text}");
            }
            Ok(())
        }
        _ => Err(RunError::Failed(text)),
    }
}

fn last_good(output: &Output) -> String {
    output.last_checkpoint().map_or_else(
        || "no checkpoint was written so far".to_string(),
        |path| format!("the last good checkpoint is {}", path.display()),
    )
}

/// The ending of a run that was not stopped.
fn ending(at_rest: bool, ledger: &Ledger) -> &'static str {
    match (at_rest, ledger.sweeps.is_empty()) {
        (true, true) => "already at rest (--set time.rest=0 continues the run)",
        (true, false) => "at rest",
        (false, true) => {
            "nothing to do: the end is already reached (--until and --steps set a later end; checkpoints do not store them)"
        }
        (false, false) => "end reached",
    }
}
