//! Bonds: deflections, frequencies and strengths against formulas, the ledger, the same bits on any
//! ranks and after a restart while bonds break.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

#[path = "bonds/edges.rs"]
mod edges;
#[path = "bonds/made.rs"]
mod made;
mod scene;

use moreau::body::{BodyId, BodyKind};
use moreau::law::Pair;
use moreau::law::bond::{Beam, Begin, Between, Four, Glue, Joint, Radius, Stiffness, Strength};
use moreau::math::Vector3;
use moreau::measure::{kinetic_energy, potential_energy};
use moreau::scheme::acts::{Field, Pull};
use moreau::shape::{HalfSpace, Period, Region, Spell};
use nalgebra::DMatrix;
use scene::{Scene, State, record, record_fact};

const UNBREAKABLE: Four = Four {
    normal: f64::INFINITY,
    tangential: f64::INFINITY,
    bending: f64::INFINITY,
    twisting: f64::INFINITY,
};

/// The stiffnesses of validation F4.
const STIFFNESS: Four = Four {
    normal: 1.0,
    tangential: 2.0,
    bending: 5.0,
    twisting: 4.0,
};

fn glue(strength: Four) -> Glue {
    Glue {
        between: Between::Materials([0, 0]),
        begin: Begin::At(0.0),
        gap: 1e-6,
        stiffness: Stiffness::Given(STIFFNESS),
        strength: Strength::Each(strength),
    }
}

/// `n` free balls of radius 1 m and mass 1 kg in a row along x, glued to each other and the first to
/// a fixed one at the origin.
fn cantilever(n: usize, dt: f64, strength: Four) -> Scene {
    let length = 2.0 * n as f64;
    let mut s = Scene::new([-8.0, -16.0, -16.0], [length + 8.0, 16.0, 16.0], dt);
    s.pair = Some(Pair::coulomb(0.5));
    s.bonds = vec![glue(strength)];
    for k in 0..=n {
        s.sphere([2.0 * k as f64, 0.0, 0.0], 1.0, 1.0);
    }
    s.bodies[0].kind = BodyKind::Fixed as u32;
    s
}

/// Lets a force act on the balls beyond x.
fn push(s: &mut Scene, x: f64, force: Vector3) {
    s.acts.fields.push(Field {
        region: Some(Region::HalfSpace(HalfSpace {
            point: Vector3::new(x, 0.0, 0.0),
            normal: Vector3::x(),
        })),
        spell: Spell::ALWAYS,
        pull: Pull::Force(force),
        factor: None,
    });
}

/// Validation F4: the deflection of a cantilever by a load at its tip, at rest after a few steps of
/// implicit Euler, which are far longer than the period of its slowest vibration.
#[test]
fn f4_deflection_of_a_cantilever() {
    for (n, expected) in [(1, 0.7), (3, 8.5), (6, 60.2)] {
        let load = 1e-6;
        let mut s = cantilever(n, 10.0, UNBREAKABLE);
        s.solver.max_sweeps = 200_000;
        push(&mut s, 2.0 * n as f64 - 0.5, Vector3::z() * load);
        let state = s.run(80);
        assert!(state.all_converged());
        let found = state.bodies[n].position[2] / load;
        let name = format!("deflection of a cantilever of {n} balls");
        record("F4", &name, found, expected, 1e-6 * expected);
    }
}

