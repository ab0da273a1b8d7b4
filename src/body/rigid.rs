//! Rigid spheres in columns, and the three questions the solver asks: your free velocity, your response to an impulse, take
//! this impulse.

use super::{BodyId, BodyRow, Member, Twist};
use crate::math::{Quaternion, Vector3, rotate};
use crate::shape::Period;

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

    /// First question: the velocity at the end of the step if nothing touched the body, `V + Δt M⁻¹ F_ext`
    /// [001 eq. 1.23], `pull` being `M⁻¹ F_ext` [m/s²]. No external force turns a sphere.
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

    /// The same of bodies of which this rank has one part in so many, and of the others, beyond the end of the list, all.
    #[must_use]
    pub fn members_in_parts(&self, split: &[f64]) -> Vec<Member> {
        let member = |i: usize| {
            let (mass, turning) = self.response(i);
            let parts = split.get(i).copied().unwrap_or(1.0);
            Member::new(
                &self.twist[i],
                self.radius[i],
                (mass * parts, turning * parts),
            )
        };
        (0..self.len()).map(member).collect()
    }

    /// Third question: take the velocities that contacts have given. What they left alone stays as it is, to the last bit.
    pub fn take(&mut self, members: &[Member]) {
        let each = self.twist.iter_mut().zip(&self.radius).zip(members);
        for ((twist, &radius), now) in each {
            let same = Member::new(twist, radius, (0.0, 0.0));
            if now.motion()[..3] != same.motion()[..3] {
                twist.linear = now.velocity();
            }
            if now.motion()[3..] != same.motion()[3..] {
                twist.angular = now.spin() / radius;
            }
        }
    }

    /// Whether impulses and gravity move the body.
    #[must_use]
    pub fn is_free(&self, i: usize) -> bool {
        self.inverse_mass[i] > 0.0
    }

    /// Moves the row of a body by the velocity that it has here over the step: `x ← x + Δt v` [001 eq. 1.2],
    /// `q ← exp(Δt ω/2) q`, and by a way [m] beside; brings it back into the period.
    pub fn advance(&self, i: usize, row: &mut BodyRow, dt: f64, way: &Vector3, period: &Period) {
        let twist = self.twist[i];
        let moved = self.position[i] + twist.linear * dt + way;
        let (position, turns) = period.wrapped(&moved);
        row.position = position.into();
        for (image, turns) in row.image.iter_mut().zip(turns) {
            *image += turns;
        }
        row.orientation = rotate(row.orientation, &(twist.angular * dt));
        row.velocity = twist.linear.into();
        row.angular_velocity = twist.angular.into();
    }
}
