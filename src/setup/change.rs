//! What install and uninstall make of a file.

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, Setup};

use super::approval;
use super::edit::{Document, Entry, Format, Place};
use super::look::{Look, State, calls, is_form, is_written_for, named};
use super::record::{FileRecord, Owned, Records, Undo, sha256, sha256_of};
use super::target::{Ground, Target};
use crate::files;

/// Holds what is going to happen to one file.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) agent: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Vec<u8>>,
    /// Absent: the file goes.
    pub(crate) after: Option<Vec<u8>>,
    /// What is ours in it afterwards.
    pub(crate) record: FileRecord,
    /// What calls us and is left as it is.
    pub(crate) left: Vec<Left>,
    /// What stands in the place of an entry of ours and does not call us, so that the entry cannot be put in.
    pub(crate) taken: Vec<String>,
    /// The number that gives ours the last word, and the highest of others'.
    pub(crate) above: Option<(i64, i64)>,
    /// Entries that are put in, and such that take the place of an earlier form.
    pub(crate) added: usize,
    pub(crate) renewed: usize,
}

/// Holds something that names us and that an install or uninstall does not touch.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) place: Place,
    /// It was there before the install; otherwise somebody changed it or put it there since.
    pub(crate) found: bool,
}

impl Plan {
    /// Whether the bytes are different afterwards.
    pub(crate) fn changes(&self) -> bool {
        self.before != self.after
    }

    /// Does it. The record is written first: of what was put in but not recorded nobody would know
    /// that it is ours.
    pub(crate) fn carry_out(mut self, records: &mut Records) -> Result<(), String> {
        let shown = self.path.display().to_string();
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        let first = |before: &&Vec<u8>| {
            let undo = self.record.undo.as_ref().and_then(|undo| undo.before.as_ref());
            undo.is_some_and(|name| *name == sha256(before))
        };
        if let Some(before) = self.before.as_ref().filter(first) {
            records.back_up(before).map_err(failed)?;
        }
        if self.changes() {
            if self.after.is_some() {
                self.record.folders.extend(missing_folders(&self.path));
            }
            let old = records.of(self.agent, &self.path).cloned();
            if !self.record.entries.is_empty() {
                records.keep(self.record.clone()).map_err(failed)?;
            }
            if let Err(error) = files::replace(&self.path, self.before.as_deref(), self.after.as_deref()) {
                if let Some(old) = old {
                    records.keep(old).map_err(failed)?;
                }
                return Err(failed(error));
            }
            if self.after.is_none() {
                // Only what is empty goes.
                self.record.folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
            }
        }
        records.keep(self.record).map_err(failed)
    }
}

/// The folders that have to be made for a file, outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// Plans to have everything of a block in its file.
///
/// # Errors
/// The file cannot be read or is not what it should be, or it has settings against which no hook
/// would be called; one line with the remedy.
pub(crate) fn install(ground: &Ground, target: &Target, setup: &Setup, records: &Records) -> Result<Plan, String> {
    let agent = target.agent.id;
    let (bytes, text) = text(&target.path)?;
    let shown = target.path.display();
    let fault = |fault: super::edit::Fault| format!("{shown}: {fault}");
    let mut document = Document::parse(target.format, &text).map_err(fault)?;
    let old = records.of(agent, &target.path);
    let look = Look::at(&document, target, setup, old).map_err(fault)?;
    let mut made = old.map(|record| record.made.clone()).unwrap_or_default();
    let mut owned: Vec<Owned> = Vec::new();
    if let Some(why) = look.rejected() {
        return Err(format!("{shown}: {why}"));
    }
    // A setting for entries that cannot be put in would be of no use.
    let taken = look.taken();
    let is_shut_out = !taken.is_empty() && look.wanted.iter().all(|(_, state)| *state == State::Edited);
    for (setting, _) in look.unset.iter().filter(|_| !is_shut_out) {
        note_made(&document, &setting.at, &mut made).map_err(fault)?;
        document.put(setting, None).map_err(fault)?;
        owned.push(Owned::of(setting));
    }
    let (mut added, mut renewed) = (0, 0);
    let mut gone = look.leftover;
    for (entry, state) in &look.wanted {
        match state {
            State::Edited => continue,
            State::Current => {}
            State::Stale(number) => {
                document.put(entry, Some(*number)).map_err(fault)?;
                renewed += 1;
            }
            State::Followed(number) => {
                document.put(entry, None).map_err(fault)?;
                gone.push(Place { entry: entry.clone(), number: *number });
            }
            State::Absent => {
                note_made(&document, &entry.at, &mut made).map_err(fault)?;
                document.put(entry, None).map_err(|found| match target.format {
                    Format::Yaml => format!("{}; paste it by hand: snaphook agents {agent} --snippet", fault(found)),
                    _ => fault(found),
                })?;
                added += 1;
            }
        }
        // What was there before we came stays when we go.
        let found = match old {
            None => *state != State::Absent,
            Some(old) => *state != State::Absent && old.entries.iter().any(|old| old.at == entry.at && old.found),
        };
        owned.push(Owned { found, ..Owned::of(entry) });
    }
    // From the last to the first, so that the numbers of the others stay true.
    gone.sort_by_key(|place| place.number);
    for place in gone.iter().rev() {
        document.take(place, &|path| made.iter().any(|made| made == path)).map_err(fault)?;
        renewed += 1;
    }
    // What was a setting of ours before is one still.
    let kept = old.into_iter().flat_map(|record| &record.entries);
    let kept = kept.filter(|old| !owned.iter().any(|new| new.at == old.at) && is_there(&document, old)).cloned();
    let kept: Vec<_> = kept.collect();
    owned.extend(kept);
    let changed = added + renewed > 0 || !look.unset.is_empty() && !is_shut_out;
    let after = if changed { Some(document.text().into_bytes()) } else { bytes.clone() };
    let undo = undo(bytes.as_deref(), after.as_deref(), old);
    let folders = old.map(|record| record.folders.clone()).unwrap_or_default();
    // Nothing tells from which form of an entry a note comes, but that it was there before this one.
    let outdated = if changed {
        approval::notes(ground, target, &document.text()).map_err(fault)?.into_iter().flatten().collect()
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
        left: look.foreign.into_iter().map(|place| Left { place, found: false }).collect(),
        above: look.above,
        added,
        renewed,
    })
}

