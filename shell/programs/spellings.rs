//! Other ways to write a command, which deny and ask rules may name.

use super::call;
use super::inside::Inner;
use super::program::Call;
use crate::words::{Word, base_name};

/// The names and numbers of the signals that Linux and macOS number alike.
#[rustfmt::skip]
const SIGNALS: &[(&str, &str)] = &[
    ("HUP", "1"), ("INT", "2"), ("QUIT", "3"), ("TRAP", "5"), ("ABRT", "6"), ("KILL", "9"), ("SEGV", "11"), ("PIPE", "13"),
    ("ALRM", "14"), ("TERM", "15"),
];

/// Programs, the first operand if it matters, and the other ways to write these commands.
#[rustfmt::skip]
const OTHERS: &[(&str, &str, &str)] = &[
    ("pip", "", "as `pip3` or `python3 -m pip`"), ("npm", "exec", "as `npx`"), ("bun", "x", "as `bunx`"),
    ("pnpm", "dlx", "as `pnpx`"), ("docker", "compose", "as `docker-compose`"),
    ("terraform", "destroy", "as `terraform apply -destroy`"), ("tofu", "destroy", "as `tofu apply -destroy`"),
    ("make", "", "beside other targets"), ("mvn", "", "as `mvnw` or beside other targets"),
    ("gradle", "", "as `gradlew`, in one project (`:app:TASK`) or beside other targets"), ("rake", "", "beside other targets"),
    ("sudo", "", "as `doas`"),
    ("ant", "", "beside other targets"), ("kill", "", "with another name of the signal"),
    ("pkill", "", "with another name of the signal"), ("killall", "", "with another name of the signal"),
    ("tar", "", "with its letters with or without a dash"),
];

/// Says how else the commands of a program with this first operand may be written.
pub fn other_spellings(program: &str, operand: &str) -> Option<&'static str> {
    let is = |(name, first, _): &&(&str, &str, &str)| *name == program && (first.is_empty() || *first == operand);
    OTHERS.iter().find(is).map(|(.., others)| *others)
}

/// Returns the command with other words in place of the program, if it has an operand.
pub(super) fn renamed(call: &Call<'_>, program: &[&str]) -> Vec<Vec<Word>> {
    let has_operand = call.arguments.iter().any(|word| !word.value.starts_with('-'));
    has_operand.then(|| with(program, call.arguments.iter())).into_iter().collect()
}

/// Returns one command for each of several targets, which the program builds in turn. A word behind an option may be its value.
pub(super) fn each_target(call: &Call<'_>, usual_name: &str) -> Vec<Vec<Word>> {
    let operands = &call.given().operands;
    let is_value = |target: &Word| {
        let is_behind = |pair: &[Word]| {
            let [before, next] = pair else { return false };
            std::ptr::eq(next, target) && before.value.starts_with('-') && !before.value.contains('=')
        };
        call.arguments.windows(2).any(is_behind)
    };
    let targets: Vec<_> = operands
        .iter()
        .filter(|word| !word.value.contains('=') && (call.program.options.all || !is_value(word)))
        .collect();
    let own = Some(call.word.clone()).filter(|_| operands.len() > 1);
    let usual = Some(Word::literal(usual_name)).filter(|_| call.name != usual_name);
    let of = |name: Word| targets.iter().map(move |target| vec![name.clone(), (**target).clone()]);
    own.into_iter().chain(usual).flat_map(of).collect()
}

/// Returns the command with its signal as a number and as a name.
pub(super) fn each_signal(call: &Call<'_>) -> Vec<Vec<Word>> {
    let found = call.arguments.iter().enumerate().find_map(|(at, word)| {
        let value = word.value.as_str();
        let next = || Some((call.arguments.get(at + 1)?.value.as_str(), 2));
        let signal = match value {
            "-s" | "-n" | "--signal" => next(),
            _ => value
                .strip_prefix("--signal=")
                .or_else(|| value.strip_prefix("-s").filter(|signal| !signal.is_empty()))
                .or_else(|| value.strip_prefix('-'))
                .map(|signal| (signal, 1)),
        };
        let (signal, count) = signal?;
        let upper = signal.to_ascii_uppercase();
        let name = upper.strip_prefix("SIG").unwrap_or(&upper);
        let signal = SIGNALS.iter().find(|(known, number)| *known == name || *number == name)?;
        Some((signal, at, count))
    });
    let Some(((name, number), at, count)) = found else { return Vec::new() };
    let options = [vec![format!("-{number}")], vec![format!("-{name}")], vec![format!("-SIG{name}")]];
    let separate = [*number, name, &format!("SIG{name}")].map(|signal| vec!["-s".to_owned(), signal.to_owned()]);
    let of = |option: Vec<String>| {
        let option: Vec<_> = std::iter::once(call.name).chain(option.iter().map(String::as_str)).collect();
        let rest = call.arguments.iter().enumerate().filter(|(place, _)| *place < at || *place >= at + count);
        with(&option, rest.map(|(_, word)| word))
    };
    options.into_iter().chain(separate).map(of).collect()
}

