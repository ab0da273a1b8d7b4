//! The first state of a run, from a configuration or a checkpoint, checked as a whole before
//! anything is written.

use super::balance::by_bodies;
use super::bonds::{bonds_are_known, pairs_exist};
use super::cell;
use super::census::census;
use super::changed::{
    bodies_fit, changes_fit, clock_fits, motions_are_known, motions_begin, same_loads, shear_fits,
    stages_stay,
};
use super::error::RunError;
use super::first;
use super::first_contacts::begins_well;
use super::flows::Flows;
use super::ledger::Ledger;
use super::options::Options;
use super::output::Folder;
use super::rounding;
use super::sizes::{completed, divide, sizes, tracked_exist};
use super::walls::{as_many_walls, set_origins, wall_references, wall_states};
use super::wear;
use crate::body::{BodyId, Cell};
use crate::comm::{Comm, agree};
use crate::config::{End, Faults, Given, Scenario, may_be_set};
use crate::domain::Domain;
use crate::domain::migration::Parcel;
use crate::domain::partition::Partition;
use crate::io::Header;
use crate::io::checkpoint::{self, Loaded};
use crate::scheme::quasistatic::Start as StartWith;
use crate::scheme::{Clock, Physics, Scheme, State};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The initial data of the loop.
pub(super) struct Start {
    pub scenario: Scenario,
    pub partition: Partition,
    /// Whether the blocks have been distributed by their bodies already.
    pub cut: bool,
    pub scheme: Scheme,
    pub state: State,
    pub ledger: Ledger,
    /// The folder for results.
    pub out: PathBuf,
    /// The treatment of the folder's contents.
    pub folder: Folder,
    /// Threads per rank.
    pub threads: usize,
    /// Wall time after which the run ends.
    pub wall_limit: Option<Duration>,
    /// The differences with which a run continues.
    pub differences: Option<String>,
    /// The end of the run by the command line.
    pub given_end: Option<End>,
    /// Whether the configuration is another one than that of the checkpoint.
    pub changed: bool,
    /// For tests: a body whose velocity becomes NaN before a step.
    pub nan_before: Option<(u64, BodyId)>,
}

/// The start of `moreau run`. Collective.
pub(super) fn from_config(
    comm: &dyn Comm,
    path: &Path,
    options: &Options,
) -> Result<Start, RunError> {
    let scenario = shared(comm, || Given::begin(path, &options.set))?;
    if scenario
        .statics
        .is_some_and(|statics| statics.start == StartWith::Forces)
    {
        return Err(RunError::Input(
            "quasistatic.start = \"forces\" must come with a checkpoint, by moreau resume; found a run from its first bodies"
                .to_owned(),
        ));
    }
    let census = census(comm, &scenario)?;
    let bodies = first::bodies(comm, &scenario, &census)?;
    pairs_exist(comm, &scenario, &bodies)?;
    let sizes = sizes(comm, &scenario, &bodies, 0.0)
        .full_grown(&scenario, 0.0)
        .and_to_come(&scenario);
    tracked_exist(comm, &scenario, census.ids_end, &bodies)?;
    let scenario = end_as_given(agree(comm, completed(scenario, &sizes))?, options);
    let first = scenario.cell.as_ref().map(Cell::start);
    agree(comm, cell::fits(&scenario, first.as_ref(), 0.0))?;
    agree(comm, increments_fit(&scenario, 0))?;
    let (physics, partition) = agree(comm, divide(&scenario, &sizes, comm.size()))?;
    let parcel = Parcel {
        bodies,
        contacts: Vec::new(),
    };
    let mut domain = Domain::new(comm, partition);
    let cut = by_bodies(comm, &mut domain, &scenario.balance, &parcel.bodies);
    begins_well((comm, &domain), (&scenario, &physics), &parcel)?;
    let begun = (&parcel, 0.0, scenario.pace.at_most());
    rounding::allows((&scenario, &physics), (&domain, &sizes), begun)?;
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("out"));
    let folder = if options.overwrite {
        Folder::Clear
    } else if options.or_resume {
        Folder::Begun
    } else {
        Folder::Fresh
    };
    let state = State {
        wear: wear::begun(&scenario),
        ..State::new(&physics, 0, parcel)
    };
    let scheme = agree(comm, scheme(physics, options.threads))?;
    let partition = domain.partition().clone();
    let ledger = Ledger {
        flows: Flows::new(&scenario, census.ids_end),
        ..Ledger::default()
    };
    Ok(Start {
        scenario,
        partition,
        cut,
        scheme,
        state,
        ledger,
        out,
        folder,
        threads: options.threads,
        wall_limit: options.wall_limit,
        differences: None,
        given_end: given_end(options),
        changed: false,
        nan_before: options.nan_before,
    })
}

