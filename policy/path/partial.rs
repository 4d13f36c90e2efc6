//! Matches partly known paths with the patterns of deny and ask: decides whether some file could match both (B11).

use super::expansion::{GlobMatches, link_targets, syntax_of};
use super::pattern::{Anchor, PathPattern};
use super::sets::{CREDENTIALS, NamedSet};
use super::{Dir, FOLDS, PathContext, PathForm, comparable, on_bases};
use snaphook_shell::Budget;
use snaphook_shell::{
    Base, CommandPath, Extent, TextElement, glob_elements, intersects, literal_elements, loose_elements,
};

/// The maximum length in bytes of a partly known path that is compared. A longer one is treated as unknown.
const LONGEST: usize = 1024;

/// One segment of a partly known path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Any number of segments.
    Any,
    /// Any number of segments that do not begin with a dot.
    Visible,
    One {
        pieces: Vec<TextElement>,
        /// True for a glob of the shell, which does not match names that begin with a dot.
        visible: bool,
    },
}

impl Segment {
    /// Returns true if it could be this name, or if it could be several names.
    pub(crate) fn may_be(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Visible => !name.starts_with('.'),
            Self::One { pieces, .. } => FOLDS || may_be(pieces, name),
        }
    }

    /// The name, if all of it is known.
    fn literal(&self) -> Option<String> {
        let Self::One { pieces, .. } = self else { return None };
        let known = |piece: &TextElement| if let TextElement::Char(c) = piece { Some(*c) } else { None };
        pieces.iter().map(known).collect()
    }

    /// Returns true if it matches a name, or if the budget is spent.
    pub(super) fn may_match(&self, name: &str, budget: &Budget) -> bool {
        let Self::One { pieces, visible } = self else { return self.may_be(name) };
        let name = literal_elements(&comparable(name));
        !(*visible && name.first() == Some(&TextElement::Char('.'))) && intersects(&name, pieces, budget)
    }

    /// Returns true if it is any number of segments, of which another one may be one.
    fn may_include(&self, other: &Self) -> bool {
        match self {
            Self::Any => true,
            Self::Visible => !other.is_hidden(),
            Self::One { .. } => false,
        }
    }

    /// Returns true if it certainly begins with a dot.
    fn is_hidden(&self) -> bool {
        matches!(self, Self::One { pieces, .. } if pieces.first() == Some(&TextElement::Char('.')))
    }
}

/// The paths that a path in a command could be.
#[derive(Debug)]
pub(crate) struct PossiblePaths {
    pub(crate) all: Vec<Vec<Segment>>,
    /// Those of them that a settled glob matches on the machine; `None` if they are not all known.
    pub(crate) existing: Option<Vec<Vec<Segment>>>,
}

impl PossiblePaths {
    pub(crate) fn of(place: &CommandPath, bases: &[Base], cwd: Option<&str>, context: &PathContext) -> Self {
        if place.may_alias
            || place.leads_anywhere
            || bases.contains(&Base::Apart)
            || place.tail.as_deref().is_some_and(|tail| tail.split('/').any(|step| step == ".."))
        {
            return Self { all: vec![vec![Segment::Any]], existing: None };
        }
        let Some(tail) = &place.tail else { return Self::on(&place.path, place, bases, cwd, context) };
        let syntax = if place.glob { PathSyntax::Glob } else { PathSyntax::Literal };
        let mut end = vec![Segment::Any];
        // A class may start in the unknown part.
        let is_class = place.glob && tail.split('/').next().is_some_and(|first| first.contains(']'));
        end.extend(steps(&[if is_class { "[" } else { "" }, tail].concat(), syntax));
        if !tail.is_empty()
            && !tail.starts_with('/')
            && let Some(Segment::One { pieces, .. }) = end.get_mut(1)
        {
            pieces.insert(0, TextElement::Any);
        }
        let Some(below) = place.below.as_deref().filter(|_| place.found) else {
            return Self { all: vec![end], existing: None };
        };
        let starts = Self::on(below, place, bases, cwd, context).all;
        let starts: Vec<_> = starts.into_iter().map(|start| [start, vec![Segment::Any]].concat()).collect();
        let behind = end.get(1..).unwrap_or_default();
        let mut all: Vec<_> = starts.iter().map(|start| [start, behind].concat()).collect();
        all.extend(link_targets(place, tail, &starts, &all, context));
        Self { all, existing: None }
    }

