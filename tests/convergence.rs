//! How fast sweeps converge on a column of N equal balls on a floor, started cold, against the diffusion law of
//! [001 eq. 1.32–1.34] and its measured constants (validation B1, B2, B9).

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod scene;

use moreau::body::WallState;
use moreau::body::{Bodies, Member};
use moreau::contact::ContactRow;
use moreau::detect::candidates;
use moreau::law::{GapRule, PairTable, Step};
use moreau::math::{ExactSum, Vector3};
use moreau::rng::{Purpose, Stream};
use moreau::shape::Period;
use moreau::solver::blocks::{Block, Blocks, Filling, Share};
use moreau::solver::kernel::update;
use moreau::solver::nsgs::solve;
use moreau::solver::pushed::Pushed;
use moreau::solver::{Alone, Settings, grid::BlockGrid};
use scene::Scene;
use std::f64::consts::PI;

const G: f64 = 10.0;
const DT: f64 = 0.01;

/// Balls of unit radius and mass, one on the other from the floor up.
struct Column {
    members: Vec<Member>,
    blocks: Blocks,
    n: usize,
}

impl Column {
    fn new(n: usize, block_edge: f64) -> Self {
        Self::dealt(n, block_edge, 1)
    }

    /// The same with its contacts dealt to batches by a seed.
    fn dealt(n: usize, block_edge: f64, seed: u64) -> Self {
        Self::dealt_in(n, block_edge, (seed, 0))
    }

    /// The same by a seed and a step.
    fn dealt_in(n: usize, block_edge: f64, draw: (u64, u64)) -> Self {
        let height = 2.0 * n as f64 + 1.0;
        let mut s = Scene::new([-1.5, -1.5, 0.0], [1.5, 1.5, height], DT);
        s.plane([0.0; 3], [0.0, 0.0, 1.0]);
        for k in 0..n {
            s.sphere([0.0, 0.0, 1.0 + 2.0 * k as f64], 1.0, 1.0);
        }
        let mut bodies = Bodies::from_rows(&s.bodies);
        let grid = BlockGrid::new(s.lower, s.upper, block_edge, [false; 3]);
        let mut blocks = Blocks::new(1).unwrap();
        let found = candidates(&bodies, &s.walls, 0.1, &Period::NONE, |_| true);
        assert_eq!(found.len(), n);
        let filling = Filling {
            fall: 0.0,
            falls: &[],
            bodies: &bodies,
            twists: bodies.twists(),
            walls: &s.walls,
            states: &[WallState::default()],
            states_before: &[WallState::default()],
            pushed: &Pushed::default(),
            strain: None,
            split: &[],
            templates: &[],
            laws: &PairTable::of_friction(&[0.0]).into(),
            step: Step {
                dt: DT,
                rescale: 1.0,
                gap: GapRule::Positive,
                ..Step::default()
            },
            draw,
        };
        let laws = PairTable::of_friction(&[0.0]).into();
        let sides = (&bodies, &s.walls[..]);
        blocks.arrange_candidates(&found, &grid, sides, (&Pushed::default(), &laws));
        blocks.fill(&filling);
        let free = Vector3::new(0.0, 0.0, -G);
        for i in 0..n {
            bodies.twists_mut()[i] = bodies.free_velocity(i, &free, DT);
        }
        Self {
            members: bodies.members(),
            blocks,
            n,
        }
    }

    /// Contact forces from the floor up, in units of a ball's weight.
    fn forces(&self) -> Vec<f64> {
        let mut rows: Vec<ContactRow> = Vec::new();
        self.blocks.rows(&mut rows);
        rows.sort_by(|a, b| a.point[2].total_cmp(&b.point[2]));
        rows.iter().map(|c| c.impulse[2].abs() / (G * DT)).collect()
    }

    /// Largest error of a force, in units of the column's weight.
    fn error(&self) -> f64 {
        let exact = |j: usize| (self.n - j) as f64;
        let errors = self
            .forces()
            .into_iter()
            .enumerate()
            .map(|(j, r)| (r - exact(j)).abs());
        errors.fold(0.0, f64::max) / self.n as f64
    }

