//! Refused system calls, each made by a command in the sandbox.

use std::process::{Command, Stdio};

use crate::place::{Place, Ran, each, has, has_program};
use crate::skipped::skipped;

/// Makes each call with harmless arguments and prints the error.
fn errors(place: &Place, calls: &[(&str, i64, &str)]) -> Vec<String> {
    let lines = calls.iter().map(|(_, number, arguments)| {
        format!("ctypes.set_errno(0); print(call({number}, {arguments}), ctypes.get_errno())")
    });
    let start = "import ctypes; call = ctypes.CDLL(None, use_errno=True).syscall".to_owned();
    let script = std::iter::once(start).chain(lines).collect::<Vec<_>>().join("\n");
    place.file("home/project/calls.py", &script);
    let ran = place.run("python3 calls.py");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn system_calls_that_no_command_needs_are_refused() {
    if !(has_program("python3") && cfg!(target_arch = "x86_64")) {
        return;
    }
    // With these arguments each call fails even if it is not refused, with another error or for another user.
    let calls = [
        ("add_key", 248, "0, 0, 0, 0, 0"),
        ("request_key", 249, "0, 0, 0, 0"),
        ("keyctl", 250, "-1, 0, 0, 0, 0"),
        ("io_uring_setup", 425, "0, 0"),
        ("io_uring_enter", 426, "-1, 0, 0, 0, 0, 0"),
        ("io_uring_register", 427, "-1, -1, 0, 0"),
        ("fanotify_init", 300, "-1, -1"),
        ("bpf", 321, "-1, 0, 0"),
        ("perf_event_open", 298, "0, -1, -1, -1, -1"),
        ("userfaultfd", 323, "-1"),
        ("open_by_handle_at", 304, "-1, 0, 0"),
        ("acct", 163, "-1"),
        ("clock_settime", 227, "-1, 0"),
        ("settimeofday", 164, "-1, -1"),
        ("init_module", 175, "0, 0, 0"),
        ("finit_module", 313, "-1, 0, -1"),
        ("delete_module", 176, "0, 0"),
        ("iopl", 172, "9"),
        ("ioperm", 173, "-1, 1, 1"),
        ("kexec_load", 246, "0, 0, 0, -1"),
        ("kexec_file_load", 320, "-1, -1, 0, 0, -1"),
        ("quotactl", 179, "-1, 0, 0, 0"),
        ("quotactl_fd", 443, "-1, -1, 0, 0"),
        ("reboot", 169, "0, 0, 0, 0"),
        ("swapon", 167, "0, 0"),
        ("swapoff", 168, "0"),
        ("ioctl TIOCSETD", 16, "-1, 0x5423, 0"),
        ("ioctl FS_IOC_ENABLE_VERITY", 16, "-1, 0x40806685, 0"),
        ("ioctl FS_IOC_REMOVE_ENCRYPTION_KEY", 16, "-1, 0xC0406618, 0"),
        ("ioctl FIFREEZE", 16, "-1, 0xC0045877, 0"),
    ];
    each(|launcher| {
        let place = Place::new();
        for network in ["on", "off"] {
            place.policy(launcher, &format!("network = \"{network}\""));
            for ((name, ..), error) in calls.iter().zip(errors(&place, &calls)) {
                assert_eq!(error, "-1 1", "{launcher} {name}");
            }
        }
    });
}

#[test]
fn system_calls_newer_than_the_filter_fail_with_enosys() {
    if !(has_program("python3") && cfg!(target_arch = "x86_64")) {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let calls = [("", 470, "0"), ("", 512, "0"), ("", 600, "0"), ("x32 getpid", 0x4000_0027, "0")];
        for error in errors(&place, &calls) {
            assert_eq!(error, "-1 38", "{launcher}");
        }
    });
}

const OUTSIDE: &str = "import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
made = [libc.shmget(0, 4096, 0o1600), libc.msgget(0, 0o1600), libc.semget(0, 1, 0o1600)]
memory = libc.shmat(made[0], None, 0)
name = b'/snaphook-test-%d' % os.getpid()
queue = ctypes.CDLL('librt.so.1', use_errno=True).mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)
shared = '/dev/shm/snaphook-test-%d' % os.getpid()
open(shared, 'w').write('SECRET')
print(*made, name.decode(), shared, flush=True)
sys.stdin.readline()
print(ctypes.string_at(memory, 1))
libc.shmctl(made[0], 0, None); libc.msgctl(made[1], 0, None); libc.semctl(made[2], 0, 0)
os.unlink(shared)
print(ctypes.CDLL('librt.so.1').mq_unlink(name))";

const INSIDE: &str = "import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
memory, messages, numbers = map(int, sys.argv[1:4])
at = libc.shmat(memory, None, 0)
if at not in (None, 2 ** 64 - 1):
    ctypes.memset(at, 88, 1); print('REACHED memory')
if libc.msgsnd(messages, b'\\1' + bytes(15), 1, 0) == 0: print('REACHED messages')
if libc.semctl(numbers, 0, 16, 1) == 0: print('REACHED numbers')
queues = ctypes.CDLL('librt.so.1', use_errno=True)
if queues.mq_open(sys.argv[4].encode(), os.O_RDWR) >= 0: print('REACHED queue')
if queues.mq_unlink(sys.argv[4].encode()) == 0: print('REACHED queue')
print('done')";

