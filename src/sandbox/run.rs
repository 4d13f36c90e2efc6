//! `snaphook run --policy FILE -- ARGV`: isolates one command, or exits with 126 and runs nothing (R8).

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::Arg::{Long, Short, Value};
use snaphook_adapters::registry::Registry;

use crate::serve::print_error;
use crate::visible::{indented, one_line};

/// The exit code if the sandbox could not be applied completely and nothing ran.
pub(super) const REFUSED: u8 = 126;
/// The exit code if the program of the command does not exist.
const NOT_FOUND: u8 = 127;

/// Isolates this process and executes the command. Returns an exit code if that failed, or if another launcher has run
/// the command.
pub(crate) fn run(registry: &Registry, args: impl Iterator<Item = OsString>) -> u8 {
    let line = match Line::read(args) {
        Ok(Some(line)) => line,
        Ok(None) => {
            print_error(USAGE);
            return 0;
        }
        Err(error) => {
            print_error(&format!("snaphook run: {}\n{USAGE}", one_line(error.to_string())));
            return REFUSED;
        }
    };
    match line.start(registry) {
        Ok(code) => code,
        Err(Refusal::Isolation(text)) => {
            print_error(&format!("snaphook run: {}; nothing was run", indented(&text, "  ")));
            REFUSED
        }
        Err(Refusal::Program(program, error)) => {
            print_error(&format!("snaphook run: {}: {error}", one_line(&program)));
            if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { REFUSED }
        }
    }
}

/// The reason why nothing was run.
pub(super) enum Refusal {
    Isolation(String),
    #[cfg_attr(windows, expect(dead_code, reason = "no program is run on Windows"))]
    Program(String, std::io::Error),
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self::Isolation(text)
    }
}

/// The arguments of `snaphook run`.
pub(super) struct Line {
    /// What the launcher hands on to its second stage; empty in the first one.
    pub(super) within: Vec<OsString>,
    pub(super) policies: Vec<PathBuf>,
    pub(super) trust: Option<PathBuf>,
    pub(super) project: Option<PathBuf>,
    pub(super) argv: Vec<OsString>,
}

impl Line {
    /// Parses the arguments. Returns `None` if help is requested.
    fn read(args: impl Iterator<Item = OsString>) -> Result<Option<Self>, lexopt::Error> {
        let mut line = Self { within: Vec::new(), policies: Vec::new(), trust: None, project: None, argv: Vec::new() };
        let mut args = lexopt::Parser::from_args(args);
        while let Some(argument) = args.next()? {
            match argument {
                Long("policy") => line.policies.push(args.value()?.into()),
                Long("trust") => line.trust = Some(args.value()?.into()),
                Long("within") => line.within.push(args.value()?),
                Long("project") => line.project = Some(args.value()?.into()),
                Long("help") | Short('h') => return Ok(None),
                Value(program) => {
                    line.argv = std::iter::once(program).chain(args.raw_args()?).collect();
                    return Ok(Some(line));
                }
                option => return Err(option.unexpected()),
            }
        }
        Err("missing command; expected `-- PROGRAM [ARGUMENT]...`".into())
    }
}

const USAGE: &str = "\
usage: snaphook run [--policy FILE]... [--trust FILE] [--project DIR] -- PROGRAM [ARGUMENT]...
  runs the program in the sandbox of the policy's [sandbox] table
  --policy FILE   the policy; default: the user's own; repeated: more rules
  --trust FILE    the trust store of project policies
  --project DIR   the folder in which the session was started and where the search for the project begins;
                  default: the working directory
  exits with 126 and runs nothing if the isolation cannot be applied completely";
