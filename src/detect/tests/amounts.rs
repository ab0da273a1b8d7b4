//! Validation G4: the number of comparisons of the search. Threads do not change the result.

use super::*;

/// Bodies at random at one density, up to a given ratio of radii.
///
/// Their volumes are uniform over the logarithm of the radius.
pub(super) fn mixture(n: usize, ratio: f64, seed: u64) -> Bodies {
    let mut draw = Stream::new(Purpose::Trial, 20, [n as u64, ratio as u64, seed]);
    let least = libm::pow(ratio, -3.0);
    let r: Vec<f64> = (0..n)
        .map(|_| 1.0 / (ratio * libm::cbrt(1.0 - draw.unit() * (1.0 - least))))
        .collect();
    let volume: f64 = r.iter().map(|&r| crate::shape::sphere_volume(r)).sum();
    let side = 0.5 * libm::cbrt(volume / 0.6);
    let x: Vec<Vector3> = (0..n).map(|_| point(&mut draw, side)).collect();
    bodies(&x, &r)
}

fn amounts(bodies: &Bodies) -> (f64, f64) {
    let mut detector = Detector::default();
    let least = bodies.radii().iter().copied().fold(1.0, f64::min);
    let space = Space {
        walls: &[],
        margin: 0.2 * least,
        period: &Period::NONE,
        templates: &[],
    };
    let mut found = Vec::new();
    detector.detect(bodies, &space, |_| true, &Pool::default(), &mut found);
    let n = bodies.len() as f64;
    (detector.looked() as f64 / n, found.len() as f64 / n)
}

/// Comparisons and pairs per body are few and do not grow with the number of bodies, for any sizes.
#[test]
fn g4_looks_per_body_do_not_grow() {
    for (ratio, most) in [(1.0, 40.0), (10.0, 80.0), (100.0, 80.0)] {
        let (few, few_pairs) = amounts(&mixture(10_000, ratio, 0));
        let (many, many_pairs) = amounts(&mixture(200_000, ratio, 0));
        assert!(many < most, "1:{ratio}: {many} looks");
        assert!(many < 1.25 * few, "1:{ratio}: {few} and {many} looks");
        assert!(
            (many_pairs / few_pairs - 1.0).abs() < 0.3,
            "1:{ratio}: {few_pairs} and {many_pairs} pairs"
        );
    }
}

/// One grid for all sizes makes far more comparisons.
#[test]
fn g4_size_groups_pay() {
    let all = mixture(10_000, 100.0, 1);
    let least = all.radii().iter().copied().fold(1.0, f64::min);
    let mut plain = 0u64;
    plain::near_pairs(
        all.positions(),
        all.radii(),
        0.2 * least,
        &Period::NONE,
        |_, _| plain += 1,
    );
    let (looks, _) = amounts(&all);
    let plain = plain as f64 / all.len() as f64;
    assert!(plain > 10.0 * looks, "{plain} and {looks} looks a body");
}

/// The number of bodies bounds the memory of cells.
#[test]
fn g4_buckets_per_body_are_bounded() {
    for (n, side) in [(10, 1e3), (1000, 1e5), (1000, 30.0), (20_000, 100.0)] {
        for ratio in [1.0, 50.0] {
            let mut draw = Stream::new(Purpose::Trial, 21, [n as u64, 0, 0]);
            let x: Vec<Vector3> = (0..n).map(|_| point(&mut draw, side)).collect();
            let r = radii(&mut draw, n, ratio);
            let mut sorted = Sorted::default();
            Groups::new((&x, &r), 0.0, &Period::NONE, &mut sorted, None);
            let buckets = sorted.start.len();
            assert!(buckets < 12 * n + 32 * 70, "{buckets} for {n} bodies");
        }
    }
}

/// The same contacts in the same order, to the last bit, with any number of threads.
#[test]
fn threads_change_nothing() {
    let upper = Vector3::repeat(8.0);
    for (trial, ratio) in [1.0, 30.0].into_iter().enumerate() {
        for periodic in [[false; 3], [true, false, true]] {
            let period = Period::of_box(&Vector3::zeros(), &upper, periodic);
            let mut draw = Stream::new(Purpose::Trial, 22, [trial as u64, 0, 0]);
            let x: Vec<Vector3> = (0..3000)
                .map(|_| Vector3::from([0; 3].map(|_| draw.between(0.0, 8.0))))
                .collect();
            let r: Vec<f64> = radii(&mut draw, 3000, ratio);
            let all = bodies(&x, &r.iter().map(|r| 0.3 * r).collect::<Vec<_>>());
            let walls = surfaces::walls();
            let space = Space {
                walls: &walls,
                margin: 0.05,
                period: &period,
                templates: &[],
            };
            let mine = |x: &Vector3| x.x + x.y > 5.0;
            let mut detector = Detector::default();
            let mut alone = Vec::new();
            detector.detect(&all, &space, mine, &Pool::default(), &mut alone);
            assert!(alone.len() > 1000, "{}", alone.len());
            for threads in 1..4 {
                let pool = Pool::new(threads).unwrap();
                let mut found = Vec::new();
                detector.detect(&all, &space, mine, &pool, &mut found);
                assert!(found == alone, "{threads} threads");
            }
        }
    }
}
