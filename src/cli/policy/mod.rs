//! `snaphook policy`: checks, shows and tests policies. Judges no real call and records nothing.

mod cases;
mod check;
mod show;

pub(super) use cases::verdict_of_rules;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::Value;
use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;

use super::Failure;
use super::session::SessionArgs;

#[derive(clap::Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

/// The arguments of `check`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook check
  snaphook check policy.toml
  snaphook check .snaphook.toml --json
  snaphook check policy.toml -v           what each rule matches besides its own spelling

A file is checked alone, a project file as if it were trusted.
Exit code: 0 without findings, 1 with findings, 2 for a usage error.")]
pub(crate) struct CheckArgs {
    /// The policy file; default: every file that applies in this directory
    file: Option<PathBuf>,
    /// Show what each deny and ask rule matches besides its own spelling
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum PolicyCommand {
    /// Check policies for errors, rules without effect and failing cases
    Check(CheckArgs),
    /// Show every rule and setting that applies, with its file and line, the strongest first
    #[command(after_help = "\
Examples:
  snaphook policy show
  snaphook policy show --cwd ~/work/app
  snaphook policy show --policy policy.toml --json")]
    Show {
        #[command(flatten)]
        session: SessionArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Judge the cases of a policy, which are written as [[test]]
    #[command(after_help = "\
Examples:
  snaphook policy test policy.toml
  snaphook policy test cases.toml --policy policy.toml

Exit code: 0 if every case gets its verdict, 1 if not or if there is no case, 2 for a usage error.")]
    Test {
        /// The file with the cases; default: every file that applies in this directory
        file: Option<PathBuf>,
        /// The policy that judges them; default: the file with the cases
        #[arg(long, value_name = "FILE", requires = "file")]
        policy: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn check(registry: &Registry, what: &CheckArgs, out: &mut String) -> Result<ExitCode, Failure> {
    check::run(registry, what, out)
}

pub(super) fn run(registry: &Registry, what: PolicyArgs, out: &mut String) -> Result<ExitCode, Failure> {
    match what.command {
        PolicyCommand::Check(what) => check(registry, &what, out),
        PolicyCommand::Show { session, json } => show::run(registry, &session, json, out),
        PolicyCommand::Test { file, policy, json } => {
            cases::run(registry, file.as_deref(), policy.as_deref(), json, out)
        }
    }
}

/// Prints a JSON document.
fn print_json(document: &Value, out: &mut String) {
    out.push_str(&visible_json(&format!("{document:#}")));
    out.push('\n');
}
