//! Lines of the files of measures: columns known at run time, and the long files.

use super::{Columns, Line};
use serde::{Deserialize, Serialize};

/// A number in a line of [`Figures`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A count.
    Count(u64),
    /// A quantity; NaN for the mean of no values.
    Amount(f64),
}

/// A line of `measure-NAME.csv`: step, time [s], and a figure for each further column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures(pub u64, pub f64, pub Vec<Figure>);

impl Line for Figures {
    fn step(&self) -> u64 {
        self.0
    }
}

/// A line of `forces-NAME.csv`: the number of contacts with a force in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForceLine {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// Lower end of the bin, in mean forces [1].
    pub low: f64,
    /// Upper end, excluded [1].
    pub high: f64,
    /// Contacts whose normal force lies in it.
    pub normal: u64,
    /// Contacts whose tangential force lies in it.
    pub tangential: u64,
}

impl Columns for ForceLine {
    const HEADER: &'static str = "step,time,low,high,normal,tangential";
}

impl Line for ForceLine {
    fn step(&self) -> u64 {
        self.step
    }
}

/// A line of `profile-NAME.csv`: the bodies in a slab or a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileLine {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// Lower end of the bin [m].
    pub low: f64,
    /// Upper end [m].
    pub high: f64,
    /// Free bodies with their centre in it.
    pub bodies: u64,
    /// Share of its volume that bodies fill [1].
    pub solid_fraction: f64,
    /// Mean velocity of these bodies, by mass, along x; for rings away from the axis [m/s].
    pub vx: f64,
    /// The same along y; for rings about the axis.
    pub vy: f64,
    /// The same along z; for rings up along the axis.
    pub vz: f64,
    /// Their granular temperature [m²/s²].
    pub temperature: f64,
}

impl Columns for ProfileLine {
    const HEADER: &'static str = "step,time,low,high,bodies,solid_fraction,vx,vy,vz,temperature";
}

impl ProfileLine {
    /// The columns of a profile of rings.
    pub const RINGS: &'static str =
        "step,time,low,high,bodies,solid_fraction,v_out,v_about,v_up,temperature";
}

impl Line for ProfileLine {
    fn step(&self) -> u64 {
        self.step
    }
}

/// A line of `tracks-NAME.csv`: a body and its motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrackLine {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// The body.
    pub id: u64,
    /// Its continuous position across periodic ends [m].
    pub x: f64,
    /// The same along y.
    pub y: f64,
    /// The same along z.
    pub z: f64,
    /// Its velocity [m/s].
    pub vx: f64,
    /// The same along y.
    pub vy: f64,
    /// The same along z.
    pub vz: f64,
    /// Its angular velocity [rad/s].
    pub wx: f64,
    /// The same about y.
    pub wy: f64,
    /// The same about z.
    pub wz: f64,
}

impl Columns for TrackLine {
    const HEADER: &'static str = "step,time,id,x,y,z,vx,vy,vz,wx,wy,wz";
}

impl Line for TrackLine {
    fn step(&self) -> u64 {
        self.step
    }
}
