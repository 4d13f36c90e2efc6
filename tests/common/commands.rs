//! Judges lists of shell commands in a project of a made-up home folder.

use serde::Deserialize;
use snaphook::policy::{LoadedPolicy, Places};
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, ShellKind, ToolCall, VerdictKind};
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::registry::Registry;

#[path = "no_handlers.rs"]
mod no_handlers;

use self::no_handlers::NoHandlers;

/// Commands of one kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) kind: String,
    pub(crate) lines: Vec<String>,
}

pub(crate) struct Judge {
    policy: LoadedPolicy,
    agent: &'static Agent,
    /// The folder with the project and the home folder.
    dir: tempfile::TempDir,
}

impl Judge {
    /// Judges by the text of a policy file.
    pub(crate) fn by(text: &str) -> Self {
        let registry = Registry::standard();
        let dir = tempfile::Builder::new().prefix("snaphook-commands").tempdir_in("/var/tmp").unwrap();
        for folder in ["home/.ssh", "home/app/.git"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let mut places = Places::default();
        places.home = Some(dir.path().join("home"));
        places.temps = vec!["/tmp".to_owned()];
        places.policy = Some(dir.path().join("policy.toml"));
        std::fs::write(dir.path().join("policy.toml"), text).unwrap();
        let policy = LoadedPolicy::load(&places, None, &registry).unwrap();
        Self { policy, agent: registry.get("claude-code").unwrap().agent(), dir }
    }

    /// The verdict on a command, and what led to it.
    pub(crate) fn verdict(&self, line: &str) -> (VerdictKind, String) {
        let row = self.agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(self.agent, row, Raw::document("{}"));
        event.session = Some("s1".to_owned());
        let project = self.dir.path().join("home/app").to_string_lossy().into_owned();
        (event.cwd, event.project) = (Some(project.clone()), Some(project));
        let action = Action::Shell { command: Command::Text(line.into()), cwd: None, shell: ShellKind::Posix };
        event.detail = Detail::Tool(ToolCall::sketch(self.agent, &action).unwrap());
        let judgement = self.policy.judge(&event, &mut NoHandlers);
        (judgement.decision.verdict.kind(), format!("{:?}", judgement.causes))
    }
}
