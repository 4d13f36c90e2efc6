//! Parses the tables `context`, `shell`, `protect`, `failure`, `audit`, `limits` and `overrides`.

use toml::de::DeTable;

use super::parser::FileParser;
use crate::settings::{AuditInputs, OnFailure, PolicyMode, ProtectMode};
use snaphook_shell::is_forbidden;

const CLASSES: &[(&str, OnFailure)] = &[("deny", OnFailure::Deny), ("ask", OnFailure::Ask), ("pass", OnFailure::Pass)];
const GUARDS: &[(&str, ProtectMode)] =
    &[("deny", ProtectMode::Deny), ("ask", ProtectMode::Ask), ("off", ProtectMode::Off)];

/// The words of `mode`.
pub(super) const MODES: &[(&str, PolicyMode)] = &[("enforce", PolicyMode::Enforce), ("monitor", PolicyMode::Monitor)];

/// The maximum length of the text for the model at the start of a session, in bytes.
pub(crate) const CONTEXT_MAX: u64 = 16 << 10;

/// Parses one of these tables.
pub(super) fn read(parser: &mut FileParser<'_, '_>, name: &str, table: &DeTable<'_>) {
    match name {
        "context" => context(parser, table),
        "shell" => shell(parser, table),
        "protect" => protect(parser, table),
        "failure" => failure(parser, table),
        "audit" => audit(parser, table),
        "overrides" => overrides(parser, table),
        _ => limits(parser, table),
    }
}

fn context(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    let FileParser { reader, machine, parts, .. } = parser;
    let mut bytes = 0;
    parts.context.at = table.keys().map(|key| key.span().start).min().unwrap_or_default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "session" => {
                parts.context.session = reader.text(value, "context.session").map(str::to_owned);
                bytes += parts.context.session.as_ref().map_or(0, |text| text.len() as u64);
            }
            "files" => {
                for (_, file) in reader.texts(value, "context.files") {
                    let file = reader.source.named(file, machine.home());
                    bytes += machine.size(&file).unwrap_or_default();
                    parts.context.files.push(file);
                }
            }
            _ => reader.unknown("context", key, &["session", "files"]),
        }
        if bytes > CONTEXT_MAX {
            reader.fault(key.span().start, "context", "longer than 16 KiB in total; shorten it");
        }
    }
}

fn shell(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    let FileParser { reader, parts, .. } = parser;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "not_understood" => parts.not_understood = reader.word(value, "shell.not_understood", CLASSES),
            "harmless_env" => {
                let mut names = Vec::new();
                for (at, name) in reader.texts(value, "shell.harmless_env") {
                    if is_forbidden(name) || name.contains('*') || name.is_empty() {
                        let says = format!("`{name}` can change the program that a command runs; remove it");
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

fn protect(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    let FileParser { reader, parts, .. } = parser;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "snaphook" => {
                parts.protect_own = reader.word(value, "protect.snaphook", GUARDS).unwrap_or(ProtectMode::Deny);
            }
            "agents" => {
                parts.protect_agents = reader.word(value, "protect.agents", GUARDS).unwrap_or(ProtectMode::Deny);
            }
            _ => reader.unknown("protect", key, &["snaphook", "agents"]),
        }
    }
}

fn failure(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    const KEYS: &[&str] = &["input", "policy", "handler", "deadline", "unknown", "audit"];
    const AUDIT: &[(&str, OnFailure)] =
        &[("deny", OnFailure::Deny), ("ask", OnFailure::Ask), ("pass", OnFailure::Pass), ("required", OnFailure::Deny)];
    let FileParser { reader, parts, .. } = parser;
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

fn audit(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    const INPUTS: &[(&str, AuditInputs)] = &[("none", AuditInputs::None), ("redacted", AuditInputs::Redacted)];
    const KEYS: &[&str] = &["enabled", "file", "inputs", "rotate_size", "rotate_days", "keep_days", "otlp", "shapes"];
    for (key, value) in table {
        let FileParser { reader, machine, parts, .. } = parser;
        match key.get_ref().as_ref() {
            "enabled" => parts.audit.enabled = reader.bool(value, "audit.enabled").unwrap_or(true),
            "file" => {
                let source = reader.source;
                parts.audit.file = reader.text(value, "audit.file").map(|file| source.named(file, machine.home()));
            }
            "inputs" => parts.audit.inputs = reader.word(value, "audit.inputs", INPUTS).unwrap_or_default(),
            "rotate_size" => {
                let size = reader.size(value, "audit.rotate_size");
                parts.audit.rotation.size = size.unwrap_or(parts.audit.rotation.size);
            }
            "rotate_days" => parts.audit.rotation.days = reader.days(value, "audit.rotate_days"),
            "keep_days" => parts.audit.rotation.keep_days = reader.days(value, "audit.keep_days"),
            "shapes" => parts.audit.shapes = reader.bool(value, "audit.shapes").unwrap_or_default(),
            "otlp" => parser.parts.audit.otlp = super::endpoint::otlp(parser, value),
            _ => reader.unknown("audit", key, KEYS),
        }
    }
}

fn overrides(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    let FileParser { reader, parts, .. } = parser;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "pause" => parts.overrides.pause = reader.bool(value, "overrides.pause").unwrap_or_default(),
            "allow_once" => {
                parts.overrides.allow_once = reader.bool(value, "overrides.allow_once").unwrap_or_default();
            }
            _ => reader.unknown("overrides", key, &["pause", "allow_once"]),
        }
    }
}

fn limits(parser: &mut FileParser<'_, '_>, table: &DeTable<'_>) {
    const KEYS: &[&str] = &["input", "command", "depth", "nodes", "reason", "text"];
    let FileParser { reader, parts, .. } = parser;
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
