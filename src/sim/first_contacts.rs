//! The contacts of the first bodies: no overlap is too deep, and bonds join bodies.

use super::bonds::is_first;
use super::error::RunError;
use crate::body::{Bodies, BodyRow, Reference};
use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::contact::{Candidate, ContactKey, Partner};
use crate::detect::{Detector, Space};
use crate::domain::Domain;
use crate::domain::migration::{Parcel, to_owners, with_copies};
use crate::law::Step;
use crate::law::bond::{Between, Glue, Joint, Near};
use crate::math::Vector3;
use crate::pool::Pool;
use crate::scheme::Physics;

/// Fails if bodies overlap too much at the start, or a bond that begins then joins none.
/// Collective.
pub(super) fn begins_well(
    (comm, domain): (&dyn Comm, &Domain),
    (scenario, physics): (&Scenario, &Physics),
    parcel: &Parcel,
) -> Result<(), RunError> {
    let near = Neighbourhood::find(domain, physics, parcel, first_gap(scenario, physics));
    let overlaps = no_overlaps(physics, &near, scenario.max_initial_overlap);
    agree(comm, overlaps)?;
    join_some(comm, scenario, physics, &near)
}

/// The bodies of the start with copies from other ranks, and the contacts that this rank owns.
struct Neighbourhood {
    rows: Vec<BodyRow>,
    found: Vec<Candidate>,
}

impl Neighbourhood {
    /// Finds the contacts up to a gap [m]. Collective.
    fn find(domain: &Domain, physics: &Physics, parcel: &Parcel, gap: f64) -> Self {
        let mut parcel = parcel.clone();
        for row in &mut parcel.bodies {
            row.reference = Reference::here(row, 0.0);
        }
        let rows = with_copies(domain, to_owners(domain, parcel), gap, &physics.large).bodies;
        let (partition, rank) = (domain.partition(), domain.rank());
        let mine = |x: &Vector3| partition.owner_of_point(x) == rank;
        let space = Space {
            walls: &physics.walls,
            margin: gap,
            period: partition.grid().period(),
            templates: &physics.templates,
        };
        let mut found = Vec::new();
        let (bodies, pool) = (Bodies::from_rows(&rows), Pool::default());
        Detector::default().detect(&bodies, &space, mine, &pool, &mut found);
        Self { rows, found }
    }
}

/// Fails if bodies overlap each other or a wall too much at the start.
///
/// The bound is a fraction of the smaller radius.
fn no_overlaps(
    physics: &Physics,
    Neighbourhood { rows, found }: &Neighbourhood,
    fraction: f64,
) -> Result<(), RunError> {
    let mut deep = Vec::new();
    // Immovable bodies may overlap anything: a rough base of fixed balls half sunk in the floor.
    let judged = |c: &&Candidate| {
        rows[c.a].is_free() || matches!(c.b, Partner::Body(b) if rows[b].is_free())
    };
    // Of the balls that touch.
    let radius_of = |place: usize, part: usize| {
        let row = &rows[place];
        let template = row.template(&physics.templates);
        row.radius * template.map_or(1.0, |t| t.parts()[part].radius)
    };
    for c in found.iter().filter(judged) {
        let [first, second] = c.key.parts();
        let own = radius_of(c.a, first);
        let (radius, other) = match c.b {
            Partner::Body(b) => (own.min(radius_of(b, second)), format!("body {}", c.key.b)),
            Partner::Wall(w) => (own, format!("wall {}", physics.walls[w].name)),
        };
        if -c.gap > fraction * radius {
            deep.push((c.key, -c.gap / radius, other));
        }
    }
    // Of two clumps that overlap with several balls the deepest counts.
    let pair = |key: &ContactKey| (key.a, key.b);
    deep.sort_by(|x, y| pair(&x.0).cmp(&pair(&y.0)).then(y.1.total_cmp(&x.1)));
    deep.dedup_by_key(|(key, ..)| pair(key));
    match deep.first() {
        None => Ok(()),
        Some((key, overlap, other)) => Err(RunError::Input(format!(
            "body {} starts inside {other}, overlapping by {overlap:.3} of the smaller radius ({} such pairs in this part of \
             the domain); must be at most {fraction} (domain.max_overlap)",
            key.a,
            deep.len(),
        ))),
    }
}

/// The largest gap of bonds that begin in the first step, with its rounding [m].
fn first_gap(scenario: &Scenario, physics: &Physics) -> f64 {
    let bonds = scenario.laws.bonds.iter();
    let first = bonds.filter(|glue| is_first(scenario, glue));
    let gaps = first.map(|glue| glue.gap + Glue::rounding([physics.largest_radius; 2]));
    gaps.fold(0.0, f64::max)
}

/// Fails if bonds that begin in the first step join no two bodies. Collective.
///
/// Listed pairs are judged one by one, and inlets may bring bodies later.
fn join_some(
    comm: &dyn Comm,
    scenario: &Scenario,
    physics: &Physics,
    Neighbourhood { rows, found }: &Neighbourhood,
) -> Result<(), RunError> {
    let glues = &scenario.laws.bonds;
    let mut made = vec![0; glues.len()];
    let step = Step::of_forces([0.0, scenario.pace.at_least()]);
    for c in found {
        let body = |k: usize| {
            (
                rows[k].material,
                rows[k].radius,
                Some(rows[k].position.into()),
            )
        };
        let sides = match c.b {
            Partner::Body(b) => [body(c.a), body(b)],
            Partner::Wall(w) => [body(c.a), (physics.walls[w].material, f64::INFINITY, None)],
        };
        let near = Near {
            bodies: [c.key.a.0, c.key.b.0],
            materials: sides.map(|(material, ..)| material),
            radii: sides.map(|(_, radius, _)| radius),
            centres: sides.map(|(.., centre)| centre),
            gap: c.gap,
        };
        let (joint, _) = Joint::default().made(glues, &step, &near, 0.0);
        if let Some(k) = (joint.glue as usize).checked_sub(1) {
            made[k] += 1;
        }
    }
    for (k, glue) in glues.iter().enumerate() {
        let made = comm.sum_count(made[k]);
        let judged = is_first(scenario, glue) && !matches!(glue.between, Between::Pairs(_));
        if judged && made == 0 && scenario.inlets.is_empty() {
            return Err(RunError::Input(format!(
                "bond.{k}: must join bodies within its gap = {} m of each other that no entry before it joins; found none at \
                 the start of the run",
                glue.gap
            )));
        }
    }
    Ok(())
}
