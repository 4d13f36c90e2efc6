//! A hanging file system ends a command; waiting for the user does not.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use wait_timeout::ChildExt;

use crate::policies::DEAD_MOUNT;
use crate::process::{Faults, NEVER, Place};
use crate::skipped::skipped;

/// Starts a command with a dead mount at this path of the home folder, if one is given.
fn start(place: &Place, dead: Option<&str>, words: &[&str]) -> Child {
    let program = env!("CARGO_BIN_EXE_snaphook");
    let mut command = Command::new(if dead.is_some() { "/bin/sh" } else { program });
    if let Some(dead) = dead {
        std::fs::create_dir_all(place.path(dead)).unwrap();
        command.args(["-c", DEAD_MOUNT, "sh", place.path(dead).to_str().unwrap(), program]);
    }
    command.args(words).current_dir(place.path("")).env_clear().env("HOME", place.path(""));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the exit status; a process that does not end is killed.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    let status = child.wait_timeout(NEVER).unwrap();
    if status.is_none() {
        child.kill().unwrap();
    }
    status
}

const CLAUDE: &str = ".claude";
const CONFIG: &str = ".config/snaphook";
const STATE: &str = ".local/state/snaphook";

/// Every command that reads files, with a path that it reads.
const COMMANDS: &[(&str, &[&str], i32)] = &[
    (CLAUDE, &["install", "claude-code", "--yes"], 2),
    (CLAUDE, &["install", "--dry-run"], 2),
    (CLAUDE, &["uninstall", "claude-code", "--dry-run"], 2),
    (CLAUDE, &["status"], 2),
    (CLAUDE, &["doctor"], 2),
    (CLAUDE, &["import", "claude-code"], 2),
    (CONFIG, &["install", "claude-code", "--yes"], 2),
    (CONFIG, &["status"], 2),
    (CONFIG, &["doctor"], 2),
    (CONFIG, &["try", "ls"], 2),
    (CONFIG, &["log"], 2),
    (CONFIG, &["why", "k3f9abc"], 2),
    (CONFIG, &["init"], 2),
    (CONFIG, &["run", "--", "true"], 126),
    (STATE, &["install", "claude-code", "--yes"], 2),
    (STATE, &["log"], 2),
    (STATE, &["why", "k3f9abc"], 2),
    ("project", &["trust", "project"], 2),
    ("project", &["agents", "claude-code", "--snippet", "--policy", "project/policy.toml"], 2),
    ("project", &["run", "--policy", "project/policy.toml", "--", "true"], 126),
    ("project", &["man", "project"], 2),
];

#[test]
fn a_command_ends_if_the_file_system_hangs() {
    let started: Vec<_> = COMMANDS
        .iter()
        .map(|&(dead, words, code)| {
            let place = Place::new();
            let child = start(&place, Some(dead), words);
            (place, child, dead, words, code)
        })
        .collect();
    let mut faults = Faults::default();
    for (place, mut child, dead, words, code) in started {
        let status = ended(&mut child);
        let said = child.wait_with_output().unwrap();
        if said.status.code() == Some(77) {
            skipped("dead mount: no FUSE file system can be mounted here");
            return;
        }
        let text = String::from_utf8(said.stderr).unwrap();
        let names = text.contains(place.path(dead).to_str().unwrap());
        let says = names && text.contains("the file system did not respond for 10 s");
        faults.unless(status.is_some() && said.status.code() == Some(code) && says, || {
            format!("{words:?}, {dead}: {status:?}: {text}")
        });
    }
    faults.none();
}

#[test]
fn a_blocked_command_ends_at_a_signal() {
    let mut faults = Faults::default();
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new();
        let mut child = start(&place, Some(CLAUDE), &["status"]);
        let id = Pid::from_child(&child);
        // Two threads show that the program is running and reads files.
        let tasks = format!("/proc/{}/task", id.as_raw_nonzero());
        while child.try_wait().unwrap().is_none() && std::fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() < 2) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = kill_process(id, signal);
        let status = ended(&mut child).unwrap();
        if status.code() == Some(77) {
            skipped("dead mount: no FUSE file system can be mounted here");
            return;
        }
        faults.unless(status.signal() == Some(signal.as_raw()), || format!("{signal:?}: {status:?}"));
    }
    faults.none();
}

/// Longer than the time limit of file access.
const LONG: Duration = Duration::from_secs(13);

#[test]
fn a_question_to_the_user_has_no_time_limit() {
    let place = Place::new();
    std::fs::create_dir_all(place.path(CLAUDE)).unwrap();
    let line = format!("{} install claude-code", env!("CARGO_BIN_EXE_snaphook"));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear().env("HOME", place.path(""));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(LONG);
    assert!(child.try_wait().unwrap().is_none(), "it has not waited for an answer");
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    let said = child.wait_with_output().unwrap();
    assert!(said.status.success() && place.path(CLAUDE).join("settings.json").exists(), "{said:?}");
}
