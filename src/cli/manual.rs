//! The manual pages: one for each command, from its definition, and one for the policy file, from its schema.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use serde_json::Value;
use snaphook_adapters::registry::Registry;

use super::{Failure, command, one_line};

/// Writes the pages into `man1` and `man5` of a folder.
pub(super) fn write(registry: &Arc<Registry>, folder: &Path, out: &mut String) -> Result<ExitCode, Failure> {
    let mut program = command(registry).disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    of_commands(program, &mut pages)?;
    pages.push(("man5/snaphook.toml.5".to_owned(), of_policy()?));
    for (name, text) in pages {
        let path = folder.join(name);
        let place = |error: std::io::Error| Failure(format!("{}: {error}", path.display()));
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(place)?;
        std::fs::write(&path, text).map_err(place)?;
    }
    let _ = writeln!(out, "wrote the pages to {}", one_line(folder.to_string_lossy()));
    Ok(ExitCode::SUCCESS)
}

fn of_commands(command: clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned() {
        of_commands(sub, pages)?;
    }
    let name = command.get_name().to_owned();
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    let mut more = Roff::new();
    section(&mut more, "EXIT STATUS", EXITS.iter().find(|(of, _)| *of == name).map_or(EXITS_OF_OTHERS, |(_, all)| all));
    section(&mut more, "FILES", FILES);
    section(&mut more, "ENVIRONMENT", ENVIRONMENT);
    more.control("SH", ["SEE ALSO"]).text([bold("snaphook"), roman("(1) and "), bold("snaphook.toml"), roman("(5).")]);
    more.to_writer(&mut page)?;
    pages.push((format!("man1/{}", man.get_filename()), page));
    Ok(())
}

type Rows = &'static [(&'static str, &'static str)];

fn section(page: &mut Roff, title: &str, rows: Rows) {
    page.control("SH", [title]);
    for (name, text) in rows {
        item(page, name, text);
    }
}

fn item(page: &mut Roff, name: &str, text: &str) {
    page.control("TP", []).text([bold(name)]).text([roman(text)]);
}

/// The exit codes of commands that have their own.
const EXITS: &[(&str, Rows)] = &[
    ("hook", &[("0", "The answer is on stdout, or there is no opinion."), ("2", "Blocked; the reason is on stderr.")]),
    (
        "run",
        &[("126", "The isolation could not be applied completely; nothing ran."), ("other", "That of the program.")],
    ),
];

const EXITS_OF_OTHERS: Rows = &[
    ("0", "Done, and nothing was found."),
    ("1", "A finding: a call that would be blocked, an entry that is not current, a question answered with no."),
    ("2", "An error, such as invalid arguments, an invalid policy or a file that cannot be read."),
];

const FILES: Rows = &[
    ("~/.config/snaphook/snaphook.toml", "The policy of the user; see snaphook.toml(5)."),
    (".snaphook.toml", "The policy of a project, in its folder."),
    ("/etc/snaphook/policy.toml", "The managed policy."),
    ("~/.local/state/snaphook/audit.jsonl", "The log, unless the policy names another file."),
    ("~/.local/state/snaphook/audit.jsonl.sent/", "What was sent of the log to the collector, and what failed."),
    ("~/.local/state/snaphook/audit.jsonl.shapes", "The names and types of the members of messages, for drift."),
    ("~/.local/state/snaphook/trust.toml", "The trusted project files."),
    ("~/.config/snaphook/overrides/", "What a person has set aside: a pause, and calls that may pass once."),
    ("~/.local/state/snaphook/installed.json", "What install has written."),
];

const ENVIRONMENT: Rows = &[
    ("HOME", "The folder of the files above."),
    ("XDG_CONFIG_HOME", "Used in place of ~/.config."),
    ("XDG_STATE_HOME", "Used in place of ~/.local/state."),
    ("PATH", "Where agents and launchers of sandboxes are found."),
    ("NO_COLOR", "If it is set and not empty, no colours are used."),
];

/// The page of the policy file.
fn of_policy() -> Result<Vec<u8>, Failure> {
    let schema: Value = serde_json::from_str(include_str!("../../schemas/policy.schema.json"))?;
    let mut page = Roff::new();
    page.control("TH", ["snaphook.toml", "5"]);
    page.control("SH", ["NAME"]).text([roman("snaphook.toml - the policy of snaphook")]);
    page.control("SH", ["DESCRIPTION"]).text([roman(
        "Rules and settings in TOML that hold for every agent. Deny wins over respond, respond over ask, and ask over \
         allow. A call that no rule matches is left to the agent. `snaphook policy check` finds errors, and `snaphook \
         schema` prints the schema for editors.",
    )]);
    page.control("SH", ["KEYS"]);
    keys(&mut page, &schema, &schema, "", 0);
    section(&mut page, "FILES", FILES);
    let mut text = Vec::new();
    page.to_writer(&mut text)?;
    Ok(text)
}

/// Describes the keys of a table and of the tables in it.
fn keys(page: &mut Roff, schema: &Value, table: &Value, prefix: &str, depth: usize) {
    let properties = table.get("properties").and_then(Value::as_object);
    for (name, value) in properties.into_iter().flatten().filter(|_| depth < MAX_DEPTH) {
        let definition = referenced(schema, value);
        let own = [value, definition].into_iter().find_map(|value| value.get("description")?.as_str());
        let path = format!("{prefix}{name}");
        item(page, &path, own.unwrap_or_default());
        let items = definition.get("items").map(|items| referenced(schema, items));
        keys(page, schema, items.unwrap_or(definition), &format!("{path}."), depth + 1);
    }
}

/// The definition that a part of the schema refers to, or the part itself.
fn referenced<'s>(schema: &'s Value, value: &'s Value) -> &'s Value {
    let pointer = value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| schema.pointer(pointer)).unwrap_or(value)
}

/// The depth of the tables in a policy.
const MAX_DEPTH: usize = 4;
