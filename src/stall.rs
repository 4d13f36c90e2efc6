//! Ends a command that the file system holds up.
//!
//! A mount whose server does not answer holds up any system call on a file below it. So a command runs on a thread, and
//! the main thread asks the kernel once a second which system call each thread is in. One that has not run for ten
//! seconds and is in a call on a file is not going to end. Waiting for a person, a child process or a pipe is none of
//! these calls and takes as long as it likes. Signals keep their usual effect: they end the process at any time.

#[cfg(target_os = "linux")]
use std::panic::resume_unwind;

/// Runs a part of a command and returns what it returns; its thread is gone by then. Where the file system holds it up,
/// says so on stderr, names the file, and ends the process with `code`.
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
                linux::wait_for_the_end_of(id);
                done
            }
            Err(error) => {
                crate::serve::complain(&format!("snaphook: no thread can be started: {error}"));
                end(code)
            }
        }
    })
}

/// Elsewhere the kernel does not tell which call a thread is in, and the command is not watched.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watched<T: Send>(_: u8, work: impl FnOnce() -> T + Send) -> T {
    work()
}

#[cfg(target_os = "linux")]
#[expect(clippy::exit, reason = "the thread that hangs cannot be ended in any other way")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

/// As much stack as the main thread has, in bytes.
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

    /// Returns when the work has ended; ends the process where it hangs.
    pub(super) fn watch(ended: &Receiver<()>, code: u8) {
        let mut held: BTreeMap<String, (Call, u32)> = BTreeMap::new();
        while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            held = calls()
                .map(|(thread, call)| {
                    let times =
                        held.get(&thread).filter(|(before, _)| *before == call).map_or(0, |(_, times)| times + 1);
                    (thread, (call, times))
                })
                .collect();
            if let Some((call, times)) = held.values().find(|(_, times)| *times >= PATIENCE) {
                let path = call.path().map_or_else(|| "a file".to_owned(), |path| path.display().to_string());
                let path = crate::visible::one_line(&path);
                crate::serve::complain(&format!("snaphook: {path}: no answer from the file system for {times} s"));
                super::end(code);
            }
        }
    }

    /// A thread that was joined is still there for a moment, and only a process of one thread may leave its namespaces.
    pub(super) fn wait_for_the_end_of(thread: Pid) {
        let thread = format!("/proc/self/task/{}", thread.as_raw_nonzero());
        while fs::exists(&thread).unwrap_or(false) {
            std::thread::yield_now();
        }
    }

    /// One call on a file that a thread is in. It stays equal as long as the thread does not run.
    #[derive(PartialEq, Eq)]
    struct Call {
        names: Names,
        arguments: Vec<u64>,
        /// How often the thread was taken off the processor.
        switches: String,
    }

    /// Which arguments of a system call name the file.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Names {
        /// The path that this argument points to.
        Path(usize),
        /// A folder's descriptor, and a path below it in the next argument.
        At(usize),
        /// A descriptor.
        Open,
    }

    /// The calls on files that the other threads are in. Nothing here touches a file outside of `/proc`.
    fn calls() -> impl Iterator<Item = (String, Call)> {
        let own = std::process::id().to_string();
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let threads = threads.filter_map(|thread| thread.file_name().into_string().ok());
        threads.filter(move |thread| *thread != own).filter_map(|thread| Some((thread.clone(), call(&thread)?)))
    }

    fn call(thread: &str) -> Option<Call> {
        let of = |name: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{name}")).ok();
        let switches = of("status")?.lines().filter(|line| line.contains("ctxt_switches")).collect();
        let line = of("syscall")?;
        let mut words = line.split_whitespace();
        let number: libc::c_long = words.next()?.parse().ok()?;
        let names = CALLS.iter().find(|(known, _)| *known == number)?.1;
        let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        let arguments: Vec<_> = words.filter_map(number).collect();
        let call = Call { names, arguments, switches };
        // Standard streams are what the user has made of them: a terminal, or a pipe that nobody reads.
        let waits = names == Names::Open
            && (call.argument(0)? <= 2
                || call.path().is_some_and(|path| !path.is_absolute() || path.starts_with("/dev")));
        (!waits).then_some(call)
    }

    impl Call {
        fn argument(&self, at: usize) -> Option<u64> {
            self.arguments.get(at).copied()
        }

        fn path(&self) -> Option<PathBuf> {
            match self.names {
                Names::Path(at) => Some(folder(None)?.join(text(self.argument(at)?)?)),
                Names::At(at) => {
                    let path = text(self.argument(at + 1)?)?;
                    if path.is_absolute() { Some(path) } else { Some(folder(self.argument(at))?.join(path)) }
                }
                Names::Open => folder(self.argument(0)),
            }
        }
    }

    /// The path of a descriptor; a negative one is the working directory.
    fn folder(descriptor: Option<u64>) -> Option<PathBuf> {
        let descriptor = descriptor.and_then(|number| i32::try_from(number).ok());
        fs::read_link(descriptor.map_or_else(|| "/proc/self/cwd".to_owned(), |fd| format!("/proc/self/fd/{fd}"))).ok()
    }

    /// The text at an address of our own memory. The thread may go on and put something else there: this is for a
    /// message.
    fn text(address: u64) -> Option<PathBuf> {
        let mut bytes = vec![0; LONGEST_PATH];
        let count = File::open("/proc/self/mem").ok()?.read_at(&mut bytes, address).ok()?;
        bytes.truncate(count);
        let text = bytes.split(|byte| *byte == 0).next()?;
        Some(Path::new(OsStr::from_bytes(text)).to_owned())
    }

    const CALLS: &[(libc::c_long, Names)] = &[
        (libc::SYS_openat, Names::At(0)),
        (libc::SYS_openat2, Names::At(0)),
        (libc::SYS_statx, Names::At(0)),
        #[cfg(target_pointer_width = "64")]
        (libc::SYS_newfstatat, Names::At(0)),
        (libc::SYS_readlinkat, Names::At(0)),
        (libc::SYS_faccessat, Names::At(0)),
        (libc::SYS_faccessat2, Names::At(0)),
        (libc::SYS_mkdirat, Names::At(0)),
        (libc::SYS_unlinkat, Names::At(0)),
        #[cfg(not(target_arch = "riscv64"))]
        (libc::SYS_renameat, Names::At(0)),
        (libc::SYS_renameat2, Names::At(0)),
        (libc::SYS_linkat, Names::At(2)),
        (libc::SYS_symlinkat, Names::At(1)),
        (libc::SYS_fchmodat, Names::At(0)),
        (libc::SYS_fchownat, Names::At(0)),
        (libc::SYS_utimensat, Names::At(0)),
        (libc::SYS_statfs, Names::Path(0)),
        (libc::SYS_chdir, Names::Path(0)),
        (libc::SYS_getdents64, Names::Open),
        (libc::SYS_read, Names::Open),
        (libc::SYS_pread64, Names::Open),
        (libc::SYS_readv, Names::Open),
        (libc::SYS_write, Names::Open),
        (libc::SYS_pwrite64, Names::Open),
        (libc::SYS_writev, Names::Open),
        (libc::SYS_lseek, Names::Open),
        (libc::SYS_fstat, Names::Open),
        (libc::SYS_fsync, Names::Open),
        (libc::SYS_fdatasync, Names::Open),
        (libc::SYS_ftruncate, Names::Open),
        (libc::SYS_fchmod, Names::Open),
        (libc::SYS_fchown, Names::Open),
        (libc::SYS_flock, Names::Open),
        (libc::SYS_copy_file_range, Names::Open),
        (libc::SYS_close, Names::Open),
        // The older calls, which some C libraries still use here.
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_stat, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_lstat, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_access, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_readlink, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mkdir, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_rmdir, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_unlink, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_rename, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_link, Names::Path(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_symlink, Names::Path(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, Names::Path(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chown, Names::Path(0)),
    ];

    /// How long to wait between two looks.
    const LOOK: Duration = Duration::from_secs(1);
    /// How many looks in a row find a thread in the same call before the command ends. Looks are counted, not time: a
    /// process that is stopped, or a machine that sleeps, does not look.
    const PATIENCE: u32 = 10;
    const LONGEST_PATH: usize = 4096;
}
