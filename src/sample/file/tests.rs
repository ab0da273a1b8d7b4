//! Files of bodies, good and bad. Files at fault that a configuration names are in
//! `tests/bad_config.rs`.

use super::super::{Arrangement, Count, Ids, Lattice, Named, Radius, Sample, Source, Space};
use super::super::{bodies, count, ignored};
use crate::body::{BodyId, BodyKind, BodyRow};
use std::io::Write;
use std::path::{Path, PathBuf};

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

fn sample(source: Source) -> Sample {
    Sample {
        source,
        material: 1,
        density: 2500.0,
        named: Vec::new(),
        velocity: [0.0, 0.0, -0.5],
        angular_velocity: [0.0; 3],
        kind: BodyKind::Free,
        discs: false,
        form: None,
        size: 1.0,
    }
}

/// The bodies of a file with new ids.
fn new(path: &Path) -> Source {
    Source::File {
        path: path.to_owned(),
        ids: Ids::New,
    }
}

fn read(path: &Path) -> Result<Vec<BodyRow>, String> {
    let sample = sample(new(path));
    let mut rows = Vec::new();
    bodies(&sample, 0..u64::MAX - 100, 100, 1, &mut |b| rows.push(b)).map_err(|e| e.to_string())?;
    assert_eq!(
        count(&sample).map_err(|e| e.to_string())?,
        Count {
            bodies: rows.len() as u64,
            kept_below: None
        }
    );
    Ok(rows)
}

/// Reads a text as a file; errors without the path of the temporary folder.
fn read_text(text: &str) -> Result<(Vec<BodyRow>, Vec<String>), String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("f");
    std::fs::write(&path, text).expect("written");
    let prefix = format!("{}:", path.display());
    let rows = read(&path).map_err(|e| e.strip_prefix(&prefix).map_or(e.clone(), str::to_owned))?;
    let ignored = ignored(&sample(new(&path))).expect("read before");
    Ok((rows, ignored))
}

/// Makes the shipped files: 1000 spheres of 5 mm, 10 x 10 x 10, on a floor.
///
/// The floor is 0.115 m x 0.115 m; positions are in whole nanometres.
/// `cargo test --lib write_settle_1k -- --ignored`
#[test]
#[ignore = "writes tests/data/settle-1k.*"]
fn write_settle_1k() {
    let lattice = sample(Source::Lattice(Lattice {
        count: 1000,
        radius: Radius::Constant(0.005),
        arrangement: Arrangement::SimpleCubic,
        space: Space {
            lower: [0.0; 3],
            upper: [0.115; 3],
            periodic: [false; 3],
            region: None,
        },
        jitter: 0.07,
    }));
    let mut csv = "x,y,z,radius\n".to_owned();
    let mut data = "LAMMPS data: 1000 loose spheres\n\n1000 atoms\n1 atom types\n\n".to_owned();
    data += "0 0.115 xlo xhi\n0 0.115 ylo yhi\n0 0.12 zlo zhi\n\nAtoms # sphere\n\n";
    let mut write = |b: BodyRow| {
        let [x, y, z] = b.position;
        csv += &format!("{x:.9},{y:.9},{z:.9},{}\n", b.radius);
        data += &format!("{} 1 {} 2500 {x:.9} {y:.9} {z:.9}\n", b.id, 2.0 * b.radius);
    };
    bodies(&lattice, 0..u64::MAX - 1, 1, 1, &mut write).expect("they fit");
    std::fs::write(format!("{SHIPPED}/settle-1k.csv"), csv).expect("written");
    std::fs::write(format!("{SHIPPED}/settle-1k.data"), data).expect("written");
}

#[test]
fn the_shipped_twins_give_the_same_bodies() {
    let csv = read(&Path::new(SHIPPED).join("settle-1k.csv")).expect("good");
    let data = read(&Path::new(SHIPPED).join("settle-1k.data")).expect("good");
    assert_eq!(csv.len(), 1000);
    assert_eq!(csv, data);
    for (k, b) in csv.iter().enumerate() {
        assert_eq!(
            (b.id, b.material, b.radius),
            (BodyId(100 + k as u64), 1, 0.005)
        );
        assert_eq!(b.velocity, [0.0, 0.0, -0.5]);
        let inside = |x: f64, high: f64| x >= 0.005 && x <= high - 0.005;
        assert!(
            inside(b.position[0], 0.115) && inside(b.position[1], 0.115),
            "body {}",
            b.id
        );
        assert!(inside(b.position[2], 0.115), "body {}", b.id);
        for other in &csv[..k] {
            let d2: f64 = (0..3)
                .map(|i| (b.position[i] - other.position[i]).powi(2))
                .sum();
            assert!(d2.sqrt() >= 0.01, "{} and {} overlap", b.id, other.id);
        }
    }
}

