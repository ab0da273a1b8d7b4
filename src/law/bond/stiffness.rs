//! The stiffnesses of a bond: given one by one, or those of a round section.

use std::f64::consts::PI;

/// One number for each direction: along, across, bending and twist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Four {
    /// Along the normal: stiffness [N/m], strength in tension [N].
    pub normal: f64,
    /// Across the normal: stiffness [N/m], strength in shear [N].
    pub tangential: f64,
    /// About the tangents: stiffness [N m/rad], strength [N m].
    pub bending: f64,
    /// About the normal: stiffness [N m/rad], strength [N m].
    pub twisting: f64,
}

/// The radius of the section of a bond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Radius {
    /// A length [m].
    Length(f64),
    /// A multiple of the smaller of the two radii; at a wall, of the body's radius.
    OfSmaller(f64),
}

impl Radius {
    /// The radius R [m] between bodies of these radii [m]; that of a wall is infinite.
    #[must_use]
    pub fn of(self, radii: [f64; 2]) -> f64 {
        match self {
            Self::Length(length) => length,
            Self::OfSmaller(ratio) => ratio * radii[0].min(radii[1]),
        }
    }
}

/// A round section, in two dimensions as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Section {
    /// Radius R [m].
    pub radius: f64,
    /// Area A = π R² [m²].
    pub area: f64,
    /// Second moment of area I = π R⁴/4 [m⁴]; the polar one is J = 2 I.
    pub second_moment: f64,
}

impl Section {
    pub(super) fn of(radius: f64) -> Self {
        let area = PI * radius * radius;
        Self {
            radius,
            area,
            second_moment: 0.25 * area * radius * radius,
        }
    }
}

/// The stiffnesses of a bond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// All four, the same whatever the size of the bodies.
    Given(Four),
    /// Those of a beam from centre to centre.
    Beam(Beam),
    /// Those of a layer of springs between the surfaces.
    Parallel(Parallel),
}

/// A beam of a round section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Young's modulus E [Pa].
    pub young: f64,
    /// Shear modulus G [Pa].
    pub shear: f64,
    /// Radius R of its section.
    pub radius: Radius,
}

/// A parallel bond: springs spread evenly over a round section [Potyondy and Cundall 2004].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parallel {
    /// Normal stiffness per area k̄_n [Pa/m].
    pub normal: f64,
    /// Tangential stiffness per area k̄_s [Pa/m].
    pub tangential: f64,
    /// Radius R of its section.
    pub radius: Radius,
}

impl Stiffness {
    /// The stiffnesses of a bond between bodies of these radii [m]; that of a wall is infinite.
    ///
    /// `A = π R²`, `I = π R⁴/4`. Those of a beam are `E A/L`, `G A/L`, `E I/L` and `2 G I/L`, its
    /// length L [m] being the sum of the two radii; a row of such bonds is a Timoshenko beam whose
    /// section shears evenly. Those of a parallel bond are `k̄_n A`, `k̄_s A`, `k̄_n I` and
    /// `2 k̄_s I`.
    #[must_use]
    pub fn over(&self, radii: [f64; 2]) -> Four {
        match self {
            Self::Given(four) => *four,
            Self::Beam(beam) => {
                let length = length_of(radii);
                let section = Section::of(beam.radius.of(radii));
                Four {
                    normal: beam.young * section.area / length,
                    tangential: beam.shear * section.area / length,
                    bending: beam.young * section.second_moment / length,
                    twisting: 2.0 * beam.shear * section.second_moment / length,
                }
            }
            Self::Parallel(parallel) => {
                let section = Section::of(parallel.radius.of(radii));
                Four {
                    normal: parallel.normal * section.area,
                    tangential: parallel.tangential * section.area,
                    bending: parallel.normal * section.second_moment,
                    twisting: 2.0 * parallel.tangential * section.second_moment,
                }
            }
        }
    }

    /// The radius of the section, if there is one.
    #[must_use]
    pub fn radius(&self) -> Option<Radius> {
        match self {
            Self::Given(_) => None,
            Self::Beam(beam) => Some(beam.radius),
            Self::Parallel(parallel) => Some(parallel.radius),
        }
    }
}

/// The length of a bond [m]: the sum of the radii, at a wall the radius of the body.
fn length_of(radii: [f64; 2]) -> f64 {
    radii.into_iter().filter(|radius| radius.is_finite()).sum()
}
