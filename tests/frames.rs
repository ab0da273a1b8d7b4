//! Frames: the layout that VTK's document of the VTKHDF format asks for, values that are those of the checkpoints, the same on any ranks, kills
//! at any moment, and disks that refuse. The real VTK reads them in `jobs/test-vtk.sh`.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

mod harness;
mod movie;

use harness::{mpi_available, on, state};
use moreau::comm::threads::{self, Serial};
use moreau::io::checkpoint;
use moreau::math::Vector3;
use moreau::sim;
use movie::balls::{BALLS, alone, bodies, contacts, options, run};
use movie::close;
use std::collections::BTreeMap;
use std::path::Path;

/// What frames show is what checkpoints of the same steps hold, to the last bit; what is empty, or stands still, is told right.
#[test]
fn frames_show_what_checkpoints_hold() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    run(3, &out, &["output.fields=['velocity','angular_velocity','radius','id','material','kind','rank','coordination','orientation','mass']"]).unwrap();
    let (bodies, contacts) = (bodies(&out), contacts(&out));
    assert_eq!(bodies.steps, [0, 20, 40, 60, 80, 100, 120]);
    assert_eq!(contacts.steps, bodies.steps);
    assert_eq!((bodies.rows[0], contacts.rows[0]), (400, 0));
    let mut checked = 0;
    for (k, &step) in bodies.steps.iter().enumerate() {
        let path = out.join(format!("checkpoint-{step:08}.h5"));
        if !path.exists() {
            assert_eq!(step, 0, "{}", path.display());
            continue;
        }
        let state = checkpoint::read(&Serial, &path).unwrap();
        assert_eq!(bodies.times[k], state.header.time);
        let places = bodies.places(k);
        let rows = &state.bodies;
        let same = |name: &str, of: &dyn Fn(usize) -> Vec<f64>| {
            let found = bodies.array(name, k);
            let expected: Vec<f64> = (0..rows.len()).flat_map(of).collect();
            assert_eq!(found, expected, "{name} at step {step}");
        };
        let expected: Vec<[f64; 3]> = rows.iter().map(|row| row.position).collect();
        assert_eq!(places, expected);
        same("velocity", &|k| rows[k].velocity.to_vec());
        same("angular_velocity", &|k| rows[k].angular_velocity.to_vec());
        same("orientation", &|k| rows[k].orientation.to_vec());
        same("radius", &|k| vec![rows[k].radius]);
        same("mass", &|k| vec![rows[k].mass]);
        same("id", &|k| vec![rows[k].id.0 as f64]);
        same("material", &|_| vec![0.0]);
        same("kind", &|_| vec![0.0]);
        assert!(bodies.array("rank", k).iter().all(|rank| *rank < 3.0));
        let mut carrying: BTreeMap<u64, f64> = BTreeMap::new();
        for contact in state.contacts.iter().filter(|c| c.status != 0) {
            *carrying.entry(contact.key.a.0).or_default() += 1.0;
            *carrying.entry(contact.key.b.0).or_default() += 1.0;
        }
        same("coordination", &|k| {
            vec![carrying.get(&rows[k].id.0).copied().unwrap_or(0.0)]
        });

        // Contacts: forces are impulses over the step, lines are as long as two radii and the gap but for what bodies moved in the step.
        let (dt, touching) = (state.header.dt, &state.contacts);
        assert_eq!(contacts.rows[k] as usize, touching.len());
        let ends = contacts.places(k);
        let of = |name: &str| contacts.array(name, k);
        let (body, status, gap) = (of("body"), of("status"), of("gap"));
        let (normal, tangential) = (of("normal_force"), of("tangential_force"));
        let fastest = rows
            .iter()
            .map(|row| Vector3::from(row.velocity).norm())
            .fold(0.0, f64::max);
        for (j, contact) in touching.iter().enumerate() {
            let (a, b) = (contact.key.a, contact.key.b);
            assert_eq!(
                (body[2 * j], body[2 * j + 1]),
                (a.0 as f64, b.0 as f64),
                "contact {j}"
            );
            assert_eq!((status[j], gap[j]), (contact.status as f64, contact.gap));
            let (impulse, n) = (
                Vector3::from(contact.impulse),
                Vector3::from(contact.normal),
            );
            let along = impulse.dot(&n) / dt;
            assert!(close(normal[j], along, 1e-12 * along.abs().max(1e-9)));
            let across = (impulse / dt - n * along).norm();
            assert!(close(tangential[j], across, 1e-9 * along.abs().max(1e-9)));
            let row = |id| &rows[rows.binary_search_by_key(&id, |row| row.id).unwrap()];
            assert_eq!(ends[2 * j], row(a).position);
            let way = Vector3::from(ends[2 * j + 1]) - Vector3::from(ends[2 * j]);
            let expected = match b.wall_index() {
                Some(_) => row(a).radius + 0.5 * contact.gap,
                None => row(a).radius + row(b).radius + contact.gap,
            };
            assert!(
                close(way.norm(), expected, 2.0 * fastest * dt + 1e-12),
                "contact {j} of step {step}: {} and {expected}",
                way.norm()
            );
            checked += 1;
        }
    }
    assert!(checked > 2000, "{checked} contacts");
    // Over the periodic faces no line crosses the box.
    let last = contacts.steps.len() - 1;
    let beyond = contacts.places(last);
    assert!(beyond.iter().any(|x| !(0.0..0.08).contains(&x[0])));
    // What does not change is there once.
    for name in ["radius", "id", "material", "kind", "mass"] {
        assert_eq!(bodies.offsets(name), vec![0; 7], "{name}");
        assert_eq!(bodies.stored(name), 400, "{name}");
    }
    assert_eq!(bodies.stored("velocity"), 7 * 400);
    assert_eq!(bodies.shape_rows(), (3, 400, 400 + 3));
}

