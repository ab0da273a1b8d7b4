//! F4 and F16: glued beams, [004 §6.1.6] by formulas; k_t = 2, k_twist = 4, k_bend = 5, radius 1.

use super::scene::{Scene, State};
use super::{pressed, scene, springs, statics};
use moreau::body::{BodyId, BodyKind, Drive, Motion, Signal, Wall};

use moreau::law::PairTable;
use moreau::law::bond::{Begin, Between, Four, Glue, Stiffness, Strength};
use moreau::math::Vector3;
use moreau::scheme::StepError;
use moreau::scheme::acts::{Field, Pull, Support};
use moreau::scheme::quasistatic::{Breaking, Method, Select, Statics};
use moreau::shape::{HalfSpace, Region, Spell};

/// A load that keeps beams straight: rotations squared are 1e-8.
pub(crate) const LOAD: f64 = 1e-5;

pub(crate) const UNBREAKABLE: f64 = f64::INFINITY;

pub(crate) fn glue(bending: f64) -> Glue {
    Glue {
        between: Between::Materials([0, 0]),
        begin: Begin::At(0.0),
        gap: 1e-6,
        stiffness: Stiffness::Given(Four {
            normal: 1.0,
            tangential: 2.0,
            bending: 5.0,
            twisting: 4.0,
        }),
        strength: Strength::Each(Four {
            normal: UNBREAKABLE,
            tangential: UNBREAKABLE,
            bending,
            twisting: UNBREAKABLE,
        }),
    }
}

/// Balls at these places, glued to each other and to a wall at x = 0.
pub(crate) fn glued(places: &[[f64; 3]], method: Method) -> Scene {
    let mut s = scene([-3.0, -4.0, -4.0], [21.0, 12.0, 4.0], 0.5);
    s.gravity = Vector3::zeros();
    s.plane([0.0; 3], [1.0, 0.0, 0.0]);
    s.bonds = vec![glue(UNBREAKABLE)];
    for place in places {
        s.sphere(*place, 1.0, 1.0);
    }
    s.statics = Some(Statics {
        method,
        // Places are rounded to 1e-15 m, so forces to 1e-10 of the load.
        tolerance: 1e-8,
        linear_tolerance: 1e-4,
        max_iterations: 20_000,
        ..statics()
    });
    s
}

/// Lets a force along z act on the ball at a place.
pub(crate) fn load(s: &mut Scene, place: [f64; 3], force: f64) {
    s.acts.fields.push(Field {
        region: Some(Region::Sphere {
            centre: place.into(),
            radius: 0.5,
        }),
        spell: Spell::ALWAYS,
        pull: Pull::Force(Vector3::z() * force),
        factor: None,
    });
}

pub(crate) fn row(n: u32) -> Vec<[f64; 3]> {
    let along = (0..n).map(|k| 1.0 + 2.0 * f64::from(k));
    along.map(|x| [x, 0.0, 0.0]).collect()
}

pub(crate) const METHODS: [Method; 3] = [
    Method::BagiBojtar,
    Method::SerranoRodriguez,
    Method::Kishino(Select::Block),
];

/// The linear method solves to rounding, the others to their tolerance times the slenderness.
pub(crate) fn within(s: &Scene) -> f64 {
    match s.statics.map(|of| of.method) {
        Some(Method::SerranoRodriguez) => 1e-9,
        _ => 1e-7,
    }
}

#[track_caller]
pub(crate) fn deflects(s: &Scene, of: usize, expected: f64) {
    let end = s.run(1);
    let found = end.position(of).z / LOAD;
    let method = s.statics.map(|of| of.method);
    println!("{method:?} {found} {expected} {:e}", found / expected - 1.0);
    assert!(
        (found / expected - 1.0).abs() < within(s),
        "{method:?}: {found} {expected}"
    );
}

/// F4: cantilevers of n balls, the root glued to a wall.
#[test]
fn f4_a_cantilever_bends() {
    for (n, expected) in [(1, 0.7), (3, 8.5), (6, 60.2)] {
        for method in METHODS {
            let mut s = glued(&row(n), method);
            load(&mut s, [2.0 * f64::from(n) - 1.0, 0.0, 0.0], LOAD);
            deflects(&s, n as usize - 1, expected);
        }
    }
}

