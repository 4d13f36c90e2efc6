//! The measured runs: the answers that an agent got and what it did then. They are the last part of its data file in
//! `hosts/`; a test compares them with the cases of the file.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::container::SNAPHOOK;
use crate::drive::AgentProgram;
use crate::fixtures::Message;
use crate::limits;
use crate::outcome::{CallEnd, RunOutcome};
use crate::powers::Powers;
use crate::relay::RelayedCall;
use crate::scenarios::Scenario;

/// The line with which the last part of a data file begins.
const HEAD: &str = "\n# ==== Runs\n";

/// One run: the answers about the call that is judged, and what happened to the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    pub(crate) version: String,
    pub(crate) scenario: String,
    /// True if the agent asks for approval by itself.
    #[serde(default)]
    pub(crate) approvals: bool,
    pub(crate) effect: CallEnd,
    /// The answers at each gate, in order.
    pub(crate) answers: Vec<Answer>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) event: String,
    /// The version or mode, as in the data file.
    pub(crate) host: String,
    /// Absent for a line of a connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<u8>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stdout: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stderr: String,
}

#[derive(Debug, Default, Deserialize)]
struct Runs {
    #[serde(default)]
    run: Vec<Measured>,
}

impl Measured {
    /// The result of a run; absent if no gate was asked about the call, or if another program decided it.
    pub(crate) fn of(
        program: &AgentProgram,
        scenario: &Scenario,
        powers: &Powers,
        outcome: &RunOutcome,
        calls: &[(Message, RelayedCall)],
    ) -> Option<Self> {
        if scenario.rival && limits::find(powers, scenario).is_some() {
            return None;
        }
        let about = |call: &RelayedCall| ["hook-probe", "breakout"].iter().any(|word| call.stdin.contains(word));
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
            version: program.version.clone(),
            scenario: scenario.name.into(),
            approvals: scenario.approvals,
            effect: outcome.effect(),
            answers,
        })
    }
}

/// The answer with the id 1, since the ids of a connection count requests.
fn first_id(call: &RelayedCall) -> String {
    let line = call.exit.is_none().then(|| serde_json::from_str::<serde_json::Value>(&call.stdout).ok()).flatten();
    let Some(mut line) = line else { return call.stdout.clone() };
    if let Some(id) = line.get_mut("id") {
        *id = 1.into();
    }
    line.to_string()
}

/// An answer without the parts that differ in each run: the id in our log.
fn stable(text: &str) -> String {
    const WHY: &str = "snaphook why ";
    let mut parts = text.trim_end().split(WHY);
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        stable.extend([WHY, "0000000", part.get(7..).unwrap_or_default()]);
    }
    // With the relay, the real program has another path.
    stable.replace("/home/harness/snaphook", SNAPHOOK)
}

/// Reads the runs of a data file.
pub(crate) fn read(text: &str) -> io::Result<Vec<Measured>> {
    toml::from_str::<Runs>(text).map(|runs| runs.run).map_err(io::Error::other)
}

/// Replaces the runs of the same versions in a data file, and returns which are new, gone or different.
pub(crate) fn record(file: &Path, new: Vec<Measured>) -> io::Result<Vec<String>> {
    let text = std::fs::read_to_string(file)?;
    let (old, mut runs) = (read(&text)?, read(&text)?);
    runs.retain(|old| !new.iter().any(|new| new.version == old.version));
    runs.extend(new);
    runs.sort_by(|a, b| a.version.cmp(&b.version));
    let before = text.split_once(HEAD).map_or(text.as_str(), |(before, _)| before);
    std::fs::write(file, format!("{before}{HEAD}{}", written(&runs)?))?;
    Ok(differences(&old, &runs))
}

fn differences(old: &[Measured], new: &[Measured]) -> Vec<String> {
    let same =
        |a: &Measured, b: &Measured| (&a.version, &a.scenario, a.approvals) == (&b.version, &b.scenario, b.approvals);
    let at = |run: &Measured| format!("{}, {}", run.version, run.scenario);
    let gone = old.iter().filter(|old| !new.iter().any(|new| same(old, new)));
    let mut lines: Vec<_> = gone.map(|run| format!("{}: is not measured any more", at(run))).collect();
    for run in new {
        match old.iter().find(|old| same(old, run)) {
            None => lines.push(format!("{}: new: {}", at(run), run.effect)),
            Some(old) if old.effect != run.effect => {
                lines.push(format!("{}: {} before, {} now", at(run), old.effect, run.effect));
            }
            Some(old) if old.answers != run.answers => lines.push(format!("{}: other answers", at(run))),
            Some(_) => {}
        }
    }
    lines
}

