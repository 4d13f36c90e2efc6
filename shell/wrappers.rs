//! Programs that run another program named in their arguments (B3), and the position of its name. A command
//! with an option that is not in the table is not understood.

/// The treatment of a wrapper by allow rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperKind {
    /// Only the inner command needs an allow rule.
    Transparent,
    /// Both the whole and the inner command need an allow rule.
    Layered,
}

/// The folder that the paths of a command are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum At {
    #[default]
    Here,
    /// An unknown folder.
    Somewhere,
    /// Another root, where even absolute paths have another meaning.
    Apart,
}

/// The options of one wrapper.
#[derive(Debug)]
pub(super) struct WrapperSpec {
    pub(super) names: &'static [&'static str],
    pub(super) kind: WrapperKind,
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters of options with a value.
    pub(super) valued: &'static str,
    /// Long options without a value.
    pub(super) long: &'static [&'static str],
    /// Long options with a value.
    pub(super) long_valued: &'static [&'static str],
    /// The number of operands before the command.
    pub(super) operands: usize,
    /// True if `NAME=value` may come before the command.
    pub(super) assigns: bool,
    /// True if words are appended to the command when it runs.
    pub(super) adds: bool,
    /// True if it starts a shell when no command is given.
    pub(super) shell: bool,
    /// The folder in which it runs the command.
    pub(super) at: At,
}

const fn wrapper(
    kind: WrapperKind,
    names: &'static [&'static str],
    flags: &'static str,
    valued: &'static str,
) -> WrapperSpec {
    let (long, long_valued): (&[&str], &[&str]) = (&[], &[]);
    let at = At::Here;
    WrapperSpec {
        names,
        kind,
        flags,
        valued,
        long,
        long_valued,
        operands: 0,
        assigns: false,
        adds: false,
        shell: false,
        at,
    }
}

impl WrapperSpec {
    const fn long(mut self, long: &'static [&'static str], valued: &'static [&'static str]) -> Self {
        self.long = long;
        self.long_valued = valued;
        self
    }

    const fn operands(mut self, operands: usize) -> Self {
        self.operands = operands;
        self
    }

    const fn assigns(mut self) -> Self {
        self.assigns = true;
        self
    }

    const fn shell(mut self) -> Self {
        self.shell = true;
        self
    }

    const fn apart(mut self) -> Self {
        self.at = At::Apart;
        self
    }

    const fn adds(mut self) -> Self {
        self.adds = true;
        self
    }
}

use WrapperKind::{Layered, Transparent};

/// The table.
pub(super) static WRAPPERS: &[WrapperSpec] = &[
    wrapper(Transparent, &["timeout", "gtimeout"], "v", "ks")
        .long(&["preserve-status", "foreground", "verbose"], &["kill-after", "signal"])
        .operands(1),
    // A reserved word in some shells, before a command with its assignments.
    wrapper(Transparent, &["time"], "p", "").assigns(),
    wrapper(Transparent, &["nice"], "", "n").long(&[], &["adjustment"]),
    wrapper(Transparent, &["nohup"], "", ""),
    wrapper(Transparent, &["stdbuf"], "", "ioe").long(&[], &["input", "output", "error"]),
    wrapper(Transparent, &["command"], "p", ""),
    wrapper(Transparent, &["builtin"], "", ""),
    wrapper(Transparent, &["noglob"], "", ""),
    wrapper(Layered, &["xargs"], "0rtx", "nLIdPsE")
        .long(
            &["null", "no-run-if-empty", "verbose", "exit"],
            &["max-args", "max-lines", "delimiter", "max-procs", "max-chars"],
        )
        .adds(),
    wrapper(Layered, &["env"], "i0v", "u").long(&["ignore-environment", "null", "debug"], &["unset"]).assigns(),
    wrapper(Layered, &["sudo"], "AbEHknPS", "ugpCU")
        .long(
            &["askpass", "background", "set-home", "non-interactive", "preserve-groups", "stdin", "reset-timestamp"],
            &["user", "group", "prompt", "close-from", "other-user"],
        )
        .assigns(),
    wrapper(Layered, &["doas"], "nL", "u").assigns(),
    // The value of `-a` is a name in most shells, and the program in busybox.
    wrapper(Layered, &["exec"], "cl", ""),
    wrapper(Layered, &["setsid"], "cfw", "").long(&["ctty", "fork", "wait"], &[]),
    wrapper(Layered, &["ionice"], "t", "cn").long(&["ignore"], &["class", "classdata"]),
    wrapper(Layered, &["chrt"], "abdfiomRv", "TPD").operands(1),
    wrapper(Layered, &["taskset"], "ac", "").long(&["all-tasks", "cpu-list"], &[]).operands(1),
    wrapper(Layered, &["flock"], "sxeunoFv", "wE")
        .long(
            &["shared", "exclusive", "unlock", "nonblock", "nb", "close", "no-fork", "verbose"],
            &["timeout", "wait", "conflict-exit-code"],
        )
        .operands(1),
    wrapper(Layered, &["watch"], "bcdegtx", "n")
        .long(&["beep", "color", "differences", "errexit", "chgexit", "no-title", "exec"], &["interval"]),
    wrapper(Layered, &["chroot"], "", "").long(&["skip-chdir"], &["userspec", "groups"]).operands(1).shell().apart(),
    wrapper(Layered, &["unshare"], "muinpUCTfrc", "")
        .long(
            &[
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
            &["propagation", "setgroups"],
        )
        .shell(),
    wrapper(Layered, &["nsenter"], "muinpUCTFa", "tSG")
        .long(
            &["mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time", "no-fork", "all"],
            &["target", "setuid", "setgid"],
        )
        .shell()
        .apart(),
    wrapper(Layered, &["strace"], "fqvxCcdikrtTyZz", "esabSX"),
    wrapper(Layered, &["busybox", "toybox"], "", ""),
    wrapper(Layered, &["logsave"], "asv", "").operands(1),
    wrapper(Layered, &["ccache", "distcc"], "csvzhVxp", ""),
    wrapper(Layered, &["rustup run"], "", "").long(&["install"], &[]).operands(1),
];
