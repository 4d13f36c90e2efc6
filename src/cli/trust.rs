//! `snaphook trust [DIR]`: shows a project's policy and records its content as trusted (S9, F6).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use snaphook_adapters::registry::Registry;

use super::{Failure, ask, one_line, visible};
use crate::policy::{Places, trust};

pub(super) fn run(
    registry: &Registry,
    dir: &Path,
    trust: Option<PathBuf>,
    out: &mut String,
) -> Result<ExitCode, Failure> {
    let mut places = Places::from_environment();
    places.trust = trust;
    let folder =
        dir.canonicalize().map_err(|error| Failure(format!("{}: {error}", one_line(dir.to_string_lossy()))))?;
    let files = trust::show(&places, &folder, registry).map_err(Failure)?;
    if files.is_empty() {
        return Err(Failure(format!(
            "{}: no .snaphook.toml in this folder or above it, up to the repository root",
            one_line(folder.to_string_lossy())
        )));
    }
    for file in files {
        let _ = writeln!(out, "{}:\n{}", one_line(file.path.to_string_lossy()), visible(&file.text));
        if file.trusted {
            let _ = writeln!(out, "already trusted");
            continue;
        }
        for error in &file.errors {
            let _ = writeln!(out, "{}", one_line(error));
        }
        if file.errors.is_empty() && !ask::confirmed(out, "Trust this file? It can start programs.")? {
            let _ = writeln!(out, "not trusted: `snaphook trust` asks for confirmation on a terminal");
            return Ok(ExitCode::from(1));
        }
        trust::record(&places, &file, SystemTime::now()).map_err(Failure)?;
        let _ = writeln!(out, "trusted; any change to the file revokes this");
    }
    Ok(ExitCode::SUCCESS)
}
