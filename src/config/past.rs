//! Keys that describe the past of a run, which a run that continues may not change.

use super::fault::UNSET;

/// The reason why a key may not change while a run continues; `None` if it may.
///
/// With such a change the run would be as if it had been another one from its start.
pub(super) fn of(key: &str) -> Option<&'static str> {
    let parts: Vec<&str> = key.split('.').collect();
    Some(match parts.as_slice() {
        // Keys that describe how bodies are made have no effect any more.
        ["bodies", ..] | ["material", _, "density"] => {
            "the bodies are those of the checkpoint; must be a key of something other than bodies"
        }
        ["domain", "dimensions"] => {
            "the bodies of the checkpoint are balls or discs from their start; must be another key"
        }
        // Bodies and walls know their material by its number.
        ["material", _, "name"] => {
            "bodies have the materials of the checkpoint by number; must be another key"
        }
        // Clumps have the form with which they were made.
        ["template", ..] => {
            "clumps have the form of the checkpoint's templates; must be another key"
        }
        ["support", _, "region"] => "supports hold the bodies of their start; must be another key",
        // Radii grow by the rest of the growth that they began with.
        ["growth", ..] => "bodies have grown as the configuration said; must be another key",
        // The bodies due are counted from the time at which an inlet opened.
        ["inlet"]
        | ["inlet", _]
        | [
            "inlet",
            _,
            "rate" | "mass_rate" | "radius" | "template" | "material" | "from" | "until",
            ..,
        ] => {
            "bodies have come in as the configuration said; must be another key of the inlet, as count, which ends it"
        }
        _ => return None,
    })
}

/// The reason why `--set` of a key is refused while a run continues.
///
/// # Errors
/// The override with the reason.
pub fn may_be_set(set: &str) -> Result<(), String> {
    let key = set.split('=').next().unwrap_or(set).trim();
    let (option, key) = match key.strip_prefix(UNSET) {
        Some(key) => (format!("--unset {key}"), key),
        None => (format!("--set {set}"), key),
    };
    match of(key) {
        Some(why) => Err(format!("{option}: {why}")),
        None => Ok(()),
    }
}
