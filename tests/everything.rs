//! All laws, walls and axes together on packings: the same bits on any ranks, restarts without a seam, a ledger that closes,
//! momentum kept.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "everything/clumps.rs"]
mod clumps;
mod scene;
#[path = "everything/springs.rs"]
mod springs;

use clumps::{clumps, glued_among_clumps, growing_clumps};
use moreau::body::{BodyKind, BodyRow, Drive, Freedom, Motion, Signal, Wall};
use moreau::law::{Arm, Pair};
use moreau::math::Vector3;
use moreau::measure::{kinetic_energy, potential_energy, way};
use moreau::rng::{Purpose, Stream};
use moreau::scheme::acts::{Acts, Field, Growth, Hold, Outlet, Pull};
use moreau::shape::{HalfSpace, Period, Region, Spell, Surface, disc_area, disc_inertia};
use moreau::solver::{GapRule, Projection};
use scene::{Scene, State, record, record_fact};
use springs::{bouncing, damped, damped_under_a_piston, hertzian};

/// A bed of spheres on a perturbed lattice, falling on a floor, periodic in x and y where `periodic`.
fn bed(pair: Pair, periodic: bool) -> Scene {
    let (r, cell, side, layers) = (0.005, 0.0112, 6, 6);
    let width = f64::from(side) * cell;
    let mut s = Scene::new([0.0; 3], [width, width, 0.12], 5e-4);
    s.periodic = [periodic, periodic, false];
    s.gravity = Vector3::new(0.5, 0.0, -9.81);
    s.pair = Some(pair);
    s.solver.tolerance = 1e-3;
    s.solver.max_sweeps = 60;
    s.solver.block_edge = Some(0.016);
    for k in 0..side * side * layers {
        let mut draw = Stream::new(Purpose::Trial, 71, [k as u64, 0, 0]);
        let site = [k % side, k / side % side, k / side / side];
        let position = site.map(|i| (f64::from(i) + 0.5 + draw.between(-0.02, 0.02)) * cell);
        let i = s.glass_sphere(position, r * draw.between(0.9, 1.1));
        s.bodies[i].velocity = [0; 3].map(|_| draw.between(-0.3, 0.3));
        s.bodies[i].angular_velocity = [0; 3].map(|_| draw.between(-20.0, 20.0));
    }
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    if !periodic {
        s.plane([0.0; 3], [1.0, 0.0, 0.0]);
        s.plane([width, 0.0, 0.0], [-1.0, 0.0, 0.0]);
        s.plane([0.0; 3], [0.0, 1.0, 0.0]);
        s.plane([0.0, width, 0.0], [0.0, -1.0, 0.0]);
    }
    s
}

/// Coulomb and all that goes with rigid contacts.
fn rigid() -> Pair {
    Pair {
        sliding_friction: 0.3,
        rolling: Arm::Reduced(0.1),
        torsion: Arm::Length(1e-4),
        cohesion: 5e-3,
        cohesion_range: 2e-4,
        restitution: 0.4,
        tangential_restitution: 0.2,
        ..Pair::coulomb(0.5)
    }
}

/// The same with springs.
fn soft() -> Pair {
    Pair {
        compliance: 1.0 / 500.0,
        tangential_ratio: 0.8,
        restitution: 0.0,
        tangential_restitution: 0.0,
        ..rigid()
    }
}

fn piston(height: f64) -> Wall {
    let surface = Surface::Plane(HalfSpace {
        point: Vector3::new(0.0, 0.0, height),
        normal: -Vector3::z(),
    });
    Wall {
        motion: Motion::Free(Freedom {
            mass: 0.3,
            inertia: None,
            turning: None,
            direction: Some(Vector3::z()),
            load: Vector3::new(0.0, 0.0, -2.0),
            pressure: 0.0,
            gravity: true,
            factor: None,
        }),
        ..Wall::fixed("piston".to_owned(), surface, 0)
    }
}