/// F16: a glued L, n₁ balls along x and n₂ along y, loaded along z at its tip.
#[test]
fn f16_an_l_bends_and_twists() {
    for (along_x, along_y, expected) in [(2, 1, 5.7), (3, 2, 23.5)] {
        for method in METHODS {
            let mut places = row(along_x);
            let end = 2.0 * f64::from(along_x) - 1.0;
            places.extend((1..=along_y).map(|k| [end, 2.0 * f64::from(k), 0.0]));
            let mut s = glued(&places, method);
            load(&mut s, [end, 2.0 * f64::from(along_y), 0.0], LOAD);
            deflects(&s, places.len() - 1, expected);
        }
    }
}

/// A beam glued to walls at both ends.
fn beam(n: u32, method: Method) -> Scene {
    let mut s = glued(&row(n), method);
    s.plane([2.0 * f64::from(n), 0.0, 0.0], [-1.0, 0.0, 0.0]);
    s
}

/// F16: a beam glued at both ends sinks under a load in its middle.
#[test]
fn f16_a_beam_between_walls() {
    for (n, expected) in [(3, 0.7), (5, 1.55)] {
        for method in METHODS {
            let mut s = beam(n, method);
            load(&mut s, [f64::from(n), 0.0, 0.0], LOAD);
            deflects(&s, n as usize / 2, expected);
        }
    }
}

/// F16: a support that rises by 1 bears 1/6, downwards, the other as much upwards: supports may
/// settle.
#[test]
fn f16_a_support_rises() {
    for method in METHODS {
        let mut s = beam(3, method);
        let rises = Drive::along(Vector3::z(), Signal::Rate(LOAD));
        s.walls[0] = Wall {
            motion: Motion::Driven(rises),
            ..s.walls[0].clone()
        };
        let end = s.run(1);
        // Forces of the beam on its supports.
        for (ball, wall, sign) in [(0, 0, -1.0), (2, 1, 1.0)] {
            let found = end.impulse(BodyId(ball), BodyId::wall(wall)).z / s.dt / LOAD;
            assert!(
                (6.0 * sign * found - 1.0).abs() < within(&s),
                "{method:?}, support {wall}: {found}"
            );
        }
    }
}

pub(crate) fn whole(end: &State) -> Vec<(BodyId, BodyId)> {
    let whole = end.contacts.iter();
    let whole = whole.filter(|c| c.state.joint.is_whole());
    whole.map(|c| (c.key.a, c.key.b)).collect()
}

/// F16: the moment at the root of a cantilever of three balls is five loads. A strength above it
/// holds; below it the root breaks, alone, and the beam falls on a floor.
#[test]
fn f16_the_root_of_a_cantilever_breaks() {
    let methods = [Method::BagiBojtar, Method::Kishino(Select::Block)];
    let each = methods.map(|method| [(method, Breaking::Worst), (method, Breaking::All)]);
    for (method, breaking) in each.concat() {
        let with = |strength: f64| {
            let mut s = glued(&row(3), method);
            s.bonds = vec![Glue {
                between: Between::Materials([0, 0]),
                ..glue(strength * LOAD)
            }];
            s.plane([0.0, 0.0, -1.0 - 1e-3], [0.0, 0.0, 1.0]);
            s.walls[1].material = 1;
            s.pairs = Some(PairTable::new(2, |_, _| springs(0.5)));
            load(&mut s, [5.0, 0.0, 0.0], -LOAD);
            s.statics = s.statics.map(|of| Statics {
                breaking,
                tolerance: 1e-6,
                ..of
            });
            s
        };
        let holds = with(5.01).run(1);
        assert_eq!(holds.done[0].broken, 0);
        let sunk = -holds.position(2).z / LOAD;
        assert!((sunk - 8.5).abs() < 1e-4, "{sunk}");
        let broken = with(4.99).run(1);
        if breaking == Breaking::All {
            // Forces on the way to balance break more of them; body by body they need not.
            let least = if method == Method::BagiBojtar { 2 } else { 1 };
            assert!(broken.done[0].broken >= least, "{method:?}");
            continue;
        }
        assert_eq!(broken.done[0].broken, 1, "{method:?} {breaking:?}");
        let left: Vec<_> = [0, 1].map(|k| (BodyId(k), BodyId(k + 1))).into();
        assert_eq!(whole(&broken), left, "{method:?} {breaking:?}");
    }
}

/// Without a floor the beam falls without end: no equilibrium.
#[test]
fn a_broken_cantilever_has_no_balance() {
    let mut s = glued(&row(3), Method::BagiBojtar);
    s.bonds = vec![glue(4.99 * LOAD)];
    load(&mut s, [5.0, 0.0, 0.0], -LOAD);
    // Wherever the tip falls.
    s.acts.fields[0].region = Some(Region::HalfSpace(HalfSpace {
        point: Vector3::x() * 3.5,
        normal: Vector3::x(),
    }));
    s.statics = s.statics.map(|of| Statics {
        max_iterations: 20,
        ..of
    });
    let fell = s.try_run(1, 1, 1);
    assert!(matches!(fell, Err(StepError::Collapse { .. })), "{fell:?}");
}

