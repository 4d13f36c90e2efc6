//! The pause: for its time, what the policies of the user and of projects would block is only recorded.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::OverrideSpan;
use crate::policy::Places;

/// The longest pause.
pub(crate) const LONGEST: Duration = Duration::from_hours(8);

fn file(places: &Places) -> Option<PathBuf> {
    places.override_folder().map(|folder| folder.join("pause.toml"))
}

/// Finds the pause that holds now.
///
/// # Errors
/// There is a file that cannot be used; the message has one line.
pub(crate) fn current(places: &Places, now: SystemTime) -> Result<Option<OverrideSpan>, String> {
    file(places).map_or(Ok(None), |file| OverrideSpan::read(&file, LONGEST, places, now))
}

/// Starts a pause.
///
/// # Errors
/// The file cannot be written; the message has one line.
pub(crate) fn start(places: &Places, span: OverrideSpan) -> Result<(), String> {
    let file = file(places).ok_or("no folder for the pause; set HOME")?;
    span.write(&file, places)
}

/// Ends a pause. Returns false if there is none.
///
/// # Errors
/// The file cannot be removed; the message has one line.
pub(crate) fn stop(places: &Places) -> Result<bool, String> {
    let Some(file) = file(places) else { return Ok(false) };
    match fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("{}: cannot be removed: {error}", places.shown(&file))),
    }
}
