//! No circles between files: files that use each other, straight or by way of others, are one file in pieces.
//!
//! File A uses file B if code in A names an item that B defines. `mod` and `pub use` lines are no uses;
//! code that names a re-exported item uses the file that defines it. Methods are not followed.

use crate::code::{Role, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Uses that do not count yet, since their files are being rewritten: the first file's of the second.
/// A pair that is in no circle is a fault. The list is to end empty.
pub(crate) const WAITING: [(&str, &str); 0] = [];

/// A file's uses of another: which names.
type Uses = BTreeMap<(String, String), BTreeSet<String>>;

/// A name in a module.
enum Meaning {
    /// An item of this file.
    Item(String),
    /// Another path's item, seen from the module.
    Alias(Vec<String>),
}

/// Names by module.
type Modules = BTreeMap<Vec<String>, BTreeMap<String, Meaning>>;

/// Files of the library that are compiled outside tests, with their modules.
fn library(sources: &[Source]) -> Vec<(&Source, Vec<String>)> {
    let of = |source: &Source| source.module().filter(|m| m != &["main"]);
    let all = sources.iter().filter_map(|s| Some((s, of(s)?)));
    let mut all: Vec<(&Source, Vec<String>)> = all.collect();
    let tests: Vec<Vec<String>> = (all.iter())
        .flat_map(|(s, m)| s.code.test_modules.iter().map(|t| [&m[..], t].concat()))
        .collect();
    all.retain(|(_, module)| !tests.iter().any(|t| module.starts_with(t)));
    all
}

fn modules(library: &[(&Source, Vec<String>)]) -> Modules {
    let mut modules = Modules::new();
    for (source, module) in library {
        modules.entry(module.clone()).or_default();
        for item in &source.code.items {
            let (name, inside) = item.split_last().expect("a name");
            let names = modules.entry([&module[..], inside].concat()).or_default();
            names.insert(name.clone(), Meaning::Item(source.path.clone()));
        }
        for name in source.code.names.iter().filter(|name| !name.test) {
            if let Role::Import(alias) | Role::Reexport(alias) = &name.role {
                let names = modules
                    .entry([&module[..], &name.module].concat())
                    .or_default();
                let meaning = Meaning::Alias(name.words.clone());
                names.entry(alias.clone()).or_insert(meaning);
            }
        }
    }
    modules
}

/// The file that defines the item of a path, seen from a module; `None` for modules and other crates.
fn home<'m>(modules: &'m Modules, from: &[String], path: &[String], left: u32) -> Option<&'m str> {
    let (mut at, mut rest) = (from.to_vec(), path);
    while let Some((name, more)) = rest.split_first() {
        rest = more;
        match name.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            _ => {
                let child = [&at[..], std::slice::from_ref(name)].concat();
                // A module and a function may have the same name.
                if modules.contains_key(&child) && !more.is_empty() {
                    at = child;
                    continue;
                }
                return match modules.get(&at)?.get(name)? {
                    Meaning::Item(file) => Some(file),
                    Meaning::Alias(words) if left > 0 => {
                        home(modules, &at, &[words, more].concat(), left - 1)
                    }
                    Meaning::Alias(_) => None,
                };
            }
        }
    }
    None
}

/// Who uses whom.
pub(crate) fn uses(sources: &[Source]) -> Uses {
    let library = library(sources);
    let modules = modules(&library);
    let mut uses = Uses::new();
    for (source, module) in &library {
        for name in &source.code.names {
            if name.test || matches!(name.role, Role::Reexport(_)) {
                continue;
            }
            let from = [&module[..], &name.module].concat();
            let home = home(&modules, &from, &name.words, 20);
            if let Some(home) = home.filter(|home| *home != source.path) {
                let names = uses.entry((source.path.clone(), home.to_owned()));
                names.or_default().insert(name.words.join("::"));
            }
        }
    }
    uses
}

