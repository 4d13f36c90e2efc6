//! Tests of the laws: each law must detect a protocol that replies wrongly.

mod common;

use rayon::prelude::*;
use snaphook_adapters::Raw;
use snaphook_adapters::fit::{Fitted, Limits, fit};
use snaphook_adapters::model::{
    Change, Command, Decision, HookEvent, Incoming, Reply, Target, ToolCall, Verdict, VerdictKind,
};
use snaphook_adapters::protocol::{Agent, Connection, EventRow, HookProtocol, Native, ParseError};
use snaphook_adapters::testing::{LAWS, Suite, decisions};
use snaphook_hosts::testing::HOST_LAWS;
use snaphook_hosts::{Account, Pattern, account};

/// Corrupts a reply. The first argument is the correct protocol.
type Corrupt = fn(&dyn HookProtocol, &HookEvent, &Fitted, Reply) -> Reply;

struct Sabotage {
    name: &'static str,
    /// The law that must detect the error.
    law: &'static str,
    corrupt: Corrupt,
}

const SABOTAGES: [Sabotage; 9] = [
    Sabotage { name: "ask turned into allow", law: "monotone", corrupt: ask_is_allow },
    Sabotage { name: "a required change dropped", law: "monotone", corrupt: change_is_dropped },
    Sabotage { name: "the event's name removed", law: "monotone", corrupt: event_name_is_removed },
    Sabotage { name: "the deny word misspelt", law: "monotone", corrupt: deny_is_misspelt },
    Sabotage { name: "the id as a string", law: "monotone", corrupt: id_is_a_string },
    Sabotage { name: "`call` without `tool`", law: "monotone", corrupt: call_has_no_tool },
    Sabotage { name: "abort answered like deny", law: "one meaning", corrupt: abort_is_deny },
    Sabotage { name: "a second line on stdout", law: "shape", corrupt: two_lines },
    Sabotage { name: "a block without a reply", law: "refusal", corrupt: block_is_empty },
];

#[test]
fn every_sabotage_that_changes_an_effect_is_detected() {
    let described = common::described();
    let is_idle = |sabotage: &&Sabotage| {
        let applied = described.iter().filter(|(suite, account)| {
            let broken = suite.under(Saboteur::new(suite.protocol(), sabotage.corrupt));
            let applies = makes_a_difference(suite, account, &broken, sabotage.law);
            let id = suite.protocol().agent().id;
            let seen = !applies || !breaches(&broken, account, sabotage.law).is_empty();
            assert!(seen, "{id}: {} is not detected by the law `{}`", sabotage.name, sabotage.law);
            applies
        });
        applied.count() == 0
    };
    let idle: Vec<_> = SABOTAGES.par_iter().filter(is_idle).map(|sabotage| sabotage.name).collect();
    assert!(idle.is_empty(), "these have no effect on any agent: {idle:?}");
}

fn breaches(broken: &Suite, account: &Account, law: &str) -> Vec<String> {
    let pure = LAWS.iter().filter(|known| known.name == law).flat_map(|law| (law.check)(broken));
    let hosts = HOST_LAWS.iter().filter(|known| known.name == law).flat_map(|law| (law.check)(broken, account));
    pure.chain(hosts).collect()
}

/// Returns true if the sabotage changes any reply. For the law about the agent's behaviour, returns true if it changes
/// an effect or an accepted change.
fn makes_a_difference(honest: &Suite, account: &Account, broken: &Suite, law: &str) -> bool {
    honest.judged().any(|(_, event)| {
        decisions(&event).into_iter().any(|decision| {
            let (fitted, _) = fit(decision, &event, &Limits::default());
            let (good, bad) = (honest.protocol().format(&event, &fitted), broken.protocol().format(&event, &fitted));
            let differs = |host: &&str| {
                let (good, bad) = (account.interpret(&event, host, &good), account.interpret(&event, host, &bad));
                // An edited reply is written again, with other blanks.
                let mut pairs = good.changes.iter().zip(&bad.changes);
                let same = pairs.all(|(good, bad)| good.0 == bad.0 && good.1.means(&bad.1));
                good.effect != bad.effect || good.changes.len() != bad.changes.len() || !same
            };
            good != bad && (law != "monotone" || event.row.hosts.iter().any(differs))
        })
    })
}

fn ask_is_allow(honest: &dyn HookProtocol, event: &HookEvent, fitted: &Fitted, reply: Reply) -> Reply {
    let verdict = fitted.verdict();
    if verdict.kind() != VerdictKind::Ask && !verdict.reason().contains("cannot ask for approval") {
        return reply;
    }
    reply_with(honest, event, Decision::allow())
}

