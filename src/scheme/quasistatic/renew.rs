//! The contacts of an assembly after a motion.

use super::assembly::Assembly;
use super::frame::Frame;
use super::link::Link;
use super::links::Links;
use super::settings::Method;
use super::unknowns::Shift;
use crate::contact::{Neighbours, Partner, Touch};
use crate::math::Vector3;
use crate::shape::Surface;
use std::collections::HashMap;

/// A motion: the shifts of all known bodies, those of the walls with their centres before it [m],
/// the places of contacts with walls that turn, and the strain of the cell.
type Moved<'m> = (
    &'m [Shift],
    (&'m [Shift], &'m [Vector3]),
    &'m HashMap<usize, Vector3>,
    &'m Vector3,
);

impl Assembly<'_, '_> {
    /// Whether each pair has its contact, and keeps it: no wall is curved.
    fn is_complete(&self) -> bool {
        let flat = |surface: &Surface| matches!(surface, Surface::Plane(_));
        let mut walls = self.network.walls.iter();
        walls.all(|wall| flat(&wall.surface)) && self.network.count() == self.pairs.len()
    }

    /// The touch of a contact at the present places.
    pub(super) fn touch_of(&self, link: &Link) -> Option<Touch> {
        let mut found = None;
        self.touches_of(&link.pair, |touch| {
            if touch.feature == link.feature {
                found = Some(touch);
            }
        });
        found
    }

    /// Finds contacts that have come within the skin; all others stay as they are.
    pub(super) fn refresh(&mut self) {
        if !self.is_complete() {
            self.find(None);
        }
    }

    /// The places of the contacts with walls that turn [m], by number.
    pub(super) fn points_of_turning(&self, walls: &[Shift]) -> HashMap<usize, Vector3> {
        if walls.iter().all(|wall| wall.turn == Vector3::zeros()) {
            return HashMap::new();
        }
        let network = &self.network;
        let each = network.links().enumerate().filter_map(|(number, link)| {
            let Partner::Wall(wall) = link.partner else {
                return None;
            };
            let turns = walls[wall].turn != Vector3::zeros();
            turns.then(|| (number, network.point(&link)))
        });
        each.collect()
    }

    /// Moves the walls alone.
    pub(super) fn advance_walls(&mut self, frame: &Frame) {
        let before = self.centres();
        self.place_walls(frame.states.clone());
        for number in 0..self.network.count() {
            let mut link = self.network.link(number);
            let Partner::Wall(wall) = link.partner else {
                continue;
            };
            let shift = &frame.shifts[wall];
            if let (Some(touch), true) = (self.touch_of(&link), *shift != Shift::default()) {
                let shift = shift.at(&(self.network.point(&link) - before[wall]));
                link.follow(|link| link.motion_of_side(1, &shift), &touch, false);
                self.network.links.set(number, &link);
            }
        }
    }

    /// The contacts at the present places, after a motion.
    pub(super) fn renew(&mut self, moved: Moved) {
        if !self.is_complete() {
            return self.find(Some(moved));
        }
        for number in 0..self.network.count() {
            let mut link = self.network.link(number);
            if let Some(touch) = self.touch_of(&link) {
                self.follow((number, &mut link), &touch, moved);
                self.network.links.set(number, &link);
            }
        }
    }

    /// The contacts at the present places, after a motion; without one those that exist stay as
    /// they are.
    fn find(&mut self, moved: Option<Moved>) {
        let mut old = self.network.links().enumerate().peekable();
        let order = |pair: &Neighbours, feature: u64| (pair.first, pair.second, feature);
        let order_of = |link: &Link| order(&link.pair, link.feature);
        let mut links = Links::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            self.touches_of(pair, |touch| {
                let this = order(pair, touch.feature);
                while old.next_if(|(_, link)| order_of(link) < this).is_some() {}
                match old.next_if(|(_, link)| order_of(link) == this) {
                    None => {
                        if let Some(link) = self.new_link(*pair, &touch, &[], (1.0, None)) {
                            links.push(&link);
                        }
                    }
                    Some((number, mut link)) => {
                        if let Some(moved) = moved {
                            self.follow((number, &mut link), &touch, moved);
                        }
                        links.push(&link);
                    }
                }
            });
        }
        drop(old);
        self.network.links = links;
        self.network.list();
    }

    /// A contact follows a motion of all bodies and of the frame.
    fn follow(
        &self,
        (number, link): (usize, &mut Link),
        touch: &Touch,
        (shifts, (of_walls, before), points, strain): Moved,
    ) {
        // Without its stiffness across the normal, a contact that slides at once holds nothing.
        let slips = self.statics.method == Method::BagiBojtar && self.statics.coulomb;
        let motion = |link: &Link| {
            let second = match link.partner {
                Partner::Body(b) => shifts[b],
                Partner::Wall(w) => match points.get(&number) {
                    Some(point) => of_walls[w].at(&(point - before[w])),
                    None => of_walls[w],
                },
            };
            link.strained([&shifts[link.pair.first as usize], &second], strain)
        };
        link.follow(motion, touch, slips);
    }
}
