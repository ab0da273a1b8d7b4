//! Measures, pictures and frames of clumps: stress by arms from the centre of mass, tops by their balls.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod movie;
mod scene;

use moreau::body::{BodyId, Motion};
use moreau::comm::threads::{self, Serial};
use moreau::domain::Domain;
use moreau::io::checkpoint;
use moreau::math::Vector3;
use moreau::measure::{self, Heap, Side, Window};
use moreau::report::convert::{Format, convert};
use moreau::rng::{Purpose, Stream};
use moreau::sim;
use movie::balls::{alone, bodies, contacts};
use scene::clump::{dumbbell, product, tetrahedron};
use scene::{Scene, State, piston, plane, record};
use std::path::Path;

fn whole(s: &Scene) -> Window {
    Window::new(None, (&s.lower, &s.upper), s.periodic, false)
}

/// Stress times volume times length of the step [N m s].
fn moments(s: &Scene, state: &State, window: &Window) -> [f64; 9] {
    let side = Side::among(&state.bodies, &s.templates, s.dt);
    measure::branch_moments(&state.contacts, window, side).map(|sum| sum.value())
}

/// Turns x to z.
const UPRIGHT: [f64; 4] = {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    [half, 0.0, -half, 0.0]
};

/// A dumbbell of balls of radius 2 and bounding radius 3 between a floor and a lid that presses with
/// a force F. `Σ f_z l_z` is F times its height, 4 lying and 6 upright, and all else vanishes.
#[test]
fn stress_of_a_squeezed_dumbbell() {
    let (load, radius) = (50.0, 3.0);
    for (height, turn) in [(4.0, [1.0, 0.0, 0.0, 0.0]), (6.0, UPRIGHT)] {
        let mut s = Scene::new([-5.0, -5.0, -1.0], [5.0, 5.0, 9.0], 1e-2);
        s.templates = vec![dumbbell()];
        s.walls.push(plane(0.0, 1.0, Motion::Fixed));
        s.walls.push(plane(height, -1.0, piston(3.0, load)));
        let i = s.clump([0.0, 0.0, 0.5 * height], radius, 0);
        s.bodies[i].orientation = product(turn, s.templates[0].frame());
        let state = s.run(20);
        assert_eq!(state.contacts.len(), if height < 5.0 { 4 } else { 2 });
        let window = whole(&s);
        let over = window.volume() * s.dt;
        let stress = moments(&s, &state, &window).map(|sum| sum / over);
        let expected = load * height / 1000.0;
        let what = format!("stress of a dumbbell {height} m high [Pa]");
        record("clumps", &what, stress[8], expected, 1e-9 * expected);
        assert!(stress[..8].iter().all(|x| x.abs() < 1e-9 * expected));

        let touching = moreau::render::Touching {
            bodies: &state.bodies,
            templates: &s.templates,
            contacts: &state.contacts,
            dt: s.dt,
        };
        let pressure = touching.pressure(false)[0];
        let expected = load * height / (3.0 * s.templates[0].volume(radius));
        let what = format!("pressure of a dumbbell {height} m high [Pa]");
        record("clumps", &what, pressure, expected, 1e-9 * expected);

        let heap = Heap {
            centre: Vector3::zeros(),
            up: Vector3::z(),
            rings: 4,
        };
        let top = heap.top((&state.bodies, &s.templates), &window);
        let what = format!("top of a dumbbell {height} m high [m]");
        record("clumps", &what, top, height, 1e-9);
        let surface = heap.surface((&state.bodies, &s.templates), &window, 1.0);
        assert_eq!(surface[0], top);
    }
}

/// Dumbbells, four-ball clumps and balls under a lid, x and y periodic.
fn packing() -> Scene {
    let (side, layers, cell) = (3, 4, 0.026);
    let (width, height) = (f64::from(side) * cell, f64::from(layers) * cell);
    let mut s = Scene::new([0.0; 3], [width, width, height], 5e-4);
    s.templates = vec![dumbbell(), tetrahedron()];
    s.periodic = [true, true, false];
    s.friction = 0.3;
    s.solver.tolerance = 1e-5;
    s.solver.max_sweeps = 500;
    s.walls.push(plane(0.0, 1.0, Motion::Fixed));
    s.walls
        .push(plane(height - 0.1 * cell, -1.0, piston(0.02, 5.0)));
    for k in 0..side * side * layers {
        let mut draw = Stream::new(Purpose::Trial, 33, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side].map(f64::from);
        let position = site.map(|i| (i + 0.5 + draw.between(-0.02, 0.02)) * cell);
        let radius = 0.012 * draw.between(0.9, 1.0);
        match k % 3 {
            2 => s.glass_sphere(position, radius),
            number => s.clump(position, radius, number as u32),
        };
        let row = s.bodies.last_mut().unwrap();
        let spin = [0; 3].map(|_| draw.between(-20.0, 20.0));
        row.turn_with(spin, &s.templates);
    }
    s
}

