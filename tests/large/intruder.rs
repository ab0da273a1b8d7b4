//! The Brazil nut: a large ball rises through a shaken bed.

use super::experiment::run;
use super::harness::Place;
use std::path::Path;

/// Of a bed of 500 grains on a floor that shakes at 12 Hz by 4 mm (2.3 g), with a ball of four radii
/// on the floor.
const BED: &str = "gravity = [0.0, 0.0, -9.81]\n[time]\ndt = 1e-3\nuntil = 2.5\n\
    [domain]\nlower = [0.0, 0.0, -0.01]\nupper = [0.036, 0.036, 0.12]\n\
    [solver]\ntolerance = 1e-2\nskin = 2e-4\nlarge_radius = 0.004\n\
    [[material]]\nname = \"glass\"\ndensity = 2500.0\nfriction = 0.4\n\
    [[wall]]\nshape = \"box\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\"]\nmaterial = \"glass\"\n\
    [[wall]]\nshape = \"plane\"\nname = \"floor\"\nmaterial = \"glass\"\n\
    point = [0.018, 0.018, 0.0]\nnormal = [0.0, 0.0, 1.0]\n\
    sine = { direction = [0.0, 0.0, 1.0], amplitude = 4e-3, frequency = 12.0 }\n\
    [[bodies]]\nsample = \"lattice\"\nmaterial = \"glass\"\ncount = 1\nradius = 0.008\n\
    lower = [0.008, 0.008, 0.0005]\nupper = [0.028, 0.028, 0.0205]\n\
    [[bodies]]\nsample = \"random\"\nmaterial = \"glass\"\ncount = 500\n\
    radius = { uniform = [0.0018, 0.0022] }\n\
    lower = [0.0, 0.0, 0.022]\nupper = [0.036, 0.036, 0.10]\n\
    [[measure]]\nname = \"intruder\"\nevery = 10\nwhat = [\"tracks\"]\nids = [0]\n\
    [output]\nseries = 10\nevery = 0\n";

/// It begins on the floor, below the middle of the bed, and comes to the surface: at least half of
/// it stands out of the grains, were they at rest with a solid fraction of 0.6.
#[test]
fn an_intruder_rises_to_the_surface() {
    let place = Place::new();
    let path = place.write("bed.toml", BED);
    let ran = run(Path::new(&path), &[], 1);
    let [time, z] = ["time", "z"].map(|name| ran.column("tracks-intruder.csv", name));
    let mean = |from: f64, to: f64| {
        let within = time.iter().zip(&z).filter(|(t, _)| (from..to).contains(*t));
        let heights: Vec<f64> = within.map(|(_, z)| *z).collect();
        heights.iter().sum::<f64>() / heights.len() as f64
    };
    // 500 grains of 2 mm on 36 mm × 36 mm.
    let bed =
        500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.002_f64.powi(3) / 0.6 / 0.036_f64.powi(2);
    let (before, after) = (mean(0.0, 0.25), mean(1.5, 2.5));
    assert!(before < 0.6 * bed, "{before} m, of {bed} m");
    assert!(after > bed, "{after} m, of {bed} m");
}
