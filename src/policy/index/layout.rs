//! The bytes of an index file: a header, followed by buckets of rules.
//!
//! The header and each bucket start with a length and a checksum, which detect damage.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::Identity;
use crate::policy::rule::{IndexSection, Next, Word, Words, hash};

/// The first bytes of every index; the last one is the version of this layout.
const MAGIC: &[u8; 8] = b"snaphok\x02";
/// The size of a length and a checksum, in bytes.
const SEAL: usize = 12;
/// The maximum size of an index, in bytes.
const LARGEST: u64 = 64 << 20;

/// An index is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

impl From<std::io::Error> for Damaged {
    fn from(_: std::io::Error) -> Self {
        Self
    }
}

/// The number of the bucket for a word. Bucket 0 has the rules without a word.
pub(super) fn bucket_of(word: Word, buckets: u32) -> u32 {
    1 + word % (buckets - 1).max(1)
}

/// The header of an index, which is read on every call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The identities of the policy and of the program that wrote the index.
    pub(super) identities: [Identity; 2],
    /// The agents that own lists; the first owner, for all agents, is left out.
    pub(super) agents: Vec<String>,
    /// The policy without its rules.
    pub(super) outline: String,
    /// The offsets at which lines are omitted from it, with their number.
    pub(super) left_out: Vec<(usize, usize)>,
    /// The offsets of the buckets of each section after the header, and the end of the last one.
    pub(super) sections: Vec<Vec<u32>>,
    /// The offset of the first bucket.
    pub(super) length: usize,
}

impl Head {
    /// Reads and checks the header of a file of this length.
    pub(super) fn read(file: &File, length: u64) -> Result<Self, Damaged> {
        const MOSTLY: usize = 8 << 10;
        if length > LARGEST {
            return Err(Damaged);
        }
        let length = usize::try_from(length).map_err(|_| Damaged)?;
        let mut bytes = vec![0; length.min(MOSTLY)];
        file.read_exact_at(&mut bytes, 0)?;
        let sealed_at = MAGIC.len();
        if !bytes.starts_with(MAGIC) {
            return Err(Damaged);
        }
        let end = sealed_at + SEAL + Bytes(bytes.get(sealed_at..).ok_or(Damaged)?).number()?;
        if end > length {
            return Err(Damaged);
        }
        if let Some(more) = end.checked_sub(bytes.len()).filter(|more| *more > 0) {
            let from = bytes.len();
            bytes.resize(from + more, 0);
            file.read_exact_at(bytes.get_mut(from..).ok_or(Damaged)?, from as u64)?;
        }
        let mut rest = bytes.get(sealed_at..end).ok_or(Damaged)?;
        let mut bytes = unsealed(&mut rest)?;
        let head = Self {
            identities: [bytes.identity()?, bytes.identity()?],
            agents: bytes.several(Bytes::text)?,
            outline: bytes.text()?,
            left_out: bytes.several(|bytes| Ok((bytes.number()?, bytes.number()?)))?,
            sections: bytes.several(|bytes| bytes.several(Bytes::short))?,
            length: end,
        };
        let whole = head.sections.len() == IndexSection::ALL.len()
            && head.sections.iter().all(|buckets| buckets.len() > 1 && buckets.is_sorted())
            && head.sections.iter().flatten().max().is_some_and(|last| end + *last as usize == length);
        if whole { Ok(head) } else { Err(Damaged) }
    }

    /// The bytes of the header.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for number in self.identities.iter().flat_map(|Identity(numbers)| numbers) {
            out.extend(number.to_le_bytes());
        }
        put(&mut out, self.agents.len());
        self.agents.iter().for_each(|id| put_text(&mut out, id.as_bytes()));
        put_text(&mut out, self.outline.as_bytes());
        put(&mut out, self.left_out.len());
        for (at, lines) in &self.left_out {
            put(&mut out, *at);
            put(&mut out, *lines);
        }
        put(&mut out, self.sections.len());
        for buckets in &self.sections {
            put(&mut out, buckets.len());
            out.extend(buckets.iter().flat_map(|at| at.to_le_bytes()));
        }
        [MAGIC.as_slice(), &seal(&out)].concat()
    }

    /// The byte ranges of the buckets for some words, or of a whole section, each with the word that its rules must have.
    pub(super) fn places<'w>(&self, section: IndexSection, words: &'w Words) -> Vec<(Range<usize>, Under<'w>)> {
        let Some(buckets) = self.sections.get(section as usize) else { return Vec::new() };
        let at = |number: usize| buckets.get(number).map(|at| self.length + *at as usize);
        let range = |from, to| Some(at(from)?..at(to)?).filter(|range| !range.is_empty());
        let last = buckets.len() - 1;
        match words {
            Words::All => range(0, last).map(|range| (range, None)).into_iter().collect(),
            Words::Some(words) => {
                let count = u32::try_from(last).unwrap_or(u32::MAX);
                let worded = words.iter().filter(|_| count > 1).filter_map(|(word, next)| {
                    let number = bucket_of(*word, count) as usize;
                    Some((range(number, number + 1)?, Some((*word, next))))
                });
                range(0, 1).map(|range| (range, None)).into_iter().chain(worded).collect()
            }
        }
    }
}

