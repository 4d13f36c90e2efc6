//! Install and uninstall restore every file byte for byte.
#![allow(clippy::format_push_string, reason = "tests")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use snaphook_adapters::registry::Registry;
use tempfile::TempDir;

use super::command_line::CommandPaths;
use super::edit::{Document, Format, Node};
use super::install::install;
use super::ours::{calls, named};
use super::plan::Plan;
use super::record::Records;
use super::render::entries;
use super::target::{RegistrationTarget, Scope, SetupContext, Version};
use super::uninstall::uninstall;
use crate::policy::Places;

/// A home folder with one file of an agent.
struct Home {
    folder: TempDir,
    context: SetupContext,
    target: RegistrationTarget,
    paths: CommandPaths,
}

impl Home {
    fn new(agent: &str, text: &str) -> Self {
        Self::of_version(agent, text, Version::Any)
    }

    fn of_version(agent: &str, text: &str, version: Version<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let places = Places { home: Some(home.clone()), ..Places::default() };
        let context = SetupContext { places, cwd: home };
        let agent = Registry::standard().get(agent).unwrap().agent();
        let path = context.path(agent, agent.registration.blocks.last().unwrap().file).unwrap();
        let write = |path: &Path| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        // Some files contain their format version.
        if agent.registration.blocks.iter().any(|block| block.mark.is_some()) {
            write(&path);
        }
        let target = context.written(agent, Scope::User, version).unwrap().remove(0);
        write(&target.path);
        let paths = CommandPaths::new("/opt/it's here/snaphook").policy("/home/user/.config/snaphook/policy.toml");
        Self { folder, context, target, paths }
    }

    fn records(&self) -> Records {
        Records::read(&self.folder.path().join("state")).unwrap()
    }

    fn installs(&self) -> Plan {
        install(&self.context, &self.target, &self.paths, &self.records()).unwrap()
    }

    fn uninstalls(&self) -> Plan {
        uninstall(self.target.agent, &self.target.path, &self.paths, &self.records()).unwrap()
    }

    fn carries_out(&self, plan: Plan) {
        plan.carry_out(&mut self.records()).unwrap();
    }

    /// Changes the file as another program might, so that its bytes are not those on record.
    fn touched(&self) {
        let mut bytes = fs::read(&self.target.path).unwrap();
        bytes.push(b'\n');
        fs::write(&self.target.path, bytes).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.target.path).unwrap()
    }

    fn value(&self, text: &str) -> Value {
        let document = Document::parse(self.target.format, text).unwrap();
        let whole = match self.target.format {
            Format::Own | Format::Plugin => document.entries().unwrap().pop().map(|node| node.value),
            _ => document.found(&[], false).unwrap().pop(),
        };
        whole.unwrap_or(json!({}))
    }
}

/// Checks that `after` has all of `before`, and that only empty values are new.
fn only_empty_places_are_new(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before
                .iter()
                .all(|(name, value)| after.get(name).is_some_and(|after| only_empty_places_are_new(value, after)))
                && after.iter().all(|(name, value)| before.contains_key(name) || is_empty(value))
        }
        (before, after) => before == after,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().all(is_empty),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn there_and_back(agent: &str, text: &str, comments: &[String]) {
    let home = Home::new(agent, text);
    let before = home.value(text);
    let plan = home.installs();
    assert!(plan.changes() && plan.left.is_empty());
    home.carries_out(plan);
    let with = home.text();
    for comment in comments {
        assert!(with.contains(comment.as_str()), "{comment} is lost in\n{with}");
    }
    // Every other line is unchanged, except for a comma.
    let mut lines = with.split_inclusive('\n');
    if home.target.format == Format::Toml {
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n') && !line.trim().is_empty()) {
            assert!(lines.any(|there| there == line), "{line:?} of\n{text:?}\nis not in\n{with:?}");
        }
    }
    assert!(!home.installs().changes(), "a second time changes\n{with}");

    home.carries_out(home.uninstalls());
    assert_eq!(home.text(), text);
    assert!(home.records().files.is_empty());

    // Another program changed the file in between: our entries are found by the record.
    home.carries_out(home.installs());
    home.touched();
    home.carries_out(home.uninstalls());
    assert_eq!(home.value(&home.text()), before, "from\n{text}\nover\n{with}\nto\n{}", home.text());
    for comment in comments {
        assert!(home.text().contains(comment.as_str()), "{comment} is lost in\n{}", home.text());
    }

    // The record is lost too: our entries are found by their form.
    fs::write(&home.target.path, text).unwrap();
    home.carries_out(home.installs());
    home.touched();
    fs::remove_dir_all(home.folder.path().join("state")).unwrap();
    home.carries_out(home.uninstalls());
    let after = home.value(&home.text());
    assert!(only_empty_places_are_new(&before, &after), "from\n{text}\nover\n{with}\nto\n{}", home.text());
}

