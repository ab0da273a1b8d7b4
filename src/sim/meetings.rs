//! Walls that meet: as no wall stops another, those that come to cross are named.

use crate::body::{Motion, Wall, WallState};
use crate::shape::Surface;

/// Steps between two looks at pairs with few triangles.
const EVERY: u64 = 10;

/// Triangles whose visit takes about as long as a step of a small run.
const MANY: u64 = 1000;

/// Looks along the whole of a prescribed motion, at most.
const LOOKS: u64 = 200;

/// Pairs of surfaces of two walls that were apart at time zero.
///
/// One of them is a mesh, and one wall moves. Those that cross from the start belong together, as a
/// shaft and the plate that it goes through, and so do those with the same motion.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    pairs: Vec<Two>,
}

/// Two surfaces.
#[derive(Clone, Copy, Debug)]
struct Two {
    walls: [usize; 2],
    /// The number of the surface among those of its wall.
    parts: [usize; 2],
    /// The triangles that a look at them visits.
    work: u64,
}

impl Meetings {
    pub(super) fn new(walls: &[Wall]) -> Self {
        let moves = |wall: &Wall| !matches!(wall.motion, Motion::Fixed);
        let mut pairs = Vec::new();
        for (a, first) in walls.iter().enumerate() {
            for (b, second) in walls.iter().enumerate().skip(a + 1) {
                let looks = (moves(first) || moves(second)) && !together(first, second);
                if !looks {
                    continue;
                }
                for (i, one) in first.surface.parts().iter().enumerate() {
                    for (j, other) in second.surface.parts().iter().enumerate() {
                        let work = one.crossing_work(other) as u64;
                        if work > 0 && !one.crosses(other) {
                            let (walls, parts) = ([a, b], [i, j]);
                            pairs.push(Two { walls, parts, work });
                        }
                    }
                }
            }
        }
        Self { pairs }
    }

    /// Triangles that a look visits.
    fn work(&self) -> u64 {
        self.pairs.iter().map(|two| two.work).sum()
    }

    /// Whether a look is due after a step.
    pub(super) fn is_due(&self, step: u64) -> bool {
        !self.pairs.is_empty() && step.is_multiple_of(EVERY * self.work().div_ceil(MANY).max(1))
    }

    /// The names of the walls that have come to cross; each pair once.
    pub(super) fn look<'w>(
        &mut self,
        walls: &'w [Wall],
        states: &[WallState],
    ) -> Vec<[&'w str; 2]> {
        if self.pairs.is_empty() {
            return Vec::new();
        }
        let both = walls.iter().zip(states);
        let surfaces: Vec<Surface> = both.map(|(wall, state)| wall.placed(state)).collect();
        let mut met: Vec<[usize; 2]> = Vec::new();
        for Two { walls, parts, .. } in &self.pairs {
            let [one, other] = [0, 1].map(|k| &surfaces[walls[k]].parts()[parts[k]]);
            if !met.contains(walls) && one.crosses(other) {
                met.push(*walls);
            }
        }
        self.pairs.retain(|two| !met.contains(&two.walls));
        let names = |two: [usize; 2]| two.map(|wall| walls[wall].name.as_str());
        met.into_iter().map(names).collect()
    }
}

/// Whether two walls have the same prescribed motion, so that they stay as they are to each other.
fn together(a: &Wall, b: &Wall) -> bool {
    let same = matches!(a.motion, Motion::Driven(_)) && a.motion == b.motion;
    same && a.centre == b.centre && a.origin == b.origin
}

/// The pairs of walls that prescribed motions lead to cross each other until a time [s].
///
/// Each comes with the time of the first look that finds it. Pairs with a wall that moves otherwise
/// are left out.
pub(super) fn foreseen(walls: &[Wall], until: f64) -> Vec<([&str; 2], f64)> {
    let known = |wall: usize| matches!(walls[wall].motion, Motion::Fixed | Motion::Driven(_));
    let mut meetings = Meetings::new(walls);
    meetings
        .pairs
        .retain(|two| two.walls.into_iter().all(known) && until.is_finite());
    let looks = (LOOKS * MANY / meetings.work().max(1)).clamp(1, LOOKS);
    let mut met = Vec::new();
    for look in 1..=looks {
        let time = until * look as f64 / looks as f64;
        let state = |wall: &Wall| wall.driven(0.0, time).unwrap_or_default();
        let states: Vec<WallState> = walls.iter().map(state).collect();
        let found = meetings.look(walls, &states);
        met.extend(found.into_iter().map(|names| (names, time)));
    }
    met
}