/// Files of 10 000 and 50 000 bodies of another code, if they lie next to the checkout.
#[test]
fn larger_files_of_another_code_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    for (name, n) in [("settle-10k", 10_000), ("settle-50k", 50_000)] {
        let twins: Vec<PathBuf> = ["csv", "data"]
            .map(|e| folder.join(format!("{name}.{e}")))
            .into();
        if twins.iter().any(|file| !file.exists()) {
            // Past the capture of the test harness, which hides the output of passing tests.
            let at = folder.display();
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: {name}.csv and {name}.data are not in {at}"
            );
            continue;
        }
        let [csv, data] = [0, 1].map(|k| read(&twins[k]).expect("good"));
        assert_eq!(csv.len(), n);
        assert_eq!(csv, data);
        // 2500 kg/m3 * 4/3 pi (5 mm)^3.
        assert!(
            csv.iter()
                .all(|b| (b.mass / 1.308_996_938_995_747e-3 - 1.0).abs() < 1e-14)
        );
    }
}

#[test]
fn a_data_files_bodies_come_by_id_with_its_densities_and_velocities() {
    let text = "title\n\n3 atoms # all\n2 atom types\n\nMasses\n\n1 1.0\n2 1.0\n\nAtoms\n\n\
                7 2 0.2 1000 7 0 0 0 0 -1\n2 1 0.1 2000 2 0 0 0 0 0\n5 1 0.1 2000 5 0 0 1 0 0\n\n\
                Velocities\n\n5 0.5 0 0 0 0 5\n7 0.7 0 0 0 0 7\n2 0.2 0 1 0 0 2\n";
    let (rows, ignored) = read_text(text).expect("good");
    let x: Vec<f64> = rows.iter().map(|b| b.position[0]).collect();
    assert_eq!(x, [2.0, 5.0, 7.0]);
    assert_eq!(
        rows[0].velocity,
        [0.2, 0.0, 0.5],
        "the file's and the sample's"
    );
    assert_eq!(rows[2].angular_velocity, [0.0, 0.0, 7.0]);
    // 1000 kg/m3 * 4/3 pi (0.1 m)^3 = 4.1887902047863905 kg.
    assert!((rows[2].mass - 4.188_790_204_786_390_5).abs() < 1e-15);
    assert_eq!(ignored, ["section Masses", "atom types 1, 2"]);
}

#[test]
fn a_tables_columns_may_come_in_any_order_with_others_between() {
    let text = "# from somewhere\n Diameter, z, colour, y, x, density, vx, vy, vz\n\n\
                0.2, 3, red, 2, 1, 1000, 4, 5, 6\n";
    let (rows, ignored) = read_text(text).expect("good");
    assert_eq!(rows[0].position, [1.0, 2.0, 3.0]);
    assert_eq!((rows[0].radius, rows[0].velocity), (0.1, [4.0, 5.0, 5.5]));
    assert!((rows[0].mass - 4.188_790_204_786_390_5).abs() < 1e-15);
    assert_eq!(ignored, ["column colour"]);
}

const DUMP: &str = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp ff\n0 9\n0 9\n0 9\n\
    ITEM: ATOMS id type x y z radius\n1 1 8 8 8 0.2\nITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp ff\n\
    0 9\n0 9\n0 9\nITEM: ATOMS id type x y z radius vx vy vz omegax omegay omegaz density\n";

