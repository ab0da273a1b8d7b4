//! One body of a file.

use crate::body::{BodyKind, BodyRow};
use crate::sample::Sample;

/// One body of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) position: [f64; 3],
    pub(super) velocity: [f64; 3],
    pub(super) angular_velocity: [f64; 3],
    pub(super) radius: f64,
    /// `None`: that of the sample's material.
    pub(super) density: Option<f64>,
}

impl Row {
    pub(super) fn body(&self, sample: &Sample, id: u64) -> BodyRow {
        let density = self.density.unwrap_or(sample.density);
        let mut body = sample.body(id, self.position, self.radius * sample.size, density);
        if sample.kind != BodyKind::Fixed {
            for k in 0..3 {
                body.velocity[k] += self.velocity[k];
            }
            let mut spin = body.angular_velocity;
            for (of_body, of_row) in spin.iter_mut().zip(self.angular_velocity) {
                *of_body += of_row;
            }
            sample.turn(&mut body, spin);
        }
        body
    }
}
