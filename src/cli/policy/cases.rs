//! `snaphook policy test`: judges the cases of a policy.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Detail, HookEvent, ToolCall, VerdictKind};
use snaphook_adapters::protocol::{Agent, HookProtocol, McpNames};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{Cause, Folders, PROJECT_FILE, PolicyCall, PolicyCase, PolicyFault};

use super::super::{Failure, one_line};
use super::print_json;
use crate::decide::policy_call;
use crate::policy::{LoadedPolicy, Places, read_cases};

/// The verdict on one case.
pub(super) struct JudgedCase {
    case: PolicyCase,
    file: String,
    line: usize,
    verdict: VerdictKind,
    /// The rule that decided.
    cause: Option<Cause>,
}

impl JudgedCase {
    pub(super) fn passes(&self) -> bool {
        self.verdict == self.case.verdict
    }

    pub(super) fn place(&self) -> (&str, usize) {
        (&self.file, self.line)
    }

    /// Describes the difference between both verdicts.
    pub(super) fn difference(&self) -> String {
        let agent = self.case.agent.as_ref().map(|id| format!(" by {id}")).unwrap_or_default();
        let by = match &self.cause {
            Some(Cause { rule, file: Some(file), line: Some(line), .. }) => format!("by `{rule}` ({file}:{line})"),
            Some(Cause { rule, .. }) => format!("by `{rule}`"),
            None => "by no rule".to_owned(),
        };
        let (shown, expected, verdict) = (&self.case.shown, self.case.verdict.word(), self.verdict.word());
        format!("`{shown}`{agent}: expected {expected}, got {verdict} {by}")
    }
}

pub(super) fn run(
    registry: &Registry,
    file: Option<&Path>,
    policy: Option<&Path>,
    json: bool,
    out: &mut String,
) -> Result<ExitCode, Failure> {
    let places = Places::from_environment();
    let mut judged = Vec::new();
    if let Some(file) = file {
        judged.extend(judge_file(file, policy.unwrap_or(file), &places, registry)?);
    } else {
        for file in applying(&places, registry)? {
            judged.extend(judge_file(&file, &file, &places, registry)?);
        }
    }
    let failed: Vec<_> = judged.iter().filter(|judged| !judged.passes()).collect();
    if json {
        let cases: Vec<_> = judged.iter().map(to_json).collect();
        let passed = judged.len() - failed.len();
        print_json(&json!({"passed": passed, "failed": failed.len(), "cases": cases}), out);
    } else {
        for judged in &failed {
            let _ = writeln!(out, "{}:{}: {}", one_line(&judged.file), judged.line, one_line(judged.difference()));
        }
        let plural = if judged.len() == 1 { "case" } else { "cases" };
        let _ = writeln!(out, "{} {plural}, {} failed", judged.len(), failed.len());
    }
    if judged.is_empty() && !json {
        out.push_str("expected a `[[test]]` with `command` or `tool`, and `verdict`\n");
    }
    Ok(ExitCode::from(u8::from(judged.is_empty() || !failed.is_empty())))
}

/// The files that apply in the current directory.
pub(super) fn applying(places: &Places, registry: &Registry) -> Result<Vec<PathBuf>, Failure> {
    let folder = std::env::current_dir()?;
    let policy = LoadedPolicy::load(places, folder.to_str(), registry)?;
    Ok(policy.files().filter_map(|file| file.source.path.clone()).collect())
}

/// Judges the cases of a file by a policy, which is read as if no other file applied.
pub(super) fn judge_file(
    file: &Path,
    policy: &Path,
    places: &Places,
    registry: &Registry,
) -> Result<Vec<JudgedCase>, PolicyFault> {
    let (source, cases) = read_cases(file, places, registry)?;
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let policy = LoadedPolicy::alone(places, policy, registry)?;
    // The cases of a project have the same meaning wherever they are judged.
    let own = source.folder.as_ref().filter(|_| file.file_name().is_some_and(|name| name == PROJECT_FILE));
    let folder = own.cloned().or_else(|| std::env::current_dir().ok());
    let judge = |case: PolicyCase| {
        let (line, file) = (source.line(case.at), source.shown.clone());
        let (verdict, cause) = judge(&case, &policy, folder.as_deref(), registry);
        JudgedCase { case, file, line, verdict, cause }
    };
    Ok(cases.into_iter().map(judge).collect())
}

/// The verdict on a case.
fn judge(
    case: &PolicyCase,
    policy: &LoadedPolicy,
    folder: Option<&Path>,
    registry: &Registry,
) -> (VerdictKind, Option<Cause>) {
    let cwd = case.cwd.as_deref().or(folder).and_then(Path::to_str);
    let agent = case.agent.as_ref().and_then(|id| registry.get(id)).map(HookProtocol::agent);
    let sketch = match &case.input {
        Some(input) => described_call(case, agent.unwrap_or(&NO_AGENT), input, policy),
        None => Ok(agent.and_then(|agent| Some((agent, ToolCall::sketch(agent, &case.action)?)))),
    };
    let Ok(sketch) = sketch else { return (VerdictKind::Deny, Some(Cause::new(VerdictKind::Deny, "failure.input"))) };
    let (input, actions) = (Raw::document("{}"), [case.action.clone()]);
    let call = match &sketch {
        Some((agent, call)) => policy_call(agent, call),
        None => PolicyCall::new(agent.map_or("", |agent| agent.id), &case.tool, &input, &actions),
    };
    verdict_of_rules(policy, &call, cwd)
}

/// The verdict of rules and responses on a call in a folder, and the rule that decided. Handlers are not asked.
pub(in crate::cli) fn verdict_of_rules(
    policy: &LoadedPolicy,
    call: &PolicyCall<'_>,
    cwd: Option<&str>,
) -> (VerdictKind, Option<Cause>) {
    let facts = policy.facts(Folders::at(cwd));
    let mut judging = facts.judging(true);
    let outcome = match judging.rules(call) {
        Ok(mut ruled) => {
            judging.respond(call, &mut ruled, &mut |_, _, _| Ok(String::new()));
            judging.combine(call, &ruled, Vec::new())
        }
        Err(outcome) => *outcome,
    };
    let verdict = outcome.verdict.kind();
    (verdict, outcome.causes.into_iter().next().filter(|cause| cause.verdict == verdict))
}

/// The caller of a case without an agent.
static NO_AGENT: Agent = Agent::new("", "").mcp(McpNames::Split { prefix: "mcp__", between: "__" });

/// The call of a tool by its arguments, of which the policy may describe some.
fn described_call(
    case: &PolicyCase,
    agent: &'static Agent,
    input: &Raw,
    policy: &LoadedPolicy,
) -> Result<Option<(&'static Agent, ToolCall)>, ()> {
    let call = ToolCall::named(agent, &case.tool, input.clone()).ok_or(())?;
    let mut event = HookEvent::new(agent, agent.unknown_call, input.clone());
    event.detail = Detail::Tool(call);
    policy.teach(&mut event).map_err(drop)?;
    Ok(event.call().cloned().map(|call| (agent, call)))
}

fn to_json(judged: &JudgedCase) -> serde_json::Value {
    json!({
        "file": judged.file,
        "line": judged.line,
        "call": judged.case.shown,
        "agent": judged.case.agent,
        "expected": judged.case.verdict,
        "verdict": judged.verdict,
        "passed": judged.passes(),
        "cause": judged.cause,
    })
}
