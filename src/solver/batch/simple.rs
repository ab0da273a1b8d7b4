//! Contacts with springs at most, opened eight at a time in the lanes of their batch.

use super::eight::{Eight, Eight3, LANES};
use super::parts::SpringLines;
use super::{Batch, Line};
use crate::law::{Simple, Step};
use crate::math::Vector3;
use crate::math::real::Real;
use crate::solver::lanes::{Lanes, Width, Work};
use crate::solver::vectors::{Lane, store3};

/// A contact that is opened in its batch: the data of [`Simple`], with inverse masses.
#[derive(Clone, Copy, Debug)]
pub struct Unopened<'a> {
    /// Unit normal from the first body to the second.
    pub normal: &'a Vector3,
    /// Distance between the surfaces [m].
    pub gap: f64,
    /// Inverse reduced masses, normal and tangential [1/kg].
    pub inverse_masses: [f64; 2],
    /// Coefficient of friction.
    pub friction: f64,
    /// Compliance [m/N], and tangential stiffness over the normal one.
    pub compliance: [f64; 2],
    /// Unit normal and impulse of the last step, if it was a contact then.
    pub last: Option<[&'a [f64; 3]; 2]>,
}

/// The contacts of a block that are opened in their batches.
pub trait Simples {
    /// The contact of an index.
    fn get(&self, contact: u32) -> Unopened<'_>;
    /// The step.
    fn step(&self) -> &Step;
}

/// Eight of them, lane by lane. Empty lanes open to empty lanes.
struct Eightfold {
    normal: Eight3,
    gap: Eight,
    inverse_masses: [Eight; 2],
    friction: Eight,
    compliance: [Eight; 2],
    last: [Eight3; 2],
}

impl Eightfold {
    const EMPTY: Eightfold = Eightfold {
        normal: [[0.0; LANES]; 3],
        gap: [0.0; LANES],
        inverse_masses: [[1.0; LANES]; 2],
        friction: [0.0; LANES],
        compliance: [[0.0; LANES], [1.0; LANES]],
        last: [[[0.0; LANES]; 3]; 2],
    };

    #[inline(always)]
    fn put(&mut self, lane: usize, one: &Unopened) {
        for axis in 0..3 {
            self.normal[axis][lane] = one.normal[axis];
        }
        self.gap[lane] = one.gap;
        for k in 0..2 {
            self.inverse_masses[k][lane] = one.inverse_masses[k];
            self.compliance[k][lane] = one.compliance[k];
        }
        self.friction[lane] = one.friction;
        // A new contact has no impulse to turn.
        let normal = (*one.normal).into();
        let last = one.last.unwrap_or([&normal, &[0.0; 3]]);
        for (to, from) in self.last.iter_mut().zip(last) {
            for axis in 0..3 {
                to[axis][lane] = from[axis];
            }
        }
    }
}

/// Opens contacts in a batch; `of` gives the contact of each lane, if it is to be opened.
pub(super) fn open(
    batch: &mut Batch,
    lines: Option<&mut SpringLines>,
    contacts: &impl Simples,
    of: impl Iterator<Item = (usize, u32)>,
) {
    let mut eight = Eightfold::EMPTY;
    of.for_each(|(lane, contact)| eight.put(lane, &contacts.get(contact)));
    let step = contacts.step();
    Width::Widest.dispatch(Open {
        eight: &eight,
        batch,
        lines,
        step,
    });
}

struct Open<'a> {
    eight: &'a Eightfold,
    batch: &'a mut Batch,
    lines: Option<&'a mut SpringLines>,
    step: &'a Step,
}

impl Work for Open<'_> {
    type Output = ();

    #[inline(always)]
    fn with<S: Lanes>(self, s: S) {
        let Self {
            eight,
            batch,
            lines,
            step,
        } = self;
        match lines {
            None => {
                for part in (0..LANES).step_by(S::F64_LANES) {
                    open_lanes::<S, false>(s, eight, batch, step, part);
                }
            }
            Some(lines) => {
                for part in (0..LANES).step_by(S::F64_LANES) {
                    let numbers = open_lanes::<S, true>(s, eight, batch, step, part);
                    for (Line(line), number) in lines.iter_mut().zip(numbers) {
                        number.store(line, part);
                    }
                }
            }
        }
    }
}

