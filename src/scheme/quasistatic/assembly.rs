//! The bodies and contacts of an increment on one rank.
//!
//! A rank moves its own bodies. Of each it knows all contacts, so it also knows the other bodies of
//! these contacts: a copy of every body nearer than the widest pair. A contact across a cut stands
//! on both ranks, which compute the same bits for it. So only displacements travel.

use super::frame::{Frame, strain};
use super::freewall::FreeWall;
use super::link::{Link, of_increment};
use super::links::Links;
use super::network::Network;
use super::places::{begin, carry, go};
use super::reach::{wide, widest_bond};
use super::settings::{Method, Statics};
use super::support::Supports;
use super::unknowns::Shift;
use crate::body::{Bodies, BodyRow, Held, Reference, WallState};
use crate::contact::{ContactRow, Neighbours, Partner, Touch};
use crate::detect::{Detector, Space, touch_of_balls, touches_of_ball_and_wall};
use crate::domain::Domain;
use crate::domain::copies::Copies;
use crate::domain::migration::{Parcel, contacts_to_copies, to_owners, with_copies};
use crate::domain::reach::reaches;
use crate::law::bond::{Joint, Near};
use crate::law::elastic::{Carried, Elastic};
use crate::law::{State as LawState, Status};
use crate::math::{ExactSum, Vector3, nan_max, rotate, turn_between};
use crate::pool::Pool;
use crate::scheme::physics::Physics;
use crate::scheme::report::BrokenBond;
use crate::shape::Surface;
use std::borrow::Cow;

/// The bodies and contacts that a rank knows within an increment.
pub(super) struct Assembly<'a, 'd> {
    /// The domain, with the present size of the cell.
    pub domain: Domain<'d>,
    pub physics: &'a Physics,
    pub statics: &'a Statics,
    pub supports: Supports<'a>,
    pub pool: &'a Pool,
    /// The time of the loads that are to be balanced [s].
    pub time: f64,
    pub network: Network,
    /// Walls that forces move.
    pub frees: Vec<FreeWall>,
    /// Strains of the cell that follow a stress.
    pub edges: Vec<Held>,
    /// Bonds of own bodies that broke in this increment.
    pub broken: Vec<BrokenBond>,
    /// Energies of the contacts that they left [J].
    pub left: Vec<f64>,
    /// How many times bonds have broken in this increment.
    pub waves: u64,
    /// The largest gap of a bond when pairs were searched [m]; 0 without bonds.
    pub widest: f64,
    copies: Copies,
    /// The walls when pairs were searched.
    searched: Vec<WallState>,
    /// The upper corner of the cell when bodies came to their owners [m].
    gathered: Vector3,
    pub pairs: Vec<Neighbours>,
}

/// The bodies, contacts and walls with which an assembly begins.
pub(super) struct Sample<'s> {
    pub bodies: Vec<BodyRow>,
    /// The contacts that start at them.
    pub contacts: &'s [ContactRow],
    pub walls: &'s [WallState],
}

/// An increment that begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begins {
    /// The times of its start and of its end [s].
    pub times: [f64; 2],
    /// Whether the state is another scheme's.
    pub foreign: bool,
}

/// The size of bodies and of stiffnesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Mean radius [m].
    pub radius: f64,
    /// Largest normal stiffness of a contact, or without contacts of a support [N/m].
    pub stiffness: f64,
}

/// The distance that a body may move until pairs are searched anew [m].
fn allowance(physics: &Physics) -> f64 {
    0.5 * physics.skin
}

