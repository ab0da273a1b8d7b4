//! The contacts of a step as a problem of matrix and vector, for solvers that do not use bodies.
//!
//! The relative velocity of contact i is linear in the twists of its bodies, `u_i = Σ_k J_ik V_k`,
//! and an impulse r at contact i acts on body k as `J_ikᵀ r`. So `W_ij = Σ_k J_ik M_k⁻¹ J_jkᵀ`, and
//! q is u without impulses. The terms of the step's laws ([`crate::law`]) enter W and q:
//!
//! - gap and restitution: `b_n`, added to q_N; the motion of driven walls and tangential
//!   restitution: added to all of q;
//! - compliance: γ_n, γ_t added to the diagonal, `−γ_t r_t,previous` to q_T;
//! - cohesion of a contact that acts by `r_n ≥ −F`: the impulse is measured from there,
//!   `r′ = r + F n`, so q changes by `−W F n`.
//!
//! Such a problem can represent neither torsion friction nor a cohesive contact that gapes, whose
//! law has three branches.

use crate::body::Member;
use crate::contact::{Candidate, Contact, ContactKey};
use crate::law::Parts;
use crate::math::{Vector3, frame};
use crate::problem::{Delassus, Problem};
use crate::solver::blocks::{Blocks, Seen};
use crate::solver::pushed::Pushed;
use nalgebra::{Matrix6, SMatrix};

/// The problem of a step.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The problem, with contacts in the order of their keys.
    ///
    /// It has 5 numbers per contact if there is rolling friction, else 3.
    pub problem: Problem,
    /// The initial impulses of the contacts, in the problem's terms.
    pub impulse: Vec<f64>,
    /// The contacts by name, and their frames.
    pub contacts: Vec<Named>,
}

/// A contact of the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Named {
    /// Its key.
    pub key: ContactKey,
    /// Normal and two tangents, the rows of impulses and velocities, global frame.
    pub frame: [Vector3; 3],
    /// The shift of the normal impulse by cohesion, `F_C Δt` [N s].
    pub cohesion: f64,
}

/// The reason why the contacts of a step have no such form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// A contact has torsion friction.
    #[error(
        "bodies {0} and {1}: laws in FCLib's format must be sliding or rolling friction, restitution, springs \
         or cohesion; found torsion friction"
    )]
    Torsion(crate::body::BodyId, crate::body::BodyId),
    /// A cohesive contact gapes.
    #[error(
        "bodies {0} and {1}: cohesive contacts in FCLib's format must touch; found one that holds across a gap"
    )]
    Gaping(crate::body::BodyId, crate::body::BodyId),
    /// Two bodies are bonded.
    #[error(
        "bodies {0} and {1}: laws in FCLib's format must be sliding or rolling friction, restitution, springs \
         or cohesion; found a bond"
    )]
    Bond(crate::body::BodyId, crate::body::BodyId),
    /// The law of a contact is not linear in its impulse.
    #[error(
        "bodies {0} and {1}: springs in FCLib's format must be linear; found Hertz's law (poisson)"
    )]
    Hertz(crate::body::BodyId, crate::body::BodyId),
    /// A body is a clump.
    #[error(
        "bodies {0} and {1}: contacts in FCLib's format must be between balls, discs and walls; found a clump"
    )]
    Clump(crate::body::BodyId, crate::body::BodyId),
    /// The scheme has no velocities.
    #[error(
        "contacts in FCLib's format must be those of a time step (scheme = \"moreau_jean\"); found a quasi-static scheme"
    )]
    Quasistatic,
    /// A strain of the cell is an unknown of the step.
    #[error(
        "contacts in FCLib's format must be those of a cell that holds no stress; found a [cell] under a stress"
    )]
    Cell,
    /// W would be too large.
    #[error("W must have at most {1} blocks; found {0}")]
    TooLarge(usize, usize),
}

/// Largest number of blocks of W.
const MOST: usize = 1 << 26;

/// `J` of a contact and a body: the map from the body's twist (velocity, spin `s = l ω`) to the
/// contact's relative velocities.
type Jacobian = SMatrix<f64, 5, 6>;

/// A contact as seen from one of its two bodies.
struct Side {
    contact: usize,
    jacobian: Jacobian,
}

