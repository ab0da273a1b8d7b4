//! Contact forces in a window: Love-Weber stress, fabric, the distribution of forces.

use super::{Side, Window, branch};
use crate::body::BodyId;
use crate::contact::ContactRow;
use crate::law::Status;
use crate::math::{ExactSum, Vector3};

/// Whether a contact carries a force.
#[must_use]
pub fn carries(contact: &ContactRow) -> bool {
    contact.status != Status::Open as u64
}

/// `Σ r_a l_b` over the contacts that carry a force [N s m], row by row.
///
/// This is impulse times branch, of which only the part in the window counts. Divided by the
/// window's volume and the step's length it is the Love-Weber stress [Pa], compression positive.
/// `side` gives the ball of a body that touches, by the body and its part.
#[must_use]
pub fn branch_moments(
    contacts: &[ContactRow],
    window: &Window,
    side: impl Fn(BodyId, usize) -> Side,
) -> [ExactSum; 9] {
    let mut sums = <[ExactSum; 9]>::default();
    for contact in contacts.iter().filter(|c| carries(c)) {
        let (from, to) = branch(contact, &side);
        let share = window.share(&from, &to);
        if share == 0.0 {
            continue;
        }
        let way = (to - from) * share;
        for (k, sum) in sums.iter_mut().enumerate() {
            sum.add(contact.impulse[k / 3] * way[k % 3]);
        }
    }
    sums
}

/// The contacts that carry a force and whose point lies in the window.
pub fn carrying<'a>(
    contacts: &'a [ContactRow],
    window: &'a Window,
) -> impl Iterator<Item = &'a ContactRow> {
    let inside = |c: &&ContactRow| carries(c) && window.inside(&Vector3::from(c.point)).is_some();
    contacts.iter().filter(inside)
}

/// The number of force-carrying contacts in the window, and `Σ n n` over them.
///
/// The components are xx, yy, zz, xy, xz, yz.
#[must_use]
pub fn fabric(contacts: &[ContactRow], window: &Window) -> (usize, [ExactSum; 6]) {
    let (mut count, mut sums) = (0, <[ExactSum; 6]>::default());
    for c in carrying(contacts, window) {
        count += 1;
        let n = c.normal;
        let six = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        let each = sums.iter_mut().zip(six);
        each.for_each(|(sum, (a, b))| sum.add(n[a] * n[b]));
    }
    (count, sums)
}

/// A contact's normal impulse, positive in compression, and the magnitude of its tangential one [N
/// s].
#[must_use]
pub(super) fn parts(contact: &ContactRow) -> (f64, f64) {
    let (r, n) = (
        Vector3::from(contact.impulse),
        Vector3::from(contact.normal),
    );
    let normal = r.dot(&n);
    (normal, (r - n * normal).norm())
}

/// Sums over the contacts that carry a force in a window [N s].
///
/// They are of the normal impulse, its magnitude, and the tangential impulse.
#[must_use]
pub fn force_sums(contacts: &[ContactRow], window: &Window) -> (usize, [ExactSum; 3]) {
    let (mut count, mut sums) = (0, <[ExactSum; 3]>::default());
    for c in carrying(contacts, window) {
        let (normal, tangential) = parts(c);
        count += 1;
        let each = sums.iter_mut().zip([normal, normal.abs(), tangential]);
        each.for_each(|(sum, x)| sum.add(x));
    }
    (count, sums)
}

/// Bins of the distribution of forces: one below zero, those of width 0.1 up to 10, one beyond.
pub const FORCE_BINS: usize = 102;

/// Ends of a bin of the distribution of forces, in mean forces.
#[must_use]
pub fn force_bin(bin: usize) -> (f64, f64) {
    let edge = |k: usize| k as f64 / 10.0;
    match bin {
        0 => (f64::NEG_INFINITY, 0.0),
        101.. => (edge(100), f64::INFINITY),
        k => (edge(k - 1), edge(k)),
    }
}

/// Counts and sums that need the means of the forces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForceCounts {
    /// Contacts that slide.
    pub sliding: i64,
    /// Contacts with less than the mean normal force.
    pub weak: i64,
    /// Contacts by their normal force over its mean magnitude.
    pub normal: Vec<i64>,
    /// Contacts by their tangential force over its mean; all zero without tangential forces.
    pub tangential: Vec<i64>,
}

/// The counts, and the summed squares of the deviations of both impulses from their means [N² s²].
///
/// The impulses are the normal and the tangential one; `means` are those of [`force_sums`].
#[must_use]
pub fn force_counts(
    contacts: &[ContactRow],
    window: &Window,
    means: [f64; 3],
) -> (ForceCounts, [ExactSum; 2]) {
    let [mean, size, mean_tangential] = means;
    let mut squares = <[ExactSum; 2]>::default();
    let mut counts = ForceCounts {
        sliding: 0,
        weak: 0,
        normal: vec![0; FORCE_BINS],
        tangential: vec![0; FORCE_BINS],
    };
    for c in carrying(contacts, window) {
        let (normal, tangential) = parts(c);
        counts.sliding += i64::from(c.status == Status::Sliding as u64);
        counts.weak += i64::from(normal < mean);
        squares[0].add((normal - mean).powi(2));
        squares[1].add((tangential - mean_tangential).powi(2));
        count(&mut counts.normal, normal, size);
        count(&mut counts.tangential, tangential, mean_tangential);
    }
    (counts, squares)
}

fn count(bins: &mut [i64], x: f64, mean: f64) {
    // Zero over zero falls into no bin.
    let ratio = x / mean;
    let bin = match ratio {
        r if r < 0.0 => 0,
        r if r >= 10.0 => FORCE_BINS - 1,
        r if r.is_nan() => return,
        r => {
            // By the edges as they are written, for any rounding of the product.
            let near = (r * 10.0) as usize;
            let edge = |k: usize| k as f64 / 10.0;
            let k = near + usize::from(r >= edge(near + 1));
            1 + k - usize::from(r < edge(k))
        }
    };
    bins[bin] += 1;
}

#[cfg(test)]
mod tests;
