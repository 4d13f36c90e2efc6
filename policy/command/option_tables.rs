//! Options with several names.

/// The programs, the subcommand, and the names.
type OptionRows<N> = &'static [(&'static [&'static str], &'static str, N)];

/// Names that mean the same option: one group for each option, its names separated by spaces. A name of one character is a letter behind
/// a single `-`. An empty subcommand stands for all of them.
#[rustfmt::skip]
const SAME: OptionRows<&[&str]> = &[
    (&["rm"], "", &["force f", "recursive r R", "dir d"]),
    (&["cp", "chmod", "chown", "chgrp"], "", &["force f", "recursive r R"]),
    (&["mv"], "", &["force f"]),
    (&["ln"], "", &["force f", "symbolic s"]),
    (&["sed"], "", &["in-place i"]),
    (&["tee"], "", &["append a"]),
    (&["mkdir"], "", &["parents p"]),
    (&["truncate"], "", &["size s"]),
    (&["shred"], "", &["remove u"]),
    (&["grep"], "", &["recursive r"]),
    (&["base64"], "", &["decode d"]),
    (&["patch"], "", &["reverse R"]),
    (&["date"], "", &["set s"]),
    (&["env"], "", &["ignore-environment i"]),
    (&["tar"], "", &["extract x get", "create c", "file f", "gzip z", "absolute-names P"]),
    (&["pkill"], "", &["full f"]),
    (&["sudo"], "", &["shell s", "login i"]),
    (&["userdel"], "", &["remove r"]),
    (&["useradd"], "", &["create-home m"]),
    (&["passwd"], "", &["delete d"]),
    (&["gpg"], "", &["decrypt d"]),
    (&["mount"], "", &["options o"]),
    (&["umount"], "", &["force f", "lazy l"]),
    (&["sysctl"], "", &["write w"]),
    (&["iptables", "ip6tables"], "", &["flush F"]),
    (&["systemctl"], "", &["force f", "signal s"]),
    (&["dpkg"], "", &["remove r", "purge P", "install i"]),
    (&["dropdb"], "", &["force f"]),
    (&["gzip", "gunzip"], "", &["force f"]),
    (&["git"], "push", &["force f", "delete d", "set-upstream u", "dry-run n", "all branches"]),
    (&["git"], "branch", &["delete d", "force f", "move m", "copy c", "set-upstream-to u"]),
    (&["git"], "tag", &["delete d", "force f"]),
    (&["git"], "clean", &["force f", "interactive i", "dry-run n"]),
    (&["git"], "checkout", &["force f"]),
    (&["git"], "switch", &["discard-changes force f", "create c", "force-create C"]),
    (&["git"], "restore", &["staged S", "worktree W", "source s"]),
    (&["git"], "commit", &["no-verify n", "all a", "message m", "file F", "patch p", "signoff s", "gpg-sign S"]),
    (&["git"], "add", &["all A no-ignore-removal", "force f", "update u", "patch p"]),
    (&["git"], "rm", &["force f"]),
    (&["git"], "mv", &["force f"]),
    (&["git"], "rebase", &["interactive i"]),
    (&["git"], "pull", &["rebase r", "force f"]),
    (&["git"], "fetch", &["prune p", "force f"]),
    (&["git"], "stash", &["include-untracked u", "all a", "message m"]),
    (&["git"], "worktree", &["force f"]),
    (&["git"], "submodule", &["force f"]),
    (&["git"], "diff", &["cached staged"]),
    (&["git"], "log", &["patch p u"]),
    (&["git"], "clone", &["recursive recurse-submodules"]),
    (&["git"], "cherry-pick", &["no-commit n"]),
    (&["git"], "revert", &["no-commit n"]),
    (&["git"], "apply", &["reverse R"]),
    (&["git"], "replace", &["delete d"]),
    (&["git"], "config", &["list l"]),
    (&["curl"], "", &[
        "request X", "data d", "insecure k", "output o", "remote-name O", "upload-file T", "form F", "user u", "header H",
    ]),
    (&["wget"], "", &["output-document O", "recursive r", "mirror m"]),
    (&["rsync"], "", &["archive a", "delete del"]),
    (&["npm", "pnpm", "yarn"], "", &["global g", "force f"]),
    (&["npm"], "install", &["save-dev D"]),
    (&["pnpm"], "", &["recursive r"]),
    (&["uv"], "", &["requirement r requirements"]),
    (&["bun"], "", &["global g"]),
    (&["pip"], "", &["upgrade U", "requirement r", "editable e", "index-url i pypi-url", "yes y", "target t"]),
    (&["docker", "podman"], "rm", &["force f", "volumes v"]),
    (&["docker", "podman"], "rmi", &["force f"]),
    (&["docker", "podman"], "image", &["force f", "all a"]),
    (&["docker", "podman"], "container", &["force f", "volumes v"]),
    (&["docker", "podman"], "volume", &["force f", "all a"]),
    (&["docker", "podman"], "network", &["force f"]),
    (&["docker", "podman"], "swarm", &["force f"]),
    (&["docker", "podman"], "node", &["force f"]),
    (&["docker", "podman"], "plugin", &["force f"]),
    (&["docker", "podman"], "builder", &["force f", "all a"]),
    (&["docker"], "buildx", &["force f", "all a"]),
    (&["podman"], "pod", &["force f"]),
    (&["docker", "podman"], "system", &["force f", "all a"]),
    (&["docker", "podman"], "ps", &["all a"]),
    (&["docker", "podman"], "run", &["volume v", "user u", "detach d", "interactive i", "tty t", "publish p", "env e", "network net"]),
    (&["docker", "podman"], "exec", &["user u", "detach d", "interactive i", "tty t", "env e"]),
    (&["docker", "podman"], "build", &["file f", "tag t"]),
    (&["docker", "podman"], "logs", &["follow f"]),
    (&["docker", "podman"], "kill", &["signal s"]),
    (&["docker", "podman"], "login", &["password p"]),
    (&["docker", "podman"], "compose", &["volumes v", "detach d", "file f", "force f"]),
    (&["kubectl", "oc"], "", &["all-namespaces A", "namespace n", "filename f", "output o", "kustomize k"]),
    (&["kubectl", "oc"], "exec", &["stdin i", "tty t"]),
    (&["helm"], "", &["install i", "values f", "namespace n"]),
    (&["cargo"], "", &["release r", "package p", "features F"]),
    (&["pulumi"], "", &["yes y", "skip-preview f"]),
    (&["az"], "", &["yes y", "name n", "resource-group g"]),
    (&["gh"], "api", &["method X"]),
    (&["gh"], "pr", &["squash s", "delete-branch d", "merge m", "approve a", "base B"]),
    (&["gh"], "release", &["yes y"]),
    (&["gcloud"], "", &["quiet q"]),
    (&["psql", "pg_dump"], "", &["command c", "file f", "host h", "username U"]),
    (&["mysql"], "", &["execute e", "host h", "user u"]),
    (&["make"], "", &["directory C", "file f makefile", "jobs j"]),
    (&["apt", "apt-get"], "", &["yes y assume-yes"]),
    (&["yum", "dnf"], "", &["assumeyes y"]),
    (&["pacman"], "", &["remove R", "sync S", "refresh y", "sysupgrade u"]),
    (&["vagrant"], "", &["force f"]),
    (&["deno"], "", &["allow-all A"]),
];

