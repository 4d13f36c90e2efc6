//! Converts the entries of an agent to nodes of its file.

use serde_json::Value;
use snaphook_adapters::protocol::{Agent, Block, Entry, EntryForm, EntryKey, Field};

use super::command_line::{CommandPaths, shell_text, words};
use super::edit::{Document, EditFault, Format, Node, OUR_NAME, plugin};

/// The nodes for the entries of a block in a file of this format.
pub(crate) fn entries(agent: &Agent, block: &Block, format: Format, paths: &CommandPaths) -> Vec<Node> {
    let node = |entry: &Entry| {
        let writer = EntryWriter { agent, entry, format, paths };
        let value = writer.object(entry.form);
        match block.key {
            _ if format == Format::Plugin => Node::text(plugin::written(&value, block.plugin), value),
            EntryKey::Event => Node::element(below(block, entry.events.first().copied().unwrap_or_default()), value),
            EntryKey::List(_) => Node::element(owned(block.below), value),
            EntryKey::Name if entry.label.is_empty() => Node::member(below(block, OUR_NAME), value),
            EntryKey::Name => Node::member(below(block, &format!("{OUR_NAME}-{}", entry.label)), value),
        }
    };
    format.nodes(block.entries.iter().map(node).collect())
}

/// The settings that the agent requires to use a block.
pub(crate) fn settings(block: &Block) -> Vec<Node> {
    let mark = block.mark.map(|(name, value)| Node::member(vec![name.to_owned()], value.into()));
    let constant = |(name, json): &(&str, &str)| {
        Node::member(vec![(*name).to_owned()], serde_json::from_str(json).unwrap_or_default())
    };
    let constants = block.constants.iter().map(constant);
    let needs = block.needs.iter().map(|at| Node::member(owned(at), true.into()));
    mark.into_iter().chain(constants).chain(needs).collect()
}

/// The text of a file with only this block.
pub(crate) fn snippet(agent: &Agent, block: &Block, paths: &CommandPaths) -> Result<String, EditFault> {
    let format = Format::of(block.file);
    let mut document = Document::parse(format, "")?;
    for node in settings(block).iter().chain(&entries(agent, block, format, paths)) {
        document.put(node, None)?;
    }
    Ok(document.text())
}

fn below(block: &Block, name: &str) -> Vec<String> {
    [owned(block.below), vec![name.to_owned()]].concat()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

struct EntryWriter<'a> {
    agent: &'a Agent,
    entry: &'a Entry,
    format: Format,
    paths: &'a CommandPaths,
}

impl EntryWriter<'_> {
    fn object(&self, form: EntryForm) -> Value {
        let members = form.iter().filter_map(|(name, field)| Some(((*name).to_owned(), self.field(*field)?)));
        Value::Object(members.collect())
    }

    /// The value of a member; `None` if it is left out.
    fn field(&self, field: Field) -> Option<Value> {
        let Self { agent, entry, format, paths } = *self;
        Some(match field {
            Field::Number(number) => number.into(),
            Field::True => true.into(),
            Field::Name => format!("{OUR_NAME}-{}", entry.events.first().copied().unwrap_or_default()).into(),
            Field::Event => entry.events.first().copied().unwrap_or_default().into(),
            Field::Events => entry.events.into(),
            Field::Matcher if entry.matcher.is_empty() => return None,
            Field::Matcher => entry.matcher.into(),
            Field::ShellText => shell_text(format, agent, entry, paths).into(),
            Field::Program => paths.program.as_str().into(),
            Field::Arguments => words(agent, entry, paths).get(1..).unwrap_or_default().into(),
            Field::Words => words(agent, entry, paths).into(),
            Field::Seconds => entry.timeout_s.into(),
            Field::Milliseconds => (entry.timeout_s * 1000).into(),
            Field::Duration => format!("{}s", entry.timeout_s).into(),
            Field::IfFailsClosed(_) if !entry.fails_closed => return None,
            Field::Text(text) | Field::IfFailsClosed(text) => text.into(),
            Field::Texts(texts) => texts.into(),
            Field::List(form) => Value::Array(vec![self.object(form)]),
            Field::Object(form) => self.object(form),
        })
    }
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::protocol::{FailureAnswer, HookProtocol};
    use snaphook_adapters::registry::Registry;

    use super::super::hooks::hooks_of;
    use super::super::ours::{is_ours, named};
    use super::*;

    fn blocks() -> impl Iterator<Item = (&'static Agent, &'static Block)> {
        let registry = Registry::standard();
        let agents: Vec<_> = registry.iter().map(HookProtocol::agent).collect();
        agents.into_iter().flat_map(|agent| agent.registration.blocks.iter().map(move |block| (agent, block)))
    }

    #[test]
    fn every_written_block_is_recognised_in_its_file() {
        let odd = "/h o'm\"e/$HOME/`id`/\\x/é";
        let path = |name: &str| Some(format!("{odd}/{name}"));
        let paths = CommandPaths {
            program: format!("{odd}/snaphook"),
            policies: path("p.toml").into_iter().collect(),
            audit: path("a"),
            trust: path("t"),
        };
        for (agent, block) in blocks() {
            let format = Format::of(block.file);
            let text = snippet(agent, block, &paths).unwrap();
            let document = Document::parse(format, &text).unwrap();
            let found: Vec<_> = named(&document, agent.id).unwrap().into_iter().map(|found| found.node).collect();
            assert_eq!(found, entries(agent, block, format, &paths), "{text}");
            assert!(found.iter().all(|node| is_ours(agent, format, node)), "{text}");
            let hooks: Vec<_> = found.iter().flat_map(|node| hooks_of(&node.value, &node.at)).collect();
            for row in agent.events {
                assert_eq!(hooks.iter().any(|hook| hook.serves(row)), block.serves(row), "{} in {text}", row.key());
            }
        }
    }

    #[test]
    fn a_gate_that_a_shell_starts_has_a_guard() {
        for (agent, block) in blocks() {
            for entry in block.entries {
                let rows: Vec<_> = agent.events.iter().filter(|row| entry.serves(row)).collect();
                assert!(!rows.is_empty(), "{}: {entry:?}", agent.id);
                let members = entry.form.iter().map(|(_, field)| *field);
                let is_shell = |field| matches!(field, Field::ShellText);
                let mut members = members.flat_map(|field| match field {
                    Field::List(form) | Field::Object(form) => form.iter().map(|(_, field)| *field).collect(),
                    field => vec![field],
                });
                if members.any(is_shell) {
                    let is_gate = rows.iter().any(|row| row.gates());
                    assert_eq!(entry.failure != FailureAnswer::None, is_gate, "{}: {entry:?}", agent.id);
                }
            }
        }
    }
}
