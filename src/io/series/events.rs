//! Lines of files that record events: bodies that left, bonds that broke, quasi-static increments.

use serde::{Deserialize, Serialize};

/// A line of `deleted.csv`: a body at the moment when it left the domain or went out by an outlet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeletedLine {
    /// The step.
    pub step: u64,
    /// The time at its end [s].
    pub time: f64,
    /// The body.
    pub id: u64,
    /// Its position [m].
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
    /// Its radius [m].
    pub radius: f64,
    /// Its mass [kg].
    pub mass: f64,
    /// The outlet's region; empty if it left the domain.
    pub outlet: String,
}

/// A line of `bonds.csv`: a bond that broke. Global frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BondLine {
    /// The step.
    pub step: u64,
    /// Load time, or that of the end of the step [s].
    pub time: f64,
    /// How many times bonds had broken in this increment, with this one; 0: all break at once.
    pub wave: u64,
    /// The first body.
    pub a: u64,
    /// The second body, or the name of a wall.
    pub b: String,
    /// Number of the `[[bond]]`.
    pub bond: u64,
    /// Place of the contact [m].
    pub x: f64,
    /// The same along y.
    pub y: f64,
    /// The same along z.
    pub z: f64,
    /// Unit normal from the first body to the second.
    pub nx: f64,
    /// The same along y.
    pub ny: f64,
    /// The same along z.
    pub nz: f64,
    /// Force on the second body [N].
    pub fx: f64,
    /// The same along y.
    pub fy: f64,
    /// The same along z.
    pub fz: f64,
    /// Couple on the second body [N m].
    pub cx: f64,
    /// The same about y.
    pub cy: f64,
    /// The same about z.
    pub cz: f64,
    /// Energy that its springs lost [J].
    pub energy: f64,
}

/// A line of `increments.csv`: the work of a quasi-static increment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IncrementLine {
    /// The increment.
    pub step: u64,
    /// The time at its end [s].
    pub time: f64,
    /// Parts in which it came to balance.
    pub parts: u64,
    /// Solves of a linear system, or sweeps of relaxations.
    pub iterations: u64,
    /// Products with the stiffness, or relaxations of a body.
    pub products: u64,
    /// Smallest parts in which a held body moved far.
    pub jumps: u64,
    /// Contacts that press or pull at its end.
    pub contacts: u64,
    /// Those that slide.
    pub sliding: u64,
    /// Contacts that pressed or pulled at its start, and do not at its end.
    pub opened: u64,
    /// Those that do at its end only.
    pub closed: u64,
    /// Bonds that broke.
    pub broken: u64,
    /// Largest unbalanced force of a body, over the mean normal force.
    pub residual: f64,
    /// Energy in all springs [J].
    pub elastic: f64,
    /// Work of forces on bodies [J].
    pub forced: f64,
    /// Factor of the loads at its end: of the first force with one, else of the first free wall
    /// with one; 1 without.
    pub load_factor: f64,
}

/// A line of `cell.csv`: a periodic cell that deforms, after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellLine {
    /// Steps done.
    pub step: u64,
    /// Time [s].
    pub time: f64,
    /// Length of its edge along x [m].
    pub x: f64,
    /// The same along y.
    pub y: f64,
    /// The same along z.
    pub z: f64,
    /// Strain of its edge along x since time zero, extension positive.
    pub strain_x: f64,
    /// The same along y.
    pub strain_y: f64,
    /// The same along z.
    pub strain_z: f64,
    /// Strain of simple shear so far.
    pub shear: f64,
    /// Displacement of the next image across the shear [m].
    pub shift: f64,
    /// Stress of the contacts [Pa], compression positive.
    pub stress_xx: f64,
    /// The same, yy.
    pub stress_yy: f64,
    /// The same, zz.
    pub stress_zz: f64,
    /// The same, yz.
    pub stress_yz: f64,
    /// The same, zx.
    pub stress_zx: f64,
    /// The same, xy.
    pub stress_xy: f64,
    /// Its volume [m³].
    pub volume: f64,
    /// Its work on the bodies in the step [J].
    pub work: f64,
}
