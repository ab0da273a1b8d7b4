//! Where the energy goes at the contacts in a step.
//!
//! The impulses r and couples τ of a step do the work `Σ r·ū + τ·Ω̄` on the bodies, ū and Ω̄ being the mean of the relative
//! velocities before and after the step: this is an identity of impulsive motion, whatever the law. Each part of it is named
//! here, so that the ledger closes to rounding.

use super::batch::split;
use super::blocks::Block;
use crate::body::Member;
use crate::math::Vector3;

/// Energies of a step [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Taken out by normal impulses that push, the springs' part included.
    pub normal: f64,
    /// Taken out by normal impulses that pull: cohesion.
    pub cohesion: f64,
    /// Taken out by friction, the springs' part included.
    pub friction: f64,
    /// Taken out by couples about tangential axes.
    pub rolling: f64,
    /// Taken out by couples about the normal.
    pub torsion: f64,
    /// Brought in by walls and bodies that are not free.
    pub driven: f64,
    /// In the springs of compliant contacts at the end of the step: a state, not a flow.
    pub elastic: f64,
}

impl Work {
    /// How many numbers it has.
    pub const TERMS: usize = 7;

    /// All numbers, in order.
    #[must_use]
    pub fn to_array(self) -> [f64; Self::TERMS] {
        [
            self.normal,
            self.cohesion,
            self.friction,
            self.rolling,
            self.torsion,
            self.driven,
            self.elastic,
        ]
    }

    /// The same back.
    #[must_use]
    pub fn from_array(of: [f64; Self::TERMS]) -> Self {
        let [
            normal,
            cohesion,
            friction,
            rolling,
            torsion,
            driven,
            elastic,
        ] = of;
        Self {
            normal,
            cohesion,
            friction,
            rolling,
            torsion,
            driven,
            elastic,
        }
    }

    /// All that contacts took out of the bodies' motion [J].
    #[must_use]
    pub fn taken(&self) -> f64 {
        self.normal + self.cohesion + self.friction + self.rolling + self.torsion
    }
}

/// Whether a member that is not free moves, or did before the step: only then does it bring in work.
pub(super) fn pushes_what_moves(block: &Block, members: &[Member]) -> bool {
    let moves = |m: &Member| m.motion().iter().any(|x| *x != 0.0);
    let mut unfree = (block.free.iter().enumerate()).filter(|(_, free)| !**free);
    unfree.any(|(k, _)| moves(&members[k]) || moves(&block.before[k]))
}

/// The work at the contacts of a block in its batches from `first` on, at the velocities that its members have now.
pub(super) fn of_block(block: &Block, members: &[Member], first: usize) -> Work {
    let mut work = Work::default();
    for (slot, c, extra, origin) in block.each() {
        if split(slot).0 < first {
            continue;
        }
        if c.impulse == Vector3::zeros() && extra.is_none() {
            continue;
        }
        let n = &c.law.normal;
        let [a, b] = c.place.map(|p| p as usize);
        let couple = extra.map_or_else(Vector3::zeros, |e| e.couple);
        let inverse_lever = extra.map_or([0.0; 2], |e| e.inverse_lever);
        // Velocities of the two sides at the contact, each the mean over the step: v_a + s_a × n, v_b − s_b × n; and angular
        // velocities, which matter only where there are couples.
        let mean = |k: usize, inverse_lever: f64| {
            let (now, before) = (&members[k], &block.before[k]);
            let spin = (now.spin() + before.spin()) * 0.5;
            let velocity = (now.velocity() + before.velocity()) * 0.5;
            (velocity, spin, spin * inverse_lever)
        };
        let (v_a, s_a, w_a) = mean(a, inverse_lever[0]);
        let (v_b, s_b, w_b) = mean(b, inverse_lever[1]);
        let drive = block.drive(origin);
        let w_b = w_b + drive.angular;
        let at_a = v_a + s_a.cross(n);
        let at_b = v_b + drive.linear - s_b.cross(n);
        let (u, spin) = (at_b - at_a, w_b - w_a);
        let (r_n, u_n) = (c.impulse.dot(n), u.dot(n));
        let normal = -r_n * u_n;
        if r_n >= 0.0 {
            work.normal += normal;
        } else {
            work.cohesion += normal;
        }
        work.friction += -(c.impulse - n * r_n).dot(&(u - n * u_n));
        let (t_n, s_n) = (couple.dot(n), spin.dot(n));
        work.torsion += -t_n * s_n;
        work.rolling += -(couple - n * t_n).dot(&(spin - n * s_n));
        if !block.free[a] {
            work.driven += c.impulse.dot(&at_a) + couple.dot(&w_a);
        }
        if !block.free[b] {
            work.driven -= c.impulse.dot(&at_b) + couple.dot(&w_b);
        }
        if let Some(extra) = extra {
            let [soft_n, soft_t] = extra.softness;
            let tangential = (c.impulse - n * r_n).norm_squared();
            work.elastic += 0.5 * (soft_n * r_n * r_n + soft_t * tangential);
        }
    }
    work
}
