//! Finds the file of an agent for our entries, and the block to write to it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use snaphook_adapters::protocol::{Agent, Block, Host};
use snaphook_policy::{resolve, within};

use super::edit::{Document, Format};
use super::run::run;
use crate::files;
use crate::policy::{LocalFiles, Places, on_path};

/// The scope of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of the user's work.
    User,
    /// One project.
    Project,
}

/// How the version of an agent is determined, if its files depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Version<'a> {
    /// The user named it.
    Named(&'a str),
    /// By running the agent's program.
    Asked,
    /// It is not determined: every version is possible.
    Any,
}

impl<'a> Version<'a> {
    /// The version that the user named, or else the one that the program prints.
    pub(crate) fn or_asked(named: Option<&'a str>) -> Self {
        named.map_or(Self::Asked, Self::Named)
    }

    fn of(self, agent: &Agent) -> Result<Option<String>, String> {
        match self {
            Self::Named(version) => Ok(Some(version.to_owned())),
            Self::Asked => installed_version(agent).map(Some),
            Self::Any => Ok(None),
        }
    }
}

/// The folders in which the files of agents are found.
#[derive(Debug, Clone)]
pub(crate) struct SetupContext {
    pub(crate) places: Places,
    pub(crate) cwd: PathBuf,
}

/// The block to register, and its file.
#[derive(Debug)]
pub(crate) struct RegistrationTarget {
    pub(crate) agent: &'static Agent,
    pub(crate) block: &'static Block,
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// The agent's version, if it was needed.
    version: Option<String>,
}

impl RegistrationTarget {
    /// Returns true if a host has the version that is registered here.
    pub(crate) fn is_for(&self, host: &Host) -> bool {
        self.version.as_ref().map_or_else(|| self.block.is_for(host), |version| host.fits(version))
    }
}

impl SetupContext {
    /// Reads the environment.
    pub(crate) fn from_environment() -> std::io::Result<Self> {
        Ok(Self { places: Places::from_environment(), cwd: std::env::current_dir()? })
    }

    /// Resolves a path of an agent's table: `~/…`, absolute, or relative to this project.
    pub(crate) fn path(&self, agent: &Agent, path: &str) -> Option<PathBuf> {
        if path.is_empty() {
            return None;
        }
        self.places.moved(agent, path).or_else(|| match path.strip_prefix("~/") {
            Some(rest) => self.places.home.as_ref().map(|home| home.join(rest)),
            None => Some(self.cwd.join(path)),
        })
    }

    /// The files of an agent that may contain hooks. A final `*` stands for every file of a folder.
    pub(crate) fn files(&self, agent: &Agent) -> Vec<PathBuf> {
        let paths = agent.registration.files.iter().filter_map(|file| self.path(agent, file.path));
        let mut files: Vec<_> = paths.flat_map(|path| expand(&path)).collect();
        files.dedup();
        files
    }

    /// The scope of a file that may contain hooks of an agent.
    pub(crate) fn scope_of(&self, agent: &Agent, path: &Path) -> Scope {
        let mut of_project = agent.registration.files.iter().filter(|file| file.is_of_project());
        let is_here = |file: PathBuf| expand(&file).iter().any(|file| file == path);
        let is_of_project = of_project.any(|file| self.path(agent, file.path).is_some_and(is_here));
        if is_of_project { Scope::Project } else { Scope::User }
    }

    /// Refuses a path that leads out of the project through a link. With such a link, the author of a project could have
    /// any file of the user changed.
    pub(crate) fn of_project(&self, path: &Path) -> Result<(), String> {
        let resolved = |path: &Path| resolve(&path.to_string_lossy(), &LocalFiles);
        let (lies, project) = (resolved(path), resolved(&self.cwd));
        if within(&lies, &project) {
            return Ok(());
        }
        Err(format!(
            "{}: this link leads out of the project, to {lies}; remove the link, or run this in its target folder",
            path.display()
        ))
    }

    /// Returns true if an agent is installed: its program is on PATH, or its folder exists.
    pub(crate) fn has(&self, agent: &Agent) -> bool {
        let registration = &agent.registration;
        on_path(registration.program, |_| true).is_some()
            || self.path(agent, registration.folder).is_some_and(|folder| folder.is_dir())
    }

    /// Finds the blocks to write, each with its file. An agent has several if each event has a separate file.
    pub(crate) fn written(
        &self,
        agent: &'static Agent,
        scope: Scope,
        version: Version<'_>,
    ) -> Result<Vec<RegistrationTarget>, String> {
        let mut targets = self.targets(agent, scope, version)?;
        if targets.is_empty() {
            return Err("snaphook does not know how to register hooks with this agent".to_owned());
        }
        targets.truncate(if agent.registration.takes_every_block() { usize::MAX } else { 1 });
        Ok(targets)
    }

