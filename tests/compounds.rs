//! Compounds: several surfaces as one wall, with one motion and one sum of forces.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
#[path = "compounds/increments.rs"]
mod increments;
#[path = "compounds/program.rs"]
mod program;
mod scene;

use harness::walls;
use moreau::body::{
    BodyId, BodyRow, Drive, Freedom, Motion, Rotation, Servo, Signal, Turning, Wall, WallState,
};
use moreau::contact::{ContactRow, Touch};
use moreau::detect::touches_of_ball_and_wall;
use moreau::math::{IDENTITY, Vector3};
use moreau::rng::{Purpose, Stream};
use moreau::shape::mesh::Mesh;
use moreau::shape::{Posed, Surface};
use scene::mesh::{block, revolved, shifted, surface};
use scene::momentum::momentum;
use scene::{Scene, record};

/// Parts of all kinds, as keys: some hollow, two that are meshes.
const PARTS: [&str; 9] = [
    "shape = \"plane\"\npoint = [0.0, 0.0, -1.0]\nnormal = [0.1, 0.0, 1.0]",
    "shape = \"plate\"\ncentre = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]\nalong = [1.0, 0.0, 0.0]\nsize = [1.0, 0.6]",
    "shape = \"sphere\"\ncentre = [0.6, 0.5, 0.4]\nradius = 0.3\nside = \"outside\"",
    "shape = \"sphere\"\ncentre = [0.0, 0.0, 0.0]\nradius = 2.5\nside = \"inside\"",
    "shape = \"cylinder\"\nfrom = [-0.8, -0.5, 0.5]\nto = [0.2, -0.5, 0.5]\nradius = 0.15\nside = \"outside\"",
    "shape = \"cylinder\"\nfrom = [-0.5, 0.6, 0.1]\nto = [-0.5, 0.6, 0.9]\nradius = 0.2\nside = \"inside\"\ncaps = false",
    "shape = \"disc\"\ncentre = [0.5, -0.5, 0.6]\naxis = [0.0, 1.0, 1.0]\nradius = 0.4\nhole = 0.12",
    "shape = \"cone\"\nfrom = [-0.7, -0.7, -0.6]\nto = [-0.7, -0.7, -0.1]\nradius = [0.05, 0.4]",
    "shape = \"plate\"\ncentre = [0.0, 0.5, -0.3]\nnormal = [0.0, 1.0, 0.2]\nalong = [1.0, 0.0, 0.0]\nsize = [1.4, 0.5]",
];

/// A compound of these parts.
fn compound(dimensions: u32, keys: &str, parts: &[&str]) -> Wall {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| format!("[[wall.part]]\n{part}\n"))
        .collect();
    let head =
        format!("[[wall]]\nname = \"one\"\nshape = \"compound\"\nmaterial = \"m\"\n{keys}\n");
    let found = walls(dimensions, &(head + &parts.concat()));
    assert_eq!(found.len(), 1);
    found.into_iter().next().unwrap()
}

/// Two plates across each other's edge, at right angles, open upwards: a ball lies in the V.
fn trough() -> Wall {
    let plate = |x: f64| {
        format!(
            "shape = \"plate\"\ncentre = [{x}, 0.0, 0.5]\nnormal = [{}, 0.0, 1.0]\nalong = [0.0, 1.0, 0.0]\nsize = [2.0, {}]",
            -x.signum(),
            std::f64::consts::SQRT_2
        )
    };
    compound(3, "", &[&plate(-0.5), &plate(0.5)])
}

/// A solid cylinder and a plate across its end: one mesh, one that is none.
fn paddle() -> Wall {
    let shaft = "shape = \"cylinder\"\nfrom = [0.0, 0.0, -0.5]\nto = [0.0, 0.0, 0.5]\nradius = 0.1\nside = \"outside\"";
    let blade = "shape = \"plate\"\ncentre = [0.35, 0.0, 0.0]\nnormal = [0.0, 1.0, 0.0]\nalong = [1.0, 0.0, 0.0]\n\
                 size = [0.5, 0.8]";
    compound(3, "centre = [0.1, 0.0, 0.0]", &[shaft, blade])
}

fn free(mass: f64, direction: Option<Vector3>, load: Vector3) -> Freedom {
    Freedom {
        mass,
        inertia: None,
        turning: None,
        direction,
        load,
        pressure: 0.0,
        gravity: true,
        factor: None,
    }
}