/// Plans to have nothing of ours in a file. `setup` is what would be named there now.
///
/// # Errors
/// The file cannot be read or is not what it should be; one line with the remedy.
pub(crate) fn uninstall(agent: &'static Agent, path: &Path, setup: &Setup, records: &Records) -> Result<Plan, String> {
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
    let plan = |after, left: Vec<Left>| Plan {
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
                    let places = document.and_then(|document| named(&document, agent.id)).unwrap_or_default();
                    let left = places.into_iter().map(|place| Left { place, found: true }).collect();
                    return Ok(plan(Some(before), left));
                }
            }
        }
    }
    let shown = path.display();
    let fault = |fault: super::edit::Fault| format!("{shown}: {fault}");
    let format = Format::of(&path.to_string_lossy());
    let mut document = Document::parse(format, &text).map_err(fault)?;
    let made = old.map(|record| record.made.clone()).unwrap_or_default();
    let is_made = |path: &[String]| made.iter().any(|made| made == path);
    let places = named(&document, agent.id).map_err(fault)?;
    let is_written = |entry: &Entry| is_written_for(agent, format, setup, entry);
    let (ours, left) = if let Some(record) = old {
        put_in(places, record, is_written)
    } else {
        let is_ours = |place: &Place| is_form(agent, format, &place.entry) || is_written(&place.entry);
        let (ours, others): (Vec<_>, Vec<_>) = places.into_iter().partition(is_ours);
        let others = others.into_iter().filter(|place| calls(&place.entry.value, agent.id));
        (ours, others.map(|place| Left { place, found: false }).collect())
    };
    for place in ours.iter().rev() {
        document.take(place, &is_made).map_err(fault)?;
    }
    for owned in old.into_iter().flat_map(|record| &record.entries) {
        let found = document.found(&owned.at, false).unwrap_or_default().into_iter().next();
        let is_setting = |value: &Value| !calls(value, agent.id) && sha256_of(value) == owned.sha256;
        if let Some(value) = found.filter(is_setting) {
            let entry = Entry { at: owned.at.clone(), in_list: false, value };
            document.take(&Place { entry, number: 0 }, &is_made).map_err(fault)?;
        }
    }
    let goes =
        document.is_empty() && old.is_some_and(|record| record.undo.as_ref().is_none_or(|undo| undo.before.is_none()));
    let after = (!goes).then(|| document.text().into_bytes());
    Ok(plan(after, left))
}

/// Tells what we put into a file from what is left there: of equal entries as many are ours as are on record, and
/// those that were there before are not.
fn put_in(places: Vec<Place>, record: &FileRecord, is_written: impl Fn(&Entry) -> bool) -> (Vec<Place>, Vec<Left>) {
    let mut owned: Vec<&Owned> = record.entries.iter().collect();
    let mut is_ours = vec![None; places.len()];
    // An entry that the agent added its defaults to is known by its place only, after all others.
    for exact in [true, false] {
        for (place, is_ours) in places.iter().zip(&mut is_ours).filter(|(_, is_ours)| is_ours.is_none()) {
            let same = |owned: &&Owned| owned.at == place.entry.at && (!exact || owned.is(&place.entry));
            if (exact || is_written(&place.entry))
                && let Some(at) = owned.iter().position(same)
            {
                *is_ours = Some(!owned.remove(at).found);
            }
        }
    }
    let (mut ours, mut left) = (Vec::new(), Vec::new());
    for (place, is_ours) in places.into_iter().zip(is_ours) {
        match is_ours {
            Some(true) => ours.push(place),
            found => left.push(Left { place, found: found.is_some() }),
        }
    }
    (ours, left)
}

fn is_there(document: &Document, owned: &Owned) -> bool {
    document
        .found(&owned.at, false)
        .is_ok_and(|found| found.first().is_some_and(|value| sha256_of(value) == owned.sha256))
}

/// Notes which members on the way to a place are not there yet.
fn note_made(document: &Document, at: &[String], made: &mut Vec<Vec<String>>) -> Result<(), super::edit::Fault> {
    for depth in 1..=at.len() {
        let path = at.get(..depth).unwrap_or_default();
        if document.found(path, false)?.is_empty() && !made.iter().any(|made| made == path) {
            made.push(path.to_vec());
        }
    }
    Ok(())
}

/// How to get back: to the bytes that were there when nothing of ours was, as long as nobody else
/// wrote to the file since.
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

fn text(path: &Path) -> Result<(Option<Vec<u8>>, String), String> {
    let bytes = files::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8(bytes.clone().unwrap_or_default())
        .map_err(|_| format!("{}: it is not UTF-8, so it is left as it is", path.display()))?;
    Ok((bytes, text))
}
