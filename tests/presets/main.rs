//! Measures what the presets stop, and compares their page in the book with them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use snaphook_adapters::model::VerdictKind;
use snaphook_policy::Preset;

#[path = "../common/commands.rs"]
mod commands;

use self::commands::{Group, Judge};

#[derive(Deserialize)]
struct CommandList {
    group: Vec<Group>,
}

/// A command, with the kind of it first.
type Line = (String, String);

impl CommandList {
    fn of(texts: &[&str]) -> Vec<Line> {
        let groups = texts.iter().flat_map(|text| toml::from_str::<Self>(text).unwrap().group);
        groups.flat_map(|Group { kind, lines }| lines.into_iter().map(move |line| (kind.clone(), line))).collect()
    }

    fn dangerous() -> Vec<Line> {
        Self::of(&[include_str!("dangerous.toml")])
    }

    fn everyday() -> Vec<Line> {
        Self::of(&[include_str!("../everyday/commands.toml"), include_str!("everyday.toml")])
    }
}

/// What a preset makes of the two lists. Stopped is what it denies or asks about.
struct Measured {
    /// The dangerous commands that it does not stop.
    missed: Vec<Line>,
    dangerous: usize,
    /// The everyday commands that it stops.
    held_up: Vec<Line>,
    everyday: usize,
}

impl Measured {
    fn of(preset: &Preset) -> Self {
        let judge = Judge::by(&format!("extends = [\"{}\"]\n", preset.written()));
        let stops = |(_, line): &&Line| matches!(judge.verdict(line).0, VerdictKind::Deny | VerdictKind::Ask);
        let (dangerous, everyday) = (CommandList::dangerous(), CommandList::everyday());
        Self {
            missed: dangerous.iter().filter(|line| !stops(line)).cloned().collect(),
            dangerous: dangerous.len(),
            held_up: everyday.iter().filter(|line| stops(line)).cloned().collect(),
            everyday: everyday.len(),
        }
    }

    /// The two figures as cells of a table.
    fn cells(&self) -> String {
        let stopped = self.dangerous - self.missed.len();
        let share = |count: usize, all: usize| {
            let tenths = (count * 1000 + all / 2) / all;
            format!("{count} of {all} ({}.{} %)", tenths / 10, tenths % 10)
        };
        format!("{} | {}", share(stopped, self.dangerous), share(self.held_up.len(), self.everyday))
    }
}

fn preset(name: &str) -> &'static Preset {
    Preset::all().iter().find(|preset| preset.name == name).unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

const PAGE: &str = "docs/reference/presets.md";

/// If this variable is set, the generated part of the page is written instead of compared.
const WRITE: &str = "SNAPHOOK_WRITE_DOCS";

fn compare_or_write(name: &str, generated: &str) {
    let (from, to) = (format!("<!-- {name} -->\n"), "<!-- end -->\n");
    let page = read(PAGE);
    let (before, rest) = page.split_once(&from).unwrap();
    let (_, after) = rest.split_once(to).unwrap();
    let wanted = [before, &from, generated, to, after].concat();
    if std::env::var_os(WRITE).is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), wanted).unwrap();
        return;
    }
    assert!(page == wanted, "{PAGE} is out of date; to write it: {WRITE}=1 cargo test --test presets");
}

#[test]
fn standard_stops_dangerous_commands_and_lets_everyday_ones_pass() {
    let found = Measured::of(preset("standard"));
    assert!(found.dangerous >= 150 && found.everyday >= 150);
    let stopped = found.dangerous - found.missed.len();
    assert!(stopped * 100 >= found.dangerous * 95, "{:#?}", found.missed);
    assert!(found.held_up.len() * 100 <= found.everyday, "{:#?}", found.held_up);
}

#[test]
fn no_everyday_command_is_denied() {
    let judge = Judge::by("extends = [\"preset:standard\"]\n");
    for (_, line) in CommandList::everyday() {
        let (verdict, causes) = judge.verdict(&line);
        assert_ne!(verdict, VerdictKind::Deny, "{line}: {causes}");
    }
}

