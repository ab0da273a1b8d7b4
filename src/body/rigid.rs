//! Rigid bodies in columns, and the three questions the solver asks: your free velocity, your response to an impulse, take
//! this impulse.
//!
//! A ball has one moment of inertia, and its member's spin is the velocity that rotation gives its surface, `s = r ω`. A clump
//! has three; its spin is its angular velocity (lever 1 m), and the state of its rotation is its angular momentum.

use super::rotation::{self, inverse_inertia};
use super::{BodyId, BodyRow, Member, Twist};
use crate::math::{Matrix3, Quaternion, Vector3, rotate};
use crate::shape::{Period, Template};

/// The rotation of a clump after the contacts of a step, in the orientation in which they acted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned {
    /// Rotational energy that they took [J]: `½ (ω₀ + ω₁)·(L₀ − L₁)`.
    pub lost: f64,
    /// Rotational energy that is left [J]: `½ ω₁·L₁`.
    pub energy: f64,
}

/// The bodies that one rank knows in a step, by place in its arrays, in ascending order of id.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    id: Vec<BodyId>,
    position: Vec<Vector3>,
    radius: Vec<f64>,
    inverse_mass: Vec<f64>,
    inverse_inertia: Vec<f64>,
    mass: Vec<f64>,
    material: Vec<u32>,
    /// Shapes and orientations; empty where all bodies are balls, whose orientation nobody asks for.
    shape: Vec<u32>,
    orientation: Vec<Quaternion>,
    /// Principal moments of inertia [kg m²]; empty where all bodies are balls.
    moments: Vec<[f64; 3]>,
    /// Velocities: what the solver changes.
    twist: Vec<Twist>,
}

impl Bodies {
    /// Columns from rows, in the order of the rows. What only moving asks for stays in the rows.
    #[must_use]
    pub fn from_rows(rows: &[BodyRow]) -> Self {
        let n = rows.len();
        let mut all = Self {
            id: Vec::with_capacity(n),
            position: Vec::with_capacity(n),
            radius: Vec::with_capacity(n),
            inverse_mass: Vec::with_capacity(n),
            inverse_inertia: Vec::with_capacity(n),
            mass: Vec::with_capacity(n),
            material: Vec::with_capacity(n),
            shape: Vec::new(),
            orientation: Vec::new(),
            moments: Vec::new(),
            twist: Vec::with_capacity(n),
        };
        for row in rows {
            let inverse = |of: f64| if row.is_free() { 1.0 / of } else { 0.0 };
            all.id.push(row.id);
            all.position.push(row.position.into());
            all.radius.push(row.radius);
            all.inverse_mass.push(inverse(row.mass));
            all.inverse_inertia.push(inverse(row.inertia));
            all.mass.push(row.mass);
            all.material.push(row.material);
            all.twist.push(Twist {
                linear: row.velocity.into(),
                angular: row.angular_velocity.into(),
            });
        }
        if rows.iter().any(|row| row.shape != 0) {
            all.shape.extend(rows.iter().map(|row| row.shape));
            all.orientation
                .extend(rows.iter().map(|row| row.orientation));
        }
        all
    }

    /// The same for the solver, which also asks for the moments of inertia of clumps.
    ///
    /// # Panics
    /// If there is no template for a clump.
    #[must_use]
    pub fn with_moments(rows: &[BodyRow], templates: &[Template]) -> Self {
        let mut all = Self::from_rows(rows);
        if !all.shape.is_empty() {
            let moments = rows.iter().map(|row| row.moments(templates));
            all.moments.extend(moments);
        }
        all
    }

    /// How many bodies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there is no body.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Ids.
    #[must_use]
    pub fn ids(&self) -> &[BodyId] {
        &self.id
    }

    /// Centres of mass [m].
    #[must_use]
    pub fn positions(&self) -> &[Vector3] {
        &self.position
    }

    /// Radii [m].
    #[must_use]
    pub fn radii(&self) -> &[f64] {
        &self.radius
    }

    /// Shapes as in [`BodyRow::shape`]; empty where all bodies are balls.
    #[must_use]
    pub fn shapes(&self) -> &[u32] {
        &self.shape
    }

