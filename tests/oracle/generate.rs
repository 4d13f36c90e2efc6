//! Generates the cases: each denied command in every spelling and in every carrier, and some carriers in
//! others. The selection depends only on the names, so it is the same on every run.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::fill::{Parts, fill};

/// Changes the selection of pairs.
const SEED: u64 = 0x5eed_2026;

/// Programs that may not be installed. A case that names one is run only if it is.
const TOOLS: &[&str] = &[
    "python3",
    "python3.11",
    "perl",
    "perl5.36.0",
    "perl5.36-x86_64-linux-gnu",
    "node",
    "awk",
    "mawk",
    "xxd",
    "openssl",
    "gdb",
    "tclsh",
    "tclsh8.6",
    "vim",
    "vim.basic",
    "ex",
    "vi",
    "ed",
    "make",
    "cmake",
    "script",
    "rev",
    "gzip",
    "tar",
    "flock",
    "setsid",
    "watch",
    "ionice",
    "chrt",
    "taskset",
    "setarch",
    "linux64",
    "x86_64",
    "i386",
    "prlimit",
    "setpriv",
    "choom",
    "busybox",
    "rbash",
    "rzsh",
    "zsh5",
    "ksh93",
    "rksh93",
    "lksh",
    "mksh-static",
    "run-parts",
    "split",
    "tmux",
    "sqlite3",
    "dpkg-architecture",
    "bash",
    "zsh",
    "curl",
    "gawk",
    "gcc",
    "sdiff",
    "diff3",
    "bzip2",
    "xz",
    "ssh",
    "patch",
    "unzip",
    "zip",
    "prove",
    "xdg-user-dir",
    "groff",
    "msgexec",
    "cpio",
];

/// How far static analysis of the words can follow a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// A shell starts the program, or a program that runs its arguments.
    Shell,
    /// An expansion or another program produces the denied command.
    Expansion,
    /// The code of another program starts it.
    Code,
    /// A file was turned into a program.
    File,
}

/// A deny rule, and a command that it denies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seed {
    pub(crate) name: String,
    pub(crate) rule: String,
    pub(crate) program: String,
    pub(crate) first: Option<String>,
    pub(crate) rest: String,
}

impl Seed {
    /// Returns true if a mark was left by a command that the rule denies.
    pub(crate) fn left(&self, mark: &[String; 3]) -> bool {
        mark[0] == self.program && self.first.as_ref().is_none_or(|first| mark[2] == *first)
    }
}

/// One command line.
#[derive(Debug)]
pub(crate) struct Case {
    /// `carrier(carrier(spelling seed))`.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) seed: usize,
    pub(crate) reach: Reach,
    /// The carriers and spellings of the case.
    pub(crate) made_of: Vec<String>,
}

/// The programs of a line that may not be installed.
pub(crate) fn tools(text: &str) -> impl Iterator<Item = &'static str> {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).collect();
    // The marker program named `git` is always present.
    let git = text.contains("/usr/bin/git").then_some("git");
    TOOLS.iter().copied().filter(move |tool| words.contains(tool)).chain(git)
}

struct Carrier {
    name: String,
    key: u64,
    text: String,
    reach: Reach,
    /// Accepts a simple command only.
    simple: bool,
}

#[derive(Deserialize)]
struct Seeds {
    seed: Vec<Seed>,
}

/// The denied commands.
pub(crate) fn seeds() -> Vec<Seed> {
    toml::from_str::<Seeds>(include_str!("seeds.toml")).unwrap().seed
}

/// The rows of a table of names and texts.
pub(crate) fn rows(text: &str, table: &str) -> Vec<(String, String)> {
    let book: toml::Table = toml::from_str(text).unwrap();
    let Some(rows) = book.get(table) else { return Vec::new() };
    rows.as_table().unwrap().iter().map(|(name, text)| (name.clone(), text.as_str().unwrap().to_owned())).collect()
}

fn carriers() -> Vec<Carrier> {
    let books = [
        include_str!("carriers/lists.toml"),
        include_str!("carriers/text.toml"),
        include_str!("carriers/data.toml"),
        include_str!("carriers/programs.toml"),
        include_str!("carriers/found.toml"),
        include_str!("carriers/readings.toml"),
    ];
    let tables = [
        ("shell", Reach::Shell, false),
        ("simple", Reach::Shell, true),
        ("code", Reach::Code, true),
        ("file", Reach::File, true),
    ];
    let mut all = Vec::new();
    for book in books {
        for (table, reach, simple) in tables {
            all.extend(rows(book, table).into_iter().map(|(name, text)| Carrier {
                key: key(&name),
                name,
                text,
                reach,
                simple,
            }));
        }
    }
    let names: BTreeSet<_> = all.iter().map(|carrier| &carrier.name).collect();
    assert_eq!(names.len(), all.len(), "two carriers share a name");
    all
}

