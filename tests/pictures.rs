//! `moreau render` and `moreau report` through the program: what they make of real runs, of damaged and of missing files.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;

use harness::{FEW_DISCS, Output, on};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Two small runs, made once: balls that fall into a box, discs that are pressed.
fn runs() -> &'static Path {
    static RUNS: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = RUNS.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let run = |name: &str, config: &str, steps: &str, set: &[&str]| {
            let config = format!("{}/configs/{config}.toml", env!("CARGO_MANIFEST_DIR"));
            let out = dir.path().join(name).display().to_string();
            let mut args = vec!["run", &config, "--out", &out, "--steps", steps];
            set.iter().for_each(|word| args.extend(["--set", word]));
            let done = on(1, &args);
            assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
        };
        let often = [
            "checkpoint.every=20",
            "checkpoint.keep=3",
            "output.series=1",
        ];
        let balls = ["bodies.0.count=300", "domain.upper=[0.08, 0.08, 0.3]"];
        run("balls", "settle", "60", &[&often[..], &balls].concat());
        run(
            "discs",
            "biaxial-2d",
            "60",
            &[&often[..], &FEW_DISCS].concat(),
        );
        dir
    });
    made.path()
}

/// A copy of a run, to be spoilt.
fn copy(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join(name);
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(runs().join(name)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    (dir, to)
}

fn render(words: &[&str]) -> Output {
    on(1, &[&["render"], words].concat())
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Width, height and pixels of a PNG file.
fn decoded(path: &Path) -> ([u32; 2], Vec<u8>) {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    ([info.width, info.height], pixels)
}

/// Every quantity, both cameras, forces and cuts: a picture of the size asked for with something in it, the same on any threads.
#[test]
fn pictures_of_checkpoints() {
    let dir = tempfile::tempdir().unwrap();
    let (balls, discs) = (runs().join("balls"), runs().join("discs"));
    let state = |run: &Path| text(&run.join("checkpoint-00000060.h5"));
    let all = [
        "speed",
        "velocity.x",
        "velocity.y",
        "velocity.z",
        "spin",
        "radius",
        "id",
        "material",
        "coordination",
        "pressure",
        "height",
    ];
    let mut made: Vec<Vec<u8>> = Vec::new();
    for run in [&balls, &discs] {
        let mut draw = |words: &[&str]| {
            let mut files = Vec::new();
            for threads in ["1", "4"] {
                let to = dir.path().join(format!("{threads}.png"));
                let fixed = [
                    &state(run),
                    "-o",
                    &text(&to),
                    "--size",
                    "360x270",
                    "--threads",
                    threads,
                ];
                let done = render(&[&fixed[..], words].concat());
                assert_eq!(done.status, Some(0), "{words:?} {}", done.stderr);
                let (size, pixels) = decoded(&to);
                assert_eq!(size, [360, 270]);
                let drawn = pixels
                    .chunks(3)
                    .filter(|p| p[0] != p[1] || p[1] != p[2])
                    .count();
                assert!(drawn > 3000, "{words:?}: {drawn} pixels");
                files.push(fs::read(&to).unwrap());
            }
            assert!(
                files[0] == files[1],
                "{words:?}: threads change the picture"
            );
            made.push(files.swap_remove(0));
        };
        for colour in all {
            draw(&["--colour", colour]);
        }
        draw(&["--contacts", "--view", "z"]);
        draw(&[
            "--perspective",
            "40",
            "--from",
            "-1,-2,0.5",
            "--map",
            "inferno",
        ]);
        draw(&[
            "--fit",
            "domain",
            "--no-walls",
            "--view",
            "z",
            "--range",
            "-1,1",
        ]);
    }
    // Their pixels differ: no word is passed over.
    let number = made.len();
    made.sort();
    made.dedup();
    assert!(
        made.len() >= number - 1,
        "{} of {number} differ",
        made.len()
    );
}

/// One picture per checkpoint, numbered; what is damaged is skipped and named.
#[test]
fn animation_of_a_folder() {
    let (dir, run) = copy("balls");
    let to = dir.path().join("frames");
    let words = [&text(&run), "-o", &text(&to), "--size", "200x150"];
    let done = render(&words);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    for (number, there) in [(0, true), (1, true), (2, true), (3, false)] {
        let frame = to.join(format!("frame-{number:05}.png"));
        assert_eq!(frame.exists(), there, "{number}");
    }
    fs::remove_dir_all(&to).unwrap();
    spoil(&run.join("checkpoint-00000040.h5"));
    let done = render(&words);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("SKIPPED") && done.stdout.contains("checkpoint-00000040.h5"));
    assert!(to.join("frame-00001.png").exists() && !to.join("frame-00002.png").exists());
    // With a range every file is read as its turn comes; the pictures are those of the checkpoints one by one.
    fs::remove_dir_all(&to).unwrap();
    let range = ["--size", "200x150", "--range", "0,1.5"];
    let done = render(&[&[&text(&run), "-o", &text(&to)], &range[..]].concat());
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("SKIPPED") && done.stdout.contains("2 pictures"));
    for (number, step) in [(0, 20), (1, 60)] {
        let alone = dir.path().join("alone.png");
        let checkpoint = text(&run.join(format!("checkpoint-{step:08}.h5")));
        let words = [&checkpoint, "-o", &text(&alone), "--fit", "domain"];
        assert_eq!(render(&[&words, &range[..]].concat()).status, Some(0));
        let frame = to.join(format!("frame-{number:05}.png"));
        assert!(
            fs::read(&frame).unwrap() == fs::read(&alone).unwrap(),
            "{step}"
        );
    }
    // Where none is valid no folder is made.
    fs::remove_dir_all(&to).unwrap();
    spoil(&run.join("checkpoint-00000020.h5"));
    spoil(&run.join("checkpoint-00000060.h5"));
    for words in [&[][..], &range] {
        let done = render(&[&[&text(&run), "-o", &text(&to)], words].concat());
        assert_eq!(done.status, Some(2), "{}", done.stdout);
        assert!(
            done.stderr
                .contains("none of its checkpoints or frames can be drawn")
                && !to.exists()
        );
    }
}