/// Writes a JSON document in a random layout, from a list of numbers that is repeated.
#[derive(Debug)]
struct JsonWriter {
    numbers: Vec<u8>,
    next: usize,
    newline: &'static str,
    text: String,
    comments: Vec<String>,
}

impl JsonWriter {
    fn draw(&mut self, below: u8) -> u8 {
        self.next += 1;
        self.numbers[self.next % self.numbers.len()] % below
    }

    /// Writes white space or a comment between two tokens.
    fn gap(&mut self) {
        let comment = format!("c{}", self.comments.len());
        match self.draw(9) {
            0 => self.text += " ",
            1 => self.text += "\t",
            2 => self.text += self.newline,
            3 => {
                self.text += self.newline;
                self.text += "    ";
            }
            4 => {
                let comment = format!("// {comment} \", {{");
                self.text = format!("{} {comment}{}", self.text, self.newline);
                self.comments.push(comment);
            }
            5 => {
                let comment = format!("/* {comment} ]}} */");
                self.text += &comment;
                self.comments.push(comment);
            }
            _ => {}
        }
    }

    fn json(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                self.list('{', '}', members.len(), |writer, at| {
                    let (name, value) = members.iter().nth(at).unwrap();
                    writer.text += &json!(name).to_string();
                    writer.gap();
                    writer.text += ":";
                    writer.gap();
                    writer.json(value);
                });
            }
            Value::Array(list) => self.list('[', ']', list.len(), |writer, at| writer.json(&list[at])),
            value => self.text += &value.to_string(),
        }
    }

    fn list(&mut self, open: char, close: char, length: usize, mut element: impl FnMut(&mut Self, usize)) {
        self.text.push(open);
        for at in 0..length {
            self.gap();
            element(self, at);
            self.gap();
            if at + 1 < length || self.draw(3) == 0 {
                self.text.push(',');
            }
        }
        self.gap();
        self.text.push(close);
    }

    fn toml(&mut self, sections: &[(String, Vec<Value>)]) {
        for (header, values) in sections {
            if !header.is_empty() {
                let indent = [" ", "", "", "\t"][usize::from(self.draw(4))];
                self.text += &format!("{indent}{header}");
                self.end();
            }
            for (number, value) in values.iter().enumerate() {
                let spaced = [" = ", "=", "  =\t"][usize::from(self.draw(3))];
                self.text += &format!("k{number}{spaced}{value}");
                self.end();
            }
        }
    }

    fn end(&mut self) {
        if self.draw(3) == 0 {
            let comment = format!("# c{} [x]", self.comments.len());
            self.text += &format!(" {comment}");
            self.comments.push(comment);
        }
        for _ in 0..=self.draw(3) {
            self.text += self.newline;
        }
    }
}

