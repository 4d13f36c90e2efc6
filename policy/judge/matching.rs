//! Matches a rule against an atom.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use snaphook_adapters::model::{Action, ShellKind};
use snaphook_adapters::raw::Object;

use super::atoms::{Atom, AtomKind, PathAct, PathAtom, host};
use snaphook_shell::Budget;
use snaphook_shell::{Part, TextElement, base_name, intersects};

use crate::PolicyCall;
use crate::command::CommandPattern;
use crate::list::Side;
use crate::path::{Dir, PathContext};
use crate::rule::{Matcher, Rule, RuleKind};
use crate::wildcard::Wildcard;

/// The data that rules are matched against in addition to the atom.
pub(super) struct Scene<'a> {
    pub(super) call: &'a PolicyCall<'a>,
    /// The arguments, parsed one level deep when a rule first needs them; absent if they are not an object.
    pub(super) input: OnceCell<Option<Object>>,
    /// The names of the arguments; `None` if one is not ASCII, because it may be another spelling of an ASCII name.
    pub(super) names: OnceCell<Option<Vec<String>>>,
    /// The name of the tool in lower case.
    pub(super) lowercase_name: OnceCell<String>,
    /// Which of them have the values that rules look for.
    pub(super) params: RefCell<HashMap<String, HashMap<Wildcard, bool>>>,
    pub(super) context: &'a PathContext<'a>,
}

