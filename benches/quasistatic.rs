//! Quasi-static schemes against each other: `cargo bench --bench quasistatic`.
//!
//! Each line is a ratio of runs of the program, one after the other, or a count. Seconds are those
//! of cores (Linux: by `/proc`, in steps of 10 ms), start and end of the program included, unless a
//! line says otherwise. `-- --large` adds the cases that take minutes or gigabytes.

#[path = "quasistatic/lattice.rs"]
mod lattice;
#[path = "quasistatic/program.rs"]
mod program;

use lattice::Lattice;
use moreau::bench::{Packing, laws, one_sweep};
use moreau::math::ExactSum;
use program::{Done, run};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Two results of three runs in turns: those with the median of core-seconds.
fn paired(one: impl Fn() -> Done, other: impl Fn() -> Done) -> [Done; 2] {
    let runs: Vec<[Done; 2]> = (0..3).map(|_| [one(), other()]).collect();
    [0, 1].map(|k| {
        let mut of: Vec<Done> = runs.iter().map(|both| both[k]).collect();
        of.sort_by(|a, b| a.core_seconds.total_cmp(&b.core_seconds));
        of[1]
    })
}

/// Seconds of a call: the least of five.
fn seconds(mut call: impl FnMut()) -> f64 {
    let once = || {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(once)
        .take(5)
        .fold(f64::INFINITY, f64::min)
}

/// The keys of a linear system that is solved to a tolerance, held by almost nothing.
fn solved(tolerance: &str) -> Vec<String> {
    vec![
        format!("quasistatic.linear_tolerance={tolerance}"),
        // 1e-8 of the stiffness of a contact.
        "quasistatic.resistance=1e-2".to_owned(),
    ]
}

/// Seconds of a product with the stiffness: of cores, and of the clock.
///
/// They are the difference of two runs that solve the same systems to two tolerances.
fn of_product(lattice: &Lattice, ranks: usize) -> [f64; 2] {
    let of = |tolerance| run(lattice.config(), &solved(tolerance), ranks);
    let [rough, fine] = paired(|| of("1e-4"), || of("1e-10"));
    if rough.iterations != fine.iterations {
        println!(
            "  (iterations differ: {} and {})",
            rough.iterations, fine.iterations
        );
    }
    let products = fine.products - rough.products;
    [
        (fine.core_seconds - rough.core_seconds) / products,
        (fine.seconds - rough.seconds) / products,
    ]
}

/// Seconds of a product by the clock, while another program does the same.
///
/// Cores that share a memory slow each other down, however little they send each other.
fn at_once(lattice: &Lattice) -> f64 {
    std::thread::scope(|scope| {
        let both = [0; 2].map(|_| scope.spawn(|| of_product(lattice, 1)));
        let seconds = both.map(|one| one.join().expect("a run")[1]);
        0.5 * (seconds[0] + seconds[1])
    })
}

/// Conjugate gradients against sweeps and exact sums, at this number of balls along an edge.
fn products(side: usize) {
    let lattice = Lattice::of([side; 3]);
    let [product, _] = of_product(&lattice, 1);
    let contacts = lattice.contacts() as f64;
    let packing = Packing::new(side);
    let [_, (_, pair), _] = laws();
    let (mut blocks, count) = packing.filled(pair, 1).expect("one thread");
    let mut members = packing.bodies.members();
    let sweep = seconds(|| one_sweep(&mut blocks, &mut members, None, 1)) / count as f64;
    let times = product / contacts / sweep;
    println!(
        "CG iteration / plain sweep, per contact, {} balls: {times:.2} ({:.0} and {:.0} ns); bar: at most 2",
        lattice.bodies(),
        1e9 * product / contacts,
        1e9 * sweep
    );
    let numbers: Vec<f64> = (0..6 * lattice.bodies())
        .map(|k| 1.0 / (k + 1) as f64)
        .collect();
    let sums = seconds(|| {
        for _ in 0..3 {
            let bodies = numbers.chunks(6).zip(numbers.chunks(6));
            let each = bodies.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>());
            black_box(each.collect::<ExactSum>());
        }
    });
    println!(
        "exact sums in a CG iteration: {:.0} %; bar: at most 20 %",
        100.0 * sums / product
    );
}

