//! Rigid bodies in columns, and the three questions of the solver.
//!
//! They are: your free velocity, your response to an impulse, take this impulse.
//!
//! A ball has one moment of inertia, and its member's spin is the velocity of its surface,
//! `s = r ω`. A clump has three; its spin is its angular velocity (lever 1 m), and the state of its
//! rotation is its angular momentum.

use super::rotation::{self, inverse_inertia};
use super::{BodyId, BodyRow, Member, Twist};
use crate::math::{Matrix3, Quaternion, Vector3, rotate};
use crate::pool::Pool;
use crate::shape::{Period, Template};

/// The rotation of a clump after the contacts of a step, in the orientation in which they acted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned {
    /// Rotational energy that the contacts took [J]: `½ (ω₀ + ω₁)·(L₀ − L₁)`.
    pub lost: f64,
    /// Rotational energy after the contacts [J]: `½ ω₁·L₁`.
    pub energy: f64,
}

/// The bodies on one rank in a step, by index in its arrays, in ascending order of id.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    id: Vec<BodyId>,
    position: Vec<Vector3>,
    radius: Vec<f64>,
    inverse_mass: Vec<f64>,
    inverse_inertia: Vec<f64>,
    mass: Vec<f64>,
    material: Vec<u32>,
    /// Shapes and orientations; empty where all bodies are balls, for which orientations are not
    /// used.
    shape: Vec<u32>,
    orientation: Vec<Quaternion>,
    /// Principal moments of inertia [kg m²]; empty where all bodies are balls.
    moments: Vec<[f64; 3]>,
    /// Velocities, which the solver changes.
    twist: Vec<Twist>,
}

impl Bodies {
    /// Columns from rows, in the order of the rows. Data used only by the motion stay in the rows.
    #[must_use]
    pub fn from_rows(rows: &[BodyRow]) -> Self {
        let mut all = Self::default();
        all.set(rows, &Pool::default());
        all
    }

    /// Becomes the columns of these rows, with the moments of inertia of clumps, which the solver
    /// needs.
    ///
    /// # Panics
    /// If a clump's template is missing.
    pub fn renew(&mut self, rows: &[BodyRow], templates: &[Template], pool: &Pool) {
        self.set(rows, pool);
        if !self.shape.is_empty() {
            let moments = rows.iter().map(|row| row.moments(templates));
            self.moments.extend(moments);
        }
    }

