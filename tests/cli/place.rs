//! Runs the program in a temporary home folder with a project.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A home folder, a project, and an empty PATH.
pub(crate) struct Place {
    folder: TempDir,
    binary: PathBuf,
}

/// The output and the exit code of the program.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place =
            Self { folder: tempfile::tempdir().unwrap(), binary: PathBuf::from(env!("CARGO_BIN_EXE_snaphook")) };
        for folder in ["home", "project/.git", "bin"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        place
    }

    /// Creates the same with a copy of the program in a folder of this name.
    pub(crate) fn with_program_in(folder: &str) -> Self {
        let mut place = Self::new();
        fs::create_dir_all(place.path(folder)).unwrap();
        let copy = place.path(folder).join("snaphook");
        if fs::hard_link(&place.binary, &copy).is_err() {
            fs::copy(&place.binary, &copy).unwrap();
        }
        place.binary = copy;
        place
    }

    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Returns a path as text.
    pub(crate) fn at(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.at(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Resolves a path of an agent, such as `~/.claude` or `.claude`.
    pub(crate) fn name(path: &str) -> String {
        path.strip_prefix("~/").map_or_else(|| format!("project/{path}"), |rest| format!("home/{rest}"))
    }

    /// Every file and folder, with its content.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.insert(path.clone(), fs::read(&path).unwrap_or_default());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("project")).env_clear();
        command.env("HOME", self.path("home")).env("PATH", self.path("bin")).env("TZ", "UTC");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In the background of the terminal on which the tests may run, so that the program does not ask there.
        command.process_group(0);
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Said {
        Said::of(self.command(&self.binary).args(words), "")
    }

    pub(crate) fn fed(&self, words: &[&str], input: &str) -> Said {
        Said::of(self.command(&self.binary).args(words).stdin(Stdio::piped()), input)
    }

    /// Runs it on a new terminal, on which `answer` is typed. `out` has both output streams and the question.
    pub(crate) fn answered(&self, words: &[&str], answer: &str) -> Said {
        self.answered_by(&self.binary, words, answer)
    }

    pub(crate) fn answered_by(&self, program: &Path, words: &[&str], answer: &str) -> Said {
        let line = shlex::try_join([program.to_str().unwrap()].into_iter().chain(words.iter().copied())).unwrap();
        let mut script = self.command("/usr/bin/script");
        let mut said = Said::of(script.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()), answer);
        said.out = said.out.replace("\r\n", "\n");
        // The terminal echoes the input: before the question or after it, or after all that a program says that asks nothing.
        let (typed, question) = (answer, "[y/N] ");
        if let Some(rest) = said.out.strip_prefix(typed).or_else(|| said.out.strip_suffix(typed)) {
            said.out = rest.to_owned();
        }
        said.out = said.out.replacen(&format!("{question}{typed}"), question, 1);
        said
    }

    /// Runs it, and parses its output as JSON.
    pub(crate) fn json(&self, words: &[&str]) -> serde_json::Value {
        let said = self.run(words);
        assert_eq!(said.code, Some(0), "{said:?}");
        serde_json::from_str(&said.out).unwrap()
    }
}

impl Said {
    pub(crate) fn of(command: &mut Command, input: &str) -> Self {
        let mut child = loop {
            match command.spawn() {
                // Another test that is starting a process may still have the copied program open for writing.
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                child => break child.unwrap(),
            }
        };
        if let Some(mut stdin) = child.stdin.take() {
            // The program may exit without reading all of its input.
            let _ = stdin.write_all(input.as_bytes());
        }
        let ended = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: ended.status.code(), out: text(ended.stdout), err: text(ended.stderr) }
    }

    /// Asserts the exit code, and that the output on either stream contains these texts.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, parts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in parts {
            assert!(self.out.contains(part) || self.err.contains(part), "no `{part}` in\n{}{}", self.out, self.err);
        }
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }
}

/// One recorded message of an agent.
pub(crate) fn fixture(id: &str, stem: &str) -> String {
    message(&fixture_folder(id).join(format!("{stem}.json")))
}

/// Returns the messages of all fixtures of an agent, sorted by file name.
pub(crate) fn fixtures(id: &str) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(fixture_folder(id)).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| message(file)).collect()
}

fn fixture_folder(id: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters").join(id.replace('-', "_")).join("fixtures")
}

fn message(file: &Path) -> String {
    let fixture: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    fixture["stdin"].to_string()
}
