//! Anderson's acceleration of the sweeps.
//!
//! As long as the order is kept, sweeps are a map G of impulses x to impulses, whose fixed point is wanted. From the last few points
//! `x_j`, what became of them `g_j = G(x_j)`, and the residuals `f_j = g_j − x_j`, the next point is
//!
//! `x = g_k + Σ_j γ_j (g_j − g_k)` with the γ for which `|f_k + Σ_j γ_j (f_j − f_k)|² + λ Σ_j γ_j² |f_j − f_k|²` is least:
//!
//! the step that would be right if G were linear. Norms are those of the judge, `Σ |d|²/m_n`. As bodies' velocities are linear in
//! impulses, and the coefficients add up to one, they are combined alike. The new point may lie off the laws' cones; the next
//! sweep brings it back.
//!
//! What G does is not linear where contacts open, close, begin to slide: so the residual may grow. Then the past is forgotten, and
//! after some such failures the solve goes on with plain sweeps. All sums are exact, so ranks and threads change no bit.

use super::Halo;
use super::batch::{Batches, Eight, Eight3, LANES};
use super::blocks::{Block, Blocks};
use super::lanes::{Lanes, Width, Work};
use crate::body::Member;
use crate::math::ExactSum;
use nalgebra::{DMatrix, DVector};

/// What the user may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acceleration {
    /// Points that are remembered beside the last; 0: plain sweeps.
    pub window: usize,
    /// Sweeps from one point to the next.
    pub period: u64,
}

impl Acceleration {
    /// Plain sweeps.
    pub const NONE: Acceleration = Acceleration {
        window: 0,
        period: 1,
    };

    /// Anderson's, as far as it was found to pay.
    pub const ANDERSON: Acceleration = Acceleration {
        window: 3,
        period: 1,
    };

    /// The largest window.
    pub const LARGEST_WINDOW: usize = 10;
}

impl Default for Acceleration {
    fn default() -> Self {
        Self::NONE
    }
}

/// λ: keeps differences that are nearly parallel from taking large coefficients of opposite sign.
const DAMPING: f64 = 1e-8;

/// The residual's square may grow by this between two points; more is a failure.
const GROWTH: f64 = 4.0;

/// Failures after which a solve goes on with plain sweeps.
const PATIENCE: u32 = 4;

/// Points that are remembered at most.
const MOST: usize = Acceleration::LARGEST_WINDOW + 1;

/// The impulses of a block at earlier points; couples of full contacts behind the impulses of all.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// x, from which the present sweeps started.
    from: Vec<Eight3>,
    /// `g_j` and `f_j` by place.
    points: Vec<[Vec<Eight3>; 2]>,
}

/// The acceleration of one solve.
pub(super) struct Anderson {
    settings: Acceleration,
    width: Width,
    /// Sweeps since the last point; `None`: there is none.
    since: Option<u64>,
    /// Places of the remembered points, the last one last.
    order: Vec<usize>,
    /// `f_i · f_j` by place.
    gram: [[f64; MOST]; MOST],
    /// Velocities that belong to `g_j`, by place.
    motions: Vec<Vec<[f64; 6]>>,
    failures: u32,
}

impl Anderson {
    pub(super) fn new(settings: Acceleration, width: Width) -> Self {
        Self {
            settings,
            width,
            since: None,
            order: Vec::new(),
            gram: [[0.0; MOST]; MOST],
            motions: Vec::new(),
            failures: 0,
        }
    }

    /// Whether the solve goes on with plain sweeps.
    fn is_off(&self) -> bool {
        self.settings.window == 0 || self.failures > PATIENCE
    }

    /// After a sweep, before anything else happens to velocities: perhaps takes the step. Returns whether it did. Collective.
    pub(super) fn after_sweep<H: Halo>(
        &mut self,
        blocks: &mut Blocks,
        members: &mut [Member],
        halo: &H,
    ) -> bool {
        if self.is_off() {
            return false;
        }
        let Some(since) = &mut self.since else {
            self.depart(blocks);
            return false;
        };
        *since += 1;
        if *since < self.settings.period {
            return false;
        }
        let place = self.free_place();
        self.arrive(blocks, members, halo, place);
        let last = self.order.last().copied();
        let now = self.gram[place][place];
        let failed = last.is_some_and(|last| now > GROWTH * self.gram[last][last]);
        if !now.is_finite() || failed {
            self.failures += 1;
            self.order.clear();
        }
        if now.is_finite() {
            self.order.push(place);
        }
        let took = self.coefficients().is_some_and(|coefficients| {
            self.combine(blocks, members, &coefficients);
            true
        });
        self.depart(blocks);
        took
    }

    /// Notes the impulses from which the next sweeps start.
    fn depart(&mut self, blocks: &mut Blocks) {
        self.since = Some(0);
        blocks.map(|block: &mut Block| {
            let Block { batches, past, .. } = block;
            past.from.resize(batches.state_len(), [[0.0; LANES]; 3]);
            batches.read_state(&mut past.from);
            []
        });
    }

    /// A place for a new point, that of the oldest if all are taken.
    fn free_place(&mut self) -> usize {
        if self.order.len() > self.settings.window {
            self.order.remove(0);
        }
        let free = |k: &usize| !self.order.contains(k);
        (0..=self.settings.window).find(free).unwrap_or(0)
    }

