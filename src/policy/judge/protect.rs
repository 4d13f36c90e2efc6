//! `[protect]`: our own files and the agents' settings, against writes by tools, and the commands of ours that
//! change what protects the user.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use foldhash::fast::FixedState;

use super::Judging;
use super::atoms::{Atom, PathAct, PathAtom, What};
use crate::policy::Policy;
use crate::policy::command::{Extent, changes_protection, names_change};
use crate::policy::path::{Dir, FOLDS, Form, Ground, Step, could_be_in, relative, text_of, within};
use crate::policy::protected::{Covers, Protected};
use crate::policy::settings::{Guarding, OnFailure};

/// What `[protect]` says about one action.
#[derive(Debug, Clone, Copy)]
pub(super) struct Protection {
    pub(super) key: &'static str,
    pub(super) says: Guarding,
    /// Why it says so.
    pub(super) why: &'static str,
}

const FILE: &str = "a file that decides what hooks and agents may do";
const HOLDER: &str = "the folder of files that decide what hooks and agents may do";
const ROOT: &str = "what makes a folder the root of the project";
const COMMAND: &str = "the command changes what snaphook protects; run it yourself, in a terminal";

/// A protected file or folder, as it is looked for.
#[derive(Debug)]
pub(super) struct Guarded {
    place: Place,
    covers: Covers,
    key: &'static str,
    says: Guarding,
}

#[derive(Debug)]
enum Place {
    /// At any of these absolute paths.
    At(Vec<String>),
    /// At this relative path in every folder.
    Anywhere(String),
}

/// Lists what is protected. Commands touch few files, and those are looked for in here.
pub(super) fn guarded(policy: &Policy, ground: &Ground) -> Vec<Guarded> {
    let one = |Protected { path, extent, key, says, .. }: Protected| {
        let text = text_of(&path);
        let place = if path.is_absolute() { Place::At(names(&text, ground)) } else { Place::Anywhere(text) };
        Guarded { place, covers: extent, key, says }
    };
    policy.protected().into_iter().map(one).collect()
}

