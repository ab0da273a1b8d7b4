//! Windows against counting, and against the sum of their parts.

use super::*;
use crate::rng::{Purpose, Stream};

const LOWER: Vector3 = Vector3::new(0.0, -1.0, 0.5);
const UPPER: Vector3 = Vector3::new(2.0, 1.0, 3.0);

fn regions() -> [Region; 4] {
    [
        Region::Box {
            lower: Vector3::new(1.4, -0.3, 0.8),
            upper: Vector3::new(2.6, 0.6, 2.0),
        },
        Region::Cylinder {
            from: Vector3::new(1.5, 0.0, 1.0),
            axis: Vector3::new(0.6, 0.0, 0.8),
            length: 1.1,
            radius: 0.4,
        },
        Region::Sphere {
            centre: Vector3::new(1.8, 0.2, 1.5),
            radius: 0.7,
        },
        Region::HalfSpace(HalfSpace {
            point: Vector3::new(0.0, 0.1, 1.5),
            normal: Vector3::new(0.0, 0.6, 0.8),
        }),
    ]
}

fn draw_point(draw: &mut Stream) -> Vector3 {
    let share = Vector3::new(draw.unit(), draw.unit(), draw.unit());
    LOWER + share.component_mul(&(UPPER - LOWER))
}

/// Volumes of bodies across the end of a period, against counting points of all images.
///
/// The bound is 5 standard errors; the regions extend beyond the end.
#[test]
fn images_of_bodies_count() {
    for (number, region) in regions().iter().enumerate() {
        let window = Window::new(Some(region), (&LOWER, &UPPER), [true, false, false], false);
        let mut crossing = 0;
        for trial in 0..20 {
            let mut draw = Stream::new(Purpose::Trial, 91, [number as u64, trial, 0]);
            let (x, r) = (draw_point(&mut draw), 0.35);
            let (n, mut hits) = (40_000, 0.0);
            for _ in 0..n {
                let way = Vector3::repeat(0.0).map(|_: f64| draw.between(-r, r));
                let images = [-2.0, 0.0, 2.0].map(|k| x + way + Vector3::new(k, 0.0, 0.0));
                // A half-space has all images of a point at once.
                let images = match region {
                    Region::HalfSpace(_) => &images[1..2],
                    _ => &images[..],
                };
                if way.norm() < r {
                    hits += images.iter().filter(|p| region.contains(p)).count() as f64;
                }
            }
            let box_volume = 8.0 * r * r * r;
            let share: f64 = hits / f64::from(n);
            let error = 5.0 * (share * (1.0 - share) / f64::from(n)).sqrt() + 5.0 / f64::from(n);
            let told = window.overlap(&x, r) / box_volume;
            assert!(
                (told - share).abs() < error,
                "{region:?} {x}: {told} against {share}"
            );
            crossing += u32::from(x.x < 0.6 && share > 0.0);
        }
        assert!(crossing > 0, "{region:?}: no image was looked at");
    }
}

/// The share of a line by points along it: each of n has its part of 1/n, and the line enters and
/// leaves each image once.
#[test]
fn share_of_a_line() {
    for (number, region) in regions().iter().enumerate() {
        let window = Window::new(Some(region), (&LOWER, &UPPER), [true, false, false], false);
        let mut partly = 0;
        for trial in 0..200 {
            let mut draw = Stream::new(Purpose::Trial, 92, [number as u64, trial, 0]);
            let (a, b) = (draw_point(&mut draw), draw_point(&mut draw));
            let b = if trial % 10 == 0 {
                Vector3::new(a.x, a.y, b.z)
            } else {
                b
            };
            let n = 2000;
            let points = (0..n).map(|i| a + (b - a) * ((f64::from(i) + 0.5) / f64::from(n)));
            let hits = points.filter(|p| window.inside(p).is_some()).count();
            let share = hits as f64 / f64::from(n);
            let told = window.share(&a, &b);
            assert!(
                (told - share).abs() <= 4.0 / f64::from(n),
                "{region:?}: {told} against {share}"
            );
            partly += u32::from(share > 0.05 && share < 0.95);
        }
        assert!(partly > 10, "{region:?}: {partly}");
    }
}

/// The parts before and behind a plane add up to the box.
///
/// A cut through the middle of a cube along its diagonal gives half.
#[test]
fn half_spaces_and_boxes_end_with_the_domain() {
    let whole = (UPPER - LOWER).product();
    for trial in 0..50 {
        let mut draw = Stream::new(Purpose::Trial, 93, [trial, 0, 0]);
        let normal = Vector3::repeat(0.0).map(|_: f64| draw.between(-1.0, 1.0));
        let normal = if trial == 0 {
            Vector3::x()
        } else {
            normal.normalize()
        };
        let point = draw_point(&mut draw);
        let volume = |normal: Vector3| {
            let region = Region::HalfSpace(HalfSpace { point, normal });
            Window::new(Some(&region), (&LOWER, &UPPER), [false; 3], false).volume()
        };
        let (before, behind) = (volume(normal), volume(-normal));
        assert!(before > 0.0 && behind > 0.0);
        assert!((before + behind - whole).abs() < 1e-12 * whole);
        if trial == 0 {
            assert!((before - (UPPER.x - point.x) * 5.0).abs() < 1e-12);
        }
        let mut hits = 0.0;
        for _ in 0..20_000 {
            hits += f64::from(u8::from(
                normal.dot(&(draw_point(&mut draw) - point)) >= 0.0,
            ));
        }
        let share: f64 = hits / 20_000.0;
        let error = 5.0 * (share * (1.0 - share) / 20_000.0).sqrt() + 5.0 / 20_000.0;
        assert!((before / whole - share).abs() < error);
    }
    let wide = Region::Box {
        lower: Vector3::repeat(-9.0),
        upper: Vector3::new(1.0, 9.0, 9.0),
    };
    let window = Window::new(Some(&wide), (&LOWER, &UPPER), [false; 3], false);
    assert_eq!(window.volume(), 5.0);
}

