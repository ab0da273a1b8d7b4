//! The settings of a picture, and their form on a command line.

use super::{Colour, Map};
use crate::math::Vector3;

/// Fewest and most pixels on a side, and most of all.
const SIDE: [usize; 2] = [16, 8192];
const PIXELS: usize = 1 << 24;

/// The view of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Pixels across and down.
    pub size: [usize; 2],
    /// Unit vector from the scene towards the eye.
    pub from: Vector3,
    /// Unit vector that points up in the picture, not along `from`.
    pub up: Vector3,
    /// Opening angle of a perspective camera over the smaller side of the picture [deg]; `None`:
    /// orthographic.
    pub opening: Option<f64>,
    /// Only the part inside all clips is drawn; balls are cut open.
    pub clips: Vec<Clip>,
    /// The quantity of the colours.
    pub colour: Colour,
    /// The colours.
    pub map: Map,
    /// Values of the first and the last colour; `None`: those of the scene.
    pub range: Option<[f64; 2]>,
    /// Draws the contacts that carry a force in place of the bodies.
    pub contacts: bool,
    /// How domain and walls are drawn.
    pub walls: Walls,
    /// Writes colour bar and caption.
    pub legend: bool,
    /// The object that fills the picture.
    pub fit: Fit,
}

/// How the walls of a scene are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Walls {
    /// Not at all.
    None,
    /// As lines.
    #[default]
    Lines,
    /// As shaded surfaces; thin ones are veils over bodies behind them.
    Shaded,
    /// As shaded surfaces; thin ones hide bodies behind them.
    Solid,
}

/// The object that fills a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fit {
    /// The bodies, as far as clips leave them.
    #[default]
    Bodies,
    /// The domain: the same in all pictures of a run.
    Domain,
}

/// A half-space across a coordinate axis, which is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip {
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Position of the cut [m].
    pub at: f64,
    /// Whether the part below is drawn; otherwise the part above.
    pub below: bool,
}

impl Default for View {
    /// 1600 × 1200 pixels, isometric, orthographic, coloured by speed.
    fn default() -> Self {
        let (from, up) = direction("iso").unwrap_or((Vector3::z(), Vector3::y()));
        Self {
            size: [1600, 1200],
            from,
            up,
            opening: None,
            clips: Vec::new(),
            colour: Colour::Speed,
            map: Map::Viridis,
            range: None,
            contacts: false,
            walls: Walls::Lines,
            legend: true,
            fit: Fit::Bodies,
        }
    }
}

impl View {
    /// Sets the direction `from` the scene to the eye, with `up` upwards.
    ///
    /// `None`: z, or y for a view along z. Lengths do not matter.
    ///
    /// # Errors
    /// If one of them is zero or they are parallel.
    pub fn look(&mut self, from: Vector3, up: Option<Vector3>) -> Result<(), String> {
        let told = |v: &Vector3| format!("{},{},{}", v.x, v.y, v.z);
        // Scaled first, so that no square overflows.
        let unit = |v: &Vector3| (v / v.amax()).try_normalize(0.0);
        let back = unit(&from).filter(|v| v.iter().all(|c| c.is_finite()));
        let back = back.ok_or_else(|| {
            format!(
                "--from {}: accepted: a direction other than 0,0,0",
                told(&from)
            )
        })?;
        let upright = match back.x.abs().max(back.y.abs()) < 1e-6 {
            true => Vector3::y(),
            false => Vector3::z(),
        };
        let up = up.unwrap_or(upright);
        let top = unit(&up).filter(|u| u.cross(&back).norm() > 1e-6);
        self.up = top.ok_or_else(|| {
            format!(
                "--up {}: accepted: a direction other than 0,0,0 that is not parallel to the one that is looked from ({})",
                told(&up),
                told(&from)
            )
        })?;
        self.from = back;
        Ok(())
    }

    /// Whether a point is inside all clips.
    pub(super) fn keeps(&self, x: &Vector3) -> bool {
        self.clips.iter().all(|clip| {
            let inside = clip.at - x[clip.axis];
            (if clip.below { inside } else { -inside }) >= 0.0
        })
    }
}

