//! The motion of walls.

use super::part::{Part, unit};
use super::turning;
use crate::body::{Drive, Freedom, Motion, Rotation, Servo, Signal, Turning};
use crate::config::document::{Node, Value};
use crate::config::fault::Fault;
use crate::config::ramp;
use crate::config::reader::{METRES, Number, Range, Section, both, must};
use crate::math::Vector3;
use crate::shape::Surface;

/// The keys of prescribed motions, which add up.
const DRIVES: [&str; 4] = ["velocity", "sine", "table", "rotation"];
const FREQUENCY: Number = Number(Range::Positive, "Hz");
const PHASE: Number = Number(Range::Finite, "rad");
const NEWTON: Number = Number(Range::Finite, "N");
const PASCAL: Number = Number(Range::Finite, "Pa");

/// Reads the motion of an entry with these parts.
pub(super) fn read(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> Motion {
    let mut given = ["free", "servo"].into_iter();
    let Some(key) = given.find(|key| section.get(key).is_some()) else {
        return driven(section, parts, faults);
    };
    for other in DRIVES.into_iter().chain(given) {
        if let Some(node) = section.get(other) {
            both(node, [key, other], faults);
        }
    }
    if let (true, Some(node)) = (parts.len() > 1, section.get(key)) {
        let accepted = "velocity, sine, table or rotation at a wall of several parts";
        let found = format!("{key} at {} parts", parts.len());
        must(node, accepted, &found, faults);
    }
    match key {
        "free" => Motion::Free(free(section, parts, faults)),
        _ => Motion::Servo(servo(section, faults)),
    }
}

/// A prescribed motion: the sum of all that the entry gives.
fn driven(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> Motion {
    let mut translations: Vec<(Vector3, Signal)> = Vec::new();
    translations.extend(velocity(section, faults));
    for node in each(section, "sine", faults) {
        translations.push(sine(node, faults));
    }
    for node in each(section, "table", faults) {
        translations.extend(table(node, faults));
    }
    let rotations = each(section, "rotation", faults).into_iter();
    let rotations: Vec<Rotation> = rotations.map(|node| rotation(node, faults)).collect();
    let meshes = parts
        .iter()
        .filter(|part| matches!(part.surface, Surface::Mesh(_)));
    let about_centre = rotations.iter().any(|one| one.point.is_none());
    if about_centre && meshes.count() > 1 && section.get("centre").is_none() {
        let accepted = "the point [m] through which the axis of all parts passes";
        section.missing("centre", accepted, faults);
    }
    if translations.is_empty() && rotations.is_empty() {
        return Motion::Fixed;
    }
    Motion::Driven(Drive {
        translations,
        rotations,
    })
}

/// The table of a key, or the tables of its list.
fn each<'n>(section: &Section<'n>, key: &str, faults: &mut Vec<Fault>) -> Vec<&'n Node> {
    match section.get(key) {
        None => Vec::new(),
        Some(node) => match &node.value {
            Value::List(items) if items.is_empty() => {
                must(
                    node,
                    "a table, or a list of tables",
                    "an empty list",
                    faults,
                );
                Vec::new()
            }
            Value::List(items) => items.iter().collect(),
            _ => vec![node],
        },
    }
}

fn velocity(section: &Section, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    let v = section.vector_if("velocity", Number(Range::Finite, "m/s"), faults)?;
    let v = Vector3::from(v);
    let speed = v.norm();
    (speed != 0.0).then(|| (v / speed, Signal::Rate(speed)))
}

fn oscillation(section: &Section, unit: &'static str, faults: &mut Vec<Fault>) -> Signal {
    Signal::Sine {
        amplitude: section.number("amplitude", Number(Range::Finite, unit), faults),
        frequency: section.number("frequency", FREQUENCY, faults),
        phase: section.number_if("phase", PHASE, faults).unwrap_or(0.0),
    }
}

fn direction(section: &Section, key: &str, faults: &mut Vec<Fault>) -> Vector3 {
    let v = section.vector(key, Number(Range::Finite, ""), faults);
    unit(section, key, v, "a direction", faults)
}

fn sine(node: &Node, faults: &mut Vec<Fault>) -> (Vector3, Signal) {
    let known = ["direction", "amplitude", "frequency", "phase"];
    let sine = Section::new(node, &known, faults);
    (
        direction(&sine, "direction", faults),
        oscillation(&sine, "m", faults),
    )
}

fn rotation(node: &Node, faults: &mut Vec<Fault>) -> Rotation {
    let known = ["axis", "point", "rate", "amplitude", "frequency", "phase"];
    let rotation = Section::new(node, &known, faults);
    let axis = direction(&rotation, "axis", faults);
    let point = rotation.vector_if("point", METRES, faults);
    let signal = match rotation.number_if("rate", Number(Range::Finite, "rad/s"), faults) {
        Some(rate) => {
            for key in ["amplitude", "frequency", "phase"] {
                if let Some(node) = rotation.get(key) {
                    both(node, ["rate", "amplitude and frequency"], faults);
                }
            }
            Signal::Rate(rate)
        }
        None => oscillation(&rotation, "rad", faults),
    };
    Rotation {
        axis,
        point: point.map(Vector3::from),
        signal,
    }
}

