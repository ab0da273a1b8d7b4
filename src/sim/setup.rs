//! The first state of a run, from a configuration or a checkpoint, checked as a whole before anything is written.

use super::balance::by_bodies;
use super::first::{counts, no_overlaps, share};
use super::memory::bytes_per_body;
use super::output::{Folder, Ledger};
use super::{Options, RunError};
use crate::body::{BodyId, BodyRow, WallState};
use crate::comm::{Comm, agree, sum_exact};
use crate::config::{self, Scenario};
use crate::domain::Domain;
use crate::domain::ghosts::reach;
use crate::domain::migration::Parcel;
use crate::domain::partition::Partition;
use crate::io::checkpoint::{self, Loaded};
use crate::io::{Header, WallRow};
use crate::math::{ExactSum, Vector3, nan_max};
use crate::scheme::moreau_jean::{Physics, System};
use crate::scheme::pace::{Pace, Rule};
use crate::shape::{disc_area, sphere_volume};
use crate::solver::grid::BlockGrid;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// All that the loop needs.
pub(super) struct Start {
    pub scenario: Scenario,
    pub partition: Partition,
    /// Whether the blocks have been shared out by their bodies already.
    pub cut: bool,
    pub system: System,
    pub ledger: Ledger,
    /// The folder for results.
    pub out: PathBuf,
    /// What to do with what it holds.
    pub folder: Folder,
    /// Threads per rank.
    pub threads: usize,
    /// Wall time after which the run ends.
    pub wall_limit: Option<Duration>,
    /// For tests: a body whose velocity becomes NaN before a step.
    pub nan_before: Option<(u64, BodyId)>,
}

/// What all bodies together are like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub count: u64,
    pub smallest: f64,
    pub largest: f64,
    pub volume: f64,
    /// Mass of all free bodies [kg].
    pub mass: f64,
    /// Smallest and largest mass [kg].
    pub masses: [f64; 2],
}

/// Block edge in largest radii where the configuration names none: four diameters, some 70 bodies of a dense packing.
const BLOCK_EDGE_IN_RADII: f64 = 8.0;

/// Skin in smallest radii where the configuration names none.
const SKIN_IN_RADII: f64 = 0.05;

/// The start of `moreau run`. Collective.
pub(super) fn from_config(
    comm: &dyn Comm,
    path: &Path,
    options: &Options,
) -> Result<Start, RunError> {
    let load = |set: &[String]| {
        config::load(path, set).map_err(|faults| RunError::Input(faults.to_string()))
    };
    let scenario = agree(comm, load(&options.set))?;
    let counts = counts(comm, &scenario)?;
    agree(comm, memory_suffices(&scenario, &counts, comm.size()))?;
    let bodies = share(comm, &scenario, &counts)?;
    let sizes = sizes(comm, &scenario, &bodies);
    // What follows from the sizes of the initial bodies is written into the configuration that checkpoints keep: bodies may be
    // deleted, and the run must go on as it began.
    let mut set = options.set.clone();
    set.push(format!("solver.block_edge={:?}", edge(&scenario, &sizes)));
    set.push(format!("solver.skin={:?}", skin(&scenario, &sizes)));
    set.extend(length_of_rule(&scenario, &sizes));
    let scenario = end_as_told(agree(comm, load(&set))?, options);
    let (physics, partition) = agree(comm, divide(&scenario, &sizes, comm.size()))?;
    let parcel = Parcel {
        bodies,
        contacts: Vec::new(),
    };
    let mut domain = Domain::new(comm, partition);
    let cut = by_bodies(comm, &mut domain, &scenario.balance, &parcel.bodies);
    agree(
        comm,
        no_overlaps(&domain, &physics, &parcel, scenario.max_initial_overlap),
    )?;
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("out"));
    let folder = if options.overwrite {
        Folder::Clear
    } else if options.or_resume {
        Folder::Begun
    } else {
        Folder::Fresh
    };
    let system = agree(comm, system(physics, 0, parcel, options.threads))?;
    let partition = domain.partition().clone();
    Ok(Start {
        scenario,
        partition,
        cut,
        system,
        ledger: Ledger::default(),
        out,
        folder,
        threads: options.threads,
        wall_limit: options.wall_limit,
        nan_before: options.nan_before,
    })
}