/// Formats runs for a data file, with one line for each answer.
fn written(runs: &[Measured]) -> io::Result<String> {
    let mut text = String::new();
    for Measured { version, scenario, approvals, effect, answers } in runs {
        let _ = write!(text, "\n[[run]]\nversion = {version:?}\nscenario = {scenario:?}\n");
        if *approvals {
            text.push_str("approvals = true\n");
        }
        let effect = toml::Value::try_from(effect).map_err(io::Error::other)?;
        let _ = writeln!(text, "effect = {effect}\nanswers = [");
        for answer in answers {
            let answer = toml::Value::try_from(answer).map_err(io::Error::other)?;
            let _ = writeln!(text, "  {answer},");
        }
        text.push_str("]\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::registry::Registry;
    use snaphook_hosts::Effect;
    use snaphook_hosts::cases::{self, Cases, Heard};

    use super::*;

    const ANY: &[CallEnd] = &[CallEnd::Ran, CallEnd::Blocked, CallEnd::Asked, CallEnd::Ended];

    /// The ends of a run that the cases predict; `said` may replace an effect.
    fn foretold(cases: &Cases, run: &Measured, said: impl Fn(usize, Effect) -> Effect) -> &'static [CallEnd] {
        let mut approved = false;
        let mut rewritten = false;
        for (place, answer) in run.answers.iter().enumerate() {
            let heard = match answer.exit {
                Some(exit) => Heard::ended(exit.into(), &answer.stdout, &answer.stderr),
                None => Heard::line(&answer.stdout),
            };
            let report = cases.judge(&answer.event, &answer.host, heard);
            match said(place, report.effect) {
                // The model may get the bare reason as the result of the tool.
                Effect::Blocks if run.scenario == "respond" => return &[CallEnd::Blocked, CallEnd::Responded],
                Effect::Blocks => return &[CallEnd::Blocked],
                Effect::Responds => return &[CallEnd::Responded],
                Effect::Stops | Effect::StopsHard | Effect::RefusesStart => return &[CallEnd::Ended],
                Effect::Asks => return &[CallEnd::Asked, CallEnd::Blocked, CallEnd::Ended],
                Effect::Approves => approved = true,
                Effect::Flow | Effect::Continues | Effect::RunsThenStops => {}
                _ => return &[],
            }
            let input = report.carried.get("input").map(ToString::to_string);
            rewritten |= input.is_some_and(|input| input.contains(crate::scenarios::REWRITTEN));
        }
        match () {
            () if rewritten => &[CallEnd::Rewritten],
            () if run.approvals && !approved => ANY,
            () => &[CallEnd::Ran],
        }
    }

    /// The runs of each agent, with its cases.
    fn runs() -> Vec<(Cases, Vec<Measured>)> {
        let ids = Registry::standard();
        let of = |id| {
            let text = std::fs::read_to_string(cases::file(id)).ok()?;
            Some((Cases::parse(&text).unwrap(), read(&text).unwrap()))
        };
        ids.ids().filter_map(of).collect()
    }

    #[test]
    fn measured_effects_agree_with_the_cases() {
        let mut apart = Vec::new();
        for (cases, runs) in runs() {
            for run in runs {
                let foretold = foretold(&cases, &run, |_, does| does);
                if !foretold.contains(&run.effect) {
                    let Measured { version, scenario, effect, answers, .. } = &run;
                    let at = format!("{} {version}, {scenario}", cases.agent);
                    apart.push(format!("{at}: {effect}; the cases: {foretold:?}\n  {answers:?}"));
                }
            }
        }
        assert!(apart.is_empty(), "{}", apart.join("\n"));
    }

    #[test]
    fn a_case_that_contradicts_a_run_is_found() {
        for (cases, runs) in runs() {
            for run in runs.iter().filter(|run| !run.approvals) {
                let last = run.answers.len() - 1;
                let ran = matches!(run.effect, CallEnd::Ran | CallEnd::Rewritten);
                let other = if ran { Effect::Blocks } else { Effect::Flow };
                let foretold = foretold(&cases, run, |place, does| if place == last { other } else { does });
                assert!(!foretold.contains(&run.effect), "{} {}, {}", cases.agent, run.version, run.scenario);
            }
        }
    }

    #[test]
    fn runs_are_read_back_as_they_were_written() {
        for (cases, runs) in runs() {
            assert_eq!(read(&written(&runs).unwrap()).unwrap(), runs, "{}", cases.agent);
        }
    }

    #[test]
    fn a_new_run_replaces_those_of_its_version_and_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hygge.toml");
        std::fs::copy(cases::file("hygge"), &file).unwrap();
        let mut runs = read(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let last = runs.pop().unwrap();
        runs[0].effect = CallEnd::Asked;
        let said = record(&file, runs.clone()).unwrap();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains(&last.scenario) && said[1].ends_with("waits now"), "{said:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(read(&text).unwrap(), runs);
        assert!(Cases::parse(&text).is_ok());
    }
}
