//! Bodies: ids, the data of a rank about them, and the three questions of the solver.
//!
//! A [`BodyId`] is global and never changes; the index in one rank's arrays is valid for one step.
//! A [`BodyRow`] holds all data of one body: it is inserted, sent to another rank, or written to a
//! checkpoint. [`Bodies`] holds columns, over which loops run.

mod anchor;
mod begin;
mod cell;
mod drive;
pub mod faces;
mod large;
mod member;
mod pivot;
mod ramp;
mod range;
mod reference;
mod rigid;
pub mod rotation;
mod signal;
mod strayed;
mod turning;
mod wall;

pub use anchor::Anchor;
pub use cell::{Cell, CellState, Edge, Held, Shearing, Stress};
pub use drive::{Drive, Rotation};
pub use large::{Large, is_large};
pub use member::Member;
pub use pivot::{HungMass, Pivot, Since};
pub use ramp::Ramp;
pub use reference::Reference;
pub use rigid::{Bodies, Turned};
pub use signal::Signal;
pub use turning::Turning;
pub use wall::{Freedom, Motion, Origin, Servo, Wall, WallState};

use crate::math::{IDENTITY, Quaternion, Vector3};
use crate::shape::{Template, disc_area, solid_sphere_inertia, sphere_volume};
use bytemuck::{Pod, Zeroable};

/// A body's id, the same on all ranks and throughout the run.
///
/// Walls have their own ids, from [`BodyId::FIRST_WALL`] upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct BodyId(pub u64);

impl BodyId {
    /// The id of the first wall; all ids of bodies are smaller.
    pub const FIRST_WALL: BodyId = BodyId(1 << 63);

    /// The id of wall number `index`, counted from 0.
    #[must_use]
    pub const fn wall(index: usize) -> Self {
        Self(Self::FIRST_WALL.0 + index as u64)
    }

    /// The index of the wall, if this is the id of one.
    #[must_use]
    pub fn wall_index(self) -> Option<usize> {
        (self >= Self::FIRST_WALL).then(|| (self.0 - Self::FIRST_WALL.0) as usize)
    }
}

impl std::fmt::Display for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.wall_index() {
            Some(wall) => write!(f, "wall {wall}"),
            None => write!(f, "{}", self.0),
        }
    }
}

/// All data of one body: inserted, sent to another rank, and written to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BodyRow {
    /// Global number.
    pub id: BodyId,
    /// Centre of mass, global frame [m].
    pub position: [f64; 3],
    /// Velocity of the centre of mass, global frame [m/s].
    pub velocity: [f64; 3],
    /// Orientation (w, x, y, z), body frame to global frame.
    pub orientation: Quaternion,
    /// Angular velocity, global frame [rad/s].
    pub angular_velocity: [f64; 3],
    /// Angular momentum about the centre of mass, global frame [kg m²/s]. Zero for balls.
    ///
    /// It is the state of a clump, from which its angular velocity follows.
    pub angular_momentum: [f64; 3],
    /// Radius [m]; for a clump that of its bounding sphere about the centre of mass.
    pub radius: f64,
    /// Mass [kg].
    pub mass: f64,
    /// Moment of inertia about any axis through the centre [kg m²]; for a clump the mean of the
    /// principal moments.
    pub inertia: f64,
    /// Periods that the body has crossed along each axis: its unwrapped position is
    /// `position + image × period`, in a sheared cell along the shear plus the turns across times
    /// the shift of the next image.
    pub image: [i64; 3],
    /// Number of the material in the configuration, counted from 0.
    pub material: u32,
    /// [`BodyKind`] as a number.
    pub kind: u32,
    /// 0: a ball, or a disc; `k`: a clump of template `k − 1`.
    pub shape: u32,
    /// Always 0.
    pub reserved: u32,
    /// Its pose when the plan of contacts was made.
    pub reference: Reference,
}

