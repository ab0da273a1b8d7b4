//! The keys in docs/config.md.

use crate::config::{keys, with_keys};
use std::path::Path;

/// The lists of keys in docs/config.md are those that the reader is made of.
///
/// With `MOREAU_RENEW_DOCS=1` they are written there.
#[test]
fn the_documented_keys_are_those_of_the_reader() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/config.md");
    let found = std::fs::read_to_string(&path).expect("docs/config.md");
    let made = with_keys(&found).expect("tables that are known");
    if std::env::var_os("MOREAU_RENEW_DOCS").is_some() {
        std::fs::write(&path, made).expect("docs/config.md may be written");
        return;
    }
    let differ = found.lines().zip(made.lines()).find(|(a, b)| a != b);
    let advice = "MOREAU_RENEW_DOCS=1 cargo test --lib documented renews it";
    assert_eq!(differ, None, "{advice}");
    assert_eq!(found, made, "{advice}");
}

/// Every table has its list, once.
#[test]
fn every_table_is_documented() {
    let document = include_str!("../../../docs/config.md");
    let marks = document.lines().filter_map(|line| {
        let begin = ["<!-- keys: ", "<!-- keys of entries: "];
        begin.iter().find_map(|begin| line.strip_prefix(begin))
    });
    let words = marks.flat_map(|mark| mark.trim_end_matches("-->").split_whitespace());
    let mut listed: Vec<&str> = words.collect();
    let mut known = super::super::read::names().concat();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

/// The list of a table is that of its keys; a name may be the beginning of a key.
#[test]
fn keys_are_found_by_name() {
    let of = |name| keys(Some(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let gap = of("solver.gap");
    let heads: Vec<&str> = gap.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(
        heads,
        ["solver.gap", "solver.gap_fraction", "solver.gap_speed"]
    );
    assert!(gap.starts_with(
        "solver.gap\n    default: \"positive\"\n    accepted: one of positive, full, recover\n"
    ));
    let wall = of("wall");
    for line in [
        "[[wall]]",
        "free.mass",
        "shape = \"cone\"",
        "caps",
        "smooth_angle",
    ] {
        assert!(wall.lines().any(|found| found == line), "{line}: {wall}");
    }
    assert!(of("material").lines().any(|line| line == "friction"));
    assert!(of("time.dt.travel").contains("accepted: a number from 0.000001 to 0.5 [of a radius]"));
    assert!(of("pair.friction").contains("static friction coefficient"));
    assert!(of("cell.y.stress").contains("default: as cell.x\n"));
    let radius = of("wall.radius");
    for line in ["shape = \"cone\"", "radius"] {
        assert!(
            radius.lines().any(|found| found == line),
            "{line}: {radius}"
        );
    }
    assert!(!radius.contains("shape = \"plate\""), "{radius}");
    let plain = of("bodies.radius");
    assert!(
        plain.contains("radius of the bodies, see docs/config.md\n"),
        "{plain}"
    );
    assert!(of("time.dt").contains("default: none: this key, or another"));
    let tables = keys(None).expect("all tables");
    let [root, _] = super::super::read::names();
    assert_eq!(tables.lines().count(), root.len());
    assert!(
        tables.contains("\n[[pair]]: materials, friction, "),
        "{tables}"
    );
    assert!(tables.contains("\nbalance: every, above\n"), "{tables}");
    for unknown in ["walls", "solver.no", "", ".", "wall:box"] {
        let refused = keys(Some(unknown));
        assert!(refused.is_err_and(|e| e.ends_with(&format!("; found {unknown}"))));
    }
}

/// Lists of unknown tables, and lists without an end, are refused.
#[test]
fn marks_must_be_complete() {
    let one = "text\n<!-- keys: balance -->\nold\n<!-- end of keys -->\nmore\n";
    let made = with_keys(one).expect("a table that is known");
    assert!(
        made.starts_with("text\n<!-- keys: balance -->\n\n| key |"),
        "{made}"
    );
    assert!(
        made.ends_with("|\n\n<!-- end of keys -->\nmore\n"),
        "{made}"
    );
    assert!(
        made.contains("| `balance.every` | `20` | a whole number >= 0 | "),
        "{made}"
    );
    assert!(!made.contains("old"), "{made}");
    assert_eq!(with_keys(&made).as_deref(), Ok(&made[..]));
    let unknown = with_keys(&one.replace("balance", "ballance"));
    assert!(unknown.is_err_and(|e| e.ends_with("found ballance")));
    let endless = with_keys(&one.replace("end of", "end"));
    assert!(endless.is_err_and(|e| e.ends_with("found none")));
}
