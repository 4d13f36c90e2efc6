//! The programs that run the program named among their arguments (B3), and how to find it. An option
//! that a row does not list makes the command one that is not understood.

/// Says how a wrapper counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Allow looks at the inner command alone.
    Transparent,
    /// Allow needs a rule for the whole and for the inner command.
    Layered,
}

/// Says where the paths of a command are meant from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum At {
    #[default]
    Here,
    /// A folder that nobody knows.
    Somewhere,
    /// Another root, where not even an absolute path is what it says.
    Apart,
}

/// Describes one wrapper.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    pub(super) kind: Kind,
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters of options with one.
    pub(super) valued: &'static str,
    /// Long options without a value.
    pub(super) long: &'static [&'static str],
    /// Long options with one.
    pub(super) long_valued: &'static [&'static str],
    /// How many operands stand before the command.
    pub(super) operands: usize,
    /// Whether `NAME=value` may stand before the command.
    pub(super) assigns: bool,
    /// Whether more words are added to the command when it runs.
    pub(super) adds: bool,
    /// Whether it starts a shell where no command is named.
    pub(super) shell: bool,
    /// Where it runs the command.
    pub(super) at: At,
}

const fn wrapper(kind: Kind, names: &'static [&'static str], flags: &'static str, valued: &'static str) -> Wrapper {
    let (long, long_valued): (&[&str], &[&str]) = (&[], &[]);
    let at = At::Here;
    Wrapper {
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

impl Wrapper {
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

use Kind::{Layered, Transparent};

/// The table.
pub(super) static WRAPPERS: &[Wrapper] = &[
    wrapper(Transparent, &["timeout", "gtimeout"], "v", "ks")
        .long(&["preserve-status", "foreground", "verbose"], &["kill-after", "signal"])
        .operands(1),
    // To some shells a word of their own, before a command with its assignments.
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
    // What stands behind `-a` is a name to most shells, and to busybox the program.
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
