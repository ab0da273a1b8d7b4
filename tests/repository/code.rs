//! Rust source as a flat row of words that rules can look at: comments gone, strings opaque, test code marked.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// One word or sign of Rust source.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// An identifier or keyword, one sign of punctuation, one bracket; `""` for literals.
    pub(crate) text: String,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Whether it stands in code that is only compiled for tests.
    pub(crate) test: bool,
    /// How many inline modules (`mod x { … }`) it stands in.
    pub(crate) depth: usize,
}

/// A source file in the repository.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Path from the repository's root, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
    /// Its words; empty if it is not Rust.
    pub(crate) tokens: Vec<Token>,
}

impl Source {
    /// Reads Rust source, or any other text.
    ///
    /// # Panics
    /// If a `.rs` file is not made of Rust tokens.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let mut tokens = Vec::new();
        if path.ends_with(".rs") {
            let stream: TokenStream = text.parse().unwrap_or_else(|e| panic!("{path}: {e}"));
            flatten(stream, false, 0, &mut tokens);
        }
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            tokens,
        }
    }

    /// The text of token `i`; nothing past either end.
    pub(crate) fn word(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |t| &t.text)
    }

    /// Whether `::` stands at tokens `i` and `i + 1`.
    pub(crate) fn is_path_separator(&self, i: usize) -> bool {
        self.word(i) == ":" && self.word(i + 1) == ":"
    }

    /// Whether token `i` comes after a path's beginning: `a::` or `<T>::` stands before it.
    pub(crate) fn continues_path(&self, i: usize) -> bool {
        i >= 3 && self.is_path_separator(i - 2) && {
            let before = self.word(i - 3);
            before == ">"
                || before == "]"
                || before == ")"
                || (is_name(before) && !opens_expression(before))
        }
    }

    /// The words of `mod` items, with their tokens' places.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..self.tokens.len())
            .filter(|&i| self.word(i - 1) == "mod" && is_name(self.word(i)))
            .map(|i| (i, self.word(i)))
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Keywords after which `::name` is a path from the root, not the rest of one.
fn opens_expression(word: &str) -> bool {
    [
        "use", "return", "in", "as", "mut", "ref", "dyn", "impl", "for", "if", "match", "while",
        "else", "move", "break", "where", "unsafe", "let", "const",
    ]
    .contains(&word)
}

fn flatten(stream: TokenStream, test: bool, depth: usize, out: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let is = |i: Option<usize>, text: &str| {
        i.is_some_and(|i| trees.get(i).is_some_and(|t| t.to_string() == text))
    };
    // Since `#[cfg(test)]`, until the end of the item that it stands before.
    let (mut test_item, mut in_use) = (false, false);
    for (i, tree) in trees.iter().enumerate() {
        let word = |text: String, span: Span, test: bool| Token {
            text,
            line: span.start().line,
            test,
            depth,
        };
        match tree {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::None => ["", ""],
                };
                if open == "[" && is(i.checked_sub(1), "#") && only_for_tests(group.stream()) {
                    test_item = true;
                }
                let inner_depth = depth + usize::from(open == "{" && is(i.checked_sub(2), "mod"));
                let in_test = test || test_item;
                out.push(word(open.to_owned(), group.span_open(), in_test));
                flatten(group.stream(), in_test, inner_depth, out);
                out.push(word(close.to_owned(), group.span_close(), in_test));
                if open == "{" && !in_use {
                    test_item = false;
                }
            }
            TokenTree::Ident(ident) => {
                in_use |= ident == "use";
                out.push(word(ident.to_string(), ident.span(), test || test_item));
            }
            TokenTree::Punct(punct) => {
                out.push(word(
                    punct.as_char().to_string(),
                    punct.span(),
                    test || test_item,
                ));
                if punct.as_char() == ';' {
                    (test_item, in_use) = (false, false);
                }
            }
            TokenTree::Literal(literal) => {
                out.push(word(String::new(), literal.span(), test || test_item));
            }
        }
    }
}

/// Whether an attribute's inside is `cfg(test)` or `cfg(all(test, …))`.
fn only_for_tests(attribute: TokenStream) -> bool {
    let words = attribute.to_string().replace(char::is_whitespace, "");
    words == "cfg(test)" || words.starts_with("cfg(all(test,")
}

#[test]
fn words_of_comments_and_strings_are_gone_and_test_code_is_marked() {
    let source = Source::new(
        "src/x.rs",
        "//! one\n/* two */ fn a<'x>() { \"three\"; 'f'; r#\"four\"#; }\n#[cfg(test)]\nmod tests { use super::*; }\nfn b() {}",
    );
    let find = |word: &str| source.tokens.iter().find(|t| t.text == word).cloned();
    for hidden in ["one", "two", "three", "four"] {
        assert!(find(hidden).is_none(), "{hidden}");
    }
    let (a, b, inside) = (
        find("a").expect("a"),
        find("b").expect("b"),
        find("super").expect("super"),
    );
    assert!(!a.test && !b.test && inside.test);
    assert_eq!(
        (a.depth, inside.depth, a.line, inside.line, b.line),
        (0, 1, 2, 4, 5)
    );
}
