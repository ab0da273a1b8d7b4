//! The elastic moduli of an assembly at its present contacts, all of which stick.
//!
//! A uniform strain ε of the cell moves the two ends of a contact apart by `ε b`: b is the branch
//! from the first centre to the second, across periodic ends too. Bodies then move further, by u,
//! until forces balance: `K̂ u = Σ B T̂ k T̂ᵀ ε b`. The stress [Pa], tension positive, is
//! `σ = −(1/V) Σ F ⊗ b` over all contacts, F being the force on the second body that ε and u add.

use super::assembly::Assembly;
use super::forces::{Forces, Tangents};
use super::stiffness::Stiffness;
use super::support::Supports;
use super::unknowns::{UNKNOWNS, numbers, shift};
use crate::body::faces;
use crate::law::elastic::Motion;
use crate::math::{ExactSum, Matrix3, Vector3, nan_max};
use crate::solver::linear::{Limits, System, conjugate_gradients};
use nalgebra::Matrix6;

/// Largest residual of a linear system, over its right-hand side.
const RESIDUAL: f64 = 1e-13;

/// Products with the stiffness after which a solve ends.
const PRODUCTS: u64 = 200_000;

/// The strains of Voigt's notation: xx, yy, zz, yz, zx, xy.
const STRAINS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [2, 0], [0, 1]];

/// The elastic moduli of an assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Moduli {
    /// Stiffness tensor [Pa] in Voigt's notation (xx, yy, zz, yz, zx, xy; shear strains are
    /// doubled). In two dimensions the rows and columns of z are zero, and discs are 1 m thick.
    pub tensor: Matrix6<f64>,
    /// Volume of the cell [m³].
    pub volume: f64,
    /// Bodies that no contact holds.
    pub rattlers: u64,
    /// Contacts that act.
    pub contacts: u64,
    /// Products with the stiffness, of all strains.
    pub products: u64,
    /// Whether bodies move in the plane z = 0 only.
    pub planar: bool,
}

impl Moduli {
    /// The bulk and the shear modulus [Pa], averaged over all directions (Voigt).
    #[must_use]
    pub fn bulk_and_shear(&self) -> [f64; 2] {
        let c = &self.tensor;
        if self.planar {
            let (sum, cross) = (c[(0, 0)] + c[(1, 1)], 2.0 * c[(0, 1)]);
            return [(sum + cross) / 4.0, (sum - cross) / 8.0 + c[(5, 5)] / 2.0];
        }
        let sum = c[(0, 0)] + c[(1, 1)] + c[(2, 2)];
        let cross = c[(0, 1)] + c[(1, 2)] + c[(2, 0)];
        let shear = c[(3, 3)] + c[(4, 4)] + c[(5, 5)];
        [
            (sum + 2.0 * cross) / 9.0,
            (sum - cross + 3.0 * shear) / 15.0,
        ]
    }
}

/// The cell cannot be strained uniformly.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoModuli {
    /// An axis is open.
    #[error("axis {0} must be periodic, or end at one plane at each end; found neither")]
    Open(char),
    /// The linear system has no solution to rounding.
    #[error(
        "the linear system of strain {strain} must be solved to {RESIDUAL:e}; found {residual:.1e} after {products} products"
    )]
    NotSolved {
        /// The strain in Voigt's notation.
        strain: &'static str,
        /// The residual over the right-hand side.
        residual: f64,
        /// Products done.
        products: u64,
    },
}

/// The names of the strains.
pub const NAMES: [&str; 6] = ["xx", "yy", "zz", "yz", "zx", "xy"];

