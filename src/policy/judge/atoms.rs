//! What a call is taken apart into before rules look at it (C2).

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use snaphook_adapters::model::{Action, McpName, Skill, ToolCall};

use super::skills::{Expanded, expanded};

use crate::policy::Policy;
use crate::policy::command::{Analysis, Base, Extent, Part, Place, Touch, Touched, Word, analyse, net_words};
use crate::policy::path::{Dir, Form, Ground, PathPattern, Start, Step, Tilde, could_be, forms, forms_of, starts};
use crate::policy::rule::host_of;
use crate::policy::steps::Steps;

/// The greatest length of a text that is not understood in which rules look for their words, in bytes. Systems
/// pass no program a longer one.
const LONGEST: usize = 1 << 20;

/// Holds one thing that rules are asked about.
#[derive(Debug)]
pub(super) struct Atom {
    pub(super) what: What,
    /// Judged by deny and ask alone; cannot make a pass of an allow.
    pub(super) watch_only: bool,
    /// Whether its silence counts all the same: nobody knows whether a deny or ask rule speaks about it.
    pub(super) withheld: Cell<bool>,
}

#[derive(Debug)]
pub(super) enum What {
    /// A simple command.
    Part(PartAtom),
    /// The members of a pipeline; judged by the patterns of pipelines alone (B9).
    Pipeline(Vec<Vec<Rc<Part>>>),
    /// A command that is not understood, or text typed into a running shell.
    Text {
        raw: String,
        words: Vec<String>,
        /// Whether it could not even be taken apart.
        torn: bool,
    },
    /// Commands that are run and cannot be read.
    Hidden {
        why: String,
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

/// Holds a simple command and the other ways to write it.
#[derive(Debug)]
pub(super) struct PartAtom {
    pub(super) part: Rc<Part>,
    /// Whether a rule can allow it (B7).
    pub(super) is_harmless: bool,
    spelled: OnceCell<Vec<String>>,
}

impl PartAtom {
    /// The text with the known expansions replaced (B4).
    pub(super) fn spelled(&self, ground: &Ground) -> &[String] {
        // The folders are looked up in the file system, so only where they are needed.
        if !self.part.has_spellings() {
            return &[];
        }
        self.spelled.get_or_init(|| {
            let [home, cwd] = [ground.home(), ground.cwd()].map(|dir| dir.map(|dir| dir.written.as_str()));
            self.part.spelled(home, cwd)
        })
    }
}

/// Holds something done to a path; its forms are made when a rule asks for them.
#[derive(Debug)]
pub(super) struct PathAtom {
    pub(super) act: PathAct,
    pub(super) path: String,
    /// Where a command named it; absent: an argument of a tool is the path.
    touched: Option<(Place, Rc<Vec<Base>>)>,
    extent: Extent,
    cwd: Option<String>,
    forms: OnceCell<Vec<Form>>,
    steps: OnceCell<Vec<Vec<Step>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAct {
    Read,
    List,
    Search,
    Write,
    Edit,
    /// A folder is made there, and no file is changed.
    Make,
    Delete,
    MoveFrom,
    MoveTo,
    /// A program that may change it has it among its words: for `[protect]` alone.
    Name,
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
            Self::Make => "Make folder",
            Self::Delete => "Delete",
            Self::MoveFrom => "Move from",
            Self::MoveTo => "Move to",
            Self::Name => "May change",
        }
    }
}

impl PathAtom {
    fn new(act: PathAct, path: String) -> Self {
        let (forms, steps) = (OnceCell::new(), OnceCell::new());
        Self { act, path, touched: None, extent: Extent::Itself, cwd: None, forms, steps }
    }

    /// Whether a command names a file and nobody knows which: no rule allows that (B11).
    pub(super) fn is_dynamic(&self) -> bool {
        self.touched.as_ref().is_some_and(|(place, bases)| place.is_dynamic(bases))
    }

    /// Whether it is certain that a command touches what stands there, and not only near it.
    pub(super) fn is_itself(&self) -> bool {
        self.extent == Extent::Itself
    }

    /// How much of the path is meant.
    pub(super) fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns true if an unknown part of it is worth a guess. Any word of any program may be a file, so that
    /// only globs in a known folder are, where a word does no more than name one.
    pub(super) fn is_worth_guessing(&self) -> bool {
        let known = |place: &Place, bases: &[Base]| {
            let folders = bases.iter().all(|base| matches!(base, Base::Own | Base::Dir(_)));
            folders && place.glob && place.tail.is_none() && !place.odd
        };
        self.act != PathAct::Name
            || !self.is_itself()
            || self.touched.as_ref().is_some_and(|(place, bases)| known(place, bases))
    }

