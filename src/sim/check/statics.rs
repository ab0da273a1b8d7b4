//! The lines of `moreau check` about a quasi-static scheme.

use crate::body::faces::face;
use crate::body::{Motion, Wall};
use crate::config::Scenario;
use crate::domain::Domain;
use crate::law::Pair;
use crate::math::{Vector3, nan_max};
use crate::sim::cell;
use crate::sim::sizes::Sizes;

/// Increment, unknowns, springs, and the largest motion of each driven wall in an increment.
///
/// `pairs`: the pairs of materials, by name; `weight`: that on a body at the bottom [N].
pub(super) fn lines(
    (scenario, domain, sizes): (&Scenario, &Domain, &Sizes),
    free_bodies: u64,
    pairs: &[(String, &Pair)],
    weight: f64,
) -> Vec<String> {
    let dt = scenario.pace.at_most();
    let each = if scenario.two_dimensional { 3 } else { 6 };
    let free = |wall: &&Wall| matches!(wall.motion, Motion::Free(_));
    let free = scenario.walls.iter().filter(free).count() as u64;
    let edges = (scenario.cell.as_ref()).map_or(0, |cell| cell.held(0.0).len() as u64);
    let free = free + edges;
    let radius = 0.5 * (sizes.smallest + sizes.largest);
    // A body carries the stress of its own section, and the weight above it.
    let section = match scenario.two_dimensional {
        true => 2.0 * radius,
        false => 4.0 * radius * radius,
    };
    let stress = stress(scenario, domain);
    let force = stress * section + weight;
    let mut lines = vec![
        format!("increment  {dt} s of load time"),
        format!(
            "unknowns   {}: {each} of each free body, {free} of free walls and edges",
            each * free_bodies + free
        ),
    ];
    // Bonds carry loads without an overlap, and driven walls press as far as they move.
    let bonded = !scenario.laws.bonds.is_empty();
    let mut overlap = (!bonded && force > 0.0).then_some(0.0);
    for (names, pair) in pairs {
        let compliance = pair.compliance([radius; 2]);
        let of_pair = compliance * force;
        overlap = overlap.map(|overlap| nan_max(overlap, of_pair));
        let stiffness = 1.0 / compliance;
        let under = overlap.map(|_| {
            let part = of_pair / radius;
            format!("; under weight and loads of walls an overlap of about {part:.1e} r")
        });
        let under = under.unwrap_or_default();
        lines.push(format!(
            "springs    {names}: k_n {stiffness:.3e} N/m{under}"
        ));
    }
    let part_of = |way: f64| {
        overlap
            .map(|overlap| way / overlap)
            .filter(|part| part.is_finite())
    };
    if let Some(cell) = &scenario.cell {
        // A strain moves neighbours by its part of their distance.
        let way = 2.0 * radius * cell::strain(cell, &cell.start(), [0.0, dt]);
        if let Some(part) = part_of(way).filter(|part| *part > 1.0) {
            lines.push(format!(
                "advice     the cell moves neighbours by {part:.2e} of the expected overlap in an increment; one of at \
                 most {:.1e} s follows the stress closer, and is halved less often",
                dt / part
            ));
        }
    }
    let arm = domain.partition().diameter();
    let moves = scenario.walls.iter().filter_map(|wall| match &wall.motion {
        Motion::Driven(_) => {
            let way = dt * wall.top_speed(0.0, scenario.last_time(), arm);
            (way > 0.0).then_some((&wall.name, way))
        }
        _ => None,
    });
    for (name, way) in moves {
        let part = part_of(way);
        let against = part.map(|part| format!(", {part:.2e} of the expected overlap"));
        let against = against.unwrap_or_default();
        lines.push(format!(
            "motion     wall {name}: at most {way:.3e} m in an increment, {:.2e} r{against}",
            way / radius
        ));
        // Bodies between driven walls carry more than the loads.
        if let Some(part) = part.filter(|part| *part > 1.0 && stress > 0.0) {
            lines.push(format!(
                "advice     wall {name} moves further in an increment than bodies overlap; an increment of at most {:.1e} s \
                 follows the stress closer, and is halved less often",
                dt / part
            ));
        }
    }
    lines
}

/// The largest stress of the cell, and of free walls [Pa]: pressure, and load and weight over their
/// faces.
fn stress(scenario: &Scenario, domain: &Domain) -> f64 {
    let period = domain.partition().grid().period();
    let of = |wall: &Wall| {
        let Motion::Free(freedom) = &wall.motion else {
            return 0.0;
        };
        let factor = freedom.factor.as_ref().map_or(1.0, |ramp| {
            let values = ramp.values.iter();
            values.fold(0.0, |most, x| nan_max(most, x.abs()))
        });
        let weight = match freedom.gravity {
            true => scenario.gravity * freedom.mass,
            false => Vector3::zeros(),
        };
        let pull = freedom.load * factor + weight;
        let along = freedom.direction.map_or(0.0, |e| pull.dot(&e).abs());
        let area = face(wall, &scenario.walls, period, scenario.two_dimensional);
        freedom.pressure * factor + area.map_or(0.0, |area| along / area)
    };
    let of_cell = scenario.cell.as_ref().map_or(0.0, cell::stress);
    scenario.walls.iter().map(of).fold(of_cell, nan_max)
}