/// A ball that a body is made of, or a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre, global frame [m].
    pub centre: Vector3,
    /// Radius [m].
    pub radius: f64,
    /// The body's volume over the sum of its balls' volumes: 1 for a ball, less for clumps with
    /// overlaps.
    pub share: f64,
}

/// The motion of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum BodyKind {
    /// Free: it follows Newton's law.
    #[default]
    Free = 0,
    /// Fixed in place.
    Fixed = 1,
    /// Driven: it keeps its velocity and angular velocity, whatever impulses act on it.
    Driven = 2,
    /// A free body that a region holds: it stands still until it is released.
    Held = 3,
}

impl BodyRow {
    /// A solid sphere of given centre [m], radius [m] and mass [kg], at rest.
    #[must_use]
    pub fn sphere(id: BodyId, position: [f64; 3], radius: f64, mass: f64) -> Self {
        Self {
            id,
            position,
            velocity: [0.0; 3],
            orientation: IDENTITY,
            angular_velocity: [0.0; 3],
            angular_momentum: [0.0; 3],
            radius,
            mass,
            inertia: solid_sphere_inertia(mass, radius),
            image: [0; 3],
            material: 0,
            kind: BodyKind::Free as u32,
            shape: 0,
            reserved: 0,
            reference: Reference::default(),
        }
    }

    /// A clump of given centre of mass [m], bounding radius [m] and mass [kg], at rest.
    ///
    /// Its orientation is that of its template's description. `number` is the index of the
    /// template, from 0.
    #[must_use]
    pub fn clump(
        id: BodyId,
        position: [f64; 3],
        radius: f64,
        mass: f64,
        (number, template): (u32, &Template),
    ) -> Self {
        Self {
            orientation: template.frame(),
            inertia: template.moments(mass, radius).iter().sum::<f64>() / 3.0,
            shape: number + 1,
            ..Self::sphere(id, position, radius, mass)
        }
    }

