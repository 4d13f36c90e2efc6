//! `snaphook policy check`: finds errors of policies, rules without effect and failing cases.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::registry::Registry;
use snaphook_policy::{List, PolicyFault, covers_more};

use super::super::{Failure, one_line};
use super::cases::{applying, judge_file};
use super::{CheckArgs, print_json};
use crate::policy::{LoadedPolicy, Places};
use crate::setup::target::SetupContext;

/// The importance of what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckLevel {
    /// The policy cannot be used, or a case fails.
    Error,
    /// A probable mistake.
    Warning,
    /// A setting that some agents cannot obey.
    Note,
}

#[derive(Debug, serde::Serialize)]
struct CheckedPlace {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    level: CheckLevel,
    text: String,
}

/// A rule that matches more than its own spelling.
#[derive(Debug, serde::Serialize)]
struct CoveringRule {
    file: String,
    line: usize,
    rule: String,
    covers: String,
}

#[derive(Default)]
struct Checked {
    files: Vec<String>,
    found: Vec<CheckedPlace>,
    covering: Vec<CoveringRule>,
    cases: usize,
}

impl Checked {
    fn fault(&mut self, fault: PolicyFault) {
        for error in fault.errors {
            let place = position(&error);
            let (file, line, column, text) = match place {
                Some((file, line, column, text)) => (Some(file.to_owned()), Some(line), Some(column), text.to_owned()),
                None => (None, None, None, error),
            };
            self.found.push(CheckedPlace { file, line, column, level: CheckLevel::Error, text });
        }
    }

    fn warnings(&mut self, policy: &LoadedPolicy, context: &SetupContext, registry: &Registry) {
        self.files = policy.sources().map(str::to_owned).collect();
        for file in policy.files() {
            self.fault(PolicyFault::new(file.ignored.clone()));
        }
        let concerns = |agent: &Agent| context.has(agent) || policy.names(agent.id);
        for warning in policy.warnings(context.cwd.to_str(), registry, &concerns) {
            let level = if warning.is_mistake { CheckLevel::Warning } else { CheckLevel::Note };
            let (file, line, column) = (Some(warning.file), Some(warning.line), Some(warning.column));
            self.found.push(CheckedPlace { file, line, column, level, text: warning.text });
        }
    }

    fn covering(&mut self, policy: &LoadedPolicy) {
        for file in policy.files() {
            let all = std::iter::once(&file.lists).chain(file.agents.iter().map(|(_, lists)| lists));
            for rule in all.flat_map(|lists| [List::Deny, List::Ask].map(|list| lists.of(list))).flatten() {
                let (file, line) = (file.source.shown.clone(), file.source.line(rule.at));
                let rule = rule.text.to_string();
                self.covering.extend(covers_more(&rule).map(|covers| CoveringRule { file, line, rule, covers }));
            }
        }
    }

    fn cases(&mut self, file: &Path, places: &Places, registry: &Registry) {
        match judge_file(file, file, places, registry) {
            Err(fault) => self.fault(fault),
            Ok(judged) => {
                self.cases += judged.len();
                for judged in judged.iter().filter(|judged| !judged.passes()) {
                    let (file, line) = judged.place();
                    let (file, text) = (Some(file.to_owned()), format!("test: {}", judged.difference()));
                    self.found.push(CheckedPlace {
                        file,
                        line: Some(line),
                        column: None,
                        level: CheckLevel::Error,
                        text,
                    });
                }
            }
        }
    }
}

/// Splits `file:line:column: text`.
fn position(error: &str) -> Option<(&str, usize, usize, &str)> {
    let (place, text) = error.split_once(": ")?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?, text))
}

pub(super) fn run(registry: &Registry, what: &CheckArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let file = what.file.as_deref();
    let context = SetupContext::from_environment()?;
    let places = &context.places;
    let mut checked = Checked::default();
    let loaded = match file {
        Some(file) => LoadedPolicy::alone(places, file, registry),
        None => LoadedPolicy::load(places, context.cwd.to_str(), registry),
    };
    match loaded {
        Err(fault) => checked.fault(fault),
        Ok(policy) => {
            checked.warnings(&policy, &context, registry);
            checked.covering(&policy);
            let files = match file {
                Some(file) => vec![file.to_owned()],
                None => applying(places, registry)?,
            };
            for file in files {
                checked.cases(&file, places, registry);
            }
        }
    }
    let findings = checked.found.iter().filter(|found| found.level != CheckLevel::Note);
    let count = findings.clone().count();
    if what.json {
        let Checked { files, found, covering, cases } = &checked;
        print_json(&json!({"files": files, "findings": found, "covers": covering, "cases": cases}), out);
    } else {
        for CheckedPlace { file, line, column, level, text } in findings {
            let place = [file.clone(), line.map(|line| line.to_string()), column.map(|column| column.to_string())];
            let place = place.into_iter().flatten().map(one_line).collect::<Vec<_>>().join(":");
            let level = if *level == CheckLevel::Error { "error" } else { "warning" };
            let separator = if place.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "{place}{separator}{level}: {}", one_line(text));
        }
        for CoveringRule { file, line, rule, covers } in checked.covering.iter().filter(|_| what.verbose) {
            let _ = writeln!(out, "{}:{line}: {} covers {}", one_line(file), one_line(rule), one_line(covers));
        }
        let plural = |count, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let _ = writeln!(out, "{}, {}", plural(count, "finding"), plural(checked.cases, "case"));
    }
    Ok(ExitCode::from(u8::from(count > 0)))
}
