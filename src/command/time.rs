//! Times as arguments.

/// A time that a run can end at.
pub(super) fn time(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(t) if f64::is_finite(t) && t >= 0.0 => Ok(t),
        _ => Err("accepted: a time in seconds, 0 or more".to_owned()),
    }
}
