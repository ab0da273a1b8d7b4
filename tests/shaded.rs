//! Pictures with shaded walls, and legends of categories: drawn by the library, judged by their pixels.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use moreau::body::{BodyId, BodyRow};
use moreau::math::Vector3;
use moreau::render::{Balls, Colour, Fit, Map, Picture, Scene, View, Walls, direction, draw};
use moreau::shape::mesh::{Faces, Mesh};
use moreau::shape::{HalfSpace, Posed, Surface};

const SIZE: [usize; 2] = [400, 300];

fn scene<'a>(bodies: &'a [BodyRow], surfaces: &'a [Surface], materials: &'a [String]) -> Scene<'a> {
    Scene {
        bodies,
        balls: Balls::Of(&[]),
        coordination: bodies.iter().map(|row| row.id.0 as f64).collect(),
        pressure: Vec::new(),
        links: Vec::new(),
        surfaces,
        worn: Vec::new(),
        materials,
        domain: (Vector3::repeat(-1.0), Vector3::repeat(1.0)),
        up: Vector3::z(),
        flat: false,
        caption: "",
    }
}

/// Seen from −y: x to the right, z upwards.
fn view(walls: Walls) -> View {
    let (from, up) = direction("y").unwrap();
    View {
        size: SIZE,
        from,
        up,
        walls,
        legend: false,
        fit: Fit::Domain,
        colour: Colour::Id,
        map: Map::Plasma,
        ..View::default()
    }
}

fn ball(id: u64, position: [f64; 3], radius: f64) -> BodyRow {
    BodyRow::sphere(BodyId(id), position, radius, 1.0)
}

/// The six faces of the domain, as walls that are solid outside.
fn faces() -> Vec<Surface> {
    let faces = (0..3).flat_map(|axis| [-1.0, 1.0].map(|side| (axis, side)));
    let plane = |(axis, side): (usize, f64)| {
        let mut normal = Vector3::zeros();
        normal[axis] = -side;
        Surface::Plane(HalfSpace {
            point: -normal,
            normal,
        })
    };
    faces.map(plane).collect()
}

/// A cube of edge 1.2 about the origin, each face of many triangles.
fn cube(parts: u32) -> Surface {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (axis, side) in (0..3).flat_map(|axis| [-0.6, 0.6].map(|side| (axis, side))) {
        let first = points.len() as u32;
        for (j, k) in (0..=parts).flat_map(|j| (0..=parts).map(move |k| (j, k))) {
            let at = |k: u32| -0.6 + 1.2 * f64::from(k) / f64::from(parts);
            let mut x = Vector3::repeat(side);
            (x[(axis + 1) % 3], x[(axis + 2) % 3]) = (at(j), at(k));
            points.push(x.into());
        }
        for (j, k) in (0..parts).flat_map(|j| (0..parts).map(move |k| (j, k))) {
            let at = |j: u32, k: u32| first + j * (parts + 1) + k;
            triangles.push([at(j, k), at(j + 1, k), at(j + 1, k + 1)]);
            triangles.push([at(j, k), at(j + 1, k + 1), at(j, k + 1)]);
        }
    }
    let mesh = Mesh::new(&Faces { points, triangles }, 0.1).unwrap();
    Surface::Mesh(Posed::new(mesh))
}

fn count(picture: &Picture, which: impl Fn([u8; 3]) -> bool) -> usize {
    let all = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
    all.filter(|&(x, y)| which(picture.at(x, y))).count()
}

fn spread([r, g, b]: [u8; 3]) -> u8 {
    r.max(g).max(b) - r.min(g).min(b)
}