/// Every scene that this file looks at: laws × walls × axes × rules.
fn scenes() -> Vec<(&'static str, Scene)> {
    let plain = bed(rigid(), false);
    let mut shaken = bed(rigid(), true);
    let sine = Signal::Sine {
        amplitude: 1e-3,
        frequency: 40.0,
        phase: 0.3,
    };
    shaken.walls[0].motion = Motion::Driven(
        Drive::along(Vector3::z(), sine).within(Drive::about(Vector3::z(), Signal::Rate(3.0))),
    );
    let mut pressed = bed(soft(), true);
    pressed.walls.push(piston(0.0685));
    for body in &mut pressed.bodies[..20] {
        body.kind = BodyKind::Fixed as u32;
        body.velocity = [0.0; 3];
        body.angular_velocity = [0.0; 3];
    }
    let mut projected = bed(Pair::coulomb(0.5), true);
    projected.solver.tolerance = 3e-2;
    projected.solver.projection = Projection {
        sweeps: 5,
        fraction: 0.1,
    };
    let mut recovered = bed(Pair::coulomb(0.5), false);
    recovered.solver.gap = GapRule::Recover {
        fraction: 0.1,
        top_speed: 0.05,
    };
    let mut drum = bed(soft(), false);
    drum.walls.truncate(1);
    drum.walls[0].surface = Surface::Bore {
        centre: Vector3::new(0.0336, 0.0, 0.04),
        axis: Vector3::y(),
        radius: 0.06,
    };
    drum.walls[0].centre = Vector3::new(0.0336, 0.0, 0.04);
    drum.walls[0].motion = Motion::Driven(Drive::about(Vector3::y(), Signal::Rate(4.0)));
    drum.lower = Vector3::new(-0.03, 0.0, -0.03);
    drum.upper.x = 0.1;
    drum.periodic = [false, true, false];
    // Both kinds of sweeps: the others have the default's.
    for scene in [&mut shaken, &mut recovered] {
        scene.plain_sweeps();
    }
    vec![
        ("rigid in a box", plain),
        ("rigid on a shaken floor", shaken),
        ("soft under a piston", pressed),
        ("projected", projected),
        ("recovered", recovered),
        ("soft in a drum", drum),
        ("damped under a piston", damped_under_a_piston()),
        ("damped or struck in a box", bed(damped(500.0), false)),
        ("clumps with dashpots", clumps(damped(200.0), false)),
        ("Hertzian in a box", bed(hertzian(), false)),
        ("Hertzian with dashpots", bed(bouncing(), true)),
        ("discs", discs()),
        ("regions that act", acted_on()),
        ("growing", growing()),
        ("clumps in a box", clumps(rigid(), false)),
        ("clumps and glued balls", glued_among_clumps()),
        ("growing clumps", growing_clumps()),
    ]
}

/// Bodies are pushed sideways, held for a while in a corner, and go out by a hole in the middle of the floor.
fn acted_on() -> Scene {
    let mut s = bed(rigid(), false);
    let boxed = |lower: [f64; 3], upper: [f64; 3]| Region::Box {
        lower: Vector3::from(lower),
        upper: Vector3::from(upper),
    };
    let (whole, corner) = (
        boxed([0.0; 3], [0.07, 0.07, 0.03]),
        boxed([0.0; 3], [0.02, 0.04, 0.03]),
    );
    let field = |pull, from| Field {
        region: Some(whole),
        spell: Spell { from, until: 0.02 },
        pull,
        factor: None,
    };
    s.acts = Acts {
        supports: Vec::new(),
        fields: vec![
            field(Pull::Acceleration(Vector3::new(3.0, 0.0, 1.0)), 0.0),
            field(Pull::Force(Vector3::new(0.0, 5e-3, 0.0)), 0.005),
        ],
        holds: vec![Hold {
            region: corner,
            spell: Spell {
                from: 0.004,
                until: 0.018,
            },
        }],
        outlets: vec![Outlet {
            name: "hole".to_owned(),
            region: boxed([0.03, 0.03, 0.0], [0.05, 0.05, 0.008]),
            spell: Spell::ALWAYS,
        }],
        growth: None,
    };
    s
}

