//! Hinges, servos and rotations that begin where a wall has come to.

use super::harness::{Place, mpi_available, state};
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

/// The axis of a hinge, of a servo, of a rotation passes through its point in space, wherever the
/// wall has come to: in a stage and by hand, on any ranks, and after a stop.
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
