//! The opening of a contact with Coulomb's law and springs: its local problem in a step.

use super::coulomb::Coulomb;
use super::springs::{Springs, softened};
use super::touching::Step;
use crate::math::real::{Real, Three, across, dot, scaled, turned_with};

/// The data from which a contact with springs at most opens.
#[derive(Clone, Copy, Debug)]
pub struct Simple<R> {
    /// Unit normal from the first body to the second.
    pub normal: Three<R>,
    /// Distance between the surfaces [m].
    pub gap: R,
    /// Reduced masses, normal and tangential [kg].
    pub masses: [R; 2],
    /// Coefficient of friction.
    pub friction: R,
    /// Compliance [m/N], and tangential stiffness over the normal one.
    pub compliance: [R; 2],
    /// Unit normal and impulse [N s] of the last step; for a new contact the present normal and
    /// zero.
    pub last: [Three<R>; 2],
}

/// A contact with springs at most in a step: its local problem and its initial impulse [N s].
#[derive(Clone, Copy, Debug)]
pub struct OpenedSimple<R> {
    /// Coulomb's law.
    pub law: Coulomb<R>,
    /// Its springs; without meaning where it is rigid.
    pub springs: Springs<R>,
    /// The impulse of the last step, turned with the normal and scaled to the length of this step.
    pub impulse: Three<R>,
}

impl<R: Real> Simple<R> {
    /// The local problem; `SOFT` where the contact has springs.
    #[must_use]
    #[inline(always)]
    pub fn open<const SOFT: bool>(&self, step: &Step) -> OpenedSimple<R> {
        let n = &self.normal;
        let dt = self.gap.splat(step.dt);
        let [normal, impulse] = &self.last;
        let impulse = scaled(&turned_with(normal, n, impulse), dt.splat(step.rescale));
        let mut law = Coulomb {
            normal: *n,
            closing_speed: step.gap.closing_speed(self.gap, dt),
            normal_mass: self.masses[0],
            tangential_mass: self.masses[1],
            friction: self.friction,
        };
        let mut springs = Springs {
            softness: [dt.splat(0.0); 2],
            previous: impulse,
        };
        if SOFT {
            let gamma = self.compliance[0] / (dt * dt);
            let softness = [gamma, gamma / self.compliance[1]];
            law.closing_speed = self.gap / dt;
            law.normal_mass = softened(law.normal_mass, softness[0]);
            law.tangential_mass = softened(law.tangential_mass, softness[1]);
            springs = Springs {
                softness,
                previous: across(&impulse, n, dot(&impulse, n)),
            };
        }
        OpenedSimple {
            law,
            springs,
            impulse,
        }
    }
}
