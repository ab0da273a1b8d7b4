//! The bodies that come in by inlets and go out by outlets, and their numbers and masses so far.

use crate::body::BodyRow;
use crate::comm::{Comm, agree};
use crate::config::Scenario;
use crate::domain::Domain;
use crate::math::{ExactSum, Vector3};
use crate::measure::{Flow, body_energy};
use crate::sample::inlet::{Inlet, Place};
use crate::scheme::{Physics, Report, State};
use crate::shape::Surface;
use crate::sim::error::RunError;

/// Flows of the inlets, then of the outlets, in the order of the configuration. The same on all
/// ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flows {
    flows: Vec<Flow>,
    /// The id of the next body that comes in.
    next_id: u64,
}

/// The bodies that came in at the start of a step.
pub(super) struct Came {
    /// Bodies.
    pub(super) bodies: usize,
    /// Their kinetic and potential energy [J].
    pub(super) energy: f64,
}

/// Waiting bodies of an inlet by mass are counted up to this number.
const COUNTED: u64 = 1000;

impl Flows {
    /// The flows at the start of a run with `bodies` bodies.
    pub(super) fn new(scenario: &Scenario, bodies: u64) -> Self {
        let number = scenario.inlets.len() + scenario.acts.outlets.len();
        Self {
            flows: vec![Flow::default(); number],
            next_id: bodies,
        }
    }

    /// The flows of a checkpoint.
    pub(super) fn from_checkpoint(
        scenario: &Scenario,
        flows: Vec<Flow>,
        next_id: u64,
    ) -> Result<Self, RunError> {
        let expected = scenario.inlets.len() + scenario.acts.outlets.len();
        if flows.len() != expected {
            return Err(RunError::Input(format!(
                "the checkpoint must have {expected} inlets and outlets, as the configuration; found {}",
                flows.len()
            )));
        }
        Ok(Self { flows, next_id })
    }

    /// The flows so far, and the id of the next body.
    pub(super) fn state(&self) -> (&[Flow], u64) {
        (&self.flows, self.next_id)
    }

    /// Bodies that have come in by all inlets, and gone out by all outlets.
    pub(super) fn bodies(&self, scenario: &Scenario) -> [u64; 2] {
        let (inlets, outlets) = self.flows.split_at(scenario.inlets.len());
        [inlets, outlets].map(|some| some.iter().map(|flow| flow.bodies).sum())
    }

    /// Whether an inlet may still bring bodies at a time [s].
    pub(super) fn more_to_come(&self, scenario: &Scenario, time: f64) -> bool {
        let seed = scenario.solver.seed;
        let mut inlets = scenario.inlets.iter().zip(&self.flows).enumerate();
        inlets.any(|(number, (inlet, flow))| inlet.is_open(number, seed, time, flow))
    }

    /// Lets in the bodies that are due at the start of the next step. Collective.
    pub(super) fn before_step(
        &mut self,
        comm: &dyn Comm,
        domain: &Domain,
        scenario: &Scenario,
        physics: &Physics,
        state: &mut State,
    ) -> Result<Came, RunError> {
        let (step, time) = (state.clock.step, state.clock.time);
        let (mut energy, mut bodies) = (ExactSum::default(), 0);
        for (number, inlet) in scenario.inlets.iter().enumerate() {
            let flow = &mut self.flows[number];
            let key = (number, scenario.solver.seed);
            if inlet.looks(step) {
                flow.waiting = 0;
            }
            if !inlet.is_due(key.0, key.1, (step, time), flow) {
                continue;
            }
            let walls: Vec<Surface> = (physics.walls.iter().zip(&state.walls))
                .map(|(wall, state)| wall.placed(state))
                .collect();
            let period = domain.partition().grid().period();
            let mut place = Place {
                bodies: near(domain, inlet, state.bodies()),
                walls: &walls,
                period,
                domain: [scenario.lower, scenario.upper],
            };
            let rows = inlet.pour(key, (step, time), flow, &mut self.next_id, &mut place);
            flow.waiting = inlet.waiting(key.0, key.1, time, flow, COUNTED);
            bodies += rows.len();
            // All ranks have all of these bodies.
            let each = rows.iter();
            each.for_each(|row| energy.add(body_energy(row, &scenario.gravity, period)));
            let rank = domain.rank();
            let owned = |row: &BodyRow| {
                domain
                    .partition()
                    .owner_of_point(&Vector3::from(row.position))
                    == rank
            };
            let owned = rows.into_iter().filter(owned);
            state.parcel.bodies.extend(owned);
        }
        let ids_end = self.next_id >= 1 << 62;
        let fault = || {
            RunError::Failed(
                "the number of bodies must be at most 2^62; found more at an inlet".to_owned(),
            )
        };
        agree(comm, if ids_end { Err(fault()) } else { Ok(()) })?;
        let energy = energy.value();
        Ok(Came { bodies, energy })
    }

