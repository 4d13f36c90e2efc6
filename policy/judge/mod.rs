//! Judges calls by rules, and combines rules and handlers into one verdict (C1-C7, C9).

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
mod reach;
mod shared;
mod skills;
#[cfg(test)]
mod tests;
mod verdict;

pub use facts::CallFacts;
pub use handlers::AskedHandler;
pub use shared::SharedFacts;
pub use verdict::{CombinedVerdict, Opinion};

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use snaphook_adapters::model::{Action, EventKind, Response, Verdict, VerdictKind};

use self::atoms::{Atom, Atoms};
use self::candidates::CandidateRules;
use self::matching::Scene;
use self::protect::Protections;
use super::handler::words_of;
use super::load::{HandlerRule, PolicyFile, ResponseSource};
use super::path::PathContext;
use super::settings::OnFailure;
use super::{Cause, PartVerdict, Policy, PolicyCall};
use crate::list::{List, Side};

/// Runs the command of the response with this rule within so many milliseconds, and returns its output or why it failed.
pub type RunsCommand<'r> = &'r mut dyn FnMut(&str, &[String], u64) -> Result<String, String>;

/// Judges the calls of one event.
pub struct Judging<'a> {
    facts: &'a CallFacts<'a>,
    policy: &'a Policy,
    context: &'a PathContext<'a>,
    gates: bool,
    /// Problems that did not change the verdict.
    pub remarks: Vec<String>,
    protections: Protections<'a>,
}

/// The opinions of the rules on each atom of a call.
#[derive(Debug)]
pub struct RuledCall {
    atoms: Rc<Atoms>,
    /// The part of a command that could not be analysed.
    not_understood: Option<String>,
    /// The reason why a rule does not allow the call although it matches.
    withheld: Option<String>,
    /// One entry per atom; `None` if no rule matches.
    found: Vec<Option<Opinion>>,
    /// True if the analysis reached a limit, so that rules may have more matches.
    cut: bool,
}

/// Details of a command for the record.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct CommandDetails {
    /// The part that could not be analysed; `None` if all of it was.
    pub not_understood: Option<String>,
    /// The reason why a rule does not allow the call although it matches; `None` if there is none.
    pub withheld: Option<String>,
    /// The verdict of the rules on each part of a compound command.
    pub parts: Vec<PartVerdict>,
}

impl RuledCall {
    /// The opinions of the rules on each part, if a command has several parts.
    pub fn details(self, call: &PolicyCall<'_>) -> CommandDetails {
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
        CommandDetails { parts, not_understood: self.not_understood, withheld: self.withheld }
    }
}

impl<'a> Judging<'a> {
    pub(super) fn new(facts: &'a CallFacts<'a>, gates: bool) -> Self {
        let (policy, context) = (facts.policy, &facts.context);
        let protections = Protections::new(facts);
        Self { facts, policy, context, gates, remarks: Vec::new(), protections }
    }

    /// The verdict of the rules on a call, without responses and handlers.
    pub fn verdict(&self, call: &PolicyCall<'_>) -> CombinedVerdict {
        match self.rules(call) {
            Ok(ruled) => self.combine(call, &ruled, Vec::new()),
            Err(verdict) => *verdict,
        }
    }