fn change_is_dropped(honest: &dyn HookProtocol, event: &HookEvent, fitted: &Fitted, reply: Reply) -> Reply {
    if Target::ALL.iter().all(|target| fitted.change(*target).is_none()) {
        return reply;
    }
    reply_with(honest, event, fitted.verdict().clone().into())
}

fn event_name_is_removed(_: &dyn HookProtocol, _: &HookEvent, _: &Fitted, reply: Reply) -> Reply {
    ["hookEventName", "hook_event_name"].iter().fold(reply, |reply, key| {
        edit(reply, |at, value| if at.ends_with(&format!("/{key}")) { None } else { Some(value) })
    })
}

fn deny_is_misspelt(_: &dyn HookProtocol, event: &HookEvent, _: &Fitted, reply: Reply) -> Reply {
    let rules = account(event.agent.id).and_then(|account| account.row(event.row)).map(|event| &event.effects);
    let blocking = rules.into_iter().flatten().filter(|rule| rule.effect.blocks()).flat_map(|rule| &rule.says);
    let word = |(at, pattern): (&'static String, &'static Pattern)| match pattern {
        Pattern::Word(word) => Some((at, word)),
        _ => None,
    };
    let words: Vec<_> = blocking.filter_map(word).collect();
    edit(reply, |at, value| {
        let deny = words.iter().any(|(place, word)| *place == at && value == Raw::string(word).as_str());
        Some(if deny { value.replacen('d', "b", 1).replacen("bl", "dl", 1) } else { value })
    })
}

fn id_is_a_string(_: &dyn HookProtocol, _: &HookEvent, _: &Fitted, reply: Reply) -> Reply {
    edit(reply, |at, value| Some(if at == "/id" { format!("\"{value}\"") } else { value }))
}

fn call_has_no_tool(_: &dyn HookProtocol, _: &HookEvent, _: &Fitted, reply: Reply) -> Reply {
    edit(reply, |at, value| (!at.ends_with("/call/tool")).then_some(value))
}

fn abort_is_deny(honest: &dyn HookProtocol, event: &HookEvent, fitted: &Fitted, reply: Reply) -> Reply {
    match fitted.verdict() {
        Verdict::Abort { reason } | Verdict::HardAbort { reason } => reply_with(honest, event, Decision::deny(reason)),
        _ => reply,
    }
}

fn two_lines(_: &dyn HookProtocol, _: &HookEvent, fitted: &Fitted, mut reply: Reply) -> Reply {
    if fitted.verdict().kind().blocks() {
        reply.stdout = format!("checking\n{}", reply.stdout);
    }
    reply
}

fn block_is_empty(_: &dyn HookProtocol, _: &HookEvent, fitted: &Fitted, reply: Reply) -> Reply {
    if fitted.verdict().kind().blocks() { Reply::silent() } else { reply }
}

fn reply_with(honest: &dyn HookProtocol, event: &HookEvent, decision: Decision) -> Reply {
    honest.format(event, &fit(decision, event, &Limits::default()).0)
}

/// Returns the document with each member as `with` returns it; `None` removes the member.
fn edit(mut reply: Reply, with: impl Fn(&str, String) -> Option<String>) -> Reply {
    let document = Raw::document(reply.stdout.as_str());
    let edited = rebuild(&document, "", &with);
    if edited != rebuild(&document, "", &|_, value| Some(value)) {
        reply.stdout = edited;
    }
    reply
}

fn rebuild(value: &Raw, at: &str, with: &impl Fn(&str, String) -> Option<String>) -> String {
    let Ok(object) = value.object() else { return value.as_str().to_owned() };
    let members = object.members().filter_map(|(key, value)| {
        let at = format!("{at}/{key}");
        let value = with(&at, rebuild(&value, &at, with))?;
        Some(format!("{}:{value}", Raw::string(key).as_str()))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

struct Saboteur {
    honest: &'static dyn HookProtocol,
    corrupt: Corrupt,
}

impl Saboteur {
    fn new(honest: &'static dyn HookProtocol, corrupt: Corrupt) -> &'static Self {
        Box::leak(Box::new(Self { honest, corrupt }))
    }
}

impl HookProtocol for Saboteur {
    fn agent(&self) -> &'static Agent {
        self.honest.agent()
    }

    fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        self.honest.parse(native)
    }

    fn format(&self, event: &HookEvent, fitted: &Fitted) -> Reply {
        (self.corrupt)(self.honest, event, fitted, self.honest.format(event, fitted))
    }

    fn rewrite(&self, call: &ToolCall, wrap: &dyn Fn(&Command) -> Option<Command>) -> Option<Change> {
        self.honest.rewrite(call, wrap)
    }

    fn session_context(&self) -> Option<&'static EventRow> {
        self.honest.session_context()
    }

    fn remember(&self, connection: &mut Connection, event: &HookEvent, fitted: &Fitted) {
        self.honest.remember(connection, event, fitted);
    }
}
