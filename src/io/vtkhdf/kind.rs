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
    /// Of the triangles of mesh walls.
    Surfaces,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Bodies, Self::Contacts, Self::Surfaces];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::Contacts => "contacts",
            Self::Surfaces => "surfaces",
        }
    }

    /// Points of a cell.
    pub(super) fn points(self) -> u64 {
        match self {
            Self::Bodies => 1,
            Self::Contacts => 2,
            Self::Surfaces => 3,
        }
    }

    /// The group of its arrays.
    pub(super) fn group(self) -> &'static str {
        match self {
            Self::Bodies => "PointData",
            Self::Contacts | Self::Surfaces => "CellData",
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

/// The numbers of the domain in each frame, which a cell may deform.
pub(super) const DOMAIN: [&str; 6] = [
    "upper_x",
    "upper_y",
    "upper_z",
    "shear_along",
    "shear_across",
    "shear_shift",
];

impl Space {
    /// Its upper corner, then the axes and the shift of its images [m].
    ///
    /// The axes are equal where no shear has moved images.
    pub(super) fn to_array(self) -> [f64; DOMAIN.len()] {
        let [x, y, z]: [f64; 3] = self.upper.into();
        let shear = self.shear;
        let shear = shear.map_or([0.0; 3], |s| [s.along as f64, s.across as f64, s.shift]);
        [x, y, z, shear[0], shear[1], shear[2]]
    }

    /// The domain with these numbers; `None`: they are not those of a domain.
    pub(super) fn with(&self, domain: [f64; DOMAIN.len()]) -> Option<Self> {
        let [x, y, z, along, across, shift] = domain;
        let axis = |number: f64| [0_u8, 1, 2].into_iter().find(|k| f64::from(*k) == number);
        let [along, across] = [usize::from(axis(along)?), usize::from(axis(across)?)];
        let upper = Vector3::new(x, y, z);
        let shear = Shear {
            along,
            across,
            shift,
        };
        let is_domain = (0..3).all(|k| upper[k] > self.lower[k]);
        (is_domain && domain.iter().all(|x| x.is_finite())).then_some(Self {
            upper,
            shear: (along != across).then_some(shear),
            ..*self
        })
    }

    pub(super) fn period(&self) -> Period {
        Period::of_box(&self.lower, &self.upper, self.periodic).sheared(self.shear)
    }
}
