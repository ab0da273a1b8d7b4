//! `moreau check`: the properties of a run, without running it.

mod meshes;
mod springs;
mod statics;

use super::bonds::pairs_exist;
use super::cell;
use super::census::census;
use super::error::RunError;
use super::first::{shares, together};
use super::first_contacts::begins_well;
use super::memory::{Ahead, Numbers, bytes_falling, bytes_per_body, bytes_with, fall};
use super::options::Options;
use super::rounding;
use super::setup::{increments_fit, shared};
use super::sizes::{Sizes, divide, edge, sizes, to_come, tracked_exist};
use crate::body::{BodyRow, Cell};
use crate::comm::{Comm, agree, sum_exact};
use crate::config::{Given, Scenario};
use crate::domain::Domain;
use crate::domain::migration::Parcel;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::sample::{self, inlet::Rate};
use crate::scheme::Physics;
use crate::scheme::pace::Pace;
use crate::shape::{Template, mass_and_inertia, sphere_volume};
use std::path::Path;

/// `moreau check`: validates a configuration and describes the run; runs and writes nothing.
///
/// # Errors
/// The errors of `run`.
pub fn check(comm: &dyn Comm, path: &Path, options: &Options) -> Result<String, RunError> {
    let scenario = shared(comm, || Given::begin(path, &options.set))?;
    let census = census(comm, &scenario)?;
    let shares = shares(comm, &scenario, &census)?;
    let samples = samples(comm, &scenario, &shares);
    let bodies = together(comm, &scenario, &census, shares)?;
    pairs_exist(comm, &scenario, &bodies)?;
    let cell = scenario.cell.as_ref();
    agree(
        comm,
        cell::fits(&scenario, cell.map(Cell::start).as_ref(), 0.0),
    )?;
    agree(comm, increments_fit(&scenario, 0))?;
    let sizes = sizes(comm, &scenario, &bodies, 0.0)
        .full_grown(&scenario, 0.0)
        .and_to_come(&scenario);
    tracked_exist(comm, &scenario, census.ids_end, &bodies)?;
    let (physics, partition) = agree(comm, divide(&scenario, &sizes, comm.size()))?;
    let parcel = Parcel {
        bodies,
        contacts: Vec::new(),
    };
    let domain = Domain::new(comm, partition);
    begins_well((comm, &domain), (&scenario, &physics), &parcel)?;
    let begun = (&parcel, 0.0, scenario.pace.at_most());
    rounding::allows((&scenario, &physics), (&domain, &sizes), begun)?;
    let blocks = domain.partition().grid().count();
    let (whole, unit) = whole(&scenario);
    // Measured on 10 000 settled spheres: 2.9 candidates per body, some 40 sweeps per step at
    // tolerance 1e-2 while the packing settles, 64 ns per update of the plain kernel, and 5 µs per
    // body for the rest of a step.
    let come = to_come(&scenario);
    let bodies = sizes.count as f64 + come.unwrap_or(0) as f64;
    let seconds_per_step = bodies * (2.9 * 40.0 * 64e-9 + 5e-6);
    let mut ignored = Vec::new();
    for entry in &scenario.samples {
        ignored.extend(sample::ignored(entry).map_err(|e| RunError::Input(e.to_string()))?);
    }
    let mut lines = vec![
        format!("title      {}", scenario.title),
        format!(
            "bodies     {}, radius {} to {} m",
            sizes.count, sizes.smallest, sizes.widest
        ),
        format!(
            "filling    {:.3} of the domain's {whole:.3e} {unit} is solid",
            sizes.volume / whole
        ),
        format!(
            "blocks     {} × {} × {}, edge at least {:.4} m",
            blocks[0],
            blocks[1],
            blocks[2],
            edge(&scenario, &sizes)
        ),
    ];
    lines.splice(2..2, samples);
    lines.splice(2..2, large(&sizes));
    let mut end = format!("end        {}", scenario.end);
    for stage in &scenario.stages {
        end += &format!("\nstage      {}: {}", stage.name, stage.about());
    }
    let memory = memory(comm, &scenario, &physics, &sizes, &parcel);
    let span = match scenario.statics {
        Some(_) => "increment",
        None => "time step",
    };
    let span = (span, scenario.pace.at_most());
    lines.extend(scenario.cell.as_ref().map(|of| cell::line(of, span)));
    if scenario.statics.is_some() {
        lines.extend([end, memory]);
        lines.extend(masses(&sizes));
        let pairs = springs::compliant(&scenario, &sizes).into_iter();
        let pairs: Vec<_> = pairs.map(|(names, pair, _)| (names, pair)).collect();
        let weight = springs::weight(&scenario, &sizes);
        let free = parcel.bodies.iter().filter(|row| row.is_free());
        let free = comm.sum_count(free.count());
        lines.extend(statics::lines(
            (&scenario, &domain, &sizes),
            free,
            &pairs,
            weight,
        ));
    } else {
        let time = format!(
            "time       roughly {seconds_per_step:.2e} core-seconds per step in a settling packing (an estimate, not a promise)"
        );
        lines.extend([steps(&physics, &domain, &sizes), end, memory, time]);
        lines.extend(fast(comm, &scenario, &physics, &sizes, &parcel));
        lines.extend(masses(&sizes));
        lines.extend(derived(&scenario, &sizes));
    }
    lines.extend(scenario.walls.iter().filter_map(meshes::line));
    lines.extend(scenario.walls.iter().filter_map(meshes::compound));
    lines.extend(meshes::met(&scenario));
    lines.extend(ignored.iter().map(|what| format!("ignored    {what}")));
    lines.push("ok".to_owned());
    Ok(lines.join("\n"))
}

