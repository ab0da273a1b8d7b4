//! The window of a measure: a part of space, with periodic images.

use super::overlap::{
    disc_disc, disc_half_plane, sphere_cylinder, sphere_half_space, sphere_sphere,
};
use super::packing::{disc_rectangle_area, sphere_box_volume};
use crate::math::Vector3;
use crate::shape::{HalfSpace, Period, Region, disc_area, sphere_volume};

/// The part of space of a measure: a region, or the whole domain.
///
/// In two dimensions bodies are discs one metre thick, and so is the region's cut with the plane
/// z = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// `None`: the whole space.
    region: Option<Region>,
    /// Periods by which images of bodies may lie in the region.
    period: Period,
    /// All periods of the domain.
    all: Period,
    flat: bool,
    volume: f64,
    bounds: (Vector3, Vector3),
    /// Axes on which it holds one whole period, which begins at its lower bound.
    whole: Period,
}

impl Window {
    /// The window of a region, or of the whole domain from `lower` to `upper` [m].
    ///
    /// A box and a half-space end at the domain, except on periodic axes; other regions count with
    /// all of their volume. Regions are at most as wide as a period, and half-spaces do not cut
    /// periodic axes.
    #[must_use]
    pub fn new(
        region: Option<&Region>,
        (lower, upper): (&Vector3, &Vector3),
        periodic: [bool; 3],
        flat: bool,
    ) -> Self {
        let all = Period::of_box(lower, upper, periodic);
        let mut period = all;
        let (mut lower, mut upper) = (*lower, *upper);
        if flat {
            (lower.z, upper.z) = (-0.5, 0.5);
        }
        let mut whole = Period::NONE;
        let mut region = region.copied();
        let mut bounds = (lower, upper);
        let mut volume = (upper - lower).product();
        match &mut region {
            None => period = Period::NONE,
            Some(Region::Box {
                lower: low,
                upper: high,
            }) => {
                for a in 0..3 {
                    if flat && a == 2 {
                        (low[a], high[a]) = (lower[a], upper[a]);
                    } else if !periodic[a] {
                        (low[a], high[a]) = (low[a].max(lower[a]), high[a].min(upper[a]));
                    }
                }
                bounds = (*low, *high);
                volume = (*high - *low).product();
                for a in 0..3 {
                    let length = period.length[a].filter(|l| high[a] - low[a] >= l * SPANS);
                    if length.is_some() || flat && a == 2 {
                        // The whole axis: no body is cut there, and no body has a second image.
                        (whole.lower[a], whole.length[a]) = (low[a], length);
                        period.length[a] = None;
                        (low[a], high[a]) = (f64::NEG_INFINITY, f64::INFINITY);
                    }
                }
            }
            Some(Region::HalfSpace(plane)) => {
                period = Period::NONE;
                volume = half_box(plane, &lower, &upper);
            }
            Some(bounded) => {
                bounds = bounded.bounds();
                volume = match cut_of(bounded).filter(|_| flat) {
                    Some((_, radius)) => disc_area(radius),
                    None => bounded.volume(),
                };
            }
        }
        Self {
            region,
            period,
            all,
            flat,
            volume,
            bounds,
            whole,
        }
    }

