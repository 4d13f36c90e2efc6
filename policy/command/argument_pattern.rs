//! Compares a pattern with the arguments of a command instead of its text, so that the order and spelling of options do
//! not matter (B12).

use snaphook_shell::{KnownWord, Word, known_words, other_spellings};

use super::option_tables::OptionTables;
use super::other_names::{covered, is_left_out, may_mean, means, means_without};
use crate::wildcard::Wildcard;

/// Programs whose options are words behind a single `-`.
#[rustfmt::skip]
const SINGLE_DASH: &[&str] = &[
    "find", "terraform", "tofu", "go", "java", "javac", "ffmpeg", "openssl", "gcc", "g++", "cc", "clang", "ld",
    "convert", "magick", "screen", "nft", "ip", "adb", "fastboot", "qemu-img", "vault", "consul", "nomad", "packer",
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
    One {
        text: Wildcard,
        /// The place of the option before it, whose value it may be.
        behind: Option<usize>,
        /// True if the same subcommand may be written without it.
        is_left_out: bool,
    },
    /// Any number of operands.
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OptionPattern {
    Named {
        /// A letter or a long name.
        name: String,
        value: Option<Wildcard>,
        /// True if the name may be continued.
        open: bool,
    },
    /// Letters, or a letter with its value behind it.
    Group { text: Wildcard, letters: String },
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
    /// A letter, or a long name that may be abbreviated.
    name: &'w str,
    is_letter: bool,
    /// The text behind `=` or a letter.
    own: Option<&'w str>,
    /// Its word, and the next one.
    word: &'w str,
    next: Option<&'w str>,
    /// The number of operands before it.
    before: usize,
}

/// The arguments of a command.
struct Arguments<'w> {
    names: OptionTables<'w>,
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
        let mut behind = None;
        let mut rest = words.split(' ').filter(|word| !word.is_empty()).peekable();
        while let Some(word) = rest.next() {
            let next = rest.peek().copied().unwrap_or_default();
            match word.strip_prefix('-').filter(|name| !name.is_empty() && *name != "-") {
                Some(_) => {
                    pattern.option(program, word);
                    behind = pattern.options.len().checked_sub(1).filter(|_| !word.contains('='));
                    continue;
                }
                None if word == "*" => pattern.operands.push(OperandPattern::Any),
                None => pattern.operands.push(OperandPattern::One {
                    text: Wildcard::plain(word),
                    behind,
                    is_left_out: means_without(program, word, next),
                }),
            }
            behind = None;
        }
        Some(pattern)
    }

    fn names<'n>(&'n self, program: &'n str) -> OptionTables<'n> {
        OptionTables { program, subcommand: &self.subcommand }
    }

    fn option(&mut self, program: &str, word: &str) {
        let named = |name: &str| OptionPattern::Named { name: name.to_owned(), value: None, open: false };
        let starless = word.strip_suffix('*').unwrap_or(word);
        let open = starless.len() < word.len();
        if let Some(long) = starless.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, _)) => (name, word.split_once('=').map(|(_, value)| Wildcard::plain(value))),
                None => (long, None),
            };
            self.options.push(if name.contains('*') || name.is_empty() {
                OptionPattern::Text(Wildcard::plain(word))
            } else {
                OptionPattern::Named { name: name.to_owned(), open: open && value.is_none(), value }
            });
            return;
        }
        let letters = starless.trim_start_matches('-');
        if SINGLE_DASH.contains(&program) || letters.contains('*') || letters.is_empty() {
            self.options.push(OptionPattern::Text(Wildcard::plain(word)));
            return;
        }
        if letters.len() > GROUP || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            self.options.push(OptionPattern::Group { text: Wildcard::plain(word), letters: letters.to_owned() });
            return;
        }
        for at in 0..letters.len() {
            let letter = letters.get(at..=at).unwrap_or_default();
            match self.names(program).both(letter) {
                Some(both) => self.options.extend(both.map(named)),
                None => self.options.push(named(letter)),
            }
        }
    }

    /// What the pattern covers besides its own spelling, in words.
    pub(super) fn covers(&self, program: &str) -> String {
        let operands = self.operands.iter().enumerate().filter_map(|(at, operand)| match operand {
            OperandPattern::One { text, .. } => {
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
        let others = other_spellings(program, &self.subcommand).map(|others| format!(", or {others}"));
        format!("{text}, in any order and with other options before or between{}", others.unwrap_or_default())
    }

    /// The spellings of an option, such as `--force (-f, +…)`.
    fn spellings(&self, program: &str, option: &OptionPattern) -> String {
        let (name, value, open) = match option {
            OptionPattern::Text(text) | OptionPattern::Group { text, .. } => return text.written(),
            OptionPattern::Named { name, value, open } => (name.as_str(), value, open),
        };
        let names = self.names(program);
        let mut same: Vec<_> = names.same(name).flat_map(|group| group.split(' ')).collect();
        let usual = same.first().copied().unwrap_or(name);
        same.retain(|other| *other != usual);
        same.sort_unstable();
        let dashed = |name: &str| if name.len() > 1 { format!("--{name}") } else { format!("-{name}") };
        let others = same.into_iter().map(dashed).chain(names.marks(name).map(|mark| format!("{mark}…")));
        let others = others.collect::<Vec<_>>().join(", ");
        let value = value.as_ref().map(|value| format!("={}", value.written())).unwrap_or_default();
        let usual = [dashed(usual).as_str(), if *open { "*" } else { "" }, &value].concat();
        if others.is_empty() { usual } else { format!("{usual} ({others})") }
    }

    /// Returns true if a command with these words has all operands and options of the pattern. Words that are not known
    /// match nothing.
    pub(super) fn matches(&self, program: &str, words: &[Word]) -> bool {
        self.is_met(&Arguments::of(self.names(program), words), Certainty::Known)
    }

    /// Returns true if a command with these words matches for some value of their unknown parts.
    pub(super) fn could_match(&self, program: &str, words: &[Word]) -> bool {
        self.is_met(&Arguments::of(self.names(program), words), Certainty::Possible)
    }

    fn is_met(&self, arguments: &Arguments<'_>, certainty: Certainty) -> bool {
        let unknown = certainty == Certainty::Possible && arguments.may_hide_options;
        (unknown || self.options.iter().all(|wanted| arguments.has(wanted)))
            && self.has_operands(arguments, certainty)
            && (self.open || !self.is_exceeded(arguments))
    }

    /// Returns true if an operand of the pattern may be absent among the operands of a command.
    fn may_be_absent(&self, operand: &OperandPattern, arguments: &Arguments<'_>) -> bool {
        match operand {
            OperandPattern::Any => true,
            OperandPattern::One { text, behind, is_left_out } => {
                let option = behind.and_then(|at| self.options.get(at));
                *is_left_out || option.is_some_and(|option| arguments.has_value(option, text))
            }
        }
    }

    /// Returns true if the operands match in their order.
    fn has_operands(&self, arguments: &Arguments<'_>, certainty: Certainty) -> bool {
        let program = arguments.names.program;
        let all = self.operands.len();
        let absent: Vec<_> = self.operands.iter().map(|operand| self.may_be_absent(operand, arguments)).collect();
        // Which beginnings of the pattern match the operands so far.
        let mut reached = vec![false; all + 1];
        let mark = |reached: &mut Vec<bool>, from: usize| {
            let gaps = absent.get(from..).unwrap_or_default().iter().take_while(|absent| **absent).count();
            reached.iter_mut().skip(from).take(gaps + 1).for_each(|reached| *reached = true);
        };
        mark(&mut reached, 0);
        for (word, is_value) in &arguments.operands {
            let is_unknown = certainty == Certainty::Possible && word.is_dynamic();
            let mut next = vec![false; all + 1];
            for at in (0..=all).filter(|at| reached.get(*at) == Some(&true)) {
                match self.operands.get(at) {
                    Some(OperandPattern::One { text, .. }) if is_unknown && !may_mean(program, word, text) => {
                        // A glob that matches nothing may be left out.
                        mark(&mut next, at);
                    }
                    _ if is_unknown => (at..=all).for_each(|at| mark(&mut next, at)),
                    Some(OperandPattern::Any) => mark(&mut next, at),
                    Some(OperandPattern::One { text, .. }) if means(program, at, &word.value, text) => {
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
    fn is_exceeded(&self, arguments: &Arguments<'_>) -> bool {
        let names = arguments.names;
        let is_first = |word: &Word| matches!(self.operands.first(), Some(OperandPattern::One { text, .. }) if means(names.program, 0, &word.value, text));
        let first = arguments.operands.iter().position(|(word, _)| is_first(word));
        let is_behind = |before: usize| first.is_none_or(|first| before > first);
        arguments
            .options
            .iter()
            .any(|given| is_behind(given.before) && !self.options.iter().any(|one| one.is(names, given)))
    }
}

impl<'w> Arguments<'w> {
    fn of(names: OptionTables<'w>, words: &'w [Word]) -> Self {
        let program = names.program;
        let mut arguments = Self { names, operands: Vec::new(), options: Vec::new(), may_hide_options: false };
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
                arguments.operands.push((word, is_value || is_left_out(program, text, next)));
                continue;
            }
            if text == "--" {
                only_operands = true;
                arguments.operands.push((word, true));
                continue;
            }
            arguments.may_hide_options |= word.is_dynamic() && !text.contains('=');
            is_behind_option = !text.contains('=') && !names.is_flag(text);
            let next = words.get(at + 1).map(|word| word.value.as_str());
            let before = arguments.operands.len();
            let given = |name, is_letter, own| GivenOption { name, is_letter, own, word: text, next, before };
            if text.starts_with("--") || SINGLE_DASH.contains(&program) {
                let name = text.trim_start_matches('-');
                let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
                arguments.options.push(given(name, false, value));
            } else {
                for (at, letter) in text.char_indices().skip(1).take_while(|(_, letter)| letter.is_ascii_alphanumeric())
                {
                    let (name, rest) = text.get(at..).unwrap_or_default().split_at(1);
                    let own = Some(rest.strip_prefix('=').unwrap_or(rest)).filter(|own| !own.is_empty());
                    arguments.options.push(given(name, true, own));
                    if names.takes_value(letter) {
                        is_behind_option &= own.is_none();
                        break;
                    }
                }
            }
        }
        arguments
    }

    fn has(&self, wanted: &OptionPattern) -> bool {
        let has_letter = |letter: &str| self.options.iter().any(|given| is_named(self.names, letter, given));
        let is_operand = |name: &str| {
            let mut marks = self.names.marks(name);
            marks.any(|mark| self.operands.iter().any(|(word, _)| word.value.starts_with(mark)))
        };
        self.options.iter().any(|given| wanted.is(self.names, given))
            || match wanted {
                OptionPattern::Named { name, value: None, .. } => is_operand(name),
                OptionPattern::Group { letters, .. } => {
                    letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
                        && (0..letters.len()).all(|at| letters.get(at..=at).is_some_and(has_letter))
                }
                _ => false,
            }
    }

    /// Returns true if an option has this value.
    fn has_value(&self, option: &OptionPattern, value: &Wildcard) -> bool {
        self.options.iter().any(|given| option.is(self.names, given) && given.has_value(value))
    }
}

impl GivenOption<'_> {
    fn has_value(&self, value: &Wildcard) -> bool {
        self.own.or(self.next).is_some_and(|own| value.matches(own))
    }
}

impl OptionPattern {
    fn is(&self, names: OptionTables<'_>, given: &GivenOption<'_>) -> bool {
        match self {
            // Programs with options behind a single `-` often take `--` too.
            Self::Text(wanted) => {
                let bare = given.word.split('=').next().unwrap_or_default();
                let is = |word: &str| {
                    wanted.matches(word) || word.strip_prefix('-').is_some_and(|word| wanted.matches(word))
                };
                is(given.word) || (given.own != Some("false") && is(bare))
            }
            Self::Group { text, letters } => {
                let has_value = |(first, rest): (&str, &str)| {
                    let value = Wildcard::plain(rest.strip_prefix('=').unwrap_or(rest));
                    is_named(names, first, given) && given.has_value(&value)
                };
                text.matches(given.word) || letters.split_at_checked(1).is_some_and(has_value)
            }
            Self::Named { name, value, open } => {
                let is_continued = *open && !given.is_letter && given.name.starts_with(name.as_str());
                let is_given = value.is_some() || given.is_letter || given.own != Some("false");
                (is_continued || is_named(names, name, given))
                    && is_given
                    && value.as_ref().is_none_or(|value| given.has_value(value))
            }
        }
    }
}

/// Returns true if an option is the one with this name.
fn is_named(names: OptionTables<'_>, wanted: &str, given: &GivenOption<'_>) -> bool {
    let same = || std::iter::once(wanted).chain(names.same(wanted).flat_map(|group| group.split(' ')));
    let is = |name: &str| same().any(|same| same == name);
    names.included(given.name).any(is)
        || if given.is_letter {
            is(given.name) || names.both(given.name).is_some_and(|both| both.into_iter().any(is))
        } else {
            same().any(|same| same.len() > 1 && is_abbreviation(given.name, same))
        }
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
            ("curl -X DELETE *", "curl u -X DELETE"),
            ("curl -X DELETE *", "curl -sXDELETE u"),
            ("curl -X DELETE *", "curl u --request=DELETE"),
            ("curl -XDELETE *", "curl --request DELETE u"),
            ("kubectl delete -n prod *", "kubectl -nprod delete pod x"),
            ("kubectl delete -n prod *", "kubectl delete pod x --namespace=prod"),
            ("aws --profile prod *", "aws s3 ls --profile=prod"),
            ("terraform plan -var-file prod.tfvars *", "terraform plan -var-file=prod.tfvars"),
            ("terraform apply -auto-approve *", "terraform apply -auto-approve=true"),
            ("rm -rf*", "rm --recursive --force x"),
            ("git push --force*", "git push -f"),
            ("git push --force*", "git push --force-with-lease"),
            ("git push --force *", "git push --mirror x"),
            ("git checkout -- *", "git -C x checkout -- f"),
            ("rm -rf -- *", "rm -fr -- x"),
            ("git clean -ffdx *", "git clean -xdff"),
            ("git switch -f *", "git switch --discard-changes x"),
            ("git remote remove *", "git remote rm x"),
            ("rsync --delete *", "rsync -a --delete-after x y"),
            ("docker container rm *", "docker rm x"),
            ("frob -äbcd *", "frob -äbcd x"),
            ("cargo publish *", "cargo +nightly publish"),
            ("gcloud compute instances delete *", "gcloud beta compute instances delete x"),
            ("kubectl rollout restart deployment *", "kubectl rollout restart deploy/x"),
            ("kubectl delete pod *", "kubectl delete Pod x"),
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
            ("docker container *", "docker run x"),
            ("gcloud beta compute *", "gcloud compute x"),
            ("cargo +nightly *", "cargo build"),
            ("frob -ä *", "frob -x y"),
            ("git push -f*", "git push --follow-tags"),
            ("git commit --no-verify *", "git commit -am'new thing'"),
            ("git commit --no-verify *", "git commit -mn"),
            ("curl -k *", "curl -okeys.txt u"),
            ("curl -X DELETE *", "curl -X GET u DELETE"),
            ("kubectl delete -n prod *", "kubectl delete -n dev pod prod"),
            ("npm publish *", "npm --silent run publish"),
            ("git stash *", "git --no-pager show stash"),
            ("docker run --privileged *", "docker run --privileged=false x"),
        ] {
            assert!(!matches_guard(pattern, command), "{pattern} on {command}");
        }
    }
}
