//! Translates the results of tools.

use snaphook_adapters::Raw;
use snaphook_adapters::model::{HookEvent, ToolResult};
use snaphook_adapters::raw::json_string;

use super::Translator;
use super::call::SpokenCall;

impl Translator {
    /// Writes a result in the form of the agent's own tool.
    pub(super) fn result(&self, event: &HookEvent, result: &ToolResult, spoken: &SpokenCall) -> Raw {
        if event.agent.id == self.agent().id {
            return result.raw.clone();
        }
        let text = result.text.as_ref().map_or_else(
            || {
                if result.raw.is_string() { result.raw.as_str().to_owned() } else { json_string(result.raw.as_str()) }
            },
            |text| text.as_str().to_owned(),
        );
        if let Some((key, is_error)) = self.agent().fields.result_members {
            let failed = result.is_error.map(|failed| format!(",{}:{failed}", json_string(is_error)));
            return Raw::document(format!("{{{}:{text}{}}}", json_string(key), failed.unwrap_or_default()));
        }
        let pointer = spoken.call.row.and_then(|row| row.result_text).filter(|_| result.is_error != Some(true));
        let nested = pointer.unwrap_or_default().rsplit('/').filter(|step| !step.is_empty());
        Raw::document(nested.fold(text, |inner, step| match step.parse::<usize>() {
            Ok(_) => format!("[{inner}]"),
            Err(_) => format!("{{{}:{inner}}}", json_string(step)),
        }))
    }

    /// Returns the native result with the text of the agent's new result.
    ///
    /// # Errors
    /// One of the results has no text, as a sentence.
    pub(super) fn native_result(&self, event: &HookEvent, spoken: &SpokenCall, answered: &Raw) -> Result<Raw, String> {
        if event.agent.id == self.agent().id {
            return Ok(answered.clone());
        }
        let member = self.agent().fields.result_members.map(|(key, _)| format!("/{key}"));
        let pointer = spoken.call.row.and_then(|row| row.result_text).map(str::to_owned);
        let inside = || answered.at(&member.or(pointer)?);
        let text = answered.text().or_else(|| inside()?.text()).ok_or("the new result has no text")?;
        let result = event.result().and_then(|result| result.with_text(&text.value));
        result.ok_or_else(|| "the result has no text that could be replaced".to_owned())
    }
}
