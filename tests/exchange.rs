//! One exchange a sweep (`exchange = "sweep"`): bodies at a cut are split among ranks. The same solutions where they are unique, nothing
//! lost, the judge as strict as on one rank.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::BodyRow;
use moreau::contact::ContactRow;
use moreau::law::{Arm, Elasticity, Pair};
use moreau::law::{Parameters, reduced_masses, solve};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::solver::Exchange;
use scene::{Scene, State};

const RANKS: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// Spheres that fall, hit and pack in a closed box of small blocks.
fn falling(side: usize, layers: usize, seed: u64) -> Scene {
    let mut s = Scene::poured(side, layers, seed);
    s.solver.max_sweeps = 20_000;
    s.solver.block_edge = Some(0.016);
    let each = s.bodies.iter_mut();
    each.for_each(|body| body.angular_velocity = [0.0; 3]);
    s
}

/// Goes on from a state with forces.
fn from(s: &Scene, state: &State, step: u64) -> Scene {
    let mut s = s.clone();
    let elastic = state.done.last().unwrap().elastic;
    s.start = Some((step, state.walls.clone(), elastic));
    s.bodies.clone_from(&state.bodies);
    s.contacts.clone_from(&state.contacts);
    s
}

/// `Σ|d|²/m_n` of a state, contact by contact from its records, with Coulomb's law at the whole bodies' masses.
fn violation(s: &Scene, state: &State) -> f64 {
    let body = |id: moreau::body::BodyId| state.bodies.iter().find(|b| b.id == id);
    let one = |c: &ContactRow| {
        let [a, b] = [body(c.key.a), body(c.key.b)];
        let inverse = |row: Option<&BodyRow>| {
            row.map_or([0.0; 3], |b| [1.0 / b.mass, 1.0 / b.inertia, b.radius])
        };
        let [[ma, ia, ra], [mb, ib, rb]] = [inverse(a), inverse(b)];
        let (normal_mass, tangential_mass) = reduced_masses([ma, mb], [ma, mb], [ia, ib], [ra, rb]);
        let of = |row: Option<&BodyRow>, what: fn(&BodyRow) -> [f64; 3]| {
            row.map_or(Vector3::zeros(), |b| Vector3::from(what(b)))
        };
        let velocity = of(b, |b| b.velocity) - of(a, |b| b.velocity);
        let spin = of(a, |b| b.angular_velocity) * ra + of(b, |b| b.angular_velocity) * rb;
        let normal = Vector3::from(c.normal);
        let law = Parameters {
            normal,
            closing_speed: c.gap.max(0.0) / s.dt,
            normal_mass,
            tangential_mass,
            friction: s.friction,
        };
        let impulse = Vector3::from(c.impulse);
        let wanted = solve(&law, &impulse, &(velocity - spin.cross(&normal)));
        (wanted - impulse).norm_squared() / normal_mass
    };
    state.contacts.iter().map(one).sum()
}

/// The judge's sum is that of whole bodies, in the midst of a solve, on any ranks. The records leave out contacts without an impulse
/// that are open, so the state is one in which all that may close has closed.
#[test]
fn the_judge_sees_whole_bodies() {
    let s = falling(4, 6, 5);
    let before = s.run(130);
    let mut s = from(&s, &before, 130);
    s.solver.tolerance = 1e-12;
    s.solver.exchange = Exchange::Sweep;
    for ranks in RANKS {
        for (plain, sweeps) in [(true, 1), (true, 4), (false, 5)] {
            let mut s = s.clone();
            if plain {
                s.plain_sweeps();
            }
            s.solver.max_sweeps = sweeps;
            let state = s.run_on(ranks, 1, 1);
            let verdict = state.done[0].outcome.verdict;
            let expected = violation(&s, &state);
            let error = (verdict.violation - expected).abs() / expected;
            assert!(
                expected > 0.0 && error < 1e-9,
                "{ranks} ranks, {sweeps} sweeps: {error:e}"
            );
        }
    }
}

/// On one rank nothing is split.
#[test]
fn one_rank_is_one_rank() {
    let mut s = falling(3, 4, 6);
    let phase = s.run(40);
    s.solver.exchange = Exchange::Sweep;
    assert!(s.run(40).same_bits(&phase));
}

/// Momentum is kept to rounding, and what bodies lose is what contacts take: no impulse is lost or doubled in the splitting, nor, in
/// both modes, where all drift over cuts that are drawn anew before each step, and round a domain that is periodic.
#[test]
fn momentum_and_energy_are_kept() {
    for mode in [Exchange::Phase, Exchange::Sweep] {
        for drifting in [false, true] {
            momentum_and_energy(mode, drifting);
        }
    }
}