/// In any state, at rest or not, `Σ r_z l_z` over all branches is the walls' push times its place, and
/// `Σ m Δv_z z` of the bodies, to rounding; at rest it is load times height within 1 %, in the mean
/// of 20 steps: bodies that nothing holds fly about, and each hit shows in a step.
#[test]
fn stress_of_a_packing_is_that_of_its_walls() {
    let mut s = packing();
    let steps = 900;
    for now in [120, steps] {
        let (before, state) = (s.run(now - 1), s.run(now));
        let (mut expected, mut scale) = (0.0, 0.0);
        let mut add = |term: f64| {
            expected += term;
            scale += term.abs();
        };
        let to_walls = |c: &&moreau::contact::ContactRow| c.key.b.wall_index().is_some();
        for c in state.contacts.iter().filter(to_walls) {
            add(c.impulse[2] * c.point[2]);
        }
        for (old, new) in before.bodies.iter().zip(&state.bodies) {
            add(new.mass * (new.velocity[2] - old.velocity[2]) * old.position[2]);
        }
        let window = whole(&s);
        let sum = moments(&s, &state, &window)[8];
        assert!(scale > 0.0);
        let what = format!("stress of a packing against its walls, step {now}");
        record("clumps", &what, (sum - expected) / scale, 0.0, 1e-10);
    }
    let mut state = s.run(steps);
    let ratios = (1..=20).map(|step| {
        let top = 3.9 * 0.026 + state.walls[1].displacement.z;
        s.start = Some((steps + step - 1, state.walls.clone(), 0.0));
        (s.bodies, s.contacts) = (state.bodies.clone(), state.contacts.clone());
        state = s.run(1);
        moments(&s, &state, &whole(&s))[8] / (5.0 * top * s.dt)
    });
    let mean = ratios.sum::<f64>() / 20.0;
    let what = "stress of a packing at rest by load over area";
    record("clumps", what, mean, 1.0, 0.01);
}

/// The same bits whichever ranks have the bodies.
#[test]
fn stress_over_ranks() {
    let s = packing();
    let state = s.run(200);
    let window = whole(&s);
    let expected = moments(&s, &state, &window).map(f64::to_bits);
    for ranks in [1, 2, 3] {
        let found = threads::run(ranks, |comm| {
            let home = |id: BodyId| {
                let mut draw = Stream::new(Purpose::Trial, 5, [id.0, ranks as u64, 0]);
                draw.below(ranks as u32) as usize == comm.rank()
            };
            let bodies: Vec<_> = state
                .bodies
                .iter()
                .filter(|b| home(b.id))
                .copied()
                .collect();
            let mine = |c: &&moreau::contact::ContactRow| home(c.key.a);
            let contacts: Vec<_> = state.contacts.iter().filter(mine).copied().collect();
            let domain = Domain::new(comm, s.partition(comm.size()));
            let others = contacts.iter().map(|c| c.key.b);
            let wanted: Vec<BodyId> = others.filter(|b| b.wall_index().is_none()).collect();
            let radii = domain.radii(&bodies, &wanted);
            let clumps = domain.clumps(&bodies, &wanted);
            let side = |id: BodyId, part: usize| match clumps.get(&id) {
                Some(clump) => Side::of(clump, part, &s.templates, s.dt),
                None => Side::ball(radii[&id]),
            };
            let sums = measure::branch_moments(&contacts, &window, side);
            domain.sums(&sums).map(f64::to_bits)
        });
        assert!(found.iter().all(|bits| *bits == expected), "{ranks} ranks");
    }
}

