//! How hygge is told about us.

use crate::protocol::{Block, ConfigFile, Moved, Registration, Setup, WireChange};
use crate::raw::quoted;

pub(super) const REGISTRATION: Registration = Registration::new("hygge", "~/.config/hygge")
    .files(&[
        ConfigFile::hooks("~/.agents/hooks.toml"),
        ConfigFile::hooks("~/.config/hygge/hooks.toml"),
        ConfigFile::hooks(".agents/hooks.toml"),
        ConfigFile::hooks(".hygge/hooks.toml"),
    ])
    .runs(&[
        "~/.config/hygge/config.toml",
        "~/.config/hygge/mcp.toml",
        "~/.config/hygge/plugins",
        "~/.config/hygge/skills",
        "~/.config/hygge/subagents.toml",
        "~/.local/state/hygge/plugins",
        ".hygge/config.toml",
        ".hygge/mcp.toml",
        ".hygge/plugins",
        ".hygge/skills",
        ".hygge/subagents.toml",
        ".agents/skills",
    ])
    .environment(&["PATH", "HOME", "LANG", "USER", "TERM", "LC_ALL", "LC_CTYPE"])
    .changed(
        &[WireChange::new("0.5.0", "messages and answers have another form, which snaphook does not know")],
        "0.17.5",
    )
    .version(&["--version"])
    .moved(&[Moved::new("XDG_CONFIG_HOME", "~/.config")])
    .blocks(&[Block::new("v0.5.0 and later", "~/.config/hygge/hooks.toml", text)
        .project(".hygge/hooks.toml")
        .pasting(&[
            "The three entries stay apart: one with `post_message` in it runs too late to block or change anything.",
            "The paths are written out, since hygge gives its hooks neither XDG_* nor any other setting.",
        ])
        .notes(&[
            "Entries of one file run in an order that differs from start to start.",
            "`hygge hooks list` shows whether they were taken; they are read at start only.",
        ])]);

fn text(setup: &Setup) -> String {
    [
        entry(setup, "snaphook", &["pre_tool", "pre_message"], None),
        entry(setup, "snaphook-result", &["post_tool"], Some("post_tool")),
        entry(setup, "snaphook-log", &["post_message"], Some("post_message")),
    ]
    .join("\n")
}

/// `command` is one executable and no shell reads it, so there is no guard; hygge denies by itself
/// where the program is missing, crashes or is killed.
fn entry(setup: &Setup, name: &str, events: &[&str], event: Option<&str>) -> String {
    let mut args = vec!["hook", "hygge"];
    let paths = [("--policy", &setup.policy), ("--audit", &setup.audit), ("--trust", &setup.trust)];
    for (flag, path) in paths.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))) {
        args.extend([flag, path]);
    }
    if let Some(event) = event {
        args.extend(["--event", event]);
    }
    format!(
        "[hooks.{name}]\nevents = {}\ncommand = {}\nargs = {}\ntimeout = \"10s\"\n",
        array(events),
        quoted(&setup.binary),
        array(&args)
    )
}

fn array(words: &[&str]) -> String {
    format!("[{}]", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", "))
}
