//! What is asked of every agent: a policy, a call, and what must come of it.

use snaphook_adapters::model::{EventKind, Target};
use snaphook_adapters::protocol::Power;

use crate::agents::Driver;
use crate::handler::{CONTEXT, GO_ON, REDACTED};
use crate::model::Step;
use crate::powers::Powers;
use crate::seen::{Effect, RESPONSE};

/// The command that is judged, and the file that it leaves.
pub(crate) const PROBE: &str = "echo hook-probe > probe.txt";
/// A script that leaves the same file, for a policy that has to cover all that a call does.
const SCRIPT: &str = "sh hook-probe";
/// What a rewrite makes of it.
pub(crate) const REWRITTEN: &str = "echo rewritten > rewritten.txt";
/// What a second script does: it also writes where the sandbox forbids it, and no text shows that.
pub(crate) const BREAKOUT: &str = "echo hook-probe > probe.txt; echo out > /home/user/outside.txt";

/// One scenario.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Whether `--quick` has it.
    pub(crate) quick: bool,
    /// The policy, whole.
    pub(crate) policy: &'static str,
    /// The call.
    pub(crate) command: &'static str,
    /// What the model does after it.
    pub(crate) then: &'static [Step],
    /// Whether the agent asks by itself.
    pub(crate) approvals: bool,
    /// What goes wrong with our program.
    pub(crate) fault: Option<Fault>,
    /// Whether somebody else's hook approves everything.
    pub(crate) rival: bool,
    /// The law: no file of this name may appear in the home folder.
    pub(crate) forbids: &'static [&'static str],
    /// What should come of it, by what the agent's gate can do. The law holds in any case.
    pub(crate) expects: fn(&Powers) -> Expected,
}

/// What goes wrong with our program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Killed,
    Missing,
    Slow,
}

/// What should come of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// One of these.
    pub(crate) effects: &'static [Effect],
    /// Words that the model must have been sent.
    pub(crate) told: &'static [&'static str],
}

impl Scenario {
    /// Whether an agent can be asked: not every one is given an MCP server, or has sub-agents.
    pub(crate) fn fits(&self, driver: &Driver) -> bool {
        (driver.mcp || self.then != MCP) && (driver.sub_agents || self.then != SUB_AGENT)
    }

    /// Whether the MCP server is there.
    pub(crate) fn mcp(&self) -> bool {
        self.then == MCP || self.name == PASS.name
    }

    /// Whether nothing but a denial of ours stops the call.
    pub(crate) fn denies(&self) -> bool {
        self.policy.contains("deny = ") && !self.approvals && self.fault.is_none()
    }
}

impl Expected {
    const fn told(mut self, words: &'static [&'static str]) -> Self {
        self.told = words;
        self
    }
}

const fn does(effects: &'static [Effect]) -> Expected {
    Expected { effects, told: &[] }
}

/// What a gate does with a power, and what without it.
fn gate(powers: &Powers, power: Power, with: &'static [Effect], without: &'static [Effect]) -> Expected {
    does(if powers.gate(power) { with } else { without })
}

const RAN: &[Effect] = &[Effect::Ran];
const BLOCKED: &[Effect] = &[Effect::Blocked];
const REWROTE: &[Effect] = &[Effect::Rewritten];
/// However it is, it does not run.
const HELD: &[Effect] = &[Effect::Blocked, Effect::Ended, Effect::Asked];
const INPUT: Power = Power::Change(Target::Input);

// What may have to be searched for takes two steps.
const MCP: &[Step] = &[Step::Mcp, Step::Mcp];
const SUB_AGENT: &[Step] = &[Step::SubAgent, Step::SubAgent];

const PROBE_FILE: &[&str] = &["project/probe.txt"];

/// Nothing is judged: the call runs, and every step of the script is taken.
pub(crate) const PASS: Scenario = Scenario {
    name: "pass",
    quick: true,
    policy: "[permissions]\n",
    command: PROBE,
    then: &[Step::Write],
    approvals: false,
    fault: None,
    rival: false,
    forbids: &[],
    expects: |_| does(RAN),
};

/// A rule denies the call.
pub(crate) const DENY: Scenario = Scenario {
    name: "deny",
    policy: "[permissions]\ndeny = [\"Bash(echo hook-probe)\"]\n",
    forbids: PROBE_FILE,
    expects: |_| does(BLOCKED).told(&["Bash(echo hook-probe) denies"]),
    ..PASS
};

const ALLOW: Scenario = Scenario {
    name: "allow, approvals on",
    quick: false,
    policy: "[permissions]\nallow = [\"Bash\", \"Edit(//**)\"]\n",
    approvals: true,
    expects: |powers| does(if powers.approves() { RAN } else { ANY }),
    ..PASS
};

const ASK: Scenario = Scenario {
    name: "ask",
    policy: "[permissions]\nask = [\"Bash(echo hook-probe)\"]\n",
    forbids: PROBE_FILE,
    expects: |_| does(HELD),
    ..PASS
};