fn touches(surface: &Surface, x: &Vector3, r: f64) -> Vec<Touch> {
    let mut found = Vec::new();
    touches_of_ball_and_wall((x, r), surface, 0.2, |touch| found.push(touch));
    found
}

/// A compound touches a ball where each of its parts does, its meshes as one, with names of its own; the name leads to the part.
#[test]
fn a_compound_is_its_parts() {
    let one = compound(3, "", &PARTS);
    let lone: Vec<Surface> = PARTS
        .iter()
        .map(|part| {
            let entry = format!("[[wall]]\nmaterial = \"m\"\n{part}\n");
            walls(3, &entry).remove(0).surface
        })
        .collect();
    assert_eq!(one.surface.parts().len(), lone.len() - 1);
    assert_eq!(one.surface.triangles(), 4);
    let mut draw = Stream::new(Purpose::Trial, 57, [0; 3]);
    let (mut several, mut held) = (0, 0);
    for k in 0..6000 {
        let mut x = Vector3::from([(); 3].map(|()| draw.between(-1.0, 1.0)));
        let mut r = draw.between(0.02, 0.3);
        if k % 100 == 0 {
            // In the tube, of its size.
            (x, r) = (
                Vector3::new(-0.5, 0.6, 0.2 + 0.005 * f64::from(k / 100)),
                0.199,
            );
        }
        let nearest = lone.iter().map(|part| part.nearest(&x));
        let (far, towards) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!(one.surface.nearest(&x), (far, towards));
        assert_eq!(one.surface.nearest_within(&x, far), None);
        assert!(!one.surface.is_nearer(&x, far) && one.surface.is_nearer(&x, far + 1e-9));
        let mut expected: Vec<Touch> = lone.iter().flat_map(|part| touches(part, &x, r)).collect();
        let mut found = touches(&one.surface, &x, r);
        assert!(found.windows(2).all(|two| two[0].feature < two[1].feature));
        several += usize::from(found.len() > 1);
        held += usize::from(found.len() > 5);
        for touch in &found {
            let part = one.surface.part_at(touch.feature);
            let of_part = touches(part, &x, r);
            assert!(
                of_part
                    .iter()
                    .any(|other| (other.gap, other.normal) == (touch.gap, touch.normal))
            );
        }
        let order = |a: &Touch, b: &Touch| a.gap.total_cmp(&b.gap);
        expected.sort_by(order);
        found.sort_by(order);
        let shown = |all: &[Touch]| -> Vec<(f64, Vector3)> {
            all.iter().map(|touch| (touch.gap, touch.normal)).collect()
        };
        assert_eq!(shown(&found), shown(&expected), "at {x}");
    }
    assert!(several > 500 && held >= 50, "{several} {held}");
}

/// A free V of two plates with a ball in it: both gain `F/(M + m) + g`, and the plates push with `m (a − g)` together.
#[test]
fn a_free_compound_and_a_ball_have_one_acceleration() {
    let (mass, ball, g, load, dt) = (3.0, 2.0, 10.0, 70.0, 1e-3);
    let mut s = Scene::new([-3.0; 3], [3.0; 3], dt);
    s.gravity = Vector3::new(0.0, 0.0, -g);
    let mut one = trough();
    one.motion = Motion::Free(free(mass, Some(Vector3::z()), Vector3::z() * load));
    s.walls.push(one);
    s.sphere([0.0, 0.1, 0.3 * std::f64::consts::SQRT_2], 0.3, ball);
    let end = s.run(50);
    assert!(end.all_converged());
    let a = load / (mass + ball) - g;
    let both = [end.walls[0].velocity.z, end.velocity(0).z];
    for v in both {
        record(
            "compounds",
            "speed of a free compound with a ball",
            v / (50.0 * dt * a),
            1.0,
            1e-9,
        );
    }
    assert_eq!(end.contacts.len(), 2);
    for contact in &end.contacts {
        assert_eq!(contact.key.b, BodyId::wall(0));
        let push = Vector3::from(contact.impulse).norm() / dt * 2.0_f64.sqrt();
        record(
            "compounds",
            "force of each plate of a V",
            push / (ball * (a + g)),
            1.0,
            1e-9,
        );
    }
}

