//! How many contacts hold a packing of thousands without friction.

use crate::experiment::{Run, go_on, mean, plot, run_all};
use crate::networks::held;
use crate::scene::{record, record_fact};
use crate::{SEEDS, pressed, set};
use bytemuck::Zeroable;
use moreau::comm::threads;
use moreau::contact::ContactRow;
use moreau::io::{Snapshot, checkpoint};
use moreau::sim::{self, Exported};
use moreau::solver::delassus::{self, Method, Settings, Solution};

/// What forces are to be solved to, in units of all of q, which is some 60 times as large as they are.
const TOLERANCE: f64 = 1e-10;

/// Lengths of the steps in which a packing comes to rest [s], and how far apart surfaces may be in which a contact is looked for [m]; how many there
/// are of each. Shorter ones first: a packing that is still loose would go farther in a long one than gaps are straight, and what shifts in a long
/// one goes farther.
const LENGTHS: [(f64, f64); 4] = [(0.01, 1e-4), (0.03, 1e-4), (0.1, 1e-3), (0.3, 1e-3)];
const EACH: usize = 3;

/// The contact problem of the next step, solved by an interior-point method.
fn solved(run: &Run) -> (Exported, Solution) {
    let exported = sim::export(&run.out()).unwrap();
    let settings = Settings {
        tolerance: TOLERANCE,
        max_seconds: 600.0,
        method: Method::Interior,
        ..Settings::default()
    };
    let solution = delassus::solve(&exported.problem, Some(&exported.impulse), &settings);
    println!(
        "C2: step {}: {} contacts, error {:e} in {:.0} s, {:?}",
        exported.step,
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
    };
    let rest = Run::empty();
    std::fs::create_dir(rest.out()).unwrap();
    threads::run(1, |comm| {
        checkpoint::write(comm, &rest.out(), &snapshot).unwrap();
    });
    rest
}

/// C2 with 5200 spheres: as many contacts as ways to move, `3 N + 1 − 2` (see [`crate::c2_without_friction_packings_are_isostatic`]). Where a
/// packing is that near to loose, sweeps stay at 1e-4 for ever, as the least eigenvalue of its W goes with 1/N²: each step starts with the forces
/// of its problem, exported and solved from within, and takes them as they are. What inertia holds up has no contact yet: steps are so long that
/// it holds up nothing, and start from rest. A load on a piston of little mass would have it fall through the packing in such a step, before
/// forces are known, so it is heavy.
#[test]
#[ignore = "slow: jobs/validate.sh runs it"]
fn c2_isostatic_with_thousands() {
    let length = |dt: f64, skin: f64| {
        set(&[
            ("time.dt", format!("{{ at_most = {dt}, at_least = {dt} }}")),
            ("time.until", "100.0".to_owned()),
            // Left alone it would fall as far in a step of any length.
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
            // A step with the new length by sweeps alone; the problem of the next one has it.
            let next = run.state().header.step + 1;
            run = go_on(&still(&run, None), &length(dt, skin), next);
            for _ in 0..EACH {
                let rest = still(&run, None);
                let (exported, solution) = solved(&rest);
                let begin = still(&rest, Some((&exported, &solution)));
                run = go_on(&begin, &[], exported.step);
                let [sweeps, residual] =
                    ["sweeps", "residual"].map(|of| run.last("series.csv", of));
                let (bodies, contacts) = held(&run.state());
                let beyond = contacts as f64 - (3.0 * bodies as f64 - 1.0);
                println!(
                    "C2: seed {seed}, {dt} s: {bodies} held by {contacts}, {beyond} beyond; {sweeps} sweeps, residual {residual:e}"
                );
                assert!(bodies > 4500, "what is held is no packing");
                steps.push((dt, beyond, residual));
            }
        }
        steps
    });
    let rows = found.iter().flat_map(|steps| {
        let each = (1..).zip(steps);
        each.map(|(step, (dt, beyond, _))| vec![f64::from(step), *dt, *beyond])
    });
    plot("c2", "step,dt,beyond", &rows.collect::<Vec<_>>());
    let last = found.iter().flat_map(|steps| steps.last());
    let (many, residuals): (Vec<f64>, Vec<f64>) =
        last.map(|(_, of, residual)| (of, residual)).unzip();
    let (of, error) = mean(&many);
    println!("C2: 5200 spheres, contacts beyond 3 N − 1: {of:.2} ± {error:.2}");
    let converged = residuals.iter().all(|residual| *residual <= 1e-8);
    record_fact("C2", "forces of 5200 spheres converged to 1e-8", converged);
    let most = many.iter().map(|x| x.abs()).fold(0.0, f64::max);
    record(
        "C2",
        "contacts beyond 3 N - 1 of 5200 spheres, the farthest of five seeds",
        most,
        0.0,
        2.0,
    );
}
