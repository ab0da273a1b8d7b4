//! The page of a run: `moreau report`. One HTML file that contains everything.

use super::picture::put;
use super::plot::{COLOURS, Plot};
use super::series_plots as steps;
use super::state::State;
use super::state_plots as newest;
use super::table::Table;
use crate::comm::threads::Serial;
use crate::config::without_contents;
use crate::io::checkpoint;
use crate::math::as_written;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The name of the page in the folder of a run.
const PAGE: &str = "report.html";

/// The results of a run in its folder, as far as they can be read.
struct Found {
    dir: PathBuf,
    state: Option<(PathBuf, State)>,
    series: Option<Table>,
    walls: Option<Table>,
    cell: Option<Table>,
    flows: Option<Table>,
    /// By name: the figures, and distributions of forces.
    measures: Vec<(String, Table)>,
    forces: Vec<(String, Table)>,
    starts: Vec<toml::Table>,
    /// Missing or damaged data.
    notes: Vec<String>,
}

/// Writes the page of a run into its folder. Returns its path.
///
/// # Errors
/// With status 2 for a folder without results of a run. With status 4 for a page that cannot be
/// written.
pub fn page(dir: &Path) -> Result<String, (String, i32)> {
    let found = Found::in_folder(dir).map_err(|e| (e, 2))?;
    let to = dir.join(PAGE);
    put(&to, found.html().as_bytes())?;
    Ok(to.display().to_string())
}

impl Found {
    fn in_folder(dir: &Path) -> Result<Self, String> {
        if !dir.is_dir() {
            return Err(format!(
                "{}: must be the folder of a run; found no folder",
                dir.display()
            ));
        }
        let mut notes = Vec::new();
        let state = newest_state(dir, &mut notes);
        let mut table = |name: &str, word: &str, missing: &str| {
            let table = Table::read(&dir.join(name), word);
            match &table {
                Some(table) => notes.extend(table.faults.iter().cloned()),
                None if missing.is_empty() => {}
                None => notes.push(format!("{name} is missing: {missing}.")),
            }
            table
        };
        let series = table("series.csv", "", "nothing is known of single steps");
        let walls = table("walls.csv", "wall", "forces on walls are not shown");
        let flows = table("flows.csv", "region", "");
        let cell = table("cell.csv", "", "");
        let mut read_all = |prefix: &str| {
            let names = names(dir, prefix).into_iter();
            let read = |name: String| {
                let table = Table::read(&dir.join(format!("{prefix}{name}.csv")), "")?;
                Some((name, table))
            };
            let tables: Vec<(String, Table)> = names.filter_map(read).collect();
            let faults = tables.iter().flat_map(|(_, table)| table.faults.iter());
            notes.extend(faults.cloned());
            tables
        };
        let (measures, forces) = (read_all("measure-"), read_all("forces-"));
        if !series.as_ref().is_some_and(|s| s.may_be_of("step")) && state.is_none() {
            let why: String = notes.iter().map(|note| format!("\n  {note}")).collect();
            return Err(format!(
                "{}: holds nothing of a run that can be read; accepted: a folder with series.csv or a valid checkpoint{why}",
                dir.display()
            ));
        }
        if measures.is_empty() {
            let note = "Measures (measure-*.csv) are missing: packing fractions are not shown. [[measure]] in a configuration adds them.";
            notes.push(note.to_owned());
        }
        let starts = starts(dir, &mut notes);
        let mut found = Self {
            dir: dir.to_owned(),
            state,
            series,
            walls,
            cell,
            flows,
            measures,
            forces,
            starts,
            notes,
        };
        found.judge();
        Ok(found)
    }

