//! What a call is taken apart into before rules look at it (C2).

use std::cell::OnceCell;

use snaphook_adapters::model::{Action, McpName, ToolCall};

use crate::policy::command::{Analysis, Part, Touch, analyse, net_words, operands};
use crate::policy::path::{Form, Ground, Tilde, forms};
use crate::policy::rule::host_of;
use crate::policy::settings::Limits;

/// Holds one thing that rules are asked about.
#[derive(Debug)]
pub(super) struct Atom {
    pub(super) what: What,
    /// Judged by deny and ask alone; cannot make a pass of an allow.
    pub(super) watch_only: bool,
}

#[derive(Debug)]
pub(super) enum What {
    /// A simple command.
    Part(Part),
    /// A command that is not understood, or text typed into a running shell.
    Text {
        raw: String,
        words: Vec<String>,
    },
    Path(PathAtom),
    Fetch {
        url: String,
        host: OnceCell<Option<String>>,
    },
    WebSearch,
    Mcp(McpName),
    Agent(Option<String>),
    Other,
}

/// Holds something done to a path; its forms are made when a rule asks for them.
#[derive(Debug)]
pub(super) struct PathAtom {
    pub(super) act: PathAct,
    pub(super) path: String,
    tilde: Tilde,
    cwd: Option<String>,
    forms: OnceCell<Vec<Form>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAct {
    Read,
    List,
    Search,
    Write,
    Edit,
    Delete,
    MoveFrom,
    MoveTo,
}

impl PathAct {
    pub(super) fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::List | Self::Search)
    }

    /// Whether what lies below the path goes too.
    pub(super) fn takes_all(self) -> bool {
        matches!(self, Self::Delete | Self::MoveFrom)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::List => "List",
            Self::Search => "Search",
            Self::Write => "Write",
            Self::Edit => "Edit",
            Self::Delete => "Delete",
            Self::MoveFrom => "Move from",
            Self::MoveTo => "Move to",
        }
    }
}

impl PathAtom {
    fn new(act: PathAct, path: String) -> Self {
        Self { act, path, tilde: Tilde::Either, cwd: None, forms: OnceCell::new() }
    }

    pub(super) fn forms(&self, ground: &Ground) -> &[Form] {
        self.forms.get_or_init(|| forms(&self.path, self.tilde, self.cwd.as_deref(), ground))
    }
}

impl Atom {
    /// What it is, in words: for records and `why`.
    pub(super) fn words(&self, call: &ToolCall) -> String {
        let words = match &self.what {
            What::Part(part) => format!("Bash: {}", part.text),
            What::Text { raw, .. } => format!("Bash, not understood: {raw}"),
            What::Path(path) => format!("{}: {}", path.act.word(), path.path),
            What::Fetch { url, .. } => format!("WebFetch: {url}"),
            What::WebSearch => "WebSearch".to_owned(),
            What::Mcp(_) => format!("MCP tool: {}", call.name),
            What::Agent(Some(name)) => format!("Agent: {name}"),
            What::Agent(None) => "Agent".to_owned(),
            What::Other => format!("Tool: {}", call.name),
        };
        snaphook_adapters::fit::cut(&words, 300)
    }

    /// Whether it is a command that nobody understood, so that `[shell] not_understood` speaks (C6).
    pub(super) fn is_not_understood(&self) -> bool {
        matches!(self.what, What::Text { .. })
    }
}

/// Holds the atoms of a call and why some of it was not understood.
#[derive(Debug)]
pub(super) struct Atoms {
    pub(super) list: Vec<Atom>,
    pub(super) not_understood: Option<String>,
}

/// Takes a call apart.
pub(super) fn atoms(call: &ToolCall, limits: &Limits) -> Atoms {
    let mut taken = Atoms { list: Vec::with_capacity(call.actions.len()), not_understood: None };
    let is_other = call.actions.contains(&Action::Other);
    for action in &call.actions {
        taken.action(action, is_other, limits);
    }
    taken
}

impl Atoms {
    fn action(&mut self, action: &Action, is_other: bool, limits: &Limits) {
        match action.clone() {
            Action::Shell { command, cwd, shell } => {
                let Analysis { parts, not_understood, raw } = analyse(&command, shell, limits.command);
                for part in parts {
                    let touched = operands(&part);
                    self.push(What::Part(part));
                    for (touch, word) in touched {
                        let act = match touch {
                            Touch::Read => PathAct::Read,
                            Touch::Write => PathAct::Write,
                            Touch::Delete => PathAct::Delete,
                            Touch::MoveFrom => PathAct::MoveFrom,
                            Touch::MoveTo => PathAct::MoveTo,
                        };
                        let tilde = if word.tilde { Tilde::Home } else { Tilde::Itself };
                        let atom = PathAtom { tilde, cwd: cwd.clone(), ..PathAtom::new(act, word.value) };
                        self.list.push(Atom { what: What::Path(atom), watch_only: true });
                    }
                }
                if let Some(why) = not_understood {
                    self.not_understood.get_or_insert(why);
                    self.text(raw);
                }
            }
            Action::ShellInput { text } => {
                self.not_understood.get_or_insert_with(|| "typed into a running shell".to_owned());
                self.text(text);
            }
            Action::Read { path } => self.path(PathAct::Read, path),
            Action::Write { path } => self.path(PathAct::Write, path),
            Action::Edit { path } => self.path(PathAct::Edit, path),
            Action::Delete { path } => self.path(PathAct::Delete, path),
            Action::List { path } => self.path(PathAct::List, path),
            Action::Move { from, to } => {
                self.path(PathAct::MoveFrom, from);
                self.path(PathAct::MoveTo, to);
            }
            Action::Search { path, pattern } => self.path(PathAct::Search, searched(path, pattern)),
            Action::Fetch { url } => {
                if let Some(path) = file_of(&url) {
                    self.path(PathAct::Read, path);
                }
                self.push(What::Fetch { url, host: OnceCell::new() });
            }
            Action::WebSearch { .. } => self.push(What::WebSearch),
            // A name that may be an MCP tool or not is both, for deny and ask (N3).
            Action::Mcp(name) => self.list.push(Atom { what: What::Mcp(name), watch_only: is_other }),
            Action::Subagent { name } => self.push(What::Agent(name)),
            _ => self.push(What::Other),
        }
    }

    fn push(&mut self, what: What) {
        self.list.push(Atom { what, watch_only: false });
    }

    fn path(&mut self, act: PathAct, path: String) {
        self.push(What::Path(PathAtom::new(act, path)));
    }

    fn text(&mut self, raw: String) {
        let words = net_words(&raw);
        self.push(What::Text { raw, words });
    }
}

/// The root of a search with the file pattern joined to it (P6).
fn searched(path: String, pattern: Option<String>) -> String {
    match pattern {
        Some(pattern) if pattern.starts_with(['/', '~']) => pattern,
        Some(pattern) => format!("{}/{pattern}", path.trim_end_matches('/')),
        None => path,
    }
}

/// The path of a `file:` address.
fn file_of(url: &str) -> Option<String> {
    let scheme = url.trim_start().get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let parsed = url::Url::parse(url.trim()).ok()?;
    let path = parsed.to_file_path().map_or_else(|()| parsed.path().to_owned(), |path| path.display().to_string());
    Some(path)
}

/// The host of an address, read once.
pub(super) fn host<'a>(url: &str, cell: &'a OnceCell<Option<String>>) -> Option<&'a str> {
    cell.get_or_init(|| host_of(url)).as_deref()
}