/// Changes bytes in the middle of a file.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64]
        .iter_mut()
        .for_each(|b| *b ^= 0x5a);
    fs::write(path, bytes).unwrap();
}

/// Bad input is refused with status 2, and nothing is written; a place that cannot be written to gives status 4.
#[test]
fn bad_input_is_refused() {
    let (dir, run) = copy("balls");
    let to = dir.path().join("a.png");
    let good = text(&run.join("checkpoint-00000060.h5"));
    let config = text(&run.join("series.csv"));
    let damaged = run.join("checkpoint-00000020.h5");
    spoil(&damaged);
    let missing = text(&dir.path().join("none.h5"));
    let empty = dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    for (from, words, named) in [
        (&config, &[][..], "series.csv"),
        (&text(&damaged), &[], "checkpoint-00000020.h5"),
        (&missing, &[], "none.h5"),
        (&text(&empty), &[], "holds no checkpoint"),
        (&good, &["--colour", "spede"], "pressure"),
        (&good, &["--map", "jet"], "viridis"),
        (&good, &["--size", "0x0"], "16 to 8192"),
        (&good, &["--size", "100000x100000"], "16 to 8192"),
        (&good, &["--clip", "x=1"], "x<0.1"),
        (&good, &["--clip", "x<-5"], "--clip"),
        (&good, &["--range", "2,1"], "LOW,HIGH"),
        (&good, &["--from", "0,0,0"], "--from"),
        (&good, &["--from", "1,0,0", "--up", "2,0,0"], "--up"),
        (&good, &["--perspective", "180"], "1 to 120"),
        (&good, &["--view", "w"], "iso"),
        (&good, &["--threads", "0"], "1..=1024"),
    ] {
        let done = render(&[&[from, "-o", &text(&to)], words].concat());
        assert_eq!(
            done.status,
            Some(2),
            "{words:?} {}{}",
            done.stdout,
            done.stderr
        );
        assert!(done.stderr.contains(named), "{words:?}: {}", done.stderr);
        assert!(!to.exists(), "{words:?}");
    }
    let before = fs::read(&good).unwrap();
    assert_eq!(render(&[&good, "-o", &good]).status, Some(2));
    assert_eq!(render(&[&good, "-o", &text(&empty)]).status, Some(2));
    assert!(fs::read(&good).unwrap() == before);
    // What is no picture is not replaced by one; a folder has no picture's name.
    let series = text(&run.join("series.csv"));
    let lines = fs::read(&series).unwrap();
    let kept = render(&[&good, "-o", &series]);
    assert_eq!(kept.status, Some(2));
    assert!(
        kept.stderr.contains("found another file"),
        "{}",
        kept.stderr
    );
    assert!(fs::read(&series).unwrap() == lines);
    assert_eq!(render(&[&good, "-o", "/dev/full"]).status, Some(2));
    let named = dir.path().join("movie.png");
    let refused = render(&[&text(&run), "-o", &text(&named)]);
    assert_eq!(refused.status, Some(2), "{}", refused.stdout);
    assert!(!named.exists());
    let nowhere = text(&dir.path().join("none/a.png"));
    assert_eq!(render(&[&good, "-o", &nowhere]).status, Some(2));
}

