//! `moreau bench`: speed of the sweep and of detection, compared with the bandwidth of the memory.

use crate::body::{Bodies, BodyId, BodyRow, Member};
use crate::contact::Candidate;
use crate::detect::{Detector, Space, candidates};
use crate::law::{Arm, GapRule, Laws, Pair, PairTable, Step};
use crate::math::Vector3;
use crate::pool::Pool;
use crate::rng::{Purpose, Stream};
use crate::shape::{Period, sphere_volume};
use crate::solver::accelerate::Point;
use crate::solver::batch::{Batch, Couple, LANES, Line};
use crate::solver::blocks::{Block, Blocks, Filling, Share};
use crate::solver::grid::BlockGrid;
use crate::solver::kernel::plain_sweep;
use crate::solver::lanes::Width;
use crate::solver::nsgs::Sweep;
use crate::solver::order::draw_order;
use crate::solver::pushed::Pushed;
use std::hint::black_box;
use std::time::Instant;

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The measured case: `sweep` with the law, or `detection`.
    pub case: String,
    /// Bodies.
    pub bodies: usize,
    /// Candidate contacts.
    pub contacts: usize,
    /// `plain`, `fast` or `cells`.
    pub kernel: &'static str,
    /// Vector registers: `scalar`, `avx2`, `avx512`, `neon`.
    pub simd: &'static str,
    /// Threads.
    pub threads: usize,
    /// Contact updates per second; for detection bodies per second.
    pub updates_per_s: f64,
    /// Bytes of contacts and bodies moved per update: each read once, and changes written back.
    pub bytes_per_update: f64,
    /// Bandwidth of this machine's memory on one core, measured in the same run [B/s].
    pub triad_bytes_per_s: f64,
}

impl Figure {
    /// The names of the columns.
    pub const COLUMNS: [&str; 10] = [
        "case",
        "bodies",
        "contacts",
        "kernel",
        "simd",
        "threads",
        "updates_per_s",
        "bytes_per_update",
        "triad_bytes_per_s",
        "fraction_of_bound",
    ];

    /// Fraction of the memory bandwidth that the updates use if the cache holds nothing.
    #[must_use]
    pub fn fraction_of_bound(&self) -> f64 {
        self.updates_per_s * self.bytes_per_update / (self.triad_bytes_per_s * self.threads as f64)
    }

    /// The values of the columns.
    #[must_use]
    pub fn values(&self) -> [String; 10] {
        [
            self.case.clone(),
            self.bodies.to_string(),
            self.contacts.to_string(),
            self.kernel.to_owned(),
            self.simd.to_owned(),
            self.threads.to_string(),
            format!("{:.3e}", self.updates_per_s),
            format!("{:.0}", self.bytes_per_update),
            format!("{:.2e}", self.triad_bytes_per_s),
            format!("{:.3}", self.fraction_of_bound()),
        ]
    }
}

/// Bandwidth of the memory on one core [B/s]: `a ← b + s c` over arrays far larger than caches.
///
/// The best of several measurements counts.
#[must_use]
pub fn triad() -> f64 {
    const N: usize = 12_000_000;
    let (mut a, b, c) = (vec![0.0f64; N], vec![1.0f64; N], vec![2.0f64; N]);
    let once = || {
        let begin = Instant::now();
        for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
            *a = b + 3.0 * c;
        }
        black_box(&mut a);
        (3 * 8 * N) as f64 / begin.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(once).take(5).fold(0.0, f64::max)
}

/// Balls in a perturbed cubic lattice, so dense that each touches some of its neighbours.
#[derive(Debug)]
pub struct Packing {
    /// The balls.
    pub bodies: Bodies,
    grid: BlockGrid,
    margin: f64,
}

/// Mean radius of the balls [m].
pub const RADIUS: f64 = 0.005;

/// Time step [s].
pub const DT: f64 = 1e-3;

impl Packing {
    /// A packing with `side` balls along an edge of the cube.
    #[must_use]
    pub fn new(side: usize) -> Self {
        let upper = Vector3::repeat(side as f64 * 2.0 * RADIUS);
        Self {
            bodies: Bodies::from_rows(&Self::rows(side)),
            grid: BlockGrid::new(Vector3::zeros(), upper, 8.0 * 1.1 * RADIUS, [false; 3]),
            margin: 0.5 * RADIUS,
        }
    }

