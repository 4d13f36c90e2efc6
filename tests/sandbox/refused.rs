//! If the sandbox cannot be applied completely, nothing is run (R8).

use crate::place::{Place, SNAPHOOK, has};

fn refused(place: &Place, arguments: &[&str], says: &str) {
    let output = place.command(SNAPHOOK).arg("run").args(arguments).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(126), "{arguments:?} {err}");
    assert!(err.contains(says), "{arguments:?} {err}");
    assert!(output.stdout.is_empty() && !place.path("home/project/ran").exists(), "{arguments:?}");
}

const COMMAND: [&str; 3] = ["--", "touch", "ran"];

#[test]
fn a_command_is_refused_without_a_sandbox() {
    let place = Place::new();
    std::os::unix::fs::symlink("/", place.path("home/root")).unwrap();
    refused(&place, &COMMAND, "starter has no [sandbox]");
    place.file("home/.config/snaphook/snaphook.toml", "[permissions]\n");
    refused(&place, &COMMAND, "has no [sandbox]");
    for (text, says) in [
        ("[sandbox]\n", "missing `launcher`"),
        ("[sandbox]\nlauncher = \"bwrap\"\nwrite = [\"*\"]\n", "is a glob"),
        ("[sandbox]\nlauncher = \"landlock\"\nhide = [\"//\"]\n", "is the root directory"),
        ("[sandbox]\nlauncher = \"landlock\"\nhide = [\"~/root\"]\n", "resolves to the root directory"),
        ("[sandbox\n", "nothing was run"),
        ("", "empty file"),
    ] {
        place.file("home/.config/snaphook/snaphook.toml", text);
        refused(&place, &COMMAND, says);
    }
    place.policy("bwrap", "");
    refused(&place, &["--policy", "/nowhere/p.toml", "--", "touch", "ran"], "cannot be read");
    refused(&place, &["--"], "missing command; expected `-- PROGRAM [ARGUMENT]...`");
    refused(&place, &["--network", "--", "touch", "ran"], "invalid option '--network'");
}

#[test]
fn a_command_is_refused_if_the_launcher_is_missing() {
    let place = Place::new();
    place.policy("bwrap", "");
    let mut command = place.command(SNAPHOOK);
    let output = command.args(["run"]).args(COMMAND).env("PATH", "/nowhere").output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(126), "{err}");
    assert!(err.contains("install the package bubblewrap") && !place.path("home/project/ran").exists(), "{err}");
    place.file("home/.config/snaphook/snaphook.toml", "[sandbox]\nlauncher = [\"/nowhere/cage\", \"{}\"]\n");
    let output = place.command(SNAPHOOK).arg("run").args(COMMAND).output().unwrap();
    assert_eq!(output.status.code(), Some(126), "{output:?}");
}

#[test]
fn a_command_is_refused_if_a_hidden_path_cannot_be_resolved() {
    let place = Place::new();
    let policy = place.policy("landlock", "");
    let output = place
        .command(SNAPHOOK)
        .args(["run", "--policy", policy.to_str().unwrap()])
        .args(COMMAND)
        .env_remove("HOME")
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(126) && err.contains("HOME is not set"), "{err}");
}

#[test]
fn a_custom_launcher_receives_the_command() {
    let place = Place::new();
    // A program that was just written cannot be executed while another test starts a process.
    let cage = place.file("home/cage", "printf '<%s>' \"$@\"\n");
    let cage = cage.display();
    for (template, shown) in [
        ("\"--\", \"{}\", \"end\"", "<--><sh><-c><--><it's $x><end>"),
        ("\"-c\", \"exec {} 2>&1\"", "<-c><exec sh -c -- \"it's \"'$x' 2>&1>"),
    ] {
        let text = format!("[sandbox]\nlauncher = [\"/bin/sh\", \"{cage}\", {template}]\n");
        place.file("home/.config/snaphook/snaphook.toml", &text);
        let ran = place.run("it's $x");
        assert_eq!(ran.out, shown, "{ran:?}");
    }
}

#[test]
fn an_untrusted_project_cannot_widen_the_sandbox() {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    place.file("home/.config/snaphook/snaphook.toml", "[sandbox]\nlauncher = \"landlock\"\nnetwork = \"off\"\n");
    place.file(
        "home/project/.snaphook.toml",
        "[sandbox]\nlauncher = \"bwrap\"\nwrite = [\"~/other\"]\nnetwork = \"on\"\n[protect]\nsnaphook = \"off\"\n",
    );
    place.policy("landlock", "write = [\"/\"]\n[protect]\nsnaphook = \"off\"\nagents = \"off\"");
    assert_eq!(place.run("echo x > ../other/new").code, Some(2));
    let text = "[sandbox]\nlauncher = \"landlock\"\n[protect]\nsnaphook = \"off\"\nagents = \"off\"\n";
    place.file("home/.config/snaphook/snaphook.toml", text);
    place.trust();
    let ran = place.run("echo x > ../other/new && echo y > here");
    assert!(place.path("home/other/new").exists() && !place.path("home/project/here").exists(), "{ran:?}");
}
