//! Random sequential placing: body after body at a random place without overlaps.
//!
//! The box is cut into cells, at least six largest diameters wide, of eight colours by the parity
//! of their coordinates. The contents of a cell depend only on those of its 26 neighbours with a
//! smaller colour. So a rank makes the cells of its own bodies, and of the others only those on
//! which these depend, at most three cells away along x, two along y and one along z. Each cell has
//! its share of the bodies, in proportion to its part of the space in which a body of mean size
//! fits.

use super::near::{Ball, Near};
use super::{Amount, Error, Random, Sample};
use crate::body::BodyRow;
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use crate::shape::{disc_area, sphere_volume};
use std::collections::HashMap;
use std::ops::Range;

/// Width of a cell in largest radii, at least: wide enough to make the number in a cell independent
/// of chance.
const CELL_IN_RADII: f64 = 12.0;

/// Bodies per cell, at least, on average: a dilute sample has larger cells.
const BODIES_A_CELL: f64 = 8.0;

/// Places tried for a body, and restarts of a cell, before it counts as full.
const TRIES: u32 = 5000;
const BEGINNINGS: u64 = 30;

/// Points on each axis for testing a cell at the edge of the space.
const POINTS: u32 = 4;

impl Random {
    /// The number of bodies.
    ///
    /// # Errors
    /// If the space is smaller than all bodies together, or has no room for one.
    pub(crate) fn count(&self, discs: bool) -> Result<u64, Error> {
        let mean = self.radius.mean_volume(discs);
        let volume = self.space.volume(discs);
        let count = match self.amount {
            Amount::Count(count) => count,
            // Beyond 2^62 bodies are refused anyway.
            Amount::Fraction(fraction) => (fraction * volume / mean).round() as u64,
        };
        if count == 0 || count as f64 * mean > volume {
            return Err(Error::Full(format!(
                "{count} bodies of {mean:.4e} m³ on average in a region of {volume:.4e} m³; accepted: at least one, and less than fill it"
            )));
        }
        Ok(count)
    }

    /// Makes the bodies `among` all, in the order of ids.
    pub(super) fn fill(
        &self,
        sample: &Sample,
        among: Range<u64>,
        (first_id, seed): (u64, u64),
        keep: &mut dyn FnMut(BodyRow),
    ) -> Result<(), Error> {
        let cells = Cells::new(self, sample.discs)?;
        let among = among.start..among.end.min(cells.bodies);
        if among.is_empty() {
            return Ok(());
        }
        let mut packing = Packing {
            of: self,
            discs: sample.discs,
            first_id,
            seed,
            largest: self.radius.largest(),
            made: HashMap::new(),
            cells,
        };
        let mut cell = packing.cells.holder(among.start);
        let mut n = packing.cells.quota(cell).start;
        while n < among.end {
            packing.make(cell)?;
            for ball in &packing.made[&cell] {
                if among.contains(&n) {
                    keep(sample.body(
                        first_id + n,
                        ball.position.into(),
                        ball.radius,
                        sample.density,
                    ));
                }
                n += 1;
            }
            cell += 1;
        }
        Ok(())
    }
}

/// The cells, and the number of bodies of each.
struct Cells {
    lower: [f64; 3],
    width: [f64; 3],
    count: [usize; 3],
    periodic: [bool; 3],
    /// Free points in all cells before one; at the end in all.
    before: Vec<u64>,
    bodies: u64,
}

impl Cells {
    fn new(random: &Random, discs: bool) -> Result<Self, Error> {
        let bodies = random.count(discs)?;
        let space = &random.space;
        let [smallest, largest] = random.radius.bounds();
        let (mut lower, mut extent) = (space.lower, space.extent());
        // Centres keep away from the faces.
        for a in 0..3 {
            if discs && a == 2 {
                (lower[a], extent[a]) = (0.0, 0.0);
            } else if !space.periodic[a] {
                lower[a] += smallest;
                extent[a] = (extent[a] - 2.0 * smallest).max(0.0);
            }
        }
        let periodic = [0, 1, 2].map(|a| space.periodic[a] && !(discs && a == 2));
        let mut edge = CELL_IN_RADII * largest;
        let count = loop {
            let count = [0, 1, 2].map(|a| {
                let fit = (extent[a] / edge).clamp(1.0, 1e6) as usize;
                // Around a ring the two colours alternate.
                if periodic[a] && fit > 1 {
                    fit / 2 * 2
                } else {
                    fit
                }
            });
            let all: f64 = count.iter().map(|&n| n as f64).product();
            if all <= 1.0 || all * BODIES_A_CELL <= bodies as f64 {
                break count;
            }
            edge *= 1.25;
        };
        let mut cells = Self {
            lower,
            width: [0, 1, 2].map(|a| extent[a] / count[a] as f64),
            count,
            periodic,
            before: Vec::new(),
            bodies,
        };
        let unit = if discs {
            disc_area(1.0)
        } else {
            sphere_volume(1.0)
        };
        let mean = random.radius.mean_volume(discs) / unit;
        let mean = if discs { mean.sqrt() } else { mean.cbrt() };
        for radius in [mean, smallest] {
            cells.weigh(random, radius, discs);
            if cells.before[cells.all()] > 0 {
                return Ok(cells);
            }
        }
        Err(Error::Full(format!(
            "the region has no room for a body of {smallest:.4e} m radius; accepted: a larger one"
        )))
    }

