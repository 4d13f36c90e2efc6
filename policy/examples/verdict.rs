//! Judges a command by a policy: `cargo run -p snaphook-policy --example verdict -- POLICY.toml 'git push && ls'`.
//!
//! It is judged on a machine without files. A program implements `Machine` instead.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, ShellKind};
use snaphook_policy::{EmptyMachine, Folders, Policy, PolicyCall, PolicyFile, PolicySource};

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program reads its arguments and prints")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (file, command) = arguments.next().zip(arguments.next()).ok_or("expected a policy and a command")?;
    let text = std::fs::read_to_string(&file)?;
    let source = PolicySource::new(Path::new(&file), PathBuf::from("/project"), file.clone(), text);
    let policy = PolicyFile::read(source, &EmptyMachine, &())?;
    let policy = Policy::new(Arc::new(policy), Vec::new(), Arc::new(EmptyMachine));
    let actions = [Action::Shell { command: command.into(), cwd: None, shell: ShellKind::Posix }];
    let input = Raw::document("{}");
    let facts = policy.facts(Folders::at(Some("/project")));
    let judged = facts.judging(true).verdict(&PolicyCall::new("example", "shell", &input, &actions));
    println!("{:?}", judged.verdict);
    for cause in judged.causes {
        println!("{:?}: {} matches {}", cause.verdict, cause.rule, cause.action.unwrap_or_default());
    }
    Ok(())
}