    /// Counts the bodies that went out in the last step. Collective.
    pub(super) fn after_step(
        &mut self,
        domain: &Domain,
        physics: &Physics,
        state: &State,
        report: &Report,
    ) {
        if report.drained == 0 {
            return;
        }
        let outlets = &physics.acts.outlets;
        let mut counts = vec![0; outlets.len()];
        let mut masses = vec![ExactSum::default(); outlets.len()];
        for row in &report.here.gone {
            if let Some(outlet) = went_out(domain, physics, state, row) {
                counts[outlet] += 1;
                masses[outlet].add(row.mass);
            }
        }
        domain.count(&mut counts);
        let masses = domain.many_sums(masses);
        let first = self.flows.len() - outlets.len();
        for (flow, (count, mass)) in self.flows[first..]
            .iter_mut()
            .zip(counts.into_iter().zip(masses))
        {
            flow.bodies += count as u64;
            flow.mass += mass;
        }
    }

    /// Each inlet's and outlet's name, whether it is an inlet, and its flow so far.
    pub(super) fn told<'a>(
        &'a self,
        scenario: &'a Scenario,
    ) -> impl Iterator<Item = (&'a str, bool, &'a Flow)> {
        let inlets = scenario.inlets.iter();
        let inlets = inlets.map(|inlet| (inlet.name.as_str(), true));
        let outlets = scenario.acts.outlets.iter();
        let all = inlets.chain(outlets.map(|outlet| (outlet.name.as_str(), false)));
        all.zip(&self.flows)
            .map(|((name, comes), flow)| (name, comes, flow))
    }
}

/// The outlet through which a body left in the last step; `None` if it left the domain.
pub(super) fn went_out(
    domain: &Domain,
    physics: &Physics,
    state: &State,
    row: &BodyRow,
) -> Option<usize> {
    let x = &Vector3::from(row.position);
    if !domain.partition().contains(x) && physics.delete_outside {
        return None;
    }
    physics.acts.outlet(x, state.clock.time)
}

/// Centres and radii of all bodies that a new one might touch, from all ranks. Collective.
fn near(domain: &Domain, inlet: &Inlet, bodies: &[BodyRow]) -> Vec<([f64; 3], f64)> {
    let (lower, upper) = inlet.region.bounds();
    let middle = (lower + upper) * 0.5;
    // A disc can extend beyond a region that contains its centre.
    let out = if inlet.discs {
        inlet.radius.largest()
    } else {
        0.0
    };
    let half = (upper - lower).add_scalar(2.0 * out) * 0.5;
    let axes = if inlet.discs { 0..2 } else { 0..3 };
    let period = domain.partition().grid().period();
    let reaches = |row: &&BodyRow| {
        let way = period.difference(&middle, &Vector3::from(row.position));
        axes.clone().all(|a| way[a].abs() <= half[a] + row.radius)
    };
    let mine: Vec<u64> = (bodies.iter().filter(reaches))
        .flat_map(|row| {
            let [x, y, z] = row.position;
            [x, y, z, row.radius].map(f64::to_bits)
        })
        .collect();
    let all = domain.gather(&mine);
    let body = |of: &[u64]| {
        let [x, y, z, r] = [0, 1, 2, 3].map(|k| f64::from_bits(of[k]));
        ([x, y, z], r)
    };
    all.chunks_exact(4).map(body).collect()
}
