//! The command line: `hook` and `run` by hand, since they run on every tool call; the rest by clap.

mod agents;
mod ask;
mod audit_log;
mod doctor;
mod generate;
mod hook;
mod import;
mod init;
mod install;
mod log;
mod matrix;
mod status;
mod table;
mod trust;
mod try_it;
mod why;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use snaphook_adapters::registry::Registry;

use crate::visible::{indented, one_line, visible};

/// Runs the program with the agents of `registry`: reads the arguments, serves or shows, and says
/// how the process ends.
pub fn run(registry: Registry) -> ExitCode {
    let registry = Arc::new(registry);
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(first) if first == "hook" => return ExitCode::from(hook::run(&registry, args)),
        Some(first) if first == "run" => return ExitCode::from(crate::sandbox::run::run(&registry, args)),
        _ => {}
    }
    let matches = match Arguments::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let mut out = String::new();
    let result = crate::stall::watched(1, || arguments.command.run(&registry, &mut out));
    finish(&out, result)
}

fn finish(out: &str, result: Result<ExitCode, Failure>) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    // Every command escapes the names that it prints; this covers what one of them forgets.
    let written = stdout.write_all(visible(out).as_bytes()).and_then(|()| stdout.flush());
    let written = written.map_or_else(|error| unwritten(&error).map(drop), Ok);
    result.and_then(|code| written.map(|()| code)).unwrap_or_else(|Failure(text)| {
        let _ = writeln!(std::io::stderr().lock(), "snaphook: {}", indented(&text, "  "));
        ExitCode::from(1)
    })
}

/// What it means that stdout cannot be written: a reader that closes early, such as `head`, is no failure.
fn unwritten(error: &std::io::Error) -> Result<ExitCode, Failure> {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        _ => Err(Failure(format!("standard output cannot be written: {error}"))),
    }
}

/// How long a difference between two files may be looked for before a coarser one is shown.
const DIFFING: std::time::Duration = std::time::Duration::from_millis(500);

/// What the rules say about one piece of a command.
fn part_said(part: &crate::policy::PartSaid) -> String {
    match &part.rule {
        Some(rule) => format!("{}  {}, by {}", one_line(&part.action), part.verdict.word(), one_line(rule)),
        None => format!("{}  no rule", one_line(&part.action)),
    }
}

/// Whether a command runs in the sandbox with an answer, in words.
fn isolation(isolated: bool) -> &'static str {
    if isolated { "the command runs in the sandbox" } else { "the command is left outside of the sandbox" }
}

fn usage(error: &clap::Error) -> ExitCode {
    let mut text = error.to_string();
    // The message quotes the arguments, and a line feed in one of them must not begin a line.
    for argument in std::env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        let value = argument.split_once('=').map_or(argument.as_ref(), |(_, value)| value);
        for part in [argument.as_ref(), value].into_iter().filter(|part| part.contains('\n')) {
            text = text.replace(part, &one_line(part));
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

/// Holds what the user is told when a command cannot do its work: what, where, and what to do.
#[derive(Debug)]
struct Failure(String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

#[derive(Parser)]
#[command(name = "snaphook", bin_name = "snaphook", version, about = "One hook binary that every coding agent can call", after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer an agent's hook call; this is the line that agents run
    #[command(disable_help_flag = true)]
    Hook {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run a command in the policy's sandbox; this is what isolated commands are wrapped in
    #[command(disable_help_flag = true)]
    Run {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Register snaphook with agents; asks before it changes a file
    Install(install::Install),
    /// Take snaphook's entries out of agents' files
    Uninstall(install::Uninstall),
    /// Say how each agent found here is registered
    Status(status::What),
    /// Carry an agent's own permission rules over into the policy
    Import(import::What),
    /// Run every registered line as its agent would, and see that it blocks
    Doctor(doctor::What),
    /// Show what every agent would do with a call; executes and records nothing
    Try(try_it::Call),
    /// Show what can be enforced where, or what to paste to register snaphook
    Agents(agents::What),
    /// Show what was decided, a line each
    Log(log::What),
    /// Say which rule decided a recorded call, and what was sent
    #[command(after_help = "Examples:\n  snaphook why k3f9abc\n  snaphook why k3f9abc --audit old.jsonl")]
    Why {
        /// The id from a block reason, such as k3f9abc
        id: String,
        /// The log to read, instead of the policy's
        #[arg(long, value_name = "FILE")]
        audit: Option<PathBuf>,
        /// The policy that says where the log is
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
    },
    /// Show a project's .snaphook.toml and let it count whole, as it is now
    #[command(
        after_help = "Examples:\n  snaphook trust\n  snaphook trust ~/work/app\n\nThe question is asked on your terminal, and nowhere else: no agent can answer it through a pipe."
    )]
    Trust {
        /// The project; its .snaphook.toml is shown and recorded
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// The trust store, instead of the usual one
        #[arg(long, value_name = "FILE")]
        trust: Option<PathBuf>,
    },
    /// Print what makes a shell complete the words of this program
    #[command(
        after_help = "Examples:\n  snaphook completions bash > ~/.local/share/bash-completion/completions/snaphook\n  snaphook completions fish > ~/.config/fish/completions/snaphook.fish"
    )]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Write the pages for man into a folder
    #[command(after_help = "Examples:\n  snaphook man ~/.local/share/man/man1")]
    Man {
        /// Such as ~/.local/share/man/man1
        folder: PathBuf,
    },
    /// Write the starter policy to where snaphook looks for one
    #[command(after_help = "Examples:\n  snaphook init\n  snaphook init --policy project.toml")]
    Init {
        /// The file to write, instead of the usual one
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
    },
}

impl Command {
    fn run(self, registry: &Arc<Registry>, out: &mut String) -> Result<ExitCode, Failure> {
        match self {
            Self::Hook { .. } => Ok(ExitCode::from(hook::run(registry, std::env::args_os().skip(2)))),
            Self::Run { .. } => Ok(ExitCode::from(crate::sandbox::run::run(registry, std::env::args_os().skip(2)))),
            Self::Install(what) => install::install(registry, &what, out),
            Self::Uninstall(what) => install::uninstall(registry, &what, out),
            Self::Status(what) => status::run(registry, &what, out),
            Self::Import(what) => import::run(registry, &what, out),
            Self::Doctor(what) => doctor::run(registry, &what, out),
            Self::Try(call) => try_it::run(registry, &call, out),
            Self::Agents(what) => agents::run(registry, &what, out),
            Self::Log(what) => log::run(registry, &what),
            Self::Why { id, audit, policy } => why::run(registry, &id, audit, policy, out),
            Self::Completions { shell } => generate::completions(shell, out),
            Self::Man { folder } => generate::man(&folder, out),
            Self::Trust { dir, trust } => trust::run(registry, &dir, trust, out),
            Self::Init { policy } => init::run(policy, out),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  snaphook try 'rm -rf ~/work'                 what would every agent do?
  snaphook try --tool Read --path .env
  snaphook agents                              what can be enforced where
  snaphook agents claude-code --snippet        what to paste into its settings
  snaphook log --verdict deny --since 2h       what was denied lately
  snaphook init                                write the starter policy
  snaphook why k3f9abc                         which rule was it?";
