//! A body as contacts see it in a sweep.

use super::Twist;
use crate::math::Vector3;
use bytemuck::{Pod, Zeroable};

/// A body as contacts see it: its velocity, and how impulses change it, in one line of the cache.
///
/// Rotation is kept as the velocity that it gives the surface, `s = l ω` with l the distance from the centre to the contact
/// points (against the normal for the second body). A contact's relative velocity is then `v_2 − v_1 − (s_1 + s_2) × n`, and an
/// impulse r changes s by `−(l²/I) n × r`, for both bodies alike: neither l nor I is needed in a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Member(pub [f64; 8]);

impl Member {
    /// What nothing moves.
    pub const STILL: Member = Member([0.0; 8]);

    /// A body with velocity and angular velocity [m/s, rad/s], lever l [m], and by how much impulses and their couples change
    /// its velocity at once: inverse mass [1/kg] and inverse moment of inertia [1/(kg m²)]; 0 for what impulses do not move,
    /// and for walls that move by Newton's law, which take all impulses together after the sweep.
    #[must_use]
    pub fn new(twist: &Twist, lever: f64, (mass, turning): (f64, f64)) -> Self {
        // Adding zero makes −0 to 0: nothing that contacts do then tells one from the other.
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

    /// Velocity that rotation gives the surface, `s = l ω` [m/s].
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

    /// Sets velocity and spin.
    #[inline]
    pub fn set(&mut self, velocity: &Vector3, spin: &Vector3) {
        self.0[..3].copy_from_slice(velocity.as_slice());
        self.0[3..6].copy_from_slice(spin.as_slice());
    }

    /// The six numbers that change: velocity and spin, as they travel between ranks.
    #[must_use]
    #[inline]
    pub fn motion(&self) -> &[f64] {
        &self.0[..6]
    }

    /// Sets them.
    #[inline]
    pub fn set_motion(&mut self, six: &[f64]) {
        self.0[..6].copy_from_slice(six);
    }
}
