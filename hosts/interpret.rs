//! Predicts the effect of a reply by the rules of a data file.

use std::collections::BTreeMap;

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Detail, HookEvent, Reply, Target};
use snaphook_adapters::raw::{Keys, Object};

use crate::account::{EventAccount, is_for};
use crate::{Account, AnswerPart, Effect, Mark, Pattern};

/// The effect of a reply, and the parts of the reply that the agent uses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The effect.
    pub effect: Effect,
    /// The new values that the agent uses.
    pub changes: Vec<(Target, Raw)>,
    /// The texts that the agent shows to the model or the user, and the name of another tool.
    pub texts: Vec<(AnswerPart, String)>,
    /// The evidence for the effect; absent: unmeasured.
    pub mark: Option<Mark>,
}

impl Outcome {
    /// Returns the new value of a target.
    pub fn change(&self, target: Target) -> Option<&Raw> {
        self.changes.iter().find(|(of, _)| *of == target).map(|(_, value)| value)
    }

    /// Returns a text that the agent uses.
    pub fn text(&self, part: AnswerPart) -> Option<&str> {
        self.texts.iter().find(|(of, _)| *of == part).map(|(_, text)| text.as_str())
    }
}

impl Account {
    /// Predicts the effect of a reply.
    ///
    /// `host` is one of the hosts of the event's row. A reply that no rule describes is [`Effect::Unmeasured`].
    pub fn interpret(&self, event: &HookEvent, host: &str, reply: &Reply) -> Outcome {
        let mut outcome = Outcome { effect: Effect::Unmeasured, changes: Vec::new(), texts: Vec::new(), mark: None };
        let Some(account) = self.row(event.row) else { return outcome };
        let answer = ReceivedReply { event, reply, document: Raw::document(reply.stdout.as_str()) };
        let exits = |exit: Option<crate::Exit>| exit.is_none_or(|exit| exit.holds(reply.exit));
        let odd = reply.exit == 0
            && !account.accepts.is_empty()
            && answer.document.object().is_ok()
            && !accepted(account, &answer.document, "");
        // A reply with an unknown member is void: only the rule without conditions applies to it.
        let rule = account.effects_on(host).find(|rule| {
            if odd { rule.says.is_empty() && rule.exit.is_none() } else { exits(rule.exit) && answer.fits(&rule.says) }
        });
        let Some(rule) = rule else { return outcome };
        (outcome.effect, outcome.mark) = (rule.effect, Some(rule.mark));
        if odd || rule.void {
            return outcome;
        }
        for rule in account.parts.iter().filter(|rule| is_for(&rule.hosts, host) && exits(rule.exit)) {
            let heard = rule.at != "stderr" || reply.exit != 0;
            if !heard || !rule.part.goes_with(outcome.effect) || !answer.fits(&rule.says) {
                continue;
            }
            let Some(value) = answer.value(&rule.at) else { continue };
            match rule.part {
                AnswerPart::Change(Target::Request) if !changes_request(event, &value) => {}
                AnswerPart::Change(target) => outcome.changes.push((target, value)),
                part => {
                    let text = value.text().map_or_else(|| value.as_str().to_owned(), |text| text.value);
                    if part != AnswerPart::Tool || event.call().is_some_and(|call| call.name != text) {
                        outcome.texts.push((part, text));
                    }
                }
            }
        }
        outcome
    }
}

/// Returns true if a request that was sent back differs from the original in a member other than its messages. A
/// member that the reply omits becomes empty, which is a difference.
fn changes_request(event: &HookEvent, answered: &Raw) -> bool {
    let Detail::Request { request } = &event.detail else { return false };
    let (Ok(sent), Ok(answered)) = (request.object(), answered.object()) else { return false };
    let differs = |one: &Object, other: &Object| {
        one.members().any(|(key, value)| key != "messages" && other.last(key) != Some(value))
    };
    differs(&answered, &sent) || differs(&sent, &answered)
}

/// Returns true if the agent accepts every member of a document, at every level that its data file describes.
fn accepted(account: &EventAccount, document: &Raw, at: &str) -> bool {
    let Ok(object) = document.object() else { return true };
    object.members().all(|(key, value)| {
        let here = format!("{at}/{key}");
        let deeper = format!("{here}/");
        account.accepts.contains(&here)
            || (account.accepts.iter().any(|known| known.starts_with(&deeper)) && accepted(account, &value, &here))
    })
}

struct ReceivedReply<'a> {
    event: &'a HookEvent,
    reply: &'a Reply,
    document: Raw,
}

impl ReceivedReply<'_> {
    fn fits(&self, says: &BTreeMap<String, Pattern>) -> bool {
        says.iter().all(|(at, pattern)| pattern.describes(self.value(at).as_ref(), self.event))
    }

    fn value(&self, at: &str) -> Option<Raw> {
        let whole = |text: &str| Some(Raw::string(text.trim())).filter(|_| !text.trim().is_empty());
        match at {
            "stdout" => whole(&self.reply.stdout),
            "stderr" => whole(&self.reply.stderr),
            pointer => self.at(pointer).filter(|value| !value.is_null()),
        }
    }

    /// Follows a pointer with the key matching of the agent's own decoder.
    fn at(&self, pointer: &str) -> Option<Raw> {
        if self.event.agent.reply_keys == Keys::Exact {
            return self.document.at(pointer);
        }
        pointer.split('/').skip(1).try_fold(self.document.clone(), |here, step| match here.object() {
            Ok(object) => object.spelled(step).last(),
            Err(_) => here.at(&format!("/{step}")),
        })
    }
}