/// Dumbbells, four-ball clumps and balls fall into a box, periodic along x.
const POURED: &str = r#"
gravity = [0.0, 0.0, -9.81]
time = { dt = 1e-3, steps = 60 }
domain = { lower = [0, 0, 0], upper = [0.12, 0.12, 0.3], periodic = [true, false, false] }
solver = { block_edge = 0.06 }
material = [{ name = "glass", density = 2500, friction = 0.5 }]
wall = [{ shape = "box", material = "glass", faces = ["y-", "y+", "z-", "z+"] }]
template = [
    { name = "dumbbell", parts = [[0, 0, 0, 1], [1, 0, 0, 1]] },
    { name = "four", parts = [[0.6, 0.6, 0.6, 1], [0.6, -0.6, -0.6, 0.8], [-0.6, 0.6, -0.6, 0.9], [-0.6, -0.6, 0.6, 0.7]] },
]
bodies = [
    { sample = "lattice", material = "glass", count = 90, radius = 0.007, template = "four", upper = [0.12, 0.12, 0.09], angular_velocity = [9, 5, 2] },
    { sample = "lattice", material = "glass", count = 90, radius = 0.006, template = "dumbbell", lower = [0, 0, 0.09], upper = [0.12, 0.12, 0.2] },
    { sample = "lattice", material = "glass", count = 40, radius = 0.005, lower = [0, 0, 0.2], velocity = [0, 0, -1] },
]
output = { every = 20, precision = "f64", fields = ["velocity", "angular_velocity", "radius", "id", "material", "kind", "rank", "coordination", "orientation", "mass"] }
checkpoint = { every = 20, keep = 100 }
"#;

fn pour(ranks: usize, out: &Path) {
    let config = out.with_extension("toml");
    std::fs::write(&config, POURED).unwrap();
    let options = movie::balls::options(out, &[]);
    let done = threads::run(ranks, |comm| sim::try_run(comm, &config, &options));
    done.into_iter().for_each(|result| result.unwrap());
}

