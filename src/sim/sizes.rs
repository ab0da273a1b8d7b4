//! Values that follow from the sizes of bodies: blocks, skin, lengths of steps, the division among
//! ranks.

use super::error::RunError;
use super::large;
use super::memory::bytes_per_body;
use super::room::walls_keep_inside;
use crate::body::{BodyId, BodyRow, Large};
use crate::comm::{Comm, sum_exact};
use crate::config::{Derived, Scenario, What};
use crate::domain::ghosts::reach;
use crate::domain::partition::Partition;
use crate::math::{ExactSum, nan_max};
use crate::sample::inlet::{Inlet, Rate};
use crate::scheme::Physics;
use crate::scheme::pace::{Pace, Rule};
use crate::scheme::quasistatic;
use crate::shape::{Template, mass_and_inertia};
use crate::solver::grid::BlockGrid;

/// The sizes and masses of all bodies together.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub count: u64,
    pub smallest: f64,
    /// Largest radius but for large bodies [m].
    pub largest: f64,
    /// Largest radius of all bodies [m].
    pub widest: f64,
    /// Bodies much larger than the rest.
    pub large: Large,
    /// The radius above which they are [m].
    pub large_above: Option<f64>,
    /// Smallest radius of a ball, be it a body or a part of a clump [m].
    pub smallest_ball: f64,
    pub volume: f64,
    /// Mass of all free bodies [kg].
    pub mass: f64,
    /// Smallest and largest mass [kg].
    pub masses: [f64; 2],
}

/// Default block edge in units of the largest radius: four diameters, some 70 bodies of a dense
/// packing.
const BLOCK_EDGE_IN_RADII: f64 = 8.0;

/// Default skin in units of the smallest radius.
const SKIN_IN_RADII: f64 = 0.05;

fn skin(scenario: &Scenario, sizes: &Sizes) -> f64 {
    let skin = scenario.solver.skin;
    skin.unwrap_or(SKIN_IN_RADII * sizes.smallest)
}

/// The length of steps.
///
/// A rule without a length measures displacements by the smallest radius, of bodies or of curvature
/// of walls.
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

/// The scenario with the lengths that follow from the bodies.
///
/// Checkpoints store them: bodies may be deleted, and the run must continue as it began.
pub(super) fn completed(mut scenario: Scenario, sizes: &Sizes) -> Result<Scenario, RunError> {
    large::may_be(&scenario, &sizes.large, sizes.count)?;
    let derived = Derived {
        block_edge: edge(&scenario, sizes),
        skin: skin(&scenario, sizes),
        large_radius: sizes.large_above,
        length: match pace(&scenario, sizes) {
            Pace::Rule(rule) => rule.length,
            Pace::Even(_) => None,
        },
    };
    scenario.complete(&derived).map_err(RunError::Input)?;
    Ok(scenario)
}

pub(super) fn edge(scenario: &Scenario, sizes: &Sizes) -> f64 {
    scenario
        .solver
        .block_edge
        .unwrap_or(BLOCK_EDGE_IN_RADII * sizes.largest)
}

/// The number of bodies that inlets may bring until the run ends; `None` if it is unbounded.
pub(super) fn to_come(scenario: &Scenario) -> Option<u64> {
    let end = scenario.last_time();
    let most = |inlet: &Inlet| {
        let open = (inlet.spell.until.min(end) - inlet.spell.from.max(0.0)).max(0.0);
        let due = match inlet.rate {
            Rate::Number(rate) => rate * open,
            Rate::Mass(rate) => {
                // Of clumps the radius is that of the bounding sphere.
                let ball = mass_and_inertia(1.0, 1.0, inlet.discs).0;
                let form = inlet.form.as_ref();
                let share = form.map_or(1.0, |form| form.template.volume(1.0) / ball);
                let volume = share * inlet.radius.mean_volume(inlet.discs);
                rate * open / (inlet.density * volume)
            }
        };
        // The largest integer stands for an inlet without a count.
        let count = (inlet.count < u64::MAX).then_some(inlet.count);
        match count {
            Some(count) => Some(count.min(due.ceil() as u64)),
            None => due.is_finite().then(|| due.ceil() as u64),
        }
    };
    let mut each = scenario.inlets.iter().map(most);
    each.try_fold(0_u64, |sum, n| n.map(|n| sum.saturating_add(n)))
}

