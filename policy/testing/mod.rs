//! A machine and the calls of an agent for tests.

mod invented;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::prelude::*;
use snaphook_adapters::model::HookEvent;
use snaphook_adapters::protocol::{Agent, Holds, HookProtocol, ListedName};
use snaphook_adapters::registry::Registry;

pub(crate) use self::invented::{call, registry, shell};
use crate::{
    AgentEvent, AgentFile, AgentFileRole, ArgumentSlot, Files, FolderEntry, Folders, Lookup, Machine, MovedFile,
    OwnFiles, PolicyCall, Vocabulary,
};

/// The names of the invented agent.
pub(crate) struct InventedTools;

impl Vocabulary for InventedTools {
    fn agents(&self) -> Vec<&str> {
        vec!["invented"]
    }

    fn events(&self, _: &str) -> Vec<AgentEvent<'_>> {
        Vec::new()
    }

    fn slot(&self, argument: &str) -> Option<ArgumentSlot> {
        match argument {
            "command" => Some(ArgumentSlot::Command),
            "path" => Some(ArgumentSlot::ReadPath),
            "urls" => Some(ArgumentSlot::Url),
            _ => None,
        }
    }
}

/// A machine with the files of this one.
#[derive(Debug, Clone)]
pub(crate) struct TestMachine {
    pub(crate) home: Option<PathBuf>,
    pub(crate) temps: Vec<String>,
    pub(crate) program: Option<PathBuf>,
    pub(crate) agents: Vec<&'static Agent>,
    pub(crate) own: OnceLock<OwnFiles>,
}

impl Default for TestMachine {
    fn default() -> Self {
        let agents = registry().iter().map(HookProtocol::agent).collect();
        let program = Some("/opt/bin/snaphook".into());
        Self { home: Some("/h/u".into()), temps: Vec::new(), program, agents, own: OnceLock::new() }
    }
}

impl TestMachine {
    /// The machine of a user for whom the standard agents are registered.
    pub(crate) fn of_user(home: &Path) -> Self {
        let agents = Registry::standard().iter().map(HookProtocol::agent).collect();
        Self { home: Some(home.to_owned()), program: None, agents, ..Self::default() }
    }

    /// A machine for one test.
    pub(crate) fn with(home: Option<&Path>, temps: &[&str]) -> &'static Self {
        let temps = temps.iter().map(|&temp| temp.to_owned()).collect();
        Box::leak(Box::new(Self { home: home.map(Path::to_owned), temps, ..Self::default() }))
    }
}

impl Files for TestMachine {
    fn link(&self, path: &str) -> Lookup {
        match std::fs::read_link(path) {
            Ok(target) => Lookup::Link(target.to_string_lossy().into_owned()),
            Err(error) if error.kind() == ErrorKind::InvalidInput => Lookup::NotALink,
            Err(_) => Lookup::Absent,
        }
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        path.metadata().ok().map(|found| found.len())
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        match path.metadata()? {
            found if found.is_file() && found.len() <= 1 << 20 => std::fs::read_to_string(path),
            _ => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn entries(&self, folder: &Path) -> Option<Box<dyn Iterator<Item = FolderEntry>>> {
        let is_listed = !folder.ends_with("closed");
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        is_listed.then(|| -> Box<dyn Iterator<Item = FolderEntry>> {
            Box::new(entries.map(|entry| {
                let kind = entry.file_type().unwrap();
                FolderEntry::new(entry.path(), kind.is_dir() || kind.is_symlink())
            }))
        })
    }
}

impl Machine for TestMachine {
    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    // The folders of most tests are invented.
    fn is_gone(&self, folder: &Path) -> bool {
        folder.ends_with("gone")
    }

    fn temps(&self) -> &[String] {
        &self.temps
    }

    fn exports(&self, _: &str) -> bool {
        false
    }

    fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    fn own_files(&self) -> &OwnFiles {
        let below_home = |path: &str| self.home.as_ref().map(|home| home.join(path));
        self.own.get_or_init(|| {
            OwnFiles::new(below_home(".config/snaphook/snaphook.toml").into_iter().collect())
                .others(self.program.iter().cloned().chain(below_home(".local/state/snaphook/trust.toml")).collect())
                .state(below_home(".local/state/snaphook"))
                .shared(below_home(".local/state").into_iter().collect())
        })
    }

    fn agents(&self) -> usize {
        self.agents.len()
    }

    fn agent_files(&self, agent: usize) -> Box<dyn Iterator<Item = AgentFile> + '_> {
        let registration = &self.agents[agent].registration;
        let files = registration.files.iter().map(|file| {
            let role = if file.holds == Holds::Hooks { AgentFileRole::Hooks } else { AgentFileRole::Settings };
            AgentFile::new(file.path, role)
        });
        Box::new(files.chain(registration.runs.iter().map(|path| AgentFile::new(path, AgentFileRole::Runs))))
    }

    fn moved(&self, _: usize) -> &[MovedFile] {
        &[]
    }

    fn lists_name(&self, name: ListedName<'_>) -> bool {
        self.agents.iter().any(|agent| agent.lists_path_name(name))
    }

    fn agent_lists_name(&self, agent: usize, name: ListedName<'_>) -> bool {
        self.agents[agent].lists_path_name(name)
    }
}

/// What the rules see of the call of an event.
pub(crate) fn seen(event: &HookEvent) -> PolicyCall<'_> {
    let call = event.call().unwrap();
    PolicyCall {
        agent: event.agent.id,
        tool: &call.name,
        input: &call.input,
        actions: &call.actions,
        suggested_actions: &call.suggested_actions,
        skill: call.skill.as_ref(),
        keys: event.agent.keys,
        null_keeps_earlier_value: event.agent.null_keeps_earlier_value,
    }
}

/// The folders of an event.
pub(crate) fn folders(event: &HookEvent) -> Folders<'_> {
    Folders::new(event.project.as_deref(), event.cwd.as_deref(), event.process.as_deref())
}

/// Generates patterns of rules over files, with every anchor.
pub(crate) fn file_patterns() -> impl Strategy<Value = String> {
    let anchor = prop::sample::select(&["", "", "/", "./", "~/", "//", "//w/", "//w/app/", "**/", "/**/", "~/**/"]);
    let step =
        prop_oneof![3 => "[ab]{1,2}", 1 => "[ab*?]{1,2}", 1 => Just("[ab]".to_owned()), 2 => Just("**".to_owned())];
    let steps = prop::collection::vec(step, 1..4);
    (anchor, steps).prop_map(|(anchor, steps)| format!("{anchor}{}", steps.join("/")))
}
