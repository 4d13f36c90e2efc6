//! Measures how many everyday commands the deny and ask rules of a careful user hold up.

#![expect(clippy::unwrap_used, reason = "helpers of a test fail like it")]

use serde::Deserialize;
use snaphook::policy::{LoadedPolicy, Places};
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, ShellKind, ToolCall, VerdictKind};
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::raw::json_string;
use snaphook_adapters::registry::Registry;

#[path = "../common/no_handlers.rs"]
mod no_handlers;

use self::no_handlers::NoHandlers;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    deny: Vec<String>,
    ask: Vec<String>,
    allow: Vec<String>,
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    kind: String,
    lines: Vec<String>,
}

struct Judge {
    policy: LoadedPolicy,
    agent: &'static Agent,
    /// The folder with the project and the home folder.
    dir: tempfile::TempDir,
}

impl Judge {
    fn new(deny: &[String], ask: &[String], allow: &[String]) -> Self {
        let registry = Registry::standard();
        let dir = tempfile::Builder::new().prefix("snaphook-everyday").tempdir_in("/var/tmp").unwrap();
        for folder in ["home/.ssh", "home/app/.git"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let list = |rules: &[String]| rules.iter().map(|rule| json_string(rule)).collect::<Vec<_>>().join(", ");
        let (deny, ask, allow) = (list(deny), list(ask), list(allow));
        let text = format!("[permissions]\ndeny = [{deny}]\nask = [{ask}]\nallow = [{allow}]\n");
        let mut places = Places::default();
        places.home = Some(dir.path().join("home"));
        places.policy = Some(dir.path().join("policy.toml"));
        std::fs::write(dir.path().join("policy.toml"), text).unwrap();
        let policy = LoadedPolicy::load(&places, None, &registry).unwrap();
        Self { policy, agent: registry.get("claude-code").unwrap().agent(), dir }
    }

    /// The verdict on a command, and what led to it.
    fn verdict(&self, line: &str) -> (VerdictKind, String) {
        let row = self.agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(self.agent, row, Raw::document("{}"));
        event.session = Some("s1".to_owned());
        let project = self.dir.path().join("home/app").to_string_lossy().into_owned();
        (event.cwd, event.project) = (Some(project.clone()), Some(project));
        let action = Action::Shell { command: Command::Text(line.into()), cwd: None, shell: ShellKind::Posix };
        event.detail = Detail::Tool(ToolCall::sketch(self.agent, &action).unwrap());
        let judgement = self.policy.judge(&event, &mut NoHandlers);
        (judgement.decision.verdict.kind(), format!("{:?}", judgement.causes))
    }
}

#[test]
fn deny_and_ask_rules_rarely_hold_up_everyday_commands() {
    let corpus: Corpus = toml::from_str(include_str!("commands.toml")).unwrap();
    let plain = Judge::new(&[], &[], &corpus.allow);
    let careful = Judge::new(&corpus.deny, &corpus.ask, &corpus.allow);
    let (mut lines, mut allowed, mut held_up, mut denied) = (0, 0, 0, 0);
    for group in &corpus.group {
        for line in &group.lines {
            lines += 1;
            let (verdict, causes) = careful.verdict(line);
            if verdict == VerdictKind::Deny {
                denied += 1;
                println!("denied ({}): {line}\n    {causes}", group.kind);
            }
            if plain.verdict(line).0 != VerdictKind::Allow {
                continue;
            }
            allowed += 1;
            if verdict != VerdictKind::Allow {
                held_up += 1;
                println!("{} ({}): {line}\n    {causes}", verdict.word(), group.kind);
            }
        }
    }
    println!(
        "{lines} lines; {allowed} are allowed without deny and ask rules; of these {held_up} are held up; {denied} denied"
    );
    assert!(lines >= 500 && allowed * 10 >= lines * 9, "{allowed} of {lines} lines are allowed");
    assert_eq!(denied, 0);
    assert!(held_up * 50 <= allowed, "{held_up} of {allowed} lines are held up");
}
