//! The book in `docs/`: generated pages, links, and the codes of rules.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lists the files below a folder of the repository that end with one of the given extensions.
fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root().join(folder)];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                let skipped = name == "target" || name.starts_with(".git");
                left.extend((!skipped).then_some(path));
            } else if path.extension().is_some_and(|end| extensions.iter().any(|known| end == *known)) {
                found.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Prints what a command of the program writes to stdout, with an empty home folder.
fn printed(words: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_snaphook"));
    command.args(words).current_dir(home.path()).env_clear().env("HOME", home.path()).stdin(Stdio::null());
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// If this variable is set, the generated pages are written instead of compared.
const WRITE: &str = "SNAPHOOK_WRITE_DOCS";

fn compare_or_write(path: &str, text: &str) {
    if std::env::var_os(WRITE).is_some() {
        fs::write(root().join(path), text).unwrap();
        return;
    }
    assert!(read(path) == text, "{path} is out of date; to write it: {WRITE}=1 cargo test --test book");
}

/// The agents, as id and the folder of their adapter.
fn agents() -> Vec<(String, PathBuf)> {
    let overview = printed(&["agents", "--markdown"]);
    let ids = overview.split("](docs/agents/").skip(1).map(|rest| rest.split(".md)").next().unwrap());
    ids.map(|id| (id.to_owned(), Path::new("adapters").join(id.replace('-', "_")))).collect()
}

#[test]
fn the_page_of_each_agent_equals_its_tables_and_notes() {
    let agents = agents();
    assert!(agents.len() >= 5);
    for (id, folder) in agents {
        let tables = printed(&["agents", &id, "--markdown"]);
        let notes = read(folder.join("docs.md"));
        let (summary, sections) = notes.split_once("\n# ").unwrap();
        // The headings of the notes are one level deeper on the page.
        let sections = format!("# {sections}").replace("\n# ", "\n## ");
        let (title, tables) = tables.split_once("\n\n").unwrap();
        let generated = "<!-- Written by `SNAPHOOK_WRITE_DOCS=1 cargo test --test book`. Do not edit. -->";
        let page = format!("{title}\n\n{generated}\n\n{}\n\n{tables}\n#{sections}", summary.trim());
        compare_or_write(&format!("docs/agents/{id}.md"), &page);
    }
}

#[test]
fn the_overview_of_agents_equals_the_output_of_the_program() {
    const FROM: &str = "<!-- snaphook agents --markdown -->\n";
    const TO: &str = "<!-- end -->\n";
    for (path, folder) in [("README.md", "docs/agents/"), ("docs/agents/index.md", "")] {
        let text = read(path);
        let (before, rest) = text.split_once(FROM).unwrap_or_else(|| panic!("{path} has no overview"));
        let (_, after) = rest.split_once(TO).unwrap();
        let overview = printed(&["agents", "--markdown"]).replace("docs/agents/", folder);
        compare_or_write(path, &[before, FROM, &overview, TO, after].concat());
    }
}

#[test]
fn the_summary_lists_the_page_of_each_agent() {
    let overview = printed(&["agents", "--markdown"]);
    let links = overview.lines().filter_map(|line| line.strip_prefix("| [")?.split(" |").next());
    let links: Vec<_> = links.map(|link| format!("  - [{}\n", link.replace("docs/agents/", "agents/"))).collect();
    let text = read("docs/SUMMARY.md");
    let (before, rest) = text.split_once("](agents/index.md)\n").unwrap();
    let after: String = rest.split_inclusive('\n').skip_while(|line| line.starts_with("  - ")).collect();
    compare_or_write("docs/SUMMARY.md", &[before, "](agents/index.md)\n", &links.concat(), &after].concat());
}

#[test]
fn the_readme_has_at_most_200_lines() {
    assert!(read("README.md").lines().count() <= 200);
}

#[test]
fn the_glossary_has_at_most_25_terms_of_one_sentence() {
    let text = read("CONTRIBUTING.md");
    let glossary = text.split("## Glossary\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<_> = glossary.lines().filter(|line| line.starts_with("| **")).collect();
    assert!((15..=25).contains(&rows.len()), "{}", rows.len());
    for row in rows {
        assert!(!row.trim_end_matches(" |").contains(". "), "more than one sentence: {row}");
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = read("docs/SUMMARY.md");
    for page in files("docs", &["md"]) {
        let page = page.strip_prefix("docs").unwrap().to_str().unwrap();
        let listed = summary.matches(&format!("]({page})")).count();
        assert_eq!(listed, usize::from(page != "SUMMARY.md"), "{page}");
    }
}

/// Returns the text without code blocks and without code in a line.
fn without_code(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            let prose: Vec<_> = line.split('`').step_by(2).collect();
            out.push_str(&prose.join(" "));
        }
        out.push('\n');
    }
    out
}

/// Returns the anchors that mdBook and GitHub give to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut code = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !code) else { continue };
        let heading = heading.trim_start_matches('#').trim();
        let keep = |c: char| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        };
        let anchor: String = heading.chars().filter_map(keep).collect();
        let count = seen.entry(anchor.clone()).or_default();
        found.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    found
}

/// Removes `.` and `..` from a path.
fn folded(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for step in path.components() {
        match step {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            step => out.push(step),
        }
    }
    out
}

