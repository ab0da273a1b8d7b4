//! Starts of runs: positions of files on periodic axes, what `resume --set` leaves alone, folders that hold an older run, bodies to come. In a file of
//! its own, as it opens HDF5 files.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use moreau::comm::threads::{self, Serial};
use moreau::io::Snapshot;
use moreau::io::checkpoint::{self, Loaded};
use moreau::sim::{self, Options, RunError};
use std::path::{Path, PathBuf};

fn options(out: &Path) -> Options {
    Options {
        out: Some(out.to_owned()),
        threads: 1,
        ..Options::default()
    }
}

fn write(dir: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn last(out: &Path) -> Loaded {
    let found = threads::run(1, |comm| checkpoint::read_newest(comm, out).unwrap());
    found.into_iter().next().unwrap().1
}

fn refused<T>(result: Result<T, RunError>) -> String {
    match result {
        Err(RunError::Input(text)) => text,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("taken"),
    }
}

/// A periodic slice whose bodies come from a file. All numbers are sums of few powers of two, so that nothing is rounded.
const PERIODIC: &str = r#"
gravity = [0.0, 0.0, -9.81]
time = { dt = 1.0e-3, steps = 60 }
domain = { lower = [0.0, 0.0, 0.0], upper = [0.125, 0.125, 0.25], periodic = [true, false, false] }
solver = { block_edge = 0.04 }
material = [{ name = "m", density = 2500.0, friction = 0.5 }]
wall = [{ shape = "box", material = "m" }]
region = [{ name = "side", shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.0625, 0.125, 0.25] }]
force = [{ region = "side", acceleration = [1.0, 0.0, 0.0] }]
bodies = [{ sample = "file", file = "bodies.csv", material = "m" }]
checkpoint = { every = 1, keep = 100 }
"#;

/// Bodies of a file may lie any number of periods away: the run is the same but for how often they have gone round, from the first step on, in which a
/// region pushes them; and those that overlap across periods are refused.
#[test]
fn files_may_lie_periods_away() {
    let dir = tempfile::tempdir().unwrap();
    let config = write(&dir, "run.toml", PERIODIC);
    let go = |turns: [i32; 2], out: &str| {
        let mut table = "x,y,z,radius\n".to_owned();
        for k in 0..32 {
            let site = [k % 4, k / 4 % 4, k / 16].map(f64::from);
            let away = 0.125 * f64::from(turns[k as usize % 2]);
            let [x, y, z] = [0, 1, 2].map(|a| site[a] / 32.0 + 1.0 / 64.0);
            table += &format!("{},{y},{},0.0150\n", x + away, z + x / 64.0);
        }
        write(&dir, "bodies.csv", &table);
        let out = dir.path().join(out);
        sim::try_run(&Serial, &config, &options(&out)).unwrap();
        last(&out)
    };
    let (plain, away) = (go([0, 0], "plain"), go([3, -2], "away"));
    let mut moved = 0;
    for (a, b) in plain.bodies.iter().zip(&away.bodies) {
        let turns = if a.id.0 % 2 == 0 { 3 } else { -2 };
        assert_eq!(b.image, [a.image[0] + turns, a.image[1], a.image[2]]);
        let mut b = *b;
        b.image = a.image;
        assert_eq!(*a, b);
        moved += u32::from(a.velocity[0] != 0.0);
    }
    assert!(moved > 4 && plain.contacts == away.contacts);
    // A state before the first step can be gone on with.
    let begin = Options {
        steps: Some(0),
        ..options(&dir.path().join("begin"))
    };
    sim::try_run(&Serial, &config, &begin).unwrap();
    let then = Options {
        out: None,
        steps: Some(1),
        ..begin.clone()
    };
    sim::try_resume(&Serial, &dir.path().join("begin"), &then).unwrap();

    // 0.125 m are one period: 0.05 and 0.309 are 0.009 apart.
    let table = "x,y,z,radius\n0.05,0.06,0.1,0.005\n0.309,0.06,0.1,0.005\n";
    write(&dir, "bodies.csv", table);
    let message = refused(sim::try_run(
        &Serial,
        &config,
        &options(&dir.path().join("not")),
    ));
    assert!(
        message.contains("body 0 starts inside body 1, overlapping by 0.200"),
        "{message}"
    );
    write(&dir, "bodies.csv", "x,y,z,radius\n1e300,0.06,0.1,0.005\n");
    let message = refused(sim::try_run(
        &Serial,
        &config,
        &options(&dir.path().join("not")),
    ));
    assert!(
        message.contains("body 0 starts outside the domain"),
        "{message}"
    );
}

