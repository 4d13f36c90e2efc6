//! Where Acme's hooks are registered: rows, from which install, status, doctor and uninstall work.

use snaphook_adapters::protocol::{Block, ConfigFile, Registration, Setup};
use snaphook_adapters::raw::json_string;

pub(crate) const REGISTRATION: Registration = Registration::new("acme", "~/.acme")
    .files(&[ConfigFile::hooks("~/.acme/hooks.json")])
    .blocks(&[Block::new("all versions", "~/.acme/hooks.json", hooks)]);

fn hooks(setup: &Setup) -> String {
    let policy = setup.policy.as_deref().into_iter().flat_map(|policy| ["--policy", policy]);
    let args: Vec<_> = ["hook", "acme", "--event", "tool_wanted"].into_iter().chain(policy).map(json_string).collect();
    let (command, args) = (json_string(&setup.binary), args.join(", "));
    format!("{{\"hooks\": {{\"tool_wanted\": [{{\"command\": {command}, \"args\": [{args}]}}]}}}}\n")
}
