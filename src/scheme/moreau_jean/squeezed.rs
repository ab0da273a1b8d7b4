//! Detects states in which a run cannot continue: bodies squeezed without room.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::{BodyId, BodyRow, Motion};
use crate::contact::{ContactKey, Origin};
use crate::domain::Domain;
use crate::math::{ExactSum, Vector3, nan_max};
use crate::scheme::error::StepError;
use crate::scheme::known::Known;
use crate::scheme::physics::Physics;
use crate::scheme::state::State;
use crate::solver::blocks::Block;
use crate::solver::nsgs::Outcome;
use std::collections::BTreeSet;

/// Impulses above this multiple of all loads together count as infeasible.
///
/// Wedges and arches turn loads into larger forces, but not into forces this large.
const WEDGED: f64 = 30.0;

impl MoreauJean {
    /// The largest overlap that this rank saw at the start of the last step, relative to the
    /// smaller radius.
    pub(super) fn largest_overlap(&self) -> f64 {
        let largest = |blocks: &[Block]| {
            let origins = blocks.iter().flat_map(|block| &block.origins);
            origins.map(Origin::relative_overlap).fold(0.0, nan_max)
        };
        let parts = self.blocks.pool().share(self.blocks.parts(), largest);
        parts.into_iter().fold(0.0, nan_max)
    }

    /// Fails if a body or wall overlaps another by the smaller one's radius or more. Collective.
    ///
    /// # Errors
    /// The same on all ranks.
    pub fn not_crushed(&self, state: &State, domain: &Domain) -> Result<(), StepError> {
        let each = self.blocks.all().iter().flat_map(|block| {
            let origins = block.origins.iter().enumerate();
            origins.map(move |(k, origin)| (block, k, origin))
        });
        let crushed = each.filter(|(.., o)| -o.gap >= o.smaller_radius);
        let deepest = crushed.map(|(block, k, origin)| (block, k, origin.relative_overlap()));
        let deepest = deepest.max_by(|a, b| a.2.total_cmp(&b.2));
        let overlap = domain.max(deepest.map_or(0.0, |(.., overlap)| overlap));
        if overlap == 0.0 {
            return Ok(());
        }
        let held = self.held(domain, state.clock.dt);
        let failure = deepest.filter(|(.., deep)| *deep == overlap);
        let failure = failure.map(|(block, k, _)| StepError::Crushed {
            step: state.clock.step,
            overlap,
            bodies: self.told(&self.blocks.key(block, k)),
            held,
        });
        domain.agree(failure.map_or(Ok(()), Err))
    }

    /// Fails if the contacts have proved to be infeasible. Collective.
    ///
    /// # Errors
    /// The same on all ranks.
    pub(super) fn not_squeezed(
        &mut self,
        begun: &Begun,
        known: &Known,
        outcome: &Outcome,
    ) -> Result<(), StepError> {
        let (domain, dt) = (begun.domain, begun.span.dt);
        let Some(seen) = self.watch.after(outcome, dt) else {
            return Ok(());
        };
        if !self.beyond_loads(begun, known) {
            return Ok(());
        }
        let violation = outcome.verdict.largest_violation;
        let held = self.held(domain, dt);
        let here = (self.blocks.all().iter())
            .filter(|block| block.worst.0 >= 0.5 * violation)
            .filter_map(|block| {
                let index = block.index_of(block.worst.1)?;
                Some((block.worst.0, self.blocks.key(block, index)))
            });
        let worst = hardest_of_all(domain, here.collect());
        if worst.is_empty() {
            return Ok(());
        }
        let bodies: Vec<String> = worst.iter().map(|(_, key)| self.told(key)).collect();
        Err(StepError::Infeasible {
            step: begun.clock.step + 1,
            steps: seen.steps,
            growth: seen.growth,
            violation,
            bodies: bodies.join(", "),
            held,
        })
    }

