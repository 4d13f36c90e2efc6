//! Finds the user's approvals, which some agents require before they run an entry.

use serde_json::Value;

use super::edit::{Document, EditFault, Format};
use super::ours::named;
use super::record::FileRecord;
use super::target::{RegistrationTarget, SetupContext};
use crate::files;

/// The agent's approval record for each of our entries in a file; absent if the entry is not approved yet.
pub(crate) fn notes(
    context: &SetupContext,
    target: &RegistrationTarget,
    text: &str,
) -> Result<Vec<Option<String>>, EditFault> {
    let Some(approval) = target.agent.registration.approval else { return Ok(Vec::new()) };
    let file = context.path(target.agent, approval.file);
    let bytes = file.and_then(|file| files::read(&file).ok().flatten()).unwrap_or_default();
    let settings = Document::parse(Format::of(approval.file), &String::from_utf8_lossy(&bytes))?;
    let path = target.path.display().to_string();
    let document = Document::parse(target.format, text)?;
    let note = |event: &str, number: usize| {
        let found = settings.found(&(approval.at)(&path, event, number), false).ok()?;
        found.first().and_then(Value::as_str).map(str::to_owned)
    };
    let ours = named(&document, target.agent.id)?;
    Ok(ours.iter().filter_map(|found| Some(note(found.node.at.last()?, found.number))).collect())
}

/// Returns true if one of our entries waits for the user's approval.
pub(crate) fn waits(notes: &[Option<String>], record: Option<&FileRecord>) -> bool {
    let outdated = |note: &String| record.is_some_and(|record| record.outdated.contains(note));
    notes.iter().any(|note| note.as_ref().is_none_or(outdated))
}