fn report(dir: &Path) -> String {
    let done = on(1, &["report", &text(dir)]);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    fs::read_to_string(dir.join("report.html")).unwrap()
}

/// The pictures of a page as XML, by their headings.
fn plots(page: &str) -> Vec<(String, String)> {
    let figures = page.split("<figure class=\"plot\"><h3>").skip(1);
    figures
        .map(|figure| {
            let title = figure.split("</h3>").next().unwrap();
            let from = figure.find("<svg").unwrap();
            let to = figure.find("</svg>").unwrap() + 6;
            (title.to_owned(), figure[from..to].to_owned())
        })
        .collect()
}

/// Points of each curve in a plot.
fn curves(svg: &str) -> Vec<usize> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let lines = document.descendants().filter(|node| {
        let stroke = node.attribute("stroke").unwrap_or_default();
        node.has_tag_name("polyline") && stroke.starts_with("var(--c")
    });
    let count =
        |node: roxmltree::Node| node.attribute("points").unwrap().split_whitespace().count();
    lines.map(count).collect()
}

/// A page of each run: all plots are there, with a point for each row, nothing points out of the file.
#[test]
fn pages_of_runs() {
    for (name, pictures) in [("balls", 3), ("discs", 3)] {
        let (_dir, run) = copy(name);
        let page = report(&run);
        // Without the pictures, in whose letters anything may stand.
        let mut parts = page.split(";base64,");
        let mut words = parts.next().unwrap().to_owned();
        parts.for_each(|part| words.push_str(part.split_once('"').unwrap().1));
        assert!(!words.contains("http") && !words.contains("NaN"), "{name}");
        assert_eq!(
            page.matches("src=\"data:image/png;base64,").count(),
            pictures,
            "{name}"
        );
        assert_eq!(page.matches("src=").count(), pictures);
        let plots = plots(&page);
        let of = |title: &str| {
            let found = plots.iter().find(|(t, _)| t.starts_with(title));
            curves(&found.unwrap_or_else(|| panic!("{name}: no plot {title}")).1)
        };
        for (title, number) in [
            ("Residual", 1),
            ("Sweeps in a step", 1),
            ("Largest overlap", 1),
            ("Bodies and contacts", 3),
            ("Imbalance", 1),
        ] {
            let mut points = of(title);
            // A residual of zero, of steps without contacts, is left out on its logarithmic axis.
            if ["Residual", "Sweeps in a step"].contains(&title) {
                let left: usize = points.iter().sum();
                assert!(left > 20, "{name}: {left}");
                points = vec![60];
            }
            assert_eq!(points, vec![60; number], "{name}: {title}");
        }
        for title in [
            "Kinetic energy",
            "Energies since",
            "Wall-clock",
            "Coordination",
            "Force of the bodies",
            "Stress in slabs",
        ] {
            assert!(!of(title).is_empty(), "{name}: {title}");
        }
        let forces = plots
            .iter()
            .find(|(t, _)| t.starts_with("Distribution P(f)"));
        assert!(forces.unwrap().1.matches("<circle").count() >= 10, "{name}");
        if name == "discs" {
            assert!(!of("Packing fraction").is_empty());
        } else {
            assert!(page.contains("Measures (measure-*.csv) are missing"));
            assert!(page.contains("<h3>Packing fraction</h3><p>Not shown"));
        }
        for (title, svg) in &plots {
            let document = roxmltree::Document::parse(svg).unwrap();
            let words = document
                .descendants()
                .filter(|n| n.has_tag_name("text"))
                .count();
            assert!(words >= 5, "{name}: {title} has {words} labels");
        }
        for words in [
            "configs/",
            "Configuration as run",
            "Start from step 0",
            "revision",
            "prefers-color-scheme",
        ] {
            assert!(page.contains(words), "{name}: {words}");
        }
        // The same files, the same page.
        assert!(report(&run) == page);
    }
}

