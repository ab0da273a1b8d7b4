//! Inlets: bodies poured into a region at a rate during a run.
//!
//! The bodies of an inlet are a fixed sequence, drawn by the inlet's number and the body's place in
//! it. Bodies that are due are inserted, in this order, at random free places of the region. The
//! first that finds no place waits there with all that come after it, so that no size is favoured.
//! Every rank finds the same places.

use super::{Form, Radius};
use crate::body::{BodyId, BodyKind, BodyRow};
use crate::math::Vector3;
use crate::measure::Flow;
use crate::rng::{Purpose, Stream};
use crate::shape::{Period, Region, Spell, Surface, mass_and_inertia};
use std::collections::HashMap;

/// Places that are tried for a body before it waits.
const TRIES: u64 = 200;

/// An inlet: its region and its bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    /// The name of its region in the configuration.
    pub name: String,
    /// The bounded region in which bodies come in.
    pub region: Region,
    /// The time in which it is open.
    pub spell: Spell,
    /// The rate.
    pub rate: Rate,
    /// The largest number of bodies.
    pub count: u64,
    /// Steps between two insertions.
    pub every: u64,
    /// Radii.
    pub radius: Radius,
    /// Number of their material in the configuration.
    pub material: u32,
    /// Density of that material [kg/m³].
    pub density: f64,
    /// Velocity with which they come in [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity with which they come in [rad/s].
    pub angular_velocity: [f64; 3],
    /// Whether they are discs in the plane z = 0, one metre thick, and not spheres.
    pub discs: bool,
    /// The form of bodies that are clumps; radii are then those of their bounding spheres.
    pub form: Option<Form>,
}

/// The rate of an inlet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Number of bodies per second [1/s].
    Number(f64),
    /// Mass per second [kg/s].
    Mass(f64),
}

/// The surroundings of an inlet.
pub struct Place<'a> {
    /// Centres [m] and radii [m] of all bodies that one in the region might touch, in any order.
    pub bodies: Vec<([f64; 3], f64)>,
    /// Walls at their present positions.
    pub walls: &'a [Surface],
    /// Which axes are periodic.
    pub period: &'a Period,
    /// Lower and upper corner of the domain [m].
    pub domain: [Vector3; 2],
}

impl Inlet {
    /// Whether an insertion takes place in the step that starts at this time [s].
    ///
    /// Bodies that were due before the inlet closed and found no place still come in later.
    #[must_use]
    pub fn is_due(
        &self,
        number: usize,
        seed: u64,
        (step, time): (u64, f64),
        so_far: &Flow,
    ) -> bool {
        self.looks(step) && self.expects(number, seed, time, so_far)
    }

    /// Whether a step has an insertion of the bodies that are due.
    #[must_use]
    pub fn looks(&self, step: u64) -> bool {
        step.is_multiple_of(self.every)
    }

    /// Whether a body that has not come in is due at a time [s].
    fn expects(&self, number: usize, seed: u64, time: f64, so_far: &Flow) -> bool {
        let next = || self.body(number, seed, so_far.bodies).mass;
        time >= self.spell.from && self.next_is_due(time, so_far, next())
    }

    /// Whether bodies may still come in after a time [s].
    #[must_use]
    pub fn is_open(&self, number: usize, seed: u64, time: f64, so_far: &Flow) -> bool {
        let closed = time >= self.spell.until;
        so_far.bodies < self.count && (!closed || self.expects(number, seed, time, so_far))
    }

    /// Whether the next body, of this mass [kg], is due at a time [s] after these bodies.
    fn next_is_due(&self, time: f64, so_far: &Flow, mass: f64) -> bool {
        // The first body of an inlet that is open from the beginning is due a moment after time
        // zero.
        let open = time.min(self.spell.until) - self.spell.from.max(0.0);
        so_far.bodies < self.count
            && match self.rate {
                Rate::Number(rate) => (so_far.bodies as f64) < rate * open,
                // A body comes when half of it is due, so that the mean mass is right.
                Rate::Mass(rate) => so_far.mass + 0.5 * mass < rate * open,
            }
    }

    /// The number of bodies due at a time [s] that have not come in.
    ///
    /// For a rate of mass the count ends at `most`.
    #[must_use]
    pub fn waiting(&self, number: usize, seed: u64, time: f64, so_far: &Flow, most: u64) -> u64 {
        let mut flow = *so_far;
        let time = time.min(self.spell.until);
        if let Rate::Number(rate) = self.rate {
            let due = (rate * (time - self.spell.from.max(0.0))).max(0.0).ceil();
            return (due as u64).min(self.count).saturating_sub(flow.bodies);
        }
        for n in 0..most {
            let mass = self.body(number, seed, flow.bodies).mass;
            if !self.next_is_due(time, &flow, mass) {
                return n;
            }
            flow.add(mass);
        }
        most
    }

