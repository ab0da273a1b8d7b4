//! Bonds on bodies that move: made under load and at contact, turned about their normal, held at
//! rest, broken within one long step.

use super::*;
use moreau::comm::threads::{self, Serial};
use moreau::io::checkpoint;
use moreau::law::PairTable;
use moreau::scheme::acts::Hold;
use moreau::sim::{self, Options};

/// A bond's forces turn with its bodies: a beam that is rolled about its axis by half a turn sags
/// under a constant load as one that is not.
#[test]
fn a_rolled_beam_sags_as_one_at_rest() {
    let (n, load, dt, steps) = (3, 1e-6, 10.0, 400);
    let mut s = cantilever(n, dt, UNBREAKABLE);
    s.solver.max_sweeps = 200_000;
    push(&mut s, 2.0 * n as f64 - 0.5, Vector3::z() * load);
    let turned = std::f64::consts::PI / (dt * steps as f64);
    s.bodies[0].kind = BodyKind::Driven as u32;
    s.bodies[0].angular_velocity = [turned, 0.0, 0.0];
    for body in &mut s.bodies[1..] {
        body.angular_velocity = [turned, 0.0, 0.0];
    }
    let state = s.run(steps);
    assert!(state.all_converged());
    let tip = state.position(n) / load;
    // Implicit Euler lags by about a step of the turn, π/400: at most two.
    assert!((tip.z - 8.5).abs() < 2.0 * 8.5 * turned * dt, "{tip}");
    assert!(tip.y.abs() < 2.0 * 8.5 * turned * dt, "{tip}");
}

/// A packing under load that is bonded stays at rest: bonds begin with the forces that act.
#[test]
fn a_loaded_column_stays_at_rest_when_it_is_bonded() {
    let mut s = Scene::new([-2.0, -2.0, -1.0], [2.0, 2.0, 12.0], 0.1);
    s.gravity = Vector3::z() * -10.0;
    s.solver.tolerance = 1e-12;
    s.solver.max_sweeps = 100_000;
    s.pair = Some(Pair::coulomb(0.5));
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    for k in 0..5 {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * f64::from(k)], 1.0, 1.0);
    }
    let stiff = 1e5;
    s.bonds = vec![Glue {
        begin: Begin::At(1.05),
        stiffness: Stiffness::Given(Four {
            normal: stiff,
            ..STIFFNESS
        }),
        ..glue(UNBREAKABLE)
    }];
    let before = s.run(10);
    let after = s.run(13);
    assert_eq!(counted(&before), (0, 0));
    assert_eq!(counted(&after).0, 5);
    for (one, other) in before.contacts.iter().zip(&after.contacts) {
        let change = (one.impulse[2] - other.impulse[2]).abs();
        assert!(change < 1e-8, "{}: {change} N s", one.key.a);
    }
    // The springs' energy, Σ F²/(2 k), was brought in, not taken from contacts.
    let expected = [50.0f64, 40.0, 30.0, 20.0, 10.0].map(|f| 0.5 * f * f / stiff);
    let prestress: f64 = after.done.iter().map(|r| r.outcome.work.prestress).sum();
    let expected: f64 = expected.iter().sum();
    assert!(
        (prestress - expected).abs() < 1e-6 * expected,
        "{prestress} J"
    );
    for report in &after.done {
        assert!(
            report.dissipated > -1e-9 * expected,
            "{} J",
            report.dissipated
        );
    }
}

/// Two balls that collide are bonded, whatever restitution and rounding leave of their gap.
#[test]
fn colliding_balls_are_bonded_at_contact() {
    for restitution in [0.0, 0.5] {
        let mut s = Scene::new([-8.0; 3], [8.0; 3], 1e-2);
        s.pair = Some(Pair {
            restitution,
            ..Pair::coulomb(0.0)
        });
        s.sphere([-1.05, 0.0, 0.0], 1.0, 1.0);
        s.sphere([1.05, 0.0, 0.0], 1.0, 1.0);
        s.bodies[0].velocity = [1.0, 0.0, 0.0];
        s.bonds = vec![Glue {
            begin: Begin::Contact,
            gap: 0.0,
            ..glue(UNBREAKABLE)
        }];
        assert_eq!(counted(&s.run(40)), (1, 0), "restitution {restitution}");
    }
}

/// A bond of two held bodies lasts until they are released.
#[test]
fn a_bond_lasts_while_its_bodies_are_held() {
    let mut s = Scene::new([-8.0; 3], [8.0; 3], 1e-2);
    s.bonds = vec![glue(UNBREAKABLE)];
    s.sphere([-1.0, 0.0, 0.0], 1.0, 1.0);
    s.sphere([1.0, 0.0, 0.0], 1.0, 1.0);
    s.acts.holds.push(Hold {
        region: Region::HalfSpace(HalfSpace {
            point: Vector3::x() * -7.0,
            normal: Vector3::x(),
        }),
        spell: Spell {
            from: 0.05,
            until: 0.15,
        },
    });
    for ranks in [1, 2, 3] {
        assert_eq!(counted(&s.run_on(ranks, 1, 30)), (1, 0), "{ranks} ranks");
    }
}

