//! From rules and handlers to one verdict (C1-C7, C9).

mod asked;
mod atoms;
#[cfg(test)]
mod bounds;
mod concern;
mod handlers;
#[cfg(test)]
mod laws;
mod matching;
mod narrow;
mod protect;
mod riders;
mod skills;
mod speaking;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use handlers::{KINDS, words_of};

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;

use foldhash::fast::FixedState;
use snaphook_adapters::model::{
    Action, Decision, Detail, EventKind, HookEvent, Response, ToolCall, Verdict, VerdictKind,
};

use self::asked::asked;
use self::atoms::{Atom, Atoms, atoms};
use self::matching::Scene;
use self::protect::Guarded;
use self::riders::Riders;
use self::speaking::Speaking;
use self::verdict::{Opinion, Outcome, stricter};
use super::load::{Answer, PolicyFile, read_named};
use super::path::Ground;
use super::rule::{List, Side};
use super::settings::OnFailure;
use super::{Cause, Deciders, Judgement, PartSaid, Policy, PolicyFault};

impl Policy {
    /// Judges one event: rules over the actions of a call, handlers, context.
    ///
    /// Before a tool runs, and where the agent asks whether it may, rules and handlers speak; on
    /// every other event handlers and the session's context only.
    pub fn judge(&self, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
        let ground = Ground::new(event.into(), self.places.home.as_deref(), &self.places.temps);
        let gates = event.row.gates();
        Judging::new(self, &ground, gates).event(event, deciders)
    }
}

struct Judging<'a> {
    policy: &'a Policy,
    ground: &'a Ground,
    gates: bool,
    remarks: Vec<String>,
    /// The files that are protected, listed when a path may be one.
    guarded: OnceCell<Vec<Guarded>>,
    /// The last steps of their paths.
    names: OnceCell<HashSet<Cow<'static, str>, FixedState>>,
}

/// Holds what the rules say about each atom of a call.
struct Ruled {
    atoms: Atoms,
    /// One for each atom; `None`: no rule speaks.
    found: Vec<Option<Opinion>>,
    /// Whether the analysis stopped at a limit, so that rules may have more to say.
    cut: bool,
}

/// Holds what there is to tell about a command beside its verdict.
#[derive(Default)]
struct Seen {
    not_understood: Option<String>,
    parts: Vec<PartSaid>,
}

impl Ruled {
    /// What the rules say, piece by piece, where a command has several.
    fn seen(self, call: &ToolCall) -> Seen {
        let pieces = || self.atoms.list.iter().zip(&self.found);
        let shown = |(atom, said): &(&Atom, &Option<Opinion>)| said.is_some() || atom.is_shown();
        let several = pieces().filter(shown).nth(1).is_some()
            && call.actions.iter().any(|action| matches!(action, Action::Shell { .. }));
        let parts = pieces().filter(|piece| several && shown(piece)).map(|(atom, said)| PartSaid {
            action: atom.words(call),
            verdict: said.as_ref().map_or(VerdictKind::Pass, |said| said.verdict.kind()),
            rule: said.as_ref().map(|said| said.cause.rule.clone()),
        });
        let parts = parts.collect();
        Seen { parts, not_understood: self.atoms.not_understood }
    }
}

impl<'a> Judging<'a> {
    fn new(policy: &'a Policy, ground: &'a Ground, gates: bool) -> Self {
        let (guarded, names) = (OnceCell::new(), OnceCell::new());
        Self { policy, ground, gates, remarks: Vec::new(), guarded, names }
    }

