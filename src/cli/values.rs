//! The values that arguments accept, for checks, suggestions and completion. An argument is recognised by its name.

use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use clap_complete::ArgValueCandidates;
use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Preset;

use super::allow_once::allowable;
use super::completions::ids;
use crate::audit::AuditEntry;

/// Adds the known values to the arguments of a command and of its subcommands.
pub(super) fn known(command: Command, registry: &Arc<Registry>) -> Command {
    let is_offered: fn(&AuditEntry) -> bool = match command.get_name() {
        "allow-once" => |entry| allowable(entry).is_some(),
        _ => |_| true,
    };
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        "id" => {
            let registry = Arc::clone(registry);
            arg.add(ArgValueCandidates::new(move || ids(&registry, is_offered)))
        }
        "agent" | "agents" => arg.value_parser(agents(registry)).hide_possible_values(true),
        "verdict" => verdicts(arg),
        "preset" => arg.value_parser(presets()).hide_possible_values(true),
        _ => arg,
    });
    command.mut_subcommands(|command| known(command, registry))
}

/// Accepts the id of an agent, or another name for it, which stands for the id.
fn agents(registry: &Registry) -> impl TypedValueParser<Value = String> {
    let agents: Vec<_> = registry.iter().map(HookProtocol::agent).collect();
    let value = |agent: &&Agent| PossibleValue::new(agent.id).aliases(agent.aliases).help(agent.name);
    let values = PossibleValuesParser::new(agents.iter().map(value));
    values.map(move |name| {
        let named = agents.iter().find(|agent| agent.aliases.contains(&name.as_str()));
        named.map_or(name, |agent| agent.id.to_owned())
    })
}

fn presets() -> PossibleValuesParser {
    let value = |preset: &Preset| PossibleValue::new(preset.name).help(preset.summary);
    PossibleValuesParser::new(Preset::all().iter().map(value))
}

fn verdicts(arg: Arg) -> Arg {
    let word = |kind: VerdictKind| kind.word().replace(' ', "-");
    let kind = move |text: String| VerdictKind::ALL.into_iter().find(|kind| word(*kind).eq_ignore_ascii_case(&text));
    let values = PossibleValuesParser::new(VerdictKind::ALL.map(word));
    arg.ignore_case(true).value_parser(values.try_map(move |text| kind(text).ok_or("unknown verdict")))
}
