//! Prose as rows of words: from Markdown, from comments and strings of Rust, from `#` comments.

use proc_macro2::{TokenStream, TokenTree};

/// A word of prose.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// In lower case, without punctuation around it; code between backticks is [`CODE`].
    pub(crate) text: String,
    /// The punctuation behind it.
    pub(crate) after: String,
    /// Line, from 1.
    pub(crate) line: usize,
}

/// Stands for code between backticks.
pub(crate) const CODE: &str = "`";

/// The place of a part in its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Heading,
    Paragraph,
    /// An entry of a list.
    Item,
    Table,
    /// A message: a string of the source.
    Message,
}

/// A part of a text: its words, and the lengths of its lines in characters.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// Whether it is the first part of its section or comment.
    pub(crate) first: bool,
    pub(crate) words: Vec<Word>,
    /// Line number and length; empty where lines may be long.
    pub(crate) lengths: Vec<(usize, usize)>,
}

/// A line with its number and, in a comment, the number of characters before it.
type Line<'a> = (usize, usize, &'a str);

/// Leading spaces of displayed code: in Markdown and comments of Rust, in `#` comments.
const INDENTS: [&str; 2] = ["    ", "  "];

/// The parts of a Markdown document.
pub(crate) fn markdown(text: &str) -> Vec<Part> {
    let lines: Vec<Line> = text
        .lines()
        .enumerate()
        .map(|(i, l)| (i + 1, 0, l))
        .collect();
    parts(&lines, INDENTS[0])
}

/// The parts of comments that start with `#` (shell, TOML), without `#!` lines.
pub(crate) fn hashed(text: &str) -> Vec<Part> {
    comments(text, &["#"], INDENTS[1], |line| {
        line.starts_with("#!") || line.starts_with("#SBATCH")
    })
}

/// The parts of the comments of Rust source, and of its strings outside of test code.
///
/// # Panics
/// If the text does not consist of Rust tokens.
pub(crate) fn rust(text: &str) -> Vec<Part> {
    let mut found = comments(text, &["///", "//!", "//"], INDENTS[0], |_| false);
    let stream: TokenStream = text.parse().expect("Rust source");
    messages(stream, &mut found);
    found
}

/// The parts of blocks of comment lines; a line without a comment ends a block.
fn comments(text: &str, marks: &[&str], indent: &str, skip: fn(&str) -> bool) -> Vec<Part> {
    let mut found = Vec::new();
    let mut block: Vec<Line> = Vec::new();
    let mut plain = false;
    let mut close = |block: &mut Vec<Line>, plain: bool| {
        let mut parts = parts(block, indent);
        // Comments within the code (`//`) may start with a long sentence.
        parts.iter_mut().for_each(|part| part.first &= !plain);
        found.extend(parts);
        block.clear();
    };
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        let mark = marks
            .iter()
            .find(|m| bare.starts_with(*m))
            .filter(|_| !skip(bare));
        if let Some(mark) = mark {
            plain = *mark == "//";
            let inside = &bare[mark.len()..];
            let before = line.chars().count() - inside.chars().count();
            block.push((i + 1, before, inside.strip_prefix(' ').unwrap_or(inside)));
        } else {
            close(&mut block, plain);
        }
    }
    close(&mut block, plain);
    found
}

/// Strings of several words, outside of items under `#[cfg(test)]`, of attributes but `error`, and
/// of doc comments.
fn messages(stream: TokenStream, found: &mut Vec<Part>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut test_item = false;
    for (i, tree) in trees.iter().enumerate() {
        let is = |i: usize, c: char| matches!(&trees[i], TokenTree::Punct(p) if p.as_char() == c);
        let after_hash = i > 0 && is(i - 1, '#') || i > 1 && is(i - 2, '#') && is(i - 1, '!');
        match tree {
            TokenTree::Group(group) if after_hash => {
                let inside = group.stream().to_string().replace(' ', "");
                test_item |= inside == "cfg(test)";
                if inside.starts_with("error(") {
                    messages(group.stream(), found);
                }
            }
            TokenTree::Group(group) => {
                if !test_item {
                    messages(group.stream(), found);
                }
                if group.delimiter() == proc_macro2::Delimiter::Brace {
                    test_item = false;
                }
            }
            TokenTree::Punct(p) if p.as_char() == ';' => test_item = false,
            TokenTree::Literal(literal) if !test_item => {
                let line = literal.span().start().line;
                let text = literal.to_string();
                if text.starts_with(['"', 'r']) && text.trim().contains(' ') {
                    let text = unescaped(&text);
                    let lines = text.split('\n').map(|l| (line, l)).collect::<Vec<_>>();
                    let words = words(&lines);
                    let (kind, first, lengths) = (Kind::Message, false, Vec::new());
                    found.push(Part {
                        kind,
                        first,
                        words,
                        lengths,
                    });
                }
            }
            _ => {}
        }
    }
}

/// The text of a string literal, with its placeholders as code.
fn unescaped(literal: &str) -> String {
    let text = literal
        .trim_start_matches('r')
        .trim_matches('#')
        .trim_matches('"');
    let text = text
        .replace("\\n", "\n")
        .replace("\\\"", "\"")
        .replace("\\\n", " ");
    let mut out = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' => {
                depth += 1;
                if depth == 1 {
                    out.push_str("`x`");
                }
            }
            '}' => depth -= i32::from(depth > 0),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// The parts of lines of Markdown: blocks of code, displayed equations and images are left out.
