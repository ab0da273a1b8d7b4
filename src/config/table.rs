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

    /// A table that may be left out: the value without it, the accepted ones, and the meaning.
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
            let rows = match entries {
                Some(_) => of_entry(*table),
                None => rows(*table, ""),
            };
            rows.iter().for_each(|row| made += &row.markdown());
        }
        let end = lines.find(|line| line.starts_with(END));
        made += "\n";
        made += end.ok_or(format!("{line}: must be followed by {END} -->; found none"))?;
        made += "\n";
    }
    Ok(made)
}

/// The rows of an entry of a list.
fn of_entry(table: &dyn Declared) -> Vec<Row> {
    let head = table.written().map(|written| Row::of(written, table));
    let keys = table.within().iter().flat_map(|key| rows(*key, ""));
    head.into_iter().chain(keys).collect()
}

/// The rows of a key, or of a table and all of its keys.
fn rows(one: &dyn Declared, before: &str) -> Vec<Row> {
    let path = |name: &str| match before {
        "" => name.to_owned(),
        before => format!("{before}.{name}"),
    };
    let head = one.written().map(|written| Row::of(&path(written), one));
    let path = path(one.name());
    let keys = one.within().iter().flat_map(|key| rows(*key, &path));
    head.into_iter().chain(keys).collect()
}

/// A key or a table, for readers.
struct Row {
    /// The key, from its table on, or the table as it is written.
    key: String,
    /// The value without it; `—`: none, it or another must be given.
    without: String,
    /// The accepted values.
    accepted: String,
    /// Its meaning, in Markdown.
    text: String,
}

impl Row {
    fn of(key: &str, one: &dyn Declared) -> Self {
        let [without, accepted, text] = one.cells();
        Self {
            key: key.to_owned(),
            without,
            accepted,
            text,
        }
    }

    fn markdown(&self) -> String {
        let Self {
            key,
            without,
            accepted,
            text,
        } = self;
        format!("| `{key}` | {without} | {accepted} | {text} |\n")
    }

    /// For a terminal.
    fn lines(&self) -> String {
        let mut lines = self.key.clone() + "\n";
        let values = [("default", &self.without), ("accepted", &self.accepted)];
        for (name, value) in values {
            if !value.is_empty() && value != "—" {
                lines += &format!("    {name}: {}\n", value.replace('`', ""));
            }
        }
        lines + "    " + &self.text.replace('`', "") + "\n"
    }
}

/// All tables of a configuration, each with its keys.
pub(super) fn listed(root: &[&dyn Declared]) -> String {
    let line = |one: &&dyn Declared| {
        let mut keys: Vec<&str> = one.within().iter().map(|key| key.name()).collect();
        keys.dedup();
        match one.written().unwrap_or(one.name()) {
            written if keys.is_empty() => format!("{written}\n"),
            written => format!("{written}: {}\n", keys.join(", ")),
        }
    };
    root.iter().map(line).collect()
}

/// The keys of the tables with this name, and of the kinds of its entries; `None`: no such table.
///
/// Behind a dot the name may go on with the begin of a key.
pub(super) fn named(name: &str, tables: &[&dyn Declared]) -> Option<String> {
    let (table, key) = name.split_once('.').unwrap_or((name, ""));
    let is_meant = |one: &&&dyn Declared| one.name().split(':').next() == Some(table);
    let is_entry = |one: &dyn Declared| {
        one.name().contains(':') || one.written().is_some_and(|written| written != one.name())
    };
    let all = tables.iter().filter(is_meant).flat_map(|one| {
        if is_entry(*one) {
            of_entry(*one)
        } else {
            rows(*one, "")
        }
    });
    let is_asked = |row: &Row| {
        let own = row
            .key
            .strip_prefix(table)
            .and_then(|k| k.strip_prefix('.'));
        own.unwrap_or(&row.key).starts_with(key)
    };
    let found: Vec<String> = all.filter(is_asked).map(|row| row.lines()).collect();
    (!found.is_empty()).then(|| found.concat())
}