/// Letters that mean two options.
const BOTH: &[(&str, &str, char, [&str; 2])] = &[
    ("git", "branch", 'D', ["delete", "force"]),
    ("git", "branch", 'M', ["move", "force"]),
    ("git", "branch", 'C', ["copy", "force"]),
];

/// Options that do what others do, and more: the program, its subcommand, the option, and the others.
#[rustfmt::skip]
const INCLUDED: &[(&str, &str, &str, &[&str])] = &[
    ("git", "push", "mirror", &["force", "delete"]),
    ("git", "push", "prune", &["delete"]),
    ("cp", "", "a", &["recursive"]),
    ("cp", "", "archive", &["recursive"]),
    ("grep", "", "R", &["recursive"]),
    ("rsync", "", "delete-after", &["delete"]),
    ("rsync", "", "delete-before", &["delete"]),
    ("rsync", "", "delete-delay", &["delete"]),
    ("rsync", "", "delete-during", &["delete"]),
    ("rsync", "", "delete-excluded", &["delete"]),
    ("wget", "", "m", &["recursive"]),
    ("wget", "", "mirror", &["recursive"]),
];

/// Letters whose value may be written behind them, such as `-mTEXT`.
#[rustfmt::skip]
const VALUED: OptionRows<&str> = &[
    (&["git"], "commit", "mFcCtu"),
    (&["git"], "push", "o"),
    (&["git"], "tag", "mFu"),
    (&["curl"], "", "oHdXuAebTFxCDEmrtUwYyzKQP"),
    (&["wget"], "", "OoaeiBtTwQPUlARDI"),
    (&["sed"], "", "ef"),
    (&["grep"], "", "efmABCdD"),
    (&["ssh"], "", "bcDEeFIiJLlmOopQRSWw"),
    (&["scp"], "", "cDFiJloPSX"),
    (&["pkill", "pgrep"], "", "gGPstuUFOLr"),
    (&["kubectl", "oc"], "", "nlosk"),
    (&["docker", "podman"], "run", "evpulwmhc"),
    (&["mysql"], "", "uhPpDe"),
    (&["psql"], "", "dhUpcfvoLTFPR"),
    (&["pip"], "", "rceitfC"),
    (&["make"], "", "CfIjloW"),
    (&["apt", "apt-get"], "", "otc"),
];