/// Every case, in a fixed order.
pub(crate) fn cases(seeds: &[Seed]) -> Vec<Case> {
    let spellings: Vec<_> = rows(include_str!("spellings.toml"), "spelling")
        .into_iter()
        .map(|(name, text)| (key(&name), name, text))
        .collect();
    let arguments = [("literal", Reach::Shell), ("expanded", Reach::Expansion)].map(|(table, reach)| {
        rows(include_str!("arguments.toml"), table).into_iter().map(move |(name, text)| (name, text, reach))
    });
    let arguments: Vec<_> = arguments.into_iter().flatten().collect();
    let carriers = carriers();
    let mut cases = Vec::new();
    for (at, seed) in seeds.iter().enumerate() {
        let own = key(&seed.name);
        for (spelled, name, spelling) in &spellings {
            if at < 2 || chosen(&[own, *spelled], 3) {
                cases.push(Simple::spelled(seed, name, spelling).case(at));
            }
        }
        if let Some((first, more)) = seed.rest.split_once(' ').filter(|_| seed.first.is_some()) {
            for (name, text, reach) in &arguments {
                let text = fill(text, &Parts::of(&seed.program, &seed.program, more).argument(first));
                let made_of = vec![format!("argument-{name}")];
                let name = format!("argument {name} {}", seed.name);
                cases.push(Case { name, text, seed: at, reach: *reach, made_of });
            }
        }
        let plain = Simple::spelled(seed, "plain", "{p}");
        for carrier in &carriers {
            if at == 0 || chosen(&[own, carrier.key], 8) {
                cases.push(carrier.around_simple(&plain, at));
            }
            for (spelled, name, spelling) in &spellings {
                if name != "plain" && chosen(&[own, carrier.key, *spelled], 900) {
                    cases.push(carrier.around_simple(&Simple::spelled(seed, name, spelling), at));
                }
            }
            for inner in carriers.iter().filter(|_| !carrier.simple) {
                let files = carrier.reach == Reach::File && inner.reach == Reach::File;
                if !files && chosen(&[own, carrier.key, inner.key], 3500) {
                    cases.push(carrier.around(&inner.around_simple(&plain, at)));
                }
            }
        }
    }
    let names: BTreeSet<_> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases share a name");
    cases
}

/// A hash of a name, used for the selection.
pub(crate) fn key(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Selects one in `of`, by the names only, so that a new name does not change other selections.
pub(crate) fn chosen(keys: &[u64], of: u64) -> bool {
    let mixed = keys.iter().fold(SEED, |mixed, key| {
        let mixed = (mixed ^ key).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 31)
    });
    mixed % of == 0
}

/// A command of one program and its arguments.
struct Simple<'a> {
    seed: &'a Seed,
    spelling: String,
    program: String,
}

impl<'a> Simple<'a> {
    fn spelled(seed: &'a Seed, name: &str, spelling: &str) -> Self {
        let program = fill(spelling, &Parts::of(&seed.program, &seed.program, ""));
        Self { seed, spelling: name.to_owned(), program }
    }

    fn text(&self) -> String {
        format!("{} {}", self.program, self.seed.rest)
    }

    fn name(&self) -> String {
        if self.spelling == "plain" { self.seed.name.clone() } else { format!("{} {}", self.spelling, self.seed.name) }
    }

    fn case(&self, seed: usize) -> Case {
        Case { name: self.name(), text: self.text(), seed, reach: Reach::Shell, made_of: vec![self.spelling.clone()] }
    }
}

impl Carrier {
    fn around_simple(&self, inner: &Simple<'_>, seed: usize) -> Case {
        Case {
            name: format!("{}({})", self.name, inner.name()),
            text: fill(&self.text, &Parts::of(&inner.text(), &inner.program, &inner.seed.rest)),
            seed,
            reach: self.reach,
            made_of: vec![self.name.clone(), inner.spelling.clone()],
        }
    }

    fn around(&self, inner: &Case) -> Case {
        let (program, rest) = inner.text.split_once(' ').unwrap_or((&inner.text, ""));
        let mut made_of = vec![self.name.clone()];
        made_of.extend(inner.made_of.iter().cloned());
        Case {
            name: format!("{}({})", self.name, inner.name),
            text: fill(&self.text, &Parts::of(&inner.text, program, rest)),
            seed: inner.seed,
            reach: self.reach.max(inner.reach),
            made_of,
        }
    }
}

/// A text on one line for messages; line breaks are escaped.
pub(crate) fn shown(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        match c {
            '\n' => line.push('⏎'),
            c if c.is_control() => write!(line, "{}", c.escape_default()).unwrap(),
            c => line.push(c),
        }
    }
    line
}
