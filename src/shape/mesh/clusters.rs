//! Close triangles of a smooth patch in clusters: the search for minima of the distance.
//!
//! The vector from a minimum of the distance to the point that sees it lies within the normals
//! there. So a cluster whose normals all point elsewhere has no minimum, and its triangles need not
//! be visited: spatialized normal cones, after Johnson and Cohen (2001). The cost follows the
//! curvature of the mesh, not its fineness.
//!
//! Close clusters form larger ones, several times over, which have such cones, too, as has each
//! triangle; the largest, groups, are in a tree of boxes.

use super::closest::{Closest, closest};
use super::screen::{Cone, Screen};
use super::seams::Seams;
use crate::math::Vector3;
use rstar::{AABB, Envelope, PointDistance, RTree, RTreeObject, SelectionFunction};
use std::ops::Range;

/// The most triangles of a group.
const MOST_OF_GROUP: usize = 4096;

/// The most triangles of a cluster of each level: those of the first are members of groups, the
/// others of clusters of the level before.
const MOST: [usize; 3] = [512, 64, 8];

/// The largest angle of the cone of normals of a cluster that may be left out: its cosine.
const STEEPEST: f64 = 0.5;

/// The triangles of a mesh, by clusters.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    /// The corners of triangles, so that a search reads nothing else.
    corners: Vec<[[f64; 3]; 3]>,
    /// Their numbers.
    numbers: Vec<u32>,
    /// The screen of each.
    screens: Vec<Screen>,
    /// The clusters of each level.
    clusters: [Vec<Cluster>; MOST.len()],
    groups: RTree<Group>,
}

/// Some close triangles of one patch.
#[derive(Clone, Debug)]
struct Cluster {
    screen: Screen,
    /// Its members: clusters of the next level, by number; in the last level triangles, by place.
    first: u32,
    last: u32,
}

/// A group, in a box; its members are clusters of the first level.
#[derive(Clone, Debug)]
struct Group {
    lower: [f64; 3],
    upper: [f64; 3],
    all: Cluster,
}

impl RTreeObject for Group {
    type Envelope = AABB<[f64; 3]>;

    fn envelope(&self) -> Self::Envelope {
        AABB::from_corners(self.lower, self.upper)
    }
}

impl PointDistance for Group {
    /// That of the box.
    fn distance_2(&self, x: &[f64; 3]) -> f64 {
        self.envelope().distance_2(x)
    }
}

impl Cluster {
    /// Its members, by number or place.
    fn members(&self) -> Range<usize> {
        self.first as usize..self.last as usize
    }
}

/// Selects groups, clusters and triangles that a ball may reach; those without a minimum are left
/// out.
#[derive(Clone, Copy)]
pub(super) struct Within {
    centre: Vector3,
    /// Its radius [m].
    reach: f64,
    with_minima: bool,
}

impl Within {
    fn has(&self, screen: &Screen) -> bool {
        if self.with_minima {
            !screen.has_no_minimum(&self.centre, self.reach)
        } else {
            !screen.is_beyond(&self.centre, self.reach)
        }
    }

    fn meets(&self, around: &AABB<[f64; 3]>) -> bool {
        around.distance_2(&self.centre.into()) <= self.reach * self.reach
    }
}

impl SelectionFunction<Group> for Within {
    fn should_unpack_parent(&self, around: &AABB<[f64; 3]>) -> bool {
        self.meets(around)
    }

    fn should_unpack_leaf(&self, group: &Group) -> bool {
        self.meets(&group.envelope()) && self.has(&group.all.screen)
    }
}

