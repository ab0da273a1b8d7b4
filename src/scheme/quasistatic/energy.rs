//! The energies of an increment.
//!
//! The work of loads and walls goes into springs; friction dissipated the rest. From one
//! equilibrium to the next all forces change linearly to first order. So the work of a load or a
//! wall is that of the mean of its forces at the two.

use super::assembly::Assembly;
use super::link::Link;
use super::places::{leg, start};
use super::unknowns::Shift;
use crate::body::BodyRow;
use crate::contact::Partner;
use crate::law::work::Work;
use crate::math::{ExactSum, Vector3};
use crate::measure;

/// The energies of an assembly in equilibrium, and the forces on its walls.
#[derive(Clone, Debug, Default)]
pub(super) struct Energies {
    /// In the springs along the normals [J].
    pub normal: f64,
    /// In all other springs [J].
    pub others: f64,
    /// Potential energy in gravity [J].
    pub height: f64,
    /// Work of the fields since the equilibrium before [J].
    pub fields: f64,
    /// Force and torque of the bodies on each wall [N, N m].
    pub walls: Vec<[Vector3; 2]>,
    /// Force of the contacts against each edge of the cell, outwards [N].
    pub edges: Vector3,
}

/// The flows from an equilibrium to the next [J].
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// Of contacts.
    pub work: Work,
    /// Of fields.
    pub forced: f64,
    /// Dissipated.
    pub dissipated: f64,
    /// Of the edges of the cell, a part of the driven work.
    pub of_cell: f64,
}

impl Energies {
    /// The energies. The loads of the equilibrium before are those of a time [s]. Collective.
    pub(super) fn of(assembly: &Assembly, before: f64) -> Self {
        let (network, physics) = (&assembly.network, assembly.physics);
        let along = |link: &Link| {
            let pressed = link.carried.force.dot(&link.normal);
            0.5 * pressed * pressed / link.elastic.stiffness.normal
        };
        let period = assembly.domain.partition().grid().period();
        let mut sums = <[ExactSum; 4]>::default();
        for link in network.links_of_first() {
            sums[0].add(along(&link));
            sums[1].add(link.energy() - along(&link));
        }
        let fields = |row: &BodyRow, x: &Vector3, time: f64| {
            (physics.acceleration(x, row.mass, time) - physics.gravity) * row.mass
        };
        for &i in &network.own {
            let row = &network.rows[i as usize];
            if row.is_free() {
                sums[2].add(-row.mass * physics.gravity.dot(&measure::way(row, period)));
                let (way, x) = (leg(row), start(row));
                let both = fields(row, &x, before) + fields(row, &x, assembly.time);
                sums[3].add(0.5 * both.dot(&way));
                sums[1].add(assembly.supports.energy(row, period));
            }
        }
        let centres = assembly.centres();
        let mut of_walls = vec![<[ExactSum; 6]>::default(); centres.len()];
        for link in network.links_of_first() {
            let Partner::Wall(wall) = link.partner else {
                continue;
            };
            let (force, couple) = (&link.carried.force, &link.carried.couple);
            let torque = (network.point(&link) - centres[wall]).cross(force) + couple;
            let numbers = force.iter().chain(torque.iter());
            of_walls[wall]
                .iter_mut()
                .zip(numbers)
                .for_each(|(sum, x)| sum.add(*x));
        }
        let [normal, others, height, fields] = assembly.domain.sums(&sums);
        let of_walls = assembly.domain.many_sums(of_walls.concat());
        Self {
            normal,
            others,
            height,
            fields,
            edges: assembly.on_edges(),
            walls: (of_walls.chunks(6))
                .map(|w| {
                    [
                        Vector3::new(w[0], w[1], w[2]),
                        Vector3::new(w[3], w[4], w[5]),
                    ]
                })
                .collect(),
        }
    }

    /// In all springs [J].
    pub(super) fn springs(&self) -> f64 {
        self.normal + self.others
    }

    /// The flows from this equilibrium to the next [J]: of contacts, of fields, and dissipated.
    ///
    /// Walls have moved by these shifts meanwhile, and edges by these ways [m].
    pub(super) fn flows(&self, next: &Self, (shifts, ways): (&[Shift], &Vector3)) -> Flows {
        let each = self.walls.iter().zip(&next.walls).zip(shifts);
        let given = each.map(|((before, after), shift)| {
            let [force, torque] = [0, 1].map(|k| (before[k] + after[k]) * 0.5);
            -force.dot(&shift.way) - torque.dot(&shift.turn)
        });
        let of_cell = -0.5 * (self.edges + next.edges).dot(ways);
        let driven = given.sum::<f64>() + of_cell;
        let forced = next.fields;
        let taken = driven + forced + self.height - next.height;
        let normal = next.normal - self.normal;
        let work = Work {
            normal,
            friction: taken - normal,
            driven,
            elastic: next.springs(),
            ..Work::default()
        };
        Flows {
            work,
            forced,
            dissipated: taken - (next.springs() - self.springs()),
            of_cell,
        }
    }
}

/// The flows of an increment so far [J].
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub work: Work,
    pub forced: f64,
    pub dissipated: f64,
    /// The energy of springs that were compressed when they came into being.
    pub prestress: f64,
    pub of_cell: f64,
}

impl Sums {
    /// Adds the flows from a balance to the next.
    pub(super) fn add(&mut self, flows: &Flows) {
        self.work.normal += flows.work.normal;
        self.work.friction += flows.work.friction;
        self.work.driven += flows.work.driven;
        self.forced += flows.forced;
        self.dissipated += flows.dissipated;
        self.of_cell += flows.of_cell;
    }
}
