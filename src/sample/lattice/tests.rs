//! Lattices: bodies made, and requests refused.

use super::super::{Radius, Source, Space, bodies, count};
use super::*;
use crate::body::{BodyId, BodyKind};
use crate::shape::Region;

fn sample(lattice: Lattice) -> Sample {
    Sample {
        source: Source::Lattice(lattice),
        material: 3,
        density: 2500.0,
        named: Vec::new(),
        velocity: [0.1, 0.2, 0.3],
        angular_velocity: [0.0; 3],
        kind: BodyKind::Free,
        discs: false,
        form: None,
        size: 1.0,
    }
}

fn space(lower: [f64; 3], upper: [f64; 3]) -> Space {
    Space {
        lower,
        upper,
        periodic: [false; 3],
        region: None,
    }
}

fn lattice() -> Lattice {
    Lattice {
        count: 700,
        radius: Radius::Uniform(0.0045, 0.0055),
        arrangement: Arrangement::SimpleCubic,
        space: space([-0.1, 0.2, 0.3], [0.0, 0.3, 0.8]),
        jitter: 0.3,
    }
}

fn all(sample: &Sample, first_id: u64, seed: u64) -> Vec<BodyRow> {
    let mut rows = Vec::new();
    bodies(sample, 0..u64::MAX, first_id, seed, &mut |b| rows.push(b)).expect("they fit");
    rows
}

/// Shares of any sizes, made apart, are the whole.
#[test]
fn shares_make_up_the_whole() {
    let sample = sample(lattice());
    let whole = all(&sample, 50, 7);
    let cuts = [0, 1, 1, 333, 699, 700, 900];
    let mut rows = Vec::new();
    for ends in cuts.windows(2) {
        let share = ends[0]..ends[1];
        bodies(&sample, share, 50, 7, &mut |b| rows.push(b)).expect("they fit");
    }
    assert_eq!(rows, whole);
}

#[test]
fn bodies_lie_in_the_region_and_overlap_nobody() {
    for jitter in [0.0, 0.05, 0.3] {
        let lattice = Lattice {
            jitter,
            ..lattice()
        };
        let rows = all(&sample(lattice.clone()), 0, 7);
        assert_eq!(rows.len(), 700);
        for (k, a) in rows.iter().enumerate() {
            for axis in 0..3 {
                assert!(a.position[axis] - a.radius >= lattice.space.lower[axis] - 1e-15);
                assert!(a.position[axis] + a.radius <= lattice.space.upper[axis] + 1e-15);
            }
            for b in &rows[..k] {
                let d2: f64 = (0..3)
                    .map(|i| (a.position[i] - b.position[i]).powi(2))
                    .sum();
                assert!(
                    d2.sqrt() >= a.radius + b.radius - 1e-15,
                    "{} and {}",
                    a.id,
                    b.id
                );
            }
        }
    }
}

/// Bodies have the requested displacements, and radii fill their interval.
///
/// The extremes of 700 draws lie within 2 % of the bounds (chance of a miss: 0.98^700 = 7e-7 each),
/// the mean within 5 standard errors.
#[test]
fn draws_fill_their_intervals() {
    let rows = all(&sample(lattice()), 0, 7);
    let radii: Vec<f64> = rows.iter().map(|b| b.radius).collect();
    let low = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let high = radii.iter().copied().fold(0.0, f64::max);
    assert!((0.0045..0.00452).contains(&low) && (0.00548..0.0055).contains(&high));
    let mean = radii.iter().sum::<f64>() / 700.0;
    assert!((mean - 0.005).abs() < 5.0 * 0.001 / (12.0f64 * 700.0).sqrt());
    // Sites in x: floor(0.1 / (0.011 * 1.6)) = 5, 0.02 apart; displacement up to 0.3 * 0.011.
    let moved = |b: &BodyRow| ((b.position[0] + 0.1) / 0.02).fract() * 0.02 - 0.01;
    let largest = rows.iter().map(|b| moved(b).abs()).fold(0.0, f64::max);
    assert!((0.98 * 0.0033..0.0033).contains(&largest), "{largest}");
}

