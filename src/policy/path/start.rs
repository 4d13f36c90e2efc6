//! How the paths begin of which deny and ask could speak, so that a path of which something is not known is
//! compared with few of them (B11).

use super::could::{Step, steps};
use super::pattern::{Anchor, PathPattern, is_literal};
use super::{Ground, comparable};
use crate::policy::command::{Extent, Piece};
use crate::policy::rule::Kind;

/// Holds what is known of the beginning of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// What the steps are relative to; absent: the pattern is a named set.
    anchor: Option<Anchor>,
    steps: Vec<String>,
    /// Whether steps follow that nobody knows.
    pub(crate) goes_on: bool,
}

impl Start {
    /// The text by which rules of a kind are filed.
    pub(crate) fn line(&self, kind: Kind) -> String {
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
    /// The steps that every path begins with that it could match. One that may stand in any folder has one
    /// of them somewhere.
    pub(crate) fn start(&self) -> Start {
        let Self::Glob { anchor, glob, .. } = self else {
            return Start { anchor: None, steps: Vec::new(), goes_on: false };
        };
        let steps = match anchor {
            Anchor::Folder | Anchor::Anywhere => self.step().into_iter().collect(),
            _ => glob.split('/').take_while(is_literal).map(comparable).collect(),
        };
        Start { anchor: Some(*anchor), steps, goes_on: false }
    }
}

/// The starts that patterns may have which could match a path that could be any of these.
pub(crate) fn starts(texts: &[Vec<Step>], extent: Extent, ground: &Ground) -> Vec<Start> {
    let mut all = vec![Start { anchor: None, steps: Vec::new(), goes_on: false }];
    for anchor in [Anchor::Root, Anchor::Home, Anchor::Project, Anchor::Cwd, Anchor::Anywhere] {
        let folders: Vec<_> =
            anchor.folders(ground, None).into_iter().map(|folder| steps(folder, false, false)).collect();
        let start = |steps, goes_on| Start { anchor: Some(anchor), steps, goes_on };
        for text in texts {
            let below = anchor.reaches_below(extent).then_some(Step::Any);
            let text: Vec<&Step> = text.iter().chain(below.as_ref()).collect();
            let known = |text: &[&Step]| text.iter().map_while(|step| step.known()).collect::<Vec<_>>();
            if anchor == Anchor::Anywhere {
                let steps = known(&text);
                let goes_on = steps.len() < text.len();
                all.push(start(Vec::new(), goes_on));
                all.extend(steps.into_iter().map(|step| start(vec![step], false)));
            } else if folders.is_empty() {
                all.push(start(Vec::new(), true));
            }
            for folder in &folders {
                let near = folder.iter().zip(&text).take_while(|(step, other)| step == *other).count();
                match text.get(near) {
                    _ if near == folder.len() => {
                        let rest = text.get(near..).unwrap_or_default();
                        let steps = known(rest);
                        let goes_on = steps.len() < rest.len();
                        all.push(start(steps, goes_on));
                    }
                    Some(step) if step.known().is_none() => all.push(start(Vec::new(), true)),
                    _ => {}
                }
            }
        }
    }
    all
}

impl Step {
    /// The step, where all of it is known.
    fn known(&self) -> Option<String> {
        let Self::One { pieces, .. } = self else { return None };
        pieces.iter().map(|piece| if let Piece::Char(c) = piece { Some(*c) } else { None }).collect()
    }
}