#[test]
fn every_link_and_anchor_has_a_target() {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(Into::into).into();
    pages.extend(files("docs", &["md"]));
    let mut count = 0;
    for page in pages {
        let text = read(&page);
        for link in without_code(&text).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { folded(&page.parent().unwrap().join(file)) };
            let shown = format!("{}: {link}", page.display());
            assert!(root().join(&target).exists(), "{shown}: there is no such file");
            // The built book holds nothing but its own pages.
            assert!(!page.starts_with("docs") || target.starts_with("docs"), "{shown}: leads out of the book");
            // mdBook writes such a page to `index.html` and leaves links to it as they are.
            assert!(!page.starts_with("docs") || !target.ends_with("README.md"), "{shown}: name the page index.md");
            assert!(anchor.is_empty() || anchors(&read(&target)).contains(anchor), "{shown}: there is no such heading");
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

/// The first letters of rule codes; each group is explained on the page of its definitions.
const LETTERS: &str = "ABCFGJNOPRSV";

/// Texts with the form of a code that mean something else, by file.
const OTHERS: &[(&str, &[&str])] = &[
    // Control characters.
    ("adapters/fit/text.rs", &["C1"]),
    ("adapters/raw/visible.rs", &["C0", "C1"]),
    // The outline of a picture.
    ("src/audit/redact/tests.rs", &["C50"]),
];

/// Finds the codes in a line, with their byte offsets: a letter and one or two digits that are no part of a word,
/// an option or a path, and both ends of a range such as `P3-P5` with all codes between them.
fn codes(line: &str) -> Vec<(usize, String)> {
    let bytes = line.as_bytes();
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut end_of_last = usize::MAX;
    for (at, letter) in line.char_indices().filter(|(_, c)| LETTERS.contains(*c)) {
        let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = at + 1 + digits;
        let before = line[..at].chars().next_back();
        let after = line[end..].chars().next();
        let is_range = before == Some('-') && end_of_last == at - 1;
        let starts = is_range || !before.is_some_and(|c| c.is_alphanumeric() || "_:-+~%\\/.$=".contains(c));
        let ends = !after.is_some_and(|c| c.is_alphanumeric() || "_/=".contains(c));
        if !(1..=2).contains(&digits) || !starts || !ends {
            continue;
        }
        let number = |text: &str| text[1..].parse::<u32>().unwrap();
        let code = &line[at..end];
        if is_range && let Some((from, first)) = found.last().cloned().filter(|(_, first)| first.starts_with(letter)) {
            found.extend((number(&first) + 1..number(code)).map(|between| (from, format!("{letter}{between}"))));
        }
        found.push((at, code.to_owned()));
        end_of_last = end;
    }
    // A test may be named after the rules that it is about.
    if let Some(name) = line.trim_start().strip_prefix("fn ") {
        let words = name.split('_').map(str::to_ascii_uppercase);
        found.extend(
            words.take_while(|word| codes(word).first().is_some_and(|(_, code)| code == word)).map(|code| (0, code)),
        );
    }
    found
}

/// Returns the codes that the book defines, each with its page: in bold, at the start of a list item or table row.
fn definitions() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for page in files("docs", &["md"]) {
        for line in read(&page).lines() {
            let rest = line.strip_prefix("- **").or_else(|| line.strip_prefix("| **")).unwrap_or_default();
            let code = rest.split("**").next().unwrap_or_default();
            if codes(code).first().is_some_and(|(_, first)| first == code) {
                found.push((code.to_owned(), page.clone()));
            }
        }
    }
    found
}

#[test]
fn no_code_is_defined_twice() {
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    let defined = definitions();
    assert!(defined.len() > 80, "{}", defined.len());
    for (code, page) in defined {
        if let Some(before) = seen.insert(code.clone(), page.clone()) {
            panic!("{code} is defined in {} and in {}", before.display(), page.display());
        }
    }
}

#[test]
fn every_code_that_is_cited_is_defined_in_the_book() {
    let defined: BTreeSet<String> = definitions().into_iter().map(|(code, _)| code).collect();
    let mut undefined = Vec::new();
    let mut count = 0;
    for path in files("", &["rs", "md", "toml"]) {
        // The commands there are made of words that look like codes, such as `grep -A5` and `a | P4`.
        if path.starts_with("tests/oracle") || path.ends_with("tests/book.rs") {
            continue;
        }
        let others = OTHERS.iter().find(|(file, _)| path.ends_with(file)).map_or(&[][..], |(_, codes)| codes);
        for (number, line) in read(&path).lines().enumerate() {
            for (_, code) in codes(line).into_iter().filter(|(_, code)| !others.contains(&code.as_str())) {
                count += 1;
                if !defined.contains(&code) {
                    undefined.push(format!("{}:{}: {code}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(undefined.is_empty(), "cited and defined nowhere in docs/:\n{}", undefined.join("\n"));
    assert!(count > 200, "{count}");
}

#[test]
fn rule_codes_are_distinguished_from_other_words() {
    for (line, expected) in [
        ("/// Not so (J6).", vec!["J6"]),
        ("(P3-P5)", vec!["P3", "P4", "P5"]),
        ("\"V7: {answer}\"", vec!["V7"]),
        ("fn b8_s10_words_are_caught() {", vec!["B8", "S10"]),
        ("ABI::V3 and gcc -O2, U+00A0, v0.2.4, P256, C++", vec![]),
    ] {
        let found: Vec<_> = codes(line).into_iter().map(|(_, code)| code).collect();
        assert_eq!(found, expected, "{line}");
    }
}
