//! Selects the rules whose words occur in a large call; the others cannot match it.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::{FixedState, RandomState};

use super::atoms::{Atom, AtomKind, host};
use super::matching::is_ruled;
use crate::command::other_names;
use crate::path::{PathContext, comparable};
use crate::rule::{Fragment, Matcher, Rule, RuleKind, is_ascii_edge, is_edge};
use snaphook_shell::{Budget, base_name};

/// Up to this many steps, every rule is matched directly.
const FEW: usize = 1 << 8;

/// No host name has more labels.
const LABELS: usize = 128;

/// The maximum length of a text that is copied, in bytes.
const COPIED: usize = 4 << 10;

/// The words, path components and hosts of a call.
pub(super) struct Prefilter<'a> {
    /// The command texts, and their segments between characters that end a word.
    commands: String,
    /// The texts that are too long to be copied, likewise.
    long_commands: Vec<&'a str>,
    words: WordSet,
    /// True if there is a path, even if all of it is unknown.
    has_paths: bool,
    /// The paths and their components.
    paths: String,
    steps: WordSet,
    /// The other kinds of rules that may match.
    kinds: Vec<RuleKind>,
    /// The hosts and their parent domains; absent if a host cannot be parsed.
    hosts: Option<HashSet<String, RandomState>>,
}

/// A Bloom filter of words.
struct WordSet {
    bits: Vec<u64>,
    /// The first bytes of the words, one bit for each. Most words of rules are ruled out by them.
    starts: [u64; 4],
}

impl WordSet {
    /// A set with at least two bits for each byte of a call whose atoms have this size.
    fn for_size(size: usize) -> Self {
        Self { bits: vec![0; (2 * size).next_power_of_two().clamp(64, 1 << 14)], starts: [0; 4] }
    }

    /// The place in `starts` of a word's first byte.
    fn start(word: &[u8]) -> (usize, u64) {
        let first = word.first().copied().unwrap_or_default();
        (usize::from(first / 64), 1 << (first % 64))
    }

    /// The place in `bits` of a word.
    fn place(&self, word: &[u8]) -> (usize, u64) {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(word);
        let hash = hasher.finish();
        let at = usize::try_from(hash >> 6 & 0xffff_ffff).unwrap_or_default();
        (at & (self.bits.len() - 1), 1 << (hash & 63))
    }

    fn add(&mut self, word: &[u8]) {
        let (at, bit) = Self::start(word);
        if let Some(starts) = self.starts.get_mut(at) {
            *starts |= bit;
        }
        let (at, bit) = self.place(word);
        if let Some(bits) = self.bits.get_mut(at) {
            *bits |= bit;
        }
    }

    fn may_have(&self, word: &[u8]) -> bool {
        let has = |set: &[u64], (at, bit): (usize, u64)| set.get(at).is_some_and(|bits| bits & bit != 0);
        has(&self.starts, Self::start(word)) && has(&self.bits, self.place(word))
    }
}

impl<'a> Prefilter<'a> {
    /// Collects the words of a call. Returns `None` if matching all rules directly is cheap enough.
    pub(super) fn of(atoms: &'a [Atom], rules: usize, context: &PathContext) -> Option<Self> {
        // A command that cannot be read may contain any word.
        if atoms.iter().any(|atom| matches!(atom.what, AtomKind::Hidden { .. })) {
            return None;
        }
        let size: usize = atoms.iter().map(Atom::size).sum();
        (size.saturating_mul(rules) > FEW).then(|| Self::all(atoms, context))
    }

