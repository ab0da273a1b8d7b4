//! The arrays of mesh walls in frames: triangles, with their loads and their wear.

use super::arrays::Rows;
use super::frame::Array;
use super::gather;
use super::settings::Settings;
use crate::body::{Wall, WallState};
use crate::comm::Comm;
use crate::io::Snapshot;
use crate::io::hdf::Element;
use crate::io::order::{decode, runs};
use crate::math::Vector3;
use crate::measure::{Triangle, WearRow, Worn};
use crate::shape::Posed;

/// The number of means in [`Worn::over`], which come first.
const MEANS: usize = 2;

/// The walls with meshes, each with its number and the row of its first triangle.
#[derive(Debug)]
pub(super) struct Meshes {
    walls: Vec<(usize, u64, Wall)>,
    /// Triangles of all.
    total: u64,
}

impl Meshes {
    pub(super) fn of(walls: &[Wall]) -> Self {
        let mut total = 0;
        let mut meshes = Vec::new();
        for (number, wall) in walls.iter().enumerate() {
            if let Some(mesh) = wall.surface.mesh() {
                meshes.push((number, total, wall.clone()));
                total += mesh.mesh().triangles().len() as u64;
            }
        }
        Self {
            walls: meshes,
            total,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Triangles of all walls, and rows of a chunk.
    pub(super) fn rows(&self, size: usize) -> (u64, u64) {
        (self.total, gather::chunk(self.total, size))
    }

    /// The row of a triangle; the number of rows if it does not exist.
    fn row(&self, of: &Triangle) -> u64 {
        let found = (self.walls).binary_search_by_key(&of.wall, |(wall, ..)| *wall as u64);
        let Ok(at) = found else {
            return self.total;
        };
        let end = self.walls.get(at + 1).map_or(self.total, |next| next.1);
        let row = self.walls[at].1.saturating_add(of.number);
        if row < end { row } else { self.total }
    }

    /// This rank's rows of the arrays, with the walls as in the snapshot. Collective.
    pub(super) fn arrays(
        &self,
        comm: &dyn Comm,
        snapshot: &Snapshot,
        settings: &Settings,
    ) -> Result<Vec<Array>, String> {
        let (total, chunk) = self.rows(comm.size());
        let own = gather::part(total, comm.rank(), comm.size());
        let rows = Rows {
            first: own.start,
            total,
            chunk,
            precision: settings.precision,
        };
        let corners = Rows {
            first: 3 * own.start,
            total: 3 * total,
            chunk: 3 * chunk,
            ..rows
        };
        let mut triangles = Vec::new();
        for (number, first, wall) in &self.walls {
            let row = &snapshot.walls[*number];
            let state = WallState {
                displacement: row.displacement.into(),
                orientation: row.orientation,
                ..WallState::default()
            };
            let mut wall = wall.clone();
            wall.turns_since(row.turns_since());
            let placed = wall.placed(&state);
            let Some(mesh) = placed.mesh() else {
                continue;
            };
            let count = mesh.mesh().triangles().len() as u64;
            let from = own.start.clamp(*first, first + count) - first;
            let to = own.end.clamp(*first, first + count) - first;
            let each = (from..to).map(|k| (*number as u64, corners_of(mesh, k as usize)));
            triangles.extend(each);
        }
        // Before anything that may fail on some ranks only.
        let worn = match snapshot.header.wear_since {
            Some(_) => self.worn(comm, &snapshot.wear, own.clone()),
            None => Vec::new(),
        };
        let points = triangles.iter().flat_map(|(_, corners)| *corners);
        let about = ("Points", "m", "corners of the triangles");
        let mut arrays = vec![corners.real(about, points.map(Into::into))?];
        let about = ("CellData/wall", "1", "number of the wall, from 0");
        let walls = triangles.iter().map(|(wall, _)| [*wall]);
        arrays.push(rows.whole(about, Element::U32, walls)?);
        let Some(since) = snapshot.header.wear_since else {
            return Ok(arrays);
        };
        let time = snapshot.header.time - since;
        // A mean over no time is not known, but before the first step nothing has pressed.
        let known = time > 0.0 || snapshot.header.step == 0;
        let each = worn.iter().zip(&triangles);
        let densities = each.map(|(worn, (_, [a, b, c]))| {
            let twice = (b - a).cross(&(c - a)).norm();
            worn.over(0.5 * twice, time)
        });
        let densities: Vec<[f64; 4]> = densities.collect();
        for (k, about) in [
            (
                "CellData/pressure",
                "Pa",
                "mean normal force per area since the frame before",
            ),
            (
                "CellData/shear",
                "Pa",
                "mean magnitude of tangential forces per area since the frame before",
            ),
            (
                "CellData/impact_energy",
                "J/m2",
                "energy per area that normal forces took out at contacts",
            ),
            (
                "CellData/sliding_work",
                "J/m2",
                "energy per area that friction took out at contacts",
            ),
        ]
        .into_iter()
        .enumerate()
        .skip(if known { 0 } else { MEANS })
        {
            arrays.push(rows.real(about, densities.iter().map(|all| [all[k]]))?);
        }
        Ok(arrays)
    }

    /// The sums of this rank's rows. Collective.
    fn worn(&self, comm: &dyn Comm, wear: &[WearRow], own: std::ops::Range<u64>) -> Vec<Worn> {
        let size = comm.size();
        let ends: Vec<u64> = (0..size)
            .map(|rank| gather::part(self.total, rank, size).end)
            .collect();
        let place = |row: &WearRow| self.row(&row.triangle);
        let mut rows = wear.to_vec();
        rows.sort_unstable_by_key(place);
        rows.retain(|row| place(row) < self.total);
        let messages = runs(&rows, |row| ends.partition_point(|end| *end <= place(row)));
        let mut worn = vec![Worn::default(); (own.end - own.start) as usize];
        for row in decode::<WearRow>(comm.exchange(messages)) {
            worn[(place(&row) - own.start) as usize] = row.worn;
        }
        worn
    }
}

/// The corners of a triangle [m].
fn corners_of(mesh: &Posed, triangle: usize) -> [Vector3; 3] {
    let corners = mesh.mesh().triangles()[triangle];
    corners.map(|k| mesh.out(&mesh.mesh().points()[k as usize]))
}
