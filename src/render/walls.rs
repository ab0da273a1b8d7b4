//! Walls as shaded surfaces.
//!
//! A wall that is solid behind is drawn where the eye sees the side of the bodies, so a box, a drum
//! or a silo is open towards the eye. A thin wall, such as a mesh, has bodies on either side: where
//! bodies are behind it, it is a veil over them; without bodies its farthest layer is drawn, and
//! nearer layers are veils over that.

use super::camera::{Camera, dot};
use super::facets::Facet;
use super::frame::{BAND, Cell, Frame, LIGHT};

/// The colour of a wall in full light, and its share of light from all sides.
const WALL: [f64; 3] = [230.0, 232.0, 236.0];
const AMBIENT: f64 = 0.78;

/// Cover of one layer of a veil.
const VEIL: f64 = 0.16;

/// The thin layers over a cell.
#[derive(Clone, Copy)]
struct Layers {
    /// Depth and light of the farthest one without a body behind; infinitely near if none.
    far: (f32, f32),
    /// Number and light of the layers in front.
    number: u32,
    light: f32,
}

const NONE: Layers = Layers {
    far: (f32::NEG_INFINITY, 0.0),
    number: 0,
    light: 0.0,
};

impl Frame<'_> {
    /// Draws walls behind and over bodies; `solid`: thin ones hide bodies behind them.
    ///
    /// `paint` gives the colour of a facet with a value; veils have none.
    pub(super) fn walls(
        &mut self,
        facets: &[Facet],
        solid: bool,
        paint: impl Fn(f64) -> [u8; 3] + Sync,
    ) {
        let camera = self.camera;
        let mut bands: Vec<Vec<u32>> = vec![Vec::new(); camera.size[1].div_ceil(BAND)];
        for (k, facet) in facets.iter().enumerate() {
            let heights = facet.spots.map(|spot| spot[1]);
            let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if !(high > 0.0 && low < camera.size[1] as f64) {
                continue;
            }
            let last = (high as usize / BAND).min(bands.len() - 1);
            for band in &mut bands[low.max(0.0) as usize / BAND..=last] {
                band.push(k as u32);
            }
        }
        let bands = &bands;
        self.in_bands(|band, cells| {
            let first = band * BAND;
            let (thin, thick): (Vec<u32>, Vec<u32>) = bands[band]
                .iter()
                .partition(|k| facets[**k as usize].thin && !solid);
            let each = |list: &[u32], take: &mut dyn FnMut(f64, usize, f32, f32)| {
                for facet in list.iter().map(|k| &facets[*k as usize]) {
                    let end = end_of_band(camera, first);
                    fill(camera, facet, first, end, &mut |at, depth, light| {
                        take(facet.value, at, depth, light);
                    });
                }
            };
            each(&thick, &mut |value, at, depth, light| {
                let cell = &mut cells[at];
                if depth < cell.depth {
                    let colour = match value.is_nan() {
                        true => WALL,
                        false => paint(value).map(f64::from),
                    };
                    *cell = Cell {
                        depth,
                        colour: colour.map(|c| (c * f64::from(light) + 0.5) as u8),
                        body: false,
                    };
                }
            });
            if thin.is_empty() {
                return;
            }
            let mut layers = vec![NONE; cells.len()];
            each(&thin, &mut |_, at, depth, light| {
                let cell = &cells[at];
                if !cell.body && depth < cell.depth && depth > layers[at].far.0 {
                    layers[at].far = (depth, light);
                }
            });
            each(&thin, &mut |_, at, depth, light| {
                let (cell, layer) = (&cells[at], &mut layers[at]);
                let limit = match layer.far.0.is_finite() {
                    true => layer.far.0,
                    false => cell.depth,
                };
                if depth < limit {
                    layer.number += 1;
                    layer.light += light;
                }
            });
            for (cell, layer) in cells.iter_mut().zip(&layers) {
                layer.over(cell);
            }
        });
    }
}

/// The row after the last of the band that begins at a row.
fn end_of_band(camera: &Camera, first: usize) -> usize {
    (first + BAND).min(camera.size[1])
}

impl Layers {
    /// Lays the layers over a cell.
    fn over(&self, cell: &mut Cell) {
        let mut base = cell.colour.map(f64::from);
        if self.far.0.is_finite() {
            (cell.depth, base) = (self.far.0, lit_wall(self.far.1));
        } else if self.number == 0 {
            return;
        }
        if self.number > 0 {
            let veil = lit_wall(self.light / self.number as f32);
            let keep = (1.0 - VEIL).powi(self.number.min(64) as i32);
            for (below, above) in base.iter_mut().zip(veil) {
                *below = *below * keep + above * (1.0 - keep);
            }
        }
        cell.colour = base.map(|c| (c + 0.5) as u8);
    }
}

fn lit_wall(light: f32) -> [f64; 3] {
    WALL.map(|c| c * f64::from(light))
}

/// Calls `take` with the cell of the band, the depth and the light, for each pixel of a triangle.
///
/// A pixel belongs to a triangle if its middle does; on a common edge it belongs to one of the two,
/// as both compute the edge from the same end.
fn fill(
    camera: &Camera,
    facet: &Facet,
    first: usize,
    end: usize,
    take: &mut dyn FnMut(usize, f32, f32),
) {
    let width = camera.size[0];
    let heights = facet.spots.map(|spot| spot[1]);
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let rows = |y: f64| (y - 0.5).ceil().clamp(first as f64, end as f64) as usize;
    let light = AMBIENT + (1.0 - AMBIENT) * dot(&facet.normal, &LIGHT).max(0.0);
    for y in rows(low)..rows(high) {
        let middle = y as f64 + 0.5;
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for k in 0..3 {
            let (mut a, mut b) = (facet.spots[k], facet.spots[(k + 1) % 3]);
            if (a[1], a[0]) > (b[1], b[0]) {
                (a, b) = (b, a);
            }
            if a[1] <= middle && middle < b[1] {
                let x = a[0] + (middle - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                span = [span[0].min(x), span[1].max(x)];
            }
        }
        let column = |x: f64| (x - 0.5).ceil().clamp(0.0, width as f64) as usize;
        for x in column(span[0])..column(span[1]) {
            let (from, along) = camera.ray(x, y);
            let way = facet.offset - dot(&facet.normal, &from);
            let depth = way / dot(&facet.normal, &along);
            if depth.is_finite() {
                take((y - first) * width + x, depth as f32, light as f32);
            }
        }
    }
}
