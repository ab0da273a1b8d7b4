//! An estimate of a run's memory before it begins.
//!
//! It adds up the sizes of a rank's data per body and per contact.

use crate::body::{BodyId, BodyRow, Member, Motion, Twist, Wall};
use crate::comm::Comm;
use crate::config::Scenario;
use crate::contact::{ContactRow, Neighbours, Origin, Touch};
use crate::law::{Arm, Pair};
use crate::math::Vector3;
use crate::scheme::allowance;
use crate::scheme::quasistatic::bytes_per_body as bytes_of_increments;
use crate::solver::accelerate::Acceleration;
use crate::solver::batch::{Batch, Eight, LANES};
use crate::solver::kernel::rigid::RigidContact;

/// Pairs and contacts of a dense packing at rest, where allowances are small.
const DENSE: Numbers = Numbers {
    pairs: 3.4,
    contacts: 3.0,
    asleep: 0.0,
};

/// The fraction of the contacts of a dense packing that carry a force.
const CARRYING: f64 = 0.6;

/// Touches per pair of clumps: dumbbells and clumps of four balls at rest (`configs/clumps.toml`)
/// have 7.5 contacts a body.
const TOUCHES_PER_PAIR: f64 = 2.5;

/// Lanes of batches per contact: some stay empty, as a body may be in a batch only once.
const LANES_PER_CONTACT: f64 = 3.5 / 3.0;

/// Blocks per body: with edges of eight radii, the box of a body, two radii wide, intersects
/// `(1 + 2/8)³` blocks on average.
const BLOCKS_PER_BODY: f64 = 1.25 * 1.25 * 1.25;

/// Memory per body on a rank [bytes].
///
/// This includes its row, its columns ([`Bodies`](crate::body::Bodies)), its velocity before the
/// step and in the solve, its copies in blocks, the sort data of detection (a box in single
/// precision, four indices, the start of its list), and its place in the plan (id, reference, half
/// box, owner).
fn of_a_body() -> f64 {
    let columns = size_of::<(BodyId, Vector3, [f64; 4], Twist)>() + size_of::<u32>();
    let in_block = size_of::<Member>() + size_of::<u32>() + size_of::<bool>();
    let sorted = size_of::<([f32; 4], [u32; 4], usize)>();
    let planned = size_of::<(BodyId, Vector3, f64, usize)>();
    let once = size_of::<BodyRow>() + columns + 2 * size_of::<Member>() + sorted + planned;
    once as f64 + BLOCKS_PER_BODY * in_block as f64
}

/// Memory per pair of the plan on a rank [bytes].
///
/// This includes the pair and its index in the list of detection, the pair with its block, its
/// index there, and in the block the pair, its places, and the number of its laws.
fn of_a_pair() -> f64 {
    let found = size_of::<([u32; 2], u32)>() + size_of::<(Neighbours, u64)>();
    let in_block = size_of::<(Neighbours, [u32; 2], u32)>();
    (found + size_of::<u32>() + in_block) as f64
}

/// Memory per contact on a rank [bytes], without its lane.
///
/// This includes its touch with two indices, its further facts, its slot, and the data that the
/// next step needs.
fn of_a_contact() -> f64 {
    let kept = size_of::<([u32; 2], u64, [f64; 7], bool)>();
    (size_of::<(Touch, [u32; 2], u32)>() + size_of::<Origin>() + kept) as f64
}

/// How far detection looks ahead of bodies that move [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// Mean radius of the bodies.
    pub radius: f64,
    pub skin: f64,
    /// The way of a body in a step.
    pub way: f64,
    /// The edge of a block.
    pub edge: f64,
}

/// The numbers per body of pairs in a plan, of contacts, and of touches that sleep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pairs: f64,
    contacts: f64,
    asleep: f64,
}

impl Numbers {
    /// Without margin each body has `dense` contacts; a margin multiplies them by
    /// `(1 + margin/2r)³`, in two dimensions squared. The allowances of the two bodies of a pair
    /// are together `fast` times that of a body with this way.
    fn new(dense: f64, ahead: Ahead, fast: f64, dimensions: i32) -> Self {
        let Ahead {
            radius,
            skin,
            way,
            edge,
        } = ahead;
        let ahead = |margin: f64| dense * (1.0 + 0.5 * margin / radius).powi(dimensions);
        let (contacts, touches) = (ahead(skin + way), ahead(skin + 2.0 * way));
        Self {
            pairs: ahead(skin + fast * allowance(way, (radius, skin), edge)).max(touches),
            contacts,
            asleep: touches - contacts,
        }
    }