/// Where the entry has `materials`, a column gives each body its material.
///
/// It gives the density as well, unless the file has one; all formats refuse other words.
#[test]
fn files_give_each_body_its_material() {
    let named = [("1", 3, 1000.0), ("steel", 0, 7800.0)];
    let named = named.map(|(word, material, density)| Named {
        word: word.to_owned(),
        material,
        density,
    });
    let read = |text: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("f");
        std::fs::write(&path, text).expect("written");
        let prefix = format!("{}:", path.display());
        let sample = Sample {
            named: named.to_vec(),
            ..sample(new(&path))
        };
        let mut rows = Vec::new();
        let read = bodies(&sample, 0..100, 0, 1, &mut |b| rows.push(b));
        let read = read.and_then(|()| ignored(&sample));
        let unused = read.map_err(|e| e.to_string().replacen(&prefix, "", 1))?;
        Ok::<_, String>((rows, unused))
    };
    let ball = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let is = |row: &BodyRow, material: u32, density: f64| {
        let mass = density * ball(row.radius);
        assert_eq!(row.material, material);
        assert!((row.mass / mass - 1.0).abs() < 1e-14, "{row:?}");
    };
    let (rows, unused) = read("x,y,z,r,material\n0,0,0,0.1,steel\n1,0,0,0.2,1\n").expect("good");
    is(&rows[0], 0, 7800.0);
    is(&rows[1], 3, 1000.0);
    assert!(unused.is_empty());
    let (rows, _) = read("x,y,z,r,type,density\n0,0,0,0.1,steel,500\n").expect("good");
    is(&rows[0], 0, 500.0);
    let dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id type x y z radius\n\
                2 1 0 0 0 0.1\n1 steel 1 0 0 0.1\n";
    let (rows, unused) = read(dump).expect("good");
    is(&rows[0], 0, 7800.0);
    is(&rows[1], 3, 1000.0);
    assert!(unused.is_empty());
    let data = "title\n\n2 atoms\n\nAtoms\n\n1 1 0.2 900 0 0 0\n2 1 0.2 800 1 0 0\n";
    let (rows, unused) = read(data).expect("good");
    is(&rows[0], 3, 900.0);
    is(&rows[1], 3, 800.0);
    assert!(unused.is_empty());
    let accepted = "is not accepted; accepted: a word of materials: 1, steel";
    for (text, column) in [
        (
            "x,y,z,r,material\n0,0,0,0.1,wood\n".to_owned(),
            "2: column material: \"wood\"",
        ),
        (dump.replace("steel", "4"), "7: column type: \"4\""),
        (data.replace("2 1 0.2", "2 7 0.2"), "8: column type: \"7\""),
    ] {
        let error = read(&text).expect_err("a word that is not listed");
        assert!(error.contains(&format!("{column} {accepted}")), "{error}");
    }
    let error = read("x,y,z,r\n0,0,0,0.1\n").expect_err("no column");
    assert!(error.contains("no column material or type"), "{error}");
    let error = read(&dump.replace("id type", "id kind")).expect_err("no column");
    assert!(error.contains("no type"), "{error}");
}

/// The last frame of a dump counts, by id, with its velocities and densities.
#[test]
fn a_dumps_last_frame_is_read() {
    let text = DUMP.to_owned() + "7 1 1 2 3 0.1 0 0 1 0 0 7 1000\n2 2 4 5 6 0.2 0 1 0 0 2 0 2000\n";
    let (rows, ignored) = read_text(&text).expect("good");
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].position, rows[0].radius), ([4.0, 5.0, 6.0], 0.2));
    assert_eq!(
        rows[0].velocity,
        [0.0, 1.0, -0.5],
        "the file's and the sample's"
    );
    assert_eq!(rows[0].angular_velocity, [0.0, 2.0, 0.0]);
    // 1000 kg/m3 * 4/3 pi (0.1 m)^3.
    assert!((rows[1].mass - 4.188_790_204_786_390_5).abs() < 1e-15);
    assert_eq!(ignored, ["all frames but the last of 2", "column type"]);
    // Without densities those of the material; centres that were never wrapped, and diameters.
    let (rows, _) = read_text(
        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS diameter id xu yu zu\n0.2 1 1 2 3\n",
    )
    .expect("good");
    assert_eq!((rows[0].position, rows[0].radius), ([1.0, 2.0, 3.0], 0.1));
    assert!((rows[0].mass - 2.5 * 4.188_790_204_786_390_5).abs() < 1e-14);
}