/// Bodies grow until they touch, without weight.
fn growing() -> Scene {
    let mut s = bed(Pair::coulomb(0.3), true);
    s.gravity = Vector3::zeros();
    s.solver.gap = GapRule::Full;
    // Not from the radii that there happen to be.
    s.solver.skin = Some(2e-4);
    s.acts.growth = Some(Growth {
        from: 0.84,
        until: 0.045,
    });
    s
}

/// Two dimensions: discs in the plane z = 0, periodic in x, rolling and gluing.
fn discs() -> Scene {
    let (r, cell) = (0.005, 0.0112);
    let mut s = Scene::new([0.0, 0.0, -0.01], [12.0 * cell, 0.2, 0.01], 5e-4);
    s.periodic = [true, false, false];
    s.gravity = Vector3::new(0.3, -9.81, 0.0);
    s.pair = Some(rigid());
    s.solver.tolerance = 1e-3;
    s.solver.max_sweeps = 60;
    s.plane([0.0; 3], [0.0, 1.0, 0.0]);
    for k in 0..144 {
        let mut draw = Stream::new(Purpose::Trial, 72, [k, 0, 0]);
        let site = [(k % 12) as f64, (k / 12) as f64];
        let [x, y] = site.map(|i| (i + 0.5 + draw.between(-0.02, 0.02)) * cell);
        let radius = r * draw.between(0.9, 1.1);
        let mass = 2500.0 * disc_area(radius);
        let i = s.sphere([x, y, 0.0], radius, mass);
        s.bodies[i].inertia = disc_inertia(mass, radius);
        s.bodies[i].velocity = [draw.between(-0.3, 0.3), draw.between(-0.3, 0.3), 0.0];
        s.bodies[i].angular_velocity = [0.0, 0.0, draw.between(-20.0, 20.0)];
    }
    s
}

/// Every law, wall, axis and rule: equal to the last bit on 1, 2, 4 (and 3, 8) ranks and with threads, while what a rank does not
/// hold is NaN.
#[test]
fn same_bits_on_any_ranks() {
    for (name, s) in scenes() {
        let serial = s.run(80);
        let active = serial.contacts.iter().filter(|c| c.status != 0).count();
        assert!(active > 60, "{name}: {active} active contacts");
        for (ranks, threads) in [(2, 1), (4, 1), (3, 1), (8, 1), (2, 2)] {
            let state = s.run_on(ranks, threads, 80);
            let what = format!("{name}: {ranks} ranks of {threads} threads end in the bits of one");
            record_fact("bits", &what, state.same_bits(&serial));
        }
    }
}

/// Momentum that gets stuck takes another order, and at last pauses: the same on any ranks. No rigid packing gets to a residual of
/// 1e-12 in so many sweeps.
#[test]
fn same_bits_where_momentum_gets_stuck() {
    let mut s = bed(Pair::coulomb(0.5), true);
    s.solver.tolerance = 1e-3;
    s.solver.max_sweeps = 500;
    s.bodies = s.run(300).bodies;
    s.solver.tolerance = 1e-12;
    let serial = s.run(12);
    let stuck = serial.done.iter().map(|d| d.outcome.renewals);
    assert!(
        stuck.clone().max() > Some(96),
        "a pause alone is 96 orders: {stuck:?}"
    );
    for (ranks, threads) in [(2, 1), (3, 1), (8, 1), (1, 3), (2, 5)] {
        assert!(
            s.run_on(ranks, threads, 12).same_bits(&serial),
            "{ranks} ranks"
        );
    }
}

/// What a checkpoint holds is all there is: a run in two parts ends in the bits of the run in one, on other ranks too.
#[test]
fn restart_in_the_middle() {
    for (name, s) in scenes() {
        let whole = s.run(60);
        let half = s.run(30);
        let mut rest = s.clone();
        let elastic = half.done.last().unwrap().elastic;
        rest.start = Some((30, half.walls.clone(), elastic));
        rest.references.clone_from(&half.references);
        rest.bodies = half.bodies.clone();
        rest.contacts = half.contacts.clone();
        for ranks in [1, 3] {
            let mut state = rest.run_on(ranks, 1, 30);
            state.done = [&half.done[..], &state.done].concat();
            state.broken = [&half.broken[..], &state.broken].concat();
            let what = format!("{name}: resumed on {ranks} ranks, the bits of a run in one");
            record_fact("restart", &what, state.same_bits(&whole));
        }
    }
}

