//! The motion of walls.

use super::part::{AXIS, Part, unit};
use super::turning::{self, HINGE, INERTIA as INERTIA_OF_ANY};
use crate::body::{Drive, Freedom, Motion, Pivot, Rotation, Servo, Signal, Turning};
use crate::config::document::{Node, Value};
use crate::config::fault::Fault;
use crate::config::key::{Key, List, Needed, Or, Preset, Three, Truth, Words};
use crate::config::ramp;
use crate::config::reader::{METRES, Number, Range, Section, both, must};
use crate::config::table::Table;
use crate::math::Vector3;
use crate::shape::Surface;

/// The keys of prescribed motions, which add up.
const DRIVES: [&str; 4] = [VELOCITY.name, SINE.name, TABLE.name, ROTATION.name];

pub(super) const VELOCITY: Key<Three, Preset<[f64; 3]>> = Key::new(
    "velocity",
    List(Number(Range::Finite, "m/s")),
    Preset([0.0; 3]),
    "constant velocity",
);
const DIRECTION: Key<Three, Needed> = Key::new(
    "direction",
    List(Number(Range::Finite, "")),
    Needed,
    "direction of the motion",
);
const AMPLITUDE: Key<Number, Needed> = Key::new(
    "amplitude",
    Number(Range::Finite, "m"),
    Needed,
    "amplitude: the displacement is `amplitude × (sin(2π frequency t + phase) − sin(phase))`",
);
const FREQUENCY: Key<Number, Needed> = Key::new(
    "frequency",
    Number(Range::Positive, "Hz"),
    Needed,
    "frequency",
);
const PHASE: Key<Number, Preset<f64>> = Key::new(
    "phase",
    Number(Range::Finite, "rad"),
    Preset(0.0),
    "phase at time zero",
);
/// A table that may stand in a list of several.
const OR_LIST: &str = "a table, or a list of tables";
pub(super) const SINE: Table = Table::new("sine", &[&DIRECTION, &AMPLITUDE, &FREQUENCY, &PHASE])
    .optional(["none", OR_LIST, "a sine along a direction"]);
const OF: Key<Words<bool>, Needed> = Key::new(
    "of",
    Words(&[("position", false), ("velocity", true)]),
    Needed,
    "the quantity in the file",
);
pub(super) const TABLE: Table = Table::new("table", &[&DIRECTION, &ramp::FILE, &OF]).optional([
    "none",
    OR_LIST,
    "a position or a velocity over time along a direction",
]);
const POINT: Key<Three, Or> =
    Key::new("point", List(METRES), Or("`centre`"), "a point of the axis");
const RATE: Key<Number, Or> = Key::new(
    "rate",
    Number(Range::Finite, "rad/s"),
    Or("—"),
    "constant rate",
);
const ANGLE: Key<Number, Needed> = Key::new(
    "amplitude",
    Number(Range::Finite, "rad"),
    Needed,
    "in place of `rate`: amplitude of a sine, with `frequency` and `phase`",
);
pub(super) const ROTATION: Table = Table::new(
    "rotation",
    &[&AXIS, &POINT, &RATE, &ANGLE, &FREQUENCY, &PHASE],
)
.optional([
    "none",
    OR_LIST,
    "a rotation, see [below](#motions-composed-of-several)",
]);
const MASS: Key<Number, Needed> = Key::new(
    "mass",
    Number(Range::Positive, "kg"),
    Needed,
    "mass of the wall",
);
const ONE_DIRECTION: Key<Three, Or> = Key::new(
    "direction",
    List(Number(Range::Finite, "")),
    Or("free in all directions"),
    "the wall moves along this direction and does not turn; a plane needs it",
);
/// Of a sphere.
const INERTIA: Key<Number, Or> = Key::new(
    INERTIA_OF_ANY.name,
    Number(Range::Positive, "kg m2"),
    Or("none"),
    "moment of inertia",
);
const LOAD: Key<Three, Preset<[f64; 3]>> =
    Key::new("load", List(NEWTON), Preset([0.0; 3]), "force on the wall");