    /// Notes on the run itself.
    fn judge(&mut self) {
        let notes = &mut self.notes;
        if let Some(series) = &self.series {
            match series.len() {
                0 => notes.push("series.csv has no row yet.".to_owned()),
                1 => {
                    notes.push("series.csv has one row only: curves are single points.".to_owned())
                }
                _ => {}
            }
            let converged = series.column("converged").unwrap_or_default();
            let capped = converged.iter().filter(|c| **c == 0.0).count();
            if capped > 0 {
                let share = 100.0 * capped as f64 / converged.len() as f64;
                notes.push(format!(
                    "{capped} of {} steps in series.csv ({share:.2} %) ended at the sweep cap, not converged.",
                    converged.len()
                ));
            }
            let deleted = last(series, "deleted").filter(|n| *n > 0.0);
            notes.extend(deleted.map(|n| format!("{n} bodies left the domain and were deleted.")));
        }
        if let Some((_, state)) = &self.state {
            let header = &state.loaded.header;
            if header.capped_steps > 0 {
                notes.push(format!(
                    "{} of all {} steps up to the newest checkpoint ended at the sweep cap.",
                    header.capped_steps, header.step
                ));
            }
            if header.rushed_steps > 0 {
                let rushed = header.rushed_steps;
                notes.push(format!(
                    "{rushed} steps were longer than the rule of time.dt asks for."
                ));
            }
            let behind = self.series.as_ref().and_then(|s| last(s, "step"));
            if let Some(step) = behind.filter(|step| *step > header.step as f64) {
                notes.push(format!(
                    "The series goes on to step {step}, the newest valid checkpoint is of step {}: pictures, stress and distribution of forces are of the latter.",
                    header.step
                ));
            }
        }
        if self.starts.len() > 1 {
            let steps = self.starts.iter().skip(1).filter_map(|s| s.get("step"));
            let steps: Vec<String> = steps.map(ToString::to_string).collect();
            notes.push(format!(
                "The run was resumed, from step {}.",
                steps.join(", ")
            ));
        }
    }