    /// The body at a place of the sequence, at the origin, without its id.
    fn body(&self, number: usize, seed: u64, nth: u64) -> BodyRow {
        let mut stream = Stream::new(Purpose::Inlet, seed, [number as u64, nth, u64::MAX]);
        let radius = self.radius.draw(&mut stream);
        if let Some(form) = &self.form {
            return BodyRow {
                velocity: self.velocity,
                material: self.material,
                ..form.body(0, [0.0; 3], (radius, 1.0), self.density)
            };
        }
        let (mass, inertia) = mass_and_inertia(self.density, radius, self.discs);
        BodyRow {
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            inertia,
            material: self.material,
            kind: BodyKind::Free as u32,
            ..BodyRow::sphere(BodyId(0), [0.0; 3], radius, mass)
        }
    }

    /// The bodies of inlet `number` that come in at the start of step `step`, at `time` [s].
    ///
    /// Ids count up from `next_id`.
    #[must_use]
    pub fn pour(
        &self,
        (number, seed): (usize, u64),
        (step, time): (u64, f64),
        so_far: &mut Flow,
        next_id: &mut u64,
        place: &mut Place,
    ) -> Vec<BodyRow> {
        let mut taken = Taken::new(self.radius.largest(), place);
        let mut rows = Vec::new();
        loop {
            let nth = so_far.bodies;
            let body = self.body(number, seed, nth);
            if !self.next_is_due(time, so_far, body.mass) {
                break;
            }
            let mut stream = Stream::new(Purpose::Inlet, seed, [number as u64, nth, step]);
            let mut tries = (0..TRIES).map(|_| self.draw(body.radius, &mut stream));
            let free = |x: &Vector3| self.has_room(x, body.radius, place, &taken);
            let Some(position) = tries.find(free) else {
                break;
            };
            let (position, _) = place.period.wrapped(&position);
            taken.add(position, body.radius);
            so_far.add(body.mass);
            let mut row = BodyRow {
                id: BodyId(*next_id),
                position: position.into(),
                ..body
            };
            if let Some(form) = &self.form {
                row.orientation = form.orientation(*next_id);
                row.turn_as(self.angular_velocity, &form.template);
            }
            rows.push(row);
            *next_id += 1;
        }
        let came = rows.iter().map(|row: &BodyRow| (row.position, row.radius));
        place.bodies.extend(came);
        rows
    }

    /// A point at which a body of radius `r` may fit into the region.
    ///
    /// A region hardly wider than the body has too few such points for a search among all of its
    /// points.
    fn draw(&self, r: f64, stream: &mut Stream) -> Vector3 {
        let (lower, upper) = match &self.region {
            Region::Box { lower, upper } => (lower.add_scalar(r), upper.add_scalar(-r)),
            Region::Cylinder {
                from,
                axis,
                length,
                radius,
            } if !self.discs => {
                let along = stream.between(r, length - r);
                let wide = radius - r;
                let across = [0, 1].map(|_| stream.between(-wide, wide));
                // Normal to the axis, from the coordinate axis farthest from it.
                let side = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
                return from + axis * along + side * across[0] + axis.cross(&side) * across[1];
            }
            Region::Sphere { centre, radius } if !self.discs => {
                let way = Vector3::repeat(radius - r);
                (centre - way, centre + way)
            }
            region => region.bounds(),
        };
        let x = [0, 1, 2].map(|a| stream.between(lower[a], upper[a]));
        Vector3::new(x[0], x[1], if self.discs { 0.0 } else { x[2] })
    }

    fn has_room(&self, x: &Vector3, r: f64, place: &Place, taken: &Taken) -> bool {
        // A body as wide as the region fits, for any rounding.
        let hair = 1e-9 * r;
        let [lower, upper] = place.domain;
        let axes = if self.discs { 0..2 } else { 0..3 };
        let inside = |a: usize| {
            place.period.length[a].is_some()
                || (x[a] - r >= lower[a] - hair && x[a] + r <= upper[a] + hair)
        };
        let fits = match (&self.region, self.discs) {
            // Drawn so that it fits; a disc lies in a box if its circle does.
            (Region::Box { .. }, _) => true,
            // In other regions a disc lies if its centre does.
            (region, true) => region.contains(x),
            (region, false) => region.has_room(x, r - hair),
        };
        fits && axes.into_iter().all(inside)
            && !place.walls.iter().any(|wall| wall.is_nearer(x, r - hair))
            && taken.is_free(x, r, place.period)
    }
}

