//! The legend of a picture: a colour bar with its values, or swatches with names, and a caption
//! below.

use super::view::View;
use super::{Colour, Picture, Scene};
use crate::math::as_written;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

const INK: [u8; 3] = [40, 44, 52];

/// Signs that must fit next to the colour bar, and in the name above it.
const SIGNS: usize = 9;

/// Smallest picture that has a legend.
const LEAST: [usize; 2] = [320, 200];

/// Whether a picture has a legend.
pub(super) fn fits(view: &View) -> bool {
    view.legend && view.size[0] >= LEAST[0] && view.size[1] >= LEAST[1]
}

/// Height of the letters of a picture of this size.
fn letters(size: [usize; 2]) -> RasterHeight {
    match size[0].min(size[1]) {
        0..480 => RasterHeight::Size16,
        480..700 => RasterHeight::Size20,
        700..1800 => RasterHeight::Size24,
        _ => RasterHeight::Size32,
    }
}

fn sign_width(size: [usize; 2]) -> usize {
    get_raster_width(FontWeight::Regular, letters(size))
}

/// Most signs of a name next to a swatch, and the part of the width that they may take.
const LONGEST: usize = 24;
const WIDEST: usize = 3;

/// Most swatches for whole numbers; more of them have a colour bar.
const MOST_NUMBERS: usize = 16;

/// The names of categories, with their values; `None`: the colours have a bar.
fn categories(scene: &Scene, view: &View, [low, high]: [f64; 2]) -> Option<Vec<(f64, String)>> {
    let names: Vec<(f64, String)> = match view.colour {
        _ if view.contacts => return None,
        Colour::Material => (scene.materials.iter().enumerate())
            .map(|(k, name)| (k as f64, name.clone()))
            .collect(),
        Colour::Coordination if high - low < MOST_NUMBERS as f64 => {
            let numbers = low.ceil() as i64..=high.floor() as i64;
            numbers.map(|k| (k as f64, k.to_string())).collect()
        }
        _ => return None,
    };
    (!names.is_empty()).then_some(names)
}

/// Width of the column of the colour bar or of the swatches.
pub(super) fn column(scene: &Scene, view: &View) -> usize {
    let (letter, sign) = (letters(view.size).val(), sign_width(view.size));
    let usual = sign * SIGNS + 2 * letter;
    if view.contacts || view.colour != Colour::Material {
        return usual;
    }
    let signs = scene.materials.iter().map(|name| name.chars().count());
    let signs = signs.max().unwrap_or(0).min(LONGEST);
    (sign * signs + 3 * letter).clamp(usual, usual.max(view.size[0] / WIDEST))
}

/// Height of the strip of the caption.
pub(super) fn strip(size: [usize; 2]) -> usize {
    letters(size).val() * 3 / 2
}

/// Writes the legend to the right of and below the scene.
pub(super) fn write(picture: &mut Picture, scene: &Scene, view: &View, range: [f64; 2]) {
    let size = picture.size;
    let (letter, sign) = (letters(size).val(), sign_width(size));
    let (name, unit) = match view.contacts {
        true => ("force", "N"),
        false => view.colour.name(),
    };
    let left = size[0] - column(scene, view);
    let unit = match unit {
        "" => String::new(),
        unit => format!("[{unit}]"),
    };
    // A long name begins further left.
    let start = (left + letter / 2).min(size[0].saturating_sub(sign * name.len() + letter / 4));
    text(picture, start, letter / 2, name);
    text(picture, left + letter / 2, letter * 3 / 2, &unit);
    let (top, bottom) = (letter * 13 / 4, size[1] - strip(size) - letter);
    let bar = left + letter / 2;
    match categories(scene, view, range) {
        Some(names) => swatches(picture, view, range, &names, [bar, top, bottom]),
        None => colours(picture, view, range, [bar, top, bottom]),
    }
    let caption = size[1] - strip(size) + letter / 4;
    let room = (size[0] - letter) / sign;
    let line = shortened(scene.caption, room);
    text(picture, letter / 2, caption, &line);
}

/// The colour bar with its values, from a column on, between two rows.
fn colours(
    picture: &mut Picture,
    view: &View,
    [low, high]: [f64; 2],
    [bar, top, bottom]: [usize; 3],
) {
    let letter = letters(picture.size).val();
    let height = (bottom - top) as f64;
    for y in top..bottom {
        let share = (bottom - y) as f64 / height;
        for x in bar..bar + letter {
            picture.blend(x, y, view.map.of(share), 1.0);
        }
    }
    let whole = !view.contacts && view.colour.is_whole();
    for value in ticks(low, high, (bottom - top) / (3 * letter), whole) {
        let share = (value - low) / (high - low);
        let y = bottom - (share * height).round() as usize;
        for x in bar + letter..bar + letter + letter / 3 {
            picture.blend(x, y.min(bottom - 1), INK, 1.0);
        }
        let words = written(value, (high - low).max(high.abs()).max(low.abs()));
        let y = y.saturating_sub(letter / 2);
        text(picture, bar + letter + letter / 2, y, &words);
    }
}

