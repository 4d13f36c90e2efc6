//! `snaphook init`: writes the starter policy to its default location.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use snaphook_policy::{PRESET_PREFIX, STARTER};

use super::ask::confirmed;
use super::{Failure, one_line};
use crate::platform::files;
use crate::policy::Places;

pub(super) fn run(presets: &[String], policy: Option<PathBuf>, out: &mut String) -> Result<ExitCode, Failure> {
    let usual = Places::from_environment().user_files();
    // A new file that is searched first would take precedence over the existing one.
    if let Some(there) = usual.iter().find(|file| policy.is_none() && file.exists()) {
        return Err(Failure(format!("{} already exists and was not changed", there.display())));
    }
    let path = policy.or_else(|| usual.into_iter().next());
    let path = path.ok_or_else(|| Failure("HOME is not set; name the file with --policy FILE".to_owned()))?;
    let text = extending(presets);
    write_new(&path, &text)?;
    let _ = writeln!(
        out,
        "wrote {}\nSee its rules: snaphook policy show\nSee what it does: snaphook try 'rm -rf ~/work'\nTo record only what it would block, put `mode = \"monitor\"` at its top.",
        one_line(path.to_string_lossy())
    );
    if confirmed(out, INPUTS_QUESTION)? {
        // Written first, so that nothing is asked about a file that cannot be written.
        std::fs::write(&path, [&*text, INPUTS].concat())
            .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        out.push_str("The log records commands, paths and addresses, with secrets masked.\n");
    }
    Ok(ExitCode::SUCCESS)
}

const INPUTS_QUESTION: &str =
    "Record the commands, paths and addresses of calls in the log, with secrets masked? They stay on this machine.";
const INPUTS: &str = "\n[audit]\ninputs = \"redacted\"\n";

/// The starter policy with other presets; without any, as it is.
fn extending(presets: &[String]) -> Cow<'static, str> {
    const STANDARD: &str = "extends = [\"preset:standard\"]";
    if presets.is_empty() {
        return STARTER.into();
    }
    let mut written: Vec<_> = presets.iter().map(|name| format!("\"{PRESET_PREFIX}{name}\"")).collect();
    let mut seen = BTreeSet::new();
    written.retain(|name| seen.insert(name.clone()));
    STARTER.replacen(STANDARD, &format!("extends = [{}]", written.join(", ")), 1).into()
}

/// Writes the starter policy to a new file.
pub(super) fn write_starter(path: &Path) -> Result<(), Failure> {
    write_new(path, STARTER)
}

fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let place = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure(format!("{} already exists and was not changed", path.display())),
        _ => Failure(format!("{}: {error}", path.display())),
    };
    if let Some(folder) = path.parent() {
        files::create_private_folder(folder).map_err(place)?;
    }
    let mut file = files::private(OpenOptions::new().write(true).create_new(true)).open(path).map_err(place)?;
    file.write_all(text.as_bytes()).map_err(place)?;
    Ok(())
}
