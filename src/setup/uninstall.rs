//! Plans to remove our entries from a file.

use std::path::Path;

use serde_json::Value;
use snaphook_adapters::protocol::Agent;

use super::command_line::CommandPaths;
use super::edit::{Document, EditFault, Format, FoundNode, Node};
use super::ours::{calls, is_ours, is_written_for, named};
use super::plan::{Plan, UntouchedEntry, text};
use super::record::{FileRecord, Owned, Records, sha256, sha256_of};

/// Plans to remove our entries and settings from a file. `paths` are those of a new entry.
///
/// # Errors
/// The file cannot be read or parsed; the message is one line with the remedy.
pub(crate) fn uninstall(
    agent: &'static Agent,
    path: &Path,
    paths: &CommandPaths,
    records: &Records,
) -> Result<Plan, String> {
    let (bytes, text) = text(path)?;
    let old = records.of(agent.id, path);
    let record = FileRecord {
        agent: agent.id.to_owned(),
        path: path.to_owned(),
        undo: None,
        entries: Vec::new(),
        made: Vec::new(),
        outdated: Vec::new(),
        folders: old.map(|record| record.folders.clone()).unwrap_or_default(),
    };
    let plan = |after, left: Vec<UntouchedEntry>| Plan {
        agent: agent.id,
        path: path.to_owned(),
        before: bytes.clone(),
        after,
        record: record.clone(),
        left,
        taken: Vec::new(),
        above: None,
        added: 0,
        renewed: 0,
    };
    let Some(now) = &bytes else { return Ok(plan(None, Vec::new())) };
    if let Some(undo) = old.and_then(|record| record.undo.as_ref()).filter(|undo| undo.after == sha256(now)) {
        match &undo.before {
            None => return Ok(plan(None, Vec::new())),
            Some(name) => {
                if let Some(before) = records.backup(name) {
                    let text = String::from_utf8_lossy(&before);
                    let document = Document::parse(Format::of(&path.to_string_lossy()), &text);
                    let names_us = document.and_then(|document| named(&document, agent.id)).unwrap_or_default();
                    let left =
                        names_us.into_iter().map(|found| UntouchedEntry { node: found.node, found: true }).collect();
                    return Ok(plan(Some(before), left));
                }
            }
        }
    }
    let shown = path.display();
    let fault = |fault: EditFault| format!("{shown}: {fault}");
    let format = Format::of(&path.to_string_lossy());
    let mut document = Document::parse(format, &text).map_err(fault)?;
    let made = old.map(|record| record.made.clone()).unwrap_or_default();
    let is_made = |path: &[String]| made.iter().any(|made| made == path);
    let names_us = named(&document, agent.id).map_err(fault)?;
    let is_written = |node: &Node| is_written_for(agent, format, paths, node);
    let (ours, left) = if let Some(record) = old {
        put_in(names_us, record, is_written)
    } else {
        let is_ours = |found: &FoundNode| is_ours(agent, format, &found.node) || is_written(&found.node);
        let (ours, others): (Vec<_>, Vec<_>) = names_us.into_iter().partition(is_ours);
        let others = others.into_iter().map(|found| found.node).filter(|node| calls(&node.value, agent.id));
        (ours, others.map(|node| UntouchedEntry { node, found: false }).collect())
    };
    for found in ours.iter().rev() {
        document.take(found, &is_made).map_err(fault)?;
    }
    for owned in old.into_iter().flat_map(|record| &record.entries).filter(|owned| !owned.at.is_empty()) {
        let found = document.found(&owned.at, false).unwrap_or_default().into_iter().next();
        let is_setting = |value: &Value| !calls(value, agent.id) && sha256_of(value) == owned.sha256;
        if let Some(value) = found.filter(is_setting) {
            let node = Node::member(owned.at.clone(), value);
            document.take(&FoundNode { node, number: 0 }, &is_made).map_err(fault)?;
        }
    }
    let goes =
        document.is_empty() && old.is_some_and(|record| record.undo.as_ref().is_none_or(|undo| undo.before.is_none()));
    let after = (!goes).then(|| document.text().into_bytes());
    Ok(plan(after, left))
}

/// Splits entries that name snaphook into those that it wrote and those that stay. If there are equal entries, as many
/// are ours as are on record, except for those that existed before.
fn put_in(
    names_us: Vec<FoundNode>,
    record: &FileRecord,
    is_written: impl Fn(&Node) -> bool,
) -> (Vec<FoundNode>, Vec<UntouchedEntry>) {
    let mut owned: Vec<&Owned> = record.entries.iter().collect();
    let mut is_ours = vec![None; names_us.len()];
    // An entry to which the agent added its defaults is recognized by its path only, after all others.
    for exact in [true, false] {
        for (found, is_ours) in names_us.iter().zip(&mut is_ours).filter(|(_, is_ours)| is_ours.is_none()) {
            let same = |owned: &&Owned| owned.at == found.node.at && (!exact || owned.is(&found.node));
            if (exact || is_written(&found.node))
                && let Some(at) = owned.iter().position(same)
            {
                *is_ours = Some(!owned.remove(at).found);
            }
        }
    }
    let (mut ours, mut left) = (Vec::new(), Vec::new());
    for (found, is_ours) in names_us.into_iter().zip(is_ours) {
        match is_ours {
            Some(true) => ours.push(found),
            known => left.push(UntouchedEntry { node: found.node, found: known.is_some() }),
        }
    }
    (ours, left)
}
