use super::*;

const SOLIDS: &str = "solid one\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1.5 0\n  endloop\n endfacet\n\
                      endsolid one\nSOLID\n FACET NORMAL 0 0 1\n  OUTER LOOP\n   VERTEX 0 0 1e0\n   VERTEX 1 0 1\n   VERTEX 0 1 1\n  ENDLOOP\n ENDFACET\n\
                      ENDSOLID\n";

/// A text of two solids, one in capital letters; a binary file whose header begins like a text.
#[test]
fn solids_of_stl_files() {
    let found = parts(Path::new("a.STL"), SOLIDS.as_bytes()).expect("two solids");
    let names: Vec<_> = found.iter().map(|part| part.name.as_deref()).collect();
    assert_eq!(names, [Some("one"), None]);
    assert_eq!(
        found[0].faces.points,
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0]]
    );
    assert_eq!(found[1].faces.points[1], [1.0, 0.0, 1.0]);
    let mut binary = b"solid made by a program".to_vec();
    binary.resize(80, b' ');
    binary.extend(1_u32.to_le_bytes());
    let numbers = [0.0, 0.0, 1.0]
        .into_iter()
        .chain(found[0].faces.points.iter().flatten().copied());
    binary.extend(numbers.flat_map(|x| (x as f32).to_le_bytes()));
    binary.extend([0, 0]);
    let again = parts(Path::new("a.stl"), &binary).expect("a solid");
    assert_eq!((again.len(), &again[0].faces), (1, &found[0].faces));
    // Zeros after a text are not read.
    let padded = parts(Path::new("a.stl"), format!("{SOLIDS}\0\0").as_bytes());
    assert_eq!(padded.as_ref(), Ok(&found));
    // Cut off, or with more bytes than it should have, it is not taken for a text.
    for end in [90, 133, 135, 200] {
        let mut other = binary.clone();
        other.resize(end, b' ');
        let expected = format!("{end} bytes, where a binary STL file of 1 triangles has 134");
        assert_eq!(parts(Path::new("a.stl"), &other), Err(expected));
    }
}

/// Objects of an OBJ file with relative and repeated indices, a quadrilateral, and normals.
#[test]
fn objects_of_obj_files() {
    let text = "# made by hand\nmtllib none.mtl\no plate\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0.1234567890123\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\n\
                o flap\nv 0 0 5\nf 1 2 -1\n";
    let found = parts(Path::new("a.obj"), text.as_bytes()).expect("two objects");
    let names: Vec<_> = found.iter().map(|part| part.name.as_deref()).collect();
    assert_eq!(names, [Some("plate"), Some("flap")]);
    assert_eq!(found[0].faces.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(found[0].faces.points[3], [0.0, 1.0, 0.1234567890123]);
    let flap = &found[1].faces;
    let corner = |k: usize| flap.points[flap.triangles[0][k] as usize];
    assert_eq!([corner(1), corner(2)], [[2.0, 0.0, 0.0], [0.0, 0.0, 5.0]]);
}

/// A PLY text with a colour, and the same as a big-endian file.
#[test]
fn faces_of_ply_files() {
    let header = |form: &str| {
        format!(
            "ply\nformat {form} 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
             property uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let text = header("ascii") + "0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0.5 9\n4 0 1 2 3\n";
    let found = parts(Path::new("a.ply"), text.as_bytes()).expect("a part");
    assert_eq!(found[0].faces.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(found[0].faces.points[3], [0.0, 1.0, 0.5]);
    let mut binary = header("binary_big_endian").into_bytes();
    for point in &found[0].faces.points {
        binary.extend(point.iter().flat_map(|x| (*x as f32).to_be_bytes()));
        binary.push(9);
    }
    binary.push(4);
    binary.extend((0_i32..4).flat_map(i32::to_be_bytes));
    assert_eq!(parts(Path::new("a.ply"), &binary), Ok(found));
}

/// Contents other than meshes are refused, with a reason.
#[test]
fn contents_other_than_meshes() {
    let of = |name: &str, contents: &[u8]| parts(Path::new(name), contents).expect_err(name);
    let cases: [(&str, &[u8], &str); 15] = [
        ("a.step", b"ISO-10303", "none of .stl, .obj, .ply"),
        ("a", b"", "none of .stl"),
        ("a.stl", b"", "no faces"),
        ("a.stl", b"hello", "line 1 outside a solid: hello"),
        ("a.stl", b"solid x\nfacet", "ends within a solid"),
        ("a.stl", b"solid x\nendsolid x\n", "no faces"),
        ("a.stl", &[0xff; 200], "200 bytes, where a binary STL file"),
        ("a.obj", b"o x\nv 0 0 0\nf 1 2 3\n", "out of bounds"),
        ("a.obj", b"v 0 0 0\nl 1 1\n", "no faces"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 3\r\n\tf 1/ 2/ # 3\n", "line 6: a face with 2 corners"),
        ("a.obj", b"v 0 0 0\nf 1", "line 2: a face with 1 corners"),
        ("a.obj", b"v 0 0 0\nf 1 2 \\\n3\n", "line 2: a face that goes on in the next line"),
        ("a.ply", b"ply\nnothing", ""),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n", "vertex"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n2 0 0\n",
            "a face with 2 corners",
        ),
    ];
    for (name, contents, expected) in cases {
        let why = of(name, contents);
        assert!(why.contains(expected), "{name}: {why}");
    }
    for (number, expected) in [
        ("nan", "NaN is not a finite number"),
        ("one", "one is not a number"),
    ] {
        let why = of("a.stl", SOLIDS.replace("1e0", number).as_bytes());
        assert!(why.starts_with("line ") && why.ends_with(expected), "{why}");
    }
    let why = of("a.stl", b"solid x\nfacet\nvertex 0 1\nendsolid x\n");
    assert_eq!(why, "line 3: a vertex has 2 numbers, not 3");
    let bad = SOLIDS.replace("1e0", "nan");
    assert!(
        of("a.stl", bad.as_bytes()).contains("NaN"),
        "{}",
        of("a.stl", bad.as_bytes())
    );
}