    pub(super) fn all(atoms: &'a [Atom], context: &PathContext) -> Self {
        let size = atoms.iter().map(Atom::size).sum();
        let (commands, long_commands, paths) = (String::new(), Vec::new(), String::new());
        let [words, steps] = [WordSet::for_size(size), WordSet::for_size(size)];
        let (kinds, hosts) = (Vec::new(), Some(HashSet::default()));
        let mut all = Self { commands, long_commands, words, has_paths: false, paths, steps, kinds, hosts };
        for atom in atoms {
            match &atom.what {
                AtomKind::Part(part) => {
                    let spelled = part.spelled(context).iter().map(String::as_str);
                    for text in spelled.chain([part.part.text.as_str()]).chain(part.part.based.as_deref()) {
                        all.command(text);
                    }
                    if let Some((program, words)) = part.part.words.split_first() {
                        other_names(base_name(&program.value), words).for_each(|name| all.command(name));
                    }
                    // The fallback search ignores quotes.
                    if part.part.text.contains(['\'', '"', '\\', '$', '`']) {
                        all.command(part.part.text_words().as_str());
                    }
                }
                AtomKind::Text { words, .. } => all.command(words.as_str()),
                // No rule matches such a path.
                AtomKind::Path(path) if !is_ruled(path) => {}
                AtomKind::Path(path) => {
                    all.has_paths = true;
                    for form in path.forms(context) {
                        all.path(&comparable(form.text()));
                    }
                }
                AtomKind::Fetch { url, host: cell } => all.host(host(url, cell)),
                // The members of a pipeline are separate atoms.
                AtomKind::Pipeline(_) | AtomKind::Hidden { .. } | AtomKind::Other => {}
                AtomKind::WebSearch => all.kinds.push(RuleKind::WebSearch),
                AtomKind::Mcp(_) => all.kinds.push(RuleKind::Mcp),
                AtomKind::Agent(_) => all.kinds.push(RuleKind::Agent),
            }
        }
        all
    }

    /// Returns false if a rule cannot match any action of the call.
    pub(super) fn may_match(&self, rule: &Rule, steps: &Budget) -> bool {
        let finds = |text: &str, fragment: &[u8]| {
            // One step covers many bytes of a search.
            steps.spend(1 + text.len() / 256);
            // `memmem` would first ask the processor for its features.
            std::str::from_utf8(fragment).map_or(true, |fragment| text.contains(fragment))
        };
        let in_commands = |fragment: &[u8]| {
            finds(&self.commands, fragment) || self.long_commands.iter().any(|text| finds(text, fragment))
        };
        match rule.kind {
            Some(RuleKind::Bash) => {
                let mut has_parts = false;
                let words = rule.all_fragments(|Fragment { text, whole }| {
                    has_parts |= !whole;
                    !whole || self.words.may_have(text)
                });
                words && (!has_parts || rule.all_fragments(|Fragment { text, whole }| whole || in_commands(text)))
            }
            Some(RuleKind::Read | RuleKind::Edit | RuleKind::Delete) if !self.has_paths => false,
            Some(kind @ (RuleKind::Mcp | RuleKind::Agent | RuleKind::WebSearch)) => self.kinds.contains(&kind),
            Some(RuleKind::WebFetch) if self.hosts.as_ref().is_some_and(HashSet::is_empty) => false,
            Some(RuleKind::Read | RuleKind::Edit | RuleKind::Delete) => {
                let has = |step: &str| self.steps.may_have(comparable(step).as_bytes());
                let mut plain = rule.plain_segments().peekable();
                if plain.peek().is_some() {
                    return plain.all(has);
                }
                let Matcher::Path(pattern) = rule.limit() else { return true };
                let mut literal = pattern.literals().peekable();
                match literal.peek() {
                    Some(_) => literal.all(has),
                    None => pattern.longest().is_none_or(|text| finds(&self.paths, comparable(text).as_bytes())),
                }
            }
            Some(RuleKind::WebFetch) => match (&self.hosts, rule.limit()) {
                (Some(hosts), Matcher::Domain(pattern)) => pattern.end().is_none_or(|end| hosts.contains(&end)),
                _ => true,
            },
            _ => true,
        }
    }

    fn command(&mut self, text: &'a str) {
        // Most text is of ASCII, and is split by bytes.
        for piece in text.as_bytes().split(|byte| is_ascii_edge(*byte)).filter(|piece| !piece.is_empty()) {
            if piece.is_ascii() {
                self.words.add(piece);
            } else if let Ok(piece) = std::str::from_utf8(piece) {
                piece.split(is_edge).for_each(|word| self.words.add(word.as_bytes()));
            }
        }
        if text.len() > COPIED {
            self.long_commands.push(text);
        } else {
            self.commands.push_str(text);
            self.commands.push('\n');
        }
    }

    fn path(&mut self, path: &str) {
        path.split('/').for_each(|step| self.steps.add(step.as_bytes()));
        self.paths.push_str(path);
        self.paths.push('\n');
    }

