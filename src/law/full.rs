//! The law of a contact with all that there may be beside Coulomb's friction: rolling and torsion friction [001 §1.7],
//! cohesion [001 §1.8], compliance, walls that drive the contact.
//!
//! For spheres the 6×6 reduced mass matrix of [001 §1.7] falls apart. With n from the first body to the second, impulse r and
//! couple impulse τ on the second, `u = v_2 − v_1 − (l_1 ω_1 + l_2 ω_2) × n`, `Ω = ω_2 − ω_1`, `W = n × Ω_t`, `s = n × τ_t`:
//!
//! - normal: `Δu_n = r_n/m_n`; torsion: `ΔΩ_n = τ_n/I*` with `1/I* = 1/I_1 + 1/I_2`;
//! - tangential: `Δu_t = r_t/m_t + β s`, `ΔW = β r_t + s/I*` with `β = l_2/I_2 − l_1/I_1`.
//!
//! So the normal part is solved first, and the rest with it as a given bound, exactly (`couples.rs`).
//!
//! **Compliance**: the contact yields by `C r/Δt²` in velocity per impulse r, so in the normal direction
//! `0 ≤ r_n ⟂ u_n + b_n + γ_n r_n ≥ 0` and, sticking, `u_t + γ_t (r_t − r_t,previous) = 0`: springs, taken implicitly.
//!
//! **Cohesion**: a bonded contact takes pulls up to `F_C`, `r_n ≥ −F_C Δt`. Once it gapes (weakened), it is held where it is by
//! pulls below that, not drawn back; pushed together it closes. Friction and couples see `r_n + F_C Δt` (DMT).

use super::Status;
use super::coulomb::Parameters;
use super::couples::Plane;
use crate::math::Vector3;

/// What the law has to know of a contact beyond [`Parameters`]. There, the two masses include the softness,
/// `1/(1/m + γ)`, and the closing speed is `b_n`, of whatever sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extra {
    /// Added to the relative velocity, global frame [m/s]: a driven wall's, and tangential restitution.
    pub offset: Vector3,
    /// Added to the relative angular velocity, global frame [rad/s]: a driven wall's.
    pub spin_offset: Vector3,
    /// `γ_n = C_n/Δt²` and `γ_t = C_t/Δt²` [1/kg]; 0: rigid.
    pub softness: [f64; 2],
    /// Tangential impulse of the last step, in the present tangent plane [N s]: what the tangential spring remembers.
    pub previous_tangential: Vector3,
    /// `F_C Δt` [N s]; 0: not bonded.
    pub cohesion: f64,
    /// Whether the bonded contact gapes.
    pub weakened: bool,
    /// `μ_t` [m].
    pub rolling: f64,
    /// `μ_n` [m].
    pub torsion: f64,
    /// `I*` [kg m²].
    pub turning_mass: f64,
    /// β [1/(kg m)].
    pub coupling: f64,
    /// Inverse levers of the two bodies [1/m], by which their spins become angular velocities; 0 for what does not turn.
    pub inverse_lever: [f64; 2],
    /// The couple impulse that the contact has, on the second body, global frame [N m s].
    pub couple: Vector3,
}

impl Extra {
    /// Nothing beyond [`Parameters`].
    pub const NONE: Extra = Extra {
        offset: Vector3::new(0.0, 0.0, 0.0),
        spin_offset: Vector3::new(0.0, 0.0, 0.0),
        softness: [0.0; 2],
        previous_tangential: Vector3::new(0.0, 0.0, 0.0),
        cohesion: 0.0,
        weakened: false,
        rolling: 0.0,
        torsion: 0.0,
        turning_mass: 1.0,
        coupling: 0.0,
        inverse_lever: [0.0; 2],
        couple: Vector3::new(0.0, 0.0, 0.0),
    };

    /// Springs and nothing else.
    #[must_use]
    pub fn springs(softness: [f64; 2], previous_tangential: Vector3) -> Self {
        Self {
            softness,
            previous_tangential,
            ..Self::NONE
        }
    }

