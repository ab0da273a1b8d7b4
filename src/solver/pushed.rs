//! Walls that move by Newton's law, as pistons, and bodies much larger than the rest, as intruders.
//! They exist on all ranks.
//!
//! After each sweep their velocity takes the impulses of all their contacts together, as an exact
//! sum: so it does not depend on the order of contacts, on blocks or on ranks. Within a sweep each
//! of the wall's n contacts acts on a wall of its own with the n-th part of the mass (mass
//! splitting). So the sum of their impulses never overshoots, and once all contacts agree with the
//! common velocity, each contact's law holds for the whole wall.
//!
//! A large body is split among blocks, not contacts: within a block its part takes impulses at
//! once. A part is in proportion to the reduced masses of the body and its partners there. So a
//! floor holds a heavy ball at once, whatever number of grains touch it.

mod large;

use super::blocks::Blocks;
use super::edges::Edges;
use super::halo::Halo;
pub use super::reaction::Reaction;
use crate::body::Member;
use crate::body::{Motion, Turning, Twist, Wall, WallState};
use crate::contact::Touch;
use crate::math::{ExactSum, Matrix3, Vector3, nan_max};
use crate::shape::Surface;
use nalgebra::Matrix6;

/// A wall that moves by Newton's law, or a large body.
#[derive(Clone, Debug)]
struct One {
    at: At,
    inverse_mass: f64,
    inverse_inertia: f64,
    direction: Option<Vector3>,
    lever: f64,
    /// Inverse tensor of inertia of a wall that turns, or of a body, other than a sphere
    /// [1/(kg m²)].
    tensor: Option<Matrix3>,
    /// Its centre at the start of the step [m].
    centre: Vector3,
    /// Candidate contacts on all ranks.
    contacts: f64,
    /// Mass of the bodies at these contacts; for a large body the sum of reduced masses [kg].
    burden: f64,
    /// Velocity before the step.
    before: Twist,
    /// Velocity without impulses of contacts.
    free: Twist,
    /// Momentum that the wall takes from loads and gravity in the step [N s], for the judge's
    /// scale.
    load: Vector3,
    mass: f64,
}

/// A wall, by number, or a body, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Wall(usize),
    Body(usize),
}