/// Bonds of a jittered lattice that a lid presses break one after the other: the same bits on any
/// ranks, whatever breaks first.
#[test]
fn bonds_break_the_same_on_any_ranks() {
    let cases = [
        (Method::BagiBojtar, Breaking::Worst),
        (Method::BagiBojtar, Breaking::All),
        (Method::Kishino(Select::Block), Breaking::All),
    ];
    for (method, breaking) in cases {
        let mut s = pressed(method);
        s.bonds = vec![Glue {
            gap: 0.02,
            stiffness: Stiffness::Given(Four {
                normal: 1.0,
                tangential: 0.5,
                bending: 0.5,
                twisting: 0.5,
            }),
            strength: Strength::Sum(Four {
                normal: 1.5e-3,
                tangential: 1.5e-3,
                bending: 1.5e-3,
                twisting: 1.5e-3,
            }),
            ..glue(UNBREAKABLE)
        }];
        s.statics = s.statics.map(|of| Statics { breaking, ..of });
        let alone = s.run(2);
        let broken: u64 = alone.done.iter().map(|report| report.broken).sum();
        let left = whole(&alone).len();
        println!("{method:?} {broken} {left}");
        assert!(broken > 10 && left > 10, "{method:?}: {broken} of {left}");
        let works = alone.done.iter().map(|report| report.outcome.work.fracture);
        assert!(works.sum::<f64>() > 0.0);
        for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
            let other = s.run_on(ranks, threads, 2);
            assert!(
                other.same_bits(&alone),
                "{method:?}, {breaking:?}, {ranks} ranks, {threads} threads"
            );
        }
    }
}

/// At the root of a cantilever of three balls the moment is five loads and the shear force one. Each
/// is half its strength, so only their sum breaks the bond.
#[test]
fn the_sum_of_forces_breaks_a_bond() {
    let with = |criterion: fn(Four) -> Strength, strength: f64| {
        let mut s = glued(&row(3), Method::BagiBojtar);
        s.plane([0.0, 0.0, -1.0 - 1e-3], [0.0, 0.0, 1.0]);
        s.walls[1].material = 1;
        s.pairs = Some(PairTable::new(2, |_, _| springs(0.5)));
        load(&mut s, [5.0, 0.0, 0.0], -LOAD);
        s.bonds = vec![Glue {
            strength: criterion(Four {
                normal: UNBREAKABLE,
                tangential: 2.0 * strength * LOAD,
                bending: 10.0 * strength * LOAD,
                twisting: UNBREAKABLE,
            }),
            ..glue(UNBREAKABLE)
        }];
        s.statics = s.statics.map(|of| Statics {
            tolerance: 1e-6,
            ..of
        });
        s.run(1).done[0].broken
    };
    assert_eq!(with(Strength::Sum, 1.001), 0);
    assert_eq!(with(Strength::Sum, 0.999), 1);
    assert_eq!(with(Strength::Each, 0.999), 0);
}

/// A wall pulls at a bond of stiffness 1 to a fixed ball: its work is in the spring until the bond
/// breaks, and then dissipated. The line of the bond has its forces.
#[test]
fn a_pulled_bond_takes_its_work_along() {
    let mut s = glued(&[[1.0, 0.0, 0.0]], Method::BagiBojtar);
    s.bodies[0].kind = BodyKind::Fixed as u32;
    s.bonds[0].strength = Strength::Each(Four {
        normal: 2.5e-3,
        tangential: UNBREAKABLE,
        bending: UNBREAKABLE,
        twisting: UNBREAKABLE,
    });
    let pulls = Drive::along(-Vector3::x(), Signal::Rate(1e-3));
    s.walls[0].motion = Motion::Driven(pulls);
    let end = s.run(4);
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12, "{found:e} {expected:e}");
    };
    let [first, second, third, fourth] = &end.done[..] else {
        panic!("four increments")
    };
    near(first.outcome.work.driven, 0.5e-6);
    near(second.outcome.work.driven, 1.5e-6);
    near(second.elastic, 2e-6);
    // Drawn by 3 mm, it breaks at once: 4.5e-6 J.
    near(third.outcome.work.driven, 2.5e-6);
    near(third.outcome.work.fracture, 4.5e-6);
    near(third.dissipated, 4.5e-6);
    near(third.elastic, 0.0);
    near(fourth.outcome.work.driven, 0.0);
    let [bond] = &end.broken[..] else {
        panic!("one bond: {:?}", end.broken)
    };
    assert_eq!((bond.time, bond.wave), (3.0, 1));
    assert_eq!((bond.a, bond.b, bond.bond), (BodyId(0), BodyId::wall(0), 0));
    // On the wall, towards the ball.
    near(bond.force.x, 3e-3);
    near(bond.energy, 4.5e-6);
}

