//! Finds the program of an agent: named by the user, installed from a package registry, or on PATH.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::agents::{self, Driver, Package};
use crate::container::{Container, Hook};
use crate::drive::{AgentProgram, Harness};
use crate::powers::Powers;

/// A program that was named on the command line: `NAME[@VERSION]=PATH`.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) driver: &'static Driver,
    version: Option<String>,
    path: PathBuf,
}

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').ok_or("expected NAME=PATH or NAME@VERSION=PATH")?;
        let (name, version) = match name.split_once('@') {
            Some((name, version)) => (name, Some(version.trim_start_matches('v').to_owned())),
            None => (name, None),
        };
        let driver = agents::find(name).ok_or_else(|| {
            let known: Vec<_> = agents::ALL.iter().map(|driver| driver.id).collect();
            format!("unknown agent `{name}`; expected one of {}", known.join(", "))
        })?;
        let path = PathBuf::from(path);
        if path.exists() { Ok(Self { driver, version, path }) } else { Err(format!("{}: not found", path.display())) }
    }
}

/// All programs of an agent that can be driven here, or the reason why there is none.
///
/// # Errors
///
/// Fails if a program that was named or found cannot be used: a double would hide this.
pub(crate) fn of(
    harness: &Harness,
    driver: &'static Driver,
    named: &[Named],
) -> Result<Vec<Result<AgentProgram, String>>, String> {
    let named: Vec<_> = named.iter().filter(|named| named.driver.id == driver.id).collect();
    if !named.is_empty() {
        let named = named.iter().map(|named| program(harness, driver, &named.path, named.version.clone()));
        return named.map(|program| program.map(Ok)).collect();
    }
    if let Some(package) = driver.package {
        let version = package.version();
        let folder = harness.folder.join("packages").join(format!("{}-{version}", driver.id));
        let program = install(&folder, package).and_then(|()| program(harness, driver, &folder, Some(version.into())));
        return Ok(vec![program]);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(driver.program)).find(|path| path.is_file());
    let none = || {
        format!("{} is in no package registry and not on PATH; name it: --program {}=PATH", driver.program, driver.id)
    };
    Ok(vec![match found {
        Some(path) => Ok(program(harness, driver, &path, None)?),
        None => Err(none()),
    }])
}

/// The double of an agent.
pub(crate) fn double(harness: &Harness, driver: &'static Driver) -> Option<AgentProgram> {
    Some(AgentProgram { driver, path: harness.own.clone(), version: driver.double?.into(), double: true })
}

/// Asks a program for its version, unless the user named it.
fn program(
    harness: &Harness,
    driver: &'static Driver,
    path: &Path,
    version: Option<String>,
) -> Result<AgentProgram, String> {
    let version = match version {
        Some(version) => version,
        None => ask_version(harness, driver, path)?,
    };
    Ok(AgentProgram { driver, path: path.to_owned(), version, double: false })
}

fn ask_version(harness: &Harness, driver: &'static Driver, path: &Path) -> Result<String, String> {
    let container = Container::new(&harness.folder.join("version"), driver.program, path, &harness.own)
        .map_err(|error| error.to_string())?;
    let words = Powers::registration(driver.id).map_or(&["--version"][..], |registration| registration.version);
    let mut argv = vec![driver.program.to_owned()];
    argv.extend(words.iter().map(|&word| word.to_owned()));
    let hook = Hook::Missing;
    container
        .run("version", &argv, &std::collections::BTreeMap::new(), &hook, Duration::from_secs(20))
        .map_err(|error| error.to_string())?;
    let said =
        ["out", "err"].map(|end| container.get(&format!("/home/harness/version.{end}")).unwrap_or_default()).join("\n");
    let words = said.split(|c: char| c.is_whitespace() || "(),\"".contains(c)).map(|word| word.trim_start_matches('v'));
    let is_version = |word: &&str| {
        let parts: Vec<_> = word.split('.').collect();
        parts.len() >= 3 && parts.iter().take(2).all(|part| part.parse::<u32>().is_ok())
    };
    words.into_iter().find(is_version).map(str::to_owned).ok_or_else(|| {
        format!(
            "{} does not print its version; give it with --program {}@VERSION={}",
            driver.program,
            driver.id,
            path.display()
        )
    })
}

/// Installs a package, unless it is already installed.
fn install(folder: &Path, package: Package) -> Result<(), String> {
    if folder.join("installed").is_file() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    match package {
        Package::Npm(name, version, others) => {
            let npm = |packages: &[String]| {
                let mut npm = Command::new("npm");
                npm.args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]).arg(folder);
                said(npm.args(packages), name)
            };
            // One of the others may be the node that the scripts of the package need.
            let others: Vec<_> = others.iter().map(|&other| other.to_owned()).collect();
            if !others.is_empty() {
                npm(&others)?;
            }
            npm(&[vec![format!("{name}@{version}")], others].concat())?;
        }
        Package::Pip(name, version) => {
            let base = python()?;
            let mut pip = Command::new(base.join("bin/python3.12"));
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--ignore-installed",
                "--prefix",
            ]);
            said(pip.arg(folder).arg(format!("{name}=={version}")), name)?;
            // The container has no Python 3.12: the package brings the interpreter and its library.
            let copies = ["bin/python3.12", "lib/python3.12", "lib/libpython3.12.so.1.0"].map(|part| base.join(part));
            for copy in copies.iter().filter(|copy| copy.exists()) {
                let to = folder.join(copy.strip_prefix(&base).unwrap_or(copy)).with_file_name("");
                said(Command::new("cp").args(["-rn"]).arg(copy).arg(to), name)?;
            }
            for script in fs::read_dir(folder.join("bin")).map_err(|error| error.to_string())?.flatten() {
                let Ok(text) = fs::read_to_string(script.path()) else { continue };
                if let Some((_, rest)) =
                    text.split_once('\n').filter(|(line, _)| line.starts_with("#!") && line.contains("python"))
                {
                    let text = format!("#!/usr/bin/env python3\n{rest}");
                    fs::write(script.path(), text).map_err(|error| error.to_string())?;
                }
            }
            let link = std::os::unix::fs::symlink("python3.12", folder.join("bin/python3"));
            link.map_err(|error| error.to_string())?;
        }
    }
    fs::write(folder.join("installed"), "").map_err(|error| error.to_string())
}

/// The folder of a Python 3.12.
fn python() -> Result<PathBuf, String> {
    let print = "import sys; print(sys.base_prefix)";
    let said = Command::new("python3.12").args(["-c", print]).env("PYENV_VERSION", "3.12").output();
    let said = said.map_err(|error| format!("python3.12: {error}"))?;
    let folder = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    if said.status.success() { Ok(folder.into()) } else { Err("python3.12 is not installed".to_owned()) }
}

/// Runs an installer, and returns the last line that it printed if it fails.
fn said(command: &mut Command, package: &str) -> Result<(), String> {
    let installer = command.get_program().to_string_lossy().into_owned();
    let said = command.output().map_err(|error| format!("{installer}: {error}"))?;
    if said.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&said.stderr).trim().lines().last().unwrap_or_default().to_owned();
    Err(format!("{installer} cannot install {package}: {why}"))
}