/// Bonds of one kind do not hinder those of another, whose gap is smaller.
#[test]
fn a_bond_is_made_across_its_gap_beside_a_wider_one() {
    let mut s = Scene::new([-4.0, -4.0, -4.0], [40.0, 4.0, 4.0], 1.0);
    for x in [0.0, 2.6, 20.0, 22.5] {
        s.sphere([x, 0.0, 0.0], 1.0, 1.0);
    }
    let kind = |pair, at, gap| Glue {
        between: Between::Pairs(vec![pair]),
        begin: Begin::At(at),
        gap,
        ..glue(UNBREAKABLE)
    };
    s.bonds = vec![kind([0, 1], 0.0, 0.7), kind([2, 3], 2.5, 0.51)];
    assert_eq!(counted(&s.run(5)), (2, 0));
}

/// A bond that breaks within one long step gives no more than its strength allows.
#[test]
fn a_bond_gives_no_more_than_its_strength() {
    let (dt, strength, speed) = (10.0, 1e-6, 1e-4);
    let weak = Four {
        normal: strength,
        ..UNBREAKABLE
    };
    let mut s = cantilever(1, dt, weak);
    s.bodies[1].velocity = [speed, 0.0, 0.0];
    let state = s.run(1);
    assert_eq!(counted(&state), (0, 1));
    let left = speed - strength * dt;
    assert!((state.velocity(1).x - left).abs() < 1e-12 * speed);
    // F²/(2 k) was in its spring.
    let work = state.done[0].outcome.work;
    let expected = 0.5 * strength * strength / STIFFNESS.normal;
    assert!(
        (work.fracture - expected).abs() < 1e-9 * expected,
        "{} J",
        work.fracture
    );
}

/// Bonds in a region join the bodies whose centres lie in it, and those to walls; of two materials
/// only where asked. A region may hold a whole period.
#[test]
fn a_region_is_glued() {
    let mut s = Scene::new([0.0, -4.0, -4.0], [16.0, 4.0, 4.0], 1e-2);
    s.periodic = [true, false, false];
    s.plane([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
    s.walls[0].material = 1;
    s.pairs = Some(PairTable::new(2, |_, _| Pair::coulomb(0.5)));
    for k in 0..8 {
        s.sphere([2.0 * f64::from(k), 0.0, 0.0], 1.0, 1.0);
    }
    let along = |lower: f64, upper: f64| Region::Box {
        lower: Vector3::new(lower, -4.0, -4.0),
        upper: Vector3::new(upper, 4.0, 4.0),
    };
    for (region, of, expected) in [
        // The balls at 4, 6 and 8; not that at 10, the upper end.
        (along(3.0, 10.0), None, 2 + 3),
        (along(3.0, 10.0), Some([0, 0]), 2),
        (along(3.0, 10.0), Some([0, 1]), 3),
        (along(3.0, 10.0), Some([1, 1]), 0),
        // The ball at 0 is bonded to that at 14, across the period.
        (along(0.0, 16.0), Some([0, 0]), 8),
        (along(0.0, 14.0), Some([0, 0]), 6),
    ] {
        s.bonds = vec![Glue {
            between: Between::In(region, of),
            ..glue(UNBREAKABLE)
        }];
        let one = s.run(3);
        assert_eq!(counted(&one), (expected, 0), "{region:?}, {of:?}");
        for ranks in [2, 3, 4, 8] {
            let many = s.run_on(ranks, 1, 3);
            assert!(one.same_bits(&many), "{region:?}, {of:?}, {ranks} ranks");
        }
    }
}

/// A region, a material, a bond, and balls that touch.
const REGION: &str = r#"
gravity = [0.0, 0.0, 0.0]
time = { dt = 1e-3, steps = 2 }
domain = { lower = [0.0, 0.0, 0.0], upper = [1.0, 1.0, 1.0] }
solver = { tolerance = 1e-3 }
checkpoint = { every = 0 }

[[material]]
name = "stone"
density = 2000.0
friction = 0.5

[[region]]
name = "left"
shape = "half-space"
point = [0.25, 0.0, 0.0]
normal = [-1.0, 0.0, 0.0]

[[bond]]
region = "left"
stiffness = { normal = 1e4, tangential = 1e4, bending = 1.0, twisting = 1.0 }

[[bodies]]
sample = "file"
material = "stone"
file = "four.csv"
"#;

/// A configuration glues a region; one in which nothing touches is refused before a file is written.
#[test]
fn a_configuration_glues_a_region() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("region.toml");
    std::fs::write(&path, REGION).unwrap();
    let four = "x,y,z,radius\n0.1,0.5,0.5,0.05\n0.2,0.5,0.5,0.05\n0.3,0.5,0.5,0.05\n\
                0.4,0.5,0.5,0.05\n";
    std::fs::write(dir.path().join("four.csv"), four).unwrap();
    let run = |out: &str, set: &[&str]| {
        let options = Options {
            out: Some(dir.path().join(out)),
            set: set.iter().map(|&set| set.to_owned()).collect(),
            ..Options::default()
        };
        threads::run(2, |comm| sim::try_run(comm, &path, &options)).remove(0)
    };
    run("out", &[]).unwrap();
    let (_, end, _) = checkpoint::read_newest(&Serial, &dir.path().join("out")).unwrap();
    let bonded = end.contacts.iter().filter(|c| c.state.joint.is_whole());
    let bonded: Vec<[u64; 2]> = bonded.map(|c| [c.key.a.0, c.key.b.0]).collect();
    assert_eq!(bonded, [[0, 1]]);
    let none = run("none", &["region.0.point=[0.15,0.0,0.0]"]).unwrap_err();
    let expected = "bond.0: must join bodies within its gap = 0 m of each other that no entry before \
                    it joins; found none at the start of the run";
    assert_eq!(none.to_string(), expected);
    assert!(!dir.path().join("none").exists());
}
