//! The camera: positions of points of the scene in the picture.

use super::view::{Fit, View};
use super::{Scene, outline};
use crate::math::{Vector3, nan_max};

/// Pixels of the buffer on a side of a pixel of the picture.
pub(super) const FINE: usize = 2;

/// Largest length of a scene [m]: its square must be finite.
const LARGEST: f64 = 1e100;

/// Share of the picture that the scene fills.
const FILLED: f64 = 0.94;

/// A camera: camera space has x to the right, y up, z away from the eye [m].
#[derive(Clone, Debug)]
pub(super) struct Camera {
    /// Pixels of the buffer across and down.
    pub(super) size: [usize; 2],
    /// Rows of the rotation into camera space.
    axes: [Vector3; 3],
    /// The point of the scene at the origin of camera space: the eye, or of an orthographic camera
    /// a point at depth 0.
    origin: Vector3,
    /// Pixels of the buffer per metre; in perspective at a depth of one metre.
    pub(super) scale: f64,
    /// Whether distant objects are smaller.
    pub(super) perspective: bool,
    /// Smallest depth that is drawn in perspective [m].
    pub(super) near: f64,
    /// The clips in camera space: `normal · p <= offset` is kept.
    pub(super) clips: Vec<([f64; 3], f64)>,
}

/// A point in the buffer: pixels from the left and from the top, and depth [m].
pub(super) type Spot = [f64; 3];

impl Camera {
    /// The camera of a view, on a canvas of this number of pixels of the picture.
    pub(super) fn new(scene: &Scene, view: &View, canvas: [usize; 2]) -> Result<Self, String> {
        let right = view.up.cross(&view.from).normalize();
        let axes = [right, view.from.cross(&right), -view.from];
        let (lower, upper) = seen(scene, view)?;
        let corners = outline::corners(&lower, &upper);
        let middle = (lower + upper) * 0.5;
        let size = canvas.map(|pixels| pixels * FINE);
        let mut camera = Self {
            size,
            axes,
            origin: middle,
            scale: 1.0,
            perspective: view.opening.is_some(),
            near: 0.0,
            clips: Vec::new(),
        };
        let turned = corners.map(|corner| camera.turned(&(corner - middle)));
        let most = |axis: usize| turned.iter().map(|c| c[axis].abs()).fold(0.0, f64::max);
        let half = size.map(|pixels| 0.5 * FILLED * pixels as f64);
        match view.opening {
            None => {
                camera.scale = (half[0] / most(0)).min(half[1] / most(1));
                camera.origin = middle + view.from * most(2);
            }
            Some(degrees) => {
                let slope = libm::tan(0.5 * degrees.to_radians());
                camera.scale = 0.5 * size[0].min(size[1]) as f64 / slope;
                // As near as every corner permits.
                let far = |c: &[f64; 3]| {
                    let across = (c[0].abs() / half[0]).max(c[1].abs() / half[1]);
                    across * camera.scale - c[2]
                };
                let distance = turned.iter().map(far).fold(0.0, f64::max);
                camera.near = 1e-3 * most(2).max(most(0)).max(most(1));
                camera.origin = middle + view.from * distance.max(most(2) + 2.0 * camera.near);
            }
        }
        let sizes = corners.iter().map(|corner| corner.amax());
        let drawable = sizes.fold(0.0, nan_max) < LARGEST && camera.origin.amax() < LARGEST;
        if !(camera.scale.is_finite() && camera.scale > 0.0 && drawable) {
            return Err(format!(
                "the scene must have a finite size above zero; found a scene from {:?} to {:?} m",
                lower.as_slice(),
                upper.as_slice()
            ));
        }
        for clip in &view.clips {
            let mut normal = Vector3::zeros();
            normal[clip.axis] = if clip.below { 1.0 } else { -1.0 };
            let offset = normal[clip.axis] * (clip.at - camera.origin[clip.axis]);
            camera.clips.push((camera.turned(&normal), offset));
        }
        Ok(camera)
    }