/// A servo of a compound follows the force on all of its parts: a ball heavier than the force sinks at `gain (w − F)`.
#[test]
fn a_servo_of_a_compound_follows_the_sum_of_its_forces() {
    let (weight, force, gain) = (20.0, 15.0, 1e-4);
    let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    let mut one = trough();
    one.motion = Motion::Servo(Servo {
        direction: Vector3::z(),
        turns: false,
        force,
        pressure: 0.0,
        gain,
        top_speed: 1.0,
    });
    s.walls.push(one);
    s.sphere(
        [0.0, 0.1, 0.3 * std::f64::consts::SQRT_2],
        0.3,
        weight / 10.0,
    );
    let end = s.run(300);
    let speed = end.walls[0].velocity.z / (gain * (force - weight));
    record(
        "compounds",
        "speed of a servo of two plates",
        speed,
        1.0,
        1e-9,
    );
}

/// Balls hit a free paddle, a solid cylinder with a blade: momentum and angular momentum of all are kept.
#[test]
fn a_free_compound_keeps_momentum() {
    let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-3);
    s.friction = 0.4;
    s.solver.projection.sweeps = 0;
    let mut one = paddle();
    one.motion = Motion::Free(Freedom {
        turning: Some(Turning::Free {
            moments: [0.5, 0.7, 0.6],
            axes: IDENTITY,
        }),
        ..free(4.0, None, Vector3::zeros())
    });
    s.walls.push(one);
    for (k, x) in [[0.4, 0.5, 0.1], [-0.1, 0.6, -0.2]].into_iter().enumerate() {
        let b = s.sphere(x, 0.1, 3.0);
        s.bodies[b].velocity = [0.1, -3.0 + k as f64, 0.3];
        s.bodies[b].angular_velocity = [1.0, -2.0, 7.0];
    }
    let first = momentum(&s, &s.run(0), 0);
    let state = s.run(400);
    let before = |k: usize| Vector3::from(s.bodies[k].velocity);
    let hit = |k: usize| (state.velocity(k) - before(k)).norm();
    assert!(
        hit(0) > 0.1 && hit(1) > 0.1,
        "both the blade and the shaft were hit"
    );
    let last = momentum(&s, &state, 0);
    for (k, what) in ["linear", "angular"].into_iter().enumerate() {
        let off = (last[k] - first[k]).norm() / first[k].norm();
        let what = format!("balls and a free compound: change of {what} momentum");
        record("compounds", &what, off, 0.0, 1e-12);
    }
}

/// Plates of one plane that meet end to end are smooth as one plate in a compound; as walls of their own each has its edge.
#[test]
fn a_ball_rolls_over_the_seam_of_a_compound() {
    let plate = |x: f64| {
        format!(
            "shape = \"plate\"\ncentre = [{x}, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]\nalong = [1.0, 0.0, 0.0]\nsize = [1.0, 1.0]"
        )
    };
    let wall = compound(3, "", &[&plate(-0.5), &plate(0.5)]);
    assert!(matches!(wall.surface, Surface::Mesh(_)));
    let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-3);
    s.gravity = Vector3::new(0.0, 0.0, -10.0);
    s.friction = 0.5;
    s.walls.push(wall);
    let b = s.sphere([-0.5, 0.1, 0.1], 0.1, 1.0);
    s.bodies[b].velocity = [1.0, 0.0, 0.0];
    s.bodies[b].angular_velocity = [0.0, 10.0, 0.0];
    let mut plane = s.clone();
    plane.walls.clear();
    plane.plane([0.0; 3], [0.0, 0.0, 1.0]);
    let [over, on_plane] = [&s, &plane].map(|s| s.run(900));
    assert!(over.position(0).x > 0.3);
    let apart = (over.position(0) - on_plane.position(0)).norm()
        + (over.velocity(0) - on_plane.velocity(0)).norm();
    record(
        "compounds",
        "a ball on the seam of a compound and on a plane",
        apart,
        0.0,
        1e-9,
    );
}

