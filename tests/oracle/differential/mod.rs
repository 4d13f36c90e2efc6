//! Compares the commands that shells run with the commands that policy reads, on generated programs.
//!
//! The laws for a program that is understood: every shell accepts its syntax; each program that a shell starts
//! is one of the parts, or a rule that denies it is not bypassed. No rule allows other programs, so no shell needs
//! to see them.
//!
//! `SNAPHOOK_DIFFERENTIAL=100000 cargo test --test oracle differential -- --nocapture` makes many programs, and runs
//! every fourth of those that are understood; `SNAPHOOK_DIFFERENTIAL_SEED` selects others.

mod programs;

use std::collections::BTreeSet;

use snaphook_adapters::model::VerdictKind;

use crate::generate::shown;
use crate::judge::{Judge, Said};
use crate::sandbox::{self, Sandbox, in_batches};
use crate::skipped::skipped;

/// The number of programs in the default tests.
const FEW: u64 = 300;

/// The number of programs in one sandbox.
const BATCH: usize = 100;

/// The shells that are compared.
const SHELLS: [char; 3] = ['b', 'd', 'z'];

/// The result of one program in one shell.
#[derive(Clone)]
struct Seen {
    letter: char,
    /// The syntax error, if any.
    message: String,
    /// The words of the programs that it started.
    started: BTreeSet<Vec<String>>,
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap())
}

#[test]
fn shells_run_no_command_that_policy_does_not_read() {
    let many = number("SNAPHOOK_DIFFERENTIAL");
    let seed = number("SNAPHOOK_DIFFERENTIAL_SEED").unwrap_or(1);
    let names: BTreeSet<_> = programs::stubs().collect();
    let names: Vec<_> = names.into_iter().collect();
    let sandbox = match Sandbox::of_script(include_str!("driver.sh"), include_str!("stub.sh"), &names) {
        Ok(sandbox) => sandbox,
        Err(why) => return skipped(&why),
    };
    if let Some((_, name)) =
        sandbox::SHELLS.iter().find(|(letter, _)| SHELLS.contains(letter) && !sandbox.shells().contains(letter))
    {
        return skipped(&format!("{name}: not installed, so generated programs are not compared"));
    }
    let every = if many.is_some() { 4 } else { 1 };
    let judge = Judge::new(&[], &["Bash", "Edit", "Read"]);
    let made = many.unwrap_or(FEW);
    let programs = (0..made).map(|at| programs::program((seed << 32) + at));
    let understood: Vec<_> =
        programs.map(|program| (judge.says(&program), program)).filter(|(said, _)| said.understood()).collect();
    let case =
        |(at, (_, program)): (usize, &(Said, String))| format!("{}{program}", if at % every == 0 { '+' } else { '-' });
    let cases: Vec<_> = understood.iter().enumerate().map(case).collect();
    let cases: Vec<_> = cases.iter().map(String::as_str).collect();
    let runs = in_batches(&cases, BATCH, |cases| {
        let (log, why) = sandbox.output(cases)?;
        read(&log, cases.len()).ok_or(why)
    });
    let mut findings = Vec::new();
    let mut started = 0;
    for ((said, program), seen) in understood.iter().zip(&runs) {
        for Seen { letter, message, started: commands } in seen {
            // dash has no `<<<`, `|&` and `<(`, and refuses them.
            let bash = *letter == 'd' && ["<<<", "|&", "<(", ">("].iter().any(|text| program.contains(text));
            if !message.is_empty() && !bash {
                findings.push(format!("{letter} says {}: {}", shown(message), shown(program)));
            }
            for words in commands {
                started += 1;
                if !is_read(program, said, words) {
                    findings.push(format!("{letter} runs {words:?}, not {:?}: {}", said.parts, shown(program)));
                }
            }
        }
    }
    println!(
        "{made} programs: {} were understood and parsed by each shell; {} of them were run and started {started} \
         programs",
        understood.len(),
        understood.len().div_ceil(every),
    );
    let total = findings.len();
    findings.truncate(200);
    assert!(findings.is_empty(), "{total} findings:\n{}", findings.join("\n"));
}

/// Parses the log of a batch; absent if it is not complete.
fn read(log: &str, cases: usize) -> Option<Vec<Vec<Seen>>> {
    let mut all: Vec<Vec<Seen>> = vec![Vec::new(); cases];
    let mut at = 0;
    for record in log.strip_suffix("end\u{1f}<end>\u{1f}")?.split_terminator("\u{1f}<end>\u{1f}") {
        let fields: Vec<_> = record.split('\u{1f}').map(str::to_owned).collect();
        match fields.as_slice() {
            [word, case, letter, message] if word == "parse" => {
                at = case.parse::<usize>().ok()?;
                let (letter, message) = (letter.chars().next()?, message.clone());
                all.get_mut(at)?.push(Seen { letter, message, started: BTreeSet::new() });
            }
            [word] if word == "run" => {}
            _ => {
                all.get_mut(at)?.last_mut()?.started.insert(fields);
            }
        }
    }
    Some(all)
}

/// Returns true if a part is this command, or if a rule that denies the command is not bypassed.
fn is_read(program: &str, said: &Said, words: &[String]) -> bool {
    let printed: Vec<_> = words.iter().map(|word| printed(word)).collect();
    let text = printed.join(" ");
    if said.parts.iter().any(|part| *part == format!("Bash: {text}")) {
        return true;
    }
    let plain =
        words.iter().flat_map(|word| word.chars()).all(|c| c.is_ascii_alphanumeric() || " _./=~,:-".contains(c));
    if plain && !text.ends_with(":*") && !text.ends_with(':') {
        let rule = format!("Bash({text})");
        return Judge::new(&[&rule], &["Bash", "Edit", "Read"]).says(program).verdict != VerdictKind::Allow;
    }
    // The rule cannot be written, so only the words that are open are looked for.
    let name = format!("Bash: {}", printed[0]);
    let open = |part: &String| part.contains(['$', '`', '*', '?', '[', '~', '(']);
    said.parts.iter().any(|part| (part.starts_with(&name) && open(part)) || part.starts_with("Bash: $"))
}

/// The printed form of a word (B4).
fn printed(word: &str) -> String {
    if word.is_empty() || word.contains([' ', '\t', '\n', '\'', '"', '\\', '*', '?', '[', '$']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.to_owned()
    }
}
