//! Distances of a point from a mesh: the nearest point, and all local minima.

use super::closest::{Closest, Region};
use super::{Leaf, Mesh};
use crate::math::Vector3;
use rstar::AABB;
use std::cell::RefCell;
use std::ops::ControlFlow;

/// Two places are in one direction if the chord between their unit directions is shorter.
const PARALLEL: f64 = 1e-3;

/// Bound on the error of a height by the rounding of points, in units of the closeness of points.
const ROUNDED: f64 = 4.0;

/// The bit from which a name holds the number of the place among those of one feature.
const NUMBER: u32 = 24;
/// The most places in about the same direction, and the bits of their rank.
const MOST_ALIKE: u32 = 3;
const RANK: u32 = 2;
/// The most directions in which a ball touches one feature.
const MOST_WAYS: usize = 64;

/// A generic direction, along which the directions of one feature are ordered.
const ALONG: [f64; 3] = [0.484, 0.661, 0.573];

/// The closest point of a triangle near a point.
#[derive(Clone, Copy, Debug)]
struct Near {
    triangle: u32,
    at: Closest,
}

/// A local minimum of the distance.
#[derive(Clone, Copy, Debug)]
struct Minimum {
    near: Near,
    feature: u32,
    /// The number of minima of its feature in about its direction that are nearer.
    rank: u32,
    /// The direction of the nearest of these.
    way: Vector3,
}

/// A touch of a mesh: where the distance from a point has a local minimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Distance [m].
    pub distance: f64,
    /// Unit vector from the point towards the surface.
    pub towards: Vector3,
    /// Its name, 32 bits: the feature of the mesh, and the number among those of this feature.
    pub feature: u64,
}

thread_local! {
    static NEAR: RefCell<(Vec<Near>, Vec<Minimum>)> = RefCell::default();
}

impl Mesh {
    /// Distance of the nearest point of the mesh from `x` [m], and the unit vector towards it.
    #[must_use]
    pub fn nearest(&self, x: &Vector3) -> (f64, Vector3) {
        let leaf = self.tree.nearest_neighbor((*x).into());
        let closest = leaf.map(|leaf| leaf.closest(x));
        closest.map_or((f64::INFINITY, Vector3::z()), |c| (c.distance, c.towards))
    }

    /// The same if it is nearer than `reach` [m].
    #[must_use]
    pub fn nearest_within(&self, x: &Vector3, reach: f64) -> Option<(f64, Vector3)> {
        let mut found: Option<(f64, u32, Vector3)> = None;
        self.visit(x, reach, |leaf| {
            let closest = leaf.closest(x);
            let better = found.is_none_or(|(distance, number, _)| {
                closest.distance < distance || closest.distance == distance && leaf.number < number
            });
            if better && closest.distance < reach {
                found = Some((closest.distance, leaf.number, closest.towards));
            }
            ControlFlow::Continue(())
        });
        found.map(|(distance, _, towards)| (distance, towards))
    }