fn energy(s: &Scene, state: &[moreau::body::BodyRow]) -> f64 {
    let period = Period::of_box(&s.lower, &s.upper, s.periodic);
    kinetic_energy(state).value() + potential_energy(state, &s.gravity, &period).value()
}

/// C15: in every step `Δ(T + U) = driven + forced + entered + projected − integrator − taken out at contacts`, to 1e-10 of what flows.
#[test]
fn c15_the_ledger_closes_in_every_step() {
    for (name, s) in scenes() {
        let mut before = s.clone();
        let mut largest: f64 = 0.0;
        let mut dissipated = 0.0;
        for step in 0..60 {
            let state = before.run(1);
            let done = &state.done[0];
            let work = done.outcome.work;
            let (e0, e1) = (energy(&s, &before.bodies), energy(&s, &state.bodies));
            let brought = work.driven + done.forced + done.entered + done.projected;
            let expected = brought - done.integrator - work.taken();
            let flow = [
                kinetic_energy(&before.bodies).value(),
                work.taken().abs(),
                work.driven.abs(),
            ];
            let scale = flow.iter().fold(e0.abs(), |m, f| m.max(f.abs()));
            let off = (e1 - e0 - expected).abs() / scale;
            assert!(off < 1e-10, "{name}, step {step}: {off:e}");
            assert!(
                (done.lost - (work.taken() - work.driven)).abs() < 1e-10 * scale,
                "{name}"
            );
            largest = largest.max(off);
            dissipated += done.dissipated;
            before.start = Some((step + 1, state.walls.clone(), done.elastic));
            before.bodies = state.bodies;
            before.contacts = state.contacts;
        }
        assert!(dissipated > 0.0, "{name}: {dissipated}");
        record(
            "C15",
            &format!("largest gap in the ledger of a step, {name}"),
            largest,
            0.0,
            1e-10,
        );
    }
}

/// Without walls and gravity momentum stays whatever the law; under gravity the bodies' momentum changes by what walls and weight
/// give.
#[test]
fn momentum_is_accounted_for() {
    let momentum = |state: &[moreau::body::BodyRow]| -> Vector3 {
        let free = state.iter().filter(|b| b.is_free());
        free.map(|b| Vector3::from(b.velocity) * b.mass).sum()
    };
    for pair in [rigid(), soft()] {
        let mut s = bed(pair, true);
        s.walls.clear();
        s.gravity = Vector3::zeros();
        s.lower.z = -0.1;
        s.upper.z = 0.2;
        let scale: f64 = s
            .bodies
            .iter()
            .map(|b| Vector3::from(b.velocity).norm() * b.mass)
            .sum();
        let state = s.run_on(2, 1, 100);
        assert!((momentum(&state.bodies) - momentum(&s.bodies)).norm() < 1e-12 * scale);
    }
    for (name, s) in scenes() {
        let before = s.run(40);
        let after = s.run(41);
        let mass: f64 = s
            .bodies
            .iter()
            .filter(|b| b.is_free())
            .map(|b| b.mass)
            .sum();
        let mut expected = momentum(&before.bodies) + s.gravity * (mass * s.dt);
        if !s.acts.fields.is_empty() {
            continue; // It has forces of its own, and bodies that go out take what their contacts gave along.
        }
        let held = |id: moreau::body::BodyId| s.bodies.iter().any(|b| b.id == id && !b.is_free());
        for c in &after.contacts {
            let r = Vector3::from(c.impulse);
            if c.key.b.wall_index().is_some() || held(c.key.b) {
                expected -= r;
            } else if held(c.key.a) {
                expected += r;
            }
        }
        let off = (momentum(&after.bodies) - expected).norm();
        assert!(off < 1e-12 * mass, "{name}: {off}");
    }
}

