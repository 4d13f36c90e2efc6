//! One run of one scenario: installs snaphook for an agent, starts the agent and collects the outcome.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, iter};

use serde_json::{Value, json};

use crate::agents::{AgentOptions, AgentSetup, Driver};
use crate::container::{Container, HOME, Hook, PROJECT};
use crate::double;
use crate::inside::{PersonAnswer, Run};
use crate::model::Step;
use crate::outcome::RunOutcome;
use crate::powers::Powers;
use crate::relay::Mode;
use crate::scenarios::{BREAKOUT, Capability, InjectedFault, PASS, PROBE, Scenario};

/// A program of an agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentProgram {
    pub(crate) driver: &'static Driver,
    /// The program, or the folder that npm installed into.
    pub(crate) path: PathBuf,
    pub(crate) version: String,
    /// True if this is a double.
    pub(crate) double: bool,
}

/// The reason why a run did not take place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Undriven {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("snaphook install {agent} failed: {said}")]
    Install { agent: &'static str, said: String },
    #[error("the adapter knows no host for version {0}")]
    Version(String),
    #[error("the agent never asked the model for a tool call: {0}")]
    Silent(String),
}

/// The programs and folders that all runs share.
#[derive(Debug)]
pub(crate) struct Harness {
    /// Copies of snaphook and of this program, so that a new build does not affect a run.
    snaphook: PathBuf,
    pub(crate) own: PathBuf,
    /// Installed agents, runs and results.
    pub(crate) folder: PathBuf,
    /// The folder of the copies.
    bin: PathBuf,
    /// The root of the workspace.
    pub(crate) root: PathBuf,
}

impl Drop for Harness {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.bin));
    }
}

impl Harness {
    /// Uses the snaphook that the user named, or builds it.
    pub(crate) fn new(snaphook: Option<PathBuf>) -> io::Result<Self> {
        let root = root();
        let snaphook = snaphook.map_or_else(|| built(&root), Ok)?;
        let folder = root.join("target/conformance");
        let bin = folder.join("bin").join(std::process::id().to_string());
        fs::create_dir_all(&bin)?;
        let copy = |from: PathBuf, name: &str| fs::copy(from, bin.join(name)).map(|_| bin.join(name));
        Ok(Self {
            snaphook: copy(snaphook, "snaphook")?,
            own: copy(std::env::current_exe()?, "conformance")?,
            bin,
            root,
            folder,
        })
    }

    /// The fixtures of an agent.
    pub(crate) fn fixtures(&self, agent: &str) -> PathBuf {
        self.root.join("adapters").join(agent.replace('-', "_")).join("fixtures")
    }

    /// Runs a scenario. With `mode`, a relay runs between the agent and snaphook.
    pub(crate) fn run(
        &self,
        program: &AgentProgram,
        scenario: &Scenario,
        mode: Option<Mode>,
    ) -> Result<(Powers, RunOutcome), Undriven> {
        let driver = program.driver;
        let powers =
            Powers::of(driver.id, &program.version).ok_or_else(|| Undriven::Version(program.version.clone()))?;
        let folder = self
            .folder
            .join("runs")
            .join(format!("{}-{}", driver.id, program.version))
            .join(scenario.name.replace(' ', "-"));
        let container = Container::new(&folder, driver.program, &program.path, &self.own)?;
        // If nothing is judged, the script contains every kind of call that hooks see.
        let whole = scenario.name == PASS.name;
        let options = AgentOptions {
            version: program.version.clone(),
            approvals: scenario.approvals,
            rival: scenario.rival,
            mcp: scenario.mcp(),
            needs: scenario.needs,
            prompt: "Do the steps.",
        };
        let setup = (driver.setup)(&options);
        for (path, text) in &setup.files {
            container.put(path, text)?;
        }
        container.put("/home/user/.config/snaphook/snaphook.toml", scenario.policy)?;
        for (name, line) in [("hook-probe", PROBE), ("breakout", BREAKOUT)] {
            let path = format!("{PROJECT}/{name}");
            container.put(&path, &format!("#!/bin/sh\n{line}\n"))?;
            fs::set_permissions(container.outside(&path), PermissionsExt::from_mode(0o755))?;
        }
        for (path, text) in (scenario.files)(driver) {
            container.put(&format!("{HOME}/{path}"), &text)?;
        }
        self.register(&container, program, &setup)?;
        if let Some(hooks) = driver.hooks.filter(|_| scenario.needs == Capability::LaterHook) {
            add_rewriter(&container, &format!("{HOME}/{hooks}"))?;
        }
        let past_timeout = driver.hook_timeout + Duration::from_secs(15);
        let mode = mode.or(match scenario.fault {
            Some(InjectedFault::Killed) => Some(Mode::Killed),
            Some(InjectedFault::Slow) => Some(Mode::Slow(past_timeout)),
            Some(InjectedFault::Missing) => None,
            None => scenario.must_answer.then_some(Mode::Record),
        });
        let real = self.snaphook.clone();
        let hook = match (&mode, scenario.fault) {
            (_, Some(InjectedFault::Missing)) => Hook::Missing,
            (Some(_), _) => Hook::Relay(real),
            (None, _) => Hook::Real(real),
        };
        if let Some(mode) = &mode {
            container.put("/home/harness/relay.json", &serde_json::to_string(mode).map_err(io::Error::from)?)?;
        }
        let shell = if scenario.approvals { Step::Escalated } else { Step::Shell };
        let script = if whole {
            Step::all(PROBE)
        } else {
            iter::once(shell(scenario.command.into())).chain((scenario.then)(driver)).collect()
        };
        let (setup, argv) = if program.double {
            let command = scenario.command;
            let argv = double::prepare(self, &container, &powers, command)?;
            (AgentSetup { terminal: false, ..setup }, argv)
        } else {
            let argv = setup.argv.clone();
            (setup, argv)
        };
        let typed = setup.terminal.then(|| options.prompt.to_owned());
        let keys = if scenario.answer == Some(PersonAnswer::No) { setup.no } else { setup.yes };
        let keys = keys.iter().map(|&key| key.to_owned()).collect();
        let run = Run { script, argv, typed, ready: setup.ready.into(), answer: scenario.answer, keys };
        container.put("/home/harness/run.json", &serde_json::to_string(&run).map_err(io::Error::from)?)?;
        let argv = ["env", "-C", scenario.start, "/home/harness/conformance", "inside", "/home/harness/run.json"];
        let argv = argv.map(str::to_owned);
        // A slow hook is called several times: for the prompt, at each gate, and for the result.
        let is_slow = scenario.fault == Some(InjectedFault::Slow) || scenario.must_answer;
        let slow = if is_slow { past_timeout * 6 } else { Duration::ZERO };
        let kept =
            (scenario.keeps)(driver).into_iter().map(|path| (container.get(&format!("{HOME}/{path}")), path)).collect();
        let end = container.run("agent", &argv, &setup.env, &hook, setup.limit + slow)?;
        let outcome = RunOutcome::of(&container, end, kept);
        let refused = scenario.refuses_all() && refused(&container);
        if outcome.started() || refused {
            Ok((powers, outcome))
        } else {
            let said = |name: &str| container.get(&format!("/home/harness/agent.{name}")).unwrap_or_default();
            Err(Undriven::Silent(last_line(&format!("{}\n{}", said("out"), said("err")))))
        }
    }