fn momentum_and_energy(mode: Exchange, drifting: bool) {
    let mut s = Scene::new([0.0; 3], [0.06; 3], 1e-3);
    s.friction = 0.4;
    s.solver.tolerance = 1e-4;
    s.solver.block_edge = Some(0.015);
    s.solver.exchange = mode;
    s.periodic = [drifting; 3];
    s.recut = drifting.then_some(23);
    let drift = if drifting { [1.0, -0.8, 0.7] } else { [0.0; 3] };
    let mut draw = Stream::new(Purpose::Trial, 17, [0; 3]);
    for k in 0..125 {
        let site = [k % 5, k / 5 % 5, k / 25];
        let position = site.map(|i| 0.008 + 0.0101 * i as f64 + draw.between(-1e-4, 1e-4));
        let i = s.glass_sphere(position, 0.005 * draw.between(0.95, 1.0));
        // Towards the middle.
        s.bodies[i].velocity =
            [0, 1, 2].map(|a| drift[a] + (0.0282 - position[a]) * 20.0 + draw.between(-0.1, 0.1));
        s.bodies[i].angular_velocity = [0; 3].map(|_| draw.between(-20.0, 20.0));
    }
    let momentum = |bodies: &[BodyRow]| -> Vector3 {
        bodies
            .iter()
            .map(|b| Vector3::from(b.velocity) * b.mass)
            .sum()
    };
    let size: f64 = s
        .bodies
        .iter()
        .map(|b| b.mass * Vector3::from(b.velocity).norm())
        .sum();
    let energy: f64 = s
        .bodies
        .iter()
        .map(|b| 0.5 * b.mass * Vector3::from(b.velocity).norm_squared())
        .sum();
    for ranks in RANKS {
        let state = s.run_on(ranks, 1, if drifting { 20 } else { 8 });
        assert!(state.contacts.len() > 200 && state.all_converged());
        let wrapped = state.bodies.iter().filter(|b| b.image != [0; 3]).count();
        assert!(!drifting || wrapped > 20, "{wrapped} bodies went round");
        let change = (momentum(&state.bodies) - momentum(&s.bodies)).norm() / size;
        assert!(change < 1e-13, "{ranks} ranks: {change:e}");
        for done in &state.done {
            let gap = (done.lost - done.dissipated).abs() / energy;
            assert!(gap < 1e-12, "{ranks} ranks: {gap:e}");
        }
    }
}

/// H1: where forces are unique they are the same on any ranks: a column's, to 1e-8 of its weight; and those of a pile on springs with
/// friction, rolling and torsion friction, step by step.
#[test]
fn h1_unique_forces() {
    let n = 12;
    let mut column = Scene::new([-1.5, -1.5, 0.0], [1.5, 1.5, 26.0], 1e-3);
    column.plane([0.0; 3], [0.0, 0.0, 1.0]);
    column.gravity = Vector3::new(0.0, 0.0, -9.81);
    column.solver.block_edge = Some(2.3);
    column.solver.tolerance = 1e-12;
    column.solver.max_sweeps = 100_000;
    column.solver.exchange = Exchange::Sweep;
    for k in 0..n {
        column.sphere([0.0, 0.0, 1.0 + 2.0 * k as f64], 1.0, 1.0);
    }
    for ranks in RANKS {
        column.ranks = Some([1, 1, ranks]);
        let state = column.run_on(ranks, 1, 1);
        for c in &state.contacts {
            let above = (n as f64) - (c.point[2] / 2.0).round();
            let force = c.impulse[2].abs() / (9.81 * column.dt);
            assert!(
                (force - above).abs() < 1e-8 * n as f64,
                "{ranks} ranks: {force} for {above}"
            );
        }
    }

    let mut pile = falling(4, 5, 8);
    let mut pair = Pair::coulomb(0.5);
    pair.rolling = Arm::Reduced(0.05);
    pair.torsion = Arm::Reduced(0.03);
    pair.compliance = 1e-5;
    pile.pair = Some(pair);
    let before = pile.run(120);
    let mut pile = from(&pile, &before, 120);
    pile.solver.tolerance = 1e-10;
    pile.solver.max_sweeps = 100_000;
    let expected = pile.run(3);
    assert!(expected.all_converged());
    pile.solver.exchange = Exchange::Sweep;
    let largest = (expected.contacts.iter())
        .map(|c| Vector3::from(c.impulse).norm())
        .fold(0.0, f64::max);
    for ranks in [2, 4, 8] {
        let state = pile.run_on(ranks, 1, 3);
        assert!(state.all_converged());
        for (c, d) in state.contacts.iter().zip(&expected.contacts) {
            assert_eq!(c.key, d.key);
            let error = (Vector3::from(c.impulse) - Vector3::from(d.impulse)).norm() / largest;
            assert!(error < 1e-6, "{ranks} ranks: {error:e}");
        }
    }
}

