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
        let without = match self.without.as_str() {
            "—" => "none: this key, or another in its place, must be given",
            without => without,
        };
        for (name, value) in [("default", without), ("accepted", &self.accepted)] {
            if !value.is_empty() {
                lines += &format!("    {name}: {}\n", plain(value));
            }
        }
        lines + "    " + &plain(&self.text) + "\n"
    }
}

/// Markdown as plain text; links lead into the folder `docs`.
fn plain(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("](") {
        let Some(((before, _), (target, after))) =
            before.rsplit_once('[').zip(link.split_once(')'))
        else {
            break;
        };
        let file = target.split('#').next().filter(|file| !file.is_empty());
        made += &format!("{before}docs/{}", file.unwrap_or("config.md"));
        rest = after;
    }
    made += rest;
    made.replace('`', "")
        .replace("see below", "see docs/config.md")
}

/// Whether a table is called so, or is one of the kinds of its entries.
fn is_of(one: &dyn Declared, table: &str) -> bool {
    let names = one.name().split(':').next().unwrap_or_default();
    names.split('+').any(|name| name == table)
}

/// The tables and keys of a configuration, each table with its keys and those of kinds of entries.
pub(super) fn listed(root: &[&dyn Declared], kinds: &[&dyn Declared]) -> String {
    let line = |one: &&dyn Declared| {
        let of_kinds = kinds.iter().filter(|kind| is_of(**kind, one.name()));
        let tables = std::iter::once(one).chain(of_kinds);
        let mut keys: Vec<&str> = Vec::new();
        for key in tables.flat_map(|table| table.within()) {
            if !keys.contains(&key.name()) {
                keys.push(key.name());
            }
        }
        match one.written().unwrap_or(one.name()) {
            written if keys.is_empty() => format!("{written}\n"),
            written => format!("{written}: {}\n", keys.join(", ")),
        }
    };
    root.iter().map(line).collect()
}

/// The keys of the tables with this name, and of the kinds of its entries; `None`: no such table.
///
/// Behind a dot the name may go on with the beginning of a key.
pub(super) fn named(name: &str, tables: &[&dyn Declared]) -> Option<String> {
    let (table, key) = name.split_once('.').unwrap_or((name, ""));
    let is_entry = |one: &dyn Declared| {
        one.name().contains(':') || one.written().is_some_and(|written| written != one.name())
    };
    let is_asked = |row: &Row| {
        let own = row
            .key
            .strip_prefix(table)
            .and_then(|k| k.strip_prefix('.'));
        let own = own.unwrap_or(&row.key);
        own.starts_with(key) || key.strip_prefix(own).is_some_and(|k| k.starts_with('.'))
    };
    let mut found = String::new();
    for one in tables.iter().filter(|one| is_of(**one, table)) {
        let (head, rows) = match (is_entry(*one), one.written()) {
            (true, Some(written)) => (Some(Row::of(written, *one)), of_entry(*one)),
            (true, None) => (None, of_entry(*one)),
            (false, _) => (None, rows(*one, "")),
        };
        // A key of a kind of entries means little without the kind.
        let head = head.filter(|head| !is_asked(head));
        let asked: Vec<&Row> = rows.iter().filter(|row| is_asked(row)).collect();
        if let (Some(head), false) = (head, asked.is_empty()) {
            found += &head.lines();
        }
        asked.iter().for_each(|row| found += &row.lines());
    }
    (!found.is_empty()).then_some(found)
}
