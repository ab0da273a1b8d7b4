//! The solve: the methods that are tried, and their order.

use super::equations::Equations;
use super::nsgs::Sweeps;
use super::{Method, Problem, Settings, Solution, merit};
use crate::law::cone;
use crate::law::one_contact::{Law, Line, Normal, Plane, Rolling};
use std::marker::PhantomData;
use std::time::Instant;

/// Solves a problem from a guess of its impulses, or from zero.
///
/// If the problem has no [fault](Problem::fault), the result is finite and inside the cones: the
/// best impulses found. `error` says how good they are.
#[must_use]
pub fn solve(problem: &Problem, guess: Option<&[f64]>, settings: &Settings) -> Solution {
    if let Some(fault) = problem.fault() {
        return Solution {
            impulse: vec![0.0; problem.q.len()],
            velocity: problem.q.clone(),
            sweeps: 0,
            seconds: 0.0,
            error: f64::NAN,
            merit: f64::NAN,
            residual: f64::NAN,
            method: "none".to_owned(),
            log: vec![fault],
            finite: false,
        };
    }
    match problem.matrix.dimension {
        1 => Run::<1, Normal>::new(problem, guess, settings).solution(),
        _ if problem.is_frictionless() => frictionless(problem, guess, settings),
        2 => Run::<2, Line>::new(problem, guess, settings).solution(),
        3 => Run::<3, Plane>::new(problem, guess, settings).solution(),
        _ => Run::<5, Rolling>::new(problem, guess, settings).solution(),
    }
}

/// Solves the normal parts only; all other impulses are zero.
fn frictionless(problem: &Problem, guess: Option<&[f64]>, settings: &Settings) -> Solution {
    let begin = Instant::now();
    let d = problem.matrix.dimension;
    let normal = |of: &[f64]| of.iter().step_by(d).copied().collect::<Vec<f64>>();
    let alone = Problem {
        matrix: problem.matrix.normal(),
        q: normal(&problem.q),
        friction: problem.friction.clone(),
        rolling: Vec::new(),
    };
    let usable = |g: &&[f64]| g.len() == problem.q.len() && g.iter().all(|x| x.is_finite());
    let guess = guess.filter(usable).map(normal);
    let taken_apart = begin.elapsed().as_secs_f64();
    let solved = solve(&alone, guess.as_deref(), settings);
    let mut log = vec!["no contact has friction: the normal parts alone".to_owned()];
    log.extend(solved.log);
    let mut r = vec![0.0; problem.q.len()];
    for (k, x) in solved.impulse.iter().enumerate() {
        r[k * d] = *x;
    }
    let mut u = vec![0.0; r.len()];
    problem.matrix.apply(&r, &problem.q, &mut u);
    Solution {
        seconds: taken_apart + solved.seconds,
        error: merit::siconos_error_at(problem, &r, &u),
        merit: merit::fclib_merit_at(problem, &r, &u),
        residual: merit::residual_at(problem, &r, &u),
        finite: r.iter().chain(&u).all(|x| x.is_finite()),
        impulse: r,
        velocity: u,
        log,
        sweeps: solved.sweeps,
        method: solved.method,
    }
}

/// A solve in progress.
pub(super) struct Run<'a, const D: usize, L> {
    pub(super) problem: &'a Problem,
    pub(super) settings: &'a Settings,
    pub(super) begin: Instant,
    pub(super) q: &'a [[f64; D]],
    pub(super) r: Vec<[f64; D]>,
    u: Vec<[f64; D]>,
    /// The impulses of the smallest error so far, and that error.
    pub(super) best: Vec<[f64; D]>,
    pub(super) error: f64,
    pub(super) sweeps: u64,
    pub(super) log: Vec<String>,
    /// `|r|` and the violation when impulses first seemed to grow without an answer.
    grown: Option<[f64; 2]>,
    /// Time at the end of the last sweeps [s].
    seconds: f64,
    /// θ of the proximal loop.
    pub(super) theta: f64,
    /// Newton's equations, once needed, unless they are too large.
    pub(super) equations: Option<Equations<D>>,
    planned: bool,
    law: PhantomData<L>,
}

/// The reason for the end of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The error is small enough.
    Done,
    /// Sweeps or time are used up.
    Spent,
    /// Progress has ended.
    Stalled,
    /// No impulses seem to suffice.
    Unanswered,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            End::Done => "small enough",
            End::Spent => "sweeps or time used up",
            End::Stalled => "too slow",
            End::Unanswered => "no impulses seem to suffice",
        })
    }
}

/// Initial θ.
const FIRST: f64 = 1e-3;

/// Largest number of sweeps between two evaluations of the error.
const LOOK: u64 = 10;

