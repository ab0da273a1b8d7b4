//! The conditions for a packing to be at rest.

use crate::body::BodyRow;
use crate::config::Scenario;
use crate::domain::Domain;
use crate::math::{ExactSum, Vector3};
use crate::measure;
use crate::scheme::{Scheme, State};
use std::collections::HashSet;

/// Largest net force on a packing at rest, as a fraction of its weight, including the force of
/// fields.
const UNBALANCED: f64 = 1e-3;

/// The two conditions of rest, with the numbers of a run.
pub(super) struct Rest {
    /// Translational kinetic energy below which bodies count as slow [J]: a fraction of `Σ m g d`.
    ///
    /// `None` if the run does not end at rest.
    energy: Option<f64>,
    /// Whether there are bodies that are not free, which support others as walls do.
    held: bool,
    /// The step at which the run or its stage began, and the time before which it does not end
    /// [s].
    since: (u64, f64),
}

impl Rest {
    /// The conditions of rest in this run. Collective.
    pub(super) fn new(domain: &Domain, scenario: &Scenario, state: &State) -> Self {
        let lift = |row: &BodyRow| row.mass * scenario.gravity.norm() * 2.0 * row.radius;
        let bodies = state.bodies();
        let free = bodies.iter().filter(|row| row.is_free());
        let held = bodies.iter().filter(|row| !row.is_free());
        let sums: [ExactSum; 2] = [free.map(lift).collect(), held.map(|_| 1.0).collect()];
        let [lift, held] = domain.sums(&sums);
        Self {
            held: held > 0.0,
            energy: scenario.end.rest.map(|fraction| fraction * lift),
            since: (
                scenario.stage().map_or(0, |stage| stage.begun_at().0),
                scenario.end.rest_after,
            ),
        }
    }

