//! Times as arguments.

/// A time at which a run can end.
pub(super) fn time(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(t) if f64::is_finite(t) && t >= 0.0 => Ok(t),
        _ => Err("must be a time in seconds, 0 or more".to_owned()),
    }
}
