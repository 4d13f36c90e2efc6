//! End to end for every agent: its message is read, its answer is written, and its shell runs the command in
//! it.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, Reply, ShellKind, Target, ToolCall};
use snaphook_adapters::protocol::{
    ActionKind, Agent, Connection, EventRow, HookProtocol, HostShell, Native, Power, RegisteredLine, Role,
};
use snaphook_adapters::registry::Registry;

use crate::place::{Place, SNAPHOOK, has};

const ALLOWED: &str = "[permissions]\nallow = [\"Bash\"]\n";

/// One gate of one agent and one command.
struct Asked {
    event: HookEvent,
    reply: Reply,
    changed: Option<String>,
    blocks: bool,
}

/// Returns true if the event can change a command and the agent's shell is known.
fn can_wrap(asked: &Asked) -> bool {
    let is_known = !matches!(asked.event.agent.wrapping.shell, HostShell::Unknown);
    is_known && asked.event.row.can(Power::Change(Target::Input))
}

/// Returns false for an event of another tool than those that run commands.
fn brings_commands(agent: &Agent, row: &EventRow) -> bool {
    let runs = |name: &str| {
        let tool = agent.tools.iter().find(|tool| tool.native == name);
        tool.is_some_and(|tool| tool.actions.iter().any(|act| act.kind == ActionKind::Shell))
    };
    row.selector.tool.is_none_or(|of| runs(of.name))
}

fn shell(text: &str) -> Action {
    Action::Shell { command: text.into(), cwd: None, shell: ShellKind::Posix }
}

fn gates(protocol: &'static dyn HookProtocol) -> impl Iterator<Item = (&'static EventRow, Role)> {
    let agent = protocol.agent();
    let rows = agent
        .events
        .iter()
        .filter(move |row| row.kind == EventKind::PreTool && row.gates() && brings_commands(agent, row));
    rows.map(|row| (row, row.selector.roles.first().copied().unwrap_or_default()))
}

/// Sends the agent's own message for a command to the real program.
fn ask(
    place: &Place,
    protocol: &'static dyn HookProtocol,
    row: &'static EventRow,
    role: Role,
    text: &str,
) -> Option<Asked> {
    ask_spelled(place, protocol, row, role, text, str::to_owned)
}

/// The same with an equivalent encoding of the message.
fn ask_spelled(
    place: &Place,
    protocol: &'static dyn HookProtocol,
    row: &'static EventRow,
    role: Role,
    text: &str,
    spelling: fn(&str) -> String,
) -> Option<Asked> {
    let agent = protocol.agent();
    let host = snaphook_hosts::account(agent.id)?;
    let mut event = HookEvent::new(agent, row, snaphook_adapters::Raw::document("{}"));
    event.dialect = row.selector.dialects.first().copied();
    event.cwd = Some(place.path("home/project").display().to_string());
    event.detail = Detail::Tool(ToolCall::sketch(agent, &shell(text))?);
    let message = spelling(&host.present(&event));
    let mut command = place.command(SNAPHOOK);
    command.args(["hook", agent.id, "--no-audit", "--event", row.native]).env("SHELL", "/bin/sh");
    command.args(role.flag());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim_end().to_owned();
    let mut reply = Reply::silent();
    (reply.stdout, reply.stderr) = (text(output.stdout), text(output.stderr));
    reply.exit = u8::try_from(output.status.code().unwrap()).unwrap();
    let native = Native::new(message).line(RegisteredLine::default().event(row.native).role(role)).connection(modes());
    let snaphook_adapters::model::Incoming::Event(event) = protocol.parse(&native).unwrap() else { return None };
    let outcomes: Vec<_> = event.row.hosts.iter().map(|id| host.interpret(&event, id, &reply)).collect();
    let changed = outcomes.iter().find_map(|outcome| {
        let call = event.call()?.with_input(agent, outcome.change(Target::Input)?.clone())?;
        call.actions.iter().find_map(|action| match action {
            Action::Shell { command: Command::Text(text), .. } => Some(text.to_string()),
            _ => None,
        })
    });
    let blocks = outcomes.iter().all(|outcome| outcome.effect.blocks());
    Some(Asked { event: *event, reply, changed, blocks })
}