/// A column with each contact on a rank of its own is Jacobi's method with every ball cut in half: after each sweep the errors e of the
/// forces are `e − D⁻¹ W e`, W being `1/m` times (1 at the floor, else 2; −1 beside the diagonal) and D what a contact sees of its
/// bodies: `2/m` of each ball that has two contacts, `1/m` of the uppermost. The slowest error falls as the largest eigenvalue says.
#[test]
fn a_contact_a_rank_is_damped_jacobi() {
    let n = 8;
    let mut s = Scene::new([-1.5, -1.5, -1.0], [1.5, 1.5, 15.8], 1e-4);
    s.plain_sweeps(); // Momentum is another method.
    s.plane([0.0; 3], [0.0, 0.0, 1.0]);
    s.gravity = Vector3::new(0.0, 0.0, -9.81);
    s.solver.block_edge = Some(2.1);
    s.solver.skin = Some(0.01);
    s.solver.tolerance = 1e-13;
    s.solver.exchange = Exchange::Sweep;
    s.ranks = Some([1, 1, n]);
    for k in 0..n {
        s.sphere([0.0, 0.0, 1.0 + 2.0 * k as f64], 1.0, 1.0);
    }
    let mut errors = |sweeps: u64| -> Vec<f64> {
        s.solver.max_sweeps = sweeps;
        let state = s.run_on(n, 1, 1);
        assert_eq!(state.contacts.len(), n);
        let mut all: Vec<f64> = vec![0.0; n];
        for c in &state.contacts {
            let j = (c.point[2] / 2.0).round() as usize;
            all[j] = c.impulse[2].abs() / (9.81 * s.dt) - (n - j) as f64;
        }
        all
    };
    let model = |e: &[f64]| -> Vec<f64> {
        let at = |j: usize| e.get(j).copied().unwrap_or(0.0);
        let one = |j: usize| {
            let below = if j == 0 { 0.0 } else { at(j - 1) };
            let (of_w, seen) = match j {
                0 => (1.0, 2.0),
                _ if j == n - 1 => (2.0, 3.0),
                _ => (2.0, 4.0),
            };
            at(j) - (of_w * at(j) - below - at(j + 1)) / seen
        };
        (0..n).map(one).collect()
    };
    // Sweep by sweep from the start, where no force is.
    let mut expected: Vec<f64> = (0..n).map(|j| -((n - j) as f64)).collect();
    for sweeps in 1..=40 {
        expected = model(&expected);
        for (e, x) in errors(sweeps).iter().zip(&expected) {
            assert!((e - x).abs() < 1e-9, "after {sweeps} sweeps: {e} for {x}");
        }
    }
}

/// Few bodies on a rank: 48 on 8, of which each has some, still converge in every step, and take at most three times the sweeps of one rank.
#[test]
fn few_bodies_on_a_rank_converge() {
    let mut s = falling(4, 3, 9);
    s.solver.tolerance = 1e-3;
    let serial = s.run(150);
    s.solver.exchange = Exchange::Sweep;
    s.ranks = Some([2, 2, 2]);
    let state = s.run_on(8, 1, 150);
    assert!(serial.all_converged() && state.all_converged());
    for bodies in [&s.bodies, &state.bodies] {
        let partition = s.partition(8);
        let owner = |b: &BodyRow| partition.owner_of_point(&Vector3::from(b.position));
        let mut owners: Vec<usize> = bodies.iter().map(owner).collect();
        owners.sort_unstable();
        owners.dedup();
        assert_eq!(owners, [0, 1, 2, 3, 4, 5, 6, 7], "a rank has nothing to do");
    }
    let sweeps = |s: &State| s.done.iter().map(|d| d.outcome.sweeps).sum::<u64>();
    let (one, eight) = (sweeps(&serial), sweeps(&state));
    assert!(eight < 3 * one, "{eight} sweeps for {one}");
}

