//! Replaces the commands of a call and nothing else in its arguments (R1, R5).

use super::taught::with_part;
use super::{ActionKind, Agent, Slot, ToolAction};
use crate::Raw;
use crate::model::{Action, Command, CommandText, ToolCall};
use crate::raw::json_string;

/// Returns the arguments with the commands of one argument replaced, or `None` unless that argument holds every command
/// of the call.
pub(super) fn rewrite(agent: &Agent, call: &ToolCall, wrap: &dyn Fn(&Command) -> Option<Command>) -> Option<Raw> {
    let mut commands = Vec::new();
    for action in &call.actions {
        match action {
            Action::Shell { command, .. } => commands.push(command),
            Action::ShellInput { .. } => return None,
            _ => {}
        }
    }
    rewritten_row(agent, call, &commands, wrap).or_else(|| rewritten_taught(agent, call, &commands, wrap))
}

/// Rewrites an argument that the row of the tool describes.
fn rewritten_row(
    agent: &Agent,
    call: &ToolCall,
    commands: &[&Command],
    wrap: &dyn Fn(&Command) -> Option<Command>,
) -> Option<Raw> {
    let object = call.input.object().ok()?;
    let slots = call.row?.actions.iter().filter(|act| act.kind == ActionKind::Shell);
    let keys = slots.flat_map(|act| act.slot.keys.iter().map(move |key| (act, *key)));
    let (act, spelling) = keys.into_iter().find_map(|(act, key)| {
        let value = object.find(key, agent.keys).ok()??;
        holds_exactly(&value, act, commands).then(|| Some((act, object.spelling(key, agent.keys)?)))?
    })?;
    let wrapped = commands.iter().map(|command| same_shape(command, wrap(command)?)).collect::<Option<Vec<_>>>()?;
    let is_list = act.slot.each && object.find(spelling, agent.keys).ok()??.array().is_ok();
    let json = if is_list { format!("[{}]", wrapped.join(",")) } else { wrapped.into_iter().next()? };
    Some(object.with(spelling, &json))
}

/// Rewrites an argument that the policy describes.
fn rewritten_taught(
    agent: &Agent,
    call: &ToolCall,
    commands: &[&Command],
    wrap: &dyn Fn(&Command) -> Option<Command>,
) -> Option<Raw> {
    let act = ActionKind::Shell.on(Slot::any(&[])).words();
    let found = call.taught_commands(agent);
    let (at, _) = found.iter().find(|(_, value)| holds_exactly(value, &act, commands))?;
    let command = commands.first()?;
    with_part(&call.input, at, agent.keys, &same_shape(command, wrap(command)?)?)
}

/// Returns true if these commands are all the commands in a value.
fn holds_exactly(value: &Raw, act: &ToolAction, commands: &[&Command]) -> bool {
    let is_text = |value: &Raw, command: &Command| {
        CommandText::read(value, "a string", &mut false).is_ok_and(|text| command.text() == Some(&text))
    };
    let words = || value.array().unwrap_or_default();
    match commands {
        [] => false,
        [command] if act.slot.element.is_some() && value.is_string() => is_text(value, command),
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

/// Returns the new command as JSON, or `None` if its shape differs from that of the old command.
fn same_shape(old: &Command, new: Command) -> Option<String> {
    match (old, new) {
        (Command::Text(_), Command::Text(text)) => Some(json_string(&text.whole())),
        (Command::Argv(_), Command::Argv(words)) => {
            let words: Vec<_> = words.iter().map(|word| json_string(word)).collect();
            Some(format!("[{}]", words.join(",")))
        }
        _ => None,
    }
}
