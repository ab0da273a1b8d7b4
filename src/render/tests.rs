//! Pictures against formulas, and against a trial of every ball for every pixel.

use super::camera::{Camera, FINE, dot};
use super::colour::MAPS;
use super::frame::Frame;
use super::link::place;
use super::*;
use crate::body::{BodyId, BodyRow};
use crate::contact::{ContactKey, ContactRow};
use crate::law::Status;
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use crate::shape::{HalfSpace, Surface};
use std::f64::consts::PI;

fn ball(id: u64, position: [f64; 3], radius: f64) -> BodyRow {
    BodyRow::sphere(BodyId(id), position, radius, 1.0)
}

fn scene<'a>(bodies: &'a [BodyRow], contacts: &[ContactRow], flat: bool) -> Scene<'a> {
    let touching = Touching {
        bodies,
        templates: &[],
        contacts,
        dt: 1e-3,
    };
    Scene {
        bodies,
        balls: Balls::Of(&[]),
        coordination: touching.coordination(),
        pressure: touching.pressure(flat),
        links: touching.links(),
        surfaces: &[],
        worn: Vec::new(),
        materials: &[],
        domain: (Vector3::repeat(-1.0), Vector3::repeat(1.0)),
        up: Vector3::z(),
        flat,
        caption: "a caption",
    }
}

fn bare(size: [usize; 2]) -> View {
    View {
        size,
        walls: Walls::None,
        legend: false,
        ..View::default()
    }
}

fn random_balls(count: u64) -> Vec<BodyRow> {
    let mut random = Stream::new(Purpose::Trial, 7, [0; 3]);
    let mut number = || random.unit();
    (0..count)
        .map(|id| {
            let position = [number() - 0.5, number() - 0.5, number() - 0.5];
            ball(id, position, 0.03 + 0.12 * number())
        })
        .collect()
}

/// The number of covered fine pixels and their centre.
fn covered(frame: &Frame, camera: &Camera) -> (f64, [f64; 2]) {
    let (mut count, mut sums) = (0.0, [0.0; 2]);
    for (k, cell) in frame.cells.iter().enumerate() {
        if cell.depth.is_finite() {
            count += 1.0;
            sums[0] += (k % camera.size[0]) as f64 + 0.5;
            sums[1] += (k / camera.size[0]) as f64 + 0.5;
        }
    }
    (count, sums.map(|sum| sum / count))
}

/// A ball's silhouette is a circle of its radius, about its centre.
#[test]
fn silhouette_of_a_ball() {
    let bodies = [ball(0, [0.3, -0.2, 0.1], 0.25)];
    let scene = scene(&bodies, &[], false);
    for name in ["x", "y", "z", "iso"] {
        let mut view = bare([400, 300]);
        view.fit = Fit::Domain;
        (view.from, view.up) = direction(name).expect("a view");
        let camera = Camera::new(&scene, &view, view.size).expect("a camera");
        let mut frame = Frame::new(&camera, &scene, &view);
        frame.bodies(&scene, |_| [0; 3]);
        let (area, middle) = covered(&frame, &camera);
        let expected = PI * (0.25 * camera.scale).powi(2);
        assert!(
            (area / expected - 1.0).abs() < 2e-3,
            "{name}: {area} {expected}"
        );
        let spot = camera.spot(&camera.seen(&Vector3::new(0.3, -0.2, 0.1)));
        for axis in 0..2 {
            assert!(
                (middle[axis] - spot[axis]).abs() < 0.1,
                "{name}: {middle:?}"
            );
        }
    }
}

/// In perspective the silhouette is an ellipse.
///
/// The cone of tangents, of half angle α about a direction at θ from the axis, cuts the picture in
/// half axes `f sin α cos α/(cos²θ − sin²α)` and `f sin α/√(cos²θ − sin²α)`.
#[test]
fn silhouette_in_perspective() {
    for position in [[0.0; 3], [0.5, 0.3, -0.4]] {
        let bodies = [ball(0, position, 0.3)];
        let scene = scene(&bodies, &[], false);
        let mut view = bare([400, 400]);
        (view.fit, view.opening) = (Fit::Domain, Some(70.0));
        let camera = Camera::new(&scene, &view, view.size).expect("a camera");
        let mut frame = Frame::new(&camera, &scene, &view);
        frame.bodies(&scene, |_| [0; 3]);
        let p = camera.seen(&Vector3::from(position));
        let square = dot(&p, &p);
        let (sine, cosine) = (0.09 / square, p[2] * p[2] / square);
        let room = cosine - sine;
        let (a, b) = (
            (sine * (1.0 - sine)).sqrt() / room,
            sine.sqrt() / room.sqrt(),
        );
        let expected = PI * a * b * camera.scale * camera.scale;
        let (area, _) = covered(&frame, &camera);
        assert!((area / expected - 1.0).abs() < 2e-3, "{area} {expected}");
    }
}

