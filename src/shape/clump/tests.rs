//! Mass properties against closed forms, other counts, and turned clumps; refused clumps.

use super::*;
use crate::math::rotate;
use crate::rng::{Purpose, Stream};
use std::f64::consts::PI;

fn part(x: f64, y: f64, z: f64, radius: f64) -> Part {
    Part {
        centre: Vector3::new(x, y, z),
        radius,
    }
}

fn balls(parts: &[Part]) -> Result<Template, Fault> {
    Template::new("clump", parts, false, &Given::default())
}

/// Volume, centre, and moments along and across the axis, of balls on an axis: `(height, radius)`.
///
/// The moments are about the centre. The union is a solid of revolution with
/// `ρ²(t) = max (r² − (t − c)²)`, so that every integral is a polynomial between the heights where
/// two parabolas intersect.
fn by_revolution(balls: &[(f64, f64)]) -> (f64, f64, [f64; 2]) {
    let mut heights: Vec<f64> = balls.iter().flat_map(|&(c, r)| [c - r, c + r]).collect();
    for (i, &(c, r)) in balls.iter().enumerate() {
        for &(d, s) in &balls[i + 1..] {
            if c != d {
                heights.push(0.5 * (c + d + (r * r - s * s) / (d - c)));
            }
        }
    }
    heights.sort_by(f64::total_cmp);
    let (mut volume, mut first, mut along, mut across) = (0.0, 0.0, 0.0, 0.0);
    for t in heights.windows(2) {
        let middle = 0.5 * (t[0] + t[1]);
        let square = |&(c, r): &(f64, f64)| r * r - (middle - c) * (middle - c);
        let best = balls
            .iter()
            .max_by(|a, b| square(a).total_cmp(&square(b)))
            .unwrap();
        if square(best) <= 0.0 {
            continue;
        }
        // ρ² = a + b t − t².
        let (a, b) = (best.1 * best.1 - best.0 * best.0, 2.0 * best.0);
        let integral = |powers: &[f64]| -> f64 {
            let at = |t: f64| -> f64 {
                (1..)
                    .zip(powers)
                    .map(|(k, p)| p * t.powi(k) / f64::from(k))
                    .sum()
            };
            at(t[1]) - at(t[0])
        };
        volume += PI * integral(&[a, b, -1.0]);
        first += PI * integral(&[0.0, a, b, -1.0]);
        across += PI * integral(&[0.0, 0.0, a, b, -1.0]);
        let fourth = integral(&[a * a, 2.0 * a * b, b * b - 2.0 * a, -2.0 * b, 1.0]);
        along += 0.5 * PI * fourth;
        across += 0.25 * PI * fourth;
    }
    let centre = first / volume;
    (volume, centre, [along, across - volume * centre * centre])
}

/// Balls on a line have the volume, centre and moments of the solid of revolution.
///
/// Two balls or more, on a line in any direction, with double and triple overlaps or touching;
/// within the error that is reported.
#[test]
fn balls_along_a_line_have_the_properties_of_the_solid_of_revolution() {
    let mut worst = 0.0_f64;
    for trial in 0..60 {
        let mut draw = Stream::new(Purpose::Trial, 71, [trial, 0, 0]);
        let n = if trial < 30 {
            2
        } else {
            2 + draw.below(4) as usize
        };
        let mut line = vec![(0.0, draw.between(0.5, 1.0))];
        while line.len() < n {
            let (c, r) = line[line.len() - 1];
            let s = draw.between(0.5, 1.0);
            let apart = [0.3, 0.9, 1.0 - 1e-9][draw.below(3) as usize];
            line.push((c + apart * (r + s), s));
        }
        let axis = Vector3::from([0; 3].map(|_| draw.between(-1.0, 1.0))).normalize();
        let axis = if trial % 7 == 0 { Vector3::z() } else { axis };
        let start = Vector3::from([0; 3].map(|_| draw.between(-9.0, 9.0)));
        let parts: Vec<Part> = line
            .iter()
            .map(|&(c, radius)| Part {
                centre: start + axis * c,
                radius,
            })
            .collect();
        let clump = balls(&parts).unwrap();
        let (volume, centre, [along, across]) = by_revolution(&line);
        let size = clump.size();
        let off = (clump.centre() - (start + axis * centre)).norm() / size;
        let mut moments = clump.moments(volume, size);
        moments.sort_by(f64::total_cmp);
        let errors = [
            clump.volume(size) / volume - 1.0,
            off,
            moments[0] / along - 1.0,
            moments[1] / across - 1.0,
            moments[2] / across - 1.0,
        ];
        for e in errors {
            assert!(
                e.abs() <= clump.error(),
                "{trial}: {errors:?} {}",
                clump.error()
            );
            worst = worst.max(e.abs());
        }
        // The frame turns the principal axis of the line back to its described direction.
        let k = (0..3)
            .min_by(|&a, &b| clump.moments[a].total_cmp(&clump.moments[b]))
            .unwrap();
        let mut e = Vector3::zeros();
        e[k] = 1.0;
        assert!((turned(clump.frame(), &e).dot(&axis).abs() - 1.0).abs() < 1e-10);
        assert!(clump.error() < 1e-9, "{}", clump.error());
    }
    assert!(worst > 0.0);
}

