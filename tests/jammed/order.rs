//! Crystalline order by the neighbours' directions, after ten Wolde, Ruiz-Montero and Frenkel (1996): with `q_6m(i)` the mean of `Y_6m` over the
//! directions to the neighbours of body i, two neighbours are bound where `Σ_m q_6m(i) q_6m(j)*` of the two, each scaled to one, exceeds 0.7, and a
//! body with eight such neighbours or more is part of a crystal. The sum over m needs no `Y_6m`: it is a sum of `P_6` over pairs of directions.
#![allow(unreachable_pub, missing_docs)] // A module of tests.

use moreau::math::Vector3;

/// Neighbours are as near as so many diameters: just below the second shell of a face-centred lattice, `√2`.
const NEAR: f64 = 1.35;
const BOUND: f64 = 0.7;
const ENOUGH: usize = 8;

fn legendre6(x: f64) -> f64 {
    let y = x * x;
    (((231.0 * y - 315.0) * y + 105.0) * y - 5.0) / 16.0
}

fn product(a: &[Vector3], b: &[Vector3]) -> f64 {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| a.dot(b)));
    pairs.map(legendre6).sum::<f64>() / (a.len() * b.len()) as f64
}

/// The share of crystalline bodies among those that `counted` takes; centres [m], mean diameter [m], periods along x and y [m].
pub fn crystalline(
    centres: &[Vector3],
    d: f64,
    periods: Option<[f64; 2]>,
    counted: impl Fn(&Vector3) -> bool,
) -> f64 {
    let nearest = |mut way: Vector3| {
        for (axis, period) in periods.iter().flatten().enumerate() {
            way[axis] -= period * (way[axis] / period).round();
        }
        way
    };
    let mut ways: Vec<Vec<(usize, Vector3)>> = vec![Vec::new(); centres.len()];
    for i in 0..centres.len() {
        for j in 0..i {
            let way = nearest(centres[j] - centres[i]);
            if way.norm() < NEAR * d {
                ways[i].push((j, way.normalize()));
                ways[j].push((i, -way.normalize()));
            }
        }
    }
    let directions: Vec<Vec<Vector3>> = (ways.iter())
        .map(|near| near.iter().map(|(_, way)| *way).collect())
        .collect();
    let own: Vec<f64> = directions.iter().map(|a| product(a, a)).collect();
    let bound = |i: usize, j: usize| {
        product(&directions[i], &directions[j]) / (own[i] * own[j]).sqrt() > BOUND
    };
    let solid = |i: &usize| ways[*i].iter().filter(|(j, _)| bound(*i, *j)).count() >= ENOUGH;
    let of: Vec<usize> = (0..centres.len())
        .filter(|i| counted(&centres[*i]))
        .collect();
    of.iter().filter(|i| solid(i)).count() as f64 / of.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use moreau::rng::{Purpose, Stream};

    /// A face-centred lattice with nearest neighbours at distance 1, each point moved by up to so much along each axis.
    fn lattice(moved: f64) -> Vec<Vector3> {
        let mut draw = Stream::new(Purpose::Trial, 7, [0; 3]);
        let a = 2.0_f64.sqrt();
        let corners = [[0.0; 3], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
        let cells = (0..216).map(|k| [k % 6, k / 6 % 6, k / 36].map(f64::from));
        let points = cells.flat_map(|cell| corners.map(|c| Vector3::from(cell) + Vector3::from(c)));
        points
            .map(|p| p * a + Vector3::from_fn(|_, _| moved * draw.between(-1.0, 1.0)))
            .collect()
    }

    #[test]
    fn a_lattice_is_a_crystal_and_a_shaken_one_is_none() {
        let inner = |p: &Vector3| p.iter().all(|x| (1.2..6.5).contains(x));
        assert_eq!(crystalline(&lattice(0.0), 1.0, None, inner), 1.0);
        assert!(crystalline(&lattice(0.05), 1.0, None, inner) > 0.95);
        assert!(crystalline(&lattice(0.6), 1.0, None, inner) < 0.02);
    }
}