/// The size of the domain, and its unit: [m³], in two dimensions the area [m²].
///
/// Discs are one metre thick, independent of the domain.
fn whole(scenario: &Scenario) -> (f64, &'static str) {
    let edges = scenario.upper - scenario.lower;
    match scenario.two_dimensional {
        true => (edges.x * edges.y, "m²"),
        false => (edges.product(), "m³"),
    }
}

/// A line about each sample and inlet. Collective.
fn samples(comm: &dyn Comm, scenario: &Scenario, shares: &[Vec<BodyRow>]) -> Vec<String> {
    let mut lines = Vec::new();
    let flat = scenario.two_dimensional;
    for (number, (sample, mine)) in scenario.samples.iter().zip(shares).enumerate() {
        let like = sizes(comm, scenario, mine, 0.0).full_grown(scenario, 0.0);
        let count = like.count;
        let mut sums: [ExactSum; 2] = [
            mine.iter().map(|row| row.radius).collect(),
            mine.iter().map(|row| row.mass).collect(),
        ];
        sum_exact(comm, &mut sums);
        let [radii, mass] = sums.map(|sum| sum.value());
        let mean = radii / count as f64 / sample.size;
        let (whole, unit) = whole(scenario);
        let (space, of) = match sample.space() {
            Some(space) => (space.volume(flat), "its region's"),
            None => (whole, "the domain's"),
        };
        lines.push(format!(
            "sample {number}   {count} bodies, radius {} to {} m, mean {mean:.4e} m, mass {mass:.6e} kg; {:.4} of {of} {space:.4e} {unit} is solid{}",
            like.smallest,
            like.widest,
            like.volume / space,
            ids(comm, mine)
        ));
    }
    let each = scenario.inlets.iter();
    lines.extend(each.map(|inlet| {
        let (rate, unit) = match inlet.rate {
            Rate::Number(rate) => (rate, "bodies"),
            Rate::Mass(rate) => (rate, "kg"),
        };
        let [least, most] = inlet.radius.bounds();
        let (name, until) = (&inlet.name, inlet.spell.until);
        let end = if until.is_finite() {
            format!(" until {until} s")
        } else {
            String::new()
        };
        let radius = match &inlet.form {
            Some(form) => format!("template {}, bounding radius", form.template.name()),
            None => "radius".to_owned(),
        };
        format!("inlet      {name}: {rate} {unit} a second{end}, {radius} {least} to {most} m")
    }));
    lines.extend(scenario.templates.iter().map(template));
    lines
}

