//! The container of a run: an empty network, a separate home folder, and a read-only file system.
//!
//! bubblewrap creates it in a user namespace, so root is not needed. The PID namespace ends every process of the
//! run with it. The run can write only to its folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt as _;

/// The home folder inside of the container. Recorded messages contain it, so it is the path that fixtures use.
pub(crate) const HOME: &str = "/home/user";
/// The project in which the agent works.
pub(crate) const PROJECT: &str = "/home/user/project";
/// The path of snaphook, as after `cargo install`.
pub(crate) const SNAPHOOK: &str = "/home/user/.local/bin/snaphook";
/// The folder of this program and its input files.
pub(crate) const HARNESS: &str = "/home/harness";
/// The agent's program or its npm folder.
pub(crate) const AGENT: &str = "/home/agent";
/// The address of the scripted model. Each container has its own network, so the port is free.
pub(crate) const MODEL: &str = "http://127.0.0.1:8080";

/// The folder of one run.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    folder: PathBuf,
    /// The name of the program that the container runs.
    program: &'static str,
    agent: PathBuf,
    /// This program.
    own: PathBuf,
}

/// The program that the agent finds at the path of snaphook.
#[derive(Debug, Clone)]
pub(crate) enum Hook {
    /// snaphook.
    Real(PathBuf),
    /// The relay, which forwards calls to the real program and may inject a fault.
    Relay(PathBuf),
    /// Nothing.
    Missing,
}

/// How a program in the container ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// The exit code; absent: ended by a signal or by the time limit.
    pub(crate) code: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) took: Duration,
}

impl Container {
    /// Creates an empty folder. `agent` is a program, or a folder that npm installed into.
    pub(crate) fn new(folder: &Path, program: &'static str, agent: &Path, own: &Path) -> io::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        for part in ["home/project", "home/.local/bin", "home/.config", "harness/model", "harness/calls"] {
            fs::create_dir_all(folder.join(part))?;
        }
        Ok(Self { folder: fs::canonicalize(folder)?, program, agent: fs::canonicalize(agent)?, own: own.to_owned() })
    }

    /// The path outside of the container for a path inside.
    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        let within = |root: &str, part: &str| {
            path.strip_prefix(root).map(|rest| self.folder.join(part).join(rest.trim_start_matches('/')))
        };
        within(HOME, "home").or_else(|| within(HARNESS, "harness")).unwrap_or_else(|| self.folder.join("elsewhere"))
    }

    /// Writes a file of the container.
    pub(crate) fn put(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.outside(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }

    /// Reads a file of the container; absent if it does not exist.
    pub(crate) fn get(&self, path: &str) -> Option<String> {
        fs::read(self.outside(path)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Runs a program in the container. Its output goes to `NAME.out` and `NAME.err` of the harness folder.
    pub(crate) fn run(
        &self,
        name: &str,
        argv: &[String],
        env: &BTreeMap<String, String>,
        hook: &Hook,
        limit: Duration,
    ) -> io::Result<End> {
        let harness = self.folder.join("harness");
        let mut command = Command::new("bwrap");
        command.args([
            "--unshare-user",
            "--uid",
            "1000",
            "--gid",
            "1000",
            "--unshare-net",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--hostname",
            "harness",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--tmpfs",
            "/tmp",
            "--tmpfs",
            "/home",
        ]);
        for folder in ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt"] {
            command.args(["--ro-bind-try", folder, folder]);
        }
        let mut bind = |how: &str, from: &Path, to: &str| {
            command.arg(how).arg(from).arg(to);
        };
        bind("--bind", &self.folder.join("home"), HOME);
        bind("--bind", &harness, HARNESS);
        bind("--ro-bind", &self.own, "/home/harness/conformance");
        if self.agent.is_dir() {
            bind("--ro-bind", &self.agent, AGENT);
        } else {
            bind("--ro-bind", &self.agent, &format!("{AGENT}/bin/{}", self.program));
        }
        match hook {
            Hook::Real(real) => bind("--ro-bind", real, SNAPHOOK),
            Hook::Relay(real) => {
                bind("--ro-bind", &self.own, SNAPHOOK);
                bind("--ro-bind", real, "/home/harness/snaphook");
            }
            Hook::Missing => drop(fs::remove_file(self.outside(SNAPHOOK))),
        }
        let path = format!("{HOME}/.local/bin:{AGENT}/bin:{AGENT}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin");
        let usual = [
            ("HOME", HOME),
            ("PATH", &path),
            ("USER", "user"),
            ("LOGNAME", "user"),
            ("SHELL", "/bin/bash"),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
            ("TMPDIR", "/tmp"),
            ("NO_COLOR", "1"),
            ("DO_NOT_TRACK", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ];
        for (name, value) in usual {
            command.args(["--setenv", name, value]);
        }
        for (name, value) in env {
            command.args(["--setenv", name, value]);
        }
        command.args(["--chdir", PROJECT, "--"]).args(argv);
        command.stdin(Stdio::null());
        command.stdout(File::create(harness.join(format!("{name}.out")))?);
        command.stderr(File::create(harness.join(format!("{name}.err")))?);
        let begun = Instant::now();
        let mut child = command.spawn()?;
        let status = child.wait_timeout(limit)?;
        if status.is_none() {
            // This also ends its child processes.
            child.kill()?;
            child.wait()?;
        }
        Ok(End { code: status.and_then(|status| status.code()), timed_out: status.is_none(), took: begun.elapsed() })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Runs a shell command in a container, with a limit of one second; `None` if containers are not available.
    fn shell(line: &str) -> Option<(Container, tempfile::TempDir, End)> {
        let folder = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let container = Container::new(&folder.path().join("run"), "sh", Path::new("/bin/sh"), &own).unwrap();
        let run = |line: &str, limit| {
            let argv = ["/bin/sh", "-c", line].map(str::to_owned);
            container.run("shell", &argv, &BTreeMap::new(), &Hook::Missing, limit)
        };
        if !run("true", Duration::from_secs(20)).is_ok_and(|end| end.code == Some(0)) {
            writeln!(io::stdout(), "SKIPPED: bwrap: it is not installed, or user namespaces are forbidden").unwrap();
            return None;
        }
        let end = run(line, Duration::from_secs(2)).unwrap();
        Some((container, folder, end))
    }

    #[test]
    fn a_run_leaves_no_process_and_no_file_elsewhere_and_reaches_no_network() {
        let line = "setsid sleep 314.159 & (sleep 314.159 &) & \
                    touch /usr/left /etc/left; touch /tmp/left /home/user/left; \
                    cat /proc/net/dev > /home/user/network; sleep 314.159";
        let Some((container, _folder, end)) = shell(line) else { return };
        assert!(end.timed_out && end.code.is_none(), "{end:?}");
        let left = || {
            let processes = fs::read_dir("/proc").unwrap().flatten();
            let lines = processes.map(|entry| fs::read(entry.path().join("cmdline")).unwrap_or_default());
            lines.filter(|line| String::from_utf8_lossy(line).contains("314.159")).count()
        };
        // The kernel takes a moment to end all of them.
        let begun = Instant::now();
        while left() > 0 && begun.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(left(), 0);
        assert!(
            !Path::new("/usr/left").exists() && !Path::new("/etc/left").exists() && !Path::new("/tmp/left").exists()
        );
        assert!(container.get("/home/user/left").is_some());
        let network = container.get("/home/user/network").unwrap();
        let devices: Vec<_> =
            network.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim()).collect();
        assert_eq!(devices, ["lo"]);
    }
}
