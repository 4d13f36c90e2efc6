//! Patterns over paths: an anchor and a glob (P3-P5).

use std::borrow::Cow;

use super::sets::NamedSet;
use super::{Dir, FOLDS, PathContext, PathForm, relative};
use crate::list::Side;
use snaphook_shell::Budget;

/// A pattern over paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathPattern {
    /// A named set (P7).
    NamedSet(NamedSet),
    /// A glob with the syntax of gitignore. It matches a path and everything below it.
    Glob {
        /// The directory that the glob is relative to.
        anchor: Anchor,
        /// The glob without the anchor and a final `/**`; empty for the anchor itself.
        glob: String,
        /// The glob at any depth.
        deep: String,
        /// The last one of the glob's segments without special characters; empty if there is none.
        name: String,
        means: Meaning,
    },
}

/// The words of a command that a pattern applies to if it is not known whether the word is a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Any word.
    Words,
    /// Words that look like a path. The last segment of the pattern has no text, as in `src/**`.
    Paths,
    /// No words. The pattern has no text, so it needs a known path.
    None,
}

impl Meaning {
    fn of(anchor: Anchor, glob: &str) -> Self {
        let has_text = |step: &str| step.contains(|c: char| !matches!(c, '*' | '?' | '/'));
        if anchor != Anchor::Folder && glob.rsplit('/').next().is_some_and(has_text) {
            Self::Words
        } else if anchor == Anchor::Home || has_text(glob) {
            Self::Paths
        } else {
            Self::None
        }
    }
}

/// The directory that a glob is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// `//a`
    Root,
    /// `~/a`
    Home,
    /// `/a`: the project, or the directory of the project file with the rule.
    Project,
    /// `./a`, `a/b`
    Cwd,
    /// `src/**`: a single directory name.
    Folder,
    /// `.env`, `**/a`
    Anywhere,
}

impl PathPattern {
    /// Parses a pattern. `Err` is the end of a message that starts with the rule.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.starts_with('<') {
            return NamedSet::read(text).map(Self::NamedSet);
        }
        let (anchor, rest) = if let Some(rest) = text.strip_prefix("//") {
            (Anchor::Root, rest)
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if text == "~" {
            (Anchor::Home, "")
        } else if let Some(rest) = text.strip_prefix('/') {
            (Anchor::Project, rest)
        } else if let Some(rest) = text.strip_prefix("./") {
            (Anchor::Cwd, rest)
        } else if text.starts_with('!') {
            return Err("starts with `!`, and negation is not supported; write the opposite rule".to_owned());
        } else if text.starts_with('~') {
            return Err("refers to the home of another user; write an absolute path, which begins with `//`".to_owned());
        } else {
            implicit_anchor(text)
        };
        if rest.split('/').any(|step| step == "..") {
            return Err("contains `..`; write the resolved path".to_owned());
        }
        let mut glob = rest;
        loop {
            let shorter = glob.strip_suffix("/**").or_else(|| glob.strip_suffix('/')).unwrap_or(glob);
            if shorter == glob {
                break;
            }
            glob = shorter;
        }
        let glob = if glob == "**" || glob == "." { String::new() } else { normalized(glob) };
        if fast_glob::validate(&glob).is_err() {
            return Err("is not a valid glob; close each `[` and escape literal characters with a backslash".to_owned());
        }
        if class_has_slash(&glob) {
            return Err("has a `/` in `[…]`, which matches a single character other than `/`".to_owned());
        }
        let deep = if glob.is_empty() { String::new() } else { format!("**/{}", glob.trim_start_matches("**/")) };
        let name = glob.rsplit('/').find(is_literal).unwrap_or_default().to_owned();
        let means = Meaning::of(anchor, &glob);
        Ok(Self::Glob { anchor, glob, deep, name, means })
    }

    /// The segments that every matching path contains.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        let glob = if let Self::Glob { glob, .. } = self { glob.as_str() } else { "" };
        glob.split('/').filter(is_literal)
    }

    /// The longest text that every matching path contains; `None` if none is known.
    pub(crate) fn longest(&self) -> Option<&str> {
        let Self::Glob { glob, .. } = self else { return None };
        let plain = glob.split('/').filter(|step| !step.contains(['[', '\\']));
        let all = plain.flat_map(|step| step.split(['*', '?', ']', '{', '}', '!']));
        all.filter(|text| !text.is_empty()).max_by_key(|text| text.len())
    }

    /// Returns true if the pattern applies to a word that may or may not be a path.
    pub(crate) fn speaks_of(&self, word: &str) -> bool {
        match self {
            Self::NamedSet(set) => set.has_files(),
            Self::Glob { means, .. } => match means {
                Meaning::Words => true,
                Meaning::Paths => word.contains('/') || word.starts_with(['~', '.']),
                Meaning::None => false,
            },
        }
    }

    /// Returns true if a path matches: any of its forms for deny and ask, all of them for allow (P2).
    ///
    /// `own` is the directory of the project file with the rule.
    pub(crate) fn matches(&self, side: Side, forms: &[PathForm], context: &PathContext, own: Option<&Dir>) -> bool {
        let one = |form: &PathForm| match self {
            Self::NamedSet(set) => set.holds(form, context),
            Self::Glob { anchor, glob, deep, name, .. } => {
                GlobMatch { side, context, own, anchor: *anchor, glob, deep, name }.form(form)
            }
        };
        match side {
            Side::Guard => forms.iter().any(one),
            Side::Grant => !forms.is_empty() && forms.iter().all(one),
        }
    }
}