    /// Whether there can be couples.
    #[must_use]
    pub fn has_couples(&self) -> bool {
        self.rolling > 0.0 || self.torsion > 0.0
    }

    /// The same with all put in order that no part of the law reads.
    #[must_use]
    pub fn trimmed(self) -> Self {
        if self.has_couples() {
            return self;
        }
        Self {
            turning_mass: 1.0,
            coupling: 0.0,
            inverse_lever: [0.0; 2],
            spin_offset: Vector3::zeros(),
            couple: Vector3::zeros(),
            ..self
        }
    }
}

/// The impulse [N s] and the couple impulse [N m s] on the second body that the law asks for, when all other impulses are as
/// they stand.
///
/// `impulse`, and the couple in `extra`, are what the contact has now; `velocity` and `spin` the relative velocities of the second
/// body against the first, in which they are already at work. A NaN in the input comes out as NaN, never as zero.
#[must_use]
pub fn solve(
    law: &Parameters,
    extra: &Extra,
    impulse: &Vector3,
    velocity: &Vector3,
    spin: &Vector3,
) -> (Vector3, Vector3, Status) {
    let n = &law.normal;
    let velocity = velocity + extra.offset;
    let u_n = velocity.dot(n);
    let r_n = impulse.dot(n);
    let [soft_n, soft_t] = extra.softness;
    let closing = r_n - law.normal_mass * (u_n + law.closing_speed + soft_n * r_n);
    let new_n = if extra.cohesion == 0.0 {
        if closing <= 0.0 {
            return (Vector3::zeros(), Vector3::zeros(), Status::Open);
        }
        closing
    } else {
        let pull = -extra.cohesion;
        let held = if extra.weakened {
            // What keeps the gap as it is; a push is no business of the bond.
            let keeping = r_n - law.normal_mass * u_n;
            if keeping > 0.0 { 0.0 } else { keeping }
        } else {
            closing
        };
        let held = if held < pull { pull } else { held };
        if closing > held { closing } else { held }
    };
    // What friction and couples see: [001 §1.8], last paragraph.
    let pressed = new_n + extra.cohesion;
    let tangential = impulse - n * r_n;
    let slip = (velocity - n * u_n) + (tangential - extra.previous_tangential) * soft_t;
    let (new_t, couple_t) = if extra.rolling == 0.0 {
        (tangential - slip * law.tangential_mass, Vector3::zeros())
    } else {
        let spin = spin + extra.spin_offset;
        let plane = Plane {
            matrix: [
                1.0 / law.tangential_mass,
                extra.coupling,
                1.0 / extra.turning_mass,
            ],
            masses: [law.tangential_mass, extra.turning_mass],
            present: [slip, n.cross(&spin)],
            bounds: [law.friction * pressed, extra.rolling * pressed],
            normal: *n,
        };
        let [new_t, turned] = plane.solve(&tangential, &n.cross(&extra.couple));
        (new_t, -n.cross(&turned))
    };
    let couple_n = if extra.torsion == 0.0 {
        0.0
    } else {
        let spin = (spin + extra.spin_offset).dot(n);
        let wanted = extra.couple.dot(n) - extra.turning_mass * spin;
        let bound = extra.torsion * pressed;
        // Not `clamp`, nor `min`: they would swallow a NaN.
        if wanted > bound {
            bound
        } else if wanted < -bound {
            -bound
        } else {
            wanted
        }
    };
    let couple = couple_t + n * couple_n;
    let (size, bound) = (new_t.norm(), law.friction * pressed);
    if size > bound {
        (n * new_n + new_t * (bound / size), couple, Status::Sliding)
    } else if size >= bound * (1.0 - 1e-14) {
        // On the rim already, as the joint solution puts it.
        (n * new_n + new_t, couple, Status::Sliding)
    } else {
        (n * new_n + new_t, couple, Status::Sticking)
    }
}

#[cfg(test)]
mod tests;
