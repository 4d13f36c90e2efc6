//! Build and test tools, and other programs with an option that names a program.

use super::code::{named, option};
use super::program::{Call, Naming, OptionNames, Program, TextWords};
use super::spellings::{each_target, with};
use crate::effects::Touch;
use crate::options::OptionSpec;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        options: OptionSpec::new("SBCDUGTA", &[], &[]).some(),
        code: |call| call.says(option(call.given(), "EP", &[])),
        ..Program::of(&["cmake"])
    },
    Program {
        code: |call| call.says(option(call.given(), "e", &["exec", "source", "formatter", "harness"])),
        ..Program::of(&["prove"])
    },
    Program { code: |call| call.says(option(call.given(), "", &["options"])), ..Program::of(&["ctags"]) },
    Program {
        options: OptionSpec::new(
            "dtESeocj",
            &[
                "and",
                "base-directory",
                "batch-size",
                "changed-before",
                "changed-within",
                "color",
                "exact-depth",
                "exclude",
                "extension",
                "format",
                "ignore-file",
                "max-depth",
                "max-results",
                "min-depth",
                "owner",
                "path-separator",
                "search-path",
                "size",
                "threads",
                "type",
            ],
            &[],
        ),
        code: |call| call.says(option(call.given(), "xX", &["exec", "exec-batch"])),
        operands: |call| {
            let given = call.given();
            let runs = given.has('x', "exec") || given.has('X', "exec-batch");
            if runs { Touch::Name } else { Touch::MayRead }
        },
        texts: |_| &TextWords { first: Some(&[]), options: &[('E', "exclude")], ..TextWords::NONE },
        ..Program::of(&["fd", "fdfind"])
    },
    Program {
        code: |call| call.says(option(call.given(), "ec", &["exec", "sh-exec", "lua-exec"])),
        ..Program::of(&["nc", "ncat", "netcat"])
    },
    Program { code: |call| call.says(Ok(named(call.arguments, &[], &["/"]))), ..Program::of(&["service"]) },
    Program {
        code: |call| call.says(Ok(named(call.arguments, &[], &["$", "`", ";", "|", "&", "(", "\n", "<", ">"]))),
        ..Program::of(&["xdg-user-dir"])
    },
    Program { texts: |_| &TextWords { options: PYTEST, ..TextWords::NONE }, ..Program::of(&["pytest"]) },
    Program {
        has_subcommands: true,
        namings: &[Naming {
            subcommands: &["install", "add", "require", "update", "info"],
            flags: &["--dev"],
            valued: &[],
        }],
        ..Program::of(&["composer", "bundle", "gem"])
    },
    Program { has_subcommands: true, ..Program::of(&["systemctl", "conda", "just", "dotnet", "deno"]) },
    Program { has_subcommands: true, spellings: destroyed, ..Program::of(&["terraform", "tofu"]) },
    Program {
        has_subcommands: true,
        spellings: |call| each_target(call, call.name),
        ..Program::of(&["mvn", "rake", "ant"])
    },
    Program { has_subcommands: true, spellings: |call| each_target(call, "mvn"), ..Program::of(&["mvnw"]) },
    Program { has_subcommands: true, spellings: each_task, ..Program::of(&["gradle", "gradlew"]) },
];

/// Each task also without its project: `publish` for `:app:publish`.
fn each_task(call: &Call<'_>) -> Vec<Vec<Word>> {
    let mut found = each_target(call, "gradle");
    let mut names = vec![call.word.clone()];
    names.extend(Some(Word::literal("gradle")).filter(|_| call.name != "gradle"));
    let mut is_excluded = false;
    for word in call.arguments {
        let is_task = !std::mem::take(&mut is_excluded) && !word.value.starts_with('-') && !word.is_dynamic();
        is_excluded = matches!(word.value.as_str(), "-x" | "--exclude-task");
        if let Some((_, task)) = word.value.rsplit_once(':').filter(|_| is_task) {
            found.extend(names.iter().map(|name| vec![name.clone(), Word::literal(task)]));
        }
    }
    found
}

fn is_destroy(word: &Word) -> bool {
    matches!(word.value.as_str(), "-destroy" | "--destroy" | "-destroy=true" | "--destroy=true")
}

/// `apply -destroy` does what `destroy` does.
fn destroyed(call: &Call<'_>) -> Vec<Vec<Word>> {
    let applies = call.arguments.iter().position(|word| word.value == "apply");
    let destroys = call.arguments.iter().any(is_destroy);
    let Some(at) = applies.filter(|_| destroys) else { return Vec::new() };
    let rest = call.arguments.iter().enumerate();
    let rest = rest.filter(|(place, word)| *place != at && !is_destroy(word));
    vec![with(&[call.name, "destroy"], rest.map(|(_, word)| word))]
}

const PYTEST: &[OptionNames] = &[('k', ""), ('m', "")];
