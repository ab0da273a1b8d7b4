//! Contacts as a network: a bar for each that carries a force, its thickness by the force.

use super::Scene;
use super::camera::{Camera, Spot};
use super::frame::{BAND, Cell, Frame, lit};

/// Thickness of the bar of a strong force, in mean radii, and of a vanishing one, in fine pixels.
const THICKEST: f64 = 0.5;
const THINNEST: f64 = 0.7;

/// A bar in the buffer.
struct Bar {
    ends: [Spot; 2],
    /// Half its width at each end in fine pixels.
    half: [f64; 2],
    colour: [u8; 3],
}

impl Frame<'_> {
    /// Draws the contacts that carry a force, from centre to centre or to the wall.
    pub(super) fn network(&mut self, scene: &Scene, paint: impl Fn(f64) -> [u8; 3]) {
        let camera = self.camera;
        let forces: Vec<f64> = scene.links.iter().map(|link| link.force).collect();
        let strong = super::colour::span(&forces, true)[1];
        let radii: f64 = scene.bodies.iter().map(|b| b.radius).sum();
        let thickest = 0.5 * THICKEST * radii / scene.bodies.len().max(1) as f64;
        // In front of all discs, which lie in one plane.
        let lift = if scene.flat { 4.0 * thickest } else { 0.0 };
        let mut bands: Vec<Vec<u32>> = vec![Vec::new(); camera.size[1].div_ceil(BAND)];
        let mut bars: Vec<Bar> = Vec::new();
        for link in scene.links.iter().filter(|link| link.force.is_finite()) {
            let force = link.force;
            if !self.view.keeps(&link.point) {
                continue;
            }
            let ends = link.ends.map(|x| camera.seen(&x));
            if camera.perspective && ends.iter().any(|p| p[2] <= camera.near) {
                continue;
            }
            let half = (force / strong).min(1.0) * thickest;
            let half = ends.map(|p| (half * camera.pixels(p[2])).max(THINNEST));
            let ends = ends.map(|p| {
                let [x, y, depth] = camera.spot(&p);
                [x, y, depth - lift]
            });
            let (low, high) = (ends[0][1].min(ends[1][1]), ends[0][1].max(ends[1][1]));
            let most = half[0].max(half[1]);
            let [first, last] = [low - most, high + most + 1.0];
            if !(last > 0.0 && first < camera.size[1] as f64) {
                continue;
            }
            let first = first.max(0.0) as usize / BAND;
            let last = (last as usize / BAND).min(bands.len() - 1);
            for band in &mut bands[first..=last] {
                band.push(bars.len() as u32);
            }
            let colour = paint(force);
            bars.push(Bar { ends, half, colour });
        }
        let bands = &bands;
        let flat = scene.flat;
        self.in_bands(|band, cells| {
            for k in &bands[band] {
                put(camera, &bars[*k as usize], flat, cells, band * BAND);
            }
        });
    }
}

/// Draws a bar into the rows of a band.
fn put(camera: &Camera, bar: &Bar, flat: bool, cells: &mut [Cell], first: usize) {
    let width = camera.size[0];
    let [a, b] = bar.ends;
    let way = [b[0] - a[0], b[1] - a[1]];
    let square = way[0] * way[0] + way[1] * way[1];
    let most = bar.half[0].max(bar.half[1]);
    let end = first + cells.len() / width;
    let low = (a[1].min(b[1]) - most).floor().max(first as f64) as usize;
    let high = (a[1].max(b[1]) + most).ceil().clamp(0.0, end as f64) as usize;
    for y in low..high {
        let middle = y as f64 + 0.5;
        // The part of the axis that is near this row.
        let shares = match way[1] {
            0.0 => [0.0, 1.0],
            up => [middle - most, middle + most].map(|edge| ((edge - a[1]) / up).clamp(0.0, 1.0)),
        };
        let xs = shares.map(|share| a[0] + share * way[0]);
        let left = (xs[0].min(xs[1]) - most).floor().max(0.0) as usize;
        let right = (xs[0].max(xs[1]) + most).ceil().clamp(0.0, width as f64) as usize;
        let row = &mut cells[(y - first) * width..][..width];
        let from = left.min(right);
        for (x, cell) in (from..).zip(&mut row[from..right]) {
            let off = [x as f64 + 0.5 - a[0], middle - a[1]];
            let share = match square > 0.0 {
                true => ((off[0] * way[0] + off[1] * way[1]) / square).clamp(0.0, 1.0),
                false => 0.0,
            };
            let away = [off[0] - share * way[0], off[1] - share * way[1]];
            let distance = (away[0] * away[0] + away[1] * away[1]).sqrt();
            let half = bar.half[0] + share * (bar.half[1] - bar.half[0]);
            if distance > half {
                continue;
            }
            // Round across: the middle is nearer to the eye than the edge.
            let bulge = (1.0 - (distance / half).powi(2)).max(0.0).sqrt();
            let middle_depth = match camera.perspective {
                true => 1.0 / (1.0 / a[2] + share * (1.0 / b[2] - 1.0 / a[2])),
                false => a[2] + share * (b[2] - a[2]),
            };
            let depth = middle_depth - bulge * half / camera.pixels(middle_depth);
            if depth as f32 >= cell.depth {
                continue;
            }
            let normal = [away[0] / half, -away[1] / half, -bulge];
            let light = if flat { 1.0 } else { lit(&normal) };
            *cell = Cell {
                depth: depth as f32,
                colour: bar
                    .colour
                    .map(|c| (f64::from(c) * light + 0.5).min(255.0) as u8),
                body: true,
            };
        }
    }
}
