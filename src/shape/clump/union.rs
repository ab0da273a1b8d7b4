//! Volume, centre and second moments of a union of balls or discs.
//!
//! Each slice of a union of balls is a union of discs, whose moments are exact: Green's theorem
//! over the arcs that no other disc covers. The slices are integrated over the height by Gauss'
//! rule, piece by piece between the heights where the slice changes its form: poles of balls, and
//! of the circles in which two balls intersect. `z = a + (b − a) s²(3 − 2s)` makes the square roots
//! at these heights smooth, so the rule converges exponentially; where three balls intersect,
//! pieces are halved.

use super::part::Part;
use crate::math::Vector3;
use std::f64::consts::PI;

/// Points of Gauss' rule in a piece.
const POINTS: usize = 12;

/// Accepted difference between a piece and its halves, relative to the volume over the number of
/// pieces.
const TOLERANCE: f64 = 1e-11;

/// Rounding error of a piece, relative to its volume.
const ROUNDING: f64 = 1e-14;

/// Largest number of halvings of a piece.
const HALVINGS: u32 = 40;

/// Integrals over a union of unit density: 1 [m³]; x, y, z [m⁴]; xx, yy, zz, xy, xz, yz [m⁵].
///
/// For discs they are over the area, per metre of thickness.
pub(super) type Integrals = [f64; 10];

/// A disc of a slice: centre and radius [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    pub(super) centre: [f64; 2],
    pub(super) radius: f64,
}

/// Whether a circle or ball of radius `r` [m] is inside another of radius `other` at distance `d`.
///
/// Of two that coincide, `first` is the one that covers.
pub(super) fn covered(d: f64, r: f64, other: f64, first: bool) -> bool {
    let (inside, around) = (d + r <= other, d + other <= r);
    inside && (!around || first)
}

/// The integrals over a union of balls, and a bound on their error by the convergence of the sum.
///
/// `neighbours` are the balls that each ball overlaps.
pub(super) fn of_balls(parts: &[Part], neighbours: &[Vec<u32>]) -> (Integrals, Integrals) {
    let heights = heights(parts);
    let mut slice = Slice::default();
    let mut piece = |from: f64, to: f64| slice.piece(parts, neighbours, from, to);
    let pieces: Vec<([f64; 2], Integrals)> = heights
        .windows(2)
        .map(|z| ([z[0], z[1]], piece(z[0], z[1])))
        .collect();
    let rough: f64 = pieces.iter().map(|(_, sums)| sums[0]).sum();
    let allowed = TOLERANCE * rough / pieces.len() as f64;
    let (mut sums, mut errors) = ([0.0; 10], [0.0; 10]);
    // Depth first, from below: so the order of the sum depends on the clump alone.
    let mut stack: Vec<_> = pieces
        .into_iter()
        .rev()
        .map(|(z, whole)| (z, whole, 0))
        .collect();
    while let Some(([from, to], whole, halvings)) = stack.pop() {
        let middle = 0.5 * (from + to);
        let (low, high) = (piece(from, middle), piece(middle, to));
        let error: Integrals = std::array::from_fn(|k| (whole[k] - low[k] - high[k]).abs());
        let most = error.iter().copied().fold(0.0, f64::max);
        if most > allowed + ROUNDING * whole[0] && halvings < HALVINGS {
            stack.push(([middle, to], high, halvings + 1));
            stack.push(([from, middle], low, halvings + 1));
            continue;
        }
        for k in 0..10 {
            sums[k] += low[k] + high[k];
            errors[k] += error[k];
        }
    }
    (sums, errors)
}

/// The integrals over a union of discs in the plane z = 0: exact.
pub(super) fn of_discs(parts: &[Part]) -> Integrals {
    let discs: Vec<Disc> = parts.iter().map(Disc::of).collect();
    let all: Vec<u32> = (0..parts.len() as u32).collect();
    let mut arcs = Vec::new();
    let mut sums = [0.0; 6];
    for i in 0..discs.len() {
        let others = all.iter().map(|&j| (j as usize, Some(discs[j as usize])));
        add_exposed(i, &discs[i], others, &mut arcs, &mut sums);
    }
    let [area, x, y, xx, yy, xy] = sums;
    [area, x, y, 0.0, xx, yy, 0.0, xy, 0.0, 0.0]
}

impl Disc {
    fn of(part: &Part) -> Self {
        Self {
            centre: [part.centre.x, part.centre.y],
            radius: part.radius,
        }
    }
}