/// The walls of a run that move by Newton's law, then its large bodies, and the edges of its cell.
#[derive(Clone, Debug, Default)]
pub struct Pushed {
    each: Vec<One>,
    /// For each wall of the run, its index here.
    places: Vec<Option<usize>>,
    /// The large bodies: index in the rank's arrays, ascending, and index here.
    bodies: Vec<(usize, usize)>,
    /// Edges of a periodic cell that follow a stress.
    pub edges: Edges,
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
            let turning = freedom.turning.as_ref();
            let hinged = freedom.is_hinged();
            // A wall that has turned before, and cannot any more, stands.
            let angular = match (turning, freedom.inertia) {
                (Some(Turning::Hinged { axis, .. }), _) => axis * axis.dot(&state.angular_velocity),
                (None, None) => Vector3::zeros(),
                _ => state.angular_velocity,
            };
            let turned = turning.map_or(Vector3::zeros(), |turning| {
                turning.gain(state.orientation, &load)
            });
            pushed.places.push(Some(pushed.each.len()));
            pushed.each.push(One {
                at: At::Wall(w),
                inverse_mass: if hinged { 0.0 } else { 1.0 / freedom.mass },
                tensor: turning.map(|turning| turning.inverse_inertia(state.orientation)),
                centre: wall.place_now(state),
                inverse_inertia: freedom.inertia.map_or(0.0, |i| 1.0 / i),
                direction: freedom.direction,
                lever: match (&wall.surface, freedom.inertia) {
                    (Surface::Sphere { radius, inside, .. }, Some(_)) => {
                        if *inside {
                            -radius
                        } else {
                            *radius
                        }
                    }
                    _ if turning.is_some() => 1.0,
                    _ => 0.0,
                },
                contacts: 1.0,
                burden: 0.0,
                before: Twist {
                    linear: state.velocity,
                    angular: state.angular_velocity,
                },
                free: Twist {
                    linear: match hinged {
                        true => Vector3::zeros(),
                        false => state.velocity + load / freedom.mass,
                    },
                    angular: if hinged { angular + turned } else { angular },
                },
                // A hinge carries the load but for its torque: in its place stands the impulse that
                // turns the mass at the distance of the centre of mass as much.
                load: match turning {
                    Some(Turning::Hinged { radius, .. }) => turned * (radius * freedom.mass),
                    _ => load,
                },
                mass: freedom.mass,
            });
        }
        pushed
    }

    /// The number of these walls and bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether there are neither such walls nor such edges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each.is_empty() && self.edges.is_empty()
    }

    /// The index of a wall among these.
    #[must_use]
    pub fn place(&self, wall: usize) -> Option<usize> {
        self.places.get(wall).copied().flatten()
    }

    /// Numbers of these walls.
    pub fn walls(&self) -> impl Iterator<Item = usize> {
        self.each.iter().filter_map(|one| match one.at {
            At::Wall(w) => Some(w),
            At::Body(_) => None,
        })
    }

    /// Sets the number of candidate contacts of each wall, on all ranks, and the mass of the bodies
    /// there [kg].
    pub fn share_among(&mut self, contacts: &[i64], masses: &[f64]) {
        for ((one, &n), &mass) in self.each.iter_mut().zip(contacts).zip(masses) {
            one.contacts = n.max(1) as f64;
            one.burden = mass;
        }
    }

    /// The walls with their velocities before the step, in the form that contacts use, in order.
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

    /// The velocity of one before the step.
    #[must_use]
    pub fn before(&self, k: usize) -> Twist {
        self.each[k].before
    }

    /// The inverse mass of a whole one along a normal [1/kg].
    #[must_use]
    pub fn whole(&self, k: usize, normal: &Vector3) -> f64 {
        let along = self.each[k].direction.map_or(1.0, |e| e.dot(normal));
        self.each[k].inverse_mass * along * along
    }

    /// The velocity that loads add to a wall in the step, at a point [m/s].
    #[must_use]
    pub fn gain(&self, k: usize, point: &Vector3) -> f64 {
        let one = &self.each[k];
        let linear = one.free.linear - one.before.linear;
        match one.tensor {
            None => linear.norm(),
            Some(_) => {
                let angular = one.free.angular - one.before.angular;
                (linear + angular.cross(&(point - one.centre))).norm()
            }
        }
    }

    /// The inverse tensor of inertia [1/(kg m²)] and the centre [m] of a wall that turns.
    ///
    /// `None` for spheres, and for bodies.
    #[must_use]
    pub fn tensor(&self, k: usize) -> Option<(Matrix3, Vector3)> {
        let one = &self.each[k];
        let of_wall = one.tensor.filter(|_| matches!(one.at, At::Wall(_)));
        Some((of_wall?, one.centre))
    }

    /// Whether a wall or a body turns that is not a sphere.
    #[must_use]
    pub fn any_tensor(&self) -> bool {
        self.each.iter().any(|one| one.tensor.is_some())
    }

    /// The number of parts into which a wall is split: one for each of its contacts.
    #[must_use]
    pub fn parts(&self, k: usize) -> f64 {
        self.each[k].contacts
    }

    /// The largest velocity that loads add in the step to a wall together with the bodies that it
    /// touches [m/s]: `|Δt F|/(M + m)`; 0 if no wall touches a body.
    #[must_use]
    pub fn largest_gain(&self) -> f64 {
        let gain = |one: &One| one.load.norm() / (one.mass + one.burden);
        let touching = self.each.iter().filter(|one| one.burden > 0.0);
        touching.map(gain).fold(0.0, nan_max)
    }

    /// The walls with their free velocities, in the form that contacts use, in order.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        let still = (0.0, 0.0);
        self.each
            .iter()
            .map(move |one| Member::new(&one.free, one.lever, still))
    }

    /// Distance of the wall's contact points from its centre of rotation, against the normal [m].
    #[must_use]
    pub fn lever(&self, k: usize) -> f64 {
        self.each[k].lever
    }

    /// Whether a wall moves under a normal impulse at a touch.
    ///
    /// A wall that can move in one direction only takes no impulse perpendicular to it, one on a
    /// hinge none whose line meets the axis.
    #[must_use]
    pub fn answers(&self, k: usize, touch: &Touch) -> bool {
        let one = &self.each[k];
        let turns = one.tensor.is_some_and(|tensor| {
            let arm = touch.point - one.centre;
            let moment = touch.normal.cross(&arm);
            moment.dot(&(tensor * moment)) > 1e-12 * tensor.trace() * arm.norm_squared()
        });
        turns || self.reaction(k, &touch.normal).normal > 0.0
    }

    /// The response of the wall to one contact: that of its n-th part.
    ///
    /// The response of a wall that is free to move in one direction only is oblique to an impulse
    /// in another. Bounds then stand for the two parts; with these the law stays exact, but the
    /// sweeps take longer.
    #[must_use]
    pub fn reaction(&self, k: usize, normal: &Vector3) -> Reaction {
        let one = &self.each[k];
        let share = one.inverse_mass * one.contacts;
        let inverse = one.tensor.map_or(one.inverse_inertia, |tensor| {
            tensor.symmetric_eigenvalues().max()
        });
        let turning = inverse * one.contacts;
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

    /// `M⁻¹` of a whole wall, for velocity and spin `s = l ω`.
    ///
    /// It is the wall's response to the impulses of all its contacts together.
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
        let mut lower = mobility.fixed_view_mut::<3, 3>(3, 3);
        match one.tensor {
            Some(tensor) => lower.copy_from(&tensor),
            None => lower.fill_diagonal(turning),
        }
        mobility
    }

    /// `Σ |Δt F|²/(M + m)` [J], m being the mass of the bodies that the wall touches.
    ///
    /// This is the walls' part of the judge's scale. With M alone the load of a very light wall
    /// would dominate the scale, and motion among the bodies would not count.
    #[must_use]
    pub fn load_energy(&self) -> f64 {
        let each = self.each.iter();
        let walls = each.map(|one| one.load.norm_squared() / (one.mass + one.burden));
        walls.sum::<f64>() + self.edges.load_energy()
    }

    /// `V ← V_free + M⁻¹ Σ r`: the velocities of walls and edges, from the present impulses of all
    /// contacts.
    ///
    /// The walls stand in `members` after the bodies. Collective, if there is such a wall or edge.
    pub fn take_impulses<H: Halo>(&self, blocks: &mut Blocks, members: &mut [Member], halo: &H) {
        self.edges.take_impulses(blocks, halo);
        let first = members.len() - self.len();
        let twists = self.twists(blocks, halo);
        for ((one, twist), member) in self.each.iter().zip(twists).zip(&mut members[first..]) {
            *member = Member::new(&twist, one.lever, (0.0, 0.0));
        }
    }

    /// Displacements `M⁻¹ Σ λ n` of each wall by the multipliers of a projection [m].
    ///
    /// The walls stand in `ways` after the bodies. Collective, if there is such a wall.
    pub fn take_pushes<H: Halo>(&self, blocks: &Blocks, ways: &mut [Member], halo: &H) {
        if self.each.is_empty() {
            return;
        }
        let mut sums = vec![ExactSum::default(); 3 * self.len()];
        for block in blocks.all() {
            for at in &block.pushing {
                let push = block.contact(at.slot).law.normal * (block.pushed(at.slot) * at.sign());
                let sums = &mut sums[3 * at.on as usize..];
                push.iter().zip(sums).for_each(|(x, sum)| sum.add(*x));
            }
        }
        halo.sum(&mut sums);
        let first = ways.len() - self.len();
        for ((one, sums), way) in (self.each.iter().zip(sums.chunks(3))).zip(&mut ways[first..]) {
            let push: Vector3 = std::array::from_fn::<f64, 3, _>(|k| sums[k].value()).into();
            let along = one.direction.map_or(push, |e| e * e.dot(&push));
            way.set(&(along * one.inverse_mass), &Vector3::zeros());
        }
    }

    /// `V_free + M⁻¹ Σ r` of each wall. Collective, if there is such a wall.
    pub fn twists<H: Halo>(&self, blocks: &Blocks, halo: &H) -> Vec<Twist> {
        if self.each.is_empty() {
            return Vec::new();
        }
        let mut sums = vec![ExactSum::default(); 6 * self.len()];
        for block in blocks.all() {
            for push in &block.pushing {
                let contact = block.contact(push.slot);
                let one = &self.each[push.on as usize];
                let turn = match (one.tensor, block.arms(push.slot)) {
                    (Some(_), Some(arms)) => {
                        -arms[usize::from(!push.first)].cross(&contact.impulse)
                    }
                    // The arm and the impulse of the first side are opposite to the second's.
                    _ => contact.law.normal.cross(&contact.impulse) * -one.lever,
                };
                let couple = turn + contact.couple * push.sign();
                let impulse = contact.impulse * push.sign();
                let six = impulse.iter().chain(couple.iter());
                let sums = &mut sums[6 * push.on as usize..];
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
                angular: match one.tensor {
                    Some(tensor) => one.free.angular + tensor * Vector3::new(a, b, c),
                    None => one.free.angular + Vector3::new(a, b, c) * one.inverse_inertia,
                },
            }
        };
        self.each.iter().zip(sums.chunks(6)).map(taken).collect()
    }
}
