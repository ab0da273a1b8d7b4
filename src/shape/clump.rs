//! Clumps: rigid bodies made of balls, or of discs, that overlap or touch.
//!
//! A [`Template`] is the shape of many bodies, each with its own scale. It holds the parts in the
//! principal frame about the centre of mass, in units of the bounding radius. A body of radius `r`
//! has mass `ρ V̂ r³` (discs: `ρ Â r²`, one metre thick) and principal moments `m r² Î`, and its
//! part `i` is the ball of radius `r r̂_i` at `x + r R(q) ĉ_i`. Volume, centre and moments are
//! those of the union: the intersection of two parts counts once.

mod part;
pub mod principal;
mod union;

pub use part::Part;

#[cfg(test)]
mod tests;

use crate::math::{IDENTITY, Quaternion, Vector3, turned};
use principal::{into_frame, principal};

/// The largest number of parts of a clump.
///
/// Integration takes one or two seconds for 100 parts that overlap densely, and its time grows
/// faster than the square of their number.
pub const MOST_PARTS: usize = 256;

/// The largest accepted relative error of integrated mass properties.
///
/// [`Template::error`] is mostly a hundred times smaller.
pub const ACCEPTED_ERROR: f64 = 1e-8;

/// The share of rounding in the reported error; the measured one is some 1e-11.
const ROUNDING: f64 = 1e-10;

/// The largest gap of two parts that count as touching, by the smaller radius.
///
/// Coordinates in files are rounded.
pub const TOUCHING: f64 = 1e-5;

/// Mass properties that replace integrated ones, in the frame of the description.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// The volume with the material's density [m³]; of discs the area [m²].
    pub volume: Option<f64>,
    /// Centre of mass [m]. Requires `inertia`.
    pub centre: Option<Vector3>,
    /// Moments of inertia of a unit mass about the centre of mass [m²]: the tensor's xx, yy, zz,
    /// xy, xz, yz. For discs only zz is used.
    pub inertia: Option<[f64; 6]>,
}

/// The shape of a clump, with bounding radius 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    name: String,
    discs: bool,
    parts: Vec<Part>,
    sisters: Vec<Vec<u32>>,
    hidden: Vec<bool>,
    volume: f64,
    share: f64,
    moments: [f64; 3],
    size: f64,
    centre: Vector3,
    frame: Quaternion,
    error: f64,
}

/// The reason why a clump is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The list of parts is empty.
    #[error("a clump must have at least one part; found none")]
    NoParts,
    /// More than [`MOST_PARTS`].
    #[error("a clump must have at most {MOST_PARTS} parts; found {0}")]
    TooMany(usize),
    /// A centre with NaN or infinities.
    #[error("part {part}: the centre must be finite; found {x}, {y}, {z}")]
    Centre {
        /// Number, from 1.
        part: usize,
        /// [m].
        x: f64,
        /// [m].
        y: f64,
        /// [m].
        z: f64,
    },
    /// A part without volume.
    #[error("part {part}: the radius must be finite and > 0; found {radius} m")]
    Radius {
        /// Number, from 1.
        part: usize,
        /// [m].
        radius: f64,
    },
    /// A disc outside the plane of the others.
    #[error("part {part}: discs must lie in one plane, at z = {expected} m; found z = {found} m")]
    OffPlane {
        /// Number, from 1.
        part: usize,
        /// [m].
        expected: f64,
        /// [m].
        found: f64,
    },
    /// Parts that are not connected.
    #[error(
        "parts must be connected; found {groups} groups: the part nearest to that of part 1 is part {part}, \
         with a gap of {gap} m to part {from} (accepted: overlaps, and gaps up to {TOUCHING} of the smaller radius)"
    )]
    Apart {
        /// Number of groups of connected parts.
        groups: usize,
        /// Number of the part closest to the group of the first part, from 1.
        part: usize,
        /// Number of the part of that group to which it is closest, from 1.
        from: usize,
        /// The gap between the two [m].
        gap: f64,
    },
    /// A volume that no body has in this bounding sphere.
    #[error("the volume must be > 0 and at most that of the bounding sphere, {1}; found {0}")]
    Volume(f64, f64),
    /// A centre of mass outside the sphere around all parts.
    #[error("the centre of mass must lie within the bounding sphere; found {0}, {1}, {2}")]
    CentreOfMass(f64, f64, f64),
    /// Moments of mass outside the bounding sphere.
    #[error(
        "the sum of the moments of inertia must be at most {1}, twice the bounding radius squared; found {0}"
    )]
    Wide(f64, f64),
    /// A given centre of mass together with integrated moments, which refer to another point.
    #[error("a given centre of mass must come with moments of inertia; found none")]
    CentreAlone,
    /// Principal moments that are not finite or not positive.
    #[error(
        "principal moments of inertia must be finite and > 0; found {0}, {1}, {2} m2 for a unit mass"
    )]
    Moments(f64, f64, f64),
    /// Moments that violate the triangle inequality.
    #[error(
        "each principal moment of inertia must be at most the sum of the other two; found {0}, {1}, {2} m2 for a unit mass"
    )]
    Triangle(f64, f64, f64),
    /// A union for which the sum over slices does not converge.
    #[error(
        "the error of the integrated mass properties must be at most {ACCEPTED_ERROR}; found {0}"
    )]
    Error(f64),
}