/// The start of `moreau resume`. Collective.
pub(super) fn from_checkpoint(
    comm: &dyn Comm,
    from: &Path,
    options: &Options,
) -> Result<Start, RunError> {
    let found = loaded(comm, from)?;
    report_resuming(comm, &found.0, &found.1.header);
    let scenario = stored(comm, &found.0, &found.1.header, options)?;
    stages_stay(&scenario, &options.set)?;
    let before = unchanged(comm, &found.0, &found.1.header, options);
    let takes = scenario
        .statics
        .is_some_and(|statics| statics.start == StartWith::Forces);
    if takes && before.is_none() && !options.set.is_empty() {
        return Err(RunError::Input(
            "quasistatic.start = \"forces\" must come with all files of the checkpoint's configuration; found one that is gone"
                .to_owned(),
        ));
    }
    going_on(comm, found, (scenario, before.as_ref()), options)
}

/// The start of a run that would continue from a checkpoint, and its name. Collective.
///
/// It is for looking at the checkpoint, not for a run.
/// `set` changes keys of its configuration (`key=value`).
pub(super) fn to_look_at(
    comm: &dyn Comm,
    from: &Path,
    set: &[String],
) -> Result<(String, Start), RunError> {
    let options = Options {
        threads: 1,
        set: set.to_vec(),
        kept_files: true,
        ..Options::default()
    };
    let found = loaded(comm, from)?;
    let name = found.0.display().to_string();
    let scenario = stored(comm, &found.0, &found.1.header, &options)?;
    let before = unchanged(comm, &found.0, &found.1.header, &options);
    let start = going_on(comm, found, (scenario, before.as_ref()), &options)?;
    Ok((name, start))
}

/// The scenario of a checkpoint without the overrides, if there are any. Collective.
///
/// It is `None` as well where a file that an override replaces is gone.
pub(super) fn unchanged(
    comm: &dyn Comm,
    path: &Path,
    header: &Header,
    options: &Options,
) -> Option<Scenario> {
    let as_it_was = options.as_stored();
    let changes = !options.set.is_empty();
    let before = changes.then(|| stored(comm, path, header, &as_it_was));
    before?.ok()
}

/// Prints the checkpoint from which a run continues.
pub(super) fn report_resuming(comm: &dyn Comm, path: &Path, header: &Header) {
    if comm.rank() == 0 {
        tell!(
            "resuming from {} (step {}, time {} s)",
            path.display(),
            header.step,
            header.time
        );
    }
}

/// A wrong input.
pub(super) fn input(fault: impl std::fmt::Display) -> RunError {
    RunError::Input(fault.to_string())
}

/// The scenario of a configuration that rank 0 reads, with the files that it names. Collective.
///
/// All ranks check the same text and contents.
pub(super) fn shared(
    comm: &dyn Comm,
    read: impl FnOnce() -> Result<Given, Faults>,
) -> Result<Scenario, RunError> {
    let read = match comm.rank() {
        0 => read().map_err(input).and_then(|given| {
            let bytes = match comm.size() {
                1 => Vec::new(),
                _ => given.to_bytes().map_err(input)?,
            };
            Ok((Some(given), bytes))
        }),
        _ => Ok((None, Vec::new())),
    };
    let (read, bytes) = agree(comm, read)?;
    let all = comm.all_gather(&bytes);
    let given = match read {
        Some(given) => Ok(given),
        None => Given::from_bytes(&all[0]).map_err(input),
    };
    let given = agree(comm, given)?;
    if comm.rank() == 0 {
        given.notes.iter().for_each(|note| tell!("moreau: {note}"));
    }
    agree(comm, given.scenario().map_err(input))
}

