//! `snaphook trust`: shows a project's policy and records its content as trusted (S9, F6), lists what is trusted, and
//! revokes it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use similar::TextDiff;
use snaphook_adapters::raw::visible_json;
use snaphook_adapters::registry::Registry;
use snaphook_policy::PROJECT_FILE;

use super::table::columns;
use super::{DIFFING, Failure, ask, one_line, visible};
use crate::policy::trust::{TrustCandidate, TrustEntry};
use crate::policy::{Places, trust};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  snaphook trust
  snaphook trust ~/work/app
  snaphook trust --list
  snaphook trust --revoke ~/work/app

A file that was trusted before is shown as a diff since then. The question is asked only on your terminal, so that
no agent can answer it through a pipe.")]
pub(crate) struct TrustArgs {
    /// The project folder, or its .snaphook.toml
    #[arg(default_value = ".", conflicts_with = "list")]
    project: PathBuf,
    /// List the trusted files, and which of them were changed since
    #[arg(long)]
    list: bool,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
    /// Stop trusting the project; only the deny and ask rules of its file apply then
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
    /// The trust store; default: the one in your state folder
    #[arg(long, value_name = "FILE")]
    trust: Option<PathBuf>,
}

pub(super) fn run(registry: &Registry, what: TrustArgs, out: &mut String) -> Result<ExitCode, Failure> {
    let mut places = Places::from_environment();
    places.trust = what.trust;
    if what.json && !what.list {
        return Err(Failure("--json is only for --list".to_owned()));
    }
    if what.list {
        return list(&places, what.json, out);
    }
    if what.revoke {
        return revoke(&places, &what.project, out);
    }
    let folder = folder(&what.project)?;
    let files = trust::show(&places, &folder, registry).map_err(Failure)?;
    if files.is_empty() {
        return Err(Failure(format!(
            "{}: no .snaphook.toml in this folder or above it, up to the repository root",
            one_line(folder.to_string_lossy())
        )));
    }
    for file in files {
        show(&file, out);
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

/// The folder of a project that is named by itself or by its file.
fn folder(project: &Path) -> Result<PathBuf, Failure> {
    let is_file = project.file_name().is_some_and(|name| name == PROJECT_FILE);
    let folder = project.parent().filter(|_| is_file).unwrap_or(project);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().map_err(|error| Failure(format!("{}: {error}", one_line(folder.to_string_lossy()))))
}

/// Shows a file, or only its changes if the text that was trusted last is known.
fn show(file: &TrustCandidate, out: &mut String) {
    let path = one_line(file.path.to_string_lossy());
    match &file.last {
        Some(last) => {
            let _ = writeln!(out, "{path}: changed since it was trusted on {}", one_line(&last.date));
            if let Some(before) = &last.text {
                let mut differ = TextDiff::configure();
                let diff = differ.timeout(DIFFING).diff_lines(before.as_str(), file.text.as_str());
                out.push_str(&visible(&diff.unified_diff().context_radius(3).to_string()));
                return;
            }
            let _ = writeln!(out, "what was trusted then was not kept; the whole file:");
        }
        None => {
            let _ = writeln!(out, "{path}:");
        }
    }
    let _ = writeln!(out, "{}", visible(&file.text));
}

fn list(places: &Places, json: bool, out: &mut String) -> Result<ExitCode, Failure> {
    let entries = trust::list(places).map_err(Failure)?;
    if json {
        let _ = writeln!(out, "{}", visible_json(&serde_json::to_string_pretty(&entries)?));
    } else if entries.is_empty() {
        let _ = writeln!(out, "No project file is trusted.");
    } else {
        let row = |entry: &TrustEntry| {
            let path = places.shown(Path::new(&entry.path));
            [one_line(path), one_line(&entry.date), entry.state.to_owned()].to_vec()
        };
        let head = ["file", "trusted on", "state"].map(str::to_owned).to_vec();
        let rows: Vec<_> = std::iter::once(head).chain(entries.iter().map(row)).collect();
        out.push_str(&columns(&rows, ""));
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(places: &Places, project: &Path, out: &mut String) -> Result<ExitCode, Failure> {
    // The file, or its folder, may be gone.
    let folder = folder(project).or_else(|_| std::path::absolute(project))?;
    let named = [folder.clone(), folder.join(PROJECT_FILE)];
    let entries = trust::list(places).map_err(Failure)?;
    let paths: Vec<_> = entries.iter().map(|entry| entry.path.as_str()).collect();
    let paths: Vec<_> = paths.into_iter().filter(|path| named.iter().any(|named| named == Path::new(path))).collect();
    if paths.is_empty() {
        let folder = one_line(folder.to_string_lossy());
        return Err(Failure(format!("{folder}: its .snaphook.toml is not trusted; see `snaphook trust --list`")));
    }
    for path in &paths {
        let _ = writeln!(out, "{}: only its deny and ask rules will apply", one_line(places.shown(Path::new(path))));
    }
    if !ask::confirmed(out, "Stop trusting this file? Its handlers and its sandbox no longer apply.")? {
        let _ = writeln!(out, "still trusted: `snaphook trust --revoke` asks for confirmation on a terminal");
        return Ok(ExitCode::from(1));
    }
    trust::revoke(places, &paths).map_err(Failure)?;
    let _ = writeln!(out, "no longer trusted");
    Ok(ExitCode::SUCCESS)
}