/// Refuses tracks of bodies that no sample makes and no inlet may bring. Collective.
///
/// `rows` are this rank's bodies, by id; those of inlets have the ids from `ids_end` on.
pub(super) fn tracked_exist(
    comm: &dyn Comm,
    scenario: &Scenario,
    ids_end: u64,
    rows: &[BodyRow],
) -> Result<(), RunError> {
    let come = to_come(scenario).unwrap_or(u64::MAX);
    let to_come = ids_end..ids_end.saturating_add(come);
    for measure in &scenario.measures {
        let tracks = measure.what.iter().filter_map(|what| match what {
            What::Tracks(ids) => Some(ids),
            _ => None,
        });
        let tracks: Vec<&BodyId> = tracks.flatten().collect();
        let here = |id: &&BodyId| rows.binary_search_by_key(*id, |row| row.id).is_ok();
        let mut known: Vec<i64> = tracks.iter().map(|id| i64::from(here(id))).collect();
        comm.sum_i64(&mut known);
        let mut each = tracks.iter().zip(known);
        if let Some((id, _)) = each.find(|(id, n)| *n == 0 && !to_come.contains(&id.0)) {
            return Err(RunError::Input(format!(
                "measure {}: ids must be those of bodies; found {id}, which no body has",
                measure.name,
            )));
        }
    }
    Ok(())
}

/// Refuses a run that does not fit into memory, before any body is made.
///
/// Where the system does not report its memory, any run passes.
pub(super) fn memory_suffices(
    scenario: &Scenario,
    made: u64,
    ranks: usize,
) -> Result<(), RunError> {
    // With outlets the number of bodies present at once is unknown.
    let stays = scenario.acts.outlets.is_empty() && !scenario.delete_outside;
    let come = to_come(scenario).filter(|_| stays).unwrap_or(0);
    let bodies = made.saturating_add(come);
    let needed = bodies as f64 * bytes_per_body(scenario) / ranks as f64;
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kibibytes = total.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    match kibibytes.map(|k| k * 1024.0) {
        Some(there) if needed > there => Err(RunError::Input(format!(
            "{bodies} bodies{} on {ranks} ranks need about {:.3e} bytes of memory each, and this machine has {there:.3e}; \
             use fewer bodies, or more ranks on more machines",
            if come > 0 {
                format!(", {come} of them by inlets,")
            } else {
                String::new()
            },
            needed
        ))),
        _ => Ok(()),
    }
}

/// The sizes of all bodies at a time [s], of which each rank has a share. Collective.
pub(super) fn sizes(comm: &dyn Comm, scenario: &Scenario, share: &[BodyRow], time: f64) -> Sizes {
    let growth = growth(scenario, time);
    let large_above = large::above(comm, scenario, share, growth);
    let large = large::large(comm, share, (large_above, growth));
    let largest = |of: &dyn Fn(&BodyRow) -> f64| {
        comm.max_f64(share.iter().map(of).fold(f64::NEG_INFINITY, nan_max))
    };
    let volume = |row: &BodyRow| row.volume(scenario.two_dimensional, &scenario.templates);
    let least_ball = |row: &BodyRow| {
        let balls = row.balls(&scenario.templates);
        balls.map(|ball| ball.radius).fold(f64::INFINITY, f64::min)
    };
    let free = share.iter().filter(|row| row.is_free());
    let mut sums: [ExactSum; 2] = [
        share.iter().map(volume).collect(),
        free.map(|row| row.mass).collect(),
    ];
    sum_exact(comm, &mut sums);
    let [volume, mass] = sums.map(|sum| sum.value());
    let widest = largest(&|row| row.radius).max(0.0); // If all have been deleted.
    let of_others = |row: &BodyRow| if large.has(row.id) { 0.0 } else { row.radius };
    Sizes {
        count: comm.sum_count(share.len()),
        smallest: -largest(&|row| -row.radius),
        largest: largest(&of_others).max(0.0),
        widest,
        large_above,
        smallest_ball: -largest(&|row| -least_ball(row)),
        volume,
        mass,
        masses: [-largest(&|row| -row.mass), largest(&|row| row.mass)],
        large,
    }
}

/// The radius of a fully grown body over that at a time [s].
fn growth(scenario: &Scenario, time: f64) -> f64 {
    scenario.acts.growth.map_or(1.0, |g| 1.0 / g.size(time))
}

/// Radius of a clump's smallest part, by its bounding radius.
fn smallest_part(template: &Template) -> f64 {
    let radii = template.parts().iter().map(|part| part.radius);
    radii.fold(f64::INFINITY, f64::min)
}

