//! Plots and tables of the page: the drawing shows the data.

use super::plot::{BINS, Curve, Plot, short, split, thin};
use super::series_plots as steps;
use super::table::Table;
use std::fs;

/// Points of all curves of a picture, in its pixels.
fn drawn(svg: &str) -> Vec<Vec<[f64; 2]>> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let coloured = |node: &roxmltree::Node| {
        let stroke = node.attribute("stroke").unwrap_or_default();
        node.has_tag_name("polyline") && stroke.starts_with("var(--c")
    };
    let points = |text: &str| -> Vec<[f64; 2]> {
        let pairs = text.split_whitespace().map(|pair| {
            let (x, y) = pair.split_once(',').expect("a pair");
            [x, y].map(|c| c.parse().expect("a number"))
        });
        pairs.collect()
    };
    let curves = document.descendants().filter(coloured);
    curves
        .map(|node| points(node.attribute("points").unwrap_or_default()))
        .collect()
}

fn plot(points: Vec<[f64; 2]>, log: bool) -> Plot {
    Plot {
        title: "a < b & \"c\"".to_owned(),
        x: "time [s] <&>".to_owned(),
        curves: vec![Curve::new("one", points)],
        levels: vec![(10.0, "cap <10>".to_owned())],
        log,
        ..Plot::default()
    }
}

/// All points of a short curve are drawn, at linear or logarithmic places of their values.
#[test]
fn curves_are_drawn_where_their_values_are() {
    for log in [false, true] {
        let value = |k: f64| {
            if log {
                10f64.powf(k / 25.0 - 2.0)
            } else {
                k * k
            }
        };
        let points: Vec<[f64; 2]> = (0..=100)
            .map(|k| [f64::from(k), value(f64::from(k))])
            .collect();
        let (svg, lost) = plot(points.clone(), log).svg().expect("a picture");
        assert_eq!(lost, "");
        assert!(!svg.contains("http") && !svg.contains("#0"), "{svg}");
        let curves = drawn(&svg);
        assert_eq!((curves.len(), curves[0].len()), (1, 101));
        let at = &curves[0];
        let height = |k: usize| {
            if log {
                points[k][1].log10()
            } else {
                points[k][1]
            }
        };
        let up = (at[0][1] - at[100][1]) / (height(100) - height(0));
        let right = (at[100][0] - at[0][0]) / 100.0;
        for (k, p) in at.iter().enumerate() {
            let x = at[0][0] + right * k as f64;
            let y = at[0][1] - up * (height(k) - height(0));
            assert!(
                (p[0] - x).abs() <= 1.5 && (p[1] - y).abs() <= 1.5,
                "{k}: {p:?} {x} {y}"
            );
        }
    }
}

/// A long curve is shortened without losing a peak.
#[test]
fn thinning_keeps_peaks() {
    let mut points: Vec<[f64; 2]> = (0..100_000).map(|k| [k as f64, (k % 7) as f64]).collect();
    points[54_321][1] = 1e4;
    points[77_777][1] = -1e4;
    let thinned = thin(points.clone(), [0.0, 99_999.0]);
    assert!(thinned.len() <= 2 * BINS + 4, "{}", thinned.len());
    for k in [0, 54_321, 77_777, 99_999] {
        assert!(thinned.contains(&points[k]), "{k}");
    }
    assert!(thinned.windows(2).all(|p| p[0][0] < p[1][0]));
    let few = points[..2 * BINS].to_vec();
    assert_eq!(thin(few.clone(), [0.0, 799.0]), few);
    // In the picture: the peak is drawn highest.
    let (svg, _) = plot(points, false).svg().expect("a picture");
    let all = drawn(&svg).concat();
    assert!(
        all.len() > BINS && all.len() <= 2 * BINS + 4,
        "{}",
        all.len()
    );
    assert_eq!(all.iter().filter(|p| p[1] < 100.0).count(), 1);
}