/// Every pixel shows the nearest body on its ray, with and without perspective and cuts.
#[test]
fn depth_order_against_every_ball() {
    let bodies = random_balls(80);
    let scene = scene(&bodies, &[], false);
    for (opening, clips) in [
        (None, &[][..]),
        (Some(60.0), &[][..]),
        (None, &["x<0.1", "z < 0.2"][..]),
        (Some(50.0), &["y>-0.1", "x<=0.05"][..]),
    ] {
        let mut view = bare([120, 90]);
        view.opening = opening;
        view.clips = clips
            .iter()
            .map(|text| text.parse().expect("a clip"))
            .collect();
        view.look(Vector3::new(1.0, -2.0, 0.7), None)
            .expect("a direction");
        let camera = Camera::new(&scene, &view, view.size).expect("a camera");
        let mut frame = Frame::new(&camera, &scene, &view);
        frame.bodies(&scene, |k| [k as u8, 0, 0]);
        let mut seen = 0;
        for (k, cell) in frame.cells.iter().enumerate() {
            let (from, along) = camera.ray(k % camera.size[0], k / camera.size[0]);
            let length = dot(&along, &along).sqrt();
            let unit = along.map(|c| c / length);
            // The part of each ball's chord that the cuts leave, computed in the global frame.
            let mut nearest = f64::INFINITY;
            for body in &bodies {
                let centre = camera.seen(&Vector3::from(body.position));
                let way = [0, 1, 2].map(|a| centre[a] - from[a]);
                let middle = dot(&way, &unit);
                let off = dot(&way, &way) - middle * middle;
                if off > body.radius * body.radius {
                    continue;
                }
                let half = (body.radius * body.radius - off).sqrt();
                let (mut enter, mut leave) = (middle - half, middle + half);
                for (normal, offset) in &camera.clips {
                    let depth =
                        |t: f64| dot(normal, &[0, 1, 2].map(|a| from[a] + t * unit[a])) - offset;
                    let (a, b) = (depth(enter), depth(leave));
                    if a > 0.0 && b > 0.0 {
                        leave = f64::NEG_INFINITY;
                        break;
                    }
                    let at = enter + (leave - enter) * a / (a - b);
                    if a > 0.0 {
                        enter = at;
                    } else if b > 0.0 {
                        leave = at;
                    }
                }
                if enter <= leave {
                    nearest = nearest.min(enter * unit[2]);
                }
            }
            let depth = f64::from(cell.depth);
            match nearest.is_finite() && depth.is_finite() {
                true => {
                    assert!((depth - nearest).abs() < 1e-5, "{k}: {depth} {nearest}");
                    seen += 1;
                }
                // A thin edge of a ball's rim, or of a cut's, may be on either side of rounding.
                false => assert_eq!(nearest.is_finite(), depth.is_finite(), "{k} {clips:?}"),
            }
        }
        assert!(seen > 3000, "{seen}");
    }
}

/// A cut through the middle of a ball leaves half of it, and the cut is flat.
#[test]
fn a_clip_cuts_balls_open() {
    let bodies = [ball(0, [0.0; 3], 0.5)];
    let scene = scene(&bodies, &[], false);
    let mut view = bare([200, 200]);
    view.fit = Fit::Domain;
    (view.from, view.up) = direction("y").expect("a view");
    let area = |view: &View| {
        // The fit is that of the whole domain, so that areas compare.
        let whole = View {
            clips: Vec::new(),
            ..view.clone()
        };
        let mut camera = Camera::new(&scene, &whole, view.size).expect("a camera");
        camera.clips = Camera::new(&scene, view, view.size)
            .expect("a camera")
            .clips
            .into_iter()
            .zip(&view.clips)
            .map(|((normal, _), clip)| {
                let mut point = Vector3::zeros();
                point[clip.axis] = clip.at;
                let offset = dot(&normal, &camera.seen(&point));
                (normal, offset)
            })
            .collect();
        let mut frame = Frame::new(&camera, &scene, view);
        frame.bodies(&scene, |_| [200; 3]);
        let (area, middle) = covered(&frame, &camera);
        let depths: Vec<f32> = frame.cells.iter().map(|c| c.depth).collect();
        (area, middle, depths, camera)
    };
    let (whole, _, _, camera) = area(&view);
    let expected = PI * (0.5 * camera.scale).powi(2);
    assert!((whole / expected - 1.0).abs() < 2e-3);
    view.clips = vec!["x<0".parse().expect("a clip")];
    let (half, middle, _, _) = area(&view);
    assert!((half / expected - 0.5).abs() < 2e-3, "{half}");
    // Half a disc has its centre 4r/3π from the cut.
    let off = middle[0] - 0.5 * camera.size[0] as f64;
    let formula = -4.0 * 0.5 * camera.scale / (3.0 * PI);
    assert!((off - formula).abs() < 0.5, "{off} {formula}");
    view.clips = vec!["y>0.3".parse().expect("a clip")];
    let (cap, _, depths, camera) = area(&view);
    // Behind y = 0.3 the ball is a circle of radius 0.4, at the depth of the cut.
    assert!((cap / (PI * (0.4 * camera.scale).powi(2)) - 1.0).abs() < 5e-3);
    let plane = camera.seen(&Vector3::new(0.0, 0.3, 0.0))[2];
    let flat = depths.iter().filter(|d| d.is_finite());
    assert!(flat.clone().all(|d| (f64::from(*d) - plane).abs() < 1e-5));
    // A cut that leaves nothing is valid, and the picture is empty.
    view.clips = vec!["x<-2".parse().expect("a clip")];
    assert!(Camera::new(&scene, &view, view.size).is_err());
}

