//! The table `[sandbox]` of a policy: how commands are isolated.

use std::path::PathBuf;

use super::path::{Dir, PathContext, fold};
use super::rule::Rule;

/// One `[sandbox]` table. An absent key is taken from the next file, then from the default.
#[derive(Debug)]
#[non_exhaustive]
pub struct SandboxTable {
    /// The program that isolates.
    pub launcher: Launcher,
    /// True if a command that cannot be isolated is denied.
    pub required: Option<bool>,
    /// The writable paths.
    pub write: Option<Vec<SandboxPath>>,
    /// The unreadable paths.
    pub hide: Option<Vec<HideEntry>>,
    /// Network access.
    pub network: Option<Network>,
    /// The agents to which it applies; `None` for all.
    pub agents: Option<Vec<String>>,
    /// The commands to which it applies; `None` for all.
    pub only: Option<Vec<Rule>>,
    /// The offset of the table.
    pub at: usize,
}

/// The program that isolates a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launcher {
    /// snaphook itself, with Landlock and seccomp.
    Landlock,
    /// The program `bwrap`.
    Bwrap,
    /// The program `sandbox-exec` of macOS.
    Seatbelt,
    /// The user's launcher, with `{}` as the placeholder for the command.
    Template(Vec<String>),
}

impl Launcher {
    /// What a person should know before relying on this launcher.
    pub fn notice(&self) -> Option<&'static str> {
        let says = "the launcher seatbelt is unverified: no command has been run with it on a Mac";
        (*self == Self::Seatbelt).then_some(says)
    }
}

/// Network access of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Unrestricted.
    On,
    /// None.
    Off,
}

/// One path of the table and the directory it is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxPath {
    /// The path as written.
    pub text: String,
    anchor: PathBase,
    rest: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathBase {
    Root,
    Home,
    Project,
    Cwd,
}

/// One entry of `hide`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HideEntry {
    /// `<keys>`
    Keys,
    /// A path with all below it.
    Path(SandboxPath),
}

impl SandboxPath {
    /// Parses a path with the anchors of rules (P3). `Err` is a message without its location.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (anchor, rest) = match text {
            "" => return Err("is empty; write `/` for the project or `//tmp` for an absolute path".to_owned()),
            "~" => (PathBase::Home, ""),
            text => [("//", PathBase::Root), ("~/", PathBase::Home), ("/", PathBase::Project), ("./", PathBase::Cwd)]
                .into_iter()
                .find_map(|(start, anchor)| Some((anchor, text.strip_prefix(start)?)))
                .unwrap_or((PathBase::Cwd, text)),
        };
        if text.starts_with('<') {
            return Err(format!("`{text}`: unknown set; only `<keys>` is supported, and only in `hide`"));
        }
        if rest.contains(['*', '?', '[']) {
            return Err(format!(
                "`{text}` is a glob, which is not supported here; write the directory, which includes everything below it"
            ));
        }
        if rest.split('/').any(|step| step == "..") {
            return Err(format!("`{text}` contains `..`; write the resolved path"));
        }
        if rest.contains('\0') || rest.starts_with('~') {
            return Err(format!("invalid path `{text}`; write an absolute path, which begins with `//`"));
        }
        Ok(Self { text: text.to_owned(), anchor, rest: rest.to_owned() })
    }

    /// Resolves the path. Returns `None` if its base directory is unknown. `own` is the directory of the project file
    /// with the path. A relative path is relative to the session directory.
    pub fn resolve(&self, context: &PathContext, own: Option<&Dir>) -> Option<PathBuf> {
        let base = match self.anchor {
            PathBase::Root => "/",
            PathBase::Home => &context.home()?.resolved,
            PathBase::Project => &own.or_else(|| context.root())?.resolved,
            PathBase::Cwd => &context.session()?.resolved,
        };
        Some(PathBuf::from(fold(&format!("{base}/{}", self.rest))))
    }

    /// Resolves the path below the project root, the session directory and all its ancestors, so that the result holds
    /// even if a command creates or removes a project marker.
    pub fn resolve_all(&self, context: &PathContext, own: Option<&Dir>) -> Option<Vec<PathBuf>> {
        let first = self.resolve(context, own)?;
        let is_moved = self.anchor == PathBase::Project && own.is_none() && !self.is_base();
        let guards = context.guards().iter().filter(|_| is_moved);
        let more = guards.map(|dir| PathBuf::from(fold(&format!("{}/{}", dir.resolved, self.rest))));
        Some(std::iter::once(first).chain(more).collect())
    }

    /// Returns true if the path is the project directory or the working directory itself.
    pub fn is_base(&self) -> bool {
        matches!(self.anchor, PathBase::Project | PathBase::Cwd) && matches!(self.rest.as_str(), "" | ".")
    }

    /// Returns true if the path is the root directory.
    pub(crate) fn is_everything(&self) -> bool {
        self.anchor == PathBase::Root && self.rest.split('/').all(|step| matches!(step, "" | "."))
    }

    /// Returns true if the path is written like an absolute one, but is relative to the project.
    pub fn is_written_absolute(&self) -> bool {
        self.anchor == PathBase::Project && !self.rest.is_empty()
    }
}

