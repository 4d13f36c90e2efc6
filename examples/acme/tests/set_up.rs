//! Acme is registered by its rows alone.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

#[test]
fn an_agent_of_another_crate_can_be_installed_checked_and_uninstalled() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".acme/hooks.json");
    let before = "{\n  // mine\n  \"hooks\": {\"tool_wanted\": [{\"command\": \"/bin/theirs\"}]}\n}\n";
    fs::create_dir(home.path().join(".acme")).unwrap();
    fs::write(&file, before).unwrap();
    let says = |words: &[&str], code: i32, part: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snaphook-example-acme"));
        // In the background of the terminal on which the tests may run, so that nothing is asked there.
        command.args(words).current_dir(&home).env_clear().env("HOME", home.path()).process_group(0);
        let said = command.output().unwrap();
        let text = String::from_utf8(said.stdout).unwrap() + &String::from_utf8(said.stderr).unwrap();
        assert!(said.status.code() == Some(code) && text.contains(part), "{words:?}: {text}");
    };
    says(&["status"], 1, "absent");
    says(&["install", "--yes"], 0, "acme: registered in");
    says(&["install", "--yes"], 0, "is up to date");
    says(&["status"], 0, "current");
    says(&["status"], 0, "acme: unverified: no data file");
    says(&["agents"], 0, "acme (Acme), unverified");
    says(&["doctor"], 0, "acme in ~/.acme/hooks.json: not tried; unverified");
    says(&["try", "--agent", "acme", "ls"], 0, "unverified");
    let with = fs::read_to_string(&file).unwrap();
    assert!(with.contains("// mine") && with.contains("/bin/theirs"), "{with}");
    fs::write(&file, with.replace("\"--event\", \"tool_wanted\"", "\"--event\", \"other\"")).unwrap();
    says(&["status"], 1, "edited by you");
    fs::write(&file, with).unwrap();
    says(&["uninstall"], 1, "asks for confirmation on a terminal");
    // `script` gives it one.
    let line = format!("{} uninstall", env!("CARGO_BIN_EXE_snaphook-example-acme"));
    let mut script = Command::new("/usr/bin/script");
    let script = script.args(["-qec", &line, "/dev/null"]).current_dir(&home).env_clear().env("HOME", home.path());
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    let said = child.wait_with_output().unwrap();
    assert!(said.status.success(), "{said:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}
