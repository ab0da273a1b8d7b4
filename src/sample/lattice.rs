//! Perturbed lattices, filled from below, each body displaced at random from its site.
//!
//! The spacing leaves room for the largest displacement of two largest bodies towards each other,
//! so that no two bodies overlap and none leaves the region, for any draw.

use super::{Arrangement, Error, Lattice, Sample};
use crate::body::BodyRow;
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use std::ops::Range;

/// The pattern of a lattice: sites in rows along x, rows along y, layers along z.
struct Cell {
    /// Distances of sites in a row, of rows, of layers, in spacings of nearest sites.
    unit: [f64; 3],
    /// Shifts of odd rows and layers along x, and of odd layers along y, in those distances.
    shift: [f64; 2],
    /// Axes on which the pattern repeats after two.
    even: [bool; 3],
    /// Half the largest approach of two nearest sites if each moves by at most 1 on each axis.
    ///
    /// It is the largest `|n_x| + |n_y| + |n_z|` of the unit vectors between them.
    nearer: f64,
}

impl Arrangement {
    fn cell(self) -> Cell {
        let (root2, root3) = (2.0_f64.sqrt(), 3.0_f64.sqrt());
        match self {
            Self::SimpleCubic => Cell {
                unit: [1.0; 3],
                shift: [0.0; 2],
                even: [false; 3],
                nearer: 1.0,
            },
            // Nodes (i, j, k) of a grid of spacing 1/√2 with i + j + k even.
            Self::FaceCentredCubic => Cell {
                unit: [root2, 1.0 / root2, 1.0 / root2],
                shift: [0.5, 0.0],
                even: [false, true, true],
                nearer: root2,
            },
            Self::HexagonalClosePacked => Cell {
                unit: [1.0, root3 / 2.0, (2.0_f64 / 3.0).sqrt()],
                shift: [0.5, 1.0 / 3.0],
                even: [false, true, true],
                nearer: 0.5 + root3 / 6.0 + (2.0_f64 / 3.0).sqrt(),
            },
        }
    }
}

/// The sites of a lattice by their numbers on each axis.
///
/// A site lies at `lower + (site + offset + shift) × step`.
struct Sites {
    count: [u64; 3],
    step: [f64; 3],
    offset: [f64; 3],
    shift: [f64; 2],
}

impl Sites {
    /// All of them, if the region is the whole box.
    fn all(&self, discs: bool) -> u64 {
        let [x, y, z] = self.count;
        let layer = x.saturating_mul(y);
        if discs {
            layer
        } else {
            layer.saturating_mul(z)
        }
    }
}

/// Largest number of sites that are visited one by one: some 2 TB of bodies.
const MOST_SITES: u64 = 1_000_000_000;

impl Lattice {
    /// The usual [`jitter`](Self::jitter).
    pub(crate) const JITTER: f64 = 0.04;

    /// Smallest distance of neighbouring sites [m].
    fn spacing(&self) -> f64 {
        2.0 * self.radius.largest() * (1.0 + 2.0 * self.jitter * self.arrangement.cell().nearer)
    }

    /// Largest displacement on each axis [m].
    fn reach(&self) -> f64 {
        2.0 * self.radius.largest() * self.jitter
    }

    /// Distance of the outermost sites from a face that is not periodic [m].
    fn margin(&self) -> f64 {
        self.radius.largest() + self.reach()
    }

    fn sites(&self, discs: bool) -> Sites {
        let cell = self.arrangement.cell();
        let space = &self.space;
        let extent = space.extent();
        let unit = cell.unit.map(|u| u * self.spacing());
        let shift = [cell.shift[0], if discs { 0.0 } else { cell.shift[1] }];
        if self.arrangement == Arrangement::SimpleCubic {
            // A length equal to a multiple of the spacing, except for rounding, holds that many
            // sites.
            let count = [0, 1, 2].map(|a| (extent[a] / unit[a] * (1.0 + 1e-12)).max(0.0) as u64);
            // Sites are spread over the whole width: a gap along two of the walls would let the
            // packing lean into it.
            let mut step = [
                extent[0] / count[0] as f64,
                extent[1] / count[1] as f64,
                unit[2],
            ];
            if discs {
                step = [step[0], unit[1], 0.0];
            }
            return Sites {
                count,
                step,
                offset: [0.5; 3],
                shift,
            };
        }
        let (mut count, mut step, mut offset) = ([0; 3], unit, [0.0; 3]);
        for a in 0..3 {
            let moved = if a < 2 { shift[a] } else { 0.0 };
            // Upwards, layers (for discs: rows) are as near as possible.
            let spread = a + 1 < if discs { 2 } else { 3 };
            if space.periodic[a] {
                let fit = (extent[a] / unit[a] * (1.0 + 1e-12)).max(0.0) as u64;
                count[a] = if cell.even[a] { fit / 2 * 2 } else { fit };
                if spread {
                    step[a] = extent[a] / count[a] as f64;
                }
                offset[a] = 0.5 - 0.5 * moved;
            } else {
                let free = extent[a] - 2.0 * self.margin();
                let fit = free / unit[a] + 1.0 - moved;
                count[a] = (fit * (1.0 + 1e-12)).max(0.0) as u64;
                let ways = count[a] as f64 - 1.0 + moved;
                if spread && ways > 0.0 {
                    step[a] = free / ways;
                }
                offset[a] = self.margin() / step[a];
            }
        }
        Sites {
            count,
            step,
            offset,
            shift,
        }
    }

