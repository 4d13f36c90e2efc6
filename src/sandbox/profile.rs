//! The sandbox profile of one command, with resolved paths.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use foldhash::fast::FixedState;
use snaphook_policy::{
    Folders, HideEntry, Network, PathContext, SandboxPath, SandboxPolicy, is_marked, key_files, resolve, text_of,
};

use super::mountinfo::Mounts;
use crate::policy::{LoadedPolicy, LocalFiles};

/// The sandbox profile of one command. Every path exists and contains no links.
#[derive(Debug)]
pub(crate) struct Profile {
    /// The working directory of the command.
    pub(crate) cwd: PathBuf,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only namespaces of Linux need it"))]
    pub(crate) home: Option<PathBuf>,
    /// The writable paths, parents first.
    pub(crate) write: Vec<PathBuf>,
    /// The hidden paths below writable paths.
    pub(crate) hide_inside: Vec<PathBuf>,
    /// The other hidden paths.
    pub(crate) hide_outside: Vec<PathBuf>,
    /// The other hidden paths that do not exist.
    pub(crate) absent: Vec<PathBuf>,
    /// The read-only paths below writable paths (S10), parents first.
    pub(crate) read_only: Vec<PathBuf>,
    /// The paths that must not be moved: the folders between a writable path and a read-only one, and project markers.
    pub(crate) pinned: Vec<PathBuf>,
    pub(crate) network: Network,
    pub(crate) mounts: Mounts,
}

/// The default writable paths of a command that starts in `cwd`, and `cwd` itself.
pub(super) fn default_roots(policy: &LoadedPolicy, cwd: &Path, project: &Path) -> Vec<PathBuf> {
    let places = policy.places();
    let context = PathContext::new(Folders::at(Some(&text_of(project))), policy.machine());
    let root = context.root().map(|root| PathBuf::from(&root.resolved));
    let home = context.home().map(|home| PathBuf::from(&home.resolved));
    let temps = places.temps.iter().filter_map(|temp| Path::new(temp).canonicalize().ok());
    let folders = root.into_iter().chain([cwd.to_owned()]).filter(|folder| is_project(folder, home.as_deref()));
    folders.chain(temps).collect()
}

/// Returns false for the home folder and its ancestors, which are not writable as a project.
fn is_project(path: &Path, home: Option<&Path>) -> bool {
    path.parent().is_some() && home.is_none_or(|home| !home.starts_with(path))
}