/// Lightness L* of CIE 1976 of a colour in sRGB.
fn lightness(colour: [u8; 3]) -> f64 {
    let linear = colour.map(|c| {
        let c = f64::from(c) / 255.0;
        match c <= 0.040_45 {
            true => c / 12.92,
            false => ((c + 0.055) / 1.055).powf(2.4),
        }
    });
    let y = dot(&linear, &[0.2126, 0.7152, 0.0722]);
    116.0 * y.cbrt() - 16.0
}

/// The lightness of every map is monotonic, over most of the range.
#[test]
fn maps_go_one_way_in_lightness() {
    for (name, map, _) in MAPS {
        let values: Vec<f64> = (0..=50)
            .map(|k| lightness(map.of(f64::from(k) / 50.0)))
            .collect();
        let sign = (values[50] - values[0]).signum();
        for pair in values.windows(2) {
            assert!((pair[1] - pair[0]) * sign > -0.05, "{name}: {pair:?}");
        }
        assert!((values[50] - values[0]).abs() > 60.0, "{name}");
        assert_eq!(map.of(-3.0), map.of(0.0));
        assert_eq!(map.of(f64::INFINITY), map.of(1.0));
        assert_eq!(map.of(f64::NAN), [128; 3]);
    }
}

fn contact(a: u64, b: BodyId, point: [f64; 3], normal: [f64; 3], impulse: f64) -> ContactRow {
    let status = if impulse == 0.0 {
        Status::Open
    } else {
        Status::Sticking
    };
    ContactRow {
        key: ContactKey {
            a: BodyId(a),
            b,
            feature: 0,
        },
        point,
        normal,
        impulse: normal.map(|c| c * impulse),
        status: status as u64,
        ..bytemuck::Zeroable::zeroed()
    }
}

/// A picture is the same to the last byte on any number of threads: bodies, forces, lines, legend.
#[test]
fn the_same_bytes_on_any_threads() {
    let bodies = random_balls(300);
    let contacts: Vec<ContactRow> = (0..200)
        .map(|k| {
            let b = &bodies[k as usize + 1];
            contact(k, b.id, b.position, [0.0, 0.6, 0.8], 1.0 + k as f64)
        })
        .collect();
    let scene = scene(&bodies, &contacts, false);
    for contacts in [false, true] {
        let view = View {
            size: [400, 320],
            contacts,
            opening: Some(40.0),
            ..View::default()
        };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("threads");
            let picture = pool.install(|| draw(&scene, &view)).expect("a picture");
            picture.png().expect("a file")
        };
        let one = on(1);
        assert!(one.len() > 5000);
        for threads in [2, 4] {
            assert!(one == on(threads), "{threads} threads, contacts {contacts}");
        }
    }
}

/// Pressure is the trace of a body's stress over the dimensions, coordination the contacts that
/// carry a force.
#[test]
fn values_of_contacts() {
    let bodies = [
        ball(3, [0.0; 3], 0.5),
        ball(5, [1.0, 0.0, 0.0], 0.5),
        ball(9, [3.0, 0.0, 0.0], 0.25),
    ];
    let contacts = [
        contact(3, BodyId(5), [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], 0.02),
        contact(3, BodyId::wall(0), [0.0, 0.0, -0.5], [0.0, 0.0, -1.0], 0.04),
        contact(5, BodyId(9), [1.5, 0.0, 0.0], [1.0, 0.0, 0.0], 0.0),
    ];
    for flat in [false, true] {
        let scene = scene(&bodies, &contacts, flat);
        assert_eq!(Colour::Coordination.of(&scene), [2.0, 1.0, 0.0]);
        let pressure = Colour::Pressure.of(&scene);
        let size = match flat {
            true => 2.0 * PI * 0.25,
            false => 3.0 * 4.0 / 3.0 * PI * 0.125,
        };
        for (p, force) in pressure.iter().zip([60.0, 20.0, 0.0]) {
            assert!(
                (p - force * 0.5 / size).abs() < 1e-12 * 60.0,
                "{pressure:?}"
            );
        }
        let forces: Vec<f64> = scene.links.iter().map(|link| link.force).collect();
        assert_eq!(forces, [20.0, 40.0]);
    }
    assert_eq!(place(&bodies, BodyId(9)), Some(2));
    assert_eq!(place(&bodies, BodyId(4)), None);
}

