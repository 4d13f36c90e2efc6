//! Splits a call into atoms, the units that rules match (C2).

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use snaphook_adapters::fit::one_paragraph;
use snaphook_adapters::model::{Action, McpName, Skill};

use super::skills::{Expanded, expanded};

use crate::command::{analyse, names_change};
use crate::path::{
    Dir, PathContext, PathForm, PathPattern, PossiblePaths, Segment, Tilde, WalkedFolder, forms, forms_of, is_known,
    known_folder, may_be_below, without_depth,
};
use crate::rule::host_of;
use crate::{Policy, PolicyCall};
use snaphook_shell::Budget;
use snaphook_shell::{Base, CommandPath, Extent, Part, RawWords, Script, Touch, Touched, Word};

/// The maximum length in bytes of what a reason quotes from a call.
const SUBJECT: usize = 80;

/// The longest description of an action, in bytes.
const SHOWN: usize = 300;

/// The steps that an action costs, so that a call with thousands of paths does not take hundreds of megabytes.
const ACTION: usize = 256;

/// One unit that rules match.
#[derive(Debug)]
pub(super) struct Atom {
    pub(super) what: AtomKind,
    /// True if only deny and ask rules match it; it then needs no allow rule.
    pub(super) watch_only: bool,
    /// True if the atom still prevents an allow although it needs no allow rule, because a deny or ask rule
    /// might match it.
    pub(super) withheld: Cell<bool>,
}

#[derive(Debug)]
pub(super) enum AtomKind {
    /// A simple command.
    Part(PartAtom),
    /// The members of a pipeline, matched only by pipeline patterns (B9).
    Pipeline(Vec<Vec<Rc<Part>>>),
    /// A command that is not understood, or text typed into a running shell.
    Text {
        /// The start of the text.
        shown: String,
        words: RawWords,
        /// True if it may have a snaphook command that changes protection.
        changes_protection: bool,
        /// True if the text could not be split into commands.
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

/// A simple command and its other spellings.
#[derive(Debug)]
pub(super) struct PartAtom {
    pub(super) part: Rc<Part>,
    /// The variables that an allow rule has to name (B7).
    pub(super) to_name: Vec<String>,
    spelled: OnceCell<Vec<String>>,
    /// The length of the program's name at the start of the text, if it has no other spelling.
    bare: Option<usize>,
}

impl PartAtom {
    fn new(part: Rc<Part>, to_name: Vec<String>) -> Self {
        let program = part.text.bytes().position(|byte| byte == b' ').unwrap_or(part.text.len());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        // Code in an argument is searched anywhere.
        let is_bare = part.opaque.is_none() && part.text.bytes().take(program).all(is_plain);
        Self { part, to_name, spelled: OnceCell::new(), bare: is_bare.then_some(program) }
    }

    /// The program, if its name has no other spelling.
    pub(super) fn bare_program(&self) -> Option<&str> {
        self.part.text.get(..self.bare?)
    }

    /// The text with the known expansions replaced (B4).
    pub(super) fn spelled(&self, context: &PathContext) -> &[String] {
        // The folders are looked up in the file system, so only where they are needed.
        if !self.part.has_spellings() {
            return &[];
        }
        self.spelled.get_or_init(|| {
            let [home, cwd] = [context.home(), context.cwd()].map(|dir| dir.map(|dir| dir.written.as_str()));
            self.part.spelled(home, cwd)
        })
    }
}

/// An operation on a path; its resolved forms are computed on first use.
#[derive(Debug)]
pub(super) struct PathAtom {
    pub(super) act: PathAct,
    pub(super) path: String,
    /// The place in the command that names it; absent if the path is an argument of a tool.
    touched: Option<(CommandPath, Rc<Vec<Base>>)>,
    extent: Extent,
    cwd: Option<String>,
    forms: OnceCell<Vec<PathForm>>,
    possible: OnceCell<PossiblePaths>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathAct {
    Read,
    List,
    Search,
    Write,
    Edit,
    /// Creates a folder and changes no file.
    Make,
    Delete,
    MoveFrom,
    MoveTo,
    /// A program that may change the path has it among its words.
    Name,
    /// The same, and the program only takes the rights of others away.
    Restrict,
    /// A program that may read the path has it among its words.
    MayRead,
}

impl PathAct {
    pub(super) fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::List | Self::Search | Self::MayRead)
    }

    /// Returns true if it is not known that the word is a path at all.
    pub(super) fn is_possible(self) -> bool {
        matches!(self, Self::Name | Self::Restrict | Self::MayRead)
    }

    /// Returns true if everything below the path is affected.
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
            Self::Name | Self::Restrict => "May change",
            Self::MayRead => "May read",
        }
    }

    fn participle(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::List => "listing",
            Self::Search => "searching",
            Self::Write => "writing",
            Self::Edit => "editing",
            Self::Make => "creating",
            Self::Delete => "deleting",
            Self::MoveFrom => "moving",
            Self::MoveTo => "moving a file to",
            Self::Name | Self::Restrict => "a command that may change",
            Self::MayRead => "a command that may read",
        }
    }
}

