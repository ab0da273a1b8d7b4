//! Bodies that move while nothing holds them.

use super::assembly::Assembly;
use super::balance::{Balance, Loads};
use super::places::way;
use super::solve::solve;
use super::stiffness::Stiffness;
use super::unknowns::UNKNOWNS;
use crate::body::BodyId;
use crate::math::{ExactSum, nan_max};
use crate::rng::{Purpose, Stream};
use crate::solver::linear::{Limits, System};

/// ρ over the largest stiffness, in the search for free motions.
const TRIAL: f64 = 1e-9;

/// Bodies that an error lists.
const LISTED: usize = 5;

/// Bodies of a motion that strains no contact; none if all motions do. Collective.
///
/// A random load is answered with a small resistance ρ. Where the answer's stiffness `xᵀK̂x/xᵀx` is
/// below ρ, it consists of free motions.
pub(super) fn free_motion(assembly: &Assembly) -> Vec<BodyId> {
    let resistance = TRIAL * assembly.scale().stiffness;
    let mut stiffness = Stiffness::new(assembly, false, resistance);
    let mut b = vec![0.0; stiffness.len()];
    let bodies = UNKNOWNS * assembly.network.own.len();
    for (k, b) in b[..bodies].chunks_mut(UNKNOWNS).enumerate() {
        let mut drawn = Stream::new(Purpose::Trial, 1, [assembly.network.body(k).id.0, 0, 0]);
        let mask = assembly.network.mask(k);
        for (b, _) in b.iter_mut().zip(mask).filter(|(_, free)| *free) {
            *b = drawn.between(-1.0, 1.0);
        }
    }
    without_translation(assembly, &mut b);
    let mut x = vec![0.0; b.len()];
    let [square] = stiffness.products([[&b, &b]]);
    let limits = Limits {
        residual: 1e-6 * square.sqrt(),
        products: 100_000,
    };
    solve(&mut stiffness, true, (b.into(), &mut x), &limits);
    if !is_free(&mut stiffness, &x) {
        return Vec::new();
    }
    widest(assembly, |k| {
        let x = &x[UNKNOWNS * k..][..UNKNOWNS];
        x.iter().map(|x| x * x).sum::<f64>().sqrt()
    })
}

/// Whether a motion has a stiffness `xᵀK̂x/xᵀx` below the resistance ρ in K̂ + ρ. Collective.
fn is_free(stiffness: &mut Stiffness, x: &[f64]) -> bool {
    let mut y = vec![0.0; x.len()];
    stiffness.apply(x, &mut y);
    let [work, square] = stiffness.products([[x, &y], [x, x]]);
    square > 0.0 && work - stiffness.resistance * square <= stiffness.resistance * square
}

/// Whether the unbalanced forces move bodies without straining a contact, as far as `K̂` shows.
/// Collective.
///
/// Where they do not, an equilibrium is near to first order.
pub(super) fn gives_way(assembly: &Assembly) -> bool {
    let b = Balance::of(assembly, &Loads::of(assembly)).unbalanced;
    let resistance = TRIAL * assembly.scale().stiffness;
    let mut stiffness = Stiffness::new(assembly, false, resistance);
    let mut x = vec![0.0; b.len()];
    let [square] = stiffness.products([[&b, &b]]);
    let limits = Limits {
        residual: 1e-6 * square.sqrt(),
        products: 10_000,
    };
    solve(&mut stiffness, true, (b.into(), &mut x), &limits);
    is_free(&mut stiffness, &x)
}

/// Takes the common displacement out of a load on bodies that only a cell that deforms holds.
/// Collective.
///
/// The strain of the cell cannot move them all alike.
fn without_translation(assembly: &Assembly, b: &mut [f64]) {
    let network = &assembly.network;
    let own = 0..network.own.len();
    let held = |k: &usize| !network.body(*k).is_free() || assembly.supports.hold(network.body(*k));
    let held = own.clone().filter(held).count() + network.walls.len();
    if assembly.physics.cell.is_none() || assembly.domain.max(held as f64) > 0.0 {
        return;
    }
    let mut sums = <[ExactSum; 4]>::default();
    for k in own.clone() {
        (0..3).for_each(|n| sums[n].add(b[UNKNOWNS * k + n]));
        sums[3].add(1.0);
    }
    let [x, y, z, count] = assembly.domain.sums(&sums);
    for k in own {
        let each = [x, y, z].into_iter().enumerate();
        each.for_each(|(n, sum)| b[UNKNOWNS * k + n] -= sum / count);
    }
}

/// The bodies that have moved farthest since the part of an increment began. Collective.
///
/// Where no equilibrium exists, the bodies of a mechanism move by the same amount in each
/// iteration, and all others come to rest.
pub(super) fn farthest(assembly: &Assembly) -> Vec<BodyId> {
    widest(assembly, |k| way(assembly.network.body(k)).norm())
}

/// The own bodies of all ranks whose motion is at least half of the largest, by id. Collective.
fn widest(assembly: &Assembly, size: impl Fn(usize) -> f64) -> Vec<BodyId> {
    let own = 0..assembly.network.own.len();
    let most = own.clone().map(&size).fold(0.0, nan_max);
    let most = assembly.domain.max(most);
    let wide = own.filter(|&k| size(k) >= 0.5 * most).take(LISTED);
    let mine: Vec<u64> = wide.map(|k| assembly.network.body(k).id.0).collect();
    let mut all = assembly.domain.gather(&mine);
    all.sort_unstable();
    all.into_iter().take(LISTED).map(BodyId).collect()
}
