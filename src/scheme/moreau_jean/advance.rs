//! The end of a step: bodies move, ledgers are summed, failures are reported.

use super::begun::Begun;
use super::machine::MoreauJean;
use crate::body::{Bodies, BodyRow, CellState, Member, Turned};
use crate::contact::Contact;
use crate::domain::partition::Partition;
use crate::math::{ExactSum, Vector3};
use crate::measure::{body_energy, translational_energy};
use crate::scheme::error::{StepError, is_finite};
use crate::scheme::known::Known;
use crate::scheme::pace::Span;
use crate::scheme::physics::Physics;
use crate::scheme::report::{Here, OfCell, Report};
use crate::scheme::state::{Clock, State};
use crate::solver::blocks::{Block, Strain};
use crate::solver::nsgs::Outcome;

impl MoreauJean {
    /// Moves this rank's bodies and stores the data that outlive the step. Collective.
    ///
    /// Bodies move with their new velocities, and by the displacements of the projection.
    ///
    /// # Errors
    /// The same on all ranks.
    pub(super) fn advance(
        &mut self,
        state: &mut State,
        begun: &Begun,
        known: Known,
        ways: Option<Vec<Member>>,
        mut outcome: Outcome,
    ) -> Result<Report, StepError> {
        let (mut rows, bodies, planned) = known.end();
        let owner = &planned.owners;
        let (domain, Span { dt, end, rushed }) = (begun.domain, begun.span);
        let step = begun.clock.step + 1;
        let ended = begun.strain.as_ref().map(|(_, [_, end])| {
            let resized = domain.partition().resized(end.upper);
            resized.sheared(end.shear)
        });
        let partition = ended.as_ref().unwrap_or(domain.partition());
        let rank = domain.rank();
        let moved = Moved {
            step,
            dt,
            start: begun.clock.time,
            end,
            partition,
            physics: &self.physics,
            strain: begun.strain.as_ref(),
            turns: self.physics.cell.as_ref().and_then(|cell| {
                let (_, [now, end]) = begun.strain.as_ref()?;
                let shear = end.shear?;
                Some(([shear.along, shear.across], cell.taken_back(now, end)))
            }),
        };
        let of_cell = self.of_cell(begun, &bodies);
        let pool = self.blocks.pool();
        let parts = pool.parts_of(&mut rows, |first, rows| {
            let mut part = Part::default();
            let each = rows.iter_mut().enumerate();
            for (i, row) in each.map(|(k, row)| (first + k, row)) {
                if owner[i] == rank {
                    let way =
                        (ways.as_ref()).map_or_else(Vector3::zeros, |ways| ways[i].velocity());
                    moved.one(&bodies, i, row, &way, &mut part);
                }
            }
            part
        });
        let mut sums = <[ExactSum; SUMS]>::default();
        sums[7] = begun.brought.clone();
        sums[9].add(self.plastic() as f64);
        sums[10] = begun.compressed.clone();
        sums[11].add(begun.passed.len() as f64);
        let broken = self.broken(dt, end);
        sums[12].add(broken.len() as f64);
        let mut failure = None;
        let mut left = Vec::new();
        for part in parts {
            sums.iter_mut()
                .zip(&part.sums)
                .for_each(|(s, t)| s.merge(t));
            failure = failure.or(part.failure);
            left.extend(part.deleted);
        }
        // Copies and deleted bodies are dropped; the deleted are in the order of the rows.
        if domain.size() > 1 || !left.is_empty() {
            let (mut owners, mut gone) = (owner.iter(), left.iter().peekable());
            rows.retain(|row| {
                owners.next() == Some(&rank) && gone.next_if(|g| g.id == row.id).is_none()
            });
        }
        if outcome.verdict.non_finite {
            failure.get_or_insert(StepError::SolverNotFinite {
                step,
                sweeps: outcome.sweeps,
            });
        }
        domain.agree(failure.map_or(Ok(()), Err))?;
        let [
            translational_energy,
            lost,
            integrator,
            projected,
            outran,
            deleted,
            forced,
            entered,
            drained,
            plastic,
            compressed,
            passed,
            bonds,
            carried_work,
        ] = domain.sums(&sums);

        state.parcel.bodies = rows;
        self.columns = bodies;
        self.blocks.keep(&self.physics.laws);
        self.planned = Some(planned);
        self.keep_contacts(state);
        if deleted + drained > 0.0 {
            let mine: Vec<u64> = left.iter().map(|row| row.id.0).collect();
            let mut gone = domain.gather(&mine);
            gone.sort_unstable();
            self.blocks.lose(gone);
        }
        let elastic = outcome.work.elastic;
        outcome.work.prestress += compressed;
        let before = std::mem::replace(&mut state.elastic, elastic);
        let dissipated = outcome.work.taken() - (elastic - before - outcome.work.prestress);
        Ok(Report {
            dt,
            rushed,
            planned: begun.planned,
            outcome,
            translational_energy,
            dissipated,
            lost,
            integrator,
            projected,
            elastic,
            outran: outran as u64,
            passed: passed as u64,
            passed_first: (passed > 0.0)
                .then(|| self.first_of(domain, &begun.passed))
                .flatten(),
            deleted: deleted as u64,
            drained: drained as u64,
            plastic: plastic as u64,
            broken: bonds as u64,
            forced: forced + carried_work,
            entered,
            cell: of_cell.map(|of| OfCell {
                work: of.work + carried_work,
                ..of
            }),
            tally: None,
            floor: 0.0,
            end: None,
            stopped: false,
            here: Here {
                gone: left,
                broken,
                ..Here::default()
            },
        })
    }