/// What is due at an inlet, and how far bodies have grown, follows from the configuration and the time: that is not changed when a run goes on.
#[test]
fn the_past_is_not_set() {
    let dir = tempfile::tempdir().unwrap();
    let common = "gravity = [0, 0, -9.81]\ntime = { dt = 1e-3, steps = 20 }\ndomain = { lower = [0, 0, 0], upper = [1, 1, 1] }\n\
        solver = { gap = \"full\" }\nmaterial = [{ name = \"m\", density = 1, friction = 0 }]\nwall = [{ shape = \"box\", material = \"m\" }]\n\
        region = [{ name = \"top\", shape = \"box\", lower = [0, 0, 0.5], upper = [1, 1, 1] }]\n";
    let grows = format!(
        "{common}growth = {{ from = 0.7, until = 0.3 }}\nbodies = [{{ sample = \"lattice\", material = \"m\", count = 7, radius = 0.01 }}]\n"
    );
    let pours = format!(
        "{common}inlet = [{{ region = \"top\", material = \"m\", radius = 0.01, rate = 100, until = 2, velocity = [0, 0, -1] }}]\n"
    );
    for (name, text, sets, fine) in [
        (
            "grows",
            &grows,
            &[
                "growth.until=0.5",
                "growth.from = 0.8",
                "growth={ from = 0.7, until = 0.5 }",
            ][..],
            "solver.tolerance=1e-3",
        ),
        (
            "pours",
            &pours,
            &[
                "inlet.0.rate=200",
                "inlet.0.mass_rate=2",
                "inlet.0.radius=0.02",
                "inlet.0.radius.uniform=[0.01, 0.02]",
                "inlet.0.from=0.5",
                "inlet.0.until=1",
                "inlet.0.material=\"m\"",
            ],
            "inlet.0.count=1",
        ),
    ] {
        let config = write(&dir, &format!("{name}.toml"), text);
        let out = dir.path().join(name);
        sim::try_run(&Serial, &config, &options(&out)).unwrap();
        let go_on = |set: &str| {
            let options = Options {
                set: vec![set.to_owned()],
                steps: Some(24),
                threads: 1,
                ..Options::default()
            };
            sim::try_resume(&Serial, &out, &options)
        };
        for set in sets {
            let message = refused(go_on(set));
            assert!(
                message.contains(&format!("--set {set}: bodies have ")),
                "{message}"
            );
        }
        go_on(fine).unwrap();
    }
}

/// What a run before has measured is gone when another one takes its folder; what no run wrote is not.
#[test]
fn overwriting_leaves_no_old_measures() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str, what: &str| {
        format!(
            "gravity = [0, 0, -9.81]\ntime = {{ dt = 1e-3, steps = 2 }}\ndomain = {{ lower = [0, 0, 0], upper = [1, 1, 1] }}\n\
             material = [{{ name = \"m\", density = 1, friction = 0 }}]\n\
             bodies = [{{ sample = \"lattice\", material = \"m\", count = 7, radius = 0.01 }}]\n\
             measure = [{{ name = \"{name}\", every = 1, what = [{what}] }}, {{ name = \"stays\", every = 1, what = [\"packing\"] }}]\n"
        )
    };
    let out = dir.path().join("out");
    let first = write(
        &dir,
        "first.toml",
        &text("old", "\"packing\", \"forces\", \"profile\", \"tracks\"").replacen(
            "what",
            "axis = \"z\", bins = 2, ids = [1], what",
            1,
        ),
    );
    sim::try_run(&Serial, &first, &options(&out)).unwrap();
    std::fs::write(out.join("measured-by-hand.csv"), "1").unwrap();
    let names = || {
        let all = std::fs::read_dir(&out).unwrap();
        let all = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut some: Vec<String> = all
            .filter(|name| name.contains('-') && name.ends_with(".csv"))
            .collect();
        some.sort();
        some
    };
    assert_eq!(names().len(), 6);
    let second = write(&dir, "second.toml", &text("new", "\"packing\""));
    let over = Options {
        overwrite: true,
        ..options(&out)
    };
    sim::try_run(&Serial, &second, &over).unwrap();
    assert_eq!(
        names(),
        [
            "measure-new.csv",
            "measure-stays.csv",
            "measured-by-hand.csv"
        ]
    );
}

