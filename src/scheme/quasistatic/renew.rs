//! The contacts of an assembly after a motion.

use super::assembly::Assembly;
use super::frame::Frame;
use super::link::Link;
use super::settings::Method;
use super::unknowns::Shift;
use crate::contact::{Neighbours, Partner, Touch};
use crate::math::Vector3;
use crate::shape::Surface;

/// A motion: the shifts of all known bodies, those of the walls with their centres before it [m],
/// and the strain of the cell.
type Moved<'m> = (&'m [Shift], (&'m [Shift], &'m [Vector3]), &'m Vector3);

impl Assembly<'_, '_> {
    /// Whether each pair has its contact, and keeps it: no wall is curved.
    fn is_complete(&self) -> bool {
        let flat = |surface: &Surface| matches!(surface, Surface::Plane(_));
        let mut walls = self.network.walls.iter();
        walls.all(|wall| flat(&wall.surface)) && self.network.links.len() == self.pairs.len()
    }

    /// The touch of a contact at the present places.
    pub(super) fn touch_of(&self, link: &Link) -> Option<Touch> {
        let mut found = None;
        self.touches_of(&link.pair, |touch| {
            if touch.feature == link.touch.feature {
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

    /// Moves the walls alone.
    pub(super) fn advance_walls(&mut self, frame: &Frame) {
        let before = self.centres();
        self.place_walls(frame.states.clone());
        for number in 0..self.network.links.len() {
            let link = &self.network.links[number];
            let Some(wall) = link.key.b.wall_index() else {
                continue;
            };
            let shift = &frame.shifts[wall];
            if let (Some(touch), true) = (self.touch_of(link), *shift != Shift::default()) {
                let at_point = |link: &Link| {
                    let shift = shift.at(&(link.touch.point - before[wall]));
                    link.motion_of_side(1, &shift)
                };
                self.network.links[number].follow(at_point, &touch, false);
            }
        }
    }

    /// The contacts at the present places, after a motion.
    pub(super) fn renew(&mut self, moved: Moved) {
        if !self.is_complete() {
            return self.find(Some(moved));
        }
        for number in 0..self.network.links.len() {
            let mut link = self.network.links[number];
            if let Some(touch) = self.touch_of(&link) {
                self.follow(&mut link, &touch, moved);
                self.network.links[number] = link;
            }
        }
    }

    /// The contacts at the present places, after a motion; without one those that exist stay as
    /// they are.
    fn find(&mut self, moved: Option<Moved>) {
        let old = std::mem::take(&mut self.network.links);
        let mut old = old.iter().peekable();
        let order = |pair: &Neighbours, feature: u64| (pair.first, pair.second, feature);
        let mut links = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            self.touches_of(pair, |touch| {
                let this = order(pair, touch.feature);
                while old
                    .next_if(|link| order(&link.pair, link.touch.feature) < this)
                    .is_some()
                {}
                match old.next_if(|link| order(&link.pair, link.touch.feature) == this) {
                    None => links.extend(self.new_link(*pair, &touch, &[], (1.0, None))),
                    Some(link) => {
                        let mut link = *link;
                        if let Some(moved) = moved {
                            self.follow(&mut link, &touch, moved);
                        }
                        links.push(link);
                    }
                }
            });
        }
        self.network.links = links;
        self.network.list();
    }

    /// A contact follows a motion of all bodies and of the frame.
    fn follow(&self, link: &mut Link, touch: &Touch, (shifts, (of_walls, before), strain): Moved) {
        // Without its stiffness across the normal, a contact that slides at once holds nothing.
        let slips = self.statics.method == Method::BagiBojtar && self.statics.coulomb;
        let motion = |link: &Link| {
            let second = match link.pair.partner(self.network.rows.len()) {
                Partner::Body(b) => shifts[b],
                Partner::Wall(w) => of_walls[w].at(&(link.touch.point - before[w])),
            };
            link.strained([&shifts[link.pair.first as usize], &second], strain)
        };
        link.follow(motion, touch, slips);
    }
}