    /// The collisions of this rank's contacts with restitution that ended without rebound.
    fn plastic(&self) -> usize {
        if !self.physics.laws.pairs.bounce() {
            return 0;
        }
        let each = self.blocks.all().iter().flat_map(Block::each);
        let normal = |c: &Contact| c.impulse.dot(&c.law.normal);
        let plastic = each.filter(|one| one.origin.memory.is_plastic(normal(&one.contact)));
        plastic.count()
    }

    /// Ends the step: moves walls to their new positions and advances the clock. Collective.
    pub(super) fn end(&self, state: &mut State, begun: Begun) {
        let (domain, Span { dt, end, .. }) = (begun.domain, begun.span);
        let ways = begun.pushed_by.into_iter();
        let ways = ways.chain(std::iter::repeat(Vector3::zeros()));
        let pushed = begun.pushed.walls().zip(begun.pushed_to).zip(ways);
        let pushed: Vec<_> = pushed.map(|((w, twist), way)| (w, twist, way)).collect();
        let contacts = || self.wall_contacts(state);
        let walls = begun.walls.end(domain, &pushed, contacts, dt);
        state.walls_before = std::mem::replace(&mut state.walls, walls);
        if let Some((_, [_, end])) = begun.strain {
            state.cell = Some(end);
        }
        state.clock = Clock {
            step: begun.clock.step + 1,
            time: end,
            dt,
        };
    }
}

/// The data needed to move bodies in a step.
struct Moved<'a> {
    step: u64,
    dt: f64,
    start: f64,
    end: f64,
    partition: &'a Partition,
    physics: &'a Physics,
    strain: Option<&'a (Strain, [CellState; 2])>,
    /// Axes of simple shear, and the periods by which its images were taken back.
    turns: Option<([usize; 2], i64)>,
}

/// Number of sums.
const SUMS: usize = 14;

/// The results for some of the bodies.
#[derive(Default)]
struct Part {
    /// Sums, in this order:
    ///
    /// translational energy; energy lost; lost to the integrator; added by the projection; bodies
    /// that outran detection; deleted bodies; work of fields; energy of bodies that entered less
    /// that of bodies that left; bodies that left through outlets; collisions without rebound;
    /// springs that begin compressed; contacts whose sides passed through each other; bonds that
    /// broke; work of the cell on motion relative to it.
    sums: [ExactSum; SUMS],
    failure: Option<StepError>,
    deleted: Vec<BodyRow>,
}

