//! The method of Serrano and Rodríguez-Ortiz [004 §6.2.1]: all contacts glued, one linear solve.
//!
//! The geometry is that of the start, and forces grow from zero: `K̂ Δu = Δf`, then `S = k Δδ`. So
//! it answers one increment only. An assembly in which bodies can move without straining a contact
//! has no answer; it is refused.

use super::assembly::Assembly;
use super::balance::{Balance, Loads};
use super::found::Found;
use super::frame::Frame;
use super::link::Link;
use super::mechanism::free_motion;
use super::settings::Linear;
use super::solve::solve;
use super::stiffness::Stiffness;
use super::unknowns::{UNKNOWNS, numbers};
use crate::body::BodyId;
use crate::law::Status;
use crate::law::elastic::{CLOSED, Carried};
use crate::math::{Vector3, nan_max};
use crate::scheme::error::StepError;
use crate::solver::linear::{Limits, System};
use std::collections::BTreeMap;

/// Largest residual of the linear system, over its right-hand side.
const RESIDUAL: f64 = 1e-12;

/// The reason why the method has no answer.
pub(super) enum Unanswered {
    /// These bodies can move freely.
    Free(Vec<BodyId>),
    /// The linear system was not solved: its residual over its right-hand side, and the products.
    Far(f64, u64),
}

impl Unanswered {
    /// The error of an increment.
    pub(super) fn error(self, step: u64, linear: Linear) -> StepError {
        match self {
            Self::Free(bodies) => StepError::Mechanism {
                step,
                bodies: bodies.iter().map(|id| id.0).collect(),
            },
            Self::Far(residual, products) => StepError::NotSolved {
                step,
                residual,
                allowed: RESIDUAL,
                products,
                advice: match linear {
                    Linear::Iterative => ", or take quasistatic.linear = \"direct\"".to_owned(),
                    Linear::Direct => String::new(),
                },
            },
        }
    }
}

/// Solves an increment. Collective.
///
/// # Errors
/// Without an answer, the same on all ranks.
pub(super) fn balance(assembly: &mut Assembly, frame: &Frame) -> Result<Found, Unanswered> {
    assembly.network.change(|link| {
        if link.elastic.glued || link.gap <= CLOSED * link.smaller_radius() {
            link.elastic.glued = true;
            link.elastic.rest = link.gap;
        } else {
            // An open contact stays open.
            link.elastic.rest = f64::NEG_INFINITY;
        }
        link.carried = Carried::default();
    });
    let loads = Loads::of(assembly);
    let free = free_motion(assembly);
    if !free.is_empty() {
        return Err(Unanswered::Free(free));
    }
    let mut stiffness = Stiffness::new(assembly, false, 0.0);
    let still = vec![[0.0; 6]; assembly.network.rows.len()];
    let by_frame = stiffness.tangents.forces(&still, Some(&frame.moves()));
    let of_walls = stiffness.tangents.pushes(&by_frame);
    let mut b = vec![0.0; stiffness.len()];
    for (k, push) in of_walls.iter().enumerate() {
        let (mask, push) = (assembly.network.mask(k), push.plus(&loads.at(assembly, k)));
        let of = numbers(&push, assembly.network.body(k).radius);
        (0..UNKNOWNS).for_each(|n| b[UNKNOWNS * k + n] = if mask[n] { of[n] } else { 0.0 });
    }
    let bodies = UNKNOWNS * assembly.network.own.len();
    let added = assembly.sum_over_free(|number, e| by_frame.at(number)[0].dot(e));
    let on_free = assembly.free_loads().into_iter().zip(added);
    (b[bodies..].iter_mut().zip(on_free)).for_each(|(b, (load, added))| *b = load + added);
    let [square] = stiffness.products([[&b, &b]]);
    // The forces of a strained lattice cancel in each body, to rounding.
    let strained = by_frame.each().map(|[force, _]| force.norm());
    let strained = strained.fold(0.0, nan_max);
    drop(by_frame);
    let strained = match assembly.physics.cell {
        Some(_) => assembly.domain.max(strained),
        None => 0.0,
    };
    let right = square.sqrt().max(strained);
    let limits = Limits {
        residual: RESIDUAL * right,
        products: 100_000,
    };
    let mut x = vec![0.0; b.len()];
    let solved = solve(&mut stiffness, true, (b.into(), &mut x), &limits);
    if !solved.converged {
        return Err(Unanswered::Far(solved.residual / right, solved.products));
    }
    let (mine, frame) = assembly.motion_of(&x, Some(frame));
    let mut all = still;
    for (&i, shift) in assembly.network.own.iter().zip(&mine) {
        all[i as usize] = shift.to_array();
    }
    assembly.share(&mut all);
    let forces = stiffness.tangents.forces(&all, Some(&frame.moves()));
    drop(stiffness);
    let names = assembly.network.links().map(|link| named(&link));
    let forces: BTreeMap<_, [Vector3; 2]> = names.zip(forces.each()).collect();
    assembly.advance(&mine, Some(&frame));
    assembly.network.change(|link| {
        let Some([force, couple]) = forces.get(&named(link)).filter(|_| link.elastic.glued) else {
            link.carried = Carried::default();
            return;
        };
        link.carried = Carried {
            force: *force,
            couple: *couple,
            tried: *couple,
            status: Status::Sticking,
            share: 1.0,
        };
        let pressed = force.dot(&link.normal);
        link.joint.rest = link.gap + pressed / link.elastic.stiffness.normal;
    });
    let balance = Balance::of(assembly, &loads);
    Ok(Found {
        iterations: 1,
        products: solved.products,
        residual: balance.residual(assembly.statics.tolerance),
        converged: true,
        floor: balance.floor(),
        ..Found::default()
    })
}

/// A contact among those of an assembly, as long as it has the same bodies.
fn named(link: &Link) -> (u32, u32, u64) {
    (link.pair.first, link.pair.second, link.feature)
}
