//! The terminals and streams that a command can open.

use std::process::Stdio;

use crate::place::{Place, Ran, SNAPHOOK, each, has_namespaces, has_program};

/// Opens a terminal for another program of the user, and runs a command that is not connected to it.
const OUTSIDE: &str = "import os, pty, subprocess, sys
master, slave = pty.openpty(); own_master, own = pty.openpty()
code = '''
import os, pty, sys
for way in (os.O_WRONLY, os.O_RDONLY):
    try: os.open(sys.argv[1], way | os.O_NOCTTY); print('OPENED')
    except OSError: print('refused')
master, slave = pty.openpty(); os.write(slave, b'new'); print(os.read(master, 3).decode(), os.isatty(0))
os.write(os.open('/dev/stdin', os.O_WRONLY | os.O_NOCTTY), b'own')
'''
command = [sys.argv[1], 'run', '--', 'python3', '-c', code, os.ttyname(slave)]
subprocess.run(command, stdin=own)
print(os.read(own_master, 3).decode())";

#[test]
fn another_terminal_of_the_user_is_inaccessible() {
    if !(has_program("python3") && has_namespaces()) {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/.env", "SECRET\n");
        for hide in ["[]", "[\"/.env\"]"] {
            place.policy(launcher, &format!("hide = {hide}"));
            let ran = Ran::from(place.command("python3").args(["-c", OUTSIDE, SNAPHOOK]).output().unwrap());
            assert_eq!(ran.out, "refused\nrefused\nnew True\nown\n", "{launcher} {hide} {ran:?}");
        }
    });
}

#[test]
fn streams_that_are_files_can_be_opened_by_name() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let log = |name: &str| Stdio::from(std::fs::File::create(place.path(name)).unwrap());
        let mut command = place.sandboxed("echo x > ../other/new; echo out > /dev/stdout; echo err > /dev/stderr");
        let status = command.stdout(log("home/other/out")).stderr(log("home/other/err")).status().unwrap();
        assert_eq!(status.code(), Some(0), "{launcher}");
        assert_eq!(place.text("home/other/out").as_deref(), Some("out\n"), "{launcher}");
        assert_eq!(place.text("home/other/err").as_deref(), Some("err\n"), "{launcher}");
        assert!(!place.path("home/other/new").exists(), "{launcher}");
    });
}