    /// Those of spheres that fill a fraction of space: half of those within `2r + margin` of a
    /// sphere are its pairs, `4 φ (1 + margin/2r)³`.
    pub(super) fn filling(filling: f64, ahead: Ahead) -> Self {
        Self::new(4.0 * filling, ahead, 2.0, 3)
    }

    /// The pairs that the narrow phase finds.
    pub(super) fn touches(&self) -> f64 {
        self.contacts + self.asleep
    }
}

/// Solid fraction of a packing that falling bodies have just made.
const LANDED: f64 = 0.6;

/// Contacts per body in such a packing, over `(1 + margin/2r)³`; in two dimensions squared.
///
/// Measured at the peak: 1.9, 1.8 and 1.3 while a box of 10 000 spheres, a drum and a silo settle.
/// Bodies at walls, and those that still fall, have fewer than `4 φ`.
const LANDING: f64 = 1.6;

/// The allowances of a pair of bodies while a packing forms, over that of the fastest body.
///
/// One of the two lies, and has a small one; the other is not the fastest. At the peak in the same
/// runs a body has 6.2, 10.7 and 10.0 pairs, as with 0.89, 0.76 and 0.67. This is the largest, as
/// too small an estimate ends a job.
const FALLING: f64 = 0.89;

/// Memory per contact of bodies that have come together, over that of bodies that stay.
///
/// Blocks keep a little of the memory that their contacts had when bodies fell through them, and
/// records go from plan to plan. Measured: 1.0 to 1.5 in the same runs.
const LEFT_BEHIND: f64 = 1.25;

/// Memory per body while bodies fall [bytes].
pub(super) fn bytes_falling(scenario: &Scenario, ahead: Ahead) -> f64 {
    let dimensions = if scenario.two_dimensional { 2 } else { 3 };
    let landing = LANDING * LEFT_BEHIND;
    let falling = Numbers::new(landing, ahead, FALLING, dimensions);
    bytes_with(scenario, falling).max(bytes_per_body(scenario))
}

/// The way that the highest bodies fall until all lie in a packing [m]. Collective.
///
/// `filling` is the solid fraction of the part of space in which the bodies start. Each wall below
/// counts as a floor: a fixed one where it is, a driven one where it is lowest.
pub(super) fn fall(comm: &dyn Comm, scenario: &Scenario, bodies: &[BodyRow], filling: f64) -> f64 {
    let pull = scenario.gravity.norm();
    if pull == 0.0 {
        return 0.0;
    }
    let down = scenario.gravity / pull;
    let free: Vec<&BodyRow> = bodies.iter().filter(|row| row.is_free()).collect();
    let stride = free.len().div_ceil(SEEN).max(1);
    let ways: Vec<f64> = (free.iter().step_by(stride))
        .filter_map(|row| to_floor(scenario, row, &down))
        .collect();
    let most = comm.max_f64(ways.iter().copied().fold(0.0, f64::max));
    let least = -comm.max_f64(
        ways.iter()
            .map(|way| -way)
            .fold(f64::NEG_INFINITY, f64::max),
    );
    if most <= least {
        return most;
    }
    most - (most - least) * (filling / LANDED).min(1.0)
}

/// Bodies of a rank whose way to the floor is looked up.
const SEEN: usize = 500;

/// The distance by which a driven wall goes down, at most to the end of the domain [m].
fn sinks(wall: &Wall, at: &Vector3, down: &Vector3, scenario: &Scenario) -> f64 {
    let Motion::Driven(drive) = &wall.motion else {
        return 0.0;
    };
    let [_, sunk] = drive.range_along(down, wall.motion_time(scenario.last_time()));
    sunk.min(to_end(at, down, scenario))
}

/// The distance from a point to the end of the domain along a direction [m].
fn to_end(x: &Vector3, down: &Vector3, scenario: &Scenario) -> f64 {
    let ends = (0..3).filter(|&a| down[a] != 0.0).map(|a| {
        let end = if down[a] > 0.0 {
            scenario.upper[a]
        } else {
            scenario.lower[a]
        };
        ((end - x[a]) / down[a]).max(0.0)
    });
    ends.fold(f64::INFINITY, f64::min)
}

