//! Detection: from bodies to contacts in blocks; impulses of the last step are found by key.

use super::begun::Begun;
use super::machine::MoreauJean;
use super::plan::Margin;
use crate::body::{Bodies, Twist, WallState};
use crate::contact::{Near, Neighbours, Partner, Touch};
use crate::detect::{Around, Narrow, Space};
use crate::math::{ExactSum, Vector3};
use crate::scheme::known::{Known, Planned};
use crate::scheme::physics::Physics;
use crate::scheme::state::State;
use crate::solver::blocks::{Before, Fate, Filling, Find, Held};

/// The filling of blocks in a step. `twists` are the velocities of bodies before it, `walls_before`
/// the walls before it.
pub(super) fn filling<'a>(
    physics: &'a Physics,
    begun: &'a Begun,
    (bodies, twists): (&'a Bodies, &'a [Twist]),
    walls_before: &'a [WallState],
) -> Filling<'a> {
    let step = begun.law_step(physics);
    Filling {
        fall: physics.gravity.norm() * step.dt,
        falls: &begun.falls,
        bodies,
        twists,
        walls: &begun.walls.placed,
        states: &begun.walls.during,
        states_before: walls_before,
        pushed: &begun.pushed,
        strain: begun.strain.as_ref().map(|(strain, _)| strain),
        split: &begun.split,
        laws: &physics.laws,
        templates: &physics.templates,
        step,
        draw: (physics.solver.seed, begun.clock.step),
    }
}

/// The narrow phase of the pairs of a block.
struct InBlock<'a>(Narrow<'a>);

impl Find for InBlock<'_> {
    #[inline(always)]
    fn touches(&self, near: &Near, mut found: impl FnMut(u32, Touch)) {
        self.0
            .touches_of(near, |pair, touch| found(pair as u32, touch));
    }
}

/// Cosine of the angle beyond which the normal of a contact has turned back in a step.
const TURNED: f64 = -0.5;

impl MoreauJean {
    /// Finds the contacts of this rank's blocks, with their data of the last step.
    ///
    /// Collective. Where `all` is set, no pair sleeps.
    pub(super) fn detect(
        &mut self,
        state: &State,
        begun: &mut Begun,
        known: &mut Known,
        margin: &Margin,
        all: bool,
    ) {
        self.touch(begun, known, margin, all);
        let step = begun.law_step(&self.physics);
        let Begun { domain, pushed, .. } = begun;
        let Known { bodies, ghosts, .. } = known;
        if !pushed.is_empty() {
            let mut contacts = vec![0; pushed.len() + 1];
            let mut masses = vec![ExactSum::default(); pushed.len()];
            // For each side: index among the pushed, and inverse mass.
            let sides = |pair: &Neighbours, touch: &Touch| {
                let of_body = |i: usize| (pushed.place_of_body(i), bodies.response(i).0);
                let second = match pair.partner(bodies.len()) {
                    Partner::Body(b) => of_body(b),
                    Partner::Wall(w) => {
                        let k = pushed.place(w);
                        (k, k.map_or(0.0, |k| pushed.whole(k, &touch.normal)))
                    }
                };
                [of_body(pair.first as usize), second]
            };
            let weights = |pair: &Neighbours, touch: &Touch| {
                let [a, b] = sides(pair, touch);
                [(a.0, b.1), (b.0, a.1)].map(|(k, other)| Some((k?, pushed.weight(k?, other)?)))
            };
            for (pair, touch) in self.blocks.touches() {
                contacts[pushed.len()] += 1;
                let both = sides(pair, touch).map(|(k, _)| k);
                for (k, weight) in both.into_iter().zip(weights(pair, touch)) {
                    let Some(k) = k else { continue };
                    contacts[k] += 1;
                    let of_first = || bodies.masses()[pair.first as usize];
                    masses[k].add(weight.map_or_else(of_first, |(_, weight)| weight));
                }
            }
            if !self.physics.large.is_empty() {
                self.blocks.weigh_parts(weights);
            }
            domain.count(&mut contacts);
            let masses = domain.many_sums(masses);
            pushed.share_among(&contacts, &masses);
            pushed.edges.share_among(contacts[pushed.len()]);
        }
        let touches = self.blocks.touches().chain(self.blocks.asleep());
        let one = |i: usize| Some(i).filter(|&i| pushed.place_of_body(i).is_none());
        let sides = touches.map(|(pair, _)| {
            let second = match pair.partner(bodies.len()) {
                Partner::Body(b) => one(b),
                Partner::Wall(_) => None,
            };
            [one(pair.first as usize), second]
        });
        begun.split = ghosts.split(bodies.len(), sides);
        let fields = !self.physics.acts.fields.is_empty() && self.physics.laws.pairs.bounce();
        if fields {
            let all = bodies.positions().iter().zip(bodies.masses());
            let fall = |(x, &mass)| self.physics.acceleration(x, mass, step.start).norm() * step.dt;
            begun.falls = all.map(fall).collect();
        }
        let twists = bodies.twists();
        let filling = filling(&self.physics, begun, (bodies, twists), &state.walls);
        self.blocks.fill(&filling);
        begun.compressed = self.compressed(begun.clock.step);
    }