/// Returns other ways to write a command that runs another one: `sudo rm x` for `sudo /bin/rm x`, `sudo env rm x` and `doas env rm x`. `own_words`
/// is the number of words before the inner command.
pub(crate) fn without_others_between(words: &[Word], own_words: usize) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    let Some((own, inner)) = words.split_at_checked(own_words).filter(|(own, _)| !own.is_empty()) else { return found };
    let add = |found: &mut Vec<_>, inner: &[Word]| {
        let Some((program, arguments)) = inner.split_first() else { return };
        let is_path = program.value.contains('/');
        let program = if is_path { Word::literal(base_name(&program.value)) } else { program.clone() };
        found.push(own.iter().cloned().chain([program]).chain(arguments.iter().cloned()).collect());
    };
    if inner.first().is_some_and(|program| program.value.contains('/')) {
        add(&mut found, inner);
    }
    let mut inner = inner.to_vec();
    for _ in 0..BETWEEN {
        let inside = call(&inner).map(|call| (call.program.inside)(&call)).filter(|inside| inside.found.is_none());
        let Some([next]) = inside.and_then(|inside| <[Inner; 1]>::try_from(inside.commands).ok()) else { break };
        inner = next.words;
        add(&mut found, &inner);
    }
    let calls = found.iter().filter_map(|words| call(words));
    let renamed: Vec<_> = calls.flat_map(|call| (call.program.spellings)(&call)).collect();
    found.extend(renamed);
    found
}

/// The most programs that are left out between a command and the one that it finally runs.
const BETWEEN: usize = 64;

pub(super) fn with<'w>(program: &[&str], rest: impl Iterator<Item = &'w Word>) -> Vec<Word> {
    program.iter().map(|word| Word::literal(word)).chain(rest.cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::OTHERS;
    use crate::{ScriptLimits, read};

    /// Commands, each with another way to write it.
    const CASES: &[(&str, &str)] = &[
        ("npx -y a b", "npm exec -y a b"),
        ("bunx a", "bun x a"),
        ("pnpx a", "pnpm dlx a"),
        ("pip3 install x", "pip install x"),
        ("pip3.11 install x", "pip install x"),
        ("python3 -m pip install x", "pip install x"),
        ("python -u -m twine upload x", "twine upload x"),
        ("python3 -mpip install x", "pip install x"),
        ("docker-compose -f x up", "docker compose -f x up"),
        ("kill -KILL 1", "kill -9 1"),
        ("kill -s SIGKILL 1", "kill -9 1"),
        ("pkill --signal=term x", "pkill -15 x"),
        ("killall -9 x", "killall -SIGKILL x"),
        ("make -C d clean deploy A=1", "make deploy"),
        ("mvn -q clean deploy", "mvn deploy"),
        ("./gradlew build publish", "./gradlew publish"),
        ("./gradlew publish", "gradle publish"),
        ("./gradlew :app:publish", "./gradlew publish"),
        ("gradle -q :a:b:publish --info", "gradle publish"),
        ("doas -u x rm a", "sudo -u x rm a"),
        ("doas env /bin/rm a", "sudo rm a"),
        ("terraform -chdir=x apply -destroy -auto-approve", "terraform destroy -chdir=x -auto-approve"),
        ("gmake deploy", "make deploy"),
        ("make X=1 deploy", "make deploy"),
        ("kill -n 9 1", "kill -KILL 1"),
        ("kill -sKILL 1", "kill -9 1"),
        ("pkill -f --signal KILL x", "pkill -9 -f x"),
        ("terraform apply -destroy=true", "terraform destroy"),
        ("tar xzf a", "tar -xzf a"),
        ("tar -xzf a", "tar xzf a"),
        ("sudo -n /bin/rm x", "sudo -n rm x"),
        ("sudo env A=1 rm x", "sudo rm x"),
        ("sudo -u a nice -n 5 env /bin/rm x", "sudo -u a rm x"),
        ("timeout 5 env nice rm x", "timeout 5 rm x"),
        ("env A=1 ./node_modules/.bin/tsc x", "env A=1 tsc x"),
        ("tofu apply -destroy", "tofu destroy"),
        ("rake clean deploy", "rake deploy"),
        ("ant clean deploy", "ant deploy"),
    ];

    #[test]
    fn a_command_has_the_spellings_that_mean_the_same() {
        for (line, other) in CASES {
            let script = read(line, &ScriptLimits::default());
            let found = script.parts.iter().find(|part| part.text == *other);
            assert!(found.is_some_and(|part| part.watch_only), "{line}: {:?}", script.parts);
        }
        for line in [
            "npm exec a",
            "pip install x",
            "python3 x.py -m pip",
            "python3 -c x -m pip",
            "make a",
            "kill 9",
            "mvn test",
        ] {
            assert_eq!(read(line, &ScriptLimits::default()).parts.len(), 1, "{line}");
        }
    }

    #[test]
    fn a_task_that_is_left_out_is_no_other_spelling() {
        for line in ["gradle build -x :app:publish", "./gradlew build --exclude-task :app:publish"] {
            let script = read(line, &ScriptLimits::default());
            assert!(script.parts.iter().all(|part| !part.text.ends_with(" publish")), "{line}: {:?}", script.parts);
        }
    }

    #[test]
    fn each_program_of_which_other_spellings_are_named_has_one() {
        for (program, operand, says) in OTHERS {
            let usual = [*program, operand].join(" ");
            assert!(CASES.iter().any(|(_, other)| other.starts_with(usual.as_str())), "{usual}: {says}");
        }
    }
}
