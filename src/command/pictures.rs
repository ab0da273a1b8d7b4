//! `moreau render`.

use crate::math::Vector3;
use crate::render::{self, Clip, Colour, Fit, Map, View, Walls};
use crate::report::Request;
use clap::Args;
use std::path::PathBuf;

/// The options of `render`.
#[derive(Args)]
pub struct RenderArgs {
    /// A checkpoint or a frame (frames/bodies-*.h5), or a series for a picture of each
    ///
    /// A series is several files, a folder of checkpoints, the folder frames of a run, or its
    /// bodies.vtkhdf.
    #[arg(required = true)]
    pub from: Vec<PathBuf>,
    /// The picture; for a series the folder of frame-00000.png and so on
    #[arg(short, long, value_name = "PNG")]
    pub output: PathBuf,
    /// Looks from +x, from -y (x to the right), from +z, or from a corner [default: iso; for discs
    /// z]
    #[arg(long, value_name = "VIEW", value_parser = ["x", "y", "z", "iso"])]
    pub view: Option<String>,
    /// Looks from this direction
    #[arg(long = "from", value_name = "X,Y,Z", value_parser = vector, conflicts_with = "view", allow_hyphen_values = true)]
    pub from_direction: Option<Vector3>,
    /// The direction that points up in the picture [default: z, or y for a view along z]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub up: Option<Vector3>,
    /// Perspective with this opening angle over the smaller side [degrees] [default: orthographic]
    #[arg(long, value_name = "DEGREES", value_parser = opening)]
    pub perspective: Option<f64>,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = render::size)]
    pub size: Size,
    /// Draws only bodies in this half-space, such as "x<0.1"; if repeated, in all of them
    #[arg(long, value_name = "CUT", allow_hyphen_values = true)]
    pub clip: Vec<Clip>,
    /// The quantity shown by colour: speed, velocity.x, velocity.y, velocity.z, spin, radius, id,
    /// material, coordination, pressure, height; of the triangles of mesh walls: wall.pressure,
    /// wall.shear, wall.impact_energy, wall.sliding_work
    #[arg(
        long,
        alias = "color",
        value_name = "QUANTITY",
        default_value = "speed"
    )]
    pub colour: Colour,
    /// The colour map: viridis, cividis, inferno, magma, plasma, greys
    #[arg(long, value_name = "MAP", default_value = "viridis")]
    pub map: Map,
    /// Values of the first and the last colour [default: the range of the bodies, for a series over
    /// all pictures]
    #[arg(long, value_name = "LOW,HIGH", value_parser = render::range, allow_hyphen_values = true)]
    pub range: Option<Range>,
    /// Draws the forces at the contacts instead of balls, or on top of discs
    #[arg(long, conflicts_with = "colour")]
    pub contacts: bool,
    /// The objects that fill the picture [default: the bodies; for a series the domain]
    #[arg(long, value_parser = ["bodies", "domain"])]
    pub fit: Option<String>,
    /// Walls as lines, or as shaded surfaces that are open towards the eye [default: lines; solid
    /// with a colour of walls]
    ///
    /// Shaded meshes are veils over bodies behind them; solid ones hide these, unless --clip cuts
    /// them open.
    #[arg(long, value_name = "STYLE", value_parser = ["lines", "shaded", "solid"], conflicts_with = "no_walls")]
    pub walls: Option<String>,
    /// Omits domain and walls
    #[arg(long)]
    pub no_walls: bool,
    /// Omits colour bar and caption
    #[arg(long)]
    pub no_legend: bool,
    /// Threads [default: the number of cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Pixels across and down, and values from and to.
///
/// They have names because clap takes brackets in an argument's type for a list.
type Size = [usize; 2];
type Range = [f64; 2];

/// Three numbers.
fn vector(text: &str) -> Result<Vector3, String> {
    let numbers = text.split(',').map(|word| word.trim().parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|c| c.is_finite()) => Ok(Vector3::new(x, y, z)),
        _ => Err("must be X,Y,Z, three finite numbers".to_owned()),
    }
}

/// The opening angle of a perspective camera.
fn opening(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(angle) if (1.0..=120.0).contains(&angle) => Ok(angle),
        _ => Err("must be an angle from 1 to 120 degrees".to_owned()),
    }
}

impl RenderArgs {
    fn walls(&self) -> Walls {
        match (self.no_walls, self.walls.as_deref()) {
            (true, _) => Walls::None,
            (_, Some("shaded")) => Walls::Shaded,
            (_, Some("solid")) => Walls::Solid,
            (_, None) if self.colour.is_of_walls() => Walls::Solid,
            _ => Walls::Lines,
        }
    }

    /// The requested picture.
    ///
    /// # Errors
    /// If the view is undefined, because the upward direction is that of the view.
    pub fn request(&self) -> Result<Request, String> {
        if self.colour.is_of_walls() && self.walls() != Walls::Solid {
            let name = self.colour.name().0;
            let found = match &self.walls {
                Some(style) => format!("--walls {style}"),
                None => "--no-walls".to_owned(),
            };
            return Err(format!(
                "--colour {name} must come with --walls solid; found {found}"
            ));
        }
        let mut view = View {
            size: self.size,
            opening: self.perspective,
            clips: self.clip.clone(),
            colour: self.colour,
            map: self.map,
            range: self.range,
            contacts: self.contacts,
            walls: self.walls(),
            legend: !self.no_legend,
            ..View::default()
        };
        let named = self.view.as_deref().and_then(render::direction);
        let from = self.from_direction.or(named.map(|(from, _)| from));
        let standard = from.is_none() && self.up.is_none();
        if !standard {
            view.look(from.unwrap_or(view.from), self.up)?;
        }
        let fit = self.fit.as_deref().map(|word| match word {
            "domain" => Fit::Domain,
            _ => Fit::Bodies,
        });
        Ok(Request {
            view,
            standard,
            fit,
            threads: self.threads.map(usize::from),
        })
    }
}
