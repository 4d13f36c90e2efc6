//! What to paste so that docker-agent calls us.

use super::events::UNSEEN_FAILURE;
use super::reply::denial;
use crate::protocol::{Block, ConfigFile, Moved, Passes, Registration, Setup, WireChange};
use crate::raw::quoted;
use crate::shared::guard;

const DROP_IN: &str = "~/.config/cagent/hooks.d/50-snaphook.yaml";
const AGENT_FILE: &str = "the agent file, below agents.<name>.hooks, for each agent in it";

const ELSEWHERE: &str = "The folder moves with --config-dir, DOCKER_AGENT_CONFIG_DIR and CAGENT_CONFIG_DIR.";
const UNIX: &str = "The command lines are for Unix.";
const OTHER_DIALECT: &str = "A drop-in for another range of versions is skipped without an error: an update of docker-agent may need the block of another range.";
const LANES: &str = "The preempt lane sees every call, --yolo included, but can only ask or deny: a call that must be changed is denied there, so that a required sandbox denies every command. Without that entry the default lane changes it, and --yolo, allow rules and auto-approving modes pass by it.";
const UNASKED: &str = "as with --yolo, the default lane is not called before v1.138, and before v1.89 no hook is";
const NO_LANE: &str = "Under --yolo these versions call no hook before a tool: nothing is judged then.";

pub(super) const REGISTRATION: Registration = Registration::new("docker-agent", "~/.config/cagent")
    .files(&[ConfigFile::hooks("~/.config/cagent/hooks.d/*"), ConfigFile::settings("~/.config/cagent/config.yaml")])
    .runs(&["~/.codex/skills", "~/.claude/skills", ".claude/skills", ".agents/skills"])
    .user_shell()
    .passes(&[
        Passes::new("~/.config/cagent/config.yaml", &["aliases", "*", "yolo"], UNASKED).before("1.138.0"),
        Passes::new("~/.config/cagent/config.yaml", &["settings", "YOLO"], UNASKED).before("1.138.0"),
    ])
    .changed(
        &[
            WireChange::new(
                "1.53.0",
                "a crash or a timeout of the hook lets the call run, and a question is lowered to a denial",
            ),
            WireChange::new("1.89.0", "from v1.53 on no hook is called before a tool under --yolo"),
            WireChange::new(
                "1.97.0",
                "hooks are registered in each agent file, and only those of the file at hand are called",
            ),
            WireChange::new(
                "1.138.0",
                "a hook that exits with another code than 0 or 2, or prints broken JSON, counts as no opinion",
            ),
        ],
        "1.141.0",
    )
    .version(&["version"])
    .moved(&[
        Moved::new("DOCKER_AGENT_CONFIG_DIR", "~/.config/cagent"),
        Moved::new("CAGENT_CONFIG_DIR", "~/.config/cagent"),
    ])
    .blocks(&[
        Block::new("v1.138.0 and later", DROP_IN, newest)
            .between("1.138.0", "")
            .pasting(&["The file holds nothing else."])
            .closes(&[UNSEEN_FAILURE])
            .notes(&[OTHER_DIALECT, ELSEWHERE, UNIX]),
        Block::new("v1.100.0 to v1.137", DROP_IN, two_lanes)
            .between("1.100.0", "1.138.0")
            .pasting(&["The file holds nothing else."])
            .closes(&[UNSEEN_FAILURE])
            .notes(&[LANES, OTHER_DIALECT, ELSEWHERE, UNIX]),
        Block::new("v1.97.0 to v1.99", "~/.config/cagent/config.yaml", in_settings)
            .between("1.97.0", "1.100.0")
            .pasting(&["Where the file has `settings` already, add `hooks` to it."])
            .closes(&[UNSEEN_FAILURE])
            .notes(&[
                LANES,
                "From v1.100.0 on it would run beside the drop-in: run snaphook install again after an update.",
                "The folder moves with --config-dir.",
                UNIX,
            ]),
        Block::new("v1.89.0 to v1.96", AGENT_FILE, two_lanes).between("1.89.0", "1.97.0").notes(&[
            LANES,
            "An agent file without this block is not judged.",
            UNIX,
        ]),
        Block::new("v1.53.0 to v1.88", AGENT_FILE, one_lane).between("1.53.0", "1.89.0").notes(&[
            NO_LANE,
            "An agent file without this block is not judged.",
            UNIX,
        ]),
        Block::new("before v1.53.0", AGENT_FILE, oldest).between("", "1.53.0").notes(&[
            "A crash or a timeout of the hook lets the call run, and a question is lowered to a denial.",
            "No hook of these versions changes a result or gives context where a session starts.",
            "An agent file without this block is not judged.",
            UNIX,
        ]),
    ]);