/// Angular momentum of the free bodies about the origin, with their positions before the step
/// [kg m²/s]: the step moves each along its velocity, which changes nothing of `x × m v`.
fn angular_momentum(before: &State, after: &State) -> Vector3 {
    let of = |(old, new): (&BodyRow, &BodyRow)| {
        let moving = Vector3::from(new.velocity) * new.mass;
        let own = match new.shape {
            0 => Vector3::from(new.angular_velocity) * new.inertia,
            _ => Vector3::from(new.angular_momentum),
        };
        Vector3::from(old.position).cross(&moving) + own
    };
    let rows = before.bodies.iter().zip(&after.bodies);
    rows.filter(|(_, new)| new.is_free()).map(of).sum()
}

/// In boxes angular momentum changes by what weight and walls give. A contact acts on both bodies at
/// their surfaces, so two bodies change it by the gap times the tangential impulse.
#[test]
fn angular_momentum_is_accounted_for() {
    let boxed = |s: &Scene| s.periodic == [false; 3] && s.acts.fields.is_empty();
    let scenes: Vec<_> = scenes().into_iter().filter(|(_, s)| boxed(s)).collect();
    assert!(scenes.iter().any(|(_, s)| !s.templates.is_empty()));
    for (name, s) in scenes {
        let before = s.run(40);
        let after = s.run(41);
        let mut expected = angular_momentum(&before, &before);
        let mut scale = 0.0;
        for row in &before.bodies {
            let weight = s.gravity * (row.mass * s.dt);
            expected += Vector3::from(row.position).cross(&weight);
        }
        for c in &after.contacts {
            let [r, n, point] = [c.impulse, c.normal, c.point].map(Vector3::from);
            let change = match c.key.b.wall_index() {
                None => n.cross(&r) * c.gap,
                Some(_) => {
                    let surface = point - n * (0.5 * c.gap);
                    -surface.cross(&r) - Vector3::from(c.couple_impulse)
                }
            };
            expected += change;
            scale += point.norm() * r.norm();
        }
        let off = (angular_momentum(&before, &after) - expected).norm() / scale;
        let what = format!("angular momentum of a step, {name}");
        record("clumps", &what, off, 0.0, 1e-11);
    }
}

/// In two dimensions nothing leaves the plane, and spins stay about z.
#[test]
fn discs_stay_in_their_plane() {
    let state = discs().run(200);
    for b in &state.bodies {
        assert_eq!(
            (
                b.position[2],
                b.velocity[2],
                b.angular_velocity[0],
                b.angular_velocity[1]
            ),
            (0.0, 0.0, 0.0, 0.0)
        );
    }
    assert!(state.contacts.iter().any(|c| c.couple_impulse[2] != 0.0));
    let drift = way(
        &state.bodies[0],
        &Period::of_box(&discs().lower, &discs().upper, [true, false, false]),
    );
    assert!(drift.norm() > 0.0);
}

/// A disc rolls down a slope with 2/3 of g sin α, a sphere with 5/7; its sliding limit is tan α/3.
#[test]
fn a_disc_rolls_with_two_thirds() {
    let angle: f64 = 0.3;
    let rolling = |friction: f64| {
        let mut s = Scene::new([-5.0, -1.0, -1.0], [50.0, 3.0, 1.0], 1e-3);
        s.gravity = Vector3::new(angle.sin(), -angle.cos(), 0.0) * 10.0;
        s.friction = friction;
        s.plane([0.0; 3], [0.0, 1.0, 0.0]);
        let i = s.sphere([0.0, 1.0, 0.0], 1.0, 2.0);
        s.bodies[i].inertia = disc_inertia(2.0, 1.0);
        let state: State = s.run(1000);
        (state.velocity(0).x, state.spin(0).z)
    };
    let (v, w) = rolling(angle.tan() / 3.0 * 1.001);
    assert!((v - 2.0 / 3.0 * 10.0 * angle.sin()).abs() < 1e-9 && (v + w).abs() < 1e-9);
    let (v, w) = rolling(angle.tan() / 3.0 * 0.9);
    assert!(v + w > 0.1, "it slips");
}