/// The scenario of a checkpoint, with the overrides of the options. Collective.
pub(super) fn stored(
    comm: &dyn Comm,
    path: &Path,
    header: &Header,
    options: &Options,
) -> Result<Scenario, RunError> {
    let may = options.set.iter().try_for_each(|set| may_be_set(set));
    may.map_err(RunError::Input)?;
    let name = format!("{} (configuration)", path.display());
    let base = path.parent().unwrap_or(Path::new(""));
    let with = (header.time, options.kept_files);
    let mut scenario = shared(comm, || {
        Given::stored((&name, &header.config), base, &options.set, with)
    })?;
    scenario.follow(header.cell.as_ref());
    Ok(scenario)
}

/// The contents of a checkpoint, or of the newest valid one of a folder, and its path. Collective.
pub(super) fn loaded(comm: &dyn Comm, from: &Path) -> Result<(PathBuf, Loaded), RunError> {
    let input = |e: checkpoint::Error| RunError::Input(e.to_string());
    let is_folder = comm.any(comm.rank() == 0 && from.is_dir());
    if !is_folder {
        let loaded = checkpoint::read(comm, from).map_err(input)?;
        return Ok((from.to_owned(), loaded));
    }
    let (path, loaded, skipped) = checkpoint::read_newest(comm, from).map_err(input)?;
    if comm.rank() == 0 {
        skipped
            .iter()
            .for_each(|(path, why)| tell!("moreau: skipped {}: {why}", path.display()));
    }
    Ok((path, loaded))
}

/// Fails if a linear scheme is asked for more than one increment after this step.
pub(super) fn increments_fit(scenario: &Scenario, step: u64) -> Result<(), RunError> {
    let is_linear = (scenario.statics).is_some_and(|statics| !statics.method.may_halve());
    let left = scenario
        .last_step()
        .map_or(0, |last| last.saturating_sub(step));
    match is_linear && left > 1 {
        true => Err(RunError::Input(format!(
            "scheme = \"serrano_rodriguez\" must do one increment, as it is linear; found {left} until the end: time.dt \
             must be as long as the run, or time.steps less"
        ))),
        false => Ok(()),
    }
}

