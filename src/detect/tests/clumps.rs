//! Touches of clumps, compared with those of all parts with all parts, and with results by hand.

use super::*;
use crate::body::BodyId;
use crate::math::{IDENTITY, Quaternion, rotate, turned};
use crate::shape::clump::{Given, Part};
use crate::shape::{HalfSpace, Surface};
use std::collections::BTreeMap;

fn part(x: f64, y: f64, z: f64, radius: f64) -> Part {
    Part {
        centre: Vector3::new(x, y, z),
        radius,
    }
}

fn template(parts: &[Part]) -> Template {
    Template::new("clump", parts, false, &Given::default()).unwrap()
}

/// A body of a shape, number 0: a ball, with its bounding radius.
fn row(id: u64, at: Vector3, radius: f64, q: Quaternion, shape: u32) -> BodyRow {
    BodyRow {
        orientation: q,
        shape,
        ..BodyRow::sphere(BodyId(id), at.into(), radius, 1.0)
    }
}

fn detected(rows: &[BodyRow], space: &Space) -> Vec<Candidate> {
    let mut found = Vec::new();
    let bodies = Bodies::from_rows(rows);
    Detector::default().detect(&bodies, space, |_| true, &Pool::default(), &mut found);
    for two in found.windows(2) {
        assert!(
            two[0].key < two[1].key,
            "{:?} before {:?}",
            two[0].key,
            two[1].key
        );
    }
    found
}

fn floor(z: f64) -> Wall {
    let surface = Surface::Plane(HalfSpace {
        point: Vector3::new(0.0, 0.0, z),
        normal: Vector3::z(),
    });
    Wall::fixed("floor".to_owned(), surface, 0)
}

/// Balls of a body, by a rotation matrix: centres and radii [m].
fn balls(row: &BodyRow, templates: &[Template]) -> Vec<(Vector3, f64)> {
    let (x, r) = (Vector3::from(row.position), row.radius);
    let Some(template) = row.template(templates) else {
        return vec![(x, r)];
    };
    let [a, b, c] = [Vector3::x(), Vector3::y(), Vector3::z()].map(|e| turned(row.orientation, &e));
    let place = |p: &Part| x + (a * p.centre.x + b * p.centre.y + c * p.centre.z) * r;
    template
        .parts()
        .iter()
        .map(|p| (place(p), p.radius * r))
        .collect()
}

/// Depth of a point in the balls except `but`: the largest over all [m]; negative outside.
fn depth(x: &Vector3, balls: &[(Vector3, f64)], but: usize) -> f64 {
    let each = balls.iter().enumerate().filter(|(k, _)| *k != but);
    let depth = each.map(|(_, (c, r))| r - (x - c).norm());
    depth.fold(f64::NEG_INFINITY, f64::max)
}

/// Compares the touches found with all pairs of balls: some must be found, some may be.
fn check(
    a: &[(Vector3, f64)],
    b: Option<&[(Vector3, f64)]>,
    nearest: impl Fn(usize, usize) -> (f64, Vector3),
    margin: f64,
    found: &BTreeMap<u64, f64>,
) -> [usize; 2] {
    let (mut all, mut kept, mut smallest) = (0, 0, (f64::INFINITY, 0.0));
    for i in 0..a.len() {
        for j in 0..b.map_or(1, <[_]>::len) {
            let (gap, normal) = nearest(i, j);
            let feature = (i as u64) << 32 | j as u64;
            let in_first = depth(&(a[i].0 + normal * a[i].1), a, i);
            let in_second = b.map_or(-1.0, |b| depth(&(b[j].0 - normal * b[j].1), b, j));
            let inside = in_first.max(in_second);
            match found.get(&feature) {
                Some(touch) => {
                    assert!((touch - gap).abs() < 1e-12, "{touch} {gap}");
                    // Its points are on the surfaces of the two, unless a ball's centre is in the
                    // other body.
                    let deep = gap < -0.3 * a[i].1.min(b.map_or(f64::INFINITY, |b| b[j].1));
                    assert!(deep || inside < 1e-9, "{inside} {gap}");
                    kept += 1;
                }
                None => {
                    let out = gap > margin - 1e-9 || inside > -1e-9;
                    assert!(out, "{feature:x} is missing: gap {gap}, inside {inside}");
                }
            }
            if gap < margin - 1e-9 {
                all += 1;
                if gap < smallest.0 {
                    smallest = (gap, *found.get(&feature).unwrap_or(&f64::INFINITY));
                }
            }
        }
    }
    assert_eq!(kept, found.len());
    // No touch has a smaller gap than the smallest of all balls.
    if all > 0 {
        let least = found.values().copied().fold(f64::INFINITY, f64::min);
        assert!((least - smallest.0).abs() < 1e-12, "{least} {smallest:?}");
    }
    [all, kept]
}

