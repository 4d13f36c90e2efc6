//! Policies and logs that cannot be used: gated calls are refused.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::process::{DENY, Faults, Place, SILENT, Start, answered, each};
use crate::skipped::skipped;
use crate::subject::Subject;

type Make = fn(&Place) -> PathBuf;

const UNUSABLE: &[(&str, Make)] = &[
    ("is missing", |place| place.path("missing.toml")),
    ("is a folder", |place| {
        fs::create_dir(place.path("folder.toml")).unwrap();
        place.path("folder.toml")
    }),
    ("is a device", |_| PathBuf::from("/dev/null")),
    ("is a link to nowhere", |place| {
        std::os::unix::fs::symlink(place.path("nowhere"), place.path("link.toml")).unwrap();
        place.path("link.toml")
    }),
    ("has zero bytes", |place| place.file("zero.toml", "")),
    ("is no TOML", |place| place.file("no.toml", "[permissions\n")),
    ("is not UTF-8", |place| {
        fs::write(place.path("latin.toml"), b"# \xE9\n[permissions]\n").unwrap();
        place.path("latin.toml")
    }),
    ("has an unknown key", |place| place.file("key.toml", "[permissions]\ndney = [\"*\"]\n")),
    ("has a bad rule", |place| place.file("rule.toml", "[permissions]\nallow = [\"*\"]\n")),
    ("isolates by nothing", |place| place.file("sandbox.toml", "[sandbox]\nnetwork = \"off\"\n")),
    ("is over 1 MiB", |place| place.file("large.toml", &format!("{SILENT}# {}\n", "x".repeat(1 << 20)))),
    ("can be written by its group", |place| group_writable(place.file("group.toml", SILENT))),
    ("can be written by others", |place| mode(place.file("others.toml", SILENT), 0o602)),
];

#[test]
fn an_unusable_policy_blocks_every_gate() {
    let mut faults = Faults::default();
    for (what, make) in UNUSABLE {
        let place = Place::new();
        let policy = make(&place);
        for subject in Subject::gates() {
            let start = Start::new(&subject, &place, &policy, &subject.flags(true));
            let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, what);
            faults.unless(subject.blocked_by(&reply), || {
                format!("{subject}: policy {what}: {reply:?} {:?}", subject.does(&reply))
            });
        }
    }
    faults.none();
}

#[test]
fn a_policy_without_read_permission_blocks_every_gate() {
    let mut faults = Faults::default();
    let place = Place::new();
    let policy = mode(place.file("secret.toml", SILENT), 0o000);
    let root = rustix::process::geteuid().is_root();
    let drops = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"];
    if root {
        // Another user must be able to start the program and reach the policy's folder.
        mode(place.path(""), 0o755);
        let version =
            Command::new(drops[0]).args(&drops[1..]).args([env!("CARGO_BIN_EXE_snaphook"), "--version"]).output();
        if !version.is_ok_and(|version| version.status.success()) {
            skipped("unreadable policy: root reads every file, and setpriv cannot drop that here");
            return;
        }
    }
    for subject in Subject::gates() {
        let start = Start::new(&subject, &place, &policy, &subject.flags(true));
        let start = if root { start.by(&drops) } else { start };
        let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, "unreadable policy");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?} {:?}", subject.does(&reply)));
    }
    faults.none();
}

#[test]
fn a_required_record_that_cannot_be_written_blocks_and_an_optional_one_does_not() {
    let mut faults = Faults::default();
    let place = Place::new();
    for word in ["required", "deny"] {
        let policy = place.file("required.toml", &format!("{SILENT}[failure]\naudit = \"{word}\"\n"));
        for subject in Subject::gates() {
            for log in ["/dev/full", "/dev/null", "/dev", "/nonexistent/folder/of/nobody/log", "/dev/null/log"] {
                let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--audit", log]);
                let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, word);
                let writable = log == "/nonexistent/folder/of/nobody/log" && rustix::process::geteuid().is_root();
                faults.unless(writable || subject.blocked_by(&reply), || {
                    format!("{subject}: {log}: {reply:?} {:?}", subject.does(&reply))
                });
            }
        }
    }
    for (name, text) in [("silent.toml", SILENT), ("deny.toml", DENY)] {
        let policy = place.file(name, text);
        for subject in Subject::gates() {
            let start = || Start::new(&subject, &place, &policy, &subject.flags(true));
            let without = answered(&subject, start(), subject.message.as_bytes());
            let full = answered(&subject, start().flag(&["--audit", "/dev/full"]), subject.message.as_bytes());
            let (without, full) = (without.reply(&subject, "no log"), full.reply(&subject, "full log"));
            faults.unless(subject.does(&full) == subject.does(&without), || format!("{subject}: {full:?}"));
        }
    }
    faults.none();
}

