//! How the hook gets into config.yaml.

use crate::prelude::*;
use crate::protocol::Approval;
use crate::protocol::FailureAnswer::Document;

const SETTINGS: &str = "~/.hermes/config.yaml";
const APPROVALS: &str = "~/.hermes/shell-hooks-allowlist.json";

pub(super) const REGISTRATION: Registration = Registration::new("hermes", "~/.hermes")
    .files(&[ConfigFile::settings(SETTINGS)])
    .runs(paths!["~/.hermes": "cron", "plugins", "scripts", "shell-hooks-allowlist.json", "skills"; ".hermes": "plugins"])
    .embedded_shell()
    .newest("0.19.0")
    .moved(&[Moved::new("HERMES_HOME", "~/.hermes")])
    .approval(Approval::listed(APPROVALS, "approvals", "event", "command").unless(&["hooks_auto_accept"]))
    .blocks(&[Block::new("0.19.0", SETTINGS, ENTRIES)
        .below(&["hooks"])
        .pasting(&["If the file already has `hooks`, add the members of `hooks` to it."])
        .notes(&[
            "Hermes ignores exit codes and continues if a hook is killed, times out or prints no answer, and no setting changes this; the guard in the command line blocks after a crash or if the program is missing.",
            "A hook can only deny: a call that the policy asks about, or that has to be changed or isolated, is denied.",
            "If Hermes writes its settings itself, the marks around the entries get lost, and an uninstall leaves the entries.",
        ])])
    .trust(
        "Start `hermes` in a terminal and approve each hook: until then, and after every change of a command line, Hermes skips it silently. Without a terminal, start it with --accept-hooks.",
    );

/// The time limit is far above the deadline of snaphook.
const ENTRIES: &[Entry] = &[
    hook(&["pre_tool_call"]).failure(Document(BLOCKED)),
    hook(&["post_tool_call"]),
    hook(&["pre_llm_call"]),
    hook(&["pre_verify"]),
];

const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events).timeout_s(20)
}

/// The command line is split into words and run without a shell.
const FORM: EntryForm = &[("command", Field::ShellText), ("timeout", Field::Seconds)];
const BLOCKED: &str = r#"{"decision":"block","reason":"<reason>"}"#;