/// A frame has each ball of a clump as a point with the body's id, its own place and radius, and the
/// velocity `v + ω × r`; the same on any ranks, and as the checkpoints of the steps.
#[test]
fn frames_hold_the_balls_of_clumps() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("1");
    pour(1, &out);
    let (film, lines) = (bodies(&out), contacts(&out));
    let templates = moreau::config::load(&out.with_extension("toml"), &[])
        .unwrap()
        .templates;
    assert_eq!(film.steps, [0, 20, 40, 60]);
    let (mut shared, mut checked) = (0, 0);
    for (k, &step) in film.steps.iter().enumerate().skip(1) {
        let path = out.join(format!("checkpoint-{step:08}.h5"));
        let state = checkpoint::read(&Serial, &path).unwrap();
        let row = |id: BodyId| &state.bodies[id.0 as usize];
        assert_eq!(state.bodies.len(), 220);
        assert_eq!(film.rows[k], 90 * 4 + 90 * 2 + 40);
        let balls = || {
            let of = |row: &moreau::body::BodyRow| row.balls(&templates).collect::<Vec<_>>();
            state.bodies.iter().flat_map(move |row| {
                of(row)
                    .into_iter()
                    .enumerate()
                    .map(move |(part, ball)| (row, part, ball))
            })
        };
        let expected: Vec<[f64; 3]> = balls().map(|(.., ball)| ball.centre.into()).collect();
        assert_eq!(film.places(k), expected);
        let radii: Vec<f64> = balls().map(|(.., ball)| ball.radius).collect();
        assert_eq!(film.array("radius", k), radii);
        let of = |name: &str, value: &dyn Fn(&moreau::body::BodyRow, usize) -> Vec<f64>| {
            let expected: Vec<f64> = balls()
                .flat_map(|(row, part, _)| value(row, part))
                .collect();
            assert_eq!(film.array(name, k), expected, "{name} at step {step}");
        };
        of("id", &|row, _| vec![row.id.0 as f64]);
        of("part", &|_, part| vec![part as f64]);
        of("angular_velocity", &|row, _| row.angular_velocity.to_vec());
        of("orientation", &|row, _| row.orientation.to_vec());
        of("mass", &|row, _| vec![row.mass]);
        let mut carrying = vec![0.0; state.bodies.len()];
        for c in state.contacts.iter().filter(|c| c.status != 0) {
            for id in [c.key.a, c.key.b] {
                if let Some(count) = carrying.get_mut(id.0 as usize) {
                    *count += 1.0;
                }
            }
        }
        of("coordination", &|row, _| vec![carrying[row.id.0 as usize]]);
        shared += carrying.iter().filter(|count| **count > 0.0).count();
        let velocities = film.array("velocity", k);
        for ((row, _, ball), v) in balls().zip(velocities.chunks_exact(3)) {
            let arm = ball.centre - Vector3::from(row.position);
            let spin = Vector3::from(row.angular_velocity);
            let expected = Vector3::from(row.velocity) + spin.cross(&arm);
            assert!((Vector3::new(v[0], v[1], v[2]) - expected).norm() < 1e-12);
        }
        // Lines of contacts go from centre of mass to centre of mass, or to the wall.
        let ends = lines.places(k);
        for (c, line) in state.contacts.iter().zip(ends.chunks_exact(2)) {
            assert_eq!(line[0], row(c.key.a).position);
            let to = Vector3::from(line[1]);
            if c.key.b.wall_index().is_none() {
                let away = to - Vector3::from(row(c.key.b).position);
                assert!((away.x / 0.12 - (away.x / 0.12).round()).abs() < 1e-9);
                assert!(away.y.abs() < 1e-12 && away.z.abs() < 1e-12);
            } else {
                // Within the way of a step.
                let moved = Vector3::from(row(c.key.a).velocity).norm() + 10.0 * 0.007;
                let off = to - Vector3::from(c.point);
                let off = Vector3::new(off.x - 0.12 * (off.x / 0.12).round(), off.y, off.z);
                assert!(off.norm() < moved * 1e-3 + 1e-12, "{off}");
                checked += 1;
            }
        }
    }
    assert!(shared > 100 && checked > 20, "{shared}, {checked}");
    for ranks in [2, 3] {
        let other = dir.path().join(ranks.to_string());
        pour(ranks, &other);
        film.assert_same(&bodies(&other), &["rank"]);
        lines.assert_same(&contacts(&other), &[]);
    }
    // A dump has one atom for each body; the balls of frames do not give them.
    let lammps = |from: &Path| convert(from, Format::Lammps, Some(&dir.path().join("dump")));
    let text = lammps(&out).unwrap_err().to_string();
    assert!(text.contains("accepted: a checkpoint"), "{text}");
    lammps(&out.join("checkpoint-00000060.h5")).unwrap();
    let dump = std::fs::read_to_string(dir.path().join("dump/bodies.dump")).unwrap();
    assert!(
        dump.contains("ITEM: NUMBER OF ATOMS\n220\n"),
        "{}",
        &dump[..200]
    );
    // From checkpoints frames have the balls as well.
    let vtk = dir.path().join("vtk");
    convert(&out.join("checkpoint-00000060.h5"), Format::Vtk, Some(&vtk)).unwrap();
    assert_eq!(bodies(&vtk).rows, [580]);
    assert_eq!(bodies(&vtk).places(0), film.places(3));
}

/// Rods of five balls, in the order of ids; `gap` is that between the surfaces of their nearest balls.
const RODS: &str = r#"
gravity = [0, 0, -9.81]
time = { dt = 1e-3, steps = 1 }
domain = { lower = [-1, -1, -1], upper = [1, 1, 1], max_overlap = 0.1 }
material = [{ name = "m", density = 1000, friction = 0.5 }]
wall = [{ shape = "box", material = "m" }]
template = [{ name = "rod", parts = [[-4, 0, 0, 1], [-2, 0, 0, 1], [0, 0, 0, 1], [2, 0, 0, 1], [4, 0, 0, 1]] }]
bodies = [{ sample = "file", file = "rods.csv", material = "m", template = "rod" }]
"#;

