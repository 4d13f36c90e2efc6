//! Files that other programs create while a command runs, and permissions that a command removes for later
//! commands.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{ChildStdin, ChildStdout, Stdio};

use crate::place::{Place, Ran, each, has, has_namespaces, has_program};

/// Starts a sandboxed command that reports when it is ready and continues when told to.
fn waiting(place: &Place, text: &str) -> (std::process::Child, ChildStdin, BufReader<ChildStdout>) {
    let mut command = place.sandboxed(&format!("echo ready; read line; {text}"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (input, mut out) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, input, out)
}

fn rest(mut child: std::process::Child, mut input: ChildStdin, mut out: BufReader<ChildStdout>, line: &str) -> String {
    input.write_all(format!("{line}\n").as_bytes()).unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut out, &mut said).unwrap();
    child.wait().unwrap();
    said
}

/// Opens a terminal, prints its name, and exits at the end of its input.
const TERMINAL: &str = "import os, pty, sys
master, slave = pty.openpty(); print(os.ttyname(slave), flush=True); sys.stdin.readline()";

#[test]
fn a_terminal_opened_later_is_inaccessible() {
    if !has_program("python3") {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "hide = []");
        let opens = "import os, sys
for way in (os.O_WRONLY, os.O_RDONLY):
    try: os.open(sys.argv[1], way | os.O_NOCTTY | os.O_NONBLOCK); print('OPENED')
    except OSError: print('refused')
";
        place.file("home/project/opens.py", opens);
        let (child, input, out) = waiting(&place, "python3 opens.py $line");
        let mut outside = std::process::Command::new("python3");
        let outside = outside.args(["-c", TERMINAL]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut outside = outside.spawn().unwrap();
        let mut name = String::new();
        BufReader::new(outside.stdout.take().unwrap()).read_line(&mut name).unwrap();
        assert!(name.starts_with("/dev/pts/"), "{name}");
        let said = rest(child, input, out, name.trim());
        drop(outside.stdin.take());
        outside.wait().unwrap();
        assert_eq!(said, "refused\nrefused\n", "{launcher}");
    });
}

#[test]
fn a_command_can_create_its_own_terminals() {
    if !(has_program("python3") && has_namespaces()) {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let ran = place.run("python3 -c 'import os, pty; m, s = pty.openpty(); print(os.ttyname(s))'");
        assert_eq!(ran.out, "/dev/pts/0\n", "{launcher} {ran:?}");
    });
}

#[test]
fn without_a_mount_namespace_only_the_terminal_of_the_command_can_be_opened() {
    if !(has("landlock") && has_program("python3")) {
        return;
    }
    let place = Place::new();
    // Inside a sandbox, no namespace can be created for a second one.
    let outer = place.file("home/outer.toml", "[sandbox]\nlauncher = \"landlock\"\nwrite = [\"/\"]\nhide = []\n");
    place.policy("landlock", "hide = []");
    let inner = "import os, pty, subprocess, sys
master, slave = pty.openpty()
subprocess.run([sys.argv[1], 'run', '--', 'python3', '-c', '''
import os, sys
for name in (sys.argv[1], '/dev/ptmx'):
    for way in (os.O_WRONLY, os.O_RDONLY):
        try: os.open(name, way | os.O_NOCTTY | os.O_NONBLOCK); print('OPENED')
        except OSError: print('refused')
''', os.ttyname(slave)])";
    place.file("home/project/inner.py", inner);
    let mut command = place.command(crate::place::SNAPHOOK);
    command.args(["run", "--policy", outer.to_str().unwrap(), "--", "python3", "inner.py", crate::place::SNAPHOOK]);
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.out, "refused\n".repeat(4), "{ran:?}");
}

#[test]
fn a_hidden_file_created_later_cannot_be_read() {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    place.file("home/.config/app/x", "fine\n");
    place.policy("landlock", "hide = [\"<keys>\", \"~/.netrc\", \"~/.config/app/token\", \"~/not/there/yet\"]");
    let made = [".netrc", ".config/app/token", "not/there/yet", ".ssh/id_ed25519", ".aws/credentials", ".gnupg/x"];
    let read = made.map(|name| format!("~/{name}")).join(" ");
    let (child, input, out) = waiting(&place, &format!("cat {read}; cat ~/.config/app/x"));
    for name in made {
        place.file(&format!("home/{name}"), "SECRET\n");
    }
    assert_eq!(rest(child, input, out, ""), "fine\n");
}

#[test]
fn s10_agents_folders_stay_readable_for_the_agent() {
    if !has_namespaces() {
        return;
    }
    let mode = |path: std::path::PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    each(|launcher| {
        let place = Place::new();
        let files = [
            "project/.claude/settings.json",
            "project/.claude/settings.local.json",
            "project/.codex/hooks.json",
            ".claude/settings.json",
            ".codex/hooks.json",
        ];
        for file in files {
            place.file(&format!("home/{file}"), "{}");
        }
        place.policy(launcher, "hide = []");
        let paths = files.iter().flat_map(|file| [*file, file.rsplit_once('/').unwrap().0]);
        let paths: Vec<_> = paths.chain(["other", "other/kept", ".config/snaphook"]).collect();
        let before: Vec<_> = paths.iter().map(|path| mode(place.path(&format!("home/{path}")))).collect();
        let all = paths.join(" ~/");
        let ran = place.run(&format!(
            "chmod 000 ~/{all}; for f in ~/{all}; do chmod 000 $f; touch -d 2001-01-01 $f; setfacl -m u::0 $f; done
             touch in && chmod 700 in && echo fine"
        ));
        assert_eq!(ran.out, "fine\n", "{launcher} {ran:?}");
        let after: Vec<_> = paths.iter().map(|path| mode(place.path(&format!("home/{path}")))).collect();
        assert_eq!(after, before, "{launcher} {ran:?}");
        assert_eq!(mode(place.path("home/project/in")), 0o700, "{launcher} {ran:?}");
    });
}