/// The IPC objects of an outside program that a sandboxed command can reach or change.
fn reached(place: &Place) -> (Ran, String) {
    use std::io::{BufRead, BufReader, Read, Write};
    place.file("home/project/inside.py", INSIDE);
    let mut outside = Command::new("python3");
    let mut outside = outside.args(["-c", OUTSIDE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(outside.stdout.take().unwrap());
    let mut names = String::new();
    out.read_line(&mut names).unwrap();
    let names = names.trim();
    let shared = names.rsplit(' ').next().unwrap();
    let ran = place.run(&format!("python3 inside.py {names}; cat {shared}"));
    outside.stdin.take().unwrap().write_all(b"\n").unwrap();
    let mut said = String::new();
    out.read_to_string(&mut said).unwrap();
    outside.wait().unwrap();
    (ran, said)
}

#[test]
fn ipc_objects_of_other_programs_are_inaccessible_without_network() {
    if !has_program("python3") {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "network = \"off\"");
        let (ran, said) = reached(&place);
        assert!(ran.out.starts_with("done\n") && !ran.out.contains("REACHED"), "{launcher} {ran:?}");
        assert_eq!(said, "b'\\x00'\n0\n", "{launcher} {ran:?}: nothing was changed");
        place.policy(launcher, "network = \"on\"");
        let (ran, _) = reached(&place);
        assert_eq!(ran.out.matches("REACHED").count() >= 4, launcher == "landlock", "{launcher} {ran:?}");
    });
}

#[test]
fn shared_memory_of_other_programs_is_inaccessible() {
    if !crate::place::has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let name = format!("/dev/shm/snaphook-test-{}-{launcher}", std::process::id());
        let text = std::fs::write(&name, "SECRET").is_ok().then_some("SECRET");
        let ran = place.run(&format!("cat {name}; rm -f {name}; echo x > {name}-own && cat {name}-own"));
        let left = std::fs::read_to_string(&name).ok();
        let _ = std::fs::remove_file(&name);
        let was_outside = std::fs::remove_file(format!("{name}-own")).is_ok();
        assert_eq!((ran.out.as_str(), left.as_deref()), ("x\n", text), "{launcher} {ran:?}");
        assert!(!was_outside, "{launcher}");
    });
}

#[test]
fn common_programs_work_in_the_sandbox() {
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/x.c", "#include <stdio.h>\nint main(void) { puts(\"built\"); return 0; }\n");
        let pool = "import multiprocessing\n\
                    if __name__ == '__main__':\n \
                    with multiprocessing.Pool(2) as pool: print(sum(pool.map(abs, [-1, -2])), multiprocessing.Lock())\n";
        place.file("home/project/pool.py", pool);
        for network in ["on", "off"] {
            place.policy(launcher, &format!("network = \"{network}\""));
            if has_program("cc") {
                let ran = place.run("TMPDIR=$PWD cc x.c -o x && ./x && chmod 700 x");
                assert_eq!((ran.code, ran.out.as_str()), (Some(0), "built\n"), "{launcher} {network} {ran:?}");
            }
            // Without the network, a pool has no sockets for its results, and needs none.
            if has_program("python3") {
                let ran = place.run("python3 pool.py");
                assert!(ran.out.starts_with("3 <Lock"), "{launcher} {network} {ran:?}");
            }
        }
    });
}

#[test]
fn a_setuid_bwrap_runs_the_command_in_the_same_sandbox() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let unable = || skipped("setuid: a setuid program cannot be made or does not work here");
    if !has("bwrap") {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        return unable();
    }
    let place = Place::new();
    place.policy("bwrap", "");
    let bwrap = place.path("bin/bwrap");
    std::fs::create_dir(place.path("bin")).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join("bwrap")).find(|path| path.is_file());
    std::fs::copy(found.unwrap(), &bwrap).unwrap();
    let program = place.path("bin/snaphook");
    std::fs::copy(crate::place::SNAPHOOK, &program).unwrap();
    std::fs::set_permissions(&bwrap, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let owned = Command::new("chown").args(["-R", "1234:1234"]).arg(place.path("home")).status().unwrap();
    std::fs::set_permissions(place.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(owned.success());
    let users = |arguments: &[&str]| {
        let mut command = Command::new(&bwrap);
        command.args(arguments).args(["--ro-bind", "/", "/", "readlink", "/proc/self/ns/user"]).uid(1234).gid(1234);
        Ran::from(command.output().unwrap()).out.trim().to_owned()
    };
    let outside_users = std::fs::read_link("/proc/self/ns/user").unwrap().display().to_string();
    if users(&[]) != outside_users {
        return unable();
    }
    let mut command = place.command(program.to_str().unwrap());
    command.env("PATH", format!("{}:/usr/bin:/bin", place.path("bin").display())).uid(1234).gid(1234);
    let mut outside = Command::new("sleep").arg("600").uid(1234).gid(1234).spawn().unwrap();
    // PTRACE_SEIZE
    let traces = "import ctypes, sys; print(ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), 0, 0))";
    let text = format!("echo x > in; echo x > ../other/new; python3 -c '{traces}' {}", outside.id());
    let ran = Ran::from(command.args(["run", "--", "sh", "-c", &text]).output().unwrap());
    outside.kill().unwrap();
    outside.wait().unwrap();
    assert_eq!(place.text("home/project/in").as_deref(), Some("x\n"), "{ran:?}");
    assert!(!has_program("python3") || ran.out == "-1\n", "{ran:?}: a program outside cannot be traced");
    assert!(!place.path("home/other/new").exists(), "{ran:?}");
    // If landlock cannot prevent tracing, a separate user namespace does; bwrap creates it when told to.
    let own = users(&["--unshare-user"]);
    assert!(own.starts_with("user:[") && own != outside_users, "{own}");
}
