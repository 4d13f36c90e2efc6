//! The presets: policies that are part of the program, which a file names by `extends`.

/// A policy that is part of the program. It has only deny and ask rules and `extends`, so it counts whole in every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preset {
    /// The name behind `preset:`.
    pub name: &'static str,
    /// One line about its rules.
    pub summary: &'static str,
    /// The rules.
    pub text: &'static str,
}

/// The prefix of a preset's name in policies and in messages.
pub const PRESET_PREFIX: &str = "preset:";

impl Preset {
    /// The presets, in the order in which they are listed.
    pub const ALL: &[Self] = &[
        Self {
            name: "standard",
            summary: "denies or asks about what is hard to undo; has the rules of the four below",
            text: include_str!("presets/standard.toml"),
        },
        Self {
            name: "strict",
            summary: "standard, and asks about what leaves the project, changes the machine or talks to others",
            text: include_str!("presets/strict.toml"),
        },
        Self {
            name: "secrets",
            summary: "keys, credentials and passwords: read, printed or sent",
            text: include_str!("presets/secrets.toml"),
        },
        Self {
            name: "git",
            summary: "what loses work, rewrites what is published or gets around checks",
            text: include_str!("presets/git.toml"),
        },
        Self {
            name: "cloud",
            summary: "what deletes, stops or opens something in clouds, clusters and containers",
            text: include_str!("presets/cloud.toml"),
        },
        Self {
            name: "database",
            summary: "what deletes tables, rows or whole databases",
            text: include_str!("presets/database.toml"),
        },
    ];

    /// Finds a preset by its name in a policy, such as `preset:git`.
    pub fn named(written: &str) -> Option<&'static Self> {
        let name = written.strip_prefix(PRESET_PREFIX)?;
        Self::ALL.iter().find(|preset| preset.name == name)
    }

    /// The name in a policy.
    pub fn written(&self) -> String {
        format!("{PRESET_PREFIX}{}", self.name)
    }
}
