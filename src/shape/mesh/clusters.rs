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
use super::normals::Normals;
use super::screen::{LANES, Screen, Screens, Seen};
use super::seams::Seams;
use crate::math::{Vector3, nan_max};
use rstar::{AABB, PointDistance, RTree, RTreeObject, SelectionFunction};
use std::ops::{ControlFlow, Range};

/// The most triangles of a group.
const MOST_OF_GROUP: usize = LANES * MOST[0];

/// The most triangles of a member of a node, by level; in the last level members are triangles.
const MOST: [usize; 4] = [LANES * LANES * LANES, LANES * LANES, LANES, 1];

/// The triangles of a mesh, by clusters.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    /// The corners of triangles, so that a search reads nothing else.
    corners: Vec<[[f64; 3]; 3]>,
    /// Their numbers.
    numbers: Vec<u32>,
    /// The nodes of each level.
    nodes: [Vec<Node>; MOST.len()],
    groups: RTree<Group>,
    /// The middle of the mesh, and more than the distance of its points from there [m].
    middle: Vector3,
    size: f64,
}

/// Some close triangles of one patch, in up to eight members.
#[derive(Clone, Debug)]
struct Node {
    screens: Screens,
    /// Its members: nodes of the next level, by number; in the last level triangles, by place.
    first: u32,
    /// A bit for each.
    members: u32,
}

/// A group of close triangles of one patch, in a box.
#[derive(Clone, Debug)]
struct Group {
    lower: [f64; 3],
    upper: [f64; 3],
    /// The level of its node, and the number there.
    node: (usize, u32),
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
        rstar::Envelope::distance_2(&self.envelope(), x)
    }
}

impl Node {
    /// The members of some bits, by number or place.
    fn some(&self, bits: u32) -> impl Iterator<Item = u32> {
        let mut left = bits & self.members;
        std::iter::from_fn(move || {
            let next = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(self.first + next)
        })
    }
}

/// Selects groups that a ball may reach.
#[derive(Clone, Copy)]
struct Within {
    centre: Vector3,
    /// Its radius [m].
    reach: f64,
}

impl Within {
    fn meets(&self, around: &AABB<[f64; 3]>) -> bool {
        around.distance_2(&self.centre.into()) <= self.reach * self.reach
    }
}

impl SelectionFunction<Group> for Within {
    fn should_unpack_parent(&self, around: &AABB<[f64; 3]>) -> bool {
        self.meets(around)
    }

    fn should_unpack_leaf(&self, group: &Group) -> bool {
        self.meets(&group.envelope())
    }
}

/// The building of nodes.
struct Builder<'m> {
    points: &'m [Vector3],
    triangles: &'m [[u32; 3]],
    normals: Normals<'m>,
    middle: Vector3,
    numbers: Vec<u32>,
    nodes: [Vec<Node>; MOST.len()],
}

