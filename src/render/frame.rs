//! The buffer of the nearest surface in each fine pixel, and the picture made of it.

use super::camera::{Camera, FINE, Spot, dot};
use super::outline::Line;
use super::view::View;
use super::{Picture, Scene};
use crate::math::Vector3;
use rayon::prelude::*;

/// Rows of a band of the buffer.
pub(super) const BAND: usize = 32;

/// Direction of the light in camera space: from the upper left, behind the eye. A unit vector.
pub(super) const LIGHT: [f64; 3] = [-0.36, 0.48, -0.8];

/// White in every colour of a body: without it the dark end of a map hides the shading.
const PALE: f64 = 0.1;

const BACKGROUND: [u8; 3] = [255; 3];

/// The nearest surface in a fine pixel.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// Its depth [m], infinite without a surface.
    pub(super) depth: f32,
    /// Its colour under the light.
    pub(super) colour: [u8; 3],
    /// Whether it belongs to a body or a contact.
    pub(super) body: bool,
}

const EMPTY: Cell = Cell {
    depth: f32::INFINITY,
    colour: BACKGROUND,
    body: false,
};

/// A picture under construction.
pub(super) struct Frame<'a> {
    pub(super) camera: &'a Camera,
    pub(super) view: &'a View,
    pub(super) cells: Vec<Cell>,
    /// Width of the hollows that are darkened [m].
    hollow: f64,
    flat: bool,
}

/// A body in camera space.
struct Ball {
    centre: [f64; 3],
    radius: f64,
    colour: [u8; 3],
}

impl<'a> Frame<'a> {
    /// An empty buffer.
    pub(super) fn new(camera: &'a Camera, scene: &Scene, view: &'a View) -> Self {
        let radii: f64 = scene.bodies.iter().map(|b| b.radius).sum();
        Self {
            camera,
            view,
            cells: vec![EMPTY; camera.size[0] * camera.size[1]],
            hollow: 1.2 * radii / scene.bodies.len().max(1) as f64,
            flat: scene.flat,
        }
    }

    /// Draws the bodies.
    pub(super) fn bodies(&mut self, scene: &Scene, paint: impl Fn(usize) -> [u8; 3]) {
        let camera = self.camera;
        let mut bands: Vec<Vec<u32>> = vec![Vec::new(); camera.size[1].div_ceil(BAND)];
        let mut balls = Vec::new();
        scene.each_ball(|k, centre, radius| {
            let centre = camera.seen(centre);
            let outside =
                |(normal, offset): &([f64; 3], f64)| dot(normal, &centre) - radius >= *offset;
            if camera.clips.iter().any(outside) {
                return;
            }
            let Some([_, rows]) = camera.bounds(&centre, radius) else {
                return;
            };
            for band in &mut bands[rows[0] / BAND..=(rows[1] - 1) / BAND] {
                band.push(balls.len() as u32);
            }
            let colour = paint(k);
            balls.push(Ball {
                centre,
                radius,
                colour,
            });
        });
        let normal = camera.turned(&Vector3::z());
        let disc = self.flat.then_some(normal);
        let width = camera.size[0];
        let front = |k: &u32| {
            let ball = &balls[*k as usize];
            ball.centre[2] - ball.radius
        };
        self.cells
            .par_chunks_mut(BAND * width)
            .zip(bands.par_iter_mut())
            .enumerate()
            .for_each(|(band, (cells, list))| {
                // Nearest first: one comparison then rejects a hidden ball. Equal depths are in the
                // order of ids.
                list.sort_by(|a, b| front(a).total_cmp(&front(b)));
                for k in list.iter() {
                    put(
                        camera,
                        &balls[*k as usize],
                        disc.as_ref(),
                        cells,
                        band * BAND,
                    );
                }
            });
    }

    /// Lets `fill` draw into each band: it gets the band's cells and the number of its first row.
    pub(super) fn in_bands(&mut self, fill: impl Fn(usize, &mut [Cell]) + Sync) {
        let width = self.camera.size[0];
        self.cells
            .par_chunks_mut(BAND * width)
            .enumerate()
            .for_each(|(band, cells)| fill(band, cells));
    }