#[test]
fn a_body_is_the_same_whoever_asks_and_however_many_there_are() {
    let many = all(&sample(lattice()), 10, 7);
    assert_eq!(many, all(&sample(lattice()), 10, 7));
    let few = all(
        &sample(Lattice {
            count: 300,
            ..lattice()
        }),
        10,
        7,
    );
    assert_eq!(few, many[..300]);
    assert!(many.iter().zip(10..).all(|(b, id)| b.id == BodyId(id)));
    let other_seed = all(&sample(lattice()), 10, 8);
    assert!(
        many.iter()
            .zip(&other_seed)
            .all(|(a, b)| a.position != b.position)
    );
}

#[test]
fn mass_material_and_velocity_are_the_samples() {
    let lattice = Lattice {
        radius: Radius::Constant(0.005),
        ..lattice()
    };
    let body = all(&sample(lattice), 0, 7)[699];
    // 2500 kg/m3 * 4/3 pi (5 mm)^3 = 1.308996938995747 g.
    assert!((body.mass - 1.308_996_938_995_747e-3).abs() < 1e-18);
    assert_eq!(
        (body.material, body.kind, body.velocity),
        (3, 0, [0.1, 0.2, 0.3])
    );
}

/// A region 10 x 4 x 3 diameters wide takes 120 bodies without jitter, not 121.
///
/// For 121 it must be 4 diameters high.
#[test]
fn a_full_lattice_says_how_many_fit_and_what_would_do() {
    let lattice = |count| Lattice {
        count,
        radius: Radius::Constant(0.05),
        arrangement: Arrangement::SimpleCubic,
        space: space([0.0; 3], [1.0, 0.4, 0.3]),
        jitter: 0.0,
    };
    assert_eq!(count(&sample(lattice(120))).expect("they fit").bodies, 120);
    let error = count(&sample(lattice(121)))
        .expect_err("one too many")
        .to_string();
    assert!(
        error.contains("121 bodies do not fit") && error.contains(": 120 do"),
        "{error}"
    );
    assert!(error.contains("at least 0.400000 m high"), "{error}");
    let flat = Lattice {
        space: space([0.0; 3], [1.0, 0.05, 0.3]),
        ..lattice(1)
    };
    let error = count(&sample(flat)).expect_err("too narrow").to_string();
    assert!(error.contains("at least 1.0000e-1 m wide"), "{error}");
}

/// The closest packings have solid fraction `π/√18` in a periodic box of whole cells.
///
/// Each body touches its 12 neighbours (counted to 1e-9 of a diameter); with jitter none overlaps.
#[test]
fn closest_packings_are_close() {
    let closest = std::f64::consts::PI / 18.0_f64.sqrt();
    let (root2, root3) = (2.0_f64.sqrt(), 3.0_f64.sqrt());
    let hexagonal = [6.0, 3.0 * root3, 4.0 * (2.0_f64 / 3.0).sqrt()];
    for (arrangement, upper) in [
        (
            Arrangement::FaceCentredCubic,
            [4.0 * root2, 3.0 * root2, 2.0 * root2],
        ),
        (Arrangement::HexagonalClosePacked, hexagonal),
    ] {
        for jitter in [0.0, 0.1] {
            // Diameter 1 without jitter; with it the same box holds smaller ones.
            let wide = 1.0 + 2.0 * jitter * arrangement.cell().nearer;
            let mut lattice = Lattice {
                count: 0,
                radius: Radius::Constant(0.5 / wide),
                arrangement,
                space: Space {
                    periodic: [true; 3],
                    ..space([0.0; 3], upper)
                },
                jitter,
            };
            lattice.count = lattice.fit(false).expect("few sites");
            let rows = all(&sample(lattice), 0, 7);
            if jitter == 0.0 {
                let solid = rows.len() as f64 * std::f64::consts::PI / 6.0;
                let fraction = solid / upper.iter().product::<f64>();
                assert!(
                    (fraction / closest - 1.0).abs() < 1e-12,
                    "{arrangement:?}: {fraction}"
                );
            }
            for a in &rows {
                let mut touching = 0;
                for b in rows.iter().filter(|b| b.id != a.id) {
                    let gap = distance(a, b, upper) - a.radius - b.radius;
                    assert!(gap > -1e-12, "{arrangement:?}: {} and {}", a.id, b.id);
                    touching += usize::from(gap < 1e-9);
                }
                assert!(
                    touching == 12 || jitter > 0.0,
                    "{arrangement:?}: {touching}"
                );
            }
        }
    }
}

