//! Detection from positions to candidates, beside the plain search. `cargo bench --bench detection` prints times, bodies per
//! second, and, of the same work under the name of `candidates`, candidates per second.
//!
//! Absolute times are this machine's; compare the two searches in one run.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use moreau::body::{Bodies, BodyId, BodyRow};
use moreau::contact::Candidate;
use moreau::detect::{Detector, Space, plain};
use moreau::pool::Pool;
use moreau::rng::{Purpose, Stream};
use moreau::shape::{Period, sphere_volume};
use std::fmt;

fn main() {
    divan::main();
}

/// Radius of the largest bodies, about [m].
const RADIUS: f64 = 0.005;

/// What is searched.
#[derive(Clone, Copy)]
enum Case {
    /// A cube of so many bodies on a side, on a perturbed lattice so dense that each touches some of its neighbours, radii
    /// within a tenth, ids along the lattice.
    Lattice(usize),
    /// The same, ids in no order: bodies that have long been mixed.
    Mixed(usize),
    /// 100 000 bodies at random in a space that they would fill to 0.6, of radii in a ratio, volumes uniform over the
    /// logarithm of the radius.
    Sizes(usize),
}

const CASES: [Case; 6] = [
    Case::Lattice(10),
    Case::Lattice(20),
    Case::Lattice(46),
    Case::Mixed(46),
    Case::Sizes(10),
    Case::Sizes(100),
];

/// Where one grid for all sizes is not out of the question.
const PLAIN: [Case; 4] = [
    Case::Lattice(10),
    Case::Lattice(20),
    Case::Lattice(46),
    Case::Mixed(46),
];

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lattice(side) => write!(f, "alike {}", side.pow(3)),
            Self::Mixed(side) => write!(f, "mixed ids {}", side.pow(3)),
            Self::Sizes(ratio) => write!(f, "1:{ratio}"),
        }
    }
}

impl Case {
    /// The bodies, and the margin [m]: a fifth of the smallest radius, about.
    fn bodies(self) -> (Bodies, f64) {
        let (rows, margin): (Vec<BodyRow>, f64) = match self {
            Self::Lattice(side) | Self::Mixed(side) => {
                let mut sites: Vec<usize> = (0..side * side * side).collect();
                if let Self::Mixed(_) = self {
                    Stream::new(Purpose::Trial, 2, [0; 3]).shuffle(&mut sites);
                }
                let row = |(id, &k): (usize, &usize)| {
                    let mut draw = Stream::new(Purpose::Trial, 1, [k as u64, 0, 0]);
                    let site = [k % side, k / side % side, k / side / side];
                    let radius = RADIUS * draw.between(0.9, 1.1);
                    let position =
                        site.map(|i| (i as f64 + draw.between(0.45, 0.55)) * 2.0 * RADIUS);
                    BodyRow::sphere(BodyId(id as u64), position, radius, 1.0)
                };
                (sites.iter().enumerate().map(row).collect(), 0.2 * RADIUS)
            }
            Self::Sizes(ratio) => {
                let mut draw = Stream::new(Purpose::Trial, 3, [ratio as u64, 0, 0]);
                let smallest = RADIUS / ratio as f64;
                let rest = 1.0 - (ratio as f64).powi(-3);
                let radii: Vec<f64> = (0..100_000)
                    .map(|_| smallest / (1.0 - draw.unit() * rest).cbrt())
                    .collect();
                let volume: f64 = radii.iter().map(|&r| sphere_volume(r)).sum();
                let side = (volume / 0.6).cbrt();
                let row = |(id, &radius): (usize, &f64)| {
                    let position = [0; 3].map(|_| draw.between(0.0, side));
                    BodyRow::sphere(BodyId(id as u64), position, radius, 1.0)
                };
                (radii.iter().enumerate().map(row).collect(), 0.2 * smallest)
            }
        };
        (Bodies::from_rows(&rows), margin)
    }
}

/// The search as a run does it, step after step in the same memory.
fn search(bencher: Bencher, case: Case, items: impl Fn(&Bodies, &[Candidate]) -> usize) {
    let (bodies, margin) = case.bodies();
    let space = Space {
        walls: &[],
        margin,
        period: &Period::NONE,
        templates: &[],
    };
    let (mut detector, mut found) = (Detector::default(), Vec::new());
    detector.detect(&bodies, &space, |_| true, &Pool::default(), &mut found);
    bencher
        .counter(ItemsCount::new(items(&bodies, &found)))
        .bench_local(|| {
            detector.detect(
                black_box(&bodies),
                &space,
                |_| true,
                &Pool::default(),
                &mut found,
            );
            found.len()
        });
}

/// Items are bodies.
#[divan::bench(args = CASES)]
fn bodies(bencher: Bencher, case: Case) {
    search(bencher, case, |bodies, _| bodies.len());
}

/// Items are candidates.
#[divan::bench(args = CASES)]
fn candidates(bencher: Bencher, case: Case) {
    search(bencher, case, |_, found| found.len());
}

/// The plain search; items are bodies.
#[divan::bench(args = PLAIN)]
fn plain_bodies(bencher: Bencher, case: Case) {
    let (bodies, margin) = case.bodies();
    bencher
        .counter(ItemsCount::new(bodies.len()))
        .bench(|| plain::candidates(black_box(&bodies), &[], margin, &Period::NONE, |_| true));
}
