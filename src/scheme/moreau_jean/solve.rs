//! The solve: from free velocities to those at the end of the step, on all ranks.

use super::begun::Begun;
use super::detect::filling;
use super::free::Free;
use super::machine::MoreauJean;
use crate::body::{BodyRow, Member, Twist, Wall};
use crate::contact::{Neighbours, Partner, Touch};
use crate::math::Vector3;
use crate::scheme::known::Known;
use crate::scheme::state::State;
use crate::solver::blocks::Blocks;
use crate::solver::nsgs::{self, Outcome};
use crate::solver::{project, work};

impl MoreauJean {
    /// Warm start, then sweeps until the judge accepts the impulses. Collective.
    pub(super) fn solve(
        &mut self,
        state: &State,
        begun: &Begun,
        known: &mut Known,
        free: &mut Free,
    ) -> Outcome {
        let Known {
            rows,
            bodies,
            ghosts,
            ..
        } = known;
        let (rows, bodies) = (&*rows, &*bodies);
        let physics = &self.physics;
        let wake = |blocks: &mut Blocks| {
            let before = |row: &BodyRow| Twist {
                linear: row.velocity.into(),
                angular: row.angular_velocity.into(),
            };
            let twists: Vec<Twist> = rows.iter().map(before).collect();
            blocks.wake(&filling(physics, begun, (bodies, &twists), &state.walls));
        };
        nsgs::solve(
            &mut self.blocks,
            &mut free.members,
            &begun.pushed,
            ghosts,
            std::mem::take(&mut free.scales),
            &self.physics.solver,
            (begun.clock.step, (begun.span.dt, &wake)),
        )
    }

    /// Records the impulses and the work at meshes, if the state asks for them. Collective.
    pub(super) fn wear(
        &mut self,
        state: &mut State,
        begun: &Begun,
        known: &mut Known,
        free: &mut Free,
    ) {
        let walls = &begun.walls.placed;
        let is_mesh = |wall: &Wall| wall.surface.mesh().is_some();
        let wear = state.wear.as_mut();
        let Some(wear) = wear.filter(|_| walls.iter().any(is_mesh)) else {
            return;
        };
        let (blocks, members) = (&mut self.blocks, &mut free.members);
        let counts = |wall: usize| is_mesh(&walls[wall]);
        let impulses = work::at_walls(blocks, members, &mut known.ghosts, counts);
        wear.take(&impulses, |wall| Some(&walls[wall].surface));
    }

    /// Displacements of the owners' bodies that remove overlaps left by the solve [m]. Collective.
    ///
    /// `None` if projection is switched off, or nothing overlaps.
    pub(super) fn project(
        &mut self,
        begun: &mut Begun,
        known: &mut Known,
        free: &mut Free,
    ) -> Option<Vec<Member>> {
        let settings = &self.physics.solver;
        let off = settings.projection.sweeps == 0 || settings.projection.fraction == 0.0;
        if off || !self.physics.laws.pairs.any_rigid() {
            return None;
        }
        let (step, dt) = (begun.clock.step, begun.span.dt);
        let gains = [
            self.physics.gravity.norm() * dt,
            begun.pushed.largest_gain(),
        ];
        let (walls, bodies) = (&begun.walls, known.bodies.len());
        let bend = |pair: &Neighbours, touch: &Touch, radius: f64, way: &Vector3| {
            let Partner::Wall(w) = pair.partner(bodies) else {
                return 0.0;
            };
            let (wall, surface) = (
                &walls.placed[w],
                walls.placed[w].surface.part_at(touch.feature),
            );
            let during = &walls.during[w];
            let whole = wall.velocity_as_whole(during, surface);
            let drive = match begun.pushed.place(w) {
                None => whole * dt,
                // The velocity of its centre is in the way.
                Some(_) => (whole - during.velocity) * dt,
            };
            let centre = touch.point - touch.normal * (radius + 0.5 * touch.gap);
            surface.bend(&centre, &-(way + drive))
        };
        let known_bodies = &known.bodies;
        let laws = &self.physics.laws.pairs;
        let radius = |pair: &Neighbours| {
            let [a, b] = [pair.first, pair.second].map(|i| i as usize);
            let (radii, materials) = (known_bodies.radii(), known_bodies.materials());
            let law = laws.between(materials[a], materials[b]);
            (!law.is_soft()).then(|| radii[a].min(radii[b]))
        };
        let (blocks, members) = (&mut self.blocks, &mut free.members);
        let mut ways = project::project(
            blocks,
            members,
            &begun.pushed,
            &mut known.ghosts,
            settings,
            (step, dt, gains),
            (bend, radius),
        )?;
        let first = ways.len() - begun.pushed.len();
        begun.pushed_by = ways[first..].iter().map(Member::velocity).collect();
        known.ghosts.bring_home(&mut ways);
        begun.pushed.give_back(&mut ways);
        Some(ways)
    }

    /// Brings the new velocities to the owners of the bodies, and sets those of walls and edges.
    /// Collective.
    pub(super) fn bring_home(&mut self, begun: &mut Begun, known: &mut Known, mut found: Free) {
        known.ghosts.bring_home(&mut found.members);
        begun.pushed.give_back(&mut found.members);
        known.bodies.take(&found.members);
        begun.pushed_to = begun.pushed.twists(&self.blocks, &known.ghosts);
        self.stretch(begun, &known.ghosts);
    }
}