/// Heights at which the slice changes its form, except where three balls intersect; ascending.
fn heights(parts: &[Part]) -> Vec<f64> {
    let mut heights = Vec::new();
    for (i, a) in parts.iter().enumerate() {
        heights.extend([a.centre.z - a.radius, a.centre.z + a.radius]);
        for b in &parts[i + 1..] {
            let branch = b.centre - a.centre;
            let d = branch.norm();
            if d >= a.radius + b.radius || d <= (a.radius - b.radius).abs() {
                continue;
            }
            let along = 0.5 * (d + (a.radius - b.radius) * (a.radius + b.radius) / d);
            let radius = ((a.radius - along) * (a.radius + along)).max(0.0).sqrt();
            let (n, centre) = (branch / d, a.centre + branch * (along / d));
            let rise = radius * ((1.0 - n.z) * (1.0 + n.z)).max(0.0).sqrt();
            heights.extend([centre.z - rise, centre.z + rise]);
        }
    }
    heights.sort_by(f64::total_cmp);
    let least = 1e-12 * (heights[heights.len() - 1] - heights[0]);
    heights.dedup_by(|next, last| *next - *last <= least);
    heights
}

/// The memory for the computation of slices.
#[derive(Default)]
struct Slice {
    rule: Vec<(f64, f64)>,
    discs: Vec<Option<Disc>>,
    arcs: Vec<[f64; 2]>,
}

impl Slice {
    /// The integrals between two heights [m] by one rule.
    fn piece(&mut self, parts: &[Part], neighbours: &[Vec<u32>], from: f64, to: f64) -> Integrals {
        if self.rule.is_empty() {
            self.rule = gauss();
        }
        let mut sums = [0.0; 10];
        for k in 0..self.rule.len() {
            let (s, weight) = self.rule[k];
            let z = from + (to - from) * s * s * (3.0 - 2.0 * s);
            let weight = weight * (to - from) * 6.0 * s * (1.0 - s);
            let [area, x, y, xx, yy, xy] = self.at(parts, neighbours, z);
            let terms = [area, x, y, z * area, xx, yy, z * z * area, xy, z * x, z * y];
            sums.iter_mut()
                .zip(terms)
                .for_each(|(sum, term)| *sum += weight * term);
        }
        sums
    }

    /// Moments of the slice at a height [m]: area 1 [m²], first x, y [m³], second xx, yy, xy [m⁴].
    fn at(&mut self, parts: &[Part], neighbours: &[Vec<u32>], z: f64) -> [f64; 6] {
        self.discs.clear();
        self.discs.extend(parts.iter().map(|part| {
            let up = (z - part.centre.z).abs();
            let cut = (part.radius - up) * (part.radius + up);
            (cut > 0.0).then(|| Disc {
                radius: cut.sqrt(),
                ..Disc::of(part)
            })
        }));
        let (discs, arcs) = (&self.discs, &mut self.arcs);
        let mut sums = [0.0; 6];
        for (i, disc) in discs.iter().enumerate() {
            let Some(disc) = disc else { continue };
            let others = neighbours[i]
                .iter()
                .map(|&j| (j as usize, discs[j as usize]));
            add_exposed(i, disc, others, arcs, &mut sums);
        }
        sums
    }
}

/// Adds the contribution of the exposed arcs of disc `i` to area and moments.
///
/// These are the arcs that no other disc covers. `others` may contain the disc itself.
fn add_exposed(
    i: usize,
    disc: &Disc,
    others: impl Iterator<Item = (usize, Option<Disc>)>,
    arcs: &mut Vec<[f64; 2]>,
    sums: &mut [f64; 6],
) {
    arcs.clear();
    let r = disc.radius;
    for (j, other) in others {
        let Some(other) = other.filter(|_| j != i) else {
            continue;
        };
        let branch = [0, 1].map(|k| other.centre[k] - disc.centre[k]);
        let square = branch[0] * branch[0] + branch[1] * branch[1];
        let d = square.sqrt();
        if covered(d, r, other.radius, j < i) {
            return;
        }
        let (sum, difference) = (r + other.radius, r - other.radius);
        if d >= sum || d <= difference.abs() {
            continue;
        }
        // Half the covered arc: 2 d r cos and 2 d r sin, the sine without the cancellation of 1 −
        // cos².
        let sine = ((sum - d) * (sum + d) * (d - difference) * (d + difference))
            .max(0.0)
            .sqrt();
        let half = libm::atan2(sine, square + difference * sum);
        let middle = libm::atan2(branch[1], branch[0]);
        // From −π to π; an arc across ±π is split into two.
        let (from, to) = (middle - half, middle + half);
        if from < -PI {
            arcs.extend([[from + 2.0 * PI, PI], [-PI, to]]);
        } else if to > PI {
            arcs.extend([[from, PI], [-PI, to - 2.0 * PI]]);
        } else {
            arcs.push([from, to]);
        }
    }
    arcs.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut open = -PI;
    for &[from, to] in &*arcs {
        if from > open {
            add_arc(disc, open, from, sums);
        }
        open = open.max(to);
    }
    if open < PI {
        add_arc(disc, open, PI, sums);
    }
}

