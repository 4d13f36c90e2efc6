//! `snaphook import`: copies an agent's own permission rules into the policy.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use similar::TextDiff;
use snaphook_adapters::protocol::PermissionRules;
use snaphook_adapters::registry::Registry;
use snaphook_policy::{List, STARTER};

use super::ask::Consent;
use super::{DIFFING, Failure, one_line, visible};
use crate::files;
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
    let user = what.policy.clone().or_else(|| {
        let files = places.user_files();
        files.iter().find(|file| file.exists()).or(files.first()).cloned()
    });
    let user = user.ok_or_else(|| Failure("HOME is not set; name the policy with --policy FILE".to_owned()))?;
    let mut shown = String::new();
    for layer in &layers {
        let _ = writeln!(shown, "{}: {} rules", one_line(places.shown(&layer.file)), layer.rules.len());
        for lost in &layer.lost {
            let _ = writeln!(shown, "  not imported: {}", one_line(lost));
        }
    }
    let mut changes = Vec::new();
    for (of_project, path) in [(false, user), (true, context.cwd.join(".snaphook.toml"))] {
        let rules = layers.iter().filter(|layer| layer.of_project == of_project).flat_map(|layer| &layer.rules);
        let rules: Vec<(List, String)> = rules.cloned().collect();
        let bytes = files::read(&path).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        let text = match &bytes {
            Some(bytes) => {
                String::from_utf8(bytes.clone()).map_err(|_| Failure(format!("{}: it is not UTF-8", path.display())))?
            }
            None if of_project => String::new(),
            None => STARTER.to_owned(),
        };
        let (after, count) = added(&text, &rules).map_err(|why| Failure(format!("{}: {why}", path.display())))?;
        if count > 0 {
            if of_project {
                context.of_project(&path).map_err(Failure)?;
            }
            let _ = writeln!(shown, "{}: {count} rules are added", one_line(places.shown(&path)));
            let before = bytes.as_ref().map(|_| text.as_str()).unwrap_or_default();
            shown.push_str(
                &TextDiff::configure()
                    .timeout(DIFFING)
                    .diff_lines(before, &after)
                    .unified_diff()
                    .context_radius(1)
                    .to_string(),
            );
            changes.push((path, bytes, after));
        }
    }
    out.push_str(&visible(&shown));
    if changes.is_empty() {
        out.push_str("There are no new rules to import.\n");
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(refused) = what.consent.refused(Some(""), "import", out)? {
        return Ok(refused);
    }
    for (path, before, after) in changes {
        if before.is_none() && !path.ends_with(".snaphook.toml") {
            super::init::write_starter(&path)?;
            files::replace(&path, Some(STARTER.as_bytes()), Some(after.as_bytes()))
        } else {
            files::replace(&path, before.as_deref(), Some(after.as_bytes()))
        }
        .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    }
    Ok(ExitCode::SUCCESS)
}