/// Memory is asked for for those that come in as well, as far as there is a bound and all stay.
#[test]
fn memory_is_foretold_with_bodies_to_come() {
    let dir = tempfile::tempdir().unwrap();
    let text = |inlet: &str, more: &str| {
        format!(
            "gravity = [0, 0, -9.81]\ntime = {{ dt = 1e-3, until = 4 }}\ndomain = {{ lower = [0, 0, 0], upper = [1, 1, 1] }}\n\
             material = [{{ name = \"m\", density = 1000, friction = 0 }}]\n{more}\n\
             region = [{{ name = \"top\", shape = \"box\", lower = [0, 0, 0.5], upper = [1, 1, 1] }}]\n\
             inlet = [{{ region = \"top\", material = \"m\", radius = 0.01, {inlet} }}]\n"
        )
    };
    let check = |inlet: &str, more: &str| {
        let config = write(&dir, "run.toml", &text(inlet, more));
        sim::check(&Serial, &config, &Options::default())
    };
    let line = |inlet: &str| {
        let message = check(inlet, "").unwrap();
        let line = message.lines().find(|line| line.starts_with("memory"));
        line.unwrap().to_owned()
    };
    // Open for 3 s of the run; a body weighs 4.18879e-3 kg.
    let come =
        |message: &str, n: u64| message.contains(&format!("with {n} bodies that inlets may bring"));
    for (inlet, n) in [
        ("rate = 1e5, from = 1.0", 300_000),
        ("rate = 1e5, from = 1.0, until = 1.5", 50_000),
        ("rate = 1e6, count = 1234", 1234),
        ("mass_rate = 4.18879e2, until = 1.0", 100_000),
    ] {
        let message = line(inlet);
        let off = u64::from(inlet.starts_with("mass"));
        assert!((n - off..=n + off).any(|n| come(&message, n)), "{message}");
    }
    // A dumbbell of touching balls has a quarter of the volume of its bounding sphere.
    let clumps = "template = [{ name = \"pair\", parts = [[0, 0, 0, 1], [2, 0, 0, 1]] }]";
    let inlet = "mass_rate = 4.18879e2, until = 1.0, template = \"pair\"";
    let message = check(inlet, clumps).unwrap();
    let from = message.find("with ").unwrap() + 5;
    let number = message[from..].split(' ').next().unwrap();
    assert!(
        (399_999..=400_001).contains(&number.parse::<u64>().unwrap()),
        "{message}"
    );
    // Laws see the balls: r* is half of a ball's radius, which is half of the body's.
    assert!(
        message.contains("radius r* 2.5000e-3 m between two of the smallest bodies, 5.0000e-3 m"),
        "{message}"
    );
    assert!(
        message.contains("template pair, bounding radius 0.01 to 0.01 m"),
        "{message}"
    );
    assert!(
        message
            .contains("2 balls, radius 0.5000 to 0.5000 of the bounding radius; volume 0.2500 of"),
        "{message}"
    );
    let message = line("rate = 1e6, count = 1000000");
    let megabytes: f64 = message.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!(megabytes > 1900.0, "{message}");
    let message = refused(check("rate = 1e12", ""));
    assert!(
        message.contains("4000000000000 bodies, 4000000000000 of them by inlets, on 1 ranks need"),
        "{message}"
    );
    // Where they go out again nobody knows how many there will be.
    check("rate = 1e12", "outlet = [{ region = \"top\" }]").unwrap();
}

