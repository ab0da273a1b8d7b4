//! Supports: springs that hold bodies at their places, along and about the axes of space.
//!
//! With the displacement d of a body from its place and the rotation vector θ since then, the force
//! is `−k_i d_i` along each axis and the moment `−κ_i θ_i` about it.

use super::unknowns::{Push, UNKNOWNS};
use crate::body::{Anchor, BodyRow};
use crate::domain::Domain;
use crate::math::{Vector3, turn_between};
use crate::measure;
use crate::scheme::acts::Support;
use crate::scheme::error::StepError;
use crate::scheme::physics::Physics;
use crate::shape::Period;

/// The supports of a run, and the places at which they hold bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supports<'a> {
    all: &'a [Support],
    /// In the order of ids.
    anchors: &'a [Anchor],
}

impl<'a> Supports<'a> {
    pub(super) fn new(all: &'a [Support], anchors: &'a [Anchor]) -> Self {
        Self { all, anchors }
    }

    /// No supports.
    pub(super) fn none() -> Self {
        Self::new(&[], &[])
    }

    /// Whether there is one.
    pub(super) fn any(&self) -> bool {
        !self.anchors.is_empty()
    }

    /// Those that hold a body, with its displacement and rotation.
    fn of(
        &self,
        row: &BodyRow,
        period: &Period,
    ) -> impl Iterator<Item = (&'a Support, [Vector3; 2])> {
        let Self { all, anchors } = *self;
        let first = anchors.partition_point(|anchor| anchor.body < row.id);
        let each = anchors[first..].iter();
        let each = each.take_while({
            let id = row.id;
            move |anchor| anchor.body == id
        });
        let (x, now) = (measure::way(row, period), row.orientation);
        each.filter_map(move |anchor| {
            let support = all.get(anchor.support as usize)?;
            let way = x - Vector3::from(anchor.position);
            Some((support, [way, turn_between(anchor.orientation, now)]))
        })
    }

    /// Whether one holds the body.
    pub(super) fn hold(&self, row: &BodyRow) -> bool {
        self.anchors
            .binary_search_by_key(&row.id, |anchor| anchor.body)
            .is_ok()
    }

    /// Their push on a body.
    pub(super) fn push(&self, row: &BodyRow, period: &Period) -> Push {
        let each = self.of(row, period);
        each.fold(Push::default(), |sum, (support, [way, turn])| {
            sum.plus(&Push {
                force: -support.stiffness.component_mul(&way),
                moment: -support.rotational.component_mul(&turn),
            })
        })
    }

    /// The stiffness of each unknown of a body [N/m].
    pub(super) fn stiffness(&self, row: &BodyRow, period: &Period) -> [f64; UNKNOWNS] {
        let square = row.radius * row.radius;
        let each = self.of(row, period);
        each.fold([0.0; UNKNOWNS], |sum, (support, _)| {
            let (k, about) = (&support.stiffness, &support.rotational);
            std::array::from_fn(|n| sum[n] + if n < 3 { k[n] } else { about[n - 3] / square })
        })
    }

    /// Energy in their springs [J].
    pub(super) fn energy(&self, row: &BodyRow, period: &Period) -> f64 {
        let half = |k: &Vector3, d: &Vector3| 0.5 * k.component_mul(d).dot(d);
        let each = self.of(row, period);
        each.map(|(support, [way, turn])| {
            half(&support.stiffness, &way) + half(&support.rotational, &turn)
        })
        .sum()
    }
}

/// The anchors of the bodies that some supports hold, where they are, the same on all ranks.
/// Collective.
///
/// # Errors
/// If a support holds nothing.
pub(super) fn anchored(
    (physics, domain): (&Physics, &Domain),
    numbers: &[usize],
    bodies: &[BodyRow],
    step: u64,
) -> Result<Vec<Anchor>, StepError> {
    let supports = &physics.acts.supports;
    let period = domain.partition().grid().period();
    let mut mine = Vec::new();
    for row in bodies.iter().filter(|row| row.is_free()) {
        let x = Vector3::from(row.position);
        for &number in numbers {
            let support = &supports[number];
            let inside = |region: &crate::shape::Region| region.contains(&x);
            if support.region.as_ref().is_none_or(inside) {
                let place = measure::way(row, period).into();
                mine.push(Anchor::here(number as u64, row, place));
            }
        }
    }
    let words: &[u64] = bytemuck::cast_slice(&mine);
    let words = domain.gather(words);
    let all: Vec<Anchor> = bytemuck::cast_slice(&words).to_vec();
    let held = |number: usize| all.iter().any(|anchor| anchor.support == number as u64);
    match numbers.iter().find(|&&number| !held(number)) {
        Some(&number) => Err(StepError::NothingHeld { step, number }),
        None => Ok(all),
    }
}
