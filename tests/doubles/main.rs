//! The real program, started by the double of each agent as the agent itself would start it.
//!
//! The registered commands are those that `snaphook install` writes, or that `snaphook agents AGENT --snippet` prints
//! if it writes none. The effects of answers come only from the recorded cases.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]

mod one_shot;
mod picoclaw;
mod registered;
#[path = "../common/skipped.rs"]
mod skipped;

use std::path::{Path, PathBuf};

const RULES: &str = r#"
[permissions]
deny = ["Bash(deny-me *)"]
ask = ["Bash(ask-me *)"]
allow = ["Bash(allow-me *)"]

[[respond]]
match = "Bash(respond-me *)"
text = "an answer in its place"

[[handler]]
name = "hangs"
match = ["Bash(hang-me *)"]
command = ["/bin/sleep", "60"]
deadline = "200ms"

[[handler]]
name = "slow"
match = ["Bash(slow-me *)"]
command = ["/bin/sleep", "1"]
deadline = "2s"
"#;

/// A home folder with a policy in it.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new(policy: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("snaphook.toml"), policy).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A program in this home that runs a script.
    fn script(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The paths in a registration of a program with the policy of this home.
    fn paths(&self, program: &Path) -> registered::Paths {
        let at = |name: &str| self.path().join(name).display().to_string();
        registered::Paths {
            program: program.display().to_string(),
            policy: at("snaphook.toml"),
            audit: at("audit.jsonl"),
            trust: at("trust.toml"),
        }
    }
}

/// The program under test.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_snaphook"))
}
