//! Drives real coding agents offline and checks that they obey the verdicts.
//!
//! Agents change their behaviour without notice. Each agent is installed, registered by `snaphook install`,
//! and run against a scripted model in a container without a network. A run is judged by the files that its
//! calls left behind. The tests of the workspace do not run this program, because they need no agent.

mod agents;
mod attacks;
mod container;
mod double;
mod drive;
mod fixtures;
mod handler;
mod inside;
mod judge;
mod limits;
mod mcp;
mod measured;
mod model;
mod outcome;
mod powers;
mod programs;
mod prove;
mod record;
mod relay;
mod report;
mod results;
mod run;
mod scenarios;
mod schemas;
mod shape;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Drive real coding agents offline and check that they obey the verdicts
#[derive(Debug, Parser)]
#[command(name = "conformance")]
struct ConformanceArgs {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run the scenarios and print the result of each
    Run(run::RunArgs),
    /// Save the messages that agents really send as fixtures, and report drift
    Record(record::RecordArgs),
    /// Break snaphook, and check that the scenarios notice
    Prove(prove::ProveArgs),
    /// The process inside a container: the model and the agent
    #[command(hide = true)]
    Inside { file: PathBuf },
    /// A handler of a scenario
    #[command(hide = true)]
    Handler { what: String },
    /// A double of an agent
    #[command(hide = true)]
    Double,
    /// A hook of another program, which approves everything
    #[command(hide = true)]
    Rival,
    /// A hook of another program, which undoes every rewrite
    #[command(hide = true)]
    Rewriter,
    /// An MCP server
    #[command(hide = true)]
    Mcp,
}

fn main() -> ExitCode {
    let mut words = std::env::args();
    let name = words.next().unwrap_or_default();
    // Installed under the name `snaphook`, this program is the relay.
    let relaying = Path::new(&name).file_name().is_some_and(|name| name == "snaphook");
    let result = if relaying { relay::main(&words.collect::<Vec<_>>()).map_err(Into::into) } else { dispatch() };
    result.unwrap_or_else(|error| {
        drop(writeln!(std::io::stderr(), "conformance: {error}"));
        ExitCode::from(2)
    })
}

fn dispatch() -> Result<ExitCode, Box<dyn std::error::Error>> {
    match ConformanceArgs::parse().command {
        Task::Run(arguments) => return run::main(&arguments),
        Task::Record(arguments) => return record::main(&arguments),
        Task::Prove(arguments) => return prove::main(&arguments),
        Task::Inside { file } => return Ok(inside::main(&file)?),
        Task::Double => return double::main(),
        Task::Handler { what } => handler::main(&what)?,
        Task::Rival => handler::rival()?,
        Task::Rewriter => handler::rewriter()?,
        Task::Mcp => mcp::main()?,
    }
    Ok(ExitCode::SUCCESS)
}
