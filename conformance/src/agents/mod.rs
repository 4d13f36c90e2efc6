//! The agents that can be driven: how each is had, configured and started.
//!
//! What is registered is never written here; that is what `snaphook install` is for.

mod claude_code;
mod codex;
mod docker_agent;
mod hygge;
mod picoclaw;

use std::collections::BTreeMap;
use std::time::Duration;

/// One agent, as data and two functions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Driver {
    /// The id that snaphook has for it.
    pub(crate) id: &'static str,
    /// Its program's name.
    pub(crate) program: &'static str,
    /// The npm package, and the version that was driven; absent: it is in no package registry.
    pub(crate) package: Option<(&'static str, &'static str)>,
    /// The version that a double plays; absent: its program can be had everywhere.
    pub(crate) double: Option<&'static str>,
    /// Whether it can be given an MCP server here.
    pub(crate) mcp: bool,
    /// Whether it starts sub-agents as it is set here.
    pub(crate) sub_agents: bool,
    /// The first version whose skills can hold shell lines; absent: it has no such skills.
    pub(crate) skills: Option<&'static str>,
    /// The settings file, below the home folder, in which every program registers its hooks as JSON.
    pub(crate) hooks: Option<&'static str>,
    /// The files, below the home folder, that `snaphook install` or a person registers in.
    pub(crate) registered: &'static [&'static str],
    /// The longest time the agent waits for a hook before a tool, as it is registered.
    pub(crate) patience: Duration,
    /// Whether its program carries JSON schemas of hook answers.
    pub(crate) schemas: bool,
    /// What it needs beside hooks: files, variables, the command line.
    pub(crate) setting: fn(&Wish) -> Setting,
}

/// What a run wants of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) version: String,
    /// Whether the agent asks by itself before it does something.
    pub(crate) approvals: bool,
    /// Set where a hook of another program approves everything.
    pub(crate) rival: bool,
    /// Whether an MCP server is there.
    pub(crate) mcp: bool,
    pub(crate) prompt: &'static str,
}

/// How an agent is set for a run.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    /// Path in the space, and text. `snaphook install` adds to them.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) argv: Vec<String>,
    /// Whether the prompt is typed into a terminal.
    pub(crate) terminal: bool,
    /// Where our block is pasted, for an agent with no file of its own for hooks.
    pub(crate) paste: Option<Paste>,
    /// How long a run may take.
    pub(crate) limit: Duration,
}

/// Where our block is pasted: at the end of a file.
#[derive(Debug, Clone)]
pub(crate) struct Paste {
    pub(crate) path: String,
    pub(crate) indent: usize,
    /// A line of the block, and what somebody else has below it.
    pub(crate) rival: Option<(&'static str, &'static str)>,
}

impl Setting {
    fn new(limit: Duration) -> Self {
        let (files, env, argv) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { files, env, argv, terminal: false, paste: None, limit }
    }

    fn file(mut self, path: &str, text: impl Into<String>) -> Self {
        self.files.push((format!("{}/{path}", crate::space::HOME), text.into()));
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
pub(crate) const ALL: &[Driver] =
    &[hygge::DRIVER, picoclaw::DRIVER, claude_code::DRIVER, codex::DRIVER, docker_agent::DRIVER];

/// The one with this id.
pub(crate) fn find(id: &str) -> Option<&'static Driver> {
    ALL.iter().find(|driver| driver.id == id)
}
