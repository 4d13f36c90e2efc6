//! The reference programs that snaphook is compared with.

use std::ffi::OsStr;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

/// The variable that selects the reference program.
pub(crate) const ROLE: &str = "SNAPHOOK_BENCH_ROLE";
/// Reads stdin to its end into memory.
pub(crate) const READER: &str = "reader";
/// Parses each line of JSON-RPC as a `Value` and prints an answer to it.
pub(crate) const LOOP: &str = "loop";

/// Reads one member of a message of Claude Code, and answers nothing.
pub(crate) const SMALLEST: &str = "smallest";

/// What the smallest hook reads.
#[derive(serde::Deserialize)]
struct SmallestMessage<'m> {
    #[serde(borrow)]
    tool_input: SmallestInput<'m>,
}

#[derive(serde::Deserialize)]
struct SmallestInput<'m> {
    #[serde(borrow, default)]
    command: std::borrow::Cow<'m, str>,
}

/// Runs the selected reference program.
pub(crate) fn play(role: &OsStr) -> ExitCode {
    if role == LOOP {
        serve();
    } else if role == SMALLEST {
        let text = std::io::read_to_string(std::io::stdin()).expect("stdin");
        let message: SmallestMessage = serde_json::from_str(&text).expect("JSON");
        return ExitCode::from(if message.tool_input.command.contains("rm -rf") { 2 } else { 0 });
    } else {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).expect("stdin");
        std::hint::black_box(&bytes);
    }
    ExitCode::SUCCESS
}

fn serve() {
    let mut out = std::io::stdout().lock();
    let mut line = String::new();
    let mut stdin = std::io::stdin().lock();
    while stdin.read_line(&mut line).expect("stdin") > 0 {
        let request: Value = serde_json::from_str(&line).expect("JSON");
        let answer = serde_json::json!({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "continue"}});
        writeln!(out, "{answer}").and_then(|()| out.flush()).expect("stdout");
        line.clear();
    }
}

/// Compiles an empty C program. `Err` is the reason why that failed.
pub(crate) fn empty(folder: &Path) -> Result<PathBuf, String> {
    compiled(&folder.join("floor"), "floor.c", &["-static"])
}

/// Compiles a program that ends with its first system call.
pub(crate) fn exits(folder: &Path) -> Result<PathBuf, String> {
    compiled(&folder.join("exits"), "exits.c", &["-static", "-nostdlib"])
}

/// Compiles an empty C program for musl, with the C library that the compiler of Rust brings.
pub(crate) fn musl(folder: &Path) -> Result<PathBuf, String> {
    let root = Command::new("rustc").args(["--print", "sysroot"]).output().map_err(|error| error.to_string())?;
    let root = PathBuf::from(String::from_utf8_lossy(&root.stdout).trim());
    let library = root.join("lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained");
    if !library.is_dir() {
        return Err("rustup has not installed x86_64-unknown-linux-musl".to_owned());
    }
    let parts = ["crt1.o", "crti.o", "libc.a", "crtn.o"].map(|part| library.join(part).display().to_string());
    let [start, before, library, after] = &parts;
    compiled(&folder.join("musl"), "floor.c", &["-static", "-no-pie", "-nostdlib", start, before, library, after])
}

fn compiled(program: &Path, source: &str, options: &[&str]) -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/cost").join(source);
    let built = Command::new("cc").args(["-O2", "-o"]).arg(program).arg(source).args(options).output();
    match built {
        Ok(output) if output.status.success() => Ok(program.to_owned()),
        Ok(output) => Err(format!("cc cannot link statically: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("no C compiler: {error}")),
    }
}
