//! Hinges, servos and rotations that begin where a wall has come to.

use super::harness::{Place, mpi_available, on, state};
use super::movie::Movie;
use super::{of_wall, resume, run};
use moreau::math::{Quaternion, Vector3, product, turned};
use std::path::Path;

/// A plate above a few balls.
const FIRST: &str = "gravity = [0.0, 0.0, -9.81]
time = { dt = 1.0e-3, steps = 30 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.2, 0.1, 0.3] }
material = [{ name = \"m\", density = 2500.0, friction = 0.5 }]
checkpoint = { every = 10, keep = 100 }
output = { series = 1, every = 10 }
bodies = [{ sample = \"lattice\", material = \"m\", count = 40, radius = 0.006, lower = [0.0, 0.0, 0.0], upper = [0.2, 0.1, 0.3] }]
[[wall]]
shape = \"box\"
material = \"m\"
[[wall]]
name = \"w\"
shape = \"plate\"
material = \"m\"
centre = [0.1, 0.05, 0.25]
normal = [0, 0, 1]
along = [1, 0, 0]
size = [0.04, 0.06]
";

/// The ways to this place: straight down, and turned about another point than its centre.
const WAYS: [&str; 2] = [
    "velocity = [0.1, 0.0, -0.4]\n",
    "velocity = [0.1, 0.0, -0.4]\nrotation = { axis = [1.0, 0.0, 0.0], point = [0.1, 0.02, 0.2], rate = 15.0 }\n",
];

const POINT: Vector3 = Vector3::new(0.08, 0.045, 0.22);

fn stage(motion: &str) -> [String; 2] {
    let (key, value) = motion.split_once('=').unwrap();
    let (key, value) = (key.trim(), value.trim());
    [key.to_owned(), value.to_owned()]
}

/// The centre of the wall of `walls.csv` in a step.
fn centre(place: &Place, out: &str, step: usize) -> Vector3 {
    let [x, y, z] = ["x", "y", "z"].map(|c| of_wall(place, out, "w", c)[step - 1].1);
    Vector3::new(x, y, z)
}

/// The place of a wall in a file.
fn placed(file: &hdf5::File, centre: Vector3) -> (Vector3, Quaternion) {
    let row = |path: &str| file.dataset(path).unwrap().read_2d::<f64>().unwrap();
    let (at, turn) = (row("walls/displacement"), row("walls/orientation"));
    let last = at.nrows() - 1;
    let at = Vector3::new(at[[last, 0]], at[[last, 1]], at[[last, 2]]);
    let turn = [0, 1, 2, 3].map(|k| turn[[last, k]]);
    // The point that was at the plate's centre at time zero.
    let first = Vector3::new(0.1, 0.05, 0.25);
    (centre + at + turned(turn, &(first - centre)), turn)
}

/// The axis of a hinge, a servo or a rotation passes through its point, wherever the wall is.
///
/// In a stage and by hand, on any ranks, and after a stop.
#[test]
fn axes_pass_through_their_points() {
    let hinge = "wall.1.free = { mass = 0.5, inertia = [1e-4, 2e-4, 2.8e-4, 0, 0, 0], hinge = { point = [0.08, 0.045, 0.22], axis = [0, 1, 0] } }";
    let servo = "wall.1.servo = { axis = [0, 1, 0], point = [0.08, 0.045, 0.22], torque = 3.0, gain = 2.0, top_speed = 8.0 }";
    let rotation =
        "wall.1.rotation = { axis = [0, 1, 0], point = [0.08, 0.045, 0.22], rate = 8.0 }";
    for (way, motion) in WAYS
        .iter()
        .flat_map(|way| [hinge, servo, rotation].map(|m| (*way, m)))
    {
        let place = Place::new();
        let first = format!("{FIRST}{way}");
        let [key, value] = stage(motion);
        let unset: Vec<&str> = [
            ("velocity", "wall.1.velocity"),
            ("rotation", "wall.1.rotation"),
        ]
        .into_iter()
        .filter(|(word, key)| way.contains(word) && !motion.starts_with(key))
        .map(|(_, key)| key)
        .collect();
        let set = match motion == rotation {
            // Of a table, keys are set one by one; a list replaces it.
            true => format!("[{value}]"),
            false => value.clone(),
        };
        place.write("run.toml", &first);
        state(&run(&place, 1, "hand", &[]));
        let change = format!("{key}={set}");
        let mut words = vec!["--steps", "60", "--set", &change];
        unset.iter().for_each(|key| words.extend(["--unset", key]));
        let by_hand = state(&resume(&place, 1, "hand", &words));

        place.write(
            "run.toml",
            &format!(
                "{first}[[stage]]\nsteps = 30\nunset = {unset:?}\nset = {{ \"{key}\" = {set} }}\n"
            ),
        );
        for ranks in if mpi_available() { vec![1, 3] } else { vec![1] } {
            let out = format!("staged-{ranks}");
            let ran = run(&place, ranks, &out, &[]);
            assert_eq!(
                state(&ran),
                by_hand,
                "{motion}: {ranks} ranks: {}",
                ran.stderr
            );
        }
        state(&run(&place, 1, "stopped", &["--steps", "44"]));
        assert_eq!(
            state(&resume(&place, 1, "stopped", &[])),
            by_hand,
            "{motion}"
        );

        // It begins where the wall is: here the centre is the plate's own.
        let here = centre(&place, "hand", 30);
        let arm = here - POINT;
        let begun = format!("{}/checkpoint-00000030.h5", place.path("hand"));
        let begun = hdf5::File::open(begun).unwrap();
        let (was, before) = placed(&begun, Vector3::new(0.1, 0.05, 0.25));
        assert!((was - here).norm() < 1e-15, "{was} {here}");
        for step in 31..=60 {
            let now = centre(&place, "hand", step);
            if motion == rotation {
                let off = now - POINT;
                let flat = |v: Vector3| libm::hypot(v.x, v.z);
                assert!((flat(off) - flat(arm)).abs() < 1e-15 && (off.y - arm.y).abs() < 1e-15);
            } else {
                assert!((now - POINT).norm() < 1e-16, "{motion}: step {step}: {now}");
            }
        }
        let rate = |step: usize| of_wall(&place, "hand", "w", "wy")[step - 1].1;
        if motion == hinge {
            // m g x of the centre of mass, over its moment about the axis.
            let [c, s] = match way == WAYS[1] {
                true => [libm::cos(0.45), libm::sin(0.45)],
                false => [1.0, 0.0],
            };
            let moment = 2e-4 * c * c + 2.8e-4 * s * s + 0.5 * (arm.x * arm.x + arm.z * arm.z);
            let expected = 1e-3 * 0.5 * 9.81 * arm.x / moment;
            assert!(
                (rate(31) - expected).abs() < 1e-12,
                "{} {expected}",
                rate(31)
            );
        }
        // Frames have the place by the centre of the configuration, and so have checkpoints but for
        // the hinge's and the servo's.
        let given = if motion == rotation {
            Vector3::new(0.1, 0.05, 0.25)
        } else {
            POINT
        };
        let frame = Path::new(&place.path("hand")).join("frames/bodies-00000060.h5");
        let (seen, turn) = placed(&hdf5::File::open(frame).unwrap(), given);
        // The rate of a servo is that of the next step; it begins at rest.
        let last = if motion == servo { 59 } else { 60 };
        let angle: f64 = (31..=last).map(|step| rate(step) * 1e-3).sum();
        let q = [libm::cos(0.5 * angle), 0.0, libm::sin(0.5 * angle), 0.0];
        let expected = POINT + turned(q, &arm);
        assert!(angle.abs() > 0.05, "{motion}: {angle}");
        assert!(
            (seen - expected).norm() < 1e-13,
            "{motion}: {seen} {expected}"
        );
        let both = product(q, before);
        let same = (0..4).all(|k| (turn[k] - both[k]).abs() < 1e-13);
        assert!(same, "{turn:?} {both:?}");
    }
}

/// A part goes from each motion to the next without a jump, and every step belongs to its motion.
///
/// Frames of its triangles are the same from the run and from checkpoints; so are the bits on any
/// ranks, and after a stop where a motion begins.
#[test]
fn motions_follow_one_another_without_a_jump() {
    let place = Place::new();
    place.write(
        "part.obj",
        "v 0.08 0.03 0.24\nv 0.12 0.03 0.24\nv 0.08 0.07 0.24\nv 0.08 0.03 0.28\n\
         f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    );
    let first = FIRST.split("shape = \"plate\"").next().unwrap();
    let hinge = |point: &str, axis: &str, more: &str| {
        format!("free = {{ mass = 0.2, {more} hinge = {{ point = {point}, axis = {axis} }} }}")
    };
    let [p, q, r] = [
        "[0.07, 0.04, 0.2]",
        "[0.11, 0.05, 0.23]",
        "[0.1, 0.02, 0.19]",
    ];
    let motions = [
        hinge(p, "[0.0, 1.0, 0.0]", ""),
        hinge(p, "[0.0, 1.0, 0.0]", "load = [0.0, 1.0, 9.0],"),
        hinge(q, "[0.0, 0.6, 0.8]", ""),
        format!(
            "servo = {{ axis = [1.0, 0.0, 0.0], point = {q}, torque = 3.0, gain = 2.0, top_speed = 7.0 }}"
        ),
        format!(
            "servo = {{ axis = [1.0, 0.0, 0.0], point = {r}, torque = 3.0, gain = 2.0, top_speed = 6.0 }}"
        ),
        format!("rotation = {{ axis = [0.0, 0.0, 1.0], point = {p}, rate = 9.0 }}"),
        "free = { mass = 0.2, gravity = false }".to_owned(),
        hinge(q, "[1.0, 0.0, 0.0]", ""),
        "velocity = [0.0, 0.2, 0.3]".to_owned(),
        String::new(),
    ];
    let mut text = format!(
        "{first}shape = \"mesh\"\nmaterial = \"m\"\nfile = \"part.obj\"\n\
         velocity = [0.4, 0.0, -0.8]\nrotation = {{ axis = [1.0, 0.0, 0.0], point = [0.1, 0.02, 0.2], rate = 15.0 }}\n"
    )
    .replace("every = 10 }", "every = 1, precision = \"f64\" }")
    .replace("every = 10, keep = 100", "every = 3, keep = 100");
    let mut before = vec!["velocity", "rotation"];
    for motion in &motions {
        let unset: Vec<String> = before.iter().map(|key| format!("wall.1.{key}")).collect();
        before = motion
            .split(" = ")
            .take(usize::from(!motion.is_empty()))
            .collect();
        let set = match motion.split_once(" = ") {
            Some((key, value)) => format!("set = {{ \"wall.1.{key}\" = {value} }}\n"),
            None => String::new(),
        };
        text += &format!("[[stage]]\nsteps = 8\nunset = {unset:?}\n{set}");
    }
    place.write("run.toml", &text);
    let ran = run(&place, 1, "out", &[]);
    let whole = state(&ran);
    for ranks in if mpi_available() { vec![2, 3] } else { vec![] } {
        let out = format!("out-{ranks}");
        assert_eq!(
            state(&run(&place, ranks, &out, &[])),
            whole,
            "{ranks} ranks"
        );
    }
    for stop in ["30", "46", "62", "94"] {
        let out = format!("until-{stop}");
        state(&run(&place, 1, &out, &["--steps", stop]));
        assert_eq!(
            state(&resume(&place, 1, &out, &[])),
            whole,
            "stopped at {stop}"
        );
    }

    let out = place.path("out");
    let movie = Movie::open(&Path::new(&out).join("surfaces.vtkhdf"), "CellData");
    let corners = |step: usize| movie.places(step).into_iter().map(Vector3::from);
    let steps = 30 + 8 * motions.len();
    assert_eq!(movie.steps.len(), steps + 1);
    let column = |name: &str| of_wall(&place, "out", "w", name);
    let [x, y, z] = ["x", "y", "z"].map(column);
    let mut moved = [0.0_f64; 2];
    for step in 1..=steps {
        let (stage, within) = ((step.max(31) - 31) / 8, (step.max(31) - 31) % 8);
        let both = corners(step - 1).zip(corners(step));
        let most = both.map(|(was, is)| (is - was).norm()).fold(0.0, f64::max);
        // The fastest stage turns by 15 rad/s at 0.1 m and falls by 0.9 m/s.
        assert!(most < 2.5e-3, "step {step}: {most}");
        moved[usize::from(stage == 9)] += most;
        // The axis stays in its place, and the points on it: the wall's centre.
        let axis = [
            Some(p),
            Some(p),
            Some(q),
            Some(q),
            Some(r),
            None,
            None,
            Some(q),
            None,
            None,
        ];
        if let (Some(axis), true) = (axis[stage], step > 30) {
            let centre = Vector3::new(x[step - 1].1, y[step - 1].1, z[step - 1].1);
            let numbers = axis.trim_matches(['[', ']']).split(", ");
            let axis: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
            assert!(
                (centre - Vector3::from_column_slice(&axis)).norm() < 1e-15,
                "step {step}"
            );
            if within > 0 {
                let far = |step| {
                    corners(step)
                        .map(|corner| (corner - centre).norm())
                        .collect()
                };
                let [was, is]: [Vec<f64>; 2] = [step - 1, step].map(far);
                let same = was
                    .iter()
                    .zip(&is)
                    .all(|(was, is)| (was - is).abs() < 1e-13);
                assert!(same, "step {step}: {was:?} {is:?}");
            }
        }
        // Its form is that of the file.
        let form = |step| {
            let points: Vec<Vector3> = corners(step).collect();
            [1, 2, 4, 8].map(|k| (points[k] - points[0]).norm())
        };
        let same = form(0)
            .iter()
            .zip(form(step))
            .all(|(was, is)| (was - is).abs() < 1e-13);
        assert!(same, "step {step}");
    }
    assert!(moved[0] > 0.05 && moved[1] == 0.0, "{moved:?}");

    // Frames that are made of checkpoints.
    let live: Vec<Vec<Vector3>> = (0..=steps).map(|step| corners(step).collect()).collect();
    let still = place.path("still");
    for kind in ["bodies", "contacts", "surfaces"] {
        std::fs::rename(
            format!("{out}/{kind}.vtkhdf"),
            format!("{}-{kind}.vtkhdf", place.path("aside")),
        )
        .unwrap();
    }
    std::fs::rename(format!("{out}/frames"), place.path("frames")).unwrap();
    let made = on(1, &["convert", &out, "--to", "vtk", "-o", &still]);
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    let still = Movie::open(&Path::new(&still).join("surfaces.vtkhdf"), "CellData");
    for (frame, &step) in still.steps.iter().enumerate() {
        let both = still.places(frame).into_iter().zip(&live[step as usize]);
        for (made, seen) in both {
            let apart = (Vector3::from(made) - seen).norm();
            assert!(apart < 1e-14, "step {step}: {apart}");
        }
    }
    assert!(still.steps.len() > 30, "{:?}", still.steps);
}