    /// Whether the packing is at rest after the last step. Collective.
    ///
    /// Its bodies are slow, and the walls carry the loads of gravity and fields, so it is not at
    /// the top of a bounce. Both follow from data in a checkpoint, so a resumed run ends at the
    /// same step as an uninterrupted one.
    pub(super) fn reached(
        &self,
        domain: &Domain,
        scheme: &Scheme,
        state: &mut State,
        energy: f64,
    ) -> bool {
        let (step, time) = self.since;
        if state.clock.step <= step
            || state.clock.time < time
            || self
                .energy
                .is_none_or(|slow| energy.is_nan() || energy >= slow)
        {
            return false;
        }
        if self.held {
            scheme.bring_contacts(state, domain);
        }
        let physics = scheme.physics();
        let mut carried = <[ExactSum; 3]>::default();
        let mut weight = <[ExactSum; 4]>::default();
        // Use the middle of the last step, so that rounding does not decide which fields acted in
        // it.
        let dt = state.clock.dt;
        let time = state.clock.time - 0.5 * dt;
        for row in state.bodies().iter().filter(|row| row.is_free()) {
            let pull = physics.acceleration(&Vector3::from(row.position), row.mass, time);
            let given = pull * (row.mass * dt);
            let terms = [given.x, given.y, given.z, given.norm()];
            weight.iter_mut().zip(terms).for_each(|(sum, r)| sum.add(r));
        }
        let walls = physics.walls.len();
        for wall in measure::wall_impulses(&scheme.wall_contacts(state), walls) {
            carried
                .iter_mut()
                .zip(&wall)
                .for_each(|(all, one)| all.merge(one));
        }
        if self.held {
            let mine = state.bodies().iter().filter(|row| !row.is_free());
            let mine: Vec<u64> = mine.map(|row| row.id.0).collect();
            let held: HashSet<u64> = domain.gather(&mine).into_iter().collect();
            for c in state.contacts() {
                // Of two bodies in contact at most one is held.
                let sign = match (held.contains(&c.key.a.0), held.contains(&c.key.b.0)) {
                    (true, _) => -1.0,
                    (_, true) => 1.0,
                    _ => continue,
                };
                let each = carried.iter_mut().zip(c.impulse);
                each.for_each(|(sum, r)| sum.add(sign * r));
            }
        }
        // Momentum that gravity and fields gave to all bodies in the last step [N s].
        let [x, y, z, all] = domain.sums(&weight);
        let net = Vector3::new(x, y, z) - Vector3::from(domain.sums(&carried));
        net.norm() <= UNBALANCED * all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::comm::threads::Serial;
    use crate::config;
    use crate::contact::{ContactKey, ContactRow};
    use crate::domain::migration::Parcel;
    use crate::domain::partition::Partition;
    use crate::law::PairTable;
    use crate::scheme::Physics;
    use crate::solver::grid::BlockGrid;
    use std::path::Path;

    const CONFIG: &str = r#"
        gravity = [0.0, 0.0, -10.0]
        time = { dt = 0.01, rest = 1e-6 }
        domain = { lower = [0.0, 0.0, 0.0], upper = [4.0, 4.0, 4.0] }
        material = [{ name = "m", density = 1.0, friction = 0.5 }]
        wall = [{ shape = "box", faces = ["z-"], material = "m" }]
        bodies = [{ sample = "lattice", material = "m", count = 1, radius = 1.0 }]
    "#;

    /// A ball of 2 kg, slow, on a floor that carries the fraction `carried` of its weight, after
    /// `steps` steps.
    fn resting(carried: f64, steps: u64, speed: f64) -> bool {
        let scenario = config::parse("test", CONFIG, Path::new(""), &[]).expect("a good scenario");
        let (lower, upper) = (scenario.lower, scenario.upper);
        let body = BodyRow {
            id: BodyId(0),
            velocity: [0.0, 0.0, speed],
            radius: 1.0,
            mass: 2.0,
            ..bytemuck::Zeroable::zeroed()
        };
        let contact = ContactRow {
            key: ContactKey {
                a: BodyId(0),
                b: BodyId::wall(0),
                feature: 0,
            },
            impulse: [0.0, 0.0, -carried * 2.0 * 10.0 * 0.01],
            status: 1,
            ..bytemuck::Zeroable::zeroed()
        };
        let physics = Physics {
            pace: scenario.pace,
            until: None,
            gravity: scenario.gravity,
            laws: PairTable::of_friction(&[0.5]).into(),
            templates: Vec::new(),
            walls: scenario.walls.clone(),
            cell: None,
            solver: scenario.solver,
            largest_radius: 1.0,
            large: crate::body::Large::default(),
            skin: 0.05,
            delete_outside: false,
            acts: crate::scheme::acts::Acts::default(),
            planar: false,
            statics: None,
        };
        let parcel = Parcel {
            bodies: vec![body],
            contacts: vec![contact],
        };
        let mut state = State::new(&physics, steps, parcel);
        let grid = BlockGrid::new(lower, upper, 8.0, [false; 3]);
        let domain = Domain::new(&Serial, Partition::with_ranks(lower, upper, grid, [1; 3]));
        let rest = Rest::new(&domain, &scenario, &state);
        rest.reached(
            &domain,
            &Scheme::new(physics, 1).expect("one thread"),
            &mut state,
            measure::translational_energy(&body),
        )
    }

    /// Rest requires slow bodies and a floor that carries them.
    ///
    /// A body at the top of a bounce, or before the first step, is not at rest.
    #[test]
    fn rest_is_slow_and_balanced() {
        // 1e-6 m g d is an energy of 4e-5 J, a speed of 6.3 mm/s.
        assert!(resting(1.0, 5, 0.006));
        assert!(resting(1.0009, 5, 0.0));
        assert!(!resting(1.0, 5, 0.0064), "too fast");
        assert!(!resting(0.0, 5, 0.0), "the top of a bounce");
        assert!(!resting(1.0011, 5, 0.0), "not balanced");
        assert!(!resting(1.0, 0, 0.0), "nothing has happened yet");
        assert!(!resting(1.0, 5, f64::NAN));
    }
}