/// A box is open towards the eye: its far faces are seen, and hide no body.
#[test]
fn a_box_is_open_towards_the_eye() {
    let bodies: Vec<BodyRow> = (0..40)
        .map(|k| {
            let at = |n: u64| ((k * n) % 17) as f64 / 10.0 - 0.8;
            ball(k, [at(3), at(5), at(7)], 0.15)
        })
        .collect();
    let surfaces = faces();
    let scene = scene(&bodies, &surfaces, &[]);
    for name in ["y", "iso"] {
        for opening in [None, Some(50.0)] {
            let picture = |walls: Walls| {
                let mut view = view(walls);
                (view.from, view.up) = direction(name).unwrap();
                view.opening = opening;
                draw(&scene, &view).unwrap()
            };
            let [bare, lines, shaded] = [Walls::None, Walls::Lines, Walls::Shaded].map(picture);
            let coloured = count(&bare, |c| spread(c) > 60);
            assert!(coloured > 4000, "{coloured}");
            // Away from the rims of balls, whose pixels show in part what is behind.
            let all = (2..SIZE[1] - 2).flat_map(|y| (2..SIZE[0] - 2).map(move |x| (x, y)));
            let inner = all.filter(|&(x, y)| {
                let near = [[x, y], [x - 2, y], [x + 2, y], [x, y - 2], [x, y + 2]];
                near.iter().all(|[x, y]| spread(lines.at(*x, *y)) > 60)
            });
            let inner: Vec<(usize, usize)> = inner.collect();
            let (mut hidden, mut changed) = (0, 0);
            for &(x, y) in &inner {
                hidden += usize::from(spread(shaded.at(x, y)) < 40);
                changed += usize::from(shaded.at(x, y) != lines.at(x, y));
            }
            // Walls darken the bodies near them, only in perspective in front of them.
            let inner = inner.len();
            assert!(inner > 2000 && hidden == 0, "{name}: {hidden} of {inner}");
            assert!(changed * 10 < inner, "{name}: {changed} of {inner}");
            let white = [&lines, &shaded].map(|picture| count(picture, |c| c == [255; 3]));
            assert!(white[1] + 20_000 < white[0], "{name}: {white:?}");
        }
    }
}

/// The far face of the domain fills as much of the picture as the domain does.
#[test]
fn a_far_face_has_its_area() {
    let surfaces = faces();
    let scene = scene(&[], &surfaces, &[]);
    let mut view = view(Walls::Shaded);
    let area = |view: &View| {
        let picture = draw(&scene, view).unwrap();
        count(&picture, |c| c != [255; 3]) as f64
    };
    // The domain fills 94 % of the smaller side.
    let whole = (0.94 * SIZE[1] as f64).powi(2);
    let found = area(&view);
    assert!((found / whole - 1.0).abs() < 0.02, "{found} {whole}");
    // A clip leaves half of it, at the same scale.
    view.clips = vec!["x<0".parse().unwrap()];
    let found = area(&view);
    assert!(
        (found / (0.5 * whole) - 1.0).abs() < 0.03,
        "{found} {whole}"
    );
}

/// A mesh is a veil over the bodies behind it, or hides them if it is solid, until a clip opens it.
#[test]
fn meshes_are_veils_or_solid() {
    let bodies = [ball(0, [0.0; 3], 0.3), ball(9, [0.0, 0.9, 0.0], 0.01)];
    let surfaces = [cube(7)];
    let scene = scene(&bodies, &surfaces, &[]);
    let middle = SIZE.map(|n| n / 2 + 3);
    let at_middle = |view: &View| draw(&scene, view).unwrap().at(middle[0], middle[1]);
    let bare = at_middle(&view(Walls::None));
    let veiled = at_middle(&view(Walls::Shaded));
    assert!(spread(bare) > 80, "{bare:?}");
    assert!(
        veiled != bare && spread(veiled) > 50,
        "{veiled:?} over {bare:?}"
    );
    let hidden = at_middle(&view(Walls::Solid));
    assert!(spread(hidden) < 12, "{hidden:?}");
    let mut open = view(Walls::Solid);
    open.clips = vec!["y>-0.5".parse().unwrap()];
    open.fit = Fit::Domain;
    assert_eq!(at_middle(&open), bare);
    // With a clip that keeps the front face it stays hidden.
    open.clips = vec!["y>-0.7".parse().unwrap()];
    assert!(spread(at_middle(&open)) < 12);
}