/// A number that is not finite breaks a curve, is counted, and draws nothing.
#[test]
fn what_is_no_number_is_left_out_and_told() {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e305];
    let mut points: Vec<[f64; 2]> = (0..20)
        .map(|k| [f64::from(k), 1.0 + f64::from(k)])
        .collect();
    for (k, value) in bad.into_iter().enumerate() {
        points[3 + 4 * k][1] = value;
    }
    let (runs, lost) = split(&points, false);
    assert_eq!((runs.len(), lost), (5, 4));
    let (svg, told) = plot(points.clone(), false).svg().expect("a picture");
    assert!(told.ends_with("number: 4."), "{told}");
    let counts: Vec<usize> = drawn(&svg).iter().map(Vec::len).collect();
    assert_eq!(counts, [3, 3, 3, 3, 4]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    points.iter_mut().for_each(|p| p[1] = f64::NAN);
    assert_eq!(plot(points, true).svg(), None);
    let zero = vec![[0.0, 0.0], [1.0, -1.0]];
    assert_eq!(plot(zero.clone(), true).svg(), None);
    assert!(plot(zero, false).svg().is_some());
    // One point is a dot; equal values are a line.
    let (svg, _) = plot(vec![[0.0, 3.0]], false).svg().expect("a picture");
    assert!(svg.contains("<circle"));
    let (svg, _) = plot(vec![[0.0, 3.0], [1.0, 3.0]], true)
        .svg()
        .expect("a picture");
    assert_eq!(drawn(&svg)[0].len(), 2);
    for huge in [1e-320, 1e299] {
        let points = vec![[0.0, huge], [huge, -huge], [2.0 * huge, huge]];
        assert!(plot(points, false).svg().is_some());
    }
}

#[test]
fn numbers_in_few_signs() {
    for (value, size, expected) in [
        (0.0, 1.0, "0"),
        (0.25, 1.0, "0.25"),
        (1500.0, 3000.0, "1500"),
        (2e-5, 1e-4, "2e-5"),
        (1.25e7, 1e7, "1.25e7"),
        (1e-17, 1.0, "0"),
        (-0.5, 2.0, "-0.5"),
    ] {
        assert_eq!(short(value, size), expected);
    }
}

/// Damaged files: truncated, without columns, with any content.
///
/// The readable part is read, the rest is reported.
#[test]
fn tables_of_any_content() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("series.csv");
    assert_eq!(Table::read(&path, ""), None);
    let read = |text: &[u8]| {
        fs::write(&path, text).expect("written");
        Table::read(&path, "wall").expect("a table")
    };
    let table = read(b"step,time,converged\n1,0.5,true\n2,NaN,false\n");
    assert_eq!((table.len(), table.faults.len()), (2, 0));
    assert_eq!(table.column("converged"), Some(&[1.0, 0.0][..]));
    assert!(table.column("time").expect("times")[1].is_nan());
    assert_eq!(table.column("sweeps"), None);
    let table = read(b"step,time\n1,0.5\n2,0.75\n3,0.");
    assert_eq!(table.column("step"), Some(&[1.0, 2.0][..]));
    assert!(table.faults[0].contains("cut off"), "{:?}", table.faults);
    let table = read(b"step,time\n1,0.5\n\"x\n2,0.75\n3,0.12");
    assert_eq!(table.column("step"), Some(&[1.0, 2.0][..]));
    assert!(table.faults[1].contains("1 of its lines cannot be read"));
    let table = read(b"step,time\n1,0.5\n2,x\n3\n4,2,2\n\xff,\xfe\n5,1\n");
    assert_eq!(table.column("step"), Some(&[1.0, 5.0][..]));
    let told = &table.faults[0];
    assert!(
        told.contains("4 of its lines") && told.contains("line 3: time is `x`"),
        "{told}"
    );
    let table = read(b"step,time\n1,0.5\n2");
    assert_eq!((table.len(), table.faults.len()), (1, 1));
    assert!(table.faults[0].contains("cut off"), "{:?}", table.faults);
    let table = read(b"step,wall,fx\n1,a,2\n1,b,3\n2,a,4\n2,b,5\n");
    assert_eq!(table.kinds(), ["a", "b"]);
    assert_eq!(
        table.points_of("b", "step", "fx"),
        Some(vec![[1.0, 3.0], [2.0, 5.0]])
    );
    for nothing in [
        &b""[..],
        b"\n",
        b"\0\0\0",
        b"step",
        b"step,time\n",
        b"\"",
        b"a,a\n1,2\n",
    ] {
        let table = read(nothing);
        assert!(table.len() <= 1, "{nothing:?}");
    }
}

