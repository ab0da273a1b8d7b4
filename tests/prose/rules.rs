//! The rules: functions from parts of prose to their faults.

use crate::text::{Kind, Part, Word};

/// Characters that a line of prose may have.
const LONGEST_LINE: usize = 100;

/// Words that the first sentence of a section, or of a comment, may have.
const LONGEST_FIRST: usize = 20;

/// Banned phrases, and the remedy. `*` stands for any word.
const BANNED: [(&str, &str); 21] = [
    ("beside", NEXT_TO),
    ("tell", REPORT),
    ("tells", REPORT),
    ("told", REPORT),
    ("telling", REPORT),
    ("is no", WITHOUT),
    ("are no", WITHOUT),
    ("be no", WITHOUT),
    ("was no", WITHOUT),
    ("were no", WITHOUT),
    ("that there is", NAME),
    ("that there are", NAME),
    ("there is to", NAME),
    ("there are to", NAME),
    ("there may be", NAME),
    ("all there is", NAME),
    ("every so many", NAME),
    ("in so many", NAME),
    ("so many per cent", NAME),
    ("does not know of", NAME),
    ("gone on", CONTINUE),
];

const NEXT_TO: &str = "next to, in addition to, compared with";
const REPORT: &str = "report, print, give, show";
const WITHOUT: &str = "is not a, without, none";
const NAME: &str = "name the thing";
const CONTINUE: &str = "continue, proceed";

/// Words after `is no` that make a comparison of it.
const COMPARISONS: [&str; 16] = [
    "longer", "shorter", "more", "less", "fewer", "larger", "smaller", "greater", "higher",
    "lower", "later", "earlier", "faster", "slower", "better", "worse",
];

/// All faults of the parts, with their lines, in the order of lines.
pub(crate) fn faults(parts: &[Part]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for part in parts {
        found.extend(banned(part));
        found.extend(noun_clauses(part));
        found.extend(long_lines(part));
        found.extend(long_first_sentence(part));
    }
    found.sort();
    found
}

/// Banned phrases.
fn banned(part: &Part) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (phrase, remedy) in BANNED {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        for (i, words) in part.words.windows(phrase.len()).enumerate() {
            let same = words.iter().zip(&phrase).all(|(w, p)| w.text == *p);
            let joined = words[..words.len() - 1].iter().all(|w| w.after.is_empty());
            let next = part.words.get(i + phrase.len()).map_or("", |w| &w.text);
            let compares = remedy == WITHOUT && COMPARISONS.contains(&next);
            if same && joined && !compares {
                let phrase = phrase.join(" ");
                found.push((words[0].line, format!("\"{phrase}\"; better: {remedy}")));
            }
        }
    }
    found
}

/// Noun clauses with `what`; questions, headings and `what if` may have it.
fn noun_clauses(part: &Part) -> Vec<(usize, String)> {
    let ends = |w: &&Word| w.after.contains(['.', '?', '!', ':', ';']);
    let asks = |i: usize| {
        let end = part.words[i..].iter().find(ends);
        end.is_some_and(|w| w.after.contains('?'))
    };
    let is_if = |i: usize| part.words.get(i + 1).is_some_and(|w| w.text == "if");
    let mut found = Vec::new();
    for (i, word) in part.words.iter().enumerate() {
        let clause = ["what", "what's"].contains(&word.text.as_str());
        if clause && part.kind != Kind::Heading && !asks(i) && !is_if(i) {
            let next = part.words.get(i + 1).map_or("", |w| &w.text);
            let fault = format!("\"what {next}\": a noun clause; name the thing");
            found.push((word.line, fault));
        }
    }
    found
}

/// Lines that are too long.
fn long_lines(part: &Part) -> Vec<(usize, String)> {
    let long = part
        .lengths
        .iter()
        .filter(|(_, length)| *length > LONGEST_LINE);
    let fault = |length| format!("{length} characters; at most {LONGEST_LINE}");
    long.map(|&(line, length)| (line, fault(length))).collect()
}

