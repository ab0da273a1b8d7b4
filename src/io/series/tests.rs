//! Series that were cut off, resumed, or lack room.

use super::*;

fn row(step: u64) -> Row {
    let x = step as f64;
    Row {
        step,
        time: 0.1 * x,
        residual: 1.0 / 3.0,
        max_overlap: 5e-324,
        converged: step.is_multiple_of(2),
        sweep_s: x,
        ..Row::default()
    }
}

fn series(dir: &tempfile::TempDir, steps: std::ops::RangeInclusive<u64>) -> PathBuf {
    let path = dir.path().join("series.csv");
    let mut series = Series::<Row>::create(&path).unwrap();
    steps.for_each(|step| series.add(&row(step)).unwrap());
    series.flush().unwrap();
    path
}

#[test]
fn the_header_names_the_fields_and_numbers_come_back_to_the_bit() {
    let dir = tempfile::tempdir().unwrap();
    let path = series(&dir, 1..=40);
    let mut by_name = csv::Reader::from_path(&path).unwrap();
    let back: Vec<Row> = by_name.deserialize().map(|r| r.unwrap()).collect();
    assert_eq!(back, (1..=40).map(row).collect::<Vec<_>>());
    let mut named = csv::Writer::from_writer(Vec::new());
    named.serialize(row(1)).unwrap();
    let text = String::from_utf8(named.into_inner().unwrap()).unwrap();
    assert_eq!(text.lines().next(), Some(Row::HEADER));
}

/// A resumed series equals that of an undisturbed run.
///
/// The file of the killed run is cut at every byte, and the run resumes at step 3.
#[test]
fn resume_gives_the_file_of_a_run_that_was_not_killed_wherever_it_was_cut() {
    let dir = tempfile::tempdir().unwrap();
    let whole = std::fs::read(series(&dir, 1..=6)).unwrap();
    let three = std::fs::read(series(&dir, 1..=3)).unwrap().len();
    let path = dir.path().join("series.csv");
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut series = Series::<Row>::resume(&path, 3).unwrap();
        if cut < three {
            // Lines before the checkpoint are lost only if they were not flushed: nothing to add
            // them from.
            series.flush().unwrap();
            assert!(whole.starts_with(&std::fs::read(&path).unwrap()));
            continue;
        }
        (4..=6).for_each(|step| series.add(&row(step)).unwrap());
        series.flush().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            1,
            "no temporary file is left"
        );
    }
}

#[test]
fn a_file_that_is_no_series_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = series(&dir, 1..=4);
    let good = std::fs::read_to_string(&path).unwrap();
    let third = good.lines().nth(2).unwrap();
    let refused = |text: &str, expected: &str| {
        std::fs::write(&path, text).unwrap();
        let error = Series::<Row>::resume(&path, 3).unwrap_err().to_string();
        assert!(
            error.contains("series.csv") && error.contains(expected),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    };
    refused("x,y\n1,2\n", "line 1: must be `step,time");
    refused(&good.replace(third, "2,what"), "line 3:");
    // A crash may damage the last line.
    std::fs::write(&path, format!("{good}\0\0\0\n")).unwrap();
    Series::<Row>::resume(&path, 9).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), good);
    assert!(Series::<Row>::create(&dir.path().join("nowhere/series.csv")).is_err());
}

/// The device that is always full: the failure is an error value, at the latest at the flush.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let file = File::options().write(true).open("/dev/full").unwrap();
    let mut series = Series::<Row>::to(Path::new("/dev/full"), file);
    let written = series.add(&row(1)).and_then(|()| series.flush());
    assert!(
        written
            .unwrap_err()
            .to_string()
            .starts_with("series /dev/full: ")
    );
}

/// Columns known at run time only: counts stay counts, numbers keep their bits, NaN is kept.
///
/// A line with too few columns counts as incomplete, and other columns are refused.
#[test]
fn figures_go_on_under_their_header_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("measure-a.csv");
    let header = "step,time,bodies,mean,none";
    let line = |step: u64| {
        let third = Figure::Amount(step as f64 / 3.0);
        let figures = vec![Figure::Count(7 + step), third, Figure::Amount(f64::NAN)];
        Figures(step, 0.1 * step as f64, figures)
    };
    let mut whole = Series::<Figures>::create_with(&path, header).unwrap();
    (1..=6).for_each(|step| whole.add(&line(step)).unwrap());
    whole.flush().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\n3,0.30000000000000004,10,1.0,NaN\n"),
        "{text}"
    );
    let mut on = Series::<Figures>::resume_with(&path, header, 3).unwrap();
    (4..=6).for_each(|step| on.add(&line(step)).unwrap());
    on.flush().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let other = Series::<Figures>::resume_with(&path, "step,time,bodies", 3).unwrap_err();
    assert!(
        other
            .to_string()
            .contains("must be `step,time,bodies`; found"),
        "{other}"
    );
    std::fs::write(&path, text.replace("10,1.0,NaN\n", "10,1.0\n")).unwrap();
    let short = Series::<Figures>::resume_with(&path, header, 3).unwrap_err();
    assert!(
        short
            .to_string()
            .contains("line 4: must be 5 fields; found 4"),
        "{short}"
    );
}

/// The long files' headers name the fields.
#[test]
fn long_files_name_their_fields() {
    fn named<L: Columns>(line: &L) {
        let mut csv = csv::Writer::from_writer(Vec::new());
        csv.serialize(line).unwrap();
        let text = String::from_utf8(csv.into_inner().unwrap()).unwrap();
        assert_eq!(text.lines().next(), Some(L::HEADER));
    }
    named(&ForceLine::default());
    named(&ProfileLine::default());
    named(&TrackLine::default());
    named(&BondLine::default());
    named(&IncrementLine::default());
}

/// Lines of a version without the last columns get `NaN` there.
///
/// A column that cannot be one is refused.
#[test]
fn lines_without_later_columns_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("walls.csv");
    let header = "step,time,wall,fx,fy,fz,tx,ty,tz,x,y,z,vx,vy,vz";
    let line = "3,0.5,lid,1.0,0.0,0.0,0.0,0.0,0.0,0.25,0.0,0.0,0.0,0.0,-1.0";
    let later = line.replace("3,", "4,");
    std::fs::write(&path, format!("{header}\n{line}\n{later}\n")).unwrap();
    let mut walls = Series::<WallLine>::resume(&path, 3).unwrap();
    let new = WallLine {
        step: 4,
        power: 2.5,
        ..WallLine::default()
    };
    walls.add(&new).unwrap();
    walls.flush().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("{header},wx,wy,wz,power"));
    assert_eq!(lines[1], format!("{line},NaN,NaN,NaN,NaN"));
    assert_eq!((lines.len(), &lines[2][..2]), (3, "4,"));
    // They are read again, and stay as they are.
    drop(Series::<WallLine>::resume(&path, 4).unwrap());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    std::fs::write(
        &path,
        "step,time,region,way,bodies,mass\n1,0.5,a,in,3,0.25\n",
    )
    .unwrap();
    let refused = Series::<FlowLine>::resume(&path, 3)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("line 2: "), "{refused}");
}
