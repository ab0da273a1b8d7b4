//! The arrays of bodies in frames.

use super::field::Field;
use super::frame::Array;
use super::gather::{self, Ordered, Owned};
use super::kind::Kind;
use super::layout::Form;
use super::settings::{Precision, Settings};
use crate::comm::Comm;
use crate::io::hdf::Element;
use crate::shape::Template;

/// The rows of this rank, the number of all rows, and the rows of a chunk.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) first: u64,
    pub(super) total: u64,
    pub(super) chunk: u64,
    pub(super) precision: Precision,
}

impl Rows {
    /// Real numbers: `of` gives those of one row after the other.
    ///
    /// # Errors
    /// If one is not finite, or too large for 32 bits.
    pub(super) fn real<const N: usize>(
        self,
        about: (&str, &str, &str),
        rows: impl Iterator<Item = [f64; N]>,
    ) -> Result<Array, String> {
        let element = match self.precision {
            Precision::Single => Element::F32,
            Precision::Double => Element::F64,
        };
        let mut bytes = Vec::new();
        for x in rows.flatten() {
            let narrow = x as f32;
            if !x.is_finite() || element == Element::F32 && !narrow.is_finite() {
                return Err(format!("{}: must be finite; found {x}", about.0));
            }
            match element {
                Element::F32 => bytes.extend_from_slice(&narrow.to_le_bytes()),
                _ => bytes.extend_from_slice(&x.to_le_bytes()),
            }
        }
        Ok(self.array(about, element, N, bytes))
    }

    /// Whole numbers, likewise: `of` gives those of one row after the other.
    ///
    /// # Errors
    /// If one is too large for the element.
    pub(super) fn whole<const N: usize>(
        self,
        about: (&str, &str, &str),
        element: Element,
        rows: impl Iterator<Item = [u64; N]>,
    ) -> Result<Array, String> {
        let mut bytes = Vec::new();
        for number in rows.flatten() {
            let wide = number.to_le_bytes();
            let (kept, cut) = wide.split_at(element.bytes());
            if cut.iter().any(|&b| b != 0) {
                return Err(format!(
                    "{}: must fit {} bytes; found {number}",
                    about.0,
                    element.bytes()
                ));
            }
            bytes.extend_from_slice(kept);
        }
        Ok(self.array(about, element, N, bytes))
    }

    fn array(
        self,
        (path, unit, description): (&str, &str, &str),
        element: Element,
        width: usize,
        bytes: Vec<u8>,
    ) -> Array {
        Array {
            path: path.to_owned(),
            form: Form {
                element,
                width,
                unit: unit.to_owned(),
                description: description.to_owned(),
            },
            rows: self.total,
            chunk: self.chunk,
            first: self.first,
            bytes,
        }
    }
}

/// The arrays of this rank's bodies. Collective.
pub(super) fn of_bodies(
    comm: &dyn Comm,
    ordered: &Ordered,
    settings: &Settings,
    templates: &[Template],
) -> Result<Vec<Array>, String> {
    let (total, chunk) = ordered.rows(Kind::Bodies);
    let rows = Rows {
        first: gather::part(total, comm.rank(), comm.size()).start,
        total,
        chunk,
        precision: settings.precision,
    };
    let counted = settings.fields.contains(&Field::Coordination);
    let coordination = match counted {
        true => gather::coordination(comm, ordered, !templates.is_empty()),
        false => Vec::new(),
    };
    let bodies = || ordered.bodies.iter();
    let clumps = !templates.is_empty();
    let ball = |b: &Owned| b.ball(templates);
    let centre = match clumps {
        true => "centre of a ball of a body",
        false => "centre of mass",
    };
    let place = ("Points", "m", centre);
    let mut arrays = vec![rows.real(place, bodies().map(|b| ball(b).0))?];
    if clumps {
        let about = "number of the ball in its body, from 0";
        let path = format!("{}/part", Kind::Bodies.group());
        let about = (path.as_str(), "1", about);
        arrays.push(rows.whole(about, Element::U16, bodies().map(|b| [b.part]))?);
        let about = "from the centre of mass of the body to the centre of the ball";
        let path = format!("{}/arm", Kind::Bodies.group());
        let arm = |b: &Owned| {
            let (centre, from) = (ball(b).0, b.row.position);
            [0, 1, 2].map(|k| centre[k] - from[k])
        };
        arrays.push(rows.real((path.as_str(), "m", about), bodies().map(arm))?);
    }
    for &field in &settings.fields {
        let (name, unit, description) = match clumps {
            true => field.about_clumps(),
            false => field.about(),
        };
        let path = format!("{}/{name}", Kind::Bodies.group());
        let about = (path.as_str(), unit, description);
        let whole = |element, of: fn(&Owned) -> u64| {
            rows.whole(about, element, bodies().map(|body| [of(body)]))
        };
        arrays.push(match field {
            Field::Velocity => rows.real(about, bodies().map(|b| ball(b).2)),
            Field::AngularVelocity => rows.real(about, bodies().map(|b| b.row.angular_velocity)),
            Field::Radius => rows.real(about, bodies().map(|b| [ball(b).1])),
            Field::Orientation => rows.real(about, bodies().map(|b| b.row.orientation)),
            Field::Mass => rows.real(about, bodies().map(|b| [b.row.mass])),
            Field::Id => whole(Element::U64, |b| b.row.id.0),
            Field::Material => whole(Element::U16, |b| b.row.material.into()),
            Field::Kind => whole(Element::U8, |b| b.row.kind.into()),
            Field::Rank => whole(Element::U32, |b| b.rank),
            Field::Coordination => {
                rows.whole(about, Element::U16, coordination.iter().map(|&n| [n]))
            }
        }?);
    }
    Ok(arrays)
}
