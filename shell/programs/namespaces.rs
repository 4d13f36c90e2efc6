//! Programs that run a command in another root or namespace.

use super::inside::At;
use super::program::Program;
use super::wrapper::{Wrapper, inside};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper {
                    long: &["skip-chdir"],
                    long_valued: &["userspec", "groups"],
                    operands: 1,
                    starts_shell: true,
                    at: At::Apart,
                    ..Wrapper::LAYERED
                },
            )
        },
        ..Program::of(&["chroot"])
    },
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper {
                    flags: "muinpUCTfrc",
                    long: &[
                        "mount",
                        "uts",
                        "ipc",
                        "net",
                        "pid",
                        "user",
                        "cgroup",
                        "time",
                        "fork",
                        "map-root-user",
                        "map-current-user",
                        "mount-proc",
                        "kill-child",
                    ],
                    long_valued: &["propagation", "setgroups"],
                    starts_shell: true,
                    ..Wrapper::LAYERED
                },
            )
        },
        ..Program::of(&["unshare"])
    },
    Program {
        inside: |call| {
            inside(
                call,
                &Wrapper {
                    flags: "muinpUCTFa",
                    valued: "tSG",
                    long: &["mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time", "no-fork", "all"],
                    long_valued: &["target", "setuid", "setgid"],
                    starts_shell: true,
                    at: At::Apart,
                    ..Wrapper::LAYERED
                },
            )
        },
        ..Program::of(&["nsenter"])
    },
];