    /// The template of a clump; `None` for a ball.
    ///
    /// # Panics
    /// If no template has this number.
    #[must_use]
    pub fn template<'t>(&self, templates: &'t [Template]) -> Option<&'t Template> {
        let number = (self.shape as usize).checked_sub(1)?;
        Some(&templates[number])
    }

    /// Volume [m³]; for a disc, or a clump of discs, one metre thick.
    ///
    /// # Panics
    /// As [`BodyRow::template`].
    #[must_use]
    pub fn volume(&self, discs: bool, templates: &[Template]) -> f64 {
        match self.template(templates) {
            Some(template) => template.volume(self.radius),
            None if discs => disc_area(self.radius),
            None => sphere_volume(self.radius),
        }
    }

    /// The balls that the body is made of: the body itself, or the parts of a clump.
    ///
    /// # Panics
    /// As [`BodyRow::template`].
    pub fn balls<'t>(&self, templates: &'t [Template]) -> impl Iterator<Item = Ball> + 't {
        let (row, template) = (*self, self.template(templates));
        (0..template.map_or(1, |t| t.parts().len())).map(move |part| {
            let centre = Vector3::from(row.position);
            match template {
                None => Ball {
                    centre,
                    radius: row.radius,
                    share: 1.0,
                },
                Some(t) => Ball {
                    centre: centre + t.arm(part, row.orientation, row.radius),
                    radius: t.parts()[part].radius * row.radius,
                    share: t.share(),
                },
            }
        })
    }

    /// Principal moments of inertia [kg m²] along the axes of the body's frame.
    ///
    /// They follow from [`BodyRow::inertia`], which stays as it is while a body grows.
    ///
    /// # Panics
    /// As [`BodyRow::template`].
    #[must_use]
    pub fn moments(&self, templates: &[Template]) -> [f64; 3] {
        match self.template(templates) {
            Some(template) => self.moments_of(template),
            None => [self.inertia; 3],
        }
    }

    /// The same for a clump of this template.
    #[must_use]
    pub fn moments_of(&self, template: &Template) -> [f64; 3] {
        let unit = template.moments(1.0, 1.0);
        let mean = unit.iter().sum::<f64>() / 3.0;
        unit.map(|moment| self.inertia * (moment / mean))
    }

    /// Sets the angular velocity, global frame [rad/s], and the angular momentum of a clump to
    /// match.
    ///
    /// # Panics
    /// As [`BodyRow::template`].
    pub fn turn_with(&mut self, angular_velocity: [f64; 3], templates: &[Template]) {
        match self.template(templates) {
            None => self.angular_velocity = angular_velocity,
            Some(template) => self.turn_as(angular_velocity, template),
        }
    }

    /// The same for a clump of this template.
    pub fn turn_as(&mut self, angular_velocity: [f64; 3], template: &Template) {
        self.angular_velocity = angular_velocity;
        let (moments, w) = (self.moments_of(template), angular_velocity.into());
        let momentum = rotation::angular_momentum(self.orientation, moments, &w);
        self.angular_momentum = momentum.into();
    }

    /// Bound on the speed at which rotation brings a surface closer to another [m/s].
    ///
    /// It is `|ω| r` for a clump, 0 for a ball.
    #[must_use]
    #[inline]
    pub fn surface_speed(&self) -> f64 {
        self.surface_speed_at(&Vector3::from(self.angular_velocity))
    }

    /// The same at another angular velocity [rad/s], such as that of a wall that turns about the
    /// body's centre.
    #[must_use]
    #[inline]
    pub fn surface_speed_at(&self, angular_velocity: &Vector3) -> f64 {
        match self.shape {
            0 => 0.0,
            _ => angular_velocity.norm() * self.radius,
        }
    }

    /// Kinetic energy, of translation and rotation [J].
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let v = Vector3::from(self.velocity);
        0.5 * (self.mass * v.norm_squared() + self.twice_rotational_energy())
    }

    /// Kinetic energy of the rotation [J]: `½ I ω²`, for a clump `½ ω·L`.
    #[must_use]
    pub fn rotational_energy(&self) -> f64 {
        0.5 * self.twice_rotational_energy()
    }

    fn twice_rotational_energy(&self) -> f64 {
        let w = Vector3::from(self.angular_velocity);
        match self.shape {
            0 => self.inertia * w.norm_squared(),
            _ => w.dot(&Vector3::from(self.angular_momentum)),
        }
    }

    /// Rotational energy lost since the earlier state `before` [J].
    #[must_use]
    #[inline]
    pub fn rotational_energy_lost(&self, before: &Self) -> f64 {
        if self.shape != 0 {
            return before.rotational_energy() - self.rotational_energy();
        }
        self.spin_energy_lost(&before.angular_velocity)
    }

    /// The same of a ball, since it had this angular velocity [rad/s].
    #[must_use]
    #[inline]
    pub fn spin_energy_lost(&self, before: &[f64; 3]) -> f64 {
        let [w0, w1] = [*before, self.angular_velocity].map(Vector3::from);
        0.5 * (self.inertia * (w0 - w1).dot(&(w0 + w1)))
    }

    /// Whether impulses move the body.
    #[must_use]
    #[inline]
    pub fn is_free(&self) -> bool {
        self.kind == BodyKind::Free as u32
    }
}

/// Translational and angular velocity of one body, global frame [m/s, rad/s].
///
/// Contacts read and change it.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Twist {
    /// Velocity of the centre of mass [m/s].
    pub linear: Vector3,
    /// Angular velocity [rad/s].
    pub angular: Vector3,
}

impl Twist {
    /// Whether all six components are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.linear
            .iter()
            .chain(self.angular.iter())
            .all(|c| c.is_finite())
    }

    /// Six numbers, linear first, as sent between ranks.
    #[must_use]
    pub fn to_array(self) -> [f64; 6] {
        let (v, w) = (self.linear, self.angular);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// A twist from six numbers, linear first.
    #[must_use]
    pub fn from_slice(c: &[f64]) -> Self {
        Self {
            linear: Vector3::new(c[0], c[1], c[2]),
            angular: Vector3::new(c[3], c[4], c[5]),
        }
    }
}
