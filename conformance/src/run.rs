//! `run`: every scenario with every program, and what came of it.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use snaphook_adapters::registry::Registry;

use crate::agents::{self, Driver};
use crate::drive::{Lab, Program};
use crate::judge::{effect, judge};
use crate::programs::{self, Named};
use crate::relay::Mode;
use crate::results::{self, Row};
use crate::scenarios::{self, Scenario};
use crate::schemas;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The agents; without one: all
    agents: Vec<String>,
    /// Only pass, deny, ask, required rewrite and killed hook
    #[arg(long)]
    quick: bool,
    /// Only these scenarios
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<String>,
    /// Let a double speak for an agent whose program is not to be had; --quick only
    #[arg(long, requires = "quick")]
    doubles: bool,
    #[command(flatten)]
    with: With,
}

/// A program of an agent, or why there is none.
type Had = (&'static Driver, Result<Program, String>);

/// What is driven, and with what.
#[derive(Debug, clap::Args)]
pub(crate) struct With {
    /// A program of an agent, such as picoclaw@0.2.8=PATH; may be repeated
    #[arg(long = "program", value_name = "NAME[@VERSION]=PATH")]
    programs: Vec<Named>,
    /// The snaphook to try; default: this one, built now
    #[arg(long, value_name = "FILE")]
    snaphook: Option<PathBuf>,
}

impl With {
    /// The laboratory.
    pub(crate) fn lab(&self) -> Result<Lab, Box<dyn Error>> {
        Ok(Lab::new(self.snaphook.clone())?)
    }

    /// The programs of some agents, or why there is none.
    pub(crate) fn programs(&self, lab: &Lab, agents: &[String]) -> Result<Vec<Had>, Box<dyn Error>> {
        if let Some(unknown) = agents.iter().find(|id| agents::find(id).is_none()) {
            return Err(format!("no agent is called `{unknown}`").into());
        }
        let wanted = agents::ALL.iter().filter(|driver| agents.is_empty() || agents.iter().any(|id| id == driver.id));
        Ok(wanted
            .flat_map(|driver| {
                programs::of(lab, driver, &self.programs).into_iter().map(move |program| (driver, program))
            })
            .collect())
    }
}

/// Runs what was asked for. The exit code is 1 where anything did not come out as it should, or was not driven.
pub(crate) fn main(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(unknown) = arguments.scenarios.iter().find(|name| !scenarios::names().contains(&name.as_str())) {
        return Err(format!("no scenario is called `{unknown}`; there are: {}", scenarios::names().join(", ")).into());
    }
    let lab = arguments.with.lab()?;
    let mut out = std::io::stdout();
    let (mut runs, mut bad, mut undriven) = (0, 0, Vec::new());
    for (driver, program) in arguments.with.programs(&lab, &arguments.agents)? {
        let double = arguments.doubles.then(|| programs::double(&lab, driver)).flatten();
        let program = match (program, double) {
            (Ok(program), _) => program,
            (Err(why), Some(double)) => {
                writeln!(out, "{}: {why}; its double speaks", driver.id)?;
                double
            }
            (Err(why), None) => {
                writeln!(out, "{}: NOT DRIVEN: {why}", driver.id)?;
                undriven.push(driver.id);
                let mut row = Row::new(driver.id, "", "");
                row.why = why;
                results::add(&lab.results(), &[row])?;
                continue;
            }
        };
        writeln!(out, "{} {}{}", driver.id, program.version, if program.double { ", double" } else { "" })?;
        let schemas = driver.schemas.then(|| schemas(&lab, &program));
        for row in schemas.into_iter().filter(|_| arguments.scenarios.is_empty()) {
            runs += 1;
            bad += usize::from(!row.good);
            show(&mut out, &row)?;
            results::add(&lab.results(), &[row])?;
        }
        for scenario in scenarios::ALL.iter().filter(|scenario| arguments.wants(scenario) && scenario.fits(driver)) {
            let row = one(&lab, &program, scenario);
            runs += 1;
            bad += usize::from(!row.good);
            show(&mut out, &row)?;
            results::add(&lab.results(), &[row])?;
        }
    }
    write!(out, "{runs} runs, {bad} not as they should be")?;
    writeln!(
        out,
        "{}",
        if undriven.is_empty() { String::new() } else { format!("; not driven: {}", undriven.join(", ")) }
    )?;
    Ok(ExitCode::from(u8::from(bad > 0 || runs == 0 || !undriven.is_empty())))
}

fn show(out: &mut impl std::io::Write, row: &Row) -> std::io::Result<()> {
    let why = if row.why.is_empty() { String::new() } else { format!(": {}", row.why) };
    writeln!(out, "  {:<26} {:<10} {:>5.1} s  {}{why}", row.scenario, row.effect, row.seconds, row.judgement)
}

/// Compares what we can answer with the schemas that the program carries.
fn schemas(lab: &Lab, program: &Program) -> Row {
    let mut row = Row::new(program.driver.id, &program.version, SCHEMAS);
    let fixtures = lab.fixtures(program.driver.id);
    let compared = schemas::find(&program.path).map_err(|error| error.to_string()).and_then(|found| {
        let protocol = Registry::standard().get(program.driver.id).ok_or("the registry does not know it")?;
        schemas::compare(&found, protocol, &fixtures)
    });
    match compared {
        Ok(compared) if compared.answers == 0 => row.why = "no schema was found in the program".into(),
        Ok(compared) => {
            row.driven = true;
            row.good = compared.faults.is_empty();
            row.effect = format!("{} fit", compared.answers - compared.faults.len());
            row.judgement = if row.good { "obeyed" } else { "DEPARTS" }.into();
            row.why = compared.faults.first().cloned().unwrap_or_default();
        }
        Err(why) => row.why = why,
    }
    row
}

/// The row of the comparison with schemas.
pub(crate) const SCHEMAS: &str = "its own schemas";

impl Arguments {
    fn wants(&self, scenario: &Scenario) -> bool {
        let named = self.scenarios.is_empty() || self.scenarios.iter().any(|name| name == scenario.name);
        named && (!self.quick || scenario.quick)
    }
}

/// One scenario with one program.
pub(crate) fn one(lab: &Lab, program: &Program, scenario: &Scenario) -> Row {
    // Calls are timed where nothing is judged; everywhere else the agent starts the program itself.
    let mode = (scenario.name == "pass").then_some(Mode::Record);
    let mut row = Row::new(program.driver.id, &program.version, scenario.name);
    if program.double {
        row.spoke = results::DOUBLE.into();
    }
    match lab.run(program, scenario, mode) {
        Ok((powers, seen)) => {
            let judgement = judge(scenario, &powers, &seen);
            row.effect = effect(scenario, &powers, &seen);
            row.judgement = judgement.word().into();
            row.why = judgement.why().into();
            row.good = judgement.good();
            row.driven = true;
            row.seconds = seen.end.took.as_secs_f64();
            row.calls = seen.calls().iter().filter_map(|call| call.ms).collect();
        }
        Err(error) => row.why = error.to_string(),
    }
    row
}
