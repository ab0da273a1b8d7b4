//! Narrow phase: the touches of two bodies, and of a body and a wall. One `match` over pairs of
//! shapes.
//!
//! A pair is seen from the lower id, with the second body's centre given by the branch vector from
//! the first's, so every rank that sees it computes the same bits.
//!
//! **Clumps** touch part by part. Where parts of a clump overlap, some of these touches are not on
//! the surface of the union: the point of part `i` closest to the partner is inside another part
//! `k`. Such a touch is dropped if the touch of `k` with the same partner has a smaller gap. The
//! gap of `k` is smaller, unless the partner's centre is inside the clump: from a point inside `k`
//! the partner's centre is farther away than from the surface of `k`. With this comparison the
//! touch with the smallest gap is never dropped, so bodies that touch, however deep, have a touch.
//! Of parts that coincide the first counts.

use super::sphere::{sphere_sphere, sphere_wall, touches_of_wall};
use crate::contact::{ContactKey, Touch};
use crate::math::Vector3;
use crate::shape::{Surface, Template};

/// Relative distance outside a part at which a point still counts as inside.
///
/// Coincident parts do so only to rounding. The unit is the part's radius.
const INSIDE: f64 = 1e-12;

/// The data of a body in the narrow phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid<'a> {
    /// Centre of mass [m].
    pub position: &'a Vector3,
    /// Radius of the body, or of the bounding sphere of a clump [m].
    pub radius: f64,
    pub shape: Shape<'a>,
}

/// The shape of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    Ball,
    /// Balls of a template; the vectors are their centres from the centre of mass, global frame
    /// [m].
    Clump(&'a Template, &'a [Vector3]),
}

/// The touches of two bodies with a gap below `margin` [m], in ascending order of feature.
///
/// The second body's centre is at `branch` from the first's [m].
#[inline]
pub(super) fn of_bodies(
    (a, b): (&Solid, &Solid),
    branch: &Vector3,
    margin: f64,
    mut found: impl FnMut(Touch),
) {
    match (a.shape, b.shape) {
        (Shape::Ball, Shape::Ball) => {
            // Without the normal, which most pairs of a plan do not need.
            if branch.norm() - a.radius - b.radius < margin {
                found(sphere_sphere(a.position, a.radius, branch, b.radius));
            }
        }
        (Shape::Ball | Shape::Clump(..), Shape::Ball | Shape::Clump(..)) => {
            of_parts((a, b), branch, margin, &mut found);
        }
    }
}

/// The touches of a body and a wall with a gap below `margin` [m], in ascending order of feature.
#[inline]
pub(super) fn with_wall(a: &Solid, wall: &Surface, margin: f64, mut found: impl FnMut(Touch)) {
    match a.shape {
        Shape::Ball => {
            touches_of_wall(a.position, a.radius, wall, margin, found);
        }
        Shape::Clump(template, arms) => {
            let ball = |i: usize| (a.position + arms[i], a.part_radius(i));
            let gap = |k: usize| {
                let (x, r) = ball(k);
                sphere_wall(&x, r, wall).gap
            };
            for i in (0..arms.len()).filter(|&i| !template.is_hidden(i)) {
                let (x, r) = ball(i);
                touches_of_wall(&x, r, wall, margin, |one| {
                    if !a.inside(i, &one.normal, one.gap, gap) {
                        let feature = one.feature + ContactKey::feature_of([i, 0]);
                        found(Touch { feature, ..one });
                    }
                });
            }
        }
    }
}

/// The touches of the balls of two bodies.
fn of_parts(
    (a, b): (&Solid, &Solid),
    branch: &Vector3,
    margin: f64,
    found: &mut impl FnMut(Touch),
) {
    let way = |i: usize, j: usize| branch + b.arm(j) - a.arm(i);
    let touch = |i: usize, j: usize| {
        let centre = a.position + a.arm(i);
        sphere_sphere(&centre, a.part_radius(i), &way(i, j), b.part_radius(j))
    };
    let near = |i: &usize| {
        let gap = (branch - a.arm(*i)).norm() - a.part_radius(*i) - b.radius;
        gap < margin + 1e-9 * b.radius
    };
    for i in (0..a.parts()).filter(|&i| !a.is_hidden(i)).filter(near) {
        for j in (0..b.parts()).filter(|&j| !b.is_hidden(j)) {
            let one = touch(i, j);
            if one.gap < margin
                && !a.inside(i, &one.normal, one.gap, |k| touch(k, j).gap)
                && !b.inside(j, &-one.normal, one.gap, |k| touch(i, k).gap)
            {
                let feature = ContactKey::feature_of([i, j]);
                found(Touch { feature, ..one });
            }
        }
    }
}

impl Solid<'_> {
    /// The number of balls of the body.
    fn parts(&self) -> usize {
        match self.shape {
            Shape::Ball => 1,
            Shape::Clump(_, arms) => arms.len(),
        }
    }

    /// Centre of a part from the centre of mass, global frame [m].
    fn arm(&self, part: usize) -> Vector3 {
        match self.shape {
            Shape::Ball => Vector3::zeros(),
            Shape::Clump(_, arms) => arms[part],
        }
    }

    fn part_radius(&self, part: usize) -> f64 {
        match self.shape {
            Shape::Ball => self.radius,
            Shape::Clump(template, _) => template.parts()[part].radius * self.radius,
        }
    }

    /// Whether a part lies inside another.
    fn is_hidden(&self, part: usize) -> bool {
        match self.shape {
            Shape::Ball => false,
            Shape::Clump(template, _) => template.is_hidden(part),
        }
    }

    /// Whether the point of a part farthest along `normal` is inside a sister with a smaller gap.
    ///
    /// `gap_of` gives the gap of a sister to the partner [m]. Of equal gaps the first counts as
    /// smaller.
    fn inside(
        &self,
        part: usize,
        normal: &Vector3,
        gap: f64,
        gap_of: impl Fn(usize) -> f64,
    ) -> bool {
        let Shape::Clump(template, arms) = self.shape else {
            return false;
        };
        let point = arms[part] + normal * self.part_radius(part);
        let sisters = template.sisters(part).iter().map(|&k| k as usize);
        sisters.filter(|&k| !template.is_hidden(k)).any(|k| {
            let within = self.part_radius(k) * (1.0 + INSIDE);
            (point - arms[k]).norm_squared() <= within * within && {
                let other = gap_of(k);
                other < gap || (other == gap && k < part)
            }
        })
    }
}
