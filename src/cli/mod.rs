//! The command line. `hook` and `run` are parsed by lexopt, because they run on every tool call; all other
//! commands by clap.

mod adopt;
mod agents;
mod allow_once;
mod ask;
mod audit_log;
mod central;
mod color;
mod completions;
mod doctor;
mod drift;
mod evidence;
mod hook;
mod import;
mod init;
mod install;
mod log;
mod manual;
mod matrix;
mod pause;
mod policy;
mod policy_edit;
mod reach;
mod replay;
mod session;
mod stats;
mod status;
mod table;
mod trust;
mod try_it;
mod values;
mod version;
mod why;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser};
use snaphook_adapters::registry::Registry;

use crate::visible::{indented, one_line, visible};

/// Runs the program with the agents of `registry`: parses the arguments, runs the command and returns the exit
/// code.
pub fn run(registry: Registry) -> ExitCode {
    let registry = Arc::new(registry);
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(first) if first == "hook" => return ExitCode::from(hook::run(&registry, args)),
        Some(first) if first == "run" => return ExitCode::from(crate::sandbox::run::run(&registry, args)),
        _ => {}
    }
    match completions::answered(&registry) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => return usage(&error),
    }
    let matches = match command(&registry).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let arguments = match Cli::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    color::choose(arguments.color);
    let mut out = String::new();
    let result = crate::stall::watched(2, || arguments.command.run(&registry, &mut out));
    finish(&out, result)
}

/// The command line, with the values that depend on the agents of the program.
fn command(registry: &Arc<Registry>) -> clap::Command {
    values::known(Cli::command(), registry)
}

fn finish(out: &str, result: Result<ExitCode, Failure>) -> ExitCode {
    // Each command escapes the names that it prints; this is a second line of defence.
    let written = color::written(out);
    let written = written.map_or_else(|error| unwritten(&error).map(drop), Ok);
    result.and_then(|code| written.map(|()| code)).unwrap_or_else(|Failure(text)| {
        let _ = writeln!(std::io::stderr().lock(), "snaphook: {}", indented(&text, "  "));
        ExitCode::from(2)
    })
}

/// Handles an error of stdout. A reader that closes the pipe early, such as `head`, is not an error.
fn unwritten(error: &std::io::Error) -> Result<ExitCode, Failure> {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        _ => Err(Failure(format!("standard output cannot be written: {error}"))),
    }
}

/// Says that an agent calls snaphook twice.
fn called_twice(twice: &crate::setup::twice::JudgedTwice, places: &crate::policy::Places) -> String {
    let (caller, other, file) = (twice.caller.name, twice.other.name, places.shown(&twice.file));
    format!("{caller} also uses the hooks of {other}, so each call of {caller} is judged again by the entry in {file}")
}

/// Returns why an agent is unverified, or `None` if its behaviour was measured.
fn unverified(id: &str) -> Option<&'static str> {
    if snaphook_hosts::is_verified(id) {
        return None;
    }
    Some(match snaphook_hosts::account(id) {
        Some(_) => "unverified: what it does with a reply was read in its source or documentation, never measured",
        None => "unverified: no data file describes what this agent does with a reply",
    })
}

/// The time limit of computing a diff; after that, a coarser one is shown.
const DIFFING: std::time::Duration = std::time::Duration::from_millis(500);

/// Formats the verdict of the rules on one part of a command.
fn part_verdict(part: &snaphook_policy::PartVerdict) -> String {
    match &part.rule {
        Some(rule) => format!("{}  {}, by {}", one_line(&part.action), part.verdict.word(), one_line(rule)),
        None => format!("{}  no rule", one_line(&part.action)),
    }
}

/// Describes whether an answer runs the command in the sandbox.
fn isolation(isolated: bool) -> &'static str {
    if isolated { "the command runs in the sandbox" } else { "the command runs outside of the sandbox" }
}

fn usage(error: &clap::Error) -> ExitCode {
    let mut text = error.to_string();
    // clap quotes the arguments; a line feed in one of them must not start a new line.
    for argument in std::env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        let value = argument.split_once('=').map_or(argument.as_ref(), |(_, value)| value);
        for part in [argument.as_ref(), value].into_iter().filter(|part| part.contains('\n')) {
            // clap leaves out what it takes for colours.
            let shown = anstream::adapter::strip_str(part).to_string();
            text = text.replace(part, &one_line(part)).replace(&shown, &one_line(&shown));
        }
    }
    let text = visible(&text);
    if error.use_stderr() {
        let _ = write!(std::io::stderr().lock(), "{text}");
        return ExitCode::from(2);
    }
    let _ = write!(std::io::stdout().lock(), "{text}");
    ExitCode::SUCCESS
}