/// The touches are those of all balls with all balls, except the ones inside the bodies.
///
/// Clumps and balls are at random, on periodic axes too, close to and inside each other, with
/// walls. The touch with the smallest gap is always found.
#[test]
fn touches_are_those_of_all_parts_with_all_parts() {
    let mut seen = [0, 0];
    for trial in 0..150 {
        let mut draw = Stream::new(Purpose::Trial, 91, [trial, 0, 0]);
        let templates: Vec<Template> = (0..3)
            .map(|_| {
                let mut parts = vec![part(0.0, 0.0, 0.0, 1.0)];
                for _ in 0..draw.below(6) {
                    let at = parts[draw.below(parts.len() as u32) as usize];
                    let way = point(&mut draw, 1.0).normalize();
                    let radius = draw.between(0.2, 1.0);
                    let centre = at.centre + way * (at.radius + radius * draw.between(-0.5, 0.999));
                    parts.push(Part { centre, radius });
                }
                template(&parts)
            })
            .collect();
        let periodic = [0; 3].map(|_| draw.below(2) > 0);
        let side = draw.between(6.0, 8.0);
        let upper = Vector3::repeat(side);
        let period = Period::of_box(&Vector3::zeros(), &upper, periodic);
        let rows: Vec<BodyRow> = (0..12)
            .map(|k| {
                let at = Vector3::from([0; 3].map(|_| draw.between(0.0, side)));
                let q = rotate(IDENTITY, &(point(&mut draw, 3.0)));
                row(2 * k, at, draw.between(0.2, 1.2), q, draw.below(4))
            })
            .collect();
        let walls = [floor(0.3)];
        let margin = draw.between(0.0, 0.2);
        let space = Space {
            walls: &walls,
            margin,
            period: &period,
            templates: &templates,
        };
        let mut found: BTreeMap<(BodyId, BodyId), BTreeMap<u64, f64>> = BTreeMap::new();
        for c in detected(&rows, &space) {
            let touches = found.entry((c.key.a, c.key.b)).or_default();
            touches.insert(c.key.feature, c.gap);
        }
        let mut add = |counts: [usize; 2]| (0..2).for_each(|k| seen[k] += counts[k]);
        for (k, a) in rows.iter().enumerate() {
            let first = balls(a, &templates);
            for b in &rows[k + 1..] {
                let [x, y] = [a, b].map(|row| Vector3::from(row.position));
                let image = x + period.difference(&x, &y) - y;
                let mut second = balls(b, &templates);
                second.iter_mut().for_each(|(c, _)| *c += image);
                let nearest = |i: usize, j: usize| {
                    let (branch, sum) = (second[j].0 - first[i].0, first[i].1 + second[j].1);
                    (branch.norm() - sum, branch.normalize())
                };
                let touches = found.remove(&(a.id, b.id)).unwrap_or_default();
                add(check(&first, Some(&second), nearest, margin, &touches));
            }
            let nearest = |i: usize, _| (first[i].0.z - 0.3 - first[i].1, -Vector3::z());
            let touches = found.remove(&(a.id, BodyId::wall(0))).unwrap_or_default();
            add(check(&first, None, nearest, margin, &touches));
        }
        assert!(found.is_empty(), "{found:?}");
    }
    let [all, kept] = seen;
    assert!(kept > 500 && all > kept + 300, "{seen:?}");
}

