//! Descriptions of datasets of HDF5 files in XDMF (xdmf.org), for ParaView and VisIt.
//!
//! A description has no data: it names files, by paths relative to its own folder, and datasets.

use std::fmt::Write;

/// The type of the numbers of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Bytes without sign.
    U8,
    /// 16 bits without sign.
    U16,
    /// 32 bits without sign.
    U32,
    /// 64 bits; readers take larger numbers without sign for the largest one with sign.
    I64,
    /// Real numbers of 32 bits.
    F32,
    /// Real numbers of 64 bits.
    F64,
}

impl Number {
    /// Name and bytes in a description.
    fn about(self) -> (&'static str, u8) {
        match self {
            Self::U8 => ("UChar", 1),
            Self::U16 => ("UShort", 2),
            Self::U32 => ("UInt", 4),
            Self::I64 => ("Int", 8),
            Self::F32 => ("Float", 4),
            Self::F64 => ("Float", 8),
        }
    }
}

/// A dataset of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name that readers show.
    pub name: String,
    /// The file, relative to the folder of the description.
    pub file: String,
    /// The path in the file.
    pub path: String,
    /// The type of its numbers.
    pub number: Number,
    /// Numbers in a row.
    pub width: usize,
}

/// A state: points, lines between two points each, or triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Still {
    /// The step.
    pub step: u64,
    /// The time [s].
    pub time: f64,
    /// Points, lines, or triangles.
    pub rows: u64,
    /// Points of each: 1, 2 or 3.
    pub corners: u64,
    /// The points, those of each row one after the other.
    pub points: Column,
    /// Data of each row.
    pub columns: Vec<Column>,
}

/// The description of series of states, each with a name.
#[must_use]
pub fn document(series: &[(&str, &[Still])]) -> String {
    let mut text = "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.0\">\n<Domain>\n".to_owned();
    for (name, stills) in series {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<Grid Name=\"{name}\" GridType=\"Collection\" CollectionType=\"Temporal\">"
        );
        stills.iter().for_each(|still| still.write(&mut text));
        text.push_str("</Grid>\n");
    }
    text + "</Domain>\n</Xdmf>\n"
}

impl Still {
    fn write(&self, text: &mut String) {
        let (step, time, rows) = (self.step, self.time, self.rows);
        let corners = self.corners;
        let (kind, centre) = match corners {
            1 => ("Polyvertex", "Node"),
            2 => ("Polyline", "Cell"),
            _ => ("Triangle", "Cell"),
        };
        let points = self.points.item(corners * rows);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<Grid Name=\"step {step}\" GridType=\"Uniform\">\n<Time Value=\"{time:e}\"/>\n\
             <Topology TopologyType=\"{kind}\" NumberOfElements=\"{rows}\" NodesPerElement=\"{corners}\"/>\n\
             <Geometry GeometryType=\"XYZ\">{points}</Geometry>\n"
        );
        for column in &self.columns {
            let (name, item) = (&column.name, column.item(rows));
            let shape = match column.width {
                1 => "Scalar",
                3 => "Vector",
                _ => "Matrix",
            };
            let _ = writeln!(
                text,
                "<Attribute Name=\"{name}\" AttributeType=\"{shape}\" Center=\"{centre}\">{item}</Attribute>"
            );
        }
        text.push_str("</Grid>\n");
    }
}

impl Column {
    fn item(&self, rows: u64) -> String {
        let (kind, bytes) = self.number.about();
        let width = match self.width {
            1 => String::new(),
            width => format!(" {width}"),
        };
        let (file, path) = (escaped(&self.file), &self.path);
        format!(
            "<DataItem Format=\"HDF\" NumberType=\"{kind}\" Precision=\"{bytes}\" Dimensions=\"{rows}{width}\">{file}:{path}</DataItem>"
        )
    }
}

/// Text escaped for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
