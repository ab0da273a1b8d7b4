//! Load balance: a distribution of the blocks that gives all ranks the same work.
//!
//! Recursive bisection: the ranks are halved again and again, and each half gets its share of the
//! weight of all blocks. A cut is normal to the longest axis of the box around the blocks with
//! weight. It passes through a layer of blocks, in it through a row, and in that between two
//! blocks. So it hits the target weight to within half a block's weight, or a hundredth of a rank's
//! weight if it then has no step. No rank knows all blocks: each stage of a cut sums the weights of
//! layers over ranks, for all parts at once.
//!
//! Owners affect only where a number is computed, never its value. Weights are integers, so a cut
//! does not depend on the rank that contributes a weight.

use super::Domain;
use super::partition::{Half, Partition};
use crate::solver::grid::Block3;

/// Ranks whose blocks are not separated yet.
#[derive(Clone, Debug)]
struct Part {
    first: usize,
    end: usize,
    weight: i64,
}

/// A cut in progress.
#[derive(Clone, Debug)]
struct Halving {
    /// The part that is cut.
    part: Part,
    /// Lowest and highest positions of its blocks.
    low: Block3,
    high: Block3,
    axes: [usize; 3],
    /// Position of the layer, of the row in it, and of the block in that.
    ///
    /// Entries beyond the present depth are undetermined.
    place: Block3,
    /// Weight before it.
    before: i64,
    /// The target weight of the lower half.
    wanted: i64,
    /// The permitted deviation from the target if the cut then has no step.
    slack: i64,
    /// Whether the cut is complete.
    made: bool,
}

/// The permitted deviation of a cut without a step, as a fraction of a rank's share.
///
/// At each step in a cut, bodies migrate on one axis more.
const SLACK: f64 = 0.01;

/// A cut of the domain, and the quality of its balance.
#[derive(Clone, Debug)]
pub struct Balanced {
    /// The cut.
    pub partition: Partition,
    /// The largest weight of a rank.
    pub largest: i64,
}

/// Distributes the blocks; weights of one block from several ranks are added up. Collective.
#[must_use]
pub fn balanced(domain: &Domain, weights: &[(Block3, i64)]) -> Balanced {
    let comm = domain.comm;
    let mut total = [weights.iter().map(|(_, w)| w).sum::<i64>()];
    comm.sum_i64(&mut total);
    let mut parts = vec![Part {
        first: 0,
        end: comm.size(),
        weight: total[0],
    }];
    let mut halves = vec![Half::NONE; comm.size()];
    // The part of each block.
    let mut of: Vec<usize> = vec![0; weights.len()];
    while parts.iter().any(|part| part.end - part.first > 1) {
        let blocks = || weights.iter().zip(&of).map(|((b, w), &p)| (p, *b, *w));
        let boxes = boxes(domain, parts.len(), blocks());
        let mut cuts: Vec<Halving> = (parts.iter().zip(boxes))
            .map(|(part, (low, high))| Halving::new(part.clone(), low, high))
            .collect();
        for depth in 0..3 {
            narrow(domain, &mut cuts, depth, blocks());
        }
        let mut next = Vec::with_capacity(2 * parts.len());
        let mut new_place = vec![[0; 2]; parts.len()];
        for (cut, new_place) in cuts.iter().zip(&mut new_place) {
            let Part { first, end, weight } = cut.part;
            *new_place = [next.len(); 2];
            if end - first < 2 {
                next.push(cut.part.clone());
                continue;
            }
            let middle = (first + end) / 2;
            halves[middle] = Half {
                axes: cut.axes,
                first: cut.place,
            };
            new_place[1] += 1;
            next.push(Part {
                first,
                end: middle,
                weight: cut.before,
            });
            next.push(Part {
                first: middle,
                end,
                weight: weight - cut.before,
            });
        }
        for ((block, _), of) in weights.iter().zip(&mut of) {
            let Part { first, end, .. } = parts[*of];
            let upper = end - first > 1 && !halves[(first + end) / 2].is_before(*block);
            *of = new_place[*of][usize::from(upper)];
        }
        parts = next;
    }
    Balanced {
        partition: domain.partition.with_halves(halves),
        largest: parts.iter().map(|part| part.weight).max().unwrap_or(0),
    }
}