#[test]
fn what_is_wrong_in_a_dump_is_told_with_its_line() {
    let frame = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\n"; // ATOMS stands on line 5.
    let one = "1 0 0 0 1\n";
    for (text, expected) in [
        (frame.to_owned(), "4: the last frame has no atoms"),
        (
            frame.to_owned() + "ITEM: ATOMS id x y radius\n",
            "5: no x y z among the columns \"id x y radius\"",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS id x y z\n",
            "5: no radius among the columns",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS x y z radius\n",
            "5: no id among the columns",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS id x y z radius\n" + one,
            "6: the file ends after 1 of the 2",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS id x y z radius\n" + one + one,
            "7: atom 1 is there already, on line 6",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS id x y z radius\n" + one + "2 0 0 0\n",
            "7: 4 fields; accepted: 5",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS id x y z radius\n" + one + "2 0 nan 0 1\n",
            "7: column y: \"nan\" is not accepted; accepted: a finite",
        ),
        (
            frame.to_owned() + "ITEM: ATOMS id x y z radius\n" + one + "2 0 0 0 -1\n",
            "7: column radius: \"-1\" is not accepted; accepted: a finite number > 0",
        ),
        (
            "ITEM: TIMESTEP\n0\nITEM: ATOMS id x y z radius\n".to_owned(),
            "3: ATOMS before NUMBER",
        ),
    ] {
        let error = read_text(&text).expect_err(&text);
        assert!(
            error.starts_with(expected),
            "{text:?}\n  says     {error}\n  expected {expected}"
        );
    }
}

/// Each text and the beginning of its error message, line number first.
#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line() {
    let head = "t\n\n2 atoms\n\nAtoms\n\n"; // Rows start on line 7.
    let one = "1 1 0.1 2500 0 0 0\n";
    let cases = [
        ("".to_owned(), "1: no column x, y, z in the header \"\""),
        ("x,y,z,r\n".to_owned(), "1: the file holds no bodies"),
        (
            "x,y,z\n1,2,3\n".to_owned(),
            "1: no column radius in the header \"x,y,z\"",
        ),
        ("x,y,x,r\n".to_owned(), "1: column x is there twice"),
        (
            "x,y,z,r,d\n".to_owned(),
            "1: more than one column for the size",
        ),
        ("x,y,z,r,vx\n".to_owned(), "1: not all of vx, vy, vz"),
        (
            "x,y,z,r\n1,2,3,1\n\n1,2,3\n".to_owned(),
            "4: 3 fields; accepted: 4",
        ),
        (
            "x,y,z,r\n1,2,3,1\n\n1,2,q,1\n".to_owned(),
            "4: column z: \"q\" is not accepted; accepted: a finite",
        ),
        ("x,y,z,r\n1,2,,1\n".to_owned(), "2: column z: \"\""),
        ("x,y,z,r\n1,nan,3,1\n".to_owned(), "2: column y: \"nan\""),
        (
            "x,y,z,r\n1,2,3,0\n".to_owned(),
            "2: column r: \"0\" is not accepted; accepted: a finite number > 0",
        ),
        ("x,y,z,r\n1,2,3,-1\n".to_owned(), "2: column r: \"-1\""),
        (
            "x,y,z,r,density\n1,2,3,1,0\n".to_owned(),
            "2: column density: \"0\"",
        ),
        (
            "t\n\n0 atoms\n".to_owned(),
            "3: column atoms: \"0\" is not accepted; accepted: a whole number >= 1",
        ),
        (
            "t\n\n2 atoms\n".to_owned(),
            "3: the file ends in its header",
        ),
        (
            "t\n\nAtoms\n\n".to_owned() + one,
            "3: no count of atoms in the header",
        ),
        (
            "t\n\n2 atoms\n\nMasses\n\n1 1\n".to_owned(),
            "7: no section Atoms",
        ),
        (
            head.to_owned() + one,
            "7: the file ends after 1 of the 2 lines of section Atoms",
        ),
        (
            head.to_owned() + one + "2 1 0.1 2500 0\n",
            "8: 5 fields; accepted: 7 (id type diameter density x y z)",
        ),
        (
            head.to_owned() + one + one,
            "8: atom 1 is there already, on line 7",
        ),
        (
            head.to_owned() + one + "2 1 0.1 2500 0 0 0\n" + one,
            "9: more atoms than the header's 2",
        ),
        (
            head.to_owned() + one + "2 1 -0.1 2500 0 0 0\n",
            "8: column diameter: \"-0.1\"",
        ),
        (
            head.to_owned() + one + "2 1 0.1 2500 0 inf 0\n",
            "8: column y: \"inf\"",
        ),
        (
            head.to_owned() + one + "x 1 0.1 2500 0 0 0\n",
            "8: column id: \"x\"",
        ),
        (
            head.to_owned() + one + "\nVelocities\n",
            "9: the next section starts after 1 of the 2",
        ),
        (
            head.replace("Atoms", "Atoms # atomic") + one,
            "5: atom style \"atomic\"; accepted: sphere",
        ),
        (
            head.to_owned() + one + "2 1 0.1 2500 0 0 0\nVelocities\n\n1 0 0 0 0 0 0\n",
            "11: the file ends after 1 of the 2 lines of section Velocities",
        ),
        (
            head.to_owned() + one + "2 1 0.1 2500 0 0 0\nVelocities\n\n3 0 0 0 0 0 0\n",
            "11: column id: \"3\" is not accepted; accepted: an id of section Atoms",
        ),
    ];
    for (text, expected) in cases {
        let error = read_text(&text).expect_err(&text);
        assert!(
            error.starts_with(expected),
            "{text:?}\n  says     {error}\n  expected {expected}"
        );
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = read(Path::new("/nowhere/bodies.csv")).expect_err("there is none");
    assert!(error.starts_with("/nowhere/bodies.csv: "), "{error}");
}

