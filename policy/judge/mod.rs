//! Combines rules and handlers into one verdict (C1-C7, C9).

mod additions;
mod atoms;
#[cfg(test)]
mod bounds;
mod candidates;
mod facts;
mod handlers;
#[cfg(test)]
mod laws;
mod matching;
mod prefilter;
mod protect;
mod skills;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use facts::CallFacts;
pub(crate) use handlers::{KINDS, words_of};

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use snaphook_adapters::model::{
    Action, Decision, Detail, EventKind, HookEvent, Response, ToolCall, Verdict, VerdictKind,
};

use self::additions::Additions;
use self::atoms::{Atom, Atoms};
use self::candidates::CandidateRules;
use self::matching::Scene;
use self::protect::Guarded;
use self::verdict::{CombinedVerdict, Opinion, stricter};
use super::load::{PolicyFile, ResponseSource, read_named};
use super::path::PathContext;
use super::protected::ProtectedNames;
use super::rule::{List, Side};
use super::settings::OnFailure;
use super::{Cause, Deciders, Judgement, PartVerdict, Policy};

impl Policy {
    /// Judges one event with rules, handlers and the session context.
    ///
    /// Rules and handlers apply before a tool runs and when the agent asks for permission. All other events use
    /// handlers and the session context only.
    pub fn judge(&self, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
        self.facts(event).judge(event, deciders)
    }
}

struct Judging<'a> {
    facts: &'a CallFacts<'a>,
    policy: &'a Policy,
    context: &'a PathContext,
    gates: bool,
    remarks: Vec<String>,
    /// The protected files, listed when a path may be one.
    guarded: OnceCell<Vec<Guarded>>,
    /// The components of their paths.
    names: OnceCell<ProtectedNames>,
    /// True if one of them may also be reached under another name.
    has_protected_links: OnceCell<bool>,
}

/// The opinions of the rules on each atom of a call.
struct Ruled {
    atoms: Rc<Atoms>,
    /// The part of a command that could not be analysed.
    not_understood: Option<String>,
    /// One entry per atom; `None` if no rule matches.
    found: Vec<Option<Opinion>>,
    /// True if the analysis reached a limit, so that rules may have more matches.
    cut: bool,
}

/// Details of a command for the record.
#[derive(Default)]
struct CommandDetails {
    not_understood: Option<String>,
    parts: Vec<PartVerdict>,
}

impl Ruled {
    /// The opinions of the rules on each part, if a command has several parts.
    fn seen(self, call: &ToolCall) -> CommandDetails {
        let pieces = || self.atoms.list.iter().zip(&self.found);
        let shown = |(atom, said): &(&Atom, &Option<Opinion>)| said.is_some() || atom.is_shown();
        let several = pieces().filter(shown).nth(1).is_some()
            && call.actions.iter().any(|action| matches!(action, Action::Shell { .. }));
        let parts = pieces().filter(|piece| several && shown(piece)).map(|(atom, said)| PartVerdict {
            action: atom.words(call),
            verdict: said.as_ref().map_or(VerdictKind::Pass, |said| said.verdict.kind()),
            rule: said.as_ref().map(|said| said.cause.rule.clone()),
        });
        let parts = parts.collect();
        CommandDetails { parts, not_understood: self.not_understood }
    }
}

impl<'a> Judging<'a> {
    fn new(facts: &'a CallFacts<'a>, gates: bool) -> Self {
        let (guarded, names, has_protected_links) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let (policy, context) = (facts.policy, &facts.context);
        Self { facts, policy, context, gates, remarks: Vec::new(), guarded, names, has_protected_links }
    }

    fn event(mut self, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
        let mut additions = Additions::default();
        let judged = matches!(event.kind(), EventKind::PreTool | EventKind::Permission);
        let (outcome, seen) = match &event.detail {
            Detail::Answered { text, .. } => (answered(text), CommandDetails::default()),
            Detail::Tool(call) if judged => self.call(event, call, deciders, &mut additions),
            _ => {
                self.session(event, &mut additions);
                let opinions = self.handlers(event, deciders, &mut additions);
                (CombinedVerdict::of_event(&opinions), CommandDetails::default())
            }
        };
        Judgement {
            decision: additions.attach_to(outcome.verdict.into()),
            causes: outcome.causes,
            remarks: self.remarks,
            not_understood: seen.not_understood,
            parts: seen.parts,
        }
    }

