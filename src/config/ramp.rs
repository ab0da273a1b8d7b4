//! Points over time: tables of walls, and factors of loads.

use super::document::{Node, Value};
use super::fault::Fault;
use super::files::contents;
use super::key::{Accepts, Key, Needed, Text};
use super::reader::{Number, Range, Section, both, must, report, wrong_type};
use super::table::Table;
use crate::body::Ramp;

/// The accepted form of a file of points.
const FORM: &str = "a CSV file with the header time,value and ascending times [s]";

const TIMES: Key<Several, Needed> = Key::new(
    "times",
    Several(Number(Range::NotNegative, "s")),
    Needed,
    "ascending times",
);
const VALUES: Key<Several, Needed> = Key::new(
    "values",
    Several(Number(Range::Finite, "")),
    Needed,
    "as many values: linear between the times, constant before and after",
);
/// A table over time, wherever an entry has one.
pub(super) const FILE: Key<Text, Needed> = Key::new(
    "file",
    Text("the path of a CSV file with columns time, value"),
    Needed,
    "times and values: linear between them, constant before and after",
);

/// The factor of a load.
pub(super) const FACTOR: Table = Table::new("factor", &[&TIMES, &VALUES, &FILE]).optional([
    "1",
    "`{ times, values }`, or `{ file }`",
    "multiplies the load over time",
]);

/// The optional factor of a load: `{ times, values }`, or `{ file }`.
pub(super) fn factor(section: &Section, faults: &mut Vec<Fault>) -> Option<Ramp> {
    section.get(FACTOR.name)?;
    let table = section.declared(&FACTOR, faults);
    if let Some(file) = table.get(FILE.name) {
        let other = [TIMES.name, VALUES.name].into_iter();
        let mut other = other.filter(|key| table.get(key).is_some());
        return match other.next() {
            Some(key) => {
                both(file, [key, "file"], faults);
                None
            }
            None => of_file(&table, faults),
        };
    }
    let times = table.read(&TIMES, faults)?;
    let values = table.read(&VALUES, faults)?;
    let node = table.get("values")?;
    if times.len() != values.len() {
        let accepted = format!("{} numbers, as many as times", times.len());
        must(node, &accepted, &format!("{}", values.len()), faults);
        return None;
    }
    if let (Some(k), Some(node)) = (
        times.windows(2).position(|t| t[1] <= t[0]),
        table.get("times"),
    ) {
        let found = format!("{} after {}", times[k + 1], times[k]);
        must(node, "ascending", &found, faults);
        return None;
    }
    let (times, values) = (times.into(), values.into());
    Some(Ramp { times, values })
}

/// One or more numbers.
struct Several(Number);

impl Accepts for Several {
    type Value = Vec<f64>;
    type Needed = Option<Vec<f64>>;

    fn says(&self) -> String {
        let Self(number) = self;
        format!("one or more numbers in brackets, each {}", number.says())
    }

    fn read(&self, node: &Node, faults: &mut Vec<Fault>) -> Option<Vec<f64>> {
        match &node.value {
            Value::List(items) if !items.is_empty() => {
                let each = items.iter().map(|item| self.0.read(item, faults));
                Some(each.collect())
            }
            _ => {
                wrong_type(node, &self.says(), faults);
                None
            }
        }
    }

    fn shown(&self, value: &Vec<f64>) -> String {
        format!("{value:?}")
    }

    fn needed(value: Option<Vec<f64>>) -> Option<Vec<f64>> {
        value
    }
}

/// The points of the file that a table names under `file`.
pub(super) fn of_file(table: &Section, faults: &mut Vec<Fault>) -> Option<Ramp> {
    let file = table.read(&FILE, faults)?;
    let node = table.get(FILE.name)?;
    let read = contents(node).and_then(|contents| points(&file, &contents));
    match read {
        Ok((times, values)) => Some(Ramp {
            times: times.into(),
            values: values.into(),
        }),
        Err(why) => {
            report(node, format!("{why}; must be {FORM}"), faults);
            None
        }
    }
}

/// The points of a table file.
fn points(name: &str, contents: &[u8]) -> Result<(Vec<f64>, Vec<f64>), String> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(contents);
    let header = reader.headers().map_err(|e| format!("{name}: {e}"))?;
    if header.iter().ne(["time", "value"]) {
        return Err(format!("{name}: the header is not time,value"));
    }
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for row in reader.records() {
        let row = row.map_err(|e| format!("{name}: {e}"))?;
        let line = row.position().map_or(0, csv::Position::line);
        let number = |k: usize| {
            let text = row.get(k).unwrap_or_default();
            let not = || format!("{name}:{line}: {text:?} is not a number");
            text.parse::<f64>().map_err(|_| not())
        };
        let (time, value) = (number(0)?, number(1)?);
        if !time.is_finite() || !value.is_finite() {
            return Err(format!("{name}: {time}, {value} is not finite"));
        }
        if times.last().is_some_and(|last| time <= *last) {
            return Err(format!(
                "{name}: time {time} is not later than the one before it"
            ));
        }
        times.push(time);
        values.push(value);
    }
    if times.is_empty() {
        return Err(format!("{name} holds no points"));
    }
    Ok((times, values))
}