/// Bodies keep the ids of a file that has some: of CSV as they are, of LAMMPS one less, as it
/// counts from 1.
#[test]
fn ids_of_files_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("f");
    let prefix = format!("{}:", path.display());
    let read = |text: &str, ids: Ids| {
        std::fs::write(&path, text).expect("written");
        let (path, mut rows) = (path.clone(), Vec::new());
        let sample = sample(Source::File { path, ids });
        let counted = count(&sample).and_then(|count| {
            bodies(&sample, 0..100, 50, 1, &mut |b| rows.push(b)).map(|()| count)
        });
        let count = counted.map_err(|e| e.to_string().replacen(&prefix, "", 1))?;
        let rows = rows.iter().map(|b| (b.id.0, b.position[0]));
        Ok::<_, String>((rows.collect::<Vec<_>>(), count.kept_below))
    };
    let table = "ID,x,y,z,r\n70,1,0,0,0.1\n0,2,0,0,0.1\n9,3,0,0,0.1\n";
    let kept = read(table, Ids::OfFile).expect("good");
    assert_eq!(kept, (vec![(70, 1.0), (0, 2.0), (9, 3.0)], Some(71)));
    let new = read(table, Ids::New).expect("good");
    assert_eq!(new, (vec![(50, 1.0), (51, 2.0), (52, 3.0)], None));
    // A table without ids has new ones anyhow.
    let bare = read("x,y,z,r\n1,0,0,0.1\n", Ids::OfFile).expect("good");
    assert_eq!(bare, (vec![(50, 1.0)], None));
    let dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id x y z radius\n\
        70 1 0 0 0.1\n4 2 0 0 0.1\n";
    let kept = read(dump, Ids::OfFile).expect("good");
    assert_eq!(kept, (vec![(3, 2.0), (69, 1.0)], Some(70)));
    let data = "title\n\n2 atoms\n1 atom types\n\nAtoms\n\n70 1 0.2 9 1 0 0\n4 1 0.2 9 2 0 0\n";
    let kept = read(data, Ids::OfFile).expect("good");
    assert_eq!(kept, (vec![(3, 2.0), (69, 1.0)], Some(70)));
    let new = read(data, Ids::New).expect("good");
    assert_eq!(new, (vec![(50, 2.0), (51, 1.0)], None));

    let twice = table
        .replace("70,", "# one\n9,")
        .replace("0,2", "# none\n\n0,2");
    let expected =
        "7: body 9 is there already, on line 3; accepted: each id once, or ids = \"new\"";
    assert_eq!(read(&twice, Ids::OfFile).expect_err("twice"), expected);
    assert!(read(&twice, Ids::New).is_ok());
    for (bad, from) in [
        ("-1", table),
        ("x", table),
        ("4611686018427387903", table),
        ("0", dump),
    ] {
        let text = from.replacen("70", bad, 1);
        let error = read(&text, Ids::OfFile).expect_err(bad);
        assert!(
            error.contains(&format!("{bad:?} is not accepted")),
            "{error}"
        );
    }
    let most = table.replace("70,", "4611686018427387902,");
    let kept = read(&most, Ids::OfFile).expect("good");
    assert_eq!(kept.1, Some((1 << 62) - 1));
}
