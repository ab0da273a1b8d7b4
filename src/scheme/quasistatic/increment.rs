//! An increment of the loads: tried as a whole, and halved where that fails.

use super::assembly::{Assembly, Begins, Sample};
use super::energy::{Energies, Sums};
use super::found::{ENOUGH, Found};
use super::frame::Frame;
use super::link::{Link, begin_of_increment, end_of_increment, of_increment};
use super::mechanism::{farthest, gives_way};
use super::network::{Network, Side};
use super::places::{begin_leg, still, still_walls, way};
use super::reach::{least_edge, longest_bond};
use super::settings::{Method, Statics};
use super::support::Supports;
use super::unknowns::Shift;
use super::{bagi_bojtar, kishino, serrano};
use crate::body::{Anchor, BodyId, BodyRow, Reference, WallState};
use crate::domain::Domain;
use crate::domain::migration::Parcel;
use crate::law::Status;
use crate::law::work::Work;
use crate::math::{Vector3, as_written, nan_max};
use crate::pool::Pool;
use crate::scheme::error::{StepError, is_finite};
use crate::scheme::physics::Physics;
use crate::scheme::report::{BrokenBond, OfCell};
use crate::scheme::state::State;
use std::sync::Arc;

/// The largest energy that contacts may give in a part, over that in the springs.
///
/// In balance from one state to a near one they take energy. Those that give it have come to an
/// equilibrium to which the loads do not lead.
const GIVEN: f64 = 0.01;

/// A part of an increment in balance.
pub(super) struct Balanced {
    network: Network,
    walls: Vec<WallState>,
    upper: Vector3,
    cell: OfCell,
    dt: f64,
    work: Work,
    forced: f64,
    dissipated: f64,
    overlap: f64,
    jumped: bool,
    residual: f64,
    broken: Vec<BrokenBond>,
    waves: u64,
}

/// An increment, up to its last part in balance.
pub(super) struct Increment<'a> {
    physics: &'a Physics,
    statics: &'a Statics,
    anchors: Arc<[Anchor]>,
    /// Its number.
    step: u64,
    /// Whether the state is another scheme's.
    foreign: bool,
    /// Contacts that carried a force when it began.
    carried: f64,
    /// How many times bonds have broken.
    waves: u64,
    /// The state that is reached: bodies, contacts, walls, and the Δt of the contacts' forces.
    reached: (Parcel, Vec<WallState>, f64),
    /// The bodies and contacts before the first part, once it is in balance; none after the last.
    first: Option<Parcel>,
    /// The upper corner of the cell then [m], if it deforms.
    upper: Option<Vector3>,
    /// Its stress and work.
    pub cell: OfCell,
    /// The bodies that moved farthest in the last part without balance.
    adrift: Vec<BodyId>,
    /// Whether that part shows that no equilibrium exists.
    collapses: bool,
    /// The error of the last part that failed, if it is not that it has no balance.
    failure: Option<StepError>,
    /// The iterations of all parts, and the outcome of the last, in balance or not.
    pub found: Found,
    /// The residual of the last part in balance.
    pub residual: f64,
    pub work: Work,
    /// Work of fields [J].
    pub forced: f64,
    pub dissipated: f64,
    /// Largest overlap here, over the smaller radius.
    pub overlap: f64,
    /// Parts in balance.
    pub parts: u64,
    /// Smallest parts in which a body jumped.
    pub jumps: u64,
    /// Bonds of this rank's bodies that broke.
    pub broken: Vec<BrokenBond>,
}

impl<'a> Increment<'a> {
    /// Begins an increment; takes bodies and contacts out of the state.
    ///
    /// Its number, and whether they are of another scheme.
    pub(super) fn begin(
        state: &mut State,
        (physics, statics): (&'a Physics, &'a Statics),
        (step, foreign): (u64, bool),
    ) -> Self {
        let mut parcel = std::mem::take(&mut state.parcel);
        let mut carried = 0.0;
        for row in &mut parcel.contacts {
            carried += f64::from(u8::from(begin_of_increment(row)));
        }
        Self {
            physics,
            statics,
            anchors: state.anchors.clone(),
            step,
            foreign,
            carried,
            waves: 0,
            reached: (parcel, state.walls.clone(), state.clock.dt),
            first: None,
            upper: state.cell.map(|cell| cell.upper),
            cell: OfCell::default(),
            adrift: Vec::new(),
            collapses: false,
            failure: None,
            found: Found::default(),
            residual: 0.0,
            work: Work {
                elastic: state.elastic,
                ..Work::default()
            },
            forced: 0.0,
            dissipated: 0.0,
            overlap: 0.0,
            parts: 0,
            jumps: 0,
            broken: Vec::new(),
        }
    }