/// The moduli of an assembly in which all contacts stick. Collective.
///
/// # Errors
/// If an axis is open, or a system cannot be solved.
pub(super) fn moduli(assembly: &mut Assembly) -> Result<Moduli, NoModuli> {
    // All walls follow the strain, no support holds a body, no couple is at its limit.
    assembly.frees.clear();
    assembly.edges.clear();
    assembly.supports = Supports::none();
    assembly
        .network
        .change(|link| link.carried.tried = Vector3::zeros());
    let planar = assembly.network.planar;
    let volume = volume(assembly)?;
    let acts = assembly.network.links_of_first();
    let acts = acts.filter(|link| link.acts()).count();
    let held = |k: usize| {
        let mut sides = assembly.network.sides(k).iter();
        sides.any(|side| assembly.network.link(side.link()).acts())
    };
    let own = 0..assembly.network.own.len();
    let loose = own
        .filter(|&k| assembly.network.body(k).is_free() && !held(k))
        .count();
    let counts = [acts, loose].map(|n| [n as f64].into_iter().collect());
    let [contacts, rattlers] = assembly.domain.sums(&counts).map(|n| n as u64);
    let mut found = Moduli {
        tensor: Matrix6::zeros(),
        volume,
        rattlers,
        contacts,
        products: 0,
        planar,
    };
    let mut stiffness = Stiffness::new(assembly, false, 0.0);
    for (column, [i, j]) in STRAINS.into_iter().enumerate() {
        if planar && (i == 2 || j == 2) {
            continue;
        }
        let mut strain = Matrix3::zeros();
        strain[(i, j)] += 0.5;
        strain[(j, i)] += 0.5;
        let (stress, products) = answer(&mut stiffness, &strain, NAMES[column])?;
        found.products += products;
        for (row, [i, j]) in STRAINS.into_iter().enumerate() {
            if !(planar && (i == 2 || j == 2)) {
                let sum = stress[(i, j)] + stress[(j, i)];
                found.tensor[(row, column)] = 0.5 * sum / volume;
            }
        }
    }
    Ok(found)
}

/// Stress times volume [J] that a strain adds, and the products that it took. Collective.
fn answer(
    stiffness: &mut Stiffness,
    strain: &Matrix3,
    name: &'static str,
) -> Result<(Matrix3, u64), NoModuli> {
    let assembly = stiffness.tangents.assembly;
    let network = &assembly.network;
    let affine = stiffness.tangents.strained(strain);
    let pushes = stiffness.tangents.pushes(&affine);
    let mut b = Vec::with_capacity(UNKNOWNS * pushes.len());
    for (k, push) in pushes.iter().enumerate() {
        let mask = network.mask(k);
        let each = numbers(push, network.body(k).radius).into_iter().zip(mask);
        b.extend(each.map(|(x, free)| if free { x } else { 0.0 }));
    }
    let [square] = stiffness.products([[&b, &b]]);
    // Forces that cancel in each body leave rounding.
    let size = affine.each().map(|[force, _]| force.norm());
    let size = assembly.domain.max(size.fold(0.0, nan_max));
    let mut x = vec![0.0; b.len()];
    let mut products = 0;
    if square.sqrt() > 1e-14 * size {
        let limits = Limits {
            residual: RESIDUAL * square.sqrt().max(size),
            products: PRODUCTS,
        };
        let solved = conjugate_gradients(stiffness, b, &mut x, &limits);
        products = solved.products;
        if !solved.converged {
            return Err(NoModuli::NotSolved {
                strain: name,
                residual: solved.residual / square.sqrt(),
                products,
            });
        }
    }
    let mut all = vec![[0.0; 6]; network.rows.len()];
    for (k, (&i, x)) in network.own.iter().zip(x.chunks(UNKNOWNS)).enumerate() {
        all[i as usize] = shift(x, network.body(k).radius).to_array();
    }
    assembly.share(&mut all);
    let further = stiffness.tangents.forces(&all, None);
    let mine = network.mine();
    let mut sums = <[ExactSum; 9]>::default();
    for (number, link) in network.links().enumerate() {
        if !mine[link.pair.first as usize] {
            continue;
        }
        let branch = link.branch();
        let force = affine.at(number)[0] + further.at(number)[0];
        for (k, sum) in sums.iter_mut().enumerate() {
            sum.add(-force[k / 3] * branch[k % 3]);
        }
    }
    let sums = assembly.domain.sums(&sums);
    Ok((Matrix3::from_row_slice(&sums), products))
}

/// The volume of the cell [m³]; in two dimensions it is 1 m thick.
fn volume(assembly: &Assembly) -> Result<f64, NoModuli> {
    let period = assembly.domain.partition().grid().period();
    let network = &assembly.network;
    let lengths = faces::lengths(&network.walls, period, network.planar);
    let mut axes = lengths.into_iter().zip(['x', 'y', 'z']);
    axes.try_fold(1.0, |volume, (length, axis)| {
        Ok(volume * length.ok_or(NoModuli::Open(axis))?)
    })
}

impl Tangents<'_, '_, '_> {
    /// Force and couple of each contact that a uniform strain adds, while bodies only follow it.
    fn strained(&self, strain: &Matrix3) -> Forces {
        self.forces_by(|link| Motion {
            slip: strain * link.branch(),
            turn: Vector3::zeros(),
            mean: Vector3::zeros(),
        })
    }
}