/// Lowest and highest positions of the blocks of each part, over all ranks. Collective.
fn boxes(
    domain: &Domain,
    parts: usize,
    blocks: impl Iterator<Item = (usize, Block3, i64)>,
) -> Vec<(Block3, Block3)> {
    let mut ends = vec![i64::MIN; 6 * parts];
    for (part, block, _) in blocks {
        for (a, x) in block.into_iter().map(i64::from).enumerate() {
            let of = 6 * part + a;
            ends[of] = ends[of].max(-x);
            ends[of + 3] = ends[of + 3].max(x);
        }
    }
    domain.comm.max_i64(&mut ends);
    let read = |ends: &[i64]| {
        let none = ends[0] == i64::MIN;
        let low = [0, 1, 2].map(|a| if none { 0 } else { -ends[a] as i32 });
        let high = [3, 4, 5].map(|a| if none { 0 } else { ends[a] as i32 });
        (low, high)
    };
    ends.chunks_exact(6).map(read).collect()
}

impl Halving {
    fn new(part: Part, low: Block3, high: Block3) -> Self {
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|&a| low[a] - high[a]);
        let Part { first, end, weight } = part;
        let lower = (first + end) / 2 - first;
        let wanted = i128::from(weight) * lower as i128 / (end - first) as i128;
        Self {
            part,
            low,
            high,
            axes,
            place: [0; 3],
            before: 0,
            wanted: wanted as i64,
            slack: (SLACK * weight as f64 / (end - first) as f64) as i64,
            made: false,
        }
    }

    /// The number of layers at a depth.
    fn layers(&self, depth: usize) -> usize {
        let axis = self.axes[depth];
        (self.high[axis] - self.low[axis] + 1) as usize
    }

    /// The layer of a block at a depth, if it is in the layer and the row found so far.
    fn layer(&self, depth: usize, block: Block3) -> Option<usize> {
        let place = Half::place(self.axes, block);
        let in_it = !self.made && place[..depth] == self.place[..depth];
        in_it.then(|| (place[depth] - self.low[self.axes[depth]]) as usize)
    }

    /// Takes the layer that reaches the target weight, at the last depth the nearer side of the
    /// block.
    fn choose(&mut self, depth: usize, layers: &[i64]) {
        if self.made {
            return;
        }
        let last = layers.len() - 1;
        let mut layer = 0;
        while layer < last && self.before + layers[layer] <= self.wanted {
            self.before += layers[layer];
            layer += 1;
        }
        let within = self.wanted - self.before;
        let nearer = within.min(layers[layer] - within);
        self.made = depth == 2 || nearer <= self.slack;
        if self.made {
            self.place[depth + 1..].fill(i32::MIN);
            if 2 * within > layers[layer] {
                self.before += layers[layer];
                layer += 1;
            }
        }
        self.place[depth] = self.low[self.axes[depth]] + layer as i32;
    }
}

/// Adds up the weights of the layers of all parts, and chooses. Collective.
fn narrow(
    domain: &Domain,
    cuts: &mut [Halving],
    depth: usize,
    blocks: impl Iterator<Item = (usize, Block3, i64)>,
) {
    let mut ends = vec![0];
    ends.extend(cuts.iter().scan(0, |end, cut| {
        *end += cut.layers(depth);
        Some(*end)
    }));
    let mut layers = vec![0i64; ends[cuts.len()]];
    for (part, block, weight) in blocks {
        if let Some(layer) = cuts[part].layer(depth, block) {
            layers[ends[part] + layer] += weight;
        }
    }
    domain.comm.sum_i64(&mut layers);
    for (cut, ends) in cuts.iter_mut().zip(ends.windows(2)) {
        cut.choose(depth, &layers[ends[0]..ends[1]]);
    }
}

#[cfg(test)]
mod tests;