impl Profile {
    /// Creates the profile for a command that starts in `cwd`, in a session that was started in `project`.
    pub(crate) fn new(
        policy: &LoadedPolicy,
        sandbox: &SandboxPolicy<'_>,
        cwd: PathBuf,
        project: &Path,
    ) -> Result<Self, String> {
        let places = policy.places();
        let context = PathContext::new(Folders::at(Some(&text_of(project))), policy.machine());
        let root = context.root().map_or_else(|| project.to_owned(), |root| PathBuf::from(&root.resolved));
        let home = context.home().map(|home| PathBuf::from(&home.resolved));
        let is_project = |path: &Path| is_project(path, home.as_deref());
        // Paths of the policy that lead through links.
        let bases = [context.cwd().filter(|_| sandbox.is_relative()), context.home()].into_iter().flatten();
        let elsewhere = bases.filter(|base| base.written != base.resolved);
        let mut named: Vec<PathBuf> = elsewhere.map(|base| PathBuf::from(&base.written)).collect();
        let mut look = Lookups::default();
        let mut led = |look: &mut Lookups, path: &Path| {
            let found = look.up(path);
            if matches!(&found, ResolvedPath::At(found) if found != path) {
                named.push(path.to_owned());
            }
            found
        };
        let mounts = Mounts::read()?;
        let (mut hidden, mut absent) = (Vec::new(), Vec::new());
        for path in hidden_paths(sandbox, &context)? {
            match led(&mut look, &path) {
                ResolvedPath::At(found) => hidden.push(found),
                ResolvedPath::Absent(path) => {
                    absent.extend(mounts.others_of_absent(&path));
                    absent.push(path);
                }
            }
        }
        // Each with the other paths of the same files.
        let hidden: Vec<Vec<PathBuf>> = outermost(hidden).into_iter().map(|path| everywhere(&mounts, path)).collect();
        if hidden.iter().flatten().any(|path| path.parent().is_none()) {
            return Err(
                "sandbox.hide: a path resolves to the root directory, without which no program can run".to_owned()
            );
        }
        let mut write: Vec<PathBuf> = match sandbox.write {
            None => std::iter::once(root.clone())
                .filter(|root| is_project(root))
                .chain(places.temps.iter().map(PathBuf::from))
                .collect(),
            Some((write, own)) => {
                let resolved = |place: &SandboxPath| {
                    let why = || format!("sandbox.write: `{}` cannot be resolved: HOME is not set", place.text);
                    Ok((place.is_base(), place.resolve(&context, own).ok_or_else(why)?))
                };
                let write = write.iter().map(resolved).collect::<Result<Vec<_>, String>>()?;
                write.into_iter().filter(|(base, path)| !base || is_project(path)).map(|(_, path)| path).collect()
            }
        };
        // Nested paths are dropped before links are followed, because a command could have replaced one by a link.
        write = outermost(write).iter().filter_map(|path| led(&mut look, path).found()).collect();
        write.retain(|path| !hidden.iter().flatten().any(|hidden| path.starts_with(hidden)));
        let write = outermost(write);
        let inside = |path: &Path| write.iter().any(|root| path.starts_with(root));
        // Landlock grants access to a folder, not to a path: a folder that is writable at one path is writable at all.
        let (hide_inside, hide_outside): (Vec<_>, Vec<_>) =
            hidden.into_iter().partition(|paths| paths.iter().any(|path| inside(path)));
        let (hide_inside, hide_outside) = (outermost(hide_inside.concat()), outermost(hide_outside.concat()));
        absent.retain(|path| !inside(path) && !hide_outside.iter().any(|hidden| path.starts_with(hidden)));
        let mut profile = Self {
            cwd,
            home: home.clone(),
            write,
            hide_inside,
            hide_outside,
            absent,
            read_only: Vec::new(),
            pinned: Vec::new(),
            network: sandbox.network,
            mounts,
        };
        refuse_hard_links(profile.hide_inside.iter().chain(&profile.hide_outside), "read")?;
        named.extend(profile.protect(policy, &root, &mut look)?);
        profile.refuse_links(&named)?;
        // Without the marker of this project, an enclosing project would be found instead.
        if root.ancestors().skip(1).any(|folder| is_project(folder) && is_marked(folder, &LocalFiles)) {
            let mark = [".git", ".snaphook.toml"].map(|name| root.join(name)).into_iter().find(|mark| mark.exists());
            profile.pinned.extend(mark.filter(|mark| profile.root_of(mark).is_some()));
        }
        Ok(profile)
    }

    /// Protects the files of snaphook and of the agents below writable paths. Returns the paths of snaphook that lead
    /// through links.
    fn protect(&mut self, policy: &LoadedPolicy, root: &Path, look: &mut Lookups) -> Result<Vec<PathBuf>, String> {
        let mut folders: Vec<&Path> = self.cwd.ancestors().chain(root.ancestors()).collect();
        folders.retain(|folder| *folder == root || *folder == self.cwd || self.root_of(folder).is_some());
        folders.sort();
        folders.dedup();
        // The folders of snaphook affect decisions, so a command must not create a missing one.
        let own = policy.own_folders().into_iter().map(|own| PathBuf::from(resolve(&text_of(&own), &LocalFiles)));
        for own in own.filter(|own| self.root_of(own).is_some() && !own.exists()) {
            // If this fails, no command of the same user can create the folder either.
            let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&own);
            *look = Lookups::default();
        }
        let (mut guarded, mut named) = (Vec::new(), Vec::new());
        for (file, is_ours) in policy.protected_files(&folders) {
            // Most of these folders do not exist.
            let Some(ResolvedPath::At(folder)) = file.parent().map(|above| look.up(above)) else { continue };
            if let ResolvedPath::At(found) = look.up(&file) {
                guarded.push(found.clone());
                if is_ours {
                    named.extend((found != file).then_some(file));
                    continue;
                }
            }
            // A missing file cannot be protected itself, so its folder is. The folder of an agent is always protected:
            // if its permissions were changed, the agent could not read it and would start without hooks.
            let used = |folder: &Path| self.write.iter().chain([&self.cwd]).any(|path| path.starts_with(folder));
            guarded.extend((!used(&folder)).then_some(folder));
        }
        guarded.sort();
        guarded.dedup();
        let is_inside = |path: &PathBuf| self.root_of(path).is_some_and(|root| root != path || path.is_file());
        let guarded = guarded.into_iter().map(|path| everywhere(&self.mounts, path));
        let guarded = guarded.filter(|paths| paths.iter().any(is_inside)).flatten().collect::<Vec<_>>();
        refuse_hard_links(&guarded, "changed")?;
        self.read_only = outermost(guarded);
        let mut pinned: Vec<PathBuf> = Vec::new();
        for path in self.read_only.iter().chain(&self.hide_inside) {
            let root = self.root_of(path);
            let above = path.ancestors().skip(1).take_while(|folder| root.is_some_and(|root| *folder != root));
            pinned.extend(above.map(Path::to_owned));
        }
        pinned.sort();
        pinned.dedup();
        self.pinned = pinned;
        Ok(named)
    }

    /// Refuses paths that lead through a link in a writable folder, because a command could have changed the link.
    fn refuse_links(&self, named: &[PathBuf]) -> Result<(), String> {
        for path in named {
            let mut links = super::links::on_the_way(path).into_iter();
            if let Some(link) = links.find(|link| link.parent().is_some_and(|folder| self.may_write(folder))) {
                return Err(format!(
                    "{} leads through the link {} in a writable folder, so a command could redirect it; use the target of \
                     the link in the policy, or replace the link by its target",
                    path.display(),
                    link.display()
                ));
            }
        }
        Ok(())
    }

    /// Returns true if a path without links is writable.
    pub(crate) fn may_write(&self, path: &Path) -> bool {
        let guarded = self.read_only.iter().chain(&self.hide_inside);
        self.root_of(path).is_some() && !guarded.into_iter().any(|guarded| path.starts_with(guarded))
    }

    fn root_of(&self, path: &Path) -> Option<&Path> {
        self.write.iter().find(|root| path.starts_with(root)).map(PathBuf::as_path)
    }
}

