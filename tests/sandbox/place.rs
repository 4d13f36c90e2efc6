//! A home folder, a project in it, and a policy with a sandbox.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::skipped::skipped;

use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use tempfile::TempDir;

pub(crate) const SNAPHOOK: &str = env!("CARGO_BIN_EXE_snaphook");

/// A home folder with keys, and a project with a repository in it.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["home/.ssh", "home/.config/snaphook", "home/project/.git", "home/other"] {
            std::fs::create_dir_all(place.path(folder)).unwrap();
        }
        place.file("home/.ssh/id_test", "SECRET\n");
        place.file("home/.ssh/id_test.pub", "PUBLIC\n");
        place.file("home/other/kept", "KEPT\n");
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// Only the project is writable, because everything is in a temporary folder.
    pub(crate) fn policy(&self, launcher: &str, more: &str) -> PathBuf {
        let write = if more.contains("write") { "" } else { "write = [\"/\"]\n" };
        let text = format!("[sandbox]\nlauncher = \"{launcher}\"\n{write}{more}\n");
        self.file("home/.config/snaphook/snaphook.toml", &text)
    }

    /// Trusts the project's policy by answering on a new terminal.
    pub(crate) fn trust(&self) {
        let line = shlex::try_join([SNAPHOOK, "trust", "."]).unwrap();
        let mut script = self.command("/usr/bin/script");
        let script = script.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = script.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"y\n").unwrap();
        let said = child.wait_with_output().unwrap();
        assert!(said.status.success(), "{said:?}");
    }

    /// A command in the project, with this home folder and its policy.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("home/project")).env("HOME", self.path("home")).stdin(Stdio::null());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"] {
            command.env_remove(name);
        }
        command
    }

    /// `snaphook run -- sh -c TEXT`, not started yet.
    pub(crate) fn sandboxed(&self, text: &str) -> Command {
        let mut command = self.command(SNAPHOOK);
        command.args(["run", "--", "sh", "-c", "--", text]);
        command
    }

    pub(crate) fn run(&self, text: &str) -> Ran {
        Ran::from(self.sandboxed(text).output().unwrap())
    }
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Calls `check` for each launcher available on this machine.
pub(crate) fn each(check: impl Fn(&str)) {
    for launcher in ["landlock", "bwrap"] {
        if has(launcher) {
            check(launcher);
        }
    }
}

/// Returns true if a launcher works here, without using the program under test.
pub(crate) fn has(launcher: &str) -> bool {
    let works = match launcher {
        "landlock" => Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V3))
            .and_then(Ruleset::create)
            .is_ok(),
        _ => quietly(Command::new("bwrap").args(["--ro-bind", "/", "/", "--dev", "/dev", "true"])),
    };
    if !works {
        skipped(&format!("{launcher}: this machine does not have it, or does not let it work"));
    }
    works
}

/// Returns true if a mount namespace can be created.
pub(crate) fn has_namespaces() -> bool {
    let works = quietly(Command::new("unshare").args(["--user", "--map-current-user", "--mount", "true"]));
    if !works {
        skipped("namespaces: this machine does not let them be made");
    }
    works
}

/// Returns true if a program is installed.
pub(crate) fn has_program(program: &str) -> bool {
    let there = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder: PathBuf| Path::new(&folder).join(program).is_file());
    if !there {
        skipped(&format!("{program}: it is not on this machine"));
    }
    there
}

fn quietly(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
