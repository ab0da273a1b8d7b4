//! Arcs: the distance to a part of a circle, and the places at which its hollow side holds a ball.

use super::places::{Around, ON_AXIS, TURNS};
use super::{Surface, direction, split};
use crate::math::Vector3;

/// An arc as seen from a point.
struct Seen {
    /// The way from the axis to the point, across the axis [m].
    across: Vector3,
    /// Unit vectors from the axis: to the middle of the arc, and a quarter turn on.
    middle: Vector3,
    side: Vector3,
    /// Cosine and sine of half its angle.
    half: [f64; 2],
    radius: f64,
}

impl Seen {
    /// Whether the arc has a point in a direction from its axis.
    fn covers(&self, way: &Vector3) -> bool {
        way.dot(&self.middle) >= self.half[0]
    }

    /// The direction from the axis to the end on the point's side.
    fn end(&self) -> Vector3 {
        let [along, across] = self.half;
        let across = match self.across.dot(&self.side) < 0.0 {
            true => -across,
            false => across,
        };
        self.middle * along + self.side * across
    }
}

impl Surface {
    /// The arc as seen from a point; `None` for other surfaces.
    fn arc(&self, x: &Vector3) -> Option<Seen> {
        let Self::Arc {
            centre,
            axis,
            middle,
            half,
            radius,
        } = self
        else {
            return None;
        };
        let (_, across) = split(&(x - centre), axis);
        Some(Seen {
            across,
            middle: *middle,
            side: axis.cross(middle),
            half: [libm::cos(*half), libm::sin(*half)],
            radius: *radius,
        })
    }

    /// Distance [m] and direction of the nearest point of an arc.
    #[inline(never)]
    pub(super) fn nearest_of_arc(&self, x: &Vector3) -> (f64, Vector3) {
        let Some(arc) = self.arc(x) else {
            return (f64::NAN, Vector3::z());
        };
        let (away, distance) = direction(&arc.across, &arc.middle);
        if arc.covers(&away) {
            let room = arc.radius - distance;
            return (room.abs(), if room < 0.0 { -away } else { away });
        }
        let (towards, far) = direction(&(arc.end() * arc.radius - arc.across), &away);
        (far, towards)
    }

    /// Place `k` of the hollow side of an arc, as in [`Surface::place`]: the nearest point, then
    /// those of the points 60° apart from it that the arc has.
    pub(super) fn place_of_arc(&self, x: &Vector3, k: usize) -> Option<(f64, Vector3)> {
        let (Some(arc), Self::Arc { axis, radius, .. }) = (self.arc(x), self) else {
            return None;
        };
        if arc.across.norm_squared() >= radius * radius {
            return None;
        }
        let (away, distance) = direction(&arc.across, &arc.middle);
        let base = if distance <= ON_AXIS * radius {
            arc.middle * *radius
        } else if arc.covers(&away) {
            arc.across
        } else {
            arc.end() * *radius
        };
        let around = Around::new(axis, &base, *radius);
        let has = |turn: &usize| *turn == 0 || arc.covers(&around.directions(*turn)[0]);
        let turn = (0..TURNS.len()).filter(has).nth(k)?;
        let [way, sideways] = around.directions(turn);
        let across = &arc.across;
        let to = way * (radius - across.dot(&way)) - sideways * across.dot(&sideways);
        let (towards, far) = direction(&to, &way);
        Some((far, towards))
    }
}
