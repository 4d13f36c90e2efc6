//! The index of a long policy, with which a call reads only the rules that it needs.
//!
//! The first call that reads a long policy writes an index of its rules next to the trust store. The index has the
//! text of the policy without its rules, and the rules by word. It is valid as long as device, inode, size and change
//! times of the policy file are the same; users cannot set the ctime. If an index is not valid, the policy itself is
//! read.
//!
//! An index affects decisions like the policy, so it has the same protection (S10): it is in the folder of the trust
//! store, which no tool may write to, and only the user may have access to it.
//!
//! Alternative: without an index, a call could parse only the lines that it needs. Errors in the other lines would
//! then not be found, although an invalid policy must not be used (F1), and parsing 300 KiB costs more than the rest
//! of a call.

mod catalogue;
mod layout;
mod make;
#[cfg(test)]
mod tests;

pub(crate) use catalogue::Catalogue;

use std::fs::Metadata;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags};
use snaphook_adapters::registry::Registry;

use self::layout::{Damaged, Found, Head, Record, Under};
use super::PolicyFault;
use super::load::{Lists, OpenedPolicy, PolicyFile, PolicySource, UserPolicy};
use super::places::Places;
use super::rule::{Asked, List, Rule, Side, ToolArguments, hash, parse};

/// The minimum size of a policy with an index, in bytes. A shorter policy can be read as fast as an index.
pub(crate) const LONG: u64 = 2 << 10;

/// The age from which on the change time of a policy is final: a later change has another time.
const SETTLED: Duration = Duration::from_secs(3);

/// The index of one policy.
#[derive(Debug)]
pub(crate) struct Index {
    file: std::fs::File,
    path: PathBuf,
    head: Head,
    places: Arc<Places>,
    registry: Registry,
}

/// Identifies one version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity([u64; 7]);

impl Identity {
    fn of(found: &Metadata) -> Self {
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()].map(i64::cast_unsigned);
        let [a, b, c, d] = times;
        Self([found.dev(), found.ino(), found.size(), a, b, c, d])
    }

    /// Returns true if the change time is so old that a later change has another time.
    fn is_settled(self) -> bool {
        let Self([.., seconds, _]) = self;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        SystemTime::now().duration_since(changed).is_ok_and(|since| since >= SETTLED)
    }

    /// Returns true if the file system has timestamps with fractions of a second. Others may not keep the ctime, and
    /// return a time that users can set.
    fn is_fine(self) -> bool {
        let Self([.., nanos]) = self;
        nanos != 0
    }
}

/// A long policy without an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unindexed([Identity; 2]);

impl Unindexed {
    /// Describes a policy before it is read; `None` if an index of it would not be reliable.
    pub(crate) fn of(opened: &OpenedPolicy<'_>, places: &Places) -> Option<Self> {
        if opened.found.len() < LONG || !crate::disk::is_local(&opened.file) {
            return None;
        }
        let identities = identities(&opened.found, places)?;
        let [policy, program] = identities;
        (policy.is_settled() && policy.is_fine() && program.is_settled()).then_some(Self(identities))
    }

    /// Writes the index of the policy that was read.
    pub(crate) fn write_index(&self, policy: &PolicyFile, places: &Places, registry: &Registry) {
        make::make(policy, self.0, places, registry);
    }
}

/// The identities of the policy and of this program: another version may read a policy differently.
fn identities(policy: &Metadata, places: &Places) -> Option<[Identity; 2]> {
    let program = std::fs::metadata(places.binary()?).ok()?;
    Some([Identity::of(policy), Identity::of(&program)])
}

fn name(policy: &Path) -> String {
    format!("{:016x}", hash(policy.as_os_str().as_encoded_bytes()))
}

