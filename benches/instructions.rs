//! Instructions per update, counted by valgrind's callgrind: the same on a busy machine as on an idle one, so that a change that
//! costs a few per cent is seen, where times scatter by a quarter.
//!
//! ```sh
//! cargo bench --bench instructions                # prints case,instructions_per_update
//! cargo bench --bench instructions -- --check     # fails where one has grown by more than 3 %
//! cargo bench --bench instructions -- --write     # renews benches/instructions.csv
//! ```
//!
//! A case is run twice, with few and with many repetitions; the difference of the two counts, over that of their updates, is free
//! of what comes before. Valgrind knows AVX2 but not AVX-512: under it the widest registers are those of four lanes. Compilers
//! change counts, so the table names its compiler, and with another one `--check` only warns.

use moreau::bench::{DT, Kernel, Packing, RADIUS, laws, one_sweep};
use moreau::body::{BodyRow, Reference};
use moreau::comm::threads;
use moreau::detect::Detector;
use moreau::domain::{Domain, migration::Parcel, partition::Partition};
use moreau::law::{Pair, PairTable};
use moreau::math::Vector3;
use moreau::scheme::pace::Pace;
use moreau::scheme::{Physics, Report, Scheme, State, StepError};
use moreau::solver::accelerate::Acceleration;
use moreau::solver::lanes::Width;
use moreau::solver::{Order, Settings, merit};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Bodies on a side of the packing.
const SIDE: usize = 10;

/// Repetitions of the two runs of a case.
const REPETITIONS: [u64; 2] = [2, 6];

/// What a count may grow by.
const GROWTH: f64 = 0.03;

/// Sweeps of a whole step.
const SWEEPS: u64 = 10;

/// Runs a case so many times; returns how many updates that was.
type Case = fn(u64) -> u64;

/// Each counts contacts, if its name does not say otherwise.
const CASES: [(&str, Case); 12] = [
    ("sweep plain", |n| sweeps(n, 0, None)),
    ("sweep four lanes", |n| sweeps(n, 0, Some(Width::Four))),
    ("sweep widest", |n| sweeps(n, 0, Some(Width::Widest))),
    ("sweep compliant", |n| sweeps(n, 1, Some(Width::Widest))),
    ("sweep rolling and torsion", |n| {
        sweeps(n, 2, Some(Width::Widest))
    }),
    ("judge", judge),
    ("fill blocks", fill),
    ("detect (per body)", detect),
    ("step of ten sweeps", |n| {
        step(n, Order::Sweep, Acceleration::NONE, false)
    }),
    ("the same with momentum", |n| {
        step(n, Order::Step, Acceleration::MOMENTUM, false)
    }),
    ("the same with a new plan", |n| {
        step(n, Order::Step, Acceleration::MOMENTUM, true)
    }),
    ("the same with records brought", |n| {
        brought(n, Order::Step, Acceleration::MOMENTUM)
    }),
];

fn law(k: usize) -> Pair {
    laws()[k].1
}

fn sweeps(n: u64, pair: usize, kernel: Kernel) -> u64 {
    let packing = Packing::new(SIDE);
    let (mut blocks, contacts) = (packing.filled(law(pair), 1)).expect("one thread needs no pool");
    let mut members = packing.bodies.members();
    for number in 0..n {
        one_sweep(&mut blocks, &mut members, kernel, number);
    }
    n * contacts as u64
}

fn judge(n: u64) -> u64 {
    let packing = Packing::new(SIDE);
    let (mut blocks, contacts) = (packing.filled(law(0), 1)).expect("one thread needs no pool");
    let mut members = packing.bodies.members();
    for _ in 0..n {
        black_box(merit::violation(&mut blocks, &mut members, Width::Widest));
    }
    n * contacts as u64
}

fn fill(n: u64) -> u64 {
    let packing = Packing::new(SIDE);
    let (mut blocks, contacts) = (packing.filled(law(0), 1)).expect("one thread needs no pool");
    for _ in 0..n {
        packing.fill(&mut blocks, law(0));
    }
    n * contacts as u64
}

fn detect(n: u64) -> u64 {
    let packing = Packing::new(SIDE);
    let (mut detector, mut found) = (Detector::default(), Vec::new());
    for _ in 0..n {
        packing.detect(&mut detector, &mut found);
        black_box(&found);
    }
    n * packing.bodies.len() as u64
}

/// Steps with a plan that is kept, or with a new plan in each.
fn step(n: u64, order: Order, acceleration: Acceleration, anew: bool) -> u64 {
    steps(n, order, acceleration, |scheme, state, domain| {
        if anew {
            let forget = |row: &mut BodyRow| row.reference = Reference::default();
            state.parcel.bodies.iter_mut().for_each(forget);
        }
        scheme.step_keeping(state, domain)
    })
}

/// Steps whose contacts are asked for.
fn brought(n: u64, order: Order, acceleration: Acceleration) -> u64 {
    steps(n, order, acceleration, |scheme, state, domain| {
        scheme.step(state, domain)
    })
}