fn table(node: &Node, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    let table = Section::new(node, &["direction", "file", "of"], faults);
    let direction = direction(&table, "direction", faults);
    let of = table.choice("of", &["position", "velocity"], faults);
    let points = ramp::of_file(&table, faults)?;
    let signal = Signal::Table {
        times: points.times,
        values: points.values,
        rates: of == Some("velocity"),
    };
    Some((direction, signal))
}

fn free(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> Freedom {
    let known = [
        "mass",
        "direction",
        "inertia",
        "hinge",
        "load",
        "pressure",
        "gravity",
        "factor",
    ];
    let free = section.table("free", &known, faults);
    let mass = free.number("mass", Number(Range::Positive, "kg"), faults);
    let along = free
        .get("direction")
        .map(|_| direction(&free, "direction", faults));
    let is = |of: fn(&Surface) -> bool| parts.iter().any(|part| of(&part.surface));
    let sphere = is(|s| matches!(s, Surface::Sphere { .. })) && free.get("hinge").is_none();
    let plane = is(|s| matches!(s, Surface::Plane(_)));
    let inertia = match sphere {
        true => free.number_if("inertia", Number(Range::Positive, "kg m2"), faults),
        false => None,
    };
    let turning = turning::read(section, &free, (parts, mass), faults);
    let load = free.vector_if("load", NEWTON, faults).unwrap_or_default();
    let pressure = free.number_if("pressure", PASCAL, faults);
    if let (Some(_), Some(node)) = (free.get("load"), free.get("pressure")) {
        both(node, ["load", "pressure"], faults);
    }
    let gravity = free.truth_if("gravity", faults).unwrap_or(true);
    if let (true, true, Some(node)) = (sphere, along.is_some(), free.get("inertia")) {
        both(node, ["direction", "inertia"], faults);
    }
    if let (true, None, Some(node), 1) = (plane, along, section.get("free"), parts.len()) {
        must(
            node,
            "mass and direction: a plane is free along one",
            "no direction",
            faults,
        );
    }
    Freedom {
        mass,
        inertia,
        turning,
        direction: along,
        load: Vector3::from(load),
        pressure: pressure.unwrap_or_default(),
        gravity,
        factor: ramp::factor(&free, faults),
    }
}

fn servo(section: &Section, faults: &mut Vec<Fault>) -> Servo {
    let turns = section
        .get("servo")
        .and_then(|node| node.child("axis"))
        .is_some();
    if turns {
        return turning_servo(section, faults);
    }
    let known = ["direction", "force", "pressure", "gain", "top_speed"];
    let servo = section.table("servo", &known, faults);
    let pressure = servo.number_if("pressure", PASCAL, faults);
    let force = match (servo.get("pressure"), servo.get("force")) {
        (Some(_), None) => 0.0,
        (Some(node), Some(_)) => {
            both(node, ["force", "pressure"], faults);
            0.0
        }
        (None, _) => servo.number("force", NEWTON, faults),
    };
    Servo {
        direction: direction(&servo, "direction", faults),
        turns,
        force,
        pressure: pressure.unwrap_or_default(),
        gain: servo.number("gain", Number(Range::Positive, "m/(s N)"), faults),
        top_speed: servo.number("top_speed", Number(Range::Positive, "m/s"), faults),
    }
}

/// A servo about an axis; its `point` is the centre of the wall.
fn turning_servo(section: &Section, faults: &mut Vec<Fault>) -> Servo {
    let known = ["axis", "point", "torque", "gain", "top_speed"];
    let servo = section.table("servo", &known, faults);
    servo.vector_if("point", METRES, faults);
    if let (Some(node), Some(_)) = (servo.get("point"), section.get("centre")) {
        both(node, ["servo.point", "centre"], faults);
    }
    Servo {
        direction: direction(&servo, "axis", faults),
        turns: true,
        force: servo.number("torque", Number(Range::Finite, "N m"), faults),
        pressure: 0.0,
        gain: servo.number("gain", Number(Range::Positive, "rad/(s N m)"), faults),
        top_speed: servo.number("top_speed", Number(Range::Positive, "rad/s"), faults),
    }
}

/// Whether a motion stays in the plane z = 0.
pub(super) fn in_plane(motion: &Motion) -> bool {
    let flat = |v: &Vector3| v.z == 0.0;
    match motion {
        Motion::Fixed => true,
        Motion::Driven(drive) => {
            let mut shifts = drive.translations.iter();
            let mut turns = drive.rotations.iter();
            shifts.all(|(direction, _)| flat(direction))
                && turns.all(|one| one.axis.x == 0.0 && one.axis.y == 0.0)
        }
        Motion::Free(free) => {
            let upright = match &free.turning {
                None => true,
                Some(Turning::Free { axes, .. }) => axes[1] == 0.0 && axes[2] == 0.0,
                Some(Turning::Hinged { axis, .. }) => axis.x == 0.0 && axis.y == 0.0,
            };
            free.direction.as_ref().is_none_or(flat) && flat(&free.load) && upright
        }
        Motion::Servo(servo) => match servo.turns {
            true => servo.direction.x == 0.0 && servo.direction.y == 0.0,
            false => flat(&servo.direction),
        },
    }
}