/// Refuses files with several hard links, since the other names are unknown.
fn refuse_hard_links<'p>(paths: impl IntoIterator<Item = &'p PathBuf>, what: &str) -> Result<(), String> {
    for path in paths {
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.nlink() > 1) {
            return Err(format!(
                "{} has a hard link, through which it could still be {what}; replace it by a copy",
                path.display()
            ));
        }
    }
    Ok(())
}

/// A path and the other paths of the same files.
fn everywhere(mounts: &Mounts, path: PathBuf) -> Vec<PathBuf> {
    // An outer sandbox may have covered the path with a device.
    let kind = std::fs::symlink_metadata(&path).map(|found| found.file_type());
    let is_device = kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir());
    let others = if is_device { Vec::new() } else { mounts.others(&path) };
    std::iter::once(path).chain(others).collect()
}

fn hidden_paths(sandbox: &SandboxPolicy<'_>, context: &PathContext) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let (entries, own) = sandbox.hide.unwrap_or((&[HideEntry::Keys], None));
    for entry in entries {
        match entry {
            HideEntry::Keys => {
                let home = context.home().ok_or("sandbox.hide: `<keys>` cannot be found: HOME is not set")?;
                found.extend(key_files(Path::new(&home.resolved), &LocalFiles));
            }
            HideEntry::Path(place) => {
                let why = || format!("sandbox.hide: `{}` cannot be resolved: HOME is not set", place.text);
                found.extend(place.resolve_all(context, own).ok_or_else(why)?);
            }
        }
    }
    Ok(found)
}

/// Resolves paths with a cache, since many paths are resolved before every command.
#[derive(Default)]
struct Lookups {
    known: HashMap<PathBuf, ResolvedPath, FixedState>,
}

/// A path without links.
#[derive(Clone)]
enum ResolvedPath {
    At(PathBuf),
    /// It does not exist or cannot be reached.
    Absent(PathBuf),
}

impl ResolvedPath {
    fn found(self) -> Option<PathBuf> {
        match self {
            Self::At(path) => Some(path),
            Self::Absent(_) => None,
        }
    }
}

impl Lookups {
    fn up(&mut self, path: &Path) -> ResolvedPath {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let found = match path.parent().zip(path.file_name()) {
            Some((above, name)) => match self.up(above) {
                ResolvedPath::Absent(above) => ResolvedPath::Absent(above.join(name)),
                ResolvedPath::At(above) => {
                    let path = above.join(name);
                    match std::fs::read_link(&path) {
                        Ok(_) => followed(&path),
                        // Not a link.
                        Err(error) if error.kind() == ErrorKind::InvalidInput => ResolvedPath::At(path),
                        Err(_) => ResolvedPath::Absent(path),
                    }
                }
            },
            None => followed(path),
        };
        self.known.insert(path.to_owned(), found.clone());
        found
    }
}

/// Follows a link as the kernel does.
fn followed(path: &Path) -> ResolvedPath {
    path.canonicalize()
        .map_or_else(|_| ResolvedPath::Absent(PathBuf::from(resolve(&text_of(path), &LocalFiles))), ResolvedPath::At)
}

/// The paths that are not below another one, sorted.
fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !kept.iter().any(|before| path.starts_with(before)) {
            kept.push(path);
        }
    }
    kept
}