/// Each step of as many sweeps, as nothing is within the tolerance.
fn steps(
    n: u64,
    order: Order,
    acceleration: Acceleration,
    one: impl Fn(&mut Scheme, &mut State, &Domain) -> Result<Report, StepError> + Sync,
) -> u64 {
    let physics = Physics {
        pace: Pace::Even(DT),
        until: None,
        gravity: Vector3::new(0.0, 0.0, -9.81),
        laws: PairTable::new(1, |_, _| law(0)).into(),
        templates: Vec::new(),
        walls: Vec::new(),
        solver: Settings {
            tolerance: 1e-12,
            max_sweeps: SWEEPS,
            order,
            acceleration,
            ..Settings::default()
        },
        largest_radius: 1.1 * RADIUS,
        large: moreau::body::Large::default(),
        skin: 0.05 * RADIUS,
        delete_outside: false,
        acts: moreau::scheme::acts::Acts::default(),
        planar: false,
        statics: None,
        cell: None,
    };
    let parcel = Parcel {
        bodies: Packing::rows(SIDE),
        contacts: Vec::new(),
    };
    let grid = Packing::new(SIDE).grid().clone();
    let upper = Vector3::repeat(SIDE as f64 * 2.0 * RADIUS);
    let lower = Vector3::zeros();
    let partition = Partition::new(lower, upper, grid, 1, &physics.gravity);
    let counts = threads::run(1, |comm| {
        let domain = Domain::new(comm, partition.clone());
        let mut state = State::new(&physics, 0, parcel.clone());
        let mut scheme = Scheme::new(physics.clone(), 1).expect("one thread needs no pool");
        let mut contacts = 0;
        for _ in 0..n {
            one(&mut scheme, &mut state, &domain).expect("a step that goes well");
            let [all, _] = scheme.count_contacts(&state);
            contacts += all as u64;
        }
        contacts
    });
    counts[0]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|a| a == name);
    if let [run, name, n] = &arguments[..]
        && run == "--run"
    {
        let case = CASES.iter().find(|(known, _)| known == name);
        let (Some((_, case)), Ok(n)) = (case, n.parse()) else {
            eprintln!("instructions: no case {name} {n}");
            return ExitCode::FAILURE;
        };
        println!("{}", case(n));
        return ExitCode::SUCCESS;
    }
    match counted().and_then(|table| told(&table, has("--check"), has("--write"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("instructions: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// All cases, in order.
fn counted() -> Result<Vec<(&'static str, f64)>, String> {
    let each = CASES.iter().map(|(name, _)| {
        let [few, many] = REPETITIONS.map(|n| run(name, n));
        let ((few, of_few), (many, of_many)) = (few?, many?);
        Ok((*name, (many - few) as f64 / (of_many - of_few) as f64))
    });
    each.collect()
}

/// Instructions and updates of a case.
fn run(name: &str, n: u64) -> Result<(u64, u64), String> {
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args(["--run", name, &n.to_string()])
        .output()
        .map_err(|e| format!("valgrind: {e}; accepted: a machine that has it"))?;
    let [out, log] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let collected = log
        .lines()
        .find_map(|line| line.split("Collected :").nth(1));
    let numbers = (collected.and_then(|n| n.trim().parse().ok()))
        .zip(out.trim().parse().ok())
        .filter(|_| output.status.success());
    numbers.ok_or_else(|| format!("{name}: valgrind tells no count:\n{log}"))
}

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.csv")
}

/// Of what compiles here.
fn compiler() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let told = Command::new(rustc).arg("--version").output();
    told.map_or_else(
        |_| "an unknown compiler".to_owned(),
        |told| String::from_utf8_lossy(&told.stdout).trim().to_owned(),
    )
}

/// Prints the table, and compares it or keeps it.
fn told(table: &[(&str, f64)], check: bool, write: bool) -> Result<(), String> {
    let mut text = format!("# {}\ncase,instructions_per_update\n", compiler());
    for (name, count) in table {
        text += &format!("{name},{count:.2}\n");
    }
    print!("{text}");
    let path = reference();
    if write {
        return std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()));
    }
    if !check {
        return Ok(());
    }
    let known = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let faults = grown(&known, table)?;
    if faults.is_empty() {
        println!("none has grown by more than 3 %");
        return Ok(());
    }
    let faults = faults.join("\n");
    if !known.starts_with(&format!("# {}\n", compiler())) {
        eprintln!("instructions: WARNING, counts of another compiler than this one's:\n{faults}");
        return Ok(());
    }
    Err(format!(
        "more than in {}:\n{faults}\naccepted: at most 3 % more; where it is worth it, renew the table with --write",
        path.display()
    ))
}

/// The cases whose counts have grown too much, or that only one of the two tables has.
fn grown(known: &str, table: &[(&str, f64)]) -> Result<Vec<String>, String> {
    let mut before = BTreeMap::new();
    for line in known.lines().skip(2) {
        let (name, count) = line.rsplit_once(',').ok_or(format!("no count in {line}"))?;
        let count: f64 = count.parse().map_err(|_| format!("no count in {line}"))?;
        before.insert(name, count);
    }
    let mut faults = Vec::new();
    for (name, count) in table {
        match before.remove(name) {
            Some(then) if *count <= then * (1.0 + GROWTH) => {}
            Some(then) => faults.push(format!("{name}: {then:.2}, now {count:.2}")),
            None => faults.push(format!("{name}: not in the table")),
        }
    }
    faults.extend(
        before
            .keys()
            .map(|name| format!("{name}: only in the table")),
    );
    Ok(faults)
}