const PRESSURE: Key<Number, Or> = Key::new(
    "pressure",
    Number(Range::Finite, "Pa"),
    Or("none"),
    "load on the present face of a plane, into its free side, in place of the force",
);
const GRAVITY: Key<Truth, Preset<bool>> = Key::new(
    "gravity",
    Truth,
    Preset(true),
    "whether gravity acts on the wall",
);
pub(super) const FREE: Table = Table::new(
    "free",
    &[
        &MASS,
        &ONE_DIRECTION,
        &INERTIA_OF_ANY,
        &HINGE,
        &LOAD,
        &PRESSURE,
        &GRAVITY,
        &ramp::FACTOR,
    ],
)
.optional(["none", "a table", "the wall moves by Newton's law"]);
const FORCE: Key<Number, Needed> = Key::new(
    "force",
    NEWTON,
    Needed,
    "force of the contacts on the wall that it seeks",
);
const GAIN: Key<Number, Needed> = Key::new(
    "gain",
    Number(Range::Positive, "m/(s N)"),
    Needed,
    "velocity per difference between the wanted and the present force",
);
const TOP_SPEED: Key<Number, Needed> = Key::new(
    "top_speed",
    Number(Range::Positive, "m/s"),
    Needed,
    "largest speed",
);
pub(super) const SERVO: Table =
    Table::new("servo", &[&DIRECTION, &FORCE, &PRESSURE, &GAIN, &TOP_SPEED]).optional([
        "none",
        "a table",
        "the wall follows a force",
    ]);
const TORQUE: Key<Number, Needed> = Key::new(
    "torque",
    Number(Range::Finite, "N m"),
    Needed,
    "torque of the contacts that it seeks",
);
const TURNING_GAIN: Key<Number, Needed> = Key::new(
    "gain",
    Number(Range::Positive, "rad/(s N m)"),
    Needed,
    "rate per difference between the wanted and the present torque",
);
const TOP_RATE: Key<Number, Needed> = Key::new(
    "top_speed",
    Number(Range::Positive, "rad/s"),
    Needed,
    "largest rate",
);
/// A servo about an axis.
pub(super) const TURNING_SERVO: Table =
    Table::new("servo", &[&AXIS, &POINT, &TORQUE, &TURNING_GAIN, &TOP_RATE]).optional([
        "none",
        "a table with `axis`",
        "the wall follows a torque about an axis",
    ]);
const NEWTON: Number = Number(Range::Finite, "N");

/// Reads the motion of an entry with these parts, and the axis about which it turns them.
pub(super) fn read(
    section: &Section,
    parts: &[Part],
    faults: &mut Vec<Fault>,
) -> (Motion, Option<Pivot>) {
    let mut given = [FREE.name, SERVO.name].into_iter();
    let Some(key) = given.find(|key| section.get(key).is_some()) else {
        return (driven(section, parts, faults), None);
    };
    for other in DRIVES.into_iter().chain(given) {
        if let Some(node) = section.get(other) {
            both(node, [key, other], faults);
        }
    }
    if let (true, Some(node)) = (parts.len() > 1, section.get(key)) {
        let accepted = "velocity, sine, table or rotation at walls of several parts, which shape = \
                        \"compound\" makes one";
        let found = format!("{key} at {} parts", parts.len());
        must(node, accepted, &found, faults);
    }
    match key {
        "free" => {
            let (free, pivot) = free(section, parts, faults);
            (Motion::Free(free), pivot)
        }
        _ => {
            let (servo, pivot) = servo(section, parts, faults);
            (Motion::Servo(servo), pivot)
        }
    }
}

