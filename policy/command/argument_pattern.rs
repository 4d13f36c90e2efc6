//! Compares a pattern with the arguments of a command instead of its text, so that the order and spelling of options do
//! not matter (B12).

use snaphook_shell::{KnownWord, Word, known_words};

use super::other_names::{covered, means};
use crate::wildcard::Wildcard;

/// Options with a letter and a long name: the program, its subcommand or an empty text, and the pairs.
type LongNames = &'static [(&'static [&'static str], &'static str, &'static [(char, &'static str)])];

/// The long names of letters in options that rules often name. A letter with several names stands for all of them.
#[rustfmt::skip]
const LONG_NAMES: LongNames = &[
    (&["rm"], "", &[('f', "force"), ('r', "recursive"), ('R', "recursive"), ('d', "dir")]),
    (&["cp", "chmod", "chown", "chgrp"], "", &[('f', "force"), ('r', "recursive"), ('R', "recursive")]),
    (&["mv", "ln"], "", &[('f', "force")]),
    (&["git"], "push", &[('f', "force"), ('d', "delete"), ('u', "set-upstream")]),
    (
        &["git"], "branch",
        &[('d', "delete"), ('D', "delete"), ('D', "force"), ('f', "force"), ('m', "move"), ('M', "move"), ('M', "force")],
    ),
    (&["git"], "tag", &[('d', "delete"), ('f', "force")]),
    (&["git"], "clean", &[('f', "force")]),
    (&["git"], "checkout", &[('f', "force")]),
    (&["git"], "switch", &[('f', "force")]),
    (&["git"], "commit", &[('n', "no-verify"), ('a', "all")]),
    (&["git"], "add", &[('A', "all"), ('f', "force")]),
    (&["npm", "pnpm", "yarn"], "", &[('g', "global"), ('f', "force")]),
    (&["docker", "podman"], "", &[('f', "force"), ('v', "volumes"), ('a', "all")]),
    (&["kubectl"], "", &[('A', "all-namespaces"), ('n', "namespace")]),
    (&["apt", "apt-get"], "", &[('y', "yes")]),
    (&["yum", "dnf"], "", &[('y', "assumeyes")]),
];

/// Operands that mean an option: the program, its subcommand, the first character, and the option.
const OPTION_OPERANDS: &[(&str, &str, char, &str)] = &[("git", "push", '+', "force"), ("git", "push", ':', "delete")];

/// Programs whose options are words behind a single `-`.
#[rustfmt::skip]
const SINGLE_DASH: &[&str] = &[
    "find", "terraform", "tofu", "go", "java", "javac", "ffmpeg", "openssl", "gcc", "g++", "cc", "clang", "ld",
    "convert", "magick", "screen", "nft", "ip", "adb", "fastboot", "qemu-img",
];

/// Words that may be left out: the programs, the word, and the subcommands behind it. An empty list stands for all subcommands.
#[rustfmt::skip]
const LEFT_OUT: &[(&[&str], &str, &[&str])] = &[
    (&["docker", "podman"], "container", &[]),
    (&["docker", "podman"], "image", &["build", "import", "load", "pull", "push", "save", "tag"]),
    (&["docker"], "builder", &["build"]),
    (&["docker"], "buildx", &["build"]),
];

/// A letter group in a pattern is taken apart up to this many letters; a longer one is a name.
const GROUP: usize = 3;

/// A pattern as a program, its operands and its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentPattern {
    /// The first operand; empty if there is none.
    subcommand: String,
    /// True if more operands and options may follow.
    open: bool,
    operands: Vec<OperandPattern>,
    options: Vec<OptionPattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OperandPattern {
    One(Wildcard),
    /// Any number of operands.
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OptionPattern {
    Letter(char),
    Long {
        name: String,
        value: Option<Wildcard>,
    },
    /// The option as written.
    Text(Wildcard),
}

/// The meaning of the unknown parts of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// They match nothing.
    Known,
    /// They match everything.
    Possible,
}

/// One option of a command.
struct GivenOption<'w> {
    name: GivenOptionName<'w>,
    /// Its word, and the next one.
    word: &'w str,
    next: Option<&'w str>,
    /// The number of operands before it.
    before: usize,
}

#[derive(Clone, Copy)]
enum GivenOptionName<'w> {
    Letter(char),
    /// A name, perhaps abbreviated, with the text behind `=`.
    Long(&'w str, Option<&'w str>),
}