/// The error message of a command: what failed, where, and what to do about it.
#[derive(Debug)]
struct Failure(String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

#[derive(Parser)]
#[command(name = "snaphook", bin_name = "snaphook", version = version::version(), about = "One hook binary that every coding agent can call", after_help = EXAMPLES)]
struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: color::ColorArg,
    #[command(subcommand)]
    command: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Answer a hook call; agents run this command
    #[command(disable_help_flag = true)]
    Hook {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run a command in the sandbox of the policy; isolated commands are wrapped in this
    #[command(disable_help_flag = true)]
    Run {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Register snaphook with agents; asks before it changes files
    Install(install::Install),
    /// Remove the entries of snaphook from the agents' files
    Uninstall(install::Uninstall),
    /// Show how each agent on this machine is registered
    Status(status::StatusArgs),
    /// Copy an agent's own permission rules into the policy
    Import(import::ImportArgs),
    /// Make the hooks that are registered with an agent handlers for all agents
    Adopt(adopt::AdoptArgs),
    /// Remove the handlers that `adopt` wrote
    Unadopt(adopt::AdoptArgs),
    /// Run every registered hook command, and check what it blocks and what it lets pass
    Doctor(doctor::DoctorArgs),
    /// Compare the messages of agents with those that the adapters were written for
    Drift(drift::DriftArgs),
    /// Show what every agent would do with a call; runs and records nothing
    Try(try_it::TryArgs),
    /// Find errors of policies, as `policy check` does
    Check(policy::CheckArgs),
    /// Check, show and test policies
    Policy(policy::PolicyArgs),
    /// Show what can be enforced for each agent, or the entries that register snaphook
    Agents(agents::AgentsArgs),
    /// Show the recorded decisions, one per line
    Log(log::LogArgs),
    /// Judge the recorded calls again, and show which ones a policy decides differently
    Replay(replay::ReplayArgs),
    /// Count the recorded decisions by agent, rule, verdict and day
    Stats(stats::StatsArgs),
    /// Show which rule decided a recorded call, and what was sent to the agent
    Why(why::WhyArgs),
    /// Show a project's .snaphook.toml and trust its current content; list or revoke trust
    Trust(trust::TrustArgs),
    /// Let a call that was blocked pass once
    AllowOnce(allow_once::AllowOnceArgs),
    /// For a while, record what would be blocked and block nothing of it
    Pause(pause::PauseArgs),
    /// Print the completion script for a shell
    #[command(
        after_help = "Examples:\n  snaphook completions bash > ~/.local/share/bash-completion/completions/snaphook\n  snaphook completions fish > ~/.config/fish/completions/snaphook.fish"
    )]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder
    #[command(after_help = "Examples:\n  snaphook man ~/.local/share/man\n  man snaphook-try\n  man 5 snaphook.toml")]
    Man {
        /// The folder, such as ~/.local/share/man; its folders man1 and man5 are created
        folder: PathBuf,
    },
    /// Print the JSON schema of the policy file, for editors
    #[command(
        after_help = "Examples:\n  snaphook schema > policy.schema.json\n\nAn editor with TOML support uses it if the policy begins with a line such as:\n  #:schema ./policy.schema.json"
    )]
    Schema,
    /// Write the starter policy to its default location
    #[command(
        after_help = "Examples:\n  snaphook init\n  snaphook init --preset secrets,git\n  snaphook init --policy project.toml"
    )]
    Init {
        /// The presets that the policy extends: standard, strict, secrets, git, cloud or database; several by comma or
        /// several times; default: standard
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        preset: Vec<String>,
        /// The file to write; default: the usual policy file
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
    },
}

impl Subcommand {
    fn run(self, registry: &Arc<Registry>, out: &mut String) -> Result<ExitCode, Failure> {
        match self {
            Self::Hook { .. } => Ok(ExitCode::from(hook::run(registry, std::env::args_os().skip(2)))),
            Self::Run { .. } => Ok(ExitCode::from(crate::sandbox::run::run(registry, std::env::args_os().skip(2)))),
            Self::Install(what) => install::install(registry, &what, out),
            Self::Uninstall(what) => install::uninstall(registry, &what, out),
            Self::Status(what) => status::run(registry, &what, out),
            Self::Import(what) => import::run(registry, &what, out),
            Self::Adopt(what) => adopt::adopt(registry, &what, out),
            Self::Unadopt(what) => adopt::unadopt(registry, &what, out),
            Self::Doctor(what) => doctor::run(registry, &what, out),
            Self::Drift(what) => drift::run(registry, &what, out),
            Self::Try(call) => try_it::run(registry, &call, out),
            Self::Check(what) => policy::check(registry, &what, out),
            Self::Policy(what) => policy::run(registry, what, out),
            Self::Agents(what) => agents::run(registry, &what, out),
            Self::Log(what) => log::run(registry, &what),
            Self::Replay(what) => replay::run(registry, &what, out),
            Self::Stats(what) => stats::run(registry, &what, out),
            Self::Why(what) => why::run(registry, &what, out),
            Self::Completions { shell } => completions::script(shell, out),
            Self::Man { folder } => manual::write(registry, &folder, out),
            Self::Trust(what) => trust::run(registry, what, out),
            Self::AllowOnce(what) => allow_once::run(registry, &what, out),
            Self::Pause(what) => pause::run(registry, &what, out),
            Self::Schema => {
                out.push_str(include_str!("../../schemas/policy.schema.json"));
                Ok(ExitCode::SUCCESS)
            }
            Self::Init { preset, policy } => init::run(&preset, policy, out),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  snaphook try 'rm -rf ~/work'                 show what every agent would do
  snaphook try --tool Read --path .env
  snaphook agents                              list the events and powers of agents
  snaphook agents claude-code --snippet        print the entries for its settings
  snaphook log --verdict deny --since 2h       list recent denials
  snaphook init                                write the starter policy
  snaphook why k3f9abc                         show which rule decided";
