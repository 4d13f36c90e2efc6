//! Starts programs and measures them.

use std::fs;
use std::io::{PipeWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use snaphook_policy::STARTER;

use crate::floor;
use crate::messages::POLICY;

/// The folder of the user's policies.
const POLICIES: &str = "home/.config/snaphook";

/// The folder of the log.
const STATE: &str = "home/.local/state/snaphook";

/// A temporary home folder with a project and a policy.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn prepare() -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        for folder in [POLICIES, STATE, "project/.git"] {
            fs::create_dir_all(bench.path(folder)).expect("a folder");
        }
        bench.policy("rules.toml", POLICY);
        bench.policy("snaphook.toml", STARTER);
        // A copy: a file that the linker has just written is fragmented in the page cache.
        let program = std::env::var_os("SNAPHOOK_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_snaphook").into());
        fs::copy(program, bench.snaphook()).expect("a copy of the program");
        bench
    }

    /// Writes a policy beside that of the user.
    pub(crate) fn policy(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path(POLICIES).join(name);
        fs::write(&file, text).expect("a policy");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a policy");
        file
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn snaphook(&self) -> PathBuf {
        self.path("snaphook")
    }

    pub(crate) fn cwd(&self) -> String {
        self.path("project").display().to_string()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The policy with twenty rules.
    pub(crate) fn rules(&self) -> PathBuf {
        self.path(POLICIES).join("rules.toml")
    }

    /// The starter policy, as `snaphook install` writes it.
    pub(crate) fn starter(&self) -> PathBuf {
        self.path(POLICIES).join("snaphook.toml")
    }

    /// The log of the registered commands.
    pub(crate) fn log(&self) -> PathBuf {
        self.path(STATE).join("audit.jsonl")
    }

    /// The command that `snaphook install` registers with an agent, for an event if the agent has one command for each, with this policy. It
    /// writes the log to its usual place, which the commands of docker-agent also name.
    pub(crate) fn registered(&self, agent: &str, event: Option<&str>, policy: &Path) -> Command {
        let mut command = self.program(&self.snaphook());
        command.args(["hook", agent]).args(event.iter().flat_map(|event| ["--event", event]));
        command.arg("--policy").arg(policy);
        command
    }

    /// The command that is registered with Claude Code for its tool calls.
    pub(crate) fn claude_code(&self, policy: &Path) -> Command {
        self.registered("claude-code", Some("PreToolUse"), policy)
    }

    /// The command of a reference program.
    pub(crate) fn role(&self, role: &str) -> Command {
        let mut command = self.program(&std::env::current_exe().expect("our own path"));
        command.env(floor::ROLE, role);
        command
    }

    /// The command of any program, with the same minimal environment.
    pub(crate) fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.path("project"));
        command
    }
}

/// Starts a program with this input in a pipe, as agents do.
pub(crate) fn start(command: &mut Command, input: &[u8]) -> (Child, JoinHandle<()>) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    // A small message fits into the pipe; a large one is written by a thread.
    let (now, later) = input.split_at(if input.len() <= 4096 { input.len() } else { 0 });
    let mut writer: PipeWriter = writer;
    writer.write_all(now).expect("a pipe");
    let later = later.to_vec();
    let child = command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a program");
    command.stdin(Stdio::null());
    let feeding = std::thread::spawn(move || {
        let _ = writer.write_all(&later);
    });
    (child, feeding)
}

/// Measures the time from the start of a program to its end.
pub(crate) fn time(command: &mut Command, input: &[u8]) -> Duration {
    let started = Instant::now();
    let (mut child, feeding) = start(command, input);
    let mut answer = Vec::new();
    child.stdout.take().expect("stdout").read_to_end(&mut answer).expect("an answer");
    let status = child.wait().expect("an end");
    let took = started.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    feeding.join().expect("the input");
    took
}

/// Times both programs alternately, and returns the median of each and of the ratios of pairs.
pub(crate) fn pairs(rounds: usize, mut floor: impl FnMut() -> f64, mut ours: impl FnMut() -> f64) -> [f64; 3] {
    let (mut floors, mut times, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (a, b) = (floor(), ours());
        floors.push(a);
        times.push(b);
        ratios.push(b / a);
    }
    [floors, times, ratios].map(middle)
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The peak resident memory of a run in KiB. It is read every half millisecond, since it disappears with the process.
pub(crate) fn peak_kib(command: &mut Command, input: &[u8]) -> f64 {
    let (mut child, feeding) = start(command, input);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0_u32;
    while child.try_wait().expect("a child").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(now.unwrap_or_default());
        std::thread::sleep(Duration::from_micros(500));
    }
    feeding.join().expect("the input");
    f64::from(peak)
}

/// The number of instructions of a run, counted by callgrind. `Err` is the reason why they cannot be counted.
pub(crate) fn instructions(bench: &Bench, command: &Command, input: &[u8]) -> Result<f64, String> {
    let options = ["--tool=callgrind".to_owned(), "--callgrind-out-file=/dev/null".to_owned()];
    let said = valgrind(bench, &options, command, input)?;
    let line = said.lines().find_map(|line| line.split_once("Collected :"));
    line.and_then(|(_, count)| count.trim().parse().ok()).ok_or_else(|| format!("valgrind says: {said}"))
}

/// Runs a command under valgrind and returns what valgrind prints.
pub(crate) fn valgrind(bench: &Bench, options: &[String], command: &Command, input: &[u8]) -> Result<String, String> {
    let mut watched = bench.program(Path::new("valgrind"));
    watched.args(options).arg(command.get_program()).args(command.get_args());
    watched.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = watched.spawn().map_err(|error| format!("no valgrind: {error}"))?;
    child.stdin.take().expect("stdin").write_all(input).map_err(|error| error.to_string())?;
    let said = child.wait_with_output().map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&said.stderr).into_owned())
}
