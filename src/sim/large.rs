//! The bodies of a run that are much larger than the rest.

use super::error::RunError;
use crate::body::{BodyId, BodyRow, Large, is_large};
use crate::comm::Comm;
use crate::config::Scenario;
use crate::math::nan_max;
use crate::sample::inlet::Inlet;

/// A body is large if its radius is more than this many times the median of all bodies.
const RATIO: f64 = 8.0;

/// The most bodies that are large by this rule. If there are more, blocks are as wide as they need.
const MOST: usize = 1000;

/// The radius [m] above which bodies are large; `None` if none is. Collective.
///
/// It is that of the configuration, or else follows from the present bodies, of which each rank has
/// a share. Radii are those of fully grown bodies, larger by `growth` than the present ones.
///
/// A run whose blocks are given keeps them, so that a resumed run is as it began.
pub(super) fn above(
    comm: &dyn Comm,
    scenario: &Scenario,
    share: &[BodyRow],
    growth: f64,
) -> Option<f64> {
    if scenario.statics.is_some() || scenario.cell.is_some() {
        return None; // Neither blocks nor boxes allow it.
    }
    let solver = &scenario.solver;
    if solver.block_edge.is_some() || solver.large_radius.is_some() {
        return solver.large_radius;
    }
    let largest = |of: &dyn Fn(&BodyRow) -> f64| {
        comm.max_f64(share.iter().map(of).fold(f64::NEG_INFINITY, nan_max))
    };
    let [least, most] = [-largest(&|row| -row.radius), largest(&|row| row.radius)];
    if !(least > 0.0 && most.is_finite() && most > RATIO * least) {
        return None;
    }
    let to_come = scenario.inlets.iter().map(|inlet| inlet.radius.bounds()[1]);
    let to_come = to_come.fold(0.0, nan_max) / growth;
    let bound = (RATIO * median(comm, share, [least, most])).max(to_come);
    let is_beyond = |row: &&BodyRow| is_large(row, Some(bound));
    let count = comm.sum_count(share.iter().filter(is_beyond).count());
    if count == 0 || count > MOST as u64 {
        return None;
    }
    // Between the sizes, so that growth does not change the choice by rounding.
    let one = |row: &BodyRow, keeps: bool| is_large(row, Some(bound)) == keeps;
    let small = largest(&|row| if one(row, false) { row.radius } else { to_come });
    let beyond = |row: &BodyRow| if one(row, true) { -row.radius } else { -most };
    Some((small.max(to_come) * -largest(&beyond)).sqrt() * growth)
}

/// The bodies whose fully grown radius is above this one [m], on all ranks. Collective.
pub(super) fn large(
    comm: &dyn Comm,
    share: &[BodyRow],
    (above, growth): (Option<f64>, f64),
) -> Large {
    let Some(above) = above else {
        return Large::default();
    };
    let mine = share.iter();
    let mine = mine.filter(|row| is_large(row, Some(above / growth)));
    let mine: Vec<u64> = mine.map(|row| row.id.0).collect();
    let all = comm.all_gather(bytemuck::cast_slice(&mine));
    let ids = all
        .iter()
        .flat_map(|bytes| bytemuck::allocation::pod_collect_to_vec::<u8, u64>(bytes).into_iter());
    Large::new(ids.map(BodyId).collect())
}

/// Refuses large bodies that a run cannot have.
///
/// `count` is the number of all bodies.
pub(super) fn may_be(scenario: &Scenario, large: &Large, count: u64) -> Result<(), RunError> {
    let solver = &scenario.solver;
    let refused = |key: &str, text| Err(RunError::Input(scenario.refuse(key, text).to_string()));
    let Some(above) = solver.large_radius else {
        return Ok(());
    };
    let beyond = |inlet: &Inlet| inlet.radius.bounds()[1] > above;
    if let Some(number) = scenario.inlets.iter().position(beyond) {
        let most = scenario.inlets[number].radius.bounds()[1];
        return refused(
            &format!("inlet.{number}.radius"),
            format!(
                "must be at most solver.large_radius = {above} m, as large bodies are there from the start; found {most} m"
            ),
        );
    }
    let beyond = large.len() as u64;
    match solver.block_edge {
        None if 2 * beyond > count => refused(
            "solver.large_radius",
            format!(
                "must be at least the radius of half of all bodies, as these decide the size of blocks; found {above} m, which \
                 {beyond} of {count} bodies exceed"
            ),
        ),
        _ => Ok(()),
    }
}

/// The smallest radius that at least half of all bodies do not exceed [m]. Collective.
fn median(comm: &dyn Comm, share: &[BodyRow], [least, most]: [f64; 2]) -> f64 {
    let count = comm.sum_count(share.len());
    // The bits of positive numbers are in the order of the numbers.
    let [mut low, mut high] = [least, most].map(f64::to_bits);
    while low < high {
        let middle = low + (high - low) / 2;
        let at_most = f64::from_bits(middle);
        let below = share.iter().filter(|row| row.radius <= at_most).count();
        if 2 * comm.sum_count(below) >= count {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    f64::from_bits(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;

    /// The median of shares on three ranks is that of the sorted list.
    #[test]
    fn the_median_is_that_of_the_sorted_list() {
        for count in [1_usize, 2, 7, 100] {
            let radius = |k: usize| 0.1 + ((k * 37 + 11) % 101) as f64;
            let mut all: Vec<f64> = (0..count).map(radius).collect();
            let found = threads::run(3, |comm| {
                let mine = (0..count).filter(|k| k % 3 == comm.rank());
                let row = |k| BodyRow {
                    radius: radius(k),
                    ..bytemuck::Zeroable::zeroed()
                };
                let share: Vec<BodyRow> = mine.map(row).collect();
                let ends = [0.0, 1000.0].map(|x: f64| x.max(1e-3));
                median(comm, &share, ends)
            });
            all.sort_by(f64::total_cmp);
            assert!(found.iter().all(|m| *m == all[(count - 1) / 2]), "{count}");
        }
    }
}
