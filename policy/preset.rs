//! The presets: policies that are part of the program, which a file names by `extends`.

use crate::rule::Rule;

/// A policy that is part of the program. It has only deny and ask rules and `extends`, so it counts whole in every file.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Preset {
    /// The name behind `preset:`.
    pub name: &'static str,
    /// One line about its rules.
    pub summary: &'static str,
    /// The policy as a person would write it.
    pub text: &'static str,
    /// The rules in the text, which the build script has parsed.
    pub(crate) rules: &'static PresetRules,
}

/// The rules of a preset.
#[derive(Debug)]
pub(crate) struct PresetRules {
    /// The names of presets that it adds.
    pub(crate) extends: &'static [&'static str],
    pub(crate) deny: &'static [Rule],
    pub(crate) ask: &'static [Rule],
}

/// The prefix of a preset's name in policies and in messages.
pub const PRESET_PREFIX: &str = "preset:";

static ALL: [Preset; 6] = [
    Preset {
        name: "standard",
        summary: "denies or asks about what is hard to undo; has the rules of the four below",
        text: include_str!("presets/standard.toml"),
        rules: &built::STANDARD,
    },
    Preset {
        name: "strict",
        summary: "standard, and asks about what leaves the project, changes the machine or talks to others",
        text: include_str!("presets/strict.toml"),
        rules: &built::STRICT,
    },
    Preset {
        name: "secrets",
        summary: "keys, credentials and passwords: read, printed or sent",
        text: include_str!("presets/secrets.toml"),
        rules: &built::SECRETS,
    },
    Preset {
        name: "git",
        summary: "what loses work, rewrites what is published or gets around checks",
        text: include_str!("presets/git.toml"),
        rules: &built::GIT,
    },
    Preset {
        name: "cloud",
        summary: "what deletes, stops or opens something in clouds, clusters and containers",
        text: include_str!("presets/cloud.toml"),
        rules: &built::CLOUD,
    },
    Preset {
        name: "database",
        summary: "what deletes tables, rows or whole databases",
        text: include_str!("presets/database.toml"),
        rules: &built::DATABASE,
    },
];

/// The rules of the presets, written by the build script.
mod built {
    use super::PresetRules;
    use crate::rule::{PlainForm, PlainShape, Rule, RuleKind};
    use crate::rule_words::WordsAt;

    include!(concat!(env!("OUT_DIR"), "/presets.rs"));
}

impl Preset {
    /// The presets, in the order in which they are listed.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// Finds a preset by its name in a policy, such as `preset:git`.
    pub fn named(written: &str) -> Option<&'static Self> {
        let name = written.strip_prefix(PRESET_PREFIX)?;
        Self::all().iter().find(|preset| preset.name == name)
    }

    /// The name in a policy.
    pub fn written(&self) -> String {
        format!("{PRESET_PREFIX}{}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::List;
    use crate::load::{PolicyFile, PolicySource};
    use crate::testing::{InventedTools, TestMachine};

    #[test]
    fn what_was_read_when_the_package_was_built_is_what_the_text_says() {
        let machine = TestMachine::with(None, &[]);
        for preset in Preset::all() {
            let source = PolicySource::embedded(preset.text, "a copy");
            let read = PolicyFile::read(source, machine, &InventedTools).unwrap();
            let extended: Vec<_> = read.presets.iter().map(|preset| preset.source.shown.as_str()).collect();
            assert!(preset.rules.extends.iter().all(|name| extended.contains(name)), "{}", preset.name);
            assert_eq!(preset.rules.extends.is_empty(), extended.is_empty(), "{}", preset.name);
            assert!(read.lists.allow.is_empty() && read.agents.is_empty(), "{}", preset.name);
            for (list, built) in [(List::Deny, preset.rules.deny), (List::Ask, preset.rules.ask)] {
                assert_eq!(built.len(), read.lists.of(list).len(), "{}", preset.name);
                for (built, rule) in built.iter().zip(read.lists.of(list)) {
                    assert_eq!(
                        (
                            &built.text,
                            built.at,
                            built.words(preset.text),
                            built.kind,
                            built.plain_command(),
                            built.param(),
                            built.plain_tool()
                        ),
                        (
                            &rule.text,
                            rule.at,
                            rule.words(&read.source.text),
                            rule.kind,
                            rule.plain_command(),
                            rule.param(),
                            rule.plain_tool()
                        ),
                    );
                    assert_eq!(
                        built.plain_segments().collect::<Vec<_>>(),
                        rule.plain_segments().collect::<Vec<_>>(),
                        "{}",
                        built.text
                    );
                    assert_eq!(format!("{:?}", built.limit()), format!("{:?}", rule.limit()), "{}", built.text);
                    assert_eq!(built.fragments(), rule.fragments(), "{}", built.text);
                }
            }
        }
    }
}
