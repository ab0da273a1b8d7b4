//! The arrays of contacts in frames.
//!
//! A contact is a line between the centres of two bodies, or from a body's centre to its contact
//! point on a wall.

use super::arrays::Rows;
use super::frame::Array;
use super::gather::{self, Name, Ordered, Place};
use super::kind::{Kind, Space};
use super::settings::Settings;
use crate::comm::Comm;
use crate::contact::ContactRow;
use crate::io::hdf::Element;
use crate::math::Vector3;
use crate::shape::{Period, Template};

/// The arrays of this rank's contacts, whose impulses acted in a step of `dt` [s]. Collective.
pub(super) fn of_contacts(
    comm: &dyn Comm,
    ordered: &Ordered,
    dt: f64,
    (space, templates): (&Space, &[Template]),
    settings: &Settings,
) -> Result<Vec<Array>, String> {
    let places = gather::places(comm, ordered, templates, dt)?;
    let period = space.period();
    let (total, chunk) = ordered.rows(Kind::Contacts);
    let first = gather::part(total, comm.rank(), comm.size()).start;
    let rows = Rows {
        first,
        total,
        chunk,
        precision: settings.precision,
    };
    let points = Rows {
        first: 2 * first,
        total: 2 * total,
        chunk: 2 * chunk,
        ..rows
    };
    let contacts = || ordered.contacts.iter();
    let place = |name: Name| {
        let at = places.binary_search_by_key(&name, |place| place.name).ok();
        at.map(|at| &places[at])
    };
    let ends = contacts().flat_map(|contact| {
        let [a, b] = gather::names(contact).map(place);
        // The bodies of all contacts were found above.
        let ends = a.map(|a| ends(contact, a, b, &period));
        ends.unwrap_or([[f64::NAN; 3]; 2])
    });
    let force = |contact: &ContactRow| forces(contact, dt);
    Ok(vec![
        points.real(("Points", "m", "ends of the lines"), ends)?,
        rows.whole(
            (
                "CellData/body",
                "1",
                "ids of the two bodies, the smaller first; a wall is 2^63 + its number",
            ),
            Element::U64,
            contacts().map(|c| [c.key.a.0, c.key.b.0]),
        )?,
        rows.real(
            (
                "CellData/normal_force",
                "N",
                "normal force, positive if it pushes the two apart",
            ),
            contacts().map(|c| [force(c).0]),
        )?,
        rows.real(
            (
                "CellData/tangential_force",
                "N",
                "magnitude of the tangential force",
            ),
            contacts().map(|c| [force(c).1]),
        )?,
        rows.real(
            (
                "CellData/gap",
                "m",
                "distance between the surfaces at the start of the step, negative if they overlap",
            ),
            contacts().map(|c| [c.gap]),
        )?,
        rows.whole(
            ("CellData/status", "1", "0: open, 1: sticking, 2: sliding"),
            Element::U8,
            contacts().map(|c| [c.status]),
        )?,
    ])
}

/// Normal force, and magnitude of the tangential force [N].
fn forces(contact: &ContactRow, dt: f64) -> (f64, f64) {
    let (impulse, normal) = (
        Vector3::from(contact.impulse),
        Vector3::from(contact.normal),
    );
    let along = impulse.dot(&normal);
    (along / dt, (impulse - normal * along).norm() / dt)
}

/// The ends of a contact's line.
///
/// The first is the centre of the first body. The second is the centre of the second body, in the
/// periodic image that touches the first, or the nearest point of a wall. Bodies have their
/// positions at the end of the step, contacts those at its start: so the image is the one in the
/// direction of the normal.
fn ends(contact: &ContactRow, a: &Place, b: Option<&Place>, period: &Period) -> [[f64; 3]; 2] {
    let (from, normal) = (Vector3::from(a.position), Vector3::from(contact.normal));
    let Some(b) = b else {
        let to = from + a.side().to_point(&normal, contact.gap);
        return [a.position, to.into()];
    };
    let mut expected = normal * (a.radius + contact.gap + b.radius);
    for (side, sign) in [(a.side(), 1.0), (b.side(), -1.0)] {
        expected += side.arm.map_or_else(Vector3::zeros, |arm| arm * sign);
    }
    let way = period.nearest(&(Vector3::from(b.position) - from), &expected);
    [a.position, (from + way).into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::contact::ContactKey;
    use crate::measure::Side;
    use bytemuck::Zeroable;

    fn contact(normal: [f64; 3], gap: f64) -> ContactRow {
        ContactRow {
            key: ContactKey {
                a: BodyId(1),
                b: BodyId(2),
                feature: 0,
            },
            normal,
            gap,
            ..ContactRow::zeroed()
        }
    }

    fn place(id: u64, position: [f64; 3]) -> Place {
        let name = Name {
            body: BodyId(id),
            part: 0,
        };
        Place::new(name, position, &Side::ball(0.5))
    }

    /// Across a periodic face the line goes to the image that is touched.
    ///
    /// This holds also where a period is hardly wider than two bodies, which then touch on both
    /// sides.
    #[test]
    fn lines_go_to_the_image_that_is_touched() {
        let upper = Vector3::new(10.0, 2.0, 10.0);
        let period = Period::of_box(&Vector3::zeros(), &upper, [true, true, false]);
        let (a, b) = (place(1, [0.2, 1.0, 5.0]), place(2, [9.3, 1.0, 5.0]));
        let line = ends(&contact([-1.0, 0.0, 0.0], -0.1), &a, Some(&b), &period);
        assert_eq!(line[0], a.position);
        assert!((line[1][0] + 0.7).abs() < 1e-12 && line[1][1] == 1.0 && line[1][2] == 5.0);
        let (a, b) = (place(1, [5.0, 0.5, 5.0]), place(2, [5.0, 1.5, 5.0]));
        let up = ends(&contact([0.0, 1.0, 0.0], 0.0), &a, Some(&b), &period);
        let down = ends(&contact([0.0, -1.0, 0.0], 0.0), &a, Some(&b), &period);
        assert_eq!((up[1], down[1]), ([5.0, 1.5, 5.0], [5.0, -0.5, 5.0]));
        let wall = ends(&contact([0.0, 0.0, -1.0], -0.02), &a, None, &period);
        assert!((wall[1][2] - 4.51).abs() < 1e-12);
    }

    #[test]
    fn forces_are_impulses_over_the_step() {
        let mut c = contact([0.0, 0.6, 0.8], 0.0);
        c.impulse = [0.03, 0.6 * 0.2, 0.8 * 0.2];
        let (normal, tangential) = forces(&c, 0.01);
        assert!((normal - 20.0).abs() < 1e-12 && (tangential - 3.0).abs() < 1e-12);
    }
}
