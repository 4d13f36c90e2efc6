//! A reply document: members at the top level, and those of `hookSpecificOutput`.

use crate::Raw;
use crate::fit::Fitted;
use crate::model::{HookEvent, Reply};
use crate::shared::json::JsonBuilder;

const SPECIFIC: &str = "/hookSpecificOutput/";

/// A builder of one reply. A reply without members is empty.
#[derive(Debug, Clone)]
pub struct ReplyBuilder {
    event: String,
    top: JsonBuilder,
    specific: JsonBuilder,
}

impl ReplyBuilder {
    /// Starts an empty reply to an event.
    pub fn to(event: &HookEvent) -> Self {
        Self { event: event.native.clone(), top: JsonBuilder::new(), specific: JsonBuilder::new() }
    }

    /// Starts a reply with the parts that are independent of the verdict: the notice (`systemMessage`), the context
    /// (`additionalContext`), and native members of both levels.
    pub fn with_additions(event: &HookEvent, fitted: &Fitted) -> Self {
        let mut answer = Self::to(event);
        answer.top = answer.top.maybe("systemMessage", fitted.notice());
        answer.specific = answer.specific.maybe("additionalContext", fitted.context());
        for (at, value) in fitted.extra() {
            let below = at.strip_prefix(SPECIFIC);
            match below.or_else(|| at.strip_prefix('/')).filter(|key| !key.contains('/')) {
                Some(key) if below.is_some() => answer.specific = answer.specific.raw(key, value),
                Some(key) => answer.top = answer.top.raw(key, value),
                None => {}
            }
        }
        answer
    }

    /// Sets `decision` to `block`, with a reason.
    #[must_use]
    pub fn block(mut self, reason: &str) -> Self {
        self.top = self.top.text("decision", "block").text("reason", reason);
        self
    }

    /// Sets `continue` to false, with a reason.
    #[must_use]
    pub fn stop(mut self, reason: &str) -> Self {
        self.top = self.top.bool("continue", false).text("stopReason", reason);
        self
    }

    /// Adds a string at the top level.
    #[must_use]
    pub fn top(mut self, key: &str, value: &str) -> Self {
        self.top = self.top.text(key, value);
        self
    }

    /// Adds a string to `hookSpecificOutput`.
    #[must_use]
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.specific = self.specific.text(key, value);
        self
    }

    /// Adds a value to `hookSpecificOutput`.
    #[must_use]
    pub fn raw(mut self, key: &str, value: &Raw) -> Self {
        self.specific = self.specific.raw(key, value);
        self
    }

    /// Adds an object to `hookSpecificOutput`, unless it is empty.
    #[must_use]
    pub fn object(mut self, key: &str, members: JsonBuilder) -> Self {
        self.specific = self.specific.object(key, members);
        self
    }

    /// Sets `permissionDecision`, with its reason unless that is empty.
    #[must_use]
    pub fn permission(self, word: &str, reason: &str) -> Self {
        let answer = self.text("permissionDecision", word);
        if reason.is_empty() { answer } else { answer.text("permissionDecisionReason", reason) }
    }

    /// Returns the document with exit code 0, or an empty reply.
    pub fn reply(self) -> Reply {
        let mut top = self.top;
        if !self.specific.is_empty() {
            let named = JsonBuilder::new().text("hookEventName", &self.event).then(self.specific);
            top = top.object("hookSpecificOutput", named);
        }
        top.reply()
    }
}