/// Where colours show a quantity of walls, each triangle has the colour of its value; bodies are grey, and hidden by it.
#[test]
fn triangles_have_the_colours_of_their_values() {
    let bodies = [ball(0, [0.0; 3], 0.3), ball(9, [0.0, -0.9, 0.4], 0.2)];
    let (cube, parts) = (cube(2), 2);
    let Surface::Mesh(mesh) = &cube else {
        panic!("a mesh");
    };
    // The front face, y = −0.6, has 8 triangles; those below z = 0 have twice the value.
    let corners = |t: &[u32; 3]| t.map(|k| mesh.mesh().points()[k as usize]);
    let value = |t: &[u32; 3]| {
        let corners = corners(t);
        match corners.iter().all(|x| x.y == -0.6) {
            true if corners.iter().all(|x| x.z <= 0.0) => 2.0,
            true => 1.0,
            false => 0.0,
        }
    };
    let values: Vec<f64> = mesh.mesh().triangles().iter().map(value).collect();
    assert_eq!(values.len(), 12 * parts * parts);
    assert_eq!(values.iter().sum::<f64>(), 12.0);
    let surfaces = [faces()[0].clone(), cube.clone()];
    let mut scene = scene(&bodies, &surfaces, &[]);
    scene.worn = vec![Vec::new(), values];
    let view = View {
        colour: "wall.sliding_work".parse().unwrap(),
        range: Some([0.0, 2.5]),
        ..view(Walls::Solid)
    };
    let picture = draw(&scene, &view).unwrap();
    let middle = SIZE.map(|n| n / 2);
    let low = picture.at(middle[0] + 30, middle[1] + 30);
    let high = picture.at(middle[0] + 30, middle[1] - 30);
    for (found, value) in [(low, 2.0), (high, 1.0)] {
        // Light falls on the face at a slant: one factor for all three parts of the colour.
        let expected = Map::Plasma.of(value / 2.5).map(f64::from);
        let light = f64::from(found[0]) / expected[0];
        assert!(light > 0.7 && light <= 1.0, "{light}");
        let off = (0..3).map(|k| (f64::from(found[k]) - light * expected[k]).abs());
        assert!(off.fold(0.0, f64::max) <= 2.0, "{found:?} {expected:?}");
    }
    // The ball in front of the cube is grey.
    let scale = 0.94 * SIZE[1] as f64 / 2.0;
    let front = picture.at(middle[0], middle[1] - (0.4 * scale) as usize);
    assert!(spread(front) < 25 && front != high, "{front:?}");
}

/// Each pixel of a face belongs to one triangle: the colour of a flat face is one.
#[test]
fn triangles_join_without_gaps_and_overlaps() {
    for parts in [1, 50] {
        let surfaces = [cube(parts)];
        let scene = scene(&[], &surfaces, &[]);
        for opening in [None, Some(40.0)] {
            let mut view = view(Walls::Shaded);
            view.opening = opening;
            let picture = draw(&scene, &view).unwrap();
            let found = picture.at(SIZE[0] / 2, SIZE[1] / 2);
            assert!(found != [255; 3]);
            for (x, y) in (-40..40).flat_map(|x| (-40..40).map(move |y| (x, y))) {
                let spot = [
                    (SIZE[0] as i32 / 2 + x) as usize,
                    (SIZE[1] as i32 / 2 + y) as usize,
                ];
                assert_eq!(picture.at(spot[0], spot[1]), found, "{spot:?} of {parts}");
            }
        }
    }
}

