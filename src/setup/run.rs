//! Runs another program with a time limit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

/// The output of a program.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The exit code; absent if it was killed.
    pub(crate) code: Option<i32>,
}

/// Runs a program with this input until it ends or its time limit is over.
///
/// Its standard streams are files, so that a child process which keeps running cannot block the caller.
pub(crate) fn run(command: &mut Command, input: &str, time: Duration) -> io::Result<Said> {
    let (mut stdin, stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
    stdin.write_all(input.as_bytes())?;
    stdin.seek(SeekFrom::Start(0))?;
    command.stdin(stdin).stdout(stdout.try_clone()?).stderr(Stdio::from(stderr.try_clone()?));
    let mut child = command.spawn()?;
    let Some(status) = child.wait_timeout(time)? else {
        child.kill()?;
        child.wait()?;
        return Err(io::Error::new(io::ErrorKind::TimedOut, format!("no end within {} s", time.as_secs())));
    };
    Ok(Said { stdout: text(stdout)?, stderr: text(stderr)?, code: status.code() })
}

fn text(mut file: File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(1 << 20).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
