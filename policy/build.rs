//! Reads the presets when the package is built, so that a call does not have to.
#![expect(clippy::disallowed_methods, reason = "a build script writes a file to the folder that it is given")]
#![expect(clippy::expect_used, clippy::panic, reason = "a preset that cannot be read ends the build")]
#![expect(dead_code, unreachable_pub, reason = "the modules have more for the library")]

#[path = "find.rs"]
mod find;
#[path = "rule/kind.rs"]
mod kind;
#[path = "list.rs"]
mod list;
#[path = "rule/plain.rs"]
mod plain;
#[path = "load/plain_lists.rs"]
mod plain_lists;
#[path = "plain_string.rs"]
mod plain_string;
#[path = "rule_words.rs"]
mod rule_words;

use std::fmt::Write as _;
use std::path::PathBuf;

use self::kind::RuleKind;
use self::list::Side;
use self::plain::{PlainShape, Specifier};
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
        for (list, rules) in lists {
            let lines: String = rules.iter().map(rule).collect();
            writeln!(built, "static {name}_{list}: [Rule; {}] = [\n{lines}];", rules.len())
                .expect("a string can be written to");
        }
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

/// Formats a rule of a preset as Rust source.
fn rule(one: &PlainRule<'_>) -> String {
    let PlainRule { at, rule, words } = one;
    let (name, rest) = rule.split_once('(').unwrap_or((rule, ""));
    let Some(kind) = RuleKind::named(name) else { panic!("{rule}: the name is not known") };
    let specifier = rest.strip_suffix(')').unwrap_or(rest);
    let shape = PlainShape::of(kind, rule, Specifier::new(specifier), Side::Guard).map_or("None".to_owned(), |shape| {
        let PlainShape { form, inside } = shape;
        format!("Some(PlainShape {{ form: PlainForm::{form:?}, inside: {inside:?} }})")
    });
    format!("Rule::of_preset({rule:?}, {at}, RuleKind::{kind:?}, {shape}, {words:?}),\n")
}