    /// Finds the touches of the plan's pairs, and decides which are contacts of the step.
    fn touch(&mut self, begun: &mut Begun, known: &Known, margin: &Margin, all: bool) {
        let Begun {
            domain,
            walls,
            pushed,
            passed,
            strain,
            ..
        } = &*begun;
        debug_assert!(passed.is_empty());
        let bodies = &known.bodies;
        let space = Space {
            walls: &walls.placed,
            margin: margin.joined,
            period: domain.partition().grid().period(),
            templates: &self.physics.templates,
        };
        let free = self.free_motion(begun, bodies);
        let narrow = self.detector.narrow(bodies, &space);
        let laws = &self.physics.laws;
        // Pairs beyond `near` are contacts only if a bond joins them, or may join them in this
        // step.
        let step = begun.law_step(&self.physics);
        let near = margin.near.max(laws.reach(&step));
        let joins = laws.join();
        let (skin, dt) = (self.physics.skin.max(laws.reach(&step)), begun.span.dt);
        // A pair closes if the two approach each other, or contacts stop one of them and the other
        // goes on. Contacts may make it close otherwise; the judge sees it.
        let sleeps = |first: usize, second: usize, touch: &Touch| {
            let [(v_a, fast_a), (v_b, fast_b)] = [free[first], free[second]];
            let approach = (v_a - v_b).dot(&touch.normal);
            let sleeps = touch.gap > skin + dt * approach.max(fast_a).max(fast_b);
            let plain = |i| !bodies.is_clump(i) && pushed.place_of_body(i).is_none();
            sleeps && strain.is_none() && plain(first) && plain(second)
        };
        let fate = |pair: &Neighbours, touch: &Touch, before: Option<Before>| {
            let second = pair.partner(bodies.len());
            let first = pair.first as usize;
            if touch.gap >= near && !before.is_some_and(|before| before.state.is_joint()) {
                return Fate::Drops;
            }
            // Contacts between two immovable sides are dropped; their joints last.
            let moves = bodies.is_free(first)
                || match second {
                    Partner::Body(b) => bodies.is_free(b),
                    Partner::Wall(w) => (pushed.place(w)).is_some_and(|k| pushed.answers(k, touch)),
                };
            let glued = |before: Before| before.state.joint.glue != 0;
            if !moves {
                return match joins && before.is_some_and(glued) {
                    true => Fate::Rests,
                    false => Fate::Drops,
                };
            }
            if let (Partner::Body(second), None, false) = (second, before, all)
                && sleeps(first, second, touch)
            {
                return Fate::Sleeps;
            }
            // The normal of two bodies that pass through each other, or of a thin wall that passes
            // through a body, turns back within a step.
            // In a hollow wall that a body fills, the nearest point changes sides without overlap.
            let turned = before.is_some_and(|before| {
                let deep = before.gap.min(touch.gap) < -0.5 * bodies.radii()[first];
                Vector3::from(*before.normal).dot(&touch.normal) < TURNED
                    && (deep || matches!(second, Partner::Body(_)))
            });
            if turned { Fate::Passed } else { Fate::Acts }
        };
        self.blocks.touch(InBlock(narrow), fate);
        let keys = self.blocks.passed();
        let keys = keys.map(|(pair, touch)| pair.candidate(touch, bodies.ids()).key);
        begun.passed = keys.collect();
    }