    /// Finds every possible block, each with its file.
    pub(crate) fn targets(
        &self,
        agent: &'static Agent,
        scope: Scope,
        version: Version<'_>,
    ) -> Result<Vec<RegistrationTarget>, String> {
        let blocks = agent.registration.blocks;
        if agent.registration.takes_every_block() || blocks.len() == 1 {
            return blocks.iter().map(|block| self.of_block(agent, scope, block, None)).collect();
        }
        if blocks.iter().any(|block| block.mark.is_some()) {
            return Ok(vec![self.of_block(agent, scope, self.marked(agent, version)?, None)?]);
        }
        let Some(version) = version.of(agent)? else {
            return Ok(blocks.iter().filter_map(|block| self.of_block(agent, scope, block, None).ok()).collect());
        };
        let found = blocks.iter().find(|block| block.fits(&version));
        let block = found.ok_or_else(|| format!("snaphook does not know the hooks of version {version}"))?;
        Ok(vec![self.of_block(agent, scope, block, Some(version))?])
    }

    fn of_block(
        &self,
        agent: &'static Agent,
        scope: Scope,
        block: &'static Block,
        version: Option<String>,
    ) -> Result<RegistrationTarget, String> {
        let file = match scope {
            Scope::User => block.file,
            Scope::Project if block.project.is_empty() => return Err("this agent has no project hooks".to_owned()),
            Scope::Project => block.project,
        };
        if file.contains(' ') {
            let id = agent.id;
            let versions = block.versions;
            return Err(format!(
                "{versions}: the file with the hooks is unknown; paste the entries into {file}: snaphook agents {id} --snippet"
            ));
        }
        let path = self.path(agent, file).ok_or("there is no home folder; set HOME")?;
        if scope == Scope::Project {
            self.of_project(&path)?;
        }
        Ok(RegistrationTarget { agent, block, scope, path, format: Format::of(file), version })
    }

    /// The block for the format version in the file. A missing file gets the block of the agent's version, or else the
    /// newest one.
    fn marked(&self, agent: &'static Agent, version: Version<'_>) -> Result<&'static Block, String> {
        let blocks = agent.registration.blocks;
        let newest = blocks.last().ok_or("snaphook does not know how to register hooks with this agent")?;
        let path = self.path(agent, newest.file).ok_or("there is no home folder; set HOME")?;
        let shown = path.display();
        let bytes = files::read(&path).map_err(|error| format!("{shown}: {error}"))?;
        let (Some(bytes), Some((name, _))) = (bytes, newest.mark) else {
            let version = version.of(agent).ok().flatten();
            let fits = |block: &&Block| version.as_ref().is_some_and(|version| block.fits(version));
            return Ok(blocks.iter().find(fits).unwrap_or(newest));
        };
        let text = String::from_utf8(bytes).map_err(|_| format!("{shown}: not UTF-8"))?;
        let document = Document::parse(Format::of(newest.file), &text).map_err(|fault| format!("{shown}: {fault}"))?;
        let found = document.found(&[name.to_owned()], false).map_err(|fault| format!("{shown}: {fault}"))?;
        let Some(found) = found.first() else {
            return Err(format!(
                "{shown}: no `{name}`, so {} may remove the hooks; start it once so that it adds the member, then run this again",
                agent.name
            ));
        };
        let fits = |block: &&Block| block.mark.is_some_and(|(_, value)| found.as_u64() == Some(value));
        let known = || blocks.iter().filter_map(|block| block.mark).map(|(_, value)| value.to_string());
        blocks.iter().find(fits).ok_or_else(|| {
            let known = known().collect::<Vec<_>>().join(", ");
            format!("{shown}: unknown `{name}` {found}; expected {known}")
        })
    }
}

/// Asks the agent's program for its version.
pub(crate) fn installed_version(agent: &Agent) -> Result<String, String> {
    let registration = &agent.registration;
    let name = |problem: &str| format!("{problem}; give the version with --agent-version");
    let program = on_path(registration.program, |_| true).ok_or_else(|| name("its program is not on PATH"))?;
    // Asking for the version must not be reported to the vendor of the agent.
    let mut command = Command::new(&program);
    command.args(registration.version).env("TELEMETRY_ENABLED", "false").env("DO_NOT_TRACK", "1");
    let said = run(&mut command, "", Duration::from_secs(10))
        .map_err(|error| name(&format!("{} cannot be asked for its version: {error}", program.display())))?;
    version_in(&said.stdout)
        .or_else(|| version_in(&said.stderr))
        .ok_or_else(|| name(&format!("{} does not print its version", program.display())))
}

/// The first word that starts like `1.2` or `v1.2`.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
    words.map(|word| word.trim_start_matches('v')).find(|word| is_version(word)).map(str::to_owned)
}

fn is_version(word: &str) -> bool {
    let mut parts = word.split('.');
    let number = |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    number(parts.next()) && number(parts.next())
}

pub(crate) fn expand(path: &Path) -> Vec<PathBuf> {
    if path.file_name().is_none_or(|name| name != "*") {
        return vec![path.to_owned()];
    }
    let folder = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut files: Vec<_> = folder.into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    files
}
