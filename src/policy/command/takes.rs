//! Which options of programs have a value, as a table.

use super::base_name;
use super::by_name::by_name;
use super::programs::family;

/// Says which options of a program have a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Takes {
    /// Letters with one, in the same word or the next.
    pub(super) valued: &'static str,
    /// Letters with one in the same word, or with none.
    pub(super) glued: &'static str,
    /// Long names with one, in the same word or the next.
    pub(super) long: &'static [&'static str],
    /// Long names with one in the same word, or with none, and those that begin like one with a value.
    pub(super) alone: &'static [&'static str],
    /// Whether these are all letters with a value.
    pub(super) all: bool,
}

impl Takes {
    const fn new(valued: &'static str, long: &'static [&'static str], alone: &'static [&'static str]) -> Self {
        Self { valued, glued: "", long, alone, all: !valued.is_empty() }
    }

    /// Some letters with a value are missing.
    const fn some(self) -> Self {
        Self { all: false, ..self }
    }

    const fn glued(self, glued: &'static str) -> Self {
        Self { glued, ..self }
    }
}

const NOTHING: Takes = Takes::new("", &[], &[]);

/// Programs of which it matters which word is a value.
const TABLE: &[(&[&str], Takes)] = &[
    (
        &["grep", "egrep", "fgrep"],
        Takes::new(
            "efmABCdD",
            &["regexp", "file", "max-count", "after-context", "before-context", "context", "label", "exclude-from"],
            &["color", "colour", "binary-files", "include", "exclude", "exclude-dir", "files-with-matches"],
        ),
    ),
    (&["rg"], Takes::new("efgmtTABCEMdjr", &["regexp", "file", "glob", "max-count", "type", "type-not"], &["files"])),
    (&["sed"], Takes::new("efl", &["expression", "file", "line-length"], &["in-place"]).glued("i")),
    (
        &["sort"],
        Takes::new(
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
    (&["uniq"], Takes::new("fsw", &["skip-fields", "skip-chars", "check-chars"], &["all-repeated", "group"])),
    (
        &["cp"],
        Takes::new(
            "St",
            &["suffix", "target-directory", "sparse", "no-preserve"],
            &["backup", "preserve", "reflink", "context", "update"],
        ),
    ),
    (&["mv", "ln"], Takes::new("St", &["suffix", "target-directory"], &["backup", "update", "symbolic"])),
    (
        &["install"],
        Takes::new(
            "gmoSt",
            &["group", "mode", "owner", "suffix", "target-directory", "strip-program"],
            &["backup", "context", "strip"],
        ),
    ),
    (&["touch"], Takes::new("drt", &["date", "reference", "time"], &[])),
    (&["truncate"], Takes::new("sr", &["size", "reference"], &[])),
    (&["mkdir"], Takes::new("m", &["mode"], &["context"])),
    (&["shred"], Takes::new("ns", &["iterations", "random-source", "size"], &["remove"])),
    (&["tee"], Takes::new("", &[], &["output-error"])),
    (&["wc"], Takes::new("", &["files0-from", "total"], &[])),
    (&["git"], Takes::new("", &["output", "pathspec-from-file", "export-marks"], &[])),
    (&["git archive"], Takes::new("o", &["output"], &[])),
    (&["git format-patch"], Takes::new("o", &["output", "output-directory", "suffix"], &[])),
    (
        &["git clone"],
        Takes::new(
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
    (&["git init"], Takes::new("b", &["initial-branch", "separate-git-dir", "template", "object-format"], &["shared"])),
    (&["git worktree"], Takes::new("bB", &["reason"], &[])),
    (&["git checkout"], Takes::new("bB", &["orphan", "conflict", "pathspec-from-file"], &[])),
    (&["git switch"], Takes::new("cC", &["create", "force-create", "orphan", "conflict"], &[])),
    (&["git restore"], Takes::new("s", &["source", "conflict", "pathspec-from-file"], &[])),
    (&["git grep"], Takes::new("efABCm", &["max-count", "max-depth", "threads"], &["open-files-in-pager"]).some()),
    (&["git blame", "git annotate"], Takes::new("LS", &["contents", "ignore-rev", "ignore-revs-file"], &[]).some()),
    (&["git credential-store"], Takes::new("", &["file"], &[])),
    (&["git merge-file"], Takes::new("L", &["marker-size", "diff-algorithm"], &[])),
    (&["git clean"], Takes::new("e", &["exclude"], &[])),
    (&["git config"], Takes::new("f", &["file", "blob", "type", "default", "comment", "value", "url"], &[])),
    (
        &["curl"],
        Takes::new(
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
        Takes::new(
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
        Takes::new(
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
    (&["gpg", "gpg2"], Takes::new("oruNkRz", &["output", "recipient", "local-user", "homedir", "passphrase"], &[])),
    (&["shuf"], Takes::new("oni", &["output", "head-count", "input-range", "random-source"], &[])),
    (&["sdiff"], Takes::new("owI", &["output", "width", "diff-program", "ignore-matching-lines"], &[])),
    (&["iconv"], Takes::new("oft", &["output", "from-code", "to-code"], &[])),
    (&["tree"], Takes::new("oLPIHT", &["output"], &[])),
    (&["xmllint", "xsltproc"], Takes::new("o", &["output"], &[])),
    (&["pandoc"], Takes::new("oftrwFLVMHBADTcd", &["output", "from", "to", "filter", "lua-filter"], &[])),
    (&["less"], Takes::new("oOpPtTbhjkxyzD", &["log-file", "LOG-FILE", "pattern", "prompt"], &[])),
    (&["ssh"], Takes::new("BbcDEeFIiJLlmOopQRSWw", &[], &[])),
    (&["scp"], Takes::new("cDFiJloPSX", &[], &[])),
    (
        &["psql"],
        Takes::new(
            "cdfvoFLPRThpU",
            &["command", "dbname", "file", "set", "variable", "output", "log-file", "host", "port", "username"],
            &[],
        ),
    ),
    (
        &["rsync"],
        Takes::new(
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
    (&["gzip", "gunzip", "xz", "unxz"], Takes::new("STF", &["suffix", "threads", "format"], &[])),
    (&["zstd", "unzstd"], Takes::new("oDM", &[], &[])),
    (&["zip"], Takes::new("bnPtix", &[], &[]).some()),
    (&["cmake"], Takes::new("SBCDUGTA", &[], &[]).some()),
    (&["perl", "ruby"], Takes::new("eEIMmr", &[], &[]).glued("i0lFDxCK")),
    (&["unzip"], Takes::new("dP", &[], &[])),
    (&["cpio"], Takes::new("CDEFHIMORW", &["directory", "file", "format", "pattern-file", "message", "owner"], &[])),
    (
        &["patch"],
        Takes::new(
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
        Takes::new(
            "abClnt",
            &["suffix-length", "additional-suffix", "bytes", "line-bytes", "lines", "number", "separator", "filter"],
            &["numeric-suffixes", "hex-suffixes"],
        ),
    ),
    (&["csplit"], Takes::new("bfn", &["prefix", "suffix-format", "digits"], &[])),
    (
        &["make"],
        Takes::new(
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
        Takes::new(
            "vfFeilEW",
            &["assign", "file", "field-separator", "source", "include", "load", "exec"],
            &["dump-variables", "debug", "lint", "pretty-print", "profile"],
        )
        .glued("dDLop"),
    ),
];

/// Whether a program has a row of its own.
pub(super) fn has_row(name: &str) -> bool {
    TABLE.iter().any(|(names, _)| names.contains(&name))
}

/// The row of a program.
pub(super) fn takes(program: &str) -> &'static Takes {
    let name = family(base_name(program));
    by_name!(TABLE, 0).row(name).and_then(|row| TABLE.get(row)).map_or(&NOTHING, |(_, takes)| takes)
}
