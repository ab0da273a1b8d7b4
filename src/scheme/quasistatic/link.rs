//! A contact of an assembly: its geometry, its coefficients, and the force that it carries.

use super::unknowns::{Push, Shift, UNKNOWNS, numbers, shift};
use crate::contact::{ContactKey, ContactRow, Neighbours, Partner, Touch};
use crate::law::bond::Joint;
use crate::law::elastic::{CLOSED, Carried, Elastic, Motion, Passage, Tangent};
use crate::law::{State, Status};
use crate::math::{Vector3, turned_with};
use nalgebra::{Matrix6, Vector6};

#[cfg(test)]
mod tests;

/// Added to the status of a record within an increment: the contact carried a force at its start.
const CARRIED: u64 = 4;

/// Added as well: the record shows alone that the contact carried a force, should it close again.
const OPENED: u64 = 8;

/// The status of a record within an increment, and whether its contact carried a force at the
/// start.
pub(super) fn of_increment(status: u64) -> (u64, bool) {
    (status % CARRIED, status & CARRIED != 0)
}

/// Marks a contact that carries a force when an increment begins; returns whether it does.
pub(super) fn begin_of_increment(row: &mut ContactRow) -> bool {
    row.status = of_increment(row.status).0;
    let carries = row.status != Status::Open as u64;
    row.status += CARRIED * u64::from(carries);
    carries
}

/// Takes the marks away; returns whether the record lasts.
pub(super) fn end_of_increment(row: &mut ContactRow) -> bool {
    let lasts = row.status < OPENED;
    row.status = of_increment(row.status).0;
    lasts
}

/// A contact of an assembly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    /// Indices of its two sides.
    pub pair: Neighbours,
    /// The second side.
    pub partner: Partner,
    /// Radii [m]; infinite for walls.
    pub radii: [f64; 2],
    pub elastic: Elastic,
    pub joint: Joint,
    /// Unit normal from the first side to the second.
    pub normal: Vector3,
    /// Distance between the surfaces [m].
    pub gap: f64,
    /// The number of the contact among those of the same pair.
    pub feature: u64,
    pub carried: Carried,
    /// Whether it carried a force when the increment began.
    pub carried_before: bool,
}

impl Link {
    /// Whether it takes part in the stiffness: it is closed, or bonded.
    ///
    /// Contacts that only just touch take part: without their friction piles do not stand.
    pub(super) fn acts(&self) -> bool {
        self.elastic.glued || self.gap - self.elastic.rest <= CLOSED * self.smaller_radius()
    }

    /// Whether its record outlives the increment.
    pub(super) fn lasts(&self) -> bool {
        self.acts() || self.joint != Joint::default()
    }

    pub(super) fn smaller_radius(&self) -> f64 {
        self.radii[0].min(self.radii[1])
    }

    /// The arms of the contact point from the two centres [m]. A wall has its shift at the point.
    ///
    /// Both end in the point itself; with arms of the radii a rigid rotation would strain a
    /// contact with an overlap.
    pub(super) fn arms(&self) -> [Vector3; 2] {
        let n = &self.normal;
        let arm = |r: f64| {
            if r.is_finite() {
                r + 0.5 * self.gap
            } else {
                0.0
            }
        };
        [n * arm(self.radii[0]), n * -arm(self.radii[1])]
    }

    /// The vector from the first centre to the second [m], or to the contact point at a wall.
    pub(super) fn branch(&self) -> Vector3 {
        let [of_a, of_b] = self.arms();
        of_a - of_b
    }

    /// The motion of the second side against the first [004 §6.1.5].
    pub(super) fn motion(&self, [a, b]: [&Shift; 2]) -> Motion {
        let [of_a, of_b] = self.arms();
        Motion {
            slip: b.way + b.turn.cross(&of_b) - a.way - a.turn.cross(&of_a),
            turn: b.turn - a.turn,
            mean: (a.turn + b.turn) * 0.5,
        }
    }

    /// The same, if only one side moves.
    pub(super) fn motion_of_side(&self, side: usize, shift: &Shift) -> Motion {
        let way = shift.way + shift.turn.cross(&self.arms()[side]);
        let sign = if side == 0 { -1.0 } else { 1.0 };
        Motion {
            slip: way * sign,
            turn: shift.turn * sign,
            mean: shift.turn * 0.5,
        }
    }

    /// The motion of the second side against the first, while a strain of the cell moves them
    /// apart.
    pub(super) fn strained(&self, sides: [&Shift; 2], strain: &Vector3) -> Motion {
        let mut motion = self.motion(sides);
        if *strain != Vector3::zeros() {
            motion.slip += strain.component_mul(&self.branch());
        }
        motion
    }

    /// The pushes of a force and a couple of the contact on its two sides [004 §6.1.4].
    pub(super) fn pushes(&self, [force, couple]: &[Vector3; 2]) -> [Push; 2] {
        let [of_a, of_b] = self.arms();
        [
            Push {
                force: -force,
                moment: -of_a.cross(force) - couple,
            },
            Push {
                force: *force,
                moment: of_b.cross(force) + couple,
            },
        ]
    }

    /// The pushes of the force that it carries.
    pub(super) fn carries(&self) -> [Push; 2] {
        self.pushes(&[self.carried.force, self.carried.couple])
    }

