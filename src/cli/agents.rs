//! `snaphook agents`: lists the events and powers of agents, and prints their registration.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use indexmap::IndexMap;
use snaphook_adapters::protocol::{Agent, EventRow, FolderSetting, HookProtocol, SessionFolder};
use snaphook_adapters::registry::Registry;

use super::{Failure, evidence, matrix, unverified};
use crate::policy::Places;
use crate::setup::names::{Names, missing};
use crate::setup::render;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook agents                                       all agents, events and powers
  snaphook agents docker-agent                          one agent, with its limits
  snaphook agents picoclaw --snippet                    the entries to paste, for each version
  snaphook agents codex --markdown                      one agent, as a page
  snaphook agents picoclaw --snippet --agent-version 0.2.8")]
pub(super) struct AgentsArgs {
    /// Only this agent
    agent: Option<String>,
    /// Print the registration to paste into the agent's configuration
    #[arg(long, requires = "agent")]
    snippet: bool,
    /// The policy in the registration; default: your own. Given again: a file with further rules
    #[arg(long, value_name = "FILE", requires = "snippet")]
    policy: Vec<PathBuf>,
    /// The installed version of the agent; default: every version
    #[arg(long, value_name = "V", requires = "snippet")]
    agent_version: Option<String>,
    /// Print Markdown: the overview for a README, or the page of one agent
    #[arg(long, conflicts_with = "snippet")]
    markdown: bool,
}