/// The sandbox that applies to one agent, merged over all files.
#[derive(Debug)]
#[non_exhaustive]
pub struct SandboxPolicy<'p> {
    /// The program that isolates.
    pub launcher: &'p Launcher,
    /// True if a command that cannot be isolated is denied.
    pub required: bool,
    /// The writable paths.
    pub write: Option<(&'p [SandboxPath], Option<&'p Dir>)>,
    /// The unreadable paths.
    pub hide: Option<(&'p [HideEntry], Option<&'p Dir>)>,
    /// Network access.
    pub network: Network,
    /// The commands to which it applies; `None` for all.
    pub only: Option<(&'p [Rule], Option<&'p Dir>)>,
    /// True if a project file contributes to it.
    pub of_project: bool,
}

impl SandboxPolicy<'_> {
    /// Returns true if the accessible paths depend on the working directory of the command.
    pub fn is_relative(&self) -> bool {
        let relative = |place: &SandboxPath, own: Option<&Dir>| match place.anchor {
            PathBase::Root | PathBase::Home => false,
            PathBase::Project => own.is_none(),
            PathBase::Cwd => true,
        };
        let hidden = |(entries, own): (&[HideEntry], Option<&Dir>)| {
            entries.iter().any(|entry| matches!(entry, HideEntry::Path(place) if relative(place, own)))
        };
        self.write.is_none_or(|(write, own)| write.iter().any(|place| relative(place, own)))
            || self.hide.is_some_and(hidden)
    }
}

/// Merges the tables of the files that are applied in full; the user's takes precedence (F5). `agent` is `None` for any
/// caller.
pub(crate) fn merge<'p>(
    tables: &[(&'p SandboxTable, Option<&'p Dir>)],
    agent: Option<&str>,
) -> Option<SandboxPolicy<'p>> {
    let (first, _) = tables.first()?;
    let agents = tables.iter().find_map(|(table, _)| table.agents.as_ref());
    if let (Some(agents), Some(agent)) = (agents, agent)
        && !agents.iter().any(|id| id == agent)
    {
        return None;
    }
    Some(SandboxPolicy {
        launcher: &first.launcher,
        required: tables.iter().find_map(|(table, _)| table.required).unwrap_or(true),
        write: tables.iter().find_map(|(table, own)| Some((table.write.as_deref()?, *own))),
        hide: tables.iter().find_map(|(table, own)| Some((table.hide.as_deref()?, *own))),
        network: tables.iter().find_map(|(table, _)| table.network).unwrap_or(Network::On),
        only: tables.iter().find_map(|(table, own)| Some((table.only.as_deref()?, *own))),
        of_project: tables.iter().any(|(_, own)| own.is_some()),
    })
}
