//! Colours: quantities of bodies and walls, their ranges, and maps from numbers to colours.

use super::Scene;
use crate::math::Vector3;
use crate::measure::WearOf;

/// A quantity for the colours of bodies, or of the triangles of mesh walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Magnitude of the velocity of the centre of mass [m/s].
    Speed,
    /// A component of that velocity [m/s].
    Velocity(usize),
    /// Magnitude of the angular velocity [rad/s].
    Spin,
    /// Radius [m].
    Radius,
    /// Number of the body.
    Id,
    /// Number of the material, from 0.
    Material,
    /// Contacts that carry a force.
    Coordination,
    /// Mean normal stress `Σ f_n l / (d V)` over the contacts of a body [Pa].
    ///
    /// `l` is the distance from its centre to the contact point, `d` the number of dimensions, `V`
    /// its volume, for discs one metre thick.
    Pressure,
    /// Height of the centre against gravity [m].
    Height,
    /// A load or the wear of the triangles of mesh walls.
    Wall(WearOf),
}

/// Names on the command line, with the text of the colour bar.
const NAMES: [(&str, &str, Colour); 15] = [
    ("speed", "m/s", Colour::Speed),
    ("velocity.x", "m/s", Colour::Velocity(0)),
    ("velocity.y", "m/s", Colour::Velocity(1)),
    ("velocity.z", "m/s", Colour::Velocity(2)),
    ("spin", "rad/s", Colour::Spin),
    ("radius", "m", Colour::Radius),
    ("id", "", Colour::Id),
    ("material", "", Colour::Material),
    ("coordination", "", Colour::Coordination),
    ("pressure", "Pa", Colour::Pressure),
    ("height", "m", Colour::Height),
    ("wall.pressure", "Pa", Colour::Wall(WearOf::Pressure)),
    ("wall.shear", "Pa", Colour::Wall(WearOf::Shear)),
    ("wall.impact_energy", "J/m2", Colour::Wall(WearOf::Impact)),
    ("wall.sliding_work", "J/m2", Colour::Wall(WearOf::Sliding)),
];

impl std::str::FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(name, _, _)| *name == text);
        known.map(|(_, _, colour)| *colour).ok_or_else(|| {
            let names = NAMES.map(|(name, _, _)| name).join(", ");
            format!("accepted: {names}")
        })
    }
}

impl Colour {
    /// Its name, and its unit.
    #[must_use]
    pub fn name(self) -> (&'static str, &'static str) {
        let known = NAMES.iter().find(|(_, _, colour)| *colour == self);
        known.map_or(("", ""), |(name, unit, _)| (name, unit))
    }

    /// Whether its values are integers.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Id | Self::Material | Self::Coordination)
    }

    /// Whether it is a quantity of walls.
    #[must_use]
    pub fn is_of_walls(self) -> bool {
        matches!(self, Self::Wall(_))
    }

    /// Its value for each body, or for each triangle of mesh walls.
    #[must_use]
    pub fn of(self, scene: &Scene) -> Vec<f64> {
        let each = |value: &dyn Fn(&crate::body::BodyRow) -> f64| -> Vec<f64> {
            scene.bodies.iter().map(value).collect()
        };
        match self {
            Self::Speed => each(&|b| Vector3::from(b.velocity).norm()),
            Self::Velocity(axis) => each(&|b| b.velocity[axis]),
            Self::Spin => each(&|b| Vector3::from(b.angular_velocity).norm()),
            Self::Radius => each(&|b| b.radius),
            Self::Id => each(&|b| b.id.0 as f64),
            Self::Material => each(&|b| f64::from(b.material)),
            Self::Height => each(&|b| Vector3::from(b.position).dot(&scene.up)),
            Self::Coordination => scene.coordination.clone(),
            Self::Pressure => scene.pressure.clone(),
            Self::Wall(_) => scene.worn.concat(),
        }
    }

    /// The range of its values.
    ///
    /// Integers have their whole range, other quantities the range without the 0.5 % at each end.
    /// The range of a quantity without a sign starts at zero.
    pub(super) fn span(self, scene: &Scene, values: &[f64]) -> [f64; 2] {
        match self {
            Self::Material => [0.0, scene.materials.len().max(2) as f64 - 1.0],
            Self::Coordination => {
                let most = values.iter().copied().fold(0.0, f64::max);
                [0.0, most.max(1.0)]
            }
            Self::Id => {
                let last = values.last().copied().unwrap_or(0.0);
                let first = values.first().copied().unwrap_or(0.0);
                [first, last.max(first + 1.0)]
            }
            Self::Speed | Self::Spin => span(values, true),
            Self::Pressure => span(values, values.iter().all(|p| *p >= 0.0)),
            Self::Velocity(_) | Self::Radius | Self::Height => span(values, false),
            Self::Wall(_) => {
                // Most triangles may be out of reach.
                let touched: Vec<f64> = values.iter().copied().filter(|x| *x != 0.0).collect();
                span(&touched, values.iter().all(|x| *x >= 0.0))
            }
        }
    }
}