fn modes() -> std::sync::Arc<Connection> {
    let mut connection = Connection::default();
    connection.modes = Some(["tool", "approve"].map(str::to_owned).to_vec());
    std::sync::Arc::new(connection)
}

fn each_gate(check: impl Fn(&Place, &'static dyn HookProtocol, &'static EventRow, Role)) {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    place.policy("landlock", ALLOWED);
    // Needed if the guard of an agent requires the bare name.
    std::fs::create_dir(place.path("home/bin")).unwrap();
    std::os::unix::fs::symlink(SNAPHOOK, place.path("home/bin/snaphook")).unwrap();
    let registry: &'static Registry = Box::leak(Box::new(Registry::standard()));
    for protocol in registry.iter() {
        for (row, role) in gates(protocol) {
            check(&place, protocol, row, role);
        }
    }
}

#[test]
fn a_rewritten_command_runs_isolated_and_is_recognised_as_wrapped() {
    each_gate(|place, protocol, row, role| {
        let many = "echo 'it works' > in.txt; echo \"$0\" && echo x > ../other/new; exit 9";
        // V7: if a new input implies approval, only a call that a rule allows gets one.
        let approves = protocol.agent().events.iter().any(|row| row.can(Power::ChangeNeedsAllow));
        let (text, code) = if approves { ("touch in.txt", 0) } else { (many, 9) };
        let at = format!("{} {}", protocol.agent().id, row.key());
        let Some(asked) = ask(place, protocol, row, role, text) else { return };
        let Some(wrapped) = asked.changed else {
            assert!(asked.blocks && !can_wrap(&asked), "{at}: {:?}", asked.reply);
            return;
        };
        let path = format!("{}:{}", place.path("home/bin").display(), std::env::var("PATH").unwrap());
        let output = place.command("sh").args(["-c", &wrapped]).env("PATH", path).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{at}: {wrapped}: {output:?}");
        assert!(place.path("home/project/in.txt").exists(), "{at}: {wrapped}");
        assert!(!place.path("home/other/new").exists(), "{at}: {wrapped}");
        std::fs::remove_file(place.path("home/project/in.txt")).unwrap();
        // R6: every gate accepts the wrapped command, and none wraps it again.
        for (row, role) in gates(protocol) {
            let Some(again) = ask(place, protocol, row, role, &wrapped) else { continue };
            let at = format!("{at}, then {}: {:?}", row.key(), again.reply);
            assert!(!again.blocks, "{at}");
            assert!(again.changed.is_none_or(|text| text == wrapped), "{at}");
        }
    });
}

/// Ways in which the JSON encoders of agents may write the same message; `present` writes Go's.
const SPELLINGS: [fn(&str) -> String; 4] = [
    str::to_owned,
    |message| message.replace('/', "\\/"),
    |message| message.replace('<', "\\u003C").replace('>', "\\u003E").replace('&', "\\u0026").replace('\'', "\\u0027"),
    |message| all_escaped(&serde_json::from_str(message).unwrap()),
];

/// Escapes every character of all texts that are not keys.
fn all_escaped(value: &Value) -> String {
    let listed = |items: Vec<String>| items.join(", ");
    match value {
        Value::String(text) => {
            let escaped: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            format!("\"{}\"", escaped.concat())
        }
        Value::Array(items) => format!("[{}]", listed(items.iter().map(all_escaped).collect())),
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| format!("{} : {}", Value::from(key.as_str()), all_escaped(value));
            format!("{{ {} }}", listed(members.iter().map(member).collect()))
        }
        other => other.to_string(),
    }
}