impl Template {
    /// A clump of balls, or of discs one metre thick. Values of `given` replace integrated ones.
    ///
    /// The relative error of integrated volume, moments, and centre (in units of the bounding
    /// radius) is at most [`Template::error`], which is at most [`ACCEPTED_ERROR`]. Discs and a
    /// single ball are exact, to rounding.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn new(name: &str, parts: &[Part], discs: bool, given: &Given) -> Result<Self, Fault> {
        check(parts, discs)?;
        let lower = parts
            .iter()
            .fold(parts[0].centre, |low, p| low.inf(&p.centre));
        let upper = parts
            .iter()
            .fold(parts[0].centre, |high, p| high.sup(&p.centre));
        // Relative to the middle and scaled by the extent: this avoids differences of large
        // numbers, and numbers that are too large or small.
        let origin = 0.5 * (lower + upper);
        let scale = bounding_radius(parts, &origin);
        let mut scaled = moved(parts, &origin, scale);
        if discs {
            scaled.iter_mut().for_each(|part| part.centre.z = 0.0);
        }
        let integrated = integrate(&scaled, discs);
        let (mut centre, error) = (integrated.centre, integrated.error);
        let power = scale * scale * if discs { 1.0 } else { scale };
        let volume = match given.volume {
            None => integrated.volume * power,
            Some(volume) => volume,
        };
        if let Some(given_centre) = given.centre {
            let outside = (given_centre - origin).norm() > scale;
            if outside || given_centre.iter().any(|c| c.is_nan()) {
                let [x, y, z] = given_centre.into();
                return Err(Fault::CentreOfMass(x, y, z));
            }
            if given.inertia.is_none() {
                return Err(Fault::CentreAlone);
            }
            centre = (given_centre - origin) / scale;
            if discs {
                centre.z = 0.0;
            }
        }
        let inertia = match given.inertia {
            None => integrated.inertia,
            Some(inertia) => inertia.map(|j| j / (scale * scale)),
        };
        let ([a, b, c], frame) = if discs {
            ([inertia[2]; 3], IDENTITY)
        } else {
            principal(inertia)
        };
        let [shown_a, shown_b, shown_c] = [a, b, c].map(|j| j * scale * scale);
        if ![a, b, c].iter().all(|&j| j.is_finite() && j > 0.0) {
            return Err(Fault::Moments(shown_a, shown_b, shown_c));
        }
        if 2.0 * a.max(b).max(c) > (a + b + c) * (1.0 + 1e-12) {
            return Err(Fault::Triangle(shown_a, shown_b, shown_c));
        }
        if error > ACCEPTED_ERROR {
            return Err(Fault::Error(error));
        }
        let radius = bounding_radius(&scaled, &centre);
        let size = radius * scale;
        let axes = if discs { a } else { 0.5 * (a + b + c) };
        if axes > radius * radius * (1.0 + 1e-9) {
            return Err(Fault::Wide(2.0 * axes * scale * scale, 2.0 * size * size));
        }
        let of_part = |part: &Part| match discs {
            true => super::disc_area(part.radius),
            false => super::sphere_volume(part.radius),
        };
        let (whole, most) = (
            Part {
                centre,
                radius: size,
            },
            1.0 + 1e-9,
        );
        if !(volume.is_normal() && volume > 0.0 && volume <= of_part(&whole) * most) {
            return Err(Fault::Volume(volume, of_part(&whole)));
        }
        let parts: Vec<Part> = moved(&scaled, &centre, radius)
            .into_iter()
            .map(|part| Part {
                centre: into_frame(frame, &part.centre),
                ..part
            })
            .collect();
        let volume = volume / (size * size * if discs { 1.0 } else { size });
        let parts_volume: f64 = parts.iter().map(of_part).sum();
        Ok(Self {
            name: name.to_owned(),
            discs,
            sisters: sisters(&parts),
            hidden: hidden(&parts),
            share: volume / parts_volume,
            parts,
            volume,
            moments: [a, b, c].map(|j| j / (radius * radius)),
            size,
            centre: origin + centre * scale,
            frame,
            error,
        })
    }

    /// The name in the configuration.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its parts are discs.
    #[must_use]
    pub fn discs(&self) -> bool {
        self.discs
    }

    /// Its parts in the principal frame about the centre of mass, in units of the bounding radius.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The numbers of the parts that a part touches or overlaps.
    #[must_use]
    pub fn sisters(&self, part: usize) -> &[u32] {
        &self.sisters[part]
    }

    /// Whether a part is inside another, so that no body can touch it first.
    #[must_use]
    pub fn is_hidden(&self, part: usize) -> bool {
        self.hidden[part]
    }

    /// Bounding radius about the centre of mass in the description [m].
    ///
    /// A body of this radius is as large as described.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Centre of mass in the description's frame [m].
    #[must_use]
    pub fn centre(&self) -> &Vector3 {
        &self.centre
    }

    /// The rotation from the principal frame to the frame of the description.
    ///
    /// A body that is placed as described and then turned by `q` has the orientation `q frame`.
    #[must_use]
    pub fn frame(&self) -> Quaternion {
        self.frame
    }

    /// Estimated relative error of the integrated mass properties.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Volume of a body of this template with a bounding radius [m³]; of discs one metre thick.
    #[must_use]
    pub fn volume(&self, radius: f64) -> f64 {
        match self.discs {
            true => self.volume * radius * radius,
            false => self.volume * radius * radius * radius,
        }
    }

    /// The clump's volume over the sum of its parts' volumes.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Principal moments of inertia [kg m²] of a body of this template: `m r² Î`.
    ///
    /// `mass` is in [kg], the bounding `radius` in [m]. Discs have the polar moment about every
    /// axis, as a single disc has.
    #[must_use]
    pub fn moments(&self, mass: f64, radius: f64) -> [f64; 3] {
        self.moments.map(|j| j * mass * radius * radius)
    }

    /// Centre of a part from the body's centre of mass, global frame [m]: `r R(q) ĉ`.
    #[must_use]
    #[inline]
    pub fn arm(&self, part: usize, orientation: Quaternion, radius: f64) -> Vector3 {
        turned(orientation, &self.parts[part].centre) * radius
    }
}

