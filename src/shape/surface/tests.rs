use super::*;
use crate::math::rotate;
use crate::rng::{Purpose, Stream};
use std::f64::consts::TAU;

fn vector(draw: &mut Stream, size: f64) -> Vector3 {
    Vector3::new(
        draw.between(-size, size),
        draw.between(-size, size),
        draw.between(-size, size),
    )
}

/// One of each kind, with random sizes and directions.
fn surfaces(draw: &mut Stream) -> Vec<Surface> {
    let centre = vector(draw, 0.5);
    let axis = vector(draw, 1.0).normalize();
    let radius = draw.between(0.3, 1.5);
    let inside = draw.unit() < 0.5;
    let ends = [
        [draw.unit(), draw.between(-1.0, 0.0)],
        [draw.unit(), draw.between(0.1, 1.0)],
    ];
    vec![
        Surface::Plane(HalfSpace {
            point: centre,
            normal: axis,
        }),
        Surface::Sphere {
            centre,
            radius,
            inside,
        },
        Surface::Bore {
            centre,
            axis,
            radius,
        },
        Surface::Cylinder {
            centre,
            axis,
            radius,
            half_length: draw.between(0.2, 1.0),
        },
        Surface::Shell { centre, axis, ends },
        Surface::Shell {
            centre,
            axis,
            ends: [[draw.unit(), 0.3], [1.0 + draw.unit(), 0.3]],
        },
        Surface::Arc {
            centre,
            axis,
            middle: square_to(&axis),
            half: draw.between(0.1, 3.1),
            radius,
        },
    ]
}

/// The distance of `x` to a surface by brute force.
///
/// It is the distance to the closest of many points of the surface near `x`, refined about it until
/// the steps are tiny. Meridians are polygons in (distance from the axis, height).
fn by_search(surface: &Surface, x: &Vector3) -> f64 {
    let meridian: (Vector3, Vector3, Vec<[f64; 2]>) = match *surface {
        Surface::Plane(HalfSpace { point, normal }) => {
            (point, normal, vec![[0.0, 0.0], [6.0, 0.0]])
        }
        Surface::Bore {
            centre,
            axis,
            radius,
        } => (centre, axis, vec![[radius, -6.0], [radius, 6.0]]),
        Surface::Cylinder {
            centre,
            axis,
            radius,
            half_length: h,
        } => (
            centre,
            axis,
            vec![[0.0, -h], [radius, -h], [radius, h], [0.0, h]],
        ),
        Surface::Shell { centre, axis, ends } => (centre, axis, ends.to_vec()),
        Surface::Sphere { .. } | Surface::Mesh(_) | Surface::Arc { .. } | Surface::Compound(_) => {
            unreachable!("without a meridian of lines")
        }
    };
    let (origin, axis, line) = meridian;
    let side = square_to(&axis);
    let other = axis.cross(&side);
    let at = |piece: usize, share: f64, angle: f64| {
        let [r, z] = [0, 1].map(|k| line[piece][k] + share * (line[piece + 1][k] - line[piece][k]));
        origin + axis * z + (side * libm::cos(angle) + other * libm::sin(angle)) * r
    };
    let distance = |piece, share, angle| (at(piece, share, angle) - x).norm();
    let mut best = f64::INFINITY;
    for piece in 0..line.len() - 1 {
        let (mut share, mut angle) = (0.5, 0.0);
        let (mut wide, mut round) = (0.5, TAU / 2.0);
        // Successively finer grids about the best point: distances over a line and a circle have
        // one minimum each.
        for _ in 0..80 {
            let mut found = (f64::INFINITY, share, angle);
            for i in -6..=6 {
                for j in -6..=6 {
                    let s = (share + wide * f64::from(i) / 6.0).clamp(0.0, 1.0);
                    let a = angle + round * f64::from(j) / 6.0;
                    let d = distance(piece, s, a);
                    if d < found.0 {
                        found = (d, s, a);
                    }
                }
            }
            (share, angle) = (found.1, found.2);
            (wide, round) = (wide * 0.7, round * 0.7);
            best = best.min(found.0);
        }
    }
    best
}