    /// Its volume [m³].
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The corners of a box that holds it [m].
    #[must_use]
    pub fn bounds(&self) -> (Vector3, Vector3) {
        self.bounds
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> f64 {
        if self.flat { 2.0 } else { 3.0 }
    }

    /// Volume of a body [m³].
    #[must_use]
    pub fn body_volume(&self, radius: f64) -> f64 {
        match self.flat {
            true => disc_area(radius),
            false => sphere_volume(radius),
        }
    }

    /// Its part between two planes across a coordinate axis [m]; for a cylinder only along its own
    /// axis.
    #[must_use]
    pub fn slab(&self, axis: usize, low: f64, high: f64) -> Self {
        let mut slab = self.clone();
        slab.period.length[axis] = self.all.length[axis];
        slab.whole.length[axis] = None;
        let (from, to) = (self.bounds.0[axis], self.bounds.1[axis]);
        slab.volume *= (high - low) / (to - from);
        (slab.bounds.0[axis], slab.bounds.1[axis]) = (low, high);
        match &mut slab.region {
            Some(Region::Cylinder {
                from,
                axis: along,
                length,
                ..
            }) => {
                let start = if along[axis] > 0.0 { low } else { high };
                from[axis] = start;
                *length = high - low;
            }
            other => {
                let (mut lower, mut upper) = match other {
                    Some(Region::Box { lower, upper }) => (*lower, *upper),
                    _ => (
                        Vector3::repeat(f64::NEG_INFINITY),
                        Vector3::repeat(f64::INFINITY),
                    ),
                };
                (lower[axis], upper[axis]) = (low, high);
                *other = Some(Region::Box { lower, upper });
            }
        }
        slab
    }

    /// The period of an axis, if it is periodic [m].
    #[must_use]
    pub fn length(&self, axis: usize) -> Option<f64> {
        self.all.length[axis]
    }

    /// The vector from one point to the nearest image of another [m].
    #[must_use]
    pub fn difference(&self, from: &Vector3, to: &Vector3) -> Vector3 {
        self.all.difference(from, to)
    }

    /// Shifts of the images that may intersect the region [m].
    ///
    /// They are of an object that extends from `low` to `high`.
    fn images(&self, low: &Vector3, high: &Vector3, mut each: impl FnMut(Vector3)) {
        let bounds = match (&self.region, self.period.any()) {
            (Some(region), true) => region.bounds(),
            _ => return each(Vector3::zeros()),
        };
        let turns = [0, 1, 2].map(|a| match self.period.length[a] {
            None => (0, 0),
            Some(length) => (
                ((bounds.0[a] - high[a]) / length).ceil() as i64,
                ((bounds.1[a] - low[a]) / length).floor() as i64,
            ),
        });
        let length = Vector3::from(self.period.length.map(Option::unwrap_or_default));
        for i in turns[0].0..=turns[0].1 {
            for j in turns[1].0..=turns[1].1 {
                for k in turns[2].0..=turns[2].1 {
                    each(length.component_mul(&Vector3::new(i as f64, j as f64, k as f64)));
                }
            }
        }
    }

    /// The image of a point that lies in the window, if it exists [m].
    #[must_use]
    pub fn inside(&self, x: &Vector3) -> Option<Vector3> {
        let Some(region) = &self.region else {
            return Some(*x);
        };
        let mut found = None;
        self.images(x, x, |shift| {
            let image = x + shift;
            if region.contains(&image) {
                found = Some(image);
            }
        });
        found.map(|image| self.within_bounds(&image))
    }

    /// The image of a point that lies within the bounds on the whole axes [m].
    fn within_bounds(&self, x: &Vector3) -> Vector3 {
        let (mut image, _) = self.whole.wrapped(x);
        for a in 0..3 {
            // Bounds may be a period apart except for rounding.
            if self.whole.length[a].is_some() && image[a] >= self.bounds.1[a] {
                image[a] = self.bounds.0[a];
            }
        }
        image
    }

    /// Volume of a body, a sphere or a disc, inside the window [m³].
    #[must_use]
    pub fn overlap(&self, x: &Vector3, r: f64) -> f64 {
        let Some(region) = &self.region else {
            return self.body_volume(r);
        };
        let mut sum = 0.0;
        let reach = Vector3::repeat(r);
        self.images(&(x - reach), &(x + reach), |shift| {
            let x = x + shift;
            sum += match self.flat {
                true => disc_part(region, &x, r),
                false => sphere_part(region, &x, r),
            };
        });
        sum
    }

    /// The share of a straight line that lies in the window, periodic images added up [1].
    #[must_use]
    pub fn share(&self, from: &Vector3, to: &Vector3) -> f64 {
        let Some(region) = &self.region else {
            return 1.0;
        };
        let mut sum = 0.0;
        self.images(&from.inf(to), &from.sup(to), |shift| {
            let (a, b) = line_part(region, &(from + shift), &(to - from));
            sum += (b.min(1.0) - a.max(0.0)).max(0.0);
        });
        sum
    }
}

/// A box of this width, in periods, counts as wide as the period.
const SPANS: f64 = 1.0 - 1e-9;

/// The circle in which a sphere, or a cylinder along z, cuts the plane z = 0.
fn cut_of(region: &Region) -> Option<(Vector3, f64)> {
    match region {
        Region::Cylinder { from, radius, .. } => Some((*from, *radius)),
        Region::Sphere { centre, radius } => {
            let square = radius * radius - centre.z * centre.z;
            Some((*centre, square.max(0.0).sqrt()))
        }
        _ => None,
    }
}

fn sphere_part(region: &Region, x: &Vector3, r: f64) -> f64 {
    match region {
        Region::Box { lower, upper } => sphere_box_volume(x, r, lower, upper),
        Region::Cylinder {
            from,
            axis,
            length,
            radius,
        } => {
            let along = (x - from).dot(axis);
            let across = (x - from - axis * along).norm();
            sphere_cylinder(r, *radius, across, [-along, length - along])
        }
        Region::Sphere { centre, radius } => sphere_sphere(r, *radius, (x - centre).norm()),
        Region::HalfSpace(plane) => sphere_half_space(r, plane.distance(x)),
    }
}

fn disc_part(region: &Region, x: &Vector3, r: f64) -> f64 {
    match region {
        Region::Box { lower, upper } => {
            let corner = |c: &Vector3| [c.x - x.x, c.y - x.y];
            disc_rectangle_area(r, corner(lower), corner(upper))
        }
        Region::HalfSpace(plane) => disc_half_plane(r, plane.distance(x)),
        round => cut_of(round).map_or(0.0, |(centre, radius)| {
            let way = x - centre;
            disc_disc(r, radius, way.x.hypot(way.y))
        }),
    }
}

/// The shares of its length between which the line from `x` along `way` lies in the region.
///
/// If the second does not exceed the first, the line is outside.
fn line_part(region: &Region, x: &Vector3, way: &Vector3) -> (f64, f64) {
    // Between two planes; the coordinates are those of the line's start, of its direction, and of
    // the planes.
    let slab = |start: f64, along: f64, low: f64, high: f64| {
        if along == 0.0 {
            let inside = start >= low && start < high;
            return if inside {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else {
                (1.0, 0.0)
            };
        }
        let (a, b) = ((low - start) / along, (high - start) / along);
        (a.min(b), a.max(b))
    };
    // Within a circle or sphere: |start + t along|² < r².
    let round = |start: &Vector3, along: &Vector3, r: f64| {
        let (square, c) = (along.norm_squared(), start.norm_squared() - r * r);
        if square == 0.0 {
            let all = (f64::NEG_INFINITY, f64::INFINITY);
            return if c < 0.0 { all } else { (1.0, 0.0) };
        }
        let half = start.dot(along) / square;
        let root = half * half - c / square;
        if root <= 0.0 {
            return (1.0, 0.0);
        }
        (-half - root.sqrt(), -half + root.sqrt())
    };
    let both = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.min(b.1));
    match region {
        Region::Box { lower, upper } => {
            let of = |a: usize| slab(x[a], way[a], lower[a], upper[a]);
            both(of(0), both(of(1), of(2)))
        }
        Region::Cylinder {
            from,
            axis,
            length,
            radius,
        } => {
            let (start, along) = (x - from, way.dot(axis));
            let height = start.dot(axis);
            let across = round(&(start - axis * height), &(way - axis * along), *radius);
            both(slab(height, along, 0.0, *length), across)
        }
        Region::Sphere { centre, radius } => round(&(x - centre), way, *radius),
        Region::HalfSpace(plane) => {
            let along = plane.normal.dot(way);
            slab(plane.distance(x), along, 0.0, f64::INFINITY)
        }
    }
}

/// Volume of the part of a box before a plane [m³], by the divergence theorem.
///
/// It is a third of the sum over its faces of distance from a point of the plane times area, to
/// which the cut itself adds nothing.
fn half_box(plane: &HalfSpace, lower: &Vector3, upper: &Vector3) -> f64 {
    let mut sum = 0.0;
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (corner, sign) in [(lower, -1.0), (upper, 1.0)] {
            let point = |a: &Vector3, b: &Vector3| {
                let mut p = *corner;
                (p[u], p[v]) = (a[u], b[v]);
                p
            };
            let face = [
                point(lower, lower),
                point(upper, lower),
                point(upper, upper),
                point(lower, upper),
            ];
            let mut kept: Vec<Vector3> = Vec::new();
            for (i, p) in face.iter().enumerate() {
                let q = &face[(i + 1) % 4];
                let (at_p, at_q) = (plane.distance(p), plane.distance(q));
                if at_p >= 0.0 {
                    kept.push(*p);
                }
                if (at_p >= 0.0) != (at_q >= 0.0) {
                    kept.push(p + (q - p) * (at_p / (at_p - at_q)));
                }
            }
            let mut twice = 0.0;
            for (i, p) in kept.iter().enumerate() {
                let q = &kept[(i + 1) % kept.len()];
                twice += p[u] * q[v] - q[u] * p[v];
            }
            sum += sign * (corner[axis] - plane.point[axis]) * 0.5 * twice;
        }
    }
    sum / 3.0
}

#[cfg(test)]
mod tests;
