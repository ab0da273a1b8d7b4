//! Validation G5: sets of bodies that are hard for a search by cells.

use super::*;

const NONE: Period = Period::NONE;

/// All bodies in one point, a single body, none.
#[test]
fn g5_one_place_for_all() {
    let x = vec![Vector3::new(-1e6, 2.0, 3.0); 2000];
    assert_eq!(found(&x, &[0.5; 2000], 0.1, &NONE).len(), 2000 * 1999 / 2);
    assert!(found(&[], &[], 0.1, &NONE).is_empty());
    assert!(found(&x[..1], &[1.0], 0.1, &NONE).is_empty());
    let period = Period::of_box(&Vector3::zeros(), &Vector3::repeat(3.0), [true; 3]);
    let x = vec![Vector3::repeat(2.9); 50];
    assert_eq!(found(&x, &[0.5; 50], 0.1, &period).len(), 50 * 49 / 2);
    // So large that each reaches its own image: that is not a contact.
    assert_eq!(found(&x, &[1.6; 50], 0.1, &period).len(), 50 * 49 / 2);
}

/// Clusters far from one another, in a space of 10⁹ diameters.
///
/// The space between takes no memory, no pair is lost, and comparisons within a cluster are few.
#[test]
fn g5_far_apart() {
    let far = [
        Vector3::zeros(),
        Vector3::new(1e9, -1e9, 0.0),
        Vector3::new(1e9 + 0.9, -1e9, 0.0),
    ];
    assert_eq!(found(&far, &[0.5; 3], 0.0, &NONE), Pairs::from([(1, 2)]));
    for extent in [1e4, 1e6, 1e9] {
        let mut draw = Stream::new(Purpose::Trial, 15, [extent as u64, 0, 0]);
        let mut x = Vec::new();
        for cluster in 0..4 {
            let corner = point(&mut draw, extent).map(f64::round);
            x.extend((0..500).map(|_| corner + point(&mut draw, 8.0)));
            assert_eq!(x.len(), 500 * (cluster + 1));
        }
        for ratio in [1.0, 100.0] {
            let r = radii(&mut draw, x.len(), ratio);
            let expected = by_brute_force(&x, &r, 0.01, &NONE);
            assert_eq!(found(&x, &r, 0.01, &NONE), expected, "{extent} {ratio}");
        }
        let mut detector = Detector::default();
        let space = Space {
            walls: &[],
            margin: 0.0,
            period: &NONE,
            templates: &[],
        };
        let all = bodies(&x, &vec![0.5; x.len()]);
        detector.detect(&all, &space, |_| true, &Pool::default(), &mut Vec::new());
        assert!(detector.sorted.start.len() < 12 * x.len());
        assert!(
            detector.looked() < 20 * x.len() as u64,
            "{}",
            detector.looked()
        );
    }
}

/// Points on the faces of cells and on the ends of the range.
///
/// These are lines and planes of bodies, also far from the origin.
#[test]
fn g5_lattices_touch_exactly() {
    for (count, at) in [
        ([5, 5, 5], Vector3::zeros()),
        ([40, 1, 1], Vector3::repeat(-1e6)),
        ([1, 40, 1], Vector3::repeat(-1e6)),
        ([1, 1, 40], Vector3::repeat(1e6)),
        ([9, 8, 1], Vector3::zeros()),
        ([1, 8, 9], Vector3::repeat(7.0)),
    ] {
        let [nx, ny, nz] = count;
        let x: Vec<Vector3> = (0..nx * ny * nz)
            .map(|k| [k % nx, k / nx % ny, k / nx / ny].map(f64::from))
            .map(|site| Vector3::from(site) + at)
            .collect();
        let r = vec![0.5; x.len()];
        let neighbours = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1);
        assert_eq!(found(&x, &r, 1e-9, &NONE).len(), neighbours as usize);
        assert!(found(&x, &r, 0.0, &NONE).is_empty());
        assert_eq!(
            found(&x, &r, 0.3, &NONE),
            by_brute_force(&x, &r, 0.3, &NONE)
        );
    }
}

