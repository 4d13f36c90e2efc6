//! Subcommands and kinds of objects with several names.

use snaphook_shell::Word;

use crate::wildcard::Wildcard;

/// Names that mean the same to some programs.
struct SameNames {
    programs: &'static [&'static str],
    /// The positions of the operands that have these names, counted from 0.
    operands: &'static [usize],
    spelling: Spelling,
    /// One group for each meaning: its names, separated by spaces, the usual one first.
    names: &'static [&'static str],
}

/// How a name may be written.
#[derive(PartialEq, Eq)]
enum Spelling {
    Whole,
    /// Its beginning is enough: `publ` for `publish`.
    Abbreviated,
    /// It is a kind of object, and may be written as `pod/NAME`, `deployments.apps` or `pods,services`.
    Kinds,
}

impl SameNames {
    const fn of(programs: &'static [&'static str], operands: &'static [usize], names: &'static [&'static str]) -> Self {
        Self { programs, operands, spelling: Spelling::Whole, names }
    }

    const fn abbreviated(programs: &'static [&'static str], names: &'static [&'static str]) -> Self {
        Self { programs, operands: &[0], spelling: Spelling::Abbreviated, names }
    }

    const fn kinds(programs: &'static [&'static str], names: &'static [&'static str]) -> Self {
        Self { programs, operands: &[1, 2], spelling: Spelling::Kinds, names }
    }
}