/// The problem of the contacts in `blocks`.
///
/// `members` have the free velocities of all bodies, then of the walls in `pushed`; `radii` are
/// those of the bodies [m].
///
/// # Errors
/// If the problem cannot represent the laws at work, or W would be too large.
pub fn assemble(
    blocks: &Blocks,
    members: &[Member],
    radii: &[f64],
    pushed: &Pushed,
) -> Result<Assembled, Unfit> {
    if !pushed.edges.is_empty() {
        return Err(Unfit::Cell);
    }
    for block in blocks.all() {
        if let Some(one) = block.each().find(Seen::is_rigid) {
            let key = blocks.key(block, one.index);
            return Err(Unfit::Clump(key.a, key.b));
        }
    }
    let contacts = in_order(blocks);
    for one in &contacts {
        let (a, b) = (one.candidate.key.a, one.candidate.key.b);
        if one.parts.hertz.is_some() {
            return Err(Unfit::Hertz(a, b));
        }
        if one
            .parts
            .couples
            .is_some_and(|couples| couples.torsion > 0.0)
        {
            return Err(Unfit::Torsion(a, b));
        }
        if one.parts.bond.is_some() {
            return Err(Unfit::Bond(a, b));
        }
        if one
            .parts
            .cohesion
            .is_some_and(|cohesion| cohesion.weakened > 0.0)
        {
            return Err(Unfit::Gaping(a, b));
        }
    }
    let rolls = |one: &One| one.rolling() > 0.0;
    let d = if contacts.iter().any(rolls) { 5 } else { 3 };
    let mut sides: Vec<Vec<Side>> = Vec::new();
    sides.resize_with(members.len(), Vec::new);
    let lever = |k: usize| match radii.get(k) {
        Some(&radius) => radius,
        None => pushed.lever(k - radii.len()),
    };
    for (contact, one) in contacts.iter().enumerate() {
        for (sign, k) in [(-1.0, one.members[0]), (1.0, one.members[1])] {
            if let Some(k) = k {
                let jacobian = jacobian(&one.frame, sign, lever(k));
                sides[k].push(Side { contact, jacobian });
            }
        }
    }
    let blocks_at_most: usize = sides.iter().map(|of| of.len() * of.len()).sum();
    if blocks_at_most > MOST {
        return Err(Unfit::TooLarge(blocks_at_most, MOST));
    }
    let mut entries = Vec::new();
    let mut q = vec![0.0; contacts.len() * d];
    for (k, of) in sides.iter().enumerate() {
        let twist = members[k].motion();
        let twist = nalgebra::Vector6::from_column_slice(twist);
        let mobility = match k.checked_sub(radii.len()) {
            None => mobility(&members[k]),
            Some(wall) => pushed.mobility(wall),
        };
        for i in of {
            let free = i.jacobian * twist;
            (0..d).for_each(|a| q[i.contact * d + a] += free[a]);
            if mobility == Matrix6::zeros() {
                continue;
            }
            let answer = i.jacobian * mobility;
            for j in of {
                let block = answer * j.jacobian.transpose();
                for a in 0..d {
                    for b in 0..d {
                        entries.push((i.contact * d + a, j.contact * d + b, block[(a, b)]));
                    }
                }
            }
        }
    }
    let mut impulse = vec![0.0; q.len()];
    for (contact, one) in contacts.iter().enumerate() {
        let first = contact * d;
        one.add_laws(&mut q[first..first + d], &mut entries, first);
        impulse[first..first + d].copy_from_slice(&one.start()[..d]);
    }
    let matrix = Delassus::from_entries(d, contacts.len(), entries);
    let matrix = matrix.expect("entries between contacts of the problem");
    // Impulses are measured from the strongest pull.
    let pulls: Vec<f64> = (contacts.iter())
        .flat_map(|one| (0..d).map(|a| if a == 0 { -one.cohesion() } else { 0.0 }))
        .collect();
    if pulls.iter().any(|x| *x != 0.0) {
        let free = q.clone();
        matrix.apply(&pulls, &free, &mut q);
    }
    let rolling = match d {
        5 => contacts.iter().map(One::rolling).collect(),
        _ => Vec::new(),
    };
    Ok(Assembled {
        problem: Problem {
            matrix,
            q,
            friction: contacts
                .iter()
                .map(|one| one.contact.law.friction)
                .collect(),
            rolling,
        },
        impulse,
        contacts: contacts.iter().map(One::named).collect(),
    })
}