/// The arguments of a command.
struct Arguments<'w> {
    /// The operands, and whether each may be left out, for example because it may be the value of an option.
    operands: Vec<(&'w Word, bool)>,
    options: Vec<GivenOption<'w>>,
    /// True if a word may expand to an option.
    may_hide_options: bool,
}

impl ArgumentPattern {
    /// Reads the words of a pattern behind the program. Returns `None` if the comparison of texts is all there is: the
    /// pattern has quotes, or names only a program.
    pub(super) fn read(program: &str, words: &str, tail: bool) -> Option<Self> {
        let words = words.trim();
        if words.is_empty() || words.contains(['\'', '"', '\\', '$', '`', '~']) {
            return None;
        }
        let subcommand = words.split(' ').find(|word| !word.starts_with('-')).unwrap_or_default().to_owned();
        let open = tail || words.ends_with('*');
        let mut pattern = Self { subcommand, open, operands: Vec::new(), options: Vec::new() };
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            match word.strip_prefix('-').filter(|name| !name.is_empty() && *name != "-") {
                Some(_) => pattern.option(program, word),
                None if word == "*" => pattern.operands.push(OperandPattern::Any),
                None => pattern.operands.push(OperandPattern::One(Wildcard::plain(word))),
            }
        }
        Some(pattern)
    }

    fn option(&mut self, program: &str, word: &str) {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(Wildcard::plain(value))),
                None => (long, None),
            };
            self.options.push(if name.contains('*') {
                OptionPattern::Text(Wildcard::plain(word))
            } else {
                OptionPattern::Long { name: name.to_owned(), value }
            });
            return;
        }
        let letters = word.trim_start_matches('-');
        let is_group = letters.len() <= GROUP
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            && !SINGLE_DASH.contains(&program);
        if !is_group {
            self.options.push(OptionPattern::Text(Wildcard::plain(word)));
            return;
        }
        for letter in letters.chars() {
            let mut names = long_names(program, &self.subcommand, letter).peekable();
            if names.peek().is_none() {
                self.options.push(OptionPattern::Letter(letter));
            }
            let names = names.map(|name| OptionPattern::Long { name: name.to_owned(), value: None });
            self.options.extend(names.collect::<Vec<_>>());
        }
    }

    /// What the pattern covers besides its own spelling, in words.
    pub(super) fn covers(&self, program: &str) -> String {
        let operands = self.operands.iter().enumerate().filter_map(|(at, operand)| match operand {
            OperandPattern::One(text) => {
                let name = text.written();
                let others = covered(program, at, &name).join(", ");
                Some(if others.is_empty() { name } else { format!("{name} ({others})") })
            }
            OperandPattern::Any => None,
        });
        let mut text = std::iter::once(program.to_owned()).chain(operands).collect::<Vec<_>>().join(" ");
        let options: Vec<_> = self.options.iter().map(|option| self.spellings(program, option)).collect();
        if !options.is_empty() {
            text = format!("{text} with {}", options.join(" and "));
        }
        format!("{text}, in any order and with other options before or between")
    }

    /// The spellings of an option, such as `--force (-f, +…)`.
    fn spellings(&self, program: &str, option: &OptionPattern) -> String {
        let (name, value) = match option {
            OptionPattern::Letter(letter) => return format!("-{letter}"),
            OptionPattern::Text(text) => return text.written(),
            OptionPattern::Long { name, value } => (name, value),
        };
        let value = value.as_ref().map(|value| format!("={}", value.written())).unwrap_or_default();
        let letters =
            ('A'..='z').filter(|letter| long_names(program, &self.subcommand, *letter).any(|long| long == name));
        let operands = OPTION_OPERANDS
            .iter()
            .filter(|(of, sub, _, long)| *of == program && *sub == self.subcommand && long == name);
        let others =
            letters.map(|letter| format!("-{letter}")).chain(operands.map(|(.., first, _)| format!("{first}…")));
        let others = others.collect::<Vec<_>>().join(", ");
        if others.is_empty() { format!("--{name}{value}") } else { format!("--{name}{value} ({others})") }
    }

    /// Returns true if a command with these words has all operands and options of the pattern. Words that are not known
    /// match nothing.
    pub(super) fn matches(&self, program: &str, words: &[Word]) -> bool {
        self.is_met(program, &Arguments::of(program, words), Certainty::Known)
    }

    /// Returns true if a command with these words matches for some value of their unknown parts.
    pub(super) fn could_match(&self, program: &str, words: &[Word]) -> bool {
        self.is_met(program, &Arguments::of(program, words), Certainty::Possible)
    }

    fn is_met(&self, program: &str, arguments: &Arguments<'_>, certainty: Certainty) -> bool {
        let unknown = certainty == Certainty::Possible && arguments.may_hide_options;
        (unknown || self.options.iter().all(|wanted| arguments.has(program, &self.subcommand, wanted)))
            && self.has_operands(program, arguments, certainty)
            && (self.open || !self.is_exceeded(program, arguments))
    }

    /// Returns true if the operands match in their order.
    fn has_operands(&self, program: &str, arguments: &Arguments<'_>, certainty: Certainty) -> bool {
        let all = self.operands.len();
        // Which beginnings of the pattern match the operands so far.
        let mut reached = vec![false; all + 1];
        let mark = |reached: &mut Vec<bool>, from: usize| {
            let gaps = self.operands.get(from..).unwrap_or_default();
            let gaps = gaps.iter().take_while(|operand| **operand == OperandPattern::Any).count();
            reached.iter_mut().skip(from).take(gaps + 1).for_each(|reached| *reached = true);
        };
        mark(&mut reached, 0);
        for (word, is_value) in &arguments.operands {
            let is_unknown = certainty == Certainty::Possible && word.is_dynamic();
            let mut next = vec![false; all + 1];
            for at in (0..=all).filter(|at| reached.get(*at) == Some(&true)) {
                match self.operands.get(at) {
                    _ if is_unknown => (at..=all).for_each(|at| mark(&mut next, at)),
                    Some(OperandPattern::Any) => mark(&mut next, at),
                    Some(OperandPattern::One(wanted)) if means(program, at, &word.value, wanted) => {
                        mark(&mut next, at + 1);
                    }
                    None if self.open => mark(&mut next, at),
                    _ => {}
                }
                if *is_value {
                    mark(&mut next, at);
                }
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }

    /// Returns true if an option that the pattern does not have follows its first operand. Options before a subcommand
    /// do not change what it does.
    fn is_exceeded(&self, program: &str, arguments: &Arguments<'_>) -> bool {
        let is_first = |word: &Word| matches!(self.operands.first(), Some(OperandPattern::One(wanted)) if means(program, 0, &word.value, wanted));
        let first = arguments.operands.iter().position(|(word, _)| is_first(word));
        let is_behind = |before: usize| first.is_none_or(|first| before > first);
        arguments.options.iter().any(|given| {
            is_behind(given.before) && !self.options.iter().any(|one| one.is(program, &self.subcommand, given))
        })
    }
}

impl<'w> Arguments<'w> {
    fn of(program: &str, words: &'w [Word]) -> Self {
        let mut arguments = Self { operands: Vec::new(), options: Vec::new(), may_hide_options: false };
        let mut is_behind_option = false;
        let mut only_operands = false;
        // The value of a known option is not an option.
        let known = if words.iter().any(Word::may_be_option) { known_words(program, words) } else { Vec::new() };
        let is_known_value =
            |word: &Word| known.iter().any(|(known, what)| std::ptr::eq(*known, word) && *what == KnownWord::Value);
        for (at, word) in words.iter().enumerate() {
            let text = word.value.as_str();
            let is_value = std::mem::take(&mut is_behind_option);
            if only_operands || !text.starts_with('-') || text == "-" {
                arguments.may_hide_options |= !only_operands && word.may_be_option() && !is_known_value(word);
                let next = words.get(at + 1).map_or("", |word| word.value.as_str());
                let is_before = |subcommands: &[&str]| subcommands.is_empty() || subcommands.contains(&next);
                let is_left_out =
                    LEFT_OUT.iter().any(|(of, word, next)| *word == text && of.contains(&program) && is_before(next));
                arguments.operands.push((word, is_value || is_left_out));
                continue;
            }
            if text == "--" {
                only_operands = true;
                continue;
            }
            arguments.may_hide_options |= word.is_dynamic() && !text.contains('=');
            is_behind_option = !text.contains('=');
            let next = words.get(at + 1).map(|word| word.value.as_str());
            let before = arguments.operands.len();
            let given = |name| GivenOption { name, word: text, next, before };
            if text.starts_with("--") || SINGLE_DASH.contains(&program) {
                let name = text.trim_start_matches('-');
                let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
                arguments.options.push(given(GivenOptionName::Long(name, value)));
            } else {
                let letters = text.chars().skip(1).take_while(char::is_ascii_alphanumeric);
                arguments.options.extend(letters.map(|letter| given(GivenOptionName::Letter(letter))));
            }
        }
        arguments
    }

    fn has(&self, program: &str, subcommand: &str, wanted: &OptionPattern) -> bool {
        let is_operand = |name: &str| {
            let mut rows = OPTION_OPERANDS.iter().filter(|row| (row.0, row.1, row.3) == (program, subcommand, name));
            rows.any(|(_, _, mark, _)| self.operands.iter().any(|(word, _)| word.value.starts_with(*mark)))
        };
        self.options.iter().any(|given| wanted.is(program, subcommand, given))
            || matches!(wanted, OptionPattern::Long { name, value: None } if is_operand(name))
    }
}

impl OptionPattern {
    fn is(&self, program: &str, subcommand: &str, given: &GivenOption<'_>) -> bool {
        match (self, given.name) {
            // Programs with options behind a single `-` often take `--` too.
            (Self::Text(wanted), _) => {
                wanted.matches(given.word) || given.word.strip_prefix('-').is_some_and(|word| wanted.matches(word))
            }
            (Self::Letter(wanted), GivenOptionName::Letter(letter)) => *wanted == letter,
            (Self::Long { name, value: None }, GivenOptionName::Letter(letter)) => {
                long_names(program, subcommand, letter).any(|long| long == name)
            }
            (Self::Long { name, value }, GivenOptionName::Long(given_name, own)) => {
                let has_value = |wanted: &Wildcard| own.or(given.next).is_some_and(|own| wanted.matches(own));
                is_abbreviation(given_name, name) && value.as_ref().is_none_or(has_value)
            }
            (Self::Letter(_) | Self::Long { .. }, _) => false,
        }
    }
}

/// The long names of a letter.
fn long_names(program: &str, subcommand: &str, letter: char) -> impl Iterator<Item = &'static str> {
    let rows = LONG_NAMES
        .iter()
        .filter(move |(programs, sub, _)| programs.contains(&program) && (sub.is_empty() || *sub == subcommand));
    rows.flat_map(|(.., names)| *names).filter(move |(known, _)| *known == letter).map(|(_, long)| *long)
}