    fn all(&self) -> usize {
        self.count.iter().product()
    }

    fn at(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.count;
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    fn corner(&self, cell: usize) -> Vector3 {
        let at = self.at(cell);
        Vector3::from([0, 1, 2].map(|a| self.lower[a] + at[a] as f64 * self.width[a]))
    }

    /// Counts in each cell the points about which a body of this radius fits.
    fn weigh(&mut self, random: &Random, radius: f64, discs: bool) {
        let layers = if discs { 1 } else { POINTS };
        let (width, all) = (
            Vector3::from(self.width),
            u64::from(layers * POINTS * POINTS),
        );
        let mut sum = 0;
        self.before.clear();
        self.before.push(0);
        for cell in 0..self.all() {
            let corner = self.corner(cell);
            let room = |at: [f64; 3]| {
                let x = corner + Vector3::from(at).component_mul(&width);
                random.space.has_room(&x, radius, discs)
            };
            // A body that fits at two points fits at all between: regions are convex.
            let corners = |n: u32| [0, 1, 2].map(|a| f64::from((n >> a) & 1));
            sum += if (0..8).all(|n| room(corners(n))) {
                all
            } else {
                let place = |k: u32| (f64::from(k) + 0.5) / f64::from(POINTS);
                let each = (0..layers).flat_map(|k| {
                    (0..POINTS).flat_map(move |j| (0..POINTS).map(move |i| [i, j, k].map(place)))
                });
                each.filter(|&at| room(at)).count() as u64
            };
            self.before.push(sum);
        }
    }

    /// The numbers of the bodies of a cell, counted from 0 over all.
    fn quota(&self, cell: usize) -> Range<u64> {
        let all = u128::from(self.before[self.all()]);
        let cut = |n: usize| (u128::from(self.before[n]) * u128::from(self.bodies) / all) as u64;
        cut(cell)..cut(cell + 1)
    }

    /// The cell of body `n` of all.
    fn holder(&self, n: u64) -> usize {
        let (mut low, mut high) = (0, self.all() - 1);
        while low < high {
            let middle = (low + high) / 2;
            if self.quota(middle).end > n {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Odd along z counts more than odd along y, and that more than odd along x.
    ///
    /// So the dependences of a cell end soonest along z, where the shares of ranks are cut.
    fn colour(&self, cell: usize) -> usize {
        let [x, y, z] = self.at(cell);
        4 * (z % 2) + 2 * (y % 2) + x % 2
    }

    /// The cells around a cell, each with the shift of its image.
    ///
    /// Over a whole period the cell itself is among them.
    fn around(&self, cell: usize) -> Vec<(usize, Vector3)> {
        let at = self.at(cell);
        let mut found = Vec::with_capacity(26);
        for n in (0..27).filter(|&n| n != 13) {
            let step = [n % 3, n / 3 % 3, n / 9].map(|k: i64| k - 1);
            let mut shift = Vector3::zeros();
            let mut inside = true;
            let mut other = [0; 3];
            for a in 0..3 {
                let (count, to) = (self.count[a] as i64, at[a] as i64 + step[a]);
                let turns = to.div_euclid(count);
                inside &= turns == 0 || self.periodic[a];
                shift[a] = turns as f64 * self.width[a] * count as f64;
                other[a] = to.rem_euclid(count) as usize;
            }
            if inside {
                let [x, y, z] = other;
                found.push((x + self.count[0] * (y + self.count[1] * z), shift));
            }
        }
        found
    }
}

struct Packing<'a> {
    of: &'a Random,
    discs: bool,
    first_id: u64,
    seed: u64,
    largest: f64,
    cells: Cells,
    /// By cell, in the order of ids.
    made: HashMap<usize, Vec<Ball>>,
}

impl Packing<'_> {
    /// Makes a cell, after the cells on which it depends.
    fn make(&mut self, cell: usize) -> Result<(), Error> {
        if self.made.contains_key(&cell) {
            return Ok(());
        }
        let around = self.cells.around(cell);
        let colour = self.cells.colour(cell);
        let mut others = Vec::new();
        let corner = self.cells.corner(cell);
        let far = corner + Vector3::from(self.cells.width);
        for &(other, shift) in &around {
            if self.cells.colour(other) >= colour {
                continue;
            }
            self.make(other)?;
            for ball in &self.made[&other] {
                let position = ball.position + shift;
                let reach = ball.radius + self.largest;
                let beside =
                    |a: usize| position[a] + reach >= corner[a] && position[a] - reach <= far[a];
                if (0..3).all(beside) {
                    others.push(Ball { position, ..*ball });
                }
            }
        }
        // A body of a cell that spans a whole period meets the images of the cell's bodies, and its
        // own.
        let own = around.iter().filter(|(other, _)| *other == cell);
        let images: Vec<Vector3> = own.map(|(_, shift)| *shift).collect();
        let quota = self.cells.quota(cell);
        let stream =
            |n: u64, k: u64| Stream::new(Purpose::Sample, self.seed, [self.first_id + n, k, 0]);
        // The large ones first, while there is room.
        let mut radii: Vec<(u64, f64)> = quota
            .clone()
            .map(|n| (n, self.of.radius.draw(&mut stream(n, 0))))
            .collect();
        radii.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut stuck = quota.start;
        for beginning in 1..=BEGINNINGS {
            let mut near = Near::new(
                [corner, far],
                self.of.radius.bounds(),
                others.len() + radii.len() * (1 + images.len()),
            );
            others.iter().for_each(|ball| near.add(*ball));
            let mut placed = Vec::with_capacity(radii.len());
            for &(n, radius) in &radii {
                let mut stream = stream(n, beginning);
                let Some(position) = self.place(&near, radius, &images, [corner, far], &mut stream)
                else {
                    stuck = n;
                    break;
                };
                let ball = Ball { position, radius };
                near.add(ball);
                for shift in &images {
                    let position = position + shift;
                    near.add(Ball { position, radius });
                }
                placed.push((n, ball));
            }
            if placed.len() == radii.len() {
                placed.sort_by_key(|(n, _)| *n);
                let balls = placed.into_iter().map(|(_, ball)| ball).collect();
                self.made.insert(cell, balls);
                return Ok(());
            }
        }
        let solid = self.cells.bodies as f64 * self.of.radius.mean_volume(self.discs);
        let fraction = solid / self.of.space.volume(self.discs);
        Err(Error::Full(format!(
            "body {} finds no place in {TRIES} tries, in {BEGINNINGS} arrangements of the {} bodies of its cell: {} bodies are to fill {fraction:.3} \
             of their region at random without touching; accepted: a lower fraction (fewer or smaller bodies), a larger region, or \
             smaller bodies that grow (growth)",
            self.first_id + stuck,
            radii.len(),
            self.cells.bodies,
        )))
    }

    /// A place for a body in a cell.
    fn place(
        &self,
        near: &Near,
        radius: f64,
        images: &[Vector3],
        [corner, far]: [Vector3; 2],
        stream: &mut Stream,
    ) -> Option<Vector3> {
        // Its own images are too near if a period is shorter than the body is wide.
        if images.iter().any(|way| way.norm() < 2.0 * radius) {
            return None;
        }
        let space = &self.of.space;
        // The part of the cell between the faces of the box, along each axis.
        let mut ends = [(0.0, 0.0); 3];
        for (a, end) in ends.iter_mut().enumerate() {
            let (mut low, mut high) = (corner[a], far[a]);
            let bounded = !(self.cells.periodic[a] || self.discs && a == 2);
            if bounded {
                low = low.max(space.lower[a] + radius);
                high = high.min(space.upper[a] - radius);
            }
            if high < low {
                // Except for rounding the interval is empty, or a point.
                if low - high > 1e-12 * radius {
                    return None;
                }
                high = low;
            }
            *end = (low, high);
        }
        (0..TRIES).find_map(|_| {
            let x = Vector3::from(ends.map(|(low, high)| stream.between(low, high)));
            (space.has_room(&x, radius, self.discs) && near.is_free(&x, radius)).then_some(x)
        })
    }
}

#[cfg(test)]
mod tests;
