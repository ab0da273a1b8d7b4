//! The keys in docs/config.md.

use crate::config::with_keys;
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
