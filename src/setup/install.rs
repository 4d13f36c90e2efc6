//! Plans the registration of snaphook in a file of an agent.

use super::approval::{self, EntryApproval};
use super::command_line::CommandPaths;
use super::compare::{Comparison, State};
use super::edit::{Document, EditFault, Format, FoundNode};
use super::plan::{Plan, UntouchedEntry, text};
use super::record::{FileRecord, Owned, Records, Undo, sha256, sha256_of};
use super::target::{RegistrationTarget, SetupContext};

/// Plans to insert the entries and settings of a block into its file.
///
/// # Errors
/// The file cannot be read or parsed, or it has settings that disable hooks; the message is one line with the remedy.
pub(crate) fn install(
    context: &SetupContext,
    target: &RegistrationTarget,
    paths: &CommandPaths,
    records: &Records,
) -> Result<Plan, String> {
    let agent = target.agent.id;
    if cfg!(windows) && !target.agent.registration.posix_on_windows {
        // Another shell would not understand the guard, and the agent would run the call.
        return Err(format!(
            "on Windows, {} does not start hooks by a POSIX shell, so no line with a guard can be registered",
            target.agent.name
        ));
    }
    let (bytes, text) = text(&target.path)?;
    let shown = target.path.display();
    let fault = |fault: EditFault| format!("{shown}: {fault}");
    let mut document = Document::parse(target.format, &text).map_err(fault)?;
    let old = records.of(agent, &target.path);
    let comparison = Comparison::at(&document, target, paths, old).map_err(fault)?;
    let mut made = old.map(|record| record.made.clone()).unwrap_or_default();
    let mut owned: Vec<Owned> = Vec::new();
    if let Some(why) = comparison.rejected() {
        return Err(format!("{shown}: {why}, then run this again"));
    }
    // Without entries, the settings are useless.
    let taken = comparison.taken();
    let is_shut_out = !taken.is_empty() && comparison.wanted.iter().all(|(_, state)| *state == State::Edited);
    for (setting, _) in comparison.unset.iter().filter(|_| !is_shut_out) {
        note_made(&document, &setting.at, &mut made).map_err(fault)?;
        document.put(setting, None).map_err(fault)?;
        owned.push(Owned::of(setting));
    }
    let (mut added, mut renewed) = (0, 0);
    let mut gone = comparison.leftover;
    for (node, state) in &comparison.wanted {
        match state {
            State::Edited => continue,
            State::Current => {}
            State::Stale(number) => {
                document.put(node, Some(*number)).map_err(fault)?;
                renewed += 1;
            }
            State::Followed(number) => {
                document.put(node, None).map_err(fault)?;
                gone.push(FoundNode { node: node.clone(), number: *number });
            }
            State::Absent => {
                note_made(&document, &node.at, &mut made).map_err(fault)?;
                document.put(node, None).map_err(|found| match target.format {
                    Format::Yaml => format!("{}; paste it manually: snaphook agents {agent} --snippet", fault(found)),
                    _ => fault(found),
                })?;
                added += 1;
            }
        }
        // An uninstall keeps entries that existed before the first install.
        let found = match old {
            None => *state != State::Absent,
            Some(old) => *state != State::Absent && old.entries.iter().any(|old| old.at == node.at && old.found),
        };
        owned.push(Owned { found, ..Owned::of(node) });
    }
    // From the last to the first, so that the indices of the others stay valid.
    gone.sort_by_key(|found| found.number);
    for found in gone.iter().rev() {
        document.take(found, &|path| made.iter().any(|made| made == path)).map_err(fault)?;
        renewed += 1;
    }
    // A setting on record stays on record.
    let kept = old.into_iter().flat_map(|record| &record.entries);
    let kept = kept.filter(|old| !owned.iter().any(|new| new.at == old.at) && is_there(&document, old)).cloned();
    let kept: Vec<_> = kept.collect();
    owned.extend(kept);
    let changed = added + renewed > 0 || !comparison.unset.is_empty() && !is_shut_out;
    let after = if changed { Some(document.text().into_bytes()) } else { bytes.clone() };
    let undo = undo(bytes.as_deref(), after.as_deref(), old);
    let folders = old.map(|record| record.folders.clone()).unwrap_or_default();
    // Approvals that exist before this change are about an earlier form of the entries.
    let outdated = if changed {
        let noted = |approval| match approval {
            EntryApproval::Noted(note) => Some(note),
            EntryApproval::Missing | EntryApproval::Given => None,
        };
        let approvals = approval::approvals(context, target, &document.text())?;
        approvals.into_iter().filter_map(noted).collect()
    } else {
        old.map(|record| record.outdated.clone()).unwrap_or_default()
    };
    let record = FileRecord {
        agent: agent.to_owned(),
        path: target.path.clone(),
        undo,
        entries: owned,
        made,
        outdated,
        folders,
    };
    Ok(Plan {
        agent,
        path: target.path.clone(),
        before: bytes,
        after,
        record,
        taken,
        left: comparison.foreign.into_iter().map(|found| UntouchedEntry { node: found.node, found: false }).collect(),
        above: comparison.above,
        added,
        renewed,
    })
}

fn is_there(document: &Document, owned: &Owned) -> bool {
    document
        .found(&owned.at, false)
        .is_ok_and(|found| found.first().is_some_and(|value| sha256_of(value) == owned.sha256))
}

/// Adds the missing members on the path to a node to `made`.
fn note_made(document: &Document, at: &[String], made: &mut Vec<Vec<String>>) -> Result<(), EditFault> {
    for depth in 1..=at.len() {
        let path = at.get(..depth).unwrap_or_default();
        if document.found(path, false)?.is_empty() && !made.iter().any(|made| made == path) {
            made.push(path.to_vec());
        }
    }
    Ok(())
}

/// How to restore the bytes from before the first install; `None` if another program has changed the file since.
fn undo(before: Option<&[u8]>, after: Option<&[u8]>, old: Option<&FileRecord>) -> Option<Undo> {
    let after = sha256(after.unwrap_or_default());
    let now = before.map(sha256);
    match old {
        None => Some(Undo { before: now, after }),
        Some(old) => {
            let undo = old.undo.as_ref().filter(|undo| Some(&undo.after) == now.as_ref())?;
            Some(Undo { before: undo.before.clone(), after })
        }
    }
}