#[test]
fn r6_a_wrapped_command_is_recognised_in_every_json_encoding() {
    each_gate(|place, protocol, row, role| {
        place.policy("landlock", "[permissions]\nallow = [\"Bash\", \"Edit\", \"Read\"]\n");
        let text = "echo 'a & <b>' > in.txt && cat < in.txt 2>&1";
        let wrapped = ask(place, protocol, row, role, text).and_then(|asked| asked.changed);
        let rows = protocol.agent().events.iter().filter(|row| row.gates());
        let rows = rows.filter(|row| matches!(row.kind, EventKind::PreTool | EventKind::Permission));
        let rows = rows.filter(|row| brings_commands(protocol.agent(), row));
        let roles = |row: &EventRow| if row.selector.roles.is_empty() { &[Role::Alone] } else { row.selector.roles };
        for (later, role) in rows.flat_map(|row| roles(row).iter().map(move |role| (row, *role))) {
            for (number, spelling) in SPELLINGS.into_iter().enumerate() {
                let ask = |text: &str| ask_spelled(place, protocol, later, role, text, spelling).unwrap();
                let at = format!("{} {}, then {} {role:?}, {number}", protocol.agent().id, row.key(), later.key());
                if let Some(wrapped) = &wrapped {
                    let again = ask(wrapped);
                    assert!(!again.blocks, "{at}: {:?}", again.reply);
                    assert!(again.changed.is_none_or(|text| text == *wrapped), "{at}");
                }
                let bare = ask(text);
                assert!(
                    bare.blocks || bare.changed.is_some_and(|text| text.contains(" run ")),
                    "{at}: {:?}",
                    bare.reply
                );
            }
        }
        place.policy("landlock", ALLOWED);
    });
}

#[test]
fn r5_a_rewrite_changes_only_the_command() {
    each_gate(|place, protocol, row, role| {
        let Some(asked) = ask(place, protocol, row, role, "ls -l") else { return };
        let Some(wrapped) = &asked.changed else { return };
        let before = asked.event.call().unwrap();
        let change = protocol.rewrite(before, &|_| Some(wrapped.clone().into())).unwrap();
        let host = snaphook_hosts::account(protocol.agent().id).unwrap();
        for id in asked.event.row.hosts {
            let outcome = host.interpret(&asked.event, id, &asked.reply);
            let carried = outcome.change(Target::Input).unwrap();
            assert_eq!(carried.as_str(), change.value.as_str(), "{} {id}", protocol.agent().id);
        }
    });
}

#[test]
fn v3_every_gate_blocks_a_command_that_cannot_be_rewritten() {
    each_gate(|place, protocol, row, role| {
        let long = format!("echo {}", "'$".repeat(50 << 10));
        for text in [long.as_str(), "echo \u{FFFD}\u{FFFD}"] {
            let Some(asked) = ask(place, protocol, row, role, text) else { return };
            if text.len() > 1000 {
                assert!(asked.blocks, "{} {}: {:?}", protocol.agent().id, row.key(), asked.reply);
            }
        }
        // A command that resembles a wrapped one is judged as written, and wrapped or blocked.
        let alike = format!("{SNAPHOOK} run -- sh -c -- 'ls' ; rm -rf x");
        let asked = ask(place, protocol, row, role, &alike).unwrap();
        assert!(asked.blocks || asked.changed.is_some_and(|text| text != alike), "{}", protocol.agent().id);
    });
}

#[test]
fn r7_rules_judge_the_command_the_model_wrote() {
    each_gate(|place, protocol, row, role| {
        let at = format!("{} {}", protocol.agent().id, row.key());
        let Some(asked) = ask(place, protocol, row, role, "evil --now") else { return };
        let wrapped = asked.changed;
        place.policy("landlock", "[permissions]\ndeny = [\"Bash(evil *)\"]\nallow = [\"Bash\"]\n");
        for text in ["evil --now".to_owned()].into_iter().chain(wrapped) {
            let asked = ask(place, protocol, row, role, &text).unwrap();
            assert!(asked.blocks, "{at}: {text}: {:?}", asked.reply);
            assert!(asked.changed.is_none(), "{at}");
        }
        place.policy("landlock", "[permissions]\ndeny = [\"Bash(*snaphook*)\", \"Bash(sh *)\"]\nallow = [\"Bash\"]\n");
        let asked = ask(place, protocol, row, role, "evil --now").unwrap();
        let can = can_wrap(&asked);
        assert_eq!(asked.blocks, !can, "{at}: the wrapper itself is not judged: {:?}", asked.reply);
        place.policy("landlock", ALLOWED);
    });
}

