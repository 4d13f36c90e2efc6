//! `snaphook adopt` and `snaphook unadopt`: hooks that are registered with one agent as handlers for all agents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use similar::TextDiff;
use snaphook_adapters::registry::Registry;
use snaphook_policy::STARTER;

use super::ask::Consent;
use super::{DIFFING, Failure, one_line, visible};
use crate::files;
use crate::setup::adopt::{ForeignHook, added, found, removed};
use crate::setup::target::SetupContext;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook adopt --dry-run                show the hooks of Claude Code that would be handlers
  snaphook adopt gemini-cli
  snaphook unadopt gemini-cli

The hooks of your own settings become handlers of your policy. Those of this project become handlers of its
.snaphook.toml, which run only after `snaphook trust`. The agent's own files are not changed: there the agent
runs its hooks itself, and the handlers run under all other agents.")]
pub(crate) struct AdoptArgs {
    /// The agent whose hooks are adopted
    #[arg(default_value = "claude-code")]
    agent: String,
    /// The policy file that receives the hooks of your user settings; default: your own policy
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    consent: Consent,
}

/// A file that is changed: its path, its bytes before, and its text afterwards.
type FileChange = (PathBuf, Option<Vec<u8>>, String);

pub(super) fn adopt(registry: &Registry, what: &AdoptArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let agent = super::agents::find(registry, &what.agent)?;
    if snaphook_hosts::account(agent.id).is_none() {
        return Err(Failure(format!("{}: no data file describes how it reads the answer of a hook", agent.id)));
    }
    let context = SetupContext::from_environment()?;
    let all = found(&context, agent).map_err(Failure)?;
    let mut shown = String::new();
    for file in &all {
        let _ = writeln!(shown, "{}: {} hooks", one_line(&file.shown), file.hooks.len());
        for hook in &file.hooks {
            let matcher = if hook.matcher.is_empty() { String::new() } else { format!("({})", hook.matcher) };
            let command = hook.command.join(" ");
            let _ = writeln!(shown, "  {}{}: {}", hook.events.join(", "), one_line(&matcher), one_line(&command));
        }
        for lost in &file.lost {
            let _ = writeln!(shown, "  not adopted: {}", one_line(lost));
        }
    }
    let mut changes = Vec::new();
    for (of_project, path) in policies(&context, what)? {
        let hooks = all.iter().filter(|file| file.of_project == of_project).flat_map(|file| &file.hooks);
        let hooks: Vec<ForeignHook> = hooks.cloned().collect();
        let (bytes, text) = read(&path, if of_project { "" } else { STARTER })?;
        let (after, count) = added(&text, &hooks).map_err(|why| Failure(format!("{}: {why}", path.display())))?;
        if count > 0 {
            if of_project {
                context.of_project(&path).map_err(Failure)?;
            }
            let _ = writeln!(shown, "{}: {count} handlers are added", one_line(context.places.shown(&path)));
            show(&mut shown, bytes.as_ref().map_or("", |_| &text), &after);
            changes.push((path, bytes, after));
        }
    }
    out.push_str(&visible(&shown));
    if changes.is_empty() {
        out.push_str("There are no new hooks to adopt.\n");
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(refused) = what.consent.refused(Some(""), "adopt", out)? {
        return Ok(refused);
    }
    write(changes)
}

pub(super) fn unadopt(registry: &Registry, what: &AdoptArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let agent = super::agents::find(registry, &what.agent)?;
    let context = SetupContext::from_environment()?;
    let mut shown = String::new();
    let mut changes = Vec::new();
    for (of_project, path) in policies(&context, what)? {
        let (Some(bytes), text) = read(&path, "")? else { continue };
        let (after, count) = removed(&text, agent.id).map_err(|why| Failure(format!("{}: {why}", path.display())))?;
        if count > 0 {
            if of_project {
                context.of_project(&path).map_err(Failure)?;
            }
            let _ = writeln!(shown, "{}: {count} handlers are removed", one_line(context.places.shown(&path)));
            show(&mut shown, &text, &after);
            changes.push((path, Some(bytes), after));
        }
    }
    out.push_str(&visible(&shown));
    if changes.is_empty() {
        let _ = writeln!(out, "There are no adopted hooks of {}.", agent.name);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(refused) = what.consent.refused(Some(""), "unadopt", out)? {
        return Ok(refused);
    }
    write(changes)
}

/// The policies that receive handlers: that of the user, and that of the project.
fn policies(context: &SetupContext, what: &AdoptArgs) -> Result<[(bool, PathBuf); 2], Failure> {
    let user = what.policy.clone().or_else(|| {
        let files = context.places.user_files();
        files.iter().find(|file| file.exists()).or(files.first()).cloned()
    });
    let user = user.ok_or_else(|| Failure("HOME is not set; name the policy with --policy FILE".to_owned()))?;
    Ok([(false, user), (true, context.cwd.join(".snaphook.toml"))])
}

fn read(path: &Path, missing: &str) -> Result<(Option<Vec<u8>>, String), Failure> {
    let fail = |why: String| Failure(format!("{}: {why}", path.display()));
    let Some(bytes) = files::read(path).map_err(|error| fail(error.to_string()))? else {
        return Ok((None, missing.to_owned()));
    };
    let text = String::from_utf8(bytes.clone()).map_err(|_| fail("it is not UTF-8".to_owned()))?;
    Ok((Some(bytes), text))
}

fn show(shown: &mut String, before: &str, after: &str) {
    let mut differ = TextDiff::configure();
    let diff = differ.timeout(DIFFING).diff_lines(before, after);
    shown.push_str(&diff.unified_diff().context_radius(1).to_string());
}

fn write(changes: Vec<FileChange>) -> Result<ExitCode, Failure> {
    for (path, before, after) in changes {
        let starts = before.is_none() && !path.ends_with(".snaphook.toml");
        let before = if starts {
            super::init::write_starter(&path)?;
            Some(STARTER.as_bytes().to_vec())
        } else {
            before
        };
        files::replace(&path, before.as_deref(), Some(after.as_bytes()))
            .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    }
    Ok(ExitCode::SUCCESS)
}
