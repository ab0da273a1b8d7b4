//! Contact detection: candidate contacts, where two surfaces are closer than a margin.
//!
//! The broad phase finds pairs of bodies that may be close. Bodies are sorted into size groups
//! (`groups`), each with its own cells (`grid`), and are copied in the order of these cells, with
//! coordinates in a common frame (`frame`). The `search` visits the cells, `tiles` find the walls
//! close to bodies, `lists` sort the pairs. The narrow phase (`narrow`) returns the touches of each
//! pair. A pair is always seen from the lower id to the higher, so every rank that sees it computes
//! the same bits.
//!
//! Time and memory are proportional to the number of bodies and of pairs, whatever the sizes of the
//! bodies and their extent in space. The broad phase computes in single precision and errs towards
//! more pairs; the narrow phase decides.
//!
//! [`plain`] does the same with one grid for all sizes, and serves as the reference in tests.

mod frame;
mod grid;
mod groups;
mod lists;
mod narrow;
mod pairs;
mod placed;
pub mod plain;
mod search;
mod sphere;
mod tiles;
mod touch;

pub use pairs::{Around, Pairs};
pub use touch::Touch;

#[cfg(test)]
mod tests;

use crate::body::{Bodies, BodyId, Wall};
use crate::contact::{Candidate, ContactKey, Partner};
use crate::math::{Vector3, make_room};
use crate::pool::Pool;
use crate::shape::{Period, Surface, Template};
use groups::{Groups, Sorted};
use lists::Lists;
use narrow::{Shape, Solid};
use pairs::Partners;
use placed::Placed;
use rayon::prelude::*;
use search::{Found, Search};
use tiles::Tiles;

/// All contacts with a gap below `margin` [m] whose point satisfies `mine`, in ascending order of
/// key.
///
/// So they are in the order of the first body, then of its partners by id, walls after bodies. Two
/// bodies touch by their nearest images; walls have none. A contact's point starts at its first
/// body, so it may lie outside the period.
///
/// Of a contact that several ranks see, `mine` keeps the copy on the rank that solves it.
///
/// For balls only; [`Detector::detect`] takes templates of clumps.
#[must_use]
pub fn candidates(
    bodies: &Bodies,
    walls: &[Wall],
    margin: f64,
    period: &Period,
    mine: impl Fn(&Vector3) -> bool + Sync,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let space = Space {
        walls,
        margin,
        period,
        templates: &[],
    };
    Detector::default().detect(bodies, &space, mine, &Pool::default(), &mut found);
    found
}

/// The surroundings of the bodies in a search.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    /// Walls, by number.
    pub walls: &'a [Wall],
    /// Gap below which two surfaces are candidates for a contact [m].
    pub margin: f64,
    /// Periodic axes.
    pub period: &'a Period,
    /// The templates of clumps, by number.
    pub templates: &'a [Template],
}

/// The search, and its memory, which is kept from step to step.
#[derive(Debug, Default)]
pub struct Detector {
    sorted: Sorted,
    tiles: Tiles,
    found: Vec<Found>,
    lists: Lists,
    placed: Placed,
    looked: u64,
}

/// Parts of the search for each thread: enough to balance the load of the threads.
const PARTS_PER_THREAD: usize = 8;

impl Detector {
    /// Replaces the contents of `found` as [`candidates`] does, with the threads of a pool.
    ///
    /// The result does not depend on the number of threads.
    pub fn detect(
        &mut self,
        bodies: &Bodies,
        space: &Space,
        mine: impl Fn(&Vector3) -> bool + Sync,
        pool: &Pool,
        found: &mut Vec<Candidate>,
    ) {
        let balls = (bodies.positions(), bodies.radii());
        let walls: Vec<Surface> = space.walls.iter().map(|wall| wall.surface).collect();
        let reach = |_| space.margin;
        self.broad(balls, (&walls, &reach), space.margin, space.period, pool);
        self.placed.fill(bodies, space.templates);
        let narrow = Narrow {
            bodies,
            space,
            placed: &self.placed,
            mine,
        };
        narrow.all(&self.lists, pool, found);
    }

    /// The pairs of a plan: those whose boxes meet, and to whose point `home` gives a block.
    ///
    /// The result does not depend on the number of threads.
    pub fn pairs(
        &mut self,
        around: &Around,
        home: impl Fn(&Vector3) -> Option<u64> + Sync,
        pool: &Pool,
    ) -> Pairs {
        let balls = (around.positions, around.halves);
        let reach = |w: usize| around.reaches[w];
        self.broad(balls, (around.walls, &reach), 0.0, around.period, pool);
        Pairs::of(&self.lists, around, home, pool)
    }

    /// Replaces the contents of `found` by the touches of these pairs.
    ///
    /// They have a gap below the margin and are in ascending order of key.
    pub fn touches(
        &mut self,
        bodies: &Bodies,
        space: &Space,
        pairs: &Pairs,
        pool: &Pool,
        found: &mut Vec<Candidate>,
    ) {
        self.placed.fill(bodies, space.templates);
        let narrow = Narrow {
            bodies,
            space,
            placed: &self.placed,
            mine: |_: &Vector3| true,
        };
        narrow.all(pairs, pool, found);
    }

