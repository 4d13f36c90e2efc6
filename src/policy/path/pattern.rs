//! Patterns over paths: where they are anchored, and the glob below (P3-P5).

use super::sets::Set;
use super::{Dir, FOLDS, Form, Ground, relative};
use crate::policy::rule::Side;
use crate::policy::steps::Steps;

/// Matches paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathPattern {
    /// A named set (P7).
    Set(Set),
    /// A glob as in gitignore; what it matches covers all below.
    Glob {
        /// What the glob is relative to.
        anchor: Anchor,
        /// Without the anchor and a final `/**`; empty: the anchor itself.
        glob: String,
        /// The same at any depth.
        deep: String,
    },
}

/// Names what a glob is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// `//a`
    Root,
    /// `~/a`
    Home,
    /// `/a`: the project, or the folder of the project file it stands in.
    Project,
    /// `./a`, `a/b`
    Cwd,
    /// `src/**`: one folder.
    Folder,
    /// `.env`, `**/a`
    Anywhere,
}

impl PathPattern {
    /// Reads a pattern; `Err` is the end of a message that begins with the rule.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.starts_with('<') {
            return Set::read(text).map(Self::Set);
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
            return Err("begins with `!`, which would turn it around; write the opposite rule".to_owned());
        } else if text.starts_with('~') {
            return Err("names another user's home; write it as an absolute path with `//`".to_owned());
        } else {
            loose(text)
        };
        if rest.split('/').any(|step| step == "..") {
            return Err("has `..`; write where it leads".to_owned());
        }
        let mut glob = rest;
        loop {
            let shorter = glob.strip_suffix("/**").or_else(|| glob.strip_suffix('/')).unwrap_or(glob);
            if shorter == glob {
                break;
            }
            glob = shorter;
        }
        let glob = if glob == "**" || glob == "." { String::new() } else { normal(glob) };
        if fast_glob::validate(&glob).is_err() {
            return Err("is no glob; close each `[` and escape what shall mean itself".to_owned());
        }
        if parts_a_class(&glob) {
            return Err("has a `/` in `[…]`, which stands for one character of a name".to_owned());
        }
        let deep = if glob.is_empty() { String::new() } else { format!("**/{}", glob.trim_start_matches("**/")) };
        Ok(Self::Glob { anchor, glob, deep })
    }

    /// A step that every path has that matches; absent: none that is known.
    pub(crate) fn step(&self) -> Option<String> {
        let Self::Glob { glob, .. } = self else { return None };
        glob.rsplit('/').find(is_literal).map(comparable)
    }

    /// The steps that stand in every path that it matches.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        let glob = if let Self::Glob { glob, .. } = self { glob.as_str() } else { "" };
        glob.split('/').filter(is_literal)
    }

    /// The longest text that stands in every path that it matches; absent: none that is known.
    pub(crate) fn longest(&self) -> Option<&str> {
        let Self::Glob { glob, .. } = self else { return None };
        let plain = glob.split('/').filter(|step| !step.contains(['[', '\\']));
        let all = plain.flat_map(|step| step.split(['*', '?', ']', '{', '}', '!']));
        all.filter(|text| !text.is_empty()).max_by_key(|text| text.len())
    }

    /// Whether a path matches: any of its forms for deny and ask, all of them for allow (P2).
    ///
    /// `own` is the folder of the project file that the rule stands in.
    pub(crate) fn matches(&self, side: Side, forms: &[Form], ground: &Ground, own: Option<&Dir>) -> bool {
        let one = |form: &Form| match self {
            Self::Set(set) => set.holds(form, ground),
            Self::Glob { anchor, glob, deep } => Matching { side, ground, own, anchor: *anchor, glob, deep }.form(form),
        };
        match side {
            Side::Guard => forms.iter().any(one),
            Side::Grant => !forms.is_empty() && forms.iter().all(one),
        }
    }
}

/// Whether a step of a glob stands for itself alone.
pub(super) fn is_literal(step: &&str) -> bool {
    !step.is_empty() && !step.contains(['*', '?', '[', ']', '{', '}', '!', '\\'])
}