/// The least and the largest id of bodies, as text. Collective.
fn ids(comm: &dyn Comm, mine: &[BodyRow]) -> String {
    let ids = mine.iter().map(|row| row.id.0 as i64);
    let mut ends = [
        ids.clone().map(|id| -id).max().unwrap_or(i64::MIN),
        ids.max().unwrap_or(i64::MIN),
    ];
    comm.max_i64(&mut ends);
    match ends {
        [_, i64::MIN] => String::new(),
        [least, most] => format!("; ids {} to {most}", -least),
    }
}

/// A template's balls, and its volume with the error of the integration.
fn template(of: &Template) -> String {
    let radii = of.parts().iter().map(|part| part.radius);
    let [least, most] = [
        radii.clone().fold(f64::INFINITY, f64::min),
        radii.fold(0.0, f64::max),
    ];
    let bounding = mass_and_inertia(1.0, 1.0, of.discs()).0;
    format!(
        "template   {}: {} balls, radius {least:.4} to {most:.4} of the bounding radius; volume {:.4} of the bounding \
         sphere's, relative error of the mass properties {:.1e}",
        of.name(),
        of.parts().len(),
        of.volume(1.0) / bounding,
        of.error()
    )
}

/// The memory of the run: in a dense packing, and while bodies fall. Collective.
fn memory(
    comm: &dyn Comm,
    scenario: &Scenario,
    physics: &Physics,
    sizes: &Sizes,
    parcel: &Parcel,
) -> String {
    let come = to_come(scenario);
    let more = match come {
        Some(0) => String::new(),
        Some(n) => format!(", with {n} bodies that inlets may bring"),
        None => "; without bound: an inlet has no end, and its bodies are not included".to_owned(),
    };
    let bodies = sizes.count as f64 + come.unwrap_or(0) as f64;
    let megabytes = |per_body: f64| bodies * per_body / 1e6;
    let at_rest = megabytes(bytes_per_body(scenario));
    if scenario.statics.is_some() {
        return format!("memory     about {at_rest:.0} MB over all ranks, and 33 MB more per rank");
    }
    // The densest part of space in which bodies start: the box around them, or their regions.
    let (filling, radius) = filling(comm, sizes, parcel);
    let spaces = scenario.samples.iter().map(|sample| sample.space());
    let spaces: Option<f64> = spaces
        .map(|space| Some(space?.volume(scenario.two_dimensional)))
        .sum();
    let filling = filling.max(spaces.map_or(0.0, |whole| sizes.volume / whole));
    let pull = scenario.gravity.norm();
    let height = fall(comm, scenario, &parcel.bodies, filling);
    let first = first_speed(comm, &parcel.bodies);
    let speed = (first * first + 2.0 * pull * height).sqrt();
    let speed = speed.min(first + pull * scenario.last_time());
    let way = match physics.pace {
        Pace::Even(dt) => speed * dt,
        Pace::Rule(rule) => rule.way().min(speed * rule.at_most),
    };
    let ahead = Ahead {
        radius,
        skin: physics.skin,
        way,
        edge: edge(scenario, sizes),
    };
    let falling = megabytes(bytes_falling(scenario, ahead));
    if falling > 1.05 * at_rest {
        return format!(
            "memory     about {falling:.0} MB over all ranks, and 33 MB more per rank, while bodies fall at up to {speed:.2} m/s; {at_rest:.0} MB \
             instead in a dense packing at rest{more}"
        );
    }
    format!(
        "memory     about {at_rest:.0} MB over all ranks in a dense packing, and 33 MB more per rank{more}"
    )
}

/// The number of large bodies, if there are some.
fn large(sizes: &Sizes) -> Option<String> {
    let (count, above) = (sizes.large.len(), sizes.large_above?);
    let line = format!("large      {count} large bodies, of radius above {above:.3e} m");
    Some(line)
}

