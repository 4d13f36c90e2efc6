//! Determines the state of each agent's registration, for `status`, `doctor` and `try`.

use std::path::{Path, PathBuf};

use serde::Serialize;
use snaphook_adapters::protocol::Agent;

use super::approval;
use super::command_line::policy_options;
use super::compare::Comparison;
use super::conflicts::{ConflictingHook, in_other_files};
use super::edit::Document;
use super::guard;
use super::names::Names;
use super::off::{DisablingSetting, switches};
use super::ours::calls_us;
use super::record::Records;
use super::target::{RegistrationTarget, Scope, SetupContext, Version, expand};
use crate::files;

/// The state of the registration in one file of an agent.
#[derive(Debug, Serialize)]
pub(crate) struct RegistrationState {
    pub(crate) agent: &'static str,
    pub(crate) state: RegistrationStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<PathBuf>,
    /// The remedy; empty if nothing needs to be done.
    pub(crate) remedy: String,
    /// The hooks of other programs that could change a call after snaphook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) conflicts: Vec<String>,
}

/// The state of a registration, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RegistrationStatus {
    Current,
    WaitingForYou,
    /// Entries of an earlier form, or with an old path of the program.
    Stale,
    /// Entries in the managed settings of an organisation.
    Managed,
    Edited,
    /// The agent calls no hook, or rejects the file.
    SwitchedOff,
    /// Another file also calls snaphook, so that every call is judged twice.
    Shadowed,
    /// The entry of another program has the name of ours.
    Taken,
    Absent,
    /// The state cannot be determined.
    Unknown,
}

impl RegistrationStatus {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::Managed => "managed",
            Self::Edited => "edited by you",
            Self::WaitingForYou => "waiting for your approval",
            Self::Absent => "absent",
            Self::Shadowed => "shadowed",
            Self::Taken => "taken by something else",
            Self::SwitchedOff => "switched off",
            Self::Unknown => "unknown",
        }
    }

    /// Returns true if the agent calls snaphook, with any form of entry.
    pub(crate) fn calls_us(self) -> bool {
        self.is_registered() && !matches!(self, Self::WaitingForYou | Self::SwitchedOff)
    }

    /// Returns true if nothing needs to be done.
    pub(crate) fn is_in_order(self) -> bool {
        matches!(self, Self::Current | Self::Managed)
    }

    fn is_registered(self) -> bool {
        !matches!(self, Self::Absent | Self::Taken | Self::Unknown)
    }
}

/// The inputs for determining the state.
pub(crate) struct RegistrationChecker<'a> {
    pub(crate) context: &'a SetupContext,
    pub(crate) names: &'a Names,
    pub(crate) records: &'a Records,
    pub(crate) version: Version<'a>,
}