/// Pairs with a gap slightly below the margin, anywhere in a wide space.
///
/// Rounding in the broad phase must not lose them.
#[test]
fn g5_rounding_loses_no_pair() {
    for trial in 0..2000 {
        let mut draw = Stream::new(Purpose::Trial, 16, [trial, 0, 0]);
        let extent = libm::pow(10.0, draw.between(0.0, 9.0));
        let r = [draw.between(0.5, 1.0), draw.between(0.001, 1.0)];
        let axis = draw.below(4) as usize;
        let way = match axis {
            3 => point(&mut draw, 1.0).normalize(),
            a => Vector3::from([0, 1, 2].map(|k| f64::from(u8::from(k == a)))),
        };
        let mut x = vec![point(&mut draw, extent), point(&mut draw, extent)];
        x.push(x[0] + way * ((r[0] + r[1]) * (1.0 - 1e-15)));
        let r = [r[0], 1.0, r[1]];
        let expected = by_brute_force(&x, &r, 0.0, &NONE);
        assert_eq!(found(&x, &r, 0.0, &NONE), expected, "trial {trial}");
    }
}

/// One giant among dust: each grain searches for the giant, not the giant in each cell of dust.
#[test]
fn g5_a_giant_in_dust() {
    let mut draw = Stream::new(Purpose::Trial, 17, [0; 3]);
    let mut x: Vec<Vector3> = (0..100_000).map(|_| point(&mut draw, 1.2)).collect();
    let mut r = vec![1e-3; x.len()];
    x[777] = Vector3::zeros();
    r[777] = 1.0;
    let all = bodies(&x, &r);
    let mut detector = Detector::default();
    let space = Space {
        walls: &[],
        margin: 0.0,
        period: &NONE,
        templates: &[],
    };
    let mut near = Vec::new();
    detector.detect(&all, &space, |_| true, &Pool::default(), &mut near);
    let touches = |c: &Candidate| c.a == 777 || c.b == Partner::Body(777);
    let inside = x.iter().zip(&r).filter(|(x, r)| x.norm() < 1.0 + **r);
    assert_eq!(
        near.iter().filter(|c| touches(c)).count(),
        inside.count() - 1
    );
    assert!(detector.looked() < 1_200_000, "{}", detector.looked());
}

/// Radii of zero, with margins from negative to infinite.
#[test]
fn g5_zero_radii() {
    let mut draw = Stream::new(Purpose::Trial, 18, [0; 3]);
    let x: Vec<Vector3> = (0..300).map(|_| point(&mut draw, 1.0)).collect();
    let mut r = vec![0.0; 300];
    for margin in [0.0, 0.2, -0.1] {
        let expected = by_brute_force(&x, &r, margin, &NONE);
        assert_eq!(found(&x, &r, margin, &NONE), expected);
    }
    r[3] = 0.3;
    for margin in [0.0, 0.2, -0.1, f64::INFINITY] {
        let expected = by_brute_force(&x, &r, margin, &NONE);
        assert_eq!(found(&x, &r, margin, &NONE), expected, "{margin}");
    }
}

/// NaN is refused elsewhere; here it causes no contact and no endless loop.
#[test]
fn g5_no_numbers() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (axis, periodic) in [(0, false), (1, true), (2, true), (3, false)] {
            let upper = Vector3::repeat(8.0);
            let period = Period::of_box(&Vector3::zeros(), &upper, [periodic; 3]);
            let mut draw = Stream::new(Purpose::Trial, 19, [0; 3]);
            let mut x: Vec<Vector3> = (0..200)
                .map(|_| Vector3::from([0; 3].map(|_| draw.between(0.0, 8.0))))
                .collect();
            let mut r = vec![0.5; 200];
            let without = found(&x, &r, 0.1, &period);
            let without = without.into_iter().filter(|p| p.0 != 50 && p.1 != 50);
            match axis {
                3 => r[50] = bad,
                axis => x[50][axis] = bad,
            }
            assert_eq!(found(&x, &r, 0.1, &period), without.collect());
            let all_bad = vec![Vector3::repeat(bad); 10];
            assert!(found(&all_bad, &[1.0; 10], 0.1, &period).is_empty());
        }
    }
}
