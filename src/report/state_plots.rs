//! Plots and pictures of the newest state of a run.

use super::plot::{Curve, Plot};
use super::state::State;
use crate::measure::{
    Side, WearOf, Window, branch_moments, carries, force_bin, force_counts, force_sums,
};
use crate::render::{Clip, Colour, Fit, View, direction, draw};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Most slabs of the profile of stress.
const MOST_SLABS: usize = 30;

/// Pixels of a picture on the page.
const SIZE: [usize; 2] = [960, 720];

/// The window of the whole domain.
fn everywhere(state: &State) -> Window {
    let scenario = &state.scenario;
    Window::new(
        None,
        (&scenario.lower, &scenario.upper),
        scenario.periodic,
        scenario.two_dimensional,
    )
}

/// The distribution of normal forces in the state: density of `f/<f>`.
///
/// `None` if no contact carries a force.
pub(super) fn force_curve(state: &State) -> Option<Curve> {
    let (window, contacts) = (everywhere(state), &state.loaded.contacts);
    let (count, sums) = force_sums(contacts, &window);
    if count == 0 {
        return None;
    }
    let means = sums.map(|sum| sum.value() / count as f64);
    let (counts, _) = force_counts(contacts, &window, means);
    let bins = counts.normal.iter().enumerate().map(|(bin, n)| {
        let (low, high) = force_bin(bin);
        [
            0.5 * (low + high),
            *n as f64 / (count as f64 * (high - low)),
        ]
    });
    let inner: Vec<[f64; 2]> = bins.filter(|p| p[0].is_finite()).collect();
    // Empty bins beyond the last filled one are left out.
    let last = inner.iter().rposition(|p| p[1] > 0.0)?;
    let points = inner[..=last].to_vec();
    let step = state.loaded.header.step;
    let mut curve = Curve::new(&format!("checkpoint, step {step}"), points);
    curve.marks = true;
    Some(curve)
}

/// Stress in slabs across the axis nearest to that of gravity.
///
/// `None` if no contact carries a force.
pub(super) fn stress(state: &State) -> Option<Plot> {
    let (bodies, contacts) = (&state.loaded.bodies, &state.loaded.contacts);
    if !contacts.iter().any(carries) {
        return None;
    }
    let axis = state.up().iamax();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut radii = 0.0;
    let templates = &state.scenario.templates;
    for body in bodies {
        for ball in body.balls(templates) {
            low = low.min(ball.centre[axis] - ball.radius);
            high = high.max(ball.centre[axis] + ball.radius);
        }
        radii += body.radius;
    }
    low = low.max(state.scenario.lower[axis]);
    high = high.min(state.scenario.upper[axis]);
    if high <= low {
        return None;
    }
    let diameter = 2.0 * radii / bodies.len().max(1) as f64;
    let slabs = ((high - low) / (2.0 * diameter)).clamp(1.0, MOST_SLABS as f64) as usize;
    let whole = everywhere(state);
    let side = Side::among(bodies, templates, state.loaded.header.dt);
    let mut curves: Vec<Curve> = (0..3)
        .filter(|a| !(state.scenario.two_dimensional && *a == 2))
        .map(|a| {
            let letter = ["x", "y", "z"][a];
            Curve::new(&format!("σ_{letter}{letter}"), Vec::new())
        })
        .collect();
    let mut shear = Curve::new("σ_xy", Vec::new());
    let edge = |k: usize| low + (high - low) * k as f64 / slabs as f64;
    for k in 0..slabs {
        let window = whole.slab(axis, edge(k), edge(k + 1));
        let moments = branch_moments(contacts, &window, &side);
        let stress = moments.map(|m| m.value() / (window.volume() * state.loaded.header.dt));
        let middle = 0.5 * (edge(k) + edge(k + 1));
        for (a, curve) in curves.iter_mut().enumerate() {
            curve.points.push([middle, stress[4 * a]]);
        }
        shear.points.push([middle, stress[1]]);
    }
    if state.scenario.two_dimensional {
        curves.push(shear);
    }
    let letter = ["x", "y", "z"][axis];
    Some(Plot {
        title: "Stress in slabs of the newest state, compression positive [Pa]".to_owned(),
        x: format!("{letter} [m]"),
        curves,
        note: format!(
            "Love-Weber stress of contacts in {slabs} slabs across {letter}, over the whole width of the domain."
        ),
        ..Plot::default()
    })
}

/// A picture on the page: its caption, and the PNG in base 64.
pub(super) struct Shown {
    pub(super) title: String,
    pub(super) png: String,
}

/// Pictures of the state: speeds, pressures, forces.
pub(super) fn pictures(state: &State) -> Vec<Result<Shown, String>> {
    let flat = state.scenario.two_dimensional;
    let (from, up) = direction(if flat { "z" } else { "iso" }).unwrap_or_default();
    let view = View {
        size: SIZE,
        from,
        up,
        ..View::default()
    };
    let carrying = state.loaded.contacts.iter().any(carries);
    let mut wanted = vec![("Bodies by speed".to_owned(), view.clone())];
    if carrying {
        let colour = Colour::Pressure;
        let pressed = View {
            colour,
            map: crate::render::Map::Plasma,
            ..view.clone()
        };
        wanted.push(("Bodies by pressure".to_owned(), pressed));
        wanted.push(network(state, view.clone()));
    }
    if state.has_wear() {
        let colour = Colour::Wall(WearOf::Sliding);
        let worn = View {
            colour,
            map: crate::render::Map::Inferno,
            walls: crate::render::Walls::Solid,
            ..view
        };
        wanted.push(("Mesh walls by sliding work".to_owned(), worn));
    }
    let show = |(title, view): (String, View)| {
        let png = draw(&state.scene_for(&view), &view).and_then(|picture| picture.png());
        let png = png.map_err(|e| format!("{title}: {e}"))?;
        let png = BASE64_STANDARD.encode(png);
        Ok(Shown { title, png })
    };
    wanted.into_iter().map(show).collect()
}

/// The forces at contacts: of all discs, or of balls in a slab.
///
/// The slab goes from front to back in the middle; its forces can be distinguished.
fn network(state: &State, mut view: View) -> (String, View) {
    (view.contacts, view.fit) = (true, Fit::Bodies);
    view.map = crate::render::Map::Cividis;
    if state.scenario.two_dimensional {
        return ("Forces at contacts".to_owned(), view);
    }
    let bodies = &state.loaded.bodies;
    let axis = if state.up().iamax() == 1 { 0 } else { 1 };
    let mut places: Vec<f64> = bodies.iter().map(|b| b.position[axis]).collect();
    let half = places.len() / 2;
    let middle = *places.select_nth_unstable_by(half, f64::total_cmp).1;
    let radii: f64 = bodies.iter().map(|b| b.radius).sum();
    let thick = 3.0 * radii / bodies.len().max(1) as f64;
    let cut = |at: f64, below: bool| Clip { axis, at, below };
    view.clips = vec![cut(middle + thick, true), cut(middle - thick, false)];
    let name = if axis == 1 { "y" } else { "x" };
    (view.from, view.up) = direction(name).unwrap_or((view.from, view.up));
    let title = format!("Forces at contacts in a slab three bodies thick across {name}");
    (title, view)
}
