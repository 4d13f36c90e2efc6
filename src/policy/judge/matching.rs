//! Whether a rule speaks about an atom.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use snaphook_adapters::model::ToolCall;
use snaphook_adapters::raw::{Keys, Object};

use super::atoms::{Atom, PathAct, PathAtom, What, host};
use crate::policy::command::{Part, base_name};
use crate::policy::path::{Dir, Ground};
use crate::policy::rule::{Kind, Limit, Rule, Side};
use crate::policy::steps::Steps;
use crate::policy::wild::Wild;

/// Holds what rules are matched against beside the atom.
pub(super) struct Scene<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) keys: Keys,
    pub(super) keeps_nulls: bool,
    /// The arguments, one level deep, where a rule has asked for them; absent where they are no object.
    pub(super) input: OnceCell<Option<Object>>,
    /// Which of them have the values that rules look for.
    pub(super) params: RefCell<HashMap<String, HashMap<Wild, bool>>>,
    pub(super) ground: &'a Ground,
}

impl Scene<'_> {
    /// Whether a rule matches. `own` is the folder of the project file it stands in.
    pub(super) fn matches(&self, rule: &Rule, side: Side, atom: &Atom, own: Option<&Dir>) -> bool {
        let Some(kind) = rule.kind else { return side == Side::Guard };
        // What runs code of its own is allowed only by a rule that has all of it (B3).
        if let (What::Part(part), Side::Grant) = (&atom.what, side)
            && (!part.is_harmless || (part.part.opaque.is_some() && matches!(rule.limit(), Limit::None)))
        {
            return false;
        }
        if let (What::Path(path), Side::Grant) = (&atom.what, side)
            && path.is_dynamic()
        {
            return false;
        }
        covers(kind, side, &atom.what)
            && may_begin(rule, &atom.what)
            && self.ground.steps().spend(atom.size())
            && match (kind, rule.limit()) {
                (Kind::Tool, Limit::Name(pattern)) => self.is_tool(pattern, side),
                (_, limit) => self.within(limit, side, &atom.what, own),
            }
    }

    /// Whether a rule of deny or ask could match if what nobody knows of a command, or of a path, were the
    /// right text.
    pub(super) fn could_match(&self, rule: &Rule, atom: &Atom, own: Option<&Dir>) -> bool {
        match &atom.what {
            What::Part(atom) => could_match(rule, &atom.part, self.ground.steps()),
            What::Path(path) => self.could_match_path(rule, path, own),
            _ => false,
        }
    }

    fn could_match_path(&self, rule: &Rule, path: &PathAtom, own: Option<&Dir>) -> bool {
        guarding(path).any(|kind| rule.kind == Some(kind))
            && matches!(rule.limit(), Limit::Path(pattern) if path.could_match(pattern, self.ground, own))
    }

    /// A watched argument of parameter rules that means two things (J6).
    pub(super) fn ambiguous(&self, rule: &Rule) -> Option<String> {
        let name = rule.param()?;
        self.ground.steps().spend(self.call.input.as_str().len() / 64);
        self.input()?.find(name, self.keys).err().map(|error| error.to_string())
    }

    fn input(&self) -> Option<&Object> {
        self.input.get_or_init(|| self.call.input.object().ok()).as_ref()
    }

    fn within(&self, limit: &Limit, side: Side, what: &What, own: Option<&Dir>) -> bool {
        match (limit, what) {
            (Limit::None, _) => true,
            (Limit::Command(pattern), What::Part(atom)) => {
                pattern.matches(side, &atom.part, if side == Side::Guard { atom.spelled(self.ground) } else { &[] })
            }
            // It may be any command.
            (Limit::Command(_), What::Hidden { .. }) => side == Side::Guard,
            (Limit::Command(pattern), What::Pipeline(members)) => {
                let guards = side == Side::Guard && pattern.is_pipeline();
                guards && self.ground.steps().spend(members.len()) && pattern.runs_through(members)
            }
            // Where it was taken apart its pipelines are looked at themselves.
            (Limit::Command(pattern), What::Text { words, torn, .. }) => {
                side == Side::Guard && (*torn || !pattern.is_pipeline()) && pattern.catches(words)
            }
            (Limit::Path(pattern), What::Path(path)) => {
                pattern.matches(side, path.forms(self.ground), self.ground, own)
            }
            (Limit::Domain(pattern), What::Fetch { url, host: cell }) => match host(url, cell) {
                Some(host) => pattern.matches(host),
                None => side == Side::Guard,
            },
            (Limit::Mcp(pattern), What::Mcp(name)) => pattern.matches(side, name),
            (Limit::Name(pattern), What::Agent(name)) => name.as_deref().is_some_and(|name| pattern.matches(name)),
            (Limit::Param { name, value }, _) => self.has(name, value),
            _ => false,
        }
    }

    /// By the agent's own name of the tool; deny and ask ignore case (N4).
    fn is_tool(&self, pattern: &Wild, side: Side) -> bool {
        match side {
            Side::Grant => pattern.matches(&self.call.name),
            Side::Guard => pattern.map(str::to_lowercase).matches(&self.call.name.to_lowercase()),
        }
    }

    /// Whether the arguments have a scalar member of this value (R2). Looked for once, whatever rules ask.
    fn has(&self, name: &str, value: &Wild) -> bool {
        let known = self.params.borrow().get(name).and_then(|values| values.get(value)).copied();
        known.unwrap_or_else(|| {
            let found = self.find(name, value);
            self.params.borrow_mut().entry(name.to_owned()).or_default().insert(value.clone(), found);
            found
        })
    }

    fn find(&self, name: &str, value: &Wild) -> bool {
        self.ground.steps().spend(self.call.input.as_str().len() / 64);
        let Some(Ok(Some(found))) = self.input().map(|input| input.find(name, self.keys)) else { return false };
        // The tool may have another value than hooks are shown.
        if found.is_null() && self.keeps_nulls {
            return true;
        }
        match found.text() {
            Some(text) => value.matches(&text.value),
            None => !found.as_str().starts_with(['{', '[']) && value.matches(found.as_str()),
        }
    }
}

