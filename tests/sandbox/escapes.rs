//! Escapes that need several commands, or a call that chooses its working directory.

use serde_json::{Value, json};

use crate::place::{Place, Ran, SNAPHOOK, each, has_namespaces};

fn policy(place: &Place, launcher: &str, write: &str, more: &str) {
    place.policy(launcher, &format!("write = {write}\n{more}"));
}

fn run_in(place: &Place, folder: &str, project: Option<&str>, text: &str) -> Ran {
    let mut command = place.command(SNAPHOOK);
    command.current_dir(place.path(folder)).arg("run");
    if let Some(project) = project {
        command.arg("--project").arg(place.path(project));
    }
    Ran::from(command.args(["--", "sh", "-c", "--", text]).output().unwrap())
}

#[test]
fn r2_the_home_folder_and_its_parents_are_never_a_project() {
    each(|launcher| {
        let place = Place::new();
        policy(&place, launcher, r#"["/", "."]"#, "");
        for folder in ["home", "home/..", "home/project/../.."] {
            let ran = run_in(&place, folder, None, "echo x > \"$HOME/out\"");
            assert_ne!(ran.code, Some(0), "{launcher} {folder}: {ran:?}");
            assert_eq!(place.text("home/out"), None, "{launcher} {folder}");
        }
        assert_eq!(run_in(&place, "home/project", None, "echo x > in").code, Some(0), "{launcher}");
    });
}

#[test]
fn r2_roots_come_from_the_session_folder_and_not_from_the_directory_of_a_command() {
    each(|launcher| {
        let place = Place::new();
        policy(&place, launcher, r#"["/"]"#, "");
        for (text, works) in [("echo x > kept", false), ("echo x > ../project/in", true)] {
            let ran = run_in(&place, "home/other", Some("home/project"), text);
            assert_eq!(ran.code == Some(0), works, "{launcher}: {text}: {ran:?}");
        }
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher}");
        assert_eq!(run_in(&place, "home/project", Some("nowhere/../x"), "true").code, Some(0), "what is not there");
    });
}

#[test]
fn r2_a_wrapped_command_names_the_folder_of_the_session() {
    let place = Place::new();
    policy(&place, "landlock", r#"["/"]"#, "[permissions]\nallow = [\"Bash\"]");
    let cwd = place.path("home/project");
    let message = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "tool_input_transform", "tool_name": "shell",
        "agent_name": "root", "tool_input": {"cmd": "pwd", "cwd": "/"}});
    let answer = hook(&place, &["docker-agent", "--event", "tool_input_transform", "--guarded"], &message);
    let wrapped = answer["hook_specific_output"]["updated_input"]["cmd"].as_str().unwrap().to_owned();
    assert!(wrapped.contains(&format!("--project {}", cwd.display())), "{wrapped}");

    let call = |folder: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "hook.before_tool", "params": {"meta": {"Source": "x"}, "context": {},
            "tool": "exec", "arguments": {"action": "run", "command": "pwd", "cwd": folder}}})
    };
    std::os::unix::fs::symlink("../other", place.path("home/project/sub")).unwrap();
    for (folder, denied) in [("/", true), ("~/x", true), ("a/../../b", true), ("sub", true), (".", false), ("", false)]
    {
        let answer = hook(&place, &["picoclaw"], &call(folder.into()));
        assert_eq!(answer["result"]["action"] == "deny_tool", denied, "{folder}: {answer}");
    }
}

fn hook(place: &Place, words: &[&str], message: &Value) -> Value {
    hook_with(place, words, message, std::path::Path::new(SNAPHOOK).parent().unwrap().as_os_str())
}

fn hook_with(place: &Place, words: &[&str], message: &Value, path: &std::ffi::OsStr) -> Value {
    use std::io::Write;
    let mut command = place.command(SNAPHOOK);
    command.arg("hook").args(words).arg("--no-audit").env("SHELL", "/bin/sh").env("PATH", path);
    let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    serde_json::from_slice(&out).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out)))
}

