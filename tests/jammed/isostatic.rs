//! How many contacts hold a packing of thousands without friction.

use crate::experiment::{Run, go_on, mean, plot, run_all};
use crate::networks::held;
use crate::scene::{record, record_fact};
use crate::{SEEDS, pressed, set};
use bytemuck::Zeroable;
use moreau::comm::threads;
use moreau::contact::ContactRow;
use moreau::io::{Snapshot, checkpoint};
use moreau::problem::{self, Method, Settings, Solution};
use moreau::sim::{self, Exported};

/// What forces are to be solved to (see [`moreau::problem::merit::siconos_error`]).
const TOLERANCE: f64 = 1e-11;

/// Lengths of the steps in which a packing comes to rest [s], and how far apart surfaces may be in which a contact is looked for [m]. A packing that is
/// still loose goes farther in a longer step, and past neighbours that are not looked for: shorter ones come first.
const LENGTHS: [(f64, f64); 4] = [(0.01, 1e-4), (0.03, 1e-4), (0.1, 1e-3), (0.3, 1e-3)];

/// Steps of each length.
const EACH: usize = 3;

/// The contact problem of the next step with these keys set, solved by an interior-point method.
fn solved(run: &Run, keys: &[String]) -> (Exported, Solution) {
    let exported = sim::export(&run.out(), keys).unwrap();
    let settings = Settings {
        tolerance: TOLERANCE,
        max_seconds: 600.0,
        method: Method::Interior,
        ..Settings::default()
    };
    let solution = problem::solve(&exported.problem, None, &settings);
    println!(
        "C2: {} contacts, error {:e} in {:.0} s, {:?}",
        exported.contacts.len(),
        solution.error,
        solution.seconds,
        solution.log
    );
    (exported, solution)
}

/// The state of a run with all velocities taken away, and with forces to begin the next step with.
fn still(run: &Run, with: Option<(&Exported, &Solution)>) -> Run {
    let mut state = run.state();
    for body in &mut state.bodies {
        (body.velocity, body.angular_velocity) = ([0.0; 3], [0.0; 3]);
    }
    for wall in &mut state.walls {
        wall.velocity = [0.0; 3];
    }
    if let Some((exported, solution)) = with {
        state.header.dt = exported.dt;
        let each = exported.contacts.iter().zip(solution.impulse.chunks(3));
        let contacts = each.map(|(contact, impulse)| ContactRow {
            key: contact.key,
            normal: contact.frame[0].into(),
            impulse: (contact.frame[0] * impulse[0]).into(),
            status: u64::from(impulse[0] > 0.0),
            ..ContactRow::zeroed()
        });
        state.contacts = contacts.collect();
    }
    let snapshot = Snapshot {
        header: state.header,
        bodies: state.bodies,
        contacts: state.contacts,
        walls: state.walls,
        flows: state.flows,
        anchors: state.anchors,
        wear: state.wear,
    };
    let rest = Run::empty();
    std::fs::create_dir(rest.out()).unwrap();
    threads::run(1, |comm| {
        checkpoint::write(comm, &rest.out(), &snapshot).unwrap();
    });
    rest
}

/// A step of a packing that comes to rest.
struct Step {
    dt: f64,
    /// Contacts beyond `3 N − 1`.
    beyond: f64,
    /// The residual of the program's own sweeps.
    residual: f64,
    /// Gaps at the start of the step of the contacts that carry a force: what 99 % of them are below, and the widest [m].
    gaps: [f64; 2],
}