impl Builder<'_> {
    /// The corners of some triangles, by place.
    fn corners(&self, range: Range<usize>) -> impl Iterator<Item = Vector3> + Clone {
        let of = |t: &u32| self.triangles[*t as usize].map(|k| self.points[k as usize]);
        self.numbers[range].iter().flat_map(of)
    }

    /// Divides triangles, by place, into parts of at most `most`.
    fn divide(&mut self, range: &Range<usize>, most: usize) -> Vec<Range<usize>> {
        let (points, triangles) = (self.points, self.triangles);
        let middle = |t: &u32| {
            let corners = triangles[*t as usize].map(|k| points[k as usize]);
            corners.iter().sum::<Vector3>()
        };
        let mut parts = Vec::new();
        let some = &mut self.numbers[range.clone()];
        divide(some, &middle, (most, range.start), &mut parts);
        parts
    }

    /// Adds a node of a level for some triangles, at a place that is there; returns its screen.
    fn add(&mut self, level: usize, place: usize, range: &Range<usize>) -> Screen {
        let parts = self.divide(range, MOST[level]);
        let (first, screens): (usize, Vec<Screen>) = match level + 1 == MOST.len() {
            true => {
                let of_one = |k: usize| {
                    let cone = self.normals.cone(self.numbers[k]);
                    Screen::new(self.corners(k..k + 1), cone)
                };
                (range.start, range.clone().map(of_one).collect())
            }
            false => {
                let first = self.room(level + 1, parts.len());
                let each = parts.iter().enumerate();
                let screens = each.map(|(k, part)| self.add(level + 1, first + k, part));
                (first, screens.collect())
            }
        };
        self.nodes[level][place] = Node {
            screens: Screens::new(&screens, &self.middle),
            first: first as u32,
            members: (1 << screens.len()) - 1,
        };
        Screen::of_parts(self.corners(range.clone()), &screens)
    }

    /// Makes room for some nodes of a level, one after the other; returns the place of the first.
    fn room(&mut self, level: usize, count: usize) -> usize {
        let nodes = &mut self.nodes[level];
        let first = nodes.len();
        let empty = Node {
            screens: Screens::new(&[], &self.middle),
            first: 0,
            members: 0,
        };
        nodes.resize(first + count, empty);
        first
    }

    /// A group of some triangles.
    fn group(&mut self, range: &Range<usize>) -> Group {
        let small = |level: &usize| range.len() <= LANES * MOST[*level];
        let level = (0..MOST.len()).rev().find(small).unwrap_or_default();
        let place = self.room(level, 1);
        self.add(level, place, range);
        let start = self.corners(range.clone()).next().unwrap_or_default();
        let corners = || self.corners(range.clone());
        Group {
            lower: corners().fold(start, |least, x| least.inf(&x)).into(),
            upper: corners().fold(start, |most, x| most.sup(&x)).into(),
            node: (level, place as u32),
        }
    }
}

impl Clusters {
    /// The triangles of a mesh that is smooth where the cosine of the turn is at least `straight`.
    pub(super) fn new(
        (points, triangles): (&[Vector3], &[[u32; 3]]),
        seams: &Seams,
        straight: f64,
    ) -> Self {
        let mut numbers: Vec<u32> = (0..triangles.len() as u32).collect();
        numbers.sort_by_key(|&t| seams.of_triangle(t));
        let start = points.first().copied().unwrap_or_default();
        let lower = points.iter().fold(start, |least, x| least.inf(x));
        let upper = points.iter().fold(start, |most, x| most.sup(x));
        let middle = (lower + upper) * 0.5;
        let away = points.iter().map(|x| (x - middle).amax());
        let same = |&a: &u32, &b: &u32| seams.of_triangle(a) == seams.of_triangle(b);
        let patches: Vec<usize> = numbers.chunk_by(same).map(<[u32]>::len).collect();
        let mut builder = Builder {
            points,
            triangles,
            normals: Normals::new((points, triangles), seams, straight),
            middle,
            numbers,
            nodes: [const { Vec::new() }; MOST.len()],
        };
        let (mut groups, mut first) = (Vec::new(), 0);
        for count in patches {
            for range in builder.divide(&(first..first + count), MOST_OF_GROUP) {
                groups.push(builder.group(&range));
            }
            first += count;
        }
        let Builder { numbers, nodes, .. } = builder;
        let of = |t: &u32| triangles[*t as usize].map(|k| points[k as usize].into());
        Self {
            corners: numbers.iter().map(of).collect(),
            numbers,
            nodes,
            groups: RTree::bulk_load(groups),
            middle,
            size: away.fold(0.0, nan_max),
        }
    }

    /// Calls `found` with all triangles within `reach` of `x` [m] at which the distance may have a
    /// minimum: number, closest point.
    pub(super) fn with_minima(&self, x: &Vector3, reach: f64, mut found: impl FnMut(u32, Closest)) {
        let found = |t, at| {
            found(t, at);
            ControlFlow::Continue(())
        };
        let _ = self.search(x, reach, Screens::with_minima, found);
    }

    /// Calls `found` with all triangles within `reach` of `x` [m], until it breaks.
    pub(super) fn within(
        &self,
        x: &Vector3,
        reach: f64,
        found: impl FnMut(u32, Closest) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.search(x, reach, Screens::within, found)
    }

