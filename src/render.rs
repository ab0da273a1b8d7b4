//! Pictures of a state: bodies as shaded balls or discs, walls as outlines, contacts as a force
//! network.
//!
//! Balls are not meshes: each pixel's ray is cut with the sphere itself, nearest first, band by
//! band, so that hidden balls cost little. Threads share bands and rows, which depend on the scene
//! only: the same bytes on any number of threads. Hollows are darkened by their surroundings in the
//! picture (ambient occlusion in screen space [Mittring, SIGGRAPH 2007 courses]).

mod camera;
mod colour;
mod frame;
mod legend;
mod network;
mod outline;
#[cfg(test)]
mod tests;
mod view;

pub use colour::{Colour, Map};
pub use view::{Clip, Fit, View, direction, range, size};

use crate::body::BodyRow;
use crate::contact::ContactRow;
use crate::math::Vector3;
use crate::shape::Surface;
use camera::Camera;

/// The subject of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Bodies in the order of their ids.
    pub bodies: &'a [BodyRow],
    /// Contacts among them and with walls.
    pub contacts: &'a [ContactRow],
    /// Length of the step in which the contacts' impulses acted [s].
    pub dt: f64,
    /// Surfaces of walls at their present positions.
    pub surfaces: &'a [Surface],
    /// Names of the materials by number.
    pub materials: &'a [String],
    /// Corners of the domain [m].
    pub domain: (Vector3, Vector3),
    /// Unit vector against gravity, along which heights count.
    pub up: Vector3,
    /// Whether bodies are discs in the plane z = 0.
    pub flat: bool,
    /// A line below the picture.
    pub caption: &'a str,
}

/// A picture: rows from the top, red, green and blue of each pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across and down.
    pub size: [usize; 2],
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

/// Width and height of the part of a picture that the scene fills; the rest is for the legend.
fn canvas(view: &View) -> [usize; 2] {
    let [width, height] = view.size;
    match legend::fits(view) {
        true => [
            width - legend::column(view.size),
            height - legend::strip(view.size),
        ],
        false => [width, height],
    }
}

/// Draws a scene.
///
/// # Errors
/// If the scene is empty, or its numbers are too large to be drawn.
pub fn draw(scene: &Scene, view: &View) -> Result<Picture, String> {
    let camera = Camera::new(scene, view, canvas(view))?;
    let values = match view.contacts {
        true => network::forces(scene),
        false => view.colour.of(scene),
    };
    let range = view.range.unwrap_or_else(|| span(scene, view, &values));
    let paint = |value: f64| view.map.of((value - range[0]) / (range[1] - range[0]));
    let mut frame = frame::Frame::new(&camera, scene, view);
    match view.contacts {
        true => {
            // In the plane the bodies are drawn pale behind their forces.
            if scene.flat {
                frame.bodies(scene, |_| [226, 228, 232]);
            }
            frame.network(scene, &values, paint);
        }
        false => frame.bodies(scene, |k| paint(values[k])),
    }
    let mut picture = frame.shaded(view.size);
    if view.walls {
        let lines = outline::of(scene);
        frame.outlines(&mut picture, &lines);
    }
    if legend::fits(view) {
        legend::write(&mut picture, scene, view, range);
    }
    Ok(picture)
}

/// The default range of values of the colours of a scene.
#[must_use]
pub fn natural_range(scene: &Scene, view: &View) -> [f64; 2] {
    let values = match view.contacts {
        true => network::forces(scene),
        false => view.colour.of(scene),
    };
    span(scene, view, &values)
}

fn span(scene: &Scene, view: &View, values: &[f64]) -> [f64; 2] {
    match view.contacts {
        true => colour::span(values, true),
        false => view.colour.span(scene, values),
    }
}

impl Picture {
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// If the encoder refuses it; it accepts any picture of at least one pixel.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size[0] as u32, self.size[1] as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rgb));
        written.map_err(|e| format!("the picture cannot be encoded: {e}"))?;
        Ok(bytes)
    }

    /// Red, green and blue at a pixel, from the left and from the top.
    #[must_use]
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let k = 3 * (y * self.size[0] + x);
        [self.rgb[k], self.rgb[k + 1], self.rgb[k + 2]]
    }

    /// Lays a colour over a pixel: `cover` 0 keeps it, 1 replaces it; outside the picture without
    /// effect.
    fn blend(&mut self, x: usize, y: usize, colour: [u8; 3], cover: f64) {
        if x >= self.size[0] || y >= self.size[1] {
            return;
        }
        let k = 3 * (y * self.size[0] + x);
        for (old, new) in self.rgb[k..k + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*old) * (1.0 - cover) + f64::from(new) * cover;
            *old = (mixed + 0.5) as u8;
        }
    }
}
