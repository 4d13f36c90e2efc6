//! `[protect]`: our own files and the agents' settings, against writes by tools.

use std::path::{Path, PathBuf};

use snaphook_adapters::protocol::{ConfigFile, Holds};

use super::atoms::{Atom, What};
use crate::policy::Policy;
use crate::policy::load::PROJECT_FILE;
use crate::policy::path::{Dir, Form, Ground, Target, text_of, within};
use crate::policy::settings::Guarding;

/// Names the key of `[protect]` that speaks about an atom, and what it says.
pub(super) fn protects(policy: &Policy, atom: &Atom, ground: &Ground) -> Option<(&'static str, Guarding)> {
    let What::Path(path) = &atom.what else { return None };
    if !path.act.changes() {
        return None;
    }
    let (own, agents) = (policy.user.protect_own, policy.user.protect_agents);
    let touched = Touched { forms: path.forms(ground), whole: path.act.takes_all(), ground };
    if own != Guarding::Off && (touched.ours(policy) || touched.configured(policy, Holds::Hooks)) {
        return Some(("protect.snaphook", own));
    }
    if agents != Guarding::Off && touched.configured(policy, Holds::Settings) {
        return Some(("protect.agents", agents));
    }
    None
}

/// The files that are protected, for paths of which something is not known (B11).
pub(super) fn targets(policy: &Policy, ground: &Ground) -> Vec<Target> {
    let mut targets = Vec::new();
    let mut add = |file: &str, is_folder: bool| match file.strip_prefix("~/") {
        Some(rest) => match ground.home() {
            Some(home) => targets.extend(home.forms().map(|home| Target::new(&format!("{home}/{rest}"), is_folder))),
            None => targets.push(Target::new(rest, is_folder)),
        },
        None if file.starts_with('/') => {
            targets.extend(Dir::new(file).forms().map(|file| Target::new(file, is_folder)));
        }
        None => targets.push(Target::new(file, is_folder)),
    };
    let (own, agents) = (policy.user.protect_own != Guarding::Off, policy.user.protect_agents != Guarding::Off);
    if own {
        add(PROJECT_FILE, false);
        our_files(policy).for_each(|file| add(&text_of(&file), false));
        policy.places.own_folders().for_each(|folder| add(&text_of(&folder), true));
    }
    let held = |file: &&ConfigFile| if file.holds == Holds::Hooks { own } else { agents };
    for agent in &policy.agents {
        for file in agent.registration.files.iter().filter(held) {
            let (path, is_folder) = file.path.strip_suffix("/*").map_or((file.path, false), |path| (path, true));
            add(path, is_folder);
            policy.places.moved(agent, path).into_iter().for_each(|path| add(&text_of(&path), is_folder));
        }
    }
    targets
}

/// The files that say what we do.
fn our_files(policy: &Policy) -> impl Iterator<Item = PathBuf> {
    let places = &policy.places;
    let files = places.user_files().into_iter().chain(places.policy.clone()).chain(places.binary().map(Path::to_owned));
    files.chain(places.trust_file()).chain(policy.user.audit.file.clone()).chain(policy.user.source.path.clone())
}

struct Touched<'a> {
    forms: &'a [Form],
    /// Whether what lies below goes too.
    whole: bool,
    ground: &'a Ground,
}

impl Touched<'_> {
    fn ours(&self, policy: &Policy) -> bool {
        if self.forms.iter().any(|form| form.text().rsplit('/').next() == Some(PROJECT_FILE)) {
            return true;
        }
        our_files(policy).map(|file| text_of(&file)).any(|file| self.is(&file))
            || policy.places.own_folders().any(|folder| self.is_in(&text_of(&folder)))
    }

    fn configured(&self, policy: &Policy, holds: Holds) -> bool {
        let files =
            policy.agents.iter().flat_map(|agent| agent.registration.files.iter().map(move |file| (agent, file)));
        files.filter(|(_, file)| file.holds == holds).any(|(agent, file)| {
            let moved = || policy.places.moved(agent, file.path);
            self.names(file.path) || moved().is_some_and(|path| self.names(&text_of(&path)))
        })
    }

    /// Whether a path as registration rows write it is touched.
    fn names(&self, path: &str) -> bool {
        let (path, every) = match path.strip_suffix("/*") {
            Some(folder) => (folder, true),
            None => (path, false),
        };
        if let Some(rest) = path.strip_prefix("~/") {
            let Some(home) = self.ground.home() else { return self.ends(rest, every) };
            let path = format!("{}/{rest}", home.written);
            return if every { self.is_in(&path) } else { self.is(&path) };
        }
        match path.starts_with('/') {
            true if every => self.is_in(path),
            true => self.is(path),
            false => self.ends(path, every),
        }
    }

    /// Whether the file is touched, or a folder above it taken away.
    fn is(&self, file: &str) -> bool {
        let file = Dir::new(file);
        self.paths().any(|path| file.forms().any(|file| path == file || (self.whole && within(file, path))))
            || self.loose().any(|path| trails(&file.written, path))
    }

    /// Whether something in the folder is touched, or the folder taken away.
    fn is_in(&self, folder: &str) -> bool {
        let dir = Dir::new(folder);
        self.paths().any(|path| dir.forms().any(|dir| within(path, dir) || (self.whole && within(dir, path))))
            || self.loose().any(|path| {
                Path::new(path).ancestors().filter_map(Path::to_str).any(|above| trails(&dir.written, above))
            })
    }

    /// Whether a file of any project is touched.
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
