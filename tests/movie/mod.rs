//! Reads a VTKHDF file of the type PolyData as VTK's document describes it, and holds it against that document. It knows nothing of how the
//! program writes it.

#![allow(
    dead_code,
    reason = "compiled into each test file, which uses what it needs"
)]

pub(crate) mod balls;

use hdf5::types::FixedAscii;
use hdf5::{Dataset, File, Group};
use std::path::Path;

/// Whether two numbers are as near as that.
pub(crate) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

const TOPOLOGIES: [&str; 4] = ["Vertices", "Lines", "Polygons", "Strips"];

/// An open file, all of whose offsets lead to where there is something.
pub(crate) struct Movie {
    root: Group,
    group: &'static str,
    pub(crate) steps: Vec<u64>,
    pub(crate) times: Vec<f64>,
    /// Cells of each frame.
    pub(crate) rows: Vec<u64>,
    pub(crate) parts: u64,
    point_offsets: Vec<usize>,
    points: Vec<usize>,
}

fn whole(group: &Group, name: &str) -> Vec<usize> {
    let dataset = group
        .dataset(name)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let numbers = dataset.read_raw::<i64>().unwrap();
    numbers
        .into_iter()
        .map(|n| usize::try_from(n).unwrap())
        .collect()
}

fn rows(dataset: &Dataset) -> usize {
    dataset.shape()[0]
}