/// The names of a file: as it is written, where home leads, and where all of it leads.
fn names(path: &str, ground: &Ground) -> Vec<String> {
    let Dir { written, resolved } = ground.dir(path);
    let at_home =
        ground.home().and_then(|home| Some(format!("{}/{}", home.resolved, relative(&written, &home.written)?)));
    let mut names = vec![written];
    for name in at_home.into_iter().chain([resolved]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Judging<'_> {
    /// Returns what `[protect]` says about an atom; of several keys the strictest.
    pub(super) fn protects(&self, atom: &Atom) -> Option<Protection> {
        match &atom.what {
            What::Path(path) => self.protects_path(path, atom.size()),
            What::Part(part) => {
                let opaque = part.part.opaque.as_ref().is_some_and(|_| names_change(&part.part.text));
                let ours = |program: &str| self.is_ours(program);
                (opaque || changes_protection(&part.part.words, &ours)).then(|| self.own(COMMAND)).flatten()
            }
            What::Text { raw, .. } => names_change(raw).then(|| self.own(COMMAND)).flatten(),
            _ => None,
        }
    }

    /// Protects the root of the project as our own files are. One that moves up lets commands and allow rules reach
    /// further; one that moves down ends what a trusted project file above it says.
    fn keeps_root(&self, touched: &Touched<'_>) -> Option<Protection> {
        let moves = |(path, is_folder): &(String, bool)| {
            names(path, self.ground).iter().any(|name| touched.makes_or_removes(name, *is_folder))
        };
        self.ground.marks().iter().any(moves).then(|| self.own(ROOT)).flatten()
    }

    fn own(&self, why: &'static str) -> Option<Protection> {
        let says = self.policy.user.protect_own;
        (says != Guarding::Off).then_some(Protection { key: "protect.snaphook", says, why })
    }

    /// Returns true if the path of a program leads to this one.
    fn is_ours(&self, program: &str) -> bool {
        let Some(binary) = self.policy.places.binary() else { return false };
        let whole = match (program.strip_prefix("~/"), self.ground.home(), self.ground.cwd()) {
            (Some(rest), Some(home), _) => format!("{}/{rest}", home.written),
            _ if program.starts_with('/') => program.to_owned(),
            (_, _, Some(cwd)) if program.contains('/') => format!("{}/{program}", cwd.written),
            _ => return binary.file_name().is_some_and(|name| name == program),
        };
        self.ground.resolve(&whole) == self.ground.resolve(&text_of(binary))
    }

    fn protects_path(&self, path: &PathAtom, size: usize) -> Option<Protection> {
        let named = |form: &Form| form.text().split('/').any(|step| self.names().contains(step));
        let forms = path.forms(self.ground);
        if !path.act.changes() || (path.act == PathAct::Name && !forms.iter().any(named)) {
            return None;
        }
        if !self.ground.steps().spend(self.guarded().len() * size) {
            return None;
        }
        let touched = Touched { forms, act: path.act, extent: path.extent() };
        let found = self.guarded().iter().filter(|file| touched.reaches(file));
        let strictest = found.reduce(|first, other| if other.says > first.says { other } else { first });
        let found = strictest.map(|file| {
            let why = if file.covers == Covers::Holder { HOLDER } else { FILE };
            Protection { key: file.key, says: file.says, why }
        });
        found.or_else(|| self.keeps_root(&touched))
    }

    /// Returns true if a path may be a protected one when the unknown part of it is the right text (B11), or may
    /// hold one where everything below it may change.
    pub(super) fn could_protect(&self, path: &PathAtom) -> bool {
        // A folder in the place of a policy is one that cannot be read.
        let folders = self.policy.failures().policy == OnFailure::Pass;
        if !path.act.changes() || (path.act == PathAct::Make && !folders) || !path.is_worth_guessing() {
            return false;
        }
        if path.extent() == Extent::Tree {
            return self.tree_may_hold(path.forms(self.ground));
        }
        let below = matches!(path.extent(), Extent::Below | Extent::Folder);
        if below && !path.is_dynamic() && !FOLDS {
            let forms = path.forms(self.ground).iter();
            let known = forms.map(|form| if let Form::Absolute(path) = form { Some(path) } else { None });
            // With all of it known there is nothing to guess.
            if let Some(paths) = known.collect::<Option<Vec<_>>>() {
                return paths.into_iter().any(|path| self.may_hold(path));
            }
        }
        // A file that is protected in every folder matters where agents look for it: in the working directory and
        // the folders above it, up to the project's.
        let bases = if below { self.ground.up_to_root() } else { Vec::new() };
        let budget = self.ground.steps();
        let could = |file: &Guarded| {
            if file.covers == Covers::Holder && below {
                return false;
            }
            let folder = file.covers == Covers::Folder;
            let at = |name: &str, anywhere| {
                path.could_be_one(
                    |steps, extent| could_be_in(name, folder, anywhere, steps, extent, budget),
                    self.ground,
                )
            };
            match &file.place {
                Place::At(names) => names.iter().any(|name| at(name, false)),
                Place::Anywhere(relative) if below && !bases.is_empty() => {
                    bases.iter().any(|base| at(&format!("{}/{relative}", base.trim_end_matches('/')), false))
                }
                // The working directory may be any folder.
                Place::Anywhere(_) if below => {
                    path.could_be_one(|steps, _| steps.iter().any(|text| text.first() == Some(&Step::Any)), self.ground)
                }
                Place::Anywhere(relative) => at(relative, true),
            }
        };
        self.guarded().iter().any(could)
    }

    /// Returns true if the working tree that a path is in may have a protected file. Of an unknown tree it may.
    fn tree_may_hold(&self, forms: &[Form]) -> bool {
        let marked = |folder: &&Path| [".git", ".hg", ".svn", ".jj"].iter().any(|mark| folder.join(mark).exists());
        forms.iter().any(|form| {
            let Form::Absolute(path) = form else { return !self.guarded().is_empty() };
            let root = Path::new(path).ancestors().find(marked).and_then(Path::to_str);
            root.map_or(!self.guarded().is_empty(), |root| self.may_hold(root))
        })
    }

    /// Returns true if a protected file may be below an absolute path.
    fn may_hold(&self, path: &str) -> bool {
        let bases = self.ground.up_to_root();
        self.guarded().iter().filter(|file| file.covers != Covers::Holder).any(|file| match &file.place {
            Place::At(names) => names.iter().any(|name| within(name, path)),
            Place::Anywhere(_) if bases.is_empty() => false,
            Place::Anywhere(file) => bases
                .iter()
                .any(|base| within(base, path) || relative(path, base).is_some_and(|rest| within(file, rest))),
        })
    }

    fn names(&self) -> &HashSet<Cow<'static, str>, FixedState> {
        self.names.get_or_init(|| self.policy.protected_names())
    }

    fn guarded(&self) -> &[Guarded] {
        self.guarded.get_or_init(|| guarded(self.policy, self.ground))
    }
}

