//! The datasets of bodies and contacts in a checkpoint.

use super::layout::{Column, Record, Values};
use crate::body::BodyRow;
use crate::contact::ContactRow;
use crate::io::hdf::Element;
use crate::law::{Dataset, State};

impl Record for BodyRow {
    const GROUP: &'static str = "/bodies";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/bodies/id",
            unit: "1",
            description: "number of the body, which never changes; ascending",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.id.0,
                |row, _, id| row.id.0 = id,
            ),
        },
        Column {
            path: "/bodies/position",
            unit: "m",
            description: "centre of mass, global frame",
            values: Values::Real(3, |row| &mut row.position),
        },
        Column {
            path: "/bodies/velocity",
            unit: "m/s",
            description: "velocity of the centre of mass, global frame",
            values: Values::Real(3, |row| &mut row.velocity),
        },
        Column {
            path: "/bodies/orientation",
            unit: "1",
            description: "unit quaternion w, x, y, z that turns the body frame into the global frame",
            values: Values::Real(4, |row| &mut row.orientation),
        },
        Column {
            path: "/bodies/angular_velocity",
            unit: "rad/s",
            description: "angular velocity, global frame",
            values: Values::Real(3, |row| &mut row.angular_velocity),
        },
        Column {
            path: "/bodies/radius",
            unit: "m",
            description: "radius",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.radius)),
        },
        Column {
            path: "/bodies/mass",
            unit: "kg",
            description: "mass",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.mass)),
        },
        Column {
            path: "/bodies/inertia",
            unit: "kg m2",
            description: "moment of inertia about any axis through the centre",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.inertia)),
        },
        Column {
            path: "/bodies/image",
            unit: "1",
            description: "periods that the body has crossed along each axis: its unwrapped position is position + image * period",
            values: Values::Whole(
                Element::I64,
                3,
                |row, k| row.image[k] as u64,
                |row, k, of| row.image[k] = of as i64,
            ),
        },
        Column {
            path: "/bodies/material",
            unit: "1",
            description: "number of the material in the configuration, from 0",
            values: Values::Whole(
                Element::U16,
                1,
                |row, _| row.material.into(),
                |row, _, of| row.material = of as u32,
            ),
        },
        Column {
            path: "/bodies/kind",
            unit: "1",
            description: "0: free, 1: fixed, 2: moves with a given velocity, 3: free, but held by a region",
            values: Values::Whole(
                Element::U8,
                1,
                |row, _| row.kind.into(),
                |row, _, kind| row.kind = kind as u32,
            ),
        },
        Column {
            path: "/bodies/reference_position",
            unit: "m",
            description: "centre of mass when the plan of contacts was made, global frame",
            values: Values::Real(3, |row| &mut row.reference.position),
        },
        Column {
            path: "/bodies/reference_radius",
            unit: "m",
            description: "radius when the plan of contacts was made",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.reference.radius)),
        },
        Column {
            path: "/bodies/reference_kind",
            unit: "1",
            description: "one more than the kind when the plan of contacts was made; 0: not in the plan",
            values: Values::Whole(
                Element::U8,
                1,
                |row, _| row.reference.kind,
                |row, _, kind| row.reference.kind = kind,
            ),
        },
        Column {
            path: "/bodies/allowance",
            unit: "m",
            description: "distance by which the surface may move from its reference until the next plan of contacts",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.reference.allowance)),
        },
    ];

    const OF_CLUMPS: &'static [Column<Self>] = &[
        Column {
            path: "/bodies/shape",
            unit: "1",
            description: "0: a ball or disc, k: a clump of template k - 1 of the configuration",
            values: Values::Whole(
                Element::U32,
                1,
                |row, _| row.shape.into(),
                |row, _, shape| row.shape = shape as u32,
            ),
        },
        Column {
            path: "/bodies/angular_momentum",
            unit: "kg m2/s",
            description: "angular momentum of a clump about its centre of mass, global frame; 0 of balls",
            values: Values::Real(3, |row| &mut row.angular_momentum),
        },
        Column {
            path: "/bodies/reference_orientation",
            unit: "1",
            description: "orientation of a clump when the plan of contacts was made; 1, 0, 0, 0 of balls",
            values: Values::Real(4, |row| &mut row.reference.orientation),
        },
    ];

    fn blank() -> Self {
        bytemuck::Zeroable::zeroed()
    }

    fn name(&self) -> String {
        format!("body {}", self.id)
    }
}

impl Record for ContactRow {
    const GROUP: &'static str = "/contacts";
    const STATE: &'static [Dataset<State>] = State::DATASETS;
    fn state(&mut self) -> Option<&mut State> {
        Some(&mut self.state)
    }
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/contacts/body",
            unit: "1",
            description: "ids of the two bodies (the second may be a wall), the smaller first; ascending",
            values: Values::Whole(
                Element::U64,
                2,
                |row, which| if which == 0 { row.key.a.0 } else { row.key.b.0 },
                |row, which, id| {
                    *(if which == 0 {
                        &mut row.key.a.0
                    } else {
                        &mut row.key.b.0
                    }) = id
                },
            ),
        },
        Column {
            path: "/contacts/feature",
            unit: "1",
            description: "number of the contact among those of the same two bodies: 0, or from the parts of clumps",
            values: Values::Whole(
                Element::U64,
                1,
                |row, _| row.key.feature,
                |row, _, of| row.key.feature = of,
            ),
        },
        Column {
            path: "/contacts/point",
            unit: "m",
            description: "contact point, midway between the two surfaces, global frame",
            values: Values::Real(3, |row| &mut row.point),
        },
        Column {
            path: "/contacts/normal",
            unit: "1",
            description: "unit normal from the first body to the second, global frame",
            values: Values::Real(3, |row| &mut row.normal),
        },
        Column {
            path: "/contacts/gap",
            unit: "m",
            description: "distance between the surfaces at the start of the step, negative if they overlap",
            values: Values::Real(1, |row| std::slice::from_mut(&mut row.gap)),
        },
        Column {
            path: "/contacts/impulse",
            unit: "N s",
            description: "impulse on the second body in the last step, global frame",
            values: Values::Real(3, |row| &mut row.impulse),
        },
        Column {
            path: "/contacts/couple_impulse",
            unit: "N m s",
            description: "couple impulse on the second body in the last step, global frame",
            values: Values::Real(3, |row| &mut row.couple_impulse),
        },
        Column {
            path: "/contacts/status",
            unit: "1",
            description: "0: open, 1: sticking, 2: sliding",
            values: Values::Whole(
                Element::U8,
                1,
                |row, _| row.status,
                |row, _, status| row.status = status,
            ),
        },
    ];

    fn blank() -> Self {
        bytemuck::Zeroable::zeroed()
    }

    fn name(&self) -> String {
        format!("the contact of {} and {}", self.key.a, self.key.b)
    }
}