/// The start of `moreau resume`. Collective.
pub(super) fn from_checkpoint(
    comm: &dyn Comm,
    from: &Path,
    options: &Options,
) -> Result<Start, RunError> {
    let input = |e: checkpoint::Error| RunError::Input(e.to_string());
    let is_folder = comm.any(comm.rank() == 0 && from.is_dir());
    let (path, loaded) = if is_folder {
        let (path, loaded, skipped) = checkpoint::read_newest(comm, from).map_err(input)?;
        if comm.rank() == 0 {
            skipped
                .iter()
                .for_each(|(path, why)| tell!("moreau: skipped {}: {why}", path.display()));
        }
        (path, loaded)
    } else {
        (
            from.to_owned(),
            checkpoint::read(comm, from).map_err(input)?,
        )
    };
    let Loaded {
        header,
        bodies,
        contacts,
        walls,
    } = loaded;
    if comm.rank() == 0 {
        tell!(
            "resuming from {} (step {}, time {} s)",
            path.display(),
            header.step,
            header.time
        );
    }

    let home = path.parent().unwrap_or(Path::new("")).to_owned();
    // Bodies come from the checkpoint: what would change the making of them does nothing any more.
    let made = |key: &str| {
        let parts: Vec<&str> = key.split('.').collect();
        matches!(
            parts.as_slice(),
            ["bodies", ..] | ["material", _, "density"]
        )
    };
    let set = options.set.iter();
    if let Some(set) = set
        .clone()
        .find(|s| made(s.split('=').next().unwrap_or(s).trim()))
    {
        return Err(RunError::Input(format!(
            "--set {set}: the bodies are those of the checkpoint; accepted: keys of what is not a body"
        )));
    }
    let name = format!("{} (configuration)", path.display());
    let parsed = config::parse(&name, &header.config, &home, &options.set);
    let scenario = agree(
        comm,
        parsed.map_err(|faults| RunError::Input(faults.to_string())),
    )?;
    clock_fits(&scenario, &header)?;
    let sizes = sizes(comm, &scenario, &bodies);
    // A rule that begins here has its length from the bodies that are here.
    let scenario = match length_of_rule(&scenario, &sizes) {
        None => scenario,
        Some(length) => {
            let set = [&options.set[..], &[length]].concat();
            let parsed = config::parse(&name, &header.config, &home, &set);
            agree(
                comm,
                parsed.map_err(|faults| RunError::Input(faults.to_string())),
            )?
        }
    };
    let scenario = end_as_told(scenario, options);
    let (physics, partition) = agree(comm, divide(&scenario, &sizes, comm.size()))?;
    let states = agree(comm, wall_states(&scenario, &walls))?;
    agree(comm, bodies_fit(&bodies, &states, &scenario))?;
    let mut system = agree(
        comm,
        system(
            physics,
            header.step,
            Parcel { bodies, contacts },
            options.threads,
        ),
    )?;
    system.set_clock(header.time, header.dt);
    system.set_walls(states, header.ledger.elastic);
    let ledger = Ledger {
        energies: header.ledger,
        deleted: header.deleted,
        capped_steps: header.capped_steps,
        rushed_steps: header.rushed_steps,
        ..Ledger::default()
    };
    // One rank's view of the folders goes for all.
    let elsewhere = |out: &PathBuf| comm.any(comm.rank() == 0 && !same_folder(out, &home));
    let (out, folder) = match &options.out {
        Some(out) if elsewhere(out) => (
            out.clone(),
            if options.overwrite {
                Folder::Clear
            } else {
                Folder::Fresh
            },
        ),
        _ => (home, Folder::GoOn(path)),
    };
    Ok(Start {
        scenario,
        partition,
        cut: false,
        system,
        ledger,
        out,
        folder,
        threads: options.threads,
        wall_limit: options.wall_limit,
        nan_before: options.nan_before,
    })
}

/// Walls as a checkpoint has them; they must be those of the configuration, which `--set` may have changed.
fn wall_states(scenario: &Scenario, walls: &[WallRow]) -> Result<Vec<WallState>, RunError> {
    if walls.len() != scenario.walls.len() {
        return Err(RunError::Input(format!(
            "the checkpoint has {} walls, the configuration {}; accepted: as many",
            walls.len(),
            scenario.walls.len()
        )));
    }
    let state = |row: &WallRow| WallState {
        displacement: Vector3::from(row.displacement),
        orientation: row.orientation,
        velocity: Vector3::from(row.velocity),
        angular_velocity: Vector3::from(row.angular_velocity),
    };
    Ok(walls.iter().map(state).collect())
}