/// A prescribed motion: the sum of all that the entry gives.
fn driven(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> Motion {
    let mut translations: Vec<(Vector3, Signal)> = Vec::new();
    translations.extend(velocity(section, faults));
    for node in each(section, SINE.name, faults) {
        translations.push(sine(node, faults));
    }
    for node in each(section, TABLE.name, faults) {
        translations.extend(table(node, faults));
    }
    let rotations = each(section, ROTATION.name, faults).into_iter();
    let rotations: Vec<Rotation> = rotations.map(|node| rotation(node, faults)).collect();
    let meshes = parts
        .iter()
        .filter(|part| matches!(part.surface, Surface::Mesh(_)));
    let about_centre = rotations.iter().any(|one| one.point.is_none());
    let has_several = meshes.count() > 1 || is_compound(parts);
    if about_centre && has_several && section.get("centre").is_none() {
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

/// Whether the part of an entry is a compound, whose centre is one of many.
fn is_compound(parts: &[Part]) -> bool {
    matches!(parts, [part] if matches!(part.surface, Surface::Compound(_)))
}

/// The table of a key, or the tables of its list.
fn each<'n>(section: &Section<'n>, key: &str, faults: &mut Vec<Fault>) -> Vec<&'n Node> {
    match section.get(key) {
        None => Vec::new(),
        Some(node) => match &node.value {
            Value::List(items) if items.is_empty() => {
                must(node, OR_LIST, "an empty list", faults);
                Vec::new()
            }
            Value::List(items) => items.iter().collect(),
            _ => vec![node],
        },
    }
}

fn velocity(section: &Section, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    let v = Vector3::from(section.read(&VELOCITY, faults));
    let speed = v.norm();
    (speed != 0.0).then(|| (v / speed, Signal::Rate(speed)))
}

/// A sine with this amplitude [m or rad].
fn oscillation(section: &Section, amplitude: f64, faults: &mut Vec<Fault>) -> Signal {
    Signal::Sine {
        amplitude,
        frequency: section.read(&FREQUENCY, faults),
        phase: section.read(&PHASE, faults),
    }
}

fn direction(section: &Section, key: &Key<Three, Needed>, faults: &mut Vec<Fault>) -> Vector3 {
    let v = section.read(key, faults);
    unit(section, key.name, v, "a direction", faults)
}

fn sine(node: &Node, faults: &mut Vec<Fault>) -> (Vector3, Signal) {
    let sine = Section::of(node, &[&SINE], faults);
    let direction = direction(&sine, &DIRECTION, faults);
    let amplitude = sine.read(&AMPLITUDE, faults);
    (direction, oscillation(&sine, amplitude, faults))
}

fn rotation(node: &Node, faults: &mut Vec<Fault>) -> Rotation {
    let rotation = Section::of(node, &[&ROTATION], faults);
    let axis = direction(&rotation, &AXIS, faults);
    let point = rotation.read(&POINT, faults);
    let signal = match rotation.read(&RATE, faults) {
        Some(rate) => {
            for key in [ANGLE.name, FREQUENCY.name, PHASE.name] {
                if let Some(node) = rotation.get(key) {
                    both(node, ["rate", "amplitude and frequency"], faults);
                }
            }
            Signal::Rate(rate)
        }
        None => {
            let amplitude = rotation.read(&ANGLE, faults);
            oscillation(&rotation, amplitude, faults)
        }
    };
    Rotation {
        axis,
        point: point.map(Vector3::from),
        signal,
    }
}

fn table(node: &Node, faults: &mut Vec<Fault>) -> Option<(Vector3, Signal)> {
    let table = Section::of(node, &[&TABLE], faults);
    let direction = direction(&table, &DIRECTION, faults);
    let rates = table.read(&OF, faults) == Some(true);
    let points = ramp::of_file(&table, faults)?;
    let signal = Signal::Table {
        times: points.times,
        values: points.values,
        rates,
    };
    Some((direction, signal))
}

/// Newton's law, and the axis of a hinge.
fn free(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> (Freedom, Option<Pivot>) {
    let free = section.declared(&FREE, faults);
    let mass = free.read(&MASS, faults);
    let along = free.read(&ONE_DIRECTION, faults);
    let along = along.map(|v| unit(&free, ONE_DIRECTION.name, v, "a direction", faults));
    let is = |of: fn(&Surface) -> bool| parts.iter().any(|part| of(&part.surface));
    let sphere = is(|s| matches!(s, Surface::Sphere { .. })) && free.get(HINGE.name).is_none();
    let plane = is(|s| matches!(s, Surface::Plane(_)));
    let inertia = match sphere {
        true => free.read(&INERTIA, faults),
        false => None,
    };
    let turning = turning::read(section, &free, (parts, mass), faults);
    let (turning, pivot) = turning.map_or((None, None), |(turning, pivot)| (Some(turning), pivot));
    let load = free.read(&LOAD, faults);
    let pressure = free.read(&PRESSURE, faults);
    if let (Some(_), Some(node)) = (free.get(LOAD.name), free.get(PRESSURE.name)) {
        both(node, [LOAD.name, PRESSURE.name], faults);
    }
    let gravity = free.read(&GRAVITY, faults);
    if let (true, true, Some(node)) = (sphere, along.is_some(), free.get(INERTIA.name)) {
        both(node, ["direction", "inertia"], faults);
    }
    if let (true, None, Some(node), 1) = (plane, along, section.get(FREE.name), parts.len()) {
        must(
            node,
            "mass and direction: a plane is free along one",
            "no direction",
            faults,
        );
    }
    let freedom = Freedom {
        mass,
        inertia,
        turning,
        direction: along,
        load: Vector3::from(load),
        pressure: pressure.unwrap_or_default(),
        gravity,
        factor: ramp::factor(&free, faults),
    };
    (freedom, pivot)
}

fn servo(section: &Section, parts: &[Part], faults: &mut Vec<Fault>) -> (Servo, Option<Pivot>) {
    let node = section.get(SERVO.name);
    let turns = node.and_then(|node| node.child(AXIS.name)).is_some();
    if turns {
        return turning_servo(section, parts, faults);
    }
    let servo = section.declared(&SERVO, faults);
    let pressure = servo.read(&PRESSURE, faults);
    let force = match (servo.get(PRESSURE.name), servo.get(FORCE.name)) {
        (Some(_), None) => 0.0,
        (Some(node), Some(_)) => {
            both(node, [FORCE.name, PRESSURE.name], faults);
            0.0
        }
        (None, _) => servo.read(&FORCE, faults),
    };
    let servo = Servo {
        direction: direction(&servo, &DIRECTION, faults),
        turns,
        force,
        pressure: pressure.unwrap_or_default(),
        gain: servo.read(&GAIN, faults),
        top_speed: servo.read(&TOP_SPEED, faults),
    };
    (servo, None)
}

/// A servo about an axis through its `point`, or the wall's centre.
fn turning_servo(
    section: &Section,
    parts: &[Part],
    faults: &mut Vec<Fault>,
) -> (Servo, Option<Pivot>) {
    let servo = section.declared(&TURNING_SERVO, faults);
    let point = servo.read(&POINT, faults);
    if is_compound(parts) && point.is_none() && section.get("centre").is_none() {
        let accepted = "the point [m] through which the axis passes";
        servo.missing(POINT.name, accepted, faults);
    }
    let axis = direction(&servo, &AXIS, faults);
    let pivot = point.map(|point| Pivot {
        point: point.into(),
        axis,
        mass: None,
        since: None,
    });
    let servo = Servo {
        direction: axis,
        turns: true,
        force: servo.read(&TORQUE, faults),
        pressure: 0.0,
        gain: servo.read(&TURNING_GAIN, faults),
        top_speed: servo.read(&TOP_RATE, faults),
    };
    (servo, pivot)
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
