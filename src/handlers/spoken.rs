//! Runs a handler that was written for an agent.

use snaphook_adapters::model::{Change, Decision, Detail, HookEvent, Reply, Target, ToolResult, Verdict, VerdictKind};
use snaphook_adapters::protocol::{SessionFolder, Transport};
use snaphook_hosts::{Effect, ReadAnswer, SpokenMessage, Subscription, Translator};
use snaphook_policy::{Handler, Speaks};

use super::matcher::accepts;
use super::run::{HandlerFailure, Input, Output};
use super::{Handlers, failure_message};

/// A shell exits with such a code if it cannot start a program, or if a signal ended the program.
const NOT_RUN: u8 = 126;

impl Handlers {
    /// Asks a handler in the wire form of the agent that it was written for, once for each call into which the event is translated.
    pub(super) fn spoken(&mut self, handler: &Handler, speaks: &Speaks, event: &HookEvent) -> Result<Decision, String> {
        let fail = |what: String| failure_message("handler", &handler.name, &HandlerFailure::new(what));
        let registered = self.registry.as_ref().and_then(|registry| registry.get(&speaks.agent));
        let protocol = registered.ok_or_else(|| fail(format!("unknown agent `{}`", speaks.agent)))?;
        let agent = protocol.agent();
        let translator = Translator::to(protocol)
            .ok_or_else(|| fail(format!("no data file describes how {} reads an answer", agent.id)))?;
        let matcher = speaks.matcher.as_deref().unwrap_or_default();
        let tools = |name: &str| accepts(agent.registration.matchers, matcher, name);
        let subscription = Subscription::new(&speaks.events, &tools);
        let mut total: Option<Decision> = None;
        let mut seen = event.clone();
        for turn in 0.. {
            // What one answer changed is part of the next message.
            let messages = match translator.messages(&seen, subscription) {
                Ok(messages) => messages,
                Err(why) if why.is_loss() => {
                    self.remarks.push(format!("handler `{}` was not asked: {why}", handler.name));
                    break;
                }
                Err(why) => return Err(fail(why.to_string())),
            };
            let Some(message) = messages.get(turn) else { break };
            let other = || message.subject().is_some_and(|subject| !tools(&subject));
            if message.event.call().is_none() && other() {
                continue;
            }
            let decision = self.answer(handler, &translator, message, &seen)?;
            for change in &decision.changes {
                seen = changed(&seen, change);
            }
            let blocks = decision.verdict.kind().blocks();
            total = Some(match total {
                None => decision,
                Some(before) => together(before, decision),
            });
            if blocks {
                break;
            }
        }
        Ok(total.unwrap_or_default())
    }

    fn answer(
        &mut self,
        handler: &Handler,
        translator: &Translator,
        message: &SpokenMessage,
        event: &HookEvent,
    ) -> Result<Decision, String> {
        let agent = translator.agent();
        let variable = match (agent.session_folder, event.project.as_deref().or(event.cwd.as_deref())) {
            (SessionFolder::Variable(name), Some(folder)) => Some((name, folder)),
            _ => None,
        };
        let ran = self.run(&handler.command, handler.deadline_ms, variable, Input::Message(&message.text));
        let Output { stdout, stderr, stderr_line, exit } =
            ran.map_err(|failure| failure_message("handler", &handler.name, &failure))?;
        let fail = |what: String| {
            let failure = HandlerFailure { what, stderr_line: stderr_line.clone() };
            Err(failure_message("handler", &handler.name, &failure))
        };
        let Ok(stdout) = String::from_utf8(stdout) else { return fail("its answer is not UTF-8".to_owned()) };
        let mut reply = Reply::document(stdout);
        if agent.transport == Transport::Lines {
            reply.stdout = reply.stdout.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
        } else {
            (reply.stderr, reply.exit) = (stderr, exit);
        }
        let ReadAnswer { decision, effect, .. } = translator.read(message, event, &reply);
        if exit >= NOT_RUN && !effect.blocks() {
            return fail(format!("exited with {exit}"));
        }
        if effect == Effect::Unmeasured {
            return fail(format!("the effect of its answer on {} is not known", agent.id));
        }
        if exit != 0 && decision == Decision::pass() {
            let line = stderr_line.map(|line| format!(": {line}")).unwrap_or_default();
            let says = format!("handler `{}` exited with {exit}, which {} ignores{line}", handler.name, agent.id);
            self.remarks.push(says);
        }
        Ok(decision)
    }
}

/// The decision about a call of which two parts were judged one after the other.
fn together(before: Decision, after: Decision) -> Decision {
    let strictness = |verdict: &Verdict| match verdict.kind() {
        VerdictKind::Allow => 0,
        VerdictKind::Pass => 1,
        VerdictKind::Ask | VerdictKind::KeepGoing => 2,
        VerdictKind::Respond => 3,
        VerdictKind::Deny => 4,
        VerdictKind::Abort => 5,
        VerdictKind::HardAbort => 6,
    };
    let joined = |one: Option<String>, other: Option<String>| match (one, other) {
        (Some(one), Some(other)) if one != other => Some(format!("{one}\n{other}")),
        (one, other) => one.or(other),
    };
    let mut both = Decision::pass();
    let is_stricter = strictness(&after.verdict) > strictness(&before.verdict);
    both.verdict = if is_stricter { after.verdict } else { before.verdict };
    // The later change contains the earlier one.
    both.changes = before.changes.into_iter().filter(|change| !has(&after.changes, change.target)).collect();
    both.changes.extend(after.changes);
    both.context = joined(before.context, after.context);
    both.notice = joined(before.notice, after.notice);
    both.summary = after.summary.or(before.summary);
    both
}

fn has(changes: &[Change], target: Target) -> bool {
    changes.iter().any(|change| change.target == target)
}

/// The event with a change, for the next message about it.
fn changed(event: &HookEvent, change: &Change) -> HookEvent {
    let mut event = event.clone();
    match (&mut event.detail, change.target) {
        (Detail::Tool(call), Target::Input) => {
            if let Some(new) = call.with_input(event.agent, change.value.clone()) {
                *call = new;
            }
        }
        (Detail::ToolDone { call, result }, Target::Result) => {
            let member = event.agent.fields.result_members.map(|(key, _)| format!("/{key}"));
            let pointer = member.or_else(|| call.row?.result_text.map(str::to_owned));
            let text = change.value.at(&pointer.unwrap_or_default());
            *result = ToolResult::new(change.value.clone()).text(text).is_error(result.is_error);
        }
        _ => {}
    }
    event
}
