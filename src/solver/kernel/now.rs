//! The laws of several contacts of a batch, in the lanes of vector registers.

use crate::law::{Coulomb, Impulse, Kind, Parts, answer, relative_velocity};
use crate::math::real::{Three, sub};
use crate::solver::batch::{Batch, SpringLines};
use crate::solver::lanes::Lanes;
use crate::solver::vectors::{Columns, Lane};

/// Several contacts of a batch with springs at most, at the present velocities.
pub(in crate::solver) struct Now<S: Lanes> {
    /// Their laws.
    pub(in crate::solver) law: Coulomb<Lane<S>>,
    /// Their springs.
    pub(in crate::solver) parts: Parts<Lane<S>>,
    /// Impulses.
    pub(in crate::solver) r: Three<Lane<S>>,
    /// Relative velocities.
    pub(in crate::solver) u: Three<Lane<S>>,
    /// The impulses that the law demands.
    pub(in crate::solver) wanted: Three<Lane<S>>,
    /// The difference of these from `r`.
    pub(in crate::solver) d: Three<Lane<S>>,
}

impl<S: Lanes> Now<S> {
    /// `motion` is `v_b − v_a` and `s_a + s_b`; `springs` begins with the batch's numbers.
    #[inline(always)]
    pub(in crate::solver) fn of<const SOFT: bool>(
        s: S,
        batch: &Batch,
        springs: Option<&SpringLines>,
        part: usize,
        motion: &[S::f64s; 6],
    ) -> Self {
        let zero = Lane::all(s, 0.0);
        let law = batch.law(s, part);
        let r = Lane::load3(s, &batch.impulse, part);
        let parts = match springs {
            Some(lines) if SOFT => {
                let simd = s;
                let lines = &lines[..];
                Parts::read(Kind::SPRINGS, &Columns { simd, lines, part })
            }
            _ => Parts::NONE,
        };
        let u = velocity(s, motion, &law.normal);
        let wanted = answer(&law, &parts, &Impulse::of(r), &u, &[zero; 3]).linear;
        Self {
            d: sub(&wanted, &r),
            law,
            parts,
            r,
            u,
            wanted,
        }
    }
}

/// Relative velocities at contacts, from `v_b − v_a` and `s_a + s_b` of their bodies.
#[inline(always)]
pub(in crate::solver) fn velocity<S: Lanes>(
    s: S,
    motion: &[S::f64s; 6],
    n: &Three<Lane<S>>,
) -> Three<Lane<S>> {
    let [v_x, v_y, v_z, s_x, s_y, s_z] = *motion;
    let velocity = [Lane::new(s, v_x), Lane::new(s, v_y), Lane::new(s, v_z)];
    let spin = [Lane::new(s, s_x), Lane::new(s, s_y), Lane::new(s, s_z)];
    relative_velocity(&velocity, &spin, n)
}

impl Batch {
    /// Coulomb's law of its contacts from lane `part` on.
    #[inline(always)]
    pub(in crate::solver) fn law<S: Lanes>(&self, s: S, part: usize) -> Coulomb<Lane<S>> {
        Coulomb {
            normal: Lane::load3(s, &self.normal, part),
            closing_speed: Lane::load(s, &self.closing_speed, part),
            normal_mass: Lane::load(s, &self.normal_mass, part),
            tangential_mass: Lane::load(s, &self.tangential_mass, part),
            friction: Lane::load(s, &self.friction, part),
        }
    }
}