#[rustfmt::skip]
const NAMES: &[SameNames] = &[
    SameNames::abbreviated(&["npm"], &[
        "install add i in ins inst insta instal isnt isnta isntal isntall",
        "ci clean-install ic install-clean isntall-clean",
        "install-test it", "install-ci-test cit clean-install-test sit",
        "uninstall unlink remove rm r un", "update up upgrade u udpate", "run run-script rum urn", "exec x", "test t tst",
        "config c", "search find s se", "view info show v", "ls list", "ll la", "link ln", "rebuild rb", "init create innit",
        "owner author", "bugs issues", "docs home", "dedupe ddp", "explain why", "version verison", "dist-tag dist-tags",
        "adduser add-user", "help hlep", "org ogr", "access", "audit", "cache", "deprecate", "undeprecate", "edit", "explore",
        "fund", "get", "login", "logout", "outdated", "pack", "ping", "pkg", "prefix", "profile", "prune", "publish",
        "unpublish", "query", "repo", "restart", "root", "set", "shrinkwrap", "star", "stars", "start", "stop", "team",
        "token", "unstar", "whoami",
    ]),
    SameNames::of(&["pnpm"], &[0], &[
        "install i", "remove rm uninstall un", "update up upgrade", "run run-script", "list ls", "link ln", "unlink dislink",
        "test t tst", "rebuild rb", "install-test it",
    ]),
    SameNames::of(&["bun"], &[0], &["install i", "add a", "remove rm r uninstall", "create c"]),
    SameNames::of(&["git"], &[0], &["add stage", "init init-db", "blame annotate"]),
    SameNames::of(&["git"], &[1], &["remove rm"]),
    SameNames::of(&["cargo"], &[0], &["build b", "check c", "doc d", "run r", "remove rm", "test t"]),
    SameNames::of(&["conda", "mamba"], &[0], &["remove uninstall", "update upgrade"]),
    SameNames::of(&["brew"], &[0], &["uninstall remove rm uninstal", "install instal", "list ls", "update up", "link ln", "doctor dr"]),
    SameNames::of(&["dnf", "yum"], &[0], &["install in", "remove rm erase", "upgrade up update"]),
    SameNames::of(&["zypper"], &[0], &[
        "install in", "remove rm", "update up", "dist-upgrade dup", "refresh ref", "addrepo ar", "removerepo rr",
    ]),
    SameNames::abbreviated(&["gem"], &["install", "uninstall", "update", "push", "yank", "owner"]),
    SameNames::abbreviated(&["composer"], &[
        "install i", "update u upgrade", "require r", "remove rm uninstall", "run-script run", "exec", "config",
        "create-project", "global", "archive",
    ]),
    SameNames::of(&["docker", "podman"], &[0, 1], &["rm remove"]),
    SameNames::of(&["apt", "apt-get"], &[0], &["autoremove auto-remove", "full-upgrade dist-upgrade"]),
    SameNames::of(&["flatpak"], &[0], &["uninstall remove", "update upgrade"]),
    SameNames::of(&["rustup"], &[1], &["uninstall remove", "add install"]),
    SameNames::of(&["terraform", "tofu"], &[0], &["workspace env"]),
    SameNames::of(&["pulumi"], &[0], &["destroy down dn", "up update", "preview pre"]),
    SameNames::of(&["pulumi"], &[1], &["rm remove delete"]),
    SameNames::of(&["glab"], &[0], &["ci pipeline pipe", "repo project", "variable var"]),
    SameNames::of(&["glab"], &[1], &["merge accept", "delete del remove", "create new"]),
    SameNames::of(&["heroku"], &[0], &[
        "apps:destroy destroy apps:delete", "ps:scale scale dyno:scale", "config:unset config:remove", "config:set config:add",
        "addons:destroy addons:remove", "ps:stop ps:kill stop",
    ]),
    SameNames::of(&["fly", "flyctl"], &[0], &["apps app", "machine machines m", "volumes volume vol v", "postgres pg"]),
    SameNames::of(&["fly", "flyctl"], &[1], &["destroy delete remove rm"]),
    SameNames::of(&["vercel"], &[0], &["remove rm", "domains domain", "project projects"]),
    SameNames::of(&["vercel"], &[1], &["rm remove"]),
    SameNames::of(&["kubectl", "oc"], &[1], &["use-context use"]),
    SameNames::of(&["helm"], &[0], &[
        "uninstall del delete un", "list ls", "history hist", "dependency dep dependencies", "pull fetch",
        "show inspect",
    ]),
    SameNames::of(&["helm"], &[1], &["remove rm uninstall", "update up"]),
    SameNames::of(&["gh"], &[0], &["extension ext extensions", "codespace cs", "ruleset rs"]),
    SameNames::of(&["gh"], &[1], &["create new", "list ls", "delete remove"]),
    SameNames::kinds(&["kubectl", "oc"], &[
        "pods pod po", "services service svc", "deployments deployment deploy", "namespaces namespace ns", "nodes node no",
        "configmaps configmap cm", "secrets secret", "persistentvolumes persistentvolume pv",
        "persistentvolumeclaims persistentvolumeclaim pvc", "daemonsets daemonset ds", "statefulsets statefulset sts",
        "replicasets replicaset rs", "replicationcontrollers replicationcontroller rc", "ingresses ingress ing",
        "serviceaccounts serviceaccount sa", "jobs job", "cronjobs cronjob cj", "roles role", "rolebindings rolebinding",
        "clusterroles clusterrole", "clusterrolebindings clusterrolebinding", "events event ev", "endpoints ep",
        "customresourcedefinitions customresourcedefinition crds crd", "networkpolicies networkpolicy netpol",
        "poddisruptionbudgets poddisruptionbudget pdb", "storageclasses storageclass sc", "resourcequotas resourcequota quota",
        "limitranges limitrange limits", "priorityclasses priorityclass pc", "leases lease", "apiservices apiservice",
        "ingressclasses ingressclass", "projects project",
        "validatingwebhookconfigurations validatingwebhookconfiguration",
        "mutatingwebhookconfigurations mutatingwebhookconfiguration",
        "horizontalpodautoscalers horizontalpodautoscaler hpa", "certificatesigningrequests certificatesigningrequest csr",
    ]),
    SameNames::of(&["svn"], &[0], &[
        "commit ci", "update up", "checkout co", "delete del remove rm", "switch sw", "copy cp", "move mv rename ren",
        "propset pset ps", "propdel pdel pd",
    ]),
    SameNames::abbreviated(&["hg"], &[
        "push", "pull", "commit ci", "update up checkout co", "remove rm", "rename move mv", "purge clean", "strip", "revert",
        "rollback", "import patch", "clone", "merge", "rebase",
    ]),
    SameNames::abbreviated(&["tmux"], &[
        "kill-server", "kill-session", "kill-window killw", "kill-pane killp", "send-keys send", "new-session new",
        "new-window neww", "split-window splitw", "run-shell run", "source-file source", "respawn-pane respawnp",
        "respawn-window respawnw", "pipe-pane pipep", "if-shell if",
    ]),
];

/// Words that may be left out: the programs, the word or its beginning, and the subcommands behind it. An empty list stands for all
/// subcommands.
#[rustfmt::skip]
const LEFT_OUT: &[(&[&str], &str, &[&str])] = &[
    (&["docker", "podman"], "container", &[]),
    (&["docker", "podman"], "image", &["build", "import", "load", "pull", "push", "save", "tag"]),
    (&["docker"], "builder", &["build"]),
    (&["docker"], "buildx", &["build"]),
    (&["gcloud"], "alpha", &[]),
    (&["gcloud"], "beta", &[]),
    (&["cargo", "rustc"], "+*", &[]),
];