    /// Notes the point that has been reached, and the products of its residual with the others'.
    fn arrive<H: Halo>(&mut self, blocks: &mut Blocks, members: &[Member], halo: &H, place: usize) {
        let (width, order) = (self.width, &self.order);
        let mut sums: [ExactSum; MOST] = blocks.map(|block: &mut Block| {
            let Block { batches, past, .. } = block;
            if past.points.len() <= place {
                past.points.resize_with(place + 1, Default::default);
            }
            width.dispatch(Arrive {
                batches,
                past,
                place,
                order,
            })
        });
        halo.sum(&mut sums);
        for (&other, sum) in order.iter().chain([&place]).zip(&sums) {
            self.gram[place][other] = sum.value();
            self.gram[other][place] = sum.value();
        }
        if self.motions.len() <= place {
            self.motions.resize_with(place + 1, Vec::new);
        }
        let motions = &mut self.motions[place];
        motions.clear();
        motions.extend(members.iter().map(|m| {
            let [a, b, c, d, e, f, ..] = m.0;
            [a, b, c, d, e, f]
        }));
    }

    /// `γ_j` of all points but the last, by place.
    fn coefficients(&self) -> Option<Vec<(usize, f64)>> {
        let (&last, others) = self.order.split_last()?;
        if others.is_empty() {
            return None;
        }
        let g = &self.gram;
        let n = others.len();
        let product = |i: usize, j: usize| g[i][j] - g[i][last] - g[last][j] + g[last][last];
        let size: Vec<f64> = others.iter().map(|&i| product(i, i)).collect();
        if size.iter().any(|s| *s <= 0.0 || !s.is_finite()) {
            return None;
        }
        // In units of each difference's own size.
        let scale: Vec<f64> = size.iter().map(|s| s.sqrt()).collect();
        let matrix = DMatrix::from_fn(n, n, |i, j| {
            let damping = if i == j { DAMPING } else { 0.0 };
            product(others[i], others[j]) / (scale[i] * scale[j]) + damping
        });
        let right = DVector::from_fn(n, |i, _| (g[last][last] - g[others[i]][last]) / scale[i]);
        let gamma = matrix.cholesky()?.solve(&right);
        let each = others.iter().zip(gamma.iter().zip(&scale));
        let found: Vec<(usize, f64)> = each.map(|(&i, (x, s))| (i, x / s)).collect();
        found.iter().all(|(_, x)| x.is_finite()).then_some(found)
    }

    /// `x = g_k + Σ_j γ_j (g_j − g_k)`, for impulses and velocities.
    fn combine(&self, blocks: &mut Blocks, members: &mut [Member], coefficients: &[(usize, f64)]) {
        let width = self.width;
        blocks.map(|block: &mut Block| {
            let Block { batches, past, .. } = block;
            let coefficients = coefficients.iter().copied();
            width.dispatch(Combine {
                batches,
                past,
                coefficients,
            });
            []
        });
        for (i, member) in members.iter_mut().enumerate().filter(|(_, m)| m.moves()) {
            let mut six = [0.0; 6];
            six.copy_from_slice(member.motion());
            let now = six;
            for &(place, gamma) in coefficients {
                for (k, x) in six.iter_mut().enumerate() {
                    *x += gamma * (self.motions[place][i][k] - now[k]);
                }
            }
            member.set_motion(&six);
        }
    }
}

/// Notes a block's impulses and residual at a point; returns the residual's products with those before it and with itself.
struct Arrive<'a> {
    batches: &'a Batches,
    past: &'a mut Past,
    place: usize,
    order: &'a [usize],
}

impl Work for Arrive<'_> {
    type Output = [f64; MOST];

    #[inline(always)]
    fn with<S: Lanes>(self, _: S) -> [f64; MOST] {
        let Self {
            batches,
            past,
            place,
            order,
        } = self;
        let [mut reached, mut moved] = std::mem::take(&mut past.points[place]);
        reached.resize(past.from.len(), [[0.0; LANES]; 3]);
        batches.read_state(&mut reached);
        moved.resize(past.from.len(), [[0.0; LANES]; 3]);
        let mut sums = [[0.0; LANES]; MOST];
        for k in 0..moved.len() {
            let weight = batches.state_mass(k);
            let mut weighted = [[0.0; LANES]; 3];
            for axis in 0..3 {
                for lane in 0..LANES {
                    let f = reached[k][axis][lane] - past.from[k][axis][lane];
                    moved[k][axis][lane] = f;
                    weighted[axis][lane] = f / weight[lane];
                }
            }
            for (&other, sum) in order.iter().zip(&mut sums) {
                add_products(sum, &weighted, &past.points[other][1][k]);
            }
            add_products(&mut sums[order.len()], &weighted, &moved[k]);
        }
        past.points[place] = [reached, moved];
        let mut totals = [0.0; MOST];
        for (total, sum) in totals.iter_mut().zip(&sums) {
            *total = sum.iter().sum();
        }
        totals
    }
}

#[inline(always)]
fn add_products(sum: &mut Eight, a: &Eight3, b: &Eight3) {
    for axis in 0..3 {
        for lane in 0..LANES {
            sum[lane] += a[axis][lane] * b[axis][lane];
        }
    }
}

/// Puts a block's impulses to the new point.
struct Combine<'a, C> {
    batches: &'a mut Batches,
    past: &'a mut Past,
    coefficients: C,
}

impl<C: Iterator<Item = (usize, f64)> + Clone> Work for Combine<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with<S: Lanes>(self, _: S) {
        let Self {
            batches,
            past,
            coefficients,
        } = self;
        // Where the sweeps started is no more needed: the new point takes its place.
        let Past { from, points } = past;
        batches.read_state(from);
        for (k, x) in from.iter_mut().enumerate() {
            let now = *x;
            for (place, gamma) in coefficients.clone() {
                let then = &points[place][0][k];
                for axis in 0..3 {
                    for lane in 0..LANES {
                        x[axis][lane] += gamma * (then[axis][lane] - now[axis][lane]);
                    }
                }
            }
        }
        batches.write_state(from);
    }
}