    /// The bodies of the step; their pairs, and the contacts of the last step, are in the blocks.
    /// Collective.
    pub(super) fn gather<'d>(&mut self, state: &mut State, begun: &mut Begun<'_, 'd>) -> Known<'d> {
        let domain = begun.domain;
        let lost = self.blocks.lost();
        let mut gone = self.blocks.ids().iter().zip(lost.into_iter().flatten());
        let large = gone.any(|(id, gone)| *gone && self.physics.large.has(*id));
        let same =
            |last: &Planned| !begun.planned && !large && last.partition == *domain.partition();
        let held = match self.planned.as_ref().is_some_and(same) {
            true => Held::default(),
            false => self.bring_kept(state, domain),
        };
        let columns = (std::mem::take(&mut self.columns), self.blocks.pool());
        match self.planned.take().filter(same) {
            Some(last) if self.keeps(state) => {
                state.kept = 0;
                let last = match self.blocks.lost() {
                    Some(gone) => last.without(gone, domain, &self.physics),
                    None => last,
                };
                let known = Known::refreshed(state, last, domain, &self.physics, columns);
                self.push_large(&known, begun);
                let sides = (&known.bodies, &self.physics.walls[..]);
                self.blocks
                    .go_on(sides, (&begun.pushed, &self.physics.laws));
                known
            }
            last => {
                let (known, contacts) = Known::gather(state, domain, &self.physics, columns);
                self.push_large(&known, begun);
                if last.is_none_or(|last| !last.is(&known.planned)) {
                    self.arrange(&known, begun);
                }
                self.blocks.recall(&held, &contacts);
                known
            }
        }
    }

    /// Adds the large bodies to those that impulses move after the sweep.
    fn push_large(&self, known: &Known, begun: &mut Begun) {
        let (physics, bodies) = (&self.physics, &known.bodies);
        let (dt, time) = (begun.span.dt, begun.clock.time);
        let free = |i: usize| {
            let (x, mass) = (&bodies.positions()[i], bodies.masses()[i]);
            bodies.free_velocity(i, &physics.acceleration(x, mass, time), dt)
        };
        let large = physics.large.places(bodies.ids());
        begun.pushed.add_bodies(bodies, large, free);
    }

    /// Puts the pairs of a new plan into blocks.
    fn arrange(&mut self, known: &Known, begun: &Begun) {
        let Planned {
            places,
            halves,
            walls,
            partition,
            ..
        } = &known.planned;
        let (grid, rank) = (partition.grid(), begun.domain.rank());
        let surfaces = self.physics.walls.iter().zip(walls);
        let surfaces: Vec<_> = surfaces
            .map(|(wall, then)| wall.placed(&then.state))
            .collect();
        let reaches = walls.iter();
        let reaches = reaches.map(|then| then.allowance + 0.5 * self.physics.skin);
        let around = Around {
            positions: places,
            halves,
            walls: &surfaces,
            reaches: &reaches.collect::<Vec<_>>(),
            period: grid.period(),
        };
        let home = |point: &Vector3| {
            let block = grid.block_of(point);
            (partition.owner_of_block(block) == rank).then(|| grid.linear(block))
        };
        let pairs = self.detector.pairs(&around, home, self.blocks.pool());
        let of = (&pairs.pairs[..], &pairs.home[..]);
        let sides = (&known.bodies, &self.physics.walls[..]);
        let laws = (&begun.pushed, &self.physics.laws);
        self.blocks.arrange(of, grid, sides, laws);
    }

    /// Energy in the springs of contacts that begin compressed [J].
    ///
    /// These are contacts of initial bodies that overlap, and of bodies that were held in an
    /// overlap. No step has taken this energy from the motion of bodies, but springs give it back.
    fn compressed(&self, step: u64) -> ExactSum {
        let mut sum = ExactSum::default();
        if step > 0 && self.physics.acts.holds.is_empty() {
            return sum;
        }
        for block in self.blocks.all() {
            for one in block.each() {
                let (closing, parts) = (one.contact.law.closing_speed, &one.parts);
                let begins = closing < 0.0 && !block.pressed_before(one.index);
                if let (Some(hertz), true) = (parts.hertz, begins) {
                    sum.add(match parts.damper {
                        None => hertz.compressed(closing),
                        Some(_) => hertz.kept(),
                    });
                }
                if let (Some(springs), None) = (parts.springs, parts.bond)
                    && begins
                {
                    // g²/2C, as the closing speed is g/Δt and the softness C/Δt².
                    let energy = parts.damper.map_or_else(
                        || 0.5 * closing * closing / springs.softness[0],
                        |damper| damper.before(),
                    );
                    sum.add(energy);
                }
            }
        }
        sum
    }
}