/// Returns true if a pattern matches an operand of a command, or another name of it.
pub(super) fn means(program: &str, operand: usize, word: &str, wanted: &Wildcard) -> bool {
    // A star matches many of the shorter names, so a pattern with one is compared with the usual name only.
    let count = if wanted.has_star() { 1 } else { usize::MAX };
    let is_one = |names: &str| names.split(' ').take(count).any(|name| wanted.matches(name));
    let mut rows = rows(program).filter(|row| row.operands.contains(&operand));
    wanted.matches(word)
        || rows.any(|row| row.written(word).any(|name| wanted.matches(name) || row.same(name).any(is_one)))
}

/// Returns true if an operand with unknown parts may mean what an operand of a pattern means.
pub(super) fn may_mean(program: &str, word: &Word, wanted: &Wildcard) -> bool {
    word.may_start_with(wanted.head()) || rows(program).next().is_some()
}

/// Returns true for a word of a pattern without which the subcommand behind it means the same.
pub(super) fn means_without(program: &str, word: &str, subcommand: &str) -> bool {
    let is_name = subcommand.starts_with(|first: char| first.is_ascii_alphanumeric());
    matches!(program, "docker" | "podman") && is_name && is_left_out(program, word, subcommand)
}

/// Returns true for a word that may be left out before a subcommand.
pub(super) fn is_left_out(program: &str, word: &str, subcommand: &str) -> bool {
    let is = |row: &str| row.strip_suffix('*').map_or(row == word, |start| word.starts_with(start));
    let is_before = |subcommands: &[&str]| subcommands.is_empty() || subcommands.contains(&subcommand);
    LEFT_OUT.iter().any(|(programs, row, next)| programs.contains(&program) && is(row) && is_before(next))
}

/// Returns the other names of the words of a command, and the words that it may leave out.
pub(crate) fn other_names<'w>(program: &str, words: &'w [Word]) -> impl Iterator<Item = &'w str> {
    let same = |row: &'static SameNames, name| row.same(name).flat_map(|names| names.split(' ')).chain([name]);
    let of =
        move |row: &'static SameNames, word: &'w Word| row.written(&word.value).flat_map(move |name| same(row, name));
    let left_out = LEFT_OUT.iter().filter(move |(programs, ..)| programs.contains(&program)).map(|(_, word, _)| *word);
    rows(program).flat_map(move |row| words.iter().flat_map(move |word| of(row, word))).chain(left_out)
}

/// Returns the other names of an operand of a pattern.
pub(super) fn covered(program: &str, operand: usize, name: &str) -> Vec<&'static str> {
    let rows = rows(program).filter(|row| row.operands.contains(&operand));
    let names = rows.flat_map(|row| row.names).filter(|names| names.split(' ').any(|other| other == name));
    names.flat_map(|names| names.split(' ')).filter(|other| *other != name).collect()
}

fn rows(program: &str) -> impl Iterator<Item = &'static SameNames> {
    NAMES.iter().filter(move |row| row.programs.contains(&program))
}

impl SameNames {
    /// Returns the names in a word: `pods` and `services` in `pods,services`.
    fn written<'w>(&self, word: &'w str) -> impl Iterator<Item = &'w str> {
        let [between, behind]: [&[char]; 2] =
            if self.spelling == Spelling::Kinds { [&[','], &['/', '.']] } else { [&[], &[]] };
        word.split(between).map(move |name| name.split(behind).next().unwrap_or_default())
    }

    /// Returns the groups that contain a word. If there are none, returns those with a name that the word may abbreviate.
    fn same(&self, word: &str) -> impl Iterator<Item = &'static str> {
        let word = word.as_bytes();
        // Kinds are written in any case.
        let is =
            move |name: &[u8]| name == word || (self.spelling == Spelling::Kinds && name.eq_ignore_ascii_case(word));
        // Splitting bytes is faster than splitting a string into names as short as these.
        let each = |names: &'static str| names.as_bytes().split(|byte| *byte == b' ');
        let has = move |names| each(names).any(is);
        let is_name = self.names.iter().any(|names| has(names));
        let is_beginning = self.spelling == Spelling::Abbreviated && !is_name && word.len() > 1;
        let may_be = move |names| each(names).any(|name| name.starts_with(word));
        self.names.iter().copied().filter(move |names| if is_name { has(names) } else { is_beginning && may_be(names) })
    }
}