/// The range of values without the 0.5 % at each end, NaN excluded. Never empty.
pub(super) fn span(values: &[f64], from_zero: bool) -> [f64; 2] {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    let last = sorted.len().saturating_sub(1);
    let mut at = |share: f64| -> f64 {
        if sorted.is_empty() {
            return 0.0;
        }
        let k = ((last as f64 * share).round() as usize).min(last);
        *sorted.select_nth_unstable_by(k, f64::total_cmp).1
    };
    let high = at(0.995);
    let low = if from_zero { 0.0 } else { at(0.005) };
    // A range of rounding only counts as empty.
    let least = 1e-9 * low.abs().max(high.abs());
    match high - low > least {
        true => [low, high],
        false if from_zero => [0.0, 1.0],
        false if low == 0.0 => [-1.0, 1.0],
        false => [low - 0.01 * low.abs(), low + 0.01 * low.abs()],
    }
}

/// A map from numbers to colours with monotonic lightness.
///
/// A lighter colour means a larger value (in `greys` a smaller one), also in print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// Blue to green to yellow.
    Viridis,
    /// Blue to yellow, the same for colour-blind eyes (green).
    Cividis,
    /// Black to red to pale yellow.
    Inferno,
    /// Black to purple to pale yellow.
    Magma,
    /// Blue to purple to yellow.
    Plasma,
    /// White to black.
    Greys,
}

/// Their names on the command line.
pub(super) const MAPS: [(&str, Map, colorous::Gradient); 6] = [
    ("viridis", Map::Viridis, colorous::VIRIDIS),
    ("cividis", Map::Cividis, colorous::CIVIDIS),
    ("inferno", Map::Inferno, colorous::INFERNO),
    ("magma", Map::Magma, colorous::MAGMA),
    ("plasma", Map::Plasma, colorous::PLASMA),
    ("greys", Map::Greys, colorous::GREYS),
];

impl std::str::FromStr for Map {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = MAPS.iter().find(|(name, _, _)| *name == text);
        known
            .map(|(_, map, _)| *map)
            .ok_or_else(|| format!("accepted: {}", MAPS.map(|(name, _, _)| name).join(", ")))
    }
}

impl Map {
    /// The colour of a number from 0 to 1; beyond them that of the end, grey for NaN.
    #[must_use]
    pub fn of(self, t: f64) -> [u8; 3] {
        if t.is_nan() {
            return [128; 3];
        }
        let gradient = MAPS.iter().find(|(_, map, _)| *map == self);
        let gradient = gradient.map_or(colorous::VIRIDIS, |(_, _, gradient)| *gradient);
        gradient.eval_continuous(t.clamp(0.0, 1.0)).as_array()
    }
}