impl Scene<'_> {
    /// Returns true if a rule matches. `own` is the folder of the project file that contains it.
    #[inline]
    pub(super) fn matches(&self, rule: &Rule, side: Side, atom: &Atom, own: Option<&Dir>) -> bool {
        let Some(kind) = rule.kind else { return side == Side::Guard };
        // Most rules apply to other actions or to other programs.
        covers(kind, side, &atom.what)
            && may_begin(rule, &atom.what)
            && self.matches_covered(rule, kind, side, atom, own)
    }

    /// Returns true if a rule that covers this kind of atom matches.
    fn matches_covered(&self, rule: &Rule, kind: RuleKind, side: Side, atom: &Atom, own: Option<&Dir>) -> bool {
        // A rule without a pattern allows no inline code (B3) and no assignments (B7).
        if let (AtomKind::Part(part), Side::Grant) = (&atom.what, side)
            && (part.part.opaque.is_some() || !part.to_name.is_empty())
            && matches!(rule.limit(), Matcher::None)
        {
            return false;
        }
        if let (AtomKind::Path(path), Side::Grant) = (&atom.what, side)
            && path.is_dynamic()
        {
            return false;
        }
        self.context.budget().spend(atom.size())
            && match (kind, rule.limit()) {
                (RuleKind::Tool, Matcher::Name(pattern)) => self.is_tool(pattern, side),
                (RuleKind::Tool, Matcher::AnyCall(pattern)) => side == Side::Guard && self.is_tool(pattern, side),
                (RuleKind::Skill, limit) => self.loads_skill(limit, side),
                (RuleKind::PowerShell, _) if !self.is_for_powershell() => false,
                (_, limit) => self.within(limit, side, &atom.what, own),
            }
    }

    /// Returns true if a deny or ask rule could match, depending on the unknown parts of a command or path, or on what
    /// the program does with its words.
    pub(super) fn could_match(&self, rule: &Rule, atom: &Atom, own: Option<&Dir>) -> bool {
        match &atom.what {
            AtomKind::Part(atom) => could_match(rule, &atom.part, self.context.budget()),
            AtomKind::Path(path) => self.could_match_path(rule, path, own),
            _ => false,
        }
    }

    fn could_match_path(&self, rule: &Rule, path: &PathAtom, own: Option<&Dir>) -> bool {
        guarding(path).any(|kind| rule.kind == Some(kind))
            && matches!(rule.limit(), Matcher::Path(pattern) if path.may_be_meant_by(pattern) && path.could_match(pattern, self.context, own))
    }

    /// The name of an argument in a parameter rule that has two different values (J6).
    pub(super) fn ambiguous(&self, rule: &Rule) -> Option<String> {
        let name = rule.param().filter(|name| self.may_have(name))?;
        self.context.budget().spend(self.call.input.as_str().len() / 64);
        self.input()?.find(name, self.call.keys).err().map(|error| error.to_string())
    }

    /// Returns false if the arguments have no member of this name in any spelling.
    pub(super) fn may_have(&self, name: &str) -> bool {
        let names = self.names.get_or_init(|| {
            let members = self.input().into_iter().flat_map(Object::members);
            members.map(|(name, _)| name.is_ascii().then(|| name.to_owned())).collect()
        });
        names.as_ref().is_none_or(|names| names.iter().any(|member| member.eq_ignore_ascii_case(name)))
    }

    /// Returns false if a rule is about another tool.
    pub(super) fn may_be_tool(&self, rule: &Rule, side: Side) -> bool {
        if let Some(name) = rule.plain_tool() {
            // A name that is not ASCII may be ASCII in lower case.
            return name.eq_ignore_ascii_case(self.call.tool) || !self.call.tool.is_ascii();
        }
        match (rule.kind, rule.limit_if_built()) {
            (Some(RuleKind::Tool), Some(Matcher::Name(pattern))) => self.is_tool(pattern, side),
            _ => true,
        }
    }

    fn input(&self) -> Option<&Object> {
        self.input.get_or_init(|| self.call.input.object().ok()).as_ref()
    }

    fn within(&self, limit: &Matcher, side: Side, what: &AtomKind, own: Option<&Dir>) -> bool {
        match (limit, what) {
            (Matcher::None, AtomKind::Path(path)) => !path.act.is_possible(),
            (Matcher::None, _) => true,
            (Matcher::Command(pattern), AtomKind::Part(atom)) => {
                let spelled = if side == Side::Guard { atom.spelled(self.context) } else { &[] };
                (side == Side::Guard || pattern.allows_assignments(&atom.part, &atom.to_name))
                    && pattern.matches(side, &atom.part, spelled)
            }
            // It may be any command.
            (Matcher::Command(_), AtomKind::Hidden { .. }) => side == Side::Guard,
            (Matcher::Command(pattern), AtomKind::Pipeline(members)) => {
                let guards = side == Side::Guard && pattern.is_pipeline();
                guards && self.context.budget().spend(members.len()) && pattern.runs_through(members)
            }
            // If the text was split, its pipelines are matched as separate atoms.
            (Matcher::Command(pattern), AtomKind::Text { words, torn, .. }) => {
                side == Side::Guard && (*torn || !pattern.is_pipeline()) && pattern.catches(words.iter())
            }
            (Matcher::Path(pattern), AtomKind::Path(path)) => {
                path.may_be_meant_by(pattern) && pattern.matches(side, path.forms(self.context), self.context, own)
            }
            (Matcher::Domain(pattern), AtomKind::Fetch { url, host: cell }) => match host(url, cell) {
                Some(host) => pattern.matches(host),
                None => side == Side::Guard,
            },
            (Matcher::Mcp(pattern), AtomKind::Mcp(name)) => pattern.matches(side, name),
            (Matcher::Name(pattern), AtomKind::Agent(name)) => {
                name.as_deref().is_some_and(|name| pattern.matches(name))
            }
            (Matcher::Param { name, value }, _) => self.has(name, value),
            _ => false,
        }
    }

    fn loads_skill(&self, limit: &Matcher, side: Side) -> bool {
        self.call.skill.is_some_and(|skill| match limit {
            Matcher::Skill(pattern) => pattern.matches(side, skill),
            _ => true,
        })
    }

    fn is_for_powershell(&self) -> bool {
        let powershell = |action: &Action| matches!(action, Action::Shell { shell: ShellKind::PowerShell, .. });
        self.call.actions.iter().any(powershell)
    }

    /// By the agent's own name of the tool; deny and ask ignore case (N4).
    fn is_tool(&self, pattern: &Wildcard, side: Side) -> bool {
        match side {
            Side::Grant => pattern.matches(self.call.tool),
            Side::Guard => pattern.matches(self.lowercase_name.get_or_init(|| self.call.tool.to_lowercase())),
        }
    }

    /// Returns true if the arguments have a scalar member of this value (G2). The result is kept for other rules.
    fn has(&self, name: &str, value: &Wildcard) -> bool {
        let known = self.params.borrow().get(name).and_then(|values| values.get(value)).copied();
        known.unwrap_or_else(|| {
            let found = self.find(name, value);
            self.params.borrow_mut().entry(name.to_owned()).or_default().insert(value.clone(), found);
            found
        })
    }

    fn find(&self, name: &str, value: &Wildcard) -> bool {
        self.context.budget().spend(self.call.input.as_str().len() / 64);
        let Some(Ok(Some(found))) = self.input().map(|input| input.find(name, self.call.keys)) else { return false };
        // The tool may use another value than the one shown to hooks.
        if found.is_null() && self.call.null_keeps_earlier_value {
            return true;
        }
        match found.text() {
            Some(text) => value.matches(&text.value),
            None => !found.as_str().starts_with(['{', '[']) && value.matches(found.as_str()),
        }
    }
}

