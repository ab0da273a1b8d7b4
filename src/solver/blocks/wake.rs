//! Sleeping touches: those that are not expected to close in the step.
//!
//! Sweeps leave them out. The judge looks at them with all contacts; where one closes, it becomes a
//! contact, and the solve goes on. So a solve that converges misses none, whatever was expected.
//! The projection of positions keeps their bodies apart as well.

use super::fill::{SCRATCH, Scratch};
use super::touches::NEW;
use super::{Block, Blocks, Filling};
use crate::body::Member;
use crate::contact::{Neighbours, Touch};
use crate::law::{relative_velocity, softened};
use crate::math::real::dot;
use crate::math::{Vector3, make_room, nan_max};
use crate::solver::kernel::rigid::RigidContact;
use crate::solver::plan::Aim;

impl Blocks {
    /// Makes contacts of the touches that the judge found to close. Others keep their impulses.
    ///
    /// `filling` is that of the step.
    pub fn wake(&mut self, filling: &Filling) {
        let Self { blocks, before, .. } = self;
        for block in blocks.iter_mut().filter(|block| !block.woken.is_empty()) {
            SCRATCH.with_borrow_mut(|scratch| block.wake(filling, before, scratch));
        }
    }
}

/// The impulse and the couple impulse of a contact, with its place in the order of contacts.
type Present = ((u32, u64), Vector3, Vector3);

impl Block {
    /// Whether it has neither contacts nor touches that sleep.
    pub(super) fn is_idle(&self) -> bool {
        self.turns() == 0 && self.asleep.is_empty()
    }

    /// Notes which sleeping touches close at the members' present velocities within `dt` [s], and
    /// returns their number.
    pub(in crate::solver) fn look_at_sleeping(&mut self, members: &[Member], dt: f64) -> usize {
        self.woken.clear();
        for (k, (pair, touch)) in self.asleep.iter().enumerate() {
            let [a, b] = self.places[*pair as usize].map(|place| &members[place as usize]);
            let closing = touch.gap + dt * (b.velocity() - a.velocity()).dot(&touch.normal);
            // A NaN is found by the judge.
            if closing < 0.0 {
                self.woken.push(k as u32);
            }
        }
        self.woken.len()
    }

    /// `Σ m_n |u|²` over the sleeping touches at the members' present velocities [J].
    pub(in crate::solver) fn motion_of_sleeping(&self, members: &[Member]) -> f64 {
        let asleep = self.asleep.iter().zip(&self.asleep_masses);
        let each = asleep.map(|((pair, touch), mass)| {
            let [a, b] = self.places[*pair as usize].map(|place| &members[place as usize]);
            let velocity = (b.velocity() - a.velocity()).into();
            let spin = (a.spin() + b.spin()).into();
            let u = relative_velocity(&velocity, &spin, &touch.normal.into());
            dot(&u, &u) * mass
        });
        each.sum()
    }

    /// Records the gaps that sleeping touches will have after `dt` [s], for the projection.
    ///
    /// `stays` is the overlap that stays between the bodies of a pair [m]; with springs all does.
    /// Returns the largest overlap beyond it [m]; 0 if there is none.
    pub(in crate::solver) fn aim_asleep(
        &mut self,
        members: &[Member],
        dt: f64,
        stays: impl Fn(&Neighbours) -> f64,
    ) -> f64 {
        let Self {
            asleep,
            aims,
            pairs,
            places,
            ..
        } = self;
        let aim = |(pair, touch): &(u32, Touch)| {
            let [a, b] = places[*pair as usize].map(|place| &members[place as usize]);
            let way = (b.velocity() - a.velocity()) * dt;
            let gap = touch.gap + way.dot(&touch.normal) + stays(&pairs[*pair as usize]);
            Aim { gap, pushed: 0.0 }
        };
        aims.clear();
        make_room(aims, asleep.len());
        aims.extend(asleep.iter().map(aim));
        aims.iter().map(|aim| -aim.gap).fold(0.0, nan_max)
    }

    /// One sweep of the projection over the sleeping touches, so that it does not push bodies into
    /// each other. The velocities of the members are displacements [m].
    pub(in crate::solver) fn part_asleep(&mut self, members: &mut [Member], fraction: f64) {
        for ((pair, touch), aim) in self.asleep.iter().zip(&mut self.aims) {
            let places = self.places[*pair as usize].map(|place| place as usize);
            let push = |[a, b]: [&Member; 2]| fraction / (a.inverse_mass() + b.inverse_mass());
            aim.push_apart(push, &touch.normal, places, members);
        }
    }

    fn wake(&mut self, filling: &Filling, before: &[Member], scratch: &mut Scratch) {
        let name = |block: &Self, k: usize| (block.of[k], block.touches[k].feature);
        let present: Vec<Present> = self
            .each()
            .map(|one| {
                let (impulse, couple) = (one.contact.impulse, one.contact.couple);
                (name(self, one.index), impulse, couple)
            })
            .collect();
        for k in std::mem::take(&mut self.woken).into_iter().rev() {
            let (pair, touch) = self.asleep.remove(k as usize);
            let place = self.of.partition_point(|&other| other < pair);
            self.of.insert(place, pair);
            self.touches.insert(place, touch);
            self.matched.insert(place, NEW);
        }
        self.passed.clear();
        filling.fill_block(self, before, scratch);
        self.drawn = None;
        let mut present = present.into_iter().peekable();
        for k in 0..self.of.len() {
            let name = name(self, k);
            let now = present.next_if(|(other, ..)| *other == name);
            let now = now.map(|(_, impulse, couple)| (impulse, couple));
            let (impulse, couple) = now.unwrap_or_default();
            self.set_present(self.slots()[k], &impulse, &couple);
        }
        // Within a solve the masses of parts are in use.
        for apart in &mut self.apart {
            apart.trade(&mut self.batches);
        }
        self.rigid.iter_mut().for_each(RigidContact::trade);
    }

    fn set_present(&mut self, slot: u32, impulse: &Vector3, couple: &Vector3) {
        self.set_impulse(slot, impulse);
        match self.rigid_place(slot) {
            None => self.batches.set_couple(slot, couple),
            Some(k) => self.rigid[k].contact.couple = *couple,
        }
    }
}

impl Filling<'_> {
    /// Finds the normal masses of sleeping touches under their laws; `radii` are those of members.
    pub(super) fn weigh_sleeping(&self, block: &mut Block, radii: &[f64]) {
        let Block {
            asleep,
            asleep_masses,
            pairs,
            places,
            before,
            ..
        } = block;
        let materials = self.bodies.materials();
        asleep_masses.extend(asleep.iter().map(|(pair, _)| {
            let (of, pair) = (places[*pair as usize], pairs[*pair as usize]);
            let [a, b] = of.map(|place| before[place as usize].inverse_mass());
            let [first, second] = [pair.first, pair.second].map(|i| materials[i as usize]);
            let law = self.laws.pairs.between(first, second);
            let compliance = law.compliance(of.map(|place| radii[place as usize]));
            softened(1.0 / (a + b), compliance / (self.step.dt * self.step.dt))
        }));
    }
}
