//! The loads and the wear of triangles in a checkpoint.
//!
//! Sums are whole numbers in units of 2⁻⁹⁰, so that a run that continues adds to the same bits.

use super::layout::{Column, Layout, Record, Values};
use crate::io::hdf::Element;
use crate::io::order::Keyed;
use crate::math::Fixed;
use crate::measure::{Triangle, WearRow};

impl Keyed for WearRow {
    type Key = Triangle;
    fn key(&self) -> Triangle {
        self.triangle
    }
}

/// The halves of a sum.
fn get(of: &Fixed, k: usize) -> u64 {
    of.halves()[k]
}

fn set(of: &mut Fixed, k: usize, half: u64) {
    let mut halves = of.halves();
    halves[k] = half;
    *of = Fixed::from_halves(halves);
}

impl Record for WearRow {
    const GROUP: &'static str = "/wear";
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            path: "/wear/triangle",
            unit: "1",
            description: "number of the wall, and of the triangle in its mesh; ascending",
            values: Values::Whole(
                Element::U64,
                2,
                |row, k| match k {
                    0 => row.triangle.wall,
                    _ => row.triangle.number,
                },
                |row, k, number| match k {
                    0 => row.triangle.wall = number,
                    _ => row.triangle.number = number,
                },
            ),
        },
        Column {
            path: "/wear/normal_impulse",
            unit: "2^-90 N s",
            description: "sum of normal impulses since wear_since: lower and upper half of its two's complement",
            values: Values::Whole(
                Element::U64,
                2,
                |row, k| get(&row.worn.normal_impulse, k),
                |row, k, half| set(&mut row.worn.normal_impulse, k, half),
            ),
        },
        Column {
            path: "/wear/tangential_impulse",
            unit: "2^-90 N s",
            description: "sum of the magnitudes of tangential impulses since wear_since, likewise",
            values: Values::Whole(
                Element::U64,
                2,
                |row, k| get(&row.worn.tangential_impulse, k),
                |row, k, half| set(&mut row.worn.tangential_impulse, k, half),
            ),
        },
        Column {
            path: "/wear/impact",
            unit: "2^-90 J",
            description: "energy that normal impulses took out at contacts, likewise",
            values: Values::Whole(
                Element::U64,
                2,
                |row, k| get(&row.worn.impact, k),
                |row, k, half| set(&mut row.worn.impact, k, half),
            ),
        },
        Column {
            path: "/wear/sliding",
            unit: "2^-90 J",
            description: "energy that friction took out at contacts, likewise",
            values: Values::Whole(
                Element::U64,
                2,
                |row, k| get(&row.worn.sliding, k),
                |row, k, half| set(&mut row.worn.sliding, k, half),
            ),
        },
    ];

    fn is_in(layout: Layout) -> bool {
        layout.wear
    }

    fn blank() -> Self {
        Self::default()
    }

    fn name(&self) -> String {
        let Triangle { wall, number } = self.triangle;
        format!("triangle {number} of wall {wall}")
    }
}
