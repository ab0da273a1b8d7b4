//! Points over time: tables of walls, and factors of loads.

use super::document::Value;
use super::fault::Fault;
use super::files::contents;
use super::reader::{Number, Range, Section, both, must, report, wrong_type};
use crate::body::Ramp;

/// The accepted form of a file of points.
const FILE: &str = "a CSV file with the header time,value and ascending times [s]";

/// The optional factor of a load: `{ times, values }`, or `{ file }`.
pub(super) fn factor(section: &Section, faults: &mut Vec<Fault>) -> Option<Ramp> {
    section.get("factor")?;
    let table = section.table("factor", &["times", "values", "file"], faults);
    if let Some(file) = table.get("file") {
        let other = ["times", "values"].into_iter();
        let mut other = other.filter(|key| table.get(key).is_some());
        return match other.next() {
            Some(key) => {
                both(file, [key, "file"], faults);
                None
            }
            None => of_file(&table, faults),
        };
    }
    let times = list(&table, "times", Number(Range::NotNegative, "s"), faults)?;
    let values = list(&table, "values", Number(Range::Finite, ""), faults)?;
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

/// One or more numbers in brackets.
fn list(
    section: &Section,
    key: &'static str,
    number: Number,
    faults: &mut Vec<Fault>,
) -> Option<Vec<f64>> {
    let accepted = format!("one or more numbers in brackets, each {}", number.says());
    let node = section.need(key, &accepted, faults)?;
    match &node.value {
        Value::List(items) if !items.is_empty() => {
            Some(items.iter().map(|item| number.read(item, faults)).collect())
        }
        _ => {
            wrong_type(node, &accepted, faults);
            None
        }
    }
}

/// The points of the file that a table names under `file`.
pub(super) fn of_file(table: &Section, faults: &mut Vec<Fault>) -> Option<Ramp> {
    let accepted = "the path of a CSV file with columns time, value";
    let file = table.text("file", accepted, faults)?;
    let node = table.get("file")?;
    let read = contents(node).and_then(|contents| points(file, &contents));
    match read {
        Ok((times, values)) => Some(Ramp {
            times: times.into(),
            values: values.into(),
        }),
        Err(why) => {
            report(node, format!("{why}; must be {FILE}"), faults);
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
