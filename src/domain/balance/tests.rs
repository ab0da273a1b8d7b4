use super::*;
use crate::comm::threads;
use crate::math::Vector3;
use crate::rng::{Purpose, Stream};
use crate::solver::grid::BlockGrid;

fn whole(count: Block3, ranks: usize) -> Partition {
    let upper = Vector3::from(count.map(f64::from));
    let grid = BlockGrid::new(Vector3::zeros(), upper, 1.0, [false; 3]);
    Partition::new(Vector3::zeros(), upper, grid, ranks, &Vector3::zeros())
}

fn all(count: Block3) -> impl Iterator<Item = Block3> {
    let [x, y, z] = count;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

/// The share of each of `ranks` ranks, with the weights dealt to ranks at random, some in two
/// parts.
fn shared_out(
    count: Block3,
    ranks: usize,
    weights: &[(Block3, i64)],
    deal: u64,
) -> (Partition, Vec<i64>, i64) {
    let mut found = threads::run(ranks, |comm| {
        let mut draw = Stream::new(Purpose::Trial, 91, [deal, 0, 0]);
        let mut mine = Vec::new();
        for &(block, weight) in weights {
            let share = i64::from(draw.below(1 + weight as u32));
            for part in [share, weight - share] {
                if draw.below(ranks as u32) as usize == comm.rank() {
                    mine.push((block, part));
                }
            }
        }
        let domain = Domain::new(comm, whole(count, ranks));
        balanced(&domain, &mine)
    });
    let first = found.pop().unwrap();
    for other in &found {
        assert_eq!(other.partition, first.partition);
        assert_eq!(other.largest, first.largest);
    }
    let mut of_rank = vec![0; ranks];
    for &(block, weight) in weights {
        of_rank[first.partition.owner_of_block(block)] += weight;
    }
    (first.partition, of_rank, first.largest)
}

/// Every rank gets its share to within a block or so, for any distribution of the weight.
///
/// All ranks find the same cut, whichever rank contributes a weight. A cut misses its target by
/// half a block at most, and of that miss a rank inherits at most two thirds in each further cut:
/// 1/2 (1 + 2/3 + 4/9 + …) = 3/2 blocks, or three times the slack.
#[test]
fn every_rank_gets_its_share() {
    for case in 0..60 {
        let mut draw = Stream::new(Purpose::Trial, 90, [case, 0, 0]);
        let count = [0; 3].map(|_| 1 + draw.below(9) as i32);
        let ranks = 1 + draw.below(9) as usize;
        // Some blocks weigh nothing, some a lot; in some cases all weight is in a corner.
        let corner = draw.below(3) == 0;
        let weights: Vec<(Block3, i64)> = all(count)
            .map(|block| {
                let far = corner && (0..3).any(|a| 2 * block[a] > count[a]);
                let weight = match draw.below(4) {
                    _ if far => 0,
                    0 => 0,
                    1 => i64::from(draw.below(10)),
                    _ => 100 + i64::from(draw.below(900)),
                };
                (block, weight)
            })
            .collect();
        let total: i64 = weights.iter().map(|(_, w)| w).sum();
        let heaviest = weights.iter().map(|(_, w)| *w).max().unwrap();
        let (partition, of_rank, largest) = shared_out(count, ranks, &weights, case);
        assert_eq!(of_rank.iter().sum::<i64>(), total);
        assert_eq!(of_rank.iter().max(), Some(&largest));
        let share = total as f64 / ranks as f64;
        let bound = share + 1.5 * (heaviest as f64).max(2.0 * SLACK * share);
        assert!(
            largest as f64 <= bound,
            "case {case}: {of_rank:?} of {total}, heaviest {heaviest}"
        );
        let (again, ..) = shared_out(count, ranks, &weights, 1000 + case);
        assert_eq!(partition, again, "case {case}: dealt otherwise");
    }
}

/// Equal blocks whose number divides give equal shares, with compact cuts.
///
/// As many pairs of neighbours are cut as by bricks.
#[test]
fn equal_blocks_are_cut_into_bricks() {
    let count = [8, 8, 8];
    let weights: Vec<(Block3, i64)> = all(count).map(|block| (block, 5)).collect();
    let (partition, of_rank, _) = shared_out(count, 8, &weights, 0);
    assert_eq!(of_rank, [320; 8]);
    let bricks = whole(count, 8);
    let cut = |p: &Partition| {
        let pairs = all(count).flat_map(|b| {
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|d| (b, [b[0] + d[0], b[1] + d[1], b[2] + d[2]]))
        });
        let inside = pairs.filter(|(_, b)| (0..3).all(|a| b[a] < count[a]));
        inside
            .filter(|(a, b)| p.owner_of_block(*a) != p.owner_of_block(*b))
            .count()
    };
    assert_eq!(cut(&partition), cut(&bricks));
    assert_eq!(cut(&bricks), 3 * 64);
}

/// Without weight, or with fewer blocks than ranks, every block still has one owner.
///
/// Some ranks then have no block.
#[test]
fn ranks_may_go_without() {
    let (partition, of_rank, largest) =
        shared_out([2, 1, 1], 5, &[([0, 0, 0], 7), ([1, 0, 0], 7)], 3);
    assert_eq!(of_rank.iter().sum::<i64>(), 14);
    assert_eq!(largest, 7);
    assert!(all([2, 1, 1]).all(|b| partition.owner_of_block(b) < 5));
    let (partition, _, largest) = shared_out([3, 3, 3], 4, &[], 0);
    assert_eq!(largest, 0);
    assert!(all([3, 3, 3]).all(|b| partition.owner_of_block(b) < 4));
}
