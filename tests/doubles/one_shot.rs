//! Agents that start a hook process for each event.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use snaphook_doubles::one_shot::OneShot;
use snaphook_hosts::Effect;
use snaphook_hosts::cases::{Cases, ReplyFault, Report};

use crate::skipped::skipped;
use crate::{Home, RULES, program, registered};

/// One registered command of one version of an agent.
#[derive(Clone, Copy)]
struct Lane {
    agent: &'static str,
    version: &'static str,
    host: &'static str,
    event: &'static str,
    /// Its index among the commands of the event.
    place: usize,
    /// The fixture with a message for it.
    fixture: &'static str,
    /// True if the person is asked when snaphook has no opinion, by the agent or by a later gate of snaphook.
    silence_asks: bool,
    /// True if the agent blocks when snaphook does not answer in time.
    closed: bool,
}

const fn lane(
    agent: &'static str,
    version: &'static str,
    host: &'static str,
    event: &'static str,
    fixture: &'static str,
) -> Lane {
    Lane { agent, version, host, event, place: 0, fixture, silence_asks: false, closed: true }
}

const fn open(lane: Lane) -> Lane {
    Lane { closed: false, ..lane }
}

const fn asked(lane: Lane) -> Lane {
    Lane { silence_asks: true, ..lane }
}

const CLAUDE: &str = "claude-code";
const DOCKER: &str = "docker-agent";
const LANES: &[Lane] = &[
    open(lane(CLAUDE, "2.1.329", "2.1.329", "PreToolUse", "pre_tool_use_bash")),
    lane(CLAUDE, "2.1.329", "2.1.329-onfailure", "PreToolUse", "pre_tool_use_bash"),
    open(asked(lane(CLAUDE, "2.1.329", "2.1.329", "PermissionRequest", "permission_request_bash"))),
    open(lane("codex", "0.169.0", "0.169.0", "PreToolUse", "pre_tool_use_bash")),
    open(lane("codex", "0.169.0", "0.169.0", "PermissionRequest", "permission_request_bash")),
    asked(lane(DOCKER, "1.141.0", "c-block", "tool_input_transform", "tool_input_transform_shell")),
    lane(DOCKER, "1.141.0", "c", "tool_guard", "tool_input_transform_shell"),
    lane(DOCKER, "1.141.0", "c", "pre_tool_use", "pre_tool_use_shell"),
    open(lane(DOCKER, "1.110.0", "b2-preempt", "pre_tool_use", "pre_tool_use_preempt")),
    Lane { place: 1, ..lane(DOCKER, "1.110.0", "b2", "pre_tool_use", "pre_tool_use_preempt") },
    lane(DOCKER, "1.60.0", "b", "pre_tool_use", "pre_tool_use_old_shell"),
    open(lane(DOCKER, "1.32.3", "a", "pre_tool_use", "pre_tool_use_old_shell")),
    lane("hygge", "0.17.5", "0.17.5", "pre_tool", "pre_tool_bash"),
];

/// One agent with snaphook, or another program, registered.
struct Stage<'a> {
    lane: &'a Lane,
    cases: Cases,
    home: &'a Home,
}

impl<'a> Stage<'a> {
    fn new(lane: &'a Lane, home: &'a Home) -> Self {
        Self { lane, cases: Cases::of(lane.agent).unwrap(), home }
    }

    fn host(&self) -> OneShot<'_> {
        let home = self.home.path();
        let host = OneShot::new(&self.cases, self.lane.host).unwrap().shell("/bin/sh").cwd(home).env("HOME", home);
        // The time limit of the agent or the registration is far above that of snaphook.
        host.env("XDG_STATE_HOME", home.join("state")).env("XDG_CONFIG_HOME", home.join("config"))
    }

    fn plays(&self, host: &OneShot<'_>, program: &Path, command: &str) -> Report {
        let Lane { agent, version, event, place, .. } = *self.lane;
        let lines = registered::lines(agent, version, event, &self.home.paths(program));
        let report = host.send(event, &self.message(command), &lines[place]);
        assert_ne!(report.effect, Effect::Unmeasured, "{}: {command}: {report:#?}", self.name());
        report
    }

    fn asks(&self, command: &str) -> Report {
        self.plays(&self.host(), program(), command)
    }

    fn message(&self, command: &str) -> String {
        let folder = format!("adapters/{}/fixtures", self.lane.agent.replace('-', "_"));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(format!("{}.json", self.lane.fixture));
        let fixture: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let mut message = fixture["stdin"].clone();
        let input = message["tool_input"].as_object_mut().unwrap();
        let key = if input.contains_key("cmd") { "cmd" } else { "command" };
        input.insert(key.to_owned(), json!(command));
        if let Some(name) = message.get_mut("hook_event_name") {
            *name = json!(self.lane.event);
        }
        message.to_string()
    }

    fn name(&self) -> String {
        format!("{} {} {} line {}", self.lane.agent, self.lane.host, self.lane.event, self.lane.place + 1)
    }
}

