//! `moreau render`.

use crate::math::Vector3;
use crate::render::{self, Clip, Colour, Fit, Map, View};
use crate::report::Request;
use clap::Args;
use std::path::PathBuf;

/// What `render` takes.
#[derive(Args)]
pub struct RenderArgs {
    /// The checkpoint, or a folder: a picture of each that it holds
    pub from: PathBuf,
    /// The picture; of a folder the folder for frame-00000.png and so on
    #[arg(short, long, value_name = "PNG")]
    pub output: PathBuf,
    /// Looks from +x, from -y (x to the right), from +z, or from a corner [default: iso; of discs z]
    #[arg(long, value_name = "VIEW", value_parser = ["x", "y", "z", "iso"])]
    pub view: Option<String>,
    /// Looks from this direction
    #[arg(long = "from", value_name = "X,Y,Z", value_parser = vector, conflicts_with = "view", allow_hyphen_values = true)]
    pub from_direction: Option<Vector3>,
    /// What points up in the picture [default: z, or y where one looks along z]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub up: Option<Vector3>,
    /// Perspective with this opening angle over the smaller side [degrees]; without it, orthographic
    #[arg(long, value_name = "DEGREES", value_parser = opening)]
    pub perspective: Option<f64>,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = render::size)]
    pub size: Size,
    /// Draws only what lies there, "x<0.1"; more than once: in all of them
    #[arg(long, value_name = "CUT", allow_hyphen_values = true)]
    pub clip: Vec<Clip>,
    /// What colours stand for: speed, velocity.x, velocity.y, velocity.z, spin, radius, id, material, coordination, pressure, height
    #[arg(
        long,
        alias = "color",
        value_name = "QUANTITY",
        default_value = "speed"
    )]
    pub colour: Colour,
    /// The colours: viridis, cividis, inferno, magma, plasma, greys
    #[arg(long, value_name = "MAP", default_value = "viridis")]
    pub map: Map,
    /// Values of the first and the last colour [default: as the bodies have them, of a folder over all pictures]
    #[arg(long, value_name = "LOW,HIGH", value_parser = render::range, allow_hyphen_values = true)]
    pub range: Option<Range>,
    /// Draws the forces at the contacts in place of the bodies, of discs on top of them
    #[arg(long, conflicts_with = "colour")]
    pub contacts: bool,
    /// What fills the picture [default: the bodies; of a folder the domain]
    #[arg(long, value_parser = ["bodies", "domain"])]
    pub fit: Option<String>,
    /// Leaves out the lines of domain and walls
    #[arg(long)]
    pub no_walls: bool,
    /// Leaves out colour bar and caption
    #[arg(long)]
    pub no_legend: bool,
    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Pixels across and down, and values from and to: named, because clap takes two brackets for a list.
type Size = [usize; 2];
type Range = [f64; 2];

/// Three numbers.
fn vector(text: &str) -> Result<Vector3, String> {
    let numbers = text.split(',').map(|word| word.trim().parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|c| c.is_finite()) => Ok(Vector3::new(x, y, z)),
        _ => Err("accepted: X,Y,Z, three finite numbers".to_owned()),
    }
}

/// The opening angle of a perspective camera.
fn opening(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(angle) if (1.0..=120.0).contains(&angle) => Ok(angle),
        _ => Err("accepted: an angle from 1 to 120 degrees".to_owned()),
    }
}

impl RenderArgs {
    /// What is asked for, of discs or of balls.
    ///
    /// # Errors
    /// If nothing can be seen in this direction.
    pub fn request(&self) -> Result<Request, String> {
        let mut view = View {
            size: self.size,
            opening: self.perspective,
            clips: self.clip.clone(),
            colour: self.colour,
            map: self.map,
            range: self.range,
            contacts: self.contacts,
            walls: !self.no_walls,
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
