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

pub use pairs::{Around, Pairs};

#[cfg(test)]
mod tests;

use crate::body::{Bodies, Wall};
use crate::contact::{Candidate, Near, Neighbours, Partner, Touch};
use crate::math::{Vector3, make_room};
use crate::pool::Pool;
use crate::shape::{Period, Surface, Template};
use groups::{Groups, Sorted};
use lists::Lists;
use narrow::{Shape, Solid};
use placed::Placed;
use search::{Found, Search};
use std::cell::RefCell;
use std::ops::Range;
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

/// The touch of two balls, given by their centres and radii [m], the lower id first.
#[must_use]
pub fn touch_of_balls(
    (x, r): (&Vector3, f64),
    (other, radius): (&Vector3, f64),
    period: &Period,
) -> Touch {
    sphere::sphere_sphere(x, r, &period.difference(x, other), radius)
}

/// The touches of a ball, given by centre and radius [m], and a wall, with a gap below `margin`
/// [m].
pub fn touches_of_ball_and_wall(
    (x, r): (&Vector3, f64),
    wall: &Surface,
    margin: f64,
    found: impl FnMut(Touch),
) {
    sphere::touches_of_wall(x, r, wall, margin, found);
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
        let walls: Vec<Surface> = space
            .walls
            .iter()
            .map(|wall| wall.surface.clone())
            .collect();
        let reach = |_| space.margin;
        self.broad(balls, (&walls, &reach), space.margin, space.period, pool);
        self.placed.fill(bodies, space.templates);
        let narrow = Narrow {
            bodies,
            space,
            placed: &self.placed,
        };
        narrow.all(&self.lists, pool, mine, found);
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

    /// The narrow phase of these bodies and walls.
    pub fn narrow<'a>(&'a mut self, bodies: &'a Bodies, space: &'a Space<'a>) -> Narrow<'a> {
        self.placed.fill(bodies, space.templates);
        Narrow {
            bodies,
            space,
            placed: &self.placed,
        }
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
        if period.shear.is_some() {
            // In the frame in which the cell is a box distances are longer; walls, which are
            // planes along the shear, are the same. The consumer drops pairs too far apart.
            let [_, longer] = period.stretch().map(|stretch| stretch * (1.0 + 1e-9));
            let positions: Vec<Vector3> = positions.iter().map(|x| period.boxed(x)).collect();
            let radii: Vec<f64> = radii.iter().map(|r| r * longer).collect();
            let plain = &period.sheared(None);
            let balls = (&positions[..], &radii[..]);
            return self.broad(balls, (walls, reach), margin * longer, plain, pool);
        }
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
        let each = parts.iter().zip(&mut self.found);
        pool.share(each, |(part, found)| search.search(part, found));
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

thread_local! {
    /// Centres and radii of the balls of the block in hand [m].
    static BALLS: RefCell<Vec<(Vector3, f64)>> = RefCell::default();
}

/// The narrow phase.
#[derive(Clone, Copy, Debug)]
pub struct Narrow<'a> {
    bodies: &'a Bodies,
    space: &'a Space<'a>,
    placed: &'a Placed,
}

impl Narrow<'_> {
    /// Calls `found` for each touch of a block's pairs with a gap below the margin.
    ///
    /// It gets the index of the pair, and the touch. They come in the order of the pairs, those of
    /// a pair in ascending order of feature.
    pub fn touches_of(&self, near: &Near, mut found: impl FnMut(usize, Touch)) {
        let shapes = self.bodies.shapes();
        if !shapes.is_empty() {
            let solid = |place: usize| self.solid(shapes, place);
            for (k, pair) in near.pairs.iter().enumerate() {
                self.of_pair(pair, solid, |touch| found(k, touch));
            }
            return;
        }
        // Balls are read once for all pairs of the block.
        let (positions, radii) = (self.bodies.positions(), self.bodies.radii());
        BALLS.with_borrow_mut(|balls| {
            balls.clear();
            let known = near.bodies.iter().map(|&i| i as usize);
            let mut has_others = false;
            balls.extend(known.map(|i| match positions.get(i) {
                Some(position) => (*position, radii[i]),
                None => {
                    has_others = true;
                    (Vector3::zeros(), 0.0)
                }
            }));
            if has_others {
                // Some of them may be large bodies.
                let solid = |place: usize| self.ball(place);
                for (k, pair) in near.pairs.iter().enumerate() {
                    self.of_pair(pair, solid, |touch| found(k, touch));
                }
                return;
            }
            fn solid((position, radius): &(Vector3, f64)) -> Solid<'_> {
                Solid {
                    position,
                    radius: *radius,
                    shape: Shape::Ball,
                }
            }
            for (k, (pair, [a, b])) in near.pairs.iter().zip(near.places).enumerate() {
                let first = solid(&balls[*a as usize]);
                let second = || solid(&balls[*b as usize]);
                let partner = pair.partner(self.bodies.len());
                self.of_two(&first, partner, second, |touch| found(k, touch));
            }
        });
    }

    #[inline(always)]
    fn of_pair<'b>(
        &self,
        pair: &Neighbours,
        solid: impl Fn(usize) -> Solid<'b>,
        found: impl FnMut(Touch),
    ) {
        let partner = pair.partner(self.bodies.len());
        let second = || solid(pair.second as usize);
        self.of_two(&solid(pair.first as usize), partner, second, found);
    }

    #[inline(always)]
    fn of_two<'b>(
        &self,
        first: &Solid,
        partner: Partner,
        second: impl Fn() -> Solid<'b>,
        found: impl FnMut(Touch),
    ) {
        let space = self.space;
        match partner {
            Partner::Body(_) => {
                let second = second();
                let branch = space.period.difference(first.position, second.position);
                narrow::of_bodies((first, &second), &branch, space.margin, found);
            }
            Partner::Wall(w) => {
                let surface = &space.walls[w].surface;
                narrow::with_wall(first, surface, space.margin, found);
            }
        }
    }

    /// The candidates of all pairs in the lists whose point satisfies `mine`.
    fn all(
        &self,
        lists: &Lists,
        pool: &Pool,
        mine: impl Fn(&Vector3) -> bool + Sync,
        found: &mut Vec<Candidate>,
    ) {
        found.clear();
        let bodies = self.bodies.len();
        let count = |places: &Range<usize>| lists.before(places.end) - lists.before(places.start);
        let some = |places: Range<usize>, row: &mut Vec<Candidate>| match self.bodies.shapes() {
            [] => self.row(lists, places, |place| self.ball(place), &mine, row),
            shapes => {
                let solid = |place: usize| self.solid(shapes, place);
                self.row(lists, places, solid, &mine, row);
            }
        };
        if pool.threads() == 1 {
            make_room(found, count(&(0..bodies)));
            return some(0..bodies, found);
        }
        let rows: Vec<Vec<Candidate>> = pool.parts(bodies, |places| {
            let mut row = Vec::with_capacity(count(&places));
            some(places, &mut row);
            row
        });
        make_room(found, rows.iter().map(Vec::len).sum());
        rows.iter().for_each(|row| found.extend_from_slice(row));
    }

    /// The candidates of some first bodies.
    #[inline(always)]
    fn row<'b>(
        &self,
        lists: &Lists,
        places: Range<usize>,
        solid: impl Fn(usize) -> Solid<'b>,
        mine: &impl Fn(&Vector3) -> bool,
        row: &mut Vec<Candidate>,
    ) {
        let ids = self.bodies.ids();
        for a in places {
            for b in lists.of(a) {
                let pair = Neighbours {
                    first: a as u32,
                    second: b,
                };
                self.of_pair(&pair, &solid, |touch| {
                    if mine(&touch.point) {
                        row.push(pair.candidate(&touch, ids));
                    }
                });
            }
        }
    }

    #[inline(always)]
    fn ball(&self, place: usize) -> Solid<'_> {
        Solid {
            position: &self.bodies.positions()[place],
            radius: self.bodies.radii()[place],
            shape: Shape::Ball,
        }
    }

    fn solid(&self, shapes: &[u32], place: usize) -> Solid<'_> {
        Solid {
            shape: self.shape(shapes, place),
            ..self.ball(place)
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