/// One rule in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// Its word; 0 for a rule without one.
    pub(super) word: Word,
    /// The text after the word.
    pub(super) next: &'a [u8],
    /// 0 for the lists of all agents, else the position of the agent in the header, from 1.
    pub(super) owner: usize,
    /// The number of its list.
    pub(super) list: usize,
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) text: &'a [u8],
}

/// The word that was looked up and the text that must follow it; absent for any rule.
pub(super) type Under<'w> = Option<(Word, &'w Next)>;

/// Buckets that were read.
#[derive(Debug)]
pub(super) struct Found<'w> {
    pub(super) bytes: Vec<u8>,
    pub(super) under: Under<'w>,
}

impl Found<'_> {
    /// The rules with the word in the lists of some owners.
    pub(super) fn records<'f>(&'f self, owners: &'f [usize]) -> impl Iterator<Item = Result<Record<'f>, Damaged>> {
        let mut buckets = self.bytes.as_slice();
        let mut inside = Bytes(&[]);
        let mut next = move || {
            while inside.0.is_empty() && !buckets.is_empty() {
                inside = unsealed(&mut buckets)?;
            }
            Record::next(&mut inside)
        };
        let asked = |record: &Record<'_>| {
            self.under.is_none_or(|(word, next)| word == record.word && next.may_be(record.next))
                && owners.contains(&record.owner)
        };
        std::iter::from_fn(move || next().transpose()).filter(move |record| record.as_ref().map_or(true, asked))
    }
}

impl<'a> Record<'a> {
    /// Takes the next record; `None` at the end.
    pub(super) fn next(bytes: &mut Bytes<'a>) -> Result<Option<Self>, Damaged> {
        if bytes.0.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            word: bytes.short()?,
            next: bytes.bytes()?,
            owner: bytes.number()?,
            list: bytes.number()?,
            at: bytes.number()?,
            line: bytes.number()?,
            text: bytes.bytes()?,
        }))
    }

    pub(super) fn written(&self) -> Vec<u8> {
        let mut out = self.word.to_le_bytes().to_vec();
        put_text(&mut out, self.next);
        for number in [self.owner, self.list, self.at, self.line] {
            put(&mut out, number);
        }
        put_text(&mut out, self.text);
        out
    }
}

/// Reads the fields of an index in order.
#[derive(Debug)]
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn short(&mut self) -> Result<u32, Damaged> {
        self.take(4)?.try_into().map(u32::from_le_bytes).map_err(|_| Damaged)
    }

    fn number(&mut self) -> Result<usize, Damaged> {
        self.short().map(|number| number as usize)
    }

    fn long(&mut self) -> Result<u64, Damaged> {
        self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| Damaged)
    }

    fn bytes(&mut self) -> Result<&'a [u8], Damaged> {
        let length = self.number()?;
        self.take(length)
    }

    fn text(&mut self) -> Result<String, Damaged> {
        std::str::from_utf8(self.bytes()?).map(str::to_owned).map_err(|_| Damaged)
    }

    fn identity(&mut self) -> Result<Identity, Damaged> {
        let mut numbers = [0; 7];
        for number in &mut numbers {
            *number = self.long()?;
        }
        Ok(Identity(numbers))
    }

    fn several<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, Damaged>) -> Result<Vec<T>, Damaged> {
        let count = self.number()?;
        let mut all = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            all.push(one(self)?);
        }
        Ok(all)
    }
}

/// A bucket with its length and checksum.
pub(super) fn seal(inside: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(SEAL + inside.len());
    put(&mut out, inside.len());
    out.extend(hash(inside).to_le_bytes());
    out.extend(inside);
    out
}

/// Reads the next bucket and verifies its checksum.
pub(super) fn unsealed<'a>(from: &mut &'a [u8]) -> Result<Bytes<'a>, Damaged> {
    let mut bytes = Bytes(from);
    let (length, sealed) = (bytes.number()?, bytes.long()?);
    let inside = bytes.take(length)?;
    *from = bytes.0;
    if hash(inside) == sealed { Ok(Bytes(inside)) } else { Err(Damaged) }
}

fn put(out: &mut Vec<u8>, number: usize) {
    // A policy has no more than 1 MiB, so that every number is a short one.
    out.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put(out, text.len());
    out.extend(text);
}