    fn site(&self, sites: &Sites, n: u64) -> [f64; 3] {
        let [nx, ny, _] = sites.count;
        let [i, j, k] = [n % nx, n / nx % ny, n / (nx * ny)];
        let odd = |n: u64| (n % 2) as f64;
        let shift = [sites.shift[0] * odd(j + k), sites.shift[1] * odd(k), 0.0];
        let at = [i, j, k];
        [0, 1, 2].map(|a| {
            let site = at[a] as f64 + sites.offset[a];
            self.space.lower[a] + (site + shift[a]) * sites.step[a]
        })
    }

    /// Whether the largest body, with any displacement, fits into the region at a site.
    fn is_inside(&self, site: [f64; 3], discs: bool) -> bool {
        let Some(region) = self.space.region else {
            return true;
        };
        let [x, y, z] = site;
        let z = if discs { 0.0 } else { z };
        let (largest, way) = (self.radius.largest(), 3.0_f64.sqrt() * self.reach());
        region.has_room(&Vector3::new(x, y, z), largest + way)
    }

    /// The number of bodies that find a site.
    ///
    /// # Errors
    /// If counting would visit more than 10⁹ sites one by one.
    pub fn fit(&self, discs: bool) -> Result<u64, Error> {
        let sites = self.sites(discs);
        let all = sites.all(discs);
        if self.space.region.is_none() {
            return Ok(all);
        }
        if all > MOST_SITES {
            return Err(Error::Full(format!(
                "the box around the region has {all} sites of the lattice (spacing {:.4e} m); accepted: up to {MOST_SITES} in a region that \
                 is not a box: larger bodies, or a smaller region",
                self.spacing()
            )));
        }
        let inside = (0..all).filter(|&n| self.is_inside(self.site(&sites, n), discs));
        Ok(inside.count() as u64)
    }

    /// Whether all bodies find a site; discs lie in one plane.
    ///
    /// # Errors
    /// The number of bodies that do, and the height that the region would need.
    pub(crate) fn check(&self, discs: bool) -> Result<(), Error> {
        let fit = self.fit(discs)?;
        if self.count >= 1 && self.count <= fit {
            return Ok(());
        }
        let (count, spacing) = (self.count, self.spacing());
        let found =
            format!("{count} bodies do not fit on the lattice: {fit} do (spacing {spacing:.4e} m)");
        if self.space.region.is_some() {
            let accepted = "a larger region, fewer or smaller bodies, or less jitter";
            return Err(Error::Full(format!("{found}; accepted: {accepted}")));
        }
        let [x, y, _] = self.sites(discs).count;
        let layer = if discs { x } else { x.saturating_mul(y) };
        Err(Error::Full(if layer == 0 {
            let cell = self.arrangement.cell();
            let [wide, deep] = [0, 1].map(|a| {
                let even = if self.space.periodic[a] && cell.even[a] {
                    2.0
                } else {
                    1.0
                };
                let shifted = if self.space.periodic[a] {
                    0.0
                } else {
                    cell.shift[a]
                };
                spacing * (cell.unit[a] * even).max(1.0 + cell.unit[a] * shifted)
            });
            format!(
                "{found}; accepted: a region at least {wide:.4e} m wide in x and {deep:.4e} m in y, or smaller radii"
            )
        } else {
            let up = if discs { 1 } else { 2 };
            let unit = self.arrangement.cell().unit[up] * spacing;
            let layers = count.div_ceil(layer) as f64;
            let height = match self.arrangement {
                Arrangement::SimpleCubic => layers * unit,
                _ if self.space.periodic[up] => (0.5 * layers).ceil() * 2.0 * unit,
                _ => (layers - 1.0) * unit + 2.0 * self.margin(),
            };
            format!(
                "{found}; accepted: a region at least {height:.6} m high, fewer bodies, or less jitter"
            )
        }))
    }

    /// Makes the bodies `among` all, in the order of ids.
    pub(super) fn fill(
        &self,
        sample: &Sample,
        among: Range<u64>,
        (first_id, seed): (u64, u64),
        keep: &mut dyn FnMut(BodyRow),
    ) -> Result<(), Error> {
        self.check(sample.discs)?;
        let sites = self.sites(sample.discs);
        let reach = self.reach();
        let mut place = |n: u64, site: [f64; 3]| {
            let id = first_id + n;
            let mut stream = Stream::new(Purpose::Sample, seed, [id, 0, 0]);
            let radius = self.radius.draw(&mut stream);
            let [x, y, z] = site.map(|x| x + stream.between(-reach, reach));
            let position = [x, y, if sample.discs { 0.0 } else { z }];
            keep(sample.body(id, position, radius, sample.density));
        };
        let among = among.start..among.end.min(self.count);
        if self.space.region.is_none() {
            for n in among {
                place(n, self.site(&sites, n));
            }
            return Ok(());
        }
        // Visiting sites one by one finds those in the region; only the bodies `among` are made.
        let mut n = 0;
        for site in (0..sites.all(sample.discs)).map(|k| self.site(&sites, k)) {
            if n >= among.end {
                break;
            }
            if self.is_inside(site, sample.discs) {
                if n >= among.start {
                    place(n, site);
                }
                n += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