/// A section, or a comment, that starts with a long sentence.
fn long_first_sentence(part: &Part) -> Option<(usize, String)> {
    let starts = part.first && part.kind == Kind::Paragraph;
    let end = |w: &Word| w.after.contains(['.', '?', '!', ':']);
    let length = part
        .words
        .iter()
        .position(end)
        .map_or(part.words.len(), |k| k + 1);
    let fault = || format!("a first sentence of {length} words; at most {LONGEST_FIRST}");
    (starts && length > LONGEST_FIRST).then(|| (part.words[0].line, fault()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{hashed, markdown, rust};

    fn lines(text: &str) -> Vec<usize> {
        faults(&markdown(text))
            .into_iter()
            .map(|(line, _)| line)
            .collect()
    }

    #[test]
    fn banned_phrases_are_found_across_lines_and_in_any_case() {
        for bad in [
            "A ball beside a wall.",
            "The program tells its state.",
            "Faults are told.",
            "This is no ball.",
            "There are no walls.",
            "All that there is.",
            "Nothing that there is to see.",
            "Beside them.",
            "It was gone on with.",
            "That is\nno ball.",
            "| a cell | is no ball |",
            "- It tells.",
        ] {
            assert!(!lines(bad).is_empty(), "{bad}");
        }
        for good in [
            "Besides, it foretells nothing.",
            "It is no longer there; it is no larger than the other, or no.",
            "The answer is: no wall.",
            "`tells` and `what is`.",
            "```text\nbeside what is told\n```",
            "    beside = told",
        ] {
            assert_eq!(lines(good), [0; 0], "{good}");
        }
        assert_eq!(lines("One.\nIt was\ntold."), [3]);
    }

    #[test]
    fn every_banned_phrase_finds_itself() {
        for (phrase, _) in BANNED {
            assert!(!lines(phrase).is_empty(), "{phrase}");
        }
    }

    #[test]
    fn noun_clauses_are_found_and_questions_are_not() {
        for bad in [
            "It names what is missing.",
            "What it does. Is that clear?",
            "What's left.",
        ] {
            assert!(!lines(bad).is_empty(), "{bad}");
        }
        for good in [
            "What is a ghost?",
            "## What it does",
            "What if it fails.",
            "Whatever.",
        ] {
            assert_eq!(lines(good), [0; 0], "{good}");
        }
    }

    #[test]
    fn long_lines_are_found_but_in_tables_code_and_addresses() {
        let words = "word ".repeat(25);
        assert_eq!(lines(&format!("Short.\n{words}")), [2]);
        assert_eq!(lines(&format!("Short. {}", "x".repeat(93))), [0; 0]);
        assert_eq!(lines(&format!("Short. {}", "x".repeat(94))), [1]);
        for good in [
            format!("| {words} |"),
            format!("Short. https://x.org/{}", "x".repeat(99)),
            format!("```text\n{words}\n```"),
            format!("    {words}"),
        ] {
            assert_eq!(lines(&good), [0; 0], "{good}");
        }
        let comment = format!("    // Short. {}", "x".repeat(86));
        assert!(faults(&rust(&comment)).is_empty());
        assert_eq!(faults(&rust(&format!("{comment}x"))).len(), 1);
    }

    #[test]
    fn long_first_sentences_are_found() {
        let long = format!("{}last.", "w ".repeat(20));
        let enough = format!("{}last.", "w ".repeat(19));
        assert_eq!(lines(&format!("## Head\n\n{long}")), [3]);
        assert_eq!(lines(&format!("## Head\n\n{enough} {long}")).len(), 0);
        assert_eq!(lines(&format!("## Head\n\nOne.\n\n{long}")).len(), 0);
        let doc = format!("/// {}\n/// last.\nstruct S;", "w ".repeat(20).trim_end());
        let found = faults(&rust(&doc));
        assert!(
            found.iter().any(|(_, f)| f.contains("first sentence")),
            "{found:?}"
        );
    }

    #[test]
    fn comments_and_messages_are_looked_at() {
        for bad in [
            "/// It tells.\nstruct S;",
            "fn f() {\n    // Beside it.\n}",
            "fn f() { say!(\"{x} is no file\") }",
            "#[error(\"it is told\")]\nstruct S;",
        ] {
            assert_eq!(faults(&rust(bad)).len(), 1, "{bad}");
        }
        assert_eq!(faults(&hashed("x = 1\n# It tells.\n")).len(), 1);
    }
}