fn writer() -> impl Strategy<Value = JsonWriter> {
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    let begin = prop_oneof![4 => Just(""), 1 => Just("\u{feff}")];
    (proptest::collection::vec(any::<u8>(), 1..80), newline, begin).prop_map(|(numbers, newline, begin)| JsonWriter {
        numbers,
        next: 0,
        newline,
        text: begin.to_owned(),
        comments: Vec::new(),
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\/ é]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-e]{1,3}", inner), 0..4)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// Settings that may already contain hooks of other programs.
fn settings() -> impl Strategy<Value = Value> {
    let event = prop_oneof![Just("PreToolUse"), Just("Stop"), Just("Notification"), Just("SessionStart")];
    let command = "[a-z/ ]{1,8}".prop_map(|command| json!({"hooks": [{"type": "command", "command": command}]}));
    let groups = proptest::collection::vec(command, 0..3).prop_map(Value::from);
    let hooks = proptest::collection::vec((event.prop_map(str::to_owned), groups), 0..4);
    let hooks = proptest::option::of(hooks.prop_map(|members| Value::Object(Map::from_iter(members))));
    (proptest::collection::vec(("[a-e]{1,3}", value()), 0..4), hooks, any::<bool>()).prop_map(
        |(members, hooks, first)| {
            let hooks = hooks.map(|hooks| ("hooks".to_owned(), hooks));
            let (before, after) = if first { (hooks, None) } else { (None, hooks) };
            Value::Object(before.into_iter().chain(members).chain(after).collect())
        },
    )
}

fn tables() -> impl Strategy<Value = Vec<(String, Vec<Value>)>> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z #\\[\\]]{0,6}".prop_map(Value::from),
        proptest::collection::vec("[a-z]{1,3}", 0..3).prop_map(Value::from),
    ];
    let header = prop_oneof![
        "\\[hooks\\.o[a-z]{1,3}\\]",
        "\\[x[a-z]{1,3}\\]",
        "\\[\\[y[a-z]{1,3}\\]\\]",
        Just("[hooks]".to_owned())
    ];
    let section = (header, proptest::collection::vec(leaf.clone(), 0..3));
    (proptest::collection::vec(leaf, 0..3), proptest::collection::vec(section, 0..5)).prop_map(|(root, sections)| {
        let mut all = vec![(String::new(), root)];
        for section in sections {
            if !all.iter().any(|(header, _)| *header == section.0) {
                all.push(section);
            }
        }
        all
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_uninstall_restores_json_with_comments(mut writer in writer(), settings in settings()) {
        writer.json(&settings);
        writer.gap();
        there_and_back("claude-code", &writer.text, &writer.comments);
    }

    #[test]
    fn an_uninstall_restores_toml(mut writer in writer(), tables in tables()) {
        writer.toml(&tables);
        there_and_back("hygge", &writer.text, &writer.comments);
    }
}

/// How a similar entry differs from ours.
#[derive(Debug, Clone, Copy)]
enum Lookalike {
    Equal,
    Twice,
    OtherProgram,
    OtherPolicy,
    Edited,
    /// It only prints our command.
    Printed,
    /// Another program has our name.
    Foreign,
}

fn lookalikes() -> impl Strategy<Value = Vec<(usize, Lookalike)>> {
    let lookalike = prop_oneof![
        Just(Lookalike::Equal),
        Just(Lookalike::Twice),
        Just(Lookalike::OtherProgram),
        Just(Lookalike::OtherPolicy),
        Just(Lookalike::Edited),
        Just(Lookalike::Printed),
        Just(Lookalike::Foreign),
    ];
    proptest::collection::vec((0..12_usize, lookalike), 0..4)
}

/// Entries similar to ours, each with its path.
fn looking_like_ours(home: &Home, lookalikes: &[(usize, Lookalike)]) -> Vec<Node> {
    let RegistrationTarget { agent, block, format, .. } = &home.target;
    let of = |paths: &CommandPaths| entries(agent, block, *format, paths);
    let ours = of(&home.paths);
    let instead = |node: &Node, from: &str, to: &str| {
        let instead = |text: &str| {
            assert!(text.contains(from), "{from} is not in {text}");
            text.replacen(from, to, 1)
        };
        match &node.text {
            Some(text) => Node { text: Some(instead(text)), ..node.clone() },
            None => Node { value: serde_json::from_str(&instead(&node.value.to_string())).unwrap(), ..node.clone() },
        }
    };
    let mut all = Vec::new();
    for (at, lookalike) in lookalikes {
        let at = at % ours.len();
        let node = &ours[at];
        all.extend(match lookalike {
            Lookalike::Equal => vec![node.clone()],
            Lookalike::Twice => vec![node.clone(), node.clone()],
            Lookalike::OtherProgram => vec![of(&CommandPaths::new("/old/bin/snaphook").policy("/p.toml"))[at].clone()],
            Lookalike::OtherPolicy => {
                vec![of(&CommandPaths::new("/opt/it's here/snaphook").policy("/home/user/mine.toml"))[at].clone()]
            }
            Lookalike::Edited if node.text.is_some() => vec![instead(node, "10", "11")],
            Lookalike::Edited => vec![instead(node, "0", "1")],
            Lookalike::Printed if node.text.is_some() => Vec::new(),
            Lookalike::Printed => vec![instead(&of(&CommandPaths::new("snaphook"))[at], "snaphook", "echo snaphook")],
            Lookalike::Foreign if node.text.is_some() => vec![Node::text("stop: []\n".to_owned(), json!({"stop": []}))],
            Lookalike::Foreign => vec![instead(&of(&CommandPaths::new("/bin/not-ours"))[at], "hook", "cook")],
        });
    }
    all
}

/// Inserts entries into a document as a person might.
fn with_entries(mut document: Value, entries: Vec<Node>) -> Value {
    for entry in entries {
        let mut place = &mut document;
        for name in &entry.at {
            if !place[name.as_str()].is_object() && !place[name.as_str()].is_array() {
                place[name.as_str()] = json!({});
            }
            place = &mut place[name.as_str()];
        }
        if !entry.in_list {
            *place = entry.value;
        } else if let Some(list) = place.as_array_mut() {
            list.push(entry.value);
        } else {
            *place = json!([entry.value]);
        }
    }
    document
}

/// Removes every entry that calls snaphook.
fn without_calls(value: &Value, agent: &str) -> Value {
    match value {
        Value::Array(list) => {
            let rest = list.iter().filter(|value| !calls(value, agent));
            rest.map(|value| without_calls(value, agent)).collect()
        }
        Value::Object(members) => {
            let rest = members.iter().filter(|(name, value)| !name.starts_with("snaphook") || !calls(value, agent));
            Value::Object(rest.map(|(name, value)| (name.clone(), without_calls(value, agent))).collect())
        }
        value if calls(value, agent) => Value::Null,
        value => value.clone(),
    }
}

fn count(home: &Home, text: &str) -> usize {
    let agent = home.target.agent.id;
    let document = Document::parse(home.target.format, text).unwrap();
    named(&document, agent).unwrap().iter().filter(|found| calls(&found.node.value, agent)).count()
}

/// With any similar entries, an uninstall restores the bytes; if the file was changed since, it removes only what the
/// install added.
fn there_and_back_beside(home: &Home, text: &str, edit: impl Fn(&str) -> String) {
    let agent = home.target.agent.id;
    home.carries_out(home.installs());
    let with = home.text();
    assert!(!home.installs().changes(), "a second time changes\n{with}");
    let plan = home.uninstalls();
    let left = plan.left.iter().filter(|left| calls(&left.node.value, agent)).count();
    assert_eq!(left, count(home, text), "what is left is said");
    home.carries_out(plan);
    assert_eq!(home.text(), text, "over\n{with}");
    assert!(home.records().files.is_empty());

    home.carries_out(home.installs());
    fs::write(&home.target.path, edit(&home.text())).unwrap();
    home.carries_out(home.uninstalls());
    let (before, after) = (home.value(&edit(text)), home.value(&home.text()));
    let (before, after) = (without_calls(&before, agent), without_calls(&after, agent));
    assert!(only_empty_places_are_new(&before, &after), "from\n{text}\nover\n{with}\nto\n{}", home.text());
    let (was, is) = (count(home, text), count(home, &home.text()));
    assert!(is <= was && (is > 0) == (was > 0), "{was} calls, then {is}, from\n{text}\nto\n{}", home.text());
    // There is no record any more, so everything that snaphook could have written is removed.
    home.carries_out(home.uninstalls());
    assert!(count(home, &home.text()) <= is);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn similar_json_entries_of_others_are_kept(mut writer in writer(), settings in settings(), lookalikes in lookalikes(), codex in any::<bool>()) {
        let agent = if codex { "codex" } else { "claude-code" };
        let home = Home::new(agent, "{}");
        let settings = if codex { json!({"hooks": settings.get("hooks").cloned().unwrap_or_else(|| json!({}))}) } else { settings };
        writer.json(&with_entries(settings, looking_like_ours(&home, &lookalikes)));
        writer.gap();
        fs::write(&home.target.path, &writer.text).unwrap();
        // Codex rejects members that it does not know.
        let name = if codex { "description" } else { "theirs" };
        there_and_back_beside(&home, &writer.text, |text| text.replacen('{', &format!("{{\"{name}\": \"x\", // since\n"), 1).replace(", // since\n}", "}"));
    }

    #[test]
    fn similar_picoclaw_entries_of_others_are_kept(mut writer in writer(), version in 1..4_u8, lookalikes in lookalikes(), high in 0..3000_i64) {
        let home = Home::new("picoclaw", &json!({"version": version}).to_string());
        let others = json!({"version": version, "hooks": {"processes": {"x": {"priority": high}}}});
        writer.json(&with_entries(others, looking_like_ours(&home, &lookalikes)));
        fs::write(&home.target.path, &writer.text).unwrap();
        there_and_back_beside(&home, &writer.text, |text| text.replacen('{', "{\"theirs\": 1, // since\n", 1));
    }

    #[test]
    fn similar_toml_entries_of_others_are_kept(mut writer in writer(), tables in tables(), lookalikes in lookalikes()) {
        let home = Home::new("hygge", "");
        writer.toml(&tables);
        let entries = with_entries(json!({}), looking_like_ours(&home, &lookalikes));
        let mut text = String::new();
        for (name, table) in entries["hooks"].as_object().into_iter().flatten() {
            text += &format!("[hooks.{name}]\n");
            for (key, value) in table.as_object().unwrap() {
                text += &format!("{key} = {value}\n");
            }
        }
        let entries = text.replace('\n', writer.newline);
        let text = format!("{}{}{entries}", writer.text, writer.newline);
        fs::write(&home.target.path, &text).unwrap();
        let newline = writer.newline;
        there_and_back_beside(&home, &text, |text| format!("{text}{newline}[theirs]{newline}a = 1"));
    }

    #[test]
    fn a_similar_file_with_our_name_is_kept(lookalikes in lookalikes(), newline in prop_oneof![Just("\n"), Just("\r\n")], version in prop_oneof![Just("1.140.0"), Just("1.110.0")]) {
        let home = Home::of_version("docker-agent", "", Version::Named(version));
        let entries = looking_like_ours(&home, &lookalikes);
        let text = entries.last().and_then(|node| node.text.as_deref()).unwrap_or("# mine\n").replace('\n', newline);
        fs::write(&home.target.path, &text).unwrap();
        there_and_back_beside(&home, &text, |text| format!("{text}# since\n"));
    }
}

#[test]
fn a_backup_changed_by_someone_else_is_not_restored() {
    let text = "{\n  // mine\n  \"a\": 1\n}\n";
    let home = Home::new("claude-code", text);
    home.carries_out(home.installs());
    let backups = home.folder.path().join("state/backups");
    for backup in fs::read_dir(backups).unwrap() {
        fs::write(backup.unwrap().path(), "{}").unwrap();
    }
    home.carries_out(home.uninstalls());
    assert_eq!(home.text(), text);
}

#[test]
fn the_record_is_readable_only_by_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("claude-code", "{}");
    home.carries_out(home.installs());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let state = home.folder.path().join("state");
    assert_eq!((mode(&state), mode(&state.join("installed.json"))), (0o700, 0o600));
}

