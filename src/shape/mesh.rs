//! Triangle meshes: surfaces of any form, drawn in a program for design.
//!
//! A mesh is thin: it has two free sides, like a shell. A ball touches it where the distance from
//! its centre has a local minimum over all triangles together ([`Mesh::touches`]). So a ball on a
//! plane of triangles has one touch, at its foot, whatever edges are near; an edge counts where it
//! stands out, and in a corner each face counts.
//!
//! Triangles with a common edge at which the surface turns by less than an angle form a smooth
//! *patch*. A touch is named by its patch, its line of sharp edges, or its sharp corner (`seams`),
//! and keeps the name while the ball rolls within it.

mod closest;
mod clusters;
mod crossing;
mod faces;
mod normals;
mod screen;
mod seams;
mod solid;
mod touches;
mod weld;

pub use faces::{Faces, Repair};
pub use solid::Solid;
pub use touches::Place;

use crate::math::Vector3;
use clusters::Clusters;
use seams::Seams;
use thiserror::Error;
use weld::Welded;

/// The largest number of patches, lines and corners of a mesh.
///
/// Features have 24 bits; the last of them name parts of compounds.
pub(super) const MOST_FEATURES: usize = (1 << 24) - (1 << 12);

/// The reason why points and triangles are not a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// It has no triangle, or none with an area.
    #[error("no triangle with an area")]
    Empty,
    /// A coordinate is not finite.
    #[error("point {0}, which is not finite")]
    NotFinite(usize),
    /// A triangle has a corner that does not exist.
    #[error("triangle {0} with a corner that is none of its {1} points")]
    NoPoint(usize, usize),
    /// It has too many patches, lines and corners.
    #[error(
        "{0} patches, lines and corners (at most {MOST_FEATURES}); a larger smooth_angle unites them"
    )]
    TooMany(usize),
}

/// A triangle mesh in its own frame.
#[derive(Clone, Debug)]
pub struct Mesh {
    points: Vec<Vector3>,
    triangles: Vec<[u32; 3]>,
    seams: Seams,
    clusters: Clusters,
    corners: [Vector3; 2],
    /// Cosine of the largest angle by which it turns at a smooth edge.
    straight: f64,
    /// The distance below which points are one [m].
    close: f64,
    repair: Repair,
    is_closed: bool,
    is_oriented: bool,
    /// The solid inside of closed meshes that were united.
    of_parts: Option<Solid>,
}

impl PartialEq for Mesh {
    /// All else follows from these.
    fn eq(&self, other: &Self) -> bool {
        self.points == other.points
            && self.triangles == other.triangles
            && self.straight == other.straight
    }
}

impl Mesh {
    /// The mesh of these faces. Where it turns by at most `smooth` [rad] it is smooth.
    ///
    /// Points that differ by rounding are united; triangles without an area and repeated ones are
    /// left out.
    ///
    /// # Errors
    /// If a number is not finite, a corner lacks, or no triangle has an area.
    pub fn new(faces: &Faces, smooth: f64) -> Result<Self, MeshError> {
        // Coplanar triangles differ by rounding.
        Self::with(faces, libm::cos(smooth) - 1e-12)
    }

    /// Several meshes as one, in their common frame.
    ///
    /// It is smooth up to the smallest of their angles; those of flat meshes do not count, unless
    /// all are flat.
    ///
    /// # Errors
    /// If there is none, or they have too many features together.
    pub fn united(meshes: &[&Self]) -> Result<Self, MeshError> {
        let (mut faces, mut repair) = (Faces::default(), Repair::default());
        for mesh in meshes {
            let first = faces.points.len() as u32;
            let moved = mesh.triangles.iter().map(|of| of.map(|k| k + first));
            faces.triangles.extend(moved);
            faces
                .points
                .extend(mesh.points.iter().map(|x| <[f64; 3]>::from(*x)));
            repair = repair.and(mesh.repair);
        }
        let flat: Vec<bool> = meshes.iter().map(|mesh| mesh.is_flat()).collect();
        let all_flat = !flat.contains(&false);
        let counts = meshes
            .iter()
            .zip(&flat)
            .filter(|(_, flat)| all_flat || !**flat);
        let straight = counts.map(|(mesh, _)| mesh.straight).fold(-1.0, f64::max);
        let mut one = Self::with(&faces, straight)?;
        one.repair = repair.and(one.repair);
        // Each was asked before triangles without an area were left out.
        one.is_closed |= meshes.iter().all(|mesh| mesh.is_closed);
        let solids: Vec<Option<Solid>> = meshes.iter().map(|mesh| mesh.solid()).collect();
        one.of_parts = Solid::sum(&solids);
        Ok(one)
    }