    /// Matches the rules against each atom (C3).
    ///
    /// # Errors
    /// The verdict on a call that cannot be read.
    pub fn rules(&self, call: &PolicyCall<'_>) -> Result<RuledCall, Box<CombinedVerdict>> {
        let atoms = self.facts.atoms(call);
        let scene = self.scene(call);
        let candidates = CandidateRules::new(self.policy, &self.protections, &scene, &atoms.list);
        if let Some(why) = candidates.guards().find_map(|rule| scene.ambiguous(rule)) {
            return Err(Box::new(self.ambiguous(&why)));
        }
        // Deny and ask rules come first, so that allow rules cannot use up their steps.
        let mut found: Vec<_> = atoms.list.iter().map(|atom| candidates.guarded(atom)).collect();
        for (atom, found) in atoms.list.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = candidates.granted(atom);
        }
        let allows =
            |said: &Option<Opinion>| said.as_ref().is_some_and(|said| said.verdict.kind() == VerdictKind::Allow);
        let (asked, says): (Vec<_>, Vec<_>) =
            atoms.list.iter().zip(&mut found).filter(|(atom, said)| !atom.watch_only && allows(said)).unzip();
        let mut withheld = None;
        for (said, could) in says.into_iter().zip(candidates.could_guard(&asked)) {
            if could.is_some() {
                (*said, withheld) = (None, could);
            }
        }
        // This matters only if every other atom is allowed.
        if atoms.list.iter().zip(&found).all(|(atom, said)| atom.watch_only || allows(said)) {
            let silent = atoms.list.iter().zip(&found).filter(|(_, said)| said.is_none());
            let asked: Vec<_> = silent.map(|(atom, _)| atom).collect();
            for (atom, could) in asked.iter().zip(candidates.could_guard(&asked)) {
                atom.withheld.set(could.is_some());
                withheld = withheld.or(could);
            }
        }
        let cut = atoms.cut || self.context.budget().is_spent();
        let withheld = withheld.map(|rule| format!("the call is not allowed, because {rule} may apply to it"));
        let mut ruled = RuledCall { not_understood: atoms.not_understood.clone(), withheld, atoms, found, cut };
        if cut {
            ruled.not_understood.get_or_insert_with(|| "too large to analyse".to_owned());
        }
        match ruled.atoms.refused.as_ref().map(|why| self.ambiguous(why)) {
            // Earlier matches still count (C9).
            Some(refused) => Err(Box::new(self.combine(call, &ruled, Vec::new()).or_stricter(refused))),
            None => Ok(ruled),
        }
    }

    /// Adds the answer of the first `[[respond]]` that matches an atom, if no rule denies (C4).
    pub fn respond(&mut self, call: &PolicyCall<'_>, ruled: &mut RuledCall, run: RunsCommand<'_>) {
        let denied = |found: &Opinion| found.verdict.kind() == VerdictKind::Deny;
        if ruled.cut || ruled.found.iter().flatten().any(denied) {
            return;
        }
        let scene = self.scene(call);
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
                let read = self.policy.machine().read(path);
                read.map_err(|error| format!("{}: cannot be read: {error}", self.policy.shown(path)))
            }
            ResponseSource::Command(command) => run(&respond.rule.text, command, respond.deadline_ms),
        };
        let opinion = match text {
            Ok(text) => {
                let mut response = Response::new(text);
                response.is_error = respond.is_error;
                response.silent = respond.silent;
                response.for_user.clone_from(&respond.for_user);
                response.media.clone_from(&respond.media);
                response.artifact_tags.clone_from(&respond.artifact_tags);
                response.handled = respond.handled;
                let action = atoms.get(at).map(|atom| atom.words(call));
                let line = file.source.line(respond.rule.at);
                let cause = Cause::of(file, &respond.rule.text, line, VerdictKind::Respond, action);
                Some(Opinion { verdict: Verdict::Respond(response), cause })
            }
            Err(why) => self.failed(&why),
        };
        if let (Some(opinion), Some(found)) = (opinion, ruled.found.get_mut(at)) {
            *found = Some(opinion);
        }
    }

    /// Combines all opinions into one verdict for the call (C5, C6).
    pub fn combine(&self, call: &PolicyCall<'_>, ruled: &RuledCall, handlers: Vec<Opinion>) -> CombinedVerdict {
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
        if ruled.cut { outcome.or_stricter(self.too_large(ruled.not_understood.as_deref())) } else { outcome }
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
        CombinedVerdict::of_opinion(Opinion::failure(list, "failure.deadline", &why))
    }

    /// The opinion caused by a failed handler (C9); `None` if only a remark is recorded.
    pub fn failed(&mut self, why: &str) -> Option<Opinion> {
        self.remarks.push(why.to_owned());
        let list = match self.policy.failures().handler {
            _ if !self.gates => return None,
            OnFailure::Pass => return None,
            OnFailure::Ask => List::Ask,
            OnFailure::Deny => List::Deny,
        };
        Some(Opinion::failure(list, "failure.handler", why))
    }

    /// The verdict on a call whose arguments cannot be read for certain.
    pub fn ambiguous(&self, why: &str) -> CombinedVerdict {
        let list = match self.policy.failures().input {
            OnFailure::Pass | OnFailure::Deny => List::Deny,
            OnFailure::Ask => List::Ask,
        };
        CombinedVerdict::of_opinion(Opinion::failure(list, "failure.input", &format!("ambiguous input: {why}")))
    }

    fn scene<'s>(&'s self, call: &'s PolicyCall<'s>) -> Scene<'s> {
        let (input, names, lowercase_name, params) =
            (OnceCell::new(), OnceCell::new(), OnceCell::new(), RefCell::default());
        Scene { call, input, names, lowercase_name, params, context: self.context }
    }

    /// The handlers that are asked about an event of an agent, which may be a call.
    pub fn handlers(&self, kind: EventKind, agent: &str, call: Option<&PolicyCall<'_>>) -> Vec<AskedHandler<'a>> {
        let all = self.policy.full_files().flat_map(|file| file.handlers.iter().map(move |rule| (file, rule)));
        let asked = all.filter(|(file, rule)| self.is_asked(file, rule, kind, agent, call));
        asked.map(|(file, rule)| AskedHandler { file, rule }).collect()
    }

    fn is_asked(
        &self,
        file: &PolicyFile,
        one: &HandlerRule,
        kind: EventKind,
        agent: &str,
        call: Option<&PolicyCall<'_>>,
    ) -> bool {
        let words = words_of(kind);
        if !one.kinds.iter().any(|kind| words.contains(kind)) {
            return false;
        }
        if !one.is_for(agent) {
            return false;
        }
        if one.rules.is_empty() {
            return true;
        }
        let Some(call) = call else { return false };
        let scene = self.scene(call);
        let atoms = self.facts.atoms(call);
        let own = file.own.as_ref();
        let found =
            one.rules.iter().any(|rule| atoms.list.iter().any(|atom| scene.matches(rule, Side::Guard, atom, own)));
        // One that cannot be told is asked.
        found || atoms.cut || self.context.budget().is_spent()
    }
}

impl std::fmt::Debug for Judging<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judging").field("facts", self.facts).finish_non_exhaustive()
    }
}
