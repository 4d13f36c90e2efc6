//! `[protect]`: protects snaphook's files and the agents' settings against writes by tools, and blocks commands
//! that change snaphook's protection.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::ListedName;
use snaphook_shell::Extent;

use super::atoms::{Atom, AtomKind, PathAct, PathAtom};
use super::{CallFacts, SharedFacts};
use crate::Policy;
use crate::command::{changes_protection, names_change};
use crate::path::{
    Dir, FOLDS, PathContext, PathForm, ProtectedPath, Segment, is_folded, may_overlap_file, relative, text_of, within,
};
use crate::protected::{Covers, Location, Protected, ProtectedNames, Wanted};
use crate::settings::{OnFailure, ProtectMode};

/// The opinion of `[protect]` on one action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Protection {
    pub(super) key: &'static str,
    pub(super) says: ProtectMode,
    /// Why it says so.
    pub(super) why: &'static str,
}

const FILE: &str = "a file that decides what hooks and agents may do";
const HOLDER: &str = "a folder with files that decide what hooks and agents may do";
const ROOT: &str = "a marker that makes a folder the root of the project";
const COMMAND: &str = "the command changes the protection by snaphook; run it yourself in a terminal";

/// A protected file or folder.
#[derive(Debug, Clone)]
pub(super) struct Guarded {
    place: GuardedPath,
    covers: Covers,
    key: &'static str,
    says: ProtectMode,
}

#[derive(Debug, Clone)]
enum GuardedPath {
    /// An absolute path and its aliases.
    At(String, Vec<String>),
    /// A relative path in any folder.
    Anywhere(Cow<'static, str>),
}

impl GuardedPath {
    /// A path below a folder that is not reached through a symbolic link.
    fn below(folder: &Dir, path: &str, context: &PathContext) -> Self {
        let whole = [folder.written.trim_end_matches('/'), "/", path].concat();
        let resolved = context.resolve(&whole);
        let others = if resolved == whole { Vec::new() } else { vec![resolved] };
        Self::At(whole, others)
    }

