//! Reads the answer of a hook as its own agent would, and returns the decision about the event.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{Change, Decision, EventKind, HookEvent, Reply, Response, Target, Verdict};
use snaphook_adapters::protocol::Power;

use super::{SpokenMessage, Translator};
use crate::{AnswerPart, Effect, Outcome};

/// The decision that an answer means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadAnswer {
    /// The decision about the native event.
    pub decision: Decision,
    /// The effect that the answer has on the agent of the hook.
    pub effect: Effect,
}

impl Translator {
    /// Reads an answer to a message. A change that the native event has no place for denies the event.
    pub fn read(&self, message: &SpokenMessage, event: &HookEvent, reply: &Reply) -> ReadAnswer {
        let outcome = self.account.interpret(&message.event, Self::host(message.event.row), reply);
        let effect = outcome.effect;
        let mut decision = Decision::from(Self::verdict(message, &outcome));
        let joined = |part: AnswerPart| {
            let texts = outcome.texts.iter().filter(|(of, _)| *of == part).map(|(_, text)| text.as_str());
            let texts: Vec<_> = texts.filter(|text| !text.trim().is_empty()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        };
        decision.context = joined(AnswerPart::Context);
        decision.notice = joined(AnswerPart::Notice);
        decision.summary = joined(AnswerPart::Summary);
        if event.agent.id == self.agent().id {
            decision.extra = Self::extras(message, reply);
        }
        if decision.verdict.kind().blocks() {
            return ReadAnswer { decision, effect };
        }
        for (target, value) in &outcome.changes {
            let tool = outcome.text(AnswerPart::Tool).filter(|_| *target == Target::Input);
            match self.change(message, event, *target, value, tool) {
                Ok(change) => decision.changes.extend(change),
                Err(why) => {
                    decision.changes.clear();
                    decision.verdict = Verdict::Deny { reason: format!("it was changed, but {why}") };
                    break;
                }
            }
        }
        ReadAnswer { decision, effect }
    }

    fn verdict(message: &SpokenMessage, outcome: &Outcome) -> Verdict {
        let text = |part: AnswerPart| outcome.text(part).unwrap_or_default().to_owned();
        let reason = text(AnswerPart::Reason);
        let is_exact = message.call.as_ref().is_none_or(|call| call.is_exact);
        match outcome.effect {
            Effect::Asks if !message.event.row.can(Power::SilenceAsks) => Verdict::Ask { reason },
            Effect::Approves if is_exact => Verdict::Allow { reason },
            Effect::Blocks | Effect::RefusesStart => Verdict::Deny { reason },
            Effect::Responds => {
                let result = outcome.change(Target::Result).and_then(|value| Some(value.text()?.value));
                Verdict::Respond(Response::new(result.unwrap_or(reason)))
            }
            // The turn ends after the tool; there is no such verdict, so that the tool does not run.
            Effect::Stops | Effect::RunsThenStops => Verdict::Abort { reason },
            Effect::StopsHard => Verdict::HardAbort { reason },
            Effect::Continues => Verdict::KeepGoing { reason },
            _ => Verdict::Pass,
        }
    }

    fn change(
        &self,
        message: &SpokenMessage,
        event: &HookEvent,
        target: Target,
        value: &Raw,
        tool: Option<&str>,
    ) -> Result<Option<Change>, String> {
        let own = event.agent.id == self.agent().id;
        if let Some(tool) = tool {
            let change = Change::required(target, value.clone()).tool(tool);
            return if own {
                Ok(Some(change))
            } else {
                Err(format!("{} does not know its tool {tool}", event.agent.name))
            };
        }
        let (Some(spoken), Some(native)) = (&message.call, event.call()) else {
            let is_prompt = target == Target::Prompt && event.kind() == EventKind::Prompt;
            return Ok((own || is_prompt).then(|| Change::required(target, value.clone())));
        };
        let value = match target {
            Target::Input => spoken.native_input(self.agent(), native, value)?,
            Target::Result => self.native_result(event, spoken, value)?,
            _ => value.clone(),
        };
        let is_same = target == Target::Input && value.means(&native.input);
        Ok((!is_same).then(|| Change::required(target, value)))
    }

    /// Returns the native members of an answer to the agent's own event.
    fn extras(message: &SpokenMessage, reply: &Reply) -> Vec<(String, Raw)> {
        let document = Raw::document(reply.stdout.as_str());
        let extras = message.event.row.extras();
        let found = extras.filter_map(|extra| Some((extra, document.at(extra.at)?)));
        let taken = found.filter(|(extra, value)| extra.takes.describes(value));
        taken.map(|(extra, value)| (extra.key().to_owned(), value)).collect()
    }
}