/// The results of the integration, about the origin of the parts.
struct Integrated {
    volume: f64,
    centre: Vector3,
    /// Of a unit mass about the centre: the tensor's xx, yy, zz, xy, xz, yz.
    inertia: [f64; 6],
    error: f64,
}

fn integrate(parts: &[Part], discs: bool) -> Integrated {
    let alone: Vec<&Part> = parts
        .iter()
        .zip(hidden(parts))
        .filter(|(_, h)| !h)
        .map(|(p, _)| p)
        .collect();
    if let [one] = alone.as_slice() {
        let (r, square) = (one.radius, one.radius * one.radius);
        let (volume, moment) = match discs {
            true => (super::disc_area(r), 0.5 * square),
            false => (super::sphere_volume(r), 0.4 * square),
        };
        return Integrated {
            volume,
            centre: one.centre,
            inertia: [moment, moment, moment, 0.0, 0.0, 0.0],
            error: 0.0,
        };
    }
    let (sums, errors) = match discs {
        true => (union::of_discs(parts), [0.0; 10]),
        false => union::of_balls(parts, &sisters(parts)),
    };
    let (centre, second) = union::about_centre(&sums);
    let [xx, yy, zz, xy, xz, yz] = second;
    let volume = sums[0];
    // The error of the second moments is relative to the least moment.
    let least = (xx + yy).min(xx + zz).min(yy + zz);
    let first = errors[1].max(errors[2]).max(errors[3]) / volume;
    let second = errors[4..].iter().copied().fold(0.0, f64::max) / (volume * least);
    Integrated {
        volume,
        centre,
        inertia: [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz],
        error: ROUNDING + (errors[0] / volume).max(first).max(second),
    }
}

