//! Stub.
use super::Status;
use super::coulomb::{self, Parameters};
use crate::math::Vector3;
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extra {
    pub offset: Vector3,
    pub spin_offset: Vector3,
    pub softness: [f64; 2],
    pub previous_tangential: Vector3,
    pub cohesion: f64,
    pub weakened: bool,
    pub rolling: f64,
    pub torsion: f64,
    pub turning_mass: f64,
    pub coupling: f64,
    pub couple: Vector3,
}
pub fn solve(law: &Parameters, extra: &Extra, impulse: &Vector3, velocity: &Vector3, _spin: &Vector3) -> (Vector3, Vector3, Status) {
    let (r, s) = coulomb::solve(law, impulse, &(velocity + extra.offset));
    (r, Vector3::zeros(), s)
}