impl PathAtom {
    fn new(act: PathAct, path: String) -> Self {
        let (forms, possible) = (OnceCell::new(), OnceCell::new());
        Self { act, path, touched: None, extent: Extent::Itself, cwd: None, forms, possible }
    }

    /// Returns true if a command names a file that is unknown; no rule can allow it (B11).
    pub(super) fn is_dynamic(&self) -> bool {
        self.touched.as_ref().is_some_and(|(place, bases)| place.is_dynamic(bases))
    }

    /// Returns true if the command certainly touches this path, and not only files near it.
    pub(super) fn is_itself(&self) -> bool {
        self.extent == Extent::Itself
    }

    /// The part of the path that is affected.
    pub(super) fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns true if the unknown part of the path is worth matching. Any word of any program may be a file,
    /// so words that merely name a path count only if they are globs in a known folder.
    pub(super) fn is_worth_guessing(&self) -> bool {
        let known = |place: &CommandPath, bases: &[Base]| {
            let folders = bases.iter().all(|base| matches!(base, Base::Own | Base::Dir(_)));
            folders && place.glob && (place.tail.is_none() || place.found) && !place.may_alias
        };
        !self.act.is_possible()
            || !self.is_itself()
            || self.touched.as_ref().is_some_and(|(place, bases)| known(place, bases))
    }

    /// Returns true unless the path is a mere word and a pattern speaks of no file of that kind.
    pub(super) fn may_be_meant_by(&self, pattern: &PathPattern) -> bool {
        !self.act.is_possible() || pattern.speaks_of(&self.path)
    }

    /// Returns true if paths other than the written one may be touched.
    pub(super) fn is_open(&self) -> bool {
        self.is_dynamic() || !self.is_itself()
    }

    /// Returns true if a pattern matches the path with some text in place of its unknown parts.
    pub(super) fn could_match(&self, pattern: &PathPattern, context: &PathContext, own: Option<&Dir>) -> bool {
        let matches = |paths: &[Vec<Segment>]| pattern.may_match_any(paths, self.extent, context, own);
        self.could_be(context).is_some_and(|paths| {
            matches(&paths.all)
                && self.existing(paths).is_none_or(matches)
                && (!self.is_looked_up() || self.has_below(&paths.all, pattern, context, own))
        })
    }

    /// Returns true if only files that exist count: those in a folder that a program walks, or that `find` finds there.
    fn is_looked_up(&self) -> bool {
        let is_found =
            |place: &CommandPath| place.found && place.is_settled && !place.leads_anywhere && !place.may_alias;
        self.extent.is_walked() || (self.is_itself() && self.touched.as_ref().is_some_and(|(place, _)| is_found(place)))
    }

    /// Returns true if a file that a pattern matches exists in a folder, or if the folder is not known.
    fn has_below(
        &self,
        paths: &[Vec<Segment>],
        pattern: &PathPattern,
        context: &PathContext,
        own: Option<&Dir>,
    ) -> bool {
        let may_read = |path: &str| may_be_below(path, paths, context);
        let (extent, whole) = if self.is_itself() { (Extent::Walked, true) } else { (self.extent, false) };
        let may_have = |path: String| {
            pattern.exists_in(&WalkedFolder { path: &path, extent, whole, may_read: &may_read }, context, own)
        };
        paths.iter().any(|path| {
            pattern.may_match_any(std::slice::from_ref(path), self.extent, context, own)
                && ((whole && is_known(path)) || known_folder(path).is_none_or(may_have))
        })
    }