impl Clusters {
    /// The triangles of a mesh that is smooth where the cosine of the turn is at least `straight`.
    pub(super) fn new(
        (points, triangles): (&[Vector3], &[[u32; 3]]),
        seams: &Seams,
        straight: f64,
    ) -> Self {
        let of = |t: u32| triangles[t as usize].map(|k| points[k as usize]);
        let mut numbers: Vec<u32> = (0..triangles.len() as u32).collect();
        numbers.sort_by_key(|&t| seams.of_triangle(t));
        let middle = |t: &u32| of(*t).iter().sum::<Vector3>();
        let (mut groups, mut first) = (Vec::new(), 0);
        for patch in numbers.chunk_by_mut(|&a, &b| seams.of_triangle(a) == seams.of_triangle(b)) {
            divide(patch, &middle, (MOST_OF_GROUP, first), &mut groups);
            first += patch.len();
        }
        // The places of each level's clusters, and for each cluster or group of the level before
        // the number of its first member, and last of all their number.
        let mut ranges = vec![groups];
        let mut starts = Vec::new();
        for most in MOST {
            let (mut parts, mut of_level) = (Vec::new(), vec![0_u32]);
            for whole in &ranges[starts.len()] {
                let within = &mut numbers[whole.clone()];
                divide(within, &middle, (most, whole.start), &mut parts);
                of_level.push(parts.len() as u32);
            }
            ranges.push(parts);
            starts.push(of_level);
        }
        let around = around_points(points.len(), triangles);
        let normal = |t: u32| {
            let [a, b, c] = of(t);
            (b - a).cross(&(c - a)).normalize()
        };
        let normals = Normals {
            triangles,
            seams,
            around: &around,
            of: (0..triangles.len() as u32).map(normal).collect(),
            turns_less: straight > STEEPEST,
        };
        let screen = |range: &Range<usize>| {
            let some = &numbers[range.clone()];
            Screen::new(some.iter().flat_map(|&t| of(t)), &normals.cone(some))
        };
        // The groups, or the clusters of a level.
        let level = |k: usize| -> Vec<Cluster> {
            let cluster = |(number, range): (usize, &Range<usize>)| Cluster {
                screen: screen(range),
                first: starts.get(k).map_or(range.start as u32, |of| of[number]),
                last: starts.get(k).map_or(range.end as u32, |of| of[number + 1]),
            };
            ranges[k].iter().enumerate().map(cluster).collect()
        };
        let group = |(range, all): (&Range<usize>, Cluster)| {
            let points_of = || numbers[range.clone()].iter().flat_map(|&t| of(t));
            let start = points[triangles[numbers[range.start] as usize][0] as usize];
            Group {
                lower: points_of().fold(start, |least, x| least.inf(&x)).into(),
                upper: points_of().fold(start, |most, x| most.sup(&x)).into(),
                all,
            }
        };
        let groups = ranges[0].iter().zip(level(0)).map(group);
        let groups = RTree::bulk_load(groups.collect());
        let clusters = [1, 2, 3].map(level);
        let corners = numbers.iter().map(|&t| of(t).map(Into::into)).collect();
        let of_one = |t: &u32| Screen::new(of(*t).into_iter(), &normals.cone(&[*t]));
        let screens = numbers.iter().map(of_one).collect();
        Self {
            corners,
            screens,
            numbers,
            clusters,
            groups,
        }
    }

    /// Calls `visit` with all triangles within `reach` of `x` [m] at which the distance may have a
    /// minimum: number, closest point.
    pub(super) fn with_minima(
        &self,
        x: &Vector3,
        reach: f64,
    ) -> impl Iterator<Item = (u32, Closest)> {
        self.near(x, reach, true)
    }

    /// All triangles within `reach` of `x` [m].
    pub(super) fn within(&self, x: &Vector3, reach: f64) -> impl Iterator<Item = (u32, Closest)> {
        self.near(x, reach, false)
    }

    fn near(
        &self,
        x: &Vector3,
        reach: f64,
        with_minima: bool,
    ) -> impl Iterator<Item = (u32, Closest)> {
        // A little more, as distances are rounded.
        let within = Within {
            centre: *x,
            reach: reach * (1.0 + 1e-9),
            with_minima,
        };
        let groups = self.groups.locate_with_selection_function(within);
        let x = *x;
        let [large, middle, small] = &self.clusters;
        let has = move |cluster: &&Cluster| within.has(&cluster.screen);
        let clusters = groups
            .flat_map(|group| &large[group.all.members()])
            .filter(has);
        let clusters = clusters.flat_map(|one| &middle[one.members()]).filter(has);
        let clusters = clusters.flat_map(|one| &small[one.members()]).filter(has);
        let triangles = clusters.flat_map(Cluster::members);
        let triangles = triangles.filter(move |&k| within.has(&self.screens[k]));
        triangles.filter_map(move |k| {
            if !within.meets(&AABB::from_points(&self.corners[k])) {
                return None;
            }
            let closest = self.closest(k, &x);
            (closest.distance < reach).then_some((self.numbers[k], closest))
        })
    }

    /// The nearest point, if it is nearer than `reach` [m], and the number of its triangle; of two
    /// the first.
    pub(super) fn nearest(&self, x: &Vector3, reach: f64) -> Option<(u32, Closest)> {
        if reach.is_finite() {
            // It is a minimum.
            let order = |(a, at): &(u32, Closest), (b, of_b): &(u32, Closest)| {
                at.distance.total_cmp(&of_b.distance).then(a.cmp(b))
            };
            return self.with_minima(x, reach).min_by(order);
        }
        let mut found = None;
        for (group, square) in self
            .groups
            .nearest_neighbor_iter_with_distance_2((*x).into())
        {
            if square > bound(&found).powi(2) {
                break;
            }
            self.nearest_of(&group.all, 0, x, &mut found);
        }
        found
    }

    /// Looks for a nearer point in a cluster whose members are of this level.
    fn nearest_of(
        &self,
        all: &Cluster,
        level: usize,
        x: &Vector3,
        found: &mut Option<(u32, Closest)>,
    ) {
        let Some(clusters) = self.clusters.get(level) else {
            for k in all.members() {
                let (number, at) = (self.numbers[k], self.closest(k, x));
                let is_nearer = found.as_ref().is_none_or(|(other, best)| {
                    at.distance < best.distance || at.distance == best.distance && number < *other
                });
                if is_nearer {
                    *found = Some((number, at));
                }
            }
            return;
        };
        let members = &clusters[all.members()];
        let mut order: Vec<(f64, &Cluster)> = members
            .iter()
            .map(|one| (one.screen.least_distance(x), one))
            .collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (least, one) in order {
            if least <= bound(found) {
                self.nearest_of(one, level + 1, x, found);
            }
        }
    }

