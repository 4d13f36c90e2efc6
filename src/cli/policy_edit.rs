//! Changes of policies that `import`, `adopt` and `unadopt` make, after showing them and asking.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use similar::TextDiff;
use snaphook_policy::STARTER;

use super::ask::Consent;
use super::{DIFFING, Failure, one_line, visible};
use crate::files;
use crate::setup::target::SetupContext;

/// The changes of the user's policy and of the project's, with a text that shows them.
pub(super) struct PolicyEdit<'a> {
    context: &'a SetupContext,
    shown: String,
    changes: Vec<FileChange>,
}

/// A file that is changed: its path, its bytes before, and its text afterwards.
type FileChange = (PathBuf, Option<Vec<u8>>, String);

impl<'a> PolicyEdit<'a> {
    /// Starts with a text that explains the changes.
    pub(super) fn new(context: &'a SetupContext, shown: String) -> Self {
        Self { context, shown, changes: Vec::new() }
    }

    /// Changes the user's policy, `named` or the usual one, and the project's.
    ///
    /// `change` gets the text of a policy and if it is the project's, and returns the new text and the number of `items`
    /// that differ. A user without a policy starts with the starter policy.
    pub(super) fn each(
        &mut self,
        named: Option<&PathBuf>,
        items: &str,
        change: impl Fn(&str, bool) -> Result<(String, usize), String>,
    ) -> Result<(), Failure> {
        let user = named.cloned().or_else(|| {
            let files = self.context.places.user_files();
            files.iter().find(|file| file.exists()).or(files.first()).cloned()
        });
        let user = user.ok_or_else(|| Failure("HOME is not set; name the policy with --policy FILE".to_owned()))?;
        for (of_project, path) in [(false, user), (true, self.context.cwd.join(".snaphook.toml"))] {
            let fail = |why: String| Failure(format!("{}: {why}", path.display()));
            let bytes = files::read(&path).map_err(|error| fail(error.to_string()))?;
            let before =
                bytes.clone().map(String::from_utf8).transpose().map_err(|_| fail("it is not UTF-8".to_owned()))?;
            let start = before.as_deref().unwrap_or(if of_project { "" } else { STARTER });
            let (after, count) = change(start, of_project).map_err(fail)?;
            if count == 0 {
                continue;
            }
            if of_project {
                self.context.of_project(&path).map_err(Failure)?;
            }
            let _ = writeln!(self.shown, "{}: {count} {items}", one_line(self.context.places.shown(&path)));
            let mut differ = TextDiff::configure();
            let diff = differ.timeout(DIFFING).diff_lines(before.as_deref().unwrap_or_default(), after.as_str());
            self.shown.push_str(&diff.unified_diff().context_radius(1).to_string());
            self.changes.push((path, bytes, after));
        }
        Ok(())
    }

    /// Shows the changes, or `none` if there are none, asks, and writes them.
    pub(super) fn finish(self, consent: &Consent, none: &str, out: &mut String) -> Result<ExitCode, Failure> {
        out.push_str(&visible(&self.shown));
        if self.changes.is_empty() {
            out.push_str(none);
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(refused) = consent.refused(Some(""), out)? {
            return Ok(refused);
        }
        for (path, before, after) in self.changes {
            write(&path, before, &after)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write(path: &Path, before: Option<Vec<u8>>, after: &str) -> Result<(), Failure> {
    let before = if before.is_none() && !path.ends_with(".snaphook.toml") {
        super::init::write_starter(path)?;
        Some(STARTER.as_bytes().to_vec())
    } else {
        before
    };
    files::replace(path, before.as_deref(), Some(after.as_bytes()))
        .map_err(|error| Failure(format!("{}: {error}", path.display())))
}