    /// Whether more may be touched than what is written.
    pub(super) fn is_open(&self) -> bool {
        self.is_dynamic() || !self.is_itself()
    }

    /// Whether a pattern matches what nobody knows, if that is the right text.
    pub(super) fn could_match(&self, pattern: &PathPattern, ground: &Ground, own: Option<&Dir>) -> bool {
        self.could_be(ground).is_some_and(|steps| pattern.could_match(steps, self.extent, ground, own))
    }

    /// How the patterns begin that could match it if what nobody knows is the right text.
    pub(super) fn starts(&self, ground: &Ground) -> Vec<Start> {
        self.could_be(ground).map(|steps| starts(steps, self.extent, ground)).unwrap_or_default()
    }

    /// Whether it is one of some files if what nobody knows is the right text.
    pub(super) fn could_be_one(&self, is: impl Fn(&[Vec<Step>], Extent) -> bool, ground: &Ground) -> bool {
        self.could_be(ground).is_some_and(|steps| is(steps, self.extent))
    }

    /// What it could be; absent: nothing but what is written there.
    fn could_be(&self, ground: &Ground) -> Option<&[Vec<Step>]> {
        let touched = self.touched.as_ref().filter(|_| self.is_open());
        let (place, bases) = touched?;
        Some(self.steps.get_or_init(|| could_be(place, bases, self.cwd.as_deref(), ground)))
    }

