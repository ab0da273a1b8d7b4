//! The opening of a contact: its local problem and its initial impulse in a step.

use super::bond::{self, Bond, Near};
use super::cohesion::{self, Cohesion};
use super::couples::Couples;
use super::damper::Damper;
use super::drive::Drive;
use super::hertz::Hertz;
use super::pivot::Pivot;
use super::restitution::{Approach, OUT_OF_REACH, Rebound};
use super::simple::{OpenedSimple, Simple};
use super::springs::softened;
use super::{Laws, Memory, Opened, Parameters, Parts, Sides, State, Step, Touching};
use crate::math::{Vector3, turned};

/// The local problem of a contact with Coulomb's law and springs, and whether it is complete.
///
/// If it is not, [`open_rest`] adds the other parts. It is a function of its own because most
/// contacts need no more.
#[inline(always)]
pub fn open(laws: &Laws, step: &Step, touching: &Touching) -> (Opened, bool) {
    let Touching {
        materials: [a, b],
        normal,
        gap,
        radii,
        drive,
        ..
    } = *touching;
    let pair = laws.pairs.between(a, b);
    let previous = touching.previous.as_ref();
    let slid = previous.is_some_and(|last| last.slid);
    let last = previous.map_or([normal.into(), [0.0; 3]], |last| {
        [*last.normal, *last.impulse]
    });
    // A wall is as compliant as a body of the same size.
    let other = if radii[1].is_finite() {
        radii[1]
    } else {
        radii[0]
    };
    let compliance = pair.compliance([radii[0], other]);
    let simple = Simple {
        normal: normal.into(),
        gap,
        masses: touching.masses,
        friction: pair.friction_of(slid),
        compliance: [compliance, pair.tangential_ratio],
        last,
    };
    let (
        OpenedSimple {
            law,
            springs,
            impulse,
        },
        springs_act,
    ) = match compliance {
        0.0 => (simple.open::<false>(step), false),
        _ => (simple.open::<true>(step), true),
    };
    let springs = springs_act.then_some(springs);
    let law = Parameters {
        normal,
        closing_speed: law.closing_speed,
        normal_mass: law.normal_mass,
        tangential_mass: law.tangential_mass,
        friction: law.friction,
    };
    let impulse = impulse.into();
    let opened = Opened {
        law,
        parts: Parts {
            springs,
            ..Parts::NONE
        },
        impulse,
        couple: Vector3::zeros(),
        memory: Memory::default(),
    };
    let suffices = laws.pairs.springs_at_most(a, b) && drive.is_none() && !laws.join();
    (opened, suffices)
}

