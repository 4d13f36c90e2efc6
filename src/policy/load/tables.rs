//! The small tables: context, shell, protect, failure, audit, limits.

use toml::de::DeTable;

use super::file::Parsing;
use crate::policy::command::is_forbidden;
use crate::policy::settings::{AuditInputs, Guarding, OnFailure};

const CLASSES: &[(&str, OnFailure)] = &[("deny", OnFailure::Deny), ("ask", OnFailure::Ask), ("pass", OnFailure::Pass)];
const GUARDS: &[(&str, Guarding)] = &[("deny", Guarding::Deny), ("ask", Guarding::Ask), ("off", Guarding::Off)];

/// How much text the model gets at the start of a session.
pub(crate) const CONTEXT_MAX: u64 = 16 << 10;

/// Reads one of the small tables.
pub(super) fn read(parsing: &mut Parsing<'_, '_>, name: &str, table: &DeTable<'_>) {
    match name {
        "context" => context(parsing, table),
        "shell" => shell(parsing, table),
        "protect" => protect(parsing, table),
        "failure" => failure(parsing, table),
        "audit" => audit(parsing, table),
        _ => limits(parsing, table),
    }
}

fn context(parsing: &mut Parsing<'_, '_>, table: &DeTable<'_>) {
    let Parsing { reader, places, parts, .. } = parsing;
    let mut bytes = 0;
    parts.context.at = table.keys().map(|key| key.span().start).min().unwrap_or_default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "session" => {
                parts.context.session = reader.text(value, "context.session").map(str::to_owned);
                bytes += parts.context.session.as_ref().map_or(0, |text| text.len() as u64);
            }
            "files" => {
                let folder = reader.source.folder();
                for (_, file) in reader.texts(value, "context.files") {
                    let file = places.named(file, folder);
                    bytes += std::fs::metadata(&file).map_or(0, |found| found.len());
                    parts.context.files.push(file);
                }
            }
            _ => reader.unknown("context", key, &["session", "files"]),
        }
        if bytes > CONTEXT_MAX {
            reader.fault(key.span().start, "context", "over 16 KiB together; shorten it");
        }
    }
}

fn shell(parsing: &mut Parsing<'_, '_>, table: &DeTable<'_>) {
    let Parsing { reader, parts, .. } = parsing;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "not_understood" => parts.not_understood = reader.word(value, "shell.not_understood", CLASSES),
            "harmless_env" => {
                let mut names = Vec::new();
                for (at, name) in reader.texts(value, "shell.harmless_env") {
                    if is_forbidden(name) || name.contains('*') || name.is_empty() {
                        let says = format!("`{name}` decides what a command runs; take it out");
                        reader.fault(at, "shell.harmless_env", &says);
                    }
                    names.push(name.to_owned());
                }
                parts.harmless_env = Some(names);
            }
            _ => reader.unknown("shell", key, &["not_understood", "harmless_env"]),
        }
    }
}

fn protect(parsing: &mut Parsing<'_, '_>, table: &DeTable<'_>) {
    let Parsing { reader, parts, .. } = parsing;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "snaphook" => parts.protect_own = reader.word(value, "protect.snaphook", GUARDS).unwrap_or(Guarding::Deny),
            "agents" => parts.protect_agents = reader.word(value, "protect.agents", GUARDS).unwrap_or(Guarding::Deny),
            _ => reader.unknown("protect", key, &["snaphook", "agents"]),
        }
    }
}

fn failure(parsing: &mut Parsing<'_, '_>, table: &DeTable<'_>) {
    const KEYS: &[&str] = &["input", "policy", "handler", "deadline", "unknown", "audit"];
    const AUDIT: &[(&str, OnFailure)] =
        &[("deny", OnFailure::Deny), ("ask", OnFailure::Ask), ("pass", OnFailure::Pass), ("required", OnFailure::Deny)];
    let Parsing { reader, parts, .. } = parsing;
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let failures = &mut parts.failures;
        let class = match name {
            "input" => &mut failures.input,
            "policy" => &mut failures.policy,
            "handler" => &mut failures.handler,
            "deadline" => &mut failures.deadline,
            "unknown" => &mut failures.unknown,
            "audit" => &mut failures.audit,
            _ => {
                reader.unknown("failure", key, KEYS);
                continue;
            }
        };
        let words = if name == "audit" { AUDIT } else { CLASSES };
        *class = reader.word(value, &format!("failure.{name}"), words).unwrap_or(OnFailure::Deny);
    }
}

fn audit(parsing: &mut Parsing<'_, '_>, table: &DeTable<'_>) {
    const INPUTS: &[(&str, AuditInputs)] = &[("none", AuditInputs::None), ("redacted", AuditInputs::Redacted)];
    let Parsing { reader, places, parts, .. } = parsing;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "enabled" => parts.audit.enabled = reader.bool(value, "audit.enabled").unwrap_or(true),
            "file" => {
                let folder = reader.source.folder();
                parts.audit.file = reader.text(value, "audit.file").map(|file| places.named(file, folder));
            }
            "inputs" => parts.audit.inputs = reader.word(value, "audit.inputs", INPUTS).unwrap_or_default(),
            _ => reader.unknown("audit", key, &["enabled", "file", "inputs"]),
        }
    }
}

fn limits(parsing: &mut Parsing<'_, '_>, table: &DeTable<'_>) {
    const KEYS: &[&str] = &["input", "command", "depth", "nodes", "reason", "text"];
    let Parsing { reader, parts, .. } = parsing;
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        if !KEYS.contains(&name) {
            reader.unknown("limits", key, KEYS);
            continue;
        }
        let Some(size) = reader.size(value, &format!("limits.{name}")) else { continue };
        let limits = &mut parts.limits;
        let short = usize::try_from(size).unwrap_or(usize::MAX);
        match name {
            "input" => limits.input = size,
            "command" => limits.command = short,
            "depth" => limits.depth = short,
            "nodes" => limits.nodes = short,
            "reason" => limits.reason = short,
            _ => limits.text = short,
        }
    }
}