/// Returns true if a segment of a glob has no special characters.
pub(super) fn is_literal(step: &&str) -> bool {
    !step.is_empty() && !step.contains(['*', '?', '[', ']', '{', '}', '!', '\\'])
}

/// Returns true if a character class contains a `/`, so that the glob cannot be split into segments at slashes.
fn class_has_slash(glob: &str) -> bool {
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => {
                // A `]` at the start of a class does not close it.
                let inside = chars.as_str().trim_start_matches(['!', '^']);
                let first = inside.chars().next().map_or(0, char::len_utf8);
                let end = inside.get(first..).and_then(|rest| rest.find(']')).map_or(inside.len(), |at| first + at);
                if inside.get(..end).is_some_and(|inside| inside.contains('/')) {
                    return true;
                }
                chars = inside.get(end..).unwrap_or_default().chars();
            }
            _ => {}
        }
    }
    false
}

/// Normalizes a segment for comparison.
pub(crate) fn comparable(step: &str) -> Cow<'_, str> {
    if FOLDS { Cow::Owned(step.to_lowercase()) } else { Cow::Borrowed(step) }
}

/// The anchor of a pattern without an explicit one, which depends on its slashes.
fn implicit_anchor(text: &str) -> (Anchor, &str) {
    if let Some(rest) = text.strip_prefix("**/") {
        return (Anchor::Anywhere, rest);
    }
    let folder = text.strip_suffix("/**").or_else(|| text.strip_suffix('/'));
    let anchor = match folder {
        _ if !text.contains('/') => Anchor::Anywhere,
        Some(folder) if !folder.contains('/') => Anchor::Folder,
        _ => Anchor::Cwd,
    };
    (anchor, text)
}

/// Normalizes a gitignore glob for matching by segments: braces are escaped, and `**` remains only as a whole segment.
fn normalized(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len());
    let mut escaped = false;
    for (at, step) in glob.split('/').filter(|step| !step.is_empty() && *step != ".").enumerate() {
        if std::mem::take(&mut escaped) {
            out.pop();
        }
        if at > 0 {
            out.push('/');
        }
        if step == "**" {
            out.push_str("**");
            continue;
        }
        let mut before = ' ';
        for (starts, c) in step.chars().enumerate().map(|(at, c)| (at == 0, c)) {
            if escaped {
                escaped = false;
                out.push(c);
                before = ' ';
                continue;
            }
            match c {
                '*' if before == '*' => {}
                '{' | '}' => out.extend(['\\', c]),
                '!' if starts => out.push_str("\\!"),
                c => out.push(c),
            }
            escaped = c == '\\';
            before = c;
        }
    }
    out
}

struct GlobMatch<'a> {
    side: Side,
    context: &'a PathContext<'a>,
    own: Option<&'a Dir>,
    anchor: Anchor,
    glob: &'a str,
    deep: &'a str,
    name: &'a str,
}