/// On any number of ranks frames show the same, but for who owns what.
#[test]
fn frames_are_the_same_on_any_ranks() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let one = dir.path().join("1");
    run(1, &one, &[]).unwrap();
    for ranks in [2, 3, 4, 8] {
        let out = dir.path().join(ranks.to_string());
        run(ranks, &out, &[]).unwrap();
        bodies(&one).assert_same(&bodies(&out), &["rank"]);
        contacts(&one).assert_same(&contacts(&out), &[]);
        assert_eq!(bodies(&out).parts, ranks as u64);
        assert_eq!(contacts(&out).parts, ranks as u64);
    }
    // Frames change no bit of a run.
    let none = dir.path().join("none");
    run(2, &none, &["output.every=0"]).unwrap();
    assert!(!none.join("frames").exists() && !none.join("bodies.vtkhdf").exists());
    let bodies_of = |out: &Path| {
        let path = out.join("checkpoint-00000120.h5");
        checkpoint::read(&Serial, &path).unwrap().bodies
    };
    assert_eq!(bodies_of(&none), bodies_of(&one));
}

/// With real processes the same, in frames that all ranks write together.
#[test]
fn frames_are_the_same_under_mpirun() {
    let _alone = alone();
    if !mpi_available() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let one = dir.path().join("1");
    run(1, &one, &["time.steps=60"]).unwrap();
    let config = one.with_extension("toml");
    for ranks in [2, 3] {
        let out = dir.path().join(ranks.to_string());
        let words = [
            "run",
            config.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--steps",
            "60",
        ];
        state(&on(ranks, &words));
        bodies(&one).assert_same(&bodies(&out), &["rank"]);
        contacts(&one).assert_same(&contacts(&out), &[]);
    }
}

