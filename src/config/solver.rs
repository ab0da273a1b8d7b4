//! The `[solver]` table.

use super::fault::Fault;
use super::key::{Key, Or, Preset, Truth, Whole, Words};
use super::reader::{Number, Range, SIZE, Section, needs, refuse};
use super::table::Table;
use crate::solver::accelerate::Acceleration;
use crate::solver::{Exchange, GapRule, Order, Projection, Settings};

const DEFAULT: Settings = Settings::DEFAULT;

const TOLERANCE: Key<Number, Preset<f64>> = Key::new(
    "tolerance",
    Number(Range::Inside(0.0, 1.0), ""),
    Preset(DEFAULT.tolerance),
    "load residual at which a solve ends",
);
const MAX_SWEEPS: Key<Whole, Preset<u64>> = Key::new(
    "max_sweeps",
    Whole::from(1),
    Preset(DEFAULT.max_sweeps),
    "largest number of sweeps of a solve",
);
const ORDER: Key<Words<Order>, Preset<Order>> = Key::new(
    "order",
    Words(&[("sweep", Order::Sweep), ("step", Order::Step)]),
    Preset(DEFAULT.order),
    "order of contacts: drawn anew in every `\"step\"` (and where a solve stagnates), or in every \
     `\"sweep\"`",
);
const ACCELERATION: Key<Words<Acceleration>, Or> = Key::new(
    "acceleration",
    Words(&[
        ("momentum", Acceleration::MOMENTUM),
        ("none", Acceleration::NONE),
    ]),
    Or("`\"momentum\"` with `order = \"step\"`, else `\"none\"`"),
    "see [docs/convergence.md](convergence.md)",
);
const MOMENTUM: Key<Number, Preset<f64>> = Key::new(
    "momentum",
    Number(Range::Inside(0.0, 1.0), ""),
    Preset(Acceleration::MOMENTUM.momentum),
    "cap of the momentum at the start of a solve",
);
const WARM_START: Key<Truth, Preset<bool>> = Key::new(
    "warm_start",
    Truth,
    Preset(DEFAULT.warm_start),
    "contacts start with their force of the last step; false: with zero",
);
const START_SPREAD: Key<Number, Preset<f64>> = Key::new(
    "start_spread",
    Number(Range::Between(0.0, 1.0), "of the force of the last step"),
    Preset(DEFAULT.start_spread),
    "the starting force of each contact is drawn anew in each step: its normal part is multiplied \
     by a number between 1 − spread and 1 + spread, its tangential part mixed, in the ratio \
     1 − spread to spread, with a random one of the friction cone. Where forces are not unique, \
     another `solver.seed` then finds another solution",
);
const EXCHANGE: Key<Words<Exchange>, Preset<Exchange>> = Key::new(
    "exchange",
    Words(&[("phase", Exchange::Phase), ("sweep", Exchange::Sweep)]),
    Preset(DEFAULT.exchange),
    "ranks exchange velocities after each colour: the same bits on any number of ranks. \
     `\"sweep\"`: once a sweep; bodies at cuts are split among ranks; fewer messages, but the bits \
     depend on the number of ranks, on `[balance]`, and on stops of the run",
);
const INNER_PASSES: Key<Whole, Preset<u64>> = Key::new(
    "inner_passes",
    Whole(1, 64),
    Preset(DEFAULT.inner_passes),
    "sweeps over a block before the next colour: fewer exchanges, more updates, \
     [docs/parallel.md](parallel.md)",
);
const SEED: Key<Whole, Preset<u64>> = Key::new(
    "seed",
    Whole::from(0),
    Preset(DEFAULT.seed),
    "seed of all random numbers of the run",
);
const BLOCK_EDGE: Key<Number, Or> = Key::new(
    "block_edge",
    SIZE,
    Or("8 × the largest radius but for large bodies"),
    "edge of a block",
);
const SKIN: Key<Number, Or> = Key::new(
    "skin",
    SIZE,
    Or("1/20 of the smallest radius"),
    "distance added to the margin",
);
const LARGE_RADIUS: Key<Number, Or> = Key::new(
    "large_radius",
    SIZE,
    Or("between the two groups, where 1 to 1000 bodies exceed 8 × the median radius"),
    "bodies above it are large: see below",
);
const GAP: Key<Words<GapRule>, Preset<GapRule>> = Key::new(
    "gap",
    Words(&[
        ("positive", GapRule::Positive),
        ("full", GapRule::Full),
        ("recover", RECOVER),
    ]),
    Preset(DEFAULT.gap),
    "overlaps of rigid contacts: `\"positive\"` keeps them, `\"full\"` removes them in a step, \
     `\"recover\"` removes a fraction of them in a step",
);
const GAP_FRACTION: Key<Number, Preset<f64>> = Key::new(
    "gap_fraction",
    Number(Range::Between(0.0, 1.0), "of an overlap in a step"),
    Preset(0.1),
    "with `gap = \"recover\"`: the fraction",
);
const GAP_SPEED: Key<Number, Or> = Key::new(
    "gap_speed",
    Number(Range::Positive, "m/s"),
    Or("no bound"),
    "with `gap = \"recover\"`: largest speed at which overlaps are removed",
);
const PROJECTION: Key<Whole, Or> = Key::new(
    "projection",
    Whole::from(0),
    Or("2 with `gap = \"positive\"`, else 0"),
    "sweeps over positions after each solve, which remove overlaps of rigid contacts beyond \
     `g Δt²/2` or the way of loads on free walls, of old overlaps at most three times the overlap \
     that stays (2e-5 radii at least) a step; 0: overlaps add up",
);
const PROJECTION_FRACTION: Key<Number, Preset<f64>> = Key::new(
    "projection_fraction",
    Number(Range::Between(0.0, 1.0), "of an overlap"),
    Preset(DEFAULT.projection.fraction),
    "the fraction of such an overlap that a sweep of the projection removes at a contact",
);