    fn html(&self) -> String {
        let scenario = self.state.as_ref().map(|(_, state)| &state.scenario);
        let title = scenario.map_or("", |s| s.title.as_str());
        let title = match title {
            "" => self.dir.display().to_string(),
            title => title.to_owned(),
        };
        let mut body = format!("<h1>{}</h1>\n", escaped(&title));
        if !self.notes.is_empty() {
            body.push_str("<section class=\"notes\"><h2>To be known</h2>\n<ul>\n");
            for note in &self.notes {
                body.push_str(&format!("<li>{}</li>\n", escaped(note)));
            }
            body.push_str("</ul></section>\n");
        }
        body.push_str("<h2>Summary</h2>\n");
        body.push_str(&rows(&self.summary()));
        if let Some((_, state)) = &self.state {
            body.push_str("<h2>The newest state</h2>\n<div class=\"grid\">\n");
            for shown in newest::pictures(state) {
                match shown {
                    Ok(shown) => body.push_str(&format!(
                        "<figure class=\"picture\"><h3>{0}</h3><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"></figure>\n",
                        escaped(&shown.title),
                        shown.png
                    )),
                    Err(why) => body.push_str(&absent("Picture", &why)),
                }
            }
            body.push_str("</div>\n");
        }
        body.push_str("<h2>Plots</h2>\n<div class=\"grid\">\n");
        for plot in self.plots() {
            body.push_str(&figure(&plot));
        }
        body.push_str("</div>\n");
        body.push_str("<h2>Where it comes from</h2>\n");
        for start in &self.starts {
            let step = start.get("step").map(ToString::to_string);
            let step = step.unwrap_or_else(|| "?".to_owned());
            let _ = writeln!(body, "<h3>Start from step {}</h3>", escaped(&step));
            let all: Vec<(String, String)> =
                start.iter().map(|(k, v)| (k.clone(), told(v))).collect();
            body.push_str(&rows(&all));
        }
        if let Some((_, state)) = &self.state {
            let config = escaped(&without_contents(&state.loaded.header.config));
            body.push_str("<h3>Configuration as run</h3>\n");
            body.push_str(&format!("<pre>{config}</pre>\n"));
        }
        let version = env!("CARGO_PKG_VERSION");
        body.push_str(&format!("<footer>moreau {version}</footer>\n"));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
            escaped(&title),
            include_str!("page.css")
        )
    }

    fn plots(&self) -> Vec<Plot> {
        let scenario = self.state.as_ref().map(|(_, state)| &state.scenario);
        let mut plots = Vec::new();
        if let Some(series) = &self.series {
            plots.extend(steps::of_series(series, scenario));
        }
        let measures = &self.measures;
        plots.push(steps::coordination(self.series.as_ref(), measures));
        plots.push(steps::of_measures(
            "Packing fraction",
            "solid_fraction",
            measures,
        ));
        plots.extend(self.walls.as_ref().map(steps::walls));
        plots.extend(self.cell.iter().flat_map(steps::cell));
        let flows = self.flows.as_ref().filter(|flows| flows.len() > 0);
        plots.extend(flows.map(steps::flows));
        let of_state = self
            .state
            .as_ref()
            .and_then(|(_, s)| newest::force_curve(s));
        let of_measures = self
            .forces
            .iter()
            .filter_map(|(name, t)| steps::forces(name, t));
        let mut forces = Plot {
            title: "Distribution P(f) of normal forces over their mean".to_owned(),
            x: "f / mean f".to_owned(),
            curves: of_state.into_iter().chain(of_measures).collect(),
            log: true,
            ..Plot::default()
        };
        forces.note =
            "Density of the force-carrying contacts, up to ten times the mean.".to_owned();
        plots.push(forces);
        plots.extend(self.state.as_ref().and_then(|(_, s)| newest::stress(s)));
        plots
    }

    fn summary(&self) -> Vec<(String, String)> {
        let mut lines: Vec<(String, String)> = Vec::new();
        let mut line = |key: &str, value: String| lines.push((key.to_owned(), value));
        line("folder", self.dir.display().to_string());
        if let Some((path, state)) = &self.state {
            let header = &state.loaded.header;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            line("newest valid checkpoint", name.into_owned());
            line("step", header.step.to_string());
            line("time", format!("{} s", as_written(header.time)));
            line(
                "length of the last step",
                format!("{} s", as_written(header.dt)),
            );
            line("bodies", state.loaded.bodies.len().to_string());
            let contacts = &state.loaded.contacts;
            let (carrying, all) = (crate::measure::active(contacts), contacts.len());
            let text = format!("{carrying} with an impulse, of {all} candidates");
            line("contacts", text);
            if state.scenario.statics.is_none() {
                line("steps at the sweep cap", header.capped_steps.to_string());
            }
            line("end", state.scenario.end.to_string());
            line("seed", header.seed.to_string());
        }
        if let Some(series) = self.series.as_ref().filter(|s| s.len() > 0) {
            let of = |name: &str| last(series, name);
            let told = |value: Option<f64>, unit: &str| {
                value.map_or("unknown".to_owned(), |v| format!("{} {unit}", rounded(v)))
            };
            line(
                "series",
                format!(
                    "{} rows, to step {}",
                    series.len(),
                    told(of("step"), "").trim()
                ),
            );
            line("last residual", told(of("residual"), ""));
            let most = |name: &str| {
                let column = series.column(name)?.iter().copied();
                column.filter(|v| v.is_finite()).reduce(f64::max)
            };
            line("largest overlap of all", told(most("max_overlap"), "radii"));
            line("sweeps in a step", spread(series.column("sweeps")));
            line("kinetic energy", told(of("kinetic_energy"), "J"));
            let sum = |name: &str| {
                series
                    .column(name)
                    .map(|c| c.iter().filter(|x| x.is_finite()).sum::<f64>())
            };
            let all = sum("wall_s");
            line("wall-clock time of the rows", told(all, "s"));
            for (key, name) in [
                ("detection", "detect_s"),
                ("sweeps", "sweep_s"),
                ("exchange", "exchange_s"),
            ] {
                if let (Some(part), Some(all)) = (sum(name), all.filter(|all| *all > 0.0)) {
                    let share = 100.0 * part / all;
                    line(
                        &format!("of which {key}"),
                        format!("{} s ({share:.0} %)", rounded(part)),
                    );
                }
            }
        }
        lines
    }
}

/// The newest readable checkpoint, and notes on unreadable ones.
fn newest_state(dir: &Path, notes: &mut Vec<String>) -> Option<(PathBuf, State)> {
    let read = checkpoint::read_newest(&Serial, dir).map_err(|e| e.to_string());
    let read = read.and_then(|(path, loaded, skipped)| {
        notes.extend(
            skipped
                .into_iter()
                .map(|(_, why)| format!("Skipped: {why}")),
        );
        let state = State::of(&path, loaded)?;
        Ok((path, state))
    });
    read.map_err(|why| notes.push(format!("No checkpoint is shown: {why}")))
        .ok()
}