/// The same bytes on any threads: planes, round walls, meshes, veils.
#[test]
fn the_same_bytes_on_any_threads() {
    let mut surfaces = faces();
    surfaces.push(cube(20));
    surfaces.push(Surface::Bore {
        centre: Vector3::zeros(),
        axis: Vector3::y(),
        radius: 0.9,
    });
    surfaces.push(Surface::Cylinder {
        centre: Vector3::new(0.5, 0.0, 0.5),
        axis: Vector3::x(),
        radius: 0.1,
        half_length: 0.3,
    });
    surfaces.push(Surface::Sphere {
        centre: Vector3::new(-0.5, 0.0, 0.5),
        radius: 0.2,
        inside: false,
    });
    surfaces.push(Surface::Shell {
        centre: Vector3::zeros(),
        axis: Vector3::z(),
        ends: [[0.1, -0.8], [0.7, -0.2]],
    });
    let bodies = [ball(0, [0.0; 3], 0.2), ball(1, [0.3, 0.1, 0.0], 0.1)];
    let scene = scene(&bodies, &surfaces, &[]);
    let mut different = Vec::new();
    for (walls, opening) in [
        (Walls::Shaded, None),
        (Walls::Solid, None),
        (Walls::Shaded, Some(60.0)),
    ] {
        let mut view = view(walls);
        view.look(Vector3::new(1.0, -2.0, 0.7), None).unwrap();
        view.opening = opening;
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| draw(&scene, &view)).unwrap().png().unwrap()
        };
        let one = on(1);
        for threads in [2, 4] {
            assert!(one == on(threads), "{threads} threads");
        }
        different.push(one);
    }
    different.dedup();
    assert_eq!(different.len(), 3);
}

/// A solid cylinder shows its outside, a bore its inside: light falls on the side that the eye sees.
#[test]
fn round_walls_show_the_side_of_the_bodies() {
    let solid = [Surface::Cylinder {
        centre: Vector3::zeros(),
        axis: Vector3::z(),
        radius: 0.5,
        half_length: 0.9,
    }];
    let bore = [Surface::Bore {
        centre: Vector3::zeros(),
        axis: Vector3::z(),
        radius: 0.5,
    }];
    let inside = [ball(0, [0.0; 3], 0.3), ball(9, [0.0, 0.0, 0.9], 0.01)];
    let colour = |surfaces: &[Surface]| {
        let picture = draw(&scene(&inside, surfaces, &[]), &view(Walls::Shaded)).unwrap();
        spread(picture.at(SIZE[0] / 2 + 3, SIZE[1] / 2 + 3))
    };
    assert!(colour(&bore) > 60, "the ball in a bore is seen");
    assert!(colour(&solid) < 12, "the ball in a solid cylinder is not");
}

/// The colours, other than grey, in the column of the legend.
fn legend(names: &[&str], colour: Colour, range: Option<[f64; 2]>) -> (Picture, Vec<[u8; 3]>) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let bodies = [ball(0, [-0.5; 3], 0.2), ball(2, [0.5; 3], 0.2)];
    let view = View {
        legend: true,
        colour,
        range,
        ..view(Walls::None)
    };
    let picture = draw(&scene(&bodies, &[], &names), &view).unwrap();
    // Long names take a third of the width.
    let width = if names.len() > 3 { SIZE[0] / 3 } else { 100 };
    let column = (SIZE[0] - width..SIZE[0]).flat_map(|x| (0..SIZE[1]).map(move |y| (x, y)));
    let mut found: Vec<[u8; 3]> = column.map(|(x, y)| picture.at(x, y)).collect();
    found.retain(|c| spread(*c) > 30);
    found.sort_unstable();
    found.dedup();
    (picture, found)
}

/// Materials and small whole numbers have swatches of their own colours and names; other quantities a bar.
#[test]
fn categories_have_swatches() {
    let map = |share: f64| Map::Plasma.of(share);
    let (three, found) = legend(&["glass", "steel", "wood"], Colour::Material, None);
    let mut expected = [0.0, 0.5, 1.0].map(map).to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let (other, same) = legend(&["glass", "steel", "sand"], Colour::Material, None);
    assert_eq!(same, found);
    assert!(other.rgb != three.rgb, "the names are written");
    let (_, found) = legend(&[], Colour::Coordination, None);
    assert_eq!(found.len(), 3, "0, 1, 2");
    for (colour, range) in [
        (Colour::Coordination, Some([0.0, 40.0])),
        (Colour::Radius, None),
    ] {
        let (_, found) = legend(&["glass"], colour, range);
        assert!(found.len() > 50, "{} colours", found.len());
    }
    // More than have room, and names longer than it.
    let many: Vec<String> = (0..60)
        .map(|k| format!("a material with the long name {k}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let (_, found) = legend(&many, Colour::Material, None);
    assert!((3..20).contains(&found.len()), "{}", found.len());
}
