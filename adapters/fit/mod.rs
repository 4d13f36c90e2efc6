//! Lowers a decision to the powers of an event, never to a more permissive one, and reports the losses.

mod loss;
mod text;

pub use loss::Loss;
pub use text::{Limits, cut, one_paragraph};

use crate::Raw;
use crate::model::{Change, Decision, Detail, HookEvent, Need, Response, Target, Verdict, VerdictKind};
use crate::protocol::{Extra, Power};

/// A decision that its event can express. Only [`fit`] creates one, so a reply writer receives no other decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    verdict: Verdict,
    changes: Vec<(Target, Raw)>,
    tool: Option<String>,
    context: Option<String>,
    notice: Option<String>,
    summary: Option<String>,
    extra: Vec<(&'static str, Raw)>,
}

impl Fitted {
    /// Returns the verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Returns the complete new value of a target, or `None` if the target does not change.
    pub fn change(&self, target: Target) -> Option<&Raw> {
        self.changes.iter().find(|(of, _)| *of == target).map(|(_, value)| value)
    }

    /// Returns the tool that gets the new arguments, or `None` if it is the one that was called.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Returns the text for the model.
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// Returns the text for the user.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Returns the summary of a compacted conversation.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// Returns the native members, with the JSON pointer of each.
    pub fn extra(&self) -> &[(&'static str, Raw)] {
        &self.extra
    }

    /// Returns true if the decision is pass without changes, texts or native members.
    pub fn is_silent(&self) -> bool {
        self.verdict == Verdict::Pass
            && self.changes.is_empty()
            && self.context.is_none()
            && self.notice.is_none()
            && self.summary.is_none()
            && self.extra.is_empty()
    }

    /// Returns an upper bound for the length of the reply, in bytes. Escaping makes a text at most six times as long,
    /// and some agents expect their own message in the reply.
    fn longest(&self, event: &HookEvent) -> usize {
        let response = match &self.verdict {
            Verdict::Respond(response) => {
                let lists =
                    response.media.iter().chain(&response.artifact_tags).map(|text| text.len() + 1).sum::<usize>();
                response.text.len() + response.for_user.as_ref().map_or(0, String::len) + lists
            }
            verdict => verdict.reason().len(),
        };
        let texts = [&self.context, &self.notice, &self.summary].into_iter().flatten().map(String::len).sum::<usize>();
        let values = self.changes.iter().map(|(_, value)| value.len()).sum::<usize>();
        let extra = self.extra.iter().map(|(at, value)| at.len() + value.len()).sum::<usize>();
        let tool = self.tool.as_ref().map_or(0, String::len);
        6 * (response + texts + tool) + values + extra + event.raw.len() + FRAME
    }

    fn of(verdict: Verdict) -> Self {
        Self { verdict, changes: Vec::new(), tool: None, context: None, notice: None, summary: None, extra: Vec::new() }
    }
}

/// An upper bound for the length of a reply without its texts and values, in bytes.
const FRAME: usize = 4096;

/// Lowers a decision to the powers of an event.
///
/// The losses are in the order in which they occurred. On a gate, no loss weakens the decision ([`Loss::weakens`]). On
/// other events a block may be impossible, which is reported as a loss.
pub fn fit(decision: Decision, event: &HookEvent, limits: &Limits) -> (Fitted, Vec<Loss>) {
    let mut fitting = Fitting { event, limits, losses: Vec::new() };
    let fitted = fitting.fit_to_length(decision);
    (fitted, fitting.losses)
}

struct Fitting<'a> {
    event: &'a HookEvent,
    limits: &'a Limits,
    losses: Vec<Loss>,
}