/// The part between prefix and `.csv` of the names of a folder's files, sorted.
fn names(dir: &Path, prefix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_prefix(prefix)?.strip_suffix(".csv")?.to_owned())
        })
        .collect();
    names.sort();
    names
}

/// The starts of the program in a folder.
fn starts(dir: &Path, notes: &mut Vec<String>) -> Vec<toml::Table> {
    let path = dir.join("provenance.toml");
    let read = std::fs::read_to_string(&path).map_err(|e| e.to_string());
    let table = read.and_then(|text| text.parse::<toml::Table>().map_err(|e| e.to_string()));
    match table {
        Ok(table) => {
            let starts = table.get("start").and_then(toml::Value::as_array);
            let starts = starts.into_iter().flatten();
            starts
                .filter_map(|start| start.as_table().cloned())
                .collect()
        }
        Err(why) => {
            notes.push(format!("provenance.toml cannot be read: {}", why.trim()));
            Vec::new()
        }
    }
}

/// A value of provenance in readable form.
fn told(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(words) => {
            let words: Vec<String> = words.iter().map(told).collect();
            words.join(" ")
        }
        other => other.to_string(),
    }
}

fn last(table: &Table, name: &str) -> Option<f64> {
    table.column(name)?.last().copied()
}

/// A number of at most five digits.
fn rounded(value: f64) -> String {
    match value == value.trunc() && value.abs() < 1e15 {
        true => format!("{value}"),
        false => {
            let text = format!("{value:.4e}");
            let back: f64 = text.parse().unwrap_or(value);
            match (1e-3..1e6).contains(&value.abs()) {
                true => format!("{back}"),
                false => text,
            }
        }
    }
}

/// Mean, median and extremes of a column.
fn spread(column: Option<&[f64]>) -> String {
    let mut values: Vec<f64> = column.unwrap_or_default().to_vec();
    values.retain(|v| v.is_finite());
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else {
        return "unknown".to_owned();
    };
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    format!(
        "median {}, mean {mean:.1}, 95th percentile {}, from {least} to {most}",
        at(0.5),
        at(0.95)
    )
}

fn figure(plot: &Plot) -> String {
    let Some((svg, lost)) = plot.svg() else {
        let why = match plot.curves.is_empty() {
            true => "this folder has no data for it",
            false => {
                "no figure of it can be drawn (none is finite, or, on a logarithmic axis, positive)"
            }
        };
        return absent(&plot.title, why);
    };
    let mut keys = String::new();
    for (k, curve) in plot.curves.iter().enumerate() {
        let sign = if curve.marks { "&#9679;" } else { "&#9473;" };
        let name = escaped(&curve.name);
        let colour = k % COLOURS;
        let _ = write!(
            keys,
            "<span><b style=\"color:var(--c{colour})\">{sign}</b> {name}</span> "
        );
    }
    let note = [plot.note.as_str(), &lost].join(" ");
    let note = match note.trim() {
        "" => String::new(),
        note => format!("<p>{}</p>", escaped(note)),
    };
    format!(
        "<figure class=\"plot\"><h3>{}</h3>\n{svg}<figcaption>{keys}{note}</figcaption></figure>\n",
        escaped(&plot.title)
    )
}

fn absent(title: &str, why: &str) -> String {
    format!(
        "<figure class=\"absent\"><h3>{}</h3><p>Not shown: {}.</p></figure>\n",
        escaped(title),
        escaped(why)
    )
}

fn rows(lines: &[(String, String)]) -> String {
    let mut table = "<div class=\"scroll\"><table>\n".to_owned();
    for (key, value) in lines {
        let _ = writeln!(
            table,
            "<tr><th>{}</th><td>{}</td></tr>",
            escaped(key),
            escaped(value)
        );
    }
    table.push_str("</table></div>\n");
    table
}

/// Text escaped for HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
