//! The layout of a page: a column of names and a column of texts.

/// The width of a page.
const WIDTH: usize = 118;
/// The width of the column of names.
const NAME: usize = 10;

/// Appends a line, or several for a long text.
pub(crate) fn heading(out: &mut String, text: &str) {
    for line in lines(text, ' ') {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// Appends a name and prose. A long text continues on further lines.
pub(crate) fn prose(out: &mut String, name: &str, text: &str) {
    column(out, name, &lines(text, ' '));
}

/// Appends a name and bytes of a message or a reply. The lines joined are these bytes.
pub(crate) fn bytes(out: &mut String, name: &str, text: &str) {
    column(out, name, &lines(text, ','));
}

fn column(out: &mut String, name: &str, lines: &[String]) {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    for (name, line) in names.zip(lines) {
        out.push_str(format!("{name:<NAME$}{line}").trim_end());
        out.push('\n');
    }
}

/// Breaks a text after some of the separators.
fn lines(text: &str, separator: char) -> Vec<String> {
    let mut out = Vec::new();
    let mut line = String::new();
    for part in text.split_inclusive(separator) {
        if !line.is_empty() && line.chars().count() + part.trim_end().chars().count() > WIDTH - NAME {
            out.push(std::mem::take(&mut line));
        }
        line.push_str(part);
    }
    out.push(line);
    out
}

/// Returns true if a line shows a value as Rust's `Debug` does: an `Option`, a `Result`, or a struct or text by the
/// name of its type.
pub(crate) fn is_debug(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || "([{,:)]}".contains(c));
    let is_type = |before: &str| {
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase())
    };
    words.any(|word| word == "None")
        || ["Some(", "Ok(", "Err("].iter().any(|value| line.contains(value))
        || [" {", "(\""].iter().any(|opening| line.rsplit(opening).skip(1).any(is_type))
}

#[test]
fn the_joined_lines_are_the_original_text() {
    let text = r#"{"a":"one, two","b":[1,2,3],"c": {"d": "e"}}"#.repeat(20);
    for separator in [' ', ','] {
        let lines = lines(&text, separator);
        assert_eq!(lines.concat(), text);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.trim_end().len() <= WIDTH - NAME), "{lines:?}");
    }
}

#[test]
fn debug_output_is_recognised() {
    for line in ["modes Some([1])", "cwd: None,", "action Shell { cwd: 1 }", "command Text(\"ls\")", "[None, 1]"] {
        assert!(is_debug(line), "{line}");
    }
    for line in ["deny (only with: a)", "write a rule for Tool(run)", r#"{"a": {"b":1},"Kind": {}}"#, "nothing, Other"]
    {
        assert!(!is_debug(line), "{line}");
    }
}