    /// Balances the loads at the end of a time span [s]; `None` if it fails. Collective.
    ///
    /// # Errors
    /// If the method has no answer at all, the same on all ranks.
    pub(super) fn part(
        &mut self,
        (domain, pool): (&Domain, &Pool),
        times: [f64; 2],
        (dt, finest): (f64, bool),
    ) -> Result<Option<Balanced>, StepError> {
        self.failure = None;
        let (parcel, walls, before) = &self.reached;
        let bodies = parcel.bodies.clone();
        let mut domain = domain.clone();
        if let Some(upper) = &self.upper {
            domain.resize(upper);
        }
        let first = *domain.partition().corners()[1];
        let mut frame = Frame::driven(self.physics, walls, &first, times);
        let shifts = frame.shifts.clone();
        let sample = Sample {
            bodies,
            contacts: &parcel.contacts,
            walls,
        };
        let begins = Begins {
            times,
            foreign: self.foreign,
        };
        let supports = Supports::new(&self.physics.acts.supports, &self.anchors);
        let of = (self.physics, self.statics, supports);
        let loads = (times[1], Some(begins));
        let mut assembly = Assembly::gather(of, (&domain, pool), (sample, *before), loads);
        assembly.waves = self.waves;
        if let Err(failure) = self.within_reach(&assembly) {
            self.failure = Some(failure);
            return Ok(None);
        }
        let mut last = Energies::of(&assembly, times[0]);
        let stored = last.springs();
        let mut sums = Sums {
            // Contacts of a state of another scheme begin compressed.
            prestress: last.springs() - self.work.elastic,
            ..Sums::default()
        };
        let mut found = Found::default();
        let mut loaded = times[0];
        // After each balance bonds may break; then another is sought.
        loop {
            let before = assembly.at_rest();
            found.add(&self.balance(&mut assembly, &frame)?);
            if let (Err(failure), false) = (self.within_reach(&assembly), found.stopped) {
                found.converged = false;
                self.failure = Some(failure);
            }
            if !found.converged {
                break;
            }
            let next = Energies::of(&assembly, loaded);
            let walls = assembly.with_free_since(frame.shifts, &before.states);
            let edges = assembly.upper() - before.upper;
            sums.add(&last.flows(&next, (&walls, &edges)));
            last = next;
            if !assembly.break_bonds(self.statics.breaking) {
                break;
            }
            frame = assembly.at_rest();
            loaded = times[1];
            begin_leg(&mut assembly.network.rows);
        }
        self.found.add(&found);
        if !found.converged {
            let last = finest || !self.statics.method.may_halve();
            if last && !found.stopped && self.failure.is_none() {
                self.adrift = farthest(&assembly);
                let way = || gives_way(&assembly);
                self.collapses = found.is_collapse(self.statics.iterations(), way);
            }
            return Ok(None);
        }
        let ways = assembly.with_free_since(shifts, walls);
        let halves = self.statics.method.may_halve();
        let jumped = halves && jump(&assembly, &ways) > self.statics.jump;
        let [fracture, left] = assembly.fracture();
        let given = -(sums.dissipated + left + fracture);
        let gives = halves && given > GIVEN * stored.max(last.springs());
        if (jumped || gives) && !finest {
            return Ok(None);
        }
        let work = Work {
            prestress: sums.prestress + left,
            fracture,
            elastic: last.springs(),
            ..sums.work
        };
        let overlap = match self.deepest(&assembly) {
            Ok(overlap) => overlap,
            Err(failure) => {
                self.failure = Some(failure);
                return Ok(None);
            }
        };
        Ok(Some(Balanced {
            jumped,
            residual: found.residual,
            broken: std::mem::take(&mut assembly.broken),
            waves: assembly.waves,
            upper: *assembly.upper(),
            cell: OfCell {
                stress: (self.upper).map_or([0.0; 6], |_| assembly.stress()),
                work: sums.of_cell,
            },
            dt,
            work,
            forced: sums.forced,
            dissipated: sums.dissipated + left,
            overlap,
            walls: std::mem::take(&mut assembly.network.states),
            network: assembly.network,
        }))
    }

