//! The global options and the subcommand of a call.

use crate::effects::placed;
use crate::options::OptionSpec;
use crate::words::Word;

/// A `git` command after its global options.
pub(super) struct GitCall<'w> {
    /// The working directory given by `-C`; absent if it is that of the call.
    pub(super) folder: Option<Word>,
    /// A global option that runs code, or may.
    pub(super) runs: Option<&'w Word>,
    pub(super) command: &'w str,
    pub(super) rest: &'w [Word],
}

/// Global options without a value, or with the value in the same word.
const OWN: &[&str] = &[
    "-p",
    "-P",
    "-v",
    "-h",
    "--paginate",
    "--no-pager",
    "--version",
    "--help",
    "--html-path",
    "--man-path",
    "--info-path",
    "--bare",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--namespace",
    "--super-prefix",
    "--shallow-file",
    "--attr-source",
    "--list-cmds",
];

/// Parses the global options. `Err` is a word that may be one.
pub(super) fn call(words: &[Word]) -> Result<GitCall<'_>, &Word> {
    let (mut folder, mut runs) = (None, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            return Err(word);
        }
        match value {
            "-c" => {
                if !rest.next().is_some_and(is_plain) {
                    runs.get_or_insert(word);
                }
            }
            "--config-env" => {
                runs.get_or_insert(word);
                rest.next();
            }
            "-C" => folder = rest.next().map(|next| placed(folder.as_ref(), next)),
            "--git-dir" | "--work-tree" => {
                rest.next();
                folder = Some(Word::somewhere());
            }
            "--namespace" | "--super-prefix" | "--shallow-file" | "--attr-source" => drop(rest.next()),
            _ if value.starts_with("--git-dir=") || value.starts_with("--work-tree=") => {
                folder = Some(Word::somewhere());
            }
            _ if OWN.contains(&value.split('=').next().unwrap_or(value)) => {}
            // An option that contains code, or that is unknown.
            _ if value.starts_with('-') => {
                runs.get_or_insert(word);
            }
            command => return Ok(GitCall { folder, runs, command, rest: rest.as_slice() }),
        }
    }
    Ok(GitCall { folder, runs, command: "", rest: &[] })
}

/// The options of all other subcommands.
pub(super) const GLOBAL: OptionSpec = OptionSpec::new("", &["output", "pathspec-from-file", "export-marks"], &[]);

/// The options of a subcommand.
pub(super) fn options(command: &str) -> OptionSpec {
    match command {
        "archive" => OptionSpec::new("o", &["output"], &[]),
        "format-patch" => OptionSpec::new("o", &["output", "output-directory", "suffix"], &[]),
        "clone" => OptionSpec::new(
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
        "init" => {
            OptionSpec::new("b", &["initial-branch", "separate-git-dir", "template", "object-format"], &["shared"])
        }
        "worktree" => OptionSpec::new("bB", &["reason"], &[]),
        "checkout" => OptionSpec::new("bB", &["orphan", "conflict", "pathspec-from-file"], &[]),
        "switch" => OptionSpec::new("cC", &["create", "force-create", "orphan", "conflict"], &[]),
        "restore" => OptionSpec::new("s", &["source", "conflict", "pathspec-from-file"], &[]),
        "grep" => OptionSpec::new("efABCm", &["max-count", "max-depth", "threads"], &["open-files-in-pager"]).some(),
        "blame" | "annotate" => OptionSpec::new("LS", &["contents", "ignore-rev", "ignore-revs-file"], &[]).some(),
        "credential-store" => OptionSpec::new("", &["file"], &[]),
        "merge-file" => OptionSpec::new("L", &["marker-size", "diff-algorithm"], &[]),
        "tag" => OptionSpec::new("mFu", &["message", "file", "local-user"], &[]),
        "clean" => OptionSpec::new("e", &["exclude"], &[]),
        "config" => OptionSpec::new("f", &["file", "blob", "type", "default", "comment", "value", "url"], &[]),
        _ => GLOBAL,
    }
}

/// Settings that affect display or identity, and not the code that is run.
pub(super) const PLAIN: &[&str] = &[
    "user.",
    "color.",
    "init.defaultbranch",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "core.autocrlf",
    "core.quotepath",
    "advice.",
];

/// Returns true if `KEY=VALUE` sets only such a setting.
fn is_plain(setting: &Word) -> bool {
    let key = setting.value.split_once('=').map(|(key, _)| key.to_ascii_lowercase());
    !setting.is_dynamic() && key.is_some_and(|key| PLAIN.iter().any(|plain| key.starts_with(plain)))
}