    /// Returns true if the path is one of some files with some text in place of its unknown parts.
    pub(super) fn could_be_one(&self, is: impl Fn(&[Vec<Segment>], Extent) -> bool, context: &PathContext) -> bool {
        let is = |paths: &[Vec<Segment>]| is(paths, self.extent);
        self.could_be(context).is_some_and(|paths| {
            if self.is_found_word() {
                // Any word may be a file, so only files in the start point of `find` count.
                return is(&paths.all.iter().map(|path| without_depth(path)).collect::<Vec<_>>());
            }
            is(&paths.all) && self.existing(paths).is_none_or(is)
        })
    }

    /// Returns true for a word that merely names a path that `find` found.
    fn is_found_word(&self) -> bool {
        self.act.is_possible() && self.touched.as_ref().is_some_and(|(place, _)| place.found)
    }

    /// The existing paths that it could be; `None` if they are not all known, or if more than these are affected.
    fn existing<'p>(&self, paths: &'p PossiblePaths) -> Option<&'p [Vec<Segment>]> {
        paths.existing.as_deref().filter(|_| self.is_itself() || self.extent.is_walked())
    }

    /// Returns the paths that it could be, or `None` if all of it is known.
    fn could_be(&self, context: &PathContext) -> Option<&PossiblePaths> {
        let touched = self.touched.as_ref().filter(|_| self.is_open());
        let (place, bases) = touched?;
        Some(self.possible.get_or_init(|| PossiblePaths::of(place, bases, self.cwd.as_deref(), context)))
    }

    pub(super) fn forms(&self, context: &PathContext) -> &[PathForm] {
        let cwd = self.cwd.as_deref();
        self.forms.get_or_init(|| match &self.touched {
            Some((place, bases)) => forms_of(place, bases, cwd, context),
            None => forms(&self.path, Tilde::Either, cwd, context),
        })
    }
}

impl Atom {
    /// A description for records and `why`.
    pub(super) fn words(&self, call: &PolicyCall<'_>) -> String {
        let words = match &self.what {
            AtomKind::Part(atom) => format!("Bash: {}", atom.part.text),
            AtomKind::Pipeline(members) => {
                let first = |parts: &Vec<Rc<Part>>| parts.first().map_or(String::new(), |part| part.text.clone());
                format!("Bash: {}", members.iter().map(first).collect::<Vec<_>>().join(" | "))
            }
            AtomKind::Text { shown, .. } => format!("Bash, not understood: {shown}"),
            AtomKind::Hidden { why } => format!("Bash, unreadable: {why}"),
            AtomKind::Path(path) => format!("{}: {}", path.act.word(), path.path),
            AtomKind::Fetch { url, .. } => format!("WebFetch: {url}"),
            AtomKind::WebSearch => "WebSearch".to_owned(),
            AtomKind::Mcp(_) => format!("MCP tool: {}", call.tool),
            AtomKind::Agent(Some(name)) => format!("Agent: {name}"),
            AtomKind::Agent(None) => "Agent".to_owned(),
            AtomKind::Other => format!("Tool: {}", call.tool),
        };
        snaphook_adapters::fit::cut(&words, SHOWN)
    }

    /// A description in a sentence, with what comes from the call in backquotes.
    pub(super) fn subject(&self, call: &PolicyCall<'_>) -> String {
        let quoted = |text: &str| format!("`{}`", one_paragraph(text, SUBJECT).replace('`', "'"));
        match &self.what {
            AtomKind::Part(atom) => quoted(&atom.part.text),
            AtomKind::Pipeline(members) => {
                let first = members.iter().filter_map(|parts| Some(parts.first()?.text.as_str()));
                quoted(&first.collect::<Vec<_>>().join(" | "))
            }
            AtomKind::Text { .. } | AtomKind::Hidden { .. } => "a command that is not understood".to_owned(),
            AtomKind::Path(path) => format!("{} {}", path.act.participle(), quoted(&path.path)),
            AtomKind::Fetch { url, .. } => format!("fetching {}", quoted(url)),
            AtomKind::WebSearch => "a web search".to_owned(),
            AtomKind::Agent(Some(name)) => format!("the sub-agent {}", quoted(name)),
            AtomKind::Agent(None) => "a sub-agent".to_owned(),
            AtomKind::Mcp(_) | AtomKind::Other => format!("the tool {}", quoted(call.tool)),
        }
    }

