//! Limits of hosts: scenarios whose law cannot hold because the host does not call the hook or ignores its answer.

use crate::powers::Powers;
use crate::scenarios::Scenario;

/// One limit of a host.
struct Limit {
    agent: &'static str,
    hosts: &'static [&'static str],
    scenarios: &'static [&'static str],
    /// A sentence of the adapter's `open` list or of its notes.
    evidence: &'static str,
}

const ALL: &[Limit] = &[
    Limit {
        agent: "cline",
        hosts: &["cli"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or prints no answer does not block; no setting changes this.",
    },
    Limit {
        agent: "codex",
        hosts: &["0.169.0"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or is missing does not block; no setting changes this.",
    },
    Limit {
        agent: "crush",
        hosts: &["0.90.0"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or fails does not block; no setting changes this.",
    },
    Limit {
        agent: "crush",
        hosts: &["0.90.0"],
        scenarios: &["deny in a sub-agent"],
        evidence: "The tool calls of sub-agents, which `agent` and `agentic_fetch` start, reach no hook: decide about those two calls themselves.",
    },
    Limit {
        agent: "copilot",
        hosts: &["1.0.102"],
        scenarios: &["slow hook"],
        evidence: "A hook that exceeds its time limit does not block; no setting changes this.",
    },
    Limit {
        agent: "docker-agent",
        hosts: &["a"],
        scenarios: &["slow hook"],
        evidence: "Before v1.53: after a crash, a timeout or an exit code other than 2 the call runs.",
    },
    Limit {
        agent: "docker-agent",
        hosts: &["b2"],
        scenarios: &["slow hook"],
        evidence: "v1.89 to v1.137: in this lane only a document with deny or ask at exit code 0 has an effect; after a crash, a timeout or an invalid stdout the call runs.",
    },
    Limit {
        agent: "droid",
        hosts: &["0.225.2"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or is missing does not block; no setting changes this.",
    },
    Limit {
        agent: "kimi",
        hosts: &["2.1.0"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or is missing does not block; no setting changes this.",
    },
    Limit {
        agent: "gemini-cli",
        hosts: &["0.61.0"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or fails without a text does not block; no setting changes this.",
    },
    Limit {
        agent: "hermes",
        hosts: &["0.19.0"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or prints no answer does not block; no setting changes this.",
    },
    Limit {
        agent: "hermes",
        hosts: &["0.19.0"],
        scenarios: &["two hooks disagree"],
        evidence: "If a plug-in asks about the same call, a denial has no effect: the call runs if the person approves it, and always with `-z` or `--yolo`.",
    },
    Limit {
        agent: "mistral-vibe",
        hosts: &["3.0.2"],
        scenarios: &["deny an MCP call"],
        evidence: "If the code of `run_typescript` makes a call that is denied, the model is told that it was skipped, but not why.",
    },
    Limit {
        agent: "openhands",
        hosts: &["1.16.0"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or is missing does not block; no setting changes this.",
    },
    Limit {
        agent: "openhands",
        hosts: &["1.16.0"],
        scenarios: &["deny in a sub-agent"],
        evidence: "The tool calls of sub-agents, which `task` starts, reach no hook: decide about that call itself.",
    },
    Limit {
        agent: "qwen-code",
        hosts: &["0.24.4"],
        scenarios: &["slow hook"],
        evidence: "A hook that is killed, times out or is missing does not block; no setting changes this.",
    },
    Limit {
        agent: "hygge",
        hosts: &["0.17.5"],
        scenarios: &["deny in a sub-agent"],
        evidence: "Sub-agents that the `subagent` tool starts run without hooks: decide about the `subagent` call itself.",
    },
    Limit {
        agent: "docker-agent",
        hosts: &["b"],
        scenarios: &[
            "deny",
            "ask",
            "required rewrite",
            "killed hook",
            "slow hook",
            "deny a write",
            "two hooks disagree",
            "respond",
            "required change",
            "optional change",
            "deny by a hook of Claude Code",
            "change by a hook of Claude Code",
            "abort",
            "respond to a part",
            "sandbox elsewhere",
            "project policy elsewhere",
            "project within the project",
            "secret by a relative path",
            "secret, started elsewhere",
            "folder said twice",
            "shell line of a skill",
            "sandboxed skill",
            "skill written by the agent",
            "snaphook called by the agent",
        ],
        evidence: "v1.53 and later: under --yolo no hook runs before a tool, so a hook cannot stop the call.",
    },
];

/// The limit that applies to a scenario on a host.
pub(crate) fn find(powers: &Powers, scenario: &Scenario) -> Option<&'static str> {
    let fits = |limit: &&Limit| {
        let here = limit.agent == powers.agent.id && limit.hosts.contains(&powers.host);
        here && limit.scenarios.contains(&scenario.name)
    };
    ALL.iter().find(fits).map(|limit| limit.evidence)
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::protocol::EventRow;
    use snaphook_adapters::registry::Registry;

    use super::*;

    #[test]
    fn every_limit_is_an_open_limit_of_its_adapter() {
        for limit in ALL {
            let agent = Registry::standard().get(limit.agent).unwrap().agent();
            let said = agent.events.iter().flat_map(EventRow::all_limits).any(|open| open == limit.evidence)
                || agent.registration.blocks.iter().flat_map(|block| block.notes).any(|note| *note == limit.evidence);
            assert!(said, "{}: {}", limit.agent, limit.evidence);
            for host in limit.hosts {
                assert!(agent.hosts.iter().any(|known| known.id == *host), "{}: {host}", limit.agent);
            }
            for scenario in limit.scenarios {
                assert!(crate::scenarios::names().contains(scenario), "{}: {scenario}", limit.agent);
            }
        }
    }
}
