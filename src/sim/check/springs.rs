//! Pairs of materials with springs: their softness, and their collisions.

use super::super::sizes::Sizes;
use crate::config::Scenario;
use crate::law::{Damping, Pair};

/// One line on the springs of each such pair, and one on its restitution.
pub(super) fn lines(scenario: &Scenario, sizes: &Sizes) -> Vec<String> {
    let pairs = compliant(scenario, sizes).into_iter();
    let of_pair = |(names, pair, share): (String, &Pair, f64)| {
        let soft = softness(&names, pair, scenario, sizes, share);
        [Some(soft), impact(&names, pair, scenario, sizes, share)]
    };
    let linear = pairs.flat_map(of_pair).flatten();
    let curved = present(scenario, |pair| pair.hertz.is_some()).into_iter();
    let impacts = curved
        .filter_map(|(names, pair, share)| impact_of_spheres(&names, pair, scenario, sizes, share));
    linear.chain(impacts).collect()
}

/// Pairs of materials that have springs, by name, at least one of which bodies have.
pub(super) fn compliant<'a>(scenario: &'a Scenario, sizes: &Sizes) -> Vec<(String, &'a Pair, f64)> {
    present(scenario, |pair| pair.compliance([sizes.smallest; 2]) > 0.0)
}

/// Pairs of materials of this kind, by name, at least one of which bodies have.
///
/// With each stands the share of a body's mass that matters: the whole one against a wall, half of
/// it between two bodies.
fn present(scenario: &Scenario, wanted: impl Fn(&Pair) -> bool) -> Vec<(String, &Pair, f64)> {
    let mut found = Vec::new();
    for (a, one) in scenario.materials.iter().enumerate() {
        for (b, other) in scenario.materials.iter().enumerate().skip(a) {
            let pair = scenario.laws.pairs.between(a as u32, b as u32);
            let has_bodies = |k: usize| {
                let samples = scenario.samples.iter();
                samples.into_iter().any(|s| s.may_have(k as u32))
            };
            let (first, second) = (has_bodies(a), has_bodies(b));
            if wanted(pair) && (first || second) {
                let names = format!("{} on {}", one.name, other.name);
                let share = if first && second { 0.5 } else { 1.0 };
                found.push((names, pair, share));
            }
        }
    }
    found
}

/// The softness `c = C m_n/Δt²`, the spring's share in the inverse mass, above which sweeps are few
/// for any number of bodies.
const EASY: f64 = 0.03;

fn softness(names: &str, pair: &Pair, scenario: &Scenario, sizes: &Sizes, share: f64) -> String {
    let dt = scenario.pace.at_most();
    let radius = 0.5 * (sizes.smallest + sizes.largest);
    let m_n = share * 0.5 * (sizes.masses[0] + sizes.masses[1]);
    let compliance = pair.compliance([radius; 2]);
    let c = compliance * m_n / (dt * dt);
    let overlap = compliance * weight(scenario, sizes) / radius;
    format!(
        "soft       {names}: k_n {:.3e} N/m, c = m_n/(k_n dt²) = {c:.2e} for a body of middle size; under the bodies' own weight, without walls and \
         loads, an overlap of about {overlap:.1e} r; \
         time.dt allows k_n up to {:.1e} N/m at c = {EASY}",
        1.0 / compliance,
        m_n / (EASY * dt * dt)
    )
}

/// The restitution of a pair: by a dashpot, or by Newton's law where collisions are short.
fn impact(
    names: &str,
    pair: &Pair,
    scenario: &Scenario,
    sizes: &Sizes,
    share: f64,
) -> Option<String> {
    let damping = pair.damping()?;
    let dt = scenario.pace.at_most();
    // The shortest collision: that of the lightest bodies.
    let compliance = pair.compliance([sizes.smallest; 2]);
    let x = dt / (compliance * share * sizes.masses[0]).sqrt();
    let steps = std::f64::consts::PI / x;
    let by = match Damping::resolves(x) {
        true => format!("a dashpot of damping ratio {:.3}", damping.ratio()),
        false => "Newton's law in the first step, as a dashpot needs ten".to_owned(),
    };
    Some(format!(
        "impact     {names}: the shortest collision lasts {steps:.2} steps; restitution {} by {by}",
        pair.restitution
    ))
}

/// The restitution of a pair with Hertz's law: by a dashpot, or by Newton's law in fast collisions,
/// which are short.
fn impact_of_spheres(
    names: &str,
    pair: &Pair,
    scenario: &Scenario,
    sizes: &Sizes,
    share: f64,
) -> Option<String> {
    let (damping, hertz) = (pair.damping()?, pair.hertz?);
    // The shortest collision: that of the lightest bodies.
    let stiffness = hertz.normal(share * sizes.smallest);
    let speed = Damping::fastest(stiffness, share * sizes.masses[0], scenario.pace.at_most());
    Some(format!(
        "impact     {names}: restitution {} by a dashpot of damping ratio {:.3} in collisions \
         slower than {speed:.2e} m/s, by Newton's law in the first step of faster ones, which last \
         some 10 to 13 steps at most",
        pair.restitution,
        damping.ratio()
    ))
}

/// The force of the weight of all bodies on one at the bottom [N].
pub(super) fn weight(scenario: &Scenario, sizes: &Sizes) -> f64 {
    let g = scenario.gravity.norm();
    let radius = 0.5 * (sizes.smallest + sizes.largest);
    // The weight of all bodies rests on one layer at the bottom, shared by those that fit there
    // side by side.
    let up = if g > 0.0 { scenario.gravity.iamax() } else { 2 };
    let extent = scenario.upper - scenario.lower;
    let sides = (0..3).filter(|&a| a != up && !(scenario.two_dimensional && a == 2));
    let below: f64 = sides
        .map(|a| (extent[a] / (2.0 * radius)).max(1.0))
        .product();
    sizes.mass * g / below
}
