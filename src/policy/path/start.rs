//! Prefixes of path patterns and of partly known paths, by which a path is compared with only a few deny and ask rules
//! (B11).

use super::partial::{Segment, steps};
use super::pattern::{Anchor, PathPattern, is_literal};
use super::{PathContext, comparable};
use crate::policy::command::{Extent, TextElement};
use crate::policy::rule::{Next, RuleKind};

/// The known prefix of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The directory that the steps are relative to; absent for a named set.
    anchor: Option<Anchor>,
    steps: Vec<String>,
    /// The known part of the next step; absent if there is no next step.
    pub(crate) next: Option<Next>,
}

impl Start {
    /// The index key for rules of a kind.
    pub(crate) fn line(&self, kind: RuleKind) -> String {
        let anchor = match self.anchor {
            Some(Anchor::Root) => "root",
            Some(Anchor::Home) => "home",
            Some(Anchor::Project) => "project",
            Some(Anchor::Cwd) => "cwd",
            Some(Anchor::Folder | Anchor::Anywhere) => "anywhere",
            None => "set",
        };
        let mut line = format!("{kind:?} {anchor}");
        for step in &self.steps {
            line.push('/');
            line.push_str(step);
        }
        line
    }
}

impl PathPattern {
    /// The prefix of every path that the pattern could match. A pattern for any folder has one of its steps.
    pub(crate) fn start(&self) -> Start {
        let Self::Glob { anchor, glob, .. } = self else {
            return Start { anchor: None, steps: Vec::new(), next: None };
        };
        let steps = match anchor {
            Anchor::Folder | Anchor::Anywhere => self.step().into_iter().collect(),
            _ => glob.split('/').take_while(is_literal).map(comparable).collect(),
        };
        Start { anchor: Some(*anchor), steps, next: None }
    }
}

/// The prefixes of all patterns that could match one of these partly known paths.
pub(crate) fn starts(texts: &[Vec<Segment>], extent: Extent, context: &PathContext) -> Vec<Start> {
    let mut all = vec![Start { anchor: None, steps: Vec::new(), next: None }];
    for anchor in [Anchor::Root, Anchor::Home, Anchor::Project, Anchor::Cwd, Anchor::Anywhere] {
        let folders = anchor.folders(context, None).into_iter().map(|folder| steps(folder, false, false));
        let folders: Vec<_> = folders.collect();
        let start = |steps, next| Start { anchor: Some(anchor), steps, next };
        for text in texts {
            let below = anchor.reaches_below(extent).then_some(Segment::Any);
            let text: Vec<&Segment> = text.iter().chain(below.as_ref()).collect();
            if anchor == Anchor::Anywhere {
                all.push(start(Vec::new(), None));
                all.extend(text.iter().map(|step| match step.known() {
                    Some(step) => start(vec![step], None),
                    None => start(Vec::new(), Some(step.next())),
                }));
            } else if folders.is_empty() {
                all.push(start(Vec::new(), Some(Next::default())));
            }
            for folder in &folders {
                let near = folder.iter().zip(&text).take_while(|(step, other)| step == *other).count();
                let rest = text.get(near..).unwrap_or_default();
                if near == folder.len() {
                    let steps: Vec<_> = rest.iter().map_while(|step| step.known()).collect();
                    let next = rest.get(steps.len()).map(|step| step.next());
                    all.push(start(steps, next));
                } else if rest.first().is_some_and(|step| step.known().is_none()) {
                    all.push(start(Vec::new(), Some(Next::default())));
                }
            }
        }
    }
    all
}

impl Segment {
    /// The text of the step, if it is known completely.
    fn known(&self) -> Option<String> {
        let Self::One { pieces, .. } = self else { return None };
        pieces.iter().copied().map(TextElement::known).collect()
    }

    /// The known start and end of a partly known step.
    fn next(&self) -> Next {
        let Self::One { pieces, .. } = self else { return Next::default() };
        let head = pieces.iter().copied().map_while(TextElement::known).collect();
        let tail: String = pieces.iter().rev().copied().map_while(TextElement::known).collect();
        Next { head, tail: tail.chars().rev().collect() }
    }
}
