//! The parts of space that a measure can cover, and the axes of its profiles.

use crate::config::document::Node;
use crate::config::domain::Domain;
use crate::config::fault::Fault;
use crate::config::key::{Key, List, Names, Needed, Or, Three};
use crate::config::reader::{METRES, Section, must};
use crate::math::Vector3;
use crate::measure::{Axis, Window};
use crate::shape::Region;

pub(super) const AXIS: Key<Names, Or> = Key::new(
    "axis",
    Names(&["x", "y", "z", "r"]),
    Or("—"),
    "of `\"profile\"`; `\"r\"`: the distance from the vertical through `centre`",
);
pub(super) const CENTRE: Key<Three, Needed> = Key::new(
    "centre",
    List(METRES),
    Needed,
    "of `\"heap\"`, and of `\"profile\"` along r: a point of the vertical",
);

/// Whether a region can be measured; otherwise the reason is reported.
pub(super) fn measurable(
    node: &Node,
    region: &Region,
    domain: &Domain,
    faults: &mut Vec<Fault>,
) -> bool {
    let (lower, upper) = region.bounds();
    let mut refuse = |accepted: &str, found: &str| {
        let found = format!("{}, {found}", node.shown);
        must(node, accepted, &found, faults);
    };
    let period = |a: usize| domain.upper[a] - domain.lower[a];
    let wide = |a: usize| upper[a] - lower[a] > period(a) * (1.0 + 1e-9);
    let before = if let Region::HalfSpace(plane) = region {
        if (0..3).any(|a| domain.periodic[a] && plane.normal[a] != 0.0) {
            refuse("a box", "a half-space that ends on a periodic axis");
            return false;
        }
        plane.normal.z == 0.0
    } else {
        if let Some(a) = (0..3).find(|&a| domain.periodic[a] && wide(a)) {
            let length = period(a);
            let accepted = format!("at most as wide as the period, {length} [m] on axis {a}");
            refuse(&accepted, &format!("{} [m]", upper[a] - lower[a]));
            return false;
        }
        let along_z = match region {
            Region::Cylinder { axis, .. } => axis.z.abs() == 1.0,
            _ => true,
        };
        along_z && lower.z <= 0.0 && upper.z > 0.0
    };
    if domain.two_dimensional && !before {
        let accepted = "a rectangle, a circle or a half-plane where it meets the plane z = 0";
        refuse(accepted, "another shape");
        return false;
    }
    true
}

/// The axis of a profile, with bins of known volume.
pub(super) fn profile_axis(
    section: &Section,
    word: Option<&str>,
    window: &Window,
    region: Option<&Region>,
    domain: &Domain,
    (centre, up): (Option<Vector3>, Vector3),
    faults: &mut Vec<Fault>,
) -> Option<Axis> {
    section.need(AXIS.name, "\"x\", \"y\", \"z\", or \"r\"", faults);
    let node = section.get(AXIS.name)?;
    let flat = domain.two_dimensional;
    let upright = (0..3).find(|&a| up[a].abs() == 1.0);
    let (lower, upper) = window.bounds();
    let along = |axis: &Vector3, a: usize| axis[a].abs() == 1.0;
    let refuse = |accepted: &str, faults: &mut Vec<Fault>| {
        let found = format!(
            "{}, whose bins in this region have an unknown volume",
            node.shown
        );
        must(node, accepted, &found, faults);
        None
    };
    if let Some(a) = ["x", "y", "z"].iter().position(|w| Some(*w) == word) {
        return match region {
            _ if flat && a == 2 => refuse("x or y, in two dimensions", faults),
            None | Some(Region::Box { .. }) => Some(Axis::Along(a)),
            Some(Region::Cylinder { axis, .. }) if !flat && along(axis, a) => Some(Axis::Along(a)),
            Some(_) => refuse(
                "an axis of a box, of the domain, or of a cylinder along it",
                faults,
            ),
        };
    }
    let centre = centre?;
    let whole = "used in three dimensions, in a box or the domain with gravity along a coordinate axis, or in a cylinder about the vertical through centre";
    match region {
        _ if flat => refuse(whole, faults),
        Some(Region::Cylinder {
            from,
            axis,
            length,
            radius,
        }) => {
            let off = from - centre;
            let across = (off - up * off.dot(&up)).norm();
            if axis.cross(&up).norm() > 1e-12 || across > 1e-12 * radius {
                return refuse(whole, faults);
            }
            Some(Axis::From {
                centre,
                up,
                radius: *radius,
                length: *length,
            })
        }
        None | Some(Region::Box { .. }) => {
            let Some(vertical) = upright else {
                return refuse(whole, faults);
            };
            let room = |a: usize| (centre[a] - lower[a]).min(upper[a] - centre[a]);
            let radius = (0..3)
                .filter(|&a| a != vertical)
                .map(room)
                .fold(f64::INFINITY, f64::min);
            if radius <= 0.0 {
                let node = section.get(CENTRE.name)?;
                let accepted = "a point whose vertical passes through the region [m]";
                must(node, accepted, &node.shown, faults);
                return None;
            }
            let length = upper[vertical] - lower[vertical];
            Some(Axis::From {
                centre,
                up,
                radius,
                length,
            })
        }
        Some(_) => refuse(whole, faults),
    }
}
