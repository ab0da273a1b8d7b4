//! A pressed square or cubic lattice between walls, of which the lid comes down a little.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Radius of the bodies [m].
const RADIUS: f64 = 0.01;

/// Overlap of bodies, and of bodies and walls [m].
const OVERLAP: f64 = 2e-3 * RADIUS;

/// Way of the lid [m].
const WAY: f64 = 0.25 * OVERLAP;

/// Largest displacement of a body from its site along an axis [m].
const JITTER: f64 = 0.05 * OVERLAP;

/// The configuration of a lattice in a folder of its own.
pub(crate) struct Lattice {
    sides: [usize; 3],
    _folder: TempDir,
    config: PathBuf,
}

impl Lattice {
    /// A lattice with these numbers of bodies along the axes; one along z: discs.
    pub(crate) fn of(sides: [usize; 3]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("lattice.toml");
        std::fs::write(&config, text(sides)).expect("a configuration");
        std::fs::write(folder.path().join("lattice.csv"), bodies(sides)).expect("bodies");
        Self {
            sides,
            _folder: folder,
            config,
        }
    }

    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    pub(crate) fn bodies(&self) -> usize {
        self.sides.iter().product()
    }

    /// Contacts between bodies, and with walls.
    pub(crate) fn contacts(&self) -> usize {
        let [x, y, z] = self.sides;
        (x + 1) * y * z + x * (y + 1) * z + if z > 1 { x * y * (z + 1) } else { 0 }
    }
}

/// The lowest and the highest place of surfaces along an axis [m], where the lowest centre is at 0.
fn ends(side: usize) -> [f64; 2] {
    let end = RADIUS - OVERLAP;
    [-end, (side - 1) as f64 * (2.0 * RADIUS - OVERLAP) + end]
}

fn bodies(sides: [usize; 3]) -> String {
    let mut text = "x,y,z,radius\n".to_owned();
    let mut state = 1_u64;
    let mut jitter = || {
        // Knuth's linear congruential generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0) * JITTER
    };
    for k in 0..sides.iter().product() {
        let site = [
            k % sides[0],
            k / sides[0] % sides[1],
            k / sides[0] / sides[1],
        ];
        let mut place = site.map(|i| i as f64 * (2.0 * RADIUS - OVERLAP) + jitter());
        if sides[2] == 1 {
            place[2] = 0.0;
        }
        let [x, y, z] = place;
        writeln!(text, "{x:e},{y:e},{z:e},{RADIUS}").expect("a string");
    }
    text
}

fn text(sides: [usize; 3]) -> String {
    let planar = sides[2] == 1;
    let ends = sides.map(ends);
    let upper = ends.map(|[_, high]| high + RADIUS);
    let mut text = format!(
        "gravity = [0.0, 0.0, 0.0]\nscheme = \"bagi_bojtar\"\n\
         [quasistatic]\n\
         [time]\ndt = 1.0\nsteps = 1\n\
         [domain]\nlower = [-0.03, -0.03, -0.03]\nupper = {upper:?}\ndimensions = {}\n\
         [output]\nseries = 1\n[checkpoint]\nevery = 0\n\
         [[material]]\nname = \"ball\"\ndensity = 2500.0\nfriction = 0.5\nstiffness = 1.0e6\n\
         tangential_stiffness_ratio = 0.5\n\
         [[bodies]]\nsample = \"file\"\nmaterial = \"ball\"\nfile = \"lattice.csv\"\n",
        if planar { 2 } else { 3 }
    );
    for axis in 0..if planar { 2 } else { 3 } {
        for (end, sign) in [(0, 1.0), (1, -1.0)] {
            let along = |x: f64| {
                let mut v = [0.0; 3];
                v[axis] = x;
                v
            };
            let (point, normal) = (along(ends[axis][end]), along(sign));
            let velocity = along(if axis == 1 && end == 1 { -WAY } else { 0.0 });
            write!(
                text,
                "[[wall]]\nshape = \"plane\"\nname = \"wall {axis} {end}\"\nmaterial = \"ball\"\n\
                 point = {point:?}\nnormal = {normal:?}\nvelocity = {velocity:?}\n"
            )
            .expect("a string");
        }
    }
    text
}
