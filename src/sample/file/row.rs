//! One body of a file.

use super::lines::Cell;
use crate::body::{BodyKind, BodyRow};
use crate::sample::{Error, Named, Sample};
use std::path::Path;

/// One body of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// `None`: the file has none.
    pub(super) id: Option<u64>,
    pub(super) position: [f64; 3],
    pub(super) velocity: [f64; 3],
    pub(super) angular_velocity: [f64; 3],
    pub(super) radius: f64,
    /// `None`: that of the body's material.
    pub(super) density: Option<f64>,
    /// Number and density of its material; `None`: that of the sample.
    pub(super) material: Option<(u32, f64)>,
}

/// The id that two lines have, and these lines, of those whose second line comes first.
///
/// `sorted`: ids with their lines, in order.
pub(super) fn twice(sorted: impl Iterator<Item = (u64, u64)> + Clone) -> Option<(u64, [u64; 2])> {
    let pairs = sorted.clone().zip(sorted.skip(1));
    let twice = pairs.filter(|((a, _), (b, _))| a == b);
    let twice = twice.min_by_key(|(_, (_, line))| *line);
    twice.map(|((id, first), (_, line))| (id, [first, line]))
}

/// The error that two lines have the same id.
///
/// `accepted` is another remedy than to give each id once.
pub(super) fn not_once(
    path: &Path,
    (what, accepted): (&str, &str),
    id: u64,
    [first, line]: [u64; 2],
) -> Error {
    let message =
        format!("{what} {id} is there already, on line {first}; accepted: each id once{accepted}");
    Error::line(path, line, message)
}

/// Number and density of the material that a cell names.
pub(super) fn material(cell: Cell, named: &[Named]) -> Result<(u32, f64), Error> {
    let found = named.iter().find(|named| named.word == cell.text);
    found
        .map(|named| (named.material, named.density))
        .ok_or_else(|| {
            let words: Vec<&str> = named.iter().map(|named| named.word.as_str()).collect();
            cell.refuse(&format!("a word of materials: {}", words.join(", ")))
        })
}

impl Row {
    pub(super) fn body(&self, sample: &Sample, id: u64) -> BodyRow {
        let of_material = self.material.map_or(sample.density, |(_, density)| density);
        let density = self.density.unwrap_or(of_material);
        let mut body = sample.body(id, self.position, self.radius * sample.size, density);
        if let Some((material, _)) = self.material {
            body.material = material;
        }
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
