//! Finds the state of each agent's registration, for `status`, `doctor` and `try`.

use std::path::{Path, PathBuf};

use serde::Serialize;
use snaphook_adapters::protocol::Agent;

use super::approval;
use super::edit::Document;
use super::look::Look;
use super::names::Names;
use super::off::{Off, switches};
use super::ours::calls_us;
use super::record::Records;
use super::rivals::{Rival, elsewhere};
use super::target::{Ground, Scope, Target, Version};
use crate::files;

/// Holds the state of one file of an agent.
#[derive(Debug, Serialize)]
pub(crate) struct Standing {
    pub(crate) agent: &'static str,
    pub(crate) state: Word,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<PathBuf>,
    /// The remedy; empty: nothing is to be done.
    pub(crate) remedy: String,
    /// The places where another program could change a call after us.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rivals: Vec<String>,
}

/// The best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Word {
    Current,
    WaitingForYou,
    /// Entries of an earlier form, or of a program that is elsewhere now.
    Stale,
    Edited,
    /// The agent calls no hook, or rejects the file.
    SwitchedOff,
    /// Another copy would run too.
    Shadowed,
    /// Another entry has the place of one of ours.
    Taken,
    Absent,
    /// The state cannot be found.
    Unknown,
}

impl Word {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::Edited => "edited by you",
            Self::WaitingForYou => "waiting for your approval",
            Self::Absent => "absent",
            Self::Shadowed => "shadowed",
            Self::Taken => "taken by something else",
            Self::SwitchedOff => "switched off",
            Self::Unknown => "unknown",
        }
    }

    /// Returns true if the agent calls us, in whatever form.
    pub(crate) fn calls_us(self) -> bool {
        self.is_registered() && !matches!(self, Self::WaitingForYou | Self::SwitchedOff)
    }

    fn is_registered(self) -> bool {
        !matches!(self, Self::Absent | Self::Taken | Self::Unknown)
    }
}

/// Holds everything that the state is found from.
pub(crate) struct Bench<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) names: &'a Names,
    pub(crate) records: &'a Records,
    pub(crate) version: Version<'a>,
}

impl Bench<'_> {
    /// The state of each file of an agent that calls us, or should.
    pub(crate) fn standings(&self, agent: &'static Agent) -> Vec<Standing> {
        let mut lines = Vec::new();
        let mut looked: Vec<PathBuf> = Vec::new();
        let off = switches(self.ground, agent);
        for scope in [Scope::User, Scope::Project] {
            match self.ground.targets(agent, scope, self.version) {
                Ok(targets) => {
                    let new = targets.iter().filter(|target| !looked.contains(&target.path));
                    let lines_of = new.map(|target| self.standing(target, off.first()));
                    // Of several blocks that it may be, the one that fits best.
                    let Some(line) = lines_of.min_by_key(|line| line.state) else { continue };
                    looked.extend(targets.into_iter().map(|target| target.path));
                    // A project's registration is a choice, so its absence is no fault.
                    if line.state != Word::Absent || scope == Scope::User {
                        lines.push(line);
                    }
                }
                Err(why) if scope == Scope::User => {
                    lines.push(Standing {
                        agent: agent.id,
                        state: Word::Unknown,
                        file: None,
                        remedy: why,
                        rivals: Vec::new(),
                    });
                }
                Err(_) => {}
            }
        }
        let registered = |line: &Standing| line.state.is_registered();
        let others = self.ground.files(agent).into_iter().filter(|path| !looked.contains(path));
        let others: Vec<_> = others.filter(|path| calls_us(path, agent.id)).collect();
        if lines.iter().any(registered) && !others.is_empty()
            || lines.iter().filter(|line| registered(line)).count() > 1
        {
            let also = lines.iter().filter(|line| registered(line)).filter_map(|line| line.file.clone()).skip(1);
            for file in also.chain(others).collect::<Vec<_>>() {
                lines.retain(|line| line.file.as_ref() != Some(&file));
                let remedy = "every call is judged twice; take one of the two out".to_owned();
                lines.push(Standing {
                    agent: agent.id,
                    state: Word::Shadowed,
                    file: Some(file),
                    remedy,
                    rivals: Vec::new(),
                });
            }
        } else if let Some(file) = others.into_iter().next() {
            lines.retain(|line| line.state != Word::Absent);
            let (state, remedy) = match off.first() {
                Some(off) => (Word::SwitchedOff, off.remedy()),
                None => (Word::Edited, "put there by hand; snaphook install cannot keep it up to date".to_owned()),
            };
            lines.push(Standing { agent: agent.id, state, file: Some(file), remedy, rivals: Vec::new() });
        }
        if let Some(line) = lines.iter_mut().find(|line| registered(line)) {
            let ours: Vec<PathBuf> = line.file.iter().cloned().collect();
            let shown = |rival: Rival| format!("{} in {}", rival.place, self.ground.places.shown(&rival.file));
            line.rivals = elsewhere(self.ground, agent, &ours).into_iter().map(shown).collect();
        }
        lines
    }

    fn standing(&self, target: &Target, off: Option<&Off>) -> Standing {
        let agent = target.agent.id;
        let again = || format!("snaphook install {agent}");
        let (state, remedy) = match self.look(target) {
            Err(why) => (Word::Unknown, why),
            Ok(look) if look.is_absent() => (Word::Absent, again()),
            Ok(look) if !look.taken().is_empty() => {
                (Word::Taken, format!("{}; then run snaphook install {agent}", take_away(&look.taken())))
            }
            Ok(look) => match (off, look.rejected(), look.places_of_others().as_slice()) {
                (Some(off), ..) => (Word::SwitchedOff, off.remedy()),
                (None, Some(why), _) => (Word::SwitchedOff, why),
                (None, None, places @ [_, ..]) => {
                    (Word::Edited, format!("remove {} and run snaphook install {agent}, or keep it", places.join(", ")))
                }
                (None, None, []) if !look.is_current() => (Word::Stale, stale(&look, &again())),
                (None, None, []) if self.waits(target) => {
                    (Word::WaitingForYou, target.agent.registration.trust.to_owned())
                }
                (None, None, []) => (Word::Current, String::new()),
            },
        };
        Standing { agent, state, file: Some(target.path.clone()), remedy, rivals: Vec::new() }
    }

    fn look(&self, target: &Target) -> Result<Look, String> {
        let document = Document::parse(target.format, &text(&target.path)?).map_err(|fault| fault.to_string())?;
        let record = self.records.of(target.agent.id, &target.path);
        let paths = self.names.at(self.ground, self.records, target.agent, &target.path);
        Look::at(&document, target, &paths, record).map_err(|fault| fault.to_string())
    }

    fn waits(&self, target: &Target) -> bool {
        let notes = text(&target.path).ok().and_then(|text| approval::notes(self.ground, target, &text).ok());
        approval::waits(&notes.unwrap_or_default(), self.records.of(target.agent.id, &target.path))
    }
}

/// The remedy if other entries have the place of ours.
pub(crate) fn take_away(taken: &[String]) -> String {
    format!("rename or remove {}, which does not call snaphook", taken.join(", "))
}

/// The remedy if entries are not as they should be.
fn stale(look: &Look, again: &str) -> String {
    match &look.followed {
        Some(place) => {
            format!("{place} comes after ours, so that its change of a call would win; {again} puts ours last")
        }
        None => again.to_owned(),
    }
}

fn text(path: &Path) -> Result<String, String> {
    let bytes = files::read(path).map_err(|error| error.to_string())?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