impl<'a, const D: usize, L: Law<D>> Run<'a, D, L> {
    fn new(problem: &'a Problem, guess: Option<&[f64]>, settings: &'a Settings) -> Self {
        let (q, _) = problem.q.as_chunks::<D>();
        let mut r = vec![[0.0; D]; q.len()];
        let guess = guess.filter(|g| g.len() == D * q.len() && g.iter().all(|x| x.is_finite()));
        for (i, (r, guess)) in r
            .iter_mut()
            .zip(guess.unwrap_or(&[]).as_chunks().0)
            .enumerate()
        {
            *r = *guess;
            cone::project(r, problem.coefficients(i));
        }
        Self {
            problem,
            settings,
            begin: Instant::now(),
            q,
            r,
            u: vec![[0.0; D]; q.len()],
            best: vec![[0.0; D]; q.len()],
            error: f64::INFINITY,
            sweeps: 0,
            log: Vec::new(),
            grown: None,
            seconds: 0.0,
            theta: FIRST,
            equations: None,
            planned: false,
            law: PhantomData,
        }
    }

    /// Takes Newton's equations, which must be given back; `None` if they are too large.
    pub(super) fn take_equations(&mut self) -> Option<Equations<D>> {
        if !self.planned {
            self.planned = true;
            self.equations = Equations::new(&self.problem.matrix);
            if self.equations.is_none() {
                let line = "too many unknowns, or coupled unknowns, for Newton's method";
                self.log.push(line.to_owned());
            }
        }
        self.equations.take()
    }