    /// Registers snaphook as a user would: with the installer, or by pasting the block that it prints.
    fn register(&self, container: &Container, program: &AgentProgram, setup: &AgentSetup) -> Result<(), Undriven> {
        let agent = program.driver.id;
        let hook = Hook::Real(self.snaphook.clone());
        let snaphook = |words: &[&str]| -> Result<String, Undriven> {
            let argv: Vec<_> = ["snaphook"].iter().chain(words).map(|&word| word.to_owned()).collect();
            let end = container.run("install", &argv, &setup.env, &hook, Duration::from_mins(1))?;
            let said = |end: &str| container.get(&format!("/home/harness/install.{end}")).unwrap_or_default();
            if end.code == Some(0) {
                Ok(said("out"))
            } else {
                Err(Undriven::Install { agent, said: last_line(&said("err")) })
            }
        };
        let Some(paste) = &setup.paste else {
            return snaphook(&["install", agent, "--agent-version", &program.version, "--yes"]).map(drop);
        };
        let mut file = container.get(&paste.path).unwrap_or_default();
        for line in snaphook(&["agents", agent, "--snippet", "--agent-version", &program.version])?.lines() {
            let rival = paste.rival.filter(|(below, _)| *below == line);
            for line in iter::once(line).chain(rival.iter().flat_map(|(_, lines)| lines.lines())) {
                file.extend(iter::repeat_n(' ', paste.indent));
                file.push_str(line);
                file.push('\n');
            }
        }
        Ok(container.put(&paste.path, &file)?)
    }
}

/// Adds the hook of another program after ours.
fn add_rewriter(container: &Container, path: &str) -> io::Result<()> {
    let mut settings: Value = serde_json::from_str(&container.get(path).unwrap_or_default())?;
    let hook = json!({"matcher": "*", "hooks": [{"type": "command", "command": "/home/harness/conformance rewriter"}]});
    let gates = ["/hooks/PreToolUse", "/hooks/BeforeTool", "/PreToolUse"];
    let gate = gates.into_iter().find(|gate| settings.pointer(gate).is_some()).unwrap_or_default();
    let hooks = settings.pointer_mut(gate).and_then(Value::as_array_mut);
    hooks.ok_or_else(|| io::Error::other("nothing is registered before a tool"))?.push(hook);
    container.put(path, &format!("{settings:#}\n"))
}

/// Returns true if the agent's output says that a hook refused the prompt.
fn refused(container: &Container) -> bool {
    let said = |file| container.get(&format!("/home/harness/{file}")).unwrap_or_default().to_lowercase();
    ["agent.out", "agent.err", "screen.txt"].into_iter().any(|file| said(file).contains("hook"))
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The last line with the word "error", or else the last line.
fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.to_lowercase().contains("error"));
    let line = error.or_else(|| lines.next()).unwrap_or("it said nothing");
    line.chars().take(300).collect()
}

/// Builds snaphook into the folder of this program.
fn built(root: &Path) -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .args(["build", "--quiet", "--package", "snaphook", "--bin", "snaphook"])
        .current_dir(root)
        .status()?;
    let path = std::env::current_exe()?.with_file_name("snaphook");
    if status.success() && path.is_file() {
        Ok(path)
    } else {
        Err(io::Error::other("snaphook could not be built; name a program with --snaphook"))
    }
}
