//! `snaphook import`: copies an agent's own permission rules into the policy.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use snaphook_adapters::protocol::PermissionRules;
use snaphook_adapters::registry::Registry;
use snaphook_policy::List;

use super::ask::Consent;
use super::policy_edit::PolicyEdit;
use super::{Failure, one_line};
use crate::setup::import::{added, layers};
use crate::setup::target::SetupContext;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook import --dry-run               show the rules that would be copied
  snaphook import claude-code
  snaphook import gemini-cli
  snaphook import copilot
  snaphook import cursor --dry-run

The rules of your own settings go into your policy. Those of this project go into its .snaphook.toml,
which applies in full only after `snaphook trust`. The agent keeps its rules, and both apply. Rules in the
policy judge the command as the model wrote it, even if the sandbox wraps it.")]
pub(crate) struct ImportArgs {
    /// The agent whose rules are imported
    #[arg(default_value = "claude-code")]
    agent: String,
    /// The policy file that receives the rules of your user settings; default: your own policy
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    consent: Consent,
}

pub(super) fn run(registry: &Registry, what: &ImportArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let agent = super::agents::find(registry, &what.agent)?;
    if agent.registration.rules == PermissionRules::None {
        return Err(Failure(format!("{}: it has no permission rules that can be imported", agent.id)));
    }
    let context = SetupContext::from_environment()?;
    let places = &context.places;
    let layers = layers(&context, agent, registry).map_err(Failure)?;
    let mut shown = String::new();
    for layer in &layers {
        let _ = writeln!(shown, "{}: {} rules", one_line(places.shown(&layer.file)), layer.rules.len());
        for lost in &layer.lost {
            let _ = writeln!(shown, "  not imported: {}", one_line(lost));
        }
    }
    let mut edit = PolicyEdit::new(&context, shown);
    edit.each(what.policy.as_ref(), "rules are added", |text, of_project| {
        let rules = layers.iter().filter(|layer| layer.of_project == of_project).flat_map(|layer| &layer.rules);
        let rules: Vec<(List, String)> = rules.cloned().collect();
        added(text, &rules)
    })?;
    edit.finish(&what.consent, "There are no new rules to import.\n", out)
}