/// Opens the contacts from lane `part` on; returns the numbers of their springs.
#[inline(always)]
fn open_lanes<S: Lanes, const SOFT: bool>(
    s: S,
    eight: &Eightfold,
    batch: &mut Batch,
    step: &Step,
    part: usize,
) -> [Lane<S>; 5] {
    let simple = Simple {
        normal: Lane::load3(s, &eight.normal, part),
        gap: Lane::load(s, &eight.gap, part),
        masses: [
            mass(Lane::load(s, &eight.inverse_masses[0], part)),
            mass(Lane::load(s, &eight.inverse_masses[1], part)),
        ],
        friction: Lane::load(s, &eight.friction, part),
        compliance: [
            Lane::load(s, &eight.compliance[0], part),
            Lane::load(s, &eight.compliance[1], part),
        ],
        last: [
            Lane::load3(s, &eight.last[0], part),
            Lane::load3(s, &eight.last[1], part),
        ],
    };
    let opened = simple.open::<SOFT>(step);
    let law = &opened.law;
    store3(&mut batch.normal, part, &law.normal);
    law.closing_speed.store(&mut batch.closing_speed, part);
    law.normal_mass.store(&mut batch.normal_mass, part);
    law.tangential_mass.store(&mut batch.tangential_mass, part);
    law.friction.store(&mut batch.friction, part);
    store3(&mut batch.impulse, part, &opened.impulse);
    let [x, y, z] = opened.springs.previous;
    let [normal, tangential] = opened.springs.softness;
    [normal, tangential, x, y, z]
}

/// A reduced mass [kg] from its inverse: [`reduced_masses`](crate::law::reduced_masses).
#[inline(always)]
fn mass<R: Real>(inverse: R) -> R {
    let (zero, one) = (inverse.splat(0.0), inverse.splat(1.0));
    R::select(inverse.greater(zero), one / inverse, zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::GapRule;
    use crate::rng::{Purpose, Stream};

    struct Drawn(Vec<(Vector3, [[f64; 3]; 2], [f64; 6])>, Step);

    impl Simples for Drawn {
        fn get(&self, contact: u32) -> Unopened<'_> {
            let (normal, [last, impulse], x) = &self.0[contact as usize];
            Unopened {
                normal,
                gap: x[0],
                inverse_masses: [x[1], x[2]],
                friction: x[3],
                compliance: [x[4], x[5]],
                last: (contact != 0).then_some([last, impulse]),
            }
        }

        fn step(&self) -> &Step {
            &self.1
        }
    }

    /// Contacts that open in lanes have the bits of those that open one by one, under all rules for
    /// gaps: new ones, with the same normal, turned, and turned by half a turn. Empty lanes stay
    /// empty.
    #[test]
    fn lanes_open_as_single_contacts_do() {
        let recover = GapRule::Recover {
            fraction: 0.2,
            top_speed: 0.01,
        };
        let rules = [GapRule::Positive, GapRule::Full, recover];
        for trial in 0..300 {
            let mut draw = Stream::new(Purpose::Trial, 41, [trial, 0, 0]);
            let one = |k: u32| {
                let mut three = || [(); 3].map(|()| draw.between(-1.0, 1.0));
                let normal = Vector3::from(three()).normalize();
                let last = match k {
                    1 => normal,
                    2 => -normal,
                    _ => (normal + Vector3::from(three()) * 0.1).normalize(),
                };
                let impulse = three();
                let mut size = || draw.between(0.1, 2.0);
                let x = [size() * 1e-4, size(), size(), size(), size() * 1e-5, size()];
                let gap = if k.is_multiple_of(2) { -x[0] } else { x[0] };
                // A side that cannot move at all.
                let still = if k == 4 { 0.0 } else { 1.0 };
                let numbers = [gap, x[1] * still, x[2] * still, x[3], x[4], x[5]];
                (normal, [last.into(), impulse], numbers)
            };
            let step = Step {
                dt: 1e-3,
                rescale: 0.7,
                gap: rules[trial as usize % 3],
                ..Step::default()
            };
            let drawn = Drawn((0..6).map(one).collect(), step);
            let soft = trial % 2 == 0;
            let mut batch = Batch::empty(9);
            let mut lines: SpringLines = [Line([0.0; LANES]); 5];
            let of = (0..6).map(|k| (k as usize, k));
            open(&mut batch, soft.then_some(&mut lines), &drawn, of);
            for k in 0..6 {
                let one = drawn.get(k);
                let normal = (*one.normal).into();
                let [last, impulse] = one.last.unwrap_or([&normal, &[0.0; 3]]);
                let simple = Simple {
                    normal,
                    gap: one.gap,
                    masses: one.inverse_masses.map(mass),
                    friction: one.friction,
                    compliance: one.compliance,
                    last: [*last, *impulse],
                };
                let expected = match soft {
                    true => simple.open::<true>(&drawn.1),
                    false => simple.open::<false>(&drawn.1),
                };
                let (lane, found) = (k as usize, batch.contact(k as usize));
                assert_eq!(found.law.numbers(), expected.law, "{trial} {k}");
                assert_eq!(found.impulse, Vector3::from(expected.impulse));
                if soft {
                    let springs = &expected.springs;
                    let [x, y, z] = springs.previous;
                    let numbers = [springs.softness[0], springs.softness[1], x, y, z];
                    let found: Vec<f64> = lines.iter().map(|line| line.0[lane]).collect();
                    assert_eq!(found, numbers, "{trial} {k}");
                }
            }
            for lane in 6..LANES {
                assert_eq!(batch.contact(lane).law, Batch::empty(9).contact(lane).law);
                assert_eq!(batch.contact(lane).impulse, Vector3::zeros());
                assert!(lines.iter().all(|line| line.0[lane] == 0.0));
            }
        }
    }
}