/// A bar is as thick as its force is large, and lies between the centres.
#[test]
fn bars_are_as_thick_as_forces_are_large() {
    let bodies = [
        ball(0, [-0.5, 0.0, 0.0], 0.3),
        ball(1, [0.1, 0.0, 0.0], 0.3),
        ball(2, [-0.5, 0.8, 0.0], 0.3),
        ball(3, [0.1, 0.8, 0.0], 0.3),
    ];
    let area = |force: f64| {
        let contacts = [
            contact(0, BodyId(1), [-0.2, 0.0, 0.0], [1.0, 0.0, 0.0], force),
            contact(2, BodyId(3), [-0.2, 0.8, 0.0], [1.0, 0.0, 0.0], 1.0),
        ];
        let scene = scene(&bodies, &contacts, false);
        let mut view = bare([400, 400]);
        (view.fit, view.contacts) = (Fit::Domain, true);
        (view.from, view.up) = direction("z").expect("a view");
        let camera = Camera::new(&scene, &view, view.size).expect("a camera");
        let mut frame = Frame::new(&camera, &scene, &view);
        frame.network(&scene, |_| [0; 3]);
        // The upper one always has the same force; it is in the upper half.
        let below = camera.size[0] * camera.size[1] / 2 - 60 * camera.size[0];
        let cells = frame.cells[below..].iter();
        let count = cells.filter(|c| c.depth.is_finite()).count() as f64;
        (count, camera.scale)
    };
    let (one, scale) = area(1.0);
    let width = 0.5 * 0.3 * scale;
    // A rectangle and the two halves of its round ends.
    let formula = width * 0.6 * scale + PI * (0.5 * width).powi(2);
    assert!((one / formula - 1.0).abs() < 0.02, "{one} {formula}");
    let (half, _) = area(0.5);
    let formula = 0.5 * width * 0.6 * scale + PI * (0.25 * width).powi(2);
    assert!((half / formula - 1.0).abs() < 0.03, "{half} {formula}");
}

/// A plane's outline lies in the plane and on the domain's faces; a bore's circles have its radius.
#[test]
fn outlines_lie_on_walls() {
    let normal = Vector3::new(1.0, 1.0, 1.0).normalize();
    let plane = HalfSpace {
        point: Vector3::zeros(),
        normal,
    };
    let surfaces = [
        Surface::Plane(plane),
        Surface::Bore {
            centre: Vector3::zeros(),
            axis: Vector3::z(),
            radius: 0.4,
        },
    ];
    let scene = Scene {
        surfaces: &surfaces,
        ..scene(&[], &[], false)
    };
    let lines = outline::of(&scene, false);
    let hexagon = &lines[12..18];
    let side = 2.0_f64.sqrt();
    for line in hexagon {
        for end in line.ends {
            assert!(normal.dot(&end).abs() < 1e-12 && end.amax() == 1.0, "{end}");
        }
        let length = (line.ends[1] - line.ends[0]).norm();
        assert!((length - side).abs() < 1e-12, "{length}");
    }
    for line in &lines[18..] {
        for end in line.ends {
            assert!((end.xy().norm() - 0.4).abs() < 1e-12 && end.z.abs() == 1.0);
        }
    }
    assert_eq!(lines.len(), 12 + 6 + 2 * 72 + 8);
}

/// Scenes that cannot be drawn give an error, never a panic: no bodies, one, numbers too large.
#[test]
fn odd_scenes() {
    let small = [1, 2, 3].map(|k| ball(k, [k as f64 * 1e-9, 0.0, 0.0], 1e-10));
    let huge = [
        ball(0, [1e308, 0.0, 0.0], 1e300),
        ball(1, [-1e308, 0.0, 0.0], 1.0),
    ];
    for opening in [None, Some(45.0)] {
        for contacts in [false, true] {
            let view = View {
                size: [320, 240],
                opening,
                contacts,
                ..View::default()
            };
            assert!(draw(&scene(&[], &[], false), &view).is_ok());
            assert!(draw(&scene(&[], &[], true), &view).is_ok());
            assert!(draw(&scene(&small, &[], false), &view).is_ok());
            assert!(draw(&scene(&huge, &[], false), &view).is_err());
            let tiny = View {
                size: [16, 16],
                ..view
            };
            assert!(draw(&scene(&small, &[], true), &tiny).is_ok());
        }
    }
    assert_eq!(FINE, 2);
}