fn newest(setup: &Setup) -> String {
    [
        tool("tool_input_transform", &gate(setup, "tool_input_transform", "--guarded"), Entry::FailsOpen),
        tool("tool_guard", &gate(setup, "tool_guard", ""), Entry::FailsClosed),
        tool("pre_tool_use", &gate(setup, "pre_tool_use", ""), Entry::FailsClosed),
        tool("tool_response_transform", &plain(setup, "tool_response_transform"), Entry::Observes),
        prompts(setup),
        queued_prompts(setup),
        flat("session_start", &plain(setup, "session_start"), Entry::Observes),
    ]
    .concat()
}

fn two_lanes(setup: &Setup) -> String {
    let preempt = "the hook failed: denied";
    let preempt = guard::sh(&guard::document(&line(setup, "pre_tool_use", "--preempt"), &denial(preempt)));
    let mut lanes = String::from("pre_tool_use:\n");
    lanes += "  - matcher: \"*\"\n    preempt_yolo: true\n    hooks:\n";
    lanes += &hook("      ", &preempt, Entry::FailsClosed);
    lanes += "  - matcher: \"*\"\n    hooks:\n";
    lanes += &hook("      ", &gate(setup, "pre_tool_use", ""), Entry::FailsClosed);
    [
        lanes,
        tool("tool_response_transform", &plain(setup, "tool_response_transform"), Entry::Observes),
        prompts(setup),
        flat("session_start", &plain(setup, "session_start"), Entry::Observes),
    ]
    .concat()
}

/// Between marks, since the file is the user's own.
fn in_settings(setup: &Setup) -> String {
    let hooks = two_lanes(setup).replace('\n', "\n    ");
    let hooks = hooks.trim_end();
    format!("# begin of snaphook's lines\nsettings:\n  hooks:\n    {hooks}\n# end of snaphook's lines\n")
}

fn one_lane(setup: &Setup) -> String {
    [
        tool("pre_tool_use", &gate(setup, "pre_tool_use", ""), Entry::FailsClosed),
        tool("tool_response_transform", &plain(setup, "tool_response_transform"), Entry::Observes),
        prompts(setup),
        flat("session_start", &plain(setup, "session_start"), Entry::Observes),
    ]
    .concat()
}

fn oldest(setup: &Setup) -> String {
    tool("pre_tool_use", &gate(setup, "pre_tool_use", ""), Entry::FailsClosed)
}

fn prompts(setup: &Setup) -> String {
    flat("user_prompt_submit", &gate(setup, "user_prompt_submit", ""), Entry::FailsOpen)
}

fn queued_prompts(setup: &Setup) -> String {
    ["user_steering_messages_submit", "user_followup_submit"]
        .map(|event| flat(event, &gate(setup, event, ""), Entry::FailsOpen))
        .concat()
}

/// What a failed hook of an entry means to the agent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The event happens all the same, unless the entry says otherwise, which it does.
    FailsOpen,
    /// The event does not happen, or the entry has no say in it.
    FailsClosed,
    /// Nothing hangs on it.
    Observes,
}

fn tool(event: &str, command: &str, entry: Entry) -> String {
    format!("{event}:\n  - matcher: \"*\"\n    hooks:\n{}", hook("      ", command, entry))
}

fn flat(event: &str, command: &str, entry: Entry) -> String {
    format!("{event}:\n{}", hook("  ", command, entry))
}

fn hook(indent: &str, command: &str, entry: Entry) -> String {
    let command = quoted(command);
    let mut text = format!("{indent}- type: command\n{indent}  command: {command}\n{indent}  timeout: 10\n");
    if entry == Entry::FailsOpen {
        text += indent;
        text += "  on_error: block\n";
    }
    text
}

/// The line of a gate, with the guard that makes a crash a block.
fn gate(setup: &Setup, event: &str, role: &str) -> String {
    guard::sh(&guard::exit_2(&line(setup, event, role)))
}

fn plain(setup: &Setup, event: &str) -> String {
    guard::sh(&format!("exec {}", line(setup, event, "")))
}

fn line(setup: &Setup, event: &str, role: &str) -> String {
    let mut words = vec![setup.binary.as_str(), "hook", "docker-agent"];
    for (flag, value) in [("--policy", &setup.policy), ("--trust", &setup.trust), ("--audit", &setup.audit)] {
        words.extend(value.iter().flat_map(|value| [flag, value]));
    }
    words.extend(["--event", event]);
    if !role.is_empty() {
        words.push(role);
    }
    guard::nested_line(words)
}