impl Index {
    /// Opens the index of a policy file; `None` if there is no valid one.
    pub(crate) fn open(policy: &Path, found: &Metadata, places: &Arc<Places>, registry: &Registry) -> Option<Self> {
        if found.len() < LONG {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let path = places.index_folder()?.join(name(policy));
        let opened = rustix::fs::open(path.parent()?, flags | OFlags::DIRECTORY, Mode::empty()).ok()?;
        let folder = std::fs::File::from(opened);
        if !folder.metadata().ok().is_some_and(|found| is_private(&found)) {
            return None;
        }
        let opened = rustix::fs::openat(&folder, path.file_name()?, flags, Mode::empty()).ok()?;
        let file = std::fs::File::from(opened);
        let is_ours = |found: &Metadata| found.is_file() && found.nlink() == 1 && is_private(found);
        let length = file.metadata().ok().filter(is_ours)?.len();
        let head = Head::read(&file, length).ok()?;
        let same = identities(found, places).is_some_and(|now| head.identities == now);
        same.then(|| Self { file, path, head, places: Arc::clone(places), registry: registry.clone() })
    }

    /// The text of the policy without its rules.
    pub(crate) fn outline(&self, path: &Path, places: &Places) -> PolicySource {
        let Head { outline, left_out, .. } = &self.head;
        PolicySource::outline(path, places.shown(path), outline.clone(), left_out.clone())
    }

    /// The lists of all agents and of this one, with at least the rules that may match what is asked.
    pub(crate) fn lists(&self, agent: &str, asked: &Asked) -> Result<Vec<Lists>, PolicyFault> {
        self.found(agent, asked).or_else(|Damaged| self.whole(agent))
    }

    /// Returns true if `is` returns true for a deny or ask rule. Tests at least the rules that may match what is asked.
    pub(crate) fn any_guard(
        &self,
        agent: &str,
        asked: &Asked,
        is: &mut dyn FnMut(&Rule) -> bool,
    ) -> Result<bool, PolicyFault> {
        match self.finds_guard(agent, asked, is) {
            Ok(found) => Ok(found),
            Err(Damaged) => Ok(self.whole(agent)?.iter().flat_map(Lists::guards).any(is)),
        }
    }

    /// The complete lists of all agents and of this one, from the policy itself.
    fn whole(&self, agent: &str) -> Result<Vec<Lists>, PolicyFault> {
        // The index is missing or was damaged after it was opened. The next call writes a new one.
        let _ = std::fs::remove_file(&self.path);
        let PolicyFile { lists, agents, source, .. } = UserPolicy::unshared(&self.places, &self.registry)?;
        let own = agents.into_iter().filter(|(id, _)| id == agent).map(|(_, lists)| lists);
        let mut all: Vec<Lists> = std::iter::once(lists).chain(own).collect();
        Lines::of(&source.text).number(all.iter_mut());
        Ok(all)
    }

    fn found(&self, agent: &str, asked: &Asked) -> Result<Vec<Lists>, Damaged> {
        let owners = self.owners(agent);
        let read = self.places(asked).map(|place| self.read(place)).collect::<Result<Vec<_>, _>>()?;
        let mut records = read.iter().flat_map(|found| found.records(&owners)).collect::<Result<Vec<_>, _>>()?;
        // A rule with several words is found several times.
        records.sort_unstable_by_key(|record| record.at);
        records.dedup_by_key(|record| record.at);
        let mut all: Vec<Lists> = owners.iter().map(|_| Lists::default()).collect();
        for record in &records {
            let lists = owners.iter().position(|owner| *owner == record.owner).and_then(|at| all.get_mut(at));
            let (list, rule) = self.rule(record)?;
            lists.ok_or(Damaged)?.of_mut(list).push(rule);
        }
        Ok(all)
    }

    fn finds_guard(&self, agent: &str, asked: &Asked, is: &mut dyn FnMut(&Rule) -> bool) -> Result<bool, Damaged> {
        let owners = self.owners(agent);
        for place in self.places(asked) {
            for record in self.read(place)?.records(&owners) {
                let (list, rule) = self.rule(&record?)?;
                if list.side() == Side::Guard && is(&rule) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The numbers of the owners whose lists apply to an agent.
    fn owners(&self, agent: &str) -> Vec<usize> {
        let own = self.head.agents.iter().zip(1..).filter(|(id, _)| *id == agent);
        std::iter::once(0).chain(own.map(|(_, owner)| owner)).collect()
    }

    fn places<'w>(&self, asked: &'w Asked) -> impl Iterator<Item = (Range<usize>, Under<'w>)> {
        asked.iter().flat_map(|(section, words)| self.head.places(section, words))
    }

    fn read<'w>(&self, (place, under): (Range<usize>, Under<'w>)) -> Result<Found<'w>, Damaged> {
        let mut bytes = vec![0; place.len()];
        self.file.read_exact_at(&mut bytes, place.start as u64)?;
        Ok(Found { bytes, under })
    }

    fn rule(&self, record: &Record<'_>) -> Result<(List, Rule), Damaged> {
        let list = *List::ALL.get(record.list).ok_or(Damaged)?;
        let text = std::str::from_utf8(record.text).map_err(|_| Damaged)?;
        let mut rule = parse(text, record.at, list, ToolArguments(&self.registry)).map_err(|_| Damaged)?;
        rule.line = Some(record.line);
        Ok((list, rule))
    }
}

/// The offsets of the lines of a text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// Sets the line of each rule.
    fn number<'l>(&self, lists: impl Iterator<Item = &'l mut Lists>) {
        for lists in lists {
            let rules = lists.deny.iter_mut().chain(&mut lists.ask).chain(&mut lists.allow);
            rules.for_each(|rule| rule.line = Some(self.line(rule.at)));
        }
    }

    /// The line of an offset, from 1.
    fn line(&self, at: usize) -> usize {
        self.0.partition_point(|newline| *newline < at) + 1
    }
}

/// Returns true if only the user has access to a file or folder.
fn is_private(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode().trailing_zeros() >= 6
}

/// The path of the index of a policy.
#[cfg(test)]
fn place(policy: &Path, places: &Places) -> Option<PathBuf> {
    Some(places.index_folder()?.join(name(policy)))
}