/// The distance of `x` to an arc by brute force, in the plane across its axis.
fn over_arc(surface: &Surface, x: &Vector3) -> f64 {
    let Surface::Arc {
        centre,
        axis,
        middle,
        half,
        radius,
    } = surface
    else {
        unreachable!("asked of arcs")
    };
    let (_, across) = split(&(x - centre), axis);
    let side = axis.cross(middle);
    let away = |angle: f64| {
        let point = (middle * libm::cos(angle) + side * libm::sin(angle)) * *radius;
        (point - across).norm()
    };
    let mut best = (f64::INFINITY, 0.0);
    let mut wide = *half;
    for _ in 0..60 {
        let from: f64 = best.1;
        for k in -40..=40 {
            let angle = (from + wide * f64::from(k) / 40.0).clamp(-half, *half);
            if away(angle) < best.0 {
                best = (away(angle), angle);
            }
        }
        wide *= 0.6;
    }
    best.0
}

/// Validation A27: distance and normal of random points against a search over the surface.
///
/// Normals are unit vectors; the closest point is on the surface.
#[test]
fn a27_nearest_points_against_a_search() {
    for trial in 0..80 {
        let mut draw = Stream::new(Purpose::Trial, 61, [trial, 0, 0]);
        for surface in surfaces(&mut draw) {
            let x = vector(&mut draw, 2.0);
            let (distance, n) = surface.nearest(&x);
            assert!((n.norm() - 1.0).abs() < 1e-15, "{surface:?}");
            let foot = x + n * distance;
            let (again, _) = surface.nearest(&foot);
            assert!(again.abs() < 1e-14, "{surface:?}: {again}");
            if let Surface::Arc { .. } = surface {
                let searched = over_arc(&surface, &x);
                let case = format!("{surface:?} at {x}: {distance}, {searched}");
                assert!((distance - searched).abs() < 1e-9, "{case}");
                continue;
            }
            if let Surface::Sphere {
                centre,
                radius,
                inside,
            } = surface
            {
                let expected = (x - centre).norm() - radius;
                assert_eq!(distance, if inside { -expected } else { expected });
                continue;
            }
            let searched = by_search(&surface, &x);
            assert!(
                (distance.abs() - searched).abs() < 1e-9,
                "{surface:?} at {x}: {distance}, {searched}"
            );
        }
    }
}

/// The free side of each surface, and points on axes, at centres, on edges.
#[test]
fn sides_and_special_points() {
    let (o, z) = (Vector3::zeros(), Vector3::z());
    let cylinder = Surface::Cylinder {
        centre: o,
        axis: z,
        radius: 1.0,
        half_length: 2.0,
    };
    assert_eq!(
        cylinder.nearest(&Vector3::new(3.0, 0.0, 1.0)),
        (2.0, -Vector3::x())
    );
    assert_eq!(cylinder.nearest(&Vector3::new(0.5, 0.0, -3.0)), (1.0, z));
    let (d, n) = cylinder.nearest(&Vector3::new(4.0, 0.0, 6.0));
    assert!((d - 5.0).abs() < 1e-15 && (n + Vector3::new(0.6, 0.0, 0.8)).norm() < 1e-15);
    assert_eq!(cylinder.nearest(&Vector3::new(0.9, 0.0, 0.0)).0, 0.9 - 1.0);
    assert_eq!(cylinder.nearest(&Vector3::new(0.0, 0.0, 1.5)).0, -0.5);
    let bore = Surface::Bore {
        centre: o,
        axis: z,
        radius: 1.0,
    };
    assert_eq!(
        bore.nearest(&Vector3::new(0.25, 0.0, 9.0)),
        (0.75, Vector3::x())
    );
    assert_eq!(bore.nearest(&Vector3::new(1.25, 0.0, 9.0)).0, -0.25);
    let cup = Surface::Sphere {
        centre: o,
        radius: 2.0,
        inside: true,
    };
    assert_eq!(cup.nearest(&Vector3::new(0.0, 0.0, -1.5)), (0.5, -z));
    let disc = Surface::Shell {
        centre: o,
        axis: z,
        ends: [[0.0, 0.0], [1.0, 0.0]],
    };
    assert_eq!(disc.nearest(&Vector3::new(0.5, 0.0, 0.25)), (0.25, -z));
    assert_eq!(disc.nearest(&Vector3::new(0.0, 0.5, -0.25)), (0.25, z));
    for surface in [cylinder, bore, cup, disc] {
        for x in [
            o,
            Vector3::new(1.0, 0.0, 0.0),
            Vector3::new(0.0, 1.0, 2.0),
            z,
        ] {
            let (d, n) = surface.nearest(&x);
            assert!(
                d.is_finite() && (n.norm() - 1.0).abs() < 1e-15,
                "{surface:?} at {x}"
            );
        }
    }
}