    /// The number of steps that it takes to match one rule.
    pub(super) fn size(&self) -> usize {
        let length = match &self.what {
            AtomKind::Part(atom) => atom.part.text.len(),
            AtomKind::Text { words, .. } => 2 * words.as_str().len(),
            AtomKind::Path(path) => path.path.len() * path.touched.as_ref().map_or(1, |(_, bases)| bases.len()),
            AtomKind::Fetch { url: name, .. } | AtomKind::Agent(Some(name)) => name.len(),
            AtomKind::Mcp(McpName::Split { server, tool }) => server.len() + tool.len(),
            AtomKind::Mcp(McpName::Joined(name) | McpName::Bare(name)) => 4 * name.len(),
            AtomKind::Pipeline(_)
            | AtomKind::Mcp(_)
            | AtomKind::WebSearch
            | AtomKind::Agent(None)
            | AtomKind::Hidden { .. }
            | AtomKind::Other => 0,
        };
        1 + length / 64
    }

    /// Returns true if part of it is unknown, or a word may name a program.
    pub(super) fn is_open(&self) -> bool {
        match &self.what {
            AtomKind::Part(atom) => {
                atom.part.words.iter().any(Word::is_dynamic) || !atom.part.program_words().is_empty()
            }
            AtomKind::Path(path) => path.is_open(),
            _ => false,
        }
    }

    /// Returns true if the atom is listed although no rule matches it. Operands are not listed, and a text that
    /// is not understood is described by its word.
    pub(super) fn is_shown(&self) -> bool {
        match self.what {
            AtomKind::Part(_) => true,
            AtomKind::Text { .. } | AtomKind::Hidden { .. } | AtomKind::Pipeline(_) => false,
            _ => !self.watch_only,
        }
    }

    /// Returns true if it is a command that is not understood, to which `[shell] not_understood` applies (C6).
    pub(super) fn is_not_understood(&self) -> bool {
        matches!(self.what, AtomKind::Text { .. } | AtomKind::Hidden { .. }) && !self.watch_only
    }
}

/// The atoms of a call, and why some of it was not understood.
#[derive(Debug)]
pub(super) struct Atoms {
    pub(super) list: Vec<Atom>,
    pub(super) not_understood: Option<String>,
    /// True if a limit was reached, so that atoms may be missing.
    pub(super) cut: bool,
    /// The reason why the call is refused whatever the rules say.
    pub(super) refused: Option<String>,
    /// True if a command applies a patch, which an agent may do itself.
    pub(super) patches: bool,
}

/// Takes a call apart.
pub(super) fn atoms(call: &PolicyCall<'_>, policy: &Policy, context: &PathContext) -> Atoms {
    let list = Vec::with_capacity(call.actions.len());
    let mut taken = Atoms { list, not_understood: None, cut: false, refused: None, patches: false };
    let is_other = call.actions.contains(&Action::Other);
    // To take it apart has steps of its own, so that enough are left to ask rules about what was found.
    let steps = Budget::default();
    for action in call.actions {
        taken.action(action, is_other, policy, &steps);
    }
    if let Some(skill) = call.skill {
        taken.skill(skill, policy, context, &steps);
    }
    if !call.suggested_actions.is_empty() {
        taken.likely(call.suggested_actions, policy, &steps);
    }
    taken
}

impl Atoms {
    /// The commands of a skill, which the agent runs itself.
    fn skill(&mut self, skill: &Skill, policy: &Policy, context: &PathContext, steps: &Budget) {
        let Expanded { commands, unread } = expanded(skill, context);
        for (text, shell) in commands {
            self.action(&Action::Shell { command: text.into(), cwd: None, shell }, false, policy, steps);
        }
        if let Some(why) = unread {
            let name = skill.names.first().map_or("", String::as_str);
            let why = format!("the commands of skill `{}`: {why}", snaphook_adapters::fit::cut(name, 60));
            self.not_understood.get_or_insert_with(|| why.clone());
            self.push(AtomKind::Hidden { why });
        }
    }