    /// The picture, with hollows darkened, on a canvas that may be larger.
    pub(super) fn shaded(&self, size: [usize; 2]) -> Picture {
        let mut rgb = vec![255; 3 * size[0] * size[1]];
        let [width, height] = self.camera.size.map(|fine| fine / FINE);
        let offsets = spiral();
        rgb.par_chunks_mut(3 * size[0])
            .take(height)
            .enumerate()
            .for_each(|(y, row)| {
                for (x, pixel) in row.chunks_mut(3).take(width).enumerate() {
                    let mut sums = [0.0; 3];
                    for part in 0..FINE * FINE {
                        let (fx, fy) = (FINE * x + part % FINE, FINE * y + part / FINE);
                        let light = self.open(fx, fy, &offsets);
                        let cell = self.cells[fy * self.camera.size[0] + fx];
                        let each = sums.iter_mut().zip(cell.colour);
                        each.for_each(|(sum, c)| *sum += light * f64::from(c));
                    }
                    let each = pixel.iter_mut().zip(sums);
                    each.for_each(|(p, sum)| *p = (sum / (FINE * FINE) as f64 + 0.5) as u8);
                }
            });
        Picture { size, rgb }
    }

    /// The share of the light from all sides that reaches a fine pixel: 1 without nearer
    /// surroundings.
    fn open(&self, x: usize, y: usize, offsets: &[[f64; 2]]) -> f64 {
        let [width, height] = self.camera.size;
        let depth = self.cells[y * width + x].depth;
        if self.flat || depth == f32::INFINITY {
            return 1.0;
        }
        let depth = f64::from(depth);
        let reach = (self.hollow * self.camera.pixels(depth)).clamp(2.0, 64.0);
        let mut shut = 0.0;
        for [dx, dy] in offsets {
            let (px, py) = (x as f64 + 0.5 + dx * reach, y as f64 + 0.5 + dy * reach);
            if px < 0.0 || py < 0.0 || px >= width as f64 || py >= height as f64 {
                continue;
            }
            let other = f64::from(self.cells[py as usize * width + px as usize].depth);
            let nearer = (depth - other) / self.hollow - 0.03;
            if nearer > 0.0 {
                // Surroundings far in front of it shade little.
                shut += if nearer < 1.0 { nearer } else { 1.0 / nearer };
            }
        }
        1.0 - 0.9 * (shut / offsets.len() as f64).min(1.0)
    }

    /// Draws thin lines over a picture, where no surface hides them.
    ///
    /// Surfaces less than `slack` fine pixels in front of a line do not hide it.
    pub(super) fn outlines(&self, picture: &mut Picture, lines: &[Line], slack: f64) {
        for line in lines {
            let [mut from, mut to] = line.ends.map(|x| self.camera.seen(&x));
            if self.camera.perspective {
                // The part in front of the eye.
                let near = 2.0 * self.camera.near;
                if from[2] < near && to[2] < near {
                    continue;
                }
                let share = (near - from[2]) / (to[2] - from[2]);
                let cut: [f64; 3] = [0, 1, 2].map(|k| from[k] + share * (to[k] - from[k]));
                if from[2] < near {
                    from = cut;
                } else if to[2] < near {
                    to = cut;
                }
            }
            let ends = [from, to].map(|p| {
                let [x, y, depth] = self.camera.spot(&p);
                [x / FINE as f64, y / FINE as f64, depth]
            });
            self.thin(picture, ends, slack);
        }
    }

    /// A line of a pixel's width between two spots of the picture.
    fn thin(&self, picture: &mut Picture, [from, to]: [Spot; 2], slack: f64) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        // Along its longer axis, pixel by pixel.
        let long = usize::from(dy.abs() > dx.abs());
        let limit = [0, 1].map(|axis| self.camera.size[axis] / FINE);
        let ([a, b], steep) = match from[long] <= to[long] {
            true => ([from, to], [dx, dy]),
            false => ([to, from], [-dx, -dy]),
        };
        if !(steep[long] > 0.0 && steep[long].is_finite()) {
            return;
        }
        let first = a[long].floor().max(0.0) as usize;
        let last = b[long].ceil().clamp(0.0, limit[long] as f64) as usize;
        for k in first..last {
            let share = ((k as f64 + 0.5 - a[long]) / steep[long]).clamp(0.0, 1.0);
            let across = a[1 - long] + share * (b[1 - long] - a[1 - long]);
            if !(across > -2.0 && across < limit[1 - long] as f64 + 2.0) {
                continue;
            }
            let depth = match self.camera.perspective {
                // Lines are straight in the inverse of depth.
                true => 1.0 / (1.0 / a[2] + share * (1.0 / b[2] - 1.0 / a[2])),
                false => a[2] + share * (b[2] - a[2]),
            };
            for row in [-1.0, 0.0, 1.0].map(|d| (across + d).floor()) {
                let cover = 1.0 - (row + 0.5 - across).abs();
                if cover <= 0.0 || row < 0.0 || row >= limit[1 - long] as f64 {
                    continue;
                }
                let mut spot = [k, row as usize];
                spot.swap(0, long);
                let seen = self.visible(spot, depth - slack / self.camera.pixels(depth));
                picture.blend(spot[0], spot[1], [60, 66, 78], 0.8 * cover * seen);
            }
        }
    }

    /// The share of a pixel without a surface in front of a depth.
    fn visible(&self, [x, y]: [usize; 2], depth: f64) -> f64 {
        let free = (0..FINE * FINE).filter(|part| {
            let (fx, fy) = (FINE * x + part % FINE, FINE * y + part / FINE);
            f64::from(self.cells[fy * self.camera.size[0] + fx].depth) > depth
        });
        free.count() as f64 / (FINE * FINE) as f64
    }
}

