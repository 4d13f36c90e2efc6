//! Replacing the commands of a call, and nothing else in its arguments (R1, R5).

use super::{Act, Agent, What};
use crate::Raw;
use crate::model::{Action, Command, ToolCall};
use crate::raw::json_string;

/// The arguments with the commands of one slot replaced; `None` unless every command stands there.
pub(super) fn rewrite(agent: &Agent, call: &ToolCall, wrap: &dyn Fn(&Command) -> Option<Command>) -> Option<Raw> {
    let mut commands = Vec::new();
    for action in &call.actions {
        match action {
            Action::Shell { command, .. } => commands.push(command),
            Action::ShellInput { .. } => return None,
            _ => {}
        }
    }
    let object = call.input.object().ok()?;
    let slots = call.row?.acts.iter().filter(|act| act.what == What::Shell);
    let keys = slots.flat_map(|act| act.slot.keys.iter().map(move |key| (act, *key)));
    let (act, spelling) = keys.into_iter().find_map(|(act, key)| {
        let value = object.find(key, agent.keys).ok()??;
        stands_in(&value, act, &commands).then(|| Some((act, object.spelling(key, agent.keys)?)))?
    })?;
    let wrapped = commands.iter().map(|command| same_shape(command, wrap(command)?)).collect::<Option<Vec<_>>>()?;
    let json = if act.slot.each { format!("[{}]", wrapped.join(",")) } else { wrapped.into_iter().next()? };
    Some(object.with(spelling, &json))
}

/// Whether these are the commands in a value, all of them.
fn stands_in(value: &Raw, act: &Act, commands: &[&Command]) -> bool {
    let is_text = |value: &Raw, command: &Command| value.text().is_some_and(|text| command.text() == Some(&text.value));
    let words = || value.array().unwrap_or_default();
    match commands {
        [] => false,
        commands if act.slot.each => {
            let items = words();
            items.len() == commands.len() && items.iter().zip(commands).all(|(item, command)| is_text(item, command))
        }
        [Command::Argv(argv)] => {
            let same = |(item, word): (&Raw, &String)| item.text().is_some_and(|text| text.value == *word);
            let items = words();
            act.words && items.len() == argv.len() && items.iter().zip(argv).all(same)
        }
        [command] => is_text(value, command),
        _ => false,
    }
}

/// The new command as JSON, where it has the shape of the old one.
fn same_shape(old: &Command, new: Command) -> Option<String> {
    match (old, new) {
        (Command::Text(_), Command::Text(text)) => Some(json_string(&text)),
        (Command::Argv(_), Command::Argv(words)) => {
            let words: Vec<_> = words.iter().map(|word| json_string(word)).collect();
            Some(format!("[{}]", words.join(",")))
        }
        _ => None,
    }
}
