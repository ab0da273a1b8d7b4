//! Perturbed lattices, filled from below, each body moved at random about its site.
//!
//! The spacing leaves room for the largest displacement of two largest bodies towards each other, so that no two bodies
//! overlap and none leaves the region, whatever is drawn.

use super::{Arrangement, Error, Lattice, Sample};
use crate::body::BodyRow;
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use std::ops::Range;

/// How the sites of a lattice lie: rows along x, rows beside each other along y, layers on each other along z.
struct Cell {
    /// Distances of sites in a row, of rows, of layers, in spacings of nearest sites.
    unit: [f64; 3],
    /// By how much odd rows and layers are moved along x, and odd layers along y, in those distances.
    shift: [f64; 2],
    /// Axes on which the pattern repeats after two.
    even: [bool; 3],
    /// How much nearer two nearest sites can come if each moves by 1 at most on each axis, halved: the largest `|n_x| + |n_y| + |n_z|`
    /// of the unit vectors between them.
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

/// The sites of a lattice: so many on each axis, `lower + (site + offset + shift) × step`.
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

/// Sites that are looked at one after the other, at most: some 2 TB of bodies.
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
            // A length that is a multiple of the spacing but for rounding holds as many as it seems to.
            let count = [0, 1, 2].map(|a| (extent[a] / unit[a] * (1.0 + 1e-12)).max(0.0) as u64);
            // Sites spread over the whole width: no gap along two of the walls into which the packing would lean.
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
            // Upwards layers (of discs: rows) are as near as can be.
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

    /// Whether the largest body, however it is moved, has room in the region at a site.
    fn is_inside(&self, site: [f64; 3], discs: bool) -> bool {
        let Some(region) = self.space.region else {
            return true;
        };
        let [x, y, z] = site;
        let z = if discs { 0.0 } else { z };
        let (largest, way) = (self.radius.largest(), 3.0_f64.sqrt() * self.reach());
        region.has_room(&Vector3::new(x, y, z), largest + way)
    }

    /// How many bodies find a site.
    ///
    /// # Errors
    /// If that can only be known by looking at more sites, one after the other, than anyone would wait for.
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
    /// How many do, and how high the region would have to be.
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

    /// Makes those bodies `among` all in the order of ids.
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
        // Which sites lie in the region is known by looking at them one after the other; what is made there is not.
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
