//! `snaphook adopt` and `snaphook unadopt`: hooks that are registered with one agent as handlers for all agents.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

use super::ask::Consent;
use super::policy_edit::PolicyEdit;
use super::{Failure, one_line};
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
    let mut edit = PolicyEdit::new(&context, shown);
    edit.each(what.policy.as_ref(), "handlers are added", |text, of_project| {
        let hooks = all.iter().filter(|file| file.of_project == of_project).flat_map(|file| &file.hooks);
        let hooks: Vec<ForeignHook> = hooks.cloned().collect();
        added(text, &hooks)
    })?;
    edit.finish(&what.consent, "There are no new hooks to adopt.\n", out)
}

pub(super) fn unadopt(registry: &Registry, what: &AdoptArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let agent = super::agents::find(registry, &what.agent)?;
    let context = SetupContext::from_environment()?;
    let mut edit = PolicyEdit::new(&context, String::new());
    edit.each(what.policy.as_ref(), "handlers are removed", |text, _| removed(text, agent.id))?;
    let none = format!("There are no adopted hooks of {}.\n", agent.name);
    edit.finish(&what.consent, &none, out)
}
