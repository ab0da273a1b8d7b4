//! The loads and the wear of the triangles of meshes.
//!
//! A contact counts for the triangle that is nearest to its point on the surface; of several at the
//! same distance, for the first. Sums are [`Fixed`], so that they depend neither on the order of
//! contacts nor on ranks.

use crate::contact::WallImpulse;
use crate::math::Fixed;
use crate::shape::Surface;
use bytemuck::{Pod, Zeroable};
use std::collections::BTreeMap;

/// A triangle: the number of its wall, and its number in the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Triangle {
    /// Number of the wall.
    pub wall: u64,
    /// Number in [`Mesh::triangles`](crate::shape::Mesh::triangles).
    pub number: u64,
}

/// The sums of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Worn {
    /// Normal impulses on it since [`Wear::since`] [N s]; those that pull are negative.
    pub normal_impulse: Fixed,
    /// Magnitudes of tangential impulses since then [N s].
    pub tangential_impulse: Fixed,
    /// Energy that its normal impulses took out at contacts since the start [J], also those that
    /// pull.
    pub impact: Fixed,
    /// Energy that friction took out at contacts since the start [J].
    pub sliding: Fixed,
}

/// A load or the wear of a triangle, by its place in [`Worn::over`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WearOf {
    /// Mean pressure [Pa].
    Pressure,
    /// Mean shear [Pa].
    Shear,
    /// Impact energy over the area [J/m²].
    Impact,
    /// Sliding work over the area [J/m²].
    Sliding,
}

impl WearOf {
    /// Whether it is a mean over a time, and not a total.
    #[must_use]
    pub fn is_mean(self) -> bool {
        matches!(self, Self::Pressure | Self::Shear)
    }
}

impl Worn {
    /// Mean pressure and shear [Pa], impact energy and sliding work over the area [J/m²].
    ///
    /// The triangle has this area [m²]; the impulses are those of this time [s]. Over no time the
    /// means are 0.
    #[must_use]
    pub fn over(&self, area: f64, time: f64) -> [f64; 4] {
        let mean = if time > 0.0 { 1.0 / time } else { 0.0 };
        let impulses = [self.normal_impulse, self.tangential_impulse];
        let [pressure, shear] = impulses.map(|sum| sum.value() * mean / area);
        let [impact, sliding] = [self.impact, self.sliding].map(|sum| sum.value() / area);
        [pressure, shear, impact, sliding]
    }
}

/// The sums of a triangle, with its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct WearRow {
    /// The triangle.
    pub triangle: Triangle,
    /// Its sums.
    pub worn: Worn,
}

/// The loads and the wear of triangles, as far as this rank's contacts made them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wear {
    /// The time from which the impulses are summed [s].
    pub since: f64,
    worn: BTreeMap<Triangle, Worn>,
}

impl Wear {
    /// The wear with these rows, of any rank.
    #[must_use]
    pub fn new(since: f64, rows: impl IntoIterator<Item = WearRow>) -> Self {
        let mut wear = Self {
            since,
            ..Self::default()
        };
        rows.into_iter().for_each(|row| wear.merge(&row));
        wear
    }

    /// Adds the sums of a row.
    pub fn merge(&mut self, row: &WearRow) {
        let sums = self.worn.entry(row.triangle).or_default();
        sums.normal_impulse.add(row.worn.normal_impulse);
        sums.tangential_impulse.add(row.worn.tangential_impulse);
        sums.impact.add(row.worn.impact);
        sums.sliding.add(row.worn.sliding);
    }

    /// Adds the impulses of a step on walls that have these surfaces; those on meshes count.
    pub fn take<'s>(
        &mut self,
        impulses: &[WallImpulse],
        surface: impl Fn(usize) -> Option<&'s Surface>,
    ) {
        for one in impulses {
            let touched = surface(one.wall).map(|surface| surface.part_at(one.feature));
            let Some(Surface::Mesh(mesh)) = touched else {
                continue;
            };
            let Some(number) = mesh.triangle_at(&one.point) else {
                continue;
            };
            let ([normal, tangential], [impact, sliding]) = (one.impulse, one.work);
            self.merge(&WearRow {
                triangle: Triangle {
                    wall: one.wall as u64,
                    number: number.into(),
                },
                worn: Worn {
                    normal_impulse: Fixed::new(normal),
                    tangential_impulse: Fixed::new(tangential),
                    impact: Fixed::new(impact),
                    sliding: Fixed::new(sliding),
                },
            });
        }
    }

    /// Begins to sum impulses anew at a time [s].
    pub fn renew(&mut self, time: f64) {
        self.since = time;
        for sums in self.worn.values_mut() {
            sums.normal_impulse = Fixed::default();
            sums.tangential_impulse = Fixed::default();
        }
    }

    /// The sums of this rank's triangles, by wall and number.
    pub fn rows(&self) -> impl Iterator<Item = WearRow> {
        let row = |(triangle, worn): (&Triangle, &Worn)| WearRow {
            triangle: *triangle,
            worn: *worn,
        };
        self.worn.iter().map(row)
    }
}
