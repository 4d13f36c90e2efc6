//! `[protect]`: our own files and the agents' settings, against writes by tools.

use std::path::Path;

use super::Judging;
use super::atoms::{Atom, PathAct, PathAtom, What};
use crate::policy::Policy;
use crate::policy::path::{Dir, Form, Ground, could_be_in, relative, text_of, within};
use crate::policy::protected::Protected;
use crate::policy::settings::{Guarding, OnFailure};

/// Holds a file, or a folder with all in it, that is protected, as it is looked for.
#[derive(Debug)]
pub(super) struct Guarded {
    place: Place,
    is_folder: bool,
    key: &'static str,
    says: Guarding,
}

#[derive(Debug)]
enum Place {
    /// By each of its names.
    At(Vec<String>),
    /// In every folder.
    Anywhere(String),
}

/// What is protected. Commands touch few files, and those are looked for in here.
pub(super) fn guarded(policy: &Policy, ground: &Ground) -> Vec<Guarded> {
    let one = |Protected { path, is_folder, key, says, .. }: Protected| {
        let text = text_of(&path);
        let place = if path.is_absolute() { Place::At(names(&text, ground)) } else { Place::Anywhere(text) };
        Guarded { place, is_folder, key, says }
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
    /// Names the key of `[protect]` that speaks about an atom, and what it says.
    pub(super) fn protects(&self, atom: &Atom) -> Option<(&'static str, Guarding)> {
        let What::Path(path) = &atom.what else { return None };
        if !path.act.changes() {
            return None;
        }
        if !self.ground.steps().spend(self.guarded().len() * atom.size()) {
            return None;
        }
        let touched = Touched { forms: path.forms(self.ground), whole: path.act.takes_all() };
        let found = self.guarded().iter().find(|file| touched.reaches(file));
        found.map(|file| (file.key, file.says)).or_else(|| self.keeps_root(&touched))
    }

    /// Protects the root of the project as our own files are. One that moves up lets commands and allow rules reach
    /// further; one that moves down ends what a trusted project file above it says.
    fn keeps_root(&self, touched: &Touched<'_>) -> Option<(&'static str, Guarding)> {
        let says = self.policy.user.protect_own;
        let moves = |(path, is_folder): &(String, bool)| {
            names(path, self.ground).iter().any(|name| if *is_folder { touched.is_in(name) } else { touched.is(name) })
        };
        (says != Guarding::Off && self.ground.marks().iter().any(moves)).then_some(("protect.snaphook", says))
    }

    /// Whether a path may be one that is protected if what nobody knows of it is the right text (B11).
    pub(super) fn could_protect(&self, path: &PathAtom) -> bool {
        let budget = self.ground.steps();
        let could = |file: &Guarded| {
            let (names, anywhere) = match &file.place {
                Place::At(names) => (names.as_slice(), false),
                Place::Anywhere(path) => (std::slice::from_ref(path), true),
            };
            let one = |steps: &_, extent| {
                names.iter().any(|path| could_be_in(path, file.is_folder, anywhere, steps, extent, budget))
            };
            path.could_be_one(one, self.ground)
        };
        // A folder in the place of a policy is one that cannot be read.
        let folders = self.policy.failures().policy == OnFailure::Pass;
        let counts = path.act.changes() && (folders || path.act != PathAct::Make);
        counts && self.guarded().iter().any(could)
    }

    fn guarded(&self) -> &[Guarded] {
        self.guarded.get_or_init(|| guarded(self.policy, self.ground))
    }
}

struct Touched<'a> {
    forms: &'a [Form],
    /// Whether what lies below goes too.
    whole: bool,
}

impl Touched<'_> {
    fn reaches(&self, file: &Guarded) -> bool {
        match (&file.place, file.is_folder) {
            (Place::At(names), false) => names.iter().any(|name| self.is(name)),
            (Place::At(names), true) => names.iter().any(|name| self.is_in(name)),
            (Place::Anywhere(path), every) => self.ends(path, every),
        }
    }

    /// Whether the file is touched, or a folder above it taken away.
    fn is(&self, file: &str) -> bool {
        self.paths().any(|path| path == file || (self.whole && within(file, path)))
            || self.loose().any(|path| trails(file, path))
    }

    /// Whether something in the folder is touched, or the folder taken away.
    fn is_in(&self, dir: &str) -> bool {
        self.paths().any(|path| within(path, dir) || (self.whole && within(dir, path)))
            || self
                .loose()
                .any(|path| Path::new(path).ancestors().filter_map(Path::to_str).any(|above| trails(dir, above)))
    }

    /// Whether a file of any folder is touched.
    fn ends(&self, relative: &str, every: bool) -> bool {
        self.forms.iter().any(|form| {
            let path = Path::new(form.text());
            if every {
                path.ancestors().skip(1).any(|above| above.ends_with(relative))
            } else {
                path.ends_with(relative)
            }
        }) || (self.whole
            && Path::new(relative)
                .ancestors()
                .skip(1)
                .filter(|above| above.as_os_str().len() > 1)
                .any(|above| self.forms.iter().any(|form| Path::new(form.text()).ends_with(above))))
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().filter_map(|form| if let Form::Absolute(path) = form { Some(path.as_str()) } else { None })
    }

    fn loose(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().filter_map(|form| if let Form::Loose(path) = form { Some(path.as_str()) } else { None })
    }
}

/// Whether a relative path that nobody knows the base of could be this file: two steps at least.
fn trails(file: &str, path: &str) -> bool {
    path.contains('/') && Path::new(file).ends_with(path)
}