#[test]
fn r8_a_launcher_in_a_writable_folder_is_not_started() {
    let place = Place::new();
    policy(&place, "bwrap", r#"["/"]"#, "");
    let planted = place.file("home/project/.venv/bin/bwrap", "#!/bin/sh\ntouch \"$HOME/out\"\n");
    std::fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let bin = planted.parent().unwrap().to_owned();
    for (path, works) in [(format!("{}:/usr/bin:/bin", bin.display()), true), (bin.display().to_string(), false)] {
        let mut command = place.sandboxed(": works");
        let ran = Ran::from(command.env("PATH", &path).output().unwrap());
        if works && crate::place::has("bwrap") {
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
        if !works {
            assert_eq!(ran.code, Some(126), "{ran:?}");
            assert!(ran.err.contains("in a folder of PATH that commands cannot write to"), "{ran:?}");
        }
        assert_eq!(place.text("home/out"), None);
    }
}

#[test]
fn r8_a_custom_launcher_in_a_writable_folder_is_not_started() {
    let place = Place::new();
    place.file("home/.config/snaphook/snaphook.toml", "[sandbox]\nlauncher = [\"cage\", \"--\", \"{}\"]\n");
    let planted = place.file("home/project/.venv/bin/cage", "#!/bin/sh\ntouch \"$HOME/out\"\n");
    std::fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for path in [planted.parent().unwrap().to_str().unwrap(), ".venv/bin"] {
        let ran = Ran::from(place.sandboxed("true").env("PATH", format!("{path}:/usr/bin:/bin")).output().unwrap());
        assert_eq!(ran.code, Some(126), "{path} {ran:?}");
        assert!(ran.err.contains("`cage` is not on PATH outside of the project"), "{ran:?}");
        assert_eq!(place.text("home/out"), None, "{path}");
    }
    place.file("home/.config/snaphook/snaphook.toml", "[sandbox]\nlauncher = [\"env\", \"A=x y\", \"{}\"]\n");
    let path = format!("{}:.venv/bin:/usr/bin:/bin", planted.parent().unwrap().display());
    let ran = Ran::from(place.sandboxed("echo $A").env("PATH", path).output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "x y\n"), "{ran:?}");
}

#[test]
fn r2_a_bare_name_that_resolves_to_another_program_is_refused() {
    let place = Place::new();
    policy(&place, "landlock", "[\"//tmp\"]", "");
    let planted = place.file("home/project/bin/snaphook", "#!/bin/sh\nshift 4; \"$@\"\n");
    std::fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "hook.before_tool", "params": {"meta": {"Source": "x"},
        "context": {}, "tool": "exec", "arguments": {"action": "run", "command": "pwd"}}});
    let (ours, theirs) = (std::path::Path::new(SNAPHOOK).parent().unwrap(), planted.parent().unwrap());
    let (ours, theirs) = (ours.display(), theirs.display());
    for (path, says) in [
        (format!("{theirs}:{ours}"), Some("is another program")),
        (format!("bin:{ours}"), Some("PATH has the folder `bin`")),
        (format!(":{ours}"), Some("PATH has the folder ``")),
        (format!("{ours}:{theirs}:bin"), None),
        (format!("/nowhere:{ours}"), None),
    ] {
        let answer = hook_with(&place, &["picoclaw"], &call, path.as_ref());
        let text = answer.to_string();
        assert_eq!(answer["result"]["action"] == "deny_tool", says.is_some(), "{path}: {answer}");
        assert!(says.is_none_or(|says| text.contains(says)), "{path}: {answer}");
    }
}

#[test]
fn a_nested_project_stays_the_project() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        policy(&place, launcher, r#"["/"]"#, "");
        place.file("home/outer/.git/HEAD", "x");
        place.file("home/outer/inner/.git/HEAD", "x");
        let ran = run_in(&place, "home/outer/inner", None, "echo x > in; mv .git .g; rm -rf .git; true");
        assert_eq!(ran.code, Some(0), "{launcher}: {ran:?}");
        let ran = run_in(&place, "home/outer/inner", None, "echo x > ../out");
        assert_ne!(ran.code, Some(0), "{launcher}: {ran:?}");
        assert_eq!((place.text("home/outer/out"), place.text("home/outer/inner/in").as_deref()), (None, Some("x\n")));
    });
}

#[test]
fn a_nested_root_is_not_resolved_through_links() {
    each(|launcher| {
        let place = Place::new();
        let (outer, inner) = (place.path("shared"), place.path("shared/inner"));
        std::fs::create_dir_all(&inner).unwrap();
        let write = format!("[\"/{}\", \"/{}\"]", outer.display(), inner.display());
        policy(&place, launcher, &write, "");
        let planted = format!("mv {0} {0}.x && ln -s $HOME/other {0}", inner.display());
        assert_eq!(run_in(&place, "home/project", None, &planted).code, Some(0), "{launcher}");
        let ran = run_in(&place, "home/project", None, "echo x > $HOME/other/kept");
        assert_ne!(ran.code, Some(0), "{launcher}: {ran:?}");
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher}");
    });
}

