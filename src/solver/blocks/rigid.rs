//! The geometry of a contact with a clump: arms, tensors of inertia, and W.

use super::sides::{Place, Side};
use crate::body::Bodies;
use crate::contact::{Candidate, Contact};
use crate::law::{Opened, softened};
use crate::math::{Matrix3, Vector3, frame};
use crate::shape::Template;
use crate::solver::kernel::rigid::{Local, RigidContact};
use crate::solver::pushed::{Pushed, Reaction};

/// The two sides of a contact with a clump.
#[derive(Clone, Copy)]
pub(super) struct Geometry {
    normal: Vector3,
    /// [`RigidContact::arms`].
    pub(super) arms: [Vector3; 2],
    /// [`RigidContact::turning`].
    turning: [Matrix3; 2],
    /// Inverse tensors of inertia as the law uses them [1/(kg m²)].
    inertia: [Matrix3; 2],
    seen: [Reaction; 2],
    levers: [f64; 2],
    split: [f64; 2],
}

impl Geometry {
    /// The geometry of a contact with a clump or a wall that turns; `None` between others.
    ///
    /// A clump's arm ends at its surface, as a ball's does: half the gap before the contact's
    /// point, or behind it. It is the arm of the part, `r R(q) ĉ`, and the part's radius along the
    /// normal; the difference of the point and the centre of mass would carry the rounding of both
    /// positions.
    pub(super) fn of(
        (bodies, templates): (&Bodies, &[Template]),
        pushed: &Pushed,
        sides: [&Side; 2],
        c: &Candidate,
    ) -> Option<Self> {
        let body = |side: &Side| match side.at {
            Place::Body(i) => Some(i),
            Place::Pushed(k) => pushed.body(k),
            Place::Still(_) => None,
        };
        let clumps = sides.map(|side| body(side).filter(|&i| bodies.is_clump(i)));
        let part = match sides[1].at {
            Place::Pushed(k) => pushed.tensor(k).map(|part| (k, part)),
            _ => None,
        };
        if clumps == [None; 2] && part.is_none() {
            return None;
        }
        let n = c.normal;
        let mut all = Self {
            normal: n,
            arms: [n; 2],
            turning: [Matrix3::identity(); 2],
            inertia: sides.map(|side| Matrix3::from_diagonal_element(side.seen.turning)),
            seen: sides.map(|side| side.seen),
            levers: sides.map(|side| side.lever),
            split: sides.map(|side| side.split),
        };
        let parts = c.key.parts();
        for (side, i) in clumps.into_iter().enumerate() {
            let Some(i) = i else { continue };
            all.turning[side] = bodies.inverse_inertia(i);
            all.inertia[side] = all.turning[side] * sides[side].parts;
            let (orientation, radius) = (bodies.orientations()[i], bodies.radii()[i]);
            let template = &templates[bodies.shapes()[i] as usize - 1];
            let arm = template.arm(parts[side], orientation, radius);
            let along = n * sides[side].radius;
            all.arms[side] = if side == 0 { along + arm } else { along - arm };
        }
        if let Some((k, (tensor, centre))) = part {
            // Both impulses act at the surface of the first body, so that no angular momentum is
            // lost across the gap.
            all.arms[1] = centre - (c.point - n * (0.5 * c.gap));
            all.turning[1] = tensor;
            all.inertia[1] = tensor * pushed.parts(k);
        }
        Some(all)
    }

    /// W of the parts of the two bodies, in a frame whose axes are the rows of a matrix [1/kg].
    fn answer(&self, frame: &Matrix3, of: [f64; 2]) -> Matrix3 {
        let n = &self.normal;
        let mut w = Matrix3::zeros();
        for (side, part) in of.into_iter().enumerate() {
            let seen = self.seen[side];
            let (along, across) = (seen.normal * part, seen.tangential * part);
            let arm = (self.arms[side] * self.levers[side]).cross_matrix();
            w += Matrix3::from_diagonal_element(across) + n * n.transpose() * (along - across);
            w += arm * self.inertia[side] * arm.transpose() * part;
        }
        let w = frame * w * frame.transpose();
        0.5 * (w + w.transpose())
    }

    /// Normal and tangential masses from W [kg]; the tangential one is the smaller of two.
    fn masses_of(w: &Matrix3) -> [f64; 2] {
        let (a, b, c) = (w.m22, w.m33, w.m23);
        let largest = 0.5 * (a + b) + (0.5 * (a - b)).hypot(c);
        let mass = |inverse: f64| if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
        [mass(w.m11), mass(largest)]
    }

    fn frame(&self) -> Matrix3 {
        let [n, t1, t2] = frame(&self.normal).map(|axis| axis.transpose());
        Matrix3::from_rows(&[n, t1, t2])
    }

    /// Reduced masses, normal and tangential [kg].
    pub(super) fn masses(&self) -> (f64, f64) {
        let [normal, tangential] = Self::masses_of(&self.answer(&self.frame(), [1.0; 2]));
        (normal, tangential)
    }

    /// Turning mass `I*` [kg m²]: the inverse of the largest eigenvalue of `I_1⁻¹ + I_2⁻¹`.
    ///
    /// Couples are solved after the force, so the law does not couple the two.
    pub(super) fn turning_mass(&self) -> f64 {
        self.turning_mass_of([1.0; 2])
    }

    fn turning_mass_of(&self, of: [f64; 2]) -> f64 {
        let both = self.inertia[0] * of[0] + self.inertia[1] * of[1];
        let both = 0.5 * (both + both.transpose());
        let largest = both.symmetric_eigenvalues().max();
        if largest > 0.0 { 1.0 / largest } else { 1.0 }
    }

    /// The contact with its local problem.
    pub(super) fn contact(&self, place: [u32; 2], opened: &Opened) -> RigidContact {
        // The configuration refuses bonds of clumps, as the law of a bond is that of balls.
        assert!(opened.parts.bond.is_none(), "clumps have no bonds");
        let frame = self.frame();
        let softness = opened.parts.springs.map_or([0.0; 2], |s| s.softness);
        let friction = opened.law.friction;
        let local = |of| Local::new(frame, self.answer(&frame, of), softness, friction);
        let apart = (self.split != [1.0; 2]).then(|| {
            let [normal, tangential] = Self::masses_of(&self.answer(&frame, self.split));
            let with = |mass: f64, softness: f64| match softness {
                0.0 => mass,
                _ => softened(mass, softness),
            };
            let masses = [with(normal, softness[0]), with(tangential, softness[1])];
            let turning = self.turning_mass_of(self.split);
            Box::new((local(self.split), masses, turning))
        });
        RigidContact {
            contact: Contact {
                place,
                law: opened.law,
                impulse: opened.impulse,
                couple: opened.couple,
            },
            parts: opened.parts,
            arms: self.arms,
            turning: self.turning,
            local: local([1.0; 2]),
            apart,
            past: [Vector3::zeros(); 2],
            plan: [0.0; 3],
        }
    }
}