    /// Adds the possible actions of an unknown tool. No rule has to allow them, and a text that is not understood may be
    /// no command at all.
    fn likely(&mut self, actions: &[Action], policy: &Policy, steps: &Budget) {
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

    fn action(&mut self, action: &Action, is_other: bool, policy: &Policy, steps: &Budget) {
        if !steps.spend(ACTION) {
            self.cut = true;
            return;
        }
        match action {
            Action::Shell { command, cwd, shell } => {
                let exported = |name: &str| policy.machine().exports(name);
                let Script {
                    parts,
                    touched,
                    pipelines,
                    not_understood,
                    torn,
                    cut,
                    raw,
                    refused,
                    patches,
                    code_in_document,
                    ..
                } = analyse(command, *shell, &policy.limits(), &exported, steps);
                self.cut |= cut;
                self.patches |= patches;
                if let Some(why) = refused {
                    self.refused.get_or_insert(why);
                }
                for part in parts {
                    let to_name = part.assignments_to_name(policy.harmless_env());
                    let watch_only = part.watch_only;
                    let what = AtomKind::Part(PartAtom::new(part, to_name));
                    self.list.push(Atom { what, watch_only, withheld: Cell::default() });
                }
                for touched in touched {
                    self.touched(touched, cwd.clone());
                }
                for members in pipelines {
                    self.list.push(Atom {
                        what: AtomKind::Pipeline(members),
                        watch_only: true,
                        withheld: Cell::default(),
                    });
                }
                if let Some(why) = not_understood {
                    // A message quotes one word and never a whole command (O7).
                    self.not_understood.get_or_insert(snaphook_adapters::fit::cut(&why, 60));
                    self.text(raw, torn);
                } else if code_in_document {
                    self.text(raw, false);
                    self.list.iter_mut().last().into_iter().for_each(|atom| atom.watch_only = true);
                }
            }
            Action::ShellInput { text } => {
                self.not_understood.get_or_insert_with(|| "typed into a running shell".to_owned());
                self.text(text.start().to_owned(), true);
            }
            Action::Read { path } => self.path(PathAct::Read, path.clone()),
            Action::Write { path } => self.path(PathAct::Write, path.clone()),
            Action::Edit { path } => self.path(PathAct::Edit, path.clone()),
            Action::Delete { path } => self.path(PathAct::Delete, path.clone()),
            Action::List { path } => self.path(PathAct::List, path.clone()),
            Action::Move { from, to } => {
                self.path(PathAct::MoveFrom, from.clone());
                self.path(PathAct::MoveTo, to.clone());
            }
            Action::Search { path, pattern } => self.path(PathAct::Search, searched(path.clone(), pattern.clone())),
            Action::Fetch { url } => {
                if let Some(path) = file_of(url) {
                    self.path(PathAct::Read, path);
                }
                self.push(AtomKind::Fetch { url: url.clone(), host: OnceCell::new() });
            }
            Action::WebSearch { .. } => self.push(AtomKind::WebSearch),
            // A name that may or may not be an MCP tool counts as both, for deny and ask rules (N3).
            Action::Mcp(name) => {
                self.list.push(Atom {
                    what: AtomKind::Mcp(name.clone()),
                    watch_only: is_other,
                    withheld: Cell::default(),
                });
            }
            Action::Subagent { name } => self.push(AtomKind::Agent(name.clone())),
            _ => self.push(AtomKind::Other),
        }
    }

    fn push(&mut self, what: AtomKind) {
        self.list.push(Atom { what, watch_only: false, withheld: Cell::default() });
    }

    fn path(&mut self, act: PathAct, path: String) {
        self.push(AtomKind::Path(PathAtom::new(act, path)));
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
            Touch::Restrict => PathAct::Restrict,
            Touch::MayRead => PathAct::MayRead,
        };
        let atom = PathAtom { touched: Some((place, bases)), extent, cwd, ..PathAtom::new(act, shown) };
        self.list.push(Atom { what: AtomKind::Path(atom), watch_only, withheld: Cell::default() });
    }

    fn text(&mut self, mut raw: String, torn: bool) {
        if raw.len() > Script::KEPT {
            raw.truncate(raw.floor_char_boundary(Script::KEPT));
            self.cut = true;
        }
        // The text may be a mebibyte long, so only its words are kept.
        let (shown, changes_protection) = (snaphook_adapters::fit::cut(&raw, SHOWN), names_change(&raw));
        self.push(AtomKind::Text { shown, words: RawWords::of(raw), changes_protection, torn });
    }
}

/// The root of a search joined with the file pattern (P6).
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

/// The host of an address, parsed once.
pub(super) fn host<'a>(url: &str, cell: &'a OnceCell<Option<String>>) -> Option<&'a str> {
    cell.get_or_init(|| host_of(url)).as_deref()
}
