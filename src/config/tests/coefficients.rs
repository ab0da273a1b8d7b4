//! The mixing of two materials' coefficients to those of a pair.

use super::{FULL, bad, good};
use crate::law::{Arm, Pair};

/// The pair of "glass" and "smooth", with these coefficients and this `[[pair]]`.
fn between(glass: &str, smooth: &str, special: &str) -> Pair {
    *good(&text(glass, smooth, special), &[])
        .laws
        .pairs
        .between(0, 1)
}

fn text(glass: &str, smooth: &str, special: &str) -> String {
    let pair = match special {
        "" => String::new(),
        keys => format!("[[pair]]\nmaterials = [\"glass\", \"smooth\"]\n{keys}\n"),
    };
    FULL.replace("friction = 0.5\n", &format!("{glass}\n"))
        .replace("friction = 0.0\n", &format!("{smooth}\n{pair}"))
}

#[test]
fn what_no_material_gives_is_rigid_and_frictionless() {
    assert_eq!(between("friction = 0", "friction = 0.3", ""), Pair::RIGID);
}

#[test]
fn numbers_mix_by_the_geometric_mean_and_inverses_by_side() {
    let pair = between(
        "friction = 0.5\nsliding_friction = 0.32\ncohesion = 2\ncohesion_range = 1e-3\ntangential_stiffness_ratio = 0.25\n\
         stiffness = 2e4\nrolling = 2e-3\ntorsion_ratio = 0.1",
        "friction = 0.5\ncohesion = 8\ncohesion_range = 4e-3\nyoung = 1e9\nrolling = 8e-3\ntorsion_ratio = 0.4",
        "",
    );
    let expected = Pair {
        friction: 0.5,
        sliding_friction: (0.32_f64 * 0.5).sqrt(),
        rolling: Arm::Length((2e-3_f64 * 8e-3).sqrt()),
        torsion: Arm::Reduced((0.1_f64 * 0.4).sqrt()),
        cohesion: 4.0,
        cohesion_range: (1e-3_f64 * 4e-3).sqrt(),
        compliance: 1.0 / 2e4 / 2.0,
        inverse_young: [0.0, 1e-9],
        tangential_ratio: 0.5,
        ..Pair::RIGID
    };
    assert_eq!(pair, expected);
    let bounce = "friction = 0\nrestitution = 0.25\ntangential_restitution = 0.5";
    let pair = between(bounce, "friction = 0\nrestitution = 1", "");
    assert_eq!((pair.restitution, pair.tangential_restitution), (0.5, 0.0));
}

/// A torque that only one side gives is omitted: the arm of the other side is unknown.
#[test]
fn an_arm_needs_both_sides() {
    let pair = between("friction = 0\nrolling_ratio = 0.1", "friction = 0", "");
    assert_eq!(pair.rolling, Arm::NONE);
}

#[test]
fn a_pairs_own_coefficients_stand_in_place_of_mixed_ones() {
    let glass =
        "friction = 0.5\nrolling = 1e-3\nstiffness = 1e4\ncohesion = 1\ncohesion_range = 1e-3";
    let smooth = "friction = 0.5\nrolling = 1e-3\nyoung = 1e9";
    let special =
        "friction = 0.7\nrolling_ratio = 0.3\nstiffness = 3e4\ntangential_stiffness_ratio = 0.3";
    let expected = Pair {
        friction: 0.7,
        sliding_friction: 0.7,
        rolling: Arm::Reduced(0.3),
        compliance: 1.0 / 3e4,
        tangential_ratio: 0.3,
        ..Pair::RIGID
    };
    assert_eq!(
        between(glass, smooth, special),
        Pair {
            cohesion: 0.0,
            ..expected
        }
    );
    let young = between(glass, smooth, "young = 3e9");
    assert_eq!(
        (young.compliance, young.inverse_young),
        (0.0, [1.0 / 3e9; 2])
    );
    let slides = between(glass, smooth, "sliding_friction = 0.1");
    assert_eq!((slides.friction, slides.sliding_friction), (0.5, 0.1));
}

/// All faults of a mixture are found at once.
#[test]
fn all_that_does_not_mix_is_found() {
    let glass = "friction = 0.5\nrolling = 1e-3\ntorsion = 1e-3\ntangential_restitution = 0.5";
    let smooth =
        "friction = 0.5\nrolling_ratio = 0.1\ntorsion_ratio = 0.1\ntangential_restitution = 0.5";
    let faults = bad(
        &text(glass, smooth, "stiffness = 1e4\nsliding_friction = 0.6"),
        &[],
    );
    let of_pair = faults.list.iter().filter(|fault| fault.key == "pair.0");
    assert_eq!(of_pair.count(), 4, "{faults}");
}

/// Every key is described in the documentation.
#[test]
fn every_key_is_in_the_documentation() {
    let documented = include_str!("../../../docs/config.md");
    let faults = bad(
        &text("friction = 0\nno_such_key = 1", "friction = 0", ""),
        &[],
    );
    let text = faults.to_string();
    let (_, keys) = text.split_once("known keys: ").expect("a list");
    let keys: Vec<&str> = keys.trim().split(", ").collect();
    assert_eq!(keys.len(), 18, "{keys:?}");
    for key in keys {
        assert!(documented.contains(&format!("`{key}`")), "{key}");
    }
}
