//! Files the rules of a policy.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use snaphook_adapters::registry::Registry;
use toml::de::{DeTable, DeValue};

use super::layout::{Head, Record, box_of, seal};
use super::{Identity, Lines, name};
use crate::policy::load::{Lists, PolicyFile, PolicySource, readable};
use crate::policy::places::Places;
use crate::policy::rule::{Drawer, Filed, List, Rarity, Rule, Word};

/// How many rules share a box.
const TOGETHER: usize = 16;
/// How many indices are kept.
const KEPT: usize = 16;

/// Makes the index of a policy that was read when it had this identity. Where that cannot be done the
/// policy is read again on the next call, so that nobody has to hear of it.
pub(crate) fn make(policy: &PolicyFile, identities: [Identity; 2], places: &Places, registry: &Registry) {
    if let (Some(path), Some(folder)) = (policy.source.path.as_deref(), places.index_folder()) {
        let bytes = filed(policy, identities, path, places, registry);
        let _ = bytes.map(|bytes| write(&folder, &name(path), &bytes));
    }
}

/// Puts the whole file in its place at once, so that no call meets half of it.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let others: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    if others.len() >= KEPT {
        // Whoever still needs one of them makes it again.
        others.iter().try_for_each(std::fs::remove_file)?;
    }
    let mut file = tempfile::Builder::new().prefix(".new").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map(|_| ()).map_err(io::Error::from)
}

/// The bytes of an index; `None` where the policy without its rules does not read as it should.
fn filed(
    policy: &PolicyFile,
    identities: [Identity; 2],
    path: &Path,
    places: &Places,
    registry: &Registry,
) -> Option<Vec<u8>> {
    let (outline, left_out) = outline(&policy.source.text)?;
    let source = PolicySource::outline(path, policy.source.shown.clone(), outline.clone(), left_out.clone());
    let read = readable(source, places, registry)?;
    let agents: Vec<String> = policy.agents.iter().map(|(id, _)| id.clone()).collect();
    let is_bare = |lists: &Lists| List::ALL.iter().all(|list| lists.of(*list).is_empty());
    let bare = is_bare(&read.lists) && read.agents.iter().all(|(_, lists)| is_bare(lists));
    if !bare || !read.agents.iter().map(|(id, _)| id).eq(&agents) {
        return None;
    }
    let lines = Lines::of(&policy.source.text);
    let rarity = Rarity::of(policy.rules());
    let mut drawers: Vec<Filing> = Drawer::ALL.iter().map(|_| Filing::default()).collect();
    for (owner, lists) in policy.all_lists().enumerate() {
        for (number, list) in List::ALL.into_iter().enumerate() {
            for rule in lists.of(list) {
                let Rule { text, at, .. } = rule;
                let text = text.as_bytes();
                let line = lines.line(*at);
                for Filed { drawer, word, next } in rule.filed(list, &rarity) {
                    let (record_word, next) = (word.unwrap_or_default(), next.as_bytes());
                    let record = Record { word: record_word, next, owner, list: number, at: *at, line, text };
                    let Filing { bare, worded } = drawers.get_mut(drawer as usize)?;
                    match word {
                        Some(word) => worded.push((word, record.written())),
                        None => bare.extend(record.written()),
                    }
                }
            }
        }
    }
    let mut boxes = Vec::new();
    let drawers = drawers.iter().map(|filing| filing.boxed(&mut boxes)).collect::<Option<_>>()?;
    let head = Head { identities, agents, outline, left_out, drawers, length: 0 };
    Some([head.written(), boxes].concat())
}

/// Collects the rules of one drawer.
#[derive(Default)]
struct Filing {
    bare: Vec<u8>,
    worded: Vec<(Word, Vec<u8>)>,
}

impl Filing {
    /// Adds the boxes, and says where each begins and where the last one ends.
    fn boxed(&self, out: &mut Vec<u8>) -> Option<Vec<u32>> {
        let count = 1 + self.worded.len().div_ceil(TOGETHER);
        let mut boxes: Vec<Vec<u8>> = vec![Vec::new(); count];
        let number = u32::try_from(count).ok()?;
        boxes.first_mut()?.clone_from(&self.bare);
        for (word, record) in &self.worded {
            boxes.get_mut(box_of(*word, number) as usize)?.extend(record);
        }
        let mut starts = Vec::with_capacity(count + 1);
        for inside in &boxes {
            starts.push(u32::try_from(out.len()).ok()?);
            if !inside.is_empty() {
                out.extend(seal(inside));
            }
        }
        starts.push(u32::try_from(out.len()).ok()?);
        Some(starts)
    }
}

/// The text of a policy with its lists of rules empty, and where lines are missing in that.
fn outline(text: &str) -> Option<(String, Vec<(usize, usize)>)> {
    let document = DeTable::parse(text).ok()?;
    let table = |value: &DeTable<'_>, into: &mut Vec<std::ops::Range<usize>>| {
        let lists = ["deny", "ask", "allow"].iter().filter_map(|list| value.get(*list));
        into.extend(lists.map(toml::Spanned::span));
    };
    let mut lists = Vec::new();
    if let Some(DeValue::Table(permissions)) = document.get_ref().get("permissions").map(toml::Spanned::get_ref) {
        table(permissions, &mut lists);
    }
    if let Some(DeValue::Table(agents)) = document.get_ref().get("agent").map(toml::Spanned::get_ref) {
        for agent in agents.values().filter_map(|agent| agent.get_ref().as_table()) {
            if let Some(permissions) = agent.get("permissions").and_then(|value| value.get_ref().as_table()) {
                table(permissions, &mut lists);
            }
        }
    }
    lists.sort_by_key(|span| span.start);
    let (mut out, mut left_out, mut from) = (String::new(), Vec::new(), 0);
    for span in lists {
        out.push_str(text.get(from..span.start)?);
        out.push_str("[]");
        let lines = text.get(span.clone())?.bytes().filter(|byte| *byte == b'\n').count();
        left_out.push((out.len(), lines));
        from = span.end;
    }
    out.push_str(text.get(from..)?);
    Some((out, left_out))
}