/// Bodies by cells as wide as the largest distance of two touching bodies.
///
/// Neighbours of a point are thus in its cell or an adjacent one.
struct Taken {
    edge: f64,
    cells: HashMap<[i64; 3], Vec<(Vector3, f64)>>,
    largest: f64,
}

impl Taken {
    fn new(largest: f64, place: &Place) -> Self {
        let radii = place.bodies.iter().map(|(_, r)| *r);
        let largest = radii.fold(largest, f64::max);
        let mut taken = Self {
            edge: 2.0 * largest,
            cells: HashMap::new(),
            largest,
        };
        for (x, r) in &place.bodies {
            taken.add(Vector3::from(*x), *r);
        }
        taken
    }

    fn cell(&self, x: &Vector3) -> [i64; 3] {
        [0, 1, 2].map(|a| (x[a] / self.edge).floor() as i64)
    }

    fn add(&mut self, x: Vector3, r: f64) {
        let cell = self.cell(&x);
        self.cells.entry(cell).or_default().push((x, r));
    }

    /// Whether a ball of radius `r` about `x` touches none.
    fn is_free(&self, x: &Vector3, r: f64, period: &Period) -> bool {
        let reach = r + self.largest;
        // Its images as well, where the ball reaches across an end of a periodic axis.
        let shifts = |a: usize| {
            let mut shifts = vec![0.0];
            if let Some(length) = period.length[a] {
                if x[a] - reach < period.lower[a] {
                    shifts.push(length);
                }
                if x[a] + reach > period.lower[a] + length {
                    shifts.push(-length);
                }
            }
            shifts
        };
        let [xs, ys, zs] = [0, 1, 2].map(shifts);
        let mut images = xs.iter().flat_map(|&sx| {
            let zs = &zs;
            ys.iter()
                .flat_map(move |&sy| zs.iter().map(move |&sz| Vector3::new(sx, sy, sz)))
        });
        images.all(|shift| self.is_free_here(&(x + shift), r))
    }

