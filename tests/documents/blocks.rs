//! What documents say to type: blocks of code, the commands in them, and commands within the text.

/// A block of code.
pub(crate) struct Block {
    /// File and line.
    pub(crate) at: String,
    pub(crate) language: String,
    pub(crate) text: String,
}

/// A command.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    /// File and line.
    pub(crate) at: String,
    /// As a shell takes it apart, without what is written or handed on to (`>`, `|`).
    pub(crate) words: Vec<String>,
}

impl Typed {
    /// Of a line of shell; of an empty one or a comment nothing.
    ///
    /// # Errors
    /// If a quotation has no end.
    pub(crate) fn new(at: &str, line: &str) -> Result<Option<Self>, String> {
        let words =
            shlex::split(line).ok_or_else(|| format!("{at}: {line}: a quotation without end"))?;
        let until = words
            .iter()
            .position(|w| ["|", ">", ">>", "&&", ";", "&", "<"].contains(&w.as_str()));
        let words = words[..until.unwrap_or(words.len())].to_vec();
        let at = at.to_owned();
        Ok((!words.is_empty()).then_some(Self { at, words }))
    }

    pub(crate) fn line(&self) -> String {
        self.words.join(" ")
    }

    /// The words behind `moreau`, and those before it, if it is the program that is called: by itself or by mpirun.
    pub(crate) fn of_program(&self) -> Option<(&[String], &[String])> {
        let first = self.words.first()?;
        let place = match first.as_str() {
            "moreau" => 0,
            "mpirun" | "srun" => self.words.iter().position(|w| w == "moreau")?,
            _ => return None,
        };
        Some((&self.words[..place], &self.words[place + 1..]))
    }
}

/// The blocks of code of a document.
///
/// # Errors
/// If one has no language, or no end.
pub(crate) fn blocks(document: &str, text: &str) -> Result<Vec<Block>, String> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        let at = format!("{document}:{}", number + 1);
        if let Some(language) = line.trim_start().strip_prefix("```") {
            inside = !inside;
            if inside {
                let language = language.trim().to_owned();
                if language.is_empty() {
                    return Err(format!("{at}: a block of code without a language"));
                }
                found.push(Block {
                    at,
                    language,
                    text: String::new(),
                });
            }
        } else if inside && let Some(block) = found.last_mut() {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    if inside {
        return Err(format!("{document}: a block of code without an end"));
    }
    Ok(found)
}

/// The commands of a block of shell, one a line; in a `console` those behind `$`, the rest being what they print. None of other languages.
///
/// # Errors
/// If a line cannot be taken apart.
pub(crate) fn commands(block: &Block) -> Result<Vec<Typed>, String> {
    let whole = block.text.replace("\\\n", " ");
    let lines: Vec<&str> = match block.language.as_str() {
        "sh" => whole.lines().collect(),
        "console" => whole.lines().filter_map(|l| l.strip_prefix("$ ")).collect(),
        _ => Vec::new(),
    };
    let typed = lines.into_iter().map(|line| Typed::new(&block.at, line));
    Ok(typed
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// What stands between backticks in the text, outside of blocks, with file and line.
pub(crate) fn spans(document: &str, text: &str) -> Vec<(String, String)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            let at = format!("{document}:{}", number + 1);
            let code = line.split('`').skip(1).step_by(2);
            found.extend(code.map(|c| (at.clone(), c.replace("\\|", "|"))));
        }
    }
    found
}

#[test]
fn commands_are_found_and_taken_apart() {
    let text = "`moreau a` and\n```sh\n# only a comment\nmoreau b \"x y\"  # says\nmpirun -n 2 \\\n  moreau c | less\n```\n```console\n$ moreau d > file\nprinted\n```\n```python\nmoreau\n```\n`e` `f\\|g`\n";
    let found = blocks("x.md", text).expect("blocks");
    let typed: Vec<Typed> = found
        .iter()
        .flat_map(|b| commands(b).expect("commands"))
        .collect();
    let lines: Vec<String> = typed.iter().map(Typed::line).collect();
    assert_eq!(lines, ["moreau b x y", "mpirun -n 2 moreau c", "moreau d"]);
    assert_eq!(typed[0].words.len(), 3);
    assert_eq!(typed[1].of_program().expect("the program").1, ["c"]);
    let code: Vec<String> = spans("x.md", text)
        .into_iter()
        .map(|(_, code)| code)
        .collect();
    assert_eq!(code, ["moreau a", "e", "f|g"]);
    assert!(blocks("x.md", "```\nx\n```\n").is_err());
    assert!(blocks("x.md", "```sh\nx\n").is_err());
    assert!(Typed::new("x.md:1", "moreau \"x").is_err());
}
