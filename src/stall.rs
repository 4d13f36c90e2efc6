//! Ends a command that blocks on an unresponsive file system.
//!
//! If the server of a network mount does not answer, every system call on a file below the mount blocks. Therefore a
//! command runs on its own thread, and the main thread asks the kernel once a second which system call each thread is
//! in. A thread that has been blocked in the same file system call for ten seconds is considered hung. Waiting for the
//! user, a child process or a pipe is not limited. Signals end the process at any time, as usual.

#[cfg(target_os = "linux")]
use std::panic::resume_unwind;

/// Runs `work` on a new thread and returns its result after the thread has ended. If `work` blocks on an unresponsive
/// file system, prints the path of the file on stderr and exits with `code`.
#[cfg(target_os = "linux")]
pub(crate) fn watched<T: Send>(code: u8, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let (running, ended) = std::sync::mpsc::channel::<()>();
        let work = move || {
            let _running = running;
            (rustix::thread::gettid(), work())
        };
        let thread = std::thread::Builder::new().name("command".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => {
                linux::watch(&ended, code);
                let (id, done) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                linux::wait_until_gone(id);
                done
            }
            Err(error) => {
                crate::serve::print_error(&format!("snaphook: cannot start a thread: {error}"));
                end(code)
            }
        }
    })
}

/// Runs `work` without a watchdog: only Linux reports the system call that a thread is in.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watched<T: Send>(_: u8, work: impl FnOnce() -> T + Send) -> T {
    work()
}

#[cfg(target_os = "linux")]
#[expect(clippy::exit, reason = "the thread that hangs cannot be ended in any other way")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

