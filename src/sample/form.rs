//! Bodies that are clumps of a template.

use crate::body::{BodyId, BodyRow};
use crate::math::Quaternion;
use crate::rng::{Purpose, Stream};
use crate::shape::Template;
use std::f64::consts::TAU;

/// The form of a sample's bodies, or of an inlet's.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// Number of the template in the configuration.
    pub number: u32,
    /// The template.
    pub template: Template,
    /// The run's seed, by which bodies are turned at random.
    pub seed: u64,
}

impl Form {
    /// A body of this form at rest, whose orientation is drawn by its id.
    ///
    /// `radius` is its bounding radius [m], and that in the end is larger by `1/size`; mass and
    /// moments are those in the end. The density is in kg/m³.
    pub(super) fn body(
        &self,
        id: u64,
        position: [f64; 3],
        (radius, size): (f64, f64),
        density: f64,
    ) -> BodyRow {
        let (template, full) = (&self.template, radius / size);
        let mass = density * template.volume(full);
        let clump = (self.number, template);
        BodyRow {
            orientation: self.orientation(id),
            radius,
            ..BodyRow::clump(BodyId(id), position, full, mass, clump)
        }
    }

    /// An orientation, all being equally likely (Shoemake's method); of discs turned about z.
    pub(super) fn orientation(&self, id: u64) -> Quaternion {
        let mut stream = Stream::new(Purpose::Orientation, self.seed, [id, 0, 0]);
        let [u, v, w] = [0; 3].map(|_| stream.unit());
        if self.template.discs() {
            let half = 0.5 * TAU * u;
            return [libm::cos(half), 0.0, 0.0, libm::sin(half)];
        }
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        let (v, w) = (TAU * v, TAU * w);
        [
            a * libm::sin(v),
            a * libm::cos(v),
            b * libm::sin(w),
            b * libm::cos(w),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Vector3, turned};
    use crate::shape::clump::{Given, Part};

    /// Axes of many bodies point everywhere alike: their mean vanishes and their mean squares are
    /// a third.
    #[test]
    fn orientations_are_uniform() {
        let part = |x: f64| Part {
            centre: Vector3::new(x, 0.0, 0.0),
            radius: 1.0,
        };
        let parts = [part(0.0), part(1.0)];
        let form = Form {
            number: 0,
            template: Template::new("pair", &parts, false, &Given::default()).unwrap(),
            seed: 3,
        };
        let n = 20_000;
        let (mut mean, mut square) = (Vector3::zeros(), Vector3::zeros());
        for id in 0..n {
            let q = form.orientation(id);
            assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
            let axis = turned(q, &Vector3::x());
            mean += axis / n as f64;
            square += axis.component_mul(&axis) / n as f64;
        }
        assert!(mean.norm() < 0.02, "{mean:?}");
        assert!(
            (square - Vector3::repeat(1.0 / 3.0)).norm() < 0.01,
            "{square:?}"
        );
        assert_eq!(form.orientation(5), form.orientation(5));
    }
}
