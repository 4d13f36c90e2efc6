//! `find`: its start points, tests, and the actions that run, delete or write.

use super::code::InlineCode;
use super::inside::{At, Inner, Inside, replace};
use super::program::{Call, Program};
use crate::budget::Budget;
use crate::effects::{FileEffect, Touch, all, found, within};
use crate::glob::glob_elements;
use crate::partial::intersects;
use crate::words::{Expands, Word, base_name};

pub(super) const PROGRAMS: &[Program] = &[Program {
    inside,
    code,
    touches,
    operands: |call| if read(call.arguments).blame.is_some() { Touch::Name } else { Touch::MayRead },
    ..Program::text(&["find"])
}];

fn inside(call: &Call<'_>) -> Inside {
    let find = read(call.arguments);
    let blame = find.blame.and_then(|word| call.hides_commands(word).blame);
    let found = (!find.commands.is_empty()).then(|| find.found());
    let at = |there: bool| if there { At::Somewhere } else { At::Here };
    let inner = |exec: Exec| Inner { words: exec.words, assigned: Vec::new(), at: at(exec.there) };
    Inside { commands: find.commands.into_iter().map(inner).collect(), found, blame, ..Inside::default() }
}

fn code(call: &Call<'_>) -> InlineCode {
    let find = read(call.arguments);
    match (find.blame, find.opaque) {
        (Some(word), _) => call.cannot_read(word),
        (None, Some(action)) => InlineCode::Opaque(format!("`find {action}`")),
        (None, None) => InlineCode::Plain,
    }
}

fn touches(call: &Call<'_>) -> Vec<FileEffect> {
    let find = read(call.arguments);
    let found = if find.deletes { find.found() } else { Vec::new() };
    all(Touch::Write, find.writes.iter().copied()).chain(all(Touch::Delete, &found)).collect()
}

/// Tests that take a value.
#[rustfmt::skip]
const TESTS: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
    "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer",
    "-cnewer", "-user", "-group", "-uid", "-gid", "-perm", "-maxdepth", "-mindepth", "-links", "-inum", "-samefile",
    "-fstype", "-used", "-printf", "-regextype", "-context",
];

/// Other arguments.
#[rustfmt::skip]
const ACTIONS: &[&str] = &[
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-ls", "-print", "-print0", "-prune", "-quit",
    "-depth", "-d", "-mount", "-xdev", "-follow", "-empty", "-executable", "-readable", "-writable", "-nouser",
    "-nogroup", "-true", "-false", "-not", "-o", "-or", "-a", "-and", "-daystart", "-noleaf", "-warn", "-nowarn",
    "-H", "-L", "-P", "-ignore_readdir_race",
];

/// Returns true if an argument takes the next one as its value.
fn is_test(word: &str) -> bool {
    TESTS.contains(&word) || (word.starts_with("-newer") && word.len() == 8)
}

/// The longest pattern of a name that is compared, in bytes. There is a copy for each start point.
const LONGEST_NAME: usize = 256;

/// A parsed `find` command.
#[derive(Debug, Default)]
struct Find<'w> {
    starts: Vec<&'w Word>,
    /// The commands of `-exec` and similar actions; `{}` is an unknown file.
    commands: Vec<Exec>,
    /// The files that it writes.
    writes: Vec<&'w Word>,
    deletes: bool,
    /// An action that changes files; only a rule that contains it can allow the command.
    opaque: Option<&'w str>,
    /// The word that could not be parsed.
    blame: Option<&'w Word>,
    /// The name that all found files share; a glob if the test ignores case.
    name: Option<Word>,
    /// True if the start points themselves may be found.
    whole: bool,
    /// True if it follows links out of its folders.
    follows: bool,
}

/// A command that `find` runs for what it found.
#[derive(Debug)]
struct Exec {
    words: Vec<Word>,
    /// True if the command runs in the folder of the found file.
    there: bool,
}