    #[inline(always)]
    fn search(
        &self,
        x: &Vector3,
        reach: f64,
        has: impl Fn(&Screens, &Seen) -> u32,
        mut found: impl FnMut(u32, Closest) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // A little more, as distances are rounded.
        let within = Within {
            centre: *x,
            reach: reach * (1.0 + 1e-9),
        };
        let seen = Seen::new(&(x - self.middle), within.reach, self.size);
        for group in self.groups.locate_with_selection_function(within) {
            self.visit(
                group,
                |screens| has(screens, &seen),
                |k| {
                    if !within.meets(&AABB::from_points(&self.corners[k])) {
                        return ControlFlow::Continue(());
                    }
                    let closest = self.closest(k, x);
                    match closest.distance < reach {
                        true => found(self.numbers[k], closest),
                        false => ControlFlow::Continue(()),
                    }
                },
            )?;
        }
        ControlFlow::Continue(())
    }

    /// Visits the triangles of a group, by place, whose screens and those above them are selected.
    #[inline(always)]
    fn visit(
        &self,
        group: &Group,
        has: impl Fn(&Screens) -> u32,
        mut visit: impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Nodes to be visited, with their levels: at most those left of one node in each level.
        let mut waiting = [(0_u32, 0_u32); MOST.len() * LANES];
        let (level, place) = group.node;
        let mut depth = 1;
        waiting[0] = (level as u32, place);
        while depth > 0 {
            depth -= 1;
            let (level, place) = waiting[depth];
            let node = &self.nodes[level as usize][place as usize];
            let some = node.some(has(&node.screens));
            if level as usize + 1 == MOST.len() {
                for k in some {
                    visit(k as usize)?;
                }
            } else {
                for next in some {
                    waiting[depth] = (level + 1, next);
                    depth += 1;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The nearest point, if it is nearer than `reach` [m], and the number of its triangle; of two
    /// the first.
    pub(super) fn nearest(&self, x: &Vector3, reach: f64) -> Option<(u32, Closest)> {
        let mut found = None;
        if reach.is_finite() {
            // It is a minimum.
            self.with_minima(x, reach, |number, at| take_nearer(number, at, &mut found));
            return found;
        }
        let place = (*x).into();
        let seen = Seen::new(&(x - self.middle), 0.0, self.size);
        for (group, square) in self.groups.nearest_neighbor_iter_with_distance_2(place) {
            if square > bound(&found).powi(2) {
                break;
            }
            self.nearest_of(group.node, (x, &seen), &mut found);
        }
        found
    }

    /// Looks for a nearer point in a node.
    fn nearest_of(
        &self,
        (level, place): (usize, u32),
        (x, seen): (&Vector3, &Seen),
        found: &mut Option<(u32, Closest)>,
    ) {
        let node = &self.nodes[level][place as usize];
        let least = node.screens.least_distances(seen);
        let mut order: Vec<(f64, u32)> = node
            .some(u32::MAX)
            .zip(least)
            .map(|(k, d)| (d, k))
            .collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (least, k) in order {
            if least > bound(found) {
                return;
            }
            if level + 1 == MOST.len() {
                let k = k as usize;
                take_nearer(self.numbers[k], self.closest(k, x), found);
            } else {
                self.nearest_of((level + 1, k), (x, seen), found);
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
        let [lower, upper] = [around.lower(), around.upper()].map(Vector3::from);
        let slack = 1e-6 * (lower.amax() + upper.amax() + self.middle.amax() + self.size);
        let seen = AABB::from_corners((lower - self.middle).into(), (upper - self.middle).into());
        let mut groups = self.groups.locate_in_envelope_intersecting(around);
        groups.any(|group| {
            let meets = |screens: &Screens| screens.meet(&seen, slack);
            let visited = self.visit(group, meets, |k| {
                let corners = &self.corners[k];
                let around_it = AABB::from_points(corners);
                let meets = rstar::Envelope::intersects(&around_it, &around);
                match meets && has(corners.map(Vector3::from)) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            visited.is_break()
        })
    }

    fn closest(&self, k: usize, x: &Vector3) -> Closest {
        closest(x, &self.corners[k].map(Vector3::from))
    }
}

/// Takes a point of a triangle if it is nearer than that found, of equal ones the first triangle's.
fn take_nearer(number: u32, at: Closest, found: &mut Option<(u32, Closest)>) {
    let is_nearer = found.as_ref().is_none_or(|(other, best)| {
        (at.distance
            .total_cmp(&best.distance)
            .then(number.cmp(other)))
        .is_lt()
    });
    if is_nearer {
        *found = Some((number, at));
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