/// A swatch and a name for each category, from a column on, between two rows.
///
/// Those without room are counted in the last row.
fn swatches(
    picture: &mut Picture,
    view: &View,
    [low, high]: [f64; 2],
    names: &[(f64, String)],
    [bar, top, bottom]: [usize; 3],
) {
    let (letter, sign) = (letters(picture.size).val(), sign_width(picture.size));
    let step = letter * 3 / 2;
    let rows = ((bottom - top) / step).max(1);
    let shown = if names.len() > rows {
        rows - 1
    } else {
        names.len()
    };
    let start = bar + letter + letter / 2;
    let room = (picture.size[0] - start) / sign;
    for (k, (value, name)) in names[..shown].iter().enumerate() {
        let (y, colour) = (top + k * step, view.map.of((value - low) / (high - low)));
        for (dy, dx) in (0..letter).flat_map(|dy| (0..letter).map(move |dx| (dy, dx))) {
            let rim = [dx, dy].iter().any(|d| *d == 0 || *d == letter - 1);
            picture.blend(bar + dx, y + dy, if rim { INK } else { colour }, 1.0);
        }
        text(picture, start, y, &shortened(name, room));
    }
    if shown < names.len() {
        let more = format!("+{} more", names.len() - shown);
        text(picture, bar, top + shown * step, &more);
    }
}

/// A text of at most this many signs, with dots where it is cut.
fn shortened(words: &str, room: usize) -> String {
    match words.chars().count() > room {
        true => (words.chars().take(room.saturating_sub(3)))
            .chain("...".chars())
            .collect(),
        false => words.to_owned(),
    }
}

/// Round numbers in a range, between one and about `most`; `whole`: integers only.
pub(super) fn ticks(low: f64, high: f64, most: usize, whole: bool) -> Vec<f64> {
    let rough = (high - low) / most.max(1) as f64;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let mut step = steps
        .into_iter()
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(rough);
    if whole {
        step = step.max(1.0);
    }
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    if !(step.is_finite() && step > 0.0 && last - first < 1e3) {
        return vec![low];
    }
    let count = (last - first).max(-1.0) as i64 + 1;
    let values: Vec<f64> = (0..count)
        .map(|k| as_written((first + k as f64) * step))
        .collect();
    if values.is_empty() { vec![low] } else { values }
}

/// A number in few signs, with digits by the largest size of its kind.
fn written(value: f64, size: f64) -> String {
    let value = as_written(value);
    let plain = format!("{value}");
    if value != 0.0 && !(1e-3..1e5).contains(&size) || plain.len() > SIGNS {
        let short = format!("{value:e}");
        match short.len() > SIGNS {
            true => format!("{value:.2e}"),
            false => short,
        }
    } else {
        plain
    }
}

/// Writes text with its upper left corner at a pixel. Signs missing in the font become question
/// marks.
fn text(picture: &mut Picture, x: usize, y: usize, words: &str) {
    let height = letters(picture.size);
    let mut left = x;
    for sign in words.chars() {
        let raster = get_raster(sign, FontWeight::Regular, height)
            .or_else(|| get_raster('?', FontWeight::Regular, height));
        if let Some(raster) = raster {
            for (dy, row) in raster.rows().enumerate() {
                for (dx, cover) in row.iter().enumerate().filter(|(_, cover)| **cover > 0) {
                    picture.blend(left + dx, y + dy, INK, f64::from(*cover) / 255.0);
                }
            }
            left += raster.width();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_beside_the_colour_bar() {
        assert_eq!(ticks(0.0, 1.0, 5, false), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(-0.3, 1.1e-2, 3, false), [-0.2, 0.0]);
        assert_eq!(ticks(0.0, 3.0, 10, true), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(1e-9, 1.1e-9, 2, false), [1e-9, 1.05e-9, 1.1e-9]);
        for [low, high] in [[0.0, f64::MAX], [1.0, 1.0 + 1e-15], [-1e300, 1e300]] {
            let found = ticks(low, high, 5, false);
            assert!(!found.is_empty() && found.len() < 20, "{found:?}");
        }
    }
}