fn check(parts: &[Part], discs: bool) -> Result<(), Fault> {
    let first = parts.first().ok_or(Fault::NoParts)?;
    if parts.len() > MOST_PARTS {
        return Err(Fault::TooMany(parts.len()));
    }
    for (part, &Part { centre, radius }) in (1..).zip(parts) {
        if !centre.iter().all(|c| c.is_finite()) {
            let [x, y, z] = centre.into();
            return Err(Fault::Centre { part, x, y, z });
        }
        if !radius.is_finite() || radius <= 0.0 {
            return Err(Fault::Radius { part, radius });
        }
        let (expected, found) = (first.centre.z, centre.z);
        if discs && (found - expected).abs() > TOUCHING * radius {
            return Err(Fault::OffPlane {
                part,
                expected,
                found,
            });
        }
    }
    connected(parts)
}

/// Checks that the union is connected.
fn connected(parts: &[Part]) -> Result<(), Fault> {
    let gap = |a: usize, b: usize| {
        (parts[a].centre - parts[b].centre).norm() - parts[a].radius - parts[b].radius
    };
    let touch = |a: usize, b: usize| gap(a, b) <= TOUCHING * parts[a].radius.min(parts[b].radius);
    let mut group = vec![usize::MAX; parts.len()];
    let mut groups = 0;
    for seed in 0..parts.len() {
        if group[seed] != usize::MAX {
            continue;
        }
        group[seed] = groups;
        let mut open = vec![seed];
        while let Some(a) = open.pop() {
            for (b, of_b) in group.iter_mut().enumerate() {
                if *of_b == usize::MAX && touch(a, b) {
                    *of_b = groups;
                    open.push(b);
                }
            }
        }
        groups += 1;
    }
    let pairs = (0..parts.len()).flat_map(|a| (0..parts.len()).map(move |b| (a, b)));
    let across = pairs.filter(|&(a, b)| group[a] == 0 && group[b] != 0);
    match across.min_by(|&(a, b), &(c, d)| gap(a, b).total_cmp(&gap(c, d))) {
        None => Ok(()),
        Some((a, b)) => Err(Fault::Apart {
            groups,
            part: b + 1,
            from: a + 1,
            gap: gap(a, b),
        }),
    }
}

/// Radius of the smallest ball about a centre that holds all parts [m].
fn bounding_radius(parts: &[Part], centre: &Vector3) -> f64 {
    let reach = |part: &Part| (part.centre - centre).norm() + part.radius;
    parts.iter().map(reach).fold(0.0, f64::max)
}

/// Parts relative to an origin [m], in units of a scale [m].
fn moved(parts: &[Part], origin: &Vector3, scale: f64) -> Vec<Part> {
    let each = parts.iter().map(|part| Part {
        centre: (part.centre - origin) / scale,
        radius: part.radius / scale,
    });
    each.collect()
}

/// For each part, the others that it overlaps or touches.
fn sisters(parts: &[Part]) -> Vec<Vec<u32>> {
    let meet = |a: &Part, b: &Part| {
        let slack = TOUCHING * a.radius.min(b.radius);
        (a.centre - b.centre).norm() <= a.radius + b.radius + slack
    };
    let of = |i: usize| {
        let others = (0..parts.len()).filter(|&j| j != i && meet(&parts[i], &parts[j]));
        others.map(|j| j as u32).collect()
    };
    (0..parts.len()).map(of).collect()
}

/// Whether each part is inside another; the first of coincident parts is not.
fn hidden(parts: &[Part]) -> Vec<bool> {
    let inside = |i: usize, j: usize| {
        let d = (parts[i].centre - parts[j].centre).norm();
        j != i && union::covered(d, parts[i].radius, parts[j].radius, j < i)
    };
    let of = |i: usize| (0..parts.len()).any(|j| inside(i, j));
    (0..parts.len()).map(of).collect()
}
