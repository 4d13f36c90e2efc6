//! Acme, an invented agent in a separate crate: its table, its replies, and the program with this agent added.

use std::process::ExitCode;

use snaphook_adapters::prelude::ActionKind::Shell;
use snaphook_adapters::prelude::*;
use snaphook_adapters::registry::Registry;

static ACME: &Agent = &Agent::new("acme", "Acme")
    .event_at("/event")
    .fields(Fields::new("tool", "args").session("session").cwd("folder"))
    .events(&[TOOL_WANTED])
    .tools(&[ToolRow::new("terminal", &[Shell.on(Slot::key(&["line"]))])])
    .registration(REGISTRATION);

const TOOL_WANTED: EventRow = EventRow::new("tool_wanted", EventKind::PreTool, reply)
    .gate()
    .can_do(&[Power::Allow, Power::Ask, Power::Deny, Power::Change(Target::Input)])
    .timeout_ms(5000);

/// The commands `install`, `status`, `doctor` and `uninstall` need no more than this.
const REGISTRATION: Registration = Registration::new("acme", "~/.acme")
    .files(&[ConfigFile::hooks("~/.acme/hooks.json")])
    .blocks(&[Block::new("all versions", "~/.acme/hooks.json", &[ENTRY]).below(&["hooks"])]);
const ENTRY: Entry = Entry::new(&[("command", Field::Program), ("args", Field::Arguments)], &["tool_wanted"]);

fn main() -> ExitCode {
    snaphook::run(Registry::standard().with(&ACME))
}

/// Acme expects `say` and `why`, and optionally new arguments. An empty reply is no opinion.
fn reply(_: &HookEvent, fitted: &Fitted) -> Reply {
    let verdict = fitted.verdict();
    let word = match verdict.kind() {
        VerdictKind::Pass => None,
        VerdictKind::Allow => Some("go"),
        VerdictKind::Ask => Some("check"),
        _ => Some("no"),
    };
    let why = Some(verdict.reason()).filter(|why| !why.is_empty());
    let members = JsonBuilder::new().maybe("say", word).maybe("why", why);
    members.changes(fitted, &[(Target::Input, "args")]).reply()
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::testing;

    #[test]
    fn acme_keeps_every_law() {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
        let violations = testing::check(&super::ACME, fixtures.as_ref());
        assert!(violations.is_empty(), "{}", testing::report(&violations));
    }
}
