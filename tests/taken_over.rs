//! Bodies of a checkpoint as the start of another run. In a file of its own: programs that other tests start would inherit open HDF5 files,
//! and with them their locks.

#![allow(clippy::unwrap_used)] // A test may stop at what must not happen.

use moreau::body::{BodyKind, BodyRow};
use moreau::comm::threads;
use moreau::io::checkpoint;
use moreau::sim::{self, Options};
use std::path::Path;

/// The bodies of a checkpoint start a run: with their places, sizes, masses and kinds, under new ids, beside others; the same on any
/// ranks, and the run goes on when the checkpoint is gone.
#[test]
fn a_checkpoint_is_a_sample() {
    let dir = tempfile::tempdir().unwrap();
    let common = "gravity = [0.0, 0.0, -9.81]\ntime = { dt = 1e-3, steps = 60 }\n\
        domain = { lower = [0.0, 0.0, 0.0], upper = [0.1, 0.1, 0.3], periodic = [true, false, false] }\n\
        solver = { block_edge = 0.03 }\n\
        material = [{ name = \"a\", density = 2500.0, friction = 0.5 }, { name = \"b\", density = 800.0, friction = 0.1 }]\n\
        wall = [{ shape = \"box\", material = \"a\" }]\n";
    // The left half is held at the end of the first run, and nowhere in the second.
    let first = format!(
        "{common}region = [{{ name = \"left\", shape = \"box\", lower = [0.0, 0.0, 0.0], upper = [0.05, 0.1, 0.3] }}]\n\
         freeze = [{{ region = \"left\", from = 0.05 }}]\nbodies = [\n\
         {{ sample = \"lattice\", material = \"a\", count = 200, radius = {{ uniform = [0.004, 0.006] }}, lower = [0.0, 0.0, 0.02] }},\n\
         {{ sample = \"lattice\", material = \"b\", count = 25, radius = 0.008, upper = [0.1, 0.1, 0.02], motion = \"fixed\" }}]\n"
    );
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let go = |config: &Path, out: &str, ranks: usize, steps: Option<u64>| {
        let out = dir.path().join(out);
        let options = Options {
            out: Some(out.clone()),
            threads: 1,
            steps,
            ..Options::default()
        };
        threads::run(ranks, |comm| sim::try_run(comm, config, &options).unwrap());
        out
    };
    let last = |out: &Path| {
        let found = threads::run(1, |comm| checkpoint::read_newest(comm, out).unwrap());
        let (path, mut loaded, _) = found.into_iter().next().unwrap();
        loaded.header.ranks = 0;
        loaded.header.provenance.clear();
        (path, loaded)
    };
    let (path, before) = last(&go(&write("first.toml", &first), "first", 2, None));
    let second = |rest: &str| {
        format!(
            "{common}bodies = [\n\
             {{ sample = \"lattice\", material = \"b\", count = 30, radius = 0.005, lower = [0.0, 0.0, 0.2] }},\n\
             {{ sample = \"file\", file = {:?}, material = \"b\"{rest} }}]\n",
            path.display().to_string()
        )
    };
    let config = write("second.toml", &second(", ids = \"new\""));
    // At the start they are as they were.
    let (_, start) = last(&go(&config, "start", 3, Some(0)));
    assert_eq!(start.bodies.len(), 30 + before.bodies.len());
    for ((new, old), id) in start.bodies[30..].iter().zip(&before.bodies).zip(30..) {
        let kind = match old.kind {
            held if held == BodyKind::Held as u32 => BodyKind::Free as u32,
            kind => kind,
        };
        assert_eq!((new.id.0, new.material, new.kind), (id, 1, kind));
        let same = |row: &BodyRow| {
            (
                row.position,
                row.velocity,
                row.angular_velocity,
                row.orientation,
            )
        };
        assert_eq!(same(new), same(old));
        let size = |row: &BodyRow| (row.radius, row.mass, row.inertia);
        assert_eq!(size(new), size(old));
    }
    assert!(start.bodies.iter().any(|row| !row.is_free()));
    let held = |row: &&BodyRow| row.kind == BodyKind::Held as u32;
    assert!(
        before.bodies.iter().any(|row| held(&row)) && !start.bodies.iter().any(|row| held(&row))
    );
    let (_, serial) = last(&go(&config, "one", 1, None));
    for ranks in [2, 3] {
        let (_, other) = last(&go(&config, &format!("on {ranks}"), ranks, None));
        assert!(other == serial, "{ranks} ranks");
    }
    // By default they keep their ids, and those of the lattice lie above them.
    let kept = write("kept.toml", &second(""));
    for ranks in [1, 3] {
        let (_, start) = last(&go(&kept, &format!("kept on {ranks}"), ranks, Some(0)));
        let (old, new) = start.bodies.split_at(before.bodies.len());
        let place = |row: &BodyRow| (row.id, row.position);
        assert!(old.iter().map(place).eq(before.bodies.iter().map(place)));
        let ids = new.iter().map(|row| row.id.0);
        assert!(ids.eq(before.header.next_id..before.header.next_id + 30));
        assert_eq!(start.header.next_id, before.header.next_id + 30);
    }
    // What the entry says of their motion goes for all.
    let driven = write(
        "driven.toml",
        &second(", ids = \"new\", motion = \"free\", velocity = [0.0, 0.0, 0.5]"),
    );
    let (_, free) = last(&go(&driven, "free", 1, Some(0)));
    assert!(free.bodies.iter().all(BodyRow::is_free));
    assert_eq!(
        free.bodies[30].velocity[2],
        before.bodies[0].velocity[2] + 0.5
    );
    // Nobody asks for the file when the run goes on.
    let half = go(&config, "half", 2, Some(30));
    std::fs::remove_dir_all(dir.path().join("first")).unwrap();
    threads::run(3, |comm| {
        sim::try_resume(
            comm,
            &half,
            &Options {
                threads: 1,
                ..Options::default()
            },
        )
        .unwrap()
    });
    assert!(last(&half).1 == serial, "resumed");
}
