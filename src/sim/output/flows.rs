//! What is written of bodies that come and go.

use crate::body::BodyRow;
use crate::config::Scenario;
use crate::domain::Domain;
use crate::io::series::{DeletedLine, FlowLine};
use crate::scheme::moreau_jean::System;
use crate::sim::flows::went_out;
use crate::sim::ledger::Ledger;

/// The bodies that left the domain or went out in the last step, from all ranks, by id. Collective.
pub(super) fn gone(domain: &Domain, system: &System) -> Vec<DeletedLine> {
    let (step, time) = (system.steps(), system.time());
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
        outlet: went_out(domain, system, row)
            .map(|outlet| system.physics().acts.outlets[outlet].name.clone())
            .unwrap_or_default(),
    };
    let words = size_of::<BodyRow>() / size_of::<u64>();
    let all = domain.gather(bytemuck::cast_slice(system.deleted()));
    let mut rows: Vec<BodyRow> = (all.chunks(words))
        .map(|row| bytemuck::pod_read_unaligned(bytemuck::cast_slice(row)))
        .collect();
    rows.sort_unstable_by_key(|row| row.id);
    rows.iter().map(line).collect()
}

/// What has come in and gone out so far.
pub(super) fn flow_lines<'a>(
    system: &System,
    scenario: &'a Scenario,
    ledger: &'a Ledger,
) -> impl Iterator<Item = FlowLine> + 'a {
    let (step, time) = (system.steps(), system.time());
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