impl GlobMatch<'_> {
    fn form(&self, form: &PathForm) -> bool {
        let guard = self.side == Side::Guard;
        let path = match form {
            PathForm::Below(_) if !guard => return false,
            PathForm::Absolute(path) | PathForm::Below(path) => path.as_str(),
            PathForm::Unanchored(path) => return guard && self.matches_suffix(path),
        };
        let context = self.context;
        let guards = || if guard { context.guards() } else { &[] };
        let (base, more, glob): (_, &[Dir], _) = match self.anchor {
            Anchor::Root => return self.below("/", path, self.glob),
            Anchor::Home => (context.home(), &[], self.glob),
            Anchor::Project if self.own.is_some() => (self.own, &[], self.glob),
            Anchor::Project => (context.root(), guards(), self.glob),
            Anchor::Cwd => (context.cwd().filter(|_| !guard || context.is_known()), guards(), self.glob),
            Anchor::Folder | Anchor::Anywhere if guard => return self.matches_suffix(path),
            Anchor::Folder => (context.cwd(), &[], self.glob),
            Anchor::Anywhere => (context.cwd(), &[], self.deep),
        };
        // If the base is unknown, a guard compares the end of the path.
        (base.is_none() && guard && self.matches_suffix(path))
            || base.into_iter().chain(more).any(|dir| dir.forms().any(|base| self.below(base, path, glob)))
    }

    /// Returns true if the glob matches the part of the path below a directory, or a parent of it.
    fn below(&self, base: &str, path: &str, glob: &str) -> bool {
        match relative(path, base) {
            Some(_) if glob.is_empty() => true,
            Some(rest) => self.covers(glob, rest),
            None if FOLDS && self.side == Side::Guard => relative(&path.to_lowercase(), &base.to_lowercase())
                .is_some_and(|rest| glob.is_empty() || self.covers(glob, rest)),
            None => false,
        }
    }

    /// Returns true if the last segments of the path, or of one of its ancestors, match (P5).
    fn matches_suffix(&self, path: &str) -> bool {
        if !FOLDS && !self.name.is_empty() {
            let has_name = path.as_bytes().split(|byte| *byte == b'/').any(|step| step == self.name.as_bytes());
            if !has_name || self.name == self.glob {
                return has_name;
            }
        }
        self.deep.is_empty() || self.covers(self.deep, path.trim_start_matches('/'))
    }

    fn covers(&self, glob: &str, path: &str) -> bool {
        if FOLDS && self.side == Side::Guard {
            return covers(&glob.to_lowercase(), &path.to_lowercase(), self.context.budget());
        }
        covers(glob, path, self.context.budget())
    }
}

fn covers(glob: &str, path: &str, budget: &Budget) -> bool {
    // Fast path: most globs start with literal text, and most paths do not match it.
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b'\\' | b'!');
    let plain = glob.bytes().zip(path.bytes()).take_while(|(glob, path)| glob == path && !is_special(glob)).count();
    if glob.as_bytes().get(plain).is_some_and(|byte| !is_special(byte)) {
        return false;
    }
    let Some(rest) = path.get(plain..) else { return false };
    if plain == glob.len() {
        return !path.is_empty() && !glob.is_empty() && (rest.is_empty() || rest.starts_with('/'));
    }
    !path.is_empty() && matches_segments(glob, path, budget)
}

/// Returns true if a glob matches a path or one of its ancestors, segment by segment.
fn matches_segments(glob: &str, path: &str, budget: &Budget) -> bool {
    let globs: Vec<&str> = glob.split('/').collect();
    // The set of reachable positions in the glob.
    let mut row = vec![false; globs.len() + 1];
    let mut next = row.clone();
    reach(&mut row, &globs, 0);
    for step in path.split('/') {
        for (at, glob) in globs.iter().enumerate().filter(|(at, _)| row.get(*at) == Some(&true)) {
            if *glob == "**" {
                reach(&mut next, &globs, at);
            } else if is_step(glob, step, budget) {
                reach(&mut next, &globs, at + 1);
            }
        }
        if next.last() == Some(&true) {
            return true;
        }
        if !next.contains(&true) || !budget.spend(globs.len()) {
            return false;
        }
        std::mem::swap(&mut row, &mut next);
        next.fill(false);
    }
    false
}

/// Marks a position in the glob, and the following ones that are reachable because `**` matches nothing.
fn reach(row: &mut [bool], globs: &[&str], from: usize) {
    for (at, marked) in row.iter_mut().enumerate().skip(from) {
        *marked = true;
        if globs.get(at) != Some(&"**") {
            break;
        }
    }
}