/// A handler decides; rules allow, since some agents take a change only together with an approval.
macro_rules! handled {
    ($name:literal, $what:literal) => {
        Scenario {
            name: $name,
            quick: false,
            policy: concat!(
                "[permissions]\nallow = [\"Bash\", \"Edit(//**)\"]\n\n[[handler]]\n",
                "match = [\"PreTool\", \"PostTool\", \"TurnEnd\"]\n",
                "command = [\"/home/lab/conformance\", \"handler\", \"",
                $what,
                "\"]\n"
            ),
            ..PASS
        }
    };
}

/// Every scenario, in the order of the report.
pub(crate) const ALL: &[Scenario] = &[
    PASS,
    DENY,
    ASK,
    Scenario {
        name: "required rewrite",
        policy: "[permissions]\nallow = [\"Bash\", \"Edit(//**)\"]\n\n[sandbox]\nlauncher = \"landlock\"\nrequired = true\n",
        command: "sh breakout",
        forbids: &["outside.txt"],
        expects: |powers| gate(powers, INPUT, RAN, HELD),
        ..PASS
    },
    Scenario { name: "killed hook", fault: Some(Fault::Killed), expects: |_| does(HELD), ..DENY },
    Scenario { name: "missing hook", quick: false, fault: Some(Fault::Missing), expects: |_| does(HELD), ..DENY },
    Scenario { name: "slow hook", quick: false, fault: Some(Fault::Slow), expects: |_| does(HELD), ..DENY },
    Scenario { name: "malformed policy", quick: false, policy: "[permissions\n", expects: |_| does(HELD), ..DENY },
    Scenario {
        name: "deny a write",
        quick: false,
        policy: "[permissions]\ndeny = [\"Edit(note.txt)\"]\n",
        forbids: &["project/note.txt"],
        expects: |_| does(RAN).told(&["Edit(note.txt) denies"]),
        ..PASS
    },
    Scenario {
        name: "deny an MCP call",
        quick: false,
        policy: "[permissions]\ndeny = [\"mcp__my-srv__say_it\"]\n",
        then: MCP,
        forbids: &["project/mcp.txt"],
        expects: |_| does(RAN).told(&["mcp__my-srv__say_it denies"]),
        ..PASS
    },
    Scenario {
        name: "deny in a sub-agent",
        quick: false,
        policy: "[permissions]\ndeny = [\"Bash(echo sub-agent)\"]\n",
        then: SUB_AGENT,
        forbids: &["project/sub.txt"],
        expects: |_| does(RAN).told(&["Bash(echo sub-agent) denies"]),
        ..PASS
    },
    Scenario { name: "two hooks disagree", quick: false, rival: true, ..DENY },
    Scenario {
        name: "respond",
        quick: false,
        policy: "[[respond]]\nmatch = \"Bash(sh hook-probe)\"\ntext = \"The answer comes from policy.\"\n",
        command: SCRIPT,
        forbids: PROBE_FILE,
        expects: |powers| {
            // Where it cannot be the result, or a second gate has to hold the call, it is the reason.
            gate(powers, Power::Respond, &[Effect::Responded, Effect::Blocked], BLOCKED).told(&[RESPONSE])
        },
        ..PASS
    },
    Scenario {
        forbids: PROBE_FILE,
        expects: |powers| gate(powers, INPUT, REWROTE, HELD),
        ..handled!("required change", "change-input-required")
    },
    Scenario { expects: |powers| gate(powers, INPUT, REWROTE, RAN), ..handled!("optional change", "change-input") },
    Scenario {
        expects: |powers| {
            let can = powers.at(EventKind::PostTool, Power::Change(Target::Result));
            does(RAN).told(if can { &[REDACTED] } else { &[] })
        },
        ..handled!("change of a result", "change-result")
    },
    Scenario {
        expects: |powers| does(RAN).told(if powers.gate(Power::Context) { &[CONTEXT] } else { &[] }),
        ..handled!("context", "context")
    },
    Scenario {
        forbids: PROBE_FILE,
        expects: |powers| gate(powers, Power::Abort, &[Effect::Ended], BLOCKED),
        ..handled!("abort", "abort")
    },
    Scenario {
        expects: |powers| does(RAN).told(if powers.at(EventKind::TurnEnd, Power::KeepGoing) { &[GO_ON] } else { &[] }),
        ..handled!("keep going", "keep-going")
    },
    Scenario { name: "pass, approvals on", quick: false, approvals: true, expects: |_| does(ANY), ..PASS },
    ALLOW,
    Scenario { name: "deny, approvals on", quick: false, approvals: true, expects: |_| does(HELD), ..DENY },
    Scenario { name: "ask, approvals on", quick: false, approvals: true, ..ASK },
];

/// What the agent does by itself is its own affair.
const ANY: &[Effect] = &[Effect::Ran, Effect::Blocked, Effect::Asked, Effect::Ended];

/// The names of all.
pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|scenario| scenario.name).collect()
}