/// The fastest free body at the start [m/s]. Collective.
fn first_speed(comm: &dyn Comm, bodies: &[BodyRow]) -> f64 {
    let free = bodies.iter().filter(|row| row.is_free());
    let speeds = free.map(|row| Vector3::from(row.velocity).norm());
    comm.max_f64(speeds.fold(0.0, nan_max))
}

/// The fraction of the box around all bodies that they fill, and their mean radius [m]. Collective.
fn filling(comm: &dyn Comm, sizes: &Sizes, parcel: &Parcel) -> (f64, f64) {
    let ends = |a: usize, sign: f64| {
        let each = parcel
            .bodies
            .iter()
            .map(|row| sign * row.position[a] + row.radius);
        comm.max_f64(each.fold(f64::NEG_INFINITY, nan_max))
    };
    let edges = [0, 1, 2].map(|a| ends(a, 1.0) + ends(a, -1.0));
    let radius = (sizes.volume / sizes.count as f64 / sphere_volume(1.0)).cbrt();
    (sizes.volume / edges.iter().product::<f64>(), radius)
}

/// The length of steps, and two speeds of a body.
///
/// At these it moves in one step as far as its block allows, or by its own radius.
fn steps(physics: &Physics, domain: &Domain, sizes: &Sizes) -> String {
    let edge = domain.partition().grid().shortest_edge();
    let way = 0.5 * (edge / (1.0 + 1e-9) - 2.0 * physics.largest_radius - physics.skin);
    match physics.pace {
        Pace::Even(dt) => format!(
            "dt         {dt} s; blocks allow {:.3} m/s, a radius per step is {:.3} m/s",
            way / dt,
            sizes.smallest_ball / dt
        ),
        Pace::Rule(rule) => format!(
            "dt         {} to {} s, so that nothing goes further than {:.3e} m in a step ({} of {:e} m), growing by a factor of at most {} per step: \
             at {:.3} m/s dt begins to shrink, above {:.3} m/s steps are counted as rushed, blocks allow {:.3} m/s",
            rule.at_least,
            rule.at_most,
            rule.way(),
            rule.travel,
            rule.length.unwrap_or(f64::NAN),
            rule.growth,
            rule.way() / rule.at_most,
            rule.way() / rule.at_least,
            way / rule.at_least
        ),
    }
}

/// The pairs that detection finds, and their memory, while the fastest initial body moves.
/// Collective.
fn fast(
    comm: &dyn Comm,
    scenario: &Scenario,
    physics: &Physics,
    sizes: &Sizes,
    parcel: &Parcel,
) -> Option<String> {
    let fall = scenario.gravity * physics.pace.at_most();
    let speed = |row: &BodyRow| match row.is_free() {
        true => (Vector3::from(row.velocity) + fall).norm(),
        false => Vector3::from(row.velocity).norm(),
    };
    let speed = comm.max_f64(parcel.bodies.iter().map(speed).fold(0.0, nan_max));
    let way = match physics.pace {
        Pace::Even(dt) => speed * dt,
        Pace::Rule(rule) => rule.way().min(speed * rule.at_most),
    };
    let (filling, radius) = filling(comm, sizes, parcel);
    let margin = physics.skin + 2.0 * way;
    let numbers = Numbers::filling(
        filling,
        Ahead {
            radius,
            skin: physics.skin,
            way,
            edge: edge(scenario, sizes),
        },
    );
    let candidates = numbers.touches();
    let megabytes = sizes.count as f64 * bytes_with(scenario, numbers) / 1e6;
    (candidates > 4.0 && !scenario.two_dimensional).then(|| {
        format!(
            "fast       {speed:.3} m/s: detection looks {:.2} diameters ahead in a step and finds {candidates:.0} pairs per body, about \
             {megabytes:.0} MB over all ranks meanwhile; shorter steps, or a rule for time.dt, reduce it",
            0.5 * margin / radius
        )
    })
}