    /// The mean size of W's diagonal at each contact; where it is zero, the mean over all contacts.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        let n = self.problem.contacts();
        let mut diagonal: Vec<f64> = (0..n)
            .map(|i| {
                let block = self.problem.matrix.diagonal(i);
                (0..D).map(|k| block[k * D + k].abs()).sum::<f64>() / D as f64
            })
            .collect();
        let mean = diagonal.iter().sum::<f64>() / n as f64;
        for x in &mut diagonal {
            // A contact between immovable bodies.
            if *x <= 1e-12 * mean {
                *x = if mean > 0.0 { mean } else { 1.0 };
            }
        }
        diagonal
    }

    /// Evaluates the error of the present impulses, which are kept if they are the best.
    pub(super) fn look(&mut self) -> f64 {
        let r = self.r.as_flattened();
        self.problem
            .matrix
            .apply(r, &self.problem.q, self.u.as_flattened_mut());
        let error = merit::siconos_error_at(self.problem, r, self.u.as_flattened());
        if error < self.error {
            self.error = error;
            self.best.copy_from_slice(&self.r);
        }
        error
    }

    /// Whether a solve ends with the impulses that [`Run::look`] has just found to have this error.
    ///
    /// Impulses that grow without an answer have a small error too: it is relative to them. They
    /// end the solve once they have doubled and violate the law as before.
    pub(super) fn is_over(&mut self, error: f64) -> Option<End> {
        if error.is_nan() || error > self.settings.tolerance {
            return None;
        }
        let (r, u) = (self.r.as_flattened(), self.u.as_flattened());
        let (grown, now) = merit::growth_without_answer(self.problem, r, u);
        if !grown {
            self.error = error;
            self.best.copy_from_slice(&self.r);
            return Some(End::Done);
        }
        let before = *self.grown.get_or_insert(now);
        if now[0] < 2.0 * before[0] {
            return None;
        }
        self.grown = Some(now);
        (now[1] >= STILL * before[1]).then_some(End::Unanswered)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.sweeps >= self.settings.max_sweeps
            || self.begin.elapsed().as_secs_f64() >= self.settings.max_seconds
    }

    fn solution(mut self) -> Solution {
        let method = self.all_stages();
        let seconds = match method.as_str() {
            // The time excludes the preparation of the result, which for one contact would be half
            // of it.
            "nsgs" => self.seconds,
            _ => self.begin.elapsed().as_secs_f64(),
        };
        self.r.copy_from_slice(&self.best);
        if merit::is_unanswered(self.problem, self.r.as_flattened()) {
            self.log.push(End::Unanswered.to_string());
        }
        let (problem, r, u) = (self.problem, self.r, &mut self.u);
        problem
            .matrix
            .apply(r.as_flattened(), &problem.q, u.as_flattened_mut());
        let (r, u) = (r.into_flattened(), self.u.into_flattened());
        Solution {
            sweeps: self.sweeps,
            seconds,
            error: merit::siconos_error_at(problem, &r, &u),
            merit: merit::fclib_merit_at(problem, &r, &u),
            residual: merit::residual_at(problem, &r, &u),
            method,
            log: self.log,
            finite: r.iter().chain(&u).all(|x| x.is_finite()),
            impulse: r,
            velocity: u,
        }
    }

    fn all_stages(&mut self) -> String {
        if self.q.iter().all(|q| q[0] >= 0.0) {
            self.r.fill([0.0; D]);
            self.look();
            return "none needed".to_owned();
        }
        let guessed = self.r.iter().any(|r| r[0] > 0.0);
        if guessed {
            let error = self.look();
            if self.is_over(error) == Some(End::Done) {
                return "the guess".to_owned();
            }
        }
        let method = self.settings.method;
        if method == Method::Proximal {
            self.proximal(false);
            return "proximal".to_owned();
        }
        if method == Method::Smoothing {
            for round in 0..ROUNDS {
                if self.smoothing(round) != End::Stalled {
                    break;
                }
            }
            return "smoothing".to_owned();
        }
        if method == Method::Interior {
            self.look();
            self.interior();
            return "interior".to_owned();
        }
        if method == Method::Nsgs {
            self.nsgs(None);
            return "nsgs".to_owned();
        }
        for round in 0.. {
            // Where Newton's method fails, more sweeps bring the impulses into its range.
            if self.nsgs(Some(self.sweeps)) != End::Stalled {
                return if round == 0 { "nsgs" } else { "mixed" }.to_owned();
            }
            if D == 1 && round == 0 && self.interior() != End::Stalled {
                return "interior".to_owned();
            }
            if round < ROUNDS && self.smoothing(round) != End::Stalled {
                return "smoothing".to_owned();
            }
            if self.proximal(round < ROUNDS) != End::Stalled {
                break;
            }
        }
        "proximal".to_owned()
    }

    /// Sweeps, each in a new order, from the best impulses.
    ///
    /// With `least`, it does at least this number, and then continues until another method would be
    /// cheaper.
    fn nsgs(&mut self, least: Option<u64>) -> End {
        let begin = self.sweeps;
        self.r.copy_from_slice(&self.best);
        let end = self.sweep_until(least);
        self.seconds = self.begin.elapsed().as_secs_f64();
        if self.error.is_infinite() {
            // Before the first sweep.
            self.look();
        }
        let (sweeps, error) = (self.sweeps - begin, self.error);
        self.log
            .push(format!("{sweeps} sweeps: {end}, error {error:.2e}"));
        end
    }

    fn sweep_until(&mut self, least: Option<u64>) -> End {
        let mut sweeps = Sweeps::<D, L>::new(self.problem, &[], self.settings.seed);
        sweeps.begin_at(self.sweeps);
        let begin = self.sweeps;
        let (mut next, mut light_enough) = (begin + 1, 0.0);
        let mut mark = (begin, self.error);
        loop {
            if self.is_spent() {
                return End::Spent;
            }
            // The first order is that of the contacts: drawing one takes as long as a sweep over a
            // few of them.
            if self.sweeps > 0 {
                sweeps.renew();
            }
            let change = sweeps.sweep(&mut self.r, self.q);
            self.sweeps += 1;
            let light = change.step / change.size;
            if self.sweeps < next && (light.is_nan() || light > light_enough) {
                continue;
            }
            let error = self.look();
            if let Some(end) = self.is_over(error) {
                return end;
            }
            next = self.sweeps + LOOK.min(1 + (self.sweeps - begin) / 2);
            let needed = self.settings.tolerance / error;
            light_enough = light * needed * needed;
            // From time to time, estimate the remaining number of sweeps from the recent rate.
            let passed = self.sweeps - mark.0;
            if passed >= PATIENCE.max((mark.0 - begin) / 2) {
                let gain = (mark.1 / self.error).ln() / passed as f64;
                let left = (self.error / self.settings.tolerance).ln();
                let (worth, swept) = (self.worth(), self.sweeps - begin);
                let enough = least.is_some_and(|least| swept >= least);
                let enough = enough && swept as f64 >= 0.25 * worth;
                if enough && (gain.is_nan() || left > gain * worth) {
                    return End::Stalled;
                }
                mark = (self.sweeps, self.error);
            }
        }
    }

    /// Number of sweeps that cost as much as the Newton steps probably needed instead.
    fn worth(&self) -> f64 {
        let (w, unknowns) = (&self.problem.matrix, (D * self.q.len()) as f64);
        let row = w.columns.len() as f64 / self.q.len() as f64;
        // Measured, in sweeps: for a sparse matrix the fill-in matters, for a full one its size.
        // Without friction the matrix is positive definite, and the interior-point method takes
        // fewer steps.
        let (fill, steps) = if D == 1 {
            (3.0, 40.0)
        } else {
            (8.0, LIKELY_STEPS)
        };
        steps * (fill * row).min(30.0 + 0.1 * unknowns) * (unknowns / 4000.0).max(1.0)
    }
}

/// A violation stands still if it has not fallen below this fraction while impulses doubled.
const STILL: f64 = 0.8;

/// Sweeps before their continuation is first questioned.
const PATIENCE: u64 = 40;

/// Estimated number of Newton steps of a solve.
const LIKELY_STEPS: f64 = 100.0;

/// Number of times that sweeps resume after Newton's method fails, before they run alone.
const ROUNDS: u64 = 4;