/// A beam's stiffnesses over its length, and a row of glued balls that is such a beam: given as a
/// beam it moves as with the four numbers, and its tip sinks by what Timoshenko's formula says of so
/// many joints.
#[test]
fn a_row_of_bonds_is_a_beam() {
    let beam = Beam {
        young: 3.0,
        shear: 1.25,
        radius: Radius::Length(0.8),
    };
    let four = Stiffness::Beam(beam).over([1.0, 1.0]);
    let area = std::f64::consts::PI * 0.64;
    let second_moment = area * 0.64 / 4.0;
    let expected = [
        3.0 * area / 2.0,
        1.25 * area / 2.0,
        3.0 * second_moment / 2.0,
        2.5 * second_moment / 2.0,
    ];
    let found = [four.normal, four.tangential, four.bending, four.twisting];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-15 * expected,
            "{found} for {expected}"
        );
    }
    let (n, load) = (6, 1e-6);
    let run = |stiffness| {
        // Softer than F4's bonds, so that longer steps are needed to come to rest.
        let mut s = cantilever(n, 100.0, UNBREAKABLE);
        s.bonds[0].stiffness = stiffness;
        s.solver.max_sweeps = 200_000;
        push(&mut s, 2.0 * n as f64 - 0.5, Vector3::z() * load);
        s.run(80)
    };
    let state = run(Stiffness::Beam(beam));
    assert!(state.all_converged());
    // Balls that touch: their bond is as long as two radii.
    assert!(run(Stiffness::Given(four)).same_bits(&state));
    // Joints in the middle of each length L = 2 m: F (n/k_t + Σ ((n − j + ½) L)²/k_b), which is
    // Timoshenko's F X³/(3 E I) (1 − 1/(4 n²)) + F X/(G A) with X = n L.
    let (x, share) = (2.0 * n as f64, 1.0 - 0.25 / (n * n) as f64);
    let bent = x.powi(3) / (3.0 * beam.young * second_moment) * share;
    let expected = bent + x / (beam.shear * area);
    let found = state.bodies[n].position[2] / load;
    assert!(
        (found - expected).abs() < 1e-6 * expected,
        "{found} for {expected}"
    );
}

/// Validation F4: a row that is held at one end and turned at the other twists evenly,
/// `M = k_twist φ/n`.
#[test]
fn f4_twist_of_a_row() {
    let (n, speed, dt) = (5, 1e-6, 10.0);
    let mut s = cantilever(n, dt, UNBREAKABLE);
    s.bodies[n].kind = BodyKind::Driven as u32;
    s.bodies[n].angular_velocity = [speed, 0.0, 0.0];
    s.solver.max_sweeps = 200_000;
    let steps = 40;
    let state = s.run(steps);
    assert!(state.all_converged());
    let angle = speed * dt * steps as f64;
    for contact in &state.contacts {
        let moment = contact.couple_impulse[0] / dt;
        // A steady rate of twist needs no couple but the springs': the balls' inertia is 0.4 kg m².
        let expected = STIFFNESS.twisting * angle / n as f64;
        record(
            "F4",
            "moment of a twisted row",
            moment.abs(),
            expected,
            1e-6 * expected,
        );
    }
}

/// The lowest bending frequency [rad/s] of the row and its mode, deflections before rotations, by the
/// stiffness matrix of [004 eq. 6.1.7] in one plane.
fn bending_mode(n: usize) -> (f64, Vec<f64>) {
    let (k_t, k_b, inertia) = (STIFFNESS.tangential, STIFFNESS.bending, 0.4f64);
    let mut k = DMatrix::<f64>::zeros(2 * n, 2 * n);
    for bond in 0..n {
        // Ball `bond` of the row, from 1, and the one before it.
        let places = [bond.checked_sub(1), Some(bond)];
        // Slip w_b − w_a − (φ_a + φ_b) of radius 1, and bend φ_b − φ_a.
        let slip = [(-1.0, -1.0), (1.0, -1.0)];
        let bend = [-1.0, 1.0];
        for (i, p) in places.iter().enumerate() {
            for (j, q) in places.iter().enumerate() {
                if let (Some(p), Some(q)) = (p, q) {
                    k[(*p, *q)] += k_t * slip[i].0 * slip[j].0;
                    k[(*p, n + q)] += k_t * slip[i].0 * slip[j].1;
                    k[(n + p, *q)] += k_t * slip[i].1 * slip[j].0;
                    k[(n + p, n + q)] += k_t * slip[i].1 * slip[j].1 + k_b * bend[i] * bend[j];
                }
            }
        }
    }
    let root = |i: usize| if i < n { 1.0 } else { inertia.sqrt() };
    let scaled = DMatrix::from_fn(2 * n, 2 * n, |i, j| k[(i, j)] / (root(i) * root(j)));
    let eigen = scaled.symmetric_eigen();
    let lowest = eigen.eigenvalues.imin();
    let mode = eigen.eigenvectors.column(lowest);
    let mode = (0..2 * n).map(|i| mode[i] / root(i)).collect();
    (eigen.eigenvalues[lowest].sqrt(), mode)
}