    fn event(mut self, event: &HookEvent, deciders: &mut dyn Deciders) -> Judgement {
        let mut riders = Riders::default();
        let judged = matches!(event.kind(), EventKind::PreTool | EventKind::Permission);
        let (outcome, seen) = match &event.detail {
            Detail::Answered { text, .. } => (answered(text), Seen::default()),
            Detail::Tool(call) if judged => self.call(event, call, deciders, &mut riders),
            _ => {
                self.session(event, &mut riders);
                let opinions = self.handlers(event, deciders, &mut riders);
                (Outcome::of_event(&opinions), Seen::default())
            }
        };
        Judgement {
            decision: riders.ride(outcome.verdict.into()),
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
        riders: &mut Riders,
    ) -> (Outcome, Seen) {
        let mut ruled = match self.rules(event, call) {
            Ok(ruled) => ruled,
            Err(outcome) => return (outcome, Seen::default()),
        };
        self.respond(event, call, &mut ruled, deciders);
        let opinions = self.handlers(event, deciders, riders);
        let first = self.combine(call, &ruled, opinions);
        let Some(input) = riders.input().filter(|input| !input.means(&call.input)) else {
            return (first, ruled.seen(call));
        };
        let Some(changed) = call.with_input(event.agent, input.clone()) else {
            let outcome = self.ambiguous("the new arguments cannot be understood");
            return (stricter(first, outcome), Seen::default());
        };
        match self.rules(event, &changed) {
            Ok(mut ruled) => {
                self.respond(event, &changed, &mut ruled, deciders);
                (stricter(first, self.combine(&changed, &ruled, Vec::new())), ruled.seen(&changed))
            }
            Err(outcome) => (stricter(first, outcome), Seen::default()),
        }
    }

    /// What each rule says about each atom (C3); `Err` where the call or a policy cannot be read.
    fn rules(&self, event: &HookEvent, call: &ToolCall) -> Result<Ruled, Outcome> {
        let atoms = atoms(call, self.policy, self.ground);
        let scene = self.scene(event, call);
        let agent = event.agent.id;
        let unread = |fault: PolicyFault| self.unread(&fault);
        let lists = self.policy.lists(agent, &|| asked(&atoms.list, self.ground)).map_err(unread)?;
        let mut guards = lists.iter().flat_map(|(_, lists)| lists.guards());
        if let Some(why) = guards.find_map(|rule| scene.ambiguous(rule)) {
            return Err(self.ambiguous(&why));
        }
        let speaking = Speaking::new(self, &scene, agent, &lists, &atoms.list);
        // Deny and ask come first, so that their steps are not spent for allow.
        let mut found: Vec<_> = atoms.list.iter().map(|atom| speaking.guarded(atom)).collect();
        for (atom, found) in atoms.list.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = speaking.granted(atom);
        }
        let allows =
            |said: &Option<Opinion>| said.as_ref().is_some_and(|said| said.verdict.kind() == VerdictKind::Allow);
        let mut fault = None;
        let mut could_guard = |atoms: &[&Atom]| {
            speaking.could_guard(atoms).unwrap_or_else(|why| {
                fault.get_or_insert(why);
                vec![true; atoms.len()]
            })
        };
        let (asked, says): (Vec<_>, Vec<_>) =
            atoms.list.iter().zip(&mut found).filter(|(atom, said)| !atom.watch_only && allows(said)).unzip();
        for (said, _) in says.into_iter().zip(could_guard(&asked)).filter(|(_, could)| *could) {
            *said = None;
        }
        // Whether a silence counts is asked where nothing else keeps the call from being allowed.
        if atoms.list.iter().zip(&found).all(|(atom, said)| atom.watch_only || allows(said)) {
            let silent = |(atom, said): &(&Atom, &Option<Opinion>)| atom.watch_only && said.is_none();
            let asked: Vec<_> = atoms.list.iter().zip(&found).filter(silent).map(|(atom, _)| atom).collect();
            for (atom, could) in asked.iter().zip(could_guard(&asked)) {
                atom.withheld.set(could);
            }
        }
        let mut ruled = Ruled { atoms, found, cut: self.ground.steps().is_spent() };
        ruled.cut |= ruled.atoms.cut;
        if ruled.cut {
            ruled.atoms.not_understood.get_or_insert_with(|| "too large to analyse".to_owned());
        }
        let refused = fault.map(|fault| self.unread(&fault));
        let refused = refused.or_else(|| ruled.atoms.refused.as_ref().map(|why| self.ambiguous(why)));
        match refused {
            // What was found before holds (C9).
            Some(refused) => Err(stricter(self.combine(call, &ruled, Vec::new()), refused)),
            None => Ok(ruled),
        }
    }