    /// Sets all but the moments of inertia.
    fn set(&mut self, rows: &[BodyRow], pool: &Pool) {
        let n = rows.len();
        self.id.resize(n, BodyId(0));
        self.position.resize(n, Vector3::zeros());
        self.material.resize(n, 0);
        self.twist.resize(n, Twist::default());
        let numbers = [
            &mut self.radius,
            &mut self.mass,
            &mut self.inverse_mass,
            &mut self.inverse_inertia,
        ];
        numbers.into_iter().for_each(|column| column.resize(n, 0.0));
        let part = pool.part(n);
        let places = self.position.chunks_mut(part);
        let places = places.zip(self.twist.chunks_mut(part));
        let sizes = self.radius.chunks_mut(part);
        let sizes = sizes.zip(self.mass.chunks_mut(part));
        let inverses = self.inverse_mass.chunks_mut(part);
        let inverses = inverses.zip(self.inverse_inertia.chunks_mut(part));
        let names = self.id.chunks_mut(part);
        let names = names.zip(self.material.chunks_mut(part));
        let columns = names.zip(places).zip(sizes).zip(inverses);
        pool.share(rows.chunks(part).zip(columns), |(rows, columns)| {
            let (((names, places), sizes), inverses) = columns;
            for (i, row) in rows.iter().enumerate() {
                let inverse = |of: f64| if row.is_free() { 1.0 / of } else { 0.0 };
                (names.0[i], names.1[i]) = (row.id, row.material);
                (sizes.0[i], sizes.1[i]) = (row.radius, row.mass);
                (inverses.0[i], inverses.1[i]) = (inverse(row.mass), inverse(row.inertia));
                places.0[i] = row.position.into();
                places.1[i] = Twist {
                    linear: row.velocity.into(),
                    angular: row.angular_velocity.into(),
                };
            }
        });
        self.shape.clear();
        self.orientation.clear();
        self.moments.clear();
        if rows.iter().any(|row| row.shape != 0) {
            self.shape.extend(rows.iter().map(|row| row.shape));
            let orientations = rows.iter().map(|row| row.orientation);
            self.orientation.extend(orientations);
        }
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether the list is empty.
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

    /// Velocities, as mutable.
    pub fn twists_mut(&mut self) -> &mut [Twist] {
        &mut self.twist
    }

    /// Whether the body is a clump.
    #[must_use]
    #[inline(always)]
    pub fn is_clump(&self, i: usize) -> bool {
        !self.shape.is_empty() && self.shape[i] != 0
    }

    /// The ratio of the member's spin to the angular velocity [m]: the radius of a ball; 1 for a
    /// clump.
    #[must_use]
    #[inline]
    pub fn lever(&self, i: usize) -> f64 {
        if self.is_clump(i) {
            1.0
        } else {
            self.radius[i]
        }
    }

    /// The inverse of a clump's tensor of inertia, global frame [1/(kg m²)].
    ///
    /// It is zero for a clump that impulses do not turn.
    #[must_use]
    pub fn inverse_inertia(&self, i: usize) -> Matrix3 {
        if self.is_free(i) {
            inverse_inertia(self.orientation[i], self.moments[i])
        } else {
            Matrix3::zeros()
        }
    }

    /// First question: the velocity at the end of the step without contacts, `V + Δt M⁻¹ F_ext`
    /// [001 eq. 1.23].
    ///
    /// `pull` is `M⁻¹ F_ext` [m/s²]. External forces have no torque. The change of a clump's
    /// angular velocity at constant angular momentum is part of the motion ([`Bodies::advance`]).
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

    /// Second question: the response to an impulse.
    ///
    /// It is the inverse mass [1/kg] and the inverse moment of inertia [1/(kg m²)].
    #[must_use]
    pub fn response(&self, i: usize) -> (f64, f64) {
        (self.inverse_mass[i], self.inverse_inertia[i])
    }

    /// All bodies in the form that contacts use.
    #[must_use]
    pub fn members(&self) -> Vec<Member> {
        let mut all = Vec::new();
        self.members_into(&mut all, &[], &Pool::default());
        all
    }

    /// Replaces the contents of a list by all bodies, as parts split among ranks.
    ///
    /// `split` is the number of parts of each body, of which this rank has one; bodies beyond the
    /// end of the list are whole.
    pub fn members_into(&self, into: &mut Vec<Member>, split: &[f64], pool: &Pool) {
        let parts = |i: usize| split.get(i).copied().unwrap_or(1.0);
        let balls = self.shape.is_empty();
        into.resize(self.len(), Member::STILL);
        pool.parts_of(into, |first, part| {
            for (i, member) in (first..).zip(part) {
                *member = match balls {
                    true => self.ball(i, parts(i)),
                    false => self.member(i, parts(i)),
                };
            }
        });
    }

    /// A body in the form that contacts use, where this rank has one of `parts` parts of its mass.
    ///
    /// A clump's contacts know its tensor of inertia, so its member has the number of parts in
    /// place of `l²/I`.
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

    /// The same for a ball.
    #[inline(always)]
    fn ball(&self, i: usize, parts: f64) -> Member {
        let (mass, turning) = self.response(i);
        Member::new(
            &self.twist[i],
            self.radius[i],
            (mass * parts, turning * parts),
        )
    }

    /// Third question: take the velocities after the contacts. Unchanged ones are kept to the last
    /// bit.
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

    /// The rotation of a free clump after the contacts; `None` for all other bodies.
    ///
    /// `before` is its row before the step.
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

    /// Moves the row of a body by its velocity over the step: `x ← x + Δt v` [001 eq. 1.2],
    /// `q ← exp(Δt ω/2) q`.
    ///
    /// The position also moves by `way` [m], and is wrapped into the period. The angular momentum
    /// of a free clump changes by that of the contacts, `I (ω − ω_before)`; the clump then rotates
    /// with it, and its angular velocity is that of the new orientation.
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
        if self.is_clump(i) {
            // A driven clump: of its momentum only the energy is used.
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

    /// Angular momentum of a clump after the contacts of the step [kg m²/s].
    ///
    /// `row` is its row before the step. Without contacts the momentum is kept to the last bit.
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

/// Sets the velocities of a body to those after the contacts.
///
/// The spin of a member is the angular velocity times the lever.
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