    /// Fails if a bond is longer than blocks allow, or a wall under pressure has no face.
    fn within_reach(&self, assembly: &Assembly) -> Result<(), StepError> {
        if let Some(free) = assembly.frees.iter().find(|free| free.is_faceless) {
            return Err(StepError::NoFace {
                step: self.step,
                wall: self.physics.walls[free.wall].name.clone(),
            });
        }
        let (axis, edge) = assembly.domain.partition().grid().narrowest();
        let (gap, allowed) = (assembly.widest, longest_bond(self.physics, edge));
        let step = self.step;
        let least = least_edge(self.physics.largest_radius, self.physics.skin);
        if self.upper.is_some() && edge < least {
            return Err(StepError::CellTooShort {
                step,
                axis,
                least,
                edge,
            });
        }
        if gap.is_nan() || (gap > 0.0 && gap > allowed) {
            return Err(StepError::BondTooLong {
                step,
                gap,
                allowed,
                edge,
            });
        }
        Ok(())
    }

    fn balance(&self, assembly: &mut Assembly, frame: &Frame) -> Result<Found, StepError> {
        match self.statics.method {
            Method::BagiBojtar => Ok(bagi_bojtar::balance(assembly, frame)),
            Method::Kishino(select) => Ok(kishino::balance(assembly, frame, select)),
            Method::SerranoRodriguez => {
                let error = |none: serrano::Unanswered| none.error(self.step, self.statics.linear);
                serrano::balance(assembly, frame).map_err(error)
            }
        }
    }

    /// Numbers of contacts of this rank's bodies in the last balance.
    ///
    /// They are those that carry a force, those that slide, and those that have opened and closed
    /// since the start. Bodies may change their rank meanwhile, so only the sum over ranks of those
    /// that have opened has a meaning.
    pub(super) fn count(&self) -> [f64; 4] {
        let (parcel, ..) = &self.reached;
        let rows = || parcel.contacts.iter().map(|row| of_increment(row.status));
        let count = |of: fn(&(u64, bool)) -> bool| rows().filter(of).count() as f64;
        [
            count(|(status, _)| *status != Status::Open as u64),
            count(|(status, _)| *status == Status::Sliding as u64),
            self.carried - count(|(status, carried)| *status != Status::Open as u64 && *carried),
            count(|(status, carried)| *status != Status::Open as u64 && !carried),
        ]
    }

    /// Goes on from a part in balance, or ends with it if it is the last.
    pub(super) fn take(&mut self, part: Balanced, is_last: bool) {
        self.foreign = false;
        self.waves = part.waves;
        let before = std::mem::take(&mut self.reached.0);
        if is_last {
            // Nothing is given up any more, and the new contacts need the room.
            self.first = None;
            drop(before);
        } else {
            self.first.get_or_insert(before);
        }
        let mut network = part.network;
        network.change(Link::settle);
        self.reached = (network.into_parcel(part.dt), part.walls, part.dt);
        self.upper = self.upper.map(|_| part.upper);
        self.cell = OfCell {
            stress: part.cell.stress,
            work: self.cell.work + part.cell.work,
        };
        self.work.normal += part.work.normal;
        self.work.friction += part.work.friction;
        self.work.driven += part.work.driven;
        self.work.prestress += part.work.prestress;
        self.work.fracture += part.work.fracture;
        self.residual = part.residual;
        self.parts += 1;
        self.jumps += u64::from(part.jumped);
        self.broken.extend(part.broken);
        self.work.elastic = part.work.elastic;
        self.forced += part.forced;
        self.dissipated += part.dissipated;
        self.overlap = part.overlap;
    }

    /// Hands bodies and contacts back as they were before the increment.
    pub(super) fn undo(self, state: &mut State) {
        let mut parcel = self.first.unwrap_or(self.reached.0);
        parcel.contacts.retain_mut(end_of_increment);
        state.parcel = parcel;
    }

