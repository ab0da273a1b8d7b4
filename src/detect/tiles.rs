//! Boxes around groups of close bodies: a wall far from a box is not compared with its bodies.

use crate::math::Vector3;
use crate::shape::Surface;

/// Bodies in a tile; tiles in a field.
const SIZE: usize = 16;

/// The box around some centres, and the largest radius among them [m].
#[derive(Clone, Copy, Debug)]
struct Tile {
    lower: Vector3,
    upper: Vector3,
    radius: f64,
}

/// Tiles of consecutive bodies in the order of their cells, and fields of tiles.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    tiles: Vec<Tile>,
    fields: Vec<Tile>,
}

impl Tile {
    /// The empty box.
    fn empty() -> Self {
        let everywhere = Vector3::repeat(f64::INFINITY);
        Self {
            lower: everywhere,
            upper: -everywhere,
            radius: f64::NEG_INFINITY,
        }
    }

    fn join(&mut self, other: &Tile) {
        self.lower = self.lower.inf(&other.lower);
        self.upper = self.upper.sup(&other.upper);
        self.radius = self.radius.max(other.radius);
    }

    fn may_touch(&self, wall: &Surface, margin: f64) -> bool {
        wall.may_be_nearer(&self.lower, &self.upper, self.radius + margin)
    }
}

impl Tiles {
    /// Prepares for this number of bodies.
    pub(super) fn clear(&mut self, bodies: usize) {
        self.tiles.clear();
        self.tiles.resize(bodies.div_ceil(SIZE), Tile::empty());
    }

    /// Adds body `k` in the order of cells to its tile.
    #[inline]
    pub(super) fn add(&mut self, k: usize, position: &Vector3, radius: f64) {
        self.tiles[k / SIZE].join(&Tile {
            lower: *position,
            upper: *position,
            radius,
        });
    }

    /// Calls `found` with the body and the wall of each pair whose gap is below a reach [m].
    ///
    /// Each wall has its own. Other bodies near a mesh are found, too: the next test looks for the
    /// nearest point of it, which takes as long as a test here would.
    ///
    /// `place` gives the bodies' indices in the order of cells. Returns the number of comparisons
    /// of a body with a wall.
    pub(super) fn near_walls(
        &mut self,
        (positions, radii): (&[Vector3], &[f64]),
        place: &[u32],
        (walls, reach): (&[Surface], &dyn Fn(usize) -> f64),
        mut found: impl FnMut(u32, usize),
    ) -> u64 {
        self.fields.clear();
        for tiles in self.tiles.chunks(SIZE) {
            let mut field = Tile::empty();
            tiles.iter().for_each(|tile| field.join(tile));
            self.fields.push(field);
        }
        let mut visited = 0;
        for (w, wall) in walls.iter().enumerate() {
            let margin = reach(w);
            let is_mesh = matches!(wall, Surface::Mesh(_));
            let fields = (0..self.fields.len()).filter(|&f| self.fields[f].may_touch(wall, margin));
            let tiles = fields.flat_map(|f| f * SIZE..((f + 1) * SIZE).min(self.tiles.len()));
            for t in tiles.filter(|&t| self.tiles[t].may_touch(wall, margin)) {
                let members = &place[t * SIZE..((t + 1) * SIZE).min(place.len())];
                visited += members.len() as u64;
                for &i in members {
                    let (x, r) = (positions[i as usize], radii[i as usize]);
                    if is_mesh || wall.is_nearer(&x, r + margin) {
                        found(i, w);
                    }
                }
            }
        }
        visited
    }
}
