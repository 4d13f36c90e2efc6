//! How the hook gets into a plug-in folder of Goose that holds nothing else.

use super::FAILS_OPEN;
use crate::prelude::*;
use crate::protocol::FailureAnswer::Exit2;
use crate::protocol::MatcherSyntax;

pub(super) const REGISTRATION: Registration = Registration::new("goose", "~/.config/goose")
    .matchers(MatcherSyntax::Search)
    .files(&[
        ConfigFile::hooks("~/.agents/plugins/snaphook/hooks/hooks.json"),
        ConfigFile::hooks(".agents/plugins/snaphook/hooks/hooks.json"),
    ])
    .runs(paths!["~/.config/goose": "config.yaml", "recipes"; "~/.agents": "plugins", "skills"; ".agents": "plugins", "skills"])
    .changed(&[WireChange::new("1.34.0", "no hook is called")])
    .newest("1.38.0")
    .blocks(&[Block::new("v1.34 and later", "~/.agents/plugins/snaphook/hooks/hooks.json", ENTRIES)
        .project(".agents/plugins/snaphook/hooks/hooks.json")
        .below(&["hooks"])
        .closes(&[FAILS_OPEN.sentence])
        .notes(&["Goose has no answer that asks, changes or approves: a question of the policy and a required sandbox deny."])]);

const ENTRIES: &[Entry] =
    &[hook(&["PreToolUse"]).matcher(".*").fails_closed().failure(Exit2), hook(&["Stop"]), hook(&["UserPromptSubmit"])];
const FORM: EntryForm = &[
    ("matcher", Field::Matcher),
    (
        "hooks",
        Field::List(&[
            ("type", Field::Text("command")),
            ("command", Field::ShellText),
            ("timeout", Field::Seconds),
            ("on_failure", Field::IfFailsClosed("block")),
        ]),
    ),
];

/// The time limit is far above the deadline of snaphook.
const fn hook(events: &'static [&'static str]) -> Entry {
    Entry::new(FORM, events).timeout_s(20)
}