/// The distance from a body's lowest point to the wall or the end of the domain below it [m].
///
/// `None` where the domain is periodic along gravity and no wall is below.
fn to_floor(scenario: &Scenario, row: &BodyRow, down: &Vector3) -> Option<f64> {
    let start = Vector3::from(row.position);
    let mut way = 0.0;
    loop {
        let x = start + down * way;
        let outside = (0..3).find(|&a| x[a] < scenario.lower[a] || x[a] > scenario.upper[a]);
        if let Some(axis) = outside {
            return (!scenario.periodic[axis]).then_some((way - row.radius).max(0.0));
        }
        // The distance to the nearest wall; a wall next to the path does not stop a fall.
        let mut free = f64::INFINITY;
        for wall in &scenario.walls {
            let (distance, towards) = wall.surface.nearest(&x);
            if towards.dot(down) > 0.1 && distance.abs() <= row.radius {
                return Some(way + sinks(wall, &x, down, scenario));
            }
            free = free.min((distance.abs() - row.radius).max(0.5 * row.radius));
        }
        if free.is_infinite() {
            free = to_end(&x, down, scenario) + 0.5 * row.radius;
        }
        way += free;
    }
}

/// Memory per body of a dense packing [bytes], all included except the 33 MB of the program itself.
pub(super) fn bytes_per_body(scenario: &Scenario) -> f64 {
    match &scenario.statics {
        Some(statics) => bytes_of_increments(statics, [DENSE.contacts, DENSE.pairs]),
        None => bytes_with(scenario, DENSE),
    }
}

/// The same with these numbers of pairs and contacts.
///
/// It includes the demands of laws and solver: parts of batches, positions for projection, former
/// points of momentum.
pub(super) fn bytes_with(scenario: &Scenario, numbers: Numbers) -> f64 {
    let materials = scenario.materials.len() as u32;
    let any = |has: &dyn Fn(&Pair) -> bool| {
        let mut each = (0..materials).flat_map(|a| (a..materials).map(move |b| (a, b)));
        each.any(|(a, b)| has(scenario.laws.pairs.between(a, b)))
    };
    let if_any = |bytes: f64, has: &dyn Fn(&Pair) -> bool| if any(has) { bytes } else { 0.0 };
    let eight = size_of::<Eight>() as f64 / LANES as f64;
    let solver = &scenario.solver;
    // Their couple impulses are part of the former points of momentum.
    let couples = if solver.acceleration == Acceleration::NONE {
        9.0
    } else {
        12.0
    };
    let mut lane = if_any(5.0 * eight, &|pair| pair.compliance([1.0; 2]) > 0.0)
        + if_any(couples * eight, &|pair| {
            pair.rolling != Arm::NONE || pair.torsion != Arm::NONE
        });
    let mut body = of_a_body();
    let hertz = |pair: &Pair| pair.hertz.is_some();
    let pivots = |pair: &Pair| pair.bending_stiffness > 0.0 || pair.twisting_stiffness > 0.0;
    let damps = |pair: &Pair| pair.damping().is_some();
    lane +=
        if_any(6.0 * eight, &hertz) + if_any(5.0 * eight, &pivots) + if_any(3.0 * eight, &damps);
    let mut sleeper = (size_of::<(Touch, u32)>() + size_of::<f64>()) as f64;
    if solver.projection.sweeps > 0 {
        lane += 2.0 * eight;
        body += size_of::<Member>() as f64;
        // Filled where something overlaps without springs.
        sleeper += if_any(size_of::<[f64; 2]>() as f64, &|pair| !pair.is_soft());
    }
    if solver.acceleration != Acceleration::NONE {
        lane += 3.0 * eight;
        body += size_of::<[f64; 6]>() as f64;
    }
    let Numbers {
        pairs,
        contacts,
        asleep,
    } = numbers;
    let asleep = asleep * sleeper;
    // Records of the contacts that carry a force, when a plan is made or a checkpoint is written.
    let rows = CARRYING * DENSE.contacts * size_of::<ContactRow>() as f64;
    body += pairs * of_a_pair() + asleep + rows;
    if !scenario.templates.is_empty() {
        // Contacts of clumps stand outside the batches.
        let one = of_a_contact() + size_of::<RigidContact>() as f64;
        return body + contacts * TOUCHES_PER_PAIR * one;
    }
    let batch = size_of::<Batch>() as f64 / LANES as f64;
    body + contacts * (of_a_contact() + LANES_PER_CONTACT * (batch + lane))
}