/// The stack size of the main thread, in bytes.
#[cfg(target_os = "linux")]
const STACK: usize = 8 << 20;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::FileExt as _;
    use std::path::{Path, PathBuf};
    use std::sync::mpsc::{Receiver, RecvTimeoutError};
    use std::time::Duration;

    use rustix::thread::Pid;

    /// Waits until the work has ended. Exits the process if a thread hangs.
    pub(super) fn watch(ended: &Receiver<()>, code: u8) {
        let mut blocked: BTreeMap<String, (FileCall, u32)> = BTreeMap::new();
        while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            blocked = calls()
                .map(|(thread, call)| {
                    let times =
                        blocked.get(&thread).filter(|(before, _)| *before == call).map_or(0, |(_, times)| times + 1);
                    (thread, (call, times))
                })
                .collect();
            if let Some((call, times)) = blocked.values().find(|(_, times)| *times >= MAX_POLLS) {
                let path = call.path().map_or_else(|| "a file".to_owned(), |path| path.display().to_string());
                let path = crate::visible::one_line(&path);
                crate::serve::print_error(&format!("snaphook: {path}: the file system did not respond for {times} s"));
                super::end(code);
            }
        }
    }

    /// Waits until the kernel has removed a joined thread: only a single-threaded process may leave its namespaces.
    pub(super) fn wait_until_gone(thread: Pid) {
        let thread = format!("/proc/self/task/{}", thread.as_raw_nonzero());
        while fs::exists(&thread).unwrap_or(false) {
            std::thread::yield_now();
        }
    }

    /// A file system call that a thread is in. Two samples are equal if the thread did not run in between.
    #[derive(PartialEq, Eq)]
    struct FileCall {
        names: FileArgument,
        arguments: Vec<u64>,
        /// The context switch counters of the thread.
        switches: String,
    }

    /// The arguments of a system call that name the file.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum FileArgument {
        /// The argument at this index points to the path.
        Path(usize),
        /// The argument at this index is a directory descriptor; the next one points to a path relative to it.
        At(usize),
        /// The first argument is an open file descriptor.
        Descriptor,
    }

    /// Lists the file system calls that the other threads are in. Only files in `/proc` are opened, so that this
    /// cannot block.
    fn calls() -> impl Iterator<Item = (String, FileCall)> {
        let own = std::process::id().to_string();
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let threads = threads.filter_map(|thread| thread.file_name().into_string().ok());
        threads.filter(move |thread| *thread != own).filter_map(|thread| Some((thread.clone(), call(&thread)?)))
    }

    fn call(thread: &str) -> Option<FileCall> {
        let of = |name: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{name}")).ok();
        let switches = of("status")?.lines().filter(|line| line.contains("ctxt_switches")).collect();
        let line = of("syscall")?;
        let mut words = line.split_whitespace();
        let number: libc::c_long = words.next()?.parse().ok()?;
        let names = CALLS.iter().find(|(known, _)| *known == number)?.1;
        let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        let arguments: Vec<_> = words.filter_map(number).collect();
        let call = FileCall { names, arguments, switches };
        // The standard streams may be a terminal or a pipe without a reader, where blocking is legitimate.
        let waits = names == FileArgument::Descriptor
            && (call.argument(0)? <= 2
                || call.path().is_some_and(|path| !path.is_absolute() || path.starts_with("/dev")));
        (!waits).then_some(call)
    }

    impl FileCall {
        fn argument(&self, at: usize) -> Option<u64> {
            self.arguments.get(at).copied()
        }

        fn path(&self) -> Option<PathBuf> {
            match self.names {
                FileArgument::Path(at) => Some(folder(None)?.join(text(self.argument(at)?)?)),
                FileArgument::At(at) => {
                    let path = text(self.argument(at + 1)?)?;
                    if path.is_absolute() { Some(path) } else { Some(folder(self.argument(at))?.join(path)) }
                }
                FileArgument::Descriptor => folder(self.argument(0)),
            }
        }
    }

    /// The path of a descriptor. A negative descriptor is the working directory.
    fn folder(descriptor: Option<u64>) -> Option<PathBuf> {
        let descriptor = descriptor.and_then(|number| i32::try_from(number).ok());
        fs::read_link(descriptor.map_or_else(|| "/proc/self/cwd".to_owned(), |fd| format!("/proc/self/fd/{fd}"))).ok()
    }

    /// Reads the text at an address of this process. The thread may overwrite it meanwhile, so use it only in messages.
    fn text(address: u64) -> Option<PathBuf> {
        let mut bytes = vec![0; LONGEST_PATH];
        let count = File::open("/proc/self/mem").ok()?.read_at(&mut bytes, address).ok()?;
        bytes.truncate(count);
        let text = bytes.split(|byte| *byte == 0).next()?;
        Some(Path::new(OsStr::from_bytes(text)).to_owned())
    }

    const CALLS: &[(libc::c_long, FileArgument)] = &[
        (libc::SYS_openat, FileArgument::At(0)),
        (libc::SYS_openat2, FileArgument::At(0)),
        (libc::SYS_statx, FileArgument::At(0)),
        #[cfg(target_pointer_width = "64")]
        (libc::SYS_newfstatat, FileArgument::At(0)),
        (libc::SYS_readlinkat, FileArgument::At(0)),
        (libc::SYS_faccessat, FileArgument::At(0)),
        (libc::SYS_faccessat2, FileArgument::At(0)),
        (libc::SYS_mkdirat, FileArgument::At(0)),
        (libc::SYS_unlinkat, FileArgument::At(0)),
        #[cfg(not(target_arch = "riscv64"))]
        (libc::SYS_renameat, FileArgument::At(0)),
        (libc::SYS_renameat2, FileArgument::At(0)),
        (libc::SYS_linkat, FileArgument::At(2)),
        (libc::SYS_symlinkat, FileArgument::At(1)),
        (libc::SYS_fchmodat, FileArgument::At(0)),
        (libc::SYS_fchownat, FileArgument::At(0)),
        (libc::SYS_utimensat, FileArgument::At(0)),
        (libc::SYS_statfs, FileArgument::Path(0)),
        (libc::SYS_chdir, FileArgument::Path(0)),
        (libc::SYS_getdents64, FileArgument::Descriptor),
        (libc::SYS_read, FileArgument::Descriptor),
        (libc::SYS_pread64, FileArgument::Descriptor),
        (libc::SYS_readv, FileArgument::Descriptor),
        (libc::SYS_write, FileArgument::Descriptor),
        (libc::SYS_pwrite64, FileArgument::Descriptor),
        (libc::SYS_writev, FileArgument::Descriptor),
        (libc::SYS_lseek, FileArgument::Descriptor),
        (libc::SYS_fstat, FileArgument::Descriptor),
        (libc::SYS_fsync, FileArgument::Descriptor),
        (libc::SYS_fdatasync, FileArgument::Descriptor),
        (libc::SYS_ftruncate, FileArgument::Descriptor),
        (libc::SYS_fchmod, FileArgument::Descriptor),
        (libc::SYS_fchown, FileArgument::Descriptor),
        (libc::SYS_flock, FileArgument::Descriptor),
        (libc::SYS_copy_file_range, FileArgument::Descriptor),
        (libc::SYS_close, FileArgument::Descriptor),
        // Older calls that some C libraries still use on this architecture.
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_stat, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_lstat, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_access, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_readlink, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mkdir, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_rmdir, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_unlink, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_rename, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_link, FileArgument::Path(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_symlink, FileArgument::Path(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, FileArgument::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chown, FileArgument::Path(0)),
    ];

    /// The time between two samples.
    const POLL_INTERVAL: Duration = Duration::from_secs(1);
    /// The number of consecutive samples in the same call after which the command ends. Samples are counted instead of
    /// time because a stopped process and a sleeping machine take none.
    const MAX_POLLS: u32 = 10;
    const LONGEST_PATH: usize = 4096;
}