    fn at(mut names: Vec<String>) -> Self {
        let others = names.split_off(1);
        Self::At(names.pop().unwrap_or_default(), others)
    }
}

/// Lists the selected protected paths.
fn guarded(policy: &Policy, context: &PathContext, wanted: Wanted<'_>) -> Vec<Guarded> {
    // Mostly nothing on the way home is a link.
    let home = context.home().filter(|home| home.written == home.resolved);
    let machine = context.machine();
    let place = |location: Location| match (&location, home) {
        (Location::InHome(path), Some(home)) if is_folded(path) => GuardedPath::below(home, path, context),
        (Location::Listed(path), _) if !Path::new(path).is_absolute() => GuardedPath::Anywhere((*path).into()),
        _ => {
            let path = location.path(machine.home());
            if path.is_absolute() {
                GuardedPath::at(names(&text_of(&path), context))
            } else {
                GuardedPath::Anywhere(text_of(&path.components().collect::<PathBuf>()).into())
            }
        }
    };
    let one = |Protected { location, extent, key, says, .. }: Protected| Guarded {
        place: place(location),
        covers: extent,
        key,
        says,
    };
    policy.protected(wanted).into_iter().map(one).collect()
}

/// The names of a file: as it is written, where home leads, and where all of it leads.
fn names(path: &str, context: &PathContext) -> Vec<String> {
    let Dir { written, resolved } = context.dir(path);
    let at_home =
        context.home().and_then(|home| Some(format!("{}/{}", home.resolved, relative(&written, &home.written)?)));
    let mut names = vec![written];
    for name in at_home.into_iter().chain([resolved]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What is protected, as far as a call asked for it.
pub(super) struct Protections<'a> {
    policy: &'a Policy,
    context: &'a PathContext<'a>,
    shared: &'a SharedFacts,
    /// The protected files of this event, if its steps were used up before they were listed.
    guarded: OnceCell<Vec<Guarded>>,
    /// The components of their paths.
    names: OnceCell<ProtectedNames>,
    /// The number of times that a part of the list was made.
    parts: Cell<usize>,
    /// The home folder and our own files: a path above none of them is above no protected file.
    lowest: OnceCell<Vec<String>>,
}

/// The number of times that a part of the protected files is listed for one call. After that, the whole list is made once.
const PARTS: usize = 4;

impl<'a> Protections<'a> {
    pub(super) fn new(facts: &'a CallFacts<'a>) -> Self {
        Self {
            policy: facts.policy,
            context: &facts.context,
            shared: &facts.shared,
            guarded: OnceCell::new(),
            names: OnceCell::new(),
            parts: Cell::new(0),
            lowest: OnceCell::new(),
        }
    }

    /// Returns the opinion of `[protect]` on an atom; the strictest key wins.
    pub(super) fn protects(&self, atom: &Atom) -> Option<Protection> {
        match &atom.what {
            AtomKind::Path(path) => self.protects_path(path, atom.size()),
            AtomKind::Part(part) => {
                let opaque = part.part.opaque.as_ref().is_some_and(|_| names_change(&part.part.text));
                let ours = |program: &str| self.is_ours(program);
                (opaque || changes_protection(&part.part.words, &ours)).then(|| self.own(COMMAND)).flatten()
            }
            AtomKind::Text { changes_protection, .. } => changes_protection.then(|| self.own(COMMAND)).flatten(),
            _ => None,
        }
    }

    /// Protects the project root like snaphook's own files. If the root moves up, commands and allow rules
    /// reach further; if it moves down, a trusted project file above it no longer applies.
    fn keeps_root(&self, touched: &PathOperation<'_>) -> Option<Protection> {
        let moves = |(path, is_folder): &(String, bool)| {
            names(path, self.context).iter().any(|name| touched.makes_or_removes(name, *is_folder))
        };
        self.context.marks().iter().any(moves).then(|| self.own(ROOT)).flatten()
    }

    fn own(&self, why: &'static str) -> Option<Protection> {
        let says = self.policy.protect_own();
        (says != ProtectMode::Off).then_some(Protection { key: "protect.snaphook", says, why })
    }

    /// Returns true if a program path resolves to this program.
    fn is_ours(&self, program: &str) -> bool {
        let Some(binary) = self.policy.machine().program() else { return false };
        // Finding the folders reads the file system, so it is done only when needed.
        let whole = if let Some(rest) = program.strip_prefix("~/")
            && let Some(home) = self.context.home()
        {
            format!("{}/{rest}", home.written)
        } else if program.starts_with('/') {
            program.to_owned()
        } else if program.contains('/')
            && let Some(cwd) = self.context.cwd()
        {
            format!("{}/{program}", cwd.written)
        } else {
            return binary.file_name().is_some_and(|name| name == program);
        };
        self.context.resolve(&whole) == self.context.resolve(&text_of(binary))
    }

    fn protects_path(&self, path: &PathAtom, size: usize) -> Option<Protection> {
        if !path.act.changes() {
            return None;
        }
        let forms = path.forms(self.context);
        // The names of a path are looked for one by one.
        if !self.context.budget().spend(8 * size) {
            return None;
        }
        let steps = forms.iter().flat_map(|form| form.text().split('/').map(ListedName::new));
        let names: Vec<_> = steps.filter(|step| self.names().has(*step, self.policy.machine())).collect();
        if matches!(path.act, PathAct::Name | PathAct::Restrict) && names.is_empty() {
            return None;
        }
        let touched = PathOperation { forms, act: path.act, extent: path.extent() };
        let files = if touched.takes_whole() && self.may_be_above(&touched) {
            Cow::Borrowed(self.guarded())
        } else if names.is_empty() && !self.has_protected_links() {
            return self.keeps_root(&touched);
        } else {
            self.candidates(Wanted::Named(&names))
        };
        if !self.context.budget().spend(files.len() * size) {
            return None;
        }
        let found = files.iter().filter(|file| touched.reaches(file));
        let strictest = found.reduce(|first, other| if other.says > first.says { other } else { first });
        let found = strictest.map(|file| {
            let why = if file.covers == Covers::Holder { HOLDER } else { FILE };
            Protection { key: file.key, says: file.says, why }
        });
        found.or_else(|| self.keeps_root(&touched))
    }

    /// Returns true if a path with an unknown part could be a protected file (B11), or could contain one if
    /// everything below it may change.
    pub(super) fn could_protect(&self, path: &PathAtom) -> bool {
        // A folder in place of a policy file makes the policy unreadable.
        let folders = self.policy.failures().policy == OnFailure::Pass;
        if !path.act.changes() || (path.act == PathAct::Make && !folders) || !path.is_worth_guessing() {
            return false;
        }
        if path.extent() == Extent::Tree {
            return self.tree_may_hold(path.forms(self.context));
        }
        let below = matches!(path.extent(), Extent::Below | Extent::Folder);
        if below && !path.is_dynamic() && !FOLDS {
            let forms = path.forms(self.context).iter();
            let known = forms.map(|form| if let PathForm::Absolute(path) = form { Some(path) } else { None });
            // With all of it known there is nothing to guess.
            if let Some(paths) = known.collect::<Option<Vec<_>>>() {
                return paths.into_iter().any(|path| self.may_hold(path));
            }
        }
        // A file that is protected in every folder matters where agents look for it: in the working directory and
        // the folders above it, up to the project's.
        let bases = if below { self.context.up_to_root() } else { Vec::new() };
        let budget = self.context.budget();
        let could = |file: &Guarded| {
            let is_folder = file.covers == Covers::Folder;
            let at = |path_of_file: &str, anywhere| {
                let protected = ProtectedPath { path: path_of_file, is_folder, anywhere };
                path.could_be_one(|steps, extent| may_overlap_file(protected, steps, extent, budget), self.context)
            };
            match &file.place {
                GuardedPath::At(name, others) => std::iter::once(name).chain(others).any(|name| at(name, false)),
                GuardedPath::Anywhere(relative) if below && !bases.is_empty() => {
                    bases.iter().any(|base| at(&format!("{}/{relative}", base.trim_end_matches('/')), false))
                }
                // The working directory could be any folder.
                GuardedPath::Anywhere(_) if below => path.could_be_one(
                    |steps, _| steps.iter().any(|text| text.first() == Some(&Segment::Any)),
                    self.context,
                ),
                GuardedPath::Anywhere(relative) => at(relative, true),
            }
        };
        if !path.is_itself() || !budget.spend(64) {
            return self.guarded().iter().any(could);
        }
        let may_have = |name: &str| {
            path.could_be_one(
                |paths, _| paths.iter().any(|path| path.iter().any(|step| step.may_be(name))),
                self.context,
            )
        };
        self.candidates(Wanted::With(&may_have)).iter().any(could)
    }

    /// Returns true if the working tree that a path is in may have a protected file. Of an unknown tree it may.
    fn tree_may_hold(&self, forms: &[PathForm]) -> bool {
        let machine = self.policy.machine();
        let marked =
            |folder: &&Path| [".git", ".hg", ".svn", ".jj"].iter().any(|mark| machine.exists(&folder.join(mark)));
        forms.iter().any(|form| {
            let PathForm::Absolute(path) = form else { return !self.guarded().is_empty() };
            let root = Path::new(path).ancestors().find(marked).and_then(Path::to_str);
            root.map_or(!self.guarded().is_empty(), |root| self.may_hold(root))
        })
    }

    /// Returns true if a protected file may be below an absolute path.
    fn may_hold(&self, path: &str) -> bool {
        let bases = self.context.up_to_root();
        self.guarded().iter().any(|file| match &file.place {
            GuardedPath::At(name, others) => within(name, path) || others.iter().any(|name| within(name, path)),
            GuardedPath::Anywhere(file) => bases
                .iter()
                .any(|base| within(base, path) || relative(path, base).is_some_and(|rest| within(file, rest))),
        })
    }

    /// Returns true if a protected file may be below a path that has none of their names, provided that no link leads to
    /// one.
    fn may_be_above(&self, touched: &PathOperation<'_>) -> bool {
        let lowest = self.lowest.get_or_init(|| {
            let home = self.context.home().into_iter().flat_map(Dir::forms).map(str::to_owned);
            let own = self.policy.own_paths().flat_map(|own| names(&text_of(&own), self.context));
            home.chain(own).collect()
        });
        touched.forms.iter().any(|form| {
            let PathForm::Absolute(path) = form else { return true };
            path == "/" || lowest.iter().any(|below| within(below, path))
        })
    }

    /// Returns true if a protected path, or a folder on the way to it, may be a symbolic link.
    fn has_protected_links(&self) -> bool {
        if let Some(known) = self.shared.has_protected_links.get() {
            return *known;
        }
        let found = self.policy.may_link_protected(&|path| self.context.entry(path));
        // Without steps the lookups fail, so the result is not shared.
        if self.context.budget().is_spent() { found } else { *self.shared.has_protected_links.get_or_init(|| found) }
    }

    fn names(&self) -> &ProtectedNames {
        self.names.get_or_init(|| self.policy.protected_names())
    }

    fn guarded(&self) -> &[Guarded] {
        if let Some(known) = self.guarded.get().or_else(|| self.shared.guarded.get()) {
            return known;
        }
        let found = guarded(self.policy, self.context, Wanted::All);
        // Without steps the lookups fail, so the result is not shared.
        if self.context.budget().is_spent() {
            self.guarded.get_or_init(|| found)
        } else {
            self.shared.guarded.get_or_init(|| found)
        }
    }

    /// The selected protected files; all of them if a link may lead to one under another name.
    fn candidates(&self, wanted: Wanted<'_>) -> Cow<'_, [Guarded]> {
        let parts = self.parts.replace(self.parts.get() + 1);
        if parts >= PARTS || self.has_protected_links() {
            return Cow::Borrowed(self.guarded());
        }
        Cow::Owned(guarded(self.policy, self.context, wanted))
    }
}

/// An operation on a path.
struct PathOperation<'a> {
    forms: &'a [PathForm],
    act: PathAct,
    extent: Extent,
}

impl PathOperation<'_> {
    /// Returns true if everything below the path is removed with it.
    fn takes_whole(&self) -> bool {
        self.act.takes_all() && self.extent == Extent::Itself
    }

    fn reaches(&self, file: &Guarded) -> bool {
        let holder = file.covers == Covers::Holder;
        // Creating an empty folder replaces nothing.
        if self.act == PathAct::Make && holder {
            return false;
        }
        // An unknown file below a path is certainly protected only if the whole folder is.
        if self.extent == Extent::Below && file.covers == Covers::File {
            return false;
        }
        match &file.place {
            GuardedPath::At(name, others) => {
                self.is(name, file.covers) || others.iter().any(|name| self.is(name, file.covers))
            }
            GuardedPath::Anywhere(path) => self.ends(path, file.covers),
        }
    }

    /// Returns true if this absolute path is touched, or a parent folder is removed.
    fn is(&self, name: &str, covers: Covers) -> bool {
        let whole = self.takes_whole();
        self.forms.iter().any(|form| match (form, covers) {
            (PathForm::Absolute(path), Covers::Folder) => {
                (within(path, name) && !(self.act == PathAct::Make && path == name)) || (whole && within(name, path))
            }
            (PathForm::Absolute(path), _) => path == name || (whole && within(name, path)),
            (PathForm::Below(folder), Covers::Folder) => within(folder, name),
            (PathForm::Below(folder), Covers::Holder) => folder == name,
            (PathForm::Below(_), Covers::File) => false,
            (PathForm::Unanchored(path), Covers::Folder) => {
                Path::new(path).ancestors().filter_map(Path::to_str).any(|above| trails(name, above))
            }
            (PathForm::Unanchored(path), _) => trails(name, path),
        })
    }

    /// Returns true if this absolute path is created or removed; for a folder, also if its content is.
    fn makes_or_removes(&self, name: &str, is_folder: bool) -> bool {
        let whole = self.takes_whole();
        self.forms.iter().any(|form| match form {
            PathForm::Absolute(path) => {
                path == name || (is_folder && within(path, name)) || (whole && within(name, path))
            }
            PathForm::Below(folder) => is_folder && within(folder, name),
            PathForm::Unanchored(path) if is_folder => {
                Path::new(path).ancestors().filter_map(Path::to_str).any(|above| trails(name, above))
            }
            PathForm::Unanchored(path) => trails(name, path),
        })
    }

    /// Returns true if this relative path is touched in any folder.
    fn ends(&self, relative: &str, covers: Covers) -> bool {
        let made = self.act == PathAct::Make;
        self.forms.iter().any(|form| {
            let path = form.text();
            match covers {
                Covers::File => ends_with(path, relative) && !matches!(form, PathForm::Below(_)),
                Covers::Holder => ends_with(path, relative),
                Covers::Folder => steps(path).any(|rest| within(rest, relative) && !(made && rest == relative)),
            }
        })
    }
}

/// Returns true if a path ends with these components.
fn ends_with(path: &str, steps: &str) -> bool {
    path.strip_suffix(steps).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The suffixes of a path that start at each component.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(slash, _)| slash + 1);
    std::iter::once(0).chain(starts).filter_map(|start| path.get(start..))
}

/// Returns true if a relative path with an unknown base could be this file; it must have at least two
/// components.
fn trails(file: &str, path: &str) -> bool {
    path.contains('/') && Path::new(file).ends_with(path)
}