impl Fitting<'_> {
    /// Fits a decision, and removes parts of it if the reply would exceed the length that the agent reads.
    fn fit_to_length(&mut self, decision: Decision) -> Fitted {
        let Some(max) = self.event.agent.max_reply else { return self.fit(decision) };
        let fitted = self.fit(decision.clone());
        debug_assert!(self.len(&fitted) <= fitted.longest(self.event), "the upper bound holds");
        if fitted.longest(self.event) < max || self.len(&fitted) < max {
            return fitted;
        }
        self.losses.clear();
        self.losses.push(Loss::TooLong { max });
        let required = decision.changes.iter().any(|change| change.need == Need::Required);
        let blocks = decision.verdict.kind().blocks();
        if self.event.row.gates() || required || blocks {
            let reason = match &decision.verdict {
                verdict if blocks => cut(verdict.reason(), self.limits.reason.min(self.max_reason())),
                _ => format!("the reply would exceed the {max} bytes that the agent reads"),
            };
            let before = self.losses.len();
            let fitted = self.block(decision.verdict.kind(), &reason, VerdictKind::Deny);
            if self.len(&fitted) < max {
                return fitted;
            }
            // The rest of a replaced result is still sent, while an abort is short.
            self.losses.truncate(before);
            return self.block(decision.verdict.kind(), &reason, VerdictKind::Abort);
        }
        for change in &decision.changes {
            self.losses.push(Loss::Change {
                target: change.target,
                need: change.need,
                why: "too long",
                blocked: false,
            });
        }
        let fitted = self.fit(Decision { changes: Vec::new(), ..decision.clone() });
        if self.len(&fitted) < max {
            return fitted;
        }
        self.losses.push(Loss::Context);
        Fitted::of(Verdict::Pass)
    }

    fn len(&self, fitted: &Fitted) -> usize {
        (self.event.row.reply)(self.event, fitted).stdout.len()
    }

    fn fit(&mut self, decision: Decision) -> Fitted {
        let Decision { verdict, changes, context, notice, summary, extra } = decision;
        let wanted = verdict.kind();
        let mut fitted = self.verdict(verdict);
        // A result that was replaced by the reason is a block, to which no changes are added.
        if !fitted.verdict.kind().blocks() && fitted.changes.is_empty() {
            for change in changes {
                if let Some(blocked) = self.change(&change, &mut fitted) {
                    fitted = blocked;
                    break;
                }
            }
        }
        self.needs_change(&mut fitted);
        let blocks = fitted.verdict.kind().blocks();
        // A compaction that is blocked has no summary.
        let (context_power, notice_power, summary_power) = if blocks {
            (Power::ContextOnBlock, Power::NoticeOnBlock, None)
        } else {
            (Power::Context, Power::Notice, Some(Power::Summary))
        };
        let goes_on = fitted.verdict.kind() == VerdictKind::KeepGoing && self.can(Power::ContextOnKeepGoing);
        let alone = !blocks && fitted.changes.is_empty() && self.can(Power::ContextWithoutChange);
        let context_power = match () {
            () if goes_on => Power::ContextOnKeepGoing,
            () if alone => Power::ContextWithoutChange,
            () => context_power,
        };
        fitted.context = self.text_for(context, Some(context_power), Loss::Context);
        fitted.notice = self.text_for(notice, Some(notice_power), Loss::Notice);
        fitted.summary = self.text_for(summary, summary_power, Loss::Summary);
        let mut is_alone = false;
        for (key, value) in extra {
            if is_alone {
                self.losses.push(Loss::Extra { key });
                continue;
            }
            match self.event.row.extras().find(|extra| extra.key() == key) {
                Some(extra) if self.accepts(extra, &value, wanted, &fitted) => {
                    is_alone |= extra.exclusive;
                    fitted.extra.push((extra.at, value));
                }
                _ => self.losses.push(Loss::Extra { key }),
            }
        }
        fitted
    }

    /// Returns true if the agent accepts a native member with this reply. A member for pass is not sent with an empty
    /// reply that makes the agent ask.
    fn accepts(&self, extra: &Extra, value: &Raw, wanted: VerdictKind, fitted: &Fitted) -> bool {
        let is_silence = wanted == VerdictKind::Ask && fitted.verdict == Verdict::Pass;
        let asks_so = is_silence && (self.can(Power::SilenceAsks) || self.can(Power::AskLater));
        extra.allows_verdict(if asks_so { wanted } else { fitted.verdict.kind() })
            && extra.takes.describes(value)
            && (!extra.exclusive || fitted.is_silent())
    }

    fn verdict(&mut self, verdict: Verdict) -> Fitted {
        use VerdictKind as V;
        let wanted = verdict.kind();
        if self.event.kind().ends_turn() && matches!(wanted, V::Ask | V::Deny | V::Respond) {
            return self.unenforceable(wanted);
        }
        match verdict {
            Verdict::Pass => Fitted::of(Verdict::Pass),
            Verdict::Allow { reason } if self.can(Power::Allow) => {
                let reason = if reason.trim().is_empty() { String::new() } else { self.reason(&reason) };
                Fitted::of(Verdict::Allow { reason })
            }
            Verdict::Ask { reason } => self.ask(&reason),
            Verdict::Deny { reason } => self.block(wanted, &reason, V::Deny),
            Verdict::Respond(response) => self.respond(response),
            Verdict::Abort { reason } => self.block(wanted, &reason, V::Abort),
            Verdict::HardAbort { reason } => self.block(wanted, &reason, V::HardAbort),
            Verdict::KeepGoing { reason } if self.can(Power::KeepGoing) => {
                Fitted::of(Verdict::KeepGoing { reason: self.reason(&reason) })
            }
            Verdict::Allow { .. } | Verdict::KeepGoing { .. } => {
                self.lowered(wanted, V::Pass);
                Fitted::of(Verdict::Pass)
            }
        }
    }

    fn ask(&mut self, reason: &str) -> Fitted {
        if self.can(Power::Ask) {
            let reason = if reason.trim().is_empty() { "needs approval" } else { reason };
            return Fitted::of(Verdict::Ask { reason: self.limits.reason(reason, self.max_reason()) });
        }
        if self.can(Power::SilenceAsks) || self.can(Power::AskLater) {
            return Fitted::of(Verdict::Pass);
        }
        let reason = match reason.trim() {
            "" => String::new(),
            reason if reason.ends_with(['.', '!', '?']) => format!("{reason} "),
            reason => format!("{reason}. "),
        };
        // An allow rule would not help: ask wins over allow.
        let reason = format!("{reason}This agent cannot ask for approval, so the user has to run it");
        self.block(VerdictKind::Ask, &reason, VerdictKind::Deny)
    }

    fn respond(&mut self, response: Response) -> Fitted {
        if !self.can(Power::Respond)
            || self.event.row.content.accepts_response.is_some_and(|accepts| !accepts(self.event, &response))
        {
            let text = cut(&response.text, self.limits.text.min(self.max_reason()));
            return self.block(VerdictKind::Respond, &text, VerdictKind::Deny);
        }
        let plain = Response::new(response.text.clone());
        if self.can(Power::RespondDetails) || response == plain {
            return Fitted::of(Verdict::Respond(response));
        }
        self.losses.push(Loss::ResponseDetails);
        Fitted::of(Verdict::Respond(plain))
    }

    /// Blocks in the form `first`, or in the next stricter form that the event supports.
    fn block(&mut self, wanted: VerdictKind, reason: &str, first: VerdictKind) -> Fitted {
        use VerdictKind as V;
        // The text of a response is sent without the signature of a reason.
        let reason = match wanted {
            V::Respond => one_paragraph(reason, self.limits.text.min(self.max_reason())),
            _ => self.limits.reason(reason, self.max_reason()),
        };
        let order: &[V] = match first {
            V::HardAbort => &[V::HardAbort, V::Abort, V::Deny],
            V::Abort => &[V::Abort, V::HardAbort, V::Deny],
            _ => &[V::Deny],
        };
        let order = order.iter().chain(&[V::Abort, V::HardAbort]);
        for &form in order {
            let verdict = match form {
                V::Deny if self.can(Power::Deny) => Verdict::Deny { reason: reason.clone() },
                V::Deny => match self.replaced(&reason) {
                    Some(fitted) => {
                        self.losses.push(Loss::Replaced { wanted });
                        return fitted;
                    }
                    None => continue,
                },
                V::Abort if self.can(Power::Abort) => Verdict::Abort { reason: reason.clone() },
                V::HardAbort if self.can(Power::HardAbort) => Verdict::HardAbort { reason: reason.clone() },
                _ => continue,
            };
            if form != wanted {
                self.lowered(wanted, form);
            }
            return Fitted::of(verdict);
        }
        self.unenforceable(wanted)
    }

    /// Returns a decision that replaces the result of a tool by the reason, which blocks after the call.
    fn replaced(&self, reason: &str) -> Option<Fitted> {
        let value = match self.event.row.content.withheld_result {
            Some(withhold) => withhold(self.event, reason)?,
            None => self.event.result()?.with_text(reason)?,
        };
        let change = Change::required(Target::Result, value.clone());
        if !self.can(Power::Change(Target::Result)) || self.rejection(&change).is_some() {
            return None;
        }
        let mut fitted = Fitted::of(Verdict::Pass);
        fitted.changes.push((Target::Result, value));
        Some(fitted)
    }

    /// Adds or drops a change. Returns the block if a required change is not possible.
    fn change(&mut self, change: &Change, fitted: &mut Fitted) -> Option<Fitted> {
        let Change { target, ref value, .. } = *change;
        if self.is_unchanged(change) {
            return None;
        }
        let call = self.event.call().filter(|_| target == Target::Input);
        let other_tool = call.and_then(|call| change.other_tool(call));
        let is_same = || other_tool.is_none() && call.is_some_and(|call| call.input.means(value));
        // V7: if the agent accepts a new input only with an approval, the new input is sent only if policy approved as
        // well.
        let unapproved =
            target == Target::Input && self.can(Power::ChangeNeedsAllow) && fitted.verdict.kind() != VerdictKind::Allow;
        let dropped =
            target == Target::Input && self.can(Power::AskDropsChange) && fitted.verdict.kind() == VerdictKind::Ask;
        let obstacle = if !self.can(Power::Change(target)) {
            Some("this event cannot change it")
        } else if other_tool.is_some() && !self.can(Power::ChangeTool) {
            Some("the agent runs only the tool that was called")
        } else if dropped {
            Some("the agent drops a new input together with a question")
        } else if unapproved && fitted.verdict.kind() == VerdictKind::Ask {
            Some("the agent accepts a new input only with an approval, and policy asks for one")
        } else if unapproved {
            Some("the agent accepts a new input only with an approval: add an allow rule")
        } else {
            self.rejection(change)
        };
        let why = match obstacle {
            Some(_) if is_same() => return None,
            Some(why) => why,
            None if self.event.lossy && target == Target::Input => "the text contains a lone surrogate",
            None => {
                fitted.changes.retain(|(of, _)| *of != target);
                fitted.changes.push((target, value.clone()));
                if target == Target::Input {
                    fitted.tool = other_tool.map(str::to_owned);
                }
                return None;
            }
        };
        self.lost(change, why, fitted.verdict.kind())
    }

    /// Returns true if a request already contains the new value. Otherwise a change of the messages and a change of
    /// other members could produce the same reply.
    fn is_unchanged(&self, change: &Change) -> bool {
        let Detail::Request { request } = &self.event.detail else { return false };
        match (change.target, request.object(), change.value.object()) {
            (Target::Messages, Ok(request), _) => {
                request.last("messages").is_some_and(|messages| messages.means(&change.value))
            }
            (Target::Request, Ok(request), Ok(wanted)) => {
                wanted.members().all(|(key, value)| request.last(key).is_some_and(|there| there.means(&value)))
            }
            _ => false,
        }
    }

    /// Lowers an approval without a change, if the agent accepts an approval only together with a change of the input.
    fn needs_change(&mut self, fitted: &mut Fitted) {
        let bare = fitted.verdict.kind() == VerdictKind::Allow && fitted.change(Target::Input).is_none();
        if bare && self.can(Power::AllowNeedsChange) {
            self.lowered(VerdictKind::Allow, VerdictKind::Pass);
            fitted.verdict = Verdict::Pass;
        }
    }

    fn lost(&mut self, change: &Change, why: &'static str, verdict: VerdictKind) -> Option<Fitted> {
        let Change { target, need, .. } = *change;
        if need == Need::Optional {
            self.losses.push(Loss::Change { target, need, why, blocked: false });
            return None;
        }
        let before = self.losses.len();
        let remedy = change.remedy.as_ref().map_or_else(String::new, |remedy| format!("; {remedy}"));
        let reason = format!("the {} must be changed before this may happen, but {why}{remedy}", target.word());
        let fitted = self.block(verdict, &reason, VerdictKind::Deny);
        let blocked = fitted.verdict.kind().blocks() || !fitted.changes.is_empty();
        self.losses.insert(before, Loss::Change { target, need, why, blocked });
        blocked.then_some(fitted)
    }

    fn text_for(&mut self, text: Option<String>, power: Option<Power>, loss: Loss) -> Option<String> {
        let text = text.filter(|text| !text.is_empty())?;
        if power.is_some_and(|power| self.can(power)) {
            return Some(text);
        }
        self.losses.push(loss);
        None
    }

    fn unenforceable(&mut self, wanted: VerdictKind) -> Fitted {
        self.losses.push(Loss::Unenforceable { wanted });
        Fitted::of(Verdict::Pass)
    }

    fn lowered(&mut self, wanted: VerdictKind, sent: VerdictKind) {
        self.losses.push(Loss::Verdict { wanted, sent });
    }

    fn reason(&self, reason: &str) -> String {
        one_paragraph(reason, self.limits.reason.min(self.max_reason()))
    }

    /// Returns the length of a reason that the agent reads, in bytes.
    fn max_reason(&self) -> usize {
        self.event.agent.max_reason.unwrap_or(usize::MAX)
    }

    fn can(&self, power: Power) -> bool {
        self.event.row.can(power)
    }

    /// Returns the reason for which the agent would ignore a change that the row can make.
    fn rejection(&self, change: &Change) -> Option<&'static str> {
        let rejects = self.event.row.content.rejects;
        wrong_type(self.event, change).or_else(|| rejects?(self.event, change))
    }
}

/// Returns the type that every agent expects of a new value, if the value has another type.
fn wrong_type(event: &HookEvent, change: &Change) -> Option<&'static str> {
    let value = &change.value;
    let (is_right, expected) = match change.target {
        Target::Input => (value.object().is_ok(), "the agent expects an object as the arguments"),
        Target::Prompt => (
            value.text().is_some_and(|text| !text.value.is_empty()),
            "the agent expects a prompt that is a string and not empty",
        ),
        Target::Result => (
            event.result().is_none() || event.agent.fields_of(event.dialect).describes_result(value),
            "the agent expects a result that has its text as a string and its error flag as a boolean",
        ),
        Target::Messages => (
            value.array().is_ok_and(|items| !items.is_empty() && items.iter().all(|item| item.object().is_ok())),
            "the agent expects messages that are an array of objects and not empty",
        ),
        Target::Request => (value.object().is_ok(), "the agent expects an object of the members of the request"),
    };
    (!is_right).then_some(expected)
}