    /// Whether all its triangles are in a plane.
    fn is_flat(&self) -> bool {
        let normal = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|k| self.points[k as usize]);
            (b - a).cross(&(c - a)).normalize()
        };
        let mut normals = self.triangles.iter().map(normal);
        let Some(first) = normals.next() else {
            return true;
        };
        normals.all(|n| n.dot(&first).abs() > 1.0 - 1e-9)
    }

    /// A mesh that is smooth where it turns by less than the angle with this cosine.
    fn with(faces: &Faces, straight: f64) -> Result<Self, MeshError> {
        let count = faces.points.len();
        if let Some(k) = faces
            .points
            .iter()
            .position(|x| !x.iter().all(|c| c.is_finite()))
        {
            return Err(MeshError::NotFinite(k));
        }
        let lacks = |corners: &[u32; 3]| corners.iter().any(|&k| k as usize >= count);
        if let Some(k) = faces.triangles.iter().position(lacks) {
            return Err(MeshError::NoPoint(k, count));
        }
        let close = weld::closeness(&faces.points);
        let Welded {
            points,
            triangles,
            repair,
            is_closed,
            is_oriented,
        } = weld::welded(faces, close);
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        let seams = Seams::new(&points, &triangles, straight);
        if seams.features() > MOST_FEATURES {
            return Err(MeshError::TooMany(seams.features()));
        }
        let clusters = Clusters::new((&points, &triangles), &seams, straight);
        let corners = points
            .iter()
            .fold([points[0], points[0]], |[lower, upper], x| {
                [lower.inf(x), upper.sup(x)]
            });
        Ok(Self {
            points,
            triangles,
            seams,
            clusters,
            corners,
            straight,
            close,
            repair,
            is_closed,
            is_oriented,
            of_parts: None,
        })
    }

    /// Its points [m].
    #[must_use]
    pub fn points(&self) -> &[Vector3] {
        &self.points
    }

    /// The corners of its triangles, by number of the point.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of the box around it [m].
    #[must_use]
    pub fn corners(&self) -> [Vector3; 2] {
        self.corners
    }

    /// The repair of the faces from which it was made.
    #[must_use]
    pub fn repair(&self) -> Repair {
        self.repair
    }

    /// Whether it has no border: each edge of the faces belongs to two triangles or more, with
    /// those without an area.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The solid inside; `None` if the mesh is open, or its triangles do not enclose a volume.
    ///
    /// All of its triangles must have their corners in the same sense as seen from outside. That of
    /// closed meshes that were united is the sum of theirs, whatever the sense of each; they should
    /// not overlap.
    #[must_use]
    pub fn solid(&self) -> Option<Solid> {
        if self.of_parts.is_some() || !self.is_closed || !self.is_oriented {
            return self.of_parts;
        }
        Solid::enclosed(&self.points, &self.triangles, &self.corners)
    }

    /// The numbers of its smooth patches, of lines of sharp edges, and of sharp corners.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        self.seams.counts()
    }

    /// The sharp edges and those of borders, by their points.
    pub fn sharp_edges(&self) -> impl Iterator<Item = [Vector3; 2]> {
        let ends = self.seams.sharp_edges();
        ends.map(|ends| ends.map(|k| self.points[k as usize]))
    }

    /// All edges, by their points.
    pub fn edges(&self) -> impl Iterator<Item = [Vector3; 2]> {
        let ends = self.seams.ends().iter();
        ends.map(|ends| ends.map(|k| self.points[k as usize]))
    }
}