    /// Whether the box around a triangle reaches into a box.
    pub(super) fn reach_into(&self, around: AABB<[f64; 3]>) -> bool {
        self.any_within(around, |_| true)
    }

    /// Whether a triangle whose box meets a box has a property.
    pub(super) fn any_within(
        &self,
        around: AABB<[f64; 3]>,
        has: impl Fn([Vector3; 3]) -> bool,
    ) -> bool {
        let groups = self.groups.locate_in_envelope_intersecting(around);
        let [large, middle, small] = &self.clusters;
        let meets = |one: &&Cluster| one.screen.meets(&around);
        let clusters = groups
            .flat_map(|group| &large[group.all.members()])
            .filter(meets);
        let clusters = clusters
            .flat_map(|one| &middle[one.members()])
            .filter(meets);
        let clusters = clusters.flat_map(|one| &small[one.members()]).filter(meets);
        let mut each = clusters.flat_map(Cluster::members);
        each.any(|k| {
            let corners = &self.corners[k];
            AABB::from_points(corners).intersects(&around) && has(corners.map(Vector3::from))
        })
    }

    fn closest(&self, k: usize, x: &Vector3) -> Closest {
        closest(x, &self.corners[k].map(Vector3::from))
    }
}

/// More than the distance beyond which a point is farther than one that was found [m].
fn bound(found: &Option<(u32, Closest)>) -> f64 {
    let bound = found.as_ref().map_or(f64::INFINITY, |(_, at)| at.distance);
    bound * (1.0 + 1e-9)
}

/// Divides triangles at the middle of their longest extent until parts have at most `most`.
///
/// Adds the parts to `ends`, by place from `first` on.
fn divide(
    some: &mut [u32],
    middle: &impl Fn(&u32) -> Vector3,
    (most, first): (usize, usize),
    ends: &mut Vec<Range<usize>>,
) {
    if some.len() <= most {
        ends.push(first..first + some.len());
        return;
    }
    let start = middle(&some[0]);
    let lower = some.iter().fold(start, |least, t| least.inf(&middle(t)));
    let upper = some.iter().fold(start, |most, t| most.sup(&middle(t)));
    let axis = (upper - lower).imax();
    let half = some.len() / 2;
    some.select_nth_unstable_by(half, |a, b| {
        let [of_a, of_b] = [a, b].map(|t| middle(t)[axis]);
        of_a.total_cmp(&of_b).then(a.cmp(b))
    });
    let (left, right) = some.split_at_mut(half);
    divide(left, middle, (most, first), ends);
    divide(right, middle, (most, first + half), ends);
}

/// The triangles around each point, as starts and members.
fn around_points(points: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; points + 1];
    let corners = || triangles.iter().flatten();
    corners().for_each(|&p| starts[p as usize + 1] += 1);
    for p in 0..points {
        starts[p + 1] += starts[p];
    }
    let mut next = starts.clone();
    let mut members = vec![0; 3 * triangles.len()];
    for (corner, &p) in corners().enumerate() {
        members[next[p as usize] as usize] = (corner / 3) as u32;
        next[p as usize] += 1;
    }
    (starts, members)
}

/// The normals of a mesh.
struct Normals<'m> {
    triangles: &'m [[u32; 3]],
    seams: &'m Seams,
    around: &'m (Vec<u32>, Vec<u32>),
    /// By number of the triangle.
    of: Vec<Vector3>,
    /// Whether smooth edges turn by less than the largest cone. Then the normals of two neighbours
    /// within it, as seen from one side, have one sign.
    turns_less: bool,
}

impl Normals<'_> {
    fn normal(&self, triangle: u32) -> &Vector3 {
        &self.of[triangle as usize]
    }

    /// The cone around the normals of triangles and of all that have a point with them.
    ///
    /// Around a point where all edges are smooth these triangles cover all directions along the
    /// surface. A vector from there that has no positive part along any of their edges, as one to
    /// `x` from a minimum, is then within the cone. On sharp edges and borders it may point
    /// anywhere.
    fn cone(&self, triangles: &[u32]) -> Cone {
        let axis = self.normal(triangles[0]);
        let points = || triangles.iter().flat_map(|&t| self.triangles[t as usize]);
        if !(self.turns_less && points().all(|p| self.seams.is_smooth(p))) {
            return Cone::ANYWHERE;
        }
        let (starts, members) = self.around;
        let of_point = |p: u32| starts[p as usize] as usize..starts[p as usize + 1] as usize;
        let all = || points().flat_map(of_point).map(|k| self.normal(members[k]));
        let sum: Vector3 = all().map(|n| n * n.dot(axis).signum()).sum();
        let axis = sum.normalize();
        let least = all().map(|n| n.dot(&axis).abs()).fold(1.0, f64::min);
        // Not where it is not finite.
        if least > STEEPEST {
            Cone::around(axis, least)
        } else {
            Cone::ANYWHERE
        }
    }
}
