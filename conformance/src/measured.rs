//! What was measured: what an agent did after the answers it got. The outcome tables have to say the same.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::drive::Program;
use crate::fixtures::Message;
use crate::powers::Powers;
use crate::relay::Call;
use crate::scenarios::Scenario;
use crate::seen::{Effect, Seen};
use crate::space::SNAPHOOK;

/// The file, in the workspace.
pub(crate) const FILE: &str = "conformance/measured.toml";

/// One run: the answers about the call that was judged, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    pub(crate) agent: String,
    pub(crate) version: String,
    pub(crate) scenario: String,
    /// Whether the agent asks by itself.
    pub(crate) approvals: bool,
    pub(crate) effect: Effect,
    /// Gate after gate.
    pub(crate) answers: Vec<Answer>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) event: String,
    /// The host or lane of the outcome tables.
    pub(crate) host: String,
    /// Absent for a line of a connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<u8>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    run: Vec<Measured>,
}

impl Measured {
    /// What a run measured; absent where no gate was asked about the call.
    pub(crate) fn of(
        program: &Program,
        scenario: &Scenario,
        powers: &Powers,
        seen: &Seen,
        calls: &[(Message, Call)],
    ) -> Option<Self> {
        let about = |call: &Call| ["hook-probe", "breakout"].iter().any(|word| call.stdin.contains(word));
        let answers: Vec<_> = calls
            .iter()
            .filter(|(_, call)| about(call))
            .filter_map(|(message, call)| {
                let gate =
                    powers.gates.iter().find(|gate| gate.row.native == message.event && gate.role == message.role)?;
                Some(Answer {
                    event: message.event.clone(),
                    host: gate.host.into(),
                    exit: call.exit,
                    stdout: stable(&first_id(call)),
                    stderr: stable(&call.stderr),
                })
            })
            .collect();
        (!answers.is_empty()).then(|| Self {
            agent: program.driver.id.into(),
            version: program.version.clone(),
            scenario: scenario.name.into(),
            approvals: scenario.approvals,
            effect: seen.effect(),
            answers,
        })
    }
}

/// The answer on a connection as if it were the first: its id counts requests.
fn first_id(call: &Call) -> String {
    let line = call.exit.is_none().then(|| serde_json::from_str::<serde_json::Value>(&call.stdout).ok()).flatten();
    let Some(mut line) = line else { return call.stdout.clone() };
    if let Some(id) = line.get_mut("id") {
        *id = 1.into();
    }
    line.to_string()
}

/// An answer without what is another each time: the id in our log.
fn stable(text: &str) -> String {
    const WHY: &str = "snaphook why ";
    let mut parts = text.trim_end().split(WHY);
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        stable.extend([WHY, "0000000", part.get(7..).unwrap_or_default()]);
    }
    // Behind the relay the program lies elsewhere.
    stable.replace("/home/lab/snaphook", SNAPHOOK)
}

/// Reads what was measured.
pub(crate) fn read(file: &Path) -> io::Result<Vec<Measured>> {
    let text = std::fs::read_to_string(file)?;
    toml::from_str::<File>(&text).map(|file| file.run).map_err(io::Error::other)
}

/// Writes runs over those of the same agent, version and scenario.
pub(crate) fn add(file: &Path, new: Vec<Measured>) -> io::Result<()> {
    let mut runs = if file.exists() { read(file)? } else { Vec::new() };
    runs.retain(|old| !new.iter().any(|new| (&new.agent, &new.version) == (&old.agent, &old.version)));
    runs.extend(new);
    runs.sort_by(|a, b| (&a.agent, &a.version).cmp(&(&b.agent, &b.version)));
    let text = toml::to_string(&File { run: runs }).map_err(io::Error::other)?;
    let head =
        "# What real agents did after our answers; `record` writes it. A test compares it with tests/outcomes.\n\n";
    std::fs::write(file, format!("{head}{text}"))
}

#[cfg(test)]
mod tests {
    use snaphook_doubles::answer::{Effect as Does, Heard};
    use snaphook_doubles::tables::Table;

    use super::*;
    use crate::drive::root;

    const ANY: &[Effect] = &[Effect::Ran, Effect::Blocked, Effect::Asked, Effect::Ended];

    /// What the tables say of a run; `said` may overrule them.
    fn foretold(table: &Table, run: &Measured, said: impl Fn(usize, Does) -> Does) -> &'static [Effect] {
        let mut approved = false;
        let mut rewritten = false;
        for (place, answer) in run.answers.iter().enumerate() {
            let heard = match answer.exit {
                Some(exit) => Heard::ended(exit.into(), &answer.stdout, &answer.stderr),
                None => Heard::line(&answer.stdout),
            };
            let report = table.judge(&answer.event, &answer.host, heard);
            match said(place, report.effect) {
                Does::Blocks => return &[Effect::Blocked],
                Does::Responds => return &[Effect::Responded],
                Does::Stops | Does::StopsHard | Does::RefusesStart => return &[Effect::Ended],
                Does::Asks => return &[Effect::Asked, Effect::Blocked, Effect::Ended],
                Does::Unmeasured => return &[],
                Does::Approves => approved = true,
                Does::Flow | Does::Continues | Does::RunsThenStops => {}
            }
            let input = report.carried.get("input").map(ToString::to_string);
            rewritten |= input.is_some_and(|input| input.contains(crate::scenarios::REWRITTEN));
        }
        match () {
            () if rewritten => &[Effect::Rewritten],
            () if run.approvals && !approved => ANY,
            () => &[Effect::Ran],
        }
    }

    /// The runs of each agent, with its table.
    fn runs() -> Vec<(Table, Vec<Measured>)> {
        let mut agents = std::collections::BTreeMap::<_, Vec<_>>::new();
        for run in read(&root().join(FILE)).unwrap() {
            agents.entry(run.agent.clone()).or_default().push(run);
        }
        agents.into_iter().map(|(agent, runs)| (Table::of(&agent).unwrap(), runs)).collect()
    }

    #[test]
    fn measured_effects_are_what_the_outcome_tables_say() {
        let mut apart = Vec::new();
        for (table, runs) in runs() {
            for run in runs {
                let foretold = foretold(&table, &run, |_, does| does);
                if !foretold.contains(&run.effect) {
                    let Measured { agent, version, scenario, effect, answers, .. } = &run;
                    apart.push(format!(
                        "{agent} {version}, {scenario}: {effect}; the tables: {foretold:?}\n  {answers:?}"
                    ));
                }
            }
        }
        assert!(apart.is_empty(), "{}", apart.join("\n"));
    }

    #[test]
    fn a_row_that_said_something_else_would_be_found() {
        for (table, runs) in runs() {
            for run in runs.iter().filter(|run| !run.approvals) {
                let last = run.answers.len() - 1;
                let ran = matches!(run.effect, Effect::Ran | Effect::Rewritten);
                let other = if ran { Does::Blocks } else { Does::Flow };
                let foretold = foretold(&table, run, |place, does| if place == last { other } else { does });
                assert!(!foretold.contains(&run.effect), "{} {}, {}", run.agent, run.version, run.scenario);
            }
        }
    }
}
