//! The solver's kernels by themselves: one contact, one sweep. `cargo bench` prints times and items per second.
//!
//! Absolute times are this machine's; compare two commits on one machine, run one after the other, several times.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use moreau::bench::{Packing, one_sweep};
use moreau::law::{Arm, Pair, Parameters, solve};
use moreau::math::Vector3;
use moreau::solver::lanes::Width;

fn main() {
    divan::main();
}

/// Bodies: a cube of so many on a side, on a perturbed lattice so dense that each touches some of its neighbours.
const SIDES: [usize; 4] = [10, 20, 30, 46];

/// One contact: the law alone.
#[divan::bench]
fn one_contact(bencher: Bencher) {
    let law = Parameters {
        normal: Vector3::new(0.6, 0.0, 0.8),
        closing_speed: 0.01,
        normal_mass: 1e-3,
        tangential_mass: 3e-4,
        friction: 0.5,
    };
    let (impulse, velocity) = (Vector3::new(1e-5, 0.0, 1e-5), Vector3::new(0.1, 0.2, -0.5));
    bencher
        .counter(ItemsCount::new(1usize))
        .bench(|| solve(black_box(&law), black_box(&impulse), black_box(&velocity)));
}

/// One sweep of the plain kernel, its random order included; items are contact updates.
#[divan::bench(args = SIDES)]
fn sweep(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Pair::coulomb(0.5), None);
}

/// The same with the widest vector registers.
#[divan::bench(args = SIDES)]
fn sweep_widest(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Pair::coulomb(0.5), Some(Width::Widest));
}

/// The same with at most four lanes.
#[divan::bench(args = SIDES)]
fn sweep_four(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Pair::coulomb(0.5), Some(Width::Four));
}

/// The same with the code of the vector registers, but one lane.
#[divan::bench(args = SIDES)]
fn sweep_one(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Pair::coulomb(0.5), Some(Width::One));
}

/// The same with rolling and torsion friction.
#[divan::bench(args = SIDES)]
fn sweep_rolling(bencher: Bencher, side: usize) {
    let pair = Pair {
        rolling: Arm::Reduced(0.1),
        torsion: Arm::Reduced(0.1),
        ..Pair::coulomb(0.5)
    };
    sweep_by(bencher, side, pair, Some(Width::Widest));
}

fn sweep_by(bencher: Bencher, side: usize, pair: Pair, width: Option<Width>) {
    let packing = Packing::new(side);
    let (mut blocks, contacts) = (packing.filled(pair, 1)).expect("one thread needs no pool");
    let mut members = packing.bodies.members();
    let mut number = 0;
    bencher.counter(ItemsCount::new(contacts)).bench_local(|| {
        number += 1;
        one_sweep(&mut blocks, &mut members, width, number);
    });
}