/// Adds the line integrals of Green's theorem over an arc.
///
/// They are `½∮(x dy − y dx)`, `½∮x² dy`, `−½∮y² dx`, `⅓∮x³ dy`, `−⅓∮y³ dx` and `½∮x² y dy`.
fn add_arc(disc: &Disc, from: f64, to: f64, sums: &mut [f64; 6]) {
    let ([x, y], r) = (disc.centre, disc.radius);
    let angle = to - from;
    let of = |f: &dyn Fn(f64, f64) -> f64| {
        let at = |t: f64| f(libm::cos(t), libm::sin(t));
        at(to) - at(from)
    };
    // Integrals over the angle of products of cosines (c) and sines (s).
    let (c, s) = (of(&|_, s| s), of(&|c, _| -c));
    let (double, four) = (
        of(&|c, s| 2.0 * s * c),
        of(&|c, s| 4.0 * s * c * (c * c - s * s)),
    );
    let (cc, ss) = (0.5 * angle + 0.25 * double, 0.5 * angle - 0.25 * double);
    let cs = of(&|_, s| 0.5 * s * s);
    let ccc = of(&|_, s| s - s * s * s / 3.0);
    let sss = of(&|c, _| c * c * c / 3.0 - c);
    let ccs = of(&|c, _| -c * c * c / 3.0);
    let cccc = 0.375 * angle + 0.25 * double + four / 32.0;
    let ssss = 0.375 * angle - 0.25 * double + four / 32.0;
    let cccs = of(&|c, _| -0.25 * c * c * c * c);
    sums[0] += 0.5 * r * (x * c + y * s + r * angle);
    sums[1] += 0.5 * r * (x * x * c + 2.0 * x * r * cc + r * r * ccc);
    sums[2] += 0.5 * r * (y * y * s + 2.0 * y * r * ss + r * r * sss);
    let third = |u: f64, one: f64, two: f64, three: f64, four: f64| {
        r / 3.0 * (u * u * u * one + 3.0 * u * r * (u * two + r * three) + r * r * r * four)
    };
    sums[3] += third(x, c, cc, ccc, cccc);
    sums[4] += third(y, s, ss, sss, ssss);
    let with_y = x * x * c + 2.0 * x * r * cc + r * r * ccc;
    let with_s = x * x * cs + 2.0 * x * r * ccs + r * r * cccs;
    sums[5] += 0.5 * r * (y * with_y + r * with_s);
}

/// Points between 0 and 1 and weights of Gauss' rule, by Newton's method on Legendre's polynomial.
fn gauss() -> Vec<(f64, f64)> {
    let n = POINTS as f64;
    let legendre = |x: f64| {
        let (mut p, mut before) = (x, 1.0);
        for k in 1..POINTS {
            let k = k as f64;
            (p, before) = (((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0), p);
        }
        (p, n * (x * p - before) / (x * x - 1.0))
    };
    let point = |k: usize| {
        let mut x = -libm::cos(PI * (k as f64 + 0.75) / (n + 0.5));
        for _ in 0..8 {
            let (p, slope) = legendre(x);
            x -= p / slope;
        }
        let (_, slope) = legendre(x);
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..POINTS).map(point).collect()
}

/// Centre [m] of a unit mass and second moments [m²] about it, xx, yy, zz, xy, xz, yz, from
/// integrals.
pub(super) fn about_centre(sums: &Integrals) -> (Vector3, [f64; 6]) {
    let volume = sums[0];
    let centre = Vector3::new(sums[1], sums[2], sums[3]) / volume;
    let axes = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let second = |k: usize| {
        let (a, b) = axes[k];
        sums[4 + k] / volume - centre[a] * centre[b]
    };
    (centre, std::array::from_fn(second))
}
