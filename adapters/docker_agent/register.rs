//! How the hook gets into the configuration of docker-agent.

use super::events::UNSEEN_FAILURE;
use crate::protocol::FailureAnswer::{Document, Exit2};
use crate::protocol::{Block, ConfigFile, Entry, EntryForm, Field, Moved, Passes, Registration, Role, WireChange};

const DROP_IN: &str = "~/.config/cagent/hooks.d/50-snaphook.yaml";
const AGENT_FILE: &str = "the agent file, below agents.<name>.hooks, for each agent in it";

const ELSEWHERE: &str = "The folder moves with --config-dir, DOCKER_AGENT_CONFIG_DIR and CAGENT_CONFIG_DIR.";
const UNIX: &str = "The command lines are for Unix.";
const OTHER_DIALECT: &str = "docker-agent skips a drop-in for other versions without an error: after an update it may need the block of another range.";
const LANES: &str = "The preempt lane receives every call, even with --yolo, but can only ask or deny: it denies a call that must be changed, so a required sandbox denies every command. Without that entry, the default lane changes the call, and --yolo, allow rules and auto-approving modes bypass it.";
const UNASKED: &str =
    "as with --yolo, versions before v1.138 do not call the default lane, and versions before v1.89 call no hook";
const NO_LANE: &str = "Under --yolo these versions call no hook before a tool, so no call is judged.";

pub(super) const REGISTRATION: Registration = Registration::new("docker-agent", "~/.config/cagent")
    .files(&[ConfigFile::hooks("~/.config/cagent/hooks.d/*"), ConfigFile::settings("~/.config/cagent/config.yaml")])
    .runs(&["~/.codex/skills", "~/.claude/skills", ".claude/skills", ".agents/skills"])
    .user_shell()
    .passes(&[
        Passes::new("~/.config/cagent/config.yaml", &["aliases", "*", "yolo"], UNASKED).before("1.138.0"),
        Passes::new("~/.config/cagent/config.yaml", &["settings", "YOLO"], UNASKED).before("1.138.0"),
    ])
    .changed(&[
        WireChange::new(
            "1.53.0",
            "a crash or a timeout of the hook lets the call run, and a question is lowered to a denial",
        ),
        WireChange::new("1.89.0", "since v1.53 no hook is called before a tool under --yolo"),
        WireChange::new(
            "1.97.0",
            "hooks are registered in each agent file, and only those of the loaded file are called",
        ),
        WireChange::new(
            "1.138.0",
            "a hook that exits with a code other than 0 or 2, or prints invalid JSON, counts as no opinion",
        ),
    ])
    .newest("1.141.0")
    .version(&["version"])
    .moved(&[
        Moved::new("DOCKER_AGENT_CONFIG_DIR", "~/.config/cagent"),
        Moved::new("CAGENT_CONFIG_DIR", "~/.config/cagent"),
    ])
    .blocks(&[
        Block::new("v1.138.0 and later", DROP_IN, NEWEST)
            .between("1.138.0", "")
            .pasting(&["The file contains nothing else."])
            .closes(&[UNSEEN_FAILURE.sentence])
            .notes(&[OTHER_DIALECT, ELSEWHERE, UNIX]),
        Block::new("v1.100.0 to v1.137", DROP_IN, TWO_LANES)
            .between("1.100.0", "1.138.0")
            .pasting(&["The file contains nothing else."])
            .closes(&[UNSEEN_FAILURE.sentence])
            .notes(&[LANES, OTHER_DIALECT, ELSEWHERE, UNIX]),
        Block::new("v1.97.0 to v1.99", "~/.config/cagent/config.yaml", TWO_LANES)
            .below(&["settings", "hooks"])
            .between("1.97.0", "1.100.0")
            .pasting(&["If the file already has `settings`, add `hooks` to it."])
            .closes(&[UNSEEN_FAILURE.sentence])
            .notes(&[
                LANES,
                "Since v1.100.0 this entry would run in addition to the drop-in: run snaphook install again after an update.",
                "The folder moves with --config-dir.",
                UNIX,
            ]),
        Block::new("v1.89.0 to v1.96", AGENT_FILE, TWO_LANES).between("1.89.0", "1.97.0").notes(&[
            LANES,
            "The calls of an agent file without this block are not judged.",
            UNIX,
        ]),
        Block::new("v1.53.0 to v1.88", AGENT_FILE, ONE_LANE).between("1.53.0", "1.89.0").notes(&[
            NO_LANE,
            "The calls of an agent file without this block are not judged.",
            UNIX,
        ]),
        Block::new("before v1.53.0", AGENT_FILE, OLDEST).between("", "1.53.0").notes(&[
            "A crash or a timeout of the hook lets the call run, and a question is lowered to a denial.",
            "In these versions no hook can change a result or add context at the start of a session.",
            "The calls of an agent file without this block are not judged.",
            UNIX,
        ]),
    ]);

const NEWEST: &[Entry] = &[
    tool(&["tool_input_transform"]).role(Role::Guarded).failure(Exit2).fails_closed(),
    tool(&["tool_guard"]).failure(Exit2),
    CALL,
    RESULT,
    PROMPT,
    prompt(&["user_steering_messages_submit"]),
    prompt(&["user_followup_submit"]),
    SESSION,
];
const TWO_LANES: &[Entry] = &[
    Entry::new(PREEMPT, &["pre_tool_use"]).matcher("*").role(Role::Preempt).failure(Document(DENIED)),
    CALL,
    RESULT,
    PROMPT,
    SESSION,
];
const ONE_LANE: &[Entry] = &[CALL.role(Role::Asks), RESULT, PROMPT, SESSION];
const OLDEST: &[Entry] = &[CALL];

const CALL: Entry = tool(&["pre_tool_use"]).failure(Exit2);
const RESULT: Entry = tool(&["tool_response_transform"]);
const PROMPT: Entry = prompt(&["user_prompt_submit"]);
const SESSION: Entry = Entry::new(HOOK, &["session_start"]);
/// In the preempt lane, the call runs on every reply other than the document of a denial.
const DENIED: &str = r#"{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"deny","permission_decision_reason":"<reason>"}}"#;

const fn tool(events: &'static [&'static str]) -> Entry {
    Entry::new(TOOL, events).matcher("*")
}

/// A prompt is sent if its hook fails, unless the entry says otherwise.
const fn prompt(events: &'static [&'static str]) -> Entry {
    Entry::new(HOOK, events).failure(Exit2).fails_closed()
}

const HOOK: EntryForm = &[
    ("type", Field::Text("command")),
    ("command", Field::ShellText),
    ("timeout", Field::Seconds),
    ("on_error", Field::IfFailsClosed("block")),
];
const TOOL: EntryForm = &[("matcher", Field::Matcher), ("hooks", Field::List(HOOK))];
const PREEMPT: EntryForm = &[("matcher", Field::Matcher), ("preempt_yolo", Field::True), ("hooks", Field::List(HOOK))];
