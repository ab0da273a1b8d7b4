//! The memory of an increment, by the sizes of its data.

use super::inverses::Inverses;
use super::links::Links;
use super::network::Side;
use super::settings::{Method, Statics};
use super::unknowns::{Push, UNKNOWNS};
use crate::body::BodyRow;
use crate::contact::{ContactRow, Neighbours};
use crate::math::{Matrix3, Vector3};

/// Vectors of unknowns of conjugate gradients: x, r, u, w, p, s.
const SYMMETRIC: usize = 6;

/// Those of the stabilised ones: b, x, r, p, v, t, y.
const STABILISED: usize = 7;

/// Memory per body on a rank [bytes], with this number of contacts and of pairs of each body.
///
/// Factors (`linear = "direct"`), springs of bending and twist, coefficients of a contact of its
/// own and the state before an increment in parts are not included.
#[must_use]
pub fn bytes_per_body(statics: &Statics, [contacts, pairs]: [f64; 2]) -> f64 {
    let vector = size_of::<[f64; UNKNOWNS]>();
    // Its row now and in the last balance; radius, start of its list, number among own bodies.
    let body = 2 * size_of::<BodyRow>() + size_of::<(f64, [u32; 2])>();
    let contact = Links::BYTES + 2 * size_of::<Side>() + size_of::<ContactRow>();
    let (of_body, of_contact) = match statics.method {
        Method::Kishino(_) => (3 * size_of::<Push>(), 2 * size_of::<Push>()),
        Method::BagiBojtar | Method::SerranoRodriguez => {
            let symmetric = statics.method == Method::SerranoRodriguez || !statics.coulomb;
            let vectors = if symmetric { SYMMETRIC } else { STABILISED };
            let turning = match statics.geometric {
                true => size_of::<Option<Matrix3>>(),
                false => 0,
            };
            // The vectors, and the shifts that they stand for.
            let of_body = (vectors + 1) * vector + Inverses::bytes(symmetric);
            (of_body, size_of::<Vector3>() + turning)
        }
    };
    let pair = size_of::<Neighbours>() as f64;
    (body + of_body) as f64 + contacts * (contact + of_contact) as f64 + pairs * pair
}
