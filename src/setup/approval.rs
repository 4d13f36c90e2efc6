//! Finds the user's approvals, which some agents require before they run an entry.

use std::path::Path;

use serde_json::Value;
use snaphook_adapters::protocol::ApprovalRecord;

use super::edit::{Document, EditFault, Format};
use super::hooks::{RegisteredHook, hooks_of};
use super::ours::named;
use super::record::FileRecord;
use super::target::{RegistrationTarget, SetupContext};
use crate::files;

/// The user's approval of one of our entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryApproval {
    /// There is none.
    Missing,
    /// The record is about this entry.
    Given,
    /// The record is about this entry or an earlier form of it, and has this text.
    Noted(String),
}

/// The approval of each of our entries in a file; empty if the agent requires none. An error names the file that cannot be read:
/// this one, or the one with the approvals.
pub(crate) fn approvals(
    context: &SetupContext,
    target: &RegistrationTarget,
    text: &str,
) -> Result<Vec<EntryApproval>, String> {
    let Some(approval) = target.agent.registration.approval else { return Ok(Vec::new()) };
    let fault = |fault: EditFault| format!("{}: {fault}", target.path.display());
    let document = Document::parse(target.format, text).map_err(fault)?;
    let unless: Vec<_> = approval.unless.iter().map(|&name| name.to_owned()).collect();
    if !unless.is_empty() && document.found(&unless, false).map_err(fault)?.contains(&Value::Bool(true)) {
        return Ok(Vec::new());
    }
    let file = context.path(target.agent, approval.file);
    let bytes = file.as_deref().and_then(|file| files::read(file).ok().flatten()).unwrap_or_default();
    let shown = file.as_deref().unwrap_or(Path::new(approval.file)).display();
    let unreadable = |fault: EditFault| format!("{shown}: {fault}");
    let settings = Document::parse(Format::of(approval.file), &String::from_utf8_lossy(&bytes)).map_err(unreadable)?;
    let ours = named(&document, target.agent.id).map_err(fault)?;
    Ok(match approval.record {
        ApprovalRecord::Member(at) => {
            let path = target.path.display().to_string();
            let note = |event: &str, number: usize| {
                let found = settings.found(&at(&path, event, number), false).ok()?;
                found.first().and_then(Value::as_str).map(str::to_owned)
            };
            let approval = |note: Option<String>| note.map_or(EntryApproval::Missing, EntryApproval::Noted);
            ours.iter().filter_map(|found| Some(approval(note(found.node.at.last()?, found.number)))).collect()
        }
        ApprovalRecord::Listed { list, event, command } => {
            let listed = settings.found(&[list.to_owned()], true).map_err(unreadable)?;
            let text = |entry: &Value, member: &str| entry.get(member).and_then(Value::as_str).map(str::to_owned);
            let is_about = |entry: &Value, hook: &RegisteredHook| {
                text(entry, command).as_deref() == hook.shell_text()
                    && text(entry, event).is_some_and(|event| hook.names(&event))
            };
            let approval = |hook: RegisteredHook| {
                let is_listed = listed.iter().any(|entry| is_about(entry, &hook));
                if is_listed { EntryApproval::Given } else { EntryApproval::Missing }
            };
            ours.iter().flat_map(|found| hooks_of(&found.node.value, &found.node.at)).map(approval).collect()
        }
    })
}

/// Returns true if one of our entries waits for the user's approval.
pub(crate) fn waits(approvals: &[EntryApproval], record: Option<&FileRecord>) -> bool {
    approvals.iter().any(|approval| match approval {
        EntryApproval::Missing => true,
        EntryApproval::Given => false,
        EntryApproval::Noted(note) => record.is_some_and(|record| record.outdated.contains(note)),
    })
}
