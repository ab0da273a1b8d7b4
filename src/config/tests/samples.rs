//! The values of `[[bodies]]` entries are read into the samples.

use super::super::parse;
use super::{FULL, good};
use crate::sample::{Amount, Arrangement, Radius, Share, Source, Space};
use std::path::Path;

/// Every form of a radius; the path of a sieve curve is relative to the configuration's folder.
#[test]
fn radii_arrive() {
    let sieve = Radius::sieve(&[(0.01, 0.0), (0.02, 0.25), (0.04, 1.0)], false);
    let share = |radius, share| Share { radius, share };
    let mix = [share(0.01, 3.0), share(0.02, 1.0)];
    let bounds = [0.01, 0.05];
    for (text, expected) in [
        (
            "{ uniform_by_mass = [0.01, 0.02] }",
            Radius::sieve(&[(0.01, 0.0), (0.02, 1.0)], false),
        ),
        (
            "{ normal = { mean = 0.03, deviation = 0.01, lower = 0.01, upper = 0.05 } }",
            Radius::Normal {
                mean: 0.03,
                deviation: 0.01,
                bounds,
            },
        ),
        (
            "{ lognormal = { median = 0.03, deviation = 0.2, lower = 0.01, upper = 0.05 } }",
            Radius::LogNormal {
                median: 0.03,
                deviation: 0.2,
                bounds,
            },
        ),
        (
            "{ mix = [{ radius = 0.01, share = 3 }, { radius = 0.02, share = 1 }] }",
            Radius::Mix(mix.to_vec()),
        ),
        (
            "{ mix = [{ radius = 0.01, share_by_mass = 3 }, { radius = 0.02, share_by_mass = 1 }] }",
            Radius::mix_by_mass(&mix, false),
        ),
        ("{ table = \"tests/data/sieve.csv\" }", sieve),
    ] {
        let set = format!("bodies.0.radius={text}");
        let s = good(FULL, &[&set]);
        let Source::Lattice(lattice) = &s.samples[0].source else {
            panic!("a lattice")
        };
        assert_eq!(lattice.radius, expected);
    }
}

/// Regions of samples.
///
/// A region that is a box replaces the box; another is kept together with the box around it. A
/// missing count becomes the number that fits.
#[test]
fn regions_arrive_in_samples() {
    let text = "gravity = [0, 0, 0]\ntime = { dt = 1e-3, steps = 5 }\n\
                domain = { lower = [0, 0, 0], upper = [1, 1, 1], periodic = [true, true, false] }\n\
                material = [{ name = \"m\", density = 1, friction = 0 }]\n\
                region = [{ name = \"low\", shape = \"half-space\", point = [0, 0, 0.5], normal = [0, 0, -1] },\n\
                { name = \"ball\", shape = \"sphere\", centre = [0.5, 0.5, 0.5], radius = 0.4 }]\n\
                bodies = [{ sample = \"random\", material = \"m\", fraction = 0.1, radius = 0.05, region = \"low\" },\n\
                { sample = \"lattice\", lattice = \"hcp\", material = \"m\", radius = 0.05, region = \"ball\" }]\n";
    let s = parse("a.toml", text, Path::new("."), &[]).expect("a good text");
    let Source::Random(random) = &s.samples[0].source else {
        panic!("random")
    };
    assert_eq!(random.amount, Amount::Fraction(0.1));
    let low = Space {
        lower: [0.0; 3],
        upper: [1.0, 1.0, 0.5],
        periodic: [true, true, false],
        region: None,
    };
    assert_eq!(random.space, low);
    let Source::Lattice(lattice) = &s.samples[1].source else {
        panic!("a lattice")
    };
    assert_eq!(lattice.arrangement, Arrangement::HexagonalClosePacked);
    assert!(lattice.space.region.is_some() && lattice.space.periodic == [false; 3]);
    assert_eq!(
        (lattice.space.lower, lattice.space.upper[2]),
        ([0.5 - 0.4; 3], 0.9)
    );
    assert!(lattice.count > 50 && lattice.count == lattice.fit(false).expect("few sites"));
}