    fn host(&mut self, host: Option<&str>) {
        let Some(host) = host.filter(|host| host.matches('.').count() < LABELS) else {
            self.hosts = None;
            return;
        };
        let starts = std::iter::once(0).chain(host.match_indices('.').map(|(at, _)| at + 1));
        let domains = starts.filter_map(|start| host.get(start..)).map(str::to_owned);
        self.hosts.iter_mut().for_each(|hosts| hosts.extend(domains.clone()));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{OnceCell, RefCell};

    use proptest::prelude::*;
    use snaphook_adapters::model::{Action, HookEvent};

    use super::*;
    use crate::judge::atoms::atoms;
    use crate::judge::matching::Scene;
    use crate::judge::tests::{left, policy};
    use crate::list::List;
    use crate::rule::parse;
    use crate::testing::{InventedTools, TestMachine, call, file_patterns, folders, seen, shell};

    fn commands() -> impl Strategy<Value = HookEvent> {
        let words = [
            "git",
            "ü",
            "push",
            "-f",
            "rm",
            "a",
            "b",
            "ab",
            "a/b",
            "/bin/rm",
            "'a b'",
            "'it'\\''s'",
            "\"$X\"",
            "$X",
            "${X:-rm}",
            "x=1",
            "ls",
            "*",
            "a*",
            ".env",
            "src/a.rs",
            "~/x",
            "$HOME/b",
            "python3 -c 'git push'",
            "eval",
            "eval \"rm a\"",
            "sudo",
            "ev''il",
            "a,b",
            "curl u",
            "sh",
            "\\rm",
            "{",
            "`git push`",
            "[ab]",
            "g\\it",
            "a:b",
            "sh -c 'rm a'",
            "> b",
        ];
        let words = prop::collection::vec(prop::sample::select(words.to_vec()), 1..6);
        let glue = prop::sample::select(vec![" ", " ", "; ", " | "]);
        (words, glue).prop_map(|(words, glue)| shell(&words.join(glue)))
    }

    fn others() -> impl Strategy<Value = HookEvent> {
        let path = prop::sample::select(vec!["a", "ab/b", "/w/app/a/b", "../a", "~/a", "~", "/", "a/[b]", "aa/bb/ab"]);
        let url =
            prop::sample::select(vec!["https://x.org", "https://a.b.x.org/", "x", "file:///a/b", "http://1.2.3.4"]);
        prop_oneof![
            path.prop_map(|path| call("x", "{}", vec![Action::Edit { path: path.into() }])),
            url.prop_map(|url| call("x", "{}", vec![Action::Fetch { url: url.into() }])),
        ]
    }

    fn rule_texts() -> impl Strategy<Value = String> {
        let words = [
            "git", "push", "-f", "rm", "a", "b", "*", "a*", "*b", "a/b", "/bin/rm", "'a b'", "it*", "'it*'", "rm:*",
            "x=1", "|", "evil", "a,b", "\\*b", "\"$X\"", "${X:-rm}", "sh", "curl", "a b", "g*t", "~/x", "a\\\"b",
            "ls*", "[ab]", "s", "its", "a:b", "x=1*", "~/x*", "", "ü", "ü*",
        ];
        let words = prop::collection::vec(prop::sample::select(words.to_vec()), 1..4);
        let domain = prop::sample::select(vec!["x.org", "*.x.org", "*", "a.*.org", "1.2.3.4"]);
        prop_oneof![
            4 => words.prop_map(|words| format!("Bash({})", words.join(" "))),
            2 => file_patterns().prop_map(|pattern| format!("Edit({pattern})")),
            1 => file_patterns().prop_map(|pattern| format!("Read({pattern})")),
            1 => domain.prop_map(|domain| format!("WebFetch(domain:{domain})")),
            1 => prop::sample::select(vec!["Bash", "*", "Tool(s*)", "Bash(model:x)"]).prop_map(str::to_owned),
        ]
    }

    fn context(event: &HookEvent) -> PathContext<'static> {
        PathContext::new(folders(event), TestMachine::with(Some(std::path::Path::new("/h/u")), &[]))
    }

    fn atoms_of(event: &HookEvent, context: &PathContext) -> Vec<Atom> {
        atoms(&seen(event), &policy("[permissions]\n"), context).list
    }