/// The first bending frequency of a bonded beam is that of its stiffness matrix.
#[test]
fn a_bonded_beam_vibrates_as_its_stiffness_matrix_says() {
    let n = 5;
    let (omega, mode) = bending_mode(n);
    let dt = 0.01 / omega;
    let mut s = cantilever(n, dt, UNBREAKABLE);
    for k in 0..n {
        // In the x–z plane a rotation φ about −y lifts what lies ahead in x.
        s.bodies[k + 1].velocity[2] = 1e-6 * mode[k];
        s.bodies[k + 1].angular_velocity[1] = -1e-6 * mode[n + k];
    }
    let mut scheme = Vec::new();
    let quarter = (0.5 * std::f64::consts::PI / (omega * dt)) as u64;
    for steps in [2 * quarter - 20, 2 * quarter + 20] {
        let state = s.run(steps);
        scheme.push((steps as f64 * dt, state.bodies[n].position[2]));
    }
    // The deflection passes zero after half a period.
    let [(t0, z0), (t1, z1)] = scheme[..] else {
        unreachable!()
    };
    assert!(z0 * z1 < 0.0, "{z0} at {t0} s, {z1} at {t1} s");
    let half = t0 + (t1 - t0) * z0 / (z0 - z1);
    let found = std::f64::consts::PI / half;
    record(
        "F4",
        "first bending frequency of five glued balls",
        found,
        omega,
        0.01 * omega,
    );
}

/// Each strength is met within the load of one step: a ball between a fixed one and one that is
/// driven, slowly, along, across, in bending and in twist.
#[test]
fn bonds_break_at_their_strength() {
    let dt = 10.0;
    let cases: [(&str, Vector3, Vector3); 4] = [
        ("tension", Vector3::x(), Vector3::zeros()),
        ("shear", Vector3::z(), Vector3::zeros()),
        ("bending", Vector3::zeros(), Vector3::y()),
        ("twist", Vector3::zeros(), Vector3::x()),
    ];
    for (which, (name, velocity, spin)) in cases.into_iter().enumerate() {
        let strength = 1e-5;
        let mut limits = [f64::INFINITY; 4];
        limits[which] = strength;
        let [normal, tangential, bending, twisting] = limits;
        let strengths = Four {
            normal,
            tangential,
            bending,
            twisting,
        };
        let mut s = cantilever(2, dt, strengths);
        s.bodies[2].kind = BodyKind::Driven as u32;
        s.bodies[2].velocity = (velocity * 5e-9).into();
        s.bodies[2].angular_velocity = (spin * 5e-9).into();
        let load = |state: &State| -> f64 {
            let each = state.contacts.iter().map(|c| {
                let n = Vector3::from(c.normal);
                let [r, t] = [c.impulse, c.couple_impulse].map(|v| Vector3::from(v) / dt);
                match which {
                    0 => -r.dot(&n),
                    1 => (r - n * r.dot(&n)).norm(),
                    2 => (t - n * t.dot(&n)).norm(),
                    _ => t.dot(&n).abs(),
                }
            });
            each.fold(0.0, f64::max)
        };
        let whole = |state: &State| state.contacts.iter().all(|c| c.state.joint.is_whole());
        let mut loads = Vec::new();
        let mut at = s.clone();
        let mut broken = None;
        for step in 0..5000 {
            let state = at.run(1);
            loads.push(load(&state));
            if !whole(&state) {
                broken = Some(step);
                break;
            }
            at.start = Some((step + 1, state.walls.clone(), state.done[0].elastic));
            at.bodies = state.bodies;
            at.contacts = state.contacts;
        }
        let broken = broken.unwrap_or_else(|| panic!("{name}: no bond broke, load {loads:?}"));
        let last = loads[loads.len() - 1];
        let before = loads[loads.len() - 2];
        assert!(broken > 12, "{name}: {broken}");
        // It breaks in the step in which its force reaches the strength, which it never exceeds.
        assert!(
            before < strength && (last - strength).abs() <= 1e-12 * strength,
            "{name}: {before} {last}"
        );
        let a_step = 1.05 * (loads[10] - loads[9]).abs();
        record(
            "F4",
            &format!("load at which a bond breaks, {name}"),
            last,
            strength,
            a_step,
        );
    }
}

