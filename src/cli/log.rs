//! `snaphook log`: what was decided, newest last, a line each.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::registry::Registry;

use super::table::columns;
use super::{Failure, audit_log, visible};
use crate::audit::{Entry, lines};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook log                                    the last 50 records
  snaphook log --verdict deny --since 2h          what was denied in the last two hours
  snaphook log --agent codex --lost --last 0      all of Codex that it could not express
  snaphook log --json --last 0 > records.jsonl    for another program

Times are UTC. A verdict such as `ask > deny` was decided as the one and sent as the other.
What goes with it: `sandbox`, the command runs in it; `no sandbox`, it does not; `new input`, other arguments.
`snaphook why ID` says more about a record.")]
pub(crate) struct What {
    /// Only this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only this event, by the agent's own name
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only this tool, by the agent's own name
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only this session of an agent
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only what was decided or sent as this: pass, allow, ask, deny, respond, abort, hard-abort, keep-going
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    verdict: Option<VerdictKind>,
    /// Only where the agent could not express all that was decided
    #[arg(long)]
    lost: bool,
    /// Only where something failed, or ran outside of the sandbox that the policy requires
    #[arg(long)]
    failed: bool,
    /// Only from then on: 30m, 2h, 3days, or 2026-11-22T08:00:00Z
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<SystemTime>,
    /// Only the newest N of these; 0: all
    #[arg(long, value_name = "N", default_value_t = 50)]
    last: usize,
    /// Print the records as they stand in the log, a JSON object a line
    #[arg(long)]
    json: bool,
    /// The log to read, instead of the policy's
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// The policy that says where the log is
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

fn verdict(text: &str) -> Result<VerdictKind, String> {
    let known = |kind: &VerdictKind| kind.word().replace(' ', "-") == text;
    VerdictKind::ALL.into_iter().find(known).ok_or_else(|| "no such verdict".to_owned())
}

fn since(text: &str) -> Result<SystemTime, String> {
    if let Ok(ago) = humantime::parse_duration(text) {
        return Ok(SystemTime::now().checked_sub(ago).unwrap_or(SystemTime::UNIX_EPOCH));
    }
    let whole = if text.contains(['T', ' ']) { text.to_owned() } else { format!("{text}T00:00:00Z") };
    humantime::parse_rfc3339_weak(&whole).map_err(|_| "neither a time ago (2h) nor a date (2026-11-22)".to_owned())
}

pub(super) fn run(registry: &Registry, what: &What, out: &mut String) -> Result<ExitCode, Failure> {
    if let Some(agent) = &what.agent {
        super::agents::find(registry, agent)?;
    }
    let path = audit_log::path(registry, what.audit.clone(), what.policy.clone())?;
    let unread = |error| audit_log::unread(&path, &error);
    let mut newest: VecDeque<(Vec<u8>, Entry)> = VecDeque::new();
    let (mut matched, mut foreign) = (0_usize, 0_usize);
    for line in lines(&path).map_err(unread)? {
        let line = line.map_err(unread)?;
        let Some(entry) = Entry::of(&line) else {
            foreign += usize::from(!line.trim_ascii().is_empty());
            continue;
        };
        if !what.takes(&entry) {
            continue;
        }
        matched += 1;
        if what.last > 0 && newest.len() == what.last {
            newest.pop_front();
        }
        newest.push_back((line, entry));
    }
    if what.json {
        for (line, _) in &newest {
            out.push_str(&String::from_utf8_lossy(line));
            out.push('\n');
        }
    } else if matched > 0 {
        out.push_str(&visible(&table(newest.iter().map(|(_, entry)| entry))));
    }
    said(what, matched, newest.len(), foreign, &path);
    Ok(ExitCode::SUCCESS)
}

/// Says what is not in the table, on stderr so that it is in nobody's pipe.
fn said(what: &What, matched: usize, shown: usize, foreign: usize, path: &std::path::Path) {
    use crate::serve::complain;
    if matched == 0 {
        complain(&visible(&format!("{}: no record like that", path.display())));
    }
    if shown < matched && !what.json {
        complain(&format!("the newest {shown} of {matched}; --last 0 shows all"));
    }
    if foreign > 0 {
        complain(&visible(&format!("{}: {foreign} lines are no records", path.display())));
    }
}

impl What {
    fn takes(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, is: Option<&str>| wanted.as_deref().is_none_or(|wanted| Some(wanted) == is);
        is(&self.agent, Some(&entry.agent))
            && is(&self.event, Some(&entry.event))
            && is(&self.tool, entry.tool.as_deref())
            && is(&self.session, entry.session.as_deref())
            && self.verdict.is_none_or(|verdict| [entry.wanted, entry.sent].contains(&verdict))
            && (!self.lost || !entry.losses.is_empty())
            && (!self.failed || entry.failure.is_some() || entry.incident.is_some())
            && self.since.is_none_or(|since| humantime::parse_rfc3339_weak(&entry.time).is_ok_and(|at| at >= since))
    }
}

fn table<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    let heading = ["time", "agent", "event", "tool", "verdict", "with", "sent as", "ms", "id", "lost"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(entries.map(row));
    columns(&rows, "")
}

fn row(entry: &Entry) -> Vec<String> {
    let verdict = match (entry.wanted.word(), entry.sent.word()) {
        (wanted, sent) if wanted == sent => wanted.to_owned(),
        (wanted, sent) => format!("{wanted} > {sent}"),
    };
    // To the second; the log has the rest.
    let time = entry.time.get(..19).unwrap_or(&entry.time).replace('T', " ");
    let wrong = entry.failure.iter().map(|what| format!("failed: {what}"));
    let wrong = wrong.chain(entry.incident.iter().map(|what| format!("incident: {what}")));
    let lost: Vec<_> = wrong.chain(entry.losses.clone()).collect();
    vec![
        time,
        entry.agent.clone(),
        or_dash(&entry.event),
        or_dash(entry.tool.as_deref().unwrap_or_default()),
        verdict,
        or_dash(&with(entry)),
        entry.form.clone(),
        format!("{:.1}", entry.ms),
        entry.id.clone(),
        lost.join("; "),
    ]
}

/// What the answer changes.
fn with(entry: &Entry) -> String {
    let sandbox = entry.isolated.map(|isolated| if isolated { "sandbox" } else { "no sandbox" }.to_owned());
    // That is how a command gets there.
    let changed = entry.changed.iter().filter(|target| entry.isolated != Some(true) || *target != "input");
    sandbox.into_iter().chain(changed.map(|target| format!("new {target}"))).collect::<Vec<_>>().join(", ")
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}
