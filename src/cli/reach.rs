//! The registered lines for which an override holds: those that read a policy of the folder in which it is.

use std::fmt::Write as _;
use std::path::PathBuf;

use snaphook_adapters::protocol::Agent;
use snaphook_adapters::registry::Registry;

use super::one_line;
use crate::policy::{Places, UserPolicy};
use crate::setup::hooks::registered_lines;
use crate::setup::target::SetupContext;

/// A policy that registered lines read.
pub(super) struct RegisteredPolicy {
    /// The locations with which these lines judge.
    pub(super) places: Places,
    /// Each line, as messages show it.
    pub(super) lines: Vec<String>,
}

impl RegisteredPolicy {
    /// Finds the policies that the registered lines of agents read.
    pub(super) fn all<'a>(context: &SetupContext, agents: impl Iterator<Item = &'a Agent>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for agent in agents {
            for (file, paths) in registered_lines(context, agent) {
                let mut places = context.places.clone();
                paths.policies.into_iter().for_each(|policy| places.add_policy(PathBuf::from(policy)));
                let line = format!("{} in {}", agent.id, context.places.shown(&file));
                let is_same =
                    |known: &Places| known.policy == places.policy && known.more_policies == places.more_policies;
                match found.iter_mut().find(|known| is_same(&known.places)) {
                    Some(known) if known.lines.contains(&line) => {}
                    Some(known) => known.lines.push(line),
                    None => found.push(Self { places, lines: vec![line] }),
                }
            }
        }
        found
    }

    /// Returns why an override in the folder of `own` does not hold for these lines; `None` if it does.
    fn missed(&self, own: &Places, override_command: &OverrideCommand<'_>) -> Option<String> {
        let remedy = match UserPolicy::load(&self.places, override_command.registry) {
            Err(_) => "it is invalid, so its `[failure] policy` decides; see snaphook doctor".to_owned(),
            Ok(user) => match (override_command.check)(&user) {
                Err(why) => why,
                Ok(()) if folder(&self.places) == folder(own) => return None,
                Ok(()) => (override_command.again)(self.places.policy.as_ref()),
            },
        };
        let policy = self.places.policy.clone().or_else(|| self.places.user_files().into_iter().next());
        let policy = policy.map(|policy| own.shown(&policy)).unwrap_or_default();
        Some(one_line(format!("{}, with the policy {policy}: {remedy}", self.lines.join(", "))))
    }
}

/// A command that makes an override.
pub(super) struct OverrideCommand<'a> {
    pub(super) registry: &'a Registry,
    /// Checks that a policy permits the override.
    pub(super) check: fn(&UserPolicy) -> Result<(), String>,
    /// The command for registered lines that read this policy.
    pub(super) again: &'a dyn Fn(Option<&PathBuf>) -> String,
}

impl OverrideCommand<'_> {
    /// Says which registered lines an override in the folder of `own` does not reach, each with the command that does.
    /// Other folders may have lines that were not found.
    pub(super) fn warn(&self, registered: &[RegisteredPolicy], own: &Places, out: &mut String) {
        let missed: Vec<_> = registered.iter().filter_map(|policy| policy.missed(own, self)).collect();
        if !missed.is_empty() && missed.len() == registered.len() {
            out.push_str("warning: no registered line was found that this reaches\n");
        }
        for line in missed {
            let _ = writeln!(out, "does not reach {line}");
        }
    }
}

/// The places beside whose policy an override reaches a registered line: `own` if a line reads a policy in that folder, else
/// those of the first line. Returns `None` if there are no lines.
pub(super) fn places_for_override<'a>(registered: &'a [RegisteredPolicy], own: &'a Places) -> Option<&'a Places> {
    let is_own = |policy: &RegisteredPolicy| folder(&policy.places) == folder(own);
    if registered.iter().any(is_own) { Some(own) } else { registered.first().map(|policy| &policy.places) }
}

/// Groups registered lines by the folder of their overrides. The folder of `own` comes first, with or without lines.
pub(super) fn by_folder<'a>(own: &'a Places, registered: &'a [RegisteredPolicy]) -> Vec<(&'a Places, Vec<&'a str>)> {
    let mut found = vec![(own, Vec::new())];
    for policy in registered {
        let lines = policy.lines.iter().map(String::as_str);
        match found.iter_mut().find(|(places, _)| folder(places) == folder(&policy.places)) {
            Some((_, known)) => known.extend(lines),
            None => found.push((&policy.places, lines.collect())),
        }
    }
    found
}

/// The folder that has the overrides, without symbolic links.
fn folder(places: &Places) -> Option<PathBuf> {
    let overrides = places.override_folder()?;
    Some(overrides.parent().and_then(|beside| beside.canonicalize().ok()).unwrap_or(overrides))
}
