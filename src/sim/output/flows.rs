//! The output about bodies that come in and go out.

use crate::body::BodyRow;
use crate::config::Scenario;
use crate::io::series::{DeletedLine, FlowLine};
use crate::scheme::State;
use crate::sim::flows::went_out;
use crate::sim::ledger::Ledger;
use crate::sim::now::Now;

/// The bodies that left the domain or went out in the last step, from all ranks, by id. Collective.
pub(super) fn gone(now: &Now, gone: &[BodyRow]) -> Vec<DeletedLine> {
    let Now {
        domain,
        physics,
        state,
        ..
    } = now;
    let (step, time) = (state.clock.step, state.clock.time);
    let line = |row: &BodyRow| DeletedLine {
        step,
        time,
        id: row.id.0,
        x: row.position[0],
        y: row.position[1],
        z: row.position[2],
        vx: row.velocity[0],
        vy: row.velocity[1],
        vz: row.velocity[2],
        radius: row.radius,
        mass: row.mass,
        outlet: went_out(domain, physics, state, row)
            .map(|outlet| physics.acts.outlets[outlet].name.clone())
            .unwrap_or_default(),
    };
    let words = size_of::<BodyRow>() / size_of::<u64>();
    let all = domain.gather(bytemuck::cast_slice(gone));
    let mut rows: Vec<BodyRow> = (all.chunks(words))
        .map(|row| bytemuck::pod_read_unaligned(bytemuck::cast_slice(row)))
        .collect();
    rows.sort_unstable_by_key(|row| row.id);
    rows.iter().map(line).collect()
}

/// The lines of the flows so far.
pub(super) fn flow_lines<'a>(
    state: &State,
    scenario: &'a Scenario,
    ledger: &'a Ledger,
) -> impl Iterator<Item = FlowLine> + 'a {
    let (step, time) = (state.clock.step, state.clock.time);
    let all = ledger.flows.told(scenario);
    all.map(move |(region, comes, flow)| FlowLine {
        step,
        time,
        region: region.to_owned(),
        way: if comes { "in" } else { "out" }.to_owned(),
        bodies: flow.bodies,
        mass: flow.mass,
        waiting: flow.waiting,
    })
}
