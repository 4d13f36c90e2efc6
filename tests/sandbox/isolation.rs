//! Operations that are impossible for a sandboxed command.

use crate::place::{Place, SNAPHOOK, each, has, has_namespaces, has_program};
use crate::skipped::skipped;

#[test]
fn only_allowed_folders_are_writable() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        std::os::unix::fs::symlink("../other", place.path("home/project/link")).unwrap();
        let ran = place.run(
            "echo in > in.txt && mkdir -p deep/er && echo in > deep/er/x && mv deep/er/x y && rm y
             echo new > ../other/new; echo more >> ../other/kept; true > ../other/kept; rm ../other/kept
             mv ../other/kept moved; ln ../other/kept linked; mkdir ../other/folder; echo x > link/new
             truncate -s 0 ../other/kept; dd if=/dev/null of=../other/kept; cp in.txt ~; echo x > /dev/null; exit 3",
        );
        assert_eq!(ran.code, Some(3), "{launcher} {ran:?}");
        assert_eq!(place.text("home/project/in.txt").as_deref(), Some("in\n"), "{launcher} {ran:?}");
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher}");
        let others: Vec<_> = std::fs::read_dir(place.path("home/other")).unwrap().collect();
        assert_eq!(others.len(), 1, "{launcher} {others:?}");
        assert_eq!(place.text("home/in.txt"), None, "{launcher}");
        assert!(!ran.err.contains("/dev/null:"), "{launcher} {ran:?}");
    });
}

#[test]
fn the_default_roots_are_the_project_and_the_temporary_folders() {
    let home = std::env::home_dir().unwrap_or_default();
    if !home.is_dir() || home.starts_with("/tmp") || home.starts_with("/var/tmp") {
        skipped("default roots: the home folder is a temporary one");
        return;
    }
    each(|launcher| {
        let place = Place::new();
        let policy = format!("[sandbox]\nlauncher = \"{launcher}\"\n");
        place.file("home/.config/snaphook/snaphook.toml", &policy);
        let outside = tempfile::tempdir_in(&home).unwrap();
        let outside = outside.path().canonicalize().unwrap();
        // The program of the build has hard links, so that it is refused where the checkout is in a temporary folder.
        let program = outside.join("snaphook");
        // A child of another test could inherit a descriptor of the copy, which then cannot be executed.
        assert!(std::process::Command::new("cp").arg(SNAPHOOK).arg(&program).status().unwrap().success());
        let temporary = place.path("home/own-temporary");
        std::fs::create_dir(&temporary).unwrap();
        std::fs::create_dir(place.path("home/project/below")).unwrap();
        let text = format!("echo x > ../in; echo x > $TMPDIR/in; echo x > {}/out", outside.display());
        let mut command = place.command(program.to_str().unwrap());
        command.args(["run", "--", "sh", "-c", "--", &text]);
        command.current_dir(place.path("home/project/below")).env("TMPDIR", &temporary);
        let output = command.output().unwrap();
        assert!(place.path("home/project/in").exists() && temporary.join("in").exists(), "{launcher} {output:?}");
        assert!(!outside.join("out").exists(), "{launcher} {output:?}");
    });
}

#[test]
fn a_hidden_file_cannot_be_read() {
    each(|launcher| {
        let place = Place::new();
        place.file("home/.aws/credentials", "SECRET\n");
        place.file("home/.gnupg/deep/key", "SECRET\n");
        place.file("home/hidden/x", "SECRET\n");
        place.file("home/.env", "SECRET\n");
        std::os::unix::fs::symlink(place.path("home/.ssh"), place.path("home/way-around")).unwrap();
        place.policy(launcher, "hide = [\"<keys>\", \"~/hidden\", \"~/.env\", \"~/not-there\"]");
        let ran = place.run(
            "cat ~/.ssh/id_test ~/way-around/id_test ~/.aws/credentials ~/.gnupg/deep/key ~/hidden/x ~/.env
             cp ~/.ssh/id_test copy; ln ~/.ssh/id_test hard; mv ~/.ssh/id_test moved; cat copy hard moved
             cat /proc/self/cwd/../.ssh/id_test
             cat ~/.ssh/id_test.pub ~/other/kept; ls ~ > /dev/null && echo LISTED",
        );
        assert_eq!(ran.out, "PUBLIC\nKEPT\nLISTED\n", "{launcher} {ran:?}");
        assert_eq!(place.text("home/.ssh/id_test").as_deref(), Some("SECRET\n"));
    });
}

