//! Detection compared with all pairs and with the plain search, also on hard sets of bodies.

mod amounts;
mod clumps;
mod extremes;
mod sheared;
mod surfaces;

use super::*;
use crate::body::BodyId;
use crate::body::BodyRow;
use crate::rng::{Purpose, Stream};
use std::collections::BTreeSet;

type Pairs = BTreeSet<(usize, usize)>;

/// Spheres of unit mass with ids in the order of the positions.
fn bodies(x: &[Vector3], r: &[f64]) -> Bodies {
    let each = x.iter().zip(r).enumerate();
    let rows: Vec<BodyRow> = each
        .map(|(k, (x, &r))| BodyRow::sphere(BodyId(3 * k as u64), (*x).into(), r, 1.0))
        .collect();
    Bodies::from_rows(&rows)
}

/// The pairs found, which must come in ascending order, each once.
fn found(x: &[Vector3], r: &[f64], margin: f64, period: &Period) -> Pairs {
    let found = candidates(&bodies(x, r), &[], margin, period, |_| true);
    for two in found.windows(2) {
        assert!(
            two[0].key < two[1].key,
            "{:?} before {:?}",
            two[0].key,
            two[1].key
        );
    }
    let pair = |c: &Candidate| match c.b {
        Partner::Body(b) => (c.a, b),
        Partner::Wall(w) => panic!("wall {w}"),
    };
    found.iter().map(pair).collect()
}

/// The same by comparison of all pairs.
fn by_brute_force(x: &[Vector3], r: &[f64], margin: f64, period: &Period) -> Pairs {
    let all = (0..x.len()).flat_map(|i| (i + 1..x.len()).map(move |j| (i, j)));
    let near = |i: usize, j: usize| {
        let branch = period.difference(&x[i], &x[j]);
        sphere::sphere_sphere(&x[i], r[i], &branch, r[j]).gap < margin
    };
    all.filter(|&(i, j)| near(i, j)).collect()
}

/// Radii up to 1 in a given ratio, log-uniform.
fn radii(draw: &mut Stream, n: usize, ratio: f64) -> Vec<f64> {
    (0..n)
        .map(|_| libm::pow(ratio, draw.unit()) / ratio)
        .collect()
}

fn point(draw: &mut Stream, side: f64) -> Vector3 {
    Vector3::from([0; 3].map(|_| draw.between(-side, side)))
}

/// Validation G1: the pairs are those found by brute force, sparse and overlapping, with any radii.
#[test]
fn g1_same_pairs_as_brute_force() {
    let mut pairs = 0;
    for trial in 0..200 {
        let mut draw = Stream::new(Purpose::Trial, 11, [trial, 0, 0]);
        let n = draw.below(if trial % 20 == 0 { 3000 } else { 300 }) as usize;
        let side = libm::pow(10.0, draw.between(-0.5, 2.0));
        let flat = [1.0, 1.0, [0.0, 1e-3, 1.0][draw.below(3) as usize]];
        let ratio = [1.0, 1.2, 10.0, 100.0, 1e4][draw.below(5) as usize];
        let x: Vec<Vector3> = (0..n)
            .map(|_| point(&mut draw, side).component_mul(&Vector3::from(flat)))
            .collect();
        let r = radii(&mut draw, n, ratio);
        let margin = [0.0, draw.between(0.0, 0.3)][draw.below(2) as usize];
        let expected = by_brute_force(&x, &r, margin, &Period::NONE);
        pairs += expected.len();
        assert_eq!(
            found(&x, &r, margin, &Period::NONE),
            expected,
            "trial {trial}"
        );
    }
    assert!(pairs > 100_000, "{pairs}");
}

/// Validation G2: a size belongs to one group, on a boundary to the one that it just fits.
///
/// The number of groups follows from the ratio of sizes.
#[test]
fn g2_size_groups() {
    use groups::{MOST_GROUPS, group_of};
    assert_eq!(
        [1.0, 0.51, 0.5, 0.26, 0.25].map(|d| group_of(d, 1.0)),
        [0, 0, 1, 1, 2]
    );
    for n in 0..MOST_GROUPS {
        let edge = 0.7 * libm::exp2(-(n as f64));
        assert_eq!(group_of(edge, 0.7), n);
        assert_eq!(group_of(edge * (1.0 + 1e-12), 0.7), n.saturating_sub(1));
    }
    assert_eq!(group_of(0.01, 1.0), 6);
    for tiny in [1e-300, 0.0, -1.0] {
        assert_eq!(group_of(tiny, 1.0), MOST_GROUPS - 1);
    }
    let x: Vec<Vector3> = (0..4).map(|k| Vector3::x() * f64::from(k)).collect();
    let count = |r: &[f64]| {
        let (mut sorted, period) = (Sorted::default(), Period::NONE);
        let groups = Groups::new((&x, r), 0.0, &period, &mut sorted, None);
        assert_eq!(sorted.len, 4);
        groups.groups.iter().map(|g| g.bodies).collect::<Vec<_>>()
    };
    assert_eq!(count(&[1.0, 0.51, 0.8, 1.0]), [4]);
    assert_eq!(count(&[0.5, 1.0, 0.25, 1.0]), [2, 1, 1]);
    assert_eq!(count(&[1.0, 0.001, 0.001, 0.0]), [1, 2, 1]);
}