/// Number of rigid bodies from which packings come to rest late (docs/decisions.md).
const MANY: u64 = 20_000;

/// The softness `c = C m_n/Δt²` of the springs that large packings should have.
const SOFT: f64 = 0.03;

/// Advice for a large rigid packing that is to come to rest under gravity.
fn late_rest(scenario: &Scenario, sizes: &Sizes, dt: f64) -> Option<String> {
    let pairs = &scenario.laws.pairs;
    // With restitution, a stiffness would change the collisions.
    let rigid = pairs.any_rigid() && !pairs.bounce();
    let late = scenario.end.rest.is_some() && sizes.count >= MANY && sizes.mass > 0.0 && rigid;
    // The reduced mass of two mean bodies [kg].
    let reduced = 0.5 * sizes.mass / sizes.count as f64;
    late.then(|| {
        format!(
            "advice     rigid packings of {MANY} bodies or more come to rest late, at 50 000 three times later than with springs: \
             a stiffness of {:.1e} N/m in every [[material]], with solver.tolerance = 5e-3, is soft enough for {dt:e} s",
            reduced / (SOFT * dt * dt)
        )
    })
}

/// Restitution from which the energy of many collisions needs exact steps.
const ELASTIC: f64 = 0.95;

/// The tolerance with which such collisions keep their energy (tests/collisions.rs).
const EXACT: f64 = 1e-9;

/// Advice for collisions that are nearly elastic, whose errors add up to energy.
fn exact_collisions(scenario: &Scenario) -> Option<String> {
    let number = scenario.materials.len() as u32;
    let mut pairs = (0..number).flat_map(|a| (a..number).map(move |b| (a, b)));
    let elastic = pairs.any(|(a, b)| scenario.laws.pairs.between(a, b).restitution >= ELASTIC);
    let tolerance = scenario.solver.tolerance;
    (elastic && tolerance > EXACT).then(|| {
        format!(
            "advice     collisions with restitution {ELASTIC} or more gain energy at a tolerance of {tolerance:e}: a dilute \
             gas of e = 1 some 5 % in 20 s at 1e-2, a dense one far more; solver.tolerance = {EXACT:e} keeps it, and costs a gas no more"
        )
    })
}

/// The masses of bodies, and the reduced radii and masses of contacts.
fn masses(sizes: &Sizes) -> [String; 2] {
    let [light, heavy] = sizes.masses;
    [
        format!(
            "masses     {light:.4e} to {heavy:.4e} kg, free bodies together {:.6e} kg",
            sizes.mass
        ),
        // [001 eq. 1.21, 1.42]: for two equal bodies, and for a body and a wall; radii are those of
        // balls and of parts of clumps.
        format!(
            "reduced    radius r* {:.4e} m between two of the smallest bodies, {:.4e} m against a wall; mass m_n {:.4e} and {:.4e} kg",
            0.5 * sizes.smallest_ball,
            sizes.smallest_ball,
            0.5 * light,
            light
        ),
    ]
}

/// A suitable time step, and the softness of compliant pairs.
fn derived(scenario: &Scenario, sizes: &Sizes) -> Vec<String> {
    let (dt, g) = (scenario.pace.at_most(), scenario.gravity.norm());
    let named = match scenario.pace {
        Pace::Even(_) => "time.dt",
        Pace::Rule(_) => "time.dt.at_most",
    };
    let mut lines = Vec::new();
    if g > 0.0 {
        let axis = scenario.gravity.iamax();
        let height = scenario.upper[axis] - scenario.lower[axis];
        let fall = (2.0 * g * height).sqrt();
        lines.push(format!(
            "advice     bodies that fall through the domain reach {fall:.3} m/s; a tenth of a radius per step is then \
             {:.2e} s [001 §1.6], and {named} is {dt:e} s",
            0.1 * sizes.smallest_ball / fall
        ));
        lines.extend(late_rest(scenario, sizes, dt));
    }
    lines.extend(exact_collisions(scenario));
    lines.extend(springs::lines(scenario, sizes));
    lines
}
