//! `prove`: with a broken snaphook every denial has to fail, and every attack has to succeed.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;

use crate::drive::Undriven;
use crate::judge::{RunJudgement, judge};
use crate::relay::Mode;
use crate::run::With;
use crate::scenarios::{self, ScenarioKind};

#[derive(Debug, clap::Args)]
pub(crate) struct ProveArgs {
    /// The agents; without one: all
    agents: Vec<String>,
    /// Only these scenarios
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<String>,
    #[command(flatten)]
    with: With,
}

/// The ways to break snaphook.
const BROKEN: [(&str, Mode); 2] = [("does nothing", Mode::Nothing), ("swaps the word for deny", Mode::Swapped)];

/// Runs denials and attacks with a broken snaphook. The exit code is 1 if one of them still passes.
pub(crate) fn main(arguments: &ProveArgs) -> Result<ExitCode, Box<dyn Error>> {
    let harness = arguments.with.harness()?;
    let mut out = std::io::stdout();
    let (mut runs, mut green) = (0, 0);
    for (driver, program) in arguments.with.programs(&harness, &arguments.agents, false)? {
        let program = program.map_err(|why| format!("{}: {why}", driver.id))?;
        writeln!(out, "{} {}", driver.id, program.version)?;
        let named = |name| arguments.scenarios.is_empty() || arguments.scenarios.iter().any(|named| named == name);
        let denials = scenarios::all().filter(|scenario| {
            scenario.breaks_without_hook() && scenario.fits(driver, &program.version) && named(scenario.name)
        });
        for scenario in denials {
            // Only a scenario with a denial has a word to swap.
            let ways = BROKEN.iter().filter(|(_, mode)| *mode != Mode::Swapped || scenario.denies());
            for (how, mode) in ways {
                let (said, red) = match harness.run(&program, scenario, Some(mode.clone())) {
                    Ok((powers, outcome)) => {
                        let judgement = judge(scenario, &powers, &outcome);
                        if let RunJudgement::Limit(why) = judgement {
                            writeln!(out, "  {:<26} {how:<24} nothing to prove: {why}", scenario.name)?;
                            continue;
                        }
                        let broken = outcome.broken(scenario).len();
                        let promises = outcome.promises(scenario);
                        if scenario.kind == ScenarioKind::Attack && *mode == Mode::Nothing {
                            (format!("{broken} of {promises} promises broken: {judgement}"), broken > 0)
                        } else {
                            (judgement.to_string(), judgement != RunJudgement::Obeyed)
                        }
                    }
                    Err(why @ Undriven::Silent(_)) => (why.to_string(), true),
                    Err(why) => return Err(why.into()),
                };
                runs += 1;
                green += usize::from(!red);
                let word = if red { "red" } else { "STILL GREEN" };
                writeln!(out, "  {:<26} {how:<24} {word}: {said}", scenario.name)?;
            }
        }
    }
    writeln!(out, "{runs} runs, {green} still green")?;
    Ok(ExitCode::from(u8::from(green > 0 || runs == 0)))
}