fn could_match(rule: &Rule, part: &Part, steps: &Steps) -> bool {
    let Some(program) = part.words.first().filter(|_| rule.kind == Some(Kind::Bash)) else { return false };
    let names = [program.value.as_str(), base_name(&program.value)];
    names.iter().any(|name| rule.may_begin(name))
        && matches!(rule.limit(), Limit::Command(pattern) if pattern.could_match(part, steps))
}

/// Whether the program of a command is one that a rule begins with, as far as that is plain to see.
fn may_begin(rule: &Rule, what: &What) -> bool {
    let What::Part(atom) = what else { return true };
    let program = atom.part.text.split(' ').next().unwrap_or_default();
    // Such a name has no other spelling, and code in an argument is looked for anywhere.
    let is_bare = program.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    !is_bare || atom.part.opaque.is_some() || rule.may_begin(program)
}

/// The kinds of deny and ask rules that may speak about what is done to a path, or near it: what is only near
/// it is changed, and never read alone.
pub(super) fn guarding(path: &PathAtom) -> impl Iterator<Item = Kind> {
    let ruled = path.act != PathAct::Name;
    let (read, changed, taken) = (path.is_itself() && ruled, path.act.changes() && ruled, path.act.takes_all());
    [(Kind::Read, read), (Kind::Edit, changed), (Kind::Delete, taken)]
        .into_iter()
        .filter_map(|(kind, may)| may.then_some(kind))
}

/// Whether the actions of a kind include this one.
fn covers(kind: Kind, side: Side, what: &What) -> bool {
    let guard = side == Side::Guard;
    match (kind, what) {
        (Kind::Bash, What::Text { .. } | What::Hidden { .. } | What::Pipeline(_)) | (Kind::Tool, _) if guard => true,
        (Kind::Read | Kind::Edit, What::Path(path)) if path.act == PathAct::Name => false,
        (Kind::Read, What::Path(path)) => guard || !path.act.changes(),
        (Kind::Edit, What::Path(path)) => path.act.changes() || (!guard && path.act == PathAct::Read),
        (Kind::Delete, What::Path(path)) => path.act.takes_all(),
        (Kind::Bash, What::Part(_))
        | (Kind::WebFetch, What::Fetch { .. })
        | (Kind::WebSearch, What::WebSearch)
        | (Kind::Agent, What::Agent(_))
        | (Kind::Mcp, What::Mcp(_))
        | (Kind::Tool, What::Other) => true,
        _ => false,
    }
}