    /// The number of pairs, of bodies or of a body and a wall, that the last search compared.
    #[must_use]
    pub fn looked(&self) -> u64 {
        self.looked
    }

    /// Fills the lists with the pairs that may be close. The index of a wall is the number of
    /// bodies plus its own.
    fn broad(
        &mut self,
        (positions, radii): (&[Vector3], &[f64]),
        (walls, reach): (&[Surface], &dyn Fn(usize) -> f64),
        margin: f64,
        period: &Period,
        pool: &Pool,
    ) {
        let tiles = (!walls.is_empty()).then_some(&mut self.tiles);
        let groups = Groups::new((positions, radii), margin, period, &mut self.sorted, tiles);
        let search = Search::new(&groups, &self.sorted, (positions, radii), margin);
        let parts = search.parts(match pool.threads() {
            1 => 1,
            n => n * PARTS_PER_THREAD,
        });
        self.found.resize_with(parts.len().max(1), Found::default);
        for found in &mut self.found {
            found.pairs.clear();
            found.visited = 0;
        }
        match pool.shared() {
            None => {
                for part in &parts {
                    search.search(part, &mut self.found[0]);
                }
            }
            Some(pool) => pool.install(|| {
                let each = parts.par_iter().zip(&mut self.found);
                each.for_each(|(part, found)| search.search(part, found));
            }),
        }
        if !walls.is_empty() {
            let found = &mut self.found[0];
            let place = &self.sorted.place;
            let (n, pairs) = (positions.len(), &mut found.pairs);
            let near = |a, w| pairs.push([a, (n + w) as u32]);
            let balls = (positions, radii);
            found.visited += self.tiles.near_walls(balls, place, (walls, reach), near);
        }
        self.looked = self.found.iter().map(|f| f.visited).sum();
        self.lists.fill(positions.len(), &self.found);
    }
}

/// The narrow phase.
struct Narrow<'a, F> {
    bodies: &'a Bodies,
    space: &'a Space<'a>,
    placed: &'a Placed,
    mine: F,
}

impl<F: Fn(&Vector3) -> bool + Sync> Narrow<'_, F> {
    /// The contacts of all first bodies.
    fn all(&self, lists: &impl Partners, pool: &Pool, found: &mut Vec<Candidate>) {
        found.clear();
        let bodies = self.bodies.len();
        if pool.threads() == 1 {
            make_room(found, lists.before(bodies));
            return self.row(0..bodies, lists, found);
        }
        let rows: Vec<Vec<Candidate>> = pool.parts(bodies, |places| {
            let pairs = lists.before(places.end) - lists.before(places.start);
            let mut row = Vec::with_capacity(pairs);
            self.row(places, lists, &mut row);
            row
        });
        make_room(found, rows.iter().map(Vec::len).sum());
        rows.iter().for_each(|row| found.extend_from_slice(row));
    }

    /// The contacts of a row of first bodies.
    fn row(
        &self,
        places: std::ops::Range<usize>,
        lists: &impl Partners,
        found: &mut Vec<Candidate>,
    ) {
        let (positions, radii) = (self.bodies.positions(), self.bodies.radii());
        let ball = |place: usize| Solid {
            position: &positions[place],
            radius: radii[place],
            shape: Shape::Ball,
        };
        match self.bodies.shapes() {
            // If all bodies are balls, shapes are not needed.
            [] => self.row_of(places, lists, ball, found),
            shapes => {
                let solid = |place: usize| Solid {
                    shape: self.shape(shapes, place),
                    ..ball(place)
                };
                self.row_of(places, lists, solid, found);
            }
        }
    }

    #[inline(always)]
    fn row_of<'b>(
        &self,
        places: std::ops::Range<usize>,
        lists: &impl Partners,
        solid: impl Fn(usize) -> Solid<'b>,
        found: &mut Vec<Candidate>,
    ) {
        let Self { bodies, space, .. } = self;
        let ids = bodies.ids();
        for a in places {
            let first = solid(a);
            lists.each(a, |b, home| {
                // Indices are in ascending order of id, and walls come after all bodies.
                let (name, partner) = match b.checked_sub(bodies.len()) {
                    None => (ids[b], Partner::Body(b)),
                    Some(w) => (BodyId::wall(w), Partner::Wall(w)),
                };
                let key = ContactKey {
                    a: ids[a],
                    b: name,
                    feature: 0,
                };
                let keep = |touch: Touch| {
                    if (self.mine)(&touch.point) {
                        found.push(Candidate {
                            home,
                            ..touch.candidate(key, a, partner)
                        });
                    }
                };
                match partner {
                    Partner::Body(b) => {
                        let second = solid(b);
                        let branch = space.period.difference(first.position, second.position);
                        narrow::of_bodies((&first, &second), &branch, space.margin, keep);
                    }
                    Partner::Wall(w) => {
                        let surface = &space.walls[w].surface;
                        narrow::with_wall(&first, surface, space.margin, keep);
                    }
                }
            });
        }
    }

    fn shape(&self, shapes: &[u32], place: usize) -> Shape<'_> {
        match shapes[place] {
            0 => Shape::Ball,
            k => {
                let template = &self.space.templates[k as usize - 1];
                Shape::Clump(template, self.placed.of(place))
            }
        }
    }
}