fn distance(a: &BodyRow, b: &BodyRow, period: [f64; 3]) -> f64 {
    let each = (0..3).map(|k| {
        let way = a.position[k] - b.position[k];
        (way - (way / period[k]).round() * period[k]).powi(2)
    });
    each.sum::<f64>().sqrt()
}

/// Between walls closest packings stay inside without overlaps, with jitter or without.
///
/// Rows of discs are as near as possible.
#[test]
fn closest_packings_keep_away_from_walls() {
    for arrangement in [
        Arrangement::FaceCentredCubic,
        Arrangement::HexagonalClosePacked,
    ] {
        for jitter in [0.0, 0.2] {
            let mut lattice = Lattice {
                arrangement,
                jitter,
                ..lattice()
            };
            lattice.count = lattice.fit(false).expect("few sites");
            let rows = all(&sample(lattice.clone()), 0, 7);
            assert!(rows.len() > 500, "{}", rows.len());
            for (k, a) in rows.iter().enumerate() {
                for axis in 0..3 {
                    assert!(a.position[axis] - a.radius >= lattice.space.lower[axis] - 1e-15);
                    assert!(a.position[axis] + a.radius <= lattice.space.upper[axis] + 1e-15);
                }
                for b in &rows[..k] {
                    let gap = distance(a, b, [1e9; 3]) - a.radius - b.radius;
                    assert!(gap > -1e-15, "{} and {}", a.id, b.id);
                }
            }
            lattice.count += 1;
            let error = count(&sample(lattice))
                .expect_err("one too many")
                .to_string();
            assert!(error.contains("do not fit"), "{error}");
        }
    }
    // 10 discs in a row, 9 rows in a height of 1 + 8 √3/2.
    let flat = Lattice {
        count: 90,
        radius: Radius::Constant(0.5),
        arrangement: Arrangement::HexagonalClosePacked,
        space: space([0.0, 0.0, -1.0], [10.5, 1.0 + 8.0 * 0.75_f64.sqrt(), 1.0]),
        jitter: 0.0,
    };
    assert_eq!(flat.fit(true).expect("few sites"), 90);
    let discs = Sample {
        discs: true,
        ..sample(flat)
    };
    let rows = all(&discs, 0, 7);
    assert!(rows.iter().all(|b| b.position[2] == 0.0));
    let middle = rows
        .iter()
        .filter(|b| (distance(b, &rows[45], [1e9; 3]) - 1.0).abs() < 1e-9);
    assert_eq!(middle.count(), 6);
}

/// All sites of a region with room are taken, and shares make up the whole.
///
/// One body more is too many.
#[test]
fn a_region_takes_the_sites_that_have_room() {
    let ball = Region::Sphere {
        centre: Vector3::new(0.5, 0.5, 0.5),
        radius: 0.5,
    };
    let mut lattice = Lattice {
        count: 0,
        radius: Radius::Constant(0.05),
        arrangement: Arrangement::SimpleCubic,
        space: Space {
            region: Some(ball),
            ..space([0.0; 3], [1.0; 3])
        },
        jitter: 0.0,
    };
    // Sites at 0.05 + 0.1 k within 0.45 of the centre: ways of ±0.05, 0.15, 0.25, 0.35, 0.45.
    let ways: Vec<f64> = (0..10).map(|k| (f64::from(k) - 4.5) * 0.1).collect();
    let mut expected = 0;
    for x in &ways {
        for y in &ways {
            expected += ways
                .iter()
                .filter(|z| x * x + y * y + *z * *z <= 0.45 * 0.45 + 1e-12)
                .count();
        }
    }
    lattice.count = lattice.fit(false).expect("few sites");
    assert_eq!(lattice.count, expected as u64);
    let sampled = sample(lattice.clone());
    let whole = all(&sampled, 5, 7);
    assert_eq!(whole.len(), expected);
    let inside = |b: &BodyRow| ball.has_room(&Vector3::from(b.position), b.radius);
    assert!(whole.iter().all(inside));
    let mut rows = Vec::new();
    for ends in [0, 1, 100, 101, 2000].windows(2) {
        bodies(&sampled, ends[0]..ends[1], 5, 7, &mut |b| rows.push(b)).expect("they fit");
    }
    assert_eq!(rows, whole);
    lattice.count += 1;
    assert!(count(&sample(lattice)).is_err());
}