/// A rotated and displaced surface has the same distance from a point that moves with it.
#[test]
fn moved_surfaces_see_moved_points() {
    for trial in 0..200 {
        let mut draw = Stream::new(Purpose::Trial, 62, [trial, 0, 0]);
        let (about, way) = (vector(&mut draw, 1.0), vector(&mut draw, 1.0));
        let q = rotate(IDENTITY, &vector(&mut draw, 3.0));
        for surface in surfaces(&mut draw) {
            let x = vector(&mut draw, 2.0);
            let moved = about + turned(q, &(x - about)) + way;
            let (d0, n0) = surface.nearest(&x);
            let (d1, n1) = surface.placed(&about, &way, q).nearest(&moved);
            assert!(
                (d0 - d1).abs() < 1e-13 && (turned(q, &n0) - n1).norm() < 1e-11,
                "{surface:?}"
            );
            assert_eq!(surface.placed(&about, &Vector3::zeros(), IDENTITY), surface);
        }
    }
}

/// All places of hollow surfaces lie on them, and place 0 is the nearest point.
///
/// If place 1 is out of reach, so are the others. Bodies outside see one place only.
#[test]
fn places_of_hollow_surfaces() {
    use crate::rng::{Purpose, Stream};
    let axis = Vector3::new(0.36, 0.48, 0.8);
    let (centre, radius) = (Vector3::new(0.1, -0.2, 0.3), 0.7);
    let shell = |ends| Surface::Shell { centre, axis, ends };
    let surfaces = [
        Surface::Bore {
            centre,
            axis,
            radius,
        },
        Surface::Sphere {
            centre,
            radius,
            inside: true,
        },
        shell([[0.7, -1.0], [0.7, 1.0]]),
        shell([[0.0, -0.5], [0.9, 0.5]]),
        shell([[0.3, 0.0], [0.9, 0.0]]),
    ];
    let mut hollow = [0; 5];
    for trial in 0..2000 {
        let mut draw = Stream::new(Purpose::Trial, 91, [trial, 0, 0]);
        let mut one = || draw.between(-1.0, 1.0);
        // Many points near the axis.
        let away = Vector3::new(one(), one(), one()) * 10f64.powf(6.0 * one() - 6.0);
        let x = centre + axis * one() + away;
        for (surface, count) in surfaces.iter().zip(&mut hollow) {
            let (nearest, _) = surface.nearest(&x);
            if surface.place(&x, 0).is_none() {
                continue;
            }
            *count += 1;
            let mut last = 0.0;
            for k in 0..PLACES {
                let (far, towards) = surface.place(&x, k).expect("all places or none");
                assert!((towards.norm() - 1.0).abs() < 1e-12);
                let (left, _) = surface.nearest(&(x + towards * far));
                assert!(left.abs() < 1e-9, "{surface:?}, place {k}: {left:e} off");
                assert!(
                    far >= nearest - 1e-8,
                    "{surface:?}, place {k}: {far} < {nearest} at {x}"
                );
                match k {
                    0 => assert!((far - nearest).abs() < 1e-8, "{surface:?}"),
                    1 => last = far,
                    _ => assert!(far >= last - 1e-8, "{surface:?}, place {k}"),
                }
            }
        }
    }
    assert!(hollow.iter().all(|&n| n > 500), "{hollow:?}");
    // Over a ring, next to a tube, over a plate: one place.
    let over = centre + axis * 0.1 + super::square_to(&axis) * 0.5;
    assert!(surfaces[4].place(&over, 0).is_none());
    let outside = centre + super::square_to(&axis) * 1.5;
    assert!(surfaces[2].place(&outside, 0).is_none());
    assert!(shell([[0.0, 0.0], [0.9, 0.0]]).place(&over, 0).is_none());
}

