//! Large bodies among those that impulses move after the sweep.

use super::{At, One, Pushed};
use crate::body::{Bodies, Member, Twist};
use crate::math::Vector3;

impl Pushed {
    /// Adds large bodies, given by their indices in ascending order.
    ///
    /// `free` gives the velocity of a body without impulses of contacts. Bodies that impulses do
    /// not move are left out.
    pub fn add_bodies(
        &mut self,
        bodies: &Bodies,
        large: impl Iterator<Item = usize>,
        free: impl Fn(usize) -> Twist,
    ) {
        for i in large.filter(|&i| bodies.is_free(i)) {
            let (inverse_mass, inverse_inertia) = bodies.response(i);
            self.bodies.push((i, self.each.len()));
            self.each.push(One {
                at: At::Body(i),
                inverse_mass,
                inverse_inertia,
                direction: None,
                lever: bodies.lever(i),
                tensor: bodies.is_clump(i).then(|| bodies.inverse_inertia(i)),
                centre: bodies.positions()[i],
                contacts: 1.0,
                burden: 0.0,
                before: bodies.twists()[i],
                free: free(i),
                // It counts among the bodies.
                load: Vector3::zeros(),
                mass: bodies.masses()[i],
            });
        }
    }

    /// The index of a body among these, if it is a large one that impulses move.
    #[must_use]
    #[inline]
    pub fn place_of_body(&self, i: usize) -> Option<usize> {
        if self.bodies.is_empty() {
            return None;
        }
        let place = self.bodies.binary_search_by_key(&i, |(i, _)| *i).ok()?;
        Some(self.bodies[place].1)
    }

    /// Gives large bodies, in their places among all members, the motion that they have among
    /// these, which follow all bodies.
    pub fn give_back(&self, members: &mut [Member]) {
        let first = members.len() - self.len();
        for &(i, k) in &self.bodies {
            let from = members[first + k];
            members[i].set_motion(from.motion());
        }
    }

    /// The weight of a contact of a large body: the reduced mass with its partner [kg].
    ///
    /// `other` is the partner's inverse mass [1/kg], zero for one that does not move. `None` for
    /// walls, whose parts are equal.
    #[must_use]
    pub fn weight(&self, k: usize, other: f64) -> Option<f64> {
        let one = &self.each[k];
        match one.at {
            At::Wall(_) => None,
            At::Body(_) => Some(1.0 / (one.inverse_mass + other)),
        }
    }

    /// The sum of the weights of all contacts of a large body [kg].
    #[must_use]
    pub fn weight_of_all(&self, k: usize) -> f64 {
        self.each[k].burden
    }

    /// The index of a large body in the rank's arrays; `None` for walls.
    #[must_use]
    pub fn body(&self, k: usize) -> Option<usize> {
        match self.each[k].at {
            At::Wall(_) => None,
            At::Body(i) => Some(i),
        }
    }

    /// The response of a whole large body: inverse mass and `l²/I` [1/kg]; in place of the latter
    /// 1 for a clump, as in [`Bodies::member`].
    #[must_use]
    pub fn response(&self, k: usize) -> [f64; 2] {
        let one = &self.each[k];
        let turning = match one.tensor {
            Some(_) => 1.0,
            None => one.lever * one.lever * one.inverse_inertia,
        };
        [one.inverse_mass, turning]
    }
}