/// Balls that fall on each other, are glued where they touch, and torn apart again.
fn sticky_heap() -> Scene {
    let mut s = Scene::poured(4, 4, 91);
    s.solver.tolerance = 1e-6;
    s.solver.max_sweeps = 200;
    s.bonds = vec![Glue {
        between: Between::Materials([0, 0]),
        begin: Begin::Contact,
        gap: 0.0,
        stiffness: Stiffness::Given(Four {
            normal: 2e3,
            tangential: 1e3,
            bending: 0.02,
            twisting: 0.02,
        }),
        strength: Strength::Each(Four {
            normal: 0.15,
            tangential: 0.15,
            bending: 3e-4,
            twisting: 3e-4,
        }),
    }];
    s
}

fn counted(state: &State) -> (usize, usize) {
    let whole = state.contacts.iter().filter(|c| c.state.joint.is_whole());
    let broken = (state.contacts.iter()).filter(|c| c.state.joint.glue == Joint::BROKEN);
    (whole.count(), broken.count())
}

#[test]
fn the_same_bits_on_any_ranks_and_after_a_restart_while_bonds_break() {
    let s = sticky_heap();
    let steps = 80;
    let one = s.run(steps);
    let (whole, broken) = counted(&one);
    assert!(whole > 5 && broken > 5, "{whole} whole, {broken} broken");
    for ranks in [2, 3, 4, 8] {
        let many = s.run_on(ranks, 1, steps);
        record_fact(
            "bonds",
            &format!("the same bits on {ranks} ranks"),
            many.same_bits(&one),
        );
    }
    let half = s.run(40);
    let mut rest = s.clone();
    rest.start = Some((40, half.walls.clone(), half.done[39].elastic));
    rest.references.clone_from(&half.references);
    rest.bodies = half.bodies;
    rest.contacts = half.contacts;
    let resumed = rest.run_on(3, 1, steps - 40);
    let same = resumed.bodies == one.bodies && resumed.contacts == one.contacts;
    record_fact("bonds", "the same bits after a restart", same);
}

/// C15 with bonds: the ledger closes, and the energy in springs that break is in it.
#[test]
fn the_ledger_closes_while_bonds_break() {
    let s = sticky_heap();
    let energy = |bodies: &[moreau::body::BodyRow]| {
        let period = Period::of_box(&s.lower, &s.upper, s.periodic);
        kinetic_energy(bodies).value() + potential_energy(bodies, &s.gravity, &period).value()
    };
    let mut at = s.clone();
    let (mut fracture, mut broken_before) = (0.0, 0);
    for step in 0..80 {
        let state = at.run(1);
        let report = &state.done[0];
        let work = report.outcome.work;
        let change = energy(&state.bodies) - energy(&at.bodies);
        let expected = work.driven + report.projected - report.integrator - work.taken();
        let scale = energy(&at.bodies)
            .abs()
            .max(kinetic_energy(&at.bodies).value());
        let off = (change - expected).abs() / scale;
        assert!(off < 1e-10, "step {step}: {off:e}");
        let (_, broken) = counted(&state);
        if work.fracture > 0.0 {
            assert!(broken > 0, "step {step}: springs broke, but no bond did");
        }
        assert!(work.fracture >= 0.0 && work.elastic >= 0.0);
        assert!(
            report.dissipated > -1e-10 * scale,
            "step {step}: {} J",
            report.dissipated
        );
        fracture += work.fracture;
        broken_before = broken.max(broken_before);
        at.start = Some((step + 1, state.walls.clone(), report.elastic));
        at.bodies = state.bodies;
        at.contacts = state.contacts;
    }
    assert!(
        broken_before > 5 && fracture > 0.0,
        "{broken_before} {fracture}"
    );
}

