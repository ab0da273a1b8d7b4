//! The data of a body that contacts use in a sweep.

use super::Twist;
use crate::math::Vector3;
use bytemuck::{Pod, Zeroable};

/// The data of a body that contacts use: its velocity and its response, in one cache line.
///
/// Rotation is stored as the velocity of the surface, `s = l ω`, with l the distance from the
/// centre to the contact points (against the normal for the second body). The relative velocity of
/// a contact is then `v_2 − v_1 − (s_1 + s_2) × n`, and an impulse r changes s by `−(l²/I) n × r`,
/// for both bodies alike: so a sweep needs neither l nor I.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Member(pub [f64; 8]);

impl Member {
    /// A body at rest that impulses do not move.
    pub const STILL: Member = Member([0.0; 8]);

    /// A body with velocity and angular velocity [m/s, rad/s], lever l [m], and response.
    ///
    /// The response is the inverse mass [1/kg] and the inverse moment of inertia [1/(kg m²)], by
    /// which impulses and couple impulses change its velocity at once. It is 0 for bodies that
    /// impulses do not move, and for walls that move by Newton's law, which take the sum of all
    /// impulses after the sweep.
    #[must_use]
    pub fn new(twist: &Twist, lever: f64, (mass, turning): (f64, f64)) -> Self {
        // Adding zero turns −0 into 0, so that no later operation of contacts distinguishes the
        // two.
        let zero = Vector3::zeros();
        let (v, s) = (twist.linear + zero, twist.angular * lever + zero);
        Self([v.x, v.y, v.z, s.x, s.y, s.z, mass, turning * lever * lever])
    }

    /// Whether impulses change its velocity at once.
    #[must_use]
    #[inline]
    pub fn moves(&self) -> bool {
        self.inverse_mass() > 0.0 || self.inverse_turning() > 0.0
    }

    /// Velocity of the centre [m/s].
    #[must_use]
    #[inline]
    pub fn velocity(&self) -> Vector3 {
        Vector3::new(self.0[0], self.0[1], self.0[2])
    }

    /// Velocity of the surface by rotation, `s = l ω` [m/s].
    #[must_use]
    #[inline]
    pub fn spin(&self) -> Vector3 {
        Vector3::new(self.0[3], self.0[4], self.0[5])
    }

    /// Inverse mass `1/m` [1/kg].
    #[must_use]
    #[inline]
    pub fn inverse_mass(&self) -> f64 {
        self.0[6]
    }

    /// `l²/I` [1/kg].
    #[must_use]
    #[inline]
    pub fn inverse_turning(&self) -> f64 {
        self.0[7]
    }

    /// Sets the response: inverse mass and `l²/I` [1/kg].
    #[inline]
    pub fn set_response(&mut self, response: [f64; 2]) {
        self.0[6..].copy_from_slice(&response);
    }

    /// Sets velocity and spin.
    #[inline]
    pub fn set(&mut self, velocity: &Vector3, spin: &Vector3) {
        self.0[..3].copy_from_slice(velocity.as_slice());
        self.0[3..6].copy_from_slice(spin.as_slice());
    }

    /// Velocity and spin, the six numbers that change, as sent between ranks.
    #[must_use]
    #[inline]
    pub fn motion(&self) -> &[f64] {
        &self.0[..6]
    }

    /// Sets these six numbers.
    #[inline]
    pub fn set_motion(&mut self, six: &[f64]) {
        self.0[..6].copy_from_slice(six);
    }
}