/// The start of a run that continues from a checkpoint with a scenario. Collective.
///
/// `before` is the scenario of the checkpoint where the other may differ from it.
pub(super) fn going_on(
    comm: &dyn Comm,
    (path, loaded): (PathBuf, Loaded),
    (mut scenario, before): (Scenario, Option<&Scenario>),
    options: &Options,
) -> Result<Start, RunError> {
    let Loaded {
        header,
        bodies,
        contacts,
        walls,
        flows,
        anchors,
        wear,
    } = loaded;
    let home = path.parent().unwrap_or(Path::new("")).to_owned();
    agree(comm, as_many_walls(&scenario, &walls))?;
    motions_are_known(before, &options.set)?;
    let mut states = wall_states(&walls);
    set_origins(&mut scenario, &walls);
    let before = before.cloned().map(|mut before| {
        set_origins(&mut before, &walls);
        before
    });
    let before = before.as_ref();
    // A cell that begins to deform has the size of the domain.
    let cell = (scenario.cell.as_ref()).map(|cell| cell.begun(header.cell.as_ref()));
    agree(comm, shear_fits(&scenario, cell.as_ref()))?;
    scenario.follow(cell.as_ref());
    clock_fits(&scenario, &header)?;
    let sizes = sizes(comm, &scenario, &bodies, header.time)
        .full_grown(&scenario, header.time)
        .and_to_come(&scenario);
    // A rule that begins here takes its length from the present bodies.
    let mut scenario = end_as_given(agree(comm, completed(scenario, &sizes))?, options);
    let then = states.clone();
    let mut references = wall_references(&walls);
    let here = (header.time, &mut states[..], &mut references[..]);
    let begun = before.map(|before| motions_begin(before, &mut scenario, here, sizes.smallest));
    if let (Some(list), 0) = (begun, comm.rank()) {
        list.iter().for_each(|text| tell!("moreau: {text}"));
    }
    let scenario = scenario;
    agree(comm, cell::fits(&scenario, cell.as_ref(), header.time))?;
    agree(comm, increments_fit(&scenario, header.step))?;
    let (physics, partition) = agree(comm, divide(&scenario, &sizes, comm.size()))?;
    agree(comm, bodies_fit(&bodies, &states, &scenario))?;
    let changes = before.map_or(Ok(()), |before| {
        changes_fit((before, &then), (&scenario, &states), &bodies)
    });
    agree(comm, changes)?;
    agree(comm, bonds_are_known(&scenario, &contacts))?;
    let parcel = Parcel { bodies, contacts };
    // A run that goes on as it was is judged by its first loads, which may have come already.
    let same = header.step > 0 && before.map_or(options.set.is_empty(), same_loads(&scenario));
    let judged = same && header.judged.unwrap_or(true);
    if !same {
        let there = (&parcel, header.time, header.dt);
        let domain = Domain::new(comm, partition.clone());
        rounding::allows((&scenario, &physics), (&domain, &sizes), there)?;
    }
    let mut scheme = agree(comm, scheme(physics, options.threads))?;
    // Without other keys it is the same scheme.
    if let (Scheme::Quasistatic(scheme), Some(None)) =
        (&mut scheme, before.map(|before| before.statics))
    {
        scheme.take_over();
    }
    let wear = wear::going_on(comm, (&scenario, before), &header, wear);
    let state = State {
        clock: Clock {
            step: header.step,
            time: header.time,
            dt: header.dt,
        },
        parcel,
        walls_before: states.clone(),
        references,
        walls: states,
        elastic: header.ledger.elastic,
        anchors: anchors.into(),
        cell,
        wear: agree(comm, wear)?,
        kept: 0,
    };
    let ledger = Ledger {
        energies: header.ledger,
        deleted: header.deleted,
        judged,
        plastic: header.plastic,
        capped_steps: header.capped_steps,
        rushed_steps: header.rushed_steps,
        flows: agree(
            comm,
            Flows::from_checkpoint(&scenario, flows, header.next_id),
        )?,
        ..Ledger::default()
    };
    // Rank 0's view of the folders decides for all ranks.
    let elsewhere = |out: &PathBuf| comm.any(comm.rank() == 0 && !same_folder(out, &home));
    let (out, folder) = match &options.out {
        Some(out) if elsewhere(out) => (
            out.clone(),
            if options.overwrite {
                Folder::Clear
            } else {
                Folder::Other
            },
        ),
        _ if options.overwrite => {
            return Err(RunError::Input(format!(
                "--overwrite: must come with --out and another folder; found the folder of the run itself, {}",
                home.display()
            )));
        }
        _ => (home, Folder::GoOn(path)),
    };
    Ok(Start {
        scenario,
        partition,
        cut: false,
        scheme,
        state,
        ledger,
        out,
        folder,
        threads: options.threads,
        wall_limit: options.wall_limit,
        differences: None,
        given_end: given_end(options),
        changed: before.is_some(),
        nan_before: options.nan_before,
    })
}

/// The end of the run by `--steps` or `--until`; `None` without them.
fn given_end(options: &Options) -> Option<End> {
    let is_given = options.steps.is_some() || options.until.is_some();
    is_given.then(|| End {
        steps: options.steps,
        until: options.until,
        ..End::default()
    })
}

/// `--steps` and `--until` replace the configured end; where stages follow, the earlier end counts.
fn end_as_given(mut scenario: Scenario, options: &Options) -> Scenario {
    let Some(given) = given_end(options) else {
        return scenario;
    };
    let follow = scenario.next_stage().is_some();
    let own = scenario.end;
    let of_time = own.until.into_iter().chain(given.until);
    let end = &mut scenario.end;
    (end.steps, end.until) = match follow {
        true => (
            own.steps.into_iter().chain(given.steps).min(),
            of_time.reduce(f64::min),
        ),
        false => (given.steps, given.until),
    };
    scenario
}

fn same_folder(a: &Path, b: &Path) -> bool {
    let whole = |p: &Path| {
        std::fs::canonicalize(if p.as_os_str().is_empty() {
            Path::new(".")
        } else {
            p
        })
    };
    matches!((whole(a), whole(b)), (Ok(a), Ok(b)) if a == b)
}

fn scheme(physics: Physics, threads: usize) -> Result<Scheme, RunError> {
    Scheme::new(physics, threads).map_err(|e| RunError::Input(format!("--threads {threads}: {e}")))
}