/// Bonds across gaps much wider than the skin stand on both ranks of a cut, or are refused.
#[test]
fn wide_bonds_have_the_same_bits_on_any_ranks() {
    let mut s = glued(&[], Method::BagiBojtar);
    s.bonds[0].gap = 0.75;
    for k in 0..6 {
        s.sphere([1.0 + 2.7 * f64::from(k), 0.0, 0.0], 1.0, 1.0);
    }
    load(&mut s, [14.5, 0.0, 0.0], LOAD);
    s.solver.block_edge = Some(6.0);
    let alone = s.run(2);
    assert_eq!(whole(&alone).len(), 6);
    for ranks in [2, 3, 4, 8] {
        assert!(s.run_on(ranks, 1, 2).same_bits(&alone), "{ranks} ranks");
    }
    s.solver.block_edge = Some(5.0);
    for ranks in [1, 2] {
        let refused = s.try_run(ranks, 1, 1);
        assert!(
            matches!(refused, Err(StepError::BondTooLong { .. })),
            "{refused:?}"
        );
    }
}

/// A contact that is bonded keeps its force: a ball at rest on a wall does not move when it is
/// glued, at a time or at contact, also where it is pressed by more than 0.01 radii.
#[test]
fn a_new_bond_keeps_the_force() {
    for begin in [Begin::At(1.5), Begin::Contact] {
        let mut s = glued(&[[1.0, 0.0, 0.0]], Method::BagiBojtar);
        s.gravity = Vector3::new(-0.03, 0.0, 0.0);
        s.bonds.clear();
        let first = s.run(1);
        s.bonds = vec![Glue {
            begin,
            ..glue(UNBREAKABLE)
        }];
        s.bodies.clone_from(&first.bodies);
        s.contacts.clone_from(&first.contacts);
        let end = s.run(3);
        assert_eq!(whole(&end).len(), 1);
        let moved = (end.position(0) - first.position(0)).norm();
        assert!(moved < 1e-14, "{begin:?}: {moved:e}");
        assert!(first.position(0).x < 0.99);
    }
}

/// Waves of breaking bonds are counted through the parts of an increment.
#[test]
fn breaks_are_listed_in_their_order() {
    let mut s = pressed(Method::BagiBojtar);
    s.bonds = vec![Glue {
        gap: 0.02,
        stiffness: Stiffness::Given(Four {
            normal: 1.0,
            tangential: 0.5,
            bending: 0.5,
            twisting: 0.5,
        }),
        strength: Strength::Each(Four {
            normal: 1.5e-3,
            tangential: 1.5e-3,
            bending: 1.5e-3,
            twisting: 1.5e-3,
        }),
        ..glue(UNBREAKABLE)
    }];
    s.statics = s.statics.map(|of| Statics { jump: 2e-3, ..of });
    let end = s.run(1);
    assert!(end.done[0].tally.unwrap().parts > 1);
    let waves: Vec<u64> = end.broken.iter().map(|bond| bond.wave).collect();
    assert!(waves.len() > 3 && waves.is_sorted(), "{waves:?}");
}

/// Increments glue a region as time steps do: the balls in it, and those to the wall.
#[test]
fn a_region_is_glued() {
    for method in METHODS {
        let mut s = glued(&row(4), method);
        // No force moves the others; a support holds them.
        s.acts.supports = vec![Support {
            region: None,
            stiffness: Vector3::repeat(1.0),
            rotational: Vector3::repeat(1.0),
        }];
        s.bonds[0].between = Between::In(
            Region::HalfSpace(HalfSpace {
                point: Vector3::x() * 4.0,
                normal: -Vector3::x(),
            }),
            None,
        );
        for ranks in [1, 2, 3] {
            let end = s.run_on(ranks, 1, 1);
            let whole = end.contacts.iter().filter(|c| c.state.joint.is_whole());
            let keys: Vec<_> = whole.map(|c| (c.key.a, c.key.b)).collect();
            let expected = [(BodyId(0), BodyId(1)), (BodyId(0), BodyId::wall(0))];
            assert_eq!(keys, expected, "{method:?}, {ranks} ranks");
        }
    }
}
