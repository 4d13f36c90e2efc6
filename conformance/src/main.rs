//! Drives real coding agents offline and checks that they do what the verdicts said.
//!
//! What this is for: agents change without telling anybody. Each is installed, registered by
//! `snaphook install`, and run against a scripted model in a space without a network; what counts is
//! what its calls left behind. What it is not: part of the tests, which need no agent.

mod agents;
mod attacks;
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
mod seen;
mod shape;
mod space;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Drive real coding agents offline and check that they do what the verdicts said
#[derive(Debug, Parser)]
#[command(name = "conformance")]
struct Arguments {
    #[command(subcommand)]
    command: Do,
}

#[derive(Debug, Subcommand)]
enum Do {
    /// Run the scenarios, and print what came of each
    Run(run::Arguments),
    /// Take what agents really send as fixtures, and say how it drifted
    Record(record::Arguments),
    /// Break snaphook, and see that the scenarios notice
    Prove(prove::Arguments),
    /// What runs within a space
    #[command(hide = true)]
    Inside { file: PathBuf },
    /// A handler of a scenario
    #[command(hide = true)]
    Handler { what: String },
    /// An agent's double
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
    // At snaphook's place this program is the relay.
    let relaying = Path::new(&name).file_name().is_some_and(|name| name == "snaphook");
    let result = if relaying { relay::main(&words.collect::<Vec<_>>()).map_err(Into::into) } else { told() };
    result.unwrap_or_else(|error| {
        drop(writeln!(std::io::stderr(), "conformance: {error}"));
        ExitCode::from(2)
    })
}

fn told() -> Result<ExitCode, Box<dyn std::error::Error>> {
    match Arguments::parse().command {
        Do::Run(arguments) => return run::main(&arguments),
        Do::Record(arguments) => return record::main(&arguments),
        Do::Prove(arguments) => return prove::main(&arguments),
        Do::Inside { file } => return Ok(inside::main(&file)?),
        Do::Double => return double::main(),
        Do::Handler { what } => handler::main(&what)?,
        Do::Rival => handler::rival()?,
        Do::Rewriter => handler::rewriter()?,
        Do::Mcp => mcp::main()?,
    }
    Ok(ExitCode::SUCCESS)
}
