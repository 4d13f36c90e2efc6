//! `record`: saves the messages of agents as fixtures, and what the agents did as runs in their data files.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;

use snaphook_adapters::registry::Registry;
use snaphook_hosts::cases;

use crate::fixtures::{self, Recorded};
use crate::measured::{self, Measured};
use crate::relay::Mode;
use crate::results;
use crate::run::With;
use crate::scenarios;

#[derive(Debug, clap::Args)]
pub(crate) struct RecordArgs {
    /// The agents; without one: all
    agents: Vec<String>,
    #[command(flatten)]
    with: With,
}

/// Runs every scenario without an injected fault, and records messages and effects.
pub(crate) fn main(arguments: &RecordArgs) -> Result<ExitCode, Box<dyn Error>> {
    let harness = arguments.with.harness()?;
    let mut out = std::io::stdout();
    let mut undriven = 0;
    let programs = arguments.with.programs(&harness, &arguments.agents, false)?;
    let had = programs.iter().filter_map(|(driver, program)| Some((driver.id, program.as_ref().ok()?.version.clone())));
    let versions: Vec<_> = had.collect();
    for (driver, program) in programs {
        let program = match program {
            Ok(program) => program,
            Err(why) => {
                writeln!(out, "{}: NOT DRIVEN: {why}", driver.id)?;
                undriven += 1;
                continue;
            }
        };
        let protocol = Registry::standard().get(driver.id).ok_or("the registry does not know it")?;
        let (mut messages, mut faults, mut effects) = (Vec::new(), Vec::new(), Vec::new());
        for scenario in
            scenarios::all().filter(|scenario| scenario.recorded() && scenario.fits(driver, &program.version))
        {
            match harness.run(&program, scenario, Some(Mode::Record)) {
                Ok((powers, outcome)) => {
                    let (read, unread) = fixtures::messages(protocol, &outcome.calls());
                    effects.extend(Measured::of(&program, scenario, &powers, &outcome, &read));
                    messages.extend(read.into_iter().map(|(message, _)| message));
                    faults.extend(unread);
                }
                Err(error) => faults.push(format!("{}: {error}", scenario.name)),
            }
        }
        let recorded = Recorded {
            agent: driver.id,
            version: program.version.clone(),
            others: versions
                .iter()
                .filter(|(id, version)| *id == driver.id && *version != program.version)
                .map(|(_, version)| version.clone())
                .collect(),
            date: results::today(),
        };
        let drift = fixtures::refresh(&harness.fixtures(driver.id), protocol, &recorded, messages)?;
        writeln!(out, "{} {}: {} fixtures written", driver.id, program.version, drift.written.len())?;
        for line in faults.iter().chain(&drift.lines) {
            writeln!(out, "  {line}")?;
        }
        undriven += usize::from(!faults.is_empty());
        for line in measured::record(&cases::file(driver.id), effects)? {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(ExitCode::from(u8::from(undriven > 0)))
}