#[test]
fn an_optional_rewrite_may_be_lost_and_agents_can_be_excluded() {
    each_gate(|place, protocol, row, role| {
        let at = format!("{} {}", protocol.agent().id, row.key());
        place.policy("landlock", &format!("required = false\n{ALLOWED}"));
        let asked = ask(place, protocol, row, role, "ls").unwrap();
        let can = can_wrap(&asked);
        assert!(!asked.blocks && asked.changed.is_some() == can, "{at}: {:?}", asked.reply);
        let other = if protocol.agent().id == "codex" { "hygge" } else { "codex" };
        place.policy("landlock", &format!("agents = [\"{other}\"]\n{ALLOWED}"));
        let asked = ask(place, protocol, row, role, "ls").unwrap();
        assert!(!asked.blocks && asked.changed.is_none(), "{at}: {:?}", asked.reply);
        place.policy("landlock", ALLOWED);
    });
}

#[test]
fn commands_that_no_match_rule_could_match_run_unwrapped() {
    each_gate(|place, protocol, row, role| {
        let at = format!("{} {}", protocol.agent().id, row.key());
        place.policy("landlock", &format!("match = [\"Bash(touch *)\"]\n{ALLOWED}"));
        let plain = ask(place, protocol, row, role, "ls -l").unwrap();
        assert!(!plain.blocks && plain.changed.is_none(), "{at}: {:?}", plain.reply);
        let meant = ask(place, protocol, row, role, "ls; touch in.txt").unwrap();
        let can = can_wrap(&meant);
        assert!(meant.blocks != can && meant.changed.is_some() == can, "{at}: {:?}", meant.reply);
        // A rule never allows a command that is not understood, and some agents need an allow for a rewrite
        // (V7).
        let unclear = ask(place, protocol, row, role, "eval x").unwrap();
        assert!(unclear.blocks || unclear.changed.is_some(), "{at}: {:?}", unclear.reply);
        // R6: every gate accepts the wrapped command.
        if let Some(text) = meant.changed {
            let again = ask(place, protocol, row, role, &text).unwrap();
            assert!(!again.blocks && again.changed.is_none_or(|same| same == text), "{at}: {:?}", again.reply);
        }
        place.policy("landlock", ALLOWED);
    });
}

#[test]
fn a_patch_that_the_agent_applies_itself_is_not_wrapped() {
    each_gate(|place, protocol, row, role| {
        let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF\n";
        let Some(asked) = ask(place, protocol, row, role, patch) else { return };
        let at = format!("{} {}: {:?}", protocol.agent().id, row.key(), asked.reply);
        if protocol.agent().wrapping.patches {
            assert!(asked.blocks && asked.reply.stderr.contains("call the tool apply_patch"), "{at}");
        } else {
            assert!(!asked.reply.stderr.contains("apply_patch"), "{at}");
        }
    });
}

#[test]
fn a_skill_with_commands_is_denied_if_isolation_is_required() {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    place.policy("landlock", "[permissions]\nallow = [\"Bash\", \"Tool(Skill)\"]\n");
    let skill = |name: &str, text: &str| {
        let folder = place.path(&format!("home/project/.claude/skills/{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    };
    skill("quiet", "Nothing runs.");
    skill("runs", "!`touch ran`");
    let answer = |agent: &str, message: Value| {
        let mut command = place.command(SNAPHOOK);
        command.args(["hook", agent, "--no-audit"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let cwd = place.path("home/project").display().to_string();
    let claude = |name: &str| {
        answer(
            "claude-code",
            serde_json::json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "permission_mode": "default",
                "hook_event_name": "PreToolUse", "tool_name": "Skill", "tool_input": {"skill": name}, "tool_use_id": "t"}),
        )
    };
    let docker = |name: &str| {
        answer(
            "docker-agent",
            serde_json::json!({"session_id": "s", "cwd": cwd, "hook_event_name": "pre_tool_use", "agent_name": "root",
                "tool_name": "read_skill", "tool_use_id": "t", "tool_input": {"name": name}, "safety_policy": "unsafe"}),
        )
    };
    let says = "runs the commands of a skill itself";
    for name in ["runs", "absent"] {
        assert!(claude(name).contains(says), "{name}: {}", claude(name));
        assert!(docker(name).contains(says), "{name}: {}", docker(name));
    }
    assert!(!claude("quiet").contains(says) && !docker("quiet").contains(says));
    let unknown = answer(
        "claude-code",
        serde_json::json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd, "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "mcp__x__run", "tool_input": {"command": "ls"}, "tool_use_id": "t"}),
    );
    assert!(unknown.contains("use the agent's own shell"), "{unknown}");
}
