//! The rotation of free walls of any form: `inertia` and `hinge` of `free`.

use super::part::{AXIS, Part, unit};
use crate::body::{HungMass, Pivot, Turning};
use crate::config::fault::Fault;
use crate::config::key::{Entry, Key, List, Needed, Or, Three};
use crate::config::reader::{METRES, Number, Range, Section, both, must, report};
use crate::config::table::Table;
use crate::math::{IDENTITY, Matrix3, Vector3};
use crate::shape::Surface;
use crate::shape::clump::principal::principal;

const POINT: Key<Three, Needed> = Key::new(
    "point",
    List(METRES),
    Needed,
    "a point of the axis, the centre of the wall in tables",
);
const CENTRE: Key<Three, Or> = Key::new("centre", List(METRES), Or("that of the part"), "centre");
pub(super) const HINGE: Table = Table::new("hinge", &[&POINT, &AXIS]).optional([
    "none",
    "a table",
    "the wall only turns about this axis",
]);
pub(super) const INERTIA: Entry = Entry::new(
    "inertia",
    "a number > 0 [kg m2] for a sphere without `hinge`, else 6 numbers [kg m2]",
    "of a closed mesh its own, for an even density; — with a `hinge`, and of other meshes without \
     `direction`; else the wall does not turn",
    "the moments about the centre of mass, xx, yy, zz, xy, xz, yz, at time zero",
);

/// The rotation of the wall of an entry with a table `free` and this mass [kg].
///
/// Without `inertia` it is that of a closed mesh, with an even density. With it comes the axis of a
/// hinge.
pub(super) fn read(
    section: &Section,
    free: &Section,
    (parts, mass): (&[Part], f64),
    faults: &mut Vec<Fault>,
) -> Option<(Turning, Option<Pivot>)> {
    let [part] = parts else {
        return None; // Refused elsewhere.
    };
    let before = faults.len();
    let solid = match &part.surface {
        Surface::Sphere { .. } if free.get(HINGE.name).is_none() => return None,
        Surface::Mesh(posed) => posed.mesh().solid(),
        _ => None,
    };
    let is_mesh = matches!(part.surface, Surface::Mesh(_));
    let hinge = free.get(HINGE.name).map(|_| hinge(free, faults));
    if free.get(INERTIA.name).is_none() && hinge.is_none() && !is_mesh {
        return None;
    }
    if let Some(node) = free.get("direction") {
        let other = [HINGE.name, INERTIA.name]
            .into_iter()
            .find(|key| free.get(key).is_some());
        if let Some(other) = other {
            both(node, ["direction", other], faults);
        }
        return None;
    }
    if let (Surface::Plane(_), Some(node)) = (
        &part.surface,
        free.get(HINGE.name).or(free.get(INERTIA.name)),
    ) {
        must(
            node,
            "left out: a plane does not turn freely",
            &node.shown,
            faults,
        );
        return None;
    }
    let (tensor, centre) = match (free.get(INERTIA.name), solid) {
        (Some(node), _) => {
            let number = Number(Range::Finite, "kg m2");
            let [xx, yy, zz, xy, xz, yz] = number.read_list(node, faults);
            let tensor = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let centre = section.read(&CENTRE, faults);
            if let (Surface::Compound(_), None) = (&part.surface, centre) {
                section.missing("centre", "the centre of mass of the wall [m]", faults);
            }
            (tensor, centre.map_or(part.centre, Vector3::from))
        }
        (None, Some(solid)) => {
            if let Some(node) = section.get("centre") {
                let accepted =
                    "left out without free.inertia: it is the centre of mass of the mesh";
                must(node, accepted, &node.shown, faults);
            }
            (solid.inertia * (mass / solid.volume), solid.centre)
        }
        (None, None) => {
            let accepted = "6 moments of inertia about the centre, xx, yy, zz, xy, xz, yz [kg m2], as the wall \
                            encloses no volume";
            free.missing(INERTIA.name, accepted, faults);
            return None;
        }
    };
    // Of a mass that is refused, a moment is not a number.
    if faults.len() > before || tensor.iter().any(|moment| moment.is_nan()) {
        return None;
    }
    let m = &tensor;
    let (moments, axes) = principal([m.m11, m.m22, m.m33, m.m12, m.m13, m.m23]);
    let sum: f64 = moments.iter().sum();
    let possible = |moment: &f64| *moment > 0.0 && 2.0 * moment <= sum * (1.0 + 1e-9);
    if !moments.iter().all(possible) {
        let found = moments.map(|moment| format!("{moment}")).join(", ");
        let message = format!(
            "must be those of a body: principal moments > 0, each at most the sum of the others; found {found} kg m2"
        );
        if let Some(node) = free.get(INERTIA.name).or(section.get("free")) {
            report(node, message, faults);
        }
        return None;
    }
    let Some((point, axis)) = hinge else {
        return Some((Turning::Free { moments, axes }, None));
    };
    let hung = HungMass {
        mass,
        inertia: tensor,
        centre,
    };
    let pivot = Pivot {
        point,
        axis,
        mass: Some(hung),
        since: None,
    };
    Some((hung.hinged(axis, &point, IDENTITY), Some(pivot)))
}

/// A point and the direction of the axis.
fn hinge(free: &Section, faults: &mut Vec<Fault>) -> (Vector3, Vector3) {
    let hinge = free.declared(&HINGE, faults);
    let point = Vector3::from(hinge.read(&POINT, faults));
    let axis = hinge.read(&AXIS, faults);
    (point, unit(&hinge, AXIS.name, axis, "a direction", faults))
}