/// Returns true if an option is the name or a beginning of it. A beginning that ends before a `-` is often an option too,
/// such as `--force` of `--force-with-lease`.
fn is_abbreviation(given: &str, name: &str) -> bool {
    name.strip_prefix(given).is_some_and(|rest| rest.is_empty() || (!given.is_empty() && !rest.starts_with('-')))
}

#[cfg(test)]
mod tests {
    use crate::command::pattern::tests::matches_guard;

    #[test]
    fn b12_what_a_pattern_covers_is_said_in_words() {
        for (program, words, said) in [
            ("git", "push --force *", "git push with --force (-f, +…)"),
            ("rm", "-rf *", "rm with --recursive (-R, -r) and --force (-f)"),
            ("kubectl", "delete *", "kubectl delete"),
            ("npm", "publish --tag=next *", "npm publish with --tag=next"),
            ("pnpm", "remove *", "pnpm remove (rm, uninstall, un)"),
            ("kubectl", "delete pod *", "kubectl delete pod (pods, po)"),
        ] {
            let pattern = super::ArgumentPattern::read(program, words, true).unwrap();
            let rest = ", in any order and with other options before or between";
            assert_eq!(pattern.covers(program), format!("{said}{rest}"), "{program} {words}");
        }
    }

    #[test]
    fn b12_the_order_and_spelling_of_options_do_not_matter() {
        for (pattern, command) in [
            ("git push *", "git -C . push"),
            ("git push *", "git --no-pager push origin"),
            ("git push *", "git -c a=b -C x push"),
            ("git push", "git -C . push"),
            ("git push", "/usr/bin/git --git-dir x push"),
            ("git push --force *", "git push origin main --force"),
            ("git push --force *", "git push -f"),
            ("git push --force *", "git push -uf origin main"),
            ("git push --force *", "git push origin +main"),
            ("git push --force *", "git push --forc"),
            ("git push -f *", "git -C . push --force"),
            ("git push --delete *", "git push origin :old"),
            ("git branch -D *", "git branch --delete --force x"),
            ("git branch -D *", "git branch -d -f x"),
            ("git branch -d -f *", "git branch x -D"),
            ("git commit --no-verify *", "git commit -nm x"),
            ("kubectl delete *", "kubectl -n prod delete pod x"),
            ("kubectl delete *", "kubectl --context=prod delete pod x"),
            ("rm -rf *", "rm -fr x"),
            ("rm -rf *", "rm -r -f x"),
            ("rm -rf *", "rm x --recursive --force"),
            ("rm -rf *", "rm -Rfv x"),
            ("rm -rf /", "rm --recursive -f /"),
            ("rm -rf", "rm -fr"),
            ("docker compose down -v *", "docker compose -f x.yml down --volumes"),
            ("terraform destroy *", "terraform -chdir=x destroy"),
            ("find * -delete", "find . -name x -delete"),
            ("terraform apply -auto-approve *", "terraform -chdir=x apply --auto-approve"),
            ("terraform apply --auto-approve *", "terraform apply -auto-approve"),
            ("apt install -y *", "apt --yes install x"),
            ("git branch -M *", "git branch --move --force x"),
            ("git * --force", "git push --force origin"),
            ("aws s3 rm *", "aws --profile x s3 rm s3://b"),
            ("chmod -R 777 *", "chmod 777 -R ."),
            ("npm publish*", "npm --tag x publish"),
            ("curl --proto=http *", "curl --proto http u"),
            ("docker run --privileged *", "docker container run -it --privileged x"),
            ("docker container rm *", "docker container rm x"),
            ("docker rm *", "docker container remove x"),
            ("docker volume rm *", "docker volume remove x"),
            ("docker push *", "docker image push x"),
            ("docker build *", "docker buildx build ."),
            ("npm install *", "npm i x"),
            ("npm install *", "npm --silent add x"),
            ("npm i *", "npm install -D x"),
            ("npm i*", "npm add x"),
            ("npm publish *", "npm publ"),
            ("npm publish", "npm pu"),
            ("npm publish*", "npm publi --tag x"),
            ("npm run x", "npm run-script x"),
            ("pnpm remove *", "pnpm rm x"),
            ("cargo build *", "cargo b --release"),
            ("helm uninstall *", "helm -n x del y"),
            ("hg push *", "hg pus"),
            ("gh pr create *", "gh pr new --fill"),
            ("kubectl delete pod *", "kubectl -n x delete pods y"),
            ("kubectl delete pods *", "kubectl delete po/y"),
            ("kubectl delete svc *", "kubectl delete deploy,service -l x"),
            ("kubectl delete deployments *", "kubectl delete deployments.apps x"),
            ("kubectl delete x*", "kubectl delete xs.example.com y"),
        ] {
            assert!(matches_guard(pattern, command), "{pattern} on {command}");
        }
    }

