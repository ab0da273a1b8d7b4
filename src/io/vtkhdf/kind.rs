//! Kinds of frames, and the domain of a run.

use crate::math::Vector3;
use crate::shape::{Period, Shear};

/// The objects in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Of bodies.
    Bodies,
    /// Of contacts.
    Contacts,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Bodies, Self::Contacts];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::Contacts => "contacts",
        }
    }

    /// Points of a cell.
    pub(super) fn points(self) -> u64 {
        match self {
            Self::Bodies => 1,
            Self::Contacts => 2,
        }
    }

    /// The group of its arrays.
    pub(super) fn group(self) -> &'static str {
        match self {
            Self::Bodies => "PointData",
            Self::Contacts => "CellData",
        }
    }
}

/// The domain of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Its lower corner [m].
    pub lower: Vector3,
    /// Its upper corner [m].
    pub upper: Vector3,
    /// Which axes are periodic.
    pub periodic: [bool; 3],
    /// Images that simple shear has moved.
    pub shear: Option<Shear>,
}

impl Space {
    pub(super) fn period(&self) -> Period {
        Period::of_box(&self.lower, &self.upper, self.periodic).sheared(self.shear)
    }
}
