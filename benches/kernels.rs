//! The solver's kernels by themselves: one contact, one sweep. `cargo bench` prints times and items per second.
//!
//! Absolute times are this machine's; compare two commits on one machine, run one after the other, several times.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use moreau::body::{Bodies, BodyId, BodyRow, Member};
use moreau::contact::Candidate;
use moreau::detect::candidates;
use moreau::law::PairTable;
use moreau::law::coulomb::{Parameters, solve};
use moreau::math::Vector3;
use moreau::rng::{Purpose, Stream};
use moreau::shape::Period;
use moreau::shape::sphere_volume;
use moreau::solver::GapRule;
use moreau::solver::blocks::{Block, Blocks, Filling, Share};
use moreau::solver::grid::BlockGrid;
use moreau::solver::kernel::{plain_sweep, sweep as fast_sweep};
use moreau::solver::lanes::Width;
use moreau::solver::nsgs::draw_order;
use moreau::solver::pushed::Pushed;

fn main() {
    divan::main();
}

/// Bodies: a cube of so many on a side, on a perturbed lattice so dense that each touches some of its neighbours.
const SIDES: [usize; 3] = [10, 20, 46];

const DT: f64 = 1e-3;

struct Packing {
    bodies: Bodies,
    grid: BlockGrid,
}

impl Packing {
    fn new(side: usize) -> Self {
        let r = 0.005;
        let row = |k: usize| {
            let mut draw = Stream::new(Purpose::Trial, 1, [k as u64, 0, 0]);
            let site = [k % side, k / side % side, k / side / side];
            let radius = r * draw.between(0.9, 1.1);
            let position = site.map(|i| (i as f64 + draw.between(0.45, 0.55)) * 2.0 * r);
            let mass = 2500.0 * sphere_volume(radius);
            BodyRow {
                velocity: [0; 3].map(|_| draw.between(-0.1, 0.1)),
                ..BodyRow::sphere(BodyId(k as u64), position, radius, mass)
            }
        };
        let rows: Vec<BodyRow> = (0..side * side * side).map(row).collect();
        let upper = Vector3::repeat(side as f64 * 2.0 * r);
        Self {
            bodies: Bodies::from_rows(&rows),
            grid: BlockGrid::new(Vector3::zeros(), upper, 8.0 * 1.1 * r, [false; 3]),
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        candidates(&self.bodies, &[], 0.001, &Period::NONE, |_| true)
    }
}

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
    sweep_by(bencher, side, None);
}

/// The same with the widest vector registers.
#[divan::bench(args = SIDES)]
fn sweep_widest(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Some(Width::Widest));
}

/// The same with at most four lanes.
#[divan::bench(args = SIDES)]
fn sweep_four(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Some(Width::Four));
}

/// The same with the code of the vector registers, but one lane.
#[divan::bench(args = SIDES)]
fn sweep_one(bencher: Bencher, side: usize) {
    sweep_by(bencher, side, Some(Width::One));
}

fn sweep_by(bencher: Bencher, side: usize, width: Option<Width>) {
    let packing = Packing::new(side);
    let found = packing.candidates();
    let mut blocks = Blocks::new(1).expect("one thread needs no pool");
    let filling = Filling {
        bodies: &packing.bodies,
        walls: &[],
        states: &[],
        states_before: &[],
        pushed: &Pushed::default(),
        pairs: &PairTable::of_friction(&[0.5]),
        gap: GapRule::Positive,
        grid: &packing.grid,
        dt: DT,
        draw: (1, 0),
    };
    blocks.fill(&found, &filling, |_| None);
    let mut members = packing.bodies.members();
    let mut number = 0;
    bencher
        .counter(ItemsCount::new(found.len()))
        .bench_local(|| {
            number += 1;
            blocks.each(
                &mut members,
                &|block: &mut Block, members: &mut [Member]| {
                    draw_order(block, 1, 0, number);
                    let Block { batches, order, .. } = block;
                    let change = match width {
                        None => plain_sweep(batches, order, members),
                        Some(width) => fast_sweep(width, batches, order, members),
                    };
                    Share {
                        sums: [change],
                        largest: 0.0,
                    }
                },
            )
        });
}