fn could_match(rule: &Rule, part: &Part, steps: &Budget) -> bool {
    let Some(program) = part.words.first().filter(|_| rule.kind == Some(RuleKind::Bash)) else { return false };
    let starts_with = |name: &str| rule.may_begin(name) || rule.may_begin(base_name(name));
    let matches =
        |is: &dyn Fn(&CommandPattern) -> bool| matches!(rule.limit(), Matcher::Command(pattern) if is(pattern));
    (starts_with(&program.value) && matches(&|pattern| pattern.could_match(part, steps)))
        || ((part.program_words().iter().any(|word| starts_with(word)) || may_name_program(rule, part, steps))
            && matches(&|pattern| pattern.may_run_in(part, steps)))
}

/// Returns true if a partly known word may be the program of a rule.
fn may_name_program(rule: &Rule, part: &Part, steps: &Budget) -> bool {
    let words = part.partial_program_words();
    if words.is_empty() {
        return false;
    }
    let Some(first) = rule.first_word() else { return true };
    let first: Vec<_> = first.iter().map(|byte| TextElement::Char(char::from(*byte))).collect();
    words.iter().any(|word| intersects(&first, word, steps))
}

/// Returns true if a rule starts with the program of a command, in the simple cases.
fn may_begin(rule: &Rule, what: &AtomKind) -> bool {
    let AtomKind::Part(atom) = what else { return true };
    atom.bare_program().is_none_or(|program| rule.may_begin(program))
}

/// Returns true if rules on files apply to a path. A word that only may be a path has to be the file itself.
pub(super) fn is_ruled(path: &PathAtom) -> bool {
    path.act != PathAct::Restrict && (!path.act.is_possible() || path.is_itself())
}

/// The kinds of deny and ask rules that may speak about what is done to a path, or near it.
pub(super) fn guarding(path: &PathAtom) -> impl Iterator<Item = RuleKind> {
    let ruled = is_ruled(path) && path.is_worth_guessing();
    let read = (path.is_itself() || path.extent().is_walked()) && ruled;
    let (changed, taken) = (path.act.changes() && ruled, path.act.takes_all());
    [(RuleKind::Read, read), (RuleKind::Edit, changed), (RuleKind::Delete, taken)]
        .into_iter()
        .filter_map(|(kind, may)| may.then_some(kind))
}

/// Returns true if a kind of rule covers an atom.
fn covers(kind: RuleKind, side: Side, what: &AtomKind) -> bool {
    let guard = side == Side::Guard;
    match (kind, what) {
        (RuleKind::Bash, AtomKind::Text { .. } | AtomKind::Hidden { .. } | AtomKind::Pipeline(_))
        | (RuleKind::PowerShell, AtomKind::Text { .. })
        | (RuleKind::Tool | RuleKind::Skill, _)
            if guard =>
        {
            true
        }
        (_, AtomKind::Path(path)) if !is_ruled(path) => false,
        (RuleKind::Read, AtomKind::Path(path)) => guard || !path.act.changes(),
        (RuleKind::Edit, AtomKind::Path(path)) => path.act.changes() || (!guard && path.act == PathAct::Read),
        (RuleKind::Delete, AtomKind::Path(path)) => path.act.takes_all(),
        (RuleKind::Bash, AtomKind::Part(_))
        | (RuleKind::WebFetch, AtomKind::Fetch { .. })
        | (RuleKind::WebSearch, AtomKind::WebSearch)
        | (RuleKind::Agent, AtomKind::Agent(_))
        | (RuleKind::Mcp, AtomKind::Mcp(_))
        | (RuleKind::Tool | RuleKind::Skill, AtomKind::Other) => true,
        _ => false,
    }
}