pub(super) fn run(registry: &Registry, what: &AgentsArgs, out: &mut String) -> Result<ExitCode, Failure> {
    match &what.agent {
        None if what.markdown => matrix::overview(registry, out),
        None => matrix::terminal(registry.iter().map(HookProtocol::agent), out),
        Some(id) => {
            let agent = find(registry, id)?;
            if what.snippet {
                snippet(agent, what, out)?;
            } else if what.markdown {
                page(agent, out);
            } else {
                matrix::terminal(std::iter::once(agent), out);
                details(agent, out);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn find(registry: &Registry, id: &str) -> Result<&'static Agent, Failure> {
    let known = || registry.ids().collect::<Vec<_>>().join(", ");
    let agent = registry.named(id).map(HookProtocol::agent);
    agent.ok_or_else(|| Failure(format!("unknown agent `{id}`; expected one of {}", known())))
}

/// Refuses a version for which there is nothing to register.
pub(super) fn known_version(agent: &Agent, version: &str) -> Result<(), Failure> {
    if agent.registration.blocks.iter().any(|block| block.fits(version)) {
        return Ok(());
    }
    let known: Vec<_> = agent.registration.blocks.iter().map(|block| block.versions).collect();
    Err(Failure(format!(
        "snaphook does not know the hooks of {} {version}; known versions: {}",
        agent.id,
        known.join("; ")
    )))
}

fn details(agent: &Agent, out: &mut String) {
    if let Some(why) = unverified(agent.id) {
        out.push('\n');
        list(&format!("{why}."), "", out);
        for sentence in evidence::sentences(agent) {
            list(&sentence, "  - ", out);
        }
    }
    out.push_str("\nVersions examined:\n");
    let hosts: Vec<_> = agent.hosts.iter().map(|host| vec![host.id.to_owned(), host.versions.to_owned()]).collect();
    out.push_str(&super::table::columns(&hosts, "  "));
    let registration = &agent.registration;
    if !registration.blocks.is_empty() {
        let _ = writeln!(out, "\nRegistration (snaphook agents {} --snippet):", agent.id);
    }
    for block in registration.blocks {
        list(&format!("{}, into {}", block.versions, block.file), "  ", out);
        for note in block.pasting.iter().chain(block.notes) {
            list(note, "    - ", out);
        }
    }
    if !registration.trust.is_empty() {
        list(registration.trust, "  - ", out);
    }
    let (native, open) = (extras(agent), limits(agent));
    if !native.is_empty() {
        out.push_str("\nNative members that a handler's `extra` can set:\n");
    }
    for (key, events) in native {
        list(&format!("{key} ({})", events.join(", ")), "  - ", out);
    }
    if !open.is_empty() {
        out.push_str("\nWhat no hook can stop:\n");
    }
    for (sentence, events) in open {
        list(&format!("{sentence} ({})", events.join(", ")), "  - ", out);
    }
}

/// Native members that a handler can set, with the events that take them.
fn extras(agent: &Agent) -> IndexMap<&'static str, Vec<String>> {
    let mut native: IndexMap<_, Vec<String>> = IndexMap::new();
    for row in agent.events {
        for extra in row.extras() {
            native.entry(extra.key()).or_default().push(row.key());
        }
    }
    native
}

/// Sentences about what no hook can stop, with the events that they apply to.
fn limits(agent: &Agent) -> IndexMap<&'static str, Vec<String>> {
    let mut open: IndexMap<_, Vec<String>> = IndexMap::new();
    for row in agent.events {
        for sentence in row.all_limits() {
            open.entry(sentence).or_default().push(row.key());
        }
    }
    open
}

/// Describes where the folder of a session is found.
fn session_folder(agent: &Agent) -> String {
    match agent.session_folder {
        SessionFolder::Message => "the one in the message, else the working directory of the hook".to_owned(),
        SessionFolder::Variable(name) => {
            format!("the one in the variable `{name}`, else the working directory of the hook")
        }
        SessionFolder::Setting(FolderSetting { variable, file, pointer, default, .. }) => format!(
            "the one in the variable `{variable}`, else in `{pointer}` of `{file}`, else `{default}`; and the working directory of the hook, which some tools use"
        ),
        _ => "the working directory of the hook".to_owned(),
    }
}

/// Writes the part of an agent's page in the book that comes from its tables.
fn page(agent: &Agent, out: &mut String) {
    let _ = writeln!(out, "# {}\n\nIts name on the command line is `{}`.\n", agent.name, agent.id);
    if let Some(why) = unverified(agent.id) {
        let _ = writeln!(out, "This agent is {why}.\n");
    }
    out.push_str("## Versions examined\n\n| name in results | versions |\n|---|---|\n");
    for host in agent.hosts {
        let _ = writeln!(out, "| `{}` | {} |", host.id, host.versions);
    }
    let _ = writeln!(out, "\nThe folder of a session is {}.", session_folder(agent));
    out.push_str("\n## Powers by event\n\n");
    matrix::markdown(agent, out);
    let registration = &agent.registration;
    if !registration.blocks.is_empty() {
        let _ = writeln!(
            out,
            "\n## Where `snaphook install` registers it\n\n`snaphook agents {} --snippet` prints the entries.\n",
            agent.id
        );
    }
    for block in registration.blocks {
        let file = if block.file.contains(' ') { in_markdown(block.file) } else { format!("`{}`", block.file) };
        let _ = writeln!(out, "- {}, into {file}", block.versions);
        for note in block.pasting.iter().chain(block.notes) {
            let _ = writeln!(out, "  - {}", in_markdown(note));
        }
    }
    if !registration.trust.is_empty() {
        let _ = writeln!(out, "\n{}", in_markdown(registration.trust));
    }
    let (open, native) = (limits(agent), extras(agent));
    if !open.is_empty() {
        out.push_str("\n## What no hook can stop\n\n| limit | events |\n|---|---|\n");
    }
    for (sentence, events) in open {
        let _ = writeln!(out, "| {} | {} |", in_markdown(sentence), names(agent, &events));
    }
    if unverified(agent.id).is_some() {
        evidence::markdown(agent, out);
    }
    if !native.is_empty() {
        out.push_str("\n## Members that a handler sets by `extra`\n\n| member | events |\n|---|---|\n");
    }
    for (key, events) in native {
        let _ = writeln!(out, "| `{key}` | {} |", names(agent, &events));
    }
}

/// Lists events in Markdown. If most of the agent's events are in the list, names the others.
fn names(agent: &Agent, events: &[String]) -> String {
    let list = |events: &[String]| events.iter().map(|event| format!("`{event}`")).collect::<Vec<_>>().join(", ");
    if events.len() * 3 < agent.events.len() * 2 {
        return list(events);
    }
    let missing: Vec<_> = agent.events.iter().map(EventRow::key).filter(|event| !events.contains(event)).collect();
    if missing.is_empty() { "all".to_owned() } else { format!("all but {}", list(&missing)) }
}

/// Escapes the markup characters of Markdown and HTML, except inside of code.
fn in_markdown(text: &str) -> String {
    let outside = |(at, part): (usize, &str)| match at % 2 {
        0 => part.replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_").replace('|', "\\|"),
        _ => part.replace('|', "\\|"),
    };
    text.split('`').enumerate().map(outside).collect::<Vec<_>>().join("`")
}

/// Writes one item in lines of at most 100 characters, with a hanging indent.
fn list(text: &str, bullet: &str, out: &mut String) {
    let blank = " ".repeat(bullet.len());
    let mut line = bullet.to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > blank.len() {
            let _ = writeln!(out, "{line}");
            line.clone_from(&blank);
        }
        if line.len() > blank.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}

/// The maximum width of a line, in characters.
const WIDTH: usize = 100;

fn snippet(agent: &Agent, what: &AgentsArgs, out: &mut String) -> Result<(), Failure> {
    let names = Names::find(&Places::from_environment(), &what.policy)?;
    let paths = names.new_ones();
    if let Some(version) = &what.agent_version {
        known_version(agent, version)?;
    }
    for block in agent.registration.blocks {
        if what.agent_version.as_ref().is_some_and(|version| !block.fits(version)) {
            continue;
        }
        let text = render::snippet(agent, block, paths).map_err(|fault| Failure(fault.to_string()))?;
        let _ = writeln!(out, "# {}, into {}", block.versions, block.file);
        for note in block.pasting.iter().chain(block.notes) {
            let _ = writeln!(out, "# {note}");
        }
        let _ = writeln!(out, "{}\n", text.trim_end());
    }
    if !agent.registration.trust.is_empty() {
        let _ = writeln!(out, "# {}", agent.registration.trust);
    }
    if let Some(path) = missing(paths) {
        let _ = writeln!(
            out,
            "# {} does not exist yet. Every call is denied until it does: run snaphook init.",
            super::one_line(path.to_string_lossy())
        );
    }
    Ok(())
}