/// The growth of iterations with the number of balls.
fn growth() {
    let of = |side: usize| {
        let done = run(Lattice::of([side; 3]).config(), &solved("1e-8"), 1);
        done.products / done.iterations
    };
    let [few, many] = [10, 40].map(of);
    let exponent = (many / few).ln() / 64_f64.ln();
    println!(
        "CG iterations of a system, 1000 and 64000 balls: {few:.0} and {many:.0}, N^{exponent:.2}; bar: at most N^0.4"
    );
}

/// The memory of a run: the median of five, as the system's allocator does not always return all.
fn memory() {
    let [small, large] = [[2, 2, 2], [40, 40, 40]].map(|sides| {
        let lattice = Lattice::of(sides);
        let mut each = [0; 5].map(|_| run::<&str>(lattice.config(), &[], 1).memory);
        each.sort_by(f64::total_cmp);
        (lattice.bodies(), each[2])
    });
    let each = (large.1 - small.1) / large.0 as f64;
    println!(
        "memory of a body, 64000 balls, one increment: {:.2} kB above the {:.0} MB of the program; bar: at most 1.5",
        1e-3 * each,
        1e-6 * small.1
    );
}

fn kishino(name: &str, config: &Path, keys: &[&str]) {
    let with = |scheme| [keys, &[scheme]].concat();
    let [bagi, kishino] = paired(
        || run(config, &with("scheme=bagi_bojtar"), 1),
        || run(config, &with("scheme=kishino"), 1),
    );
    println!(
        "kishino / bagi_bojtar, {name}: {:.1} core-seconds ({:.2} and {:.2} s; {:.0} relaxations)",
        kishino.core_seconds / bagi.core_seconds,
        kishino.core_seconds,
        bagi.core_seconds,
        kishino.products
    );
}

/// Cases that take minutes or gigabytes.
fn large() {
    let lattice = Lattice::of([71, 71, 1]);
    kishino(
        "5041 discs, one increment; bar: at least 10",
        lattice.config(),
        &[],
    );
    let lattice = Lattice::of([25; 3]);
    let direct = [solved("1e-8"), vec!["quasistatic.linear=direct".to_owned()]].concat();
    let iterative = run(lattice.config(), &solved("1e-8"), 1);
    let direct = run(lattice.config(), &direct, 1);
    println!(
        "direct / CG, {} balls: {:.1} core-seconds; bar: at least 5",
        lattice.bodies(),
        direct.core_seconds / iterative.core_seconds
    );
    let cases = [([37, 37, 37], 1), ([74, 37, 37], 2)];
    let lattice_of_a_rank = Lattice::of(cases[0].0);
    let [one, two] = cases.map(|(sides, ranks)| of_product(&Lattice::of(sides), ranks));
    println!(
        "weak efficiency of a product, two ranks of 50653 balls: {:.0} % by the clock, {:.0} % by cores; bar: at least 90 %",
        100.0 * one[1] / two[1],
        200.0 * one[0] / two[0]
    );
    println!(
        "the same of two programs at once, which send nothing: {:.0} % by the clock",
        100.0 * one[1] / at_once(&lattice_of_a_rank)
    );
    let lattice = Lattice::of([67; 3]);
    let done = run::<&str>(lattice.config(), &[], 2);
    println!(
        "one increment of {} balls on two ranks: {:.0} s, {} iterations, {} products, {:.2} GB",
        lattice.bodies(),
        done.seconds,
        done.iterations,
        done.products,
        1e-9 * done.memory
    );
}

fn main() {
    let biaxial = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/quasistatic-biaxial.toml");
    let seed = run(&biaxial, &["quasistatic.tangent=seed"], 1).iterations;
    let coulomb = run::<&str>(&biaxial, &[], 1).iterations;
    println!(
        "seed / coulomb: {:.2} iterations; bar: at least 2.5",
        seed / coulomb
    );
    kishino("200 discs, three increments", &biaxial, &["time.steps=3"]);
    kishino(
        "400 discs, ten increments; bar: at least 3",
        Lattice::of([20, 20, 1]).config(),
        &["time.steps=10"],
    );
    products(40);
    growth();
    memory();
    if std::env::args().any(|word| word == "--large") {
        large();
    }
}
