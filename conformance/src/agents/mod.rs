//! The agents that can be driven: how each is obtained, configured and started.
//!
//! `snaphook install` registers the hooks, not this module.

mod claude_code;
mod cline;
mod codex;
mod copilot;
mod crush;
mod docker_agent;
mod droid;
mod gemini_cli;
mod hermes;
mod hygge;
mod kilo;
mod kimi;
mod mistral_vibe;
mod openclaw;
mod opencode;
mod openhands;
mod pi;
mod picoclaw;
mod qwen_code;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::scenarios::Capability;

/// One agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Driver {
    /// Its id in snaphook.
    pub(crate) id: &'static str,
    /// Its program's name.
    pub(crate) program: &'static str,
    /// The package and the version that is driven; absent: it is in no package registry.
    pub(crate) package: Option<Package>,
    /// The version that a double plays; absent: its program can always be installed.
    pub(crate) double: Option<&'static str>,
    /// Which of `Mcp`, `Approvals`, `SubAgents`, `Person` and `Questions` it has in this configuration.
    pub(crate) has: &'static [Capability],
    /// The first version whose skills can hold shell lines; absent: it has no such skills.
    pub(crate) skills: Option<&'static str>,
    /// The settings file, below the home folder, in which every program registers its hooks as JSON.
    pub(crate) hooks: Option<&'static str>,
    /// The files, below the home folder, that `snaphook install` or a person registers in.
    pub(crate) registered: &'static [&'static str],
    /// The registered time limit of a hook before a tool.
    pub(crate) hook_timeout: Duration,
    /// True if its program contains JSON schemas of hook answers.
    pub(crate) schemas: bool,
    /// Its configuration apart from the hooks: files, environment variables, the command line.
    pub(crate) setup: fn(&AgentOptions) -> AgentSetup,
}

/// A package of an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Package {
    /// An npm package: its name and version, and the other packages that it needs.
    Npm(&'static str, &'static str, &'static [&'static str]),
    /// A package of PyPI for Python 3.12: its name and version.
    Pip(&'static str, &'static str),
}

impl Package {
    /// The version of the agent.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Npm(_, version, _) | Self::Pip(_, version) => version,
        }
    }
}

/// The options of a run that affect the configuration of an agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentOptions {
    pub(crate) version: String,
    /// True if the agent asks for approval by itself.
    pub(crate) approvals: bool,
    /// True if a hook of another program approves everything.
    pub(crate) rival: bool,
    /// True if there is an MCP server.
    pub(crate) mcp: bool,
    /// The capability that the scenario needs.
    pub(crate) needs: Capability,
    pub(crate) prompt: &'static str,
}

impl AgentOptions {
    /// Returns true if a person answers questions in a terminal.
    pub(crate) fn person(&self) -> bool {
        self.needs == Capability::Person
    }
}

/// The configuration of an agent for a run.
#[derive(Debug, Clone)]
pub(crate) struct AgentSetup {
    /// Path in the container, and text. `snaphook install` adds to them.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) argv: Vec<String>,
    /// True if the prompt is typed into a terminal.
    pub(crate) terminal: bool,
    /// The text on the screen that shows that the agent accepts a prompt; empty if it does from the start.
    pub(crate) ready: &'static str,
    /// The keys that approve a question, and those that refuse it; most agents list *yes* first and *no* second.
    pub(crate) yes: &'static [&'static str],
    pub(crate) no: &'static [&'static str],
    /// Where our block is pasted, for an agent without a separate file for hooks.
    pub(crate) paste: Option<Paste>,
    /// The time limit of a run.
    pub(crate) limit: Duration,
}

/// A block that is pasted at the end of a file.
#[derive(Debug, Clone)]
pub(crate) struct Paste {
    pub(crate) path: String,
    pub(crate) indent: usize,
    /// A line of the block, and the lines of another program below it.
    pub(crate) rival: Option<(&'static str, &'static str)>,
}

impl AgentSetup {
    fn new(limit: Duration) -> Self {
        let (files, env, argv) = (Vec::new(), BTreeMap::new(), Vec::new());
        let (yes, no) = (&["Enter"], &["Down", "Enter"]);
        Self { files, env, argv, terminal: false, ready: "", yes, no, paste: None, limit }
    }

    fn file(mut self, path: &str, text: impl Into<String>) -> Self {
        self.files.push((format!("{}/{path}", crate::container::HOME), text.into()));
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    fn argv(mut self, argv: &[&str]) -> Self {
        self.argv.extend(argv.iter().map(|&word| word.to_owned()));
        self
    }
}

/// Every agent that can be driven, the slowest first.
pub(crate) const ALL: &[Driver] = &[
    openhands::DRIVER,
    hermes::DRIVER,
    openclaw::DRIVER,
    mistral_vibe::DRIVER,
    hygge::DRIVER,
    opencode::DRIVER,
    kilo::DRIVER,
    gemini_cli::DRIVER,
    copilot::DRIVER,
    cline::DRIVER,
    crush::DRIVER,
    qwen_code::DRIVER,
    droid::DRIVER,
    kimi::DRIVER,
    picoclaw::DRIVER,
    pi::DRIVER,
    claude_code::DRIVER,
    codex::DRIVER,
    docker_agent::DRIVER,
];

/// Returns the driver with this id.
pub(crate) fn find(id: &str) -> Option<&'static Driver> {
    ALL.iter().find(|driver| driver.id == id)
}
