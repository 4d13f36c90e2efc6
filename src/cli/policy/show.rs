//! `snaphook policy show`: every rule and setting that applies, with its file and line.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;
use snaphook_adapters::registry::Registry;
use snaphook_policy::{List, PolicyFile};

use super::super::session::SessionArgs;
use super::super::table::columns;
use super::super::{Failure, one_line};
use super::print_json;
use crate::policy::LoadedPolicy;

/// The tables that project files cannot have.
const USERS: &[&str] = &["failure", "audit", "limits", "overrides"];

/// The tables of which each key is read from the first file that has it.
const SHARED: &[&str] = &["sandbox", "shell", "context"];

/// A rule, a handler or a built-in check.
#[derive(serde::Serialize)]
struct ShownRule {
    /// The verdict of a rule: `deny`, `respond`, `ask` or `allow`; `handler` or `tool` for those tables.
    verdict: &'static str,
    rule: String,
    /// The agent to which it applies; absent for all.
    agent: Option<String>,
    file: Option<String>,
    line: Option<usize>,
    ignored: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
}

/// A key of another table.
#[derive(serde::Serialize)]
struct ShownSetting {
    key: String,
    value: String,
    file: String,
    line: usize,
    ignored: Option<&'static str>,
}

pub(super) fn run(
    registry: &Registry,
    session: &SessionArgs,
    json: bool,
    out: &mut String,
) -> Result<ExitCode, Failure> {
    let (places, folder) = (session.places(), session.folder()?);
    let policy = LoadedPolicy::load(&places, folder.to_str(), registry)?;
    let (rules, settings, notices) = (rules(&policy), settings(&policy), policy.notices());
    let named = |file: &PolicyFile| {
        let managed = if policy.is_managed(file) { " (managed)" } else { "" };
        format!("{}{managed}", file.source.shown)
    };
    let files: Vec<_> = policy.files().map(named).collect();
    if json {
        let document = json!({"files": files, "notices": notices, "rules": rules, "settings": settings});
        print_json(&document, out);
        return Ok(ExitCode::SUCCESS);
    }
    for file in files {
        let _ = writeln!(out, "policy: {}", one_line(file));
    }
    for notice in notices {
        let _ = writeln!(out, "  {}", one_line(notice));
    }
    let place = |file: Option<&String>, line: Option<usize>| match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => "built in".to_owned(),
    };
    let remark = |ignored: Option<&str>| ignored.map(|why| format!("ignored: {why}")).unwrap_or_default();
    let rows: Vec<_> = rules
        .iter()
        .map(|shown| {
            let agent = shown.agent.as_ref().map(|id| format!("{id} only")).unwrap_or_default();
            let place = place(shown.file.as_ref(), shown.line);
            vec![shown.verdict.to_owned(), shown.rule.clone(), place, agent, remark(shown.ignored)]
        })
        .collect();
    let _ = write!(out, "\n{}", columns(&rows, ""));
    let rows = settings.iter().map(|shown| {
        let place = place(Some(&shown.file), Some(shown.line));
        vec![format!("{} = {}", shown.key, shown.value), place, remark(shown.ignored)]
    });
    if !settings.is_empty() {
        let _ = write!(out, "\n{}", columns(&rows.collect::<Vec<_>>(), ""));
    }
    Ok(ExitCode::SUCCESS)
}

/// The rules in the order of their strength.
fn rules(policy: &LoadedPolicy) -> Vec<ShownRule> {
    let mut shown = of_list(policy, List::Deny);
    for (file, one) in policy.files().flat_map(|file| file.responds.iter().map(move |one| (file, one))) {
        shown.push(at(policy, file, "respond", one.rule.text.to_string(), None, one.rule.at));
    }
    shown.extend(of_list(policy, List::Ask));
    shown.extend(of_list(policy, List::Allow));
    for (file, one) in policy.files().flat_map(|file| file.handlers.iter().map(move |one| (file, one))) {
        let agent = (!one.agents.is_empty()).then(|| one.agents.join(", "));
        shown.push(at(policy, file, "handler", one.handler.name.clone(), agent, one.at));
    }
    for (file, one) in policy.files().flat_map(|file| file.tools.iter().map(move |tool| (file, tool))) {
        let mut tool = at(policy, file, "tool", one.written.clone(), one.agent.clone(), one.at);
        let adds = !policy.may_switch_off_guesses(file);
        tool.ignored = tool
            .ignored
            .or_else(|| (adds && !one.guesses).then_some("`guess = false`, because a managed policy applies"));
        shown.push(tool);
    }
    shown
}