#[test]
fn every_host_is_at_least_as_strict_as_the_policy() {
    let home = Home::new(RULES);
    for lane in LANES {
        let stage = Stage::new(lane, &home);
        let name = stage.name();
        let deny = stage.asks("deny-me now");
        assert!(deny.effect.blocks(), "{name}: deny: {deny:#?}");
        let reason = deny.carried("reason").and_then(Value::as_str).unwrap_or_default();
        assert!(reason.contains("deny-me"), "{name}: the reason does not name the rule: {deny:#?}");
        let respond = stage.asks("respond-me now");
        assert!(respond.effect.blocks(), "{name}: respond: {respond:#?}");
        let ask = stage.asks("ask-me now");
        let asks = ask.effect == Effect::Asks || lane.silence_asks && ask.effect == Effect::Flow;
        assert!(asks || ask.effect.blocks(), "{name}: ask: {ask:#?}");
        let pass = stage.asks("pass-me now");
        assert_eq!(pass.effect, Effect::Flow, "{name}: pass is no opinion: {pass:#?}");
        let allow = stage.asks("allow-me now");
        assert!(allow.effect.runs(), "{name}: allow does not break what policy allows: {allow:#?}");
        assert_eq!(deny.heard.fault.or(ask.heard.fault).or(allow.heard.fault), None, "{name}");
    }
}

#[test]
fn an_unreadable_policy_blocks_every_gate() {
    for broken in ["[permisions]\n", "deny = [", ""] {
        let home = Home::new(broken);
        for lane in LANES {
            let stage = Stage::new(lane, &home);
            let report = stage.asks("pass-me now");
            assert!(report.effect.blocks(), "{}: {broken:?}: {report:#?}", stage.name());
        }
    }
    let home = Home::new("");
    std::fs::remove_file(home.path().join("snaphook.toml")).unwrap();
    for lane in LANES {
        let stage = Stage::new(lane, &home);
        let report = stage.asks("pass-me now");
        assert!(report.effect.blocks(), "{}: no policy: {report:#?}", stage.name());
    }
}

#[test]
fn a_hook_that_is_killed_crashes_or_is_missing_blocks() {
    let home = Home::new(RULES);
    let programs = [
        home.script("killed", "kill -9 $$"),
        home.script("crashed", "exit 101"),
        home.script("polite", "exit 1"),
        home.path().join("missing"),
    ];
    for lane in LANES {
        let stage = Stage::new(lane, &home);
        for program in &programs {
            let report = stage.plays(&stage.host(), program, "pass-me now");
            // On this event Claude Code obeys only a JSON document, which the guard prints.
            assert!(report.effect.blocks(), "{}: {}: {report:#?}", stage.name(), program.display());
        }
    }
}

#[test]
fn a_call_with_a_hanging_handler_is_answered_before_the_time_limit_of_the_host() {
    let home = Home::new(RULES);
    for lane in LANES {
        let stage = Stage::new(lane, &home);
        let report = stage.asks("hang-me now");
        assert_eq!(report.heard.fault, None, "{}: {report:#?}", stage.name());
        assert!(report.effect.blocks(), "{}: {report:#?}", stage.name());
    }
}

#[test]
fn the_effect_of_a_missing_answer_agrees_with_the_cases() {
    let home = Home::new(RULES);
    let slow = home.script("slow", "exec sleep 20");
    for lane in LANES {
        let stage = Stage::new(lane, &home);
        let host = stage.host().timeout(Duration::from_millis(300));
        let report = stage.plays(&host, &slow, "pass-me now");
        assert_eq!(report.heard.fault, Some(ReplyFault::Timeout), "{}: {report:#?}", stage.name());
        assert_eq!(report.effect.blocks(), lane.closed, "{}: {report:#?}", stage.name());
    }
}

#[test]
fn every_shell_runs_the_registered_line() {
    let home = Home::new(RULES);
    let killed = home.script("killed", "kill -9 $$");
    let (here, missing): (Vec<_>, Vec<_>) =
        ["sh", "dash", "bash", "zsh", "fish", "nu"].into_iter().partition(|shell| shell_path(shell).is_some());
    if !missing.is_empty() {
        skipped(&format!("{}: not on this machine", missing.join(", ")));
    }
    for lane in LANES.iter().filter(|lane| ["codex", DOCKER].contains(&lane.agent)) {
        let stage = Stage::new(lane, &home);
        for shell in here.iter().filter_map(|shell| shell_path(shell)) {
            let host = stage.host().shell(&shell);
            for (program, command) in [(program(), "deny-me now"), (killed.as_path(), "pass-me now")] {
                let report = stage.plays(&host, program, command);
                assert!(report.effect.blocks(), "{}: {}: {report:#?}", stage.name(), shell.display());
            }
            let report = stage.plays(&host, program(), "pass-me now");
            assert_eq!(report.effect, Effect::Flow, "{}: {}: {report:#?}", stage.name(), shell.display());
        }
    }
}

fn shell_path(shell: &str) -> Option<std::path::PathBuf> {
    ["/bin", "/usr/bin", "/usr/local/bin"].iter().map(|folder| Path::new(folder).join(shell)).find(|path| path.exists())
}