    /// Whether a point of the mesh is nearer to `x` than `reach` [m].
    #[must_use]
    pub fn is_nearer(&self, x: &Vector3, reach: f64) -> bool {
        let mut found = false;
        self.visit(x, reach, |leaf| {
            found = leaf.closest(x).distance < reach;
            if found {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        found
    }

    /// Whether the box around a triangle reaches into the box from `lower` to `upper` [m].
    #[must_use]
    pub fn reaches_into(&self, lower: &Vector3, upper: &Vector3) -> bool {
        let around = AABB::from_corners((*lower).into(), (*upper).into());
        self.tree
            .locate_in_envelope_intersecting(around)
            .next()
            .is_some()
    }

    /// Calls `found` with the places nearer to `x` than `reach` [m] where the distance has a local
    /// minimum, in ascending order of name.
    ///
    /// The nearest is always among them. Of places in the same direction only the nearest counts,
    /// of those of one feature in about the same direction, up to the angle of smooth edges, the
    /// three nearest; they are ranked by distance, so that the name of the nearest stays while a
    /// ball rolls over a slightly concave edge. Other directions of one feature are numbered in a
    /// fixed order.
    pub fn touches(&self, x: &Vector3, reach: f64, mut found: impl FnMut(Place)) {
        NEAR.with_borrow_mut(|(near, minima)| {
            near.clear();
            minima.clear();
            self.visit(x, reach, |leaf| {
                let at = leaf.closest(x);
                if at.distance < reach {
                    let triangle = leaf.number;
                    near.push(Near { triangle, at });
                }
                ControlFlow::Continue(())
            });
            near.sort_unstable_by(|a, b| {
                (a.at.distance.total_cmp(&b.at.distance)).then(a.triangle.cmp(&b.triangle))
            });
            for (k, one) in near.iter().enumerate() {
                if let Some(feature) = self.minimum(one, &near[..k]) {
                    minima.extend(self.ranked(one, feature, minima));
                }
            }
            name(minima);
            for Minimum { near, feature, .. } in minima.iter() {
                found(Place {
                    distance: near.at.distance,
                    towards: near.at.towards,
                    feature: u64::from(*feature),
                });
            }
        });
    }

    /// A minimum with its rank among nearer ones; `None` if it does not count.
    fn ranked(&self, near: &Near, feature: u32, nearer: &[Minimum]) -> Option<Minimum> {
        let towards = &near.at.towards;
        let is_other = |other: &Minimum| {
            let (first, way) = (other.near.at.distance, other.near.at.towards);
            // In the plane through a nearer minimum, across its direction, there is no other: it
            // would be one by the rounding of points, which bends thin triangles.
            let above = (near.at.distance * towards.dot(&way) - first).abs();
            (towards - way).norm_squared() >= PARALLEL * PARALLEL && above > ROUNDED * self.close
        };
        if !nearer.iter().all(is_other) {
            return None;
        }
        let of_feature = || nearer.iter().filter(|other| other.feature == feature);
        let mut first = of_feature().filter(|other| other.rank == 0);
        let alike = first.find(|other| towards.dot(&other.way) >= self.straight);
        let (way, rank) = match alike {
            Some(Minimum { way, .. }) => {
                let rank = of_feature().filter(|other| other.way == *way).count() as u32;
                (*way, rank)
            }
            None => (*towards, 0),
        };
        let ways = of_feature().filter(|other| other.rank == 0).count();
        (rank < MOST_ALIKE && ways < MOST_WAYS).then_some(Minimum {
            near: *near,
            feature,
            rank,
            way,
        })
    }

    /// The feature of a closest point, if no nearer triangle holds it; then the distance has a
    /// local minimum there.
    ///
    /// On a triangle that holds the point the distance falls on the line from it to the triangle's
    /// own closest point, if that is nearer.
    fn minimum(&self, one: &Near, nearer: &[Near]) -> Option<u32> {
        let (feature, is_open) = match one.at.region {
            Region::Face => return Some(self.seams.of_triangle(one.triangle)),
            Region::Edge(k) => {
                let edge = self.seams.edges_of(one.triangle)[k];
                let held = |other: &Near| self.seams.edges_of(other.triangle).contains(&edge);
                if nearer.iter().any(held) {
                    return None;
                }
                self.seams.of_edge(edge)
            }
            Region::Corner(k) => {
                let point = self.triangles[one.triangle as usize][k];
                let held = |other: &Near| self.triangles[other.triangle as usize].contains(&point);
                if nearer.iter().any(held) {
                    return None;
                }
                self.seams.of_point(point)
            }
        };
        // An edge may end within another, and a border lie on another part.
        let held = |other: &Near| {
            let corners = self.triangles[other.triangle as usize];
            let corners = corners.map(|k| self.points[k as usize]);
            super::closest(&one.at.point, &corners).distance <= self.close
        };
        (!is_open || !nearer.iter().any(held)).then_some(feature)
    }

    /// Calls `visit` with all triangles whose boxes are within `reach` of `x` [m], and others.
    fn visit(&self, x: &Vector3, reach: f64, mut visit: impl FnMut(&Leaf) -> ControlFlow<()>) {
        // A little more, as the edges of boxes are rounded.
        let reach = Vector3::repeat(reach * (1.0 + 1e-9));
        let around = AABB::from_corners((x - reach).into(), (x + reach).into());
        let _ = self
            .tree
            .locate_in_envelope_intersecting_int(around, |leaf| visit(leaf));
    }
}

/// Completes the names of minima by the number of their direction and their rank; sorts by name.
fn name(minima: &mut [Minimum]) {
    let along = Vector3::from(ALONG);
    minima.sort_unstable_by(|a, b| {
        let [of_a, of_b] = [a, b].map(|one| along.dot(&one.way));
        (a.feature.cmp(&b.feature))
            .then(of_a.total_cmp(&of_b))
            .then(a.rank.cmp(&b.rank))
    });
    let (mut before, mut number) = (None, 0);
    for one in minima.iter_mut() {
        if before != Some(one.feature) {
            (before, number) = (Some(one.feature), 0);
        } else if one.rank == 0 {
            number += 1;
        }
        one.feature |= (number << RANK | one.rank) << NUMBER;
    }
    minima.sort_unstable_by_key(|one| one.feature);
}