/// Parses the arguments of `find`.
fn read(words: &[Word]) -> Find<'_> {
    let mut find = Find::default();
    let (mut looks, mut either, mut tests, mut inside) = (false, false, false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            find.blame.get_or_insert(word);
            if !looks {
                find.starts.push(word);
            }
            continue;
        }
        let bare = !value.starts_with(['-', '(', '!', ')', ',']);
        if bare && !looks {
            find.starts.push(word);
            continue;
        }
        looks |= !matches!(value, "-H" | "-L" | "-P");
        find.follows |= matches!(value, "-H" | "-L" | "-follow");
        if is_test(value) {
            let Some(given) = rest.next() else { break };
            if given.spans.iter().any(|span| !span.quoted) {
                find.blame.get_or_insert(given);
            }
            match value {
                "-name" | "-iname" => {
                    let mut name = given.clone();
                    if value == "-iname" && name.spans.is_empty() {
                        name.value = name.value.chars().map(|c| if c.is_alphabetic() { '?' } else { c }).collect();
                    }
                    name.glob |= name.value.contains(['*', '?', '[', '\\']);
                    find.name.get_or_insert(name);
                }
                // A start point is a folder at depth 0.
                "-type" => inside |= !(given.value.contains('d') || given.is_dynamic()),
                "-mindepth" => inside |= !(given.value == "0" || given.is_dynamic()),
                "-maxdepth" | "-regextype" | "-printf" => {}
                _ => tests = true,
            }
            tests |= find.name.is_some();
            continue;
        }
        match value {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let mut inner: Vec<Word> = Vec::new();
                let ended = loop {
                    let Some(next) = rest.next() else { break false };
                    let plus = next.value == "+" && inner.last().is_some_and(|last| last.value == "{}");
                    if next.value == ";" || plus {
                        break true;
                    }
                    inner.push(next.clone());
                };
                if !ended {
                    find.blame.get_or_insert(word);
                }
                replace(&mut inner, "{}", Expands::Found);
                find.commands.push(Exec { words: inner, there: value.ends_with("dir") });
            }
            "-delete" => {
                find.deletes = true;
                find.opaque.get_or_insert(value);
            }
            "-fls" | "-fprint" | "-fprint0" | "-fprintf" => {
                find.opaque.get_or_insert(value);
                find.writes.extend(rest.next());
                if value == "-fprintf" {
                    rest.next();
                }
            }
            "-o" | "-or" | "!" | "-not" | "," => either = true,
            "-empty" => inside = true,
            _ if value.starts_with('-') && !ACTIONS.contains(&value) => {
                find.blame.get_or_insert(word);
            }
            _ => {}
        }
    }
    find.name = find.name.filter(|name| !either && name.value.len() <= LONGEST_NAME);
    find.whole = !tests && (either || !inside);
    find
}

impl Find<'_> {
    /// The paths that may be found: everything below the start points, or everything there with the given name.
    /// The start point itself is included only if no test excludes it.
    fn found(&self) -> Vec<Word> {
        let here = Word::literal(".");
        let starts = if self.starts.is_empty() { vec![&here] } else { self.starts.clone() };
        let mut all = Vec::new();
        for start in starts {
            let mut below = found(start, self.name.as_ref());
            if self.follows {
                below.spans.iter_mut().for_each(|span| span.what = Expands::Other);
            }
            let may_be_start = |name: &&Word| {
                let [name, start] = [(*name, true), (start, false)]
                    .map(|(word, escapes)| glob_elements(base_name(word.value.trim_end_matches('/')), escapes));
                start.is_empty() || intersects(&name, &start, &Budget::default())
            };
            all.extend(self.name.as_ref().filter(may_be_start).map(|_| start.clone()));
            match &self.name {
                // A name that is known may be denied where it is.
                Some(name) if !name.glob => all.extend([within(start, name), below]),
                None if self.whole => all.extend([start.clone(), below]),
                _ => all.push(below),
            }
        }
        all
    }
}
