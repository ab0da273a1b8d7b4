//! Curves as SVG for a page: drawn by `plotters`, in colours that the page's style sheet chooses.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// A plot of curves over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plot {
    /// The title: the quantity, with its unit.
    pub(super) title: String,
    /// The label of the axis below.
    pub(super) x: String,
    pub(super) curves: Vec<Curve>,
    /// Values with a name, drawn across.
    pub(super) levels: Vec<(f64, String)>,
    /// Whether the axis upwards is logarithmic.
    pub(super) log: bool,
    /// Whether that axis begins at zero.
    pub(super) from_zero: bool,
    /// A note below the plot.
    pub(super) note: String,
}

/// A curve, or marks without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<[f64; 2]>,
    pub(super) marks: bool,
}

impl Curve {
    pub(super) fn new(name: &str, points: Vec<[f64; 2]>) -> Self {
        Self {
            name: name.to_owned(),
            points,
            marks: false,
        }
    }
}

/// Bins along the axis, each of which keeps its least and its largest value.
pub(super) const BINS: usize = 400;

/// Most marks of a curve of marks.
pub(super) const MOST_MARKS: usize = 500;

/// Number of colours of a page for curves.
pub(super) const COLOURS: usize = 8;

/// Pixels, two to one of a page of usual size, as the library only supports whole ones.
const SIZE: (u32, u32) = (960, 520);
const LETTERS: f64 = 31.0;

/// Placeholders for the colours of the page's style sheet.
const INK: RGBColor = RGBColor(1, 1, 1);
const GRID: RGBColor = RGBColor(2, 2, 2);
const LEVEL: RGBColor = RGBColor(3, 3, 3);

fn curve_colour(k: usize) -> RGBColor {
    RGBColor(16 + (k % COLOURS) as u8, 0, 0)
}

/// Whether a value can be drawn: beyond the bound, differences would be infinite.
fn can_be_drawn(x: f64) -> bool {
    x.abs() < 1e300
}

impl Plot {
    /// The picture, and a note on values that could not be drawn. `None`: an empty plot.
    pub(super) fn svg(&self) -> Option<(String, String)> {
        let (mut lost, mut runs) = (0, Vec::new());
        for (k, curve) in self.curves.iter().enumerate() {
            let (found, missing) = split(&curve.points, self.log);
            lost += missing;
            runs.extend(found.into_iter().map(|run| (k, run)));
        }
        let all = || runs.iter().flat_map(|(_, run)| run.iter());
        let x = span(all().map(|p| p[0]))?;
        let levels = self.levels.iter().map(|(value, _)| *value);
        let usable = |y: &f64| can_be_drawn(*y) && (!self.log || *y > 0.0);
        let zero = (self.from_zero && !self.log).then_some(0.0);
        let ys = all().map(|p| p[1]).chain(levels.filter(usable)).chain(zero);
        let y = span(ys)?;
        let x = widened(x, 0.0);
        let thinned: Vec<(usize, Vec<[f64; 2]>)> = runs
            .into_iter()
            .map(|(k, run)| match self.curves[k].marks {
                true => (k, some_of(run)),
                false => (k, thin(run, x)),
            })
            .collect();
        let mut svg = String::new();
        let drawn = match self.log {
            true => {
                let y = (0.8 * y[0]).max(1e-300)..1.25 * y[1];
                self.draw(&mut svg, x[0]..x[1], Decades(y.clone()), y, &thinned)
            }
            false => {
                let y = widened(y, 0.05);
                // The axis starts at zero if no value is negative.
                let low = if zero.is_some() { y[0].max(0.0) } else { y[0] };
                let y = low..y[1];
                let axis: plotters::coord::types::RangedCoordf64 = y.clone().into();
                self.draw(&mut svg, x[0]..x[1], axis, y, &thinned)
            }
        };
        drawn.ok()?;
        let lost = match (lost, self.log) {
            (0, _) => String::new(),
            (n, true) => format!("Left out, as zero, negative or no finite number: {n}."),
            (n, false) => format!("Left out, as no finite number: {n}."),
        };
        Some((themed(&svg), lost))
    }

    fn draw<Y: Ranged<ValueType = f64> + ValueFormatter<f64>>(
        &self,
        svg: &mut String,
        x: Range<f64>,
        axis: Y,
        y: Range<f64>,
        runs: &[(usize, Vec<[f64; 2]>)],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let text = |colour: &RGBColor| ("sans-serif", LETTERS).into_font().color(colour);
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let x_axis: plotters::coord::types::RangedCoordf64 = x.clone().into();
        let mut chart = ChartBuilder::on(&root)
            .margin_top(16)
            .margin_right(36)
            .margin_bottom(4)
            .x_label_area_size(74)
            .y_label_area_size(118)
            .build_cartesian_2d(Axis(x_axis), axis)?;
        chart
            .configure_mesh()
            .x_labels(7)
            .y_labels(7)
            .x_label_formatter(&|v| short(*v, x.end - x.start))
            .y_label_formatter(&|v| match self.log {
                true => short(*v, *v),
                false => short(*v, y.end - y.start),
            })
            .x_desc(self.x.clone())
            .axis_desc_style(text(&INK))
            .label_style(text(&INK))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (value, name) in &self.levels {
            if !(y.start..=y.end).contains(value) {
                continue;
            }
            let ends = [(x.start, *value), (x.end, *value)];
            chart.draw_series(DashedLineSeries::new(ends, 10, 8, LEVEL.stroke_width(2)))?;
            let high = *value > y.start + 0.8 * (y.end - y.start);
            let shift = if high && !self.log { 32 } else { -6 };
            let label = Text::new(name.clone(), (8, shift - 24), text(&LEVEL));
            chart.draw_series(std::iter::once(EmptyElement::at((x.start, *value)) + label))?;
        }
        for (k, run) in runs {
            let colour = curve_colour(*k);
            let points = run.iter().map(|p| (p[0], p[1]));
            if self.curves[*k].marks || run.len() == 1 {
                chart.draw_series(points.map(|p| Circle::new(p, 6, colour.filled())))?;
            } else {
                chart.draw_series(LineSeries::new(points, colour.stroke_width(3)))?;
            }
        }
        root.present()?;
        Ok(())
    }
}

