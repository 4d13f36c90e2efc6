//! A long policy, filed: what of it a call needs is found without reading the rest.
//!
//! The first call that reads such a file leaves an index of its rules beside the trust store. It holds the
//! text of the policy without its rules, which is read as any policy is, and the rules by the words that
//! they are filed under. It counts only as long as the policy is the file that it was made of, as the
//! system tells by device, inode, size, and the times of its last change: the last of them nobody can set.
//! Whatever is odd about an index, the policy itself is read.
//!
//! An index decides like the policy, so it has the same protection (S10): it lies in the folder of the
//! trust store, which no tool may write to. It must be the user's own file that nobody else can read.
//!
//! What was weighed: to check on each call only the lines that a call needs, without an index, leaves the
//! rest unchecked, and a file with an error in it must not be judged by (F1); to check 300 KiB costs more
//! than all the rest of a call.

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

/// From this size on a policy is filed, in bytes: below, to read it costs no more than to look it up.
pub(crate) const LONG: u64 = 2 << 10;

/// A policy that was changed this recently may be changed once more without another time of change.
const SETTLED: Duration = Duration::from_secs(3);

/// Holds the rules of one policy, on file.
#[derive(Debug)]
pub(crate) struct Index {
    file: std::fs::File,
    path: PathBuf,
    head: Head,
    places: Arc<Places>,
    registry: Registry,
}

/// Tells one content of a file from any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity([u64; 7]);

impl Identity {
    fn of(found: &Metadata) -> Self {
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()].map(i64::cast_unsigned);
        let [a, b, c, d] = times;
        Self([found.dev(), found.ino(), found.size(), a, b, c, d])
    }

    /// Whether the time of the last change is so old that every later one has another.
    fn is_settled(self) -> bool {
        let Self([.., seconds, _]) = self;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        SystemTime::now().duration_since(changed).is_ok_and(|since| since >= SETTLED)
    }

    /// Whether the file system counts finer than in seconds. One that does not may keep no time of the last
    /// change at all, and give another that can be set.
    fn is_fine(self) -> bool {
        let Self([.., nanos]) = self;
        nanos != 0
    }
}

/// Holds what a long policy was that has no index yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unfiled([Identity; 2]);

impl Unfiled {
    /// Takes a policy that is about to be read; `None` where no index of it could be relied on.
    pub(crate) fn of(opened: &OpenedPolicy<'_>, places: &Places) -> Option<Self> {
        if opened.found.len() < LONG || !crate::disk::is_local(&opened.file) {
            return None;
        }
        let identities = identities(&opened.found, places)?;
        let [policy, program] = identities;
        (policy.is_settled() && policy.is_fine() && program.is_settled()).then_some(Self(identities))
    }

    /// Makes the index of what was read.
    pub(crate) fn file_away(&self, policy: &PolicyFile, places: &Places, registry: &Registry) {
        make::make(policy, self.0, places, registry);
    }
}

/// What an index is made of, and by whom: another program may read a policy in another way.
fn identities(policy: &Metadata, places: &Places) -> Option<[Identity; 2]> {
    let program = std::fs::metadata(places.binary()?).ok()?;
    Some([Identity::of(policy), Identity::of(&program)])
}

fn name(policy: &Path) -> String {
    format!("{:016x}", hash(policy.as_os_str().as_encoded_bytes()))
}

impl Index {
    /// Opens the index of a policy that was found to be this; `None` where there is none that counts.
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

    /// The lists of all agents and of this one, with at least the rules that may speak of what is asked.
    pub(crate) fn lists(&self, agent: &str, asked: &Asked) -> Result<Vec<Lists>, PolicyFault> {
        self.found(agent, asked).or_else(|Damaged| self.whole(agent))
    }

    /// Whether one of deny or ask is such a rule, among at least those that may speak of what is asked.
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

    /// The lists of all agents and of this one, as the policy itself has them.
    fn whole(&self, agent: &str) -> Result<Vec<Lists>, PolicyFault> {
        // Gone, or damaged since it was opened: the next call makes another.
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
        // One that is filed under several words is found several times.
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

    /// The numbers of those whose lists apply to an agent.
    fn owners(&self, agent: &str) -> Vec<usize> {
        let own = self.head.agents.iter().zip(1..).filter(|(id, _)| *id == agent);
        std::iter::once(0).chain(own.map(|(_, owner)| owner)).collect()
    }

    fn places<'w>(&self, asked: &'w Asked) -> impl Iterator<Item = (Range<usize>, Under<'w>)> {
        asked.iter().flat_map(|(drawer, words)| self.head.places(drawer, words))
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

/// Knows the lines of a long text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// Gives each rule its line.
    fn number<'l>(&self, lists: impl Iterator<Item = &'l mut Lists>) {
        for lists in lists {
            let rules = lists.deny.iter_mut().chain(&mut lists.ask).chain(&mut lists.allow);
            rules.for_each(|rule| rule.line = Some(self.line(rule.at)));
        }
    }

    /// Line of a byte, from 1.
    fn line(&self, at: usize) -> usize {
        self.0.partition_point(|newline| *newline < at) + 1
    }
}

/// Whether a file or folder is the user's own, and nobody else can even read it.
fn is_private(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode().trailing_zeros() >= 6
}

/// The place of the index of a policy, for messages and tests.
#[cfg(test)]
fn place(policy: &Path, places: &Places) -> Option<PathBuf> {
    Some(places.index_folder()?.join(name(policy)))
}
