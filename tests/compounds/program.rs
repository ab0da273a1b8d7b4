//! Compounds through the program: restarts, tables, frames.

use crate::harness::{Place, mpi_available, on, state};
use crate::scene::mesh::{block, stl};

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

/// One line in walls.csv, with the force of the balls; a restart on other processes ends in the same state and with the same wear.
/// One with other parts is refused.
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
    let set = "wall.0.part=[{ shape = \"box\" }]";
    let refused = on(
        1,
        &[
            "resume",
            &half,
            "--out",
            &place.path("changed"),
            "--set",
            set,
        ],
    );
    assert!(
        refused
            .stderr
            .contains("must keep the number and the order"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.status, Some(2));
}

/// A compound may have a mesh of a file, which checkpoints keep; a file that lacks is named.
#[test]
fn meshes_of_files_are_parts() {
    let place = Place::new();
    let stl = place.write("bar.stl", &stl(&block([0.1, 0.1, 0.1])));
    let text = |file: &str| {
        format!(
            "gravity = [0.0, 0.0, 0.0]\n[time]\ndt = 1e-3\nsteps = 4\n[checkpoint]\nevery = 2\nkeep = 9\n\
             [domain]\nlower = [-1.0, -1.0, -1.0]\nupper = [1.0, 1.0, 1.0]\n\
             [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.5\n\
             [[wall]]\nname = \"hammer\"\nshape = \"compound\"\nmaterial = \"m\"\n\
             [[wall.part]]\nshape = \"mesh\"\nfile = \"{file}\"\n\
             [[wall.part]]\nshape = \"cylinder\"\nside = \"outside\"\nfrom = [0.0, 0.0, 0.05]\nto = [0.0, 0.0, 0.5]\n\
             radius = 0.02\n\
             [[bodies]]\nsample = \"lattice\"\nmaterial = \"m\"\ncount = 8\nradius = 0.05\n"
        )
    };
    let path = place.write("a.toml", &text("bar.stl"));
    let check = on(1, &["check", &path]);
    assert!(
        check.stdout.contains("hammer: 12 triangles"),
        "{} {}",
        check.stdout,
        check.stderr
    );
    assert!(
        check.stdout.contains("hammer: 2 surfaces"),
        "{}",
        check.stdout
    );
    let out = place.path("out");
    let whole = state(&on(1, &["run", &path, "--out", &out]));
    std::fs::remove_file(stl).unwrap();
    let half = format!("{out}/checkpoint-00000002.h5");
    assert_eq!(
        state(&on(1, &["resume", &half, "--out", &place.path("b")])),
        whole
    );
    let missing = on(1, &["check", &place.write("b.toml", &text("none.stl"))]);
    assert!(
        missing.stderr.contains("wall.0.part.0.file"),
        "{}",
        missing.stderr
    );
    assert!(
        !missing.stderr.contains("was used before"),
        "{}",
        missing.stderr
    );
}

/// A plate that crosses one part of another compound from the start is still seen to meet another part of it.
#[test]
fn walls_meet_by_their_parts() {
    let place = Place::new();
    let path = place.write(
        "meet.toml",
        "gravity = [0.0, 0.0, 0.0]\n[time]\ndt = 1e-3\nsteps = 400\n\
         [domain]\nlower = [-1.0, -1.0, -1.0]\nupper = [1.0, 1.0, 1.0]\n\
         [[material]]\nname = \"m\"\ndensity = 2500.0\nfriction = 0.5\n\
         [[wall]]\nname = \"blade\"\nshape = \"plate\"\nmaterial = \"m\"\ncentre = [0.0, 0.0, 0.0]\nnormal = [0.0, 1.0, 0.0]\n\
         along = [1.0, 0.0, 0.0]\nsize = [0.2, 0.2]\nvelocity = [1.0, 0.0, 0.0]\n\
         [[wall]]\nname = \"housing\"\nshape = \"compound\"\nmaterial = \"m\"\n\
         [[wall.part]]\nshape = \"plane\"\npoint = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]\n\
         [[wall.part]]\nshape = \"plane\"\npoint = [0.3, 0.0, 0.0]\nnormal = [-1.0, 0.0, 0.0]\n\
         [[bodies]]\nsample = \"lattice\"\nmaterial = \"m\"\ncount = 1\nradius = 0.01\nlower = [-0.9, -0.9, 0.5]\n\
         upper = [-0.5, -0.5, 0.9]\n",
    );
    let check = on(1, &["check", &path]);
    assert!(
        check.stdout.contains("blade and housing meet before"),
        "{}",
        check.stdout
    );
}