/// C2 with 5200 spheres: as many contacts as ways to move, `3 N + 1 − 2` (see [`crate::c2_without_friction_packings_are_isostatic`]). Where a
/// packing is that near to loose, sweeps stay at 1e-4 for ever, as the least eigenvalue of its W goes with 1/N²: each step starts with the forces
/// of its problem, exported and solved from within, which the sweeps then judge. What inertia holds up has no contact yet: steps start from rest and
/// are so long that it holds up nothing: in the longest the mean force would take a sphere seven metres. That is how packings are brought to
/// their limit by linear programmes; what is told of the gaps says how far the packing still shifts.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c2_isostatic_with_thousands() {
    let length = |dt: f64, skin: f64| {
        set(&[
            ("time.dt", format!("{{ at_most = {dt}, at_least = {dt} }}")),
            ("time.until", "100.0".to_owned()),
            // M = 60 000 kg/s² Δt²: under its load F the piston alone would fall by F Δt²/M, a third of a millimetre, whatever the length.
            ("wall.1.free.mass", (6e4 * dt * dt).to_string()),
            ("solver.gap", "\"full\"".to_owned()),
            ("solver.projection", "0".to_owned()),
            ("solver.skin", skin.to_string()),
            ("solver.tolerance", "1e-8".to_owned()),
            ("solver.max_sweeps", "5000".to_owned()),
            ("output.series", "1".to_owned()),
        ])
    };
    let found = run_all(SEEDS, |seed| {
        let mut run = pressed(0.0, 0.0, seed);
        let mut steps = Vec::new();
        for (dt, skin) in LENGTHS {
            let keys = length(dt, skin);
            for _ in 0..EACH {
                let rest = still(&run, None);
                let (exported, solution) = solved(&rest, &keys);
                assert!((exported.dt / dt - 1.0).abs() < 1e-12, "{}", exported.dt);
                assert!(solution.error <= TOLERANCE, "{:?}", solution.log);
                let begin = still(&rest, Some((&exported, &solution)));
                run = go_on(&begin, &keys, exported.step);
                let [sweeps, residual] =
                    ["sweeps", "residual"].map(|of| run.last("series.csv", of));
                let state = run.state();
                let (bodies, contacts) = held(&state);
                let beyond = contacts as f64 - (3.0 * bodies as f64 - 1.0);
                let carry = state.contacts.iter().filter(|c| c.status != 0);
                let mut gaps: Vec<f64> = carry.map(|c| c.gap).collect();
                gaps.sort_by(f64::total_cmp);
                let gaps = [gaps[gaps.len() * 99 / 100], gaps[gaps.len() - 1]];
                println!(
                    "C2: seed {seed}, {dt} s: {bodies} held by {contacts}, {beyond} beyond; {sweeps} sweeps, residual {residual:e}; gaps {gaps:?} m"
                );
                assert!(bodies > 4500, "what is held is no packing");
                steps.push(Step {
                    dt,
                    beyond,
                    residual,
                    gaps,
                });
            }
        }
        steps
    });
    let rows = found.iter().flat_map(|steps| {
        let each = (1..).zip(steps);
        each.map(|(number, step)| vec![f64::from(number), step.dt, step.beyond])
    });
    plot("c2", "step,dt,beyond", &rows.collect::<Vec<_>>());
    let all = || found.iter().flatten();
    let converged = all().all(|step| step.residual <= 1e-8);
    record_fact("C2", "forces of 5200 spheres converged to 1e-8", converged);
    let last: Vec<&Step> = found.iter().map(|steps| &steps[steps.len() - 1]).collect();
    let [most, widest] = [0, 1].map(|k| last.iter().map(|step| step.gaps[k]).fold(0.0, f64::max));
    println!("C2: gaps of contacts that carry: 99 % below {most:e} m, the widest {widest:e} m");
    let beyond: Vec<f64> = last.iter().map(|step| step.beyond).collect();
    let (number, error) = mean(&beyond);
    println!("C2: 5200 spheres, contacts beyond 3 N − 1: {number:.2} ± {error:.2}");
    let most = beyond.iter().map(|x| x.abs()).fold(0.0, f64::max);
    record(
        "C2",
        "contacts beyond 3 N - 1 of 5200 spheres, the farthest of five seeds",
        most,
        0.0,
        2.0,
    );
}
