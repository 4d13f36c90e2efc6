//! Behaviour that the sandbox preserves (R9).

use std::io::{Read, Write};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::place::{Place, Ran, SNAPHOOK, each, has_program};

#[test]
fn exit_codes_are_passed_on() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        for code in [0, 1, 2, 126, 127, 255] {
            assert_eq!(place.run(&format!("exit {code}")).code, Some(code), "{launcher}");
        }
        assert_eq!(place.run("no-such-program-here").code, Some(127), "{launcher}");
    });
}

#[test]
fn streams_environment_and_working_directory_are_inherited() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let mut command = place.sandboxed("cat; printf '%s|%s' \"$A_NAME\" \"$PWD\" >&2; echo more >&2");
        let mut child = command
            .env("A_NAME", "a value\nof two lines")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let sent = vec![b'x'; 300_000];
        let mut stdin = child.stdin.take().unwrap();
        let copy = sent.clone();
        let writer = std::thread::spawn(move || stdin.write_all(&copy).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.stdout == sent, "{launcher} {}", output.stdout.len());
        let said = format!("a value\nof two lines|{}more\n", place.path("home/project").display());
        assert_eq!(String::from_utf8_lossy(&output.stderr), said, "{launcher}");
    });
}

#[test]
fn a_command_of_100_kilobytes_runs() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let text = format!("printf %s '{}' | wc -c", "x".repeat(100 << 10));
        assert_eq!(place.run(&text).out.trim(), "102400", "{launcher}");
    });
}

#[test]
fn a_background_job_keeps_running() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let started = Instant::now();
        let ran = place.run("(sleep 1; echo done > done; echo x > ../other/new) > /dev/null 2>&1 & echo at-once");
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "at-once\n"), "{launcher} {ran:?}");
        while place.text("home/project/done").as_deref() != Some("done\n") {
            assert!(started.elapsed() < Duration::from_mins(1), "{launcher}");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(!place.path("home/other/new").exists(), "{launcher}: it stays in the sandbox");
    });
}

#[test]
fn a_handler_killed_by_a_signal_is_reported() {
    use std::os::unix::process::ExitStatusExt;
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let status = place.sandboxed("kill -KILL $$").status().unwrap();
        // The built-in launcher becomes the command; bwrap stays its parent.
        let told = status.signal() == Some(9) || status.code() == Some(128 + 9);
        assert!(told, "{launcher} {status:?}");
    });
}

/// Undoes what `nohup` and similar programs do to the tests: a child inherits an ignored signal, but not a caught one.
fn catch_ignored_signals() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT].map(Signal::as_raw) {
        if ignored & (1 << (signal - 1)) != 0 {
            signal_hook::flag::register(signal, Arc::default()).unwrap();
        }
    }
}

/// Returns the exit status and output of a ready command after it or its group receives a signal.
fn signalled(launcher: &str, text: &str, signal: Signal, group: bool) -> (ExitStatus, String) {
    catch_ignored_signals();
    let place = Place::new();
    place.policy(launcher, "");
    let mut command = place.sandboxed(text);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; "ready\n".len()]).unwrap();
    let pid = Pid::from_child(&child);
    if group { kill_process_group(pid, signal) } else { kill_process(pid, signal) }.unwrap();
    let status = child.wait().unwrap();
    // The other end closes when no process holds it.
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    (status, rest)
}

#[test]
fn signals_end_the_command() {
    each(|launcher| {
        for (signal, group) in [(Signal::TERM, false), (Signal::INT, false), (Signal::TERM, true), (Signal::INT, true)]
        {
            let (status, _) = signalled(launcher, "echo ready; exec sleep 600", signal, group);
            assert!(!status.success(), "{launcher} {signal:?} {status:?}");
        }
    });
}

#[test]
fn a_command_cleans_up_after_a_signal() {
    each(|launcher| {
        for (signal, group) in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT]
            .into_iter()
            .flat_map(|signal| [(signal, false), (signal, true)])
        {
            // Background jobs of such a shell ignore INT and QUIT.
            let text = "trap 'echo clean; exit 3' TERM INT HUP QUIT; echo ready; while :; do sleep 0.1; done";
            let (status, rest) = signalled(launcher, text, signal, group);
            assert_eq!(status.code(), Some(3), "{launcher} {signal:?} {group}");
            assert!(rest.starts_with("clean\n"), "{launcher} {signal:?} {group}: {rest}");
        }
    });
}

#[test]
fn a_command_ends_when_its_parent_ends() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let mut child = place.sandboxed("echo ready; exec sleep 600").stdout(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut ready = [0; 6];
        out.read_exact(&mut ready).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = Vec::new();
        out.read_to_end(&mut rest).unwrap();
    });
}

#[test]
fn a_missing_program_is_reported() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let mut command = place.command(SNAPHOOK);
        let command = command.args(["run", "--", "no-such-program"]).env("PATH", "/usr/bin:/bin");
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, Some(127), "{launcher} {ran:?}");
        assert!(ran.err.contains("no-such-program"), "{launcher} {ran:?}");
    });
}

#[test]
fn a_terminal_is_inherited_and_input_cannot_be_injected() {
    if !(has_program("script") && has_program("python3")) {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let types = "import fcntl, sys, termios\nprint('tty', sys.stdin.isatty(), sys.stdout.isatty())\n\
                     try: fcntl.ioctl(0, termios.TIOCSTI, b'x'); print('TYPED')\nexcept OSError: print('refused')\n";
        place.file("home/project/types.py", types);
        let mut command = place.command("script");
        let line = format!("{SNAPHOOK} run -- python3 types.py; echo code $?");
        let output = command.args(["-qec", &line, "/dev/null"]).output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.contains("tty True True") && out.contains("refused") && out.contains("code 0"), "{launcher} {out}");
    });
}
