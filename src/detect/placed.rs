//! The positions of the parts of clumps in a step, computed once by one routine.

use crate::body::Bodies;
use crate::math::Vector3;
use crate::shape::Template;

/// The parts of all clumps, by index of the body.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// Index of each body's first part; empty where all bodies are balls.
    first: Vec<usize>,
    arms: Vec<Vector3>,
}

impl Placed {
    /// Computes the positions of all parts. The memory is kept.
    pub(super) fn fill(&mut self, bodies: &Bodies, templates: &[Template]) {
        self.first.clear();
        self.arms.clear();
        let of = bodies
            .shapes()
            .iter()
            .zip(bodies.orientations())
            .zip(bodies.radii());
        for ((&shape, &orientation), &radius) in of {
            self.first.push(self.arms.len());
            if let Some(number) = (shape as usize).checked_sub(1) {
                let template = &templates[number];
                let arms =
                    (0..template.parts().len()).map(|k| template.arm(k, orientation, radius));
                self.arms.extend(arms);
            }
        }
        if !self.first.is_empty() {
            self.first.push(self.arms.len());
        }
    }

    /// Centres of a body's parts from its centre of mass, global frame [m]; empty for a ball.
    pub(super) fn of(&self, place: usize) -> &[Vector3] {
        match self.first.get(place..place + 2) {
            Some(ends) => &self.arms[ends[0]..ends[1]],
            None => &[],
        }
    }
}