/// Validation G3: half the sum of the buffer boxes decides, for either order of ids and any ratio
/// of sizes.
#[test]
fn g3_half_sum_of_the_boxes() {
    for exponent in 0..40 {
        let (r, margin) = (libm::pow(0.6, f64::from(exponent)), 1e-3);
        for trial in 0..20 {
            let mut draw = Stream::new(Purpose::Trial, 13, [trial, exponent as u64, 0]);
            let (at, way) = (point(&mut draw, 1e3), point(&mut draw, 1.0).normalize());
            for (part, near) in [(1.0 - 1e-9, true), (1.0 + 1e-9, false)] {
                let other = at + way * ((1.0 + r + margin) * part);
                let expected = Pairs::from_iter(near.then_some((0, 1)));
                let none = Period::NONE;
                assert_eq!(found(&[at, other], &[1.0, r], margin, &none), expected);
                assert_eq!(found(&[other, at], &[r, 1.0], margin, &none), expected);
            }
        }
    }
}

/// Validation G6: another order, another origin, other axes: the same pairs.
#[test]
fn g6_order_place_and_axes_do_not_matter() {
    for trial in 0..30 {
        let mut draw = Stream::new(Purpose::Trial, 14, [trial, 0, 0]);
        let x: Vec<Vector3> = (0..400).map(|_| point(&mut draw, 5.0)).collect();
        let r = radii(&mut draw, 400, 30.0);
        let first = found(&x, &r, 0.05, &Period::NONE);
        let mut order: Vec<usize> = (0..400).collect();
        draw.shuffle(&mut order);
        let permuted: Vec<Vector3> = order.iter().map(|&k| x[k].yzx()).collect();
        let radii: Vec<f64> = order.iter().map(|&k| r[k]).collect();
        let named = found(&permuted, &radii, 0.05, &Period::NONE);
        let named = named.iter().map(|&(i, j)| (order[i], order[j]));
        assert_eq!(
            named.map(|(i, j)| (i.min(j), i.max(j))).collect::<Pairs>(),
            first
        );
        // A displacement by numbers that leave all differences exact.
        let by = Vector3::from([0; 3].map(|_| f64::from(draw.below(64)) / 16.0));
        let exact = |x: &Vector3| x.map(|c| (c * 1048576.0).round() / 1048576.0);
        let here: Vec<Vector3> = x.iter().map(exact).collect();
        let there: Vec<Vector3> = here.iter().map(|x| x + by).collect();
        assert_eq!(
            found(&here, &r, 0.05, &Period::NONE),
            found(&there, &r, 0.05, &Period::NONE)
        );
    }
}

/// Validation G7: across periodic faces the pairs are those found with all 27 images, each once.
///
/// Periodic on any axes, with bodies over all of the period or a part of it, and fewer than three
/// cells on an axis.
#[test]
fn g7_pairs_across_periodic_faces_as_by_all_images() {
    let mut across = 0;
    for trial in 0..400 {
        let mut draw = Stream::new(Purpose::Trial, 12, [trial, 0, 0]);
        let n = draw.below(120) as usize;
        let periodic = [0; 3].map(|_| draw.below(3) > 0);
        // So wide that two bodies are close across one side only: two diameters and margins.
        let upper = Vector3::from([0; 3].map(|_| {
            let most = [5.0, 9.0, 40.0][draw.below(3) as usize];
            draw.between(4.6, most)
        }));
        let part = [0; 3].map(|_| [0.2, 0.9, 1.0][draw.below(3) as usize]);
        let shift = Vector3::from([0; 3].map(|_| draw.between(-10.0, 10.0)));
        let period = Period::of_box(&shift, &(upper + shift), periodic);
        let turn = Vector3::from([0; 3].map(|_| draw.unit())).component_mul(&upper);
        let x: Vec<Vector3> = (0..n)
            .map(|_| {
                let at = [0, 1, 2].map(|a| draw.unit() * part[a] * upper[a]);
                period.wrapped(&(Vector3::from(at) + turn + shift)).0
            })
            .collect();
        let least = [0.2, 0.01][draw.below(2) as usize];
        let r: Vec<f64> = (0..n).map(|_| draw.between(least, 1.0)).collect();
        let margin = draw.between(0.0, 0.3);
        let mut expected = BTreeSet::new();
        for i in 0..n {
            for j in i + 1..n {
                for image in 0..27 {
                    let steps = [image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1];
                    let way =
                        [0, 1, 2].map(|a| f64::from(steps[a]) * period.length[a].unwrap_or(0.0));
                    let d = (x[j] - x[i] + Vector3::from(way)).norm();
                    if d < r[i] + r[j] + margin {
                        expected.insert((i, j));
                        across += usize::from(way != [0.0; 3]);
                    }
                }
            }
        }
        assert_eq!(found(&x, &r, margin, &period), expected, "trial {trial}");
    }
    assert!(across > 1000, "{across}");
}
