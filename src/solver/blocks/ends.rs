//! The sides of a new contact, in the form that laws with more than springs use.

use super::filling::Filling;
use super::rigid::Geometry;
use super::sides::{Place, Side, turning};
use crate::contact::{Candidate, Partner};
use crate::law::{self, Sides};
use crate::math::real::add;
use crate::math::{Vector3, nan_max};
use crate::solver::kernel::rigid::at_arms;

/// The two sides of a contact, for laws that need more than masses.
pub(super) struct Ends<'a> {
    pub(super) filling: &'a Filling<'a>,
    pub(super) sides: [&'a Side; 2],
    pub(super) candidate: &'a Candidate,
    pub(super) rigid: Option<&'a Geometry>,
}

impl Sides for Ends<'_> {
    fn turning(&self) -> Option<([f64; 2], [f64; 2])> {
        let inverse = |lever: f64| if lever == 0.0 { 0.0 } else { 1.0 / lever };
        let turns = self.sides.iter().any(|side| side.seen.turning > 0.0);
        turns.then(|| {
            let levers = self.sides.map(|side| inverse(side.lever));
            let turning = match self.rigid {
                None => turning(self.sides, [1.0; 2]),
                Some(rigid) => [rigid.turning_mass(), 0.0],
            };
            (turning, levers)
        })
    }

    fn spin_before(&self) -> Vector3 {
        let [a, b] = self.sides.map(|side| match side.at {
            Place::Still(w) => self.filling.states_before[w].angular_velocity,
            _ => self.filling.before(side).angular,
        });
        0.5 * (a + b)
    }

    fn centres(&self) -> [Option<Vector3>; 2] {
        let centre = |i: usize| self.filling.bodies.positions()[i];
        let second = match self.candidate.b {
            Partner::Body(b) => Some(centre(b)),
            Partner::Wall(_) => None,
        };
        [Some(centre(self.candidate.a)), second]
    }

    fn fall(&self) -> f64 {
        let filling = self.filling;
        let of = |side: &Side| match side.at {
            Place::Body(i) => filling.falls.get(i).copied().unwrap_or(filling.fall),
            Place::Pushed(k) => filling.pushed.gain(k, &self.candidate.point),
            Place::Still(w) => {
                let [now, before] = [filling.states, filling.states_before]
                    .map(|of| filling.walls[w].velocity_at(&of[w], &self.candidate.point));
                (now - before).norm()
            }
        };
        let faster = filling.strain.map_or(0.0, |strain| {
            let now = strain.drives(filling.bodies, self.candidate).linear;
            (now - strain.drove(filling.bodies, self.candidate)).norm()
        });
        self.sides.map(of).into_iter().fold(faster, nan_max)
    }

    fn velocity_before(&self) -> Vector3 {
        let Self {
            filling,
            sides,
            candidate: c,
            rigid,
        } = self;
        let [of_a, of_b] = sides.map(|side| filling.before(side));
        let drive_before = match sides[1].at {
            Place::Still(w) => filling.walls[w].velocity_at(&filling.states_before[w], &c.point),
            _ => Vector3::zeros(),
        };
        let mut velocity = of_b.linear + drive_before - of_a.linear;
        if let Some(runs) = filling.runs(c) {
            velocity += runs;
        }
        if let Some(strain) = filling.strain {
            velocity += strain.drove(filling.bodies, c);
        }
        let [a, b] = [of_a.angular * sides[0].lever, of_b.angular * sides[1].lever];
        if let Some(rigid) = rigid {
            return at_arms(&rigid.arms, &velocity, [&a, &b]);
        }
        let spin = add(&a.into(), &b.into());
        law::relative_velocity(&velocity.into(), &spin, &c.normal.into()).into()
    }
}