/// A named view: the directions from the scene to the eye and upwards.
///
/// `x` is seen from +x, `y` from −y (x to the right), `z` from above, `iso` from +x, −y, +z.
#[must_use]
pub fn direction(name: &str) -> Option<(Vector3, Vector3)> {
    let corner = Vector3::new(1.0, -1.0, 1.0).normalize();
    match name {
        "x" => Some((Vector3::x(), Vector3::z())),
        "y" => Some((-Vector3::y(), Vector3::z())),
        "z" => Some((Vector3::z(), Vector3::y())),
        "iso" => Some((corner, Vector3::z())),
        _ => None,
    }
}

/// Reads the size of a picture, `WxH`.
///
/// # Errors
/// If it is malformed or out of range.
pub fn size(text: &str) -> Result<[usize; 2], String> {
    let [least, most] = SIDE;
    let sides = text.split_once(['x', '×']);
    let side = |text: &str| text.parse().ok().filter(|n| (least..=most).contains(n));
    sides
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .filter(|[width, height]| width * height <= PIXELS)
        .ok_or_else(|| {
            format!(
                "accepted: WIDTHxHEIGHT in pixels, each {least} to {most}, at most {PIXELS} in all"
            )
        })
}

/// Reads a range of values, `LOW,HIGH`.
///
/// # Errors
/// If it is malformed or empty.
pub fn range(text: &str) -> Result<[f64; 2], String> {
    let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    text.split_once(',')
        .and_then(|(low, high)| Some([number(low)?, number(high)?]))
        .filter(|[low, high]| low < high && (high - low).is_finite())
        .ok_or_else(|| "accepted: LOW,HIGH, two finite numbers, the smaller first".to_owned())
}

impl std::str::FromStr for Clip {
    type Err = String;

    /// Reads `x<0.1` and the like; `<=` and `>=` mean the same.
    fn from_str(text: &str) -> Result<Self, String> {
        let text: String = text.split_whitespace().collect();
        let mut signs = text.chars();
        let axis = signs
            .next()
            .and_then(|c| "xyz".find(c.to_ascii_lowercase()));
        let below = match signs.next() {
            Some('<') => Some(true),
            Some('>') => Some(false),
            _ => None,
        };
        let rest = signs.as_str();
        let at = rest.strip_prefix('=').unwrap_or(rest).parse::<f64>().ok();
        match (axis, below, at.filter(|at| at.is_finite())) {
            (Some(axis), Some(below), Some(at)) => Ok(Self { axis, at, below }),
            _ => Err(
                "accepted: an axis x, y or z, then < or >, then a finite number in metres: \"x<0.1\""
                    .to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_line_may_say() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        for bad in [
            "0x0",
            "640",
            "640x",
            "15x200",
            "9000x16",
            "8192x8192",
            "-4x4",
            "1e3x100",
        ] {
            let told = size(bad).expect_err(bad);
            assert!(told.contains("16 to 8192"), "{told}");
        }
        assert_eq!(range("-1, 2.5e3"), Ok([-1.0, 2500.0]));
        for bad in ["1,1", "2,1", "1", "nan,1", "0,inf", "-1e308,1e308", ""] {
            assert!(range(bad).is_err(), "{bad}");
        }
        let clip = |axis, at, below| Ok(Clip { axis, at, below });
        assert_eq!("x<0.1".parse(), clip(0, 0.1, true));
        assert_eq!(" Z >= -2e-3 ".parse(), clip(2, -2e-3, false));
        for bad in [
            "", "x", "x=1", "w<1", "x<", "x<nan", "x<1<2", "1<x", "x<inf", "é<1",
        ] {
            assert!(bad.parse::<Clip>().is_err(), "{bad}");
        }
        let told = "spede".parse::<Colour>().expect_err("no such colour");
        assert!(
            told.contains("speed") && told.contains("pressure"),
            "{told}"
        );
        assert_eq!("velocity.y".parse(), Ok(Colour::Velocity(1)));
        assert!("jet".parse::<Map>().is_err());
        let mut view = View::default();
        assert!(view.look(Vector3::zeros(), None).is_err());
        assert!(view.look(Vector3::x(), Some(Vector3::x() * -3.0)).is_err());
        assert!(view.look(Vector3::x() * f64::NAN, None).is_err());
        assert_eq!(view.look(Vector3::z() * 1e300, None), Ok(()));
        assert_eq!((view.from, view.up), (Vector3::z(), Vector3::y()));
    }
}