/// A checkpoint of an earlier version holds no files: they are read again where they are needed, and must then be there.
#[test]
fn checkpoints_without_files_are_continued() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir, "bodies.csv", "x,y,z,radius\n0.05,0.05,0.1,0.01\n");
    write(&dir, "lid.csv", "time,value\n0,0\n0.1,-0.1\n");
    let text = "gravity = [0, 0, -9.81]\ntime = { dt = 1e-3, steps = 40 }\ndomain = { lower = [0, 0, 0], upper = [0.1, 0.1, 0.3] }\n\
        material = [{ name = \"m\", density = 1000, friction = 0 }]\n\
        bodies = [{ sample = \"file\", file = \"bodies.csv\", material = \"m\" }]\n\
        wall = [{ shape = \"plane\", point = [0, 0, 0.25], normal = [0, 0, -1], material = \"m\", \
        table = { direction = [0, 0, 1], file = \"lid.csv\", of = \"position\" } }]\n";
    let config = write(&dir, "run.toml", text);
    let out = dir.path().join("out");
    sim::try_run(&Serial, &config, &options(&out)).unwrap();
    let straight = last(&out);
    let half = Options {
        steps: Some(20),
        ..options(&dir.path().join("half"))
    };
    sim::try_run(&Serial, &config, &half).unwrap();
    let loaded = last(&dir.path().join("half"));
    let mut header = loaded.header;
    let (before, _) = header.config.split_once("[[file]]").unwrap();
    header.config = before.to_owned();
    let older = dir.path().join("older");
    std::fs::create_dir(&older).unwrap();
    let snapshot = Snapshot {
        header,
        bodies: loaded.bodies,
        contacts: loaded.contacts,
        walls: loaded.walls,
        flows: loaded.flows,
        anchors: loaded.anchors,
        wear: loaded.wear,
    };
    let path = checkpoint::write(&Serial, &older, &snapshot).unwrap();
    std::fs::remove_file(dir.path().join("bodies.csv")).unwrap();
    let resume = |out: &str, again: bool| {
        let out = dir.path().join(out);
        let go_on = Options {
            threads: 1,
            out: Some(out.clone()),
            or_resume: again,
            ..Options::default()
        };
        if !again {
            return sim::try_resume(&Serial, &path, &go_on).map(|()| last(&out));
        }
        std::fs::create_dir(&out).unwrap();
        std::fs::copy(&path, out.join(path.file_name().unwrap())).unwrap();
        sim::try_run(&Serial, &config, &go_on).map(|()| last(&out))
    };
    for (out, again) in [("resumed", false), ("again", true)] {
        let resumed = resume(out, again).unwrap();
        assert_eq!(resumed.bodies, straight.bodies);
        assert!(resumed.header.config.contains("lid.csv"));
        assert!(resumed.header.config.contains("0.1,-0.1"), "it is kept now");
    }
    std::fs::remove_file(dir.path().join("lid.csv")).unwrap();
    let message = refused(resume("not", false));
    assert!(
        message.contains("wall.0.table.file") && message.contains("cannot be read"),
        "{message}"
    );
}

