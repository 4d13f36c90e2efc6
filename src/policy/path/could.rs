//! Paths of which something is not known, against the patterns of deny and ask: whether some file is of
//! both (B11).

use super::pattern::{Anchor, PathPattern};
use super::sets::{CREDENTIALS, Set};
use super::{Dir, FOLDS, Form, Ground, on_bases};
use crate::policy::command::{Base, Extent, Piece, Place, meet};
use crate::policy::steps::Steps;

/// The greatest length of a path with something unknown in it that is compared, in bytes. A longer one may be any.
const LONGEST: usize = 1024;

/// Holds one step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Any steps, or none.
    Any,
    One {
        pieces: Vec<Piece>,
        /// Whether it is a glob of the shell, which leaves out names that begin with a dot.
        visible: bool,
    },
}

/// What a path in a command could be.
pub(crate) fn could_be(place: &Place, bases: &[Base], cwd: Option<&str>, ground: &Ground) -> Vec<Vec<Step>> {
    if place.odd
        || bases.contains(&Base::Apart)
        || place.tail.as_deref().is_some_and(|tail| tail.split('/').any(|step| step == ".."))
    {
        return vec![vec![Step::Any]];
    }
    let on = |path: &str| {
        let forms = on_bases(path, place.home, bases, cwd, ground);
        forms.into_iter().map(|form| match form {
            Form::Absolute(text) | Form::Below(text) => steps(&text, place.glob, place.glob && !place.found),
            Form::Loose(text) => {
                let mut all = vec![Step::Any];
                all.extend(steps(text.trim_start_matches("../"), place.glob, place.glob));
                all
            }
        })
    };
    let Some(tail) = &place.tail else { return on(&place.path).collect() };
    let mut end = vec![Step::Any];
    end.extend(steps(tail, place.glob, false));
    if !tail.is_empty()
        && !tail.starts_with('/')
        && let Some(Step::One { pieces, .. }) = end.get_mut(1)
    {
        pieces.insert(0, Piece::Any);
    }
    match place.below.as_deref().filter(|_| place.found) {
        Some(below) => on(below).map(|start| [start, end.clone()].concat()).collect(),
        None => vec![end],
    }
}

/// The steps of a path or a glob.
pub(super) fn steps(path: &str, glob: bool, visible: bool) -> Vec<Step> {
    if path.len() > LONGEST {
        return vec![Step::Any];
    }
    let folded = if FOLDS { path.to_lowercase() } else { path.to_owned() };
    let step = |text: &str| {
        if glob && text == "**" {
            return Step::Any;
        }
        let mut pieces = Vec::new();
        let mut chars = text.chars();
        let closed = text.rfind(']').map_or(0, |last| text.len() - last);
        while let Some(c) = chars.next() {
            pieces.push(match c {
                '*' | '?' if glob => Piece::Any,
                '[' if glob && closed > 0 && chars.as_str().len() >= closed => {
                    // What closes it may not stand first.
                    chars.next();
                    let _ = chars.find(|c| *c == ']');
                    Piece::Any
                }
                '\\' if glob => Piece::Char(chars.next().unwrap_or(c)),
                c => Piece::Char(c),
            });
        }
        let visible = visible && pieces.first() == Some(&Piece::Any);
        Step::One { pieces, visible }
    };
    folded.split('/').filter(|text| !text.is_empty() && *text != ".").map(step).collect()
}

impl PathPattern {
    /// Whether deny or ask could match a path that could be any of these.
    pub(crate) fn could_match(&self, texts: &[Vec<Step>], extent: Extent, ground: &Ground, own: Option<&Dir>) -> bool {
        let (anchor, glob) = match self {
            Self::Set(set) => return texts.iter().any(|text| set.could_hold(text, extent, ground)),
            Self::Glob { anchor, glob, .. } => (*anchor, glob),
        };
        let folders = anchor.folders(ground, own);
        let below = anchor.reaches_below(extent);
        let step = if folders.is_empty() { self.step() } else { None };
        let meets = |start: Vec<Step>, text: &[Step]| {
            let pattern = [start, steps(glob, true, false), vec![Step::Any]].concat();
            join(&pattern, &going_on(text, below), ground.steps())
        };
        texts.iter().any(|text| {
            let near = |folder: &&&str| !part_ways(folder, glob, text);
            let anywhere = || below || step.as_ref().is_none_or(|step| has(text, step));
            (folders.is_empty() && anywhere() && meets(vec![Step::Any], text))
                || folders.iter().filter(near).any(|folder| meets(steps(folder, false, false), text))
        })
    }
}