/// A run that goes on from an earlier checkpoint drops later frames and writes them again, the same, on any number of ranks; other settings hold
/// from there on.
#[test]
fn a_run_that_goes_on_has_each_frame_once() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let (straight, out) = (dir.path().join("straight"), dir.path().join("out"));
    run(2, &straight, &[]).unwrap();
    run(2, &out, &["time.steps=100"]).unwrap();
    // What a crash leaves over is not read.
    std::fs::write(out.join("frames/bodies-00000110.h5.tmp"), "cut off").unwrap();
    let from = out.join("checkpoint-00000060.h5");
    let again = |ranks: usize, set: &[&str], steps: u64| {
        let mut options = options(&out, set);
        options.steps = Some(steps);
        let results = threads::run(ranks, |comm| sim::try_resume(comm, &from, &options));
        results.into_iter().next().unwrap().unwrap();
    };
    again(3, &[], 120);
    bodies(&straight).assert_same(&bodies(&out), &["rank"]);
    contacts(&straight).assert_same(&contacts(&out), &[]);
    assert!(!out.join("frames/bodies-00000110.h5.tmp").exists());
    assert_eq!(bodies(&out).parts, 3);

    // Again, with fewer digits and fields, then without frames: those of later steps are gone.
    std::fs::remove_file(out.join("frames/contacts-00000040.h5")).unwrap();
    let set = [
        "output.precision='f32'",
        "output.fields=['id']",
        "output.every=30",
    ];
    again(1, &set, 120);
    let (first, now) = (bodies(&straight), bodies(&out));
    assert_eq!(now.steps, [0, 20, 40, 60, 90, 120]);
    assert_eq!(
        contacts(&out).steps,
        [0, 20, 60, 90, 120],
        "one was removed"
    );
    assert_eq!(now.places(3), first.places(3));
    let (rough, fine) = (now.places(5), first.places(6));
    let near = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).all(|k| close(a[k], b[k], 1e-7));
    assert!(rough.iter().zip(&fine).all(near) && rough != fine);
    assert!(
        now.array("velocity", 5).iter().all(|v| v.is_nan()),
        "told no more"
    );
    again(1, &["output.every=0"], 80);
    assert_eq!(bodies(&out).steps, [0, 20, 40, 60]);
}

/// A frame that cannot be written is told and counted, and the run goes on to its end, status 4; a run's old frames are not mixed with its own.
#[test]
fn a_frame_that_cannot_be_written_ends_no_run() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("frames"), "a file where the folder should be").unwrap();
    let fault = run(2, &out, &[]).unwrap_err();
    assert_eq!(fault.status(), 4);
    let text = fault.to_string();
    assert!(text.contains("7 frames could not be written"), "{text}");
    assert!(text.contains("frames"), "{text}");
    assert!(out.join("checkpoint-00000120.h5").exists(), "it went on");

    std::fs::remove_file(out.join("frames")).unwrap();
    let mut options = options(&out, &["time.steps=20"]);
    options.overwrite = true;
    let config = out.with_extension("toml");
    sim::try_run(&Serial, &config, &options).unwrap();
    assert_eq!(bodies(&out).steps, [0, 20]);
    // Frames are a run, also without its series.
    for name in ["series.csv", "checkpoint-00000020.h5"] {
        std::fs::remove_file(out.join(name)).unwrap();
    }
    options.overwrite = false;
    let fault = sim::try_run(&Serial, &config, &options).unwrap_err();
    assert_eq!(fault.status(), 2, "{fault}");
    options.or_resume = true;
    options.set.push("output.every=0".to_owned());
    sim::try_run(&Serial, &config, &options).unwrap();
    assert!(!out.join("frames").exists() && !out.join("bodies.vtkhdf").exists());
}

/// Bodies that come and go: frames of different sizes, the first empty.
#[test]
fn frames_of_bodies_that_come_and_go() {
    let _alone = alone();
    let text = BALLS.replace(
        "bodies = [{ sample = \"lattice\", material = \"glass\", count = 400, radius = { uniform = [0.003, 0.004] } }]",
        "region = [{ name = \"top\", shape = \"box\", lower = [0, 0, 0.1], upper = [0.08, 0.08, 0.2] }, { name = \"low\", shape = \"box\", lower = [0, 0, 0], upper = [0.08, 0.08, 0.02] }]\n\
         inlet = [{ region = \"top\", material = \"glass\", radius = 0.004, rate = 500, every = 10 }]\noutlet = [{ region = \"low\" }]",
    );
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("flow.toml");
    std::fs::write(&config, text).unwrap();
    let film = |ranks: usize| {
        let out = dir.path().join(ranks.to_string());
        let options = options(&out, &["time.steps=160"]);
        for result in threads::run(ranks, |comm| sim::try_run(comm, &config, &options)) {
            result.unwrap();
        }
        out
    };
    let (one, three) = (film(1), film(3));
    bodies(&one).assert_same(&bodies(&three), &["rank"]);
    contacts(&one).assert_same(&contacts(&three), &[]);
    let movie = bodies(&one);
    assert_eq!(movie.rows[0], 0, "nothing is there yet");
    assert!(movie.rows.last().unwrap() > &50, "{:?}", movie.rows);
    for (k, &step) in movie.steps.iter().enumerate() {
        let path = one.join(format!("checkpoint-{step:08}.h5"));
        if path.exists() {
            let expected = checkpoint::read(&Serial, &path).unwrap().bodies;
            let ids: Vec<f64> = expected.iter().map(|row| row.id.0 as f64).collect();
            assert_eq!(movie.array("id", k), ids);
        }
    }
}