fn parts(lines: &[Line], indent: &str) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut lengths = Vec::new();
    let mut kind = Kind::Paragraph;
    let (mut in_fence, mut after_blank, mut first) = (false, true, true);
    let mut close = |open: &mut Vec<(usize, &str)>,
                     lengths: &mut Vec<(usize, usize)>,
                     kind: Kind,
                     first: &mut bool| {
        if !open.is_empty() {
            let words = words(open);
            let lengths = std::mem::take(lengths);
            found.push(Part {
                kind,
                first: *first,
                words,
                lengths,
            });
            *first = kind == Kind::Heading;
            open.clear();
        }
    };
    for &(number, before, line) in lines {
        let bare = line.trim();
        let fence = bare.starts_with("```");
        let indented = line.starts_with(indent) && after_blank && open.is_empty();
        let table = bare.starts_with('|');
        if fence || in_fence || indented || bare.is_empty() || bare.starts_with("![") || table {
            close(&mut open, &mut lengths, kind, &mut first);
            in_fence ^= fence;
            first &= !(fence || indented);
            after_blank = bare.is_empty() || indented;
            if table && !in_fence && bare.contains(char::is_alphanumeric) {
                open.push((number, bare));
                close(&mut open, &mut lengths, Kind::Table, &mut first);
            }
            continue;
        }
        after_blank = false;
        let heading = bare.starts_with("# ") || bare.starts_with("##");
        let item = item(bare);
        if heading || item.is_some() {
            close(&mut open, &mut lengths, kind, &mut first);
        }
        if open.is_empty() {
            kind = match (heading, &item) {
                (true, _) => Kind::Heading,
                (_, Some(_)) => Kind::Item,
                _ => Kind::Paragraph,
            };
        }
        open.push((number, item.unwrap_or(bare)));
        if !bare.contains("://") {
            lengths.push((
                number,
                before + 1 + line.chars().count() - usize::from(before == 0),
            ));
        }
        if heading {
            close(&mut open, &mut lengths, kind, &mut first);
        }
    }
    close(&mut open, &mut lengths, kind, &mut first);
    found
}

/// The text of an entry of a list, without its mark.
fn item(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match rest.len() == line.len() {
        true => line.strip_prefix(['-', '*']),
        false => rest.strip_prefix('.'),
    };
    rest.and_then(|r| r.strip_prefix(' '))
}

/// The words of lines: code between backticks is one word, targets of links are left out.
fn words(lines: &[(usize, &str)]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut in_code = false;
    let ticks = lines
        .iter()
        .map(|(_, l)| l.matches('`').count())
        .sum::<usize>();
    for &(line, text) in lines {
        let mut plain = String::new();
        let pieces: Vec<&str> = text.split('`').collect();
        for (k, piece) in pieces.iter().enumerate() {
            if k > 0 && ticks % 2 == 0 {
                in_code = !in_code;
                if in_code {
                    plain.push_str(CODE);
                }
            }
            if !in_code {
                plain.push_str(piece);
            }
        }
        while let Some(from) = plain.find("](") {
            let to = plain[from..]
                .find(')')
                .map_or(plain.len(), |k| from + k + 1);
            plain.replace_range(from..to, "");
        }
        for word in plain.split_whitespace() {
            let inner = |c: char| c.is_alphanumeric() || c == '`';
            let text = word.trim_matches(|c| !inner(c)).to_lowercase();
            let behind = word.trim_end_matches(|c| !inner(c)).len();
            let after = word[behind..].to_owned();
            match (text.is_empty(), found.last_mut()) {
                (false, _) => found.push(Word { text, after, line }),
                (true, Some(last)) => last.after.push_str(word),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn markdown_is_taken_apart() {
    let text = "# A heading\n\nFirst `code x`, [link](to/what.md) line\nsecond.\n\n    what = 1\n\n- item\n  \
        more\n\n```sh\nwhat\n```\n| a | b |\n| --- | --- |\n\n![what](x.png)\n";
    let found = markdown(text);
    let kinds: Vec<Kind> = found.iter().map(|p| p.kind).collect();
    use Kind::{Heading, Item, Paragraph, Table};
    assert_eq!(kinds, [Heading, Paragraph, Item, Table]);
    let texts: Vec<&str> = found[1].words.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(texts, ["first", CODE, "link", "line", "second"]);
    assert_eq!(found[1].words[4].line, 4);
    assert_eq!(found[1].words[1].after, ",");
    assert!(found[1].first && !found[2].first);
    assert_eq!(found[1].lengths, [(3, 39), (4, 7)]);
}

#[test]
fn comments_and_messages_are_found_in_rust() {
    let text = "//! Door.\n\n/// Doc of\n/// two lines.\nfn f() { // Not at the start.\n    // Inside.\n    \
        say!(\"a message {x:?} here\"); g(\"word\"); h(\"one \\\n two\")\n}\n#[error(\"an error\")]\n\
        #[doc = \"an attribute\"]\nstruct S;\n#[cfg(test)]\nmod tests { fn t() { f(\"a b\") } }\n";
    let found = rust(text);
    let texts: Vec<String> = found
        .iter()
        .map(|p| {
            p.words
                .iter()
                .map(|w| w.text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let expected = [
        "door",
        "doc of two lines",
        "inside",
        "a message ` here",
        "one two",
        "an error",
    ];
    assert_eq!(texts, expected);
    assert_eq!(found[3].words[0].line, 7);
    assert!(found[0].first && found[1].first);
}

#[test]
fn comments_of_scripts_are_found() {
    let found =
        hashed("#!/bin/bash\n# One\n# two.\n#SBATCH --time=1\nx=1  # not this\n  # Three\n");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].words.len(), 2);
    assert_eq!(found[1].lengths, [(6, 9)]);
}