    /// The error of an increment whose smallest part fails; the loads of `time` [s] were balanced.
    pub(super) fn end_of_run(&self, time: f64) -> StepError {
        let (step, residual) = (self.step, self.found.residual);
        let shown = |factor| format!(" (load factor {})", as_written(factor));
        let factor = self.physics.load_factor(time).map(shown);
        let factor = factor.unwrap_or_default();
        let bodies = self.adrift.iter().map(|id| id.0).collect();
        let (method, tolerance) = (self.statics.method, self.statics.tolerance);
        let allowed = self.statics.max_iterations;
        if !residual.is_finite() {
            let iterations = self.found.iterations;
            return StepError::ForcesNotFinite { step, iterations };
        }
        if let Some(failure) = &self.failure {
            return failure.clone();
        }
        if self.collapses {
            return StepError::Collapse {
                step,
                time,
                factor,
                bodies,
                residual,
            };
        }
        StepError::OutOfIterations {
            step,
            time,
            factor,
            allowed: match (method, self.statics.iterations()) {
                (Method::Kishino(_), sweeps) => format!("{allowed}, {sweeps} sweeps"),
                (_, n) if n < ENOUGH => {
                    format!("{n}, fewer than the {ENOUGH} that show a collapse")
                }
                (_, n) => n.to_string(),
            },
            bodies,
            residual,
            tolerance,
        }
    }

    /// The largest overlap here, over the smaller radius. Collective.
    ///
    /// # Errors
    /// If a body is lost or crushed, the same on all ranks.
    fn deepest(&self, assembly: &Assembly) -> Result<f64, StepError> {
        let (step, network) = (self.step, &assembly.network);
        let partition = assembly.domain.partition();
        let own = (0..network.own.len()).map(|k| network.body(k));
        let inside = |row: &&BodyRow| partition.contains(&row.position.into());
        let lost = own.into_iter().find(|row| !is_finite(row) || !inside(row));
        let lost = lost.map(|row| match is_finite(row) {
            false => StepError::not_finite(step, row),
            true => StepError::Lost {
                step,
                id: row.id.0,
                position: row.position,
            },
        });
        let deep = |link: &Link| -link.gap / link.smaller_radius();
        let deepest = (network.links()).max_by(|a, b| deep(a).total_cmp(&deep(b)));
        let overlap = deepest.map_or(0.0, |link| deep(&link).max(0.0));
        let crushed = deepest.filter(|link| deep(link) >= 1.0).map(|link| {
            let key = network.key(&link);
            StepError::Crushed {
                step,
                overlap,
                bodies: format!("bodies {} and {}", key.a, key.b),
                held: "their contacts".to_owned(),
            }
        });
        let failure = lost.or(crushed).map_or(Ok(()), Err);
        assembly.domain.agree(failure).map(|()| overlap)
    }

    /// Hands bodies, contacts, walls and the cell to the state after `dt` [s].
    pub(super) fn end(self, state: &mut State, dt: f64) {
        let (mut parcel, walls, _) = self.reached;
        parcel.contacts.retain_mut(end_of_increment);
        state.parcel = parcel;
        if self.parts == 0 {
            return;
        }
        still(&mut state.parcel.bodies);
        for row in &mut state.parcel.bodies {
            row.reference = Reference::default();
        }
        state.references.clear();
        if let (Some(cell), Some(upper), Some(of)) =
            (&mut state.cell, self.upper, &self.physics.cell)
        {
            // Nothing moves between increments: the edges are at rest, as the bodies are.
            *cell = of.after(cell, upper, 0.0, dt).at_rest();
        }
        state.walls_before = std::mem::replace(&mut state.walls, walls);
        for states in [&mut state.walls, &mut state.walls_before] {
            still_walls(&self.physics.walls, states);
        }
        state.elastic = self.work.elastic;
    }
}

/// The largest displacement of a body that contacts or a support hold, in its radii, beyond that of
/// the walls. Collective.
///
/// Bodies with fewer than two contacts are free to go.
fn jump(assembly: &Assembly, walls: &[Shift]) -> f64 {
    let network = &assembly.network;
    let held = |k: &usize| {
        let acts = |side: &&Side| network.link(side.link()).acts();
        let supported = assembly.supports.hold(network.body(*k));
        supported || network.sides(*k).iter().filter(acts).count() >= 2
    };
    let far = |k: usize| {
        let row = network.body(k);
        way(row).norm() / row.radius
    };
    let most = (0..network.own.len()).filter(held).map(far);
    let most = assembly.domain.max(most.fold(0.0, nan_max));
    let largest = assembly.physics.largest_radius;
    let with_walls = walls.iter().map(|shift| shift.way.norm() / largest);
    most - with_walls.fold(0.0, nan_max)
}