/// Bodies of a checkpoint must fit the configuration, which `--set` may have changed.
fn bodies_fit(
    bodies: &[BodyRow],
    states: &[WallState],
    scenario: &Scenario,
) -> Result<(), RunError> {
    for row in bodies {
        let x = Vector3::from(row.position);
        let inside = (0..3).all(|a| (scenario.lower[a]..=scenario.upper[a]).contains(&x[a]));
        let each = scenario.walls.iter().zip(states);
        let behind = each.map(|(wall, state)| (wall, wall.placed(state)));
        let behind = behind
            .into_iter()
            .find(|(_, surface)| surface.nearest(&x).0 < 0.0);
        let fault = if row.material as usize >= scenario.materials.len() {
            "has a material that the configuration does not list".to_owned()
        } else if !inside {
            format!("is outside the domain, at {:?} m", row.position)
        } else if let (Some((wall, _)), true) = (behind, row.is_free()) {
            format!("is behind wall {}, at {:?} m", wall.name, row.position)
        } else {
            continue;
        };
        return Err(RunError::Input(format!("body {} {fault}", row.id)));
    }
    Ok(())
}

/// Steps of one length lead to the time at which a run goes on; by a rule any time can have been reached.
fn clock_fits(scenario: &Scenario, header: &Header) -> Result<(), RunError> {
    let text = match scenario.pace {
        Pace::Even(dt) if dt * header.step as f64 != header.time => format!(
            "time.dt = {dt} does not lead to step {} at {} s; a run keeps its time step; accepted: the one it had, or a rule \
             {{ at_most, at_least, travel, growth }}",
            header.step, header.time
        ),
        Pace::Rule(_) if header.dt <= 0.0 => format!(
            "the checkpoint says that its last step was {} s long; accepted: more than 0",
            header.dt
        ),
        _ => return Ok(()),
    };
    Err(RunError::Input(text))
}

