//! Writes the index of a policy.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use snaphook_adapters::registry::Registry;
use toml::de::{DeTable, DeValue};

use super::layout::{Head, Record, bucket_of, seal};
use super::{Identity, Lines, name};
use crate::policy::load::{Lists, PolicyFile, PolicySource, readable};
use crate::policy::places::Places;
use crate::policy::rule::{IndexKey, IndexSection, List, Rarity, Rule, Word};

/// The average number of rules in a bucket.
const TOGETHER: usize = 16;
/// The number of index files that are kept.
const KEPT: usize = 16;

/// Writes the index of a policy that had this identity when it was read. A failure is ignored: the next call reads the
/// policy itself.
pub(crate) fn make(policy: &PolicyFile, identities: [Identity; 2], places: &Places, registry: &Registry) {
    if let (Some(path), Some(folder)) = (policy.source.path.as_deref(), places.index_folder()) {
        let bytes = index_bytes(policy, identities, path, places, registry);
        let _ = bytes.map(|bytes| write(&folder, &name(path), &bytes));
    }
}

/// Replaces the file atomically, so that no call reads a part of it.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let others: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    if others.len() >= KEPT {
        // A removed index is written again when it is needed.
        others.iter().try_for_each(std::fs::remove_file)?;
    }
    let mut file = tempfile::Builder::new().prefix(".new").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name)).map(|_| ()).map_err(io::Error::from)
}

/// The bytes of an index; `None` if the policy without its rules cannot be read.
fn index_bytes(
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
    let mut sections: Vec<SectionRules> = IndexSection::ALL.iter().map(|_| SectionRules::default()).collect();
    for (owner, lists) in policy.all_lists().enumerate() {
        for (number, list) in List::ALL.into_iter().enumerate() {
            for rule in lists.of(list) {
                let Rule { text, at, .. } = rule;
                let text = text.as_bytes();
                let line = lines.line(*at);
                for IndexKey { section, word, next } in rule.index_keys(list, &rarity) {
                    let (record_word, next) = (word.unwrap_or_default(), next.as_bytes());
                    let record = Record { word: record_word, next, owner, list: number, at: *at, line, text };
                    let SectionRules { bare, worded } = sections.get_mut(section as usize)?;
                    match word {
                        Some(word) => worded.push((word, record.written())),
                        None => bare.extend(record.written()),
                    }
                }
            }
        }
    }
    let mut buckets = Vec::new();
    let sections = sections.iter().map(|rules| rules.write_buckets(&mut buckets)).collect::<Option<_>>()?;
    let head = Head { identities, agents, outline, left_out, sections, length: 0 };
    Some([head.written(), buckets].concat())
}

/// The rules of one section.
#[derive(Default)]
struct SectionRules {
    bare: Vec<u8>,
    worded: Vec<(Word, Vec<u8>)>,
}

impl SectionRules {
    /// Appends the buckets, and returns the offset of each and the end of the last one.
    fn write_buckets(&self, out: &mut Vec<u8>) -> Option<Vec<u32>> {
        let count = 1 + self.worded.len().div_ceil(TOGETHER);
        let mut buckets: Vec<Vec<u8>> = vec![Vec::new(); count];
        let number = u32::try_from(count).ok()?;
        buckets.first_mut()?.clone_from(&self.bare);
        for (word, record) in &self.worded {
            buckets.get_mut(bucket_of(*word, number) as usize)?.extend(record);
        }
        let mut starts = Vec::with_capacity(count + 1);
        for inside in &buckets {
            starts.push(u32::try_from(out.len()).ok()?);
            if !inside.is_empty() {
                out.extend(seal(inside));
            }
        }
        starts.push(u32::try_from(out.len()).ok()?);
        Some(starts)
    }
}

/// The text of a policy without the content of its rule lists, and the offsets at which lines are omitted.
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
