//! The text of a policy file, with its location.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::preset::{PRESET_PREFIX, Preset};

/// The text of one policy file.
#[derive(Debug)]
#[non_exhaustive]
pub struct PolicySource {
    /// The path; `None` for the starter policy and presets.
    pub path: Option<PathBuf>,
    /// The absolute path of the folder that paths in the file are relative to.
    pub folder: Option<PathBuf>,
    /// The path as shown in messages.
    pub shown: String,
    /// The contents.
    pub text: Cow<'static, str>,
}

impl PolicySource {
    /// The text of a file.
    pub fn new(path: &Path, folder: PathBuf, shown: String, text: String) -> Self {
        Self { path: Some(path.to_owned()), folder: Some(folder), shown, text: text.into() }
    }

    /// A policy that is not in a file.
    pub fn embedded(text: &'static str, shown: &str) -> Self {
        Self { path: None, folder: None, shown: shown.to_owned(), text: text.into() }
    }

    /// The text of a preset.
    pub(crate) fn preset(preset: &Preset) -> Self {
        Self::embedded(preset.text, &preset.written())
    }

    /// Returns true for the text of a preset.
    pub fn is_preset(&self) -> bool {
        self.path.is_none() && self.shown.starts_with(PRESET_PREFIX)
    }

    /// The line and column of an offset, from 1.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (self.line(at), column)
    }

    /// The line of an offset, from 1.
    pub fn line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        before.bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    /// Resolves a path that the policy names: absolute, `~/…`, or relative to the folder of the file.
    pub(crate) fn named(&self, path: &str, home: Option<&Path>) -> PathBuf {
        match (path.strip_prefix("~/"), home, &self.folder) {
            (Some(rest), Some(home), _) => home.join(rest),
            (_, _, Some(folder)) => folder.join(path),
            _ => PathBuf::from(path),
        }
    }
}

/// Formats a path for messages, with the home folder as `~`.
pub fn shown(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
        _ => path.display().to_string(),
    }
}