/// Files that `from` uses, straight or by way of others.
fn reached<'u>(uses: &'u Uses, from: &str) -> BTreeSet<&'u str> {
    let mut found = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        for ((user, used), _) in uses.range((file.to_owned(), String::new())..) {
            if user != file {
                break;
            }
            if found.insert(used.as_str()) {
                next.push(used);
            }
        }
    }
    found
}

/// The circles among the files, each with the uses that close it; and what waits without need.
pub(crate) fn circles(sources: &[Source], waiting: &[(&str, &str)]) -> Vec<String> {
    let mut uses = uses(sources);
    let mut faults = Vec::new();
    for (a, b) in waiting {
        let pair = ((*a).to_owned(), (*b).to_owned());
        if !(uses.contains_key(&pair) && reached(&uses, b).contains(a)) {
            faults.push(format!(
                "{a} and {b} are in no circle: take the pair off WAITING"
            ));
        }
    }
    uses.retain(|(a, b), _| !waiting.contains(&(a.as_str(), b.as_str())));
    let reach: BTreeMap<&str, BTreeSet<&str>> = (uses.keys())
        .map(|(user, _)| (user.as_str(), reached(&uses, user)))
        .collect();
    let circle =
        |a: &str, b: &str| reach[a].contains(b) && reach.get(b).is_some_and(|r| r.contains(a));
    for ((a, b), names) in &uses {
        if circle(a, b) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            faults.push(format!(
                "{a} uses {b}, which uses it in turn: {}",
                names.join(", ")
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(files: &[(&str, &str)], waiting: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files.iter().map(|(p, t)| Source::new(p, t)).collect();
        circles(&sources, waiting)
    }

    #[test]
    fn files_that_use_each_other_are_found() {
        let lib = ("src/lib.rs", "pub mod a; pub mod b;");
        let a = (
            "src/a.rs",
            "mod c; mod tests { } pub use c::C; pub struct A; pub fn c() {}",
        );
        let b = (
            "src/b.rs",
            "use crate::a; pub fn f(_: a::C) { vec![a::c()]; }",
        );
        let c = |text| ("src/a/c.rs", text);
        let own = c("pub struct C; #[cfg(test)] use crate::b; #[cfg(test)] mod tests;");
        let test = ("src/a/c/tests.rs", "use crate::b::f;");
        assert_eq!(faults(&[lib, a, b, own, test], &[]), [""; 0]);
        // By way of a door that only hands names on, no circle; by items, one of three files.
        assert_eq!(
            faults(&[lib, a, b, c("pub struct C(super::A);")], &[]),
            [""; 0]
        );
        let circle = c("pub struct C; fn g() { crate::b::f(C) }");
        let found = faults(&[lib, a, b, circle], &[]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("src/a/c.rs uses src/b.rs"),
            "{found:?}"
        );
        let waiting = [("src/a/c.rs", "src/b.rs")];
        assert_eq!(faults(&[lib, a, b, circle], &waiting), [""; 0]);
        assert_eq!(
            faults(&[lib, a, b, own], &waiting).len(),
            1,
            "waits for nothing"
        );
    }

    #[test]
    fn a_door_and_its_child_may_not_use_each_other() {
        let lib = ("src/lib.rs", "pub mod a;");
        let child = ("src/a/b.rs", "use super::A; pub struct B(A); pub fn g() {}");
        let door = |text| ("src/a.rs", text);
        assert_eq!(
            faults(
                &[lib, child, door("mod b; pub use b::B; pub struct A;")],
                &[]
            ),
            [""; 0]
        );
        for uses in [
            "mod b; pub use b::B; pub struct A(Vec<B>);",
            "mod b; pub struct A; fn f() { vec![b::B(A)]; }",
            "mod b; pub struct A; fn f() { vec![b::g(); 2]; }",
        ] {
            assert_eq!(faults(&[lib, child, door(uses)], &[]).len(), 2, "{uses}");
        }
    }
}