#[test]
fn a_hidden_file_cannot_be_moved_to_a_readable_path() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        policy(&place, launcher, r#"["~"]"#, "");
        run_in(&place, "home/project", None, "mv ~/.ssh ~/seen; mv ~/.ssh/id_test ~/seen");
        let ran = run_in(&place, "home/project", None, "cat ~/seen/id_test ~/seen");
        assert!(!ran.out.contains("SECRET"), "{launcher}: {ran:?}");
        assert_eq!(place.text("home/.ssh/id_test").as_deref(), Some("SECRET\n"), "{launcher}");
    });
}

#[test]
fn s10_a_command_cannot_create_our_folder() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        for there in [false, true] {
            let place = Place::new();
            policy(&place, launcher, r#"["~"]"#, "");
            if there {
                place.file("home/.local/state/snaphook/audit.jsonl", "");
            }
            let plant = "mkdir -p ~/.local/state/snaphook/index; echo x > ~/.local/state/snaphook/trust.toml; \
                         echo x > ~/.local/state/snaphook/index/x; mv ~/.local/state ~/.local/s; echo x > ~/works";
            let ran = run_in(&place, "home/project", None, plant);
            assert_eq!(place.text("home/works").as_deref(), Some("x\n"), "{launcher}: {ran:?}");
            // Beside the policy is what a person has set aside.
            let overrides = "mkdir -p ~/.config/snaphook/overrides; echo x > ~/.config/snaphook/overrides/pause.toml";
            run_in(&place, "home/project", None, overrides);
            assert_eq!(place.text("home/.config/snaphook/overrides/pause.toml"), None, "{launcher} {there}");
            // Of a policy in the project, the other files of the folder can be written.
            let text = format!("[sandbox]\nlauncher = \"{launcher}\"\nwrite = [\"~\"]\n");
            let named = place.file("home/project/team.toml", &text).display().to_string();
            let plant = "mkdir -p overrides; echo x > overrides/pause.toml; mv overrides o; echo x > other";
            let mut command = place.command(SNAPHOOK);
            command.current_dir(place.path("home/project"));
            let ran = command.args(["run", "--policy", &named, "--", "sh", "-c", plant]).output().unwrap();
            assert_eq!(place.text("home/project/other").as_deref(), Some("x\n"), "{launcher}: {ran:?}");
            assert_eq!(place.text("home/project/overrides/pause.toml"), None, "{launcher}");
            assert!(!place.path("home/project/o").exists(), "{launcher}");
            for planted in ["trust.toml", "index/x"] {
                assert_eq!(place.text(&format!("home/.local/state/snaphook/{planted}")), None, "{launcher} {there}");
            }
            assert!(!place.path("home/.local/s").exists(), "{launcher} {there}");
        }
    });
}

#[test]
fn a_command_cannot_uncover_a_hidden_file_with_mounts() {
    if !(has_namespaces() && crate::place::has_program("python3")) {
        return;
    }
    // All but the last are refused for everyone except root anyway.
    let tries = "import ctypes, struct
call = ctypes.CDLL(None, use_errno=True).syscall
attr = struct.pack('QQQQ', 0, 1, 0, 0)
def attempt(*words): print(call(*words), ctypes.get_errno(), end=' ')
attempt(428, -100, b'.', 1)
attempt(467, -100, b'.', 1, None, 0)
attempt(467, -100, b'.claude', 0, attr, len(attr))
attempt(442, -100, b'.env', 0, attr, len(attr))
attempt(430, b'tmpfs', 0)
attempt(433, -100, b'.', 0)
attempt(429, -100, b'.env', -100, b'.', 0)
print(call(428, -100, b'.', 0) > 2)";
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/.env", "SECRET\n");
        place.file("home/project/.claude/settings.json", "kept");
        place.file("home/project/tries.py", tries);
        policy(&place, launcher, "[\"/\"]", "hide = [\"/.env\"]");
        let text = "python3 tries.py; echo bad > .claude/settings.json";
        let ran = run_in(&place, "home/project", None, text);
        assert_eq!(ran.out, format!("{}True\n", "-1 1 ".repeat(7)), "{launcher} {ran:?}");
        assert_eq!(place.text("home/project/.claude/settings.json").as_deref(), Some("kept"), "{launcher}");
    });
}