    /// Its balls as rows.
    #[must_use]
    pub fn rows(side: usize) -> Vec<BodyRow> {
        let row = |k: usize| {
            let mut draw = Stream::new(Purpose::Trial, 1, [k as u64, 0, 0]);
            let site = [k % side, k / side % side, k / side / side];
            let radius = RADIUS * draw.between(0.9, 1.1);
            let position = site.map(|i| (i as f64 + draw.between(0.45, 0.55)) * 2.0 * RADIUS);
            let mass = 2500.0 * sphere_volume(radius);
            BodyRow {
                velocity: [0; 3].map(|_| draw.between(-0.1, 0.1)),
                ..BodyRow::sphere(BodyId(k as u64), position, radius, mass)
            }
        };
        (0..side * side * side).map(row).collect()
    }

    /// The cells of its blocks.
    #[must_use]
    pub fn grid(&self) -> &BlockGrid {
        &self.grid
    }

    /// Finds its candidates, in the memory of the detector and of the list.
    pub fn detect(&self, detector: &mut Detector, found: &mut Vec<Candidate>) {
        let space = Space {
            walls: &[],
            margin: self.margin,
            period: &Period::NONE,
            templates: &[],
        };
        detector.detect(&self.bodies, &space, |_| true, &Pool::default(), found);
    }

    /// Its contacts in blocks, for this many threads, and their number.
    ///
    /// `None` if the threads cannot be started.
    #[must_use]
    pub fn filled(&self, pair: Pair, threads: usize) -> Option<(Blocks, usize)> {
        let mut blocks = Blocks::new(threads).ok()?;
        let found = candidates(&self.bodies, &[], self.margin, &Period::NONE, |_| true);
        let contacts = found.len();
        let laws = (&Pushed::default(), &laws_of(pair));
        blocks.arrange_candidates(&found, &self.grid, (&self.bodies, &[]), laws);
        self.fill(&mut blocks, pair);
        Some((blocks, contacts))
    }

    /// Makes the contacts of blocks that have its candidates.
    pub fn fill(&self, blocks: &mut Blocks, pair: Pair) {
        let filling = Filling {
            fall: 0.0,
            falls: &[],
            bodies: &self.bodies,
            twists: self.bodies.twists(),
            walls: &[],
            states: &[],
            states_before: &[],
            pushed: &Pushed::default(),
            strain: None,
            split: &[],
            templates: &[],
            laws: &laws_of(pair),
            step: Step {
                dt: DT,
                rescale: 1.0,
                gap: GapRule::Positive,
                ..Step::default()
            },
            draw: (1, 0),
        };
        blocks.fill(&filling);
    }
}

/// The laws of one material.
fn laws_of(pair: Pair) -> Laws {
    PairTable::new(1, |_, _| pair).into()
}