    /// One sweep from the floor up, or from the top down.
    fn ordered_sweep(&mut self, up: bool) {
        self.blocks.each(
            &mut self.members,
            &|block: &mut Block, members: &mut [Member]| {
                let mut order: Vec<(u32, f64)> = (block.each())
                    .map(|one| (one.slot, block.touch(one.index).point.z))
                    .collect();
                order.sort_by(|a, b| a.1.total_cmp(&b.1));
                if !up {
                    order.reverse();
                }
                let slots = order.into_iter().map(|(slot, _)| slot);
                let change = slots.fold(0.0, |so_far, slot| {
                    update(&mut block.batches, slot, members, so_far)
                });
                Share {
                    sums: [change],
                    largest: 0.0,
                }
            },
        );
    }

    /// So many sweeps over contacts in an order drawn from all orders, anew in each sweep: what the catalogue calls random.
    fn shuffled_sweeps(&mut self, sweeps: u64, seed: u64) {
        for sweep in 0..sweeps {
            self.blocks.each(
                &mut self.members,
                &|block: &mut Block, members: &mut [Member]| {
                    let mut slots = block.batches.slots().to_vec();
                    Stream::new(Purpose::Trial, seed, [sweep, 0, 0]).shuffle(&mut slots);
                    let change = slots.into_iter().fold(0.0, |so_far, slot| {
                        update(&mut block.batches, slot, members, so_far)
                    });
                    Share {
                        sums: [change],
                        largest: 0.0,
                    }
                },
            );
        }
    }

    /// So many sweeps of the solver itself: batches of eight contacts that share no body, in random order in each sweep.
    fn random_sweeps(&mut self, sweeps: u64, seed: u64) {
        let settings = Settings {
            tolerance: 1e-300,
            max_sweeps: sweeps,
            seed,
            ..Settings::plain_sweeps()
        };
        let bodies = [ExactSum::default(), ExactSum::default()];
        let outcome = solve(
            &mut self.blocks,
            &mut self.members,
            &Pushed::default(),
            &mut Alone,
            bodies,
            &settings,
            (0, (DT, &|_| {})),
        );
        assert_eq!(outcome.sweeps, sweeps);
    }
}

/// Wide enough for the whole column: one block, so the order is random over all contacts.
const ONE_BLOCK: f64 = 1e4;

/// Validation B8: which contacts share a batch is drawn anew for each step and seed, and is the same again for the same.
#[test]
fn b8_contacts_are_dealt_anew_in_each_step() {
    let slots = |draw| {
        let column = Column::dealt_in(60, ONE_BLOCK, draw);
        column.blocks.all()[0].batches.slots().to_vec()
    };
    let first = slots((1, 0));
    assert_eq!(first, slots((1, 0)));
    assert_ne!(first, slots((1, 1)));
    assert_ne!(first, slots((2, 0)));
}

/// The constant q of D = q N_I d²/dt from the decay of the slowest mode, exp(−q θ²) a sweep with θ = π/2N.
fn decay(first: f64, second: f64, sweeps: u64, n: usize) -> f64 {
    let theta = PI / (2.0 * n as f64);
    (first / second).ln() / (sweeps as f64 * theta * theta)
}

/// B1: q = 1 for ordered sweeps, up or down.
#[test]
fn b1_ordered_sweeps() {
    for up in [true, false] {
        let n = 160;
        let mut column = Column::new(n, ONE_BLOCK);
        (0..2 * n * n / 5).for_each(|_| column.ordered_sweep(up));
        let first = column.error();
        let more = n * n / 2;
        (0..more).for_each(|_| column.ordered_sweep(up));
        let q = decay(first, column.error(), more as u64, n);
        assert!((q - 1.0).abs() < 0.01, "up {up}: q = {q}");
    }
}

