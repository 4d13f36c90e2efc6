//! The names of message members, for an agent or for one of its dialects.

use crate::Raw;

/// One of several wire formats of an agent, which differ in the names of the fields.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Dialect {
    /// The name, by which rows select it.
    pub name: &'static str,
    /// The key of the event's name, whose presence identifies a message of the dialect; absent: the messages do not name
    /// their event, which the registered command line does instead.
    pub event_key: Option<&'static str>,
    /// The names of the fields.
    pub fields: Fields,
}

impl Dialect {
    /// Describes a dialect whose messages name their event.
    pub const fn new(name: &'static str, event_key: &'static str, fields: Fields) -> Self {
        Self { name, event_key: Some(event_key), fields }
    }

    /// Describes a dialect whose messages do not name their event.
    pub const fn without_event(name: &'static str, fields: Fields) -> Self {
        Self { name, event_key: None, fields }
    }
}

/// The names of the message members that hold the fields of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one agent")]
pub struct Fields {
    /// The name of the tool.
    pub tool: &'static str,
    /// The arguments of the tool.
    pub input: &'static str,
    /// The object that contains the name and the arguments of the tool; absent: the message itself.
    pub call_within: Option<&'static str>,
    /// The id of the tool call; absent: not sent.
    pub call_id: Option<&'static str>,
    /// The session id; absent: not sent.
    pub session: Option<&'static str>,
    /// The working directory; absent: not sent.
    pub cwd: Option<&'static str>,
    /// The array of the folders of a session, the first of which is the working directory if the message has no other;
    /// absent: not sent.
    pub roots: Option<&'static str>,
    /// The permission mode; absent: not sent.
    pub mode: Option<&'static str>,
    /// True if the agent omits empty arguments.
    pub omits_empty_input: bool,
    /// True if the arguments may be a text: their JSON, or the input of a tool that takes a text.
    pub input_may_be_text: bool,
    /// The result of a tool.
    pub result: &'static str,
    /// The members of a result that hold its text and its error flag; absent: the tool's row names the text, and
    /// results have no flag.
    pub result_members: Option<(&'static str, &'static str)>,
    /// JSON pointer to the text in every result, or to its content parts, unless the row of the tool names another; absent:
    /// none.
    pub result_text: Option<&'static str>,
    /// The prompt of the user.
    pub prompt: &'static str,
    /// True if the prompt is a list of content parts instead of a string.
    pub prompt_parts: bool,
    /// The object that contains the prompt and the result; absent: the message itself.
    pub within: Option<&'static str>,
    /// The flag at the end of a turn that a hook already made the agent continue; absent: not sent.
    pub again: Option<&'static str>,
    /// True if some versions or events omit that flag.
    pub omits_again: bool,
}

impl Fields {
    /// The names that Claude Code and many other agents use.
    pub const CLAUDE: Self = Self::new("tool_name", "tool_input")
        .call_id("tool_use_id")
        .session("session_id")
        .cwd("cwd")
        .mode("permission_mode")
        .again("stop_hook_active");

    /// Sets the names of the members of a tool call.
    pub const fn new(tool: &'static str, input: &'static str) -> Self {
        Self {
            tool,
            input,
            call_within: None,
            call_id: None,
            session: None,
            cwd: None,
            roots: None,
            mode: None,
            omits_empty_input: false,
            input_may_be_text: false,
            result: "tool_response",
            result_members: None,
            result_text: None,
            prompt: "prompt",
            prompt_parts: false,
            within: None,
            again: None,
            omits_again: false,
        }
    }

    /// Sets the member for the arguments of the tool.
    #[must_use]
    pub const fn input(mut self, key: &'static str) -> Self {
        self.input = key;
        self
    }

    /// Sets the object that contains the name and the arguments of the tool.
    #[must_use]
    pub const fn call_within(mut self, key: &'static str) -> Self {
        self.call_within = Some(key);
        self
    }

    /// Sets the member for the id of a call.
    #[must_use]
    pub const fn call_id(mut self, key: &'static str) -> Self {
        self.call_id = Some(key);
        self
    }

    /// Sets the member for the session id.
    #[must_use]
    pub const fn session(mut self, key: &'static str) -> Self {
        self.session = Some(key);
        self
    }

    /// Sets the member for the working directory.
    #[must_use]
    pub const fn cwd(mut self, key: &'static str) -> Self {
        self.cwd = Some(key);
        self
    }

    /// Sets the member for the folders of a session.
    #[must_use]
    pub const fn roots(mut self, key: &'static str) -> Self {
        self.roots = Some(key);
        self
    }

    /// Sets the member for the permission mode.
    #[must_use]
    pub const fn mode(mut self, key: &'static str) -> Self {
        self.mode = Some(key);
        self
    }

    /// States that the agent omits empty arguments.
    #[must_use]
    pub const fn omits_empty_input(mut self) -> Self {
        self.omits_empty_input = true;
        self
    }

    /// States that the arguments may be a text: their JSON, or the input of a tool that takes a text.
    #[must_use]
    pub const fn input_may_be_text(mut self) -> Self {
        self.input_may_be_text = true;
        self
    }

    /// Sets the member for the result of a tool.
    #[must_use]
    pub const fn result(mut self, key: &'static str) -> Self {
        self.result = key;
        self
    }

    /// Sets the members of a result for its text and its error flag.
    #[must_use]
    pub const fn result_members(mut self, text: &'static str, is_error: &'static str) -> Self {
        self.result_members = Some((text, is_error));
        self
    }

    /// Sets the JSON pointer to the text in every result.
    #[must_use]
    pub const fn result_text(mut self, pointer: &'static str) -> Self {
        self.result_text = Some(pointer);
        self
    }

    /// Returns true if a result has the members for its text and its error flag, each with a value of its type. Without
    /// names for these members, a result may have any form.
    pub fn describes_result(&self, result: &Raw) -> bool {
        let Some((text, is_error)) = self.result_members else { return true };
        let Ok(object) = result.object() else { return false };
        let is_text = |value: Option<Raw>| value.is_some_and(|value| value.is_string());
        let is_flag = |value: Option<Raw>| value.is_none_or(|value| value.bool().is_some());
        object.get(text).is_ok_and(is_text) && object.get(is_error).is_ok_and(is_flag)
    }

    /// Sets the member for the prompt of the user.
    #[must_use]
    pub const fn prompt(mut self, key: &'static str) -> Self {
        self.prompt = key;
        self
    }

    /// States that the prompt is a list of content parts.
    #[must_use]
    pub const fn prompt_parts(mut self) -> Self {
        self.prompt_parts = true;
        self
    }

    /// Sets the object that contains the prompt and the result.
    #[must_use]
    pub const fn within(mut self, key: &'static str) -> Self {
        self.within = Some(key);
        self
    }

    /// Sets the member for the flag that a hook already made the agent continue.
    #[must_use]
    pub const fn again(mut self, key: &'static str) -> Self {
        self.again = Some(key);
        self
    }

    /// States that some versions or events omit the flag that a hook already made the agent continue.
    #[must_use]
    pub const fn omits_again(mut self) -> Self {
        self.omits_again = true;
        self
    }
}