#[test]
fn hide_overrides_write_for_the_same_path() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/.env", "SECRET\n");
        place.file("home/project/secrets/x", "SECRET\n");
        place.policy(launcher, "hide = [\"/.env\", \"/secrets\", \"~/other\"]\nwrite = [\"/\", \"~/other\"]");
        let ran = place.run(
            "cat .env secrets/x ../other/kept; mv .env e; cat e; mv secrets s; cat s/x
             echo x > secrets/new; echo x > .env && echo LOST; echo x > ../other/new; echo fine > new; cat new
             cat .env > /dev/null && echo READ",
        );
        assert_eq!(ran.out, "fine\n", "{launcher} {ran:?}");
        assert_eq!(place.text("home/project/.env").as_deref(), Some("SECRET\n"), "{launcher} {ran:?}");
        assert_eq!(place.text("home/project/secrets/x").as_deref(), Some("SECRET\n"), "{launcher} {ran:?}");
        assert!(!place.path("home/other/new").exists() && !place.path("home/project/secrets/new").exists());
    });
}

#[test]
fn s10_configuration_files_of_agents_are_read_only() {
    if !has_namespaces() {
        return;
    }
    let guarded = [
        "home/project/.snaphook.toml",
        "home/project/.claude/settings.json",
        "home/project/deep/.codex/hooks.json",
        "home/.config/snaphook/snaphook.toml",
    ];
    each(|launcher| {
        let place = Place::new();
        for file in guarded {
            place.file(file, "[permissions]\n");
        }
        place.policy(launcher, "write = [\"~\"]\nhide = []");
        let before = place.text(guarded[3]);
        let mut command = place.sandboxed(
            "for f in ../.snaphook.toml ../.claude/settings.json .codex/hooks.json ~/.config/snaphook/snaphook.toml; do
               echo bad > $f; rm -f $f; mv $f x; ln -sf x $f
             done
             echo bad > ../.claude/settings.local.json; mv ../.claude ../c; mkdir ../.claude; echo bad > ../.claude/settings.json
             mv ~/.config ~/c; echo fine > ../new; cat ../.claude/settings.json",
        );
        let ran = command.current_dir(place.path("home/project/deep")).output().unwrap();
        for file in &guarded[..3] {
            assert_eq!(place.text(file).as_deref(), Some("[permissions]\n"), "{launcher} {file} {ran:?}");
        }
        assert_eq!(place.text(guarded[3]), before, "{launcher} {ran:?}");
        assert!(!place.path("home/project/.claude/settings.local.json").exists(), "{launcher} {ran:?}");
        assert_eq!(place.text("home/project/new").as_deref(), Some("fine\n"), "{launcher} {ran:?}");
        place.policy(launcher, "hide = []\n[protect]\nsnaphook = \"off\"\nagents = \"off\"");
        place.run("echo mine > .claude/settings.json");
        assert_eq!(place.text(guarded[1]).as_deref(), Some("mine\n"), "{launcher}");
    });
}

#[test]
fn s10_files_that_agents_run_are_read_only_and_need_not_exist() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "hide = []");
        // The hidden file does not exist: the command runs and may create folders.
        let ran = place.run("mkdir -p out && echo fine > out/new");
        assert_eq!(place.text("home/project/out/new").as_deref(), Some("fine\n"), "{launcher} {ran:?}");
        let skill = "home/project/.claude/skills/x/SKILL.md";
        place.file(skill, "mine\n");
        place.file("home/project/.agents/other", "mine\n");
        let ran = place.run(
            "echo bad > .claude/skills/x/SKILL.md; mv .claude c; rm -r .claude/skills; mkdir .claude/commands; \
             mkdir .agents/skills; echo fine > out/more",
        );
        assert_eq!(place.text(skill).as_deref(), Some("mine\n"), "{launcher} {ran:?}");
        for folder in ["home/project/.claude/commands", "home/project/.agents/skills"] {
            assert!(!place.path(folder).exists(), "{launcher} {folder} {ran:?}");
        }
        assert_eq!(place.text("home/project/out/more").as_deref(), Some("fine\n"), "{launcher} {ran:?}");
    });
}

