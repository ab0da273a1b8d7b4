//! Figures of the validation catalogue: checked, and noted where a run asks for it.

use std::io::Write;

/// Checks a measured figure against the expected one. Where the variable `MOREAU_VALIDATION` names a file, the figure is added
/// to it as a line `label,what,measured,expected,tolerance,pass`: `jobs/validate.sh` makes its table of them.
pub fn record(label: &str, what: &str, measured: f64, expected: f64, tolerance: f64) {
    let pass = (measured - expected).abs() <= tolerance;
    if let Some(path) = std::env::var_os("MOREAU_VALIDATION") {
        let mut line = csv::Writer::from_writer(Vec::new());
        let figures = [measured, expected, tolerance].map(|x| format!("{x:.6e}"));
        let [measured, expected, tolerance] = &figures;
        let pass = if pass { "yes" } else { "no" };
        line.write_record([label, what, measured, expected, tolerance, pass])
            .unwrap();
        // In one piece, as tests run beside each other.
        let mut file = std::fs::File::options()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(&line.into_inner().unwrap()).unwrap();
    }
    assert!(
        pass,
        "{label}: {what}: {measured:e}, expected {expected:e} ± {tolerance:e}"
    );
}

/// The same for what holds or does not.
pub fn record_fact(label: &str, what: &str, holds: bool) {
    record(label, what, f64::from(u8::from(holds)), 1.0, 0.0);
}
