//! The process inside of a container: it runs the scripted model and the agent.

use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::container::PROJECT;
use crate::model::{self, Step};
use crate::scenarios::QUESTION;

/// The input of the process inside of the container.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) script: Vec<Step>,
    pub(crate) argv: Vec<String>,
    /// The text to type, for an agent that needs a terminal.
    pub(crate) typed: Option<String>,
    /// The text on the screen after which it is typed.
    pub(crate) ready: String,
    /// The answer of the person; `None` if no person is simulated.
    pub(crate) answer: Option<PersonAnswer>,
    /// The keys that give this answer.
    pub(crate) keys: Vec<String>,
}

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PersonAnswer {
    /// Approves our question about the probe.
    Yes,
    /// Refuses our question about the probe.
    No,
    /// Approves whatever the agent asks.
    Everything,
}

/// The screen with our question, before the person answered.
pub(crate) const ASKED: &str = "/home/harness/asked.txt";

/// The folder of requests to the model.
const REQUESTS: &str = "/home/harness/model";

/// Runs the model and the agent until the agent ends, and returns the agent's exit code.
pub(crate) fn main(file: &Path) -> io::Result<ExitCode> {
    let run: Run = serde_json::from_slice(&std::fs::read(file)?)?;
    let listener = TcpListener::bind("127.0.0.1:8080")?;
    let through = Arc::new(AtomicBool::new(false));
    let said = Arc::clone(&through);
    let script = run.script.clone();
    thread::spawn(move || model::serve(listener, script, Path::new(REQUESTS), said));
    if run.typed.is_some() {
        return terminal(&run, &through);
    }
    let Some((program, arguments)) = run.argv.split_first() else { return Ok(ExitCode::FAILURE) };
    let status = Command::new(program).args(arguments).status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}

/// Runs the agent in a terminal until the last answer of the model.
fn terminal(run: &Run, through: &AtomicBool) -> io::Result<ExitCode> {
    let mut start = vec!["new-session", "-d", "-s", "agent", "-x", "140", "-y", "50", "--"];
    start.extend(run.argv.iter().map(String::as_str));
    tmux(&start)?;
    while !screen()?.contains(&run.ready) {
        thread::sleep(Duration::from_millis(100));
    }
    prompt(run.typed.as_deref().unwrap_or_default())?;
    watch(run, through)?;
    // The hooks of the last turn may still run.
    thread::sleep(Duration::from_secs(1));
    tmux(&["kill-server"])?;
    Ok(ExitCode::SUCCESS)
}

/// Types the prompt until the agent asks the model. What is typed too early may be lost before or after it is shown.
fn prompt(typed: &str) -> io::Result<()> {
    let requests = || std::fs::read_dir(REQUESTS).map_or(0, Iterator::count);
    // Some agents send requests when they start.
    let mut before = None;
    for _ in 0..3 {
        let begun = Instant::now();
        while !screen()?.contains(typed) && begun.elapsed() < Duration::from_secs(30) {
            settle(screen)?;
            write(typed)?;
        }
        let before = *before.get_or_insert_with(requests);
        press("Enter")?;
        let entered = Instant::now();
        while requests() == before && entered.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(100));
        }
        if requests() > before {
            break;
        }
    }
    Ok(())
}

/// Saves the screen until the last answer of the model, and answers questions in between.
fn watch(run: &Run, through: &AtomicBool) -> io::Result<()> {
    let answer = || run.keys.iter().try_for_each(|key| press(key));
    let mut asked = false;
    let mut refused: Option<Instant> = None;
    // At its time limit the container ends this process, maybe within a write, and tmux, maybe before a capture.
    while !through.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        let now = screen()?;
        if !now.trim().is_empty() {
            std::fs::write("/home/harness/screen.new", &now)?;
            std::fs::rename("/home/harness/screen.new", "/home/harness/screen.txt")?;
        }
        if run.answer == Some(PersonAnswer::Everything) {
            settle(screen)?;
            answer()?;
        } else if run.answer.is_some() && !asked && squeezed(&now).contains(&squeezed(QUESTION)) {
            asked = true;
            thread::sleep(Duration::from_secs(1));
            if !Path::new(PROJECT).join("probe.txt").exists() {
                std::fs::write(ASKED, now)?;
            }
            answer()?;
            refused = (run.answer == Some(PersonAnswer::No)).then(Instant::now);
        }
        // Some agents end the turn after a refusal, and tell the model about it in the next one.
        if refused.take_if(|at| at.elapsed() > Duration::from_secs(5)).is_some() {
            write("Go on.")?;
            press("Enter")?;
        }
    }
    Ok(())
}

fn tmux(arguments: &[&str]) -> io::Result<String> {
    let said = Command::new("tmux").args(["-S", "/tmp/tmux", "-f", "/dev/null"]).args(arguments).output()?;
    Ok(String::from_utf8_lossy(&said.stdout).into_owned())
}

fn screen() -> io::Result<String> {
    tmux(&["capture-pane", "-p", "-t", "agent"])
}

fn write(text: &str) -> io::Result<()> {
    tmux(&["send-keys", "-t", "agent", "-l", text])?;
    thread::sleep(Duration::from_millis(500));
    Ok(())
}

fn press(key: &str) -> io::Result<()> {
    tmux(&["send-keys", "-t", "agent", key])?;
    // Keys that arrive together may be taken for an escape sequence.
    thread::sleep(Duration::from_millis(200));
    Ok(())
}

/// The text without blanks, since a screen may break a line anywhere.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Waits until the screen does not change any more.
fn settle(screen: impl Fn() -> io::Result<String>) -> io::Result<()> {
    let (mut last, mut since) = (String::new(), Instant::now());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        let now = screen()?;
        if now != last {
            (last, since) = (now, Instant::now());
        } else if !now.trim().is_empty() && since.elapsed() > Duration::from_millis(800) {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
