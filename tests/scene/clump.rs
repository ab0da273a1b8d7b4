//! Clumps of scenes.

use super::Scene;
use moreau::body::{BodyId, BodyRow};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::shape::Template;
use moreau::shape::clump::{Given, Part};

pub const DENSITY: f64 = 2500.0;

pub fn template(name: &str, parts: &[[f64; 4]]) -> Template {
    let part = |&[x, y, z, radius]: &[f64; 4]| Part {
        centre: Vector3::new(x, y, z),
        radius,
    };
    let parts: Vec<Part> = parts.iter().map(part).collect();
    Template::new(name, &parts, false, &Given::default()).unwrap()
}

/// Two balls whose centres lie a radius apart, along x.
pub fn dumbbell() -> Template {
    template("dumbbell", &[[-0.5, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0]])
}

pub fn tetrahedron() -> Template {
    let s = 0.6;
    let corners = [
        [s, s, s, 1.0],
        [s, -s, -s, 0.8],
        [-s, s, -s, 0.9],
        [-s, -s, s, 0.7],
    ];
    template("four", &corners)
}

/// `a b`: first turned by b, then by a.
pub fn product([a, b, c, d]: [f64; 4], [w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
}

impl Scene {
    /// A clump of a template, turned at random by its id.
    pub fn clump(&mut self, position: [f64; 3], radius: f64, number: u32) -> usize {
        let id = self.bodies.len() as u64;
        let template = &self.templates[number as usize];
        let mass = DENSITY * template.volume(radius);
        let mut row = BodyRow::clump(BodyId(id), position, radius, mass, (number, template));
        let mut draw = Stream::new(Purpose::Trial, 77, [id, 0, 0]);
        let mut q = [0; 4].map(|_| draw.between(-1.0, 1.0));
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.iter_mut().for_each(|x| *x /= norm);
        row.orientation = q;
        self.bodies.push(row);
        self.bodies.len() - 1
    }
}
