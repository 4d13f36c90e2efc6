//! `snaphook install` and `snaphook uninstall`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indexmap::IndexMap;
use similar::TextDiff;
use snaphook_adapters::protocol::{Agent, EventRow, HookProtocol};
use snaphook_adapters::registry::Registry;

use super::ask::Consent;
use super::{DIFFING, Failure, called_twice, one_line, visible};
use crate::policy::{Places, UserPolicy, managed_file};
use crate::setup::install::install as plan_install;
use crate::setup::names::{Names, is_off_path, missing};
use crate::setup::off::switches;
use crate::setup::ours::calls_us;
use crate::setup::plan::Plan;
use crate::setup::purge::{Purge, still_calling};
use crate::setup::record::Records;
use crate::setup::state::take_away;
use crate::setup::target::{RegistrationTarget, Scope, SetupContext, Version, expand};
use crate::setup::twice::judged_twice;
use crate::setup::uninstall::uninstall as plan_uninstall;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook install                        every agent found on this machine
  snaphook install claude-code codex
  snaphook install --dry-run              print the changes without making them
  snaphook install claude-code --project  for this project instead of for all your work
  snaphook install docker-agent --agent-version 1.140.0

Comments, order, spacing and every byte outside the entries stay the same. `snaphook uninstall` removes the
entries. The hooks of other programs are not changed.")]
pub(crate) struct Install {
    /// The agents; default: all agents found on this machine
    agents: Vec<String>,
    #[command(flatten)]
    scope: ScopeFlags,
    #[command(flatten)]
    consent: Consent,
    /// Change the files without asking, unless existing entries would get another policy or version
    #[arg(long)]
    yes: bool,
    /// The version of the agent; default: ask its program
    #[arg(long, value_name = "V")]
    agent_version: Option<String>,
    /// The policy for the entries; default: the one in existing entries, else your own. Given again: a file with further rules
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook uninstall                      every agent that calls snaphook
  snaphook uninstall codex --dry-run
  snaphook uninstall claude-code --project
  snaphook uninstall --purge              and the files of snaphook: policy, log, trust store, records

Restores the original bytes of each file. If a file was changed since the install, removes only the entries.
Entries from before the install stay; run this again to remove them too. The question is asked only on
your terminal, so that no agent can answer it through a pipe.")]
pub(crate) struct Uninstall {
    /// The agents; default: all agents with entries of snaphook
    agents: Vec<String>,
    #[command(flatten)]
    scope: ScopeFlags,
    #[command(flatten)]
    consent: Consent,
    /// Also remove your policy, and the folder with the log, the trust store and the records of installs
    #[arg(long, conflicts_with_all = ["agents", "project"])]
    purge: bool,
    /// Purge without asking
    #[arg(long)]
    yes: bool,
}

#[derive(clap::Args)]
struct ScopeFlags {
    /// For this project
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// For all your work; this is the default
    #[arg(long)]
    user: bool,
}

impl ScopeFlags {
    fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { Scope::User }
    }

    /// The files of an agent that snaphook writes to, and others that call snaphook.
    fn files(&self, context: &SetupContext, agent: &'static Agent) -> Vec<PathBuf> {
        let registration = &agent.registration;
        let blocks = registration.blocks.iter().map(|block| if self.project { block.project } else { block.file });
        let mut files: Vec<_> = blocks.filter_map(|file| context.path(agent, file)).collect();
        let others = registration.files.iter().filter(|file| file.is_of_project() == self.project);
        let others = others.filter_map(|file| context.path(agent, file.path)).flat_map(|path| expand(&path));
        files.extend(others.filter(|path| calls_us(path, agent.id)));
        files.sort();
        files.dedup();
        files
    }
}

