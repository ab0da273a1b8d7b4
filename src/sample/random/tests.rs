//! Random placing: no overlaps, the same on any rank, the requested amount, at any scale.

use super::super::{Radius, Source, Space, bodies, count};
use super::*;
use crate::body::BodyKind;
use crate::shape::Region;

fn sample(random: Random) -> Sample {
    Sample {
        source: Source::Random(random),
        material: 0,
        density: 2500.0,
        named: Vec::new(),
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        kind: BodyKind::Free,
        discs: false,
        form: None,
        size: 1.0,
    }
}

/// Spheres of two sizes in a box of 20 x 16 x 24 mean diameters, filled to a quarter.
fn random() -> Random {
    Random {
        amount: Amount::Fraction(0.25),
        radius: Radius::Uniform(0.4, 0.6),
        space: Space {
            lower: [-3.0, 2.0, 0.0],
            upper: [17.0, 18.0, 24.0],
            periodic: [false; 3],
            region: None,
        },
    }
}

fn all(sample: &Sample) -> Vec<BodyRow> {
    let mut rows = Vec::new();
    bodies(sample, 0..u64::MAX, 7, 3, &mut |b| rows.push(b)).expect("they find places");
    assert_eq!(rows.len() as u64, count(sample).expect("as before").bodies);
    rows
}

/// The smallest gap of two bodies in units of the smaller radius, the nearest images taken on
/// periodic axes.
fn smallest_gap(rows: &[BodyRow], space: &Space) -> f64 {
    let extent = space.extent();
    let mut least = f64::INFINITY;
    for (k, a) in rows.iter().enumerate() {
        for b in &rows[..k] {
            let way = [0, 1, 2].map(|i| {
                let way = a.position[i] - b.position[i];
                let turns = if space.periodic[i] {
                    (way / extent[i]).round()
                } else {
                    0.0
                };
                way - turns * extent[i]
            });
            let gap = Vector3::from(way).norm() - a.radius - b.radius;
            least = least.min(gap / a.radius.min(b.radius));
        }
    }
    least
}

/// Walls and periods: the requested amount, no overlap, no body outside.
///
/// The amount is the sum of the volumes of all draws, within 5 standard errors.
#[test]
fn bodies_fill_their_space_and_overlap_nobody() {
    for periodic in [[false; 3], [true, false, false], [true; 3]] {
        let mut random = random();
        random.space.periodic = periodic;
        let rows = all(&sample(random.clone()));
        let space = &random.space;
        let volume = |r: f64| sphere_volume(r);
        let solid: f64 = rows.iter().map(|b| volume(b.radius)).sum();
        let wanted = 0.25 * space.extent().iter().product::<f64>();
        let mean = wanted / rows.len() as f64;
        let spread: f64 = rows.iter().map(|b| (volume(b.radius) - mean).powi(2)).sum();
        assert!(
            (solid - wanted).abs() < 5.0 * spread.sqrt() + mean,
            "{solid} {wanted}"
        );
        assert!(smallest_gap(&rows, space) > 0.0);
        let inside = |b: &BodyRow| space.has_room(&Vector3::from(b.position), b.radius, false);
        assert!(rows.iter().all(inside));
        // Across a periodic face bodies exist.
        let across = rows
            .iter()
            .filter(|b| b.position[0] - b.radius < space.lower[0])
            .count();
        assert_eq!(across > 0, periodic[0], "{across}");
    }
}

/// Shares of any sizes, made apart, are the whole, to the bit.
#[test]
fn shares_make_up_the_whole() {
    let mut random = random();
    random.space.periodic = [false, true, false];
    let sample = sample(random);
    let whole = all(&sample);
    let n = whole.len() as u64;
    for parts in [2, 3, 5, 64] {
        let mut rows = Vec::new();
        for k in 0..parts {
            let share = k * n / parts..(k + 1) * n / parts;
            bodies(&sample, share, 7, 3, &mut |b| rows.push(b)).expect("they find places");
        }
        assert!(rows == whole, "{parts} parts");
    }
}

/// A share of a long column needs the cells of few others: its work does not grow with the whole.
#[test]
fn a_share_makes_only_what_it_hangs_on() {
    let mut random = random();
    random.space.upper[2] = 2400.0;
    let cells = Cells::new(&random, false).expect("cells");
    // A cell of the last colour, which depends on all around.
    let middle = cells.holder(cells.bodies / 2);
    let first = (middle..).find(|&cell| cells.colour(cell) == 7);
    let (first, last) = (first.expect("one of eight"), cells.all());
    let mut packing = Packing {
        of: &random,
        discs: false,
        first_id: 0,
        seed: 3,
        largest: 0.6,
        made: HashMap::new(),
        cells,
    };
    packing.make(first).expect("a place for all");
    let [nx, ny, nz] = packing.cells.count;
    assert!(nz > 100 && last == nx * ny * nz);
    assert!(packing.made.len() <= 3 * nx * ny, "{}", packing.made.len());
}

/// The same bodies at any scale, except for rounding.
#[test]
fn scale_is_only_scale() {
    let made = |scale: f64| {
        let mut random = random();
        random.radius = Radius::Uniform(0.4 * scale, 0.6 * scale);
        random.space.lower = random.space.lower.map(|x| x * scale);
        random.space.upper = random.space.upper.map(|x| x * scale);
        all(&sample(random))
    };
    let one = made(1.0);
    for scale in [2e-6, 2e3] {
        let other = made(scale);
        assert_eq!(one.len(), other.len());
        for (a, b) in one.iter().zip(&other) {
            let away = (0..3).map(|k| (a.position[k] - b.position[k] / scale).abs());
            assert!(away.fold(0.0, f64::max) < 1e-9, "{scale}: body {}", a.id);
        }
    }
}