impl RegistrationChecker<'_> {
    /// The state of each file of an agent that calls snaphook, or should.
    pub(crate) fn states(&self, agent: &'static Agent) -> Vec<RegistrationState> {
        let mut lines = Vec::new();
        let mut looked: Vec<PathBuf> = Vec::new();
        let off = switches(self.context, agent);
        for scope in [Scope::User, Scope::Project] {
            match self.context.targets(agent, scope, self.version) {
                Ok(targets) => {
                    let new = targets.iter().filter(|target| !looked.contains(&target.path));
                    let lines_of = new.map(|target| self.state_of_target(target, scope, off.first()));
                    // If the version is unknown, several blocks are possible: the one with the best state is used. If each
                    // has a separate file, all are needed.
                    let line = if agent.registration.takes_every_block() {
                        lines_of.max_by_key(|line| line.state)
                    } else {
                        lines_of.min_by_key(|line| line.state)
                    };
                    let Some(line) = line else { continue };
                    looked.extend(targets.into_iter().map(|target| target.path));
                    // Registering in a project is optional.
                    if line.state != RegistrationStatus::Absent || scope == Scope::User {
                        lines.push(line);
                    }
                }
                Err(why) if scope == Scope::User => {
                    lines.push(RegistrationState {
                        agent: agent.id,
                        state: RegistrationStatus::Unknown,
                        file: None,
                        remedy: why,
                        conflicts: Vec::new(),
                    });
                }
                Err(_) => {}
            }
        }
        let registered = |line: &RegistrationState| line.state.is_registered();
        let others = self.context.files(agent).into_iter().filter(|path| !looked.contains(path));
        let others: Vec<_> = others.filter(|path| calls_us(path, agent.id)).collect();
        if lines.iter().any(registered) && !others.is_empty()
            || lines.iter().filter(|line| registered(line)).count() > 1
        {
            let also = lines.iter().filter(|line| registered(line)).filter_map(|line| line.file.clone()).skip(1);
            for file in also.chain(others).collect::<Vec<_>>() {
                lines.retain(|line| line.file.as_ref() != Some(&file));
                let remedy = "every call is judged twice; remove one of the two registrations".to_owned();
                lines.push(RegistrationState {
                    agent: agent.id,
                    state: RegistrationStatus::Shadowed,
                    file: Some(file),
                    remedy,
                    conflicts: Vec::new(),
                });
            }
        } else if let Some(file) = others.into_iter().next() {
            lines.retain(|line| line.state != RegistrationStatus::Absent);
            let (state, remedy) = match off.first() {
                Some(off) => (RegistrationStatus::SwitchedOff, off.remedy()),
                None if is_managed(self.context, agent, &file) => (RegistrationStatus::Managed, String::new()),
                None => (RegistrationStatus::Edited, "added manually; snaphook install cannot update it".to_owned()),
            };
            lines.push(RegistrationState { agent: agent.id, state, file: Some(file), remedy, conflicts: Vec::new() });
        }
        // A message of this agent is refused there.
        for (file, other) in agent.registration.also_runs {
            let Some(path) = self.context.path(agent, file).filter(|path| calls_us(path, other)) else { continue };
            lines.push(RegistrationState {
                agent: agent.id,
                state: RegistrationStatus::Shadowed,
                file: Some(path),
                remedy: format!(
                    "{} runs this hook of {other} too, which refuses its calls; register {other} in your own settings instead",
                    agent.name
                ),
                conflicts: Vec::new(),
            });
        }
        if let Some(line) = lines.iter_mut().find(|line| registered(line)) {
            let ours: Vec<PathBuf> = line.file.iter().cloned().collect();
            let shown = |conflict: ConflictingHook| {
                format!("{} in {}", conflict.place, self.context.places.shown(&conflict.file))
            };
            line.conflicts = in_other_files(self.context, agent, &ours).into_iter().map(shown).collect();
        }
        lines
    }

    fn state_of_target(
        &self,
        target: &RegistrationTarget,
        scope: Scope,
        off: Option<&DisablingSetting>,
    ) -> RegistrationState {
        let agent = target.agent.id;
        let again = || self.command("install", target.agent, scope);
        let (state, remedy) = match self.comparison(target) {
            Err(why) => (RegistrationStatus::Unknown, why),
            Ok(comparison) if comparison.is_absent() => (RegistrationStatus::Absent, again()),
            Ok(comparison) if !comparison.taken().is_empty() => {
                (RegistrationStatus::Taken, format!("{}; then run {}", take_away(&comparison.taken()), again()))
            }
            Ok(comparison) => match (off, comparison.rejected(), comparison.places_of_others().as_slice()) {
                (Some(off), ..) => (RegistrationStatus::SwitchedOff, off.remedy()),
                (None, Some(why), _) => (RegistrationStatus::SwitchedOff, format!("{why}, then run {}", again())),
                (None, None, places) if self.waits(target) && (comparison.is_current() || !places.is_empty()) => {
                    (RegistrationStatus::WaitingForYou, target.agent.registration.trust.to_owned())
                }
                (None, None, places @ [_, ..]) => (
                    RegistrationStatus::Edited,
                    format!("remove {} and run {}, or keep it", places.join(", "), again()),
                ),
                (None, None, []) if !comparison.is_current() => {
                    (RegistrationStatus::Stale, stale(&comparison, &again()))
                }
                (None, None, []) => (RegistrationStatus::Current, String::new()),
            },
        };
        RegistrationState { agent, state, file: Some(target.path.clone()), remedy, conflicts: Vec::new() }
    }

    /// A command about the registration of an agent, for a person to copy, with the options of this check.
    pub(crate) fn command(&self, verb: &str, agent: &Agent, scope: Scope) -> String {
        let project = if scope == Scope::Project { " --project" } else { "" };
        let version = match self.version {
            Version::Named(version) => format!(" --agent-version {}", guard::word(version)),
            Version::Asked | Version::Any => String::new(),
        };
        let policies = self.names.named_policies().map(PathBuf::from).collect::<Vec<_>>();
        let policies = policy_options(&policies, &self.context.places);
        format!("snaphook {verb} {}{project}{version}{policies}", agent.id)
    }

    fn comparison(&self, target: &RegistrationTarget) -> Result<Comparison, String> {
        let document = Document::parse(target.format, &text(&target.path)?).map_err(|fault| fault.to_string())?;
        let record = self.records.of(target.agent.id, &target.path);
        let paths = self.names.at(self.context, self.records, target.agent, &target.path, target.scope);
        Comparison::at(&document, target, &paths, record).map_err(|fault| fault.to_string())
    }

    fn waits(&self, target: &RegistrationTarget) -> bool {
        let found = text(&target.path).ok().and_then(|text| approval::approvals(self.context, target, &text).ok());
        approval::waits(&found.unwrap_or_default(), self.records.of(target.agent.id, &target.path))
    }
}

/// Returns true if a file is one of the managed settings of an agent.
fn is_managed(context: &SetupContext, agent: &Agent, path: &Path) -> bool {
    let managed = agent.registration.files.iter().filter(|file| file.is_managed());
    managed.filter_map(|file| context.path(agent, file.path)).flat_map(|file| expand(&file)).any(|file| file == path)
}

/// The remedy if other entries have the names of ours.
pub(crate) fn take_away(taken: &[String]) -> String {
    format!("rename or remove {}, which does not call snaphook", taken.join(", "))
}

/// The remedy if entries are outdated.
fn stale(comparison: &Comparison, again: &str) -> String {
    match &comparison.followed {
        Some(place) => {
            format!("{place} runs after snaphook and could undo its changes; {again} moves snaphook to the end")
        }
        None => again.to_owned(),
    }
}

fn text(path: &Path) -> Result<String, String> {
    let bytes = files::read(path).map_err(|error| error.to_string())?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