impl Moved<'_> {
    /// Moves a body's row, and shifts it by the projection's displacement.
    fn one(&self, bodies: &Bodies, i: usize, row: &mut BodyRow, way: &Vector3, part: &mut Part) {
        let (x0, before) = (row.position.into(), [row.velocity, row.angular_velocity]);
        let period = self.partition.grid().period();
        let turned = bodies.turned(i, row);
        let mut moved = *way;
        let affine = self.strain.filter(|(strain, _)| strain.affine);
        if let (Some((_, [from, to])), Some(cell)) = (affine, &self.physics.cell) {
            moved += cell.moved(&x0, from, to) - x0;
            let then = cell.moved(&row.reference.position.into(), from, to);
            row.reference.position = then.into();
        }
        if let Some(([along, across], turns)) = self.turns {
            row.image[along] += turns * row.image[across];
        }
        let image = row.image;
        bodies.advance(i, row, self.dt, &moved, period);
        let x = &Vector3::from(row.position);
        let mut gone = false;
        if !is_finite(row) {
            part.failure
                .get_or_insert(StepError::not_finite(self.step, row));
        } else if !self.partition.contains(x) && self.physics.delete_outside {
            gone = true;
            part.sums[5].add(1.0);
        } else if row.is_free() && self.physics.acts.outlet(x, self.end).is_some() {
            gone = true;
            part.sums[8].add(1.0);
        } else if !self.partition.contains(x) {
            part.failure.get_or_insert(StepError::Lost {
                step: self.step,
                id: row.id.0,
                position: row.position,
            });
        }
        if gone {
            part.deleted.push(*row);
        }
        if row.is_free() {
            let (dt, gravity) = (self.dt, &self.physics.gravity);
            let [v0, v1] = [before[0], row.velocity].map(Vector3::from);
            if gone {
                part.sums[7].add(-body_energy(row, gravity, period));
            } else {
                part.sums[0].add(translational_energy(row));
            }
            let mut pull = self.physics.acceleration(&x0, row.mass, self.start);
            if let Some((strain, _)) = self.strain {
                let by_strain = strain.slows(&v0);
                pull += by_strain;
                let carried = (moved - way).dot(gravity);
                let work = 0.5 * dt * by_strain.dot(&(v0 + v1)) - carried;
                part.sums[13].add(row.mass * work);
            }
            part.sums[1].add(energy_lost(&before, row, &(pull * dt), turned));
            if !self.physics.acts.fields.is_empty() {
                let field = pull - gravity;
                part.sums[6].add(0.5 * row.mass * dt * field.dot(&(v0 + v1)));
            }
            part.sums[2].add(0.5 * row.mass * dt * gravity.dot(&(v1 - v0)));
            if let Some(turned) = turned {
                part.sums[2].add(turned.energy - row.rotational_energy());
            }
            part.sums[3].add(-row.mass * gravity.dot(way));
        }
        if !gone {
            let gained = self.crossed(row, image);
            part.sums[0].add(gained);
            part.sums[13].add(gained);
        }
        // The boxes of bodies contain half the skin as well.
        let boxed = row.reference.allowance + 0.5 * self.physics.skin;
        if !gone && row.strayed(period) > boxed {
            part.sums[4].add(1.0);
        }
    }
}

impl Moved<'_> {
    /// Gives a body that has crossed the end of a cell the velocity of its image there.
    ///
    /// This is for cells that move images only. Returns the energy gained [J].
    fn crossed(&self, row: &mut BodyRow, before: [i64; 3]) -> f64 {
        let strain = self.strain.filter(|(strain, _)| !strain.affine);
        let Some((_, [from, to])) = strain.filter(|_| row.is_free()) else {
            return 0.0;
        };
        let velocity = (to.upper - from.upper) / self.dt;
        let turns = Vector3::from_fn(|axis, _| (row.image[axis] - before[axis]) as f64);
        let v = Vector3::from(row.velocity);
        let now = v - velocity.component_mul(&turns);
        row.velocity = now.into();
        0.5 * row.mass * (now.norm_squared() - v.norm_squared())
    }
}

/// Energy that a body lost beyond the work `m a Δt · (v₀+v₁)/2` of gravity and fields [J].
///
/// `before` are its velocity and its angular velocity before the step; clumps have `turned`.
/// Summed over bodies it is the negative of the contacts' work `Σ r · (u₀+u₁)/2`.
fn energy_lost(
    before: &[[f64; 3]; 2],
    after: &BodyRow,
    pull_dt: &Vector3,
    turned: Option<Turned>,
) -> f64 {
    let [v0, v1] = [before[0], after.velocity].map(Vector3::from);
    let linear = (v0 + pull_dt - v1).dot(&(v0 + v1));
    let rotational = match turned {
        None => after.spin_energy_lost(&before[1]),
        Some(turned) => turned.lost,
    };
    0.5 * (after.mass * linear) + rotational
}