/// A rank is killed at a moment drawn at random, as frames are written after every step. What is there is valid, and holds every frame up to
/// the last, with no help; the run goes on from an earlier checkpoint and ends with each frame once.
#[test]
#[cfg(target_os = "linux")] // Processes are looked for in /proc.
fn a_kill_leaves_frames_that_are_valid_up_to_the_last() {
    let _alone = alone();
    use harness::{ranks_of, signal};
    use moreau::rng::{Purpose, Stream};
    use std::time::{Duration, Instant};

    let told = std::env::var("MOREAU_KILLS");
    let kills: u64 = told.map_or(5, |text| text.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (out, config) = (dir.path().join("out"), dir.path().join("balls.toml"));
    std::fs::write(&config, BALLS).unwrap();
    let (out_text, config) = (out.to_str().unwrap(), config.to_str().unwrap());
    let set = [
        "output.every=1",
        "checkpoint.every=7",
        "checkpoint.keep=2",
        "time.steps=1000000",
    ];
    let set: Vec<&str> = set.iter().flat_map(|key| ["--set", key]).collect();
    let frames = || {
        let entries = std::fs::read_dir(out.join("frames"));
        let names = entries.into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().into_string().unwrap());
        let step = |name: String| {
            name.strip_prefix("bodies-")?
                .strip_suffix(".h5")?
                .parse()
                .ok()
        };
        names.filter_map(step).max().unwrap_or(0u64)
    };
    let saved = || checkpoint::newest(&out).is_ok_and(|all| !all.is_empty());
    let mut draw = Stream::new(Purpose::Trial, 31, [0; 3]);
    let mut during = 0;
    for _ in 0..kills {
        let ranks = if mpi_available() {
            1 + draw.below(3) as usize
        } else {
            1
        };
        let words = match saved() {
            true => vec!["resume", out_text],
            false => [&["run", config, "--out", out_text, "--or-resume"][..], &set].concat(),
        };
        let at_start = frames();
        std::thread::scope(|scope| {
            let job = scope.spawn(|| on(ranks, &words));
            let begin = Instant::now();
            let begun = || out.join("frames").exists() && ranks_of(out_text).len() == ranks;
            while !begun() || frames() == at_start || !saved() {
                let waited = begin.elapsed();
                assert!(
                    waited < Duration::from_secs(120) && !job.is_finished(),
                    "no frames"
                );
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(u64::from(draw.below(200_000))));
            let all = ranks_of(out_text);
            signal("KILL", &all[draw.below(all.len() as u32) as usize]);
            assert_ne!(job.join().unwrap().status, Some(0));
        });
        let (bodies, contacts, last) = (bodies(&out), contacts(&out), frames());
        for movie in [&bodies, &contacts] {
            let expected: Vec<u64> = (0..=*movie.steps.last().unwrap()).collect();
            assert_eq!(movie.steps, expected);
            assert!(
                movie
                    .places(movie.steps.len() - 1)
                    .iter()
                    .flatten()
                    .all(|x| x.is_finite())
            );
        }
        assert!(bodies.steps.last().unwrap() + 1 >= last);
        assert!(contacts.steps.last().unwrap() + 1 >= *bodies.steps.last().unwrap());
        let cut_off = std::fs::read_dir(out.join("frames")).unwrap().flatten();
        let mut cut_off = cut_off.map(|entry| entry.file_name().into_string().unwrap());
        during += u64::from(cut_off.any(|name| name.ends_with(".tmp")));
    }
    let end = (frames() + 5).to_string();
    state(&on(2, &["resume", out_text, "--steps", &end]));
    let straight = dir.path().join("straight");
    let words = [
        "run",
        config,
        "--out",
        straight.to_str().unwrap(),
        "--steps",
        &end,
    ];
    state(&on(1, &[&words[..], &set].concat()));
    bodies(&straight).assert_same(&bodies(&out), &["rank"]);
    contacts(&straight).assert_same(&contacts(&out), &[]);
    println!("{kills} kills, {during} of them while a frame was being written, {end} steps");
}
