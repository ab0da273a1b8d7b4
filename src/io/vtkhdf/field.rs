//! The fields of bodies in frames.

/// A quantity of bodies in frames, in addition to the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Velocity of the centre of mass [m/s].
    Velocity,
    /// Angular velocity [rad/s].
    AngularVelocity,
    /// Radius [m].
    Radius,
    /// The body's number.
    Id,
    /// Number of its material.
    Material,
    /// Whether it is free, see [`BodyKind`](crate::body::BodyKind).
    Kind,
    /// The rank that owns it.
    Rank,
    /// Contacts with other bodies and walls that carry a force.
    Coordination,
    /// Orientation.
    Orientation,
    /// Mass [kg].
    Mass,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 10] = [
        Self::Velocity,
        Self::AngularVelocity,
        Self::Radius,
        Self::Id,
        Self::Material,
        Self::Kind,
        Self::Rank,
        Self::Coordination,
        Self::Orientation,
        Self::Mass,
    ];

    /// The fields that are written if the configuration names none.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        Self::ALL[..8].to_vec()
    }

    /// The name in files and configurations.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.about().0
    }

    /// Name, unit, description.
    pub(super) fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Velocity => ("velocity", "m/s", "velocity of the centre of mass"),
            Self::AngularVelocity => ("angular_velocity", "rad/s", "angular velocity"),
            Self::Radius => ("radius", "m", "radius"),
            Self::Id => ("id", "1", "number of the body, which never changes"),
            Self::Material => ("material", "1", "number of the material, from 0"),
            Self::Kind => (
                "kind",
                "1",
                "0: free, 1: fixed, 2: moves with a given velocity, 3: free, but held by a region",
            ),
            Self::Rank => ("rank", "1", "the rank that owns the body"),
            Self::Coordination => (
                "coordination",
                "1",
                "contacts with other bodies and walls that carry a force",
            ),
            Self::Orientation => (
                "orientation",
                "1",
                "unit quaternion w, x, y, z that turns the body frame into the global frame",
            ),
            Self::Mass => ("mass", "kg", "mass"),
        }
    }

    /// Name, unit, description for runs with clumps, where each ball has a row.
    pub(super) fn about_clumps(self) -> (&'static str, &'static str, &'static str) {
        let (name, unit, about) = self.about();
        let about = match self {
            Self::Velocity => "velocity of the body at the centre of the ball",
            Self::Radius => "radius of the ball",
            Self::Coordination => {
                "contacts of the body with other bodies and walls that carry a force"
            }
            Self::Mass => "mass of the body",
            _ => about,
        };
        (name, unit, about)
    }
}