    fn is_free_here(&self, x: &Vector3, r: f64) -> bool {
        let [i, j, k] = self.cell(x);
        let near = |d: i64| d - 1..=d + 1;
        let mut cells =
            near(i).flat_map(|i| near(j).flat_map(move |j| near(k).map(move |k| [i, j, k])));
        cells.all(|cell| {
            let mut bodies = self.cells.get(&cell).into_iter().flatten();
            bodies.all(|(y, s)| (x - y).norm() >= r + s)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::sphere_volume;

    fn inlet(rate: Rate) -> Inlet {
        Inlet {
            name: "top".to_owned(),
            region: Region::Box {
                lower: Vector3::new(0.0, 0.0, 0.8),
                upper: Vector3::new(1.0, 1.0, 1.0),
            },
            spell: Spell {
                from: 0.5,
                until: 2.0,
            },
            rate,
            count: 1000,
            every: 1,
            radius: Radius::Uniform(0.02, 0.04),
            material: 0,
            density: 1000.0,
            velocity: [0.0, 0.0, -1.0],
            angular_velocity: [0.0; 3],
            discs: false,
            form: None,
        }
    }

    fn empty<'a>(walls: &'a [Surface], period: &'a Period) -> Place<'a> {
        Place {
            bodies: Vec::new(),
            walls,
            period,
            domain: [Vector3::zeros(), Vector3::repeat(1.0)],
        }
    }

    /// Bodies are as many as are due by time, or as much mass except for half a body.
    ///
    /// No body overlaps another, a wall, or leaves the region.
    #[test]
    fn what_is_due_comes_in_and_overlaps_nothing() {
        let period = Period::of_box(
            &Vector3::zeros(),
            &Vector3::repeat(1.0),
            [true, false, false],
        );
        let walls = [Surface::Sphere {
            centre: Vector3::new(0.5, 0.5, 0.9),
            radius: 0.2,
            inside: false,
        }];
        for rate in [Rate::Number(100.0), Rate::Mass(15.0)] {
            let inlet = inlet(rate);
            let mut place = empty(&walls, &period);
            let (mut flow, mut next_id) = (Flow::default(), 7);
            let mut rows = Vec::new();
            for step in 0..100 {
                let time = 0.01 * step as f64;
                rows.extend(inlet.pour((0, 1), (step, time), &mut flow, &mut next_id, &mut place));
            }
            // The last insertion is 0.49 s after the opening.
            match rate {
                Rate::Number(_) => assert_eq!(rows.len(), 49),
                Rate::Mass(rate) => {
                    let most = 1000.0 * sphere_volume(0.04);
                    assert!(
                        (flow.mass - rate * 0.49).abs() <= 0.5 * most,
                        "{}",
                        flow.mass
                    );
                }
            }
            assert_eq!(flow.bodies as usize, rows.len());
            let mass: f64 = rows.iter().map(|row| row.mass).sum();
            assert!((mass - flow.mass).abs() < 1e-12 * mass);
            assert!(rows.iter().zip(7..).all(|(row, id)| row.id.0 == id));
            for (k, a) in rows.iter().enumerate() {
                let x = Vector3::from(a.position);
                assert!(x.z - a.radius >= 0.8 - 1e-12 && x.z + a.radius <= 1.0 + 1e-12);
                assert!(walls[0].nearest(&x).0 >= a.radius);
                for b in &rows[..k] {
                    let y = Vector3::from(b.position);
                    let gap = period.difference(&x, &y).norm() - a.radius - b.radius;
                    assert!(gap >= 0.0, "{} and {}", a.id, b.id);
                }
            }
        }
    }

    /// Regions as deep as a body is wide, which a random point of their bounds would never hit.
    ///
    /// All bodies that are due come in.
    #[test]
    fn a_slot_has_room_for_what_it_is_as_wide_as() {
        let period = Period::NONE;
        let slot = Region::Box {
            lower: Vector3::new(0.1, 0.1, 0.7),
            upper: Vector3::new(0.9, 0.9, 0.8),
        };
        let slice = Region::Cylinder {
            from: Vector3::new(0.3, 0.4, 0.5),
            axis: Vector3::new(1.0, 2.0, -2.0) / 3.0,
            length: 0.1,
            radius: 0.3,
        };
        let ball = Region::Sphere {
            centre: Vector3::new(0.5, 0.1, 0.3),
            radius: 0.05,
        };
        for (region, count) in [(slot, 20), (slice, 4), (ball, 1)] {
            let inlet = Inlet {
                region,
                count,
                radius: Radius::Constant(0.05),
                ..inlet(Rate::Number(1e6))
            };
            let mut place = empty(&[], &period);
            // The domain is not wider than the slot.
            place.domain[0].z = 0.05;
            place.domain[1].z = 0.8;
            let (mut flow, mut next_id) = (Flow::default(), 0);
            let rows = inlet.pour((0, 1), (60, 1.0), &mut flow, &mut next_id, &mut place);
            assert_eq!(rows.len() as u64, count, "{region:?}");
            let inside =
                |row: &BodyRow| region.has_room(&Vector3::from(row.position), 0.05 - 1e-10);
            assert!(rows.iter().all(inside), "{region:?}");
        }
    }

    /// Without room the sequence waits, and continues in its order once there is room.
    #[test]
    fn who_finds_no_place_waits() {
        let period = Period::NONE;
        let inlet = inlet(Rate::Number(1e6));
        let mut place = empty(&[], &period);
        let (mut flow, mut next_id) = (Flow::default(), 0);
        let first = inlet.pour((0, 1), (60, 1.0), &mut flow, &mut next_id, &mut place);
        assert!(first.len() > 100 && first.len() < 1000, "{}", first.len());
        assert_eq!(inlet.waiting(0, 1, 1.0, &flow, 50), 1000 - flow.bodies);
        place.bodies.clear();
        let second = inlet.pour((0, 1), (61, 1.0), &mut flow, &mut next_id, &mut place);
        let mut all: Vec<f64> = first.iter().chain(&second).map(|row| row.radius).collect();
        all.extend((all.len() as u64..1000).map(|n| inlet.body(0, 1, n).radius));
        assert!((0..1000).all(|n| all[n as usize] == inlet.body(0, 1, n).radius));
        // At most the requested number, and none after the end.
        let over = Flow {
            bodies: 1000,
            mass: 1.0,
            ..Flow::default()
        };
        let due = |time: f64, flow: &Flow| inlet.is_due(0, 1, (1, time), flow);
        assert!(!due(1.0, &over) && !due(0.4, &Flow::default()));
        assert!(due(0.6, &Flow::default()) && due(3.0, &Flow::default()));
        assert!(inlet.is_open(0, 1, 0.4, &Flow::default()) && !inlet.is_open(0, 1, 3.0, &over));
    }
}