#[test]
fn the_lists_have_no_command_twice_or_in_both() {
    let mut lines: Vec<_> = [CommandList::dangerous(), CommandList::everyday()].concat();
    lines.sort_by(|(_, one), (_, other)| one.cmp(other));
    let twice: Vec<_> = lines.windows(2).filter(|pair| pair[0].1 == pair[1].1).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn the_figures_in_the_book_and_in_the_readme_are_measured() {
    let mut text = "| preset | dangerous commands stopped | everyday commands stopped |\n|---|---|---|\n".to_owned();
    for preset in Preset::all() {
        let cells = Measured::of(preset).cells();
        let _ = writeln!(text, "| `{}` | {cells} |", preset.name);
        if preset.name == "standard" {
            assert!(read("README.md").contains(&format!("| {cells} |")), "README.md should say `| {cells} |`");
        }
    }
    let found = Measured::of(preset("standard"));
    for (title, lines) in [
        ("Dangerous commands that `standard` does not stop:", &found.missed),
        ("Everyday commands that `standard` asks about:", &found.held_up),
    ] {
        let _ = write!(text, "\n{title}\n\n```sh\n");
        let mut last = "";
        for (kind, line) in lines {
            if kind != last {
                let _ = writeln!(text, "# {kind}");
                last = kind;
            }
            let _ = writeln!(text, "{line}");
        }
        text.push_str("```\n");
    }
    compare_or_write("figures", &text);
}

#[test]
fn the_book_has_every_rule_of_the_presets() {
    let mut text = String::new();
    for preset in Preset::all() {
        let table: toml::Table = preset.text.parse().unwrap();
        let _ = writeln!(text, "\n### `{}`", preset.name);
        if let Some(extends) = table.get("extends") {
            let names: Vec<_> =
                extends.as_array().unwrap().iter().map(|name| format!("`{}`", name.as_str().unwrap())).collect();
            let _ = writeln!(text, "\nExtends {}.", names.join(", "));
        }
        for list in ["deny", "ask"] {
            let rules = table["permissions"].get(list).and_then(toml::Value::as_array).cloned().unwrap_or_default();
            // One row for each reason.
            let mut rows: Vec<(String, Vec<String>)> = Vec::new();
            for rule in rules {
                let text_of = |key: &str| rule.get(key).map(|text| text.as_str().unwrap().replace('|', "\\|"));
                let instead = text_of("instead").map(|instead| format!(" Instead: {instead}")).unwrap_or_default();
                let words = format!("{}{instead}", text_of("reason").unwrap());
                let rule = format!("`{}`", text_of("rule").unwrap());
                match rows.iter_mut().find(|(known, _)| *known == words) {
                    Some((_, rules)) => rules.push(rule),
                    None => rows.push((words, vec![rule])),
                }
            }
            if !rows.is_empty() {
                let _ = writeln!(text, "\n| {list} | rules |\n|---|---|");
            }
            for (words, rules) in rows {
                let _ = writeln!(text, "| {words} | {} |", rules.join(" "));
            }
        }
    }
    compare_or_write("rules", &format!("{}\n", text.trim_start()));
}

/// The rules of a preset.
fn rules(table: &toml::Table) -> Vec<toml::Value> {
    let lists = table["permissions"].as_table().unwrap();
    lists.values().flat_map(|list| list.as_array().unwrap()).cloned().collect()
}

#[test]
fn a_preset_has_only_deny_and_ask_rules_with_words() {
    for preset in Preset::all() {
        let table: toml::Table = preset.text.parse().unwrap();
        let lists = table["permissions"].as_table().unwrap();
        assert!(table.keys().all(|key| ["extends", "permissions"].contains(&key.as_str())), "{}", preset.name);
        assert!(lists.keys().all(|key| ["deny", "ask"].contains(&key.as_str())), "{}", preset.name);
        assert!(!rules(&table).is_empty(), "{}", preset.name);
        for rule in rules(&table) {
            let text = |key: &str| rule.get(key).and_then(toml::Value::as_str);
            assert!(text("reason").is_some_and(|reason| reason.ends_with('.')), "{}: {rule:?}", preset.name);
            assert!(text("instead").is_none_or(|instead| !instead.ends_with('.')), "{}: {rule:?}", preset.name);
        }
    }
}

/// The number of presets that lead from one to another.
fn depth(preset: &Preset, seen: usize) -> usize {
    assert!(seen < Preset::all().len(), "{} extends itself", preset.name);
    let table: toml::Table = preset.text.parse().unwrap();
    let names = table.get("extends").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let below = names.iter().map(|name| depth(Preset::named(name.as_str().unwrap()).unwrap(), seen + 1));
    below.max().map_or(0, |below| below + 1)
}

#[test]
fn no_preset_extends_itself() {
    let deepest = Preset::all().iter().map(|preset| depth(preset, 0)).max();
    assert_eq!(deepest, Some(2), "strict extends standard, which extends the others");
}

#[test]
fn no_rule_is_in_two_presets() {
    let mut known = BTreeSet::new();
    for preset in Preset::all() {
        for rule in rules(&preset.text.parse().unwrap()) {
            assert!(known.insert(rule["rule"].as_str().unwrap().to_owned()), "{}: {rule:?}", preset.name);
        }
    }
}