fn of_list(policy: &LoadedPolicy, list: List) -> Vec<ShownRule> {
    let mut shown = Vec::new();
    for file in policy.files() {
        let lists = std::iter::once((None, &file.lists));
        let lists = lists.chain(file.agents.iter().map(|(id, lists)| (Some(id), lists)));
        for (agent, rule) in lists.flat_map(|(agent, lists)| lists.of(list).iter().map(move |rule| (agent, rule))) {
            let mut one = at(policy, file, list.word(), rule.text.to_string(), agent.cloned(), rule.at);
            one.ignored = one.ignored.filter(|_| list == List::Allow);
            if let Some(words) = rule.words(&file.source.text) {
                let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
                (one.reason, one.instead) = (owned(words.reason), owned(words.instead));
            }
            shown.push(one);
        }
    }
    let built_in = policy.protections().into_iter().filter(|(_, says)| *says == Some(list));
    shown.extend(built_in.map(|(key, _)| {
        let mut files = policy.files().filter(|file| !policy.is_project(file));
        let written = files.find_map(|file| {
            let found =
                file.source.settings(&["protect"]).into_iter().find(|set| key == format!("protect.{}", set.key));
            Some((file.source.shown.clone(), file.source.line(found?.at)))
        });
        let (file, line) = written.unzip();
        ShownRule {
            verdict: list.word(),
            rule: key.to_owned(),
            agent: None,
            file,
            line,
            ignored: None,
            reason: None,
            instead: None,
        }
    }));
    shown
}

fn at(
    policy: &LoadedPolicy,
    file: &PolicyFile,
    verdict: &'static str,
    rule: String,
    agent: Option<String>,
    offset: usize,
) -> ShownRule {
    let (shown, line) = (file.source.shown.clone(), file.source.line(offset));
    let ignored = (!policy.is_applied_in_full(file)).then_some("only deny and ask rules of this file apply");
    ShownRule { verdict, rule, agent, file: Some(shown), line: Some(line), ignored, reason: None, instead: None }
}

fn settings(policy: &LoadedPolicy) -> Vec<ShownSetting> {
    let mut shown: Vec<ShownSetting> = Vec::new();
    let has_sandbox = policy.files().any(|file| policy.is_managed(file) && file.sandbox.is_some());
    for file in policy.files() {
        let of_file = file.source.settings(&[USERS, SHARED, &["protect"]].concat());
        for setting in of_file {
            let key = format!("{}.{}", setting.table, setting.key);
            let is_shared = SHARED.contains(&setting.table.as_str());
            let elsewhere = policy.why_settings_are_ignored(file).filter(|_| !is_shared);
            let ignored = if elsewhere.is_some() {
                elsewhere
            } else if !policy.is_applied_in_full(file) {
                Some("only deny and ask rules of this file apply")
            } else if shown.iter().any(|before| before.key == key && before.ignored.is_none()) {
                Some("set above")
            } else if setting.table == "sandbox" && has_sandbox && !policy.is_managed(file) {
                Some("the managed policy describes the sandbox")
            } else if !is_shared && !file.sets(&key) {
                Some("beside a managed policy it may not be weaker than the default")
            } else {
                None
            };
            let (file, line) = (file.source.shown.clone(), file.source.line(setting.at));
            shown.push(ShownSetting { key, value: setting.value, file, line, ignored });
        }
    }
    shown
}
