//! Files that stages name.

use super::harness::{Place, mpi_available, on, state};
use super::{STAGED, resume, run};

/// Files of a stage are read when the run begins: an edited one is refused when the run is resumed, one that is gone is not missed; the run is the same as
/// by hand, on any ranks, and whether a file is new or stands in a list of motions.
#[test]
fn files_of_stages_count_as_they_were() {
    let place = Place::new();
    let lid = "time,value\n0,0\n0.02,-0.01\n0.05,-0.01\n";
    let wave = "time,value\n0,0\n0.01,0.3\n0.03,-0.3\n";
    let begin = || {
        place.write("lid.csv", lid);
        place.write("wave.csv", wave);
    };
    let first = STAGED.split("[[stage]]").next().unwrap();
    let table = |file: &str, of: &str| {
        format!("{{ direction = [0.0, 0.0, 1.0], file = \"{file}\", of = \"{of}\" }}")
    };
    let both = format!(
        "[{}, {}]",
        table("wave.csv", "velocity"),
        table("lid.csv", "position")
    );
    let staged = format!(
        "{first}[[stage]]\nname = \"press\"\nsteps = 20\nunset = [\"wall.1.servo\"]\nset = {{ \"wall.1.table\" = {} }}\n\
         [[stage]]\nname = \"wave\"\nsteps = 15\nset = {{ \"wall.1.table\" = {both} }}\n",
        table("lid.csv", "position")
    );
    begin();
    place.write("run.toml", first);
    state(&run(&place, 1, "hand", &[]));
    let press = format!("wall.1.table={}", table(&place.path("lid.csv"), "position"));
    let words = ["--unset", "wall.1.servo", "--set", &press, "--steps", "50"];
    state(&resume(&place, 1, "hand", &words));
    let wave_and_lid = both
        .replace("wave.csv", &place.path("wave.csv"))
        .replace("lid.csv", &place.path("lid.csv"));
    let words = [
        "--set",
        &format!("wall.1.table={wave_and_lid}"),
        "--steps",
        "65",
    ];
    let by_hand = state(&resume(&place, 1, "hand", &words));
    assert!(by_hand.contains("step 65"), "{by_hand}");

    place.write("run.toml", &staged);
    for ranks in if mpi_available() { vec![1, 3] } else { vec![1] } {
        let ran = run(&place, ranks, &format!("staged-{ranks}"), &[]);
        assert_eq!(state(&ran), by_hand, "{ranks} ranks: {}", ran.stderr);
    }
    // Stopped before, within, between and after the stages.
    for stop in ["10", "30", "40", "50", "60"] {
        begin();
        let out = format!("until-{stop}");
        state(&run(&place, 1, &out, &["--steps", stop]));
        // A file that stages to come need is refused once it is edited.
        place.write("wave.csv", "time,value\n0,0\n1,1\n");
        let refused = resume(&place, 1, &out, &[]);
        assert_eq!(refused.status, Some(2), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("edited since"),
            "{}",
            refused.stderr
        );
        let again = run(&place, 1, &out, &["--or-resume"]);
        assert_eq!(again.status, Some(2), "{}", again.stderr);
        std::fs::remove_file(place.path("wave.csv")).unwrap();
        std::fs::remove_file(place.path("lid.csv")).unwrap();
        let ran = resume(&place, 1, &out, &[]);
        assert_eq!(state(&ran), by_hand, "stopped at {stop}: {}", ran.stderr);
    }
    begin();
    state(&run(&place, 1, "kept", &["--steps", "40"]));
    place.write("wave.csv", "time,value\n0,0\n1,1\n");
    assert_eq!(
        state(&resume(&place, 1, "kept", &["--kept-files"])),
        by_hand
    );
    // The same configuration goes on, too.
    begin();
    state(&run(&place, 1, "again", &["--steps", "40"]));
    assert_eq!(state(&run(&place, 1, "again", &["--or-resume"])), by_hand);
}