/// Known values of the plots of a series.
///
/// They are energies from the first row, contacts of a body, times of a step, steps at the cap.
#[test]
fn plots_of_a_series() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("series.csv");
    let mut text =
        "step,time,bodies,active,sweeps,converged,kinetic_energy,potential_energy,dissipated,\
        wall_s,detect_s,sweep_s,exchange_s\n"
            .to_owned();
    for k in 1..=250 {
        let (step, converged) = (2 * k, k != 100);
        let kinetic = 5.0 + 0.25 * f64::from(k);
        text.push_str(&format!(
            "{step},{},40,{k},{k},{converged},{kinetic},7,0,0.8,0.2,0.3,0\n",
            f64::from(step) / 1e3
        ));
    }
    fs::write(&path, text).expect("written");
    let series = Table::read(&path, "").expect("a table");
    let plots = steps::of_series(&series, None);
    let of = |title: &str| {
        let found = plots.iter().find(|plot| plot.title.starts_with(title));
        found.expect("a plot")
    };
    let energies = of("Energies since");
    assert_eq!(
        energies.curves.len(),
        1,
        "entries that stay zero are left out"
    );
    assert_eq!(energies.curves[0].points[100], [0.202, 25.0]);
    let capped = &of("Sweeps in a step").curves[1];
    assert_eq!(
        (capped.marks, &capped.points[..]),
        (true, &[[0.2, 100.0]][..])
    );
    let times = of("Wall-clock");
    let names: Vec<&str> = times.curves.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["detection", "sweeps", "all else"]);
    for (curve, second) in times.curves.iter().zip([0.1, 0.15, 0.15]) {
        assert_eq!(curve.points.len(), 84);
        // The first row covers one step only.
        let later = &curve.points[1..];
        assert!(
            later.iter().all(|p| (p[1] - second).abs() < 1e-12),
            "{}",
            curve.name
        );
        assert_eq!(curve.points[83][0], 0.5);
    }
    let coordination = steps::coordination(Some(&series), &[]);
    assert_eq!(coordination.curves[0].points[79], [0.16, 4.0]);
    let walls = dir.path().join("walls.csv");
    let text = "step,time,wall,fx,fy,fz\n1,0.1,floor,2,3,6\n1,0.1,roof,0,0,0\n2,0.2,floor,0,-4,3\n2,0.2,roof,0,0,0\n";
    fs::write(&walls, text).expect("written");
    let plot = steps::walls(&Table::read(&walls, "wall").expect("a table"));
    assert_eq!(plot.curves.len(), 1);
    assert_eq!(plot.curves[0].points, [[0.1, 7.0], [0.2, 5.0]]);
    assert!(plot.note.starts_with("1 of 2 walls"));
    let cell = dir.path().join("cell.csv");
    let text = "step,time,strain_x,strain_z,shear,stress_xx,stress_yz\n1,0.1,0,-0.1,0,5,0\n2,0.2,0,-0.2,0,7,0\n";
    fs::write(&cell, text).expect("written");
    let plots = steps::cell(&Table::read(&cell, "").expect("a table"));
    let curves = plots.map(|plot| (plot.curves.len(), plot.curves[0].points.clone()));
    let expected = [
        (1, vec![[0.1, 5.0], [0.2, 7.0]]),
        (1, vec![[0.1, -0.1], [0.2, -0.2]]),
    ];
    assert_eq!(curves, expected);
}
