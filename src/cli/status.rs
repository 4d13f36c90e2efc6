//! `snaphook status`: how each agent found here is registered.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use snaphook_adapters::protocol::{Agent, Setup};
use snaphook_adapters::registry::Registry;

use super::table::columns;
use super::{Failure, install, registered, visible};
use crate::files;
use crate::setup::approval;
use crate::setup::edit::{Document, parts};
use crate::setup::look::{Look, State, calls_us};
use crate::setup::record::Records;
use crate::setup::target::{Ground, Scope, Target};

#[derive(clap::Args)]
#[command(after_help = "Exit code: 0 when everything is current, else 1.")]
pub(crate) struct What {
    /// The agents; without one: those found here
    agents: Vec<String>,
    /// The version of the agent, instead of asking its program
    #[arg(long, value_name = "V")]
    agent_version: Option<String>,
    /// The policy that the entries should name; default: the user's own
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Says how it stands with one agent's file.
#[derive(Debug, Serialize)]
struct Line {
    agent: &'static str,
    state: Word,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    /// What is to be done; empty: nothing.
    remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Current,
    /// Of an earlier form, or of a program that lies elsewhere now.
    Stale,
    Edited,
    WaitingForYou,
    Absent,
    /// Another copy would run too.
    Shadowed,
    /// It cannot be told.
    Unknown,
}

impl Word {
    fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::Edited => "edited by you",
            Self::WaitingForYou => "waiting for your approval",
            Self::Absent => "absent",
            Self::Shadowed => "shadowed",
            Self::Unknown => "unknown",
        }
    }
}

pub(super) fn run(registry: &Registry, what: &What, out: &mut String) -> Result<ExitCode, Failure> {
    let ground = Ground::from_environment()?;
    let places = &ground.places;
    let setup = registered::what(what.policy.as_deref())?.setup;
    let records = install::records(places)?;
    let agents = install::chosen(registry, &what.agents, |agent| ground.has(agent))?;
    let bench = Bench { ground: &ground, setup: &setup, records: &records, version: what.agent_version.as_deref() };
    let lines: Vec<Line> = agents.into_iter().flat_map(|agent| bench.lines(agent)).collect();
    let current = lines.iter().all(|line| line.state == Word::Current);
    if what.json {
        out.push_str(&serde_json::to_string_pretty(&lines).map_err(Failure::from)?);
        out.push('\n');
    } else if lines.is_empty() {
        out.push_str("No agent was found here.\n");
    } else {
        let mut rows = vec![["agent", "state", "file", "what to do"].map(str::to_owned).to_vec()];
        rows.extend(lines.iter().map(|line| {
            let file = line.file.as_ref().map_or_else(|| "-".to_owned(), |file| places.shown(file));
            vec![line.agent.to_owned(), line.state.word().to_owned(), file, line.remedy.clone()]
        }));
        out.push_str(&visible(&columns(&rows, "")));
    }
    Ok(if current { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

struct Bench<'a> {
    ground: &'a Ground,
    setup: &'a Setup,
    records: &'a Records,
    version: Option<&'a str>,
}

impl Bench<'_> {
    fn lines(&self, agent: &'static Agent) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut looked: Vec<PathBuf> = Vec::new();
        for scope in [Scope::User, Scope::Project] {
            match self.ground.target(agent, scope, self.version) {
                Ok(target) if looked.contains(&target.path) => {}
                Ok(target) => {
                    let line = self.line(&target);
                    looked.push(target.path);
                    // A project's registration is a choice, so its absence is no fault.
                    if line.state != Word::Absent || scope == Scope::User {
                        lines.push(line);
                    }
                }
                Err(why) if scope == Scope::User => {
                    lines.push(Line { agent: agent.id, state: Word::Unknown, file: None, remedy: why });
                }
                Err(_) => {}
            }
        }
        let registered = |line: &Line| !matches!(line.state, Word::Absent | Word::Unknown);
        let others = self.ground.files(agent).into_iter().filter(|path| !looked.contains(path));
        let others: Vec<_> = others.filter(|path| calls_us(path, agent.id)).collect();
        if lines.iter().any(registered) && !others.is_empty()
            || lines.iter().filter(|line| registered(line)).count() > 1
        {
            let also = lines.iter().filter(|line| registered(line)).filter_map(|line| line.file.clone()).skip(1);
            for file in also.chain(others).collect::<Vec<_>>() {
                lines.retain(|line| line.file.as_ref() != Some(&file));
                let remedy = "every call is judged twice; take one of the two out".to_owned();
                lines.push(Line { agent: agent.id, state: Word::Shadowed, file: Some(file), remedy });
            }
        } else if let Some(file) = others.into_iter().next() {
            lines.retain(|line| line.state != Word::Absent);
            let remedy = "put there by hand; snaphook install cannot keep it up to date".to_owned();
            lines.push(Line { agent: agent.id, state: Word::Edited, file: Some(file), remedy });
        }
        lines
    }

    fn line(&self, target: &Target) -> Line {
        let agent = target.agent.id;
        let (state, remedy) = match self.look(target) {
            Err(why) => (Word::Unknown, why),
            Ok(look) if look.is_absent() => (Word::Absent, format!("snaphook install {agent}")),
            Ok(look) if look.wanted.iter().any(|(_, state)| *state == State::Edited) || !look.foreign.is_empty() => {
                let places: Vec<_> = look.foreign.iter().map(|place| place.entry.at.join(".")).collect();
                (Word::Edited, format!("remove {} and run snaphook install {agent}, or keep it", places.join(", ")))
            }
            Ok(look) if !look.is_current() => (Word::Stale, format!("snaphook install {agent}")),
            Ok(_) if self.waits(target) => (Word::WaitingForYou, target.agent.registration.trust.to_owned()),
            Ok(_) => (Word::Current, String::new()),
        };
        Line { agent, state, file: Some(target.path.clone()), remedy }
    }

    fn look(&self, target: &Target) -> Result<Look, String> {
        let text = text(&target.path)?;
        let document = Document::parse(target.format, &text).map_err(|fault| fault.to_string())?;
        let wanted = parts(target.format, &(target.block.text)(self.setup)).map_err(|fault| fault.to_string())?;
        let record = self.records.of(target.agent.id, &target.path);
        Look::at(&document, target.agent.id, wanted, record).map_err(|fault| fault.to_string())
    }

    fn waits(&self, target: &Target) -> bool {
        let notes = text(&target.path).ok().and_then(|text| approval::notes(self.ground, target, &text).ok());
        approval::waits(&notes.unwrap_or_default(), self.records.of(target.agent.id, &target.path))
    }
}

fn text(path: &Path) -> Result<String, String> {
    let bytes = files::read(path).map_err(|error| error.to_string())?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