/// A dumbbell on a floor has two touches, one under each ball; upright it has one.
///
/// Their features stay the same however the dumbbell is turned.
#[test]
fn a_dumbbell_on_a_floor_has_two_touches() {
    for apart in [0.4, 1.0, 2.0] {
        let templates = [template(&[
            part(0.0, 0.0, 0.0, 1.0),
            part(apart, 0.0, 0.0, 1.0),
        ])];
        let walls = [floor(0.0)];
        let space = Space {
            walls: &walls,
            margin: 0.1,
            period: &Period::NONE,
            templates: &templates,
        };
        let size = templates[0].size();
        let lying = |q| detected(&[row(1, Vector3::new(5.0, 6.0, 1.0), size, q, 1)], &space);
        for k in 0..8 {
            let angle = f64::from(k) * 0.7;
            let found = lying(rotate(IDENTITY, &(Vector3::z() * angle)));
            let features: Vec<u64> = found.iter().map(|c| c.key.feature).collect();
            assert_eq!(features, [0, 1 << 32]);
            let way = Vector3::new(libm::cos(angle), libm::sin(angle), 0.0) * (0.5 * apart);
            for (c, sign) in found.iter().zip([-1.0, 1.0]) {
                let expected = Vector3::new(5.0, 6.0, 0.0) + way * sign;
                assert!((c.point - expected).norm() < 1e-14 && c.gap.abs() < 1e-14);
                assert_eq!(c.normal, -Vector3::z());
            }
        }
        let q = rotate(IDENTITY, &(Vector3::y() * std::f64::consts::FRAC_PI_2));
        let at = Vector3::new(0.0, 0.0, 1.0 + 0.5 * apart);
        let found = detected(&[row(1, at, size, q, 1)], &space);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].key.feature, 1 << 32, "the second ball is below");
    }
}

/// A clump of one ball touches as the ball does, to the bit.
///
/// So does a clump of one ball twice, or with others inside it.
#[test]
fn a_clump_of_one_ball_touches_as_the_ball() {
    let one = part(2.0, 3.0, 4.0, 0.5);
    let templates = [
        template(&[one]),
        template(&[one, one]),
        template(&[one, part(2.1, 3.0, 4.0, 0.2), one]),
    ];
    let walls = [floor(0.0)];
    let space = Space {
        walls: &walls,
        margin: 0.3,
        period: &Period::NONE,
        templates: &templates,
    };
    let mut contacts = 0;
    for trial in 0..20 {
        let mut draw = Stream::new(Purpose::Trial, 92, [trial, 0, 0]);
        let mut rows: Vec<BodyRow> = (0..30)
            .map(|k| {
                let at = Vector3::from([0; 3].map(|_| draw.between(0.0, 6.0)));
                let q = rotate(IDENTITY, &(point(&mut draw, 3.0)));
                row(k, at, draw.between(0.5, 1.0), q, 0)
            })
            .collect();
        let as_balls = detected(&rows, &space);
        contacts += as_balls.len();
        for shape in 1..=3 {
            rows.iter_mut().for_each(|row| row.shape = shape);
            assert_eq!(detected(&rows, &space), as_balls);
        }
        rows.iter_mut().step_by(2).for_each(|row| row.shape = 0);
        assert_eq!(detected(&rows, &space), as_balls);
    }
    assert!(contacts > 500, "{contacts}");
}

/// A small ball in the waist of a dumbbell touches both of its balls.
///
/// Deep in their intersection, the surface point of each ball is inside the other; the touch with
/// the smaller gap remains.
#[test]
fn a_ball_in_the_waist_touches_both_and_deep_inside_the_nearer() {
    let templates = [template(&[
        part(-0.5, 0.0, 0.0, 1.0),
        part(0.5, 0.0, 0.0, 1.0),
    ])];
    let space = Space {
        walls: &[],
        margin: 0.01,
        period: &Period::NONE,
        templates: &templates,
    };
    let features = |x: f64, z: f64| -> Vec<u64> {
        let rows = [
            row(1, Vector3::zeros(), templates[0].size(), IDENTITY, 1),
            row(2, Vector3::new(x, 0.0, z), 0.1, IDENTITY, 0),
        ];
        detected(&rows, &space)
            .iter()
            .map(|c| c.key.feature)
            .collect()
    };
    let waist = (1.1_f64 * 1.1 - 0.25).sqrt();
    assert_eq!(features(0.0, waist), [0, 1 << 32]);
    assert_eq!(features(0.0, waist + 0.02), []);
    assert_eq!(features(0.5, 1.1), [1 << 32]);
    assert_eq!(features(0.1, 0.0), [1 << 32]);
    assert_eq!(features(-0.1, 0.0), [0]);
    assert_eq!(features(0.0, 0.0).len(), 1);
}
