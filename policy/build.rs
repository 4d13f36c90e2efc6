//! Reads the presets when the package is built, so that a call does not have to.
#![expect(clippy::disallowed_methods, reason = "a build script writes a file to the folder that it is given")]
#![expect(clippy::expect_used, clippy::panic, reason = "a preset that cannot be read ends the build")]
#![expect(dead_code, unreachable_pub, reason = "the modules have more for the library")]

#[path = "eights.rs"]
mod eights;
#[path = "rule/kind.rs"]
mod kind;
#[path = "list.rs"]
mod list;
#[path = "rule/plain.rs"]
mod plain;
#[path = "load/plain_lists.rs"]
mod plain_lists;

use std::fmt::Write as _;
use std::path::PathBuf;

use self::kind::RuleKind;
use self::list::Side;
use self::plain::PlainShape;
use self::plain_lists::{PlainList, PlainRule};

const PRESETS: &[(&str, &str)] = &[
    ("STANDARD", include_str!("presets/standard.toml")),
    ("STRICT", include_str!("presets/strict.toml")),
    ("SECRETS", include_str!("presets/secrets.toml")),
    ("GIT", include_str!("presets/git.toml")),
    ("CLOUD", include_str!("presets/cloud.toml")),
    ("DATABASE", include_str!("presets/database.toml")),
];

fn main() {
    println!("cargo::rerun-if-changed=presets");
    let mut built = String::new();
    for (name, text) in PRESETS {
        let lists = [("DENY", rules(text, "deny")), ("ASK", rules(text, "ask"))];
        let words: Vec<_> = lists.iter().flat_map(|(_, rules)| rules).filter_map(words).collect();
        let mut next = 0;
        for (list, rules) in lists {
            let lines: String = rules.iter().map(|one| rule(one, name, &mut next)).collect();
            writeln!(built, "static {name}_{list}: [Rule; {}] = [\n{lines}];", rules.len())
                .expect("a string can be written to");
        }
        writeln!(built, "static {name}_WORDS: [RuleWords; {next}] = [\n{}];", words.concat())
            .expect("a string can be written to");
        let extends = text.lines().find_map(|line| line.strip_prefix("extends = ")).unwrap_or("[]");
        let rules = format!("PresetRules {{ extends: &{extends}, deny: &{name}_DENY, ask: &{name}_ASK }}");
        writeln!(built, "pub(super) static {name}: PresetRules = {rules};").expect("a string can be written to");
    }
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo names a folder"));
    std::fs::write(folder.join("presets.rs"), built).expect("the folder can be written to");
}

/// Reads the rules of a list, which must begin with a line such as `deny = [`.
fn rules<'t>(text: &'t str, list: &str) -> Vec<PlainRule<'t>> {
    let opened = format!("\n{list} = [\n");
    let Some(at) = text.find(&opened) else { return Vec::new() };
    PlainList::read(text, at + opened.len() - 2).expect("a list of rules in strings").rules
}

/// Formats the texts of a rule as Rust source.
fn words(rule: &PlainRule<'_>) -> Option<String> {
    let PlainRule { reason, instead, .. } = rule;
    let word =
        |text: &Option<_>| text.as_ref().map_or("None".to_owned(), |text| format!("Some(Cow::Borrowed({text:?}))"));
    let has_words = reason.is_some() || instead.is_some();
    has_words.then(|| format!("RuleWords {{ reason: {}, instead: {} }},\n", word(reason), word(instead)))
}

/// Formats a rule of a preset as Rust source. `next` is the index of its texts, if it has any.
fn rule(one: &PlainRule<'_>, preset: &str, next: &mut usize) -> String {
    let words = words(one).map_or("None".to_owned(), |_| {
        *next += 1;
        format!("Some(&{preset}_WORDS[{}])", *next - 1)
    });
    let PlainRule { at, rule, .. } = one;
    let (name, rest) = rule.split_once('(').unwrap_or((rule, ""));
    let Some(kind) = RuleKind::named(name) else { panic!("{rule}: the name is not known") };
    let specifier = rest.strip_suffix(')').unwrap_or(rest);
    let shape = PlainShape::of(kind, rule, specifier, Side::Guard).map_or("None".to_owned(), |shape| {
        let PlainShape { form, inside } = shape;
        format!("Some(PlainShape {{ form: PlainForm::{form:?}, inside: {inside:?} }})")
    });
    format!("Rule::of_preset({rule:?}, {at}, RuleKind::{kind:?}, {shape}, {words}),\n")
}