/// The hollow side of an arc holds a ball at the points of its places that the arc has.
///
/// Place 0 is the nearest point, also at an end; outside the circle it has no places.
#[test]
fn places_of_arcs() {
    let (centre, radius) = (Vector3::new(0.1, -0.2, 0.0), 0.7);
    let mut counts = [0; PLACES + 1];
    for trial in 0..3000 {
        let mut draw = Stream::new(Purpose::Trial, 92, [trial, 0, 0]);
        let angle = draw.between(0.0, TAU);
        let arc = Surface::Arc {
            centre,
            axis: Vector3::z(),
            middle: Vector3::new(libm::cos(angle), libm::sin(angle), 0.0),
            half: draw.between(0.1, 3.1),
            radius,
        };
        let near = libm::pow(10.0, draw.between(-11.0, 0.0));
        let way = Vector3::new(draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), 0.0) * near;
        let x = centre + way;
        let (nearest, _) = arc.nearest(&x);
        let places: Vec<_> = (0..PLACES).map_while(|k| arc.place(&x, k)).collect();
        counts[places.len()] += 1;
        assert_eq!(places.is_empty(), way.norm() >= radius);
        for (k, (far, towards)) in places.iter().enumerate() {
            assert!(towards.z == 0.0 && (towards.norm() - 1.0).abs() < 1e-12);
            let (left, _) = arc.nearest(&(x + towards * *far));
            assert!(left < 1e-9, "{arc:?}, place {k} at {x}: {left:e} off");
            assert!(*far >= nearest - 1e-8 && (k > 0 || *far <= nearest + 1e-8));
        }
    }
    assert!(counts.iter().all(|&n| n > 10), "{counts:?}");
}

/// In the plane z = 0 a disc is a segment: distance and direction by hand, exactly in the plane.
#[test]
fn a_disc_is_a_segment_in_the_plane() {
    for trial in 0..2000 {
        let mut draw = Stream::new(Purpose::Trial, 93, [trial, 0, 0]);
        let mut point = || Vector3::new(draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), 0.0);
        let (from, to, x) = (point(), point(), point());
        let along = (to - from).normalize();
        let length = (to - from).norm();
        let segment = Surface::Shell {
            centre: from + along * (0.5 * length),
            axis: Vector3::z().cross(&along),
            ends: [[0.0, 0.0], [0.5 * length, 0.0]],
        };
        let foot = from + along * (x - from).dot(&along).clamp(0.0, length);
        let (distance, towards) = segment.nearest(&x);
        assert!((distance - (foot - x).norm()).abs() < 1e-14);
        assert!((x + towards * distance - foot).norm() < 1e-14 && towards.z == 0.0);
        assert!(segment.place(&x, 0).is_none());
    }
}

/// The bend in a cylinder follows from the distances from its axis; flat and convex surfaces have
/// none.
#[test]
fn the_bend_of_a_way_completes_its_projection() {
    let bore = Surface::Bore {
        centre: Vector3::new(0.1, 0.0, 0.0),
        axis: Vector3::z(),
        radius: 1.0,
    };
    let x = Vector3::new(0.7, 0.0, 0.3);
    let around = Vector3::new(0.0, 0.02, 0.5);
    // In the plane across the axis the point is at 0.6, then at √(0.6² + 0.02²).
    let expected = 0.6_f64.hypot(0.02) - 0.6;
    assert!((bore.bend(&x, &around) - expected).abs() < 1e-15);
    for along in [Vector3::z() * 0.4, Vector3::x() * 0.1, Vector3::zeros()] {
        assert!(bore.bend(&x, &along).abs() < 1e-15, "{along}");
    }
    let plane = Surface::Plane(HalfSpace {
        point: Vector3::zeros(),
        normal: Vector3::z(),
    });
    let pillar = Surface::Cylinder {
        centre: Vector3::zeros(),
        axis: Vector3::z(),
        radius: 0.5,
        half_length: 2.0,
    };
    for surface in [plane, pillar] {
        assert_eq!(surface.bend(&x, &around), 0.0);
    }
}
