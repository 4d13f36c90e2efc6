//! The launcher `bwrap`: a view of the file system in which only what may be written can be.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use super::filter::{self, Sockets};
use super::profile::Profile;
use super::run::WITHIN;
use super::streams;
use crate::policy::sandbox::Network;
use crate::policy::{Places, on_path};

/// Runs the command and returns its exit code. `Err`: nothing ran.
pub(super) fn run(profile: &Profile, places: &Places, argv: &[OsString]) -> Result<u8, String> {
    let failed = |error: std::io::Error| format!("bwrap cannot be started: {error}");
    let (status, tells) = rustix::pipe::pipe().map_err(|error| failed(error.into()))?;
    rustix::io::fcntl_setfd(&status, rustix::io::FdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
    let sockets = if profile.network == Network::Off { Sockets::OwnNetwork } else { Sockets::All };
    let program = piped(&filter::bytes(&filter::filter(sockets)?)).map_err(failed)?;
    // Not one that a command may have put there.
    let is_safe = |path: &Path| !profile.write.iter().any(|root| path.starts_with(root));
    let bwrap = on_path("bwrap", is_safe)
        .and_then(|path| path.canonicalize().ok())
        .ok_or("the program `bwrap` is not on PATH outside of what may be written; install the package bubblewrap")?;
    let mut command = Command::new(bwrap);
    command.args(arguments(profile)).arg("--json-status-fd").arg(tells.as_raw_fd().to_string());
    command.arg("--seccomp").arg(program.as_raw_fd().to_string());
    let own = places.binary().ok_or("the place of this program is not known")?;
    command.arg("--").arg(own).args(["run", WITHIN, "--"]).args(argv);
    if let Some(input) = streams::through_pipe(profile).map_err(failed)? {
        command.stdin(input);
    }
    let signals = Signals::take().map_err(failed)?;
    let mut child = command.spawn().map_err(failed)?;
    drop((tells, program, command));
    let code = signals.wait(&mut child).map_err(failed)?;
    let mut said = String::new();
    // What is left of the other end may be held by a job in the background, so only what is there now.
    rustix::io::ioctl_fionbio(&status, true).map_err(|error| failed(error.into()))?;
    let _ = std::fs::File::from(status).read_to_string(&mut said);
    match code.code() {
        Some(code) if said.contains("\"exit-code\"") => Ok(u8::try_from(code).unwrap_or(1)),
        Some(code) => Err(format!("bwrap could not apply the profile and ended with {code}; its message stands above")),
        None => Ok(u8::try_from(128 + code.signal().unwrap_or_default()).unwrap_or(1)),
    }
}

/// The arguments that are the profile; the later ones win.
fn arguments(profile: &Profile) -> Vec<OsString> {
    let mut out: Vec<OsString> =
        ["--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev"].map(OsString::from).into();
    let mut add = |option: &str, from: &Path, to: &Path| out.extend([option.into(), from.into(), to.into()]);
    // A namespace inside needs its own entries below /proc writable; the settings of the kernel are not.
    let (proc, settings) = (Path::new("/proc"), Path::new("/proc/sys"));
    add("--bind", proc, proc);
    add("--ro-bind", settings, settings);
    for root in &profile.write {
        add("--bind", root, root);
    }
    for folder in &profile.pinned {
        add("--bind", folder, folder);
    }
    for path in &profile.read_only {
        add("--ro-bind", path, path);
    }
    let mut empty = Vec::new();
    for path in profile.hide_inside.iter().chain(&profile.hide_outside) {
        if path.is_dir() {
            empty.push(path);
        } else {
            add("--ro-bind", Path::new("/dev/null"), path);
        }
    }
    for path in empty {
        out.extend([OsStr::new("--perms").into(), "0555".into(), "--tmpfs".into(), path.into()]);
        out.extend(["--remount-ro".into(), path.into()]);
    }
    if profile.network == Network::Off {
        out.push("--unshare-net".into());
    }
    out.extend(["--chdir".into(), profile.cwd.clone().into()]);
    out
}

/// A pipe with these bytes in it, which a child inherits.
fn piped(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let (out, into) = rustix::pipe::pipe()?;
    std::fs::File::from(into).write_all(bytes)?;
    Ok(out)
}

/// Hands on the signals that were sent to this process alone (R9).
struct Signals {
    each: Vec<(Signal, UnixStream)>,
}

impl Signals {
    fn take() -> std::io::Result<Self> {
        let mut each = Vec::new();
        for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
            let (woken, wakes) = UnixStream::pair()?;
            signal_hook::low_level::pipe::register(signal.as_raw(), wakes)?;
            each.push((signal, woken));
        }
        Ok(Self { each })
    }

    fn wait(&self, child: &mut Child) -> std::io::Result<std::process::ExitStatus> {
        let pid = Pid::from_child(child);
        let ended = pidfd_open(pid, PidfdFlags::empty())?;
        loop {
            let mut polled = vec![PollFd::new(&ended, PollFlags::IN)];
            polled.extend(self.each.iter().map(|(_, woken)| PollFd::from_borrowed_fd(woken.as_fd(), PollFlags::IN)));
            match rustix::event::poll(&mut polled, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            for ((signal, woken), _) in self.each.iter().zip(ready.iter().skip(1)).filter(|(_, ready)| **ready) {
                let _ = (&*woken).read(&mut [0; 64]);
                let _ = kill_process(pid, *signal);
            }
            if ready.first() == Some(&true) {
                return child.wait();
            }
        }
    }
}