    /// Orientations, body frame to global frame; empty where all bodies are balls.
    #[must_use]
    pub fn orientations(&self) -> &[Quaternion] {
        &self.orientation
    }

    /// Masses [kg].
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.mass
    }

    /// Numbers of the materials.
    #[must_use]
    pub fn materials(&self) -> &[u32] {
        &self.material
    }

    /// Velocities [m/s, rad/s].
    #[must_use]
    pub fn twists(&self) -> &[Twist] {
        &self.twist
    }

    /// Velocities, to be changed.
    pub fn twists_mut(&mut self) -> &mut [Twist] {
        &mut self.twist
    }

    /// Whether the body is a clump.
    #[must_use]
    #[inline(always)]
    pub fn is_clump(&self, i: usize) -> bool {
        !self.shape.is_empty() && self.shape[i] != 0
    }

    /// The length by which the member's spin is the angular velocity [m]: the radius of a ball; of a clump 1.
    #[must_use]
    #[inline]
    pub fn lever(&self, i: usize) -> f64 {
        if self.is_clump(i) {
            1.0
        } else {
            self.radius[i]
        }
    }

    /// The inverse of a clump's tensor of inertia, global frame [1/(kg m²)]; zero of one that impulses do not turn.
    #[must_use]
    pub fn inverse_inertia(&self, i: usize) -> Matrix3 {
        if self.is_free(i) {
            inverse_inertia(self.orientation[i], self.moments[i])
        } else {
            Matrix3::zeros()
        }
    }

    /// First question: the velocity at the end of the step if nothing touched the body, `V + Δt M⁻¹ F_ext`
    /// [001 eq. 1.23], `pull` being `M⁻¹ F_ext` [m/s²]. No external force turns a body; that the angular velocity of a clump
    /// changes while its angular momentum stays is part of the motion ([`Bodies::advance`]).
    #[must_use]
    pub fn free_velocity(&self, i: usize, pull: &Vector3, dt: f64) -> Twist {
        let now = self.twist[i];
        if !self.is_free(i) {
            return now;
        }
        Twist {
            linear: now.linear + pull * dt,
            angular: now.angular,
        }
    }

    /// Second question: the response to an impulse, as inverse mass [1/kg] and inverse moment of inertia [1/(kg m²)].
    #[must_use]
    pub fn response(&self, i: usize) -> (f64, f64) {
        (self.inverse_mass[i], self.inverse_inertia[i])
    }

    /// All bodies as contacts see them.
    #[must_use]
    pub fn members(&self) -> Vec<Member> {
        self.members_in_parts(&[])
    }

    /// The same, where this rank has one part in `split[i]` of body `i`, and all of those beyond its end.
    #[must_use]
    pub fn members_in_parts(&self, split: &[f64]) -> Vec<Member> {
        let parts = |i: usize| split.get(i).copied().unwrap_or(1.0);
        match &self.shape[..] {
            [] => (0..self.len()).map(|i| self.ball(i, parts(i))).collect(),
            _ => (0..self.len()).map(|i| self.member(i, parts(i))).collect(),
        }
    }

    /// A body as contacts see it where this rank has one part in `parts`. A clump's contacts know its tensor of inertia, so its
    /// member only has the number of parts in place of `l²/I`.
    #[must_use]
    #[inline]
    pub fn member(&self, i: usize, parts: f64) -> Member {
        if !self.is_clump(i) {
            return self.ball(i, parts);
        }
        let (mass, turning) = self.response(i);
        let turning = if turning > 0.0 { parts } else { 0.0 };
        Member::new(&self.twist[i], 1.0, (mass * parts, turning))
    }

    /// The same of a ball.
    #[inline(always)]
    fn ball(&self, i: usize, parts: f64) -> Member {
        let (mass, turning) = self.response(i);
        Member::new(
            &self.twist[i],
            self.radius[i],
            (mass * parts, turning * parts),
        )
    }

    /// Third question: take the velocities that contacts have given. What they left alone stays as it is, to the last bit.
    pub fn take(&mut self, members: &[Member]) {
        let each = self.twist.iter_mut().zip(&self.radius).zip(members);
        match &self.shape[..] {
            [] => each.for_each(|((twist, &radius), now)| take(twist, now, radius)),
            shapes => each
                .zip(shapes)
                .for_each(|(((twist, &radius), now), &shape)| {
                    take(twist, now, if shape == 0 { radius } else { 1.0 });
                }),
        }
    }

    /// What contacts have done to the rotation of a free clump, whose row is as it was before the step; `None` of all else.
    #[must_use]
    #[inline]
    pub fn turned(&self, i: usize, before: &BodyRow) -> Option<Turned> {
        (self.is_clump(i) && self.is_free(i)).then(|| self.turned_clump(i, before))
    }

    fn turned_clump(&self, i: usize, before: &BodyRow) -> Turned {
        let [w0, w1] = [before.angular_velocity.into(), self.twist[i].angular];
        let [l0, l1] = [
            before.angular_momentum.into(),
            self.angular_momentum(i, before),
        ];
        Turned {
            lost: 0.5 * (w0 + w1).dot(&(l0 - l1)),
            energy: 0.5 * w1.dot(&l1),
        }
    }

    /// Whether impulses and gravity move the body.
    #[must_use]
    pub fn is_free(&self, i: usize) -> bool {
        self.inverse_mass[i] > 0.0
    }

    /// Moves the row of a body by the velocity that it has here over the step: `x ← x + Δt v` [001 eq. 1.2],
    /// `q ← exp(Δt ω/2) q`, and by a way [m] beside; brings it back into the period.
    ///
    /// A free clump turns by its angular momentum, which contacts have changed by `I (ω − ω_before)`, and its angular velocity
    /// is then that of its new orientation.
    pub fn advance(&self, i: usize, row: &mut BodyRow, dt: f64, way: &Vector3, period: &Period) {
        let twist = self.twist[i];
        let moved = self.position[i] + twist.linear * dt + way;
        let (position, turns) = period.wrapped(&moved);
        row.position = position.into();
        for (image, turns) in row.image.iter_mut().zip(turns) {
            *image += turns;
        }
        row.velocity = twist.linear.into();
        let clump = self.is_clump(i);
        if clump && self.is_free(i) {
            return self.turn(i, row, dt);
        }
        row.orientation = rotate(row.orientation, &(twist.angular * dt));
        row.angular_velocity = twist.angular.into();
        if clump {
            // One that is driven: nothing asks for its momentum but its energy.
            let momentum =
                rotation::angular_momentum(row.orientation, self.moments[i], &twist.angular);
            row.angular_momentum = momentum.into();
        }
    }

    /// The rotation of a free clump over the step.
    fn turn(&self, i: usize, row: &mut BodyRow, dt: f64) {
        let moments = self.moments[i];
        let momentum = self.angular_momentum(i, row);
        row.orientation = rotation::advance(row.orientation, moments, &momentum, dt);
        row.angular_momentum = momentum.into();
        row.angular_velocity =
            rotation::angular_velocity(row.orientation, moments, &momentum).into();
    }

    /// Angular momentum of a clump after the contacts of the step [kg m²/s], `row` being as it was before the step. What no
    /// contact has turned keeps it to the last bit.
    #[must_use]
    pub fn angular_momentum(&self, i: usize, row: &BodyRow) -> Vector3 {
        let before = Vector3::from(row.angular_momentum);
        let change = self.twist[i].angular - Vector3::from(row.angular_velocity);
        if change == Vector3::zeros() {
            return before;
        }
        before + rotation::angular_momentum(row.orientation, self.moments[i], &change)
    }
}

/// The velocities that contacts have given a body, in place of those it had; its spin is the angular velocity times the lever.
#[inline(always)]
fn take(twist: &mut Twist, now: &Member, lever: f64) {
    let same = Member::new(twist, lever, (0.0, 0.0));
    if now.motion()[..3] != same.motion()[..3] {
        twist.linear = now.velocity();
    }
    if now.motion()[3..] != same.motion()[3..] {
        twist.angular = now.spin() / lever;
    }
}
