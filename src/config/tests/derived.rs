//! Derived lengths are set in the scenario and in its text, and are kept to the last bit.

use super::super::{Derived, Scenario, differences, parse};
use super::{FULL, good};
use crate::scheme::pace::Pace;
use std::path::Path;

const DERIVED: Derived = Derived {
    large_radius: None,
    block_edge: 0.1 + 0.2, // Not 0.3.
    skin: 1.0 / 3.0e7,
    length: Some(0.1 * 0.7),
};

/// Block edge, skin and length of the rule, as bits.
fn bits(s: &Scenario) -> [Option<u64>; 3] {
    let length = match s.pace {
        Pace::Rule(rule) => rule.length,
        Pace::Even(_) => None,
    };
    [s.solver.block_edge, s.solver.skin, length].map(|x| x.map(f64::to_bits))
}

fn open() -> Scenario {
    let text = FULL
        .replace("block_edge = 0.3\nskin = 0.001\n", "")
        .replace("dt = 1e-3", "dt = { at_most = 1e-3, at_least = 1e-5 }");
    good(&text, &[])
}

#[test]
fn derived_lengths_go_into_the_text_to_the_last_bit() {
    for with_table in [true, false] {
        let mut s = open();
        if !with_table {
            let text = s.text();
            let (before, rest) = text.split_once("[solver]").expect("a table");
            let (_, after) = rest.split_once("[[material]]").expect("a list");
            s = good(&format!("{before}[[material]]{after}"), &[]);
        }
        assert_eq!(bits(&s), [None; 3]);
        s.complete(&DERIVED).expect("good lengths");
        let expected = [DERIVED.block_edge, DERIVED.skin, 0.1 * 0.7].map(|x| Some(x.to_bits()));
        assert_eq!(bits(&s), expected);
        let again = parse("full.toml", &s.text(), Path::new("/elsewhere"), &[]);
        let again = again.unwrap_or_else(|f| panic!("{f}"));
        assert_eq!(bits(&again), expected);
        assert_eq!(again, s);
    }
}

#[test]
fn lengths_that_the_configuration_names_stay() {
    let mut s = good(FULL, &[]);
    let text = s.text();
    s.complete(&DERIVED).expect("good lengths");
    assert_eq!(
        (s.solver.block_edge, s.solver.skin),
        (Some(0.3), Some(0.001))
    );
    assert_eq!(s.text(), text);
}

#[test]
fn a_derived_length_that_no_configuration_may_name_is_refused() {
    for skin in [0.0, -1.0, f64::INFINITY, f64::NAN, 1e61] {
        let why = open().complete(&Derived { skin, ..DERIVED });
        let why = why.expect_err("it is at fault");
        let expected =
            "solver.skin, derived from the bodies, must be a finite number > 0 [m]; found";
        assert!(why.starts_with(expected), "{why}");
    }
}

/// A run without a title keeps the name of its file, whatever its checkpoints are called.
#[test]
fn a_title_from_the_name_of_the_file_stays() {
    let mut s = good(&FULL.replace("title = \"all keys\"\n", ""), &[]);
    s.complete(&DERIVED).expect("good lengths");
    let again = parse(
        "checkpoint-00000500.h5",
        &s.text(),
        Path::new("/elsewhere"),
        &[],
    );
    let again = again.unwrap_or_else(|f| panic!("{f}"));
    assert_eq!([&s.title, &again.title], ["full"; 2]);
    let untitled = good(&FULL.replace("title = \"all keys\"\n", ""), &[]);
    assert_eq!(differences(&untitled, &again), []);
}
