//! Runs command lines in a disposable sandbox and reports the programs that ran.
//!
//! Each batch has a separate bubblewrap sandbox: no network, a private process namespace, a read-only system,
//! memory file systems for the rest, and no process outlives it. Within a batch `driver.sh` starts every run of
//! every case in the same state: the same files and no other process.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

/// The number of cases in a sandbox, and its time limit.
const BATCH: usize = 12;
const LIMIT: Duration = Duration::from_mins(10);

/// The shells, by the letter used in labels.
pub(crate) const SHELLS: [(char, &str); 4] = [('b', "bash"), ('d', "dash"), ('z', "zsh"), ('a', "busybox")];

/// Programs that only leave a mark: their own name, the name they were called by, and their first argument. The
/// own name is part of the file, so that a copy, a link, or a shell that reads the file leaves the mark of the
/// original.
const MARKERS: &[&str] = &["evilprog", "git", "npm", "kubectl", "terraform", "mkfs.ext4"];

/// Substitutes for programs that change the user or place of a command: they drop their options and run the
/// rest. The real programs need privileges that the sandbox does not have.
const LAYERS: &[&str] = &["sudo", "doas", "chroot", "unshare", "nsenter", "strace"];

/// The result of one run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The marks: the real program, the name it was called by, its first argument.
    pub(crate) marks: Vec<[String; 3]>,
    /// True if the protected file changed.
    pub(crate) wrote: bool,
}

/// The files that a case starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Plain,
    /// Also a protected file, and other versions of it in archives, a patch and a branch.
    Protected,
}

/// A machine that can run cases.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    start: Start,
    shells: Vec<char>,
}

impl Sandbox {
    /// Prepares the programs. `Err` names what is missing, as printed by a skipped test.
    pub(crate) fn prepare(start: Start) -> Result<Self, String> {
        let shells = SHELLS.iter().filter(|(_, name)| on_path(name)).map(|(letter, _)| *letter).collect();
        let sandbox = Self { dir: tempfile::tempdir().unwrap(), start, shells };
        let bin = sandbox.dir.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let program = |name: &str, text: String| {
            fs::write(bin.join(name), text).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        };
        for name in MARKERS {
            program(
                name,
                format!(
                    "#!/bin/sh\nprintf '%s\\t%s\\t%s\\n' '{name}' \"$0\" \"${{1-}}\" >>/oracle/marks/ran\n: a marker\n"
                ),
            );
        }
        for name in LAYERS {
            program(name, include_str!("layer.sh").to_owned());
        }
        for (_, name) in SHELLS {
            let _ = symlink(format!("/usr/bin/{name}"), bin.join(name));
        }
        symlink("/usr/bin/dash", bin.join("sh")).unwrap();
        fs::write(sandbox.dir.path().join("driver.sh"), include_str!("driver.sh")).unwrap();
        if let Some(needed) = missing() {
            return Err(format!("{needed}: not installed, so the recorded labels are believed"));
        }
        match sandbox.batch(&["evilprog x"]) {
            Ok(runs) if runs.iter().all(|run| !run[&'d'].marks.is_empty()) => Ok(sandbox),
            Ok(_) => Err("bwrap: a marker leaves no mark here, so the recorded labels are believed".to_owned()),
            Err(why) => Err(format!("bwrap: no sandbox here, so the recorded labels are believed ({why})")),
        }
    }

    /// Prepares a sandbox whose programs are this script under several names.
    pub(crate) fn of_script(driver: &str, script: &str, names: &[String]) -> Result<Self, String> {
        if let Some(needed) = missing() {
            return Err(format!("{needed}: not installed, so generated programs are not compared"));
        }
        let shells = SHELLS.iter().filter(|(_, name)| on_path(name)).map(|(letter, _)| *letter).collect();
        let sandbox = Self { dir: tempfile::tempdir().unwrap(), start: Start::Plain, shells };
        let bin = sandbox.dir.path().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::write(bin.join(".script"), script).unwrap();
        fs::set_permissions(bin.join(".script"), fs::Permissions::from_mode(0o755)).unwrap();
        for name in names {
            symlink(".script", bin.join(name)).unwrap();
        }
        fs::write(sandbox.dir.path().join("driver.sh"), driver).unwrap();
        match sandbox.output(&[]) {
            Ok((_, stderr)) if stderr.is_empty() => Ok(sandbox),
            Ok((_, why)) | Err(why) => {
                Err(format!("bwrap: no sandbox here, so generated programs are not compared ({why})"))
            }
        }
    }

    /// The letters of the installed shells.
    pub(crate) fn shells(&self) -> &[char] {
        &self.shells
    }

    /// Runs every case under every shell; the results are in the order of the cases.
    pub(crate) fn run(&self, cases: &[&str]) -> Vec<BTreeMap<char, Ran>> {
        in_batches(cases, BATCH, |batch| self.batch(batch))
    }

