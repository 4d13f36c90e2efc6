//! `run`: runs every scenario with every program and prints the results.

use std::error::Error;
use std::io::Write as _;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use snaphook_adapters::registry::Registry;

use crate::agents::{self, Driver};
use crate::drive::{AgentProgram, Harness};
use crate::judge::{effect, judge};
use crate::powers::Powers;
use crate::programs::{self, Named};
use crate::relay::Mode;
use crate::report;
use crate::results::{self, Row};
use crate::scenarios::{self, Scenario, ScenarioKind};
use crate::schemas;

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The agents; without one: all
    agents: Vec<String>,
    /// Only pass, deny, ask, required rewrite and killed hook
    #[arg(long)]
    quick: bool,
    /// Only these scenarios
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<String>,
    /// Use a double for an agent, or a dialect of one, whose program is not available
    #[arg(long)]
    doubles: bool,
    /// Write the results of the driven agents into conformance/REPORT.md
    #[arg(long, conflicts_with_all = ["quick", "scenarios"])]
    report: bool,
    /// Number of programs to drive at the same time
    #[arg(long, default_value_t = 3, value_name = "N")]
    jobs: usize,
    #[command(flatten)]
    with: With,
}

/// A program of an agent, or the reason why none is available.
type Available = (&'static Driver, Result<AgentProgram, String>);

/// The programs to drive, and the snaphook to test.
#[derive(Debug, clap::Args)]
pub(crate) struct With {
    /// A program of an agent, such as picoclaw@0.2.8=PATH; may be repeated. A development build does not print its
    /// version, so name it
    #[arg(long = "program", value_name = "NAME[@VERSION]=PATH")]
    programs: Vec<Named>,
    /// The snaphook program to test; default: build it from this workspace
    #[arg(long, value_name = "FILE")]
    snaphook: Option<PathBuf>,
}

impl With {
    /// Prepares the programs and folders of this run.
    pub(crate) fn harness(&self) -> Result<Harness, Box<dyn Error>> {
        Ok(Harness::new(self.snaphook.clone())?)
    }

    /// The programs of some agents, or the reason why none is available; with `doubles`, a double for each dialect
    /// without a program.
    ///
    /// # Errors
    ///
    /// Fails if a program that the user named cannot be used: no double replaces it.
    pub(crate) fn programs(
        &self,
        harness: &Harness,
        agents: &[String],
        doubles: bool,
    ) -> Result<Vec<Available>, Box<dyn Error>> {
        if let Some(unknown) = agents.iter().find(|id| agents::find(id).is_none()) {
            let known: Vec<_> = agents::ALL.iter().map(|driver| driver.id).collect();
            return Err(format!("unknown agent `{unknown}`; expected one of {}", known.join(", ")).into());
        }
        let wanted = agents::ALL.iter().filter(|driver| agents.is_empty() || agents.iter().any(|id| id == driver.id));
        let mut all = Vec::new();
        for driver in wanted {
            let mut had = programs::of(harness, driver, &self.programs)?;
            let double = programs::double(harness, driver).filter(|double| {
                let host = |version: &str| Powers::of(driver.id, version).map(|powers| powers.host);
                doubles && !had.iter().flatten().any(|had| host(&had.version) == host(&double.version))
            });
            if let Some(double) = double {
                had.retain(Result::is_ok);
                had.push(Ok(double));
            }
            all.extend(had.into_iter().map(|program| (driver, program)));
        }
        Ok(all)
    }
}

/// Runs the selected scenarios. The exit code is 1 if an agent departs from its adapter's rows, or was not driven.
pub(crate) fn main(arguments: &RunArgs) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(unknown) = arguments.scenarios.iter().find(|name| !scenarios::names().contains(&name.as_str())) {
        let known = scenarios::names().join(", ");
        return Err(format!("unknown scenario `{unknown}`; expected one of {known}").into());
    }
    // Before the run, which takes long enough for a new commit.
    let built = arguments.report && arguments.with.snaphook.is_none();
    let snaphook = if built { report::commit()? } else { "named".to_owned() };
    let harness = arguments.with.harness()?;
    let mut out = std::io::stdout();
    let mut rows = Vec::new();
    let mut programs = Vec::new();
    for (driver, program) in arguments.with.programs(&harness, &arguments.agents, arguments.doubles)? {
        match program {
            Ok(program) => programs.push(program),
            Err(why) => {
                writeln!(out, "{}: NOT DRIVEN: {why}", driver.id)?;
                let mut row = Row::new(driver.id, "", "");
                row.why = why;
                rows.push(row);
            }
        }
    }
    rows.extend(drive(&harness, &programs, arguments)?);
    let (runs, undriven): (Vec<_>, Vec<_>) = rows.iter().partition(|row| !row.scenario.is_empty());
    let bad = runs.iter().filter(|row| !row.good).count();
    let undriven: Vec<_> = undriven.iter().map(|row| row.agent.as_str()).collect();
    let also = if undriven.is_empty() { String::new() } else { format!("; not driven: {}", undriven.join(", ")) };
    writeln!(out, "{} runs, {bad} failed{also}", runs.len())?;
    if arguments.report {
        report::write(&rows, &snaphook)?;
    }
    Ok(ExitCode::from(u8::from(bad > 0 || runs.is_empty() || !undriven.is_empty())))
}

