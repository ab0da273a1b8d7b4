//! Distances of a point from a mesh: the nearest point, and all local minima.

use super::Mesh;
use super::closest::{Closest, Region, closest};
use crate::math::Vector3;
use rstar::AABB;
use std::cell::RefCell;
use std::ops::ControlFlow;

/// Two places are in one direction if the chord between their unit directions is shorter.
const PARALLEL: f64 = 1e-3;

/// Cosine of an angle with the direction of the closest point within which the distance does not
/// fall: it falls by half the square, which is rounding.
const LEVEL: f64 = 1e-7;

/// Bound on the error of a height by the rounding of points, in units of the closeness of points.
const ROUNDED: f64 = 4.0;

/// The bit from which a name holds the number of the place among those of one feature.
const NUMBER: u32 = 24;
/// The most places in about the same direction, and the bits of their rank.
const MOST_ALIKE: u32 = 3;
const RANK: u32 = 2;
/// Relative difference below which two distances are equal.
const EQUAL: f64 = 1e-4;
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
    static NEAR: RefCell<(Vec<Near>, Vec<Near>, Vec<Minimum>)> = RefCell::default();
}

impl Mesh {
    /// Distance of the nearest point of the mesh from `x` [m], and the unit vector towards it.
    #[must_use]
    pub fn nearest(&self, x: &Vector3) -> (f64, Vector3) {
        let closest = self.nearest_triangle(x, f64::INFINITY);
        closest.map_or((f64::NAN, Vector3::z()), |(_, c)| (c.distance, c.towards))
    }

    /// The same if it is nearer than `reach` [m].
    #[must_use]
    pub fn nearest_within(&self, x: &Vector3, reach: f64) -> Option<(f64, Vector3)> {
        let closest = self.nearest_triangle(x, reach);
        closest.map(|(_, c)| (c.distance, c.towards))
    }

    /// The number of the triangle that is nearest to `x`; of several the first. `None` if `x` is
    /// not finite.
    #[must_use]
    pub fn triangle_at(&self, x: &Vector3) -> Option<u32> {
        // Most points asked for are on it, and a search by a distance takes less.
        let mut here: Option<(f64, u32)> = None;
        let _ = self.clusters.within(x, self.close, |triangle, at| {
            let one = (at.distance, triangle);
            let nearer =
                |best: &(f64, u32)| one.0.total_cmp(&best.0).then(one.1.cmp(&best.1)).is_lt();
            if here.as_ref().is_none_or(nearer) {
                here = Some(one);
            }
            ControlFlow::Continue(())
        });
        let here = here.map(|(_, triangle)| triangle);
        here.or_else(|| Some(self.nearest_triangle(x, f64::INFINITY)?.0))
    }

    fn nearest_triangle(&self, x: &Vector3, reach: f64) -> Option<(u32, Closest)> {
        // The search would not end at distances that are not numbers.
        let place = Some(*x).filter(|x| x.iter().all(|c| c.is_finite()));
        place.and_then(|x| self.clusters.nearest(&x, reach))
    }

    /// Whether a point of the mesh is nearer to `x` than `reach` [m].
    #[must_use]
    pub fn is_nearer(&self, x: &Vector3, reach: f64) -> bool {
        let any = |_, _| ControlFlow::Break(());
        self.clusters.within(x, reach, any).is_break()
    }

    /// Whether the box around a triangle reaches into the box from `lower` to `upper` [m].
    #[must_use]
    pub fn reaches_into(&self, lower: &Vector3, upper: &Vector3) -> bool {
        let around = AABB::from_corners((*lower).into(), (*upper).into());
        self.clusters.reach_into(around)
    }