fn mode(path: PathBuf, mode: u32) -> PathBuf {
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// Lets a group write a file that has other members than the user. Only root can give the file to such a group, so that
/// another user lets everybody write it.
fn group_writable(path: PathBuf) -> PathBuf {
    let shared = std::os::unix::fs::chown(&path, None, Some(4711)).is_ok();
    mode(path, if shared { 0o620 } else { 0o622 })
}

/// A process that holds leases on files, so that every other open of them waits.
struct Leases(std::process::Child);

impl Leases {
    fn on(files: &[(PathBuf, &str)]) -> Option<Self> {
        let script = "import fcntl, os, signal, sys\n\
             signal.signal(signal.SIGIO, signal.SIG_IGN)\n\
             for path, kind in zip(sys.argv[1::2], sys.argv[2::2]):\n    \
                 fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_SETLEASE, getattr(fcntl, kind))\n\
             print('held', flush=True)\n\
             sys.stdin.readline()\n";
        let mut command = Command::new("python3");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        for (path, kind) in files {
            command.arg(path).arg(kind);
        }
        let Ok(mut child) = command.spawn() else {
            skipped("python3: it is not there to hold a lease");
            return None;
        };
        let mut said = [0; 5];
        child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"held\n");
        Some(Self(child))
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn s2_a_file_under_a_lease_is_not_waited_for() {
    let places: Vec<_> = Subject::gates()
        .into_iter()
        .flat_map(|subject| [(subject.clone(), "F_RDLCK"), (subject, "F_WRLCK")])
        .map(|(subject, kind)| {
            let place = Place::new();
            let (policy, log) = (place.file("deny.toml", DENY), place.file("log", "{}\n"));
            (subject, kind, place, policy, log)
        })
        .collect();
    let leased = |kind, policy: &PathBuf, log: &PathBuf| if kind == "F_RDLCK" { log.clone() } else { policy.clone() };
    let files: Vec<_> = places.iter().map(|(_, kind, _, policy, log)| (leased(*kind, policy, log), *kind)).collect();
    let Some(_leases) = Leases::on(&files) else { return };
    each(places, |(subject, kind, place, policy, log), faults| {
        let start = Start::new(&subject, &place, &policy, &subject.flags(true));
        let start = start.flag(&["--audit", log.to_str().unwrap()]);
        let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, kind);
        // A rule denies tool calls only; an unreadable policy blocks every gate.
        let blocks = kind == "F_WRLCK" || subject.is_call();
        faults.unless(!blocks || subject.blocked_by(&reply), || {
            format!("{subject}: {kind}: {reply:?} {:?}", subject.does(&reply))
        });
    });
}

/// Each file that a call reads or writes is replaced by an unused pipe, a device and a folder.
#[test]
fn s2_a_path_that_is_not_a_regular_file_is_refused_immediately() {
    let is_one = |subject: &Subject| subject.is_call() && subject.event.cwd.is_some() && !subject.is_lines();
    each(Subject::gates().into_iter().filter(is_one), |subject, faults| {
        for kind in ["pipe", "device", "folder"] {
            for replaced in ["policy.toml", "project/.snaphook.toml", "trust.toml", "log"] {
                let place = Place::new();
                place.file("policy.toml", &format!("{SILENT}[failure]\naudit = \"deny\"\n"));
                fs::create_dir_all(place.path("project/.git")).unwrap();
                place.file("project/.snaphook.toml", "[permissions]\ndeny = []\n");
                place.file("trust.toml", "# none\n");
                let _ = fs::remove_file(place.path(replaced));
                match kind {
                    "pipe" => assert!(Command::new("mkfifo").arg(place.path(replaced)).status().unwrap().success()),
                    "device" => std::os::unix::fs::symlink("/dev/zero", place.path(replaced)).unwrap(),
                    _ => fs::create_dir(place.path(replaced)).unwrap(),
                }
                let cwd = subject.event.cwd.as_deref().unwrap();
                let message = subject.message.replace(&format!("\"{cwd}\""), &format!("{:?}", place.path("project")));
                let path = |name: &str| place.path(name).to_str().unwrap().to_owned();
                let start = Start::new(&subject, &place, &place.path("policy.toml"), &subject.flags(true));
                let start = start.flag(&["--audit", &path("log"), "--trust", &path("trust.toml")]);
                // The reason shows that the call did not merely time out.
                let ended = answered(&subject, start.flag(&["--deadline", "100s"]), message.as_bytes());
                let reply = ended.reply(&subject, replaced);
                faults.unless(subject.blocked_by(&reply), || format!("{subject}: {replaced}: {kind}: {ended:?}"));
            }
        }
    });
}

#[test]
fn s2_a_pipe_in_place_of_a_response_file_is_an_error() {
    let place = Place::new();
    let policy = place.file("pipe.toml", &format!("{SILENT}[[respond]]\nmatch = \"*\"\nfile = \"pipe\"\n"));
    let _both_ends = place.fifo("pipe");
    let mut faults = Faults::default();
    for subject in Subject::gates().into_iter().filter(Subject::is_call) {
        let start = Start::new(&subject, &place, &policy, &subject.flags(true));
        let reply = answered(&subject, start, subject.message.as_bytes()).reply(&subject, "pipe");
        faults.unless(subject.blocked_by(&reply), || format!("{subject}: {reply:?}"));
    }
    faults.none();
}

/// Mounts a file system whose server never answers, then executes the program. If that is not possible here, the exit
/// code is 77. A parent such as `nohup` may have ignored the signal, which the program would inherit.
pub(crate) const DEAD_MOUNT: &str = "
[ -w /dev/fuse ] && unshare -m true 2>/dev/null || exit 77
exec 3<>/dev/fuse
exec unshare -m /bin/sh -c '
    mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 dead \"$0\" || exit 77
    exec env --default-signal=INT \"$@\"
' \"$@\"
";

/// If any file is on a dead mount, a call is refused by the deadline, and signals still work.
#[test]
fn s2_a_file_on_a_dead_mount_is_refused_in_time() {
    let mut seen = std::collections::HashSet::new();
    let one_each = |subject: &Subject| subject.is_call() && seen.insert(subject.id());
    each(Subject::gates().into_iter().filter(one_each), |subject, faults| {
        for (policy, log) in [("dead/policy.toml", "log"), ("deny.toml", "dead/log"), ("silent.toml", "dead/log")] {
            for signal in [false, true] {
                if signal && subject.is_lines() {
                    continue;
                }
                let place = Place::new();
                place.file("deny.toml", DENY);
                place.file("silent.toml", SILENT);
                fs::create_dir(place.path("dead")).unwrap();
                let deadline = if signal { "1h" } else { "1s" };
                let start = Start::new(&subject, &place, &place.path(policy), &subject.flags(true));
                let start = start.flag(&["--audit", place.path(log).to_str().unwrap(), "--deadline", deadline]);
                let start = start.by(&["/bin/sh", "-c", DEAD_MOUNT, "sh", place.path("dead").to_str().unwrap()]);
                let ended = if signal {
                    let mut running = start.start();
                    running.send(subject.message.as_bytes());
                    running.is_watched();
                    running.stop();
                    running.ended()
                } else {
                    answered(&subject, start, subject.message.as_bytes())
                };
                if ended.code == Some(77) {
                    skipped("dead mount: no FUSE file system can be mounted here");
                    return;
                }
                let reply = ended.reply(&subject, "a dead mount");
                faults.unless(subject.blocked_by(&reply), || format!("{subject}: {policy} {log}: {ended:?}"));
            }
        }
    });
}

/// The same if the command works in a dead mount, or only names a file there.
#[test]
fn s2_a_command_on_a_dead_mount_is_refused_in_time() {
    let is_shell = |subject: &Subject| subject.id() == "claude-code" && subject.message.contains("\"Bash\"");
    let subject = Subject::gates().into_iter().find(is_shell).expect("a call of a shell");
    for (cwd, command) in
        [("dead", "cat x"), ("dead/x", "true"), ("project", "cat ../dead/x"), ("project", "cat link/x")]
    {
        let place = Place::new();
        let policy = place.file("policy.toml", "[permissions]\nallow = [\"Bash\"]\ndeny = [\"Read(//**/*.pem)\"]\n");
        fs::create_dir(place.path("dead")).unwrap();
        fs::create_dir(place.path("project")).unwrap();
        std::os::unix::fs::symlink("../dead", place.path("project/link")).unwrap();
        let mut message: serde_json::Value = serde_json::from_str(&subject.message).unwrap();
        message["cwd"] = place.path(cwd).to_str().unwrap().into();
        message["tool_input"]["command"] = command.into();
        let start = Start::new(&subject, &place, &policy, &subject.flags(true)).flag(&["--deadline", "1s"]);
        let start = start.by(&["/bin/sh", "-c", DEAD_MOUNT, "sh", place.path("dead").to_str().unwrap()]);
        let ended = answered(&subject, start, message.to_string().as_bytes());
        if ended.code == Some(77) {
            skipped("dead mount: no FUSE file system can be mounted here");
            return;
        }
        let reply = ended.reply(&subject, command);
        let says = format!("{reply:?}");
        assert!(subject.blocked_by(&reply) && says.contains("no verdict within 1000 ms"), "{cwd}: {command}: {says}");
    }
}