/// `--steps` and `--until` stand for the end that the configuration names.
fn end_as_told(mut scenario: Scenario, options: &Options) -> Scenario {
    if options.steps.is_some() || options.until.is_some() {
        scenario.end.steps = options.steps;
        scenario.end.until = options.until;
    }
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

fn skin(scenario: &Scenario, sizes: &Sizes) -> f64 {
    let skin = scenario.solver.skin;
    skin.unwrap_or(SKIN_IN_RADII * sizes.smallest)
}

/// How long steps are. A rule that names no length measures ways by the smallest radius, of bodies or of curvature of walls.
fn pace(scenario: &Scenario, sizes: &Sizes) -> Pace {
    match scenario.pace {
        Pace::Rule(rule) => {
            let curved = scenario.walls.iter().map(|w| w.surface.smallest_radius());
            let least = curved.fold(sizes.smallest, f64::min);
            Pace::Rule(Rule {
                length: rule.length.or(Some(least)),
                ..rule
            })
        }
        even => even,
    }
}

/// The override that writes a rule's length down, where it names none.
fn length_of_rule(scenario: &Scenario, sizes: &Sizes) -> Option<String> {
    match (scenario.pace, pace(scenario, sizes)) {
        (Pace::Rule(Rule { length: None, .. }), Pace::Rule(rule)) => {
            rule.length.map(|l| format!("time.dt.length={l:?}"))
        }
        _ => None,
    }
}

pub(super) fn edge(scenario: &Scenario, sizes: &Sizes) -> f64 {
    scenario
        .solver
        .block_edge
        .unwrap_or(BLOCK_EDGE_IN_RADII * sizes.largest)
}

/// Refuses what cannot fit before any body is made. Where the system does not tell its memory, anything goes.
pub(super) fn memory_suffices(
    scenario: &Scenario,
    counts: &[u64],
    ranks: usize,
) -> Result<(), RunError> {
    let bodies: u64 = counts.iter().sum();
    let needed = bodies as f64 * bytes_per_body(scenario) / ranks as f64;
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kibibytes = total.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    match kibibytes.map(|k| k * 1024.0) {
        Some(there) if needed > there => Err(RunError::Input(format!(
            "{bodies} bodies on {ranks} ranks need about {:.3e} bytes of memory each, and this machine has {there:.3e}; \
             accepted: fewer bodies, or more ranks on more machines",
            needed
        ))),
        _ => Ok(()),
    }
}

/// What all bodies together are like, of which each rank has a share. Collective.
pub(super) fn sizes(comm: &dyn Comm, scenario: &Scenario, share: &[BodyRow]) -> Sizes {
    let largest = |of: &dyn Fn(&BodyRow) -> f64| {
        comm.max_f64(share.iter().map(of).fold(f64::NEG_INFINITY, nan_max))
    };
    let volume = |row: &BodyRow| match scenario.two_dimensional {
        true => disc_area(row.radius), // Discs are a metre thick.
        false => sphere_volume(row.radius),
    };
    let free = share.iter().filter(|row| row.is_free());
    let mut sums: [ExactSum; 2] = [
        share.iter().map(volume).collect(),
        free.map(|row| row.mass).collect(),
    ];
    sum_exact(comm, &mut sums);
    let [volume, mass] = sums.map(|sum| sum.value());
    Sizes {
        count: comm.sum_count(share.len()),
        smallest: -largest(&|row| -row.radius),
        largest: largest(&|row| row.radius).max(0.0), // Where all have been deleted.
        volume,
        mass,
        masses: [-largest(&|row| -row.mass), largest(&|row| row.mass)],
    }
}

/// What does not change during the run, and who owns what.
pub(super) fn divide(
    scenario: &Scenario,
    sizes: &Sizes,
    ranks: usize,
) -> Result<(Physics, Partition), RunError> {
    let edge = edge(scenario, sizes);
    // Contacts that cohesion may hold must be seen as long as it can.
    let range = scenario.pairs.longest_range() * (1.0 + 1e-6);
    let skin = skin(scenario, sizes).max(range);
    let least = 2.0 * reach(sizes.largest, skin);
    if edge < least {
        let text = format!(
            "solver.block_edge = {edge} m is too small for bodies of radius {} m with skin {skin} m; accepted: at least {least} m",
            sizes.largest
        );
        return Err(RunError::Input(text));
    }
    let pace = pace(scenario, sizes);
    if let Pace::Rule(rule) = pace {
        let needed = 2.0 * reach(sizes.largest, skin + 2.0 * rule.way());
        if edge < needed {
            let text = format!(
                "solver.block_edge = {edge} m is too small for bodies of radius {} m with skin {skin} m that go up to {:e} m in a step \
                 (time.dt.travel); accepted: at least {needed} m",
                sizes.largest,
                rule.way()
            );
            return Err(RunError::Input(text));
        }
    }
    let physics = Physics {
        pace,
        until: scenario.end.until,
        gravity: scenario.gravity,
        pairs: scenario.pairs.clone(),
        walls: scenario.walls.clone(),
        solver: scenario.solver,
        largest_radius: sizes.largest,
        skin,
        delete_outside: scenario.delete_outside,
    };
    let grid = BlockGrid::new(scenario.lower, scenario.upper, edge, scenario.periodic);
    // A period that has room for one block only leaves a body half of it.
    if grid.shortest_edge() < least {
        let extent = scenario.upper - scenario.lower;
        let axis = (0..3).filter(|&a| scenario.periodic[a]);
        let axis = axis.min_by(|&a, &b| extent[a].total_cmp(&extent[b]));
        let axis = axis.unwrap_or_default();
        let text = format!(
            "the period of {} m along {} (domain.lower, domain.upper, domain.periodic) is too short for bodies of radius {} m with \
             skin {skin} m; accepted: at least {} m",
            extent[axis],
            ["x", "y", "z"][axis],
            sizes.largest,
            2.0 * least
        );
        return Err(RunError::Input(text));
    }
    Ok((
        physics,
        Partition::new(
            scenario.lower,
            scenario.upper,
            grid,
            ranks,
            &scenario.gravity,
        ),
    ))
}

fn system(physics: Physics, step: u64, parcel: Parcel, threads: usize) -> Result<System, RunError> {
    System::new(physics, step, parcel, threads)
        .map_err(|e| RunError::Input(format!("--threads {threads}: {e}")))
}