/// B1: q = 0.797 for random sweeps; between 0.75 and 0.85 when the randomness is made of batches, however they were dealt, and of
/// blocks of eight colours.
#[test]
fn b1_random_sweeps() {
    let n = 160;
    let (early, late) = (2 * n as u64 * n as u64 / 5, n as u64 * n as u64);
    let q = |edge: f64, sweep: &dyn Fn(&mut Column, u64)| {
        let mut column = Column::new(n, edge);
        sweep(&mut column, early);
        let first = column.error();
        sweep(&mut column, late - early);
        decay(first, column.error(), late - early, n)
    };
    let random = q(ONE_BLOCK, &|column, sweeps| {
        column.shuffled_sweeps(sweeps, 5 + sweeps)
    });
    assert!((random - 0.797).abs() < 0.02 * 0.797, "q = {random}");
    for (edge, seed) in [
        (ONE_BLOCK, 5),
        (ONE_BLOCK, 6),
        (8.0, 5),
        (8.0, 7),
        (20.0, 5),
    ] {
        let after = |sweeps| {
            let mut column = Column::dealt(n, edge, seed);
            column.random_sweeps(sweeps, seed);
            column.error()
        };
        let batches = decay(after(early), after(late), late - early, n);
        assert!(
            (0.75..0.85).contains(&batches),
            "blocks of {edge} radii, seed {seed}: q = {batches}"
        );
    }
}

/// Sweeps until the largest error is below 1 % of the column's weight.
fn sweeps_to_one_percent(n: usize, random: bool) -> f64 {
    if !random {
        let mut column = Column::new(n, ONE_BLOCK);
        let count = (1..).find(|_| {
            column.ordered_sweep(true);
            column.error() <= 0.01
        });
        return count.unwrap() as f64;
    }
    let (mut low, mut high) = (1, 4 * n as u64 * n as u64);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let mut column = Column::new(n, ONE_BLOCK);
        column.shuffled_sweeps(middle, 9);
        if column.error() <= 0.01 {
            high = middle
        } else {
            low = middle
        }
    }
    high as f64
}

/// B2: n(ε) = 4N²/(π² q) ln(8/(π² ε)): at ε = 0.01 1.782 N² for ordered sweeps, 2.236 N² for random ones; slope 2.
#[test]
fn b2_sweeps_to_accuracy() {
    for n in [40, 80] {
        let expected = 1.782 * (n * n) as f64;
        let sweeps = sweeps_to_one_percent(n, false);
        assert!(
            (sweeps / expected - 1.0).abs() < 0.01,
            "N = {n}: {sweeps}, expected {expected}"
        );
        let expected = 2.236 * (n * n) as f64;
        let sweeps = sweeps_to_one_percent(n, true);
        assert!(
            (sweeps / expected - 1.0).abs() < 0.02,
            "N = {n}, random: {sweeps}, expected {expected}"
        );
    }
    let (few, many) = (
        sweeps_to_one_percent(10, false),
        sweeps_to_one_percent(160, false),
    );
    let slope = (many / few).ln() / 16f64.ln();
    assert!((slope - 2.0).abs() < 0.02, "slope {slope}");
}

/// B9: one ordered sweep on a cold column of 8: from the floor up R_j = 2^-(j-1), from the top down only the floor's.
#[test]
fn b9_bias_of_one_ordered_sweep() {
    let mut up = Column::new(8, ONE_BLOCK);
    up.ordered_sweep(true);
    for (j, r) in up.forces().into_iter().enumerate() {
        assert!(
            (r - 0.5f64.powi(j as i32)).abs() < 1e-12,
            "contact {j}: {r}"
        );
    }
    let mut down = Column::new(8, ONE_BLOCK);
    down.ordered_sweep(false);
    for (j, r) in down.forces().into_iter().enumerate() {
        assert!(
            (r - if j == 0 { 1.0 } else { 0.0 }).abs() < 1e-12,
            "contact {j}: {r}"
        );
    }
    // Random sweeps lie between: each contact's mean force is below that of the upward sweep, and not zero.
    let mut mean = [0.0; 8];
    for seed in 0..10_000 {
        let mut column = Column::new(8, ONE_BLOCK);
        column.shuffled_sweeps(1, seed);
        mean.iter_mut()
            .zip(column.forces())
            .for_each(|(m, r)| *m += r / 1e4);
    }
    assert!(
        (mean[0] - 1.0).abs() < 1e-9,
        "the floor's first answer is always one ball's weight: {}",
        mean[0]
    );
    // The force climbs one ball only where the lower contact comes first: 1/j! of all orders, too few beyond the sixth.
    for (j, m) in mean.iter().enumerate().take(6).skip(1) {
        assert!(
            *m > 0.0 && *m < 0.5f64.powi(j as i32),
            "contact {j}: mean {m}"
        );
    }
}