/// What is missing or spoilt is said in the page.
#[test]
fn pages_of_what_is_left_of_runs() {
    let (_dir, run) = copy("balls");
    let newest = run.join("checkpoint-00000060.h5");
    let said = |words: &str| {
        let page = report(&run);
        assert!(page.contains(words), "{words}");
        page
    };
    spoil(&newest);
    said("Skipped: checkpoint");
    said("The series goes on to step 60, the newest valid checkpoint is of step 40");
    fs::remove_file(run.join("walls.csv")).unwrap();
    said("walls.csv is missing");
    fs::write(run.join("provenance.toml"), "= no TOML").unwrap();
    said("provenance.toml cannot be read");
    // Values that are no numbers, a line cut off, a line of nonsense.
    let series = fs::read_to_string(run.join("series.csv")).unwrap();
    let mut lines: Vec<String> = series.lines().map(str::to_owned).collect();
    let mut fields: Vec<&str> = lines[30].split(',').collect();
    (fields[6], fields[9], fields[7]) = ("NaN", "inf", "false");
    lines[30] = fields.join(",");
    lines[40] = "nonsense".to_owned();
    let whole = lines.join("\n");
    fs::write(run.join("series.csv"), &whole[..whole.len() - 5]).unwrap();
    let page = said("the last line was cut off");
    assert!(page.contains("line 41"), "the line of nonsense is named");
    assert!(page.contains("no finite number"));
    assert!(page.contains("1 of 58 steps in series.csv"));
    for (_, svg) in plots(&page) {
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        roxmltree::Document::parse(&svg).unwrap();
    }
    let one: String = lines[..2].iter().map(|line| format!("{line}\n")).collect();
    fs::write(run.join("series.csv"), one).unwrap();
    said("one row only");
    fs::write(run.join("series.csv"), "").unwrap();
    said("no row yet");
    for step in [20, 40] {
        spoil(&run.join(format!("checkpoint-{step:08}.h5")));
    }
    said("No checkpoint is shown");
    fs::remove_file(run.join("report.html")).unwrap();
    fs::write(run.join("series.csv"), "something\nelse\n").unwrap();
    for left in [false, true] {
        if left {
            fs::remove_file(run.join("series.csv")).unwrap();
        }
        let nothing = on(1, &["report", &text(&run)]);
        assert_eq!(nothing.status, Some(2), "{}", nothing.stdout);
        assert!(nothing.stderr.contains("holds nothing of a run"));
        assert!(!run.join("report.html").exists());
    }
    assert_eq!(on(1, &["report", &text(&run.join("none"))]).status, Some(2));
}

/// A run that was resumed says so, and its page has the rows of both parts.
#[test]
fn a_resumed_run_says_so() {
    let (_dir, run) = copy("balls");
    let resumed = on(1, &["resume", &text(&run), "--steps", "70"]);
    assert_eq!(resumed.status, Some(0), "{}", resumed.stderr);
    let page = report(&run);
    assert!(page.contains("The run was resumed, from step 60."));
    assert!(page.contains("Start from step 60"));
    let overlap = plots(&page)
        .into_iter()
        .find(|(t, _)| t.starts_with("Largest overlap"));
    assert_eq!(curves(&overlap.unwrap().1), [70]);
}