/// Bodies keep the ids of their file, whatever they are: the same on any ranks, in bonds, tracks and checkpoints; bodies of lattices and inlets have ids
/// above them; bodies of two files that share an id are refused.
#[test]
fn bodies_keep_the_ids_of_their_file() {
    let dir = tempfile::tempdir().unwrap();
    // Numbers up to 10^12 in no order.
    let id = |k: u64| (k * 7_919 + 13) % 101 * 10_000_000_000 + k;
    let mut table = "x,y,z,radius,id\n".to_owned();
    for k in 0..32 {
        let [x, y, z] = [k % 4, k / 4 % 4, k / 16].map(|n| n as f64 / 32.0 + 1.0 / 64.0);
        table += &format!("{x},{y},{},0.0150,{}\n", z + x / 64.0, id(k));
    }
    write(&dir, "bodies.csv", &table);
    let top = "region = [{ name = \"top\", shape = \"box\", lower = [0.03, 0.03, 0.2], upper = [0.09, 0.09, 0.24] }, {";
    let lattice = "bodies = [{ sample = \"lattice\", material = \"m\", count = 5, radius = 0.01, lower = [0, 0, 0.1], upper = [0.125, 0.125, 0.15] }, {";
    let springs = "stiffness = { normal = 1e4, tangential = 1e4, bending = 1.0, twisting = 1.0 }";
    let rest = format!(
        "measure = [{{ name = \"way\", every = 60, what = [\"tracks\"], ids = [{}, {}] }}]\n\
         bond = [{{ pairs = [[{}, {}]], gap = 0.01, {springs} }}]\n\
         inlet = [{{ region = \"top\", material = \"m\", radius = 0.005, rate = 200, count = 3 }}]\n",
        id(3),
        id(31),
        id(4),
        id(0)
    );
    let text = rest + PERIODIC;
    let text = text.replace("region = [{ name = \"side", &format!("{top} name = \"side"));
    let text = text.replace("bodies = [{", lattice);
    let config = write(&dir, "run.toml", &text);
    let mut of_file: Vec<u64> = (0..32).map(id).collect();
    of_file.sort_unstable();
    let first_new = of_file[31] + 1;
    let go = |ranks: usize| {
        let out = dir.path().join(format!("on {ranks}"));
        threads::run(ranks, |comm| {
            sim::try_run(comm, &config, &options(&out)).unwrap()
        });
        let mut loaded = last(&out);
        loaded.header.ranks = 0;
        loaded.header.provenance.clear();
        (
            loaded,
            std::fs::read_to_string(out.join("tracks-way.csv")).unwrap(),
        )
    };
    let (loaded, tracks) = go(1);
    let ids: Vec<u64> = loaded.bodies.iter().map(|row| row.id.0).collect();
    let expected = of_file.iter().copied().chain(first_new..first_new + 5 + 3);
    assert_eq!(ids, expected.collect::<Vec<_>>());
    assert_eq!(loaded.header.next_id, first_new + 8);
    assert!(tracks.contains(&id(31).to_string()), "{tracks}");
    for ranks in [2, 3, 4, 8] {
        assert!(
            go(ranks) == (loaded.clone(), tracks.clone()),
            "{ranks} ranks"
        );
    }
    let texts = threads::run(2, |comm| {
        sim::check(comm, &config, &options(dir.path())).unwrap()
    });
    let ends = format!("is solid; ids {} to {}", of_file[0], of_file[31]);
    assert!(texts.iter().all(|text| text.contains(&ends)), "{texts:?}");
    // Where they start, each is that of its row.
    let none = Options {
        steps: Some(0),
        ..options(&dir.path().join("none"))
    };
    threads::run(3, |comm| sim::try_run(comm, &config, &none).unwrap());
    let start = last(&dir.path().join("none")).bodies;
    for k in 0..32 {
        let place = start.binary_search_by_key(&id(k), |row| row.id.0).unwrap();
        assert_eq!(
            start[place].position[1],
            (k / 4 % 4) as f64 / 32.0 + 1.0 / 64.0
        );
    }

    let twice = PERIODIC.replace(
        "material = \"m\" }]\ncheckpoint",
        "material = \"m\", ids = \"file\" }, { sample = \"file\", file = \"other.csv\", material = \"m\" }]\ncheckpoint",
    );
    write(
        &dir,
        "other.csv",
        &format!(
            "x,y,z,radius,id\n0.06,0.06,0.2,0.01,{}\n0.06,0.06,0.15,0.01,5\n",
            id(7)
        ),
    );
    let config = write(&dir, "twice.toml", &twice);
    for ranks in [1, 3] {
        let out = dir.path().join("twice");
        let texts = threads::run(ranks, |comm| {
            refused(sim::try_run(comm, &config, &options(&out)))
        });
        let text = format!("found {} in both", id(7));
        let is_this =
            |found: &String| found.starts_with("bodies.1.file: ") && found.contains(&text);
        assert!(texts.iter().all(is_this), "{texts:?}");
        assert!(!out.exists());
    }
    let mut other = options(&dir.path().join("renumbered"));
    other.set = vec!["bodies.1.ids=\"new\"".to_owned()];
    sim::try_run(&Serial, &config, &other).unwrap();
    let ids = last(&dir.path().join("renumbered")).bodies;
    assert_eq!(ids.last().unwrap().id.0, first_new + 1);
}