impl<'a, 'd> Assembly<'a, 'd> {
    /// Brings bodies to their owners and copies to where they are needed, and finds the contacts.
    /// Collective.
    ///
    /// `dt` is the length of the increment whose forces the contacts of the sample carry [s],
    /// `time` that of the loads. When an increment begins, all contacts stick, and bonds are made.
    pub(super) fn gather(
        (physics, statics, supports): (&'a Physics, &'a Statics, Supports<'a>),
        (domain, pool): (&Domain<'d>, &'a Pool),
        (sample, dt): (Sample, f64),
        (time, begins): (f64, Option<Begins>),
    ) -> Self {
        let Sample {
            mut bodies,
            contacts,
            walls: states,
        } = sample;
        // Contacts are most of a sample, so they are not copied where they are.
        let mut contacts = Cow::Borrowed(contacts);
        if !contacts.is_sorted_by_key(|row| row.key) {
            contacts.to_mut().sort_by_key(|row| row.key);
        }
        for row in &mut bodies {
            row.reference = Reference::here(row, allowance(physics));
            if begins.is_some() {
                begin(row);
            }
        }
        let times = begins.map(|begins| begins.times);
        let widest = widest_bond((physics, domain), &contacts, times);
        let wide = wide(physics.largest_radius, physics.skin.max(widest));
        let came = contacts_to_copies(domain, &bodies, &contacts, wide);
        let known = [&contacts[..], &came];
        let moved = Parcel {
            bodies,
            contacts: Vec::new(),
        };
        let bodies = with_copies(domain, to_owners(domain, moved), wide, &physics.large).bodies;
        let partition = domain.partition();
        let place = |row: &BodyRow| Vector3::from(row.reference.position);
        let positions: Vec<Vector3> = bodies.iter().map(place).collect();
        let half = |row: &BodyRow| crate::domain::ghosts::half(row, wide);
        let halves: Vec<f64> = bodies.iter().map(half).collect();
        let owners = positions.iter().map(|x| partition.owner_of_point(x));
        let owners: Vec<usize> = owners.collect();
        let reaches = reaches(domain, &positions, &halves, std::iter::empty());
        let copies = Copies::plan(domain, &owners, &reaches);
        let rank = domain.rank();
        let own = (0..bodies.len()).filter(|&i| owners[i] == rank);
        let mut assembly = Self {
            domain: domain.clone(),
            physics,
            statics,
            supports,
            pool,
            time,
            network: Network::new(bodies, own.map(|i| i as u32).collect(), statics.planar),
            frees: FreeWall::all(physics, time),
            edges: (physics.cell.as_ref()).map_or_else(Vec::new, |cell| cell.held(time)),
            broken: Vec::new(),
            left: Vec::new(),
            waves: 0,
            widest,
            copies,
            searched: Vec::new(),
            gathered: *partition.corners()[1],
            pairs: Vec::new(),
        };
        assembly.place_walls(states.to_vec());
        assembly.searched = states.to_vec();
        assembly.search(times.map_or(0.0, |_| widest));
        assembly.join(&known);
        let mut links = Links::with_capacity(assembly.pairs.len());
        for pair in &assembly.pairs {
            assembly.touches_of(pair, |touch| {
                if let Some(link) = assembly.new_link(*pair, &touch, &known, (dt, begins)) {
                    links.push(&link);
                }
            });
        }
        assembly.network.links = links;
        assembly.network.list();
        assembly
    }

    pub(super) fn place_walls(&mut self, states: Vec<WallState>) {
        self.network.walls = self.physics.placed(&states);
        self.network.states = states;
        let period = self.domain.partition().grid().period();
        let Network { walls, planar, .. } = &self.network;
        for free in &mut self.frees {
            *free = free.loaded(walls, period, *planar);
        }
    }

    /// Finds the pairs that are nearer than the skin, or than a distance [m].
    fn search(&mut self, reach: f64) {
        let mut columns = Bodies::default();
        columns.renew(&self.network.rows, &self.physics.templates, self.pool);
        let space = Space {
            walls: &self.network.walls,
            margin: self.physics.skin.max(reach),
            period: self.domain.partition().grid().period(),
            templates: &self.physics.templates,
        };
        let mut found = Vec::new();
        Detector::default().detect(&columns, &space, |_| true, self.pool, &mut found);
        let mine = self.network.mine();
        let bodies = self.network.rows.len() as u32;
        let pairs = found.iter().filter_map(|c| {
            let (second, near) = match c.b {
                Partner::Body(b) => (b as u32, mine[b]),
                Partner::Wall(w) => (bodies + w as u32, false),
            };
            (mine[c.a] || near).then_some(Neighbours {
                first: c.a as u32,
                second,
            })
        });
        self.pairs = pairs.collect();
        self.pairs.dedup();
        self.pairs.shrink_to_fit();
    }

    /// Calls `found` for the touches of a pair, in the order of features.
    pub(super) fn touches_of(&self, pair: &Neighbours, mut found: impl FnMut(Touch)) {
        let place = |row: &BodyRow| (Vector3::from(row.position), row.radius);
        let (x, r) = place(&self.network.rows[pair.first as usize]);
        match pair.partner(self.network.rows.len()) {
            Partner::Body(b) => {
                let (other, radius) = place(&self.network.rows[b]);
                let period = self.domain.partition().grid().period();
                found(touch_of_balls((&x, r), (&other, radius), period));
            }
            Partner::Wall(w) => {
                let surface = &self.network.walls[w].surface;
                let margin = match surface {
                    Surface::Plane(_) => f64::INFINITY,
                    _ => (self.physics.largest_radius).max(self.widest + self.physics.skin),
                };
                touches_of_ball_and_wall((&x, r), surface, margin, found);
            }
        }
    }

    pub(super) fn new_link(
        &self,
        pair: Neighbours,
        touch: &Touch,
        before: &[&[ContactRow]],
        (dt, begins): (f64, Option<Begins>),
    ) -> Option<Link> {
        let key = self.network.key_of(&pair, touch.feature);
        let first = &self.network.rows[pair.first as usize];
        let (material, radius, centre) = match pair.partner(self.network.rows.len()) {
            Partner::Body(b) => {
                let row = &self.network.rows[b];
                (row.material, row.radius, Some(row.position.into()))
            }
            Partner::Wall(w) => (self.network.walls[w].material, f64::INFINITY, None),
        };
        let last = before.iter().find_map(|rows| {
            let at = rows.binary_search_by_key(&key, |row| row.key);
            at.ok().map(|k| &rows[k])
        });
        let state = last.map_or(LawState::NOTHING, |row| row.state);
        let status = last.map(|row| of_increment(row.status));
        let slid = status.is_some_and(|(status, _)| status == Status::Sliding as u64);
        let near = Near {
            bodies: [key.a.0, key.b.0],
            materials: [first.material, material],
            radii: [first.radius, radius],
            centres: [Some(first.position.into()), centre],
            gap: touch.gap,
        };
        let before = match begins {
            Some(Begins { foreign: true, .. }) => self.foreign(state.joint, &near, (last, dt)),
            _ => state.joint,
        };
        let joint = self.bonded(before, &near, begins.map(|begins| begins.times));
        let elastic = Elastic::of(&self.physics.laws, near.materials, near.radii, &joint, slid);
        let elastic = elastic.expect("a configuration without rigid pairs");
        if touch.gap >= self.physics.skin && !elastic.glued {
            return None;
        }
        let mut link = Link {
            pair,
            partner: pair.partner(self.network.rows.len()),
            radii: near.radii,
            elastic,
            joint,
            normal: touch.normal,
            gap: touch.gap,
            feature: touch.feature,
            carried: Carried::default(),
            carried_before: status.is_some_and(|(_, carried)| carried),
        };
        match last {
            Some(row) => link.take(row, dt, begins.is_some()),
            None => link.begin(),
        }
        Some(link)
    }

    /// The coefficients of a contact with another bond.
    pub(super) fn coefficients(&self, link: &Link, joint: &Joint) -> Elastic {
        let bodies = &self.network.rows;
        let material = match link.partner {
            Partner::Body(b) => bodies[b].material,
            Partner::Wall(w) => self.network.walls[w].material,
        };
        let materials = [bodies[link.pair.first as usize].material, material];
        Elastic::of(&self.physics.laws, materials, link.radii, joint, false)
            .expect("a configuration without rigid pairs")
    }

    /// Brings numbers of own bodies to their copies. Collective.
    pub(super) fn share(&self, all: &mut [[f64; 6]]) {
        self.copies.share(&self.domain, all);
    }

    /// Moves own bodies by these shifts, and the frame, and updates all contacts. Collective.
    pub(super) fn advance(&mut self, mine: &[Shift], frame: Option<&Frame>) {
        let mut shifts = vec![[0.0; 6]; self.network.rows.len()];
        for (&i, shift) in self.network.own.iter().zip(mine) {
            shifts[i as usize] = shift.to_array();
        }
        self.copies.share(&self.domain, &mut shifts);
        let shifts: Vec<Shift> = shifts.into_iter().map(Shift::from_array).collect();
        let (before, from) = (self.centres(), *self.upper());
        let rest = self.at_rest();
        let frame = frame.unwrap_or(&rest);
        let points = self.points_of_turning(&frame.shifts);
        self.carry(&frame.upper);
        (0..self.network.rows.len()).for_each(|i| self.place(i, &shifts[i]));
        self.place_walls(frame.states.clone());
        let strain = strain(self.physics, &from, &frame.upper);
        self.renew((&shifts, (&frame.shifts, &before), &points, &strain));
    }

    /// Carries all known bodies with the cell, whose upper corner moves to a place [m].
    fn carry(&mut self, upper: &Vector3) {
        let from = *self.upper();
        let Some(cell) = self.physics.cell.as_ref().filter(|_| from != *upper) else {
            return;
        };
        for row in &mut self.network.rows {
            carry(row, cell, [&from, upper]);
        }
        self.domain.resize(upper);
    }

    /// Moves a known body.
    pub(super) fn place(&mut self, i: usize, shift: &Shift) {
        let row = &mut self.network.rows[i];
        let period = self.domain.partition().grid().period();
        go(row, &shift.way);
        let (x, turns) = period.wrapped(&(Vector3::from(row.position) + shift.way));
        row.position = x.into();
        (row.image.iter_mut().zip(turns)).for_each(|(image, n)| *image += n);
        row.orientation = rotate(row.orientation, &shift.turn);
    }

    /// Sends the moves of own bodies to their copies on other ranks. Collective.
    ///
    /// It returns those of the copies here, of each body in order.
    pub(super) fn share_moves(&self, moves: &[(usize, Shift)]) -> Vec<(usize, Shift)> {
        let numbers: Vec<_> = moves
            .iter()
            .map(|(i, shift)| (*i, shift.to_array()))
            .collect();
        let received = self.copies.tell(&self.domain, &numbers).into_iter();
        received
            .map(|(i, numbers)| (i, Shift::from_array(numbers)))
            .collect()
    }

    pub(super) fn centres(&self) -> Vec<Vector3> {
        let each = self.physics.walls.iter().zip(&self.network.states);
        each.map(|(wall, state)| wall.place_now(state)).collect()
    }

    /// The size of bodies and of stiffnesses. Collective.
    pub(super) fn scale(&self) -> Scale {
        let radii: ExactSum = self
            .network
            .own
            .iter()
            .map(|&i| self.network.rows[i as usize].radius)
            .collect();
        let [sum, count] = self
            .domain
            .sums(&[radii, ExactSum::from_iter([self.network.own.len() as f64])]);
        let stiffnesses = self.network.links();
        let stiffnesses = stiffnesses.map(|link| link.elastic.stiffness.normal);
        let mut stiffest = [stiffnesses.fold(0.0, nan_max), self.stiffest_support()[0]];
        self.domain.many_max(&mut stiffest);
        let [of_contacts, of_supports] = stiffest;
        Scale {
            radius: sum / count,
            stiffness: match of_contacts {
                0.0 => of_supports,
                _ => of_contacts,
            },
        }
    }

    /// Finds owners, copies and pairs anew once a body has moved too far; returns whether.
    /// Collective.
    ///
    /// The numbers of own bodies change then.
    pub(super) fn keep_up(&mut self) -> bool {
        // Blocks in which bodies are relaxed must be those of their owners.
        let renews = matches!(self.statics.method, Method::Kishino(_));
        let grown = renews && self.gathered != *self.upper();
        if self.strayed() <= allowance(self.physics) && !grown {
            return false;
        }
        let walls = std::mem::take(&mut self.network.states);
        let Parcel { bodies, contacts } = std::mem::take(&mut self.network).into_parcel(1.0);
        let sample = Sample {
            bodies,
            contacts: &contacts,
            walls: &walls,
        };
        let events = (
            std::mem::take(&mut self.broken),
            std::mem::take(&mut self.left),
            self.waves,
        );
        let widest = self.widest;
        *self = Self::gather(
            (self.physics, self.statics, self.supports),
            (&self.domain, self.pool),
            (sample, 1.0),
            (self.time, None),
        );
        (self.broken, self.left, self.waves) = events;
        self.widest = nan_max(self.widest, widest);
        true
    }

    /// The largest distance of a body from its place when pairs were searched [m]. Collective.
    ///
    /// That place moves with the cell, so half of the way by which the cell brings the two bodies
    /// of a pair together counts as well.
    fn strayed(&self) -> f64 {
        let period = *self.domain.partition().grid().period();
        let own = self
            .network
            .own
            .iter()
            .map(|&i| self.network.rows[i as usize].strayed(&period));
        let walls = self.network.states.iter().zip(&self.searched);
        let walls = walls.map(|(now, then)| {
            let way = (now.displacement - then.displacement).norm();
            // A surface that turns may sweep any part of the domain.
            let turn = turn_between(then.orientation, now.orientation).norm();
            way + turn * self.domain.partition().diameter()
        });
        let by_cell = self.physics.cell.as_ref().map_or(0.0, |cell| {
            let strains = cell.strains(&self.gathered, self.upper());
            let each = strains.iter().map(|strain| strain.abs());
            let pair = 2.0 * self.physics.largest_radius + self.physics.skin.max(self.widest);
            0.5 * each.fold(0.0, nan_max) * pair
        });
        let most = self.domain.max(own.chain(walls).fold(0.0, nan_max));
        most + by_cell
    }
}