    /// The force that holds one side back, by its own unknowns, the other side at rest.
    pub(super) fn block(&self, tangent: &Tangent, side: usize, radius: f64) -> Matrix6<f64> {
        self.coupling(tangent, [side; 2], [radius; 2])
    }

    /// The force that holds side `on` back, by the unknowns of side `by`, the other at rest.
    ///
    /// `ours` and `theirs` are the radii of the two [m].
    pub(super) fn coupling(
        &self,
        tangent: &Tangent,
        [on, by]: [usize; 2],
        [ours, theirs]: [f64; 2],
    ) -> Matrix6<f64> {
        let column = |unknown: usize| {
            let mut of = [0.0; UNKNOWNS];
            of[unknown] = 1.0;
            let (moved, still) = (shift(&of, theirs), Shift::default());
            let motion = match by {
                0 => self.motion([&moved, &still]),
                _ => self.motion([&still, &moved]),
            };
            let added = tangent.added(&motion.slip, &motion.turn);
            -Vector6::from(numbers(&self.pushes(&added)[on], ours))
        };
        Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(column))
    }

    /// Its resistance to a further motion.
    pub(super) fn tangent(&self, coulomb: bool) -> Tangent {
        (self.elastic).tangent(&self.carried, &self.normal, coulomb)
    }

    /// Follows a motion of its sides to its new touch.
    ///
    /// With `slips` a contact that closes slips from there on, for `(g₀ − g′)/(g − g′)` of the
    /// motion, g and g′ being the gaps before and after; else it first sticks without a force
    /// across its normal.
    pub(super) fn follow(
        &mut self,
        motion: impl FnOnce(&Self) -> Motion,
        touch: &Touch,
        slips: bool,
    ) {
        self.carried = if self.elastic.opens(touch.gap) {
            Carried::default()
        } else {
            let closes = (self.elastic.rest - touch.gap) / (self.gap - touch.gap);
            let passage = Passage {
                normals: [self.normal, touch.normal],
                gap: touch.gap,
                share: match self.acts() {
                    true => 1.0,
                    false if slips => closes,
                    false => 0.0,
                },
            };
            (self.elastic).moved(&self.carried, &motion(self), &passage)
        };
        (self.normal, self.gap) = (touch.normal, touch.gap);
    }

    /// Energy in its springs [J].
    pub(super) fn energy(&self) -> f64 {
        self.elastic.energy(&self.carried, &self.normal)
    }

    /// The record for a step of `dt` [s], with name and place [m].
    ///
    /// Within an increment it has the couple without its limits, as the increment goes on from it.
    pub(super) fn row(&self, (key, point): (ContactKey, Vector3), dt: f64) -> ContactRow {
        let Carried {
            force,
            tried,
            status,
            ..
        } = self.carried;
        ContactRow {
            key,
            point: point.into(),
            normal: self.normal.into(),
            gap: self.gap,
            impulse: (force * dt).into(),
            couple_impulse: (tried * dt).into(),
            // A contact that only touches is open to all measures.
            status: if force == Vector3::zeros() {
                Status::Open as u64
            } else {
                status as u64
            } + CARRIED * u64::from(self.carried_before)
                + OPENED * u64::from(!self.lasts()),
            state: State {
                bonded: 0,
                joint: self.joint,
            },
        }
    }

    /// Ends an increment: the next one goes on from the couple that limits leave.
    pub(super) fn settle(&mut self) {
        self.carried.tried = self.carried.couple;
    }

    /// Begins with the force of its gap.
    pub(super) fn begin(&mut self) {
        let pressed = self.elastic.normal(self.gap);
        if self.acts() {
            self.carried = Carried {
                force: self.normal * pressed,
                status: Status::Sticking,
                ..Carried::default()
            };
        }
    }

    /// Goes on without its bond, with coefficients of an unbonded contact: pressed by its gap, with
    /// as much of its shear force as friction holds.
    pub(super) fn release(&mut self) {
        let n = self.normal;
        let held = self.carried.force - n * self.carried.force.dot(&n);
        self.carried = Carried::default();
        self.begin();
        let bound = self.elastic.friction * self.carried.force.dot(&n);
        let size = held.norm();
        if bound > 0.0 && size > 0.0 {
            self.carried.force += held * (bound / size).min(1.0);
        }
    }

    /// Takes the force that the record of a step of `dt` [s] has, turned to the present normal.
    ///
    /// With `anew` it sticks, as all contacts do when an increment starts.
    pub(super) fn take(&mut self, row: &ContactRow, dt: f64, anew: bool) {
        let n = self.normal;
        let kept = |v: [f64; 3]| turned_with(&row.normal.into(), &n, &(Vector3::from(v) / dt));
        let force = kept(row.impulse);
        self.begin();
        if !self.acts() {
            return;
        }
        self.carried.force += force - n * force.dot(&n);
        let Carried { couple, tried, .. } = &mut self.carried;
        *tried = kept(row.couple_impulse);
        *couple = (self.elastic).couple(tried, self.elastic.normal(self.gap), &n);
        if anew {
            self.settle();
        } else if of_increment(row.status).0 == Status::Sliding as u64 {
            self.carried.status = Status::Sliding;
        }
    }
}
