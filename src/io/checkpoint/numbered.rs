//! Walls, flows and supports in a checkpoint, with their numbers.
//!
//! In memory the number of a wall or a flow is its index in a list; in the file it is a dataset.

use super::layout::{Column, Layout, Record, Values};
use crate::body::{Anchor, BodyId};
use crate::io::WallRow;
use crate::io::hdf::Element;
use crate::measure::Flow;

/// A wall with its id, which in memory is its index in the list of walls.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberedWall {
    pub(super) id: u64,
    pub(super) wall: WallRow,
}

/// The walls with their ids.
pub(super) fn numbered(walls: &[WallRow]) -> Vec<NumberedWall> {
    let id = |index| BodyId::wall(index).0;
    walls
        .iter()
        .enumerate()
        .map(|(index, &wall)| NumberedWall {
            id: id(index),
            wall,
        })
        .collect()
}

impl Record for NumberedWall {
    const GROUP: &'static str = "/walls";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/walls/id",
            unit: "1",
            description: "id of the wall, shared with no body: 2^63 + its number in the configuration",
            values: Values::Whole(Element::U64, 1, |row, _| row.id, |row, _, id| row.id = id),
        },
        Column {
            path: "/walls/displacement",
            unit: "m",
            description: "displacement of the wall's centre since time zero, global frame",
            values: Values::Real(3, |row| &mut row.wall.displacement),
        },
        Column {
            path: "/walls/orientation",
            unit: "1",
            description: "unit quaternion w, x, y, z by which the wall has turned since time zero",
            values: Values::Real(4, |row| &mut row.wall.orientation),
        },
        Column {
            path: "/walls/velocity",
            unit: "m/s",
            description: "velocity of the wall's centre in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.velocity),
        },
        Column {
            path: "/walls/angular_velocity",
            unit: "rad/s",
            description: "angular velocity of the wall in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.angular_velocity),
        },
        Column {
            path: "/walls/material",
            unit: "1",
            description: "number of the material in the configuration, from 0",
            values: Values::Whole(
                Element::U16,
                1,
                |row, _| row.wall.material.into(),
                |row, _, of| row.wall.material = of as u32,
            ),
        },
        Column {
            path: "/walls/impulse",
            unit: "N s",
            description: "impulse of the bodies on the wall in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.impulse),
        },
        Column {
            path: "/walls/couple_impulse",
            unit: "N m s",
            description: "couple impulse of the bodies on the wall about its centre in the last step, global frame",
            values: Values::Real(3, |row| &mut row.wall.couple_impulse),
        },
        Column {
            path: "/walls/reference_displacement",
            unit: "m",
            description: "displacement when the plan of contacts was made, global frame",
            values: Values::Real(3, |row| &mut row.wall.reference_displacement),
        },
        Column {
            path: "/walls/reference_orientation",
            unit: "1",
            description: "orientation when the plan of contacts was made; 0, 0, 0, 0: without a plan",
            values: Values::Real(4, |row| &mut row.wall.reference_orientation),
        },
        Column {
            path: "/walls/allowance",
            unit: "m",
            description: "distance by which the surface may move from its reference until the next plan of contacts",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.wall.allowance)),
        },
        Column {
            path: "/walls/motion_time",
            unit: "s",
            description: "time from which the wall's prescribed motion counts",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.wall.motion_time)),
        },
        Column {
            path: "/walls/motion_displacement",
            unit: "m",
            description: "displacement when the prescribed motion began, global frame",
            values: Values::Real(3, |row| &mut row.wall.motion_displacement),
        },
        Column {
            path: "/walls/motion_orientation",
            unit: "1",
            description: "orientation when the prescribed motion began; 0, 0, 0, 0: it counts from time zero",
            values: Values::Real(4, |row| &mut row.wall.motion_orientation),
        },
        Column {
            path: "/walls/axis_displacement",
            unit: "m",
            description: "displacement when the wall's hinge or turning servo began, global frame",
            values: Values::Real(3, |row| &mut row.wall.axis_displacement),
        },
        Column {
            path: "/walls/axis_orientation",
            unit: "1",
            description: "orientation when the wall's hinge or turning servo began; 0, 0, 0, 0: at time zero",
            values: Values::Real(4, |row| &mut row.wall.axis_orientation),
        },
    ];

    fn blank() -> Self {
        Self::default()
    }

    fn name(&self) -> String {
        BodyId(self.id).to_string()
    }
}

/// A flow with its number: the bodies that entered by an inlet or left by an outlet.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberedFlow {
    pub(super) number: u64,
    pub(super) flow: Flow,
}

/// The flows with their numbers.
pub(super) fn numbered_flows(flows: &[Flow]) -> Vec<NumberedFlow> {
    let each = flows.iter().zip(0..);
    each.map(|(&flow, number)| NumberedFlow { number, flow })
        .collect()
}

impl Record for NumberedFlow {
    const GROUP: &'static str = "/flows";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/flows/number",
            unit: "1",
            description: "inlets in the order of the configuration, then outlets, from 0",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.number,
                |row, _, number| row.number = number,
            ),
        },
        Column {
            path: "/flows/bodies",
            unit: "1",
            description: "bodies that have entered, or left",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.flow.bodies,
                |row, _, bodies| row.flow.bodies = bodies,
            ),
        },
        Column {
            path: "/flows/mass",
            unit: "kg",
            description: "their mass",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.flow.mass)),
        },
        Column {
            path: "/flows/waiting",
            unit: "1",
            description: "bodies that were due at the last attempt to insert bodies and found no free space",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.flow.waiting,
                |row, _, waiting| row.flow.waiting = waiting,
            ),
        },
    ];

    fn blank() -> Self {
        Self::default()
    }

    fn name(&self) -> String {
        format!("flow {}", self.number)
    }
}

impl Record for Anchor {
    const GROUP: &'static str = "/supports";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/supports/body",
            unit: "1",
            description: "id of a body that a support holds; ascending",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.body.0,
                |row, _, id| row.body = BodyId(id),
            ),
        },
        Column {
            path: "/supports/support",
            unit: "1",
            description: "number of the support in the configuration, from 0",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.support,
                |row, _, number| row.support = number,
            ),
        },
        Column {
            path: "/supports/position",
            unit: "m",
            description: "centre of mass at which the support exerts no force, periods included, global frame",
            values: Values::Real(3, |row| &mut row.position),
        },
        Column {
            path: "/supports/orientation",
            unit: "1",
            description: "unit quaternion w, x, y, z at which the support exerts no couple",
            values: Values::Real(4, |row| &mut row.orientation),
        },
    ];

    fn is_in(layout: Layout) -> bool {
        layout.supports
    }

    fn blank() -> Self {
        Self::default()
    }

    fn name(&self) -> String {
        format!("support {} of body {}", self.support, self.body)
    }
}
