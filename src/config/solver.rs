//! The `[solver]` table.

use super::fault::Fault;
use super::reader::{Number, Range, SIZE, Section, needs, refuse};
use crate::solver::accelerate::Acceleration;
use crate::solver::{Exchange, GapRule, Order, Projection, Settings};

/// Reads `[solver]`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Settings {
    let known = [
        "tolerance",
        "max_sweeps",
        "order",
        "acceleration",
        "momentum",
        "warm_start",
        "start_spread",
        "exchange",
        "inner_passes",
        "seed",
        "block_edge",
        "skin",
        "large_radius",
        "gap",
        "gap_fraction",
        "gap_speed",
        "projection",
        "projection_fraction",
    ];
    let section = root.table("solver", &known, faults);
    let default = Settings::default();
    let tolerance = section.number_if("tolerance", Number(Range::Inside(0.0, 1.0), ""), faults);
    let max_sweeps = section.whole_if("max_sweeps", 1, faults);
    let order = match section.choice_if("order", &["sweep", "step"], faults) {
        Some("sweep") => Order::Sweep,
        Some("step") => Order::Step,
        _ => default.order,
    };
    let acceleration = acceleration(&section, order, faults);
    let exchange = match section.choice_if("exchange", &["phase", "sweep"], faults) {
        Some("sweep") => Exchange::Sweep,
        Some("phase") => Exchange::Phase,
        _ => default.exchange,
    };
    let passes = section.whole_if("inner_passes", 1, faults);
    let passes = passes.unwrap_or(default.inner_passes);
    if let (true, Some(node)) = (passes > 64, section.get("inner_passes")) {
        refuse(node, "1 to 64", faults);
    }
    let gap = gap_rule(&section, faults);
    let (warm_start, start_spread) = start(&section, faults);
    let sweeps = section.whole_if("projection", 0, faults);
    let sweeps = sweeps.unwrap_or(match gap {
        GapRule::Positive => default.projection.sweeps,
        // Velocities remove the overlaps.
        GapRule::Full | GapRule::Recover { .. } => 0,
    });
    let fraction = Number(Range::Between(0.0, 1.0), "of an overlap");
    let fraction = section.number_if("projection_fraction", fraction, faults);
    if let (true, 0, Some(node)) = (
        fraction.is_some(),
        sweeps,
        section.get("projection_fraction"),
    ) {
        needs(node, "projection above 0", faults);
    }
    Settings {
        gap,
        projection: Projection {
            sweeps,
            fraction: fraction.unwrap_or(default.projection.fraction),
        },
        tolerance: tolerance.unwrap_or(default.tolerance),
        max_sweeps: max_sweeps.unwrap_or(default.max_sweeps),
        seed: section.whole_if("seed", 0, faults).unwrap_or(default.seed),
        order,
        block_edge: section.number_if("block_edge", SIZE, faults),
        skin: section.number_if("skin", SIZE, faults),
        large_radius: section.number_if("large_radius", SIZE, faults),
        warm_start,
        start_spread,
        acceleration,
        exchange,
        inner_passes: passes,
        width: default.width,
    }
}

/// Whether solves start from the impulses of the last step, and the largest random change of them.
///
/// The change is a fraction of the force.
fn start(section: &Section, faults: &mut Vec<Fault>) -> (bool, f64) {
    let default = Settings::default();
    let warm = section.truth_if("warm_start", faults);
    let warm = warm.unwrap_or(default.warm_start);
    let share = Number(Range::Between(0.0, 1.0), "of the force of the last step");
    let spread = section.number_if("start_spread", share, faults);
    if let (false, Some(node)) = (warm, section.get("start_spread")) {
        needs(node, "warm_start = true", faults);
    }
    (warm, spread.unwrap_or(default.start_spread))
}

/// The acceleration of sweeps, which needs one order kept within a step.
fn acceleration(section: &Section, order: Order, faults: &mut Vec<Fault>) -> Acceleration {
    let wanted = section.choice_if("acceleration", &["momentum", "none"], faults);
    let below_one = Number(Range::Inside(0.0, 1.0), "");
    let cap = section.number_if("momentum", below_one, faults);
    if let (Some(node), Some("momentum"), Order::Sweep) =
        (section.get("acceleration"), wanted, order)
    {
        let accepted =
            "\"none\", or come with order = \"step\", as it needs one order kept within a step";
        refuse(node, accepted, faults);
    }
    let takes_part = wanted.unwrap_or("momentum") == "momentum" && order == Order::Step;
    if let (Some(node), false) = (section.get("momentum"), takes_part) {
        needs(
            node,
            "acceleration = \"momentum\" and order = \"step\"",
            faults,
        );
    }
    match takes_part {
        true => cap.map_or(Acceleration::default(), |momentum| Acceleration {
            momentum,
        }),
        false => Acceleration::NONE,
    }
}

/// The treatment of overlaps.
fn gap_rule(section: &Section, faults: &mut Vec<Fault>) -> GapRule {
    let rule = section.choice_if("gap", &["positive", "full", "recover"], faults);
    let share = Number(Range::Between(0.0, 1.0), "of an overlap in a step");
    let fraction = section.number_if("gap_fraction", share, faults);
    let speed = section.number_if("gap_speed", Number(Range::Positive, "m/s"), faults);
    if rule != Some("recover") {
        for key in ["gap_fraction", "gap_speed"] {
            if let Some(node) = section.get(key) {
                needs(node, "gap = \"recover\"", faults);
            }
        }
    }
    match rule {
        Some("full") => GapRule::Full,
        Some("recover") => GapRule::Recover {
            fraction: fraction.unwrap_or(0.1),
            top_speed: speed.unwrap_or(f64::INFINITY),
        },
        Some("positive") => GapRule::Positive,
        _ => Settings::default().gap,
    }
}
