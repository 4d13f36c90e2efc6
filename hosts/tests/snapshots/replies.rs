//! The replies of one row to every decision of the test set, with equal ones together.

use std::collections::BTreeMap;

use serde_json::Value;
use snaphook_adapters::fit::{Limits, fit};
use snaphook_adapters::model::{Change, Decision, HookEvent, Incoming, Reply, Target, VerdictKind};
use snaphook_adapters::protocol::{HookProtocol, Power};
use snaphook_adapters::testing::{decisions, describe, new_value, sample, value, with_additions};
use snaphook_hosts::Account;

use crate::form::form;
use crate::row_page::Message;
use crate::words::seen;

/// The reply to one decision about one event.
pub(crate) struct Answer {
    /// The decision in a few words.
    decision: String,
    /// The fixture with the event.
    fixture: String,
    /// The reply.
    pub(crate) reply: Reply,
    /// The effect for the user of the agent.
    pub(crate) seen: String,
    losses: Vec<String>,
    form: Value,
}

impl Answer {
    fn is_like(&self, other: &Self) -> bool {
        let rest = |answer: &Self| (answer.reply.exit, answer.reply.stderr.clone(), answer.seen.clone());
        self.form == other.form && rest(self) == rest(other)
    }
}

/// One distinct reply of a row.
pub(crate) struct Distinct<'a> {
    /// An answer with this reply.
    pub(crate) example: &'a Answer,
    /// The decisions with this reply, after the fixtures to which they are limited; no fixtures: not limited.
    pub(crate) decisions: BTreeMap<Vec<&'a str>, Vec<&'a str>>,
    /// The losses of these decisions.
    pub(crate) losses: Vec<&'a str>,
}

/// The replies of one row to every decision about each of its fixtures, in groups of the same form.
pub(crate) struct Replies {
    groups: Vec<Vec<Answer>>,
}

impl Replies {
    /// Collects the replies. The fixture with the most usual replies comes first.
    pub(crate) fn new(protocol: &dyn HookProtocol, messages: &[&Message], account: Option<&Account>) -> Self {
        let answers = |message: &&Message| answers(protocol, message, account);
        let by_fixture: Vec<Vec<Answer>> = messages.iter().map(answers).collect();
        let like = |answer: &Answer| {
            let others = by_fixture.iter().flatten();
            others.filter(|other| other.decision == answer.decision && other.is_like(answer)).count()
        };
        let usual: Vec<usize> = by_fixture.iter().map(|answers| answers.iter().map(like).sum()).collect();
        let mut order: Vec<_> = by_fixture.into_iter().zip(usual).collect();
        order.sort_by_key(|(_, usual)| std::cmp::Reverse(*usual));
        let mut groups: Vec<Vec<Answer>> = Vec::new();
        for answer in order.into_iter().flat_map(|(answers, _)| answers) {
            match groups.iter_mut().find(|group| group.iter().any(|other| other.is_like(&answer))) {
                Some(group) => group.push(answer),
                None => groups.push(vec![answer]),
            }
        }
        Self { groups }
    }

    /// Returns the fixture whose replies are shown; a reply that it does not get is limited to others.
    pub(crate) fn example(&self) -> Option<&str> {
        Some(&self.groups.first()?.first()?.fixture)
    }

    /// Returns each distinct reply, in the order of the decisions.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = Distinct<'_>> {
        self.groups.iter().filter_map(|group| {
            let mut decisions: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
            for decision in unique(group.iter().map(|answer| answer.decision.as_str())) {
                decisions.entry(self.limited(group, decision)).or_default().push(decision);
            }
            let losses = unique(group.iter().flat_map(|answer| &answer.losses).map(String::as_str));
            Some(Distinct { example: group.first()?, decisions, losses })
        })
    }

    /// Returns the fixtures with which a decision gets this reply, or none if the example is among them.
    fn limited<'a>(&self, group: &'a [Answer], decision: &str) -> Vec<&'a str> {
        let answers = group.iter().filter(|answer| answer.decision == decision);
        let fixtures: Vec<_> = answers.map(|answer| answer.fixture.as_str()).collect();
        if self.example().is_some_and(|example| fixtures.contains(&example)) { Vec::new() } else { fixtures }
    }
}

fn unique<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut out = Vec::new();
    for text in texts {
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

fn answers(protocol: &dyn HookProtocol, message: &Message, account: Option<&Account>) -> Vec<Answer> {
    let fixture = message.fixture.stem.clone();
    match &message.incoming {
        Incoming::Event(event) => {
            let answer = |decision: Decision| {
                let words = describe(&decision);
                let (fitted, losses) = fit(decision, event, &Limits::default());
                let reply = protocol.format(event, &fitted);
                Answer {
                    decision: words,
                    fixture: fixture.clone(),
                    seen: seen(event, &reply, account),
                    losses: losses.iter().map(ToString::to_string).collect(),
                    form: form(event, &fitted, &reply),
                    reply,
                }
            };
            decisions_on_page(event).into_iter().map(answer).collect()
        }
        Incoming::Handshake { reply, .. } => vec![Answer {
            decision: "every handshake".to_owned(),
            fixture,
            reply: reply.clone(),
            seen: String::new(),
            losses: Vec::new(),
            form: Value::Null,
        }],
        _ => Vec::new(),
    }
}

/// Returns the eight verdicts first, then a change of each target that the event has, the texts, and each native member
/// with the first verdict that allows it.
fn decisions_on_page(event: &HookEvent) -> Vec<Decision> {
    let plain: Vec<_> = decisions(event)
        .into_iter()
        .filter(|decision| decision.changes.is_empty() && decision.context.is_none() && decision.extra.is_empty())
        .collect();
    let mut out = plain.clone();
    for target in Target::ALL {
        if value(event, target).is_none() && !event.row.can(Power::Change(target)) {
            continue;
        }
        let Some(value) = new_value(event, target) else { continue };
        for decision in plain.iter().take(3) {
            out.push(decision.clone().change(Change::required(target, value.clone())));
        }
        out.push(Decision::pass().change(Change::optional(target, value)));
    }
    let kinds =
        [VerdictKind::Pass, VerdictKind::Allow, VerdictKind::Deny, VerdictKind::Respond, VerdictKind::KeepGoing];
    out.extend(plain.iter().filter(|d| kinds.contains(&d.verdict.kind())).map(|d| with_additions(event, d.clone())));
    for extra in event.row.extras() {
        let first = plain.iter().find(|decision| extra.allows_verdict(decision.verdict.kind()));
        out.extend(first.map(|decision| decision.clone().extra(extra.key(), sample(extra))));
    }
    out
}