    fn parsed(rule: &str) -> Rule {
        parse(rule, 0, List::Deny, &InventedTools).unwrap()
    }

    /// The rules that have to be matched against a large call.
    fn kept<'r>(event: &HookEvent, rules: &[&'r str]) -> Vec<&'r str> {
        let context = context(event);
        let atoms = atoms_of(event, &context);
        let contents = Prefilter::all(&atoms, &context);
        rules.iter().copied().filter(|rule| contents.may_match(&parsed(rule), context.budget())).collect()
    }

    fn one(action: Action) -> HookEvent {
        call("x", "{}", vec![action])
    }

    fn fetch(host: &str) -> HookEvent {
        one(Action::Fetch { url: format!("https://{host}/") })
    }

    #[test]
    fn a_rule_about_commands_is_left_out_unless_all_its_words_occur() {
        let rules = [
            "Bash(git push *)",
            "Bash(git pull *)",
            "Bash(npm *)",
            "Bash(push git)",
            "Bash(git or*)",
            "Bash(git x*)",
            "Bash(npm or*)",
            "Bash(pus *)",
            "Bash(*pus*)",
            "Bash(*npm*)",
            "Bash",
        ];
        let related = ["Bash(git push *)", "Bash(push git)", "Bash(git or*)", "Bash(*pus*)", "Bash"];
        assert_eq!(kept(&shell("git push origin"), &rules), related);
        assert_eq!(kept(&shell("ls; git push \"origin\""), &rules), related);
        let named = ["Bash(npm publish *)", "Bash(npm install *)", "Bash(kubectl delete pod *)"];
        assert_eq!(kept(&shell("npm publ; npm i x"), &named), ["Bash(npm publish *)", "Bash(npm install *)"]);
        assert_eq!(kept(&shell("kubectl delete po/x"), &named), ["Bash(kubectl delete pod *)"]);
        // The text typed into a running shell.
        assert_eq!(kept(&one(Action::ShellInput { text: "git push origin".into() }), &rules), related);
    }

    #[test]
    fn a_rule_about_files_is_left_out_unless_all_its_folders_and_names_occur() {
        let rules =
            ["Read(sub/**/key)", "Edit(sub/**/key)", "Delete(sub/other)", "Read(key/*)", "Read(*.pem)", "Read(*ey)"];
        for event in [one(Action::Read { path: "sub/a/key".into() }), shell("cat sub/a/key")] {
            assert_eq!(kept(&event, &rules), ["Read(sub/**/key)", "Edit(sub/**/key)", "Read(key/*)", "Read(*ey)"]);
        }
        assert_eq!(kept(&one(Action::Read { path: "a.pem".into() }), &rules), ["Read(*.pem)"]);
    }

    #[test]
    fn the_folder_that_an_archive_is_unpacked_into_keeps_no_rule_about_files() {
        let rules = ["Edit(//w/app)", "Read(app)"];
        assert_eq!(kept(&shell("pax -r"), &rules), [""; 0]);
        assert_eq!(kept(&shell("frob /w/app"), &rules), rules);
    }

    #[test]
    fn a_rule_about_hosts_is_left_out_unless_the_host_ends_like_it() {
        let rules = [
            "WebFetch(domain:x.org)",
            "WebFetch(domain:*.x.org)",
            "WebFetch(domain:a.x.org)",
            "WebFetch(domain:*.org)",
            "WebFetch(domain:y.org)",
            "WebFetch(domain:b.a.x.org)",
            "WebFetch(domain:*)",
        ];
        let related = |but: &[&str]| rules.into_iter().filter(|rule| !but.contains(rule)).collect::<Vec<_>>();
        let unrelated = ["WebFetch(domain:y.org)", "WebFetch(domain:b.a.x.org)"];
        assert_eq!(kept(&fetch("a.x.org"), &rules), related(&unrelated));
        assert_eq!(kept(&one(Action::Fetch { url: "x".into() }), &rules), rules, "no host is known");
    }

    #[test]
    fn a_host_with_more_labels_than_names_may_have_keeps_all_rules_about_hosts() {
        let rules = ["WebFetch(domain:y.org)"];
        let labels = |count: usize| vec!["a"; count].join(".");
        assert_eq!(kept(&fetch(&labels(128)), &rules), [""; 0]);
        assert_eq!(kept(&fetch(&labels(129)), &rules), rules);
    }

    #[test]
    fn rules_of_other_kinds_are_kept_for_actions_of_their_kind() {
        let rules = ["WebSearch", "Agent(a)", "mcp__a__b", "Tool(b)", "*"];
        assert_eq!(kept(&shell("git push"), &rules), ["Tool(b)", "*"]);
        let search = one(Action::WebSearch { query: "x".into() });
        assert_eq!(kept(&search, &rules), ["WebSearch", "Tool(b)", "*"]);
        let agent = one(Action::Subagent { name: None });
        assert_eq!(kept(&agent, &rules), ["Agent(a)", "Tool(b)", "*"]);
        let mcp = one(Action::Mcp(snaphook_adapters::model::McpName::Joined("a__b".into())));
        assert_eq!(kept(&mcp, &rules), ["mcp__a__b", "Tool(b)", "*"]);
    }

    #[test]
    fn rules_are_selected_only_for_a_large_call_or_many_rules() {
        let is_selecting = |event: &HookEvent, rules: usize| {
            let context = context(event);
            Prefilter::of(&atoms_of(event, &context), rules, &context).is_some()
        };
        let (small, large) = (shell("ls"), shell(&format!("echo {}", "a".repeat(1 << 16))));
        assert!(!is_selecting(&small, 0) && !is_selecting(&small, 20) && !is_selecting(&small, FEW));
        assert!(is_selecting(&small, FEW + 1) && is_selecting(&small, 10 * FEW));
        assert!(!is_selecting(&large, 0));
        assert!(is_selecting(&large, 20));
        // A command that cannot be read may contain the words of any rule.
        let unread =
            [Atom { what: AtomKind::Hidden { why: String::new() }, watch_only: false, withheld: false.into() }];
        assert!(Prefilter::of(&unread, 10 * FEW, &context(&small)).is_none());
    }

    #[test]
    fn looking_for_part_of_a_word_costs_more_in_a_longer_command() {
        let cost = |length: usize| {
            let event = shell(&format!("echo {}", "a".repeat(length)));
            let context = context(&event);
            let atoms = atoms_of(&event, &context);
            let contents = Prefilter::all(&atoms, &context);
            let steps = Budget::default();
            contents.may_match(&parsed("Bash(*b*)"), &steps);
            left(&Budget::default()) - left(&steps)
        };
        let (short, long) = (cost(1), cost(100_000));
        assert!((1..10).contains(&short), "{short}");
        assert!((300..10_000).contains(&long), "{long}");
    }

    #[test]
    fn a_rule_for_all_files_may_match_a_file_that_is_unknown() {
        let event = shell("rm `a`");
        let (call, context) = (&seen(&event), context(&event));
        let atoms = atoms(call, &policy("[permissions]\n"), &context).list;
        let contents = Prefilter::all(&atoms, &context);
        for (rule, may) in [("Edit", true), ("Delete(*)", true), ("Edit(b)", false)] {
            let rule = parse(rule, 0, List::Deny, &InventedTools).unwrap();
            assert_eq!(contents.may_match(&rule, context.budget()), may, "{}", rule.text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

        #[test]
        fn a_rule_that_is_left_out_matches_nothing_in_the_call(
            event in prop_oneof![3 => commands(), 1 => others()],
            rules in prop::collection::vec(rule_texts(), 8),
        ) {
            thread_local!(static POLICY: crate::Policy = policy("[permissions]\n"));
            let call = &seen(&event);
            let context = context(&event);
            let atoms = POLICY.with(|policy| atoms(call, policy, &context)).list;
            let contents = Prefilter::all(&atoms, &context);
            let scene =
                Scene { call, input: OnceCell::default(), names: OnceCell::default(), lowercase_name: OnceCell::default(), params: RefCell::default(), context: &context };
            for (text, list) in rules.iter().flat_map(|text| [(text, List::Deny), (text, List::Allow)]) {
                let Ok(rule) = parse(text, 0, list, &InventedTools) else { continue };
                if !contents.may_match(&rule, context.budget()) {
                    let found = atoms.iter().find(|atom| scene.matches(&rule, list.side(), atom, None));
                    prop_assert!(found.is_none(), "{} matches {:?}", text, found);
                }
            }
        }
    }
}