    /// A direction in camera space.
    pub(super) fn turned(&self, v: &Vector3) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.axes[axis].dot(v))
    }

    /// A point in camera space [m].
    pub(super) fn seen(&self, x: &Vector3) -> [f64; 3] {
        self.turned(&(x - self.origin))
    }

    /// The position of a point of camera space in the buffer.
    ///
    /// In perspective the point must be in front of the eye.
    pub(super) fn spot(&self, p: &[f64; 3]) -> Spot {
        let scale = self.pixels(p[2]);
        let [width, height] = self.size.map(|pixels| 0.5 * pixels as f64);
        [width + p[0] * scale, height - p[1] * scale, p[2]]
    }

    /// Pixels of the buffer per metre at a depth.
    pub(super) fn pixels(&self, depth: f64) -> f64 {
        match self.perspective {
            true => self.scale / depth,
            false => self.scale,
        }
    }

    /// The ray through a pixel of the buffer (its middle is at half a pixel): a point and a
    /// direction whose depth grows by one.
    pub(super) fn ray(&self, x: usize, y: usize) -> ([f64; 3], [f64; 3]) {
        let [width, height] = self.size.map(|pixels| 0.5 * pixels as f64);
        let across = (x as f64 + 0.5 - width) / self.scale;
        let up = (height - y as f64 - 0.5) / self.scale;
        match self.perspective {
            true => ([0.0; 3], [across, up, 1.0]),
            false => ([across, up, 0.0], [0.0, 0.0, 1.0]),
        }
    }

    /// Columns and rows of the buffer, from and to, that contain a ball of camera space.
    ///
    /// `None`: the ball lies outside the picture.
    pub(super) fn bounds(&self, p: &[f64; 3], radius: f64) -> Option<[[usize; 2]; 2]> {
        if self.perspective && p[2] - radius <= self.near {
            return None;
        }
        let ends = |axis: usize| match self.perspective {
            false => [p[axis] - radius, p[axis] + radius],
            true => {
                // Tangents from the eye, in the plane of this axis and the depth.
                let (x, z) = (p[axis], p[2]);
                let s = (x * x + z * z - radius * radius).sqrt();
                [
                    (x * s - radius * z) / (z * s + radius * x),
                    (x * s + radius * z) / (z * s - radius * x),
                ]
            }
        };
        let range = |low: f64, high: f64, pixels: usize| {
            let middle = 0.5 * pixels as f64;
            let low = (middle + low * self.scale - 0.5).ceil().max(0.0);
            let high = (middle + high * self.scale + 0.5)
                .floor()
                .min(pixels as f64);
            (low < high).then_some([low as usize, high as usize])
        };
        let ([left, right], [bottom, top]) = (ends(0), ends(1));
        Some([
            range(left, right, self.size[0])?,
            range(-top, -bottom, self.size[1])?,
        ])
    }

    /// The part of a ray, in depth, that the clips leave, and the clip at its entry.
    pub(super) fn left(&self, from: &[f64; 3], along: &[f64; 3]) -> (f64, f64, Option<usize>) {
        let (mut enter, mut leave, mut by) = (f64::NEG_INFINITY, f64::INFINITY, None);
        for (k, (normal, offset)) in self.clips.iter().enumerate() {
            let (speed, inside) = (dot(normal, along), offset - dot(normal, from));
            let at = inside / speed;
            if speed > 0.0 {
                leave = leave.min(at);
            } else if speed < 0.0 {
                if at > enter {
                    (enter, by) = (at, Some(k));
                }
            } else if inside < 0.0 {
                return (f64::INFINITY, f64::NEG_INFINITY, None);
            }
        }
        (enter, leave, by)
    }
}

pub(super) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The corners of the box that fills the picture [m].
fn seen(scene: &Scene, view: &View) -> Result<(Vector3, Vector3), String> {
    let (mut lower, mut upper) = scene.domain;
    if scene.flat {
        (lower.z, upper.z) = (0.0, 0.0);
    }
    if view.fit == Fit::Bodies && !scene.bodies.is_empty() {
        let (mut low, mut high) = (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        );
        for body in scene.bodies {
            for axis in 0..3 {
                low[axis] = low[axis].min(body.position[axis] - body.radius);
                high[axis] = high[axis].max(body.position[axis] + body.radius);
            }
        }
        (lower, upper) = (low, high);
        if scene.flat {
            (lower.z, upper.z) = (0.0, 0.0);
        }
    }
    for clip in &view.clips {
        match clip.below {
            true => upper[clip.axis] = upper[clip.axis].min(clip.at),
            false => lower[clip.axis] = lower[clip.axis].max(clip.at),
        }
    }
    if (0..3).any(|axis| lower[axis] > upper[axis]) {
        return Err("--clip must leave a part of the scene; found an empty rest".to_owned());
    }
    Ok((lower, upper))
}