/// A path, with all below it where that is meant.
fn going_on(text: &[Step], below: bool) -> Vec<Step> {
    text.iter().cloned().chain(below.then_some(Step::Any)).collect()
}

impl Anchor {
    /// The folders that a glob may be relative to; none: any may be meant.
    pub(super) fn folders<'d>(self, ground: &'d Ground, own: Option<&'d Dir>) -> Vec<&'d str> {
        let of = |dirs: &[Option<&'d Dir>]| dirs.iter().flatten().flat_map(|dir| dir.forms()).collect();
        let around = |base: Option<&'d Dir>| {
            let mut all: Vec<&'d str> = base.into_iter().chain(ground.guards()).flat_map(Dir::forms).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        match self {
            Self::Root => vec!["/"],
            Self::Folder | Self::Anywhere => Vec::new(),
            Self::Home => of(&[ground.home()]),
            Self::Project if own.is_some() => of(&[own]),
            Self::Project | Self::Cwd if !ground.is_known() => Vec::new(),
            Self::Project => around(ground.root()),
            Self::Cwd => around(ground.cwd()),
        }
    }

    /// Whether rules speak of a command for what may lie below a path that it touches.
    pub(super) fn reaches_below(self, extent: Extent) -> bool {
        match extent {
            Extent::Below => true,
            Extent::Folder => !matches!(self, Self::Folder | Self::Anywhere),
            Extent::Itself | Extent::Perhaps | Extent::Tree => false,
        }
    }
}

/// Whether a path that could be any of these could be a file, or a folder with all in it; one that may stand
/// `anywhere` may be in any folder.
pub(crate) fn could_be_in(
    path: &str,
    is_folder: bool,
    anywhere: bool,
    texts: &[Vec<Step>],
    extent: Extent,
    budget: &Steps,
) -> bool {
    let below = match extent {
        Extent::Itself | Extent::Perhaps | Extent::Tree => false,
        // Any folder may have one in it.
        Extent::Below | Extent::Folder if anywhere => return false,
        Extent::Below | Extent::Folder => true,
    };
    let step = path.split('/').find(|step| !step.is_empty()).unwrap_or_default();
    texts.iter().filter(|text| if anywhere { has(text, step) } else { !part_ways(path, "", text) }).any(|text| {
        let any = |there: bool| there.then_some(Step::Any);
        let file: Vec<Step> =
            any(anywhere).into_iter().chain(steps(path, false, false)).chain(any(is_folder)).collect();
        join(&file, &going_on(text, below), budget)
    })
}

/// Whether a step of a path may be this one.
fn has(text: &[Step], step: &str) -> bool {
    text.iter().any(|other| match other {
        Step::Any => true,
        Step::One { pieces, .. } => FOLDS || may_be(pieces, step),
    })
}