    fn call(
        &mut self,
        event: &HookEvent,
        call: &ToolCall,
        deciders: &mut dyn Deciders,
        additions: &mut Additions,
    ) -> (CombinedVerdict, CommandDetails) {
        let mut ruled = match self.rules(event, call) {
            Ok(ruled) => ruled,
            Err(outcome) => return (outcome, CommandDetails::default()),
        };
        self.respond(event, call, &mut ruled, deciders);
        let opinions = self.handlers(event, deciders, additions);
        let first = self.combine(call, &ruled, opinions);
        let Some(input) = additions.input().filter(|input| !input.means(&call.input)) else {
            return (first, ruled.seen(call));
        };
        let Some(changed) = call.with_input(event.agent, input.clone()) else {
            let outcome = self.ambiguous("the new arguments cannot be parsed");
            return (stricter(first, outcome), CommandDetails::default());
        };
        match self.rules(event, &changed) {
            Ok(mut ruled) => {
                self.respond(event, &changed, &mut ruled, deciders);
                (stricter(first, self.combine(&changed, &ruled, Vec::new())), ruled.seen(&changed))
            }
            Err(outcome) => (stricter(first, outcome), CommandDetails::default()),
        }
    }

    /// Matches the rules against each atom (C3). `Err` if the call or a policy cannot be read.
    fn rules(&self, event: &HookEvent, call: &ToolCall) -> Result<Ruled, CombinedVerdict> {
        let atoms = self.facts.atoms(call);
        let scene = self.scene(event, call);
        let agent = event.agent.id;
        let mut guards = self.policy.lists(agent).flat_map(|(_, lists)| lists.guards());
        if let Some(why) = guards.find_map(|rule| scene.ambiguous(rule)) {
            return Err(self.ambiguous(&why));
        }
        let candidates = CandidateRules::new(self, &scene, agent, &atoms.list);
        // Deny and ask rules come first, so that allow rules cannot use up their steps.
        let mut found: Vec<_> = atoms.list.iter().map(|atom| candidates.guarded(atom)).collect();
        for (atom, found) in atoms.list.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = candidates.granted(atom);
        }
        let allows =
            |said: &Option<Opinion>| said.as_ref().is_some_and(|said| said.verdict.kind() == VerdictKind::Allow);
        let (asked, says): (Vec<_>, Vec<_>) =
            atoms.list.iter().zip(&mut found).filter(|(atom, said)| !atom.watch_only && allows(said)).unzip();
        for (said, _) in says.into_iter().zip(candidates.could_guard(&asked)).filter(|(_, could)| *could) {
            *said = None;
        }
        // This matters only if every other atom is allowed.
        if atoms.list.iter().zip(&found).all(|(atom, said)| atom.watch_only || allows(said)) {
            let silent = atoms.list.iter().zip(&found).filter(|(_, said)| said.is_none());
            let asked: Vec<_> = silent.map(|(atom, _)| atom).collect();
            for (atom, could) in asked.iter().zip(candidates.could_guard(&asked)) {
                atom.withheld.set(could);
            }
        }
        let cut = atoms.cut || self.context.budget().is_spent();
        let mut ruled = Ruled { not_understood: atoms.not_understood.clone(), atoms, found, cut };
        if cut {
            ruled.not_understood.get_or_insert_with(|| "too large to analyse".to_owned());
        }
        match ruled.atoms.refused.as_ref().map(|why| self.ambiguous(why)) {
            // Earlier matches still count (C9).
            Some(refused) => Err(stricter(self.combine(call, &ruled, Vec::new()), refused)),
            None => Ok(ruled),
        }
    }

    /// The answer of the first `[[respond]]` that matches an atom, if no rule denies (C4).
    fn respond(&mut self, event: &HookEvent, call: &ToolCall, ruled: &mut Ruled, deciders: &mut dyn Deciders) {
        let denied = |found: &Opinion| found.verdict.kind() == VerdictKind::Deny;
        if ruled.cut || ruled.found.iter().flatten().any(denied) {
            return;
        }
        let scene = self.scene(event, call);
        let atoms = &ruled.atoms.list;
        let matched = |file: &PolicyFile, rule| {
            atoms.iter().position(|atom| scene.matches(rule, Side::Guard, atom, file.own.as_ref()))
        };
        let mut all = self.policy.full_files().flat_map(|file| file.responds.iter().map(move |one| (file, one)));
        let first = all.find_map(|(file, respond)| Some((file, respond, matched(file, &respond.rule)?)));
        let Some((file, respond, at)) = first else { return };
        let text = match &respond.answer {
            ResponseSource::Text(text) => Ok(text.clone()),
            ResponseSource::File(path) => {
                read_named(path).map_err(|error| format!("{}: cannot be read: {error}", self.policy.places.shown(path)))
            }
            ResponseSource::Command(command) => deciders.respond(command, respond.deadline_ms, event),
        };
        let opinion = match text {
            Ok(text) => {
                let mut response = Response::new(text);
                response.is_error = respond.is_error;
                response.silent = respond.silent;
                response.for_user.clone_from(&respond.for_user);
                let action = atoms.get(at).map(|atom| atom.words(call));
                let line = file.source.line(respond.rule.at);
                let cause = cause(file, &respond.rule.text, line, VerdictKind::Respond, action);
                Some(Opinion { verdict: Verdict::Respond(response), cause })
            }
            Err(why) => self.failed(&why),
        };
        if let (Some(opinion), Some(found)) = (opinion, ruled.found.get_mut(at)) {
            *found = Some(opinion);
        }
    }

    /// Combines all opinions into one verdict for the call (C5, C6).
    fn combine(&self, call: &ToolCall, ruled: &Ruled, handlers: Vec<Opinion>) -> CombinedVerdict {
        let silent = |atom: &Atom| {
            if !atom.is_not_understood() {
                return None;
            }
            let list = match self.policy.not_understood() {
                OnFailure::Pass => return None,
                OnFailure::Ask => List::Ask,
                OnFailure::Deny => List::Deny,
            };
            let why = ruled.not_understood.as_deref().unwrap_or("a command");
            let why = format!("{why} is not understood");
            Some(Opinion::built_in(list, "shell.not_understood", &why, atom.words(call)))
        };
        let outcome = CombinedVerdict::of_call(&ruled.atoms.list, &ruled.found, handlers, silent);
        if ruled.cut { stricter(outcome, self.too_large(ruled.not_understood.as_deref())) } else { outcome }
    }

    /// The answer to a call that takes too many steps; it is the same as for a call that takes too long.
    fn too_large(&self, why: Option<&str>) -> CombinedVerdict {
        let list = match self.policy.failures().deadline {
            _ if !self.gates => return CombinedVerdict::of_event(&[]),
            OnFailure::Pass => return CombinedVerdict::of_event(&[]),
            OnFailure::Ask => List::Ask,
            OnFailure::Deny => List::Deny,
        };
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        let why = format!("the call is too large to analyse{why}; split it into smaller ones");
        CombinedVerdict::one(Opinion::failure(list, "failure.deadline", &why))
    }

    /// The opinion caused by a failed handler (C9); `None` if only a remark is recorded.
    fn failed(&mut self, why: &str) -> Option<Opinion> {
        self.remarks.push(why.to_owned());
        let list = match self.policy.failures().handler {
            _ if !self.gates => return None,
            OnFailure::Pass => return None,
            OnFailure::Ask => List::Ask,
            OnFailure::Deny => List::Deny,
        };
        Some(Opinion::failure(list, "failure.handler", why))
    }

    fn ambiguous(&self, why: &str) -> CombinedVerdict {
        let list = match self.policy.failures().input {
            OnFailure::Pass | OnFailure::Deny => List::Deny,
            OnFailure::Ask => List::Ask,
        };
        CombinedVerdict::one(Opinion::failure(list, "failure.input", &format!("ambiguous input: {why}")))
    }

    fn scene<'s>(&'s self, event: &HookEvent, call: &'s ToolCall) -> Scene<'s> {
        let (keys, null_keeps_earlier_value) = (event.agent.keys, event.agent.null_keeps_earlier_value);
        let (input, names, lowercase_name, params) =
            (OnceCell::new(), OnceCell::new(), OnceCell::new(), RefCell::default());
        Scene { call, keys, null_keeps_earlier_value, input, names, lowercase_name, params, context: self.context }
    }

    /// Adds the texts for the model and the user at the start of a session.
    fn session(&mut self, event: &HookEvent, additions: &mut Additions) {
        if event.kind() != EventKind::SessionStart {
            return;
        }
        let (context, missing) = self.policy.session_context();
        for text in context {
            additions.context(text);
        }
        for notice in missing.into_iter().chain(self.policy.notices()) {
            self.remarks.push(notice.clone());
            additions.notice(notice);
        }
    }
}

/// Denies a call that was already answered in place of the tool and that the agent is about to run anyway.
fn answered(text: &str) -> CombinedVerdict {
    let reason = format!("this call was already answered in the tool's place: {text}");
    let cause = Cause::new(VerdictKind::Deny, "answered");
    CombinedVerdict::one(Opinion { verdict: Verdict::Deny { reason }, cause })
}

/// The cause for a rule or handler of a file.
fn cause(file: &PolicyFile, rule: &str, line: usize, verdict: VerdictKind, action: Option<String>) -> Cause {
    Cause { verdict, rule: rule.to_owned(), file: Some(file.source.shown.clone()), line: Some(line), action }
}

/// A judgement that contains only a decision.
impl From<Decision> for Judgement {
    fn from(decision: Decision) -> Self {
        Self { decision, causes: Vec::new(), remarks: Vec::new(), not_understood: None, parts: Vec::new() }
    }
}