#[test]
fn s10_file_modes_in_the_home_folder_cannot_be_changed_in_a_mount_namespace() {
    use std::os::unix::fs::PermissionsExt;
    if !has_namespaces() {
        return;
    }
    let mode = |path: std::path::PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    each(|launcher| {
        let place = Place::new();
        let hooks = place.file("home/.codex/hooks.json", "{}");
        place.file("home/project/.env", "SECRET\n");
        place.file("home/work/in", "");
        place.policy(launcher, "hide = [\"/.env\"]\nwrite = [\"/\", \"~/work\"]");
        let before = (mode(hooks.clone()), mode(place.path("home/.codex")), mode(place.path("home")));
        let ran = place.run(
            "chmod 000 ~/.codex/hooks.json ~/.codex ~ ~/.config/snaphook ~/other; touch -d 2001-01-01 ~/other/kept
             touch in ../work/in && chmod 700 in ../work/in && echo fine; mv ../work/in . ; echo x > ~/new",
        );
        assert_eq!(ran.out, "fine\n", "{launcher} {ran:?}");
        let after = (mode(hooks), mode(place.path("home/.codex")), mode(place.path("home")));
        assert_eq!(after, before, "{launcher} {ran:?}");
        assert_eq!((mode(place.path("home/project/in")), place.text("home/new")), (0o700, None), "{launcher} {ran:?}");
    });
}

#[test]
fn a_command_cannot_create_a_device() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let ran = place.run("mknod disk b 7 0; mknod console c 4 1; mkfifo pipe && rm pipe && echo fine; ls");
        assert_eq!(ran.out, "fine\n", "{launcher} {ran:?}");
    });
}

#[test]
fn without_network_no_connection_can_be_opened() {
    if !has_program("python3") {
        return;
    }
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let name = format!("snaphook-test-{}", std::process::id());
    let address = <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(&name);
    let _hidden = std::os::unix::net::UnixListener::bind_addr(&address.unwrap()).unwrap();
    let tries = format!(
        "import socket, os
def attempt(what, run):
    try: run(); print(what, 'REACHED')
    except OSError: print(what, 'no')
def tcp(): socket.create_connection(('127.0.0.1', {}), 5)
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', {})); s.send(b'x')
def file():
    s = socket.socket(socket.AF_UNIX); s.connect('socket')
def abstract():
    s = socket.socket(socket.AF_UNIX); s.connect('\\0{name}')
def loose(kind):
    a, b = socket.socketpair(socket.AF_UNIX, kind); a.sendto(b'x', 'datagrams')
def datagram(): loose(socket.SOCK_DGRAM)
def raw(): loose(socket.SOCK_RAW | socket.SOCK_CLOEXEC)
def far(): socket.create_connection(('192.0.2.1', 80), 1)
for what in (tcp, udp, file, abstract, datagram, raw): attempt(what.__name__, what)
a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(4).decode())
",
        tcp.local_addr().unwrap().port(),
        udp.local_addr().unwrap().port()
    );
    each(|launcher| {
        let place = Place::new();
        let _file = std::os::unix::net::UnixListener::bind(place.path("home/project/socket")).unwrap();
        let _datagrams = std::os::unix::net::UnixDatagram::bind(place.path("home/project/datagrams")).unwrap();
        place.file("home/project/tries.py", &tries);
        place.policy(launcher, "network = \"on\"");
        assert_eq!(place.run("python3 tries.py").out.matches("REACHED").count(), 6, "{launcher}");
        place.policy(launcher, "network = \"off\"");
        let ran = place.run("python3 tries.py");
        udp.set_nonblocking(true).unwrap();
        while udp.recv(&mut [0; 8]).is_ok_and(|_| launcher.is_empty()) {}
        let udp_line = if launcher == "bwrap" { ran.out.contains("udp") } else { ran.out.contains("udp no") };
        assert!(udp_line && !ran.out.contains("tcp REACHED"), "{launcher} {ran:?}");
        for what in ["file", "abstract", "datagram", "raw"] {
            assert!(ran.out.contains(&format!("{what} no")), "{launcher} {what} {ran:?}");
        }
        assert!(ran.out.ends_with("pair\n"), "{launcher} {ran:?}");
    });
}

#[test]
fn without_network_no_datagram_can_be_sent() {
    if !has_program("python3") {
        return;
    }
    each(|launcher| {
        let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        udp.set_read_timeout(Some(std::time::Duration::from_millis(300))).unwrap();
        let place = Place::new();
        place.policy(launcher, "network = \"off\"");
        let port = udp.local_addr().unwrap().port();
        place.run(&format!(
            "python3 -c \"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))\""
        ));
        assert!(udp.recv(&mut [0; 8]).is_err(), "{launcher}");
    });
}

#[test]
fn io_uring_cannot_open_sockets() {
    if !has_program("python3") || !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) || !has("landlock") {
        return;
    }
    let place = Place::new();
    place.policy("landlock", "network = \"off\"");
    let ran = place.run("python3 -c 'import ctypes; print(ctypes.CDLL(None, use_errno=True).syscall(425, 8, ctypes.create_string_buffer(240)), ctypes.get_errno())'");
    assert_eq!(ran.out, "-1 1\n", "{ran:?}");
}