/// `[solver]`.
pub(super) const TABLE: Table = Table::new(
    "solver",
    &[
        &TOLERANCE,
        &MAX_SWEEPS,
        &ORDER,
        &ACCELERATION,
        &MOMENTUM,
        &WARM_START,
        &START_SPREAD,
        &EXCHANGE,
        &INNER_PASSES,
        &SEED,
        &BLOCK_EDGE,
        &SKIN,
        &LARGE_RADIUS,
        &GAP,
        &GAP_FRACTION,
        &GAP_SPEED,
        &PROJECTION,
        &PROJECTION_FRACTION,
    ],
);

const RECOVER: GapRule = GapRule::Recover {
    fraction: 0.1,
    top_speed: f64::INFINITY,
};

/// Reads `[solver]`.
pub(super) fn read(root: &Section, faults: &mut Vec<Fault>) -> Settings {
    let section = root.declared(&TABLE, faults);
    let order = section.read(&ORDER, faults);
    let gap = gap_rule(&section, faults);
    let warm_start = section.read(&WARM_START, faults);
    if let (false, Some(node)) = (warm_start, section.get(START_SPREAD.name)) {
        needs(node, "warm_start = true", faults);
    }
    let sweeps = section.read(&PROJECTION, faults);
    let sweeps = sweeps.unwrap_or(match gap {
        GapRule::Positive => DEFAULT.projection.sweeps,
        // Velocities remove the overlaps.
        GapRule::Full | GapRule::Recover { .. } => 0,
    });
    if let (0, Some(node)) = (sweeps, section.get(PROJECTION_FRACTION.name)) {
        needs(node, "projection above 0", faults);
    }
    Settings {
        gap,
        projection: Projection {
            sweeps,
            fraction: section.read(&PROJECTION_FRACTION, faults),
        },
        tolerance: section.read(&TOLERANCE, faults),
        max_sweeps: section.read(&MAX_SWEEPS, faults),
        seed: section.read(&SEED, faults),
        order,
        block_edge: section.read(&BLOCK_EDGE, faults),
        skin: section.read(&SKIN, faults),
        large_radius: section.read(&LARGE_RADIUS, faults),
        warm_start,
        start_spread: section.read(&START_SPREAD, faults),
        acceleration: acceleration(&section, order, faults),
        exchange: section.read(&EXCHANGE, faults),
        inner_passes: section.read(&INNER_PASSES, faults),
        width: DEFAULT.width,
    }
}

/// The acceleration of sweeps, which needs one order kept within a step.
fn acceleration(section: &Section, order: Order, faults: &mut Vec<Fault>) -> Acceleration {
    let wanted = section.read(&ACCELERATION, faults);
    let momentum = section.read(&MOMENTUM, faults);
    if let (Some(node), Some(Acceleration::MOMENTUM), Order::Sweep) =
        (section.get(ACCELERATION.name), wanted, order)
    {
        let accepted =
            "\"none\", or come with order = \"step\", as it needs one order kept within a step";
        refuse(node, accepted, faults);
    }
    let takes_part = wanted != Some(Acceleration::NONE) && order == Order::Step;
    if let (Some(node), false) = (section.get(MOMENTUM.name), takes_part) {
        needs(
            node,
            "acceleration = \"momentum\" and order = \"step\"",
            faults,
        );
    }
    match takes_part {
        true => Acceleration { momentum },
        false => Acceleration::NONE,
    }
}

/// The treatment of overlaps.
fn gap_rule(section: &Section, faults: &mut Vec<Fault>) -> GapRule {
    let rule = section.read(&GAP, faults);
    let fraction = section.read(&GAP_FRACTION, faults);
    let speed = section.read(&GAP_SPEED, faults);
    match rule {
        GapRule::Recover { top_speed, .. } => GapRule::Recover {
            fraction,
            top_speed: speed.unwrap_or(top_speed),
        },
        GapRule::Positive | GapRule::Full => {
            for key in [GAP_FRACTION.name, GAP_SPEED.name] {
                if let Some(node) = section.get(key) {
                    needs(node, "gap = \"recover\"", faults);
                }
            }
            rule
        }
    }
}
