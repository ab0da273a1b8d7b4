//! The contacts of an assembly after a motion.

use super::assembly::Assembly;
use super::frame::Frame;
use super::link::Link;
use super::settings::Method;
use super::unknowns::Shift;
use crate::contact::{Neighbours, Partner};
use crate::math::Vector3;
use crate::shape::Surface;

/// A motion: the shifts of all known bodies, those of the walls with their centres before it [m],
/// and the strain of the cell.
type Moved<'m> = (&'m [Shift], (&'m [Shift], &'m [Vector3]), &'m Vector3);

impl Assembly<'_, '_> {
    /// Finds contacts that have come within the skin; all others stay as they are.
    pub(super) fn refresh(&mut self) {
        // A pair has at most one contact where no wall is curved.
        let flat = |surface: &Surface| matches!(surface, Surface::Plane(_));
        let single = self.network.walls.iter().all(|wall| flat(&wall.surface));
        if !single || self.network.links.len() < self.pairs.len() {
            self.renew(None);
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

    /// The contacts at the present places, after a motion; without one those that exist stay as
    /// they are.
    pub(super) fn renew(&mut self, moved: Option<Moved>) {
        let touches = self.touches();
        let old = std::mem::take(&mut self.network.links);
        let mut old = old.iter().peekable();
        // Without its stiffness across the normal, a contact that slides at once holds nothing.
        let slips = self.statics.method == Method::BagiBojtar && self.statics.coulomb;
        let order = |pair: &Neighbours, feature: u64| (pair.first, pair.second, feature);
        let mut links = Vec::with_capacity(touches.len());
        for (pair, touch) in touches {
            let this = order(&pair, touch.feature);
            while old
                .next_if(|link| order(&link.pair, link.touch.feature) < this)
                .is_some()
            {}
            let Some(link) = old.next_if(|link| order(&link.pair, link.touch.feature) == this)
            else {
                links.extend(self.new_link(pair, &touch, &[], (1.0, None)));
                continue;
            };
            let mut link = *link;
            if let Some((shifts, (of_walls, before), strain)) = moved {
                let motion = |link: &Link| {
                    let second = match pair.partner(self.network.rows.len()) {
                        Partner::Body(b) => shifts[b],
                        Partner::Wall(w) => of_walls[w].at(&(link.touch.point - before[w])),
                    };
                    link.strained([&shifts[pair.first as usize], &second], strain)
                };
                link.follow(motion, &touch, slips);
            }
            links.push(link);
        }
        self.network.links = links;
        self.network.list();
    }
}