/// Whether a glob below a folder begins with other steps than a path, as far as one step stands for one:
/// true of most rules and paths, and told with little work.
fn part_ways(folder: &str, glob: &str, text: &[Step]) -> bool {
    let known = folder.split('/').map(|step| (step, false)).chain(glob.split('/').map(|step| (step, true)));
    let known = known.filter(|(step, _)| !step.is_empty() && *step != ".");
    for ((step, glob), other) in known.zip(text) {
        let Step::One { pieces, .. } = other else { return false };
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

/// Whether a step may be this text, by what stands before and behind all that is not known in it.
fn may_be(pieces: &[Piece], text: &str) -> bool {
    let is = |(piece, c): (&Piece, char)| *piece == Piece::Char(c);
    let Some(first) = pieces.iter().position(|piece| *piece == Piece::Any) else {
        return pieces.len() == text.chars().count() && pieces.iter().zip(text.chars()).all(is);
    };
    let behind = pieces.iter().rev().take_while(|piece| **piece != Piece::Any).count();
    text.chars().count() >= first + behind
        && pieces.iter().zip(text.chars()).take(first).all(is)
        && pieces.iter().rev().zip(text.chars().rev()).take(behind).all(is)
}

impl Set {
    /// Whether a path of which nothing is known at its beginning could be in the set. Otherwise what is
    /// written there says enough.
    fn could_hold(self, text: &[Step], extent: Extent, ground: &Ground) -> bool {
        let unknown = extent == Extent::Itself && text.first() == Some(&Step::Any);
        let below = extent == Extent::Below;
        match self {
            // They are few, and their names are known.
            Self::Keys if !unknown => {
                let home = ground.home().map(|home| steps(&home.written, false, false)).unwrap_or_default();
                let folder = |name: &str| [home.clone(), steps(name, false, false), vec![Step::Any]].concat();
                let mut names = CREDENTIALS.iter().copied().chain([".ssh"]);
                let mut text = text.to_vec();
                text.extend(below.then_some(Step::Any));
                (below || extent == Extent::Itself) && names.any(|name| join(&folder(name), &text, ground.steps()))
            }
            Self::Outside if below => literal(text).is_none_or(|folder| self.holds(&Form::Below(folder), ground)),
            _ => unknown,
        }
    }
}

/// The absolute path of which all is known.
fn literal(text: &[Step]) -> Option<String> {
    let mut path = String::new();
    for step in text {
        let Step::One { pieces, .. } = step else { return None };
        path.push('/');
        for piece in pieces {
            let Piece::Char(c) = piece else { return None };
            path.push(*c);
        }
    }
    Some(path)
}

/// Whether some path is one of both; true too where the steps to find out are spent.
fn join(one: &[Step], other: &[Step], steps: &Steps) -> bool {
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
                (Some(Step::Any), Some(Step::Any)) => below || right,
                (Some(Step::Any), other) => below || (other.is_some() && right),
                (one, Some(Step::Any)) => right || (one.is_some() && below),
                (Some(one), Some(other)) => both && same(one, other, steps),
                _ => false,
            };
            if let Some(cell) = next.get_mut(to) {
                *cell = found;
            }
        }
        row = next;
    }
    row.first() == Some(&true)
}

fn same(one: &Step, other: &Step, steps: &Steps) -> bool {
    let (Step::One { pieces: a, visible: x }, Step::One { pieces: b, visible: y }) = (one, other) else { return true };
    let hidden = |pieces: &[Piece]| pieces.first() == Some(&Piece::Char('.'));
    !((*x && hidden(b)) || (*y && hidden(a))) && meet(a, b, steps)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Step, Steps, join, part_ways, steps};

    proptest! {
        #[test]
        fn what_parts_ways_never_meets(
            folder in "(/[ab.]{1,2}){0,2}",
            glob in r"([ab*?.]{1,2}|\*\*|\[ab\]|\\[ab*])(/([ab*.]{1,2}|\*\*)){0,2}",
            text in r"(/([ab*?.]{1,2}|\[a\]|\*\*)){0,4}",
            is_glob: bool,
            visible: bool,
        ) {
            let text = steps(&text, is_glob, is_glob && visible);
            let pattern = [steps(&folder, false, false), steps(&glob, true, false), vec![Step::Any]].concat();
            if part_ways(&folder, &glob, &text) {
                let below = [text.clone(), vec![Step::Any]].concat();
                let budget = Steps::default();
                prop_assert!(!join(&pattern, &text, &budget) && !join(&pattern, &below, &budget), "{} {} {:?}", folder, glob, text);
            }
        }
    }
}
