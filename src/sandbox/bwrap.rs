//! The launcher `bwrap`: a view of the file system in which only what may be written can be.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal, getpgrp, pidfd_open, pidfd_send_signal};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;

use super::filter;
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
    let program = piped(&filter::bytes(&filter::filter(profile.network, true)?)).map_err(failed)?;
    // Not one that a command may have put there.
    let is_safe = |path: &Path| !profile.write.iter().any(|root| path.starts_with(root));
    let bwrap = on_path("bwrap", is_safe)
        .and_then(|path| path.canonicalize().ok())
        .ok_or("the program `bwrap` is not on PATH outside of what may be written; install the package bubblewrap")?;
    let mut command = Command::new(bwrap);
    command.args(arguments(profile)).arg("--json-status-fd").arg(tells.as_raw_fd().to_string());
    command.arg("--seccomp").arg(program.as_raw_fd().to_string());
    let own = places.binary().ok_or("the place of this program is not known")?;
    let group = getpgrp().as_raw_nonzero().to_string();
    command.arg("--").arg(own).args(["run", WITHIN, &group, "--"]).args(argv);
    if let Some(input) = streams::through_pipe(profile).map_err(failed)? {
        command.stdin(input);
    }
    let watch = Watch::new(status).map_err(failed)?;
    let mut child = command.process_group(0).spawn().map_err(failed)?;
    drop((tells, program, command));
    let (code, said) = watch.wait(&mut child).map_err(failed)?;
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
    File::from(into).write_all(bytes)?;
    Ok(out)
}

/// Waits for `bwrap`, which stands in a group of its own, and hands on to the command in it the signals
/// that were sent to this process alone (R9): those for the whole group reach it by themselves, but only
/// of those of a terminal that can be told.
struct Watch {
    signals: SignalDelivery<UnixStream, WithRawSiginfo>,
    /// What `bwrap` tells of the command.
    status: File,
    said: String,
    command: Option<OwnedFd>,
    late: Vec<Signal>,
}

impl Watch {
    fn new(status: OwnedFd) -> std::io::Result<Self> {
        rustix::io::ioctl_fionbio(&status, true)?;
        let (woken, wakes) = UnixStream::pair()?;
        let signals = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT].map(Signal::as_raw);
        let signals = SignalDelivery::with_pipe(woken, wakes, WithRawSiginfo, signals)?;
        Ok(Self { signals, status: File::from(status), said: String::new(), command: None, late: Vec::new() })
    }

    /// Returns how `bwrap` ended, and what it told.
    fn wait(mut self, child: &mut Child) -> std::io::Result<(ExitStatus, String)> {
        let ended = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        loop {
            let known = self.command.is_some();
            let mut polled = [
                PollFd::new(&ended, PollFlags::IN),
                PollFd::from_borrowed_fd(self.signals.get_read().as_fd(), PollFlags::IN),
                PollFd::new(&self.status, if known { PollFlags::empty() } else { PollFlags::IN }),
            ];
            match rustix::event::poll(&mut polled, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let [has_ended, has_signals, _] = polled.map(|fd| !fd.revents().is_empty());
            self.listen();
            if has_signals {
                let _ = self.signals.get_read_mut().read(&mut [0; 64]);
                let sent = self.signals.pending().filter(|signal| signal.si_code != libc::SI_KERNEL);
                self.late.extend(sent.filter_map(|signal| Signal::from_named_raw(signal.si_signo)));
            }
            if let Some(command) = &self.command {
                for signal in self.late.drain(..) {
                    let _ = pidfd_send_signal(command, signal);
                }
            }
            if has_ended {
                return Ok((child.wait()?, self.said));
            }
        }
    }

    /// Reads what is there now: a job in the background may keep the other end open.
    fn listen(&mut self) {
        let _ = self.status.read_to_string(&mut self.said);
        let number = self.said.split_once("\"child-pid\":").and_then(|(_, rest)| rest.split([',', '}']).next());
        let pid = number.and_then(|number| Pid::from_raw(number.trim().parse().ok()?));
        if let (Some(pid), None) = (pid, &self.command) {
            self.command = pidfd_open(pid, PidfdFlags::empty()).ok();
        }
    }
}