    /// Whether a contact's impulse is far larger than all bodies and loads together could cause.
    /// Collective.
    ///
    /// The bound is the momentum that they could bring to this contact within a step. Where
    /// pressure builds up slowly, from step to step, through a deep bed, impulses grow for long
    /// while the sweeps hardly reduce the violation; but this growth ends at the weight of the bed.
    fn beyond_loads(&self, begun: &Begun, known: &Known) -> bool {
        let before = &known.rows;
        let (domain, dt) = (begun.domain, begun.span.dt);
        let Physics { gravity, acts, .. } = &self.physics;
        // The speed of the fastest wall.
        let drive = begun.walls.fastest(before);
        // A cell brings two bodies that touch together as a wall does.
        let strain = begun.strain.as_ref();
        let strained = strain.map_or(0.0, |(strain, _)| strain.rate.largest());
        let drive = domain.max(drive) + self.largest_branch(begun) * strained;
        let start = begun.clock.time;
        // Bodies that grow push their neighbours away at the rate at which their radius grows.
        let grown = acts.growth.map_or(0.0, |growth| {
            (1.0 - 1.0 / growth.factor(start, start + dt)) / dt
        });
        let own = |(row, owner): &(&BodyRow, &usize)| row.is_free() && **owner == domain.rank();
        let mut momentum = ExactSum::default();
        for (row, _) in before.iter().zip(&known.planned.owners).filter(own) {
            let x = &Vector3::from(row.position);
            let pull = self.physics.acceleration(x, row.mass, start).norm();
            let speed = Vector3::from(row.velocity).norm() + pull * dt + row.radius * grown;
            momentum.add(row.mass * (speed + drive));
        }
        let [mut momentum] = domain.sums(&[momentum]);
        for wall in &begun.walls.placed {
            if let Motion::Free(free) = &wall.motion {
                momentum += (free.load.norm() + free.mass * gravity.norm()) * dt;
            }
        }
        momentum += begun.pushed.edges.load();
        let each = self.blocks.all().iter().flat_map(Block::each);
        let largest = each
            .map(|one| one.contact.impulse.norm())
            .fold(0.0, nan_max);
        domain.max(largest) > WEDGED * momentum
    }

    /// The immovable bodies and walls that take the largest contact forces. Collective.
    fn held(&self, domain: &Domain, dt: f64) -> String {
        let mut pushed: Vec<(f64, ContactKey)> = Vec::new();
        for block in self.blocks.all() {
            for one in block.each() {
                let contact = &one.contact;
                let key = self.blocks.key(block, one.index);
                let sides = [key.a, key.b];
                for (side, id) in contact.place.into_iter().zip(sides) {
                    if !block.free[side as usize] && contact.impulse != Vector3::zeros() {
                        let itself = ContactKey {
                            a: id,
                            b: id,
                            feature: 0,
                        };
                        pushed.push((contact.impulse.norm() / dt, itself));
                    }
                }
            }
        }
        let told = hardest_of_all(domain, pushed).into_iter();
        let told = told.map(|(force, key)| {
            let wall = key.a.wall_index().and_then(|w| self.physics.walls.get(w));
            match wall {
                Some(wall) => format!("wall {} ({force:.2e} N at a contact)", wall.name),
                None => format!("body {} ({force:.2e} N at a contact)", key.a),
            }
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() {
            "nothing".to_owned()
        } else {
            told.join(", ")
        }
    }

    /// The first of some contacts on all ranks. Collective.
    pub(super) fn first_of(&self, domain: &Domain, keys: &[ContactKey]) -> Option<String> {
        let numbers = |key: &ContactKey| [key.a.0, key.b.0];
        let mine: Vec<u64> = keys.iter().flat_map(numbers).collect();
        let all = domain.gather(&mine);
        let first = all.as_chunks::<2>().0.iter().min()?;
        let [a, b] = first.map(BodyId);
        Some(self.told(&ContactKey { a, b, feature: 0 }))
    }

    fn told(&self, key: &ContactKey) -> String {
        let [a, b] = [key.a, key.b];
        match b.wall_index().and_then(|w| self.physics.walls.get(w)) {
            Some(wall) => format!("body {a} against wall {}", wall.name),
            None => format!("body {a} against body {b}"),
        }
    }
}

/// The three largest numbers of all ranks, each key once with its largest. Collective.
fn hardest_of_all(domain: &Domain, mut here: Vec<(f64, ContactKey)>) -> Vec<(f64, ContactKey)> {
    let keep_three = |all: &mut Vec<(f64, ContactKey)>| {
        all.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut seen = BTreeSet::new();
        all.retain(|(_, key)| seen.insert(*key));
        all.truncate(3);
    };
    keep_three(&mut here);
    let numbers = |(x, key): &(f64, ContactKey)| [x.to_bits(), key.a.0, key.b.0, key.feature];
    let mine: Vec<u64> = here.iter().flat_map(numbers).collect();
    let all = domain.gather(&mine);
    let read = |four: &[u64]| {
        let key = ContactKey {
            a: BodyId(four[1]),
            b: BodyId(four[2]),
            feature: four[3],
        };
        (f64::from_bits(four[0]), key)
    };
    let mut all: Vec<(f64, ContactKey)> = all.chunks_exact(4).map(read).collect();
    keep_three(&mut all);
    all
}