/// Large files of stages are read again when the stage begins, and pairs of bonds come from their file; one path has one content.
#[test]
fn files_of_stages_may_be_large_or_named_twice() {
    let place = Place::new();
    let first = STAGED.split("[[stage]]").next().unwrap();
    // More than a checkpoint stores, the rest being comments.
    let lid = "time,value\n0,0\n0.02,-0.01\n0.05,-0.01\n";
    let large = format!("{lid}{}", "# nothing\n".repeat(120_000));
    place.write("lid.csv", &large);
    place.write("pairs.csv", "a,b\n0,1\n2,3\n");
    let table = |file: &str| {
        format!("{{ direction = [0.0, 0.0, 1.0], file = \"{file}\", of = \"position\" }}")
    };
    let bond = "bond = [{ pairs = [[0, 1]], at = 100.0, stiffness = { normal = 1e3, tangential = 1e3, bending = 1.0, twisting = 1.0 } }]\n";
    let press = format!(
        "[[stage]]\nname = \"press\"\nsteps = 10\nunset = [\"wall.1.servo\"]\nset = {{ \"wall.1.table\" = {} }}\n",
        table("lid.csv")
    );
    let again = format!(
        "[[stage]]\nname = \"again\"\nsteps = 10\nset = {{ \"wall.1.table\" = {} }}\n",
        table("lid.csv")
    );
    let stages = format!(
        "{press}[[stage]]\nname = \"bind\"\nsteps = 10\nset = {{ \"bond.0.gap\" = 0.04, \"bond.0.at\" = 0.041, \"bond.0.pairs\" = \"pairs.csv\" }}\n{again}"
    );
    // Stages first: the order in the file does not matter.
    place.write("run.toml", &format!("{}\n{stages}", [bond, first].concat()));
    let ran = run(&place, 1, "whole", &[]);
    let whole = state(&ran);
    assert!(
        ran.stderr.contains("bond.0 at 0.041 s: 2 bonds"),
        "{}",
        ran.stderr
    );
    assert!(whole.contains("step 60"), "{whole}");
    for stop in ["20", "35", "45"] {
        state(&run(&place, 1, stop, &["--steps", stop]));
        assert_eq!(
            state(&resume(&place, 1, stop, &[])),
            whole,
            "stopped at {stop}"
        );
        state(&run(
            &place,
            1,
            &format!("again-{stop}"),
            &["--steps", stop],
        ));
        assert_eq!(
            state(&run(&place, 1, &format!("again-{stop}"), &["--or-resume"])),
            whole
        );
    }
    // One path cannot stand for two contents that are both needed.
    place.write("lid.csv", lid);
    state(&run(&place, 1, "two", &["--steps", "35"]));
    place.write("lid.csv", &lid.replace("0.05,-0.01", "0.05,-0.02"));
    let set = format!("stage.2.set.wall.1.table.file={}", place.path("lid.csv"));
    let ran = resume(&place, 1, "two", &["--kept-files", "--set", &set]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("copy it to another path"),
        "{}",
        ran.stderr
    );
    place.write("other.csv", &lid.replace("0.05,-0.01", "0.05,-0.02"));
    let set = format!("stage.2.set.wall.1.table.file={}", place.path("other.csv"));
    let ran = resume(&place, 1, "two", &["--kept-files", "--set", &set]);
    assert!(
        state(&ran).contains("step 60") && state(&ran) != whole,
        "{}",
        ran.stderr
    );
    // An edited file of a stage that runs: only advice that helps.
    place.write("lid.csv", lid);
    state(&run(&place, 1, "edited", &["--steps", "35"]));
    place.write("lid.csv", &lid.replace("0.05,-0.01", "0.05,-0.02"));
    let ran = run(&place, 1, "edited", &["--or-resume"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--kept-files") && !ran.stderr.contains("--set wall"),
        "{}",
        ran.stderr
    );
    // A key is given once, in one spelling.
    let twice = press.replace(
        "set = {",
        "set = { \"wall.1\" = { name = \"a\" }, \"wall.1.name\" = \"b\",",
    );
    place.write("twice.toml", &[first, &twice].concat());
    let ran = on(1, &["check", &place.path("twice.toml")]);
    assert!(ran.stderr.contains("must be given once"), "{}", ran.stderr);
    // Two spellings of one table name its file.
    let spelled = press
        .replace(
            "\"wall.1.table\" = {",
            "wall = { 1 = { table = { file = \"lid.csv\" } } }, \"wall.1.table\" = {",
        )
        .replace("file = \"lid.csv\", of", "of");
    place.write("run.toml", &[first, &press].concat());
    let expected = state(&run(&place, 1, "once", &[]));
    place.write("run.toml", &[first, &spelled].concat());
    assert_eq!(state(&run(&place, 1, "spelled", &[])), expected);
    // A large file that is gone when its stage begins.
    place.write("lid.csv", &large);
    place.write(
        "run.toml",
        &[first, &press, "[[stage]]\nsteps = 5\n", &again].concat(),
    );
    state(&run(&place, 1, "gone", &["--steps", "10"]));
    std::fs::remove_file(place.path("lid.csv")).unwrap();
    let ran = resume(&place, 1, "gone", &[]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("only its size and hash"),
        "{}",
        ran.stderr
    );
    let ran = resume(
        &place,
        1,
        "two",
        &[
            "--unset",
            "stage.2.set.wall.1.table",
            "--set",
            "stage.2.set.gravity=[0.0, 0.0, -1.0]",
        ],
    );
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(!ran.stderr.contains("found none"), "{}", ran.stderr);
}