/// Returns true if a segment of a glob matches a name.
fn is_step(glob: &str, name: &str, budget: &Budget) -> bool {
    if is_literal(&glob) {
        return glob == name;
    }
    budget.spend(1 + glob.len() * name.len() / 32) && fast_glob::glob_match(glob, name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Folders, Tilde, forms};
    use super::*;
    use crate::testing::TestMachine;

    fn context(cwd: Option<&str>) -> PathContext<'_> {
        PathContext::new(Folders::at(cwd), TestMachine::with(Some(std::path::Path::new("/h/u")), &["/tmp"]))
    }

    fn matches(pattern: &str, side: Side, path: &str, cwd: Option<&str>) -> bool {
        let context = context(cwd);
        let pattern = PathPattern::read(pattern).unwrap();
        pattern.matches(side, &forms(path, Tilde::Either, None, &context), &context, None)
    }

    #[test]
    fn p3_anchors_match_as_documented() {
        for (pattern, path, allow, deny) in [
            ("//etc/**", "/etc/x", true, true),
            ("//etc", "/etc", true, true),
            ("~/.ssh/**", "/h/u/.ssh/id", true, true),
            ("~", "/h/u/x", true, true),
            ("/src/**", "src/a", true, true),
            ("/src/**", "/w/app/src", true, true),
            ("/src/**", "/w/other/src/a", false, false),
            ("/etc/**", "/etc/x", false, false),
            ("./.env", ".env", true, true),
            ("./.env", "sub/.env", false, false),
            ("a/b", "a/b/c", true, true),
            ("a/b", "x/a/b", false, false),
            (".env", "sub/.env", true, true),
            (".env", "/w/other/.env", false, true),
            (".env", ".envrc", false, false),
            ("*.pem", "k/x.pem", true, true),
            ("src/**", "src/a", true, true),
            ("src/**", "vendor/p/src/x", false, true),
            ("src/", "src/a", true, true),
            ("src/", "/x/src/a", false, true),
            ("**/a", "x/a", true, true),
            ("**/a/b", "/x/a/b", false, true),
            ("a/**/b", "a/x/y/b", true, true),
            ("**", "x", true, true),
            ("**", "/x", false, true),
            ("a{b}", "a{b}", true, true),
            ("/!x", "!x", true, true),
            ("a**b", "axb", true, true),
            ("[a-c]x", "bx", true, true),
            ("a/!x/b", "a/!x/b", true, true),
            ("a\\/b/c", "a/b/c", true, true),
            ("**/a/**/b/*/c", "x/a/b/b/y/c/z", true, true),
            ("**/a/**/b/*/c", "x/a/b/y/z/c", false, false),
        ] {
            assert_eq!(matches(pattern, Side::Grant, path, Some("/w/app")), allow, "allow {pattern} {path}");
            assert_eq!(matches(pattern, Side::Guard, path, Some("/w/app")), deny, "deny {pattern} {path}");
        }
    }

    #[test]
    fn p4_invalid_patterns_are_errors() {
        for bad in ["!a", "~root/x", "a/../b", "//../x", "[a", "a/[b", "[a/b/c]", "x[!a/b]", "/../x", "<secret>"] {
            assert!(PathPattern::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn p5_without_a_base_deny_compares_trailing_segments_and_allow_matches_nothing() {
        for (pattern, path, deny) in [
            ("a/.env", "x/a/.env", true),
            ("a/.env", ".env", false),
            ("/src/**", "src/a", true),
            ("/src/**", "/w/src/a", true),
            (".env", ".env", true),
            ("~/.ssh/**", ".ssh/id", true),
        ] {
            assert_eq!(matches(pattern, Side::Guard, path, None), deny, "{pattern} {path}");
            assert!(!matches(pattern, Side::Grant, path, None), "{pattern} {path}");
        }
        assert!(matches("//etc/**", Side::Grant, "/etc/x", None));
        assert!(matches("~/x", Side::Grant, "/h/u/x", None));
    }

    #[test]
    fn p5_the_directory_of_the_process_is_used_for_deny_and_never_for_allow() {
        let folders = Folders { project: Some("/w/app"), cwd: None, process: None };
        let context = PathContext::new(folders, TestMachine::with(Some(std::path::Path::new("/h/u")), &[]));
        let matches = |pattern: &str, side: Side, path: &str| {
            let forms = forms(path, Tilde::Either, None, &context);
            PathPattern::read(pattern).unwrap().matches(side, &forms, &context, None)
        };
        for (pattern, path, deny) in [
            ("//w/secret/**", "../secret/k", true),
            ("//w/app/k", "k", true),
            ("//w/app/k", "../app/./k", true),
            ("//w/secret/**", "secret/k", false),
            ("/src/**", "/elsewhere/src/a", true),
            ("./a/b", "/elsewhere/a/b", true),
            ("/src/**", "src/a", true),
        ] {
            assert_eq!(matches(pattern, Side::Guard, path), deny, "{pattern} {path}");
        }
        for (pattern, path) in
            [("//w/app/**", "k"), ("/src/**", "src/a"), ("/src/**", "/w/app/src/a"), ("./a/b", "a/b"), ("*.rs", "x.rs")]
        {
            assert!(!matches(pattern, Side::Grant, path), "{pattern} {path}");
        }
    }

    #[test]
    fn p3_deny_does_not_depend_on_project_markers() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let repository = base.join("repository");
        let session = repository.join("pkg");
        std::fs::create_dir_all(&session).unwrap();
        std::fs::create_dir(repository.join(".git")).unwrap();
        let text = session.to_string_lossy().into_owned();
        let judged = |pattern: &str, side: Side| {
            let context = PathContext::new(Folders::at(Some(&text)), TestMachine::with(Some(&base), &[]));
            let forms = forms("../infra/x", Tilde::Either, None, &context);
            PathPattern::read(pattern).unwrap().matches(side, &forms, &context, None)
        };
        let all = || ["/infra/**", "./infra/x"].map(|pattern| judged(pattern, Side::Guard));
        assert_eq!((all(), judged("/infra/**", Side::Grant)), ([true, true], true));
        std::fs::create_dir(session.join(".git")).unwrap();
        assert_eq!((all(), judged("/infra/**", Side::Grant)), ([true, true], false), "a separate repository");
        std::fs::remove_dir(repository.join(".git")).unwrap();
        std::fs::remove_dir(session.join(".git")).unwrap();
        assert_eq!((all(), judged("/infra/**", Side::Grant)), ([true, true], false), "no repository");
    }

    #[cfg(unix)]
    #[test]
    fn p2_deny_takes_either_form_and_allow_needs_both() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("w/p")).unwrap();
        std::os::unix::fs::symlink("../../secret", base.join("w/p/key")).unwrap();
        let cwd = base.join("w").to_string_lossy().into_owned();
        let context = PathContext::new(Folders::at(Some(&cwd)), TestMachine::with(None, &[]));
        let key = forms("p/key", Tilde::Either, None, &context);
        let read = |pattern: &str| PathPattern::read(pattern).unwrap();
        assert!(!read("./p/**").matches(Side::Grant, &key, &context, None));
        assert!(read("./p/**").matches(Side::Guard, &key, &context, None));
        assert!(read("secret").matches(Side::Guard, &key, &context, None));
    }

    proptest! {
        #[test]
        fn the_fast_path_for_literal_globs_agrees_with_the_matcher(
            glob in r"[ab]{1,2}(/[ab*]{1,2}){0,2}",
            path in "[ab]{1,2}(/[ab]{1,2}){0,3}",
        ) {
            // A final `/**` is removed when a pattern is parsed.
            prop_assume!(!glob.ends_with("/**"));
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            let slow = ends.filter_map(|end| path.get(..end)).any(|above| fast_glob::glob_match(&glob, above));
            prop_assert_eq!(covers(&glob, &path, &Budget::default()), slow, "{} {}", glob, path);
        }

        #[test]
        fn a_name_rules_out_only_paths_that_the_glob_does_not_match(
            pattern in r"(\*\*/)?(a|b|ab|\*|a\*|\[ab\]|\*\*|a\\b)(/(a|b|ab|\*|\*b|\*\*)){0,2}",
            path in "/?[ab]{1,2}(/[ab]{1,2}){0,3}",
        ) {
            let read = PathPattern::read(&pattern).unwrap();
            let PathPattern::Glob { anchor, glob, deep, name, .. } = &read else { unreachable!() };
            let context = context(Some("/w/app"));
            let of = |name| GlobMatch { side: Side::Guard, context: &context, own: None, anchor: *anchor, glob, deep, name };
            prop_assert_eq!(of(name).matches_suffix(&path), of("").matches_suffix(&path), "{} {}", pattern, path);
        }

        /// Compares with an implementation of gitignore, for patterns below a directory.
        #[test]
        fn p4_globs_mean_what_gitignore_means(
            pattern in r"(\*\*/)?[ab*?]{1,3}(/(\*\*|[ab*?]{1,3}|\[ab\]|\[!a\])){0,3}/?",
            path in "[abc]{1,3}(/[abc]{1,3}){0,4}",
        ) {
            // Intended differences: `**` inside a segment, and a final `/**`, which here matches the directory
            // itself too (P4).
            prop_assume!(!pattern.trim_end_matches('/').ends_with("**"));
            prop_assume!(!pattern.trim_end_matches('/').is_empty());
            let mut builder = ignore::gitignore::GitignoreBuilder::new("/w/app");
            builder.add_line(None, &format!("/{pattern}")).unwrap();
            let oracle = builder.build().unwrap();
            let wanted = oracle.matched_path_or_any_parents(&path, false).is_ignore()
                || (pattern.ends_with('/') && oracle.matched_path_or_any_parents(&path, true).is_ignore());
            let ours = matches(&format!("/{pattern}"), Side::Grant, &path, Some("/w/app"));
            prop_assert_eq!(ours, wanted, "{} {}", pattern, path);
        }
    }
}