/// Regions other than boxes, discs, thin gaps, wide spreads of sizes, few bodies far apart.
#[test]
fn other_spaces_are_filled_as_well() {
    let ball = Region::Sphere {
        centre: Vector3::new(7.0, 10.0, 12.0),
        radius: 7.5,
    };
    let mut cases = Vec::new();
    let mut in_ball = random();
    in_ball.space.region = Some(ball);
    cases.push((in_ball, false));
    let mut discs = random();
    discs.amount = Amount::Fraction(0.4);
    discs.space.periodic = [true, false, false];
    discs.space.lower[2] = -1.0;
    cases.push((discs, true));
    let mut thin = random();
    thin.space.upper[2] = 1.2;
    cases.push((thin, false));
    let mut layer = random();
    (layer.radius, layer.amount) = (Radius::Constant(0.5), Amount::Fraction(0.2));
    layer.space.upper[2] = 1.0;
    cases.push((layer, false));
    let mut wide = random();
    wide.radius = Radius::sieve(&[(0.1, 0.0), (2.0, 1.0)], false);
    cases.push((wide, false));
    let mut few = random();
    few.amount = Amount::Count(3);
    few.space.upper = [1e5; 3];
    few.space.periodic = [true; 3];
    cases.push((few, false));
    for (random, discs) in cases {
        let rows = all(&Sample {
            discs,
            ..sample(random.clone())
        });
        let space = &random.space;
        let count = rows.len();
        assert!(count >= 3);
        assert!(
            smallest_gap(&rows[..count.min(8000)], space) > 0.0,
            "{random:?}"
        );
        for b in &rows {
            let x = Vector3::from(b.position);
            assert!(space.has_room(&x, b.radius, discs), "{random:?}: {x}");
            assert!(!discs || x.z == 0.0);
        }
        if let Amount::Fraction(fraction) = random.amount {
            let mean = random.radius.mean_volume(discs);
            let filled = count as f64 * mean / space.volume(discs);
            assert!(
                (filled - fraction).abs() <= mean / space.volume(discs),
                "{filled}"
            );
        }
    }
}

/// Bodies lie with equal density everywhere.
///
/// Each half of the box along each axis has half of them, except for the rounding of cells' shares
/// and the random places in the middle cells, 5 standard errors of independent throws.
#[test]
fn bodies_lie_everywhere() {
    let random = random();
    let rows = all(&sample(random.clone()));
    for a in 0..3 {
        let middle = 0.5 * (random.space.lower[a] + random.space.upper[a]);
        let low = rows.iter().filter(|b| b.position[a] < middle).count() as f64;
        let n = rows.len() as f64;
        assert!((low - 0.5 * n).abs() < 2.5 * n.sqrt(), "{a}: {low} of {n}");
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let told = |fraction| {
        let mut random = random();
        random.amount = Amount::Fraction(fraction);
        let made = bodies(&sample(random), 0..u64::MAX, 7, 3, &mut |_| {});
        made.expect_err("too many").to_string()
    };
    let error = told(0.5);
    assert!(error.starts_with("body "), "{error}");
    assert!(
        error.contains("0.500 of their region") && error.contains("a lower fraction"),
        "{error}"
    );
    let mut narrow = random();
    narrow.amount = Amount::Count(1);
    narrow.space.upper[0] = -2.5;
    let error = bodies(&sample(narrow), 0..1, 7, 3, &mut |_| {})
        .expect_err("narrow")
        .to_string();
    assert!(
        error.contains("no room for a body of 4.0000e-1 m"),
        "{error}"
    );
    let mut full = random();
    full.amount = Amount::Count(1_000_000);
    let error = count(&sample(full)).expect_err("more than all").to_string();
    assert!(error.starts_with("1000000 bodies of "), "{error}");
}

/// The reachable densities, for the manual.
///
/// `cargo test --lib densities_reached -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn densities_reached() {
    for (discs, radius) in [
        (false, Radius::Constant(0.5)),
        (false, Radius::Uniform(0.4, 0.6)),
        (false, Radius::sieve(&[(0.1, 0.0), (1.0, 1.0)], false)),
        (true, Radius::Constant(0.5)),
    ] {
        for k in 5..13 {
            let fraction = 0.04 * f64::from(k);
            let mut random = random();
            random.radius = radius.clone();
            random.amount = Amount::Fraction(fraction);
            random.space.lower = [-20.0, -20.0, -1.0];
            random.space.upper = if discs {
                [180.0, 180.0, 1.0]
            } else {
                [20.0, 20.0, 39.0]
            };
            random.space.periodic = [true; 3];
            let start = std::time::Instant::now();
            let sampled = Sample {
                discs,
                ..sample(random)
            };
            let made = bodies(&sampled, 0..u64::MAX, 7, 3, &mut |_| {});
            let each =
                start.elapsed().as_secs_f64() / count(&sampled).expect("count").bodies as f64;
            println!(
                "{discs} {radius:?} {fraction:.2}: {:?}, {each:.2e} s a body",
                made.is_ok()
            );
        }
    }
}
