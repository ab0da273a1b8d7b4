//! The actions of regions on the bodies in them, and the growth of bodies.
//!
//! A region pushes bodies, holds them, or lets them out. Each action is a function of time and of a
//! body's position, so it has no state for a checkpoint to store. Only a support has one: the place
//! where it holds a body ([`Anchor`](crate::body::Anchor)).

use crate::body::Ramp;
use crate::math::Vector3;
use crate::shape::{Region, Spell};

/// All actions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Acts {
    /// Forces.
    pub fields: Vec<Field>,
    /// Regions that hold bodies.
    pub holds: Vec<Hold>,
    /// Regions through which bodies leave.
    pub outlets: Vec<Outlet>,
    /// Springs that hold bodies, under quasi-static schemes.
    pub supports: Vec<Support>,
    /// Growth of bodies.
    pub growth: Option<Growth>,
}

/// A force on each free body whose centre lies in a region at the start of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The region; `None`: everywhere.
    pub region: Option<Region>,
    /// The time during which it acts.
    pub spell: Spell,
    /// The acceleration or force.
    pub pull: Pull,
    /// Its factor over time; `None`: 1.
    pub factor: Option<Ramp>,
}

/// The effect of a field on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pull {
    /// The same acceleration for all [m/s²].
    Acceleration(Vector3),
    /// The same force for all [N].
    Force(Vector3),
}

/// A region in which free bodies are held at rest under any force, and released when it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// The region.
    pub region: Region,
    /// The time during which it acts.
    pub spell: Spell,
}

/// A region that removes free bodies: those whose centre lies in it at the end of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlet {
    /// The name of its region in the configuration.
    pub name: String,
    /// The region.
    pub region: Region,
    /// The time during which it acts.
    pub spell: Spell,
}

/// Springs that hold the free bodies of a region at their places.
///
/// The bodies are those whose centre lies in the region when the first increment begins; their
/// places are those of then.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// The region; `None`: everywhere.
    pub region: Option<Region>,
    /// Stiffness against displacement along x, y, z [N/m].
    pub stiffness: Vector3,
    /// Stiffness against rotation about x, y, z [N m/rad].
    pub rotational: Vector3,
}

/// Growth of all free bodies, in proportion, from a smaller initial size to their final size.
///
/// Their mass is the final one from the beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Radius at time zero over the final radius.
    pub from: f64,
    /// The time at which growth ends [s].
    pub until: f64,
}

impl Field {
    /// Acceleration [m/s²] of a body of mass `m` [kg] at `x` [m], at a time [s].
    fn acceleration(&self, x: &Vector3, mass: f64, time: f64) -> Option<Vector3> {
        let inside = self.region.as_ref().is_none_or(|region| region.contains(x));
        (self.spell.holds(time) && inside).then(|| {
            let full = match self.pull {
                Pull::Acceleration(a) => a,
                Pull::Force(f) => f / mass,
            };
            match &self.factor {
                Some(factor) => full * factor.at(time),
                None => full,
            }
        })
    }
}

impl Acts {
    /// Acceleration of a free body by all fields [m/s²], at `x` [m] with mass `m` [kg], at a time
    /// [s].
    #[must_use]
    pub fn acceleration(&self, x: &Vector3, mass: f64, time: f64) -> Vector3 {
        let all = self.fields.iter();
        all.filter_map(|field| field.acceleration(x, mass, time))
            .fold(Vector3::zeros(), |sum, a| sum + a)
    }

    /// The factor of the first field that has one, at a time [s].
    #[must_use]
    pub fn factor(&self, time: f64) -> Option<f64> {
        let first = self.fields.iter().find_map(|field| field.factor.as_ref());
        first.map(|factor| factor.at(time))
    }

    /// Whether a free body at `x` [m] is held in the step that starts at a time [s].
    #[must_use]
    pub fn is_held(&self, x: &Vector3, time: f64) -> bool {
        let there = |hold: &Hold| hold.spell.holds(time) && hold.region.contains(x);
        self.holds.iter().any(there)
    }

    /// The first outlet that contains a body at `x` [m] at a time [s].
    #[must_use]
    pub fn outlet(&self, x: &Vector3, time: f64) -> Option<usize> {
        let there = |outlet: &Outlet| outlet.spell.holds(time) && outlet.region.contains(x);
        self.outlets.iter().position(there)
    }
}

impl Growth {
    /// Radius over the final radius, at a time [s].
    #[must_use]
    pub fn size(&self, time: f64) -> f64 {
        if time >= self.until {
            1.0
        } else {
            self.from + (1.0 - self.from) * (time / self.until)
        }
    }

    /// The factor by which radii grow from one time to another [s].
    #[must_use]
    pub fn factor(&self, from: f64, to: f64) -> f64 {
        self.size(to) / self.size(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lower_half() -> Region {
        Region::Box {
            lower: Vector3::zeros(),
            upper: Vector3::new(1.0, 1.0, 0.5),
        }
    }

    #[test]
    fn fields_add_up_where_and_when_they_are() {
        let field = |pull, from| Field {
            region: Some(lower_half()),
            spell: Spell { from, until: 2.0 },
            pull,
            factor: None,
        };
        let acts = Acts {
            fields: vec![
                field(Pull::Acceleration(Vector3::new(1.0, 0.0, 0.0)), 0.0),
                field(Pull::Force(Vector3::new(0.0, 6.0, 0.0)), 1.0),
            ],
            ..Acts::default()
        };
        let (low, high) = (Vector3::repeat(0.25), Vector3::repeat(0.75));
        let at = |x: &Vector3, t: f64| acts.acceleration(x, 3.0, t);
        assert_eq!(at(&low, 0.5), Vector3::new(1.0, 0.0, 0.0));
        assert_eq!(at(&low, 1.0), Vector3::new(1.0, 2.0, 0.0));
        assert_eq!(at(&low, 2.0), Vector3::zeros());
        assert_eq!(at(&high, 1.0), Vector3::zeros());
    }

    #[test]
    fn a_field_follows_its_factor() {
        let acts = Acts {
            fields: vec![Field {
                region: None,
                spell: Spell::ALWAYS,
                pull: Pull::Acceleration(Vector3::x()),
                factor: Some(Ramp {
                    times: [1.0, 3.0].into(),
                    values: [0.5, -1.5].into(),
                }),
            }],
            ..Acts::default()
        };
        let at = |t: f64| acts.acceleration(&Vector3::repeat(9.0), 3.0, t).x;
        assert_eq!(
            [0.0, 1.0, 2.0, 2.5, 4.0].map(at),
            [0.5, 0.5, -0.5, -1.0, -1.5]
        );
    }

    #[test]
    fn growth_ends_at_full_size_whatever_the_steps() {
        let growth = Growth {
            from: 0.7,
            until: 0.5,
        };
        assert_eq!((growth.size(0.0), growth.size(0.5)), (0.7, 1.0));
        for steps in [1, 7, 1000] {
            let dt = 0.8 / f64::from(steps);
            let all = (0..steps).map(|k| growth.factor(f64::from(k) * dt, f64::from(k + 1) * dt));
            let size: f64 = all.product::<f64>() * 0.7;
            assert!((size - 1.0).abs() < 1e-12, "{steps}: {size}");
        }
    }
}
