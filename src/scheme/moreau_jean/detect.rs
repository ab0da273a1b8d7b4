//! Detection: from bodies to contacts in blocks; impulses of the last step are found by key.

use super::begun::Begun;
use super::machine::{MoreauJean, Paired};
use super::plan::Margin;
use crate::contact::{Candidate, ContactRow, Partner};
use crate::detect::{Around, Space};
use crate::math::{ExactSum, Vector3};
use crate::scheme::known::Known;
use crate::scheme::state::State;
use crate::solver::blocks::{Block, Filling};

/// Cosine of the angle beyond which the normal of a contact has turned back in a step.
const TURNED: f64 = -0.5;

impl MoreauJean {
    /// Finds the contacts whose point lies in this rank's blocks, with their data of the last step.
    ///
    /// Returns the number of ranks among which each body is split. Collective.
    pub(super) fn detect(
        &mut self,
        state: &State,
        begun: &mut Begun,
        known: &mut Known,
        margin: &Margin,
    ) -> Vec<f64> {
        let pairs = self.pairs(state, begun, known);
        let step = begun.law_step(&self.physics);
        let Begun {
            domain,
            walls,
            pushed,
            compressed,
            passed,
            ..
        } = begun;
        let Known {
            contacts: history,
            bodies,
            resting,
            ghosts,
            ..
        } = known;
        let partition = domain.partition();
        let space = Space {
            walls: &walls.placed,
            margin: margin.joined,
            period: partition.grid().period(),
            templates: &self.physics.templates,
        };
        let mut found = self.blocks.take_candidates();
        let pool = self.blocks.pool();
        (self.detector).touches(bodies, &space, &pairs.pairs, pool, &mut found);
        self.pairs = Some(pairs);
        let row = |c: &Candidate| {
            let place = history.binary_search_by_key(&c.key, |row| row.key);
            place.ok().map(|k| &history[k])
        };
        // Pairs beyond `near` remain candidates only if a bond joins them, or may join them in this
        // step.
        let near = margin.near.max(self.physics.laws.reach(&step));
        if margin.joined > near {
            let joint = |c: &Candidate| row(c).is_some_and(|row| row.state.is_joint());
            found.retain(|c| c.gap < near || joint(c));
        }
        // Contacts between two immovable sides are dropped; their joints last.
        let moves = |c: &Candidate| {
            bodies.is_free(c.a)
                || match c.b {
                    Partner::Body(b) => bodies.is_free(b),
                    // A wall that can move in one direction only takes no impulse perpendicular to
                    // it.
                    Partner::Wall(w) => (pushed.place(w))
                        .is_some_and(|k| pushed.reaction(k, &c.normal).normal > 0.0),
                }
        };
        if self.physics.laws.join() {
            let dropped = found.iter().filter(|c| !moves(c));
            let joined = dropped.filter_map(|c| Some((c, row(c)?)));
            let joined = joined.filter(|(_, row)| row.state.joint.glue != 0);
            resting.extend(joined.map(|(c, row)| row.at_rest(c)));
        }
        found.retain(moves);
        if !pushed.is_empty() {
            let mut contacts = vec![0; pushed.len()];
            let mut masses = vec![ExactSum::default(); pushed.len()];
            for c in &found {
                if let Partner::Wall(w) = c.b
                    && let Some(k) = pushed.place(w)
                {
                    contacts[k] += 1;
                    masses[k].add(bodies.masses()[c.a]);
                }
            }
            domain.count(&mut contacts);
            let masses = domain.many_sums(masses);
            pushed.share_among(&contacts, &masses);
        }
        // Both lists are ordered by key, so one pass through the two suffices.
        let matched: Vec<Vec<Option<&ContactRow>>> = pool.parts(found.len(), |some| {
            let found = &found[some];
            let first = |c: &Candidate| history.partition_point(|row| row.key < c.key);
            let mut next = found.first().map_or(0, first);
            let matched = found.iter().map(|c| {
                while history.get(next).is_some_and(|row| row.key < c.key) {
                    next += 1;
                }
                history.get(next).filter(|row| row.key == c.key)
            });
            matched.collect()
        });
        let matched = matched.concat();
        // The normal of two bodies that pass through each other, or of a thin wall that passes
        // through a body, turns back within a step.
        // In a hollow wall that a body fills, the nearest point changes sides without overlap.
        let turned = |(c, row): &(&Candidate, &Option<&ContactRow>)| {
            row.is_some_and(|row| {
                let deep = row.gap.min(c.gap) < -0.5 * bodies.radii()[c.a];
                Vector3::from(row.normal).dot(&c.normal) < TURNED
                    && (deep || matches!(c.b, Partner::Body(_)))
            })
        };
        let pairs = found.iter().zip(&matched).filter(turned);
        *passed = pairs.map(|(c, _)| c.key).collect();
        let previous = |k: usize| matched[k];
        let sides = found.iter().map(|c| match c.b {
            Partner::Body(b) => [Some(c.a), Some(b)],
            Partner::Wall(_) => [Some(c.a), None],
        });
        let split = ghosts.split(bodies.len(), sides);
        let fields = !self.physics.acts.fields.is_empty() && self.physics.laws.pairs.bounce();
        let falls: Vec<f64> = match fields {
            true => bodies
                .positions()
                .iter()
                .zip(bodies.masses())
                .map(|(x, &mass)| self.physics.acceleration(x, mass, step.start).norm() * step.dt)
                .collect(),
            false => Vec::new(),
        };
        let filling = Filling {
            fall: self.physics.gravity.norm() * step.dt,
            falls: &falls,
            bodies,
            walls: &walls.placed,
            states: &walls.during,
            states_before: &state.walls,
            pushed,
            split: &split,
            laws: &self.physics.laws,
            templates: &self.physics.templates,
            grid: partition.grid(),
            step,
            draw: (self.physics.solver.seed, state.clock.step),
        };
        self.blocks.fill(found, &filling, previous);
        let pressed = |k: usize| matched[k].is_some_and(|row| row.impulse != [0.0; 3]);
        *compressed = self.compressed(begun.clock.step, pressed);
        // The rows have been used; their memory is used again when the step ends.
        self.rows = std::mem::take(history);
        split
    }