    pub(super) fn forms(&self, ground: &Ground) -> &[Form] {
        let cwd = self.cwd.as_deref();
        self.forms.get_or_init(|| match &self.touched {
            Some((place, bases)) => forms_of(place, bases, cwd, ground),
            None => forms(&self.path, Tilde::Either, cwd, ground),
        })
    }
}

impl Atom {
    /// What it is, in words: for records and `why`.
    pub(super) fn words(&self, call: &ToolCall) -> String {
        let words = match &self.what {
            What::Part(atom) => format!("Bash: {}", atom.part.text),
            What::Pipeline(members) => {
                let first = |parts: &Vec<Rc<Part>>| parts.first().map_or(String::new(), |part| part.text.clone());
                format!("Bash: {}", members.iter().map(first).collect::<Vec<_>>().join(" | "))
            }
            What::Text { raw, .. } => format!("Bash, not understood: {raw}"),
            What::Hidden { why } => format!("Bash, not read: {why}"),
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

    /// The steps that it takes to ask one rule about it.
    pub(super) fn size(&self) -> usize {
        let length = match &self.what {
            What::Part(atom) => atom.part.text.len(),
            What::Text { raw, .. } => 2 * raw.len(),
            What::Path(path) => path.path.len() * path.touched.as_ref().map_or(1, |(_, bases)| bases.len()),
            What::Fetch { url: name, .. } | What::Agent(Some(name)) => name.len(),
            What::Mcp(McpName::Split { server, tool }) => server.len() + tool.len(),
            What::Mcp(McpName::Joined(name) | McpName::Bare(name)) => 4 * name.len(),
            What::Pipeline(_)
            | What::Mcp(_)
            | What::WebSearch
            | What::Agent(None)
            | What::Hidden { .. }
            | What::Other => 0,
        };
        1 + length / 64
    }

    /// Whether there is something about it that nobody knows.
    pub(super) fn is_open(&self) -> bool {
        match &self.what {
            What::Part(atom) => atom.part.words.iter().any(Word::is_dynamic),
            What::Path(path) => path.is_open(),
            _ => false,
        }
    }

    /// Whether it is worth telling where no rule speaks about it: what an operand names is not, and a
    /// text that is not understood is told by its word.
    pub(super) fn is_shown(&self) -> bool {
        match self.what {
            What::Part(_) => true,
            What::Text { .. } | What::Hidden { .. } | What::Pipeline(_) => false,
            _ => !self.watch_only,
        }
    }

    /// Whether it is a command that nobody understood, so that `[shell] not_understood` speaks (C6).
    pub(super) fn is_not_understood(&self) -> bool {
        matches!(self.what, What::Text { .. } | What::Hidden { .. }) && !self.watch_only
    }
}

/// Holds the atoms of a call and why some of it was not understood.
#[derive(Debug)]
pub(super) struct Atoms {
    pub(super) list: Vec<Atom>,
    pub(super) not_understood: Option<String>,
    /// Whether a limit was reached, so that there may be more than these.
    pub(super) cut: bool,
    /// Why the call is refused whatever rules say.
    pub(super) refused: Option<String>,
    /// Whether a command applies a patch, which an agent may do by itself.
    pub(super) patches: bool,
}

/// Takes a call apart.
pub(super) fn atoms(call: &ToolCall, policy: &Policy, ground: &Ground) -> Atoms {
    let list = Vec::with_capacity(call.actions.len());
    let mut taken = Atoms { list, not_understood: None, cut: false, refused: None, patches: false };
    let is_other = call.actions.contains(&Action::Other);
    // To take it apart has steps of its own, so that enough are left to ask rules about what was found.
    let steps = Steps::default();
    for action in &call.actions {
        taken.action(action, is_other, policy, &steps);
    }
    if let Some(skill) = &call.skill {
        taken.skill(skill, policy, ground, &steps);
    }
    if !call.likely.is_empty() {
        taken.likely(&call.likely, policy, &steps);
    }
    taken
}

impl Atoms {
    /// The commands of a skill, which the agent runs itself.
    fn skill(&mut self, skill: &Skill, policy: &Policy, ground: &Ground, steps: &Steps) {
        let Expanded { commands, unread } = expanded(skill, ground);
        for (text, shell) in commands {
            self.action(&Action::Shell { command: text.into(), cwd: None, shell }, false, policy, steps);
        }
        if let Some(why) = unread {
            let name = skill.names.first().map_or("", String::as_str);
            let why = format!("the commands of skill `{}`: {why}", snaphook_adapters::fit::cut(name, 60));
            self.not_understood.get_or_insert_with(|| why.clone());
            self.push(What::Hidden { why });
        }
    }

    /// What a tool that is not known may do: no rule has to allow it, and what is not understood of it may be
    /// no command at all.
    fn likely(&mut self, actions: &[Action], policy: &Policy, steps: &Steps) {
        let mut likely = Self { list: Vec::new(), not_understood: None, cut: false, refused: None, patches: false };
        for action in actions {
            likely.action(action, false, policy, steps);
        }
        for atom in &mut likely.list {
            atom.watch_only = true;
        }
        self.list.append(&mut likely.list);
        self.cut |= likely.cut;
    }

    fn action(&mut self, action: &Action, is_other: bool, policy: &Policy, steps: &Steps) {
        match action.clone() {
            Action::Shell { command, cwd, shell } => {
                let exported = |name: &str| policy.places.exports(name);
                let Analysis { parts, touched, pipelines, not_understood, torn, cut, raw, refused, patches } =
                    analyse(&command, shell, &policy.user.limits, &exported, steps);
                self.cut |= cut;
                self.patches |= patches;
                if let Some(why) = refused {
                    self.refused.get_or_insert(why);
                }
                for part in parts {
                    let is_harmless = part.is_harmless(policy.harmless_env());
                    let watch_only = part.watch_only;
                    let what = What::Part(PartAtom { part, is_harmless, spelled: OnceCell::new() });
                    self.list.push(Atom { what, watch_only, withheld: Cell::default() });
                }
                for touched in touched {
                    self.touched(touched, cwd.clone());
                }
                for members in pipelines {
                    self.list.push(Atom { what: What::Pipeline(members), watch_only: true, withheld: Cell::default() });
                }
                if let Some(why) = not_understood {
                    self.not_understood.get_or_insert(why);
                    self.text(raw, torn);
                }
            }
            Action::ShellInput { text } => {
                self.not_understood.get_or_insert_with(|| "typed into a running shell".to_owned());
                self.text(text, true);
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
            Action::Mcp(name) => {
                self.list.push(Atom { what: What::Mcp(name), watch_only: is_other, withheld: Cell::default() });
            }
            Action::Subagent { name } => self.push(What::Agent(name)),
            _ => self.push(What::Other),
        }
    }

    fn push(&mut self, what: What) {
        self.list.push(Atom { what, watch_only: false, withheld: Cell::default() });
    }

    fn path(&mut self, act: PathAct, path: String) {
        self.push(What::Path(PathAtom::new(act, path)));
    }

    fn touched(&mut self, touched: Touched, cwd: Option<String>) {
        let Touched { touch, shown, place, bases, watch_only, extent, .. } = touched;
        let act = match touch {
            Touch::Read => PathAct::Read,
            Touch::Write => PathAct::Write,
            Touch::Make => PathAct::Make,
            Touch::Delete => PathAct::Delete,
            Touch::MoveFrom => PathAct::MoveFrom,
            Touch::MoveTo => PathAct::MoveTo,
            Touch::Name => PathAct::Name,
        };
        let atom = PathAtom { touched: Some((place, bases)), extent, cwd, ..PathAtom::new(act, shown) };
        self.list.push(Atom { what: What::Path(atom), watch_only, withheld: Cell::default() });
    }

    fn text(&mut self, mut raw: String, torn: bool) {
        if raw.len() > LONGEST {
            raw.truncate(raw.floor_char_boundary(LONGEST));
            self.cut = true;
        }
        let words = net_words(&raw);
        self.push(What::Text { raw, words, torn });
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
