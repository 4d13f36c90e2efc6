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

/// Runs the selected reference program.
pub(crate) fn play(role: &OsStr) -> ExitCode {
    if role == LOOP {
        serve();
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
    let program = folder.join("floor");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/cost/floor.c");
    let built = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&program).arg(source).output();
    match built {
        Ok(output) if output.status.success() => Ok(program),
        Ok(output) => Err(format!("cc cannot link statically: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("no C compiler: {error}")),
    }
}