/// Inner passes: the same bits on any ranks, the same unique forces, fewer sweeps.
#[test]
fn inner_passes_save_sweeps() {
    let s = falling(4, 6, 5);
    let before = s.run(130);
    let mut s = from(&s, &before, 130);
    s.solver.tolerance = 1e-4;
    s.solver.max_sweeps = 5000;
    let sweeps = |s: &State| s.done.iter().map(|d| d.outcome.sweeps).sum::<u64>();
    let plain = s.run(10);
    s.solver.inner_passes = 3;
    let serial = s.run(10);
    assert!(plain.all_converged() && serial.all_converged());
    let (one, three) = (sweeps(&plain), sweeps(&serial));
    assert!(
        10 * three < 8 * one,
        "{three} sweeps of three passes for {one}"
    );
    for ranks in [2, 4, 8] {
        assert!(s.run_on(ranks, 1, 10).same_bits(&serial), "{ranks} ranks");
    }

    let mut pair = Pair::coulomb(0.5);
    pair.compliance = 1e-5;
    s.pair = Some(pair);
    s.solver.tolerance = 1e-10;
    s.solver.max_sweeps = 100_000;
    let three = s.run(1);
    s.solver.inner_passes = 1;
    let one = s.run(1);
    let size = |c: &ContactRow| Vector3::from(c.impulse).norm();
    let largest = one.contacts.iter().map(size).fold(0.0, f64::max);
    for (c, d) in three.contacts.iter().zip(&one.contacts) {
        let error = (Vector3::from(c.impulse) - Vector3::from(d.impulse)).norm() / largest;
        assert!(c.key == d.key && error < 1e-6, "{error:e}");
    }
}

/// The projection of positions takes overlaps away on any ranks in this mode too: bodies at cuts are pushed by all their contacts. Overlaps beyond
/// `g Δt²/2`, which it leaves, are a tenth of what they were without it; the largest exceeds that by less than half.
#[test]
fn projection_takes_overlaps_away_across_cuts() {
    for plain in [true, false] {
        let mut s = falling(4, 6, 9);
        if plain {
            s.plain_sweeps();
        }
        s.solver.tolerance = 1e-2;
        s.solver.exchange = Exchange::Sweep;
        let slack = 0.5 * s.gravity.norm() * s.dt * s.dt;
        let overlaps = |state: &State| {
            let each = || state.contacts.iter().map(|c| (-c.gap - slack).max(0.0));
            [each().sum(), each().fold(0.0_f64, f64::max)]
        };
        let start = s.run(100);
        let s = from(&s, &start, 100);
        for ranks in [1, 3, 8] {
            let mut s = s.clone();
            s.solver.projection.sweeps = 0;
            let without = overlaps(&s.run_on(ranks, 1, 60));
            s.solver.projection.sweeps = 5;
            let with = overlaps(&s.run_on(ranks, 1, 60));
            let what = format!("plain {plain}, {ranks} ranks: {without:?} -> {with:?}");
            println!("{what}");
            assert!(with[0] < 0.1 * without[0], "{what}");
            assert!(with[1] < 0.5 * slack, "{what}");
        }
    }
}

/// Restitution by Hertz's law with dashpots, in contacts whose bodies are split: a step from the same state gives the velocities of one rank.
#[test]
fn dashpots_of_hertz_across_cuts() {
    let mut s = falling(4, 6, 5);
    s.pair = Some(Pair {
        restitution: 0.5,
        hertz: Elasticity::of([[1e-5, 0.3]; 2]),
        ..Pair::coulomb(0.3)
    });
    let before = s.run(130);
    let mut s = from(&s, &before, 130);
    s.solver.tolerance = 1e-12;
    s.solver.exchange = Exchange::Sweep;
    let one = s.run(1);
    assert!(one.all_converged());
    let pressed = one.contacts.iter().filter(|c| c.status != 0).count();
    assert!(pressed > 50, "{pressed} contacts");
    let fastest = (one.bodies.iter()).map(|b| Vector3::from(b.velocity).norm());
    let fastest = fastest.fold(0.0, f64::max);
    for ranks in RANKS {
        let state = s.run_on(ranks, 1, 1);
        assert!(state.all_converged(), "{ranks} ranks");
        for (a, b) in one.bodies.iter().zip(&state.bodies) {
            let off = (Vector3::from(a.velocity) - Vector3::from(b.velocity)).norm();
            assert!(off < 1e-8 * fastest, "{ranks} ranks: {off}");
        }
    }
}