/// A bond that has broken does not heal while its bodies touch.
#[test]
fn a_broken_bond_stays_broken() {
    let weak = Four {
        normal: 1e-9,
        ..UNBREAKABLE
    };
    let mut s = cantilever(1, 1.0, weak);
    push(&mut s, 1.0, Vector3::x() * 1e-3);
    let torn = s.run(1);
    assert_eq!(counted(&torn), (0, 1));
    let mut back = s.clone();
    back.acts.fields.clear();
    push(&mut back, 1.0, Vector3::x() * -1.0);
    back.start = Some((1, torn.walls, torn.done[0].elastic));
    back.bodies = torn.bodies;
    back.contacts = torn.contacts;
    let pressed = back.run(20);
    assert_eq!(counted(&pressed), (0, 1));
    let push_back = pressed.impulse(BodyId(0), BodyId(1)).x;
    assert!(push_back > 0.9, "the contact pushes: {push_back} N s");
}

/// Bonds of a list join its pairs and no others, also across a gap wider than detection looks.
#[test]
fn bonds_of_a_list_join_across_a_gap() {
    let mut s = Scene::new([-4.0, -4.0, -4.0], [12.0, 4.0, 4.0], 1.0);
    s.sphere([0.0, 0.0, 0.0], 1.0, 1.0);
    s.sphere([2.6, 0.0, 0.0], 1.0, 1.0);
    s.sphere([5.2, 0.0, 0.0], 1.0, 1.0);
    s.bodies[0].kind = BodyKind::Fixed as u32;
    s.bonds = vec![Glue {
        between: Between::Pairs(vec![[0, 1]]),
        gap: 0.7,
        ..glue(UNBREAKABLE)
    }];
    push(&mut s, 2.0, Vector3::x() * 1e-2);
    let state = s.run(30);
    assert_eq!(counted(&state), (1, 0));
    for ranks in [2, 3] {
        assert!(s.run_on(ranks, 1, 30).same_bits(&state), "{ranks} ranks");
    }
    let pull = -state.impulse(BodyId(0), BodyId(1)).x;
    assert!(pull > 5e-3, "{pull} N s");
    let free = state.velocity(2).x;
    assert!(
        (free - 0.3).abs() < 1e-12,
        "the third ball falls freely: {free} m/s"
    );
}

/// Bonds from a file of pairs; those that could not be made are counted in the log.
#[test]
fn pairs_of_a_file_are_bonded_and_the_log_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    let config = |at: f64, gap: f64| {
        format!(
            "gravity = [0, 0, 0]\ntime = {{ dt = 1e-3, steps = 5 }}\n\
             domain = {{ lower = [0, 0, 0], upper = [1, 1, 1] }}\n\
             material = [{{ name = \"m\", density = 1e3, friction = 0.5 }}]\n\
             bodies = [{{ sample = \"lattice\", material = \"m\", lattice = \"sc\", jitter = 0.0, \
             count = 8, radius = 0.1, upper = [0.4, 0.4, 0.4] }}]\n\
             [[bond]]\npairs = \"pairs.csv\"\nat = {at}\ngap = {gap}\n\
             stiffness = {{ young = 1e6, shear = 4e5, radius = 0.05 }}\n"
        )
    };
    // 0 and 1 touch; 0 and 3 are 0.08 m apart.
    std::fs::write(folder.path().join("pairs.csv"), "a,b\n1,0\n0,3\n").unwrap();
    for (at, gap, expected) in [
        (0.0, 0.1, "moreau: bond.0 at 0 s: 2 bonds\n"),
        (
            0.002,
            1e-9,
            "moreau: WARNING: bond.0 at 0.002 s: 1 of 2 listed pairs are bonded",
        ),
    ] {
        let path = folder.path().join("glued.toml");
        std::fs::write(&path, config(at, gap)).unwrap();
        let out = folder.path().join(format!("out-{at}"));
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_moreau"));
        let done = command.arg("run").arg(&path).arg("--out").arg(&out);
        let done = done.output().unwrap();
        let log = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && log.contains(expected), "{log}");
    }
}