/// Runs every scenario with each program, several programs at a time, and prints each row when it is done.
fn drive(harness: &Harness, programs: &[AgentProgram], arguments: &RunArgs) -> std::io::Result<Vec<Row>> {
    let next = AtomicUsize::new(0);
    let work = || -> std::io::Result<Vec<Row>> {
        let mut rows = Vec::new();
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for row in run_scenarios(harness, program, arguments) {
                show(&mut std::io::stdout(), &row)?;
                rows.push(row);
            }
        }
        Ok(rows)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.jobs).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        Ok(done.collect::<std::io::Result<Vec<_>>>()?.concat())
    })
}

/// Runs every scenario that applies to a program.
fn run_scenarios(harness: &Harness, program: &AgentProgram, arguments: &RunArgs) -> impl Iterator<Item = Row> {
    let driver = program.driver;
    let compares = driver.schemas && !program.double && arguments.scenarios.is_empty();
    let schemas = compares.then(|| schemas(harness, program));
    let asked = scenarios::all().filter(move |scenario| {
        let can = !program.double || scenario.for_double(driver);
        can && arguments.wants(scenario) && scenario.fits(driver, &program.version)
    });
    schemas.into_iter().chain(asked.map(move |scenario| one(harness, program, scenario)))
}

fn show(out: &mut impl std::io::Write, row: &Row) -> std::io::Result<()> {
    let who = format!("{} {}", row.agent, row.version);
    let why = if row.why.is_empty() { String::new() } else { format!(": {}", row.why) };
    writeln!(out, "{who:<21}  {:<28}  {:<9}  {:>5.1} s  {}{why}", row.scenario, row.effect, row.seconds, row.judgement)
}

/// Checks every possible answer against the schemas that the program contains.
fn schemas(harness: &Harness, program: &AgentProgram) -> Row {
    let mut row = Row::new(program.driver.id, &program.version, SCHEMAS);
    let fixtures = harness.fixtures(program.driver.id);
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

/// The name of the row that compares answers with schemas.
pub(crate) const SCHEMAS: &str = "answer schemas";

impl RunArgs {
    fn wants(&self, scenario: &Scenario) -> bool {
        let named = self.scenarios.is_empty() || self.scenarios.iter().any(|name| name == scenario.name);
        named && (!self.quick || scenario.kind == ScenarioKind::Quick)
    }
}

/// Runs one scenario with one program.
pub(crate) fn one(harness: &Harness, program: &AgentProgram, scenario: &Scenario) -> Row {
    // Calls are timed only if nothing is judged; in all other scenarios the agent starts the program itself.
    let mode = (scenario.name == "pass").then_some(Mode::Record);
    let mut row = Row::new(program.driver.id, &program.version, scenario.name);
    if program.double {
        row.spoke = results::DOUBLE.into();
    }
    match harness.run(program, scenario, mode) {
        Ok((powers, outcome)) => {
            let judgement = judge(scenario, &powers, &outcome);
            row.effect = effect(scenario, &powers, &outcome);
            row.judgement = judgement.word().into();
            row.why = judgement.why().into();
            row.good = judgement.good();
            row.driven = true;
            row.seconds = outcome.end.took.as_secs_f64();
            row.calls = outcome.calls().iter().filter_map(|call| call.ms).collect();
        }
        Err(error) => row.why = error.to_string(),
    }
    row
}