    /// The forms of a path, relative to any of its bases. A glob is expanded.
    fn on(path: &str, place: &CommandPath, bases: &[Base], cwd: Option<&str>, context: &PathContext) -> Self {
        let is_known = |base: &Base| matches!(base, Base::Own | Base::Dir(_));
        let is_settled = place.glob && place.is_settled && bases.iter().all(is_known);
        let mut paths = Self { all: Vec::new(), existing: is_settled.then(Vec::new) };
        for form in on_bases(path, place.home, bases, cwd, context) {
            match form {
                PathForm::Absolute(text) | PathForm::Below(text) if place.glob => {
                    paths.add(&text, syntax_of(&text, place), context);
                }
                PathForm::Absolute(text) | PathForm::Below(text) => paths.all.push(steps(&text, PathSyntax::Literal)),
                PathForm::Unanchored(text) => {
                    let syntax = if place.glob { PathSyntax::ShellGlob } else { PathSyntax::Literal };
                    let end = steps(text.trim_start_matches("../"), syntax);
                    paths.all.push([vec![Segment::Any], end].concat());
                    paths.existing = None;
                }
            }
        }
        paths
    }

    /// Adds an absolute glob.
    fn add(&mut self, glob: &str, syntax: PathSyntax, context: &PathContext) {
        let found = GlobMatches::of(glob, syntax, context);
        self.all.push(steps(glob, syntax));
        self.all.extend(found.behind_links.iter().map(|glob| steps(glob, PathSyntax::LooseGlob)));
        self.all.extend(found.is_lost().then(|| vec![Segment::Any]));
        self.existing = self.existing.take().and_then(|before| Some([before, found.existing(glob)?].concat()));
    }
}

/// The syntax of a path that is split into segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathSyntax {
    /// A path without wildcards.
    Literal,
    /// A glob whose wildcards match every name.
    Glob,
    /// A glob of the shell. A wildcard at the start of a name does not match names that begin with a dot.
    ShellGlob,
    /// The same, joined to a text in which `[ab]` may be a name.
    LooseGlob,
}

/// Splits a path or a glob into segments.
pub(super) fn steps(path: &str, syntax: PathSyntax) -> Vec<Segment> {
    if path.len() > LONGEST {
        return vec![Segment::Any];
    }
    let folded = if FOLDS { path.to_lowercase() } else { path.to_owned() };
    let step = |text: &str| {
        // zsh reads `***` as `**`.
        if syntax != PathSyntax::Literal && text.len() > 1 && text.bytes().all(|byte| byte == b'*') {
            return if syntax == PathSyntax::Glob { Segment::Any } else { Segment::Visible };
        }
        let pieces = match syntax {
            PathSyntax::Literal => literal_elements(text),
            PathSyntax::Glob => glob_elements(text, true),
            PathSyntax::ShellGlob => glob_elements(text, false),
            PathSyntax::LooseGlob => loose_elements(text),
        };
        let is_open = matches!(pieces.first(), Some(TextElement::Any | TextElement::One));
        let visible = matches!(syntax, PathSyntax::ShellGlob | PathSyntax::LooseGlob) && is_open;
        Segment::One { pieces, visible }
    };
    folded.split('/').filter(|text| !text.is_empty() && *text != ".").map(step).collect()
}

impl PathPattern {
    /// Returns true if the pattern could match one of the partly known paths.
    pub(crate) fn may_match_any(
        &self,
        texts: &[Vec<Segment>],
        extent: Extent,
        context: &PathContext,
        own: Option<&Dir>,
    ) -> bool {
        let (anchor, glob, name) = match self {
            Self::NamedSet(set) => return texts.iter().any(|text| set.may_contain(text, extent, context)),
            Self::Glob { anchor, glob, name, .. } => (*anchor, glob, name),
        };
        let folders = anchor.folders(context, own);
        let below = anchor.reaches_below(extent);
        // Every matching path contains this segment.
        let step = (folders.is_empty() && !name.is_empty()).then(|| comparable(name));
        let meets = |start: Vec<Segment>, text: &[Segment]| {
            let pattern = [start, steps(glob, PathSyntax::Glob), vec![Segment::Any]].concat();
            paths_intersect(&pattern, &with_descendants(text, below), context.budget())
        };
        texts.iter().any(|text| {
            let near = |folder: &&&str| !is_disjoint(folder, glob, text);
            let anywhere = || below || step.as_ref().is_none_or(|step| has(text, step));
            (folders.is_empty() && anywhere() && meets(vec![Segment::Any], text))
                || folders.iter().filter(near).any(|folder| meets(steps(folder, PathSyntax::Literal), text))
        })
    }
}

/// Returns true if a path could be one of the partly known paths, or be below one.
pub(crate) fn may_be_below(path: &str, texts: &[Vec<Segment>], context: &PathContext) -> bool {
    let path = steps(path, PathSyntax::Literal);
    texts.iter().any(|text| paths_intersect(&path, &with_descendants(text, true), context.budget()))
}

/// The path, with everything below it if `below`.
fn with_descendants(text: &[Segment], below: bool) -> Vec<Segment> {
    text.iter().cloned().chain(below.then_some(Segment::Any)).collect()
}