/// Two balls of radius 1 at a distance of 1: their intersection is a lens of volume `5π/12`.
#[test]
fn two_balls_share_a_lens() {
    let clump = balls(&[part(0.0, 0.0, 0.0, 1.0), part(1.0, 0.0, 0.0, 1.0)]).unwrap();
    let volume = 8.0 * PI / 3.0 - 5.0 * PI / 12.0;
    assert!((clump.volume(1.5) / volume - 1.0).abs() < 1e-10);
    assert_eq!((clump.size(), clump.frame()), (1.5, IDENTITY));
    assert!((clump.centre() - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-14);
    assert!((clump.share() / (volume * 3.0 / (8.0 * PI)) - 1.0).abs() < 1e-10);
    let doubled = clump.volume(3.0) / clump.volume(1.5);
    assert!((doubled - 8.0).abs() < 1e-14);
}

/// Parts at random in space with multiple overlaps: the result does not depend on the slices.
///
/// The clump is rotated before it is sliced; results agree within the reported errors, and with a
/// count of random points within its statistical error.
#[test]
fn many_fold_overlaps_do_not_depend_on_the_slices() {
    for trial in 0..12 {
        let mut draw = Stream::new(Purpose::Trial, 72, [trial, 0, 0]);
        let n = 3 + draw.below(10) as usize;
        let mut parts = vec![part(0.0, 0.0, 0.0, 1.0)];
        while parts.len() < n {
            let at = parts[draw.below(parts.len() as u32) as usize];
            let way = Vector3::from([0; 3].map(|_| draw.between(-1.0, 1.0)));
            let radius = draw.between(0.3, 1.0);
            let centre = at.centre + way.normalize() * (at.radius + 0.5 * radius);
            parts.push(Part { centre, radius });
        }
        let plain = balls(&parts).unwrap();
        let q = rotate(
            IDENTITY,
            &Vector3::from([0; 3].map(|_| draw.between(-2.0, 2.0))),
        );
        let turn = |p: &Part| Part {
            centre: turned(q, &p.centre) + Vector3::new(3.0, -2.0, 1.0),
            ..*p
        };
        let other = balls(&parts.iter().map(turn).collect::<Vec<_>>()).unwrap();
        let allowed = plain.error() + other.error() + 1e-12;
        assert!(allowed < 1e-8, "{allowed}");
        assert!((plain.volume / other.volume - 1.0).abs() < allowed);
        assert!((plain.size() / other.size() - 1.0).abs() < allowed);
        let sorted = |clump: &Template| {
            let mut moments = clump.moments;
            moments.sort_by(f64::total_cmp);
            moments
        };
        let (a, b) = (sorted(&plain), sorted(&other));
        assert!(
            (0..3).all(|k| (a[k] / b[k] - 1.0).abs() < 2.0 * allowed),
            "{a:?} {b:?}"
        );
        let at = turned(q, plain.centre()) + Vector3::new(3.0, -2.0, 1.0);
        assert!((at - other.centre()).norm() < allowed * plain.size());

        let (cells, size) = (40, plain.size());
        let (mut inside, mut moment) = (0.0, 0.0);
        for k in 0..cells * cells * cells {
            let mut of = |i: i32| (f64::from(i) + draw.unit()) * 2.0 / f64::from(cells) - 1.0;
            let u = Vector3::new(of(k % cells), of(k / cells % cells), of(k / cells / cells));
            let x = plain.centre() + u * size;
            if parts.iter().any(|p| (x - p.centre).norm() < p.radius) {
                inside += 1.0;
                moment += u.norm_squared();
            }
        }
        let cell = 8.0 / f64::from(cells).powi(3);
        assert!((inside * cell / plain.volume - 1.0).abs() < 0.02, "{trial}");
        let trace: f64 = plain.moments.iter().sum();
        assert!(
            (2.0 * moment / inside / trace - 1.0).abs() < 0.02,
            "{trial}"
        );
    }
}

/// The intersection of two discs of radius 1 at a distance of 1 is `2π/3 − √3/2`.
///
/// The polar moment follows from those of the two discs and of the lens, which is integrated here
/// over its width.
#[test]
fn discs_are_counted_by_area() {
    let parts = [part(0.0, 0.0, 2.0, 1.0), part(1.0, 0.0, 2.0, 1.0)];
    let clump = Template::new("pair", &parts, true, &Given::default()).unwrap();
    let lens = 2.0 * PI / 3.0 - 0.75_f64.sqrt();
    let area = 2.0 * PI - lens;
    assert!((clump.volume(1.5) / area - 1.0).abs() < 1e-14);
    assert!((clump.centre() - Vector3::new(0.5, 0.0, 2.0)).norm() < 1e-15);
    assert!((clump.volume(3.0) / area - 4.0).abs() < 1e-13);
    // The lens spans x from 1/2 to 1, and its mirror image. Chords of the first disc give moments
    // about x = 1/2.
    let n = 200_000;
    let mut polar = 0.0;
    for k in 0..n {
        let t = (f64::from(k) + 0.5) / f64::from(n);
        let x = 0.5 + 0.5 * t * (2.0 - t);
        let half = (1.0 - x * x).sqrt();
        let weight = 2.0 * (1.0 - t) * 0.5 / f64::from(n);
        polar += weight * (2.0 * half * (x - 0.5) * (x - 0.5) + 2.0 / 3.0 * half * half * half);
    }
    let whole = 2.0 * (PI * 0.5 + PI * 0.25) - 2.0 * polar;
    let moments = clump.moments(area, 1.5);
    assert!(
        (moments[2] / whole - 1.0).abs() < 1e-9,
        "{moments:?} {whole}"
    );
    assert_eq!(moments, [moments[2]; 3]);
}

/// One ball is a ball to the bit, also with others inside it.
#[test]
fn a_clump_of_one_ball_is_the_ball() {
    let ball = part(3.0, 4.0, 5.0, 2.0);
    for parts in [
        vec![ball],
        vec![ball, ball],
        vec![part(3.5, 4.0, 5.0, 0.5), ball, ball],
    ] {
        let clump = balls(&parts).unwrap();
        let place = parts.iter().position(|p| p.radius == 2.0).unwrap();
        assert_eq!(clump.parts()[place], part(0.0, 0.0, 0.0, 1.0));
        assert_eq!(
            (clump.size(), *clump.centre(), clump.error()),
            (2.0, ball.centre, 0.0)
        );
        assert!((clump.volume(2.0) / crate::shape::sphere_volume(2.0) - 1.0).abs() < 1e-15);
        assert!(
            clump
                .moments(1.0, 2.0)
                .iter()
                .all(|j| (j - 1.6).abs() < 1e-15)
        );
        assert_eq!((0..parts.len()).filter(|&k| !clump.is_hidden(k)).count(), 1);
    }
}

/// Parts are those of the description, rotated and scaled; the farthest one ends at 1.
#[test]
fn parts_lie_as_described() {
    let described = [
        part(0.1, 0.2, 0.3, 0.1),
        part(0.2, 0.25, 0.3, 0.08),
        part(0.15, 0.3, 0.4, 0.07),
    ];
    let clump = balls(&described).unwrap();
    for (k, p) in described.iter().enumerate() {
        let at = clump.centre() + clump.arm(k, clump.frame(), clump.size());
        assert!((at - p.centre).norm() < 1e-15, "{at} {p:?}");
        assert!((clump.parts()[k].radius * clump.size() - p.radius).abs() < 1e-16);
    }
    let reach = |p: &Part| p.centre.norm() + p.radius;
    let farthest = clump.parts().iter().map(reach).fold(0.0, f64::max);
    assert!((farthest - 1.0).abs() < 1e-15);
    assert_eq!(clump.sisters(0), [1, 2]);
}

/// Given mass properties replace integrated ones; they are in SI units of the description.
#[test]
fn given_properties_are_taken() {
    let parts = [part(0.0, 0.0, 0.0, 1.0), part(1.0, 0.0, 0.0, 1.0)];
    let given = Given {
        volume: Some(5.0),
        centre: Some(Vector3::new(0.25, 0.0, 0.0)),
        inertia: Some([0.5, 0.9, 0.7, 0.1, 0.0, 0.0]),
    };
    let clump = Template::new("heavy", &parts, false, &given).unwrap();
    assert!((clump.size() - 1.75).abs() < 1e-15 && (clump.centre().x - 0.25).abs() < 1e-15);
    assert!((clump.volume(1.75) - 5.0).abs() < 1e-14);
    let moments = clump.moments(2.0, 1.75);
    let root = 0.05_f64.sqrt();
    let mut expected = [2.0 * (0.7 - root), 2.0 * (0.7 + root), 1.4];
    let mut found = moments;
    expected.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    assert!(
        (0..3).all(|k| (found[k] - expected[k]).abs() < 1e-14),
        "{found:?}"
    );
}

#[test]
fn what_is_no_clump_is_refused_with_the_numbers() {
    let (one, two) = (part(0.0, 0.0, 0.0, 1.0), part(2.5, 0.0, 0.0, 1.0));
    let fault =
        |parts: &[Part], given: Given| Template::new("bad", parts, false, &given).unwrap_err();
    let none = Given::default();
    assert_eq!(fault(&[], none), Fault::NoParts);
    assert_eq!(fault(&vec![one; 5000], none), Fault::TooMany(5000));
    for radius in [0.0, -1.0, f64::INFINITY] {
        let bad = Part { radius, ..one };
        assert_eq!(fault(&[one, bad], none), Fault::Radius { part: 2, radius });
    }
    let nan = part(0.0, 0.0, 0.0, f64::NAN);
    assert!(
        fault(&[nan], none)
            .to_string()
            .contains("part 1: the radius must be finite and > 0; found NaN")
    );
    let lost = part(0.0, f64::NAN, 0.0, 1.0);
    assert!(matches!(
        fault(&[one, lost], none),
        Fault::Centre { part: 2, .. }
    ));
    let apart = Fault::Apart {
        groups: 2,
        part: 2,
        from: 1,
        gap: 0.5,
    };
    assert_eq!(fault(&[one, two], none), apart);
    assert!(balls(&[one, two, part(1.25, 0.0, 0.0, 0.25)]).is_ok());
    for (inertia, triangle) in [
        ([1.0, 1.0, 2.1, 0.0, 0.0, 0.0], true),
        ([1.0, 1.0, 0.0, 0.0, 0.0, 0.0], false),
        ([1.0, 1.0, f64::NAN, 0.0, 0.0, 0.0], false),
        ([1.0, 1.0, 1.0, 2.0, 0.0, 0.0], false),
    ] {
        let found = fault(
            &[one],
            Given {
                inertia: Some(inertia),
                ..none
            },
        );
        assert_eq!(matches!(found, Fault::Triangle(..)), triangle, "{found:?}");
        assert_eq!(matches!(found, Fault::Moments(..)), !triangle, "{found:?}");
    }
    assert_eq!(
        fault(
            &[one],
            Given {
                volume: Some(0.0),
                ..none
            }
        ),
        Fault::Volume(0.0, crate::shape::sphere_volume(1.0))
    );
    let centre = Some(Vector3::zeros());
    assert_eq!(fault(&[one], Given { centre, ..none }), Fault::CentreAlone);
    let up = part(0.0, 0.0, 0.5, 1.0);
    let found = Template::new("bad", &[one, up], true, &none).unwrap_err();
    assert_eq!(
        found,
        Fault::OffPlane {
            part: 2,
            expected: 0.0,
            found: 0.5
        }
    );
}
