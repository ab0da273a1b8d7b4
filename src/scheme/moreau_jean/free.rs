//! The velocities that bodies would have without contacts.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::{Bodies, Member};
use crate::math::{ExactSum, Vector3};
use crate::scheme::known::Known;

/// The initial data of the solve.
pub(super) struct Free {
    /// This rank's bodies and copies, then the walls that move by Newton's law.
    ///
    /// They have their free velocities, in the form that contacts use.
    pub members: Vec<Member>,
    /// This rank's parts of the judge's two sums over bodies, `Σ m |Δt F_ext/m|²` and
    /// `Σ m |v_free|²`.
    pub scales: [ExactSum; 2],
}

impl MoreauJean {
    /// Sets `V ← V_free` for this rank's bodies and copies [001 eq. 1.23].
    pub(super) fn free_velocities(&self, begun: &Begun, known: &mut Known) -> Free {
        let scales = self.accelerate(begun, &mut known.bodies, &known.planned.owners);
        let mut members = Vec::with_capacity(known.bodies.len() + begun.pushed.len());
        (known.bodies).members_into(&mut members, &begun.split, self.blocks.pool());
        members.extend(begun.pushed.members());
        Free { members, scales }
    }

    /// The velocities of bodies in free motion [m/s], and their norms.
    pub(super) fn free_motion(&self, begun: &Begun, bodies: &Bodies) -> Vec<(Vector3, f64)> {
        let (dt, physics, time) = (begun.span.dt, &self.physics, begun.clock.time);
        let of = |i: usize| {
            let (x, mass) = (&bodies.positions()[i], bodies.masses()[i]);
            let pull = physics.acceleration(x, mass, time);
            let velocity = bodies.free_velocity(i, &pull, dt).linear;
            (velocity, velocity.norm())
        };
        let pool = self.blocks.pool();
        pool.parts(bodies.len(), |some| some.map(of).collect::<Vec<_>>())
            .concat()
    }

    fn accelerate(&self, begun: &Begun, bodies: &mut Bodies, owners: &[usize]) -> [ExactSum; 2] {
        let (dt, physics, time) = (begun.span.dt, &self.physics, begun.clock.time);
        let (rank, strain) = (begun.domain.rank(), begun.strain.as_ref());
        let pool = self.blocks.pool();
        let parts = pool.parts(bodies.len(), |some| {
            let mut sums = <[ExactSum; 2]>::default();
            let mut twists = Vec::with_capacity(some.len());
            for i in some {
                let (x, mass) = (&bodies.positions()[i], bodies.masses()[i]);
                let pull = &physics.acceleration(x, mass, time);
                let by_strain =
                    strain.map(|(strain, _)| pull + strain.slows(&bodies.twists()[i].linear));
                let pull = by_strain.as_ref().unwrap_or(pull);
                let free = bodies.free_velocity(i, pull, dt);
                twists.push(free);
                if bodies.is_free(i) && owners[i] == rank {
                    sums[0].add(mass * (pull * dt).norm_squared());
                    sums[1].add(mass * free.linear.norm_squared());
                }
            }
            (sums, twists)
        });
        let mut sums = <[ExactSum; 2]>::default();
        let mut rest = bodies.twists_mut();
        for (part, twists) in parts {
            sums.iter_mut().zip(&part).for_each(|(s, t)| s.merge(t));
            let (these, others) = rest.split_at_mut(twists.len());
            these.copy_from_slice(&twists);
            rest = others;
        }
        sums
    }
}