/// What a call does to a path.
struct Touched<'a> {
    forms: &'a [Form],
    act: PathAct,
    extent: Extent,
}

impl Touched<'_> {
    fn reaches(&self, file: &Guarded) -> bool {
        let holder = file.covers == Covers::Holder;
        // An empty folder replaces nothing.
        if self.act == PathAct::Make && holder {
            return false;
        }
        // What is written below a path is known to be protected only where all of that folder is.
        if self.extent == Extent::Below && file.covers == Covers::File {
            return false;
        }
        match &file.place {
            Place::At(names) => names.iter().any(|name| self.is(name, file.covers)),
            Place::Anywhere(path) => self.ends(path, file.covers),
        }
    }

    /// Returns true if this absolute path is touched, or a folder above it is taken away.
    fn is(&self, name: &str, covers: Covers) -> bool {
        let whole = self.act.takes_all() && self.extent == Extent::Itself;
        self.forms.iter().any(|form| match (form, covers) {
            (Form::Absolute(path), Covers::Folder) => {
                (within(path, name) && !(self.act == PathAct::Make && path == name)) || (whole && within(name, path))
            }
            (Form::Absolute(path), _) => path == name || (whole && within(name, path)),
            (Form::Below(folder), Covers::Folder) => within(folder, name),
            (Form::Below(folder), Covers::Holder) => folder == name,
            (Form::Below(_), Covers::File) => false,
            (Form::Loose(path), Covers::Folder) => {
                Path::new(path).ancestors().filter_map(Path::to_str).any(|above| trails(name, above))
            }
            (Form::Loose(path), _) => trails(name, path),
        })
    }

    /// Returns true if this absolute path comes to exist or ceases to; of a folder, also what lies in it.
    fn makes_or_removes(&self, name: &str, is_folder: bool) -> bool {
        let whole = self.act.takes_all() && self.extent == Extent::Itself;
        self.forms.iter().any(|form| match form {
            Form::Absolute(path) => path == name || (is_folder && within(path, name)) || (whole && within(name, path)),
            Form::Below(folder) => is_folder && within(folder, name),
            Form::Loose(path) if is_folder => {
                Path::new(path).ancestors().filter_map(Path::to_str).any(|above| trails(name, above))
            }
            Form::Loose(path) => trails(name, path),
        })
    }

    /// Returns true if this relative path is touched in any folder.
    fn ends(&self, relative: &str, covers: Covers) -> bool {
        self.forms.iter().any(|form| {
            let path = Path::new(form.text());
            match covers {
                Covers::File => path.ends_with(relative) && !matches!(form, Form::Below(_)),
                Covers::Holder => path.ends_with(relative),
                Covers::Folder => {
                    let made = usize::from(self.act == PathAct::Make);
                    path.ancestors().skip(made).any(|above| above.ends_with(relative))
                }
            }
        })
    }
}

/// Returns true if a relative path of an unknown folder could be this file: two steps at least.
fn trails(file: &str, path: &str) -> bool {
    path.contains('/') && Path::new(file).ends_with(path)
}