impl Movie {
    /// Opens a file whose arrays are in `PointData` or `CellData`.
    pub(crate) fn open(path: &Path, group: &'static str) -> Self {
        let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let root = file.group("VTKHDF").unwrap();
        let version = root.attr("Version").unwrap().read_raw::<i64>().unwrap();
        assert_eq!(version, [2, 0]);
        let kind: FixedAscii<8> = root.attr("Type").unwrap().read_scalar().unwrap();
        assert_eq!(kind.as_str(), "PolyData");
        let steps = root.group("Steps").unwrap();
        let count: i64 = steps.attr("NSteps").unwrap().read_scalar().unwrap();
        let count = count as usize;
        let times = steps.dataset("Values").unwrap().read_raw::<f64>().unwrap();
        assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        let (part_offsets, parts) = (whole(&steps, "PartOffsets"), whole(&steps, "NumberOfParts"));
        let point_offsets = whole(&steps, "PointOffsets");
        let cell_offsets = whole(&steps, "CellOffsets");
        let id_offsets = whole(&steps, "ConnectivityIdOffsets");
        for list in [&part_offsets, &parts, &point_offsets] {
            assert_eq!(list.len(), count);
        }
        assert_eq!(
            (times.len(), cell_offsets.len(), id_offsets.len()),
            (count, 4 * count, 4 * count)
        );
        // VTK takes the number of parts from the first step.
        assert!(parts.windows(2).all(|w| w[0] == w[1]), "{parts:?}");
        let points_of = whole(&root, "NumberOfPoints");
        let all_points = rows(&root.dataset("Points").unwrap());
        let (mut points, mut cells) = (vec![0; count], vec![0; count]);
        for k in 0..count {
            let own = part_offsets[k]..part_offsets[k] + parts[k];
            points[k] = points_of[own.clone()].iter().sum();
            assert!(point_offsets[k] + points[k] <= all_points);
            for (t, name) in TOPOLOGIES.iter().enumerate() {
                let topology = root.group(name).unwrap();
                let cells_of = whole(&topology, "NumberOfCells");
                let ids_of = whole(&topology, "NumberOfConnectivityIds");
                let (offsets, ids) = (
                    whole(&topology, "Offsets"),
                    whole(&topology, "Connectivity"),
                );
                let of_parts = cells_of.len();
                assert_eq!(
                    (ids_of.len(), points_of.len()),
                    (of_parts, of_parts),
                    "{name}"
                );
                let all: usize = cells_of.iter().sum();
                assert_eq!(
                    offsets.len(),
                    all + of_parts,
                    "{name}: one offset more than cells in each part; {cells_of:?}, points {points_of:?}"
                );
                // By the document a part's offsets come after those of all parts before it.
                let mut cell = cell_offsets[4 * k + t];
                assert_eq!(
                    cell,
                    cells_of[..own.start].iter().sum::<usize>(),
                    "{name} of frame {k}"
                );
                let mut id = id_offsets[4 * k + t];
                for part in own.clone() {
                    let at = cell + part;
                    let of_part = &offsets[at..=at + cells_of[part]];
                    assert_eq!((of_part[0], of_part[cells_of[part]]), (0, ids_of[part]));
                    assert!(of_part.windows(2).all(|w| w[0] <= w[1]));
                    let of_part = &ids[id..id + ids_of[part]];
                    assert!(of_part.iter().all(|i| *i < points_of[part]));
                    assert!(
                        of_part.iter().enumerate().all(|(j, i)| j == *i),
                        "each point once"
                    );
                    cell += cells_of[part];
                    id += ids_of[part];
                    cells[k] += cells_of[part];
                }
                // VTK counts parts until it has the cells before the frame; it may not stop too early.
                let mut counted = (0, 0);
                while counted.0 < own.start && counted.1 < cell_offsets[4 * k + t] {
                    counted = (counted.0 + 1, counted.1 + cells_of[counted.0]);
                }
                assert!(all == 0 || counted.0 == own.start, "{name} of frame {k}");
            }
        }
        let own = file.group("moreau").unwrap();
        let steps = whole(&own, "step").into_iter().map(|n| n as u64).collect();
        Self {
            root,
            group,
            steps,
            times,
            rows: cells.into_iter().map(|n| n as u64).collect(),
            parts: parts.first().map_or(0, |n| *n as u64),
            point_offsets,
            points,
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = self.root.group(self.group).unwrap().member_names().unwrap();
        names.sort();
        names
    }

    pub(crate) fn places(&self, frame: usize) -> Vec<[f64; 3]> {
        let first = self.point_offsets[frame];
        let all = self
            .root
            .dataset("Points")
            .unwrap()
            .read_2d::<f64>()
            .unwrap();
        let rows = first..first + self.points[frame];
        rows.map(|k| [0, 1, 2].map(|a| all[(k, a)])).collect()
    }

    /// Where each frame's part of an array begins.
    pub(crate) fn offsets(&self, name: &str) -> Vec<usize> {
        let group = format!("{}Offsets", self.group);
        let steps = self.root.group("Steps").unwrap();
        whole(&steps.group(&group).unwrap(), name)
    }

    /// Rows of an array.
    pub(crate) fn stored(&self, name: &str) -> usize {
        rows(&self.dataset(name))
    }

    fn dataset(&self, name: &str) -> Dataset {
        self.root.group(self.group).unwrap().dataset(name).unwrap()
    }

    /// Parts, and rows of the arrays that make vertices of points.
    pub(crate) fn shape_rows(&self) -> (usize, usize, usize) {
        let topology = self.root.group("Vertices").unwrap();
        let rows = |name: &str| whole(&topology, name).len();
        (rows("NumberOfCells"), rows("Connectivity"), rows("Offsets"))
    }

    pub(crate) fn array(&self, name: &str, frame: usize) -> Vec<f64> {
        let dataset = self.dataset(name);
        let width = dataset.shape().get(1).copied().unwrap_or(1);
        let first = self.offsets(name)[frame] * width;
        let all = dataset.read_raw::<f64>().unwrap();
        all[first..first + self.rows[frame] as usize * width].to_vec()
    }

    /// Two files that show the same in all frames, but for some arrays.
    pub(crate) fn assert_same(&self, other: &Self, but: &[&str]) {
        assert_eq!((&self.steps, &self.times), (&other.steps, &other.times));
        assert_eq!(self.rows, other.rows);
        assert_eq!(self.names(), other.names());
        for k in 0..self.steps.len() {
            assert_eq!(self.places(k), other.places(k), "frame {k}");
            for name in self
                .names()
                .iter()
                .filter(|name| !but.contains(&name.as_str()))
            {
                assert_eq!(
                    self.array(name, k),
                    other.array(name, k),
                    "{name} of frame {k}"
                );
            }
        }
    }
}