impl Anchor {
    /// The directories that a glob may be relative to; empty if any directory is possible.
    pub(super) fn folders<'d>(self, context: &'d PathContext, own: Option<&'d Dir>) -> Vec<&'d str> {
        let of = |dirs: &[Option<&'d Dir>]| dirs.iter().flatten().flat_map(|dir| dir.forms()).collect();
        let around = |base: Option<&'d Dir>| {
            let mut all: Vec<&'d str> = base.into_iter().chain(context.guards()).flat_map(Dir::forms).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        match self {
            Self::Root => vec!["/"],
            Self::Folder | Self::Anywhere => Vec::new(),
            Self::Home => of(&[context.home()]),
            Self::Project if own.is_some() => of(&[own]),
            Self::Project | Self::Cwd if !context.is_known() => Vec::new(),
            Self::Project => around(context.root()),
            Self::Cwd => around(context.cwd()),
        }
    }

    /// Returns true if a command that accesses a path may also access the paths below it.
    pub(super) fn reaches_below(self, extent: Extent) -> bool {
        match extent {
            Extent::Below | Extent::Walked | Extent::Unignored | Extent::Visible => true,
            Extent::Folder => !matches!(self, Self::Folder | Self::Anywhere),
            Extent::Itself | Extent::Perhaps | Extent::Tree => false,
        }
    }
}

/// A protected file or folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProtectedPath<'p> {
    pub(crate) path: &'p str,
    /// True if everything below the path is protected.
    pub(crate) is_folder: bool,
    /// True if the path is relative to any directory.
    pub(crate) anywhere: bool,
}

/// Returns true if one of the partly known paths could be a protected path.
pub(crate) fn may_overlap_file(
    file: ProtectedPath<'_>,
    texts: &[Vec<Segment>],
    extent: Extent,
    budget: &Budget,
) -> bool {
    // Any directory may contain a file that is protected in each directory.
    let below = matches!(extent, Extent::Below | Extent::Folder);
    if below && file.anywhere {
        return false;
    }
    let step = file.path.split('/').find(|step| !step.is_empty()).unwrap_or_default();
    texts.iter().filter(|text| if file.anywhere { has(text, step) } else { !is_disjoint(file.path, "", text) }).any(
        |text| {
            let any = |there: bool| there.then_some(Segment::Any);
            let protected: Vec<Segment> = any(file.anywhere)
                .into_iter()
                .chain(steps(file.path, PathSyntax::Literal))
                .chain(any(file.is_folder))
                .collect();
            paths_intersect(&protected, &with_descendants(text, below), budget)
        },
    )
}

/// Returns true if a segment of the path could be `step`.
fn has(text: &[Segment], step: &str) -> bool {
    text.iter().any(|other| other.may_be(step))
}

/// A cheap test that is true for most pairs of rules and paths: returns true if the glob below a directory and the path
/// certainly differ in their first segments.
fn is_disjoint(folder: &str, glob: &str, text: &[Segment]) -> bool {
    let known = folder.split('/').map(|step| (step, false)).chain(glob.split('/').map(|step| (step, true)));
    let known = known.filter(|(step, _)| !step.is_empty() && *step != ".");
    for ((step, glob), other) in known.zip(text) {
        let Segment::One { pieces, .. } = other else { return false };
        if FOLDS || (glob && step == "**") {
            return false;
        }
        let is_literal = !(glob && step.contains(['*', '?', '[', '\\']));
        if is_literal && !may_be(pieces, step) {
            return true;
        }
    }
    false
}

/// Returns true if a segment may be this text, judged by the text before the first and after the last unknown part.
fn may_be(pieces: &[TextElement], text: &str) -> bool {
    // To some shells a character is a byte.
    if pieces.contains(&TextElement::One) && !text.is_ascii() {
        return true;
    }
    let is = |(piece, c): (&TextElement, char)| matches!(piece, TextElement::One) || *piece == TextElement::Char(c);
    let Some(first) = pieces.iter().position(|piece| *piece == TextElement::Any) else {
        return pieces.len() == text.chars().count() && pieces.iter().zip(text.chars()).all(is);
    };
    let behind = pieces.iter().rev().take_while(|piece| **piece != TextElement::Any).count();
    text.chars().count() >= first + behind
        && pieces.iter().zip(text.chars()).take(first).all(is)
        && pieces.iter().rev().zip(text.chars().rev()).take(behind).all(is)
}