    /// The pairs of the plan, those of the last step if it is the same plan.
    fn pairs(&mut self, state: &State, begun: &Begun, known: &Known) -> Paired {
        let of = (known.bodies.ids(), &known.places[..], &known.halves[..]);
        let partition = begun.domain.partition();
        match self.pairs.take() {
            Some(last) if last.is_of(of, &state.references, partition) => last,
            _ => {
                let (grid, rank) = (partition.grid(), begun.domain.rank());
                let walls = self.physics.walls.iter().zip(&state.references);
                let walls: Vec<_> = walls.map(|(wall, then)| wall.placed(&then.state)).collect();
                let reaches = state.references.iter();
                let reaches = reaches.map(|then| then.allowance + 0.5 * self.physics.skin);
                let around = Around {
                    positions: &known.places,
                    halves: &known.halves,
                    walls: &walls,
                    reaches: &reaches.collect::<Vec<_>>(),
                    period: grid.period(),
                };
                let home = |point: &Vector3| {
                    let block = grid.block_of(point);
                    (partition.owner_of_block(block) == rank).then(|| grid.linear(block))
                };
                let pairs = self.detector.pairs(&around, home, self.blocks.pool());
                Paired {
                    ids: known.bodies.ids().to_vec(),
                    places: known.places.clone(),
                    halves: known.halves.clone(),
                    walls: state.references.clone(),
                    partition: partition.clone(),
                    pairs,
                }
            }
        }
    }

    /// Energy in the springs of contacts that begin compressed [J].
    ///
    /// These are contacts of initial bodies that overlap, and of bodies that were held in an
    /// overlap. No step has taken this energy from the motion of bodies, but springs give it back.
    fn compressed(&self, step: u64, pressed: impl Fn(usize) -> bool) -> ExactSum {
        let mut sum = ExactSum::default();
        if step > 0 && self.physics.acts.holds.is_empty() {
            return sum;
        }
        for one in self.blocks.all().iter().flat_map(Block::each) {
            let (closing, parts) = (one.contact.law.closing_speed, &one.parts);
            if let (Some(springs), None) = (parts.springs, parts.bond)
                && closing < 0.0
                && !pressed(one.origin.candidate as usize)
            {
                // g²/2C, as the closing speed is g/Δt and the softness C/Δt².
                sum.add(0.5 * closing * closing / springs.softness[0]);
            }
        }
        sum
    }
}
