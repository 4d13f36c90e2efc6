//! The launcher `bwrap`: a mount namespace in which only the allowed folders are writable.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{MemfdFlags, Mode, memfd_create};
use rustix::process::{Pid, PidfdFlags, Signal, geteuid, getpgrp, pidfd_open, pidfd_send_signal, setpgid};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;
use snaphook_policy::Network;

use super::filter;
use super::isolate::WITHIN;
use super::landlock::can_keep_signals;
use super::profile::Profile;
use super::promises::Promises;
use super::streams;
use crate::policy::{Places, on_path};

/// Runs the command and returns its exit code. On `Err`, nothing was run.
pub(super) fn run(profile: &Profile, places: &Places, argv: &[OsString]) -> Result<u8, String> {
    let failed = |error: std::io::Error| format!("bwrap cannot be started: {error}");
    let (status, tells) = rustix::pipe::pipe().map_err(|error| failed(error.into()))?;
    rustix::io::fcntl_setfd(&status, rustix::io::FdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
    let program = piped(&filter::bytes(&filter::filter(profile.network, true)?)).map_err(failed)?;
    // A program in a writable folder may have been put there by a command.
    let is_safe = |path: &Path| !profile.write.iter().any(|root| path.starts_with(root));
    let bwrap = on_path("bwrap", is_safe).and_then(|path| path.canonicalize().ok()).ok_or(
        "`bwrap` was not found in a folder of PATH that commands cannot write to; install the package bubblewrap",
    )?;
    let users = UserNamespace::of(bwrap.metadata().map_err(failed)?.mode(), can_keep_signals());
    let handed =
        handed_on(&[users.id().as_bytes(), b"\0", &Promises::new(profile).bytes()].concat()).map_err(failed)?;
    let mut command = Command::new(bwrap);
    command.args(arguments(profile)).args(users.arguments()).arg("--json-status-fd").arg(tells.as_raw_fd().to_string());
    command.arg("--seccomp").arg(program.as_raw_fd().to_string());
    let own = places.binary().ok_or("the path of this program is unknown")?;
    let handed_on = format!("{},{}", getpgrp().as_raw_nonzero(), handed.as_raw_fd());
    command.arg("--").arg(own).args(["run", WITHIN, &handed_on, "--"]).args(argv);
    if let Some(input) = streams::through_pipe(profile).map_err(failed)? {
        command.stdin(input);
    }
    let watch = BwrapMonitor::new(status).map_err(failed)?;
    let mut child = command.process_group(0).spawn().map_err(failed)?;
    drop((tells, program, handed, command));
    let (code, said) = watch.wait(&mut child).map_err(failed)?;
    match code.code() {
        Some(code) if said.contains("\"exit-code\"") => Ok(u8::try_from(code).unwrap_or(1)),
        Some(code) => Err(format!("bwrap could not apply the profile and exited with {code}; see its message above")),
        None => Ok(u8::try_from(128 + code.signal().unwrap_or_default()).unwrap_or(1)),
    }
}

/// The arguments that express the profile; later ones override earlier ones.
fn arguments(profile: &Profile) -> Vec<OsString> {
    let mut out: Vec<OsString> =
        ["--die-with-parent", "--unshare-ipc", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev"]
            .map(OsString::from)
            .into();
    let mut add = |option: &str, from: &Path, to: &Path| out.extend([option.into(), from.into(), to.into()]);
    // A nested namespace must write its own entries below /proc, but not the kernel settings.
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

/// How a user namespace keeps the command from tracing programs outside the sandbox, if landlock cannot.
/// `bwrap` creates one when it is unprivileged, but not when it is setuid.
#[derive(Debug, PartialEq, Eq)]
enum UserNamespace {
    /// None is needed: the command has a landlock domain.
    Any,
    /// `bwrap` creates its own namespace.
    Own,
    /// `bwrap` creates its own namespace only if told to.
    Told,
}

impl UserNamespace {
    fn of(mode_of_bwrap: u32, has_domain: bool) -> Self {
        let is_setuid = mode_of_bwrap & Mode::SUID.as_raw_mode() != 0;
        match (has_domain, is_setuid) {
            (true, _) => Self::Any,
            (false, false) => Self::Own,
            (false, true) => Self::Told,
        }
    }

    fn arguments(&self) -> &'static [&'static str] {
        if *self == Self::Told { &["--unshare-user"] } else { &[] }
    }

    /// The namespace that the command must not be in; empty if any is accepted.
    fn id(&self) -> String {
        if *self == Self::Any || geteuid().is_root() { String::new() } else { current_user_namespace() }
    }
}

/// The user namespace of this process.
fn current_user_namespace() -> String {
    std::fs::read_link("/proc/self/ns/user").map_or_else(|_| "unknown".to_owned(), |id| id.display().to_string())
}

/// The second stage, which runs inside the namespaces that `bwrap` has created and then executes the command.
pub(super) fn within(handed: &OsStr) -> Result<(), String> {
    let wrong = || format!("{WITHIN} {} is not a valid argument of the first stage", handed.display());
    let (group, fd) = handed.to_str().and_then(|handed| handed.split_once(',')).ok_or_else(wrong)?;
    let group = group.parse().ok().and_then(Pid::from_raw).ok_or_else(wrong)?;
    let bytes = std::fs::read(format!("/proc/self/fd/{}", fd.parse::<u32>().map_err(|_| wrong())?));
    let bytes = bytes.map_err(|error| format!("the data of the first stage cannot be read: {error}"))?;
    close_fds::set_fds_cloexec(3, &[]);
    let split = bytes.iter().position(|byte| *byte == 0).and_then(|at| bytes.split_at_checked(at + 1));
    let (users, promises) = split.ok_or_else(wrong)?;
    let promises = Promises::from_bytes(promises).ok_or_else(wrong)?;
    is_apart(users.strip_suffix(b"\0").unwrap_or(users), current_user_namespace().as_bytes())?;
    setpgid(None, Some(group)).map_err(|error| format!("the process group cannot be joined: {error}"))?;
    super::landlock::keep_signals()?;
    promises.test()
}

/// Refuses to run a command without a landlock domain in the user namespace of the programs outside. It could
/// trace them and so escape the sandbox.
fn is_apart(outside: &[u8], own: &[u8]) -> Result<(), String> {
    if outside == own || own == b"unknown" && !outside.is_empty() {
        return Err(
            "this bwrap creates no user namespace and this kernel (before Linux 6.12) creates no landlock domain, so the \
                    command could trace programs outside; allow user namespaces, and remove the setuid bit from bwrap"
                .to_owned(),
        );
    }
    Ok(())
}

/// An inheritable anonymous file with these bytes.
fn handed_on(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(c"snaphook", MemfdFlags::empty())?);
    file.write_all(bytes)?;
    Ok(file.into())
}

/// An inheritable pipe with these bytes.
fn piped(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let (out, into) = rustix::pipe::pipe()?;
    File::from(into).write_all(bytes)?;
    Ok(out)
}

/// Waits for `bwrap`, which runs in its own process group. Forwards signals that were sent only to this process
/// (R9); signals to the whole group reach the command directly, but only those from a terminal can be
/// recognised.
struct BwrapMonitor {
    signals: SignalDelivery<UnixStream, WithRawSiginfo>,
    /// The status output of `bwrap`.
    status: File,
    said: String,
    command: Option<OwnedFd>,
    late: Vec<Signal>,
}

impl BwrapMonitor {
    fn new(status: OwnedFd) -> std::io::Result<Self> {
        rustix::io::ioctl_fionbio(&status, true)?;
        let (woken, wakes) = UnixStream::pair()?;
        let signals = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT].map(Signal::as_raw);
        let signals = SignalDelivery::with_pipe(woken, wakes, WithRawSiginfo, signals)?;
        Ok(Self { signals, status: File::from(status), said: String::new(), command: None, late: Vec::new() })
    }

    /// Returns the exit status of `bwrap` and its status output.
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

    /// Reads the available status output without blocking: a background job may keep the other end open.
    fn listen(&mut self) {
        let _ = self.status.read_to_string(&mut self.said);
        let number = self.said.split_once("\"child-pid\":").and_then(|(_, rest)| rest.split([',', '}']).next());
        let pid = number.and_then(|number| Pid::from_raw(number.trim().parse().ok()?));
        if let (Some(pid), None) = (pid, &self.command) {
            self.command = pidfd_open(pid, PidfdFlags::empty()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_landlock_domain_a_separate_user_namespace_is_required() {
        let (plain, setuid) = (0o100_755, 0o104_755);
        assert_eq!(
            (UserNamespace::of(plain, true), UserNamespace::of(setuid, true)),
            (UserNamespace::Any, UserNamespace::Any)
        );
        assert_eq!(
            (UserNamespace::of(plain, false), UserNamespace::of(setuid, false)),
            (UserNamespace::Own, UserNamespace::Told)
        );
        assert_eq!(UserNamespace::of(setuid, false).arguments(), ["--unshare-user"]);
        assert!(UserNamespace::of(setuid, true).id().is_empty());
        assert_eq!(is_apart(b"", b"user:[1]"), Ok(()));
        assert_eq!(is_apart(b"user:[1]", b"user:[2]"), Ok(()));
        assert!(is_apart(b"user:[1]", b"user:[1]").unwrap_err().contains("setuid bit"));
        assert!(is_apart(b"user:[1]", b"unknown").is_err());
    }
}