/// A contact with the data that the problem needs.
struct One {
    candidate: Candidate,
    contact: Contact,
    parts: Parts<f64>,
    frame: [Vector3; 3],
    /// Indices of its two bodies among all members; `None` for immovable ones.
    members: [Option<usize>; 2],
}

/// All contacts that may act, in the order of their keys.
fn in_order(blocks: &Blocks) -> Vec<One> {
    let mut all: Vec<One> = Vec::new();
    for block in blocks.all() {
        for one in block.each() {
            let (contact, parts, origin) = (one.contact, one.parts, one.origin);
            if origin.memory.is_left_alone() {
                continue;
            }
            let members = contact.place.map(|p| block.bodies.get(p as usize).copied());
            all.push(One {
                candidate: blocks.candidate(block, one.index),
                frame: frame(&contact.law.normal),
                members: members.map(|k| k.map(|k| k as usize)),
                contact,
                parts,
            });
        }
    }
    all.sort_by_key(|one| one.candidate.key);
    all
}

impl One {
    fn cohesion(&self) -> f64 {
        self.parts.cohesion.map_or(0.0, |cohesion| cohesion.force)
    }

    fn rolling(&self) -> f64 {
        self.parts.couples.map_or(0.0, |couples| couples.rolling)
    }

    fn named(&self) -> Named {
        Named {
            key: self.candidate.key,
            frame: self.frame,
            cohesion: self.cohesion(),
        }
    }

    /// Adds the law's terms, other than the masses, to the contact's part of q and to the diagonal.
    fn add_laws(&self, q: &mut [f64], entries: &mut Vec<(usize, usize, f64)>, first: usize) {
        q[0] += self.contact.law.closing_speed;
        for (a, axis) in self.frame.iter().enumerate() {
            if let Some(drive) = &self.parts.drive {
                q[a] += Vector3::from(drive.velocity).dot(axis);
            }
            if let Some(springs) = &self.parts.springs {
                let soft = springs.softness[usize::from(a > 0)];
                if a > 0 {
                    q[a] -= soft * Vector3::from(springs.previous).dot(axis);
                }
                entries.push((first + a, first + a, soft));
            }
        }
        if let ([_, _, _, m1, m2], Some(drive)) = (&mut *q, &self.parts.drive) {
            let spin = Vector3::from(drive.spin);
            *m1 += spin.dot(&self.frame[1]);
            *m2 += spin.dot(&self.frame[2]);
        }
        if let ([_, _, _, m1, m2], Some(pivot)) = (q, &self.parts.pivot) {
            let (soft, previous) = (pivot.softness[0], Vector3::from(pivot.previous));
            *m1 -= soft * previous.dot(&self.frame[1]);
            *m2 -= soft * previous.dot(&self.frame[2]);
            entries.extend([3, 4].map(|k| (first + k, first + k, soft)));
        }
    }

    /// The present impulse in the contact's frame, and the couple.
    fn start(&self) -> [f64; 5] {
        let [n, t1, t2] = self.frame.map(|axis| self.contact.impulse.dot(&axis));
        let [_, m1, m2] = self.frame.map(|axis| self.contact.couple.dot(&axis));
        [n + self.cohesion(), t1, t2, m1, m2]
    }
}

/// The map with `u = ±v + n × s` along the axes of the frame and `Ω = ±s/l` along its tangents. The
/// sign is + for the second body.
fn jacobian([n, t1, t2]: &[Vector3; 3], sign: f64, lever: f64) -> Jacobian {
    let mut j = Jacobian::zeros();
    for (row, axis) in [n, t1, t2].into_iter().enumerate() {
        let turned = axis.cross(n);
        for k in 0..3 {
            j[(row, k)] = sign * axis[k];
            j[(row, k + 3)] = turned[k];
        }
    }
    if lever != 0.0 {
        for (row, axis) in [(3, t1), (4, t2)] {
            (0..3).for_each(|k| j[(row, k + 3)] = sign * axis[k] / lever);
        }
    }
    j
}

/// `M⁻¹` of a body, for velocity and spin.
fn mobility(member: &Member) -> Matrix6<f64> {
    let (mass, turning) = (member.inverse_mass(), member.inverse_turning());
    Matrix6::from_diagonal(&[mass, mass, mass, turning, turning, turning].into())
}
