//! The scene of a picture.

use super::Link;
use crate::body::BodyRow;
use crate::math::Vector3;
use crate::shape::{Surface, Template};

/// The balls of the bodies of a scene.
#[derive(Clone, Copy, Debug)]
pub enum Balls<'a> {
    /// Those of the templates; a body without a template is one ball.
    Of(&'a [Template]),
    /// The place of the body among those of the scene, the centre and the radius of each ball [m].
    At(&'a [(usize, Vector3, f64)]),
}

/// The subject of a picture.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// Bodies in the order of their ids.
    pub bodies: &'a [BodyRow],
    /// Their balls.
    pub balls: Balls<'a>,
    /// The number of force-carrying contacts of each body; empty: not known.
    pub coordination: Vec<f64>,
    /// The mean normal stress of each body [Pa]; empty: not known.
    pub pressure: Vec<f64>,
    /// Contacts that carry a force.
    pub links: Vec<Link>,
    /// Surfaces of walls at their present positions.
    pub surfaces: &'a [Surface],
    /// For each wall with a mesh the quantity of its triangles that the colours show, for others
    /// nothing; empty: not known.
    pub worn: Vec<Vec<f64>>,
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

impl Scene<'_> {
    /// The balls: the place of the body, the centre, the radius [m].
    pub(super) fn each_ball(&self, mut take: impl FnMut(usize, &Vector3, f64)) {
        match self.balls {
            Balls::Of(templates) => {
                for (k, body) in self.bodies.iter().enumerate() {
                    body.balls(templates)
                        .for_each(|ball| take(k, &ball.centre, ball.radius));
                }
            }
            Balls::At(balls) => balls
                .iter()
                .for_each(|(k, centre, radius)| take(*k, centre, *radius)),
        }
    }
}