    /// Calls `found` with the places near `x` where the distance has a local minimum.
    ///
    /// They are nearer than `reach` [m], and come in ascending order of name; the nearest is always
    /// among them. Of places in the same direction only the nearest counts, of those of one feature
    /// in about the same direction, up to the angle of smooth edges, the three nearest; they are
    /// ranked by distance, so that the name of the nearest stays while a ball rolls over a slightly
    /// concave edge. Other directions of one feature are numbered in a fixed order.
    pub fn touches(&self, x: &Vector3, reach: f64, mut found: impl FnMut(Place)) {
        NEAR.with_borrow_mut(|(near, found_at, minima)| {
            near.clear();
            minima.clear();
            let found_near = |triangle, at| near.push(Near { triangle, at });
            self.clusters.with_minima(x, reach, found_near);
            let order = |a: &Near, b: &Near| {
                (a.at.distance.total_cmp(&b.at.distance)).then(a.triangle.cmp(&b.triangle))
            };
            let Some(nearest) = near.iter().copied().min_by(order) else {
                return;
            };
            found_at.clear();
            let is_minimum =
                |one: &&Near| one.triangle == nearest.triangle || self.is_minimum(x, one);
            found_at.extend(near.iter().filter(is_minimum));
            found_at.sort_unstable_by(order);
            for one in found_at.iter() {
                let (feature, is_open) = self.feature(one);
                if !(is_open && self.is_held(x, one)) {
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
            // In the plane through a nearer minimum, across its direction, others are due to
            // the rounding of points, which bends thin triangles.
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

    /// Whether the distance from `x` has a local minimum at the closest point of a triangle.
    ///
    /// On an edge it has one if it does not fall into any of its triangles, in a corner if it does
    /// not fall along any edge from there.
    fn is_minimum(&self, x: &Vector3, near: &Near) -> bool {
        let point = |k: u32| &self.points[k as usize];
        // By rounding, two triangles may both have their closest point on their common edge.
        let least = LEVEL * near.at.distance;
        match near.at.region {
            Region::Face => true,
            Region::Edge(k) => {
                let edge = self.seams.edges_of(near.triangle)[k];
                let [a, b] = self.seams.ends()[edge as usize];
                let (from, along) = (x - point(a), point(b) - point(a));
                let square = along.norm_squared();
                self.seams.sides(edge).iter().all(|&side| {
                    let corners = self.triangles[side as usize];
                    let third = corners.into_iter().find(|k| *k != a && *k != b);
                    let inward = point(third.unwrap_or(a)) - point(a);
                    let inward = inward - along * (inward.dot(&along) / square);
                    side == near.triangle || inward.dot(&from) <= least * inward.norm()
                })
            }
            Region::Corner(k) => {
                let corner = self.triangles[near.triangle as usize][k];
                let from = x - point(corner);
                let mut fan = self.seams.fan(corner).iter();
                fan.all(|&other| {
                    let along = point(other) - point(corner);
                    along.dot(&from) <= least * along.norm()
                })
            }
        }
    }

    /// The feature that holds a closest point, and whether it is on a border.
    fn feature(&self, near: &Near) -> (u32, bool) {
        let triangle = near.triangle;
        match near.at.region {
            Region::Face => (self.seams.of_triangle(triangle), false),
            Region::Edge(k) => self.seams.of_edge(self.seams.edges_of(triangle)[k]),
            Region::Corner(k) => self.seams.of_point(self.triangles[triangle as usize][k]),
        }
    }

    /// Whether a closest point lies on a triangle that comes nearer.
    ///
    /// An edge may end within another, and a border lie on another part.
    fn is_held(&self, x: &Vector3, one: &Near) -> bool {
        // A little more, as the search leaves out triangles at its reach.
        let reach = self.close * (1.0 + 1e-9) + f64::MIN_POSITIVE;
        let there = self.clusters.within(&one.at.point, reach, |triangle, at| {
            let corners = self.triangles[triangle as usize].map(|k| self.points[k as usize]);
            let holds =
                at.distance <= self.close && closest(x, &corners).distance < one.at.distance;
            match holds {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        there.is_break()
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
    // At rest in an edge the distances of two facets differ by rounding: their order is that of
    // their directions.
    for same in minima.chunk_by_mut(|a, b| (a.feature, a.way) == (b.feature, b.way)) {
        let level = same[0].near.at.distance * (1.0 + EQUAL);
        let equal = same.partition_point(|one| one.near.at.distance <= level);
        let same = &mut same[..equal];
        same.sort_unstable_by(|a, b| {
            let [a, b] = [a, b].map(|one| along.dot(&one.near.at.towards));
            a.total_cmp(&b)
        });
        (0..).zip(same).for_each(|(rank, one)| one.rank = rank);
    }
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