/// Options without a value, before a subcommand.
#[rustfmt::skip]
const FLAGS: &[(&[&str], &[&str])] = &[
    (&["git"], &["--no-pager", "-P", "-p", "--paginate", "--bare", "--no-replace-objects", "--no-optional-locks"]),
    (&["docker", "podman"], &["-D", "--debug", "--tls", "--tlsverify"]),
    (&["npm", "yarn", "pnpm"], &["--silent", "-s", "-q", "--quiet"]),
    (&["pnpm"], &["-r", "--recursive"]),
    (&["kubectl", "oc"], &["--insecure-skip-tls-verify", "--match-server-version", "--warnings-as-errors"]),
    (&["helm"], &["--debug"]),
    (&["systemctl"], &["--user", "--system", "--no-pager", "-q", "--quiet", "--no-block", "--now"]),
    (&["terraform", "tofu"], &["-help", "--help", "-version"]),
    (&["cargo"], &["--locked", "--offline", "--frozen", "-q", "--quiet", "-v", "--verbose"]),
    (&["apt", "apt-get"], &["-y", "--yes", "--assume-yes", "-q", "-qq", "-s", "--dry-run"]),
];

/// Operands that mean an option: the program, its subcommand, the first character, and the option.
const OPERANDS: &[(&str, &str, char, &str)] = &[("git", "push", '+', "force"), ("git", "push", ':', "delete")];

/// The options of a program and a subcommand.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionTables<'n> {
    pub(super) program: &'n str,
    pub(super) subcommand: &'n str,
}

impl OptionTables<'_> {
    /// Returns the names of the options that have this name: one group for each.
    pub(super) fn same(self, name: &str) -> impl Iterator<Item = &'static str> {
        self.rows(SAME).flat_map(|groups| *groups).copied().filter(move |group| group.split(' ').any(|one| one == name))
    }

    /// Returns the options that a letter means together; `None` if it means one.
    pub(super) fn both(self, letter: &str) -> Option<[&'static str; 2]> {
        let mut rows = BOTH.iter().filter(|(program, sub, ..)| (*program, *sub) == (self.program, self.subcommand));
        rows.find(|(.., one, _)| letter.chars().eq([*one])).map(|(.., both)| *both)
    }

    /// Returns the options that an option includes.
    pub(super) fn included(self, name: &str) -> impl Iterator<Item = &'static str> {
        let is = move |(program, sub, option, _): &&(&str, &str, &str, _)| {
            *program == self.program && (sub.is_empty() || *sub == self.subcommand) && *option == name
        };
        INCLUDED.iter().filter(is).flat_map(|(.., others)| *others).copied()
    }

    /// Returns true if the text behind this letter is its value.
    pub(super) fn takes_value(self, letter: char) -> bool {
        self.rows(VALUED).any(|letters| letters.contains(letter))
    }

    /// Returns true for an option that has no value.
    pub(super) fn is_flag(self, option: &str) -> bool {
        FLAGS.iter().any(|(programs, flags)| programs.contains(&self.program) && flags.contains(&option))
    }

    /// Returns the first characters of operands that mean one of the options with this name.
    pub(super) fn marks(self, name: &str) -> impl Iterator<Item = char> {
        let means =
            move |long: &str| long == name || self.same(name).any(|group| group.split(' ').any(|one| one == long));
        let rows =
            OPERANDS.iter().filter(move |(program, sub, ..)| (*program, *sub) == (self.program, self.subcommand));
        rows.filter(move |(.., long)| means(long)).map(|(.., mark, _)| *mark)
    }

    fn rows<N>(self, rows: OptionRows<N>) -> impl Iterator<Item = &'static N> {
        let is_own = move |(programs, sub, _): &&(&[&str], &str, N)| {
            programs.contains(&self.program) && (sub.is_empty() || *sub == self.subcommand)
        };
        rows.iter().filter(is_own).map(|(.., names)| names)
    }
}