    fn batch(&self, cases: &[&str]) -> Result<Vec<BTreeMap<char, Ran>>, String> {
        let (stdout, stderr) = self.output(cases)?;
        read(&stdout, cases.len()).ok_or_else(|| format!("a sandbox ended too early {}", stderr.trim()))
    }

    /// Runs the driver on cases, and returns what it printed.
    pub(crate) fn output(&self, cases: &[&str]) -> Result<(String, String), String> {
        let mut command = Command::new("bwrap");
        command.args(["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000"]);
        command.args(["--die-with-parent", "--new-session", "--clearenv", "--hostname", "oracle"]);
        let letters: Vec<_> = self.shells.iter().map(char::to_string).collect();
        let shells = letters.join(" ");
        for (name, value) in [
            ("PATH", "/bin:/usr/bin"),
            ("HOME", "/oracle/home"),
            ("LANG", "C.UTF-8"),
            ("P", "evilprog"),
            ("A", "v w"),
            ("E", ""),
            ("SHELLS", &shells),
            ("START", if self.start == Start::Protected { "protected" } else { "" }),
        ] {
            command.args(["--setenv", name, value]);
        }
        command.args(["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]);
        for folder in ["lib", "lib32", "lib64", "libx32"] {
            let here = Path::new("/").join(folder);
            if let Ok(target) = fs::read_link(&here) {
                command.arg("--symlink").arg(target).arg(here);
            } else if here.exists() {
                command.arg("--ro-bind").arg(&here).arg(&here);
            }
        }
        command.arg("--ro-bind").arg(self.dir.path().join("bin")).arg("/bin");
        command.arg("--ro-bind").arg(self.dir.path().join("driver.sh")).arg("/oracle/driver.sh");
        command.args(["--proc", "/proc", "--dev", "/dev"]);
        for folder in ["/tmp", "/oracle/w", "/oracle/home", "/oracle/marks"] {
            command.args(["--tmpfs", folder]);
        }
        command.args(["--remount-ro", "/", "--chdir", "/oracle/w", "/usr/bin/dash", "/oracle/driver.sh"]);
        command.args(cases).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let mut said = (Vec::new(), String::new());
            let _ = stdout.read_to_end(&mut said.0);
            let _ = stderr.read_to_string(&mut said.1);
            let _ = send.send(said);
        });
        let said = receive.recv_timeout(LIMIT);
        let _ = child.kill();
        let _ = child.wait();
        let (stdout, stderr) = said.map_err(|_| "a sandbox did not end in time".to_owned())?;
        Ok((String::from_utf8_lossy(&stdout).into_owned(), stderr))
    }
}

/// Runs cases in batches on all processors; the results are in the order of the cases.
pub(crate) fn in_batches<T: Clone + Send>(
    cases: &[&str],
    size: usize,
    run: impl Fn(&[&str]) -> Result<Vec<T>, String> + Sync,
) -> Vec<T> {
    let batches: Vec<_> = cases.chunks(size).collect();
    let done: Mutex<Vec<_>> = Mutex::new(vec![Vec::new(); batches.len()]);
    let next = AtomicUsize::new(0);
    let workers = 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((at, batch)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    batches.get(at).map(|batch| (at, batch))
                } {
                    let runs = run(batch).unwrap_or_else(|why| panic!("{why}, in one of {batch:#?}"));
                    done.lock().unwrap()[at] = runs;
                }
            });
        }
    });
    done.into_inner().unwrap().into_iter().flatten().collect()
}

/// Parses the output of the driver into one map of shells per case.
fn read(text: &str, cases: usize) -> Option<Vec<BTreeMap<char, Ran>>> {
    let mut all = vec![BTreeMap::new(); cases];
    let mut now: Option<&mut Ran> = None;
    let body = text.strip_suffix("end\n")?;
    for line in body.lines() {
        if let Some((at, letter)) = line.strip_prefix("run ").and_then(|rest| rest.split_once(' ')) {
            let case: &mut BTreeMap<char, Ran> = all.get_mut(at.parse::<usize>().ok()?)?;
            now = Some(case.entry(letter.chars().next()?).or_default());
        } else if let Some(mark) = line.strip_prefix("mark ") {
            let mut fields = mark.splitn(3, '\t').map(str::to_owned);
            let mut field = || fields.next().unwrap_or_default();
            now.as_mut()?.marks.push([field(), field(), field()]);
        } else if line == "wrote" {
            now.as_mut()?.wrote = true;
        }
    }
    Some(all)
}

/// A program that the sandbox needs and that is not installed.
fn missing() -> Option<&'static str> {
    ["bwrap", "dash", "timeout", "find"].into_iter().find(|needed| !on_path(needed))
}

/// Returns true if a program is installed where the sandbox looks for it.
pub(crate) fn on_path(name: &str) -> bool {
    ["/usr/bin", "/bin"].iter().any(|folder| Path::new(folder).join(name).exists())
}