#[test]
fn records_written_at_the_same_time_are_both_kept() {
    let home = Home::new("claude-code", "{}");
    let record = |number: usize| super::record::FileRecord {
        agent: "claude-code".to_owned(),
        path: format!("/{number}").into(),
        undo: None,
        entries: vec![super::record::Owned { at: Vec::new(), sha256: String::new(), found: false }],
        made: Vec::new(),
        outdated: Vec::new(),
        folders: Vec::new(),
    };
    std::thread::scope(|scope| {
        for number in 0..12 {
            let mut records = home.records();
            scope.spawn(move || records.keep(record(number)).unwrap());
        }
    });
    assert_eq!(home.records().files.len(), 12);
}

#[test]
fn concurrent_changes_by_another_program_are_kept() {
    let home = Home::new("claude-code", "{}");
    let plan = home.installs();
    fs::write(&home.target.path, "{\"theirs\": 1}").unwrap();
    let why = plan.carry_out(&mut home.records()).unwrap_err();
    assert!(why.contains("settings.json: another program changed it in the meantime; run the command again"), "{why}");
    assert_eq!(home.text(), "{\"theirs\": 1}");
    home.carries_out(home.installs());
    let plan = home.uninstalls();
    let with = home.text().replace("\"theirs\": 1", "\"theirs\": 2");
    fs::write(&home.target.path, &with).unwrap();
    assert!(plan.carry_out(&mut home.records()).is_err());
    assert_eq!(home.text(), with);
    home.carries_out(home.uninstalls());
    assert_eq!(home.value(&home.text()), json!({"theirs": 2}));
}
