//! The stiffness that the contacts of a body have against its own motion.

use super::super::link::Link;
use super::super::unknowns::UNKNOWNS;
use crate::math::{Matrix3, Vector3};
use nalgebra::{DefaultAllocator, Matrix3 as Three, Matrix6, OMatrix, OVector};
use nalgebra::{allocator::Allocator, dimension::DimName};

/// The block k^pp of a body [N/m], by its unknowns u and s = r φ.
///
/// A contact with normal n, stiffnesses k and an arm ℓ n has, with `P = I − nnᵀ`, the parts
/// `k_n nnᵀ + k_t P` of u by u, `(k_t ℓ² P + k_b P + k_w nnᵀ)/r²` of s by s, and `−k_t ℓ/r [n]×` of
/// u by s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    ways: Matrix3,
    turns: Matrix3,
    /// Σ k_t ℓ/r n.
    across: Vector3,
    /// Largest normal stiffness, or stiffness of a support [N/m].
    pub stiffest: f64,
}

impl Held {
    /// The stiffness of supports, by unknown.
    pub(super) fn of(supports: &[f64; UNKNOWNS]) -> Self {
        let [x, y, z, a, b, c] = *supports;
        Self {
            ways: Matrix3::from_diagonal(&Vector3::new(x, y, z)),
            turns: Matrix3::from_diagonal(&Vector3::new(a, b, c)),
            across: Vector3::zeros(),
            stiffest: supports.iter().copied().fold(0.0, f64::max),
        }
    }

    /// Adds a contact, of which the body of this radius [m] is one side.
    pub(super) fn add(&mut self, link: &Link, side: usize, radius: f64) {
        let (k, n) = (link.tangent(false).stiffness, &link.normal);
        let arm = (radius + 0.5 * link.gap) * if side == 0 { 1.0 } else { -1.0 };
        let along = n * n.transpose();
        let square = radius * radius;
        let [turn, twist] = [
            (k.tangential * arm * arm + k.bending) / square,
            k.twisting / square,
        ];
        self.ways += along * (k.normal - k.tangential);
        self.turns += along * (twist - turn);
        for axis in 0..3 {
            self.ways[(axis, axis)] += k.tangential;
            self.turns[(axis, axis)] += turn;
        }
        self.across += n * (k.tangential * arm / radius);
        self.stiffest = self.stiffest.max(link.elastic.stiffness.normal);
    }

    /// The block of the unknowns in the plane: x, y, and the rotation about z.
    pub(super) fn planar(&self) -> Three<f64> {
        let (u, v) = (&self.ways, &self.across);
        Three::new(
            u[(0, 0)],
            u[(0, 1)],
            -v.y,
            u[(1, 0)],
            u[(1, 1)],
            v.x,
            -v.y,
            v.x,
            self.turns[(2, 2)],
        )
    }

    /// The block of all unknowns.
    pub(super) fn spatial(&self) -> Matrix6<f64> {
        let across = self.across.cross_matrix();
        let mut block = Matrix6::zeros();
        block.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.ways);
        block.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.turns);
        block.fixed_view_mut::<3, 3>(0, 3).copy_from(&-across);
        block.fixed_view_mut::<3, 3>(3, 0).copy_from(&across);
        block
    }
}

/// The shift that balances a force `out`, or `out` over the stiffness `stiffest` where there is
/// none.
///
/// A block with a motion that holds less than `free`, over the stiffness, is held by `fictitious`
/// as well.
pub(super) fn balanced<D: DimName>(
    block: OMatrix<f64, D, D>,
    out: OVector<f64, D>,
    stiffest: f64,
    [free, fictitious]: [f64; 2],
) -> OVector<f64, D>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D>,
{
    let plus = |resistance: f64| {
        let mut held = block.clone();
        (0..D::dim()).for_each(|n| held[(n, n)] += resistance * stiffest);
        held.cholesky()
    };
    let factors = plus(0.0).filter(|factors| {
        // All eigenvalues are above det (n − 1)ⁿ⁻¹/traceⁿ⁻¹, as the mean of the others bounds them.
        let others = (D::dim() - 1) as f64;
        let mean = block.trace() / others;
        let diagonal = (0..D::dim()).map(|n| factors.l_dirty()[(n, n)]);
        let bound = diagonal.fold(1.0, |product, x| product * (x * x / mean)) * mean;
        // They are above a number as well if the block less that number has factors.
        bound > free * stiffest || plus(-free).is_some()
    });
    match factors.or_else(|| plus(fictitious)) {
        Some(factors) => factors.solve(&out),
        None => out / stiffest,
    }
}
