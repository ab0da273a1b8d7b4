//! Tables of the configuration as lists of their keys, and docs/config.md with these lists.

/// A key or a table that declares itself.
pub(super) trait Declared: Sync {
    /// Its name in its table.
    fn name(&self) -> &'static str;

    /// The value without it, the accepted values, and the meaning.
    fn cells(&self) -> [String; 3];

    /// The tables and keys within it.
    fn within(&self) -> &'static [&'static dyn Declared] {
        &[]
    }
}

/// A table and its keys.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) keys: &'static [&'static dyn Declared],
}

impl Table {
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
        Default::default()
    }

    fn within(&self) -> &'static [&'static dyn Declared] {
        self.keys
    }
}

/// Begins the line before a list of keys in a document; the names of tables follow.
const BEGIN: &str = "<!-- keys: ";

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
        let Some(names) = line.strip_prefix(BEGIN) else {
            continue;
        };
        made += "\n";
        made += HEAD;
        for name in names.trim_end_matches("-->").split_whitespace() {
            let table = tables.iter().find(|table| table.name() == name);
            let table =
                table.ok_or(format!("{line}: must be the names of tables; found {name}"))?;
            rows(*table, "", &mut made);
        }
        let end = lines.find(|line| line.starts_with(END));
        made += "\n";
        made += end.ok_or(format!("{line}: must be followed by {END} -->; found none"))?;
        made += "\n";
    }
    Ok(made)
}

/// The rows of a key or of all keys of a table.
fn rows(one: &dyn Declared, path: &str, into: &mut String) {
    let path = match path {
        "" => one.name().to_owned(),
        path => format!("{path}.{}", one.name()),
    };
    if one.within().is_empty() {
        let [without, accepted, text] = one.cells();
        *into += &format!("| `{path}` | {without} | {accepted} | {text} |\n");
    }
    for key in one.within() {
        rows(*key, &path, into);
    }
}