impl NamedSet {
    /// Returns true if a path with an unknown beginning could be in the set. Other paths are matched in their written
    /// form.
    fn may_contain(self, text: &[Segment], extent: Extent, context: &PathContext) -> bool {
        let unknown = extent == Extent::Itself && text.first() == Some(&Segment::Any);
        let below = !matches!(extent, Extent::Itself | Extent::Perhaps | Extent::Tree);
        match self {
            // The set is small and its names are known.
            Self::Keys if !unknown => {
                let home = context.home().map(|home| steps(&home.written, PathSyntax::Literal)).unwrap_or_default();
                let folder = |name: &str| [home.clone(), steps(name, PathSyntax::Literal), vec![Segment::Any]].concat();
                let mut names = CREDENTIALS.iter().copied().chain([".ssh"]);
                let mut text = text.to_vec();
                text.extend(below.then_some(Segment::Any));
                (below || extent == Extent::Itself)
                    && names.any(|name| paths_intersect(&folder(name), &text, context.budget()))
            }
            Self::Outside if extent == Extent::Below => {
                literal(text).is_none_or(|folder| self.holds(&PathForm::Below(folder), context))
            }
            _ => unknown,
        }
    }
}

/// The absolute path, if all of it is known.
fn literal(text: &[Segment]) -> Option<String> {
    text.iter().try_fold(String::new(), |path, step| Some(path + "/" + &step.literal()?))
}

/// The path without segments of any depth. A path that is unknown from its start stays unknown.
pub(crate) fn without_depth(text: &[Segment]) -> Vec<Segment> {
    let is_kept = |(at, step): &(usize, &Segment)| *at == 0 || !matches!(step, Segment::Any);
    text.iter().enumerate().filter(is_kept).map(|(_, step)| step.clone()).collect()
}

/// Returns true if all of a path is known.
pub(crate) fn is_known(text: &[Segment]) -> bool {
    literal(text).is_some()
}

/// The folder before the first segment of a path that is not known; `None` if that is the first one.
pub(crate) fn known_folder(text: &[Segment]) -> Option<String> {
    let folder: String = text.iter().map_while(|step| Some(["/".to_owned(), step.literal()?].concat())).collect();
    Some(folder).filter(|folder| !folder.is_empty())
}

/// Returns true if some path matches both, or if the budget is spent.
fn paths_intersect(one: &[Segment], other: &[Segment], steps: &Budget) -> bool {
    if !steps.spend(1 + one.len() * other.len() / 4) {
        return true;
    }
    let width = other.len() + 1;
    let mut row: Vec<bool> = Vec::new();
    for at in (0..=one.len()).rev() {
        let mut next = vec![false; width];
        for to in (0..width).rev() {
            let below = row.get(to) == Some(&true);
            let right = next.get(to + 1) == Some(&true);
            let both = row.get(to + 1) == Some(&true);
            let found = match (one.get(at), other.get(to)) {
                (None, None) => true,
                (Some(a), Some(b)) if both && segments_intersect(a, b, steps) => true,
                (a, b) => (below && is_passed(a, b)) || (right && is_passed(b, a)),
            };
            if let Some(cell) = next.get_mut(to) {
                *cell = found;
            }
        }
        row = next;
    }
    row.first() == Some(&true)
}

fn segments_intersect(one: &Segment, other: &Segment, steps: &Budget) -> bool {
    let (Segment::One { pieces: a, visible: x }, Segment::One { pieces: b, visible: y }) = (one, other) else {
        return false;
    };
    !((*x && other.is_hidden()) || (*y && one.is_hidden())) && intersects(a, b, steps)
}

/// Returns true if a segment may end, or be one of those that the other one includes.
fn is_passed(segment: Option<&Segment>, other: Option<&Segment>) -> bool {
    let is_one = |segment: &Segment| matches!(segment, Segment::One { .. });
    segment.is_some_and(|segment| !is_one(segment) || other.is_some_and(|other| other.may_include(segment)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Budget, PathSyntax, Segment, is_disjoint, paths_intersect, steps};

    proptest! {
        #[test]
        fn disjoint_paths_never_intersect(
            folder in "(/[ab.]{1,2}){0,2}",
            glob in r"([ab*?.]{1,2}|\*\*|\[ab\]|\\[ab*])(/([ab*.]{1,2}|\*\*)){0,2}",
            text in r"(/([ab*?.]{1,2}|\[a\]|\*\*)){0,4}",
            syntax in prop::sample::select(vec![PathSyntax::Literal, PathSyntax::Glob, PathSyntax::ShellGlob]),
        ) {
            let text = steps(&text, syntax);
            let pattern = [steps(&folder, PathSyntax::Literal), steps(&glob, PathSyntax::Glob), vec![Segment::Any]].concat();
            if is_disjoint(&folder, &glob, &text) {
                let below = [text.clone(), vec![Segment::Any]].concat();
                let budget = Budget::default();
                prop_assert!(!paths_intersect(&pattern, &text, &budget) && !paths_intersect(&pattern, &below, &budget), "{} {} {:?}", folder, glob, text);
            }
        }
    }
}
