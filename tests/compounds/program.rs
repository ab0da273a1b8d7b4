//! Compounds through the program: restarts, tables, frames.

use crate::harness::{Place, mpi_available, on, state};

/// A swing, open above, of planes, a rod and a mesh, with balls in it.
const SWING: &str = "gravity = [0.0, 0.0, -9.81]\n[time]\ndt = 1e-3\nsteps = 300\n\
    [domain]\nlower = [-0.3, -0.3, -0.3]\nupper = [0.3, 0.3, 0.6]\noutside = \"delete\"\n\
    [output]\nseries = 10\nevery = 100\nsurfaces = true\n\
    [checkpoint]\nevery = 150\nkeep = 9\n\
    [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.5\n\
    [[wall]]\nname = \"swing\"\nshape = \"compound\"\nmaterial = \"m\"\n\
    centre = [0.02, 0.0, 0.0]\n\
    free = { mass = 2.0, inertia = [0.05, 0.05, 0.05, 0.0, 0.0, 0.0], \
    hinge = { point = [0.0, 0.0, 0.5], axis = [0.0, 1.0, 0.0] } }\n\
    [[wall.part]]\nshape = \"box\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\"]\n\
    lower = [-0.1, -0.1, -0.1]\nupper = [0.1, 0.1, 0.1]\n\
    [[wall.part]]\nshape = \"plate\"\ncentre = [0.0, 0.0, -0.1]\nnormal = [0.0, 0.0, 1.0]\nalong = [1.0, 0.0, 0.0]\n\
    size = [0.3, 0.3]\n\
    [[wall.part]]\nshape = \"cylinder\"\nside = \"outside\"\nfrom = [0.0, -0.1, -0.05]\nto = [0.0, 0.1, -0.05]\nradius = 0.02\n\
    [[bodies]]\nsample = \"lattice\"\nmaterial = \"m\"\ncount = 40\nradius = 0.015\n\
    lower = [-0.09, -0.09, -0.02]\nupper = [0.09, 0.09, 0.1]\n";

/// One line in walls.csv, the weight of the balls on it; a restart on other processes ends in the same state and with the same
/// wear.
#[test]
fn a_swing_of_several_surfaces() {
    let place = Place::new();
    let path = place.write("swing.toml", SWING);
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    let ranks = if mpi_available() { 3 } else { 1 };
    let half = format!("{out}/checkpoint-00000150.h5");
    let other = place.path("other");
    let resumed = on(ranks, &["resume", &half, "--out", &other]);
    assert_eq!(state(&resumed), whole);
    let text = std::fs::read_to_string(format!("{out}/walls.csv")).unwrap();
    let of_swing = text.lines().filter(|line| line.contains("swing")).count();
    assert_eq!(of_swing, text.lines().count() - 1, "one line a time");
    let (heads, line) = (text.lines().next().unwrap(), text.lines().last().unwrap());
    let cell = |name: &str| -> f64 {
        let at = heads.split(',').position(|head| head == name).unwrap();
        line.split(',').nth(at).unwrap().parse().unwrap()
    };
    assert!(cell("fz") < -1.0, "{heads}\n{line}");
    let check = on(1, &["check", &path]);
    let mesh = check
        .stdout
        .lines()
        .find(|line| line.starts_with("mesh"))
        .unwrap();
    assert!(mesh.contains("swing: 2 triangles"), "{mesh}");
    let last = |out: &str| format!("{out}/checkpoint-00000300.h5");
    let drawn = |out: &str| {
        let image = format!("{out}/worn.png");
        on(
            1,
            &[
                "render",
                &last(out),
                "-o",
                &image,
                "--colour",
                "wall.sliding_work",
                "--walls",
                "solid",
            ],
        );
        std::fs::read(image).unwrap()
    };
    assert_eq!(drawn(&out), drawn(&other));
}