    #[test]
    fn b12_another_command_or_option_is_not_matched() {
        for (pattern, command) in [
            ("git push *", "git commit -m push"),
            ("git push *", "git log push"),
            ("git push --force *", "git push --force-with-lease"),
            ("git push --force-with-lease *", "git push --force"),
            ("git push --force *", "git push origin main"),
            ("git push --force *", "git fetch --force"),
            ("npm unpublish *", "npm un x"),
            ("npm install-test *", "npm install x"),
            ("npm i*", "npm view x"),
            ("npm init *", "npm in x"),
            ("npm publish *", "npm p"),
            ("npm start *", "npm run t"),
            ("npm run test", "npm run t"),
            ("cargo publish *", "cargo publ"),
            ("docker rm *", "docker image rm x"),
            ("docker pull x", "docker pull x/y"),
            ("kubectl delete pod *", "kubectl delete podx y"),
            ("kubectl delete pod *", "kubectl get pods"),
            ("helm repo remove *", "helm remove x"),
            ("git push", "git push origin"),
            ("git push", "git push --dry-run"),
            ("git branch -D *", "git branch -d x"),
            ("rm -rf *", "rm -r x"),
            ("rm -rf *", "rm -f x"),
            ("rm -rf /", "rm -rf x"),
            ("rm -rf /", "rm -rf / x"),
            ("kubectl delete *", "kubectl get -n prod delete"),
            ("kubectl delete --force *", "kubectl delete -f x.yml"),
            ("npm install --save-dev *", "npm install --save x"),
            ("find * -delete", "find . -type d -empty -links 2"),
            ("curl --proto=http *", "curl --proto https u"),
            ("rm -rf *", "rm -- -rf"),
            ("docker rm *", "docker image rm x"),
            ("docker pull x", "docker pull x/y"),
            ("docker run *", "docker container ls"),
        ] {
            assert!(!matches_guard(pattern, command), "{pattern} on {command}");
        }
    }
}