/// A tube of a compound that turns about the compound's centre holds a ball as one that turns about a point, and as a lone tube.
#[test]
fn a_tube_away_from_the_centre_holds_a_ball() {
    let shaft = "shape = \"cylinder\"\nfrom = [0.0, 0.0, -0.5]\nto = [0.0, 0.0, 0.5]\nradius = 0.05\nside = \"outside\"";
    let tube = "shape = \"cylinder\"\nfrom = [0.3, 0.0, -0.5]\nto = [0.3, 0.0, 0.5]\nradius = 0.03\nside = \"inside\"\n\
                caps = false";
    let run = |parts: &[&str], point: Option<Vector3>| {
        let mut s = Scene::new([-3.0; 3], [3.0; 3], 1e-3);
        let mut one = compound(3, "centre = [0.0, 0.0, 0.0]", parts);
        one.motion = Motion::Driven(Drive {
            rotations: vec![Rotation {
                axis: Vector3::z(),
                point,
                signal: Signal::Rate(10.0),
            }],
            ..Drive::default()
        });
        s.walls.push(one);
        let b = s.sphere([0.31, 0.0, 0.0], 0.02, 1.0);
        s.bodies[b].velocity = [0.0, 3.1, 0.0];
        s.run(200).position(0)
    };
    let lone = run(&[tube], Some(Vector3::zeros()));
    for point in [None, Some(Vector3::zeros())] {
        let apart = (run(&[shaft, tube], point) - lone).norm();
        record(
            "compounds",
            "a ball in a tube of a compound and in a lone one",
            apart,
            0.0,
            1e-12,
        );
    }
}

/// Closed meshes of a compound have the sum of their volumes and moments, whichever way round their triangles go, also where
/// they share a face.
#[test]
fn closed_meshes_of_a_compound_are_solids() {
    let cube = |edge: f64, at: f64| shifted(block([edge; 3]), [at, 0.0, 0.0]);
    let mut inward = cube(0.8, 3.0);
    inward.triangles.iter_mut().for_each(|of| of.swap(0, 1));
    let surfaces = [surface(&cube(1.0, 0.0)), surface(&inward)];
    let solid = |surfaces: &[Surface]| {
        let one = Surface::united(surfaces).unwrap();
        one.mesh().unwrap().mesh().solid().unwrap()
    };
    let both = solid(&surfaces);
    let volumes = [1.0, 0.512];
    let middle = 3.0 * volumes[1] / (volumes[0] + volumes[1]);
    assert!((both.volume - 1.512).abs() < 1e-12);
    assert!((both.centre - Vector3::x() * middle).norm() < 1e-12);
    let own = volumes[0] / 6.0 + volumes[1] * 0.64 / 6.0;
    let apart = volumes[0] * middle * middle + volumes[1] * (3.0 - middle).powi(2);
    let expected = Vector3::new(own, own + apart, own + apart);
    assert!((both.inertia.diagonal() - expected).norm() < 1e-12);
    // Two halves that meet at a face are the whole.
    let halves = [cube(1.0, -0.5), cube(1.0, 0.5)].map(|cube| surface(&cube));
    let whole = solid(&[surface(&block([2.0, 1.0, 1.0]))]);
    let joined = solid(&halves);
    assert!((joined.volume - whole.volume).abs() < 1e-12);
    assert!((joined.inertia - whole.inertia).norm() < 1e-12);
}

/// A plate does not make the facets of a drum sharp that are smooth by the drum's own angle.
#[test]
fn a_plate_leaves_the_smoothness_of_other_meshes() {
    let drum = Mesh::new(&revolved([[1.0, -1.0], [1.0, 1.0]], 12), 0.6).unwrap();
    let patches = |mesh: &Mesh| mesh.counts()[0];
    assert_eq!(patches(&drum), 1);
    let blade = walls(3, &format!("[[wall]]\nmaterial = \"m\"\n{}\n", PARTS[1])).remove(0);
    let all = [Surface::Mesh(Posed::new(drum)), blade.surface];
    let one = Surface::united(&all).unwrap();
    assert_eq!(patches(one.mesh().unwrap().mesh()), 2);
}