impl Sizes {
    /// The sizes including those of bodies that will come in.
    pub(super) fn and_to_come(mut self, scenario: &Scenario) -> Self {
        for inlet in &scenario.inlets {
            let mass = |r: f64| match &inlet.form {
                Some(form) => inlet.density * form.template.volume(r),
                None => mass_and_inertia(inlet.density, r, inlet.discs).0,
            };
            let [least, most] = inlet.radius.bounds();
            self.smallest = self.smallest.min(least);
            self.largest = self.largest.max(most);
            self.widest = self.widest.max(most);
            let part = inlet
                .form
                .as_ref()
                .map_or(1.0, |f| smallest_part(&f.template));
            self.smallest_ball = self.smallest_ball.min(part * least);
            let [light, heavy] = self.masses;
            self.masses = [light.min(mass(least)), heavy.max(mass(most))];
        }
        self
    }

    /// The final sizes of bodies that grow, from their sizes at a time [s].
    pub(super) fn full_grown(self, scenario: &Scenario, time: f64) -> Self {
        let factor = growth(scenario, time);
        Self {
            smallest: self.smallest * factor,
            largest: self.largest * factor,
            widest: self.widest * factor,
            smallest_ball: self.smallest_ball * factor,
            volume: self.volume * factor.powi(if scenario.two_dimensional { 2 } else { 3 }),
            ..self
        }
    }
}

/// The constants of the run, and the division of the domain among ranks.
pub(super) fn divide(
    scenario: &Scenario,
    sizes: &Sizes,
    ranks: usize,
) -> Result<(Physics, Partition), RunError> {
    walls_keep_inside(scenario, sizes.smallest_ball)?;
    large::may_be(scenario, &sizes.large, sizes.count)?;
    let edge = edge(scenario, sizes);
    // Detection must find contacts as long as cohesion can hold them.
    let range = scenario.laws.pairs.longest_range() * (1.0 + 1e-6);
    let skin = skin(scenario, sizes).max(range);
    let least = match scenario.statics {
        None => 2.0 * reach(sizes.largest, skin),
        Some(_) => {
            let bonds = scenario.laws.bonds.iter().map(|glue| glue.gap);
            quasistatic::least_edge(sizes.largest, bonds.fold(skin, f64::max))
        }
    };
    let too_small = |text| {
        Err(RunError::Input(
            scenario.refuse("solver.block_edge", text).to_string(),
        ))
    };
    if edge < least {
        return too_small(format!(
            "must be at least {least} m for bodies of radius {} m with skin {skin} m; found {edge} m",
            sizes.largest
        ));
    }
    if let Some(statics) = scenario.statics {
        quasistatic::may_run(&statics, sizes.count).map_err(RunError::Input)?;
    }
    let pace = pace(scenario, sizes);
    if let Pace::Rule(rule) = pace {
        let needed = 2.0 * reach(sizes.largest, skin + 2.0 * rule.way());
        if edge < needed {
            return too_small(format!(
                "must be at least {needed} m for bodies of radius {} m with skin {skin} m that move up to {:e} m in a step \
                 (time.dt.travel); found {edge} m",
                sizes.largest,
                rule.way()
            ));
        }
    }
    let physics = Physics {
        pace,
        until: scenario.end.until,
        gravity: scenario.gravity,
        laws: scenario.laws.clone(),
        templates: scenario.templates.clone(),
        walls: scenario.walls.clone(),
        cell: scenario.cell.clone(),
        solver: scenario.solver,
        largest_radius: sizes.largest,
        large: sizes.large.clone(),
        skin,
        delete_outside: scenario.delete_outside,
        acts: scenario.acts.clone(),
        planar: scenario.two_dimensional,
        statics: scenario.statics,
    };
    let grid = BlockGrid::new(scenario.lower, scenario.upper, edge, scenario.periodic)
        .sheared(scenario.shear);
    // A period with room for a single block leaves a body half of it.
    let half = |a: usize| 0.5 * (scenario.upper[a] - scenario.lower[a]);
    let periodic = (0..3).filter(|&a| scenario.periodic[a]);
    let half = periodic.map(half).fold(f64::INFINITY, f64::min);
    let least = match half < 2.0 * reach(sizes.widest, skin) {
        true => 2.0 * reach(sizes.widest, skin),
        false => least,
    };
    if half.min(grid.shortest_edge()) < least {
        let extent = scenario.upper - scenario.lower;
        let axis = (0..3).filter(|&a| scenario.periodic[a]);
        let axis = axis.min_by(|&a, &b| extent[a].total_cmp(&extent[b]));
        let axis = axis.unwrap_or_default();
        let text = format!(
            "the period of {} m along {} (domain.lower, domain.upper, domain.periodic) is too short for bodies of radius {} m with \
             skin {skin} m; must be at least {} m",
            extent[axis],
            ["x", "y", "z"][axis],
            sizes.widest,
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