    /// The answer of the first `[[respond]]` that matches any atom, where no rule denies (C4).
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
        let mut all = self.policy.whole_files().flat_map(|file| file.responds.iter().map(move |one| (file, one)));
        let first = all.find_map(|(file, respond)| Some((file, respond, matched(file, &respond.rule)?)));
        let Some((file, respond, at)) = first else { return };
        let text = match &respond.answer {
            Answer::Text(text) => Ok(text.clone()),
            Answer::File(path) => {
                read_named(path).map_err(|error| format!("{}: cannot be read: {error}", self.policy.places.shown(path)))
            }
            Answer::Command(command) => deciders.respond(command, respond.deadline_ms, event),
        };
        let opinion = match text {
            Ok(text) => {
                let mut response = Response::new(text);
                response.is_error = respond.is_error;
                response.silent = respond.silent;
                response.for_user.clone_from(&respond.for_user);
                let action = atoms.get(at).map(|atom| atom.words(call));
                let line = respond.rule.line(&file.source);
                let cause = cause(file, &respond.rule.text, line, VerdictKind::Respond, action);
                Some(Opinion { verdict: Verdict::Respond(response), cause })
            }
            Err(why) => self.failed(&why),
        };
        if let (Some(opinion), Some(found)) = (opinion, ruled.found.get_mut(at)) {
            *found = Some(opinion);
        }
    }

    /// One verdict for the call (C5, C6).
    fn combine(&self, call: &ToolCall, ruled: &Ruled, handlers: Vec<Opinion>) -> Outcome {
        let silent = |atom: &Atom| {
            if !atom.is_not_understood() {
                return None;
            }
            let list = match self.policy.not_understood() {
                OnFailure::Pass => return None,
                OnFailure::Ask => List::Ask,
                OnFailure::Deny => List::Deny,
            };
            let why = ruled.atoms.not_understood.as_deref().unwrap_or("a command");
            let why = format!("{why} is not understood");
            Some(Opinion::built_in(list, "shell.not_understood", &why, atom.words(call)))
        };
        let outcome = Outcome::of_call(&ruled.atoms.list, &ruled.found, handlers, silent);
        if ruled.cut { stricter(outcome, self.too_large(ruled.atoms.not_understood.as_deref())) } else { outcome }
    }

    /// What the policy says about a call that takes more steps than a call may take: what it says about one
    /// that takes too long.
    fn too_large(&self, why: Option<&str>) -> Outcome {
        let list = match self.policy.failures().deadline {
            _ if !self.gates => return Outcome::of_event(&[]),
            OnFailure::Pass => return Outcome::of_event(&[]),
            OnFailure::Ask => List::Ask,
            OnFailure::Deny => List::Deny,
        };
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        let why = format!("the call is too large to analyse{why}; split it into smaller ones");
        Outcome::one(Opinion::failure(list, "failure.deadline", &why))
    }

    /// What a failure of a handler does here (C9); `None`: nothing but a remark.
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

    fn ambiguous(&self, why: &str) -> Outcome {
        let list = match self.policy.failures().input {
            OnFailure::Pass | OnFailure::Deny => List::Deny,
            OnFailure::Ask => List::Ask,
        };
        Outcome::one(Opinion::failure(list, "failure.input", &format!("ambiguous input: {why}")))
    }

    /// What a policy that cannot be read does, where that was found out in the middle of a call.
    fn unread(&self, fault: &PolicyFault) -> Outcome {
        let list = match self.policy.failures().policy {
            OnFailure::Pass => return Outcome::of_event(&[]),
            OnFailure::Ask => List::Ask,
            OnFailure::Deny => List::Deny,
        };
        Outcome::one(Opinion::failure(list, "failure.policy", &fault.in_a_sentence()))
    }

    fn scene<'s>(&'s self, event: &HookEvent, call: &'s ToolCall) -> Scene<'s> {
        let (keys, keeps_nulls) = (event.agent.keys, event.agent.keeps_nulls);
        let (input, params) = (OnceCell::new(), RefCell::default());
        Scene { call, keys, keeps_nulls, input, params, ground: self.ground }
    }

    /// What the model and the user are told when a session starts.
    fn session(&mut self, event: &HookEvent, riders: &mut Riders) {
        if event.kind() != EventKind::SessionStart {
            return;
        }
        let (context, missing) = self.policy.session_context();
        for text in context {
            riders.context(text);
        }
        for notice in missing.into_iter().chain(self.policy.notices()) {
            self.remarks.push(notice.clone());
            riders.notice(notice);
        }
    }
}

/// A call that was answered in the tool's place, and that the agent is about to run all the same.
fn answered(text: &str) -> Outcome {
    let reason = format!("this call was already answered in the tool's place: {text}");
    let cause = Cause::new(VerdictKind::Deny, "answered");
    Outcome::one(Opinion { verdict: Verdict::Deny { reason }, cause })
}

/// Names a rule or handler of a file.
fn cause(file: &PolicyFile, rule: &str, line: usize, verdict: VerdictKind, action: Option<String>) -> Cause {
    Cause { verdict, rule: rule.to_owned(), file: Some(file.source.shown.clone()), line: Some(line), action }
}

/// A decision without anything: what a policy says that nobody asked.
impl From<Decision> for Judgement {
    fn from(decision: Decision) -> Self {
        Self { decision, causes: Vec::new(), remarks: Vec::new(), not_understood: None, parts: Vec::new() }
    }
}
