//! A pipe, device or lock in place of a file causes an immediate error that names the file.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::place::{Place, Said};

/// The time after which a command is considered hung.
const SOON: Duration = Duration::from_mins(1);

/// Replaces a file by something else.
fn replaced(path: &Path, by: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    match by {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        device => std::os::unix::fs::symlink(device, path).unwrap(),
    }
}

fn run(place: &Place, words: &[&str]) -> Said {
    let started = Instant::now();
    let timeout = Path::new("/usr/bin/timeout");
    let words_and_limit = [&["--foreground", "120", place.binary().to_str().unwrap()], words].concat();
    let said = match words.first() {
        Some(&("trust" | "uninstall")) => place.answered_by(timeout, &words_and_limit, "y\n"),
        _ => Said::of(place.command(timeout).args(&words_and_limit), ""),
    };
    assert!(started.elapsed() < SOON, "{words:?}: {said:?}");
    said
}

#[test]
fn a_pipe_or_a_device_in_place_of_an_agents_file_is_named_by_every_command() {
    for by in ["pipe", "/dev/zero"] {
        let place = Place::new();
        replaced(&place.path("home/.claude/settings.json"), by);
        for words in
            [&["install", "claude-code", "--yes"][..], &["uninstall", "claude-code"], &["status", "claude-code"]]
        {
            let said = run(&place, words);
            let text = format!("{}{}", said.out, said.err);
            assert!(text.contains("settings.json") && text.contains("not a regular file"), "{by}: {words:?}: {said:?}");
        }
        // Doctor reads only files that it can read.
        run(&place, &["doctor", "claude-code"]);
    }
}

#[test]
fn a_pipe_or_a_device_in_place_of_a_policy_or_a_trust_store_is_named() {
    for by in ["pipe", "/dev/zero"] {
        for (replace, words) in [
            ("home/.config/snaphook/snaphook.toml", &["try", "ls"][..]),
            ("project/.snaphook.toml", &["try", "ls"]),
            ("project/.snaphook.toml", &["trust"]),
            ("home/.local/state/snaphook/trust.toml", &["trust"]),
            ("home/.local/state/snaphook/trust.lock", &["trust"]),
        ] {
            let place = Place::new();
            place.file("project/.snaphook.toml", "[permissions]\nallow = [\"Bash(ls)\"]\n");
            replaced(&place.path(replace), by);
            let said = run(&place, words);
            let name = Path::new(replace).file_name().unwrap().to_str().unwrap();
            let text = format!("{}{}", said.out, said.err);
            // A project's file is named by what a link leads to.
            assert!(text.contains(name) || text.contains(by), "{by}: {replace}: {said:?}");
            assert!(said.code != Some(0) || words[0] == "try", "{by}: {replace}: {said:?}");
        }
    }
}

#[test]
fn a_log_that_is_a_device_or_a_pipe_without_a_writer_is_an_error_and_a_pipe_with_one_is_read() {
    let place = Place::new();
    let (pipe, log) = (place.at("pipe"), place.file("log", ""));
    replaced(Path::new(&pipe), "pipe");
    for path in ["/dev/zero", "/dev/null", pipe.as_str()] {
        for words in [["log", "--audit", path], ["why", "--audit", path]] {
            let words = if words[0] == "why" { [&words[..], &["aaaaaaa"]].concat() } else { words.to_vec() };
            let said = run(&place, &words);
            assert!(said.code == Some(2) && said.err.contains(path), "{words:?}: {said:?}");
        }
    }
    let said = run(&place, &["log", "--audit", &log]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut command = place.command("/bin/sh");
    let script = "(echo nonsense; sleep 1; echo nonsense) | \"$0\" log --audit /dev/stdin";
    let said = Said::of(command.args(["-c", script]).arg(place.binary()).env("PATH", "/usr/bin:/bin"), "");
    assert!(said.code == Some(0) && said.err.contains('2'), "{said:?}");
}

#[test]
fn a_lock_that_another_process_holds_is_an_error_that_names_it() {
    for (lock, words) in [
        ("home/.local/state/snaphook/trust.lock", &["trust"][..]),
        ("home/.local/state/snaphook/installed.lock", &["install", "claude-code", "--yes"]),
    ] {
        let place = Place::new();
        place.file("project/.snaphook.toml", "[permissions]\nallow = [\"Bash(ls)\"]\n");
        place.file("home/.claude/settings.json", "{}\n");
        let held = File::open(place.file(lock, "")).unwrap();
        held.lock().unwrap();
        let said = run(&place, words);
        let name = Path::new(lock).file_name().unwrap().to_str().unwrap();
        let text = format!("{}{}", said.out, said.err);
        assert!(text.contains(name) && text.contains("locked by another process"), "{said:?}");
        drop(held);
    }
}

/// A killed run leaves its temporary file behind; the next one that writes the same file removes it.
#[test]
fn temporary_files_of_a_killed_run_are_removed_by_the_next() {
    let place = Place::new();
    let left = [
        place.file("home/.claude/.settings.json.snaphook-a1B2c3", "{"),
        place.file("home/.local/state/snaphook/.trust.toml.snaphook-a1B2c3", "#"),
        place.file("home/.local/state/snaphook/.installed.json.snaphook-a1B2c3", "{"),
    ];
    for path in &left {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::now() - SOON).unwrap();
    }
    place.file("home/.claude/settings.json", "{}\n");
    place.file("project/.snaphook.toml", "[permissions]\nallow = [\"Bash(ls)\"]\n");
    run(&place, &["install", "claude-code", "--yes"]);
    run(&place, &["trust"]);
    for path in &left {
        assert!(!Path::new(path).exists(), "{path}");
    }
}
