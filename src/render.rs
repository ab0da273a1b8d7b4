//! Pictures of a state: bodies as shaded balls or discs, walls as outlines or shaded surfaces,
//! contacts as a force network.
//!
//! Balls are not meshes: each pixel's ray is cut with the sphere itself, nearest first, band by
//! band, so that hidden balls cost little. Threads share bands and rows, which depend on the scene
//! only: the same bytes on any number of threads. Hollows are darkened by their surroundings in the
//! picture (ambient occlusion in screen space [Mittring, SIGGRAPH 2007 courses]).

mod camera;
mod colour;
mod facets;
mod frame;
mod legend;
mod link;
mod network;
mod outline;
mod picture;
mod scene;
#[cfg(test)]
mod tests;
mod view;
mod walls;

pub use colour::{Colour, Map};
pub use link::{Link, Touching, stresses, summed};
pub use picture::Picture;
pub use scene::{Balls, Scene};
pub use view::{Clip, Fit, View, Walls, direction, range, size};

use camera::Camera;

/// Fine pixels by which a shaded wall may be in front of its own outline.
const SLACK: f64 = 4.0;

/// The colour of bodies where colours show a quantity of walls.
const PLAIN: [u8; 3] = [190, 194, 202];

/// Width and height of the part of a picture that the scene fills; the rest is for the legend.
fn canvas(scene: &Scene, view: &View) -> [usize; 2] {
    let [width, height] = view.size;
    match legend::fits(view) {
        true => [
            width - legend::column(scene, view),
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
    let camera = Camera::new(scene, view, canvas(scene, view))?;
    let values = values(scene, view);
    let range = view.range.unwrap_or_else(|| span(scene, view, &values));
    let paint = |value: f64| view.map.of((value - range[0]) / (range[1] - range[0]));
    let of_walls = view.colour.is_of_walls() && !view.contacts;
    let mut frame = frame::Frame::new(&camera, scene, view);
    match view.contacts {
        true => {
            // In the plane the bodies are drawn pale behind their forces.
            if scene.flat {
                frame.bodies(scene, |_| [226, 228, 232]);
            }
            frame.network(scene, paint);
        }
        false if of_walls => frame.bodies(scene, |_| PLAIN),
        false => frame.bodies(scene, |k| paint(values[k])),
    }
    let solid = view.walls == Walls::Solid;
    let shaded = (solid || view.walls == Walls::Shaded) && !scene.flat;
    if shaded {
        let facets = facets::of(scene, &camera);
        frame.walls(&facets, solid, paint);
    }
    let mut picture = frame.shaded(view.size);
    if view.walls != Walls::None {
        let lines = outline::of(scene, shaded);
        frame.outlines(&mut picture, &lines, if shaded { SLACK } else { 0.0 });
    }
    if legend::fits(view) {
        legend::write(&mut picture, scene, view, range);
    }
    Ok(picture)
}

/// The default range of values of the colours of a scene.
#[must_use]
pub fn natural_range(scene: &Scene, view: &View) -> [f64; 2] {
    let values = values(scene, view);
    span(scene, view, &values)
}

/// The values of bodies or triangles that colours show, or the forces of contacts.
fn values(scene: &Scene, view: &View) -> Vec<f64> {
    match view.contacts {
        true => scene.links.iter().map(|link| link.force).collect(),
        false => view.colour.of(scene),
    }
}

fn span(scene: &Scene, view: &View, values: &[f64]) -> [f64; 2] {
    match view.contacts {
        true => colour::span(values, true),
        false => view.colour.span(scene, values),
    }
}
