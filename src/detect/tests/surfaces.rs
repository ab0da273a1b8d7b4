//! Walls, and all candidates, compared with the plain search.

use super::*;
use crate::shape::{HalfSpace, Surface};

/// Walls of all kinds around the cube from 0 to 8.
pub(super) fn walls() -> Vec<Wall> {
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let centre = Vector3::new(4.0, 3.0, 5.0);
    let plane = |point, normal| Surface::Plane(HalfSpace { point, normal });
    let surfaces = [
        plane(Vector3::zeros(), Vector3::z()),
        plane(Vector3::repeat(8.0), -Vector3::y()),
        plane(centre, axis),
        Surface::Sphere {
            centre,
            radius: 2.0,
            inside: false,
        },
        Surface::Sphere {
            centre,
            radius: 5.0,
            inside: true,
        },
        Surface::Bore {
            centre,
            axis,
            radius: 3.0,
        },
        Surface::Cylinder {
            centre,
            axis,
            radius: 1.0,
            half_length: 2.0,
        },
        Surface::Shell {
            centre,
            axis,
            ends: [[1.0, -2.0], [3.0, 2.0]],
        },
        Surface::Arc {
            centre,
            axis,
            middle: Vector3::new(0.64, 0.6, -0.48),
            half: 2.0,
            radius: 2.5,
        },
        plane(Vector3::repeat(1e9), Vector3::repeat(1.0).normalize()),
    ];
    let compound = Surface::united(&surfaces[2..9]).unwrap();
    let all = surfaces.into_iter().chain([compound]);
    let each = all.enumerate();
    each.map(|(k, s)| Wall::fixed(format!("wall {k}"), s, 0))
        .collect()
}

/// All candidates are those of the plain search, bit for bit, in ascending order.
#[test]
fn same_candidates_as_the_plain_search() {
    let mut with_walls = 0;
    for trial in 0..60 {
        let mut draw = Stream::new(Purpose::Trial, 23, [trial, 0, 0]);
        let periodic = [0; 3].map(|_| draw.below(2) > 0);
        let period = Period::of_box(&Vector3::zeros(), &Vector3::repeat(8.0), periodic);
        let n = draw.below(1500) as usize;
        let x: Vec<Vector3> = (0..n)
            .map(|_| Vector3::from([0; 3].map(|_| draw.between(0.0, 8.0))))
            .collect();
        let ratio = [1.0, 20.0][draw.below(2) as usize];
        let r: Vec<f64> = radii(&mut draw, n, ratio).iter().map(|r| 0.4 * r).collect();
        let (all, walls) = (bodies(&x, &r), walls());
        let mine = |x: &Vector3| x.x + 0.3 * x.y < 7.0;
        let mut expected = plain::candidates(&all, &walls, 0.03, &period, mine);
        expected.sort_by_key(|c| c.key);
        let found = candidates(&all, &walls, 0.03, &period, mine);
        assert!(found == expected, "trial {trial}");
        let wall = |c: &&Candidate| matches!(c.b, Partner::Wall(_));
        with_walls += found.iter().filter(wall).count();
    }
    assert!(with_walls > 10_000, "{with_walls}");
}

/// A box is skipped only if no point of it is close to the wall.
///
/// Tested for all surfaces, with flat and wide boxes and reaches of both signs.
#[test]
fn boxes_that_are_given_up_hold_nothing_near() {
    let mut given_up = 0;
    for trial in 0..4000 {
        let mut draw = Stream::new(Purpose::Trial, 24, [trial, 0, 0]);
        let lower = point(&mut draw, 8.0);
        let size = Vector3::from([0; 3].map(|_| libm::pow(10.0, draw.between(-3.0, 0.7))));
        let reach = draw.between(-1.0, 1.0);
        for wall in walls() {
            let near = wall.surface.may_be_nearer(&lower, &(lower + size), reach);
            given_up += usize::from(!near);
            for k in 0..12 {
                let part = match k {
                    0..8 => {
                        Vector3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))
                    }
                    _ => Vector3::from([0; 3].map(|_| draw.unit())),
                };
                let x = lower + size.component_mul(&part);
                assert!(near || wall.surface.nearest(&x).0 >= reach, "{}", wall.name);
            }
        }
    }
    assert!(given_up > 10_000, "{given_up}");
}

/// Walls are compared only with bodies close to them: a sieve of planes, each close to a layer.
#[test]
fn walls_look_at_bodies_near_them() {
    let all = amounts::mixture(20_000, 1.0, 2);
    let low = all
        .positions()
        .iter()
        .fold(Vector3::zeros(), |l, x| l.inf(x));
    let walls: Vec<Wall> = (0..300)
        .map(|k| {
            let normal = [Vector3::x(), Vector3::y(), Vector3::z()][k % 3];
            let surface = Surface::Plane(HalfSpace { point: low, normal });
            Wall::fixed(format!("wall {k}"), surface, 0)
        })
        .collect();
    let looks = |walls: &[Wall]| {
        let mut detector = Detector::default();
        let space = Space {
            walls,
            margin: 0.05,
            period: &Period::NONE,
            templates: &[],
        };
        detector.detect(&all, &space, |_| true, &Pool::default(), &mut Vec::new());
        detector.looked()
    };
    let each = (looks(&walls) - looks(&[])) / 300;
    assert!(each < all.len() as u64 / 4, "{each} looks a wall");
}
