//! The legend of a picture: a colour bar with its values, and a caption below.

use super::view::View;
use super::{Picture, Scene};
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

/// Width of the column of the colour bar.
pub(super) fn column(size: [usize; 2]) -> usize {
    let letter = letters(size).val();
    sign_width(size) * SIGNS + 2 * letter
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
    let left = size[0] - column(size);
    let unit = match unit {
        "" => String::new(),
        unit => format!("[{unit}]"),
    };
    // A long name begins further left.
    let start = (left + letter / 2).min(size[0].saturating_sub(sign * name.len() + letter / 4));
    text(picture, start, letter / 2, name);
    text(picture, left + letter / 2, letter * 3 / 2, &unit);
    let (top, bottom) = (letter * 13 / 4, size[1] - strip(size) - letter);
    let (bar, height) = (left + letter / 2, (bottom - top) as f64);
    let [low, high] = range;
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
    let caption = size[1] - strip(size) + letter / 4;
    let room = (size[0] - letter) / sign;
    let line: String = match scene.caption.chars().count() > room {
        true => (scene.caption.chars().take(room.saturating_sub(3)))
            .chain("...".chars())
            .collect(),
        false => scene.caption.to_owned(),
    };
    text(picture, letter / 2, caption, &line);
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
