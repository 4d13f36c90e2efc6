//! Writes the messages of agents: one writer per form of messages.

mod cline;
mod docker_agent;
mod flat;
mod hygge;
mod picoclaw;
mod plugin;

use snaphook_adapters::model::HookEvent;

use crate::{Account, Form};

impl Account {
    /// Writes the message that this agent would send for an event, using only the model.
    pub fn present(&self, event: &HookEvent) -> String {
        let members = match self.speaks {
            Form::ClaudeStyle | Form::Flat | Form::FlatGo => flat::present(event),
            Form::Cline => cline::present(event),
            Form::DockerAgent => docker_agent::present(event),
            Form::Hygge => hygge::present(event),
            Form::Picoclaw => picoclaw::present(event),
            Form::Plugin => plugin::present(event),
        };
        let key = event.row.key();
        let own = [key.as_str(), event.native.as_str()].into_iter().find_map(|name| self.sends.get(name));
        let always = self.sends.get("*").into_iter().chain(own).flatten();
        let members = always.fold(members, |members, (member, json)| members.json(member, json));
        self.speaks.spelled(&members.finish())
    }
}

impl Form {
    /// Escapes a JSON document as the agent's own encoder does. Go's encoder escapes the characters with a meaning in
    /// HTML, which occur only in texts.
    pub fn spelled(self, json: &str) -> String {
        if matches!(self, Self::ClaudeStyle | Self::Cline | Self::Flat | Self::Plugin) {
            return json.to_owned();
        }
        let mut out = String::with_capacity(json.len());
        for c in json.chars() {
            match c {
                '<' => out.push_str("\\u003c"),
                '>' => out.push_str("\\u003e"),
                '&' => out.push_str("\\u0026"),
                '\u{2028}' => out.push_str("\\u2028"),
                '\u{2029}' => out.push_str("\\u2029"),
                c => out.push(c),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_escaped_by_go_programs_keep_their_value() {
        let plain = "{\"cmd\":\"a > b 2>&1 <\u{2028}c\"}";
        assert_eq!(Form::ClaudeStyle.spelled(plain), plain);
        let sent = Form::Picoclaw.spelled(plain);
        assert_eq!(sent, r#"{"cmd":"a \u003e b 2\u003e\u00261 \u003c\u2028c"}"#);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&sent), read(plain));
    }
}