/// Adds the parts that a contact has beyond springs, and its memory.
// Inlined, it would take registers from the many contacts that do not need it.
#[inline(never)]
pub fn open_rest(
    laws: &Laws,
    step: &Step,
    touching: &Touching,
    sides: &impl Sides,
    simple: &Opened,
) -> Opened {
    let Touching {
        materials: [a, b],
        normal,
        gap,
        radii,
        drive,
        ..
    } = *touching;
    let mut opened = *simple;
    let zero = Vector3::zeros();
    let drive = drive.unwrap_or([zero; 2]);
    let pair = laws.pairs.between(a, b);
    let previous = touching.previous.as_ref();
    let before = previous.map_or_else(State::default, |last| *last.state);
    let couple = previous.map_or(zero, |last| last.kept(last.couple, &normal, step));
    let mut joint = before.joint;
    if laws.join() {
        let pressed = opened.impulse.dot(&normal);
        let share;
        let near = Near {
            bodies: touching.bodies,
            materials: touching.materials,
            radii,
            centres: sides.centres(),
            gap,
        };
        (joint, share) = joint.made(&laws.bonds, step, &near, pressed);
        if let Some(glue) = joint.whole(&laws.bonds) {
            let mut law = opened.law;
            [law.normal_mass, law.tangential_mass] = touching.masses;
            let about = step.rotation(&(normal * sides.spin_before().dot(&normal)));
            let springs = simple.parts.springs.as_ref();
            let impulse = opened.impulse.into();
            let last = (&opened.impulse, &normal);
            let held = || match (springs, &pair.hertz) {
                (Some(springs), _) => springs.energy(&impulse, pressed),
                (None, Some(of)) => {
                    let hertz = Hertz::open(of, radii, step.dt, last);
                    match laws.pairs.damping(a, b) {
                        None => hertz.energy(&impulse, pressed),
                        Some(_) => hertz.energy_at(gap / step.dt, &impulse, pressed),
                    }
                }
                (None, None) => 0.0,
            };
            let start = bond::Start {
                glue,
                radii,
                stretch: gap - joint.rest,
                impulse: turned(about, &opened.impulse) * share,
                couple: turned(about, &couple) * share,
                replaced: (before.joint.glue == 0).then(held),
            };
            if let Some(parts) = Bond::open(&start, &mut law, step.dt, sides) {
                let drive = (drive != [zero; 2] || touching.stretches).then_some(drive);
                return Opened::glued(law, parts, &start, drive, joint);
            }
        }
    }
    let law = &mut opened.law;
    let parts = &mut opened.parts;
    let last = (&opened.impulse, &normal);
    parts.hertz = (pair.hertz.as_ref()).map(|of| Hertz::open(of, radii, step.dt, last));
    if parts.hertz.is_some() {
        law.closing_speed = gap / step.dt;
    }
    let rigid = parts.springs.is_none() && parts.hertz.is_none();
    let [mut velocity, mut spin] = drive;
    parts.couples = Couples::open(pair, radii, sides);
    if parts.couples.is_some() {
        opened.couple = couple;
        parts.pivot = Pivot::open(pair, step.dt, &couple);
    } else {
        spin = zero;
    }
    let smaller_radius = radii[0].min(radii[1]);
    let acts = cohesion::acts(pair, gap, smaller_radius, before.bonded == 1);
    if acts {
        let weakened = gap > 0.0 && rigid;
        if weakened {
            law.closing_speed = gap / step.dt;
        }
        parts.cohesion = Some(Cohesion {
            force: pair.cohesion * step.dt,
            weakened: f64::from(u8::from(weakened)),
        });
    }
    opened.memory = Memory::new(pair.cohesion > 0.0, acts, joint);
    if let (Some(springs), Some(damping)) = (&mut parts.springs, laws.pairs.damping(a, b)) {
        let ([mass, _], gamma) = (touching.masses, springs.softness[0]);
        if let Some(damped) = Damper::open(damping, gap / step.dt, mass, gamma) {
            springs.softness[0] = damped.softness;
            law.closing_speed = damped.closing_speed;
            law.normal_mass = softened(mass, damped.softness);
            parts.damper = Some(damped.damper);
        }
    }
    if let (Some(hertz), Some(damping)) = (&mut parts.hertz, laws.pairs.damping(a, b)) {
        let speed = sides.velocity_before().dot(&normal);
        let (mass, pressed) = (touching.masses[0], opened.impulse.dot(&normal) > 0.0);
        if let Some(damped) = hertz.dashpot(damping, [gap / step.dt, speed], mass, pressed) {
            law.closing_speed = damped.closing_speed;
            law.normal_mass = softened(mass, damped.softness);
            parts.damper = Some(damped.damper);
        }
    }
    // A soft contact without a dashpot collides like a rigid one where it carried nothing before.
    let fresh = parts.damper.is_none() && opened.impulse.dot(&normal) <= 0.0;
    if (rigid || fresh) && pair.bounces() {
        let rebound = Rebound::of(
            pair,
            &Approach {
                velocity: sides.velocity_before(),
                normal,
                gap,
                dt: step.dt,
                impulse: opened.impulse.dot(&normal),
                mass: touching.masses[0],
                radius: smaller_radius,
                fall: sides.fall(),
            },
        );
        match rebound {
            Rebound::Collides(collision) => {
                law.closing_speed = collision.closing_speed;
                velocity += collision.shift;
                if !rigid {
                    (parts.springs, parts.hertz) = (None, None);
                    [law.normal_mass, law.tangential_mass] = touching.masses;
                }
            }
            _ if !rigid => {}
            // Cohesion holds or pulls on a contact whatever its velocity.
            Rebound::LeftAlone if !acts => {
                law.closing_speed = OUT_OF_REACH;
                opened.impulse = zero;
                opened.couple = zero;
            }
            Rebound::LeftAlone | Rebound::Rests { .. } => {}
        }
        // Springs act on a contact that does not collide.
        if !acts && (rigid || matches!(rebound, Rebound::Collides(_))) {
            opened.memory.take(&rebound);
        }
    }
    if velocity != zero || spin != zero || touching.stretches {
        parts.drive = Some(Drive {
            velocity: velocity.into(),
            spin: spin.into(),
        });
    }
    opened
}
