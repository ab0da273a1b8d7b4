//! From a problem to a solution: what is tried, in which order.

use super::nsgs::Sweeps;
use super::one_contact::{Law, Line, Plane, Rolling};
use super::{Problem, Settings, Solution, cone, merit};
use std::marker::PhantomData;
use std::time::Instant;

/// Solves a problem from a guess of its impulses, or from none.
///
/// It always comes back with finite impulses inside the cones, the best that were seen, if the problem has no [fault](Problem::fault);
/// whether they are good enough, `error` says.
#[must_use]
pub fn solve(problem: &Problem, guess: Option<&[f64]>, settings: &Settings) -> Solution {
    if let Some(fault) = problem.fault() {
        return Solution {
            impulse: vec![0.0; problem.q.len()],
            velocity: problem.q.clone(),
            sweeps: 0,
            error: f64::NAN,
            merit: f64::NAN,
            residual: f64::NAN,
            method: "none".to_owned(),
            log: vec![fault],
            finite: false,
        };
    }
    match problem.matrix.dimension {
        2 => Run::<2, Line>::new(problem, guess, settings).solution(),
        3 => Run::<3, Plane>::new(problem, guess, settings).solution(),
        _ => Run::<5, Rolling>::new(problem, guess, settings).solution(),
    }
}

/// A solve that is under way.
struct Run<'a, const D: usize, L> {
    problem: &'a Problem,
    settings: &'a Settings,
    begin: Instant,
    q: &'a [[f64; D]],
    r: Vec<[f64; D]>,
    u: Vec<[f64; D]>,
    /// The impulses of the smallest error so far, and that error.
    best: Vec<[f64; D]>,
    error: f64,
    sweeps: u64,
    log: Vec<String>,
    law: PhantomData<L>,
}

/// Why a stage has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The error is small enough.
    Done,
    /// Sweeps or time are used up.
    Spent,
    /// It came no further.
    Stalled,
}

/// Sweeps between two looks at the error, at most.
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
            law: PhantomData,
        }
    }

    /// The error of the present impulses; they are kept if they are the best.
    fn look(&mut self) -> f64 {
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

    fn is_spent(&self) -> bool {
        self.sweeps >= self.settings.max_sweeps
            || self.begin.elapsed().as_secs_f64() >= self.settings.max_seconds
    }

    fn solution(mut self) -> Solution {
        let method = self.all_stages();
        self.r.copy_from_slice(&self.best);
        let (problem, r, u) = (self.problem, self.r, &mut self.u);
        problem
            .matrix
            .apply(r.as_flattened(), &problem.q, u.as_flattened_mut());
        let (r, u) = (r.into_flattened(), self.u.into_flattened());
        Solution {
            sweeps: self.sweeps,
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
        self.look();
        let end = self.nsgs();
        self.log.push(format!(
            "{} sweeps: {end:?}, error {:.2e}",
            self.sweeps, self.error
        ));
        "nsgs".to_owned()
    }

    fn nsgs(&mut self) -> End {
        let mut sweeps = Sweeps::<D, L>::new(self.problem, &[], self.settings.seed);
        let (mut next, mut light_enough) = (1, 0.0);
        loop {
            if self.is_spent() {
                return End::Spent;
            }
            sweeps.renew();
            let change = sweeps.sweep(&mut self.r, self.q);
            self.sweeps += 1;
            let light = change.step / change.size;
            if self.sweeps < next && !(light <= light_enough) {
                continue;
            }
            let error = self.look();
            if error <= self.settings.tolerance {
                return End::Done;
            }
            next = self.sweeps + LOOK.min(1 + self.sweeps / 2);
            let needed = self.settings.tolerance / error;
            light_enough = light * needed * needed;
        }
    }
}
