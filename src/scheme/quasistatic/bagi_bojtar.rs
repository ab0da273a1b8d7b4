//! The method of Bagi and Bojtár [004 §6.2.3]: the stiffness of the whole assembly.
//!
//! The unbalanced forces Δf move all bodies at once, `(K̂ + ρ) Δu = Δf`; then the forces of the
//! contacts follow from the new positions, and so on until Δf is small. The fictitious resistance ρ
//! holds bodies that no contact holds. As `‖Δu‖ ≤ ‖Δf‖/ρ` for K̂ ≥ 0, the rule
//! `ρ = max(‖Δf‖∞/u_max, 10⁻⁸ k_n)` bounds the displacements. It fades near equilibrium.

use super::assembly::Assembly;
use super::balance::{Balance, Loads};
use super::forces::Tangents;
use super::found::Found;
use super::frame::Frame;
use super::settings::{Breaking, Statics};
use super::solve;
use super::stiffness::Stiffness;
use super::unknowns::{UNKNOWNS, numbers};
use crate::law::Status;
use crate::math::nan_max;
use crate::solver::linear::{Limits, Solved, System};
use std::borrow::Cow;

/// Largest displacement within an iteration, in mean radii.
const LARGEST: f64 = 0.1;

/// Least ρ over the largest normal stiffness.
const LEAST: f64 = 1e-8;

/// Products of a linear solve, per unknown of all ranks, after which it stops.
const PRODUCTS: f64 = 2.0;

/// Iterates until the loads are balanced. Collective.
///
/// `frame` is the motion of walls and cell in this increment.
pub(super) fn balance(assembly: &mut Assembly, frame: &Frame) -> Found {
    let statics = *assembly.statics;
    let allowed = statics.iterations();
    let mut found = Found::default();
    let mut waiting = Some(frame).filter(|frame| !frame.is_still());
    let scale = assembly.scale();
    let mut loads = Loads::of(assembly);
    loop {
        let balance = Balance::of(assembly, &loads);
        found.judge(&balance, (statics.tolerance, allowed));
        // Walls that have not moved yet are not balanced.
        found.converged &= waiting.is_none();
        found.stopped = balance.asked && !found.converged;
        if found.converged || found.stopped || !found.residual.is_finite() {
            return found;
        }
        if found.iterations >= allowed {
            return found;
        }
        found.iterations += 1;
        let moved = waiting.take();
        let mut b = balance.unbalanced;
        if let Some(frame) = moved {
            // The motion of walls acts through the stiffness: Δf − k Δu of the walls.
            let still = vec![[0.0; 6]; assembly.network.rows.len()];
            let tangents = Tangents {
                assembly,
                coulomb: statics.coulomb,
            };
            let forces = tangents.forces(&still, Some(&frame.moves()));
            let added = tangents.pushes(&forces);
            for (k, push) in added.iter().enumerate() {
                let mask = assembly.network.mask(k);
                let numbers = numbers(push, assembly.network.body(k).radius);
                for n in (0..UNKNOWNS).filter(|&n| mask[n]) {
                    b[UNKNOWNS * k + n] += numbers[n];
                }
            }
            let on_free = assembly.sum_over_free(|number, e| forces.at(number)[0].dot(e));
            let free = b.len() - on_free.len();
            (b[free..].iter_mut().zip(on_free)).for_each(|(b, added)| *b += added);
        }
        let largest = b.iter().fold(0.0, |most, x| nan_max(most, x.abs()));
        let largest = assembly.domain.max(largest);
        let resistance = (statics.resistance)
            .unwrap_or_else(|| (largest / (LARGEST * scale.radius)).max(LEAST * scale.stiffness));
        let mut x = vec![0.0; b.len()];
        let solved = solve(assembly, resistance, b, &mut x);
        found.products += solved.products;
        // Numbers beyond the largest have no place; the increment fails.
        let largest = x.iter().fold(0.0, |most, x| nan_max(most, x.abs()));
        if !assembly.domain.max(largest).is_finite() {
            found.residual = f64::NAN;
            return found;
        }
        let (shifts, frame) = assembly.motion_of(&x, moved);
        assembly.advance(&shifts, Some(&frame));
        if assembly.keep_up() {
            loads = Loads::of(assembly);
        }
        if statics.breaking == Breaking::All {
            assembly.break_bonds(statics.breaking);
        }
    }
}

/// Solves `(K̂ + ρ) x = b`. Collective.
fn solve(assembly: &Assembly, resistance: f64, b: Vec<f64>, x: &mut [f64]) -> Solved {
    let Statics {
        coulomb,
        geometric,
        linear_tolerance: tolerance,
        ..
    } = *assembly.statics;
    let slides = |link: &super::link::Link| {
        link.carried.status == Status::Sliding && link.elastic.friction > 0.0
    };
    let sliding = assembly.network.links().any(|link| slides(&link));
    let coulomb = coulomb && assembly.domain.max(f64::from(u8::from(sliding))) > 0.0;
    let mut stiffness = Stiffness::new(assembly, coulomb, resistance);
    if geometric {
        stiffness = stiffness.with_geometric();
    }
    let [square] = stiffness.products([[&b, &b]]);
    let [unknowns] = assembly
        .domain
        .sums(&[[b.len() as f64].into_iter().collect()]);
    let limits = Limits {
        residual: tolerance * square.sqrt(),
        products: (PRODUCTS * unknowns).max(100.0) as u64,
    };
    if coulomb || geometric {
        let solved = solve::solve(
            &mut stiffness,
            !coulomb,
            (Cow::Borrowed(&b[..]), x),
            &limits,
        );
        // With K̂ < 0 a solution may exist that ρ does not bound.
        let [far] = stiffness.products([[x, x]]);
        let bounded = !geometric || resistance * resistance * far <= square;
        if solved.converged && bounded {
            return solved;
        }
        drop(stiffness);
        // Without the unsymmetric and the geometric part there is always a solution.
        let mut stiffness = Stiffness::new(assembly, false, resistance);
        let again = solve::solve(&mut stiffness, true, (b.into(), x), &limits);
        return Solved {
            products: solved.products + again.products,
            ..again
        };
    }
    solve::solve(&mut stiffness, true, (b.into(), x), &limits)
}
