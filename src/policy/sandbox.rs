//! What a policy says about isolating commands: the table `[sandbox]`.

use std::path::{Path, PathBuf};

use super::path::{Dir, Ground, fold};
use super::rule::Rule;

/// Holds one `[sandbox]` table; what it does not say is left to the next file, then to the default.
#[derive(Debug)]
pub(crate) struct SandboxTable {
    pub(crate) launcher: Launcher,
    pub(crate) required: Option<bool>,
    pub(crate) write: Option<Vec<Place>>,
    pub(crate) hide: Option<Vec<Hidden>>,
    pub(crate) network: Option<Network>,
    /// The agents it is for; absent: all.
    pub(crate) agents: Option<Vec<String>>,
    /// The commands it is for; absent: all.
    pub(crate) only: Option<Vec<Rule>>,
    pub(crate) at: usize,
}

/// Names what isolates a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Launcher {
    /// This program, with what the Linux kernel lets any process do to itself.
    Landlock,
    /// The program `bwrap`.
    Bwrap,
    /// A program of the user, with `{}` where the command belongs.
    Template(Vec<String>),
}

/// Says whether a command may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    On,
    Off,
}

/// Holds one path of the table, with what it is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// As written.
    pub(crate) text: String,
    anchor: Anchor,
    rest: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    Project,
    Cwd,
}

/// Holds one entry of `hide`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// `<keys>`
    Keys,
    Place(Place),
}

impl Place {
    /// Reads a path with the anchors of rules (P3); `Err` is the end of a message.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (anchor, rest) = match text {
            "" => return Err("is empty; `/` is the project, `//tmp` an absolute path".to_owned()),
            "~" => (Anchor::Home, ""),
            text => [("//", Anchor::Root), ("~/", Anchor::Home), ("/", Anchor::Project), ("./", Anchor::Cwd)]
                .into_iter()
                .find_map(|(start, anchor)| Some((anchor, text.strip_prefix(start)?)))
                .unwrap_or((Anchor::Cwd, text)),
        };
        if text.starts_with('<') {
            return Err(format!("`{text}`: the only set here is `<keys>`, in `hide`"));
        }
        if rest.contains(['*', '?', '[']) {
            return Err(format!("`{text}` is a glob; name the folder, all below it is meant"));
        }
        if rest.split('/').any(|step| step == "..") {
            return Err(format!("`{text}` has `..`; write where it leads"));
        }
        if rest.contains('\0') || rest.starts_with('~') {
            return Err(format!("`{text}` is no path that can be resolved; write it as an absolute path with `//`"));
        }
        Ok(Self { text: text.to_owned(), anchor, rest: rest.to_owned() })
    }

    /// The absolute path; `None` where what it is relative to is not known. `own` is the folder of
    /// the project file that it stands in. A relative path is meant from the folder of the session.
    pub(crate) fn resolve(&self, ground: &Ground, own: Option<&Dir>) -> Option<PathBuf> {
        let base = match self.anchor {
            Anchor::Root => "/",
            Anchor::Home => &ground.home()?.resolved,
            Anchor::Project => &own.or_else(|| ground.root())?.resolved,
            Anchor::Cwd => &ground.session()?.resolved,
        };
        Some(PathBuf::from(fold(&format!("{base}/{}", self.rest))))
    }

    /// Every path that is meant where it has to hold whatever a command makes of the project's marks: below the
    /// project root, and below the folder of the session and those above it.
    pub(crate) fn resolve_all(&self, ground: &Ground, own: Option<&Dir>) -> Option<Vec<PathBuf>> {
        let first = self.resolve(ground, own)?;
        let is_moved = self.anchor == Anchor::Project && own.is_none() && !self.is_base();
        let guards = ground.guards().iter().filter(|_| is_moved);
        let more = guards.map(|dir| PathBuf::from(fold(&format!("{}/{}", dir.resolved, self.rest))));
        Some(std::iter::once(first).chain(more).collect())
    }

    /// Whether it is the project or the working directory itself, wherever that is.
    pub(crate) fn is_base(&self) -> bool {
        matches!(self.anchor, Anchor::Project | Anchor::Cwd) && matches!(self.rest.as_str(), "" | ".")
    }

    /// Whether it is the root of all folders.
    pub(crate) fn is_everything(&self) -> bool {
        self.anchor == Anchor::Root && self.rest.split('/').all(|step| matches!(step, "" | "."))
    }

    /// Whether it is written like an absolute path and means one below the project.
    pub(crate) fn looks_absolute(&self) -> bool {
        self.anchor == Anchor::Project && !self.rest.is_empty() && Path::new(&self.text).exists()
    }
}

/// Holds what applies to one agent, over all files.
#[derive(Debug)]
pub(crate) struct Sandbox<'p> {
    pub(crate) launcher: &'p Launcher,
    pub(crate) required: bool,
    pub(crate) write: Option<(&'p [Place], Option<&'p Dir>)>,
    pub(crate) hide: Option<(&'p [Hidden], Option<&'p Dir>)>,
    pub(crate) network: Network,
    /// The commands it is for; absent: all.
    pub(crate) only: Option<(&'p [Rule], Option<&'p Dir>)>,
    /// Whether a project's file says any of it.
    pub(crate) of_project: bool,
}

impl Sandbox<'_> {
    /// Whether what may be written or read hangs on the folder that a command is started in.
    pub(crate) fn is_relative(&self) -> bool {
        let relative = |place: &Place, own: Option<&Dir>| match place.anchor {
            Anchor::Root | Anchor::Home => false,
            Anchor::Project => own.is_none(),
            Anchor::Cwd => true,
        };
        let hidden = |(entries, own): (&[Hidden], Option<&Dir>)| {
            entries.iter().any(|entry| matches!(entry, Hidden::Place(place) if relative(place, own)))
        };
        self.write.is_none_or(|(write, own)| write.iter().any(|place| relative(place, own)))
            || self.hide.is_some_and(hidden)
    }
}

/// Puts the tables of the files that count whole together, the user's first (F5). `agent` absent:
/// for whoever calls.
pub(crate) fn joined<'p>(tables: &[(&'p SandboxTable, Option<&'p Dir>)], agent: Option<&str>) -> Option<Sandbox<'p>> {
    let (first, _) = tables.first()?;
    let agents = tables.iter().find_map(|(table, _)| table.agents.as_ref());
    if let (Some(agents), Some(agent)) = (agents, agent)
        && !agents.iter().any(|id| id == agent)
    {
        return None;
    }
    Some(Sandbox {
        launcher: &first.launcher,
        required: tables.iter().find_map(|(table, _)| table.required).unwrap_or(true),
        write: tables.iter().find_map(|(table, own)| Some((table.write.as_deref()?, *own))),
        hide: tables.iter().find_map(|(table, own)| Some((table.hide.as_deref()?, *own))),
        network: tables.iter().find_map(|(table, _)| table.network).unwrap_or(Network::On),
        only: tables.iter().find_map(|(table, own)| Some((table.only.as_deref()?, *own))),
        of_project: tables.iter().any(|(_, own)| own.is_some()),
    })
}