/// Discs on compounds of segments and arcs, one of which moves and one that is free: the same bits on any ranks.
#[test]
fn compounds_of_lines() {
    let mut s = Scene::new([-1.0; 3], [1.0; 3], 1e-3);
    s.planar = true;
    s.gravity = Vector3::new(0.1, -10.0, 0.0);
    s.friction = 0.4;
    s.solver.block_edge = Some(0.3);
    // A free wall takes many sweeps.
    (s.solver.tolerance, s.solver.max_sweeps) = (1e-2, 60);
    s.close();
    s.walls.truncate(4);
    let chute = "shape = \"segment\"\nfrom = [-0.8, 0.3, 0.0]\nto = [-0.1, -0.2, 0.0]";
    let bowl = "shape = \"arc\"\ncentre = [0.0, 0.0, 0.0]\nradius = 0.4\nangles = [3.8, 6.6]";
    let mut swings = compound(2, "", &[chute, bowl]);
    swings.motion = Motion::Driven(Drive::along(Vector3::x(), Signal::Rate(0.2)));
    let bar = "shape = \"segment\"\nfrom = [0.4, -0.1, 0.0]\nto = [0.9, -0.1, 0.0]";
    let hump = "shape = \"arc\"\ncentre = [0.65, -0.1, 0.0]\nradius = 0.1\nangles = [0.0, 3.1]";
    let mut floats = compound(2, "", &[bar, hump]);
    let lifted = free(100.0, Some(Vector3::y()), Vector3::y() * 1020.0);
    floats.motion = Motion::Free(lifted);
    s.walls.extend([swings, floats]);
    for k in 0..60_u32 {
        let [x, y] = [k % 10, k / 10].map(|k| 0.15 * f64::from(k));
        let at = [x - 0.7, y + 0.1, 0.0];
        s.bodies.push(BodyRow {
            inertia: 0.5 * 0.06 * 0.06,
            ..BodyRow::sphere(BodyId(k.into()), at, 0.06, 1.0)
        });
    }
    let end = s.run(250);
    for wall in [4, 5] {
        let parts = s.walls[wall].surface.parts();
        let on = |part: &Surface| {
            let mut contacts = end.contacts.iter();
            contacts.any(|c| {
                let at = s.walls[wall].surface.part_at(c.key.feature);
                c.key.b == BodyId::wall(wall) && at == part
            })
        };
        assert!(parts.iter().any(on), "wall {wall}");
    }
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (1, 2)] {
        assert!(s.run_on(ranks, threads, 250).same_bits(&end), "{ranks}");
    }
}

/// Balls in a free box with a paddle that turns in it, and wear: the same bits on any ranks and threads.
#[test]
fn the_same_bits_on_any_ranks() {
    let mut s = Scene::poured(5, 4, 7);
    let blade = "shape = \"plate\"\ncentre = [0.03, 0.03, 0.02]\nnormal = [0.0, 0.2, 1.0]\nalong = [1.0, 0.0, 0.0]\n\
                 size = [0.04, 0.035]";
    let rod = "shape = \"cylinder\"\nfrom = [0.01, 0.05, 0.03]\nto = [0.05, 0.05, 0.03]\nradius = 0.004\nside = \"outside\"";
    let tube = "shape = \"cylinder\"\nfrom = [0.03, 0.01, 0.03]\nto = [0.03, 0.01, 0.06]\nradius = 0.007\nside = \"inside\"\n\
                caps = false";
    let mut swings = compound(3, "", &[rod, blade, tube]);
    swings.motion = Motion::Driven(Drive {
        rotations: vec![Rotation {
            axis: Vector3::x(),
            point: Some(Vector3::new(0.03, 0.05, 0.03)),
            signal: Signal::Sine {
                amplitude: 0.2,
                frequency: 10.0,
                phase: 0.0,
            },
        }],
        ..Drive::default()
    });
    let mut heavy = compound(3, "", &[rod, blade]);
    heavy.motion = Motion::Free(free(0.002, Some(Vector3::z()), Vector3::zeros()));
    let at = Vector3::new(0.0, -0.012, -0.006);
    heavy.surface = heavy.surface.placed(&Vector3::zeros(), &at, IDENTITY);
    s.walls.extend([swings, heavy]);
    s.wears = true;
    let end = s.run(100);
    for wall in [s.walls.len() - 2, s.walls.len() - 1] {
        let touched = |of: fn(&Surface) -> bool| {
            end.contacts.iter().any(|c| {
                let part = |c: &ContactRow| s.walls[wall].surface.part_at(c.key.feature);
                c.key.b == BodyId::wall(wall) && of(part(c))
            })
        };
        assert!(touched(|part| matches!(part, Surface::Mesh(_))), "{wall}");
        assert!(touched(|part| !matches!(part, Surface::Mesh(_))), "{wall}");
        let worn = end
            .wear
            .rows()
            .filter(|row| row.triangle.wall == wall as u64);
        assert_eq!(
            worn.count(),
            2,
            "both triangles of the blade, and no other part"
        );
    }
    assert_ne!(end.walls[s.walls.len() - 1], WallState::default());
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (8, 1), (1, 2), (2, 2)] {
        let other = s.run_on(ranks, threads, 100);
        assert!(other.same_bits(&end), "{ranks} {threads}");
        assert_eq!(other.wear, end.wear, "{ranks} {threads}");
    }
}
