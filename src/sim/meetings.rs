//! Walls that meet: as no wall stops another, those that come to cross are named.

use crate::body::{Motion, Wall, WallState};
use crate::shape::Surface;

/// Steps between two looks at pairs with few triangles.
const EVERY: u64 = 10;

/// Triangles whose visit takes about as long as a step of a small run.
const MANY: u64 = 1000;

/// Looks along the whole of a prescribed motion, at most.
const LOOKS: u64 = 200;

/// Pairs of walls of which one is a mesh and one moves, and that do not cross so far.
#[derive(Clone, Debug)]
pub(super) struct Meetings {
    pairs: Vec<[usize; 2]>,
    /// Triangles that a look visits.
    work: u64,
}

impl Meetings {
    /// The pairs that are apart at these states. Those that cross belong together, as a shaft and
    /// the plate that it goes through.
    pub(super) fn new(walls: &[Wall], states: &[WallState]) -> Self {
        let moves = |wall: &Wall| !matches!(wall.motion, Motion::Fixed);
        let surfaces = placed(walls, states);
        let mut pairs = Vec::new();
        let mut work = 0;
        for a in 0..walls.len() {
            for b in a + 1..walls.len() {
                let visited = surfaces[a].crossing_work(&surfaces[b]);
                let looks = visited > 0 && (moves(&walls[a]) || moves(&walls[b]));
                if looks && !surfaces[a].crosses(&surfaces[b]) {
                    pairs.push([a, b]);
                    work += visited as u64;
                }
            }
        }
        Self { pairs, work }
    }

    /// Whether a look is due after a step.
    pub(super) fn is_due(&self, step: u64) -> bool {
        !self.pairs.is_empty() && step.is_multiple_of(EVERY * self.work.div_ceil(MANY).max(1))
    }

    /// The names of the walls that have come to cross; each pair once.
    pub(super) fn look<'w>(
        &mut self,
        walls: &'w [Wall],
        states: &[WallState],
    ) -> Vec<[&'w str; 2]> {
        let surfaces = placed(walls, states);
        let mut met = Vec::new();
        self.pairs.retain(|[a, b]| {
            let crosses = surfaces[*a].crosses(&surfaces[*b]);
            if crosses {
                met.push([*a, *b].map(|wall| walls[wall].name.as_str()));
            }
            !crosses
        });
        met
    }
}

/// The pairs of walls that prescribed motions lead to cross each other until a time [s], each with
/// the time of the first look that finds it.
///
/// Walls without a prescribed motion stay where they are.
pub(super) fn foreseen(walls: &[Wall], until: f64) -> Vec<([&str; 2], f64)> {
    let at = |time: f64| -> Vec<WallState> {
        let state = |wall: &Wall| wall.driven(0.0, time).unwrap_or_default();
        walls.iter().map(state).collect()
    };
    let mut meetings = Meetings::new(walls, &vec![WallState::default(); walls.len()]);
    let still = |wall: usize| walls[wall].driven(0.0, until).is_none();
    meetings
        .pairs
        .retain(|[a, b]| !(still(*a) && still(*b)) && until.is_finite());
    let looks = (LOOKS * MANY / meetings.work.max(1)).clamp(1, LOOKS);
    let mut met = Vec::new();
    for look in 1..=looks {
        if meetings.pairs.is_empty() {
            break;
        }
        let time = until * look as f64 / looks as f64;
        let found = meetings.look(walls, &at(time));
        met.extend(found.into_iter().map(|names| (names, time)));
    }
    met
}

fn placed(walls: &[Wall], states: &[WallState]) -> Vec<Surface> {
    let both = walls.iter().zip(states);
    both.map(|(wall, state)| wall.placed(state)).collect()
}
