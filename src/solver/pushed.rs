//! Walls that move by Newton's law: pistons, large intruders. All ranks know them, many contacts push them.
//!
//! Their velocity takes the impulses of all their contacts together, after each sweep, as an exact sum: so it does not depend
//! on the order of contacts, on blocks or ranks. Within a sweep each of the wall's n contacts sees a wall of its own with the
//! n-th part of the mass (mass splitting): the sum of what they do is then never too much, and where all contacts are content
//! with the one velocity, each one's law holds for the whole wall.

use super::blocks::Blocks;
use super::halo::Halo;
pub use super::reaction::Reaction;
use crate::body::Member;
use crate::body::{Motion, Twist, Wall, WallState};
use crate::math::{ExactSum, Vector3};
use crate::shape::Surface;
use nalgebra::{Matrix3, Matrix6};

/// One such wall.
#[derive(Clone, Debug)]
struct One {
    wall: usize,
    inverse_mass: f64,
    inverse_inertia: f64,
    direction: Option<Vector3>,
    lever: f64,
    /// Candidate contacts on all ranks.
    contacts: f64,
    /// Mass of the bodies at these contacts [kg].
    burden: f64,
    /// Velocity before the step.
    before: Twist,
    /// Velocity without impulses of contacts.
    free: Twist,
    /// Momentum that loads and gravity give it in the step [N s], for the judge's scale.
    load: Vector3,
    mass: f64,
}

/// The walls of a run that move by Newton's law, in one step.
#[derive(Clone, Debug, Default)]
pub struct Pushed {
    each: Vec<One>,
    /// For every wall: its place here.
    places: Vec<Option<usize>>,
}

impl Pushed {
    /// The walls with their free velocities: `V + Δt (F/M + g)`.
    #[must_use]
    pub fn new(walls: &[Wall], states: &[WallState], gravity: &Vector3, dt: f64) -> Self {
        let mut pushed = Self::default();
        for (w, (wall, state)) in walls.iter().zip(states).enumerate() {
            let Motion::Free(freedom) = &wall.motion else {
                pushed.places.push(None);
                continue;
            };
            let pull = if freedom.gravity {
                *gravity
            } else {
                Vector3::zeros()
            };
            let load = freedom.projected(freedom.load + pull * freedom.mass) * dt;
            pushed.places.push(Some(pushed.each.len()));
            pushed.each.push(One {
                wall: w,
                inverse_mass: 1.0 / freedom.mass,
                inverse_inertia: freedom.inertia.map_or(0.0, |i| 1.0 / i),
                direction: freedom.direction,
                lever: match (wall.surface, freedom.inertia) {
                    (Surface::Sphere { radius, inside, .. }, Some(_)) => {
                        if inside {
                            -radius
                        } else {
                            radius
                        }
                    }
                    _ => 0.0,
                },
                contacts: 1.0,
                burden: 0.0,
                before: Twist {
                    linear: state.velocity,
                    angular: state.angular_velocity,
                },
                free: Twist {
                    linear: state.velocity + load / freedom.mass,
                    angular: state.angular_velocity,
                },
                load,
                mass: freedom.mass,
            });
        }
        pushed
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// A wall's place among these.
    #[must_use]
    pub fn place(&self, wall: usize) -> Option<usize> {
        self.places.get(wall).copied().flatten()
    }

    /// Numbers of these walls.
    pub fn walls(&self) -> impl Iterator<Item = usize> {
        self.each.iter().map(|one| one.wall)
    }

    /// Tells how many candidate contacts each has, on all ranks, and the mass of the bodies there [kg].
    pub fn share_among(&mut self, contacts: &[i64], masses: &[f64]) {
        for ((one, &n), &mass) in self.each.iter_mut().zip(contacts).zip(masses) {
            one.contacts = n.max(1) as f64;
            one.burden = mass;
        }
    }

    /// The walls with their velocities before the step as contacts see them, in order.
    pub fn members_before(&self) -> impl Iterator<Item = Member> {
        let still = (0.0, 0.0);
        self.each
            .iter()
            .map(move |one| Member::new(&one.before, one.lever, still))
    }

    /// Free velocities, in order.
    pub fn free(&self) -> impl Iterator<Item = Twist> {
        self.each.iter().map(|one| one.free)
    }

    /// The walls with their free velocities as contacts see them, in order.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        let still = (0.0, 0.0);
        self.each
            .iter()
            .map(move |one| Member::new(&one.free, one.lever, still))
    }

