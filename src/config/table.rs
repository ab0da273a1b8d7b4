//! Tables of the configuration as lists of their keys, and docs/config.md with these lists.

/// A key or a table that declares itself.
pub(super) trait Declared: Sync {
    /// Its name in its table.
    fn name(&self) -> &'static str;

    /// The value without it, the accepted values, and the meaning.
    fn cells(&self) -> [String; 3];

    /// It in the first cell of its row, if it has a row.
    fn written(&self) -> Option<&'static str> {
        Some(self.name())
    }

    /// The tables and keys within it.
    fn within(&self) -> &'static [&'static dyn Declared] {
        &[]
    }
}

/// A table and its keys.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The row before those of its keys, if it has one: see [`Declared::cells`].
    head: Option<Head>,
    keys: &'static [&'static dyn Declared],
}

/// The row of a table: the table as it is written, and the other cells.
type Head = (&'static str, [&'static str; 3]);

impl Table {
    /// A table without a row of its own.
    pub(super) const fn new(name: &'static str, keys: &'static [&'static dyn Declared]) -> Self {
        Self {
            name,
            head: None,
            keys,
        }
    }

    /// A table that may be left out: what holds then, the accepted values, and the meaning.
    pub(super) const fn optional(self, cells: [&'static str; 3]) -> Self {
        Self {
            head: Some((self.name, cells)),
            ..self
        }
    }

    /// The keys of one kind of entries, such as `shape = "plane"`, and the meaning of this kind.
    pub(super) const fn kind(self, written: &'static str, text: &'static str) -> Self {
        Self {
            head: Some((written, ["", "", text])),
            ..self
        }
    }

    /// The names of its keys.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.keys.iter().map(|key| key.name()).collect();
        // A key may have a number or a table as its value, and is then in the list twice.
        names.dedup();
        names
    }
}

impl Declared for Table {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cells(&self) -> [String; 3] {
        let cells = self.head.map_or([""; 3], |(_, cells)| cells);
        cells.map(str::to_owned)
    }

    fn written(&self) -> Option<&'static str> {
        self.head.map(|(written, _)| written)
    }

    fn within(&self) -> &'static [&'static dyn Declared] {
        self.keys
    }
}

/// Begins the line before a list of keys in a document; the names of tables follow.
const BEGIN: &str = "<!-- keys: ";

/// The same for tables that are entries of lists; their keys stand without the name of the table.
const BEGIN_ENTRIES: &str = "<!-- keys of entries: ";

/// Begins the line after it.
const END: &str = "<!-- end of keys";

const HEAD: &str = "| key | default | accepted | meaning |\n| --- | --- | --- | --- |\n";

/// A document with the lists of keys, between its marks, as `tables` declare them.
///
/// # Errors
/// A mark that names no table, or that has no end.
pub(super) fn document(text: &str, tables: &[&dyn Declared]) -> Result<String, String> {
    let mut made = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        made += line;
        made += "\n";
        let entries = line.strip_prefix(BEGIN_ENTRIES);
        let Some(names) = entries.or(line.strip_prefix(BEGIN)) else {
            continue;
        };
        made += "\n";
        made += HEAD;
        for name in names.trim_end_matches("-->").split_whitespace() {
            let table = tables.iter().find(|table| table.name() == name);
            let table =
                table.ok_or(format!("{line}: must be the names of tables; found {name}"))?;
            match entries {
                Some(_) => of_entry(*table, &mut made),
                None => rows(*table, "", &mut made),
            }
        }
        let end = lines.find(|line| line.starts_with(END));
        made += "\n";
        made += end.ok_or(format!("{line}: must be followed by {END} -->; found none"))?;
        made += "\n";
    }
    Ok(made)
}

/// The rows of an entry of a list.
fn of_entry(table: &dyn Declared, into: &mut String) {
    if let Some(written) = table.written() {
        row(written, table, into);
    }
    for key in table.within() {
        rows(*key, "", into);
    }
}

/// The rows of a key, or of a table and all of its keys.
fn rows(one: &dyn Declared, before: &str, into: &mut String) {
    let path = |name: &str| match before {
        "" => name.to_owned(),
        before => format!("{before}.{name}"),
    };
    if let Some(written) = one.written() {
        row(&path(written), one, into);
    }
    let path = path(one.name());
    for key in one.within() {
        rows(*key, &path, into);
    }
}

fn row(written: &str, one: &dyn Declared, into: &mut String) {
    let [without, accepted, text] = one.cells();
    *into += &format!("| `{written}` | {without} | {accepted} | {text} |\n");
}