/// Whether a class of characters goes on behind a `/`, so that the steps are not what stands between slashes.
fn parts_a_class(glob: &str) -> bool {
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => {
                // What closes it may not stand first.
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

/// A step in the form in which steps are equal or not.
pub(crate) fn comparable(step: &str) -> String {
    if FOLDS { step.to_lowercase() } else { step.to_owned() }
}

/// What a pattern without an anchor of its own is relative to, by its slashes.
fn loose(text: &str) -> (Anchor, &str) {
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

/// A gitignore glob in the form that the matcher reads step by step: no braces, `**` only as a whole step.
fn normal(glob: &str) -> String {
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

struct Matching<'a> {
    side: Side,
    ground: &'a Ground,
    own: Option<&'a Dir>,
    anchor: Anchor,
    glob: &'a str,
    deep: &'a str,
}

impl Matching<'_> {
    fn form(&self, form: &Form) -> bool {
        let guard = self.side == Side::Guard;
        let path = match form {
            Form::Below(_) if !guard => return false,
            Form::Absolute(path) | Form::Below(path) => path.as_str(),
            Form::Loose(path) => return guard && self.trails(path),
        };
        let ground = self.ground;
        let guards = || if guard { ground.guards() } else { &[] };
        let (base, more, glob): (_, &[Dir], _) = match self.anchor {
            Anchor::Root => return self.below("/", path, self.glob),
            Anchor::Home => (ground.home(), &[], self.glob),
            Anchor::Project if self.own.is_some() => (self.own, &[], self.glob),
            Anchor::Project => (ground.root(), guards(), self.glob),
            Anchor::Cwd => (ground.cwd().filter(|_| !guard || ground.is_known()), guards(), self.glob),
            Anchor::Folder | Anchor::Anywhere if guard => return self.trails(path),
            Anchor::Folder => (ground.cwd(), &[], self.glob),
            Anchor::Anywhere => (ground.cwd(), &[], self.deep),
        };
        // Where the base is not known, a guard compares the end of the path.
        (base.is_none() && guard && self.trails(path))
            || base.into_iter().chain(more).any(|dir| dir.forms().any(|base| self.below(base, path, glob)))
    }

    /// Whether the glob matches what lies below a folder, or a folder on the way.
    fn below(&self, base: &str, path: &str, glob: &str) -> bool {
        match relative(path, base) {
            Some(_) if glob.is_empty() => true,
            Some(rest) => self.covers(glob, rest),
            None if FOLDS && self.side == Side::Guard => relative(&path.to_lowercase(), &base.to_lowercase())
                .is_some_and(|rest| glob.is_empty() || self.covers(glob, rest)),
            None => false,
        }
    }

    /// Whether the last steps of the path, or of a folder above it, match (P5).
    fn trails(&self, path: &str) -> bool {
        self.deep.is_empty() || self.covers(self.deep, path.trim_start_matches('/'))
    }

    fn covers(&self, glob: &str, path: &str) -> bool {
        if FOLDS && self.side == Side::Guard {
            return covers(&glob.to_lowercase(), &path.to_lowercase(), self.ground.steps());
        }
        covers(glob, path, self.ground.steps())
    }
}

fn covers(glob: &str, path: &str, budget: &Steps) -> bool {
    // Most globs are plain to their end or nearly so, and most paths are others.
    let plain = glob.find(['*', '?', '[', ']', '{', '}', '\\', '!']).unwrap_or(glob.len());
    let Some(rest) = glob.get(..plain).and_then(|start| path.strip_prefix(start)) else { return false };
    if plain == glob.len() {
        return !path.is_empty() && !glob.is_empty() && (rest.is_empty() || rest.starts_with('/'));
    }
    !path.is_empty() && walks(glob, path, budget)
}

/// Whether a glob matches a path or a folder above it, one step after the other.
fn walks(glob: &str, path: &str, budget: &Steps) -> bool {
    let globs: Vec<&str> = glob.split('/').collect();
    // Which steps of the glob the path may have come to.
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

/// Marks a step of a glob, and those behind it that follow where `**` stands for nothing.
fn reach(row: &mut [bool], globs: &[&str], from: usize) {
    for (at, marked) in row.iter_mut().enumerate().skip(from) {
        *marked = true;
        if globs.get(at) != Some(&"**") {
            break;
        }
    }
}

/// Whether a step of a glob matches a name.
fn is_step(glob: &str, name: &str, budget: &Steps) -> bool {
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

    fn ground(cwd: Option<&str>) -> Ground {
        Ground::new(Folders::at(cwd), Some(std::path::Path::new("/h/u")), &["/tmp".to_owned()])
    }

    fn matches(pattern: &str, side: Side, path: &str, cwd: Option<&str>) -> bool {
        let ground = ground(cwd);
        let pattern = PathPattern::read(pattern).unwrap();
        pattern.matches(side, &forms(path, Tilde::Either, None, &ground), &ground, None)
    }

    #[test]
    fn p3_each_anchor_means_what_the_table_says() {
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
    fn p4_what_cannot_be_meant_is_an_error() {
        for bad in ["!a", "~root/x", "a/../b", "//../x", "[a", "a/[b", "[a/b/c]", "x[!a/b]", "/../x", "<secret>"] {
            assert!(PathPattern::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn p5_without_a_base_deny_compares_trailing_steps_and_allow_nothing() {
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
    fn p5_the_folder_of_the_process_helps_deny_and_never_allow() {
        let folders = Folders { project: Some("/w/app"), cwd: None, process: None };
        let ground = Ground::new(folders, Some(std::path::Path::new("/h/u")), &[]);
        let matches = |pattern: &str, side: Side, path: &str| {
            let forms = forms(path, Tilde::Either, None, &ground);
            PathPattern::read(pattern).unwrap().matches(side, &forms, &ground, None)
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
    fn p3_deny_holds_whatever_a_command_makes_of_the_marks_of_a_project() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let repository = base.join("repository");
        let session = repository.join("pkg");
        std::fs::create_dir_all(&session).unwrap();
        std::fs::create_dir(repository.join(".git")).unwrap();
        let text = session.to_string_lossy().into_owned();
        let judged = |pattern: &str, side: Side| {
            let ground = Ground::new(Folders::at(Some(&text)), Some(&base), &[]);
            let forms = forms("../infra/x", Tilde::Either, None, &ground);
            PathPattern::read(pattern).unwrap().matches(side, &forms, &ground, None)
        };
        let all = || ["/infra/**", "./infra/x"].map(|pattern| judged(pattern, Side::Guard));
        assert_eq!((all(), judged("/infra/**", Side::Grant)), ([true, true], true));
        std::fs::create_dir(session.join(".git")).unwrap();
        assert_eq!((all(), judged("/infra/**", Side::Grant)), ([true, true], false), "a repository of its own");
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
        let ground = Ground::new(Folders::at(Some(&cwd)), None, &[]);
        let key = forms("p/key", Tilde::Either, None, &ground);
        let read = |pattern: &str| PathPattern::read(pattern).unwrap();
        assert!(!read("./p/**").matches(Side::Grant, &key, &ground, None));
        assert!(read("./p/**").matches(Side::Guard, &key, &ground, None));
        assert!(read("secret").matches(Side::Guard, &key, &ground, None));
    }

    proptest! {
        #[test]
        fn a_plain_glob_is_compared_as_any_other(
            glob in r"[ab]{1,2}(/[ab*]{1,2}){0,2}",
            path in "[ab]{1,2}(/[ab]{1,2}){0,3}",
        ) {
            // What follows a folder is cut off when a pattern is read.
            prop_assume!(!glob.ends_with("/**"));
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            let slow = ends.filter_map(|end| path.get(..end)).any(|above| fast_glob::glob_match(&glob, above));
            prop_assert_eq!(covers(&glob, &path, &Steps::default()), slow, "{} {}", glob, path);
        }

        /// The matcher of git's own rules is the oracle, for patterns below a folder.
        #[test]
        fn p4_globs_mean_what_gitignore_means(
            pattern in r"(\*\*/)?[ab*?]{1,3}(/(\*\*|[ab*?]{1,3}|\[ab\]|\[!a\])){0,3}/?",
            path in "[abc]{1,3}(/[abc]{1,3}){0,4}",
        ) {
            // A lone `**` inside a step, and a final `/**` (which here covers the folder too, P4),
            // are where we differ on purpose.
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