    /// Distance of its contact points from the centre it turns about, against the normal [m].
    #[must_use]
    pub fn lever(&self, k: usize) -> f64 {
        self.each[k].lever
    }

    /// How one of its contacts sees it: its n-th part. A wall that is free to move in one direction only answers obliquely to
    /// an impulse in another; bounds are taken then for the two parts, at which the law stays exact and the sweeps take longer.
    #[must_use]
    pub fn reaction(&self, k: usize, normal: &Vector3) -> Reaction {
        let one = &self.each[k];
        let share = one.inverse_mass * one.contacts;
        let turning = one.inverse_inertia * one.contacts;
        match one.direction {
            None => Reaction {
                normal: share,
                tangential: share,
                turning,
            },
            Some(e) => {
                let along = normal.dot(&e);
                let across = (1.0 - along * along).max(0.0);
                let mixed = along.abs() * across.sqrt();
                Reaction {
                    normal: share * (along * along + mixed),
                    tangential: share * (across + mixed),
                    turning,
                }
            }
        }
    }

    /// `M⁻¹` of a whole wall, of velocity and spin `s = l ω`: how it answers to the impulses of all its contacts together.
    #[must_use]
    pub fn mobility(&self, k: usize) -> Matrix6<f64> {
        let one = &self.each[k];
        let along = one
            .direction
            .map_or_else(Matrix3::identity, |e| e * e.transpose());
        let mut mobility = Matrix6::zeros();
        let turning = one.lever * one.lever * one.inverse_inertia;
        mobility
            .fixed_view_mut::<3, 3>(0, 0)
            .copy_from(&(along * one.inverse_mass));
        mobility.fixed_view_mut::<3, 3>(3, 3).fill_diagonal(turning);
        mobility
    }

    /// `Σ |Δt F|²/(M + m)` [J], m being the mass of the bodies that the wall touches: their part of the judge's scale. By M alone the
    /// load of a very light wall would be all of the scale, and nothing that happens among the bodies would count.
    #[must_use]
    pub fn load_energy(&self) -> f64 {
        let each = self.each.iter();
        each.map(|one| one.load.norm_squared() / (one.mass + one.burden))
            .sum()
    }

    /// `V ← V_free + M⁻¹ Σ r`: their velocities, which stand in `members` after those of the bodies, from the impulses of all
    /// contacts as they are now. Collective, if there is one.
    pub fn take_impulses<H: Halo>(&self, blocks: &Blocks, members: &mut [Member], halo: &H) {
        let first = members.len() - self.len();
        let twists = self.twists(blocks, halo);
        for ((one, twist), member) in self.each.iter().zip(twists).zip(&mut members[first..]) {
            *member = Member::new(&twist, one.lever, (0.0, 0.0));
        }
    }

    /// `V_free + M⁻¹ Σ r` of each wall. Collective, if there is one.
    pub fn twists<H: Halo>(&self, blocks: &Blocks, halo: &H) -> Vec<Twist> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut sums = vec![ExactSum::default(); 6 * self.len()];
        for block in blocks.all() {
            for &(place, k) in &block.pushing {
                let contact = block.contact(place);
                let lever = self.each[k as usize].lever;
                let couple = contact.law.normal.cross(&contact.impulse) * -lever + contact.couple;
                let six = contact.impulse.iter().chain(couple.iter());
                let sums = &mut sums[6 * k as usize..];
                six.zip(sums).for_each(|(x, sum)| sum.add(*x));
            }
        }
        halo.sum(&mut sums);
        let taken = |(one, sums): (&One, &[ExactSum])| {
            let [x, y, z, a, b, c] = std::array::from_fn(|k| sums[k].value());
            let impulse = Vector3::new(x, y, z);
            let along = one.direction.map_or(impulse, |e| e * e.dot(&impulse));
            Twist {
                linear: one.free.linear + along * one.inverse_mass,
                angular: one.free.angular + Vector3::new(a, b, c) * one.inverse_inertia,
            }
        };
        self.each.iter().zip(sums.chunks(6)).map(taken).collect()
    }
}