/// Clumps whose bounding spheres overlap may start if their balls do not, and those whose balls do are
/// refused with their ids, by the radius of a ball.
#[test]
fn overlaps_at_the_start_are_those_of_balls() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("rods.toml");
    // Balls of radius 0.02, rods 0.2 long.
    let go = |seed: u64, distance: f64, out: &str| {
        let rows = format!("x,y,z,radius\n0,0,0,0.1\n0,0,{distance},0.1\n");
        std::fs::write(dir.path().join("rods.csv"), rows).unwrap();
        std::fs::write(&config, format!("solver = {{ seed = {seed} }}\n{RODS}")).unwrap();
        let out = dir.path().join(format!("{out}-{seed}-{distance}"));
        let options = moreau::sim::Options {
            steps: Some(0),
            ..movie::balls::options(&out, &[])
        };
        let done = sim::try_run(&Serial, &config, &options);
        done.map(|()| checkpoint::read_newest(&Serial, &out).unwrap().1.bodies)
    };
    let (mut taken, mut refused) = (0, 0);
    for seed in 1..=6 {
        let apart = go(seed, 0.5, "apart").unwrap();
        let templates = moreau::config::load(&config, &[]).unwrap().templates;
        for distance in [0.041, 0.06, 0.08, 0.1, 0.15] {
            let mut other = apart[1];
            other.position[2] = distance;
            let gaps = apart[0].balls(&templates).flat_map(|a| {
                let gap = move |b: moreau::body::Ball| (a.centre - b.centre).norm() - 0.04;
                other.balls(&templates).map(gap)
            });
            let gap = gaps.fold(f64::INFINITY, f64::min);
            if (gap + 0.1 * 0.02).abs() < 1e-9 {
                continue;
            }
            match go(seed, distance, "near") {
                Ok(_) => {
                    assert!(gap > -0.1 * 0.02, "{seed}, {distance}: {gap}");
                    taken += 1;
                }
                Err(error) => {
                    assert!(gap < -0.1 * 0.02, "{seed}, {distance}: {gap}");
                    let text = error.to_string();
                    let deep = format!("overlapping by {:.3}", -gap / 0.02);
                    assert!(text.contains("body 0 starts inside body 1"), "{text}");
                    assert!(text.contains(&deep), "{text}");
                    refused += 1;
                }
            }
        }
    }
    assert!(taken > 3 && refused > 3, "{taken}, {refused}");
}

/// Clumps of a checkpoint start a run whose configuration has their templates, in any order.
#[test]
fn clumps_of_a_checkpoint_are_taken_over() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("first");
    pour(1, &out);
    let old = checkpoint::read_newest(&Serial, &out).unwrap().1.bodies;
    let from = out.join("checkpoint-00000060.h5");
    let (before, rest) = POURED.split_once("template = [").unwrap();
    let (templates, _) = rest.split_once("]\nbodies").unwrap();
    let lines: Vec<&str> = templates.trim().lines().collect();
    let write = |templates: &str| {
        let path = dir.path().join("second.toml");
        let text = format!(
            "{before}template = [{templates}]\n\
             bodies = [{{ sample = \"file\", file = {:?}, material = \"glass\", angular_velocity = [0, 0, 3] }}]\n",
            from.display().to_string()
        );
        std::fs::write(&path, text).unwrap();
        path
    };
    let go = |config: &Path, out: &str, ranks: usize, steps: u64| {
        let out = dir.path().join(out);
        let options = moreau::sim::Options {
            steps: Some(steps),
            ..movie::balls::options(&out, &[])
        };
        let done = threads::run(ranks, |comm| sim::try_run(comm, config, &options));
        let done: Result<Vec<()>, _> = done.into_iter().collect();
        done.map(|_| checkpoint::read_newest(&Serial, &out).unwrap().1)
    };
    let turned = write(&format!("{}{}", lines[1], lines[0]));
    let new = go(&turned, "turned", 1, 0).unwrap().bodies;
    let forms = moreau::config::load(&turned, &[]).unwrap().templates;
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(new.shape, [0, 2, 1][old.shape as usize]);
        assert_eq!((new.mass, new.inertia), (old.mass, old.inertia));
        assert_eq!(
            (new.position, new.orientation),
            (old.position, old.orientation)
        );
        assert_eq!(new.angular_velocity[2], old.angular_velocity[2] + 3.0);
        let mut turned = *new;
        turned.turn_with(new.angular_velocity, &forms);
        assert_eq!(turned.angular_momentum, new.angular_momentum);
    }
    let on = |ranks: usize| go(&turned, &format!("on {ranks}"), ranks, 10).unwrap();
    assert!(on(1).bodies == on(3).bodies);
    let other = write(&lines[0].replace("[1, 0, 0, 1]", "[1.1, 0, 0, 1]"));
    let text = go(&other, "other", 1, 0).unwrap_err().to_string();
    assert!(
        text.contains("body 0 is a clump of template \"four\""),
        "{text}"
    );
}
