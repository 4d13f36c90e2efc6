//! Table of the options of programs that take a value.

use super::base_name;
use super::by_name::by_name;
use super::programs::family;

/// The options of a program that take a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionSpec {
    /// Letters with a value, in the same word or the next one.
    pub(super) valued: &'static str,
    /// Letters with an optional value in the same word.
    pub(super) glued: &'static str,
    /// Long names with a value, in the same word or the next one.
    pub(super) long: &'static [&'static str],
    /// Long names without a value or with one in the same word, and long names that start like one with a
    /// value.
    pub(super) alone: &'static [&'static str],
    /// True if the list of letters with a value is complete.
    pub(super) all: bool,
}

impl OptionSpec {
    const fn new(valued: &'static str, long: &'static [&'static str], alone: &'static [&'static str]) -> Self {
        Self { valued, glued: "", long, alone, all: !valued.is_empty() }
    }

    /// Marks the list of letters with a value as incomplete.
    const fn some(self) -> Self {
        Self { all: false, ..self }
    }

    const fn glued(self, glued: &'static str) -> Self {
        Self { glued, ..self }
    }
}

const NOTHING: OptionSpec = OptionSpec::new("", &[], &[]);

/// Programs for which it matters which word is a value.
const TABLE: &[(&[&str], OptionSpec)] = &[
    (
        &["grep", "egrep", "fgrep"],
        OptionSpec::new(
            "efmABCdD",
            &["regexp", "file", "max-count", "after-context", "before-context", "context", "label", "exclude-from"],
            &["color", "colour", "binary-files", "include", "exclude", "exclude-dir", "files-with-matches"],
        ),
    ),
    (
        &["rg"],
        OptionSpec::new("efgmtTABCEMdjr", &["regexp", "file", "glob", "max-count", "type", "type-not"], &["files"]),
    ),
    (&["sed"], OptionSpec::new("efl", &["expression", "file", "line-length"], &["in-place"]).glued("i")),
    (
        &["sort"],
        OptionSpec::new(
            "kStTo",
            &[
                "key",
                "buffer-size",
                "field-separator",
                "temporary-directory",
                "output",
                "compress-program",
                "batch-size",
                "parallel",
                "random-source",
                "files0-from",
                "sort",
            ],
            &["check"],
        ),
    ),
    (&["uniq"], OptionSpec::new("fsw", &["skip-fields", "skip-chars", "check-chars"], &["all-repeated", "group"])),
    (
        &["cp"],
        OptionSpec::new(
            "St",
            &["suffix", "target-directory", "sparse", "no-preserve"],
            &["backup", "preserve", "reflink", "context", "update"],
        ),
    ),
    (&["mv", "ln"], OptionSpec::new("St", &["suffix", "target-directory"], &["backup", "update", "symbolic"])),
    (
        &["install"],
        OptionSpec::new(
            "gmoSt",
            &["group", "mode", "owner", "suffix", "target-directory", "strip-program"],
            &["backup", "context", "strip"],
        ),
    ),
    (&["touch"], OptionSpec::new("drt", &["date", "reference", "time"], &[])),
    (&["truncate"], OptionSpec::new("sr", &["size", "reference"], &[])),
    (&["mkdir"], OptionSpec::new("m", &["mode"], &["context"])),
    (&["shred"], OptionSpec::new("ns", &["iterations", "random-source", "size"], &["remove"])),
    (&["tee"], OptionSpec::new("", &[], &["output-error"])),
    (&["wc"], OptionSpec::new("", &["files0-from", "total"], &[])),
    (&["git"], OptionSpec::new("", &["output", "pathspec-from-file", "export-marks"], &[])),
    (&["git archive"], OptionSpec::new("o", &["output"], &[])),
    (&["git format-patch"], OptionSpec::new("o", &["output", "output-directory", "suffix"], &[])),
    (
        &["git clone"],
        OptionSpec::new(
            "bojuc",
            &[
                "branch",
                "origin",
                "depth",
                "jobs",
                "reference",
                "reference-if-able",
                "separate-git-dir",
                "filter",
                "server-option",
                "shallow-since",
                "shallow-exclude",
                "config",
                "template",
                "upload-pack",
            ],
            &[],
        ),
    ),
    (
        &["git init"],
        OptionSpec::new("b", &["initial-branch", "separate-git-dir", "template", "object-format"], &["shared"]),
    ),
    (&["git worktree"], OptionSpec::new("bB", &["reason"], &[])),
    (&["git checkout"], OptionSpec::new("bB", &["orphan", "conflict", "pathspec-from-file"], &[])),
    (&["git switch"], OptionSpec::new("cC", &["create", "force-create", "orphan", "conflict"], &[])),
    (&["git restore"], OptionSpec::new("s", &["source", "conflict", "pathspec-from-file"], &[])),
    (&["git grep"], OptionSpec::new("efABCm", &["max-count", "max-depth", "threads"], &["open-files-in-pager"]).some()),
    (
        &["git blame", "git annotate"],
        OptionSpec::new("LS", &["contents", "ignore-rev", "ignore-revs-file"], &[]).some(),
    ),
    (&["git credential-store"], OptionSpec::new("", &["file"], &[])),
    (&["git merge-file"], OptionSpec::new("L", &["marker-size", "diff-algorithm"], &[])),
    (&["git clean"], OptionSpec::new("e", &["exclude"], &[])),
    (&["git config"], OptionSpec::new("f", &["file", "blob", "type", "default", "comment", "value", "url"], &[])),
    (
        &["curl"],
        OptionSpec::new(
            "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
            &[
                "output",
                "output-dir",
                "dump-header",
                "cookie-jar",
                "trace",
                "trace-ascii",
                "stderr",
                "libcurl",
                "etag-save",
                "hsts",
                "alt-svc",
                "header",
                "data",
                "data-ascii",
                "data-binary",
                "data-raw",
                "data-urlencode",
                "json",
                "form",
                "form-string",
                "user",
                "user-agent",
                "referer",
                "cookie",
                "request",
                "url",
                "max-time",
                "connect-timeout",
                "write-out",
                "proxy",
                "cacert",
                "config",
            ],
            &["head"],
        ),
    ),
    (
        &["wget"],
        OptionSpec::new(
            "aABDeiIlGoOPQRtTUwX",
            &[
                "output-document",
                "output-file",
                "append-output",
                "save-cookies",
                "rejected-log",
                "hsts-file",
                "input-file",
                "post-file",
                "body-file",
            ],
            &[],
        ),
    ),
    (
        &["tar", "bsdtar"],
        OptionSpec::new(
            "bCfgHKLNTVXIF",
            &[
                "directory",
                "file",
                "files-from",
                "listed-incremental",
                "index-file",
                "exclude",
                "exclude-from",
                "transform",
                "strip-components",
                "owner",
                "group",
                "mode",
                "mtime",
                "format",
                "sort",
            ],
            &["list"],
        ),
    ),
    (
        &["gpg", "gpg2"],
        OptionSpec::new("oruNkRz", &["output", "recipient", "local-user", "homedir", "passphrase"], &[]),
    ),
    (&["shuf"], OptionSpec::new("oni", &["output", "head-count", "input-range", "random-source"], &[])),
    (&["sdiff"], OptionSpec::new("owI", &["output", "width", "diff-program", "ignore-matching-lines"], &[])),
    (&["iconv"], OptionSpec::new("oft", &["output", "from-code", "to-code"], &[])),
    (&["tree"], OptionSpec::new("oLPIHT", &["output"], &[])),
    (&["xmllint", "xsltproc"], OptionSpec::new("o", &["output"], &[])),
    (&["pandoc"], OptionSpec::new("oftrwFLVMHBADTcd", &["output", "from", "to", "filter", "lua-filter"], &[])),
    (&["less"], OptionSpec::new("oOpPtTbhjkxyzD", &["log-file", "LOG-FILE", "pattern", "prompt"], &[])),
    (&["ssh"], OptionSpec::new("BbcDEeFIiJLlmOopQRSWw", &[], &[])),
    (&["scp"], OptionSpec::new("cDFiJloPSX", &[], &[])),
    (
        &["psql"],
        OptionSpec::new(
            "cdfvoFLPRThpU",
            &["command", "dbname", "file", "set", "variable", "output", "log-file", "host", "port", "username"],
            &[],
        ),
    ),
    (
        &["rsync"],
        OptionSpec::new(
            "efBTM",
            &[
                "rsh",
                "rsync-path",
                "filter",
                "exclude",
                "exclude-from",
                "include",
                "include-from",
                "files-from",
                "log-file",
                "log-file-format",
                "write-batch",
                "only-write-batch",
                "read-batch",
                "backup-dir",
                "partial-dir",
                "temp-dir",
                "compare-dest",
                "copy-dest",
                "link-dest",
                "port",
                "timeout",
                "contimeout",
                "bwlimit",
                "chmod",
                "chown",
                "suffix",
                "max-size",
                "min-size",
                "out-format",
                "password-file",
            ],
            &["backup"],
        ),
    ),
    (&["gzip", "gunzip", "xz", "unxz"], OptionSpec::new("STF", &["suffix", "threads", "format"], &[])),
    (&["zstd", "unzstd"], OptionSpec::new("oDM", &[], &[])),
    (&["zip"], OptionSpec::new("bnPtix", &[], &[]).some()),
    (&["cmake"], OptionSpec::new("SBCDUGTA", &[], &[]).some()),
    (&["perl", "ruby"], OptionSpec::new("eEIMmr", &[], &[]).glued("i0lFDxCK")),
    (&["unzip"], OptionSpec::new("dP", &[], &[])),
    (
        &["cpio"],
        OptionSpec::new("CDEFHIMORW", &["directory", "file", "format", "pattern-file", "message", "owner"], &[]),
    ),
    (
        &["patch"],
        OptionSpec::new(
            "BDFVdgioprxYz",
            &[
                "directory",
                "output",
                "reject-file",
                "input",
                "strip",
                "fuzz",
                "prefix",
                "suffix",
                "basename-prefix",
                "ifdef",
                "get",
                "version-control",
            ],
            &[],
        ),
    ),
    (
        &["split"],
        OptionSpec::new(
            "abClnt",
            &["suffix-length", "additional-suffix", "bytes", "line-bytes", "lines", "number", "separator", "filter"],
            &["numeric-suffixes", "hex-suffixes"],
        ),
    ),
    (&["csplit"], OptionSpec::new("bfn", &["prefix", "suffix-format", "digits"], &[])),
    (
        &["make"],
        OptionSpec::new(
            "CfIoWE",
            &[
                "file",
                "makefile",
                "directory",
                "eval",
                "include-dir",
                "old-file",
                "assume-old",
                "what-if",
                "new-file",
                "assume-new",
            ],
            &["jobs", "load-average", "max-load", "output-sync", "debug", "shuffle"],
        )
        .glued("jlO"),
    ),
    (
        &["awk", "gawk", "mawk", "nawk"],
        OptionSpec::new(
            "vfFeilEW",
            &["assign", "file", "field-separator", "source", "include", "load", "exec"],
            &["dump-variables", "debug", "lint", "pretty-print", "profile"],
        )
        .glued("dDLop"),
    ),
];

/// Returns true if a program has a row.
pub(super) fn has_row(name: &str) -> bool {
    TABLE.iter().any(|(names, _)| names.contains(&name))
}

/// The row of a program.
pub(super) fn option_spec(program: &str) -> &'static OptionSpec {
    let name = family(base_name(program));
    by_name!(TABLE, 0).row(name).and_then(|row| TABLE.get(row)).map_or(&NOTHING, |(_, takes)| takes)
}
