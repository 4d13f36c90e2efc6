//! The verdict of snaphook's policy on a line, within this process.

use snaphook::policy::{LoadedPolicy, Places};
use snaphook_adapters::Raw;
use snaphook_adapters::model::{Action, Command, Detail, EventKind, HookEvent, ShellKind, ToolCall, VerdictKind};
use snaphook_adapters::protocol::Agent;
use snaphook_adapters::raw::json_string;
use snaphook_adapters::registry::Registry;

use crate::no_handlers::NoHandlers;

/// The folder in which lines are run, as seen in the sandbox.
const HERE: &str = "/oracle/w";
const HOME: &str = "/oracle/home";

/// Judges lines by one policy.
pub(crate) struct Judge {
    policy: LoadedPolicy,
    agent: &'static Agent,
}

/// The judgement on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) verdict: VerdictKind,
    /// The word that makes the line not understood.
    pub(crate) not_understood: Option<String>,
    /// What is judged, such as `Bash: ls -l`.
    pub(crate) parts: Vec<String>,
}

impl Said {
    pub(crate) fn understood(&self) -> bool {
        self.not_understood.is_none()
    }
}

impl Judge {
    /// A policy with only these rules.
    pub(crate) fn new(deny: &[&str], allow: &[&str]) -> Self {
        let list = |rules: &[&str]| rules.iter().map(|rule| json_string(rule)).collect::<Vec<_>>().join(", ");
        let text = format!("[permissions]\ndeny = [{}]\nallow = [{}]\n", list(deny), list(allow));
        Self::of(&text)
    }

    /// The policy of a user without a policy file.
    pub(crate) fn starter() -> Self {
        Self::of(snaphook_policy::STARTER)
    }

    fn of(text: &str) -> Self {
        let registry = Registry::standard();
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("policy.toml");
        std::fs::write(&file, text).unwrap();
        let mut places = Places::default();
        places.home = Some(HOME.into());
        places.policy = Some(file);
        let policy = LoadedPolicy::load(&places, None, &registry).unwrap();
        Self { policy, agent: registry.get("claude-code").unwrap().agent() }
    }

    /// Judges one line as a tool call that is about to run it.
    pub(crate) fn says(&self, line: &str) -> Said {
        let row = self.agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(self.agent, row, Raw::document("{}"));
        event.session = Some("s1".to_owned());
        (event.cwd, event.project) = (Some(HERE.to_owned()), Some(HERE.to_owned()));
        let command = Command::Text(line.into());
        let action = Action::Shell { command, cwd: None, shell: ShellKind::Posix };
        event.detail = Detail::Tool(ToolCall::sketch(self.agent, &action).unwrap());
        let judgement = self.policy.judge(&event, &mut NoHandlers);
        Said {
            verdict: judgement.decision.verdict.kind(),
            not_understood: judgement.not_understood,
            parts: judgement.parts.into_iter().map(|part| part.action).collect(),
        }
    }
}