/// Time of one call [s]: the median of several measurements, each long enough to be accurate.
fn median_time(mut call: impl FnMut()) -> f64 {
    call();
    let begin = Instant::now();
    call();
    let calls = (0.05 / begin.elapsed().as_secs_f64())
        .ceil()
        .clamp(1.0, 1e6) as usize;
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let begin = Instant::now();
            (0..calls).for_each(|_| call());
            begin.elapsed().as_secs_f64() / calls as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The kernel of the sweep; `None`: the plain one.
pub type Kernel = Option<Width>;

/// One sweep in a random order, drawn by its number.
pub fn one_sweep(blocks: &mut Blocks, members: &mut [Member], kernel: Kernel, number: u64) {
    let draw = (1, 0, number);
    let tally = match kernel {
        Some(width) => blocks.each(
            members,
            &Sweep {
                draw,
                passes: 1,
                width,
                start: Point::Stay,
            },
        ),
        None => blocks.each(members, &|block: &mut Block, members: &mut [Member]| {
            draw_order(block, draw);
            Share::of(plain_sweep(&mut block.batches, &block.order, members))
        }),
    };
    black_box(tally.sums[0].value());
}

fn sweeps(
    packing: &Packing,
    (case, pair): (&str, Pair),
    kernel: Kernel,
    threads: usize,
) -> Option<Figure> {
    let (mut blocks, contacts) = packing.filled(pair, threads)?;
    let mut members = packing.bodies.members();
    let mut number = 0;
    let time = median_time(|| {
        number += 1;
        one_sweep(&mut blocks, &mut members, kernel, number);
    });
    // Contacts read once and their impulses written back; members of blocks read and written.
    const THREE: usize = 3 * 8 * LANES;
    let of_block = |b: &Block| {
        b.batches.len() * (size_of::<Batch>() + THREE)
            + b.batches.parts.len() * size_of::<Line>()
            + b.batches.couples.len() * (size_of::<Couple>() + THREE)
            + b.bodies.len() * 2 * size_of::<Member>()
    };
    let bytes: usize = blocks.all().iter().map(of_block).sum();
    Some(Figure {
        case: format!("sweep {case}"),
        bodies: packing.bodies.len(),
        contacts,
        kernel: if kernel.is_none() { "plain" } else { "fast" },
        simd: kernel.map_or("scalar", |width| width.told().0),
        threads,
        updates_per_s: contacts as f64 / time,
        bytes_per_update: bytes as f64 / contacts as f64,
        triad_bytes_per_s: 0.0,
    })
}

fn detection(packing: &Packing) -> Figure {
    let find = || {
        candidates(&packing.bodies, &[], packing.margin, &Period::NONE, |_| {
            true
        })
    };
    let contacts = find().len();
    let time = median_time(|| {
        black_box(find());
    });
    let bodies = packing.bodies.len();
    Figure {
        case: "detection".to_owned(),
        bodies,
        contacts,
        kernel: "cells",
        simd: "scalar",
        threads: 1,
        updates_per_s: bodies as f64 / time,
        bytes_per_update: 0.0,
        triad_bytes_per_s: 0.0,
    }
}

/// The laws that are timed, by name.
#[must_use]
pub fn laws() -> [(&'static str, Pair); 3] {
    let coulomb = Pair::coulomb(0.5);
    let soft = Pair {
        compliance: 0.03 * DT * DT / (0.5 * 2500.0 * sphere_volume(RADIUS)),
        ..coulomb
    };
    let rolling = Pair {
        rolling: Arm::Reduced(0.1),
        torsion: Arm::Reduced(0.1),
        ..coulomb
    };
    [
        ("coulomb", coulomb),
        ("compliant", soft),
        ("rolling and torsion", rolling),
    ]
}

/// All figures, of packings with these numbers of bodies along an edge.
#[must_use]
pub fn figures(sides: &[usize], threads: usize) -> Vec<Figure> {
    let laws = laws();
    let triad = triad();
    let mut table = Vec::new();
    for &side in sides {
        let packing = Packing::new(side);
        let mut kernels = vec![None, Some(Width::One), Some(Width::Four)];
        if Width::Widest.told() != Width::Four.told() {
            kernels.push(Some(Width::Widest));
        }
        for kernel in kernels {
            table.extend(sweeps(&packing, laws[0], kernel, 1));
        }
        for law in &laws[1..] {
            table.extend(sweeps(&packing, *law, Some(Width::Widest), 1));
        }
        if threads > 1 {
            table.extend(sweeps(&packing, laws[0], Some(Width::Widest), threads));
        }
        table.push(detection(&packing));
    }
    for figure in &mut table {
        figure.triad_bytes_per_s = triad;
    }
    table
}

/// The table as aligned text, or as CSV.
///
/// # Errors
/// If the CSV cannot be written; it is written to memory.
pub fn told(figures: &[Figure], csv: bool) -> Result<String, csv::Error> {
    if csv {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(Figure::COLUMNS)?;
        for figure in figures {
            writer.write_record(figure.values())?;
        }
        let bytes = writer.into_inner().map_err(|e| e.into_error())?;
        return Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned());
    }
    let mut lines = vec![Figure::COLUMNS.map(str::to_owned)];
    lines.extend(figures.iter().map(Figure::values));
    let width = |k: usize| lines.iter().map(|l| l[k].len()).max().unwrap_or(0);
    let told = lines.iter().map(|line| {
        let cells = line
            .iter()
            .enumerate()
            .map(|(k, cell)| format!("{cell:<0$}", width(k)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    Ok(told.collect::<Vec<_>>().join("\n"))
}