/// A linear axis whose labels are not formatted twice.
struct Axis(plotters::coord::types::RangedCoordf64);

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.0.map(value, limit)
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        self.0.key_points(hint)
    }

    fn range(&self) -> Range<f64> {
        self.0.range()
    }
}

impl ValueFormatter<f64> for Axis {}

/// A logarithmic axis with marks at powers of ten.
///
/// Within less than two decades the marks are at 1, 2 and 5 times these.
struct Decades(Range<f64>);

impl Ranged for Decades {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value / self.0.start).log10() / (self.0.end / self.0.start).log10();
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        let [first, last] = [self.0.start.log10().ceil(), self.0.end.log10().floor()];
        let most = hint.max_num_points().max(2) as f64;
        let each = ((last - first + 1.0) / most).ceil().max(1.0);
        let digits: &[f64] = match last - first < 2.0 {
            true => &[1.0, 2.0, 5.0],
            false => &[1.0],
        };
        let start = (first / each).ceil() * each - if digits.len() > 1 { 1.0 } else { 0.0 };
        let count = ((last - start) / each).floor().max(0.0) as i32;
        (0..=count)
            .flat_map(|k| {
                let power = start + f64::from(k) * each;
                digits.iter().map(move |digit| digit * 10f64.powf(power))
            })
            .filter(|v| *v >= self.0.start * 0.999 && *v <= self.0.end * 1.001)
            .collect()
    }

    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Decades {}

/// Smallest and largest of some numbers; `None` without numbers.
fn span(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.fold(None, |range: Option<[f64; 2]>, v| {
        Some(range.map_or([v, v], |[low, high]| [low.min(v), high.max(v)]))
    })
}

/// A range with some room at both ends, and never empty.
fn widened([low, high]: [f64; 2], room: f64) -> [f64; 2] {
    let size = high - low;
    let least = 1e-6 * low.abs().max(high.abs());
    if size > least {
        return [low - room * size, high + room * size];
    }
    match low.abs().max(high.abs()) {
        0.0 => [-1.0, 1.0],
        size => [low - 0.1 * size, high + 0.1 * size],
    }
}

/// Runs of points that can be drawn, and the number of other points.
pub(super) fn split(points: &[[f64; 2]], log: bool) -> (Vec<Vec<[f64; 2]>>, usize) {
    let good = |p: &[f64; 2]| p.iter().all(|c| can_be_drawn(*c)) && (!log || p[1] > 1e-290);
    let runs: Vec<Vec<[f64; 2]>> = points
        .split(|p| !good(p))
        .filter(|run| !run.is_empty())
        .map(<[_]>::to_vec)
        .collect();
    let kept: usize = runs.iter().map(Vec::len).sum();
    (runs, points.len() - kept)
}

/// The least and the largest value in each bin of a long run, in their order, and both ends.
///
/// So no peak is lost.
pub(super) fn thin(run: Vec<[f64; 2]>, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    if run.len() <= 2 * BINS {
        return run;
    }
    let bin = |p: &[f64; 2]| ((p[0] - from) / (to - from) * BINS as f64) as usize;
    let mut thinned = Vec::new();
    let last = run.len() - 1;
    let mut k = 0;
    while k <= last {
        let (mut least, mut most, mut end) = (k, k, k);
        while end <= last && bin(&run[end]) == bin(&run[k]) {
            if run[end][1] < run[least][1] {
                least = end;
            }
            if run[end][1] > run[most][1] {
                most = end;
            }
            end += 1;
        }
        let mut kept = vec![least, most];
        if k == 0 {
            kept.push(0);
        }
        if end > last {
            kept.push(last);
        }
        kept.sort_unstable();
        kept.dedup();
        thinned.extend(kept.into_iter().map(|at| run[at]));
        k = end;
    }
    thinned
}

/// A regular subset of too many marks.
fn some_of(run: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let every = run.len().div_ceil(MOST_MARKS).max(1);
    run.into_iter().step_by(every).collect()
}

/// A number in few signs, with digits for differences of about `size`.
pub(super) fn short(value: f64, size: f64) -> String {
    let magnitude = value.abs().max(size.abs());
    if value.abs() < 1e-9 * size.abs() {
        return "0".to_owned();
    }
    if (1e-2..1e5).contains(&magnitude) {
        let digits = (2.0 - size.abs().log10().floor()).clamp(0.0, 5.0) as usize;
        let text = format!("{value:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        let text = format!("{value:.2e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        format!("{digits}e{power}")
    }
}

/// The picture with the page's colours in place of the placeholders, of any width.
fn themed(svg: &str) -> String {
    let (width, height) = SIZE;
    let mut svg = svg
        .replace(" xmlns=\"http://www.w3.org/2000/svg\"", "")
        .replacen(&format!("width=\"{width}\" height=\"{height}\" "), "", 1)
        .replacen("<svg ", "<svg role=\"img\" ", 1)
        .replace("#010101", "currentColor")
        .replace("#020202", "var(--grid)")
        .replace("#030303", "var(--level)");
    for k in 0..COLOURS {
        let RGBColor(r, g, b) = curve_colour(k);
        let stand_in = format!("#{r:02X}{g:02X}{b:02X}");
        svg = svg.replace(&stand_in, &format!("var(--c{k})"));
    }
    svg
}
