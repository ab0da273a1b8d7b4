//! The motion of walls.

use super::part::{Part, unit};
use super::turning;
use crate::body::{Drive, Freedom, Motion, Servo, Signal, Turning};
use crate::config::fault::Fault;
use crate::config::ramp;
use crate::config::reader::{Number, Range, Section, both, must};
use crate::math::Vector3;
use crate::shape::Surface;

const KEYS: [&str; 5] = ["velocity", "sine", "table", "free", "servo"];
const FREQUENCY: Number = Number(Range::Positive, "Hz");
const PHASE: Number = Number(Range::Finite, "rad");
const NEWTON: Number = Number(Range::Finite, "N");
const PASCAL: Number = Number(Range::Finite, "Pa");

/// Reads the motion of an entry with these parts.
pub(super) fn read(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> Motion {
    let given: Vec<&str> = KEYS
        .into_iter()
        .filter(|key| section.get(key).is_some())
        .collect();
    if let (true, Some(node)) = (
        given.len() > 1,
        given.get(1).and_then(|key| section.get(key)),
    ) {
        let found = format!("{} and {}", given[0], given[1]);
        must(node, &format!("one of {}", KEYS.join(", ")), &found, faults);
    }
    let driven = !matches!(given.first(), Some(&"free" | &"servo"));
    if let (false, true, Some(node)) = (
        driven,
        parts.len() > 1,
        given.first().and_then(|key| section.get(key)),
    ) {
        let accepted = "velocity, sine, table or rotation at a wall of several parts";
        let found = format!("{} at {} parts", given[0], parts.len());
        must(node, accepted, &found, faults);
    }
    if let (false, Some(node)) = (driven, section.get("rotation")) {
        both(node, [given[0], "rotation"], faults);
    }
    match given.first() {
        Some(&"free") => Motion::Free(free(section, parts, faults)),
        Some(&"servo") => Motion::Servo(servo(section, faults)),
        _ => {
            let translation = match given.first() {
                Some(&"velocity") => velocity(section, faults),
                Some(&"sine") => sine(section, faults),
                Some(&"table") => table(section, faults),
                _ => None,
            };
            let rotation = rotation(section, faults);
            let meshes = parts
                .iter()
                .filter(|part| matches!(part.surface, Surface::Mesh(_)));
            if rotation.is_some() && meshes.count() > 1 && section.get("centre").is_none() {
                let accepted = "the point [m] through which the axis of all parts passes";
                section.missing("centre", accepted, faults);
            }
            if translation.is_none() && rotation.is_none() {
                return Motion::Fixed;
            }
            Motion::Driven(Drive {
                translation,
                rotation,
            })
        }
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

fn sine(section: &Section, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    let known = ["direction", "amplitude", "frequency", "phase"];
    let sine = section.table("sine", &known, faults);
    Some((
        direction(&sine, "direction", faults),
        oscillation(&sine, "m", faults),
    ))
}

fn rotation(section: &Section, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    section.get("rotation")?;
    let known = ["axis", "rate", "amplitude", "frequency", "phase"];
    let rotation = section.table("rotation", &known, faults);
    let axis = direction(&rotation, "axis", faults);
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
    Some((axis, signal))
}

fn table(section: &Section, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    let table = section.table("table", &["direction", "file", "of"], faults);
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
        force,
        pressure: pressure.unwrap_or_default(),
        gain: servo.number("gain", Number(Range::Positive, "m/(s N)"), faults),
        top_speed: servo.number("top_speed", Number(Range::Positive, "m/s"), faults),
    }
}

/// Whether a motion stays in the plane z = 0.
pub(super) fn in_plane(motion: &Motion) -> bool {
    let flat = |v: &Vector3| v.z == 0.0;
    match motion {
        Motion::Fixed => true,
        Motion::Driven(drive) => {
            let shift = drive.translation.as_ref();
            let turn = drive.rotation.as_ref();
            shift.is_none_or(|(direction, _)| flat(direction))
                && turn.is_none_or(|(axis, _)| axis.x == 0.0 && axis.y == 0.0)
        }
        Motion::Free(free) => {
            let upright = match &free.turning {
                None => true,
                Some(Turning::Free { axes, .. }) => axes[1] == 0.0 && axes[2] == 0.0,
                Some(Turning::Hinged { axis, .. }) => axis.x == 0.0 && axis.y == 0.0,
            };
            free.direction.as_ref().is_none_or(flat) && flat(&free.load) && upright
        }
        Motion::Servo(servo) => flat(&servo.direction),
    }
}
