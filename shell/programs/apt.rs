//! Package managers of systems.

use super::code::{named, option};
use super::program::{Naming, Program};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        code: |call| call.says(Ok(named(call.arguments, OPTIONS, MARKS))),
        has_subcommands: true,
        namings: NAMES,
        ..Program::of(&["apt", "apt-get"])
    },
    Program { code: |call| call.says(Ok(named(call.arguments, OPTIONS, MARKS))), ..Program::of(&["aptitude"]) },
    Program { namings: NAMES, ..Program::of(&["apt-cache", "apk"]) },
    Program { has_subcommands: true, namings: NAMES, ..Program::of(&["brew", "dnf", "yum"]) },
    Program {
        code: |call| call.says(Ok(named(call.arguments, &["pre-invoke", "post-invoke", "status-logger"], &[]))),
        ..Program::of(&["dpkg"])
    },
    Program { code: |call| call.says(option(call.given(), "c", &["command"])), ..Program::of(&["dpkg-architecture"]) },
];

const OPTIONS: &[&str] = &["config-file", "c"];
const MARKS: &[&str] = &["nvoke", "Dir::", "dir::"];
const NAMES: &[Naming] = &[Naming {
    subcommands: &[
        "install",
        "remove",
        "purge",
        "add",
        "del",
        "upgrade",
        "reinstall",
        "uninstall",
        "show",
        "info",
        "search",
        "policy",
        "list",
    ],
    flags: &[
        "-y",
        "-q",
        "-qq",
        "--yes",
        "--no-install-recommends",
        "--installed",
        "--no-cache",
        "--cask",
        "--formula",
        "--versions",
    ],
    valued: &[],
}];
