//! Pairs of bodies that a `[[bond]]` lists.

use super::document::{Contents, Node, Value};
use super::fault::{Fault, Place};
use super::files::contents;
use super::reader::{refuse, report};

/// Pairs of bodies listed in a configuration, with their places.
///
/// Whether these bodies exist is checked once they are made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// Number of the bond.
    pub bond: usize,
    /// The pairs, in the order of the list, the smaller id first.
    pub pairs: Vec<[u64; 2]>,
    /// Key of the list.
    key: String,
    /// Place of the list, or of each pair if they stand in the configuration.
    places: Vec<Place>,
    /// The file of the list with the line of each pair, if it has one.
    file: Option<(String, Vec<u64>)>,
}

impl Listed {
    /// The fault of a pair.
    pub(super) fn fault(&self, pair: usize, message: &str) -> Fault {
        let list = || self.places.first().cloned().unwrap_or(Place::File);
        match &self.file {
            Some((file, lines)) => Fault {
                place: list(),
                key: self.key.clone(),
                message: format!("{file}:{}: {message}", lines[pair]),
            },
            None => Fault {
                place: self.places.get(pair).cloned().unwrap_or_else(list),
                key: format!("{}.{pair}", self.key),
                message: message.to_owned(),
            },
        }
    }
}

/// Pairs of body ids: a list, or the path of a file.
pub(super) fn listed(bond: usize, node: &Node, faults: &mut Vec<Fault>) -> Option<Listed> {
    let mut list = Listed {
        bond,
        key: node.path.clone(),
        ..Listed::default()
    };
    match &node.value {
        Value::List(items) => {
            for item in items {
                let ids: Vec<u64> = match &item.value {
                    Value::List(ids) => ids.iter().filter_map(id).collect(),
                    _ => Vec::new(),
                };
                match ids[..] {
                    [a, b] if a != b => {
                        list.pairs.push([a.min(b), a.max(b)]);
                        list.places.push(item.place.clone());
                    }
                    _ => refuse(item, "two different body ids, as [0, 1]", faults),
                }
            }
        }
        // A run that continues has bonded them before.
        Value::Text(_) if matches!(node.contents, Some(Contents::Used)) => {}
        Value::Text(file) => {
            list.places.push(node.place.clone());
            match contents(node).and_then(|contents| of_file(file, &contents)) {
                Ok((pairs, lines)) => {
                    list.pairs = pairs;
                    list.file = Some((file.clone(), lines));
                }
                Err(found) => {
                    let accepted = "the path of a CSV file with the header a,b and two different \
                                    body ids a line";
                    report(node, format!("must be {accepted}; found {found}"), faults);
                    return None;
                }
            }
        }
        _ => {
            let accepted = "a list of pairs of body ids, as [[0, 1], [1, 2]], or the path of a \
                            CSV file with them";
            refuse(node, accepted, faults);
            return None;
        }
    }
    Some(list)
}

fn id(node: &Node) -> Option<u64> {
    match node.value {
        Value::Integer(id) => u64::try_from(id).ok(),
        _ => None,
    }
}

/// The pairs of a CSV file, the smaller id first, and their lines.
fn of_file(name: &str, contents: &[u8]) -> Result<(Vec<[u64; 2]>, Vec<u64>), String> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(contents);
    let header = reader.headers().map_err(|e| format!("{name}: {e}"))?;
    if header.iter().ne(["a", "b"]) {
        let found = header.iter().collect::<Vec<_>>().join(",");
        return Err(format!("{name}:1: the header {found}"));
    }
    let (mut pairs, mut lines) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(0, csv::Position::line);
            format!("{name}:{line}: {}", e.to_string().replace('\n', " "))
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        match (record[0].parse::<u64>(), record[1].parse::<u64>()) {
            (Ok(a), Ok(b)) if a != b => pairs.push([a.min(b), a.max(b)]),
            _ => return Err(format!("{name}:{line}: {},{}", &record[0], &record[1])),
        }
        lines.push(line);
    }
    Ok((pairs, lines))
}