pub(super) fn install(registry: &Registry, what: &Install, out: &mut String) -> Result<ExitCode, Failure> {
    let context = SetupContext::from_environment()?;
    let places = &context.places;
    let names = Names::find(places, &what.policy)?;
    let mut records = records(places)?;
    let agents = chosen(registry, &what.agents, |agent| context.has(agent))?;
    if agents.is_empty() {
        return Err(Failure(
            "no agent was found on this machine; name one, such as snaphook install claude-code".to_owned(),
        ));
    }
    let mut plans = Vec::new();
    let mut refused = false;
    for agent in agents {
        let version = Version::or_asked(what.agent_version.as_deref());
        let written = context.written(agent, what.scope.scope(), version).and_then(|targets| {
            let plan = |target: RegistrationTarget| {
                let paths = names.at(&context, &records, agent, &target.path, target.scope);
                Ok((plan_install(&context, &target, &paths, &records)?, target, paths))
            };
            let plans = targets.into_iter().map(plan).collect::<Result<Vec<_>, String>>()?;
            // Some files of several would look like a registration.
            let taken = plans.iter().find(|(plan, ..)| plans.len() > 1 && !plan.taken.is_empty());
            match taken {
                Some((plan, ..)) => {
                    Err(format!("{}: {}; then run this again", plan.path.display(), take_away(&plan.taken)))
                }
                None => Ok(plans),
            }
        });
        match written {
            Ok(written) => plans.extend(written),
            Err(why) => {
                refused = true;
                let _ = writeln!(out, "{}: {}", agent.id, one_line(&why));
            }
        }
    }
    let changes = plans.iter().any(|(plan, ..)| plan.changes());
    for (plan, ..) in &plans {
        describe(plan, what.consent.dry_run, out);
    }
    let policy = plans.iter().find_map(|(.., paths)| missing(paths));
    if let Some(policy) = &policy {
        let _ = writeln!(
            out,
            "{}: the starter policy is written, since there is no policy yet",
            one_line(policy.to_string_lossy())
        );
    }
    // A new entry can only add protection. One that names another policy, or has another form, may take it away.
    let is_explicit = !what.policy.is_empty() || what.agent_version.is_some();
    let weakens = is_explicit && plans.iter().any(|(plan, ..)| plan.renewed > 0);
    let instead = if weakens { "" } else { ", or --yes" };
    let asks = (changes || policy.is_some()) && (weakens || !what.yes);
    if let Some(stop) = what.consent.refused(asks.then_some(instead), out)? {
        return Ok(if refused { ExitCode::from(1) } else { stop });
    }
    if let Some(policy) = policy {
        super::init::write_starter(&policy)?;
    }
    for (plan, target, _) in plans {
        let (kept, taken, above) = (plan.left.len() - plan.taken.len(), plan.taken.clone(), plan.above);
        let is_empty = plan.record.entries.is_empty();
        if let Err(why) = plan.carry_out(&mut records) {
            refused = true;
            let _ = writeln!(out, "\n{}: not registered: {}", target.agent.id, one_line(&why));
            continue;
        }
        if !taken.is_empty() {
            refused = true;
            let (path, what) = (target.path.to_string_lossy(), take_away(&taken));
            let some = if is_empty { "not registered" } else { "registered in part only" };
            let _ = writeln!(
                out,
                "\n{}: {some}: {}: {}; then run this again",
                target.agent.id,
                one_line(path),
                one_line(what)
            );
            continue;
        }
        afterwards(&context, &target, kept, above, out);
        for twice in judged_twice(&context, registry, target.agent) {
            let _ = writeln!(out, "  - {}", one_line(called_twice(&twice, places)));
        }
    }
    Ok(if refused { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

pub(super) fn uninstall(registry: &Registry, what: &Uninstall, out: &mut String) -> Result<ExitCode, Failure> {
    if what.yes && !what.purge {
        return Err(Failure(
            "--yes is only for --purge; without it, the question is asked on your terminal".to_owned(),
        ));
    }
    let context = SetupContext::from_environment()?;
    let places = &context.places;
    let names = Names::find(places, &[])?;
    let mut records = records(places)?;
    let mut plans = Vec::new();
    for agent in chosen(registry, &what.agents, |_| true)? {
        for path in what.scope.files(&context, agent) {
            let paths = names.at(&context, &records, agent, &path, what.scope.scope());
            let plan = plan_uninstall(agent, &path, &paths, &records).map_err(Failure)?;
            if what.scope.project && plan.changes() {
                context.of_project(&path).map_err(Failure)?;
            }
            plans.push(plan);
        }
    }
    plans.retain(|plan| plan.changes() || !plan.left.is_empty());
    for plan in &plans {
        describe(plan, what.consent.dry_run, out);
    }
    if plans.is_empty() {
        out.push_str("No entry of snaphook was found.\n");
    }
    let purge = if what.purge { Some(purge(registry, places, &plans, &records, out)?) } else { None };
    let asks = plans.iter().any(Plan::changes) || purge.is_some();
    let instead = if what.purge { ", or --yes" } else { "" };
    if let Some(stop) = what.consent.refused((asks && !what.yes).then_some(instead), out)? {
        return Ok(stop);
    }
    for plan in plans {
        plan.carry_out(&mut records).map_err(Failure)?;
    }
    let errors = purge.map(Purge::carry_out).unwrap_or_default();
    if errors.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure(errors.join("\n"))) }
}

/// Names the files of snaphook that would be removed after the entries.
fn purge(
    registry: &Registry,
    places: &Places,
    plans: &[Plan],
    records: &Records,
    out: &mut String,
) -> Result<Purge, Failure> {
    let calling: Vec<_> = still_calling(plans, records).iter().map(|path| one_line(path.to_string_lossy())).collect();
    if !calling.is_empty() {
        let files = calling.join("\n");
        return Err(Failure(format!(
            "nothing was removed: without a policy, these entries would block every call; remove them first, those of a \
             project with `snaphook uninstall --project` in its folder:\n{files}"
        )));
    }
    let purge = Purge::find(places);
    for name in purge.names()? {
        let _ = writeln!(out, "{} is removed", one_line(name));
    }
    let mut stays = |path: &Path, why: &str| {
        let _ = writeln!(out, "{} stays: {why}", one_line(path.to_string_lossy()));
    };
    if let Some(managed) = managed_file(places) {
        stays(managed, "it is the managed policy");
    }
    let user = UserPolicy::load(places, registry).ok();
    if let Some(log) = user.as_ref().and_then(|user| user.audit().file.as_deref()).filter(|log| log.exists()) {
        stays(log, "the policy names this log; remove it yourself");
    }
    Ok(purge)
}

pub(super) fn records(places: &Places) -> Result<Records, Failure> {
    let state = places.state_folder();
    let state =
        state.ok_or_else(|| Failure("no home folder for the records of installed entries; set HOME".to_owned()))?;
    Records::read(&state).map_err(|error| Failure(error.to_string()))
}

/// The agents that the user named, else those for which `is_meant` returns true.
pub(super) fn chosen(
    registry: &Registry,
    names: &[String],
    is_meant: impl Fn(&'static Agent) -> bool,
) -> Result<Vec<&'static Agent>, Failure> {
    if names.is_empty() {
        return Ok(registry.iter().map(HookProtocol::agent).filter(|agent| is_meant(agent)).collect());
    }
    names.iter().map(|name| super::agents::find(registry, name)).collect()
}

fn describe(plan: &Plan, whole: bool, out: &mut String) {
    let path = one_line(plan.path.to_string_lossy());
    let what = match () {
        () if !plan.changes() && !plan.left.is_empty() => "is not changed".to_owned(),
        () if !plan.changes() => "is up to date".to_owned(),
        () if plan.after.is_none() => "is removed".to_owned(),
        () if plan.before.is_none() && plan.added == 0 => "is written".to_owned(),
        () if plan.before.is_none() => format!("is written, with {}", entries(plan.added)),
        () if plan.added + plan.renewed == 0 && !plan.record.entries.is_empty() => {
            "gets the settings of snaphook".to_owned()
        }
        () if plan.added + plan.renewed == 0 => "loses the entries of snaphook".to_owned(),
        () if plan.renewed == 0 => format!("gets {}", entries(plan.added)),
        () if plan.added == 0 => format!("gets {} renewed", entries(plan.renewed)),
        () => format!("gets {}, and {} renewed", entries(plan.added), entries(plan.renewed)),
    };
    let _ = writeln!(out, "{}: {path} {what}", plan.agent);
    for left in &plan.left {
        let name = left.node.title();
        let why = match () {
            () if plan.taken.contains(&name) => "because it does not call snaphook",
            () if left.found => "because it was there before the install; to remove it too, run this again",
            () => "because it was changed since the install",
        };
        let _ = writeln!(out, "  not changed, {why}: {}", one_line(name));
    }
    if whole && plan.changes() {
        let text = |bytes: &Option<Vec<u8>>| String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let (before, after) = (text(&plan.before), text(&plan.after));
        let diff = TextDiff::configure().timeout(DIFFING).diff_lines(&before, &after);
        out.push_str(&visible(&diff.unified_diff().context_radius(2).to_string()));
    }
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// Writes what the user still has to do, and what remains unprotected, for `kept` entries that the user has changed.
fn afterwards(
    context: &SetupContext,
    target: &RegistrationTarget,
    kept: usize,
    above: Option<(i64, i64)>,
    out: &mut String,
) {
    let agent = target.agent;
    let _ = writeln!(out, "\n{}: registered in {}", agent.id, one_line(target.path.to_string_lossy()));
    if kept > 0 {
        let _ = writeln!(
            out,
            "  {kept} entries were changed since the install and are kept; to renew them, remove them and run this again"
        );
    }
    if target.scope == Scope::Project {
        let _ = writeln!(
            out,
            "  Everyone who works on this project needs snaphook on PATH. Without it, {} blocks their calls and says so.",
            agent.name
        );
        if is_off_path() {
            let _ = writeln!(out, "  still to do: put this program on your PATH, as snaphook");
        }
    }
    for off in switches(context, agent) {
        let _ = writeln!(out, "  still to do: {}", one_line(off.remedy()));
    }
    if !agent.registration.trust.is_empty() {
        let _ = writeln!(out, "  still to do: {}", agent.registration.trust);
    }
    if let Some((number, highest)) = above {
        let member = target.block.last_word;
        let _ =
            writeln!(out, "  - Its `{member}` is {number}, above {highest} of the other hooks, so it decides last.");
    }
    for note in target.block.notes {
        let _ = writeln!(out, "  - {note}");
    }
    let is_meant = |id: &str| agent.hosts.iter().any(|host| host.is(id) && target.is_for(host));
    let mut open: IndexMap<&str, Vec<String>> = IndexMap::new();
    for row in agent.events.iter().filter(|row| row.gates() && target.block.serves(row)) {
        for sentence in row.limits_on_hosts(is_meant).filter(|sentence| !target.block.closes.contains(sentence)) {
            open.entry(sentence).or_default().push(name_of(row));
        }
    }
    if !open.is_empty() {
        let _ = writeln!(out, "  limits:");
    }
    for (sentence, mut events) in open {
        events.dedup();
        let _ = writeln!(out, "  - {sentence} ({})", events.join(", "));
    }
}

/// The name of an event, with the flag of the entry if the event has several entries.
fn name_of(row: &EventRow) -> String {
    let flag = match row.selector.roles {
        [role] => role.flag(),
        _ => None,
    };
    flag.map_or_else(|| row.native.to_owned(), |flag| format!("{} {flag}", row.native))
}