/// Draws a ball, or a disc with this normal, into the rows of a band.
fn put(camera: &Camera, ball: &Ball, disc: Option<&[f64; 3]>, cells: &mut [Cell], first: usize) {
    let Some([columns, rows]) = camera.bounds(&ball.centre, ball.radius) else {
        return;
    };
    let width = camera.size[0];
    let end = first + cells.len() / width;
    let front = (ball.centre[2] - ball.radius) as f32;
    for y in rows[0].max(first)..rows[1].min(end) {
        let row = &mut cells[(y - first) * width..][..width];
        for (x, cell) in (columns[0]..).zip(&mut row[columns[0]..columns[1]]) {
            if cell.depth <= front {
                continue;
            }
            let (from, along) = camera.ray(x, y);
            let (enter, leave, by) = match camera.clips.is_empty() {
                true => (f64::NEG_INFINITY, f64::INFINITY, None),
                false => camera.left(&from, &along),
            };
            let hit = match disc {
                None => ball.hit(&from, &along, enter, leave),
                Some(normal) => ball.hit_flat(&from, &along, normal, enter, leave),
            };
            let Some((depth, mut normal)) = hit else {
                continue;
            };
            if depth as f32 >= cell.depth {
                continue;
            }
            let mut light = 1.0;
            if disc.is_some() {
                // A dark rim separates discs of one colour.
                let rim = normal[0];
                light = if rim > 0.9 { 0.55 } else { 1.0 };
            } else {
                if let (Some(k), true) = (by, depth == enter) {
                    normal = camera.clips[k].0;
                }
                light *= lit(&normal);
            }
            let pale = |c: u8| (1.0 - PALE) * f64::from(c) + PALE * 255.0;
            *cell = Cell {
                depth: depth as f32,
                colour: ball
                    .colour
                    .map(|c| (pale(c) * light + 0.5).min(255.0) as u8),
                body: true,
            };
        }
    }
}

/// Light on a surface with this unit normal.
pub(super) fn lit(normal: &[f64; 3]) -> f64 {
    0.5 + 0.55 * dot(normal, &LIGHT).max(0.0)
}

impl Ball {
    /// The depth at which a ray meets the ball within a range of depths, and the normal there.
    fn hit(
        &self,
        from: &[f64; 3],
        along: &[f64; 3],
        enter: f64,
        leave: f64,
    ) -> Option<(f64, [f64; 3])> {
        let way = [0, 1, 2].map(|k| from[k] - self.centre[k]);
        let (a, b) = (dot(along, along), dot(&way, along));
        let inside = b * b - a * (dot(&way, &way) - self.radius * self.radius);
        if inside < 0.0 {
            return None;
        }
        let root = inside.sqrt();
        let (near, far) = ((-b - root) / a, (-b + root) / a);
        let depth = near.max(enter);
        if depth > far.min(leave) {
            return None;
        }
        let normal = [0, 1, 2].map(|k| (way[k] + depth * along[k]) / self.radius);
        Some((depth, normal))
    }

    /// The same for a disc; the first number is the distance from its centre in radii.
    fn hit_flat(
        &self,
        from: &[f64; 3],
        along: &[f64; 3],
        normal: &[f64; 3],
        enter: f64,
        leave: f64,
    ) -> Option<(f64, [f64; 3])> {
        let way = [0, 1, 2].map(|k| self.centre[k] - from[k]);
        let depth = dot(normal, &way) / dot(normal, along);
        let off = [0, 1, 2].map(|k| depth * along[k] - way[k]);
        let distance = dot(&off, &off).sqrt() / self.radius;
        (distance <= 1.0 && depth >= enter && depth <= leave)
            .then_some((depth, [distance, 0.0, 0.0]))
    }
}

/// Points in the unit disc, evenly spread: Vogel's spiral.
fn spiral() -> Vec<[f64; 2]> {
    const POINTS: usize = 18;
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..POINTS)
        .map(|k| {
            let radius = ((k as f64 + 0.5) / POINTS as f64).sqrt();
            let angle = k as f64 * golden;
            [radius * libm::cos(angle), radius * libm::sin(angle)]
        })
        .collect()
}
