//! Bonds that a run makes: checks of listed pairs, and the number of bonds for the log.
//!
//! Listed bodies must exist, near enough to each other.

use super::error::RunError;
use crate::body::{BodyId, BodyRow};
use crate::comm::{Comm, agree};
use crate::config::{Listed, Scenario};
use crate::contact::ContactRow;
use crate::domain::Domain;
use crate::law::bond::{Begin, Between, Glue};
use crate::math::Vector3;
use crate::scheme::{Scheme, State};
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

/// The place and size of a listed body.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ball {
    id: BodyId,
    position: [f64; 3],
    radius: f64,
}

/// Fails if a body of a listed pair does not exist. Collective.
///
/// It also fails if the bodies of a pair bonded in the first step are farther apart than the bond's
/// gap. With inlets, later bonds may list ids of bodies that have not come in yet.
pub(super) fn pairs_exist(
    comm: &dyn Comm,
    scenario: &Scenario,
    rows: &[BodyRow],
) -> Result<(), RunError> {
    if scenario.listed.is_empty() {
        return Ok(());
    }
    let mut named: Vec<u64> = scenario
        .listed
        .iter()
        .flat_map(|list| list.pairs.iter().flatten().copied())
        .collect();
    named.sort_unstable();
    named.dedup();
    let mine: Vec<Ball> = rows
        .iter()
        .filter(|row| named.binary_search(&row.id.0).is_ok())
        .map(|row| Ball {
            id: row.id,
            position: row.position,
            radius: row.radius,
        })
        .collect();
    let all = comm.all_gather(bytemuck::cast_slice(&mine));
    let all = all
        .iter()
        .flat_map(|bytes| bytemuck::pod_collect_to_vec::<u8, Ball>(bytes));
    let bodies: HashMap<BodyId, Ball> = all.map(|ball| (ball.id, ball)).collect();
    let refused = scenario
        .listed
        .iter()
        .find_map(|list| refused(scenario, list, &bodies));
    agree(comm, refused.map_or(Ok(()), Err))
}

/// Whether bonds are made in the first step of a run, whatever its length.
pub(super) fn is_first(scenario: &Scenario, glue: &Glue) -> bool {
    matches!(glue.begin, Begin::At(time) if time < scenario.pace.at_least())
}

/// The error of the first faulty pair of a list.
fn refused(scenario: &Scenario, list: &Listed, bodies: &HashMap<BodyId, Ball>) -> Option<RunError> {
    let glue = &scenario.laws.bonds[list.bond];
    let at_first = is_first(scenario, glue);
    let period = scenario.period();
    let fault = |(k, pair): (usize, &[u64; 2])| {
        let [a, b] = pair.map(|id| bodies.get(&BodyId(id)));
        let message = match (a, b) {
            (Some(a), Some(b)) => {
                let [x, y] = [a, b].map(|row| Vector3::from(row.position));
                let gap = period.difference(&x, &y).norm() - a.radius - b.radius;
                (at_first && gap > glue.gap + Glue::rounding([a.radius, b.radius])).then(|| {
                    format!(
                        "must be bodies within bond.{}.gap = {} m of each other; found {} and {}, {gap:e} m apart",
                        list.bond, glue.gap, a.id, b.id
                    )
                })
            }
            _ if !at_first && !scenario.inlets.is_empty() => None,
            (a, _) => Some(format!(
                "must be ids of bodies; found {}, which no body has",
                pair[usize::from(a.is_some())]
            )),
        };
        message.map(|message| scenario.refuse_pair(list, k, &message))
    };
    let faults = list.pairs.iter().enumerate().find_map(fault)?;
    Some(RunError::Input(faults.to_string()))
}

/// Writes the number of bonds made in the last step, of those due in it. Collective.
///
/// `start` is the time at which the step started [s].
pub(super) fn report_made(
    comm: &dyn Comm,
    domain: &Domain,
    scenario: &Scenario,
    (scheme, state): (&Scheme, &mut State),
    start: f64,
) {
    let step = start..state.clock.time;
    for (k, glue) in scenario.laws.bonds.iter().enumerate() {
        let Begin::At(time) = glue.begin else {
            continue;
        };
        if !step.contains(&time) {
            continue;
        }
        scheme.bring_contacts(state, domain);
        let number = k as u64 + 1;
        let whole = |joint: &&ContactRow| joint.state.joint.glue == number;
        let made = comm.sum_count(state.contacts().iter().filter(whole).count());
        if comm.rank() != 0 {
            continue;
        }
        match &glue.between {
            Between::Pairs(pairs) if made < pairs.len() as u64 => tell!(
                "moreau: WARNING: bond.{k} at {time} s: {made} of {} listed pairs are bonded; the others are farther apart than \
                 its gap, bonded by an entry before it, or gone",
                pairs.len()
            ),
            _ if made == 0 => tell!(
                "moreau: WARNING: bond.{k} at {time} s: 0 bonds; bodies must be within its gap = {} m of each other, and not bonded by an entry before it",
                glue.gap
            ),
            _ => tell!("moreau: bond.{k} at {time} s: {made} bonds"),
        }
    }
}

/// Says how many bonds there are at the end of a run. Collective.
pub(super) fn report_end(comm: &dyn Comm, scenario: &Scenario, state: &State) {
    if scenario.laws.bonds.is_empty() {
        return;
    }
    let rows = state.contacts().iter();
    let whole = comm.sum_count(rows.filter(|row| row.state.joint.is_whole()).count());
    if comm.rank() == 0 {
        tell!("bonds      {whole} unbroken");
    }
}

/// The contacts of a checkpoint may have bonds of the configuration's kinds only.
pub(super) fn bonds_are_known(
    scenario: &Scenario,
    contacts: &[ContactRow],
) -> Result<(), RunError> {
    let kinds = scenario.laws.bonds.len() as u64;
    let joint = |row: &&ContactRow| row.state.joint.is_whole() && row.state.joint.glue > kinds;
    match contacts.iter().find(joint) {
        None => Ok(()),
        Some(row) => Err(RunError::Input(format!(
            "bond: must have at least {} entries, as bodies {} and {} of the checkpoint are bonded by the last of them; found {kinds}",
            row.state.joint.glue, row.key.a, row.key.b
        ))),
    }
}