/// Slabs of a window add up to it, also across the end of the period.
///
/// A box as wide as the period cuts nothing.
#[test]
fn slabs_add_up() {
    let all = Window::new(None, (&LOWER, &UPPER), [true, false, false], false);
    for axis in 0..3 {
        let (low, high) = (LOWER[axis], UPPER[axis]);
        let edge = |k: u32| low + (high - low) * f64::from(k) / 7.0;
        let slabs = (0..7).map(|k| all.slab(axis, edge(k), edge(k + 1)));
        let slabs: Vec<Window> = slabs.collect();
        assert!((slabs.iter().map(Window::volume).sum::<f64>() - all.volume()).abs() < 1e-12);
        let x = Vector3::new(0.1, 0.3, 1.7);
        let sum: f64 = slabs.iter().map(|s| s.overlap(&x, 0.4)).sum();
        assert!(
            (sum / all.overlap(&x, 0.4) - 1.0).abs() < 1e-12,
            "{axis}: {sum}"
        );
    }
    let wide = Region::Box {
        lower: LOWER - Vector3::x(),
        upper: UPPER - Vector3::x(),
    };
    let window = Window::new(Some(&wide), (&LOWER, &UPPER), [true, false, false], false);
    let x = Vector3::new(1.1, 0.0, 1.5);
    assert_eq!(window.overlap(&x, 0.3), window.body_volume(0.3));
    assert!(window.inside(&x).is_some() && (window.volume() - all.volume()).abs() < 1e-12);
}

/// In two dimensions volumes are areas, one metre thick.
#[test]
fn flat_windows() {
    let (lower, upper) = (Vector3::new(0.0, 0.0, -0.1), Vector3::new(4.0, 2.0, 0.1));
    let flat =
        |region: Option<&Region>| Window::new(region, (&lower, &upper), [true, false, false], true);
    assert_eq!(flat(None).volume(), 8.0);
    let half = Region::Box {
        lower: Vector3::new(0.0, 0.0, -0.1),
        upper: Vector3::new(2.0, 9.0, 0.1),
    };
    assert_eq!(flat(Some(&half)).volume(), 4.0);
    let at = |x: f64, y: f64| Vector3::new(x, y, 0.0);
    let quarter = disc_area(0.5) / 2.0;
    // Cut by one end of the region, and by the end of the period.
    for x in [at(2.0, 1.0), at(0.0, 1.0)] {
        assert!((flat(Some(&half)).overlap(&x, 0.5) - quarter).abs() < 1e-12);
    }
    let ball = Region::Sphere {
        centre: Vector3::new(2.0, 1.0, 0.3),
        radius: 0.5,
    };
    assert!((flat(Some(&ball)).volume() - disc_area(0.4)).abs() < 1e-12);
    assert!((flat(Some(&ball)).overlap(&at(2.1, 1.0), 0.2) - disc_area(0.2)).abs() < 1e-12);
    let right = Region::HalfSpace(HalfSpace {
        point: at(1.0, 0.5),
        normal: Vector3::y(),
    });
    assert_eq!(flat(Some(&right)).volume(), 6.0);
    assert!((flat(Some(&right)).overlap(&at(0.0, 0.5), 0.2) - disc_area(0.2) / 2.0).abs() < 1e-12);
}

/// Images in a window of one whole period lie between its ends.
///
/// The window does not begin where the domain does; its width may equal the period except for
/// rounding.
#[test]
fn a_whole_period_has_one_image_of_each() {
    let period = |lower: f64, upper: f64| {
        let region = Region::Box {
            lower: Vector3::new(lower, -1.0, 0.5),
            upper: Vector3::new(upper, 1.0, 3.0),
        };
        Window::new(Some(&region), (&LOWER, &UPPER), [true, false, false], false)
    };
    let at = |x: f64| Vector3::new(x, 0.0, 1.0);
    let window = period(-1.0, 1.0);
    let image = window.inside(&at(1.1)).expect("all of x is inside");
    assert!((image.x + 0.9).abs() < 1e-15, "{image}");
    assert_eq!(window.inside(&at(0.9)), Some(at(0.9)));
    let narrow = period(-1.0, 1.0 - 1e-12);
    assert_eq!(narrow.inside(&at(1.0 - 1e-13)), Some(at(-1.0)));
    assert_eq!(window.inside(&Vector3::new(1.1, 2.0, 1.0)), None);
}
